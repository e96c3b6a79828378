"""What a use of Insight Dice says that it costs."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from referee.core import Call, Scene, Who
from referee.core.modifiers import Itemised
from referee.core.questions import Choose, Question
from referee.drivers.sampled import Sampled
from referee.systems.distemper import SYSTEM
from referee.systems.distemper.checks import CHECK
from referee.systems.distemper.insight import cheat_death, throw_dice
from referee.systems.distemper.sheet import Character

AL = Who("al", Character)


@pytest.mark.parametrize(
    ("call", "prices"),
    [
        (throw_dice(AL, CHECK, 2, Itemised(), True, False), {"extra die": 1, "bonus": 1}),
        (cheat_death(AL), {"True": 3}),
    ],
)
def test_an_offer_says_how_many_dice_each_use_costs(call: Call[Any], prices: dict[str, int]) -> None:
    asked: list[Choose[Any]] = []

    def declining(question: Question[Any], scene: Scene) -> Any:
        assert isinstance(question, Choose)
        asked.append(question)
        return question.default

    Sampled(Random(1), declining).play(call, SYSTEM.state({"al": {"insight": 3}}))
    assert {str(option): price.amount for option, price in asked[0].costs} == prices
