"""Loads: what things weigh, what somebody can carry, and what food and water are carried in."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from typing import Any, Final

from referee.core import Mod, Mods, Refused, Scene, figures, formula, frozen, refuse, rows
from referee.core.effects import Adds
from referee.core.things import ON_BODY, inside
from referee.kits.things import load
from referee.systems.yearzero.equipment import EQUIPMENT, fits_on, row_named, table_of, takes_fittings, weapon_kind
from referee.systems.yearzero.gear import MELEE_WEAPONS, SHIELDS
from referee.systems.yearzero.items import CONTAINERS, TOOLS
from referee.systems.yearzero.scrap_tables import scrap_row
from referee.systems.yearzero.sheet import STRENGTH, Item, Person
from referee.systems.yearzero.talents import talent_effects
from referee.systems.yearzero.weapons import areas_of, armor_of

WEIGHT: Final = "yearzero.creation.encumbrance"
OVER: Final = "yearzero.creation.encumbrance-over"
CONSUMABLES: Final = "yearzero.creation.consumables"
COINS: Final = "coins"
FOOD_KIND, WATER_KIND = "food", "water"


@frozen
class SizeOfThing:
    """What a thing of a size weighs."""

    name: str
    weight: float


@figures(WEIGHT)
class Limits:
    """How much can be carried, and what worn armor and coins weigh."""

    times_strength: int
    worn_armor: float
    coins: dict[str, float]


@figures(OVER)
class OverLimits:
    """How many times Strength is far too much, and how many times is more than anybody can move with."""

    over_from: int
    stuck_from: int
    move_modification: int
    agility_damage: int
    choices: tuple[str, ...]


@figures("yearzero.gear.ammunition")
class AmmunitionWeight:
    """What a magazine of rounds weighs, and a belt."""

    magazine_weight: float
    belt_weight: float


@figures(CONSUMABLES)
class Needs:
    """What is eaten and drunk in a day, and what a container weighs."""

    food: tuple[str, ...]
    food_per_day: int
    water_per_day: int
    weight_if_not_empty: int
    weight_if_empty: int


SIZES: Final = rows(WEIGHT, "sizes", SizeOfThing)
PRICED: Final[tuple[Any, ...]] = (MELEE_WEAPONS, SHIELDS, TOOLS)


# --- what things weigh ------------------------------------------------------------------------------------------------


def weight_of(scene: Scene, things: tuple[Item, ...], item: Item) -> Fraction:
    """What all there is of a thing weighs: worn armor half, food and water only as the container they are in."""
    if item.kind == COINS:
        coins = scene[Limits].coins
        return Fraction(str(coins["light"])) * int(item.amount // coins["per_light"])
    if item.kind in scene[CONTAINERS]:
        return Fraction(container_weight(scene, things, item))
    if holder := next((each for each in things if each.name == item.place and each.kind in scene[CONTAINERS]), None):
        return Fraction(0 if scene[CONTAINERS].look(holder.kind).holds == FOOD_KIND else 1)
    found = scrap_row(scene, item.scrap)
    if found is not None and not found.varies:
        return Fraction(str(found.weight)) * (1 if found.together else Fraction(str(item.amount)))
    row = row_named(scene, item.kind)
    if row is not None and row.rounds:
        return ammunition_weight(scene, things, item)
    each = Fraction(str(printed_weight(scene, item)))
    if row is not None and row.per_rating:
        each *= armor_of(scene, item)
    if item.place == ON_BODY and armor_of(scene, item):
        each *= Fraction(str(scene[Limits].worn_armor))
    return each * Fraction(str(item.amount))


def printed_weight(scene: Scene, item: Item) -> float:
    """The weight that is printed for a thing; what has none is tiny, and other things are regular."""
    row = row_named(scene, item.kind)
    listed = (scene[table][item.kind] for table in PRICED if item.kind in scene[table])
    found = row or next(listed, None)
    if found is not None:
        return float(found.weight)
    tiny = item.amount != 1 or not (item.damage or item.armor or item.gear_bonus)
    return scene[SIZES]["tiny" if tiny else "regular"].weight


def ammunition_weight(scene: Scene, things: Iterable[Item], item: Item) -> Fraction:
    """Rounds weigh by the pack that they are bought in: as a magazine, or for a weapon with a belt as one."""
    found, row = scene[AmmunitionWeight], scene[EQUIPMENT].look(item.kind)
    guns = (row_named(scene, each.kind) for each in things)
    belted = any(gun is not None and gun.ammo == row.name and "Belt" in gun.features for gun in guns)
    packs = -(-Fraction(str(item.amount)) // row.rounds)
    return packs * Fraction(str(found.belt_weight if belted else found.magazine_weight))


def container_weight(scene: Scene, things: tuple[Item, ...], item: Item) -> int:
    """A knapsack, waterskin or canteen weighs nothing as long as it is empty."""
    full = item.loaded > 0 or any(each.place == item.name for each in things)
    return scene[Needs].weight_if_not_empty if full else scene[Needs].weight_if_empty


@formula(f"{WEIGHT}/load", "yearzero.gear.ammunition", "yearzero.gear.armor")
def load_of(scene: Scene, who: Person) -> float:
    """What somebody carries, in regular things."""
    things = tuple(each for each in scene[who].things if not each.mount)
    weights = {each.name: weight_of(scene, things, each) for each in things}
    total: Any = load((replace(each, amount=1) for each in things), lambda each: weights[each.name])  # type: ignore[arg-type, return-value]  # fractions add up as numbers do
    return int(total) if total == int(total) else float(total)


@formula(WEIGHT)
def capacity(scene: Scene, who: Person, times: int | None = None) -> int:
    """Twice the full Strength, and what a backpack and the like add; damage does not lower it."""
    sheet = scene[who]
    rows_ = (row_named(scene, kind) for kind in dict.fromkeys(each.kind for each in sheet.things if each.at_hand))
    packs = max((row.capacity for row in rows_ if row is not None), default=0)
    carts = (scrap_row(scene, each.scrap) for each in sheet.things if each.at_hand)
    packs += max((row.carries for row in carts if row is not None), default=0)
    more = (each.effect.does for each in talent_effects(scene, sheet.talents) if "weight" in each.effect.when)
    by_talent = sum(int(does.amount) for does in more if isinstance(does, Adds))
    return (scene[Limits].times_strength if times is None else times) * sheet.full(STRENGTH) + packs + by_talent


# --- too much ---------------------------------------------------------------------------------------------------------


@formula(f"{OVER}/over")
def is_laden(scene: Scene, who: Person) -> bool:
    """Whether somebody carries more than the limit, so that running and hiking take a roll."""
    return load_of(scene, who) > capacity(scene, who)


@formula(f"{OVER}/penalty")
def laden(scene: Scene, who: Person, skill: str) -> Mods:
    """Whoever is over-encumbered moves badly."""
    if skill != "Move" or not scene[who].things:
        return ()
    found, heavy = scene[OverLimits], load_of(scene, who) >= capacity(scene, who, scene[OverLimits].over_from)
    return (*worn_badly(scene, who), *((Mod(found.move_modification, "over-encumbered", OVER),) if heavy else ()))


@formula("yearzero.gear.armor/worn-together")
def worn_badly(scene: Scene, who: Person) -> Mods:
    """What a piece of armor does together with another on the same part of the body."""
    worn = [each for each in scene[who].things if each.place == ON_BODY and armor_of(scene, each)]
    rows_ = ((each, row_named(scene, each.kind)) for each in worn)
    return tuple(
        Mod(int(effect.does.amount), item.name, scene[EQUIPMENT].rule_of(row.name))
        for item, row in rows_
        if row is not None
        and any(other is not item and {*areas_of(scene, other)} & {*areas_of(scene, item)} for other in worn)
        for effect in row.worn_with_others
        if isinstance(effect.does, Adds)
    )


@formula(f"{OVER}/check")
def check_can_move(scene: Scene, who: Person) -> None:
    """With four times one's Strength nobody moves at all."""
    if scene[who].things and load_of(scene, who) >= capacity(scene, who, scene[OverLimits].stuck_from):
        refuse(f"{who} carries too much to move", legal=("put-thing",))


