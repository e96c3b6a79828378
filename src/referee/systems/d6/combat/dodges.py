"""Dodges: the ways to dodge a shot, and what distance to cover and shooters on several sides do to them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from enum import Enum
from math import ceil
from typing import Annotated, Final, Literal, TypeAlias

from referee.core import (
    TOTAL,
    Applies,
    Mod,
    Mods,
    Scene,
    applying,
    figure,
    figures,
    formula,
    hand_over,
    option,
    refuse,
)
from referee.core.trace import note
from referee.systems.d6.character import move
from referee.systems.d6.combat.reach import ways_out
from referee.systems.d6.combat.reactions import ReactionWay, check_full, full_reaction
from referee.systems.d6.combat.round import AttackKind, fight_action
from referee.systems.d6.combat.surroundings import TERRAINS, terrain_difficulty
from referee.systems.d6.equipment import Weapon
from referee.systems.d6.resolution import check_skilled
from referee.systems.d6.sheet import Person
from referee.systems.d6.vehicles.motion import STOP
from referee.systems.d6.vehicles.speeds import SPEEDS, distance_at
from referee.systems.d6.zones import leg_mods

FULL: Final = "d6.combat.full-dodge"
COMBAT: Final = "d6.combat.combat-dodge"
SURROUNDED: Final = "d6.combat.dodge-surrounded"
SIDES: Final = ("front", "left", "right", "back")
FULL_DODGE: Final = "full-dodge"
COMBAT_DODGE: Final = "combat-dodge"
DODGE: Final = "Dodge"
Side: TypeAlias = Literal["front", "left", "right", "back"]
ON_FOOT: Final = "d6.vehicle-combat.character-reactions"


class DodgeTerrain(Enum):
    """Whether the terrain makes a full dodge harder."""

    LENIENT = "lenient"
    STRICT = "strict"


HOW_STRICT: Final = option(ON_FOOT, DodgeTerrain)
DODGE_SPEED: Final = figure(ON_FOOT, "speed", str)
CAUTIOUS_DIVISOR: Final = figure(COMBAT, "cautious_divisor", int)


@figures(FULL)
class FullDodgeFigures:
    """What the way to cover costs a full dodge."""

    free_distance_m: float
    parts: int
    per_part: int
    max: int


@figures(COMBAT)
class CombatDodgeFigures:
    """What the way to cover costs a combat dodge."""

    free_distance_m: float
    parts: int
    per_part: int
    max: int


@figures(SURROUNDED)
class SurroundedDodge:
    """What each side that shots come from costs a dodge."""

    penalty_per_side: int
    max: int


@formula(FULL)
def full_dodge_mods(scene: Scene, who: Person, cover_distance: float = 0) -> Mods:
    """A die less for each started third of cruise speed to cover; four less where there is none within it."""
    reach, of = float(move(scene, who)), scene[FullDodgeFigures]
    dice = way_to_cover(cover_distance, reach, of.free_distance_m, of.parts, of.per_part, of.max)
    return (Mod(dice, f"cover {cover_distance:g} m away", FULL),) if dice else ()


@formula(ON_FOOT)
def dodge_reach(scene: Scene, who: Person) -> float:
    """How far a combat dodge takes somebody: at Cautious speed, or as far as they move anyhow in this round."""
    motion = scene[who].motion
    if motion.selected in ("", STOP):
        return move(scene, who) / scene[CAUTIOUS_DIVISOR]
    return distance_at(scene, who, motion.selected)


@formula(f"{ON_FOOT}/terrain", ON_FOOT)
def terrain_mods(scene: Scene, terrain: str) -> Mods:
    """Where the game master is strict, a full dodge suffers from what it leads through at Cruise speed."""
    if scene[HOW_STRICT] is not DodgeTerrain.STRICT:
        return ()
    harder = terrain_difficulty(scene, terrain) + scene[SPEEDS][scene[DODGE_SPEED]].adds
    return (Mod(-harder, terrain, ON_FOOT, unit=TOTAL),) if harder > 0 else ()


@formula(COMBAT, "d6.skills.dodge")
def combat_dodge_mods(scene: Scene, who: Person, cover_distance: float = 0) -> Mods:
    """A die less for each started third of the reach to cover; four less where there is none within it."""
    note("d6.skills.dodge")
    reach, of = dodge_reach(scene, who), scene[CombatDodgeFigures]
    dice = way_to_cover(cover_distance, reach, of.free_distance_m, of.parts, of.per_part, of.max)
    return (Mod(dice, f"cover {cover_distance:g} m away", COMBAT),) if dice else ()


def way_to_cover(metres: float, reach: float, free: float, parts: int, per_part: int, most: int) -> int:
    """The dice that a way to cover costs: none for a step, so many for each started part of what one can run."""
    if metres < free:
        return 0
    if metres >= reach:
        return most
    return max(most, ceil(metres * parts / reach) * per_part)


@formula(SURROUNDED)
def surrounded_mods(scene: Scene, sides: tuple[str, ...] = ()) -> Mods:
    """A die less for each side that shots come from, if they come from more than one."""
    found = tuple(dict.fromkeys(sides))
    for side in found:
        if side not in SIDES:
            refuse("there is no such side", what=side, legal=SIDES)
    if len(found) < 2:
        return ()
    dice = max(scene[SurroundedDodge].max, len(found) * scene[SurroundedDodge].penalty_per_side)
    return (Mod(dice, "shots from " + ", ".join(found), SURROUNDED),)


FURTHER_REACTIONS: Final[list[Callable[[Scene, Person, Weapon], Iterable[ReactionWay]]]] = []
"""What other chapters add to the reactions to a shot: functions of the scene, the target and what is shot with."""


def further_reactions(scene: Scene, target: Person, weapon: Weapon) -> tuple[ReactionWay, ...]:
    """How else than by dodging a shot with a weapon may be answered, as other chapters say."""
    return tuple(each for found in FURTHER_REACTIONS for each in found(scene, target, weapon))


def dodge_ways(
    scene: Scene, target: Person, cover_distance: float = 0, sides: tuple[Side, ...] = ()
) -> tuple[ReactionWay, ...]:
    """How a shot may be dodged, with what the way to cover and the shooters cost."""
    around = (*surrounded_mods(scene, sides), *leg_mods(scene, target))
    return (
        ReactionWay(COMBAT_DODGE, DODGE, (*combat_dodge_mods(scene, target, cover_distance), *around)),
        ReactionWay(FULL_DODGE, DODGE, (*full_dodge_mods(scene, target, cover_distance), *around), full=True),
    )


def check_may_dodge(scene: Scene, who: Person, cover_distance: float = 0) -> None:
    """Not in a grapple, nor dazed or Neutralized; cover is some way off, or at hand."""
    if cover_distance < 0:
        refuse("a way to cover is 0 m or more", what=f"{cover_distance:g} m", rule=FULL, legal=("0 m",))
    check_skilled(scene, who)
    applying(scene, who).check_allowed("dodge", legal=ways_out(scene, who))


def is_strict(scene: Scene, who: Person) -> bool:
    return scene[HOW_STRICT] is DodgeTerrain.STRICT


@fight_action(
    FULL_DODGE, FULL + "/dodge", FULL, SURROUNDED, "d6.skills.dodge", check=(check_full, check_may_dodge), full=True
)
async def full_dodge(
    scene: Scene,
    who: Person,
    cover_distance: float = 0,
    sides: tuple[Side, ...] = (),
    mods: Mods = (),
    terrain: Annotated[str, TERRAINS, Applies(is_strict)] = "Clear",
) -> int:
    """Dive for cover: the roll is added to the difficulty of every ranged attack of this round."""
    way = dodge_ways(scene, who, cover_distance, sides)[-1]
    every = (*way.mods, *terrain_mods(scene, terrain), *mods)
    return await hand_over(full_reaction(who, AttackKind.RANGED, DODGE, every))
