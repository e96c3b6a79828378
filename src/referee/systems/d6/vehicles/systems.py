"""The systems of a vehicle: which is hit, how damage adds up, and what it does, as rows and effects."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from referee.core import Active, Effect, Scene, Who, figure, figures, formula, frozen, rows
from referee.core.effects import Adds
from referee.kits.dice_codes import Code

if TYPE_CHECKING:
    from referee.systems.d6.vehicles.vehicle import SystemDamage, Vehicle

Craft: TypeAlias = Who[Any]
"""A vehicle: vehicles themselves are defined by what is here."""
TABLE: Final = "d6.vehicle-damage.table"
SYSTEMS: Final = "d6.vehicle-damage.systems"
LEGEND: Final = "d6.vehicle-damage.legend"
ACCUMULATION: Final = "d6.vehicle-damage.accumulation"
CALLED: Final = "d6.vehicle-damage.called-shot"
DEVIATES: Final = "Deviates"
WEAPON: Final = "Weapon"
ENGINES: Final = "Engines"
MANEUVERABILITY: Final = "maneuverability"
PILOTING: Final = "piloting"
FIRE: Final = "fire"
WEAPON_DAMAGE: Final = "weapon damage"


@frozen
class VehicleDamageRow:
    """What a difference of damage and Body does to a vehicle as a whole."""

    name: str
    piloting: int = 0
    rounds: int = 0
    """For how many rounds it hinders the pilot, this one among them."""
    hits_system: bool = False
    out_of_order: bool = False
    aboard: str = ""
    """What it does to people aboard."""


@frozen
class SystemRow:
    """A system: on which rolls it is hit, what it costs to aim at it, and what each level of damage does."""

    name: str
    called_shot: int
    light: str
    serious: str
    severe: str
    destroyed: str
    area: str = ""
    """Whose place aboard it is, where people are hit."""
    needs: str = ""
    """What a vehicle must have for it to be hit."""

    def does(self, level: str) -> str:
        found: str = getattr(self, level.casefold(), "")
        return found


@frozen
class SystemEffect:
    """What a level of damage to a system means."""

    name: str
    damage: Code = Code()
    """What everyone in the area resists, where they do not simply take its wound."""
    fastest: str = ""
    """The fastest speed that is left."""
    effects: tuple[Effect, ...] = ()
    straight: bool = False
    """Whether it goes straight on, and does not change its speed."""
    gone: bool = False
    vehicle: str = ""
    """What becomes of the whole vehicle."""
    again: str = ""
    """What becomes of the whole vehicle with one more hit."""
    says: str = ""


@frozen
class CalledShotRow:
    """What the damage of a called shot makes of the system it was aimed at."""

    name: str
    level: str
    whole: bool = False
    """Whether the vehicle as a whole suffers as well."""


@figures(ACCUMULATION)
class SystemLevels:
    """How a system is damaged by one hit after the other, and what a hit without effect leaves."""

    levels: tuple[str, ...]
    minor: str


DAMAGES: Final = rows(TABLE, "rows", VehicleDamageRow, by=("min", "max"))
SYSTEM_ROWS: Final = rows(SYSTEMS, "systems", SystemRow, by=("from", "to"))
SYSTEM_DICE: Final = figure(SYSTEMS, "dice", int)
EFFECTS_OF: Final = rows(LEGEND, "effects", SystemEffect)
CALLED_SHOTS: Final = rows(CALLED, "becomes", CalledShotRow)


# --- which system -----------------------------------------------------------------------------------------------------


@formula(SYSTEMS)
def system_at(scene: Scene, craft: Craft, rolled: int) -> str:
    """The system that a roll hits; nothing, if the vehicle has none of that kind and it is rolled again."""
    row = scene[SYSTEM_ROWS].at(rolled)
    return row.name if has_system(scene, craft, row.name) else ""


def has_system(scene: Scene, craft: Craft, name: str) -> bool:
    """Whether a vehicle has weapons, or a hold, to be hit."""
    needs = scene[SYSTEM_ROWS][name].needs
    return not needs or bool(getattr(scene[craft], needs))


@formula(f"{CALLED}/aim", CALLED)
def systems_to_aim_at(scene: Scene, craft: Craft) -> tuple[str, ...]:
    """The systems that a called shot may be aimed at."""
    return tuple(name for name in scene[SYSTEM_ROWS].names if has_system(scene, craft, name))


# --- how damage adds up -----------------------------------------------------------------------------------------------


@formula(ACCUMULATION)
def after_hit(scene: Scene, before: str, minor: bool = False) -> str:
    """The level of a system after one more hit; the first minor one leaves no effect, and a second is a hit."""
    of = scene[SystemLevels]
    if minor and not before:
        return of.minor
    return of.levels[min(of.levels.index(before) + 1, len(of.levels) - 1)] if before in of.levels else of.levels[0]


@formula(CALLED)
def after_called_shot(scene: Scene, before: str, damage: str) -> str:
    """The level of a system that was aimed at: a light hit adds up as ever, a worse one is worse at once."""
    row, levels = scene[CALLED_SHOTS].look(damage), scene[SystemLevels].levels
    if row.level == levels[0]:
        return after_hit(scene, before)
    return max(row.level, before, key=lambda each: levels.index(each) if each in levels else -1)


@formula(f"{ACCUMULATION}/frozen", ACCUMULATION)
def are_frozen(scene: Scene, dice: int, deviates: int, frozen_before: bool = False) -> bool:
    """More hits that make it deviate than dice of Body freeze the controls, until there are fewer than dice."""
    return deviates > dice or (frozen_before and deviates == dice)


# --- what it does -----------------------------------------------------------------------------------------------------


@formula(LEGEND)
def level_effect(scene: Scene, system: str, level: str) -> SystemEffect | None:
    """What a level of damage to a system means; minor damage means nothing."""
    name = scene[SYSTEM_ROWS].look(system).does(level)
    return scene[EFFECTS_OF][name] if name else None


def system_effect(scene: Scene, damage: SystemDamage) -> SystemEffect | None:
    return level_effect(scene, damage.system, damage.level)


def damage_effects(scene: Scene, vehicle: Vehicle) -> Iterator[Active]:
    """The effects of everything that is damaged, those of a weapon for it alone; hits that make it deviate hinder the
    pilot.
    """
    if vehicle.deviates:
        dice = vehicle.deviates * scene[DAMAGES][DEVIATES].piloting
        yield Active(Effect(Adds(dice), frozenset({PILOTING})), DEVIATES.casefold(), TABLE)
    for each in vehicle.systems:
        found = system_effect(scene, each)
        for effect in found.effects if found is not None else ():
            own = replace(effect, when=effect.when | {each.weapon}) if each.weapon else effect
            yield Active(own, f"{(each.weapon or each.system).casefold()} damaged", LEGEND)


def states_of(scene: Scene, vehicle: Vehicle) -> Iterator[SystemEffect]:
    """What the damage of all systems means."""
    return (found for each in vehicle.systems if (found := system_effect(scene, each)) is not None)


@formula(f"{LEGEND}/fastest", LEGEND)
def fastest_speed(scene: Scene, craft: Craft) -> str:
    """The fastest speed that damaged engines leave; nothing, if they leave any."""
    return next((each.fastest for each in states_of(scene, scene[craft]) if each.fastest), "")


@formula(f"{LEGEND}/straight", LEGEND, f"{ACCUMULATION}/frozen")
def goes_straight(scene: Scene, craft: Craft) -> bool:
    """Whether neither its speed nor its direction can be changed."""
    return scene[craft].frozen_controls or any(each.straight for each in states_of(scene, scene[craft]))


@formula(TABLE + "/out-of-order", TABLE)
def is_out_of_order(scene: Scene, craft: Craft) -> bool:
    """Whether it does not work any more."""
    damage = scene[craft].damage
    return bool(damage) and scene[DAMAGES][damage].out_of_order
