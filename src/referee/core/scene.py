"""The scene: a hashable value of named frozen values, and the handle through which rules read it."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Generic, Protocol, TypeVar, final, overload

from referee.core.errors import BadInput
from referee.core.plain import Plain, unknown

V = TypeVar("V", bound=Hashable)
V_co = TypeVar("V_co", covariant=True)
T = TypeVar("T")

EVERYTHING: Final = "*"
"""Represents the whole scene among the names a rule has read."""


@final
@dataclass(frozen=True, slots=True, eq=False)
class Who(Generic[V]):
    """A name in the scene, and the type of what it names. Names are unique, so only the name is compared."""

    name: str
    kind: type[V]

    def __hash__(self) -> int:
        return hash(self.name)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Who) and other.name == self.name

    def __str__(self) -> str:
        return self.name

    reads_its_arguments = True

    @classmethod
    def from_plain(cls, plain: Plain, kind: Any = object) -> Who[Any]:
        if not isinstance(plain, str):
            raise BadInput("", f"must be a name in the scene, not {plain!r}")
        return Who(plain, kind if isinstance(kind, type) and kind is not Any else object)

    def to_plain(self) -> Plain:
        return self.name


@final
class State(Mapping[str, Hashable]):
    """The content of a scene as one immutable, hashable value. A change makes a new one that shares the rest."""

    __slots__ = ("_hash", "_values")

    def __init__(self, values: Mapping[str, Hashable] | None = None) -> None:
        self._values = dict(values or {})
        self._hash: int | None = None

    def __getitem__(self, name: str) -> Hashable:
        return self._values[name]

    def get(self, name: str, /, default: Any = None) -> Any:
        return self._values.get(name, default)  # as Mapping does, but without raising an exception on the way

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash(frozenset(self._values.items()))
        return self._hash

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, State) and self._values == other._values)

    def __repr__(self) -> str:
        return f"State({self._values!r})"

    def at(self, names: Iterable[str]) -> tuple[Hashable | None, ...]:
        """The values of some names; `EVERYTHING` means the scene itself."""
        return tuple(self if name == EVERYTHING else self._values.get(name) for name in names)

    def but(self, name: str, value: Hashable | None) -> State:
        """The same scene with one value replaced, added or (None) removed."""
        return self.after(((name, value),))

    def after(self, changes: Iterable[tuple[str, Hashable | None]]) -> State:
        """The same scene after several changes."""
        values = dict(self._values)
        for name, value in changes:
            if value is None:
                values.pop(name, None)
            else:
                values[name] = value
        return State(values)


class Lookup(Protocol[V_co]):
    """Something in the scene's rulebook: a figure, a table, a catalogue."""

    def within(self, scene: Scene) -> V_co: ...


@final
class Scene:
    """The handle through which a rule reads. Read again after every await: it always shows the current state.

    `reads` collects what was read before it was written: everything an outcome can depend on.
    """

    __slots__ = ("reads", "state", "written")

    def __init__(self, state: State | Mapping[str, Hashable], reads: set[str] | None = None) -> None:
        self.state = state if isinstance(state, State) else State(state)
        self.reads = reads
        self.written: set[str] = set()

    def as_it_is(self) -> Scene:
        """A handle that keeps showing this state; what is read through it counts as read through this one."""
        kept = Scene(self.state, self.reads)
        kept.written = set(self.written)
        return kept

    def read(self, name: str) -> Hashable | None:
        """The value with this name, or None."""
        if self.reads is not None and name not in self.written:
            self.reads.add(name)
        return self.state._values.get(name)  # as in `__getitem__`

    def write(self, name: str, value: Hashable | None) -> None:
        """Replace a value. Only a run does this; rules await `change`."""
        self.written.add(name)
        self.state = self.state.but(name, value)

    @overload
    def __getitem__(self, key: Who[V]) -> V: ...
    @overload
    def __getitem__(self, key: Lookup[V_co]) -> V_co: ...
    @overload
    def __getitem__(self, key: type[T]) -> T: ...
    def __getitem__(self, key: Any) -> Any:
        if key.__class__ is not Who:
            return key.within(self)
        if self.reads is not None:
            self.read(key.name)
        found = self.state._values.get(key.name)  # the busiest line of all: nothing stands between
        if isinstance(found, key.kind):
            return found
        if found is None:
            raise BadInput("scene", unknown(key.name, tuple(self.state)))
        raise BadInput("scene", f"{key.name} is a {type(found).__name__}, not a {key.kind.__name__}")

    def get(self, who: Who[V], default: V) -> V:
        """The value with this name, or the default if there is none."""
        found = self.read(who.name)
        return found if isinstance(found, who.kind) else default

    def __contains__(self, who: Who[Any]) -> bool:
        return isinstance(self.read(who.name), who.kind)

    def all(self, kind: type[V]) -> tuple[Who[V], ...]:
        """Everyone (or everything) of a kind, sorted by name, so that equal scenes list them in the same order."""
        if self.reads is not None:
            self.reads.add(EVERYTHING)
        return tuple(Who(name, kind) for name in sorted(self.state) if isinstance(self.state[name], kind))

    def who(self, name: str) -> Who[Any]:
        """Whatever has this name, with its own type."""
        found = self.read(name)
        if found is None:
            raise BadInput("scene", unknown(name, tuple(self.state)))
        return Who(name, type(found))
