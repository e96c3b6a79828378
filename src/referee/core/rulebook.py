"""The rulebook as a campaign plays it: the printed one, with options, changed figures and added rows.

Each figure is in one place. Code declares what it reads (`figure`, `rows`) and gets it through the scene, so a
campaign's own figures, options and added rows reach every rule. A missing or malformed entry is an error that names
file, id and field.
"""

from __future__ import annotations

import copy
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import inf
from typing import Any, Final, Generic, NamedTuple, TypeAlias, TypeVar, cast, dataclass_transform, final

from referee.core.errors import BadInput, Refused, RulebookError
from referee.core.plain import Plain, hints, read, unknown
from referee.core.printed_book import PRINTED_BOOKS, Entry, PrintedBook, row_name
from referee.core.scene import Scene, Who
from referee.core.trace import note_row

T = TypeVar("T")
Row = TypeVar("Row")

Overlay: TypeAlias = dict[str, dict[str, T]]
"""By rule and path."""

PROOF: Final = "REFEREE_PROOF"
"""Names changed figures, as JSON, while `make rules-proof` runs tests in other processes."""
CHANGED_FIGURES: Final[Overlay[Plain]] = json.loads(os.environ.get(PROOF, "{}"))
"""What `make rules-proof` has put in place of printed figures; books made from then on say so. Otherwise empty."""

_FORMS: Final = {"options": dict[str, bool], "set": Overlay[Any], "add": Overlay[tuple[Any, ...]]}


@final
class Book:
    """The rulebook as one campaign plays it: the printed one, its options, changed figures and added rows.

    It is a value: two books with the same content are equal.
    """

    __slots__ = ("_entries", "_key", "_read", "added", "options", "printed_book", "set")

    def __init__(
        self,
        printed_book: PrintedBook,
        *,
        options: Mapping[str, bool] | None = None,
        set: Mapping[str, Mapping[str, Plain]] | None = None,  # noqa: A002  # the word of the file format
        add: Mapping[str, Mapping[str, Sequence[Plain]]] | None = None,
    ) -> None:
        self.printed_book = printed_book
        self.options: dict[str, bool] = read(_FORMS["options"], options or {}, "options")
        self.set: Overlay[Plain] = read(_FORMS["set"], set or {}, "set")
        self.added: Overlay[list[Plain]] = _joined(
            {}, read(_FORMS["add"], add or {}, "add"), lambda _, rows: list(rows)
        )
        self._key = json.dumps([printed_book.system, self.options, self.set, self.added], sort_keys=True, default=str)
        self._entries: dict[str, Entry] = {}
        self._read: dict[Any, Any] = {}
        for id_ in self.options:
            if not printed_book.entry(id_).optional:
                raise RulebookError(f"{printed_book.file(id_)}: {id_}", "is not an optional rule")
        for id_ in {**self.set, **self.added}:
            self._check(id_)

    def __hash__(self) -> int:
        return hash(self._key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Book) and other._key == self._key

    def __repr__(self) -> str:
        return f"Book({self._key})"

    @classmethod
    def from_plain(cls, plain: Plain) -> Book:
        if isinstance(plain, Book):
            return plain
        _check_parts(plain)
        if str(plain.get("system")) not in PRINTED_BOOKS:
            raise BadInput("system", unknown(str(plain.get("system")), PRINTED_BOOKS))
        return cls(PRINTED_BOOKS[plain["system"]], **{name: plain[name] for name in _PARTS[1:] if name in plain})

    def to_plain(self) -> Plain:
        return {"system": self.printed_book.system, "options": self.options, "set": self.set, "add": self.added}

    def but(self, plain: Plain) -> Book:
        """This book with further options, figures or rows."""
        _check_parts(plain)
        further: dict[str, Any] = {name: read(kind, plain.get(name) or {}, name) for name, kind in _FORMS.items()}
        mine = {"options": {**self.options, **further["options"]}}
        mine["set"] = _joined(self.set, further["set"], lambda _, value: value)
        mine["add"] = _joined(self.added, further["add"], lambda before, rows: [*(before or ()), *rows])
        return Book(self.printed_book, **mine)

    def on(self, id_: str) -> bool:
        """Whether an optional rule is used here; a rule that is not optional always is."""
        return self.options.get(id_, not self.printed_book.entry(id_).optional)

    def entry(self, id_: str) -> Entry:
        """An entry with this campaign's figures in it."""
        if id_ not in self.set and id_ not in self.added and id_ not in CHANGED_FIGURES:
            return self.printed_book.entry(id_)
        if id_ not in self._entries:
            printed = self.printed_book.entry(id_)
            values = copy.deepcopy(printed.values)
            where = f"{self.printed_book.file(id_)}: {id_}"
            for path, value in {**CHANGED_FIGURES.get(id_, {}), **self.set.get(id_, {})}.items():
                _put(values, path, value, where)
            for path, rows in self.added.get(id_, {}).items():
                table = _at(values, path, where)
                if not isinstance(table, list):
                    raise RulebookError(f"{where}: {path}", "is no table; rows cannot be added to it")
                table.extend(rows)
            self._entries[id_] = Entry(
                **{n: getattr(printed, n) for n in Entry.__slots__ if n != "values"}, values=values
            )
        return self._entries[id_]

    def read(self, lookup: Figure[T]) -> T:
        """The value of a declared figure or table here; it is read once."""
        try:
            return cast(T, self._read[lookup])
        except KeyError:
            self._read[lookup] = found = lookup.parse(self)
            return found

    def _check(self, id_: str) -> None:
        """Check that an overlay has the same form as the printed book."""
        self.entry(id_)
        for lookup in DECLARED.get(id_, ()):
            self.read(lookup)


