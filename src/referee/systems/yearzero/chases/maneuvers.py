"""Maneuvers: pursue or flee, hide, block, cut off, stand and shoot; and what passengers do meanwhile."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from referee.core import (
    Mod,
    Mods,
    Prompt,
    Refused,
    Scene,
    Who,
    alter,
    change,
    choose,
    figure,
    formula,
    frozen,
    offer,
    rule,
)
from referee.kits.chases import ESCAPED, QUARRY, Mover
from referee.systems.yearzero.ambush import unnoticed
from referee.systems.yearzero.attacks import attack
from referee.systems.yearzero.battle import BATTLE, Battle
from referee.systems.yearzero.chases.chase import (
    MOVEMENT,
    RANGES,
    SEPARATE,
    AChase,
    RangeChase,
    range_to,
    row_of,
    steps_to,
    target_of,
    vehicle_in,
)
from referee.systems.yearzero.chases.obstacles import (
    fail,
    maneuver_mods,
    passes,
    persuaded_mods,
    trying,
)
from referee.systems.yearzero.marksmanship import ShotSituation, check_range, check_ranged, fire, ranged_weapons
from referee.systems.yearzero.melee import EFFECTS as MELEE_EFFECTS
from referee.systems.yearzero.melee import armed, edged_or_blunt, pointed, strike_with
from referee.systems.yearzero.opposed import oppose_once
from referee.systems.yearzero.rolls import Attempt, roll_once
from referee.systems.yearzero.sheet import Person, Survivor, Target
from referee.systems.yearzero.vehicles.driving import driving
from referee.systems.yearzero.vehicles.ramming import ram_into
from referee.systems.yearzero.weapons import rate_of_fire_of

PURSUE: Final = "yearzero.chase.pursue-flee"
HIDE: Final = "yearzero.chase.hide"
BLOCK: Final = "yearzero.chase.block"
CUT_OFF: Final = "yearzero.chase.cut-off"
SHOOT: Final = "yearzero.chase.stand-and-shoot"
FIRING: Final = "yearzero.chase.firing"
STEPS: Final = figure(PURSUE, "steps_per_x", int)
BLOCK_STEPS: Final = figure(BLOCK, "range_steps", int)
CUT_TO: Final = figure(CUT_OFF, "success_range", str)
FALLS_TO: Final = figure(CUT_OFF, "failure_range", str)
OPEN_BONUS: Final = figure("yearzero.chase.runner-vs-vehicle", "open_environment_bonus", int)
CLOSE: Final = Prompt("arms-length")
WITH: Final = Prompt("strike-with")
HIDDEN: Final = Prompt("hidden")
AMBUSH_AT: Final = Prompt("ambush-at")
SHOT: Final = Prompt("chase-shot")
ALSO: Final = Prompt("passenger-shot")
HOLD, ATTACK, OVERTAKE = "hold", "attack", "overtake"
AWAY, AMBUSH = "away", "ambush"
FIGHT: Final = "fight"


# --- pursue and flee --------------------------------------------------------------------------------------------------


@formula("yearzero.chase.runner-vs-vehicle")
def open_ground(scene: Scene, me: AChase, who: Person, other: Mover) -> Mods:
    """Where speed tells, a vehicle has the better of whoever is on foot."""
    mine = vehicle_in(scene, scene[me].mover(who.name))
    tells = scene[me].open_ground and mine is not None and vehicle_in(scene, other) is None
    return (Mod(scene[OPEN_BONUS], "open ground", OPEN_BONUS.rule),) if tells else ()


@rule(PURSUE, "yearzero.chase.runner-vs-vehicle")
async def pursue_or_flee(scene: Scene, me: AChase, who: Person, way: str) -> None:
    """A step for each success: away, or nearer; whoever comes to Arm's Length may do more."""
    other, row = target_of(scene, me, who, way), row_of(scene, MOVEMENT)
    if other is None:
        return
    mods = (*maneuver_mods(scene, me, who, row, None), *open_ground(scene, me, who, other))
    vehicle = vehicle_in(scene, scene[me].mover(who.name))
    attempt = trying(scene, me, who, row.skill, row.specialty, mods)
    if vehicle is not None:
        attempt = driving(scene, who, vehicle, (), mods, fast=row.fast)
    rolled = await roll_once(who, replace(attempt, surplus=True))
    if not rolled.success:
        await fail(me, who, row.name)
        return
    steps, gap = rolled.successes * scene[STEPS], scene[me].gap(who.name, other.name)
    if gap < 0 or is_prey(scene, me, who):
        await alter(me, RangeChase.going, who.name, steps)
        return
    await alter(me, RangeChase.going, who.name, min(steps, gap))
    if steps >= gap:
        await close_in(me, who, other.name, gap, steps - gap)


