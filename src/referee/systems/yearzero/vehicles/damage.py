"""Damage to vehicles: armor, Reliability, wrecks, and what comes through to the people inside."""

from __future__ import annotations

from typing import Final

from referee.core import Pool, Scene, SymbolCounts, alter, figure, formula, roll, rule, settled, tell
from referee.core.rules import rule_named
from referee.kits.year_zero import ONE, SIX
from referee.systems.yearzero.attacks import AfterBlow, ThroughArmor, come_through
from referee.systems.yearzero.covers import ABLATION, ARMOR, Protection, dice_of_layer
from referee.systems.yearzero.defence import DeclaredAttack, Reaction
from referee.systems.yearzero.harm import is_helpless
from referee.systems.yearzero.panic import suppression_test
from referee.systems.yearzero.rapid_fire import base_die
from referee.systems.yearzero.rolls import NO_ACTION, Attempt, roll_skill
from referee.systems.yearzero.sheet import Person
from referee.systems.yearzero.vehicles.vehicle import (
    CRITICAL_ROWS,
    AVehicle,
    RatedVehicle,
    aboard,
    driver_of,
    kind_of_vehicle,
    model_of,
    reliability_of,
    vehicle_armor,
)

DAMAGE: Final = "yearzero.vehicles.damage"
WRECKED: Final = "yearzero.vehicles.wrecked"
VEHICLE_ARMOR: Final = "yearzero.vehicles.armor"
PER_X: Final = figure(VEHICLE_ARMOR, "damage_removed_per_x", int)
BRACE: Final = figure(WRECKED, "brace", str)
CRASH_PER_ZONE: Final = figure("yearzero.vehicles.aerial", "crash_damage_per_zone", int)
RAM: Final = "Ram"
"""A ram among the kinds of attack."""
COLLISION: Final = "Collision"
"""Something in the way."""


@rule(f"{DAMAGE}/defend")
async def stand_open(
    scene: Scene, target: AVehicle, strike: DeclaredAttack, by: Person
) -> tuple[AVehicle, Reaction | None]:
    """Against blows and shots a vehicle has its armor; only a ram is met with a roll."""
    return target, None


@rule(f"{DAMAGE}/shaken")
async def unshaken(scene: Scene, vehicle: AVehicle) -> bool:
    """Fire that does not pierce it shakes nobody inside."""
    return True


@rule(DAMAGE, VEHICLE_ARMOR)
async def strike_vehicle(
    scene: Scene, target: AVehicle, strike: DeclaredAttack, damage: int, after: AfterBlow, pierced: int = 0
) -> ThroughArmor:
    """Its armor stops some; what comes through is off its Reliability, and the rest follows from that."""
    through = await through_armor(target, strike, damage, pierced)
    if not through:
        return ThroughArmor()
    hit = ThroughArmor(through, broken=0 < reliability_of(scene, target) <= through)
    return await settled(hit, then=damaged(target, through, strike, after))


@rule(VEHICLE_ARMOR)
async def through_armor(scene: Scene, vehicle: AVehicle, strike: DeclaredAttack, damage: int, pierced: int = 0) -> int:
    """Base dice by its armor; each success stops a point, and if anything comes through banes wear the armor."""
    layer = Protection(vehicle.name, vehicle_armor(scene, vehicle), model_of(scene, vehicle).heavy_armor)
    dice = layer.dice if strike.kind == RAM or not layer.dice else dice_of_layer(scene, layer, strike)
    if dice is None or damage <= 0:
        return 0
    if not dice:
        return damage
    seen = await roll(ARMOR, driver_of(scene, vehicle), Pool.of((base_die(scene), dice)), SymbolCounts)
    left = max(0, damage - seen.count(SIX) * scene[PER_X])
    worn = seen.count(ONE) * scene[ABLATION] + pierced if left else 0
    if worn:
        await alter(vehicle, RatedVehicle.without_armor, worn, rule=ABLATION.rule)
    return left


