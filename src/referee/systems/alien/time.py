"""Time units: rounds, stretches and shifts."""

from __future__ import annotations

from typing import Annotated, Final, Literal, TypeAlias

from referee.core import (
    Pick,
    Scene,
    Unit,
    action,
    advance_clock,
    alter,
    formula,
    frozen,
    refuse,
    rows,
    suggest,
    unit_named,
)
from referee.core.errors import RulebookError
from referee.systems.alien.basics import COMBAT, Combat

SECONDS: Final = {"seconds": 1, "minutes": 60, "hours": 3600}


@frozen
class UnitRow:
    """A unit of time, as a range of its measure, and what it is used for."""

    name: str
    min: int
    max: int
    measure: Literal["seconds", "minutes", "hours"]
    use: str

    @property
    def shortest(self) -> int:
        return self.min * SECONDS[self.measure]


UNITS: Final = rows("alien.time.units", "units", UnitRow)

UnitName: TypeAlias = Annotated[str, UNITS]


@frozen
class Duration:
    """A minimum and a maximum of seconds, minutes or hours."""

    min: int
    max: int
    measure: str


@formula("alien.time.units")
def duration(scene: Scene, amount: int, unit: UnitName) -> Duration:
    """How long a number of units takes."""
    row = scene[UNITS][unit]
    return Duration(amount * row.min, amount * row.max, row.measure)


def units(scene: Scene) -> tuple[Unit, ...]:
    """The units, counted in the shortest of them."""
    shortest = min(row.shortest for row in scene[UNITS])
    return tuple(Unit(row.name, row.shortest // shortest) for row in scene[UNITS])


def check_unit(scene: Scene, who: None, unit: str) -> None:
    unit_named(units(scene), unit)


UnitOrPlural: TypeAlias = Annotated[str, Pick(lambda scene, who: scene[UNITS].names, check_unit)]


@action("pass-time", "alien.time.units", master=True)
async def pass_time(scene: Scene, amount: Annotated[int, suggest(*range(1, 11))], unit: UnitOrPlural) -> None:
    """Time passes; deadlines on the way come due, and in combat a full action is back with each new round."""
    rounds = amount * unit_named(units(scene), unit).size
    if rounds > 0 and COMBAT in scene:
        await alter(COMBAT, Combat.after, rounds)
    await advance_clock(rounds)


def check_combat(scene: Scene, _: None) -> None:
    """Rounds are counted only in combat."""
    if COMBAT not in scene:
        refuse("there is no combat", legal=("pass-time",))


@action("next-round", "alien.time.units/next-round", check=check_combat, master=True)
async def next_round(scene: Scene) -> None:
    """A round of combat is over: everyone has their full action again."""
    await pass_time(1, unit_for(scene, "Combat"))


def unit_for(scene: Scene, use: str) -> str:
    """The unit the book names for combat, stealth or repairs."""
    for row in scene[UNITS]:
        if row.use == use:
            return row.name
    raise RulebookError(UNITS.rule, f"no unit is for {use}")
