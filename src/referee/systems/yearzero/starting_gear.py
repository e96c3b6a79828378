"""Gear and money at the start: assigned by the game master, picked by the die, or bought with the starting capital."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from enum import Enum
from functools import partial
from random import Random
from typing import Final

from referee.core import (
    D6,
    Draft,
    DraftOption,
    PickSeveral,
    Pool,
    Reason,
    RollDice,
    Scene,
    figures,
    formula,
    frozen,
    option,
    rows,
)
from referee.core.belongings import catalogue_in
from referee.core.catalogue import CatalogueKind, CatalogueRow
from referee.core.drafts import DraftField
from referee.core.plain import Plain
from referee.core.rulebook import from_book
from referee.core.starting_things import at_first, one_at_random, thing_options, things_picked, under_own_names
from referee.core.things import HELD, ON_BODY
from referee.systems.yearzero.catalogue import contents_of, row_of
from referee.systems.yearzero.equipment import printed_value
from referee.systems.yearzero.sheet import Item
from referee.systems.yearzero.weapons import features_of, is_weapon

STARTING: Final = "yearzero.creation.starting-gear"
CAPITAL: Final = "yearzero.creation.wealth"
THINGS: Final = "things"
LEVEL: Final = "wealth"
CREDITS: Final = "credits"
ITEMS: Final = "items"
FROM_SAMPLES: Final = ("ranged", "armor")
"""Kinds of which the samples have some that the book does not price."""
STRIKING: Final = frozenset({"Edged", "Blunt", "Pointed"})
MOST_SUPPLY: Final = 6
"""Chance takes a thing as often as its supply code is below this; what has none counts as rare."""


class GearWay(Enum):
    """How a new character comes by gear."""

    ASSIGNED = "assigned"
    PICKED = "picked"
    BOUGHT = "bought"


@figures(STARTING)
class PickFigures:
    """How many dice say how many items may be picked, how many more, the highest supply code, what takes consent."""

    dice: int
    more: int
    most_supply: int
    barred_restrictions: tuple[str, ...]


@frozen
class WealthRow:
    """A social class: its gear money and wages, what a month costs, its savings and its reputation."""

    level: int
    name: str
    dice: int
    times: int
    wage_dice: int
    wage_times: int
    least_wage: int
    most_wage: int
    expenses_pct: int
    savings: float
    reputation: str
    says: str = ""


WAY: Final = option(STARTING, GearWay)
WEALTH_LEVELS: Final = rows(CAPITAL, "levels", WealthRow)


# --- what there is ----------------------------------------------------------------------------------------------------


def kinds(scene: Scene, fits: Callable[[CatalogueKind, CatalogueRow], bool]) -> tuple[CatalogueKind, ...]:
    """The catalogue with only the rows that fit."""
    every = catalogue_in(scene)
    return tuple(replace(kind, rows=tuple(row for row in kind.rows if fits(kind, row))) for kind in every)


@from_book
def on_offer(scene: Scene) -> tuple[CatalogueKind, ...]:
    """What can be had, the way this campaign has chosen."""
    match scene[WAY]:
        case GearWay.ASSIGNED:
            return kinds(scene, lambda kind, row: row.price is not None or kind.key in FROM_SAMPLES)
        case GearWay.PICKED:
            return kinds(scene, lambda kind, row: supply_of(scene, row.thing) > 0)
        case GearWay.BOUGHT:
            return kinds(scene, lambda kind, row: row.price is not None)


def supply_of(scene: Scene, item: Item) -> int:
    """The supply code of a thing; 0 if none is printed."""
    return int(printed_value(row_of(scene, item.kind), "supply", 0))


def rare(scene: Scene, row: CatalogueRow) -> Reason | None:
    """Why a thing cannot be had at the beginning: its supply code, or what the law says of it."""
    if scene[WAY] is GearWay.ASSIGNED:
        return None
    found, supply = scene[PickFigures], supply_of(scene, row.thing)
    if scene[WAY] is GearWay.PICKED and supply > found.most_supply:
        return Reason(f"it is rare: supply {supply}", STARTING)
    restriction = printed_value(row_of(scene, row.thing.kind), "restriction", "")
    barred = restriction in found.barred_restrictions
    return Reason(f"it takes the game master's consent: restriction {restriction}", STARTING) if barred else None


def price_of(scene: Scene, row: CatalogueRow) -> int:
    """What a thing costs, where gear is bought."""
    return int(row.price or 0) if scene[WAY] is GearWay.BOUGHT else 0


def gear_options(scene: Scene, draft: Draft) -> tuple[DraftOption, ...]:
    return all_gear(scene)


@from_book
def all_gear(scene: Scene) -> tuple[DraftOption, ...]:
    """Everything on offer; it is the same for everybody."""
    return tuple(thing_options(on_offer(scene), partial(price_of, scene), partial(rare, scene)))


# --- how much of it ---------------------------------------------------------------------------------------------------


def item_dice(scene: Scene, draft: Draft) -> Pool:
    return Pool.of((D6, scene[PickFigures].dice))


@formula(STARTING)
def most_items(scene: Scene, rolled: int) -> int:
    """How many items may be picked: the die and one."""
    return rolled + scene[PickFigures].more


def items_allowed(scene: Scene, draft: Draft) -> int:
    return most_items(scene, sum(draft.dice(ITEMS)))


def money_dice(scene: Scene, draft: Draft) -> Pool:
    level = scene[WEALTH_LEVELS].look(draft.one(LEVEL)) if draft.one(LEVEL) else None
    return Pool.of((D6, level.dice if level else 1))


@formula(CAPITAL)
def starting_capital(scene: Scene, wealth: str, rolled: int) -> int:
    """The credits that somebody of a class may spend on gear."""
    return rolled * scene[WEALTH_LEVELS].look(wealth).times


def credits_to_spend(scene: Scene, draft: Draft) -> int:
    return starting_capital(scene, draft.one(LEVEL), sum(draft.dice(CREDITS))) if draft.one(LEVEL) else 0


def credits_left(scene: Scene, draft: Draft) -> int:
    """The money that is left of the starting capital."""
    if scene[WAY] is not GearWay.BOUGHT:
        return 0
    prices = {option.name: option.price for option in gear_options(scene, draft)}
    spent = sum(int(prices.get(name, 0)) for name in draft.several(THINGS))
    return max(0, credits_to_spend(scene, draft) - spent)


def after(key: str, because: str, rule: str, scene: Scene, draft: Draft) -> Reason | None:
    """Why something must wait for another answer."""
    return None if draft.answers.get(key) else Reason(because, rule)


# --- the step ---------------------------------------------------------------------------------------------------------


def gear_fields(scene: Scene, draft: Draft) -> tuple[DraftField, ...]:
    things = PickSeveral(THINGS, gear_options, rule=STARTING, chance=some_gear)
    match scene[WAY]:
        case GearWay.ASSIGNED:
            return (things,)
        case GearWay.PICKED:
            rolled = partial(after, ITEMS, "roll how many first", STARTING)
            return (RollDice(ITEMS, item_dice, rule=STARTING), replace(things, most=items_allowed, when=rolled))
        case GearWay.BOUGHT:
            chosen = partial(after, LEVEL, "choose a social class first", CAPITAL)
            rolled = partial(after, CREDITS, "roll the starting capital first", CAPITAL)
            return (
                RollDice(CREDITS, money_dice, fixes=(LEVEL,), rule=CAPITAL, when=chosen),
                replace(things, budget=CREDITS, when=rolled),
            )


def some_gear(scene: Scene, draft: Draft, random: Random) -> Plain:
    """A weapon to strike or shoot with that can be paid for, sooner one that is easy to come by."""
    rows = [row for kind in on_offer(scene) for row in kind.rows if strikes_or_shoots(scene, row.thing)]
    rare_supply = scene[PickFigures].most_supply + 1
    weights = {row.key: MOST_SUPPLY - (supply_of(scene, row.thing) or rare_supply) for row in rows}
    left = credits_to_spend(scene, draft)
    options = (each for each in gear_options(scene, draft) if each.price <= left)
    return one_at_random(options, weights, random)


def strikes_or_shoots(scene: Scene, item: Item) -> bool:
    """Whether it is of use in any fight: a wire that only chokes by surprise is not."""
    return is_weapon(scene, item) and (item.magazine > 0 or bool(features_of(scene, item) & STRIKING))


def gear(scene: Scene, draft: Draft) -> tuple[Item, ...]:
    """What somebody begins with: a weapon in hand, and armor worn, if there are any."""
    picked = things_picked(on_offer(scene), draft.several(THINGS))
    owned = under_own_names(one for each in picked for one in (each, *contents_of(scene, each)))
    armed = at_first(owned, lambda item: is_weapon(scene, item), HELD)
    return at_first(armed, lambda item: bool(item.armor) and not is_weapon(scene, item), ON_BODY)
