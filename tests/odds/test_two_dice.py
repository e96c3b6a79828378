"""Two dice with spare dice and re-rolls, against every fall and every plan."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from itertools import product
from typing import TYPE_CHECKING

import pytest

from referee.core.errors import BadInput, TooLarge
from referee.odds import dice, two_dice
from referee.odds.two_dice import CHOICES

if TYPE_CHECKING:
    from referee.odds.two_dice import Choice

Pair = tuple[int, int]
Odds = dict[str, Fraction]
DOUBLES = {(1, 1): "dire", (6, 6): "wild"}
GOOD = ("success", "wild")


def band(high: int, low: int, bar: int) -> str:
    return DOUBLES.get((high, low)) or ("success" if high + low >= bar else "failure")


def merged(parts: list[Odds]) -> Odds:
    whole: Odds = {}
    for part in parts:
        for name, chance in part.items():
            whole[name] = whole.get(name, Fraction(0)) + chance / len(parts)
    return whole


@cache
def best(high: int, low: int, bar: int, rerolls: int) -> tuple[Odds, Choice]:
    """The best that can be done with a pair, tried out; of equals the first."""
    options: list[tuple[Odds, Choice]] = [({band(high, low, bar): Fraction(1)}, "keep")]
    if rerolls:
        faces = range(1, 7)
        again = [sorted((high, face)) for face in faces], [sorted((low, face)) for face in faces]
        both = [sorted(pair) for pair in product(faces, repeat=2)]
        for pairs, choice in zip((*again, both), CHOICES[1:], strict=True):
            options.append((merged([best(two, one, bar, rerolls - 1)[0] for one, two in pairs]), choice))
    return max(options, key=lambda option: sum(option[0].get(name, Fraction(0)) for name in GOOD))


def checked(bar: int, thrown: int, rerolls: int) -> Odds:
    falls = [sorted(faces)[-2:] for faces in product(range(1, 7), repeat=thrown)]
    return merged([best(high, low, bar, rerolls)[0] for low, high in falls])


@pytest.mark.parametrize("rerolls", range(3))
@pytest.mark.parametrize("thrown", [2, 3, 4])
@pytest.mark.parametrize("bar", range(-2, 20, 3))
def test_the_best_plan_is_found_by_trying_all(bar: int, thrown: int, rerolls: int) -> None:
    check = two_dice(bar, thrown=thrown, rerolls=rerolls, always=DOUBLES, good=GOOD)
    found = checked(bar, thrown, rerolls)
    assert check.bands.chances() == {name: found.get(name, Fraction(0)) for name in check.bands}
    assert check.bands.whole == 6 ** (thrown + 2 * rerolls)
    for left, plan in enumerate(check.plans, 1):
        assert plan == {
            (high, low): best(high, low, bar, left)[1] for high in range(1, 7) for low in range(1, high + 1)
        }


@pytest.mark.parametrize("bar", range(2, 13))
def test_every_bar_with_three_dice_and_a_reroll(bar: int) -> None:
    check = two_dice(bar, thrown=3, rerolls=1, always=DOUBLES, good=GOOD)
    assert check.bands.chance(*GOOD) == sum(checked(bar, 3, 1).get(name, Fraction(0)) for name in GOOD)


def test_problem_e_of_the_research_page() -> None:
    odds = two_dice(9 - 1, thrown=3, rerolls=1, always=DOUBLES, good=GOOD).bands.floats()
    assert odds == pytest.approx(
        {"dire": 0.003472, "failure": 0.152778, "success": 0.763889, "wild": 0.079861}, abs=5e-7
    )


def test_equals_are_decided_by_the_order_of_choices() -> None:
    hopeless = two_dice(13, rerolls=1)
    assert set(hopeless.plans[0].values()) == {"keep"}
    certain = two_dice(2, rerolls=1)
    assert set(certain.plans[0].values()) == {"keep"}
    assert two_dice(12, rerolls=1).plans[0][6, 6] == "keep"
    assert two_dice(9, rerolls=1).plans[0][4, 4] == "lower"  # the higher is as good
    assert two_dice(10, rerolls=1).plans[0][4, 1] == "lower"  # both are as good
    assert two_dice(10, rerolls=1).plans[0][3, 1] == "both"


def test_a_policy_may_decide_instead() -> None:
    always_lower = two_dice(9, rerolls=1, policy=lambda high, low: "lower")
    falls = Counter(max(fall[:2]) + fall[2] >= 9 for fall in product(range(1, 7), repeat=3))
    assert always_lower.bands["success"] == Fraction(falls[True], 216)
    never = two_dice(9, rerolls=3, policy=lambda high, low: "keep")
    assert never.bands["success"] == dice(2).at_least(9)
    assert "success" in repr(never)


def test_other_dice_do_as_well() -> None:
    assert two_dice(15, sides=10).bands["success"] == dice(2, 10).at_least(15)
    assert two_dice(15, sides=10, thrown=5).bands["success"] == dice(1, 10).keep(5, highest=2).at_least(15)
    assert two_dice(150, sides=100, thrown=9, rerolls=9).bands["success"] > Fraction(99, 100)


def test_what_makes_no_sense_or_is_too_large_is_refused() -> None:
    with pytest.raises(BadInput, match="at least two dice"):
        two_dice(9, thrown=1)
    with pytest.raises(BadInput, match="good"):
        two_dice(9, good=("wild",))
    with pytest.raises(BadInput, match="always"):
        two_dice(9, always={(1, 6): "odd"})
    refused: list[Callable[[], object]] = [
        lambda: two_dice(9, thrown=10**9),
        lambda: two_dice(9, rerolls=10**9),
        lambda: two_dice(9, sides=10**9),
    ]
    for too_much in refused:
        with pytest.raises(TooLarge, match="at most"):
            too_much()
