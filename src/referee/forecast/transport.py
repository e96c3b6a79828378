"""Queries for odds as bytes for another process, and as a key: equal exactly if the viewer knows the same.

Values of the scene travel as they are. Whatever a system declares (its actions, their bands, its rules, its book)
travels by name, and is looked up in the system of the same name and version at the other end.
"""

from __future__ import annotations

import io
import pickle
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache, singledispatch
from hashlib import blake2b
from typing import Any, TypeAlias, final

from referee import registry
from referee.core.actions import Action, ActionChoice
from referee.core.bands import Bands
from referee.core.errors import RefereeError, Refused
from referee.core.knowledge import KnownState
from referee.core.rulebook import Book
from referee.core.rules import RULES, Rule
from referee.core.system import System
from referee.core.unknown import Unknown
from referee.forecast.curves import CurveQuery
from referee.forecast.encounters import EncounterPlan
from referee.forecast.risk import OddsQuery

Query: TypeAlias = OddsQuery | CurveQuery


class CannotTravel(RefereeError):
    """A query that only the process that made it can answer: its system cannot be loaded by name, for example."""


@final
class _Packer(pickle.Pickler):
    """Writes what a system declares by name."""

    def __init__(self, file: io.BytesIO, system: System) -> None:
        super().__init__(file, protocol=pickle.HIGHEST_PROTOCOL)
        self._system = system

    def persistent_id(self, found: Any) -> tuple[Any, ...] | None:
        match found:
            case Rule():
                return ("rule", found.id) if RULES.get(found.id) is found else None
            case Action():
                return ("action", found.key) if found in self._system.actions else None
            case Bands():
                keys = (each.key for each in self._system.actions if each.bands is found)
                return ("bands", key) if (key := next(keys, None)) else None
            case Book():
                return "book", found.to_plain()
            case Unknown():
                return "unknown", found.what
            case Refused():
                return "refused", found.what, found.because, found.rule, tuple(found.legal)
        return None


@final
class _Unpacker(pickle.Unpickler):
    """Finds by name what the system declares."""

    def __init__(self, file: io.BytesIO, system: System) -> None:
        super().__init__(file)
        self._system = system

    def persistent_load(self, pid: Any) -> Any:
        match pid:
            case ("rule", id_):
                return RULES[id_]
            case ("action", key):
                return self._system.action(key)
            case ("bands", key):
                return self._system.action(key).bands
            case ("book", plain):
                return Book.from_plain(plain)
            case ("unknown", what):
                return Unknown(what)
            case ("refused", what, because, rule, legal):
                return Refused(what, because=because, rule=rule, legal=legal)
        raise pickle.UnpicklingError(f"unknown reference {pid!r}")


def pack(query: Query | EncounterPlan, system: System) -> bytes:
    """A query as bytes; `CannotTravel` if another process could not read it."""
    file = io.BytesIO()
    try:
        if registry.load(system.name) is not system:
            raise CannotTravel(f"{system.name} is not the system of that name")
        _Packer(file, system).dump((system.name, system.version))
        _Packer(file, system).dump(query)
    except (pickle.PicklingError, AttributeError, TypeError, RefereeError) as why:
        raise CannotTravel(str(why)) from None
    return file.getvalue()


def unpack(packed: bytes) -> Query:
    """The query that was packed; its system is loaded first."""
    found: Query = _unpacked(packed)
    return found


def unpack_plan(packed: bytes) -> EncounterPlan:
    """The plan of a forecast that was packed; its system is loaded first."""
    found: EncounterPlan = _unpacked(packed)
    return found


def _unpacked(packed: bytes) -> Any:
    file = io.BytesIO(packed)
    try:
        name, version = pickle.load(file)  # noqa: S301  # written by the process that started this one
        system = registry.load(name)
        if system.version != version:
            raise CannotTravel(f"{name} has version {system.version} here, not {version}")
        return _Unpacker(file, system).load()
    except (pickle.UnpicklingError, AttributeError, ImportError, KeyError, TypeError, RefereeError) as why:
        raise CannotTravel(str(why)) from None


def digest(query: Query | EncounterPlan | KnownState) -> bytes:
    """A key for a query, or for what a seat knows: the same for everything it cannot tell apart, whatever is hidden.

    Fields that make no difference to rules (`compare=False`) make none here, such as the number of a throw.
    """
    return blake2b(repr(_plain(query)).encode(), digest_size=20).digest()


@singledispatch
def _plain(value: Any) -> Any:
    """What a value is for those who compare queries."""
    if is_dataclass(value) and not isinstance(value, type):
        kind = type(value)
        return kind.__qualname__, tuple([(name, _plain(getattr(value, name))) for name in _compared(kind)])
    if callable(value):
        return value.__module__, value.__qualname__
    return type(value).__qualname__, str(value)


@cache
def _compared(kind: type[Any]) -> tuple[str, ...]:
    """The fields of a dataclass in which two of them may differ."""
    return tuple(each.name for each in fields(kind) if each.compare)


def _of_mapping(value: Mapping[Any, Any]) -> Any:
    pairs = [(_plain(key), _plain(each)) for key, each in value.items()]
    return "mapping", sorted(pairs, key=lambda pair: repr(pair[0]))


_plain.register(Unknown, lambda value: ("unknown", value.what))
_plain.register(Enum, lambda value: (type(value).__qualname__, value.name))
_plain.register(Rule, lambda value: ("rule", value.id))
_plain.register(Action, lambda value: ("action", value.key, value.rule.id))
_plain.register(Bands, lambda value: ("bands", value.keys))
_plain.register(ActionChoice, lambda value: ("offer", *map(_plain, (value.action, value.who, value.arguments))))
_plain.register(Book, repr)
_plain.register(Mapping, _of_mapping)
_plain.register(AbstractSet, lambda value: ("set", sorted(map(_plain, value), key=repr)))
for _sequence in (tuple, list):
    _plain.register(_sequence, lambda value: tuple(map(_plain, value)))
for _simple in (bool, int, str, type(None)):
    _plain.register(_simple, lambda value: (type(value).__name__, value))
