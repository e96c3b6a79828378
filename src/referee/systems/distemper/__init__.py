"""Distemper: 2d6 and modifiers against 9, Insight Dice, combat rounds of two actions, panic, negotiations."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from referee.core import Scene, Shorthand, System, Unit, actions_of
from referee.core.rulebook import Book
from referee.kits import chase_tracker
from referee.kits.breakdown import declare_breakdown
from referee.kits.chase_tracker import CHASE, ChaseTracker
from referee.systems.distemper import attacks, checks, combat_actions, insight, opposed, social, upkeep
from referee.systems.distemper.breakdown import PlainBrawl
from referee.systems.distemper.combat import FIGHT, Fight, fight_between
from referee.systems.distemper.condition import condition
from referee.systems.distemper.creation import CREATION
from referee.systems.distemper.policies import aggressive, cautious
from referee.systems.distemper.sheet import CATALOGUE, Character, check_sheet
from referee.systems.distemper.shorthand import shorthand


def units(scene: Scene) -> tuple[Unit, ...]:
    """The book counts only rounds."""
    return (Unit("Round", 1),)


def short_form(text: str) -> Shorthand | None:
    """A check in the short form, within the limits of the printed book."""
    return shorthand(text, Book(SYSTEM.printed_book))


SYSTEM: Final = System(
    name="distemper",
    title="Distemper",
    folder=Path(__file__).parent,
    version=5,
    sheet=Character,
    kinds=(Fight, ChaseTracker),
    places=(FIGHT, CHASE),
    fight=fight_between,
    actions=actions_of(checks, opposed, combat_actions, social, upkeep, insight, attacks, chase_tracker),
    policies={"aggressive": aggressive, "cautious": cautious},
    condition=condition,
    check=check_sheet,
    written=attacks.written_names,
    units=units,
    shorthand=short_form,
    creation=CREATION,
    catalogue=CATALOGUE,
)

declare_breakdown(Fight, PlainBrawl())
