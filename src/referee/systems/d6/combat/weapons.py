"""Weapons in hand: which skill they are used with, what damage they deal, and how they are damaged themselves."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Annotated, Final, TypeAlias

from referee.core import (
    Bands,
    Mod,
    Mods,
    Pick,
    Pool,
    Prompt,
    Refused,
    Scene,
    Total,
    action,
    alter,
    applying,
    figure,
    formula,
    frozen,
    hand_over,
    number_die,
    option,
    refuse,
    roll,
    rows,
    rule,
    tell,
)
from referee.core.effects import Forbids
from referee.core.modifiers import Itemised
from referee.core.questions import Request
from referee.core.things import CARRIED, DROPPED, HELD, thing_of
from referee.core.trace import note
from referee.kits.dice_codes import Code, Luck
from referee.systems.d6.codes import SIDES, WILD_DIE, code_mods, own_code
from referee.systems.d6.damage import Anybody, DamageCode, damage_roll
from referee.systems.d6.equipment import (
    FIREARM,
    HEAVY,
    MALFUNCTIONING,
    MELEE,
    SHIELD,
    THING_LEVELS,
    THROWN,
    Armor,
    Item,
    Weapon,
    armor_of,
    goods_of,
    is_weapon,
    may_fail,
    weapon_of,
)
from referee.systems.d6.resolution import difficulty_number, roll_against
from referee.systems.d6.rolls import throw
from referee.systems.d6.sheet import PIPS_PER_DIE, Hero, Person
from referee.systems.d6.skill_names import FIELD
from referee.systems.d6.vehicles.gunnery import check_served, served_weapon, served_weapons, vehicle_damage_mods
from referee.systems.d6.vehicles.vehicle import Vehicle, VehicleWeapon, craft_with
from referee.systems.d6.wounds import TORSO
from referee.systems.d6.zones import check_arms

BODY: Final = Prompt("body")
MALFUNCTION: Final = Prompt("malfunction")
RIG_FAILS: Final = "d6.equipment.jury-rig-failure"

ATTACK: Final = "attack"
DEFENSE: Final = "defense"
SINGLE: Final = option("d6.skills.melee-combat-single")
SKILLS_OF_KINDS: Final = {
    "heavy melee": "d6.skills.heavy-melee",
    "thrown": "d6.skills.thrown-weapons",
}
"""The rules of the skills that weapons of a kind are used with."""
BY_TYPE: Final = ("Melee combat <", "Heavy Melee <")
TYPE: Final = "weapon type"
"""What stands for the type of a weapon in the names of skills."""
HOOK: Final = "hook"
NATURAL: Final = "natural weapon"
BARE_HANDS: Final = "bare hands"

HEAVY_ABOVE: Final = figure("d6.equipment.melee-damage", "heavy_above", Code)
THROWN_HEAVY_ABOVE: Final = figure("d6.equipment.range-damage", "thrown_heavy_above", Code)
RANGE_HEAVY_ABOVE: Final = figure("d6.equipment.range-damage", "range_heavy_above", Code)
METRES_PER_POINT: Final = figure("d6.equipment.range-stat", "metres_per_point", int)
STAT_FOR_RANGE: Final = figure("d6.equipment.range-stat", "default_attribute_for_value", Code)
SKILL_FOR_RANGE: Final = figure("d6.equipment.range-stat", "default_skill_for_value", Code)
ROUNDS_PER_INDEX: Final = figure("d6.equipment.short-burst-stat", "rounds_per_index", int)
MODIFIER_PER_ROUND: Final = figure("d6.equipment.spray-fire-stat", "modifier_per_round", int)
DICE_PER_REDUCTION: Final = figure("d6.equipment.area-effect", "dice_per_reduction_range", int)
LEAST_BODY: Final = figure("d6.equipment.stat-block", "least_body", Code)
LIFTING: Final = figure("d6.equipment.weapon-scale-lifting", "skill", str)
BODY_ZONES: Final = figure("d6.equipment.armor-zones", "zones", tuple[str, ...])
TORSO_PERCENT: Final = figure("d6.equipment.armor-zones", "torso_percent", int)
ZONE_PERCENT: Final = figure("d6.equipment.armor-zones", "each_other_zone_percent", int)
MALFUNCTION_FACE: Final = figure("d6.equipment.malfunction", "face", int)
DULL: Final = figure("d6.equipment.malfunction", "sword_damage_dice", int)


@frozen
class SkillsOfKind:
    """The skills of weapons of a kind, where the weapon itself names none."""

    name: str
    skills: tuple[str, ...]


@frozen
class ScaleRow:
    """What it takes to wield a weapon of a larger scale than one's own."""

    name: str
    lifting: str = ""
    mounted: bool = False


