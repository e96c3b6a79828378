"""Actions: what can be done, each declared once, where its rule is.

The declaration says who may act (the turn), what it costs (the price), what may be picked for each argument (on the
argument's own type) and what is asked of all of it. Buttons, commands, policies and refusals come from there.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property, lru_cache, wraps
from itertools import chain
from random import Random
from types import ModuleType
from typing import (
    Annotated,
    Any,
    Final,
    Generic,
    ParamSpec,
    Protocol,
    TypeAlias,
    TypeVar,
    cast,
    final,
    get_args,
    get_origin,
    overload,
)

from referee.core.describe import FieldType, describe_parameters, field_type
from referee.core.errors import RefereeError, Refused, refuse
from referee.core.plain import Plain, hints, spoken, write
from referee.core.questions import Options, key_of
from referee.core.rules import Body, Call, Cited, Rule, afterwards, rule
from referee.core.scene import Lookup, Read, Scene, State, Who
from referee.core.trace import running
from referee.core.wording import plural

P = ParamSpec("P")
T = TypeVar("T")

Wanted: TypeAlias = Callable[[Any], bool]
"""Whether a policy wants a value for an argument."""
CheckFunction: TypeAlias = Callable[..., None]
"""A function that refuses. It takes the scene, who acts and, by name, any of the arguments; one with a default is
left out as long as it is not known."""


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


class Price(Protocol):
    """What an action costs. It is paid before the action itself, and sees to what ends once its result stands."""

    def check(self, scene: Scene, who: Who[Any], /) -> None:
        """Refuse if it cannot be paid."""

    def pay(self, who: Who[Any], /) -> Call[Any]: ...

    def end(self, who: Who[Any], /) -> Call[Any]: ...


@final
@dataclass(frozen=True)
class Pick:
    """An argument that is picked: `Target = Annotated[Person, Pick(others, check_in_reach)]`.

    `options` takes the scene and who acts, `check` also the picked value; then both take, by name, any earlier argument
    of the action. Without a check, the options are all there is. On levels of a sheet it says which names they have.
    """

    options: Callable[..., Iterable[Any]] | Lookup[Iterable[Any]]
    """A function, or a figure of the rulebook that lists them."""
    check: CheckFunction | None = None
    rule: str = ""
    """The rule behind it, if it is not the action's own."""
    named: Callable[[Scene, str], Any] | None = None
    """What a name stands for, where the book has names for values: Moderate for 15."""
    also: Callable[[Scene], Mapping[str, str]] = lambda scene: {}
    """Other names for some of them, such as the book's abbreviations."""

    @property
    def found(self) -> Callable[..., Iterable[Any]]:
        """The options as a function of the scene."""
        options = self.options
        return options if callable(options) else lambda scene, who: scene[options]


def suggest(*values: Any) -> Pick:
    """Values to pick from where others are legal too: an amount of damage."""
    return Pick(lambda scene, who: values, lambda scene, who, value: None)


@final
@dataclass(frozen=True)
class _Function:
    """A function of a declaration, and which arguments of the action it takes by name."""

    run: Callable[..., Any]
    needs: tuple[str, ...]
    takes: tuple[str, ...]

    @classmethod
    def reading(cls, run: Callable[..., Any], after: int, known: Sequence[str], where: str) -> _Function:
        """Check that a function takes nothing but known arguments after its first ones."""
        plain: Any = run  # a formula is a function too, whose own parameters count
        signature = plain.signature if isinstance(plain, Cited) else inspect.signature(run)
        given = list(signature.parameters.values())[after:]
        named = [each for each in given if each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD)]
        for each in named:
            if each.name not in known:
                legal = f"; it may take {', '.join(known)}" if known else ""
                raise TypeError(f"{where} takes {each.name!r}, which is no earlier argument{legal}")
        needs = tuple(each.name for each in named if each.default is each.empty)
        return cls(run, needs, tuple(each.name for each in named))

    def is_ready(self, given: Mapping[str, Any]) -> bool:
        return all(name in given for name in self.needs)

    def key(self, given: Mapping[str, Any]) -> Hashable:
        """What its result depends on in one scene."""
        return (self.run, *((name, given[name]) for name in self.takes if name in given))

    def __call__(self, *first: Any, given: Mapping[str, Any]) -> Any:
        return self.run(*first, **{name: given[name] for name in self.takes if name in given})


