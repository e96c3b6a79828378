"""The catalogue: everything that the gear chapter prices, and what can be crafted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from referee.core import Scene, figures, formula
from referee.core.catalogue import Catalogue, PrintedThing
from referee.core.plain import Plain
from referee.core.rulebook import RowsOf, from_book
from referee.core.things import CARRIED, DROPPED, HELD, ON_BODY
from referee.systems.yearzero.equipment import EQUIPMENT, EquipmentRow, printed_value, row_named, table_of
from referee.systems.yearzero.gear import (
    MELEE_WEAPONS,
    SHIELDS,
    bonus_at_first,
    damage_at_first,
    reliability_at_first,
)
from referee.systems.yearzero.items import CONTAINERS, ITEMS, NOTHING, TOOLS, CraftRow
from referee.systems.yearzero.sheet import Item
from referee.systems.yearzero.weapons import features_of, is_shield

PRICED: Final[tuple[RowsOf[Any], ...]] = (MELEE_WEAPONS, SHIELDS, TOOLS, EQUIPMENT)
PLATES: Final = "yearzero.gear.replacement-plates"
RANGED: Final = ("pistols", "rifles", "shotguns", "smgs", "assault-rifles", "machine-guns", "heavy-ordnance")
PARTS: Final = {**dict.fromkeys((*RANGED, "misc-combat"), "weapon"), "electronics": "electronic"}
"""The spare parts that repair what a table prints."""


@figures(PLATES)
class PlateFigures:
    """What plates to mend a vest with cost, how much they mend, and which vests have them."""

    price_divided_by: int
    rating_points: int
    named: str
    fit: tuple[str, ...]


def printed_things(scene: Scene) -> Iterator[PrintedThing]:
    """What has a price, and then what is only crafted."""
    for listed in PRICED:
        table = scene[listed]
        for name in table.names:
            yield from (PrintedThing(each, table.rule_of(name)) for each in made_of(scene, name))
    yield from (PrintedThing(each, PLATES) for each in plates(scene))
    yield from (PrintedThing(Item(row.name), CONTAINERS.rule) for row in scene[CONTAINERS])
    priced = {name.casefold() for listed in PRICED for name in scene[listed].names}
    for row in scene[ITEMS]:
        if is_a_thing(row) and row.thing.casefold() not in priced:
            priced.add(row.thing.casefold())
            yield PrintedThing(Item(row.thing, amount=row.amount), scene[ITEMS].rule_of(row.name))


def made_of(scene: Scene, name: str) -> Iterator[Item]:
    """The things of a row: one, or one for each part of the body, and for each rating, that it is sold for."""
    row = scene[EQUIPMENT][name] if name in scene[EQUIPMENT] else None  # noqa: SIM401  # rows, not a mapping
    if row is None:
        yield Item(name)
        return
    own = Item(
        name,
        amount=row.rounds or 1,
        magazine=row.mag,
        loaded=row.mag,
        rate_of_fire=row.rof,
        armor=row.rating,
        areas=row.areas,
        uses=row.uses or row.days or None,
        part=PARTS.get(table_of(scene, name), "general"),
    )
    for area in row.areas if row.per_area else ():
        for rating in range(1 if row.per_rating else row.rating, row.rating + 1):
            called = f"{name}, {area.lower()}{f' {rating}' if row.per_rating else ''}"
            yield replace(own, name=called, row=name, armor=rating, areas=(area,))
    if not row.per_area:
        yield own


def contents_of(scene: Scene, item: Item) -> Iterator[Item]:
    """What is in a thing that is bought: the doses of a doctor's kit."""
    row = row_named(scene, item.kind)
    for name, count in row.includes.items() if row else ():
        for one in made_of(scene, name):
            yield replace(one, amount=count)


@formula(PLATES)
def plates(scene: Scene) -> Iterator[Item]:
    """Replacement plates for every plate vest."""
    found = scene[PlateFigures]
    for row in scene[EQUIPMENT]:
        if row.name.endswith(found.fit):
            yield Item(f"{found.named}, {row.name}", potency=found.rating_points)


@from_book
def vest_of(scene: Scene, kind: str) -> str:
    """The vest that plates are for."""
    named, comma, vest = kind.partition(", ")
    return vest if comma and named == scene[PlateFigures].named else ""


def is_a_thing(row: CraftRow) -> bool:
    """Whether what is made is a thing of its own: no building, nothing chosen from a table, nothing better."""
    another = row.building or row.table or row.one_of or row.bonus or row.makeshift
    return not another and row.thing != NOTHING


KINDS: Final = {
    **dict.fromkeys((*RANGED, "hand-grenades", "emp-grenade"), "ranged"),
    "ammunition": "ammunition",
    "armor": "armor",
    "misc-combat": "combat",
    "electronics": "electronics",
    "medical-supplies": "medical",
    "field-equipment": "field",
}
"""The kinds of the catalogue, by the tables that print them."""