@frozen
class ThingDamageRow:
    """What a difference of damage and Body does to a thing."""

    name: str


@frozen
class AccumulationRow:
    """What new damage makes of damage that is there."""

    name: str
    lightly_damaged: str
    seriously_damaged: str
    severely_damaged: str


@frozen
class StatRow:
    """What a thing is described by, and where it stands."""

    name: str
    of: str


KIND_SKILLS: Final = rows("d6.equipment.stat-block", "skills", SkillsOfKind)
STATS: Final = rows("d6.equipment.stat-block", "fields", StatRow)
SCALES: Final = rows("d6.equipment.weapon-scale-lifting", "by_scale_difference", ScaleRow, by=("min", "max"))
THING_DAMAGE: Final = rows("d6.equipment.damage-roll", "table", ThingDamageRow, by=("min", "max"))
ACCUMULATION: Final = rows("d6.equipment.damage-accumulation", "rows", AccumulationRow)
NO_DAMAGE: Final = "none"
DESTROYED: Final = "Destroyed"


# --- things in hand ---------------------------------------------------------------------------------------------------


def item_of(scene: Scene, who: Person, name: str) -> Item:
    """A thing of somebody's. A hook or a natural weapon is always in hand, and so is a vehicle's that one serves."""
    carried = any(each.name.casefold() == name.casefold() for each in scene[who].equipment)
    own = None if carried else part_of_body(scene, who, name) or served_weapon(scene, who, name)
    return own or thing_of(scene[who].equipment, name, rule="d6.equipment.stat-block")


def keep(scene: Scene, who: Person, item: Item, rule: str | None = None) -> Request[None]:
    """Awaited: a thing of somebody's is as it is now; one of the vehicle they are aboard of, there."""
    craft = craft_with(scene, who.name)
    if craft is None or not isinstance(item, VehicleWeapon):
        return alter(who, Hero.with_item, item, rule=rule)
    return alter(craft, Vehicle.with_weapon, item, rule=rule)


def part_of_body(scene: Scene, who: Person, name: str) -> Item | None:
    """What somebody fights with that is no thing: a hook counts as a knife, claws as a weapon of their own."""
    if name == HOOK and applying(scene, who).granted("fight with the hook"):
        return Item(HOOK, "Dagger", place=HELD)
    if name == NATURAL and applying(scene, who).granted("fight with a natural weapon"):
        return Item(NATURAL, place=HELD, skill="Brawling", damage=Code(), adds_strength=True)
    return None


def held(scene: Scene, who: Person) -> tuple[str, ...]:
    """The names of everything in hand, what is part of the body among it."""
    things = (each.name for each in scene[who].equipment if each.ready)
    served = (each.name for each in served_weapons(scene, who))
    return (*things, *(each for each in (HOOK, NATURAL) if part_of_body(scene, who, each)), *served)


def weapons_held(scene: Scene, who: Person, *categories: str) -> tuple[str, ...]:
    """The names of weapons in hand, of these categories or of any; broken ones too."""
    found = ((name, weapon_of(scene, item_of(scene, who, name)).category) for name in held(scene, who))
    return tuple(name for name, category in found if category and (not categories or category in categories))


@formula("d6.equipment.damage-levels/check", "d6.equipment.damage-levels", "d6.equipment.malfunction")
def check_weapon(scene: Scene, who: Person, weapon: str) -> None:
    """Only what is in hand and in order; with both hands where it takes both."""
    item = item_of(scene, who, weapon)
    if not item.ready:
        raise Refused(weapon, because="it is not in hand", rule=READY, legal=held(scene, who))
    check_unpinned(scene, who, weapon)
    check_in_order(scene, item)
    if isinstance(item, VehicleWeapon):
        check_served(scene, who, item)
    check_hands(scene, who, item)
    check_arms(scene, who, item)


READY: Final = "d6.combat.declared-action-list"
PINNED: Final = "d6.advanced.mastery-offensive"


def check_unpinned(scene: Scene, who: Person, weapon: str) -> None:
    """Nobody holds it fast."""
    for each in scene[who].pinned:
        if each.weapon == weapon:
            raise Refused(weapon, because=f"{each.by} has pinned it", rule=PINNED, legal=("free-weapon",))


