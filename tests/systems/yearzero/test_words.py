"""Changes of a survivor as the story tells them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from referee import registry
from referee.core.value_changes import in_words, value_changes

if TYPE_CHECKING:
    from referee.core.plain import Plain

YEARZERO = registry.load("yearzero")
CROWBAR = {"name": "Crowbar", "place": "held"}


@pytest.mark.parametrize(
    ("field", "was", "now", "told"),
    [
        ("succeeded", ["Melee"], [], "Okra loses Melee."),
        ("conditions", [], ["suppressed"], "Okra now has the condition “suppressed”."),
        ("conditions", ["suppressed"], [], "Okra is over a condition: suppressed."),
        ("things", [CROWBAR], [{**CROWBAR, "place": "dropped"}], "Okra drops the Crowbar."),
    ],
)
def test_a_change_is_told_as_a_sentence(field: str, was: Plain, now: Plain, told: str) -> None:
    """A new session takes no skill from anybody, though the marks for learning go."""
    found = value_changes(YEARZERO.sheet, {field: was}, {field: now})
    assert [in_words(each, "Okra", YEARZERO.words).text for each in found] == [told]
