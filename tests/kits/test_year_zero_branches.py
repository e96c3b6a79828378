"""Pushed pools as branches: equal to play for every mix of kinds; plans, open-ended dice, dice that a push adds."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from random import Random
from typing import Any, Final

import pytest
from tests.hard_scenes import year_zero as scene_of
from tests.hard_scenes.year_zero import ANA, BO, KINDS, Blow, Dice, Fighter, Thrown, Weapon

from referee.core import BadInput, Die, Prompt, Scene, State, SymbolCounts, Who, action_of, formula, frozen, roll, rule
from referee.core.branches import Branch, BranchEnd
from referee.core.knowledge import fully_known
from referee.core.questions import Request
from referee.core.rules import Call, Decide, kernel
from referee.core.visibility import Seat
from referee.drivers.exact import Exact
from referee.drivers.policies import Policy, always, by_default
from referee.drivers.sampled import Sampled
from referee.forecast.figures import Budget
from referee.forecast.risk import odds_of
from referee.forecast.risk_card import RiskCard
from referee.kits import year_zero
from referee.kits.year_zero import ONE, SIX, Kind, Kinds, kind
from referee.testing.conformance import agree

GAME_MASTER: Final = Seat("", master=True)


def if_failed(question: Any, scene: Scene) -> Any:
    return True if question.name == "push" and not year_zero.successes(question.about, KINDS) else None


def if_no_bane(question: Any, scene: Scene) -> Any:
    return True if question.name == "push" and not question.about.count(ONE) else None


EVERYTHING_SEEN: Final = Seat("", master=True)
POLICIES: Final[dict[str, Policy]] = {
    "never": by_default,
    "always": always(push=True),
    "if failed": if_failed,
    "if no bane": if_no_bane,
}


def as_played(call: Call[Any], state: State, policy: Policy) -> tuple[dict[Any, Fraction], Fraction]:
    odds = Exact(policy, remember=False, kernels=False).of(call, state)
    return odds.by_end(lambda result, scene: (result, scene.state)), odds.lost


def by_kernel(call: Call[Any], state: State, policy: Policy) -> tuple[dict[Any, Fraction], Fraction]:
    odds = Exact(policy).of(call, state)
    return odds.by_end(lambda result, scene: (result, scene.state)), odds.lost


# --- every mix of kinds -----------------------------------------------------------------------------------------------

MIXES: Final = [
    Dice(base, skill, gear, ammo, artifact)
    for base, skill, gear, ammo, artifact in product(range(5), range(-3, 4), range(4), range(3), (0, 8, 10, 12))
    if base + abs(skill) + gear + ammo + bool(artifact) <= 4
]


EDGES: Final = [Dice(), Dice(2, 1, 1), Dice(1, -3), Dice(0, -2), Dice(0, 0, 0, 2), Dice(1, 0, 0, 0, 12)]


@pytest.mark.sweep(120)
@pytest.mark.parametrize("dice", MIXES, ids=str)
def test_a_pool_comes_to_the_same_with_and_without_its_kernel(dice: Dice) -> None:
    """Not pushed, pushed once and pushed twice, by a way that differs from pool to pool."""
    policy = list(POLICIES.values())[MIXES.index(dice) % len(POLICIES)]
    for pushes in (0, 1, 2) if dice.pool.size < 4 else (1,):
        state = scene_of.table(Fighter(pushes=pushes))
        call = scene_of.throw(ANA, dice)
        assert by_kernel(call, state, policy) == as_played(call, state, policy)


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize(
    ("dice", "pushes"), [(dice, n) for dice in EDGES for n in range(4) if n < 2 or dice.pool.size < 4], ids=str
)
def test_in_every_way_and_with_every_number_of_pushes(dice: Dice, pushes: int, policy: str) -> None:
    state, call = scene_of.table(Fighter(pushes=pushes)), scene_of.throw(ANA, dice)
    assert by_kernel(call, state, POLICIES[policy]) == as_played(call, state, POLICIES[policy])


def test_no_dice_come_to_nothing_and_nobody_is_asked() -> None:
    odds = Exact(always(push=True)).of(scene_of.throw(ANA, Dice()), scene_of.table())
    assert odds.of == {Thrown(0): Fraction(1)}


def test_negative_dice_that_outnumber_the_others_never_lower_successes_below_none() -> None:
    odds = Exact().of(scene_of.throw(ANA, Dice(1, -2)), scene_of.table())
    assert odds.by(lambda thrown: thrown.successes) == {0: 1 - Fraction(25, 216), 1: Fraction(25, 216)}


@pytest.mark.parametrize("base", range(5))
@pytest.mark.parametrize("skill", range(4))
def test_pushed_chances_are_those_of_the_book(base: int, skill: int) -> None:
    """A base die shows no six after a push in 13 of 18 ways, a skill die in 25 of 36."""
    odds = Exact(always(push=True)).of(scene_of.throw(ANA, Dice(base, skill)), scene_of.table())
    none = Fraction(13, 18) ** base * Fraction(25, 36) ** skill
    assert odds.chance(lambda thrown: thrown.successes > 0) == 1 - none


def test_banes_are_told_by_kind_and_count_only_after_a_push() -> None:
    call, state = scene_of.throw(ANA, Dice(2, 1, 1, 1)), scene_of.table()
    pushed = Exact(always(push=True)).of(call, state)
    nothing_left = Fraction(1, 3) ** 3 * Fraction(1, 6)  # no other die is thrown again: then there is no push
    assert pushed.chance(lambda thrown: thrown.base_banes == 2) == Fraction(10, 36) ** 2 - Fraction(1, 1944)
    assert pushed.chance(lambda thrown: thrown.gear_banes == 1) == Fraction(10, 36) - nothing_left / 6
    assert pushed.chance(lambda thrown: thrown.ammo_banes == 1) == Fraction(10, 36) - nothing_left / 6
    stood = Exact().of(call, state)
    assert stood.chance(lambda thrown: thrown.base_banes + thrown.gear_banes + thrown.ammo_banes > 0) == 0
    assert stood.chance(lambda thrown: thrown.ammo_successes == 1) == Fraction(1, 6)


def test_the_policy_is_asked_in_the_scene_about_the_dice_as_they_lie() -> None:
    asked: set[tuple[int, SymbolCounts]] = set()

    def policy(question: Any, scene: Scene) -> Any:
        asked.add((scene[ANA].stress, question.about))
        return True

    Exact(policy).of(scene_of.throw(ANA, Dice(1)), scene_of.table(Fighter(stress=7, pushes=3)))
    assert {stress for stress, _ in asked} == {7}
    assert [seen.to_plain()["base"] for _, seen in asked] == [{"blank": 1}]


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("dice", [Dice(3, 2, 1), Dice(2, -2, 1, 1), Dice(2, 1, 1, 1, 8), Dice(4, 2, 1)], ids=str)
def test_branches_and_ends_of_a_pool_are_the_same(dice: Dice, policy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    call, state = scene_of.throw(ANA, dice), scene_of.table()
    by_branches = by_kernel(call, state, POLICIES[policy])
    monkeypatch.setattr(year_zero, "MOST_FALLS", 0)
    assert by_kernel(call, state, POLICIES[policy]) == by_branches


@pytest.mark.slow
def test_a_large_pool_has_ends_by_policy() -> None:
    """Five base, three skill, two gear and two ammo dice, always pushed."""
    call, state = scene_of.throw(ANA, Dice(5, 3, 2, 2)), scene_of.table()
    odds = Exact(always(push=True)).of(call, state)
    assert odds.chance(lambda thrown: thrown.successes > 0) == 1 - Fraction(13, 18) ** 7 * Fraction(25, 36) ** 3
    assert odds.lost == 0


def test_a_plan_for_a_large_pool_is_played_or_too_large_but_never_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    fast = card(Fighter(2, 1), Fighter(1, 0))
    monkeypatch.setattr(year_zero, "MOST_FALLS", 0)
    slow = card(Fighter(2, 1), Fighter(1, 0))
    assert (fast.now, fast.decisions) == (slow.now, slow.decisions)
    assert fast.best is not None
    assert slow.best is not None
    assert fast.best.forecast == slow.best.forecast


# --- open-ended dice, and dice that a push adds -----------------------------------------------------------------------

THROW: Final = Prompt("throw")
PUSH: Final = Prompt("push")
HOT: Final = Kind(Die("hot", (ONE, "blank", "blank", "blank", "blank", SIX), again={SIX}))
"""A six is thrown again, and both count."""
COLD: Final = kind("cold", six=6, one=1, keeps=(SIX,))
SOME: Final[Kinds] = (HOT, COLD)


@frozen
class Smith:
    """Who throws hot and cold dice; pushing tires, and adds a cold one."""

    hot: int = 1
    cold: int = 1
    tired: int = 0


EVE: Final = Who("eve", Smith)


@formula("tests.branches.check")
def check_push(scene: Scene, who: Who[Smith], seen: SymbolCounts, pushes: int) -> None:
    year_zero.check_push(seen, pushes, most=1 if scene[who].hot else 2, rule="tests.branches.push")


def offer_push(scene: Scene, who: Who[Smith], seen: SymbolCounts, pushes: int) -> Request[bool | None]:
    return year_zero.offer_push(PUSH, who, seen, lambda: check_push(scene, who, seen, pushes))


@rule("tests.branches.forge")
async def forge(scene: Scene, who: Who[Smith], adding: int) -> tuple[int, int, int]:
    """Sixes, ones and pushes."""
    pool = year_zero.pool(SOME, {"hot": scene[who].hot, "cold": scene[who].cold})
    seen, pushes = await roll(THROW, who, pool, SymbolCounts), 0
    while await offer_push(scene, who, seen, pushes):
        seen = await year_zero.throw_again(PUSH, who, seen, SOME, {"cold": adding})
        pushes += 1
    return seen.count(SIX), seen.count(ONE), pushes


@kernel(forge)
def forged(scene: Scene, decide: Decide, who: Who[Smith], adding: int) -> Branch[tuple[int, int, int]] | None:
    return year_zero.push_branches(
        SOME,
        year_zero.pool(SOME, {"hot": scene[who].hot, "cold": scene[who].cold}),
        offer=lambda seen, pushes: offer_push(scene, who, seen, pushes),
        scene_after=lambda pushes: scene,
        end=lambda seen, pushes: BranchEnd((seen.count(SIX), seen.count(ONE), pushes)),
        adding={"cold": adding},
    )


def some_pushed(question: Any, scene: Scene) -> Any:
    return True if question.about.count(SIX) < 2 else None


@pytest.mark.parametrize("way", ["never", "always", "some"])
@pytest.mark.parametrize(("hot", "cold", "adding"), [(0, 2, 1), (0, 0, 2), (0, 1, 0), (1, 0, 0)])
def test_open_and_added_dice_come_to_the_same_as_played(hot: int, cold: int, adding: int, way: str) -> None:
    policy = {"some": some_pushed, **POLICIES}[way]
    state, call = State({"eve": Smith(hot, cold)}), forge(EVE, adding)
    (fast, lost), (slow, lost_in_play) = by_kernel(call, state, policy), as_played(call, state, policy)
    assert (fast, lost) == (slow, lost_in_play)
    assert bool(lost) == bool(hot)
    assert lost < Fraction(1, 10**9)


@pytest.mark.parametrize(("hot", "cold", "adding"), [(2, 0, 0), (2, 0, 1)])
def test_what_several_open_dice_leave_out_is_next_to_nothing(hot: int, cold: int, adding: int) -> None:
    odds = Exact(always(push=True)).of(forge(EVE, adding), State({"eve": Smith(hot, cold)}))
    assert 0 < odds.lost < Fraction(1, 10**9)
    assert odds.lost == 1 - sum(odds.of.values())


def test_open_dice_have_no_ends_at_once() -> None:
    with pytest.raises(BadInput, match="hot: is thrown again on some faces"):
        list(
            year_zero.push_ends(
                SOME, year_zero.pool(SOME, {"hot": 1}), ("successes",), most=1, wants=lambda seen, pushes: True
            )
        )


# --- the attack -------------------------------------------------------------------------------------------------------


def card(ana: Fighter, bo: Fighter, policy: Policy = by_default) -> RiskCard:
    offer = action_of(scene_of.attack).by(ANA, target=BO)
    return odds_of(offer, fully_known(scene_of.table(ana, bo)), GAME_MASTER, policy=policy, budget=Budget(None))


SMALL: Final = [
    (Fighter(1, 1), Fighter(1, 0, vest=1)),
    (Fighter(2, -1, Weapon(1, 1)), Fighter(2, 1, Weapon(1, parrying=True), vest=1)),
    (Fighter(1, 0, Weapon(1), pushes=2), Fighter(1, 1, Weapon(0), vest=2)),
    (Fighter(0, 0, Weapon(1)), Fighter(1, 0)),
]


@pytest.mark.parametrize(("ana", "bo"), SMALL)
@pytest.mark.parametrize("others", [by_default, always(parry=True), always(parry=True, push=True)])
def test_cards_and_plans_are_the_same_with_and_without_the_kernel(
    ana: Fighter, bo: Fighter, others: Policy, monkeypatch: pytest.MonkeyPatch
) -> None:
    fast = card(ana, bo, others)
    monkeypatch.setattr(scene_of.throw, "kernel", None)
    slow = card(ana, bo, others)
    assert (fast.now, fast.decisions) == (slow.now, slow.decisions)
    assert (fast.best is None) == (slow.best is None)
    if fast.best is not None and slow.best is not None:
        assert fast.best.forecast == slow.best.forecast
        assert sorted(map(str, fast.best.situations)) == sorted(map(str, slow.best.situations))


def test_an_attack_agrees_with_itself_remembered_or_not() -> None:
    unbroken = scene_of.table(Fighter(1, 0), Fighter(9, 0, Weapon(0), vest=1))
    agree(scene_of.attack(ANA, BO), unbroken, always(push=True))


def test_a_blow_by_hand() -> None:
    """One base die, no gear, no parry, no vest: a hit in one of six, and two points break somebody with two."""
    found = card(Fighter(1, 0, Weapon(0)), Fighter(2, 0, Weapon(0)))
    assert found.now is not None
    assert found.now.bands == {
        "broken": Fraction(1, 6),
        "damage": Fraction(0),
        "stopped": Fraction(0),
        "miss": Fraction(5, 6),
    }
    assert found.best is not None
    assert found.best.forecast.bands["broken"] == 1 - Fraction(13, 18)


def test_the_hard_scene_is_exact() -> None:
    offer, state = scene_of.attack_scene()
    found = odds_of(
        offer,
        fully_known(state),
        GAME_MASTER,
        policy=always(parry=True, push=True),
        mine=always(push=True),
        budget=Budget(None),
        decisions=False,
    ).now
    assert found is not None
    assert found.samples == 0
    assert found.lost == 0
    assert float(found.bands["broken"]) == pytest.approx(0.2073828778, abs=1e-10)
    assert float(found.bands["miss"]) == pytest.approx(0.6170212012, abs=1e-10)


def sampled(call: Call[Blow], state: State, policy: Policy, plays: int) -> Iterator[Blow]:
    table = Sampled(Random(1), policy)
    return (table.play(call, state)[0] for _ in range(plays))


@pytest.mark.slow
@pytest.mark.parametrize("way", ["always", "if failed", "never"])
def test_sampled_attacks_agree_within_four_standard_errors(way: str) -> None:
    (offer, state), plays = scene_of.attack_scene(), 5_000

    def policy(question: Any, scene: Scene) -> Any:
        return True if question.name == "parry" else POLICIES[way](question, scene)

    exact = Exact(policy).results(offer.call, state)
    share = sum(weight for blow, weight in exact.rows if blow.damage) / exact.whole
    found = sum(blow.damage > 0 for blow in sampled(offer.call, state, policy, plays)) / plays
    assert abs(found - share) < 4 * (share * (1 - share) / plays) ** 0.5


def test_pushes_that_a_policy_never_makes_are_not_worked_out(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at = list[int]()
    real = year_zero._together

    def noting(falls: Any) -> Any:
        looked_at.append(len(falls))
        return real(falls)

    monkeypatch.setattr(year_zero, "_together", noting)
    state = State({"eve": Smith(0, 3)})
    never = Exact().of(forge(EVE, 0), state)
    assert len(looked_at) == 1
    always_pushed = Exact(always(push=True)).of(forge(EVE, 0), state)
    assert len(looked_at) > 2
    assert sum(never.of.values()) == sum(always_pushed.of.values()) == 1


def test_a_pool_that_can_be_pushed_in_too_many_ways_is_played(monkeypatch: pytest.MonkeyPatch) -> None:
    state, call = State({"eve": Smith(0, 1)}), forge(EVE, 1)
    slow = as_played(call, state, always(push=True))
    monkeypatch.setattr(year_zero, "MOST_FALLS", 25)
    exact = Exact(always(push=True))
    assert exact.of(call, state).by(lambda found: found) == Exact(always(push=True), kernels=False).of(call, state).of
    assert exact.runs > 1
    assert slow[1] == 0