def check_in_order(scene: Scene, item: Item) -> None:
    """What is seriously damaged or worse does not work, nor what malfunctions."""
    if item.condition and not item.rigged and not scene[THING_LEVELS][item.condition].works:
        raise Refused(item.name, because=f"it is {item.condition.casefold()}", rule=THING_LEVELS.rule)
    if item.malfunctions:
        raise Refused(item.name, because="it malfunctions until it is repaired", rule=MALFUNCTIONING.rule)


def hands_needed(scene: Scene, who: Person, item: Item) -> int:
    """How many hands a weapon takes; those of the small take two where others take one."""
    needed = weapon_of(scene, item).hands
    return 2 if needed == 1 and applying(scene, who).swapped("one hand") == "two hands" else needed


def check_hands(scene: Scene, who: Person, item: Item) -> None:
    """Two hands for what takes two; who has a limb to hold things with has three."""
    applied = applying(scene, who)
    if weapon_of(scene, item).hands > 1:
        applied.check_allowed("use two-handed weapons", rule="d6.species.bulk")
    needed = hands_needed(scene, who, item)
    if needed > 1:
        applied.check_allowed("use both hands", rule="d6.flaws.physical-e-w")
    hands = 3 if applied.granted("handle an object with the limb") else 2
    others = [each for each in scene[who].equipment if each.ready and each != item]
    if needed > 1 and needed + sum(hands_needed(scene, who, each) for each in others) > hands:
        ways = tuple(f"{way} {each.name}" for each in others for way in ("drop", "sheath-weapon"))
        refuse(f"it takes {needed} hands", what=item.name, rule=READY, legal=ways)


# --- drawing and sheathing --------------------------------------------------------------------------------------------


@rule("d6.combat.declared-action-list/in-hand")
async def take_in_hand(scene: Scene, who: Person, weapon: str, off_hand: bool = False) -> None:
    """A weapon is drawn, or picked up: it is in hand."""
    item = replace(thing_of(scene[who].equipment, weapon), off_hand=off_hand)
    check_hands(scene, who, item)
    await alter(who, Hero.with_item, item.at(HELD))


@rule("d6.combat.declared-action-list/put-away")
async def put_away(scene: Scene, who: Person, weapon: str, dropped: bool = False) -> None:
    """A weapon is sheathed, or dropped; what is out of hand nobody needs to hold fast."""
    item = thing_of(scene[who].equipment, weapon)
    if any(each.weapon == weapon for each in scene[who].pinned):
        await alter(who, Hero.freed, weapon)
    await alter(who, Hero.with_item, replace(item, off_hand=False).at(DROPPED if dropped else CARRIED))


# --- skills -----------------------------------------------------------------------------------------------------------


@formula("d6.equipment.melee-damage")
def is_heavy_melee(scene: Scene, weapon: Weapon) -> bool:
    """Whether a melee weapon adds so much to Strength that it takes another skill."""
    return weapon.adds_strength and exceeds(scene, weapon, scene[HEAVY_ABOVE])


@formula("d6.equipment.range-damage")
def is_heavy_ranged(scene: Scene, weapon: Weapon) -> bool:
    """Whether a weapon adds so much to the Strength of its thrower, or deals so much, that it takes another skill."""
    thrown = weapon.category == THROWN and weapon.adds_strength
    return exceeds(scene, weapon, scene[THROWN_HEAVY_ABOVE if thrown else RANGE_HEAVY_ABOVE])


def exceeds(scene: Scene, weapon: Weapon, limit: Code) -> bool:
    """Whether a weapon deals more than a limit; the most advanced technology never counts as heavy."""
    per_die = scene[PIPS_PER_DIE]
    return not weapon.advanced and weapon.damage.in_pips(per_die) > limit.in_pips(per_die)


def is_heavy(scene: Scene, weapon: Weapon) -> bool:
    melee = weapon.category in (MELEE, SHIELD)
    return is_heavy_melee(scene, weapon) if melee else is_heavy_ranged(scene, weapon)


def weapon_skills(scene: Scene, item: Item, use: str = ATTACK) -> Iterator[str]:
    """The skills that a weapon may be used with; of a skill for a type, the field for attack or defense."""
    weapon = weapon_of(scene, item)
    skills = weapon.skills or scene[KIND_SKILLS][kind_of_skill(scene, weapon)].skills
    kind = item.kind.casefold()
    if scene[SINGLE]:
        skills = single_melee_skill(scene, skills)
    for each in skills:
        for name in dict.fromkeys(each.replace(TYPE, named) for named in (kind, f"{kind}s")):
            yield f"{name}{FIELD}{use}" if name.endswith(">") else name


