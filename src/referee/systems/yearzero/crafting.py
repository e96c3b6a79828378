"""Crafting: making things by hand, from raw material to what a master makes of it; makeshift things and inventions."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any, Final, Literal, TypeAlias

from referee.core import (
    Applies,
    Bands,
    Grouped,
    Levels,
    Mod,
    Mods,
    Pick,
    Prompt,
    Refused,
    Rows,
    Scene,
    Who,
    action,
    alter,
    cancel_deadline,
    family,
    figure,
    figure_at,
    figures,
    formula,
    frozen,
    refuse,
    rows,
    rows_of,
    rule,
    rule_on,
    set_deadline,
    settled,
    suggest,
)
from referee.core.things import added, whole, without_thing
from referee.kits.things import amount_of, used_up
from referee.kits.wounds import TimeSpan
from referee.systems.yearzero.activities import beside_other_things, check_free, occupy
from referee.systems.yearzero.effects import EffectRow
from referee.systems.yearzero.gear import MELEE_WEAPONS, SHIELDS, bonus_at_first, things_of
from referee.systems.yearzero.items import ITEMS, NOTHING, TOOLS, CraftRow, penalty, successes
from referee.systems.yearzero.rolls import Attempt, RolledPool, check_attempt, level_of, roll_once
from referee.systems.yearzero.sheet import SPECIALTIES, FailedCraft, Helpers, Item, Person, Survivor
from referee.systems.yearzero.skills import check_gear
from referee.systems.yearzero.time import rounds_in
from referee.systems.yearzero.workplace import Workplace, workplaces

CRAFTING: Final = "Crafting"
TECHNICAL: Final = "Technical"
OUTCOME_RULE: Final = "yearzero.crafting.craft-outcome"

TIME_NEEDED: Final = Prompt("time-needed")


@figures(OUTCOME_RULE)
class CraftOutcome:
    """What banes do to a new thing, and when they ruin its material."""

    push_bane_effect_on_item_gear_bonus: int
    no_gear_bonus_fail_banes_to_destroy: int
    failed_dm: int = figure_at("failure_penalty/dm")
    failed_days: int = figure_at("failure_penalty/days")


@frozen
class MakeshiftRow:
    """How many Gear Dice a makeshift thing has, and what that takes."""

    gear_dice: int
    dm: int
    x: int


MAKESHIFT: Final = "yearzero.crafting.makeshift-items"


@figures(MAKESHIFT)
class Makeshift:
    """What has to do for once: what it takes, and how often it works."""

    uses: int
    time: TimeSpan
    special_tools: bool
    versions: Rows[MakeshiftRow] = rows_of(by="gear_dice")
    materials: Rows[str] = rows_of()


HALF: Final = figure("yearzero.crafting.consumables", "materials_lost_fraction", float)


@frozen
class TimeBonus:
    """What taking more time than necessary is worth."""

    time_multiple: int
    dm: int


@frozen
class Pair:
    """Two specialties whose average is rolled."""

    name: str


MORE_TIME: Final = "yearzero.crafting.additional-time"

TIME_BONUSES: Final = figure(MORE_TIME, "bonuses", tuple[TimeBonus, ...])
MOST_TIME_BONUS: Final = figure(MORE_TIME, "max_bonus", int)
PAIRS: Final = rows("yearzero.crafting.average-of-two", "pairs", Pair)


# --- the level


@formula("yearzero.crafting.average-of-two", "yearzero.crafting.use")
def crafting_level(scene: Scene, who: Person, by: str) -> int:
    """The level of a specialty, or the average of two, rounded down."""
    if " + " not in by:
        return specialty_level(scene, who, by)
    one, other = scene[PAIRS].look(by).name.split(" + ")
    return (specialty_level(scene, who, one) + specialty_level(scene, who, other)) // 2


def specialty_level(scene: Scene, who: Person, name: str) -> int:
    """The level of a specialty of Crafting, or of another skill if it is named: `TECHNICAL: Locksmith`."""
    skill, colon, specialty = name.partition(": ")
    skill, specialty = (skill.capitalize(), specialty) if colon else (CRAFTING, name)
    return scene[who].level(skill, scene[SPECIALTIES[skill]][specialty].name)


# --- what is declared


def ways(scene: Scene, who: Person, item: str) -> tuple[str, ...]:
    """The specialties an item is made by."""
    return scene[ITEMS].look(item).by


def shapes(scene: Scene, who: Person, item: str) -> tuple[str, ...]:
    """What can be made of a kind of item: rows of a gear table, if it is several things."""
    return listed(scene, scene[ITEMS].look(item))


def listed(scene: Scene, row: CraftRow) -> tuple[str, ...]:
    """The rows of gear tables that an item may be."""
    weapons = scene[MELEE_WEAPONS].names if "melee weapons" in row.table else ()
    shields = scene[SHIELDS].names if "shields" in row.table else ()
    return row.one_of or (*weapons, *shields)


def made_by(scene: Scene, thing: str) -> CraftRow | None:
    """The easiest row by which a thing is made as it is listed; None if no table has it."""
    plain = (row for row in scene[ITEMS] if not row.bonus)
    return next((row for row in plain if thing in (row.name, row.thing) or thing in listed(scene, row)), None)


def supplies(scene: Scene, who: Person) -> tuple[str, ...]:
    """What could go into something new: things that are no tools or weapons themselves."""
    return tuple(each.name for each in scene[who].things if each.at_hand and not is_tool(scene, each))


def is_tool(scene: Scene, item: Item) -> bool:
    return bonus_at_first(scene, item) > 0 or item.reliability is not None


def check_materials(scene: Scene, who: Person, materials: str) -> None:
    """Whatever somebody has may go into it."""
    if not any(each.name == materials and each.at_hand for each in scene[who].things):
        refuse(f"{who} has no {materials}", legal=supplies(scene, who), rule="yearzero.crafting.craft-requirements")


def tools_at_hand(scene: Scene, who: Person) -> tuple[str, ...]:
    """Tools, and whatever else gives Gear Dice; or nothing."""
    return ("", *(each.name for each in scene[who].things if each.at_hand and helps_to_work(scene, each)))


def helps_to_work(scene: Scene, item: Item) -> bool:
    if item.kind in scene[TOOLS]:
        return not scene[TOOLS].look(item.kind).spare
    return bonus_at_first(scene, item) > 0


def gear_of(scene: Scene, who: Person, tools: str) -> str:
    """Tools that have a Gear Bonus give Gear Dice, and wear; the others only make the work possible."""
    return tools if tools and bonus_at_first(scene, scene[who].thing(tools)) else ""


def routes(scene: Scene, who: Person, item: str) -> tuple[bool, ...]:
    """Aiming for an item, or hoping for it, if that makes a difference."""
    return (True, False) if penalty(scene, item) else (True,)


def any_route(scene: Scene, who: Person, intended: bool) -> None:
    """Either way is legal."""


def circumstances(scene: Scene, who: Person, item: str) -> tuple[bool, ...]:
    """Whether something has changed matters after a failure."""
    return (False, True) if any(each.name == item for each in scene[who].failed_crafts) else ()


def sites(scene: Scene, who: Person, item: str) -> tuple[Who[Workplace] | None, ...]:
    """Where a building is built."""
    return workplaces(scene) if scene[ITEMS].look(item).building else ()


def trade_of(scene: Scene, item: str) -> str:
    """The specialty by which most people make an item."""
    return scene[ITEMS].look(item).by[0].partition(" + ")[0]


CraftItem: TypeAlias = Annotated[str, family(ITEMS, group=trade_of)]
By: TypeAlias = Annotated[str, Pick(ways)]
Shape: TypeAlias = Annotated[str, Pick(shapes), Applies()]
Materials: TypeAlias = tuple[Annotated[str, Pick(supplies, check_materials)], ...]
TimeMultiple: TypeAlias = Annotated[int, suggest(1, 2, 4)]
Tools: TypeAlias = Annotated[str, Pick(tools_at_hand, check_gear)]


@frozen
class WorkAid:
    """What helps with work: tools, helpers, and what the table says."""

    tools: Tools = ""
    helpers: Helpers = ()
    mods: Mods = ()

    def attempt(self, scene: Scene, who: Person, skill: str, specialty: str = "", **more: Any) -> Attempt:
        """The roll for work with all of it."""
        gear = gear_of(scene, who, self.tools)
        return Attempt(skill, specialty, gear, self.mods, self.helpers, **more)


ALONE: Final = WorkAid()


@frozen
class Crafted:
    """What came of it."""

    success: bool
    successes: int
    made: str = ""
    """What the new thing is called; nothing if there is none."""
    quality: Literal["", "listed", "inferior", "broken"] = ""
    gear_bonus: int = 0
    """What is left of its Gear Bonus."""
    materials: Literal["used", "kept", "half lost", "destroyed"] = "kept"
    pushes: int = 0
    base_banes: int = 0
    gear_banes: int = 0


CRAFTED: Final[Bands[Any]] = Bands(
    of=lambda result: "success" if result.success else "failure",
    keys=("success", "failure"),
    bad={
        "harm": lambda result: result.base_banes > 0,
        "spoiled": lambda result: (
            result.materials in ("half lost", "destroyed") or result.quality in ("inferior", "broken")
        ),
    },
)


def check_craft(
    scene: Scene,
    who: Person,
    item: str,
    by: str,
    time_multiple: int = 1,
    tools: str = "",
    helpers: Helpers = (),
) -> None:
    """Whoever is able, with the material that the book names."""
    check_work(scene, who, tools, helpers)
    if time_multiple < 1:
        refuse("it takes its time", rule=MORE_TIME)
    for material, amount in scene[ITEMS].look(item).needs.items():
        if (there := amount_of(scene[who].things, material)) < amount:
            why = f"it takes {amount} {material}, and {who} has {there}"
            raise Refused(item, because=why, rule="yearzero.crafting.craft-requirements")


@action(
    "craft",
    "yearzero.crafting.craft-requirements",
    OUTCOME_RULE,
    "yearzero.crafting.use",
    bands=CRAFTED,
    check=check_craft,
)
async def craft(
    scene: Scene,
    who: Person,
    item: CraftItem,
    by: By,
    make: Shape = "",
    materials: Materials = (),
    aid: Grouped[WorkAid] = ALONE,
    time_multiple: TimeMultiple = 1,
    intended: Annotated[bool, Pick(routes, any_route)] = True,
    changed: Annotated[bool, Pick(circumstances), Applies()] = False,
    at: Annotated[Who[Workplace] | None, Pick(sites), Applies()] = None,
) -> Crafted:
    """Make something new, by a specialty. Aimed for, it takes its penalty; otherwise it takes more successes."""
    needed = await rule_on(TIME_NEEDED, 1, low=0)
    attempt = crafting(scene, who, item, by, intended, aid)
    attempt = attempt.adding(*taking_time(scene, time_multiple), *failed_before(scene, who, item, attempt, changed))
    rolled = await roll_once(who, attempt)
    row = scene[ITEMS][item]
    new = new_thing(scene, row, make, rolled, attempt.needed)
    crafted = outcome(scene, row, new, rolled)
    spent = needed * row.time_multiple * time_multiple
    then = finish_craft(who, item, new, materials, crafted, attempt, at, spent)
    return await settled(crafted, then=then)


def crafting(scene: Scene, who: Person, item: str, by: str, intended: bool, aid: WorkAid = ALONE) -> Attempt:
    """The roll that makes an item, on either of the two routes."""
    row = scene[ITEMS][item]
    specialty = "" if " + " in by else by
    found = aid.attempt(scene, who, CRAFTING, specialty, level=crafting_level(scene, who, by))
    found = beside_other_things(scene, who, found)
    found = replace(found, surplus=bool(row.suppresses or row.turns_per_extra), tags=("craft",))
    if intended:
        return aimed(found, penalty(scene, item), item, scene[ITEMS].rule_of(item))
    return replace(found, needed=successes(scene, item))


def aimed(attempt: Attempt, dm: int, name: str, by: str) -> Attempt:
    """With the penalty of what is aimed for."""
    return attempt.adding(Mod(dm, name, by)) if dm else attempt


@formula(MORE_TIME)
def taking_time(scene: Scene, time_multiple: int) -> Mods:
    """Twice the time helps, four times helps more, and more than that no further."""
    best = max((row.dm for row in scene[TIME_BONUSES] if row.time_multiple <= time_multiple), default=0)
    bonus = min(best, scene[MOST_TIME_BONUS])
    return (Mod(bonus, "more time", MORE_TIME),) if bonus else ()


@formula(OUTCOME_RULE)
def failed_before(scene: Scene, who: Person, item: str, attempt: Attempt, changed: bool) -> Mods:
    """After a failure the next thing of the kind is harder, unless something is better this time."""
    before = next((each for each in scene[who].failed_crafts if each.name == item), None)
    if before is None or changed:
        return ()
    now = as_tried(scene, who, item, attempt)
    if now.level > before.level or now.helpers > before.helpers or now.tools > before.tools:
        return ()
    return (Mod(scene[CraftOutcome].failed_dm, "failed before", OUTCOME_RULE),)


def as_tried(scene: Scene, who: Person, item: str, attempt: Attempt) -> FailedCraft:
    """With what skill, help and tools an item is tried."""
    tools = bonus_at_first(scene, scene[who].thing(attempt.gear)) if attempt.gear else 0
    return FailedCraft(item, level_of(scene, who, attempt), len(attempt.helpers), tools)


# --- what comes of it


def outcome(scene: Scene, row: CraftRow, new: Item, rolled: RolledPool) -> Crafted:
    """A thing of listed quality; banes of a pushed roll count against it, or against the material."""
    banes = rolled.base_banes + rolled.gear_banes
    full = new.full(bonus_at_first(scene, new))
    seen = (rolled.pushes, rolled.base_banes, rolled.gear_banes)
    if not rolled.success:
        return Crafted(False, rolled.successes, "", "", 0, spoiled(scene, row, full, banes), *seen)
    left = new.rating(bonus_at_first(scene, new))
    quality: Literal["listed", "inferior", "broken"] = "inferior" if new.inferior else "listed"
    if full and not left:
        quality = "broken"
    return Crafted(True, rolled.successes, new.kind, quality, left, "used", *seen)


def new_thing(scene: Scene, row: CraftRow, make: str, rolled: RolledPool, needed: int = 1) -> Item:
    """The thing as it leaves the crafter's hands."""
    name = make or row.thing
    extra = max(0, rolled.successes - needed)
    potency = rolled.successes if row.suppresses else row.turns + extra * row.turns_per_extra
    new = Item(name, amount=row.amount, gear_bonus=row.gear_bonus, potency=potency)
    printed = bonus_at_first(scene, new)
    new = replace(new, for_good=row.bonus) if printed else replace(new, gear_bonus=row.bonus or row.gear_bonus)
    new = replace(new, price_multiple=row.sale_price_multiple, uses=scene[Makeshift].uses if row.makeshift else None)
    banes = rolled.base_banes + rolled.gear_banes
    bonus = bonus_at_first(scene, new)
    lost = -scene[CraftOutcome].push_bane_effect_on_item_gear_bonus * banes
    return new.worn(bonus, lost) if new.full(bonus) else replace(new, inferior=banes > 0)


