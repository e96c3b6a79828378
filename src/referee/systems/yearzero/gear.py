"""Gear: what helps a roll, how it wears, and what is left of it."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from referee.core import Mod, Mods, Refused, Scene, alter, figure, figures, formula, frozen, refuse, rows, rule
from referee.core.things import DROPPED, with_thing, without_thing
from referee.systems.yearzero.equipment import EQUIPMENT, EquipmentRow, row_named
from referee.systems.yearzero.sheet import Item, Person, Survivor

BONUS_LOSS: Final = figure("yearzero.gear.wear-gear-bonus", "bonus_loss_per_bane", int)
BROKEN_AT: Final = figure("yearzero.gear.wear-gear-bonus", "broken_at", int)
PER_AMMO_BANE: Final = figure("yearzero.combat.push-and-reliability", "reliability_per_ammo_bane", int)
RELIABILITY: Final = "yearzero.gear.wear-reliability"


@figures(RELIABILITY)
class Reliability:
    """What gear that wears by Reliability starts with, and what damage costs it."""

    default_reliability: int
    loss_per_damage: int
    broken_at: int


@frozen
class MeleeWeapon:
    """A weapon of close combat."""

    name: str
    price: int
    gear_bonus: int
    damage: int
    features: tuple[str, ...]
    weight: float
    supply: int
    special: str = ""


@frozen
class Shield:
    """A shield: its bonus to parry with, and what it covers."""

    name: str
    price: int
    gear_bonus: int
    rating: int
    body_areas: int
    weight: float
    supply: int
    features: tuple[str, ...] = ()
    restriction: str = ""
    special: str = ""
    heavy: bool = False
    parry_melee: int = 0
    parry_ranged: int = 0
    sacrifice_removes: int | None = None
    """The points of damage that giving it up takes away; all of them, if it does not say."""


MELEE_WEAPONS: Final = rows("yearzero.gear.melee-weapons", "weapons", MeleeWeapon)
SHIELDS: Final = rows("yearzero.gear.shields", "shields", Shield)


def bonus_at_first(scene: Scene, item: Item) -> int:
    """The Gear Bonus a thing starts with: its own, or that of its row in a catalogue."""
    if item.gear_bonus is not None:
        return item.gear_bonus
    if item.kind in scene[MELEE_WEAPONS]:
        return scene[MELEE_WEAPONS].look(item.kind).gear_bonus
    if item.kind in scene[SHIELDS]:
        return scene[SHIELDS][item.kind].gear_bonus
    row = row_named(scene, item.kind)
    return row.gear_bonus if row else 0


def damage_at_first(scene: Scene, item: Item) -> int:
    """The damage of a weapon: its own, or that of its row in a catalogue."""
    if item.damage is not None:
        return item.damage
    if item.kind in scene[MELEE_WEAPONS]:
        return scene[MELEE_WEAPONS].look(item.kind).damage
    row = row_named(scene, item.kind)
    return row.damage or 0 if row else 0


@formula(RELIABILITY)
def reliability_at_first(scene: Scene, item: Item) -> int | None:
    """The Reliability a thing starts with: its own, or 5 without Gear Dice; None if it wears by Gear Bonus."""
    if item.reliability is not None:
        return item.reliability
    row = row_named(scene, item.kind)
    if row is not None and row.reliability is not None:
        return row.reliability
    return None if bonus_at_first(scene, item) else scene[Reliability].default_reliability


@formula("yearzero.core.push-gear-dice")
def wears_by_reliability(scene: Scene, item: Item) -> bool:
    """Whether a thing has a Reliability that banes take from, in place of its Gear Bonus."""
    return reliability_at_first(scene, item) is not None


@formula("yearzero.combat.push-and-reliability")
def points_of_wear(scene: Scene, item: Item, base: int, gear: int, ammo: int) -> int:
    """What banes of a push wear: the gear dice's alone, or of a thing with Reliability those of all dice."""
    return gear + base + ammo_wear(scene, ammo) if wears_by_reliability(scene, item) else gear


@formula("yearzero.core.push-ammo-dice")
def ammo_wear(scene: Scene, banes: int) -> int:
    """What banes on ammo dice cost the firearm in Reliability; they hurt nobody, and give no Willpower."""
    return banes * scene[PER_AMMO_BANE]