@formula("d6.skills.melee-combat-single")
def single_melee_skill(scene: Scene, skills: tuple[str, ...]) -> tuple[str, ...]:
    """With one skill for all melee weapons there is none for each type of them, nor for heavy ones."""
    return tuple(each for each in skills if not each.startswith(BY_TYPE)) or skills


def kind_of_skill(scene: Scene, weapon: Weapon) -> str:
    if not is_heavy(scene, weapon):
        return weapon.category or MELEE
    return {MELEE: "heavy melee", THROWN: "heavy thrown", FIREARM: HEAVY}.get(weapon.category, weapon.category)


@formula(
    "d6.equipment.stat-block/skill",
    "d6.equipment.stat-block",
    "d6.skills.melee-combat-by-type",
    "d6.skills.heavy-melee",
    "d6.skills.thrown-weapons",
)
def weapon_skill(scene: Scene, who: Person, weapon: str, use: str = ATTACK) -> str:
    """The skill that somebody uses a weapon with: the best they have learned; if none, the first it is made for."""
    kind = kind_of_skill(scene, weapon_of(scene, item_of(scene, who, weapon)))
    note(SKILLS_OF_KINDS.get(kind, "d6.skills.melee-combat-by-type"))
    known = (*scene[who].skills, *scene[who].specializations)
    spelled = {each.casefold(): each for each in known}
    names: list[str] = []
    for name in weapon_skills(scene, item_of(scene, who, weapon), use):
        skill, _, _ = name.partition(FIELD)
        names.append(spelled.get(name.casefold(), spelled.get(skill.casefold(), name)))
    learned = [name for name in names if name in known]
    return max(learned or names[:1], key=lambda name: own_code(scene, who, name).in_pips(scene[PIPS_PER_DIE]))


# --- how a thing is described -----------------------------------------------------------------------------------------


@formula("d6.equipment.stat-block/fields", "d6.equipment.stat-block")
def stat_block_fields(scene: Scene) -> tuple[str, ...]:
    """What a thing is described by, for those who write one down."""
    return scene[STATS].names


@formula("d6.equipment.stat-block/described", "d6.equipment.stat-block")
def stat_block(scene: Scene, item: Item) -> dict[str, str]:
    """A thing by the stats of the book, as far as it has them."""
    weapon, armor = weapon_of(scene, item), armor_of(scene, item)
    body, least = body_of(scene, item), scene[LEAST_BODY].in_pips(scene[PIPS_PER_DIE])
    does = {
        "scale": weapon.scale,
        "body": body if body.in_pips(scene[PIPS_PER_DIE]) >= least else 0,
        "capabilities": item.capabilities or what_it_does(weapon, armor),
        "skills": ", ".join(weapon_skills(scene, item)) if weapon.category else item.skill,
        "difficulty": weapon.difficulty,
    }
    found = {name: does.get(of, getattr(item, of, "")) for name, of in stats_of(scene)}
    return {name: str(stat) for name, stat in found.items() if stat not in (None, "")}


def stats_of(scene: Scene) -> Iterator[tuple[str, str]]:
    """The stats of the book, and where each stands."""
    for name in scene[STATS].names:
        yield name, scene[STATS][name].of


def what_it_does(weapon: Weapon, armor: Armor | None) -> str:
    """What weapons and armor can do, by their figures."""
    if armor is not None:
        return f"armor {armor.protection}"
    return f"damage {'Str+' if weapon.adds_strength else ''}{weapon.damage}" if weapon.category else ""


# --- damage dealt -----------------------------------------------------------------------------------------------------


@frozen
class WeaponDamage:
    """What a weapon deals: the part that is its bearer's own Strength, the weapon's, and what else counts."""

    own: Code
    weapon: Code
    mods: Mods = ()
    stun: bool = False
    scale: int = 1

    @property
    def code(self) -> Code:
        """All of it, without modifiers."""
        return self.own + self.weapon


