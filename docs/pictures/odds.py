"""Draws the pictures of docs/odds.md: `.venv/bin/python docs/pictures/odds.py`."""

# ruff: noqa: INP001 - a script, not a package
from __future__ import annotations

from pathlib import Path

from referee.core import Scene
from referee.core.knowledge import fully_known
from referee.core.visibility import Seat
from referee.forecast.curves import Curve, curve, varied
from referee.forecast.figures import Budget
from referee.odds import SymbolDie, symbol_pool, wild_dice, win_table
from referee.odds.svg import svg_curves


def by_stress() -> Curve:
    """A skill roll of five base dice, by the stress of who rolls."""
    from referee.systems.alien import SKILL_ROLL, SYSTEM

    state = SYSTEM.state({"ana": {"attributes": {"Agility": 5}}})
    roll = SKILL_ROLL.by(Scene(state).who("ana"), skill="Piloting")
    places = varied(roll, fully_known(state), "stress", range(11))
    return curve(places, Seat("gm", master=True), along="stress", budget=Budget(seconds=None))


def pictures() -> dict[str, str]:
    base = SymbolDie(6, {6: "success"}, locks=(6,))
    stress = SymbolDie(6, {6: "success", 1: "stress 1"}, locks=(6,))
    pool, axes, stop = [(base, 5), (stress, 2)], ("success", "stress 1"), ("success", "stress 1")
    pushed = symbol_pool(pool, axes, pushes=1, until=stop, adding=[(stress, 1)])
    sizes = range(1, 13)
    rivals = win_table([wild_dice(size, extra=10) for size in sizes])
    names = [f"{size}D" for size in sizes]
    return {
        "odds-wild.svg": wild_dice(5, 2, extra=10).svg("5D+2, one die wild"),
        "odds-options.svg": svg_curves(
            {
                "wild 1 counts": wild_dice(5, extra=10),
                "wild 1 is lost": wild_dice(5, extra=10, wild_one="lost"),
                "wild 1 takes the highest": wild_dice(5, extra=10, wild_one="takes highest"),
            },
            "5D: the chance of at least …",
        ),
        "odds-pushed.svg": pushed.svg("5 base, 2 stress dice, pushed if failed: successes down, stress 1s across"),
        "odds-stress.svg": by_stress().svg("ALIEN, five base dice: the chance of success by stress"),
        "odds-wins.svg": rivals.svg("Wins of a row against a column, in percent", rows=names, columns=names),
    }


if __name__ == "__main__":
    for name, picture in pictures().items():
        (Path(__file__).parent / name).write_text(picture, "utf-8")
