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
EndGroup: TypeAlias = tuple[Changed, int, list[tuple[T, int]]]
"""What has changed, a whole, and every result after it with its ways."""


class KernelCalls:
    """Decides for kernels, and knows what they have worked out before: each once for what it reads.

    A driver that gives this to its kernels shares it among all of them.
    """

    def __init__(self, decide: Decide) -> None:
        self._decide = decide
        self.by_name = False
        """Whether decisions depend on nothing but who is asked, by which name, and what is legal."""
        self.shares = 0
        """How often something was asked for that may have been decided about before."""
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
        self.shares += 1
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

    def pairs(self, first: Call[T], second: Call[U], scene: Scene) -> list[EndGroup[tuple[T, U]]]:
        """Every pair of results of two rules, the second after the first."""
        found: list[EndGroup[tuple[T, U]]] = []
        for changes, whole, mine in self.groups(first, scene):
            for more, of, theirs in self.groups(second, after_all(scene, changes)):
                rows = [((one, other), ways * times) for one, ways in mine for other, times in theirs]
                found.append((joined(changes, more), whole * of, rows))
        return found

    def groups(self, call: Call[T], scene: Scene) -> list[EndGroup[T]]:
        """Every end of a rule, by what it has changed."""
        return self.known(_groups, scene, call)


def decides_by_name(decide: Decide) -> bool:
    """Whether a kernel may ask once for all questions that look alike: the answer does not depend on the dice."""
    return isinstance(decide, KernelCalls) and decide.by_name


def _ends(scene: Scene, decide: KernelCalls, call: Call[T]) -> list[End[T]]:
    rows = call.rule.ends(scene, decide, call.args)
    if rows is None:
        raise TooLarge(f"{call} has to be played")
    ends = [(result, tuple(changes), ways) for result, changes, ways in rows if ways]
    whole = sum(ways for _, _, ways in ends)
    return [(*end, whole) for end in ends]


def _groups(scene: Scene, decide: KernelCalls, call: Call[T]) -> list[EndGroup[T]]:
    ends = decide.ends(call, scene)
    rows = by_changes((result, changes, ways) for result, changes, ways, _ in ends)
    return [(changes, ends[0][3], each) for changes, each in rows.items()]


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
        self._found: defaultdict[tuple[Changed, int], defaultdict[T, int]] = defaultdict(lambda: defaultdict(int))

    def add(self, result: T, changes: Changed, ways: int, whole: int) -> None:
        self._found[changes, whole][result] += ways

    def add_all(self, rows: Iterable[tuple[T, int]], changes: Changed, times: int, whole: int) -> None:
        """Several results after which the same has changed, each with its ways and those times."""
        here = self._found[changes, whole]
        for result, ways in rows:
            here[result] += ways * times

    def ends(self) -> list[tuple[T, Changed, int]]:
        """As a kernel gives them, out of one whole."""
        common = lcm(*{whole for _, whole in self._found})
        found: defaultdict[Changed, defaultdict[T, int]] = defaultdict(lambda: defaultdict(int))
        for (changes, whole), rows in self._found.items():
            here, times = found[changes], common // whole
            for result, ways in rows.items():
                here[result] += ways * times
        return [(result, changes, ways) for changes, rows in found.items() for result, ways in rows.items()]


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
