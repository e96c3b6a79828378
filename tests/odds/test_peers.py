"""The same questions put to icepool and dyce: equal, fraction for fraction, where they can express them."""

from __future__ import annotations

import warnings
from fractions import Fraction
from math import perm
from typing import Any

import icepool  # type: ignore[import-untyped]  # has no py.typed
import pytest
from dyce import H, P, expand, explode_n
from dyce.lifecycle import ExperimentalWarning
from icepool import d6

from referee.odds import (
    SymbolDie,
    dice,
    die,
    draw_best,
    draw_on,
    draw_total,
    symbol_pool,
    two_dice,
    wild_dice,
    wild_faces,
    win_table,
)

pytestmark = pytest.mark.slow

pytestmark = pytest.mark.filterwarnings("ignore::dyce.lifecycle.ExperimentalWarning")
EXACT = Fraction(0)
BANE = 100


def of_icepool(odds: Any) -> dict[Any, Fraction]:
    return {outcome: Fraction(count, odds.denominator()) for outcome, count in odds.items() if count}


def of_dyce(odds: Any) -> dict[Any, Fraction]:
    return {outcome: Fraction(count, odds.total) for outcome, count in odds.items() if count}


def dyce_wild(extra: int) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ExperimentalWarning)
        return explode_n(H(6), n=extra, min_path_probability=EXACT)


@pytest.mark.parametrize(("count", "sides"), [(1, 6), (3, 4), (7, 6), (20, 10)])
def test_sums(count: int, sides: int) -> None:
    ours = dice(count, sides).chances()
    assert ours == of_icepool(count @ icepool.d(sides))
    assert ours == of_dyce(count @ H(sides))


@pytest.mark.parametrize("extra", [0, 1, 5])
@pytest.mark.parametrize("count", [2, 5, 10])
def test_wild_dice(count: int, extra: int) -> None:
    ours = wild_dice(count, extra=extra).chances()
    assert ours == of_icepool((count - 1) @ d6 + d6.explode(depth=extra))
    assert ours == of_dyce((count - 1) @ H(6) + dyce_wild(extra))


@pytest.mark.parametrize("count", [2, 4, 7])
def test_a_wild_one_that_takes_the_highest(count: int) -> None:
    ours = wild_dice(count, extra=3, wild_one="takes highest")
    others, lowest = (count - 1) @ d6, d6.lowest(count - 1, count - 2) if count > 2 else icepool.Die([0])
    theirs: Any = d6.explode(depth=3).map(lambda wild: lowest if wild == 1 else others + wild)
    assert ours.chances() == of_icepool(theirs)
    ones = wild_faces(count, extra=3, wild_one="takes highest").given(lambda total, wild: wild == 1).axis("total")
    assert ones.chances() == of_icepool(lowest)


def test_margins_and_win_tables() -> None:
    for one, two in ((3, 3), (8, 7), (2, 9)):
        ours = wild_dice(one, extra=4) - wild_dice(two, extra=4)
        ice = ((one - 1) @ d6 + d6.explode(depth=4)) - ((two - 1) @ d6 + d6.explode(depth=4))
        assert ours.chances() == of_icepool(ice)
        assert ours.chances() == of_dyce(((one - 1) @ H(6) + dyce_wild(4)) - ((two - 1) @ H(6) + dyce_wild(4)))
    table = win_table([dice(count) for count in range(1, 5)]).wins()
    for one in range(1, 5):
        for two in range(1, 5):
            assert table[one - 1][two - 1] == (one @ d6 > two @ d6).probability(True)
            assert table[one - 1][two - 1] == of_dyce((one @ H(6)).gt(two @ H(6))).get(True, 0)


@pytest.mark.parametrize(("count", "kept"), [(2, 1), (4, 3), (5, 2), (9, 8)])
def test_keep_and_drop(count: int, kept: int) -> None:
    assert die(6).keep(count, highest=kept).chances() == of_icepool(d6.highest(count, kept))
    assert die(6).keep(count, lowest=kept).chances() == of_icepool(d6.lowest(count, kept))
    assert die(6).keep(count, highest=kept).chances() == of_dyce((count @ P(6)).at(slice(count - kept, count)))
    assert die(6).drop(count, highest=count - kept).chances() == of_dyce((count @ P(6)).at(slice(0, kept)))


def test_maximum_and_mixture() -> None:
    assert dice(2).maximum(die(10)).chances() == of_icepool(icepool.highest(2 @ d6, icepool.d10))
    assert dice(2).minimum(die(10)).chances() == of_icepool(icepool.lowest(2 @ d6, icepool.d10))


