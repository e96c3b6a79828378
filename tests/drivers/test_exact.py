"""Exact odds: equal to a brute force, remembered or not, and honest about what they leave out or cannot do."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable
from dataclasses import dataclass
from fractions import Fraction
from itertools import count
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.core import (
    D3,
    D6,
    BadAnswer,
    Call,
    Open,
    Pool,
    Prompt,
    Refused,
    Scene,
    State,
    Total,
    Who,
    alter,
    change,
    choose,
    number_die,
    offer,
    roll,
    rule,
    rule_on,
    together,
)
from referee.core.errors import ReplayMismatch, TooLarge
from referee.core.questions import Choice, Roll
from referee.core.replay import Answered, OutsideChange, follow
from referee.core.rules import until_settled
from referee.core.run import Run
from referee.drivers.call_odds import Odds
from referee.drivers.exact import Exact
from referee.drivers.policies import Policy, always, by_default


@dataclass(frozen=True, slots=True)
class Heap:
    size: Open[int] = 0

    def plus(self, by: int) -> Heap:
        return Heap(max(0, min(3, self.size + by)))


NAMES = ("a", "b", "c")
DIE = Prompt("die")
PICK = Prompt("pick")
ANA = Who("ana", Heap)


def heap(name: str) -> Who[Heap]:
    return Who(name, Heap)


# --- random programs, carried out by one rule -------------------------------------------------------------------------

Step = tuple[Any, ...]
Program = tuple[Step, ...]


@rule("tests.exact.program")
async def program(scene: Scene, steps: Program) -> int:
    """Do what is written: throw, change, look, call, choose, refuse."""
    sum_ = 0
    for step in steps:
        sum_ = (sum_ + await one_step(scene, step, sum_)) % 7
    return sum_


async def one_step(  # noqa: C901, PLR0912  # one case for each word of the little language
    scene: Scene, step: Step, sum_: int
) -> int:
    match step:
        case ("roll", sides):
            return (await roll(DIE, None, Pool.of((number_die(sides), 1)), Total)).total
        case ("add", name, by):
            if heap(name) in scene:
                await alter(heap(name), Heap.plus, by)
        case ("put", name):
            await change(heap(name), Heap(min(3, sum_)))
        case ("take", name):
            await change(heap(name), None)
        case ("look", name):
            return scene[heap(name)].size if heap(name) in scene else 5
        case ("count",):
            return len(scene.all(Heap))
        case ("if", name, then, other):
            return await program(then if scene.get(heap(name), Heap()).size > 1 else other)
        case ("odd", then):
            return await program(then) if sum_ % 2 else 0
        case ("call", inner):
            return await program(inner)
        case ("pick",):
            return await choose(ANA, PICK, (0, 1, 2))
        case ("refuse",):
            if sum_ % 3 == 1:
                raise Refused("go on", because="the sum forbids it", rule="tests.exact.program")
        case ("try", inner):
            try:
                return await program(inner)
            except Refused:
                return 2
    return 0


names = st.sampled_from(NAMES)
simple = st.one_of(
    st.tuples(st.just("roll"), st.integers(2, 3)),
    st.tuples(st.just("add"), names, st.sampled_from([-1, 1, 2])),
    st.tuples(st.just("put"), names),
    st.tuples(st.just("take"), names),
    st.tuples(st.just("look"), names),
    st.just(("count",)),
    st.just(("pick",)),
    st.just(("refuse",)),
)


def nested(steps: st.SearchStrategy[Step]) -> st.SearchStrategy[Step]:
    inner = st.lists(steps, max_size=3).map(tuple)
    return st.one_of(
        st.tuples(st.sampled_from(["call", "try", "odd"]), inner), st.tuples(st.just("if"), names, inner, inner)
    )


programs = st.lists(st.recursive(simple, nested, max_leaves=5), max_size=5).map(tuple)
scenes = st.dictionaries(names, st.integers(0, 3).map(Heap)).map(State)

Ends = dict[tuple[Any, State], Fraction]


def by_brute_force(call: Call[Any], state: State, policy: Policy = by_default) -> Ends:
    """Every run from its beginning, with every pip of every die."""
    ends: defaultdict[tuple[Any, State], Fraction] = defaultdict(Fraction)
    todo: list[tuple[tuple[Any, ...], Fraction]] = [((), Fraction(1))]
    while todo:
        answers, chance = todo.pop()
        scene = Scene(state)
        run = Run(scene, call)
        for answer in answers:
            run.answer(answer, run.open[0])
        if run.done:
            ends[run.result, scene.state] += chance
            continue
        question = run.asking[run.open[0]]
        if isinstance(question, Roll):
            ((die, _),) = question.pool.groups
            each = [question.read([pip]) for pip in range(1, die.sides + 1)]
        else:
            assert isinstance(question, Choice)
            each = [policy(question, scene)]
        run.close()
        todo += [((*answers, answer), chance / len(each)) for answer in each]
    return dict(ends)


def shares(odds: Odds[Any]) -> Ends:
    assert len({(result, state) for result, state, _ in odds.ends}) == len(odds.ends)
    return {(result, state): Fraction(weight, odds.whole) for result, state, weight in odds.ends}


def ends_or_refusal(work: Any, *arguments: Any) -> Any:
    try:
        return work(*arguments)
    except Refused as why:
        return why.because


@settings(max_examples=60)
@given(programs, scenes)
def test_exact_odds_of_any_program_are_those_of_a_brute_force(steps: Program, state: State) -> None:
    call = program(steps)
    expected = ends_or_refusal(by_brute_force, call, state)
    assert ends_or_refusal(lambda: shares(Exact().of(call, state))) == expected
    assert ends_or_refusal(lambda: shares(Exact(remember=False).of(call, state))) == expected


@settings(max_examples=30)
@given(programs, st.lists(scenes, min_size=2, max_size=5), st.integers(0, 2))
def test_what_is_remembered_of_one_scene_never_answers_for_another(
    steps: Program, states: list[State], picked: int
) -> None:
    policy = always(pick=picked)
    remembering = Exact(policy)
    for state in (*states, *states):
        call = program((("call", steps), ("call", steps)))
        fresh = ends_or_refusal(lambda call=call, state=state: shares(Exact(policy, remember=False).of(call, state)))
        assert ends_or_refusal(lambda call=call, state=state: shares(remembering.of(call, state))) == fresh


@rule("tests.exact.sometimes")
async def sometimes(scene: Scene) -> int:
    """Looks at b only where a is large."""
    return scene[heap("b")].size if scene[heap("a")].size > 1 else -1


@rule("tests.exact.through")
async def through(scene: Scene) -> int:
    """By way of another rule."""
    return await sometimes()


def test_something_read_only_sometimes_is_remembered_only_where_it_was_read() -> None:
    exact = Exact()
    for a, b, expected in [(0, 1, -1), (0, 2, -1), (2, 1, 1), (2, 2, 2), (0, 3, -1), (2, 3, 3), (2, 1, 1)]:
        state = State({"a": Heap(a), "b": Heap(b)})
        assert exact.of(through(), state).of == {expected: 1}


def test_a_rule_worked_out_is_not_run_again_where_what_it_read_is_as_it_was() -> None:
    exact = Exact()
    exact.of(through(), State({"a": Heap(0), "b": Heap(1)}))
    runs = exact.runs
    exact.of(through(), State({"a": Heap(0), "b": Heap(2), "c": Heap(3)}))
    assert exact.runs == runs


# --- weights ----------------------------------------------------------------------------------------------------------


@rule("tests.exact.sum")
async def sum_of_three(scene: Scene) -> int:
    """Three throws, one after the other."""
    total = 0
    for _ in range(3):
        total += (await roll(DIE, None, Pool.of((D6, 1)), Total)).total
    return total


def test_odds_are_fractions_that_sum_to_one() -> None:
    odds = Exact().of(sum_of_three(), State({}))
    assert sum(odds.of.values()) == 1
    assert (odds.of[3], odds.of[10], odds.lost) == (Fraction(1, 216), Fraction(1, 8), Fraction(0))
    assert odds.leaves == 216
    assert odds.chance(lambda total: total >= 16) == Fraction(10, 216)
    assert odds.by(lambda total: total % 2) == {0: Fraction(1, 2), 1: Fraction(1, 2)}
    assert odds.mean(lambda total: total) == Fraction(21, 2)


@rule("tests.exact.mark")
async def mark(scene: Scene) -> None:
    """Where it ends is in the scene alone."""
    thrown = await roll(DIE, None, Pool.of((D3, 1)), Total)
    await change(heap("a"), Heap(thrown.total // 2))


def test_ends_are_told_apart_by_the_scene_after_them() -> None:
    odds = Exact().of(mark(), State({}))
    assert odds.of == {None: 1}
    assert odds.by_end(lambda _, scene: scene[heap("a")].size) == {0: Fraction(1, 3), 1: Fraction(2, 3)}


@rule("tests.exact.both")
async def both(scene: Scene) -> tuple[int, int]:
    """Two throws as one."""
    one, other = await together(
        roll(DIE, None, Pool.of((D3, 1)), Total), roll(DIE, ANA, Pool.of((number_die(2), 1)), Total)
    )
    return one.total, other.total


def test_throws_put_together_are_independent() -> None:
    odds = Exact().of(both(), State({}))
    assert odds.of == {(one, other): Fraction(1, 6) for one in (1, 2, 3) for other in (1, 2)}


# --- without an end ---------------------------------------------------------------------------------------------------


@rule("tests.exact.until-six")
async def until_six(scene: Scene) -> int:
    """Throw until a six comes: a chain without an end."""
    for throws in count(1):
        if (await roll(DIE, None, Pool.of((D6, 1)), Total)).total == 6:
            return throws
    return 0


def test_a_chain_without_an_end_is_an_error_and_not_a_hang() -> None:
    with pytest.raises(TooLarge, match=r"tests\.exact\.until-six\(\) has too many branches"):
        Exact().of(until_six(), State({}))


def test_a_floor_ends_the_chain_and_reports_what_it_left_out() -> None:
    odds = Exact(floor=Fraction(1, 1000)).of(until_six(), State({}))
    assert odds.of == {throws: Fraction(5, 6) ** (throws - 1) * Fraction(1, 6) for throws in (1, 2, 3, 4)}
    assert odds.lost == Fraction(5, 6) ** 4


@pytest.mark.parametrize("floor", [Fraction(1, 10), Fraction(1, 50)])
def test_a_lower_floor_loses_less(floor: Fraction) -> None:
    coarse, fine = (Exact(floor=each).of(until_six(), State({})).lost for each in (floor, floor / 6))
    assert fine < coarse


def test_a_floor_above_everything_loses_everything() -> None:
    odds = Exact(floor=Fraction(2)).of(sum_of_three(), State({}))
    assert odds.lost == 1
    assert not odds.ends


def test_nothing_is_lost_above_the_floor() -> None:
    odds = Exact(floor=Fraction(1, 1000)).of(sum_of_three(), State({}))
    assert odds.lost == 0
    assert odds.of == Exact().of(sum_of_three(), State({})).of


@rule("tests.exact.wide")
async def wide(scene: Scene, throws: int) -> int:
    """Many throws, each kept apart."""
    sums = 0
    for _ in range(throws):
        sums = sums * 6 + (await roll(DIE, None, Pool.of((D6, 1)), Total)).total
    return sums


def test_more_branches_than_allowed_are_an_error() -> None:
    assert len(Exact(most_runs=36).of(wide(2), State({})).ends) == 36
    with pytest.raises(TooLarge, match="too many branches"):
        Exact(most_runs=35).of(wide(2), State({}))


@rule("tests.exact.itself")
async def itself(scene: Scene) -> int:
    """Calls itself on the same scene, on a one."""
    thrown = await roll(DIE, None, Pool.of((D6, 1)), Total)
    return await itself() if thrown.total == 1 else thrown.total


def test_a_rule_that_calls_itself_on_the_same_scene_is_refused_by_name() -> None:
    with pytest.raises(TooLarge, match=r"tests\.exact\.itself\(\) calls itself on the same scene"):
        Exact().of(itself(), State({}))


@rule("tests.exact.no-one")
async def no_one(scene: Scene, marks: bool) -> int | None:
    """A one settles nothing."""
    thrown = await roll(DIE, None, Pool.of((D6, 1)), Total)
    if marks:
        await change(heap("a"), Heap(1))
    return thrown.total if thrown.total > 1 else None


@rule("tests.exact.settled")
async def settled(scene: Scene, marks: bool) -> int:
    """Thrown again until it is settled."""
    return await until_settled(no_one(marks))


@pytest.mark.parametrize("marks", [False, True])
def test_what_starts_over_until_it_is_settled_has_closed_odds(marks: bool) -> None:
    odds = Exact().of(settled(marks), State({}))
    assert odds.lost < Fraction(1, 10**9)
    for total in range(2, 7):
        assert abs(odds.of[total] - Fraction(1, 5)) <= odds.lost
    assert marks or odds.lost == 0


# --- replay -----------------------------------------------------------------------------------------------------------

ASKED = count()


@rule("tests.exact.global")
async def reads_a_global(scene: Scene) -> int:
    """Asks something else each time it is run."""
    sides = next(ASKED) % 5 + 2
    first = await roll(DIE, None, Pool.of((number_die(sides), 1)), Total)
    return first.total + (await roll(DIE, None, Pool.of((D6, 1)), Total)).total


def test_a_rule_that_reads_a_global_is_found_out() -> None:
    with pytest.raises(ReplayMismatch, match=r"run again, the rule asked die: throw 1 d\d where it had first asked"):
        Exact().of(reads_a_global(), State({}))


@rule("tests.exact.shrinks")
async def shrinks(scene: Scene) -> int:
    """Asks a second time only the first time it is run."""
    total = (await roll(DIE, None, Pool.of((D3, 1)), Total)).total
    if next(ASKED) % 2 == 0:
        total += (await roll(DIE, None, Pool.of((D6, 1)), Total)).total
    return total


def test_a_rule_that_asks_less_the_second_time_is_found_out() -> None:
    global ASKED  # noqa: PLW0603  # the mistake this test is about
    ASKED = count()
    with pytest.raises(ReplayMismatch, match="nothing more"):
        Exact().of(shrinks(), State({}))


# --- policies ---------------------------------------------------------------------------------------------------------


@rule("tests.exact.decides")
async def decides(scene: Scene) -> tuple[Any, ...]:
    """A choice, an offer, a ruling."""
    return (
        await choose(ANA, PICK, (0, 1, 2)),
        await offer(ANA, Prompt("bet"), (5, 6)),
        await rule_on(Prompt("light"), 3, low=0, high=5),
    )


def test_decisions_are_by_default_unless_a_policy_says_otherwise() -> None:
    assert Exact().of(decides(), State({})).of == {(2, None, 3): 1}
    assert Exact(always(pick=1, bet=6, light=5)).of(decides(), State({})).of == {(1, 6, 5): 1}


@pytest.mark.parametrize(
    "illegal",
    [
        lambda question, _: 7 if question.name == "pick" else question.default,
        lambda question, _: "5" if question.name == "bet" else question.default,
        lambda question, _: 99 if question.name == "light" else question.default,
        lambda question, _: "dark" if question.name == "light" else question.default,
    ],
)
def test_a_policy_is_held_to_legal_answers(illegal: Policy) -> None:
    for remember in (True, False):
        with pytest.raises(BadAnswer):
            Exact(illegal, remember=remember).of(decides(), State({}))


@rule("tests.exact.asks-b")
async def asks(scene: Scene) -> int:
    """Somebody decides, by what they see in the scene."""
    return await choose(ANA, PICK, (0, 1, 2))


@rule("tests.exact.twice")
async def twice(scene: Scene) -> tuple[int, int]:
    """The scene changes between two decisions."""
    first = await asks()
    await change(heap("b"), Heap(2))
    return first, await asks()


def by_the_heap(question: Choice[Any], scene: Scene) -> Any:
    return scene.get(heap("b"), Heap()).size


def test_what_a_policy_looks_at_is_part_of_what_is_remembered() -> None:
    assert Exact(by_the_heap).of(twice(), State({"b": Heap(1)})).of == {(1, 2): 1}


# --- from where a trail has led ---------------------------------------------------------------------------------------


def first_question(call: Call[Any], state: State) -> Roll[Total]:
    question = Run(Scene(state), call).asking[0]
    assert isinstance(question, Roll)
    return question


def test_odds_from_a_trail_are_those_of_what_is_left() -> None:
    call, state = sum_of_three(), State({})
    question = first_question(call, state)
    odds = Exact().of(call, state, (Answered(question, 0, Total(6)), Answered(question, 0, Total(5))))
    assert odds.of == {11 + pip: Fraction(1, 6) for pip in range(1, 7)}


@rule("tests.exact.looks-after")
async def looks_after(scene: Scene) -> int:
    """Throws, then looks."""
    thrown = await roll(DIE, None, Pool.of((D3, 1)), Total)
    return thrown.total + scene[heap("a")].size


def test_a_scene_moved_from_outside_is_read_as_it_then_is() -> None:
    call, state = looks_after(), State({"a": Heap(0)})
    odds = Exact().of(call, state, (OutsideChange(State({"a": Heap(3)})),))
    assert odds.of == {n: Fraction(1, 3) for n in (4, 5, 6)}
    assert all(after == State({"a": Heap(3)}) for _, after, _ in odds.ends)


def test_a_trail_that_does_not_fit_is_found_out() -> None:
    call, state = sum_of_three(), State({})
    other = roll(DIE, None, Pool.of((D3, 1)), Total)
    with pytest.raises(ReplayMismatch):
        follow(call, Scene(state), (Answered(other, 0, Total(1)),))
    question = first_question(call, state)
    with pytest.raises(ReplayMismatch, match="nothing more"):
        follow(call, Scene(state), (Answered(question, 0, Total(1)),) * 4)
    with pytest.raises(ReplayMismatch):
        follow(call, Scene(state), (Answered(question, 1, Total(1)),))


def test_results_are_whatever_can_be_hashed() -> None:
    odds = Exact().of(both(), State({}))
    assert all(isinstance(result, Hashable) for result in odds.of)
