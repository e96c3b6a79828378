"""Typed values to plain JSON and back, by their annotations.

One codec serves the rulebook's rows, sheets, scenario files, arguments of rules, answers and the log. A type that wants
a friendlier form defines `from_plain` and `to_plain`. Every error names the place inside the data.
"""

from __future__ import annotations

import re
import types
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import MISSING, dataclass, field, fields, is_dataclass
from difflib import get_close_matches
from enum import Enum
from functools import lru_cache, partial
from typing import (
    Annotated,
    Any,
    Final,
    Literal,
    Protocol,
    TypeAlias,
    TypeVar,
    Union,
    cast,
    dataclass_transform,
    get_args,
    get_origin,
    get_type_hints,
    overload,
)

from referee.core.errors import BadInput

Plain: TypeAlias = Any
"""What JSON can hold: None, bool, int, float, str, list, dict."""

T = TypeVar("T")

_NUMBER: Final = re.compile(r"[+-]?[0-9]+")


class HasPlainForm(Protocol):
    """A type with a plain form of its own; `from_plain` reads it back."""

    def to_plain(self) -> Plain: ...


class Levels(Mapping[str, int]):
    """A frozen mapping from names to whole numbers: attributes, skills, supplies. An unknown name is an error."""

    __slots__ = ("_hash", "_levels")

    def __init__(self, levels: Mapping[str, int] | None = None) -> None:
        self._levels = dict(sorted((levels or {}).items()))
        self._hash = hash(tuple(self._levels.items()))

    def __getitem__(self, name: str) -> int:
        return self._levels[name]

    @overload
    def get(self, name: str, /) -> int | None: ...
    @overload
    def get(self, name: str, /, default: int | T) -> int | T: ...
    def get(self, name: str, /, default: Any = None) -> Any:
        return self._levels.get(name, default)  # as Mapping does, but without raising an exception internally

    def __iter__(self) -> Iterator[str]:
        return iter(self._levels)

    def __len__(self) -> int:
        return len(self._levels)

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Levels) and self._levels == other._levels

    def __repr__(self) -> str:
        return f"Levels({self._levels})"

    def but(self, **levels: int) -> Levels:
        return Levels({**self._levels, **levels})

    @classmethod
    def from_plain(cls, plain: Plain) -> Levels:
        if not isinstance(plain, Mapping):
            raise BadInput("", f"must be names with whole numbers, not {plain!r}")
        return cls({_name(name): read(int, level, str(name)) for name, level in plain.items()})

    def to_plain(self) -> Plain:
        return dict(self._levels)


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frozen(kind: type[T]) -> type[T]:
    """Write a value: a class whose fields are set once. Sheets, rows, results and encounters are such values."""
    has_own_hash = "__hash__" in kind.__dict__
    made = dataclass(frozen=True, slots=True)(_with_hash(kind) if kind.__bases__ == (object,) else kind)
    if issubclass(made, _Hashed) and not has_own_hash:
        _remember_hash(made)
    return made


class _Hashed:
    """Has room for its hash, which is worked out once: odds ask for that of the same sheet over and over."""

    __slots__ = ("_hash",)


def _with_hash(kind: type[T]) -> type[T]:
    """The same class with room for its hash."""
    content = {name: each for name, each in kind.__dict__.items() if name not in ("__dict__", "__weakref__")}
    meta: Any = type(kind)
    made = meta(kind.__name__, (_Hashed,), content)
    made.__qualname__ = kind.__qualname__
    return cast("type[T]", made)


def _remember_hash(kind: type[Any]) -> None:
    compute: Any = kind.__hash__

    def remembered(self: Any) -> int:
        try:
            found: int = self._hash
        except AttributeError:
            found = compute(self)
            object.__setattr__(self, "_hash", found)
        return found

    type.__setattr__(kind, "__hash__", remembered)


def tally(start: int = 0) -> int:
    """A field that only counts, such as the round number: it is shown and stored, but no rule depends on it.

    For odds, scenes that differ only in tallies are equal, so a fight can be solved as a chain that returns to itself.
    """
    return field(default=start, compare=False)


def same(one: object, other: object) -> bool:
    """Whether two values are equal, including what is not compared: tallies, and the audiences of records."""
    if one is other or type(one) is not type(other):
        return one is other or one == other
    if one != other:
        return False
    if is_dataclass(one):
        return all(same(getattr(one, f.name), getattr(other, f.name)) for f in fields(one))
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(map(same, one, other))
    return one == other


