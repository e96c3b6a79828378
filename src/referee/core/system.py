"""The contract: what a system declares. Everything else (forms, commands, API, odds) is made from it.

A system is one `SYSTEM: Final = System(...)` in a package of its own. A new one needs no change anywhere else.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar, final

from referee.core.actions import Action
from referee.core.arrivals import PILES, piles_with
from referee.core.audience import audiences
from referee.core.cards import Card, Pile, check_each_card_once, without_dealt
from referee.core.catalogue import Catalogue, sample_things
from referee.core.clock import Clock, Passing
from referee.core.condition import Condition, by_look
from referee.core.drafts import Creation
from referee.core.effects import Effects
from referee.core.encounter import Encounter, Playing, Sides
from referee.core.errors import BadInput, IllegalAfterStep, RefereeError, Refused, refuse
from referee.core.options import check_absent, field_options
from referee.core.picks import parts_with_names, picked_names
from referee.core.plain import Plain, as_spelled, read, spoken, unknown, write
from referee.core.printed_book import PrintedBook, printed_book
from referee.core.rulebook import BOOK, Book
from referee.core.rules import FORMULAS
from referee.core.scene import Scene, State, Who
from referee.core.value_changes import unset_fields
from referee.core.visibility import Veil
from referee.core.wording import as_seen, capital, plural
from referee.core.words import HOUSE_WORDS, Words

if TYPE_CHECKING:
    from referee.core.look import Look

T = TypeVar("T")

HOUSE_KINDS: Final[tuple[type[Any], ...]] = (Book, Clock, Effects, Passing, Pile, Playing, Veil)
HOUSE_NAMES: Final[dict[str, type[Any]]] = {
    "book": Book,
    "clock": Clock,
    "effects": Effects,
    "passing": Passing,
    "playing": Playing,
    "veil": Veil,
}
MASTER_NAMES: Final = frozenset({"gm", "game master"})
"""How people address the game master: nobody in a scene has such a name."""


@final
@dataclass(frozen=True)
class Unit:
    """A unit of time, as a number of the system's smallest unit."""

    name: str
    size: int

    def count(self, number: int) -> str:
        return f"{number} {self.name if number == 1 else plural(self.name)}"


def find_unit(units: Iterable[Unit], name: str) -> Unit | None:
    """A unit of time, in the singular or the plural and however it is written."""
    known = {form: each for each in units for form in (spoken(each.name), spoken(plural(each.name)))}
    return known.get(spoken(name))


def unit_named(units: Sequence[Unit], name: str) -> Unit:
    """The same; a rule refuses a unit that there is not."""
    found = find_unit(units, name)
    if found is None:
        refuse("there is no such unit of time", what=name, legal=[each.name for each in units])
    return found


@final
@dataclass(frozen=True)
class Shorthand:
    """The meaning of a short form: a character with only what the roll needs, and what they do."""

    sheet: Plain
    action: str
    arguments: Plain


