"""Frozen dataclasses as JSON, written and read field by field: the lines of a log and what they hold.

A field without a default is always written; one that has its default value is left out. Field names of format 1 are
read as the current ones (`RENAMED`). A record may name fields that it writes itself (`WRITTEN_APART`).
"""

from __future__ import annotations

import types
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from functools import cache, partial
from typing import Any, Final, TypeAlias, TypeVar, Union, cast, get_args, get_origin

from referee.core.errors import BadInput
from referee.core.plain import Plain, hints, unknown

RENAMED: Final = {
    "asked": "prompt",
    "came": "sub_results",
    "ended_as": "result_kind",
    "veiled": "hidden",
    "veils": "hidden_names",
    "told": "story",
}
"""Fields of format 1, and their current names."""

T = TypeVar("T")


def to_plain(value: Any) -> dict[str, Plain]:
    """The fields of a record as JSON, without those that have their default."""
    plain: dict[str, Plain] = {}
    for name, attribute, default in _written(cast(Hashable, type(value))):
        found = getattr(value, attribute)
        if found is not default and found != default:
            plain[name] = _plain(found)
    return plain


def _plain(value: object) -> Plain:
    if isinstance(value, tuple):
        return [_plain(each) for each in value]
    if isinstance(value, Enum):
        return value.value
    return to_plain(value) if is_dataclass(value) else value


@cache
def _written(kind: Any) -> tuple[tuple[str, str, object], ...]:
    """The fields of a record: name in JSON, attribute, default."""
    found = [each for each in fields(kind) if each.init and each.name not in getattr(kind, "WRITTEN_APART", ())]
    found.sort(key=lambda each: each.name in ("shown", "hidden", "hidden_names"))  # marks come last
    return tuple((each.name.rstrip("_"), each.name, each.default) for each in found)


def read_fields(kind: type[T], plain: Mapping[str, Plain]) -> T:
    """A record from JSON. A field that is unknown, missing, or of the wrong type is refused by name."""
    known, required = _readers(cast(Hashable, kind))
    given: dict[str, Any] = {}
    for name, value in plain.items():
        found = known.get(name) or known.get(RENAMED.get(name, ""))
        if found is None:
            raise BadInput(name, unknown(name, known))
        attribute, reader = found
        try:
            given[attribute] = value if reader is None else reader(value)
        except BadInput as problem:
            raise problem.within(name) from None
    for name in required:
        if name not in given:
            raise BadInput(name.rstrip("_"), "is missing")
    return kind(**given)


Read: TypeAlias = Callable[[Plain], Any]


@cache
def _readers(kind: Any) -> tuple[dict[str, tuple[str, Read | None]], tuple[str, ...]]:
    """How each field of a record is read, by its name in JSON, and which fields are required."""
    known = hints(kind)
    given = [each for each in fields(kind) if each.init]
    readers = {each.name.rstrip("_"): (each.name, _reader(known[each.name], each.default)) for each in given}
    return readers, tuple(each.name for each in given if each.default is MISSING)


def _reader(kind: Any, default: object = MISSING) -> Read | None:
    """The function that reads one type; None if anything is allowed. A default is left out, and so never null."""
    origin, arguments = get_origin(kind), get_args(kind)
    if kind is Any:
        return None
    if (own := getattr(kind, "from_plain", None)) is not None:
        return cast(Read, own)
    if origin in (Union, types.UnionType):
        (one,) = (each for each in arguments if each is not types.NoneType)
        reader = _reader(one)
        if default is None:
            return reader
        return lambda plain: None if plain is None or reader is None else reader(plain)
    if origin is tuple:
        return partial(
            _several, tuple(map(_reader, arguments[:1] if ... in arguments else arguments)), ... in arguments
        )
    if isinstance(origin or kind, type) and issubclass(origin or kind, Enum):
        return partial(_member, {each.value: each for each in kind})
    if is_dataclass(kind):
        return lambda plain: read_fields(cast(Any, kind), _scalar(dict, plain))
    return partial(_scalar, dict if origin is not None else kind)


_NAMES: Final = {str: "text", int: "a whole number", bool: "yes or no", dict: "names with values", list: "a list"}


def _scalar(kind: type[Any], plain: Plain) -> Any:
    if type(plain) is kind or (kind is dict and isinstance(plain, Mapping)):
        return plain
    raise BadInput("", f"{_NAMES[kind]} expected, not {str(plain)[:40]!r}")


def _several(readers: tuple[Read | None, ...], is_open: bool, plain: Plain) -> tuple[Any, ...]:
    """A list of any number of values of one type, or of exactly one value per type."""
    values: Iterable[Plain] = _scalar(list, plain)
    if is_open:
        (reader,) = readers
        return tuple(values) if reader is None else tuple(map(reader, values))
    if len(plain) != len(readers):
        raise BadInput("", f"{len(readers)} values expected, not {len(plain)}")
    return tuple(value if reader is None else reader(value) for reader, value in zip(readers, values, strict=True))


def _member(members: Mapping[str, Any], plain: Plain) -> Any:
    if not isinstance(plain, str) or plain not in members:
        raise BadInput("", unknown(str(plain), members))
    return members[plain]
