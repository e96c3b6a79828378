"""Actions: what can be done, each declared once, where its rule is.

The declaration says who may act (the turn), what it costs (the price), what may be picked for each argument (on the
argument's own type) and what is asked of all of it. Buttons, commands, policies and refusals come from there.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Coroutine, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property, partial, wraps
from itertools import chain, islice
from random import Random
from types import ModuleType
from typing import Any, Final, Generic, ParamSpec, Protocol, TypeAlias, TypeVar, cast, final, overload

from referee.core.bands import DONE, Bands, Prevented
from referee.core.describe import describe_parameters, field_type
from referee.core.errors import BadInput, RefereeError, Refused, refuse
from referee.core.groups import Flattened
from referee.core.picks import (
    Argument,
    CheckFunction,
    DeclaredFunction,
    Known,
    applies_of,
    pick_by_type,
    pick_of,
    refused,
)
from referee.core.plain import Plain, write
from referee.core.questions import Options, key_of
from referee.core.rulebook import RowsOf
from referee.core.rules import Body, Call, Rule, afterwards, rule
from referee.core.scene import Read, Scene, State, Who
from referee.core.trace import Citable, Citation, running, running_each
from referee.core.wording import spaced

P = ParamSpec("P")
T = TypeVar("T")

Wanted: TypeAlias = Callable[[Any], bool]
"""Whether a policy wants a value for an argument."""


class Price(Protocol):
    """What an action costs. It is paid before the action itself, and sees to what ends once its result stands."""

    def check(self, scene: Scene, who: Who[Any], /) -> None:
        """Refuse if it cannot be paid."""

    def pay(self, who: Who[Any], /) -> Call[Any]:
        """Pay it. An action whose price comes to `Prevented` does not go ahead, and that is its result."""
        ...

    def end(self, who: Who[Any], /) -> Call[Any]: ...


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
    secret: Callable[..., bool] | None = None
    """Whether only the game master is told that it is done, by its arguments: a roll that must not be known of."""
    _passed: list[tuple[State, tuple[Any, ...], set[Read]]] = field(
        default_factory=list, init=False, repr=False, compare=False
    )
    """The last scene in which odds found it legal, for whom and with which arguments, and what that depends on."""

    def __post_init__(self) -> None:
        _ = self.picks, self.applies, self.checks, self._secret
        if self.family is not None:
            self.rule.member = self._member
        if self.bands is not DONE:
            self.rule.bands = self.bands

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
            pick, many = pick_of(parameter.annotation)
            if pick is None and parameter.default is not parameter.empty:
                continue
            where, earlier = f"{self.rule.body.__qualname__}: the pick of {name!r}", names[:at]
            of_type = pick or pick_by_type(field_type(parameter.annotation))
            options = DeclaredFunction.reading(of_type.found, 2, earlier, where)
            check = None if of_type.check is None else DeclaredFunction.reading(of_type.check, 3, earlier, where)
            if of_type.family and (at or many or parameter.default is not parameter.empty):
                raise TypeError(f"{where}: a family is the first argument of its action, and must be given")
            seldom = of_type.seldom and parameter.default is not parameter.empty
            found[name] = Argument(
                name, options, check, many, parameter.default, of_type.rule, of_type.also, seldom, of_type.family
            )
        return found

    @cached_property
    def family(self) -> Argument | None:
        """The argument whose options are actions of their own to people, if it has one: its first."""
        return next((each for each in self.picks.values() if each.family is not None), None)

    @cached_property
    def named(self) -> dict[str, RowsOf[Any]]:
        """The arguments that name a row of a table although nobody picks them: what they name has to be there."""
        tables = ((name, field_type(each.annotation).table) for name, each in self.parameters.items())
        return {name: table for name, table in tables if table is not None and name not in self.picks}

    @cached_property
    def applies(self) -> dict[str, DeclaredFunction]:
        """The arguments that not every option of a family has, and when they apply."""
        found: dict[str, DeclaredFunction] = {}
        names = tuple(self.parameters)
        mark = None if self.family is None or self.family.family is None else (self.family.name, self.family.family)
        for at, (name, parameter) in enumerate(self.parameters.items()):
            if (applies := applies_of(parameter.annotation)) is None:
                continue
            where = f"{self.rule.body.__qualname__}: when {name!r} applies"
            if parameter.default is parameter.empty:
                raise TypeError(f"{where}: what does not always apply has a default")
            pick = self.picks.get(name)
            found[name] = applies.reading(mark, pick and pick.options, names[:at], where)
        return found

    def has(self, scene: Scene, who: Who[Any] | None, name: str, given: Mapping[str, Any]) -> bool:
        """Whether an argument applies to what is given before it."""
        when = self.applies.get(name)
        if when is None or not when.is_ready(given):
            return True
        try:
            return bool(when(scene, who, given=given))
        except Refused:  # so is what it goes by
            return True

    def depends_on(self, name: str) -> tuple[str, ...]:
        """The earlier arguments that decide what may be picked for an argument, or whether it applies."""
        pick, when = self.picks.get(name), self.applies.get(name)
        return tuple(dict.fromkeys((*(pick.depends_on if pick else ()), *(when.takes if when else ()))))

    @cached_property
    def deciding(self) -> frozenset[str]:
        """The arguments on which others depend."""
        return frozenset(each for name in self.parameters for each in self.depends_on(name))

    def citing(self, scene: Scene, given: Mapping[str, Any]) -> Citable:
        """What is running: the option of a family that is given, with the rule of that, or the action itself."""
        if self.family is None or self.family.family is None or (option := given.get(self.family.name)) is None:
            return self.rule
        try:
            rule = self.family.family.rule_of(scene, option)
        except RefereeError:  # there is no such option
            return self.rule
        return Citation(key_of(option), rule, self.rule.cited)

    def _member(self, scene: Scene, args: tuple[Any, ...]) -> Citable:
        return self.citing(scene, dict(zip(self.parameters, args if self.master else args[1:], strict=True)))

    def part(self, given: Mapping[str, Any]) -> str:
        """What words and the look call it: by its key, and an option of a family as `use-skill/climb`."""
        option = None if self.family is None else given.get(self.family.name)
        return self.key if option is None else f"{self.key}/{key_of(option)}"

    @cached_property
    def not_picked(self) -> dict[str, Any]:
        """The arguments that nobody picks, as they are by default: whoever picks the others leaves them so."""
        named = self.parameters.items()
        return {name: each.default for name, each in named if name not in self.picks and each.default is not each.empty}

    @cached_property
    def checks(self) -> tuple[DeclaredFunction, ...]:
        given = self.check if isinstance(self.check, tuple) else (self.check,)
        where = f"{self.rule.body.__qualname__}: its check"
        return tuple(DeclaredFunction.reading(each, 2, tuple(self.parameters), where) for each in given)

    @cached_property
    def _secret(self) -> DeclaredFunction | None:
        where = f"{self.rule.body.__qualname__}: whether it is secret"
        return None if self.secret is None else DeclaredFunction.reading(self.secret, 2, tuple(self.parameters), where)

    def is_secret(self, scene: Scene, call: Call[Any]) -> bool:
        """Whether only the game master is told of a step."""
        if self._secret is None:
            return False
        who, given = (None, call.args) if self.master else (call.args[0], call.args[1:])
        return bool(self._secret(scene, who, given=dict(zip(self.parameters, given, strict=True))))

    def may(self, scene: Scene, who: Who[Any] | None = None, /, **arguments: Any) -> Refused | None:
        """None if it is legal, or the refusal that says why not. Without arguments: whether it may be tried at all."""
        if (absent := self.absence(scene)) is not None:
            return absent
        given = self._completed(arguments)
        with running(self.citing(scene, given)):
            return refused(self.refuse, scene, who, given)

    def absence(self, scene: Scene) -> Refused | None:
        """The refusal if this campaign does not use its rule; it is then not offered at all."""
        return self.rule.absence(scene)

    def arguments(self, scene: Scene, plain: Plain) -> tuple[Any, ...]:
        """Arguments from plain data by name, with the names of options as these are written."""
        given = dict(zip(self.rule.parameters, self.rule.arguments(plain, scene), strict=True))
        who = None if self.master else next(iter(given.values()))
        wrong = set[str]()  # what is refused once it is begun; nothing can be picked that depends on it
        with running(self.rule):
            for name, argument in self.picks.items():
                if not wrong.isdisjoint(self.depends_on(name)):
                    wrong.add(name)
                    continue
                if not self.has(scene, who, name, given):
                    continue
                with suppress(RefereeError):
                    try:
                        given[name] = argument.spelled(scene, who, given[name], given)
                        if given[name] is not None:
                            argument.refuse(scene, who, given[name], given)
                    except (Refused, BadInput):
                        wrong.add(name)
        return tuple(given.values())

    def refuse(self, scene: Scene, who: Who[Any] | None, given: Mapping[str, Any]) -> None:
        """Refuse, with the reason, what is not legal as far as its arguments are known."""
        self._refuse_turn(scene, who)
        for name in self._limited:
            if name not in given:
                continue
            argument, value = self.picks.get(name), given[name]
            if not self.has(scene, who, name, given):
                if value != self.parameters[name].default:
                    refuse(f"{spaced(name)} does not apply to it")
            elif argument is not None and value is None:
                argument.refuse_nothing(scene, who, given)
            elif argument is not None:
                argument.refuse(scene, who, value, given)
        for name, table in self.named.items():
            if isinstance(value := given.get(name), str) and value != self.parameters[name].default:
                scene[table].look(value)
        for check in self.checks:
            if check.is_ready(given):
                check(scene, who, given=given)

    @cached_property
    def _limited(self) -> tuple[str, ...]:
        """The arguments that not everything may be given for."""
        return tuple(name for name in self.parameters if name in self.picks or name in self.applies)

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

        A pick that depends on an earlier one takes what is given there, or else the first that may be picked. One that
        does not apply is left out.
        """
        found: dict[str, tuple[Any, ...]] = {}
        earlier: dict[str, Any] = {}
        with running(self.citing(scene, given or {})):
            for name, argument in self.picks.items():
                if not self.has(scene, who, name, earlier):
                    earlier[name] = argument.default
                    continue
                found[name] = argument.legal(scene, who, earlier, {})
                if name in (given or {}):
                    earlier[name] = (given or {})[name]
                elif argument.default in found[name]:
                    earlier[name] = argument.default
                elif found[name]:
                    earlier[name] = found[name] if argument.many else found[name][0]
        return found

    def options(self, scene: Scene, who: Who[Any] | None) -> dict[str, tuple[Any, ...]]:
        """What a family offers somebody, by heading; nothing of an option is worked out but that it may be picked."""
        found: dict[str, list[Any]] = {}
        if (argument := self.family) is not None and argument.family is not None:
            with running(self.rule):
                for option in argument.legal(scene, who, {}, {}):
                    found.setdefault(argument.family.group_of(scene, option), []).append(option)
        return {group: tuple(options) for group, options in found.items()}

    def barred(
        self, scene: Scene, who: Who[Any] | None, name: str, given: Mapping[str, Any] | None = None
    ) -> dict[Any, Refused]:
        """Of the values of an argument those that may not be picked, and why not."""
        argument, known = self.picks[name], given or {}
        if not self.has(scene, who, name, known):
            return {}
        with running(self.citing(scene, known)):
            refusals = (
                (each, refused(argument.refuse, scene, who, (each,) if argument.many else each, known))
                for each in argument.values(scene, who, known)
            )
            return {each: why for each, why in refusals if why is not None}

    def legal(
        self,
        scene: Scene,
        who: Who[Any] | None = None,
        known: Known | None = None,
        wanted: Mapping[str, Wanted] | None = None,
    ) -> Iterator[dict[str, Any]]:
        """Every legal way to take this action now, one by one in the order of the picks. Some have very many."""
        return running_each(self.rule, self._ways(scene.as_it_is(), who, {} if known is None else known, wanted or {}))

    def legal_at_random(
        self, scene: Scene, who: Who[Any] | None, random: Random, known: Known | None = None
    ) -> dict[str, Any] | None:
        """One of the legal ways, picked argument by argument; None if there is none. No list of all is made."""
        ways = self._ways(scene, who, {} if known is None else known, {}, random)
        return next(running_each(self.rule, ways), None)

    def _ways(
        self,
        scene: Scene,
        who: Who[Any] | None,
        known: Known,
        wanted: Mapping[str, Wanted],
        mixed: Random | None = None,
    ) -> Iterator[dict[str, Any]]:
        """Every legal way, in the order of the picks, or mixed at random."""
        if not self._may_be_tried(scene, who, known):
            return
        picks = tuple(self.picks.values())

        def picked(way: dict[str, Any], at: int) -> Generator[dict[str, Any], None, Collection[str] | None]:
            """Every way that begins so; if there is none, the arguments on which that depends."""
            for check in self._checks_after[at]:
                if not check.passes(scene, who, way, known):
                    return check.takes
            if at == len(picks):
                yield {name: way[name] for name in self.picks}
                return None
            name, found, depends_on = picks[at].name, False, set(self.depends_on(picks[at].name))
            is_wanted = wanted.get(name)
            applies = self.has(scene, who, name, way)
            values = picks[at].ways(scene, who, way, known) if applies else (picks[at].default,)
            for value in values if mixed is None else mixed.sample(values, len(values)):
                if is_wanted is not None and not is_wanted(value):
                    continue
                none_for = yield from picked({**way, name: value}, at + 1)
                if none_for is not None and name not in none_for:
                    return none_for  # nor is there one with any other value
                found, depends_on = found or none_for is None, depends_on.union(none_for or ())
            return None if found else depends_on - {name}

        yield from picked(self.not_picked, 0)

    def _may_be_tried(self, scene: Scene, who: Who[Any] | None, known: Known) -> bool:
        """Whether its option is in use, it is somebody's turn who can pay for it, and nothing else bars it."""
        if self.absence(scene) is not None:
            return False
        if self.turn is not None and self.turn not in known:
            known[self.turn] = refused(self.turn, scene, who) is None
        if not known.get(self.turn, True) or (self.price and refused(self.price.check, scene, who)):
            return False
        return all(check.passes(scene, who, {}, known) for check in self.checks if not check.needs)

    @cached_property
    def _checks_after(self) -> tuple[tuple[DeclaredFunction, ...], ...]:
        """For each number of picks, the checks for which all is known then, and was not before."""
        names = tuple(self.picks)
        last = [max((at for at, name in enumerate(names, 1) if name in each.takes), default=0) for each in self.checks]
        return tuple(
            tuple(check for check, when in zip(self.checks, last, strict=True) if when == at)
            for at in range(len(names) + 1)
        )

    def description(self) -> Plain:
        """The data from which forms, commands and schemas are made."""
        return {
            "action": self.key,
            "rule": self.rule.id,
            "says": self.rule.says,
            "master": self.master,
            "parameters": describe_parameters(self.parameters),
            "depends_on": {name: list(found) for name in self.parameters if (found := self.depends_on(name))},
            **({} if self.family is None else {"family": self.family.name}),
            "bands": list(self.bands.keys),
            "good": list(self.bands.good),
            "extra": list(self.bands.extra),
            "bad": list(self.bands.bad),
        }

    def _all(self, who: Who[Any] | None, arguments: dict[str, Any]) -> dict[str, Any]:
        return arguments if self.master else {next(iter(self.rule.parameters)): who, **arguments}


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
    def part(self) -> str:
        """What words and the look call it."""
        return self.action.part(self.arguments)

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
        self._known: Known = {}
        self._of: dict[str, tuple[ActionChoice, ...]] = {}
        self._given: set[str] = set()
        """The keys of those that were worked out so far: they are legal."""

    def of(self, key: str, /, **wanted: Wanted) -> tuple[ActionChoice, ...]:
        """Every legal way to take one action; of its arguments only values that are wanted are looked at."""
        return tuple(self._each(key, wanted))

    def _each(self, key: str, wanted: Mapping[str, Wanted]) -> Iterator[ActionChoice]:
        """The same one by one. Nothing is shared but what is worked out: several threads may look."""
        if not wanted and key in self._of:
            yield from self._of[key]
            return
        found: list[ActionChoice] = []
        for action in (each for each in self._actions if each.key == key):
            for way in action.legal(self._scene, self._who, self._known, wanted):
                found.append(action.by(self._who, **way))
                self._given.add(found[-1].key)
                yield found[-1]
        if not wanted:
            self._of[key] = tuple(found)

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
        return chain.from_iterable(self._each(key, {}) for key in self.keys)

    def __reversed__(self) -> Iterator[ActionChoice]:
        return chain.from_iterable(reversed(self.of(key)) for key in reversed(self.keys))

    def __len__(self) -> int:
        return sum(len(self.of(key)) for key in self.keys)

    def __bool__(self) -> bool:
        return bool(self._given) or next(iter(self), None) is not None

    def __contains__(self, choice: object) -> bool:
        if not isinstance(choice, ActionChoice):
            return False
        wanted = {name: partial(_is_called, key_of(value)) for name, value in choice.arguments.items()}
        return choice.key in self._given or choice in self._each(choice.action.key, wanted)

    @overload
    def __getitem__(self, at: int) -> ActionChoice: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[ActionChoice, ...]: ...
    def __getitem__(self, at: int | slice) -> ActionChoice | tuple[ActionChoice, ...]:
        if at == -1:  # what is assumed for someone who says nothing
            return next(reversed(self))
        if isinstance(at, int) and at >= 0:
            for found in islice(self, at, None):
                return found
        return tuple(self)[at]


