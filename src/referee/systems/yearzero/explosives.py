"""Explosive weapons: grenades and what can be done about them, shots that explode, where a miss lands."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Annotated, Final

from referee.core import (
    D6,
    Bands,
    Mod,
    Mods,
    Pick,
    Pool,
    Prompt,
    Scene,
    Total,
    action,
    afterwards,
    alter,
    applying,
    choose,
    figure,
    figures,
    formula,
    frozen,
    hand_over,
    number_die,
    react,
    refuse,
    roll,
    rows,
    rule,
    tell,
)
from referee.core.effects import Effect, lay
from referee.core.things import without_thing
from referee.systems.yearzero.action_types import ListedPrice, use_reaction
from referee.systems.yearzero.battle import BATTLE, SLOW, Battle, GuidedShot
from referee.systems.yearzero.defence import lying
from referee.systems.yearzero.effects import aiming, effect_table, effects_of
from referee.systems.yearzero.explosions import DUCKED, blast_of, explode, near_blast
from referee.systems.yearzero.firearm_features import check_stand, is_guided, launch
from referee.systems.yearzero.ground import has_map, metres_between, range_between
from referee.systems.yearzero.harm import check_able, suffer, work_off_pain
from referee.systems.yearzero.injuries import CRITICAL, begin_injury
from referee.systems.yearzero.injury_tables import TABLES
from referee.systems.yearzero.marksmanship import (
    MARKSMANSHIP,
    Circumstances,
    Distance,
    ShotSituation,
    fire,
    is_thrown,
    ranged_specialty,
)
from referee.systems.yearzero.rolls import Attempt, roll_once, roll_skill
from referee.systems.yearzero.sheet import STRENGTH, Person, Survivor, others
from referee.systems.yearzero.shooting import CIRCUMSTANCES, RANGES, circumstance_mods
from referee.systems.yearzero.weapons import in_hand, magazine_of

GRENADES: Final = "yearzero.explosives.hand-grenades"
RETURN: Final = "yearzero.explosives.grenade-return"
DIVE: Final = "yearzero.explosives.grenade-dive"
DEVIATION: Final = "yearzero.explosives.deviation"
HEAVY: Final = "yearzero.explosives.heavy-weapons"
RETURNS: Final = effect_table(RETURN, "Move")
GRENADE: Final = Prompt("grenade")
DIRECTION: Final = Prompt("deviation")
METRES_OFF: Final = Prompt("deviation-metres")
WHERE_TO_THROW: Final = Prompt("throw-back")
WHERE_TO: Final = Prompt("where-to")
WITHIN_M: Final = figure(GRENADES, "reaction_within_m", int)
STEP_M: Final = figure(DEVIATION, "step_m", int)
PULLED: Final = "pin pulled"
DROP, DIVE_ON = "drop prone", "throw yourself on it"


@frozen
class CompassRow:
    """A direction on the map, by a die."""

    name: str
    degrees: int


DIRECTIONS: Final = rows(DEVIATION, "directions", CompassRow, by=("from", "to"))


@figures(DIVE)
class Dive:
    """How bad it is to throw oneself on a grenade."""

    dice: int
    die: int


@frozen
class BlastResult:
    """What an explosive came to: whether it landed where it was meant to, and whom it has hurt."""

    success: bool
    successes: int = 0
    metres_off: int = 0
    direction: str = ""
    hurt: tuple[str, ...] = ()
    pushes: int = 0
    base_banes: int = 0
    gear_banes: int = 0


LANDED: Final[Bands[BlastResult]] = Bands(
    of=lambda result: "success" if result.success else "failure",
    keys=("success", "failure"),
    extra={"hurt": lambda result: bool(result.hurt)},
)


# --- a shot that explodes ---------------------------------------------------------------------------------------------


def explosives(scene: Scene, who: Person) -> tuple[str, ...]:
    """What explodes where it lands: grenades in hand, launchers that are loaded."""
    ready = (item for item in in_hand(scene, who) if not magazine_of(scene, item) or item.loaded)
    return tuple(item.name for item in ready if blast_of(scene, item))


def grenades(scene: Scene, who: Person) -> tuple[str, ...]:
    return tuple(name for name in explosives(scene, who) if is_thrown(scene, scene[who].thing(name)))


@action("pull-pin", GRENADES, price=ListedPrice("Pull grenade pin"))
async def pull_pin(scene: Scene, who: Person, weapon: Annotated[str, Pick(grenades)]) -> None:
    """Make a grenade ready to be thrown."""
    await work_off_pain(who)
    await lay(who, Effect.from_plain({"grants": PULLED, "uses": 1}), source=weapon)


def check_pulled(scene: Scene, who: Person, weapon: str) -> None:
    pulled = BATTLE not in scene or applying(scene, who).granted(PULLED)
    if is_thrown(scene, scene[who].thing(weapon)) and not pulled:
        refuse(f"the pin of {weapon} is not pulled", rule=GRENADES, legal=("pull-pin",))


def check_stands(scene: Scene, who: Person, weapon: str) -> None:
    check_stand(scene, who, scene[who].thing(weapon))


@formula("yearzero.explosives.indirect-fire")
def check_seen(scene: Scene, who: Person, target: Person, area: bool, arcing: bool) -> None:
    """Somebody out of sight is hit in an arc, at an area; at them alone only with somebody who spots for one."""
    unseen = has_map(scene) and metres_between(scene, who, target) is None
    if unseen and not (arcing and area):
        refuse(f"{target} is out of sight", rule="yearzero.explosives.indirect-fire", legal=("forward-observer",))


@action(
    "throw-explosive",
    HEAVY,
    bands=LANDED,
    price=ListedPrice("Shoot"),
    check=(check_pulled, check_stands, check_seen),
)
async def throw_explosive(
    scene: Scene,
    who: Person,
    target: Annotated[Person, Pick(others)],
    weapon: Annotated[str, Pick(explosives)],
    area: bool = True,
    arcing: bool = False,
    distance: Distance = "",
    circumstances: Circumstances = (),
    mods: Mods = (),
) -> BlastResult:
    """Throw or fire something that explodes: at the place where somebody is, or at them alone, which also hits them."""
    if is_guided(scene, scene[who].thing(weapon), range_between(scene, who, target, distance)):
        by = f"{HEAVY}/guided-area" if area else f"{HEAVY}/guided"
        missile = GuidedShot(who.name, target.name, weapon, range_between(scene, who, target, distance), by)
        return await hand_over(launch(missile, who), lambda _: BlastResult(False))
    if not area:
        shot = ShotSituation(distance, circumstances=circumstances)
        return await hand_over(fire_at(who, target, weapon, shot, mods))
    far = MEDIUM if arcing and has_map(scene) else range_between(scene, who, target, distance)
    return await hand_over(fire_into(who, target, weapon, far, circumstances, mods))


@rule(f"{HEAVY}/area")
async def fire_into(
    scene: Scene,
    who: Person,
    target: Person,
    weapon: str,
    far: str,
    circumstances: tuple[str, ...] = (),
    mods: Mods = (),
) -> BlastResult:
    """At the place where somebody is: nobody is hit directly."""
    item = scene[who].thing(weapon)
    attempt = Attempt(
        MARKSMANSHIP,
        ranged_specialty(scene, item),
        "" if is_thrown(scene, item) else weapon,
        (*mods, *area_mods(scene, who, target, far, circumstances)),
        tags=("ranged", "explosive"),
        surplus=False,
    )
    rolled = await roll_once(who, attempt)
    await afterwards(spend(who, weapon))
    return await hand_over(land_at(who, target, weapon, far, rolled.success, rolled.successes))


@rule(f"{HEAVY}/guided", "yearzero.gear.firearm-features")
async def strike_guided_at(scene: Scene, who: Person, target: Person, weapon: str, distance: str, kept: bool) -> None:
    """A guided missile arrives where somebody is: rolled for as any shot, or astray if the aim was spoiled."""
    if kept:
        await fire_at(who, target, weapon, ShotSituation(distance), ())
    else:
        await go_astray(who, target, weapon, distance)


@rule(f"{HEAVY}/guided-area", "yearzero.gear.firearm-features")
async def strike_guided_area(scene: Scene, who: Person, target: Person, weapon: str, distance: str, kept: bool) -> None:
    """A guided missile arrives in an area: rolled for as any shot, or astray if the aim was spoiled."""
    if kept:
        await fire_into(who, target, weapon, distance)
    else:
        await go_astray(who, target, weapon, distance)


@rule(f"{HEAVY}/astray", DEVIATION)
async def go_astray(scene: Scene, who: Person, target: Person, weapon: str, distance: str) -> None:
    """A missile that nobody guides misses, and goes off where it lands."""
    await spend(who, weapon)
    await land_at(who, target, weapon, distance, False, 0)


MEDIUM: Final = "Medium"


@formula("yearzero.explosives.targeting/area")
def area_mods(scene: Scene, who: Person, target: Person, far: str, named: tuple[str, ...]) -> Mods:
    """Range, light and weather count against a place as for firearms; its size, and its ground, do not."""
    row, listed = scene[RANGES][far], scene[CIRCUMSTANCES]
    counted = tuple(name for name in named if not listed.look(name).beyond_m)
    own = (Mod(row.shooting, far, RANGES.rule), *circumstance_mods(scene, who, target, row.max_m, counted))
    return tuple(mod for mod in own if mod.amount)


@rule(f"{HEAVY}/direct")
async def fire_at(
    scene: Scene, who: Person, target: Person, weapon: str, shot: ShotSituation, mods: Mods
) -> BlastResult:
    """A hit does the weapon's damage as any shot, and then it explodes, whatever the roll was."""
    far = range_between(scene, who, target, shot.distance)
    blow = await fire(who, target, weapon, 0, shot, mods=mods)
    if is_thrown(scene, scene[who].thing(weapon)):
        await afterwards(spend(who, weapon))
    return await hand_over(land_at(who, target, weapon, far, blow.hit, blow.successes))


