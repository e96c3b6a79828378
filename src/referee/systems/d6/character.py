"""The character sheet: its entries as the book lists them, Move as it is, and what a sheet may say."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from referee.core import BOOK, Refused, Scene, applying, figure, figures, formula, frozen, refuse, rows
from referee.core.effects import Swaps
from referee.core.plain import Plain, spoken, write
from referee.core.things import PLACES
from referee.kits.dice_codes import Stat
from referee.systems.d6 import codes
from referee.systems.d6.bestiary import MOVEMENT, Creature, creature_move
from referee.systems.d6.combat.reach import CLOSE, FAR, LONGEST, REACH, SHORTEST
from referee.systems.d6.combat.weapons import BODY_ZONES
from referee.systems.d6.equipment import FIREARM, HEAVY, MELEE, SHIELD, THING_LEVELS, THROWN, Item
from referee.systems.d6.health import CARE
from referee.systems.d6.merits_and_flaws import check_traits
from referee.systems.d6.settings import GENIUSES, LEVEL, tech_level
from referee.systems.d6.sheet import Person
from referee.systems.d6.species import pips
from referee.systems.d6.templates import CLASSES, STATUSES, in_use
from referee.systems.d6.traits import (
    ADVANTAGES,
    DRAWBACKS,
    FLAWS,
    MERITS,
    CharacterTrait,
    is_merit,
    trait_row,
    trait_value,
)
from referee.systems.d6.treatment import UNTREATABLE
from referee.systems.d6.wounds import NEUTRALIZED, WOUND_LEVELS, ZONE_STATES
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
    creature = scene[who].creature
    own = scene[who].move if creature is None else creature_move(scene, creature, scene[who].move)
    ways = {HALF: own // 2, BY_STRENGTH: codes.own_code(scene, who, "Strength").dice}
    swaps = (each.effect.does for each in applying(scene, who).active)
    return min((ways[each.this] for each in swaps if isinstance(each, Swaps) and each.for_ == MOVE), default=own)


@figures("d6.skills.swimming")
class Swimmer:
    """How far somebody swims in a round: so many metres, and one for so many dice of Swimming."""

    metres: int
    dice_each: int


@formula("d6.skills.swimming")
def swimming_move(scene: Scene, who: Person) -> int:
    """The metres somebody swims in a round; pips do not count, nor does a die left over."""
    if (creature := scene[who].creature) is not None and scene[IN_WATER] in creature.movement:
        return creature_move(scene, creature, scene[who].move, scene[IN_WATER])
    return scene[Swimmer].metres + codes.own_code(scene, who, "Swimming").dice // scene[Swimmer].dice_each


@figures("d6.health.neutralized")
class Crawl:
    """How slow somebody is who was Neutralized and is awake."""

    cautious_divided_by: int
    cautious_is_move_divided_by: int


@formula("d6.health.neutralized")
def most_move(scene: Scene, who: Person) -> float:
    """How far somebody gets in a round at most: whoever was Neutralized, half of cautious movement."""
    if scene[who].wound != NEUTRALIZED:
        return move(scene, who)
    return metres(move(scene, who) / scene[Crawl].cautious_is_move_divided_by / scene[Crawl].cautious_divided_by)


@formula("d6.health.neutralized/cautious", "d6.health.neutralized")
def cautious_move(scene: Scene, who: Person) -> float:
    """How far somebody gets in a round at cautious speed, as their health is."""
    return min(metres(move(scene, who) / scene[Crawl].cautious_is_move_divided_by), most_move(scene, who))


def metres(exact: float) -> float:
    """So many metres, as people write them: 5, and 2.5."""
    return int(exact) if exact.is_integer() else exact


@formula("d6.merits.list-m-v/support")
def wealth_support(scene: Scene, who: Person) -> Stat:
    """The Wealth of whoever supports a character; nothing, without such a merit."""
    return applying(scene, who).figure(scene, SUPPORT)


@formula("d6.flaws.physical-a-c/buy-out")
def buy_out(scene: Scene, trait: CharacterTrait, reliable: bool = True) -> dict[str, int]:
    """What it costs in value to be rid of a flaw, and what is left of it: a correction that may fail leaves a part.

    Where the book names no part that is left, only a reliable correction buys a flaw out.
    """
    terms = trait_row(scene, trait.name)[0].buy_out
    if is_merit(scene, trait.name):
        refuse("it is a merit, and nobody buys it out", what=trait.name)
    if terms is None and not reliable:
        refuse("no part of it is bought out", what=trait.name, legal=("a permanent and reliable correction",))
    if terms is None:
        return {"cost": trait_value(scene, trait), "remaining": 0}
    return {"cost": terms.reliable if reliable else terms.unreliable, "remaining": 0 if reliable else terms.remains}


IN_WATER: Final = figure(MOVEMENT, "swimming", str)


@formula(MOVEMENT + "/of", MOVEMENT)
def movement_in(scene: Scene, who: Person, environment: str = "") -> int:
    """The metres somebody moves in a round in an environment; only creatures move in others than the usual."""
    return creature_move(scene, scene[who].creature or Creature(), move(scene, who), environment)


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
    """Wounds, zones, states, positions and care that there are, and nothing below none."""
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
    check_written(sheet.care, scene[CARE].names, CARE.rule)
    check_written(sheet.untreatable, ("", *UNTREATABLE), "d6.health.treating-table")
    for source, dice in sheet.fatigue.items():
        if dice < 0:
            raise Refused(source, because="fatigue is never below 0", rule="d6.health.fatigue")
    if sheet.bleeding is not None and min(sheet.bleeding.grace, sheet.bleeding.rolls) < 0:
        raise Refused("bleeding", because="rounds and rolls are never below 0", rule="d6.health.mortally-wounded")


def written_names(scene: Scene) -> dict[str, Sequence[str]]:
    """The names that the book has for texts on a sheet."""
    traits = {"merits": (MERITS, ADVANTAGES), "flaws": (FLAWS, DRAWBACKS)}
    levels, zones = scene[WOUND_LEVELS].names, scene[BODY_ZONES]
    return {
        **{f"{kind}.name": [name for each in tables for name in scene[each].names] for kind, tables in traits.items()},
        "wound": levels,
        "posture": POSTURES,
        "zones.zone": zones,
        "zones.wound": levels,
        "states.zone": scene[BODY_PLACES].names,
        "states.state": scene[ZONE_STATES].names,
        "melee.distance": (FAR, CLOSE),
        "equipment.condition": scene[THING_LEVELS].names,
        "equipment.category": CATEGORIES,
    }


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
    level = tech_level(scene)
    if item.technological_level is not None and 0 <= level < item.technological_level and not scene[GENIUSES]:
        because = f"it is of TL {item.technological_level}, the setting of TL {level}"
        raise Refused(item.name, because=because, rule=LEVEL.rule)
    if item.reach is not None and not scene[SHORTEST] <= item.reach <= scene[LONGEST]:
        legal = tuple(map(str, range(scene[SHORTEST], scene[LONGEST] + 1)))
        raise Refused(item.name, because=f"there is no reach {item.reach}", rule=LONGEST.rule, legal=legal)
