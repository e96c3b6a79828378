"""Flips whose first stack was begun by a face from hand, against every order of the cards."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations_with_replacement, permutations
from random import Random

import pytest
from tests.odds.test_flips import FEWER, FULL, KINDS, Turned, cards_of, of

from referee.core.errors import RefereeError
from referee.odds import stack_rows
from referee.odds.flips import best_begun, best_stack

pytest.importorskip("numpy")


def in_order(order: Sequence[Turned], bonus: int, opened: int) -> int | str:
    """The best stack of cards turned in this order, by the letter of the rule: the first one has a bonus already."""
    stacks: list[int] = []
    owed, total = opened, bonus
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


def by_hand(cards: Sequence[Turned], bonus: int, opened: int, most: int) -> dict[int | str, float]:
    found = Counter(in_order(order[:most], bonus, opened) for order in permutations(cards))
    return {end: ways / found.total() for end, ways in found.items()}


def chances(cards: Sequence[Turned], bonus: int, opened: int, most: int) -> dict[int | str, float]:
    found = of(best_begun(cards_of(cards), bonus, opened, most))
    return {end: float(chance) for end, chance in found.items() if chance > 1e-11}


@pytest.mark.parametrize("size", range(1, 4))
def test_every_small_deck_ends_as_all_its_orders_do(size: int) -> None:
    for cards in combinations_with_replacement(KINDS, size):
        for opened in (1, 2):
            found = chances(cards, 3, opened, size)
            assert found == pytest.approx(by_hand(cards, 3, opened, size), abs=1e-11), (cards, opened)


@pytest.mark.parametrize("seed", range(8))
def test_larger_decks_and_those_that_run_out(seed: int) -> None:
    random = Random(seed)
    cards = random.choices(KINDS, k=7)
    bonus, opened, most = random.choice((1, 2)), random.choice((1, 2, 3)), random.choice((5, 7))
    assert chances(cards, bonus, opened, most) == pytest.approx(by_hand(cards, bonus, opened, most), abs=1e-11)


def test_a_king_from_hand_on_the_only_cards_left() -> None:
    """King, then 4: 7. A trump 2 first: 5, and the 4 is a stack of its own."""
    cards = (Turned("number", 4), Turned("number", 2, trump=True))
    assert chances(cards, 3, 1, 2) == pytest.approx({7: 1 / 2, 5: 1 / 2})


def test_a_full_deck_loses_less_than_one_in_a_thousand_million() -> None:
    ends, plain = best_begun(FULL, 3), best_stack(FULL)
    assert ends.unended / ends.whole < 1e-9
    assert sum(ends.best.values()) / ends.whole == pytest.approx(sum(plain.best.values()) / plain.whole, abs=1e-9)
    assert min(ends.best) == 4, "a King on an Ace"
    assert max(ends.best) == 3 + 24 + 10


def test_a_trump_face_opens_a_second_stack() -> None:
    one, two = (best_begun(FULL, 3, opened) for opened in (1, 2))
    at_least_ten = [sum(ways for value, ways in ends.best.items() if value >= 10) / ends.whole for ends in (one, two)]
    assert at_least_ten[1] > at_least_ten[0] + 0.05


def test_steps_tell_apart_what_they_name() -> None:
    every, some = best_begun(FEWER, 2, 1), best_begun(FEWER, 2, 1, None, (6, 11))
    assert sorted(some.best) == [6, 11, max(every.best)]
    up_to = [0, 7, 12, 100]
    for low, high, step in zip(up_to, up_to[1:], sorted(some.best), strict=False):
        expected = sum(ways for value, ways in every.best.items() if low <= value < high) / every.whole
        assert some.best[step] / some.whole == pytest.approx(expected, abs=1e-10)


def test_without_numpy_it_is_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stack_rows, "is_possible", lambda: False)
    with pytest.raises(RefereeError, match="without numpy"):
        best_begun.__wrapped__(FULL, 1)
