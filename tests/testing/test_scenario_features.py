"""Scenario files say what seats are sent, what would be rolled, a fight in one line, and up to where it is played."""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from referee.core.errors import BadInput
from referee.core.questions import key_of
from referee.core.scene import Scene, Who
from referee.systems.alien.basics import skill_roll
from referee.systems.alien.sheet import Colonist
from referee.testing import play
from referee.testing.scenarios import check, scene_of

ANA: dict[str, Any] = {"attributes": {"Agility": 4}, "skills": {"Piloting": 2}, "stress": 1}
ROLL: dict[str, Any] = {"action": "skill-roll", "who": "ana", "with": {"skill": "Piloting"}}
FAILED: dict[str, Any] = {**ROLL, "answers": {"skill": "4 5 2 1 1 3 | 4", "push": "no"}}


def differences(*steps: Any, **scene: Any) -> list[str]:
    """Where a scenario of ALIEN differs from what it expects."""
    plain = {"system": "alien", "sheets": {"ana": ANA, "bo": {}}, **scene, "steps": list(steps)}
    return [str(each) for each in check(deepcopy(plain)).differences]


def fought(system: str, fight: Any, *steps: Any, **scene: Any) -> list[str]:
    """Where a scenario with a fight between ana, cy and bo differs from what it expects."""
    people: dict[str, Any] = {name: {} for name in ("ana", "bo", "cy")}
    plain = {"system": system, "sheets": people, "fight": fight, **scene, "steps": list(steps)}
    return [str(each) for each in check(deepcopy(plain)).differences]


# --- refusals ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("refused", [True, "yes", "any", "alien.stress.stress-level", "never below 0"])
def test_a_refusal_is_expected_by_yes_a_rule_or_words_of_its_reason(refused: Any) -> None:
    assert differences({"edit": {"ana": {"stress": -1}}, "refused": refused}) == []


@pytest.mark.parametrize("refused", [False, None, 3, [], {}, ["yes"]])
def test_what_may_stand_for_a_refusal_is_said(refused: Any) -> None:
    (found,) = differences({"edit": {"ana": {"stress": -1}}, "refused": refused})
    assert found.startswith("steps[1].refused: must be yes (by any rule), a rule's id, words of its reason, or some of")


def test_a_refusal_that_is_another_is_told_with_the_one_that_came() -> None:
    (found,) = differences({"edit": {"ana": {"stress": -1}}, "refused": "too tired"})
    assert found == (
        "steps[1].refused.because: too tired expected, but it is it is never below 0; "
        "it was refused: stress: it is never below 0 (alien.stress.stress-level)"
    )


def test_a_rule_that_nobody_has_is_no_refusal_and_near_ones_are_suggested() -> None:
    (found,) = differences({"edit": {"ana": {"stress": -1}}, "refused": "alien.stress.stress-levle"})
    assert "did you mean 'alien.stress.stress-level'?" in found


def test_a_legal_name_that_is_near_is_suggested_where_one_is_refused() -> None:
    (found,) = differences({**ROLL, "with": {"skill": "Pilotng"}})
    assert found.endswith("did you mean 'Piloting'?")


def test_a_yes_among_options_is_the_option_yes() -> None:
    barred = {**ROLL, "answers": {"skill": "4 5 2 1 1 3 | 1", "push": True, "response": 1}}
    assert differences({**barred, "refused": {"legal": [False]}}) == []
    assert len(differences({**barred, "refused": {"legal": [True]}})) == 1


# --- a pool without a throw -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "pool",
    [
        {"skill": "6 base + 1 stress"},
        {"ana.skill": {"base": 6, "stress": 1}},
        {"skill": {"mods": ["+4 Agility", "+2 Piloting", "+1 stress"]}},
        {"skill": {"mods": {"Piloting": 2}}},
        {"skill": {"dice": "6 base + 1 stress", "who": "ana"}},
        {"skill": 7},
        "6 base + 1 stress",
        7,
    ],
)
def test_the_pool_of_a_question_is_compared_without_a_throw(pool: Any) -> None:
    step = {**ROLL, "expect": {"dice": pool}}
    assert differences(step, {"expect": {"sheets": {"ana": {"stress": 1}}}}) == []