def write(value: object) -> Plain:
    """A value as plain JSON."""
    if isinstance(value, Enum):
        return value.value
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if hasattr(type(value), "to_plain"):  # on the type: many times faster than isinstance with the protocol
        return cast(HasPlainForm, value).to_plain()
    if is_dataclass(value) and not isinstance(value, type):
        return {f.name: write(getattr(value, f.name)) for f in fields(value)}
    if isinstance(value, (tuple, list)):
        return [write(item) for item in value]
    if isinstance(value, (set, frozenset)):
        return sorted((write(item) for item in value), key=repr)
    if isinstance(value, Mapping):
        return {str(write(key)): write(item) for key, item in value.items()}
    raise TypeError(f"{type(value).__name__} has no plain form: give it to_plain() and from_plain()")


def read(kind: type[T] | Any, plain: Plain, where: str = "") -> T:
    """Plain data as a value of `kind`; `BadInput` names the place that does not fit."""
    try:
        return cast(T, _reader(cast(Any, kind))(plain))
    except BadInput as problem:
        raise problem.within(where) if where else problem from None


@lru_cache(maxsize=4096)
def _reader(kind: Any) -> Callable[[Plain], Any]:
    """The function that reads one type; built once per type."""
    origin, arguments = get_origin(kind), get_args(kind)
    named = origin or kind
    if origin is Annotated:
        return _reader(arguments[0])
    if hasattr(named, "from_plain"):
        return partial(_read_own_form, named, arguments)
    if origin in _READS:
        return partial(_READS[origin], arguments)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return partial(_one_of, {str(member.value): member for member in kind})
    if is_dataclass(kind):
        return partial(read_fields, kind)
    if kind in _SCALARS:
        return partial(_read_scalar, kind)
    if kind in (Any, object):
        return lambda plain: plain
    raise TypeError(f"{kind!r} cannot be read from plain data")


def _read_own_form(kind: Any, arguments: tuple[Any, ...], plain: Plain) -> Any:
    if arguments and getattr(kind, "reads_its_arguments", False):
        return kind.from_plain(plain, *arguments)
    return kind.from_plain(plain)


_SCALARS: Final = {
    bool: "yes or no",
    int: "a whole number",
    float: "a number",
    str: "text",
    type(None): "nothing",
}


def _read_scalar(kind: type[Any], plain: Plain) -> Any:
    if isinstance(plain, kind) and isinstance(plain, bool) is (kind is bool):
        return plain
    if kind is float and type(plain) is int:
        return float(plain)
    raise BadInput("", f"must be {_SCALARS[kind]}, not {plain!r}")


def _one_of(members: Mapping[str, Any], plain: Plain) -> Any:
    if str(plain) in members:
        return members[str(plain)]
    folded = {spoken(name): member for name, member in members.items()}
    if spoken(str(plain)) in folded:
        return folded[spoken(str(plain))]
    raise BadInput("", unknown(str(plain), members))


def _read_union(kinds: tuple[Any, ...], plain: Plain) -> Any:
    if plain is None and type(None) in kinds:
        return None  # null stays None, even where one item may stand for a list
    problems: list[BadInput] = []
    for kind in (each for each in kinds if each is not type(None)):
        try:
            return _reader(kind)(plain)
        except BadInput as problem:
            problems.append(problem)
    raise problems[0] if len(problems) == 1 else BadInput("", "; or ".join(map(str, problems)))


def _read_tuple(arguments: tuple[Any, ...], plain: Plain) -> tuple[Any, ...]:
    items = _several(plain)
    kinds = (arguments[0],) * len(items) if arguments[1:] == (...,) else arguments
    if len(kinds) != len(items):
        raise BadInput("", f"must be {len(kinds)} values, not {len(items)}")
    return tuple(read(kind, item, f"[{at}]") for at, (kind, item) in enumerate(zip(kinds, items, strict=True)))


def _read_frozenset(arguments: tuple[Any, ...], plain: Plain) -> frozenset[Any]:
    return frozenset(read(arguments[0], item, f"[{at}]") for at, item in enumerate(_several(plain)))


def _several(plain: Plain) -> list[Plain]:
    """A list; a single item may stand for a list of one."""
    return list(plain) if isinstance(plain, (list, tuple, set, frozenset)) else [plain]


