"""For kernels that are made of other kernels: the ends of the rules they call, one after the other.

calls, found = KernelCalls.of(decide), WeightedEnds()
for score, paid, ways, whole in calls.ends(initiative(one), scene):
    found.add(score, paid, ways, whole)
return found.ends()
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable
from math import lcm
from typing import Any, Generic, TypeAlias, TypeVar, TypeVarTuple, Unpack, cast, final

from referee.core.branches import Changed
from referee.core.errors import TooLarge
from referee.core.questions import Request
from referee.core.rules import Call, Decide
from referee.core.scene import Read, Scene

T = TypeVar("T")
U = TypeVar("U")
Ts = TypeVarTuple("Ts")

End: TypeAlias = tuple[T, Changed, int, int]
"""A result, what has changed, and its weight: so many ways of a whole."""


@final
class KernelCalls:
    """Decides for kernels, and knows what they have worked out before: each once for what it reads.

    A driver that gives this to its kernels shares it among all of them.
    """

    def __init__(self, decide: Decide) -> None:
        self._decide = decide
        self._known: defaultdict[Hashable, list[tuple[tuple[Read, ...], tuple[Any, ...], Any]]] = defaultdict(list)

    @classmethod
    def of(cls, decide: Decide) -> KernelCalls:
        """The one that a kernel was given, or a new one."""
        return decide if isinstance(decide, KernelCalls) else cls(decide)

    def __call__(self, question: Request[T], scene: Scene) -> T:
        return self._decide(question, scene)

    def ends(self, call: Call[T], scene: Scene) -> list[End[T]]:
        """Every end of a rule in this scene; what it leaves out as too unlikely has the result `LEFT_OUT`.

        A rule without a kernel, or whose kernel does not apply, raises `TooLarge`: then the caller is played.
        """
        return self.known(_ends, scene, call)

    def known(self, work: Callable[[Scene, KernelCalls, Unpack[Ts]], T], scene: Scene, *args: *Ts) -> T:
        """What a function of the scene and of decisions comes to."""
        known = self._known[(work, *args)]
        for reads, values, found in known:
            if scene.state.at(reads) == values:
                scene.note_reads(reads)
                return cast(T, found)
        mine: set[Read] = set()
        fresh = work(Scene(scene.state, mine), self, *args)
        reads = tuple(mine)
        scene.note_reads(reads)
        known.append((reads, scene.state.at(reads), fresh))
        return fresh

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


def _ends(scene: Scene, decide: KernelCalls, call: Call[T]) -> list[End[T]]:
    rows = call.rule.ends(scene, decide, call.args)
    if rows is None:
        raise TooLarge(f"{call} has to be played")
    ends = [(result, tuple(changes), ways) for result, changes, ways in rows if ways]
    whole = sum(ways for _, _, ways in ends)
    return [(*end, whole) for end in ends]


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