@final
@dataclass(frozen=True, eq=False)
class System:
    """One set of rules."""

    name: str
    title: str
    folder: Path
    """The package's own folder, with `rulebook/`, `samples/`, `words/` and perhaps `look.yaml` in it."""
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
    spelled: Callable[[Scene, dict[str, Plain]], dict[str, Plain]] = lambda scene, plain: plain
    """The fields of a sheet as people write them, with the names that the book prints."""
    units: Callable[[Scene], tuple[Unit, ...]] = lambda scene: ()
    shorthand: Callable[[str], Shorthand | None] = lambda text: None
    """A check in the system's own short form, such as `5b3s`; None if the text is not one."""
    creation: Creation | None = None
    """How a character is built."""
    advancement: Creation | None = None
    """How a character grows: the same form, upon the sheet as it is."""
    decks: Mapping[str, Callable[[Scene, str], Iterable[Card]]] = field(default_factory=dict)
    """The cards of each deck of the game, by its name and whose deck it is; files say `deck: poker`."""
    piles: Callable[[Scene, Who[Any] | None], Mapping[str, Pile]] = lambda scene, who: {}
    """The piles that a new character comes with, by the game's names for them; for None, those of every scene."""
    new_table: Mapping[str, Plain] = field(default_factory=dict)
    """The optional rules that a new table starts with, as far as it says nothing else: what the game is known for."""
    places: tuple[Who[Any], ...] = ()
    """What the rules look for under one name, whatever else is in the scene: the fight."""
    passing_names: Mapping[str, type[Any]] = field(default_factory=dict)
    """What the rules put into the scene for a while, by the form of its name: `*.ante`, in which * is anybody."""
    condition: Callable[[Scene, Who[Any]], Condition] | None = None
    """How well somebody still stands; without it the first vital sign of the look says so."""
    printed_people: Callable[[Scene], Iterable[tuple[str, Mapping[str, Plain], str]]] = lambda scene: ()
    """People and creatures that its book prints: the name, the sheet, the rule they are printed under."""
    catalogue: Catalogue = field(default_factory=Catalogue)
    """The things of its book, and what is said of things."""
    may_be: Mapping[type[Any], Mapping[str, Callable[[Scene, Who[Any]], Sequence[Any]]]] = field(default_factory=dict)
    """By kind and field: what a field that is kept secret may be; to others the odds are a curve over these."""
    written: Callable[[Scene], Mapping[str, Iterable[str]]] = lambda scene: {}
    """What forms offer for texts on a sheet, by field: names of the book for `merits.name`, the name in each merit."""
    in_words: Callable[[str], str] = str
    """How a name that rules read is written for people: `Firearms::pistols` is Firearms (pistols)."""
    fight: Callable[[Scene, Sides, str], Hashable] | None = None
    """A fight between sides: in its first round at somebody's turn, or about to begin where that is nobody's."""

    def __post_init__(self) -> None:
        for kind in (self.sheet, *self.kinds):
            audiences(kind)
            for name, formula in unset_fields(kind).items():
                if formula not in FORMULAS:
                    raise RefereeError(f"{kind}.{name} stands for {formula}, which is not a formula")
            field_options(kind)
        for kind, named in self.may_be.items():
            for name in named:
                if kind not in (self.sheet, *self.kinds) or name not in audiences(kind):
                    raise RefereeError(
                        f"{kind.__name__}.{name}, which may be secret, is no field of a kind of {self.name}"
                    )
        SYSTEMS[self.name] = self
        PILES[self.name] = self.sheet, self.piles

    @cached_property
    def printed_book(self) -> PrintedBook:
        return printed_book(self.name, self.folder / "rulebook")

    @cached_property
    def words(self) -> Words:
        return Words(self.folder / "words")

    def called(self, rule: str) -> str:
        """What people call a rule: an action by its name, any other as its book does."""
        action = next((each.key for each in self.actions if each.rule.id == rule), None)
        entry = rule.partition("/")[0].partition(".")[2]
        key = f"actions.{action}" if action else f"rules.{entry}"
        return self.words.say(key) if key in self.words else capital(entry.rpartition(".")[2].replace("-", " "))

    def action_words(self, part: str) -> str:
        """What an action is called; an option of a family by its own name, unless the words say otherwise."""
        key, _, option = part.partition("/")
        return self.words.say_or(f"actions.{part}", capital(option) or self.words.say(f"actions.{key}"))

    def possible(self, scene: Scene, what: str) -> Sequence[Any] | None:
        """What a field that somebody does not know, `trap.total`, may be; None if nothing says so."""
        name, _, path = what.rpartition(".")
        value = scene.state.get(name)
        named = self.may_be.get(type(value), {})
        return named[path](scene, Who(name, type(value))) if path in named else None

    @cached_property
    def look(self) -> Look:
        """How it wants to look in a browser, with everything any campaign may play."""
        from referee.core.look import read_look  # dozens of classes that rules and odds do not need

        return read_look(self.folder)

    @cached_property
    def sample_things(self) -> tuple[tuple[Any, str], ...]:
        """What the people of its samples have, each thing with the title of its sample."""
        return tuple(sample_things(self))

    def condition_of(self, scene: Scene, who: Who[Any]) -> Condition | None:
        """How well somebody still stands, and the word for it; None if nothing says so."""
        if self.condition is not None:
            return self.condition(scene, who)
        from referee.core.look import look_in

        return by_look(look_in(self.look, scene[BOOK]), scene, who)

    def condition_words(self, word: str) -> str:
        """What a condition is called, in the words of the system or else in general ones."""
        key = f"conditions.{word}"
        return self.words.say_or(key, HOUSE_WORDS.say(key))

    @cached_property
    def _kinds(self) -> dict[str, type[Any]]:
        return {kind.__name__: kind for kind in (self.sheet, *self.kinds, *HOUSE_KINDS)}

    @cached_property
    def person_kinds(self) -> frozenset[str]:
        """The names of the kinds that are somebody: people, and whatever has a sheet like theirs."""
        return frozenset(name for name, kind in self._kinds.items() if issubclass(kind, self.sheet))

    def kind(self, name: str) -> type[Any]:
        """A type of value a scene may hold, by its name."""
        if name not in self._kinds:
            raise BadInput("kind", unknown(name, self._kinds))
        return self._kinds[name]

    def place_of(self, kind: str, name: str) -> str:
        """The name under which the rules look for a value of a kind; its own, if they look for it anywhere."""
        return next((each.name for each in self.places if each.kind.__name__ == kind), name)

    def check_name(self, name: str, value: Hashable, book: Book) -> None:
        """Refuse a name that the rules or the table use for something else: `clock`, `gm`, `fight`, `ana.hand`.

        However it is spelled: whoever looks like them is taken for them. A name that nobody can see is none.
        """
        if not as_seen(name) or not name.isprintable() or name != name.strip():
            raise BadInput("name", "must be printable, with something to be seen and no blanks around it")
        if (place := self.place_of(type(value).__name__, name)) != name:
            raise BadInput("name", f"the rules look for it under the name {place}")
        kinds = {**HOUSE_NAMES, **{each.name: each.kind for each in self.places}}
        if name in kinds and isinstance(value, kinds[name]):
            return
        taken = any(as_seen(name) == as_seen(each) for each in (*kinds, *MASTER_NAMES))
        if taken or self._is_in_play(name, value, book):
            raise BadInput("name", f"{name} is a reserved name; use another")

    def _is_in_play(self, name: str, value: Hashable, book: Book) -> bool:
        """Whether the scene's own piles belong to this name, or rules would call a pile or something else so."""
        scene = Scene(State({BOOK.name: book, name: value}))
        of_scene = self.piles(scene, None)
        own = self.piles(scene, Who(name, self.sheet)) if isinstance(value, self.sheet) else {}
        ends = (*own, *(each.rpartition(".")[2] for each in of_scene))
        forms: dict[str, type[Any]] = {**{f"*.{each}": Pile for each in ends}, **self.passing_names}
        seen = as_seen(name)
        return any(seen == as_seen(each.owner) for each in of_scene.values()) or any(
            fnmatchcase(seen, as_seen(form)) and not isinstance(value, kind) for form, kind in forms.items()
        )

    def action(self, key: str) -> Action[Any]:
        for action in self.actions:
            if action.key == key:
                return action
        raise BadInput("action", unknown(key, tuple(action.key for action in self.actions)))

    def actions_in(self, scene: Scene, *, master: bool) -> tuple[Action[Any], ...]:
        """The actions of characters, or of the game master, without those of rules that this campaign does not use."""
        return tuple(each for each in self.actions if each.master is master and each.absence(scene) is None)

    def state(self, plain: Plain, where: str = "scene") -> State:
        """A scene from plain data: `{ana: {stress: 2}, deck: {kind: Pile, …}}`. Anything not named has its default."""
        if not isinstance(plain, Mapping):
            raise BadInput(where, f"must be names with their values, not {plain!r}")
        values: dict[str, Hashable] = {BOOK.name: Book(self.printed_book), "clock": Clock()}
        for name, value in sorted(plain.items(), key=lambda each: _is_whole_deck(each[1])):
            try:
                values[str(name)] = self.value(value, f"{where}.{name}", State(values))
            except Refused as why:
                raise BadInput(f"{where}.{name}", str(why)) from None
            if (place := self.place_of(type(values[str(name)]).__name__, str(name))) != name:
                raise BadInput(f"{where}.{name}", f"the rules look for it under the name {place}")
            if not isinstance(values[str(name)], HOUSE_NAMES.get(str(name), object)):
                raise BadInput(f"{where}.{name}", f"this name is reserved for a {HOUSE_NAMES[str(name)].__name__}")
        state = State(values)
        check_each_card_once(state)
        for name in state:
            self.check_sheet(state, name, f"{where}.")
        return state

    def new_state(self, plain: Plain, where: str = "scene") -> State:
        """A new scene from plain data, with the piles that everyone in it comes with, unless it names them itself."""
        state = self.state(plain, where)
        for name, value in state.items():
            try:
                self.check_name(name, value, Scene(state)[BOOK])
            except BadInput as problem:
                raise BadInput(f"{where}.{name}", problem.problem) from None
        for who in (None, *Scene(state).all(self.sheet)):
            state = state.after(piles_with(state, who).items())
        return state

    def check_sheet(self, state: State, name: str, where: str = "") -> None:
        """Refuse a value that the book does not allow, wherever it comes from."""
        value = state.get(name)
        if isinstance(value, Book):
            try:
                value.check()
            except BadInput as problem:
                raise problem.within(f"{where}{name}") from None
        if isinstance(book := state.get(BOOK.name), Book):
            check_absent(value, book, f"{where}{name}")
        if isinstance(value, Encounter):
            value.check(Scene(state))
        if isinstance(value, self.sheet):
            try:
                self.check(Scene(state), Who(name, self.sheet))
            except Refused as why:
                raise BadInput(f"{where}{name}", str(why)) from None

    def faults(self, state: State, names: Iterable[str]) -> Iterator[tuple[str, RefereeError]]:
        """Which of these values, left by a step, the book does not allow, and why."""
        for name in dict.fromkeys(names):
            try:
                self.check_sheet(state, name)
            except RefereeError as why:
                yield name, why

    def value(self, plain: Plain, where: str = "", state: State | None = None) -> Hashable:
        """One value of a scene, of the kind it names; a pile may be a whole deck, without what lies in the scene."""
        if not isinstance(plain or {}, Mapping):
            raise BadInput(where, f"must be fields by name, not {plain!r}")
        fields = dict(plain or {})
        kind = str(fields.pop("kind", self.sheet.__name__))
        if kind not in self._kinds:
            raise BadInput(f"{where}.kind", unknown(kind, self._kinds))
        if self._kinds[kind] is Book:
            fields["system"] = self.name
        if self._kinds[kind] is Pile and _is_whole_deck(plain):
            fields["cards"] = self._deck(fields, where, state or State({BOOK.name: Book(self.printed_book)}))
        if self._kinds[kind] is self.sheet and state is not None:  # what a log has stored is spelled already
            fields = self.spelled(Scene(state), fields)
        found: Hashable = read(self._kinds[kind], self._spelled(self._kinds[kind], fields, state, where), where)
        return found

    def _spelled(
        self, kind: type[Any], plain: Mapping[str, Plain], state: State | None, where: str
    ) -> dict[str, Plain]:
        """Fields in which names are spelled as the book does, however they are written; a log has them so already."""
        fields = dict(plain)
        scene = Scene(state or State({BOOK.name: Book(self.printed_book)}))
        for name, pick in picked_names(kind).items():
            given = fields.get(name)
            known = tuple(map(str, pick.found(scene, None))) if given else ()
            if isinstance(given, Mapping) and given:
                spelled = {as_spelled(str(each), known, pick.also(scene)): level for each, level in given.items()}
                fields[name] = spelled if len(spelled) == len(given) else given
            elif isinstance(given, str) and given:
                fields[name] = found = as_spelled(given, known, pick.also(scene))
                if state is not None and found not in known:
                    raise BadInput(f"{where}.{name}", unknown(given, known))
        for name, part in parts_with_names(kind).items():
            if isinstance(given := fields.get(name), (list, tuple)):
                fields[name] = [
                    self._spelled(part, each, state, f"{where}.{name}[{at}]") if isinstance(each, Mapping) else each
                    for at, each in enumerate(given)
                ]
        return fields

    def _deck(self, fields: dict[str, Plain], where: str, state: State) -> Plain:
        """The cards of the deck that a pile is: `poker` is its owner's, `poker@gm` that of the game master."""
        deck, _, whose = str(fields.pop("deck")).partition("@")
        if "cards" in fields:
            raise BadInput(f"{where}.cards", "a pile is either a deck or some cards")
        if deck not in self.decks:
            raise BadInput(f"{where}.deck", unknown(deck, tuple(self.decks)))
        cards = tuple(self.decks[deck](Scene(state), whose or str(fields.get("owner") or "")))
        left = without_dealt(Pile(cards), state)
        if not left:
            raise BadInput(f"{where}.deck", "all of its cards lie elsewhere")
        return write(left.cards)

    def in_units(self, scene: Scene, amount: int, most: int | None = None) -> str:
        """A stretch of time in the units of the game, the largest first: `2 Turns 3 Rounds`; so many at most."""
        units = sorted(self.units(scene), key=lambda unit: -unit.size)
        if not units:
            return str(amount)
        parts, rest = [], amount
        for unit in units:
            count, rest = divmod(rest, unit.size)
            parts += [unit.count(count)] if count else []
        parts += [str(rest)] if rest else []
        return " ".join(parts[:most]) or units[-1].count(0)

    def plain(self, state: State) -> Plain:
        """A scene as plain data; `state` reads it back."""
        return {name: self.plain_value(value) for name, value in state.items()}

    def plain_value(self, value: Hashable) -> Plain:
        return {"kind": type(value).__name__, **write(value)}


SYSTEMS: Final[dict[str, System]] = {}
"""The systems that are loaded, by name."""


def system_of(state: State) -> System | None:
    """The system whose rulebook is in a scene, if it is loaded."""
    book = state.get(BOOK.name)
    return SYSTEMS.get(book.printed_book.system) if isinstance(book, Book) else None


def _is_whole_deck(plain: Plain) -> bool:
    return isinstance(plain, Mapping) and plain.get("kind") == Pile.__name__ and "deck" in plain


def check_step(step: object, before: State, after: State) -> None:
    """For tests: an error that names the step, if the book does not allow a value that the step has changed."""
    system = system_of(after)
    changed = (name for name, value in after.items() if value is not before.get(name))
    for _, why in system.faults(after, changed) if system else ():
        raise IllegalAfterStep(step, why) from why
