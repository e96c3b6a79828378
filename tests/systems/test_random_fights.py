"""Fights between anybody by random legal choices: nothing breaks, and the log alone brings every fight back.

`FIGHTS=2000 pytest -m slow -k dime tests/systems/test_random_fights.py` plays so many, every tenth again from its log;
`FIRST=600` begins with the 600th, `MOVES=200` leaves a fight that goes on after so many. The fights of D6 and Distemper
that have tests of their own know more of what must hold after every step; here are more people and more options.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from functools import cache
from random import Random
from typing import Any, Final

import pytest

from referee import registry
from referee.core import State
from referee.core.actions import Action
from referee.core.draft_chance import random_sheet
from referee.core.errors import RefereeError, Refused
from referee.core.options import present_fields
from referee.core.plain import Plain
from referee.core.rulebook import Book
from referee.core.system import System
from referee.journal.changes import fold
from referee.journal.journal import Journal
from referee.journal.lines import Line
from referee.journal.seeded_dice import SeededDice
from referee.store.log_reader import LogStart
from referee.testing.conformance import ConformanceWalk
from referee.testing.fights import fight_of
from referee.testing.scenarios import samples
from referee.verify.log_file import Written
from referee.verify.report import verify

FIGHTS: Final = int(os.environ.get("FIGHTS", "10"))
FIRST: Final = int(os.environ.get("FIRST", "0"))
MOVES: Final = int(os.environ.get("MOVES", "150"))
AGAIN: Final = 10
NAMES: Final = ("al", "bo", "cy", "di", "ed")
BROKEN: Final = (AssertionError, RefereeError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
BLOWS: Final = ("battle", "melee", "marksmanship", "gear")
IN_FIGHTS: Final = (*BLOWS, "might", "move", "insight", "influence", "command", "stealth", "medical_aid")
"""The chapters of Year Zero, whose fights are played action by action, that people turn to in a fight."""


@cache
def people(system: System) -> tuple[Any, ...]:
    """Everybody in the samples."""
    states = [state for _, state in samples(system)]
    return tuple(each for state in states for each in state.values() if isinstance(each, system.sheet))


def book_by_chance(system: System, random: Random) -> Book:
    """The printed book with a few of its options, as far as they go together."""
    book = Book(system.printed_book)
    for entry in system.printed_book.options if random.random() < 0.7 else ():
        if random.random() < 0.3:
            with suppress(RefereeError):
                book = book.but({"options": {entry.id: random.choice([*entry.choices] or [True])}})
    return book


def scene_by_chance(system: System, random: Random) -> tuple[State, str]:
    """Two to five people of samples or made by chance, and under which name their fight stands."""
    book = book_by_chance(system, random)
    names = NAMES[: random.randint(2, len(NAMES))]
    cut = random.randint(1, len(names) - 1)
    values: dict[str, Plain] = {"book": {"kind": "Book", **book.to_plain()}}
    for name in names:
        sheet = random.choice(people(system))
        if system.creation is not None and random.random() < 0.3:
            with suppress(Refused):  # options may leave no way to build anybody
                sheet = random_sheet(system.creation, book, random)
        values[name] = {"kind": type(sheet).__name__, **present_fields(sheet, book)}
    sides: Plain = {"sides": [list(names[:cut]), list(names[cut:])]}
    place, fight = fight_of(system, system.new_state(values), sides, ())
    return system.new_state({**values, place: fight}), place


def actions_of_fights(system: System, number: int) -> tuple[Action[Any], ...]:
    """What is begun where an encounter does not say what comes next; in every other fight rather blows."""
    if system.name != "yearzero":
        return system.actions
    chapters = BLOWS if number % 2 else IN_FIGHTS
    mine = (each for each in system.actions if each.rule.body.__module__.rpartition(".")[2] in chapters)
    return tuple(each for each in mine if not each.master or each.key == "next-go")


def play(system: System, number: int) -> ConformanceWalk:
    """A fight as far as we have patience."""
    random = Random(f"{system.name} {number}")
    start, place = scene_by_chance(system, random)
    walk = ConformanceWalk(system, start, number, check=False, actions=actions_of_fights(system, number))
    for _ in range(MOVES):
        if place not in walk.journal.state or not walk.move():
            break
    for name in walk.journal.state:
        system.check_sheet(walk.journal.state, name)
    return walk


def check_again(system: System, journal: Journal) -> None:
    """The log alone brings the table back, without rules and with them."""
    lines = [Line.from_plain(json.loads(json.dumps(line.to_plain()))) for line in journal.lines]
    again = Journal(system, journal.start, journal.source, lines)
    assert (again.state, again.asking) == (journal.state, journal.asking)
    assert fold(system, journal.start, (line for _, line in journal.story)) == journal.state
    dice = journal.source
    assert isinstance(dice, SeededDice)
    start = LogStart(system.name, system.version, system.plain(journal.start), dice.commitment)
    report = verify(Written("fight", start, list(lines), [dice]))
    assert report.holds, report.mismatches
    assert report.steps


@pytest.mark.parametrize("fights", [1, pytest.param(FIGHTS, marks=pytest.mark.slow)])
@pytest.mark.parametrize("system", registry.OURS)
def test_fights_are_played_by_legal_choices_and_every_tenth_again_from_its_log(system: str, fights: int) -> None:
    loaded, failed = registry.load(system), dict[int, str]()
    for number in range(FIRST, FIRST + fights):
        try:
            walk = play(loaded, number)
            if number % AGAIN == 0:
                check_again(loaded, walk.journal)
        except BROKEN as problem:
            failed[number] = repr(problem)
    assert not failed