@formula("yearzero.crafting.consumables", OUTCOME_RULE)
def spoiled(scene: Scene, row: CraftRow, full: int, banes: int) -> Literal["kept", "half lost", "destroyed"]:
    """What a failure does to the material."""
    ruin = full or scene[CraftOutcome].no_gear_bonus_fail_banes_to_destroy
    if banes >= ruin:
        return "destroyed"
    return "half lost" if row.consumable else "kept"


@rule(f"{OUTCOME_RULE}/finish", "yearzero.crafting.consumables", "yearzero.crafting.craft-requirements")
async def finish_craft(
    scene: Scene,
    who: Person,
    item: str,
    new: Item,
    materials: tuple[str, ...],
    crafted: Crafted,
    attempt: Attempt,
    at: Who[Workplace] | None,
    quarter_days: int,
) -> None:
    """Material is used, the new thing will be there, a failure is remembered, and the work takes its time."""
    row, rounds = scene[ITEMS][item], rounds_in(scene, "quarter day", quarter_days)
    await spend_materials(who, row.needs, materials, share(scene, crafted))
    await forget_failure(who, item)
    if not crafted.success:
        await remember_failure(who, as_tried(scene, who, item, attempt), rounds)
    elif row.building and at is not None:
        await alter(at, Workplace.with_building, row.thing)
    elif not row.building and row.thing != NOTHING:
        await receive(who, new)
    await occupy(who, f"making {row.thing}", rounds, helpers=attempt.helpers)


