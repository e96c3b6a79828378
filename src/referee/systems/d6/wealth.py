"""Wealth: the week's roll, what it buys, sums of cash, bribes, and the upkeep of every month."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Annotated, Final, TypeAlias

from referee.core import (
    CLOCK,
    DICE,
    PIPS,
    YES_NO,
    Audience,
    Effect,
    Pick,
    Prompt,
    Scene,
    action,
    alter,
    figure,
    figures,
    formula,
    frozen,
    hand_over,
    lay,
    option,
    refuse,
    rows,
    rule,
    rule_on,
    suggest,
    tell,
)
from referee.core.belongings import row_in, rows_in
from referee.core.clock import Due, due
from referee.core.effects import Adds
from referee.core.errors import BadInput
from referee.core.modifiers import Itemised
from referee.kits.dice_codes import Code, Rolled, Stat
from referee.systems.d6.codes import code_mods
from referee.systems.d6.equipment import Item, goods_of
from referee.systems.d6.market import check_on_sale
from referee.systems.d6.resolution import TESTED, TestResult, anyone, check_able, is_fumble, judged
from referee.systems.d6.rolls import ANY_ROLL, Spend, is_secret_roll, roll_for, roll_with_points, throw
from referee.systems.d6.sheet import PIPS_PER_DIE, Hero, Person, others
from referee.systems.d6.social import INTERACTION, SCENE_END
from referee.systems.d6.time import rounds_of
from referee.systems.d6.work import check_no_fight
from referee.systems.d6.wounds import DEAD

PURCHASE: Final = "d6.wealth.purchase-roll"
SPLITTING: Final = option("d6.wealth.splitting")
CASH: Final = "d6.wealth.cash-flow"
BRIBES: Final = "d6.wealth.bribes"
UPKEEP: Final = "d6.wealth.upkeep"
PERIOD: Final = figure("d6.wealth.levels", "period", str)
POINTS_PER_DIE: Final = figure("d6.wealth.overflow", "points_per_die", int)
INCOME: Final = "income"
SAVINGS: Final = "savings"
"""What is left when the week's income is spent: every die of it costs a Character Point."""
EFFORT: Final = Prompt("wealth-effort")


@frozen
class WealthLevel:
    """What somebody of so many dice of Wealth is called."""

    name: str
    min: int | None
    max: int | None


@frozen
class Currency:
    """What a Price index is in the money of the setting, from where to where."""

    name: str
    min: int | None
    max: int | None
    base: float
    per_point: float


@figures(UPKEEP)
class WealthUpkeep:
    """How often Wealth is kept up, with which skill, and how much the margin moves it."""

    period: str
    skill: str
    points_per_pip: int
    secretly: bool


WEALTH_LEVELS: Final = rows("d6.wealth.levels", "levels", WealthLevel, by=("min", "max"))
CURRENCY: Final = rows("d6.wealth.price-index", "currency", Currency, by=("min", "max"))


# --- what somebody can pay with ---------------------------------------------------------------------------------------


@formula("d6.wealth.levels")
def wealth_level(scene: Scene, wealth: Stat) -> str:
    """What a Wealth is called, by its whole dice."""
    return scene[WEALTH_LEVELS].at(wealth.dice).name


@formula("d6.wealth.price-index")
def local_price(scene: Scene, price: int) -> float:
    """What a Price index comes to in the money of the setting; 0 if the setting does not say."""
    row = scene[CURRENCY].at(price)
    return row.base + row.per_point * (price - (row.min or 0))


def week_of(scene: Scene) -> int:
    return scene[CLOCK].now // rounds_of(scene, 1, scene[PERIOD])


@formula(f"{PURCHASE}/left", PURCHASE)
def wealth_left(scene: Scene, who: Person) -> Code:
    """What of this week's Wealth was not rolled yet."""
    sheet = scene[who]
    return sheet.wealth.raised(-sheet.funds.used_in(week_of(scene)).code, scene[PIPS_PER_DIE]).code


@formula("d6.wealth.overview")
def wealth_in_words(scene: Scene, who: Person) -> str:
    """Somebody's Wealth, what it is called, what of it is left this week, and what else they can deal with."""
    sheet, left = scene[who], wealth_left(scene, who)
    more = [f"{each.name} {each.code}" for each in sheet.funds.cash]
    more += [f"spare parts for {sheet.funds.parts}"] if sheet.funds.parts else []
    more += [f"found on sale: {each.thing}" for each in sheet.funds.found]
    more += [f"papers for {each}" for each in sheet.funds.clearances]
    week = "" if left == sheet.wealth.code else f", {left} of it left this week"
    return f"{sheet.wealth}, {wealth_level(scene, sheet.wealth)}{week}{''.join(f'; {each}' for each in more)}"


