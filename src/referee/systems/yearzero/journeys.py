"""Journeys: a party crosses the land, a Quarter Day at a time; everybody does one thing, and then time goes on."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any, Final, Literal, TypeAlias

from referee.core import (
    Audience,
    Bands,
    Call,
    Grouped,
    Mod,
    Mods,
    Pick,
    Pool,
    Prompt,
    Refused,
    Scene,
    Total,
    Who,
    action,
    action_of,
    advance_clock,
    alter,
    change,
    choose,
    figures,
    formula,
    frozen,
    number_die,
    refuse,
    roll,
    rule,
    rule_on,
    suggest,
    tell,
)
from referee.kits.journeys import ChosenActivity, JourneyEvent, MapHex, RouteMap
from referee.kits.things import amount_of, of_kind
from referee.systems.yearzero.activities import (
    ActivityResult,
    check_free,
    check_time,
    day_of,
    now,
    occupy,
    quarter_days,
    running,
    span,
)
from referee.systems.yearzero.effects import OUTCOME, Outcome, effects_of
from referee.systems.yearzero.encumbrance import drink, eat
from referee.systems.yearzero.exposure import SLEEPY, expose, sleepy_now
from referee.systems.yearzero.harm import check_able
from referee.systems.yearzero.items import CONTAINERS
from referee.systems.yearzero.loads import Needs
from referee.systems.yearzero.observation import keep_watch, survey_the_land
from referee.systems.yearzero.rest import begin_rest, rest, stay_awake
from referee.systems.yearzero.rolls import Attempt, roll_once
from referee.systems.yearzero.sheet import Person, Survivor, people
from referee.systems.yearzero.skills import Gear, plain
from referee.systems.yearzero.survival import (
    CAMP_EFFECTS,
    EFFECTS,
    FORAGE_EFFECTS,
    HUNT_EFFECTS,
    LOST,
    PATHFINDING,
    Sought,
    find_the_way,
    fish,
    forage,
    hunt,
    lead_the_way,
    make_camp,
    scrounge,
)
from referee.systems.yearzero.terrain import (
    ACTIVITIES,
    MODERN_LAND,
    WILD_LAND,
    Craft,
    Journey,
    TerrainSet,
    check_enter,
    journey_of,
    minutes_into,
    terrains,
)
from referee.systems.yearzero.time import wait_for_willpower

MISSING: Final = "yearzero.journeys.missing-tables"
DISTANCE: Final = "yearzero.journeys.encounter-distance"
ROUGH: Final = "yearzero.journeys.sleep-bare-ground"
JOURNEY: Final = Who("journey", Journey)

ACTIVITY: Final = Prompt("quarter-activity")
WEATHER: Final = Prompt("weather")
ENCOUNTER: Final = Prompt("party-meets")
LOST_AT: Final = Prompt("lost-at")
DISTANCE_DICE: Final = Prompt("encounter-distance")
NOTHING: Final = "nothing"
FAIR: Final = "fair"

OnJourney: TypeAlias = Who[Journey]
Place: TypeAlias = Literal["wilderness", "city", "ruin", "rural"]
AnyBody: TypeAlias = Annotated[Person, Pick(people)]


@figures(DISTANCE)
class EncounterDistance:
    """How far away an encounter begins: dice, and metres for each point by the land."""

    dice: int
    die: int
    metres_per_point: dict[str, int]


@figures(ROUGH)
class SleepRough:
    """What finds a place to sleep without a camp, and what comes of not finding one."""

    skill: str
    hazard: str
    lack: str


# --- beginning and ending ---------------------------------------------------------------------------------------------


def check_begin(scene: Scene, _: None, party: tuple[Person, ...]) -> None:
    if not party:
        refuse("somebody must travel", what="party", rule=PATHFINDING)
    for each in party:
        if journey_of(scene, each) is not None:
            refuse(f"{each} is on a journey already", rule=PATHFINDING)


@action("begin-journey", f"{PATHFINDING}/begin", PATHFINDING, master=True, check=check_begin)
async def begin_journey(
    scene: Scene,
    party: tuple[AnyBody, ...],
    destination: str = "",
    hexes: Annotated[tuple[str, ...], suggest(("the village", "the woods", "the pass"))] = (),
    terrain: Annotated[str, Pick(terrains)] = "",
    terrains_of: TerrainSet = "wilderness",
    travel_by: Craft = "foot",
) -> None:
    """A party sets out. Hexes named here lie in a row, all of one terrain; the map is drawn anew whenever one likes."""
    row = tuple(MapHex(name, terrain, at) for at, name in enumerate(hexes))
    journey = Journey(
        party=tuple(each.name for each in party),
        map=RouteMap(row),
        whereabouts=hexes[0] if hexes else "",
        route=tuple(hexes[1:]),
        goal=destination or (hexes[-1] if hexes else ""),
        terrains=terrains_of,
        travel_by=travel_by,
    )
    await change(JOURNEY, journey)
    for each in party:
        if all(one.name != SLEEPY for one in scene[each].exposures):
            await stay_awake(each)


def check_journey(scene: Scene, _: None) -> None:
    if JOURNEY not in scene:
        refuse("nobody is on a journey", rule=PATHFINDING, legal=("begin-journey",))


@action("end-journey", f"{PATHFINDING}/end", master=True, check=check_journey)
async def end_journey(scene: Scene) -> None:
    """The party has arrived, or turns to something else."""
    journey = scene[JOURNEY]
    await change(JOURNEY, replace(journey, ended="arrived" if journey.whereabouts == journey.goal else "over"))


# --- the way ----------------------------------------------------------------------------------------------------------


def travels(scene: Scene, who: Person) -> None:
    """Whose turn it is to say something: whoever is on the journey."""
    if journey_of(scene, who) is None:
        refuse(f"{who} is on no journey", rule=PATHFINDING)


def known_hexes(scene: Scene, who: Person) -> tuple[str, ...]:
    journey = journey_of(scene, who)
    return scene[journey].map.names if journey is not None else ()


def check_route(scene: Scene, who: Person, route: tuple[str, ...]) -> None:
    """A way from where the party is, hex by hex."""
    journey = scene[JOURNEY]
    journey.map.check_route(journey.whereabouts, route)


@action("plan-route", f"{PATHFINDING}/route", turn=travels, check=check_route)
async def plan_route(scene: Scene, who: Person, route: tuple[Annotated[str, Pick(known_hexes)], ...]) -> None:
    """Say which hexes come next."""
    await change(JOURNEY, replace(scene[JOURNEY], route=route, walked=0))


# --- what everybody does ----------------------------------------------------------------------------------------------


def activities(scene: Scene, who: Person) -> tuple[str, ...]:
    return tuple(ACTIVITIES)


def fellows(scene: Scene, who: Person) -> tuple[str, ...]:
    """The others of the party."""
    journey = journey_of(scene, who)
    return ("", *(name for name in scene[journey].party if name != who.name)) if journey is not None else ("",)


EFFECT_TABLES: Final = {
    "Lead the way": EFFECTS,
    "Forage": FORAGE_EFFECTS,
    "Hunt": HUNT_EFFECTS,
    "Fish": EFFECTS,
    "Make camp": CAMP_EFFECTS,
    "Scrounge": EFFECTS,
}


def activity_effects(scene: Scene, who: Person, activity: str) -> tuple[str, ...]:
    """What may be aimed for."""
    return effects_of(scene, EFFECT_TABLES[activity]) if activity in EFFECT_TABLES else ("",)


@frozen
class QuarterPlan:
    """How somebody does what they do."""

    gear: Gear = ""
    """What they use: a rod, a weapon, a compass."""
    effect: Annotated[str, Pick(activity_effects, seldom=True)] = ""
    seeking: Sought = "food"
    place: Place = "wilderness"
    """Where they look for scrap."""
    helps: Annotated[str, Pick(fellows)] = ""
    also_watch: bool = False
    """Whether whoever leads keeps watch besides, at a penalty on both."""
    mods: Mods = ()


AS_USUAL: Final = QuarterPlan()
_TRIED: Final = OUTCOME.if_tried("unrolled")
CHOSEN: Final[Bands[Any]] = replace(_TRIED, keys=(*_TRIED.keys, "unrolled"))
"""What an activity comes to; what is done without a roll is done."""


def call_of(scene: Scene, journey: OnJourney, who: Person, activity: str, plan: QuarterPlan) -> Call[Any] | None:
    """The action that is played for an activity, as things stand now; none where nothing is rolled."""
    now_ = scene[journey]
    helpers = helpers_of(now_, who)
    weather = Mod(now_.shelter if activity == "Make camp" else now_.sight, now_.weather or "weather", MISSING)
    outside = (weather,) if weather.amount and activity in ("Make camp", "Lead the way", "Keep watch") else ()
    mods, gear, effect = (*plan.mods, *outside), plan.gear, plan.effect
    afloat = now_.travel_by in ("boat", "raft")
    match activity:
        case "Keep watch":
            return keep_watch(who, gear, mods)
        case "Forage":
            return forage(who, plan.seeking, effect, gear=gear, mods=mods, helpers=helpers)
        case "Hunt":
            return hunt(who, gear, not gear, now_.marches, effect, mods=mods, helpers=helpers)
        case "Fish":
            return fish(who, gear, now_.marches, afloat, effect, mods, helpers, "net" in gear.casefold())
        case "Make camp":
            others = tuple(Who(name, Survivor) for name in now_.party if name != who.name)
            return make_camp(who, others, len(now_.party), effect, gear, mods, helpers)
        case "Rest" | "Sleep":
            return rest(who, activity == "Sleep")
        case "Sleep rough":
            return sleep_rough(who, gear, mods)
        case "Scrounge":
            return scrounge(who, plan.place, effect, gear, mods, helpers, now_.whereabouts)
        case "Survey the land":
            return survey_the_land(who, now_.whereabouts, gear=gear, mods=mods, helpers=helpers)
        case "Lead the way":
            return lead_call(now_, who, plan, helpers, mods)
        case _:
            return None


def lead_call(journey: Journey, who: Person, plan: QuarterPlan, helpers: tuple[Person, ...], mods: Mods) -> Call[Any]:
    """Leading the way into the next hex of the route."""
    by: Literal["land", "water"] = "water" if journey.travel_by in ("boat", "raft") else "land"
    hex_, goal = journey.map.hex(journey.route[0]), journey.map.hex(journey.route[-1])
    landmark = hex_.landmark or goal.landmark
    return lead_the_way(
        who, by, hex_.path, landmark, plan.also_watch, plan.effect, gear=plan.gear, mods=mods, helpers=helpers
    )


def helpers_of(journey: Journey, who: Person) -> tuple[Person, ...]:
    """Those who have laid down that they help somebody."""
    found = (each for each in journey.laid_down if each.activity == "Help" and each.call is not None)
    return tuple(Who(each.who, Survivor) for each in found if _plan_of(each).helps == who.name)


def _plan_of(chosen: ChosenActivity) -> QuarterPlan:
    """How somebody does what they have laid down."""
    plan: QuarterPlan = chosen.call.args[-1] if chosen.call is not None else AS_USUAL
    return plan


def check_choice(
    scene: Scene,
    who: Person,
    activity: str,
    gear: str = "",
    effect: str = "",
    seeking: Sought = "food",
    place: Place = "wilderness",
    helps: str = "",
    also_watch: bool = False,
    mods: Mods = (),
) -> None:
    """Somebody with time, and something that goes together with what the others do."""
    me, plan = journey_of(scene, who), QuarterPlan(gear, effect, seeking, place, helps, also_watch, mods)
    if me is None:
        return
    check_free(scene, who, activity)
    journey, row = scene[me], ACTIVITIES[activity]
    others = [ACTIVITIES[each.activity] for each in journey.laid_down if each.who != who.name]
    if row.leads and any(each.leads for each in others):
        refuse("somebody leads the way, and others may help", what=activity, rule=PATHFINDING)
    if row.stays and any(each.leads for each in others):
        refuse("the party goes on in this quarter", what=activity, rule=PATHFINDING)
    if row.leads and any(each.stays for each in others):
        refuse("somebody needs the party to stay where it is", what=activity, rule=PATHFINDING)
    if row.leads and not journey.route:
        refuse("no way is planned", what=activity, rule=PATHFINDING, legal=("plan-route",))
    if row.leads:
        check_enter(scene, journey, journey.map.hex(journey.route[0]))
    if activity == "Sleep" and journey.camp != "good":
        refuse("there is no camp to sleep in", what=activity, rule=ROUGH, legal=("Sleep rough",))
    if activity == "Help" and not plan.helps:
        refuse("nobody is named", what="helps", rule="yearzero.core.help", legal=fellows(scene, who)[1:])
    check_action(scene, me, who, activity, plan)


def check_action(scene: Scene, me: OnJourney, who: Person, activity: str, plan: QuarterPlan) -> None:
    """What the action itself asks for."""
    call = call_of(scene, me, who, activity, plan)
    if call is None or ACTIVITIES[activity].leads:
        return
    asked = action_of(call.rule)
    why = asked.may(scene, who, **dict(zip(asked.parameters, call.args[1:], strict=False)))
    if why is not None:
        raise Refused(activity, because=why.because, rule=why.rule, legal=why.legal)


def foreseen(
    scene: Scene,
    who: Person,
    activity: str,
    gear: str = "",
    effect: str = "",
    seeking: Sought = "food",
    place: Place = "wilderness",
    helps: str = "",
    also_watch: bool = False,
    mods: Mods = (),
) -> Call[Any]:
    """What choosing an activity leads to."""
    me, plan = journey_of(scene, who), QuarterPlan(gear, effect, seeking, place, helps, also_watch, mods)
    call = call_of(scene, me, who, activity, plan) if me is not None else None
    return call if call is not None else walk_along(who)


@action(
    "choose-activity",
    f"{PATHFINDING}/choose",
    PATHFINDING,
    bands=CHOSEN,
    turn=travels,
    check=check_choice,
    foresees=foreseen,
)
async def choose_activity(
    scene: Scene, who: Person, activity: Annotated[str, Pick(activities)], plan: Grouped[QuarterPlan] = AS_USUAL
) -> None:
    """Lay down what to do in this Quarter Day; it is played once everybody has."""
    me = journey_of(scene, who)
    if me is not None:
        await alter(me, Journey.choosing_this, ChosenActivity(who.name, activity, carry_out(me, who, activity, plan)))


def check_laid(scene: Scene, who: Person) -> None:
    me = journey_of(scene, who)
    chosen = scene[me].choice_of(who.name) if me is not None else None
    if chosen is None or chosen.done:
        refuse("nothing is laid down", rule=PATHFINDING)


@action("take-back-activity", f"{PATHFINDING}/take-back", turn=travels, check=check_laid)
async def take_back(scene: Scene, who: Person) -> None:
    """Choose again, as long as the others have not all chosen."""
    me = journey_of(scene, who)
    if me is not None:
        await alter(me, Journey.without_choice, who.name)


@rule(f"{PATHFINDING}/ask")
async def ask_activity(scene: Scene, me: OnJourney, who: Person) -> None:
    """Somebody who plays by policies is asked what to do; whatever is not legal now is not offered."""
    legal = tuple(name for name in ACTIVITIES if _is_legal(scene, who, name))
    name = await choose(who, ACTIVITY, legal)
    await alter(me, Journey.choosing_this, ChosenActivity(who.name, name, carry_out(me, who, name, AS_USUAL)))


def _is_legal(scene: Scene, who: Person, activity: str) -> bool:
    try:
        check_choice(scene, who, activity)
    except Refused:
        return False
    return True


# --- a quarter is played ----------------------------------------------------------------------------------------------


@rule(f"{PATHFINDING}/play")
async def play_activity(scene: Scene, me: OnJourney, who: Person) -> None:
    """What somebody has laid down."""
    chosen = scene[me].choice_of(who.name)
    await alter(me, Journey.having_played, who.name)
    if chosen is not None and chosen.call is not None:
        await chosen.call


@rule(f"{PATHFINDING}/carry-out", PATHFINDING)
async def carry_out(scene: Scene, me: OnJourney, who: Person, activity: str, plan: QuarterPlan) -> None:
    """An activity of somebody, with whoever helps; what comes of it for the party."""
    if ACTIVITIES[activity].leads:
        await march(me, who, plan)
        return
    if activity == "Help":
        if not running(scene, who):
            await occupy(who, f"helping {plan.helps}", quarter_days(scene))
        return
    call = call_of(scene, me, who, activity, plan)
    if call is None:
        await walk_along(who)
        return
    result = await call
    if activity == "Make camp":
        await change(me, replace(scene[me], camp="good" if result.success else "poor"))
    if activity == "Keep watch" and result.success:
        await change(me, replace(scene[me], watched=max(scene[me].watched, result.successes)))
    if getattr(result, "mishap", ""):
        await alter(me, Journey.with_event, JourneyEvent("mishap", str(result.mishap), who.name))


@rule(f"{PATHFINDING}/walk")
async def walk_along(scene: Scene, who: Person) -> None:
    """Somebody just walks."""
    await occupy(who, "walking", quarter_days(scene))


@rule(f"{PATHFINDING}/march", PATHFINDING)
async def march(scene: Scene, me: OnJourney, who: Person, plan: QuarterPlan) -> None:
    """As many hexes as the Quarter Day is long enough for, each with its roll, until one goes wrong."""
    left = scene[me].walked + quarter_days(scene) // span(scene, 1, "minute")
    first = True
    while scene[me].route and (cost := minutes_into(scene, scene[me], next_hex(scene, me))) <= left:
        rolled = await enter(me, who, plan, first)
        left, first = left - cost, False
        if rolled.mishap:
            break
    if first:
        await occupy(who, "leading the way", quarter_days(scene))
    if plan.also_watch:
        watched = await keep_watch(who)
        await change(me, replace(scene[me], watched=max(scene[me].watched, watched.successes)))
    await change(me, replace(scene[me], walked=left if scene[me].route else 0, camp="none"))


def next_hex(scene: Scene, me: OnJourney) -> MapHex:
    return scene[me].map.hex(scene[me].route[0])


@rule(f"{PATHFINDING}/enter", PATHFINDING)
async def enter(scene: Scene, me: OnJourney, who: Person, plan: QuarterPlan, first: bool) -> ActivityResult:
    """One new hex: a failure enters it all the same, with a mishap; the lost are where the game master says."""
    hex_ = next_hex(scene, me)
    check_enter(scene, scene[me], hex_)
    call = call_of(scene, me, who, "Lead the way", plan)
    if call is None:
        return ActivityResult(False, 0)
    if not first:
        by, path, landmark = call.args[1], call.args[2], call.args[3]
        helpers = helpers_of(scene[me], who)
        call = find_the_way(who, by, path, landmark, plan.also_watch, plan.effect, "", plan.gear, plan.mods, helpers)
    rolled: ActivityResult = await call
    name = hex_.name
    if rolled.mishap == LOST:
        around = tuple(each.name for each in scene[me].map.around(scene[me].whereabouts))
        name = await rule_on(LOST_AT, name, options=around)
    await arrive_in(me, name)
    if rolled.mishap:
        await alter(me, Journey.with_event, JourneyEvent("mishap", rolled.mishap, who.name))
    return rolled


@rule(f"{PATHFINDING}/arrive")
async def arrive_in(scene: Scene, me: OnJourney, name: str) -> None:
    """The party is in another hex, which everybody knows from then on; lost people have no route any more."""
    hex_ = scene[me].map.hex(name)
    if hex_.audience is not Audience.EVERYONE:
        shown = scene[me].map.with_hex(replace(hex_, audience=Audience.EVERYONE))
        await change(me, replace(scene[me], map=shown))
    astray = scene[me].route[:1] != (name,)
    await alter(me, Journey.entered, name)
    if astray:
        await change(me, replace(scene[me], route=()))
    await tell("enters-hex", name=name, terrain=hex_.terrain, says=hex_.says)


@rule(f"{PATHFINDING}/happens", MISSING)
async def happens(scene: Scene, me: OnJourney) -> None:
    """A mishap or an encounter: the book has no table for it, and the game master says what comes of it."""
    event = scene[me].events[0]
    await alter(me, Journey.after_event)
    if event.what == "mishap":
        await tell("journey-mishap", who=Who(event.who, Survivor) if event.who else None, name=event.name, rule=MISSING)
        return
    first = scene[me].watched > 0
    await tell("journey-encounter", name=event.name, first=first, rule=MISSING)
    await distance(land_of(scene, me))


def land_of(scene: Scene, me: OnJourney) -> str:
    """The terrain of the modern set that is like where the party is."""
    here = scene[me].here
    if here is None or not here.terrain:
        return "Open"
    wild = scene[me].terrains == "wilderness"
    return "Road" if here.path == "road" else scene[WILD_LAND][here.terrain].as_ if wild else here.terrain


@rule(DISTANCE)
async def distance(scene: Scene, terrain: str) -> int:
    """How many metres away an encounter begins."""
    found = scene[EncounterDistance]
    thrown = await roll(DISTANCE_DICE, None, Pool.of((number_die(found.die), found.dice)), Total)
    metres = thrown.total * found.metres_per_point[terrain]
    await tell("encounter-distance", metres=metres, rule=DISTANCE)
    return metres


@rule(f"{PATHFINDING}/quarter", MISSING)
async def end_quarter(scene: Scene, me: OnJourney) -> None:
    """Time goes on to the next Quarter Day; with a new day everybody eats and drinks, and the weather may change."""
    for who in scene.all(Survivor):
        await wait_for_willpower(who)
    dawns = day_of(scene, now(scene) + quarter_days(scene)) != day_of(scene)
    await alter(me, Journey.next_quarter)
    await change(me, replace(scene[me], watched=0))
    if dawns:
        await new_day(me)
    name = await rule_on(ENCOUNTER, NOTHING)
    if name != NOTHING:
        await alter(me, Journey.with_event, JourneyEvent("encounter", name))
    await advance_clock(quarter_days(scene), me)


@rule("yearzero.creation.consumables/journey", MISSING)
async def new_day(scene: Scene, me: OnJourney) -> None:
    """A day's food and water for everyone, from whoever has some; and the weather of the day."""
    party = travellers(scene, me)
    for each in party:
        await share_food(each, party)
    for each in party:
        await eat(each)
        await drink(each, scene[Needs].water_per_day)
    weather = await rule_on(WEATHER, scene[me].weather or FAIR)
    if weather != (scene[me].weather or FAIR):
        await change(me, replace(scene[me], weather=weather, sight=0, shelter=0))


