"""Time: a count of the system's smallest unit, and what comes due by itself.

A deadline that a rule sets is data on the clock. What comes due because of what somebody is like (`@due`) is a function
of the scene and is stored nowhere, so it does not matter how they got that way.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Final, TypeAlias, TypeVar, final, get_origin

from referee.core.audience import Audience, Hidden, Open
from referee.core.encounter import Encounter, encounters, outer_of, stands
from referee.core.errors import BadInput, NotKnown, Refused
from referee.core.plain import Plain, frozen, same
from referee.core.questions import Request
from referee.core.requests import Alter, change, tell
from referee.core.rules import Call, Rule, rule, rule_named
from referee.core.scene import Scene, Who

AnyRule: TypeAlias = Rule[..., Any]
Fold: TypeAlias = Callable[[Scene, Who[Any], int, int], tuple[Any, int]]
"""What somebody is like after so many times, the last of them at a moment; and how many that is, if something else
follows after fewer."""
F = TypeVar("F", bound=Callable[..., Any])


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
    pending: Open[tuple[Deadline, ...]] = ()
    """What followed from the scene as this moment came, and has not been played yet."""
    stands: Open[bool] = False
    """Whether so much has come due that time stands until the game master lets it go on."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "deadlines", tuple(sorted(self.deadlines)))
        object.__setattr__(self, "pending", tuple(sorted(self.pending)))

    def due(self, until: int) -> Deadline | None:
        """The first deadline up to a time: set by a rule, or pending at this moment."""
        first = min((*self.pending[:1], *self.valid[:1]), default=None)
        return first if first is not None and first.at <= until else None

    @property
    def valid(self) -> tuple[Deadline, ...]:
        """The deadlines that count: one that was set for what now follows from the scene is void."""
        return tuple(each for each in self.deadlines if each.rule not in _FOLLOWING)

    def when(self, who: Who[Any], run: AnyRule, about: str | None = None) -> int | None:
        """When a rule next comes due for someone."""
        return next((each.at for each in self.deadlines if each.is_for(who, run, about)), None)

    def set_before(self, who: Who[Any], run: AnyRule, about: str | None = None) -> Deadline | None:
        """What an older log has set, if it is still ahead, for what now follows from the scene."""
        return next((each for each in self.deadlines if each.at > self.now and each.is_for(who, run, about)), None)

    def ahead(self, who: Who[Any], run: AnyRule, about: str | None = None) -> int | None:
        """When that comes due."""
        deadline = self.set_before(who, run, about)
        return None if deadline is None else deadline.at

    def having(self, deadline: Deadline) -> Clock:
        return replace(self, deadlines=(*self.deadlines, deadline))

    def past(self, deadline: Deadline) -> Clock:
        """The clock without this deadline, which has come due. Another one like it may remain."""
        now = max(self.now, deadline.at)
        if deadline in self.pending:
            return replace(self, now=now, pending=_without_one(self.pending, deadline))
        return replace(self, now=now, deadlines=_without_one(self.deadlines, deadline))

    def without(self, who: Who[Any], run: AnyRule | None = None, about: str | None = None) -> Clock:
        """The clock without someone's deadlines, or without those of one rule, or without those about one thing."""
        return replace(self, deadlines=tuple(each for each in self.deadlines if not each.is_for(who, run, about)))


def _without_one(deadlines: tuple[Deadline, ...], deadline: Deadline) -> tuple[Deadline, ...]:
    """All but one such deadline."""
    equal = [each for each in deadlines if each == deadline]
    if not equal:
        raise BadInput("clock", f"no such deadline: {deadline}")
    gone = next((each for each in equal if same(each, deadline)), equal[0])
    at = next(at for at, each in enumerate(deadlines) if each is gone)
    return deadlines[:at] + deadlines[at + 1 :]


CLOCK: Final = Who("clock", Clock)


# --- what follows from the scene --------------------------------------------------------------------------------------


