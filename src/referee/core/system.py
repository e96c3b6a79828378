"""The contract: what a system declares. Everything else (forms, commands, API, odds) is made from it.

A system is one `SYSTEM: Final = System(...)` in a package of its own. A new one needs no change anywhere else.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import Any, Final, Generic, TypeVar, final, get_args

from referee.core.audience import audiences
from referee.core.cards import Pile, check_each_card_once
from referee.core.clock import Clock, Passing
from referee.core.describe import FieldType, describe_parameters, field_type
from referee.core.drafts import Creation
from referee.core.effects import Effects
from referee.core.encounter import Encounter
from referee.core.errors import BadInput, Refused
from referee.core.plain import Plain, read, unknown, write
from referee.core.printed_book import PrintedBook, printed_book
from referee.core.questions import key_of
from referee.core.rulebook import BOOK, Book
from referee.core.rules import Call, Rule
from referee.core.scene import Scene, State, Who
from referee.core.visibility import Veil
from referee.core.words import Words

T = TypeVar("T")

HOUSE_KINDS: Final[tuple[type[Any], ...]] = (Book, Clock, Effects, Passing, Pile, Veil)
HOUSE_NAMES: Final[dict[str, type[Any]]] = {
    "book": Book,
    "clock": Clock,
    "effects": Effects,
    "passing": Passing,
    "veil": Veil,
}


@final
@dataclass(frozen=True)
class Bands(Generic[T]):
    """How to tell the outcomes of an action apart: each has one band, and perhaps side effects."""

    of: Callable[[T], str]
    keys: tuple[str, ...]
    """Every band, best first."""
    good: tuple[str, ...] = ()
    """The bands the player hopes for; if none are named, the first."""
    extra: Mapping[str, Callable[[T], bool]] = field(default_factory=dict)
    """Good effects in addition to the band."""
    bad: Mapping[str, Callable[[T], bool]] = field(default_factory=dict)
    """Bad consequences in addition to the band."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "good", self.good or self.keys[:1])


DONE: Final[Bands[Any]] = Bands(of=lambda _: "done", keys=("done",))
"""For actions whose only outcome is that they are done."""


@final
@dataclass(frozen=True)
class Action(Generic[T]):
    """Something that can be done: *may I*, *what would it do*, *do it*.

    The first argument of a character's action is the character who acts. A game master's action has no such argument.
    """

    key: str
    rule: Rule[..., T]
    bands: Bands[T] = DONE
    check: Callable[..., None] = lambda *_, **__: None
    """Refuses, with the reason, what the rule would refuse. It gets the scene and any of the rule's arguments."""
    offers: Mapping[str, Callable[[Scene, Who[Any] | None], Sequence[Any]]] = field(default_factory=dict)
    """The possible values of an argument, if its type alone does not say."""
    master: bool = False
    """Whether it is an action of the game master."""
    may_be: Mapping[str, Callable[[Scene], Sequence[Any]]] = field(default_factory=dict)
    """The possible values of an argument the game master keeps secret: to others the odds are a curve over these."""

    def may(self, scene: Scene, who: Who[Any] | None = None, /, **arguments: Any) -> Refused | None:
        """None if it is legal, or the refusal that says why not."""
        try:
            self.check(scene, **self._all(who, arguments))
        except Refused as why:
            return why
        return None

    def do(self, who: Who[Any] | None = None, /, **arguments: Any) -> Call[T]:
        """The step itself, for any driver to run."""
        return self.rule(**self._all(who, arguments))

    def by(self, who: Who[Any] | None = None, /, **arguments: Any) -> Offer:
        """This action with its actor and arguments, to ask what it would do."""
        return Offer(" ".join((self.key, *map(key_of, arguments.values()))), self, who, arguments)

    def plain(self, who: Who[Any] | None = None, /, **arguments: Any) -> dict[str, Plain]:
        """The arguments of the step as plain data, as in a log or a form."""
        return {name: write(value) for name, value in self._all(who, arguments).items()}

    @property
    def parameters(self) -> dict[str, inspect.Parameter]:
        """What must be given besides the character who acts."""
        return dict(list(self.rule.parameters.items())[0 if self.master else 1 :])

    def choices(self, scene: Scene, who: Who[Any] | None = None) -> dict[str, tuple[Any, ...]]:
        """For each argument that must be chosen, the values to choose from."""
        return {
            name: tuple(self.offers[name](scene, who))
            if name in self.offers
            else options_of(field_type(p.annotation), scene, who)
            for name, p in self.parameters.items()
            if name in self.offers or p.default is inspect.Parameter.empty
        }

    def legal(self, scene: Scene, who: Who[Any] | None = None) -> Iterator[dict[str, Any]]:
        """Every legal way to take this action now."""
        if self.may(scene, who) is not None:
            return
        choices = self.choices(scene, who)
        for values in product(*choices.values()):
            arguments = dict(zip(choices, values, strict=True))
            if self.may(scene, who, **arguments) is None:
                yield arguments

    def description(self) -> Plain:
        """The data from which forms, commands and schemas are made."""
        return {
            "action": self.key,
            "rule": self.rule.id,
            "says": self.rule.says,
            "master": self.master,
            "parameters": describe_parameters(self.parameters),
            "bands": list(self.bands.keys),
            "good": list(self.bands.good),
            "extra": list(self.bands.extra),
            "bad": list(self.bands.bad),
        }

    def _all(self, who: Who[Any] | None, arguments: dict[str, Any]) -> dict[str, Any]:
        return arguments if self.master else {next(iter(self.rule.parameters)): who, **arguments}


