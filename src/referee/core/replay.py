"""Trails: how a run got to where it is, so that it can be taken there again.

A coroutine cannot be copied. To continue from one point in two ways, the rule is run again along the same trail.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from itertools import product
from math import prod
from typing import Any, Final, TypeAlias, TypeVar, final

from referee.core.errors import Refused, ReplayMismatch
from referee.core.plain import frozen
from referee.core.questions import Question
from referee.core.rules import Call
from referee.core.run import Run
from referee.core.scene import Read, Scene, Sealed, State, kind_of

T = TypeVar("T")

Changes: TypeAlias = tuple[tuple[str, Hashable | None], ...]
"""Names with their new values."""


class _Unchanged(Enum):
    """In place of a value that a rule has left alone."""

    UNCHANGED = ""


_UNCHANGED: Final = _Unchanged.UNCHANGED


@final
@frozen
class Answered:
    """A question and its answer."""

    question: Question[Any]
    part: int
    answer: Any

    def onto(self, run: Run[Any]) -> None:
        asked = run.asking[self.part] if self.part < len(run.asking) else None
        if asked != self.question:
            raise ReplayMismatch(self.question, asked or run.at_call or "nothing more")
        run.answer(self.answer, self.part)


@final
class Refusal:
    """What a rule refused with, in place of a result. Its caller may catch it."""

    __slots__ = ("_same", "why")

    def __init__(self, why: Refused) -> None:
        self.why = why
        self._same = (type(why), why.what, why.because, why.rule, why.legal)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Refusal) and other._same == self._same

    def __hash__(self) -> int:
        return hash(self._same)


Way: TypeAlias = tuple[Mapping[str, Hashable | None], int]
"""What a rule may have changed, and the weight of that."""


@final
class KnownResult:
    """A rule that was not run again: its result, what it would have read, and the ways it may have changed the scene.

    Where these differ, the values it leaves are sealed. If one is read, the ways are told apart by it.
    """

    __slots__ = ("_agreed", "_differing", "call", "reads", "result", "ways", "whole")

    def __init__(self, call: Call[Any], result: Any, ways: Sequence[Way], reads: tuple[Read, ...]) -> None:
        self.call, self.result, self.ways, self.reads = call, result, ways, reads
        self.whole = sum(weight for _, weight in ways)
        first, _ = ways[0]
        names = {name for way, _ in ways for name in way} if len(ways) > 1 else ()
        values = ((name, {way.get(name, _UNCHANGED) for way, _ in ways}) for name in names)
        self._differing = sorted(name for name, mine in values if len(mine) > 1)
        self._agreed = [each for each in first.items() if each[0] not in self._differing]

    def once_more(self) -> KnownResult:
        """The same for another place in a trail: what is sealed there has nothing to do with what is sealed here."""
        if not self._differing:
            return self
        twin = KnownResult.__new__(KnownResult)
        twin.call, twin.result, twin.ways, twin.reads, twin.whole = (
            self.call,
            self.result,
            self.ways,
            self.reads,
            self.whole,
        )
        twin._agreed, twin._differing = self._agreed, self._differing
        return twin

    def onto(self, run: Run[Any]) -> None:
        if run.at_call != self.call:
            raise ReplayMismatch(self.call, run.at_call or run.asking)
        scene = run.scene
        scene.note_reads(self.reads)
        changes: Iterable[tuple[str, Hashable | None]] = self._agreed
        if self._differing:
            changes = [*self._agreed, *((name, self._sealed(name, scene)) for name in self._differing)]
        if isinstance(self.result, Refusal):
            run.refuse(self.result.why, changes)
        else:
            run.skip(self.result, changes)

    def _sealed(self, name: str, scene: Scene) -> Sealed:
        beneath = scene.state.unread(name)
        kinds = {kind_of(way.get(name, beneath)) for way, _ in self.ways}
        return Sealed(self, name, kinds.pop() if len(kinds) == 1 else None, beneath, name in scene.written)

    def by_way(self) -> list[KnownResult]:
        """The same, once for each way: nothing of it is sealed."""
        return [KnownResult(self.call, self.result, (way,), self.reads) for way in self.ways]

    def told_apart(self, name: str) -> list[KnownResult]:
        """The same, once for each value that it may have left."""
        by_value: defaultdict[Hashable | None, list[Way]] = defaultdict(list)
        for way, weight in self.ways:
            by_value[way.get(name, _UNCHANGED)].append((way, weight))
        return [KnownResult(self.call, self.result, ways, self.reads) for ways in by_value.values()]


@final
@frozen
class OutsideChange:
    """The scene was changed from outside, by an edit of the game master or by another step."""

    to: State

    def onto(self, run: Run[Any]) -> None:
        before = run.scene.state
        for name in {**before, **self.to}:
            if before.get(name) is not self.to.get(name):
                run.scene.write(name, self.to.get(name))
        run.given += 1


Trail: TypeAlias = tuple[Answered | KnownResult | OutsideChange, ...]
"""How a run got to where it is."""


def follow(call: Call[T], scene: Scene, given: Trail, trail: Trail = (), *, pause_at_calls: bool = True) -> Run[T]:
    """Run a step again along a trail. The part `given` from outside was recorded without pausing at rules."""
    run = Run(scene, call, pause_at_calls=pause_at_calls and not given, silent=True)
    for each in given:
        each.onto(run)
    run.pause_at_calls = pause_at_calls
    for each in trail:
        each.onto(run)
    return run


def changes_of(scene: Scene) -> tuple[int, Iterable[tuple[Changes, int]]]:
    """What a run has changed so far, in every way that sealed values may turn out, with weights out of a whole."""
    written = tuple(sorted((name, scene.state.unread(name)) for name in scene.written))
    names: defaultdict[KnownResult, set[str]] = defaultdict(set)
    for _, value in written:
        seal = value
        while isinstance(seal, Sealed):
            names[seal.by].add(seal.name)
            seal = seal.beneath
    if not names:
        return 1, ((written, 1),)
    return prod(known.whole for known in names), _opened(written, names)


def _opened(written: Changes, names: Mapping[KnownResult, set[str]]) -> Iterator[tuple[Changes, int]]:
    """Every combination of ways, as far as they differ in what is still there."""
    differing: list[Counter[frozenset[tuple[str, Hashable | None]]]] = []
    for known, mine in names.items():
        ways: Counter[frozenset[tuple[str, Hashable | None]]] = Counter()
        for way, weight in known.ways:
            ways[frozenset((name, way[name]) for name in mine if name in way)] += weight
        differing.append(ways)
    for combination in product(*(ways.items() for ways in differing)):
        left = {known: dict(way) for known, (way, _) in zip(names, combination, strict=True)}
        changes = ((name, _unsealed(value, left)) for name, value in written)
        weight = prod(weight for _, weight in combination)
        yield tuple(each for each in changes if each[1] is not _UNCHANGED), weight


def _unsealed(value: Hashable | None, left: Mapping[KnownResult, Mapping[str, Hashable | None]]) -> Hashable | None:
    """A value as these ways have left it; `_UNCHANGED` if nothing in the run has written it."""
    while isinstance(value, Sealed):
        way = left[value.by]
        if value.name in way:
            return way[value.name]
        if not value.was_written:
            return _UNCHANGED
        value = value.beneath
    return value