@formula("d6.equipment.melee-damage/dealt", "d6.equipment.melee-damage", "d6.equipment.range-damage")
def weapon_damage(scene: Scene, who: Person, weapon: str) -> WeaponDamage:
    """The damage of a weapon, added to its bearer's Strength where the book says so."""
    item = item_of(scene, who, weapon)
    found, applied = weapon_of(scene, item), applying(scene, who)
    if not found.adds_strength:
        harmed = vehicle_damage_mods(scene, who, weapon)
        return WeaponDamage(Code(), found.damage, harmed, found.stun, found.scale)
    barred = any(each.effect.does == Forbids("add weapon dice to Strength") for each in applied.active)
    tags = ("natural weapon damage",) if weapon == NATURAL else ("melee damage",)
    mods = (*applying(scene, who, *tags).mods, *dulled(scene, item))
    code = Code() if barred else found.damage
    return WeaponDamage(own_code(scene, who, "Strength"), code, mods, found.stun, found.scale)


@formula("d6.equipment.malfunction/dull", "d6.equipment.malfunction")
def dulled(scene: Scene, item: Item) -> Mods:
    """A blade that is lightly damaged does not malfunction, it deals a die less."""
    if item.rigged or item.condition != scene[MALFUNCTIONING] or not weapon_of(scene, item).adds_strength:
        return ()
    return (Mod(scene[DULL], item.condition.casefold(), MALFUNCTIONING.rule),)


# --- figures of ranged weapons ----------------------------------------------------------------------------------------


@formula("d6.equipment.range-stat")
def range_value(scene: Scene, weapon: Weapon) -> int:
    """What a range is worth: its metres at long range, less for a large weapon."""
    long = max(weapon.range, default=0) * (scene[STAT_FOR_RANGE].dice if weapon.times_strength else 1)
    return int(long / (scene[METRES_PER_POINT] * weapon.scale))


@formula("d6.equipment.short-burst-stat")
def short_burst_ammo(scene: Scene, weapon: Weapon) -> int:
    """The rounds of a short burst: as printed, or two for each point of its index."""
    burst = weapon.short_burst
    if burst is None:
        refuse("it fires no short bursts", what=weapon.name, legal=("shoot",))
    return burst.modifier * scene[ROUNDS_PER_INDEX] if burst.ammo is None else burst.ammo


@formula("d6.equipment.spray-fire-stat")
def spray_fire_ammo(scene: Scene, weapon: Weapon) -> int:
    """The rounds of spray fire: as printed, or half its modifier."""
    spray = weapon.spray_fire
    if spray is None:
        refuse("it cannot spray fire", what=weapon.name, legal=("shoot", "short-burst"))
    return spray.modifier // scene[MODIFIER_PER_ROUND] if spray.ammo is None else spray.ammo


