"""The problems of the odds benchmark in icepool, in the fastest forms we know: symbols coded as whole numbers instead
of vectors, and the ends of re-rolls worked out once instead of for every pair.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations_with_replacement
from math import perm
from typing import Any

import icepool  # type: ignore[import-untyped]  # has no py.typed
from icepool import d6

BANE, GEAR_BANE = 100, 10_000


def wild(dice: int) -> Any:
    return (dice - 1) @ d6 + d6.explode(depth=10)


def a10() -> Any:
    odds = wild(10)
    return odds, odds.probability(">=", 40)


def a20() -> Any:
    odds = wild(20)
    return odds, odds.probability(">=", 70)


def a10w() -> Any:
    wilds = d6.explode(depth=10)
    odds: Any = icepool.Die([9 @ d6 + wilds.reroll([1], depth="inf"), d6.lowest(9, 8)], times=[5, 1])
    return odds, odds.probability(">=", 40)


def b() -> Any:
    odds = wild(8) - wild(7)
    return odds, odds.probability(">=", 1)


def pushed(marks: dict[int, int], locks: tuple[int, ...]) -> Any:
    once: Any = d6.map(lambda face: marks.get(face, 0))
    return d6.map(lambda face: marks.get(face, 0) if face in locks else once)


def c() -> Any:
    return (
        5 @ pushed({6: 1, 1: BANE}, (1, 6))
        + 3 @ pushed({6: 1}, (6,))
        + 2 @ pushed({6: 1, 1: GEAR_BANE}, (1, 6))
        + 2 @ pushed({6: 1}, (1, 6))
    )


def d() -> Any:
    base: Any = d6.map(lambda face: 1 if face == 6 else 0)
    stress: Any = d6.map(lambda face: {6: 1, 1: BANE}.get(face, 0))
    first, second = 8 @ base + 4 @ stress, 8 @ base + 5 @ stress
    ends: Any = first.map({0: second})
    return ends.map(lambda end: end if end < BANE else BANE + end % BANE)


def e(modifier: int = 1) -> Any:
    faces = range(1, 7)
    ends = {(one, two): end_of(one, two, modifier) for one in faces for two in faces}
    one_again = {kept: icepool.Die([ends[kept, face] for face in faces]) for kept in faces}
    both: Any = icepool.Die(list(ends.values()))
    worth = {kept: 6 * good(die) for kept, die in one_again.items()}
    plan = {}
    for low, high in combinations_with_replacement(faces, 2):
        options = [
            (36 * (ends[low, high] in {"success", "wild"}), ends[low, high]),
            (worth[high], one_again[high]),
            (worth[low], one_again[low]),
            (good(both), both),
        ]
        plan[low, high] = max(options, key=lambda option: option[0])[1]
    pairs: Any = d6.pool(3).highest(2)
    return pairs.expand().map(plan)


def end_of(one: int, two: int, modifier: int) -> str:
    if one + two in {2, 12}:
        return "dire" if one == 1 else "wild"
    return "success" if one + two + modifier >= 9 else "failure"


def good(ends: Any) -> int:
    found: int = ends.quantity("success") + ends.quantity("wild")
    return found


def e_all() -> Any:
    return [e(modifier) for modifier in range(-10, 12)]


TRUMPS: Any = icepool.Deck({**dict.fromkeys(range(1, 14), 1), 14: 2})
OTHERS: Any = icepool.Die(dict.fromkeys(range(1, 14), 3))


def f1() -> Any:
    """Hands of trumps by their number, weighed by how likely it is to draw just so many."""
    hands: list[Any] = [TRUMPS.deal(count).sum() if count else icepool.Die([0]) for count in range(16)]
    weights = [perm(15, count) * 39 * perm(53 - count, 15 - count) for count in range(16)]
    odds: Any = icepool.Die(hands, times=weights) + OTHERS
    return odds, odds.probability(">=", 10)


def g() -> Any:
    pools = [wild(count) for count in range(1, 21)]
    return [[(row > column).probability(True) for column in pools] for row in pools]


PROBLEMS = {"A10": a10, "A20": a20, "A10w": a10w, "B": b, "C": c, "D": d, "E": e, "Eall": e_all, "F1": f1, "G": g}


def plain(problem: str, answer: Any) -> dict[Any, Fraction]:
    """Chances by outcome, in the form all sides share."""
    if problem == "G":
        return {(i + 1, j + 1): chance for i, row in enumerate(answer) for j, chance in enumerate(row)}
    if problem == "Eall":
        return {
            (modifier, band): chance
            for modifier, bands in enumerate(answer, -10)
            for band, chance in plain("E", bands).items()
        }
    odds = answer[0] if isinstance(answer, tuple) else answer
    chances = {outcome: Fraction(count, odds.denominator()) for outcome, count in odds.items()}
    if problem == "C":
        return {(code % 100, code // BANE % 100, code // GEAR_BANE): chance for code, chance in chances.items()}
    if problem == "D":
        return {(code % 100, code // BANE): chance for code, chance in chances.items()}
    return chances
