"""Which rules and which rows took part. Nothing is noted unless somebody, such as the test run, watches.

Rules read no global, and they do not read this one: it is written to by the run, and read by whoever watches.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, final


@final
class _Trace:
    """What is watched, and whether a rule runs just now."""

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
    """A row of a table was used by something that runs; reading a table to show it is not a use."""
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