def travellers(scene: Scene, me: OnJourney) -> tuple[Person, ...]:
    found = (Who(name, Survivor) for name in scene[me].party)
    return tuple(each for each in found if each in scene)


@rule("yearzero.creation.consumables/share")
async def share_food(scene: Scene, who: Person, party: tuple[Person, ...]) -> None:
    """Whoever has nothing to eat is given something by whoever has most."""
    if food_of(scene, who):
        return
    most = max(party, key=lambda each: food_of(scene, each))
    kind = next((kind for kind in scene[Needs].food if amount_of(scene[most].things, kind) > 1), None)
    if kind is not None and food_of(scene, most) > 1:
        await alter(most, lambda sheet: _less(sheet, kind))
        await alter(who, Survivor.with_more, kind, 1)


def _less(sheet: Survivor, kind: str) -> Survivor:
    thing = of_kind(sheet.things, kind)[0]
    return sheet.with_thing(replace(thing, amount=thing.amount - 1))


# --- supplies ---------------------------------------------------------------------------------------------------------


@formula("yearzero.creation.consumables/food")
def food_of(scene: Scene, who: Person) -> int:
    """How many days somebody can eat of what they carry."""
    kinds = scene[Needs].food
    held = (each for each in scene[who].things if each.kind in kinds)
    return sum(int(each.uses if each.uses is not None else each.amount) for each in held)


