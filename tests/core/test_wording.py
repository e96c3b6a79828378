"""Plain data in words: what is empty is left out, nested data is in parentheses, names are spaced."""

from __future__ import annotations

from typing import Any

import pytest

from referee.core.wording import capital, faces, heading, phrase, spaced


@pytest.mark.parametrize(
    ("plain", "said"),
    [
        (None, "nothing"),
        (True, "yes"),
        (False, "no"),
        (0, "0"),
        ("x", "x"),
        ([], "nothing"),
        ({}, "nothing"),
        ([1, [2, True]], "1, 2, yes"),
        (
            {"is_dead": False, "hit-points": 0, "note": "", "items": [], "more": {}, "by": None},
            "is dead no, hit points 0",
        ),
        ({"attributes": {"wits": 3}}, "attributes (wits 3)"),
        ([{"name": "Rifle", "range": 2}, {"name": "Knife"}], "(name Rifle, range 2), (name Knife)"),
    ],
)
def test_data_is_told_without_what_is_empty(plain: Any, said: str) -> None:
    assert phrase(plain) == said


@pytest.mark.parametrize(("plain", "said"), [(None, "–"), ([None, 1], "–, 1"), ({"a": None}, "–"), ([], "–")])
def test_what_stands_for_nothing_may_be_chosen(plain: Any, said: str) -> None:
    assert phrase(plain, nothing="–") == said


@pytest.mark.parametrize(
    ("plain", "said"),
    [
        (None, "nothing"),
        ([1, [True]], "[1, [yes]]"),
        ({"a_b": {"c": None}, "d": []}, "{a_b: {c: nothing}, d: []}"),
        ("x", "x"),
    ],
)
def test_the_whole_of_it_reads_like_a_scenario_file(plain: Any, said: str) -> None:
    assert phrase(plain, whole=True) == said


@pytest.mark.parametrize(("thrown", "said"), [([[1, 6], [], [3], []], "1 6 | 3"), ([4, 0], "4 | 0"), ("six", "six")])
def test_dice_are_told_group_by_group(thrown: Any, said: str) -> None:
    assert faces(thrown) == said


@pytest.mark.parametrize(
    ("name", "words", "head"),
    [("melee_defense", "melee defense", "Melee defense"), ("mess-up", "mess up", "Mess up"), ("hp", "hp", "HP")],
)
def test_names_of_the_data_are_words(name: str, words: str, head: str) -> None:
    assert (spaced(name), heading(name)) == (words, head)


def test_only_the_first_letter_becomes_a_capital() -> None:
    assert capital("push the D6") == "Push the D6"
