"""Ranges: how far weapons reach, in which band a target is, and how hard it is to hit there."""

from __future__ import annotations

from typing import Annotated, Final, TypeAlias

from referee.core import Pick, Scene, applying, figures, formula, frozen, refuse, rows
from referee.systems.d6.codes import own_code
from referee.systems.d6.combat.reach import check_short_enough
from referee.systems.d6.combat.weapons import check_weapon, item_of, weapons_held
from referee.systems.d6.equipment import THROWN, Weapon, weapon_of
from referee.systems.d6.sheet import Person
from referee.systems.d6.vehicles.gunnery import check_minimum_range, ranges_of_vehicle_weapon
from referee.systems.d6.vehicles.vehicle import VehicleWeapon

RANGES: Final = "d6.combat.ranges"
DIFFICULTIES: Final = "d6.combat.range-difficulty"
CLOSE: Final = "Close"
DISTANCE: Final = 10.0
"""How far away a target is, in metres, if nobody says."""


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
class WeaponRanges:
    """How far each range band of a weapon goes, in metres."""

    close: float
    short: float
    medium: float
    long: float


BANDS: Final = rows(DIFFICULTIES, "rows", RangeBand)


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
            return refuse("ranges are close/short/medium/long, or the long one alone", rule=RANGES)


def close_range(scene: Scene, short: float) -> float:
    """How far close range goes, where a weapon does not say."""
    of = scene[RangeFigures]
    return of.close_m if short > of.close_needs_short_above_m else of.close_otherwise_m


@formula("d6.equipment.range-stat/thrown", "d6.equipment.range-stat")
def thrown_ranges(scene: Scene, who: Person, multiples: tuple[float, ...]) -> WeaponRanges:
    """Ranges that are multiples of the dice of the thrower's Strength."""
    dice = own_code(scene, who, "Strength").dice
    return weapon_ranges(scene, tuple(each * dice for each in multiples))


@formula(RANGES + "/band", RANGES)
def range_band(scene: Scene, ranges: WeaponRanges, distance: float) -> str:
    """The band that a distance lies in; beyond long range nothing is hit."""
    for band, reach in zip(scene[BANDS], (ranges.close, ranges.short, ranges.medium, ranges.long), strict=True):
        if distance <= reach:
            return band.name
    return refuse(
        f"it reaches {ranges.long:g} m", what=f"{distance:g} m", rule=RANGES, legal=(f"{ranges.long:g} m or less",)
    )


@formula(DIFFICULTIES)
def range_difficulty(scene: Scene, band: str) -> int:
    """How hard it is to hit at a range."""
    return scene[BANDS][band].difficulty


# --- the weapon -------------------------------------------------------------------------------------------------------


def weapon_in_hand(scene: Scene, who: Person, weapon: str) -> Weapon:
    return weapon_of(scene, item_of(scene, who, weapon))


def ranges_of(scene: Scene, who: Person, weapon: str) -> WeaponRanges:
    """The range bands of a weapon in somebody's hands."""
    found = weapon_in_hand(scene, who, weapon)
    if isinstance(item_of(scene, who, weapon), VehicleWeapon):
        return weapon_ranges(scene, ranges_of_vehicle_weapon(scene, found.range))
    return thrown_ranges(scene, who, found.range) if found.times_strength else weapon_ranges(scene, found.range)


def ranged_weapons(scene: Scene, who: Person) -> tuple[str, ...]:
    return tuple(name for name in weapons_held(scene, who) if weapon_in_hand(scene, who, name).range)


def check_ranged(scene: Scene, who: Person, weapon: str) -> None:
    """A weapon in hand, in order, that reaches farther than an arm."""
    applying(scene, who).check_allowed("range combat", legal=("melee-attack", "brawl"))
    check_weapon(scene, who, weapon)
    if not weapon_in_hand(scene, who, weapon).range:
        legal = ranged_weapons(scene, who) or ("a ranged weapon in hand, by the name of its row",)
        refuse("it is no ranged weapon", what=weapon, rule=RANGES, legal=legal)


def band_of(scene: Scene, who: Person, weapon: str, distance: float) -> str:
    return range_band(scene, ranges_of(scene, who, weapon), distance)


RangedWeapon: TypeAlias = Annotated[str, Pick(ranged_weapons, check_ranged)]


@frozen
class MeleeReachRow:
    """How far a kind of ranged weapon reaches in a melee."""

    name: str
    reach: int


GUN_REACH: Final = rows("d6.combat.shooting-in-melee", "reach", MeleeReachRow)


def check_reach(scene: Scene, who: Person, weapon: str, distance: float = DISTANCE) -> None:
    """Within long range, not behind oneself; in a grapple, with nothing that is too long for it."""
    if distance < 0:
        refuse("a distance is 0 m or more", what=f"{distance:g} m", rule=RANGES, legal=("0 m",))
    band_of(scene, who, weapon, distance)
    if isinstance(item := item_of(scene, who, weapon), VehicleWeapon):
        check_minimum_range(scene, item, distance)
    found = weapon_in_hand(scene, who, weapon)
    if found.category != THROWN:
        reach = scene[GUN_REACH][found.gun].reach if found.gun in scene[GUN_REACH] else found.reach
        check_short_enough(scene, who, weapon, reach)
