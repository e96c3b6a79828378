"""Which rule is running, and which rules and rows took part.

Nothing is recorded unless someone, such as the test run, is watching. Rules read no global, not even this one: the run
says what is running, and whoever is watching reads what took part.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import local
from typing import Final, Generic, Protocol, TypeVar, final

T = TypeVar("T")


class Citable(Protocol):
    """A rule or formula that can be running: what it is called, and the id of its entry in the book."""

    @property
    def title(self) -> str: ...
    @property
    def cites(self) -> str: ...
    @property
    def cited(self) -> tuple[str, ...]: ...


@final
@dataclass(frozen=True)
class Citation:
    """A rule of the book that no function of its own implements: a table that is looked up, an option of a family."""

    title: str
    cites: str
    within: tuple[str, ...] = ()
    """The rule that carries it out, if another one does."""

    @property
    def cited(self) -> tuple[str, ...]:
        return (self.cites, *(each for each in self.within if each != self.cites))


class _Running(local):
    """The rule that is running in this thread: odds are computed beside the table."""

    rule: Citable | None = None


class _Watch:
    seen: set[str] | None = None


RUNNING: Final = _Running()
_WATCH: Final = _Watch()


class running:  # noqa: N801  # used as a function; a class, since rules are run very often
    """While a rule runs, or while it is worked out who may use it."""

    __slots__ = ("_before", "_rule")

    def __init__(self, rule: Citable) -> None:
        self._rule = rule

    def __enter__(self) -> None:
        self._before, RUNNING.rule = RUNNING.rule, self._rule

    def __exit__(self, *_: object) -> None:
        RUNNING.rule = self._before


def running_each(rule: Citable, found: Iterator[T]) -> Iterator[T]:
    """The same one by one; the rule runs only while the next is looked for."""
    while True:
        with running(rule):
            try:
                each = next(found)
            except StopIteration:
                return
        yield each


def is_watched() -> bool:
    """Whether someone wants to know what takes part."""
    return _WATCH.seen is not None


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


@final
@dataclass(frozen=True, slots=True)
class Kept(Generic[T]):
    """A value that need not be worked out again, and what took part in it."""

    value: T
    _noted: frozenset[str] | None
    """None if no one was watching."""
    _in_rule: bool

    def counts(self) -> bool:
        """Whether it can stand for working it out again: whoever is watching is told what took part."""
        if _WATCH.seen is None:
            return True
        if self._noted is None or self._in_rule is not (RUNNING.rule is not None):
            return False
        _WATCH.seen.update(self._noted)
        return True


def kept(work: Callable[[], T]) -> Kept[T]:
    """Work something out, to be kept."""
    if _WATCH.seen is None:
        return Kept(work(), None, False)
    with watching(set()) as noted:
        value = work()
    return Kept(value, frozenset(noted), RUNNING.rule is not None)
