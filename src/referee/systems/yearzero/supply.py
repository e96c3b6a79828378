"""Supply: what a settlement has, what the law wants to see first, who sells it all the same, and what it costs."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Final, Literal, TypeAlias

from referee.core import (
    D6,
    Faces,
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
    change,
    figure,
    figures,
    formula,
    frozen,
    refuse,
    roll,
    rows,
    rule,
    suggest,
    tell,
)
from referee.core.belongings import row_in, rows_in
from referee.core.catalogue import CatalogueRow
from referee.systems.yearzero.activities import check_time, lock, locked, now, occupy, span
from referee.systems.yearzero.catalogue import contents_of, row_of
from referee.systems.yearzero.crafting import receive
from referee.systems.yearzero.effects import OUTCOME, Outcome
from referee.systems.yearzero.equipment import printed_value
from referee.systems.yearzero.harm import check_able
from referee.systems.yearzero.money import check_price, spend
from referee.systems.yearzero.rolls import Attempt, RolledPool, roll_once
from referee.systems.yearzero.sheet import Person, Supply, Survivor, people
from referee.systems.yearzero.skills import plain

AVAILABILITY: Final = "yearzero.gear.availability"
RESTRICTION: Final = "yearzero.gear.restriction"
BLACK_MARKET: Final = "yearzero.gear.black-market"
PLENTY: Final = 99
"""What is on offer of something common."""

Town: TypeAlias = Literal["Poor", "Moderate", "Wealthy"]
Seller: TypeAlias = Literal["Scholar: Streetwise", "Influence: Trader"]


@figures(AVAILABILITY)
class SupplyFigures:
    """The dice of a town by its wealth, how often one may look, and what a success saves of the time."""

    wealth_dice: dict[str, int]
    reroll_every_days: int
    scholar_x: int


@frozen
class SupplyCode:
    """How hard something is to find."""

    name: str
    code: int
    find_minutes: int
    needs: int = 0
    """What a die must show at least; 0 if no roll is needed."""
    confirmed_by: int = 0
    """What one further die must show at least."""
    units_dice: int = 0
    says: str = ""


@frozen
class RestrictionCode:
    """What the law wants for a thing."""

    name: str
    code: str
    meaning: str


@frozen
class MarketMishap:
    """What goes wrong when no seller was found."""

    name: str
    restriction: str
    d6: int
    says: str


CODES: Final = rows(AVAILABILITY, "codes", SupplyCode, by="code")
RESTRICTIONS: Final = rows(RESTRICTION, "codes", RestrictionCode)
SELLER_MODIFIERS: Final = figure(BLACK_MARKET, "modifiers", dict[str, int])
MISHAP_ON: Final = figure(BLACK_MARKET, "mishap_on", int)
MISHAPS: Final = rows(BLACK_MARKET, "mishaps", MarketMishap)
SUPPLY: Final = Prompt("supply")
CONFIRM: Final = Prompt("supply-confirmed")
UNITS: Final = Prompt("supply-units")
FINDING: Final = Prompt("finding-time")
TROUBLE: Final = Prompt("market-trouble")
MISHAP: Final = Prompt("market-mishap")


# --- what there is ----------------------------------------------------------------------------------------------------


def goods(scene: Scene, who: Person) -> tuple[str, ...]:
    """The things with a price and a supply code, by their names in the catalogue."""
    return tuple(row.key for row in rows_in(scene) if row.price is not None and supply_of(scene, row))


def goods_row(scene: Scene, thing: str) -> CatalogueRow:
    return row_in(scene, thing)


def supply_of(scene: Scene, row: CatalogueRow) -> int:
    return int(printed_value(row_of(scene, row.thing.kind), "supply", 0))


def restriction_of(scene: Scene, thing: str) -> str:
    found: str = printed_value(row_of(scene, goods_row(scene, thing).thing.kind), "restriction", "")
    return found


def code_of(scene: Scene, thing: str) -> SupplyCode:
    return scene[CODES].at(supply_of(scene, goods_row(scene, thing)))


Goods: TypeAlias = Annotated[str, Pick(goods)]


def looking_for(scene: Scene, who: Person, thing: str) -> str:
    return f"looking for {thing} in {scene[who].site}" if scene[who].site else f"looking for {thing}"


def check_search(scene: Scene, who: Person, thing: str) -> None:
    """Once a week, for each thing and place."""
    if locked(scene, who, looking_for(scene, who, thing)):
        refuse("it may be looked for once a week", what=thing, rule=AVAILABILITY)


@action("look-for-goods", AVAILABILITY, bands=OUTCOME, check=(check_time, check_search), turn=check_able)
async def look_for_goods(
    scene: Scene, who: Person, thing: Goods, town: Town = "Moderate", scholar_first: bool = False, mods: Mods = ()
) -> Outcome:
    """See whether a town has something: dice by its wealth; a Scholar roll before that saves time."""
    code = code_of(scene, thing)
    rolled = await roll_once(who, Attempt("Scholar", mods=mods)) if scholar_first else None
    if code.needs:
        await lock(
            who, looking_for(scene, who, thing), now(scene) + span(scene, scene[SupplyFigures].reroll_every_days, "day")
        )
        if not await is_there(who, town, code.name):
            return Outcome(False, 0)
    units = (await roll(UNITS, who, Pool.of((D6, code.units_dice)), Total)).total if code.units_dice else 1
    await offer_goods(who, thing, units if code.needs else PLENTY)
    die = (await roll(FINDING, who, Pool.of((D6, 1)), Total)).total
    minutes = time_to_find(scene, code.name, die, rolled.successes if rolled is not None and rolled.success else 0)
    await occupy(who, f"finding {thing}", span(scene, minutes, "minute"))
    return Outcome(True, units if code.needs else 1)


@rule(f"{AVAILABILITY}/roll")
async def is_there(scene: Scene, who: Person, town: Town, code: str) -> bool:
    """One die of the town's must show enough; what is rare is confirmed by one more."""
    row = scene[CODES][code]
    thrown = await roll(SUPPLY, who, Pool.of((D6, scene[SupplyFigures].wealth_dice[town])), Faces)
    if max(thrown.faces) < row.needs:
        return False
    return not row.confirmed_by or (await roll(CONFIRM, who, Pool.of((D6, 1)), Total)).total >= row.confirmed_by


