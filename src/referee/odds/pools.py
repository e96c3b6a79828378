"""Pools of symbol dice that are pushed: all dice are thrown again except the locked ones.

A die is defined by what its faces mean and which of them are locked by a push; a pool is a number of each die. If
pushing continues until one of some symbols shows, no die depends on the others, and the whole pool is a product of
powers.
"""

from __future__ import annotations

from itertools import accumulate
from math import prod
from operator import mul

from referee.odds.errors import bad_input, too_large
from referee.odds.joint import Joint
from referee.odds.packed import check_power, width_for

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Final, TypeAlias

MOST_PUSHES: Final = 20


class SymbolDie:
    """A die whose faces are read as symbols: `SymbolDie(6, {6: "success", 1: "bane"}, locks=(1, 6))`.

    A face may have several symbols: `{12: ("success",) * 4}`. `locks` are the faces that a push does not throw again.
    """

    __slots__ = ("kinds", "most", "sides")

    kinds: tuple[tuple[tuple[str, ...], bool, int], ...]
    """Faces with the same meaning are one entry: their symbols, whether they are locked, and how many there are."""
    most: dict[str, int]
    """How often a symbol appears on one face."""

    def __init__(self, sides: int, marks: Mapping[int, str | tuple[str, ...]], *, locks: Iterable[int] = ()) -> None:
        locked = frozenset(locks)
        if sides < 1 or not locked.union(marks) <= set(range(1, sides + 1)):
            raise bad_input("symbol die", f"must be marks and locks on faces from 1 to {sides}")
        kinds: dict[tuple[tuple[str, ...], bool], int] = {}
        for face in range(1, sides + 1):
            mark = marks.get(face, ())
            kind = (mark,) if isinstance(mark, str) else tuple(sorted(mark)), face in locked
            kinds[kind] = kinds.get(kind, 0) + 1
        self.sides = sides
        self.kinds = tuple([(*kind, weight) for kind, weight in sorted(kinds.items())])
        shown = {symbol for symbols, _, _ in self.kinds for symbol in symbols}
        self.most = {symbol: max([symbols.count(symbol) for symbols, _, _ in self.kinds]) for symbol in shown}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SymbolDie) and self.kinds == other.kinds

    def __hash__(self) -> int:
        return hash(self.kinds)

    def __repr__(self) -> str:
        return f"<SymbolDie d{self.sides}: {', '.join(sorted(self.most))}>"


if TYPE_CHECKING:
    Dice: TypeAlias = Sequence[tuple[SymbolDie, int]]
    Waves: TypeAlias = list[tuple[SymbolDie, int, int]]
    Chain: TypeAlias = tuple[list[int], list[int]]


def symbol_pool(
    dice: Dice,
    axes: Sequence[str],
    *,
    pushes: int = 0,
    until: str | Iterable[str] = (),
    adding: Dice = (),
) -> Joint:
    """How many of each symbol in `axes` are showing in the end.

    The pool is pushed `pushes` times, or less often if it is pushed only until one of the symbols `until` shows: then a
    push is made as long as none of them is showing. Every push throws all dice that are not locked and those it adds.
    `pushes=0` is never; `pushes=1` is always once; `pushes=1, until=("success",)` is once if failed.
    """
    waves, whole, sizes, width, shifts = laid_out(dice, axes, pushes, adding)
    stop = frozenset([until] if isinstance(until, str) else until)
    chains = {id(die): _chain(die, shifts, stop, pushes) for die, _ in (*dice, *adding)}
    packed = prod([chains[id(die)][0][left] ** count for die, count, left in waves])
    if stop:
        packed += sum([_stopped(waves, chains, unused, whole) for unused in range(1, pushes + 1)])
    return Joint.of_packed(tuple(axes), (0,) * len(sizes), sizes, packed, width, whole)


def laid_out(
    dice: Dice, axes: Sequence[str], pushes: int, adding: Dice
) -> tuple[Waves, int, tuple[int, ...], int, dict[str, int]]:
    """Dice with the number of pushes they may take part in, the total of counts, and the slot of each symbol.

    Refuses pools that make no sense, and those that are too large, before any of it is computed.
    """
    check_pool(dice, adding, pushes)
    if not axes or len(set(axes)) < len(axes):
        raise bad_input("axes", f"must be symbols, each once, not {axes}")
    waves = [(die, count, pushes) for die, count in dice]
    waves += [(die, count, left) for left in range(pushes) for die, count in adding]
    whole = prod([die.sides ** (count * (left + 1)) for die, count, left in waves])
    sizes = [1] * len(axes)
    for die, count, _ in waves:
        for place, axis in enumerate(axes):
            if axis in die.most:
                sizes[place] += die.most[axis] * count
    width = width_for(whole, prod(sizes))
    strides = accumulate(sizes[:-1], mul, initial=8 * width)
    return waves, whole, tuple(sizes), width, dict(zip(axes, strides, strict=True))


def _stopped(waves: Waves, chains: Mapping[int, Chain], unused: int, whole: int) -> int:
    """Pools that show a stopping symbol with this many pushes left: all that got there, minus those that continue."""
    got_there = advance = seen = 1
    for die, count, left in waves:
        if left >= unused:
            at_last, on = chains[id(die)]
            got_there *= at_last[left - unused] ** count
            advance *= on[left - unused] ** count
            seen *= die.sides ** (count * (left - unused + 1))
    return (got_there - advance) * (whole // seen)


def check_pool(dice: Dice, adding: Dice, pushes: int) -> None:
    if any(count < 0 for _, count in (*dice, *adding)):
        raise bad_input("pool", "must be no fewer than 0 dice of a kind")
    if not 0 <= pushes <= MOST_PUSHES:
        raise too_large(f"{pushes} pushes; from 0 to {MOST_PUSHES} are worked out")
    for die, count in (*dice, *adding):
        check_power(die.sides, 2, count * (pushes + 1))


def _chain(die: SymbolDie, shifts: Mapping[str, int], stop: frozenset[str], pushes: int) -> Chain:
    """One die after 0, 1, 2 … pushes, in none of which it showed a symbol that stops them.

    First with any final face, then with only those final faces that would not stop another push.
    """
    thrown = quiet = lying = again = 0
    for symbols, locked, weight in die.kinds:
        shift = 0
        for symbol in symbols:
            shift += shifts.get(symbol, 0)
        thrown += weight << shift
        if stop.isdisjoint(symbols):
            quiet += weight << shift
            if locked:
                lying += weight << shift
            else:
                again += weight
    at_last, on = [thrown], [quiet]
    for push in range(1, pushes + 1):
        rest = lying * die.sides**push
        at_last.append(rest + again * at_last[-1])
        on.append(rest + again * on[-1])
    return at_last, on
