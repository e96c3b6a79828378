"""Pools pushed by a policy or as well as can be, against `symbol_pool` and against trying everything."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import cache
from itertools import product

import pytest

from referee.core.errors import TooLarge
from referee.odds import SymbolDie, best_pool, policy_pool, symbol_pool

BASE = SymbolDie(6, {6: "success", 1: "bane"}, locks=(1, 6))
SKILL = SymbolDie(6, {6: "success"}, locks=(6,))
STRESS = SymbolDie(6, {6: "success", 1: "panic"}, locks=(6,))
SMALL = SymbolDie(3, {3: "success", 1: "bane"}, locks=(1, 3))
TINY = SymbolDie(3, {3: "success", 1: "panic"}, locks=(3,))
COIN = SymbolDie(2, {2: ("success", "success"), 1: "bane"}, locks=(2,))
FACES = {
    SMALL: ((("bane",), True), ((), False), (("success",), True)),
    TINY: ((("panic",), False), ((), False), (("success",), True)),
    COIN: ((("bane",), False), (("success", "success"), True)),
}
AXES = ("success", "bane", "panic")

Dice = Sequence[tuple[SymbolDie, int]]
Cell = tuple[int, ...]
Ends = dict[Cell, Fraction]


def one_by_one(dice: Dice) -> tuple[SymbolDie, ...]:
    return tuple(die for die, count in dice for _ in range(count))


@cache
def thrown(
    lying: tuple[str, ...],
    free: tuple[SymbolDie, ...],
    left: int,
    adding: tuple[SymbolDie, ...],
    pushes: Callable[[Cell, Callable[[], Ends]], bool],
) -> Ends:
    """Die by die and face by face; whether to push is asked with the symbols that lie, and what would come of it."""
    ends: Ends = {}
    for faces in product(*(FACES[die] for die in free)):
        shown = [*lying, *(symbol for symbols, _ in faces for symbol in symbols)]
        cell = tuple(shown.count(axis) for axis in AXES)
        locked = tuple(sorted([*lying, *(symbol for symbols, lock in faces if lock for symbol in symbols)]))
        again = tuple(die for die, (_, lock) in zip(free, faces, strict=True) if not lock) + adding

        def pushed(locked: tuple[str, ...] = locked, again: tuple[SymbolDie, ...] = again) -> Ends:
            return thrown(locked, again, left - 1, adding, pushes)

        share = Fraction(1)
        for die in free:
            share /= die.sides
        for end, chance in (pushed() if left and pushes(cell, pushed) else {cell: Fraction(1)}).items():
            ends[end] = ends.get(end, Fraction(0)) + share * chance
    return ends


POOLS: list[tuple[Dice, Dice]] = [
    ([(SMALL, 2)], []),
    ([(SMALL, 1), (TINY, 1)], [(TINY, 1)]),
    ([(COIN, 2), (TINY, 1)], []),
    ([(COIN, 1)], [(SMALL, 1)]),
    ([(SMALL, 0)], []),
]


@pytest.mark.parametrize("pushes", range(3))
@pytest.mark.parametrize(("dice", "adding"), POOLS, ids=str)
def test_a_policy_is_followed_throw_by_throw(dice: Dice, adding: Dice, pushes: int) -> None:
    def wanting(symbols: Mapping[str, int]) -> bool:
        return symbols.get("success", 0) < 2 and symbols.get("bane", 0) <= symbols.get("panic", 0)

    def tried(cell: Cell, pushed: Callable[[], Ends]) -> bool:
        return cell[0] < 2 and cell[1] <= cell[2]

    ours = policy_pool(dice, AXES, pushes=pushes, policy=wanting, adding=adding)
    assert ours.chances() == thrown((), one_by_one(dice), pushes, one_by_one(adding), tried)


def worth(success: int, bane: int, panic: int) -> int:
    return 3 * min(success, 2) - 2 * bane - panic


def value(ends: Ends) -> Fraction:
    return sum((worth(*cell) * chance for cell, chance in ends.items()), Fraction(0))


def better(cell: Cell, pushed: Callable[[], Ends]) -> bool:
    return value(pushed()) > worth(*cell)


@pytest.mark.parametrize("pushes", range(3))
@pytest.mark.parametrize(("dice", "adding"), POOLS, ids=str)
def test_the_best_is_found_by_trying_all(dice: Dice, adding: Dice, pushes: int) -> None:
    ours = best_pool(dice, AXES, pushes=pushes, worth=worth, adding=adding)
    assert ours.chances() == thrown((), one_by_one(dice), pushes, one_by_one(adding), better)


def test_of_equals_the_throw_stands() -> None:
    idle = best_pool([(STRESS, 3)], ("success", "panic"), pushes=1, worth=lambda success, panic: 7)
    assert idle == symbol_pool([(STRESS, 3)], ("success", "panic"))


@pytest.mark.parametrize("pushes", range(3))
def test_until_a_symbol_shows_is_a_policy_too(pushes: int) -> None:
    pool, adding, axes = [(SKILL, 3), (STRESS, 2)], [(STRESS, 1)], ("success", "panic")
    by_policy = policy_pool(pool, axes, pushes=pushes, policy=lambda shown: not any(shown.values()), adding=adding)
    assert by_policy == symbol_pool(pool, axes, pushes=pushes, until=axes, adding=adding)
    always = policy_pool(pool, axes, pushes=pushes, policy=lambda shown: True, adding=adding)
    assert always == symbol_pool(pool, axes, pushes=pushes, adding=adding)
    never = policy_pool(pool, axes, pushes=pushes, policy=lambda shown: False, adding=adding)
    assert never == symbol_pool(pool, axes)


def test_problem_d_by_a_policy() -> None:
    pool, adding, axes = [(SKILL, 8), (STRESS, 4)], [(STRESS, 1)], ("success", "panic")
    by_policy = policy_pool(pool, axes, pushes=1, policy=lambda shown: not any(shown.values()), adding=adding)
    assert by_policy == symbol_pool(pool, axes, pushes=1, until=axes, adding=adding)
    bold = best_pool(pool, axes, pushes=1, worth=lambda success, panic: success > 0, adding=adding)
    assert bold.at_least(success=1) == symbol_pool(pool, axes, pushes=1, adding=adding).at_least(success=1)


def test_what_is_too_large_is_refused_at_the_door() -> None:
    with pytest.raises(TooLarge, match="at most"):
        policy_pool([(BASE, 40), (STRESS, 40)], ("success",), pushes=1, policy=lambda shown: True)
    with pytest.raises(TooLarge, match="at most"):
        best_pool([(BASE, 12), (STRESS, 8)], ("success",), pushes=3, worth=lambda success: success)
