"""Sums of dice, with pips and a wild die."""

from __future__ import annotations

from referee.odds.distribution import Distribution
from referee.odds.errors import bad_input, too_large
from referee.odds.exploding import MOST_EXTRA, Exploding
from referee.odds.joint import Joint
from referee.odds.packed import check_power, ones, width_for
from referee.odds.ranks import without_highest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final, Literal, TypeAlias

    WildOne: TypeAlias = Literal["counts", "lost", "takes highest"]

WILD_ONES: Final[tuple[WildOne, ...]] = ("counts", "lost", "takes highest")
"""What a wild die does when its first roll is a 1: it counts as 1; it counts as nothing; or it counts as nothing and
removes the highest of the other dice."""


def die(sides: int) -> Distribution:
    """A fair die, numbered from 1."""
    return dice(1, sides)


def dice(count: int, sides: int = 6, pips: int = 0) -> Distribution:
    """The sum of fair dice plus a number: `dice(4, pips=2)` is 4D+2."""
    if count < 0 or sides < 1:
        raise bad_input("dice", f"must be no fewer than 0 dice of 1 side, not {count} of {sides}")
    check_power(sides, sides, count)
    whole, size = sides**count, (sides - 1) * count + 1
    width = width_for(whole, size)
    return Distribution.of_packed(ones(sides, width) ** count, width, count + pips, size, whole)


def open_wild_dice(count: int, pips: int = 0, *, sides: int = 6) -> Exploding:
    """Dice of which one is wild: on its highest face it is rolled again and added, as often as that comes up."""
    if count < 1:
        raise bad_input("wild dice", f"must be at least the wild die, not {count} dice")
    return Exploding(die(sides), [sides], dice(count - 1, sides, pips))


def wild_dice(count: int, pips: int = 0, *, extra: int, wild_one: WildOne = "counts", sides: int = 6) -> Distribution:
    """Dice of which one is wild: on its highest face it is rolled again and added, at most `extra` times.

    `capped` of the result is the chance that this was too few; `open_wild_dice` needs no cap.
    """
    whole, size, width = _room(count, extra, wild_one, sides)
    others = ones(sides, width) ** (count - 1)
    packed, low = _chained(others, extra, sides, width), count
    if wild_one != "counts":
        one = sides**extra
        lost, low = others * one, count - 1
        packed -= lost
        if wild_one == "takes highest" and count > 1:
            lost, low = without_highest(count - 1, sides, width) * one, count - 2
        packed = (packed << 8 * width * (count - low)) + lost
    return Distribution.of_packed(packed, width, low + pips, size + count - low, whole, sides ** (count - 1))


def wild_faces(count: int, pips: int = 0, *, extra: int, wild_one: WildOne = "counts", sides: int = 6) -> Joint:
    """Like `wild_dice`, together with the first face of the wild die: the axes are `total` and `wild`."""
    whole, size, width = _room(count, extra, wild_one, sides)
    width_for(whole, (size + 2) * sides)
    slot, one = 8 * width, sides**extra
    others = ones(sides, width) ** (count - 1)
    low = max(0, count - 2)
    by_face = [(others * one) << slot * (count - 1 - low + face) for face in range(1, sides)]
    if wild_one == "lost":
        by_face[0] >>= slot
    elif wild_one == "takes highest":
        by_face[0] = without_highest(count - 1, sides, width) * one
    most = _chained(others, extra, sides, width) - others * one * ones(sides - 1, width)
    by_face.append(most << slot * (count - low))
    size += count - low
    packed = sum([totals << slot * size * row for row, totals in enumerate(by_face)])
    return Joint.of_packed(("total", "wild"), (low + pips, 1), (size, sides), packed, width, whole)


def _room(count: int, extra: int, wild_one: WildOne, sides: int) -> tuple[int, int, int]:
    """The total of all counts, the number of totals and the width of their slots."""
    if count < 1 or sides < 2:
        raise bad_input("wild dice", f"must be at least a wild die of 2 sides, not {count} of {sides}")
    if wild_one not in WILD_ONES:
        raise bad_input("wild_one", f"must be {', '.join(WILD_ONES)}, not {wild_one}")
    if not 0 <= extra <= MOST_EXTRA:
        raise too_large(f"{extra} extra rolls; from 0 to {MOST_EXTRA} are worked out")
    check_power(sides, sides, count + extra)
    whole, size = sides ** (count + extra), (sides - 1) * (count - 1) + sides * (extra + 1)
    return whole, size, width_for(whole, size + 2)


def _chained(others: int, extra: int, sides: int, width: int) -> int:
    """The packed totals of the other dice and the wild die, counted from the lowest."""
    step = 8 * width * sides
    ends = others * ones(sides - 1, width)
    chain, rest = ends + (others << step - 8 * width), 1
    for _ in range(extra):
        rest *= sides
        chain = ends * rest + (chain << step)
    return chain
