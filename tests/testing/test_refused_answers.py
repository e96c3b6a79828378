"""`refused: yes` expects a rule to refuse; an answer that fits no question is a fault of the file."""

from __future__ import annotations

from typing import Any

import pytest

from referee.testing.scenarios import check

ROLL: dict[str, Any] = {"action": "skill-roll", "who": "ana", "with": {"skill": "Observation"}}


def differences(*steps: dict[str, Any]) -> list[str]:
    scenario = {"system": "alien", "sheets": {"ana": {"attributes": {"Wits": 2}, "stress": 1}}, "steps": list(steps)}
    return [str(each) for each in check(scenario).differences]


@pytest.mark.parametrize("thrown", ["7 7 1", "nonsense", "6"])
def test_dice_that_cannot_fall_are_no_refusal(thrown: str) -> None:
    [found] = differences({**ROLL, "answers": {"ana.skill": thrown}, "refused": True})
    assert found.startswith("steps[1].refused: no rule refuses it, but an answer does not fit: skill: ")


def test_what_is_wrong_with_them_can_be_expected() -> None:
    because = "a base die shows 1 to 6, not 7"
    assert not differences({**ROLL, "answers": {"ana.skill": "7 7 1"}, "refused": {"because": because}})


def test_a_rule_that_bars_an_answer_refuses_it() -> None:
    barred = {**ROLL, "answers": {"ana.skill": "2 3 1", "ana.response": "1", "ana.push": True}, "refused": True}
    assert not differences(barred)


def test_an_edit_may_be_refused() -> None:
    assert not differences({"edit": {"ana": {"stress": -3}}, "refused": True})
    assert not differences({"edit": {"ana": {"stress": -3}}, "refused": "alien.stress.stress-level"})
    assert differences({"edit": {"ana": {"stress": 3}}, "refused": True}) == [
        "steps[1].refused: a refusal by any rule expected, but it was legal"
    ]
    assert differences({"edit": {"ana": {"stres": 3}}, "refused": True})[0].startswith("steps[1]: ana.stres:")
