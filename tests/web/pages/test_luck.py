"""How likely a throw was is exact, from its dice alone."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest

from referee import registry
from referee.core.plain import Plain
from referee.web.pages.history.luck import chance_of

LOOK = registry.load("distemper").look
MARKED = registry.load("alien").look
TWO: Plain = {"dice": [{"die": "d6", "sides": 6}]}
BASE: Plain = {"dice": [{"die": "base", "faces": ["one", "blank", "blank", "blank", "blank", "six"]}]}


@pytest.mark.parametrize("fell", [[1, 1], [3, 4], [6, 6], [2, 5]])
def test_two_dice_are_as_likely_as_counted(fell: list[int]) -> None:
    sums = [one + two for one, two in product(range(1, 7), repeat=2)]
    good = Fraction(sum(each >= sum(fell) for each in sums), 36)
    bad = Fraction(sum(each <= sum(fell) for each in sums), 36)
    assert chance_of([fell], TWO, LOOK, good=True) == good
    assert chance_of([fell], TWO, LOOK, good=False) == bad


def test_marked_dice_count_their_good_faces() -> None:
    assert chance_of([[6, 6, 2]], BASE, MARKED, good=True) == Fraction(16, 216)  # two sixes in three ways, or three
    assert chance_of([[1, 2, 3]], BASE, MARKED, good=False) == Fraction(125, 216)


@pytest.mark.parametrize(
    ("answer", "roll"),
    [
        ("10H", None),
        ([[6]], {"dice": [{"die": "wild", "sides": 6, "again": [6]}]}),
        ([[6]], {"dice": [{"die": "negative", "sides": 6}]}),
        ([[6]], {"dice": [{"die": "d6", "sides": 6}], "places": [[[6]]]}),
        ([[]], {"dice": [{"die": "d6", "sides": 6}]}),
    ],
)
def test_where_the_dice_alone_do_not_say_nothing_is_said(answer: Plain, roll: Plain) -> None:
    assert chance_of(answer, roll, LOOK, good=True) is None
