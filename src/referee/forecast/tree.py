"""All possible outcomes of a step, as a tree of chance, decisions and ends, evaluated from its ends back.

A tree is evaluated once for each policy to compare: the defaults, always this option, or the best, which is backward
induction on a stated worth.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, Generic, TypeAlias, TypeVar, final

from referee.core.errors import Refused, TooLarge
from referee.core.questions import Chance, Choice, Question, key_of
from referee.core.replay import Answered, Changes, Entered, KnownResult, Trail, changes_of, follow
from referee.core.rules import Call, Rule
from referee.core.run import Run
from referee.core.scene import Scene, State
from referee.drivers.exact import LONGEST, MOST_RUNS, Exact, Memory
from referee.drivers.kernels import outcomes
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
"""How options are compared when the best is taken; of equal ones, the first is taken."""


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
        self, tree: Tree, width: int, of_end: Callable[[End], Vector], take: Take | None, rank: Rank = worth
    ) -> None:
        self.tree = tree
        self.width = width
        self._of_end = of_end
        self._take = take
        self._rank = rank
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
                inner = Weighed(tree.first, self.width, lambda end: self._of(tree.rest[end], before), self._take)
                self._inner[id(tree), before] = inner
                return inner.vector

    def _best(self, tree: Decision, before: Changes) -> int:
        ranks = [self._rank(self._of(child, before)) for _, child in tree.options]
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

        inner = self._inner[id(tree), before] = Weighed(tree.first, self.width + 2, after, self._take, rank)
        left = 1 - inner.vector[-1]
        if not left:
            raise TooLarge("what starts over is never settled this way")
        return tuple(each / left for each in inner.vector[1:-1])

    def points(self) -> list[Point]:
        """Every decision that comes up, with its chance, if everything is decided as it was in the evaluation."""
        found: list[Point] = []
        self._walk(self.tree, (), Fraction(1), found)
        return found

    def _walk(self, tree: Tree, before: Changes, chance: Fraction, found: list[Point]) -> dict[End, Fraction]:
        """Walk down a tree as it was decided; returns the chance of each of its ends."""
        ends: defaultdict[End, Fraction] = defaultdict(Fraction)
        match tree:
            case End():
                ends[tree.after(before)] += chance
            case Fate():
                for child, weight in tree.rows:
                    _add(ends, self._walk(child, before, chance * Fraction(weight, tree.whole), found))
            case After():
                _add(ends, self._walk(tree.tree, _joined(before, tree.changes), chance, found))
            case Decision():
                at = self._taken[id(tree), before]
                options = tuple((option, self._of(child, before)) for option, child in tree.options)
                found.append(Point(tree.question, chance, options, options[at][0]))
                _add(ends, self._walk(tree.options[at][1], before, chance, found))
            case Then():
                reached = self._inner[id(tree), before]._walk(tree.first, (), chance, found)
                settled = {end: each for end, each in reached.items() if end in tree.rest}
                for end, each in settled.items():
                    share = each * chance / sum(settled.values()) if tree.starts_over else each
                    _add(ends, self._walk(tree.rest[end], before, share, found))
        return ends


def _add(ends: defaultdict[End, Fraction], more: Mapping[End, Fraction]) -> None:
    for end, chance in more.items():
        ends[end] += chance


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
    """The decisions that may come up, nearest first, each with the options that are not its default."""
    found: dict[str, dict[str, None]] = {}
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
                note_options(found, here.question)
                todo.extend(child for _, child in here.options)
            case Then():
                todo.extend((here.first, *here.rest.values()))
            case After():
                todo.append(here.tree)
    return found


def note_options(found: dict[str, dict[str, None]], question: Choice[Any]) -> None:
    """Add the options of one more question to those of its decision."""
    known = found.setdefault(str(question.name), {})
    known.update((key_of(option), None) for option in question.legal if option != question.default)


T = TypeVar("T")


class _Decides(Exception):
    """Someone decides inside this rule, so it has no fixed distribution."""


@final
@dataclass
class StepTree(Generic[T]):
    """The tree of a step for those who decide in it; everyone else decides by policy.

    `given` are the answers so far. Growing and weighing it are given up at `stop`, or past `until` (by the monotonic
    clock): `OutOfTime`, which is a `TooLarge`.
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
        self._memory: Memory[tuple[Tree, tuple[str, ...]]] = Memory()
        self._rules: set[Rule[..., Any]] = set()
        """Rules in which someone decides, or which raise a refusal that their caller may catch."""

    @cached_property
    def root(self) -> Tree:
        return self._grown(self.call, self.state, self.given, (), set())

    def weighed(self, width: int, of_end: Callable[[T, Scene], Vector], take: Take | None = None) -> Weighed:
        """The tree evaluated by the value of each end, which depends on its result and the scene after it."""

        def of(end: End) -> Vector:
            return of_end(end.result, Scene(self.state.after(end.changes)))

        return Weighed(self.root, width, of, take)

    def decides(self, question: Question[Any]) -> bool:
        return isinstance(question, Choice) and question.who is not None and question.who.name in self.deciding

    def _grown(self, call: Call[Any], state: State, given: Trail, trail: Trail, reads: set[str]) -> Tree:
        """The tree of a call from the end of a trail."""
        self._runs += 1
        self._stop.check()
        if len(trail) > LONGEST or self._runs + self._exact.runs > self.most_runs:
            raise TooLarge(f"{self.call} has too many possible outcomes")

        def following(*more: Answered | KnownResult | Entered) -> Tree:
            return self._grown(call, state, given, (*trail, *more), reads)

        run = follow(call, Scene(state, reads), given, trail)
        try:
            if run.done:
                return End(run.result, changes_of(run.scene))
            if run.at_call is not None:
                return self._through(run.at_call, run, following)
            part = self._next(run)
            question = run.asking[part]
            if isinstance(question, Chance):
                rows = tuple((following(Answered(question, part, o)), weight) for o, weight in outcomes(question))
                return Fate(rows, sum(weight for _, weight in rows) + question.left_out)
            if isinstance(question, Choice) and self.decides(question) and not at_once(run):
                legal = question.legal
                return Decision(question, tuple((each, following(Answered(question, part, each))) for each in legal))
            return following(Answered(question, part, decided(self.policy, question, run.scene)))
        finally:
            run.close()

    def _next(self, run: Run[Any]) -> int:
        """Which question to look at: of several at once, the decision, so that it does not depend on the others."""
        return next((part for part in run.open if self.decides(run.asking[part])), run.open[0])

    def _through(self, call: Call[Any], run: Run[Any], following: Callable[..., Tree]) -> Tree:
        """A sub-rule, and what follows from each of its ends."""
        inner = self._inner(call, run.scene.state)
        if inner is None:
            return following(Entered())
        first, reads = inner
        if run.hands_over and run.depth == 1:
            for name in reads:
                run.scene.read(name)
            return After(changes_of(run.scene), first)
        ends = ends_of(first)
        if run.repeats is not None:
            if any(end.result is None and end.changes for end in ends):
                raise TooLarge(f"{call} starts over in another scene each time; there is no telling how often")
            ends = {end: None for end in ends if end.result is not None}
        rest = {end: following(KnownResult(call, end.result, end.changes, reads)) for end in ends}
        return Then(first, rest, starts_over=run.repeats is not None)

    def _inner(self, call: Call[Any], state: State) -> tuple[Tree, tuple[str, ...]] | None:
        """The tree of a sub-rule; None if it raises a refusal that its caller may catch."""
        if call.rule not in self._rules:
            try:
                worked = self._exact.worked(call, state)
            except (_Decides, Refused):
                self._rules.add(call.rule)
            else:
                rows = tuple((End(result, changes), weight) for result, changes, weight in worked.rows)
                return Fate(rows, worked.whole), worked.reads
        found = self._memory.recall(call, state)
        if found is None:
            reads: set[str] = set()
            try:
                tree = self._grown(call, state, (), (), reads)
            except Refused:
                return None
            found = tree, tuple(sorted(reads))
            self._memory.keep(call, state, found[1], found)
        return found

    def _others(self, question: Choice[Any], scene: Scene) -> Any:
        if self.decides(question):
            raise _Decides
        return self.policy(question, scene)


def at_once(run: Run[Any]) -> bool:
    """Whether several choose in secret at once now."""
    return sum(isinstance(question, Choice) for question in run.asking) > 1