def pushed(marks: dict[int, int], locks: tuple[int, ...]) -> tuple[Any, Any]:
    """A die pushed once, in icepool and in dyce, its symbols coded as numbers."""
    ice: Any = d6.map(lambda face: marks.get(face, 0))
    dyce: Any = H(6).apply(lambda face: marks.get(face, 0))
    again: Any = d6.map(lambda face: marks.get(face, 0) if face in locks else ice)
    expanded: Any = expand(
        lambda fall: marks.get(fall.outcome, 0) if fall.outcome in locks else dyce, H(6), min_path_probability=EXACT
    )
    return again, expanded


@pytest.mark.parametrize(("base", "skill"), [(1, 1), (4, 2), (6, 6)])
def test_pools_pushed_once(base: int, skill: int) -> None:
    locked = SymbolDie(6, {6: "success", 1: "bane"}, locks=(1, 6))
    free = SymbolDie(6, {6: "success"}, locks=(6,))
    ours = symbol_pool([(locked, base), (free, skill)], ("success", "bane"), pushes=1)
    coded = {success + BANE * bane: chance for (success, bane), chance in ours.chances().items()}
    both, one = pushed({6: 1, 1: BANE}, (1, 6)), pushed({6: 1}, (6,))
    assert coded == of_icepool(base @ both[0] + skill @ one[0])
    assert coded == of_dyce(base @ both[1] + skill @ one[1])


@pytest.mark.parametrize(("base", "stress"), [(2, 1), (5, 3), (8, 4)])
def test_pools_pushed_if_failed(base: int, stress: int) -> None:
    cool, tense = (
        SymbolDie(6, {6: "success"}, locks=(6,)),
        SymbolDie(6, {6: "success", 1: "panic"}, locks=(6,)),
    )
    ours = symbol_pool(
        [(cool, base), (tense, stress)],
        ("success", "panic"),
        pushes=1,
        until=("success", "panic"),
        adding=[(tense, 1)],
    )
    coded = {success + BANE * panic: chance for (success, panic), chance in ours.chances().items()}
    ice_cool: Any = d6.map(lambda face: int(face == 6))
    ice_tense: Any = d6.map(lambda face: {6: 1, 1: BANE}.get(face, 0))
    first, second = base @ ice_cool + stress @ ice_tense, base @ ice_cool + (stress + 1) @ ice_tense
    assert coded == of_icepool(first.map({0: second}))
    cool_h: Any = H(6).apply(lambda face: int(face == 6))
    tense_h: Any = H(6).apply(lambda face: {6: 1, 1: BANE}.get(face, 0))
    again: Any = base @ cool_h + (stress + 1) @ tense_h
    ends: Any = expand(lambda fall: fall.outcome or again, base @ cool_h + stress @ tense_h, min_path_probability=EXACT)
    assert coded == of_dyce(ends)


def test_two_dice_with_a_spare_one() -> None:
    for bar in range(2, 13):
        ours = two_dice(bar, thrown=3).bands["success"]
        assert ours == d6.highest(3, 2).probability(">=", bar)
        assert ours == sum(chance for total, chance in of_dyce((3 @ P(6)).at(slice(1, 3))).items() if total >= bar)


def test_two_dice_with_the_lower_one_rerolled() -> None:
    for bar in range(2, 13):
        ours = two_dice(bar, rerolls=1, policy=lambda high, low: "lower").bands["success"]
        assert ours == (d6.highest(2, 1) + d6).probability(">=", bar)


def test_draws_from_a_part_used_deck() -> None:
    left = {2: 3, 5: 1, 7: 4, 10: 2}
    deck: Any = icepool.Deck(left)
    for cards in range(1, 7):
        assert draw_total(left, cards).chances() == of_icepool(deck.deal(cards).sum())
        assert draw_best(left, cards).chances() == of_icepool(deck.deal(cards).highest().sum())


def test_drawing_on() -> None:
    again, ends = {1: 2, 6: 1, 14: 2}, {2: 3, 9: 4}
    hands: list[Any] = [icepool.Deck(again).deal(count).sum() if count else icepool.Die([0]) for count in range(6)]
    weights = [perm(5, count) * 7 * perm(11 - count, 5 - count) for count in range(6)]
    theirs: Any = icepool.Die(hands, times=weights) + icepool.Die(ends)
    assert draw_on(again, ends).chances() == of_icepool(theirs)
