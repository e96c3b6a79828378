"""The figures of the rulebook that can be changed: those that rules read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, final

from referee.core.plain import Plain
from referee.core.printed_book import PrintedBook, row_name
from referee.core.rulebook import DECLARED, Book
from referee.core.wording import phrase, spaced

SHORT: Final = 70
"""How much of a rule's text tells it apart from others."""


@final
@dataclass(frozen=True)
class FigureShown:
    """A figure: its place, its value here, and its printed value."""

    path: str
    value: Plain
    printed: Plain

    @property
    def words(self) -> str:
        return ", ".join(map(spaced, self.path.split("/")))

    @property
    def kind(self) -> str:
        return "check" if isinstance(self.value, bool) else "number" if isinstance(self.value, int) else "text"


@final
@dataclass(frozen=True)
class ChangedFigure:
    """A difference from the printed book: a changed figure, an option that is on (no path), or added rows."""

    rule: str
    path: str
    before: Plain
    after: Plain
    rows: bool = False

    @property
    def words(self) -> str:
        return ", ".join(map(spaced, self.path.split("/")))

    @property
    def was(self) -> str:
        return phrase(self.before)

    @property
    def now(self) -> str:
        return phrase(self.after)


def played_rules(shelf: PrintedBook) -> tuple[tuple[str, tuple[tuple[str, str], ...]], ...]:
    """Every rule with figures that code reads, by chapter: its id, its name and its first words."""
    return _played(shelf, shelf.version)


@lru_cache(maxsize=64)
def _played(shelf: PrintedBook, _version: str) -> tuple[tuple[str, tuple[tuple[str, str], ...]], ...]:
    book = Book(shelf)
    chapters: dict[str, list[tuple[str, str]]] = {}
    for each in shelf.ids:
        if figures_of(book, each):
            entry = shelf.entry(each)
            name = each.rpartition(".")[2].replace("-", " ").capitalize()
            chapters.setdefault(entry.chapter.capitalize(), []).append((each, f"{name}: {_begin(entry.rule)}"))
    return tuple((chapter, tuple(rules)) for chapter, rules in chapters.items())


def _begin(text: str) -> str:
    first = text.partition(". ")[0]
    return first if len(first) <= SHORT else f"{first[:SHORT].rpartition(' ')[0]} …"


def figures_of(book: Book, rule: str) -> tuple[FigureShown, ...]:
    """The numbers of a rule that code reads, with this table's values and the printed ones."""
    now, was = book.entry(rule).values, book.shelf.entry(rule).values
    found: dict[str, FigureShown] = {}
    for lookup in DECLARED.get(rule, ()):
        for path, value in _leaves(_under(now, lookup.path), lookup.path):
            if isinstance(value, int):
                found[path] = FigureShown(path, value, _under(was, path))
    return tuple(found.values())


def printed(shelf: PrintedBook, rule: str, path: str) -> Plain:
    return _under(shelf.entry(rule).values, path)


def _leaves(value: Plain, path: str) -> Iterator[tuple[str, Plain]]:
    if isinstance(value, Mapping):
        for name, inner in value.items():
            yield from _leaves(inner, f"{path}/{name}")
    elif isinstance(value, list):
        for at, inner in enumerate(value):
            name = row_name(inner, at)
            clear = "/" not in name and [row_name(each, n) for n, each in enumerate(value)].count(name) == 1
            yield from _leaves(inner, f"{path}/{name if clear and isinstance(inner, Mapping) else at}")
    else:
        yield path, value


def _under(values: Any, path: str) -> Plain:
    """The value at a path, or None."""
    for step in path.split("/"):
        if isinstance(values, Mapping):
            values = values.get(step)
        elif isinstance(values, list):
            places = [at for at, row in enumerate(values) if row_name(row, at) == step]
            at = int(step) if step.isdecimal() and int(step) < len(values) else next(iter(places), None)
            values = None if at is None else values[at]
        else:
            return None
    return values


def changed_figures(book: Book) -> tuple[ChangedFigure, ...]:
    """Everything that differs from the printed book."""
    options = [ChangedFigure(rule, "", False, True) for rule, on in book.options.items() if on]
    figures = [
        ChangedFigure(rule, path, before, value)
        for rule, paths in book.set.items()
        for path, value in paths.items()
        if (before := printed(book.shelf, rule, path)) != value
    ]
    added = [
        ChangedFigure(rule, path, None, rows, rows=True)
        for rule, paths in book.added.items()
        for path, rows in paths.items()
        if rows
    ]
    return (*options, *figures, *added)
