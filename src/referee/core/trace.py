"""Which rule is running, and which rules and rows took part.

Nothing is recorded unless someone, such as the test run, is watching. Rules read no global, not even this one: the run
says what is running, and whoever is watching reads what took part.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import local
from typing import Final, Protocol, final


class Citable(Protocol):
    """A rule or formula that can be running: what it is called, and the id of its entry in the book."""

    @property
    def title(self) -> str: ...
    @property
    def cites(self) -> str: ...


@final
@dataclass(frozen=True)
class Citation:
    """A rule of the book that no function of its own implements, such as a table that is looked up."""

    title: str
    cites: str


class _Running(local):
    """The rule that is running in this thread: odds are computed beside the table."""

    rule: Citable | None = None


class _Watch:
    seen: set[str] | None = None


RUNNING: Final = _Running()
_WATCH: Final = _Watch()


@contextmanager
def running(rule: Citable) -> Iterator[None]:
    """While a rule runs, or while it is worked out who may use it."""
    before, RUNNING.rule = RUNNING.rule, rule
    try:
        yield
    finally:
        RUNNING.rule = before


def note(*rules: str) -> None:
    """These rules took part: they ran, or a modifier, a change or a refusal carried them."""
    if _WATCH.seen is not None:
        _WATCH.seen.update(rules)


def note_row(rule: str, row: str) -> None:
    """A running rule used a row of a table; reading a table to show it is not a use."""
    if _WATCH.seen is not None and RUNNING.rule is not None:
        _WATCH.seen.update((rule, f"{rule}#{row}"))


@contextmanager
def watching(into: set[str]) -> Iterator[set[str]]:
    """Collect what takes part."""
    before, _WATCH.seen = _WATCH.seen, into
    try:
        yield into
    finally:
        _WATCH.seen = before
        if before is not None:
            before.update(into)