@rule("yearzero.explosives.heavy-reload")
async def spend(scene: Scene, who: Person, weapon: str) -> None:
    """A grenade is gone; a heavy weapon has a round less, and is loaded again by whoever serves it."""
    item = scene[who].thing(weapon)
    if is_thrown(scene, item):
        await alter(who, used_one, weapon)
    elif item.loaded:
        await alter(who, Survivor.with_thing, item.firing(1))


def used_one(sheet: Survivor, weapon: str) -> Survivor:
    """One fewer of something that is counted; the last is gone."""
    item = sheet.thing(weapon)
    if item.amount > 1:
        return sheet.with_thing(replace(item, amount=item.amount - 1))
    return replace(sheet, things=without_thing(sheet.things, weapon))


# --- where it lands ---------------------------------------------------------------------------------------------------


@rule(f"{HEAVY}/lands", DEVIATION)
async def land_at(
    scene: Scene, who: Person, target: Person, weapon: str, far: str, hit: bool, successes: int
) -> BlastResult:
    """It goes off where it lands: beside the target, or after a miss so many metres off, in one of six directions."""
    blast = blast_of(scene, scene[who].thing(weapon))
    result = BlastResult(hit, successes)
    if not hit:
        result = replace(
            result,
            direction=await direction_of(who),
            metres_off=await deviates(who, metres_to(scene, who, target, far)),
        )
        await tell("deviates", who=who, metres=result.metres_off, direction=result.direction, rule=DEVIATION)
    near = tuple((each, metres + result.metres_off) for each, metres in near_blast(scene, target))
    if is_thrown(scene, scene[who].thing(weapon)) and (saved := await faced(near, who, blast)) is not None:
        return replace(result, hurt=saved)
    hurt = await explode(blast, tuple(each for each, _ in near), tuple(metres for _, metres in near))
    return replace(result, hurt=hurt)


