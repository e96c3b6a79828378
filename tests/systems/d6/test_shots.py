"""The kernels of a shot against play of the same rules, and against a count by hand; what its odds cost."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any, Final

import pytest

from referee.core import Scene, State, Who
from referee.core.rules import Call
from referee.drivers.exact import Exact
from referee.drivers.policies import Policy, always, by_default
from referee.registry import load
from referee.systems.d6.combat.ranged import SHOT, Aim, shoot, shot_harm, shot_of, shot_outcome, strike
from referee.systems.d6.sheet import Hero

SYSTEM: Final = load("d6")
ANA: Final = Who("ana", Hero)
BO: Final = Who("bo", Hero)
WILD: Final = {"d6.core.wild-die": True, "d6.core.wild-1": "complication", "d6.core.wild-6": "good fortune"}
RE_ROLLED: Final = {"d6.core.wild-die": True, "d6.core.wild-1": "complication"}
GUN: Final = {"name": "gun", "damage": "2D", "range": [40], "skill": "Firearms", "held": True}


def table(
    options: dict[str, Any] | None = None,
    fight: bool = False,
    points: int = 0,
    gun: dict[str, Any] | None = None,
    dice: str = "2D",
) -> State:
    """Ana has a gun, Bo can dodge."""
    scene: dict[str, Any] = {
        "ana": {"skills": {"Firearms": dice}, "equipment": [gun or GUN], "character_points": points},
        "bo": {"attributes": {"Strength": "1D+1"}, "skills": {"Dodge": dice}, "character_points": points},
    }
    if fight:
        actions = {"ana": 1, "bo": 1}
        scene["fight"] = {
            "kind": "IndividualCombat",
            "sides": [["ana"], ["bo"]],
            "phase": "resolve actions",
            "scores": {"ana": 2, "bo": 1},
            "declared": actions,
            "left": actions,
        }
    return SYSTEM.state({**scene, "book": {"kind": "Book", "system": "d6", "options": options or {}}})


def agree(call: Call[Any], state: State, policy: Policy) -> None:
    def end(result: Any, scene: Scene) -> Any:
        return result, scene[ANA], scene[BO], scene.read("fight"), scene.read("effects")

    fast, played = Exact(policy).of(call, state), Exact(policy, kernels=False).of(call, state)
    assert fast.by_end(end) == played.by_end(end)


def a_shot(state: State, **aim: Any) -> Any:
    return shot_of(Scene(state), ANA, BO, "gun", Aim(**{"distance": 5.0, **aim}))


@pytest.mark.parametrize("reaction", [None, "combat-dodge", "full-dodge"])
@pytest.mark.parametrize("fight", [False, True])
@pytest.mark.parametrize("options", [{}, WILD], ids=["plain", "wild"])
def test_a_shot_has_the_same_odds_by_its_kernel_and_by_play(
    options: dict[str, Any], fight: bool, reaction: str | None
) -> None:
    state = table(options, fight)
    agree(shot_outcome(ANA, BO, a_shot(state)), state, always(reaction=reaction))


def test_so_has_one_in_which_points_are_spent() -> None:
    state = table(points=1, dice="1D", gun={**GUN, "damage": "1D"})
    fast, played = (
        Exact(always(**{"character-point": True}), kernels=on).of(shot_outcome(ANA, BO, a_shot(state)), state)
        for on in (True, False)
    )
    none, ends = Fraction(0), fast.of.keys() | played.of.keys()
    apart = sum((abs(fast.of.get(each, none) - played.of.get(each, none)) for each in ends), none)
    assert apart < Fraction(1, 10**6)  # open-ended dice are cut off at different places


def test_the_damage_of_a_shot_has_the_same_odds_by_its_kernel_and_by_play() -> None:
    for options in ({}, WILD):
        state = table(options)
        agree(shot_harm(ANA, BO, a_shot(state)), state, by_default)
        agree(strike(ANA, BO, a_shot(state)), state, by_default)


def test_a_shot_through_an_obstacle_is_played() -> None:
    state = table(gun={**GUN, "damage": "1D"})
    shot = a_shot(state, cover=50, obstacle="Window", shoot_through=True)
    agree(strike(ANA, BO, shot), state, by_default)


def test_a_gun_that_may_malfunction_is_played() -> None:
    state = table(gun={**GUN, "condition": "Lightly damaged"})
    agree(shot_outcome(ANA, BO, a_shot(state)), state, by_default)


def test_the_odds_of_a_dodged_shot_are_those_of_a_count() -> None:
    """Two dice against two: on a tie the shot hits. Then two dice of damage against one and a pip."""
    hits = Fraction(sum(a + b >= c + d for a, b, c, d in product(range(1, 7), repeat=4)), 6**4)
    wounds = Fraction(sum(6 <= a + b - c - 1 <= 10 for a, b, c in product(range(1, 7), repeat=3)), 6**3)
    found = Exact(always(reaction="combat-dodge")).results(shoot(ANA, BO, "gun", Aim(5.0)), table())
    bands: dict[str, Fraction] = {}
    for result, share in found.of.items():
        bands[SHOT.of(result)] = bands.get(SHOT.of(result), Fraction(0)) + share
    assert bands["miss"] == 1 - hits
    assert bands["wounded"] == hits * wounds
    assert sum(bands.values()) == 1


@pytest.mark.parametrize("reaction", [None, "combat-dodge"])
def test_a_card_of_a_shot_plays_a_few_runs_only(reaction: str | None) -> None:
    """To play it in every way would take a minute."""
    state = table(RE_ROLLED, dice="5D", gun={**GUN, "damage": "4D"})
    exact = Exact(always(reaction=reaction))
    found = exact.results(shoot(ANA, BO, "gun", Aim(12.0)), state)
    assert exact.runs < 100
    assert 1 - sum(found.of.values()) < Fraction(1, 10**8)
