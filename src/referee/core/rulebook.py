"""The rulebook as a campaign plays it: the printed one, with options, changed figures and added rows.

Each figure is in one place. Code declares what it reads (`figure`, `rows`) and gets it through the scene, so a
campaign's own figures, options and added rows reach every rule. A missing or malformed entry is an error that names
file, id and field.
"""

from __future__ import annotations

import copy
import json
import os
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, is_dataclass, replace
from functools import wraps
from itertools import pairwise
from math import inf
from typing import (
    Any,
    Concatenate,
    Final,
    Generic,
    NamedTuple,
    ParamSpec,
    TypeAlias,
    TypeVar,
    cast,
    dataclass_transform,
    final,
    get_args,
)

from referee.core.errors import BadInput, Refused, RulebookError
from referee.core.plain import Plain, hints, meant, read, unknown
from referee.core.printed_book import OFF, PRINTED_BOOKS, Entry, PrintedBook, row_name
from referee.core.scene import Scene, Who
from referee.core.trace import RUNNING, Kept, kept, note, note_row

P = ParamSpec("P")
T = TypeVar("T")
Row = TypeVar("Row")

Overlay: TypeAlias = dict[str, dict[str, T]]
"""By rule and path."""

PROOF: Final = "REFEREE_PROOF"
"""Names changed figures, as JSON, while `make rules-proof` runs tests in other processes."""
CHANGED_FIGURES: Final[Overlay[Plain]] = json.loads(os.environ.get(PROOF, "{}"))
"""What `make rules-proof` has put in place of printed figures; books made from then on say so. Otherwise empty."""

ON: Final = "on"
"""The choice of a switch that is used."""
_FORMS: Final = {"options": dict[str, bool | str], "set": Overlay[Any], "add": Overlay[tuple[Any, ...]]}


