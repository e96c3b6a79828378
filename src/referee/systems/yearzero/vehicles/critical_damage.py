"""Critical damage to vehicles: which die, which row, and what the row does."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Annotated, Final

from referee.core import (
    Pick,
    Pool,
    Prompt,
    Scene,
    SymbolCounts,
    Total,
    action,
    alter,
    change,
    figures,
    formula,
    number_die,
    refuse,
    roll,
    rule,
    rule_on,
    tell,
)
from referee.core.clock import Due, due
from referee.core.effects import Effect, lay
from referee.core.rules import rule_named
from referee.kits.year_zero import SIX
from referee.systems.yearzero.attacks import AfterBlow, come_through
from referee.systems.yearzero.battle import BATTLE
from referee.systems.yearzero.boosts import lower_of_two
from referee.systems.yearzero.covers import ARMOR
from referee.systems.yearzero.defence import DeclaredAttack
from referee.systems.yearzero.explosions import STEPS, blast_damage, blast_strike, explode
from referee.systems.yearzero.gear import rating
from referee.systems.yearzero.ground import has_map, where
from referee.systems.yearzero.rapid_fire import base_die
from referee.systems.yearzero.sheet import Person, Target, people
from referee.systems.yearzero.vehicles.damage import RAM, jolt
from referee.systems.yearzero.vehicles.driving import keeps_control
from referee.systems.yearzero.vehicles.vehicle import (
    CRITICAL_ROWS,
    CRITICALS,
    DRIVER,
    MOUNTED,
    AVehicle,
    RatedVehicle,
    VehicleCriticalRow,
    aboard,
    driver_of,
    reliability_of,
    vehicle_armor,
    vehicle_of,
    vehicles,
)

CRITICAL_DAMAGE: Final = "yearzero.vehicles.critical-damage"
CRITICAL: Final = Prompt("critical")
WHO_IS_HIT: Final = Prompt("who-is-hit")
FALL: Final = Prompt("fall")
RICOCHET: Final = Prompt("ricochet")
NOBODY: Final = "nobody"


@figures(CRITICAL_DAMAGE)
class VehicleCritical:
    """The die of critical damage to a vehicle: at no Reliability, by successes, in close combat."""

    zero_reliability: int
    two: int
    three: int
    four: int
    melee: int


@formula(f"{CRITICAL_DAMAGE}/die")
def critical_die(scene: Scene, successes: int, broken: bool, melee: bool) -> int:
    """The sides of the die; the larger if there are two reasons, and 0 without any."""
    dice = scene[VehicleCritical]
    by_x = {2: dice.two, 3: dice.three}.get(successes, dice.four if successes > 3 else 0)
    return max(dice.zero_reliability if broken else 0, dice.melee if melee else by_x)


@rule(CRITICAL_DAMAGE)
async def vehicle_critical(
    scene: Scene, who: Person | None, successes: int = 0, broken: bool = False, melee: bool = False
) -> int:
    """The die of critical damage to somebody's vehicle; whoever guards its wheels may roll again."""
    if not (sides := critical_die(scene, successes, broken, melee)):
        refuse("nothing critical has happened", rule=CRITICAL_DAMAGE)
    thrown = (await roll(CRITICAL, who, Pool.of((number_die(sides), 1)), Total)).total
    return thrown if who is None else await lower_of_two(who, thrown, sides, "vehicle")


@rule(f"{CRITICAL_DAMAGE}/roll", CRITICALS)
async def critical_row(
    scene: Scene, vehicle: AVehicle, broken: bool, strike: DeclaredAttack | None, successes: int
) -> str:
    """The row that is rolled, if anything critical has happened; what cannot be is rolled again."""
    melee = strike is not None and not strike.ranged and strike.kind != RAM
    if not critical_die(scene, successes, broken, melee):
        return ""
    row = scene[CRITICAL_ROWS].at(await vehicle_critical(driver_of(scene, vehicle), successes, broken, melee))
    while not is_possible(scene, vehicle, row):
        row = scene[CRITICAL_ROWS].at(await vehicle_critical(driver_of(scene, vehicle), successes, broken, melee))
    return row.name


def is_possible(scene: Scene, vehicle: AVehicle, row: VehicleCriticalRow) -> bool:
    """A passenger is hit only where there is one, a weapon where one is mounted."""
    if row.needs == "passenger":
        return bool(passengers(scene, vehicle))
    return row.needs != "weapon" or bool(weapons_on(scene, vehicle))


def passengers(scene: Scene, vehicle: AVehicle) -> tuple[Person, ...]:
    """Everybody inside but whoever drives."""
    return tuple(each for each in aboard(scene, vehicle) if scene[vehicle].role_of(each.name) != DRIVER)


