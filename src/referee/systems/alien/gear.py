"""Gear: what somebody carries. A weapon in hand adds its dice to rolls of its skill; the rest is for the table."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from referee.core import Mod, Mods, Scene, figure, formula, frozen, rows
from referee.core.catalogue import Catalogue, PrintedThing, unworn
from referee.core.plain import Plain
from referee.core.things import HELD
from referee.kits.things import Thing

FIELDS: Final = "alien.gear.weapon-fields"
GEAR_ITEMS: Final = figure("alien.character.creation", "gear_items", int)


@frozen
class WeaponRow:
    """A weapon: the skill it is used with, the base dice it adds, and what else is printed of it."""

    name: str
    skill: str
    modifier: int
    damage: int
    range: str
    special: str = ""


WEAPONS: Final = rows(
    "alien.gear.melee",
    "weapons",
    WeaponRow,
    also=("alien.gear.handguns/weapons", "alien.gear.rifles/weapons"),
)


@frozen
class Item(Thing):
    """Something carried: a weapon of the catalogue by its name, or a thing with a skill and dice of its own."""

    skill: str = ""
    dice: int = 0


def used_with(scene: Scene, item: Item) -> tuple[str, int]:
    """The skill a thing is used with, and the base dice it adds."""
    if item.skill or item.kind not in scene[WEAPONS]:
        return item.skill, item.dice
    row = scene[WEAPONS].look(item.kind)
    return row.skill, row.modifier


@formula(FIELDS)
def gear_dice(scene: Scene, things: tuple[Item, ...], skill: str) -> Mods:
    """What is in hand for a skill adds its dice; of several the best."""
    held = ((each.name, *used_with(scene, each)) for each in things if each.place == HELD)
    fits = [(dice, name) for name, wanted, dice in held if wanted == skill]
    dice, name = max(fits, default=(0, ""))
    return (Mod(dice, name, FIELDS),) if dice else ()


# --- the catalogue ----------------------------------------------------------------------------------------------------


def printed_things(scene: Scene) -> Iterator[PrintedThing]:
    table = scene[WEAPONS]
    yield from (PrintedThing(Item(name), table.rule_of(name)) for name in table.names)


def kind_of_thing(scene: Scene, item: Item) -> str:
    """Weapons by the table they stand in."""
    table = scene[WEAPONS]
    return table.rule_of(item.kind).rpartition(".")[2] if item.kind in table else "other"


def thing_says(scene: Scene, item: Item) -> dict[str, Plain]:
    skill, dice = used_with(scene, item)
    row = scene[WEAPONS].look(item.kind) if item.kind in scene[WEAPONS] else None
    return {
        "dice": f"{dice:+d} to {skill}" if skill and dice else "",
        "skill": skill if not dice else "",
        "damage": row.damage if row else "",
        "range": row.range if row else "",
        "special": row.special if row else "",
        "amount": item.amount if item.amount != 1 else "",
    }


CATALOGUE: Final = Catalogue(printed_things, kind_of_thing, thing_says, places=unworn)