@final
@frozen
class Due:
    """What comes due because of what somebody is like: every so often, counted from `since`, or once, `at` a time."""

    run: AnyRule
    every: int = 1
    since: int = 0
    at: int | None = None
    order: int = 0
    about: str = ""
    audience: Audience = Audience.EVERYONE
    """Who may know of it: whoever may see the field that it follows from."""
    folded: Fold | None = None
    """What so many times in a row come to, for what needs no dice, asks nothing, and reads and changes nobody else."""

    def after(self, now: int) -> int:
        """When it comes due next, later than now; what should have come already comes as soon as time passes."""
        if self.at is not None:
            return max(self.at, now + 1)
        start = max(now, self.since)
        return start + self.every - (start - self.since) % self.every


DueFunction: TypeAlias = Callable[[Scene, Who[Any]], Iterable[Due]]
_DUES: Final[dict[type[Any], list[DueFunction]]] = {}
_FOLLOWING: Final[set[str]] = set()
"""The rules that come due by what the scene is like. A stored deadline of one of them is void."""


def due(kind: type[Any], *rules: AnyRule) -> Callable[[F], F]:
    """Declare what comes due for everybody of a kind: `@due(Adventurer, bleed)`, a function of scene and person.

    Where something else takes its place, such as a turn of a fight, the function yields nothing.
    """

    def decorate(body: F) -> F:
        _DUES.setdefault(kind, []).append(body)
        _FOLLOWING.update(_comes_due(each).id for each in rules)
        return body

    return decorate


def rules_that_follow() -> frozenset[str]:
    """The rules that come due by what the scene is like, of every system that is loaded."""
    return frozenset(_FOLLOWING)


def following(scene: Scene, *, known: bool = False) -> tuple[Deadline, ...]:
    """What comes due next by what the scene is like, earliest first; with `known`, as far as the scene is known."""
    now = scene.get(CLOCK, Clock()).now
    return tuple(sorted(_next_of(each, who, now) for who, each in _dues(scene, known)))


def _next_of(each: Due, who: Who[Any], now: int) -> Deadline:
    return Deadline(each.after(now), each.order, who.name, each.run.id, each.about, each.audience)


def _dues(scene: Scene, known: bool = False) -> Iterator[tuple[Who[Any], Due]]:
    """Whatever follows from the scene, for everybody."""
    for kind, bodies in list(_DUES.items()):  # for another table, another thread may be loading another system
        for who in scene.all(kind):
            for body in bodies:
                for each in _declared(body, scene, who, known):
                    yield who, each


def _declared(body: DueFunction, scene: Scene, who: Who[Any], known: bool) -> Iterator[Due]:
    """What a function declares for somebody. Where it reads what is not known, nothing is known to follow."""
    try:
        for each in body(scene, who):
            if each.run.id not in _FOLLOWING:
                raise BadInput(each.run.id, "is not among the rules that its @due names")
            yield each
    except NotKnown:
        if not known:
            raise


def coming(scene: Scene, *, known: bool = False) -> tuple[Deadline, ...]:
    """Everything that comes due next: pending, set by a rule, or following from the scene; earliest first."""
    clock = scene.get(CLOCK, Clock())
    return tuple(sorted((*clock.pending, *clock.valid, *following(scene, known=known))))


def next_due(scene: Scene, until: int) -> Deadline | None:
    """The first that comes due up to a time: set by a rule, pending at this moment, or following from the scene."""
    clock = scene.get(CLOCK, Clock())
    stored = clock.due(until)
    if until <= clock.now or (stored is not None and stored.at <= clock.now):
        return stored
    found = [*((stored,) if stored else ()), *following(scene)[:1]]
    first = min(found, default=None)
    return first if first is not None and first.at <= until else None