_Known: TypeAlias = dict[Hashable, Any]
"""What was worked out in one scene for one person, so that actions that share a pick work it out once."""


@final
@dataclass(frozen=True)
class Argument:
    """An argument of an action that is picked from options."""

    name: str
    options: _Function
    check: _Function | None
    many: bool
    """Whether several are picked, one by one and each once."""
    default: Any = inspect.Parameter.empty
    rule: str = ""
    also: Callable[[Scene], Mapping[str, str]] = lambda scene: {}

    @property
    def depends_on(self) -> tuple[str, ...]:
        """The earlier arguments that decide what may be picked."""
        return tuple(dict.fromkeys((*self.options.takes, *(self.check.takes if self.check else ()))))

    def values(self, scene: Scene, who: Who[Any] | None, given: Mapping[str, Any]) -> tuple[Any, ...]:
        """What there is to pick from, legal or not."""
        return tuple(self.options(scene, who, given=given)) if self.options.is_ready(given) else ()

    def spelled(self, scene: Scene, who: Who[Any] | None, value: Any, given: Mapping[str, Any]) -> Any:
        """A name, or several, as the options write it; what none of them is called stays as it is."""
        names = value if self.many else (value,)
        if not any(isinstance(each, str) for each in names):
            return value
        options = [each for each in self.values(scene, who, given) if isinstance(each, str)]
        said = {spoken(short): each for short, each in self.also(scene).items()}
        said |= {spoken(named): each for each in options for named in (plural(each), each)}
        found = tuple(
            said.get(spoken(each), each) if isinstance(each, str) and each not in options else each for each in names
        )
        return found if self.many else found[0]

    def refuse(self, scene: Scene, who: Who[Any] | None, value: Any, given: Mapping[str, Any]) -> None:
        """Refuse a value that may not be picked; of several, one that is picked twice."""
        for at, each in enumerate(value if self.many else (value,)):
            if self.many and each in value[:at]:
                refuse(f"{key_of(each)} is picked twice", rule=self.rule)
            self._refuse_one(scene, who, each, given)

    def _refuse_one(self, scene: Scene, who: Who[Any] | None, value: Any, given: Mapping[str, Any]) -> None:
        if self.check is not None:
            if self.check.is_ready(given):
                self.check(scene, who, value, given=given)
        elif self.options.is_ready(given) and value not in (found := self.values(scene, who, given)):
            refuse("it is not one of the options", what=key_of(value), legal=map(key_of, found), rule=self.rule)

    def legal(self, scene: Scene, who: Who[Any] | None, given: Mapping[str, Any], known: _Known) -> tuple[Any, ...]:
        """The values that may be picked now."""
        if self.check is None:
            return self.values(scene, who, given)
        key = (*cast("tuple[Any, ...]", self.options.key(given)), *cast("tuple[Any, ...]", self.check.key(given)))
        if key not in known:
            known[key] = tuple(
                each
                for each in self.values(scene, who, given)
                if not _refused(self._refuse_one, scene, who, each, given)
            )
        return cast("tuple[Any, ...]", known[key])


def _refused(check: Callable[..., None], *arguments: Any) -> Refused | None:
    try:
        check(*arguments)
    except Refused as why:
        return why
    return None


