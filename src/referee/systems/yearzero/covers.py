"""Cover and armor: what stands between a blow and whoever it hits, piece by piece."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Final, TypeAlias

from referee.core import (
    D6,
    YES,
    Die,
    Pick,
    Pool,
    Prompt,
    Scene,
    SymbolCounts,
    Total,
    action,
    alter,
    figure,
    formula,
    frozen,
    offer,
    refuse,
    roll,
    rows,
    rule,
)
from referee.core.things import HELD, ON_BODY
from referee.kits import year_zero
from referee.kits.year_zero import ONE, SIX
from referee.systems.yearzero.action_types import FAST_ACTION
from referee.systems.yearzero.battle import BATTLE
from referee.systems.yearzero.defence import DeclaredAttack
from referee.systems.yearzero.dice import GEAR, PUSH, kinds
from referee.systems.yearzero.equipment import row_named
from referee.systems.yearzero.gear import SHIELDS
from referee.systems.yearzero.harm import check_able, work_off_pain
from referee.systems.yearzero.injury_tables import LOCATIONS
from referee.systems.yearzero.items import ARMOR_FEATURES
from referee.systems.yearzero.sheet import Cover, Item, Person, Survivor
from referee.systems.yearzero.vehicles.vehicle import shelter
from referee.systems.yearzero.weapons import areas_of, armor_of, features_of, is_shield

ARMOR: Final = Prompt("armor")
STRUCK: Final = Prompt("armor-struck")
COVERS: Final = "yearzero.combat.cover-table"
PARTIAL: Final = "yearzero.combat.cover-partial"
SHIELD_COVER: Final = "yearzero.combat.shield-preemptive-cover"
ABLATION: Final = figure("yearzero.combat.armor-ablation", "per_bane", int)
PER_ARMOR_X: Final = figure("yearzero.combat.armor", "per_x", int)
ARMOR_PUSHED: Final = figure("yearzero.combat.armor", "pushable", bool)
ONLY_IF_THROUGH: Final = figure("yearzero.combat.armor-ablation", "only_if_damage_passes", bool)
COVERED: Final = figure(PARTIAL, "covered_when_firing", tuple[str, ...])
DEGRADES: Final = figure(PARTIAL, "degrades", bool)
LEAST: Final = figure("yearzero.combat.light-protection", "min", int)
MOST_AREAS: Final = figure(SHIELD_COVER, "max_areas", int)
PRONE_AREAS: Final = figure(SHIELD_COVER, "prone_extra_areas", int)
CROUCHING_AREAS: Final = figure(SHIELD_COVER, "crouching_extra_areas", int)
STRUCK_UP_TO: Final = figure("yearzero.combat.target-size", "armor_struck_up_to", int)


@frozen
class StructureRow:
    """Something to hide behind: its Hit Points, its Armor Rating, and whether it stops all but what pierces armor."""

    name: str
    hp: int
    armor: int
    heavy: bool = False
    hp_max: int = 0
    """The most it may have; the game master says, and the lowest is the default."""
    armor_max: int = 0


STRUCTURES: Final = rows(COVERS, "rows", StructureRow)


@frozen
class Protection:
    """One layer between a blow and somebody: how many dice, and of which thing."""

    name: str
    dice: int
    heavy: bool = False
    thing: str = ""
    """The piece of armor or the shield; structures are none."""
    weak: int = 0
    """What its features take from the dice against this kind of attack."""
    worn: bool = False
    """Whether banes wear it, as they wear armor; what is cover does not degrade."""


# --- what protects ----------------------------------------------------------------------------------------------------


@formula("yearzero.combat.armor/layers")
def protections(
    scene: Scene, who: Person, location: str, strike: DeclaredAttack, multiple: int = 1, struck: bool = True
) -> tuple[Protection, ...]:
    """Cover first, against what comes from afar, and then whatever is worn there."""
    past = not strike.ranged or strike.flanking or strike.close
    found = [] if past else [*around(scene, who), *behind(scene, who, location, strike)]
    if location in strike.shielded:
        found.append(shield_protection(scene, scene[who].thing(strike.shield), strike))
    for item in scene[who].things:
        if strike.falls and {"Blastweak", "Bluntweak"} & features_of(scene, item):
            continue
        if item.place == ON_BODY and location in areas_of(scene, item) and (struck or location not in item.partly):
            dice = item.rating_at(armor_of(scene, item), location) * multiple
            weak = weakness(scene, item, strike)
            found.append(Protection(item.name, dice, is_heavy(scene, item), item.name, weak, worn=True))
    return tuple(each for each in found if each.dice > 0)


@formula("yearzero.vehicles.occupants/cover")
def around(scene: Scene, who: Person) -> tuple[Protection, ...]:
    """The vehicle somebody sits in, which is cover for all of them."""
    found = shelter(scene, who)
    return (Protection(*found),) if found is not None else ()


def is_heavy(scene: Scene, item: Item) -> bool:
    """Whether a piece of armor stops all that does not pierce armor."""
    row = row_named(scene, item.kind)
    return "Heavy" in item.features or bool(row and row.heavy)


@formula("yearzero.gear.armor-features/weak")
def weakness(scene: Scene, item: Item, strike: DeclaredAttack) -> int:
    """By how much a kind of attack lowers a rating: as often the base damage as the armor's features say."""
    found = 0
    for name in sorted(features_of(scene, item)):
        if name in scene[ARMOR_FEATURES]:
            row = scene[ARMOR_FEATURES][name]
            times = row.explosions if strike.blast else row.piercing if strike.pierces and strike.firearm else 0
            times = times or (row.bullets if strike.firearm else row.blunt if strike.wounding == "blunt" else 0)
            found += times * strike.base
    return found


