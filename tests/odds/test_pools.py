"""Pools of symbol dice, pushed, against every way the dice can fall."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product
from math import prod

import pytest

from referee.core.errors import BadInput, TooLarge
from referee.odds import SymbolDie, symbol_pool

BASE = SymbolDie(6, {6: "success", 1: "bane"}, locks=(1, 6))
SKILL = SymbolDie(6, {6: "success"}, locks=(6,))
STRESS = SymbolDie(6, {6: "success", 1: "panic"}, locks=(6,))
SMALL = SymbolDie(3, {3: "success", 1: "bane"}, locks=(1, 3))
TINY = SymbolDie(3, {3: "success", 1: "panic"}, locks=(3,))
COIN = SymbolDie(2, {2: ("success", "success"), 1: "bane"}, locks=(2,))
FOUR = SymbolDie(4, {4: ("success", "success"), 3: "success", 2: "bane", 1: "panic"}, locks=(1, 4))

Dice = Sequence[tuple[SymbolDie, int]]
Cell = tuple[int, ...]
MARKS: dict[SymbolDie, dict[int, tuple[str, ...]]] = {
    BASE: {6: ("success",), 1: ("bane",)},
    SKILL: {6: ("success",)},
    STRESS: {6: ("success",), 1: ("panic",)},
    SMALL: {3: ("success",), 1: ("bane",)},
    TINY: {3: ("success",), 1: ("panic",)},
    COIN: {2: ("success", "success"), 1: ("bane",)},
    FOUR: {4: ("success", "success"), 3: ("success",), 2: ("bane",), 1: ("panic",)},
}
LOCKS = {BASE: (1, 6), SKILL: (6,), STRESS: (6,), SMALL: (1, 3), TINY: (3,), COIN: (2,), FOUR: (1, 4)}


def played(
    dice: Dice, axes: tuple[str, ...], pushes: int = 0, until: tuple[str, ...] = (), adding: Dice = ()
) -> dict[Cell, Fraction]:
    """Die by die and face by face, as people do it."""
    found: dict[Cell, Fraction] = {}

    def advance(lying: list[tuple[SymbolDie, int]], throw: list[SymbolDie], left: int, chance: Fraction) -> None:
        share = chance / prod(die.sides for die in throw)
        for faces in product(*(range(1, die.sides + 1) for die in throw)):
            shown = [*lying, *zip(throw, faces, strict=True)]
            symbols = [symbol for die, face in shown for symbol in MARKS[die].get(face, ())]
            if left == 0 or any(symbol in symbols for symbol in until):
                cell = tuple(symbols.count(axis) for axis in axes)
                found[cell] = found.get(cell, Fraction(0)) + share
            else:
                kept = [(die, face) for die, face in shown if face in LOCKS[die]]
                again = [die for die, face in shown if face not in LOCKS[die]]
                again += [die for die, count in adding for _ in range(count)]
                advance(kept, again, left - 1, share)

    advance([], [die for die, count in dice for _ in range(count)], pushes, Fraction(1))
    return found


AXES = ("success", "bane", "panic")
UNTIL = [(), ("success",), ("success", "panic"), ("bane",), ("nothing",)]


@pytest.mark.parametrize("until", UNTIL, ids=str)
@pytest.mark.parametrize("pushes", range(3))
@pytest.mark.parametrize("adding", [[], [(TINY, 1)]], ids=["as it is", "adding"])
@pytest.mark.parametrize(
    "dice",
    [
        [(SMALL, 2)],
        [(SMALL, 1), (TINY, 1)],
        [(COIN, 2), (SMALL, 1)],
        [(COIN, 1), (TINY, 2)],
        [(FOUR, 2)],
        [(SMALL, 0)],
        [],
    ],
    ids=str,
)
def test_a_pushed_pool_is_what_every_fall_says(dice: Dice, adding: Dice, pushes: int, until: tuple[str, ...]) -> None:
    joint = symbol_pool(dice, AXES, pushes=pushes, until=until, adding=adding)
    assert joint.chances() == played(dice, AXES, pushes, until, adding)
    assert sum(joint.counts) == joint.whole


@pytest.mark.parametrize("until", UNTIL, ids=str)
@pytest.mark.parametrize(
    "dice", [[(BASE, 2), (SKILL, 1)], [(BASE, 1), (STRESS, 2)], [(SKILL, 2), (STRESS, 1)]], ids=str
)
def test_six_sided_pools_pushed_once_are_what_every_fall_says(dice: Dice, until: tuple[str, ...]) -> None:
    joint = symbol_pool(dice, ("panic", "success"), pushes=1, until=until)
    assert joint.chances() == played(dice, ("panic", "success"), 1, until)


def test_six_sided_dice_pushed_twice_are_what_every_fall_says() -> None:
    for die in (BASE, SKILL, STRESS):
        for count, until in ((1, ()), (2, ("success",)), (1, ("bane",)), (1, ("panic", "success"))):
            joint = symbol_pool([(die, count)], AXES, pushes=2, until=until)
            assert joint.chances() == played([(die, count)], AXES, 2, until)


def test_problem_c_of_the_research_page() -> None:
    base = SymbolDie(6, {6: "success", 1: "base bane"}, locks=(1, 6))
    gear = SymbolDie(6, {6: "success", 1: "gear bane"}, locks=(1, 6))
    ammo = SymbolDie(6, {6: "success"}, locks=(1, 6))
    pool = [(base, 5), (SKILL, 3), (gear, 2), (ammo, 2)]
    joint = symbol_pool(pool, ("success", "base bane", "gear bane"), pushes=1)
    assert float(joint.at_least(success=1)) == pytest.approx(0.982096, abs=5e-7)
    assert float(joint.axis("base bane").at_least(1)) == pytest.approx(0.803504, abs=5e-7)
    cell = {"success": 2, "base bane": 1, "gear bane": 0}
    assert joint.exactly(**cell) == Fraction(65225989375, 2259436291848)


def test_problem_d_of_the_research_page() -> None:
    joint = symbol_pool(
        [(SKILL, 8), (STRESS, 4)],
        ("success", "panic"),
        pushes=1,
        until=("success", "panic"),
        adding=[(STRESS, 1)],
    )
    assert float(joint.at_least(success=1)) == pytest.approx(0.929489, abs=5e-7)
    assert float(joint.at_least(panic=1)) == pytest.approx(0.545224, abs=5e-7)
    assert float(joint.chance(lambda success, panic: success and not panic)) == pytest.approx(0.453369, abs=5e-7)
    assert joint.limited("panic", 1).exactly(panic=1) == joint.at_least(panic=1)


def test_dice_that_mean_the_same_are_equal() -> None:
    assert SymbolDie(6, {6: "success"}, locks=[6]) == SymbolDie(6, {6: ("success",)}, locks=(6,))
    assert hash(SymbolDie(6, {1: "success"}, locks=[1])) == hash(SKILL)
    assert SKILL != BASE
    assert repr(BASE) == "<SymbolDie d6: bane, success>"


def test_what_makes_no_sense_is_refused() -> None:
    refused: list[Callable[[], object]] = [
        lambda: SymbolDie(0, {}),
        lambda: SymbolDie(6, {7: "success"}),
        lambda: SymbolDie(6, {}, locks=(0,)),
        lambda: symbol_pool([(BASE, -1)], ("success",)),
        lambda: symbol_pool([(BASE, 1)], ()),
        lambda: symbol_pool([(BASE, 1)], ("success", "success")),
    ]
    for senseless in refused:
        with pytest.raises(BadInput, match="must be"):
            senseless()


def test_what_is_too_large_is_refused_at_the_door() -> None:
    refused: list[Callable[[], object]] = [
        lambda: symbol_pool([(BASE, 10**9)], ("success",)),
        lambda: symbol_pool([(BASE, 300)], ("success", "bane"), pushes=1),
        lambda: symbol_pool([(BASE, 3)], ("success",), pushes=10**9),
        lambda: symbol_pool([(SymbolDie(2, {1: ("x",) * 100_000}), 3)], ("x",)),
    ]
    for too_much in refused:
        with pytest.raises(TooLarge, match=r"at most|from 0 to"):
            too_much()
