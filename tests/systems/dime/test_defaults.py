"""What happens if somebody says nothing."""

from __future__ import annotations

from typing import Any

from referee import registry
from referee.core import Call, Scene, Who
from referee.core.run import Run
from referee.systems.dime.sheet import Adventurer
from referee.systems.dime.turn_order import take_turn
from referee.systems.dime.weapons import pick_weapon

DIME = registry.load("dime")
ANA, BO = Who("ana", Adventurer), Who("bo", Adventurer)
GUN = {"name": "gun", "skill": "guns", "held": True, "damage": {"hearts": 7}}
FIGHT = {"kind": "ZoneFight", "sides": [["ana"], ["bo"]], "turn": "ana", "left": {"ana": 3}}


def default(call: Call[Any]) -> Any:
    state = DIME.new_state({"ana": {"items": [GUN]}, "bo": {}, "fight": FIGHT})
    (question,) = Run(Scene(state), call).asking
    return question.default  # type: ignore[attr-defined]  # of the question that is asked


def test_whoever_says_nothing_at_their_turn_ends_it() -> None:
    assert default(take_turn(ANA)).key == "end-turn"


def test_whoever_names_no_weapon_uses_what_is_in_hand() -> None:
    assert default(pick_weapon(ANA, BO)) == "gun"