_PARTS: Final = ("system", "options", "set", "add")


def _check_parts(plain: Plain) -> None:
    for name in plain:
        if name not in _PARTS:
            raise BadInput(str(name), unknown(str(name), _PARTS))


def _joined(before: Overlay[T], further: Overlay[Any], join: Callable[[T | None, Any], T]) -> Overlay[T]:
    """One overlay on top of another."""
    joined = {id_: dict(paths) for id_, paths in before.items()}
    for id_, paths in further.items():
        mine = joined.setdefault(id_, {})
        for path, value in paths.items():
            mine[path] = join(mine.get(path), value)
    return joined


def _at(values: Any, path: str, where: str) -> Any:
    """The value at a path such as `table/3/dice` or `gains/push`; the empty path is all of them."""
    for step in path.split("/") if path else ():
        if isinstance(values, Mapping) and step in values:
            values = values[step]
        elif isinstance(values, list) and (at := _place(values, step)) is not None:
            values = values[at]
        else:
            known = tuple(values) if isinstance(values, Mapping) else ()
            raise RulebookError(f"{where}: {path}", unknown(step, known))
    return values


def _put(values: Any, path: str, value: Plain, where: str) -> None:
    before = _at(values, path, where)
    outer, _, last = path.rpartition("/")
    holder = _at(values, outer, where) if outer else values
    if before is not None and value is not None and type(before) is not type(value):
        raise RulebookError(f"{where}: {path}", f"{value!r} cannot stand where {before!r} stood")
    holder[_place(holder, last) if isinstance(holder, list) else last] = value


def _place(rows: list[Any], step: str) -> int | None:
    """The position of a row, by number or by name."""
    if step.isdecimal() and int(step) < len(rows):
        return int(step)
    return next((at for at, row in enumerate(rows) if row_name(row, at) == step), None)


@dataclass(frozen=True, slots=True, eq=False)
class Figure(Generic[T]):
    """Something in the rulebook that code reads: where it is and what form it must have."""

    rule: str
    path: str
    kind: Any

    def within(self, scene: Scene) -> T:
        return scene[BOOK].read(self)

    def parse(self, book: Book) -> T:
        where = f"{book.printed_book.file(self.rule)}: {self.rule}"
        plain = _at(book.entry(self.rule).values, self.path, where)
        try:
            return self.make(plain, book)
        except BadInput as problem:
            raise RulebookError(f"{where}: {self.path}", str(problem)) from None

    def make(self, plain: Plain, book: Book) -> T:
        return cast(T, read(self.kind, plain))


@final
@dataclass(frozen=True, eq=False)
class FiguresOf(Figure[T]):
    """Several figures of one entry, as the fields of a class."""

    parts: Mapping[str, Figure[Any]] = field(default_factory=dict)

    def parse(self, book: Book) -> T:
        return cast(T, self.kind(**{name: book.read(part) for name, part in self.parts.items()}))


DECLARED: Final[dict[str, list[Figure[Any]]]] = {}


def figure(rule: str, path: str, kind: type[T]) -> Figure[T]:
    """Declare a figure: `STRESS_GAIN: Final = figure("alien.push.procedure", "stress_gain", int)`."""
    return _declare(Figure(rule, path, kind))


@dataclass_transform(frozen_default=True)
def figures(rule: str) -> Callable[[type[T]], type[T]]:
    """Declare the figures of a rule as one class, whose name then reads them: `scene[Sprint].times`.

    Its fields are named as in the book.
    """

    def decorate(kind: type[T]) -> type[T]:
        found = dataclass(frozen=True)(kind)
        parts: dict[str, Figure[Any]] = {
            name: _declare(Figure(rule, name, form)) for name, form in hints(found).items()
        }
        type.__setattr__(found, "within", FiguresOf(rule, "", found, parts).within)
        return found

    return decorate


