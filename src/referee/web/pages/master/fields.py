"""Any value of a scene as a form built from the types of its fields, and the form read back as plain data."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields, is_dataclass
from functools import lru_cache
from typing import Any, Final, final

from referee.core.describe import FieldType, field_type
from referee.core.errors import BadInput, NotKnown, RefereeError
from referee.core.picks import options_of, picked_names
from referee.core.plain import Plain, write
from referee.core.scene import Scene
from referee.core.wording import heading
from referee.table.merging import Entered, EnteredRow
from referee.web.pages.forms import Form, number, whole_number
from referee.web.pages.table_view import TableView

FIELD: Final = "f-"
"""The prefix of form field names."""
FEW: Final = 8
"""How many names of levels are listed though nobody has them; of more, one is added by its name."""
Amount: Final = int | float

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
class FormRow:
    """A row of a list of records."""

    at: int
    of: str
    """Which of the rows that the form began with it is; empty for a new one."""
    blanks: tuple[Blank, ...]


@final
@dataclass(frozen=True)
class Offered:
    """What a form offers to pick from, and what it was asked for."""

    scene: Scene | None = None
    more: str = ""
    """The list that an empty row is asked for."""
    written: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """The names that are offered for texts, by field: `merits.name`."""
    shown: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """For a list that was changed without being saved: which rows of the saved one it has; empty for new ones."""

    def names(self, found: FieldType) -> tuple[str, ...]:
        """The names that a type has to pick from."""
        if self.scene is None or found.kind not in ("name", "person"):
            return ()
        try:
            return tuple(str(write(each)) for each in options_of(found, self.scene, None))
        except (NotKnown, RefereeError):
            return ()

    def picked(self, kind: type[Any]) -> dict[str, tuple[str, ...]]:
        """The names that fields of a record pick from."""
        scene = self.scene
        if scene is None:
            return {}
        return {name: tuple(map(str, pick.found(scene, None))) for name, pick in picked_names(kind).items()}

    def list_for(self, field: str) -> str:
        """The name of the list of names that are offered for a text; empty if none are."""
        path = re.sub(r"\.\d+(?=\.)", "", field.removeprefix(FIELD))
        return path if path in self.written else ""

    def shown_in(self, field: str, count: int) -> Sequence[str]:
        return self.shown.get(field, tuple(map(str, range(count))))


@final
@dataclass(frozen=True)
class Blank:
    """A field of a value, as a form field."""

    field: str
    words: str
    kind: str
    """`number`, `check`, `text`, `pick`, `lines`, `levels` or `rows`."""
    value: str = ""
    options: tuple[str, ...] = ()
    levels: tuple[Level, ...] = ()
    rows: tuple[FormRow, ...] = ()
    may_be_nothing: bool = False
    may_add: bool = False
    """Whether an empty row can be asked for."""
    listed: str = ""
    """The list of names that are offered for a text; any other text will do as well."""
    codes: bool = False
    """Whether levels may be written as codes: 3D+1."""

    def is_open(self, kept: Container[str] | None) -> bool:
        """Whether it is seen without unfolding: there is something in it, or it is one of those that are kept open."""
        return self.is_said if kept is None else self.field.rpartition(".")[2] in kept

    @property
    def is_said(self) -> bool:
        """Whether there is something in it."""
        return bool(self.value not in ("", "0") or self.rows or any(each.value for each in self.levels))


def names_by(view: TableView) -> NamesOf:
    """The names of levels on a sheet, from the system's look: those shown as tiles, and those that can be learned."""
    tiles, rolls = view.look.tiles, view.look.rolls
    in_open: tuple[str, ...] = tiles.names if tiles else ()

    def names(field: str) -> Sequence[str]:
        if tiles and field == tiles.field:
            return in_open
        if rolls is None or field != rolls.learned:
            return ()
        found = view.system.action(rolls.action).picks[rolls.argument].values(view.scene, None, {})
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
    offered: Offered | None = None,
) -> tuple[Blank, ...]:
    """The form fields of a value of some kind, filled with its data.

    Those that are `absent` here are left out, and so is what no form can say.
    """
    offered = offered or Offered()
    picked = offered.picked(kind)
    return tuple(
        _blank(found, f"{prefix}{name}", words(name), plain.get(name), offered, names(name), picked.get(name, ()))
        for name, found in field_type(kind).fields.items()
        if name not in absent and _form_of(found)
    )


def _form_of(found: FieldType) -> str:
    """How a type is filled in; nothing if no form can say it: only programs change that."""
    match found.kind:
        case "levels":
            return "levels"
        case "data" if isinstance(found.type, type) and issubclass(found.type, Mapping):
            return "levels"
        case "data" if found.type == Amount:
            return "number"
        case "record" if _is_written(found.type):
            return "text"
        case "record":
            return "row" if _is_formable(found.type) else ""
        case "list" if found.inner and found.inner.kind in ("text", "name", "person", "number"):
            return "lines"
        case "list" if found.inner and found.inner.kind == "record" and _is_formable(found.inner.type):
            return "rows"
        case "list" if found.inner and found.inner.kind == "list" and _is_text(found.inner.inner):
            return "groups"
        case "data" | "mods" | "list":
            return ""
        case simple:
            return simple