@rule(f"{DAMAGE}/through", WRECKED)
async def damaged(scene: Scene, vehicle: AVehicle, points: int, strike: DeclaredAttack, after: AfterBlow) -> None:
    """Reliability is lost; at 0 it is Wrecked, and what is beyond hits whoever is inside; bad hits are critical."""
    inside, left = aboard(scene, vehicle), reliability_of(scene, vehicle)
    await alter(vehicle, RatedVehicle.losing, min(points, left))
    wrecks = left > 0 and not reliability_of(scene, vehicle)
    row = await rule_named("yearzero.vehicles.critical-damage/roll")(vehicle, wrecks, strike, after.successes)
    if wrecks:
        await tell("wrecked", vehicle=vehicle.name, rule=WRECKED)
    await hurt_inside(vehicle, points - min(points, left), wrecks and not falls(scene, row))
    hit = None
    if row:
        hit = await rule_named("yearzero.vehicles.critical-table")(vehicle, row, points, strike, after.by)
    await hurt_inside(vehicle, 0, wrecks)
    for who in inside if is_attack(strike) else ():
        if who != hit or not strike.firearm:
            await suppression_test(who)


def is_attack(strike: DeclaredAttack) -> bool:
    """Whether it is a blow or a shot that pierces a vehicle, and no ram, fire or thing in the way."""
    return strike.kind not in (RAM, COLLISION) and not strike.blast


def falls(scene: Scene, row: str) -> bool:
    """Whether a row of the table may crash the vehicle by itself, which takes the place of any other crash."""
    return bool(row) and scene[CRITICAL_ROWS].look(row).fall_die > 0


@rule(f"{WRECKED}/inside", "yearzero.vehicles.aerial")
async def hurt_inside(scene: Scene, vehicle: AVehicle, surplus: int, crashes: bool) -> None:
    """Points beyond Reliability hit everybody inside, and so does the crash of what flies; one may brace for both."""
    damage = surplus + (crash_damage(scene, vehicle) if crashes else 0)
    if crashes and scene[vehicle].altitude:
        await alter(vehicle, RatedVehicle.at, 0)
    for who in aboard(scene, vehicle) if damage else ():
        await jolt(who, damage)


@formula("yearzero.vehicles.aerial/crash")
def crash_damage(scene: Scene, vehicle: AVehicle) -> int:
    """What the crash of an aircraft does to everybody inside: so much for each zone above the ground."""
    flies = kind_of_vehicle(scene, vehicle).flies
    return scene[vehicle].altitude * scene[CRASH_PER_ZONE] if flies else 0


@rule(f"{WRECKED}/jolt")
async def jolt(scene: Scene, who: Person, damage: int) -> int:
    """Blunt damage, less what bracing takes away; armor that is worn counts, and the vehicle's does not."""
    damage = max(0, damage - await braced(who))
    if not damage:
        return 0
    blow = DeclaredAttack("Shoot", damage, "blunt", base=damage)
    return (await come_through(who, blow, damage, AfterBlow())).damage


@rule(f"{WRECKED}/brace")
async def braced(scene: Scene, who: Person) -> int:
    """The successes of a Move roll, which is no action; whoever is helpless makes none."""
    if is_helpless(scene, who):
        return 0
    return (await roll_skill(who, Attempt(scene[BRACE], tags=("fall", NO_ACTION)))).successes


@rule(f"{WRECKED}/breakdown")
async def break_down(scene: Scene, vehicle: AVehicle) -> None:
    """Pushed until nothing is left of it: it takes critical damage, and nobody is hit for the points beyond."""
    await tell("wrecked", vehicle=vehicle.name, rule=WRECKED)
    row = await rule_named("yearzero.vehicles.critical-damage/roll")(vehicle, True, None, 0)
    await hurt_inside(vehicle, 0, not falls(scene, row))
    if row:
        await rule_named("yearzero.vehicles.critical-table")(vehicle, row, 0, None, None)
    await hurt_inside(vehicle, 0, True)