@final
@dataclass(frozen=True)
class Action(Generic[T]):
    """Something that can be done: *may I*, *what would it do*, *do it*.

    The first argument of a character's action is the character who acts. A game master's action has no such argument.
    Refusals come in this order: the turn, the price, the picks from left to right, the checks.
    """

    key: str
    rule: Rule[..., T]
    bands: Bands[T] = DONE
    check: CheckFunction | tuple[CheckFunction, ...] = ()
    """What is asked of it apart from each single pick; a check that takes no argument is asked before any is picked."""
    master: bool = False
    """Whether it is an action of the game master."""
    may_be: Mapping[str, Callable[[Scene], Sequence[Any]]] = field(default_factory=dict)
    """The possible values of an argument the game master keeps secret: to others the odds are a curve over these."""
    turn: CheckFunction | None = None
    """Refuses whoever may not act now."""
    price: Price | None = None
    _passed: list[tuple[State, tuple[Any, ...], set[Read]]] = field(
        default_factory=list, init=False, repr=False, compare=False
    )
    """The last scene in which odds found it legal, for whom and with which arguments, and what that depends on."""

    def __post_init__(self) -> None:
        _ = self.picks, self.checks

    @property
    def name(self) -> str:
        """What refusals call it."""
        return self.rule.title

    @cached_property
    def parameters(self) -> dict[str, inspect.Parameter]:
        """What must be given besides the character who acts."""
        return dict(list(self.rule.parameters.items())[0 if self.master else 1 :])

    @cached_property
    def picks(self) -> dict[str, Argument]:
        """The arguments that are picked: those whose type says from what, and those that must be given."""
        found: dict[str, Argument] = {}
        names = tuple(self.parameters)
        for at, (name, parameter) in enumerate(self.parameters.items()):
            pick, many = _pick_of(parameter.annotation)
            if pick is None and parameter.default is not parameter.empty:
                continue
            where, earlier = f"{self.rule.body.__qualname__}: the pick of {name!r}", names[:at]
            of_type = pick or _pick_by_type(field_type(parameter.annotation))
            options = _Function.reading(of_type.found, 2, earlier, where)
            check = None if of_type.check is None else _Function.reading(of_type.check, 3, earlier, where)
            found[name] = Argument(name, options, check, many, parameter.default, of_type.rule, of_type.also)
        return found

    @cached_property
    def not_picked(self) -> dict[str, Any]:
        """The arguments that nobody picks, as they are by default: whoever picks the others leaves them so."""
        named = self.parameters.items()
        return {name: each.default for name, each in named if name not in self.picks and each.default is not each.empty}

    @cached_property
    def checks(self) -> tuple[_Function, ...]:
        given = self.check if isinstance(self.check, tuple) else (self.check,)
        where = f"{self.rule.body.__qualname__}: its check"
        return tuple(_Function.reading(each, 2, tuple(self.parameters), where) for each in given)

    def may(self, scene: Scene, who: Who[Any] | None = None, /, **arguments: Any) -> Refused | None:
        """None if it is legal, or the refusal that says why not. Without arguments: whether it may be tried at all."""
        if (absent := self.absence(scene)) is not None:
            return absent
        with running(self.rule):
            return _refused(self.refuse, scene, who, self._completed(arguments))

    def absence(self, scene: Scene) -> Refused | None:
        """The refusal if this campaign does not use its rule; it is then not offered at all."""
        return self.rule.absence(scene)

    def arguments(self, scene: Scene, plain: Plain) -> tuple[Any, ...]:
        """Arguments from plain data by name, with the names of options as these are written."""
        given = dict(zip(self.rule.parameters, self.rule.arguments(plain, scene), strict=True))
        who = None if self.master else next(iter(given.values()))
        for name, argument in self.picks.items():
            with suppress(RefereeError):  # said when it is begun
                given[name] = argument.spelled(scene, who, given[name], given)
        return tuple(given.values())

    def refuse(self, scene: Scene, who: Who[Any] | None, given: Mapping[str, Any]) -> None:
        """Refuse, with the reason, what is not legal as far as its arguments are known."""
        self._refuse_turn(scene, who)
        for name, argument in self.picks.items():
            if given.get(name) is not None:
                argument.refuse(scene, who, given[name], given)
        for check in self.checks:
            if check.is_ready(given):
                check(scene, who, given=given)

    def refuse_once(self, scene: Scene, who: Who[Any] | None, given: Mapping[str, Any]) -> None:
        """The same; what has just passed in the very same scene is not checked again, as odds run a step many times."""
        if scene.reads is None:
            self.refuse(scene, who, given)
            return
        for state, passed, reads in self._passed:
            if state is scene.state and passed == (who, given):
                scene.note_reads(reads)
                return
        read: set[Read] = set()
        try:
            self.refuse(Scene(scene.state, read), who, given)
        finally:
            scene.note_reads(read)
        self._passed[:] = [(scene.state, (who, given), read)]

    def _refuse_turn(self, scene: Scene, who: Who[Any] | None) -> None:
        if self.turn is not None:
            self.turn(scene, who)
        if self.price is not None and who is not None:
            self.price.check(scene, who)

    def _completed(self, given: dict[str, Any]) -> dict[str, Any]:
        """Once all that must be given is given, the rest is what it is by default: an option like any other."""
        defaults = {name: each.default for name, each in self.parameters.items() if each.default is not each.empty}
        must = (name for name in self.parameters if name not in defaults)
        return {**defaults, **given} if given and all(name in given for name in must) else given

    def do(self, who: Who[Any] | None = None, /, **arguments: Any) -> Call[T]:
        """The step itself, for any driver to run."""
        return self.rule(**self._all(who, arguments))

    def by(self, who: Who[Any] | None = None, /, **arguments: Any) -> ActionChoice:
        """This action with its actor and arguments, to ask what it would do."""
        return ActionChoice(" ".join((self.key, *map(key_of, arguments.values()))), self, who, arguments)

    def plain(self, who: Who[Any] | None = None, /, **arguments: Any) -> dict[str, Plain]:
        """The arguments of the step as plain data, as in a log or a form."""
        return {name: write(value) for name, value in self._all(who, arguments).items()}

    def choices(
        self, scene: Scene, who: Who[Any] | None = None, given: Mapping[str, Any] | None = None
    ) -> dict[str, tuple[Any, ...]]:
        """For each argument that is picked, the values that may be picked.

        A pick that depends on an earlier one takes what is given there, or else the first that may be picked.
        """
        found: dict[str, tuple[Any, ...]] = {}
        earlier: dict[str, Any] = {}
        with running(self.rule):
            for name, argument in self.picks.items():
                found[name] = argument.legal(scene, who, earlier, {})
                if name in (given or {}):
                    earlier[name] = (given or {})[name]
                elif argument.default in found[name]:
                    earlier[name] = argument.default
                elif found[name]:
                    earlier[name] = found[name] if argument.many else found[name][0]
        return found

    def barred(
        self, scene: Scene, who: Who[Any] | None, name: str, given: Mapping[str, Any] | None = None
    ) -> dict[Any, Refused]:
        """Of the values of an argument those that may not be picked, and why not."""
        argument, known = self.picks[name], given or {}
        with running(self.rule):
            refusals = (
                (each, _refused(argument.refuse, scene, who, (each,) if argument.many else each, known))
                for each in argument.values(scene, who, known)
            )
            return {each: why for each, why in refusals if why is not None}

    def legal(self, scene: Scene, who: Who[Any] | None = None) -> list[dict[str, Any]]:
        """Every legal way to take this action now."""
        return self._ways(scene, who, {})

    def legal_at_random(
        self, scene: Scene, who: Who[Any] | None, random: Random, known: _Known | None = None
    ) -> dict[str, Any] | None:
        """One of the legal ways, picked argument by argument; None if there is none. No list of all is made."""
        with running(self.rule):
            return next(self._each_way(scene, who, {} if known is None else known, {}, random), None)

    def _ways(
        self, scene: Scene, who: Who[Any] | None, known: _Known, wanted: Mapping[str, Wanted] | None = None
    ) -> list[dict[str, Any]]:
        with running(self.rule):
            return list(self._each_way(scene, who, known, wanted or {}))

    def _has_way(self, scene: Scene, who: Who[Any] | None, known: _Known) -> bool:
        """Whether there is any; no more than one is looked for."""
        with running(self.rule):
            return any(True for _ in self._each_way(scene, who, known, {}))

    def _each_way(
        self,
        scene: Scene,
        who: Who[Any] | None,
        known: _Known,
        wanted: Mapping[str, Wanted],
        mixed: Random | None = None,
    ) -> Iterator[dict[str, Any]]:
        """Every legal way, in the order of the picks, or mixed at random."""
        if self.absence(scene) is not None:
            return
        if self.turn is not None and self.turn not in known:
            known[self.turn] = _refused(self.turn, scene, who) is None
        if not known.get(self.turn, True) or (self.price and _refused(self.price.check, scene, who)):
            return
        if not all(_passes(check, scene, who, {}, known) for check in self.checks if not check.needs):
            return
        picks = tuple(self.picks.items())

        def picked(way: dict[str, Any], at: int) -> Iterator[dict[str, Any]]:
            """Every way that begins so."""
            if at == len(picks):
                if all(_passes(check, scene, who, {**self.not_picked, **way}, known) for check in self.checks):
                    yield way
                return
            name, argument = picks[at]
            is_wanted = wanted.get(name)
            values: Iterable[Any] = _values(argument, scene, who, {**self.not_picked, **way}, known)
            if mixed is not None:
                every = tuple(values)
                values = mixed.sample(every, len(every))
            for value in values:
                if is_wanted is None or is_wanted(value):
                    yield from picked({**way, name: value}, at + 1)

        yield from picked({}, 0)

    def description(self) -> Plain:
        """The data from which forms, commands and schemas are made."""
        return {
            "action": self.key,
            "rule": self.rule.id,
            "says": self.rule.says,
            "master": self.master,
            "parameters": describe_parameters(self.parameters),
            "depends_on": {name: list(each.depends_on) for name, each in self.picks.items() if each.depends_on},
            "bands": list(self.bands.keys),
            "good": list(self.bands.good),
            "extra": list(self.bands.extra),
            "bad": list(self.bands.bad),
        }

    def _all(self, who: Who[Any] | None, arguments: dict[str, Any]) -> dict[str, Any]:
        return arguments if self.master else {next(iter(self.rule.parameters)): who, **arguments}