def share(scene: Scene, crafted: Crafted) -> float:
    """How much of the material is gone."""
    return {"used": 1.0, "destroyed": 1.0, "half lost": scene[HALF], "kept": 0.0}[crafted.materials]


@rule("yearzero.crafting.craft-requirements/materials")
async def spend_materials(scene: Scene, who: Person, needs: Levels, materials: tuple[str, ...], share: float) -> None:
    """So much of what the book names, and of a unit of everything else that went in."""
    things = scene[who].things
    wanted = [(kind, amount) for kind, amount in needs.items()]
    wanted += [(scene[who].thing(name).kind, 1) for name in materials if scene[who].thing(name).kind not in needs]
    for kind, amount in wanted if share else ():
        part = min(whole(amount * share), amount_of(things, kind))
        things = used_up(things, kind, part, rule="yearzero.crafting.craft-requirements")
    if things != scene[who].things:
        await alter(who, with_things, things)


def with_things(sheet: Survivor, things: tuple[Item, ...]) -> Survivor:
    return replace(sheet, things=things)


@rule("yearzero.crafting.use/receive")
async def receive(scene: Scene, who: Person, thing: Item) -> None:
    """Something new is there. Material is counted; what can be worn down has a name of its own."""
    counted = not bonus_at_first(scene, thing) and thing.reliability is None
    await alter(who, with_things, added(scene[who].things, thing, counted=counted))


