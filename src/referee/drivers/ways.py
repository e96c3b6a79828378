"""Grows the tree of a step for those who decide in it.

A rule in which nobody of these decides is a distribution, worked out by the exact driver. A rule in which they do is a
tree, grown once for all it had read.
"""

from __future__ import annotations

from collections.abc import Callable, Container
from dataclasses import dataclass
from functools import cached_property
from time import monotonic
from typing import Any, Generic, TypeVar, final

from referee.core.errors import Refused, TooLarge
from referee.core.questions import Chance, Choice, Question
from referee.core.rules import Call, Rule
from referee.core.run import Run
from referee.core.scene import Scene, State
from referee.drivers.exact import LONGEST, MOST_RUNS, Exact
from referee.drivers.forecast import Vector
from referee.drivers.kernels import outcomes
from referee.drivers.memory import Memory
from referee.drivers.policies import Policy, by_default, decided
from referee.drivers.trails import Answered, Entered, Known, Trail, changes_of, follow
from referee.drivers.trees import After, Decision, End, Fate, Take, Then, Tree, Weighed, ends_of

T = TypeVar("T")


class _Decides(Exception):
    """Somebody decides inside this rule: it is no distribution."""


@final
@dataclass
class Ways(Generic[T]):
    """Grows the tree of a step for those who decide in it; everybody else decides by policy.

    `given` is how the step came to where it is. When it is `until` (by the monotonic clock), it gives up.
    """

    call: Call[T]
    state: State
    deciding: Container[str]
    policy: Policy = by_default
    given: Trail = ()
    until: float | None = None
    most_runs: int = MOST_RUNS

    def __post_init__(self) -> None:
        self._exact = Exact(self._others, seconds=None if self.until is None else self.until - monotonic())
        self._runs = 0
        self._memory: Memory[tuple[Tree, tuple[str, ...]]] = Memory()
        self._rules: set[Rule[..., Any]] = set()
        """Rules in which somebody decides, or which refuse what their caller may catch."""

    @cached_property
    def tree(self) -> Tree:
        return self._grown(self.call, self.state, self.given, (), set())

    def weighed(self, width: int, of_end: Callable[[T, Scene], Vector], take: Take | None = None) -> Weighed:
        """The tree weighed by what each end counts for, its result and the scene after it."""

        def of(end: End) -> Vector:
            return of_end(end.result, Scene(self.state.after(end.changes)))

        return Weighed(self.tree, width, of, take)

    def decides(self, question: Question[Any]) -> bool:
        return isinstance(question, Choice) and question.who is not None and question.who.name in self.deciding

    def _grown(self, call: Call[Any], state: State, given: Trail, trail: Trail, reads: set[str]) -> Tree:
        """The tree of a call from where a trail has led."""
        self._runs += 1
        late = self.until is not None and monotonic() > self.until
        if late or len(trail) > LONGEST or self._runs + self._exact.runs > self.most_runs:
            raise TooLarge(f"{self.call} goes too many ways")

        def following(*more: Answered | Known | Entered) -> Tree:
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
                return Fate(rows, sum(weight for _, weight in rows))
            if isinstance(question, Choice) and self.decides(question) and not at_once(run):
                lawful = question.lawful
                return Decision(question, tuple((each, following(Answered(question, part, each))) for each in lawful))
            return following(Answered(question, part, decided(self.policy, question, run.scene)))
        finally:
            run.close()

    def _next(self, run: Run[Any]) -> int:
        """Which question to look at: of several at once the decision, so that it sees nothing of the others."""
        return next((part for part in run.open if self.decides(run.asking[part])), run.open[0])

    def _through(self, call: Call[Any], run: Run[Any], following: Callable[..., Tree]) -> Tree:
        """A rule on the way, and what follows from each of its ends."""
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
        rest = {end: following(Known(call, end.result, end.changes, reads)) for end in ends}
        return Then(first, rest, starts_over=run.repeats is not None)

    def _inner(self, call: Call[Any], state: State) -> tuple[Tree, tuple[str, ...]] | None:
        """The tree of a rule on the way; None where it refuses what its caller may catch."""
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
    """Whether several choose now in secret."""
    return sum(isinstance(question, Choice) for question in run.asking) > 1
