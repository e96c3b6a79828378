"""`@rule`: an async function with a citation.

Calling it returns a request that the run carries out on its own stack.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Coroutine, Hashable, Iterable, Iterator, Mapping
from dataclasses import fields
from functools import cache, cached_property
from types import MappingProxyType
from typing import Any, Concatenate, Final, Generic, ParamSpec, Protocol, TypeAlias, TypeVar, cast, final, overload

from referee.core.bands import Bands
from referee.core.branches import Branch, BranchEnd, ByChance, ByChoice, ends_by
from referee.core.errors import BadInput, Refused, RulebookError
from referee.core.groups import Flattened
from referee.core.outlines import Keeps, kept
from referee.core.plain import Plain, frozen, hints, is_number, read, unknown, write
from referee.core.printed_book import PrintedBook
from referee.core.questions import Prompt, Request
from referee.core.rulebook import BOOK, Book
from referee.core.scene import Scene, Who
from referee.core.trace import RUNNING, Citable, note, running
from referee.core.wording import spaced

P = ParamSpec("P")
T = TypeVar("T")
U = TypeVar("U")
T_co = TypeVar("T_co", covariant=True)

Body: TypeAlias = Callable[Concatenate[Scene, P], Coroutine[Any, Any, T]]


class Decide(Protocol):
    """How a choice asked in this scene is answered; a choice with a single option is not asked."""

    def __call__(self, question: Request[T], scene: Scene, /) -> T: ...


Ends: TypeAlias = Iterable[tuple[T, Iterable[tuple[Who[Any], Hashable | None]], int]]
"""Results, with what each one changes, and the number of ways to get it."""
Kernel: TypeAlias = Callable[Concatenate[Scene, Decide, P], Ends[T] | Branch[T] | None]
"""All ends of a rule at once; or its branches, where somebody chooses on the way; None where it must be played."""
Outline: TypeAlias = Callable[Concatenate[Scene, Decide, P], Ends[T] | None]
"""All ends of a rule, of whose results only what it keeps is right; None where its kernel is to be asked."""
Sampler: TypeAlias = Callable[Concatenate[Scene, Decide, int, P], Ends[T] | None]
"""The ends of a rule in so many random plays, each with how often it came; None where it must be played."""


def _meaning(annotation: object, given: Plain, scene: Scene) -> Plain:
    """What is meant by a name, if the argument may be given by one."""
    meanings = (getattr(each, "named", None) for each in getattr(annotation, "__metadata__", ()))
    meaning = next((each for each in meanings if each is not None), None)
    return given if meaning is None or not isinstance(given, str) or is_number(given) else meaning(scene, given)


class Cited(Generic[P, T]):
    """What rules and formulas share: their ids, and a signature for reading arguments from plain data.

    The first id is the rule itself; further ids are rules it applies on the way.
    """

    def __init__(self, body: Callable[..., Any], ids: tuple[str, ...], option: str = "") -> None:
        self.body = body
        self.ids = ids
        self.cites = ids[0].partition("/")[0]
        """The id of the rule in the book."""
        self.cited = (self.cites,)
        """The same as the citation of something that this rule alone has done."""
        self.option = option
        """An option it depends on, besides those that its entry in the book names."""
        self.name = body.__name__
        self.title = body.__name__.replace("_", " ")
        """What refusals and modifiers call it."""
        self.says = body.__doc__ or ""
        self.signature = inspect.signature(body)
        if any(p.kind is inspect.Parameter.KEYWORD_ONLY for p in self.signature.parameters.values()):
            raise TypeError(f"{body.__qualname__}: a rule takes no keyword-only arguments, for calls must compare")
        self._defaults = tuple(p.default for p in list(self.signature.parameters.values())[1:])
        self._names = tuple(list(self.signature.parameters)[1:])
        self._used_in: PrintedBook | None = None
        """The last printed book whose campaigns all use it: looked up over and over."""
        self._required = sum(default is inspect.Parameter.empty for default in self._defaults)

    @property
    def id(self) -> str:
        """Its own name: the id of the rule, or `id/operation` where several functions implement one rule."""
        return self.ids[0]

    def absence(self, scene: Scene) -> Refused | None:
        """The refusal if this campaign does not use the rule: it is optional and off, or an option it depends on is."""
        book = scene.state.get(BOOK.name)
        if not isinstance(book, Book) or book.printed_book is self._used_in:
            return None
        if not self.option and self.cites not in book.printed_book.conditional:
            self._used_in = book.printed_book
            return None
        scene.read(BOOK.name)  # only now does the outcome depend on it
        if self.cites in book.absent:
            return Refused(spaced(self.name), because=book.why_absent(self.cites), rule=self.cites)
        if self.option and not book.on(self.option):
            rule = self.option.partition("=")[0]
            return Refused(spaced(self.name), because=book.why_absent(self.option), rule=rule)
        return None

    def check_used(self, scene: Scene) -> None:
        """Refuse a rule that this campaign does not use."""
        if (why := self.absence(scene)) is not None:
            raise why

    @cached_property
    def parameters(self) -> dict[str, inspect.Parameter]:
        """What must be given besides the scene, with resolved annotations."""
        known = hints(self.body)
        given = list(self.signature.parameters.values())[1:]
        return {p.name: p.replace(annotation=known[p.name]) for p in given}

    @property
    def gives(self) -> Any:
        return hints(self.body).get("return", object)

    @cached_property
    def prompts(self) -> tuple[Prompt, ...]:
        """What this rule may ask, directly or through the rules it calls."""
        return tuple(dict.fromkeys(_prompts(self.body, set())))

    def arguments(self, plain: Plain, scene: Scene | None = None) -> tuple[Any, ...]:
        """Arguments from plain data by name; `BadInput` says which one is missing, unknown or malformed.

        With a scene, some may be given by a name that its book has for them.
        """
        if not isinstance(plain or {}, Mapping):
            raise BadInput("", f"must be arguments by name, not {plain!r}")
        given = {str(name).replace("-", "_"): value for name, value in (plain or {}).items()}
        for name in given:
            if name not in self.parameters:
                raise BadInput(name, unknown(name, self.parameters))
        values = []
        for name, parameter in self.parameters.items():
            if name in given:
                value = given[name] if scene is None else _meaning(parameter.annotation, given[name], scene)
                values.append(read(parameter.annotation, value, name))
            elif parameter.default is inspect.Parameter.empty:
                raise BadInput(name, "is missing")
            else:
                values.append(parameter.default)
        return tuple(values)

    def positional(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
        """The same call always as the same tuple, so that calls can be compared and remembered."""
        if kwargs and not args and len(kwargs) == len(self._defaults):
            try:
                return tuple([kwargs[name] for name in self._names])
            except KeyError:
                pass  # said below
        if kwargs and not kwargs.keys() - self._names[len(args) :]:
            rest = zip(self._names[len(args) :], self._defaults[len(args) :], strict=True)
            values = (*args, *(kwargs.get(name, default) for name, default in rest))
            if all(
                each is not inspect.Parameter.empty for each in values
            ):  # one may be a secret that cannot be compared
                return values
        if kwargs or len(args) < self._required or len(args) > len(self._defaults):
            bound = self.signature.bind(None, *args, **kwargs)
            bound.apply_defaults()
            return bound.args[1:]
        return args + self._defaults[len(args) :]


@final
class Rule(Cited[P, T]):
    """A rule of the book as an async function."""

    bands: Bands[Any] | None = None
    """What it decides that people hope for: the odds beside the questions on its way are about that."""
    foresees: Callable[..., Call[Any]] | None = None
    """What its bands are about, if not its own result: the rule that a declaration leads to, in the scene after it."""
    kernel: Kernel[P, T] | None = None
    """All its ends at once, for exact odds; None where it must be played."""
    outline: Outline[P, T] | None = None
    """All its ends at once, of whose results only some parts are right."""
    keeps: Keeps = MappingProxyType({})
    """What the outline keeps of the results; the rest cannot be read."""
    outlines_changes: bool = False
    """Whether what the ends of the outline change is right too."""
    sampler: Sampler[P, T] | None = None
    """How it ends in some thousand quick plays, for odds where its kernel gives it up."""
    groups: Flattened | None = None
    """Which of its arguments belong together, if any do."""
    member: Callable[[Scene, tuple[Any, ...]], Citable] | None = None
    """What a call of a family carries out: the option that is picked, and the rule of that."""

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> Call[T]:
        """The rule with its arguments. The driver supplies the scene: `await push(who, thrown)`."""
        if self.groups is not None:
            return Call(cast("Rule[..., T]", self), self.positional(*self.groups.spread(args, kwargs)))
        return Call(cast("Rule[..., T]", self), self.positional(args, kwargs))

    @classmethod
    def from_plain(cls, plain: Plain) -> Rule[..., Any]:
        return plain if isinstance(plain, Rule) else rule_named(str(plain))

    def to_plain(self) -> Plain:
        return self.id

    def __str__(self) -> str:
        return self.id

    def citing(self, scene: Scene, args: tuple[Any, ...]) -> Citable:
        """What is running when it is called so."""
        return self if self.member is None else self.member(scene, args)

    def start(self, scene: Scene, args: tuple[Any, ...]) -> Coroutine[Any, Any, T]:
        self.check_used(scene)
        note(self.cites)
        return cast(Coroutine[Any, Any, T], self.body(scene, *args))

    def ends(self, scene: Scene, decide: Decide, args: tuple[Any, ...]) -> Ends[T] | None:
        """All ends at once from the kernel; None if there is none, or if it does not apply."""
        found = self.branches(scene, decide, args)
        if not isinstance(found, (BranchEnd, ByChance, ByChoice)):
            return found
        with running(self.citing(scene, args)):
            return tuple(ends_by(found, decide))

    def branches(self, scene: Scene, decide: Decide, args: tuple[Any, ...]) -> Ends[T] | Branch[T] | None:
        """What the kernel gives: all ends, or the branches that lead there."""
        if self.kernel is None or self.absence(scene) is not None:
            return None
        with running(self.citing(scene, args)):
            found = cast("Kernel[..., T]", self.kernel)(scene, decide, *args)
            if found is None:
                return None
            note(self.cites)
            return found if isinstance(found, (BranchEnd, ByChance, ByChoice)) else tuple(found)

    def outlined(self, scene: Scene, decide: Decide, args: tuple[Any, ...]) -> Ends[T] | None:
        """All ends from the outline; None if there is none. What it does not keep of the results cannot be read."""
        if self.outline is None or self.absence(scene) is not None:
            return None
        with running(self.citing(scene, args)):
            found = cast("Outline[..., T]", self.outline)(scene, decide, *args)
            if found is None:
                return None
            note(self.cites)
            return [(kept(result, self.keeps), changes, ways) for result, changes, ways in found]

    def sampled(self, scene: Scene, decide: Decide, plays: int, args: tuple[Any, ...]) -> Ends[T] | None:
        """How it ends in so many plays; None if it has no sampler, or if that does not apply."""
        if self.sampler is None or self.absence(scene) is not None:
            return None
        with running(self.citing(scene, args)):
            found = cast("Sampler[..., T]", self.sampler)(scene, decide, plays, *args)
            if found is not None:
                note(self.cites)
            return found


@final
class Formula(Cited[P, T]):
    """A rule of the book that only computes: a plain function of the scene."""

    def __call__(self, scene: Scene, /, *args: P.args, **kwargs: P.kwargs) -> T:
        self.check_used(scene)
        note(self.cites)
        before, RUNNING.rule = RUNNING.rule, self
        try:
            return cast(T, self.body(scene, *args, **kwargs))
        finally:
            RUNNING.rule = before


@final
@frozen
class Call(Request[T_co]):
    """A rule with its arguments: awaited inside another rule, or started as a step."""

    rule: Rule[..., T_co]
    args: tuple[Any, ...]

    def plain(self) -> dict[str, Plain]:
        """The arguments as plain data, by name."""
        return dict(zip(self.rule.parameters, map(write, self.args), strict=True))

    def __str__(self) -> str:
        return f"{self.rule.id}({', '.join(map(str, self.args))})"


@final
@frozen
class Repeat(Request[T_co]):
    """A rule that starts over until it has a result: a tie that is rolled again."""

    call: Call[T_co | None]


def until_settled(call: Call[T | None]) -> Repeat[T]:
    """Run a rule again and again until its result is not None.

    Odds leave out passes that neither settle nor change anything.
    """
    return Repeat(call)


@final
@frozen
class HandOver(Request[T_co]):
    """The rest of a rule is another rule; `read` makes its result of that one's, and something may follow from it."""

    call: Call[Any]
    read: Callable[[Any], T_co] | None = None
    then: Callable[[Any], Call[Any] | None] | None = None