@final
class Book:
    """The rulebook as one campaign plays it: the printed one, its options, changed figures and added rows.

    It is a value: two books with the same content are equal.
    """

    __slots__ = ("_absent", "_entries", "_key", "_looked_up", "_read", "added", "options", "printed_book", "set")

    def __init__(
        self,
        printed_book: PrintedBook,
        *,
        options: Mapping[str, bool | str] | None = None,
        set: Mapping[str, Mapping[str, Plain]] | None = None,  # noqa: A002  # the word of the file format
        add: Mapping[str, Mapping[str, Sequence[Plain]]] | None = None,
    ) -> None:
        self._lay(printed_book, {"options": options, "set": set, "add": add})
        self.check()

    def _lay(self, printed_book: PrintedBook, plain: Mapping[str, Plain]) -> None:
        """Lay a campaign's options, figures and rows on the printed book."""
        laid: dict[str, Any] = {name: read(kind, plain.get(name) or {}, name) for name, kind in _FORMS.items()}
        self.printed_book = printed_book
        self.options: dict[str, bool | str] = {
            id_: _normal(printed_book, id_, value) for id_, value in laid["options"].items()
        }
        """Switches on or off, and the choice of a rule that has several."""
        self.set: Overlay[Plain] = laid["set"]
        self.added: Overlay[list[Plain]] = _joined({}, laid["add"], lambda _, rows: list(rows))
        self._key = json.dumps([printed_book.system, self.options, self.set, self.added], sort_keys=True, default=str)
        self._entries: dict[str, Entry] = {}
        self._read: dict[Any, Any] = {}
        self._looked_up: dict[Any, Kept[Any]] = {}
        self._absent: frozenset[str] | None = None

    def check(self) -> None:
        """Refuse options, figures and rows that the printed book does not allow.

        A stored book is not checked, so that a campaign opens even if the rules are stricter now.
        """
        for id_, value in self.options.items():
            _setting(self.printed_book, id_, value)
        if self.options:
            self._check_exclusions()
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
        """A book from a log or a file, unchecked; what comes from people is checked with its scene."""
        if isinstance(plain, Book):
            return plain
        _check_parts(plain)
        if str(plain.get("system")) not in PRINTED_BOOKS:
            raise BadInput("system", unknown(str(plain.get("system")), PRINTED_BOOKS))
        book = cls.__new__(cls)
        book._lay(PRINTED_BOOKS[plain["system"]], plain)
        return book

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

    def on(self, rule: str) -> bool:
        """Whether a rule, or one choice of it (`rule.id=choice`), is used here.

        A rule is not used if it is optional and off, or if an option it depends on is.
        """
        id_, is_choice, choice = rule.partition("=")
        self.printed_book.entry(id_)
        return id_ not in self.absent and (not is_choice or self.choice(id_) == choice)

    def choice(self, id_: str) -> str:
        """The choice played of a rule that has several, `off` if it is not used; a switch is `on` or `off`."""
        entry = self.printed_book.entry(id_)
        if id_ in self.absent:
            return OFF
        setting = self.options.get(id_, True)
        return setting if isinstance(setting, str) and setting in entry.choices else next(iter(entry.choices), ON)

    @property
    def absent(self) -> frozenset[str]:
        """The rules that are not used here."""
        if self._absent is None:
            known = self.printed_book.conditional
            self._absent = off = frozenset(id_ for id_, entry in known.items() if self._is_off(entry))
            while more := {id_ for id_, entry in known.items() if id_ not in off and self.missing(entry.option)}:
                self._absent = off = off | more
        return self._absent

    def missing(self, options: Iterable[str]) -> str | None:
        """The first of these options that is not used here."""
        return next((each for each in options if not self.on(each)), None)

    def why_absent(self, option: str) -> str:
        """Why an option, or a rule that depends on one, is not used here."""
        id_, _, choice = option.partition("=")
        entry = self.printed_book.entry(id_)
        if id_ in self.absent:
            missing = None if self._is_off(entry) else self.missing(entry.option)
            return self.why_absent(missing) if missing else f"the optional rule {id_} is not used at this table"
        return f"this table plays {id_} as {self.choice(id_)!r}, not as {choice!r}"

    def _is_off(self, entry: Entry) -> bool:
        return entry.optional and not self.options.get(entry.id)

    def _check_exclusions(self) -> None:
        for entry in self.printed_book.options:
            for other in entry.excludes:
                if self.on(entry.id) and self.on(other):
                    raise Refused("options", because=f"{entry.id} and {other} cannot be used together", rule=entry.id)

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
                _add_rows(_at(values, path, where), rows, f"{where}: {path}")
            self._entries[id_] = replace(printed, values=values)
        return self._entries[id_]

    def read(self, lookup: Figure[T]) -> T:
        """The value of a declared figure or table here; it is read once."""
        try:
            return cast(T, self._read[lookup])
        except KeyError:
            self._read[lookup] = found = self._printed(lookup) if self._has_printed(lookup) else lookup.parse(self)
            return found

    def look_up(self, found_by: Callable[..., T], args: tuple[Hashable, ...]) -> T:
        """What a function of the rulebook alone comes to here; it is worked out once."""
        key = found_by, args
        known: Kept[T] | None = self._looked_up.get(key)
        if known is not None and known.counts():
            return known.value
        if len(self._looked_up) >= MOST_LOOKED_UP:
            self._looked_up = {}
        self._looked_up[key] = found = kept(lambda: found_by(Scene({BOOK.name: self}), *args))
        return found.value

    def _has_printed(self, lookup: Figure[Any]) -> bool:
        """Whether something is here as it is printed, whatever the campaign has chosen."""
        changed = (self.set, self.added, CHANGED_FIGURES)
        rules = lookup.sources(self.printed_book) if any(changed) else ()
        return lookup.is_printed and not any(rule in each for rule in rules for each in changed)

    def _printed(self, lookup: Figure[T]) -> T:
        """The printed value, which all books share: tables are read once for all campaigns."""
        shared = self.printed_book.read_figures
        if lookup not in shared:
            shared[lookup] = lookup.parse(self)
        return cast(T, shared[lookup])

    def _check(self, id_: str) -> None:
        """Check that an overlay has the same form as the printed book."""
        for lookup in _reading(self.entry(id_)):
            self.read(lookup)


def from_book(body: Callable[Concatenate[Scene, P], T]) -> Callable[Concatenate[Scene, P], T]:
    """Write a function that reads nothing but the rulebook, such as the row that a name stands for.

    For each book and arguments it is run once: fights ask for the same weapon many times.
    """

    @wraps(body)
    def look(scene: Scene, /, *args: P.args, **kwargs: P.kwargs) -> T:
        if kwargs:
            raise TypeError(f"{body.__qualname__}: what is looked up takes no arguments by name, for they must compare")
        return scene[BOOK].look_up(body, args)

    return look


