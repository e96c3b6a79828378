"""The sampled table: chance by a seed, decisions by policy, whole encounters within bounds."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from fractions import Fraction
from random import Random
from typing import Any, final

import pytest

from referee.core import (
    D6,
    BadAnswer,
    Call,
    Encounter,
    Open,
    Pool,
    Prompt,
    Scene,
    State,
    Total,
    Who,
    change,
    choose,
    roll,
    rule,
)
from referee.core.errors import BadInput, TooLarge
from referee.drivers.exact import Exact
from referee.drivers.policies import always
from referee.drivers.sampled import Sampled


@final
@dataclass(frozen=True, slots=True)
class Climb(Encounter):
    height: Open[int] = 0
    top: Open[int] = 10

    def next_step(self, scene: Scene, me: Who[Any]) -> Call[Any]:
        return climb()

    def over(self, scene: Scene, me: Who[Any]) -> Hashable | None:
        return "top" if self.height >= self.top else None


CLIMB = Who("climb", Climb)
STATE = State({"climb": Climb()})


@rule("tests.sampled.climb")
async def climb(scene: Scene) -> int:
    """As high as the die says, twice as high for who dares and throws four or more."""
    dared = await choose(None, Prompt("dare"), (True, False))
    thrown = (await roll(Prompt("die"), None, Pool.of((D6, 1)), Total)).total
    gained = thrown * 2 if dared and thrown >= 4 else 0 if dared else thrown
    await change(CLIMB, replace(scene[CLIMB], height=scene[CLIMB].height + gained))
    return gained


def test_the_same_seed_plays_the_same() -> None:
    plays = [[Sampled(Random(5)).play_out(CLIMB, STATE) for _ in range(3)] for _ in range(2)]
    assert plays[0] == plays[1]


def test_without_a_seed_it_is_repeatable_too() -> None:
    assert Sampled().play(climb(), STATE) == Sampled().play(climb(), STATE)


def test_a_step_gives_its_result_and_leaves_the_scene_it_began_in() -> None:
    result, after = Sampled(Random(1)).play(climb(), STATE)
    assert Scene(after)[CLIMB].height == result
    assert State({"climb": Climb()}) == STATE


def test_samples_come_as_often_as_the_exact_odds_say() -> None:
    table = Sampled(Random(2), always(dare=True))
    exact = Exact(always(dare=True)).of(climb(), STATE).of
    seen = [table.play(climb(), STATE)[0] for _ in range(1200)]
    assert set(seen) == set(exact)
    for gained, chance in exact.items():
        error = float(chance * (1 - chance) / 1200) ** 0.5
        assert abs(Fraction(seen.count(gained), 1200) - chance) < 4 * error


def test_an_encounter_is_played_to_its_end() -> None:
    end, after = Sampled(Random(3)).play_out(CLIMB, STATE)
    assert end == "top"
    assert Scene(after)[CLIMB].height >= 10


def test_an_encounter_that_is_over_is_not_played() -> None:
    over = State({"climb": Climb(99)})
    assert Sampled().play_out(CLIMB, over) == ("top", over)


def test_an_encounter_that_does_not_end_is_an_error_and_not_a_hang() -> None:
    with pytest.raises(TooLarge, match="climb has not ended after 50 steps"):
        Sampled(Random(4)).play_out(CLIMB, State({"climb": Climb(0, 10**9)}), most_steps=50)


def test_what_is_no_encounter_is_not_played_out() -> None:
    with pytest.raises(BadInput, match="climb: is not an encounter"):
        Sampled().play_out(Who("climb", int), State({"climb": 3}))


def test_an_illegal_policy_is_refused() -> None:
    with pytest.raises(BadAnswer, match="the policy says 'perhaps'"):
        Sampled(policy=lambda *_: "perhaps").play(climb(), STATE)
