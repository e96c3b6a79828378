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
from referee.odds.flips import FlipEnds, SuitedCards, best_rank, best_stack

Turned: TypeAlias = tuple[str, int, str]
"""A number, a face or a joker; its value; its suit."""
Rank: TypeAlias = Callable[[int, str], int]

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


RANKS: Final[tuple[Rank, ...]] = (by_value, by_value_then_suit, damage_of_a_hit, critical_hits, only_hearts)


def in_order(order: Sequence[Turned], opened: int, trump: frozenset[str], rank: Rank) -> int | str:
    """The highest rank of the stacks of cards turned in this order, by the letter of the rule."""
    ranks: list[int] = []
    owed, total, begun = opened, 0, ""
    for kind, value, suit in order:
        if kind == "joker":
            return "joker"
        owed, total, begun = owed + (suit in trump), total + value, begun or suit
        if kind == "number":
            ranks.append(rank(total, begun))
            total, begun = 0, ""
        if len(ranks) == owed:
            return max(ranks)
    return "unended"


def by_hand(
    cards: Sequence[Turned], opened: int, most: int, trump: frozenset[str], rank: Rank
) -> dict[int | str, Fraction]:
    found = Counter(in_order(order[:most], opened, trump, rank) for order in permutations(cards))
    return {end: Fraction(ways, found.total()) for end, ways in found.items()}


def of(ends: FlipEnds) -> dict[int | str, Fraction]:
    ways = dict[int | str, int](ends.best.items()) | {"joker": ends.joker, "unended": ends.unended}
    assert sum(ways.values()) == ends.whole
    assert all(each >= 0 for each in ways.values())
    return {end: Fraction(each, ends.whole) for end, each in ways.items() if each}


def suited(cards: Sequence[Turned], trump: frozenset[str]) -> SuitedCards:
    numbers, faces = (
        tuple((value, suit) for each, value, suit in cards if each == kind) for kind in ("number", "face")
    )
    return SuitedCards(numbers, faces, cards.count(JOKER), trump)


@pytest.mark.parametrize("rank", RANKS)
@pytest.mark.parametrize("size", (1, 2, 3))
def test_every_small_deck_ends_as_all_its_orders_do(size: int, rank: Rank) -> None:
    for trump in (frozenset[str](), frozenset({"spades"}), frozenset({"hearts", "clubs"})):
        for cards in combinations(CARDS, size):
            for opened in (1, 2):
                found = of(best_rank(suited(cards, trump), rank, opened))
                assert found == by_hand(cards, opened, size, trump, rank), (cards, opened, trump)


@pytest.mark.parametrize("rank", RANKS)
@pytest.mark.parametrize("seed", range(4))
def test_larger_decks_and_those_that_run_out(seed: int, rank: Rank) -> None:
    random = Random(seed)
    for size in (5, 6, 7):
        cards = random.choices(CARDS, k=size)  # with cards that are there twice
        opened, most = random.choice((1, 2, 3)), random.choice((size, size - 1))
        trump = random.choice((frozenset[str](), frozenset({"spades"}), frozenset({"spades", "hearts"})))
        found = of(best_rank(suited(cards, trump), rank, opened, most))
        assert found == by_hand(cards, opened, most, trump, rank), (cards, opened, most, trump)


@pytest.mark.slow
@pytest.mark.parametrize("rank", RANKS)
def test_every_deck_of_five(rank: Rank) -> None:
    trump = frozenset({"spades"})
    for cards in combinations(CARDS, 5):
        assert of(best_rank(suited(cards, trump), rank)) == by_hand(cards, 1, 5, trump, rank), cards
