"""Values as those know them to whom some names are not there: every mention of a name in hiding is left out.

Of a set, a list or a table of levels the entries that name it go. A record in a list, or a pair, goes whole. A field
that is nothing but the name is missing.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import fields, is_dataclass
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Union, get_args, get_origin

from referee.core.plain import hints
from referee.core.scene import Who

_GONE: Final[Any] = object()
Names = AbstractSet[str]


def mentions(value: object, names: Names) -> bool:
    """Whether a value, or plain data, names any of these anywhere."""
    if not names or isinstance(value, str):
        return isinstance(value, str) and value in names
    if isinstance(value, Who):
        return value.name in names
    if isinstance(value, Mapping):
        return any(names_any(str(key), names) or mentions(each, names) for key, each in value.items())
    if isinstance(value, (tuple, list, AbstractSet)):
        return any(mentions(each, names) for each in value)
    if is_dataclass(value) and not isinstance(value, type):
        return any(mentions(getattr(value, each.name), names) for each in fields(value))
    return False


def names_any(text: str, names: Names) -> bool:
    """Whether a text is one of these names, or one of them stands in it: `al wolf`, `wolf helps`."""
    return text in names or any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) for name in names)


def without(kind: Any, given: Mapping[str, Any], names: Names) -> dict[str, Any]:
    """Of some fields of a value of this kind, what remains without any mention of these names."""
    known = hints(kind)
    left = {name: _without(known.get(name, Any), value, names) for name, value in given.items()}
    return {name: value for name, value in left.items() if value is not _GONE}


def fields_of(value: Hashable) -> dict[str, Any]:
    """The fields of a value of the scene, by name."""
    return {each.name: getattr(value, each.name) for each in fields(value)}  # type: ignore[arg-type]  # a dataclass


def _without(kind: Any, value: Any, names: Names) -> Any:
    if not mentions(value, names):
        return value
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return _without(arguments[0], value, names)
    if origin in (Union, UnionType):
        return None if NoneType in arguments and isinstance(value, str) else _within(arguments, value, names)
    if isinstance(value, Mapping):
        left = {
            key: each for key, each in value.items() if not names_any(str(key), names) and not mentions(each, names)
        }
        return type(value)(left)  # type: ignore[call-arg]  # mappings of a sheet are made of a dict
    if isinstance(value, AbstractSet):
        return frozenset(each for each in value if not mentions(each, names))
    if isinstance(value, tuple) and arguments[1:] == (...,):
        return tuple(_kept(_without(arguments[0], each, names) for each in value))
    return _GONE


def _within(kinds: Iterable[Any], value: Any, names: Names) -> Any:
    """What remains of a value that may be of one of several kinds."""
    fits = (each for each in kinds if isinstance(value, get_origin(each) or each))
    return _without(next(fits, Any), value, names)


def _kept(values: Iterable[Any]) -> Iterable[Any]:
    return (each for each in values if each is not _GONE)
