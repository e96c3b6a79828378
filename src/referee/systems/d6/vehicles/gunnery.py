"""Weapons of vehicles: who serves which, where they can fire, how far they reach, what counts for their shots."""

from __future__ import annotations

from math import ceil
from typing import Final

from referee.core import Mods, Scene, applying, figures, formula, frozen, refuse, rows
from referee.kits.dice_codes import Code
from referee.systems.d6.codes import code_mods, own_code
from referee.systems.d6.sheet import PIPS_PER_DIE, Person
from referee.systems.d6.vehicles.crews import check_workable, reduced_crew_mods
from referee.systems.d6.vehicles.systems import FIRE, WEAPON_DAMAGE
from referee.systems.d6.vehicles.vehicle import PILOT, Craft, Vehicle, VehicleWeapon, craft_with

ANATOMY: Final = "d6.vehicle-combat.weapon-anatomy"
RANGES: Final = "d6.vehicle-combat.ranges"
TURRETS: Final = "d6.vehicle-combat.turrets"
OPPORTUNITY: Final = "d6.vehicle-combat.opportunity-fire"
PROPELLED: Final = "d6.vehicle-combat.propelled-missiles"
ARCS: Final = ("front", "left", "right", "rear")
FRONT: Final = "front"
GUNNER: Final = "gunner"
ATTENDS_TO_SEVERAL: Final = "attend to several things at once"
ALL_OUT: Final = "All-out"


@figures(RANGES)
class RangeParts:
    """What part of the long range the others are."""

    medium: float
    short: float
    close: float


@frozen
class AnatomyRow:
    """What a weapon of a vehicle is described by, and where it stands."""

    name: str
    of: str


ANATOMY_ROWS: Final = rows(ANATOMY, "fields", AnatomyRow)


# --- who serves what --------------------------------------------------------------------------------------------------


@formula(f"{ANATOMY}/served", ANATOMY)
def served_weapons(scene: Scene, who: Person) -> tuple[VehicleWeapon, ...]:
    """The weapons somebody serves: those their post names; the pilot and a gunner at large, those nobody's does."""
    craft = craft_with(scene, who.name)
    if craft is None:
        return ()
    named = {each.weapon: each.who for each in scene[craft].posts if each.weapon}
    at_large = any(each.who == who.name and not each.weapon and serves(each.post) for each in scene[craft].posts)
    mine = (each for each in scene[craft].weapons if named.get(each.name, who.name if at_large else "") == who.name)
    return tuple(mine)


def serves(post: str) -> bool:
    return post.casefold() in (PILOT, GUNNER, "combat", "guns")


def served_weapon(scene: Scene, who: Person, name: str) -> VehicleWeapon | None:
    return next((each for each in served_weapons(scene, who) if each.name.casefold() == name.casefold()), None)


def craft_of(scene: Scene, who: Person) -> Craft:
    """The vehicle somebody is aboard of."""
    return craft_with(scene, who.name) or refuse(f"{who} is aboard nothing", rule=ANATOMY, legal=("take-post",))


# --- how it is described ----------------------------------------------------------------------------------------------


@formula(ANATOMY)
def weapon_anatomy(scene: Scene, weapon: VehicleWeapon) -> dict[str, str]:
    """A weapon of a vehicle by the fields of the book, as far as it has them."""
    found = {
        "type": weapon.name,
        "scale": str(weapon.scale or 1),
        "skill": f"{weapon.skill} ({weapon.average})" if weapon.average is not None else weapon.skill,
        "crew": crew_in_words(weapon),
        "fire arcs": ", ".join(("turret",) if weapon.turret else weapon.arcs),
        "targeting": str(weapon.targeting or ""),
        "damages": str(weapon.damage or ""),
        "ranges": "/".join(f"{each:g}" for each in weapon.range or ()),
    }
    return {row.name: found[row.of] for row in scene[ANATOMY_ROWS] if found[row.of]}


def crew_in_words(weapon: VehicleWeapon) -> str:
    reduced = f" [{weapon.minimum_crew}]" if weapon.minimum_crew is not None else ""
    return f"{weapon.crew or 1}{reduced}"


# --- ranges and arcs --------------------------------------------------------------------------------------------------


@formula(RANGES)
def ranges_of_vehicle_weapon(scene: Scene, figures: tuple[float, ...]) -> tuple[float, ...]:
    """Where only one range is printed, it is the long one: medium is half of it, short a quarter, close an eighth."""
    if len(figures) != 1:
        return figures
    (long,), of = figures, scene[RangeParts]
    return (long * of.close, long * of.short, long * of.medium, long)


@formula(f"{RANGES}/minimum", RANGES)
def check_minimum_range(scene: Scene, weapon: VehicleWeapon, distance: float) -> None:
    """Some weapons hit nothing that is too close."""
    if distance < weapon.minimum_range:
        least = f"{weapon.minimum_range:g} m"
        refuse(f"it hits nothing closer than {least}", what=f"{distance:g} m", legal=(f"{least} or more",))


