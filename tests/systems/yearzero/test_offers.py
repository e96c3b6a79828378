"""What is offered to somebody is what they may do."""

from __future__ import annotations

from typing import Any

import pytest

from referee import registry
from referee.core import Scene, Who
from referee.systems.yearzero.catalogue import thing_says
from referee.systems.yearzero.sheet import Survivor
from referee.systems.yearzero.skills import situations

YEARZERO = registry.load("yearzero")


@pytest.mark.parametrize("action", ["shove", "disarm"])
def test_nobody_is_offered_a_thing_that_is_broken(action: str) -> None:
    lids = [{"name": name, "gear_bonus": 1, "features": ["Shield"], "place": "held"} for name in ("lid", "buckler")]
    bo = {"things": [{"name": "Knife", "place": "held"}]}
    state = YEARZERO.new_state({"ana": {"things": [{**lids[0], "wear": 1}, lids[1]]}, "bo": bo})
    ways = YEARZERO.action(action).legal(Scene(state), Who("ana", Survivor))
    assert {way["gear"] for way in ways} == {"", "buckler"}


@pytest.mark.parametrize(
    ("talent", "names"),
    [("Charger", ("charge",)), ("Assassin", ("arm's length", "gun")), ("Cool Head", ())],
)
def test_the_situations_of_somebody_are_those_their_talents_ask_for_and_no_skills(
    talent: str, names: tuple[str, ...]
) -> None:
    state = YEARZERO.new_state({"ana": {"talents": {talent: 1}}})
    assert situations(Scene(state), Who("ana", Survivor)) == names


@pytest.mark.parametrize(
    ("thing", "said"),
    [
        ({"name": "Battleaxe"}, {"damage": 2, "weight": 2, "supply": 3, "reliability": ""}),
        ({"name": "old revolver", "reliability": 4}, {"reliability": 4, "weight": ""}),
        ({"name": "rope"}, {"reliability": None, "weight": ""}),
    ],
)
def test_things_say_what_their_row_or_they_themselves_say(thing: dict[str, Any], said: dict[str, Any]) -> None:
    scene = Scene(YEARZERO.new_state({"ana": {"things": [thing]}}))
    found = thing_says(scene, scene[Who("ana", Survivor)].things[0])
    assert {name: found[name] for name in said} == said
