"""The algebra of distributions against dictionaries of fractions."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from fractions import Fraction
from itertools import product
from math import pi, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.core.errors import BadInput, TooLarge
from referee.odds import Distribution, NamedOutcomes, dice, die, mixture
from referee.odds.distribution import MOST_OUTCOMES

COUNTS = st.dictionaries(st.integers(-20, 20), st.integers(1, 1000), min_size=1, max_size=6)
ODDS = COUNTS.map(Distribution)
Chances = dict[int, Fraction]


def combined(first: Chances, second: Chances, function: Callable[[int, int], int]) -> Chances:
    found: Chances = {}
    for (one, chance), (two, other) in product(first.items(), second.items()):
        found[function(one, two)] = found.get(function(one, two), Fraction(0)) + chance * other
    return found


@given(ODDS, ODDS)
def test_sum_difference_maximum_and_minimum_are_what_counting_says(one: Distribution, two: Distribution) -> None:
    first, second = one.chances(), two.chances()
    assert (one + two).chances() == combined(first, second, lambda a, b: a + b)
    assert (one - two).chances() == combined(first, second, lambda a, b: a - b)
    assert one.margin(two) == one - two
    assert one.maximum(two).chances() == combined(first, second, max)
    assert one.minimum(two).chances() == combined(first, second, min)


@given(ODDS, ODDS, ODDS)
def test_sums_and_maxima_are_associative_and_commutative(a: Distribution, b: Distribution, c: Distribution) -> None:
    assert (a + b) + c == a + (b + c)
    assert a + b == b + a
    assert a.maximum(b).maximum(c) == a.maximum(b.maximum(c))
    assert a - b == -(b - a)


@given(ODDS, ODDS)
def test_mean_and_variance_add_up(a: Distribution, b: Distribution) -> None:
    assert (a + b).mean == a.mean + b.mean
    assert (a - b).mean == a.mean - b.mean
    assert (a + b).variance == (a - b).variance == a.variance + b.variance


@given(ODDS, ODDS)
def test_chances_add_up_to_one(a: Distribution, b: Distribution) -> None:
    for odds in (a, a + b, a - b, a.maximum(b), a.minimum(b), a.times(3), mixture([(2, a), (3, b)])):
        assert sum(odds.chances().values()) == 1
        assert sum(odds.counts) == odds.whole
        assert odds.counts[0] > 0
        assert odds.counts[-1] > 0


@given(ODDS, st.integers(0, 5))
def test_n_times_is_n_sums(a: Distribution, count: int) -> None:
    added = Distribution({0: 1})
    for _ in range(count):
        added += a
    assert a.times(count) == added


@given(ODDS, st.integers(-30, 30), st.integers(-30, 30))
def test_tails_are_sums_of_chances(a: Distribution, bar: int, other: int) -> None:
    chances = a.chances()
    assert a.at_least(bar) == sum(chance for outcome, chance in chances.items() if outcome >= bar)
    assert a.at_most(bar) == sum(chance for outcome, chance in chances.items() if outcome <= bar)
    assert a.between(bar, other) == sum(chance for outcome, chance in chances.items() if bar <= outcome <= other)
    assert a[bar] == chances.get(bar, 0)
    assert a.chance(lambda outcome: outcome % 2) == sum(chance for outcome, chance in chances.items() if outcome % 2)


@given(ODDS)
def test_mean_and_variance_are_their_definitions(a: Distribution) -> None:
    mean = sum((outcome * chance for outcome, chance in a.chances().items()), Fraction(0))
    assert a.mean == mean
    assert a.variance == sum((outcome - mean) ** 2 * chance for outcome, chance in a.chances().items())


@given(ODDS, st.fractions(0, 1))
def test_a_quantile_is_the_least_outcome_not_exceeded_so_often(a: Distribution, share: Fraction) -> None:
    found = a.quantile(share)
    assert a.at_most(found) >= share
    assert all(a.at_most(outcome) < share for outcome in a if outcome < found) or share == 0


def test_quantiles_take_floats_as_people_write_them() -> None:
    tenths = Distribution(dict.fromkeys(range(1, 11), 1))
    assert tenths.quantile(0.1) == 1
    assert tenths.quantile("0.95") == 10
    assert tenths.median == 5
    assert tenths.quantile(0) == 1
    with pytest.raises(BadInput, match="from 0 to 1"):
        tenths.quantile(1.5)


@given(ODDS)
def test_given_is_bayes(a: Distribution) -> None:
    even = a.chance(lambda outcome: outcome % 2 == 0)
    if even:
        left = a.given(lambda outcome: outcome % 2 == 0)
        assert left.chances() == {outcome: chance / even for outcome, chance in a.chances().items() if outcome % 2 == 0}
    else:
        with pytest.raises(BadInput, match="no outcome"):
            a.given(lambda outcome: outcome % 2 == 0)


@given(ODDS, ODDS, st.integers(0, 9), st.integers(1, 9))
def test_a_mixture_weighs_its_parts(a: Distribution, b: Distribution, one: int, two: int) -> None:
    mixed = mixture([(one, a), (two, b)])
    for outcome in {*a, *b}:
        assert mixed[outcome] == (one * a[outcome] + two * b[outcome]) / (one + two)
    assert set(mixed) <= {*a, *b}


@given(ODDS, st.integers(1, 7))
def test_mapping_gathers_outcomes(a: Distribution, by: int) -> None:
    assert a.mapped(lambda outcome: outcome // by).at_least(1) == a.at_least(by)


@given(COUNTS, st.integers(2, 10**30))
def test_equal_chances_are_equal_however_they_are_counted(counts: dict[int, int], by: int) -> None:
    one, other = Distribution(counts), Distribution({outcome: count * by for outcome, count in counts.items()})
    assert one == other
    assert hash(one) == hash(other)
    assert one != other + 1
    assert pickle.loads(pickle.dumps(one)) == copy.deepcopy(other) == one


def test_whole_numbers_join_in() -> None:
    d6 = die(6)
    assert (d6 + 2).chances() == {n + 2: Fraction(1, 6) for n in range(1, 7)}
    assert 2 + d6 == d6 + 2
    assert 7 - d6 == d6
    assert d6 - 1 == Distribution(dict.fromkeys(range(6), 1))
    assert d6.maximum(4).chances() == {4: Fraction(4, 6), 5: Fraction(1, 6), 6: Fraction(1, 6)}
    assert d6.minimum(2).chances() == {1: Fraction(1, 6), 2: Fraction(5, 6)}


def test_bands_begin_at_their_bars() -> None:
    bands = dice(2).bands({"failure": None, "success": 9, "great success": 12})
    assert bands.chances() == {
        "failure": Fraction(26, 36),
        "success": Fraction(9, 36),
        "great success": Fraction(1, 36),
    }
    assert bands["success"] == Fraction(1, 4)
    assert bands.chance("success", "great success") == Fraction(10, 36)
    assert dice(2).bands({"all": 0, "none": 13}).chances() == {"all": 1, "none": 0}
    for senseless in ({"success": 9}, {"a": None, "b": 9, "c": 8}, {}):
        with pytest.raises(BadInput, match="rise"):
            dice(2).bands(senseless)
    with pytest.raises(BadInput, match="failure, success"):
        bands.chance("succes")
    assert NamedOutcomes({"a": 1, "b": 2}) == NamedOutcomes({"b": 4, "a": 2})
    assert hash(NamedOutcomes({"a": 1, "b": 2})) == hash(NamedOutcomes({"b": 4, "a": 2}))
    with pytest.raises(BadInput, match="not all 0"):
        NamedOutcomes({"a": 0})


def test_floats_are_there_on_request() -> None:
    assert dice(1, 2).floats() == {1: 0.5, 2: 0.5}
    assert dice(2).deviation == pytest.approx(2.41522945769)
    assert dice(200).floats()[700] == pytest.approx(1 / sqrt(2 * pi * 200 * 35 / 12), rel=1e-3)


def test_what_makes_no_sense_is_refused() -> None:
    for counts in ({}, {1: 0}, {1: -1, 2: 2}):
        with pytest.raises(BadInput, match="positive counts"):
            Distribution(counts)
    with pytest.raises(BadInput, match="no fewer than 0"):
        die(6).times(-1)
    with pytest.raises(BadInput, match="positive weights"):
        mixture([])


def test_what_is_too_large_is_refused_at_the_door() -> None:
    with pytest.raises(TooLarge, match=str(MOST_OUTCOMES)):
        Distribution({0: 1, 10**12: 1})
    refused: list[Callable[[], object]] = [
        lambda: die(6).times(10**9),
        lambda: dice(10**18),
        lambda: dice(200, 1000),
        lambda: die(60_000) + die(60_000),
        lambda: dice(200).times(200),
        lambda: die(6).explode([6], extra=10**6),
        lambda: die(6).keep(10**6, highest=3),
        lambda: die(100).keep(100, highest=50),
    ]
    for too_much in refused:
        with pytest.raises(TooLarge, match=r"at most|from 0 to"):
            too_much()


def test_two_hundred_dice_are_not_too_large() -> None:
    assert dice(200, 20).mean == 2100
    assert die(1).times(10**9).chances() == {10**9: 1}