@overload
def hand_over(call: Call[T], *, then: Callable[[T], Call[Any] | None] | None = None) -> HandOver[T]: ...
@overload
def hand_over(
    call: Call[T], read: Callable[[T], U], *, then: Callable[[U], Call[Any] | None] | None = None
) -> HandOver[U]: ...
def hand_over(call: Call[Any], read: Any = None, *, then: Any = None) -> HandOver[Any]:
    """End a rule with another one: `return await hand_over(…)`. Nothing runs after it, so odds need not look.

    With `read` the result is what that makes of the other rule's: something is added that the other one need not know,
    so that odds work it out once for whatever is added. `then` says what follows from the result, if anything: it
    stands, and odds of an action that ends so look at it alone, as with `settled`. Neither of them refuses anything.
    """
    return HandOver(call, read, then)


@final
@frozen
class Settled(Request[T_co]):
    """The result of a rule stands; only consequences of it are left to be played."""

    result: T_co
    then: Call[Any]


def settled(result: T, *, then: Call[Any]) -> Settled[T]:
    """End a rule whose result stands before its consequences are played: `return await settled(result, then=call)`.

    Nothing runs after it. Odds of an action that ends so look at the result, and leave `then` out.
    """
    return Settled(result, then)


@final
@frozen
class Afterwards(Request[None]):
    """A consequence of a rule, whatever its result."""

    then: Call[Any]


