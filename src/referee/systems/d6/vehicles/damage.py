"""Damage to vehicles: against Body; what it does to the whole, to systems and people aboard; what comes of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from enum import Enum
from itertools import product
from typing import Annotated, Final, TypeAlias

from referee.core import (
    CLOCK,
    Bands,
    Clock,
    Mod,
    Mods,
    Pick,
    Pool,
    Prompt,
    Scene,
    Total,
    action,
    alter,
    figure,
    frozen,
    hand_over,
    number_die,
    option,
    refuse,
    roll,
    rows,
    rule,
    rule_on,
    suggest,
    tell,
)
from referee.core.clock import Due, due
from referee.core.composed import KernelCalls, WeightedEnds, after_all, joined
from referee.core.effects import EFFECTS, NONE, moment
from referee.core.modifiers import Itemised
from referee.core.rules import Decide, Ends, kernel
from referee.kits.dice_codes import Code, Rolled, differences, grouped
from referee.systems.d6.codes import SIDES, code_mods
from referee.systems.d6.combat.surroundings import scale_mods
from referee.systems.d6.damage import DamageCode, damage_difference, damage_roll, inflict, suffer
from referee.systems.d6.health import counts_rounds
from referee.systems.d6.rolls import ROUND_END, modified_code, throw
from referee.systems.d6.sheet import Person
from referee.systems.d6.vehicles.systems import (
    CALLED,
    DAMAGES,
    DEVIATES,
    EFFECTS_OF,
    LEGEND,
    SYSTEM_DICE,
    SYSTEM_ROWS,
    SYSTEMS,
    TABLE,
    WEAPON,
    after_called_shot,
    after_hit,
    are_frozen,
    system_at,
    system_effect,
    systems_to_aim_at,
)
from referee.systems.d6.vehicles.vehicle import Craft, SystemDamage, Vehicle, people_aboard, vehicles
from referee.systems.d6.wounds import DEAD

SEVERE: Final = "d6.vehicle-damage.severe"
PASSENGERS: Final = "d6.vehicle-damage.passengers"
ACCUMULATION: Final = "d6.vehicle-damage.accumulation"
BODY: Final = Prompt("body")
SYSTEM: Final = Prompt("system-hit")
WHICH_WEAPON: Final = Prompt("which-weapon")
BREAKING_UP: Final = Prompt("breaking-up")
DESTROYED: Final = "Destroyed"
UNHARMED: Final = "none"
MINOR_DAMAGE: Final = "nothing serious yet"
WHOLE_BODY: Final = "the whole body"
"""What armor must cover to protect somebody aboard: no zone of the body has this name."""


@frozen
class HarmAboard:
    """What damage to a vehicle does to everybody aboard."""

    name: str
    damage: Code


class AreaHarm(Enum):
    """What people in an area that is hit suffer."""

    WOUNDED = "wounded"
    ROLLED = "rolled"


HARMS_ABOARD: Final = rows(PASSENGERS, "harm", HarmAboard)
STRAPPED: Final = figure(PASSENGERS, "strapped_dice", int)
SEVERE_DICE: Final = figure(SEVERE, "dice", int)
AREA_HARM: Final = option(LEGEND, AreaHarm)


@frozen
class VehicleHarm:
    """What damage did: by how much it was more than Body, what that means, which system it hit, how that is now."""

    difference: int
    result: str
    system: str = ""
    level: str = ""


VEHICLE_HARMED: Final[Bands[VehicleHarm]] = Bands(
    of=lambda harm: harm.result.casefold().replace(" ", "-"),
    keys=("none", "deviates", "lightly-damaged", "seriously-damaged", "severely-damaged", "destroyed"),
)


# --- damage against Body ----------------------------------------------------------------------------------------------


@rule(f"{TABLE}/difference", TABLE)
async def body_difference(
    scene: Scene,
    body: Code,
    damage: Code,
    mods: Mods = (),
    body_mods: Mods = (),
    by: Person | None = None,
    own: Code = Code(),  # noqa: B008  # a frozen value
) -> int:
    """The damage roll less the Body roll."""
    dealt = await damage_roll(by, damage, mods, own)
    return dealt.total - (await body_roll(body, body_mods)).total


@rule(f"{TABLE}/body", TABLE)
async def body_roll(scene: Scene, body: Code, mods: Mods = ()) -> Rolled:
    """Body, with what a difference in scale adds to it; nobody betters it."""
    shown = (*code_mods(body, "Body", TABLE), *mods)
    code, plus = modified_code(scene, Code(), shown)
    return await hand_over(throw(None, code, plus, Itemised(shown), prompt=BODY))


@kernel(body_difference)
def body_differences(
    scene: Scene,
    decide: Decide,
    body: Code,
    damage: Code,
    mods: Mods = (),
    body_mods: Mods = (),
    by: Person | None = None,
    own: Code = Code(),  # noqa: B008  # a frozen value
) -> Ends[int]:
    """Every difference, with whatever whoever deals the damage spends on it."""
    found, calls = WeightedEnds[int](), KernelCalls.of(decide)
    for changes, whole, rolls in calls.groups(damage_roll(by, damage, mods, own), scene):
        for more, of, against in calls.groups(body_roll(body, body_mods), after_all(scene, changes)):
            mine, theirs = (grouped(each, lambda rolled: ("", rolled.total)) for each in (rolls, against))
            found.add_all(differences(mine, theirs, lambda *read: read[2]), joined(changes, more), 1, whole * of)
    return found.ends()


@rule(f"{TABLE}/damage", TABLE)
async def damage_vehicle(
    scene: Scene,
    craft: Craft,
    damage: Code,
    mods: Mods = (),
    scale: int | None = None,
    system: str = "",
    by: Person | None = None,
) -> VehicleHarm:
    """Damage against Body; `scale` is that of what deals it, or the vehicle's own where scale does not count."""
    own = scene[craft].scale
    dealt = (*mods, *scale_mods(scene, "damage", scale, own)) if scale is not None else mods
    resisted = scale_mods(scene, "body", own, scale) if scale is not None else ()
    difference = await body_difference(scene[craft].body, damage, dealt, resisted, by)
    return await hand_over(suffer_hit(craft, difference, system))


