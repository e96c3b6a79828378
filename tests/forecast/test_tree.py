"""The tree of a step: the best by backward induction, equal to a brute-force expectimax; ties named."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.core import (
    D6,
    Bands,
    Call,
    Die,
    Open,
    Pool,
    Prompt,
    Refused,
    Scene,
    State,
    Total,
    Who,
    change,
    choose,
    hand_over,
    number_die,
    offer,
    roll,
    rule,
)
from referee.core.errors import TooLarge
from referee.core.questions import Choice, Roll
from referee.core.replay import Answered, Trail
from referee.core.rules import until_settled
from referee.core.run import Run
from referee.drivers.policies import Policy, always, by_default
from referee.forecast.bands import forecast
from referee.forecast.tree import Point, StepTree, Weighed, decisions_of


@dataclass(frozen=True, slots=True)
class Purse:
    coins: Open[int] = 0


ANA = Who("ana", Purse)
BO = Who("bo", Purse)
WAY = Prompt("way")
DIE = Prompt("die")
STATE = State({"ana": Purse(), "bo": Purse()})

Tree = tuple[Any, ...]


@rule("tests.tree.tree")
async def tree(scene: Scene, node: Tree) -> int:
    """A tree of chance and choice, carried out; some of it in rules of its own, some of its worth in the scene."""
    kind, inside, *rest = node
    if kind == "end":
        await change(ANA, Purse(scene[ANA].coins + rest[0]))
        return int(inside)
    if kind == "die":
        at = (await roll(DIE, None, Pool.of((number_die(len(rest)), 1)), Total)).total - 1
    else:
        at = await choose(ANA if kind == "mine" else BO, WAY, tuple(range(len(rest))))
    return await tree(rest[at]) if inside else await branch(scene, rest[at])


async def branch(scene: Scene, node: Tree) -> int:
    """The same without a rule of its own, as far as it goes."""
    kind, inside, *rest = node
    if kind == "end":
        await change(ANA, Purse(scene[ANA].coins + rest[0]))
        return int(inside)
    return await tree(node)


ends = st.tuples(st.just("end"), st.integers(-9, 9), st.integers(0, 5))


def inner(nodes: st.SearchStrategy[Tree]) -> st.SearchStrategy[Tree]:
    heads = st.tuples(st.sampled_from(["die", "mine", "theirs"]), st.booleans())
    return st.tuples(heads, st.lists(nodes, min_size=1, max_size=3)).map(lambda pair: (*pair[0], *pair[1]))


trees = st.recursive(ends, inner, max_leaves=10)


def worth(result: int, scene: Scene) -> int:
    return result + 2 * scene[ANA].coins


def tree_of(call: Call[Any], policy: Policy = by_default, given: Trail = ()) -> Weighed:
    """The tree of a step, weighed for what is best for Ana."""
    step = StepTree(call, STATE, {"ana"}, policy, given)
    return step.weighed(1, lambda result, scene: (Fraction(worth(result, scene)),))


def best_worth(call: Call[Any], policy: Policy = by_default, given: Trail = ()) -> Fraction:
    return tree_of(call, policy, given).vector[0]


def first_point(call: Call[Any]) -> Point:
    """The decision with which a step begins."""
    return tree_of(call).points()[0]


def worths(call: Call[Any]) -> dict[Any, Fraction]:
    """What each option of that decision is worth."""
    return {option: worth for option, (worth,) in first_point(call).options}


def expectimax(call: Call[Any], policy: Policy, answers: tuple[Any, ...] = ()) -> Fraction:
    """What the step is worth, by trying everything from the beginning each time."""
    scene = Scene(STATE)
    run = Run(scene, call)
    for answer in answers:
        run.answer(answer, run.open[0])
    if run.done:
        return Fraction(worth(run.result, scene))
    question = run.asking[run.open[0]]
    run.close()
    if isinstance(question, Roll):
        ((die, _),) = question.pool.groups
        each = [expectimax(call, policy, (*answers, Total(pip))) for pip in range(1, die.sides + 1)]
        return sum(each, Fraction(0)) / len(each)
    assert isinstance(question, Choice)
    if question.who == ANA:
        return max(expectimax(call, policy, (*answers, option)) for option in question.legal)
    return expectimax(call, policy, (*answers, policy(question, scene)))


@settings(max_examples=80)
@given(trees, st.integers(0, 2))
def test_the_best_is_what_a_brute_force_expectimax_finds(node: Tree, theirs: int) -> None:
    policy = always(**{"bo.way": theirs})
    assert best_worth(tree(node), policy) == expectimax(tree(node), policy)


@settings(max_examples=40)
@given(st.lists(trees, min_size=2, max_size=3))
def test_each_option_has_its_worth_and_ties_are_named(nodes: list[Tree]) -> None:
    call = tree(("mine", False, *nodes))
    expected = {at: expectimax(tree(node), by_default) for at, node in enumerate(nodes)}
    assert worths(call) == expected
    top = max(expected.values())
    assert first_point(call).best == tuple(at for at, value in expected.items() if value == top)


def test_options_as_good_as_each_other_are_all_named() -> None:
    gamble = ("die", True, ("end", 0, 0), ("end", 6, 0))
    node = ("mine", True, ("end", 3, 0), ("end", 2, 0), gamble, ("end", 1, 1))
    assert first_point(tree(node)).best == (0, 2, 3)


# --- from where a step stands -----------------------------------------------------------------------------------------

GAMBLE: Tree = ("die", True, ("mine", True, ("end", 1, 0), ("end", 4, 0)), ("end", 0, 0))


def test_a_tree_grows_from_where_the_step_stands() -> None:
    call = tree(GAMBLE)
    given_ = (Answered(Run(Scene(STATE), call).asking[0], 0, Total(1)),)
    assert best_worth(call, given=given_) == 4
    assert best_worth(call) == 2


def test_what_another_decides_is_decided_by_policy() -> None:
    call = tree(("theirs", True, ("end", 1, 0), ("end", 2, 0)))
    assert tree_of(call).points() == []
    assert best_worth(call, always(**{"bo.way": 1})) == 2
    assert best_worth(call, always(**{"bo.way": 0})) == 1


# --- refusals and starting over ---------------------------------------------------------------------------------------


@rule("tests.tree.risky")
async def risky(scene: Scene) -> int:
    """A one is refused."""
    thrown = await roll(DIE, None, Pool.of((number_die(2), 1)), Total)
    if thrown.total == 1:
        raise Refused("risk", because="a one", rule="tests.tree.risky")
    return 10


@rule("tests.tree.dares")
async def dares(scene: Scene) -> int:
    """Who dares may fail; the failure is caught."""
    if await choose(ANA, WAY, (True, False)):
        try:
            return await risky()
        except Refused:
            return -2
    return 3


def test_a_refusal_the_rule_catches_is_an_outcome_like_others() -> None:
    assert worths(dares()) == {True: 4, False: 3}


@rule("tests.tree.tie")
async def tie(scene: Scene, decide: bool) -> int | None:
    """A one settles nothing."""
    if decide and not await choose(ANA, WAY, (True, False)):
        return None
    thrown = await roll(DIE, None, Pool.of((D6, 1)), Total)
    return thrown.total if thrown.total > 1 else None


@rule("tests.tree.until")
async def until(scene: Scene, decide: bool) -> int:
    """Thrown again until it is settled, if at all."""
    return await until_settled(tie(decide)) if await choose(ANA, WAY, ("throw", "stay")) == "throw" else 3


def test_what_starts_over_until_it_is_settled_has_a_worth() -> None:
    assert worths(until(False)) == {"throw": 4, "stay": 3}


def test_deciding_in_what_starts_over_is_weighed_as_if_it_were_settled() -> None:
    assert worths(until(True)) == {"throw": 4, "stay": 3}


@rule("tests.tree.hold-out")
async def hold_out(scene: Scene) -> int | None:
    """Three for sure, or ten on a six; anything else settles nothing."""
    if await choose(ANA, WAY, ("take three", "hold out")) == "take three":
        return 3
    return 10 if (await roll(DIE, None, Pool.of((D6, 1)), Total)).total == 6 else None


@rule("tests.tree.patience")
async def patience(scene: Scene) -> int:
    """Who may throw again for nothing waits for the six."""
    return await until_settled(hold_out())


def test_who_may_start_over_for_nothing_holds_out_for_the_most() -> None:
    assert best_worth(patience()) == 10
    least = StepTree(patience(), STATE, {"ana"}).weighed(1, lambda result, _: (Fraction(-result),))
    assert least.vector == (Fraction(-3),)


@rule("tests.tree.for-ever")
async def for_ever(scene: Scene) -> int | None:
    """Nothing is ever settled."""
    await choose(ANA, WAY, (1, 2))
    return None


@rule("tests.tree.endless")
async def endless(scene: Scene) -> int:
    """It starts over for ever."""
    return await until_settled(for_ever())


def test_what_is_never_settled_has_no_worth_and_says_so() -> None:
    with pytest.raises(TooLarge, match="never settled"):
        best_worth(endless())


# --- each place once --------------------------------------------------------------------------------------------------

SPEND = Prompt("spend")


@rule("tests.tree.spend")
async def spend(scene: Scene, who: Who[Purse], total: int) -> int:
    """A coin buys one more die, as often as there are coins and it is wanted."""
    if not scene[who].coins or not await choose(who, SPEND, (True, False)):
        return total
    await change(who, Purse(scene[who].coins - 1))
    more = (await roll(DIE, who, Pool.of((D6, 1)), Total)).total
    return await hand_over(spend(who, total + more))


@cache
def reached(least: int, coins: int) -> Fraction:
    """The chance to reach a total with so many more dice."""
    if least <= 0 or not coins:
        return Fraction(least <= 0)
    return sum((reached(least - pip, coins - 1) for pip in range(1, 7)), Fraction(0)) / 6


@pytest.mark.parametrize(("coins", "least"), [(1, 5), (2, 9), (3, 12), (8, 30)])
def test_a_plan_for_points_spent_one_at_a_time_visits_each_place_once(coins: int, least: int) -> None:
    step = StepTree(spend(ANA, 0), State({"ana": Purse(coins)}), {"ana"}, most_runs=8 * coins * (6 * coins + 1))
    weighed = step.weighed_by_result(1, lambda total: (Fraction(total >= least),))
    assert weighed.vector == (reached(least, coins),)
    points = weighed.points()
    assert points[0].options == ((True, (reached(least, coins),)), (False, (Fraction(0),)))
    assert len(points) <= coins * 6 * coins


@rule("tests.tree.pick")
async def pick_a_card(scene: Scene, who: Who[Purse]) -> int:
    """Chance says what there is to choose from; whether to stop there is up to whoever draws."""
    shown = [(await roll(DIE, who, Pool.of((D6, 1)), Total)).total for _ in range(2)]
    if await choose(who, SPEND, (True, False)):
        return max(shown)
    return await choose(who, WAY, tuple(sorted(set(shown))))


def test_what_comes_from_chance_is_no_decision() -> None:
    step = StepTree(pick_a_card(ANA), STATE, {"ana"})
    assert decisions_of(step.results) == {"spend": {"yes": None}}
    assert step.weighed_by_result(1, lambda shown: (Fraction(shown),)).vector == (Fraction(161, 36),)


# --- forecasts --------------------------------------------------------------------------------------------------------

BANDS: Bands[int] = Bands(
    of=lambda n: "good" if n > 1 else "poor",
    keys=("good", "poor", "never"),
    extra={"great": lambda n: n > 3},
    bad={"zero": lambda n: n == 0},
)


def test_a_forecast_has_every_band_and_what_comes_beside() -> None:
    told = forecast(tree(GAMBLE), STATE, BANDS)
    assert told.bands == {"good": Fraction(1, 2), "poor": Fraction(1, 2), "never": 0}
    assert told.extra == {"great": Fraction(1, 2)}
    assert told.bad == {"zero": Fraction(1, 2)}


@rule("tests.tree.offered")
async def offered(scene: Scene) -> int:
    """An offer that may be declined."""
    return 5 if await offer(ANA, WAY, ("take",)) else 0


def test_declining_is_an_option() -> None:
    assert worths(offered()) == {"take": 5, None: 0}


# --- dice thrown again ------------------------------------------------------------------------------------------------

OPEN = Die("open", D6.faces, again={6})


@rule("tree.dare")
async def dare(scene: Scene, who: Who[Purse]) -> bool:
    """An open die must reach seven; whoever dares throws once more."""
    thrown = await roll(DIE, who, Pool.of((OPEN, 1)), Total)
    if thrown.total < 7 and await choose(who, WAY, (True, False)):
        thrown = await roll(DIE, who, Pool.of((OPEN, 1)), Total)
    return thrown.total >= 7


def test_a_tree_and_a_forecast_count_what_an_open_die_leaves_out() -> None:
    cut = Fraction(1, 6**16)
    tree = StepTree(dare(ANA), State({"ana": Purse()}), {"ana"})
    (best,) = tree.weighed(1, lambda result, scene: (Fraction(result),)).vector
    assert best == (Fraction(1, 6) - cut) * (1 + Fraction(5, 6))
    bands: Bands[bool] = Bands(of=lambda won: "won" if won else "lost", keys=("won", "lost"))
    found = forecast(dare(ANA), State({"ana": Purse()}), bands)
    assert found.bands == {"won": Fraction(1, 6) - cut, "lost": Fraction(5, 6)}
    assert found.lost == cut
    assert found.to_plain()["lost"] == {"exact": "1/2821109907456", "float": float(cut)}