@final
@dataclass(frozen=True)
class Offer:
    """An action with its arguments, as an option to choose: `attack bo pistol`. Its key contains all of it."""

    key: str
    action: Action[Any] = field(compare=False)
    who: Who[Any] | None = field(compare=False)
    arguments: Mapping[str, Any] = field(compare=False)

    @property
    def call(self) -> Call[Any]:
        return self.action.do(self.who, **self.arguments)


def offers(actions: Iterable[Action[Any]], scene: Scene, who: Who[Any]) -> tuple[Offer, ...]:
    """Every legal way to take any of these actions now."""
    return tuple(action.by(who, **arguments) for action in actions for arguments in action.legal(scene, who))


def options_of(found: FieldType, scene: Scene, who: Who[Any] | None) -> tuple[Any, ...]:
    """The values an argument's type offers: names of a catalogue, members of an enum, others in the scene."""
    if found.table is not None:
        return scene[found.table].names
    if found.kind == "person":
        return tuple(other for other in scene.all(get_args(found.type)[0]) if other != who)
    if found.kind == "check":
        return (True, False)
    if found.options:
        return found.options
    raise TypeError(f"{found.type!r} offers nothing to choose from: name it in the action's offers")


@final
@dataclass(frozen=True)
class Unit:
    """A unit of time, as a number of the system's smallest unit."""

    name: str
    size: int


@final
@dataclass(frozen=True)
class Shorthand:
    """The meaning of a short form: a character with only what the roll needs, and what they do."""

    sheet: Plain
    action: str
    arguments: Plain


@final
@dataclass(frozen=True)
class System:
    """One set of rules."""

    name: str
    title: str
    folder: Path
    """The package's own folder, with `rulebook/`, `samples/` and `words/` in it."""
    version: int
    """Raised whenever a stored step, run again, would ask or change something different."""
    sheet: type[Any]
    """The kind of sheet a character has, if the scene does not say."""
    kinds: tuple[type[Any], ...] = ()
    """Every other type of value a scene may hold: foes, items, encounters."""
    actions: tuple[Action[Any], ...] = ()
    policies: Mapping[str, Any] = field(default_factory=dict)
    check: Callable[[Scene, Who[Any]], None] = lambda scene, who: None
    """Refuses a sheet that the book does not allow."""
    units: Callable[[Scene], tuple[Unit, ...]] = lambda scene: ()
    shorthand: Callable[[str], Shorthand | None] = lambda text: None
    """A check in the system's own short form, such as `5b3s`; None if the text is not one."""
    creation: Creation | None = None
    """How a character is built."""
    advancement: Creation | None = None
    """How a character grows: the same form, upon the sheet as it is."""

    def __post_init__(self) -> None:
        for kind in (self.sheet, *self.kinds):
            audiences(kind)

    @cached_property
    def printed_book(self) -> PrintedBook:
        return printed_book(self.name, self.folder / "rulebook")

    @cached_property
    def words(self) -> Words:
        return Words(self.folder / "words")

    @cached_property
    def _kinds(self) -> dict[str, type[Any]]:
        return {kind.__name__: kind for kind in (self.sheet, *self.kinds, *HOUSE_KINDS)}

    def kind(self, name: str) -> type[Any]:
        """A type of value a scene may hold, by its name."""
        if name not in self._kinds:
            raise BadInput("kind", unknown(name, self._kinds))
        return self._kinds[name]

    def action(self, key: str) -> Action[Any]:
        for action in self.actions:
            if action.key == key:
                return action
        raise BadInput("action", unknown(key, tuple(action.key for action in self.actions)))

    def state(self, plain: Plain, where: str = "scene") -> State:
        """A scene from plain data: `{ana: {stress: 2}, deck: {kind: Pile, …}}`. Anything not named has its default."""
        if not isinstance(plain, Mapping):
            raise BadInput(where, f"must be names with their values, not {plain!r}")
        values: dict[str, Hashable] = {BOOK.name: Book(self.printed_book), "clock": Clock()}
        for name, value in plain.items():
            values[str(name)] = self.value(value, f"{where}.{name}")
            if not isinstance(values[str(name)], HOUSE_NAMES.get(str(name), object)):
                raise BadInput(f"{where}.{name}", f"this name is reserved for a {HOUSE_NAMES[str(name)].__name__}")
        state = State(values)
        check_each_card_once(state)
        for name in state:
            self.check_sheet(state, name, f"{where}.")
        return state

    def check_sheet(self, state: State, name: str, where: str = "") -> None:
        """Refuse a sheet the book does not allow, wherever it comes from."""
        if isinstance(state.get(name), self.sheet):
            try:
                self.check(Scene(state), Who(name, self.sheet))
            except Refused as why:
                raise BadInput(f"{where}{name}", str(why)) from None

    def value(self, plain: Plain, where: str = "") -> Hashable:
        """One value of a scene, of the kind it names."""
        if not isinstance(plain or {}, Mapping):
            raise BadInput(where, f"must be fields by name, not {plain!r}")
        fields = dict(plain or {})
        kind = str(fields.pop("kind", self.sheet.__name__))
        if kind not in self._kinds:
            raise BadInput(f"{where}.kind", unknown(kind, self._kinds))
        if self._kinds[kind] is Book:
            fields["system"] = self.name
        found: Hashable = read(self._kinds[kind], fields, where)
        return found

    def plain(self, state: State) -> Plain:
        """A scene as plain data; `state` reads it back."""
        return {name: self.plain_value(value) for name, value in state.items()}

    def plain_value(self, value: Hashable) -> Plain:
        return {"kind": type(value).__name__, **write(value)}

    def encounters(self, state: State) -> tuple[Who[Encounter], ...]:
        """The encounters in progress."""
        scene = Scene(state)
        # mypy does not accept an abstract class as a type; a scene may hold any kind of encounter
        kind: Any = Encounter
        return tuple(who for who in scene.all(kind) if scene[who].over(scene) is None)
