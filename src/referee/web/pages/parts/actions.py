"""What may be done now: each action as a form generated from its declaration, or the reason it is not legal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from inspect import Parameter
from types import NoneType
from typing import Annotated, Any, Final, final, get_args, get_origin

from referee.core.actions import Action
from referee.core.audience import Audience
from referee.core.describe import FieldType, field_type
from referee.core.errors import NotKnown, RefereeError
from referee.core.look import ActionGroup, Look
from referee.core.picks import options_of
from referee.core.plain import Plain, read, write
from referee.core.questions import key_of
from referee.core.relation import Relation
from referee.core.scene import Who
from referee.core.system import System
from referee.core.wording import heading, phrase
from referee.web.pages.forms import number
from referee.web.pages.page import WORDS
from referee.web.pages.parts.ahead import Ahead, asked_ahead
from referee.web.pages.parts.board import TokenFace, face_of
from referee.web.pages.parts.costs import CostMark, costs_of
from referee.web.pages.parts.people import SheetFigure, figures
from referee.web.pages.table_view import TableView

MOST_FIELDS: Final = 3
"""In a form with more fields than this, those one rarely needs are folded away."""
MOST_CHIPS: Final = 5
"""So many values of an argument stand side by side; more are a list to pick from."""
ARGUMENT: Final = "arg-"
"""The prefix of form field names."""
MOST_ROWS: Final = 8
"""More people than this are a list to pick from."""
LETTERS: Final = "QWERTYUIOP"
"""The keys of targets, in the order of the list; R and U mean something else."""
TAKEN: Final = frozenset("RU")


@final
@dataclass(frozen=True)
class Option:
    value: str
    label: str
    face: TokenFace | None = None
    """Whose it is, where it is somebody."""
    vital: SheetFigure | None = None
    key: str = ""
    """The key that picks it."""
    is_rare: bool = False
    """Whether it is somebody one rarely does it to, while others are about."""

    @property
    def id(self) -> str:
        """A part of an id, made of characters that are safe in HTML."""
        return "".join(sign if sign.isalnum() else "-" for sign in self.value) or "none"


@final
@dataclass(frozen=True)
class Field:
    """An argument of an action, as a form field."""

    name: str
    words: str
    kind: str
    """`pick` one, `many`, `check`, `number`, `text` or `mods`."""
    options: tuple[Option, ...] = ()
    value: str = ""
    """What is picked; several are one a line."""
    required: bool = False
    decides: bool = False
    """Whether a later field offers what fits the value of this one."""

    is_decimal: bool = False
    """Whether a number may have a point."""
    is_own: bool = False
    """Whether it is in the form of somebody who acts, not in one of the game master's."""

    is_further: bool = False
    """Whether it can be left as it is, and is folded away."""
    barred: tuple[tuple[str, str, str], ...] | None = None
    """If nobody is preselected, since none of those it is meant for is legal: these, why not, and by which rule."""

    @property
    def is_whom(self) -> bool:
        """Whether it picks one of a few people, who have a line each."""
        return self.kind == "pick" and any(each.face for each in self.options)

    @property
    def meant(self) -> tuple[Option, ...]:
        return tuple(each for each in self.options if not each.is_rare)

    @property
    def rare(self) -> tuple[Option, ...]:
        """Those one rarely means, which are folded away unless one of them is picked."""
        return tuple(each for each in self.options if each.is_rare)

    @property
    def chosen(self) -> Option | None:
        """The option that is picked as the form stands: the first, unless nobody is to be preselected."""
        usual = None if self.value or self.barred is not None else next(iter(self.options), None)
        return next((each for each in self.options if each.value == self.value), usual)

    @property
    def is_settled(self) -> bool:
        """Whether there is one legal value, which goes without saying."""
        return self._is_short and self.required and len(self.options) == 1

    @property
    def is_chips(self) -> bool:
        """Whether its values stand side by side."""
        return self._is_short and 1 < len(self.options) <= MOST_CHIPS

    @property
    def _is_short(self) -> bool:
        """Whether it picks one value, and no other field depends on which."""
        return self.kind == "pick" and self.is_own and not self.decides and self.barred is None

    @property
    def usual(self) -> str:
        """What it is as the form stands, in words; empty if that says nothing."""
        label = self.chosen.label if self.kind == "pick" and self.chosen and self.chosen.value else ""
        return f"{self.words} {label}" if label.isdigit() else label

    @property
    def picked(self) -> list[str]:
        return self.value.split("\n")

    @property
    def field(self) -> str:
        return f"{ARGUMENT}{self.name}"


