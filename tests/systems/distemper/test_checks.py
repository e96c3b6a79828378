"""Checks against a count over pips that knows nothing of the project, and what holds for every one of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from fractions import Fraction
from itertools import product
from random import Random
from typing import Any, Final, TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.core import Mod, Mods, Refused, Scene, State, Who
from referee.core.errors import RulebookError
from referee.core.rulebook import Book
from referee.core.run import Run, drive
from referee.drivers.exact import Exact
from referee.drivers.policies import Policy, always, at_random, by_default
from referee.drivers.sampled import Sampled
from referee.forecast.tree import StepTree
from referee.systems.distemper import SYSTEM
from referee.systems.distemper.checks import Check, dice_check, group_check, initiative_check
from referee.systems.distemper.opposed import opposed_check
from referee.systems.distemper.sheet import Character, insight
from referee.testing.conformance import agree

# --- the count, by pips and nothing else ------------------------------------------------------------------------------

Result: TypeAlias = tuple[int, str, str | None]
"""Total, outcome, moment."""

FACES: Final = range(1, 7)
AL: Final = Who("al", Character)
BO: Final = Who("bo", Character)


def limited(cmod: int) -> int:
    return min(5, max(-5, cmod))


def judged(one: int, other: int, total: int) -> Result:
    """Four bands; a double one and a double six are above them."""
    if one == other == 1:
        return total, "Dire Failure", "Low"
    if one == other == 6:
        return total, "Wild Success", "High"
    if total <= 3:
        return total, "Dire Failure", None
    if total <= 8:
        return total, "Failure", None
    return total, "Success" if total <= 13 else "Wild Success", None


def counted(own: int, cmod: int, *, third: bool = False) -> dict[Result, Fraction]:
    """Every result of a check with its chance, with two dice or with three."""
    found: defaultdict[Result, Fraction] = defaultdict(Fraction)
    for one, other, more in product(FACES, FACES, FACES if third else (0,)):
        found[judged(one, other, one + other + more + own + limited(cmod))] += Fraction(1, 216 if third else 36)
    return dict(found)


def counted_again(own: int, which: str) -> dict[Result, Fraction]:
    """Every result if the lower die, the higher one or both are always thrown again, once."""
    found: defaultdict[Result, Fraction] = defaultdict(Fraction)
    for one, other, first, second in product(FACES, repeat=4):
        low, high = sorted((one, other))
        new = {"low": (first, high), "high": (low, first), "both": (first, second)}[which]
        if which == "high" and low == high:
            new = low, high  # of a double only the one called low may be named
        found[judged(*new, sum(new) + own)] += Fraction(1, 1296)
    return dict(found)


def al(own: int = 0, **fields: Any) -> State:
    """Al, whose Reason is the attribute, and Bo, both NPCs unless told otherwise."""
    sheet = {"attributes": {"Reason": own}, "player": False, **fields}
    return SYSTEM.state({"al": sheet, "bo": {"player": False}})


def of(check: Check) -> Result:
    return check.total, check.outcome, check.moment


def check_call(state: State, *cmods: int) -> Any:
    return dice_check(AL, "Reason", tuple(Mod(amount) for amount in cmods))


# --- exact odds -------------------------------------------------------------------------------------------------------


@pytest.mark.sweep(8)
@pytest.mark.parametrize("own", [-2, 0, 1, 4])
@pytest.mark.parametrize("cmods", [(), (2,), (-3,), (5, 4), (-9, 1), (9, -5)])
def test_exact_odds_equal_a_count_over_pips(own: int, cmods: tuple[int, ...]) -> None:
    state = al(own)
    odds = Exact().of(check_call(state, *cmods), state)
    assert odds.by(of) == counted(own, sum(cmods))


@pytest.mark.sweep(2)
@pytest.mark.parametrize("own", [-2, 0, 4])
@pytest.mark.parametrize("cmod", [-5, 0, 3])
def test_an_extra_die_is_three_dice_summed(own: int, cmod: int) -> None:
    state = al(own, player=True, insight=1)
    odds = Exact(always(insight_before="extra die")).of(check_call(state, cmod), state)
    assert odds.by(of) == counted(own, cmod, third=True)


@pytest.mark.sweep(2)
@pytest.mark.parametrize("which", ["low", "high", "both"])
@pytest.mark.parametrize("own", [-2, 0, 4])
def test_a_re_roll_is_of_the_dice_named_and_the_final_faces_count(own: int, which: str) -> None:
    state = al(own, player=True, insight=1)
    odds = Exact(always(insight_after=f"re-roll {which}")).of(check_call(state), state)
    assert odds.by(of) == counted_again(own, which)


@pytest.mark.parametrize("dice", [0, 1, 2, 5])
def test_a_die_is_gained_in_two_of_36_checks_and_never_otherwise(dice: int) -> None:
    state = al(1, player=True, insight=dice)
    odds = Exact().of(check_call(state), state)
    assert odds.by_end(lambda _, scene: insight(scene, AL)) == {dice: Fraction(17, 18), dice + 1: Fraction(1, 18)}


def test_the_tree_of_a_check_is_the_21_throws_of_two_dice() -> None:
    state = al()
    assert Exact(remember=False).of(check_call(state), state).leaves == 21


@pytest.mark.sweep(1)
@pytest.mark.parametrize("policy", [by_default, always(insight_before="extra die", insight_after="re-roll low")])
def test_every_driver_tells_the_same_story_of_a_check(policy: Policy) -> None:
    state = al(1, player=True, insight=2)
    agree(check_call(state, 1), state, policy, samples=50)


# --- what a die is worth to who spends it best ------------------------------------------------------------------------


def best_with_one_die(own: int) -> Fraction:
    """The chance of success if the one die is spent as well as can be, before the roll or after seeing it."""

    def succeeds(one: int, other: int, more: int = 0) -> bool:
        return judged(one, other, one + other + own + more)[1] in ("Success", "Wild Success")

    def share(throws: int, wins: Callable[..., bool]) -> Fraction:
        return Fraction(sum(wins(*pips) for pips in product(FACES, repeat=throws)), 6**throws)

    third, bonus = share(3, succeeds), share(2, lambda a, b: succeeds(a, b, 3))
    waited = Fraction(0)
    for one, other in product(FACES, repeat=2):
        again = (
            Fraction(succeeds(one, other)),
            Fraction(succeeds(one, other, 3)),
            Fraction(sum(succeeds(new, other) for new in FACES), 6),
            Fraction(sum(succeeds(one, new) for new in FACES), 6),
            share(2, succeeds),
        )
        waited += max(again) / 36
    return max(third, bonus, waited)


@pytest.mark.sweep(1)
@pytest.mark.parametrize("own", [-2, -1, 0, 1, 2, 3, 4])
def test_the_best_use_of_one_die(own: int) -> None:
    state = al(own, player=True, insight=1)
    tree = StepTree(check_call(state), state, {"al"})
    assert tree.weighed(1, lambda result, _: (Fraction(result.success),)).vector == (best_with_one_die(own),)


# --- opposed checks ---------------------------------------------------------------------------------------------------


def rank(result: Result) -> tuple[int, int]:
    """A double one is below everything, a double six above."""
    return {"Low": -1, None: 0, "High": 1}[result[2]], result[0]


def opposed_by_count(mine: int, theirs: int) -> Fraction:
    """The chance to win: doubles before totals, and whatever is not settled is thrown again."""
    won = lost = 0
    for a, b, c, d in product(FACES, repeat=4):
        first, second = judged(a, b, a + b + mine), judged(c, d, c + d + theirs)
        if first[2] is None or first[2] != second[2]:
            won += rank(first) > rank(second)
            lost += rank(first) < rank(second)
    return Fraction(won, won + lost)


@pytest.mark.sweep(1)
@pytest.mark.parametrize(("mine", "theirs"), [(0, 0), (1, 0), (4, -2), (-2, 4)])
def test_exact_odds_of_opposed_checks_equal_the_count(mine: int, theirs: int) -> None:
    state = SYSTEM.state(
        {
            "al": {"player": False, "attributes": {"Reason": mine}},
            "bo": {"player": False, "attributes": {"Acumen": theirs, "Dexterity": 4}},
        }
    )
    odds = Exact().of(opposed_check(AL, BO, "Reason", "Acumen"), state)
    assert odds.chance(lambda result: result.first_wins) == opposed_by_count(mine, theirs)
    assert odds.chance(lambda result: result.winner == "al") == opposed_by_count(mine, theirs)
    assert odds.lost == 0


def test_opposed_checks_are_fair_from_either_side() -> None:
    assert opposed_by_count(2, 1) + opposed_by_count(1, 2) == 1


# --- initiative -------------------------------------------------------------------------------------------------------


def test_exact_odds_of_initiative_are_the_sums_of_two_dice() -> None:
    state = SYSTEM.state({"al": {"attributes": {"Dexterity": 3, "Acumen": -1}, "skills": {"Perception": 2}}})
    odds = Exact().of(initiative_check(AL), state)
    assert odds.of == {total + 4: Fraction(6 - abs(total - 7), 36) for total in range(2, 13)}
    assert all(scene == state for _, scene, _ in odds.ends)


# --- what holds for every check ---------------------------------------------------------------------------------------

amods = st.integers(-2, 4)
levels = st.none() | st.integers(0, 4)
amounts = st.lists(st.integers(-9, 9), max_size=4)


def member(influence: int, level: int | None, skill: str, **more: Any) -> dict[str, Any]:
    skills = {} if level is None else {skill: level}
    return {"attributes": {"Influence": influence}, "skills": skills, **more}


@given(influence=amods, level=levels, given=amounts, starred=st.booleans(), dice=st.integers(0, 4), seed=st.integers())
def test_whatever_is_spent_the_books_balance(
    influence: int, level: int | None, given: list[int], starred: bool, dice: int, seed: int
) -> None:
    """Total and outcome follow from the throws and what was bought; dice spent are gone, a moment brings one."""
    skill = "Psychology" if starred else "Charm"
    state = SYSTEM.state({"al": member(influence, level, skill, insight=dice), "bo": {}})
    cmods: Mods = tuple(Mod(amount) for amount in given)
    result, after = Sampled(Random(seed), at_random(Random(seed))).play(dice_check(AL, skill, cmods), state)
    own = influence + ((-3 if starred else 0) if level is None else level)
    spent = dice - insight(Scene(after), AL) + (result.moment is not None)
    assert 0 <= spent <= dice
    assert result.total - own in range(2 - 5, 18 + 5 + 1)
    if not spent:
        thrown = result.total - own - limited(sum(given))
        assert 2 <= thrown <= 12
        assert result.moment is None or thrown == {"Low": 2, "High": 12}[result.moment]
        assert thrown not in (2, 12) or result.moment is not None
    if result.moment is None:
        assert of(result) == judged(0, 1, result.total)
    else:
        assert result.outcome == {"Low": "Dire Failure", "High": "Wild Success"}[result.moment]
    assert result.success == (result.outcome in ("Success", "Wild Success"))
    assert Scene(after)[BO] == Scene(state)[BO]


@given(
    people=st.lists(st.tuples(amods, levels), min_size=2, max_size=7),
    given=amounts,
    skill=st.sampled_from(["Charm", "Psychology", "Influence"]),
    seed=st.integers(),
)
def test_a_group_has_its_best_modifiers_and_its_best_member_rolls(
    people: list[tuple[int, int | None]], given: list[int], skill: str, seed: int
) -> None:
    untrained = -3 if skill == "Psychology" else 0
    own_skill = "Charm" if skill == "Influence" else skill
    names = [f"p{at}" for at in range(len(people))]
    values = {name: member(*each, own_skill) for name, each in zip(names, people, strict=True)}
    state = SYSTEM.state(values)
    members = tuple(Who(name, Character) for name in names)
    call = group_check(members, skill, tuple(Mod(amount) for amount in given))
    asked: list[Any] = []
    table = Sampled(Random(seed), at_random(Random(seed)))

    def answer(question: Any, scene: Scene) -> Any:
        asked.append(question)
        return table.answer(question, scene)

    result = drive(Run(Scene(state), call), answer)
    levels_ = [untrained if level is None else level for _, level in people]
    best = max(influence for influence, _ in people) + (0 if skill == "Influence" else max(levels_))
    thrown = result.total - best - limited(sum(given) + len(people) - 1)
    roll = asked[-1]
    values_ = [influence for influence, _ in people] if skill == "Influence" else levels_
    assert 2 <= thrown <= 12
    assert [str(question.name) for question in asked] in (["check"], ["roller", "check"])
    assert values_[names.index(roll.who.name)] == max(values_)
    assert (len(asked) == 2) == (values_.count(max(values_)) > 1)


@given(mine=amods, theirs=amods, seed=st.integers())
def test_an_opposed_check_is_always_won_by_one_of_the_two(mine: int, theirs: int, seed: int) -> None:
    state = SYSTEM.state({"al": {"attributes": {"Reason": mine}}, "bo": {"attributes": {"Reason": theirs}}})
    call = opposed_check(AL, BO, "Reason", "Reason")
    result, _ = Sampled(Random(seed), at_random(Random(seed))).play(call, state)
    assert result.winner == ("al" if result.first_wins else "bo")
    first, second = (rank(of(check)) for check in (result.first, result.second))
    assert first != second
    assert (first > second) == result.first_wins
    assert result.first.moment != result.second.moment or result.first.moment is None


# --- the short form ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "cmods"), [("2d6", []), ("2d6+5", ["+5 as said"]), ("2D6 - 5", ["-5 as said"]), ("2d6+0", ["+0 as said"])]
)
def test_the_short_form_is_a_check_with_a_conditional_modifier(text: str, cmods: list[str]) -> None:
    short = SYSTEM.shorthand(text)
    assert short is not None
    assert (short.action, short.arguments) == ("check", {"using": "Reason", "cmods": cmods})


@pytest.mark.parametrize("text", ["2d6+6", "2d6-6", "2d6 + 9", "2d6+99999999999999999999"])
def test_a_short_form_beyond_the_limits_is_refused_and_not_trimmed_bug(text: str) -> None:
    """It was rolled with +5, and nobody was told."""
    sentence = r"a conditional modifier is -5 to \+5 \(distemper.checks.cmod\); legal: 2d6-5 to 2d6\+5"
    with pytest.raises(Refused, match=sentence):
        SYSTEM.shorthand(text)


@pytest.mark.parametrize("text", ["", "2d6+", "3d6", "2d6+1+1", "check"])
def test_other_words_are_no_short_form(text: str) -> None:
    assert SYSTEM.shorthand(text) is None


def test_a_house_rule_with_dice_that_the_panic_table_has_no_rows_for_is_refused() -> None:
    with pytest.raises(RulebookError, match=r"distemper\.panic\.table: table: no row has 13"):
        Book(SYSTEM.printed_book, set={"distemper.panic.table": {"dice": 3}})
    with pytest.raises(RulebookError, match=r"distemper\.panic\.table: table: no row has 1$"):
        Book(SYSTEM.printed_book, set={"distemper.panic.table": {"dice": 1}})
