"""What surrounds an attack: visibility, terrain, scales, and how fast the target moves."""

from __future__ import annotations

from typing import Final

from referee.core import DIFFICULTY, Mod, Mods, Scene, applying, figure, figures, formula, frozen, refuse, rows
from referee.systems.d6.bestiary import creature_scale
from referee.systems.d6.resolution import LEVELS
from referee.systems.d6.sheet import Person

NOTICING: Final = "d6.skills.perception-rolls"
SCALE: Final = "d6.scale.effects"
SPEED: Final = "d6.vehicle-combat.relative-speed"
DARKNESS: Final = "darkness penalty"


@frozen
class VisibilityRow:
    """What can be seen: the dice it costs, at least and at most."""

    name: str
    least: int
    most: int
    darkness: bool = False


@frozen
class TerrainRow:
    """A kind of terrain, and the level of difficulty of moving in it."""

    name: str
    difficulty: str


@frozen
class ScaleSizeRow:
    """Who or what is of a scale."""

    name: str
    scale: int


@frozen
class ScaleEffectRow:
    """What each point of difference in scale does for the smaller and for the bigger of two."""

    name: str
    smaller: int = 0
    bigger: int = 0


VISIBILITIES: Final = rows(NOTICING, "visibility", VisibilityRow)
ATTENTIVE: Final = figure(NOTICING, "attentive", str)
OTHERWISE: Final = figure(NOTICING, "otherwise", str)
TERRAINS: Final = rows("d6.movement.terrain-difficulty", "rows", TerrainRow)
SCALE_SIZES: Final = rows("d6.scale.table", "rows", ScaleSizeRow)
SCALE_EFFECTS: Final = rows(SCALE, "rows", ScaleEffectRow)


@figures(SPEED)
class RelativeSpeed:
    """How much harder a moving target is to hit."""

    metres: int
    per_metres: int
    per_space_unit: int


@formula(NOTICING)
def noticing_ability(scene: Scene, attentive: bool = False) -> str:
    """What notices something: Search, if one is paying attention, otherwise Perception."""
    return scene[ATTENTIVE] if attentive else scene[OTHERWISE]


@formula(NOTICING + "/visibility", NOTICING)
def visibility_mods(scene: Scene, who: Person, visibility: str = "", dice: int = 0) -> Mods:
    """What bad sight costs; where the book leaves a range, `dice` says how bad it is. Some eyes see in the dark."""
    if not visibility:
        return ()
    row = scene[VISIBILITIES][visibility]
    penalty = -abs(dice) or row.least
    if not row.most <= penalty <= row.least:
        span = f"{row.least}" if row.least == row.most else f"{row.least} to {row.most}"
        refuse(f"it is {span} dice", what=row.name, rule=NOTICING, legal=(span,))
    if row.darkness:
        better = sum(mod.amount for mod in applying(scene, who, DARKNESS).mods)
        penalty = min(0, penalty + better)
    return (Mod(penalty, row.name, NOTICING),) if penalty else ()


@formula(TERRAINS.rule)
def terrain_difficulty(scene: Scene, terrain: str) -> int:
    """How hard it is to move in a terrain: the number of its level; for the heroic one, its lowest."""
    level = scene[LEVELS][scene[TERRAINS][terrain].difficulty]
    return level.number or level.min


@formula(SCALE)
def scale_mods(scene: Scene, effect: str, own: int, other: int) -> Mods:
    """What a difference in scale does, such as to one's fire or one's damage, for the one of the first scale."""
    row, difference = scene[SCALE_EFFECTS][effect], own - other
    dice = difference * row.bigger if difference > 0 else -difference * row.smaller
    return (Mod(dice, f"scale {own} against {other}", SCALE),) if dice else ()


@formula(SCALE_SIZES.rule)
def scale_of(scene: Scene, what: str) -> int:
    """The scale of a kind of vehicle or being."""
    return scene[SCALE_SIZES][what].scale


def body_scale(scene: Scene, who: Person) -> int:
    """The scale of somebody: only a huge creature's differs from that of people."""
    sheet = scene[who]
    return creature_scale(scene, sheet.bulk) if sheet.creature is not None else 1


@formula(SPEED)
def speed_mods(scene: Scene, relative_speed: float = 0, space_units: int = 0) -> Mods:
    """A moving target raises the difficulty by 1 for every full 10 m a round, or by 2 for every unit of space."""
    of = scene[RelativeSpeed]
    more = int(relative_speed // of.metres) * of.per_metres + space_units * of.per_space_unit
    return (Mod(more, "moving target", SPEED, unit=DIFFICULTY),) if more else ()
