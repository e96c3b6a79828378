"""Policies play fights of the D6 System to their end."""

from __future__ import annotations

from typing import Any

import pytest

from referee.core import Scene, Who
from referee.core.knowledge import fully_known
from referee.drivers.policies import Policy
from referee.forecast.encounters import Prepared, Sampler, forecasts
from referee.registry import load
from referee.systems.d6.combat.breakdown import PlainFight
from referee.systems.d6.combat.round import FIGHT
from referee.systems.d6.combat.skirmish_attacks import UNIT_HIT, UnitHit
from referee.systems.d6.policies import aggressive, is_target
from referee.systems.d6.sheet import Hero

SYSTEM = load("d6")


def duel(**mine: str) -> Any:
    sword = {"name": "Sword", "held": True}
    weak = {"Perception": "2D", "Agility": "2D", "Strength": "2D"}
    people = {
        "ana": {"attributes": {**weak, **mine}, "equipment": [sword]},
        "bo": {"player": False, "attributes": weak, "equipment": [sword]},
    }
    fight = {"kind": "IndividualCombat", "sides": [["ana"], ["bo"]]}
    book = {"kind": "Book", "system": "d6", "options": {"d6.combat.initiative-base": "fixed"}}
    return SYSTEM.state({**people, "fight": fight, "book": book})


@pytest.mark.parametrize("name", ["aggressive", "cautious"])
def test_a_duel_ends_and_the_stronger_wins_it_mostly(name: str) -> None:
    policy: Policy = SYSTEM.policies[name]
    plan = Prepared(FIGHT, fully_known(duel(Agility="5D", Strength="4D")), policy)
    tally = Sampler([plan], seed=2).play(range(12))
    assert tally is not None
    (found,) = forecasts([plan], tally)
    assert found.wins(("ana",)).share > 0.5
    assert found.wins(("ana",)).share + found.wins(("bo",)).share == pytest.approx(1)


def test_nobody_attacks_the_neutralized_nor_those_who_have_left() -> None:
    sheets = {"ana": {}, "bo": {"wound": "Neutralized"}, "cy": {}, "di": {}}
    fight = {"kind": "IndividualCombat", "sides": [["ana"], ["bo", "cy", "di"]], "gone": ["cy"]}
    scene = Scene(SYSTEM.state({**sheets, "fight": fight}))
    assert [name for name in sheets if is_target(scene, Who(name, Hero))] == ["ana", "di"]


@pytest.mark.parametrize(
    "bound",
    [
        {"grapple": {"foe": "bo", "margin": 3}},
        {"spraying": {"weapon": "Uzi", "width": 2, "difficulty": 10, "courage": 10}},
        {"preparing": 1},
    ],
)
def test_fights_in_which_somebody_is_bound_are_played_one_by_one(bound: dict[str, Any]) -> None:
    sword = {"name": "Sword", "held": True}
    fight = {"kind": "IndividualCombat", "sides": [["ana"], ["bo"]]}
    scene = Scene(SYSTEM.state({"ana": {"equipment": [sword], **bound}, "bo": {}, "fight": fight}))
    assert "somebody holds another" in PlainFight().refusal(scene, aggressive)


@pytest.mark.parametrize(
    ("result", "key"),
    [
        ("Wounded", "wounded"),
        ("Neutralized", "neutralized"),
        ("Mortally wounded", "mortally-wounded"),
        ("Dead", "dead"),
    ],
)
def test_the_outcomes_of_a_units_attack_are_those_of_its_damage(result: str, key: str) -> None:
    said = UNIT_HIT.extra
    assert [each for each in said if said[each](UnitHit(True, result=result))] == [key]
