"""Time: a count of the system's smallest unit, and deadlines as data that come due by themselves."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import Any, Final, final

from referee.core.audience import Open
from referee.core.encounter import Encounter
from referee.core.errors import Refused
from referee.core.requests import change
from referee.core.rules import Call, rule, rule_named
from referee.core.scene import Scene, Who

DUE: Final = "referee.clock.deadline"


@final
@dataclass(frozen=True, slots=True, order=True)
class Deadline:
    """A rule that comes due. Deadlines of one moment fire by `order`, then by name: the field order is the order."""

    at: int
    order: int
    who: str
    rule: str


@final
@dataclass(frozen=True, slots=True)
class Clock:
    """How much time has passed, and what is still to come."""

    now: Open[int] = 0
    deadlines: Open[tuple[Deadline, ...]] = ()

    def due(self, until: int) -> Deadline | None:
        """The first deadline up to a time."""
        first = min(self.deadlines, default=None)
        return first if first is not None and first.at <= until else None


CLOCK: Final = Who("clock", Clock)


@final
@dataclass(frozen=True, slots=True)
class Passing(Encounter):
    """Time passing up to a moment: each deadline on the way is a step of its own."""

    until: Open[int]

    def next_step(self, scene: Scene) -> Call[Any]:
        deadline = scene[CLOCK].due(self.until)
        return come_due(scene, deadline) if deadline else arrive(scene, self.until)

    def over(self, scene: Scene) -> Hashable | None:
        return scene[CLOCK].now if scene[CLOCK].now >= self.until and not scene[CLOCK].due(self.until) else None


PASSING: Final = Who("passing", Passing)


@rule("referee.clock.set")
async def set_deadline(scene: Scene, after: int, who: Who[Any], run: str, order: int = 0) -> None:
    """Something comes due for somebody after some time."""
    rule_named(run)
    clock = scene[CLOCK]
    await change(CLOCK, replace(clock, deadlines=(*clock.deadlines, Deadline(clock.now + after, order, who.name, run))))


@rule("referee.clock.call-off")
async def call_off(scene: Scene, who: Who[Any], run: str) -> None:
    """What was to come due for somebody does not."""
    clock = scene[CLOCK]
    kept = tuple(d for d in clock.deadlines if (d.who, d.rule) != (who.name, run))
    if kept != clock.deadlines:
        await change(CLOCK, replace(clock, deadlines=kept))


@rule(DUE)
async def come_due(scene: Scene, deadline: Deadline) -> Any:
    """The clock moves to a deadline, and its rule runs for the one it concerns."""
    clock = scene[CLOCK]
    kept = tuple(d for d in clock.deadlines if d != deadline)
    await change(CLOCK, replace(clock, now=max(clock.now, deadline.at), deadlines=kept))
    return await rule_named(deadline.rule)(scene, scene.who(deadline.who))


@rule("referee.clock.arrive")
async def arrive(scene: Scene, at: int) -> None:
    """Nothing more is due on the way: the clock stands at the end of it."""
    if at < scene[CLOCK].now:
        raise Refused("time", because=f"it is {scene[CLOCK].now} already", rule="referee.clock.arrive")
    await change(CLOCK, replace(scene[CLOCK], now=at))


@rule("referee.clock.pass")
async def let_pass(scene: Scene, units: int) -> None:
    """Begin a stretch of time; its deadlines follow as steps."""
    if units < 0:
        raise Refused("time", because="it does not run backwards; undo does", rule="referee.clock.pass")
    await change(PASSING, Passing(scene[CLOCK].now + units))