def weapons_on(scene: Scene, vehicle: AVehicle) -> tuple[tuple[Target, str], ...]:
    """The mounted weapons, and who has each: the vehicle, or somebody who is at it."""
    free = ((vehicle, item.name) for item in scene[vehicle].things if item.place == MOUNTED)
    manned = ((each, item.name) for each in aboard(scene, vehicle) for item in scene[each].things if item.mount)
    return (*free, *manned)


# --- what a row does --------------------------------------------------------------------------------------------------


@rule(CRITICALS)
async def suffer_critical(
    scene: Scene, vehicle: AVehicle, name: str, points: int, strike: DeclaredAttack | None, by: Person | None
) -> Person | None:
    """What critical damage does at once, and what stays broken; who of those inside it has hit."""
    hit, row = None, scene[CRITICAL_ROWS][name]
    await tell("vehicle-critical", vehicle=vehicle.name, name=row.name, says=row.says, rule=CRITICALS)
    if row.lasts:
        await alter(vehicle, RatedVehicle.with_fault, row.name)
    if strike is not None and row.ricochets:
        await ricochet(vehicle, points, strike, by)
    if strike is not None and row.hits:
        hit = await hit_inside(vehicle, row.hits, points, strike, by)
    if row.control:
        await lose_control(vehicle, row.name)
    if row.crashes:
        await crash(vehicle, row.fall_die)
    if row.fire:
        await burn(vehicle, row.fire)
    if row.disables_weapon:
        await disable_weapon(vehicle)
    if row.destroyed:
        await explode_with(vehicle, row.blast)
    return hit


@rule(f"{CRITICALS}/one-of")
async def one_of(scene: Scene, vehicle: AVehicle, number: int) -> int:
    """One of several at random, counted from 0."""
    if number == 1:
        return 0
    return (await roll(WHO_IS_HIT, driver_of(scene, vehicle), Pool.of((number_die(number), 1)), Total)).total - 1


def bystanders(scene: Scene, vehicle: AVehicle) -> tuple[Target, ...]:
    """Whoever and whatever else there is in the same zone; without a map, whoever may be."""
    inside = aboard(scene, vehicle)
    afoot = (each for each in people(scene) if each not in inside and vehicle_of(scene, each) is None)
    found: tuple[Target, ...] = (*afoot, *(each for each in vehicles(scene) if each != vehicle))
    if not has_map(scene):
        return found
    return tuple(each for each in found if where(scene, each) == where(scene, vehicle))


@rule(f"{CRITICALS}/ricochet")
async def ricochet(scene: Scene, vehicle: AVehicle, points: int, strike: DeclaredAttack, by: Person | None) -> None:
    """Another target in the same zone, at random, takes the same damage; without a map the game master says whether."""
    near = tuple(each for each in bystanders(scene, vehicle) if each != by)
    if not has_map(scene):
        said = await rule_on(RICOCHET, NOBODY, options=(NOBODY, *(each.name for each in near)))
        near = tuple(each for each in near if each.name == said)
    if near:
        hit = near[await one_of(vehicle, len(near))]
        await come_through(hit, replace(strike, part=""), points, AfterBlow(by))


@rule(f"{CRITICALS}/inside")
async def hit_inside(
    scene: Scene, vehicle: AVehicle, whom: str, points: int, strike: DeclaredAttack, by: Person | None
) -> Person | None:
    """Whoever drives, or somebody else inside at random, is hit past the vehicle, with a critical injury."""
    driver = driver_of(scene, vehicle)
    found = passengers(scene, vehicle) if whom == "passenger" else () if driver is None else (driver,)
    if not found:
        return None
    who = found[await one_of(vehicle, len(found))]
    await come_through(who, replace(strike, part="", flanking=True), points, AfterBlow(by, critical=True))
    return who


@rule(f"{CRITICALS}/control")
async def lose_control(scene: Scene, vehicle: AVehicle, name: str) -> None:
    """Whoever drives rolls at once; without control the next turn is lost, or the vehicle crashes."""
    row, who = scene[CRITICAL_ROWS].look(name), driver_of(scene, vehicle)
    if who is not None and await keeps_control(who, vehicle):
        return
    if row.control == "crash":
        await crash(vehicle, row.fall_die)
    elif who is not None:
        await lose_turn(who, row.name)


LOST_TURN: Final = "maneuver"
"""What somebody in a chase may not do who loses a turn."""
CHASE_ROUND: Final = "chase round"


@rule(f"{CRITICALS}/skid")
async def lose_turn(scene: Scene, who: Person, source: str) -> None:
    """The next turn is lost: no move, no action, no maneuver."""
    if BATTLE in scene:
        for kind in ("slow action", "fast action"):
            lost = {"forbids": kind, "until": f"turn of {who}", "times_until": 2}
            await lay(who, Effect.from_plain(lost), source=source)
    else:
        await lay(who, Effect.from_plain({"forbids": LOST_TURN, "until": CHASE_ROUND, "times_until": 2}), source=source)


