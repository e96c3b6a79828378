"""All that a rule can come to: every end once, with its chance; decisions by a policy."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, Final, NamedTuple, TypeAlias, TypeVar, cast, final

from referee.core.branches import LEFT_OUT
from referee.core.composed import KernelCalls
from referee.core.errors import NotKept, RefereeError
from referee.core.questions import Chance, Choose, Question, Request
from referee.core.replay import Answered, Changes, KnownResult
from referee.core.rules import Call
from referee.core.run import Run
from referee.core.scene import Read, Scene, State
from referee.drivers.kernels import outcomes
from referee.drivers.memory import Memory
from referee.drivers.policies import Policy, decided

T = TypeVar("T")


class NoTurnRows(RefereeError):
    """Why a fight has to be played by the plain rules."""


FOLLOWS: Final = "what follows"
"""In a scene after a rule: the call that was left for later."""


class RuleEnd(NamedTuple):
    """How a rule or a stretch of steps can end: its result, the scene after it, and the chance of that."""

    result: Any
    state: State
    chance: Fraction


class _KnownEnds(NamedTuple):
    """The ends of a rule: results, what each changes, its chance; and what the rule has read."""

    rows: list[tuple[Any, Changes, Fraction]]
    reads: tuple[Read, ...]


@final
@dataclass(frozen=True, slots=True)
class _Enter:
    """In a trail: a rule that has to be played is entered."""

    def onto(self, run: Run[Any]) -> None:
        run.enter()


_ENTER: Final = _Enter()
_Item: TypeAlias = "Answered | KnownResult | _Enter"


class _Branches(NamedTuple):
    """What has happened since chance had its say, and what it can say next."""

    passed: list[_Item]
    items: list[tuple[_Item, Fraction]]


def _last(run: Run[Any], item: _Item, before: Changes) -> tuple[Any, Changes]:
    """The end of a rule of which nothing is left but the rule it has paused at, which has ended in a way."""
    if not isinstance(item, KnownResult):
        raise TypeError(item)
    run.scene.note_reads(item.reads)
    (after, _), read = item.ways[0], run.read
    result = run.result if run.at_consequence else item.result if read is None else read(item.result)
    return result, tuple(sorted({**dict(before), **after}.items()))


@final
class RuleEnds:
    """Works out how rules can end; what they come to is kept for what they read."""

    def __init__(
        self,
        policy: Policy,
        is_immaterial: Callable[[Question[Any]], bool],
        is_left: Callable[[Call[Any]], bool],
        *,
        outlines: bool = True,
    ) -> None:
        self.policy, self.is_immaterial = policy, is_immaterial
        self.is_left = is_left
        """Rules within others that are left for later: they are found as `FOLLOWS`."""
        self.outlines = outlines
        """Whether an outline that tells what changes may stand in for a kernel."""
        self._calls = KernelCalls(self._decide)
        self._known: Memory[_KnownEnds] = Memory()

    def ends(self, call: Call[Any], state: State) -> list[RuleEnd]:
        """Every end of a step once, with its chance."""
        return [RuleEnd(result, state.after(changes), chance) for result, changes, chance in self._of(call, state).rows]

    def scenes(self, call: Call[Any], state: State) -> list[tuple[State, Fraction]]:
        """Every scene after a step once, with its chance, whatever the result."""
        found: defaultdict[Changes, Fraction] = defaultdict(Fraction)
        for _, changes, chance in self._of(call, state).rows:
            found[changes] += chance
        return [(state.after(changes), chance) for changes, chance in found.items()]

    def _of(self, call: Call[Any], state: State) -> _KnownEnds:
        """Every end of a rule once; rules within it are worked out in the same way."""
        known = self._known.recall(call, state)
        if known is None:
            reads: set[Read] = set()
            try:
                known = _KnownEnds(self._worked_out(call, Scene(state, reads)), tuple(reads))
            except NotKept:
                if not self.outlines:
                    raise
                known = self._in_full._of(call, state)
            self._known.keep(call, state, known.reads, known)
        return known

    @cached_property
    def _in_full(self) -> RuleEnds:
        """The same for rules that read what outlines leave open."""
        return RuleEnds(self.policy, self.is_immaterial, self.is_left, outlines=False)

    def _worked_out(self, call: Call[Any], scene: Scene) -> list[tuple[Any, Changes, Fraction]]:
        by_kernel = self._by_kernel(call, scene)
        if by_kernel is not None:
            return by_kernel
        found: defaultdict[tuple[Any, Changes], Fraction] = defaultdict(Fraction)
        todo: list[tuple[tuple[_Item, ...], Fraction]] = [((), Fraction(1))]
        while todo:
            trail, chance = todo.pop()
            here = Scene(scene.state, scene.reads)
            run: Run[Any] = Run(here, call, pause_at_calls=True, silent=True)
            for item in trail:
                item.onto(run)
            branches = self._next_chance(run)
            changes = tuple((name, here.state.get(name)) for name in sorted(here.written))
            if not branches.items:
                found[run.result, changes] += chance
            elif run.at_call is not None and run.ends_here:
                for item, part in branches.items:
                    found[_last(run, item, changes)] += chance * part
                run.close()
            else:
                run.close()
                todo.extend(((*trail, *branches.passed, item), chance * part) for item, part in branches.items)
        return [(result, changes, chance) for (result, changes), chance in found.items()]

    def _next_chance(self, run: Run[Any]) -> _Branches:
        """What happens until chance has its say, and what chance can say; nothing if the rule ends first."""
        passed: list[_Item] = []
        while not run.done:
            items = self._of_call(run, run.at_call) if run.at_call is not None else self._of_question(run)
            if len(items) > 1:
                return _Branches(passed, items)
            passed.append(items[0][0])
            items[0][0].onto(run)
        return _Branches(passed, [])

    def _of_call(self, run: Run[Any], call: Call[Any]) -> list[tuple[_Item, Fraction]]:
        """Every way in which a rule that was called can end."""
        if run.repeats is not None:
            return [(_ENTER, Fraction(1))]
        left: list[tuple[Any, Changes, Fraction]] = [(None, ((FOLLOWS, call),), Fraction(1))]
        rows, reads = (left, ()) if self.is_left(call) else self._of(call, run.scene.state)
        if FOLLOWS in run.scene.state and any(name == FOLLOWS for _, changes, _ in rows for name, _ in changes):
            raise NoTurnRows("two things follow from a turn")
        return [(KnownResult(call, result, ((dict(changes), 1),), reads), chance) for result, changes, chance in rows]

    def _of_question(self, run: Run[Any]) -> list[tuple[_Item, Fraction]]:
        """Every answer of chance, or that of the policy."""
        part = run.open[0]
        question = run.asking[part]
        if not isinstance(question, Chance):
            return [(Answered(question, part, decided(self.policy, question, run.scene)), Fraction(1))]
        rows = outcomes(question)
        if self.is_immaterial(question):
            rows = [min(rows, key=lambda row: row[0].total)]
        whole = sum(ways for _, ways in rows)
        return [(Answered(question, part, outcome), Fraction(ways, whole)) for outcome, ways in rows]

    def _by_kernel(self, call: Call[Any], scene: Scene) -> list[tuple[Any, Changes, Fraction]] | None:
        """Every end of a rule from its outline or kernel; None if it has none, or has to be played."""
        try:
            outlined = self.outlines and call.rule.outlines_changes
            ends = call.rule.outlined(scene, self._calls, call.args) if outlined else None
            ends = call.rule.ends(scene, self._calls, call.args) if ends is None else ends
        except RefereeError:
            return None
        if ends is None:
            return None
        whole = sum(ways for _, _, ways in ends)
        return [
            (result, tuple((who.name, value) for who, value in changes), Fraction(ways, whole))
            for result, changes, ways in ends
            if ways and result is not LEFT_OUT
        ]

    def _decide(self, question: Request[T], scene: Scene) -> T:
        """As in a run, a choice with one option is not asked."""
        if isinstance(question, Choose) and question.is_no_choice:
            return cast(T, question.options[0])
        return cast(T, decided(self.policy, cast(Question[Any], question), scene))
