"""Changes of the scene as the log keeps them."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from referee.core import BadInput, Clock, Open, tally
from referee.journal.changes import difference, patched
from referee.journal.log_items import FieldsChanged, ValueAdded, ValueRemoved


@dataclass(frozen=True, slots=True)
class Rogue:
    coins: Open[int] = 5
    turns: Open[int] = tally()


def test_a_difference_names_only_the_fields_that_changed_tallies_included() -> None:
    rules = ("r",)
    assert difference("ana", Rogue(), Rogue(), rules) == ()
    assert difference("ana", Rogue(), Rogue(turns=1), rules) == (
        FieldsChanged({"turns": 1}, "ana", "Rogue", {"turns": 0}, rules=rules),
    )
    assert difference("ana", Rogue(), None, rules) == (ValueRemoved("ana", rules=rules),)
    clock = ValueAdded({"kind": "Clock", "now": 3, "deadlines": [], "pending": [], "stands": False}, "ana", rules=rules)
    assert difference("ana", None, Clock(3), rules) == difference("ana", Rogue(), Clock(3), rules) == (clock,)


def test_fields_that_are_not_there_cannot_be_set() -> None:
    with pytest.raises(BadInput, match=r"ana\.coin: 'coin' is not known; did you mean 'coins'"):
        patched(Rogue(), {"coin": 3}, "ana")
    with pytest.raises(BadInput, match=r"ana\.coins: must be a whole number, not 'x'"):
        patched(Rogue(), {"coins": "x"}, "ana")