@formula(PARTIAL, COVERS)
def behind(
    scene: Scene,
    who: Person,
    location: str,
    strike: DeclaredAttack = DeclaredAttack("Shove"),  # noqa: B008  # a frozen value
) -> tuple[Protection, ...]:
    """What somebody's cover gives a part of the body: all parts in full cover, else those that do not show."""
    cover = scene[who].cover
    if cover is None or not cover.name:
        return ()
    if cover.areas:
        item = scene[who].thing(cover.name)
        up = location in cover.areas and is_raised(scene, cover) and item.place == HELD
        return (shield_protection(scene, item, strike),) if up else ()
    row = scene[STRUCTURES][cover.name]
    hides = cover.full or location in scene[COVERED]
    return (Protection(row.name, row.armor, row.heavy),) if hides else ()


def is_raised(scene: Scene, cover: Cover) -> bool:
    """A shield covers from the round after it was raised."""
    return BATTLE not in scene or scene[BATTLE].round > cover.since


def rating_of_shield(scene: Scene, item: Item) -> int:
    return scene[SHIELDS].look(item.kind).rating if item.kind in scene[SHIELDS] else armor_of(scene, item)


def shield_protection(scene: Scene, item: Item, strike: DeclaredAttack) -> Protection:
    heavy = item.kind in scene[SHIELDS] and scene[SHIELDS].look(item.kind).heavy
    rating = item.rating(rating_of_shield(scene, item))
    return Protection(item.name, rating, heavy, item.name, weakness(scene, item, strike))


@formula("yearzero.combat.heavy-protection")
def stops_all(scene: Scene, layer: Protection, strike: DeclaredAttack) -> bool:
    """Heavy protection stops whatever does not pierce armor, and is rolled in full against what does."""
    return layer.heavy and not strike.pierces


@formula("yearzero.combat.light-protection")
def dice_of_layer(scene: Scene, layer: Protection, strike: DeclaredAttack, behind_heavy: bool = False) -> int | None:
    """The dice of a layer: fewer of a light one against what pierces armor; None if nothing comes through at all.

    Behind a heavy layer a light one is rolled in full. What the armor is weak against takes the larger of both.
    """
    if stops_all(scene, layer, strike):
        return None
    pierced = strike.base if strike.pierces and not layer.heavy and not behind_heavy else 0
    return max(scene[LEAST], layer.dice - max(pierced, layer.weak))


# --- the rolls --------------------------------------------------------------------------------------------------------


@rule("yearzero.combat.armor")
async def armored(
    scene: Scene,
    who: Person,
    location: str,
    damage: int,
    pierced: bool = False,
    multiple: int = 1,
    strike: DeclaredAttack = DeclaredAttack("Shove"),  # noqa: B008  # a frozen value
) -> int:
    """Gear dice for each layer that protects the place; each success stops a point, and what gets through wears it."""
    left, struck, behind_heavy = damage, await is_struck(who, location, strike), False
    for layer in protections(scene, who, location, strike, multiple, struck):
        dice = dice_of_layer(scene, layer, strike, behind_heavy)
        if left <= 0 or dice == 0:
            continue
        stopped, banes, behind_heavy = left, 0, behind_heavy or layer.heavy
        if dice is not None:
            seen = await roll(ARMOR, who, Pool.of((gear_die(scene), dice)), SymbolCounts)
            if scene[ARMOR_PUSHED] and await offer(who, PUSH, YES):
                seen = await year_zero.throw_again(PUSH, who, seen, kinds(scene))
            stopped = min(left, seen.count(SIX) * scene[PER_ARMOR_X])
            banes = seen.count(ONE) if left > stopped or not scene[ONLY_IF_THROUGH] else 0
        left -= stopped
        if layer.worn and dice is not None:
            await ablate(who, layer.thing, banes, int(pierced))
        if layer.thing:
            await shatter(who, layer.thing, location, stopped)
    return left


