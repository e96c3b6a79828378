"""Survival: living off the land."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Annotated, Final, Literal, TypeAlias

from referee.core import (
    YES,
    Effect,
    Mod,
    Mods,
    Pick,
    Prompt,
    Refused,
    Scene,
    action,
    alter,
    choose,
    figure,
    figures,
    formula,
    frozen,
    hand_over,
    offer,
    refuse,
    rows,
    rule,
    rule_on,
    settled,
    tell,
)
from referee.core.clock import Due, due
from referee.core.effects import Adds, Grants
from referee.core.things import whole
from referee.kits.things import amount_of, of_kind
from referee.systems.yearzero.activities import (
    ANYTHING,
    ActivityResult,
    check_free,
    check_time,
    dawn_of,
    day_of,
    has_bane,
    lay_for,
    mishap_of,
    now,
    occupy,
    quarter_days,
    result,
    running,
    sharing,
    span,
)
from referee.systems.yearzero.effects import (
    OUTCOME,
    TABLES,
    EffectRow,
    aiming,
    carry_out,
    effect_table,
    effects_of,
    reached,
)
from referee.systems.yearzero.harm import can_act, check_able
from referee.systems.yearzero.marksmanship import is_ranged
from referee.systems.yearzero.outdoor_mishaps import MISHAP_TABLES, roll_mishap, suffer_mishap
from referee.systems.yearzero.rest import work_a_quarter_day
from referee.systems.yearzero.rolls import Attempt, RolledPool, pay_later, roll_once, roll_skill
from referee.systems.yearzero.scrounging import check_place, find_scrap, mark_searched, searched_before
from referee.systems.yearzero.sheet import ENVIRONMENT, MOST_WILLPOWER, Helpers, Person, Survivor, is_environment
from referee.systems.yearzero.skills import Gear, Members
from referee.systems.yearzero.terrain import land_mods, terrains

GENERAL: Final = "yearzero.survival.general-effects"
COOKING: Final = "yearzero.survival.cooking"
FISHING: Final = "yearzero.survival.fishing"
FORAGING: Final = "yearzero.survival.foraging"
HUNTING: Final = "yearzero.survival.hunting"
PATHFINDING: Final = "yearzero.survival.pathfinding"
CAMP: Final = "yearzero.survival.make-camp"
QUARTERMASTER: Final = "yearzero.survival.quartermaster-effects"
SCROUNGING: Final = "yearzero.survival.scrounging"

EFFECTS: Final = effect_table(GENERAL, "Survival", bonus="bonus_effects", general=True)
FORAGE_EFFECTS: Final = effect_table(FORAGING, "Survival", beside=EFFECTS)
HUNT_EFFECTS: Final = effect_table(HUNTING, "Survival", beside=EFFECTS)
CAMP_EFFECTS: Final = effect_table(QUARTERMASTER, "Survival", beside=EFFECTS)

RATIONS: Final = "field rations"
RAW: Final = ("meat", "fish", "vegetables")


@rule(f"{GENERAL}/sleep")
async def sleep_in_saddle(scene: Scene, who: Person, target: Person | None, beyond: int) -> None:
    """Sleep while riding, or without a camp, for a Quarter Day."""
    await lay_for(who, Effect(Grants("sleep anywhere")), quarter_days(scene), "sleep in the saddle", GENERAL)


def covering(*names: str) -> Callable[[Scene, Person], tuple[str, ...]]:
    """What may cover an activity in the wild: its own specialty, or that of the environment."""

    def specialties(scene: Scene, who: Person) -> tuple[str, ...]:
        return (*names, *(scene[who].environments or (ENVIRONMENT,)))

    return specialties


OUTDOORS: Final = ("Forager", "Hunter", "")


def check_covers(scene: Scene, who: Person, specialty: str) -> None:
    """The specialty of the activity, or one for an environment."""
    if specialty not in OUTDOORS and not is_environment(specialty):
        refuse(
            f"{specialty} does not cover it",
            rule="yearzero.survival.specialties",
            legal=scene[who].environments or (ENVIRONMENT,),
        )


@rule("yearzero.survival.use/failure")
async def fail(
    scene: Scene, who: Person, rolled: RolledPool, table: str, gear: str = "", net: bool = False
) -> ActivityResult:
    """Nothing, and a mishap if a bane of a pushed roll shows: from the table of the activity, if there is one."""
    if table not in MISHAP_TABLES or not has_bane(rolled):
        return result(rolled, mishap=await mishap_of(rolled, table))
    row = await roll_mishap(who, table, net)
    told = "" if row.poison else row.name
    return await settled(result(rolled, row.amount, mishap=told), then=suffer_mishap(who, table, row.name, gear))


@rule("yearzero.survival.use/roll")
async def try_survival(
    scene: Scene, who: Person, attempt: Attempt, table: str, effect: str, owed: bool = True
) -> tuple[RolledPool, EffectRow | None, tuple[str, ...]]:
    """A roll for effects: what was rolled, the effect that was reached, and all their names."""
    rolled = await roll_skill(who, replace(aiming(scene, TABLES[table], attempt, effect), owed=owed))
    row = await reached(who, rolled, attempt, table, effect)
    chosen = await carry_out(who, row, attempt, table, None, 0) if row is not None else ()
    return rolled, row, (row.name, *chosen) if row is not None else ()


def general_effects(scene: Scene, who: Person) -> tuple[str, ...]:
    return effects_of(scene, EFFECTS)


GeneralEffect: TypeAlias = Annotated[str, Pick(general_effects)]
Terrain: TypeAlias = Annotated[str, Pick(terrains, seldom=True)]
"""The land somebody is in; on a journey its map says it."""


# --- food -------------------------------------------------------------------------------------------------------------


@frozen
class Kitchen:
    """Where one cooks: how long it takes, and how many units one roll covers."""

    name: str
    minutes: int
    raw_units: int


KITCHENS: Final = rows(COOKING, "places", Kitchen)


@figures(COOKING)
class Cooking:
    """What cooking makes of food."""

    specialty: str
    rations_per_raw_unit: int
    brewing_or_advanced_meal_dm: int


def raw_food(scene: Scene, who: Person) -> tuple[str, ...]:
    return tuple(each for each in RAW if amount_of(scene[who].things, each) >= 1)


def check_raw(scene: Scene, who: Person, food: str) -> None:
    if food not in raw_food(scene, who):
        refuse(f"{who} has no unit of {food}", legal=raw_food(scene, who))


@action("cook", COOKING, bands=OUTCOME, check=check_time, turn=check_able)
async def cook(
    scene: Scene,
    who: Person,
    food: Annotated[str, Pick(raw_food, check_raw)],
    place: Annotated[str, KITCHENS] = "campfire",
    advanced: bool = False,
    gear: Gear = "",
    mods: Mods = (),
    helpers: Helpers = (),
) -> ActivityResult:
    """Turn raw food into rations. Brewing and advanced meals are harder for a cook who is no chef."""
    row, cooking = scene[KITCHENS][place], scene[Cooking]
    harder = (Mod(cooking.brewing_or_advanced_meal_dm, "advanced meal", COOKING),) if advanced else ()
    await occupy(who, "cooking", span(scene, row.minutes, "minute"), helpers=helpers)
    own = (*mods, *harder)
    attempt = Attempt("Survival", cooking.specialty, gear, own, helpers, tags=("cooking",), surplus=False)
    rolled = await roll_once(who, attempt)
    if not rolled.success:
        return result(rolled)
    units = min(row.raw_units, int(amount_of(scene[who].things, food)))
    await alter(who, without_food, food, units)
    await alter(who, Survivor.with_more, RATIONS, units * cooking.rations_per_raw_unit)
    return result(rolled, units * cooking.rations_per_raw_unit)


def without_food(sheet: Survivor, food: str, units: int) -> Survivor:
    """With so many units less of a food."""
    kept = []
    for thing in sheet.things:
        taken = min(thing.amount, units) if thing in of_kind(sheet.things, food) else 0
        units -= int(taken)
        if thing.amount > taken:
            kept.append(replace(thing, amount=whole(thing.amount - taken)))
    return replace(sheet, things=tuple(kept))


@figures(FISHING)
class Fishing:
    """What fishing brings."""

    time_qd: int
    specialty: str
    fish_units_per_success: int
    failure_with_bane: str
    gear_required: bool
    may_hike: bool
    from_moving_boat: bool


def check_fishing(scene: Scene, who: Person, gear: str, hiking: bool = False, boat: bool = False) -> None:
    """Gear is needed, and nobody hikes while fishing."""
    check_free(scene, who)
    if scene[Fishing].gear_required and not gear:
        refuse("fishing takes gear", rule=FISHING)
    if hiking and not (scene[Fishing].may_hike or (boat and scene[Fishing].from_moving_boat)):
        refuse("nobody can hike while fishing; a moving boat is fine", rule=FISHING)


@action("fish", FISHING, bands=OUTCOME, check=check_fishing, turn=check_able)
async def fish(
    scene: Scene,
    who: Person,
    gear: Gear = "",
    hiking: bool = False,
    boat: bool = False,
    effect: GeneralEffect = "",
    mods: Mods = (),
    helpers: Helpers = (),
    net: bool = False,
) -> ActivityResult:
    """A Quarter Day of fishing: a unit of fish for each success."""
    fishing = scene[Fishing]
    own = (*mods, *sharing(scene, who))
    await work_a_quarter_day(who, "fishing", quarter_days(scene, fishing.time_qd), helpers=helpers)
    attempt = Attempt("Survival", fishing.specialty, gear, own, helpers)
    rolled, _, effects = await try_survival(who, attempt, GENERAL, effect)
    rolled = await pay_later(who, rolled)
    if not rolled.success:
        return await hand_over(fail(who, rolled, fishing.failure_with_bane, gear, net))
    caught = rolled.successes * fishing.fish_units_per_success
    await alter(who, Survivor.with_more, "fish", caught)
    return result(rolled, caught, effects)


@figures(FORAGING)
class Foraging:
    """What foraging brings."""

    time_qd: int
    specialty: str
    vegetables_units_per_success: int
    herbs_units: float
    failure_with_bane: str


Sought: TypeAlias = Literal["food", "water", "herbs"]
HERBS: Final = "search for herbs"


def forage_effects(scene: Scene, who: Person, seeking: Sought = "food") -> tuple[str, ...]:
    return effects_of(scene, FORAGE_EFFECTS, seeking)


def foraged(scene: Scene, seeking: Sought, rolled: RolledPool, row: EffectRow | None) -> tuple[str, float]:
    """What is found, and how much of it: herbs if they were aimed for, or by two successes that buy nothing else."""
    foraging = scene[Foraging]
    if seeking == "water":
        return "drinkable water", 1
    if seeking == "herbs":
        lucky = row is None and rolled.successes >= scene[FORAGE_EFFECTS.rows].look(HERBS).x
        return "herbs", foraging.herbs_units if lucky or (row is not None and row.name == HERBS) else 0
    times = row.amount if row is not None and row.tag == "food" else 1
    return "vegetables", times * rolled.successes * foraging.vegetables_units_per_success


def check_foraging(scene: Scene, who: Person, terrain: str = "") -> None:
    """Somebody free, where something grows."""
    check_time(scene, who)
    _ = land_mods(scene, who, "forage", terrain)


@action("forage", FORAGING, bands=OUTCOME, check=check_foraging, turn=check_able)
async def forage(
    scene: Scene,
    who: Person,
    seeking: Sought = "food",
    effect: Annotated[str, Pick(forage_effects)] = "",
    specialty: Annotated[str, Pick(covering("Forager"), check_covers)] = "Forager",
    gear: Gear = "",
    mods: Mods = (),
    helpers: Helpers = (),
    terrain: Terrain = "",
) -> ActivityResult:
    """A Quarter Day in search of food, water or herbs."""
    foraging = scene[Foraging]
    own = (*mods, *sharing(scene, who), *land_mods(scene, who, "forage", terrain))
    await work_a_quarter_day(who, "foraging", quarter_days(scene, foraging.time_qd), helpers=helpers)
    attempt = Attempt("Survival", specialty, gear, own, helpers, tags=(seeking,), surplus=seeking != "water")
    rolled, row, effects = await try_survival(who, attempt, FORAGING, effect)
    rolled = await pay_later(who, rolled)
    if not rolled.success:
        return await hand_over(fail(who, rolled, foraging.failure_with_bane))
    what, amount = foraged(scene, seeking, rolled, row)
    if amount:
        await alter(who, Survivor.with_more, what, whole(amount))
    return result(rolled, amount, effects, success=amount > 0)


# --- hunting ----------------------------------------------------------------------------------------------------------


@figures(HUNTING)
class Hunting:
    """How a hunt goes."""

    time_qd: int
    specialty: str
    while_hiking_dm: int
    prey_rerolls_per_extra_success: int
    failure_with_bane: str


KILL_ROLLS: Final = {
    "weapon": figure(HUNTING, "kill_roll/weapon", str),
    "trap": figure(HUNTING, "kill_roll/trap", str),
}
PREY: Final = Prompt("prey")
PREY_AGAIN: Final = Prompt("prey-again")
EITHER_PREY: Final = Prompt("either-prey")
PREY_DIFFICULTY: Final = Prompt("prey-difficulty")
PREY_TRAPPED: Final = Prompt("prey-can-be-trapped")
PREY_MEAT: Final = Prompt("prey-meat")
AGGRESSIVE: Final = Prompt("prey-is-aggressive")
UNKNOWN_PREY: Final = "an animal of the Prey table"
PICK_OF_TWO: Final = "pick of two"


@frozen
class HuntResult:
    """What a hunt came to."""

    success: bool
    successes: int
    prey: str = ""
    meat: int = 0
    attacked: bool = False
    """Whether the animal attacks at once."""
    effects: tuple[str, ...] = ()
    mishap: str = ""
    pushes: int = 0
    base_banes: int = 0
    gear_banes: int = 0


def hunt_effects(scene: Scene, who: Person) -> tuple[str, ...]:
    return effects_of(scene, HUNT_EFFECTS)


def check_hunt(scene: Scene, who: Person, weapon: str, trap: bool = False, terrain: str = "") -> None:
    """A ranged weapon, or a trap, of which no more need be said; and land with prey."""
    check_free(scene, who)
    _ = land_mods(scene, who, "hunt", terrain)
    if not trap and not (weapon and is_ranged(scene, scene[who].thing(weapon))):
        ranged = (each.name for each in scene[who].things if is_ranged(scene, each))
        legal = (*(f"weapon: {name}" for name in ranged), "trap: yes")
        why = f"{weapon} is no ranged weapon" if weapon else "neither is named"
        refuse(f"hunting takes a ranged weapon or a hunting trap, and {why}", rule=HUNTING, legal=legal)


@action("hunt", HUNTING, bands=OUTCOME, check=check_hunt, turn=check_able)
async def hunt(
    scene: Scene,
    who: Person,
    weapon: Gear = "",
    trap: bool = False,
    hiking: bool = False,
    effect: Annotated[str, Pick(hunt_effects)] = "",
    specialty: Annotated[str, Pick(covering("Hunter"), check_covers)] = "Hunter",
    mods: Mods = (),
    helpers: Helpers = (),
    terrain: Terrain = "",
) -> HuntResult:
    """A Quarter Day of hunting: one roll to find prey, another to kill it."""
    hunting = scene[Hunting]
    own = (*mods, *sharing(scene, who), *land_mods(scene, who, "hunt", terrain))
    if hiking:
        own = (*own, Mod(hunting.while_hiking_dm, "hiking", HUNTING))
    await work_a_quarter_day(who, "hunting", quarter_days(scene, hunting.time_qd), helpers=helpers)
    attempt = Attempt("Survival", specialty, "", own, helpers)
    rolled, row, effects = await try_survival(who, attempt, HUNTING, effect, owed=False)
    banes = (rolled.pushes, rolled.base_banes, rolled.gear_banes)
    if not rolled.success:
        mishap = await mishap_of(rolled, hunting.failure_with_bane)
        return HuntResult(False, rolled.successes, "", 0, False, effects, mishap, *banes)
    prey = await find_prey(who, rolled, row, aimed=bool(effect))
    if not can_act(scene[who]):  # Broken by the push: the prey gets away
        return HuntResult(False, rolled.successes, prey, 0, False, effects, "", *banes)
    return await hand_over(kill(who, weapon, trap, prey, effects))


@rule(f"{HUNTING}/prey")
async def find_prey(scene: Scene, who: Person, rolled: RolledPool, row: EffectRow | None, aimed: bool) -> str:
    """The game master says what was found; re-rolls replace it, only the pick of two leaves a choice."""
    if row is not None and row.name == PICK_OF_TWO:
        return await choose(who, EITHER_PREY, (await rule_on(PREY, UNKNOWN_PREY), await rule_on(PREY, UNKNOWN_PREY)))
    extra = (rolled.successes - 1) * scene[Hunting].prey_rerolls_per_extra_success
    rerolls = extra + (int(row.amount) if aimed and row is not None else 0)
    prey = await rule_on(PREY, UNKNOWN_PREY)
    while rerolls and await offer(who, PREY_AGAIN, YES):
        prey, rerolls = await rule_on(PREY, UNKNOWN_PREY), rerolls - 1
    return prey


@rule(f"{HUNTING}/kill")
async def kill(scene: Scene, who: Person, weapon: str, trap: bool, prey: str, effects: tuple[str, ...]) -> HuntResult:
    """One roll, as hard as the animal; an aggressive one that lives attacks at once."""
    if trap and not await rule_on(PREY_TRAPPED, True, options=(True, False)):
        raise Refused(prey, because="it cannot be trapped", rule=HUNTING)
    difficulty = await rule_on(PREY_DIFFICULTY, 0)
    skill = scene[KILL_ROLLS["trap" if trap else "weapon"]]
    mods = (Mod(difficulty, prey, HUNTING),) if difficulty else ()
    rolled = await roll_once(who, Attempt(skill, "", weapon, mods, tags=("hunt",), surplus=False))
    banes = (rolled.pushes, rolled.base_banes, rolled.gear_banes)
    if not rolled.success:
        attacked = await rule_on(AGGRESSIVE, False, options=(True, False))
        mishap = await mishap_of(rolled, scene[Hunting].failure_with_bane)
        return HuntResult(False, rolled.successes, prey, 0, attacked, effects, mishap, *banes)
    meat = await rule_on(PREY_MEAT, 1, low=0)
    if meat:
        await alter(who, Survivor.with_more, "meat", meat)
    return HuntResult(True, rolled.successes, prey, meat, False, effects, "", *banes)


# --- travel -----------------------------------------------------------------------------------------------------------


@figures(PATHFINDING)
class Pathfinding:
    """How somebody leads the way."""

    time_qd: int
    multitask_dm_both_actions: int
    trail_dm: int


WAYS: Final = {way: figure(PATHFINDING, f"specialties/{way}", str) for way in ("land", "water", "air")}
TRAVEL_MISHAP: Final = Prompt("travel-mishap")
LOST: Final = "Lost"


@action("lead-the-way", PATHFINDING, bands=OUTCOME, check=check_time, turn=check_able)
async def lead_the_way(
    scene: Scene,
    who: Person,
    by: Literal["land", "water", "air"] = "land",
    path: Literal["none", "trail", "road"] = "none",
    landmark: bool = False,
    multitask: bool = False,
    effect: GeneralEffect = "",
    specialty: Annotated[str, Pick(covering(""), check_covers)] = "",
    gear: Gear = "",
    mods: Mods = (),
    helpers: Helpers = (),
) -> ActivityResult:
    """Lead everyone into a new hex. A failure still gets there, but with a mishap; a road needs no roll."""
    sharing_time, beside = sharing(scene, who), ANYTHING if multitask else ""
    time = quarter_days(scene, scene[Pathfinding].time_qd)
    await work_a_quarter_day(who, "leading the way", time, beside, helpers)
    own = (*mods, *sharing_time)
    return await hand_over(find_the_way(who, by, path, landmark, multitask, effect, specialty, gear, own, helpers))


@rule(f"{PATHFINDING}/roll", PATHFINDING, bands=OUTCOME)
async def find_the_way(
    scene: Scene,
    who: Person,
    by: Literal["land", "water", "air"],
    path: Literal["none", "trail", "road"],
    landmark: bool,
    multitask: bool,
    effect: str,
    specialty: str,
    gear: str,
    mods: Mods,
    helpers: Helpers,
) -> ActivityResult:
    """The roll for one new hex."""
    leading = scene[Pathfinding]
    own = [*mods]
    if multitask:
        own.append(Mod(leading.multitask_dm_both_actions, "something else besides", PATHFINDING))
    if path == "trail":
        own.append(Mod(leading.trail_dm, "trail", PATHFINDING))
    if path == "road":
        return ActivityResult(True, 0)
    attempt = Attempt("Survival", specialty or scene[WAYS[by]], gear, tuple(own), helpers, surplus=False)
    rolled, _, effects = await try_survival(who, attempt, GENERAL, effect)
    rolled = await pay_later(who, rolled)
    mishap = "" if rolled.success else await rule_on(TRAVEL_MISHAP, "the travel mishap table")
    if landmark and mishap == LOST:
        refuse("nobody gets lost who sees where to go", rule=PATHFINDING)
    return result(rolled, 0, effects, mishap)


# --- camp -------------------------------------------------------------------------------------------------------------


@figures(CAMP)
class Camp:
    """How long a camp takes, and for how many."""

    time_qd: int
    specialty: str
    hours: int
    rollers: int
    helping_allowed: bool
    free_travellers: int
    travellers_step: int
    extra_hours_per_step: int
    failure_with_bane: str


LEAST_HOURS: Final = figure(QUARTERMASTER, "minimum_hours", int)
GOOD_WATCH: Final = "good watch"
TEMPORARY: Final = "temporary Willpower"


@formula(f"{CAMP}/hours")
def camp_hours(scene: Scene, travellers: int, saved: int = 0) -> int:
    """A Quarter Day of six hours, and two more for each full five travellers beyond ten; never less than three."""
    camp = scene[Camp]
    hours = max(camp.hours, quarter_days(scene, camp.time_qd) // span(scene, 1, "hour"))
    more = max(0, travellers - camp.free_travellers) // camp.travellers_step
    return max(scene[LEAST_HOURS], hours + more * camp.extra_hours_per_step - saved)


def camp_effects(scene: Scene, who: Person) -> tuple[str, ...]:
    return effects_of(scene, CAMP_EFFECTS, "camp")


MAKING_CAMP: Final = "making camp"


def check_camp(scene: Scene, who: Person, members: tuple[Person, ...] = (), helpers: Helpers = ()) -> None:
    """Somebody free; one of them makes the camp, and the others may help."""
    check_time(scene, who)
    at_it = [each for each in members if any(it.name == MAKING_CAMP for it in running(scene, each))]
    if len(at_it) >= scene[Camp].rollers:
        refuse(f"{at_it[0]} makes the camp, and others may help", rule=CAMP)
    if helpers and not scene[Camp].helping_allowed:
        refuse("nobody may help", rule=CAMP)


@action("make-camp", CAMP, QUARTERMASTER, bands=OUTCOME, check=check_camp, turn=check_able)
async def make_camp(
    scene: Scene,
    who: Person,
    members: Members = (),
    travellers: int = 0,
    effect: Annotated[str, Pick(camp_effects)] = "",
    gear: Gear = "",
    mods: Mods = (),
    helpers: Helpers = (),
) -> ActivityResult:
    """Find a place where all can rest and sleep. Without success one can rest, but sleep takes another roll."""
    camp = scene[Camp]
    everyone = tuple(dict.fromkeys((who, *members)))
    attempt = Attempt("Survival", camp.specialty, gear, (*mods, *sharing(scene, who)), helpers, tags=("camp",))
    rolled, row, effects = await try_survival(who, attempt, QUARTERMASTER, effect)
    rolled = await pay_later(who, rolled)
    saved = int(row.amount) if row is not None and row.name.endswith("faster") else 0
    hours = camp_hours(scene, max(travellers, len(everyone)), saved)
    await occupy(who, MAKING_CAMP, span(scene, hours, "hour"), helpers=helpers)
    if not rolled.success:
        return result(rolled, hours, mishap=await mishap_of(rolled, camp.failure_with_bane))
    if row is not None and row.name in (GOOD_WATCH, TEMPORARY):
        for each in everyone:
            await better_camp(each, row)
    return result(rolled, hours, effects)


@rule(f"{QUARTERMASTER}/camp")
async def better_camp(scene: Scene, who: Person, row: EffectRow) -> None:
    """Whoever keeps watch sees more, or everyone has more Willpower until dawn."""
    if row.name == GOOD_WATCH:
        tags, rounds = frozenset(("Observation", "keep watch")), dawn_of(scene, day_of(scene) + 1) - now(scene)
        await lay_for(who, Effect(Adds(int(row.amount)), tags), rounds, GOOD_WATCH, QUARTERMASTER)
        return
    await alter(who, _temporary, int(row.amount), scene[MOST_WILLPOWER], rule=GENERAL)


def _temporary(sheet: Survivor, points: int, most: int) -> Survivor:
    gained = min(points, most - sheet.willpower)
    temporary = sheet.temporary_willpower + gained
    return replace(sheet, willpower=sheet.willpower + gained, temporary_willpower=temporary)


@rule(f"{GENERAL}/dawn")
async def dawn(scene: Scene, who: Person) -> None:
    """Temporary Willpower that was not spent is gone."""
    await alter(who, _dawned)


@due(Survivor, dawn)
def until_dawn(scene: Scene, who: Person) -> Iterator[Due]:
    """Willpower of the camp is gone with the next dawn."""
    if scene[who].temporary_willpower:
        yield Due(dawn, every=dawn_of(scene, 1))


def _dawned(sheet: Survivor) -> Survivor:
    left = max(0, sheet.willpower - sheet.temporary_willpower)
    return replace(sheet, willpower=left, temporary_willpower=0)


# --- scrounging -------------------------------------------------------------------------------------------------------


@figures(SCROUNGING)
class Scrounging:
    """What a search through the refuse of civilisation brings."""

    time_qd: int
    specialty: str
    scrap_rolls_per_success: int


Surroundings: TypeAlias = Literal["city", "ruin", "rural", "wilderness"]
AREAS_KM: Final = figure(SCROUNGING, "area_km", dict[str, int])


def check_scrounging(scene: Scene, who: Person, area: Surroundings, place: str = "", terrain: str = "") -> None:
    """Where there is refuse of civilisation, and nobody else searches this place now."""
    check_free(scene, who)
    if area not in scene[AREAS_KM]:
        refuse("there is nothing to be found in the wilderness", legal=tuple(scene[AREAS_KM]), rule=SCROUNGING)
    check_place(scene, who, place)
    _ = land_mods(scene, who, "scrounge", terrain)


@action("scrounge", SCROUNGING, "yearzero.journeys.scrounging", bands=OUTCOME, check=check_scrounging, turn=check_able)
async def scrounge(
    scene: Scene,
    who: Person,
    area: Surroundings,
    effect: GeneralEffect = "",
    gear: Gear = "",
    mods: Mods = (),
    helpers: Helpers = (),
    place: str = "",
    terrain: Terrain = "",
) -> ActivityResult:
    """A Quarter Day in the refuse of civilisation: a roll on the scrap table for each success."""
    scrounging = scene[Scrounging]
    own = (*mods, *sharing(scene, who), *land_mods(scene, who, "scrounge", terrain), *searched_before(scene, place))
    await work_a_quarter_day(who, "scrounging", quarter_days(scene, scrounging.time_qd), helpers=helpers)
    attempt = Attempt("Survival", scrounging.specialty, gear, own, helpers)
    rolled, _, effects = await try_survival(who, attempt, GENERAL, effect)
    rolled = await pay_later(who, rolled)
    await tell("scrounges", who=who, km=scene[AREAS_KM][area], rule=SCROUNGING)
    await mark_searched(place)
    rolls = rolled.successes * scrounging.scrap_rolls_per_success if rolled.success else 0
    return await settled(result(rolled, rolls, effects), then=find_scrap(who, rolls))
