"""The scene: a hashable value of named frozen values, and the handle through which rules read it."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar, final, overload

from referee.core.errors import BadInput
from referee.core.plain import Plain, unknown

V = TypeVar("V", bound=Hashable)
V_co = TypeVar("V_co", covariant=True)


@final
@dataclass(frozen=True, slots=True, eq=False)
class Who(Generic[V]):
    """A name in the scene, and the type of what it names. Names are unique, so the name alone is compared."""

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
            raise BadInput("", f"a name in the scene expected, not {plain!r}")
        return Who(plain, kind if isinstance(kind, type) else object)

    def to_plain(self) -> Plain:
        return self.name


@final
class State(Mapping[str, Hashable]):
    """What is in a scene, as one immutable, hashable value. A change makes a new one that shares the rest."""

    __slots__ = ("_hash", "_values")

    def __init__(self, values: Mapping[str, Hashable] | None = None) -> None:
        self._values = dict(values or {})
        self._hash: int | None = None

    def __getitem__(self, name: str) -> Hashable:
        return self._values[name]

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

    def but(self, name: str, value: Hashable | None) -> State:
        """The same scene with one value replaced, added or (None) taken away."""
        values = dict(self._values)
        if value is None:
            values.pop(name, None)
        else:
            values[name] = value
        return State(values)


class Lookup(Protocol[V_co]):
    """Something the scene's rulebook holds: a figure, a table, a catalogue."""

    def within(self, scene: Scene) -> V_co: ...


@final
class Scene:
    """The handle a rule reads. Read again after every await: what it shows moves with the state behind it."""

    __slots__ = ("state",)

    def __init__(self, state: State | Mapping[str, Hashable]) -> None:
        self.state = state if isinstance(state, State) else State(state)

    @overload
    def __getitem__(self, key: Who[V]) -> V: ...
    @overload
    def __getitem__(self, key: Lookup[V_co]) -> V_co: ...
    def __getitem__(self, key: Any) -> Any:
        if not isinstance(key, Who):
            return key.within(self)
        try:
            found = self.state[key.name]
        except KeyError:
            raise BadInput("scene", unknown(key.name, tuple(self.state))) from None
        if not isinstance(found, key.kind):
            raise BadInput("scene", f"{key.name} is a {type(found).__name__}, not a {key.kind.__name__}")
        return found

    def get(self, who: Who[V], default: V) -> V:
        """What bears a name, or something else where nothing does."""
        return self[who] if who in self else default  # noqa: SIM401  # this is that very method

    def __contains__(self, who: Who[Any]) -> bool:
        return isinstance(self.state.get(who.name), who.kind)

    def all(self, kind: type[V]) -> tuple[Who[V], ...]:
        """Everyone (or everything) of a kind, in the order they joined the scene."""
        return tuple(Who(name, kind) for name, value in self.state.items() if isinstance(value, kind))

    def who(self, name: str) -> Who[Any]:
        """Whatever bears this name, with its own type."""
        if name not in self.state:
            raise BadInput("scene", unknown(name, tuple(self.state)))
        return Who(name, type(self.state[name]))
