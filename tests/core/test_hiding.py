"""Values without any mention of those in hiding."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest

from referee.core import Clock, Hidden, Levels, Open, Own, Pile, State, Who
from referee.core.cards import Facing
from referee.core.clock import Deadline
from referee.core.effects import Effect, Effects, Lasting
from referee.core.visibility import Seat, Veil, hidden_names, mentions, visible_scene, without

WOLF = frozenset({"wolf"})


@dataclass(frozen=True, slots=True)
class Step:
    who: str
    to: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Hunt:
    turn: Open[str] = ""
    prey: Open[str | None] = None
    sides: Open[tuple[tuple[str, ...], ...]] = ()
    pairs: Open[tuple[tuple[str, str], ...]] = ()
    steps: Open[tuple[Step, ...]] = ()
    near: Open[frozenset[str]] = frozenset()
    bands: Open[Levels] = field(default_factory=Levels)
    whom: Open[Who[Any] | None] = None
    either: Open[tuple[str, ...] | int] = 0
    plan: Own[str] = ""
    doom: Hidden[str] = ""


@pytest.mark.parametrize(
    ("name", "value", "left"),
    [
        ("turn", "al", "al"),
        ("turn", "wolf", "gone"),
        ("turn", "wolfram", "wolfram"),
        ("prey", "wolf", None),
        ("sides", (("al", "wolf"), ("wolf",)), (("al",), ())),
        ("pairs", (("al", "wolf"), ("al", "bo")), (("al", "bo"),)),
        ("steps", (Step("al"), Step("wolf"), Step("bo", ("al", "wolf"))), (Step("al"),)),
        ("near", frozenset({"al", "wolf"}), frozenset({"al"})),
        ("bands", Levels({"al": 1, "al wolf": 2, "wolf": 3, "wolfram": 4}), Levels({"al": 1, "wolfram": 4})),
        ("whom", Who("wolf", object), "gone"),
        ("either", ("al", "wolf"), ("al",)),
        ("either", 3, 3),
    ],
)
def test_what_remains_of_a_field(name: str, value: object, left: object) -> None:
    found = without(Hunt, {name: value}, WOLF)
    assert found == ({} if left == "gone" else {name: left})
    assert not mentions(found, WOLF)


@pytest.mark.parametrize(
    ("value", "mentioned"),
    [
        ("wolf", True),
        ("a wolf", False),
        (["al", ["wolf"]], True),
        ({"wolf": 1}, True),
        ({"al wolf": 1}, True),
        ({"who": "wolf"}, True),
        (Step("al", ("wolf",)), True),
        (frozenset({"al"}), False),
        (7, False),
        (None, False),
    ],
)
def test_who_is_mentioned(value: object, mentioned: bool) -> None:
    assert mentions(value, WOLF) is mentioned
    assert mentions(value, frozenset()) is False


def scene(**more: Any) -> State:
    hunt = Hunt("al", sides=(("al",), ("bo", "wolf")), plan="run", doom="wolf")
    laid = Lasting(1, "wolf", Effect.from_plain({"adds": 1}), "aim", "hunt.aim")
    return State(
        {
            "wolf": Hunt(),
            "claws": Pile((), Facing.UP, "wolf"),
            "hunt": hunt,
            "clock": Clock(3, (Deadline(5, 0, "wolf", "x"), Deadline(6, 0, "al", "x"))),
            "effects": Effects((laid,), (("wolf", "a", "b", 1),), Levels({"wolf": 1})),
            "veil": Veil(WOLF),
            **more,
        }
    )


def test_who_is_in_hiding_is_nowhere_in_what_others_see() -> None:
    view = visible_scene(scene(), Seat("guest"))
    assert "wolf" not in str(view)
    assert set(view) == {"hunt", "clock"}
    assert view["hunt"]["sides"] == [["al"], ["bo"]]
    assert [each["at"] for each in view["clock"]["deadlines"]] == [6]
    assert "wolf" in str(visible_scene(scene(), Seat("gm", master=True)))


def test_those_in_hiding_have_their_piles_in_hiding() -> None:
    assert hidden_names(scene()) == {"wolf", "claws"}
    assert hidden_names(scene(veil=Veil())) == frozenset()


def test_effects_on_those_in_hiding_alone_are_none_and_others_stay() -> None:
    also = Lasting(1, "al", Effect.from_plain({"adds": 1}), "aim", "hunt.aim")
    view = visible_scene(scene(effects=Effects((also,), (), Levels({"al": 1, "wolf": 4}))), Seat("guest"))
    assert [each["on"] for each in view["effects"]["lasting"]] == ["al"]
    assert view["effects"]["count"] == {"al": 1}


def test_a_scene_is_seen_by_name_whatever_came_into_it_first() -> None:
    one = State({"b": Hunt(), "a": Hunt()})
    assert list(visible_scene(one, Seat("guest"))) == ["a", "b"]