@formula("yearzero.creation.consumables/water")
def water_of(scene: Scene, who: Person) -> int:
    """How many days somebody can drink."""
    return sum(each.loaded for each in scene[who].things if each.at_hand and each.kind in scene[CONTAINERS])


# --- sleeping without a camp ------------------------------------------------------------------------------------------


@action("sleep-rough", ROUGH, bands=OUTCOME, check=check_time, turn=check_able)
async def sleep_rough(scene: Scene, who: Person, gear: Gear = "", mods: Mods = ()) -> Outcome:
    """Sleep on bare ground, if a place is found: whoever fails rests, and is sleepy. Without a fire all are cold."""
    found = scene[SleepRough]
    await occupy(who, "resting", quarter_days(scene))
    rolled = await roll_once(who, Attempt(found.skill, gear=gear, mods=mods, tags=("bare ground",), surplus=False))
    await begin_rest(who, rolled.success)
    for hazard in (found.hazard, *(() if rolled.success else (found.lack,))):
        await suffer_from(who, hazard)
    return plain(rolled)


@rule(f"{ROUGH}/suffer", ROUGH)
async def suffer_from(scene: Scene, who: Person, hazard: str) -> None:
    """Cold, or sleepy at once, however long somebody has been awake."""
    there = next((each for each in scene[who].exposures if each.name == hazard), None)
    if there is None:
        await expose(who, hazard)
    if hazard == scene[SleepRough].lack:
        await sleepy_now(who)