def afterwards(then: Call[Any]) -> Afterwards:
    """Play another rule once the result of this one stands, however it ends: `await afterwards(call)`, early on.

    Of several the last one named is played first; what `settled` names comes before them all.
    """
    return Afterwards(then)


RULES: Final[dict[str, Rule[..., Any]]] = {}
FORMULAS: Final[dict[str, Formula[..., Any]]] = {}


def rule(
    *ids: str, option: str = "", bands: Bands[Any] | None = None, foresees: Callable[..., Call[Any]] | None = None
) -> Callable[[Body[P, T]], Rule[P, T]]:
    """Write a rule. The first id is the rule itself; further ids are rules that it applies on the way.

    Where the book has it as optional, or a campaign does not use its `option` (`rule.id` or `rule.id=choice`), calling
    it is refused. A rule that decides something people hope for returns it and declares its `bands`; what only throws,
    pushes or buys dice for another rule declares none. A declaration `foresees` the rule it leads to, by a function of
    the scene after it and of its arguments; the bands are then those of that rule.
    """

    def decorate(body: Body[P, T]) -> Rule[P, T]:
        made: Rule[P, T] = Rule(body, ids, option)
        made.bands, made.foresees = bands, foresees
        _claim(RULES, ids[0], made)
        return made

    return decorate


