"""What a rule hides, and the odds against a figure that is kept secret."""

from __future__ import annotations

import json
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from referee.core import (
    D6,
    BadInput,
    Bands,
    Hidden,
    Open,
    Pool,
    Prompt,
    Scene,
    State,
    System,
    Total,
    Who,
    action,
    action_of,
    change,
    frozen,
    roll,
    rule,
)
from referee.core.errors import RefereeError
from referee.core.knowledge import known_to
from referee.core.plain import Plain
from referee.core.rules import Call
from referee.core.visibility import VEIL, Seat
from referee.drivers.exact import Exact
from referee.drivers.scripted import play
from referee.forecast.figures import NORMAL
from referee.forecast.risk import action_query
from referee.journal.journal import Journal
from referee.journal.seeded_dice import SeededDice
from referee.views.feed import Feed
from referee.views.questions import view

FIND = Prompt("find")
MASTER, GUEST = Seat("game master", master=True), Seat("guest")


@frozen
class Thief:
    coins: Open[int] = 5


@frozen
class Trap:
    """Something that was set, and how well."""

    by: Open[str]
    total: Hidden[int] = 0


ANA, PIT = Who("ana", Thief), Who("pit", Trap)


@rule("snares.set")
async def set_trap(scene: Scene, who: Who[Thief], name: str, total: Hidden[int] = 0) -> None:
    """Dig a pit that nobody knows of."""
    await change(Who(name, Trap), Trap(who.name, total), hidden=True)


@action(
    "find",
    "snares.find",
    bands=Bands(of=lambda found: "success" if found else "failure", keys=("success", "failure")),
)
async def find(scene: Scene, who: Who[Thief], trap: Who[Trap]) -> bool:
    """A die against how well it was set."""
    return (await roll(FIND, who, Pool.of((D6, 1)), Total)).total >= scene[trap].total


def possible_totals(scene: Scene, trap: Who[Any]) -> Sequence[int]:
    return (2, 4, 6)


@pytest.fixture
def snares(tmp_path: Path) -> System:
    actions, may_be = (action_of(find),), {Trap: {"total": possible_totals}}
    return System("snares", "Snares", tmp_path, 1, Thief, kinds=(Trap,), actions=actions, may_be=may_be)


def dug(snares: System) -> Journal:
    journal = Journal(snares, snares.state({"ana": {}}), SeededDice(b"pit"))
    call: Call[None] = set_trap(ANA, "pit", 4)
    journal.begin("gm", "snares.set", call.plain(), call=call)
    return journal


def told(journal: Journal, seat: Seat) -> list[dict[str, Plain]]:
    feed = Feed(journal.system)
    for number, line in enumerate(journal.lines):
        feed.add(number, line, seat)
    return feed.items


def test_what_a_rule_hides_is_there_for_the_game_master_alone(snares: System) -> None:
    journal = dug(snares)
    assert journal.scene[PIT] == Trap("ana", 4)
    assert journal.scene[VEIL].names == {"pit"}
    assert "pit" in json.dumps(view(journal, MASTER))
    assert "pit" not in json.dumps(view(journal, GUEST))
    assert "pit" in json.dumps(told(journal, MASTER))
    assert "pit" not in json.dumps(told(journal, GUEST))
    assert "pit" not in known_to(journal.state, GUEST)


def test_what_is_hidden_stays_so_when_it_changes(snares: System) -> None:
    journal = dug(snares)
    call: Call[None] = set_trap(ANA, "pit", 5)
    journal.begin("gm", "snares.set", call.plain(), call=call)
    assert journal.scene[PIT].total == 5
    assert journal.scene[VEIL].names == {"pit"}


def test_a_rule_does_not_hide_what_everybody_knows(snares: System) -> None:
    state = snares.state({"ana": {}, "pit": {"kind": "Trap", "by": "ana", "total": 3}})
    with pytest.raises(BadInput, match="pit: is not hidden: a rule hides only what it adds"):
        play(set_trap(ANA, "pit", 4), state)


def test_odds_are_the_same_whether_a_rule_hides_it_or_not(snares: System) -> None:
    ends = Exact().of(set_trap(ANA, "pit", 4), snares.state({"ana": {}})).ends
    assert len(ends) == 1


def test_odds_against_a_secret_field_are_a_curve_over_what_it_may_be(snares: System) -> None:
    state = snares.state({"ana": {}, "pit": {"kind": "Trap", "by": "bo", "total": 4}})
    offer = action_of(find).by(ANA, trap=PIT)
    known = action_query(offer, known_to(state, MASTER), MASTER).card(NORMAL)
    assert known.now is not None
    assert known.now.bands["success"] == Fraction(3, 6)
    card = action_query(offer, known_to(state, GUEST), GUEST).card(NORMAL)
    assert (card.now, card.unknown) == (None, "pit.total")
    assert {at: each.bands["success"] for at, each in card.curve.items()} == {
        "2": Fraction(5, 6),
        "4": Fraction(3, 6),
        "6": Fraction(1, 6),
    }


def test_without_a_word_about_it_a_secret_field_is_unknown(tmp_path: Path) -> None:
    plain = System("snares", "Snares", tmp_path, 1, Thief, kinds=(Trap,), actions=(action_of(find),))
    state: State = plain.state({"ana": {}, "pit": {"kind": "Trap", "by": "bo", "total": 4}})
    card = action_query(action_of(find).by(ANA, trap=PIT), known_to(state, GUEST), GUEST).card(NORMAL)
    assert (card.unknown, card.curve) == ("pit.total", {})


def test_what_may_be_secret_is_a_field_of_a_kind(tmp_path: Path) -> None:
    with pytest.raises(RefereeError, match=r"Trap\.depth, which may be secret, is no field of a kind of snares"):
        System("snares", "Snares", tmp_path, 1, Thief, kinds=(Trap,), may_be={Trap: {"depth": possible_totals}})
