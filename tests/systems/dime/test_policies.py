"""What the policies of Dime Adventures decide, at the edge of what they look at."""

from __future__ import annotations

import pytest

from referee import registry
from referee.core import Scene, Who, choose, legal_choices
from referee.systems.dime.action_points import COMBAT_ACTIONS
from referee.systems.dime.policies import aggressive, cautious
from referee.systems.dime.sheet import Adventurer
from referee.systems.dime.turn_order import DO

DIME = registry.load("dime")
ANA = Who("ana", Adventurer)


@pytest.mark.parametrize(("left", "action"), [(2, "attack"), (1, "end-turn")])
def test_the_cautious_keep_their_last_action_point_for_a_reaction(left: int, action: str) -> None:
    fight = {"kind": "ZoneFight", "sides": [["ana"], ["bo"]], "turn": "ana", "turn_begun": True, "left": {"ana": left}}
    scene = Scene(DIME.new_state({"ana": {"moxie": 0}, "bo": {"player": False}, "fight": fight}))
    legal = legal_choices(COMBAT_ACTIONS, scene, ANA)
    assert cautious(choose(ANA, DO, legal, default=legal[0]), scene).action.key == action


def test_the_aggressive_go_where_the_nearest_foe_is() -> None:
    """Two zones are next to the first; a foe is beyond one of them, and another further off."""
    names = ("Barn", "Road", "Ford", "Mill")
    borders = [{"one": one, "other": other} for one, other in (names[:2], names[1:3], names[2:])]
    places = {"ana": "Road", "bo": "Mill"}
    zones = {"zones": [{"name": name} for name in names], "borders": borders, "places": places}
    fight = {"kind": "ZoneFight", "sides": [["ana"], ["bo"]], "turn": "ana", "turn_begun": True, "left": {"ana": 3}}
    knife = {"name": "knife", "held": True, "damage": {"spades": 4}}
    people = {"ana": {"moxie": 0, "items": [knife]}, "bo": {"player": False}}
    scene = Scene(DIME.new_state({**people, "fight": {**fight, "zones": zones}}))
    legal = legal_choices(COMBAT_ACTIONS, scene, ANA)
    chosen = aggressive(choose(ANA, DO, legal, default=legal[0]), scene)
    assert (chosen.action.key, dict(chosen.arguments)["to"]) == ("move", "Ford")
