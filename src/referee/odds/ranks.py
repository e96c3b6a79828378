"""Dice kept and dropped by rank: the three highest of four, the lowest of two, all but the highest."""

from __future__ import annotations

from itertools import accumulate
from math import comb

from referee.odds.distribution import Distribution
from referee.odds.errors import bad_input, too_large
from referee.odds.packed import check_power, ones, width_for

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Final

MOST_WORK: Final = 1_000_000_000
"""Byte operations: a limit on outcomes of a die × dice² × bytes of one sum."""


def ranked(die: Distribution, count: int, *ranks: Iterable[int]) -> Distribution:
    """The sum of the dice at some ranks; rank 0 is the lowest of `count`.

    It goes through the faces from the lowest up. All that matters is how many dice are already placed: they hold the
    first ranks, and the dice that show this face get the next ones.
    """
    kept = [False] * check_count(die, count)
    for rank in {rank for some in ranks for rank in some}:
        if not 0 <= rank < count:
            raise bad_input("ranks", f"must be ranks below {count}, not {rank}")
        kept[rank] = True
    before = list(accumulate(map(int, kept), initial=0))
    whole, size = die.whole**count, (die.high - die.low) * before[-1] + 1
    width = width_for(whole, size)
    if (die.high - die.low + 1) * count * count * size * width > MOST_WORK:
        raise too_large(f"{count} dice by rank are more than {MOST_WORK} steps of work; at most so many are worked out")
    lying = [1] + [0] * count
    for face, ways in die.items():
        shift = 8 * width * (face - die.low)
        for total in range(count, 0, -1):
            lying[total] += sum(
                [
                    lying[low] * (comb(total, low) * ways ** (total - low)) << shift * (before[total] - before[low])
                    for low in range(total)
                    if lying[low]
                ]
            )
    cut = int((1 - (1 - die.capped) ** count) * whole)
    return Distribution.of_sums(lying[count], width, die.low * before[-1], whole, cut)


def check_count(die: Distribution, count: int) -> int:
    if count < 0:
        raise bad_input("dice", f"must be no fewer than 0 dice, not {count}")
    check_power(die.whole, die.high - die.low + 1, count)
    return count


def without_highest(count: int, sides: int, width: int) -> int:
    """The packed sums of fair dice, numbered from 1, without the highest of them, counted from the lowest sum.

    The sums of dice whose highest is m are those of all dice up to m minus those of all dice up to m - 1; then m is
    subtracted.
    """
    if count == 0:
        return 1
    packed, below, slot = 0, 0, 8 * width
    for top in range(1, sides + 1):
        up_to = ones(top, width) ** count
        packed += (up_to - below) >> slot * (top - 1)
        below = up_to
    return packed