@rule(f"{CRITICALS}/crash", "yearzero.vehicles.wrecked")
async def crash(scene: Scene, vehicle: AVehicle, sides: int) -> None:
    """It is Wrecked; everyone inside falls, which its armor and a Move roll soften."""
    thrown = (await roll(FALL, driver_of(scene, vehicle), Pool.of((number_die(sides), 1)), Total)).total
    damage = thrown + scene[vehicle].altitude - await softened(vehicle)
    await alter(vehicle, RatedVehicle.losing, reliability_of(scene, vehicle))
    await alter(vehicle, RatedVehicle.at, 0)
    for who in aboard(scene, vehicle) if damage > 0 else ():
        await jolt(who, damage)


@rule(f"{CRITICALS}/armor")
async def softened(scene: Scene, vehicle: AVehicle) -> int:
    """The successes of a roll of its armor."""
    dice = vehicle_armor(scene, vehicle)
    if not dice:
        return 0
    seen = await roll(ARMOR, driver_of(scene, vehicle), Pool.of((base_die(scene), dice)), SymbolCounts)
    return seen.count(SIX)


@rule(f"{CRITICALS}/weapon")
async def disable_weapon(scene: Scene, vehicle: AVehicle) -> None:
    """A mounted weapon at random works no more."""
    found = weapons_on(scene, vehicle)
    holder, name = found[await one_of(vehicle, len(found))]
    item = next(each for each in scene[holder].things if each.name == name)
    broken = item.worn(rating(scene, item), rating(scene, item))
    await change(holder, scene[holder].with_thing(broken))


@rule(f"{CRITICALS}/explosion")
async def explode_with(scene: Scene, vehicle: AVehicle, blast: str) -> None:
    """Nothing is left of it, and everyone inside is in the middle of a blast."""
    inside = aboard(scene, vehicle)
    await alter(vehicle, RatedVehicle.losing, reliability_of(scene, vehicle))
    for who in inside:
        await rule_named("yearzero.vehicles.boarding/out")(who)
    await explode(blast, inside, tuple(0 for _ in inside))


# --- fire, and engines that fail in the air ---------------------------------------------------------------------------


@rule(f"{CRITICALS}/fire")
async def burn(scene: Scene, vehicle: AVehicle, power: str) -> None:
    """A fire burns the vehicle and everyone inside, as a blast of its power does."""
    step = scene[STEPS][power]
    exposed: tuple[Target, ...] = (vehicle, *aboard(scene, vehicle))
    for target in exposed:
        if damage := await blast_damage(target, step, 0):
            await come_through(target, blast_strike(step, True), damage, AfterBlow())


@rule(f"{CRITICALS}/burning")
async def burn_on(scene: Scene, vehicle: AVehicle) -> None:
    """It burns in every round until somebody puts it out."""
    for name in scene[vehicle].faults:
        if fire := scene[CRITICAL_ROWS].look(name).fire:
            await burn(vehicle, fire)


@rule(f"{CRITICALS}/sink")
async def sink(scene: Scene, vehicle: AVehicle) -> None:
    """Without an engine what flies comes down under control, zone by zone."""
    zones = max(scene[CRITICAL_ROWS].look(name).sinks for name in scene[vehicle].faults)
    await alter(vehicle, RatedVehicle.at, scene[vehicle].altitude - zones)


@due(RatedVehicle, burn_on, sink)
def burning_or_sinking(scene: Scene, vehicle: AVehicle) -> Iterator[Due]:
    """What burns does so in every round, as long as anything or anybody is left to burn; what has no engine sinks."""
    found = tuple(scene[CRITICAL_ROWS].look(name) for name in scene[vehicle].faults)
    if any(row.fire for row in found) and (reliability_of(scene, vehicle) or scene[vehicle].riders):
        yield Due(burn_on)
    if any(row.sinks for row in found) and scene[vehicle].altitude:
        yield Due(sink)


def on_fire(scene: Scene, who: object = None) -> tuple[AVehicle, ...]:
    return tuple(
        each for each in vehicles(scene) if any(scene[CRITICAL_ROWS].look(name).fire for name in scene[each].faults)
    )


@action("put-out-vehicle", f"{CRITICALS}/put-out", master=True)
async def put_out(scene: Scene, vehicle: Annotated[AVehicle, Pick(on_fire)]) -> None:
    """The fire of a vehicle is put out."""
    for name in scene[vehicle].faults:
        if scene[CRITICAL_ROWS].look(name).fire:
            await alter(vehicle, RatedVehicle.without_fault, name)
