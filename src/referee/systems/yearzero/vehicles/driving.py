"""Driving: rolls with the figures of what is driven, what a push of them costs, and movement in a fight."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Final, TypeAlias

from referee.core import (
    Bands,
    Mods,
    Pick,
    Prompt,
    Scene,
    action,
    alter,
    applying,
    choose,
    figure,
    figures,
    formula,
    frozen,
    refuse,
    rule,
    rule_on,
)
from referee.core.effects import Effect, lay
from referee.core.rules import rule_named
from referee.systems.yearzero.action_types import PrintedPrice, count_move
from referee.systems.yearzero.battle import BATTLE, Battle
from referee.systems.yearzero.ground import BORDER_M, has_map
from referee.systems.yearzero.harm import check_able, lost, stressed, work_off_pain
from referee.systems.yearzero.panic_tables import Doing
from referee.systems.yearzero.rolls import (
    NO_ACTION,
    WILLPOWER_PER_BANE,
    Attempt,
    FiguresDice,
    RolledPool,
    gain_willpower,
    roll_once,
)
from referee.systems.yearzero.sheet import AGILITY, SPECIALTIES, Person, Survivor
from referee.systems.yearzero.vehicles.vehicle import (
    ATTRIBUTES,
    AVehicle,
    RatedVehicle,
    VehicleFigures,
    check_goes,
    control_mods,
    driven_by,
    kind_of_vehicle,
    maneuverability_of,
    model_of,
    reliability_of,
    speed_of,
)

ROLLS: Final = "yearzero.vehicles.driving-rolls"
PUSHED: Final = "yearzero.vehicles.push"
IN_COMBAT: Final = "yearzero.vehicles.in-combat"
AERIAL: Final = "yearzero.vehicles.aerial"
DRIVE: Final = figure(ATTRIBUTES, "drive", str)
GROUND_SPEED: Final = figure(AERIAL, "ground_speed", int)
BANE: Final = Prompt("driving-bane")
BARRIER: Final = Prompt("barrier")
CONTROL: Final[Bands[bool]] = Bands(of=lambda kept: "success" if kept else "failure", keys=("success", "failure"))


@figures(PUSHED)
class PushedDriving:
    """What banes of a pushed driving roll cost: Stress in all, and for each a point of one thing or the other."""

    stress: int
    reliability_per_bane: int
    agility_per_bane: int


# --- rolls ------------------------------------------------------------------------------------------------------------


@formula(ROLLS)
def driving(
    scene: Scene,
    who: Person,
    vehicle: AVehicle,
    tags: tuple[str, ...] = (),
    mods: Mods = (),
    fast: bool = False,
    is_action: bool = False,
) -> Attempt:
    """Driving or Piloting with the vehicle's Maneuverability in place of Agility; with its Speed, where that counts."""
    skill, row = kind_of_vehicle(scene, vehicle).skill, model_of(scene, vehicle)
    label = "Speed" if fast else "Maneuverability"
    dice = FiguresDice(
        speed_of(scene, vehicle) if fast else maneuverability_of(scene, vehicle), label, ATTRIBUTES, vehicle, PUSHED
    )
    named = (*tags, *(() if is_action else (NO_ACTION,)), *ridden(scene, who, vehicle))
    specialty = scene[SPECIALTIES[skill]].look(row.specialty).name if row.specialty else ""
    return Attempt(skill, specialty, mods=(*mods, *control_mods(scene, vehicle)), tags=named, in_place=dice)


def ridden(scene: Scene, who: Person, vehicle: AVehicle) -> tuple[str, ...]:
    """What a talent for one vehicle asks for, if it is this one: by its name, or by its model."""
    own = {vehicle.name.casefold(), scene[vehicle].model.casefold()}
    named = (each.partition(": ")[2] for each in scene[who].talents)
    return tuple(each for each in named if each.casefold() in own)


@rule(f"{ROLLS}/control", bands=CONTROL)
async def keeps_control(scene: Scene, who: Person, vehicle: AVehicle, mods: Mods = ()) -> bool:
    """A roll of whoever drives, which is no action, to stay in control."""
    rolled = await roll_once(who, replace(driving(scene, who, vehicle, mods=mods), surplus=False))
    return rolled.success