@pytest.mark.parametrize(
    ("pool", "problem"),
    [
        ({"skill": "6 base"}, ".skill.size: 6 expected, but it is 7"),
        ({"skill": {"base": 5}}, ".skill.base: 5 expected, but it is 6"),
        ({"skill": {"stress": 0}}, ".skill.stress: 0 expected, but it is 1"),
        ({"skill": {"mods": {"Piloting": 3}}}, ".skill.mods.Piloting: 3 expected, but it is 2"),
        ({"skil": 7}, ".skil: nothing is rolled for it: 'skil' is not known; one of ana.skill"),
        ({"skill": "many"}, ".skill: must be such as '6 base + 1 stress', not 'many'"),
        ({"skill": {"mods": ["x"]}}, ".skill.mods[1]: must be a modifier such as"),
        ([7], ": must be a pool, or pools by the name of their question, not [7]"),
    ],
)
def test_a_pool_that_is_another_is_told_exactly(pool: Any, problem: str) -> None:
    answers: dict[str, Any] = {"answers": {}} if pool == {"skil": 7} else {}
    found = differences({**ROLL, **answers, "expect": {"dice": pool}})
    if pool == {"skil": 7}:  # the step needs dice, as no pool of it is what is expected
        assert found == ["steps[1]: answers: nothing answers ana.skill: throw 6 base + 1 stress; left over: nothing"]
    else:
        assert found[0].startswith(f"steps[1].expect.dice{problem}")


def test_answers_lead_to_the_pool_and_then_nothing_has_happened() -> None:
    pushed = {
        **ROLL,
        "answers": {"skill": "6 5 2 1 1 3 | 4", "push": True},
        "expect": {"dice": {"push": "5 base + 2 stress"}},
    }
    assert differences(pushed, {"expect": {"sheets": {"ana": {"stress": 1}}, "clock": 0}}) == []


def test_a_pool_is_compared_of_a_step_that_is_played_too() -> None:
    assert differences({**FAILED, "expect": {"dice": {"skill": 7}, "result": {"success": False}}}) == []


def test_an_answer_after_the_pool_is_left_over() -> None:
    found = differences({**ROLL, "answers": {"push": True}, "expect": {"dice": {"skill": 7}}})
    assert found[0].startswith("steps[1]: answers: never asked for: push: yes")


# --- what a seat is sent ----------------------------------------------------------------------------------------------


def test_a_seat_is_sent_what_everyone_may_know_and_nothing_of_the_hidden() -> None:
    seen = {"log": [{"answered": "skill", "who": "ana"}, {"result": {"success": False}}], "not_sent": "cy"}
    people = {"ana": ANA, "bo": {}, "cy": {}}
    assert differences({**FAILED, "expect": {"seen_by": {"bo": seen}}}, sheets=people, hidden=["cy"]) == []
    assert differences({**FAILED, "seen_by": ["bo", "nobody"], "expect": seen}, sheets=people, hidden=["cy"]) == []
    found = differences({**FAILED, "seen_by": "game master", "expect": seen}, sheets=people, hidden=["cy"])
    assert found[0].startswith("steps[1].expect.seen_by.game master.not_sent[1]: it is sent: {kind: Colonist")


def test_a_secret_step_is_sent_to_the_game_master_alone() -> None:
    secret = {**FAILED, "secret": True, "expect": {"seen_by": {"bo": {"not_sent": [{"answered": "skill"}]}}}}
    assert differences(secret) == []
    assert len(differences({**secret, "secret": False})) == 1


def test_an_edit_is_sent_as_what_changed() -> None:
    log = [{"changed": "ana", "from": {"stress": 1}, "to": {"stress": 3}}]
    assert differences({"edit": {"ana": {"stress": 3}}, "seen_by": "bo", "expect": {"log": log}}) == []


def test_a_look_sees_all_that_was_sent_so_far() -> None:
    log = [{"changed": "bo"}, {"answered": "skill"}]
    assert differences({"edit": {"bo": {"stress": 2}}}, FAILED, {"seen_by": "bo", "expect": {"log": log}}) == []


@pytest.mark.parametrize(
    ("seen", "problem"),
    [
        ({"bob": {}}, ".bob: 'bob' is not known; did you mean 'bo'? one of ana, bo, game master, nobody"),
        ({"bo": {"shets": {}}}, ".bo.shets: 'shets' is not known; did you mean 'sheets'?"),
        ({"bo": {"sheets": {"an": {"stress": 1}}}}, ".bo.sheets.an: 'an' is not known; did you mean 'ana'?"),
        ({"bo": {"not_sent": ["ana.stres"]}}, ".bo.not_sent[1]: 'stres' is not known; did you mean 'stress'?"),
        ({"bo": {"not_sent": ["an"]}}, ".bo.not_sent[1]: 'an' is not known; did you mean 'ana'?"),
        ({"bo": {"not_sent": ["ana.stress"]}}, ".bo.not_sent[1]: it is sent: 1"),
        ({"bo": {"not_sent": {"ana": "stress"}}}, ".bo.not_sent[1]: it is sent: 1"),
        ({"bo": {"sheets": {"ana": None}}}, ".bo.sheets.ana: nothing expected, but it is {kind: Colonist"),
        ({"bo": {"log": [{"story": "fumble"}]}}, ".bo.log[1]: not in the log;"),
        ({"bo": {"questions": ["bo.push"]}}, ".bo.questions: [bo.push] expected, but it is []"),
    ],
)
def test_what_a_seat_is_not_sent_is_told_by_place(seen: Any, problem: str) -> None:
    (found,) = differences({**FAILED, "expect": {"seen_by": seen}})
    assert found.startswith(f"steps[1].expect.seen_by{problem}")


