"""Cards are compared with plays: a card that lies, one about something decided and a wrong best are found out."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any, Final, final

import pytest

from referee import registry
from referee.core import (
    D6,
    YES_NO,
    Bands,
    Open,
    Pool,
    Prompt,
    Scene,
    State,
    System,
    Total,
    Who,
    action,
    action_of,
    choose,
    frozen,
    roll,
    rule,
)
from referee.core.knowledge import fully_known
from referee.core.questions import Choose
from referee.core.rules import Decide, Ends, kernel
from referee.drivers.stop import Stop
from referee.forecast.bands import Forecast
from referee.forecast.figures import RuleSoFar
from referee.forecast.risk_card import Plan, RiskCard, Situation
from referee.testing.cards import CardComparison, compare_cards, every_outcome, faults_of, plays_of
from referee.testing.scenarios import samples

LEAP, DARE = Prompt("leap"), Prompt("dare")


@final
@frozen
class Jumper:
    legs: Open[int] = 4


ANA: Final = Who("ana", Jumper)
BO: Final = Who("bo", Jumper)
START: Final = fully_known(State({"ana": Jumper()}))
ACROSS: Final = Bands[bool](of=lambda across: "across" if across else "wet", keys=("across", "wet"))


@action("leap", "tests.cards.leap", bands=ACROSS)
async def leap(scene: Scene, who: Who[Jumper]) -> bool:
    """Whoever dares needs less."""
    dared = await choose(who, DARE, YES_NO)
    return (await roll(LEAP, who, Pool.of((D6, 1)), Total)).total >= (3 if dared else 5)


@action("wade", "tests.cards.wade", bands=ACROSS)
async def wade(scene: Scene, who: Who[Jumper]) -> bool:
    """A 6 gets across; its kernel believes in a 5."""
    return (await roll(LEAP, who, Pool.of((D6, 1)), Total)).total >= 6


@kernel(wade)
def waded(scene: Scene, decide: Decide, who: Who[Jumper]) -> Ends[bool]:
    return [(True, (), 1), (False, (), 2)]


def ahead(first: str, who: str) -> str:
    return "ahead" if who == first else "behind"


@rule("tests.cards.race", bands=Bands(of=ahead, keys=("ahead", "behind"), each=True))
async def race(scene: Scene, who: Who[Jumper], other: Who[Jumper]) -> str:
    """The other may dare; everybody hopes to be ahead."""
    dared = await choose(other, DARE, YES_NO)
    thrown = (await roll(LEAP, other, Pool.of((D6, 1)), Total)).total
    return other.name if thrown + (1 if dared else 0) > 4 else who.name


@action("race", "tests.cards.race-on")
async def race_on(scene: Scene, who: Who[Jumper]) -> None:
    """Against whoever else there is."""
    await race(who, ANA if who == BO else BO)


def system(folder: Path, *actions: Any) -> System:
    return System("jumpers", "Jumpers", folder, 1, Jumper, actions=tuple(map(action_of, actions)))


def test_cards_that_say_what_is_played_have_no_problems(tmp_path: Path) -> None:
    comparison = CardComparison(system(tmp_path, leap), "ford", START)
    comparison.go(0, 12)
    assert comparison.problems == []
    assert (comparison.compared, comparison.exactly, comparison.not_played) == (6, 6, 0)


def test_cards_about_what_everybody_hopes_for_by_themselves_are_compared(tmp_path: Path) -> None:
    two = fully_known(State({"ana": Jumper(), "bo": Jumper()}))
    comparison = CardComparison(system(tmp_path, race_on), "track", two)
    comparison.go(0, 12)
    assert comparison.problems == []
    assert comparison.compared > 0


def test_a_kernel_that_lies_is_found_with_a_way_to_see_it_again(tmp_path: Path) -> None:
    (comparison,) = compare_cards(system(tmp_path, wade), [("ford", START)], seconds=20, walks=1, moves=3)
    assert comparison.problems[0] == (
        "tests.cards.wade(ana), as the game master sees it (python -m referee.testing.cards jumpers ford "
        "--seed 0 --move 0): across is 33.333% on the card, 16.667% as it is played, outcome by outcome"
    )


def test_small_rules_are_played_outcome_by_outcome_and_others_counted() -> None:
    exact = every_outcome((RuleSoFar(leap(ANA), START),), ACROSS)
    counted = plays_of((RuleSoFar(leap(ANA), START),), ACROSS, Stop())
    assert exact is not None
    assert counted is not None
    assert exact.vector == (Fraction(1, 3), Fraction(1, 3), Fraction(2, 3))
    assert (exact.plays, counted.plays) == (0, 2000)
    assert abs(counted.vector[0] - Fraction(1, 3)) < Fraction(4, 100)


SURE: Final = Forecast({"across": Fraction(1), "wet": Fraction(0)}, {}, {})
HALF: Final = Forecast({"across": Fraction(1, 2), "wet": Fraction(1, 2)}, {}, {})
QUESTION: Final = Choose(DARE, ANA, YES_NO, False)
WAY: Final = RuleSoFar(leap(ANA), START)


def test_a_card_about_something_decided_is_a_fault() -> None:
    card = RiskCard(asked={"yes": SURE, "no": SURE}, about="tests.cards.leap")
    assert list(faults_of(card, QUESTION, WAY, ACROSS)) == [
        "tests.cards.leap is decided (across), and the card is about it"
    ]
    assert list(faults_of(replace(card, asked={"yes": SURE, "no": HALF}), QUESTION, WAY, ACROSS)) == []


def test_a_best_that_is_best_for_somebody_else_is_a_fault() -> None:
    here = Situation("dare", None, Fraction(1), {"yes": Fraction(1, 2), "no": Fraction(0)})
    card = RiskCard(asked={"yes": HALF, "no": SURE}, about="tests.cards.leap")
    wrong = replace(card, best=Plan(("wet",), HALF, (here,)))
    assert [each.partition(": ")[2] for each in faults_of(wrong, QUESTION, WAY, ACROSS)] == [
        "the best is best for wet, but ana hopes for across",
        "no is worth 0, less than 1 by default",
    ]


@pytest.mark.parametrize("name", registry.OURS)
def test_the_cards_that_are_met_first_say_what_is_played(name: str) -> None:
    found = registry.load(name)
    for each in compare_cards(found, samples(found)[:1], seconds=1.5, walks=1, moves=10):
        assert each.problems == []


@pytest.mark.slow
@pytest.mark.parametrize("name", registry.OURS)
def test_the_cards_of_random_play_say_what_is_played(name: str) -> None:
    """Ten minutes a system."""
    found = registry.load(name)
    comparisons = compare_cards(found, samples(found), seconds=600, walks=20, moves=40)
    assert [problem for each in comparisons for problem in each.problems] == []
    assert sum(each.compared for each in comparisons) > 0
