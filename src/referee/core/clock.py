"""Time: a count of the system's smallest unit, and deadlines as data that come due by themselves."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Final, TypeAlias, final, get_origin

from referee.core.audience import Audience, Hidden, Open
from referee.core.encounter import Encounter, encounters, outer_of, stands
from referee.core.errors import BadInput, Refused
from referee.core.plain import Plain, frozen, same
from referee.core.questions import Request
from referee.core.requests import Alter, change, tell
from referee.core.rules import Call, Rule, rule, rule_named
from referee.core.scene import Scene, Who

AnyRule: TypeAlias = Rule[..., Any]


@final
@dataclass(frozen=True, slots=True, order=True)
class Deadline:
    """A rule that comes due for someone. Deadlines at the same moment fire in the order of these fields."""

    known_by: ClassVar = ("who", "rule", "about")
    at: int
    order: int
    who: str
    rule: str
    about: str = ""
    """What it concerns: this wound, not that one. A rule with an argument `about` is told."""
    audience: Audience = field(default=Audience.EVERYONE, compare=False)
    """Who may know of it. The owner is the one it comes due for."""

    def to_plain(self) -> Plain:
        plain: dict[str, Plain] = {"at": self.at, "order": self.order, "who": self.who, "rule": self.rule}
        plain |= {"about": self.about} if self.about else {}
        return plain | ({} if self.audience is Audience.EVERYONE else {"audience": self.audience.value})

    def is_for(self, who: Who[Any], run: AnyRule | None = None, about: str | None = None) -> bool:
        """Whether it is someone's, of this rule, about this."""
        return self.who == who.name and (run is None or self.rule == run.id) and about in (None, self.about)


@final
@frozen
class Clock:
    """How much time has passed, and the deadlines still to come, earliest first."""

    now: Open[int] = 0
    deadlines: Open[tuple[Deadline, ...]] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "deadlines", tuple(sorted(self.deadlines)))

    def due(self, until: int) -> Deadline | None:
        """The first deadline up to a time."""
        return self.deadlines[0] if self.deadlines and self.deadlines[0].at <= until else None

    def when(self, who: Who[Any], run: AnyRule, about: str | None = None) -> int | None:
        """When a rule next comes due for someone."""
        return next((each.at for each in self.deadlines if each.is_for(who, run, about)), None)

    def having(self, deadline: Deadline) -> Clock:
        return replace(self, deadlines=(*self.deadlines, deadline))

    def past(self, deadline: Deadline) -> Clock:
        """The clock without this deadline, which has come due. Another one like it may remain."""
        equal = [each for each in self.deadlines if each == deadline]
        if not equal:
            raise BadInput("clock", f"no such deadline: {deadline}")
        gone = next((each for each in equal if same(each, deadline)), equal[0])
        at = next(at for at, each in enumerate(self.deadlines) if each is gone)
        rest = self.deadlines[:at] + self.deadlines[at + 1 :]
        return replace(self, now=max(self.now, deadline.at), deadlines=rest)

    def without(self, who: Who[Any], run: AnyRule | None = None, about: str | None = None) -> Clock:
        """The clock without someone's deadlines, or without those of one rule, or without those about one thing."""
        return replace(self, deadlines=tuple(each for each in self.deadlines if not each.is_for(who, run, about)))


CLOCK: Final = Who("clock", Clock)


@final
@frozen
class Passing(Encounter):
    """Time passing until a given moment. Each deadline on the way is a step of its own.

    It is played before everything but what stands inside it: what a deadline begins and must be played at once.
    """

    until: Open[int]

    def next_step(self, scene: Scene, me: Who[Any]) -> Call[Any]:
        deadline = scene[CLOCK].due(self.until)
        return run_deadline(deadline) if deadline else arrive(self.until)

    def over(self, scene: Scene, me: Who[Any]) -> Hashable | None:
        return scene[CLOCK].now if scene[CLOCK].now >= self.until and not scene[CLOCK].due(self.until) else None


PASSING: Final = Who("passing", Passing)


