"""Everything that may come of a rule, written down at once by its kernel: chance, choices and ends.

A kernel whose ends depend on what somebody chooses gives its branches, not its ends. Odds by a policy walk down the
branches that the policy takes; the best choices are found from the ends back. Places that are equal should be one
object: each is looked at once, however many ways lead there.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import lcm
from typing import Any, Final, Generic, TypeAlias, TypeVar, cast, final, overload

from referee.core.questions import Choose, Request
from referee.core.scene import Scene, Who

T = TypeVar("T")
U = TypeVar("U")
T_co = TypeVar("T_co", covariant=True)

LEFT_OUT: Final[Any] = object()
"""The result of ends that a kernel leaves out as too unlikely: they count in the whole, and are reported as lost."""


def unless_left_out(result: Any, read: Callable[[Any], T]) -> T:
    """What is made of a result; of what is left out nothing is made."""
    return cast(T, LEFT_OUT) if result is LEFT_OUT else read(result)


UNLIKELY: Final = 10**12
"""A chain of starting over that changes the scene each time is cut off when it is less likely than one in this many."""

Changed: TypeAlias = tuple[tuple[Who[Any], Hashable | None], ...]
"""What a rule has changed: whom, and to what."""


@final
@dataclass(frozen=True, slots=True, eq=False)
class BranchEnd(Generic[T_co]):
    """An end: the result of the rule, and what it has changed by then."""

    result: T_co
    changes: Changed = ()


@final
class LaterRows(Sequence["tuple[Branch[T_co], int]"]):
    """The rows of chance, made when somebody looks: by a policy that never goes there, no one does."""

    __slots__ = ("_make", "_rows")

    def __init__(self, make: Callable[[], Sequence[tuple[Branch[T_co], int]]]) -> None:
        self._make = make
        self._rows: Sequence[tuple[Branch[T_co], int]] | None = None

    @property
    def made(self) -> Sequence[tuple[Branch[T_co], int]]:
        if self._rows is None:
            self._rows = self._make()
        return self._rows

    def __len__(self) -> int:
        return len(self.made)

    def __iter__(self) -> Iterator[tuple[Branch[T_co], int]]:
        return iter(self.made)

    @overload
    def __getitem__(self, at: int) -> tuple[Branch[T_co], int]: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[tuple[Branch[T_co], int]]: ...
    def __getitem__(self, at: int | slice) -> Any:
        return self.made[at]


@final
@dataclass(frozen=True, slots=True, eq=False)
class ByChance(Generic[T_co]):
    """What chance decides: each branch with its number of ways; those left out as too unlikely count in the whole."""

    rows: Sequence[tuple[Branch[T_co], int]]
    left_out: int = 0
    at_once: Callable[[Callable[[Any, Scene], Any]], ByChance[T_co]] | None = None
    """All ends at once if everything is decided in one way, where that is quicker than to look at every place."""

    @property
    def whole(self) -> int:
        return sum(ways for _, ways in self.rows) + self.left_out


@final
@dataclass(frozen=True, slots=True, eq=False)
class ByChoice(Generic[T_co]):
    """What somebody chooses, in the scene as it is by then: a branch for each legal option."""

    question: Choose[Any]
    scene: Scene
    options: Sequence[tuple[Any, Branch[T_co]]]


Branch: TypeAlias = BranchEnd[T_co] | ByChance[T_co] | ByChoice[T_co]


def chosen(question: Request[Any], scene: Scene, branch_of: Callable[[Any], Branch[T]]) -> Branch[T]:
    """The branches of a choice; as in a run, a choice with one option is not asked."""
    asked = cast("Choose[Any]", question)
    if asked.is_no_choice:
        return branch_of(asked.options[0])
    return ByChoice(asked, scene, tuple([(option, branch_of(option)) for option in asked.options]))


def mapped(root: Branch[T], result: Callable[[T], U], before: Changed = ()) -> Branch[U]:
    """The same branches with other results, after something else had changed; what was one object stays one."""
    # By identity. Each branch is kept beside what was made of it: an end that is made later must not take its place.
    known: dict[int, tuple[Branch[T], Branch[U]]] = {}

    def of(branch: Branch[T]) -> Branch[U]:
        if id(branch) not in known:
            known[id(branch)] = branch, made(branch)
        return known[id(branch)][1]

    def made(branch: Branch[T]) -> Branch[U]:
        if isinstance(branch, BranchEnd):
            changes: dict[Any, Hashable | None] = {**dict(before), **dict(branch.changes)}
            return BranchEnd(result(branch.result), tuple(changes.items()))
        if isinstance(branch, ByChance) and (ends := branch.at_once) is not None:
            rows = LaterRows(lambda: [(of(child), ways) for child, ways in branch.rows])
            return ByChance(rows, branch.left_out, lambda decide: mapped_rows(ends(decide)))
        return mapped_rows(branch) if isinstance(branch, ByChance) else mapped_choice(branch)

    def mapped_rows(branch: ByChance[T]) -> ByChance[U]:
        return ByChance([(of(child), ways) for child, ways in branch.rows], branch.left_out)

    def mapped_choice(branch: ByChoice[T]) -> Branch[U]:
        return ByChoice(branch.question, branch.scene, tuple([(key, of(child)) for key, child in branch.options]))

    return of(root)


def ends_by(root: Branch[T], decide: Callable[[Any, Scene], Any]) -> Iterator[tuple[T, Changed, int]]:
    """Every end that is reached if choices are made this way, with its number of ways, as a kernel gives them."""
    taken: dict[int, Branch[T]] = {}
    shares: dict[int, defaultdict[int, int]] = {id(root): defaultdict(int, {1: 1})}
    ends: list[tuple[BranchEnd[T], defaultdict[int, int]]] = []
    lost: defaultdict[int, int] = defaultdict(int)
    for branch in _in_order(root, decide, taken):
        here = shares.pop(id(branch))
        if isinstance(branch, BranchEnd):
            ends.append((branch, here))
        elif isinstance(branch, ByChoice) or branch.at_once is not None:
            _add(shares, taken[id(branch)], here, 1, 1)
        else:
            whole = branch.whole
            for child, ways in branch.rows:
                _add(shares, child, here, ways, whole)
            for of, top in here.items():
                lost[of * whole] += top * branch.left_out
    common = lcm(*lost, *(of for _, here in ends for of in here))
    for end, here in ends:
        yield end.result, end.changes, sum(top * (common // of) for of, top in here.items())
    yield LEFT_OUT, (), sum(top * (common // of) for of, top in lost.items())


def _add(
    shares: dict[int, defaultdict[int, int]], to: Branch[Any], here: Mapping[int, int], ways: int, whole: int
) -> None:
    """Pass on what reaches a place, as whole numbers out of the same whole where that is possible."""
    there = shares.setdefault(id(to), defaultdict(int))
    for of, top in here.items():
        there[of * whole] += top * ways


def _in_order(root: Branch[T], decide: Callable[[Any, Scene], Any], taken: dict[int, Branch[T]]) -> Iterator[Branch[T]]:
    """Every place that is reached, each after all those that lead there."""
    order: list[Branch[T]] = []
    seen: set[int] = set()
    todo: list[tuple[Branch[T], bool]] = [(root, False)]
    while todo:
        branch, done = todo.pop()
        if done:
            order.append(branch)
        elif id(branch) not in seen:
            seen.add(id(branch))
            todo.append((branch, True))
            if isinstance(branch, ByChance) and branch.at_once is not None:
                taken[id(branch)] = branch.at_once(decide)
                todo.append((taken[id(branch)], False))
            elif isinstance(branch, ByChance):
                todo.extend((child, False) for child, _ in branch.rows)
            elif isinstance(branch, ByChoice):
                wanted = decide(branch.question, branch.scene)
                taken[id(branch)] = next(child for option, child in branch.options if option == wanted)
                todo.append((taken[id(branch)], False))
    return reversed(order)