# --- what it does -----------------------------------------------------------------------------------------------------


@rule(TABLE, ACCUMULATION, CALLED)
async def suffer_hit(scene: Scene, craft: Craft, difference: int, system: str = "") -> VehicleHarm:
    """What a difference of damage and Body does."""
    result = scene[DAMAGES].at(difference).name
    hit = await take_hit(craft, result, system)
    return VehicleHarm(difference, result, hit.system, hit.level) if hit else VehicleHarm(difference, result)


@rule(f"{TABLE}/result", TABLE)
async def take_hit(scene: Scene, craft: Craft, result: str, system: str = "") -> SystemDamage | None:
    """A row of the table comes over a vehicle: it deviates, a system is damaged, or all of it; people are hurt."""
    row, hit = scene[DAMAGES].look(result), None
    if row.name == UNHARMED:
        return None
    await tell("craft-hit", craft=craft.name, result=row.name.casefold())
    if row.name == DEVIATES:
        await deviate(craft)
        hit = await hit_system(craft, system or await random_system(craft), minor=True)
    elif system:
        hit = await called_shot_lands(craft, row.name, system)
    elif row.hits_system:
        hit = await hit_system(craft, await random_system(craft))
    else:
        await damage_whole(craft, row.name)
    if row.aboard:
        await hurt_aboard(craft, row.aboard)
    return hit


def controls_freeze(scene: Scene, craft: Craft) -> bool:
    of = scene[craft]
    return are_frozen(scene, of.body.dice, of.deviates, of.frozen_controls)


@rule(f"{ACCUMULATION}/deviate", ACCUMULATION, TABLE)
async def deviate(scene: Scene, craft: Craft) -> None:
    """It hinders the pilot in this round and the next; too many of them freeze the controls."""
    await alter(craft, Vehicle.deviating)
    await alter(craft, Vehicle.freezing, controls_freeze(scene, craft))


@rule(f"{SYSTEMS}/random", SYSTEMS)
async def random_system(scene: Scene, craft: Craft) -> str:
    """Two dice say which system is hit; what the vehicle does not have is rolled again."""
    pool = Pool.of((number_die(scene[SIDES]), scene[SYSTEM_DICE]))
    found = system_at(scene, craft, (await roll(SYSTEM, None, pool, Total)).total)
    return found or await hand_over(random_system(craft))


