"""What takes part is noted only while somebody watches."""

from __future__ import annotations

import pytest

from referee.core.trace import RUNNING, note, note_row, watching


def test_nothing_is_noted_while_nobody_watches() -> None:
    before, RUNNING.watched = RUNNING.watched, None
    try:
        note("some.rule")
        with RUNNING:
            note_row("some.rule", "row")
        assert RUNNING.watched is None
    finally:
        RUNNING.watched = before


def test_a_row_takes_part_only_while_a_rule_runs() -> None:
    with watching(set()) as seen:
        note_row("some.table", "first")
        with RUNNING:
            note_row("some.table", "second")
            with RUNNING:
                pass
            note_row("some.table", "third")
        note_row("some.table", "fourth")
    assert seen == {"some.table", "some.table#second", "some.table#third"}


def test_who_watches_outside_sees_what_is_seen_inside() -> None:
    with watching(set()) as outer:
        note("one")
        with watching(set()) as inner:
            note("two")
        note("three")
    assert (outer, inner) == ({"one", "two", "three"}, {"two"})


def fail_while_watched() -> None:
    with watching(set()), RUNNING:
        note("one")
        raise KeyError


def test_watching_and_running_end_with_an_error_too() -> None:
    with watching(set()) as outer:
        with pytest.raises(KeyError):
            fail_while_watched()
        note_row("not", "running")
    assert outer == {"one"}