def sources(scene: Scene, who: Person) -> tuple[str, ...]:
    return (INCOME, SAVINGS, *(each.name for each in scene[who].funds.cash))


def check_source(scene: Scene, who: Person, out_of: str) -> None:
    """The week's income while there is any, then savings; a sum of cash until it is spent."""
    left = wealth_left(scene, who)
    if out_of == INCOME and left == Code():
        spent = f"{who} has rolled all of this week's Wealth" if scene[who].wealth != Stat() else f"{who} is broke"
        refuse(spent, rule=PURCHASE, legal=(SAVINGS, "next week"))
    if out_of == SAVINGS and left != Code():
        refuse(f"{left} of this week's income is left", rule="d6.wealth.overflow", legal=(INCOME,))
    if out_of == SAVINGS and not scene[who].wealth.dice:
        refuse("a Wealth below 1D has no savings", rule="d6.wealth.overflow")
    if out_of not in (INCOME, SAVINGS) and scene[who].funds.sum_named(out_of) is None:
        refuse(f"{who} has no such cash", what=out_of, rule=CASH, legal=sources(scene, who))


def available(scene: Scene, who: Person, out_of: str) -> Code:
    """The most that can be rolled at once."""
    if out_of == SAVINGS:
        return Code(scene[who].wealth.dice)
    found = scene[who].funds.sum_named(out_of)
    return wealth_left(scene, who) if found is None else found.code.code


