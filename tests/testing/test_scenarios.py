"""Scenario files: each key does what docs/scenarios.md says, and whatever is wrong is told with its place."""

from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path
from typing import Any, final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee import registry
from referee.core import frozen
from referee.testing.expectations import Happened, compare_all
from referee.testing.scenarios import check, check_file, samples, scene_of
from referee.testing.stage import ScenarioStage

SIXTH = Path(__file__).parent.parent / "sixth"

ANA = {"attributes": {"Agility": 4}, "skills": {"Piloting": 2}, "stress": 1}
ROLL: dict[str, Any] = {
    "action": "skill-roll",
    "who": "ana",
    "with": {"skill": "Piloting"},
    "answers": {"skill": "4 5 2 1 1 3 | 4", "push": "yes 6 6 2 3 4 1 | 1 5", "response": 4},
}
PLAIN_ROLL: dict[str, Any] = {
    "action": "skill-roll",
    "who": "bo",
    "with": {"skill": "Comtech"},
    "answers": {"skill": "6 2 3"},
}


def differences(*steps: Any, **scene: Any) -> list[str]:
    """Where a scenario of ALIEN differs from what it expects."""
    plain = {"system": "alien", "sheets": {"ana": ANA, "bo": {}}, **scene, "steps": list(steps)}
    return [str(each) for each in check(deepcopy(plain)).differences]


def told(tmp_path: Path, text: str) -> list[str]:
    """What a file is told, with the numbers of lines."""
    file = tmp_path / "scenario.yaml"
    file.write_text(text, encoding="utf-8")
    return [f"{each.line}: {each}" for found in check_file(file) for each in found.differences]


# --- the whole --------------------------------------------------------------------------------------------------------


def test_a_scenario_that_plays_as_it_says_has_no_differences() -> None:
    expect = {
        "result": {"success": True, "sixes": 2, "response": "Deflated"},
        "sheets": {"ana": {"stress": 2, "responses": ["Deflated"]}},
    }
    found = check(
        {"scenario": "A push", "system": "alien", "sheets": {"ana": ANA}, "steps": [{**ROLL, "expect": expect}]}
    )
    assert (found.title, found.differences, found.steps) == ("A push", [], 1)


def test_the_run_is_told_for_people_to_read() -> None:
    found = check({"system": "alien", "sheets": {"ana": ANA}, "steps": [ROLL]})
    assert found.story[0] == "alien.basics.skill-roll who ana, skill Piloting"
    assert "  skill: throw 6 base + 1 stress -> [[4, 5, 2, 1, 1, 3], [4]]" in found.story
    assert "  push: ana chooses yes / no -> yes" in found.story
    assert any("ana: stress 1 → 2  [alien.stress.stress-level]" in line for line in found.story)
    assert found.story[-1].startswith("  = success yes, sixes 2")


@pytest.mark.parametrize(
    ("plain", "problem"),
    [
        ({"system": "alien"}, "steps: a scenario needs at least one step"),
        ({"system": "alien", "steps": []}, "steps: a scenario needs at least one step"),
        ({"system": "alein", "steps": [ROLL]}, "system: 'alein' is not known; did you mean 'alien'?"),
        ({"steps": [ROLL]}, "system: '' is not known"),
        ({"system": "alien", "stpes": [ROLL]}, "stpes: 'stpes' is not known; did you mean 'steps'?"),
        ({"system": "alien", 3: 4}, "3: '3' is not known"),
        (
            [ROLL],
            "must be scenario, system, options, rulebook, sheets, piles, scene, fight, hidden, clock, steps, not [",
        ),
        ("a scenario", "must be scenario, system, options"),
        (3, "must be scenario, system, options"),
    ],
)
def test_what_is_no_scenario_is_told_so(plain: Any, problem: str) -> None:
    (found,) = check(plain).differences
    assert str(found).startswith(problem)


# --- the scene --------------------------------------------------------------------------------------------------------


def test_options_turn_optional_rules_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(SIXTH))
    registry.load.cache_clear()
    step = {"action": "toss", "who": "ana", "with": {"bet": 1}, "expect": {"odds": {"won": "7/8"}}}
    plain = {"system": "coin", "sheets": {"ana": {"mark": "heads"}}, "steps": [step]}
    assert check({**plain, "options": {"coin.toss.marked": True}}).differences == []
    (found,) = check(plain).differences
    assert str(found) == "steps[1].expect.odds.won: 7/8 expected, but it is 1/2 (about 0.500000)"


def test_the_rulebook_key_changes_figures_and_adds_rows() -> None:
    overlay = {
        "set": {"alien.push.procedure": {"stress_gain": 3}, "alien.stress.table": {"table/Deflated/lasting": False}},
        "add": {"alien.skills.list": {"skills": [{"name": "Cooking", "attribute": "Agility"}]}},
    }
    cooking = {**ROLL, "with": {"skill": "Cooking"}, "answers": {"skill": "4 5 2 1 | 4", "push": "no"}}
    pushed = {**ROLL, "answers": {**ROLL["answers"], "response": 2}}
    expect = {"sheets": {"ana": {"stress": 4, "responses": []}}}
    assert differences(cooking, {**pushed, "expect": expect}, rulebook=overlay) == []


