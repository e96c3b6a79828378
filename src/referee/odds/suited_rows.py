"""The best stack of a flip where suits have limits of their own: for `best_worth`, with many faces and numpy.

It counts the orders in which no stack is above the limit of its suit. Numbers come from the lowest up: those of a value
that are low enough by themselves may be stacks of their own, then rows of faces that stand on this value or less take
any number so far that is not in use. Rows of suits without a limit come last, all at once. What is kept: how many faces
of each bonus are in rows, how many of them begin a row, by limit, and how many plain and trump numbers are in use.
Which faces are trump is counted last.

The suits of one limit need not be told apart from all others: their rows are those of any face, less those that a face
of another limit begins. These are the only numbers that are ever subtracted.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from functools import lru_cache
from itertools import accumulate, product
from math import comb, factorial, perm, prod
from operator import mul
from typing import Any, NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Final, TypeAlias

    from referee.odds.flips import SuitedCards

    State: TypeAlias = tuple[int, ...]
    """Of one bonus: how many faces are in rows, and how many of each limit that is told apart begin one."""
    Kinds: TypeAlias = tuple[int, ...]
    """How many faces: without a limit, plain and trump; with one, plain and trump."""

MOST_PLACES: Final = 1_000_000
"""So many figures for one limit are worked out in less than half a second."""


class SuitedRow(NamedTuple):
    """Faces in a row: how many of each bonus, in how many orders; the bonus and limit of the first, if that counts."""

    counts: tuple[int, ...]
    orders: int
    first: tuple[int, int] | None = None


def at_most(cards: SuitedCards, opened: int, most: int, limits: Sequence[int]) -> float | None:
    """The chance that a flip ends without a joker, and no stack is above the limit of its suit.

    None if that is too much to count.
    """
    import numpy as np  # an extra: imported only where it is used

    flip = _SuitedFlip(np, cards, opened, most, dict(zip(cards.suits, limits, strict=True)))
    return flip.at_most() if flip.places <= MOST_PLACES else None


class _SuitedFlip:
    def __init__(self, np: Any, cards: SuitedCards, opened: int, most: int, limit_of: dict[str, int]) -> None:
        self.np, self.cards, self.opened, self.most = np, cards, opened, most
        self.bonuses = tuple(sorted({bonus for bonus, _ in cards.faces}))
        self.top = max((value for value, _ in cards.numbers), default=0)
        self.unlimited = self.top + sum(bonus for bonus, _ in cards.faces)
        self.limit_of = {suit: min(limit, self.unlimited) for suit, limit in limit_of.items()}
        self.faces = Counter((bonus, self.limit_of[suit], suit in cards.trump) for bonus, suit in cards.faces)
        self.numbers = Counter((value, suit in cards.trump) for value, suit in cards.numbers)
        self.single = Counter(
            (value, suit in cards.trump) for value, suit in cards.numbers if value <= self.limit_of[suit]
        )
        self.plain, self.trump = (
            list(accumulate(self.numbers[value, trump] for value in range(self.top + 1))) for trump in (False, True)
        )
        trump_faces = sum(count for (_, _, trump), count in self.faces.items() if trump)
        self.most_plain, self.most_trump = min(opened + trump_faces, self.plain[-1]), self.trump[-1]
        limits = sorted({limit for _, limit, _ in self.faces})
        ways: list[tuple[int | None, list[int]]] = [(None, [each for each in limits if each < self.unlimited])]
        ways += [(each, [other for other in limits if other != each]) for each in limits if each < self.unlimited]
        self.common, self.told = min(
            ways, key=lambda way: prod(len(self._states(bonus, way[1])) for bonus in self.bonuses)
        )
        """The limit whose faces are not told apart, if any, and those whose faces are."""
        self.states = [self._states(bonus, self.told) for bonus in self.bonuses]
        self.keys = prod(map(len, self.states))
        self.places = self.keys * (self.most_plain + 1) * (self.most_trump + 1)
        self.reached: Any = None
        """Which keys have any ways so far."""
        self._after: dict[Any, Any] = {}

    def _of(self, bonus: int, limit: int | None = None) -> int:
        """How many faces there are of a bonus, and of a limit."""
        return sum(count for (each, of, _), count in self.faces.items() if each == bonus and limit in (None, of))

    def _states(self, bonus: int, told: Sequence[int]) -> list[State]:
        firsts = product(*(range(self._of(bonus, limit) + 1) for limit in told))
        count = self._of(bonus)
        return [(used, *first) for first in firsts for used in range(sum(first), count + 1)]

    def at_most(self) -> float:
        """Numbers and rows from the lowest up, then rows without a limit, and what all of them are worth."""
        standing = self.np.zeros((self.keys, self.most_plain + 1, self.most_trump + 1))
        standing[0, 0, 0] = 1  # the first state of every bonus: nothing is in use
        self.reached = self.np.arange(self.keys) == 0
        rows = self._rows()
        for value in range(self.top + 1):
            self._add_singles(standing, value)
            for row in rows.get(value, ()):
                self._add(standing, row, value)
        return self._ended(standing)

    # --- rows of faces ------------------------------------------------------------------------------------------------

    def _rows(self) -> dict[int, list[SuitedRow]]:
        """The rows by the highest value they can stand on; none that cannot stand."""
        found: defaultdict[int, list[SuitedRow]] = defaultdict(list)
        for counts in product(*(range(self._of(bonus) + 1) for bonus in self.bonuses)):
            if worth := sum(map(mul, counts, self.bonuses)):
                for limit, row in self._rows_of(counts):
                    if limit >= worth:
                        found[min(limit - worth, self.top)].append(row)
        return found

    def _rows_of(self, counts: tuple[int, ...]) -> Iterator[tuple[int, SuitedRow]]:
        if self.common is not None:
            yield self.common, SuitedRow(counts, _orders(counts))
        for at, (bonus, count) in enumerate(zip(self.bonuses, counts, strict=True)):
            rest = _orders([each - (at == other) for other, each in enumerate(counts)]) if count else 0
            for of, limit in enumerate(self.told if count else ()):
                if self._of(bonus, limit):
                    if limit < self.unlimited:
                        yield limit, SuitedRow(counts, rest, (at, of))
                    if self.common is not None:
                        yield self.common, SuitedRow(counts, -rest, (at, of))

    def _add(self, standing: Any, row: SuitedRow, value: int) -> None:
        """One such row, or several."""
        after = self._after_row(row)
        (source,) = self.np.nonzero((after >= 0) & self.reached)
        block, at, copy = standing[source], after[source], 1
        while len(at):
            block = self._stood(block, value, row.orders / copy)
            standing[at] += block
            self.reached[at] = True
            (again,) = self.np.nonzero(after[at] >= 0)
            block, at, copy = block[again], after[at[again]], copy + 1

    def _after_row(self, row: SuitedRow) -> Any:
        """For each key the one after a row; less than 0 where there are not enough faces."""
        found = self._after.get((row.counts, row.first))
        if found is None:
            found = self.np.zeros(1, dtype=int)
            for at, states in enumerate(self.states):
                first = row.first[1] if row.first is not None and row.first[0] == at else None
                found = self.np.add.outer(found * len(states), self._after_faces(at, row.counts[at], first)).ravel()
            self._after[row.counts, row.first] = found
        return found

    def _after_faces(self, bonus: int, count: int, first: int | None) -> Any:
        key = (bonus, count, first)
        if key not in self._after:
            states = {state: at for at, state in enumerate(self.states[bonus])}
            more = [
                (used + count, *(each + (at == first) for at, each in enumerate(firsts))) for used, *firsts in states
            ]
            self._after[key] = self.np.array([states.get(state, -self.keys * len(states)) for state in more])
        return self._after[key]

    # --- numbers ------------------------------------------------------------------------------------------------------

    def _stood(self, block: Any, value: int, weight: float) -> Any:
        """One more row on any number up to a value that is not in use."""
        np = self.np
        plain = weight * np.maximum(self.plain[value] - np.arange(self.most_plain), 0)
        trump = weight * np.maximum(self.trump[value] - np.arange(self.most_trump), 0)
        found = np.zeros(block.shape)
        np.multiply(block[:, :-1], plain[:, None], out=found[:, 1:])
        found[:, :, 1:] += block[:, :, :-1] * trump
        return found

    def _add_singles(self, standing: Any, value: int) -> None:
        """Any of the numbers of a value that are low enough by themselves."""
        plain, trump = self.single[value, False], self.single[value, True]
        if plain or trump:
            (reached,) = self.np.nonzero(self.reached)
            before = standing[reached]
            for more_plain, more_trump in product(range(plain + 1), range(trump + 1)):
                if more_plain <= self.most_plain and more_plain + more_trump > 0:
                    block = before[:, : self.most_plain + 1 - more_plain, : self.most_trump + 1 - more_trump]
                    standing[reached, more_plain:, more_trump:] += (
                        comb(plain, more_plain) * comb(trump, more_trump) * block
                    )

    # --- the end ------------------------------------------------------------------------------------------------------

    def _ended(self, standing: Any) -> float:
        """Which faces they are, rows without a limit on any other number, and the chance of such an order."""
        kinds = [self._kinds(bonus) for bonus in self.bonuses]
        every: Kinds = tuple(map(sum, zip((0, 0, 0, 0), *kinds, strict=True)))
        used = self._taken(standing, every)
        shape = (self.most_plain + 1, self.most_trump + 1)
        return sum(
            float((self.np.einsum("kn,kfg->nfg", used, laid).reshape(*shape, *laid.shape[1:]) * orders).sum())
            for laid, orders in zip(_laid(every), self._orders_with(every), strict=True)
        )

    def _kinds(self, bonus: int) -> Kinds:
        found = [0, 0, 0, 0]
        for (each, limit, trump), count in self.faces.items():
            if each == bonus:
                found[2 * (limit < self.unlimited) + trump] += count
        return tuple(found)

    def _taken(self, standing: Any, every: Kinds) -> Any:
        """What stands, by how many faces of each kind are in use, times the ways to take them one after the other."""
        sizes = [each + 1 for each in every]
        found = standing.reshape(self.keys, 1, -1)
        for bonus, states in zip(reversed(self.bonuses), reversed(self.states), strict=True):
            found = found.reshape(-1, len(states), *found.shape[1:])
            after = self.np.zeros((len(found), prod(sizes), found.shape[3]))
            for at, state in enumerate(states):
                for kinds, ways in self._taken_of(bonus, state).items():
                    to = _place(kinds, sizes)
                    block = after[:, to : to + found.shape[2]]
                    block += ways * found[:, at, : block.shape[1]]
            found = after
        return found.reshape(prod(sizes), -1)

    def _taken_of(self, bonus: int, state: State) -> Counter[Kinds]:
        used, *firsts = state
        found: Counter[Kinds] = Counter({(0, 0, 0, 0): 1})
        for limit, count in zip(self.told, firsts, strict=True):
            plain, trump = self.faces[bonus, limit, False], self.faces[bonus, limit, True]
            there = (plain, trump, 0, 0) if limit >= self.unlimited else (0, 0, plain, trump)
            found = _both(found, lambda _, there=there: there, count)
        every = self._kinds(bonus)
        return _both(found, lambda taken: tuple(map(int.__sub__, every, taken)), used - sum(firsts))

    def _orders_with(self, every: Kinds) -> Iterator[Any]:
        """By how many rows without a limit: the numbers they take, and the chance of such an order.

        Each by plain and trump numbers in use before, faces, and trump faces.
        """
        np, cards = self.np, self.cards
        whole = len(cards.numbers) + len(cards.faces) + cards.jokers
        faces, lanes = sum(every) + 1, every[1] + every[3] + 1
        chance = np.zeros((self.most_plain + 1, self.most_trump + 1, faces))
        for plain, trump, used in product(*map(range, chance.shape)):
            if (stacks := plain + trump) and stacks + used <= min(self.most, whole):
                chance[plain, trump, used] = self.opened * factorial(stacks - 1) / perm(whole, stacks + used)
        for rows in range(every[0] + every[1] + 1):
            found = np.zeros((*chance.shape, lanes))
            for of_trump, before in product(range(lanes), range(self.most_plain + 1)):
                plain = self.opened + of_trump - before
                if 0 <= plain <= rows and self.opened + of_trump <= self.most_plain:
                    ways = comb(self.plain[-1] - before, plain)
                    for trump in range(self.most_trump + 1 - (rows - plain)):
                        on_trump = ways * comb(self.most_trump - trump, rows - plain)
                        after = chance[self.opened + of_trump, trump + rows - plain]
                        found[before, trump, :, of_trump] += on_trump * after
            yield found


def _orders(counts: Sequence[int]) -> int:
    return factorial(sum(counts)) // prod(map(factorial, counts))


def _place(kinds: Sequence[int], sizes: Sequence[int]) -> int:
    found = 0
    for each, size in zip(kinds, sizes, strict=True):
        found = found * size + each
    return found


def _both(found: Counter[Kinds], left: Any, count: int) -> Counter[Kinds]:
    """So many more of the kinds that are left, one after the other."""
    after: Counter[Kinds] = Counter()
    for taken, ways in found.items():
        there = left(taken)
        for more in product(*(range(min(each, count) + 1) for each in there)):
            if sum(more) == count:
                both: Kinds = tuple(map(int.__add__, taken, more))
                after[both] += ways * _orders(more) * prod(map(perm, there, more))
    return after


@lru_cache(maxsize=16)
def _laid(every: Kinds) -> tuple[Any, ...]:
    """By how many rows: the ways to lay more faces in rows that one without a limit begins.

    By the kinds in use before, and after it by how many faces are in use, and how many of them are trump.
    """
    import numpy as np  # an extra: imported only where it is used

    kinds = np.array(list(product(*(range(each + 1) for each in every))))
    faces, lanes = sum(every) + 1, every[1] + every[3] + 1
    choose = np.array([[float(comb(of, take)) for take in range(faces)] for of in range(faces)])
    left = np.array(every)[None, :] - kinds
    chosen = np.ones((len(kinds), len(kinds)))
    for at in range(4):
        chosen *= choose[left[:, at][:, None], kinds[:, at][None, :]]
    begins, more = kinds[:, 0] + kinds[:, 1], kinds.sum(axis=1)
    used, trump = more[:, None] + more[None, :], kinds[:, (1, 3)].sum(axis=1)
    to = (np.arange(len(kinds))[:, None] * faces + np.minimum(used, faces - 1)) * lanes + np.minimum(
        trump[:, None] + trump[None, :], lanes - 1
    )  # sums that are too high have no ways
    found = []
    for rows in range(every[0] + every[1] + 1):
        orders = np.array(
            [_laid_in(rows, first, each) for first, each in zip(begins.tolist(), more.tolist(), strict=True)]
        )
        ways = np.bincount(to.ravel(), (chosen * orders[None, :]).ravel(), len(kinds) * faces * lanes)
        found.append(ways.reshape(len(kinds), faces, lanes))
    return tuple(found)


def _laid_in(rows: int, begins: int, faces: int) -> float:
    """The ways to lay so many faces, of which some can begin a row, in so many rows that are told apart."""
    if not rows:
        return float(not faces)
    return float(perm(begins, rows) * factorial(faces - 1) // factorial(rows - 1)) if faces else 0.0