MOST_LOOKED_UP: Final = 4096


def _normal(printed_book: PrintedBook, id_: str, value: bool | str) -> bool | str:
    """A setting in its one form; one that is not legal as it is, until it is checked."""
    try:
        return _setting(printed_book, id_, value)
    except BadInput:
        return value


def _setting(printed_book: PrintedBook, id_: str, value: bool | str) -> bool | str:
    """How a campaign sets an option: a switch on or off, or one of several choices."""
    entry = printed_book.entry(id_)
    if not entry.is_option:
        raise RulebookError(f"{printed_book.file(id_)}: {id_}", "is not an optional rule")
    if not entry.choices:
        return read(bool, value, f"options.{id_}")
    if value in (False, OFF) and entry.optional:
        return False
    if value is True and entry.optional:
        return next(iter(entry.choices))
    if value not in entry.choices:
        known = (*entry.choices, OFF) if entry.optional else tuple(entry.choices)
        raise BadInput(f"options.{id_}", unknown(str(value), known))
    return value


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


def _add_rows(table: Any, rows: Sequence[Any], where: str) -> None:
    """Add rows to a table; to one that is printed by names, each under its name."""
    if isinstance(table, list):
        table.extend(rows)
        return
    if not isinstance(table, dict) or not all(isinstance(row, (dict, list, str)) for row in table.values()):
        raise RulebookError(where, "is no table; rows cannot be added to it")
    for row in rows:
        if not isinstance(row, Mapping) or "name" not in row:
            raise RulebookError(where, f"a row needs a name: {row!r}")
        if row["name"] in table:
            raise RulebookError(where, f"two rows are called {row['name']}")
        table[row["name"]] = {column: value for column, value in row.items() if column != "name"}


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
    among: range | None = field(default=None, kw_only=True)
    """The numbers it may be, if not any: those on a die, say."""

    @property
    def rules(self) -> tuple[str, ...]:
        """The rules that it names as those it is printed under."""
        return (self.rule,)

    def sources(self, printed_book: PrintedBook) -> tuple[str, ...]:
        """Every rule whose entry it is made of."""
        return self.rules

    @property
    def is_printed(self) -> bool:
        """Whether it depends on nothing but the entries of its rules."""
        return True

    def within(self, scene: Scene) -> T:
        return scene[BOOK].read(self)

    def paths(self, entry: Entry) -> tuple[str, ...]:
        """Where it is in an entry."""
        return (self.path,) if entry.id == self.rule else ()

    def parse(self, book: Book) -> T:
        where = f"{book.printed_book.file(self.rule)}: {self.rule}"
        plain = _at(book.entry(self.rule).values, self.path, where)
        with _placed(where, self.path):
            return self.make(plain, book)

    def make(self, plain: Plain, book: Book) -> T:
        found = read(self.kind, plain)
        if self.among is not None and found not in self.among:
            raise BadInput("", f"must be from {self.among[0]} to {self.among[-1]}, not {found!r}")
        return cast(T, found)


@final
@dataclass(frozen=True, eq=False)
class FiguresOf(Figure[T]):
    """Several figures and tables of one entry, as the fields of a class."""

    parts: Mapping[str, Figure[Any]] = field(default_factory=dict)

    @property
    def is_printed(self) -> bool:
        return all(part.is_printed for part in self.parts.values())

    def sources(self, printed_book: PrintedBook) -> tuple[str, ...]:
        return tuple(rule for part in self.parts.values() for rule in part.sources(printed_book))

    def parse(self, book: Book) -> T:
        return cast(T, self.kind(**{name: book.read(part) for name, part in self.parts.items()}))


DECLARED: Final[dict[str, list[Figure[Any]]]] = {}
"""What code reads, by rule; what it finds in any entry of a book, by `d6.*`. Ask `declared` for those of an entry."""

EVERY: Final = "*"
"""In `also`, every other entry of the book that has the path."""
LIKE: Final = "like"
"""The column that names another row."""


