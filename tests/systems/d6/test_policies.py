"""Policies play fights of the D6 System to their end."""

from __future__ import annotations

from typing import Any

import pytest

from referee.drivers.policies import Policy
from referee.forecast.encounters import Prepared, Sampler, forecasts
from referee.registry import load
from referee.systems.d6.combat.round import FIGHT

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
    plan = Prepared(FIGHT, duel(Agility="5D", Strength="4D"), policy)
    tally = Sampler([plan], seed=2).play(range(12))
    assert tally is not None
    (found,) = forecasts([plan], tally)
    assert found.wins(("ana",)).share > 0.5
    assert found.wins(("ana",)).share + found.wins(("bo",)).share == pytest.approx(1)
