"""A flip of cards in stacks, over the cards that are left, without turning them.

A number closes the stack it is added to; a face adds its bonus and draws on; a trump card opens one more stack. So a
plain number leaves one stack fewer open, a trump number or a plain face as many, a trump face one more, and the flip
ends when none is open, or with a joker. Only the best stack counts.

Stacks are counted instead of orders of cards: of all orders of n stacks that close what is open, `opened` out of n end
at the last stack and not before (the cycle lemma). Stacks without faces are counted at once; those with faces by the
sums of their faces, of which there are some thousand sets. No stack is worth more than a value if every sum stands on a
number that is low enough: the largest sums, which have the fewest numbers to stand on, take theirs first. Above what a
number alone is worth, it is quicker to count the sets of stacks that are worth more, with alternating signs.

Where suits matter, a stack has the suit of its first card, and a worth by value and suit. The sets of stacks that are
worth more are counted, again with alternating signs, from the highest numbers down: some are too high alone, and a row
of faces is too high on any number above a level. With many faces it is quicker to count those that are not, with numpy.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, pairwise, product
from math import comb, factorial, gcd, perm, prod
from operator import mul
from typing import Any, Generic, Protocol, TypeVar, final

from referee.odds import begun_stacks, stack_rows, suited_rows
from referee.odds.errors import bad_input, too_large

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import Final, TypeAlias

    Faces: TypeAlias = tuple[tuple[int, int, int], ...]
    Shapes: TypeAlias = Sequence[tuple[int, int, int]]
    """Sets of sums, each after the one it extends: how many sums, the last of them, and the packed ways to make all."""
    Standing: TypeAlias = dict[tuple[int, int], int]
    """Ways by how many plain and how many trump numbers are in use."""


class Ordered(Protocol):
    """What can be sorted."""

    def __lt__(self, other: Any, /) -> bool: ...
    def __hash__(self) -> int: ...


T = TypeVar("T")
W = TypeVar("W", bound=Ordered)

FEW: Final = 2
"""Values up to this much above the highest number are counted like those of numbers alone: both ways are right."""
MOST_CARDS: Final = 120
MOST_FACES: Final = 14
"""The sets of sums of so many faces are still counted in less than a second."""
MANY_FACES: Final = 9
"""From here on one value after the other takes longer than all of them at once in floating point."""
MOST_MIXED: Final = 8
"""With more faces, and without numpy, it takes seconds where suits have different limits at once: a margin that doubles
the damage."""


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
class FlipEnds(Generic[T]):
    """How a flip ends, in ways out of `whole`."""

    best: dict[T, int]
    """By what the best stack is worth."""
    joker: int
    unended: int
    """The ways in which the cards run out first."""
    whole: int


@lru_cache(maxsize=256)
def best_stack(cards: FlipCards, opened: int = 1, most: int | None = None) -> FlipEnds[int]:
    """How a flip that begins with so many open stacks ends, if at most so many of the cards can be turned.

    With many faces, and where numpy is installed, what may be wrong in floating point is counted as not ended.
    """
    flip = _checked(cards, opened, most)
    if _is_for_numpy(flip):
        return _rounded(flip, dict(enumerate(stack_rows.at_most_each(cards, opened, flip.most))))
    return _ends(flip, {value: flip.at_most(value) for value in range(flip.highest + 1)})


@lru_cache(maxsize=256)
def best_begun(
    cards: FlipCards, bonus: int, opened: int = 1, most: int | None = None, steps: tuple[int, ...] | None = None
) -> FlipEnds[int]:
    """The same for a flip whose first stack was begun by a face from hand, which has brought a bonus.

    If steps are given, values up to the same step are not told apart, which is much quicker: all count as that step,
    and those above the last one as the highest value there is.
    """
    flip = _checked(cards, opened, most)
    if not stack_rows.is_possible():
        raise too_large("a flip begun by a face from hand, without numpy,")
    highest = flip.highest + bonus
    values = range(highest) if steps is None else sorted({each for each in steps if 0 <= each < highest})
    found = begun_stacks.at_most(cards, bonus, opened, flip.most, values)
    return _rounded(
        flip, {**dict(zip(values, found, strict=True)), highest: flip.rest(0, 0, 0, 0) / factorial(flip.count)}
    )


def _is_for_numpy(flip: _Flip) -> bool:
    return flip.plain_faces + flip.trump_faces >= MANY_FACES and stack_rows.is_possible()


def _rounded(flip: _Flip, at_most: dict[W, float]) -> FlipEnds[W]:
    """From the chances that the best is at most so much; nothing is rounded up."""
    whole = stack_rows.WHOLE
    chances = [after - before - stack_rows.DOUBT for before, after in pairwise([0.0, *at_most.values()])]
    best = {value: int(chance * whole) for value, chance in zip(at_most, chances, strict=True) if chance > 0}
    joker = flip.jokers() * whole // factorial(flip.count)
    return FlipEnds(best, joker, whole - joker - sum(best.values()), whole)


@lru_cache(maxsize=16)
def _checked(cards: FlipCards, opened: int, most: int | None) -> _Flip:
    if opened < 1 or any(bonus < 1 for bonus, _, _ in cards.faces):
        raise bad_input("flip", "must have an open stack, and faces that add something")
    if cards.count > MOST_CARDS or cards.plain_faces + cards.trump_faces > MOST_FACES:
        raise too_large(f"a flip of {cards.count} cards; at most {MOST_CARDS} with {MOST_FACES} faces are worked out")
    return _Flip(cards, opened, cards.count if most is None else most)


def _ends(flip: _Flip, at_most: dict[W, int]) -> FlipEnds[W]:
    """From the orders in which the best is at most so much; at most the last of them is any that ends."""
    whole, joker, ended = factorial(flip.count), flip.jokers(), list(at_most.values())
    best = {each: ways - before for each, before, ways in zip(at_most, [0, *ended], ended, strict=False)}
    unended = whole - (ended[-1] if ended else 0) - joker
    shared = gcd(whole, joker, unended, *best.values())
    kept = {each: ways // shared for each, ways in best.items() if ways}
    return FlipEnds(kept, joker // shared, unended // shared, whole // shared)


@final
@dataclass(frozen=True, slots=True)
class SuitedCards:
    """The cards that a flip may turn, with their suits."""

    numbers: tuple[tuple[int, str], ...]
    faces: tuple[tuple[int, str], ...] = ()
    """The bonus and the suit of each."""
    jokers: int = 0
    trump: frozenset[str] = frozenset()

    @property
    def plainly(self) -> FlipCards:
        """The same cards, of which only trump is told apart."""
        numbers = [(value, suit in self.trump) for value, suit in self.numbers]
        return FlipCards.of(numbers, [(bonus, suit in self.trump) for bonus, suit in self.faces], self.jokers)

    @property
    def suits(self) -> tuple[str, ...]:
        return tuple(sorted({suit for _, suit in (*self.numbers, *self.faces)}))


def best_worth(
    cards: SuitedCards,
    worth: Callable[[int, str], W],
    opened: int = 1,
    most: int | None = None,
    most_mixed: int = MOST_MIXED,
) -> FlipEnds[W]:
    """How a flip ends, by what the best of its stacks is worth, each by its value and the suit of its first card.

    Of the same suit, a higher value must not be worth less. With many faces, and where numpy is installed, what may be
    wrong in floating point is counted as not ended.
    """
    flip, suits = _checked(cards.plainly, opened, most), cards.suits
    worths = {suit: [worth(value, suit) for value in range(flip.highest + 1)] for suit in suits}
    if any(after < before for each in worths.values() for before, after in pairwise(each)):
        raise bad_input("worth", "must not be lower for a higher value of the same suit")
    limits: dict[W, tuple[int, ...]] = {
        each: tuple(bisect_right(worths[suit], each) - 1 for suit in suits)
        for each in sorted({each for row in worths.values() for each in row})
    }
    if any(len({*limit}) > 1 for limit in limits.values()) and _is_for_numpy(flip):
        return _rounded(flip, _chances(cards, flip, limits))
    mixed = any(len({each for each in limit if each < flip.highest}) > 1 for limit in limits.values())
    if mixed and len(cards.faces) > most_mixed:
        raise too_large(f"a flip of {len(cards.faces)} faces, whose suits have different limits at once")
    found: dict[tuple[int, ...], int] = {}
    for limit in limits.values():
        if limit not in found:
            found[limit] = (
                flip.at_most(limit[0]) if len({*limit}) == 1 else _none_above(cards, opened, flip.most, limit)
            )
    return _ends(flip, {each: found[limit] for each, limit in limits.items()})


def _chances(cards: SuitedCards, flip: _Flip, limits: dict[W, tuple[int, ...]]) -> dict[W, float]:
    """The chance that the best is at most so much; limits that are the same for all suits at once."""
    alike = stack_rows.at_most_each(flip.cards, flip.opened, flip.most)
    return {
        each: alike[limit[0]] if len({*limit}) == 1 else _chance_of_none_above(cards, flip.opened, flip.most, limit)
        for each, limit in limits.items()
    }


@lru_cache(maxsize=256)
def _chance_of_none_above(cards: SuitedCards, opened: int, most: int, limits: tuple[int, ...]) -> float:
    found = suited_rows.at_most(cards, opened, most, limits)
    if found is None:
        raise too_large(f"a flip of {len(cards.faces)} faces, whose suits have different limits at once")
    return found


@lru_cache(maxsize=256)
def _none_above(cards: SuitedCards, opened: int, most: int, limits: tuple[int, ...]) -> int:
    return _Above(cards, _checked(cards.plainly, opened, most), limits).none()


@final
class _Flip:
    """All orders of some cards, by how a flip of them ends."""

    def __init__(self, cards: FlipCards, opened: int, most: int) -> None:
        self.cards, self.opened, self.most, self.count = cards, opened, most, cards.count
        self.plain, self.trump = list(accumulate(cards.plain)), list(accumulate(cards.trump))
        """How many numbers there are up to each value."""
        self.top = len(cards.plain) - 1
        self.lowest = next((value for value in range(self.top) if cards.plain[value] or cards.trump[value]), self.top)
        self.turning = self.top + FEW
        self.bonus = sum(bonus * (plain + trump) for bonus, plain, trump in cards.faces)
        self.highest = self.top + self.bonus
        self.plain_faces, self.trump_faces = cards.plain_faces, cards.trump_faces
        numbers, faces = self.plain[-1] + self.trump[-1], self.plain_faces + self.trump_faces
        self.width = (factorial(faces) * 2**faces * comb(numbers, min(numbers // 2, faces))).bit_length() + 1
        """Bits for the sets of rows of faces on numbers: the faces in order, cut into rows, and a set of numbers."""
        self._factorials = [factorial(each) for each in range(self.count + 1)]
        self._bares: dict[tuple[int, ...], int] = {}
        self._rests: dict[tuple[int, ...], int] = {}
        self._spreads: dict[tuple[int, ...], int] = {}

    def at_most(self, value: int) -> int:
        """The orders in which the flip ends without a joker, and no stack is worth more than a value."""
        return self._none_above(value) if value <= self.turning else self._all_less_those_above(value)

    def _none_above(self, value: int) -> int:
        """The stacks one by one: each sum of faces stands on a number that is low enough."""
        shapes, highest = _shapes(self.cards.faces, self.width, range(self.turning, 0, -1)), min(value, self.top)
        most = value - self.lowest
        first = next((at for at, (sums, total, _) in enumerate(shapes) if sums == 1 and total <= most), len(shapes))
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
        found = [self.rest(0, 0, 0, 0)]
        for used, ways in self._standing(shapes[first:], plain, trump):
            more = ways * self.rest(*used)
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
                for used, ways in self.unpacked(packed, self.width):
                    yield (on_plain, sums - on_plain, *used), ways

    def unpacked(self, packed: int, width: int) -> Iterator[tuple[tuple[int, int], int]]:
        """How many faces, and how many of them trump: the ways, of so many bits each, that are packed in one number."""
        mask, at = (1 << width) - 1, 0
        while packed:
            if ways := packed & mask:
                yield divmod(at, self.trump_faces + 1), ways
            packed, at = packed >> width, at + 1

    def _bare(self, value: int, on_plain: int, on_trump: int, faces: int, of_trump: int) -> int:
        """The orders in which all other stacks are single numbers of at most a value."""
        plain, trump = self.plain[value] - on_plain, self.trump[value] - on_trump
        more_plain, stacks = self.opened + of_trump - on_plain, self.opened + of_trump + on_trump
        if not 0 <= more_plain <= plain:
            return 0
        key = (trump, stacks, faces)
        if key not in self._bares:
            self._bares[key] = sum(
                [comb(trump, more) * self._orders(stacks + more, faces) for more in range(trump + 1)]
            )
        return comb(plain, more_plain) * self._bares[key]

    def rest(self, on_plain: int, on_trump: int, faces: int, of_trump: int) -> int:
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


@final
class _Above:
    """The sets of stacks above a limit, of which each suit has its own."""

    def __init__(self, cards: SuitedCards, flip: _Flip, limits: tuple[int, ...]) -> None:
        limit_of = dict(zip(cards.suits, limits, strict=True))
        self.flip, self.common = flip, max(limits)
        """The highest limit: faces of it that begin a row are counted as all of them, less those of other limits."""
        self.limits = sorted({*limits} - {self.common})
        self.faces = Counter((bonus, limit_of[suit], suit in cards.trump) for bonus, suit in cards.faces)
        """How many faces there are by bonus, limit and trump."""
        self.bonuses, self.base = sorted({bonus for bonus, _ in cards.faces}), 2 * len(cards.faces) + 1
        most = [sum(bonus == each for each, _ in cards.faces) for bonus in self.bonuses]
        self.counts = tuple(product(*(range(each + 1) for each in most)))
        self.enough = {self._key(counts) for counts in self.counts}
        self.firsts = self.base ** len(self.bonuses)
        """A key holds how many faces of each bonus are in use, and times this, how many of them begin a row."""
        self.alone = Counter((value, suit in cards.trump) for value, suit in cards.numbers if value > limit_of[suit])
        """The numbers that are above the limit of their suit by themselves."""
        self.width = flip.width + len(cards.numbers)
        self._taken: dict[int, int] = {}
        self._taken_of_bonus: dict[tuple[int, ...], int] = {}
        self._fits: dict[tuple[int, int], list[tuple[int, int]]] = {}
        self._fits_counts: dict[tuple[int, int], list[tuple[int, int]]] = {}
        self._found: defaultdict[tuple[int, int], int] = defaultdict(int)
        self.rows = self._rows()

    def none(self) -> int:
        """The orders in which the flip ends without a joker, and no stack is above: all, less those with one, ..."""
        self._extend(self.flip.top, {(0, 0): 1}, {0: 1}, 0, 1)
        return sum(
            (-1) ** (on_plain + on_trump) * ways * self.flip.rest(on_plain, on_trump, *used)
            for (on_plain, on_trump), packed in self._found.items()
            for used, ways in self.flip.unpacked(packed, self.width)
        )

    def _extend(self, level: int, standing: Standing, before: dict[int, int], same: int, orders: int) -> None:
        """Add every set of rows from a level down, and the numbers that are above by themselves.

        The rows of a level are those that any number above it makes too high. Standing are the ways by how many plain
        and trump numbers are in use; `before` are the faces in use, with the ways to lay them in rows.
        """
        taken, fits = self._taken, self._fits
        if packed := sum([ways * (taken.get(key) or self._cards(key)) for key, ways in before.items()]) // orders:
            for here in range(level, self.flip.lowest - 2, -1):
                if here < level:
                    standing, same = self._with_alone(standing, here + 1), 0
                if here in self.rows and (stood := self._stood(standing, here)):
                    after: dict[int, int] = {}
                    for key, ways in before.items():
                        fitting = fits.get((here, key))
                        for used, in_order in self._fitting(here, key) if fitting is None else fitting:
                            after[used] = after.get(used, 0) + ways * in_order
                    if after:
                        self._extend(here, stood, after, same + 1, orders * (same + 1))
            for on, ways in standing.items():
                self._found[on] += ways * packed

    def _stood(self, standing: Standing, level: int) -> Standing:
        """One more row stands on a number above the level."""
        flip, found = self.flip, dict[tuple[int, int], int]()
        plain = flip.plain[-1] - (flip.plain[level] if level >= 0 else 0)
        trump = flip.trump[-1] - (flip.trump[level] if level >= 0 else 0)
        most_plain = min(plain, flip.opened + flip.trump_faces)
        for (on_plain, on_trump), ways in standing.items():
            if on_plain < most_plain:
                more = (on_plain + 1, on_trump)
                found[more] = found.get(more, 0) + ways * (plain - on_plain)
            if on_trump < trump:
                more = (on_plain, on_trump + 1)
                found[more] = found.get(more, 0) + ways * (trump - on_trump)
        return found

    def _with_alone(self, standing: Standing, value: int) -> Standing:
        """Any of the numbers of a value that are above by themselves; rows so far stand on higher ones."""
        plain, trump = self.alone[value, False], self.alone[value, True]
        if not plain and not trump:
            return standing
        found: Standing = {}
        most_plain = self.flip.opened + self.flip.trump_faces
        for (on_plain, on_trump), ways in standing.items():
            for more_plain in range(min(plain, most_plain - on_plain) + 1):
                for more_trump in range(trump + 1):
                    more = (on_plain + more_plain, on_trump + more_trump)
                    chosen = comb(plain, more_plain) * comb(trump, more_trump)
                    found[more] = found.get(more, 0) + ways * chosen
        return found

    def _rows(self) -> dict[int, list[tuple[int, int]]]:
        """By level: the faces of rows, as one number for how many of each bonus, and which is first; the orders."""
        found: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
        for counts in self.counts:
            key, total = self._key(counts), sum(map(mul, counts, self.bonuses))
            self._add_row(found, self.common, total, key, factorial(sum(counts)) // prod(map(factorial, counts)))
            for at, (bonus, count) in enumerate(zip(self.bonuses, counts, strict=True)):
                rest = [each - (at == other) for other, each in enumerate(counts)]
                for of, limit in enumerate(self.limits if count else ()):
                    if self.faces[bonus, limit, False] or self.faces[bonus, limit, True]:
                        first = self.base ** (len(counts) * (of + 1) + at)
                        orders = factorial(sum(rest)) // prod(map(factorial, rest))
                        self._add_row(found, limit, total, key + first, orders)
                        self._add_row(found, self.common, total, key + first, -orders)
        return found

    def _add_row(self, rows: dict[int, list[tuple[int, int]]], limit: int, total: int, key: int, orders: int) -> None:
        level = max(limit - total, self.flip.lowest - 1)
        if total and level < self.flip.top:
            rows[level].append((key, orders))

    def _key(self, counts: tuple[int, ...]) -> int:
        return sum(count * self.base**at for at, count in enumerate(counts))

    def _fitting(self, level: int, key: int) -> list[tuple[int, int]]:
        """What is in use after each row of a level for which there are enough faces, and the orders of the row."""
        found = self._fits.get((level, key))
        if found is None:
            counts = key % self.firsts
            rows = self._fits_counts.get((level, counts))
            if rows is None:
                rows = self._fits_counts[level, counts] = [
                    (row, orders) for row, orders in self.rows[level] if counts + row % self.firsts in self.enough
                ]
            found = self._fits[level, key] = [(key + row, orders) for row, orders in rows if self._cards(key + row)]
        return found

    def _cards(self, key: int) -> int:
        """The ways to take cards for such rows, packed by how many they are, and how many of them trump."""
        if key not in self._taken:
            digits, left = list[int](), key
            for _ in range(len(self.bonuses) * (len(self.limits) + 1)):
                left, digit = divmod(left, self.base)
                digits.append(digit)
            found = 1
            for at, bonus in enumerate(self.bonuses):
                used = (bonus, *digits[at :: len(self.bonuses)])
                if used not in self._taken_of_bonus:
                    self._taken_of_bonus[used] = self._packed(*used)
                found *= self._taken_of_bonus[used]
            self._taken[key] = found
        return self._taken[key]

    def _packed(self, bonus: int, count: int, *firsts: int) -> int:
        lanes, ways = self.flip.trump_faces + 1, self._cards_of(bonus, count, firsts)
        return sum(each << self.width * (count * lanes + trump) for trump, each in ways.items())

    def _cards_of(self, bonus: int, count: int, firsts: tuple[int, ...]) -> dict[int, int]:
        """The ways to take so many faces of a bonus, so many of each limit as the first of a row; by those of trump."""
        found = {0: 1}
        plain_left, trump_left = self.faces[bonus, self.common, False], self.faces[bonus, self.common, True]
        for limit, first in zip(self.limits, firsts, strict=True):
            plain, trump = self.faces[bonus, limit, False], self.faces[bonus, limit, True]
            plain_left, trump_left = plain_left + plain, trump_left + trump
            found = _both(found, _taken_of(plain, trump, first))
        more: defaultdict[int, int] = defaultdict(int)
        first = sum(firsts)
        for taken, ways in found.items():
            rest = _taken_of(plain_left - first + taken, trump_left - taken, count - first)
            for also, each in rest.items():
                more[taken + also] += ways * each
        return more


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
        found = _both(found, _taken_of(plain, trump, count))
    return found


def _taken_of(plain: int, trump: int, count: int) -> dict[int, int]:
    """The ways to take so many of these cards, one after the other, by how many of them are trump."""
    return {
        taken: comb(count, taken) * perm(trump, taken) * perm(plain, count - taken)
        for taken in range(max(0, count - plain), min(count, trump) + 1)
    }


def _both(one: dict[int, int], other: dict[int, int]) -> dict[int, int]:
    found: defaultdict[int, int] = defaultdict(int)
    for here, ways in one.items():
        for there, more in other.items():
            found[here + there] += ways * more
    return found