# --- a fight in one line ----------------------------------------------------------------------------------------------

BEGUN: dict[str, dict[str, Any]] = {
    "alien": {"round": 1, "spent": []},
    "d6": {"phase": "resolve actions", "round": 1, "left": {"ana": 1, "bo": 1, "cy": 1}},
    "dime": {"turn": "bo", "turn_begun": True, "round": 1, "left": {"ana": 3, "bo": 3, "cy": 3}},
    "distemper": {"phase": "actions", "round": 1, "left": {"ana": 2, "bo": 2, "cy": 2}},
    "yearzero": {"turn": "bo", "round": 1, "acted": []},
}


@pytest.mark.parametrize("system", BEGUN)
@pytest.mark.parametrize(
    "fight", ["ana and cy against bo, bo's turn", {"sides": [["ana", "cy"], ["bo"]], "turn": "bo"}]
)
def test_a_fight_is_its_sides_and_whose_turn_it_is_in_every_system(system: str, fight: Any) -> None:
    assert fought(system, fight, {"expect": {"sheets": {"fight": BEGUN[system]}}}) == []
    _, state = scene_of({"system": system, "sheets": {n: {} for n in ("ana", "bo", "cy")}, "fight": fight})
    group = [value.group(Scene(state)) for value in state.values() if hasattr(value, "group")]
    assert group in ([], [("bo",)])


@pytest.mark.parametrize("system", ["d6", "dime", "distemper"])
def test_a_fight_without_a_turn_is_about_to_begin(system: str) -> None:
    assert fought(system, [["ana", "cy"], ["bo"]], {"expect": {"sheets": {"fight": {"round": 0}}}}) == []


def test_any_field_of_a_fight_may_stand_beside_its_sides() -> None:
    fight = {"sides": [["ana", "cy"], "bo"], "turn": "ana", "cover": ["bo"], "left": {"ana": 1}}
    expect = {"cover": ["bo"], "left": {"ana": 1, "bo": 2, "cy": 2}}
    assert fought("distemper", fight, {"expect": {"sheets": {"fight": expect}}}) == []


def test_a_value_with_sides_in_the_scene_or_in_an_edit_is_a_fight() -> None:
    short = {"sides": [["ana"], ["bo"]], "turn": "bo"}
    expect = {"expect": {"sheets": {"brawl": {"turn": "bo"}, "battle": {"turn": "bo"}}}}
    assert fought("yearzero", None, expect, scene={"brawl": short}) == []
    assert fought("yearzero", None, {"edit": {"brawl": short}}, expect) == []


@pytest.mark.parametrize(
    ("fight", "problem"),
    [
        ("ana against bob", "fight: 'bob' is not known; did you mean 'bo'? one of ana, bo, cy"),
        ("ana", "fight: must be such as 'ana and cy against bo, bo's turn' or {sides"),
        ("ana against ana", "fight: ana is on two sides"),
        ("ana against bo, cy's turn", "fight.turn: 'cy' is not known; one of ana, bo"),
        ({"sides": [["ana"], ["bo"]], "trun": "ana"}, "fight.trun: 'trun' is not known; did you mean 'turn'?"),
        ({"sides": "ana against bo"}, "fight: must be such as"),
        (3, "fight: must be sides, as in 'ana against bo', not 3"),
    ],
)
def test_a_fight_of_the_wrong_form_says_what_would_be_right(fight: Any, problem: str) -> None:
    (found,) = fought("d6", fight, {"edit": {}})
    assert found.startswith(problem)


def test_there_is_one_fight() -> None:
    scene = {"brawl": {"kind": "IndividualCombat", "sides": [["ana"], ["bo"]]}}
    assert fought("d6", "ana against bo", {"edit": {}}, scene=scene) == ["fight: there is a fight already"]


# --- playing up to something ------------------------------------------------------------------------------------------