def formula(*ids: str, option: str = "") -> Callable[[Callable[Concatenate[Scene, P], T]], Formula[P, T]]:
    """Write a rule that needs neither dice nor decisions; `option` as for a rule."""

    def decorate(body: Callable[Concatenate[Scene, P], T]) -> Formula[P, T]:
        made: Formula[P, T] = Formula(body, ids, option)
        _claim(FORMULAS, ids[0], made)
        return made

    return decorate


def _check_takes_the_same(of: Rule[Any, Any], body: Callable[..., Any], what: str, besides: int = 2) -> None:
    """What stands in for a rule in odds takes its arguments, besides the scene, who decides, and how many plays."""
    given, wanted = list(inspect.signature(body).parameters)[besides:], list(of.signature.parameters)[1:]
    if given != wanted:
        raise TypeError(f"the {what} of {of} takes ({', '.join(given)}), not ({', '.join(wanted)})")


def kernel(of: Rule[P, T]) -> Callable[[Kernel[P, T]], Kernel[P, T]]:
    """Write the kernel of a rule: every end of it at once, or None where the rule must be played.

    It is never a second truth: it shares the rule's plain functions and figures, and a test proves it equal to the rule
    as played.
    """

    def decorate(body: Kernel[P, T]) -> Kernel[P, T]:
        _check_takes_the_same(of, body, "kernel")
        of.kernel = body
        return body

    return decorate


