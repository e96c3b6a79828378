"""Items that can be made: what each takes to craft, what it is made of, and what it does once it is there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import field
from typing import Any, Final

from referee.core import Active, Effect, Levels, Refused, Scene, figure, formula, frozen, rows
from referee.core.rulebook import Figure, RowsOf
from referee.kits.things import Thing
from referee.systems.yearzero.scrap_tables import scrap_effects

DIFFICULTIES: Final = ("0", "2", "3", "4", "5", "7")
NOTHING: Final = "nothing"


@frozen
class CraftRow:
    """An item: by which specialties it is made, from what, and how it comes out."""

    name: str
    by: tuple[str, ...]
    """Specialties of Crafting, or two whose average is rolled: `Smith + Tanner`, `Smith + TECHNICAL: Locksmith`."""
    makes: str = ""
    """The thing that is made, if it is not called like the row."""
    amount: int = 1
    needs: Levels = field(default_factory=Levels)
    """Materials, where the book prints them."""
    table: str = ""
    """The gear table from which the thing is chosen."""
    one_of: tuple[str, ...] = ()
    """The rows of that table, if not all of them."""
    building: bool = False
    bonus: int = 0
    """By how much its Gear Bonus is above the listed one."""
    gear_bonus: int | None = None
    time_multiple: int = 1
    consumable: bool = False
    makeshift: bool = False
    sale_price_multiple: int = 1
    heals: Levels = field(default_factory=Levels)
    """Points of attributes that it heals when it is used up."""
    suppresses: tuple[str, ...] = ()
    """Conditions of which it suppresses one, for as many Quarter Days as there were successes."""
    turns: int = 0
    turns_per_extra: int = 0
    gives: tuple[str, ...] = ()
    """Talents of which it gives one for a time."""
    runs: int = 0
    """The bonus to running that it may give instead."""
    effects: tuple[Effect, ...] = ()

    @property
    def thing(self) -> str:
        return self.makes or self.name


ITEMS: Final = rows(
    "yearzero.crafting.items-dm0",
    "items",
    CraftRow,
    also=tuple(f"yearzero.crafting.items-dm{each}/items" for each in DIFFICULTIES[1:]),
)
PENALTIES: Final[dict[str, Figure[int]]] = {
    f"yearzero.crafting.items-dm{each}": figure(f"yearzero.crafting.items-dm{each}", "dm", int) for each in DIFFICULTIES
}
SUCCESSES: Final[dict[str, Figure[int]]] = {
    f"yearzero.crafting.items-dm{each}": figure(f"yearzero.crafting.items-dm{each}", "x", int) for each in DIFFICULTIES
}


@formula("yearzero.crafting.use")
def penalty(scene: Scene, item: str) -> int:
    """What aiming for an item costs in dice."""
    return scene[PENALTIES[scene[ITEMS].rule_of(item)]]


def successes(scene: Scene, item: str) -> int:
    """The successes that make an item without the penalty."""
    return scene[SUCCESSES[scene[ITEMS].rule_of(item)]]


def thing_effects(scene: Scene, things: Iterable[Thing]) -> Iterator[Active]:
    """The effects of things that their owner has: a map of the region."""
    for kind in dict.fromkeys(each.kind for each in things if each.at_hand and each.kind in scene[ITEMS]):
        for effect in scene[ITEMS].look(kind).effects:
            yield Active(effect, kind, scene[ITEMS].rule_of(kind))
    yield from scrap_effects(scene, things)


# --- features of weapons


@frozen
class WeaponFeature:
    """A feature of weapons, and what it is for."""

    name: str
    says: str
    parry: int = 0
    """What it does to a parry made with the weapon, and to one against it."""
    armor_multiple: int = 1
    """How many times its rating armor is rolled at against the weapon."""
    least_weight: float | None = None
    most_weight: float | None = None
    """The weight that gives a weapon the feature, printed or not."""


FEATURES: Final = rows("yearzero.core.weapon-features", "features", WeaponFeature)
MELEE_FEATURES: Final = rows("yearzero.gear.melee-features", "features", WeaponFeature)


@frozen
class FirearmFeature:
    """A feature of weapons that are shot or thrown, and what it is for."""

    name: str
    says: str
    one_handed: int | None = None
    """What firing with one hand costs; None if the feature says nothing of it."""
    one_handed_range: str = ""
    """The furthest range at which it is fired with one hand."""
    arms_length: int | None = None
    """What shooting at Arm's Length costs in place of the usual."""
    to_hit: int = 0
    per_missing_strength: int = 0
    pierces: bool = False
    """Whether it lowers the rating of light armor and cover."""
    belt: bool = False
    shots: int | None = None
    guided_from: str = ""
    """The range from which it strikes only when the next turn begins."""
    loads: str = ""
    """The action that loads it before each shot."""
    platform: bool = False
    scares: bool = False
    """Whether people panic when it is first fired at where they are."""