@pytest.mark.parametrize(
    ("scene", "problem"),
    [
        ({"options": {"alien.push.procedure": True}}, "alien.yaml: alien.push.procedure: is not an optional rule"),
        ({"options": [1]}, "options: must be names with values, not [1]"),
        ({"rulebook": {"ste": {}}}, "scene.book.ste: 'ste' is not known"),
        ({"rulebook": 3}, "rulebook: must be names with values, not 3"),
        ({"rulebook": {"set": 3}}, "scene.book.set: must be names with values, not 3"),
        ({"sheets": {"ana": {"stres": 1}}}, "sheets.ana.stres: 'stres' is not known; did you mean 'stress'?"),
        ({"sheets": {"ana": {"stress": -1}}}, "sheets.ana: stress: it is never below 0 (alien.stress.stress-level)"),
        ({"sheets": {"ana": 3}}, "sheets.ana: must be fields by name, not 3"),
        ({"sheets": ["ana"]}, "sheets: must be names with values, not ['ana']"),
        ({"clock": "noon"}, "clock: must be a time, or names with values, not 'noon'"),
        ({"clock": {"hour": 3}}, "scene.clock.hour: 'hour' is not known"),
        ({"piles": {"deck": ["7S"], "hand": ["7S"]}}, "piles: in more than one place: 7S"),
        (
            {"piles": {"deck": {"cards": [], "facing": "sideways"}}},
            "piles.deck.facing: 'sideways' is not known; one of",
        ),
        ({"piles": 3}, "piles: must be names with values, not 3"),
        (
            {"scene": {"combat": {"kind": "Combatt"}}},
            "scene.combat.kind: 'Combatt' is not known; did you mean 'Combat'?",
        ),
        ({"scene": {"ana": {"kind": "Combat"}}}, "scene.ana: is there twice"),
        ({"piles": {"ana": ["7S"]}}, "sheets.ana: is there twice"),
        ({"scene": {"clock": {}}}, "scene.clock: this name is reserved for a Clock"),
        ({"steps": {"action": "x"}}, "steps: must be a list, not {'action': 'x'}"),
    ],
)
def test_a_scene_of_the_wrong_form_is_told_by_place(scene: dict[str, Any], problem: str) -> None:
    plain = {"system": "alien", "sheets": {"ana": {}}, "steps": [ROLL], **scene}
    (found,) = check(plain).differences
    assert str(found).startswith(problem)


def test_sheets_name_only_what_matters() -> None:
    assert (
        differences({"edit": {}, "expect": {"sheets": {"bo": {"stress": 0, "resolve": 0, "kind": "Colonist"}}}}) == []
    )


def test_the_clock_is_a_time_or_a_time_with_deadlines() -> None:
    assert differences({"edit": {}, "expect": {"clock": 12}}, clock=12) == []
    deadline = {"at": 15, "order": 0, "who": "ana", "rule": "alien.stress.trigger"}
    step = {
        "action": "pass-time",
        "with": {"amount": 5, "unit": "Round"},
        "answers": {"response": 2},
        "expect": {"clock": {"now": 17, "deadlines": []}, "steps": 3, "sheets": {"ana": {"responses": ["Aggravated"]}}},
    }
    assert differences(step, clock={"now": 12, "deadlines": [deadline]}) == []


def test_a_deadline_of_a_rule_that_cannot_come_due_is_told_and_never_a_crash() -> None:
    deadlines = [{"at": 1, "order": 0, "who": "ana", "rule": "alien.stress.stress-level"}]
    step = {"action": "pass-time", "with": {"amount": 1, "unit": "Round"}}
    assert differences(step, clock={"now": 0, "deadlines": deadlines}) == [
        "steps[1]: alien.stress.stress-level: cannot be a deadline: it needs more arguments than whom it concerns"
    ]


def test_piles_are_lists_of_cards_or_say_who_may_look() -> None:
    piles = {"deck": ["7S", "QH"], "hand": {"cards": ["Joker1"], "facing": "hand", "owner": "ana"}}
    expect = {"sheets": {"deck": {"cards": ["7S", "QH"], "facing": "down"}, "hand": {"owner": "ana", "facing": "hand"}}}
    assert differences({"edit": {}, "expect": expect}, piles=piles) == []


def test_anything_else_is_in_the_scene_by_its_kind() -> None:
    helped = {**PLAIN_ROLL, "with": {"skill": "Comtech", "helpers": ["ana"]}, "answers": {"skill": "6 2 3 1"}}
    expect = {"sheets": {"combat": {"round": 2, "spent": ["ana"]}}}
    assert differences({**helped, "expect": expect}, scene={"combat": {"kind": "Combat", "round": 2}}) == []


# --- steps ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("step", "problem"),
    [
        ({"acton": "skill-roll"}, "steps[1].acton: 'acton' is not known; did you mean 'action'?"),
        ({}, "steps[1]: must be one of action, rule, table, edit, run"),
        ({"who": "ana"}, "steps[1]: must be one of action, rule, table, edit, run"),
        ({**ROLL, "rule": "x"}, "steps[1]: must be one of action, rule, table, edit, run"),
        (3, "steps[1]: "),
        (None, "steps[1]: "),
        ({"action": "skil-roll"}, "steps[1]: action: 'skil-roll' is not known; did you mean 'skill-roll'?"),
        ({"action": "skill-roll"}, "steps[1]: who: must be a name in the scene, not None"),
        ({**ROLL, "who": "cy"}, "steps[1]: cy is not in the scene"),
        ({**ROLL, "with": {}}, "steps[1]: skill: is missing"),
        ({**ROLL, "with": 3}, "steps[1].with: must be names with values, not 3"),
        ({**ROLL, "with": {"skil": "x"}}, "steps[1]: skil: 'skil' is not known; did you mean 'skill'?"),
        ({**ROLL, "answers": "6 6"}, "steps[1].answers: must be names with values, not '6 6'"),
        ({**ROLL, "answers": {}}, "steps[1]: answers: nothing answers ana.skill: throw 6 base + 1 stress"),
        ({**ROLL, "answers": {**ROLL["answers"], "dodge": True}}, "steps[1]: answers: never asked for: dodge: yes"),
        ({**ROLL, "policy": 3}, "steps[1].policy: must be names with values, not 3"),
        ({**ROLL, "expect": 3}, "steps[1].expect: must be names with values, not 3"),
        ({**ROLL, "expect": {"reslt": 3}}, "steps[1].expect.reslt: 'reslt' is not known; did you mean 'result'?"),
        (
            {"rule": "alien.stress.triger"},
            "steps[1]: rule: 'alien.stress.triger' is not known; did you mean 'alien.str",
        ),
        ({"table": "alien.stress.tabel", "at": 1}, "steps[1]: table: 'alien.stress.tabel' is not known; did you mean"),
        ({"table": "alien.stress.table", "at": "x"}, "steps[1].at: must be a whole number, not 'x'"),
        ({"edit": {"ana": {"stres": 3}}}, "steps[1]: ana.stres: 'stres' is not known; did you mean 'stress'?"),
        ({"edit": {"ana": 3}}, "steps[1]: edit.ana: must be fields by name, not 3"),
        ({"edit": 3}, "steps[1].edit: must be names with values, not 3"),
        ({"edit": {"ana": {"stress": -1}}}, "steps[1]: refused: stress: it is never below 0"),
        ({"edit": {"deck": {"kind": "Pile", "cards": ["7S", "7S"]}}}, "steps[1]: piles: in more than one place: 7S"),
        ({"run": "ana"}, "steps[1]: ana: is not an encounter"),
        ({"run": "passing"}, "steps[1]: scene: 'passing' is not known"),
        ({"run": "ana", "at_most": "x"}, "steps[1].at_most: must be a whole number, not 'x'"),
        ({"edit": {}, "answers": {"x": 1}}, "steps[1]: answers: never asked for: x: 1"),
    ],
)
def test_a_step_of_the_wrong_form_is_told_by_place(step: Any, problem: str) -> None:
    assert differences(step)[0].startswith(problem)


