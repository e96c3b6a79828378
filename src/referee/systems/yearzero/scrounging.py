"""Scrounging: what the refuse of civilisation holds, by the scrap table; what finds are good for, and their parts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Annotated, Final, TypeAlias

from referee.core import (
    Effect,
    Mod,
    Mods,
    Pick,
    Pool,
    Prompt,
    Scene,
    Total,
    action,
    alter,
    change,
    figure,
    formula,
    number_die,
    option,
    refuse,
    roll,
    rule,
    rule_on,
    suggest,
    tell,
)
from referee.core.effects import Adds
from referee.core.things import without_thing
from referee.kits.things import used_up
from referee.systems.yearzero.activities import check_free, lay_for, now, occupy, quarter_days
from referee.systems.yearzero.catalogue import made_of
from referee.systems.yearzero.crafting import receive, with_things
from referee.systems.yearzero.equipment import EQUIPMENT, row_named, table_of
from referee.systems.yearzero.exposure import free_of
from referee.systems.yearzero.harm import check_able, relieve
from referee.systems.yearzero.items import spare_part
from referee.systems.yearzero.observation import LAND, Area, Land
from referee.systems.yearzero.scrap_tables import CALLED, MAPPING, SCRAP, SCRAP_DIE, USE, ScrapRow, scrap_row
from referee.systems.yearzero.sheet import Item, Person

SCROUNGING: Final = "yearzero.journeys.scrounging"
REPEAT: Final = "yearzero.journeys.scrounging-repeat"
STRIP: Final = "yearzero.journeys.scavenge-parts"
QUICK: Final = "yearzero.journeys.quick-search"
ROLLERS: Final = figure(SCROUNGING, "rollers_per_hex_and_qd", int)
PER_ATTEMPT: Final = figure(REPEAT, "modification_per_earlier_attempt", int)
STRIP_QD: Final = figure(STRIP, "time_qd", int)
QUICK_ROLLS: Final = figure(QUICK, "scrap_rolls", int)
GM_CHOICE: Final = "yearzero.journeys.scrounging-gm-choice"
CHOOSES: Final = option(GM_CHOICE)

FIND: Final = Prompt("scrap-find")
HOW_MANY: Final = Prompt("scrap-amount")
SCRAP_IS: Final = Prompt("scrap")
MODEL: Final = Prompt("scrap-model")
ALLOWED: Final = Prompt("quick-search-allowed")
AGAIN: Final = "roll again"


# --- a find -----------------------------------------------------------------------------------------------------------


@rule(USE)
async def find_scrap(scene: Scene, who: Person, rolls: int = 1) -> None:
    """So many finds; some of them stand for several more."""
    for _ in range(rolls):
        await find(who)


@rule(f"{USE}/find")
async def find(scene: Scene, who: Person) -> None:
    """A D100 on the scrap table; the game master may say otherwise, where that is played."""
    die = Pool.of((number_die(scene[SCRAP_DIE]), 1))
    row = scene[SCRAP].at((await roll(FIND, who, die, Total)).total)
    if scene[CHOOSES]:
        name = await picked(row.name)
        if name == AGAIN:
            await find(who)
            return
        row = scene[SCRAP][name]
    if row.extra_rolls:
        await find_scrap(who, row.extra_rolls)
        return
    amount = (await roll(HOW_MANY, who, Pool.of((number_die(row.die), row.dice)), Total)).total if row.dice else 1
    item = scrap_item(scene, row, await model_of(row.name) if row.varies else "", amount)
    await receive(who, item)
    await tell("finds-scrap", who=who, name=item.name, amount=amount, rule=scene[SCRAP].rule_of(row.name))


@rule(GM_CHOICE)
async def picked(scene: Scene, name: str) -> str:
    """The game master says what it is in place of the die, or has it rolled again."""
    return await rule_on(SCRAP_IS, name, options=(*scene[SCRAP].names, AGAIN))


@formula(MAPPING)
def called(scene: Scene, name: str) -> str:
    """What something is in the catalogue that the table calls otherwise."""
    return scene[CALLED][name]


@rule(f"{USE}/model")
async def model_of(scene: Scene, name: str) -> str:
    """Of a weapon whose model varies the game master picks one of its class."""
    usual = called(scene, scene[SCRAP][name].as_)
    same = tuple(each for each in scene[EQUIPMENT].names if table_of(scene, each) == table_of(scene, usual))
    return await rule_on(MODEL, usual, options=same)


@formula(f"{USE}/item")
def scrap_item(scene: Scene, row: ScrapRow, model: str, amount: int) -> Item:
    """What a row is as a thing: called as it was found, with the figures of what it counts as."""
    kind = model or (called(scene, row.as_) if row.as_ else row.food)
    made = next(made_of(scene, kind), None) if kind and not row.food else None
    item = replace(made or Item(row.name), name=model or row.name, row=kind, amount=amount, scrap=row.name)
    if row.gear_bonus is not None:
        item = replace(
            item, gear_bonus=row.gear_bonus, damage=row.damage, max_range=row.max_range, features=row.features
        )
    if row.uses:
        item = replace(item, uses=row.uses)
    if row.parts:
        item = replace(item, part=next(iter(row.parts)))
    return replace(item, reliability=1, wear=1) if row.broken else item


@formula(f"{USE}/value")
def scrap_value(scene: Scene, who: Person, thing: str) -> float:
    """What a find is worth, in bullets."""
    item = scene[who].thing(thing)
    row, listed = scrap_row(scene, item.scrap), row_named(scene, item.kind)
    each = row.value if row is not None and not row.varies else listed.price if listed is not None else 0
    worth = each * Fraction(str(item.amount))
    return int(worth) if worth.denominator == 1 else float(worth)


# --- the place --------------------------------------------------------------------------------------------------------


@formula(REPEAT)
def searched_before(scene: Scene, place: str) -> Mods:
    """Each earlier search of a place makes the next one harder, whoever made it and whatever it brought."""
    before = scene.get(LAND, Land()).area(place).scrounged if place else 0
    return (Mod(before * scene[PER_ATTEMPT], "searched before", REPEAT),) if before else ()


def check_place(scene: Scene, who: Person, place: str) -> None:
    """One person searches a place in a Quarter Day; others may help."""
    area = scene.get(LAND, Land()).area(place)
    if place and area.scrounged_until > now(scene) and area.scroungers >= scene[ROLLERS]:
        refuse(f"somebody searches {place} in this Quarter Day, and others may help", rule=SCROUNGING)


@rule(f"{SCROUNGING}/searched", REPEAT)
async def mark_searched(scene: Scene, place: str) -> None:
    """A place has been searched once more, whatever came of it."""
    if place:
        area, until = scene.get(LAND, Land()).area(place), now(scene) + quarter_days(scene)
        several = area.scroungers if area.scrounged_until > now(scene) else 0
        await alter_area(replace(area, scrounged=area.scrounged + 1, scrounged_until=until, scroungers=several + 1))


@rule(f"{SCROUNGING}/area")
async def alter_area(scene: Scene, area: Area) -> None:
    """What is known of an area is remembered with the land."""
    if LAND not in scene:
        await change(LAND, Land())
    await alter(LAND, Land.with_area, area)


def check_quick(scene: Scene, who: Person, place: str) -> None:
    """Once in each place that has a name."""
    if place and scene.get(LAND, Land()).area(place).searched:
        refuse(f"{place} was searched already", rule=QUICK)


Place: TypeAlias = Annotated[str, suggest("", "the shop", "the farm", "the school")]


@action("quick-search", QUICK, check=check_quick, turn=check_able)
async def quick_search(scene: Scene, who: Person, place: Place = "") -> int:
    """A look around where there may be scrap, if the game master allows it: one find, at no time and without a roll."""
    if not await rule_on(ALLOWED, True, options=(True, False)):
        refuse("there is nothing to be found here", rule=QUICK)
    if place:
        await alter_area(replace(scene.get(LAND, Land()).area(place), searched=True))
    await find_scrap(who, scene[QUICK_ROLLS])
    return scene[QUICK_ROLLS]


# --- what is done with finds ------------------------------------------------------------------------------------------


def with_parts(scene: Scene, who: Person) -> tuple[str, ...]:
    """What somebody has at hand that can be stripped."""
    return tuple(each.name for each, _ in _stripped(scene, who))


def _stripped(scene: Scene, who: Person) -> Iterator[tuple[Item, ScrapRow]]:
    for each in scene[who].things:
        row = scrap_row(scene, each.scrap)
        if each.at_hand and row is not None and row.parts:
            yield each, row


def check_strip(scene: Scene, who: Person) -> None:
    check_free(scene, who)
    if not with_parts(scene, who):
        refuse(f"{who} has nothing that can be stripped", rule=STRIP)


@action("scavenge-parts", STRIP, check=check_strip, turn=check_able)
async def scavenge_parts(scene: Scene, who: Person, things: tuple[Annotated[str, Pick(with_parts)], ...] = ()) -> None:
    """A Quarter Day in which finds are stripped for spare parts: those named, or all there are. They are gone then."""
    for item, row in tuple(_stripped(scene, who)):
        if not things or item.name in things:
            await alter(who, with_things, without_thing(scene[who].things, item.name))
            for kind, count in row.parts.items():
                part = spare_part(scene, kind)
                await receive(who, Item(part, amount=int(count * item.amount)))
    await occupy(who, "scavenging", quarter_days(scene, scene[STRIP_QD]))


def useful(scene: Scene, who: Person) -> tuple[str, ...]:
    """Finds that do something when they are used."""
    found = ((each, scrap_row(scene, each.scrap)) for each in scene[who].things if each.at_hand)
    return tuple(each.name for each, row in found if row and (row.stress or row.ends or row.uses))


@action("use-find", f"{USE}/use", turn=check_able)
async def use_find(scene: Scene, who: Person, thing: Annotated[str, Pick(useful)]) -> None:
    """Smoke a cigarette, drink a coffee, put out a fire: one of it is gone then."""
    item = scene[who].thing(thing)
    row = scrap_row(scene, item.scrap) or ScrapRow(thing)
    await alter(who, lambda sheet: replace(sheet, things=used_up(sheet.things, item.kind, 1)))
    if row.stress:
        await relieve(who, row.stress)
        tired = Effect(Adds(row.tires), frozenset(("Endurance",)))
        await lay_for(who, tired, quarter_days(scene), row.name, scene[SCRAP].rule_of(row.name))
    if row.ends:
        await alter(who, free_of, row.ends)
    await tell("uses-find", who=who, name=row.name, says=row.says)
