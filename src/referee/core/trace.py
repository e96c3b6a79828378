"""Which rules and rows took part. Nothing is recorded unless someone, such as the test run, is watching.

Rules read no global, not even this one: the run writes to it, and whoever is watching reads it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, final


@final
class _Trace:
    """Who is watching, and whether a rule is running now."""

    watched: set[str] | None = None
    depth = 0

    def __enter__(self) -> None:
        self.depth += 1

    def __exit__(self, *_: object) -> None:
        self.depth -= 1


RUNNING: Final = _Trace()
"""`with RUNNING:` while a rule runs."""


def note(*rules: str) -> None:
    """These rules took part: they ran, or a modifier, a change or a refusal carried them."""
    if RUNNING.watched is not None:
        RUNNING.watched.update(rules)


def note_row(rule: str, row: str) -> None:
    """A running rule used a row of a table; reading a table to show it is not a use."""
    if RUNNING.watched is not None and RUNNING.depth:
        RUNNING.watched.update((rule, f"{rule}#{row}"))


@contextmanager
def watching(into: set[str]) -> Iterator[set[str]]:
    """Collect what takes part."""
    before, RUNNING.watched = RUNNING.watched, into
    try:
        yield into
    finally:
        RUNNING.watched = before
        if before is not None:
            before.update(into)