DROVE: Final[Bands[RolledPool]] = Bands(
    of=lambda rolled: "success" if rolled.success else "failure",
    keys=("success", "failure"),
    bad={"harm": lambda rolled: rolled.base_banes > 0},
)


def check_drives(scene: Scene, who: Person) -> None:
    """Somebody able, at the wheel of something that goes."""
    mine = at_the_wheel(scene, who)
    check_able(scene, who)
    check_goes(scene, mine)


@action("driving-roll", ROLLS, bands=DROVE, turn=check_drives)
async def driving_roll(scene: Scene, who: Person, mods: Mods = ()) -> RolledPool:
    """An advanced maneuver with what one drives; normal driving needs no roll."""
    mine = at_the_wheel(scene, who)
    return await roll_once(who, replace(driving(scene, who, mine, mods=mods, is_action=True), surplus=False))


def at_the_wheel(scene: Scene, who: Person) -> AVehicle:
    """What somebody drives."""
    mine = driven_by(scene, who)
    if mine is None:
        refuse(f"{who} drives nothing", what="drive", rule=ROLLS, legal=("get-in", "change-seat"))
    return mine


@rule(PUSHED)
async def pay_for_push(scene: Scene, vehicle: AVehicle, who: Person, banes: int) -> None:
    """Each bane wears the vehicle or strains its driver, who chooses; the whole roll is one point of Stress."""
    before, stood = scene[who].stress, scene[who].now(AGILITY) > 0
    await gain_willpower(who, banes * scene[WILLPOWER_PER_BANE])
    await alter(who, stressed, scene[PushedDriving].stress)
    for _ in range(banes):
        ways = bane_ways(scene, vehicle, who)
        if ways and await choose(who, BANE, ways) == WEARS:
            await wear_out(vehicle)
        elif ways:
            await alter(who, Survivor.losing, AGILITY, scene[PushedDriving].agility_per_bane)
    if stood and AGILITY in scene[who].broken:
        await rule_named("yearzero.combat.broken")(who, AGILITY, True)
    doing = Doing(kind_of_vehicle(scene, vehicle).skill, "", "")
    await rule_named("yearzero.panic.triggers")(who, before, lost(scene, who, AGILITY, stood), doing=doing)


WEARS, STRAINS = "the vehicle", "oneself"


def bane_ways(scene: Scene, vehicle: AVehicle, who: Person) -> tuple[str, ...]:
    """What is left to pay with."""
    wears = (WEARS,) if reliability_of(scene, vehicle) else ()
    return (*wears, *((STRAINS,) if scene[who].now(AGILITY) else ()))


@rule(f"{PUSHED}/wear", "yearzero.vehicles.wrecked")
async def wear_out(scene: Scene, vehicle: AVehicle) -> None:
    """A point of Reliability; without any left the vehicle breaks down at once."""
    await alter(vehicle, RatedVehicle.losing, scene[PushedDriving].reliability_per_bane)
    if not reliability_of(scene, vehicle):
        await rule_named("yearzero.vehicles.wrecked/breakdown")(vehicle)


# --- movement in a fight ----------------------------------------------------------------------------------------------


@frozen
class DrivenWay:
    """How far a zone is for somebody who drives, and whether a barrier bars the way."""

    zone: str
    steps: int
    barred: bool = False


@formula(f"{ATTRIBUTES}/stretches")
def stretches(scene: Scene, vehicle: AVehicle) -> int:
    """How many zones it moves at once; an aircraft on the ground rolls slowly."""
    if kind_of_vehicle(scene, vehicle).flies and not scene[vehicle].altitude:
        return scene[GROUND_SPEED]
    return zones_of_speed(scene, vehicle)


def zones_of_speed(scene: Scene, vehicle: AVehicle) -> int:
    return speed_of(scene, vehicle) * scene[VehicleFigures].metres_per_speed // scene[BORDER_M]


def ways_from(scene: Scene, vehicle: AVehicle, most: int, flies: bool) -> tuple[DrivenWay, ...]:
    """Every zone within so many steps, the nearest first; the last border of a way may be a barrier."""
    whole = scene[BATTLE].zones
    here = whole.where(vehicle.name)
    found, edge = {here: DrivenWay(here, 0)}, [here]
    for step in range(1, most + 1):
        beyond = [(name, border) for zone in edge for name, border in whole.borders_of(zone)]
        edge = []
        for name, border in sorted(beyond, key=lambda each: not each[1].crossable):
            if name in found and not (found[name].barred and (border.crossable or flies)):
                continue
            found[name] = DrivenWay(name, step, not border.crossable and not flies)
            edge += [name] if not found[name].barred else []
    return tuple(way for way in found.values() if way.steps)


