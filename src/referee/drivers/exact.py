"""The exact table: every outcome with its whole-number weight."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from math import gcd, lcm
from typing import Any, Final, Generic, TypeVar, cast, final

from referee.core.errors import Cancelled, OutOfTime, RefereeError, Refused, TooLarge
from referee.core.questions import Chance, Choose, Question, Request
from referee.core.replay import Answered, Changes, Entered, KnownResult, Trail, changes_of, follow
from referee.core.rules import LEFT_OUT, Call, Ends, Rule
from referee.core.run import Run
from referee.core.scene import EVERYTHING, Scene, State
from referee.drivers.kernels import outcomes
from referee.drivers.policies import Policy, by_default, decided
from referee.drivers.stop import NEVER_STOP, Stop

W = TypeVar("W")


@final
@dataclass
class Memory(Generic[W]):
    """By call, then by the names it read, then by the values they had."""

    _kept: dict[Call[Any], dict[tuple[str, ...], dict[tuple[Hashable | None, ...], W]]] = field(default_factory=dict)

    def recall(self, call: Call[Any], state: State) -> W | None:
        for reads, known in self._kept.get(call, {}).items():
            if (found := known.get(state.at(reads))) is not None:
                return found
        return None

    def keep(self, call: Call[Any], state: State, reads: tuple[str, ...], found: W) -> None:
        self._kept.setdefault(call, {}).setdefault(reads, {})[state.at(reads)] = found


T = TypeVar("T")
K = TypeVar("K", bound=Hashable)

MOST_RUNS: Final = 2_000_000
NEVER: Final = Fraction(1, 10**12)
"""A chain of starting over that changes the scene each time is cut off when it is less likely than this."""
LONGEST: Final = 1_000
"""The most questions one branch of a step may ask."""


@final
@dataclass(frozen=True)
class Odds(Generic[T]):
    """Every end of a step: its result and the scene after it, with a whole-number weight out of `whole`."""

    ends: tuple[tuple[T, State, int], ...]
    whole: int
    lost: Fraction = Fraction(0)
    """The weight that a floor on probability left out; it is never hidden."""
    leaves: int = 0

    def chance(self, wanted: Callable[[T], bool]) -> Fraction:
        """The chance that a condition holds for the result."""
        return Fraction(sum(weight for result, _, weight in self.ends if wanted(result)), self.whole)

    def by(self, read: Callable[[T], K]) -> dict[K, Fraction]:
        """The chance of each value of something read from the result."""
        return self.by_end(lambda result, _: read(result))

    def by_end(self, read: Callable[[T, Scene], K]) -> dict[K, Fraction]:
        """The chance of each value of something read from the result and the scene after it."""
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
class CallOdds:
    """The odds of one call: its results with what each changes, and everything it read on the way."""

    rows: tuple[tuple[Any, Changes, int], ...]
    whole: int
    reads: tuple[str, ...]
    lost: Fraction
    leaves: int

    def known(self, call: Call[Any]) -> list[tuple[KnownResult, int]]:
        return [(KnownResult(call, result, changes, self.reads), weight) for result, changes, weight in self.rows]

    @cached_property
    def left_out(self) -> int:
        """The weight in `whole` that belongs to no result."""
        return self.whole - sum(weight for _, _, weight in self.rows)

    def from_here(self, call: Call[Any], *, settled: bool) -> tuple[list[tuple[KnownResult, int]], int]:
        """How a run that has paused at the call continues.

        If it repeats until settled, passes that neither settle nor change anything are left out.
        """
        rows = [each for each in self.known(call) if not settled or each[0].result is not None or each[0].changes]
        if not rows:
            raise TooLarge(f"{call} never settles anything")
        return rows, self.left_out + sum(weight for _, weight in rows)

    def odds(self, state: State) -> Odds[Any]:
        """Every end once: a value set to what it already was may be the same end as one left alone."""
        ends: defaultdict[tuple[Any, State], int] = defaultdict(int)
        for result, changes, weight in self.rows:
            ends[result, state.after(changes)] += weight
        found = tuple((result, after, weight) for (result, after), weight in ends.items())
        return Odds(found, self.whole, self.lost, self.leaves)


@dataclass
class _Job:
    """One call on one scene, in progress."""

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
        changes = changes_of(run.scene)
        self.ends[run.result, changes, of] += top
        self.leaves += 1

    def end_with(self, known: CallOdds, scene: Scene, top: int, of: int) -> None:
        """Take every end from the rule that this one hands over to."""
        for name in known.reads:
            scene.read(name)
        before = {name: scene.state.get(name) for name in scene.written}
        for result, changes, weight in known.rows:
            self.ends[result, tuple(sorted((before | dict(changes)).items())), of * known.whole] += top * weight
        self.lost += Fraction(top * known.left_out, of * known.whole)
        self.leaves += len(known.rows)

    def end_all(self, rows: Ends[Any], reads: set[str]) -> None:
        """Take every end from a kernel, together with what it read."""
        ends = [(result, tuple(sorted((who.name, value) for who, value in to)), ways) for result, to, ways in rows]
        whole = sum(ways for _, _, ways in ends)
        if not whole or any(ways < 0 for _, _, ways in ends):
            raise ValueError(f"the kernel of {self.call} weighs its ends {[ways for _, _, ways in ends]}")
        for result, changes, ways in ends:
            if result is LEFT_OUT:
                self.lost += Fraction(ways, whole)
            elif ways:
                self.ends[result, changes, whole] += ways
                self.leaves += 1
        self.todo, self.reads = [], reads

    def worked(self) -> CallOdds:
        """Equal ends become one. A value that was read and left as it was is not a change."""
        whole = lcm(*{of for _, _, of in self.ends}) if self.ends else 1
        merged: defaultdict[tuple[Any, Changes], int] = defaultdict(int)
        for (result, changes, of), top in self.ends.items():
            merged[result, tuple(each for each in changes if not self._is_as_it_was(*each))] += top * (whole // of)
        shared = gcd(whole, *merged.values())
        rows = tuple((result, changes, weight // shared) for (result, changes), weight in merged.items())
        return CallOdds(rows, whole // shared, tuple(sorted(self.reads)), self.lost, self.leaves)

    def _is_as_it_was(self, name: str, value: Hashable | None) -> bool:
        return (name in self.reads or EVERYTHING in self.reads) and self.state.get(name) == value


@final
@dataclass
class Exact:
    """Computes odds. Decisions are by policy; `floor` cuts off less likely branches and reports what was lost.

    One question may take `most_runs` runs of rules, and `seconds` if given; it is given up at `stop` in any case.
    Without `kernels` everything is played, die by die; so are sub-rules if nothing is remembered.
    """

    policy: Policy = by_default
    remember: bool = True
    floor: Fraction = Fraction(0)
    most_runs: int = MOST_RUNS
    runs: int = 0
    """How many runs it has taken so far, for all questions."""
    kernels: bool = True
    seconds: float | None = None
    stop: Stop = NEVER_STOP
    _last_run: int = 0
    _stop: Stop = NEVER_STOP
    _refusing: set[Rule[..., Any]] = field(default_factory=set)
    _memory: Memory[CallOdds] = field(default_factory=Memory[CallOdds])

    def __post_init__(self) -> None:
        if self.floor:
            self.remember = False  # what is cut off depends on the way that led there

    def of(self, call: Call[T], state: State, trail: Trail = ()) -> Odds[T]:
        """The odds of a step, from its beginning or from the end of a trail."""
        return self.worked(call, state, trail).odds(state)

    def worked(self, call: Call[T], state: State, trail: Trail = ()) -> CallOdds:
        """The odds of a call: of every rule it needs first, and then of itself, on a stack of its own."""
        if not trail and (known := self._memory.recall(call, state)) is not None:
            return known
        self._last_run = self.runs + self.most_runs
        self._stop = self.stop.within(self.seconds)
        first = self._begun(call, state, trail)
        jobs = [first]
        while jobs[0].todo or len(jobs) > 1:
            job = jobs[-1]
            if not job.todo:
                self._remember(jobs.pop())
            elif (unknown := self._branch_of(job, jobs)) is not None:
                if any(unknown == (other.call, other.state) for other in jobs):
                    raise TooLarge(f"{unknown[0]} calls itself on the same scene: repeat it as an encounter")
                jobs.append(self._begun(*unknown))
        return self._remember(first)

    def ends_of(self, encounter: Any, state: State) -> dict[Hashable, Fraction]:
        from referee.drivers.chain import ends_of

        return ends_of(encounter, state, self).of

    def _begun(self, call: Call[Any], state: State, trail: Trail = ()) -> _Job:
        """A call to compute; where a kernel has done it, nothing is left to do.

        If a kernel refuses, or its own limits are too narrow, the rule is played and says so itself.
        """
        job = _Job(call, state, trail)
        if self.kernels and self.remember and not trail:
            reads: set[str] = set()
            try:
                rows = call.rule.ends(Scene(state, reads), self._decided, call.args)
            except (Cancelled, OutOfTime):
                raise
            except RefereeError:
                rows = None
            if rows is not None:
                job.end_all(rows, reads)
        return job

    def _remember(self, job: _Job) -> CallOdds:
        worked = job.worked()
        if self.remember and not job.given:
            self._memory.keep(job.call, job.state, worked.reads, worked)
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
        """Follow one branch to its end and leave its siblings for later. Returns a call that must be known first."""
        trail, top, of = job.todo.pop()
        rows: Sequence[tuple[Any, int]]
        self.runs += 1
        if self.runs > self._last_run:
            raise self._too_large(job)
        self._stop.check()
        run = job.run(trail, pause_at_calls=self.remember)
        try:
            while not run.done:
                if len(trail) > LONGEST:
                    raise self._too_large(job)
                least = self.floor or (NEVER if run.repeats is not None else 0)
                if least and Fraction(top, of) < least:
                    job.lost += Fraction(top, of)
                    return None
                if run.at_call is not None and run.at_call.rule in self._refusing:
                    rows, whole = [(Entered(), 1)], 1
                elif run.at_call is not None:
                    known = self._memory.recall(run.at_call, run.scene.state)
                    if known is None:
                        job.todo.append((trail, top, of))
                        return run.at_call, run.scene.state
                    if run.hands_over and run.depth == 1:
                        job.end_with(known, run.scene, top, of)
                        return None
                    rows, whole = known.from_here(run.at_call, settled=run.repeats is not None)
                    job.lost += Fraction(top * known.left_out, of * whole)
                else:
                    rows, whole, left_out = self._rows(run)
                    job.lost += Fraction(top * left_out, of * whole)
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

    def _rows(self, run: Run[Any]) -> tuple[Sequence[tuple[Any, int]], int, int]:
        """The ways to answer an open question: all outcomes of chance, or the one the policy decides.

        With them the number of all ways, and of those left out because a die is thrown again too often.
        """
        part = run.open[0]
        question = run.asking[part]
        if isinstance(question, Chance):
            rows = outcomes(question) if self.kernels else question.outcomes()
            left_out = question.left_out
            return [(Answered(question, part, o), w) for o, w in rows], sum(w for _, w in rows) + left_out, left_out
        return [(Answered(question, part, decided(self.policy, question, run.scene)), 1)], 1, 0

    def _decided(self, question: Request[T], scene: Scene) -> T:
        """The policy's answer to a choice that a kernel asks; as in a run, a choice with one option is not asked."""
        self._stop.check()
        if isinstance(question, Choose) and question.is_no_choice:
            return cast(T, question.options[0])
        return cast(T, decided(self.policy, cast(Question[Any], question), scene))
