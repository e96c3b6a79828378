"""The odds of a roll are the roll itself: fractions, beside the played rule and by hand."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from referee import registry
from referee.core import Mod, State, Who
from referee.drivers.exact import Exact
from referee.drivers.policies import Policy, always, by_default
from referee.kits import year_zero
from referee.systems.yearzero.dice import ANSWERING, DicePool, PoolThrow, _branches, kinds, throw_and_push
from referee.systems.yearzero.melee import slash
from referee.systems.yearzero.rolls import Attempt, roll_dice
from referee.systems.yearzero.sheet import Survivor

YEARZERO = registry.load("yearzero")
ANA = Who("ana", Survivor)


def scene_of(**sheet: Any) -> State:
    return YEARZERO.new_state({"ana": sheet})


def if_failed(question: Any, scene: Any) -> Any:
    """Push whatever has no success; everything else as it is if nobody answers."""
    if question.name != "push":
        return question.default
    return True if not year_zero.successes(question.about, kinds(scene)) else None


POLICIES: dict[str, Policy] = {"never": by_default, "always": always(push=True), "if failed": if_failed}
POOLS = (
    DicePool(2),
    DicePool(1, 1, 1),
    DicePool(2, -2),
    DicePool(2, 0, 0, 1),
    DicePool(1, 1, 0, 0, ("D8",)),
    DicePool(1, -1, 1, 0, ("D12",)),
)


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("dice", POOLS, ids=str)
def test_the_kernel_is_the_rule(dice: DicePool, policy: str) -> None:
    state = scene_of(attributes={"Strength": 3}, talents={"True Grit": 1} if dice.base == 1 else {})
    call = throw_and_push(ANA, PoolThrow(dice, "Strength"))
    fast, played = Exact(POLICIES[policy]).of(call, state), Exact(POLICIES[policy], kernels=False).of(call, state)
    assert fast.of == played.of


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize(
    ("dice", "throw"),
    [
        (DicePool(2, 1), {"surplus": False}),
        (DicePool(2, -1), {"surplus": False}),
        (DicePool(1, 2), {"surplus": False, "needed": 2}),
        (DicePool(1, -1, 0, 0, ("D8",)), {"surplus": False}),
        (DicePool(2, 1), {"no_push": ANSWERING}),
        (DicePool(0, 1, 1), {"surplus": False, "no_push": ANSWERING}),
    ],
    ids=str,
)
@pytest.mark.parametrize("talents", [{}, {"True Grit": 1}], ids=["once", "twice"])
def test_the_kernel_knows_when_a_push_is_legal(dice: DicePool, throw: Any, policy: str, talents: Any) -> None:
    state = scene_of(attributes={"Strength": 3}, talents=talents)
    call = throw_and_push(ANA, PoolThrow(dice, "Strength", **throw))
    fast, played = Exact(POLICIES[policy]).of(call, state), Exact(POLICIES[policy], kernels=False).of(call, state)
    assert fast.of == played.of


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("talents", [{}, {"Seen it all": 1}, {"True Grit": 1}], ids=str)
def test_the_kernel_of_a_roll_whose_cost_is_owed_is_the_rule(policy: str, talents: Any) -> None:
    """`throw_dice` with its kernel, and without."""
    state = scene_of(
        attributes={"Strength": 2}, skills={"Might": 1}, talents=talents, things=[{"name": "bar", "gear_bonus": 1}]
    )
    call = roll_dice(ANA, Attempt("Might", gear="bar", owed=True))
    fast, played = Exact(POLICIES[policy]).of(call, state), Exact(POLICIES[policy], kernels=False).of(call, state)
    assert fast.by_end(lambda rolled, scene: (rolled, scene[ANA])) == played.by_end(
        lambda rolled, scene: (rolled, scene[ANA])
    )


@pytest.mark.parametrize("policy", POLICIES)
def test_a_pool_too_large_for_branches_is_counted_by_policy(policy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    state = scene_of(attributes={"Strength": 3})
    for dice in (DicePool(2, 1, 1), DicePool(1, -1, 0, 2), DicePool(1, 1, 0, 0, ("D10",))):
        call = throw_and_push(ANA, PoolThrow(dice, "Strength"))
        by_branches = Exact(POLICIES[policy]).of(call, state)
        with monkeypatch.context() as patched:
            patched.setattr(year_zero, "MOST_FALLS", 0)
            _branches.cache_clear()
            by_ends = Exact(POLICIES[policy]).of(call, state)
        _branches.cache_clear()
        assert by_branches.of == by_ends.of


def chance(state: State, attempt: Attempt, policy: Policy) -> Fraction:
    return Exact(policy).results(roll_dice(ANA, attempt), state).chance(lambda rolled: rolled.success)


PRINTED = {
    1: (17, 29),
    2: (31, 50),
    3: (42, 64),
    4: (52, 74),
    5: (60, 81),
    6: (67, 87),
    7: (72, 90),
    8: (77, 93),
    9: (81, 95),
    10: (84, 96),
}
OFF = {1, 6}
"""Rows whose pushed figure fits no one kind of pool: docs/readings.md."""


@pytest.mark.parametrize("dice", PRINTED)
def test_the_printed_table_of_chances(dice: int) -> None:
    """One skill die and otherwise base dice, as the printed column of pushed rolls has it."""
    base, skill = (dice - 1, 1) if dice > 1 else (1, 0)
    state = scene_of(attributes={"Strength": base}, skills={"Endurance": skill})
    plain = chance(state, Attempt("Endurance"), by_default)
    pushed = chance(state, Attempt("Endurance"), if_failed)
    assert plain == 1 - Fraction(5, 6) ** dice
    assert pushed == 1 - Fraction(13, 18) ** base * Fraction(25, 36) ** skill
    assert round(plain * 100) == PRINTED[dice][0]
    assert (round(pushed * 100) == PRINTED[dice][1]) == (dice not in OFF)


def test_the_rows_that_are_off() -> None:
    """One die is 28 (base) or 31 (skill), printed 29; six are 86 with one skill die and 87 with two, printed 87."""
    base, skill = Fraction(13, 18), Fraction(25, 36)
    assert [round(100 * (1 - each)) for each in (base, skill)] == [28, 31]
    assert [round(100 * (1 - base ** (6 - n) * skill**n)) for n in (1, 2)] == [86, 87]


def test_aiming_and_hoping_as_printed() -> None:
    """Seven dice: 52 % aimed for at -3, 10 % hoped for with three successes."""
    state = scene_of(attributes={"Strength": 3}, skills={"Endurance": 4})
    odds = Exact().of(roll_dice(ANA, Attempt("Endurance")), state)
    assert round(100 * odds.chance(lambda rolled: rolled.successes >= 3)) == 10
    assert round(100 * (1 - Fraction(5, 6) ** 4)) == 52


BLOWS: dict[str, Policy] = {
    "as it falls": by_default,
    "pushed": always(push=True),
    "parried and pushed": always(reaction="Knife", push=True),
    "dodged": always(reaction="Standing Dodge"),
}


@pytest.mark.parametrize("policy", BLOWS)
def test_an_attack_comes_to_what_it_comes_to_played(policy: str) -> None:
    vest = {"name": "vest", "place": "worn", "armor": 1, "areas": ["Torso"]}
    state = YEARZERO.new_state(
        {
            "ana": {"attributes": {"Strength": 1}, "things": [{"name": "Battleaxe", "gear_bonus": 1, "place": "held"}]},
            "bo": {"attributes": {"Strength": 1, "Agility": 1}, "things": [{"name": "Knife", "place": "held"}, vest]},
        }
    )
    call = slash(ANA, Who("bo", Survivor), "Battleaxe", mods=(Mod(1, "luck"),))
    fast = Exact(BLOWS[policy]).results(call, state)
    played = Exact(BLOWS[policy], kernels=False).results(call, state)
    assert fast.of == played.of
    assert len(fast.of) > 3


def test_branches_that_are_kept_are_asked_in_the_scene_of_the_roll() -> None:
    """The same throw in two scenes: a policy that looks at the scene decides by the one it is asked in."""
    call = throw_and_push(ANA, PoolThrow(DicePool(2), "Strength"))

    def if_stressed(question: Any, scene: Any) -> Any:
        return True if question.name == "push" and scene[ANA].stress else question.default

    for stress, pushed in ((0, False), (1, True), (0, False)):
        odds = Exact(if_stressed).of(call, scene_of(attributes={"Strength": 3}, stress=stress))
        assert any(fall.pushes for fall in odds.of) is pushed
