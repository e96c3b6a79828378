"""The dice codes kit with the smallest D6 System: codes, the wild die in every way, contests, points, fate."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import product
from random import Random
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.hard_scenes import d6
from tests.hard_scenes.d6 import ANA, BO, Hero, House, Judged

from referee.core import D3, D6, Active, BadInput, Die, Effect, Pool, Refused, Scene, State, Total, action_of
from referee.core.branches import LEFT_OUT, BranchEnd, ends_by
from referee.core.dice import _enumerated
from referee.core.effects import ApplicableEffects
from referee.core.knowledge import fully_known
from referee.core.plain import read, write
from referee.core.rules import Call
from referee.core.visibility import Seat
from referee.drivers.exact import Exact
from referee.drivers.policies import Policy, always, by_default
from referee.drivers.sampled import Sampled
from referee.drivers.scripted import play
from referee.forecast.figures import Budget
from referee.forecast.risk import odds_of
from referee.forecast.tree import StepTree
from referee.kits.dice_codes import (
    Code,
    CodeDice,
    Contest,
    Luck,
    Rolled,
    Stat,
    WildDie,
    WildOne,
    WildSix,
    WildTotal,
    average,
    capped,
    check_stat,
    contest_ends,
    open_die,
    point_branches,
)
from referee.testing.conformance import agree

GAME_MASTER: Final = Seat("", master=True)

# --- codes ------------------------------------------------------------------------------------------------------------

EVERYTHING_SEEN: Final = Seat("", master=True)
CODES: Final = st.builds(Code, st.integers(-20, 20), st.integers(-20, 20))
PER_DIE: Final = st.integers(1, 6)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("4D+2", Code(4, 2)),
        ("4d+2", Code(4, 2)),
        (" 4 D + 2 ", Code(4, 2)),
        ("4D", Code(4)),
        ("4D+0", Code(4)),
        ("2D-1", Code(2, -1)),
        ("3D+10", Code(3, 10)),
        ("-1D", Code(-1)),
        ("+1D+2", Code(1, 2)),
        ("0D+1", Code(0, 1)),
        ("+2", Code(0, 2)),
        ("-2", Code(0, -2)),
    ],
)
def test_codes_are_read_as_people_write_them(text: str, code: Code) -> None:
    assert read(Code, text) == code


@pytest.mark.parametrize("text", ["", "D", "4", "4D2", "4D++2", "4D+", "4D+2D", "four", "4.5D", 4, None, True, ["4D"]])
def test_what_is_no_code_is_refused_with_an_example(text: Any) -> None:
    with pytest.raises(BadInput, match=r"must be a dice code such as 4D\+2"):
        Code.from_plain(text)


@pytest.mark.parametrize(
    ("code", "text"),
    [
        (Code(4, 2), "4D+2"),
        (Code(4), "4D"),
        (Code(2, -1), "2D-1"),
        (Code(), "0D"),
        (Code(0, 2), "0D+2"),
        (Code(-1, 2), "-1D+2"),
    ],
)
def test_codes_are_written_without_a_nought(code: Code, text: str) -> None:
    assert (str(code), write(code), write(Stat(code.dice, code.pips))) == (text, text, text)


@given(CODES)
def test_what_is_written_is_read_back(code: Code) -> None:
    assert read(Code, write(code)) == code
    assert read(Stat, write(Stat(code.dice, code.pips))) == Stat(code.dice, code.pips)


def test_arithmetic_by_the_examples_of_the_book() -> None:
    assert Code(3, 2) + Code(1, 2) == Code(4, 4)
    assert Code(3, 1) - Code(1, 2) == Code(2, -1)
    assert 2 * Code(4, 2) == Code(8, 4)
    assert Code(3, 2) * 2 - Code(2) == Code(4, 4)
    assert Code(3, 2) - Code(2) == Code(1, 2)
    assert Stat.of(Code(2, 3), 3) == Stat(3)
    assert average((Code(3, 1), Code(4), Code(5, 1)), 3, "up") == Stat(4, 1)


@given(CODES, CODES, CODES, st.integers(-5, 5), PER_DIE)
def test_arithmetic_of_codes_keeps_what_they_are_worth(a: Code, b: Code, c: Code, times: int, per_die: int) -> None:
    assert (a + b).in_pips(per_die) == a.in_pips(per_die) + b.in_pips(per_die)
    assert (a * times).in_pips(per_die) == times * a.in_pips(per_die)
    assert (a + b) + c == a + (b + c)
    assert a + b == b + a
    assert a - b + b == a
    assert a - b == a + -b
    assert times * (a + b) == times * a + times * b


@given(CODES, CODES, PER_DIE)
def test_a_stat_is_normal_and_worth_what_its_code_was(code: Code, by: Code, per_die: int) -> None:
    stat = Stat.of(code, per_die)
    assert 0 <= stat.pips < per_die
    assert stat.code.in_pips(per_die) == code.in_pips(per_die)
    assert Stat.of(stat.code, per_die) == stat
    assert stat.raised(by, per_die) == Stat.of(code + by, per_die)
    assert stat.raised(by, per_die).raised(-by, per_die) == stat
    check_stat(stat, per_die, rule="r")


@pytest.mark.parametrize(("text", "normal"), [("2D+3", "3D"), ("2D-1", "1D+2"), ("0D+4", "1D+1"), ("-1D+3", "0D")])
def test_a_stat_that_is_not_normal_is_refused_and_the_legal_one_is_named(text: str, normal: str) -> None:
    with pytest.raises(Refused, match=r"3 pips are a die \(book\.code\)") as refused:
        check_stat(read(Stat, text), 3, rule="book.code")
    assert refused.value.legal == (normal,)


def test_how_many_pips_are_a_die_is_not_the_kits_to_say() -> None:
    assert Stat.of(Code(2, 3), 4) == Stat(2, 3)
    check_stat(Stat(2, 3), 4, rule="book.code")


@pytest.mark.parametrize(
    ("codes", "up", "down", "nearest"),
    [
        ("3D+1 4D 5D+1", "4D+1", "4D", "4D+1"),  # 12 2/3 pips
        ("3D 3D+1", "3D+1", "3D", "3D+1"),  # 9 1/2
        ("3D 3D 3D+1", "3D+1", "3D", "3D"),  # 9 1/3
        ("2D+2", "2D+2", "2D+2", "2D+2"),
        ("0D 0D+1", "0D+1", "0D", "0D+1"),
    ],
)
def test_an_average_is_rounded_as_the_campaign_says(codes: str, up: str, down: str, nearest: str) -> None:
    of = [Code.from_plain(each) for each in codes.split()]
    assert [str(average(of, 3, way)) for way in ("up", "down", "nearest")] == [up, down, nearest]


def test_there_is_no_average_of_nothing() -> None:
    with pytest.raises(BadInput, match="no mean of no codes"):
        average((), 3, "up")


# --- rolls ------------------------------------------------------------------------------------------------------------

PLAIN: Final = CodeDice(6, 3)
ONES: Final = tuple(WildOne)
SIXES: Final = tuple(WildSix)


def wild(on_one: WildOne, on_six: WildSix = WildSix.FORTUNE, **more: Any) -> CodeDice:
    return CodeDice(6, 3, WildDie(1, 6, on_one, on_six), **more)


EVERY_WAY: Final = {
    "plain": PLAIN,
    "plain, all ones": CodeDice(6, 3, None, fumbles_on_ones=True),
    "ignore, all ones": wild(WildOne.IGNORE, fumbles_on_ones=True),
    **{f"{one.value}, {six.value}": wild(one, six) for one in ONES for six in SIXES},
}


@pytest.mark.parametrize(
    ("code", "dice"), [(Code(4, 2), "3 d6 + 1 wild"), (Code(1), "1 wild"), (Code(0, 2), "no dice")]
)
def test_one_of_the_dice_is_wild_and_without_dice_there_is_none(code: Code, dice: str) -> None:
    assert str(wild(WildOne.IGNORE).pool(code)) == dice


@pytest.mark.parametrize(
    ("code", "total"), [("0D", 0), ("0D+1", 1), ("0D+2", 2), ("0D-1", 0), ("-1D+2", 0), ("-1D+5", 2), ("-2D+6", 0)]
)
def test_a_code_without_dice_is_its_pips_less_three_for_each_missing_die_and_never_below_nought(
    code: str, total: int
) -> None:
    for dice in EVERY_WAY.values():
        assert dice.flat(read(Code, code)) == Rolled(total)
        assert dice.scores(read(Code, code)).rows == ((Rolled(total), 1),)


@pytest.mark.parametrize(
    ("way", "code", "pips", "rolled"),
    [
        ("ignore, fortune", "3D+2", "4 5 wild 1", Rolled(12)),
        ("discard, fortune", "3D+2", "4 5 wild 1", Rolled(6)),
        ("discard, fortune", "3D+2", "5 5 wild 1", Rolled(7)),  # of two that tie one goes
        ("discard, fortune", "1D+2", "wild 1", Rolled(2)),  # no other die
        ("discard, fortune", "1D-2", "wild 1", Rolled(-2)),
        ("complication, fortune", "3D+2", "4 5 wild 1", Rolled(12, Luck.COMPLICATION)),
        ("ignore, fortune", "3D+2", "4 5 wild 6", Rolled(17, Luck.FORTUNE)),
        ("ignore, again", "3D+2", "4 5 wild 6 6 2", Rolled(25)),
        ("discard, again", "3D+2", "4 5 wild 6 1", Rolled(18)),  # a one on a die thrown again is only a one
        ("complication, again", "3D+2", "4 5 wild 6 1", Rolled(18)),
        ("ignore, all ones", "3D+2", "1 1 wild 1", Rolled(5, Luck.ALL_ONES)),
        ("ignore, all ones", "3D+2", "1 2 wild 1", Rolled(6)),
        ("plain, all ones", "2D+1", "1 1", Rolled(3, Luck.ALL_ONES)),
        ("plain", "2D+1", "1 1", Rolled(3)),
        ("ignore, fortune", "3D+2", "6 6 wild 2", Rolled(16)),  # only the wild die is wild
    ],
)
def test_a_roll_by_the_book(way: str, code: str, pips: str, rolled: Rolled) -> None:
    given = pips if pips.startswith("wild") or "wild" not in pips else f"d6 {pips}"
    state = d6.table(house=House(EVERY_WAY[way]))
    assert play(d6.throw(ANA, read(Code, code)), state, {"roll": given}).result == rolled


def test_a_roll_may_be_known_by_its_total_alone_and_then_nothing_is_wild() -> None:
    state = d6.table(house=House(wild(WildOne.DISCARD)))
    assert play(d6.throw(ANA, Code(3, 2)), state, {"roll": {"total": 9}}).result == Rolled(11)
    told = {"total": 9, "wild": 1, "best": 5}
    assert play(d6.throw(ANA, Code(3, 2)), state, {"roll": told}).result == Rolled(5)
    assert WildTotal(9, 1, 5).to_plain() == told
    assert WildTotal.alone(wild(WildOne.DISCARD).pool(Code(3)), told) == WildTotal(9, 1, 5)


@pytest.mark.parametrize(
    "told", [{"total": 2}, {"total": 19}, {"total": 9, "wild": 7}, {"total": 9, "best": -1}, {"wild": 6}]
)
def test_what_dice_cannot_show_is_refused(told: Any) -> None:
    with pytest.raises(BadInput):
        WildTotal.alone(wild(WildOne.DISCARD).pool(Code(3)), told)


def test_a_roll_has_one_wild_die() -> None:
    with pytest.raises(BadInput, match="one die of a roll is wild, not 2"):
        WildTotal.outcomes(Pool.of((WildDie(1, 6).die(6), 2)))


@pytest.mark.parametrize("dice", range(4))
@pytest.mark.parametrize("way", EVERY_WAY)
def test_outcomes_die_by_die_equal_those_of_every_throw(way: str, dice: int) -> None:
    pool = EVERY_WAY[way].pool(Code(dice))
    assert dict(WildTotal.outcomes(pool)) == dict(_enumerated(WildTotal, pool))


# --- kernels equal play -----------------------------------------------------------------------------------------------


def as_played(call: Call[Any], state: State, policy: Policy = by_default) -> tuple[dict[Any, Fraction], Fraction]:
    """Every end with its scene: die by die, without kernels, with nothing remembered."""
    odds = Exact(policy, remember=False, kernels=False).of(call, state)
    return odds.by_end(lambda result, scene: (result, scene.state)), odds.lost


def by_kernel(call: Call[Any], state: State, policy: Policy = by_default) -> tuple[dict[Any, Fraction], Fraction]:
    odds = Exact(policy).of(call, state)
    return odds.by_end(lambda result, scene: (result, scene.state)), odds.lost


SMALL: Final = ("-1D+2", "0D", "0D+2", "1D", "1D-1", "1D+2", "2D", "2D-3", "2D+4", "3D", "3D+1")


@pytest.mark.parametrize("code", SMALL)
@pytest.mark.parametrize("way", EVERY_WAY)
def test_a_roll_comes_to_the_same_with_and_without_its_kernel(way: str, code: str) -> None:
    call, state = d6.throw(ANA, read(Code, code)), d6.table(house=House(EVERY_WAY[way]))
    assert by_kernel(call, state) == as_played(call, state)


def brute_force(dice: int, way: WildOne) -> dict[int, Fraction]:
    """Totals of a wild die that is not thrown again, face by face, knowing nothing of the kit."""
    found: defaultdict[int, Fraction] = defaultdict(Fraction)
    for shown in product(range(1, 7), repeat=dice):
        *others, wild_one = shown
        total = sum(shown) if wild_one != 1 or way is not WildOne.DISCARD else sum(others) - max(others, default=0)
        found[total] += Fraction(1, 6**dice)
    return found


@pytest.mark.parametrize("dice", range(1, 6))
@pytest.mark.parametrize("way", ONES)
def test_totals_equal_a_brute_force(way: WildOne, dice: int) -> None:
    scores = wild(way).scores(Code(dice))
    found: defaultdict[int, Fraction] = defaultdict(Fraction)
    for rolled, ways in scores.rows:
        found[rolled.total] += Fraction(ways, scores.whole)
    assert found == brute_force(dice, way)


@pytest.mark.parametrize("six", list(WildSix))
@pytest.mark.parametrize("one", list(WildOne))
@pytest.mark.parametrize("fumbles_on_ones", [False, True])
def test_scores_are_those_of_every_reading_of_the_dice(one: WildOne, six: WildSix, fumbles_on_ones: bool) -> None:
    """Also with dice that are thrown again: readings that scores do not tell apart are counted together."""
    for house in (replace(wild(one, six), fumbles_on_ones=fumbles_on_ones), replace(PLAIN, fumbles_on_ones=True)):
        for code in (Code(1), Code(2, 1), Code(4, 2)):
            ways: Counter[Rolled] = Counter()
            for seen, n in WildTotal.outcomes(house.pool(code)):
                ways[house.score(code, seen)] += n
            assert dict(house.scores(code).rows) == ways


@pytest.mark.parametrize(
    ("mine", "theirs"), [("2D", "1D+2"), ("1D", "0D+3"), ("0D", "0D"), ("2D-1", "2D"), ("-1D", "1D")]
)
@pytest.mark.parametrize("way", [each for each in EVERY_WAY if "again" not in each])
def test_a_contest_comes_to_the_same_with_and_without_its_kernel(way: str, mine: str, theirs: str) -> None:
    call = d6.contest(ANA, read(Code, mine), BO, read(Code, theirs))
    state = d6.table(house=House(EVERY_WAY[way]))
    assert by_kernel(call, state) == as_played(call, state)


@pytest.mark.parametrize("one", ONES)
@pytest.mark.parametrize(
    ("mine", "theirs"), [("1D", "0D+4"), ("0D+9", "1D"), pytest.param("1D", "1D+1", marks=pytest.mark.slow)]
)
def test_a_contest_of_open_dice_too(mine: str, theirs: str, one: WildOne) -> None:
    call = d6.contest(ANA, Code.from_plain(mine), BO, Code.from_plain(theirs))
    state = d6.table(house=House(wild(one, WildSix.AGAIN)))
    (fast, lost), (slow, lost_in_play) = by_kernel(call, state), as_played(call, state)
    assert fast == slow
    assert lost == lost_in_play == 1 - (1 - Fraction(1, 6**16)) ** (mine + theirs).count("1D")


def test_the_rules_agree_with_themselves() -> None:
    for way in ("discard, fortune", "complication, fortune", "plain, all ones"):
        state = d6.table(Hero(Stat(2), points=2, fate=1), house=House(EVERY_WAY[way], D3, 2))
        agree(d6.throw(ANA, Code(2, 1)), state)
        agree(d6.contest(ANA, Code(2), BO, Code(1)), state)
        agree(d6.attempt(ANA, 7), state)


# --- points -----------------------------------------------------------------------------------------------------------


def until(bar: int) -> Policy:
    """Spend while a total is below a bar."""

    def policy(question: Any, scene: Scene) -> Any:
        return True if question.name == "point" and question.about.total < bar else None

    return policy


def now_and_then(question: Any, scene: Scene) -> Any:
    """Spend on some totals, depending on what is left."""
    return True if (question.about.total * 7 + scene[ANA].points) % 3 else None


POLICIES: Final[dict[str, Policy]] = {
    "never": by_default,
    "always": always(point=True),
    "until 7": until(7),
    "now and then": now_and_then,
}


@pytest.mark.parametrize("points", range(4))
@pytest.mark.parametrize("most", range(3))
@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("way", ["plain", "discard, fortune", "complication, fortune"])
def test_points_come_to_the_same_with_and_without_the_kernel(way: str, policy: str, most: int, points: int) -> None:
    state = d6.table(Hero(points=points), house=House(EVERY_WAY[way], D3, most))
    call = d6.roll_with_points(ANA, Code(2, -1), fated=False)
    assert by_kernel(call, state, POLICIES[policy]) == as_played(call, state, POLICIES[policy])


@pytest.mark.parametrize("code", ["0D", "-1D", "0D+2", "1D"])
def test_a_code_without_dice_may_be_bettered_too(code: str) -> None:
    state = d6.table(Hero(points=2), house=House(wild(WildOne.DISCARD), D6, 2))
    call = d6.roll_with_points(ANA, read(Code, code), fated=False)
    assert by_kernel(call, state, always(point=True)) == as_played(call, state, always(point=True))


def test_points_and_fate_never_apply_together() -> None:
    state = d6.table(Hero(points=3, fate=1), house=House(wild(WildOne.IGNORE)))
    call = d6.roll_with_points(ANA, Code(2), fated=True)
    assert by_kernel(call, state, always(point=True)) == as_played(call, state, always(point=True))
    played = play(d6.attempt(ANA, 20), state, {"fate": "yes", "roll": "d6 1 2 3 4 5 wild 4"})
    assert (played.result, played.state["ana"]) == (Judged(-1), Hero(points=3, fate=0))


def spent(rarest: Fraction, policy: Policy) -> tuple[dict[Rolled, Fraction], Fraction]:
    """1D and one open die, by branches that leave out less than this."""
    state = d6.table(Hero(points=1), house=House(PLAIN))
    scene = Scene(state)
    branches = point_branches(
        PLAIN.scores(Code(1)),
        state_extra(state),
        offer=lambda rolled, n: d6.offer_point(
            scene if not n else Scene(d6.table(Hero())), ANA, rolled, n, fated=False
        ),
        scene_after=lambda n: scene,
        end=lambda rolled, n: BranchEnd(rolled),
        rarest=rarest,
    )
    ends = list(ends_by(branches, policy))
    whole = sum(ways for _, _, ways in ends)
    found: defaultdict[Rolled, Fraction] = defaultdict(Fraction)
    for result, _, ways in ends:
        found[result] += Fraction(ways, whole)
    return found, found.pop(LEFT_OUT, Fraction(0))


def state_extra(state: State) -> Die:
    return Scene(state)[d6.HOUSE].extra


def test_an_open_die_for_a_point_is_exact_but_for_what_is_left_out() -> None:
    state = d6.table(Hero(points=1), house=House(PLAIN))
    slow, lost_in_play = as_played(d6.roll_with_points(ANA, Code(1), fated=False), state, always(point=True))
    played = {result: chance for (result, _), chance in slow.items()}
    assert lost_in_play == Fraction(1, 6**16)
    assert spent(Fraction(0), lambda *_: True) == (played, lost_in_play)
    fast, lost = spent(Fraction(1, 10**6), lambda *_: True)
    assert lost_in_play < lost < Fraction(1, 10**6)
    assert all(chance == played[rolled] for rolled, chance in fast.items())
    assert sum(fast.values()) + lost == 1


@pytest.mark.parametrize(("code", "points"), [("5D+1", 3), ("1D", 3), ("12D", 2), ("3D", 9)])
@pytest.mark.parametrize("policy", ["never", "always"])
def test_what_is_left_out_is_less_than_one_in_a_thousand_million(code: str, points: int, policy: str) -> None:
    state = d6.table(Hero(points=points), house=House(wild(WildOne.DISCARD, WildSix.AGAIN), most_points=points))
    odds = Exact(POLICIES[policy]).of(d6.roll_with_points(ANA, read(Code, code), fated=False), state)
    assert 0 < odds.lost < Fraction(1, 10**9)
    assert odds.lost == 1 - sum(odds.of.values())


@pytest.mark.parametrize("dice", [1, 5, 10, 20])
def test_so_it_is_for_rolls_and_contests(dice: int) -> None:
    code, house = Code(dice, 2), wild(WildOne.DISCARD, WildSix.AGAIN)
    scores = house.scores(code)
    assert 0 < Fraction(scores.left_out, scores.whole) < Fraction(1, 10**12)
    ends = list(contest_ends(scores, scores))
    lost = sum(ways for result, _, ways in ends if result is LEFT_OUT)
    assert 0 < Fraction(lost, sum(ways for _, _, ways in ends)) < Fraction(1, 10**9)


# --- plans ------------------------------------------------------------------------------------------------------------


def card(difficulty: int, state: State) -> Any:
    return odds_of(
        action_of(d6.attempt).by(ANA, difficulty=difficulty), fully_known(state), GAME_MASTER, budget=Budget(None)
    )


def test_the_best_use_of_a_point_by_hand() -> None:
    """A die must reach seven with another one: t of six throws do, for each t of the first."""
    found = card(7, d6.table(Hero(Stat(1), points=1), house=House(PLAIN, D6, 1)))
    assert found.now.bands["success"] == 0
    assert found.best.forecast.bands["success"] == Fraction(21, 36)
    plan = {each.about["total"]: each for each in found.best.situations}
    assert sorted(plan) == [1, 2, 3, 4, 5, 6]
    assert all(each.chance == Fraction(1, 6) for each in plan.values())
    assert {total: each.worth["yes"] for total, each in plan.items()} == {t: Fraction(t, 6) for t in range(1, 7)}
    assert all(each.best == ("yes",) for each in plan.values())


def test_a_point_that_helps_no_more_ties_with_none() -> None:
    found = card(4, d6.table(Hero(Stat(1), points=1), house=House(PLAIN, D6, 1)))
    plan = {each.about["total"]: each.best for each in found.best.situations}
    assert plan == {1: ("yes",), 2: ("yes",), 3: ("yes",), 4: ("no", "yes"), 5: ("no", "yes"), 6: ("no", "yes")}
    assert found.best.forecast.bands["success"] == Fraction(1, 2) + Fraction(4 + 5 + 6, 36)


PLANS: Final = [
    (way, difficulty, points, fate)
    for way in ("plain", "discard, fortune", "complication, fortune", "ignore, all ones")
    for difficulty, points, fate in ((5, 1, 0), (8, 2, 0), (9, 2, 1), (3, 0, 1), (30, 2, 0))
]


@pytest.mark.parametrize(("way", "difficulty", "points", "fate"), PLANS)
def test_plans_are_the_same_with_and_without_kernels(
    way: str, difficulty: int, points: int, fate: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = d6.table(Hero(Stat(2), points=points, fate=fate), house=House(EVERY_WAY[way], D3, 2))
    fast = card(difficulty, state)
    for each in (d6.throw, d6.contest, d6.roll_with_points):
        monkeypatch.setattr(each, "kernel", None)
    played = card(difficulty, state)
    assert (fast.now, fast.decisions) == (played.now, played.decisions)
    assert fast.now.samples == 0
    assert (fast.best is None) == (played.best is None)
    if fast.best is not None:
        assert fast.best.forecast == played.best.forecast
        assert sorted(map(str, fast.best.situations)) == sorted(map(str, played.best.situations))


def test_the_best_of_results_is_the_best_of_scenes() -> None:
    """What is best by results alone, and by the scenes after them, where points left over are worth nothing."""
    state = d6.table(Hero(Stat(2), points=2), house=House(wild(WildOne.DISCARD), D3, 2))
    tree = StepTree(d6.attempt(ANA, 9), state, {"ana"})
    whole = tree.weighed(1, lambda judged, scene: (Fraction(judged.success),))
    results = tree.weighed_by_result(1, lambda judged: (Fraction(judged.success),))
    assert whole.vector == results.vector
    spared = tree.weighed(1, lambda judged, scene: (Fraction(judged.success) + Fraction(scene[ANA].points, 100),))
    assert spared.vector[0] > whole.vector[0]


# --- large ones -------------------------------------------------------------------------------------------------------


def at_least(scores: Any, bar: int) -> Fraction:
    return Fraction(sum(ways for rolled, ways in scores.rows if rolled.total >= bar), scores.whole)


def test_ten_dice_come_to_what_other_libraries_say() -> None:
    """Figures of icepool and dyce for 10D with at most ten extra throws, to six places."""
    assert float(at_least(wild(WildOne.IGNORE, WildSix.AGAIN).scores(Code(10)), 40)) == pytest.approx(
        0.251784, abs=1e-6
    )
    assert float(at_least(wild(WildOne.DISCARD, WildSix.AGAIN).scores(Code(10)), 40)) == pytest.approx(
        0.237660, abs=1e-6
    )
    scores = [wild(WildOne.IGNORE, WildSix.AGAIN).scores(Code(dice)) for dice in (8, 7)]
    ends = {result: ways for result, _, ways in contest_ends(*scores)}
    whole, _ = sum(ends.values()), ends.pop(LEFT_OUT)
    won = sum(ways for result, ways in ends.items() if result.margin > 0)
    tied = ends[Contest(0)]
    assert won / whole == pytest.approx(0.656464484, abs=1e-8)
    assert tied / whole == pytest.approx(0.047759, abs=1e-6)


def test_a_tie_goes_to_whoever_acts() -> None:
    state = d6.table(Hero(Stat(1)), Hero(Stat(1)), House(PLAIN))
    found = odds_of(action_of(d6.oppose).by(ANA, other=BO), fully_known(state), GAME_MASTER)
    assert found.now is not None
    assert found.now.bands["success"] == Fraction(21, 36)


def test_the_hard_scenes_are_exact() -> None:
    offer, state = d6.opposed_scene()
    opposed = odds_of(offer, fully_known(state), GAME_MASTER, budget=Budget(None))
    assert opposed.now is not None
    assert opposed.now.samples == 0
    assert float(opposed.now.bands["success"]) == pytest.approx(0.6509293136, abs=1e-10)
    offer, state = d6.points_scene()
    points = odds_of(offer, fully_known(state), GAME_MASTER, budget=Budget(None))
    assert points.now is not None
    assert points.best is not None
    assert points.now.samples == 0
    assert float(points.now.bands["success"]) == pytest.approx(0.1199982615, abs=1e-10)
    assert float(points.best.forecast.bands["success"]) == pytest.approx(0.7844882402, abs=1e-10)
    assert points.best.forecast.lost < Fraction(1, 10**9)


def sampled(call: Call[Any], state: State, policy: Policy, plays: int) -> Iterator[Any]:
    table = Sampled(Random(1), policy)
    return (table.play(call, state)[0] for _ in range(plays))


@pytest.mark.slow
@pytest.mark.parametrize("way", ["discard, again", "complication, again", "ignore, fortune"])
@pytest.mark.parametrize("difficulty", [15, 20, 25])
def test_sampled_play_agrees_within_four_standard_errors(way: str, difficulty: int) -> None:
    state = d6.table(Hero(Stat(5, 1), points=3), house=House(EVERY_WAY[way]))
    call, policy, plays = d6.attempt(ANA, difficulty), until(difficulty), 20_000
    chance = float(Exact(policy).of(call, state).chance(lambda judged: judged.success))
    share = sum(judged.success for judged in sampled(call, state, policy, plays)) / plays
    assert abs(share - chance) < 4 * (chance * (1 - chance) / plays) ** 0.5


def test_an_extra_die_is_thrown_again_and_added() -> None:
    state = d6.table(Hero(Stat(2), points=3), house=House(PLAIN))
    played = play(d6.attempt(ANA, 20), state, {"roll": "3 4", "point": "yes yes no", "extra": ["6 6 2", "1"]})
    assert (played.result, played.state["ana"]) == (Judged(2), Hero(Stat(2), points=1))
    assert Total.outcomes(Pool.of((open_die("extra", 6, 6), 1)))[0] == (Total(1), 6**15)


@pytest.mark.parametrize(
    ("own", "riding", "times", "found"),
    [
        ("5D", "3D+2", 1, "3D+2"),
        ("5D", "4D", 1, "5D"),
        ("3D", "3D+2", 1, "3D"),
        ("5D", "1D+2", 2, "2D+4"),  # 10 pips, below the 12 of 4D
        ("5D", "2D", 2, "10D"),
    ],
)
def test_a_code_is_capped_by_another_short_of_mastery(own: str, riding: str, times: int, found: str) -> None:
    on_a_horse = Active(Effect.from_plain({"caps": "*", "by": "Riding", "unless": "4D"}), "on a horse", "some.rule")
    codes: dict[str, Code] = {"Sword": Code.from_plain(own), "Riding": Code.from_plain(riding)}
    applied = ApplicableEffects(ANA, (on_a_horse,))
    code, why = capped(applied, codes["Sword"] * times, ("Sword",), lambda name: codes[name] * times, 3)
    assert str(code) == found
    assert (why is on_a_horse) is (found in (riding, "2D+4"))
