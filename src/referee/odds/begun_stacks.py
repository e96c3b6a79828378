"""A flip whose first stack was begun by a face from hand, where numpy is installed.

It counts as `referee.odds.stack_rows` does: rows of faces, the highest sums first, each on a number that is low enough.
One row is that of the first stack, perhaps without a further face. It comes first, so of the orders of all n stacks
those are counted in which the others close what it leaves open: as many as are open, times (n - 2)!.

Instead of every set of rows, only what matters of it is kept: how many faces of each bonus lie in rows, and how many
rows stand on plain and on trump numbers, for all values at once. Which of the faces are trump is counted last. Those of
the first stack are trump as often as any other faces of their bonus, so it is kept how many they are.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import accumulate, product
from math import factorial, perm, prod
from operator import mul
from typing import Any, NamedTuple

from referee.odds.stack_rows import RestOfFlip, ways_to_take

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.odds.flips import FlipCards


class Row(NamedTuple):
    """Faces in a row: how many of each bonus, and in how many orders."""

    counts: tuple[int, ...]
    orders: int


def at_most(cards: FlipCards, bonus: int, opened: int, most: int, values: Sequence[int]) -> list[float]:
    """The chance that a flip ends without a joker and no stack is worth more, for each of these values.

    Of the open stacks the first one has a bonus already.
    """
    import numpy as np  # an extra: imported only where it is used

    return _BegunFlip(np, cards, bonus, opened, most, np.array(values, dtype=int)).at_most() if values else []


class _BegunFlip:
    def __init__(self, np: Any, cards: FlipCards, bonus: int, opened: int, most: int, values: Any) -> None:
        self.np, self.values, self.cards, self.bonus, self.opened, self.most = np, values, cards, bonus, opened, most
        self.bonuses = tuple(each for each, _, _ in cards.faces)
        self.limits = tuple(plain + trump for _, plain, trump in cards.faces)
        self.worth, self.top = sum(map(mul, self.bonuses, self.limits)), len(cards.plain) - 1
        self.plain, self.trump = (np.array([0.0, *accumulate(each)]) for each in (cards.plain, cards.trump))
        rows = sum(self.limits) + 1
        self.most_plain = min(opened + cards.trump_faces, sum(cards.plain), rows)
        self.most_trump = min(sum(cards.trump), rows)
        self.rows: defaultdict[int, list[Row]] = defaultdict(list)
        """By sum."""
        for counts in product(*(range(each + 1) for each in self.limits)):
            orders = factorial(sum(counts)) // prod(map(factorial, counts))
            self.rows[sum(map(mul, counts, self.bonuses))].append(Row(counts, orders))

    def at_most(self) -> list[float]:
        """Rows from the highest sum down; then all else."""
        lanes, faces = 2 + len(self.bonuses), [each + 1 for each in self.limits]
        standing = self.np.zeros((lanes, *faces, self.most_plain + 1, self.most_trump + 1, len(self.values)))
        standing[(0,) * (standing.ndim - 1)] = 1
        for total in range(min(self.worth + self.bonus, int(self.values[-1])), 0, -1):
            for row in self.rows.get(total - self.bonus, ()):
                self._begin(standing, total, row)
            for row in self.rows.get(total, ()):
                self._add(standing, total, row)
        return [float(each) for each in self._ended(standing) + self._alone()]

    def _begin(self, standing: Any, total: int, row: Row) -> None:
        """These faces are in the first stack. Lane 0 of what stands is without it.

        Lane 1 counts how many stacks are open after it, but for trump faces; the others, its faces of each bonus.
        """
        area, numbers = self._numbers(total)
        before = standing[(0, *self._room(row.counts), *area)]
        after = standing[(slice(None), *(slice(each, None) for each in row.counts), *area)]
        on_plain, on_trump = self._one_more(before, numbers, row.orders)
        for lane, weight in enumerate((self.opened - 1, *row.counts), 1):
            if weight:
                after[lane][..., 1:, :, :] += weight * on_plain
            if times := weight + (lane == 1):
                after[lane][..., 1:, :] += times * on_trump

    def _add(self, standing: Any, total: int, row: Row) -> None:
        """A row of these faces, or several."""
        area, (on_plain, on_trump) = self._numbers(total)
        lanes = slice(None if total >= self.bonus else 1, None)
        block = standing[(lanes, *self._room(row.counts), *area)]
        copies = min(limit // each for limit, each in zip(self.limits, row.counts, strict=True) if each)
        for copy in range(1, copies + 1):
            orders = row.orders / copy
            more = self.np.empty(block.shape)
            more[..., 0, :, :] = 0
            self.np.multiply(block[..., :-1, :, :], on_plain * orders, out=more[..., 1:, :, :])
            more[..., 1:, :] += block[..., :-1, :] * (on_trump * orders)
            standing[(lanes, *(slice(copy * each, None) for each in row.counts), *area)] += more
            room = (limit + 1 - (copy + 1) * each for limit, each in zip(self.limits, row.counts, strict=True))
            block = more[(slice(None), *(slice(max(0, each)) for each in room))]

    def _room(self, counts: tuple[int, ...]) -> tuple[slice, ...]:
        """Where so many faces of each bonus are left."""
        return tuple(slice(limit + 1 - each) for limit, each in zip(self.limits, counts, strict=True))

    def _numbers(self, total: int) -> tuple[tuple[slice, slice, slice], tuple[Any, Any]]:
        """For rows of a sum: where they can be, and how many plain and trump numbers are left after so many."""
        np, rows = self.np, self.worth // total + 1
        plain, trump = min(rows, self.most_plain), min(rows, self.most_trump)
        low = int(np.searchsorted(self.values, total))
        level = np.minimum(self.values[low:] - total, self.top) + 1
        on_plain = np.maximum(self.plain[level] - np.arange(plain)[:, None], 0)
        on_trump = np.maximum(self.trump[level] - np.arange(trump)[:, None], 0)
        return (slice(plain + 1), slice(trump + 1), slice(low, None)), (on_plain[:, None, :], on_trump)

    def _one_more(self, block: Any, numbers: tuple[Any, Any], orders: float) -> tuple[Any, Any]:
        """One more row, on a plain number or on one of trump."""
        on_plain, on_trump = numbers
        return block[..., :-1, :, :] * (orders * on_plain), block[..., :-1, :] * (orders * on_trump)

    def _ended(self, standing: Any) -> Any:
        """All other stacks are single numbers."""
        np, cards = self.np, self.cards
        level = np.minimum(self.values, self.top)
        rest = RestOfFlip(np, cards, self.opened, self.most, self.limits, _orders_after_first)
        shape = (standing.shape[0] - 1, -1, *standing.shape[-3:])
        flat = standing[1:].reshape(shape)
        ways = np.stack([ways_to_take(np, cards, self.limits, of) for of in (None, *range(len(self.bonuses)))])
        used = np.array([sum(each) for each in product(*(range(limit + 1) for limit in self.limits))])
        found = np.zeros(len(self.values))
        for rows in range(1, self.most_plain + self.most_trump + 1):
            after = rest.after(rows)
            for on_plain in range(max(0, rows - self.most_trump), min(rows, self.most_plain) + 1):
                ended = np.einsum("lkg,vkg->lkv", ways, after[level, on_plain][:, used])
                found += np.einsum("lkv,lkv->v", flat[:, :, on_plain, rows - on_plain], ended)
        return found

    def _alone(self) -> Any:
        """The first stack has no trump, and ends the flip."""
        found = self.np.zeros(len(self.values))
        for total, row in ((total, row) for total, rows in self.rows.items() for row in rows):
            cards = sum(row.counts) + 1
            if self.opened == 1 and cards <= self.most:
                taken = prod(
                    perm(plain, count) for (_, plain, _), count in zip(self.cards.faces, row.counts, strict=True)
                )
                level = self.np.clip(self.values - total - self.bonus, -1, self.top) + 1
                found += row.orders * taken * self.plain[level] / perm(self.cards.count, cards)
        return found


def _orders_after_first(stacks: int) -> int:
    """The orders of so many stacks of which the first is known, for each that is open after it."""
    return factorial(stacks - 2) if stacks > 1 else 0