@formula(f"{AVAILABILITY}/time")
def time_to_find(scene: Scene, code: str, die: int, successes: int = 0) -> int:
    """The minutes that it takes: a success takes one off the die."""
    return max(0, die - scene[SupplyFigures].scholar_x * successes) * scene[CODES][code].find_minutes


@rule(f"{AVAILABILITY}/offer")
async def offer_goods(scene: Scene, who: Person, thing: str, units: int, illegally: bool = False) -> None:
    """What was found can be bought."""
    others = tuple(each for each in scene[who].supplies if each.name != thing)
    left = (Supply(thing, units, illegally),) if units else ()
    await alter(who, lambda sheet: replace(sheet, supplies=(*others, *left)))


def on_offer_to(scene: Scene, who: Person, thing: str) -> Supply | None:
    return next((each for each in scene[who].supplies if each.name == thing), None)


# --- what the law says ------------------------------------------------------------------------------------------------


def codes(scene: Scene, _: None) -> tuple[str, ...]:
    return tuple(row.code for row in scene[RESTRICTIONS])


def check_permit(scene: Scene, _: None, target: Person, restriction: str, fee: int = 0) -> None:
    if restriction in scene[target].permits:
        refuse(f"{target} has this permit", what=restriction, rule=RESTRICTION)
    if fee < 0 or fee > scene[target].credits:
        raise Refused("credits", because=f"the fee is {fee}, and there are {scene[target].credits}", rule=RESTRICTION)


@action("grant-permit", RESTRICTION, master=True, check=check_permit)
async def grant_permit(
    scene: Scene,
    target: Annotated[Person, Pick(people)],
    restriction: Annotated[str, Pick(codes)],
    fee: Annotated[int, suggest(0, 50, 100, 500)] = 0,
) -> None:
    """A permit, license or authority to buy what is restricted, for a fee that the game master sets."""
    await spend(target, fee)
    await change(target, replace(scene[target], permits=scene[target].permits | {restriction}))


def check_legal(scene: Scene, who: Person, thing: str) -> None:
    """What is restricted takes a permit, or a seller who does not ask for one."""
    restriction, found = restriction_of(scene, thing), on_offer_to(scene, who, thing)
    if restriction and restriction not in scene[who].permits and not (found and found.illegally):
        row = next(each for each in scene[RESTRICTIONS] if each.code == restriction)
        refuse(f"{row.name}: {row.meaning}", what=thing, rule=RESTRICTION, legal=("grant-permit", "black-market"))


# --- buying -----------------------------------------------------------------------------------------------------------


@formula(f"{AVAILABILITY}/price")
def cost_of(scene: Scene, thing: str, amount: int) -> int:
    return int(goods_row(scene, thing).price or 0) * amount


def check_buy(scene: Scene, who: Person, thing: str, amount: int = 1) -> None:
    """Common goods are there; anything else must have been found. The law, then the price."""
    if amount < 1:
        refuse("at least one", what="amount", rule=AVAILABILITY)
    found, code = on_offer_to(scene, who, thing), code_of(scene, thing)
    if code.needs and (found is None or found.units < amount):
        there = f"{found.units} of it on offer" if found else f"{who} has found none"
        refuse(f"it is {code.name.casefold()}: {there}", what=thing, rule=AVAILABILITY, legal=("look-for-goods",))
    check_legal(scene, who, thing)
    check_price(scene, who, cost_of(scene, thing, amount), AVAILABILITY)


