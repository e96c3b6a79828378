"""Repair: worn and broken things are mended, hardened, or made better than they were."""

from __future__ import annotations

from dataclasses import replace
from enum import Enum
from typing import Annotated, Final, Literal, TypeAlias

from referee.core import (
    Grouped,
    Levels,
    Mod,
    Mods,
    Pick,
    Refused,
    Scene,
    action,
    alter,
    figure,
    figures,
    formula,
    frozen,
    option,
    refuse,
    rule,
    rule_on,
    settled,
)
from referee.core.things import without_thing
from referee.kits.things import amount_of, used_up
from referee.systems.yearzero.activities import beside_other_things, check_free, occupy, quarter_days
from referee.systems.yearzero.catalogue import PLATES, PlateFigures, vest_of
from referee.systems.yearzero.crafting import (
    ALONE,
    CRAFTING,
    TECHNICAL,
    TIME_NEEDED,
    WORKED,
    Materials,
    WorkAid,
    Worked,
    WorkRow,
    check_work,
    gear_of,
    made_by,
    spend_materials,
    with_things,
    work,
    worked,
)
from referee.systems.yearzero.gear import damage_at_first, rating
from referee.systems.yearzero.items import TOOLS, penalty, spare_part
from referee.systems.yearzero.rolls import Attempt, RolledPool, check_attempt, roll_once
from referee.systems.yearzero.sheet import SPECIALTIES, Helpers, Item, Person, Survivor, people
from referee.systems.yearzero.weapons import armor_of
from referee.systems.yearzero.workplace import At, check_building

REQUIREMENTS: Final = "yearzero.gear.repair-requirements"
BY_CRAFTING: Final = "yearzero.crafting.repair"
BY_TECHNICAL: Final = "yearzero.gear.repair-technical-failure"
CRAFTING_FAILURE: Final = "yearzero.gear.repair-crafting-failure"
WORK_QD: Final = figure(REQUIREMENTS, "work_qd", int)
POINTS_PER_X: Final = figure("yearzero.gear.repair-success", "points_per_x", int)


class FailedRepair(Enum):
    """What a failed repair by Crafting does to a thing."""

    PERMANENT = "permanent"
    UNAFFECTED = "unaffected"


FAILED_REPAIR: Final = option(CRAFTING_FAILURE, FailedRepair)


# --- what is mended, by whom, with what


def damaged(scene: Scene, who: Person, owner: Person | None) -> tuple[str, ...]:
    """What has lost something of its rating."""
    return tuple(each.name for each in scene[owner or who].things if each.is_worn)


def check_damaged(scene: Scene, who: Person, thing: str, owner: Person | None) -> None:
    item = scene[owner or who].thing(thing)
    if not item.is_worn:
        refuse(f"{thing} is not damaged", legal=damaged(scene, who, owner), rule=REQUIREMENTS)
    if who.name in item.barred:
        raise Refused(thing, because=f"{who} has failed to repair it, and nobody else has since", rule=BY_CRAFTING)


def tools_for(scene: Scene, who: Person) -> tuple[str, ...]:
    return tuple(each.name for each in scene[who].things if each.at_hand)


def check_tools(scene: Scene, who: Person, tools: str) -> None:
    if not tools:
        refuse("it takes tools", legal=tools_for(scene, who), rule=REQUIREMENTS)
    _ = scene[who].thing(tools)


def repair_specialties(scene: Scene, who: Person, skill: str) -> tuple[str, ...]:
    return ("", *scene[SPECIALTIES[skill]].names)


Owner: TypeAlias = Annotated[Person | None, Pick(lambda scene, who: (None, *people(scene)))]
Damaged: TypeAlias = Annotated[str, Pick(damaged, check_damaged)]
OwnTools: TypeAlias = Annotated[str, Pick(tools_for, check_tools)]
CraftSkill: TypeAlias = Literal["Crafting", "Technical"]
CraftSpecialty: TypeAlias = Annotated[str, Pick(repair_specialties)]


@formula(f"{BY_CRAFTING}/penalty")
def repairing(scene: Scene, item: Item, skill: str, dm: int) -> Mods:
    """By Crafting, what making the thing costs; by Technical, what the job costs."""
    row = made_by(scene, item.kind)
    if skill == CRAFTING and row is not None:
        dm = penalty(scene, row.name)
    return (Mod(dm, item.name, BY_CRAFTING),) if dm else ()


