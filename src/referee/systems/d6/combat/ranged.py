"""Range attacks: ranges, difficulties, the target's position, preparing a shot, shots and what they do."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import Final

from referee.core import Mod, Mods, Scene, figure, figures, formula, frozen, refuse, rows
from referee.kits.dice_codes import Code, Stat
from referee.systems.d6.codes import PIPS_PER_DIE, added, mean, own_code, stat
from referee.systems.d6.sheet import Person

RANGES: Final = "d6.combat.ranges"
POSITION: Final = "d6.combat.target-position"
PREPARING: Final = "d6.combat.preparing-shot"
RATE: Final = "d6.combat.rate-of-fire"
AMMO: Final = "d6.combat.ammo"
TWO_WEAPONS: Final = "d6.combat.two-weapons-shooting"
IN_MELEE: Final = "d6.combat.shooting-in-melee"
CLOSE: Final = "Close"


@figures(RANGES)
class RangeFigures:
    """How ranges follow from the long one."""

    medium_divisor: int
    short_divisor: int
    close_m: float
    close_needs_short_above_m: float
    close_otherwise_m: float


@frozen
class RangeBand:
    """A range band, and how hard it is to hit at it."""

    name: str
    difficulty: int


@frozen
class PositionRow:
    """What the position of a target does to shots at it, by range band."""

    name: str
    close: int
    short: int
    medium: int
    long: int


@frozen
class WeaponRanges:
    """How far each range band of a weapon goes, in metres."""

    close: float
    short: float
    medium: float
    long: float


@figures(PREPARING)
class Preparing:
    """What each round of preparing gives, and what limits it."""

    per_round: int
    limited_by: str


@figures(TWO_WEAPONS)
class TwoWeapons:
    """What a second weapon on one target gives, and what limits the roll."""

    damage_bonus: int
    limited_by: str


@frozen
class MeleeReachRow:
    """How far a kind of ranged weapon reaches in a melee."""

    name: str
    reach: int


BANDS: Final = rows("d6.combat.range-difficulty", "rows", RangeBand)
POSITIONS: Final = rows(POSITION, "positions", PositionRow)
GUN_REACH: Final = rows(IN_MELEE, "reach", MeleeReachRow)
REACH_MULTIPLIER: Final = figure(IN_MELEE, "reach_penalty_multiplier", int)
MELEE_DAMAGE: Final = figure(IN_MELEE, "damage_bonus", int)
MELEE_SKILL: Final = figure(IN_MELEE, "skill", str)
VALUE_DIVISOR: Final = figure("d6.equipment.range-stat", "value_divisor", int)
VALUE_ATTRIBUTE: Final = figure("d6.equipment.range-stat", "default_attribute_for_value", Stat)
VALUE_SKILL: Final = figure("d6.equipment.range-stat", "default_skill_for_value", Stat)


# --- ranges -----------------------------------------------------------------------------------------------------------


@formula(RANGES)
def weapon_ranges(scene: Scene, figures: tuple[float, ...]) -> WeaponRanges:
    """The bands of a weapon from what is printed: all four, all but the close one, or only the long one."""
    match figures:
        case (close, short, medium, long):
            return WeaponRanges(close, short, medium, long)
        case (short, medium, long):
            return WeaponRanges(close_range(scene, short), short, medium, long)
        case (long,):
            of = scene[RangeFigures]
            short = long / of.short_divisor
            return WeaponRanges(close_range(scene, short), short, long / of.medium_divisor, long)
        case _:
            refuse("ranges are close/short/medium/long, or the long one alone", rule=RANGES)


def close_range(scene: Scene, short: float) -> float:
    """How far close range goes, where a weapon does not say."""
    of = scene[RangeFigures]
    return of.close_m if short > of.close_needs_short_above_m else of.close_otherwise_m


@formula("d6.equipment.range-stat")
def thrown_ranges(scene: Scene, who: Person, multiples: tuple[float, ...]) -> WeaponRanges:
    """Ranges that are multiples of the dice of the thrower's Strength."""
    dice = own_code(scene, who, "Strength").dice
    return weapon_ranges(scene, tuple(each * dice for each in multiples))


