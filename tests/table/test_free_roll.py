"""Dice for no rule: plain dice, sums, the highest or lowest of several."""

from __future__ import annotations

import pytest

from referee.core import State
from referee.core.errors import BadInput
from referee.drivers.scripted import play
from referee.table.free_roll import FreeThrow, free_roll


def thrown(*dice: str, **answers: object) -> object:
    return play(free_roll(dice), State({}), {key.replace("_", "-"): each for key, each in answers.items()}).result


def test_plain_dice_are_their_faces() -> None:
    assert thrown("3d6", throw="4 1 6") == (1, 4, 6)
    assert thrown("d20", throw="17") == (17,)
    assert thrown("1d20", "2d4", throw="17 | 3 1") == (1, 3, 17)


@pytest.mark.parametrize(
    ("dice", "answers", "total", "dropped"),
    [
        (("2d6+1",), "4 2", 7, ()),
        (("2d6", "+", "1"), "4 2", 7, ()),
        (("2d6 - 3",), "4 2", 3, ()),
        (("4d6kh3",), "1 6 2 5", 13, (1,)),
        (("4d6k3",), "6 6 6 6", 18, (6,)),
        (("2D20KL1",), "18 3", 3, (18,)),
        (("4d6kl1-1",), "4 3 2 6", 1, (3, 4, 6)),
        (("1d20+1d4-2",), ["11", "3"], 12, ()),
        (("4d6kh3+2d6kl1",), ["1 2 3 4", "6 5"], 14, (1, 6)),
        (("1d6-1d6",), ["2", "5"], -3, ()),
    ],
)
def test_an_expression_says_its_total_and_what_does_not_count(
    dice: tuple[str, ...], answers: str | list[str], total: int, dropped: tuple[int, ...]
) -> None:
    found = thrown(*dice, throw_expression=answers)
    assert found == FreeThrow("".join("".join(dice).split()), total, dropped)


@pytest.mark.parametrize(
    ("dice", "because"),
    [
        ("2d6+", "must be dice such as 3d6, 2d6+1 or 4d6kh3, not '+'"),
        ("2d6+x", "must be dice such as 3d6, 2d6+1 or 4d6kh3, not '+x'"),
        ("two dice", "must be dice such as 3d6, 2d6+1 or 4d6kh3, not 'two dice'"),
        ("2d6kh", "must be dice such as 3d6, 2d6+1 or 4d6kh3, not '2d6kh'"),
        ("3d6kh4", "must keep 1 to 3 of the 3 dice, not 4"),
        ("3d6kl0", "must keep 1 to 3 of the 3 dice, not 0"),
        ("1d0", "must have 1 to 1000 sides, not 0"),
        ("1d1001+1", "must have 1 to 1000 sides, not 1001"),
        ("101d6", "must be 1 to 100 dice"),
        ("60d6+41d6", "must be 1 to 100 dice"),
        ("7", "must be 1 to 100 dice"),
        ("0d6", "must be 1 to 100 dice"),
        ("", "must be 1 to 100 dice"),
        ("1d99999", "must be dice such as"),
        ("9999999d6", "must be dice such as"),
    ],
)
def test_what_is_no_dice_is_refused(dice: str, because: str) -> None:
    with pytest.raises(BadInput, match=f"^dice: {because.replace('+', '[+]')}"):
        thrown(dice)
