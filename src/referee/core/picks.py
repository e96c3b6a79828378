"""What is picked for an argument of an action: from which options, and which of them are legal."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, is_dataclass
from functools import lru_cache
from typing import Annotated, Any, Final, TypeAlias, cast, final, get_args, get_origin

from referee.core.describe import FieldType
from referee.core.errors import RefereeError, Refused, RuleFault, refuse
from referee.core.plain import as_spelled, hints
from referee.core.questions import key_of
from referee.core.rulebook import BOOK, RowsOf
from referee.core.rules import Cited
from referee.core.scene import Lookup, Scene, Who
from referee.core.trace import RUNNING
from referee.core.wording import plural

CheckFunction: TypeAlias = Callable[..., None]
"""A function that refuses. It takes the scene, who acts and, by name, any of the arguments; one with a default is
left out as long as it is not known."""


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
    seldom: bool = False
    """Whether a list of all legal ways keeps to the default of it: for circumstances, which would multiply the ways."""
    family: Family | None = None
    """If its options are what people choose from, as actions of their own: which rule each of them carries out."""

    @property
    def found(self) -> Callable[..., Iterable[Any]]:
        """The options as a function of the scene."""
        options = self.options
        return options if callable(options) else lambda scene, who: scene[options]


@final
@dataclass(frozen=True)
class Family:
    """What makes one action many: each option of its first argument is an action to people, with a rule of its own."""

    rule_of: Callable[[Scene, Any], str]
    """The rule that an option carries out."""
    group_of: Callable[[Scene, Any], str] = lambda scene, option: ""
    """The heading under which it is offered."""
    rows: RowsOf[Any] | None = None
    """The rows that its options are the names of, if they are."""
    index: Callable[[Scene, Any], Iterable[str]] = lambda scene, option: ()
    """Words by which people look for an option, besides those of its name."""
    line: Callable[[Scene, Who[Any] | None, Any], str] = lambda scene, who, option: ""
    """What is said beside an option: with what it is done, and how hard it is."""

    def absence(self, scene: Scene, option: Any) -> Refused | None:
        """The refusal if this campaign does not use the rule of an option."""
        book, rule = scene[BOOK], self.rule_of(scene, option)
        return None if book.on(rule) else Refused(key_of(option), because=book.why_absent(rule), rule=rule)


@final
@dataclass(frozen=True)
class Applies:
    """Says for which options of a family there is an argument: `Annotated[str, Pick(tasks), Applies("tasks")]`.

    It names a column of the family's rows that is not empty then, or is a function of the scene, who acts and, by name,
    earlier arguments; without either, it applies where its pick has options. Otherwise the argument is neither asked
    for nor shown, and stays its default.
    """

    when: str | Callable[..., bool] = ""

    def reading(
        self, family: tuple[str, Family] | None, pick: DeclaredFunction | None, earlier: Sequence[str], where: str
    ) -> DeclaredFunction:
        """The same as a function that may be asked; `pick` gives the options, if there are any."""
        if self.when == "":
            if pick is None:
                raise TypeError(f"{where} is not said, and it is not picked from options")
            return pick
        if not isinstance(self.when, str):
            return DeclaredFunction.reading(self.when, 2, earlier, where)
        name, rows = (family[0], family[1].rows) if family else ("", None)
        if rows is None or self.when not in hints(rows.kind):
            raise TypeError(f"{where} goes by {self.when!r}, which is no column of a family of rows")
        column, table = self.when, rows

        def has(scene: Scene, who: Who[Any] | None, **given: Any) -> bool:
            return getattr(scene[table].look(given[name]), column) not in (None, "", 0, False, (), {})

        return DeclaredFunction(has, (name,), (name,))


def family(
    of: RowsOf[Any],
    options: Callable[..., Iterable[Any]] | None = None,
    check: CheckFunction | None = None,
    *,
    group: str | Callable[[Scene, Any], str] = "group",
    index: Callable[[Scene, Any], Iterable[str]] = lambda scene, option: (),
    line: Callable[[Scene, Who[Any] | None, Any], str] = lambda scene, who, option: "",
) -> Pick:
    """Make the rows of a table what people choose from: `Use = Annotated[str, family(USES)]`.

    Each is an action to people, with the rule it carries out, and offered under the heading that its column `group`
    says. `options` are those that somebody is offered, if not all. The argument is the first of its action. `index` has
    further words by which people find an option, `line` is what is said beside it.
    """

    def group_of(scene: Scene, option: Any) -> str:
        return str(getattr(scene[of].look(option), str(group), "")) if not callable(group) else group(scene, option)

    mark = Family(lambda scene, option: scene[of].rule_of(option), group_of, of, index, line)
    return Pick(options or (lambda scene, who: scene[of].names), check, family=mark)


def suggest(*values: Any) -> Pick:
    """Values to pick from where others are legal too: an amount of damage."""
    return Pick(lambda scene, who: values, lambda scene, who, value: None)


@final
@dataclass(frozen=True)
class DeclaredFunction:
    """A function of a declaration, and which arguments of the action it takes by name."""

    run: Callable[..., Any]
    needs: tuple[str, ...]
    takes: tuple[str, ...]

    @classmethod
    def reading(cls, run: Callable[..., Any], after: int, known: Sequence[str], where: str) -> DeclaredFunction:
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

    def passes(self, scene: Scene, who: Who[Any] | None, given: Mapping[str, Any], known: Known) -> bool:
        """Whether it does not refuse, as far as its arguments are known."""
        if not self.is_ready(given):
            return True
        key = self.key(given)
        if key not in known:
            known[key] = refused(lambda: self(scene, who, given=given)) is None
        return bool(known[key])

    def __call__(self, *first: Any, given: Mapping[str, Any]) -> Any:
        try:
            return self.run(*first, **{name: given[name] for name in self.takes if name in given})
        except RefereeError:
            raise
        except Exception as why:
            running = RUNNING.rule
            raise RuleFault(running.cites if running else getattr(self.run, "__qualname__", "a check")) from why


MOST_NAMED: Final = 40
"""So many options of a family a refusal names."""

Known: TypeAlias = dict[Hashable, Any]
"""What was worked out in one scene for one person, so that actions that share a pick work it out once."""


@final
@dataclass(frozen=True)
class Argument:
    """An argument of an action that is picked from options."""

    name: str
    options: DeclaredFunction
    check: DeclaredFunction | None
    many: bool
    """Whether several are picked, one by one and each once."""
    default: Any = inspect.Parameter.empty
    rule: str = ""
    also: Callable[[Scene], Mapping[str, str]] = lambda scene: {}
    seldom: bool = False
    family: Family | None = None

    @property
    def depends_on(self) -> tuple[str, ...]:
        """The earlier arguments that decide what may be picked."""
        return tuple(dict.fromkeys((*self.options.takes, *(self.check.takes if self.check else ()))))

    def values(self, scene: Scene, who: Who[Any] | None, given: Mapping[str, Any]) -> tuple[Any, ...]:
        """What there is to pick from, legal or not."""
        found = tuple(self.options(scene, who, given=given)) if self.options.is_ready(given) else ()
        if self.family is None:
            return found
        family = self.family
        return tuple(each for each in found if family.absence(scene, each) is None)

    def spelled(self, scene: Scene, who: Who[Any] | None, value: Any, given: Mapping[str, Any]) -> Any:
        """A name, or several, as the options write it; what none of them is called stays as it is."""
        names = value if self.many else (value,)
        if not any(isinstance(each, str) for each in names):
            return value
        options = [each for each in self.values(scene, who, given) if isinstance(each, str)]
        also = {**{plural(each): each for each in options}, **self.also(scene)}
        found = tuple(as_spelled(each, options, also) if isinstance(each, str) else each for each in names)
        return found if self.many else found[0]

    def refuse(self, scene: Scene, who: Who[Any] | None, value: Any, given: Mapping[str, Any]) -> None:
        """Refuse a value that may not be picked; of several, one that is picked twice."""
        for at, each in enumerate(value if self.many else (value,)):
            if self.many and each in value[:at]:
                refuse(f"{key_of(each)} is picked twice", rule=self.rule)
            self._refuse_one(scene, who, each, given)

    def refuse_nothing(self, scene: Scene, who: Who[Any] | None, given: Mapping[str, Any]) -> None:
        """Refuse None where it is no option."""
        if self.options.is_ready(given) and None not in self.values(scene, who, given):
            self._refuse_one(scene, who, None, given)

    def _refuse_one(self, scene: Scene, who: Who[Any] | None, value: Any, given: Mapping[str, Any]) -> None:
        if self.family is not None and (why := self._absence(scene, value)) is not None:
            raise why
        if self.check is not None:
            if self.check.is_ready(given):
                self.check(scene, who, value, given=given)
        elif self.options.is_ready(given) and value not in (found := self.values(scene, who, given)):
            legal = map(key_of, found if self.family is None else found[:MOST_NAMED])
            refuse("it is not one of the options", what=key_of(value), legal=legal, rule=self.rule)

    def _absence(self, scene: Scene, value: Any) -> Refused | None:
        """Why an option is not used here; what the book does not have is refused as any other value is."""
        try:
            return self.family.absence(scene, value) if self.family is not None else None
        except RefereeError:
            return None

    def legal(self, scene: Scene, who: Who[Any] | None, given: Mapping[str, Any], known: Known) -> tuple[Any, ...]:
        """The values that may be picked now."""
        parts = (self.options,) if self.check is None else (self.options, self.check)
        key = tuple(each.key(given) for each in parts)
        if key not in known:
            found = self.values(scene, who, given)
            known[key] = (
                found
                if self.check is None
                else tuple(each for each in found if not refused(self._refuse_one, scene, who, each, given))
            )
        return cast("tuple[Any, ...]", known[key])

    def ways(self, scene: Scene, who: Who[Any] | None, given: Mapping[str, Any], known: Known) -> tuple[Any, ...]:
        """What may stand for it; where several are picked, none if that is usual, each alone and all together."""
        if self.seldom:
            return (self.default,)
        legal = self.legal(scene, who, given, known)
        if not self.many:
            return legal
        usual = () if self.default is inspect.Parameter.empty else (self.default,)
        return tuple(dict.fromkeys((*usual, *((each,) for each in legal), legal)))


def refused(check: Callable[..., None], *arguments: Any) -> Refused | None:
    try:
        check(*arguments)
    except Refused as why:
        return why
    return None


def pick_by_type(found: FieldType) -> Pick:
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


def pick_of(annotation: Any) -> tuple[Pick | None, bool]:
    """What an annotation says about picking, and whether several are picked."""
    arguments = get_args(annotation)
    if get_origin(annotation) is Annotated:
        mark = next((mark for mark in arguments[1:] if isinstance(mark, Pick)), None)
        return (mark, False) if mark is not None else pick_of(arguments[0])
    if get_origin(annotation) is tuple and arguments[1:] == (...,):
        return pick_of(arguments[0])[0], True
    found = (pick_of(each) for each in arguments if get_origin(annotation) is not Who)
    return next((each for each in found if each[0] is not None), (None, False))


def applies_of(annotation: Any) -> Applies | None:
    """For which options of a family an argument is, if it says so."""
    marks = get_args(annotation)[1:] if get_origin(annotation) is Annotated else ()
    return next((mark for mark in marks if isinstance(mark, Applies)), None)


def picked_names(kind: object) -> Mapping[str, Pick]:
    """The fields of a sheet that hold a name to pick from, or levels with such names."""
    return _picked_names(kind)


def parts_with_names(kind: object) -> Mapping[str, type[Any]]:
    """The fields that list values with such fields of their own: the tasks of a sheet."""
    return _parts_with_names(kind)


@lru_cache(maxsize=1024)
def _picked_names(kind: Any) -> Mapping[str, Pick]:
    marked = ((name, mark) for name, hint in hints(kind).items() for mark in get_args(hint)[1:])
    return {name: mark for name, mark in marked if isinstance(mark, Pick)}


@lru_cache(maxsize=1024)
def _parts_with_names(kind: Any) -> Mapping[str, type[Any]]:
    found: dict[str, type[Any]] = {}
    for name, hint in hints(kind).items():
        listed = get_args(hint)[0] if get_origin(hint) is Annotated else hint
        part = get_args(listed)[0] if get_origin(listed) is tuple else None
        if isinstance(part, type) and is_dataclass(part) and picked_names(part):
            found[name] = part
    return found
