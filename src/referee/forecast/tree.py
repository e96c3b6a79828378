"""All possible outcomes of a step, as a tree of chance, decisions and ends, evaluated from its ends back.

A tree is evaluated once for each policy to compare: the defaults, always this option, or the best, which is backward
induction on a stated worth.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Container, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any, Generic, TypeAlias, TypeVar, cast, final

from referee.core.branches import Branch, BranchEnd, ByChance, ByChoice
from referee.core.composed import KernelCalls
from referee.core.errors import Cancelled, OutOfTime, RefereeError, Refused, TooLarge, TooLong
from referee.core.questions import Chance, Choice, Choose, Question, Request, is_hidden, key_of
from referee.core.replay import Answered, Changes, KnownResult, Refusal, Trail, Way, follow
from referee.core.rules import Call, Rule
from referee.core.run import Run
from referee.core.scene import Read, Scene, SealBroken, State
from referee.drivers.call_odds import CallOdds
from referee.drivers.exact import LONGEST, MOST_RUNS, Exact
from referee.drivers.kernels import outcomes
from referee.drivers.memory import Memory
from referee.drivers.policies import Policy, by_default, decided
from referee.drivers.stop import NEVER_STOP, Stop
from referee.forecast.bands import Vector, mean


@final
@dataclass(frozen=True, slots=True)
class End:
    """A rule has ended: its result, and what it has changed."""

    result: Any
    changes: Changes

    def after(self, before: Changes) -> End:
        return End(self.result, _joined(before, self.changes)) if before else self


@final
@dataclass(frozen=True, slots=True, eq=False)
class Fate:
    """Chance: what follows, with whole-number weights. Branches cut off by a floor count only in `whole`."""

    rows: tuple[tuple[Tree, int], ...]
    whole: int


@final
@dataclass(frozen=True, slots=True, eq=False)
class Decision:
    """A choice by the one who decides, and what follows from each option."""

    question: Choice[Any]
    options: tuple[tuple[Any, Tree], ...]


@final
@dataclass(frozen=True, slots=True, eq=False)
class Then:
    """A sub-rule, and what follows from each of its ends."""

    first: Tree
    rest: Mapping[End, Tree]
    starts_over: bool = False
    """Whether the rule runs again after an end from which nothing follows."""


@final
@dataclass(frozen=True, slots=True, eq=False)
class After:
    """A rule that ends by calling another: what it has changed by then, and the tree of the other."""

    changes: Changes
    tree: Tree


Tree: TypeAlias = End | Fate | Decision | Then | After

Take: TypeAlias = Callable[[Decision], int]
"""Says which option of a decision is taken."""
Rank: TypeAlias = Callable[[Vector], Fraction]
"""How options are compared when the best is taken; of equal ones it is the cheapest, and then the first."""


def worth(vector: Vector) -> Fraction:
    return vector[0]


def by(policy: Policy) -> Take:
    """Decide by a policy that sees only the question."""
    nowhere = Scene({})

    def take(decision: Decision) -> int:
        wanted = decided(policy, decision.question, nowhere)
        return next(at for at, (option, _) in enumerate(decision.options) if option == wanted)

    return take


@final
@dataclass(frozen=True, slots=True)
class Point:
    """A decision as it comes up: how likely it is to be asked, and the value of each option."""

    question: Choice[Any]
    chance: Fraction
    options: tuple[tuple[Any, Vector], ...]
    taken: Any

    @property
    def best(self) -> tuple[Any, ...]:
        """Every option that is as good as the best."""
        top = max(worth(vector) for _, vector in self.options)
        return tuple(option for option, vector in self.options if worth(vector) == top)


@final
class Weighed:
    """A tree evaluated from its ends back; the value of an end is a vector of the given width.

    Decisions are made by `take`, or (None) the best by rank. A tree may occur in several places: its value depends on
    what was changed `before` it, and on nothing else.
    """

    def __init__(
        self,
        tree: Tree,
        width: int,
        of_end: Callable[[End], Vector],
        take: Take | None,
        rank: Rank = worth,
        stop: Stop = NEVER_STOP,
    ) -> None:
        self.tree = tree
        self.width = width
        self._of_end = of_end
        self._take = take
        self._rank = rank
        self._stop = stop
        self._known: dict[tuple[int, Changes], Vector] = {}
        self._taken: dict[tuple[int, Changes], int] = {}
        self._inner: dict[tuple[int, Changes], Weighed] = {}
        self.vector = self._of(tree, ())

    def _of(self, tree: Tree, before: Changes) -> Vector:
        found = self._known.get((id(tree), before))
        if found is None:
            found = self._known[id(tree), before] = self._weigh(tree, before)
        return found

    def _weigh(self, tree: Tree, before: Changes) -> Vector:
        self._stop.check()
        match tree:
            case End():
                return self._of_end(tree.after(before))
            case Fate():
                return mean([(self._of(child, before), weight) for child, weight in tree.rows], tree.whole)
            case After():
                return self._of(tree.tree, _joined(before, tree.changes))
            case Decision():
                at = self._taken[id(tree), before] = self._take(tree) if self._take else self._best(tree, before)
                return self._of(tree.options[at][1], before)
            case Then() if tree.starts_over:
                return self._settled(tree, before)
            case Then():
                inner = self._weighed(tree.first, self.width, lambda end: self._of(tree.rest[end], before))
                self._inner[id(tree), before] = inner
                return inner.vector

    def _weighed(self, tree: Tree, width: int, of_end: Callable[[End], Vector], rank: Rank = worth) -> Weighed:
        return Weighed(tree, width, of_end, self._take, rank, self._stop)

    def _best(self, tree: Decision, before: Changes) -> int:
        ranks = [(self._rank(self._of(child, before)), -price_of(tree.question, each)) for each, child in tree.options]
        return ranks.index(max(ranks))

    def _settled(self, tree: Then, before: Changes) -> Vector:
        """The value of a rule that starts over, given that it is settled in the end.

        For the best decisions, starting over is worth as much as the whole. The first round takes the choices that
        settle most often; each later round uses the worth found so far, until nothing improves. Every round improves
        the policy, and there are finitely many policies.
        """
        if self._take:
            return self._attempt(tree, before, Fraction(0), worth)
        found = self._attempt(tree, before, Fraction(0), lambda vector: -vector[-1])
        while worth(better := self._attempt(tree, before, worth(found), worth)) > worth(found):
            found = better
        return better

    def _attempt(self, tree: Then, before: Changes, again: Fraction, rank: Rank) -> Vector:
        """One round: a vector of what is ranked, then the value of an end, then whether it starts over."""

        def after(end: End) -> Vector:
            if end not in tree.rest:
                return (again, *(Fraction(0),) * self.width, Fraction(1))
            vector = self._of(tree.rest[end], before)
            return (vector[0], *vector, Fraction(0))

        inner = self._inner[id(tree), before] = self._weighed(tree.first, self.width + 2, after, rank)
        left = 1 - inner.vector[-1]
        if not left:
            raise TooLarge("what starts over is never settled this way")
        return tuple(each / left for each in inner.vector[1:-1])

    def points(self) -> list[Point]:
        """Every decision that comes up, with its chance, if everything is decided as it was in the evaluation."""
        found: list[Point] = []
        self._walk(self.tree, (), Fraction(1), found)
        return found

    def _walk(self, root: Tree, start: Changes, whole: Fraction, found: list[Point]) -> dict[End, Fraction]:
        """Walk down a tree as it was decided, to each place once; returns the chance of each of its ends."""
        ends: defaultdict[End, Fraction] = defaultdict(Fraction)
        chances: defaultdict[tuple[int, Changes], Fraction] = defaultdict(Fraction)
        chances[id(root), start] = whole
        for tree, before in self._in_order(root, start):
            self._stop.check()
            chance = chances[id(tree), before]
            match tree:
                case End():
                    ends[tree.after(before)] += chance
                case Fate():
                    for child, weight in tree.rows:
                        chances[id(child), before] += chance * Fraction(weight, tree.whole)
                case After():
                    chances[id(tree.tree), _joined(before, tree.changes)] += chance
                case Decision():
                    at = self._taken[id(tree), before]
                    options = tuple((option, self._of(child, before)) for option, child in tree.options)
                    found.append(Point(tree.question, chance, options, options[at][0]))
                    chances[id(tree.options[at][1]), before] += chance
                case Then():
                    for end, share in self._shares(tree, before, chance, found).items():
                        chances[id(tree.rest[end]), before] += share
        return ends

    def _shares(self, tree: Then, before: Changes, chance: Fraction, found: list[Point]) -> dict[End, Fraction]:
        """The chance of each end of a sub-rule from which something follows."""
        reached = self._inner[id(tree), before]._walk(tree.first, (), chance, found)
        settled = {end: each for end, each in reached.items() if end in tree.rest}
        if not tree.starts_over:
            return settled
        whole = sum(settled.values())
        return {end: each * chance / whole for end, each in settled.items()}

    def _in_order(self, root: Tree, start: Changes) -> list[tuple[Tree, Changes]]:
        """Every place that can be reached as it was decided, each after all that lead to it."""
        order: list[tuple[Tree, Changes]] = []
        seen: set[tuple[int, Changes]] = set()
        todo: list[tuple[Tree, Changes, bool]] = [(root, start, False)]
        while todo:
            tree, before, is_over = todo.pop()
            if is_over:
                order.append((tree, before))
            elif (id(tree), before) not in seen:
                seen.add((id(tree), before))
                todo.append((tree, before, True))
                todo += [(*each, False) for each in self._following(tree, before)]
        return order[::-1]

    def _following(self, tree: Tree, before: Changes) -> Iterator[tuple[Tree, Changes]]:
        match tree:
            case End():
                pass
            case Fate():
                yield from ((child, before) for child, _ in tree.rows)
            case After():
                yield tree.tree, _joined(before, tree.changes)
            case Decision():
                yield tree.options[self._taken[id(tree), before]][1], before
            case Then():
                yield from ((child, before) for child in tree.rest.values())


def _joined(before: Changes, changes: Changes) -> Changes:
    return tuple(sorted({**dict(before), **dict(changes)}.items())) if before else changes


def ends_of(tree: Tree) -> dict[End, None]:
    """Every end a tree can reach, each once."""
    found: dict[End, None] = {}
    todo: list[tuple[Tree, Changes]] = [(tree, ())]
    seen: set[tuple[int, Changes]] = set()
    while todo:
        here, before = todo.pop()
        if (id(here), before) in seen:
            continue
        seen.add((id(here), before))
        match here:
            case End():
                found[here.after(before)] = None
            case Fate():
                todo.extend((child, before) for child, _ in here.rows)
            case Decision():
                todo.extend((child, before) for _, child in here.options)
            case Then():
                todo.extend((child, before) for child in here.rest.values())
            case After():
                todo.append((here.tree, _joined(before, here.changes)))
    return found


def decisions_of(*trees: Tree) -> dict[str, dict[str, None]]:
    """The decisions that may come up, nearest first, each with the options that are not its default.

    Options of which no single question offers all come from chance (which of the cards drawn): no one can decide
    beforehand to always take one of them.
    """
    found = OfferedDecisions()
    todo, seen = deque(trees), set[int]()
    while todo:
        here = todo.popleft()
        if id(here) in seen:
            continue
        seen.add(id(here))
        match here:
            case End():
                continue
            case Fate():
                todo.extend(child for child, _ in here.rows)
            case Decision():
                found.note(here.question)
                todo.extend(child for _, child in here.options)
            case Then():
                todo.extend((here.first, *here.rest.values()))
            case After():
                todo.append(here.tree)
    return {prompt: options for prompt, options in found.items() if found.is_offered_whole(prompt)}


def price_of(question: Choice[Any], option: object) -> int:
    """How dear an option is: of options that are worth the same, the cheapest is taken."""
    return question.price(option) if isinstance(question, Choose) else 0


@final
class OfferedDecisions(dict[str, dict[str, None]]):
    """Decisions that came up, by prompt, each with the options that are not its default."""

    def __init__(self) -> None:
        super().__init__()
        self._most: dict[str, int] = {}
        """How many of them one question has offered at most."""

    def note(self, question: Choice[Any]) -> None:
        """Add the options of one more question to those of its decision."""
        prompt = str(question.name)
        options = [key_of(option) for option in question.legal if option != question.default]
        self.setdefault(prompt, {}).update(dict.fromkeys(options))
        self._most[prompt] = max(self._most.get(prompt, 0), len(options))

    def is_offered_whole(self, prompt: str) -> bool:
        """Whether one question has offered all its options: otherwise they come from chance, as cards drawn do."""
        return len(self[prompt]) <= self._most[prompt]


T = TypeVar("T")
A = TypeVar("A")


class _Decides(Exception):
    """Someone decides inside this rule, so it has no fixed distribution."""


@final
@dataclass(frozen=True, slots=True)
class _Growth:
    """A rule whose tree is growing, and what it has read so far."""

    call: Call[Any]
    state: State
    given: Trail = ()
    results_only: bool = False
    """Whether only its result matters: not what it changes, and not the consequences of the result."""
    may_refuse: bool = False
    """Whether a caller may catch what it refuses."""
    reads: set[Read] = field(default_factory=set)


_Grown: TypeAlias = tuple[Tree, tuple[Read, ...]]
"""The tree of a rule, and what the rule has read."""


@final
@dataclass
class StepTree(Generic[T]):
    """The tree of a step for those who decide in it; everyone else decides by policy.

    `given` are the answers so far. Growing and weighing it are given up at `stop`, or past `until` (by the clock
    of budgets): `OutOfTime`, which is a `TooLarge`.
    """

    call: Call[T]
    state: State
    deciding: Container[str]
    policy: Policy = by_default
    given: Trail = ()
    until: float | None = None
    most_runs: int = MOST_RUNS
    stop: Stop = NEVER_STOP

    def __post_init__(self) -> None:
        self._stop = self.stop.by(self.until)
        self._exact = Exact(self._others, stop=self._stop)
        self._runs = 0
        self._memory: dict[bool, Memory[_Grown]] = {False: Memory(), True: Memory()}
        """Trees of sub-rules, apart by whether only their results matter."""
        self._calls = KernelCalls(self._decided)
        self._rules: set[Rule[..., Any]] = set()
        """Rules in which someone decides."""
        self._read_later: defaultdict[Rule[..., Any], set[str]] = defaultdict(set)
        """What was read of what a rule had changed."""

    @cached_property
    def root(self) -> Tree:
        """The tree by results and the scenes after them."""
        return self._grown(_Growth(self.call, self.state, self.given), ())

    @cached_property
    def results(self) -> Tree:
        """The tree by results alone; the scenes after them are not looked at."""
        return self._grown(_Growth(self.call, self.state, self.given, results_only=True), ())

    def weighed(self, width: int, of_end: Callable[[T, Scene], Vector], take: Take | None = None) -> Weighed:
        """The tree evaluated by the value of each end, which depends on its result and the scene after it."""

        def of(end: End) -> Vector:
            return of_end(end.result, Scene(self.state.after(end.changes)))

        return Weighed(self.root, width, of, take, stop=self._stop)

    def weighed_by_result(self, width: int, of: Callable[[T], Vector], take: Take | None = None) -> Weighed:
        """The tree evaluated by the value of each result."""
        return Weighed(self.results, width, lambda end: of(end.result), take, stop=self._stop)

    def decides(self, question: Question[Any]) -> bool:
        if not isinstance(question, Choice) or question.who is None or is_hidden(question):
            return False
        return question.who.name in self.deciding

    def _grown(self, growth: _Growth, trail: Trail) -> Tree:
        """The tree of a rule from the end of a trail."""
        self._runs += 1
        self._stop.check()
        if len(trail) > LONGEST or self._runs + self._exact.runs > self.most_runs:
            raise TooLarge(f"{self.call} has too many possible outcomes")
        scene = Scene(growth.state, growth.reads)
        try:
            run = follow(growth.call, scene, growth.given, trail)
        except Refused as why:
            if not growth.may_refuse:
                raise
            return End(Refusal(why.with_traceback(None)), _written(scene))
        try:
            return self._from(run, growth, trail)
        finally:
            run.close()

    def _from(self, run: Run[Any], growth: _Growth, trail: Trail) -> Tree:
        """The tree from where a run is."""
        if run.done or (growth.results_only and run.result_stands):
            return End(run.result, () if growth.results_only else _written(run.scene))
        if run.at_call is not None:
            return self._through(run.at_call, run, growth, trail)
        part = self._next(run)
        question = run.asking[part]

        def following(answer: Any) -> Tree:
            return self._grown(growth, (*trail, Answered(question, part, answer)))

        if isinstance(question, Chance):
            rows = tuple((following(outcome), weight) for outcome, weight in outcomes(question))
            return Fate(rows, sum(weight for _, weight in rows) + question.left_out)
        if isinstance(question, Choice) and self.decides(question) and not at_once(run):
            return Decision(question, tuple((each, following(each)) for each in question.legal))
        return following(decided(self.policy, question, run.scene))

    def _next(self, run: Run[Any]) -> int:
        """Which question to look at: of several at once, the decision, so that it does not depend on the others."""
        return next((part for part in run.open if self.decides(run.asking[part])), run.open[0])

    def _through(self, call: Call[Any], run: Run[Any], growth: _Growth, trail: Trail) -> Tree:
        """A sub-rule, and what follows from each of its ends."""
        is_tail = growth.results_only and run.hands_over and run.depth == 1
        known = self._by_chance(call, run.scene.state, results_only=is_tail)
        if known is not None:
            rows, whole = known.from_here(call, run)
            each = [(tree, part.whole) for row, _ in rows for tree, part in self._after(row, growth, trail)]
            return Fate(tuple(each), whole)
        first, reads = self._inner(_Growth(call, run.scene.state, results_only=is_tail, may_refuse=not is_tail))
        if is_tail and run.read is not None:
            run.scene.note_reads(reads)
            return Then(first, {end: End(run.read(end.result), end.changes) for end in ends_of(first)})
        if is_tail or (run.hands_over and run.ends_here and run.read is None):
            run.scene.note_reads(reads)
            return first if is_tail else After(_written(run.scene), first)
        return self._then(call, first, reads, run, growth, trail)

    def _then(
        self, call: Call[Any], first: Tree, reads: tuple[Read, ...], run: Run[Any], growth: _Growth, trail: Trail
    ) -> Then:
        """A sub-rule in which someone decides, and what follows from each of its ends."""
        ends = ends_of(first)
        if run.repeats is not None:
            if any(end.result is None and end.changes for end in ends):
                raise TooLarge(f"{call} starts over in another scene each time; there is no telling how often")
            ends = {end: None for end in ends if end.result is not None}
        by_result: defaultdict[Any, list[Way]] = defaultdict(list)
        for end in ends:
            by_result[end.result].append((dict(end.changes), 1))
        rest: dict[End, Tree] = {}
        for result, ways in by_result.items():
            for tree, part in self._after(KnownResult(call, result, ways, reads), growth, trail):
                rest.update((End(result, tuple(way.items())), tree) for way, _ in part.ways)
        return Then(first, rest, starts_over=run.repeats is not None)

    def _after(self, known: KnownResult, growth: _Growth, trail: Trail) -> list[tuple[Tree, KnownResult]]:
        """What follows from a result of a sub-rule, told apart by what is read of its changes.

        Where not only the results matter, all of them are told apart: what is best may depend on any.
        """
        parts = [known] if growth.results_only else known.by_way()
        for name in self._read_later[known.call.rule]:
            parts = [each for part in parts for each in part.told_apart(name)]
        found: list[tuple[Tree, KnownResult]] = []
        while parts:
            part = parts.pop()
            try:
                found.append((self._grown(growth, (*trail, part)), part))
            except SealBroken as broken:
                if broken.seal.by is not part:
                    raise
                self._read_later[known.call.rule].add(broken.seal.name)
                parts += part.told_apart(broken.seal.name)
        return found

    def _by_chance(self, call: Call[Any], state: State, *, results_only: bool) -> CallOdds | None:
        """The odds of a sub-rule; None if someone decides in it."""
        if call.rule in self._rules:
            return None
        try:
            return self._exact.worked(call, state, results_only=results_only)
        except _Decides:
            self._rules.add(call.rule)
            return None

    def _inner(self, growth: _Growth) -> _Grown:
        """The tree of a sub-rule, grown once for all places that it cannot tell apart."""
        memory = self._memory[growth.results_only]
        found = memory.recall(growth.call, growth.state)
        if found is None:
            tree = self._by_kernel(growth) or self._grown(growth, ())
            found = tree, tuple(sorted(growth.reads, key=str))
            memory.keep(growth.call, growth.state, found[1], found)
        return found

    def _by_kernel(self, growth: _Growth) -> Tree | None:
        """The tree of a rule whose kernel gives its branches; None if it has to be grown by playing it."""
        call, reads = growth.call, set[Read]()
        try:
            found = call.rule.branches(Scene(growth.state, reads), self._calls, call.args)
            if not isinstance(found, (BranchEnd, ByChance, ByChoice)):
                return None
            tree = self._of_branch(found, growth, {})
        except (OutOfTime, Cancelled, TooLong):
            raise
        except (_Decides, RefereeError):
            return None
        growth.reads.update(reads)
        return tree

    def _of_branch(self, branch: Branch[Any], growth: _Growth, known: dict[int, Tree]) -> Tree:
        """A branch as a tree; one that occurs in several places is made once."""
        found = known.get(id(branch))
        if found is None:
            found = known[id(branch)] = self._made(branch, growth, known)
        return found

    def _made(self, branch: Branch[Any], growth: _Growth, known: dict[int, Tree]) -> Tree:
        if isinstance(branch, BranchEnd):
            changes = sorted((who.name, value) for who, value in branch.changes)
            return End(branch.result, () if growth.results_only else tuple(changes))
        if isinstance(branch, ByChance):
            rows = [(self._of_branch(child, growth, known), ways) for child, ways in branch.rows]
            return Fate(tuple(rows), branch.whole)
        if self.decides(branch.question):
            options = [(option, self._of_branch(child, growth, known)) for option, child in branch.options]
            return Decision(branch.question, tuple(options))
        wanted = decided(self.policy, branch.question, branch.scene)
        taken = next(child for option, child in branch.options if option == wanted)
        return self._of_branch(taken, growth, known)

    def _decided(self, question: Request[A], scene: Scene) -> A:
        """What a kernel is told that others choose."""
        if isinstance(question, Choose) and question.is_no_choice:
            return cast(A, question.options[0])
        return cast(A, decided(self._others, cast(Question[Any], question), scene))

    def _others(self, question: Choice[Any], scene: Scene) -> Any:
        if self.decides(question):
            raise _Decides
        return self.policy(question, scene)


def _written(scene: Scene) -> Changes:
    """What a rule has changed; where it is told apart, nothing is sealed."""
    return tuple(sorted((name, scene.state.unread(name)) for name in scene.written))


def at_once(run: Run[Any]) -> bool:
    """Whether several choose in secret at once now."""
    return sum(isinstance(question, Choice) for question in run.asking) > 1
