"""Taking off and landing, catching a plane that has stalled, and going where one moves in another way."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Final

from referee.core import (
    DIFFICULTY,
    Mod,
    Mods,
    Pick,
    Scene,
    action,
    alter,
    figure,
    figures,
    formula,
    frozen,
    hand_over,
    refuse,
    rows,
    rule,
    tell,
)
from referee.kits.dice_codes import Code
from referee.systems.d6.codes import code_mods
from referee.systems.d6.combat.surroundings import terrain_difficulty
from referee.systems.d6.combat.weapons import NO_DAMAGE, THING_DAMAGE, accumulated
from referee.systems.d6.damage import hit
from referee.systems.d6.resolution import TESTED, TestResult, difficulty_number, roll_against
from referee.systems.d6.rolls import ACTION, ANY_ROLL
from referee.systems.d6.sheet import Person
from referee.systems.d6.vehicles.damage import body_difference
from referee.systems.d6.vehicles.motion import STOP
from referee.systems.d6.vehicles.movement import (
    CONTROLLED,
    IN_CONTROL,
    MISHAPS,
    ControlResult,
    Stall,
    Terrain,
    check_outside_chase,
    check_pilot,
    maneuverability_mods,
    mishap,
)
from referee.systems.d6.vehicles.movers import (
    AIR,
    GROUND,
    WATER,
    Mover,
    motion_of,
    mover_of,
    people_with,
    piloting_skill,
    set_motion,
)
from referee.systems.d6.vehicles.planes import FLIGHT_KINDS, FlightKind, flight_kind
from referee.systems.d6.vehicles.speeds import distance_at, medium_of, rank_of
from referee.systems.d6.vehicles.systems import PILOTING
from referee.systems.d6.vehicles.vehicle import Craft, Vehicle

ON_FOOT: Final = (GROUND, WATER)
TAKE_OFF: Final = "d6.plane.take-off"
LANDING: Final = "d6.plane.landing"
GEAR: Final = "d6.plane.landing-gear"
STALLED: Final = "d6.plane.stall"


@frozen
class Launch:
    """A way to get into the air: how hard it is, what it does to those aboard, and what it takes."""

    name: str
    difficulty: str
    stun: Code = Code()
    takes: str = ""
    from_stop: bool = False
    """Whether it starts from a standstill."""


@frozen
class TouchDown:
    """How hard it is to land at a speed."""

    name: str
    difficulty: str
    crash: bool = False
    """Whether it is hardly a landing."""


@figures(GEAR)
class LandingGear:
    """From which terrain on landing gear suffers, and how much."""

    above: int
    pips_per_point: int
    pips_per_die: int


LAUNCHES: Final = rows(TAKE_OFF, "launches", Launch)
TOUCH_DOWNS: Final = rows(LANDING, "speeds", TouchDown)
GROUND_SPEED: Final = figure(LANDING, "then", str)


# --- off the ground ---------------------------------------------------------------------------------------------------


def flier(scene: Scene, who: Person) -> tuple[Craft, FlightKind]:
    """What somebody flies, and how it takes off."""
    mover = mover_of(scene, who)
    kind = flight_kind(scene, mover)
    return (mover, kind) if kind is not None else refuse("it does not fly", what=mover.name, rule=TAKE_OFF)


def launches(scene: Scene, who: Person) -> tuple[str, ...]:
    return tuple(scene[LAUNCHES].names)


def check_launch(scene: Scene, who: Person, launch: str) -> None:
    """On the ground, at the speed that carries it; from a standstill only with a catapult, or straight up."""
    mover, kind = flier(scene, who)
    row, now = scene[LAUNCHES].look(launch), motion_of(scene, mover)
    if now.medium != GROUND:
        refuse("it is in the air", what=mover.name, rule=TAKE_OFF, legal=("land",))
    if row.takes and all(each.kind != row.takes for each in scene[mover].equipment):
        refuse(f"it has no {row.takes}", what=row.name, rule=TAKE_OFF, legal=("runway",))
    needed = STOP if row.from_stop else kind.ground_speed
    too_fast = row.from_stop and now.speed != STOP
    if rank_of(scene, now.speed) < rank_of(scene, needed) or too_fast:
        refuse(f"it takes {needed} speed on the ground", what=launch, rule="d6.plane.stol", legal=(needed,))


@action("take-off", TAKE_OFF, "d6.plane.stol", bands=CONTROLLED, turn=check_pilot, check=check_outside_chase)
async def take_off(
    scene: Scene, who: Person, launch: Annotated[str, Pick(launches, check_launch)] = "runway", mods: Mods = ()
) -> ControlResult:
    """Leave the ground by one roll; what hovers simply rises. A booster and a catapult shake everybody aboard."""
    mover, kind = flier(scene, who)
    row = scene[LAUNCHES][launch]
    if kind.hovers and not row.from_stop:
        return await hand_over(rises(mover))
    for each in people_with(scene, mover) if row.stun != Code() else ():
        await hit(each, row.stun, stun=True)
    speed = scene[FLIGHT_KINDS]["normal"].air_speed if row.from_stop else kind.air_speed
    needed = difficulty_number(scene, row.difficulty)
    return await hand_over(fly(who, mover, needed, speed, mods), then=lambda found: leaves_ground(mover, found))


@rule("d6.plane.vtol/rises", "d6.plane.vtol")
async def rises(scene: Scene, mover: Mover) -> ControlResult:
    """It goes straight up, and hovers."""
    await set_motion(mover, motion_of(scene, mover).into(AIR))
    return ControlResult(IN_CONTROL, 0, motion_of(scene, mover).speed)


@rule(f"{TAKE_OFF}/roll", TAKE_OFF, LANDING)
async def fly(scene: Scene, who: Person, mover: Mover, needed: int, speed: str, mods: Mods) -> ControlResult:
    """The piloting roll of a take-off or a landing; a missed one is a missed movement."""
    own = (*maneuverability_mods(scene, mover), *mods)
    return await hand_over(
        roll_against(who, piloting_skill(scene, mover, who), needed, own, (ACTION, ANY_ROLL, PILOTING)),
        read=lambda test: flown(scene, test, speed, needed),
    )


@formula(f"{TAKE_OFF}/result", TAKE_OFF, LANDING)
def flown(scene: Scene, test: TestResult, speed: str, needed: int) -> ControlResult:
    """In the air, or on the ground, at the speed that is due; or what a missed movement by that margin comes to."""
    if test.success:
        return ControlResult(IN_CONTROL, test.margin, speed, difficulty=needed)
    return ControlResult(scene[MISHAPS].at(test.margin).name, -test.margin, speed, difficulty=needed)


@rule(f"{TAKE_OFF}/leaves", TAKE_OFF)
async def leaves_ground(scene: Scene, mover: Mover, found: ControlResult) -> None:
    """It is in the air; or it stays on the ground, and what that brings happens at its speed there."""
    if not found.in_control:
        await mishap(mover, found.result, distance_at(scene, mover, motion_of(scene, mover).speed), True)
        return
    await set_motion(mover, replace(motion_of(scene, mover).into(AIR), speed=found.speed))
    await tell("takes-off", mover=mover.name)


# --- back on it -------------------------------------------------------------------------------------------------------


def check_landing(scene: Scene, who: Person) -> None:
    """Whoever is in the air, and not falling."""
    mover, _ = flier(scene, who)
    now = motion_of(scene, mover)
    if now.medium == GROUND:
        refuse("it is on the ground", what=mover.name, rule=LANDING, legal=("take-off",))
    if now.stalled is not None:
        refuse("it falls", what=mover.name, rule=STALLED, legal=("recover",))


@action("land", LANDING, GEAR, bands=CONTROLLED, turn=check_pilot, check=(check_outside_chase, check_landing))
async def land(scene: Scene, who: Person, terrain: Terrain = "Clear", mods: Mods = ()) -> ControlResult:
    """Touch down: as hard as one is fast. Then it runs on the ground at all the speed it has there."""
    mover, kind = flier(scene, who)
    now = motion_of(scene, mover)
    if kind.hovers and now.speed not in scene[TOUCH_DOWNS]:
        return await hand_over(settles(mover))
    needed = difficulty_number(scene, scene[TOUCH_DOWNS][now.speed].difficulty)
    return await hand_over(
        fly(who, mover, needed, scene[GROUND_SPEED], mods), then=lambda found: touches_down(mover, found, terrain)
    )


@rule("d6.plane.vtol/settles", "d6.plane.vtol")
async def settles(scene: Scene, mover: Mover) -> ControlResult:
    """It comes straight down, and stands."""
    await set_motion(mover, replace(motion_of(scene, mover).into(GROUND), speed=STOP))
    return ControlResult(IN_CONTROL, 0, STOP)


@rule(f"{LANDING}/touches", LANDING, GEAR)
async def touches_down(scene: Scene, mover: Craft, found: ControlResult, terrain: str) -> None:
    """It is on the ground; rough ground damages the landing gear, a failed landing more than that."""
    await set_motion(mover, replace(motion_of(scene, mover).into(GROUND), speed=found.speed))
    await tell("lands", mover=mover.name)
    if (damage := gear_damage(scene, terrain_difficulty(scene, terrain))) != Code():
        await damage_gear(mover, damage)
    if not found.in_control:
        await mishap(mover, found.result, distance_at(scene, mover, found.speed), True)


@formula(GEAR)
def gear_damage(scene: Scene, difficulty: int) -> Code:
    """What touching down on terrain of a difficulty does to the landing gear."""
    of = scene[LandingGear]
    return Code(*divmod(max(0, difficulty - of.above) * of.pips_per_point, of.pips_per_die))


@rule(f"{GEAR}/damage", GEAR, "d6.equipment.damage-roll")
async def damage_gear(scene: Scene, craft: Craft, damage: Code) -> str:
    """Body resists it, with what reinforced landing gear adds; scale does not count."""
    more = code_mods(scene[craft].landing_gear, "reinforced landing gear", GEAR)
    result = scene[THING_DAMAGE].at(await body_difference(scene[craft].body, damage, (), more)).name
    level = accumulated(scene, scene[craft].gear_damage, "" if result == NO_DAMAGE else result)
    if level != scene[craft].gear_damage:
        await alter(craft, Vehicle.on_gear, level)
    return result


# --- falling ----------------------------------------------------------------------------------------------------------


def check_stalled(scene: Scene, who: Person) -> None:
    """Only what has stalled is caught."""
    mover = mover_of(scene, who)
    if motion_of(scene, mover).stalled is None:
        refuse("it does not fall", what=mover.name, rule=STALLED, legal=("drive",))


@action(
    "recover", f"{STALLED}/recover", STALLED, bands=TESTED, turn=check_pilot, check=(check_outside_chase, check_stalled)
)
async def recover(scene: Scene, who: Person, mods: Mods = ()) -> TestResult:
    """Catch a plane that has stalled: without its maneuverability, and harder after each failure."""
    return await hand_over(recovery(who, mover_of(scene, who), mods))


@rule(f"{STALLED}/recovery", STALLED, bands=TESTED)
async def recovery(scene: Scene, who: Person, mover: Mover, mods: Mods = ()) -> TestResult:
    """The piloting roll that catches it."""
    of, failed = scene[Stall], motion_of(scene, mover).stalled or 0
    harder = (Mod(failed * of.per_failure, f"{failed} failed", STALLED, unit=DIFFICULTY),) if failed else ()
    needed, tags = difficulty_number(scene, of.difficulty), (ACTION, ANY_ROLL, PILOTING)
    return await hand_over(
        roll_against(who, piloting_skill(scene, mover, who), needed, (*harder, *mods), tags),
        then=lambda test: caught(mover, test.success),
    )


@rule(f"{STALLED}/caught", STALLED)
async def caught(scene: Scene, mover: Mover, success: bool) -> None:
    """It flies again; or it goes on falling, and the next attempt is harder."""
    now = motion_of(scene, mover)
    if success:
        await set_motion(mover, replace(now.stalling(None), speed=scene[Stall].regains))
        await tell("recovers", mover=mover.name)
    else:
        await set_motion(mover, now.stalling((now.stalled or 0) + 1))
        await tell("falls-on", mover=mover.name)


# --- from one environment into another --------------------------------------------------------------------------------


def environments(scene: Scene, who: Person) -> tuple[str, ...]:
    """Where else it can move; into the air and back on the ground a plane takes off, and lands."""
    mover = mover_of(scene, who)
    value, here, kind = scene[mover], medium_of(scene, mover), flight_kind(scene, mover)
    known = value.move if isinstance(value, Vehicle) else (value.creature.movement if value.creature else ON_FOOT)
    barred = (AIR, GROUND) if kind is not None and here in (AIR, GROUND) else ()
    return tuple(name for name in known if name != here and name not in barred)


@action("go-into", "d6.vehicle.move/into", "d6.vehicle.move", turn=check_pilot)
async def go_into(scene: Scene, who: Person, environment: Annotated[str, Pick(environments)]) -> None:
    """Go on in another environment, as far as there is a Move for it: from the land into the water, into space."""
    mover = mover_of(scene, who)
    await set_motion(mover, motion_of(scene, mover).into(environment))
