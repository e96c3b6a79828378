"""A flip of cards in stacks, over the cards that are left, without turning them.

A number closes the stack it is added to; a face adds its bonus and draws on; a trump card opens one more stack. So a
plain number leaves one stack fewer open, a trump number or a plain face as many, a trump face one more, and the flip
ends when none is open, or with a joker. Only the best stack counts.

Stacks are counted instead of orders of cards: of all orders of n stacks that close what is open, `opened` out of n end
at the last stack and not before (the cycle lemma). Stacks without faces are counted at once; those with faces by the
sums of their faces, of which there are some thousand sets. No stack is worth more than a value if every sum stands on a
number that is low enough: the largest sums, which have the fewest numbers to stand on, take theirs first. Above what a
number alone is worth, it is quicker to count the sets of stacks that are worth more, with alternating signs.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, product
from math import comb, factorial, gcd, perm, prod
from typing import final

from referee.odds.errors import bad_input, too_large

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Final, TypeAlias

    Faces: TypeAlias = tuple[tuple[int, int, int], ...]
    Shapes: TypeAlias = Sequence[tuple[int, int, int]]
    """Sets of sums, each after the one it extends: how many sums, the last of them, and the packed ways to make all."""

FEW: Final = 2
"""Values up to this much above the highest number are counted like those of numbers alone: both ways are right."""
MOST_CARDS: Final = 120
MOST_FACES: Final = 14
"""The sets of sums of so many faces are still counted in less than a second."""


@final
@dataclass(frozen=True, slots=True)
class FlipCards:
    """The cards that a flip may turn, by what it reads of them."""

    plain: tuple[int, ...]
    """How many numbers there are of each value from 0 on, without trump."""
    trump: tuple[int, ...]
    """How many numbers of the trump suit there are of each value."""
    faces: Faces = ()
    """Each bonus of a face: how many plain faces bring it, how many of trump."""
    jokers: int = 0

    @classmethod
    def of(
        cls, numbers: Iterable[tuple[int, bool]], faces: Iterable[tuple[int, bool]] = (), jokers: int = 0
    ) -> FlipCards:
        """From the value of each number and the bonus of each face, and whether it is trump."""
        ends, adds = Counter(numbers), Counter(faces)
        values = range(max((value for value, _ in ends), default=0) + 1)
        return cls(
            tuple(ends[value, False] for value in values),
            tuple(ends[value, True] for value in values),
            tuple((bonus, adds[bonus, False], adds[bonus, True]) for bonus in sorted({bonus for bonus, _ in adds})),
            jokers,
        )

    @property
    def count(self) -> int:
        return sum(self.plain) + sum(self.trump) + self.plain_faces + self.trump_faces + self.jokers

    @property
    def plain_faces(self) -> int:
        return sum(plain for _, plain, _ in self.faces)

    @property
    def trump_faces(self) -> int:
        return sum(trump for _, _, trump in self.faces)


@final
@dataclass(frozen=True, slots=True)
class FlipEnds:
    """How a flip ends, in ways out of `whole`."""

    best: dict[int, int]
    """By the value of the best stack."""
    joker: int
    unended: int
    """The ways in which the cards run out first."""
    whole: int


@lru_cache(maxsize=256)
def best_stack(cards: FlipCards, opened: int = 1, most: int | None = None) -> FlipEnds:
    """How a flip that begins with so many open stacks ends, if at most so many of the cards can be turned."""
    if opened < 1 or any(bonus < 1 for bonus, _, _ in cards.faces):
        raise bad_input("flip", "must have an open stack, and faces that add something")
    if cards.count > MOST_CARDS or cards.plain_faces + cards.trump_faces > MOST_FACES:
        raise too_large(f"a flip of {cards.count} cards; at most {MOST_CARDS} with {MOST_FACES} faces are worked out")
    flip = _Flip(cards, opened, cards.count if most is None else most)
    below = [flip.at_most(value) for value in range(flip.highest + 1)]
    whole, joker = factorial(cards.count), flip.jokers()
    best = {value: ways - before for value, (before, ways) in enumerate(zip([0, *below], below, strict=False))}
    unended = whole - below[-1] - joker
    shared = gcd(whole, joker, unended, *best.values())
    kept = {value: ways // shared for value, ways in best.items() if ways}
    return FlipEnds(kept, joker // shared, unended // shared, whole // shared)


@final
class _Flip:
    """All orders of some cards, by how a flip of them ends."""

    def __init__(self, cards: FlipCards, opened: int, most: int) -> None:
        self.cards, self.opened, self.most, self.count = cards, opened, most, cards.count
        self.plain, self.trump = list(accumulate(cards.plain)), list(accumulate(cards.trump))
        """How many numbers there are up to each value."""
        self.top = len(cards.plain) - 1
        self.turning = self.top + FEW
        self.bonus = sum(bonus * (plain + trump) for bonus, plain, trump in cards.faces)
        self.highest = self.top + self.bonus
        self.plain_faces, self.trump_faces = cards.plain_faces, cards.trump_faces
        numbers, faces = self.plain[-1] + self.trump[-1], self.plain_faces + self.trump_faces
        self.width = (factorial(faces) * 2**faces * perm(numbers, min(numbers, faces))).bit_length() + 1
        self._factorials = [factorial(each) for each in range(self.count + 1)]
        self._rests: dict[tuple[int, ...], int] = {}
        self._spreads: dict[tuple[int, ...], int] = {}

    def at_most(self, value: int) -> int:
        """The orders in which the flip ends without a joker, and no stack is worth more than a value."""
        return self._none_above(value) if value <= self.turning else self._all_less_those_above(value)

    def _none_above(self, value: int) -> int:
        """The stacks one by one: each sum of faces stands on a number that is low enough."""
        shapes, highest = _shapes(self.cards.faces, self.width, range(self.turning, 0, -1)), min(value, self.top)
        first = next((at for at, (sums, total, _) in enumerate(shapes) if sums == 1 and total <= value), len(shapes))
        plain = {total: self.plain[min(value - total, self.top)] for total in range(1, value + 1)}
        trump = {total: self.trump[min(value - total, self.top)] for total in range(1, value + 1)}
        found = self._standing(shapes[first:], plain, trump)
        return self._bare(highest, 0, 0, 0, 0) + sum([ways * self._bare(highest, *used) for used, ways in found])

    def _all_less_those_above(self, value: int) -> int:
        """All stacks, less those with one that is worth more, and so on with alternating signs."""
        shapes = _shapes(self.cards.faces, self.width, range(self.turning + 2 - self.top, self.bonus + 1))
        least = value - self.top + 1
        first = next((at for at, (sums, total, _) in enumerate(shapes) if sums == 1 and total >= least), len(shapes))
        limits = {total: value - total for total in range(least, self.bonus + 1)}
        plain = {total: self.plain[-1] - (self.plain[limit] if limit >= 0 else 0) for total, limit in limits.items()}
        trump = {total: self.trump[-1] - (self.trump[limit] if limit >= 0 else 0) for total, limit in limits.items()}
        found = [self._rest(0, 0, 0, 0)]
        for used, ways in self._standing(shapes[first:], plain, trump):
            more = ways * self._rest(*used)
            found.append(-more if (used[0] + used[1]) % 2 else more)
        return sum(found)

    def jokers(self) -> int:
        """The orders in which a joker comes before the flip has ended."""
        others, found, ended = self.count - self.cards.jokers, 0, self._ended()
        for before in range(min(self.most, others + 1) if self.cards.jokers else 0):
            after = self.cards.jokers * factorial(self.count - before - 1)
            over = [
                ways * perm(others - size, before - size) * after // factorial(self.count - size)
                for size, ways in enumerate(ended[: before + 1])
            ]
            found += perm(others, before) * after - sum(over)
        return found

    def _ended(self) -> list[int]:
        """The orders in which the flip ends without a joker, by how many cards it turns."""
        found = [0] * (self.count + 1)
        for of_trump in range(self.trump_faces + 1):
            on_plain = self.opened + of_trump
            for on_trump in range(self.trump[-1] + 1):
                numbers = comb(self.plain[-1], on_plain) * comb(self.trump[-1], on_trump)
                for size, ways in self._spread_by_size(0, 0, 0, on_plain + on_trump, of_trump):
                    found[size] += numbers * ways
        return found

    def _standing(
        self, shapes: Shapes, plain: dict[int, int], trump: dict[int, int]
    ) -> Iterator[tuple[tuple[int, int, int, int], int]]:
        """What sets of sums use, and in how many ways they stand on so many plain and trump numbers for each sum.

        Used are plain numbers, trump numbers, faces, and trump faces. Each sum has at least the numbers of the one
        before it in its set to stand on.
        """
        deepest = max([sums for sums, _, _ in shapes], default=0)
        standing: list[list[int]] = [[1], *([] for _ in range(deepest))]
        """For the set so far and those it extends: the ways by how many of its sums stand on plain numbers."""
        found = [[0] * (sums + 1) for sums in range(deepest + 1)]
        most_plain = self.opened + self.trump_faces
        for sums, total, ways in shapes:
            here: list[int] = []
            on_plain, on_trump, left = plain[total], trump[total] - sums + 1, 0
            for each in standing[sums - 1]:
                here.append(each * on_trump + left)
                left = each * on_plain
                on_plain, on_trump = on_plain - 1, on_trump + 1
            if len(here) <= most_plain:
                here.append(left)
            standing[sums], row = here, found[sums]
            for at, each in enumerate(here):
                if each:
                    row[at] += each * ways
        for sums, row in enumerate(found):
            for on_plain, packed in enumerate(row):
                for used, ways in self._unpacked(packed):
                    yield (on_plain, sums - on_plain, *used), ways

    def _unpacked(self, packed: int) -> Iterator[tuple[tuple[int, int], int]]:
        mask, at = (1 << self.width) - 1, 0
        while packed:
            if ways := packed & mask:
                yield divmod(at, self.trump_faces + 1), ways
            packed, at = packed >> self.width, at + 1

    def _bare(self, value: int, on_plain: int, on_trump: int, faces: int, of_trump: int) -> int:
        """The orders in which all other stacks are single numbers of at most a value."""
        plain, trump = self.plain[value] - on_plain, self.trump[value] - on_trump
        more_plain, stacks = self.opened + of_trump - on_plain, self.opened + of_trump + on_trump
        if not 0 <= more_plain <= plain:
            return 0
        orders = [comb(trump, more) * self._orders(stacks + more, faces) for more in range(trump + 1)]
        return comb(plain, more_plain) * sum(orders)

    def _rest(self, on_plain: int, on_trump: int, faces: int, of_trump: int) -> int:
        """The orders in which all other stacks are any numbers, with any of the other faces."""
        key = (on_plain, on_trump, faces, of_trump)
        if key not in self._rests:
            self._rests[key] = sum(self._rest_with(*key, trump) for trump in range(of_trump, self.trump_faces + 1))
        return self._rests[key]

    def _rest_with(self, on_plain: int, on_trump: int, faces: int, of_trump: int, all_trump: int) -> int:
        plain, trump = self.plain[-1] - on_plain, self.trump[-1] - on_trump
        more_plain, stacks = self.opened + all_trump - on_plain, self.opened + all_trump + on_trump
        if not 0 <= more_plain <= plain:
            return 0
        sums = on_plain + on_trump
        spread = [
            comb(trump, more) * self._spread(sums, faces, of_trump, stacks + more, all_trump)
            for more in range(trump + 1)
        ]
        return comb(plain, more_plain) * sum(spread)

    def _spread(self, sums: int, faces: int, of_trump: int, stacks: int, all_trump: int) -> int:
        """The orders in which any of the other faces lie anywhere in the stacks that are not among the sums."""
        key = (sums, faces, of_trump, stacks, all_trump)
        if key not in self._spreads:
            self._spreads[key] = sum([ways for _, ways in self._spread_by_size(*key)])
        return self._spreads[key]

    def _spread_by_size(
        self, sums: int, faces: int, of_trump: int, stacks: int, all_trump: int
    ) -> Iterator[tuple[int, int]]:
        """The same by how many cards are turned."""
        more_trump, others = all_trump - of_trump, stacks - sums
        left, left_trump = self.plain_faces - faces + of_trump, self.trump_faces - of_trump
        for more in range(more_trump, left + more_trump + 1 if others else min(1, left + more_trump + 1)):
            labelled = comb(more, more_trump) * perm(left_trump, more_trump) * perm(left, more - more_trump)
            cuts = comb(more + others - 1, more) if more else 1
            if orders := self._orders(stacks, faces + more):
                yield stacks + faces + more, labelled * cuts * orders

    def _orders(self, stacks: int, faces: int) -> int:
        """The orders of all cards that begin with these stacks, of which the last one ends the flip."""
        turned = stacks + faces
        if not stacks or turned > self.most:
            return 0
        return self._factorials[stacks - 1] * self._factorials[self.count - turned] * self.opened


@lru_cache(maxsize=64)
def _shapes(faces: Faces, width: int, totals: range) -> Shapes:
    """The sets of sums that disjoint rows of faces can have, with totals in this order.

    The ways are packed by how many faces are used, and how many of them are trump.
    """
    lanes, most = sum(trump for _, _, trump in faces) + 1, [plain + trump for _, plain, trump in faces]
    base = 2 * max(most, default=0) + 1
    cards: dict[int, int] = {}
    """Counts of faces of each bonus, as one number: the ways to take cards for them."""
    rows: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
    """By total: counts of faces, and the orders of them."""
    for counts in product(*(range(each + 1) for each in most)):
        key, used = sum(count * base**at for at, count in enumerate(counts)), sum(counts)
        cards[key] = sum(ways << width * (used * lanes + trump) for trump, ways in _taken(faces, counts).items())
        total = sum(count * bonus for count, (bonus, _, _) in zip(counts, faces, strict=True))
        rows[total].append((key, factorial(used) // prod(map(factorial, counts))))
    possible, found = [total for total in totals if total in rows], list[tuple[int, int, int]]()

    def extend(sums: int, first: int, equal: int, orders: int, before: dict[int, int]) -> None:
        for at in range(first, len(possible)):
            after: dict[int, int] = {}
            for key, ways in before.items():
                for row, in_order in rows[possible[at]]:
                    if key + row in cards:
                        after[key + row] = after.get(key + row, 0) + ways * in_order
            if after:
                same = equal + 1 if at == first else 1
                packed = sum([ways * cards[key] for key, ways in after.items()])
                found.append((sums, possible[at], packed // (orders * same)))
                extend(sums + 1, at, same, orders * same, after)

    extend(1, 0, 0, 1, {0: 1})
    return found


def _taken(faces: Faces, counts: tuple[int, ...]) -> dict[int, int]:
    """The ways to take so many faces of each bonus, one after the other, by how many of them are trump."""
    found = {0: 1}
    for count, (_, plain, trump) in zip(counts, faces, strict=True):
        more: defaultdict[int, int] = defaultdict(int)
        for before, ways in found.items():
            for taken in range(max(0, count - plain), min(count, trump) + 1):
                more[before + taken] += ways * comb(count, taken) * perm(trump, taken) * perm(plain, count - taken)
        found = more
    return found
