"""Options of the rulebook in code: how a rule reads one, and how a field of a sheet depends on one.

A campaign chooses its options in its `Book`. What depends on an option that is off is absent: a rule cannot be run, an
action is not offered, a field is not shown and keeps its default.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass, replace
from enum import Enum
from functools import lru_cache
from typing import Any, TypeVar, cast, final, get_args, overload

from referee.core.errors import BadInput, RefereeError, RulebookError
from referee.core.plain import Plain, frozen, hints, write
from referee.core.printed_book import OFF, Entry
from referee.core.rulebook import BOOK, Book, Figure, declare
from referee.core.scene import Scene
from referee.core.trace import is_watched, note_row

E = TypeVar("E", bound=Enum)
T = TypeVar("T")
V = TypeVar("V", bound=Hashable)


@final
@dataclass(frozen=True, slots=True, eq=False)
class OptionFigure(Figure[T]):
    """An option that code reads: whether a switch is on, or which of several choices is played."""

    def within(self, scene: Scene) -> T:
        book = scene[BOOK]
        if is_watched() and (choice := book.choice(self.rule)) != OFF:
            note_row(self.rule, choice)
        return book.read(self)

    @property
    def is_printed(self) -> bool:
        return False

    def paths(self, entry: Entry) -> tuple[str, ...]:
        return ()

    def parse(self, book: Book) -> T:
        entry = book.printed_book.entry(self.rule)
        where = f"{book.printed_book.file(self.rule)}: {self.rule}"
        if not entry.is_option:
            raise RulebookError(where, "is not an option")
        if self.kind is bool:
            return cast(T, book.on(self.rule))
        printed = (*entry.choices, *((OFF,) if entry.optional else ()))
        members = {str(member.value): member for member in self.kind}
        for name in sorted({*printed} ^ {*members}):
            problem = "is not among the printed choices" if name in members else f"is missing in {self.kind.__name__}"
            raise RulebookError(f"{where}: choices", f"{name!r} {problem}")
        # One that depends on an option that is off is not played; whoever asks all the same gets its first choice.
        choice = book.choice(self.rule)
        return cast(T, members[choice if choice in members else printed[0]])


@overload
def option(rule: str) -> OptionFigure[bool]: ...
@overload
def option(rule: str, kind: type[E]) -> OptionFigure[E]: ...
def option(rule: str, kind: type[Any] = bool) -> OptionFigure[Any]:
    """Declare an option that code reads through the scene.

    A switch is True or False: `WILD_DIE: Final = option("some.rule.id")`. One of several choices is a member of an
    enum whose values are the printed choices, and `off` if the rule is optional:
    `WILD_ONE: Final = option("some.other.id", WildOne)`.
    """
    return declare(OptionFigure(rule, "", kind))


@final
@frozen
class OnlyWith:
    """A mark on a field that is there only with an option: `fate: Annotated[Open[int], OnlyWith("some.rule.id")] = 0`.

    The option is `rule.id`, or `rule.id=choice`.
    """

    option: str


def field_options(kind: object) -> Mapping[str, str]:
    """The fields of a kind of value that depend on an option, and which one."""
    return _field_options(kind)


@lru_cache(maxsize=1024)
def _field_options(kind: Any) -> dict[str, str]:
    found: dict[str, str] = {}
    for each in fields(kind) if is_dataclass(kind) else ():
        for mark in get_args(hints(kind)[each.name])[1:]:
            if isinstance(mark, OnlyWith):
                if each.default is MISSING and each.default_factory is MISSING:
                    raise RefereeError(f"{kind}.{each.name} depends on an option, and needs a default")
                found[each.name] = mark.option
    return found


def absent_fields(kind: object, book: object) -> Mapping[str, str]:
    """The fields of a kind of value that are absent with this book, and the option each depends on."""
    if not isinstance(book, Book):
        return {}
    return {name: each for name, each in field_options(kind).items() if not book.on(each)}


def present_fields(value: Hashable, book: object) -> dict[str, Plain]:
    """The fields of a value as plain data, without those that are absent with this book."""
    absent = absent_fields(type(value), book)
    return {name: plain for name, plain in write(value).items() if name not in absent}


def without_absent(value: V, book: object) -> V:
    """A value whose absent fields have their defaults."""
    absent = absent_fields(type(value), book)
    return replace(cast(Any, value), **_defaults(type(value), absent)) if absent else value


def check_absent(value: Hashable, book: Book, where: str) -> None:
    """Refuse a value in which an absent field is set."""
    absent = absent_fields(type(value), book)
    for name, default in _defaults(type(value), absent).items():
        if getattr(value, name) != default:
            raise BadInput(f"{where}.{name}", book.why_absent(absent[name]))


def _defaults(kind: Any, names: Mapping[str, str]) -> dict[str, Plain]:
    return {
        each.name: each.default if each.default is not MISSING else cast(Any, each.default_factory)()
        for each in (fields(kind) if names else ())
        if each.name in names
    }
