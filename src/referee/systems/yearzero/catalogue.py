"""The catalogue: weapons, shields, tools and what can be crafted, as the gear and crafting chapters list them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from referee.core import Scene
from referee.core.catalogue import Catalogue, PrintedThing
from referee.core.plain import Plain
from referee.core.rulebook import RowsOf, from_book
from referee.core.things import CARRIED, DROPPED, HELD, ON_BODY
from referee.systems.yearzero.gear import (
    MELEE_WEAPONS,
    SHIELDS,
    bonus_at_first,
    damage_at_first,
    reliability_at_first,
)
from referee.systems.yearzero.items import ITEMS, NOTHING, TOOLS, CraftRow
from referee.systems.yearzero.sheet import Item
from referee.systems.yearzero.weapons import features_of, is_shield

PRICED: Final[tuple[RowsOf[Any], ...]] = (MELEE_WEAPONS, SHIELDS, TOOLS)


def printed_things(scene: Scene) -> Iterator[PrintedThing]:
    """What has a price, and then what is only crafted."""
    for listed in PRICED:
        table = scene[listed]
        yield from (PrintedThing(Item(name), table.rule_of(name)) for name in table.names)
    priced = {name.casefold() for listed in PRICED for name in scene[listed].names}
    for row in scene[ITEMS]:
        if is_a_thing(row) and row.thing.casefold() not in priced:
            priced.add(row.thing.casefold())
            yield PrintedThing(Item(row.thing, amount=row.amount), scene[ITEMS].rule_of(row.name))


def is_a_thing(row: CraftRow) -> bool:
    """Whether what is made is a thing of its own: no building, nothing chosen from a table, nothing better."""
    another = row.building or row.table or row.one_of or row.bonus or row.makeshift
    return not another and row.thing != NOTHING


@from_book
def kind_of_thing(scene: Scene, item: Item) -> str:
    if item.magazine or "Ranged" in features_of(scene, item):
        return "ranged"
    if is_shield(scene, item):
        return "shields"
    if item.armor:
        return "armor"
    if item.kind in scene[MELEE_WEAPONS] or damage_at_first(scene, item):
        return "melee"
    if item.kind in scene[TOOLS]:
        return "tools"
    return "crafted" if crafted_as(scene, item.kind) else "other"


@from_book
def crafted_as(scene: Scene, kind: str) -> CraftRow | None:
    """The row of crafting that makes things of a kind."""
    return next((row for row in scene[ITEMS] if row.thing.casefold() == kind.casefold()), None)


@from_book
def thing_says(scene: Scene, item: Item) -> Mapping[str, Plain]:
    """What a thing adds and does at first; wear is another matter."""
    kind = item.kind
    shield = scene[SHIELDS][kind] if kind in scene[SHIELDS] else None  # noqa: SIM401  # rows, not a mapping
    tool = scene[TOOLS][kind] if kind in scene[TOOLS] else None  # noqa: SIM401  # rows, not a mapping
    weapon = scene[MELEE_WEAPONS][kind] if kind in scene[MELEE_WEAPONS] else None  # noqa: SIM401  # rows, not a mapping
    row = weapon or shield or tool
    crafted = None if row else crafted_as(scene, kind)
    bonus = bonus_at_first(scene, item) or (tool.modification if tool else 0)
    reliability = reliability_at_first(scene, item) if row or item.magazine or item.reliability is not None else None
    features = features_of(scene, item) or frozenset(shield.features if shield else ())
    special = (weapon.special if weapon else "") or (shield.special if shield else "")
    return {
        "gear_bonus": f"+{bonus}" if bonus else "",
        "damage": damage_at_first(scene, item) or "",
        "rounds": item.magazine or "",
        "rate_of_fire": item.rate_of_fire or "",
        "armor": item.armor or (shield.rating if shield else ""),
        "covers": ", ".join(item.areas) or (parts_covered(shield.body_areas) if shield else ""),
        "features": ", ".join(sorted(features)),
        "reliability": reliability if bonus == 0 and not tool else "",
        "for": tool.use if tool else "",
        "heals": ", ".join(f"{name} {points}" for name, points in crafted.heals.items()) if crafted else "",
        "suppresses": ", ".join(crafted.suppresses) if crafted else "",
        "gives": ", ".join(crafted.gives) if crafted else "",
        "made_by": ", ".join(crafted.by) if crafted else "",
        "weight": row.weight if row else "",
        "supply": row.supply if row else "",
        "restriction": shield.restriction if shield else "",
        "special": special,
        "amount": item.amount if item.amount != 1 else "",
    }


def parts_covered(areas: int) -> str:
    return f"{areas} {'part' if areas == 1 else 'parts'} of the body"


def price_of(scene: Scene, item: Item) -> int | None:
    """What it costs, where a price is printed."""
    found = (scene[listed][item.kind].price for listed in PRICED if item.kind in scene[listed])
    price = next(found, None)
    return None if price is None else price * item.price_multiple


def places_of(scene: Scene, item: Item) -> tuple[str, ...]:
    """Armor is worn; anything may be taken in hand, stowed and dropped."""
    return (*((ON_BODY,) if item.armor else (HELD,)), CARRIED, DROPPED)


CATALOGUE: Final = Catalogue(printed_things, kind_of_thing, thing_says, price_of, places_of)