def test_a_step_that_cannot_be_played_hides_no_other_and_leaves_the_scene_as_it_was() -> None:
    half = {"edit": {"ana": {"stress": 3}, "bo": {"stres": 3}}}
    found = differences(half, {"edit": {}, "expect": {"sheets": {"ana": {"stress": 2}}}}, {"action": "nothing"})
    assert [each.partition(":")[0] for each in found] == ["steps[1]", "steps[2].expect.sheets.ana.stress", "steps[3]"]
    assert found[1].endswith("2 expected, but it is 1")


def test_an_expectation_that_cannot_be_compared_hides_no_other() -> None:
    found = differences({**PLAIN_ROLL, "expect": {"result": {"sixes": 9}, "log": [3], "clock": 4}})
    assert [each.partition(": ")[0] for each in found] == [
        "steps[1].expect.result.sixes",
        "steps[1].expect.log[1]",
        "steps[1].expect.clock.now",
    ]


def test_a_step_that_crashes_hides_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("by nothing")

    monkeypatch.setattr(ScenarioStage, "_looked_up", broken)
    found = differences({"table": "alien.stress.table", "at": 1}, {"action": "nothing"})
    assert found[0].startswith("steps[1]: it crashed: ZeroDivisionError: by nothing (test_scenarios.py:")
    assert found[1].startswith("steps[2]: action: 'nothing' is not known")


def test_a_near_name_is_suggested_for_an_answer_and_for_somebody() -> None:
    pushed = {**ROLL, "answers": {**ROLL["answers"], "respnse": 2}}
    assert differences(pushed)[0].endswith("never asked for: respnse: 2; did you mean 'response' by 'respnse'?")
    found = differences({**PLAIN_ROLL, "expect": {"sheets": {"annna": {"stress": 1}}}})
    assert "{stress: 1} expected, but it is nothing: 'annna' is not known; did you mean 'ana'?" in found[0]


def test_nothing_is_written_as_an_empty_list_or_as_no_names() -> None:
    skills: dict[str, Any] = {"edit": {}, "expect": {"sheets": {"ana": {"skills": {}}}}}
    assert differences(skills) == ["steps[1].expect.sheets.ana.skills: {} expected, but it is {Piloting: 2}"]
    assert differences({"edit": {}, "expect": {"sheets": {"bo": {"skills": {}, "responses": []}}}}) == []


def test_an_item_of_a_list_about_which_nothing_is_said_may_be_anything() -> None:
    jumpy: dict[str, Any] = {"edit": {"ana": {"responses": ["Jumpy", "Deflated"]}}}
    assert differences({**jumpy, "expect": {"sheets": {"ana": {"responses": [{}, "Deflated"]}}}}) == []
    assert len(differences({**jumpy, "expect": {"sheets": {"ana": {"responses": [{}, "Jumpy"]}}}})) == 1


def test_a_field_that_must_not_be_set_is_named_after_no() -> None:
    def expecting(**fields: Any) -> list[str]:
        return differences({"edit": {"ana": {"responses": ["Jumpy"]}}, "expect": {"sheets": {"ana": fields}}})

    assert expecting(no="responses") == ["steps[1].expect.sheets.ana.no: no responses expected, but it is [Jumpy]"]
    assert differences({"edit": {}, "expect": {"sheets": {"bo": {"no": ["responses", "stress"]}}}}) == []
    assert expecting(skills={"no": "Comtech"}) == []
    assert expecting(no="respones")[0].startswith(
        "steps[1].expect.sheets.ana.no: 'respones' is not known; did you mean"
    )


def test_yaml_reads_no_as_a_word(tmp_path: Path) -> None:
    text = "system: alien\nsheets: {ana: {stress: 1}}\nsteps:\n- edit: {}\n  expect: {sheets: {ana: {no: stress}}}\n"
    assert told(tmp_path, text) == ["5: steps[1].expect.sheets.ana.no: no stress expected, but it is 1"]


def test_a_missing_line_of_the_log_is_told_with_stories_first_and_only_what_changed() -> None:
    found = differences({**ROLL, "expect": {"log": [{"changed": "bo"}]}})[0].partition("what came then: ")[2]
    assert found.startswith("{story: stress-response, figures: {response: Deflated}, who: ana, ")
    assert "; {changed: ana, from: {responses: []}, to: {responses: [Deflated]}, rules: [alien.stress.table" in found