def _is_called(key: str, value: object) -> bool:
    return key_of(value) == key


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
    mine = [each for each in list(ACTIONS.values()) if each.rule.body.__module__ in names]
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
    secret: Callable[..., bool] | None = None,
    option: str = "",
    foresees: Callable[..., Call[Any]] | None = None,
) -> Callable[[Body[P, T]], Rule[P, T]]:
    """Write a rule that is an action. Turn, price, picks and checks are seen to before its body runs.

    The price is paid before the body, so a body may end with the rule that settles what it did. It is not offered where
    a campaign does not use its `option`. Arguments may come in groups (`referee.core.groups`).
    """

    def decorate(body: Body[P, T]) -> Rule[P, T]:
        flat, whole_body = Flattened(body), cast("Callable[..., Coroutine[Any, Any, T]]", body)

        @wraps(body)
        async def whole(scene: Scene, *args: Any) -> T:
            given: dict[str, Any] = dict(zip(names, args, strict=True))
            who: Who[Any] | None = None if master else given.pop(names[0])
            made.refuse_once(scene, who, given)
            taken: Any = flat.together(args) if flat.has_groups else args
            if price is None or who is None:
                return await whole_body(scene, *taken)
            prevented = await price.pay(who)
            await afterwards(price.end(who))
            if isinstance(prevented, Prevented):
                return cast("T", prevented)
            return await whole_body(scene, *taken)

        if flat.has_groups:
            flat.show_on(whole)
        written = rule(*ids, option=option, foresees=foresees)(cast("Body[P, T]", whole))
        written.groups = flat if flat.has_groups else None
        names = list(written.parameters)
        if name:
            written.title = name
        told = bands if price is None else bands.if_prevented()
        made = Action(key, cast("Rule[..., T]", written), told, check, master, may_be or {}, turn, price, secret)
        ACTIONS[written.id] = made
        return written

    return decorate
