"""Seats: what a seat may not see is left out of what it is sent."""

from __future__ import annotations

import json
from dataclasses import dataclass
from itertools import product

import pytest

from referee.core import Audience, Card, Clock, Facing, Hidden, Levels, Open, Own, Pile, State, Who
from referee.core.visibility import Seat, renamed, visible_scene


@dataclass(frozen=True, slots=True)
class Player:
    name: Open[str] = ""
    plan: Own[str] = ""
    doom: Hidden[str] = ""


MASTER = Seat("game master", master=True)
ANA = Seat("Ana's", frozenset({"ana", "cat"}))
GUEST = Seat("guest")


@pytest.mark.parametrize(
    ("seat", "audience", "owner", "sees"),
    [
        (MASTER, Audience.EVERYONE, None, True),
        (MASTER, Audience.OWNER, "bo", True),
        (MASTER, Audience.MASTER, "bo", True),
        (ANA, Audience.EVERYONE, "bo", True),
        (ANA, Audience.OWNER, "ana", True),
        (ANA, Audience.OWNER, "cat", True),
        (ANA, Audience.OWNER, "bo", False),
        (ANA, Audience.OWNER, None, False),
        (ANA, Audience.MASTER, "ana", False),
        (GUEST, Audience.EVERYONE, None, True),
        (GUEST, Audience.OWNER, "ana", False),
    ],
)
def test_a_seat_sees_what_is_for_its_eyes(seat: Seat, audience: Audience, owner: str | None, sees: bool) -> None:
    assert seat.sees(audience, owner) is sees


def test_a_seat_answers_for_those_it_plays_and_the_game_master_for_all() -> None:
    assert [ANA.answers_for(who) for who in ("ana", "cat", "bo", None)] == [True, True, False, False]
    assert all(MASTER.answers_for(who) for who in ("ana", None))
    assert not GUEST.answers_for("ana")


def world(plan: str, doom: str, hand: str, deck: str) -> State:
    return State(
        {
            "ana": Player("Ana", plan, doom),
            "hand": Pile((Card(hand),), Facing.HAND, "ana"),
            "deck": Pile((Card(deck),), Facing.DOWN, "ana"),
            "table": Pile((Card("2C"),), Facing.UP),
            "clock": Clock(3),
        }
    )


def test_two_worlds_that_differ_in_secrets_look_the_same_to_others() -> None:
    worlds = [world(*secrets) for secrets in product(("run", "stay"), ("soon", "never"), ("7S", "QH"), ("3D", "KC"))]
    assert len({json.dumps(visible_scene(state, GUEST)) for state in worlds}) == 1
    assert len({json.dumps(visible_scene(state, ANA)) for state in worlds}) == 4
    assert len({json.dumps(visible_scene(state, MASTER)) for state in worlds}) == 8


def test_what_is_not_seen_is_left_out_and_never_blanked() -> None:
    view = visible_scene(world("run", "soon", "7S", "3D"), GUEST)
    assert view["ana"] == {"kind": "Player", "name": "Ana"}
    assert view["hand"] == {"kind": "Pile", "owner": "ana", "facing": "hand", "count": 1}
    assert view["table"]["cards"] == ["2C"]
    assert view["clock"] == {"kind": "Clock", "now": 3, "deadlines": [], "pending": [], "stands": False}


def test_a_deck_face_down_is_seen_by_nobody_not_even_the_game_master() -> None:
    view = visible_scene(world("run", "soon", "7S", "3D"), MASTER)
    assert "cards" not in view["deck"]
    assert view["hand"]["cards"] == ["7S"]
    assert view["ana"] == {"kind": "Player", "name": "Ana", "plan": "run", "doom": "soon"}


def test_a_name_is_replaced_wherever_it_is_mentioned() -> None:
    @dataclass(frozen=True)
    class Camp:
        order: tuple[str, ...]
        next: Who[Player]
        near: frozenset[tuple[str, str]]
        scores: Levels
        text: str = "the wolf howls"

    camp = Camp(
        ("ana", "wolf"), Who("wolf", Player), frozenset({("ana", "wolf")}), Levels({"ana wolf": 1, "wolfram": 2})
    )
    found = renamed(camp, "wolf", "wolf 2")
    assert (found.order, found.next) == (("ana", "wolf 2"), Who("wolf 2", Player))
    assert found.near == {("ana", "wolf 2")}
    assert dict(found.scores) == {"ana wolf 2": 1, "wolfram": 2}
    assert found.text == "the wolf howls"  # a sentence is no mention; it would not be redacted either
    assert renamed(camp, "bo", "cy") is camp
