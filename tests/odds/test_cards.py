"""Draws from a part-used deck against every order of its cards."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from itertools import permutations

import pytest

from referee.core.errors import BadInput, TooLarge
from referee.odds import Distribution, draw_best, draw_on, draw_on_best, draw_total
from referee.odds.cards import HIGHEST_VALUE, MOST_CARDS

DECKS: list[dict[int, int]] = [{1: 1}, {1: 2, 4: 1}, {0: 1, 3: 3, 5: 2}, {2: 2, 3: 1, 7: 1, 9: 2}]
CHAINS: list[tuple[dict[int, int], dict[int, int]]] = [
    ({}, {3: 1, 4: 2}),
    ({5: 1}, {1: 1}),
    ({2: 2, 14: 1}, {1: 2, 2: 1}),
    ({1: 1, 2: 1, 3: 1, 9: 1}, {4: 1, 5: 2}),
    ({1: 3, 4: 3}, {0: 1}),
    ({2: 2, 3: 1}, {}),
    ({2: 2, 3: 1}, {4: 0}),
    ({0: 3}, {7: 2, 9: 0}),
]


def cards(deck: dict[int, int]) -> list[int]:
    return [value for value, copies in deck.items() for _ in range(copies)]


@pytest.mark.parametrize("deck", DECKS, ids=str)
def test_sum_and_best_of_a_hand_are_what_every_order_says(deck: dict[int, int]) -> None:
    for size in range(len(cards(deck)) + 1):
        hands = list(permutations(cards(deck), size))
        assert draw_total(deck, size) == Distribution(Counter(map(sum, hands)))
        if size:
            assert draw_best(deck, size) == Distribution(Counter(map(max, hands)))


@pytest.mark.parametrize(("again", "ends"), CHAINS, ids=str)
def test_drawing_on_is_what_every_order_says(again: dict[int, int], ends: dict[int, int]) -> None:
    totals: Counter[int] = Counter()
    bests: Counter[int] = Counter()
    marked = [(value, True) for value in cards(again)] + [(value, False) for value in cards(ends)]
    for order in permutations(marked):
        drawn = []
        for value, goes_on in order:
            drawn.append(value)
            if not goes_on:
                break
        totals[sum(drawn)] += 1
        bests[max(drawn)] += 1
    assert draw_on(again, ends) == Distribution(totals)
    assert draw_on_best(again, ends) == Distribution(bests)
    odds = draw_on(again, ends)
    assert sum(odds.counts) == odds.whole


def test_problem_f_of_the_research_page() -> None:
    trumps = {**dict.fromkeys(range(1, 14), 1), 14: 2}
    others = dict.fromkeys(range(1, 14), 3)
    total = draw_on(trumps, others)
    assert total.mean == Fraction(399, 40)
    assert float(total.at_least(10)) == pytest.approx(0.460877, abs=5e-7)
    assert draw_on_best(trumps, others).at_least(10) == Fraction(2, 5)


def test_cards_are_drawn_one_of_a_kind_at_a_time() -> None:
    assert draw_total({5: 2, 1: 1}, 2).chances() == {10: Fraction(1, 3), 6: Fraction(2, 3)}


def test_what_makes_no_sense_is_refused() -> None:
    refused: list[Callable[[], object]] = [
        lambda: draw_total({1: 2}, 3),
        lambda: draw_total({1: 2}, -1),
        lambda: draw_best({1: 2}, 0),
        lambda: draw_total({}, 0),
        lambda: draw_total({-1: 2}, 1),
        lambda: draw_on({}, {}),
        lambda: draw_on({1: -1}, {2: 3}),
        lambda: draw_on({1: 1}, {1: -1}),
    ]
    for senseless in refused:
        with pytest.raises(BadInput, match="must be"):
            senseless()


def test_what_is_too_large_is_refused_at_the_door() -> None:
    refused: list[Callable[[], object]] = [
        lambda: draw_total({1: MOST_CARDS + 1}, 1),
        lambda: draw_best({1: 10**12}, 1),
        lambda: draw_on({1: 10**12}, {1: 1}),
        lambda: draw_on({1: 1}, {HIGHEST_VALUE + 1: 1}),
        lambda: draw_total({HIGHEST_VALUE: 100, 0: 100}, 100),
    ]
    for too_much in refused:
        with pytest.raises(TooLarge, match="at most"):
            too_much()