@from_book
def kind_of_thing(scene: Scene, item: Item) -> str:
    if found := KINDS.get(table_of(scene, item.kind)):
        return found
    if item.magazine or "Ranged" in features_of(scene, item):
        return "ranged"
    if is_shield(scene, item):
        return "shields"
    if item.armor or vest_of(scene, item.kind):
        return "armor"
    if item.kind in scene[MELEE_WEAPONS] or damage_at_first(scene, item):
        return "melee"
    if item.kind in scene[TOOLS]:
        return "tools"
    if item.kind in scene[CONTAINERS]:
        return "field"
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
    gear = row_named(scene, item.kind)
    row = weapon or shield or tool or gear
    crafted = None if row else crafted_as(scene, kind)
    bonus = bonus_at_first(scene, item)
    modification = tool.modification if tool else printed_value(gear, "modification", 0)
    reliability = reliability_at_first(scene, item) if row or item.magazine or item.reliability is not None else None
    features = features_of(scene, item) or frozenset(shield.features if shield else ())
    special = "; ".join(filter(None, (getattr(each, "special", "") for each in (weapon, shield, gear))))
    by_wear = (gear.mag > 0 if gear else not tool and bonus == 0) or item.reliability is not None
    return {
        "gear_bonus": f"+{bonus}" if bonus else "",
        "damage": damage_at_first(scene, item) or "",
        "hurts": printed_value(gear, "hurts", ""),
        "rounds": item.magazine or "",
        "ammunition": printed_value(gear, "ammo", ""),
        "rate_of_fire": item.rate_of_fire or "",
        "range": printed_value(gear, "range", ""),
        "armor": item.armor or (shield.rating if shield else ""),
        "protection": "heavy" if printed_value(gear, "heavy", False) or (shield and shield.heavy) else "",
        "covers": ", ".join(item.areas) or (parts_covered(shield.body_areas) if shield else ""),
        "features": ", ".join(sorted(features)),
        "reliability": reliability if by_wear else "",
        "for": tool.use if tool else "",
        **(figures_of(gear) if gear else {}),
        "mends": item.potency if vest_of(scene, kind) else "",
        "helps": helped(modification, printed_value(gear, "helps", ())),
        "heals": ", ".join(f"{name} {points}" for name, points in healed(crafted, gear).items()),
        "suppresses": ", ".join(crafted.suppresses) if crafted else "",
        "gives": ", ".join(crafted.gives) if crafted else "",
        "made_by": ", ".join(crafted.by) if crafted else "",
        "uses": item.uses or "",
        "weight": row.weight if row else "",
        "supply": row.supply if row else "",
        "restriction": printed_value(shield or gear, "restriction", ""),
        "special": special,
        "amount": item.amount if item.amount != 1 else "",
    }


def healed(crafted: CraftRow | None, gear: EquipmentRow | None) -> Mapping[str, int]:
    """What is healed by using a thing up."""
    row = crafted or gear
    return row.heals if row else {}


def helped(modification: int, skills: tuple[str, ...]) -> str:
    """What a thing adds to which skills."""
    return f"{modification:+} {', '.join(skills)}".strip() if modification else ""


def figures_of(row: EquipmentRow) -> dict[str, Plain]:
    """The other figures of a row, each by its own name."""
    dice = {name: f"3D{sides}" for name in ("blast", "fire", "pulse") if (sides := getattr(row, name))}
    counted = ("area_m", "fills", "poison", "potency", "memory", "cpu", "range_m", "range_miles")
    holding = ("holds", "of", "capacity", "light_m", "hours", "days")
    names = (*counted, *holding, "strength", "stress", "model_extra")
    inside = ", ".join(f"{name} {count}" for name, count in row.includes.items())
    return {**dice, **{name: getattr(row, name) for name in names}, "includes": inside}


def parts_covered(areas: int) -> str:
    return f"{areas} {'part' if areas == 1 else 'parts'} of the body"


def price_of(scene: Scene, item: Item) -> int | None:
    """What it costs, where a price is printed; some armor by its rating, and plates by their vest."""
    if vest := vest_of(scene, item.kind):
        return scene[EQUIPMENT].look(vest).price // scene[PlateFigures].price_divided_by
    row = row_of(scene, item.kind)
    if row is None:
        return None
    return int(row.price * item.price_multiple * (item.armor if printed_value(row, "per_rating", False) else 1))


@from_book
def row_of(scene: Scene, kind: str) -> Any:
    """The row with the price, weight and supply of a kind of thing; None if it has none."""
    vest = vest_of(scene, kind) or kind
    found = (scene[listed][vest] for listed in PRICED if vest in scene[listed])
    return next(found, None)


def places_of(scene: Scene, item: Item) -> tuple[str, ...]:
    """Armor is worn; anything may be taken in hand, stowed and dropped."""
    return (*((ON_BODY,) if item.armor else (HELD,)), CARRIED, DROPPED)


CATALOGUE: Final = Catalogue(printed_things, kind_of_thing, thing_says, price_of, places_of)