@frozen
class ArmorFeature:
    """A feature of armor and shields: by how many times the Base Damage it loses of its rating, and to what."""

    name: str
    says: str
    bullets: int = 0
    piercing: int = 0
    explosions: int = 0
    blunt: int = 0
    per_stopped: int = 0
    """What each point of damage that it stops costs for good."""
    sees_through: bool = False


FIREARM_FEATURES: Final = rows("yearzero.gear.firearm-features", "features", FirearmFeature)
ARMOR_FEATURES: Final = rows("yearzero.gear.armor-features", "features", ArmorFeature)
OTHER_NAMES: Final = {"Hooked": "Hook", "Two-Handed": "2H", "One-Handed": "1H", "Ap": "AP", "Str": "STR"}
OF_RANGED_WEAPONS: Final = (
    "Ranged",
    "Thrown",
    "Bow",
    "Harpoon",
    "Explosive",
    "Smallarm",
    "Ammunition",
    "Shotgun",
    "Telescopic",
    "Bipod",
)
OF_OTHER_THINGS: Final = ("Shield", "Stun", "Natural", "Normal")


def spelled(feature: str) -> str:
    """A feature as sheets have it, however it is written: EDGED, edged and Edged are one."""
    return OTHER_NAMES.get(feature.title(), feature.title())


@formula("yearzero.core.weapon-features/check", "yearzero.gear.melee-features", "yearzero.gear.firearm-features")
def check_features(scene: Scene, features: frozenset[str]) -> None:
    """Only features that the rules know; a campaign may add rows to theirs."""
    tables: tuple[RowsOf[Any], ...] = (FEATURES, MELEE_FEATURES, FIREARM_FEATURES, ARMOR_FEATURES)
    printed = (name for table in tables for name in scene[table].names)
    known = (*printed, *OF_RANGED_WEAPONS, *OF_OTHER_THINGS)
    legal = tuple(dict.fromkeys(spelled(each) for each in known))
    for unknown in sorted(features.difference(legal)):
        raise Refused(unknown, because="there is no such feature", rule=FEATURES.rule, legal=legal)


# --- tools and spare parts


@frozen
class ToolRow:
    """A tool or a spare part: what it is for, and what it adds."""

    name: str
    price: int
    supply: int
    weight: float
    use: str
    modification: int = 0
    part: str = ""
    """The kind of things it repairs or is a part of; any, if it does not say."""
    spare: bool = False


TOOLS: Final = rows("yearzero.gear.tools-and-parts", "items", ToolRow)


def spare_part(scene: Scene, kind: str) -> str:
    """The spare part for a kind of thing."""
    found = next(row.name for row in scene[TOOLS] if row.spare and row.part == kind)
    return scene[TOOLS][found].name


# --- food and water


@frozen
class ContainerRow:
    """What food or water is carried in, and how much of it that holds."""

    name: str
    holds: str
    most: int


CONTAINERS: Final = rows("yearzero.creation.consumables", "containers", ContainerRow)