@final
@dataclass(frozen=True)
class Act:
    """An action that may be taken, or the reason it may not."""

    key: str
    words: str
    says: str
    rule: str
    fields: tuple[Field, ...] = ()
    has_odds: bool = False
    barred: str = ""
    because: str = ""
    """The rule that bars it."""
    instead: tuple[str, ...] = ()
    is_open: bool = False
    """Whether its form is shown: something is being picked."""
    costs: tuple[CostMark, ...] = ()
    ahead: Ahead | None = None
    part: str = ""
    """What the look calls it: `use-skill/climb` for an option of a family."""
    given: tuple[tuple[str, str], ...] = ()
    """What its form sends besides its fields: the option of a family."""
    is_lazy: bool = False
    """Whether its form comes only once it is opened."""
    family: tuple[tuple[str, tuple[Act, ...]], ...] = ()
    """Of a family, its options, by heading."""
    line: str = ""
    """What is said beside an option of a family."""
    index: str = ""
    """Words by which an option is found, besides its name."""

    @property
    def id(self) -> str:
        """A part of an id, made of characters that are safe in HTML."""
        return "".join(sign if sign.isalnum() or sign == "-" else "-" for sign in self.part)

    @property
    def options(self) -> tuple[Act, ...]:
        return tuple(each for _, some in self.family for each in some)

    def with_open(self, chosen: Act) -> Act:
        """The same with the form of one of its options, or its own, shown."""
        if self.part == chosen.part:
            return chosen
        found = tuple((words, tuple(each.with_open(chosen) for each in some)) for words, some in self.family)
        return replace(self, family=found, is_open=any(each.is_open for _, some in found for each in some))

    @property
    def go(self) -> str:
        """What its button says: what is done, and to whom as the form stands."""
        whom = next((each for each in self.fields if each.is_whom), None)
        return f"{self.words}: {whom.chosen.label}" if whom and whom.chosen else self.words

    @property
    def further(self) -> tuple[Field, ...]:
        """What can be left as it is."""
        return tuple(each for each in self.fields if each.is_further)

    @property
    def usually(self) -> str:
        """What that is as the form stands, and what goes without saying."""
        settled = (each.usual for each in self.fields if each.is_settled and not each.is_whom and each.usual)
        return ", ".join(dict.fromkeys((*settled, *(each.usual for each in self.further if each.usual))))


@final
@dataclass(frozen=True)
class ActKind:
    """A kind of actions, as the look groups them; `inner` are kinds within it."""

    words: str
    icon: str
    acts: tuple[Act, ...]
    inner: tuple[ActKind, ...] = ()

    @property
    def count(self) -> int:
        return len(self.acts) + sum(each.count for each in self.inner)

    @property
    def has_odds(self) -> bool:
        return any(act.has_odds for act in self.acts) or any(kind.has_odds for kind in self.inner)

    @property
    def is_open(self) -> bool:
        """Whether the form of one of its actions is being filled in."""
        return any(act.is_open for act in self.acts) or any(kind.is_open for kind in self.inner)


def act_kinds(look: Look, found: Sequence[Act], encounter: str = "") -> tuple[ActKind, ...]:
    """Legal actions by kind: those of the encounter first, then those for everything else, then what is left."""
    legal = {each.part: each for each in found if not each.barred}
    groups = look.groups_in(encounter) if encounter else ()
    kinds = tuple(_kinds(groups, legal))
    rest = {key: each for key, each in legal.items() if not any(key in group.of for group in groups)}
    others = tuple(_kinds(look.groups_in(), rest))
    left = tuple(each for key, each in rest.items() if not any(key in group.of for group in look.groups_in()))
    if kinds:
        more = (ActKind(WORDS.say("acts.peace"), "other", left, others),)
        return (*kinds, *(each for each in more if each.count))
    return (*others, ActKind(WORDS.say("pick.other"), "other", left)) if left else others


