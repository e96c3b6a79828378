"""A check as a URL describes it: in the system's short form, or as an action of someone at the table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any, Final, final, get_args, get_origin

from referee.core.actions import Action, ActionChoice
from referee.core.audience import Audience
from referee.core.errors import BadInput, NotKnown, RefereeError, Refused
from referee.core.knowledge import KnownState, fully_known
from referee.core.modifiers import Mods
from referee.core.plain import Plain
from referee.core.rulebook import BOOK
from referee.core.scene import Scene, Who
from referee.core.visibility import Seat
from referee.core.wording import spaced
from referee.web.pages.forms import Form
from referee.web.pages.page import WORDS
from referee.web.pages.parts.actions import Field, Option, argument_words, arguments_of, fields_of
from referee.web.pages.place import Place
from referee.web.pages.table_view import TableView

ROLLER: Final = "roller"
LONGEST: Final = 60
"""No short form is longer than this."""
TOLD: Final = ("mods", "many", "check", "text")
"""Kinds of optional fields that are mentioned when a check is put into words."""
EVERYTHING_SEEN: Final = Seat("", master=True)
"""The seat for a check that no one at the table makes: nothing is hidden from it."""


@final
@dataclass(frozen=True)
class Trouble:
    """What is wrong with a check, shown next to the field it is about."""

    where: str
    says: str
    legal: tuple[str, ...] = ()
    rule: str = ""


@final
@dataclass(frozen=True)
class CheckQuery:
    """A check, with everything needed to compute its odds."""

    said: str
    offer: ActionChoice
    state: KnownState
    seat: Seat
    sheet: Mapping[str, Plain]
    """The sheet of the character who makes it, whose figures can be varied."""

    @property
    def action(self) -> Action[Any]:
        return self.offer.action

    @property
    def key(self) -> tuple[object, ...]:
        """What its odds depend on."""
        return (self.action.rule.id, str(self.offer.who), repr(self.offer.arguments), self.state, self.seat)


@final
@dataclass(frozen=True)
class ComparedSide:
    """One of the two checks on the page: what was typed, what was picked, and the resulting check or problem."""

    prefix: str
    """The prefix of its form field names."""
    text: str
    who: str | None = None
    action: str = ""
    fields: tuple[Field, ...] = ()
    check: CheckQuery | None = None
    trouble: Trouble | None = None

    @property
    def text_name(self) -> str:
        return "against" if self.prefix else "check"


def examples_of(place: Place) -> tuple[str, ...]:
    """Examples of short forms."""
    words = place.system.words if place.system else WORDS
    return tuple(words.say("odds.examples").split(", ")) if "odds.examples" in words else ()


# --- short forms ------------------------------------------------------------------------------------------------------


def short_check(place: Place, text: str, where: str) -> CheckQuery | Trouble:
    """A check in the system's short form, by the rules that are played here."""
    system = place.system
    assert system is not None  # noqa: S101  # odds are always of one system
    try:
        short = system.shorthand(text) if len(text) <= LONGEST else None
        if short is None:
            says = WORDS.say("odds-page.no-short", text=text[:LONGEST], title=system.title)
            return Trouble(where, says, examples_of(place))
        state = system.new_state({ROLLER: short.sheet}).but(BOOK.name, place.book(system))
        action = system.action(short.action)
        first = next(iter(action.rule.parameters))
        given = action.arguments(Scene(state), {first: ROLLER, **short.arguments})
    except Refused as why:
        return Trouble(where, why.because, why.legal, why.rule)
    except RefereeError as why:
        return Trouble(where, str(why), examples_of(place))
    named = dict(zip(action.rule.parameters, given, strict=True))
    who = named.pop(first)
    return CheckQuery(text, action.by(who, **named), fully_known(state), EVERYTHING_SEEN, short.sheet)


# --- at the table -----------------------------------------------------------------------------------------------------


def people_of(view: TableView) -> tuple[str | None, ...]:
    """Whose checks can be asked about: everyone this seat knows of, and the game master's own."""
    own = any(each.master for each in _telling(view))
    return (*view.people, *((None,) if view.is_master and own else ()))