ROUND: dict[str, Any] = {"run": "fight", "answers": {"ana.action": ["defend", "defend"]}}


@pytest.mark.parametrize("until", ["bo's turn", "the turn of bo", "bo", {"turn": "bo"}])
def test_an_encounter_is_played_until_somebodys_turn(until: Any) -> None:
    expect = {"sheets": {"fight": {"left": {"ana": 0, "bo": 2}}}, "steps": 2}
    assert fought("distemper", "ana against bo, ana's turn", {**ROUND, "until": until, "expect": expect}) == []


@pytest.mark.parametrize("until", ["resolution", "Resolution phase", "phase resolution", {"phase": "resolution"}])
def test_a_phase_that_passes_by_itself_is_not_stopped_at(until: Any) -> None:
    answers = {"action": ["defend"] * 4, "initiative": ["1 2", "1 3"]}
    (found,) = fought(
        "distemper", "ana against bo, ana's turn", {"run": "fight", "until": until, "answers": answers, "at_most": 6}
    )
    begun = "steps[1]: until: after 6 steps before its phase is resolution; asked on the way: ana.action, bo.action, "
    assert found.startswith(begun)


@pytest.mark.parametrize("until", ["round 2", {"round": 2}, {"round": 2, "phase": "actions"}])
def test_an_encounter_is_played_until_a_field_has_a_value(until: Any) -> None:
    answers = {"action": ["defend"] * 4, "initiative": ["1 2", "1 3"]}
    step = {"run": "fight", "until": until, "answers": answers, "expect": {"sheets": {"fight": {"round": 2}}}}
    assert fought("distemper", "ana against bo, ana's turn", step) == []


def test_an_encounter_is_played_up_to_a_question_and_then_goes_on_with_its_answer() -> None:
    waits = {**ROUND, "until": "bo.action", "expect": {"questions": ["ana.action", "ana.action", "bo.action"]}}
    seen = {"seen_by": {"bo": {"questions": ["bo.action"]}, "ana": {"questions": [], "waiting": True}}}
    other = {"action": "attack", "who": "bo", "with": {"target": "ana"}}
    goes_on = {
        "run": "fight",
        "at_most": 1,
        "answers": {"bo.action": "defend"},
        "expect": {"sheets": {"fight": {"left": {"bo": 1}}}},
    }
    found = fought("distemper", "ana against bo, ana's turn", waits, {"expect": seen}, other, goes_on)
    assert found == ["steps[3]: bo.action waits for its answer: go on with `run: fight` and answer it there"]


@pytest.mark.parametrize(
    ("until", "problem"),
    [
        ("cy's turn", "until: 'cy' is not known; one of ana, bo"),
        ("bo.actoin", "until: 'actoin' is not known; did you mean 'action'? one of ana's turn, bo's turn, initiative"),
        ({"phse": "actions"}, "until: 'phse' is not known; did you mean 'phase'? one of turn, question, sides"),
        ({"phase": "acting"}, "until: 'acting' is not known; did you mean 'actions'? one of initiative, actions, res"),
        (True, "until: 'yes' is not known; one of ana's turn"),
        ({}, "until: must be somebody's turn, a phase, a question, or"),
    ],
)
def test_what_cannot_come_is_refused_with_what_can(until: Any, problem: str) -> None:
    (found,) = fought("distemper", "ana against bo, ana's turn", {**ROUND, "until": until})
    assert found.startswith(f"steps[1]: {problem}")


def test_until_is_for_run_alone() -> None:
    assert differences({**FAILED, "until": "push"}) == ["steps[1]: until: is for `run`, which plays an encounter"]


def test_what_does_not_play_by_itself_cannot_be_run() -> None:
    plain = {"system": "yearzero", "scene": {"land": {"kind": "Land"}}, "steps": [{"run": "land"}]}
    (found,) = map(str, check(plain).differences)
    assert found == "steps[1]: land: is not an encounter that plays by itself; people act by `action`"


# --- from Python ------------------------------------------------------------------------------------------------------

TEXT = """
system: alien
sheets: {ana: {attributes: {Wits: 2}}}
steps:
  - {action: skill-roll, who: ana, with: {skill: Observation}, answers: {skill: 6 2}, expect: {result: {success: yes}}}
"""


def test_a_scenario_is_played_from_text_a_file_or_plain_data(tmp_path: Path) -> None:
    file = tmp_path / "one.yaml"
    file.write_text(TEXT, encoding="utf-8")
    for what in (
        TEXT,
        file,
        str(file),
        {"system": "alien", "sheets": {"ana": {}}, "steps": [{"edit": {"ana": {"stress": 1}}}]},
    ):
        report = play(what)
        assert report.differences == []
        assert len(report.results) == 1
    assert play(TEXT).results[0]["success"] is True
    assert play(TEXT).scene["ana"]["attributes"] == {"Wits": 2}