def _kinds(groups: Iterable[ActionGroup], legal: Mapping[str, Act]) -> Iterator[ActKind]:
    for group in groups:
        of = tuple(legal[key] for key in group.of if key in legal)
        if of:
            yield ActKind(group.words, group.icon, of)


def acts(view: TableView, who: str | None) -> tuple[Act, ...]:
    """What a character, or the game master, may do; legal actions first."""
    if not view.may_play or (who is None and not view.is_master):
        return ()
    actor = None if who is None else Who(who, view.system.sheet)
    actions = view.system.actions_in(view.scene, master=actor is None)
    found = [each for action in actions for each in _acts(view, action, actor)]
    return tuple(sorted(found, key=lambda each: bool(each.barred)))


def _acts(view: TableView, action: Action[Any], actor: Who[Any] | None) -> Iterator[Act]:
    """An action; a family as a list of its options, and those by themselves that the look names."""
    told = _act(view, action, actor)
    if not told.family:
        yield told
        return
    named = {part for group in view.look.groups for part in group.of}
    yield from (each for each in told.options if each.part in named)
    rest = ((words, tuple(each for each in some if each.part not in named)) for words, some in told.family)
    if left := tuple((words, some) for words, some in rest if some):
        yield replace(told, family=left)


def picking(view: TableView, action: Action[Any], who: str | None, sent: Mapping[str, list[str]]) -> Act:
    """An action whose form is being filled in: later fields offer what fits the earlier ones."""
    actor = None if action.master or who is None else Who(who, view.system.sheet)
    return replace(_act(view, action, actor, sent), is_open=True)


def fitting(
    view: TableView, action: Action[Any], who: str | None, sent: Mapping[str, list[str]]
) -> dict[str, list[str]]:
    """What a form sends; what does not fit the fields before it gives way to the first that does."""
    fits = dict(sent)
    for each in picking(view, action, who, sent).fields:
        values = [option.value for option in each.options]
        if each.kind == "pick" and each.required and values and each.value not in values:
            fits[each.field] = values[:1]
    return fits


def _act(
    view: TableView, action: Action[Any], actor: Who[Any] | None, sent: Mapping[str, list[str]] | None = None
) -> Act:
    option = _option_of(action, sent or {})
    part = action.part(option)
    rule = action.citing(view.scene, option)
    told = Act(
        action.key,
        view.system.action_words(part),
        action.rule.says,
        action.rule.id if rule is action.rule else rule.cites,
        part=part,
        given=tuple((f"{ARGUMENT}{name}", str(value)) for name, value in option.items()),
    )
    try:
        why = action.may(view.scene, actor, **option)
        if why is not None:
            return replace(told, barred=why.because, because=why.rule, instead=tuple(map(str, why.legal)))
        if action.family is not None and not option:
            return replace(told, family=tuple(_options_of(view, action, actor)))
        fields = tuple(each for each in fields_of(view, action, actor, sent) if each.name not in option)
    except NotKnown:
        fields = ()
    except RefereeError as problem:
        return replace(told, barred=str(problem))
    needed = next(
        (each for each in fields if each.required and each.kind in ("pick", "many") and not each.options), None
    )
    if needed:
        return replace(told, barred=WORDS.say("acts.nothing", what=needed.words), because=told.rule)
    costs = tuple(costs_of(view, action, actor)) if view.look.costs else ()
    ahead = _asked_first(view, action, actor) if has_odds(action) and actor is not None else None
    return replace(told, fields=fields, has_odds=has_odds(action), costs=costs, ahead=ahead)


def _asked_first(view: TableView, action: Action[Any], actor: Who[Any]) -> Ahead | None:
    """What an action offers first when it is done in its first legal way."""
    of_turns = (group.of for group in view.look.groups if group.encounter)
    if not view.look.ahead or not any(action.key in keys for keys in of_turns):
        return None
    try:
        way = next(action.legal(view.scene, actor), None)
    except (RefereeError, NotKnown):
        return None
    return None if way is None else asked_ahead(view, action.by(actor, **way))


def _option_of(action: Action[Any], sent: Mapping[str, list[str]]) -> dict[str, Plain]:
    """The option of a family that a form is about."""
    name = action.family.name if action.family else ""
    value = (sent.get(f"{ARGUMENT}{name}") or [""])[-1] if name else ""
    return {name: value} if value else {}


