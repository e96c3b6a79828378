"""What goes wrong while fishing and foraging: a D6 on the table of the activity."""

from __future__ import annotations

from dataclasses import field, replace
from typing import Final

from referee.core import (
    Audience,
    Levels,
    Pool,
    Prompt,
    Scene,
    SymbolCounts,
    Total,
    action,
    alter,
    figure,
    frozen,
    number_die,
    refuse,
    roll,
    rows,
    rule,
    rule_on,
    tell,
)
from referee.core.rulebook import RowsOf
from referee.core.things import without_thing
from referee.kits.year_zero import SIX
from referee.systems.yearzero.activities import check_free
from referee.systems.yearzero.crafting import receive, with_things
from referee.systems.yearzero.effects import OUTCOME, Outcome
from referee.systems.yearzero.exposure import expose, free_of
from referee.systems.yearzero.gear import rating
from referee.systems.yearzero.harm import check_able
from referee.systems.yearzero.injuries import receive as receive_injury
from referee.systems.yearzero.injury_tables import TABLES
from referee.systems.yearzero.panic import hurt
from referee.systems.yearzero.rapid_fire import base_die
from referee.systems.yearzero.rolls import Attempt, roll_once, roll_skill
from referee.systems.yearzero.sheet import Item, Person, Survivor
from referee.systems.yearzero.skills import Gear, plain

FISHING: Final = "yearzero.journeys.fishing-mishap"
FORAGING: Final = "yearzero.journeys.foraging-mishap"
TORN: Final = "torn clothes"


@frozen
class OutdoorMishap:
    """Something that goes wrong out in the land."""

    name: str
    says: str
    not_with: str = ""
    """What it cannot happen with: the die is thrown again."""
    skill: str = ""
    """The skill that ends or mends it."""
    loses: bool = False
    """Whether the gear is lost without that."""
    breaks: bool = False
    harms: Levels = field(default_factory=Levels)
    fails: Levels = field(default_factory=Levels)
    """What it does besides if that roll fails."""
    dice: int = 0
    """The base dice of an attack, each success of which is damage."""
    hurts: str = ""
    hazard: str = ""
    brings: str = ""
    amount: int = 0
    poison: str = ""
    potency: int = 0
    table: str = ""
    """The part of the body and the kind of an injury, and which of its table."""
    injury: int = 0
    animal: str = ""


MISHAP_TABLES: Final[dict[str, RowsOf[OutdoorMishap]]] = {
    each: rows(each, "rows", OutdoorMishap, by="roll", numbers=range(1, 7)) for each in (FISHING, FORAGING)
}
DICE: Final = {each: figure(each, "die", int) for each in MISHAP_TABLES}
OUTDOORS: Final = Prompt("outdoor-mishap")
SWARM: Final = Prompt("swarm")
ANIMAL: Final = Prompt("animal")


@rule(f"{FISHING}/roll", FISHING, FORAGING)
async def roll_mishap(scene: Scene, who: Person, table: str, net: bool = False) -> OutdoorMishap:
    """A D6, which only the game master sees: whoever picked something poisonous does not know."""
    die = Pool.of((number_die(scene[DICE[table]]), 1))
    while True:
        row = scene[MISHAP_TABLES[table]].at((await roll(OUTDOORS, who, die, Total, audience=Audience.MASTER)).total)
        if not (net and row.not_with == "net"):
            return row


@rule(f"{FISHING}/suffer", FISHING, FORAGING)
async def suffer_mishap(scene: Scene, who: Person, table: str, name: str, gear: str = "") -> None:
    """What a mishap does."""
    row = scene[MISHAP_TABLES[table]][name]
    if not row.poison:
        await tell("outdoor-mishap", who=who, name=row.name, says=row.says, rule=table)
    await get_hurt(who, row)
    if row.skill and (row.loses or row.fails):
        await get_free(who, row, gear)
    if row.breaks and gear:
        await alter(who, Survivor.with_thing, broken(scene, scene[who].thing(gear)))
    if row.hazard:
        await endanger(who, row)
    if row.brings:
        await pick_poison(who, row)
    if row.animal:
        kind = await rule_on(ANIMAL, row.says)
        await tell("animal", who=who, animal=kind, does=row.animal, rule=table)


@rule(f"{FISHING}/hurt", FISHING, FORAGING)
async def get_hurt(scene: Scene, who: Person, row: OutdoorMishap) -> None:
    """A hook, a bite, a swarm, an ankle."""
    for attribute, points in row.harms.items():
        await hurt(who, points, attribute)
    if row.dice:
        seen = await roll(SWARM, None, Pool.of((base_die(scene), row.dice)), SymbolCounts)
        if stings := seen.count(SIX):
            await hurt(who, stings, row.hurts)
    if row.table:
        part, _, kind = row.table.partition(" ")
        injuries = TABLES[part, kind]
        await receive_injury(who, scene[injuries].at(row.injury), injuries.rule)


def broken(scene: Scene, item: Item) -> Item:
    """A thing that works no more until it is mended."""
    worn = rating(scene, item)
    return replace(item, wear=worn) if worn else replace(item, reliability=1, wear=1)


@rule(f"{FISHING}/free", FISHING, FORAGING)
async def get_free(scene: Scene, who: Person, row: OutdoorMishap, gear: str) -> None:
    """A roll to get free of it; a failure loses the gear, or hurts."""
    if (await roll_skill(who, Attempt(row.skill, surplus=False))).success:
        return
    if row.loses and gear:
        await alter(who, with_things, without_thing(scene[who].things, gear))
    for attribute, points in row.fails.items():
        await hurt(who, points, attribute)


@rule(f"{FORAGING}/danger", FISHING, FORAGING)
async def endanger(scene: Scene, who: Person, row: OutdoorMishap) -> None:
    """Into the water, or out in the cold without clothes that are whole."""
    if row.skill:
        await alter(who, Survivor.with_condition, TORN)
    if all(each.name != row.hazard for each in scene[who].exposures):
        await expose(who, row.hazard)


@rule(f"{FORAGING}/poison", FORAGING)
async def pick_poison(scene: Scene, who: Person, row: OutdoorMishap) -> None:
    """Something edible that is poisoned, which nobody knows until it is eaten."""
    await receive(who, Item(row.brings, amount=row.amount))
    tainted = scene[who].tainted.but(**{f"{row.poison} {row.potency}": row.amount})
    await alter(who, with_taint, tainted)


def with_taint(sheet: Survivor, tainted: Levels) -> Survivor:
    return replace(sheet, tainted=tainted)


def check_torn(scene: Scene, who: Person) -> None:
    check_free(scene, who)
    if TORN not in scene[who].conditions:
        refuse(f"the clothes of {who} are whole", rule=FORAGING)


@action("mend-clothes", f"{FORAGING}/mend", FORAGING, bands=OUTCOME, check=check_torn, turn=check_able)
async def mend_clothes(scene: Scene, who: Person, gear: Gear = "") -> Outcome:
    """A Crafting roll mends torn clothes, and ends the cold that came with them."""
    rolled = await roll_once(who, Attempt("Crafting", gear=gear, surplus=False))
    if rolled.success:
        await alter(who, mended)
    return plain(rolled)


def mended(sheet: Survivor) -> Survivor:
    return free_of(sheet.without_condition(TORN), "cold")