def test_a_call_of_a_rule_is_played_with_its_answers() -> None:
    _, state = scene_of({"system": "alien", "sheets": {"ana": {"attributes": {"Wits": 2}}}})
    played = play(skill_roll(Who("ana", Colonist), "Observation"), state, {"skill": "6 2"})
    assert (played.result.success, key_of(played.asked[0].name)) == (True, "skill")


def test_several_scenarios_are_not_played_as_one() -> None:
    with pytest.raises(BadInput, match="must be one, but there are 2"):
        play(f"{TEXT}---\n{TEXT}")


# --- the odds beside a question ---------------------------------------------------------------------------------------


def asked(questions: str) -> list[str]:
    """How a pushed roll of one die differs from what is expected of its questions."""
    text = f"""
        scenario: A push
        system: alien
        sheets: {{ana: {{attributes: {{Wits: 1}}}}}}
        steps:
          - action: skill-roll
            who: ana
            with: {{skill: Observation}}
            answers: {{skill: '2', push: yes 6 | 3}}
            expect: {{questions: {questions}}}
        """
    return [str(each) for each in play(text).differences]


def test_odds_stand_beside_a_choice_by_its_answers_and_beside_a_throw_by_themselves() -> None:
    push = "odds: {yes: {success: 65/216, mess-up: 2.8%}, no: {failure: 1}}, about: alien.basics.skill-roll"
    assert asked(f"[{{prompt: skill, odds: {{success: 1/6}}}}, {{prompt: push, {push}}}, {{}}]") == []


def test_wrong_odds_beside_a_question_are_told_with_the_right_ones() -> None:
    assert asked("[{}, {odds: {yes: {success: 1/2}}, about: alien.stress.trigger}, {}]") == [
        "steps[1].expect.questions[2].about: alien.stress.trigger expected, but it is alien.basics.skill-roll",
        "steps[1].expect.questions[2].odds.yes.success: 1/2 expected, but it is 65/216 (about 0.300926)",
    ]


def test_odds_of_no_such_answer_or_band_are_a_mistake_that_names_those_there_are() -> None:
    assert "one of yes, no" in asked("[{}, {odds: {maybe: {success: 1}}}, {}]")[0]
    assert (
        "one of success, failure, extra-success, stress-response, mess-up"
        in asked("[{}, {odds: {yes: {triumph: 1}}}, {}]")[0]
    )
    assert "must be a fraction" in asked("[{}, {odds: {yes: {success: often}}}, {}]")[0]


def test_a_question_without_figures_says_why() -> None:
    assert asked("[{}, {odds: same}, {}]") == [
        "steps[1].expect.questions[2].odds: same expected, but there are figures"
    ]
    text = """
        scenario: Nobody can be reached
        system: dime
        sheets: {ana: {moxie: 1, hp_full: 10}}
        piles: {ana.deck: [2H, 9H], ana.hand: [10D]}
        steps:
          - action: hurt
            with: {who: ana, points: 40}
            answers: {play: "no", turn: 9H, luck: "no"}
            expect: {questions: [{prompt: play, odds: same}, {}, {prompt: luck, odds: {"no": {up: 1}}}]}
        """
    assert [str(each) for each in play(text).differences] == [
        "steps[1].expect.questions[3].odds: {no: {up: 1}} expected, but there are none: same"
    ]


def test_an_item_that_is_empty_is_any_question() -> None:
    assert asked("[{}, {}, ana.push]") == []
    assert asked("[{}, {}]") == [
        "steps[1].expect.questions: 2 questions expected, but 3 were asked: ana.skill, ana.push, ana.push"
    ]


def test_a_list_of_another_length_is_told_without_the_fields_that_say_nothing() -> None:
    text = """
        scenario: Two things
        system: yearzero
        sheets: {ana: {things: [{name: rope, gear_bonus: 3, wear: 1}, {name: pistol, magazine: 9}]}}
        steps: [{expect: {sheets: {ana: {things: [{name: rope}]}}}}]
        """
    assert [str(each) for each in play(text).differences] == [
        "steps[1].expect.sheets.ana.things: [{name: rope}] expected, but it is "
        "[{name: rope, amount: 1, place: carried, wear: 1, gear_bonus: 3, price_multiple: 1, part: general}, "
        "{name: pistol, amount: 1, place: carried, price_multiple: 1, part: general, magazine: 9}]"
    ]
