"""What a card says of an answer is what comes of it: in the middle of a step, kernels know what was answered so far."""

from __future__ import annotations

from fractions import Fraction
from typing import Final

import pytest

from referee import registry
from referee.core.questions import Choose, Prompt
from referee.core.scene import State
from referee.core.visibility import Seat
from referee.forecast.figures import Budget
from referee.forecast.risk import is_against, question_query
from referee.journal.journal import Journal
from referee.journal.seeded_dice import SeededDice
from referee.testing.conformance import AnswerComparison
from referee.testing.scenarios import samples

GM: Final = Seat("gm", master=True)
MET: Final = [
    (system, title, seed)
    for system, title in (
        ("alien", "derelict"),
        ("d6", "derelict"),
        ("d6", "fencing-school"),
        ("dime", "saloon"),
        ("distemper", "roadblock"),
        ("yearzero", "camp"),
    )
    for seed in range(2)
]


@pytest.mark.parametrize(("system", "title", "seed"), MET)
def test_answers_come_to_what_is_played(system: str, title: str, seed: int) -> None:
    found = registry.load(system)
    comparison = AnswerComparison(found, dict(samples(found))[title], seconds=0.1)
    comparison.go(seed, 10)


@pytest.mark.slow
@pytest.mark.parametrize("system", ["alien", "d6", "dime", "distemper", "yearzero"])
def test_many_answers_come_to_what_is_played(system: str) -> None:
    found = registry.load(system)
    for _, state in samples(found):
        comparison = AnswerComparison(found, state, seconds=1.0)
        for seed in range(3):
            comparison.go(seed, 40)


def test_a_character_point_is_worth_its_die() -> None:
    d6 = registry.load("d6")
    journal = Journal(d6, dict(samples(d6))["warehouse"], SeededDice(b"r3"))
    journal.begin("gm", d6.action("roll").rule.id, {"who": "Mara", "using": "Firearms", "difficulty": 25})
    while journal.asking[0].question.name != "character-point":
        journal.answer("gm", journal.asking[0].step, "no")
    question = journal.asking[0].question
    assert isinstance(question, Choose)
    assert question.about.total == 10
    card = question_query(journal, journal.asking[0], GM, plan=False).card(Budget(5.0))
    assert card.asked["yes"].bands["failure"] == Fraction(53, 54)  # two sixes, then 3 or more
    assert card.asked["no"].bands["failure"] == 1


def test_a_number_from_the_hand_decides_alone() -> None:
    dime = registry.load("dime")
    journal = Journal(dime, dict(samples(dime))["saloon"], SeededDice(b"r3"))
    journal.begin("ada", dime.action("flip").rule.id, {"who": "Ada", "stat": "Intelligence", "tn": 15})  # she has 7
    ada = Seat("ada", frozenset({"Ada"}))
    card = question_query(journal, journal.asking[0], ada, plan=False).card(Budget(5.0))
    certain = {"10S@Ada": "success", "7C@Ada": "failure", "3H@Ada": "critical-failure"}  # 17, 14 and 10
    assert {key: card.asked[key].bands[band] for key, band in certain.items()} == dict.fromkeys(certain, 1)
    assert 0 < card.asked["no"].bands["success"] < 1


def test_a_fate_point_that_would_double_nothing_is_not_asked_for() -> None:
    d6 = registry.load("d6")
    state = {name: each for name, each in dict(samples(d6))["loading-dock"].items() if name != "fight"}
    journal = Journal(d6, State(state), SeededDice(b"r2"))
    journal.begin("gm", d6.action("shoot").rule.id, {"who": "Kwame", "target": "foreman", "weapon": "rifle"})
    asked = []
    while journal.asking:
        asked.append(str(journal.asking[0].question.name))
        journal.answer("gm", journal.asking[0].step, "no")
    assert asked == ["reaction", "fate-point", "character-point", "character-point"]  # the damage is the rifle's


@pytest.mark.slow
def test_the_best_reaction_lets_it_succeed_least() -> None:
    d6 = registry.load("d6")
    state = {name: each for name, each in dict(samples(d6))["loading-dock"].items() if name != "fight"}
    journal = Journal(d6, State(state), SeededDice(b"r2"))
    journal.begin("gm", d6.action("shoot").rule.id, {"who": "Kwame", "target": "foreman", "weapon": "rifle"})
    reaction = question_query(journal, journal.asking[0], GM).card(Budget(20.0))
    assert reaction.best is not None
    assert set(reaction.best.good) == {"miss", "none"}
    assert reaction.best.situations[0].best == ("full-dodge",)


def test_whoever_reacts_hopes_that_it_fails() -> None:
    d6 = registry.load("d6")
    state = {name: each for name, each in dict(samples(d6))["loading-dock"].items() if name != "fight"}
    journal = Journal(d6, State(state), SeededDice(b"r2"))
    journal.begin("gm", d6.action("shoot").rule.id, {"who": "Kwame", "target": "foreman", "weapon": "rifle"})
    assert question_query(journal, journal.asking[0], GM, plan=False).card(Budget(5.0)).against is True
    journal.answer("gm", journal.asking[0].step, "no")
    fate = question_query(journal, journal.asking[0], GM, plan=False).card(Budget(5.0))
    assert fate.against is False  # Kwame's own point for his own shot


def test_without_sides_nobody_can_tell_what_somebody_else_hopes_for() -> None:
    d6 = registry.load("d6")
    journal = Journal(d6, dict(samples(d6))["loading-dock"], SeededDice(b"r2"))
    opposed = d6.action("opposed-roll")
    call = opposed.do(journal.scene.who("Kwame"), **opposed.legal(journal.scene, journal.scene.who("Kwame"))[0])
    friend, foe = (Choose(Prompt("any"), journal.scene.who(name), (1, 2), 1) for name in ("Mara", "guard"))
    assert is_against(d6, call, journal.state, friend) is False
    assert is_against(d6, call, journal.state, foe) is True
    alone = State({name: each for name, each in journal.state.items() if name != "fight"})
    assert is_against(d6, call, alone, foe) is None
