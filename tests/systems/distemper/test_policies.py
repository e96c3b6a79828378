"""What Distemper's policies decide, at the edge of what they look at."""

from __future__ import annotations

from typing import Any

import pytest

from referee.core import Levels, Scene, Who, choose
from referee.core.actions import legal_choices
from referee.registry import load
from referee.systems.distemper.breakdown import PlainBrawl
from referee.systems.distemper.combat import COMBAT_ACTIONS, TURN, actions_of_round
from referee.systems.distemper.policies import aggressive, cautious
from referee.systems.distemper.sheet import Character

SYSTEM = load("distemper")
AL = Who("al", Character)


def fighting(wp: int, **fight: Any) -> Scene:
    sides = {"kind": "Fight", "sides": [["al"], ["bo"]], "phase": "actions", "scores": {"al": 9, "bo": 5}}
    effect = {"adds": 1, "when": ["defense"]}
    covered = {
        "number": 1,
        "on": "al",
        "effect": effect,
        "source": "Take Cover",
        "rule": "distemper.combat-actions.take-cover",
    }
    return Scene(
        SYSTEM.state(
            {
                "al": {"player": False, "wp": wp, "items": [{"name": "axe", "wp": 4}]},
                "bo": {"player": False},
                "fight": {**sides, "left": {"al": 2, "bo": 2}, **fight},
                "effects": {"kind": "Effects", "lasting": [covered], "count": {"al": 1}},
            }
        )
    )


@pytest.mark.parametrize(("wp", "action"), [(6, "attack"), (5, "defend")])
def test_the_cautious_stop_attacking_once_half_of_their_points_are_gone(wp: int, action: str) -> None:
    scene = fighting(wp)
    legal = legal_choices(COMBAT_ACTIONS, scene, AL)
    assert cautious(choose(AL, TURN, legal, default=legal[0]), scene).action.key == action


def test_the_cautious_strike_with_what_does_most() -> None:
    clubs = [{"name": "stick", "wp": 1}, {"name": "axe", "wp": 4}, {"name": "club", "wp": 2}]
    scene = Scene(SYSTEM.state({**SYSTEM.plain(fighting(10).state), "al": {"player": False, "wp": 10, "items": clubs}}))
    legal = legal_choices(COMBAT_ACTIONS, scene, AL)
    assert dict(cautious(choose(AL, TURN, legal, default=legal[0]), scene).arguments)["weapon"] == "axe"


@pytest.mark.parametrize("fight", [{"phase": "actions"}, {"phase": "initiative", "pins": [["al", "bo"]]}])
def test_fights_in_the_middle_of_a_round_and_with_somebody_held_are_played(fight: dict[str, Any]) -> None:
    plain = PlainBrawl()
    assert "the round has begun" in plain.refusal(fighting(10, **fight), aggressive)


def test_who_has_lost_all_actions_of_a_round_has_none_to_spend() -> None:
    assert actions_of_round(fighting(10, lost={"al": 2})) == Levels({"bo": 2})
