"""How a skirmish begins: fighters form units."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from referee.core import Pick, Scene, Who, action, change, refuse
from referee.systems.d6.combat.skirmish import SKIRMISH, UNIT, UnitSkirmish
from referee.systems.d6.combat.units import FightingUnit
from referee.systems.d6.resolution import Difficulty
from referee.systems.d6.sheet import Hero, Person


def everybody(scene: Scene, who: object) -> tuple[Person, ...]:
    return scene.all(Hero)


def usual_units(scene: Scene, _: None) -> tuple[tuple[FightingUnit, ...], ...]:
    """The game master names them; to begin with, everyone of one kind in one unit."""
    sides = (
        tuple(who.name for who in scene.all(Hero) if scene[who].player),
        tuple(who.name for who in scene.all(Hero) if not scene[who].player),
    )
    return tuple((FightingUnit(side[0], side),) for side in sides if side)


def check_units(scene: Scene, _: None, one: tuple[FightingUnit, ...], other: tuple[FightingUnit, ...]) -> None:
    """Units on both sides, nobody in two of them, and nobody who is not here."""
    if SKIRMISH in scene:
        refuse("a skirmish goes on already", rule=UNIT)
    if not one or not other:
        refuse("there are units on both sides", rule=UNIT)
    names = [name for unit in (*one, *other) for name in unit.people]
    for unit in (*one, *other):
        if not unit.members:
            refuse(f"the unit of {unit.leader} has no members", rule=UNIT)
    for name in names:
        if Who(name, Hero) not in scene:
            refuse(f"{name} is not here", rule=UNIT)
        if names.count(name) > 1:
            refuse(f"{name} is in two units", rule=UNIT)


Units: TypeAlias = Annotated[tuple[FightingUnit, ...], Pick(usual_units, lambda scene, who, value: None)]


@action("begin-skirmish", UNIT, master=True, check=check_units)
async def begin_skirmish(scene: Scene, one: Units, other: Units, difficulty: Difficulty = 15) -> None:
    """Fighters form units, each with a leader; a leader who fights too is one of the members.

    The difficulty is that of attacks over the distance between them.
    """
    sides = tuple(tuple(name for unit in side for name in unit.people) for side in (one, other))
    units = tuple(FightingUnit(unit.leader, unit.members, unit.reserve) for unit in (*one, *other))
    await change(SKIRMISH, UnitSkirmish(sides, units=units, difficulty=difficulty))