@formula("d6.equipment.area-effect")
def blast_mods(scene: Scene, weapon: Weapon, metres: float) -> Mods:
    """What a blast has lost at a distance from its impact: a die for each multiple of its reduction range."""
    lost = int(metres // weapon.blast) if weapon.blast else 0
    return (Mod(lost * scene[DICE_PER_REDUCTION], f"{metres:g} m away", DICE_PER_REDUCTION.rule),) if lost else ()


# --- large weapons ----------------------------------------------------------------------------------------------------


@formula("d6.equipment.weapon-scale-lifting")
def lifting_difficulty(scene: Scene, weapon: Weapon, scale: int = 1, mounted: bool = False) -> int:
    """What a Lifting roll must reach to wield a weapon of a larger scale; 0 if none is asked for."""
    row = scene[SCALES].at(weapon.scale - scale)
    if row.mounted and not mounted:
        refuse("it can only be used when it is mounted", what=weapon.name)
    return difficulty_number(scene, row.lifting) if row.lifting and not mounted else 0


@rule("d6.equipment.weapon-scale-lifting/wield", "d6.equipment.weapon-scale-lifting")
async def wield(scene: Scene, who: Person, weapon: str, mounted: bool = False) -> bool:
    """Whether somebody manages to wield a weapon; those of a larger scale take a Lifting roll, unless mounted."""
    item = item_of(scene, who, weapon)
    needed = lifting_difficulty(scene, weapon_of(scene, item), mounted=mounted or isinstance(item, VehicleWeapon))
    if not needed:
        return True
    return (await roll_against(who, scene[LIFTING], needed)).success


# --- armor ------------------------------------------------------------------------------------------------------------


@formula("d6.equipment.armor-zones")
def armor_value(scene: Scene, protection: int, zones: tuple[str, ...]) -> int:
    """What armor is worth that protects these zones, if its protection is worth so much on the torso."""
    covered = [each for each in scene[BODY_ZONES] if each in zones]
    percent = sum(scene[TORSO_PERCENT] if each == TORSO else scene[ZONE_PERCENT] for each in covered)
    return protection * percent // 100


# --- damage to things -------------------------------------------------------------------------------------------------


@frozen
class ThingHarm:
    """What damage did to a thing: by how much it was more than Body, what that means, and how the thing is now."""

    difference: int
    result: str
    condition: str


BROKEN: Final[Bands[ThingHarm]] = Bands(
    of=lambda harm: harm.result.casefold().replace(" ", "-"),
    keys=("none", "lightly-damaged", "seriously-damaged", "severely-damaged", "destroyed"),
)


def body_of(scene: Scene, item: Item) -> Code:
    """The Body of a thing."""
    armor: Armor | None = armor_of(scene, item)
    if armor is not None:
        return armor.body
    return weapon_of(scene, item).body if is_weapon(scene, item) else goods_of(scene, item).body


@rule("d6.equipment.damage-roll")
async def damage_thing(
    scene: Scene,
    owner: Person,
    thing: str,
    damage: Code,
    mods: Mods = (),
    by: Person | None = None,
    own: Code = Code(),  # noqa: B008  # a frozen value
    scale: int = 1,
) -> ThingHarm:
    """Damage against the Body of a thing; without a Body it is destroyed by whatever is of its scale."""
    item = item_of(scene, owner, thing)
    body = body_of(scene, item)
    if body.in_pips(scene[PIPS_PER_DIE]) < scene[LEAST_BODY].in_pips(scene[PIPS_PER_DIE]):
        body = Code()
        if scale >= weapon_of(scene, item).scale:
            return ThingHarm(0, DESTROYED, await damaged(owner, thing, DESTROYED))
    dealt = await damage_roll(by, damage, mods, own)
    shown = Itemised(code_mods(body, "Body", THING_DAMAGE.rule))
    resisted = (await throw(None, body, 0, shown, prompt=BODY)).total if body.dice else 0
    difference = dealt.total - resisted
    result = scene[THING_DAMAGE].at(difference).name
    return ThingHarm(difference, result, await damaged(owner, thing, result))


@formula("d6.equipment.damage-accumulation")
def accumulated(scene: Scene, current: str, received: str) -> str:
    """The level of damage after more of it."""
    if not current or not received or DESTROYED in (current, received):
        return DESTROYED if DESTROYED in (current, received) else current or received
    row = scene[ACCUMULATION][current]
    found: str = getattr(row, received.casefold().replace(" ", "_"))
    return found


@rule("d6.equipment.damage-levels")
async def damaged(scene: Scene, owner: Person, thing: str, received: str) -> str:
    """A thing is damaged, on top of what it has suffered before."""
    item = item_of(scene, owner, thing)
    condition = accumulated(scene, item.condition, "" if received == NO_DAMAGE else received)
    if condition != item.condition:
        await alter(owner, Hero.with_item, replace(item, condition=scene[THING_LEVELS][condition].name, rigged=False))
        await tell("thing-damaged", who=owner, thing=thing, condition=condition.casefold())
    return condition


@rule("d6.equipment.malfunction", RIG_FAILS)
async def may_malfunction(scene: Scene, who: Person, weapon: str, luck: Luck = Luck.NONE) -> bool:
    """Whether something lightly damaged or jury-rigged fails in use: on a wild one, or a one on a die of its own."""
    item = item_of(scene, who, weapon)
    if not may_fail(scene, item):
        return False
    if scene[WILD_DIE]:
        fails = luck in (Luck.COMPLICATION, Luck.WILD_ONE, Luck.ALL_ONES)
    else:
        shown = await roll(MALFUNCTION, who, Pool.of((number_die(scene[SIDES]), 1)), Total)
        fails = shown.total == scene[MALFUNCTION_FACE]
    if fails:
        failed = replace(item, rigged=False) if item.rigged else replace(item, malfunctions=True)
        await keep(scene, who, failed, RIG_FAILS if item.rigged else MALFUNCTIONING.rule)
    return fails


def things_of(scene: Scene, who: object, owner: Person) -> tuple[str, ...]:
    return tuple(each.name for each in scene[owner].equipment)


OwnThing: TypeAlias = Annotated[str, Pick(things_of)]


@action("damage-thing", "d6.equipment.damage-roll/deal", "d6.equipment.damage-roll", bands=BROKEN, master=True)
async def deal_damage_to_thing(
    scene: Scene, owner: Anybody, thing: OwnThing, damage: DamageCode, scale: int = 1, mods: Mods = ()
) -> ThingHarm:
    """Something that somebody has is damaged, and resists with its Body."""
    return await hand_over(damage_thing(owner, thing, damage, mods, scale=scale))
