"""Wealth and Lifestyle: what things cost, what is earned, and what a way of life takes each month."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Annotated, Final, TypeAlias

from referee.core import (
    YES,
    YES_NO,
    Pick,
    Prompt,
    Scene,
    action,
    change,
    figure,
    figures,
    formula,
    offer,
    refuse,
    rule,
    rule_on,
    suggest,
    tell,
)
from referee.core.belongings import row_in
from referee.core.clock import Due, due
from referee.core.errors import BadInput
from referee.core.things import added
from referee.systems.dime.gear import Item
from referee.systems.dime.moxie import CONSENT
from referee.systems.dime.sheet import Adventurer, Person, check_awake, living, others
from referee.systems.dime.time import month

BULK: Final = figure("dime.wealth.bulk", "per_doubling", int)
POOLING: Final = figure("dime.wealth.pooling", "per_doubling", int)
UNPAID: Final = figure("dime.lifestyle.upkeep", "drop_if_unpaid", int)
STEP: Final = figure("dime.lifestyle.raise-lower", "step", int)

PAY: Final = Prompt("pay")


@figures("dime.wealth.costs")
class Costs:
    """How far above Wealth a purchase may go."""

    max_over: int
    max_multiple: int


@formula("dime.flip.rounding")
def half(scene: Scene, number: int) -> int:
    """Half of a number, rounded up."""
    return -(-number // 2)


@formula("dime.wealth.costs")
def most_cost(scene: Scene, wealth: int) -> int:
    """The highest Cost that a Wealth can pay."""
    return min(wealth + scene[Costs].max_over, wealth * scene[Costs].max_multiple)


@formula("dime.wealth.bulk")
def bulk_cost(scene: Scene, cost: int, number: int) -> int:
    """The Cost of several things bought at once: one step more for each doubling, begun ones included."""
    return cost + (number - 1).bit_length() * scene[BULK]


@formula("dime.wealth.pooling")
def pooled(scene: Scene, scores: tuple[int, ...]) -> int:
    """The Wealth that several people buy at: two equal scores make one that is a step higher, again and again."""
    left = Counter(scores)
    level = min(left)
    while level <= max(left):
        left[level + scene[POOLING]] += left[level] // 2
        level += 1
        left += Counter()
    return max(left)


def check_can_pay(scene: Scene, who: Person, cost: int, number: int = 1, partners: tuple[Person, ...] = ()) -> None:
    """A Cost up to four above Wealth, and up to twice Wealth."""
    wealth = purse(scene, who, partners)
    asked, most = bulk_cost(scene, cost, number), most_cost(scene, wealth)
    if asked > most:
        refuse(f"Cost {asked} is too much for Wealth {wealth}", rule="dime.wealth.costs", legal=(f"up to {most}",))


def purse(scene: Scene, who: Person, partners: tuple[Person, ...] = ()) -> int:
    """What somebody buys at, alone or together with others."""
    own = scene[who].wealth
    return pooled(scene, (own, *(scene[each].wealth for each in partners))) if partners else own


@rule("dime.wealth.costs")
async def pay(scene: Scene, who: Person, cost: int, partners: tuple[Person, ...] = ()) -> int:
    """A Cost up to Wealth is nothing; beyond it everyone who pays loses the difference. Returns what was lost."""
    wealth = purse(scene, who, partners)
    if cost > (most := most_cost(scene, wealth)):
        refuse(f"Cost {cost} is too much for Wealth {wealth}", legal=(f"up to {most}",))
    loss = max(0, cost - wealth)
    for each in (who, *partners) if loss else ():
        await change(each, replace(scene[each], wealth=max(0, scene[each].wealth - loss)))
    return loss


def check_number(scene: Scene, who: Person, number: int) -> None:
    if number < 1:
        refuse("one at least", rule="dime.wealth.bulk")


def listed(scene: Scene, thing: str) -> Item | None:
    """A thing of the catalogue, by its name."""
    try:
        found: Item = row_in(scene, thing).thing
    except BadInput:
        return None
    return found


def check_thing(scene: Scene, who: Person, thing: str, cost: int) -> None:
    """What the catalogue lists is bought at its Cost; anything else has a name that nothing else of theirs has."""
    row = listed(scene, thing) if thing else None
    if row is not None and cost < row.cost:
        refuse(f"Cost {cost} is too little for {row.name}", rule="dime.wealth.costs", legal=(str(row.cost),))
    if row is None and thing in (each.name for each in scene[who].items):
        refuse(f"{who} has a {thing} already; call it something else", rule="dime.gear.general-properties")


Cost: TypeAlias = Annotated[int, suggest(*range(1, 11))]
Partners: TypeAlias = tuple[Annotated[Person, Pick(others)], ...]
Somebody: TypeAlias = Annotated[Person, Pick(living)]


@action("buy", "dime.wealth.costs/buy", turn=check_awake, check=(check_number, check_can_pay, check_thing))
async def buy(scene: Scene, who: Person, cost: Cost, thing: str = "", number: int = 1, partners: Partners = ()) -> int:
    """Buy something, or several at once, alone or pooling money. Returns the Wealth that is lost."""
    loss = await pay(who, bulk_cost(scene, cost, number), partners)
    if thing:
        row = listed(scene, thing)
        bought, count = (Item(thing, cost=cost), 1) if row is None else (row, number)
        for _ in range(count):
            await change(who, replace(scene[who], items=added(scene[who].items, bought)))
    return loss


@action("income", "dime.wealth.income", master=True)
async def earn(scene: Scene, who: Somebody, income: Cost) -> int:
    """Income above Wealth raises it by half the difference. Returns the new Wealth."""
    more = half(scene, income - scene[who].wealth)
    if more > 0:
        await change(who, replace(scene[who], wealth=scene[who].wealth + more))
    return scene[who].wealth


# --- Lifestyle --------------------------------------------------------------------------------------------------------


def check_lifestyle(scene: Scene, who: Person) -> None:
    if not scene[who].lifestyle:
        refuse(f"{who} has no Lifestyle to call upon", rule="dime.lifestyle.uses")


def check_step(scene: Scene, who: Person, step: int) -> None:
    """One step up or down, and not below 0."""
    if abs(step) != scene[STEP] or scene[who].lifestyle + step < 0:
        refuse(f"Lifestyle changes by {scene[STEP]}, up or down, and not below 0")


StepUpOrDown: TypeAlias = Annotated[int, Pick(lambda scene, who: (scene[STEP], -scene[STEP]), check_step)]


@action("call-on-lifestyle", "dime.lifestyle.uses", turn=check_awake, check=check_lifestyle)
async def call_on_lifestyle(scene: Scene, who: Person, what: str = "") -> bool:
    """Simple mundane equipment is at hand, if the game master agrees; it calls upon the Lifestyle for the month."""
    if not await rule_on(CONSENT, True, options=YES_NO):
        return False
    await await_upkeep(who)
    await tell("at-hand", who=who, what=what)
    return True


@action("change-lifestyle", "dime.lifestyle.raise-lower", turn=check_awake)
async def change_lifestyle(scene: Scene, who: Person, step: StepUpOrDown) -> None:
    """In downtime: a step up or down at the end of the month, if the upkeep is paid."""
    await change(who, replace(scene[who], lifestyle_change=step))
    await await_upkeep(who)


@rule("dime.lifestyle.upkeep/due")
async def await_upkeep(scene: Scene, who: Person) -> None:
    """Upkeep comes due at the end of a month in which Lifestyle was called upon."""
    if not scene[who].lifestyle_used:
        await change(who, replace(scene[who], lifestyle_used=True))


@rule("dime.lifestyle.upkeep", "dime.lifestyle.raise-lower")
async def upkeep(scene: Scene, who: Person) -> bool:
    """The Lifestyle is paid for, or drops by one; a change that was announced comes with the payment."""

    def check_affordable(_: object) -> None:
        if scene[who].lifestyle > (most := most_cost(scene, scene[who].wealth)):
            refuse(f"Wealth {scene[who].wealth} pays up to {most}", rule="dime.wealth.costs")

    paid = bool(await offer(who, PAY, YES, check=check_affordable))
    if paid:
        _ = await pay(who, scene[who].lifestyle)
    step = scene[who].lifestyle_change if paid else -scene[UNPAID]
    level = max(0, scene[who].lifestyle + step)
    await change(who, replace(scene[who], lifestyle=level, lifestyle_used=False, lifestyle_change=0))
    return paid


@due(Adventurer, upkeep)
def called_upon(scene: Scene, who: Person) -> Iterator[Due]:
    """A Lifestyle that was called upon is paid for at the end of the month; all months begin with the clock."""
    if scene[who].lifestyle_used and not scene[who].dead:
        yield Due(upkeep, every=month(scene))