def destinations(scene: Scene, who: Person) -> tuple[str, ...]:
    """Where one may drive; without a map one is on the move, and a flyer may stay where it is on the map."""
    mine = driven_by(scene, who)
    if mine is None:
        return ()
    if not has_map(scene):
        return ("",)
    stays = ("",) if kind_of_vehicle(scene, mine).flies else ()
    most = max(stretches(scene, mine), zones_of_speed(scene, mine) if stays else 0)
    return (*stays, *(way.zone for way in ways_from(scene, mine, most, bool(stays))))


def climbs(scene: Scene, who: Person) -> tuple[int, ...]:
    """By how many zones one may rise or sink; what does not fly stays on the ground."""
    mine = driven_by(scene, who)
    if mine is None or not kind_of_vehicle(scene, mine).flies:
        return (0,)
    most = zones_of_speed(scene, mine)
    return (0, *range(1, most + 1), *range(-1, -min(most, scene[mine].altitude) - 1, -1))


def way_to(scene: Scene, vehicle: AVehicle, zone: str, climb: int) -> DrivenWay:
    """The shortest way to a zone; an aircraft that rises has its full speed."""
    most = zones_of_speed(scene, vehicle) if climb else stretches(scene, vehicle)
    flies = scene[vehicle].altitude > 0 or climb > 0
    ways = {each.zone: each for each in ways_from(scene, vehicle, most, flies)} if zone else {}
    if zone and zone not in ways:
        refuse(f"{zone} is not within {most} zones", rule=ATTRIBUTES, legal=tuple(ways))
    return ways.get(zone, DrivenWay(zone, 0))


@formula(AERIAL)
def check_way(scene: Scene, who: Person, to: str = "", climb: int = 0) -> None:
    """The zones of a move are divided between the map and the air; what sinks does not rise."""
    mine = at_the_wheel(scene, who)
    way, most = way_to(scene, mine, to, climb), max(stretches(scene, mine), zones_of_speed(scene, mine))
    if way.steps + abs(climb) > most:
        refuse(f"{mine} moves {most} zones at once", rule=AERIAL)
    if not to and not climb and has_map(scene):
        refuse("that is no movement", rule=IN_COMBAT)


Destination: TypeAlias = Annotated[str, Pick(destinations)]
Climb: TypeAlias = Annotated[int, Pick(climbs)]
BARRED: Final = "yearzero.vehicles.in-combat/barrier"


@action("drive", IN_COMBAT, AERIAL, bands=CONTROL, turn=check_drives, price=PrintedPrice(DRIVE), check=check_way)
async def drive(scene: Scene, who: Person, to: Destination = "", climb: Climb = 0, mods: Mods = ()) -> bool:
    """Drive or fly; through a barrier only if the game master thinks it possible, and the driving roll succeeds."""
    mine = at_the_wheel(scene, who)
    way = way_to(scene, mine, to, climb)
    await work_off_pain(who)
    await count_move(who)
    if way.barred and not await breaks_through(who, mine, mods):
        return False
    await alter(mine, RatedVehicle.at, scene[mine].altitude + climb)
    await move_along(mine, who, to)
    return True


@rule(BARRED)
async def breaks_through(scene: Scene, who: Person, vehicle: AVehicle, mods: Mods) -> bool:
    """A driving roll, if it is possible at all; otherwise one stops before the barrier."""
    if not await rule_on(BARRIER, True, options=(True, False)):
        return False
    return await keeps_control(who, vehicle, mods)


@rule(f"{IN_COMBAT}/along")
async def move_along(scene: Scene, vehicle: AVehicle, who: Person, zone: str) -> None:
    """It is on the move until its driver's next go, and everybody in it comes along."""
    if zone:
        for name in (vehicle.name, *scene[vehicle].crew):
            await alter(BATTLE, Battle.placing, name, zone)
    if not applying(scene, vehicle).granted("moving"):
        moved = Effect.from_plain({"grants": "moving", "until": f"turn of {who}"})
        await lay(vehicle, moved, source="movement", by="yearzero.combat.moving-target")