def parts(scene: Scene, who: Person, out_of: str) -> tuple[Code | None, ...]:
    """All of it or, where codes may be split, so many dice of it; of savings, as many as are paid for."""
    most = available(scene, who, out_of).dice
    if out_of == SAVINGS:
        return tuple(map(Code, range(1, min(most, scene[who].points_for_rolls // scene[POINTS_PER_DIE]) + 1)))
    return (None, *map(Code, range(1, most))) if scene[SPLITTING] else (None,)


@formula("d6.wealth.overflow/check", "d6.wealth.overflow")
def check_part(scene: Scene, who: Person, dice: Code | None, out_of: str) -> None:
    """Parts come to no more than the whole; savings are whole dice, up to those of one's Wealth, and paid for."""
    per_die, most = scene[PIPS_PER_DIE], available(scene, who, out_of)
    if dice is not None and not 0 < dice.in_pips(per_die) <= most.in_pips(per_die):
        refuse(f"it is at most {most}", what=str(dice), rule=PURCHASE, legal=(str(most),))
    if out_of == SAVINGS:
        if dice is None or dice.pips:
            refuse("say how many whole dice", rule="d6.wealth.overflow", legal=("1D",))
        if dice.dice * scene[POINTS_PER_DIE] > scene[who].points_for_rolls:
            refuse("every die costs a Character Point", what=str(dice), rule="d6.wealth.overflow")
    elif dice is not None and dice != most and not scene[SPLITTING]:
        refuse("Wealth is rolled whole in this campaign", rule=SPLITTING.rule, legal=(str(most),))


# --- the Wealth roll --------------------------------------------------------------------------------------------------


@rule(f"{PURCHASE}/spend", PURCHASE, "d6.wealth.overflow", CASH)
async def spend_funds(scene: Scene, who: Person, out_of: str, code: Code) -> None:
    """What is rolled is spent, whatever comes of it: of the week, of a sum of cash, or Character Points."""
    funds, per_die = scene[who].funds, scene[PIPS_PER_DIE]
    if out_of == SAVINGS:
        await alter(who, Hero.spending_on_roll, code.dice * scene[POINTS_PER_DIE])
    elif out_of == INCOME:
        await alter(who, Hero.with_funds, funds.using(week_of(scene), code, per_die))
    else:
        await alter(who, Hero.with_funds, funds.with_cash(out_of, -code, per_die))


@rule("d6.wealth.character-points")
async def wealth_roll(scene: Scene, who: Person, out_of: str = INCOME, dice: Code | None = None) -> Rolled:
    """Roll what is spent. Character Points may better it, as on any roll; Fate never does."""
    code = dice or available(scene, who, out_of)
    await spend_funds(who, out_of, code)
    shown = Itemised(code_mods(code, "Wealth" if out_of == INCOME else out_of, PURCHASE))
    return await hand_over(roll_with_points(who, code, 0, True, False, shown))


# --- buying -----------------------------------------------------------------------------------------------------------


def goods(scene: Scene, who: Person) -> tuple[str, ...]:
    """What has a price in this campaign."""
    return tuple(row.key for row in rows_in(scene) if row.price is not None)


def listed(scene: Scene, thing: str) -> Item:
    """A thing of the catalogue; anything else is what it is called."""
    try:
        found: Item = row_in(scene, thing).thing
    except BadInput:
        return Item(thing)
    return found


def check_known(scene: Scene, who: Person, thing: str) -> None:
    """Anything can be bought whose price is said."""


Thing: TypeAlias = Annotated[str, Pick(lambda scene, who: ("", *goods(scene, who)), check_known)]
Listed: TypeAlias = Annotated[str, Pick(goods)]
Price: TypeAlias = Annotated[int, suggest(0, 5, 10, 15, 20, 30)]
Count: TypeAlias = Annotated[int, suggest(1, 2, 3, 5)]
Source: TypeAlias = Annotated[str, Pick(sources, check_source)]
Part: TypeAlias = Annotated[Code | None, Pick(parts, check_part)]


@formula("d6.equipment.price/sum", "d6.equipment.price", PURCHASE)
def price_of_all(scene: Scene, thing: str, price: int, amount: int = 1, besides: tuple[str, ...] = ()) -> int:
    """The sum of the Price indexes of all that is bought on one roll."""
    known = [goods_of(scene, listed(scene, each)).price or 0 for each in besides]
    return (price or (goods_of(scene, listed(scene, thing)).price if thing else 0) or 0) * amount + sum(known)


def check_goods(
    scene: Scene, who: Person, thing: str, price: int = 0, amount: int = 1, besides: tuple[str, ...] = ()
) -> None:
    """Everything has a price, is to be had, and is not sold below what the campaign says."""
    if amount < 1:
        refuse("at least one", what=str(amount), rule=PURCHASE)
    usual = goods_of(scene, listed(scene, thing)).price if thing else None
    if not price and usual is None:
        refuse("the game master says what it costs", what=thing, rule="d6.equipment.price", legal=("a price",))
    if price < 0 or (price and usual is not None and price < usual):
        refuse(f"it costs {usual or 0} at least", what=thing, rule="d6.equipment.price", legal=(str(usual or 0),))
    for each in (thing, *besides) if thing else besides:
        check_on_sale(scene, who, goods_of(scene, listed(scene, each)))


@action(
    "buy",
    PURCHASE,
    "d6.wealth.overview",
    "d6.wealth.price-index",
    bands=TESTED,
    turn=check_able,
    check=(check_no_fight, check_goods),
    secret=is_secret_roll,
)
async def buy(
    scene: Scene,
    who: Person,
    thing: Thing = "",
    price: Price = 0,
    amount: Count = 1,
    besides: tuple[Listed, ...] = (),
    out_of: Source = INCOME,
    dice: Part = None,
) -> TestResult:
    """Roll Wealth against the Price index of all that is bought at once; what was rolled is spent either way.

    What is no thing, such as a fare or a fee, has a price alone. Savings come after the week's income; every die of
    them costs a Character Point.
    """
    needed = price_of_all(scene, thing, price, amount, besides)
    bought = (*([thing] * amount if thing else ()), *besides)
    return await hand_over(
        wealth_roll(who, out_of, dice),
        read=lambda rolled: judged(scene, rolled, needed),
        then=lambda test: delivered(who, bought, price) if test.success else None,
    )


@rule(f"{PURCHASE}/delivered", PURCHASE)
async def delivered(scene: Scene, who: Person, bought: tuple[str, ...], price: int = 0) -> None:
    """What was bought is theirs; what was looked for has to be looked for again."""
    for each in bought:
        item = listed(scene, each)
        own = item if goods_of(scene, item).price is not None else replace(item, price=price)
        await alter(who, Hero.taking_item, own)
    if any(each.thing in bought for each in scene[who].funds.found):
        await alter(who, Hero.with_funds, scene[who].funds.without(*bought))


# --- cash and bribes --------------------------------------------------------------------------------------------------


def check_cash(scene: Scene, who: object, name: str, code: Code) -> None:
    """It has a name of its own, and is worth something."""
    if not name or name in (INCOME, SAVINGS):
        refuse("give it a name", what=name, rule=CASH)
    if code.in_pips(scene[PIPS_PER_DIE]) < 1:
        refuse("it is a pip or more", what=str(code), rule=CASH)


Somebody: TypeAlias = Annotated[Person, Pick(anyone)]
CashCode: TypeAlias = Annotated[Code, suggest(Code(1), Code(2), Code(3), Code(5))]
CashName: TypeAlias = Annotated[str, suggest("pay", "loot")]


@action("give-cash", CASH, check=check_cash, master=True)
async def give_cash(scene: Scene, hero: Somebody, code: CashCode, name: CashName = "pay") -> None:
    """Somebody comes into money: a Wealth that is rolled once, and neither renewed nor kept up."""
    await alter(hero, Hero.with_funds, scene[hero].funds.with_cash(name, code, scene[PIPS_PER_DIE]))


def offers(scene: Scene, who: Person) -> tuple[Code, ...]:
    return tuple(Code(dice) for dice in range(1, wealth_left(scene, who).dice + 1))


def check_offer(scene: Scene, who: Person, code: Code) -> None:
    """Some or all of what is left of this week's Wealth."""
    left = wealth_left(scene, who)
    if not 0 < code.in_pips(scene[PIPS_PER_DIE]) <= left.in_pips(scene[PIPS_PER_DIE]):
        refuse(f"{left} of this week's Wealth is left", what=str(code), rule=BRIBES, legal=(str(left),))


@action("bribe", BRIBES, turn=check_able, check=check_no_fight)
async def bribe(
    scene: Scene,
    who: Person,
    other: Annotated[Person, Pick(others)],
    code: Annotated[Code, Pick(offers, check_offer)],
    offended: bool = False,
) -> None:
    """Offer some of this week's Wealth: as many dice on the next interaction of this scene, or against whoever offends.

    Whoever is bribed has it as cash.
    """
    await spend_funds(who, INCOME, code)
    for amount, unit in ((code.dice, DICE), (code.pips, PIPS)):
        if amount:
            does = Adds(-amount if offended else amount, unit)
            await lay(who, Effect(does, frozenset({INTERACTION}), until=SCENE_END, uses=1), source=f"bribe to {other}")
    name = f"bribe from {who}"
    await alter(other, Hero.with_funds, scene[other].funds.with_cash(name, code, scene[PIPS_PER_DIE]))


# --- upkeep -----------------------------------------------------------------------------------------------------------


@formula("d6.wealth.advancement", UPKEEP)
def pips_moved(scene: Scene, margin: int, effort: bool) -> int:
    """A pip for every full 10 points: lost by a failure, and gained by a success of whoever has worked for it."""
    pips = abs(margin) // scene[WealthUpkeep].points_per_pip
    return -pips if margin < 0 else pips if effort else 0


@rule(UPKEEP, "d6.wealth.advancement")
async def upkeep(scene: Scene, who: Person) -> Stat:
    """Business against one's own Wealth, without any points: a fumble costs all of it until a subplot restores it."""
    sheet, figures = scene[who], scene[WealthUpkeep]
    keeper = next((each for each in scene.all(Hero) if each.name == sheet.funds.keeper), who)
    seen_by = Audience.MASTER if figures.secretly else Audience.EVERYONE
    shown = Itemised(code_mods(sheet.wealth.code, "Wealth", UPKEEP))
    theirs = await throw(who, sheet.wealth.code, 0, shown, figures.secretly)
    mine = await roll_for(keeper, figures.skill, (), (ANY_ROLL,), Spend.NOTHING, figures.secretly)
    margin = mine.total - theirs.total
    lost = is_fumble(scene, mine.luck, margin)
    pips = pips_moved(scene, margin, sheet.funds.effort)
    moved = max(0, sheet.wealth.code.in_pips(scene[PIPS_PER_DIE]) + pips)
    after = Stat() if lost else Stat.of(Code(0, moved), scene[PIPS_PER_DIE])
    less = lost or pips < 0
    if after != sheet.wealth or sheet.funds.effort:
        before = (sheet.funds.before or sheet.wealth) if less else sheet.funds.before
        await alter(who, Hero.with_wealth, after, before)
    await tell("upkeep", who=who, wealth=str(after), before=str(sheet.wealth), audience=seen_by)
    return after


@due(Hero, upkeep)
def upkeep_due(scene: Scene, who: Person) -> Iterator[Due]:
    """Whoever has any Wealth keeps it up once a month; all months begin with the clock."""
    if scene[who].wealth != Stat() and scene[who].wound != DEAD:
        yield Due(upkeep, every=rounds_of(scene, 1, scene[WealthUpkeep].period))


@action("plan-upkeep", f"{UPKEEP}/plan", UPKEEP, turn=check_able)
async def plan_upkeep(
    scene: Scene,
    who: Person,
    keeper: Annotated[Person | None, Pick(lambda scene, who: (None, *others(scene, who)))] = None,
    effort: bool = False,
) -> bool:
    """Who rolls for this month's upkeep, and whether the month goes into getting richer, if the game master agrees."""
    devoted = effort and bool(await rule_on(EFFORT, True, options=YES_NO))
    planned = replace(scene[who].funds, keeper="" if keeper is None else keeper.name, effort=devoted)
    await alter(who, Hero.with_funds, planned)
    return devoted


def check_fallen(scene: Scene, _: None, hero: Person) -> None:
    """Only what upkeep has cost comes back."""
    if scene[hero].funds.before is None:
        refuse(f"{hero} has lost no Wealth", rule=UPKEEP)


@action("restore-wealth", f"{UPKEEP}/restore", UPKEEP, check=check_fallen, master=True)
async def restore_wealth(scene: Scene, hero: Somebody) -> Stat:
    """A subplot brings back the Wealth that was lost."""
    before = scene[hero].funds.before or scene[hero].wealth
    await alter(hero, Hero.with_wealth, before, None)
    return before