# --- failures


@rule(f"{OUTCOME_RULE}/failure")
async def remember_failure(scene: Scene, who: Person, failed: FailedCraft, rounds: int) -> None:
    """For a week after the work is over, the next thing of the kind is harder to make."""
    await alter(who, lambda sheet: replace(sheet, failed_crafts=(*sheet.failed_crafts, failed)))
    await set_deadline(
        rounds + rounds_in(scene, "day", scene[CraftOutcome].failed_days), who, forget, about=failed.name
    )


@rule(f"{OUTCOME_RULE}/next")
async def forget_failure(scene: Scene, who: Person, item: str) -> None:
    """The penalty is for one roll."""
    if any(each.name == item for each in scene[who].failed_crafts):
        await cancel_deadline(who, forget, about=item)
        await forget(who, item)


@rule(f"{OUTCOME_RULE}/week")
async def forget(scene: Scene, who: Person, about: str) -> None:
    """The failure is behind one."""
    await alter(who, without_failure, about)


def without_failure(sheet: Survivor, item: str) -> Survivor:
    return replace(sheet, failed_crafts=tuple(each for each in sheet.failed_crafts if each.name != item))


# --- feats of builders


@frozen
class WorkRow:
    """A piece of work: the penalty to aim for it, the successes that do it without, and how long it takes."""

    name: str
    dm: int
    x: int
    specialty: str = ""
    time: TimeSpan | None = None
    makes: str = ""
    says: str = ""


