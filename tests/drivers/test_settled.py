"""Odds read results, not leftovers: what is sealed, left out or remembered never changes a figure.

The truth is plain play: `Exact(remember=False, kernels=False)` runs every rule from its beginning, die by die.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from itertools import product
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.core import (
    D3,
    D6,
    Call,
    Encounter,
    Mod,
    Mods,
    Open,
    Pool,
    Prompt,
    Refused,
    Scene,
    State,
    Total,
    Who,
    action,
    action_of,
    afterwards,
    alter,
    change,
    choose,
    frozen,
    hand_over,
    number_die,
    refuse,
    roll,
    rule,
    settled,
    total,
    until_settled,
)
from referee.core.modifiers import Itemised
from referee.core.questions import Choice
from referee.core.rules import Decide, Ends, kernel
from referee.core.run import Run, SubResults
from referee.drivers.call_odds import Odds, ResultOdds
from referee.drivers.chain import ends_of
from referee.drivers.exact import Exact
from referee.drivers.policies import Policy, always, by_default
from referee.drivers.sampled import Sampled
from referee.drivers.scripted import play
from referee.forecast.tree import StepTree
from referee.testing.conformance import compare_results


@frozen
class Fighter:
    """Someone with a sword that wears down when it is pushed."""

    edge: Open[int] = 3
    wounds: Open[int] = 0
    luck: Open[int] = 0

    def worn(self, by: int) -> Fighter:
        return replace(self, edge=max(0, self.edge - by))

    def hurt(self, by: int) -> Fighter:
        return replace(self, wounds=min(3, self.wounds + by))

    def lucky(self, by: int) -> Fighter:
        return replace(self, luck=self.luck + by)


ANA = Who("ana", Fighter)
BO = Who("bo", Fighter)
CAY = Who("cay", Fighter)
BLOW = Prompt("blow")
PUSH = Prompt("push")
PANIC = Prompt("panic")
STATE = State({"ana": Fighter(), "bo": Fighter()})

Shares = dict[Any, Fraction]


def shares(odds: Odds[Any]) -> Shares:
    return {(result, state): Fraction(weight, odds.whole) for result, state, weight in odds.ends}


def plainly(call: Call[Any], state: State, policy: Policy = by_default) -> Odds[Any]:
    return Exact(policy, remember=False, kernels=False).of(call, state)


def check_equal(call: Call[Any], state: State = STATE, policy: Policy = by_default) -> ResultOdds[Any]:
    """Sealed, merged and remembered odds are those of plain play: whole steps, results alone, and from a tree."""
    plain = plainly(call, state, policy)
    for kernels in (True, False):
        assert shares(Exact(policy, kernels=kernels).of(call, state)) == shares(plain)
        assert Exact(policy, kernels=kernels).results(call, state).of == plain.of
    both = Exact(policy)
    assert both.results(call, state).of == plain.of
    assert shares(both.of(call, state)) == shares(plain)
    assert both.results(call, state).of == plain.of
    results = list(plain.of)
    tree = StepTree(call, state, (), policy)
    weighed = tree.weighed_by_result(len(results), lambda found: tuple(Fraction(found == each) for each in results))
    assert dict(zip(results, weighed.vector, strict=True)) == plain.of
    compare_results(call, state, policy)
    return both.results(call, state)


# --- ending with another rule, and what follows from its result -------------------------------------------------------


@rule("tests.settled.cut")
async def cut(scene: Scene, who: Who[Fighter]) -> int:
    """What a die shows; it blunts the sword if it is even."""
    shown = (await roll(BLOW, who, Pool.of((D6, 1)), Total)).total
    return await hand_over(as_shown(shown), then=lambda found: blunt(who, 1) if found % 2 == 0 else None)


@rule("tests.settled.as-shown")
async def as_shown(scene: Scene, shown: int) -> int:
    return shown


@rule("tests.settled.blunt")
async def blunt(scene: Scene, who: Who[Fighter], by: int) -> None:
    await alter(who, Fighter.worn, by)


@rule("tests.settled.deep-cut")
async def deep_cut(scene: Scene, who: Who[Fighter], target: Who[Fighter]) -> str:
    """From four on it is deep, which hurts; both rules read what they end with, and both have consequences."""
    await afterwards(hurt_by(who, 1))
    return await hand_over(
        cut(who),
        lambda shown: "deep" if shown >= 4 else "shallow",
        then=lambda depth: hurt_by(target, 1) if depth == "deep" else None,
    )


@rule("tests.settled.hurt-by")
async def hurt_by(scene: Scene, who: Who[Fighter], by: int) -> None:
    await alter(who, Fighter.hurt, by)


@rule("tests.settled.two-cuts")
async def two_cuts(scene: Scene, who: Who[Fighter], target: Who[Fighter]) -> tuple[str, int]:
    """The consequences of the first are read."""
    first = await deep_cut(who, target)
    return first, scene[target].wounds + 10 * scene[who].wounds + 100 * scene[who].edge


def test_what_follows_from_a_result_is_told_what_its_own_rule_made_of_it() -> None:
    assert check_equal(deep_cut(ANA, BO)).of == {"deep": Fraction(1, 2), "shallow": Fraction(1, 2)}
    played = play(deep_cut(ANA, BO), STATE, {"blow": "4"})
    assert (played.result, played.state["ana"], played.state["bo"]) == ("deep", Fighter(2, 1), Fighter(3, 1))
    odds = check_equal(two_cuts(ANA, BO)).of
    assert odds == {
        ("shallow", 310): Fraction(2, 6),
        ("shallow", 210): Fraction(1, 6),
        ("deep", 211): Fraction(2, 6),
        ("deep", 311): Fraction(1, 6),
    }


# --- a second blow that reads what the first one's push wore down -----------------------------------------------------


@rule("tests.settled.blow")
async def blow(scene: Scene, who: Who[Fighter], target: Who[Fighter]) -> bool:
    """As many dice as the sword has edge; one six hits. A miss is pushed, and every one then dulls the sword."""
    dice = Pool.of((D6, scene[who].edge))
    if not scene[who].edge:
        return False
    if (await roll(BLOW, who, dice, Total)).total >= 5 * scene[who].edge:
        return True
    again = (await roll(PUSH, who, dice, Total)).total
    if again <= 3 * scene[who].edge:
        await alter(who, Fighter.worn, 1 if again % 2 else 2)
    return again >= 5 * scene[who].edge


@rule("tests.settled.two-blows")
async def two_blows(scene: Scene, who: Who[Fighter], target: Who[Fighter]) -> int:
    """How many of two blows hit."""
    return int(await blow(who, target)) + int(await blow(who, target))


def test_a_second_blow_reads_what_the_first_has_worn_down() -> None:
    state = STATE.but("ana", Fighter(edge=2))
    odds = check_equal(two_blows(ANA, BO), state)
    one = Exact().results(blow(ANA, BO), state).of[True]
    assert odds.of[2] != one**2
    assert sum(odds.of.values()) == 1


# --- the same, by a pencil --------------------------------------------------------------------------------------------


@rule("tests.settled.dull")
async def dull(scene: Scene, who: Who[Fighter]) -> bool:
    """One die per edge must show a six at the first throw; a miss costs one edge on a one, two, or three."""
    hit = (await roll(BLOW, who, Pool.of((D6, 1)), Total)).total <= scene[who].edge
    if not hit and (await roll(PUSH, who, Pool.of((number_die(2), 1)), Total)).total == 1:
        await alter(who, Fighter.worn, 1)
    return hit


@rule("tests.settled.twice")
async def twice(scene: Scene, who: Who[Fighter]) -> bool:
    """One of two blows hits."""
    first = await dull(who)
    second = await dull(who)
    return first or second


def test_leaving_out_what_the_first_did_would_give_another_figure() -> None:
    hit = Fraction(3, 6)
    worn = Fraction(2, 6)
    expected = 1 - (1 - hit) * (Fraction(1, 2) * (1 - worn) + Fraction(1, 2) * (1 - hit))
    assert expected == Fraction(17, 24)
    assert check_equal(twice(ANA)).of[True] == expected
    assert expected != 1 - (1 - hit) ** 2


# --- nested and repeated seals ----------------------------------------------------------------------------------------


@rule("tests.settled.stir")
async def stir(scene: Scene, who: Who[Fighter]) -> None:
    """Changes luck in two ways, or leaves it; says nothing about it."""
    thrown = (await roll(BLOW, who, Pool.of((D3, 1)), Total)).total
    if thrown < 3:
        await change(who, Fighter(luck=thrown))


@rule("tests.settled.stir-and-hurt")
async def stir_and_hurt(scene: Scene, who: Who[Fighter], target: Who[Fighter]) -> int:
    """A rule in between, with changes of its own."""
    await stir(who)
    thrown = (await roll(BLOW, who, Pool.of((number_die(2), 1)), Total)).total
    await alter(target, Fighter.hurt, thrown)
    await stir(target)
    return thrown // 2


@rule("tests.settled.deep")
async def deep(scene: Scene, looks: tuple[str, ...]) -> tuple[int, ...]:
    """Sealed values under sealed values; only some are looked at."""
    first = await stir_and_hurt(ANA, BO)
    second = await stir_and_hurt(BO, ANA)
    await stir(ANA)
    return (first, second, *(scene[Who(name, Fighter)].luck for name in looks))


@pytest.mark.parametrize("looks", [(), ("ana",), ("bo",), ("ana", "bo")])
def test_sealed_values_may_lie_on_each_other(looks: tuple[str, ...]) -> None:
    check_equal(deep(looks))


def test_what_nothing_reads_is_not_looked_at() -> None:
    exact = Exact()
    assert exact.results(deep(()), STATE).of == dict.fromkeys(product((0, 1), repeat=2), Fraction(1, 4))
    looked = Exact()
    looked.results(deep(("ana", "bo")), STATE)
    assert exact.runs < looked.runs / 2


@rule("tests.settled.absent")
async def absent(scene: Scene, reads: bool) -> int:
    """What a rule has left alone in some ways is, where it is read, what was there before."""
    await stir(CAY)
    if not reads:
        return 0
    return scene[CAY].luck if CAY in scene else -1


@pytest.mark.parametrize("reads", [False, True])
@pytest.mark.parametrize("there", [None, Fighter(), Fighter(luck=2)])
def test_what_is_left_alone_stays_what_it_was(reads: bool, there: Fighter | None) -> None:
    exact = Exact()
    for state in (STATE.but("cay", there), STATE.but("cay", Fighter(luck=3)), STATE):
        assert shares(exact.of(absent(reads), state)) == shares(plainly(absent(reads), state))
    check_equal(absent(reads), STATE.but("cay", there))


@rule("tests.settled.counts")
async def counts(scene: Scene, comes: bool) -> tuple[str, ...]:
    """Who is there, after someone has perhaps come or gone, or has only changed."""
    thrown = (await roll(BLOW, None, Pool.of((D3, 1)), Total)).total
    if thrown == 1:
        await change(CAY, Fighter() if comes else None)
    await alter(ANA, Fighter.lucky, thrown)
    return ()


@rule("tests.settled.after-counts")
async def after_counts(scene: Scene, comes: bool) -> tuple[str, ...]:
    """Lists everyone."""
    _ = await counts(comes)
    return tuple(who.name for who in scene.all(Fighter))


def test_who_is_there_is_read_without_what_they_are_like() -> None:
    assert check_equal(after_counts(True)).of == {("ana", "bo"): Fraction(2, 3), ("ana", "bo", "cay"): Fraction(1, 3)}
    assert set(check_equal(after_counts(False), STATE.but("cay", Fighter())).of) == {
        ("ana", "bo"),
        ("ana", "bo", "cay"),
    }
    exact = Exact()
    exact.of(after_counts(True), STATE)
    runs = exact.runs
    exact.of(after_counts(True), STATE.but("bo", Fighter(luck=2)))
    assert exact.runs == runs
    exact.of(after_counts(True), STATE.but("dan", Fighter()))
    assert exact.runs > runs


# --- refusals ---------------------------------------------------------------------------------------------------------


@rule("tests.settled.balks")
async def balks(scene: Scene, who: Who[Fighter]) -> int:
    """Changes something, and then refuses on a one; a two is refused for another reason."""
    thrown = (await roll(PANIC, who, Pool.of((D6, 1)), Total)).total
    await change(who, replace(scene[who], luck=thrown // 2))
    if thrown < 3:
        refuse("too low" if thrown == 1 else "still too low", legal=("three",))
    return thrown


@rule("tests.settled.catches")
async def catches(scene: Scene, who: Who[Fighter]) -> str:
    """What a rule changed before it refused stays, if someone catches the refusal."""
    try:
        return str(await balks(who))
    except Refused as why:
        return f"{why.because} {scene[who].luck} {why.legal[0]}"


@rule("tests.settled.catches-twice")
async def catches_twice(scene: Scene, who: Who[Fighter]) -> tuple[str, str]:
    return await catches(who), await catches(who)


def test_a_refusal_is_remembered_like_a_result() -> None:
    odds = check_equal(catches_twice(ANA))
    assert odds.of["too low 0 three", "still too low 1 three"] == Fraction(1, 36)
    exact = Exact()
    exact.results(catches_twice(ANA), STATE)
    runs = exact.runs
    exact.results(catches_twice(ANA), STATE)
    assert exact.runs == runs < 100


@rule("tests.settled.hands-over-balking")
async def hands_over_balking(scene: Scene, who: Who[Fighter]) -> int:
    await alter(who, Fighter.hurt, 1)
    return await hand_over(balks(who))


@rule("tests.settled.catches-handed-over")
async def catches_handed_over(scene: Scene, who: Who[Fighter]) -> int:
    try:
        return await hands_over_balking(who)
    except Refused:
        return -1


def test_a_refusal_goes_past_the_rule_that_has_handed_over() -> None:
    assert check_equal(catches_handed_over(ANA)).of[-1] == Fraction(1, 3)


@pytest.mark.parametrize("call", [balks(ANA), hands_over_balking(ANA)])
def test_a_refusal_that_nobody_catches_refuses_the_step(call: Call[Any]) -> None:
    exact = Exact()
    for ask in (exact.of, exact.results, Exact().results, Exact(remember=False).of):
        with pytest.raises(Refused, match="too low"):
            ask(call, STATE)
    assert exact.results(catches(ANA), STATE).of["3"] == Fraction(1, 6)


# --- repeats, chains, floors ------------------------------------------------------------------------------------------


@rule("tests.settled.tie")
async def tie(scene: Scene, who: Who[Fighter]) -> int | None:
    """One to three settle it; a four leaves a mark, five and six do nothing."""
    thrown = (await roll(BLOW, who, Pool.of((D6, 1)), Total)).total
    if thrown == 4:
        await alter(who, Fighter.hurt, 1)
    return thrown if thrown < 4 else None


@rule("tests.settled.untie")
async def untie(scene: Scene, who: Who[Fighter], looks: bool) -> tuple[int, int]:
    found = await until_settled(tie(who))
    return found, scene[who].wounds if looks else 0


def test_what_starts_over_is_sealed_too() -> None:
    odds, looked = Exact().results(untie(ANA, False), STATE), Exact().results(untie(ANA, True), STATE)
    for found in (1, 2, 3):
        assert abs(odds.of[found, 0] - Fraction(1, 3)) <= odds.lost
        for wounds, chance in enumerate((Fraction(3, 4), Fraction(3, 16), Fraction(3, 64), Fraction(1, 64))):
            assert abs(looked.of[found, wounds] - chance / 3) <= looked.lost
    assert 0 <= looked.lost < Fraction(1, 10**9)


@frozen
class Duel(Encounter):
    """Blow after blow, until someone has three wounds."""

    def next_step(self, scene: Scene, me: Who[Any]) -> Call[Any]:
        return exchange()

    def over(self, scene: Scene, me: Who[Any]) -> str | None:
        return next((who.name for who in (ANA, BO) if scene[who].wounds >= 3), None)


@rule("tests.settled.wound")
async def wound(scene: Scene, who: Who[Fighter]) -> None:
    """It hurts by one, or by two."""
    await alter(who, Fighter.hurt, (await roll(PANIC, who, Pool.of((number_die(2), 1)), Total)).total)


@rule("tests.settled.exchange")
async def exchange(scene: Scene) -> bool:
    """One of the two is hurt, and that is settled before it is known how badly."""
    first = (await roll(BLOW, None, Pool.of((D6, 1)), Total)).total < 3
    return await settled(first, then=wound(BO if first else ANA))


def test_a_chain_of_encounters_plays_the_consequences() -> None:
    state = STATE.but("duel", Duel())
    duel = Who("duel", Duel)
    found, plain = ends_of(duel, state), ends_of(duel, state, Exact(remember=False, kernels=False))
    assert found.scenes == plain.scenes
    assert found.steps == plain.steps
    assert sum(found.of.values()) == 1


def test_a_floor_plays_everything_and_says_what_it_lost() -> None:
    floor = Fraction(1, 13)
    odds = Exact(floor=floor).results(two_blows(ANA, BO), STATE.but("ana", Fighter(edge=1)))
    assert odds.lost == 1 - sum(odds.of.values()) > 0


# --- settled ----------------------------------------------------------------------------------------------------------


@rule("tests.settled.aftermath")
async def aftermath(scene: Scene, who: Who[Fighter]) -> int:
    """The consequences: many, and asked for."""
    thrown = (await roll(PANIC, who, Pool.of((D6, 1)), Total)).total
    await alter(who, Fighter.hurt, thrown // 2)
    if await choose(who, PANIC, (True, False)):
        await alter(who, Fighter.lucky, 1)
    return thrown


@rule("tests.settled.strike")
async def strike(scene: Scene, who: Who[Fighter], target: Who[Fighter]) -> bool:
    """A five hits; a hit has consequences."""
    hit = (await roll(BLOW, who, Pool.of((D6, 1)), Total)).total >= 5
    return await settled(hit, then=aftermath(target)) if hit else hit


@rule("tests.settled.attack")
async def attack(scene: Scene, who: Who[Fighter], target: Who[Fighter]) -> bool:
    await alter(who, Fighter.worn, 1)
    return await hand_over(strike(who, target))


@rule("tests.settled.flurry")
async def flurry(scene: Scene, who: Who[Fighter], target: Who[Fighter]) -> tuple[int, int]:
    """Not the end of it: what the first strike has done is read."""
    hits = int(await strike(who, target)) + int(await strike(who, target))
    return hits, scene[target].wounds


@pytest.mark.parametrize("panics", [True, False])
@pytest.mark.parametrize("make", [strike, attack, flurry])
def test_odds_of_what_is_settled_are_those_of_the_whole_step(make: Any, panics: bool) -> None:
    check_equal(make(ANA, BO), policy=always(panic=panics))


def test_odds_leave_out_what_follows_at_the_end_of_the_action_and_nowhere_else() -> None:
    asked: list[str] = []

    def asks(question: Choice[Any], scene: Scene) -> Any:
        asked.append(str(question.name))
        return False

    assert Exact(asks).results(attack(ANA, BO), STATE).of == {True: Fraction(1, 3), False: Fraction(2, 3)}
    assert asked == []
    assert Exact(asks).of(attack(ANA, BO), STATE).of == {True: Fraction(1, 3), False: Fraction(2, 3)}
    assert asked
    asked.clear()
    Exact(asks).results(flurry(ANA, BO), STATE)
    assert asked


def test_every_table_plays_the_consequences() -> None:
    played = play(attack(ANA, BO), STATE, {"blow": "5", "panic": ["4", "yes"]})
    assert played.result is True
    assert played.state["bo"] == Fighter(wounds=2, luck=1)
    assert [(event.who, event.rules[0]) for event in played.events] == [  # type: ignore[union-attr]
        ("ana", "tests.settled.attack"),
        ("bo", "tests.settled.aftermath"),
        ("bo", "tests.settled.aftermath"),
    ]
    found = {Sampled(Random(seed), always(panic=True)).play(attack(ANA, BO), STATE) for seed in range(60)}
    assert {after["bo"] for hit, after in found if hit} == {Fighter(wounds=n, luck=1) for n in range(4)}
    assert {after["bo"] for hit, after in found if not hit} == {Fighter()}


def test_the_result_of_a_settled_rule_is_noted_after_its_consequences() -> None:
    results = SubResults()
    run = Run(Scene(STATE), attack(ANA, BO), results=results)
    run.answer(Total(6))
    assert run.result_stands
    assert run.result is True
    assert not run.done
    run.answer(Total(1))
    run.answer(False)
    assert (run.done, run.result) == (True, True)


@rule("tests.settled.runs-on")
async def runs_on(scene: Scene) -> int:
    """Whatever stands after it does not run, at any table."""
    _ = await settled(1, then=wound(ANA))
    await alter(BO, Fighter.hurt, 3)
    return 2


def test_nothing_runs_after_it() -> None:
    assert play(runs_on(), STATE, {"panic": "1"}).result == 1
    assert check_equal(runs_on()).of == {1: 1}


@rule("tests.settled.refused-later")
async def refused_later(scene: Scene) -> int:
    """It cannot catch what its own consequences refuse: it has ended."""
    try:
        return await settled(7, then=balks(ANA))
    except Refused:
        return 8


@rule("tests.settled.catches-later")
async def catches_later(scene: Scene) -> int:
    try:
        return await refused_later()
    except Refused:
        return 9


def test_what_consequences_refuse_is_for_the_caller() -> None:
    assert play(catches_later(), STATE, {"panic": "1"}).result == 9
    assert check_equal(catches_later()).of == {7: Fraction(2, 3), 9: Fraction(1, 3)}
    with pytest.raises(Refused):
        play(refused_later(), STATE, {"panic": "1"})
    with pytest.raises(AssertionError, match="its consequences are refused, and its odds do not show it"):
        compare_results(refused_later(), STATE)


@rule("tests.settled.tie-settled")
async def tie_settled(scene: Scene) -> int | None:
    """What starts over may be settled, with consequences."""
    thrown = (await roll(BLOW, None, Pool.of((D3, 1)), Total)).total
    return await settled(thrown, then=wound(BO)) if thrown > 1 else None


@rule("tests.settled.untie-settled")
async def untie_settled(scene: Scene) -> tuple[int, int]:
    return await until_settled(tie_settled()), scene[BO].wounds


def test_what_starts_over_may_have_consequences() -> None:
    odds = Exact().results(untie_settled(), STATE)
    assert odds.of == {each: Fraction(1, 4) for each in product((2, 3), (1, 2))}
    assert Exact().of(untie_settled(), STATE).of == odds.of


# --- afterwards -------------------------------------------------------------------------------------------------------


@rule("tests.settled.rest")
async def rest(scene: Scene, who: Who[Fighter], mark: int) -> None:
    """A digit is added to luck, so that the order is seen."""
    await change(who, replace(scene[who], luck=scene[who].luck * 10 + mark))


@rule("tests.settled.in-order")
async def in_order(scene: Scene, how: str) -> str:
    """Consequences named early are played late, however it ends."""
    await afterwards(rest(ANA, 3))
    await afterwards(rest(ANA, 2))
    if how == "settled":
        return await settled(how, then=rest(ANA, 1))
    if how == "handed over":
        return await hand_over(inner_order(how))
    await rest(ANA, 1)
    return how


@rule("tests.settled.inner-order")
async def inner_order(scene: Scene, how: str) -> str:
    return await settled(how, then=rest(ANA, 1))


@pytest.mark.parametrize("how", ["settled", "handed over", "returned"])
def test_what_comes_afterwards_is_played_in_the_same_order_however_a_rule_ends(how: str) -> None:
    played = play(in_order(how), STATE, {})
    assert played.result == how
    assert played.state["ana"] == Fighter(luck=123)
    assert {event.rules for event in played.events[1:]} == {("tests.settled.rest", "tests.settled.in-order")}
    check_equal(in_order(how))


@frozen
class Breath:
    """A price whose end is a throw."""

    def check(self, scene: Scene, who: Who[Fighter]) -> None:
        if not scene[who].edge:
            refuse("the sword is blunt")

    def pay(self, who: Who[Fighter]) -> Call[None]:
        return rest(who, 1)

    def end(self, who: Who[Fighter]) -> Call[None]:
        return stir(who)


@action("lunge", "tests.settled.lunge", price=Breath())
async def lunge(scene: Scene, who: Who[Fighter], target: Who[Fighter]) -> bool:
    """Ends with another rule, and is paid for, before and after."""
    return await hand_over(strike(who, target))


def test_the_end_of_a_price_is_played_but_no_part_of_the_odds() -> None:
    assert play(lunge(ANA, BO), STATE, {"blow": ["3", "2"]}).state["ana"] == Fighter(luck=2)
    check_equal(lunge(ANA, BO))
    exact = Exact()
    exact.results(lunge(ANA, BO), STATE)
    whole = Exact()
    whole.of(lunge(ANA, BO), STATE)
    assert exact.runs < whole.runs
    assert action_of(lunge).may(Scene(STATE.but("ana", Fighter(edge=0))), ANA) is not None


# --- kernels, policies, trees -----------------------------------------------------------------------------------------


@rule("tests.settled.gamble")
async def gamble(scene: Scene, who: Who[Fighter]) -> bool:
    thrown = (await roll(BLOW, who, Pool.of((number_die(4), 1)), Total)).total
    await change(who, replace(scene[who], luck=thrown))
    return thrown > 2


@kernel(gamble)
def gambled(scene: Scene, decide: Decide, who: Who[Fighter]) -> Ends[bool]:
    return [(thrown > 2, ((who, replace(scene[who], luck=thrown)),), 1) for thrown in range(1, 5)]


@rule("tests.settled.gambles")
async def gambles(scene: Scene, who: Who[Fighter], looks: bool) -> int:
    """Two gambles, of which the second may look at what the first has left."""
    first = await gamble(who)
    luck = scene[who].luck if looks else 0
    return 100 * int(first) + 10 * luck + int(await gamble(who))


@pytest.mark.parametrize("looks", [False, True])
def test_what_a_kernel_changes_is_sealed_like_anything_else(looks: bool) -> None:
    assert len(check_equal(gambles(ANA, looks)).of) == (8 if looks else 4)


def by_luck(question: Choice[Any], scene: Scene) -> Any:
    return scene[ANA].luck > 2


@rule("tests.settled.asks-later")
async def asks_later(scene: Scene) -> bool:
    _ = await gamble(ANA)
    return await choose(ANA, PUSH, (True, False))


def test_a_policy_that_looks_at_a_sealed_value_opens_it() -> None:
    assert check_equal(asks_later(), policy=by_luck).of == {True: Fraction(1, 2), False: Fraction(1, 2)}


@rule("tests.settled.dares")
async def dares(scene: Scene, looks: bool) -> int:
    """Someone decides after a gamble, and may decide by what it has left."""
    won = await gamble(ANA)
    if await choose(ANA, PUSH, (True, False)):
        return scene[ANA].luck if looks else 2 * int(won)
    return 1


def test_the_best_decision_knows_what_matters() -> None:
    tree = StepTree(dares(True), STATE, {"ana"})
    best = tree.weighed_by_result(1, lambda n: (Fraction(n),))
    assert best.vector == (Fraction(1 + 2 + 3 + 4, 4),)
    blind = StepTree(dares(False), STATE, {"ana"}).weighed_by_result(1, lambda n: (Fraction(n),))
    assert blind.vector == (Fraction(3, 2),)
    assert len(blind.points()) == 2
    assert tree.weighed(1, lambda n, _: (Fraction(n),)).vector == best.vector
    luckier = StepTree(dares(False), STATE, {"ana"}).weighed(1, lambda n, scene: (Fraction(n * scene[ANA].luck),))
    assert luckier.vector == (Fraction(1 + 2 + 6 + 8, 4),)


# --- what is only shown -----------------------------------------------------------------------------------------------


@rule("tests.settled.shown")
async def shown(scene: Scene, itemised: Itemised) -> int:
    """Modifiers that the throw shows, and nothing reads."""
    return (await roll(BLOW, None, Pool.of((D6, 1)), Total, mods=itemised.mods)).total


@rule("tests.settled.shows")
async def shows(scene: Scene, mods: Mods) -> int:
    return await shown(Itemised(mods)) + total(mods)


def test_what_is_only_shown_is_computed_once() -> None:
    rain, wind = Mod(1, "rain", "tests.rain"), Mod(2, "wind", "tests.wind")
    exact = Exact()
    assert exact.results(shows((rain,)), STATE).of == {n: Fraction(1, 6) for n in range(2, 8)}
    runs = exact.runs
    assert exact.results(shows((wind,)), STATE).of == {n: Fraction(1, 6) for n in range(3, 9)}
    assert exact.runs == runs + 6
    assert Run(Scene(STATE), shows((wind,))).asking[0].mods == (wind,)  # type: ignore[attr-defined]


# --- any program ------------------------------------------------------------------------------------------------------

NAMES = ("a", "b")
Program = tuple[Any, ...]


@frozen
class Heap:
    size: Open[int] = 0

    def plus(self, by: int) -> Heap:
        return Heap(max(0, min(2, self.size + by)))


def heap(name: str) -> Who[Heap]:
    return Who(name, Heap)


@rule("tests.settled.program")
async def program(scene: Scene, steps: Program) -> int:
    """Do what is written."""
    sum_ = 0
    for at, step in enumerate(steps):
        match step:
            case ("settle", inner):
                return await settled(sum_, then=program(inner))
            case ("over",):
                return await hand_over(program(steps[at + 1 :]))
            case ("later", inner):
                await afterwards(program(inner))
            case _:
                sum_ = (sum_ + await one_step(scene, step, sum_)) % 5
    return sum_


async def one_step(  # noqa: C901, PLR0912  # one case for each word of the little language
    scene: Scene, step: Program, sum_: int
) -> int:
    match step:
        case ("roll",):
            return (await roll(BLOW, None, Pool.of((number_die(2), 1)), Total)).total
        case ("add", name, by):
            if heap(name) in scene:
                await alter(heap(name), Heap.plus, by)
        case ("put", name):
            await change(heap(name), Heap(min(2, sum_)))
        case ("take", name):
            await change(heap(name), None)
        case ("look", name):
            return scene.get(heap(name), Heap(3)).size
        case ("count",):
            return len(scene.all(Heap))
        case ("call", inner):
            return await program(inner)
        case ("blind", inner):
            await program(inner)
        case ("refuse",):
            if sum_ % 3 == 1:
                refuse("the sum forbids it")
        case ("try", inner):
            try:
                return await program(inner)
            except Refused:
                return 2
    return 0


names = st.sampled_from(NAMES)
simple = st.one_of(
    st.just(("roll",)),
    st.tuples(st.just("add"), names, st.sampled_from([-1, 1])),
    st.tuples(st.just("put"), names),
    st.tuples(st.just("take"), names),
    st.tuples(st.just("look"), names),
    st.just(("count",)),
    st.just(("refuse",)),
    st.just(("over",)),
)


def nested(steps: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    inner = st.lists(steps, max_size=3).map(tuple)
    return st.tuples(st.sampled_from(["call", "blind", "blind", "try", "settle", "later"]), inner)


programs = st.lists(st.recursive(simple, nested, max_leaves=6), max_size=6).map(tuple)
scenes = st.dictionaries(names, st.integers(0, 2).map(Heap)).map(State)


def found_or_refused(work: Callable[[], Any]) -> Any:
    try:
        return work()
    except Refused:
        return "refused"


def is_settled_anywhere(steps: Program) -> bool:
    """Whether there are consequences, which may be refused without the results alone showing it."""
    inner = [part for step in steps for part in step if isinstance(part, tuple)]
    return any(step[0] in ("settle", "later") for step in steps) or any(map(is_settled_anywhere, inner))


@settings(max_examples=15)
@given(programs, scenes)
def test_odds_of_any_program_are_those_of_plain_play(steps: Program, state: State) -> None:
    for call in (program(steps), program((("blind", steps), ("call", steps)))):
        check_any(call, state, may_refuse_later=is_settled_anywhere(steps))


def check_any(call: Call[Any], state: State, *, may_refuse_later: bool) -> None:
    exact = Exact()
    plain = found_or_refused(lambda: plainly(call, state))
    whole = found_or_refused(lambda: exact.of(call, state))
    results = found_or_refused(lambda: Exact().results(call, state))
    if plain == "refused":
        assert whole == "refused"
        assert results == "refused" or may_refuse_later
    else:
        assert shares(whole) == shares(plain)
        assert results.of == plain.of
        assert exact.results(call, state).of == plain.of
