"""Repairs of vehicles: Reliability in Quarter Days, and what critical damage has broken, each thing by itself."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Final, TypeAlias

from referee.core import Mods, Pick, Refused, Scene, action, alter, change, figures, formula, refuse, rule, settled
from referee.kits.things import amount_of, used_up
from referee.systems.yearzero.activities import beside_other_things, check_free, occupy, quarter_days
from referee.systems.yearzero.crafting import TECHNICAL, WORKED, gear_of, with_things
from referee.systems.yearzero.items import spare_part
from referee.systems.yearzero.repair import BY_TECHNICAL, OwnTools, Repaired, helped_by
from referee.systems.yearzero.rolls import Attempt, RolledPool, check_attempt, roll_once
from referee.systems.yearzero.sheet import Helpers, Item, Person
from referee.systems.yearzero.vehicles.vehicle import (
    CRITICAL_ROWS,
    MOUNTED,
    AVehicle,
    RatedVehicle,
    is_destroyed,
    reliability_at_first,
    vehicles,
)

REPAIRS: Final = "yearzero.vehicles.repairs"
VEHICLE_PART: Final = "vehicle"


@figures(REPAIRS)
class RepairFigures:
    """Who repairs vehicles, what a success mends, and how long it takes."""

    specialty: str
    points_per_x: int
    work_qd: int
    component_qd: int


def damaged_vehicles(scene: Scene, who: Person) -> tuple[AVehicle, ...]:
    return tuple(each for each in vehicles(scene) if scene[each].worn and not is_destroyed(scene, each))


def check_mended(scene: Scene, who: Person, vehicle: AVehicle) -> None:
    if is_destroyed(scene, vehicle):
        refuse(f"{vehicle} is beyond repair", rule=REPAIRS)
    if not scene[vehicle].worn:
        refuse(f"{vehicle} is not damaged", rule=REPAIRS, legal=tuple(map(str, damaged_vehicles(scene, who))))


def broken_parts(scene: Scene, who: Person, vehicle: AVehicle) -> tuple[str, ...]:
    """What critical damage has broken for good, and mounted weapons that are disabled."""
    lasting = (name for name in scene[vehicle].faults if not is_fatal(scene, name))
    weapons = (item.name for item in scene[vehicle].things if item.place == MOUNTED and item.wear)
    return (*lasting, *weapons)


def is_fatal(scene: Scene, name: str) -> bool:
    """Whether critical damage is nothing that a mechanic repairs: a fire, or an explosion."""
    row = scene[CRITICAL_ROWS].look(name)
    return row.destroyed or bool(row.fire)


def check_part(scene: Scene, who: Person, part: str, vehicle: AVehicle) -> None:
    if is_destroyed(scene, vehicle):
        refuse(f"{vehicle} is beyond repair", rule=REPAIRS)
    if part not in (legal := broken_parts(scene, who, vehicle)):
        refuse(f"{vehicle} has no such damage", what=part, rule=REPAIRS, legal=legal)


def check_mechanic(scene: Scene, who: Person, tools: str, helpers: Helpers = ()) -> None:
    """Somebody free, with tools and a spare part for vehicles."""
    check_free(scene, who)
    check_attempt(scene, who, Attempt(TECHNICAL, gear=gear_of(scene, who, tools), helpers=helpers))
    if amount_of(scene[who].things, part := spare_part(scene, VEHICLE_PART)) < 1:
        raise Refused("repair", because=f"it takes a {part}", rule=REPAIRS)


@formula(f"{REPAIRS}/attempt")
def mending(scene: Scene, who: Person, tools: str, mods: Mods, helpers: Helpers) -> Attempt:
    """Technical as a mechanic; tools for vehicles are better than any others."""
    specialty, gear = scene[RepairFigures].specialty, gear_of(scene, who, tools)
    attempt = Attempt(TECHNICAL, specialty, gear, mods, helpers, tags=("repair",))
    attempt = beside_other_things(scene, who, attempt)
    return attempt.adding(*helped_by(scene, who, tools, Item(VEHICLE_PART, part=VEHICLE_PART)))


Damaged: TypeAlias = Annotated[AVehicle, Pick(damaged_vehicles, check_mended)]


@action("repair-vehicle", REPAIRS, bands=WORKED, check=check_mechanic)
async def repair_vehicle(
    scene: Scene, who: Person, vehicle: Damaged, tools: OwnTools, helpers: Helpers = (), mods: Mods = ()
) -> Repaired:
    """Work on a vehicle for a Quarter Day: each success brings back a point, and a wreck is none any more."""
    rolled = await roll_once(who, mending(scene, who, tools, mods, helpers))
    mended = mended_by(scene, vehicle, rolled)
    restored = scene[vehicle].worn - mended.worn
    full = max(0, reliability_at_first(scene, vehicle) - (mended.lowered - scene[vehicle].lowered))
    left = max(0, full - mended.worn)
    banes = (rolled.pushes, rolled.base_banes, rolled.gear_banes)
    done = Repaired(rolled.success, rolled.successes, restored, left, full, full == 0, *banes)
    return await settled(done, then=finish_mending(who, vehicle, mended, done, helpers))


def mended_by(scene: Scene, vehicle: AVehicle, rolled: RolledPool) -> RatedVehicle:
    """The vehicle afterwards: each success mends, and each bane of a push lowers it for good."""
    points = rolled.successes * scene[RepairFigures].points_per_x if rolled.success else 0
    was = scene[vehicle]
    lowered = was.lowered + rolled.base_banes + rolled.gear_banes
    return replace(was, worn=max(0, was.worn - points), lowered=lowered)


@rule(f"{REPAIRS}/finish", REPAIRS)
async def finish_mending(
    scene: Scene, who: Person, vehicle: AVehicle, mended: RatedVehicle, done: Repaired, helpers: Helpers
) -> None:
    """The vehicle is as good as it now is, a success has used up a spare part, and it took a Quarter Day."""
    await change(vehicle, mended, rule=None if done.success else BY_TECHNICAL)
    if done.success:
        await spend_part(who)
    work = quarter_days(scene, scene[RepairFigures].work_qd)
    await occupy(who, f"repairing {vehicle}", work, helpers=helpers)


@rule(f"{REPAIRS}/part")
async def spend_part(scene: Scene, who: Person) -> None:
    """A spare part is used."""
    part = spare_part(scene, VEHICLE_PART)
    await alter(who, with_things, used_up(scene[who].things, part, 1, rule=REPAIRS))


@action("repair-vehicle-part", f"{REPAIRS}/component", REPAIRS, bands=WORKED, check=check_mechanic)
async def repair_part(
    scene: Scene,
    who: Person,
    vehicle: Annotated[AVehicle, Pick(vehicles)],
    part: Annotated[str, Pick(broken_parts, check_part)],
    tools: OwnTools,
    helpers: Helpers = (),
    mods: Mods = (),
) -> Repaired:
    """Mend what critical damage has broken: the engine, a wheel, the windshield, a weapon that is mounted."""
    rolled = await roll_once(who, replace(mending(scene, who, tools, mods, helpers), surplus=False))
    banes = (rolled.pushes, rolled.base_banes, rolled.gear_banes)
    done = Repaired(rolled.success, rolled.successes, int(rolled.success), 0, 0, False, *banes)
    return await settled(done, then=finish_part(who, vehicle, part, done, helpers))


@rule(f"{REPAIRS}/finish-part", REPAIRS)
async def finish_part(
    scene: Scene, who: Person, vehicle: AVehicle, part: str, done: Repaired, helpers: Helpers
) -> None:
    """What was broken works again, banes lower the vehicle for good, and it took a Quarter Day."""
    if banes := done.base_banes + done.gear_banes:
        await change(vehicle, replace(scene[vehicle], lowered=scene[vehicle].lowered + banes), rule=BY_TECHNICAL)
    if done.success:
        await spend_part(who)
        await alter(vehicle, fixed, part)
    work = quarter_days(scene, scene[RepairFigures].component_qd)
    await occupy(who, f"repairing {vehicle}", work, helpers=helpers)


def fixed(vehicle: RatedVehicle, part: str) -> RatedVehicle:
    """With a fault or a weapon mended."""
    weapon = next((item for item in vehicle.things if item.name == part), None)
    return vehicle.without_fault(part) if weapon is None else vehicle.with_thing(replace(weapon, wear=0))
