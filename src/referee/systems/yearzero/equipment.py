"""Equipment: every row of the gear chapter beside melee weapons, shields and tools, and what a row says of a thing."""

from __future__ import annotations

from dataclasses import field, replace
from fractions import Fraction
from typing import Any, Final

from referee.core import Effect, Levels, Scene, figure, frozen, rows
from referee.core.rulebook import from_book

GEAR: Final = "yearzero.gear"


@frozen
class EquipmentRow:
    """A firearm, grenade, calibre, piece of armor, device, kit or other thing that can be bought."""

    name: str
    price: int
    supply: int
    weight: float = 0
    restriction: str = ""
    special: str = ""
    features: tuple[str, ...] = ()
    gear_bonus: int = 0
    damage: int | None = None
    hurts: str = ""
    """The attribute that it damages, if not Strength."""
    reliability: int | None = None
    range: str = ""
    """The furthest range it is used at."""
    rof: int = 0
    mag: int = 0
    ammo: str = ""
    strength: int = 0
    """The least Strength to fire it without a penalty, or what a dose adds to it."""
    blast: int = 0
    """The sides of the three dice of its blast."""
    fire: int = 0
    """The sides of the three dice of its fire."""
    pulse: int = 0
    """The sides of the dice of its pulse against electronics."""
    area_m: int = 0
    fills: str = ""
    """What an area is filled with."""
    poison: str = ""
    potency: int = 0
    ends: str = ""
    """The poison that it is an antidote to."""
    rounds: int = 0
    """The rounds of a pack of ammunition."""
    rating: int = 0
    heavy: bool = False
    areas: tuple[str, ...] = ()
    per_rating: bool = False
    """Whether its price and weight are for each point of rating, up to the one that is printed."""
    per_area: bool = False
    """Whether its price and weight are for each part of the body."""
    beside: str = ""
    """The thing that it helps only together with, by the first word of its name."""
    fits: tuple[str, ...] = ()
    """The kinds of weapons that it is fitted to."""
    worn_with_others: tuple[Effect, ...] = ()
    """What it does together with other armor on the same part of the body."""
    modification: int = 0
    """What it adds to a roll that it helps."""
    helps: tuple[str, ...] = ()
    """The skills that it helps."""
    trained: bool = False
    """Whether it only helps who knows the skill."""
    situation: tuple[str, ...] = ()
    """The tags of the only rolls that it helps."""
    combines: bool = False
    """Whether it helps together with another thing."""
    uses: int | None = None
    heals: Levels = field(default_factory=Levels)
    stress: int = 0
    includes: Levels = field(default_factory=Levels)
    """What is in it."""
    restock: int = 0
    """What each use costs that is restocked."""
    fixed: bool = False
    """Whether nobody can carry it."""
    memory: int = 0
    cpu: int = 0
    most_difficult: int = 0
    range_m: int = 0
    range_miles: int = 0
    model_extra: int = 0
    """What a better model costs more."""
    holds: int = 0
    of: str = ""
    """What it holds."""
    capacity: int = 0
    """By how much more can be carried with it."""
    most_damage: int | None = None
    most_weight: float | None = None
    light_m: int = 0
    hours: int = 0
    days: int = 0


CLASSES: Final = (
    "pistols",
    "rifles",
    "shotguns",
    "smgs",
    "assault-rifles",
    "machine-guns",
    "heavy-ordnance",
    "hand-grenades",
    "emp-grenade",
)
"""The tables of weapons that are shot or thrown, each of one kind."""
GRENADES: Final = ("hand-grenades/grenades", "emp-grenade/grenades")
OTHER_TABLES: Final = (
    "ammunition/ammo",
    "armor/armor",
    "misc-combat/items",
    "electronics/items",
    "medical-supplies/items",
    "field-equipment/items",
)
EQUIPMENT: Final = rows(
    f"{GEAR}.pistols",
    "weapons",
    EquipmentRow,
    also=tuple(f"{GEAR}.{each}" for each in (*(f"{one}/weapons" for one in CLASSES[1:7]), *GRENADES, *OTHER_TABLES)),
)
WEAPON_KINDS: Final = {f"{GEAR}.{each}": figure(f"{GEAR}.{each}", "kind", str) for each in CLASSES}


@from_book
def row_named(scene: Scene, kind: str) -> EquipmentRow | None:
    """The row of a kind of equipment, if it is printed; armor sold by parts also by one of them: `Mail, torso`."""
    listed = scene[EQUIPMENT]
    if kind in listed:
        return listed.look(kind)
    name, _, part = kind.partition(", ")
    row = listed.look(name) if name in listed else None
    area, _, rating = part.partition(" ")
    areas = tuple(each for each in row.areas if row.per_area and each.casefold() == area.casefold()) if row else ()
    return replace(row, areas=areas, rating=int(rating or row.rating)) if row and areas else None


@from_book
def table_of(scene: Scene, kind: str) -> str:
    """The table that prints a kind of equipment: `pistols`, `armor`."""
    return scene[EQUIPMENT].rule_of(kind).rpartition(".")[2] if kind in scene[EQUIPMENT] else ""


@from_book
def weapon_kind(scene: Scene, kind: str) -> str:
    """What a weapon of the tables is: a Glock 17 is a pistol."""
    rule = scene[EQUIPMENT].rule_of(kind) if kind in scene[EQUIPMENT] else ""
    return scene[WEAPON_KINDS[rule]] if rule in WEAPON_KINDS else ""


@from_book
def fits_on(scene: Scene, kind: str, weapon: str) -> bool:
    """Whether a thing is fitted to a kind of weapon: a scope to a rifle."""
    row = row_named(scene, kind)
    return row is not None and weapon_kind(scene, weapon) in row.fits


@from_book
def takes_fittings(scene: Scene, weapon: str) -> bool:
    """Whether anything is fitted to a kind of weapon."""
    return any(weapon_kind(scene, weapon) in row.fits for row in scene[EQUIPMENT])


def times(number: float, by: float) -> float:
    """A product that is a whole number where it can be."""
    found = Fraction(str(number)) * Fraction(str(by))
    return int(found) if found.denominator == 1 else float(found)


def printed_value(row: Any, column: str, otherwise: Any) -> Any:
    """What a row says, if there is one that has this column."""
    return getattr(row, column, otherwise)
