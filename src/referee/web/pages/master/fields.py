"""Any value of a scene as a form built from the types of its fields, and the form read back as plain data."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields
from typing import Any, Final, final

import yaml

from referee.core.describe import FieldType, field_type
from referee.core.errors import BadInput, NotKnown, RefereeError
from referee.core.files import load_yaml
from referee.core.plain import Plain, is_number, write
from referee.core.wording import heading
from referee.web.limits import checked_json
from referee.web.pages.forms import Form
from referee.web.pages.table_view import TableView

FIELD: Final = "f-"
"""The prefix of form field names."""
BLANK_ROWS: Final = 2
"""How many empty rows to offer for new entries."""

NamesOf = Callable[[str], Sequence[str]]
"""The names the book has for the levels of a field."""


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
    """A field of a value, as a form field."""

    field: str
    words: str
    kind: str
    """`number`, `check`, `text`, `pick`, `lines`, `levels`, `rows` or `plain` data."""
    value: str = ""
    options: tuple[str, ...] = ()
    levels: tuple[Level, ...] = ()
    rows: tuple[tuple[Blank, ...], ...] = ()
    may_be_nothing: bool = False


def names_by(view: TableView) -> NamesOf:
    """The names of levels on a sheet, from the system's look: those shown as tiles, and those that can be learned."""
    tiles, rolls = view.look.tiles, view.look.rolls
    in_open: tuple[str, ...] = tiles.names if tiles else ()

    def names(field: str) -> Sequence[str]:
        if tiles and field == tiles.field:
            return in_open
        if rolls is None or field != rolls.learned:
            return ()
        try:
            found = view.system.action(rolls.action).choices(view.scene).get(rolls.argument, ())
        except (NotKnown, RefereeError):
            return ()
        return [str(each) for each in found if str(each) not in in_open]

    return names


def words_by(view: TableView) -> Callable[[str], str]:
    """The labels of fields: as on the sheet, or else made from the field name."""
    known = {each.field: each.words for each in view.look.vitals if each.field}
    most = {each.of: f"{each.words}, most" for each in view.look.vitals if each.of}
    return lambda name: {**most, **known}.get(name) or heading(name)


def blanks(
    kind: type[Any],
    plain: Mapping[str, Plain],
    words: Callable[[str], str],
    names: NamesOf,
    prefix: str = FIELD,
    absent: Container[str] = (),
) -> tuple[Blank, ...]:
    """The form fields of a value of some kind, filled with its data; those that are `absent` here are left out."""
    return tuple(
        _blank(found, f"{prefix}{name}", words(name), plain.get(name), names(name))
        for name, found in field_type(kind).fields.items()
        if name not in absent
    )


def _blank(found: FieldType, field: str, words: str, value: Plain, known: Sequence[str]) -> Blank:
    text = "" if value is None else str(value)
    match found.kind:
        case "check":
            return Blank(field, words, "check", "yes" if value else "")
        case "number":
            return Blank(field, words, "number", text, may_be_nothing=found.optional)
        case "text" | "name" | "person":
            return Blank(field, words, "text", text)
        case "pick":
            options = tuple(str(write(each)) for each in found.options)
            return Blank(field, words, "pick", text, ("", *options) if found.optional else options)
        case "levels" if known:
            levels: Mapping[str, Plain] = value or {}
            named = dict.fromkeys([*known, *levels])
            each = tuple(Level(f"{field}.{name}", name, str(levels.get(name, ""))) for name in named)
            return Blank(field, words, "levels", levels=each)
        case "levels":
            return Blank(field, words, "lines", "\n".join(f"{name}: {level}" for name, level in (value or {}).items()))
        case "list" if _is_text(found.inner):
            return Blank(field, words, "lines", "\n".join(map(str, value or ())))
        case "list" if found.inner and found.inner.kind == "record":
            return Blank(field, words, "rows", rows=tuple(_rows(found.inner.type, field, value or [])))
        case _:
            return Blank(field, words, "plain", _spelled(value))


def _is_text(found: FieldType | None) -> bool:
    return found is not None and found.kind in ("text", "name", "person")


def _rows(inner: Any, field: str, values: list[Plain]) -> Iterator[tuple[Blank, ...]]:
    default = {each.name: _default(each) for each in fields(inner)}
    for at, value in enumerate([*values, *[default] * BLANK_ROWS]):
        yield blanks(inner, value, heading, lambda _: (), f"{field}.{at}.")


def _default(field: Any) -> Plain:
    return None if field.default is MISSING else field.default


def _spelled(value: Plain) -> str:
    if value is None:
        return ""
    return str(yaml.safe_dump(value, allow_unicode=True, sort_keys=False, default_flow_style=None)).strip()


# --- read back --------------------------------------------------------------------------------------------------------


def filled_in(kind: type[Any], form: Form, prefix: str = FIELD) -> dict[str, Plain]:
    """The fields that a form sets; fields that are missing, or empty where empty has no meaning, are left out."""
    found = {name: _said(each, f"{prefix}{name}", form) for name, each in field_type(kind).fields.items()}
    return {name: said for name, said in found.items() if said is not MISSING}


def _said(found: FieldType, field: str, form: Form) -> Any:
    under = [name for name in form.fields if name.startswith(f"{field}.")]
    if found.kind == "levels" and under:
        return {name.removeprefix(f"{field}."): _number(form.one(name)) for name in under if form.one(name)}
    if found.inner is not None and found.inner.kind == "record":
        return _said_rows(found.inner.type, field, under, form)
    if field not in form.fields:
        return MISSING
    text = form.one(field)
    match found.kind:
        case "check":
            return text == "yes"
        case "number":
            return _number(text) if text else None if found.optional else MISSING
        case "text" | "name" | "person" | "pick":
            return text if text or not found.optional else None
        case "levels":
            return dict(_level(line, field) for line in text.split("\n") if line.strip())
        case "list" if _is_text(found.inner):
            return [line.strip() for line in text.split("\n") if line.strip()]
        case _:
            return _data(text, field) if text else MISSING


def _said_rows(inner: Any, field: str, under: list[str], form: Form) -> Any:
    """Rows whose first field is filled in; emptying the first field removes the row."""
    numbers = {found[1] for name in under if (found := re.match(re.escape(field) + r"\.(\d{1,4})\.", name))}
    if not numbers:
        return MISSING
    first = fields(inner)[0].name
    rows = (filled_in(inner, form, f"{field}.{at}.") for at in sorted(numbers, key=int))
    return [row for row in rows if row.get(first) not in (None, "")]


def _data(text: str, field: str) -> Plain:
    """Plain data typed as YAML, with the same checks as JSON from a program."""
    plain = load_yaml(text)
    try:
        if any(isinstance(each, yaml.AliasToken) for each in yaml.scan(text)):  # a few can expand to a huge text
            raise BadInput(field.removeprefix(FIELD), "say it as it is, without references")
        return checked_json(json.dumps(plain).encode())
    except (TypeError, ValueError) as problem:
        raise BadInput(field.removeprefix(FIELD), f"must be names, texts and numbers: {problem}") from None


def _number(text: str) -> Plain:
    """A whole number, or the text as typed, which is refused later."""
    text = text.replace("\N{MINUS SIGN}", "-")
    return int(text) if is_number(text) and len(text) < 12 else text


def _level(line: str, field: str) -> tuple[str, Plain]:
    name, colon, level = line.rpartition(":")
    if not colon:
        raise BadInput(field.removeprefix(FIELD), f"must be a name, a colon and a number, not {line.strip()!r}")
    return name.strip(), _number(level.strip())