@lru_cache(maxsize=256)
def _is_written(kind: Any) -> bool:
    """Whether a record is written as a text: 3D+1."""
    required = [each for each in fields(kind) if each.default is MISSING and each.default_factory is MISSING]
    return hasattr(kind, "to_plain") and not required and isinstance(write(kind()), str)


def _is_formable(kind: Any) -> bool:
    """Whether a form can say whatever a record must have."""
    types = field_type(kind).fields if is_dataclass(kind) else {}
    needed = (each.name for each in fields(kind) if each.default is MISSING and each.default_factory is MISSING)
    return bool(types) and all(_form_of(types[name]) for name in needed)


def _blank(
    found: FieldType,
    field: str,
    words: str,
    value: Plain,
    offered: Offered,
    known: Sequence[str] = (),
    picked: Sequence[str] = (),
) -> Blank:
    text = "" if value is None else str(value)
    names = tuple(picked) or offered.names(found)
    match _form_of(found):
        case "text" | "name" | "person" if names and text in ("", *names):
            return Blank(field, words, "pick", text, names if text and not found.optional else ("", *names))
        case "check" if found.optional:  # three answers: none of one's own is what the book says
            return Blank(field, words, "pick", "" if value is None else "yes" if value else "no", ("", "yes", "no"))
        case "check":
            return Blank(field, words, "check", "yes" if value else "")
        case "number":
            return Blank(field, words, "number", text, may_be_nothing=found.optional)
        case "pick":
            options = tuple(str(write(each)) for each in found.options)
            return Blank(field, words, "pick", text, ("", *options) if found.optional else options)
        case "levels":
            return _levels(field, words, value or {}, known)
        case "lines":
            return Blank(field, words, "lines", "\n".join(map(str, value or ())))
        case "groups":
            return Blank(field, words, "lines", "\n".join(", ".join(map(str, each)) for each in value or ()))
        case "rows":
            inner = found.inner.type if found.inner else None
            return Blank(field, words, "rows", rows=tuple(_rows(inner, field, value or [], offered)), may_add=True)
        case "row":
            rows = tuple(_rows(found.type, field, [] if value is None else [value], offered))
            return Blank(field, words, "rows", rows=rows, may_add=not rows)
        case _:
            return Blank(field, words, "text", text, listed=offered.list_for(field))


def _levels(field: str, words: str, levels: Mapping[str, Plain], known: Sequence[str]) -> Blank:
    """Levels by their names, and a name and a level to add."""
    shown = dict.fromkeys([*(known if len(known) <= FEW else ()), *levels])
    each = tuple(Level(f"{field}.{name}", name, str(levels.get(name, ""))) for name in shown)
    is_code = any(isinstance(level, str) for level in levels.values())
    offered = tuple(name for name in known if name not in shown)
    return Blank(field, words, "levels", levels=each, options=offered, codes=is_code or not levels)


def _is_text(found: FieldType | None) -> bool:
    return found is not None and found.kind in ("text", "name", "person")


def _rows(inner: Any, field: str, values: list[Plain], offered: Offered) -> Iterator[FormRow]:
    default = {each.name: _default(each) for each in fields(inner)}
    shown = offered.shown_in(field, len(values))
    for at, value in enumerate([*values, *[default] * (field == offered.more)]):
        plain = value if isinstance(value, Mapping) else {fields(inner)[0].name: value}
        of = shown[at] if at < len(shown) else ""
        yield FormRow(at, of, blanks(inner, plain, heading, lambda _: (), f"{field}.{at}.", offered=offered))


def _default(field: Any) -> Plain:
    if field.default is MISSING:
        return None if field.default_factory is MISSING else write(field.default_factory())
    return write(field.default)


# --- read back --------------------------------------------------------------------------------------------------------


def filled_in(kind: type[Any], form: Form, prefix: str = FIELD) -> dict[str, Plain]:
    """The fields that a form sets; fields that are missing, or empty where empty has no meaning, are left out."""
    return changed(kind, form, {}, prefix)


def changed(kind: type[Any], form: Form, shown: Mapping[str, Plain], prefix: str = FIELD) -> dict[str, Plain]:
    """The fields that a form sets to something other than it showed."""
    return {name: _plain_rows(each) for name, each in said(kind, form, shown, prefix).items()}


