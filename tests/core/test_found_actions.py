"""What to do is found by words: options of families, with the words that speak for them."""

from __future__ import annotations

import pytest

from referee import registry
from referee.core.found_actions import found_actions, stem, stems
from referee.core.rulebook import BOOK, Book
from referee.core.scene import Scene, State


def found(text: str) -> list[str]:
    system = registry.load("d6")
    return [
        each.words for each in found_actions(system, Scene(State({BOOK.name: Book(system.printed_book)})), None, text)
    ]


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("climb the wall", "Climb"),
        ("sell the watch", "Bargain as the seller"),
        ("pick the lock", "Pick a lock"),
        ("forge a signature", "Forge something"),
        ("defuse the bomb", "Defuse a bomb"),
        ("lie to the guard", "Con somebody"),
        ("meditating", "Meditate"),
    ],
)
def test_what_somebody_wants_is_proposed_first(text: str, first: str) -> None:
    assert found(text)[0] == first


def test_a_proposal_says_why_and_how_hard_it_is() -> None:
    system = registry.load("d6")
    best = found_actions(system, Scene(State({BOOK.name: Book(system.printed_book)})), None, "climb the wall")[0]
    assert (best.part, best.because, best.line) == ("use-skill/climb", ("climb", "wall"), "Climbing: 5 to 30")


def test_words_that_nothing_is_about_find_nothing() -> None:
    assert found("the of with") == []
    assert found("qwxz") == []


def test_endings_do_not_tell_words_apart() -> None:
    assert stem("Climbing") == stem("climbs") == stem("climb,") == "climb"
    assert stems("Humanities::politics of the sea") == {"humaniti", "politic", "sea"}
