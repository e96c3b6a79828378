"""Time: a count of the system's smallest unit, and deadlines as data that come due by themselves."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Final, TypeAlias, final, get_origin

from referee.core.audience import Audience, Hidden, Open
from referee.core.encounter import Encounter
from referee.core.errors import BadInput, Refused
from referee.core.requests import alter, change, tell
from referee.core.rules import Call, Rule, rule, rule_named
from referee.core.scene import Scene, Who

AnyRule: TypeAlias = Rule[..., Any]


@final
@dataclass(frozen=True, slots=True, order=True)
class Deadline:
    """A rule that comes due for someone. Deadlines at the same moment fire in the order of these fields."""

    known_by: ClassVar = ("who", "rule")
    at: int
    order: int
    who: str
    rule: str


@final
@dataclass(frozen=True, slots=True)
class Clock:
    """How much time has passed, and the deadlines still to come, earliest first."""

    now: Open[int] = 0
    deadlines: Open[tuple[Deadline, ...]] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "deadlines", tuple(sorted(self.deadlines)))

    def due(self, until: int) -> Deadline | None:
        """The first deadline up to a time."""
        return self.deadlines[0] if self.deadlines and self.deadlines[0].at <= until else None

    def when(self, who: Who[Any], run: AnyRule) -> int | None:
        """When a rule next comes due for someone."""
        return next((each.at for each in self.deadlines if (each.who, each.rule) == (who.name, run.id)), None)

    def having(self, deadline: Deadline) -> Clock:
        return replace(self, deadlines=(*self.deadlines, deadline))

    def past(self, deadline: Deadline) -> Clock:
        """The clock without this deadline, which has come due. Another one like it may remain."""
        if deadline not in self.deadlines:
            raise BadInput("clock", f"no such deadline: {deadline}")
        at = self.deadlines.index(deadline)
        rest = self.deadlines[:at] + self.deadlines[at + 1 :]
        return replace(self, now=max(self.now, deadline.at), deadlines=rest)

    def without(self, who: Who[Any], run: AnyRule | None) -> Clock:
        """The clock without someone's deadlines, or without those of one rule."""
        kept = (each for each in self.deadlines if each.who != who.name or (run and each.rule != run.id))
        return replace(self, deadlines=tuple(kept))


CLOCK: Final = Who("clock", Clock)


@final
@dataclass(frozen=True, slots=True)
class Passing(Encounter):
    """Time passing until a given moment. Each deadline on the way is a step of its own."""

    until: Open[int]

    def next_step(self, scene: Scene) -> Call[Any]:
        deadline = scene[CLOCK].due(self.until)
        return run_deadline(deadline) if deadline else arrive(self.until)

    def over(self, scene: Scene) -> Hashable | None:
        return scene[CLOCK].now if scene[CLOCK].now >= self.until and not scene[CLOCK].due(self.until) else None


PASSING: Final = Who("passing", Passing)


@rule("referee.clock.set")
async def set_deadline(scene: Scene, after: int, who: Who[Any], run: AnyRule, order: int = 0) -> None:
    """A rule comes due for someone after a given time. At one moment, lower orders fire first, then by name."""
    await alter(CLOCK, Clock.having, Deadline(scene[CLOCK].now + after, order, who.name, _comes_due(run).id))


@rule("referee.clock.call-off")
async def cancel_deadline(scene: Scene, who: Who[Any], run: AnyRule | None = None) -> None:
    """Cancel someone's deadlines, or only those of one rule."""
    await alter(CLOCK, Clock.without, who, run)


@rule("referee.clock.deadline")
async def run_deadline(scene: Scene, deadline: Deadline) -> Any:
    """The clock moves to a deadline, and its rule runs for the person it concerns, if they are still in the scene."""
    await alter(CLOCK, Clock.past, deadline)
    if scene.read(deadline.who) is None:
        await tell("deadline-void", rule=deadline.rule, whom=deadline.who)
        return None
    return await _comes_due(rule_named(deadline.rule))(scene.who(deadline.who))


@rule("referee.clock.deadline/passed-over")
async def skip_deadline(scene: Scene, deadline: Deadline, because: Hidden[str]) -> None:
    """A deadline whose rule is refused is skipped, and the game master is told why."""
    await alter(CLOCK, Clock.past, deadline)
    await tell("deadline-refused", rule=deadline.rule, audience=Audience.MASTER, whom=deadline.who, because=because)


def _comes_due(run: AnyRule) -> AnyRule:
    """Check that a rule can come due: it takes nothing but the person it concerns."""
    first, *others = run.parameters.values() or (None,)
    if first is None or get_origin(first.annotation) is not Who or any(p.default is p.empty for p in others):
        raise BadInput(run.id, "cannot be a deadline: it needs more arguments than whom it concerns")
    return run


@rule("referee.clock.arrive")
async def arrive(scene: Scene, at: int) -> None:
    """No deadline is left on the way, so the clock moves to the end."""
    if at < scene[CLOCK].now:
        raise Refused("time", because=f"it is {scene[CLOCK].now} already", rule="referee.clock.arrive")
    await change(CLOCK, replace(scene[CLOCK], now=at))


@rule("referee.clock.pass")
async def advance_clock(scene: Scene, units: int) -> None:
    """Start a stretch of time; its deadlines follow as steps."""
    if units < 0:
        raise Refused("time", because="time cannot run backwards; use undo", rule="referee.clock.pass")
    if PASSING in scene and scene[PASSING].over(scene) is None:
        raise Refused("time", because="what is due must be played first", rule="referee.clock.pass")
    await change(PASSING, Passing(scene[CLOCK].now + units))