def test_a_document_that_is_no_yaml_hides_no_other(tmp_path: Path) -> None:
    wrong = "system: alien\nsheets: {ana: {}}\nsteps: [{action: nothing}]\n"
    assert [each[:25] for each in told(tmp_path, f"{wrong}---\na: [\n---\n{wrong}")] == [
        "3: steps[1]: action: 'not",
        "6: not YAML: while parsin",
        "9: steps[1]: action: 'not",
    ]


def test_after_a_difference_the_rest_is_played() -> None:
    wrong = {**PLAIN_ROLL, "expect": {"result": {"sixes": 9}}}
    assert differences(wrong, PLAIN_ROLL, wrong) == [
        "steps[1].expect.result.sixes: 9 expected, but it is 1",
        "steps[3].expect.result.sixes: 9 expected, but it is 1",
    ]


def test_a_rule_is_played_by_its_id_with_who_short_for_its_first_argument() -> None:
    by_name = {"rule": "alien.stress.trigger", "with": {"who": "ana"}, "answers": {"response": 1}}
    for step in (by_name, {"rule": "alien.stress.trigger", "who": "ana", "answers": {"response": 1}}):
        assert differences({**step, "expect": {"result": {"name": "Tunnel Vision"}}}) == []


def test_a_formula_is_reckoned_and_asks_nothing() -> None:
    step = {"rule": "alien.basics.bonus-successes", "with": {"sixes": 3}, "expect": {"result": 2}}
    assert differences(step) == []
    assert differences({**step, "answers": {"skill": 1}}) == ["steps[1]: answers: never asked for: skill: 1"]
    assert differences({**step, "expect": {"odds": {"result = 2": 1}}}) == [
        "steps[1].expect.odds: only an action or a rule has odds"
    ]


@pytest.mark.parametrize("look", [{"at": 1}, {"row": "Jumpy"}, {"row": "jumpy"}])
def test_a_table_is_looked_up_by_number_or_by_name(look: dict[str, Any]) -> None:
    step = {"table": "alien.stress.table", **look}
    assert differences({**step, "expect": {"name": "Jumpy", "lasting": True, "fails": False}}) == []
    assert differences({**step, "expect": {"lasting": False}}) == [
        "steps[1].expect.lasting: no expected, but it is yes"
    ]
    assert differences({**step, "expect": {"lastng": True}})[0].startswith("steps[1].expect.lastng: yes expected, but")


def test_a_name_the_table_does_not_have_is_refused() -> None:
    step = {"table": "alien.stress.table", "row": "Hiccups"}
    assert differences({**step, "refused": "alien.stress.table"}) == []
    assert differences(step)[0].startswith("steps[1]: refused: Hiccups: the book has none of this name")


def test_an_edit_sets_fields_brings_something_in_and_takes_it_out() -> None:
    assert (
        differences(
            {"edit": {"ana": {"stress": 3}}, "expect": {"sheets": {"ana": {"stress": 3, "skills": {"Piloting": 2}}}}},
            {"edit": {"cy": {"kind": "Colonist"}}, "expect": {"sheets": {"cy": {"stress": 0}}}},
            {"edit": {"cy": None, "bo": None}, "expect": {"sheets": {"cy": None, "bo": None, "ana": {"stress": 3}}}},
        )
        == []
    )


def test_an_encounter_is_run_until_it_is_over_or_for_so_many_steps() -> None:
    deadlines = [{"at": at, "order": 0, "who": "ana", "rule": "alien.stress.trigger"} for at in (1, 2, 3)]
    scene = {"clock": {"now": 0, "deadlines": deadlines}, "scene": {"passing": {"kind": "Passing", "until": 9}}}
    some = {
        "run": "passing",
        "at_most": 2,
        "answers": {"response": [1, 2]},
        "expect": {"steps": 2, "result": None, "clock": 2},
    }
    rest = {"run": "passing", "answers": {"response": 3}, "expect": {"steps": 2, "result": 9, "clock": 9}}
    assert differences(some, rest, {"run": "passing", "expect": {"steps": 0, "result": 9}}, **scene) == []


def test_a_note_says_nothing_to_the_engine() -> None:
    assert differences({**PLAIN_ROLL, "note": "why this is here"}) == []