def _options_of(view: TableView, action: Action[Any], actor: Who[Any] | None) -> Iterator[tuple[str, tuple[Act, ...]]]:
    """What a family offers, by heading; the form and the odds of an option are worked out when it is opened."""
    name, told = (action.family.name, action.family.family) if action.family else ("", None)
    for words, some in action.options(view.scene, actor).items():
        options = (
            Act(
                action.key,
                view.system.action_words(part),
                action.rule.says,
                action.citing(view.scene, {name: each}).cites,
                part=part,
                given=((f"{ARGUMENT}{name}", key_of(each)),),
                is_lazy=True,
                line=told.line(view.scene, actor, each) if told else "",
                index=" ".join(told.index(view.scene, each)).casefold() if told else "",
            )
            for each in some
            for part in (action.part({name: each}),)
        )
        yield words, tuple(sorted(options, key=lambda each: each.words))


def fields_of(
    view: TableView, action: Action[Any], actor: Who[Any] | None, sent: Mapping[str, list[str]] | None = None
) -> tuple[Field, ...]:
    """The form of an action; arguments for the game master only are in the game master's form only."""
    first = {} if sent else _preselected(view, action, actor)
    given = first or _given(action, sent or {})
    choices = action.choices(view.scene, actor, given)
    found: list[Field] = []
    for name, parameter in action.parameters.items():
        if not view.is_master and Audience.MASTER in get_args(parameter.annotation):
            continue
        if not action.has(view.scene, actor, name, given):
            continue
        required = parameter.default is parameter.empty or (
            name in action.applies and bool(choices.get(name)) and parameter.default not in choices[name]
        )
        if name in choices:
            ordered = _in_order(view, action.part(given), actor, choices[name])
            options = tuple(Option(_value(each), _option_words(view, name, each)) for each in ordered)
            if not required and options and not any(each.value for each in options):
                continue  # nothing to choose
            default = _value(first.get(name)) if required else _value(parameter.default)
            kind = "many" if action.picks[name].many else "pick"
            if actor is not None and required and kind == "pick" and _are_people(choices[name]) and has_odds(action):
                options = _with_faces(view, actor, options)
                options = _rare_ones(view, action.part(given), actor, ordered, options)
            shown = Field(
                name,
                argument_words(view.system, name),
                kind,
                options,
                default,
                required,
                decides=name in action.deciding,
            )
            if (
                required
                and kind == "pick"
                and ordered
                and _is_unmeant(view, action.part(given), actor, first.get(name, ordered[0]))
            ):
                shown = replace(shown, value="", barred=tuple(_barred(view, action, actor, name, given)))
            found.append(shown)
        else:
            found.append(_optional(view, name, parameter.annotation, parameter.default, actor))
    values = {each.name: sent.get(each.field) for each in found} if sent else {}
    is_long = len(found) > MOST_FIELDS
    return tuple(
        replace(
            each,
            value="\n".join(values.get(each.name) or [each.value]),
            is_further=is_long and not each.required,
            is_own=actor is not None,
        )
        for each in found
    )


def has_odds(action: Action[Any]) -> bool:
    return action.bands.has_stake


def _are_people(choices: Sequence[Any]) -> bool:
    """Whether a line each has room: some people, not too many."""
    return 0 < len(choices) <= MOST_ROWS and all(isinstance(each, Who) for each in choices)


def _with_faces(view: TableView, actor: Who[Any], options: Iterable[Option]) -> tuple[Option, ...]:
    """People with their faces and what everyone watches of them."""
    letters = (letter for letter in LETTERS if letter not in TAKEN)
    return tuple(
        replace(
            each,
            face=replace(face_of(view, each.value), side=_side(view, actor.name, each.value)),
            vital=next((one for one in figures(view, each.value) if one.strip == 1), None),
            key=next(letters, ""),
        )
        if each.value in view.people
        else each
        for each in options
    )


def _rare_ones(
    view: TableView, part: str, actor: Who[Any], choices: Sequence[Any], options: tuple[Option, ...]
) -> tuple[Option, ...]:
    """The options with those marked that one rarely means, if there are others."""
    rare = [_is_unmeant(view, part, actor, each) for each in choices]
    marked = (replace(option, is_rare=is_rare) for option, is_rare in zip(options, rare, strict=True))
    return options if all(rare) else tuple(marked)


