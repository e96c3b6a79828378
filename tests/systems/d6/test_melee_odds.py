"""The kernels of blows against play of the same rules, and against a count by hand."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any, Final

import pytest

from referee.core import Scene, State, Who
from referee.core.rules import Call
from referee.drivers.exact import Exact
from referee.drivers.policies import Policy, always
from referee.kits.dice_codes import Code
from referee.registry import load
from referee.systems.d6.combat.blows import BlowSituation, MeleeBlow, weapon_blow
from referee.systems.d6.combat.brawling import brawl_blow
from referee.systems.d6.combat.charges import ram_outcome
from referee.systems.d6.combat.melee import blow_outcome, exchange, melee_attack
from referee.systems.d6.damage import harm_done
from referee.systems.d6.sheet import Hero

SYSTEM: Final = load("d6")
ANA: Final = Who("ana", Hero)
BO: Final = Who("bo", Hero)
WILD: Final = {"d6.core.wild-die": True, "d6.core.wild-1": "complication", "d6.core.wild-6": "good fortune"}


def table(options: dict[str, Any], in_fight: bool = False, points: int = 0) -> State:
    sword = {"name": "Sword", "held": True, "difficulty": 6}
    sheet = {"attributes": {"Agility": "2D", "Strength": "1D"}, "equipment": [sword], "character_points": points}
    scene: dict[str, Any] = {"ana": sheet, "bo": {**sheet, "player": False}}
    if in_fight:
        scene["fight"] = {
            "kind": "IndividualCombat",
            "sides": [["ana"], ["bo"]],
            "phase": "resolve actions",
            "scores": {"ana": 2, "bo": 1},
            "declared": {"ana": 1, "bo": 1},
            "left": {"ana": 1, "bo": 1},
        }
    return SYSTEM.state({**scene, "book": {"kind": "Book", "system": "d6", "options": options}})


def agree(call: Call[Any], state: State, policy: Policy) -> None:
    """Results and everything that has changed, as fractions, by the kernels and by play."""

    def end(result: Any, scene: Scene) -> Any:
        return result, scene[ANA], scene[BO], scene.read("fight"), scene.read("effects")

    fast, played = Exact(policy).of(call, state), Exact(policy, kernels=False).of(call, state)
    assert fast.by_end(end) == played.by_end(end)


@pytest.mark.parametrize("in_fight", [False, True])
@pytest.mark.parametrize("reaction", [None, "combat-parry", "full-parry"])
def test_a_blow_has_the_same_odds_by_its_kernel_and_by_play(reaction: str | None, in_fight: bool) -> None:
    state = table({}, in_fight)
    blow = weapon_blow(Scene(state), ANA, "Sword")
    agree(exchange(ANA, BO, blow, BlowSituation()), state, always(reaction=reaction))


@pytest.mark.parametrize("reaction", [None, "combat-parry"])
def test_so_has_what_it_does(reaction: str | None) -> None:
    state = table({})
    blow = brawl_blow(Scene(state), ANA, "Hit")
    agree(blow_outcome(ANA, BO, blow, BlowSituation()), state, always(reaction=reaction))


@pytest.mark.parametrize("reaction", [None, "combat-parry"])
def test_so_has_a_charge_with_what_both_suffer(reaction: str | None) -> None:
    state, blow = table({}), MeleeBlow("Running", 3, 1)
    call = ram_outcome(ANA, BO, blow, Code(1), Code(0, 1), BlowSituation())
    agree(call, state, always(reaction=reaction))


@pytest.mark.slow
def test_and_with_a_wild_die() -> None:
    state = table(WILD)
    blow = weapon_blow(Scene(state), ANA, "Sword")
    agree(exchange(ANA, BO, blow, BlowSituation()), state, always(reaction="combat-parry"))


@pytest.mark.parametrize("options", [{}, WILD])
def test_harm_has_the_same_odds_by_its_kernel_and_by_play(options: dict[str, Any]) -> None:
    agree(harm_done(BO, Code(1), by=ANA, own=Code(1)), table(options), always())


@pytest.mark.slow
def test_points_that_both_spend_on_damage_are_counted() -> None:
    state, policy = table({}, points=1), always(**{"character-point": True})
    call = harm_done(BO, Code(1), by=ANA, own=Code(1))
    fast, played = Exact(policy).of(call, state), Exact(policy, kernels=False).of(call, state)
    assert fast.of.keys() == played.of.keys()
    assert all(abs(fast.of[each] - played.of[each]) < Fraction(1, 10**8) for each in fast.of)


def test_a_parried_attack_is_two_throws() -> None:
    """2D against 2D: a tie hits; below the parry but 6 or more, weapons clash up to a margin of 5."""
    odds = Exact(always(reaction="combat-parry")).results(melee_attack(ANA, BO, "Sword"), table({}))
    rolls = [(a + b, c + d) for a, b, c, d in product(range(1, 7), repeat=4)]
    counted = {
        "hit": sum(attack >= parry for attack, parry in rolls),
        "miss": sum(attack < parry and attack < 6 for attack, parry in rolls),
        "chock": sum(6 <= attack < parry <= attack + 5 for attack, parry in rolls),
        "parried": sum(attack >= 6 and attack + 5 < parry for attack, parry in rolls),
    }
    for outcome, ways in counted.items():
        found = sum((chance for result, chance in odds.of.items() if result.outcome == outcome), Fraction(0))
        assert found == Fraction(ways, 6**4)


def test_odds_of_a_blow_have_few_results() -> None:
    odds = Exact(always(reaction="combat-parry")).results(melee_attack(ANA, BO, "Sword"), table({}))
    assert len(odds.of) < 100