@rule("yearzero.combat.target-size")
async def is_struck(scene: Scene, who: Person, location: str, strike: DeclaredAttack) -> bool:
    """A blow at a bare part meets no armor; where armor covers only some of it, a die says whether it is struck."""
    worn = [item for item in scene[who].things if item.place == ON_BODY and location in item.partly]
    if not worn:
        return True
    return (await roll(STRUCK, who, Pool.of((D6, 1)), Total)).total <= scene[STRUCK_UP_TO]


@rule("yearzero.combat.armor-ablation")
async def ablate(scene: Scene, who: Person, thing: str, banes: int, more: int = 0) -> None:
    """If anything gets through each bane of the armor roll wears the armor, unless it is natural."""
    item = scene[who].thing(thing)
    points = banes * scene[ABLATION] + more
    if points and "Natural" not in item.features:
        await alter(who, Survivor.with_thing, item.worn(armor_of(scene, item), points))


@rule("yearzero.gear.armor-features")
async def shatter(scene: Scene, who: Person, thing: str, location: str, stopped: int) -> None:
    """Ablative armor loses rating in the part of the body that was hit, for every point of damage that it stops."""
    item = scene[who].thing(thing)
    named = (name for name in sorted(features_of(scene, item)) if name in scene[ARMOR_FEATURES])
    points = stopped * sum(scene[ARMOR_FEATURES][name].per_stopped for name in named)
    if not points:
        return
    first = armor_of(scene, item)
    if len(areas_of(scene, item)) > 1:
        await alter(who, Survivor.with_thing, item.shattering(first, location, points))
    else:
        await alter(who, Survivor.with_thing, item.worn(first or rating_of_shield(scene, item), points))


def gear_die(scene: Scene) -> Die:
    return next(each.die for each in kinds(scene) if each.name == GEAR)


# --- getting behind it ------------------------------------------------------------------------------------------------


def structures(scene: Scene, who: Person) -> tuple[str, ...]:
    """What there may be to hide behind; without a name nobody knows what it stops."""
    return ("", *scene[STRUCTURES].names)


Structure: TypeAlias = Annotated[str, Pick(structures, seldom=True)]


@rule("yearzero.move.seek-cover/take", "yearzero.combat.cover-seek")
async def take_cover(scene: Scene, who: Person, structure: str = "", full: bool = False) -> None:
    """Behind cover; nobody is prone and behind cover at once."""
    cover = Cover(scene[STRUCTURES][structure].name if structure else "", full)
    await alter(who, lambda sheet: replace(sheet.behind(cover), prone=False))


def check_hidden(scene: Scene, who: Person) -> None:
    cover = scene[who].cover
    if cover is None or not cover.full:
        refuse(f"{who} is not in full cover", rule="yearzero.combat.emerge-from-cover", legal=("seek-cover",))


@action("emerge", "yearzero.combat.emerge-from-cover", price=FAST_ACTION, check=check_hidden)
async def emerge(scene: Scene, who: Person) -> None:
    """Lean out of full cover to see, attack or handle something: head and arms show from now on."""
    await work_off_pain(who)
    await alter(who, _emerging)


def _emerging(sheet: Survivor) -> Survivor:
    return sheet if sheet.cover is None else replace(sheet, cover=replace(sheet.cover, full=False))


def own_shields(scene: Scene, who: Person) -> tuple[str, ...]:
    return tuple(item.name for item in scene[who].things if item.place == HELD and is_shield(scene, item))


def body_parts(scene: Scene, who: Person) -> tuple[str, ...]:
    return LOCATIONS


@formula(f"{SHIELD_COVER}/areas")
def most_areas(scene: Scene, who: Person, shield: str, crouching: bool = False) -> int:
    """As many parts of the body as the shield is listed with, and more the lower one is."""
    item = scene[who].thing(shield)
    listed = scene[SHIELDS].look(item.kind).body_areas if item.kind in scene[SHIELDS] else 1
    more = scene[PRONE_AREAS] if scene[who].prone else scene[CROUCHING_AREAS] if crouching else 0
    return min(scene[MOST_AREAS], listed + more)


def check_areas(scene: Scene, who: Person, shield: str, areas: tuple[str, ...], crouching: bool = False) -> None:
    most = most_areas(scene, who, shield, crouching)
    if not 1 <= len(areas) <= most:
        refuse(f"{shield} covers 1 to {most} parts of the body" if areas else "it must cover something")


Areas: TypeAlias = tuple[Annotated[str, Pick(body_parts)], ...]


@action("raise-shield", SHIELD_COVER, turn=check_able, check=check_areas)
async def raise_shield(
    scene: Scene, who: Person, shield: Annotated[str, Pick(own_shields)], areas: Areas, crouching: bool = False
) -> None:
    """Hold a shield toward a threat: from the next round on it is cover for the parts of the body one has chosen."""
    since = scene[BATTLE].round if BATTLE in scene else 0
    await alter(who, lambda sheet: sheet.behind(Cover(shield, areas=areas, since=since)))