@final
@dataclass(frozen=True)
class RepeatedAct:
    """What somebody did last, with everything that its form sends."""

    key: str
    words: str
    fields: tuple[tuple[str, str], ...]


def repeated(view: TableView, who: str, keys: Iterable[str]) -> RepeatedAct | None:
    """The last of these actions that somebody took, if it has odds and may be taken again just so."""
    actor = Who(who, view.system.sheet)
    named = {key.partition("/")[0] for key in keys}
    by_rule = {each.rule.id: each for each in view.system.actions if each.key in named and has_odds(each)}
    for item in reversed(view.recent):
        action = by_rule.get(str(item.get("rule"))) if item["kind"] == "began" else None
        given = dict(item.get("arguments") or {})
        if action is not None and given.pop(next(iter(action.rule.parameters)), None) == who:
            return _again(view, action, actor, given)
    return None


def _again(view: TableView, action: Action[Any], actor: Who[Any], given: Mapping[str, Plain]) -> RepeatedAct | None:
    """The same action once more; None if it is not legal any more."""
    sent = {f"{ARGUMENT}{name}": _as_sent(value) for name, value in given.items() if value not in (None, "", [], False)}
    try:
        if action.may(view.scene, actor, **_given(action, sent)) is not None:
            return None
    except (NotKnown, RefereeError):
        return None
    option = _option_of(action, sent)
    apart = {f"{ARGUMENT}{name}" for name in ("mods", *option)}
    told = ", ".join(value for name, values in sent.items() for value in values if name not in apart)
    words = view.system.action_words(action.part(option))
    fields = tuple((name, value) for name, values in sent.items() for value in values)
    return RepeatedAct(action.key, f"{words}: {told}" if told else words, fields)


def _as_sent(value: Plain) -> list[str]:
    """An argument of the log as a form sends it."""
    if isinstance(value, bool):
        return ["yes" if value else "no"]
    return [str(each) for each in value] if isinstance(value, list) else [str(value)]


def _preselected(view: TableView, action: Action[Any], actor: Who[Any] | None) -> dict[str, Any]:
    """The first person who leaves something for every argument that depends on whom it is done to."""
    required = [name for name in action.picks if action.parameters[name].default is Parameter.empty]
    whom = [name for name in required if name in action.deciding and actor is not None]
    for name in whom:
        for each in _in_order(view, action.key, actor, action.choices(view.scene, actor)[name])[:MOST_ROWS]:
            if all(map(action.choices(view.scene, actor, {name: each}).get, required)):
                return {name: each}
    return {}


def _in_order(view: TableView, part: str, actor: Who[Any] | None, choices: Iterable[Any]) -> list[Any]:
    """The values of an argument. People begin with those one would do it to: foes, unless the look says otherwise."""
    wanted = view.look.targets_of(part).first
    found = list(choices)
    if actor is not None and wanted != "everyone" and any(isinstance(each, Who) for each in found):
        found.sort(key=lambda each: _is_last(view, actor.name, wanted, each))
    return found


def _is_unmeant(view: TableView, part: str, actor: Who[Any] | None, choice: Any) -> bool:
    """Whether a choice is somebody one would rarely do it to, while somebody one would do it to is about."""
    wanted = view.look.targets_of(part).first
    if actor is None or wanted == "everyone" or not isinstance(choice, Who):
        return False
    others = (Who(name, view.system.sheet) for name in view.people if name != actor.name)
    return _is_last(view, actor.name, wanted, choice) and not all(
        _is_last(view, actor.name, wanted, each) for each in others
    )


def _barred(
    view: TableView, action: Action[Any], actor: Who[Any] | None, name: str, given: Mapping[str, Any]
) -> Iterator[tuple[str, str, str]]:
    """Those an action is meant for that are not legal, and why not."""
    for each, why in action.barred(view.scene, actor, name, given).items():
        if isinstance(each, Who) and not _is_unmeant(view, action.part(given), actor, each):
            yield each.name, why.because, why.rule


def _side(view: TableView, who: str, other: str) -> str:
    return "foe" if view.relation(who, other) is Relation.FOE else "ally"