def _read_dict(arguments: tuple[Any, ...], plain: Plain) -> dict[Any, Any]:
    if not isinstance(plain, Mapping):
        raise BadInput("", f"must be names with values, not {plain!r}")
    return {_read_key(arguments[0], key): read(arguments[1], item, str(key)) for key, item in plain.items()}


def _read_key(kind: Any, plain: Plain) -> Any:
    """A key, or the number it spells: in JSON all keys are strings."""
    return int(plain) if kind is int and isinstance(plain, str) and is_number(plain) else read(kind, plain)


def is_number(text: str) -> bool:
    """Whether a text spells a whole number."""
    return _NUMBER.fullmatch(text) is not None


def _read_literal(arguments: tuple[Any, ...], plain: Plain) -> Any:
    return _one_of({str(each): each for each in arguments}, plain)


_READS: Final[dict[Any, Callable[[tuple[Any, ...], Plain], Any]]] = {
    Union: _read_union,
    types.UnionType: _read_union,
    Literal: _read_literal,
    tuple: _read_tuple,
    frozenset: _read_frozenset,
    dict: _read_dict,
}


def hints(kind: object) -> dict[str, Any]:
    """The annotations of a class or function, resolved, with their `Annotated` parts."""
    return _hints(kind)


@lru_cache(maxsize=4096)
def _hints(kind: Any) -> dict[str, Any]:
    return get_type_hints(kind, include_extras=True)


def read_fields(kind: Any, plain: Plain) -> Any:
    """The fields of a dataclass by their names; for those that also have a friendlier form of their own."""
    if isinstance(plain, kind):
        return plain
    known = {f.name: f for f in fields(kind) if f.init}
    needed = [name for name, f in known.items() if f.default is MISSING and f.default_factory is MISSING]
    if not isinstance(plain, Mapping):
        takes = f" ({', '.join(needed)}, …)" if needed else ""
        raise BadInput("", f"must be fields of a {kind.__name__}{takes}, not {plain!r}")
    given = {_name(name).replace("-", "_").replace(" ", "_"): value for name, value in plain.items()}
    given = {f"{name}_" if name not in known and f"{name}_" in known else name: v for name, v in given.items()}
    for name in given:
        if name not in known:
            raise BadInput(name, unknown(name, known))
    if len(given) < len(plain):
        raise BadInput("", f"a field is given twice: {', '.join(map(str, plain))}")
    for name in needed:
        if name not in given:
            raise BadInput(name.rstrip("_"), "is missing")
    return kind(**{name: read(hints(kind)[name], value, name.rstrip("_")) for name, value in given.items()})


def spoken(name: str) -> str:
    """A name as it is said aloud: capitals, hyphens, underscores and commas do not tell names apart."""
    return name.casefold().replace("-", " ").replace("_", " ").replace(",", "")


_BETWEEN_NAMES: Final = re.compile(", | or ")


def as_spelled(name: str, known: Iterable[str], also: Mapping[str, str] | None = None) -> str:
    """A name as one of the known ones is spelled, if it alone sounds like it or is short for it; otherwise as it is."""
    names, said = tuple(known), spoken(name)
    if name in names:
        return name
    alike = {each for each in names if spoken(each) == said}
    alike = alike or {each for short, each in (also or {}).items() if spoken(short) == said}
    return alike.pop() if len(alike) == 1 else name


def meant(name: str, known: Collection[str]) -> str | None:
    """The known name that is meant: as spelled; or, if no other has it, what stands before brackets or in a list."""
    if (found := as_spelled(name, known)) in known:
        return found
    said = spoken(name)
    alike = [each for each in known if said in map(spoken, (each.partition(" (")[0], *_BETWEEN_NAMES.split(each)))]
    return alike[0] if len(alike) == 1 else None


def unknown(name: str, known: Mapping[str, Any] | tuple[str, ...]) -> str:
    """'x' is not known; did you mean y? One of a, b, c."""
    names = [str(each) for each in known]
    near = get_close_matches(name.casefold(), [n.casefold() for n in names], 1)
    hint = next((f"did you mean {n!r}? " for n in names if near and n.casefold() == near[0]), "")
    return (
        f"{name!r} is not known; {hint}one of {', '.join(names[:40])}"
        if names
        else f"{name!r} is not known; there are none"
    )


def _name(name: object) -> str:
    if not isinstance(name, str):
        raise BadInput("", f"must be a name, not {name!r}")
    return name