def arcs_of(scene: Scene, who: Person, weapon: str) -> tuple[str, ...]:
    """Where a target may be, as seen from the vehicle, if the weapon does not fire everywhere."""
    found = served_weapon(scene, who, weapon)
    return ("", *ARCS) if found is not None and (found.arcs or found.turret) else ()


@formula(f"{ANATOMY}/arc", ANATOMY)
def check_arc(scene: Scene, who: Person, weapon: str, arc: str = "") -> None:
    """A weapon fires where it can be aimed; a turret that is locked forward only there."""
    found = served_weapon(scene, who, weapon)
    if found is None or not arc:
        return
    legal = (FRONT,) if found.locked_forward else found.arcs or ARCS
    if arc not in legal:
        refuse(f"it does not fire to the {arc}", what=weapon, legal=legal)


@formula(TURRETS)
def check_turret(scene: Scene, who: Person, weapon: VehicleWeapon) -> None:
    """A pilot fires no turret, unless it is locked forward or they can attend to several things at once."""
    craft = craft_of(scene, who)
    if (
        not weapon.turret
        or weapon.locked_forward
        or scene[craft].pilot != who.name
        or scene[craft].motion.speed == "Stop"
    ):
        return
    if not applying(scene, who).granted(ATTENDS_TO_SEVERAL):
        refuse(f"{who} steers, and fires no turret", what=weapon.name, legal=("another gunner", "lock it forward"))


@formula(f"{ANATOMY}/check", ANATOMY)
def check_served(scene: Scene, who: Person, weapon: VehicleWeapon) -> None:
    """Neither out of order nor without the people it takes; not by a pilot who does nothing but steer."""
    craft = craft_of(scene, who)
    check_workable(scene, craft)
    applying(scene, craft, FIRE, weapon.name).check_allowed(FIRE, legal=("another weapon",))
    check_turret(scene, who, weapon)
    at_it = weapon_crew(scene, scene[craft], weapon)
    if weapon.minimum_crew is not None and at_it < weapon.minimum_crew:
        refuse(f"it takes {weapon.minimum_crew} to serve it", what=weapon.name, legal=("more of the crew at it",))


def weapon_crew(scene: Scene, vehicle: Vehicle, weapon: VehicleWeapon) -> int:
    """How many serve a weapon: those whose post it is and the hands aboard; one, who fires it, at least."""
    return max(1, sum(each.weapon == weapon.name for each in vehicle.posts)) + vehicle.hands


@formula(OPPORTUNITY)
def check_pilot_fires(scene: Scene, who: Person, weapon: str) -> None:
    """A pilot with an action left may fire at what comes into the arc; all out there is nothing else they do."""
    found, craft = served_weapon(scene, who, weapon), craft_with(scene, who.name)
    if found is None or craft is None or scene[craft].pilot != who.name:
        return
    motion = scene[craft].motion
    if (motion.selected or motion.speed) == ALL_OUT:
        refuse(f"{who} steers, and does nothing else at {ALL_OUT} speed", what=weapon, legal=("another gunner",))


@formula(PROPELLED)
def flight_rounds(scene: Scene, weapon: VehicleWeapon, distance: float) -> int:
    """How many rounds after this one it arrives: none, unless it propels itself and the way is longer than it flies."""
    if not weapon.propelled or weapon.speed <= 0:
        return 0
    return max(0, ceil(distance / weapon.speed) - 1)


def flight_of(scene: Scene, who: Person, weapon: str, distance: float) -> int:
    found = served_weapon(scene, who, weapon)
    return flight_rounds(scene, found, distance) if found is not None else 0


# --- what counts for its shot -----------------------------------------------------------------------------------------


@formula(f"{ANATOMY}/fire", ANATOMY)
def vehicle_fire_mods(scene: Scene, who: Person, weapon: str, using: str) -> Mods:
    """What damage to the weapon and a crew that is too small cost; the average skill of those who serve it."""
    found = served_weapon(scene, who, weapon)
    if found is None:
        return ()
    craft = craft_of(scene, who)
    harmed = applying(scene, craft, FIRE, found.name).mods
    return (*harmed, *average_mods(scene, who, using, found.average), *reduced_crew_mods(scene, craft, "Combat"))


def average_mods(scene: Scene, who: Person, using: str, average: Code | None) -> Mods:
    """With an average crew its skill counts, not that of whoever gives the word."""
    if average is None:
        return ()
    per_die = scene[PIPS_PER_DIE]
    pips = average.in_pips(per_die) - own_code(scene, who, using).in_pips(per_die)
    dice, rest = divmod(abs(pips), per_die)
    sign = 1 if pips > 0 else -1
    return code_mods(Code(sign * dice, sign * rest), f"average crew {average}", ANATOMY) if pips else ()


@formula(f"{ANATOMY}/damage", ANATOMY)
def vehicle_damage_mods(scene: Scene, who: Person, weapon: str) -> Mods:
    """What damage to the weapon takes from its own damage."""
    found = served_weapon(scene, who, weapon)
    return applying(scene, craft_of(scene, who), WEAPON_DAMAGE, found.name).mods if found is not None else ()
