"""Which rules and which rows took part. Nothing is noted unless somebody, such as the test run, watches."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

watched: set[str] | None = None
_running = 0
# Rules read no global; this one is written to by the run and read by whoever watches, never by a rule.


def note(*rules: str) -> None:
    """These rules took part: they ran, or a modifier, a change or a refusal carried them."""
    if watched is not None:
        watched.update(rules)


def note_row(rule: str, row: str) -> None:
    """A row of a table was used by something that runs; reading a table to show it is not a use."""
    if watched is not None and _running:
        watched.update((rule, f"{rule}#{row}"))


@contextmanager
def running() -> Iterator[None]:
    """While a rule runs."""
    global _running
    _running += 1
    try:
        yield
    finally:
        _running -= 1


@contextmanager
def watching(into: set[str]) -> Iterator[set[str]]:
    """Collect what takes part."""
    global watched
    before, watched = watched, into
    try:
        yield into
    finally:
        watched = before
        if before is not None:
            before.update(into)