@formula("d6.equipment.range-stat/value", "d6.equipment.range-stat")
def range_value(scene: Scene, long: float = 0, scale: int = 1, times: float = 0, of_skill: bool = False) -> float:
    """The value of a weapon's range; one that depends on an attribute or a skill is reckoned with an average one."""
    average = scene[VALUE_SKILL] if of_skill else scene[VALUE_ATTRIBUTE]
    return (long or times * average.dice) / (scene[VALUE_DIVISOR] * scale)


@formula(RANGES + "/band", RANGES)
def range_band(scene: Scene, ranges: WeaponRanges, distance: float) -> str:
    """The band that a distance lies in; beyond long range nothing is hit."""
    for band, reach in zip(scene[BANDS], (ranges.close, ranges.short, ranges.medium, ranges.long), strict=True):
        if distance <= reach:
            return band.name
    refuse(f"it reaches {ranges.long:g} m", what=f"{distance:g} m", rule=RANGES, legal=(f"{ranges.long:g} m or less",))


@formula("d6.combat.range-difficulty")
def range_difficulty(scene: Scene, band: str) -> int:
    """How hard it is to hit at a range."""
    return scene[BANDS][band].difficulty


# --- the target -------------------------------------------------------------------------------------------------------


@formula(POSITION)
def position_mods(scene: Scene, position: str, band: str) -> Mods:
    """What it does to a shot that the target kneels or lies on the ground."""
    if position not in scene[POSITIONS]:
        return ()
    row = scene[POSITIONS][position]
    dice = {"Close": row.close, "Short": row.short, "Medium": row.medium, "Long": row.long}[band]
    return (Mod(dice, f"{position} target", POSITION),) if dice else ()


# --- the shooter ------------------------------------------------------------------------------------------------------


@formula(PREPARING)
def preparing_bonus(scene: Scene, who: Person, rounds: int) -> Code:
    """A die for each round of preparing, at most the Perception attribute."""
    limit = own_code(scene, who, scene[Preparing].limited_by)
    bonus = Code(rounds * scene[Preparing].per_round)
    pips = scene[PIPS_PER_DIE]
    return bonus if bonus.in_pips(pips) <= limit.in_pips(pips) else limit


@formula(TWO_WEAPONS)
def two_weapons_damage(scene: Scene, one: Code, other: Code) -> Code:
    """The mean of both damages, and a die."""
    return added(scene, mean(scene, (one, other)).code, Code(scene[TwoWeapons].damage_bonus))


@formula(TWO_WEAPONS + "/limit", TWO_WEAPONS)
def ambidextrous_code(scene: Scene, who: Person, using: str) -> Code:
    """The lower of a skill and Ambidexterity."""
    both = own_code(scene, who, using), own_code(scene, who, scene[TwoWeapons].limited_by)
    return min(both, key=lambda code: code.in_pips(scene[PIPS_PER_DIE]))


@formula(IN_MELEE)
def melee_reach_mods(scene: Scene, kind: str, opponent_reach: int) -> Mods:
    """A gun in a melee: its reach is a burden twice over against somebody whose reach is shorter."""
    too_long = scene[GUN_REACH][kind].reach - opponent_reach
    dice = -too_long * scene[REACH_MULTIPLIER]
    return (Mod(dice, f"{kind} in a melee", IN_MELEE),) if dice < 0 else ()


@formula(RATE)
def shots_allowed(scene: Scene, rate: int, fired: int) -> bool:
    """Whether a weapon with such a rate may fire once more this round; without one there is no limit."""
    return not rate or fired < rate


@formula(RATE + "/ratio", RATE)
def may_fire_again(scene: Scene, wait: int, last: int | None, now: int) -> bool:
    """Whether so many rounds have passed since a weapon fired that fires once in several."""
    return last is None or now - last > wait