def figure(rule: str, path: str, kind: type[T], *, among: range | None = None) -> Figure[T]:
    """Declare a figure: `STAKE: Final = figure("coin.bluff.bluff", "stake", int)`.

    A number that can be only one of a few says so, `among=range(1, 7)`: a house rule with another is refused.
    """
    return declare(Figure(rule, path, kind, among=among))


class _Place(NamedTuple):
    """Where a field of a class of figures stands, and how it is read."""

    path: str
    more: Mapping[str, Any]
    is_table: bool = False


def figure_at(path: str, *, among: range | None = None) -> Any:
    """Where a figure of a class stands, if not under its own name: `dm: int = figure_at("failure_penalty/dm")`."""
    return _Place(path, {"among": among})


def rows_of(
    path: str = "",
    *,
    by: str | tuple[str, ...] = (),
    numbers: Iterable[int] | Callable[[Book], Iterable[int]] = (),
    also: str | Iterable[str] = (),
    cites: str = "",
) -> Any:
    """A table in a class of figures, read as `rows` reads it: `grades: Rows[Grade] = rows_of(by=("from", "to"))`."""
    return _Place(path, {"by": by, "numbers": numbers, "also": also, "cites": cites}, is_table=True)


def _declared_in(kind: type[Any], rule: str, name: str, form: Any) -> Figure[Any]:
    """A field of a class of figures: a figure or a table under its name, or where it says."""
    place = kind.__dict__.get(name)
    if not isinstance(place, _Place):
        return declare(Figure(rule, name, form))
    delattr(kind, name)
    if place.is_table:
        return rows(rule, place.path or name, get_args(form)[0], **place.more)
    return declare(Figure(rule, place.path, form, **place.more))


@dataclass_transform(frozen_default=True, field_specifiers=(figure_at, rows_of))
def figures(rule: str) -> Callable[[type[T]], type[T]]:
    """Declare the figures and tables of a rule as one class, whose name then reads them: `scene[Sprint].times`.

    Its fields are named as in the book, or say where they stand: `figure_at("failure_penalty/dm")`. A table is a field
    of type `Rows`: `grades: Rows[Grade] = rows_of(by="roll")`.
    """

    def decorate(kind: type[T]) -> type[T]:
        parts = {name: _declared_in(kind, rule, name, form) for name, form in hints(kind).items()}
        found = dataclass(frozen=True)(kind)
        type.__setattr__(found, "within", FiguresOf(rule, "", found, parts).within)
        return found

    return decorate


def rows(
    rule: str,
    path: str,
    kind: type[Row],
    *,
    by: str | tuple[str, ...] = (),
    numbers: Iterable[int] | Callable[[Book], Iterable[int]] = (),
    also: str | Iterable[str] = (),
    cites: str = "",
) -> RowsOf[Row]:
    """Declare a table or catalogue whose rows are read as `kind`: a list of rows, or rows by their names.

    Rows found by a number name the column that has it (`by="roll"`; `roll: 3` or `roll: [3, 5]`), or the two that say
    from where to where (`by=("from", "to")`). No two rows may have the same number, and none may be missing between the
    first and the last, or of the `numbers` that can occur: those of a D66 table, or what the book's dice can show. A
    catalogue that the book prints in several tables names the others, `also=("rule.id/path", …)`, or takes them from
    every entry that has the path, `also="*/uses"`. Each row is cited by the rule it is printed under, or by the one it
    names in the column `cites`.
    """
    tables = tuple(
        (id_, inner) for id_, _, inner in (each.partition("/") for each in ((also,) if isinstance(also, str) else also))
    )
    can_occur = numbers if callable(numbers) else tuple(numbers)
    columns = (by, by) if isinstance(by, str) else by
    return declare(RowsOf(rule, path, kind, by=columns, numbers=can_occur, also=tables, cites=cites))


F = TypeVar("F", bound=Figure[Any])


def declare(lookup: F) -> F:
    """Make known that code reads something, so that a campaign's changes to it are checked."""
    for rule in lookup.rules:
        DECLARED.setdefault(rule, []).append(lookup)
    return lookup


def declared(entry: Entry) -> Iterator[tuple[Figure[Any], str]]:
    """What code reads of an entry, and where in it."""
    for lookup in _reading(entry):
        yield from ((lookup, path) for path in lookup.paths(entry))


