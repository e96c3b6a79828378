"""The problems of the odds benchmark in dyce, in the fastest forms of its own we know: symbols coded as whole numbers,
and the ends of re-rolls worked out once instead of for every pair. It has no draws from a deck, so no F.

Problem E goes through `expand`, dyce's way for dice that depend on dice. Tallied by hand around `rolls_with_counts`
instead, with no distribution of dyce's in between, it takes about a quarter of the time.
"""

from __future__ import annotations

import warnings
from fractions import Fraction
from itertools import combinations_with_replacement
from typing import Any

from dyce import H, P, expand, explode_n
from dyce.lifecycle import ExperimentalWarning

warnings.simplefilter("ignore", ExperimentalWarning)

BANE, GEAR_BANE = 100, 10_000
D6: Any = H(6)
EXACT = Fraction(0)


def wild(dice: int) -> Any:
    die = explode_n(D6, n=10, min_path_probability=EXACT)
    return (dice - 1) @ D6 + die if dice > 1 else die


def at_least(odds: Any, bar: int) -> Fraction:
    return Fraction(sum(count for outcome, count in odds.items() if outcome >= bar), odds.total)


def a10() -> Any:
    odds = wild(10)
    return odds, at_least(odds, 40)


def a20() -> Any:
    odds = wild(20)
    return odds, at_least(odds, 70)


def a10w() -> Any:
    wilds = explode_n(D6, n=10, min_path_probability=EXACT)
    others = 9 @ D6 + H({face: count for face, count in wilds.items() if face > 1})
    lowest = (9 @ P(6)).at(slice(0, 8))
    scale, rest = others.total, lowest.total
    odds: Any = H.from_counts(
        {outcome: count * 5 * rest for outcome, count in others.items()},
        {outcome: count * scale for outcome, count in lowest.items()},
    )
    return odds, at_least(odds, 40)


def b() -> Any:
    odds = wild(8) - wild(7)
    return odds, at_least(odds, 1)


def pushed(marks: dict[int, int], locks: tuple[int, ...]) -> Any:
    once = D6.apply(lambda face: marks.get(face, 0))
    return expand(
        lambda die: marks.get(die.outcome, 0) if die.outcome in locks else once, D6, min_path_probability=EXACT
    )


def c() -> Any:
    return (
        5 @ pushed({6: 1, 1: BANE}, (1, 6))
        + 3 @ pushed({6: 1}, (6,))
        + 2 @ pushed({6: 1, 1: GEAR_BANE}, (1, 6))
        + 2 @ pushed({6: 1}, (1, 6))
    )


def d() -> Any:
    base = D6.apply(lambda face: 1 if face == 6 else 0)
    stress = D6.apply(lambda face: {6: 1, 1: BANE}.get(face, 0))
    first, second = 8 @ base + 4 @ stress, 8 @ base + 5 @ stress
    ends: Any = expand(lambda end: end.outcome or second, first, min_path_probability=EXACT)
    return ends.apply(lambda end: end if end < BANE else BANE + end % BANE)


BANDS = ("dire", "failure", "success", "wild")


def e(modifier: int = 1) -> Any:
    faces = range(1, 7)
    ends = {(one, two): end_of(one, two, modifier) for one in faces for two in faces}
    one_again = {kept: H([ends[kept, face] for face in faces]) for kept in faces}
    both: Any = H(list(ends.values()))
    worth = {kept: 6 * good(die) for kept, die in one_again.items()}
    plan: dict[tuple[int, ...], Any] = {}
    for low, high in combinations_with_replacement(faces, 2):
        options = [
            (36 * (ends[low, high] >= 2), ends[low, high]),
            (worth[high], one_again[high]),
            (worth[low], one_again[low]),
            (good(both), both),
        ]
        plan[low, high] = max(options, key=lambda option: option[0])[1]
    return expand(lambda dice: plan[dice.roll[1:]], 3 @ P(6), min_path_probability=EXACT)


def end_of(one: int, two: int, modifier: int) -> int:
    if one + two in {2, 12}:
        return 0 if one == 1 else 3
    return 2 if one + two + modifier >= 9 else 1


def good(ends: Any) -> int:
    return sum(count for band, count in ends.items() if band >= 2)


def e_all() -> Any:
    return [e(modifier) for modifier in range(-10, 12)]


def g() -> Any:
    pools = [wild(count) for count in range(1, 21)]
    return [[won(row.gt(column)) for column in pools] for row in pools]


def won(odds: Any) -> Fraction:
    return Fraction(dict(odds).get(True, 0), odds.total)


PROBLEMS = {"A10": a10, "A20": a20, "A10w": a10w, "B": b, "C": c, "D": d, "E": e, "Eall": e_all, "G": g}


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
    chances = {outcome: Fraction(count, odds.total) for outcome, count in odds.items() if count}
    if problem == "C":
        return {(code % 100, code // BANE % 100, code // GEAR_BANE): chance for code, chance in chances.items()}
    if problem == "D":
        return {(code % 100, code // BANE): chance for code, chance in chances.items()}
    if problem == "E":
        return {BANDS[band]: chance for band, chance in chances.items()}
    return chances
