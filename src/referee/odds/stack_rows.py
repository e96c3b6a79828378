"""The best stack of a flip with many faces, by many sets of rows at once: for `best_stack`, where numpy is installed.

It counts what `referee.odds.flips` counts, in the same way, but in floating point numbers, none of which is ever
subtracted. What may be wrong in them is left out of every figure and reported as not ended, so no figure is too large,
and all of them together lack less than one in 10^10.
"""

from __future__ import annotations

from collections import defaultdict
from functools import lru_cache
from importlib.util import find_spec
from itertools import accumulate, product
from math import comb, factorial, perm, prod
from operator import mul
from typing import Any, NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Final

    from referee.odds.flips import FlipCards

WHOLE: Final = 2**60
FULL_DECK: Final = 12
"""How many faces a deck has."""
DOUBT: Final = 1e-13
"""What is left out of each figure. Sums of positive numbers, of some thousand each, are much more exact than this."""


@lru_cache
def is_possible() -> bool:
    """Whether numpy, an extra, is installed."""
    return find_spec("numpy") is not None


class RowSets(NamedTuple):
    """Sets of so many rows of faces, each with the one of a row less that it extends."""

    totals: Any
    """What the faces of the smallest row are worth."""
    before: Any
    """Which set it extends."""
    keys: Any
    orders: Any
    """Sets after sets, each with several keys: which, and in how many orders its faces lie in such rows."""
    first_keys: Any
    """Where the keys of each set begin."""


class RowTree(NamedTuple):
    """All sets of rows that so many faces of each bonus can make, by how many rows they have."""

    depths: tuple[RowSets, ...]
    counts: tuple[tuple[int, ...], ...]
    """By key: how many faces of each bonus."""