@formula("yearzero.gear.tools-and-parts")
def helped_by(scene: Scene, who: Person, tools: str, item: Item) -> Mods:
    """Tools for this kind of thing are better than any tools."""
    kind = scene[who].thing(tools).kind
    if kind not in scene[TOOLS] or scene[TOOLS][kind].part != item.part:
        return ()
    row = scene[TOOLS][kind]
    return (Mod(row.modification, row.name, TOOLS.rule),) if row.modification else ()


def check_repair(
    scene: Scene, who: Person, skill: str, owner: Person | None, thing: str, tools: str, helpers: Helpers = ()
) -> None:
    """Modern things take Technical and a spare part, others Crafting."""
    check_free(scene, who)
    check_attempt(scene, who, Attempt(skill, gear=gear_of(scene, who, tools), helpers=helpers))
    item = scene[owner or who].thing(thing)
    if tools == thing and owner in (None, who):
        raise Refused(thing, because="it cannot be the tool to mend itself", rule=REQUIREMENTS)
    if skill == TECHNICAL and amount_of(scene[who].things, part := spare_part(scene, item.part)) < 1:
        raise Refused(thing, because=f"it takes a {part}", rule=REQUIREMENTS)


@frozen
class Repaired:
    """What a repair came to."""

    success: bool
    successes: int
    restored: int = 0
    left: int = 0
    """What the thing's Gear Bonus or Reliability is now."""
    full: int = 0
    """What it can be at most from now on."""
    destroyed: bool = False
    pushes: int = 0
    base_banes: int = 0
    gear_banes: int = 0


@action(
    "repair",
    REQUIREMENTS,
    BY_CRAFTING,
    BY_TECHNICAL,
    CRAFTING_FAILURE,
    bands=WORKED,
    check=check_repair,
)
async def repair(
    scene: Scene,
    who: Person,
    skill: CraftSkill,
    owner: Owner,
    thing: Damaged,
    tools: OwnTools,
    specialty: CraftSpecialty = "",
    dm: int = 0,
    helpers: Helpers = (),
    mods: Mods = (),
) -> Repaired:
    """Mend a thing in a Quarter Day: each success brings back a point of its Gear Bonus or Reliability."""
    item = scene[owner or who].thing(thing)
    attempt = Attempt(skill, specialty, gear_of(scene, who, tools), mods, helpers, tags=("repair",))
    attempt = beside_other_things(scene, who, attempt)
    attempt = attempt.adding(*repairing(scene, item, skill, dm), *helped_by(scene, who, tools, item))
    rolled = await roll_once(who, attempt)
    mended = repaired(scene, who, item, rolled, skill)
    first = rating(scene, item)
    done = Repaired(
        rolled.success,
        rolled.successes,
        mended.rating(first) - item.rating(first) if rolled.success else 0,
        mended.rating(first),
        mended.full(first),
        is_destroyed(scene, mended, rolled),
        rolled.pushes,
        rolled.base_banes,
        rolled.gear_banes,
    )
    return await settled(done, then=finish_repair(who, owner or who, mended, skill, done, helpers))


ARMOR_QD: Final = figure("yearzero.combat.armor-ablation", "repair/time_qd", int)
ARMOR_PER_X: Final = figure("yearzero.combat.armor-ablation", "repair/per_x", int)


@formula("yearzero.gear.repair-success")
def points_restored(scene: Scene, successes: int) -> int:
    """A point for each success."""
    return successes * scene[POINTS_PER_X]


@formula("yearzero.combat.armor-ablation/restored")
def armor_restored(scene: Scene, successes: int) -> int:
    """What successes restore of an Armor Rating."""
    return successes * scene[ARMOR_PER_X]


@formula("yearzero.combat.armor-ablation/time")
def time_for_armor(scene: Scene) -> int:
    """How many Quarter Days armor is worked on."""
    return scene[ARMOR_QD]


def repaired(scene: Scene, who: Person, item: Item, rolled: RolledPool, skill: str) -> Item:
    """The thing afterwards."""
    if rolled.success:
        restored = armor_restored if armor_of(scene, item) else points_restored
        item = replace(item.repaired(restored(scene, rolled.successes)), barred=())
    elif skill == CRAFTING:
        item = replace(item, barred=(*item.barred, who.name))
    banes = rolled.base_banes + rolled.gear_banes
    if skill == TECHNICAL:
        return botched_technical(scene, item, banes)
    return botched_crafting(scene, item, banes, rolled.success)


@formula(f"{BY_TECHNICAL}/banes")
def botched_technical(scene: Scene, item: Item, banes: int) -> Item:
    """Each bane of a pushed roll lowers the rating for good."""
    return item.changed(rating(scene, item), -banes)