def _passes(check: _Function, scene: Scene, who: Who[Any] | None, way: Mapping[str, Any], known: _Known) -> bool:
    if not check.is_ready(way):
        return True
    key = check.key(way)
    if key not in known:
        known[key] = _refused(lambda: check(scene, who, given=way)) is None
    return bool(known[key])


def _values(
    argument: Argument, scene: Scene, who: Who[Any] | None, way: Mapping[str, Any], known: _Known
) -> Iterator[Any]:
    """What may stand for an argument; of those that take several, each alone and all together."""
    legal = argument.legal(scene, who, way, known)
    if not argument.many:
        yield from legal
    else:
        yield from dict.fromkeys((*((each,) for each in legal), legal))


def _pick_by_type(found: FieldType) -> Pick:
    """The pick of an argument whose type alone says what there is; only a table says what there is not."""

    def options(scene: Scene, who: Who[Any] | None) -> tuple[Any, ...]:
        return options_of(found, scene, who)

    def check(scene: Scene, who: Who[Any] | None, value: Any) -> None:
        if found.table is not None:
            scene[found.table].look(value)

    return Pick(options, check)


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
    raise TypeError(f"{found.type!r} offers nothing to pick from: give it a Pick")


def _pick_of(annotation: Any) -> tuple[Pick | None, bool]:
    """What an annotation says about picking, and whether several are picked."""
    arguments = get_args(annotation)
    if get_origin(annotation) is Annotated:
        return next((mark for mark in arguments[1:] if isinstance(mark, Pick)), None), False
    if get_origin(annotation) is tuple and arguments[1:] == (...,):
        return _pick_of(arguments[0])[0], True
    found = (_pick_of(each) for each in arguments if get_origin(annotation) is not Who)
    return next((each for each in found if each[0] is not None), (None, False))