def metres_to(scene: Scene, who: Person, target: Person, far: str) -> int:
    """How far the target is: by the map, or as far as the range goes."""
    return metres_between(scene, who, target) or scene[RANGES].look(far).max_m


@rule(f"{DEVIATION}/direction")
async def direction_of(scene: Scene, who: Person) -> str:
    """One of six directions, clockwise from the top of the map."""
    return scene[DIRECTIONS].at((await roll(DIRECTION, who, Pool.of((D6, 1)), Total)).total).name


@rule(f"{DEVIATION}/metres")
async def deviates(scene: Scene, who: Person, metres: int) -> int:
    """A die times 10 m, and no more than half the way to the target, rounded up."""
    pips = (await roll(METRES_OFF, who, Pool.of((D6, 1)), Total)).total
    return min(pips * scene[STEP_M], half_of(scene, metres))


@formula(f"{DEVIATION}/most")
def half_of(scene: Scene, metres: int) -> int:
    """Half of a distance in whole steps, rounded up."""
    whole = -(-metres // scene[STEP_M])
    return -(-whole // 2) * scene[STEP_M]


# --- what can be done about a grenade ---------------------------------------------------------------------------------


@rule(f"{GRENADES}/faced")
async def faced(scene: Scene, near: tuple[tuple[Person, int], ...], by: Person, blast: str) -> tuple[str, ...] | None:
    """Who a grenade lands near may drop, dive on it, or send it away; None if it goes off where it lies."""
    for who, metres in near:
        ways = (DROP, DIVE_ON, *effects_of(scene, RETURNS)[1:]) if metres <= scene[WITHIN_M] else ()
        way = await react(who, GRENADE, ways, check=partial(check_faces, scene, who))
        if way is None:
            continue
        await use_reaction(who, "Dodge")
        if way == DIVE_ON:
            return await hand_over(dive(who))
        if way == DROP:
            await drop(who)
        elif await sends_away(who, way):
            return await hand_over(goes_off_elsewhere(who, by, blast, way))
    return None


def check_faces(scene: Scene, who: Person, way: str) -> None:
    """Somebody able who is not down already, or who has a hand in it."""
    check_able(scene, who)
    if way == DROP and scene[who].prone:
        refuse(f"{who} is on the ground", what=way, rule=GRENADES)


@rule(f"{GRENADES}/drop")
async def drop(scene: Scene, who: Person) -> None:
    """A Move roll to be on the ground in time."""
    if (await roll_skill(who, Attempt("Move", tags=("reaction", "dodge"), surplus=False))).success:
        await alter(who, lying)
        await lay(who, Effect.from_plain({"grants": DUCKED, "uses": 1}), source="dropped in time")


@rule(DIVE)
async def dive(scene: Scene, who: Person) -> tuple[str, ...]:
    """Broken at once, with a bad injury of the torso: of two dice the higher. Nobody else is touched."""
    row, strength = scene[Dive], scene[who].now(STRENGTH)
    die = Pool.of((number_die(row.die), 1))
    worst = max([(await roll(CRITICAL, who, die, Total)).total for _ in range(row.dice)])
    await suffer(who, strength, STRENGTH)
    injury = scene[TABLES["Torso", "ballistic"]].at(worst)
    await begin_injury(who, injury, TABLES["Torso", "ballistic"].rule)
    return (who.name,)


@rule(RETURN)
async def sends_away(scene: Scene, who: Person, way: str) -> bool:
    """A Move roll that aims for it: knocked away at random, where one will, or picked up and thrown."""
    attempt = aiming(scene, RETURNS, Attempt("Move", tags=("reaction",), surplus=False), way)
    return (await roll_skill(who, attempt)).success


@rule(f"{RETURN}/elsewhere")
async def goes_off_elsewhere(scene: Scene, who: Person, by: Person, blast: str, way: str) -> tuple[str, ...]:
    """A grenade that was sent away goes off 10 m from here, or beside whoever it was thrown at."""
    if way != "throw it back":
        direction = (
            await direction_of(who) if way == "knock it away" else await choose(who, WHERE_TO, scene[DIRECTIONS].names)
        )
        await tell("knocked-away", who=who, metres=scene[STEP_M], direction=direction, rule=RETURN)
        near = tuple((each, metres + scene[STEP_M]) for each, metres in near_blast(scene, who))
        return await hand_over(explode(blast, tuple(each for each, _ in near), tuple(metres for _, metres in near)))
    target = await choose(who, WHERE_TO_THROW, tuple(dict.fromkeys((by, *others(scene, who)))))
    await alter(BATTLE, Battle.taking, who.name, SLOW, if_present=True)
    rolled = await roll_skill(
        who, Attempt(MARKSMANSHIP, "Thrower", against=target, tags=("ranged", "explosive"), surplus=False)
    )
    off = 0 if rolled.success else await deviates(who, metres_to(scene, who, target, "Short"))
    near = tuple((each, metres + off) for each, metres in near_blast(scene, target))
    return await hand_over(explode(blast, tuple(each for each, _ in near), tuple(metres for _, metres in near)))