def reached(scene: Scene, deadline: Deadline) -> Clock:
    """The clock when a deadline comes due: as a new moment comes, all that follows from the scene is listed once."""
    clock = scene[CLOCK]
    if deadline.at > clock.now:
        clock = replace(clock, pending=tuple(each for each in following(scene) if each.at == deadline.at))
    return clock.past(deadline)


# --- many times in one step -------------------------------------------------------------------------------------------


def foldable(scene: Scene, until: int) -> int | None:
    """The moment up to which all that comes due may be played in one step; None if there is nothing to be spared."""
    clock, dues = scene[CLOCK], list(_dues(scene))
    folds = [each for each in dues if _is_open_fold(each[1])]
    if clock.pending or not folds or len({who.name for who, _ in folds}) < len(folds):
        return None
    others = [each.after(clock.now) for _, each in dues if not _is_open_fold(each)]
    last, before = min([until, *(each.at - 1 for each in clock.valid[:1]), *(at - 1 for at in others)]), None
    while last != before:  # nobody goes on beyond what somebody else is like then
        before = last
        for who, each in folds:
            if times := _times(each, clock.now, last):
                times = min(times, _folded(each, scene, who, times)[1])
                last = each.after(clock.now) + (times - 1) * each.every
    return last if sum(_times(each, clock.now, last) for _, each in folds) > 1 else None


def _is_open_fold(each: Due) -> bool:
    """Whether many times of it can be one step that everyone may know of."""
    return each.folded is not None and each.at is None and each.audience is Audience.EVERYONE


def _times(each: Due, now: int, last: int) -> int:
    """How often something comes due from now on, up to a moment."""
    return max(0, (last - each.after(now)) // each.every + 1)


def _folded(each: Due, scene: Scene, who: Who[Any], times: int) -> tuple[Any, int]:
    if each.folded is None:
        raise BadInput(each.run.id, "cannot be folded")
    now = scene[CLOCK].now
    return each.folded(scene, who, times, each.after(now) + (times - 1) * each.every)


@rule("referee.clock.folded")
async def run_folded(scene: Scene, until: int) -> None:
    """What comes due again and again, without dice and without anything in between, happens in one step."""
    found = [(who, each) for who, each in _dues(scene) if _is_open_fold(each)]
    now = scene[CLOCK].now
    values = [
        (who, _folded(each, scene, who, times)[0], each.run.id)
        for who, each in found
        if (times := _times(each, now, until))
    ]
    await change(CLOCK, replace(scene[CLOCK], now=until))
    for who, value, by in values:
        await change(who, value, rule=by)


# --- time passing -----------------------------------------------------------------------------------------------------


@final
@frozen
class Passing(Encounter):
    """Time passing until a given moment. Each deadline on the way is a step of its own.

    It is played before everything but what stands inside it: what a deadline begins and must be played at once.
    """

    until: Open[int]

    def next_step(self, scene: Scene, me: Who[Any]) -> Call[Any]:
        deadline = next_due(scene, self.until)
        if deadline is None:
            return arrive(self.until)
        at_once = foldable(scene, self.until) if self.until > deadline.at > scene[CLOCK].now else None
        return run_deadline(deadline) if at_once is None else run_folded(at_once)

    def over(self, scene: Scene, me: Who[Any]) -> Hashable | None:
        clock = scene[CLOCK]
        return clock.now if clock.now >= self.until and not clock.due(self.until) else None


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
    await change(CLOCK, reached(scene, deadline), rule=deadline.rule)
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
    await change(CLOCK, reached(scene, deadline), rule=deadline.rule)
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


@rule("referee.clock.pause")
async def pause(scene: Scene, played: int) -> None:
    """So much has happened by itself in one go that the table waits here until the game master lets it go on."""
    await change(CLOCK, replace(scene.get(CLOCK, Clock()), stands=True))
    await tell("time-stands", played=played)


@rule("referee.clock.go-on")
async def go_on(scene: Scene) -> None:
    """Time that stood goes on."""
    await change(CLOCK, replace(scene[CLOCK], stands=False))


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