@kernel(random_system)
def random_systems(scene: Scene, decide: Decide, craft: Craft) -> Ends[str]:
    """Each system the vehicle has, as often as two dice show it: rolling again changes nothing between them."""
    faces = range(1, scene[SIDES] + 1)
    shown = Counter(sum(each) for each in product(faces, repeat=scene[SYSTEM_DICE]))
    found = Counter[str]()
    for total, ways in shown.items():
        found[system_at(scene, craft, total)] += ways
    return [(name, (), ways) for name, ways in found.items() if name]


@rule(f"{ACCUMULATION}/system", ACCUMULATION, LEGEND)
async def hit_system(scene: Scene, craft: Craft, system: str, minor: bool = False) -> SystemDamage:
    """A system is damaged once more; what is wiped out takes the vehicle with it."""
    weapon = await weapon_hit(craft) if system == WEAPON else ""
    before = scene[craft].system(system, weapon)
    if before is not None and not minor and (wiped := worse(scene, before)):
        await damage_whole(craft, wiped)
        return before
    return await hand_over(system_now(craft, system, weapon, after_hit(scene, before.level if before else "", minor)))


def worse(scene: Scene, before: SystemDamage) -> str:
    """What one more hit on a system that can take no more does to the vehicle."""
    does = system_effect(scene, before)
    return does.again if does is not None else ""


@rule(f"{CALLED}/lands", CALLED)
async def called_shot_lands(scene: Scene, craft: Craft, result: str, system: str) -> SystemDamage:
    """What was aimed at suffers instead of the vehicle, and worse than that would have."""
    weapon = await weapon_hit(craft) if system == WEAPON else ""
    before = scene[craft].system(system, weapon)
    level = after_called_shot(scene, before.level if before else "", result)
    if result == DESTROYED:
        await damage_whole(craft, result)
    return await hand_over(system_now(craft, system, weapon, level))


@rule(f"{SYSTEMS}/weapon", SYSTEMS)
async def weapon_hit(scene: Scene, craft: Craft) -> str:
    """Of several weapons the game master says which is hit."""
    names = tuple(each.name for each in scene[craft].weapons)
    return names[0] if len(names) == 1 else await rule_on(WHICH_WEAPON, names[0], options=names)


@rule(f"{LEGEND}/now", LEGEND, SYSTEMS)
async def system_now(scene: Scene, craft: Craft, system: str, weapon: str, level: str) -> SystemDamage:
    """A system is at a new level of damage, and what that means happens."""
    damage = SystemDamage(system, level, weapon)
    await alter(craft, Vehicle.with_system, damage)
    does, area = system_effect(scene, damage), scene[SYSTEM_ROWS][system].area
    await tell("system-hit", craft=craft.name, system=weapon or system, does=does.says if does else MINOR_DAMAGE)
    if does is None:
        return damage
    if area:
        await hit_area(craft, area, does.name)
    if does.vehicle:
        await damage_whole(craft, does.vehicle)
    return damage


@rule(f"{LEGEND}/area", LEGEND)
async def hit_area(scene: Scene, craft: Craft, area: str, wound: str) -> None:
    """Everyone in the area takes the wound, or resists the damage that stands for it."""
    names = (scene[craft].pilot,) if area == "pilot" else scene[craft].passengers
    for who in (each for each in people_aboard(scene, craft) if each.name in names):
        if scene[AREA_HARM] is AreaHarm.WOUNDED:
            await inflict(who, wound)
        else:
            await resist_aboard(who, craft, scene[EFFECTS_OF][wound].damage)


@rule(f"{TABLE}/whole", TABLE)
async def damage_whole(scene: Scene, craft: Craft, level: str) -> None:
    """The vehicle as a whole is damaged; only a worse level takes the place of one that it has."""
    names = scene[DAMAGES].names
    if names.index(level) <= names.index(scene[craft].damage or UNHARMED):
        return
    await alter(craft, Vehicle.damaged, level, scene.get(CLOCK, Clock()).now)


# --- people aboard ----------------------------------------------------------------------------------------------------


