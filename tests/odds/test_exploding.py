"""Explosions without an end, against long finite ones and against algebra."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest

from referee.core.errors import BadInput, TooLarge
from referee.odds import Distribution, Exploding, dice, die


def rolled_out(counts: dict[int, int], on: set[int], extra: int) -> dict[int, Fraction]:
    """Every face of every roll, one after another."""
    whole = sum(counts.values())
    found: dict[int, Fraction] = {}
    open_ends = {0: Fraction(1)}
    for left in range(extra, -1, -1):
        after: dict[int, Fraction] = {}
        for (total, chance), (face, count) in product(open_ends.items(), counts.items()):
            into = after if face in on and left else found
            into[total + face] = into.get(total + face, Fraction(0)) + chance * Fraction(count, whole)
        open_ends = after
    return found


@pytest.mark.parametrize("extra", range(5))
@pytest.mark.parametrize("on", [{6}, {1}, {1, 6}, {5, 6}, set[int](), {9}])
def test_a_capped_explosion_is_what_rolling_it_out_says(on: set[int], extra: int) -> None:
    counts = {0: 2, 1: 1, 2: 1, 5: 3, 6: 1}
    odds = Distribution(counts).explode(on, extra=extra)
    assert odds.chances() == rolled_out(counts, on, extra)
    assert odds.capped == Distribution(counts).chance(on.__contains__) ** (extra + 1)
    assert odds.capped == Exploding(Distribution(counts), on).beyond(extra)


def test_the_cap_stays_part_of_the_answer() -> None:
    wild = die(6).explode([6], extra=2)
    again = 1 - (1 - Fraction(1, 216)) ** 2
    assert wild.capped == Fraction(1, 216)
    assert (wild + dice(3)).capped == (wild - dice(3)).capped == (-wild).capped == Fraction(1, 216)
    assert (wild + wild).capped == wild.times(2).capped == wild.maximum(wild).capped == wild.keep(2, lowest=1).capped
    assert (wild + wild).capped == again
    assert wild.given(lambda outcome: outcome > 17).capped == 1
    assert wild.mapped(lambda outcome: outcome * 2).capped == Fraction(1, 216)
    assert wild.to_plain()["capped"] == "1/216"
    assert dice(3).capped == 0


@pytest.mark.parametrize("bar", range(-3, 40))
def test_a_tail_without_a_cap_is_that_of_a_cap_out_of_reach(bar: int) -> None:
    for on, beside in (([6], dice(0)), ([6], dice(2, pips=1)), ([5, 6], dice(1) - 9)):
        odds = Exploding(die(6), on) + beside
        far = die(6).explode(on, extra=12) + beside
        assert odds.at_least(bar) == far.at_least(bar)
        assert odds.at_most(bar) == far.at_most(bar)
        assert odds[bar] == far[bar]
        assert odds.between(bar - 2, bar) == far.between(bar - 2, bar)
        assert odds.low == far.low


def test_a_die_that_explodes_on_ones_passes_every_number() -> None:
    odds = Exploding(die(2), [1])
    assert [odds[n] for n in range(1, 6)] == [0, *(Fraction(1, 2**n) for n in range(1, 5))]
    assert odds.low == 2
    assert odds.mean == 3


def test_mean_and_variance_are_those_of_the_endless_sum() -> None:
    odds = Exploding(die(6), [6]) + dice(3)
    assert odds.mean == Fraction(21, 5) + Fraction(21, 2)
    nearly = die(6).explode([6], extra=60) + dice(3)
    assert float(nearly.mean) == pytest.approx(float(odds.mean), rel=1e-14)
    assert float(nearly.variance) == pytest.approx(float(odds.variance), rel=1e-14)


@pytest.mark.parametrize("share", ["0", "1/3", "0.5", "5/6", "0.95", "0.9999999"])
def test_quantiles_are_exact_without_a_cap(share: str) -> None:
    for odds in (Exploding(die(6), [6]) + dice(2), Exploding(die(2), [1]), Exploding(die(4), [3, 4]) - 7):
        found = odds.quantile(share)
        assert odds.at_most(found) >= Fraction(share)
        assert found == odds.low or odds.at_most(found - 1) < Fraction(share)


def test_equal_explosions_are_equal() -> None:
    assert Exploding(die(6), [6]) + 1 == Exploding(die(6), [6, 9], Distribution({1: 5}))
    assert hash(Exploding(die(6), [6])) == hash(Exploding(die(6), [6, 9]))
    assert Exploding(die(6), [6]) != Exploding(die(6), [5])
    assert "mean 4.2" in repr(Exploding(die(6), [6]))


def test_what_never_ends_is_refused() -> None:
    for faces, on in (({1: 1}, [1]), ({0: 1, 1: 1}, [0]), ({-1: 1, 1: 1}, [1])):
        with pytest.raises(BadInput, match="explode"):
            Exploding(Distribution(faces), on)
    with pytest.raises(BadInput, match="less than 1"):
        Exploding(die(6), [6]).quantile(1)
    with pytest.raises(TooLarge, match="extra rolls"):
        Exploding(die(6), [6]).at_least(10**9)
    with pytest.raises(TooLarge, match="extra rolls"):
        Exploding(die(6), [6]).capped(-1)
