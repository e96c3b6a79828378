"""The character sheet: its entries as the book lists them, Move as it is, and what a sheet may say."""

from __future__ import annotations

from typing import Final

from referee.core import BOOK, Refused, Scene, applying, figure, formula, frozen, rows
from referee.core.effects import Swaps
from referee.core.plain import Plain, write
from referee.kits.dice_codes import Stat
from referee.systems.d6 import codes
from referee.systems.d6.combat.reach import LONGEST, SHORTEST
from referee.systems.d6.merits_and_flaws import check_traits
from referee.systems.d6.sheet import Person
from referee.systems.d6.species import pips
from referee.systems.d6.templates import CLASSES, STATUSES, in_use
from referee.systems.d6.traits import CharacterTrait, trait_row, trait_value
from referee.systems.d6.wounds import ZONE_STATES

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


def check_sheet(scene: Scene, who: Person) -> None:
    """What codes, merits and flaws may be; looks and ranks that there are."""
    codes.check_sheet(scene, who)
    check_traits(scene, who)
    sheet = scene[who]
    for name, code in sheet.attributes.items():
        if pips(scene, code) < pips(scene, scene[LEAST]):
            raise Refused(name, because=f"an attribute is at least {scene[LEAST]}", rule=LEAST.rule)
    for state in sheet.states:
        row = scene[ZONE_STATES].look(state.state)
        if row.name != state.state:
            raise Refused(state.state, because=f"it is written {row.name}", rule=ZONE_STATES.rule, legal=(row.name,))
    for item in sheet.equipment:
        if item.reach is not None and not scene[SHORTEST] <= item.reach <= scene[LONGEST]:
            legal = tuple(map(str, range(scene[SHORTEST], scene[LONGEST] + 1)))
            raise Refused(item.name, because=f"there is no reach {item.reach}", rule=LONGEST.rule, legal=legal)
    if sheet.appearance not in scene[CLASSES]:
        raise Refused(
            sheet.appearance, because="there are no such looks", rule=CLASSES.rule, legal=scene[CLASSES].names
        )
    known = [row.status for row in scene[STATUSES]]
    if sheet.social_status not in known:
        because = f"a rank is {min(known)} to {max(known)}"
        raise Refused("social status", because=because, rule=STATUSES.rule)