# --- what is expected -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("expect", "problem"),
    [
        ({"result": {"sixes": 3}}, "result.sixes: 3 expected, but it is 2"),
        ({"result": {"success": False}}, "result.success: no expected, but it is yes"),
        ({"result": {"sixes": True}}, "result.sixes: yes expected, but it is 2"),
        ({"result": {"sixs": 2}}, "result.sixs: 2 expected, but 'sixs' is not known; did you mean 'sixes'?"),
        ({"result": {"sixs": 0}}, "result.sixs: 0 expected, but 'sixs' is not known; did you mean 'sixes'?"),
        (
            {"result": {"sucess": False}},
            "result.sucess: no expected, but 'sucess' is not known; did you mean 'success'?",
        ),
        ({"result": {"respnse": None}}, "result.respnse: nothing expected, but 'respnse' is not known"),
        ({"result": 3}, "result: 3 expected, but it is {success: yes, sixes: 2"),
        ({"sheets": {"ana": {"stress": 1}}}, "sheets.ana.stress: 1 expected, but it is 2"),
        ({"sheets": {"ana": None}}, "sheets.ana: nothing expected, but it is {"),
        ({"sheets": {"cy": {"stress": 1}}}, "sheets.cy: {stress: 1} expected, but it is nothing"),
        ({"sheets": {"ana": {"responses": []}}}, "sheets.ana.responses: [] expected, but it is [Deflated]"),
        ({"sheets": {"ana": {"responses": ["Jumpy"]}}}, "sheets.ana.responses[1]: Jumpy expected, but it is Deflated"),
        ({"sheets": {"ana": {"skills": {"Piloting": 3}}}}, "sheets.ana.skills.Piloting: 3 expected, but it is 2"),
        (
            {"sheets": {"ana": {"skills": {"Comtech": 1}}}},
            "sheets.ana.skills.Comtech: 1 expected, but it is 0: 'Comtech' is not",
        ),
        ({"sheets": 3}, "sheets: must be names with values, not 3"),
        ({"clock": 3}, "clock.now: 3 expected, but it is 0"),
        ({"steps": 2}, "steps: 2 expected, but it is 1"),
        ({"steps": "two"}, "steps: must be a whole number, not 'two'"),
        (
            {"questions": ["ana.skill"]},
            "questions: 1 questions expected, but 4 were asked: ana.skill, ana.push, ana.push, ana.response",
        ),
        (
            {"questions": ["skill", "push", "bo.push", "response"]},
            "questions[3].who: bo expected, but it is ana",
        ),
        ({"questions": "ana.skill"}, "questions: must be a list, not 'ana.skill'"),
        (
            {"not_asked": {"dodge": {"yes": "x"}}},
            "not_asked.dodge: it was asked, or nothing called for it; not asked: push",
        ),
        ({"not_asked": ["push"]}, "not_asked: must be names with values, not ['push']"),
        ({"log": [{"changed": "bo"}]}, "log[1]: not in the log; what came then: {story: "),
        ({"log": ["changed"]}, "log[1]: must be fields of a line of the log, not 'changed'"),
        ({"log": {"changed": "ana"}}, "log: must be a list, not {'changed': 'ana'}"),
        ({"odds": {"success": "1/2"}}, "odds.success: 1/2 expected, but it is "),
        ({"odds": {"sucess": "1/2"}}, "odds.sucess: 'sucess' is not known; did you mean 'success'?"),
        ({"odds": {"success": "half"}}, "odds.success: must be a fraction, a decimal or a percentage, not 'half'"),
        ({"odds": {"success": "1/0"}}, "odds.success: must be a fraction, a decimal or a percentage, not '1/0'"),
        ({"odds": {"sixs >= 2": "1/2"}}, "odds.sixs >= 2: 'sixs' is not known; did you mean 'sixes'?"),
        ({"odds": {"sixes.of >= 2": "1/2"}}, "odds.sixes.of >= 2: 'of' is not known"),
        ({"odds": {"sixes >= many": "1/2"}}, "odds.sixes >= many: "),
        ({"odds": ["success"]}, "odds: must be names with values, not ['success']"),
        ({"actions": {"ana": []}}, "actions.ana: [] expected, but it is [skill-roll]"),
        ({"actions": {"ana": "skill-roll"}}, "actions.ana: must be a list of actions, or actions by name, not"),
        ({"actions": {"ana": {"skill-roll": False}}}, "actions.ana.skill-roll: no expected, but it is yes"),
    ],
)
def test_a_difference_is_told_exactly(expect: dict[str, Any], problem: str) -> None:
    found = differences({**ROLL, "expect": expect}, sheets={"ana": ANA})
    assert len(found) == 1
    assert found[0].startswith(f"steps[1].expect.{problem}")


def test_names_and_texts_are_compared_in_any_letters() -> None:
    expect = {"result": {"Messed-Up": False, "response": "deflated"}, "sheets": {"ana": {"responses": ["DEFLATED"]}}}
    assert differences({**ROLL, "expect": expect}) == []


@final
@frozen
class Pips:
    """Whole numbers by field."""

    base: int
    extra: int


def test_levels_that_are_not_named_are_none() -> None:
    assert differences({"edit": {}, "expect": {"sheets": {"ana": {"skills": {"Comtech": 0}}}}}) == []


def test_a_level_of_0_by_a_name_that_the_book_does_not_know_claims_nothing() -> None:
    expect = {"sheets": {"ana": {"skills": {"Comtec": 0}, "attributes": {"Wits": 0}}}}
    found = differences({"edit": {}, "expect": expect})
    assert [each.partition(" (")[0] for each in found] == [
        "steps[1].expect.sheets.ana.skills.Comtec: Comtec: the book has none of this name"
    ]


def test_an_unknown_field_is_not_a_level_of_0() -> None:
    two = Pips(3, 4)
    happened = Happened({"base": 3, "extra": 4}, two)
    alien = registry.load("alien")
    found = compare_all({"result": {"base": 3, "extar": 0}}, happened, alien, alien.new_state({}), ())
    assert [str(each) for each in found] == [
        "result.extar: 0 expected, but 'extar' is not known; did you mean 'extra'? one of base, extra"
    ]


def test_questions_are_compared_in_order_and_by_any_of_their_fields() -> None:
    questions = [
        {
            "prompt": "skill",
            "dice": {"base": 6, "stress": 1},
            "mods": [{"amount": 4}, {"amount": 2}, {"label": "stress"}],
        },
        {"prompt": "push", "who": "ana", "options": ["yes", "no"], "reaction": False, "barred": {}},
        "ana.push",
        {"prompt": "response", "audience": "everyone"},
    ]
    assert differences({**ROLL, "expect": {"questions": questions}}) == []


@pytest.mark.parametrize(
    ("wanted", "problem"),
    [
        ({"push": {"yes": "alien.push.restrictions"}}, None),
        ({"push": {True: "alien.push.restrictions"}}, None),
        ({"push": {"yes": {"because": "a stress die shows 1"}}}, None),
        ({"push": None}, None),
        (
            {"push": {"yes": "alien.push.procedure"}},
            "push.yes.rule: alien.push.procedure expected, but it is alien.push.",
        ),
        ({"push": {"twice": "x"}}, "push.twice: it is not barred; barred: yes"),
        ({"pus": None}, "pus: it was asked, or nothing called for it; not asked: push"),
    ],
)
def test_offers_that_were_not_made_are_compared_with_the_rule_behind_it(wanted: Any, problem: str | None) -> None:
    step = {**ROLL, "answers": {"skill": "4 5 2 1 1 3 | 1", "response": 2}, "expect": {"not_asked": wanted}}
    found = differences(step)
    assert [each.startswith(f"steps[1].expect.not_asked.{problem}") for each in found] == [True] * bool(problem)