def _reading(entry: Entry) -> Iterator[Figure[Any]]:
    """What code reads that may be in an entry."""
    anywhere = DECLARED.get(f"{entry.id.partition('.')[0]}.{EVERY}", ())
    yield from DECLARED.get(entry.id, ())
    yield from (each for each in anywhere if entry.id not in each.rules and each.paths(entry))


class Range(NamedTuple):
    """The numbers by which a row of a table is found."""

    row: str
    low: float
    high: float


class NamedRow(NamedTuple):
    """A row of a table as printed: its name, and the rule it is printed under."""

    name: str
    raw: Any
    rule: str
    by_name: bool = False
    """Whether the table has its rows by their names, and they have none of their own."""
    where: str = ""
    """The file, rule and path it is printed at."""


@final
class Rows(Generic[Row]):
    """The rows of a table, found by name or by a number within their range. Each use of a row is recorded."""

    __slots__ = ("_by_name", "_cited", "_ranges", "_rules", "rule")

    def __init__(
        self,
        rule: str,
        found: Sequence[tuple[str, Row]],
        ranges: Sequence[Range] = (),
        rules: Mapping[str, str] | None = None,
        cited: Mapping[str, str] | None = None,
    ) -> None:
        self.rule = rule
        self._cited = cited or {}
        self._by_name = dict(found)
        if len(self._by_name) < len(found):
            twice = {name for at, (name, _) in enumerate(found) if any(name == other[0] for other in found[:at])}
            raise BadInput("", f"two rows are called {', '.join(sorted(twice))}")
        self._ranges = tuple(ranges)
        self._rules = rules or {}

    def __iter__(self) -> Iterator[Row]:
        return iter(self._by_name.values())

    def __len__(self) -> int:
        return len(self._by_name)

    def __contains__(self, name: object) -> bool:
        return name in self._by_name

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._by_name)

    def rule_of(self, name: str) -> str:
        """The rule that a row carries out: the one it names, or else the one it is printed under."""
        name = self._spelled(name)
        return self._cited.get(name) or self._rules.get(name, self.rule)

    def printed_under(self, name: str) -> str:
        """The rule in whose entry a row is printed."""
        return self._rules.get(self._spelled(name), self.rule)

    def at(self, number: int) -> Row:
        """The row whose range contains the number."""
        for name, low, high in self._ranges:
            if low <= number <= high:
                return self._used(name)
        raise RulebookError(self.rule, f"the table has no row for {number}")

    def look(self, name: str) -> Row:
        """A row by name; this does not count as a use."""
        return self._by_name[self._spelled(name)]

    def __getitem__(self, name: str) -> Row:
        """A row by name; this counts as a use."""
        return self._used(self._spelled(name))

    def _used(self, name: str) -> Row:
        note_row(self._rules.get(name, self.rule), name)
        if name in self._cited and RUNNING.rule is not None:
            note(self._cited[name])
        return self._by_name[name]

    def _spelled(self, name: str) -> str:
        """The name of a row as printed, however it is written."""
        if (found := meant(name, self._by_name)) is None:
            raise Refused(name, because="the book has none of this name", rule=self.rule, legal=self.names[:40])
        return found


