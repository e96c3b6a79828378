"""The problems of the odds benchmark through `referee.odds`. Nothing is remembered from call to call."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from referee.odds import SymbolDie, draw_on, symbol_pool, two_dice, wild_dice, win_table

BASE = SymbolDie(6, {6: "success", 1: "base bane"}, locks=(1, 6))
SKILL = SymbolDie(6, {6: "success"}, locks=(6,))
GEAR = SymbolDie(6, {6: "success", 1: "gear bane"}, locks=(1, 6))
AMMO = SymbolDie(6, {6: "success"}, locks=(1, 6))
STRESS = SymbolDie(6, {6: "success", 1: "stress one"}, locks=(6,))
DOUBLES = {(1, 1): "dire", (6, 6): "wild"}
TRUMPS = {**dict.fromkeys(range(1, 14), 1), 14: 2}
OTHERS = dict.fromkeys(range(1, 14), 3)


def a10() -> Any:
    odds = wild_dice(10, extra=10)
    return odds.counts, odds, odds.at_least(40)


def a20() -> Any:
    odds = wild_dice(20, extra=10)
    return odds.counts, odds, odds.at_least(70)


def a10w() -> Any:
    odds = wild_dice(10, extra=10, wild_one="takes highest")
    return odds.counts, odds, odds.at_least(40)


def b() -> Any:
    odds = wild_dice(8, extra=10).margin(wild_dice(7, extra=10))
    return odds.counts, odds, odds.at_least(1)


def c() -> Any:
    pool = [(BASE, 5), (SKILL, 3), (GEAR, 2), (AMMO, 2)]
    odds = symbol_pool(pool, ("success", "base bane", "gear bane"), pushes=1)
    return odds.counts, odds


def d() -> Any:
    odds = symbol_pool(
        [(SKILL, 8), (STRESS, 4)],
        ("success", "stress one"),
        pushes=1,
        until=("success", "stress one"),
        adding=[(STRESS, 1)],
    ).limited("stress one", 1)
    return odds.counts, odds


def e(modifier: int = 1) -> Any:
    return two_dice(9 - modifier, thrown=3, rerolls=1, always=DOUBLES, good=("success", "wild")).bands


def e_all() -> Any:
    return [e(modifier) for modifier in range(-10, 12)]


def f1() -> Any:
    odds = draw_on(TRUMPS, OTHERS)
    return odds.counts, odds, odds.at_least(10)


def g() -> Any:
    return win_table([wild_dice(count, extra=10) for count in range(1, 21)]).wins()


PROBLEMS = {"A10": a10, "A20": a20, "A10w": a10w, "B": b, "C": c, "D": d, "E": e, "Eall": e_all, "F1": f1, "G": g}


def plain(problem: str, answer: Any) -> dict[Any, Fraction]:
    """Chances by outcome, in the form all sides share."""
    if problem == "G":
        return {(i + 1, j + 1): chance for i, row in enumerate(answer) for j, chance in enumerate(row)}
    if problem == "E":
        return {band: chance for band, chance in answer.chances().items() if chance}
    if problem == "Eall":
        return {
            (modifier, band): chance
            for modifier, bands in enumerate(answer, -10)
            for band, chance in plain("E", bands).items()
        }
    found: dict[Any, Fraction] = answer[1].chances()
    return found