def actions_of(view: TableView, who: str | None) -> tuple[Option, ...]:
    """The actions of a character, or of the game master, that have odds."""
    words = view.system.words
    return tuple(
        Option(each.key, words.say(f"actions.{each.key}")) for each in _telling(view) if each.master is (who is None)
    )


def _telling(view: TableView) -> list[Action[Any]]:
    return [each for each in view.system.actions if each.bands.has_stake and each.absence(view.scene) is None]


def read_side(place: Place, form: Form, prefix: str = "", usual: ComparedSide | None = None) -> ComparedSide:
    """One of the two checks, from the URL; fields that the URL leaves out are as in `usual`."""
    text = form.one("against" if prefix else "check")
    side = ComparedSide(prefix, text)
    if place.view is not None:
        side = _picked(place.view, form, side, usual)
    if text:
        found = short_check(place, text, side.text_name)
    elif place.view is not None and (not prefix or form.one("compare")):
        found = table_check(place.view, side)
    else:
        return side
    return replace(side, trouble=found) if isinstance(found, Trouble) else replace(side, check=found)


def _picked(view: TableView, form: Form, side: ComparedSide, usual: ComparedSide | None) -> ComparedSide:
    """Fill in whose action it is, and the action's fields as they were sent."""
    prefix = side.prefix
    able = people_of(view)
    wanted = form.fields.get(f"{prefix}who")
    who: str | None = wanted[-1] or None if wanted else usual.who if usual else next(iter(view.people), None)
    who = who if who in able else next(iter(able), None)
    known = actions_of(view, who)
    rolls = view.look.rolls.action if view.look.rolls else ""
    wishes = (form.one(f"{prefix}action"), usual.action if usual else "", rolls)
    action = next((each for each in wishes if any(each == one.value for one in known)), "")
    action = action or (known[0].value if known else "")
    if not action:
        return replace(side, who=who)
    actor = None if who is None else Who(who, view.system.sheet)
    try:
        fields = fields_of(view, view.system.action(action), actor)
    except (NotKnown, RefereeError):
        fields = ()
    is_said = any(name.startswith(f"{prefix}arg-") for name in form.fields)
    before = {each.name: each.value for each in usual.fields} if usual and usual.action == action else {}
    filled = tuple(_filled(each, form, prefix, is_said=is_said, before=before.get(each.name)) for each in fields)
    return replace(side, who=who, action=action, fields=filled)


def _filled(field: Field, form: Form, prefix: str, *, is_said: bool, before: str | None) -> Field:
    """A field with the value sent for it; a required pick without one takes the first option."""
    sent = [each for each in form.fields.get(f"{prefix}{field.field}", ()) if each.strip()]
    known = [each.value for each in field.options]
    if field.kind == "many" and known:
        sent = [each for each in sent if each in known]
    if field.kind == "pick":
        wishes = (*sent[-1:], *((before,) if before is not None and not is_said else ()))
        value = next((each for each in wishes if each in known), field.value)
        return replace(field, value=value if value in known or not field.required else next(iter(known), ""))
    if sent:
        return replace(field, value="\n".join(sent))
    return replace(field, value="" if is_said and field.kind in ("check", "many", "mods") else before or field.value)


def table_check(view: TableView, side: ComparedSide) -> CheckQuery | Trouble:
    """An action as it was picked, using only what this seat knows."""
    if not side.action:
        return Trouble("action", WORDS.say("odds-page.nobody"))
    action = view.system.action(side.action)
    sent = {each.field: each.value.split("\n") if each.kind == "many" else [each.value] for each in side.fields}
    given = {name: value for name, value in arguments_of(sent, action).items() if _may_say(view, action, name)}
    first = next(iter(action.rule.parameters))
    whole = dict(given) if action.master else {first: side.who, **given}
    try:
        values = dict(zip(action.rule.parameters, action.arguments(view.scene, whole), strict=True))
        named = {name: value for name, value in values.items() if name in whole}
        _check_there(view, named)
        actor = None if action.master else named.pop(first)
        why = _refusal(action, view, actor, named)
    except Refused as refusal:
        return Trouble("action", refusal.because, refusal.legal, refusal.rule)
    except BadInput as problem:
        return Trouble(_field_of(problem, action), problem.problem)
    if why is not None:
        return Trouble("action", why.because, tuple(map(str, why.legal)), why.rule)
    sheet = view.data["scene"].get(side.who, {}) if side.who else {}
    return CheckQuery(_in_words(view, side), action.by(actor, **named), view.state, view.seat, sheet)