@formula(f"{BY_CRAFTING}/banes", CRAFTING_FAILURE)
def botched_crafting(scene: Scene, item: Item, banes: int, success: bool) -> Item:
    """A failure, or a bane on what is not whole again, makes the loss permanent; each further bane costs a point."""
    fails_for_good = not success and scene[FAILED_REPAIR] is FailedRepair.PERMANENT
    if fails_for_good or (banes and item.wear):
        item = item.settled()
    return item.changed(rating(scene, item), -max(0, banes - 1))


def is_destroyed(scene: Scene, item: Item, rolled: RolledPool) -> bool:
    """A thing whose rating can never be above nothing is gone for good."""
    return item.full(rating(scene, item)) == 0


@rule(f"{REQUIREMENTS}/finish")
async def finish_repair(
    scene: Scene, who: Person, owner: Person, item: Item, skill: str, done: Repaired, helpers: Helpers = ()
) -> None:
    """The thing is as good as it now is, a spare part is used, and it takes a Quarter Day."""
    by = because_of(skill, done)
    if done.destroyed:
        await alter(owner, lambda sheet: replace(sheet, things=without_thing(sheet.things, item.name)), rule=by)
    else:
        worn = scene[owner].thing(item.name).hardened
        await alter(owner, Survivor.with_thing, replace(item, hardened=worn), rule=by)
    if armor_of(scene, item) and done.success:
        await fit_plates(who, owner, item.name)
    if skill == TECHNICAL and done.success:
        part = spare_part(scene, item.part)
        await alter(who, with_things, used_up(scene[who].things, part, 1, rule=REQUIREMENTS))
    work = time_for_armor(scene) if armor_of(scene, item) else scene[WORK_QD]
    await occupy(who, f"working on {item.name}", quarter_days(scene, work), helpers=helpers)


@rule(PLATES)
async def fit_plates(scene: Scene, who: Person, owner: Person, vest: str) -> None:
    """Replacement plates for a vest that is being repaired mend two points more."""
    item = scene[owner].thing(vest)
    sets = (each for each in scene[who].things if each.at_hand and vest_of(scene, each.kind) == item.kind)
    if item.is_worn and (plates := next(sets, None)) is not None:
        await alter(owner, Survivor.with_thing, item.repaired(scene[PlateFigures].rating_points))
        await alter(who, with_things, used_up(scene[who].things, plates.kind, 1))


def because_of(skill: str, done: Repaired) -> str | None:
    """The rule of a repair that went wrong: by Crafting any failure, by Technical banes."""
    if skill == TECHNICAL:
        return BY_TECHNICAL if done.base_banes + done.gear_banes else None
    return None if done.success else CRAFTING_FAILURE


# --- better than before


HARDEN: Final = "yearzero.crafting.harden-item"
INCREASE: Final = "yearzero.crafting.increase-gear-bonus"


@figures(HARDEN)
class Hardening:
    """Who hardens things, what it takes, and what it spares them."""

    specialties: tuple[str, ...]
    dm: int
    x: int
    damage_ignored: int
    material_units: int


@figures(INCREASE)
class Increase:
    """What it takes to make a thing better, once, and by how much."""

    dm: int
    x: int
    times_per_item: int
    increase: int


IRON: Final = figure(INCREASE, "damage_increase_needs/iron_units", float)
FORGE: Final = figure(INCREASE, "damage_increase_needs/building", str)


def whole_things(scene: Scene, who: Person) -> tuple[str, ...]:
    return tuple(each.name for each in scene[who].things if each.at_hand)


WholeThing: TypeAlias = Annotated[str, Pick(whole_things)]
HardeningSpecialty: TypeAlias = Annotated[str, Pick(lambda scene, who, thing: scene[Hardening].specialties)]


def check_harden(scene: Scene, who: Person, thing: str, materials: tuple[str, ...], tools: str = "") -> None:
    """A unit of raw material, and a thing that is not hardened yet."""
    check_work(scene, who, tools)
    if len(materials) != scene[Hardening].material_units:
        refuse(f"it takes {scene[Hardening].material_units} unit of raw material", rule=HARDEN)
    if thing in materials:
        refuse(f"{thing} cannot be its own raw material", rule=HARDEN)
    if scene[who].thing(thing).hardened:
        refuse(f"{thing} is hardened", rule=HARDEN)


