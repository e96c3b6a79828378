"""A rule of the book laid out for a page: figures as a small table, tables as real ones, ids as links."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, final

from referee.core.plain import Plain
from referee.core.printed_book import Entry, PrintedBook
from referee.core.wording import heading, phrase, spaced
from referee.web.pages.book.search import title_of
from referee.web.pages.page import WORDS

NONE: Final = "–"
NAMELESS: Final = ("", "table", "rows", "list")
"""A table with one of these names takes the name of its rule."""
BANDS: Final = ("from", "to")
_MINUS: Final = re.compile(r"(?<![\w-])-(?=\d)")
_ID: Final = re.compile(r"(?<![\w.-])[a-z][a-z0-9]*(?:\.[a-z0-9-]+)+(?:/[\w-]+)*")


@final
@dataclass(frozen=True)
class Span:
    """A piece of text; with a rule, it is a link to that rule."""

    text: str
    rule: str = ""


Text = tuple[Span, ...]


@final
@dataclass(frozen=True)
class PrintedFigure:
    """A figure of a rule, with the printed value if a campaign has a different one."""

    name: str
    value: Text
    printed: str = ""


@final
@dataclass(frozen=True)
class PrintedLine:
    """A row of a table."""

    cells: tuple[Text, ...]
    note: str = ""
    """`added` or `changed` if the campaign has its own row."""


@final
@dataclass(frozen=True)
class PrintedTable:
    """A table with a caption; the first cell of each row is its header."""

    caption: str
    columns: tuple[str, ...]
    lines: tuple[PrintedLine, ...]

    @property
    def is_own(self) -> bool:
        """Whether a campaign has changed it."""
        return any(line.note for line in self.lines)


@final
@dataclass(frozen=True)
class Printed:
    """What a rule says, ready for a page."""

    text: Text
    figures: tuple[PrintedFigure, ...]
    tables: tuple[PrintedTable, ...]
    reading: Text
    examples: tuple[tuple[Text, Text], ...]
    """Each example's input and its result."""


def printed(entry: Entry, printed_book: PrintedBook) -> Printed:
    """An entry as a campaign has it, compared with the printed one."""
    was = printed_book.entry(entry.id).values
    values = entry.values if isinstance(entry.values, Mapping) else {"": entry.values}
    before = was if isinstance(was, Mapping) else {"": was}
    setting = _Setting(printed_book)
    figures: list[PrintedFigure] = []
    tables: list[PrintedTable] = []
    for name, value in values.items():
        if _is_table(value):
            title = title_of(entry.id) if name in NAMELESS else heading(str(name))
            tables.append(setting.table(title, value, before.get(name)))
        else:
            is_changed = name in before and before[name] != value
            old = _cell(before[name]) if is_changed else ""
            figures.append(PrintedFigure(heading(str(name)), setting.linked(_cell(value)), old))
    reading = setting.linked(" ".join(entry.unclear.split()))
    examples = tuple(_example(setting, each) for each in entry.examples)
    return Printed(setting.linked(entry.rule), tuple(figures), tuple(tables), reading, examples)


def _is_table(value: Plain) -> bool:
    """Whether a value is a list of rows, or a mapping with more than one entry."""
    if isinstance(value, list):
        return bool(value) and any(isinstance(each, (dict, list)) for each in value)
    return isinstance(value, dict) and len(value) > 1


def _cell(value: Plain) -> str:
    if value is None or value == []:
        return NONE
    return _MINUS.sub("\N{MINUS SIGN}", phrase(value))


def _example(setting: _Setting, example: Plain) -> tuple[Text, Text]:
    if isinstance(example, dict) and {"given", "expect"} <= example.keys():
        return setting.linked(phrase(example["given"])), setting.linked(phrase(example["expect"]))
    return setting.linked(phrase(example)), ()


@final
class _Setting:
    """Lays out tables and texts, with links to the rules of one book."""

    def __init__(self, printed_book: PrintedBook) -> None:
        self.ids = frozenset(printed_book.ids)

    def linked(self, text: str) -> Text:
        """A text in which rule ids become links with the rule's name."""
        found: list[Span] = []
        end = 0
        for each in _ID.finditer(text):
            rule, _, rest = each[0].partition("/")
            if rule not in self.ids:
                continue
            found += [Span(text[end : each.start()]), Span(title_of(rule), rule)]
            found += [Span(f", {spaced(rest)}")] if rest else []
            end = each.end()
        found.append(Span(text[end:]))
        return tuple(each for each in found if each.text)

    def table(self, caption: str, value: Plain, was: Plain) -> PrintedTable:
        rows = _rows(value)
        before = _rows(was) if isinstance(was, type(value)) else []
        columns = list(dict.fromkeys(column for row in rows for column in row))
        is_banded = any(each in columns for each in BANDS)
        rest = [each for each in columns if each not in BANDS]
        rest.sort(key=lambda column: column not in ("", "name"))
        heads = [WORDS.say("rules.band")] if is_banded else []
        heads += [heading(each) if each else WORDS.say("rules.name") for each in rest]
        lines = []
        for at, row in enumerate(rows):
            cells = [self.linked(_band(row))] if is_banded else []
            cells += [self.linked(_cell(row.get(each))) for each in rest]
            note = "added" if before and at >= len(before) else "changed" if before and row != before[at] else ""
            lines.append(PrintedLine(tuple(cells), note))
        return PrintedTable(caption, tuple(heads), tuple(lines))


def _rows(value: Plain) -> list[dict[str, Plain]]:
    """Rows as mappings from columns to values, however the table is written in the book."""
    if isinstance(value, dict):
        return [{"": heading(str(key)), **_columns(each)} for key, each in value.items()]
    return [_columns(each) for each in value]


def _columns(row: Plain) -> dict[str, Plain]:
    if isinstance(row, dict):
        return dict(row)
    if isinstance(row, list):
        return {str(at + 1): each for at, each in enumerate(row)}
    return {"value": row}


def _band(row: Mapping[str, Plain]) -> str:
    """The range of totals a row covers."""
    low, high = row.get("from"), row.get("to")
    if low is None:
        return NONE if high is None else WORDS.say("rules.or-less", number=_cell(high))
    if high is None:
        return WORDS.say("rules.or-more", number=_cell(low)) if "to" in row else _cell(low)
    return _cell(low) if low == high else WORDS.say("rules.to", low=_cell(low), high=_cell(high))


def names(entry: Entry, printed_book: PrintedBook) -> tuple[str, ...]:
    """The rules that a rule mentions: those it refers to, and those in its figures and texts."""
    found = dict.fromkeys(each for each in entry.refs if each in printed_book.ids)
    found |= dict.fromkeys(_ids_in(printed_book.text(entry.id), printed_book))
    return tuple(each for each in found if each != entry.id)


def named_by(id_: str, printed_book: PrintedBook) -> tuple[str, ...]:
    """The rules that mention a rule."""
    is_named = re.compile(rf"(?<![\w.-]){re.escape(id_)}(?![\w-]|\.\w)")
    return tuple(each for each in printed_book.ids if each != id_ and is_named.search(printed_book.text(each)))


def _ids_in(text: str, printed_book: PrintedBook) -> Iterator[str]:
    ids = frozenset(printed_book.ids)
    for each in _ID.finditer(text):
        rule = each[0].partition("/")[0]
        if rule in ids:
            yield rule