FEATS: Final = rows("yearzero.crafting.builder-feats", "effects", WorkRow)
Feat: TypeAlias = Annotated[str, family(FEATS)]


@frozen
class Worked:
    """What work came to."""

    success: bool
    successes: int
    effects: tuple[str, ...] = ()
    pushes: int = 0
    base_banes: int = 0
    gear_banes: int = 0


WORKED: Final[Bands[Any]] = Bands(
    of=lambda result: "success" if result.success else "failure",
    keys=("success", "failure"),
    bad={"harm": lambda result: result.base_banes > 0, "wear": lambda result: result.gear_banes > 0},
)


def worked(rolled: RolledPool, *effects: str) -> Worked:
    seen = (rolled.pushes, rolled.base_banes, rolled.gear_banes)
    return Worked(rolled.success, rolled.successes, effects if rolled.success else (), *seen)


def work(attempt: Attempt, row: WorkRow | EffectRow, by: str, intended: bool) -> Attempt:
    """A roll for a piece of work, on either of the two routes."""
    return aimed(attempt, row.dm, row.name, by) if intended else replace(attempt, needed=row.x)


def check_work(scene: Scene, who: Person, tools: str = "", helpers: Helpers = ()) -> None:
    """Somebody able and free, with tools that work."""
    check_free(scene, who)
    check_attempt(scene, who, Attempt(CRAFTING, gear=gear_of(scene, who, tools), helpers=helpers))


