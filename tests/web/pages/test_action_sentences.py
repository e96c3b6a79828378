"""What somebody does is a sentence in the words of the game, whatever part of it is empty or not told."""

from __future__ import annotations

import pytest

from referee import registry
from referee.core.plain import Plain
from referee.core.wording import Worded
from referee.web.pages.parts.action_sentences import action_sentence, chosen_sentence

DIME = registry.load("dime")
ALIEN = registry.load("alien")


@pytest.mark.parametrize(
    ("key", "given", "says"),
    [
        ("flip", {"stat": "Speed", "skill": "athletics"}, "flips Speed and athletics."),
        ("flip", {"stat": "Speed", "skill": ""}, "flips Speed."),
        ("put", {"item": "cutlass", "to": "dropped"}, "drops the cutlass."),
        ("put", {"item": "bandages", "to": "medical bag"}, "puts the bandages into the medical bag."),
        ("attack", {"target": "Ada", "weapon": "unarmed"}, "attacks Ada with bare hands."),
        ("hurt", {"who": "Ada", "points": 1}, "deals 1 point of damage to Ada."),
        ("begin-chase", {"length": "short", "quarry": ["Lucie"], "pursuers": ["Ada", "Bo"]},
         "begins a short chase, with Ada and Bo after Lucie."),
    ],
)  # fmt: skip
def test_an_action_is_told_by_what_is_given(key: str, given: dict[str, Plain], says: str) -> None:
    assert action_sentence(DIME, DIME.action(key), given) == says


@pytest.mark.parametrize(("amount", "says"), [(1, "lets 1 Round pass."), (10, "lets 10 Rounds pass.")])
def test_time_is_counted_in_words(amount: int, says: str) -> None:
    assert action_sentence(ALIEN, ALIEN.action("pass-time"), {"amount": amount, "unit": "Round"}) == says


def test_a_key_is_read_by_what_is_known() -> None:
    said = chosen_sentence(DIME, DIME.action("disarm"), "Bo pistol Gatling gun", {"Bo"}, {"pistol", "Gatling gun"})
    assert said == "strikes at the Gatling gun of Bo with the pistol."


def test_a_number_changes_its_noun() -> None:
    assert "{n:shot|shots}".format(n=Worded("1")) == "1 shot"
    assert "{n:shot|shots}".format(n=Worded("0")) == "0 shots"
    assert "{unit:{n}}".format(unit=Worded("hour"), n=Worded("1")) == "hour"
    assert "{unit:{n}}".format(unit=Worded("hour"), n=Worded("3")) == "hours"
