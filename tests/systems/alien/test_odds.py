"""Exact odds of the push roll against a count over pips that knows nothing of the project."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable
from fractions import Fraction
from functools import cache, partial
from itertools import product
from random import Random
from typing import Any, Final, TypeAlias

import pytest

from referee import registry
from referee.core import Scene, State, Who
from referee.core.questions import Choice, Choose
from referee.core.rules import Call
from referee.drivers.call_odds import Odds
from referee.drivers.exact import Exact
from referee.drivers.policies import Policy, always, by_default
from referee.drivers.sampled import Sampled
from referee.forecast.bands import forecast
from referee.forecast.tree import StepTree
from referee.systems.alien import SKILL_ROLL, SYSTEM
from referee.systems.alien.basics import SkillRoll, skill_roll
from referee.systems.alien.sheet import Colonist
from referee.testing.conformance import agree

# --- the count, by pips and nothing else ------------------------------------------------------------------------------

End: TypeAlias = tuple[bool, int, int, int, str | None, int, tuple[str, ...]]
"""Success, sixes, extra successes, pushes, response, stress after, responses after."""
Wants: TypeAlias = Callable[[int], bool]
"""Whether somebody who sees so many sixes would push."""

LASTING: Final = ("Jumpy", "Tunnel Vision", "Aggravated", "Shakes", "Frantic", "Deflated")
FACES: Final = range(1, 7)


@cache
def thrown(base: int, stress: int) -> dict[tuple[int, int, bool], int]:
    """Sixes on base dice, sixes on stress dice, a one on any stress die: in how many of the 6^n ways."""
    found: Counter[tuple[int, int, bool]] = Counter()
    for pips in product(FACES, repeat=base + stress):
        found[pips[:base].count(6), pips[base:].count(6), 1 in pips[base:]] += 1
    return dict(found)


def counted(
    base: int, stress: int, wants: Wants, *, resolve: int = 0, held: tuple[str, ...] = ()
) -> dict[End, Fraction]:
    """Every end of a skill roll with its chance."""
    ends: defaultdict[End, Fraction] = defaultdict(Fraction)
    for (b, s, one), ways in thrown(base, stress).items():
        chance = Fraction(ways, 6 ** (base + stress))
        if one or not wants(b + s) or "Deflated" in held:
            conclude(ends, chance, b + s, one=one, stress=stress, resolve=resolve, held=held, pushes=0)
            continue
        raised = stress + (2 if "Jumpy" in held else 1)
        again = base - b, stress - s + 1
        for (b2, s2, one2), ways2 in thrown(*again).items():
            share = chance * Fraction(ways2, 6 ** sum(again))
            conclude(ends, share, b + s + b2 + s2, one=one2, stress=raised, resolve=resolve, held=held, pushes=1)
    return dict(ends)


def conclude(
    ends: defaultdict[End, Fraction],
    chance: Fraction,
    sixes: int,
    *,
    one: bool,
    stress: int,
    resolve: int,
    held: tuple[str, ...],
    pushes: int,
) -> None:
    plain = sixes >= 1, sixes, max(0, sixes - 1), pushes
    if not one:
        ends[*plain, None, stress, held] += chance
        return
    for pip in FACES:
        result = pip + stress - resolve
        if result <= 0:
            ends[*plain, "Keeping Cool", stress, held] += chance / 6
        elif result >= 7:
            ends[False, sixes, 0, pushes, "Mess Up", stress + 1, held] += chance / 6
        elif LASTING[result - 1] in held:
            ends[*plain, LASTING[result - 1], stress + 1, held] += chance / 6
        else:
            ends[*plain, LASTING[result - 1], stress, (*held, LASTING[result - 1])] += chance / 6


# --- the same by the played rule --------------------------------------------------------------------------------------

ANA: Final = Who("ana", Colonist)


def if_failed(question: Choice[Any], scene: Scene) -> Any:
    """Push only a roll without a six."""
    assert isinstance(question, Choose)
    return question.read("yes" if question.about.count("six") == 0 else "no")


WAYS: Final[dict[str, tuple[Wants, Policy]]] = {
    "never": (lambda sixes: False, by_default),
    "always": (lambda sixes: True, always(push=True)),
    "if failed": (lambda sixes: sixes == 0, if_failed),
}


def table(base: int, stress: int, *, resolve: int = 0, held: tuple[str, ...] = ()) -> tuple[Call[SkillRoll], State]:
    """Ana, her dice (a Wits roll), and the roll itself."""
    registry.load("alien")
    attribute = base + (2 if "Tunnel Vision" in held else 0)
    sheet = {"attributes": {"Wits": attribute}, "stress": stress, "resolve": resolve, "responses": list(held)}
    state = SYSTEM.state({"ana": sheet})
    return skill_roll(ANA, "Comtech"), state


def ends_of(odds: Odds[SkillRoll]) -> dict[End, Fraction]:
    found: defaultdict[End, Fraction] = defaultdict(Fraction)
    for result, after, weight in odds.ends:
        ana = Scene(after)[ANA]
        found[
            result.success, result.sixes, result.extra, result.pushes, result.response, ana.stress, ana.responses
        ] += Fraction(weight, odds.whole)
    return dict(found)


@pytest.mark.sweep(9)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("stress", [0, 1, 2])
@pytest.mark.parametrize("base", [1, 2, 3])
def test_exact_odds_equal_a_count_over_pips(base: int, stress: int, way: str) -> None:
    wants, policy = WAYS[way]
    call, state = table(base, stress)
    assert ends_of(Exact(policy).of(call, state)) == counted(base, stress, wants)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("resolve", [0, 1, 3, 6, 9])
def test_exact_odds_equal_the_count_at_any_resolve(resolve: int, way: str) -> None:
    wants, policy = WAYS[way]
    call, state = table(2, 2, resolve=resolve)
    assert ends_of(Exact(policy).of(call, state)) == counted(2, 2, wants, resolve=resolve)


@pytest.mark.sweep(9)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    "held", [*((name,) for name in LASTING), ("Jumpy", "Deflated"), ("Shakes", "Jumpy", "Frantic"), LASTING]
)
def test_exact_odds_equal_the_count_whatever_responses_are_held(held: tuple[str, ...], way: str) -> None:
    wants, policy = WAYS[way]
    call, state = table(2, 1, held=held)
    assert ends_of(Exact(policy).of(call, state)) == counted(2, 1, wants, held=held)


@pytest.mark.sweep(4)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("stress", [0, 1, 2])
@pytest.mark.parametrize("base", [1, 2, 3])
def test_remembered_and_unremembered_odds_agree(base: int, stress: int, way: str) -> None:
    call, state = table(base, stress, resolve=1, held=("Jumpy", "Shakes"))
    agree(call, state, WAYS[way][1], samples=20)


def test_odds_asked_for_twice_are_the_same() -> None:
    call, state = table(3, 2)
    exact = Exact(always(push=True))
    assert ends_of(exact.of(call, state)) == ends_of(exact.of(call, state))


# --- golden fractions -------------------------------------------------------------------------------------------------


def test_golden_one_base_die_pushed() -> None:
    """Two readings of one die; a kept six and one stress die 3, a blank and one more 6; each one has six responses."""
    call, state = table(1, 0)
    odds = Exact(always(push=True), remember=False).of(call, state)
    assert odds.leaves == (2 + 6) + (4 + 2 * 6)
    assert odds.chance(lambda result: result.success) == Fraction(535, 1296)
    assert odds.chance(lambda result: result.sixes >= 1) == Fraction(91, 216)
    assert odds.chance(lambda result: result.response == "Mess Up") == Fraction(1, 36)


def test_golden_one_base_and_one_stress_die_pushed() -> None:
    """A one at once: 2 · 6. Else base and stress six or blank, with 3, 6 (stress thrown again), 6 or 12 readings."""
    call, state = table(1, 1)
    odds = Exact(always(push=True), remember=False).of(call, state)
    both_six = 2 + 6
    stress_again = 3 + 3 * 6
    base_again = 4 + 2 * 6
    all_again = 2 * stress_again
    assert odds.leaves == 2 * 6 + both_six + stress_again + base_again + all_again
    assert odds.chance(lambda result: result.success) == Fraction(965, 1944)
    assert odds.chance(lambda result: result.pushes == 1) == Fraction(5, 6)
    assert odds.chance(lambda result: result.response is not None) == Fraction(43, 108)


def test_golden_three_base_and_two_stress_dice_never_pushed() -> None:
    """Four counts of sixes on base dice; of the six readings of two stress dice three show a one."""
    call, state = table(3, 2)
    odds = Exact(remember=False).of(call, state)
    assert odds.leaves == 4 * (3 + 3 * 6)
    assert odds.chance(lambda result: result.response is not None) == Fraction(11, 36)
    assert odds.chance(lambda result: result.sixes == 0) == Fraction(5, 6) ** 5


def test_golden_four_base_and_two_stress_dice_pushed() -> None:
    call, state = table(4, 2, resolve=2)
    odds = Exact(always(push=True)).of(call, state)
    assert odds.chance(lambda result: result.success) == Fraction(3826078111, 4897760256)
    assert odds.chance(lambda result: result.pushes == 1) == Fraction(25, 36)
    responses: dict[str | None, Fraction] = dict.fromkeys(LASTING, Fraction(1099, 11664))
    responses |= {None: Fraction(845, 1944), "Jumpy": Fraction(11, 216), "Mess Up": Fraction(505, 11664)}
    assert odds.by(lambda result: result.response) == responses


def test_all_chances_sum_to_one_and_nothing_is_lost() -> None:
    call, state = table(3, 2)
    odds = Exact(always(push=True)).of(call, state)
    assert sum(odds.of.values()) == 1
    assert odds.lost == 0


# --- the bands, the advice, the sample --------------------------------------------------------------------------------


def test_the_forecast_tells_bands_and_what_comes_with_them() -> None:
    call, state = table(1, 1)
    told = forecast(call, state, SKILL_ROLL.bands, Exact(always(push=True)))
    assert told.bands == {"success": Fraction(965, 1944), "failure": Fraction(979, 1944)}
    assert told.extra == {"extra-success": Fraction(809, 5832)}
    assert told.bad == {"stress-response": Fraction(43, 108), "mess-up": Fraction(17, 162)}


def best_worth(call: Call[SkillRoll], state: State, worth: Callable[[SkillRoll, Scene], int]) -> Fraction:
    """What Ana can expect of a roll if she decides as well as can be."""
    tree = StepTree(call, state, {"ana"})
    return tree.weighed(1, lambda result, scene: (Fraction(worth(result, scene)),)).vector[0]


def test_for_success_alone_it_is_best_to_push_exactly_the_failures() -> None:
    """One base die, no stress: keep a six; else two dice, less the ones that mess up, 11/36 - 1/216."""
    call, state = table(1, 0)
    best = best_worth(call, state, lambda result, scene: result.success)
    pushed = Fraction(11, 36) - Fraction(1, 216)
    assert best == Fraction(1, 6) + Fraction(5, 6) * pushed
    assert best == sum(chance for end, chance in counted(1, 0, lambda sixes: sixes == 0).items() if end[0])


def test_who_fears_stress_more_than_failure_never_pushes() -> None:
    call, state = table(2, 1)
    best = best_worth(call, state, lambda result, scene: result.success - 2 * scene[ANA].stress)
    unpushed = counted(2, 1, lambda sixes: False)
    assert best == sum(chance * (end[0] - 2 * end[5]) for end, chance in unpushed.items())


def responded(name: str, result: SkillRoll) -> bool:
    return result.response == name


def check_sample(base: int, stress: int, policy: Policy, plays: int) -> None:
    """Sampled rolls lie within four standard errors of the exact odds, and come to nothing that has no odds."""
    call, state = table(base, stress)
    odds = Exact(policy).of(call, state)
    sampled = Sampled(Random(20_240_607), policy)
    found = Counter(sampled.play(call, state)[0] for _ in range(plays))
    bands = SKILL_ROLL.bands
    signs: dict[str, Callable[[SkillRoll], bool]] = {
        "success": lambda result: bands.of(result) == "success",
        **bands.extra,
        **bands.bad,
        "pushed": lambda result: result.pushes == 1,
    }
    signs |= {name: partial(responded, name) for name in LASTING}
    assert set(found) <= set(odds.of)
    for sign, holds in signs.items():
        exact = float(odds.chance(holds))
        share = sum(n for result, n in found.items() if holds(result)) / plays
        assert abs(share - exact) <= 4 * math.sqrt(exact * (1 - exact) / plays), sign


@pytest.mark.parametrize("rolls", [1_000, pytest.param(100_000, marks=pytest.mark.slow)])
def test_sampled_rolls_agree_with_the_exact_odds(rolls: int) -> None:
    """Unpushed, for time: a sampled push roll takes nearly three times as long."""
    check_sample(1, 1, by_default, rolls)


@pytest.mark.slow
def test_sampled_push_rolls_agree_with_the_exact_odds() -> None:
    check_sample(2, 1, always(push=True), 10_000)
