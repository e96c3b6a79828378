"""The exact table: every outcome with its whole-number weight."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from math import gcd, lcm
from typing import Any, Final, TypeVar, TypeVarTuple, Unpack, cast, final

from referee.core.branches import LEFT_OUT, UNLIKELY, Changed
from referee.core.composed import End, KernelCalls
from referee.core.errors import BadAnswer, Cancelled, Endless, OutOfTime, RefereeError, Refused, TooLarge, TooLong
from referee.core.plain import frozen
from referee.core.questions import Chance, Choice, Choose, Question, Request, asked_by
from referee.core.replay import Answered, Changes, KnownResult, Refusal, Trail, changes_of, follow
from referee.core.rules import Call, Ends
from referee.core.run import Run
from referee.core.scene import EVERYTHING, Read, Scene, SealBroken, Sealed, State, Who
from referee.core.trace import RUNNING
from referee.drivers.call_odds import Asked, CallOdds, Odds, ResultOdds
from referee.drivers.kernels import outcome_count, outcomes
from referee.drivers.memory import MOST_SHARED, Memory, SharedOdds, as_named
from referee.drivers.policies import Policy, by_default, decided, is_by_name
from referee.drivers.stop import NEVER_STOP, Stop

T = TypeVar("T")
Ts = TypeVarTuple("Ts")

MOST_RUNS: Final = 2_000_000
NEVER: Final = Fraction(1, UNLIKELY)
LONGEST: Final = 1_000
"""The most questions one branch of a step may ask."""


@final
@dataclass(slots=True)
class _Branch:
    """How far a run has been followed, and its weight: `top` out of `of`."""

    trail: Trail = ()
    top: int = 1
    of: int = 1
    run: Run[Any] | None = None
    """The run itself, while it waits for a call to be known."""

    @property
    def chance(self) -> Fraction:
        return Fraction(self.top, self.of)

    def after(self, item: Answered | KnownResult, weight: int, whole: int) -> _Branch:
        return _Branch((*self.trail, item), self.top * weight, self.of * whole)

    def take(self, item: Answered | KnownResult, weight: int, whole: int) -> None:
        self.trail, self.top, self.of = (*self.trail, item), self.top * weight, self.of * whole

    def told_apart(self, seal: Sealed) -> list[_Branch] | None:
        """Once for each value that was sealed; None if it was sealed elsewhere."""
        at = next((at for at, item in enumerate(self.trail) if item is seal.by), None)
        if at is None:
            return None
        before, later = self.trail[:at], self.trail[at + 1 :]
        parts = seal.by.told_apart(seal.name)
        return [_Branch((*before, each, *later), self.top * each.whole, self.of * seal.by.whole) for each in parts]


@final
@frozen
class _Needed:
    """A call that must be known before a branch can be followed further."""

    call: Call[Any]
    state: State
    results_only: bool


@final
@dataclass
class _Job:
    """One call on one scene, in progress."""

    call: Call[Any]
    state: State
    given: Trail = ()
    results_only: bool = False
    """Whether what it changes does not matter, and neither do the consequences of its result."""
    is_from_trail: bool = False
    """Whether it does not begin at its beginning, so that it cannot be remembered."""
    todo: list[_Branch] = field(default_factory=lambda: [_Branch()])
    ends: defaultdict[tuple[Any, Changes, int], int] = field(default_factory=lambda: defaultdict(int))
    reads: set[Read] = field(default_factory=set)
    lost: Fraction = Fraction(0)
    leaves: int = 0
    sampled: frozenset[int] = frozenset()
    asked: Asked | None = field(default_factory=dict)
    """The decisions so far; None if they are not followed any more."""

    def decides(self, asked: Asked | None) -> None:
        """Decisions that what it comes to rests on."""
        if self.asked is not None and asked is not None:
            self.asked |= asked
        if asked is None or (self.asked is not None and len(self.asked) > MOST_SHARED):
            self.asked = None

    def rests_on(self, known: CallOdds) -> None:
        """What a call within it rests on, it rests on."""
        self.sampled |= known.sampled
        if known.asked is None or known.asked:
            self.decides(known.asked)

    def has_result(self, run: Run[Any]) -> bool:
        """Whether a run has come to all that matters of it."""
        return run.done or (self.results_only and run.result_stands)

    def end(self, result: Any, scene: Scene, branch: _Branch) -> None:
        """Take an end, in every way that values which nothing has read may turn out."""
        whole, ways = (1, (((), 1),)) if self.results_only else changes_of(scene)
        for changes, weight in ways:
            self.ends[result, changes, branch.of * whole] += branch.top * weight
            self.leaves += 1

    def end_with(self, known: CallOdds, run: Run[Any], branch: _Branch) -> None:
        """Take every end from the last rule: one that this one hands over to, or a consequence of its result."""
        self.rests_on(known)
        run.scene.note_reads(known.reads)
        whole, ways = (1, (((), 1),)) if self.results_only else changes_of(run.scene)
        of = branch.of * whole * known.whole
        for before, weight in ways:
            after = dict[Changes, Changes]()
            for found, changes, times in known.rows:
                is_refusal = isinstance(found, Refusal)
                result = found if run.read is None or is_refusal else run.read(found)
                stands = run.at_consequence and not is_refusal
                if changes not in after:
                    both = tuple(sorted((dict(before) | dict(changes)).items())) if before else changes
                    after[changes] = () if self.results_only else both
                self.ends[run.result if stands else result, after[changes], of] += branch.top * weight * times
                self.leaves += 1
        if known.left_out:
            self.lost += branch.chance * Fraction(known.left_out, known.whole)

    def end_all(self, rows: Ends[Any], reads: set[Read]) -> None:
        """Take every end from a kernel, together with what it read."""
        ends = list(rows)
        whole = sum(ways for _, _, ways in ends)
        if not whole or any(ways < 0 for _, _, ways in ends):
            raise ValueError(f"the kernel of {self.call} weighs its ends {[ways for _, _, ways in ends]}")
        in_order = dict[Any, Changes]()
        for result, to, ways in ends:
            if result is LEFT_OUT:
                self.lost += Fraction(ways, whole)
            elif ways:
                if id(to) not in in_order:
                    changes = tuple(sorted((who.name, value) for who, value in to))
                    in_order[id(to)] = () if self.results_only else changes
                self.ends[result, in_order[id(to)], whole] += ways
                self.leaves += 1
        self.todo, self.reads = [], reads

    def open(self, seal: Sealed) -> bool:
        """Tell the current branch apart by a value that was read; False if it was not this job that sealed it."""
        branch = self.todo[-1]
        parts = branch.told_apart(seal)
        if branch.run is not None:
            branch.run.close()
        if parts is not None:
            self.todo[-1:] = parts
        return parts is not None

    def worked(self) -> CallOdds:
        """Equal ends become one. A value that was read and left as it was is not a change."""
        whole = lcm(*{of for _, _, of in self.ends}) if self.ends else 1
        merged: defaultdict[tuple[Any, Changes], int] = defaultdict(int)
        made = dict[Changes, Changes]()
        for (result, changes, of), top in self.ends.items():
            if changes not in made:
                made[changes] = tuple(each for each in changes if not self._is_as_it_was(*each))
            merged[result, made[changes]] += top * (whole // of)
        shared = gcd(whole, *merged.values())
        rows = tuple((result, changes, weight // shared) for (result, changes), weight in merged.items())
        reads = tuple(sorted(self.reads, key=str))
        return CallOdds(rows, whole // shared, reads, self.lost, self.leaves, self.sampled, self.asked)

    def _is_as_it_was(self, name: str, value: Hashable | None) -> bool:
        return (name in self.reads or EVERYTHING in self.reads) and self.state.get(name) == value


class _NotOnTrail(RefereeError):
    """A kernel does not ask what was asked, so the rule is played."""


@final
class _CallsOnTrail(KernelCalls):
    """Decides for the kernel of a rule that has begun: the answers that were given come first, in their order.

    An answer that was given is to one question, so a kernel must not ask once for all that look alike. If it asks a
    second time what was answered, nobody knows whether it means the same question: the rule is played.
    """

    def __init__(self, exact: Exact, later: KernelCalls, given: Trail) -> None:
        super().__init__(later)
        self._exact, self._later, self._answered = exact, later, list[object]()
        self._go_on(given)

    def _go_on(self, left: Trail) -> None:
        self.left = left
        self.by_name = self._later.by_name and not left

    def __call__(self, question: Request[T], scene: Scene) -> T:
        if question in self._answered:
            raise _NotOnTrail
        if not self.left:
            return self._later(question, scene)
        if isinstance(question, Choose) and question.is_no_choice:
            return cast(T, question.options[0])
        first = self.left[0]
        if not isinstance(first, Answered) or first.part or first.question != question:
            raise _NotOnTrail
        self._answered.append(question)
        self._go_on(self.left[1:])
        return cast(T, first.answer)

    def known(self, work: Callable[[Scene, KernelCalls, Unpack[Ts]], T], scene: Scene, *args: *Ts) -> T:
        """What was worked out before does not count as long as answers are left."""
        return work(scene, self, *args) if self.left else self._later.known(work, scene, *args)

    def ends(self, call: Call[T], scene: Scene) -> list[End[T]]:
        """As long as answers are left, the ends of a rule that has begun too."""
        return self._begun(scene, call) if self.left else self._later.ends(call, scene)

    def _begun(self, scene: Scene, call: Call[Any]) -> list[End[Any]]:
        """The ends of another rule on the way; where the trail goes further, it is the one that was come to."""
        known, used = self._exact.from_trail(call, scene.state, self.left)
        if known.sampled or any(isinstance(result, Refusal) for result, _, _ in known.rows):
            raise _NotOnTrail
        self._go_on(self.left[used:])
        scene.note_reads(known.reads)
        rows = [(each, _by_name(changes), ways, known.whole) for each, changes, ways in known.rows]
        return [*rows, (LEFT_OUT, (), known.left_out, known.whole)] if known.left_out else rows


def _by_name(changes: Changes) -> Changed:
    return tuple([(Who(name, object), value) for name, value in changes])


@final
@dataclass
class Exact:
    """Computes odds. Decisions are by policy; `floor` cuts off less likely branches and reports what was lost.

    One question may take `most_runs` runs of rules, and `seconds` if given; it is given up at `stop` in any case.
    Without `kernels` everything is played, die by die; so are sub-rules if nothing is remembered. With `plays`, rules
    that would take too long are sampled in so many plays, once for all that needs them, and the odds say so. With
    `by_bands`, an outline may stand in for a kernel: of its results only some parts can be read (`NotKept`).
    """

    policy: Policy = by_default
    remember: bool = True
    floor: Fraction = Fraction(0)
    most_runs: int = MOST_RUNS
    runs: int = 0
    """How many runs it has taken so far, for all questions."""
    kernels: bool = True
    by_bands: bool = False
    plays: int = 0
    seconds: float | None = None
    stop: Stop = NEVER_STOP
    shared: SharedOdds | None = None
    """What drivers with other policies know."""
    _last_run: int = 0
    _decisions: int = 0
    _noted: Asked = field(default_factory=dict)
    """What the kernel that works now has asked."""
    _samples: int = 0
    """How many rules were sampled so far."""
    _stop: Stop = NEVER_STOP
    _memory: Memory[CallOdds] = field(default_factory=Memory[CallOdds])
    _results: Memory[CallOdds] = field(default_factory=Memory[CallOdds])
    """What is known by its results only."""
    _calls: KernelCalls = field(init=False)

    def __post_init__(self) -> None:
        self._calls = KernelCalls(self._decided)
        self._calls.by_name = self.shared is not None or is_by_name(self.policy)
        if self.floor:
            self.remember = False  # what is cut off depends on the way that led there

    def of(self, call: Call[T], state: State, trail: Trail = ()) -> Odds[T]:
        """The odds of a step, from its beginning or from the end of a trail: results, and the scenes after them."""
        return self.worked(call, state, trail).odds(state)

    def results(self, call: Call[T], state: State, trail: Trail = ()) -> ResultOdds[T]:
        """The odds of the results alone: the consequences of a result that stands are not played."""
        worked = self.worked(call, state, trail, results_only=True)
        found = worked.results()
        return replace(found, samples=self.plays // len(worked.sampled)) if worked.sampled else found

    def worked(self, call: Call[T], state: State, trail: Trail = (), *, results_only: bool = False) -> CallOdds:
        """The odds of a call: of every rule it needs first, and then of itself, on a stack of its own."""
        if not trail and (known := self._recall(call, state, results_only=results_only)) is not None:
            return known
        self._last_run = self.runs + self.most_runs
        self._stop = self.stop.within(self.seconds)
        results_only &= self.remember
        if trail and self.remember and all(isinstance(each, Answered) for each in trail):
            first, _ = self._from_trail(call, state, trail, results_only=results_only)
        else:
            first = self._begun(call, state, trail, results_only=results_only)
        return self._finished(first)

    @property
    def kernel_calls(self) -> KernelCalls:
        """What kernels and outlines are given: it decides as this driver does."""
        return self._calls

    @cached_property
    def in_full(self) -> Exact:
        """The same without outlines, for whoever reads what they leave open."""
        found = Exact(self.policy, self.remember, self.floor, self.most_runs, kernels=self.kernels, plays=self.plays)
        found.seconds = self.seconds
        return found

    def _finished(self, first: _Job) -> CallOdds:
        """The odds of a job, after those of every call it needs."""
        jobs = [first]
        while first.todo or len(jobs) > 1:
            if not jobs[-1].todo:
                self._remember(jobs.pop())
                continue
            try:
                if (needed := self._branch(jobs[-1])) is not None:
                    jobs.append(self._begun_within(jobs, needed))
            except SealBroken as broken:
                self._open(jobs, broken)
        return self._remember(first)

    def _from_trail(self, call: Call[Any], state: State, given: Trail, *, results_only: bool) -> tuple[_Job, int]:
        """A call whose first answers are given, and how many of them it has used.

        They are followed rule by rule: where they end inside a sub-rule, its results are merged before the caller
        goes on.
        """
        self._stop.check()
        job, used = _Job(call, state, results_only=results_only, is_from_trail=True), 0
        if self._is_known_by_kernel(job, given):
            return job, len(given)
        self.runs += 1
        scene, branch = Scene(state, job.reads), _Branch()
        run: Run[Any] | None = None
        try:
            run = Run(scene, call, pause_at_calls=True, silent=True)
            while used < len(given) and not job.has_result(run):
                item: Any = given[used]
                if run.at_call is None:
                    used += 1
                else:
                    tail = results_only and run.hands_over and run.depth == 1
                    within, more = self._from_trail(run.at_call, run.scene.state, given[used:], results_only=tail)
                    known, used = self._finished(within), used + more
                    if tail or (run.ends_here and used == len(given)):
                        job.end_with(known, run, branch)
                        job.todo = []
                        return job, used
                    job.rests_on(known)
                    rows, whole = known.every_way(run.at_call, is_consequence=run.at_consequence)
                    if used == len(given):
                        job.lost += Fraction(known.left_out, whole)
                        job.todo = [branch.after(row, row.whole, whole) for row in rows]
                        return job, used
                    (item,) = rows
                branch.take(item, 1, 1)
                item.onto(run)
            if job.has_result(run):
                job.end(run.result, run.scene, branch)
                job.todo = []
            else:
                job.todo = [branch]
        except BadAnswer:
            raise
        except Refused as why:
            job.end(Refusal(why.with_traceback(None)), scene, branch)
            job.todo = []
        finally:
            if run is not None:
                run.close()
        return job, used

    def from_trail(self, call: Call[Any], state: State, given: Trail) -> tuple[CallOdds, int]:
        """The odds of a call whose first answers are given, and how many of them it has used."""
        job, used = self._from_trail(call, state, given, results_only=False)
        return self._finished(job), used

    def _is_known_by_kernel(self, job: _Job, given: Trail) -> bool:
        """Whether a kernel tells what comes of a rule that has begun: it asks the same, and gets these answers."""
        if not self.kernels or (job.call.rule.kernel is None and job.call.rule.outline is None):
            return False
        rule, outlined = job.call.rule, job.results_only and self.by_bands and job.call.rule.outline is not None
        for ends in (rule.outlined, rule.ends) if outlined else (rule.ends,):
            calls, reads = _CallsOnTrail(self, self._calls, given), set[Read]()
            try:
                rows = ends(Scene(job.state, reads), calls, job.call.args)
            except (Cancelled, OutOfTime):
                raise
            except RefereeError:
                continue
            if rows is not None and not calls.left:
                job.end_all(rows, reads)
                return True
        return False

    def ends_of(self, encounter: Any, state: State) -> dict[Hashable, Fraction]:
        from referee.drivers.chain import ends_of

        return ends_of(encounter, state, self).of

    def _recall(self, call: Call[Any], state: State, *, results_only: bool) -> CallOdds | None:
        if results_only and (known := self._results.recall(call, state)) is not None:
            return known
        if (known := self._memory.recall(call, state)) is not None or not self.remember:
            return known
        if self.shared is not None:
            known = self.shared.recall(call, state, self.policy, results_only=results_only)
            if known is not None:
                (self._results if results_only else self._memory).keep(call, state, known.reads, known)
        return known

    def _begun(self, call: Call[Any], state: State, trail: Trail = (), *, results_only: bool = False) -> _Job:
        """A call to compute; where a kernel has done it, nothing is left to do.

        If a kernel refuses, or its own limits are too narrow, the rule is played and says so itself.
        """
        job = _Job(call, state, trail, results_only)
        if self.kernels and self.remember and not trail:
            reads: set[Read] = set()
            shares, self._noted = self._calls.shares, {}
            try:
                outlined = results_only and self.by_bands
                rows = call.rule.outlined(Scene(state, reads), self._calls, call.args) if outlined else None
                if rows is None:
                    rows = call.rule.ends(Scene(state, reads), self._calls, call.args)
            except (Cancelled, OutOfTime):
                raise
            except TooLong:
                if not self.plays:
                    raise
                rows = call.rule.sampled(Scene(state, reads), self._calls, self.plays, call.args)
                if rows is not None:
                    self._samples += 1
                    job.sampled = frozenset({self._samples})
            except RefereeError:
                rows = None
            if rows is not None:
                job.end_all(rows, reads)
                job.decides(self._noted if self._calls.shares == shares else None)
        return job

    def _begun_within(self, jobs: Sequence[_Job], needed: _Needed) -> _Job:
        call, state = needed.call, needed.state
        if len(jobs) > LONGEST or any((call, state) == (other.call, other.state) for other in jobs):
            raise TooLarge(f"{call} calls itself on the same scene: repeat it as an encounter")
        return self._begun(call, state, results_only=needed.results_only)

    def _open(self, jobs: list[_Job], broken: SealBroken) -> None:
        """A sealed value was read: the job that sealed it tells its branch apart, and begins again what it needs."""
        while jobs and not jobs[-1].open(broken.seal):
            jobs.pop()
        if not jobs:
            raise broken

    def _remember(self, job: _Job) -> CallOdds:
        worked = job.worked()
        if self.remember and not job.given and not job.is_from_trail:
            memory = self._results if job.results_only else self._memory
            memory.keep(job.call, job.state, worked.reads, worked)
            if self.shared is not None:
                self.shared.keep(job.call, job.state, worked, results_only=job.results_only)
        return worked

    def _branch(self, job: _Job) -> _Needed | None:
        """Follow one branch to its end, as far as it is known, and leave its siblings for later."""
        branch = job.todo.pop()
        self._stop.check()
        run, branch.run = branch.run, None
        scene = Scene(job.state, job.reads) if run is None else run.scene
        try:
            if run is None:
                self.runs += 1
                if self.runs > self._last_run:
                    raise self._too_large(job)
                run = follow(job.call, scene, job.given, branch.trail, pause_at_calls=self.remember)
            return self._followed(job, run, branch)
        except SealBroken:
            job.todo.append(branch)
            raise
        except BadAnswer:
            raise  # the policy is at fault, and no rule can catch that
        except Endless:
            raise self._too_large(job) from None
        except Refused as why:
            job.end(Refusal(why.with_traceback(None)), scene, branch)
        finally:
            if run is not None and branch.run is None:
                run.close()
        return None

    def _followed(self, job: _Job, run: Run[Any], branch: _Branch) -> _Needed | None:
        rows: Sequence[tuple[Any, int]]
        while not job.has_result(run):
            if len(branch.trail) > LONGEST:
                raise self._too_large(job)
            if self._is_cut_off(run, branch):
                job.lost += branch.chance
                return None
            if run.at_call is not None:
                tail = job.results_only and run.hands_over and run.depth == 1
                known = self._recall(run.at_call, run.scene.state, results_only=tail)
                if known is None:
                    branch.run = run
                    job.todo.append(branch)
                    return _Needed(run.at_call, run.scene.state, tail)
                if tail or run.ends_here:
                    job.end_with(known, run, branch)
                    return None
                job.rests_on(known)
                rows, whole, left_out = *known.from_here(run.at_call, run), known.left_out
            else:
                rows, whole, left_out = self._rows(run, job)
            if left_out:
                job.lost += branch.chance * Fraction(left_out, whole)
            job.todo += [branch.after(item, weight, whole) for item, weight in rows[1:]]
            item, weight = rows[0]
            branch.take(item, weight, whole)
            item.onto(run)
        job.end(run.result, run.scene, branch)
        return None

    def _is_cut_off(self, run: Run[Any], branch: _Branch) -> bool:
        least = self.floor or (NEVER if run.repeats is not None else 0)
        return bool(least) and branch.chance < least

    def _too_large(self, job: _Job) -> TooLarge:
        return TooLarge(f"{job.call} has too many branches; a chain without an end needs a floor, or an encounter")

    def _rows(self, run: Run[Any], job: _Job) -> tuple[Sequence[tuple[Any, int]], int, int]:
        """The ways to answer an open question: all outcomes of chance, or the one the policy decides.

        With them the number of all ways, and of those left out because a die is thrown again too often.
        """
        part = run.open[0]
        question = run.asking[part]
        if isinstance(question, Chance):
            self._stop.check_time_for(outcome_count(question))
            rows = outcomes(question) if self.kernels else question.outcomes()
            left_out = question.left_out
            return [(Answered(question, part, o), w) for o, w in rows], sum(w for _, w in rows) + left_out, left_out
        answer = decided(self.policy, question, run.scene)
        if self.shared is not None:
            choice = cast(Choice[Any], question)
            job.decides({as_named(choice, answer): (choice, answer)})
        return [(Answered(question, part, answer), 1)], 1, 0

    def _decided(self, question: Request[T], scene: Scene) -> T:
        """The policy's answer to a choice that a kernel asks; as in a run, a choice with one option is not asked."""
        if not self._decisions % 8:  # asking for the time takes longer than most decisions
            self._stop.check()
        self._decisions += 1
        if isinstance(question, Choose) and question.is_no_choice:
            return cast(T, question.options[0])
        asked = cast(Question[Any], question)
        answer = decided(self.policy, asked_by(asked, RUNNING.rule.cites) if RUNNING.rule else asked, scene)
        if self.shared is not None:
            choice = cast(Choice[Any], question)
            self._noted[as_named(choice, answer)] = choice, answer
        return cast(T, answer)
