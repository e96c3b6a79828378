"""What counts as exercised, which figures are changed for the proof, and how it is noted."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from referee.core.printed_book import Entry
from referee.core.rulebook import CHANGED_FIGURES
from referee.testing.coverage import Coverage, lines_of_code
from referee.testing.proof import FigureChange, Noticed, ScenarioProver, changes, entries_of
from referee.testing.scenarios import check_file

TABLE = Entry(
    "inn.table",
    "c",
    "table",
    "r",
    values={"rows": [{"name": "a", "hurts": 1, "lasts": True}, {"name": "b", "hurts": 2.5}], "note": None},
)
MECHANIC = Entry("inn.mechanic", "c", "mechanic", "r", values={"dice": 3, "words": "some"})
GUIDANCE = Entry("inn.manners", "c", "guidance", "r", values={"figure": 1})


def coverage(*seen: str) -> Coverage:
    return Coverage("inn", (TABLE, MECHANIC, GUIDANCE), frozenset(seen), lines=25, code=20)


def test_a_rule_and_each_row_of_its_table_are_counted_apart() -> None:
    length = "lines 25, 12.5 a rule; code 20, 10.0 a rule"
    assert str(coverage()) == f"inn rules 3 computable 2 exercised 0 rows 0 of 2 {length}"
    assert str(coverage("inn.table", "inn.table#a")) == f"inn rules 3 computable 2 exercised 1 rows 1 of 2 {length}"
    assert coverage("inn.table", "inn.table#a").missing == ["inn.mechanic"]
    assert coverage("inn.table", "inn.table#a").missing_rows == ["inn.table#b"]


def test_code_is_what_is_neither_blank_nor_import_comment_or_docstring() -> None:
    text = '''"""A module."""

from a import (
    b,
)

# Why.
X = 1
"""What it is."""


def f() -> str:
    """A function."""
    return """two
lines"""
'''
    assert lines_of_code(text) == 4


def test_guidance_is_never_missing() -> None:
    assert coverage("inn.table", "inn.mechanic").missing == []


def test_each_figure_is_changed_to_a_wrong_one_and_texts_only_in_tables() -> None:
    assert list(changes(MECHANIC)) == [FigureChange("inn.mechanic", "dice", 3, 4)]
    assert list(changes(TABLE)) == [
        FigureChange("inn.table", "rows/0/name", "a", "b"),
        FigureChange("inn.table", "rows/0/hurts", 1, 2),
        FigureChange("inn.table", "rows/0/lasts", True, False),
        FigureChange("inn.table", "rows/1/name", "b", "a"),
        FigureChange("inn.table", "rows/1/hurts", 2.5, 3.5),
    ]


def test_a_change_is_told_by_rule_path_and_both_values() -> None:
    assert str(FigureChange("inn.table", "rows/0/hurts", 1, 2)) == "inn.table: rows/0/hurts: 1 -> 2"


INNER_TESTS = """
import pytest
from referee.systems.alien import SYSTEM
from referee.systems.alien.sheet import RESPONSES, Colonist
from referee.systems.alien.stress import change_stress, stress_response
from referee.core import Scene, Who
from referee.drivers.scripted import play

ANA = Who("ana", Colonist)
STATE = SYSTEM.state({"ana": {}})

def test_passes():
    play(stress_response(ANA), STATE, {"response": 2})

def test_reads_only():
    assert Scene(STATE)[RESPONSES].look("Jumpy")

def test_fails():
    play(change_stress(ANA, 1), STATE)
    assert False
"""


def test_only_what_took_part_in_passing_tests_counts_as_exercised(tmp_path: Path) -> None:
    (tmp_path / "test_inner.py").write_text(INNER_TESTS, encoding="utf-8")
    file = tmp_path / "exercised.json"
    command = [sys.executable, "-m", "pytest", "-q", "-p", "referee.testing.coverage_plugin"]
    subprocess.run(
        [*command, "-c", "/dev/null", "--rootdir", str(tmp_path), "--exercised", str(file), str(tmp_path)],
        check=False,
        capture_output=True,
        env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
    )
    exercised = {test.rpartition("::")[2]: ids for test, ids in json.loads(file.read_text("utf-8")).items()}
    assert set(exercised) == {"test_passes", "test_reads_only"}
    assert {"alien.stress.trigger", "alien.stress.table", "alien.stress.table#Tunnel Vision"} <= set(
        exercised["test_passes"]
    )
    assert "alien.stress.table#Jumpy" not in exercised["test_passes"]
    assert exercised["test_reads_only"] == []


CHECK = "scenario: c\nsystem: alien\nsheets: {ana: {attributes: {Wits: 2}}}\nsteps: [{action: skill-roll, who: ana, "
SURE = "with: {skill: Observation}, answers: {skill: 6 1}, expect: {result: {success: yes}}}]"
SIX = FigureChange("alien.basics.skill-roll", "success_face", 6, 5)
GAIN = FigureChange("alien.push.procedure", "stress_gain", 1, 2)


def test_a_changed_figure_is_noticed_by_the_scenarios_its_rule_took_part_in_and_then_forgotten(tmp_path: Path) -> None:
    (tmp_path / "check.yaml").write_text(CHECK + SURE, encoding="utf-8")
    prover = ScenarioProver([tmp_path / "check.yaml"])
    assert prover.notices(SIX)
    assert not prover.notices(replace(SIX, now=6))
    assert not prover.notices(GAIN)
    assert prover.notices(SIX)
    assert all(not told.differences for told in check_file(tmp_path / "check.yaml"))


def test_a_wrong_figure_that_outlives_its_change_ends_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "check.yaml").write_text(CHECK + SURE, encoding="utf-8")
    prover = ScenarioProver([tmp_path / "check.yaml"])
    prover.check_unchanged()
    monkeypatch.setitem(CHANGED_FIGURES, SIX.rule, {SIX.path: SIX.now})
    with pytest.raises(SystemExit, match="no longer plays as it says"):
        prover.check_unchanged()


def test_a_scenario_that_differs_proves_nothing(tmp_path: Path) -> None:
    (tmp_path / "check.yaml").write_text(CHECK + SURE.replace("yes", "no"), encoding="utf-8")
    with pytest.raises(SystemExit, match="does not play as it says"):
        ScenarioProver([tmp_path / "check.yaml"])


def test_what_was_noticed_is_kept_for_the_next_run_and_a_figure_with_another_value_is_not(tmp_path: Path) -> None:
    file = tmp_path / "proof.txt"
    Noticed(file).add(SIX)
    assert file.read_text(encoding="utf-8") == "alien.basics.skill-roll: success_face: 6 -> 5\n"
    later = Noticed(file)
    assert SIX in later
    assert GAIN not in later
    assert replace(SIX, was=5) not in later
    later.add(GAIN)
    assert GAIN in Noticed(file)
    assert SIX not in Noticed(None)


@pytest.mark.parametrize(
    ("file", "ids"),
    [
        ("alien", {"alien.stress.table", "alien.push.procedure"}),
        ("dime/armor", {"dime.armor.properties"}),
        ("armor", {"dime.armor.properties"}),
    ],
)
def test_a_system_is_proven_whole_or_by_the_files_of_its_rulebook(file: str, ids: set[str]) -> None:
    found = {entry.id for entry in entries_of(file)}
    assert ids <= found
    assert {id_.partition(".")[0] for id_ in found} == {next(iter(ids)).partition(".")[0]}


def test_a_file_of_one_system_is_not_that_of_another() -> None:
    assert {entry.id.partition(".")[0] for entry in entries_of("d6/core")} == {"d6"}