def is_prey(scene: Scene, me: AChase, who: Person) -> bool:
    """Whether somebody flees; alone among others, whoever has nobody ahead."""
    chase = scene[me]
    if chase.played_as == SEPARATE:
        mine = chase.mover(who.name)
        return not any(each.at > mine.at for each in chase.running(scene)) and chase.role(who.name) == QUARRY
    return chase.role(who.name) == QUARRY


@rule(f"{PURSUE}/close")
async def close_in(scene: Scene, me: AChase, who: Person, other: str, gap: int, surplus: int) -> None:
    """At Arm's Length: attack, stay there, or with successes left overtake and be the one who flees."""
    target = scene[me].mover(other)
    ways = [HOLD, *([ATTACK] if strikes(scene, me, who, target) else []), *([OVERTAKE] if surplus else [])]
    way = await choose(who, CLOSE, tuple(ways), default=HOLD) if len(ways) > 1 else HOLD
    if way == ATTACK:
        await strike_in_passing(me, who, other, gap + 1 if surplus else min(gap, 1))
    elif way == OVERTAKE:
        await alter(me, RangeChase.overtaking, scene[me].mover(who.name).name, other, surplus)
        if surplus > steps_of(scene, scene[FALLS_TO]):
            await alter(me, RangeChase.ending, "overtaken")


def steps_of(scene: Scene, distance: str) -> int:
    """How many steps apart a range is."""
    return scene[RANGES].look(distance).up_to or 0


def strikes(scene: Scene, me: AChase, who: Person, other: Mover) -> tuple[str, ...]:
    """What somebody strikes with at Arm's Length: their vehicle, or a weapon in hand."""
    if vehicle_in(scene, scene[me].mover(who.name)) is not None:
        return ("ram",)
    return tuple(dict.fromkeys((*edged_or_blunt(scene, who), *pointed(scene, who))))


@rule(f"{PURSUE}/attack")
async def strike_in_passing(scene: Scene, me: AChase, who: Person, other: str, difference: int) -> None:
    """A ram, by a straight roll, or a blow with what is in hand."""
    target, vehicle = aimed_at(scene, scene[me].mover(other)), vehicle_in(scene, scene[me].mover(who.name))
    if vehicle is not None:
        await ram_into(who, target, difference, (), False)
        return
    weapon = await choose(who, WITH, strikes(scene, me, who, scene[me].mover(other)))
    swung = weapon in edged_or_blunt(scene, who)
    strike = strike_with(scene, who, "Slash" if swung else "Stab", weapon, "slash" if swung else "stab", "")
    tag = "slash" if swung else "stab"
    await attack(who, target, strike, armed(scene, who, weapon, (), tag), MELEE_EFFECTS.rule)


def aimed_at(scene: Scene, mover: Mover) -> Target:
    """What is struck of a mover: the vehicle, or whoever runs."""
    vehicle = vehicle_in(scene, mover)
    return Who(mover.driver, Survivor) if vehicle is None else vehicle


# --- hide, block, cut off ---------------------------------------------------------------------------------------------


