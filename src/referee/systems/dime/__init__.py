"""Dime Adventures: flips of playing cards, trump and Moxie, zones and action points."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from referee.core import Shorthand, System, actions_of
from referee.core.cards import Pile
from referee.core.rulebook import Book

# What is imported first comes first among the ways of a turn.
from referee.systems.dime import turn_order, attacks, area_fire, grapples  # isort: skip
from referee.systems.dime import (
    chase,
    combat,
    concentrate,
    consequences,
    damage,
    duel,
    equipment,
    extended_actions,
    flip,
    interact,
    inventions,
    moves,
    moxie,
    quick_combat,
    social,
    time,
    wealth,
)
from referee.systems.dime.chase import CHASE, Chase
from referee.systems.dime.condition import condition
from referee.systems.dime.creation import CREATION
from referee.systems.dime.deck import ANTE, piles, poker
from referee.systems.dime.duel import DUEL, Duel
from referee.systems.dime.equipment import CATALOGUE
from referee.systems.dime.fight import FIGHT, ZoneFight
from referee.systems.dime.policies import aggressive, cautious
from referee.systems.dime.sheet import Adventurer, check_sheet, written_names
from referee.systems.dime.shorthand import shorthand
from referee.systems.dime.time import units


def short_form(text: str) -> Shorthand | None:
    """A flip in the short form, with the abbreviations of the printed book."""
    return shorthand(text, Book(SYSTEM.printed_book))


SYSTEM: Final = System(
    name="dime",
    title="Dime Adventures",
    folder=Path(__file__).parent,
    version=5,
    sheet=Adventurer,
    actions=actions_of(
        flip,
        extended_actions,
        moxie,
        equipment,
        social,
        quick_combat,
        wealth,
        inventions,
        damage,
        consequences,
        time,
        attacks,
        area_fire,
        grapples,
        concentrate,
        interact,
        moves,
        turn_order,
        combat,
        chase,
        duel,
    ),
    condition=condition,
    check=check_sheet,
    written=written_names,
    units=units,
    shorthand=short_form,
    creation=CREATION,
    catalogue=CATALOGUE,
    kinds=(ZoneFight, Chase, Duel),
    places=(FIGHT, CHASE, DUEL),
    passing_names={f"*.{ANTE}": Pile},
    fight=turn_order.fight_between,
    policies={"aggressive": aggressive, "cautious": cautious},
    decks={"poker": poker},
    piles=piles,
)
