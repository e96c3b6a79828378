"""Talents that are figures: movement, weight, sleep, rest, healing, Anchors."""

from __future__ import annotations

from typing import Any

import pytest

from referee.core import Refused, Scene, Who
from referee.core.errors import BadInput
from referee.registry import load
from referee.systems.yearzero.boosts import healing_days
from referee.systems.yearzero.panic import is_spared
from referee.systems.yearzero.rest import counts_as_rest
from referee.systems.yearzero.sheet import Survivor
from referee.systems.yearzero.talent_actions import (
    extra_weight,
    movement_rate,
    sleepless_limit,
)
from referee.systems.yearzero.talents import TALENTS

ANA, BO, CY, DI = (Who(name, Survivor) for name in ("ana", "bo", "cy", "di"))


def scene(**talents: int) -> Scene:
    return Scene(load("yearzero").state({"ana": {"talents": talents}, "bo": {}, "cy": {}, "di": {}}))


def test_there_are_fifty_talents() -> None:
    assert len(scene()[TALENTS]) == 50


@pytest.mark.parametrize(("times", "metres"), [(0, 10), (1, 12), (2, 14), (3, 16)])
def test_a_sprinter_moves_further(times: int, metres: int) -> None:
    assert movement_rate(scene(**({"Sprinter": times} if times else {})), ANA) == metres


def test_a_packrat_carries_four_more() -> None:
    assert (extra_weight(scene(), ANA), extra_weight(scene(Packrat=1), ANA)) == (0, 4)


def test_a_light_sleeper_goes_five_quarter_days_without_sleep() -> None:
    assert (sleepless_limit(scene(), ANA), sleepless_limit(scene(**{"Light Sleeper": 1}), ANA)) == (3, 5)


@pytest.mark.parametrize(("rolled", "days"), [(1, 1), (2, 1), (7, 4), (12, 6)])
def test_a_fast_healer_takes_half_the_time_rounded_up(rolled: int, days: int) -> None:
    assert healing_days(scene(**{"Fast Healer": 1}), ANA, rolled) == days
    assert healing_days(scene(), ANA, rolled) == rolled


def test_only_the_chosen_activity_is_rest() -> None:
    calm = scene(**{"Survivalist's Calm: fishing": 1})
    assert counts_as_rest(calm, ANA, "fishing")
    assert not counts_as_rest(calm, ANA, "hunting")
    assert not counts_as_rest(calm, BO, "fishing")
    with pytest.raises(Refused, match="none of this name"):
        counts_as_rest(calm, ANA, "dancing")


def test_a_wallflower_is_spared_while_two_others_are_unaffected() -> None:
    shy = scene(Wallflower=1)
    assert is_spared(shy, ANA, BO)
    assert not is_spared(scene(), ANA, BO)


@pytest.mark.parametrize(("loving", "most"), [(0, 2), (1, 3), (3, 5)])
def test_two_anchors_and_one_more_for_each_time_of_loving(loving: int, most: int) -> None:
    def sheet(anchors: int) -> Any:
        talents = {"Loving": loving} if loving else {}
        return {"ana": {"talents": talents, "anchors": [f"friend {n}" for n in range(anchors)]}}

    _ = load("yearzero").state(sheet(most))
    with pytest.raises(BadInput, match=f"at most {most}"):
        load("yearzero").state(sheet(most + 1))