@lru_cache(maxsize=8)
def row_tree(bonuses: tuple[int, ...], most: tuple[int, ...]) -> RowTree:
    """Every set of rows, whatever numbers they stand on, with at most so many faces of each bonus."""
    import numpy as np  # an extra: imported only where it is used

    counts = tuple(product(*(range(each + 1) for each in most)))
    place = {each: at for at, each in enumerate(counts)}
    base = 2 * max(most) + 1
    packed = {sum(count * base**at for at, count in enumerate(each)): place[each] for each in counts}
    rows: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
    for key, at in packed.items():
        total = sum(map(mul, counts[at], bonuses))
        rows[total].append((key, factorial(sum(counts[at])) // prod(map(factorial, counts[at]))))
    possible = sorted((total for total in rows if total), reverse=True)
    found = list[tuple[list[int], list[int], list[tuple[int, float]], list[int]]]()

    def extend(depth: int, first: int, equal: int, orders: int, before: dict[int, int], of: int) -> None:
        for at in range(first, len(possible)):
            after: dict[int, int] = {}
            for key, ways in before.items():
                for row, in_order in rows[possible[at]]:
                    if key + row in packed:
                        after[key + row] = after.get(key + row, 0) + ways * in_order
            if after:
                if len(found) == depth:
                    found.append(([], [], [], []))
                totals, parents, keys, first_keys = found[depth]
                same = equal + 1 if at == first else 1
                mine = len(totals)
                totals.append(possible[at])
                parents.append(of)
                first_keys.append(len(keys))
                keys.extend([(packed[key], ways / (orders * same)) for key, ways in after.items()])
                extend(depth + 1, at, same, orders * same, after, mine)

    extend(0, 0, 0, 1, {0: 1}, 0)
    return RowTree(tuple(_as_arrays(np, *each) for each in found), counts)


def prepare() -> None:
    """Build what flips of a full deck are counted with: a tenth of a second that no query waits for."""
    row_tree((1, 2, 3), (4, 4, 4))


def _most_of(cards: FlipCards) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The bonuses of faces, and how many of each: as many of all of them, if few, so that decks share their tree."""
    counts = tuple(plain + trump for _, plain, trump in cards.faces)
    most = max(counts)
    bonuses = tuple(bonus for bonus, _, _ in cards.faces)
    return bonuses, (most,) * len(counts) if most * len(counts) <= FULL_DECK else counts


def _as_arrays(
    np: Any, totals: list[int], before: list[int], keys: list[tuple[int, float]], first_keys: list[int]
) -> RowSets:
    each, orders = zip(*keys, strict=True)
    return RowSets(np.array(totals), np.array(before), np.array(each), np.array(orders), np.array(first_keys))


def at_most_each(cards: FlipCards, opened: int, most: int) -> list[float]:
    """The chance that a flip ends without a joker and no stack is worth more, for every value from 0 on."""
    import numpy as np  # an extra: imported only where it is used

    tree = row_tree(*_most_of(cards))
    top, bonus = len(cards.plain) - 1, sum(bonus * (plain + trump) for bonus, plain, trump in cards.faces)
    values = np.arange(top + bonus + 1)
    plain, trump = (np.array([0.0, *accumulate(each)]) for each in (cards.plain, cards.trump))
    ways, used = ways_to_take(np, cards, tree.counts[-1]), np.array([sum(each) for each in tree.counts])
    rest = RestOfFlip(np, cards, opened, most, tree.counts[-1], lambda stacks: opened * factorial(stacks - 1))
    found = rest.after(0)[np.minimum(values, top), 0, 0, 0].copy()
    standing = [np.ones((1, len(values)))]
    """By how many rows stand on plain numbers: the ways of each set, up to each value."""
    for rows, sets in enumerate(tree.depths):
        level = np.clip(values[None, :] - sets.totals[:, None], -1, top) + 1
        before = [each[sets.before] for each in standing]
        standing = _one_more(before, plain[level], trump[level], rows, rest.most_plain)
        after = rest.after(rows + 1)
        by_key = np.einsum("kg,vpkg->kvp", ways, after[:, :, used])
        turned = np.add.reduceat(sets.orders[:, None, None] * by_key[sets.keys], sets.first_keys)
        for on_plain, each in enumerate(standing):
            found[:top] += np.einsum("nv,nv->v", each[:, :top], turned[:, :top, on_plain])
            found[top:] += np.einsum("nv,n->v", each[:, top:], turned[:, top, on_plain])
    return [float(each) for each in found]


def _one_more(before: list[Any], on_plain: Any, on_trump: Any, rows: int, most_plain: int) -> list[Any]:
    """In how many ways sets of rows stand, by how many of them on plain numbers, if one more does after so many.

    Rows so far stand on lower numbers, or on as low ones, so there are never fewer numbers than are in use.
    """
    found = [each * (on_trump - (rows - at)) for at, each in enumerate(before)]
    for at, each in enumerate(before[:most_plain]):
        more = each * (on_plain - at)
        if at + 1 < len(found):
            found[at + 1] += more
        else:
            found.append(more)
    return found


def ways_to_take(np: Any, cards: FlipCards, most: tuple[int, ...], of: int | None = None) -> Any:
    """By key, and by how many are trump: the ways to take so many faces of each bonus, one after the other.

    If asked for one of the bonuses, times the share of its faces that are trump.
    """
    lanes = cards.trump_faces + 1
    found = np.zeros((1, lanes))
    found[0, 0] = 1
    for at, ((_, plain, trump), limit) in enumerate(zip(cards.faces, most, strict=True)):
        after = np.zeros((len(found), limit + 1, lanes))
        for count, taken in product(range(plain + trump + 1), range(trump + 1)):
            if taken <= count:
                ways = comb(count, taken) * perm(trump, taken) * perm(plain, count - taken)
                share = taken / max(count, 1) if at == of else 1
                after[:, count, taken:] += share * ways * found[:, : lanes - taken]
        found = after.reshape(-1, lanes)
    return found


class RestOfFlip:
    """The chance of the rest of a flip: other stacks are single numbers of at most a value."""

    def __init__(
        self,
        np: Any,
        cards: FlipCards,
        opened: int,
        most: int,
        most_faces: tuple[int, ...],
        orders_of: Callable[[int], int],
    ) -> None:
        self.np, self.opened = np, opened
        self.plain, self.trump = (np.array([*accumulate(each)]) for each in (cards.plain, cards.trump))
        self.faces, self.lanes = sum(most_faces) + 1, cards.trump_faces + 1
        self.most_plain, all_trump = opened + cards.trump_faces, sum(cards.trump)
        whole = cards.count
        stacks = self.most_plain + all_trump + 1
        orders = np.zeros((stacks + all_trump + 1, self.faces))
        """The chance of an order of cards that begins with so many stacks and faces, of which the last one ends it."""
        for count, faces in product(range(1, stacks + all_trump + 1), range(self.faces)):
            if count + faces <= min(most, whole):
                orders[count, faces] = orders_of(count) / perm(whole, count + faces)
        self.numbers = np.zeros((all_trump + 1, stacks, self.faces))
        for left in range(all_trump + 1):
            for more in range(left + 1):
                self.numbers[left] += comb(left, more) * orders[more : more + stacks]
        self.choose = np.array(
            [[float(comb(of, take)) for take in range(self.most_plain + 1)] for of in range(sum(cards.plain) + 1)]
        )

    def after(self, rows: int) -> Any:
        """By value, by how many rows stand on plain numbers, by how many faces lie in rows, and how many are trump."""
        np = self.np
        on_plain = np.arange(min(rows, self.most_plain) + 1)[None, :, None]
        of_trump = np.arange(self.lanes)[None, None, :]
        plain, trump = self.plain[:, None, None] - on_plain, self.trump[:, None, None] - (rows - on_plain)
        more, stacks = self.opened + of_trump - on_plain, self.opened + of_trump + rows - on_plain
        fits = (plain >= 0) & (trump >= 0) & (more >= 0) & (more <= plain) & (stacks < self.numbers.shape[1])
        plain, trump, more, stacks = np.broadcast_arrays(plain, trump, more, stacks)
        inside = [np.where(fits, each, 0) for each in (plain, trump, more, stacks)]
        chosen = np.where(fits, self.choose[inside[0], inside[2]], 0.0)
        found = chosen[..., None] * self.numbers[inside[1], inside[3]]
        return found.transpose(0, 1, 3, 2)  # faces before trump, as sets of rows have them