@formula("yearzero.gear.gear-dice")
def gear_bonus(scene: Scene, who: Person, thing: str) -> int:
    """The Gear Bonus as it is now."""
    item = scene[who].thing(thing)
    first = bonus_at_first(scene, item)
    return first if wears_by_reliability(scene, item) else item.rating(first)


def rating(scene: Scene, item: Item) -> int:
    """What wear takes away from: Reliability, or else the Gear Bonus, at first."""
    reliability = reliability_at_first(scene, item)
    return bonus_at_first(scene, item) if reliability is None else reliability


@formula("yearzero.gear.wear-gear-bonus/check", RELIABILITY)
def check_usable(scene: Scene, who: Person, thing: str) -> None:
    """Only what one has, and what is not broken."""
    item = scene[who].thing(thing)
    if item.place == DROPPED:
        refuse(f"{thing} lies on the ground")
    by_reliability = wears_by_reliability(scene, item)
    broken_at = scene[Reliability].broken_at if by_reliability else scene[BROKEN_AT]
    if item.rating(rating(scene, item)) <= broken_at:
        raise Refused(thing, because="it is broken", rule=RELIABILITY if by_reliability else BROKEN_AT.rule)
    if item.jammed:
        raise Refused(thing, because="it is jammed", rule="yearzero.combat.weapon-jam")


@rule("yearzero.gear.wear-gear-bonus", RELIABILITY, "yearzero.core.push-gear-dice")
async def wear(scene: Scene, who: Person, thing: str, banes: int) -> None:
    """Each bane costs a point of Gear Bonus, or of Reliability."""
    item = scene[who].thing(thing)
    by_reliability = wears_by_reliability(scene, item)
    points = banes * (scene[Reliability].loss_per_damage if by_reliability else scene[BONUS_LOSS])
    if points:
        spared = min(points, item.hardened)
        worn = replace(item.worn(rating(scene, item), points - spared), hardened=item.hardened - spared)
        await alter(who, Survivor.with_thing, worn)


@rule("yearzero.crafting.makeshift-items/used")
async def count_use(scene: Scene, who: Person, thing: str) -> None:
    """What works only so often is gone after the last time."""
    item = scene[who].thing(thing)
    if item.uses is not None:
        left = replace(item, uses=item.uses - 1)
        things = with_thing(scene[who].things, left) if left.uses else without_thing(scene[who].things, thing)
        await alter(who, lambda sheet: replace(sheet, things=things))


def things_of(scene: Scene, who: Person) -> tuple[str, ...]:
    """What might help a roll."""
    return tuple(item.name for item in scene[who].things)


# --- what equipment adds to a roll


@formula(
    "yearzero.gear.field-equipment",
    "yearzero.gear.medical-supplies",
    "yearzero.gear.electronics",
    "yearzero.gear.misc-combat",
)
def helpful(scene: Scene, who: Person, gear: str, skill: str, tags: tuple[str, ...]) -> Mods:
    """What the thing that helps a roll adds by its row, and other things that help together with it."""
    if not gear:
        return ()
    main = row_named(scene, scene[who].thing(gear).kind)
    others = {each.kind for each in scene[who].things if each.at_hand and each.name != gear}
    beside = (row_named(scene, kind) for kind in sorted(others))
    found = [main, *(row for row in beside if row is not None and goes_with(scene, row, main))]
    return tuple(
        Mod(row.modification, row.name, scene[EQUIPMENT].rule_of(row.name))
        for row in found
        if row is not None and row.modification and does_help(scene, who, row, skill, tags)
    )


def does_help(scene: Scene, who: Person, row: EquipmentRow, skill: str, tags: tuple[str, ...]) -> bool:
    """A roll of its skill, in its situation, and by somebody who knows the skill if that is what it takes."""
    known = not row.trained or scene[who].level(skill) > 0
    has_other = not row.beside or any(is_called(each.kind, row.beside) for each in scene[who].things if each.at_hand)
    return skill in row.helps and known and has_other and {*row.situation} <= {*tags}


def goes_with(scene: Scene, row: EquipmentRow, main: EquipmentRow | None) -> bool:
    """Whether a thing helps together with the one that is used: pitons with a rope, instruments with any kit."""
    return main is not None and (row.combines or bool(row.beside and is_called(main.name, row.beside)))


def is_called(name: str, word: str) -> bool:
    return word in name.casefold().replace(",", " ").split()
