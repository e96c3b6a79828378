"""What each seat may see: two worlds that differ in secrets look the same to everybody else."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import final

import pytest

from referee.core import (
    D6,
    Audience,
    Card,
    Hidden,
    Open,
    Own,
    Pile,
    Pool,
    Prompt,
    Scene,
    State,
    System,
    Total,
    Who,
    change,
    choose,
    draw,
    roll,
    rule,
    tell,
)
from referee.core.seats import Seat
from referee.drivers.fair import Fair
from referee.drivers.journal import Journal
from referee.drivers.views import view


@final
@dataclass(frozen=True, slots=True)
class Rogue:
    coins: Open[int] = 5
    loot: Own[tuple[str, ...]] = ()
    luck: Hidden[int] = 0


DECK, HAND = Who("deck", Pile), Who("hand", Pile)
DIE, HAGGLE, PEEK = Prompt("die"), Prompt("haggle"), Prompt("peek")


@rule("lair.buy")
async def buy(scene: Scene, who: Who[Rogue], what: Own[str] = "rope") -> None:
    """Haggle openly, buy secretly."""
    off = await choose(who, HAGGLE, (0, 1, 2))
    thrown = await roll(DIE, who, Pool.of((D6, 1)), Total)
    price = 3 - off + thrown.total // 3
    await change(who, replace(scene[who], coins=scene[who].coins - price, loot=(*scene[who].loot, what)))
    await tell("bought", who=who, what=what, audience=Audience.OWNER)
    await tell("paid", who=who, price=price)


@rule("lair.peek")
async def peek(scene: Scene, who: Who[Rogue]) -> None:
    """A card into the hand, and a secret throw."""
    await draw(scene, PEEK, DECK, HAND, who=who, audience=Audience.OWNER)
    thrown = await roll(DIE, who, Pool.of((D6, 1)), Total, audience=Audience.MASTER)
    await change(who, replace(scene[who], luck=thrown.total))


@pytest.fixture
def den(tmp_path: Path) -> System:
    return System("lair", "Lair", tmp_path, 1, Rogue)


@pytest.fixture
def start(den: System) -> State:
    cards = {"kind": "Pile", "cards": ["7S", "QH"], "facing": "down"}
    return den.state({"ana": {}, "bo": {}, "deck": cards, "hand": {"kind": "Pile", "facing": "hand", "owner": "ana"}})


@pytest.fixture
def table(den: System, start: State) -> Journal:
    return Journal(den, start, Fair(b"lair"))


MASTER = Seat("game master", master=True)
ANAS = Seat("Ana's", frozenset({"ana"}))
GUEST = Seat("guest")


def bought(journal: Journal, what: str) -> Journal:
    step = journal.begin("Ana's", "lair.buy", {"who": "ana", "what": what})
    journal.answer("Ana's", step, 1)
    journal.answer("Ana's", step, [2])
    return journal


def test_two_worlds_that_differ_in_what_was_bought_look_the_same_to_others(den: System, start: State) -> None:
    worlds = [bought(Journal(den, start), what) for what in ("rope", "poison")]
    assert json.dumps(view(worlds[0], GUEST)) == json.dumps(view(worlds[1], GUEST))
    for seat in (ANAS, MASTER):
        assert "poison" in json.dumps(view(worlds[1], seat))


def test_two_worlds_that_differ_in_cards_and_secret_throws_look_the_same_to_others(den: System, start: State) -> None:
    worlds = []
    for card, pip in (("7S", 2), ("QH", 5)):
        journal = Journal(den, start)
        step = journal.begin("Ana's", "lair.peek", {"who": "ana"})
        journal.answer("Ana's", step, card)
        journal.answer("dice", step, [pip])
        worlds.append(journal)
    assert json.dumps(view(worlds[0], GUEST)) == json.dumps(view(worlds[1], GUEST))
    assert "7S" in json.dumps(view(worlds[0], ANAS)["scene"]["hand"])
    assert '"luck": 5' in json.dumps(view(worlds[1], MASTER))
    assert "luck" not in json.dumps(view(worlds[1], ANAS))


def test_what_is_told_to_everyone_is_seen_by_everyone(den: System, start: State) -> None:
    told = [
        item["told"]
        for line in view(bought(Journal(den, start), "rope"), GUEST)["log"]
        for item in line["then"]
        if "told" in item
    ]
    assert told == ["paid"]


def test_an_edit_of_a_secret_is_no_line_for_others(table: Journal) -> None:
    table.edit("game master", "ana", luck=9)
    assert view(table, GUEST)["log"] == view(table, ANAS)["log"] == []
    table.edit("game master", "ana", luck=8, coins=3)
    (line,) = view(table, GUEST)["log"]
    assert line["then"][0]["set"] == {"coins": 3}
    assert line["then"][0]["was"] == {"coins": 5}


def test_a_new_sheet_is_seen_without_its_secrets(table: Journal) -> None:
    table.edit("game master", "cy", kind="Rogue", luck=9, loot=["gem"], coins=1)
    (line,) = view(table, GUEST)["log"]
    assert line["then"][0]["new"] == {"kind": "Rogue", "coins": 1}


def test_what_was_undone_is_in_no_view(table: Journal) -> None:
    table.edit("game master", "ana", coins=1)
    table.undo("game master", 0)
    assert view(table, MASTER)["log"] == []


def test_cards_in_views_are_only_those_one_may_look_at(table: Journal) -> None:
    seen = view(table, MASTER)["scene"]
    assert seen["deck"] == {"kind": "Pile", "owner": "", "facing": "down", "count": 2}
    assert Card("7S") in table.scene[DECK].cards
