"""Structures under fire, where the table plays them by numbers: Hit Points, collapse, debris, and who is inside."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Final, TypeAlias

from referee.core import (
    D6,
    Open,
    Pick,
    Pool,
    Prompt,
    Scene,
    SymbolCounts,
    Total,
    Who,
    action,
    alter,
    figure,
    figures,
    formula,
    frozen,
    roll,
    rows,
    rule,
    suggest,
    tell,
)
from referee.kits.year_zero import SIX
from referee.systems.yearzero.attacks import AfterBlow, come_through
from referee.systems.yearzero.covers import ARMOR, STRUCTURES, Protection, dice_of_layer
from referee.systems.yearzero.defence import DeclaredAttack
from referee.systems.yearzero.explosions import Victims
from referee.systems.yearzero.harm import is_helpless
from referee.systems.yearzero.panic import CALM
from referee.systems.yearzero.rapid_fire import base_die
from referee.systems.yearzero.rolls import NO_ACTION, Attempt, roll_skill
from referee.systems.yearzero.sheet import Person, people

DAMAGE: Final = "yearzero.structures.damage"
DEBRIS: Final = "yearzero.structures.debris-attack"
CRITICAL: Final = Prompt("structure")
FALLS: Final = Prompt("debris")
BASE: Final = figure(DEBRIS, "base_damage", int)


@figures(DAMAGE)
class StructureFigures:
    """What makes a hit critical, and which structures stand long enough for it."""

    critical_damage: int
    critical_min_hp: int


@frozen
class CollapseRow:
    """What becomes of a structure that is critically damaged."""

    name: str
    debris_dice: int = 0
    next_damage_bonus: int = 0
    later_damage_bonus: int = 0
    comes_down: bool = False
    destroyed: bool = False
    says: str = ""


COLLAPSES: Final = rows("yearzero.structures.critical-table", "rows", CollapseRow, by=("from", "to"))


@frozen
class Structure:
    """A stretch of structure, 3 m square: what it is, and what is left of it."""

    structure: Open[str] = "Brick and mortar wall"
    lost: Open[int] = 0
    """Hit Points that are lost."""
    next_hit: Open[int] = 0
    """What the next hit does more."""
    every_hit: Open[int] = 0
    """What every further hit does more."""
    comes_down: Open[bool] = False
    destroyed: Open[bool] = False


def buildings(scene: Scene, who: object = None) -> tuple[Who[Structure], ...]:
    return tuple(each for each in scene.all(Structure) if not scene[each].destroyed)


AStructure: TypeAlias = Annotated[Who[Structure], Pick(buildings)]


@frozen
class StructureHit:
    """What a hit did to a structure."""

    damage: int
    left: int
    collapse: str = ""


@formula(f"{DAMAGE}/left")
def hp_left(scene: Scene, at: Who[Structure]) -> int:
    """The Hit Points that are left."""
    return max(0, scene[STRUCTURES][scene[at].structure].hp - scene[at].lost)


@action("hit-structure", DAMAGE, master=True, option=DAMAGE)
async def hit_structure(
    scene: Scene,
    at: AStructure,
    damage: Annotated[int, suggest(*range(1, 9))],
    pierces: bool = False,
    inside: Victims = (),
) -> StructureHit:
    """Damage to a structure: its armor stops some, heavy ones all that does not pierce; a bad hit may bring it down."""
    through = max(0, damage + scene[at].next_hit + scene[at].every_hit - await stopped(at, damage, pierces))
    await alter(at, hit_for, through)
    bad = scene[STRUCTURES][scene[at].structure].hp >= scene[StructureFigures].critical_min_hp
    if bad and through >= scene[StructureFigures].critical_damage:
        return StructureHit(through, hp_left(scene, at), await collapse(at, inside))
    if hp_left(scene, at) == 0:
        await alter(at, brought_down)
    return StructureHit(through, hp_left(scene, at))


def hit_for(structure: Structure, damage: int) -> Structure:
    return replace(structure, lost=structure.lost + damage, next_hit=0)


def brought_down(structure: Structure) -> Structure:
    return replace(structure, destroyed=True)


@rule(f"{DAMAGE}/armor")
async def stopped(scene: Scene, at: Who[Structure], damage: int, pierces: bool) -> int:
    """What a structure's armor stops: a success a point, and heavy armor all that does not pierce."""
    row = scene[STRUCTURES][scene[at].structure]
    dice = dice_of_layer(
        scene, Protection(row.name, row.armor, row.heavy), DeclaredAttack("Shoot", damage, base=damage, pierces=pierces)
    )
    if not dice:
        return ALL if dice is None else 0
    return (await roll(ARMOR, None, Pool.of((base_die(scene), dice)), SymbolCounts)).count(SIX)


ALL: Final = 1000
"""More than any damage."""


@rule("yearzero.structures.critical-table")
async def collapse(scene: Scene, at: Who[Structure], inside: tuple[Person, ...]) -> str:
    """A die says how bad it is; whoever is near or inside is hit by debris."""
    pips = (await roll(CRITICAL, None, Pool.of((D6, 1)), Total)).total
    row = scene[COLLAPSES].at(WORST if pips == WORST - 1 and scene[at].comes_down else pips)
    await alter(at, collapsing, row)
    await tell("collapse", name=row.name, rule=COLLAPSES.rule)
    for who in inside if row.debris_dice else ():
        await debris(who, row.debris_dice)
    return row.name


WORST: Final = 6


def collapsing(structure: Structure, row: CollapseRow) -> Structure:
    return replace(
        structure,
        next_hit=structure.next_hit + row.next_damage_bonus,
        every_hit=structure.every_hit + row.later_damage_bonus,
        comes_down=structure.comes_down or row.comes_down,
        destroyed=structure.destroyed or row.destroyed,
    )


def falling_down(scene: Scene, _: object) -> tuple[Who[Structure], ...]:
    return tuple(each for each in buildings(scene) if scene[each].comes_down)


@action("structure-falls", f"{DAMAGE}/round", master=True, option=DAMAGE)
async def falls_on(scene: Scene, at: Annotated[Who[Structure], Pick(falling_down)], inside: Victims = ()) -> str:
    """In every round after it began to come down, a structure is rolled for again."""
    return await collapse(at, inside)


@rule(DEBRIS)
async def debris(scene: Scene, who: Person, dice: int) -> int:
    """So many dice attack somebody; the successes of a Move roll take some away. What is left hurts."""
    hits = (await roll(FALLS, None, Pool.of((base_die(scene), dice)), SymbolCounts)).count(SIX)
    if hits and not is_helpless(scene, who):
        moved = await roll_skill(who, Attempt("Move", tags=("reaction", "dodge", NO_ACTION)))
        hits = max(0, hits - moved.successes)
    if not hits:
        return 0
    damage = scene[BASE] + hits - 1
    return (await come_through(who, DeclaredAttack("Shoot", damage, "blunt", base=damage), damage, AfterBlow())).damage


OCCUPANTS: Final = "yearzero.structures.occupants"


@action("calm-inside", OCCUPANTS, bands=CALM, master=True, option=OCCUPANTS)
async def calm_inside(scene: Scene, who: Annotated[Person, Pick(people)]) -> bool:
    """Somebody in a building that was hit by what pierces armor keeps calm, or leaves as soon as they can."""
    rolled = await roll_skill(who, Attempt("Insight", "Calm", tags=("calm", "resist", NO_ACTION), surplus=False))
    if not rolled.success:
        await tell("leaves", who=who, rule=OCCUPANTS)
    return rolled.success