def set_deadline(
    after: int,
    who: Who[Any],
    run: AnyRule,
    order: int = 0,
    *,
    about: str = "",
    audience: Audience = Audience.EVERYONE,
) -> Request[None]:
    """A rule comes due for someone after a given time. At one moment, lower orders fire first, then by name."""
    rule_id = _comes_due(run).id

    def having(clock: Clock) -> Clock:
        return clock.having(Deadline(clock.now + after, order, who.name, rule_id, about, audience))

    return Alter(CLOCK, having)


def cancel_deadline(who: Who[Any], run: AnyRule | None = None, *, about: str | None = None) -> Request[None]:
    """Cancel someone's deadlines, or only those of one rule, or only those about one thing."""
    return Alter(CLOCK, lambda clock: clock.without(who, run, about))


@rule("referee.clock.deadline")
async def run_deadline(scene: Scene, deadline: Deadline) -> Any:
    """The clock moves to a deadline, and its rule runs for the person it concerns, if they are still in the scene."""
    await Alter(CLOCK, lambda clock: clock.past(deadline), deadline.rule)
    if scene.read(deadline.who) is None:
        whose = Who(deadline.who, object) if deadline.audience is Audience.OWNER else None
        await tell("deadline-void", who=whose, rule=deadline.rule, audience=deadline.audience, whom=deadline.who)
        return None
    run = _comes_due(rule_named(deadline.rule))
    about = {"about": deadline.about} if "about" in run.parameters else {}
    return await run(scene.who(deadline.who), **about)


@rule("referee.clock.deadline/passed-over")
async def skip_deadline(scene: Scene, deadline: Deadline, because: Hidden[str]) -> None:
    """A deadline whose rule is refused is skipped, and the game master is told why."""
    await Alter(CLOCK, lambda clock: clock.past(deadline), deadline.rule)
    await tell("deadline-refused", rule=deadline.rule, audience=Audience.MASTER, whom=deadline.who, because=because)


def _comes_due(run: AnyRule) -> AnyRule:
    """Check that a rule can come due: it takes nothing but the person it concerns and what it is about."""
    first, *others = run.parameters.values() or (None,)
    needed = [each.name for each in others if each.default is each.empty and each.name != "about"]
    if first is None or get_origin(first.annotation) is not Who or needed:
        raise BadInput(run.id, "cannot be a deadline: it needs more arguments than whom it concerns")
    return run


@rule("referee.clock.arrive")
async def arrive(scene: Scene, at: int) -> None:
    """No deadline is left on the way, so the clock moves to the end."""
    if at < scene[CLOCK].now:
        raise Refused("time", because="that moment has passed already", rule="referee.clock.arrive")
    await change(CLOCK, replace(scene[CLOCK], now=at))


@rule("referee.clock.pass")
async def advance_clock(scene: Scene, units: int, me: Who[Any] | None = None) -> None:
    """Start a stretch of time; its deadlines follow as steps.

    `me` is the encounter in which the time passes. Inside another one it does not move the clock: the outermost does.
    """
    if units < 0:
        raise Refused("time", because="time cannot run backwards; use undo", rule="referee.clock.pass")
    if me is not None and is_inside_another(scene, me):
        return
    check_may_pass(scene, me)
    await change(PASSING, Passing(scene[CLOCK].now + units))


def is_inside_another(scene: Scene, encounter: Who[Any]) -> bool:
    """Whether an encounter stands inside another one that has not ended."""
    outer = outer_of(scene, encounter)
    if outer in ("", encounter.name):
        return False
    return stands(scene, outer) if outer == PASSING.name else isinstance(scene.read(outer), Encounter)


def check_may_pass(scene: Scene, me: Who[Any] | None = None) -> None:
    """Refuse to let time pass while what is due has to be played, or while an inner encounter has to end first."""
    if stands(scene, PASSING.name):
        raise Refused("time", because="what is due must be played first", rule="referee.clock.pass")
    for each in encounters(scene) if me is None else ():
        if stands(scene, each.name) and is_inside_another(scene, each):
            because = f"{each} stands inside {outer_of(scene, each)}, which moves the clock"
            raise Refused("time", because=because, rule="referee.clock.pass")