@final
@dataclass(frozen=True, slots=True, eq=False)
class RowsOf(Figure[Rows[Row]]):
    """A declared table: the columns in `by` place a row, and the columns that its type has are its fields."""

    by: tuple[str, ...] = ()
    numbers: tuple[int, ...] | Callable[[Book], Iterable[int]] = ()
    """The numbers that can occur, where they are not simply all."""
    also: tuple[tuple[str, str], ...] = ()
    """Where the rest of it is printed: rules and paths."""
    cites: str = ""
    """The column in which a row names the rule that it carries out."""

    @property
    def is_printed(self) -> bool:
        return not callable(self.numbers)

    @property
    def rules(self) -> tuple[str, ...]:
        named = (self.rule, *(rule for rule, _ in self.also))
        everywhere = f"{self.rule.partition('.')[0]}.{EVERY}"
        return tuple(dict.fromkeys(everywhere if rule == EVERY else rule for rule in named))

    def paths(self, entry: Entry) -> tuple[str, ...]:
        named = ((self.rule, self.path), *self.also)
        own = tuple(path for rule, path in named if rule == entry.id)
        return own or tuple(path for rule, path in self.also if rule == EVERY and _has(entry.values, path))

    def tables(self, printed_book: PrintedBook) -> tuple[tuple[str, str], ...]:
        """Everywhere it is printed: rules and paths."""
        named = [(self.rule, self.path), *(each for each in self.also if each[0] != EVERY)]
        for path in (path for rule, path in self.also if rule == EVERY):
            mine = {rule for rule, _ in named}
            named += ((id_, path) for id_ in printed_book.with_key(path) if id_ not in mine)
        return tuple(
            (rule, path) for rule, path in named if rule in self.rules or _has(printed_book.entry(rule).values, path)
        )

    def sources(self, printed_book: PrintedBook) -> tuple[str, ...]:
        tables = self.tables(printed_book)
        liked = (_liked(printed_book, _at(printed_book.entry(rule).values, path, rule)) for rule, path in tables)
        return tuple(dict.fromkeys((*(rule for rule, _ in tables), *(each for found in liked for each in found))))

    def parse(self, book: Book) -> Rows[Row]:
        found: list[NamedRow] = []
        for rule, path in self.tables(book.printed_book):
            place = f"{book.printed_book.file(rule)}: {rule}"
            with _placed(place, path):
                named = [each._replace(where=f"{place}: {path}") for each in _printed_rows(book, rule, path)]
            for row in named:
                if (other := next((each for each in found if each.name == row.name), None)) and other.rule != rule:
                    raise RulebookError(f"{place}: {path}", f"{other.rule} has a row called {row.name} too")
            found += named
        with _placed(f"{book.printed_book.file(self.rule)}: {self.rule}", self.path):
            return self._made(found, book)

    def make(self, plain: Plain, book: Book) -> Rows[Row]:
        return self._made(_named(plain, self.rule), book)

    def _made(self, named: Sequence[NamedRow], book: Book) -> Rows[Row]:
        whole = [self._whole(row, named, book) for row in named]
        ranges = [*self._ranges(whole)]
        made = [(row.name, self._row(row)) for row in whole]
        cited = {row.name: self._carried_out(row, book) for row in whole if _says(row.raw, self.cites)}
        found = Rows(self.rule, made, ranges, {row.name: row.rule for row in whole}, cited)
        check_ranges(ranges, tuple(self.numbers(book)) if callable(self.numbers) else self.numbers)
        return found

    def _whole(self, row: NamedRow, named: Sequence[NamedRow], book: Book, been: tuple[str, ...] = ()) -> NamedRow:
        """A row with the columns of the row that it is like."""
        if not _says(row.raw, LIKE) or LIKE in self._fields:
            return row
        like, own = row.raw[LIKE], {column: value for column, value in row.raw.items() if column != LIKE}
        if like in been:
            raise RulebookError(row.where, f"{row.name} is like itself")
        if like.partition("/")[0] in book.printed_book.ids:
            rule, _, path = like.partition("/")
            other = NamedRow(row.name, _at(book.entry(rule).values, path, f"{row.where}: {row.name}.like"), rule)
        else:
            rest = [each for each in named if each.name != row.name]
            names = tuple(each.name for each in rest)
            if (spelled := meant(like, names)) is None:
                raise RulebookError(row.where, f"{row.name}.like: {unknown(like, names)}")
            other = next(each for each in rest if each.name == spelled)
        if not isinstance(other.raw, Mapping):
            raise RulebookError(row.where, f"{row.name}.like: {like} has no columns")
        whole = self._whole(other, named, book, (*been, like)).raw
        return row._replace(raw={**{column: value for column, value in whole.items() if column != "name"}, **own})

    def _carried_out(self, row: NamedRow, book: Book) -> str:
        """The rule that a row names, which must be in the book."""
        rule = str(row.raw[self.cites])
        if rule not in book.printed_book.ids:
            raise RulebookError(row.where, f"{row.name}.{self.cites}: there is no rule {rule}")
        return rule

    @property
    def _fields(self) -> Mapping[str, Any]:
        return hints(self.kind) if is_dataclass(self.kind) else {}

    def _row(self, row: NamedRow) -> Row:
        raw = row.raw
        if isinstance(raw, Mapping):
            fields, apart = self._fields, {*self.by, self.cites}
            raw = {name: value for name, value in raw.items() if name not in apart or name in fields}
            if "name" in fields and (row.by_name or "name" not in raw):
                raw["name"] = row.name
        try:
            made: Row = read(self.kind, raw, row.name)
        except BadInput as problem:
            if not row.where or isinstance(problem, RulebookError):
                raise
            raise RulebookError(row.where, str(problem)) from None
        return made

    def _ranges(self, named: Sequence[NamedRow]) -> Iterator[Range]:
        """Where each row stands; rows that are no more than a value stand in their order, from 0."""
        for at, (name, raw, *_) in enumerate(named):
            if not isinstance(raw, Mapping):
                yield Range(name, at, at)
            elif self.by:
                low, high = self._bounds(name, raw)
                yield Range(name, -inf if low is None else low, inf if high is None else high)

    def _bounds(self, name: str, raw: Mapping[str, Any]) -> tuple[int | None, int | None]:
        where = f"{name}.{' or '.join(dict.fromkeys(self.by))}"
        first = raw.get(self.by[0])
        if isinstance(first, list):
            both: tuple[int | None, int | None] = read(tuple[int | None, int | None], first, where)
            return both
        low: int | None = read(int | None, first, where)
        high: int | None = read(int | None, raw.get(self.by[1]), where)
        return low, high


