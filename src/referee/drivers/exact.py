"""The exact table: every outcome with its whole-number weight.

A coroutine cannot be copied, so each branch runs the rule again on the answers that led to it, with a check that it
asks the same. A rule called on a scene already met is not run: its result and the scene it left are remembered.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import gcd, lcm
from typing import Any, Final, Generic, TypeAlias, TypeVar, cast, final

from referee.core.encounter import Encounter
from referee.core.errors import ReplayMismatch, TooLarge
from referee.core.questions import Chance, Choice, Question
from referee.core.rules import Call
from referee.core.run import Run
from referee.core.scene import Scene, State, Who
from referee.drivers.policies import Policy, by_default

T = TypeVar("T")
K = TypeVar("K", bound=Hashable)

MOST_RUNS: Final = 2_000_000
MOST_SCENES: Final = 20_000


@final
@dataclass(frozen=True, slots=True)
class Answered:
    """A question, and what was answered."""

    question: Question[Any]
    part: int
    answer: Any

    def onto(self, run: Run[Any]) -> None:
        asked = run.asking[self.part] if self.part < len(run.asking) else None
        if asked != self.question:
            raise ReplayMismatch(self.question, asked or run.at_call or "nothing more")
        run.answer(self.answer, self.part)


@final
@dataclass(frozen=True, slots=True)
class Known:
    """A rule that was not run again: its result, and the scene it leaves."""

    call: Call[Any]
    result: Any
    after: State

    def onto(self, run: Run[Any]) -> None:
        if run.at_call != self.call:
            raise ReplayMismatch(self.call, run.at_call or run.asking)
        run.know(self.result, self.after)


@final
@dataclass(frozen=True, slots=True)
class Entered:
    """A rule that was run."""

    def onto(self, run: Run[Any]) -> None:
        run.enter()


@final
@dataclass(frozen=True, slots=True)
class Moved:
    """The scene was changed from outside: a game master's edit, another step."""

    to: State

    def onto(self, run: Run[Any]) -> None:
        run.scene.state = self.to


Trail: TypeAlias = tuple[Answered | Known | Entered | Moved, ...]
"""How a run came to where it is."""


def follow(call: Call[Any], state: State, trail: Trail, *, pause_at_calls: bool) -> Run[Any]:
    """Run a step again along a trail."""
    run = Run(Scene(state), call, pause_at_calls=pause_at_calls)
    for each in trail:
        each.onto(run)
    return run


@final
@dataclass(frozen=True)
class Odds(Generic[T]):
    """Every end of a step: its result and the scene after it, with a whole-number weight out of `whole`."""

    ends: tuple[tuple[T, State, int], ...]
    whole: int
    lost: Fraction = Fraction(0)
    """What a floor on probability left out; never hidden."""
    leaves: int = 0

    def chance(self, wanted: Callable[[T], bool]) -> Fraction:
        return Fraction(sum(weight for result, _, weight in self.ends if wanted(result)), self.whole)

    def by(self, read: Callable[[T], K]) -> dict[K, Fraction]:
        """The chance of each value of something read off the result."""
        found: defaultdict[K, int] = defaultdict(int)
        for result, _, weight in self.ends:
            found[read(result)] += weight
        return {key: Fraction(weight, self.whole) for key, weight in found.items()}

    @property
    def of(self) -> dict[T, Fraction]:
        """The chance of each result."""
        return cast(dict[T, Fraction], self.by(cast(Callable[[T], Hashable], lambda result: result)))

    def mean(self, worth: Callable[[T], int | Fraction]) -> Fraction:
        return sum((Fraction(weight, self.whole) * worth(result) for result, _, weight in self.ends), Fraction(0))