def picked_names(kind: object) -> Mapping[str, Pick]:
    """The fields of a sheet whose levels have names to pick from."""
    return _picked_names(kind)


@lru_cache(maxsize=1024)
def _picked_names(kind: Any) -> Mapping[str, Pick]:
    marked = ((name, mark) for name, hint in hints(kind).items() for mark in get_args(hint)[1:])
    return {name: mark for name, mark in marked if isinstance(mark, Pick)}


@final
@dataclass(frozen=True)
class ActionChoice:
    """An action with its arguments, as an option to choose: `attack bo pistol`. Its key contains all of it."""

    key: str
    action: Action[Any] = field(compare=False)
    who: Who[Any] | None = field(compare=False)
    arguments: Mapping[str, Any] = field(compare=False)

    def __str__(self) -> str:
        """The same in short, which answers take as well: without arguments that are as they are by default."""
        usual = self.action.parameters
        said = (value for name, value in self.arguments.items() if value != usual[name].default)
        return " ".join((self.action.key, *map(key_of, said)))

    @property
    def call(self) -> Call[Any]:
        return self.action.do(self.who, **self.arguments)


@final
class LegalChoices(Options[ActionChoice]):
    """Every legal way to take some actions in a scene, worked out action by action when someone looks.

    A policy that wants to attack asks for `of("attack")` alone. What actions share is worked out once.
    """

    __slots__ = ("_actions", "_given", "_known", "_of", "_scene", "_who")

    def __init__(self, actions: Iterable[Action[Any]], scene: Scene, who: Who[Any]) -> None:
        self._actions = tuple(actions)
        self._scene = scene.as_it_is()
        self._who = who
        self._known: _Known = {}
        self._of: dict[str, tuple[ActionChoice, ...]] = {}
        self._given: set[str] = set()
        """The keys of those that were worked out so far: they are legal."""

    def of(self, key: str, /, **wanted: Wanted) -> tuple[ActionChoice, ...]:
        """Every legal way to take one action; of its arguments only values that are wanted are looked at."""
        if wanted:
            return self._worked_out(key, wanted)
        if key not in self._of:
            self._of[key] = self._worked_out(key, {})
        return self._of[key]

    def _worked_out(self, key: str, wanted: Mapping[str, Wanted]) -> tuple[ActionChoice, ...]:
        mine = [each for each in self._actions if each.key == key]
        ways = ((each, way) for each in mine for way in each._ways(self._scene, self._who, self._known, wanted))
        found = tuple(each.by(self._who, **way) for each, way in ways)
        self._given.update(each.key for each in found)
        return found

    def at_random(self, key: str, random: Random) -> ActionChoice | None:
        """One legal way to take an action, picked argument by argument; None if there is none."""
        if key in self._of:
            return random.choice(self._of[key]) if self._of[key] else None
        for each in (action for action in self._actions if action.key == key):
            if (way := each.legal_at_random(self._scene, self._who, random, self._known)) is not None:
                found = each.by(self._who, **way)
                self._given.add(found.key)
                return found
        return None

    def barred(self) -> tuple[Refused, ...]:
        """Why some of the actions may not be tried at all."""
        found = (each.may(self._scene, self._who) for each in self._actions if each.absence(self._scene) is None)
        return tuple(why for why in found if why is not None)

    @property
    def keys(self) -> tuple[str, ...]:
        """The actions, legal now or not."""
        return tuple(dict.fromkeys(each.key for each in self._actions))

    def __eq__(self, other: object) -> bool:
        """The same actions of the same person in the same scene are equal without being worked out."""
        if isinstance(other, LegalChoices) and self._scene.state == other._scene.state:
            return (self._who, self._actions) == (other._who, other._actions) or Options.__eq__(self, other)
        return Options.__eq__(self, other)

    def __hash__(self) -> int:
        return Options.__hash__(self)

    def __iter__(self) -> Iterator[ActionChoice]:
        return chain.from_iterable(self.of(key) for key in self.keys)

    def __reversed__(self) -> Iterator[ActionChoice]:
        return chain.from_iterable(reversed(self.of(key)) for key in reversed(self.keys))

    def __len__(self) -> int:
        return sum(len(self.of(key)) for key in self.keys)

    def __bool__(self) -> bool:
        return bool(self._given) or any(each._has_way(self._scene, self._who, self._known) for each in self._actions)

    def __contains__(self, choice: object) -> bool:
        if not isinstance(choice, ActionChoice):
            return False
        return choice.key in self._given or choice in self.of(choice.action.key)

    @overload
    def __getitem__(self, at: int) -> ActionChoice: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[ActionChoice, ...]: ...
    def __getitem__(self, at: int | slice) -> ActionChoice | tuple[ActionChoice, ...]:
        if at == -1:  # what is assumed for someone who says nothing
            return next(reversed(self))
        return tuple(self)[at]


