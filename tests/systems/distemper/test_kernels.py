"""The kernels of a check against play of the same rules: results and scenes, whoever checks and whatever is spent."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from referee.core import Call, Effect, Mod, Refused, Scene, State
from referee.core.effects import add_effect
from referee.core.modifiers import Itemised
from referee.drivers.call_odds import Odds
from referee.drivers.exact import Exact
from referee.drivers.policies import Policy, always, by_default, by_person
from referee.systems.distemper import SYSTEM
from referee.systems.distemper.checks import (
    CHECK,
    check_with,
    dice_check,
    initiative_check,
    initiative_checks,
    roll_initiatives,
)
from referee.systems.distemper.insight import Dice, throw_dice
from referee.systems.distemper.opposed import Opponents, Side, check_at_once, oppose, opposed_check, who_leads

POLICIES: dict[str, Policy] = {
    "nothing": by_default,
    "before": always(**{"insight-before": "extra die"}),
    "after": always(**{"insight-after": "re-roll low"}),
    "high": always(**{"insight-after": "re-roll high"}),
    "both": always(**{"insight-after": "re-roll both"}),
    "bonus before": always(**{"insight-before": "bonus"}),
    "bonus after": always(**{"insight-after": "bonus"}),
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


@pytest.mark.parametrize(("way", "who"), list(product(POLICIES, WHO)))
def test_a_check_of_an_ability_comes_to_the_same_by_kernel_and_by_play(way: str, who: str) -> None:
    for using, secret in (("Reason", 0), ("Athletics", -2)):
        both(POLICIES[way], dice_check(Scene(WHO[who]).who("al"), using, (Mod(1, "lamp"),), secret=secret), WHO[who])


def test_a_check_that_nothing_is_spent_on_is_not_played() -> None:
    scene = SYSTEM.state({"al": {"insight": 2}})
    exact = Exact()
    exact.of(check_with(Scene(scene).who("al"), (Mod(1, "Reason"),)), scene)
    assert exact.runs == 0


def shares(odds: Odds[Any]) -> dict[tuple[Any, State], Fraction]:
    return odds.by_end(lambda result, scene: (result, scene.state))


TWO: dict[str, dict[str, Any]] = {
    "players": {"al": {"insight": 1, "attributes": {"Reason": 3}}, "bo": {"insight": 0}},
    "a player and someone else": {"al": {"insight": 1}, "bo": {"player": False, "insight": 0}},
}


@pytest.mark.parametrize(("way", "who"), list(product(POLICIES, WHO)))
def test_an_initiative_check_comes_to_the_same_by_kernel_and_by_play(way: str, who: str) -> None:
    both(POLICIES[way], initiative_check(Scene(WHO[who]).who("al")), WHO[who])


def test_an_effect_that_is_used_up_is_left_to_play() -> None:
    scene, quiet = SYSTEM.state({"al": {}}), Effect.from_plain({"adds": 1, "when": ["initiative"], "uses": 1})
    al = Scene(scene).who("al")
    laid = Exact().of(add_effect(al, quiet, "a quiet round", "distemper.combat.initiative-order"), scene).ends[0][1]
    both(by_default, initiative_check(al), laid)
    score = Exact().of(initiative_check(al), laid).mean(int)
    assert score == Exact().of(initiative_check(al), scene).mean(int) + 1


INITIATIVES: dict[str, Policy] = {
    "nothing": by_default,
    "before": always(**{"initiative-before": "extra die"}),
    "after": always(**{"initiative-after": "bonus"}),
}


@pytest.mark.parametrize(("way", "who"), list(product(INITIATIVES, TWO)))
def test_a_round_of_initiative_comes_to_the_same_by_kernel_and_by_play(way: str, who: str) -> None:
    scene = SYSTEM.state(TWO[who])
    al, bo = Scene(scene).who("al"), Scene(scene).who("bo")
    bought = (Dice((), bonus=(Mod(2, "Insight"),)), Dice((), 1))
    for call in (roll_initiatives((al, bo), bought), initiative_checks((al, bo))):
        played = Exact(INITIATIVES[way], kernels=False).of(call, scene)
        assert shares(Exact(INITIATIVES[way]).of(call, scene)) == shares(played)


def test_a_round_of_initiative_in_which_nothing_is_spent_is_not_played() -> None:
    scene = SYSTEM.state({name: {"insight": 2} for name in ("al", "bo", "cy")})
    exact = Exact()
    everyone = tuple(Scene(scene).who(name) for name in ("al", "bo", "cy"))
    odds = exact.of(roll_initiatives(everyone, (Dice(()),) * 3), scene)
    assert exact.runs == 0
    assert len(odds.ends) == 11**3


@pytest.mark.parametrize(("way", "who"), list(product(POLICIES, TWO)))
def test_two_throws_at_once_come_to_the_same_by_kernel_and_by_play(way: str, who: str) -> None:
    scene = SYSTEM.state(TWO[who])
    al, bo = Scene(scene).who("al"), Scene(scene).who("bo")
    policy = answering_for("al", POLICIES[way])
    both(policy, who_leads(al, bo), scene)
    both(policy, check_at_once(Opponents(Side(al, "Reason", ()), Side(bo, "Athletics", (Mod(-1, "mud"),)))), scene)


@pytest.mark.parametrize("who", TWO)
def test_an_opposed_check_comes_to_the_same_by_kernel_and_by_play(who: str) -> None:
    scene = SYSTEM.state(TWO[who])
    al, bo = Scene(scene).who("al"), Scene(scene).who("bo")
    both(by_default, oppose(Opponents(Side(al, "Reason", (Mod(1, "lamp"),)), Side(bo, "Athletics", ()))), scene)


@pytest.mark.parametrize("who", TWO)
def test_an_opposed_check_that_starts_over_comes_to_the_same_by_kernel_and_by_play(
    who: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene = SYSTEM.state(TWO[who])
    al, bo = Scene(scene).who("al"), Scene(scene).who("bo")
    call = opposed_check(al, bo, "Reason", "Athletics")
    fast = Exact().of(call, scene)
    monkeypatch.setattr(opposed_check, "kernel", None)
    played = Exact().of(call, scene)
    assert 0 < fast.lost == played.lost < Fraction(1, 10**12)
    assert shares(fast) == shares(played)


def test_an_opposed_check_with_the_dead_is_refused_as_in_play() -> None:
    scene = SYSTEM.state({"al": {}, "bo": {"dead": True}})
    al, bo = Scene(scene).who("al"), Scene(scene).who("bo")
    for exact in (Exact(), Exact(kernels=False)):
        with pytest.raises(Refused, match="dead"):
            exact.of(opposed_check(al, bo, "Reason", "Athletics"), scene)


def test_an_opposed_check_is_not_played_attempt_by_attempt() -> None:
    scene = SYSTEM.state(TWO["players"])
    exact = Exact()
    exact.of(opposed_check(Scene(scene).who("al"), Scene(scene).who("bo"), "Reason", "Athletics"), scene)
    assert exact.runs == 0


def answering_for(name: str, policy: Policy) -> Policy:
    """The policy of one; everyone else spends nothing."""
    return by_person({name: policy}, by_default)


def both(policy: Policy, call: Call[Any], scene: State) -> None:
    """By kernel and by play it is the same."""
    assert shares(Exact(policy).of(call, scene)) == shares(Exact(policy, kernels=False).of(call, scene))