@pytest.mark.parametrize(
    "log",
    [
        [{"changed": "ana", "to": {"stress": 2}, "rule": "alien.push.procedure"}],
        [{"changed": "ana", "from": {"stress": 1}, "to": {"stress": 2}}, {"story": "stress-response"}],
        [{"story": "stress-response", "figures": {"response": "Deflated"}, "who": "ana", "rule": "alien.stress.table"}],
        [],
    ],
)
def test_lines_of_the_log_stand_in_order_and_others_may_stand_between(log: list[Any]) -> None:
    assert differences({**ROLL, "expect": {"log": log}}) == []


@pytest.mark.parametrize(
    "log",
    [
        [{"story": "stress-response"}, {"changed": "ana", "from": {"stress": 1}}],
        [{"changed": "ana", "to": {"stress": 2}}, {"changed": "ana", "to": {"stress": 2}, "from": {"stress": 1}}],
        [{"changed": "ana", "from": {"stress": 1}, "rule": "alien.stress.table"}],
    ],
)
def test_lines_in_another_order_twice_or_by_another_rule_are_not_there(log: list[Any]) -> None:
    assert "not in the log; what came then" in differences({**ROLL, "expect": {"log": log}})[0]


@pytest.mark.parametrize(
    "odds",
    [
        {"success": "11/36"},
        {"success": "0.31"},
        {"success": 0.31},
        {"success": "0.306"},
        {"success": "30.6%"},
        {"success": "31%"},
        {"success": "30.56 %"},
        {"sixes >= 2": "1/36"},
        {"sixes > 1": "2.8%"},
        {"sixes = 1": "10/36"},
        {"sixes == 1": "10/36"},
        {"sixes != 1": "26/36"},
        {"sixes<=0": "25/36"},
        {"result.sixes < 1": "25/36"},
        {"success = yes": "11/36"},
        {"response = Jumpy": 0},
        {"extra-success": "1/36", "stress-response": 0, "mess-up": 0, "failure": "25/36"},
    ],
)
def test_odds_are_fractions_decimals_or_percentages_of_bands_or_conditions(odds: dict[str, Any]) -> None:
    step = {"action": "skill-roll", "who": "bo", "with": {"skill": "Comtech"}, "expect": {"odds": odds}}
    wits = {"bo": {"attributes": {"Wits": 2}}}
    if any("result." in name for name in odds):
        assert differences(step, sheets=wits)[0].startswith(
            "steps[1].expect.odds.result.sixes < 1: 'result' is not known"
        )
    else:
        assert differences(step, sheets=wits) == []


@pytest.mark.parametrize("chance", ["1/3", "0.30", "0.32", "30.5%", "32%", "0.3055", 0, 1])
def test_odds_that_are_not_right_to_the_last_digit_differ(chance: Any) -> None:
    step = {"action": "skill-roll", "who": "bo", "with": {"skill": "Comtech"}, "expect": {"odds": {"success": chance}}}
    (found,) = differences(step, sheets={"bo": {"attributes": {"Wits": 2}}})
    assert found == f"steps[1].expect.odds.success: {chance} expected, but it is 11/36 (about 0.305556)"


def test_a_condition_may_be_put_to_the_result_itself() -> None:
    step = {"rule": "alien.stress.stress-level", "with": {"who": "ana", "by": 2}, "expect": {"odds": {"result = 3": 1}}}
    assert differences(step) == []


def test_decisions_of_odds_follow_the_policy() -> None:
    step = {"action": "skill-roll", "who": "bo", "with": {"skill": "Comtech"}}
    sheets = {"bo": {"attributes": {"Wits": 1}}}
    for policy in ({"push": True}, {"push": "yes"}, {"bo.push": True}):
        pushed = {**step, "policy": policy, "expect": {"odds": {"pushes = 1": 1}}}
        assert differences(pushed, sheets=sheets) == []
    declined = {**step, "policy": {"ana.push": True}, "expect": {"odds": {"pushes = 1": 0}}}
    assert differences(declined, sheets=sheets) == []
    unknown = {**step, "policy": {"pusch": True}, "expect": {"odds": {"pushes = 1": 1}}}
    assert "'pusch' is not known; did you mean 'push'" in differences(unknown, sheets=sheets)[0]


def test_a_step_that_expects_only_odds_or_actions_is_not_played() -> None:
    step = {**ROLL, "expect": {"odds": {"success": "77.6%"}, "actions": {"ana": ["skill-roll"]}}}
    del step["answers"]
    assert differences(step, {"edit": {}, "expect": {"sheets": {"ana": {"stress": 1}}}})[0].startswith(
        "steps[1].expect.odds"
    )
    step["expect"].pop("odds")
    assert differences(step, {"edit": {}, "expect": {"sheets": {"ana": {"stress": 1}}}}) == []


def test_who_may_do_what_is_a_list_or_says_why_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(SIXTH))
    registry.load.cache_clear()
    actions = {
        "ana": ["toss", "sleight", "bluff"],
        "bo": {"toss": "coin.toss.toss", "bluff": True, "sleight": None},
    }
    plain = {
        "system": "coin",
        "sheets": {"ana": {}, "bo": {"purse": 0}},
        "steps": [{"edit": {}, "expect": {"actions": actions}}],
    }
    assert check(plain).differences == []
    wrong = {"bo": {"toss": True}}
    plain["steps"] = [{"edit": {}, "expect": {"actions": wrong}}]
    assert [str(each) for each in check(plain).differences] == [
        "steps[1].expect.actions.bo.toss: yes expected, but it is no"
    ]


# --- refusals ---------------------------------------------------------------------------------------------------------

BARRED: dict[str, Any] = {**ROLL, "answers": {"skill": "4 5 2 1 1 3 | 1", "push": "yes", "response": 2}}


@pytest.mark.parametrize(
    "refused",
    [
        True,
        "alien.push.restrictions",
        {"rule": "alien.push.restrictions"},
        {"because": "a stress die shows 1"},
        {"because": "a stress die shows 1", "legal": ["no"]},
    ],
)
def test_a_refusal_is_expected_by_any_rule_by_one_or_by_its_reason(refused: Any) -> None:
    assert differences({**BARRED, "refused": refused}) == []


