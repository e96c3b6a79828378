"""Encumbrance and supplies: running and hiking with too much, and what is eaten and drunk in a day."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Final

from referee.core import Levels, Mods, Pick, Prompt, Scene, action, alter, choose, refuse, rule, suggest
from referee.core.rules import rule_named
from referee.core.things import DROPPED
from referee.kits.hazards import HazardExposure, exposure_of
from referee.kits.things import of_kind, used_up
from referee.systems.yearzero.harm import check_able
from referee.systems.yearzero.items import CONTAINERS
from referee.systems.yearzero.loads import (
    CONSUMABLES,
    OVER,
    WATER_KIND,
    Needs,
    OverLimits,
    capacity,
    check_can_move,
    is_laden,
    weight_of,
)
from referee.systems.yearzero.panic import hurt
from referee.systems.yearzero.rolls import Attempt, roll_once
from referee.systems.yearzero.sheet import AGILITY, Person, Survivor, people

BURDEN: Final = Prompt("burden")
DROP, STAY, GO_ON = "drop", "stay", "go-on"


@rule(OVER)
async def bear_load(scene: Scene, who: Person, mods: Mods = ()) -> bool:
    """Whoever carries too much rolls Endurance to run or hike; after a failure they drop it, stay, or hurt for it."""
    check_can_move(scene, who)
    if not is_laden(scene, who):
        return True
    rolled = await roll_once(who, Attempt("Endurance", mods=mods, tags=("no action",), surplus=False))
    if rolled.success:
        return True
    match await choose(who, BURDEN, scene[OverLimits].choices):
        case "drop":
            await drop_load(who)
            return True
        case "go-on":
            await hurt(who, scene[OverLimits].agility_damage, AGILITY)
            return True
        case _:
            return False


@rule(f"{OVER}/drop")
async def drop_load(scene: Scene, who: Person) -> None:
    """The heaviest things are dropped first, until the rest can be carried."""
    things = scene[who].things
    for item in sorted(things, key=lambda each: -weight_of(scene, things, each)):
        if is_laden(scene, who):
            await alter(who, Survivor.with_thing, scene[who].thing(item.name).at(DROPPED))


def check_laden(scene: Scene, who: Person) -> None:
    check_can_move(scene, who)
    if not is_laden(scene, who):
        refuse(f"{who} carries no more than {capacity(scene, who)}", rule=OVER)


@action("hike-laden", f"{OVER}/hike", check=(check_able, check_laden))
async def hike_laden(scene: Scene, who: Person, mods: Mods = ()) -> bool:
    """A Quarter Day of hiking with more than one can carry takes an Endurance roll."""
    return await bear_load(who, mods)


# --- food and water ---------------------------------------------------------------------------------------------------


@action("survive-a-day", CONSUMABLES, master=True)
async def survive_a_day(
    scene: Scene, who: Annotated[tuple[Annotated[Person, Pick(people)], ...], suggest()], water: int = 0
) -> None:
    """A day off what one carries: food and water for each, more water on hot days; without, they hunger and thirst."""
    for each in who:
        await eat(each)
        await drink(each, scene[Needs].water_per_day + water)


@rule(f"{CONSUMABLES}/eat")
async def eat(scene: Scene, who: Person) -> None:
    """A day's food from whatever there is."""
    left = scene[Needs].food_per_day
    for kind in scene[Needs].food:
        for thing in of_kind(scene[who].things, kind):
            if left and thing.uses is not None:
                left -= 1
                rest = [each for each in scene[who].things if each.name != thing.name]
                kept = (replace(thing, uses=thing.uses - 1),) if thing.uses > 1 else ()
                await alter(who, lambda sheet, things: replace(sheet, things=things), (*rest, *kept))
            elif left and thing.amount >= 1:
                left -= 1
                await alter(who, lambda sheet, row: replace(sheet, things=used_up(sheet.things, row, 1)), kind)
    await go_without(who, "hungry", left)
    if left < scene[Needs].food_per_day and scene[who].tainted:
        await taste_poison(who)


@rule("yearzero.journeys.foraging-mishap/meal", "yearzero.journeys.foraging-mishap")
async def taste_poison(scene: Scene, who: Person) -> None:
    """What somebody has picked unknowing is in the meal."""
    poisons = tuple(scene[who].tainted)
    await alter(who, lambda sheet: replace(sheet, tainted=Levels()))
    for kind, _, potency in (each.rpartition(" ") for each in poisons):
        await rule_named("yearzero.poison.kinds")(who, kind, int(potency))


@rule(f"{CONSUMABLES}/drink")
async def drink(scene: Scene, who: Person, days: int) -> None:
    """A day's water from skins and canteens."""
    for thing in scene[who].things:
        if days and thing.at_hand and thing.kind in scene[CONTAINERS] and thing.loaded:
            taken = min(days, thing.loaded)
            days -= taken
            await alter(who, Survivor.with_thing, replace(thing, loaded=thing.loaded - taken))
    await go_without(who, "thirsty", days)


@rule(f"{CONSUMABLES}/without")
async def go_without(scene: Scene, who: Person, hazard: str, missing: int) -> None:
    """Whoever had too little to eat or drink for a day is hungry or thirsty from now on; whoever had enough is not."""
    exposed = exposure_of(scene[who].exposures, hazard)
    if missing and not (exposed and exposed.felt):
        await rule_named("yearzero.conditions.hungry/begin")(who, HazardExposure(hazard), felt=True)
    elif not missing and (exposed or hazard in scene[who].conditions):
        await rule_named("yearzero.conditions.hungry/end")(who, hazard)


def check_water(scene: Scene, who: Person) -> None:
    if not any(is_for_water(scene, each.kind) for each in scene[who].things):
        refuse(f"{who} has nothing to carry water in", rule=CONSUMABLES)


def is_for_water(scene: Scene, kind: str) -> bool:
    return kind in scene[CONTAINERS] and scene[CONTAINERS].look(kind).holds == WATER_KIND


@action("fill-with-water", f"{CONSUMABLES}/fill", check=check_water)
async def fill_with_water(scene: Scene, who: Person) -> int:
    """At a spring or well, everything that holds water is filled."""
    held = 0
    for thing in scene[who].things:
        if is_for_water(scene, thing.kind):
            held += (most := scene[CONTAINERS].look(thing.kind).most)
            await alter(who, Survivor.with_thing, replace(thing, loaded=most))
    return held
