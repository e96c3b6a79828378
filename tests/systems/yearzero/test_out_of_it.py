"""What takes the roll of somebody who is out is not offered: the reason stands on the button, not after the dice."""

from __future__ import annotations

from typing import Any, Final

import pytest

from referee import registry
from referee.core import Scene, Who
from referee.systems.yearzero.sheet import Survivor

YEARZERO: Final = registry.load("yearzero")
ANA, BO = Who("ana", Survivor), Who("bo", Survivor)
OUT: Final[dict[str, dict[str, Any]]] = {
    "bo is unconscious": {"conditions": ["Unconscious"]},
    "bo is dead": {"conditions": ["Dead"]},
    "bo is Broken: no Wits is left": {"attributes": {"Wits": 2}, "damage": {"Wits": 2}},
}


def scene(**bo: Any) -> Scene:
    return Scene(YEARZERO.new_state({"ana": {"talents": {"Language: Creole": 1}}, "bo": bo, "cy": {}}))


@pytest.mark.parametrize("why", ["bo is unconscious", "bo is dead"])
@pytest.mark.parametrize("key", ["opposed-roll", "notice", "sneak", "intimidate", "manipulate", "feint"])
def test_nobody_rolls_against_somebody_who_is_out(key: str, why: str) -> None:
    there, action = scene(**OUT[why]), YEARZERO.action(key)
    assert BO not in action.choices(there, ANA)["target"]
    assert action.barred(there, ANA, "target")[BO].because == why


@pytest.mark.parametrize("key", ["opposed-roll", "notice", "sneak", "intimidate", "manipulate", "feint"])
def test_whoever_is_broken_can_be_rolled_against(key: str) -> None:
    there = scene(**OUT["bo is Broken: no Wits is left"])
    assert BO in YEARZERO.action(key).choices(there, ANA)["target"]


@pytest.mark.parametrize("why", OUT)
def test_whoever_is_out_makes_nothing_out_that_takes_a_roll(why: str) -> None:
    there = Scene(YEARZERO.new_state({"bo": {**OUT[why], "talents": {"Language: Creole": 1}}}))
    refused = YEARZERO.action("understand").may(there, BO, language="Creole", topic="complex")
    assert refused is not None
    assert refused.because == why
