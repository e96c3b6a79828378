"""Lines of the log: what they hold, what they must hold, and the differences they keep."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import pytest

from referee.core import BadInput, Clock, Open, tally
from referee.journal.lines import Line, difference, patched


@dataclass(frozen=True, slots=True)
class Rogue:
    coins: Open[int] = 5
    turns: Open[int] = tally()


def test_a_line_reads_back() -> None:
    line = Line(
        "answered", "ana", 3, {"asked": "x", "of": None, "part": 0, "parts": 1, "answer": [[1]]}, ({"ended": 1},)
    )
    assert Line.from_plain(json.loads(json.dumps(line.to_plain()))) == line


def test_a_difference_names_only_the_fields_that_changed_tallies_included() -> None:
    assert difference("ana", Rogue(), Rogue(), ("r",)) == ()
    assert difference("ana", Rogue(), Rogue(turns=1), ("r",)) == (
        {"who": "ana", "kind": "Rogue", "set": {"turns": 1}, "was": {"turns": 0}, "rules": ["r"]},
    )
    assert difference("ana", Rogue(), None, ("r",)) == ({"gone": "ana", "rules": ["r"]},)
    assert difference("ana", None, Clock(3), ("r",))[0]["new"] == {"kind": "Clock", "now": 3, "deadlines": []}
    assert difference("ana", Rogue(), Clock(3), ("r",))[0]["new"]["kind"] == "Clock"


def test_fields_that_are_not_there_cannot_be_set() -> None:
    with pytest.raises(BadInput, match=r"ana\.coin: 'coin' is not known; did you mean 'coins'"):
        patched(Rogue(), {"coin": 3}, "ana")
    with pytest.raises(BadInput, match=r"ana\.coins: must be a whole number, not 'x'"):
        patched(Rogue(), {"coins": "x"}, "ana")


@pytest.mark.parametrize(
    "plain",
    [
        {},
        {"kind": "sang", "by": "x", "then": []},
        {"kind": "edited", "by": None, "then": []},
        {"kind": "edited", "by": "x", "then": {}},
        {"kind": "began", "by": "x", "then": [], "step": 1, "rule": "r"},
        {"kind": "answered", "by": "x", "then": [], "step": 1, "asked": "a", "of": None, "part": 0, "answer": 1},
        {"kind": "undone", "by": "x", "then": []},
    ],
)
def test_a_line_that_lacks_what_its_kind_needs_is_refused(plain: Any) -> None:
    with pytest.raises(BadInput, match="a line"):
        Line.from_plain(plain)


@pytest.mark.parametrize(("then", "ends"), [((), False), (({"gone": "x"},), False), (({"ended": None},), True)])
def test_a_step_is_over_with_the_line_that_says_so(then: Any, ends: bool) -> None:
    assert Line("edited", "x", then=then).ends is ends
    assert Line("answered", "x", 1, then=({"refused": "why", "rules": []},)).ends
