"""Sums of dice and the wild die against every way the dice can fall; anchors of the research page as literals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from itertools import product

import pytest

from referee.core.errors import BadInput, TooLarge
from referee.odds import Distribution, dice, die, open_wild_dice, wild_dice, wild_faces
from referee.odds.dice import WILD_ONES


def thrown(count: int, sides: int, extra: int, wild_one: str) -> dict[tuple[int, int], Fraction]:
    """Total and first face of the wild die, by every fall of every die; dice that are not needed fall all the same."""
    found: Counter[tuple[int, int]] = Counter()
    faces = range(1, sides + 1)
    for others in product(faces, repeat=count - 1):
        for wild in product(faces, repeat=extra + 1):
            total, last = sum(others), sides
            for face in wild:
                if last == sides:
                    total += face
                last = face if last == sides else 0
            if wild[0] == 1 and wild_one != "counts":
                total = sum(others) - (max(others, default=0) if wild_one == "takes highest" else 0)
            found[total, wild[0]] += 1
    return {key: Fraction(ways, sides ** (count + extra)) for key, ways in found.items()}


@pytest.mark.parametrize("wild_one", WILD_ONES)
@pytest.mark.parametrize(
    ("count", "sides", "extra"),
    [*product((1, 2, 3, 4), (2, 3), (0, 1, 2)), (1, 6, 2), (2, 6, 1), (3, 6, 2), (2, 6, 0), (3, 4, 2)],
)
def test_wild_dice_are_what_every_fall_says(count: int, sides: int, extra: int, wild_one: str) -> None:
    found = thrown(count, sides, extra, wild_one)
    option = next(option for option in WILD_ONES if option == wild_one)
    joint = wild_faces(count, 3, extra=extra, wild_one=option, sides=sides)
    odds = wild_dice(count, 3, extra=extra, wild_one=option, sides=sides)
    assert joint.chances() == {(total + 3, face): chance for (total, face), chance in found.items()}
    assert joint.axis("total") == odds
    assert odds.capped == Fraction(1, sides ** (extra + 1))
    assert odds.counts[0] > 0
    assert odds.counts[-1] > 0
    assert sum(odds.counts) == odds.whole


@pytest.mark.parametrize(("count", "sides"), [*product(range(5), (1, 2, 3, 6))])
def test_dice_are_what_every_fall_says(count: int, sides: int) -> None:
    falls = Counter(sum(faces) - 2 for faces in product(range(1, sides + 1), repeat=count))
    assert dice(count, sides, -2) == Distribution(falls)


def test_an_open_wild_die_agrees_with_a_cap_it_does_not_reach() -> None:
    for bar in range(70):
        assert open_wild_dice(5, 2).at_least(bar) == wild_dice(5, 2, extra=11).at_least(bar)
    assert open_wild_dice(10).mean == Fraction(9 * 7, 2) + Fraction(21, 5)


def test_problem_a_of_the_research_page() -> None:
    ten = wild_dice(10, extra=10)
    assert (ten.low, ten.high, ten.whole) == (10, 120, 6**20)
    assert ten.at_least(40) == Fraction(9865419323, 39182082048)
    assert float(ten.at_least(40)) == pytest.approx(0.251784, abs=5e-7)
    assert float(ten.mean) == pytest.approx(35.7, abs=1e-6)
    assert ten.capped == Fraction(1, 6**11)
    unlucky = wild_dice(10, extra=10, wild_one="takes highest")
    assert float(unlucky.at_least(40)) == pytest.approx(0.237660, abs=5e-7)


def test_problem_b_of_the_research_page() -> None:
    margin = wild_dice(8, extra=10) - wild_dice(7, extra=10)
    assert margin.at_least(1) == Fraction(125389880610282738490775123, 191007866638713621225406464)
    assert float(margin[0]) == pytest.approx(0.047759, abs=5e-7)
    assert margin.mean == Fraction(7, 2)


def test_the_options_of_a_wild_one_are_all_there() -> None:
    assert WILD_ONES == ("counts", "lost", "takes highest")
    assert wild_dice(1, extra=0, wild_one="takes highest") == wild_dice(1, extra=0, wild_one="lost")


def test_what_makes_no_sense_is_refused() -> None:
    refused: list[Callable[[], object]] = [
        lambda: dice(-1),
        lambda: die(0),
        lambda: wild_dice(0, extra=1),
        lambda: open_wild_dice(0),
        lambda: wild_dice(2, extra=1, sides=1),
        lambda: wild_dice(2, extra=1, wild_one="explodes"),  # type: ignore[arg-type]  # what a caller without types may do
    ]
    for senseless in refused:
        with pytest.raises(BadInput, match="must be"):
            senseless()


def test_what_is_too_large_is_refused_at_the_door() -> None:
    refused: list[Callable[[], object]] = [
        lambda: wild_dice(10**9, extra=10),
        lambda: wild_dice(10, extra=10**9),
        lambda: wild_dice(5000, extra=10),
        lambda: wild_faces(10**9, extra=10),
    ]
    for too_much in refused:
        with pytest.raises(TooLarge, match=r"at most|from 0 to"):
            too_much()
