"""The kernel of throwing and pushing against play of the same rule, and against a count that knows neither."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from fractions import Fraction
from math import comb
from typing import Any, Final, TypeAlias

import pytest

from referee.core import BadAnswer, Effect, Mod, Scene, State, Who
from referee.core.effects import EFFECTS, Effects, Lasting
from referee.core.errors import OutOfTime
from referee.core.questions import Choice, Choose
from referee.core.rules import Call
from referee.drivers.call_odds import Odds
from referee.drivers.exact import Exact
from referee.drivers.policies import Policy, always, by_default
from referee.forecast.tree import StepTree
from referee.systems.alien import SYSTEM
from referee.systems.alien.basics import SkillRoll, Thrown, skill_roll, throw_and_push
from referee.systems.alien.sheet import Colonist
from referee.testing.conformance import agree

ANA: Final = Who("ana", Colonist)
BO: Final = Who("bo", Colonist)

Ends: TypeAlias = dict[tuple[Any, State], Fraction]


def seen(question: Choice[Any]) -> Any:
    assert isinstance(question, Choose)
    return question.about


def if_failed(question: Choice[Any], scene: Scene) -> Any:
    return question.legal[0] if not seen(question).count("six") else None


def on_two_blanks(question: Choice[Any], scene: Scene) -> Any:
    """As strange as can be: exactly two stress dice, or one base die, show nothing."""
    shown = seen(question)
    return True if shown.count("blank", "stress") == 2 or shown.count("blank", "base") == 1 else None


def while_calm(question: Choice[Any], scene: Scene) -> Any:
    """Looks at the scene as it then is, at a throw pushed twice too."""
    return True if scene[ANA].stress < scene[BO].stress else None


POLICIES: Final[dict[str, Policy]] = {
    "never": by_default,
    "always": always(push=True),
    "if failed": if_failed,
    "on two blanks": on_two_blanks,
    "while calm": while_calm,
}


def laid(**plain: Any) -> Effects:
    """An effect that lies on Ana: a talent, a drug, a curse."""
    return Effects((Lasting(1, "ana", Effect.from_plain(plain), "talent", "alien.push.procedure"),))


def house(rule: str, **figures: int) -> dict[str, Any]:
    return {"kind": "Book", "system": "alien", "set": {f"alien.{rule}": figures}}


GAIN: Final = "alien.push.procedure/stress_gain"
SCENES: Final[dict[str, dict[str, Any]]] = {
    "the book": {},
    "Deflated": {"held": ["Deflated"]},
    "Jumpy": {"held": ["Jumpy", "Shakes"]},
    "a push that calms": {"effects": laid(sets=GAIN, to=-1, when=["push"])},
    "a push that costs three": {"effects": laid(sets=GAIN, to=3)},
    "no push for Ana": {"effects": laid(forbids="push")},
    "two pushes": {"book": house("push.restrictions", pushes_per_roll=2)},
    "two pushes, Jumpy": {"book": house("push.restrictions", pushes_per_roll=2), "held": ["Jumpy"]},
    "no pushes": {"book": house("push.restrictions", pushes_per_roll=0)},
    "fives succeed": {"book": house("basics.skill-roll", success_face=5)},
    "sixes trigger": {"book": house("stress.trigger", trigger_face=6)},
    "nothing triggers": {"book": house("stress.trigger", trigger_face=9)},
    "two dice a push": {"book": house("push.procedure", stress_dice_added=2, stress_gain=2)},
    "no dice a push": {"book": house("push.procedure", stress_dice_added=0)},
}


def state_of(stress: int, *, held: list[str] | None = None, effects: Effects | None = None, book: Any = None) -> State:
    sheets: dict[str, Any] = {"ana": {"stress": stress, "responses": held or []}, "bo": {"stress": 3}}
    state = SYSTEM.state({**sheets, "book": book} if book else sheets)
    return state if effects is None else state.but(EFFECTS.name, effects)


def throw(base: int) -> Call[Thrown]:
    return throw_and_push(ANA, (Mod(base),))


def shares(odds: Odds[Any]) -> Ends:
    assert len({(result, state) for result, state, _ in odds.ends}) == len(odds.ends)
    return {(result, state): Fraction(weight, odds.whole) for result, state, weight in odds.ends}


def by_kernel(call: Call[Any], state: State, policy: Policy) -> Ends:
    """Every end, and not one rule played for it."""
    exact = Exact(policy)
    found = shares(exact.of(call, state))
    assert exact.runs == 0
    return found


def as_played(call: Call[Any], state: State, policy: Policy, *, remember: bool = True) -> Ends:
    exact = Exact(policy, remember=remember, kernels=False)
    found = shares(exact.of(call, state))
    assert exact.runs > 0
    return found


# --- against play -----------------------------------------------------------------------------------------------------


@pytest.mark.sweep(10)
@pytest.mark.parametrize("way", POLICIES)
@pytest.mark.parametrize("stress", range(4))
@pytest.mark.parametrize("base", range(1, 5))
def test_the_kernel_comes_to_the_same_results_and_scenes_as_play(base: int, stress: int, way: str) -> None:
    call, state, policy = throw(base), state_of(stress), POLICIES[way]
    assert by_kernel(call, state, policy) == as_played(call, state, policy)


@pytest.mark.sweep(5)
@pytest.mark.parametrize("way", POLICIES)
@pytest.mark.parametrize("stress", range(3))
@pytest.mark.parametrize("base", range(1, 3))
def test_nor_does_it_matter_whether_play_is_remembered(base: int, stress: int, way: str) -> None:
    call, state, policy = throw(base), state_of(stress), POLICIES[way]
    assert by_kernel(call, state, policy) == as_played(call, state, policy, remember=False)


@pytest.mark.sweep(13)
@pytest.mark.parametrize("way", POLICIES)
@pytest.mark.parametrize("stress", range(3))
@pytest.mark.parametrize("circumstances", list(SCENES)[1:])
def test_whatever_holds_in_a_scene_holds_for_the_kernel(circumstances: str, stress: int, way: str) -> None:
    call, state, policy = throw(2), state_of(stress, **SCENES[circumstances]), POLICIES[way]
    assert by_kernel(call, state, policy) == as_played(call, state, policy)


def test_where_a_push_takes_dice_away_the_rule_is_played() -> None:
    state = state_of(2, book=house("push.procedure", stress_dice_added=-1))
    exact = Exact(if_failed)
    assert shares(exact.of(throw(2), state)) == as_played(throw(2), state, if_failed)
    assert exact.runs > 0


@pytest.mark.sweep(1)
@pytest.mark.parametrize("way", POLICIES)
@pytest.mark.parametrize("circumstances", ["the book", "Jumpy", "two pushes", "fives succeed"])
def test_whole_skill_rolls_come_to_the_same_under_every_driver(circumstances: str, way: str) -> None:
    state = state_of(1, **SCENES[circumstances])
    call = skill_roll(ANA, "Comtech", (Mod(-1),))
    odds = agree(call, state, POLICIES[way], samples=20)
    assert shares(odds) == as_played(call, state, POLICIES[way])


def test_pushes_nobody_wants_are_not_worked_out() -> None:
    state = state_of(0, book=house("push.restrictions", pushes_per_roll=21))
    exact = Exact(by_default)
    assert exact.of(throw(1), state).of == {Thrown(0, False, 0): Fraction(5, 6), Thrown(1, False, 0): Fraction(1, 6)}
    assert exact.runs == 0


# --- against a count --------------------------------------------------------------------------------------------------

Count: TypeAlias = dict[tuple[int, bool, int, int], Fraction]
"""Sixes, whether a stress die shows one, pushes, stress after."""


def falls(base: int, stress: int) -> dict[tuple[int, int, int], Fraction]:
    """Sixes on base dice, sixes and ones on stress dice: binomials and nothing else."""
    return {
        (b, s, ones): Fraction(
            comb(base, b) * 5 ** (base - b) * comb(stress, s) * comb(stress - s, ones) * 4 ** (stress - s - ones),
            6 ** (base + stress),
        )
        for b in range(base + 1)
        for s in range(stress + 1)
        for ones in range(stress - s + 1)
    }


def counted(base: int, stress: int, wants: Callable[[int], bool]) -> Count:
    ends: defaultdict[tuple[int, bool, int, int], Fraction] = defaultdict(Fraction)
    for (b, s, ones), chance in falls(base, stress).items():
        if ones or not wants(b + s):
            ends[b + s, ones > 0, 0, stress] += chance
            continue
        for (b2, s2, ones2), share in falls(base - b, stress - s + 1).items():
            ends[b + s + b2 + s2, ones2 > 0, 1, stress + 1] += chance * share
    return dict(ends)


WANTS: Final[dict[str, Callable[[int], bool]]] = {
    "never": lambda sixes: False,
    "always": lambda sixes: True,
    "if failed": lambda sixes: sixes == 0,
}


@pytest.mark.sweep(5)
@pytest.mark.parametrize("way", WANTS)
@pytest.mark.parametrize(("base", "stress"), [(1, 0), (3, 2), (5, 5), (10, 8), (12, 3)])
def test_large_pools_equal_a_count_by_binomials(base: int, stress: int, way: str) -> None:
    odds = Exact(POLICIES[way]).of(throw(base), state_of(stress))
    found = odds.by_end(lambda thrown, scene: (thrown.sixes, thrown.triggers, thrown.pushes, scene[ANA].stress))
    assert found == counted(base, stress, WANTS[way])


# --- within the driver ------------------------------------------------------------------------------------------------


def test_what_a_policy_looks_at_is_part_of_what_is_remembered_of_a_kernel() -> None:
    exact, calm = Exact(while_calm), state_of(1)
    nervous = calm.but("bo", Colonist(stress=0))
    assert exact.of(throw(2), calm).chance(lambda thrown: thrown.pushes == 1) == Fraction(5, 6)
    assert exact.of(throw(2), nervous).chance(lambda thrown: thrown.pushes == 1) == 0
    assert exact.of(throw(2), calm).chance(lambda thrown: thrown.pushes == 1) == Fraction(5, 6)


@pytest.mark.slow
def test_what_is_remembered_of_a_kernel_never_answers_for_another_scene() -> None:
    exact = Exact(always(push=True))
    for circumstances in (*SCENES, *SCENES):
        state = state_of(1, **SCENES[circumstances])
        fresh = as_played(throw(2), state, always(push=True))
        assert shares(exact.of(throw(2), state)) == fresh, circumstances


def test_a_policy_is_held_to_legal_answers_by_a_kernel_too() -> None:
    with pytest.raises(BadAnswer, match="the policy says 'perhaps'"):
        Exact(lambda question, scene: "perhaps").of(throw(2), state_of(0))


def asked(exact: Exact, state: State, base: int) -> list[tuple[Any, Choice[Any], int]]:
    """What whoever rolls gets to see and is asked, and at which stress."""
    found = []

    def noting(question: Choice[Any], scene: Scene) -> Any:
        found.append((seen(question), question, scene[ANA].stress))
        return True

    exact.policy = noting
    exact.of(throw(base), state)
    return found


@pytest.mark.sweep(4)
@pytest.mark.parametrize("circumstances", SCENES)
def test_the_same_throws_are_put_to_whoever_rolls_as_in_play(circumstances: str) -> None:
    state = state_of(2, **SCENES[circumstances])
    assert set(asked(Exact(), state, 2)) == set(asked(Exact(kernels=False), state, 2))


def test_only_throws_that_may_be_pushed_are_put_to_whoever_rolls() -> None:
    found = [shown for shown, _, _ in asked(Exact(), state_of(2), 2)]
    assert not any(shown.count("one") for shown in found)
    assert len(found) == len(set(found)) == 3 * 3  # up to two sixes on base dice, and on stress dice


def test_what_is_best_is_not_changed_by_the_kernel() -> None:
    """The seat decides within the rule, so for this seat it is no distribution; for another it is one."""
    state = state_of(1)
    call = skill_roll(ANA, "Comtech", (Mod(-2),))

    def worth(result: SkillRoll, scene: Scene) -> int:
        return 3 * result.success - scene[ANA].stress

    def mean(policy: Policy) -> Fraction:
        odds = Exact(policy, kernels=False).of(call, state)
        return sum(
            (Fraction(n, odds.whole) * worth(result, Scene(after)) for result, after, n in odds.ends), Fraction()
        )

    def best(decider: str, policy: Policy = by_default) -> Fraction:
        tree = StepTree(call, state, {decider}, policy)
        return tree.weighed(1, lambda result, scene: (Fraction(worth(result, scene)),)).vector[0]

    assert best("ana") >= max(mean(policy) for policy in POLICIES.values())
    assert best("bo", if_failed) == mean(if_failed)


def test_a_kernel_is_given_up_when_its_time_is_up() -> None:
    with pytest.raises(OutOfTime, match="longer than there is time for"):
        Exact(seconds=0).of(throw(10), state_of(8))
