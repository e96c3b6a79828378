"""Lines of the log: how they are written, what they must hold, and the names of earlier formats."""

from __future__ import annotations

import json
from typing import Any

import pytest

from referee.core import BadInput
from referee.core.audience import Audience
from referee.journal.lines import (
    AnswerGiven,
    Line,
    LinesUndone,
    NoteSaid,
    SceneEdited,
    SeatData,
    SeatTaken,
    StepBegan,
    StepCancelled,
    ThrowHeld,
)
from referee.journal.log_items import (
    FieldsChanged,
    JointAnswer,
    LoggedResult,
    LogItem,
    StepEnded,
    StepRefused,
    StoryLine,
    ThrowDetails,
    ThrownDie,
    ThrownMod,
    ValueRemoved,
)

ROLL = ThrowDetails(
    (ThrownDie("d6", 6), ThrownDie("base", faces=("blank", 6))), (ThrownMod(1, "wolf", "r", True),), [3]
)
TOLD = StoryLine("won", {"coins": 2}, None, Audience.OWNER, rules=("r",))
LINES = [
    AnswerGiven("ana", 3, "x", None, 0, 1, [[1]], then=(StepEnded(None),)),
    AnswerGiven("ana", 3, "x", "ana", 1, 2, "yes", 0, (JointAnswer("x", "bo", [[1]], ROLL, hidden=True),)),
    AnswerGiven("ana", 3, "x", "ana", 0, 1, "no", because=Audience.MASTER, then=(StepRefused("why", rules=("r",)),)),
    StepBegan("ana", 1, "r", {"who": "ana"}, Audience.MASTER, (LoggedResult("r", "Won", None, {"coins": 2}, 0),)),
    StepBegan("ana", 1, "r", {}, result_kind="Won", hidden=True, hidden_names=("wolf",), then=(TOLD,)),
    ThrowHeld("dice", 1, "x", None, 0, 1, [[1]], throw=4, dice=((6, 1),), roll=ROLL),
    StepCancelled("gm", 1, then=(FieldsChanged({"coins": 1}, "ana", "Rogue", {"coins": 2}, rules=("c",)),)),
    SceneEdited("gm", then=(ValueRemoved("bo", rules=(), hidden=True),)),
    LinesUndone("gm", 3),
    NoteSaid("gm", "psst", "a picture", to=("ana",)),
    SeatTaken("gm", SeatData("a", "Ana", "player", ("ana",), False), changed=True),
]


@pytest.mark.parametrize("line", LINES, ids=lambda line: line.kind)
def test_a_line_reads_back(line: Line) -> None:
    assert Line.from_plain(json.loads(json.dumps(line.to_plain()))) == line


def test_a_field_that_has_its_default_is_left_out() -> None:
    plain = {"kind": "answered", "by": "ana", "step": 3, "prompt": "x", "of": None, "part": 0, "parts": 1, "answer": 1}
    assert AnswerGiven("ana", 3, "x", None, 0, 1, 1).to_plain() == {**plain, "then": []}


def test_names_of_format_1_are_read_as_those_of_today() -> None:
    veiled = {"amount": 1, "label": "wolf", "rule": "r", "veiled": True}
    came = {"rule": "r", "kind": "Won", "who": None, "result": 1, "after": 0, "veiled": True}
    told: Any = {"told": "won", "figures": {}, "who": None, "audience": "everyone", "rules": [], "veiled": True}
    plain = {
        "kind": "answered",
        "by": "ana",
        "step": 1,
        "asked": "x",
        "of": None,
        "part": 0,
        "parts": 1,
        "left": 0,
        "answer": "yes",
        "with": [{"asked": "x", "of": "bo", "answer": "no", "audience": "everyone"}],
        "roll": {"dice": [], "mods": [veiled]},
        "came": [came],
        "ended_as": "Won",
        "veils": ["wolf"],
        "then": [told],
    }
    line = Line.from_plain(plain)
    assert isinstance(line, AnswerGiven)
    assert (line.prompt, line.result_kind, line.hidden_names) == ("x", "Won", ("wolf",))
    assert line.with_ == (JointAnswer("x", "bo", "no"),)
    assert line.sub_results == (LoggedResult("r", "Won", None, 1, 0, hidden=True),)
    assert line.roll is not None
    assert line.roll.mods[0].hidden
    assert line.then == (StoryLine("won", {}, None, Audience.EVERYONE, rules=(), hidden=True),)
    assert not {"asked", "came", "ended_as", "veils"} & set(line.to_plain())


BEGAN = {"kind": "began", "by": "x", "then": [], "step": 1, "rule": "r", "arguments": {}}
ANSWERED = {"kind": "answered", "by": "x", "then": [], "step": 1, "prompt": "a", "of": None, "part": 0, "parts": 1}
SAID = {"kind": "said", "by": "x", "then": []}


@pytest.mark.parametrize(
    ("plain", "problem"),
    [
        ({}, "kind: is missing"),
        ([], "an object expected"),
        ({"kind": "sang", "by": "x", "then": []}, "kind: 'sang' is not known"),
        ({"kind": "edited", "by": None, "then": []}, "by: text expected, not 'None'"),
        ({"kind": "edited", "then": []}, "by: is missing"),
        ({"kind": "edited", "by": "x"}, "then: is missing"),
        ({"kind": "edited", "by": "x", "then": {}}, "then: a list expected"),
        ({"kind": "edited", "by": "x", "then": [], "step": 1}, "step: 'step' is not known"),
        ({"kind": "edited", "by": "x", "then": ["nothing"]}, "then: nothing that can follow: nothing"),
        ({"kind": "edited", "by": "x", "then": [{"gone": "x"}]}, "then.rules: is missing"),
        ({"kind": "edited", "by": "x", "then": [{"gone": 1, "rules": []}]}, "then.gone: text expected, not '1'"),
        ({**BEGAN, "arguments": []}, "arguments: names with values expected"),
        ({**BEGAN, "step": True}, "step: a whole number expected"),
        ({**BEGAN, "audience": "nobody"}, "audience: 'nobody' is not known; one of"),
        ({**BEGAN, "secret": 1}, "secret: 'secret' is not known"),
        (ANSWERED, "answer: is missing"),
        ({**ANSWERED, "answer": 1, "dice": [[6]]}, "dice: 2 values expected, not 1"),
        ({**ANSWERED, "answer": 1, "roll": {"dice": []}}, "roll.mods: is missing"),
        ({**ANSWERED, "answer": 1, "kind": "held"}, "throw: is missing"),
        ({"kind": "undone", "by": "x", "then": []}, "to: is missing"),
        (SAID, "about: is missing"),
        ({**SAID, "about": "weather"}, "about: 'weather' is not known"),
        ({**SAID, "about": "seat", "seat": {"id": "a"}}, "seat.name: is missing"),
    ],
)
def test_a_line_is_refused_by_what_is_wrong_with_it(plain: Any, problem: str) -> None:
    with pytest.raises(BadInput) as told:
        Line.from_plain(plain)
    assert told.value.problem.startswith(f"not a line of a log: {problem}")


@pytest.mark.parametrize(
    ("then", "ends"),
    [
        ((), False),
        ((ValueRemoved("x", rules=()),), False),
        ((StepEnded(None),), True),
        ((StepRefused("", rules=()),), True),
    ],
)
def test_a_step_is_over_with_the_line_that_says_so(then: tuple[LogItem, ...], ends: bool) -> None:
    assert AnswerGiven("x", 1, "x", None, 0, 1, 1, then=then).ends is ends
    assert StepCancelled("x", 1, then=then).ends
