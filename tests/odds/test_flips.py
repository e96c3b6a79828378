"""Flips of cards in stacks, against every order of the cards."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations_with_replacement, permutations
from random import Random
from typing import Any, Final, NamedTuple

import pytest

from referee.core.errors import RefereeError
from referee.odds import flips
from referee.odds.flips import FlipCards, FlipEnds, best_stack


class Turned(NamedTuple):
    """A card as a flip reads it: a number, a face, or a joker."""

    kind: str
    value: int = 0
    trump: bool = False


JOKER: Final = Turned("joker")
KINDS: Final = (
    *(Turned(kind, value, trump) for kind in ("number", "face") for value in (1, 2) for trump in (False, True)),
    Turned("number", 4),
    JOKER,
)
FULL: Final = FlipCards((0, *[3] * 10), (0, *[1] * 10), ((1, 3, 1), (2, 3, 1), (3, 3, 1)), 2)
FEWER: Final = FlipCards((0, *[3] * 7, 1, 2, 0), (0, *[1] * 6, 0, 1, 1, 1), ((1, 2, 1), (2, 3, 0), (3, 2, 1)), 1)
"""Some cards are in a hand, others were discarded."""


def cards_of(cards: Iterable[Turned]) -> FlipCards:
    cards = tuple(cards)
    numbers = [(each.value, each.trump) for each in cards if each.kind == "number"]
    faces = [(each.value, each.trump) for each in cards if each.kind == "face"]
    return FlipCards.of(numbers, faces, cards.count(JOKER))


def in_order(order: Sequence[Turned], opened: int) -> int | str:
    """The best stack of cards turned in this order, by the letter of the rule."""
    stacks: list[int] = []
    owed, total = opened, 0
    for card in order:
        if card.kind == "joker":
            return "joker"
        owed, total = owed + card.trump, total + card.value
        if card.kind == "number":
            stacks.append(total)
            total = 0
        if len(stacks) == owed:
            return max(stacks)
    return "unended"


def by_hand(cards: Sequence[Turned], opened: int, most: int) -> dict[int | str, Fraction]:
    found = Counter(in_order(order[:most], opened) for order in permutations(cards))
    return {end: Fraction(ways, found.total()) for end, ways in found.items()}


def of(ends: FlipEnds[int]) -> dict[int | str, Fraction]:
    ways = dict[int | str, int](ends.best.items()) | {"joker": ends.joker, "unended": ends.unended}
    assert sum(ways.values()) == ends.whole
    return {end: Fraction(each, ends.whole) for end, each in ways.items() if each}


@pytest.mark.parametrize("size", range(1, 5))
def test_every_small_deck_ends_as_all_its_orders_do(size: int) -> None:
    for cards in combinations_with_replacement(KINDS, size):
        for opened in (1, 2):
            assert of(best_stack(cards_of(cards), opened)) == by_hand(cards, opened, size), (cards, opened)


@pytest.mark.parametrize("seed", range(12))
def test_larger_decks_and_those_that_run_out(seed: int) -> None:
    random = Random(seed)
    for size in (5, 6, 7):
        cards = random.choices(KINDS, k=size)
        opened, most = random.choice((1, 2, 3)), random.choice((size, size - 1, size - 2))
        assert of(best_stack(cards_of(cards), opened, most)) == by_hand(cards, opened, most), (cards, opened, most)


@pytest.mark.slow
def test_every_deck_of_six() -> None:
    for cards in combinations_with_replacement(KINDS, 6):
        assert of(best_stack(cards_of(cards))) == by_hand(cards, 1, 6), cards


def test_two_examples_of_the_book() -> None:
    king_then_four = [Turned("face", 3), Turned("number", 4)]
    assert in_order(king_then_four, 1) == 7
    assert of(best_stack(cards_of(king_then_four))) == {4: Fraction(1, 2), 7: Fraction(1, 2)}
    trump_then_nine = [Turned("number", 5, trump=True), Turned("number", 9)]
    assert in_order(trump_then_nine, 1) == 9


def test_a_full_deck_has_one_chance_in_fifteen_of_a_joker() -> None:
    ends = best_stack(FULL)
    assert float(Fraction(ends.joker, ends.whole)) == pytest.approx(0.06830811503487025, rel=1e-15)
    assert Fraction(ends.unended, ends.whole) < Fraction(1, 10**11)
    assert (min(ends.best), max(ends.best)) == (1, 34)  # an ace alone; a ten behind all twelve faces
    at_most_ten = sum(ways for value, ways in ends.best.items() if value <= 10)
    assert float(Fraction(at_most_ten, ends.whole)) == pytest.approx(0.8626832446858791, rel=1e-11)


@pytest.fixture
def exactly(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., FlipEnds[int]]]:
    """Without floating point, whatever the faces."""

    def counted(*given: Any) -> FlipEnds[int]:
        with monkeypatch.context() as patched:
            patched.setattr(flips, "MANY_FACES", 100)
            return best_stack.__wrapped__(*given)

    yield counted
    best_stack.cache_clear()


@pytest.mark.parametrize(("cards", "opened", "most"), [(FULL, 1, 54), (FULL, 2, 49), (FEWER, 1, 40), (FEWER, 3, 8)])
def test_no_figure_in_floating_point_is_too_large_and_all_lack_next_to_nothing(
    cards: FlipCards, opened: int, most: int, exactly: Callable[..., FlipEnds[int]]
) -> None:
    fast, exact = of(best_stack(cards, opened, most)), of(exactly(cards, opened, most))
    assert all(fast[end] <= exact[end] for end in fast if end != "unended")
    lost = fast["unended"] - exact.get("unended", 0)
    assert 0 <= lost < Fraction(1, 10**11)


@pytest.mark.parametrize("seed", range(6))
def test_floating_point_counts_small_decks_as_all_their_orders_do(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(flips, "MANY_FACES", 1)
    random = Random(seed)
    for size in (3, 5, 6):
        cards = random.choices(KINDS, k=size)
        opened, most = random.choice((1, 2, 3)), random.choice((size, size - 1))
        fast, exact = of(best_stack.__wrapped__(cards_of(cards), opened, most)), by_hand(cards, opened, most)
        assert all(fast.get(end, 0) == pytest.approx(float(exact.get(end, 0)), abs=1e-11) for end in {*fast, *exact})


def test_two_full_decks_dexterity_7_against_perception_6() -> None:
    ends = best_stack(FULL)
    wins = sum(a * b for x, a in ends.best.items() for y, b in ends.best.items() if x + 7 >= y + 6)
    wins += (ends.whole - ends.joker) * ends.joker  # the other side alone has a joker
    assert float(Fraction(wins, ends.whole**2)) == pytest.approx(0.610902, abs=5e-7)


def test_a_hidden_hand_of_five_leaves_next_to_nothing_out() -> None:
    ends = best_stack(FULL, 1, 49)
    assert 0 <= Fraction(ends.unended, ends.whole) < Fraction(1, 10**11)


def test_more_open_stacks_are_worth_more_and_risk_more_jokers() -> None:
    one, two = best_stack(FULL, 1), best_stack(FULL, 2)
    assert Fraction(two.joker, two.whole) > Fraction(one.joker, one.whole)
    assert _mean(two) > _mean(one)


def _mean(ends: FlipEnds[int]) -> Fraction:
    return Fraction(sum(value * ways for value, ways in ends.best.items()), sum(ends.best.values()))


@pytest.mark.parametrize(
    ("cards", "opened"),
    [
        (FlipCards((0, 1), (0, 0)), 0),
        (FlipCards((0, 1), (0, 0), ((0, 1, 0),)), 1),
        (FlipCards((0, 500), (0, 0)), 1),
        (FlipCards((0, 1), (0, 0), ((1, 20, 0),)), 1),
    ],
    ids=["no open stack", "a face that adds nothing", "too many cards", "too many faces"],
)
def test_what_is_no_flip_is_refused(cards: FlipCards, opened: int) -> None:
    with pytest.raises(RefereeError):
        best_stack(cards, opened)