@rule(HIDE)
async def hide(scene: Scene, me: AChase, who: Person, way: str) -> None:
    """Against the eyes of whoever follows; whoever wins is gone, or lies in wait."""
    other, row = target_of(scene, me, who, way), row_of(scene, way)
    if other is None:
        return
    mods = (*maneuver_mods(scene, me, who, row, other), *persuaded_mods(scene, me, row))
    watcher = Who(other.driver, Survivor)
    attempt = replace(trying(scene, me, who, row.skill, row.specialty, mods), against=watcher)
    rolled = await oppose_once(who, attempt, watcher, Attempt(row.opposed_by, against=who))
    if not rolled.success:
        await fail(me, who, row.name)
    elif await choose(who, HIDDEN, (AWAY, AMBUSH), default=AWAY) == AMBUSH:
        await lie_in_wait(me, who, other.name, rolled.successes)
    else:
        await lose(me, other.name)


@rule(f"{HIDE}/away")
async def lose(scene: Scene, me: AChase, name: str) -> None:
    """Somebody has lost whom they followed: for them the chase is over."""
    if scene[me].played_as == SEPARATE:
        await alter(me, RangeChase.losing, name)
    else:
        await alter(me, RangeChase.ending, ESCAPED)


@rule(f"{HIDE}/ambush", "yearzero.combat.ambush")
async def lie_in_wait(scene: Scene, me: AChase, who: Person, other: str, successes: int) -> None:
    """An ambush at a range of one's choice, which nobody sees coming; then there is a fight."""
    distance = await choose(who, AMBUSH_AT, tuple(band.name for band in scene[RANGES]))
    gap = steps_of(scene, distance)
    await alter(me, RangeChase.parted, other, scene[me].mover(who.name).name, gap)
    mover = scene[me].mover(other)
    for name in mover.people:
        await unnoticed(who, Who(name, Survivor), successes)
    found = shots(scene, me, who, (scene[me].mover(other),))
    if found:
        await shoot(me, who, await choose(who, SHOT, tuple(found)), ())
    elif not gap and strikes(scene, me, who, mover):
        await strike_in_passing(me, who, other, 0)
    await turn_to_fight(me)


@rule("yearzero.chase.end/fight", "yearzero.chase.end")
async def turn_to_fight(scene: Scene, me: AChase) -> None:
    """The chase is over, and a fight begins with initiative."""
    await alter(me, RangeChase.ending, FIGHT)
    sides = tuple(tuple(name for name in side if name not in scene[me].gone) for side in scene[me].sides)
    await change(BATTLE, Battle(sides))


@rule(BLOCK)
async def block(scene: Scene, me: AChase, who: Person, way: str) -> None:
    """Something is thrown in the way: a step further off, and whoever follows must first get past it."""
    other, row = target_of(scene, me, who, way), row_of(scene, way)
    mods = maneuver_mods(scene, me, who, row, other)
    rolled = await roll_once(who, replace(trying(scene, me, who, row.skill, row.specialty, mods), surplus=False))
    if not rolled.success or other is None:
        await fail(me, who, row.name)
        return
    await alter(me, RangeChase.going, who.name, scene[BLOCK_STEPS])
    await alter(me, RangeChase.blocking, other.name)


@rule(f"{BLOCK}/past")
async def gets_past(scene: Scene, me: AChase, who: Person) -> bool:
    """Whoever was blocked rolls before their maneuver, or has none."""
    if scene[me].mover(who.name).name not in scene[me].blocked:
        return True
    return await passes(me, who, row_of(scene, "Block").skill)


@rule(CUT_OFF)
async def cut_off(scene: Scene, me: AChase, who: Person, way: str) -> None:
    """A shortcut against whoever flees: at once at Arm's Length, or far behind."""
    other, row = target_of(scene, me, who, way), row_of(scene, way)
    if other is None:
        return
    before = steps_to(scene, me, who, other)
    prey = Who(other.driver, Survivor)
    attempt = trying(scene, me, who, row.skill, row.specialty, maneuver_mods(scene, me, who, row, other))
    rolled = await oppose_once(who, replace(attempt, against=prey), prey, trying(scene, me, prey, row.skill))
    if rolled.success:
        await alter(me, RangeChase.parted, scene[me].mover(who.name).name, other.name, steps_of(scene, scene[CUT_TO]))
        await close_in(me, who, other.name, min(before, 1), 0)
        return
    await fail(me, who, row.name)
    far = steps_of(scene, scene[FALLS_TO])
    if before >= far:
        await lose(me, scene[me].mover(who.name).name)
    else:
        await alter(me, RangeChase.parted, scene[me].mover(who.name).name, other.name, far)


