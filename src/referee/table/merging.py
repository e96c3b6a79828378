"""What a form changes, upon what is there now: whatever play has changed since it was filled stays, unless the form
changes it too.

Levels and lines are merged one by one, rows of lists by what they are known by.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, TypeAlias, final

from referee.core.describe import FieldType, field_type
from referee.core.errors import BadInput
from referee.core.plain import Plain
from referee.core.value_changes import name_of_record


@final
@dataclass(frozen=True)
class EnteredRow:
    """A row as a form has it, and which of those that it showed it is; None if it is new."""

    plain: Mapping[str, Plain]
    shown: int | None


Entered: TypeAlias = Plain | list[EnteredRow]
"""What a form sets a field to."""


def merged(
    kind: type[Any], shown: Mapping[str, Plain], said: Mapping[str, Entered], now: Mapping[str, Plain]
) -> dict[str, Plain]:
    """The fields to set, so that a form changes what it showed, and nothing else."""
    types = field_type(kind).fields
    found = {name: _onto(types[name], shown.get(name), each, now.get(name)) for name, each in said.items()}
    return {name: each for name, each in found.items() if name not in now or each != now[name]}


def _onto(found: FieldType, was: Plain, said: Entered, now: Plain) -> Plain:
    if isinstance(said, list) and any(isinstance(each, EnteredRow) for each in said):
        rows = [each for each in said if isinstance(each, EnteredRow)]
        return _rows_onto(_inner(found), was or [], rows, now or [])
    if now == was or now is None or was is None:
        return said
    if isinstance(said, Mapping) and isinstance(was, Mapping) and isinstance(now, Mapping) and found.kind != "record":
        gone = {name for name in was if name not in said}
        set_to = {name: level for name, level in said.items() if was.get(name) != level}
        return {**{name: level for name, level in now.items() if name not in gone}, **set_to}
    if isinstance(said, list) and isinstance(was, list) and isinstance(now, list):
        if is_dataclass(_inner(found)):  # every row is dropped
            return _rows_onto(_inner(found), was, (), now)
        gone_lines = [each for each in was if each not in said]
        new = [each for each in said if each not in was and each not in now]
        return [*(each for each in now if each not in gone_lines), *new]
    return said


def _inner(found: FieldType) -> Any:
    return found.inner.type if found.inner else found.type


def _rows_onto(inner: Any, was: Sequence[Plain], said: Sequence[EnteredRow], now: Sequence[Plain]) -> list[Plain]:
    """Rows that were edited, dropped or added, among those that are there now."""
    known = _known_as(inner, now)
    kept = {row.shown: row for row in said if row.shown is not None}
    result = dict(known)
    for at, (key, plain) in enumerate(_known_as(inner, was).items()):
        row = kept.get(at)
        if row is None:
            result.pop(key, None)
            continue
        edits = {name: each for name, each in row.plain.items() if each != plain.get(name)}
        if edits and key not in known:
            raise BadInput(key[0], "is no longer there; open the form again")
        if edits:
            result[key] = {**known[key], **edits}
    return [*result.values(), *(dict(row.plain) for row in said if row.shown is None)]


def _known_as(inner: Any, rows: Sequence[Plain]) -> dict[tuple[str, int], Mapping[str, Plain]]:
    """Rows by what they are known by; those that are known by the same, in their order."""
    found: dict[tuple[str, int], Mapping[str, Plain]] = {}
    first = fields(inner)[0].name
    for row in rows:
        plain = row if isinstance(row, Mapping) else {first: row}
        name = name_of_record(inner, plain)
        found[name, sum(each == name for each, _ in found)] = plain
    return found
