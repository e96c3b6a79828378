"""Changes of a hero, and the end of a fight, as the story tells them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from referee import registry
from referee.core.value_changes import in_words, value_changes
from referee.core.words import story_line

if TYPE_CHECKING:
    from referee.core.plain import Plain

D6 = registry.load("d6")
OUT = {"cause": "stunned", "since": 2, "until": 52}


@pytest.mark.parametrize(
    ("field", "was", "now", "told"),
    [
        ("unconscious", None, OUT, "Vega falls unconscious."),
        ("unconscious", OUT, {**OUT, "until": 90}, "Vega stays unconscious for longer."),
        ("unconscious", OUT, None, "Vega comes to."),
        (
            "melee",
            [{"foe": "Bo", "distance": "far"}],
            [{"foe": "Bo", "distance": "close"}],
            "Vega and Bo now fight at close distance.",
        ),
    ],
)
def test_a_change_is_told_as_a_sentence(field: str, was: Plain, now: Plain, told: str) -> None:
    found = value_changes(D6.sheet, {field: was}, {field: now})
    assert [in_words(each, "Vega", D6.words).text for each in found] == [told]


def test_the_end_of_a_fight_is_told_by_what_people_call_it() -> None:
    assert story_line(D6.words, "encounter-over", kind="IndividualCombat", ending=None) == "The fight is over."
