"""Which lines are in force after undos and redos."""

from __future__ import annotations

import pytest

from referee.core import BadInput
from referee.journal.lines import Line, LinesRedone, LinesUndone, NoteSaid, SceneEdited
from referee.journal.undo import UndoStack

EDIT, REDO, NOTE = SceneEdited("gm"), LinesRedone("gm"), NoteSaid("gm", "hm")


def stack(*lines: Line) -> UndoStack:
    found = UndoStack()
    for number, line in enumerate(lines):
        found.add(number, line)
    return found


def test_an_undo_takes_out_a_line_and_all_after_it_but_nothing_beside_the_story() -> None:
    found = stack(EDIT, EDIT, NOTE, EDIT)
    assert found.add(4, LinesUndone("gm", 1)) == [1, 3]
    assert (found.numbers, found.undone) == ([0], [[1, 3]])


def test_lines_may_stay_in_force_and_a_redo_puts_the_others_back_in_their_places() -> None:
    found = stack(EDIT, EDIT, EDIT, EDIT)
    assert found.add(4, LinesUndone("ana", 1, but=(2,))) == [1, 3]
    assert found.numbers == [0, 2]
    assert found.add(5, REDO) == [1, 3]
    assert found.numbers == [0, 1, 2, 3]


@pytest.mark.parametrize("but", [(1,), (0,), (3,), (2, 9)])
def test_only_later_lines_in_force_may_stay(but: tuple[int, ...]) -> None:
    found = stack(EDIT, EDIT, EDIT, NOTE)
    with pytest.raises(BadInput, match="a line that is to stay was not in force after it"):
        found.add(4, LinesUndone("ana", 1, but=but))


def test_redos_bring_back_undos_the_latest_first() -> None:
    found = stack(EDIT, EDIT, LinesUndone("gm", 1), LinesUndone("gm", 0))
    assert [found.add(4, REDO), found.add(5, NOTE), found.add(6, REDO)] == [[0], (), [1]]
    assert found.numbers == [0, 1]


def test_something_new_leaves_nothing_to_redo() -> None:
    found = stack(EDIT, LinesUndone("gm", 0), EDIT)
    assert (found.numbers, found.undone) == ([2], [])
    with pytest.raises(BadInput, match="nothing had been undone just before"):
        found.add(3, REDO)


@pytest.mark.parametrize("to", [-1, 1, 2, 9])
def test_only_what_is_in_force_can_be_undone(to: int) -> None:
    found = stack(EDIT, NOTE)
    assert found.since(to) is None
    with pytest.raises(BadInput, match=f"line {to} was not in force"):
        found.add(2, LinesUndone("gm", to))