@action("harden", HARDEN, bands=WORKED, check=check_harden)
async def harden(
    scene: Scene,
    who: Person,
    thing: WholeThing,
    specialty: HardeningSpecialty,
    materials: Materials,
    aid: Grouped[WorkAid] = ALONE,
    intended: bool = True,
) -> Worked:
    """Harden a thing: it ignores the first point of damage that a push would cause it."""
    needed = await rule_on(TIME_NEEDED, 1, low=0)
    attempt = aid.attempt(scene, who, CRAFTING, specialty, surplus=False, tags=("craft",))
    attempt = beside_other_things(scene, who, attempt)
    rolled = await roll_once(
        who, work(attempt, WorkRow("harden", scene[Hardening].dm, scene[Hardening].x), HARDEN, intended)
    )
    done = worked(rolled)
    return await settled(done, then=finish_harden(who, thing, materials, done.success, needed, aid.helpers))


@rule(f"{HARDEN}/finish")
async def finish_harden(
    scene: Scene,
    who: Person,
    thing: str,
    materials: tuple[str, ...],
    success: bool,
    needed: int,
    helpers: Helpers = (),
) -> None:
    """The material is used, and the work takes its time."""
    await spend_materials(who, Levels(), materials, 1.0)
    if success:
        hardened = replace(scene[who].thing(thing), hardened=scene[Hardening].damage_ignored)
        await alter(who, Survivor.with_thing, hardened)
    await occupy(who, f"hardening {thing}", quarter_days(scene, needed), helpers=helpers)


Figure: TypeAlias = Literal["gear bonus", "damage"]


def check_improve(
    scene: Scene, who: Person, thing: str, figure: str, tools: str, at: At = None, helpers: Helpers = ()
) -> None:
    """A thing that was not made better before; damage takes iron and a forge."""
    check_work(scene, who, tools, helpers)
    item = scene[who].thing(thing)
    if tools == thing:
        refuse(f"{thing} cannot be the tool to work on itself", rule=INCREASE)
    if int(item.improved) >= scene[Increase].times_per_item:
        refuse(f"{thing} was made better before", rule=INCREASE)
    if who.name in item.barred:
        raise Refused(thing, because=f"{who} has failed on it, and nobody else has repaired it since", rule=BY_CRAFTING)
    if figure == "damage":
        check_building(scene, at, scene[FORGE], rule=INCREASE)
        if (iron := amount_of(scene[who].things, "iron")) < scene[IRON]:
            refuse(f"it takes {scene[IRON]} iron, and there is {iron}", rule=INCREASE)


@action("improve", INCREASE, bands=WORKED, check=check_improve)
async def improve(
    scene: Scene,
    who: Person,
    thing: WholeThing,
    figure: Figure,
    tools: OwnTools,
    specialty: Annotated[str, Pick(lambda scene, who: ("", *scene[SPECIALTIES[CRAFTING]].names))] = "",
    at: At = None,
    intended: bool = True,
    helpers: Helpers = (),
    mods: Mods = (),
) -> Repaired:
    """Raise a thing's Gear Bonus or a weapon's damage, once, by the procedure of a repair."""
    item = scene[who].thing(thing)
    attempt = Attempt(CRAFTING, specialty, gear_of(scene, who, tools), mods, helpers, surplus=False, tags=("craft",))
    attempt = beside_other_things(scene, who, attempt)
    rolled = await roll_once(
        who, work(attempt, WorkRow("improve", scene[Increase].dm, scene[Increase].x), INCREASE, intended)
    )
    mended = improved(scene, who, item, rolled, figure)
    first = rating(scene, item)
    done = Repaired(
        rolled.success,
        rolled.successes,
        0,
        mended.rating(first),
        mended.full(first),
        is_destroyed(scene, mended, rolled),
        rolled.pushes,
        rolled.base_banes,
        rolled.gear_banes,
    )
    return await settled(done, then=finish_improve(who, mended, figure, done, helpers))


def improved(scene: Scene, who: Person, item: Item, rolled: RolledPool, figure: str) -> Item:
    """The thing afterwards: better, or spoiled as by a failed repair."""
    banes = rolled.base_banes + rolled.gear_banes
    if not rolled.success:
        barred = replace(item, barred=(*item.barred, who.name))
        return botched_crafting(scene, barred, banes, False)
    better = replace(item, improved=True)
    if figure == "gear bonus":
        better = better.changed(rating(scene, item), scene[Increase].increase).repaired(scene[Increase].increase)
    else:
        better = replace(better, damage=damage_at_first(scene, item) + scene[Increase].increase)
    return botched_crafting(scene, better, banes, True)


@rule(f"{INCREASE}/finish")
async def finish_improve(
    scene: Scene, who: Person, item: Item, figure: str, done: Repaired, helpers: Helpers = ()
) -> None:
    """Iron is used for damage; then as after a repair."""
    if figure == "damage":
        await alter(who, with_things, used_up(scene[who].things, "iron", scene[IRON], rule=INCREASE))
    await finish_repair(who, who, item, CRAFTING, done, helpers)
