"""Odds from the middle of a step: the answers so far are followed rule by rule, and results are merged from there."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from referee.core import (
    D6,
    YES,
    Open,
    Pool,
    Prompt,
    Refused,
    Scene,
    State,
    Total,
    Who,
    alter,
    frozen,
    hand_over,
    offer,
    refuse,
    roll,
    rule,
    settled,
    until_settled,
)
from referee.core.questions import Chance, Choice
from referee.core.replay import Answered, Trail
from referee.core.rules import Call
from referee.core.run import Run
from referee.drivers.exact import Exact
from referee.systems.distemper import SYSTEM
from referee.systems.distemper.combat_actions import grapple

MINE = Prompt("mine")
THEIRS = Prompt("theirs")
MORE = Prompt("more")


@frozen
class Purse:
    coins: Open[int] = 2

    def spending(self, coins: int) -> Purse:
        return Purse(self.coins - coins)


AL = Who("al", Purse)
STATE = State({"al": Purse()})


@rule("test-trails.throw")
async def throw(scene: Scene, name: Prompt) -> int:
    """A die, and another for a coin."""
    pips = (await roll(name, AL, Pool.of((D6, 1)), Total)).total
    if scene[AL].coins and await offer(AL, MORE, YES):
        await alter(AL, Purse.spending, 1)
        return await hand_over(throw(name))
    return pips


@rule("test-trails.attempt")
async def attempt(scene: Scene) -> bool | None:
    """Die against die; equal dice settle nothing."""
    mine, theirs = await throw(MINE), await throw(THEIRS)
    return None if mine == theirs else mine > theirs


@rule("test-trails.contest")
async def contest(scene: Scene) -> bool:
    return await until_settled(attempt())


@rule("test-trails.pay")
async def pay(scene: Scene, coins: int) -> None:
    if scene[AL].coins < coins:
        refuse("too few coins")
    await alter(AL, Purse.spending, coins)


@rule("test-trails.bet")
async def bet(scene: Scene) -> str:
    """The loser pays; whoever cannot is a pauper."""
    won = await contest()
    if won:
        return await settled("won", then=pay(1))
    try:
        await pay(2)
    except Refused:
        return "pauper"
    return "lost"


def trail(call: Call[Any], state: State, *answers: Any) -> Trail:
    """The first answers of a step."""
    run: Run[Any] = Run(Scene(state), call)
    found = []
    for answer in answers:
        question = run.asking[run.open[0]]
        found.append(Answered(question, run.open[0], answer))
        found[-1].onto(run)
    run.close()
    return tuple(found)


def of(call: Call[Any], *answers: Any) -> dict[Any, Fraction]:
    return Exact().of(call, STATE, trail(call, STATE, *answers)).of


def test_starting_over_begins_afresh() -> None:
    assert of(contest()) == {True: Fraction(1, 2), False: Fraction(1, 2)}
    # lower with 2 of 6; equal with 1 of 6, and then as likely as not
    assert of(contest(), Total(3), None) == {True: Fraction(5, 12), False: Fraction(7, 12)}
    assert of(contest(), Total(3), None, Total(3)) == {True: Fraction(1, 2), False: Fraction(1, 2)}
    assert of(contest(), Total(3), None, Total(3), None, Total(6)) == {True: Fraction(11, 12), False: Fraction(1, 12)}


def test_answers_of_rules_that_are_over_are_followed() -> None:
    assert of(contest(), Total(3), True, Total(5), None) == {True: Fraction(9, 12), False: Fraction(3, 12)}
    assert of(contest(), Total(5), None, Total(2)) == {True: Fraction(1)}


def test_refusals_and_consequences_are_those_of_play() -> None:
    assert of(bet(), Total(1), None, Total(2)) == {"lost": 1}
    assert of(bet(), Total(1), True, Total(1), None, Total(2)) == {"pauper": 1}
    won = Exact().of(bet(), STATE, trail(bet(), STATE, Total(6), None, Total(2)))
    assert won.by_end(lambda result, scene: (result, scene[AL].coins)) == {("won", 1): 1}
    assert Exact().results(bet(), STATE, trail(bet(), STATE, Total(6), None)).of == {
        "won": Fraction(11, 12),
        "lost": Fraction(1, 12),
    }


def test_a_step_that_was_refused_is_refused() -> None:
    poor = State({"al": Purse(0)})
    given = (*trail(contest(), poor, Total(1)),)
    with pytest.raises(Refused, match="too few coins"):
        Exact().of(refused(), poor, given)


@rule("test-trails.refused")
async def refused(scene: Scene) -> None:
    await throw(MINE)
    await pay(1)


def test_a_grapple_is_the_same_from_every_question_on() -> None:
    """Sub-rule by sub-rule, and played in one go, which says the same."""
    state = SYSTEM.state({"al": {"insight": 1}, "bo": {"player": False}})
    al, bo = Scene(state).who("al"), Scene(state).who("bo")
    call = grapple(al, bo)
    run: Run[Any] = Run(Scene(state), call)
    given: list[Answered] = []
    asked: list[str] = []
    whole = Exact().results(call, state).of
    while not run.done and len(given) < 6:
        question = run.asking[0]
        asked.append(str(question.name))
        if isinstance(question, Choice):  # nothing is known that was not before
            answer = question.default
            found = Exact().results(call, state, (*given, Answered(question, 0, answer))).of
            assert found == Exact().results(call, state, tuple(given)).of
        else:
            assert isinstance(question, Chance)
            answer = question.outcomes()[0][0]
        given.append(Answered(question, 0, answer))
        given[-1].onto(run)
    run.close()
    assert asked[:3] == ["resist", "insight-before", "initiative"]
    assert whole == Exact().results(call, state, tuple(given[:2])).of