def said(kind: type[Any], form: Form, shown: Mapping[str, Plain], prefix: str = FIELD) -> dict[str, Entered]:
    """The same; each row of a list with which of those it is that the form showed."""
    found: dict[str, Entered] = {}
    for name, each in field_type(kind).fields.items():
        was = shown.get(name, MISSING)
        set_to = _said(each, f"{prefix}{name}", form, was) if _form_of(each) else MISSING
        if set_to is not MISSING and set_to != was:
            found[name] = set_to
    return found


def _said(found: FieldType, field: str, form: Form, before: Any) -> Any:
    how = _form_of(found)
    if how in ("rows", "row"):
        inner = found.inner.type if how == "rows" and found.inner else found.type
        was = [] if before is MISSING or before is None else before if how == "rows" else [before]
        rows = _said_rows(inner, field, form, was)
        if rows is MISSING or how == "rows":
            return before if rows is not MISSING and _plain_rows(rows) == before else rows
        return rows[0].plain if rows else None
    if how == "levels" and field not in form.fields:
        return _said_levels(field, form)
    if field not in form.fields:
        return MISSING
    text = form.one(field)
    if before is not MISSING and text == _blank(found, field, "", before, Offered()).value:
        return before
    return _value(found, how, field, text)


def _value(found: FieldType, how: str, field: str, text: str) -> Any:
    match how:
        case "check":
            return text == "yes" if text or not found.optional else None
        case "number":
            return number(text) if text else None if found.optional else MISSING
        case "levels":
            return dict(_level(line, field) for line in text.split("\n") if line.strip())
        case "lines":
            lines = [line.strip() for line in text.split("\n") if line.strip()]
            return [number(each) for each in lines] if found.inner and found.inner.kind == "number" else lines
        case "groups":
            lines = [line for line in text.split("\n") if line.strip()]
            return [[name.strip() for name in line.split(",") if name.strip()] for line in lines]
        case _:
            if text:
                return text
            return None if found.optional else MISSING if found.kind == "record" else text


def _said_levels(field: str, form: Form) -> Any:
    under = [name for name in form.fields if name.startswith(f"{field}.")]
    added = form.one(f"{field}+name")
    if not under and not added:
        return MISSING
    found = {name.removeprefix(f"{field}."): whole_number(form.one(name)) for name in under if form.one(name)}
    return found | ({added: whole_number(form.one(f"{field}+level") or "1")} if added else {})


def _plain_rows(said: Any) -> Any:
    """Rows as they are saved; anything else as it is."""
    if isinstance(said, list) and any(isinstance(each, EnteredRow) for each in said):
        return [dict(each.plain) for each in said]
    return said


def _said_rows(inner: Any, field: str, form: Form, before: Sequence[Plain]) -> Any:
    """Rows whose first field is filled in; emptying the first field removes the row. What no form says stays."""
    by_number: dict[str, dict[str, list[str]]] = {}
    for name, values in form.fields.items():
        if found := re.match(re.escape(field) + r"\.(\d{1,4})[.+]", name):
            by_number.setdefault(found[1], {})[name] = values
    if not by_number and f"{field}+rows" not in form.fields:
        return MISSING
    first = fields(inner)[0].name
    rows: list[EnteredRow] = []
    for at in sorted(by_number, key=int):
        if f"{field}.{at}" in form.all("drop"):
            continue
        shown = _shown_there(form, f"{field}.{at}", int(at), len(before))
        there = {} if shown is None else before[shown]
        was = there if isinstance(there, Mapping) else {first: there}
        said = changed(inner, Form({**by_number[at], "drop": form.all("drop")}), was, f"{field}.{at}.")
        rows.append(EnteredRow({**was, **said}, shown))
    return [row for row in rows if row.plain.get(first) not in (None, "")]


def _shown_there(form: Form, row: str, at: int, count: int) -> int | None:
    """Which row the form showed there: it says which one, or it is the one in that place."""
    text = form.one(f"{row}+of") if f"{row}+of" in form.fields else str(at)
    which = int(text) if text.isdecimal() and len(text) < 5 else count
    return which if which < count else None


def rows_kept(kind: type[Any], form: Form, shown: Mapping[str, Plain], prefix: str = FIELD) -> dict[str, list[str]]:
    """For each list of a form that is shown again before it is saved: which of its first rows it still has."""
    found: dict[str, list[str]] = {}
    for name, each in field_type(kind).fields.items():
        if _form_of(each) == "rows" and each.inner:
            rows = _said_rows(each.inner.type, f"{prefix}{name}", form, shown.get(name) or ())
            if rows is not MISSING:
                found[f"{prefix}{name}"] = ["" if row.shown is None else str(row.shown) for row in rows]
    return found


def _level(line: str, field: str) -> tuple[str, Plain]:
    name, colon, level = line.rpartition(":")
    if not colon:
        raise BadInput(field.removeprefix(FIELD), f"must be a name, a colon and a number, not {line.strip()!r}")
    return name.strip(), whole_number(level.strip())
