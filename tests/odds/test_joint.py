"""Joint distributions against dictionaries of fractions."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.core.errors import BadInput, TooLarge
from referee.odds import Distribution, Joint, die, joint_mixture

AXES = ("a", "b", "c")
CELLS = st.tuples(st.integers(-3, 3), st.integers(0, 2), st.integers(5, 8))


def joint_of(counts: dict[tuple[int, int, int], int]) -> Joint:
    return Joint(AXES, dict(counts.items()))


JOINTS = st.dictionaries(CELLS, st.integers(1, 50), min_size=1, max_size=8).map(joint_of)
Cell = tuple[int, ...]


@given(JOINTS, JOINTS)
def test_sums_go_axis_by_axis(one: Joint, two: Joint) -> None:
    found: dict[Cell, Fraction] = {}
    for (first, chance), (second, other) in product(one.chances().items(), two.chances().items()):
        cell = tuple(a + b for a, b in zip(first, second, strict=True))
        found[cell] = found.get(cell, Fraction(0)) + chance * other
    assert (one + two).chances() == found
    assert one + two == two + one
    assert one.times(2) == one + one
    assert one.times(3) == one + one + one


@given(JOINTS)
def test_an_axis_alone_sums_over_the_others(joint: Joint) -> None:
    for place, axis in enumerate(AXES):
        found: dict[int, Fraction] = {}
        for cell, chance in joint.chances().items():
            found[cell[place]] = found.get(cell[place], Fraction(0)) + chance
        assert joint.axis(axis).chances() == found
        assert joint.only(axis).axis(axis) == joint.axis(axis)
    assert joint.only("c", "a").only("a").axis("a") == joint.axis("a")
    assert joint.only(*AXES) == joint


@given(JOINTS, st.sampled_from(AXES), st.integers(-5, 10))
def test_a_limit_gathers_what_is_above_it(joint: Joint, axis: str, most: int) -> None:
    limited = joint.limited(axis, most)
    assert limited.axis(axis) == joint.axis(axis).minimum(most)
    for other in set(AXES) - {axis}:
        assert limited.axis(other) == joint.axis(other)
    assert sum(limited.counts) == limited.whole


@given(JOINTS)
def test_questions_are_sums_of_chances(joint: Joint) -> None:
    chances = joint.chances()
    assert sum(chances.values()) == 1
    assert joint.chance(lambda a, b, c: a < b < c) == sum(p for (a, b, c), p in chances.items() if a < b < c)
    assert joint.exactly(a=0, b=1) == sum(p for (a, b, _), p in chances.items() if (a, b) == (0, 1))
    assert joint.at_least(a=0, c=6) == sum(p for (a, _, c), p in chances.items() if a >= 0 and c >= 6)
    assert joint.read(lambda a, b, c: a + b - c).mean == sum((a + b - c) * p for (a, b, c), p in chances.items())
    both = sum(a * b * p for (a, b, _), p in chances.items())
    assert joint.covariance("a", "b") == both - joint.axis("a").mean * joint.axis("b").mean
    assert (
        joint.bands(lambda a, b, c: "up" if a > 0 else "down")["down"] == 1 - joint.at_least(a=1)
        if (joint.axis("a").low < 1)
        else True
    )


@given(JOINTS)
def test_given_is_bayes(joint: Joint) -> None:
    low = joint.axis("a").low
    left = joint.given(lambda a, b, c: a == low)
    assert left.chances() == {cell: p / joint.exactly(a=low) for cell, p in joint.chances().items() if cell[0] == low}
    with pytest.raises(BadInput, match="meets the condition"):
        joint.given(lambda a, b, c: False)


@given(JOINTS, JOINTS)
def test_a_mixture_weighs_its_parts(one: Joint, two: Joint) -> None:
    mixed = joint_mixture([(1, one), (2, two), (0, one)]).chances()
    for cell in {*one.chances(), *two.chances()}:
        assert mixed[cell] == (one.chances().get(cell, 0) + 2 * two.chances().get(cell, Fraction(0))) / 3


def test_independent_axes_multiply() -> None:
    joint = Joint.independent(hit=die(6), harm=die(4) - 3, place=Distribution({7: 1, 9: 2}))
    assert joint.axes == ("hit", "harm", "place")
    assert joint.axis("hit") == die(6)
    assert joint.axis("harm") == die(4) - 3
    assert joint.exactly(hit=6, harm=-2, place=9) == Fraction(1, 6) * Fraction(1, 4) * Fraction(2, 3)
    assert joint.covariance("hit", "harm") == 0


def test_equal_chances_are_equal_however_they_are_counted() -> None:
    one, other = Joint(("x", "y"), {(0, 0): 1, (3, 1): 2}), Joint(("x", "y"), {(0, 0): 2, (3, 1): 4, (9, 9): 0})
    assert one == other
    assert hash(one) == hash(other)
    assert one != Joint(("y", "x"), {(0, 0): 1, (3, 1): 2})


def test_what_makes_no_sense_is_refused() -> None:
    joint = Joint(("x", "y"), {(0, 0): 1, (1, 1): 1})
    cases: list[tuple[tuple[str, ...], dict[Cell, int]]] = [
        ((), {}),
        (("x", "x"), {(0, 0): 1}),
        (("x",), {(0, 0): 1}),
        (("x",), {(0,): -1}),
    ]
    for axes, counts in cases:
        with pytest.raises(BadInput, match="joint"):
            Joint(axes, counts)
    with pytest.raises(BadInput, match="must be x, y, not z"):
        joint.axis("z")
    with pytest.raises(BadInput, match="axes"):
        _ = joint + Joint(("x",), {(0,): 1})
    with pytest.raises(BadInput, match="same axes"):
        joint_mixture([(1, joint), (1, Joint(("x",), {(0,): 1}))])
    with pytest.raises(BadInput, match="no fewer"):
        joint.times(-1)


def test_what_is_too_large_is_refused_at_the_door() -> None:
    joint = Joint(("x", "y"), {(0, 0): 1, (1, 1): 1})
    refused: list[Callable[[], object]] = [
        lambda: joint.times(10**9),
        lambda: joint.times(1000),
        lambda: Joint(("x", "y"), {(0, 0): 1, (10**6, 10**6): 1}),
        lambda: Joint.independent(x=die(1000), y=die(1000)),
    ]
    for too_much in refused:
        with pytest.raises(TooLarge, match="at most"):
            too_much()
