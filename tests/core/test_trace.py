"""What takes part is noted only while somebody watches."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from referee.core import trace
from referee.core.trace import RUNNING, Citation, kept, note, note_row, running, watching

RULE = Citation("a rule", "some.rule")


def test_a_row_takes_part_only_while_a_rule_runs() -> None:
    with watching(set()) as seen:
        note_row("some.table", "first")
        with running(RULE):
            note_row("some.table", "second")
            with running(RULE):
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
    with watching(set()), running(RULE):
        note("one")
        raise KeyError


def test_watching_and_running_end_with_an_error_too() -> None:
    with watching(set()) as outer:
        with pytest.raises(KeyError):
            fail_while_watched()
        note_row("not", "running")
    assert outer == {"one"}


def test_each_thread_has_its_own_running_rule() -> None:
    with running(RULE), ThreadPoolExecutor(1) as other:
        assert RUNNING.rule is RULE
        assert other.submit(lambda: RUNNING.rule).result() is None
    assert RUNNING.rule is None


def test_what_is_kept_tells_whoever_watches_what_took_part_in_it() -> None:
    def work() -> int:
        note("one")
        note_row("some.table", "first")
        return 3

    with watching(set()):
        with running(RULE):
            known = kept(work)
        assert known.value == 3
        assert not known.counts(), "outside of a rule no row is used"
        with watching(set()) as later, running(RULE):
            assert known.counts()
    assert later == {"one", "some.table", "some.table#first"}


def test_what_was_kept_unwatched_is_worked_out_again_for_whoever_watches(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as unwatched:
        unwatched.setattr(trace._WATCH, "seen", None)
        known = kept(lambda: 3)
        assert known.counts()
    with watching(set()):
        assert not known.counts()
