"""The kernels of an attack and of the reactions to it against play of the same rules, and against a count by hand."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any, Final

import pytest

from referee.core import Scene, State, Who
from referee.core.effects import Effect, Effects, Lasting
from referee.core.rules import Call
from referee.drivers.exact import Exact
from referee.drivers.policies import Policy, always
from referee.registry import load
from referee.systems.d6.combat.reactions import (
    ReactionWay,
    attack_margin,
    combat_reaction,
    defend,
    fully_defended,
)
from referee.systems.d6.combat.round import FIGHT, AttackKind
from referee.systems.d6.sheet import Hero

SYSTEM: Final = load("d6")
ANA: Final = Who("ana", Hero)
BO: Final = Who("bo", Hero)
DODGE: Final = ReactionWay("combat-dodge", "Agility")
FULL: Final = ReactionWay("full-dodge", "Agility", full=True)
WILD: Final = {"d6.core.wild-die": True, "d6.core.wild-1": "complication", "d6.core.wild-6": "good fortune"}


def table(
    declared: dict[str, int] | None = None, options: dict[str, Any] | None = None, points: int = 0, **fight: Any
) -> State:
    """Ana before Bo, both with an attribute of two dice; without declarations there is no fight."""
    worn = {"name": "Blaster", "category": "pistol", "damage": "3D", "condition": "Lightly damaged", "held": True}
    sheet = {
        "attributes": {"Agility": "2D", "Coordination": "2D+1"},
        "character_points": points,
        "equipment": [worn],
    }
    scene: dict[str, Any] = {"ana": sheet, "bo": {**sheet, "player": False}}
    if declared is not None:
        scene["fight"] = {
            "kind": "IndividualCombat",
            "sides": [["ana"], ["bo"]],
            "phase": "resolve actions",
            "scores": {"ana": 2, "bo": 1},
            "declared": declared,
            "left": declared,
            **fight,
        }
    return SYSTEM.state({**scene, "book": {"kind": "Book", "system": "d6", "options": options or {}}})


def agree(call: Call[Any], state: State, policy: Policy) -> None:
    """Results and everything that has changed, as fractions, by the kernels and by play."""

    def end(result: Any, scene: Scene) -> Any:
        return result, scene[ANA], scene[BO], scene.read("fight"), scene.read("effects")

    fast, played = Exact(policy).of(call, state), Exact(policy, kernels=False).of(call, state)
    assert fast.by_end(end) == played.by_end(end)


SCENES: Final = {
    "no fight": table(),
    "an action left": table({"ana": 1, "bo": 1}),
    "nothing declared": table({"ana": 1, "bo": 0}),
    "several declared": table({"ana": 1, "bo": 2}, options=WILD),
    "reacted fully": table(
        {"ana": 1, "bo": 1}, full=[{"who": "bo", "kind": "ranged", "total": 7, "key": "full-dodge"}]
    ),
    "reacted fully to blows": table({"ana": 1, "bo": 1}, full=[{"who": "bo", "kind": "melee", "total": 7}]),
    "surprised": table({"ana": 1}, surprised=["bo"]),
}


@pytest.mark.parametrize("reaction", [None, "combat-dodge", "combat-dodge-added", "full-dodge"])
@pytest.mark.parametrize("scene", SCENES)
def test_an_attack_has_the_same_odds_by_its_kernel_and_by_play(scene: str, reaction: str | None) -> None:
    policy = always(reaction=reaction)
    call = attack_margin(ANA, "Coordination", BO, AttackKind.RANGED, 8, (DODGE, FULL), anyway=1)
    agree(call, SCENES[scene], policy)
    agree(defend(BO, AttackKind.RANGED, 8, (DODGE, FULL)), SCENES[scene], policy)


@pytest.mark.parametrize("added", [False, True])
@pytest.mark.parametrize("kind", AttackKind)
def test_a_reaction_alone_does_too(kind: AttackKind, added: bool) -> None:
    for declared in ({"ana": 1, "bo": 2}, {"ana": 1, "bo": 0}):
        state = table(declared, options=WILD)
        agree(combat_reaction(BO, kind, DODGE, added), state, always())
        agree(fully_defended(BO, kind, 10, FULL), state, always())


def test_points_that_both_spend_are_counted() -> None:
    state = table({"ana": 1, "bo": 1}, points=1)
    call = attack_margin(ANA, "Coordination", BO, AttackKind.RANGED, 8, (DODGE,))
    policy = always(reaction="combat-dodge", **{"character-point": True})
    fast, played = Exact(policy).of(call, state), Exact(policy, kernels=False).of(call, state)

    def hits(result: Any, scene: Scene) -> Any:
        return result.margin >= 0, scene[ANA].character_points, scene[BO].character_points

    one, other = fast.by_end(hits), played.by_end(hits)
    assert one.keys() == other.keys()
    assert all(abs(one[key] - other[key]) < Fraction(1, 10**8) for key in one)


def test_an_attack_against_a_dodge_is_two_throws() -> None:
    """2D+1 against 2D, by counting: a tie hits."""
    state = table({"ana": 1, "bo": 1})
    call = attack_margin(ANA, "Coordination", BO, AttackKind.RANGED, 8, (DODGE,))
    odds = Exact(always(reaction="combat-dodge")).of(call, state)
    hit = sum(a + b + 1 >= c + d for a, b, c, d in product(range(1, 7), repeat=4))
    assert sum(chance for result, chance in odds.of.items() if result.margin >= 0) == Fraction(hit, 6**4)


def test_an_attack_with_its_reaction_has_few_results() -> None:
    """Odds go on once for each margin, not for each pair of totals."""
    state = table({"ana": 1, "bo": 1})
    call = attack_margin(ANA, "Coordination", BO, AttackKind.RANGED, 8, (DODGE,))
    assert len(Exact(always(reaction="combat-dodge")).of(call, state).of) == 21
    assert FIGHT in Scene(state)


FREE: Final = ReactionWay("missiles-parry", "Agility", free=True, parries=True)
FRAGILE: Final = ReactionWay("combat-parry", "Agility", fragile="Blaster")


@pytest.mark.parametrize("way", [FREE, FRAGILE], ids=["free", "with what may break"])
@pytest.mark.parametrize("kind", AttackKind)
def test_a_reaction_that_costs_no_action_or_may_break_a_weapon_does_too(kind: AttackKind, way: ReactionWay) -> None:
    for declared in (None, {"ana": 1, "bo": 2}):
        handy = Lasting(1, "bo", Effect.from_plain({"adds": 1, "when": ["melee"]}), "handy", "d6.core.roll")
        state = table(declared).but("effects", Effects((handy,)))
        agree(combat_reaction(BO, kind, way), state, always())
