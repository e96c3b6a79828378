"""Odds check an action once for each scene; what the check reads counts as read each time."""

from __future__ import annotations

import pytest

from referee.core import D6, Open, Pool, Prompt, Refused, Scene, State, Total, Who, action, frozen, refuse, roll
from referee.drivers.exact import Exact

LEAP = Prompt("leap")


@frozen
class Cat:
    awake: Open[bool] = True


MIA = Who("mia", Cat)
CHECKED: list[str] = []


def check_awake(scene: Scene, who: Who[Cat]) -> None:
    CHECKED.append(who.name)
    if not scene[who].awake:
        refuse("asleep")


@action("leap", "test-checked-once.leap", turn=check_awake)
async def leap(scene: Scene, who: Who[Cat]) -> bool:
    """Three or more, twice."""
    pool = Pool.of((D6, 1))
    return all([(await roll(LEAP, who, pool, Total)).total >= 3 for _ in range(2)])


def test_it_is_checked_once_and_again_in_another_scene() -> None:
    exact, awake, asleep = Exact(), State({"mia": Cat()}), State({"mia": Cat(awake=False)})
    CHECKED.clear()
    assert float(exact.of(leap(MIA), awake).of[True]) == pytest.approx(4 / 9)
    assert exact.runs > 20
    assert CHECKED == ["mia"]
    for _ in range(2):
        with pytest.raises(Refused, match="asleep"):
            exact.of(leap(MIA), asleep)
    assert exact.of(leap(MIA), awake).of[True] == exact.of(leap(MIA), State({"mia": Cat()})).of[True]