# --- shots ------------------------------------------------------------------------------------------------------------


@frozen
class ChaseShot:
    """A shot somebody in a chase may take: at what, with what, how rapidly, from how far."""

    target: Target
    weapon: str
    ammo: int
    distance: str


def shots(scene: Scene, me: AChase, who: Person, others: tuple[Mover, ...] = ()) -> dict[str, ChaseShot]:
    """Every shot somebody may take, in words: at the vehicles of the others, and at whoever is seen."""
    role = scene[me].role(who.name)
    foes = others or tuple(each for each in scene[me].running(scene) if scene[me].role(each.name) != role)
    found: dict[str, ChaseShot] = {}
    for shot in possible_shots(scene, me, who, foes):
        rapid = f", {shot.ammo} ammo dice" if shot.ammo else ""
        found[f"{shot.target} with the {shot.weapon}{rapid}"] = shot
    return found


def possible_shots(scene: Scene, me: AChase, who: Person, foes: tuple[Mover, ...]) -> Iterator[ChaseShot]:
    for weapon in ranged_weapons(scene, who):
        for mover in foes:
            band = range_to(scene, me, who, mover)
            for target in targets_of(scene, mover) if band is not None else ():
                if band is not None and is_in_range(scene, who, target, weapon, band.name):
                    most = min(rate_of_fire_of(scene, scene[who].thing(weapon)), scene[who].thing(weapon).loaded)
                    yield ChaseShot(target, weapon, 0, band.name)
                    if most > 1:
                        yield ChaseShot(target, weapon, most, band.name)


def targets_of(scene: Scene, mover: Mover) -> tuple[Target, ...]:
    """A vehicle, and everybody who is seen in it."""
    vehicle = vehicle_in(scene, mover)
    people = tuple(Who(name, Survivor) for name in mover.people)
    seen = tuple(each for each in people if each in scene)
    return seen if vehicle is None else (vehicle, *seen)


def is_in_range(scene: Scene, who: Person, target: Target, weapon: str, distance: str) -> bool:
    """Whether a weapon in hand is ready and reaches so far."""
    try:
        check_ranged(scene, who, weapon)
        check_range(scene, who, distance, target, weapon)
    except Refused:
        return False
    return True


@rule(SHOOT)
async def stand_and_shoot(scene: Scene, me: AChase, who: Person, way: str) -> None:
    """One attack from afar at the range there is; whoever shoots does not move on."""
    found = shots(scene, me, who)
    if found:
        picked = await choose(who, SHOT, tuple(found))
        other = target_of(scene, me, who, way)
        await shoot(me, who, picked, maneuver_mods(scene, me, who, row_of(scene, way), other))


@rule(f"{SHOOT}/fire")
async def shoot(scene: Scene, me: AChase, who: Person, picked: str, mods: Mods) -> None:
    """A shot as in any fight."""
    shot = shots(scene, me, who)[picked]
    blow = await fire(who, shot.target, shot.weapon, shot.ammo, ShotSituation(shot.distance), mods=mods)
    if not blow.hit:
        await fail(me, who, row_of(scene, "Stand and Shoot").name)


@rule(FIRING)
async def passengers_fire(scene: Scene, me: AChase, name: str) -> None:
    """Right after the maneuver everybody who did not steer may shoot."""
    chase = scene[me]
    mover = chase.mover(name)
    side = (mover,) if chase.played_as == SEPARATE else chase.of_side(mover)
    planned = {plan.who for plan in chase.plans}
    for person in (who for each in side for who in each.people if who not in planned):
        who = Who(person, Survivor)
        found = tuple(shots(scene, me, who)) if chase.is_able(scene, person) else ()
        if found and (picked := await offer(who, ALSO, found)) is not None:
            await shoot(me, who, picked, ())
