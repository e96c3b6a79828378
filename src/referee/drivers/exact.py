"""The exact table: every outcome with its whole-number weight.

A coroutine cannot be copied, so each branch runs the rule again on the answers that led to it, with a check that it
asks the same. A rule already worked out is not run again where all it had read is as it was: its results, and what it
changed, are remembered.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import gcd, lcm
from typing import Any, Final, Generic, TypeAlias, TypeVar, cast, final

from referee.core.errors import Refused, ReplayMismatch, TooLarge
from referee.core.questions import Chance, Question
from referee.core.rules import Call, Rule
from referee.core.run import Run
from referee.core.scene import EVERYTHING, Scene, State
from referee.drivers.policies import Policy, by_default, decided

T = TypeVar("T")
K = TypeVar("K", bound=Hashable)

MOST_RUNS: Final = 2_000_000
NEVER: Final = Fraction(1, 10**12)
"""A chain of starting over that changes the scene each time is left when it is less likely than this."""
LONGEST: Final = 1_000
"""The most questions one branch of a step may ask."""

Changes: TypeAlias = tuple[tuple[str, Hashable | None], ...]
"""Names with the values they are left with."""


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
    """A rule that was not run again: its result, what it changes, and what it would have read."""

    call: Call[Any]
    result: Any
    changes: Changes
    reads: tuple[str, ...] = field(compare=False)

    def onto(self, run: Run[Any]) -> None:
        if run.at_call != self.call:
            raise ReplayMismatch(self.call, run.at_call or run.asking)
        for name in self.reads:
            run.scene.read(name)
        run.know(self.result, self.changes)


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
        before = run.scene.state
        for name in {**before, **self.to}:
            if before.get(name) is not self.to.get(name):
                run.scene.write(name, self.to.get(name))


Trail: TypeAlias = tuple[Answered | Known | Entered | Moved, ...]
"""How a run came to where it is."""


def follow(call: Call[T], scene: Scene, given: Trail, trail: Trail = (), *, pause_at_calls: bool = True) -> Run[T]:
    """Run a step again along a trail. What was `given` from outside was walked without pausing at rules."""
    run = Run(scene, call, pause_at_calls=pause_at_calls and not given)
    for each in given:
        each.onto(run)
    run.pause_at_calls = pause_at_calls
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
        """The chance that something holds of the result."""
        return Fraction(sum(weight for result, _, weight in self.ends if wanted(result)), self.whole)

    def by(self, read: Callable[[T], K]) -> dict[K, Fraction]:
        """The chance of each value of something read off the result."""
        return self.by_end(lambda result, _: read(result))

    def by_end(self, read: Callable[[T, Scene], K]) -> dict[K, Fraction]:
        """The chance of each value of something read off the result and the scene after it."""
        found: defaultdict[K, int] = defaultdict(int)
        for result, state, weight in self.ends:
            found[read(result, Scene(state))] += weight
        return {key: Fraction(weight, self.whole) for key, weight in found.items()}

    @property
    def of(self) -> dict[T, Fraction]:
        """The chance of each result."""
        return cast(dict[T, Fraction], self.by(cast(Callable[[T], Hashable], lambda result: result)))

    def mean(self, worth: Callable[[T], int | Fraction]) -> Fraction:
        return sum((Fraction(weight, self.whole) * worth(result) for result, _, weight in self.ends), Fraction(0))


@final
@dataclass(frozen=True)
class Worked:
    """A call worked out: its results with what each changes, and everything it read on the way."""

    rows: tuple[tuple[Any, Changes, int], ...]
    whole: int
    reads: tuple[str, ...]
    lost: Fraction
    leaves: int

    def known(self, call: Call[Any]) -> list[tuple[Known, int]]:
        return [(Known(call, result, changes, self.reads), weight) for result, changes, weight in self.rows]

    def odds(self, state: State) -> Odds[Any]:
        """Every end once: what was set to what it was may come to the same as what was left alone."""
        ends: defaultdict[tuple[Any, State], int] = defaultdict(int)
        for result, changes, weight in self.rows:
            ends[result, _changed(state, changes)] += weight
        found = tuple((result, after, weight) for (result, after), weight in ends.items())
        return Odds(found, self.whole, self.lost, self.leaves)


@dataclass
class _Job:
    """One call on one scene, being worked out."""

    call: Call[Any]
    state: State
    given: Trail = ()
    todo: list[tuple[Trail, int, int]] = field(default_factory=lambda: [((), 1, 1)])
    ends: defaultdict[tuple[Any, Changes, int], int] = field(default_factory=lambda: defaultdict(int))
    reads: set[str] = field(default_factory=set)
    lost: Fraction = Fraction(0)
    leaves: int = 0

    def run(self, trail: Trail, *, pause_at_calls: bool) -> Run[Any]:
        return follow(self.call, Scene(self.state, self.reads), self.given, trail, pause_at_calls=pause_at_calls)

    def end(self, run: Run[Any], top: int, of: int) -> None:
        changes = tuple(sorted((name, run.scene.state.get(name)) for name in run.scene.written))
        self.ends[run.result, changes, of] += top
        self.leaves += 1

    def worked(self) -> Worked:
        """Ends that come to the same are one. A value read and then left as it was is no change."""
        whole = lcm(*{of for _, _, of in self.ends}) if self.ends else 1
        merged: defaultdict[tuple[Any, Changes], int] = defaultdict(int)
        for (result, changes, of), top in self.ends.items():
            merged[result, tuple(each for each in changes if not self._is_as_it_was(*each))] += top * (whole // of)
        shared = gcd(whole, *merged.values())
        rows = tuple((result, changes, weight // shared) for (result, changes), weight in merged.items())
        return Worked(rows, whole // shared, tuple(sorted(self.reads)), self.lost, self.leaves)

    def _is_as_it_was(self, name: str, value: Hashable | None) -> bool:
        return (name in self.reads or EVERYTHING in self.reads) and self.state.get(name) == value


@final
@dataclass
class Exact:
    """Works out odds. Decisions by policy; `floor` cuts off branches less likely than it and reports what was lost."""

    policy: Policy = by_default
    remember: bool = True
    floor: Fraction = Fraction(0)
    most_runs: int = MOST_RUNS
    runs: int = 0
    _refusing: set[Rule[..., Any]] = field(default_factory=set)
    _memory: dict[Call[Any], list[tuple[tuple[str, ...], dict[Any, Worked]]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.floor:
            self.remember = False  # what is cut off depends on the way that led there

    def of(self, call: Call[T], state: State, trail: Trail = ()) -> Odds[T]:
        """The odds of a step, from its beginning or from where a trail has led."""
        return self.worked(call, state, trail).odds(state)

    def worked(self, call: Call[T], state: State, trail: Trail = ()) -> Worked:
        """A call worked out: itself, and first every rule it needs to know, on a stack of its own."""
        first = _Job(call, state, trail)
        if not trail and (known := self._recalled(call, state)) is not None:
            return known
        jobs = [first]
        while jobs[0].todo or len(jobs) > 1:
            job = jobs[-1]
            if not job.todo:
                self._remember(jobs.pop())
            elif (unknown := self._branch_of(job, jobs)) is not None:
                if any(unknown == (other.call, other.state) for other in jobs):
                    raise TooLarge(f"{unknown[0]} calls itself on the same scene: repeat it as an encounter")
                jobs.append(_Job(*unknown))
        return self._remember(first)

    def ends_of(self, encounter: Any, state: State) -> dict[Hashable, Fraction]:
        from referee.drivers.chain import ends_of

        return ends_of(encounter, state, self).of

    def _recalled(self, call: Call[Any], state: State) -> Worked | None:
        """What is remembered of a call, if all it read then is as it was."""
        for reads, known in self._memory.get(call, ()):
            if (found := known.get(state.at(reads))) is not None:
                return found
        return None

    def _remember(self, job: _Job) -> Worked:
        worked = job.worked()
        if self.remember and not job.given:
            kept = self._memory.setdefault(job.call, [])
            known = next((known for reads, known in kept if reads == worked.reads), None)
            if known is None:
                known = {}
                kept.append((worked.reads, known))
            known[job.state.at(worked.reads)] = worked
        return worked

    def _branch_of(self, job: _Job, jobs: list[_Job]) -> tuple[Call[Any], State] | None:
        """A branch of the innermost job. A rule that refuses is run within its caller, which may catch the refusal."""
        try:
            return self._branch(job)
        except Refused:
            if len(jobs) == 1:
                raise
            self._refusing.add(jobs.pop().call.rule)
        return None

    def _branch(self, job: _Job) -> tuple[Call[Any], State] | None:
        """Follow one branch to its end, leaving its siblings to do. Gives back a call that must be known first."""
        trail, top, of = job.todo.pop()
        rows: Sequence[tuple[Any, int]]
        self.runs += 1
        if self.runs > self.most_runs:
            raise self._too_large(job)
        run = job.run(trail, pause_at_calls=self.remember)
        try:
            while not run.done:
                if len(trail) > LONGEST:
                    raise self._too_large(job)
                if Fraction(top, of) < (self.floor or (NEVER if run.repeats is not None else 0)):
                    job.lost += Fraction(top, of)
                    return None
                if run.at_call is not None and run.at_call.rule in self._refusing:
                    rows, whole = [(Entered(), 1)], 1
                elif run.at_call is not None:
                    known = self._recalled(run.at_call, run.scene.state)
                    if known is None:
                        job.todo.append((trail, top, of))
                        return run.at_call, run.scene.state
                    rows = known.known(run.at_call)
                    lost = known.whole - sum(weight for _, weight in rows)
                    if run.repeats is not None:
                        rows = [(item, w) for item, w in rows if item.result is not None or item.changes]
                        if not rows:
                            raise TooLarge(f"{run.at_call} never settles anything")
                    whole = lost + sum(weight for _, weight in rows)
                    job.lost += Fraction(top * lost, of * whole)
                else:
                    rows, whole = self._rows(run)
                job.todo += (((*trail, item), top * weight, of * whole) for item, weight in rows[1:])
                item, weight = rows[0]
                trail, top, of = (*trail, item), top * weight, of * whole
                item.onto(run)
            job.end(run, top, of)
        finally:
            run.close()
        return None

    def _too_large(self, job: _Job) -> TooLarge:
        return TooLarge(f"{job.call} has too many branches; a chain without an end needs a floor, or an encounter")

    def _rows(self, run: Run[Any]) -> tuple[Sequence[tuple[Any, int]], int]:
        """The ways an open question can be answered: all of them by chance, one by policy."""
        part = run.open[0]
        question = run.asking[part]
        if isinstance(question, Chance):
            outcomes = question.outcomes()
            return [(Answered(question, part, o), w) for o, w in outcomes], sum(w for _, w in outcomes)
        return [(Answered(question, part, decided(self.policy, question, run.scene)), 1)], 1


def _changed(state: State, changes: Changes) -> State:
    for name, value in changes:
        state = state.but(name, value)
    return state
