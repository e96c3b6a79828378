"""For kernels that are made of other kernels: the ends of the rules they call, one after the other.

calls, found = KernelCalls(decide), WeightedEnds()
for score, paid, ways, whole in calls.ends(initiative(one), scene):
    found.add(score, paid, ways, whole)
return found.ends()
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable
from math import lcm
from typing import Any, Generic, TypeAlias, TypeVar, final

from referee.core.branches import Changed
from referee.core.errors import TooLarge
from referee.core.rules import Call, Decide
from referee.core.scene import Read, Scene

T = TypeVar("T")
U = TypeVar("U")

End: TypeAlias = tuple[T, Changed, int, int]
"""A result, what has changed, and its weight: so many ways of a whole."""


@final
class KernelCalls:
    """What rules come to by their kernels, each worked out once for what it reads.

    A rule without a kernel, or whose kernel does not apply, raises `TooLarge`: then the caller is played.
    """

    def __init__(self, decide: Decide) -> None:
        self._decide = decide
        self._known: defaultdict[Call[Any], list[tuple[tuple[Read, ...], tuple[Any, ...], list[End[Any]]]]]
        self._known = defaultdict(list)

    def ends(self, call: Call[T], scene: Scene) -> list[End[T]]:
        """Every end of a rule in this scene; what it leaves out as too unlikely has the result `LEFT_OUT`."""
        for reads, values, known in self._known[call]:
            if scene.state.at(reads) == values:
                scene.note_reads(reads)
                return known
        mine: set[Read] = set()
        rows = call.rule.ends(Scene(scene.state, mine), self._decide, call.args)
        if rows is None:
            raise TooLarge(f"{call} has to be played")
        ends = [(result, tuple(changes), ways) for result, changes, ways in rows if ways]
        whole = sum(ways for _, _, ways in ends)
        found: list[End[T]] = [(*end, whole) for end in ends]
        reads = tuple(mine)
        scene.note_reads(reads)
        self._known[call].append((reads, scene.state.at(reads), found))
        return found

    def pairs(self, first: Call[T], second: Call[U], scene: Scene) -> list[End[tuple[T, U]]]:
        """Every pair of results of two rules, the second after the first."""
        found: list[End[tuple[T, U]]] = []
        ends = self.ends(first, scene)
        whole = ends[0][3]
        for changes, mine in by_changes((result, changes, ways) for result, changes, ways, _ in ends).items():
            for other, more, times, of in self.ends(second, after_all(scene, changes)):
                both = joined(changes, more)
                found += [((result, other), both, ways * times, whole * of) for result, ways in mine]
        return found


def by_changes(ends: Iterable[tuple[T, Changed, int]]) -> dict[Changed, list[tuple[T, int]]]:
    """Results with their ways, by what has changed."""
    found: defaultdict[Changed, list[tuple[T, int]]] = defaultdict(list)
    for result, changes, ways in ends:
        found[changes].append((result, ways))
    return found


@final
class WeightedEnds(Generic[T]):
    """Ends by weights of different wholes, collected until all are known."""

    def __init__(self) -> None:
        self._found: defaultdict[tuple[T, Changed, int], int] = defaultdict(int)

    def add(self, result: T, changes: Changed, ways: int, whole: int) -> None:
        self._found[result, changes, whole] += ways

    def ends(self) -> list[tuple[T, Changed, int]]:
        """As a kernel gives them, out of one whole."""
        common = lcm(*{whole for _, _, whole in self._found})
        return [(result, changes, ways * (common // whole)) for (result, changes, whole), ways in self._found.items()]


def after_all(scene: Scene, changes: Changed) -> Scene:
    """The scene after several changes. What is read through it also counts as read through the original."""
    if not changes:
        return scene
    later = Scene(scene.state.after((who.name, value) for who, value in changes), scene.reads)
    later.written = scene.written | {who.name for who, _ in changes}
    return later


def joined(before: Changed, changes: Changed) -> Changed:
    """What has changed after both; the later value counts."""
    if not before or not changes:
        return before or changes
    both: dict[Any, Hashable | None] = {**dict(before), **dict(changes)}
    return tuple(both.items())
