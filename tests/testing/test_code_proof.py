"""Which expressions of code are changed for the proof, and whether scenarios that come to them notice."""

from __future__ import annotations

import gc
import os
from collections.abc import Sequence
from pathlib import Path
from signal import SIGKILL

import pytest

from referee import registry
from referee.core.plain import Plain
from referee.testing.code_proof import (
    CodeChange,
    CodeProver,
    code_changes,
    equivalent_changes,
    scenarios_coming_to,
    spread,
)
from referee.testing.proof import FAILED, PASSED, Noticed, differs

CODE = """\
LIMIT = 1 + 1


def pool(dice: int | None, tired=2 < 3) -> int:
    if dice is None or not tired:
        return 0
    return [each * 2 for each in dice if each] if 1 < dice <= 6 else dice


CHECK = lambda who: who.hurt > 3
"""


def changed(folder: Path) -> list[CodeChange]:
    (folder / "code.py").write_text(CODE, encoding="utf-8")
    return list(code_changes(folder / "code.py"))


def test_comparisons_operators_and_conditions_of_functions_are_changed_and_nothing_else(tmp_path: Path) -> None:
    assert {(each.function, each.line, each.was, each.now) for each in changed(tmp_path)} == {
        ("pool", 5, "dice is None or not tired", "dice is None and (not tired)"),
        ("pool", 5, "dice is None", "dice is not None"),
        ("pool", 5, "not tired", "tired"),
        ("pool", 7, "1 < dice <= 6", "1 <= dice <= 6"),
        ("pool", 7, "1 < dice <= 6", "1 < dice < 6"),
        ("pool", 7, "each * 2", "each + 2"),
        ("pool", 7, "each", "not each"),
        ("lambda", 10, "who.hurt > 3", "who.hurt >= 3"),
    }


def test_a_change_is_told_with_its_place(tmp_path: Path) -> None:
    last = next(each for each in changed(tmp_path) if each.function == "lambda")
    assert str(last).endswith("code.py:10 (lambda): who.hurt > 3 -> who.hurt >= 3")


def test_of_many_changes_some_are_chosen_evenly_and_always_the_same() -> None:
    assert spread(range(10), 4) == [0, 2, 5, 7]
    assert spread([1, 2], 5) == [1, 2]
    assert spread([], 5) == []


ROLL: Plain = {
    "scenario": "Two dice of an attribute, and one six",
    "system": "alien",
    "sheets": {"ana": {"attributes": {"Wits": 2}}},
    "steps": [
        {
            "action": "skill-roll",
            "who": "ana",
            "with": {"skill": "Observation"},
            "answers": {"skill": "6 2"},
            "expect": {"result": {"success": True, "sixes": 1}},
        }
    ],
}


def missed(scenario: Plain, wanted: str, noticed: Noticed) -> list[CodeChange]:
    folder = registry.load("alien").folder
    chosen = [each for file in sorted(folder.glob("*.py")) for each in code_changes(file) if wanted in str(each)]
    assert len(chosen) == 1

    def play(batch: Sequence[int]) -> int:
        return FAILED if any(differs((scenario,)[at]) for at in batch) else PASSED

    return CodeProver(noticed, at_once=1).missed(chosen, scenarios_coming_to([scenario], chosen), play)


NEEDED = "thrown.sixes >= scene[SIXES_NEEDED] -> thrown.sixes > scene[SIXES_NEEDED]"
LASTING = "response.lasting -> not response.lasting"


def test_a_changed_expression_is_noticed_by_a_scenario_that_comes_to_it_and_changed_nowhere_else(
    tmp_path: Path,
) -> None:
    noticed = Noticed(tmp_path / "proof.txt")
    gc.freeze()  # as a server in this process does
    assert missed(ROLL, NEEDED, noticed) == []
    assert NEEDED in (tmp_path / "proof.txt").read_text(encoding="utf-8")
    assert not differs(ROLL)


def test_a_changed_expression_that_no_scenario_comes_to_is_missed() -> None:
    assert [each for each in map(str, missed(ROLL, LASTING, Noticed(None))) if LASTING in each]


def test_a_scenario_that_differs_proves_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        missed({**ROLL, "steps": [{**ROLL["steps"][0], "answers": {"skill": "1 2"}}]}, NEEDED, Noticed(None))
    assert "does not play as it says" in capfd.readouterr().err


def test_a_change_that_cannot_be_tried_is_no_proof(tmp_path: Path) -> None:
    change = changed(tmp_path)[0]
    with pytest.raises(SystemExit, match="could not be tried"):
        CodeProver(Noticed(None)).missed([change], {change.place: ["no test"]}, lambda _: 4)


def test_a_change_whose_play_crashes_the_process_is_noticed(tmp_path: Path) -> None:
    change = changed(tmp_path)[0]

    def crash(_: Sequence[int]) -> int:
        os.kill(os.getpid(), SIGKILL)
        return PASSED

    assert CodeProver(Noticed(None)).missed([change], {change.place: [0]}, crash) == []


def test_changes_that_no_play_can_notice_are_named_with_a_reason_and_are_still_there() -> None:
    reasons = equivalent_changes()
    folders = {name: registry.load(name).folder for name in registry.OURS}
    modules = {module: folders[module.partition("/")[0]].parent / module for module, _, _ in reasons}
    changes = {each.key for file in modules.values() for each in code_changes(file)}
    assert set(reasons) - changes == set()
    assert [key for key, reason in reasons.items() if len(reason.split()) < 5] == []


def test_a_change_is_known_as_equivalent_wherever_its_line_moves(tmp_path: Path) -> None:
    (tmp_path / "list.yaml").write_text(
        "code.py:\n  lambda:\n    who.hurt > 3 -> who.hurt >= 3: nobody is ever hurt\n", encoding="utf-8"
    )
    folder = tmp_path / "systems"
    folder.mkdir()
    (folder / "code.py").write_text("\n\n" + CODE, encoding="utf-8")
    known = equivalent_changes(tmp_path / "list.yaml")
    assert [each.line for each in code_changes(folder / "code.py") if each.key in known] == [12]