@action("buy-goods", f"{AVAILABILITY}/buy", check=check_buy, turn=check_able)
async def buy_goods(
    scene: Scene, who: Person, thing: Goods, amount: Annotated[int, suggest(1, 2, 3, 5, 10)] = 1
) -> int:
    """Buy something at the price of the book."""
    price, found = cost_of(scene, thing, amount), on_offer_to(scene, who, thing)
    await spend(who, price)
    if found is not None:
        await offer_goods(who, thing, max(0, found.units - amount) if found.units < PLENTY else PLENTY, found.illegally)
    for _ in range(amount):
        for each in (goods_row(scene, thing).thing, *contents_of(scene, goods_row(scene, thing).thing)):
            await receive(who, each)
    return price


# --- the black market -------------------------------------------------------------------------------------------------


def check_market(scene: Scene, who: Person, thing: str) -> None:
    """Something restricted that is there, and for which no seller was looked for yet."""
    found = on_offer_to(scene, who, thing)
    if not restriction_of(scene, thing):
        refuse("anybody may buy it", what=thing, rule=BLACK_MARKET, legal=("buy-goods",))
    if found is None or found.illegally:
        why = "a seller is found" if found else f"{who} has found none"
        refuse(why, what=thing, rule=BLACK_MARKET, legal=("buy-goods" if found else "look-for-goods",))


@action("black-market", BLACK_MARKET, bands=OUTCOME, check=check_market, turn=check_able)
async def ask_around(
    scene: Scene,
    who: Person,
    thing: Goods,
    by: Seller = "Scholar: Streetwise",
    town: Town = "Moderate",
    mods: Mods = (),
) -> Outcome:
    """Find somebody who sells it without asking; a failure may be heard of in the wrong places."""
    restriction = restriction_of(scene, thing)
    skill, _, specialty = by.partition(": ")
    own = (*mods, Mod(scene[SELLER_MODIFIERS][restriction], f"restriction {restriction}", BLACK_MARKET))
    rolled: RolledPool = await roll_once(who, Attempt(skill, specialty, mods=own, surplus=False))
    found = on_offer_to(scene, who, thing)
    if rolled.success and found is not None:
        await offer_goods(who, thing, found.units, illegally=True)
        return plain(rolled)
    await offer_goods(who, thing, 0)
    await trouble(who, restriction, town)
    return plain(rolled)


@rule(f"{BLACK_MARKET}/mishap")
async def trouble(scene: Scene, who: Person, restriction: str, town: Town) -> str:
    """The dice of the town say whether somebody took notice, and one die what comes of it."""
    thrown = await roll(TROUBLE, who, Pool.of((D6, scene[SupplyFigures].wealth_dice[town])), Faces)
    if max(thrown.faces) < scene[MISHAP_ON]:
        return ""
    pips = (await roll(MISHAP, who, Pool.of((D6, 1)), Total)).total
    name = next(row.name for row in scene[MISHAPS] if row.restriction == restriction and row.d6 == pips)
    await tell("market-mishap", who=who, name=name, says=scene[MISHAPS][name].says)
    return name


# --- restocking -------------------------------------------------------------------------------------------------------


def restockable(scene: Scene, who: Person) -> tuple[str, ...]:
    held = ((each, row_of(scene, each.kind)) for each in scene[who].things)
    return tuple(each.name for each, row in held if printed_value(row, "restock", 0) and (each.uses or 0) < row.uses)


def check_restock(scene: Scene, who: Person, thing: str) -> None:
    if thing not in restockable(scene, who):
        refuse(
            "nothing of it is used up", what=thing, rule="yearzero.gear.medical-supplies", legal=restockable(scene, who)
        )
    check_price(scene, who, restock_price(scene, who, thing), "yearzero.gear.medical-supplies")


@formula("yearzero.gear.medical-supplies/restock")
def restock_price(scene: Scene, who: Person, thing: str) -> int:
    """So much for each use that is gone."""
    item = scene[who].thing(thing)
    row = row_of(scene, item.kind)
    return int(row.restock * (row.uses - (item.uses or 0)))


@action("restock", "yearzero.gear.medical-supplies/restocked")
async def restock(scene: Scene, who: Person, thing: Annotated[str, Pick(restockable, check_restock)]) -> int:
    """A clinic is filled up again."""
    price, item = restock_price(scene, who, thing), scene[who].thing(thing)
    await spend(who, price)
    await alter(who, Survivor.with_thing, replace(item, uses=row_of(scene, item.kind).uses))
    return price