@rule(PASSENGERS)
async def hurt_aboard(scene: Scene, craft: Craft, level: str) -> None:
    """Everybody aboard resists the damage of a level."""
    for who in people_aboard(scene, craft):
        if scene[who].wound != DEAD:
            await resist_aboard(who, craft, scene[HARMS_ABOARD][level].damage)


@rule(f"{PASSENGERS}/resist", PASSENGERS, "d6.health.damage-table")
async def resist_aboard(scene: Scene, who: Person, craft: Craft, damage: Code) -> None:
    """Strength against what shakes a vehicle: straps help, and armor only if it covers the whole body."""
    straps = (Mod(scene[STRAPPED], "strapped in", PASSENGERS),) if who.name in scene[craft].strapped else ()
    difference = await damage_difference(who, damage, zone=WHOLE_BODY, resist_mods=straps)
    await suffer(who, difference)


# --- what comes of it with time ---------------------------------------------------------------------------------------


@rule(SEVERE)
async def may_break_up(scene: Scene, craft: Craft) -> bool:
    """Two dice below the number of rounds since it was severely damaged: it is destroyed."""
    elapsed = scene[CLOCK].now - (scene[craft].damaged_at or 0)
    shown = await roll(BREAKING_UP, None, Pool.of((number_die(scene[SIDES]), scene[SEVERE_DICE])), Total)
    if shown.total >= elapsed:
        return False
    await take_hit(craft, DESTROYED)
    return True


@rule(f"{ACCUMULATION}/round", ACCUMULATION)
async def steadies(scene: Scene, craft: Craft) -> None:
    """Hits that made it deviate count for the round they fell in and the next."""
    await alter(craft, Vehicle.steadier)
    await alter(craft, Vehicle.freezing, controls_freeze(scene, craft))


@rule("d6.glossary.terms/vehicle-round-over", "d6.glossary.terms")
async def round_over_for(scene: Scene, craft: Craft) -> None:
    """A round is over for a vehicle outside of a fight: what lasted until its end."""
    await moment(ROUND_END, craft)


@due(Vehicle, may_break_up, steadies, round_over_for)
def damage_due(scene: Scene, craft: Craft) -> Iterator[Due]:
    """Past as many rounds as Body has dice, what is severely damaged may break up each round; deviations pass."""
    of = scene[craft]
    if of.damage == "Severely damaged" and of.damaged_at is not None:
        yield Due(may_break_up, since=of.damaged_at + of.body.dice)
    if of.deviates:
        yield Due(steadies, since=scene[CLOCK].now, order=1)
    laid = scene.get(EFFECTS, NONE).lasting
    if not counts_rounds(scene) and any(each.on == craft.name and each.effect.until == ROUND_END for each in laid):
        yield Due(round_over_for, order=-1)


# --- what the game master does ----------------------------------------------------------------------------------------


def aimed_systems(scene: Scene, who: object, craft: Craft) -> tuple[str, ...]:
    return ("", *systems_to_aim_at(scene, craft))


AnyCraft: TypeAlias = Annotated[Craft, Pick(vehicles)]
AimedSystem: TypeAlias = Annotated[str, Pick(aimed_systems)]


@action("damage-vehicle", f"{TABLE}/deal", TABLE, bands=VEHICLE_HARMED, master=True)
async def deal_damage_to_vehicle(
    scene: Scene,
    craft: AnyCraft,
    damage: DamageCode,
    scale: Annotated[int | None, suggest(None, 1, 2, 3, 4)] = None,
    system: AimedSystem = "",
    mods: Mods = (),
) -> VehicleHarm:
    """Something damages a vehicle, which resists with its Body. Without a scale it is of the vehicle's own."""
    return await hand_over(damage_vehicle(craft, damage, mods, scale, system))


def check_level(scene: Scene, who: object, level: str) -> None:
    if level not in scene[DAMAGES]:
        refuse("there is no such damage", what=level, rule=TABLE, legal=scene[DAMAGES].names)


@action("hit-vehicle", f"{TABLE}/take", TABLE, master=True)
async def hit_vehicle(
    scene: Scene,
    craft: AnyCraft,
    result: Annotated[str, Pick(lambda scene, who: scene[DAMAGES].names[1:], check_level)],
    system: AimedSystem = "",
) -> None:
    """A vehicle is damaged, whatever by."""
    await take_hit(craft, result, system)