EXTRA_RESOURCE: Final = "gain one extra resource"


def takes_apart(scene: Scene, who: Person, effect: str) -> bool:
    return effect != EXTRA_RESOURCE


def check_feat(
    scene: Scene, who: Person, effect: str, resource: str, thing: str = "", tools: str = "", helpers: Helpers = ()
) -> None:
    """What there is more of must be said; nothing is the tool to take itself apart."""
    check_work(scene, who, tools, helpers)
    if effect == EXTRA_RESOURCE and not resource:
        refuse("it is more of a `resource`", legal=("resource: wood", "resource: stone"))
    if thing and thing == tools:
        refuse(f"{thing} cannot be the tool to take itself apart")


@action("builder-feat", "yearzero.crafting.builder-feats", bands=WORKED, check=check_feat)
async def builder_feat(
    scene: Scene,
    who: Person,
    effect: Feat,
    resource: Annotated[str, suggest("wood", "stone", "iron ore")] = "",
    thing: Annotated[str, Pick(lambda scene, who: ("", *things_of(scene, who))), Applies(takes_apart)] = "",
    aid: Grouped[WorkAid] = ALONE,
    intended: bool = True,
) -> Worked:
    """Get more out of a Quarter Day's building, mining or felling, or take something apart: one's own thing is gone."""
    row = scene[FEATS][effect]
    attempt = aid.attempt(scene, who, CRAFTING, "Builder", surplus=False, tags=("craft",))
    attempt = beside_other_things(scene, who, attempt)
    rolled = await roll_once(who, work(attempt, row, FEATS.rule, intended))
    done = worked(rolled, row.name)
    gained = resource if rolled.success else ""
    rounds, apart = rounds_in(scene, "quarter day"), thing if rolled.success else ""
    return await settled(done, then=finish_feat(who, gained, apart, rounds, aid.helpers))


@rule("yearzero.crafting.builder-feats/finish")
async def finish_feat(scene: Scene, who: Person, gained: str, apart: str, rounds: int, helpers: Helpers = ()) -> None:
    """What was taken apart is gone, and what it gave is there."""
    if apart:
        await alter(who, with_things, without_thing(scene[who].things, apart))
    await finish_work(who, gained, "building", rounds, helpers)


@rule("yearzero.crafting.use/finish")
async def finish_work(
    scene: Scene, who: Person, gained: str, activity: str, rounds: int, helpers: Helpers = ()
) -> None:
    """What was made or gained is there, and the work takes its time."""
    if gained:
        await receive(who, Item(gained))
    await occupy(who, activity, rounds, helpers=helpers)
