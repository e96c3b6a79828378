"""Any value of a scene as a form, made from the types of its fields, and the form read back as plain data."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields, is_dataclass
from enum import Enum
from types import UnionType
from typing import Annotated, Any, Final, Literal, Union, final, get_args, get_origin

import yaml

from referee.core.errors import BadInput, NotKnown, RefereeError
from referee.core.files import load_yaml
from referee.core.plain import Levels, Plain, hints, is_number
from referee.core.wording import heading
from referee.web.limits import checked_json
from referee.web.pages.forms import Form
from referee.web.pages.table_view import TableView

FIELD: Final = "f-"
"""What the name of a form's field begins with."""
BLANK_ROWS: Final = 2
"""So many rows stand empty, to be filled."""

NamesOf = Callable[[str], Sequence[str]]
"""The names the book knows for the levels of a field."""


@final
@dataclass(frozen=True)
class Level:
    """One level of several, by its name."""

    field: str
    name: str
    value: str


@final
@dataclass(frozen=True)
class Blank:
    """A field of a value, as a form asks for it."""

    field: str
    words: str
    kind: str
    """`number`, `check`, `text`, `pick`, `lines`, `levels`, `rows` or `plain` data."""
    value: str = ""
    options: tuple[str, ...] = ()
    levels: tuple[Level, ...] = ()
    rows: tuple[tuple[Blank, ...], ...] = ()
    may_be_nothing: bool = False


def names_by(sight: TableView) -> NamesOf:
    """What the system's look tells of the levels on a sheet: the open ones, and those that can be learned."""
    tiles, rolls = sight.look.tiles, sight.look.rolls
    in_open: tuple[str, ...] = tiles.names if tiles else ()

    def names(field: str) -> Sequence[str]:
        if tiles and field == tiles.field:
            return in_open
        if rolls is None or field != rolls.learned:
            return ()
        try:
            found = sight.system.action(rolls.action).choices(sight.scene).get(rolls.argument, ())
        except (NotKnown, RefereeError):
            return ()
        return [str(each) for each in found if str(each) not in in_open]

    return names


def words_by(sight: TableView) -> Callable[[str], str]:
    """What fields are called: as on the sheet, or by themselves."""
    known = {each.field: each.words for each in sight.look.vitals if each.field}
    most = {each.of: f"{each.words}, most" for each in sight.look.vitals if each.of}
    return lambda name: {**most, **known}.get(name) or heading(name)


def blanks(
    kind: type[Any], plain: Mapping[str, Plain], words: Callable[[str], str], names: NamesOf, prefix: str = FIELD
) -> tuple[Blank, ...]:
    """The form of a value of some kind; what is not said stands as the default."""
    known = hints(kind)
    return tuple(
        _blank(known[each.name], f"{prefix}{each.name}", words(each.name), plain.get(each.name), names(each.name))
        for each in fields(kind)
        if each.init
    )


def _blank(hint: Any, field: str, words: str, value: Plain, known: Sequence[str]) -> Blank:
    kind, may_be_nothing = bare(hint)
    shown = "" if value is None else str(value)
    if kind is bool:
        return Blank(field, words, "check", "yes" if value else "")
    if kind in (int, float):
        return Blank(field, words, "number", shown, may_be_nothing=may_be_nothing)
    if kind is str:
        return Blank(field, words, "text", shown)
    if options := _options(kind):
        return Blank(field, words, "pick", shown, ("", *options) if may_be_nothing else options)
    if kind is Levels:
        levels: Mapping[str, Plain] = value or {}
        if known:
            all_names = dict.fromkeys([*known, *levels])
            each = tuple(Level(f"{field}.{name}", name, str(levels.get(name, ""))) for name in all_names)
            return Blank(field, words, "levels", levels=each)
        return Blank(field, words, "lines", "\n".join(f"{name}: {level}" for name, level in levels.items()))
    inner = _inner(kind)
    if inner is str:
        return Blank(field, words, "lines", "\n".join(map(str, value or ())))
    if inner is not None and is_dataclass(inner):
        return Blank(field, words, "rows", rows=tuple(_rows(inner, field, value or [])))
    return Blank(field, words, "plain", _spelled(value))


def _rows(inner: Any, field: str, values: list[Plain]) -> Iterator[tuple[Blank, ...]]:
    default = {each.name: _default(each) for each in fields(inner)}
    for at, value in enumerate([*values, *[default] * BLANK_ROWS]):
        yield blanks(inner, value, heading, lambda _: (), f"{field}.{at}.")