@pytest.mark.parametrize(
    ("refused", "problem"),
    [
        ("alien.push.procedure", "refused.rule: alien.push.procedure expected, but it is alien.push.restrictions"),
        ({"because": "tired"}, "refused.because: tired expected, but it is a stress die shows 1"),
        ({"legal": ["yes"]}, "refused.legal[1]: yes expected, but it is no"),
        ({"becuse": "x"}, "refused.becuse: 'becuse' is not known; did you mean 'because'?"),
    ],
)
def test_a_refusal_for_another_reason_differs(refused: Any, problem: str) -> None:
    (found,) = differences({**BARRED, "refused": refused})
    assert found.startswith(f"steps[1].{problem}")


def test_a_refusal_that_is_not_expected_is_a_difference_with_its_reason() -> None:
    assert differences(BARRED) == ["steps[1]: refused: push: a stress die shows 1 (alien.push.restrictions); legal: no"]


def test_a_refusal_that_does_not_come_is_a_difference() -> None:
    assert differences({**PLAIN_ROLL, "refused": "alien.push.restrictions"}) == [
        "steps[1].refused: a refusal by alien.push.restrictions expected, but it was legal, and came to "
        "{success: yes, sixes: 1, extra: 0, pushes: 0, response: nothing, messed_up: no}"
    ]
    assert differences({**PLAIN_ROLL, "refused": True}) == [
        "steps[1].refused: a refusal by any rule expected, but it was legal, and came to "
        "{success: yes, sixes: 1, extra: 0, pushes: 0, response: nothing, messed_up: no}"
    ]


def test_a_refused_step_leaves_the_scene_as_it_was() -> None:
    unchanged = {"edit": {}, "expect": {"sheets": {"ana": {"stress": 1, "responses": []}}}}
    assert differences({**BARRED, "refused": True, "expect": {"sheets": {"ana": {"stress": 1}}}}, unchanged) == []


def test_time_that_is_refused_in_its_middle_leaves_the_scene_as_it_was() -> None:
    deadlines = [{"at": 1, "order": 0, "who": "ana", "rule": "alien.stress.stress-level"}]
    step = {"action": "pass-time", "with": {"amount": 5, "unit": "Hour"}, "refused": "alien.time.units"}
    assert differences(step, {"edit": {}, "expect": {"clock": 0}}, clock={"now": 0, "deadlines": deadlines}) == []


# --- files ------------------------------------------------------------------------------------------------------------

FILE = """\
scenario: First
system: alien
sheets:
  ana: {stress: 0}

steps:
  - action: skill-roll
    who: ana
    with: {skill: Comtech}
    answers: {skill: 6 2 3, push: no}
    expect:
      result:
        success: yes
        sixes: 3
      sheets: {ana: {stress: 1}}
  - edit: {ana: {stress: 3}}
    expect: {clock: 2}
"""


def test_differences_are_told_with_the_lines_they_stand_on(tmp_path: Path) -> None:
    assert told(tmp_path, FILE) == [
        "14: steps[1].expect.result.sixes: 3 expected, but it is 1",
        "15: steps[1].expect.sheets.ana.stress: 1 expected, but it is 0",
        "17: steps[2].expect.clock.now: 2 expected, but it is 0",
    ]


def test_several_scenarios_in_one_file_are_told_by_their_own_lines(tmp_path: Path) -> None:
    found = told(tmp_path, f"{FILE}---\n{FILE}---\n")
    assert [each.partition(":")[0] for each in found] == ["14", "15", "17", "32", "33", "35"]


def test_each_document_is_told_apart(tmp_path: Path) -> None:
    file = tmp_path / "two.yaml"
    file.write_text(f"{FILE}---\nscenario: Second\n", encoding="utf-8")
    assert [(each.title, len(each.differences)) for each in check_file(file)] == [("First", 3), ("Second", 1)]


@pytest.mark.parametrize("text", ["", "# nothing\n", "---\n---\n"])
def test_a_file_without_a_scenario_has_none(tmp_path: Path, text: str) -> None:
    file = tmp_path / "empty.yaml"
    file.write_text(text, encoding="utf-8")
    assert check_file(file) == []


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("scenario: [\nsystem: alien\n", "3: not YAML: "),
        ("a: b: c\n", "1: not YAML: "),
        ("system: alien\nsheets:\n  ana: {}\n  ana: {}\n", "4: not YAML: 'ana' is there twice"),
        ("a: !!python/object:os.system {}\n", "1: not YAML: "),
        ("? {a: b}\n: c\n", "1: not YAML: "),
        ("scenario: 2020-13-45\n", "1: not YAML: "),
        ("a: \x00", "1: not YAML: "),
        ("- " * 3000, "1: not YAML: "),
        ("a: *nowhere", "1: not YAML: "),
    ],
)
def test_broken_yaml_is_told_with_its_line_and_never_a_crash(tmp_path: Path, text: str, line: str) -> None:
    (found,) = told(tmp_path, text)
    assert found.startswith(line)


def test_bytes_that_are_no_text_are_told_so(tmp_path: Path) -> None:
    file = tmp_path / "binary.yaml"
    file.write_bytes(b"\xff\xfe\x00\x01")
    (found,) = check_file(file)
    assert str(found.differences[0]).startswith("not YAML: ")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("scenario: x\nsystem: alien\n\nstpes: []\n", "4: stpes: 'stpes' is not known; did you mean 'steps'?"),
        ("system: alien\nsteps:\n  - {edit: {}}\n  - acton: x\n", "4: steps[2].acton: 'acton' is not known; did you"),
        ("system: alien\nsheets:\n  bo: {}\n  ana:\n    stres: 1\n", "5: sheets.ana.stres: 'stres' is not known"),
        ("system: alien\nscene:\n  combat:\n    kind: Combat\n    rund: 1\n", "5: scene.combat.rund: 'rund' is not"),
        ("system: alien\nsteps:\n  - edit: {}\n    expect:\n      clok: 1\n", "5: steps[1].expect.clok: 'clok' is not"),
        ("system: alien\n", "1: steps: a scenario needs at least one step"),
    ],
)
def test_a_key_that_is_not_known_is_told_with_its_line(tmp_path: Path, text: str, found: str) -> None:
    assert told(tmp_path, text)[0].startswith(found)