@contextmanager
def _placed(where: str, path: str) -> Iterator[None]:
    """Errors about part of the book name the place."""
    try:
        yield
    except RulebookError:
        raise
    except BadInput as problem:
        raise RulebookError(f"{where}: {path}", str(problem)) from None


def _has(values: Any, path: str) -> bool:
    """Whether there is something at a path."""
    try:
        return _at(values, path, "") is not None
    except RulebookError:
        return False


def _says(raw: Any, column: str) -> bool:
    return bool(column) and isinstance(raw, Mapping) and isinstance(raw.get(column), str)


def _liked(printed_book: PrintedBook, plain: Plain) -> Iterator[str]:
    """The rules from whose entries rows of a table are borrowed."""
    listed = [plain, *plain.values()] if isinstance(plain, Mapping) else plain
    for raw in listed if isinstance(listed, list) else ():
        if _says(raw, LIKE) and (rule := raw[LIKE].partition("/")[0]) in printed_book.ids:
            yield rule


def _printed_rows(book: Book, rule: str, path: str, been: tuple[str, ...] = ()) -> list[NamedRow]:
    """The rows of a table; one that is `like` another table has its rows too, unless it has rows of these names."""
    where = f"{book.printed_book.file(rule)}: {rule}"
    plain = _at(book.entry(rule).values, path, where)
    if not _says(plain, LIKE):
        return _named(plain, rule)
    like = plain[LIKE]
    id_, _, inner = like.partition("/")
    if id_ not in book.printed_book.ids or like in been:
        raise BadInput(LIKE, f"{like} is no other table of the book, such as rule.id/path")
    own = _named({name: row for name, row in plain.items() if name != LIKE}, rule)
    mine = {each.name for each in own}
    return [
        *own,
        *(each._replace(rule=rule) for each in _printed_rows(book, id_, inner, (*been, like)) if each.name not in mine),
    ]


def _named(plain: Plain, rule: str) -> list[NamedRow]:
    """The rows of a printed table: a list, or rows by their names."""
    if isinstance(plain, list):
        return [NamedRow(_row_name(raw, at), raw, rule) for at, raw in enumerate(plain)]
    if not isinstance(plain, Mapping):
        raise BadInput("", f"must be rows, not {plain!r}")
    for name, raw in plain.items():
        if isinstance(raw, Mapping) and "name" in raw:
            raise BadInput(f"{name}.name", "this column is reserved: the row is printed under its name")
    return [NamedRow(str(name), raw, rule, by_name=True) for name, raw in plain.items()]


def _row_name(raw: Any, at: int) -> str:
    """The name of a row; one that is borrowed as it is keeps its name."""
    if _says(raw, LIKE) and "name" not in raw:
        return str(raw[LIKE]).rpartition("/")[2]
    return row_name(raw, at)


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