@dataclass
class _Job:
    """One call on one scene, being worked out."""

    call: Call[Any]
    state: State
    todo: list[tuple[Trail, int, int]] = field(default_factory=lambda: [((), 1, 1)])
    ends: defaultdict[tuple[Any, State, int], int] = field(default_factory=lambda: defaultdict(int))
    lost: Fraction = Fraction(0)
    leaves: int = 0

    def odds(self) -> Odds[Any]:
        whole = lcm(*{of for _, _, of in self.ends}) if self.ends else 1
        merged: defaultdict[tuple[Any, State], int] = defaultdict(int)
        for (result, state, of), top in self.ends.items():
            merged[result, state] += top * (whole // of)
        shared = gcd(whole, *merged.values())
        ends = tuple((result, state, weight // shared) for (result, state), weight in merged.items())
        return Odds(ends, whole // shared, self.lost, self.leaves)


@final
@dataclass
class Exact:
    """Works out odds. Decisions by policy; `floor` cuts off branches less likely than it and reports what was lost."""

    policy: Policy = by_default
    remember: bool = True
    floor: Fraction = Fraction(0)
    most_runs: int = MOST_RUNS
    runs: int = 0
    _known: dict[tuple[Call[Any], State], Odds[Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.floor:
            self.remember = False  # what is cut off depends on the way that led there

    def of(self, call: Call[T], state: State, trail: Trail = ()) -> Odds[T]:
        """The odds of a step, from its beginning or from where a trail has led."""
        if not trail and self.remember and (call, state) in self._known:
            return self._known[call, state]
        first = _Job(call, state, [(trail, 1, 1)])
        jobs = [first]
        while jobs:
            job = jobs[-1]
            if not job.todo:
                jobs.pop()
                if self.remember and not (job is first and trail):
                    self._known[job.call, job.state] = job.odds()
            elif (unknown := self._branch(job, len(trail) if job is first else 0)) is not None:
                if any(unknown == (other.call, other.state) for other in jobs):
                    raise TooLarge(f"{unknown[0]} calls itself on the same scene: repeat it as an encounter")
                jobs.append(_Job(*unknown))
        return first.odds()

    def _branch(self, job: _Job, given: int) -> tuple[Call[Any], State] | None:
        """Follow one branch to its end, leaving its siblings to do. Gives back a call that must be known first."""
        trail, top, of = job.todo.pop()
        if self.floor and Fraction(top, of) < self.floor:
            job.lost += Fraction(top, of)
            return None
        self.runs += 1
        if self.runs > self.most_runs:
            raise TooLarge(f"more than {self.most_runs} branches in {job.call}")
        # a trail given from outside was walked without pausing; what is ours pauses at every rule
        run = follow(job.call, job.state, trail[:given], pause_at_calls=self.remember and not given)
        run.pause_at_calls = self.remember
        for each in trail[given:]:
            each.onto(run)
        try:
            while not run.done:
                if run.at_call is not None:
                    asked = run.at_call, run.scene.state
                    if asked not in self._known:
                        job.todo.append((trail, top, of))
                        return asked
                    known = self._known[asked]
                    rows: Sequence[tuple[Any, int]] = [(Known(asked[0], r, s), w) for r, s, w in known.ends]
                    whole = known.whole
                else:
                    part = run.open[0]
                    rows, whole = self._rows(run.asking[part], part, run.scene)
                for item, weight in rows[1:]:
                    job.todo.append(((*trail, item), top * weight, of * whole))
                item, weight = rows[0]
                trail, top, of = (*trail, item), top * weight, of * whole
                if self.floor and Fraction(top, of) < self.floor:
                    job.lost += Fraction(top, of)
                    return None
                item.onto(run)
            job.ends[run.result, run.scene.state, of] += top
            job.leaves += 1
        finally:
            run.close()
        return None

    def _rows(self, question: Question[Any], part: int, scene: Scene) -> tuple[Sequence[tuple[Any, int]], int]:
        if isinstance(question, Chance):
            outcomes = question.outcomes()
            return [(Answered(question, part, o), w) for o, w in outcomes], sum(w for _, w in outcomes)
        if isinstance(question, Choice):
            return [(Answered(question, part, self.policy(question, scene)), 1)], 1
        raise TypeError(f"neither chance nor choice: {question}")

    def ends_of(self, encounter: Who[Any], state: State) -> dict[Hashable, Fraction]:
        """How an encounter ends, as exact fractions: its steps are a chain of scenes, standing still included."""
        rows = self._chain(encounter, state)
        ends: defaultdict[Hashable, Fraction] = defaultdict(Fraction)
        for end, chance in _absorbed(rows, state, lambda after: _over(encounter, after) is not None).items():
            ends[_over(encounter, end)] += chance
        return dict(ends)

    def _chain(self, encounter: Who[Any], state: State) -> dict[State, dict[State, Fraction]]:
        rows: dict[State, dict[State, Fraction]] = {}
        todo = [state]
        while todo:
            here = todo.pop()
            if here in rows or _over(encounter, here) is not None:
                continue
            if len(rows) >= MOST_SCENES:
                raise TooLarge(f"more than {MOST_SCENES} scenes can follow from this one; sample it instead")
            row: defaultdict[State, Fraction] = defaultdict(Fraction)
            odds = self.of(_value(encounter, here).next_step(Scene(here)), here)
            for _, after, weight in odds.ends:
                row[after] += Fraction(weight, odds.whole)
            rows[here] = dict(row)
            todo.extend(row)
        return rows


def _value(encounter: Who[Any], state: State) -> Encounter:
    value = Scene(state)[encounter]
    if not isinstance(value, Encounter):
        raise TypeError(f"{encounter} is no encounter")
    return value


def _over(encounter: Who[Any], state: State) -> Hashable | None:
    return _value(encounter, state).over(Scene(state))


def _absorbed(
    rows: dict[State, dict[State, Fraction]], start: State, ended: Callable[[State], bool]
) -> dict[State, Fraction]:
    """Where a chain ends: scenes are taken out one by one, each handing its ways on to those that led to it."""
    if ended(start):
        return {start: Fraction(1)}
    rows = {here: dict(row) for here, row in rows.items()}
    before: defaultdict[State, set[State]] = defaultdict(set)
    for here, row in rows.items():
        for after in row:
            before[after].add(here)
    for here in _inner_first(rows, start):
        row = _without_standing_still(rows.pop(here), here)
        for other in before.pop(here, set()):
            if other not in rows:
                continue
            share = rows[other].pop(here, None)
            if share is None:
                continue
            for after, chance in row.items():
                rows[other][after] = rows[other].get(after, Fraction(0)) + share * chance
                before[after].add(other)
    return _without_standing_still(rows[start], start)


def _inner_first(rows: Iterable[State], start: State) -> list[State]:
    return [here for here in reversed(list(rows)) if here != start]


def _without_standing_still(row: dict[State, Fraction], here: State) -> dict[State, Fraction]:
    stay = row.pop(here, Fraction(0))
    if stay == 1:
        raise TooLarge("the encounter can go on for ever without moving")
    return {after: chance / (1 - stay) for after, chance in row.items()} if stay else row