def legal_choices(actions: Iterable[Action[Any]], scene: Scene, who: Who[Any]) -> LegalChoices:
    """Every legal way to take any of these actions now."""
    return LegalChoices(actions, scene, who)


def ways_of(options: Iterable[Any], key: str, /, **wanted: Wanted) -> tuple[ActionChoice, ...]:
    """For policies: of the options of a turn, the ways to take one action with arguments that are wanted."""
    if isinstance(options, LegalChoices):
        return options.of(key, **wanted)
    mine = (each for each in options if isinstance(each, ActionChoice) and each.action.key == key)
    return tuple(
        each
        for each in mine
        if all(name not in each.arguments or is_wanted(each.arguments[name]) for name, is_wanted in wanted.items())
    )


ACTIONS: Final[dict[str, Action[Any]]] = {}
"""Every declared action, by the id of its rule, in the order of declaration."""


def action_of(rule: Rule[..., Any]) -> Action[Any]:
    """The action that a rule was declared as."""
    return ACTIONS[rule.id]


def actions_of(*modules: ModuleType | str) -> tuple[Action[Any], ...]:
    """The actions that these modules declare, in the order of their text."""
    names = [module if isinstance(module, str) else module.__name__ for module in modules]
    mine = [each for each in ACTIONS.values() if each.rule.body.__module__ in names]
    return tuple(sorted(mine, key=lambda each: names.index(each.rule.body.__module__)))