def _is_last(view: TableView, who: str, wanted: str, choice: Any) -> bool:
    """Whether someone is rarely meant: a friend where foes are, or a foe who is out."""
    if not isinstance(choice, Who):
        return False
    is_foe = view.relation(who, choice.name) is Relation.FOE
    return is_foe is not (wanted == "foes") or (is_foe and view.is_out(choice.name))


def _given(action: Action[Any], sent: Mapping[str, list[str]]) -> dict[str, Any]:
    """What was picked so far; what cannot be read is as if it were not picked."""
    given: dict[str, Any] = {}
    for name, plain in arguments_of(sent, action).items():
        with suppress(RefereeError):
            given[name] = read(action.parameters[name].annotation, plain)
    return given


def _optional(view: TableView, name: str, annotation: Any, default: Any, actor: Who[Any] | None) -> Field:
    """A field for an optional argument."""
    found = field_type(annotation)
    words = argument_words(view.system, name, is_mods=found.kind == "mods")
    match found.kind:
        case "check":
            return Field(name, words, "check", value="yes" if default else "")
        case "mods" | "number":
            return Field(name, words, found.kind, value=_value(default), is_decimal=found.type is float)
        case "pick" | "person":
            return Field(name, words, "pick", _options(found, view, actor), _value(default))
        case "list" if found.inner and found.inner.kind in ("check", "pick", "name", "person"):
            return Field(name, words, "many", _options(found.inner, view, actor))
        case "list":
            return Field(name, words, "text")
        case _:
            return Field(name, words, "text", value=_value(default))


def _options(found: FieldType, view: TableView, actor: Who[Any] | None) -> tuple[Option, ...]:
    return tuple(
        Option(_value(each), label(view.system, each) or WORDS.say("acts.none"))
        for each in options_of(found, view.scene, actor)
    )


def _may_be_none(parameter: Parameter) -> bool:
    """Whether an argument that must be given may be nothing: nobody else, none of these."""
    kind = get_args(parameter.annotation)[0] if get_origin(parameter.annotation) is Annotated else parameter.annotation
    return NoneType in get_args(kind)


def _option_words(view: TableView, name: str, option: Any) -> str:
    """An option of an argument as the system words it, or in general words."""
    usual = WORDS.say("acts.none") if option is None or option == "" else label(view.system, option)
    return view.system.words.say_or(f"values.{name}.{key_of(option)}", usual)


def label(system: System, option: Any) -> str:
    """An option of an argument, in words."""
    if isinstance(option, tuple):
        return phrase(write(option), nothing=WORDS.say("nobody"))
    return WORDS.say(key_of(option)) if isinstance(option, bool) else system.in_words(key_of(option))


def _value(option: Any) -> str:
    """An option as the value that a form sends."""
    if option is None:
        return ""
    plain = write(option)
    return "\n".join(map(str, plain)) if isinstance(plain, list) else key_of(option)


def argument_words(system: System, name: str, *, is_mods: bool = False) -> str:
    """What an argument is called in forms."""
    return system.words.say_or(f"arguments.{name}", WORDS.say("acts.mods") if is_mods else heading(name))


def arguments_of(form: Mapping[str, list[str]], action: Action[Any]) -> dict[str, Plain]:
    """The arguments of an action from a submitted form; empty fields are left out."""
    found: dict[str, Plain] = {}
    for name, parameter in action.parameters.items():
        sent = [each for each in form.get(f"{ARGUMENT}{name}", ()) if each.strip()]
        if not sent:
            if f"{ARGUMENT}{name}" in form and parameter.default is parameter.empty and _may_be_none(parameter):
                found[name] = None
            continue
        kind = field_type(parameter.annotation).kind
        if kind == "mods":
            plain = ",".join(sent).replace("\N{MINUS SIGN}", "-")
            found[name] = [part.strip() for part in plain.split(",") if part.strip()]
        elif kind == "list":
            found[name] = [part for text in sent for part in text.split("\n") if part]
        elif kind == "check":
            found[name] = sent[-1] in ("yes", "on", "true")
        elif kind == "number":
            found[name] = number(sent[-1].strip())
        else:
            found[name] = sent[-1]
    return found
