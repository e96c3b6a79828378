"""Flips in which suits matter, against every order of the cards."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import combinations, permutations
from random import Random
from typing import Final, TypeAlias

import pytest

from referee.core.errors import RefereeError
from referee.odds import stack_rows, suited_rows
from referee.odds.flips import FlipEnds, SuitedCards, best_stack, best_worth

Turned: TypeAlias = tuple[str, int, str]
"""A number, a face or a joker; its value; its suit."""
Worth: TypeAlias = Callable[[int, str], int]

SUITS: Final = ("clubs", "hearts", "spades")
JOKER: Final = ("joker", 0, "")
CARDS: Final[tuple[Turned, ...]] = (
    *((kind, value, suit) for kind in ("number", "face") for value in (1, 2) for suit in SUITS),
    ("number", 4, "hearts"),
    ("number", 4, "spades"),
    JOKER,
)


def by_value(value: int, suit: str) -> int:
    return value


def by_value_then_suit(value: int, suit: str) -> int:
    return 3 * value + SUITS.index(suit)


def damage_of_a_hit(value: int, suit: str) -> int:
    """From 3 on it hits, and hearts hurt most; below, the higher the better."""
    return value if value < 3 else 10 + (1, 3, 2)[SUITS.index(suit)]


def critical_hits(value: int, suit: str) -> int:
    """From 2 on it hits; from 5 on the damage is doubled, but a club does none."""
    damage = (0, 2, 3)[SUITS.index(suit)] * (2 if value >= 5 else 1)
    return 10 + damage if value >= 2 else 0


def only_hearts(value: int, suit: str) -> int:
    return value if suit == "hearts" else 0


WORTHS: Final[tuple[Worth, ...]] = (by_value, by_value_then_suit, damage_of_a_hit, critical_hits, only_hearts)


def in_order(order: Sequence[Turned], opened: int, trump: frozenset[str], worth: Worth) -> int | str:
    """The best worth of the stacks of cards turned in this order, by the letter of the rule."""
    worths: list[int] = []
    owed, total, begun = opened, 0, ""
    for kind, value, suit in order:
        if kind == "joker":
            return "joker"
        owed, total, begun = owed + (suit in trump), total + value, begun or suit
        if kind == "number":
            worths.append(worth(total, begun))
            total, begun = 0, ""
        if len(worths) == owed:
            return max(worths)
    return "unended"


def by_hand(
    cards: Sequence[Turned], opened: int, most: int, trump: frozenset[str], worth: Worth
) -> dict[int | str, Fraction]:
    found = Counter(in_order(order[:most], opened, trump, worth) for order in permutations(cards))
    return {end: Fraction(ways, found.total()) for end, ways in found.items()}


def of(ends: FlipEnds[int]) -> dict[int | str, Fraction]:
    ways = dict[int | str, int](ends.best.items()) | {"joker": ends.joker, "unended": ends.unended}
    assert sum(ways.values()) == ends.whole
    assert all(each >= 0 for each in ways.values())
    return {end: Fraction(each, ends.whole) for end, each in ways.items() if each}


def suited(cards: Sequence[Turned], trump: frozenset[str]) -> SuitedCards:
    numbers, faces = (
        tuple((value, suit) for each, value, suit in cards if each == kind) for kind in ("number", "face")
    )
    return SuitedCards(numbers, faces, cards.count(JOKER), trump)


@pytest.mark.parametrize("worth", WORTHS)
@pytest.mark.parametrize("trump", [(), ("spades",), ("hearts", "clubs")], ids="-".join)
@pytest.mark.parametrize("opened", [1, 2])
def test_every_small_deck_ends_as_all_its_orders_do(opened: int, trump: tuple[str, ...], worth: Worth) -> None:
    suits = frozenset(trump)
    for size in (1, 2, 3):
        for cards in combinations(CARDS, size):
            found = of(best_worth(suited(cards, suits), worth, opened))
            assert found == by_hand(cards, opened, size, suits, worth), cards


@pytest.mark.parametrize("worth", WORTHS)
@pytest.mark.parametrize("seed", range(4))
def test_larger_decks_and_those_that_run_out(seed: int, worth: Worth) -> None:
    random = Random(seed)
    for size in (5, 6, 7):
        cards = random.choices(CARDS, k=size)  # with cards that are there twice
        opened, most = random.choice((1, 2, 3)), random.choice((size, size - 1))
        trump = random.choice((frozenset[str](), frozenset({"spades"}), frozenset({"spades", "hearts"})))
        found = of(best_worth(suited(cards, trump), worth, opened, most))
        assert found == by_hand(cards, opened, most, trump, worth), (cards, opened, most, trump)


@pytest.mark.slow
@pytest.mark.parametrize("worth", WORTHS)
def test_every_deck_of_five(worth: Worth) -> None:
    trump = frozenset({"spades"})
    for cards in combinations(CARDS, 5):
        assert of(best_worth(suited(cards, trump), worth)) == by_hand(cards, 1, 5, trump, worth), cards


FOUR: Final = ("clubs", "diamonds", "hearts", "spades")
FULL: Final = SuitedCards(
    tuple((value, suit) for value in range(1, 11) for suit in FOUR),
    tuple((bonus, suit) for bonus in (1, 2, 3) for suit in FOUR),
    2,
    frozenset({"spades"}),
)


def test_by_value_alone_it_is_the_same_as_without_suits() -> None:
    by_worth, alone = best_worth(FULL, by_value), best_stack(FULL.plainly)
    assert by_worth.best.keys() == alone.best.keys()
    for value, ways in by_worth.best.items():
        assert ways / by_worth.whole == pytest.approx(alone.best[value] / alone.whole, abs=2e-13)


def test_a_full_deck_in_which_spades_hurt_most() -> None:
    """From 7 on it hits; suits that do the same damage are not told apart."""
    ends = best_worth(FULL, lambda value, suit: (0, value) if value < 7 else (1, 5 if suit == "spades" else 2))
    chances = {worth: float(Fraction(ways, ends.whole)) for worth, ways in ends.best.items()}
    hit = sum(ways for value, ways in best_stack(FULL.plainly).best.items() if value >= 7)
    assert chances[1, 5] + chances[1, 2] == pytest.approx(hit / best_stack(FULL.plainly).whole, rel=1e-10)
    assert chances[1, 5] == pytest.approx(0.12211224723269928, rel=1e-12)
    assert sum(ends.best.values()) + ends.joker + ends.unended == ends.whole


def test_a_higher_value_of_the_same_suit_must_not_be_worth_less() -> None:
    with pytest.raises(RefereeError, match="must not be lower"):
        best_worth(SuitedCards(((1, "clubs"), (2, "clubs"))), lambda value, suit: -value)


def hit_or_doubled(value: int, suit: str) -> int:
    return value if value < 7 else 10 + (FOUR.index(suit) + 1) * (2 if value >= 12 else 1)


def test_steps_that_differ_by_suit_are_refused_for_many_faces_without_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stack_rows, "is_possible", lambda: False)
    with pytest.raises(RefereeError, match="different limits at once"):
        best_worth(FULL, hit_or_doubled)


@pytest.mark.slow
def test_a_full_deck_with_doubled_damage() -> None:
    """Worth 18 is a spade from 12 on, worth 11 to 18 any hit."""
    ends, plain = best_worth(FULL, hit_or_doubled), best_stack(FULL.plainly)
    spades = best_worth(FULL, lambda value, suit: value >= 12 and suit == "spades")
    assert ends.best[18] / ends.whole == pytest.approx(spades.best[True] / spades.whole, abs=1e-12)
    hit = sum(ways for worth, ways in ends.best.items() if worth > 10)
    hit_by_value = sum(ways for value, ways in plain.best.items() if value >= 7)
    assert hit / ends.whole == pytest.approx(hit_by_value / plain.whole, abs=1e-11)
    assert all(ways > 0 for ways in ends.best.values())


def test_a_full_deck_by_suit_with_and_without_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hearts and spades have the same limit, and those two no other: it takes no time either way."""

    def hurts(value: int, suit: str) -> int:
        return 0 if value < 9 else 2 if suit in ("hearts", "spades") else 1

    fast = best_worth(FULL, hurts)
    monkeypatch.setattr(stack_rows, "is_possible", lambda: False)
    whole = best_worth(FULL, hurts)
    assert fast.best.keys() == whole.best.keys()
    for worth, ways in fast.best.items():
        assert ways / fast.whole == pytest.approx(whole.best[worth] / whole.whole, abs=2e-13)
    assert Fraction(fast.unended, fast.whole) - Fraction(whole.unended, whole.whole) < Fraction(1, 10**11)


@pytest.mark.parametrize("seed", range(20))
def test_limits_by_suit_with_numpy_are_those_of_all_orders(seed: int) -> None:
    """The kernel for many faces, on decks that are small enough for every order of them."""
    random = Random(seed)
    for size in (3, 5, 6, 7):
        cards = random.choices([each for each in CARDS if each != JOKER], k=size)
        opened, most = random.choice((1, 2, 3)), random.choice((size, size - 1))
        trump = random.choice((frozenset[str](), frozenset({"spades"}), frozenset({"spades", "hearts"})))
        these = suited(cards, trump)
        limits = {suit: random.randint(0, 9) for suit in these.suits}

        def is_above(value: int, suit: str, limits: dict[str, int] = limits) -> int:
            return int(value > limits[suit])

        ways = by_hand(cards, opened, most, trump, is_above)
        found = suited_rows.at_most(these, opened, most, tuple(limits.values()))
        assert found == pytest.approx(float(ways.get(0, 0)), abs=1e-14), (cards, opened, most, trump, limits)


def test_an_empty_deck_never_ends() -> None:
    assert of(best_worth(SuitedCards(()), by_value)) == {"unended": 1}