# --- the game master --------------------------------------------------------------------------------------------------


@action("set-weather", f"{MISSING}/weather", MISSING, master=True, check=check_journey)
async def set_weather(
    scene: Scene,
    weather: Annotated[str, suggest("fair", "rain", "heavy rain", "fog", "snow", "storm")],
    sight: Annotated[int, suggest(0, -1, -2, -3)] = 0,
    shelter: Annotated[int, suggest(0, -1, -2, -3)] = 0,
) -> None:
    """Say what the weather is, what it does to finding the way and keeping watch, and what to making camp."""
    await change(JOURNEY, replace(scene[JOURNEY], weather=weather, sight=sight, shelter=shelter))


@action("journey-event", f"{MISSING}/event", MISSING, master=True, check=check_journey)
async def journey_event(
    scene: Scene, what: Literal["mishap", "encounter"], name: Annotated[str, suggest("a patrol", "a broken bridge")]
) -> None:
    """Something comes up: it is played before anybody goes on."""
    await alter(JOURNEY, Journey.with_event, JourneyEvent(what, name))


def lands(scene: Scene, _: None) -> tuple[str, ...]:
    return scene[MODERN_LAND].names


@action("encounter-distance", f"{DISTANCE}/rolled", master=True)
async def roll_distance(scene: Scene, terrain: Annotated[str, Pick(lands)]) -> int:
    """How far away an encounter begins in this land."""
    return await distance(terrain)