# --- samples ----------------------------------------------------------------------------------------------------------


def test_a_scene_without_steps_is_a_sample() -> None:
    system, state = scene_of({"system": "alien", "sheets": {"ana": {}}})
    assert system.name == "alien"
    assert "ana" in state
    assert [name for name, _ in samples(system)]


# --- whatever is written ----------------------------------------------------------------------------------------------

scraps = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 9)
    | st.sampled_from(["ana", "skill-roll", "push", "yes", "x", "²", ""]),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["ana", "skill", "set", "kind"]), inner)
    ),
    max_leaves=4,
)
WHOLE: dict[str, Any] = {
    "scenario": "x",
    "system": "alien",
    "options": {},
    "rulebook": {"set": {"alien.push.procedure": {"stress_gain": 2}}, "add": {}},
    "sheets": {"ana": {"attributes": {"Agility": 1}, "stress": 0}},
    "clock": {"now": 3, "deadlines": []},
    "piles": {"deck": ["7S"]},
    "scene": {"combat": {"kind": "Combat"}},
    "steps": [
        {
            **ROLL,
            "answers": {"skill": "4", "push": "no"},
            "policy": {"push": True},
            "expect": {"result": {"sixes": 2}, "sheets": {"ana": {}}, "odds": {"success": 1}},
        },
        {"table": "alien.stress.table", "at": 3, "expect": {"name": "x"}},
        {"edit": {"ana": {"stress": 2}}, "expect": {"actions": {"ana": ["skill-roll"]}, "clock": 3}},
        {**BARRED, "refused": {"rule": "x"}, "expect": {"questions": ["ana.skill"], "log": [{"changed": "ana"}]}},
    ],
}


def places(plain: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    found = [path] if path else []
    for key, value in plain.items() if isinstance(plain, dict) else enumerate(plain) if isinstance(plain, list) else ():
        found += places(value, (*path, key))
    return found


@settings(max_examples=60)
@given(st.sampled_from(places(WHOLE)), scraps)
def test_whatever_stands_anywhere_in_a_file_it_is_told_and_never_a_crash(path: tuple[Any, ...], scrap: Any) -> None:
    plain = deepcopy(WHOLE)
    holder: Any = plain
    for key in path[:-1]:
        holder = holder[key]
    holder[path[-1]] = scrap
    found = check(plain)
    assert not [each for each in found.differences if "it crashed" in str(each)]
    assert json.dumps(found.story)


def test_plain_data_in_the_old_words_is_played_too() -> None:
    plain = {
        "system": "alien",
        "sheets": {"ana": {"stress": 1}},
        "steps": [
            {"table": "alien.stress.table", "named": "Jumpy", "expect": {"lasting": True}},
            {
                "action": "skill-roll",
                "who": "ana",
                "with": {"skill": "Mobility"},
                "answers": {"skill": "1 2 3 | 2"},
                "expect": {"questions": [{"asked": "skill", "of": "ana"}, {"asked": "push", "of": "ana"}]},
            },
        ],
    }
    assert check(plain).differences == []


# --- characters that are built ----------------------------------------------------------------------------------------

BUILT: dict[str, Any] = {
    "scenario": "A smith",
    "system": "guild",
    "steps": [
        {
            "create": "tam",
            "with": {"age": "Young", "traits": {"Brawn": 4, "Wits": 2}, "tools": ["Quill"]},
            "answers": {"purse": "3 4"},
            "expect": {
                "result": {
                    "left": {"points": 2, "coins": 5},
                    "missing": {"points": "2 left to spend", "trade": "choose 1", "secret": "write something"},
                    "barred": {"trade": {"Scribe": "needs Wits 3"}, "traits": {"Brawn": "a trait is 1 to 4"}},
                }
            },
        },
        {
            "create": "tam",
            "with": {"age": "Old", "traits": {"Brawn": 4, "Wits": 2}, "trade": ["Smith", "Baker"], "secret": "x"},
            "answers": {"purse": "1 | 1 1"},
            "expect": {"result": {"missing": {}}, "sheets": {"tam": {"coins": 3, "crafts": ["Smith", "Baker"]}}},
        },
        {"create": "bo", "with": {"age": "Old", "trade": ["Smith"]}, "refused": "guild.creation.crafts"},
    ],
}


def test_a_character_is_built_in_a_scenario(systems: None) -> None:
    assert check(BUILT).differences == []


@pytest.mark.parametrize(
    ("step", "said"),
    [
        ({"create": "tam", "expect": {"result": {"missing": {"age": "choose two"}}}}, "choose two expected"),
        ({"create": "tam", "with": {"weapon": "sword"}}, "weapon"),
        ({"create": "tam", "with": {"age": "Old"}, "answers": {"purse": "1 2"}}, "3"),
        ({"create": "tam", "answers": {"age": "1"}}, "is not rolled"),
        ({"create": "tam", "with": {"age": "Young"}, "refused": "guild.creation.ages"}, "it is guild.creation.traits"),
    ],
)
def test_what_does_not_fit_a_creation_is_told(systems: None, step: dict[str, Any], said: str) -> None:
    report = check({"scenario": "x", "system": "guild", "steps": [step]})
    assert any(said in each.problem for each in report.differences), report.differences


def test_a_system_without_creation_says_so_in_a_scenario(systems: None) -> None:
    report = check({"scenario": "x", "system": "den", "steps": [{"create": "tam"}]})
    assert "has no steps to build a character by" in str(report.differences)
