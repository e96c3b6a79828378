"""The character sheet: its entries as the book lists them, Move as it is, and what a sheet may say."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from referee.core import BOOK, Refused, Scene, applying, figure, formula, frozen, rows
from referee.core.effects import Swaps
from referee.core.plain import Plain, spoken, write
from referee.kits.dice_codes import Stat
from referee.kits.things import PLACES
from referee.systems.d6 import codes
from referee.systems.d6.combat.reach import CLOSE, FAR, LONGEST, REACH, SHORTEST
from referee.systems.d6.combat.weapons import BODY_ZONES
from referee.systems.d6.equipment import FIREARM, HEAVY, MELEE, SHIELD, THING_LEVELS, THROWN, Item
from referee.systems.d6.merits_and_flaws import check_traits
from referee.systems.d6.sheet import Person
from referee.systems.d6.species import pips
from referee.systems.d6.templates import CLASSES, STATUSES, in_use
from referee.systems.d6.traits import CharacterTrait, trait_row, trait_value
from referee.systems.d6.wounds import WOUND_LEVELS, ZONE_STATES
from referee.systems.d6.zones import PLACES as BODY_PLACES

SHEET: Final = "d6.creation.character-sheet"
MOVE: Final = "Move"
HALF: Final = "half Move"
BY_STRENGTH: Final = "dice of Strength"
DICE_OF_STRENGTH: Final = "dice of Strength"
LEAST: Final = figure("d6.creation.attributes", "minimum_possible", Stat)
SUPPORT: Final = figure("d6.templates.wealth", "support", Stat)


@frozen
class SheetEntry:
    """An entry of the sheet: the field it stands for, perhaps a second one, and the option it depends on."""

    entry: str
    field: str = ""
    also: str = ""
    option: str = ""


DESCRIPTIVE: Final = rows(SHEET, "descriptive", SheetEntry)
MECHANICAL: Final = rows(SHEET, "mechanical", SheetEntry)


@formula(SHEET)
def sheet_entries(scene: Scene, who: Person) -> dict[str, Plain]:
    """The sheet of a character, entry by entry, without what the campaign does not use."""
    found: dict[str, Plain] = {}
    for row in (scene[table][each.entry] for table in (DESCRIPTIVE, MECHANICAL) for each in scene[table]):
        if row.option and not is_used(scene, row.option):
            continue
        plain = write(getattr(scene[who], row.field)) if row.field else who.name
        found[row.entry] = [*plain, *write(getattr(scene[who], row.also))] if row.also else plain
    return found


@formula(SHEET + "/names", SHEET)
def entry_names(scene: Scene, who: Person) -> tuple[str, ...]:
    """The entries that a sheet has in this campaign."""
    return tuple(sheet_entries(scene, who))


def is_used(scene: Scene, option: str) -> bool:
    return scene[BOOK].on(option) or (option.startswith("d6.templates.") and in_use(scene, option))


@formula("d6.creation.move")
def move(scene: Scene, who: Person) -> int:
    """The metres a character moves in a round: the Move of the sheet, unless flaws say less; of two, the slower."""
    own = scene[who].move
    ways = {HALF: own // 2, BY_STRENGTH: codes.own_code(scene, who, "Strength").dice}
    swaps = (each.effect.does for each in applying(scene, who).active)
    return min((ways[each.this] for each in swaps if isinstance(each, Swaps) and each.for_ == MOVE), default=own)


@formula("d6.merits.list-m-v/support")
def wealth_support(scene: Scene, who: Person) -> Stat:
    """The Wealth of whoever supports a character; nothing, without such a merit."""
    return applying(scene, who).figure(scene, SUPPORT)


@formula("d6.flaws.physical-a-c/buy-out")
def buy_out(scene: Scene, trait: CharacterTrait, reliable: bool = True) -> dict[str, int]:
    """What it costs in value to be rid of a flaw, and what is left of it: a correction that may fail leaves a part."""
    terms = trait_row(scene, trait.name)[0].buy_out
    if terms is None:
        return {"cost": trait_value(scene, trait), "remaining": 0}
    return {"cost": terms.reliable if reliable else terms.unreliable, "remaining": 0 if reliable else terms.remains}


POSTURES: Final = ("standing", "kneeling", "prone")
CATEGORIES: Final = (MELEE, THROWN, FIREARM, HEAVY, SHIELD)


def check_sheet(scene: Scene, who: Person) -> None:
    """What codes, merits and flaws may be; looks and ranks that there are; words as the book writes them."""
    codes.check_sheet(scene, who)
    check_traits(scene, who)
    check_health(scene, who)
    for item in scene[who].equipment:
        check_item(scene, who, item)
    sheet = scene[who]
    for name, code in sheet.attributes.items():
        if pips(scene, code) < pips(scene, scene[LEAST]):
            raise Refused(name, because=f"an attribute is at least {scene[LEAST]}", rule=LEAST.rule)
    if sheet.appearance not in scene[CLASSES]:
        raise Refused(
            sheet.appearance, because="there are no such looks", rule=CLASSES.rule, legal=scene[CLASSES].names
        )
    known = [row.status for row in scene[STATUSES]]
    if sheet.social_status not in known:
        because = f"a rank is {min(known)} to {max(known)}"
        raise Refused("social status", because=because, rule=STATUSES.rule)


def check_written(word: str, names: Sequence[str], rule: str) -> None:
    """A word of the book, as it is written there."""
    if word in names:
        return
    meant = tuple(each for each in names if spoken(each) == spoken(word))
    because = f"it is written {meant[0]}" if meant else "the book has none of this name"
    raise Refused(word, because=because, rule=rule, legal=meant or names)


def check_health(scene: Scene, who: Person) -> None:
    """Wounds, zones, states and positions that there are."""
    sheet, levels, zones = scene[who], scene[WOUND_LEVELS].names, scene[BODY_ZONES]
    check_written(sheet.wound, levels, WOUND_LEVELS.rule)
    check_written(sheet.posture, POSTURES, "d6.combat.diceless-actions")
    for foe in sheet.melee:
        check_written(foe.distance, (FAR, CLOSE), REACH)
    for hurt in sheet.zones:
        check_written(hurt.zone, zones, BODY_ZONES.rule)
        check_written(hurt.wound, levels, WOUND_LEVELS.rule)
    for state in sheet.states:
        check_written(state.zone, scene[BODY_PLACES].names, BODY_PLACES.rule)
        check_written(state.state, scene[ZONE_STATES].names, ZONE_STATES.rule)


def check_item(scene: Scene, who: Person, item: Item) -> None:
    """Where a thing is, how damaged, what it covers, how far it reaches."""
    others = (each.name for each in scene[who].equipment if each != item)
    check_written(item.place, (*PLACES, *others), "d6.equipment.stat-block")
    if item.condition:
        check_written(item.condition, scene[THING_LEVELS].names, THING_LEVELS.rule)
    for zone in item.zones:
        check_written(zone, scene[BODY_ZONES], BODY_ZONES.rule)
    if item.category and item.category.casefold() in CATEGORIES:
        check_written(item.category, CATEGORIES, "d6.equipment.stat-block")
    if item.reach is not None and not scene[SHORTEST] <= item.reach <= scene[LONGEST]:
        legal = tuple(map(str, range(scene[SHORTEST], scene[LONGEST] + 1)))
        raise Refused(item.name, because=f"there is no reach {item.reach}", rule=LONGEST.rule, legal=legal)