def rows(
    rule: str, path: str, kind: type[Row], *, by: str | tuple[str, ...] = (), numbers: Iterable[int] = ()
) -> RowsOf[Row]:
    """Declare a table or catalogue whose rows are read as `kind`.

    Rows found by a number name the column that has it (`by="roll"`), or the two that say from where to where
    (`by=("from", "to")`). No two rows may have the same number, and none may be missing between the first and the last,
    or of the `numbers` that can occur (those of a D66 table).
    """
    return _declare(RowsOf(rule, path, kind, (by, by) if isinstance(by, str) else by, tuple(numbers)))


F = TypeVar("F", bound=Figure[Any])


def _declare(lookup: F) -> F:
    DECLARED.setdefault(lookup.rule, []).append(lookup)
    return lookup


class Range(NamedTuple):
    """The numbers by which a row of a table is found."""

    row: str
    low: float
    high: float


@final
class Rows(Generic[Row]):
    """The rows of a table, found by name or by a number within their range. Each use of a row is recorded."""

    __slots__ = ("_by_name", "_ranges", "rule")

    def __init__(self, rule: str, found: Sequence[tuple[str, Row]], ranges: Sequence[Range] = ()) -> None:
        self.rule = rule
        self._by_name = dict(found)
        if len(self._by_name) < len(found):
            twice = {name for at, (name, _) in enumerate(found) if any(name == other[0] for other in found[:at])}
            raise BadInput("", f"two rows are called {', '.join(sorted(twice))}")
        self._ranges = tuple(ranges)

    def __iter__(self) -> Iterator[Row]:
        return iter(self._by_name.values())

    def __len__(self) -> int:
        return len(self._by_name)

    def __contains__(self, name: object) -> bool:
        return name in self._by_name

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._by_name)

    def at(self, number: int) -> Row:
        """The row whose range contains the number."""
        for name, low, high in self._ranges:
            if low <= number <= high:
                note_row(self.rule, name)
                return self._by_name[name]
        raise RulebookError(self.rule, f"the table has no row for {number}")

    def look(self, name: str) -> Row:
        """A row by name; this does not count as a use."""
        if name not in self._by_name:
            folded = {each.casefold(): each for each in self._by_name}
            if name.casefold() not in folded:
                raise Refused(name, because="the book has none of this name", rule=self.rule, legal=self.names[:40])
            name = folded[name.casefold()]
        return self._by_name[name]

    def __getitem__(self, name: str) -> Row:
        """A row by name; this counts as a use."""
        row = self.look(name)
        note_row(self.rule, next(each for each, found in self._by_name.items() if found is row))
        return row


@final
@dataclass(frozen=True, slots=True, eq=False)
class RowsOf(Figure[Rows[Row]]):
    """A declared table: the columns in `by` place a row, the others are the fields of its type."""

    by: tuple[str, ...] = ()
    numbers: tuple[int, ...] = ()
    """The numbers that can occur, where they are not simply all."""

    def make(self, plain: Plain, book: Book) -> Rows[Row]:
        if not isinstance(plain, list):
            raise BadInput("", f"must be rows, not {plain!r}")
        named = [(row_name(raw, at), raw) for at, raw in enumerate(plain)]
        ranges = [*self._ranges(named)]
        found = Rows(self.rule, [(name, self._row(name, raw)) for name, raw in named], ranges)
        check_ranges(ranges, self.numbers)
        return found

    def _row(self, name: str, raw: Any) -> Row:
        mine = {key: value for key, value in raw.items() if key not in self.by} if isinstance(raw, Mapping) else raw
        row: Row = read(self.kind, mine, name)
        return row

    def _ranges(self, named: Sequence[tuple[str, Any]]) -> Iterator[Range]:
        """Where each row stands; rows that are no more than a value stand in their order, from 0."""
        for at, (name, raw) in enumerate(named):
            if not isinstance(raw, Mapping):
                yield Range(name, at, at)
            elif self.by:
                low, high = (raw.get(column) for column in self.by)
                for bound in (low, high):
                    read(int | None, bound, f"{name}.{' or '.join(dict.fromkeys(self.by))}")
                yield Range(name, -inf if low is None else low, inf if high is None else high)


def check_ranges(ranges: Sequence[Range], numbers: Sequence[int] = ()) -> None:
    """Refuse rows that claim the same number, and numbers that no row claims."""
    ordered = sorted(ranges, key=lambda each: (each.low, each.high))
    for each in ordered:
        if each.high < each.low:
            raise BadInput("", f"{each.row} ends at {each.high:g}, before it begins at {each.low:g}")
    for one, other in pairwise(ordered):
        if other.low <= one.high:
            raise BadInput("", f"the rows {one.row} and {other.row} overlap")
        if other.low > one.high + 1 and not numbers:
            raise BadInput("", f"no row has {one.high + 1:g}: there is a gap between {one.row} and {other.row}")
    for number in numbers:
        if not any(each.low <= number <= each.high for each in ordered):
            raise BadInput("", f"no row has {number}")


BOOK: Final = Who("book", Book)
