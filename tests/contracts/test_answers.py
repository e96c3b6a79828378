"""What a card says of an answer is what comes of it: in the middle of a step, kernels know what was answered so far."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Final

import pytest

from referee import registry
from referee.core.knowledge import fully_known
from referee.core.questions import Chance, Choose, Prompt
from referee.core.scene import State
from referee.core.visibility import Seat
from referee.forecast.figures import Budget
from referee.forecast.question_odds import question_query
from referee.forecast.risk import is_against
from referee.forecast.risk_card import RiskCard
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
    who = journal.scene.who("Kwame")
    call = opposed.do(who, **next(opposed.legal(journal.scene, who)))
    friend, foe = (Choose(Prompt("any"), journal.scene.who(name), (1, 2), 1) for name in ("Mara", "guard"))
    assert is_against(call, fully_known(journal.state), friend) is False
    assert is_against(call, fully_known(journal.state), foe) is True
    alone = State({name: each for name, each in journal.state.items() if name != "fight"})
    assert is_against(call, fully_known(alone), foe) is None


def test_holding_on_is_about_staying_awake_and_not_about_the_roll_before() -> None:
    d6 = registry.load("d6")
    journal = Journal(d6, d6.state({"ana": {"attributes": {"Strength": "3D", "Charisma": "5D"}}}))
    journal.begin("gm", d6.action("stun").rule.id, {"victim": "ana", "stuns": 3})
    assert journal.asking[0].question.name == "invoke-willpower"
    card = question_query(journal, journal.asking[0], GM).card(Budget(None))
    assert (card.about, card.good) == ("d6.health.knock-out", ("awake",))
    assert {key: each.bands for key, each in card.asked.items()} == {
        "yes": {"awake": 1, "knocked-out": 0},
        "no": {"awake": 0, "knocked-out": 1},
    }
    assert card.best is not None
    assert card.best.situations[0].best == ("yes",)


def test_throwing_oneself_in_the_way_is_about_the_block_and_friends_hope_for_it() -> None:
    """The attack has hit, and who is in its way no longer changes that: it has no line of its own."""
    yearzero = registry.load("yearzero")
    sheets = {
        "ana": {"attributes": {"Strength": 2}, "things": [{"name": "Machete", "place": "held"}]},
        "bo": {"attributes": {"Strength": 5}},
        "cy": {"attributes": {"Strength": 4, "Agility": 2}, "skills": {"Move": 5}, "willpower": 2},
        "battle": {
            "kind": "Battle",
            "sides": [["ana"], ["bo", "cy"]],
            "initiative": {"ana": 40, "cy": 30, "bo": 20},
            "turn": "ana",
        },
    }
    journal = Journal(yearzero, yearzero.state(sheets), SeededDice(b"r1"))
    journal.begin("gm", yearzero.action("slash").rule.id, {"who": "ana", "target": "bo", "weapon": "Machete"})
    while journal.asking and journal.asking[0].question.name != "body-block":
        journal.answer("gm", journal.asking[0].step, "no")
    card = question_query(journal, journal.asking[0], GM).card(Budget(None))
    assert (card.about, card.against) == ("yearzero.move.defend-other/block", False)
    assert card.asked["no"].bands == {"blocked": 0, "not-blocked": 1}
    assert card.asked["yes"].bands["blocked"] == Fraction(11, 36)  # two dice: Agility 2 and Move 5, less 5
    assert card.around is None


def asked(system: str, sheets: dict[str, Any], action: str, *dice: Any, until: str, **given: Any) -> RiskCard:
    """The card of a question that comes up in an action, after these answers in turn; others are declined."""
    found = registry.load(system)
    journal, left = Journal(found, found.state(sheets)), list(dice)
    journal.begin("gm", found.action(action).rule.id, given)
    while (waiting := journal.asking[0]).question.name != until:
        journal.answer("gm", waiting.step, left.pop(0) if isinstance(waiting.question, Chance) else "no", waiting.part)
    return question_query(journal, waiting, GM, plan=False).card(Budget(None))


def test_points_on_initiative_are_about_acting_first() -> None:
    """Bo has 8, al a 3 and a 4 and an Insight Die; bo has none, and is not asked."""
    fight = {"kind": "Fight", "sides": [["al"], ["bo"]]}
    people = {"al": {"insight": 1}, "bo": {"player": False, "insight": 0}}
    found = registry.load("distemper")
    journal = Journal(found, found.state({**people, "fight": fight}))
    journal.begin("gm", "distemper.combat.round", {})
    for answer in ("no", [3, 4], [4, 4]):
        journal.answer("gm", journal.asking[0].step, answer, journal.asking[0].part)
    assert journal.asking[0].question.name == "initiative-after"
    card = question_query(journal, journal.asking[0], GM, plan=False).card(Budget(None))
    assert (card.about, card.against) == ("distemper.combat.initiative-check/everyone", False)
    assert card.asked["no"].bands == {"acts-first": 0, "acts-later": 1}
    assert card.asked["bonus"].bands["acts-first"] == 1
    assert card.asked["re-roll low"].bands["acts-first"] == Fraction(1, 2)  # 4 or more instead of the 3 is as good as 8


def test_cheating_death_is_about_living() -> None:
    card = asked("distemper", {"al": {"insight": 2}}, "would-die", until="cheat-death", who="al")
    assert {key: each.bands["lives"] for key, each in card.asked.items()} == {"yes": 1, "no": 0}


def test_a_second_chance_is_about_enduring_and_what_failing_again_costs() -> None:
    """Willpower of 3D against 15: 20 of 216 reach it."""
    sheets = {"ana": {"attributes": {"Strength": "1D", "Charisma": "3D"}}}
    found = registry.load("d6")
    journal = Journal(found, found.state(sheets))
    journal.begin("gm", "d6.health.willpower-second-chance", {"who": "ana", "difficulty": 10})
    journal.answer("gm", journal.asking[0].step, [3], 0)
    card = question_query(journal, journal.asking[0], GM, plan=False).card(Budget(None))
    assert card.asked["no"].bands == {"endured": 0, "suffered": 1, "suffered-more": 0}
    assert card.asked["yes"].bands == {"endured": Fraction(20, 216), "suffered": 0, "suffered-more": Fraction(196, 216)}


def test_a_bid_of_a_duel_has_the_odds_of_the_shots_it_leads_to() -> None:
    """Blondy strikes, and Tuco shoots first; or focuses, and shoots first at 10 if Tuco strikes."""
    gun = {"name": "gun", "damage": "4D", "range": [40], "skill": "Firearms", "held": True}
    sheet = {"attributes": {"Agility": "2D", "Strength": "2D", "Charisma": "2D"}, "equipment": [gun]}
    skilled = {**sheet, "advanced_skills": {"Fast draw <gun> (A)": "3D"}, "player": False}
    duel = {"kind": "FastDrawDuel", "sides": [["blondy"], ["tuco"]], "weapons": ["gun", "gun"]}
    book = {"kind": "Book", "system": "d6", "options": {"d6.advanced.duel": True}}
    scene = {"book": book, "duel": {**duel, "stage": "focus or strike", "turn": "blondy"}}
    found = registry.load("d6")
    journal = Journal(found, found.state({"blondy": skilled, "tuco": skilled, **scene}))
    journal.begin("gm", "d6.advanced.duel/declare", {"me": "duel"})
    card = question_query(journal, journal.asking[0], GM, plan=False).card(Budget(None))
    assert (card.about, card.against) == ("d6.advanced.duel/declare", False)
    focus, strike = (card.asked[key].bands for key in ("Focus", "Strike"))
    assert focus["falls"] < strike["falls"]
    assert sum(focus.values()) == sum(strike.values()) == 1
