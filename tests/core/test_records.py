"""Records in lists that state their own audience: left out for whoever may not see them, wherever they lie."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from referee.core import Audience, Hidden, Open, Own, Scene, State, System, Who
from referee.core.knowledge import known_to
from referee.core.plain import read, same, tally, write
from referee.core.visibility import Seat, holds_records, seen_records, visible_scene
from referee.journal.journal import Journal
from referee.journal.lines import SeatTaken
from referee.journal.seeded_dice import SeededDice
from referee.table import master_desk
from referee.table.campaign import Campaign
from referee.table.desk import Desk
from referee.table.members import Member

GM = Seat("gm", master=True)
ANA = Seat("ana's", frozenset({"ana"}))
BO = Seat("bo's", frozenset({"bo"}))


@dataclass(frozen=True, slots=True)
class Clue:
    """It belongs to whoever holds it."""

    text: str
    audience: Audience = field(default=Audience.EVERYONE, compare=False)


@dataclass(frozen=True, slots=True)
class Bond:
    """It belongs to `who`, whoever holds it."""

    who: str
    audience: Audience = Audience.OWNER


@dataclass(frozen=True, slots=True)
class Shelf:
    clues: tuple[Clue, ...] = ()
    above: Shelf | None = None


@dataclass(frozen=True, slots=True)
class Sleuth:
    clues: Open[tuple[Clue, ...]] = ()
    bonds: Open[frozenset[Bond]] = frozenset()
    shelf: Open[Shelf] = field(default_factory=Shelf)
    maybe: Open[tuple[Clue, ...] | None] = None
    mine: Own[tuple[Clue, ...]] = ()
    nerve: Hidden[int] = 0


ALL, OWNERS, MASTERS = (Clue(each.value, each) for each in (Audience.EVERYONE, Audience.OWNER, Audience.MASTER))
SYSTEM = System("sleuths", "Sleuths", Path(__file__).parent, 1, Sleuth)
STATE = SYSTEM.state(
    {
        "ana": write(
            Sleuth(
                (ALL, OWNERS, MASTERS),
                frozenset({Bond("ana"), Bond("bo"), Bond("cy", Audience.EVERYONE)}),
                Shelf((MASTERS,), Shelf((OWNERS, ALL))),
                (MASTERS, ALL),
                (OWNERS, MASTERS),
            )
        ),
        "bo": {},
    }
)


def shown(seat: Seat, state: State = STATE) -> dict[str, Any]:
    found: dict[str, Any] = visible_scene(state, seat)["ana"]
    return found


def texts(clues: Any) -> list[str]:
    return [each["text"] for each in clues]


def test_the_game_master_sees_every_record() -> None:
    assert texts(shown(GM)["clues"]) == ["everyone", "owner", "game master"]


def test_the_owner_sees_what_is_the_owners_and_the_others_what_is_everyones() -> None:
    assert texts(shown(ANA)["clues"]) == ["everyone", "owner"]
    assert texts(shown(BO)["clues"]) == ["everyone"]
    assert texts(shown(ANA)["mine"]) == ["owner"]
    assert "mine" not in shown(BO)


def test_a_record_that_says_whose_it_is_is_theirs() -> None:
    assert [each["who"] for each in shown(ANA)["bonds"]] == ["ana", "cy"]
    assert [each["who"] for each in shown(BO)["bonds"]] == ["bo", "cy"]


def test_records_are_left_out_inside_other_records_too() -> None:
    assert shown(BO)["shelf"] == {
        "clues": [],
        "above": {"clues": [{"text": "everyone", "audience": "everyone"}], "above": None},
    }
    assert texts(shown(BO)["maybe"]) == ["everyone"]
    assert visible_scene(STATE, BO)["bo"]["maybe"] is None


@pytest.mark.parametrize("seat", [GM, ANA, BO])
def test_what_a_seat_knows_for_odds_is_what_it_sees(seat: Seat) -> None:
    known = Scene(known_to(STATE, seat))[Who("ana", Sleuth)]
    for name in ("clues", "bonds", "shelf", "maybe"):
        assert write(getattr(known, name)) == shown(seat)[name]


def test_kinds_without_such_records_are_not_looked_into() -> None:
    assert holds_records(Sleuth)
    assert holds_records(tuple[Clue, ...])
    assert not holds_records(Clue), "a record by itself is a field, and fields state their audience in the sheet"
    assert not holds_records(tuple[int, ...])
    value = Clue("x", Audience.MASTER)
    assert seen_records(Clue, value, BO, "ana") is value


def test_a_change_is_told_as_far_as_its_records_may_be_seen() -> None:
    campaign = Campaign(SYSTEM, STATE, SeededDice(b"x"), clock=lambda: 0.0)
    for seat, role in {"gm": "game master", "ana": "player", "bo": "player"}.items():
        sits = {"id": seat, "name": seat, "role": role, "controls": [seat][: role == "player"], "real_dice": False}
        campaign.journal.say(SeatTaken(seat, Member.from_plain(sits).data))
    campaign.advance()
    cursors = {seat: Desk(campaign, seat).feed.cursor for seat in ("gm", "ana", "bo")}
    master_desk.edit(Desk(campaign, "gm"), "ana", {"clues": [write(ALL), write(OWNERS)]})  # the game master's is gone
    assert {seat: Desk(campaign, seat).feed.cursor - before for seat, before in cursors.items()} == {
        "gm": 1,
        "ana": 0,
        "bo": 0,
    }
    master_desk.edit(Desk(campaign, "gm"), "ana", {"clues": [write(OWNERS)]})
    (told,) = Desk(campaign, "bo").feed.items[-1]["then"]
    assert texts(told["set"]["clues"]) == []
    assert [(each["how"], each["was"]["text"]) for each in told["changes"]] == [("removed", "everyone")]
    (told,) = Desk(campaign, "ana").feed.items[-1]["then"]
    assert texts(told["set"]["clues"]) == ["owner"]
    assert [(each["how"], each["was"]["text"]) for each in told["changes"]] == [("removed", "everyone")]
    master_desk.add(Desk(campaign, "gm"), "cy", {"kind": "Sleuth", "clues": [write(MASTERS), write(ALL)]})
    (told,) = Desk(campaign, "bo").feed.items[-1]["then"]
    assert texts(told["new"]["clues"]) == ["everyone"]


# --- what is not compared is stored -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Counter:
    rounds: Open[int] = tally(0)
    clues: Open[tuple[Clue, ...]] = ()


def test_the_same_means_equal_in_what_is_not_compared_too() -> None:
    one, other = Counter(1, (Clue("a"),)), Counter(1, (Clue("a", Audience.MASTER),))
    assert one == other
    assert not same(one, other)
    assert same(one, replace(one))
    assert not same(one, Counter(2, one.clues))
    assert not same((1, 2), (1, 2, 3))
    assert same((1, (2, 3)), (1, (2, 3)))
    assert not same(one, None)
    assert read(Counter, write(other)) == one


def test_an_edit_of_an_audience_alone_is_logged_and_survives() -> None:
    journal = Journal(SYSTEM, SYSTEM.state({"ana": {"clues": [{"text": "a"}]}}))
    journal.edit("gm", "ana", clues=[{"text": "a", "audience": "game master"}])
    again = Journal(SYSTEM, journal.start, lines=journal.lines)
    assert write(again.state["ana"])["clues"] == [{"text": "a", "audience": "game master"}]