# --- containers -------------------------------------------------------------------------------------------------------


def room_of(scene: Scene, item: Item) -> int:
    """How many things a container holds: a knapsack, or a bandolier."""
    row = row_named(scene, item.kind)
    if row is not None and row.holds:
        return row.holds
    if takes_fittings(scene, item.kind):
        return 1
    found = scene[CONTAINERS].look(item.kind) if item.kind in scene[CONTAINERS] else None
    return found.most if found is not None and found.holds == FOOD_KIND else 0


def check_contents(scene: Scene, things: tuple[Item, ...]) -> None:
    """Food in a knapsack, grenades and rounds in their bandoliers, and no more water than fits."""
    for holder in things:
        row = scene[CONTAINERS].look(holder.kind) if holder.kind in scene[CONTAINERS] else None
        if row is not None and row.holds == WATER_KIND and holder.loaded > row.most:
            raise Refused(holder.name, because=f"it holds {row.most} days of water", rule=CONSUMABLES)
        holds = row.holds if row is not None else getattr(row_named(scene, holder.kind), "of", "")
        for each in inside(things, holder.name) if not holds else ():
            if takes_fittings(scene, holder.kind) and not fits_on(scene, each.kind, holder.kind):
                raise Refused(each.name, because=f"it is not fitted to {holder.name}", rule="yearzero.gear.misc-combat")
        for each in inside(things, holder.name) if holds else ():
            if not fits(scene, each, holds):
                raise Refused(each.name, because=f"{holder.name} is for {holds}", rule=CONSUMABLES)


def fits(scene: Scene, item: Item, holds: str) -> bool:
    match holds:
        case "food":
            return item.kind in scene[Needs].food
        case "rounds":
            return table_of(scene, item.kind) == "ammunition"
        case _:
            return weapon_kind(scene, item.kind) == holds
