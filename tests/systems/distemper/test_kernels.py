"""The kernels of a check against play of the same rules: results and scenes, whoever checks and whatever is spent."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from referee.core import Mod, Scene, State
from referee.core.modifiers import Itemised
from referee.drivers.exact import Exact, Odds
from referee.drivers.policies import Policy, always, by_default
from referee.systems.distemper import SYSTEM
from referee.systems.distemper.checks import CHECK, check_with
from referee.systems.distemper.insight import throw_dice

POLICIES: dict[str, Policy] = {
    "nothing": by_default,
    "before": always(**{"insight-before": "extra die"}),
    "after": always(**{"insight-after": "re-roll low"}),
    "high": always(**{"insight-after": "re-roll high"}),
}


WHO: dict[str, State] = {
    "a player": SYSTEM.state({"al": {"insight": 1}}),
    "a player without Insight": SYSTEM.state({"al": {"insight": 0}}),
    "someone else": SYSTEM.state({"al": {"player": False, "insight": 0}}),
}


@pytest.mark.parametrize(("way", "who"), list(product(POLICIES, WHO)))
def test_a_throw_comes_to_the_same_by_kernel_and_by_play(way: str, who: str) -> None:
    scene = WHO[who]
    al = Scene(scene).who("al")
    for spend, hidden in product((True, False), repeat=2):
        call = throw_dice(al, CHECK, 2, Itemised(), spend, hidden)
        played = Exact(POLICIES[way], kernels=False).of(call, scene)
        assert shares(Exact(POLICIES[way]).of(call, scene)) == shares(played)


@pytest.mark.parametrize(("way", "who"), list(product(POLICIES, WHO)))
def test_a_check_comes_to_the_same_by_kernel_and_by_play(way: str, who: str) -> None:
    scene = WHO[who]
    al = Scene(scene).who("al")
    for own, cmods in (((Mod(2, "Reason"),), ()), ((), (Mod(-9, "dark"), Mod(1, "lamp")))):
        call = check_with(al, own, cmods)
        played = Exact(POLICIES[way], kernels=False).of(call, scene)
        assert shares(Exact(POLICIES[way]).of(call, scene)) == shares(played)


def test_a_check_that_nothing_is_spent_on_is_not_played() -> None:
    scene = SYSTEM.state({"al": {"insight": 2}})
    exact = Exact()
    exact.of(check_with(Scene(scene).who("al"), (Mod(1, "Reason"),)), scene)
    assert exact.runs == 0


def shares(odds: Odds[Any]) -> dict[tuple[Any, State], Fraction]:
    return odds.by_end(lambda result, scene: (result, scene.state))