def action(
    key: str,
    *ids: str,
    name: str = "",
    bands: Bands[Any] = DONE,
    check: CheckFunction | tuple[CheckFunction, ...] = (),
    turn: CheckFunction | None = None,
    price: Price | None = None,
    master: bool = False,
    may_be: Mapping[str, Callable[[Scene], Sequence[Any]]] | None = None,
    option: str = "",
) -> Callable[[Body[P, T]], Rule[P, T]]:
    """Write a rule that is an action. Turn, price, picks and checks are seen to before its body runs.

    The price is paid before the body, so a body may end with the rule that settles what it did. It is not offered where
    a campaign does not use its `option`.
    """

    def decorate(body: Body[P, T]) -> Rule[P, T]:
        @wraps(body)
        async def whole(scene: Scene, *args: P.args, **kwargs: P.kwargs) -> T:
            given: dict[str, Any] = dict(zip(names, args, strict=True))
            who: Who[Any] | None = None if master else given.pop(names[0])
            made.refuse_once(scene, who, given)
            if price is None or who is None:
                return await body(scene, *args, **kwargs)
            await price.pay(who)
            await afterwards(price.end(who))
            return await body(scene, *args, **kwargs)

        written = rule(*ids, option=option)(cast("Body[P, T]", whole))
        names = list(written.parameters)
        if name:
            written.title = name
        made = Action(key, cast("Rule[..., T]", written), bands, check, master, may_be or {}, turn, price)
        ACTIONS[written.id] = made
        return written

    return decorate