def _default(field: Any) -> Plain:
    return None if field.default is MISSING else field.default


def _options(kind: Any) -> tuple[str, ...]:
    if isinstance(kind, type) and issubclass(kind, Enum):
        return tuple(str(each.value) for each in kind)
    return tuple(map(str, get_args(kind))) if get_origin(kind) is Literal else ()


def _inner(kind: Any) -> Any:
    """What a list or a set is made of."""
    arguments = get_args(kind)
    several = get_origin(kind) is frozenset or (get_origin(kind) is tuple and arguments[1:] == (...,))
    return arguments[0] if several else None


def bare(hint: Any) -> tuple[Any, bool]:
    """A type without its marks, and whether it may be nothing."""
    if get_origin(hint) is Annotated:
        return bare(get_args(hint)[0])
    if get_origin(hint) in (Union, UnionType):
        some = [each for each in get_args(hint) if each is not type(None)]
        if len(some) == 1:
            return bare(some[0])[0], True
    return hint, False


def _spelled(value: Plain) -> str:
    if value is None:
        return ""
    return str(yaml.safe_dump(value, allow_unicode=True, sort_keys=False, default_flow_style=None)).strip()


# --- read back --------------------------------------------------------------------------------------------------------


def filled_in(kind: type[Any], form: Form, prefix: str = FIELD) -> dict[str, Plain]:
    """What a form says of a value; what is not on it, or left empty where that means nothing, is not said."""
    known = hints(kind)
    found: dict[str, Plain] = {}
    for each in fields(kind):
        said = _said(known[each.name], f"{prefix}{each.name}", form)
        if said is not MISSING:
            found[each.name] = said
    return found


def _said(hint: Any, field: str, form: Form) -> Any:
    kind, may_be_nothing = bare(hint)
    inner = _inner(kind)
    under = [name for name in form.fields if name.startswith(f"{field}.")]
    if kind is Levels and under:
        return {name.removeprefix(f"{field}."): _number(form.one(name)) for name in under if form.one(name)}
    if inner is not None and is_dataclass(inner):
        return _said_rows(inner, field, under, form)
    if field not in form.fields:
        return MISSING
    text = form.one(field)
    if kind is bool:
        return text == "yes"
    if kind in (int, float):
        return _number(text) if text else None if may_be_nothing else MISSING
    if kind is str or _options(kind):
        return text if text or not may_be_nothing else None
    if kind is Levels:
        return dict(_level(line, field) for line in text.split("\n") if line.strip())
    if inner is str:
        return [line.strip() for line in text.split("\n") if line.strip()]
    return _data(text, field) if text else MISSING


def _said_rows(inner: Any, field: str, under: list[str], form: Form) -> Any:
    """Rows that begin with something; to empty the first field is to take the row away."""
    numbers = {found[1] for name in under if (found := re.match(re.escape(field) + r"\.(\d{1,4})\.", name))}
    if not numbers:
        return MISSING
    first = fields(inner)[0].name
    rows = (filled_in(inner, form, f"{field}.{at}.") for at in sorted(numbers, key=int))
    return [row for row in rows if row.get(first) not in (None, "")]


def _data(text: str, field: str) -> Plain:
    """Plain data as people write it, held to the same as what a program sends."""
    plain = load_yaml(text)
    try:
        if any(isinstance(each, yaml.AliasToken) for each in yaml.scan(text)):  # a few could stand for very much
            raise BadInput(field.removeprefix(FIELD), "say it as it is, without references")
        return checked_json(json.dumps(plain).encode())
    except (TypeError, ValueError) as problem:
        raise BadInput(field.removeprefix(FIELD), f"must be names, texts and numbers: {problem}") from None


def _number(text: str) -> Plain:
    """A whole number, or what was written instead, which will be complained of."""
    text = text.replace("\N{MINUS SIGN}", "-")
    return int(text) if is_number(text) and len(text) < 12 else text


def _level(line: str, field: str) -> tuple[str, Plain]:
    name, colon, level = line.rpartition(":")
    if not colon:
        raise BadInput(field.removeprefix(FIELD), f"must be a name, a colon and a number, not {line.strip()!r}")
    return name.strip(), _number(level.strip())
