"""The scene: a hashable value of named frozen values, and the handle through which rules read it."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final, Generic, NoReturn, Protocol, TypeAlias, TypeVar, final, overload

from referee.core.errors import BadInput, NotKept
from referee.core.plain import Plain, as_spelled, frozen, unknown

V = TypeVar("V", bound=Hashable)
V_co = TypeVar("V_co", covariant=True)
T = TypeVar("T")


class Everything(Enum):
    """Represents the whole scene among what a rule has read."""

    EVERYTHING = "*"


EVERYTHING: Final = Everything.EVERYTHING


@final
@frozen
class NamesOf:
    """Represents, among what a rule has read, who or what of a kind is in the scene; not what they are like."""

    kind: type[Any]

    def __str__(self) -> str:
        return f"* {self.kind.__module__}.{self.kind.__qualname__}"


Read: TypeAlias = str | NamesOf | Everything
"""What a rule can have read: the value with a name, the names of a kind, or everything."""


@final
@dataclass(frozen=True, slots=True, eq=False)
class Sealed:
    """Stands for a value that differs by outcome, as long as nothing reads it: exact odds look at it only then."""

    by: Any
    """What the driver knows about it."""
    name: str
    kind: type[Any] | None
    """Its type, if that does not differ."""
    beneath: Hashable | None
    """What has this name if the outcome leaves it alone."""
    was_written: bool
    """Whether that had already been written in this run."""


@final
class SealBroken(BaseException):
    """A sealed value was read. No rule can catch this; the driver opens the value and goes on once for each."""

    def __init__(self, seal: Sealed) -> None:
        super().__init__(seal)
        self.seal = seal


@final
@frozen
class Forgotten:
    """Stands for a value that a kernel has not kept, such as the rest of a deck: reading it is an error, no guess."""

    kind: type[Any]


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

    __slots__ = ("_hash", "_names", "_values")

    def __init__(self, values: Mapping[str, Hashable] | None = None) -> None:
        self._values: dict[str, Hashable] = dict(values or {})
        self._hash: int | None = None
        self._names: dict[type[Any], tuple[str, ...]] = {}
        """The names of each kind that was asked for; shared by scenes in which everything is of the same kind."""

    def __reduce__(self) -> tuple[Any, ...]:
        return State, (self._values,)  # hashes and names looked up are of this process alone

    def __getitem__(self, name: str) -> Hashable:
        found = self._values[name]
        if found.__class__ in _UNREADABLE:
            _break(found, name)
        return found

    def get(self, name: str, /, default: Any = None) -> Any:
        found = self._values.get(name, default)  # as Mapping does, but without raising an exception on the way
        if found.__class__ in _UNREADABLE:
            _break(found, name)
        return found

    def unread(self, name: str) -> Hashable | None:
        """What has this name, sealed or not, or None."""
        return self._values.get(name)

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

    def names_of(self, kind: type[Any]) -> tuple[str, ...]:
        """The names of everyone (or everything) of a kind, sorted, so that equal scenes list them in the same order."""
        found = self._names.get(kind)
        if found is None:
            kinds = ((name, kind_of(value) or _break(value)) for name, value in self._values.items())
            mine = (name for name, each in kinds if issubclass(each, kind) and each is not type(None))
            found = self._names[kind] = tuple(sorted(mine))
        return found

    def at(self, reads: Iterable[Read]) -> tuple[Hashable | None, ...]:
        """What there is to read; sealed values stay sealed."""
        return tuple([self._values.get(each) if isinstance(each, str) else self._at(each) for each in reads])

    def _at(self, each: NamesOf | Everything) -> Hashable:
        return self.names_of(each.kind) if isinstance(each, NamesOf) else self

    def but(self, name: str, value: Hashable | None) -> State:
        """The same scene with one value replaced, added or (None) removed."""
        return self.after(((name, value),))

    def after(self, changes: Iterable[tuple[str, Hashable | None]]) -> State:
        """The same scene after several changes."""
        later = State.__new__(State)
        later._values, later._hash, later._names = dict(self._values), None, self._names
        for name, value in changes:
            kind = kind_of(value)
            if kind is None or kind is not kind_of(self._values.get(name)):
                later._names = {}
            if value is None:
                later._values.pop(name, None)
            else:
                later._values[name] = value
        return later


def kind_of(value: Hashable | None) -> type[Any] | None:
    """The type of a value; None if it is sealed and its type differs by outcome."""
    return value.kind if isinstance(value, (Sealed, Forgotten)) else type(value)


_UNREADABLE: Final = frozenset({Sealed, Forgotten})


def _break(value: Any, name: str = "") -> NoReturn:
    if isinstance(value, Forgotten):
        raise NotKept(f"{name}: odds that read it after it was left out")
    raise SealBroken(value)


class Lookup(Protocol[V_co]):
    """Something in the scene's rulebook: a figure, a table, a catalogue."""

    def within(self, scene: Scene) -> V_co: ...


@final
class Scene:
    """The handle through which a rule reads. Read again after every await: it always shows the current state.

    `reads` collects what was read before it was written: everything an outcome can depend on.
    """

    __slots__ = ("reads", "state", "written")

    def __init__(self, state: State | Mapping[str, Hashable], reads: set[Read] | None = None) -> None:
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
        found = self.state._values.get(name)
        if found.__class__ in _UNREADABLE:
            _break(found, name)
        return found

    def note_reads(self, reads: Iterable[Read]) -> None:
        """Something was read in this scene by a rule that need not be run again."""
        if self.reads is not None:
            self.reads.update(each for each in reads if each not in self.written)

    def read_everything(self) -> None:
        """The outcome depends on the whole scene."""
        if self.reads is not None:
            self.reads.add(EVERYTHING)
            _ = tuple(self.state.values())

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
        # The busiest line of all: where nobody counts what is read, nothing stands between.
        found = self.state._values.get(key.name) if self.reads is None else self.read(key.name)
        if isinstance(found, key.kind):
            return found
        if found.__class__ in _UNREADABLE:
            _break(found, key.name)
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
            self.reads.add(NamesOf(kind))
        return tuple(Who(name, kind) for name in self.state.names_of(kind))

    def who(self, name: str) -> Who[Any]:
        """Whatever has this name, with its own type; capitals need not be right."""
        if (found := self.read(name)) is None:
            name = as_spelled(name, self.state)
            if (found := self.read(name)) is None:
                raise BadInput("scene", unknown(name, tuple(self.state)))
        return Who(name, type(found))
