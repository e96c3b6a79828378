"""Odds as JSON and back, exactly."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.core.errors import BadInput, TooLarge
from referee.odds import Distribution, Joint, NamedOutcomes, dice, wild_dice
from referee.odds.plain import bands, distribution, joint

COUNTS = st.dictionaries(st.integers(-20, 20), st.integers(1, 10**40), min_size=1, max_size=5)
CELLS = st.dictionaries(st.tuples(st.integers(-5, 5), st.integers(0, 3)), st.integers(1, 99), min_size=1, max_size=5)


@given(COUNTS)
def test_a_distribution_comes_back_from_json(counts: dict[int, int]) -> None:
    odds = Distribution(counts)
    assert distribution(json.loads(json.dumps(odds.to_plain()))) == odds


@given(CELLS)
def test_a_joint_distribution_comes_back_from_json(counts: dict[tuple[int, ...], int]) -> None:
    odds = Joint(("a", "b"), counts)
    assert joint(json.loads(json.dumps(odds.to_plain()))) == odds


def test_bands_come_back_from_json() -> None:
    odds = NamedOutcomes({"fail": 1, "never": 0, "success": 2})
    assert bands(json.loads(json.dumps(odds.to_plain()))) == odds
    assert odds.to_plain()["chances"] == {"fail": "1/3", "never": "0/1", "success": "2/3"}


def test_chances_are_exact_beside_floats() -> None:
    plain = dice(2).to_plain()
    assert plain["chances"]["7"] == "1/6"
    assert plain["floats"]["7"] == pytest.approx(1 / 6)
    assert (plain["mean"], plain["variance"], plain["capped"]) == ("7/1", "35/6", "0/1")
    big = wild_dice(20, extra=10)
    assert Fraction(big.to_plain()["chances"]["70"]) == big[70]
    assert big[70].denominator > 2**53


@pytest.mark.parametrize(
    "plain",
    [
        {},
        {"chances": []},
        {"chances": {}},
        {"chances": {"1": "1/2"}},
        {"chances": {"1": "1/2", "2": 0.5}},
        {"chances": {"1": "1/0"}},
        {"chances": {"1": "1/00"}},
        {"chances": {"1": "3/2", "2": "-1/2"}},
        {"chances": {"one": "1/1"}},
        {"chances": {"1": "1e9/1"}},
        {"chances": {"1": "1/1" + "0" * 30_000}},
    ],
)
def test_what_is_no_distribution_is_refused(plain: dict[str, Any]) -> None:
    with pytest.raises(BadInput, match="chances"):
        distribution(plain)


def test_what_is_no_joint_distribution_is_refused() -> None:
    for plain in ({"chances": {"1": "1/1"}}, {"axes": [1], "chances": {"1": "1/1"}}):
        with pytest.raises(BadInput, match="axes"):
            joint(plain)
    with pytest.raises(BadInput, match="joint"):
        joint({"axes": ["a", "b"], "chances": {"1": "1/1"}})
    with pytest.raises(TooLarge, match="at most"):
        distribution({"chances": {"0": "1/2", "999999999999": "1/2"}})