def outline(of: Rule[P, T], *, keeps: Keeps, changes: bool = False) -> Callable[[Outline[P, T]], Outline[P, T]]:
    """Write the outline of a rule: all its ends, of whose results only the fields that it `keeps` are right.

    It is for rules that an action ends with, where a kernel would have to tell more apart than the outcome: the suit of
    a hit. Odds by bands use it, and whoever reads what is left open gets the results of the kernel instead. With
    `changes` it also tells what the ends change, and forecasts of fights use it. A test proves it equal to the rule as
    played, as far as it goes.
    """

    def decorate(body: Outline[P, T]) -> Outline[P, T]:
        _check_takes_the_same(of, body, "outline")
        of.outline, of.keeps, of.outlines_changes = body, keeps, changes
        for kind, names in keeps.items():
            if missing := set(names) - {each.name for each in fields(kind)}:
                raise TypeError(f"the outline of {of}: {kind.__name__} has no {', '.join(sorted(missing))} to keep")
        return body

    return decorate


def sampler(of: Rule[P, T]) -> Callable[[Sampler[P, T]], Sampler[P, T]]:
    """Write the sampler of a rule: its ends in so many quick plays, where the kernel says `TooLong`.

    Figures that come of it are marked as sampled. A test compares them with the rule as played.
    """

    def decorate(body: Sampler[P, T]) -> Sampler[P, T]:
        _check_takes_the_same(of, body, "sampler", besides=3)
        of.sampler = body
        return body

    return decorate


def after(scene: Scene, who: Who[Any], value: Hashable | None) -> Scene:
    """For kernels: the scene after a change. What is read through it also counts as read through the original."""
    later = Scene(scene.state, scene.reads)
    later.written |= scene.written
    later.write(who.name, value)
    return later


def rule_named(id_: str) -> Rule[..., Any]:
    """The rule function behind an id; its system must be loaded."""
    try:
        return RULES[id_]
    except KeyError:
        raise RulebookError(id_, "no rule that runs bears this id") from None


def _claim(registry: dict[str, Any], id_: str, made: Cited[..., Any]) -> None:
    before = registry.get(id_)
    if before is not None and before.body.__module__ != made.body.__module__:
        raise RulebookError(id_, f"{before.body.__module__} and {made.body.__module__} both claim this rule")
    if before is not None and before.name != made.name:
        raise RulebookError(id_, f"both {before.name} and {made.name} claim this rule")
    registry[id_] = made


def _prompts(thing: Any, been: set[Any]) -> Iterator[Prompt]:
    """Prompts named in a function's code, and in any rules and functions of this project that it names."""
    body = inspect.unwrap(thing.body if isinstance(thing, Cited) else thing)
    if body in been or not inspect.isfunction(body):
        return
    been.add(body)
    for named in _named_in(body):
        if isinstance(named, Prompt):
            yield named
        else:
            yield from _prompts(named, been)


@cache
def _named_in(body: Any) -> tuple[Any, ...]:
    """The prompts, rules and functions that a function's code names."""
    named = (body.__globals__.get(name) for name in body.__code__.co_names)
    return tuple(each for each in named if isinstance(each, (Prompt, Cited)) or inspect.isfunction(each))


@rule("table.foreseen")
async def foreseen(scene: Scene, declared: Call[Any]) -> Any:
    """A declaration, and then what it leads to. Only odds ask for it."""
    await declared
    leads_to = declared.rule.foresees
    return None if leads_to is None else await hand_over(leads_to(scene, *declared.args))