def _may_say(view: TableView, action: Action[Any], name: str) -> bool:
    """Whether this seat may set this argument."""
    return view.is_master or Audience.MASTER not in get_args(action.parameters[name].annotation)


def _check_there(view: TableView, named: Mapping[str, Any]) -> None:
    """Refuse names of characters who, as far as this seat knows, are not in the scene."""
    for name, value in named.items():
        for each in value if isinstance(value, tuple) else (value,):
            if isinstance(each, Who) and each.name not in view.state:
                raise BadInput(name, WORDS.say("odds-page.not-here", who=each.name))


def _refusal(action: Action[Any], view: TableView, actor: Who[Any] | None, named: Mapping[str, Any]) -> Refused | None:
    try:
        return action.may(view.scene, actor, **named)
    except NotKnown:
        return None


def _field_of(problem: BadInput, action: Action[Any]) -> str:
    """The form field that an error is about."""
    name = problem.where.partition("[")[0].partition(".")[0]
    return f"arg-{name}" if name in action.parameters else "action"


def _in_words(view: TableView, side: ComparedSide) -> str:
    who = side.who or WORDS.say("game-master")
    rest = ", ".join(_told(each) for each in side.fields if each.required or (each.value and each.kind in TOLD))
    action = view.system.words.say(f"actions.{side.action}")
    return WORDS.say("odds-page.line", who=who, action=action, rest=rest) if rest else f"{who}: {action}"


def _told(field: Field) -> str:
    if field.kind == "check":
        return field.words.lower()
    chosen = field.value.split("\n")
    known = {each.value: each.label for each in field.options}
    return known.get(field.value) or ", ".join(known.get(each, each) for each in chosen)


# --- what can be varied -----------------------------------------------------------------------------------------------


@final
@dataclass(frozen=True)
class Along:
    """Something a chart can vary, and its current value."""

    key: str
    words: str
    now: int
    is_mods: bool = False


def alongs(place: Place, check: CheckQuery) -> tuple[Along, ...]:
    """What can be varied in a check: its modifiers and figures, then the figures of the character who makes it."""
    return (*_arguments(place, check), *_figures(place, check))


def _arguments(place: Place, check: CheckQuery) -> Iterator[Along]:
    for name, parameter in check.action.parameters.items():
        if place.view is not None and not _may_say(place.view, check.action, name):
            continue
        kind = parameter.annotation
        kind = get_args(kind)[0] if get_origin(kind) is Annotated else kind
        given = check.offer.arguments.get(name, parameter.default)
        if kind == Mods:
            yield Along(name, _words(place, check, name, is_mods=True), 0, is_mods=True)
        elif kind is int and isinstance(given, int):
            yield Along(name, _words(place, check, name), given)


def _figures(place: Place, check: CheckQuery) -> Iterator[Along]:
    for name, value in check.sheet.items():
        if isinstance(value, int) and not isinstance(value, bool):
            yield Along(name, _words(place, check, name), value)
        elif isinstance(value, dict):
            for level, number in value.items():
                if isinstance(number, int) and not isinstance(number, bool):
                    yield Along(f"{name}.{level}", _words(place, check, f"{name}.{level}"), number)


def _words(place: Place, check: CheckQuery, key: str, *, is_mods: bool = False) -> str:
    system = place.system
    assert system is not None  # noqa: S101  # odds are always of one system
    if check.seat == EVERYTHING_SEEN and f"odds.along.{key}" in system.words:
        return system.words.say(f"odds.along.{key}")
    field, _, level = key.partition(".")
    if level:
        return WORDS.say("odds-page.level", level=level, field=spaced(field))
    vital = next((each.words for each in place.view.look.vitals if each.field == key), "") if place.view else ""
    if is_mods:
        return WORDS.say("odds-page.further")
    return vital or argument_words(system, key)
