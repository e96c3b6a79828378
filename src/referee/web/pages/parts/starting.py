"""Starting an encounter by taps: who is on which side, who leads, and what else its kind needs."""

from __future__ import annotations

from collections import Counter
from dataclasses import MISSING, dataclass, fields, replace
from itertools import pairwise
from typing import Any, Final, final

from referee.core.agenda import check_starts, playing
from referee.core.clock import PASSING
from referee.core.describe import field_type
from referee.core.encounter import Encounter, encounters, stands
from referee.core.errors import BadInput, NotKnown, RefereeError
from referee.core.look import Begins, Places
from referee.core.plain import Plain, unknown
from referee.core.scene import Scene, Who
from referee.core.taking_part import OpenSides, is_taking_part, side_of
from referee.core.wording import capital, class_words, heading
from referee.table.newcomers import base_name
from referee.table.preparations import EncounterStart, Preparation
from referee.web.demo import samples
from referee.web.pages.book.search import title_of as rule_title
from referee.web.pages.forms import Form
from referee.web.pages.master.fields import FIELD, Blank, blanks, filled_in, names_by, words_by
from referee.web.pages.page import WORDS
from referee.web.pages.parts.actions import Field, arguments_of, fields_of
from referee.web.pages.parts.board import TokenFace, face_of, kinds_of, title_of
from referee.web.pages.parts.people import SheetLine, sheet
from referee.web.pages.table_view import TableView

SIDE: Final = "side-"
"""The prefix of the form fields that say which side someone is on."""
LEADER: Final = "leader-"
"""The prefix of those that say who leads a side."""
ZONE: Final = "place-"
"""The prefix of those that name the zones of a small map."""
STANDS: Final = "stands-"
"""The prefix of those that say in which zone somebody stands; nothing: where their side does."""
MOST_SIDES: Final = 4
MOST_ZONES: Final = 4
MOST_LIKELY: Final = 5


@final
@dataclass(frozen=True)
class Partaker:
    """Somebody who may take part, and the side they start on; 0 is none."""

    face: TokenFace
    side: int
    hidden: bool

    @property
    def name(self) -> str:
        return self.face.name


@final
@dataclass(frozen=True)
class Startable:
    """A kind of encounter that can be started, or why it cannot."""

    kind: str
    title: str
    people: tuple[Partaker, ...] = ()
    """Everyone, where it has sides."""
    sides: tuple[str, ...] = ()
    """What each side is called."""
    leads: tuple[str, ...] = ()
    """What the leader of each side is called, where somebody leads."""
    blanks: tuple[Blank, ...] = ()
    """What else has to be said."""
    fields: tuple[Field, ...] = ()
    """What may be said to the action that begins it."""
    has_zones: bool = False
    barred: str = ""
    """Why it cannot be started at all."""
    hint: str = ""
    """Why it cannot be started as it is filled in."""

    @property
    def sided(self) -> bool:
        """Whether everyone in it is on a side."""
        return bool(self.sides)

    @property
    def zones(self) -> range:
        return range(1, MOST_ZONES + 1)


@final
@dataclass(frozen=True)
class Here:
    """Somebody who takes part in a running encounter, or could."""

    face: TokenFace
    side: int | None
    """The side, from 0 on; None for somebody who takes no part."""

    @property
    def name(self) -> str:
        return self.face.name


@final
@dataclass(frozen=True)
class Running:
    """A running encounter: who takes part, who could, and why nobody comes or goes where that is so."""

    name: str
    title: str
    sides: tuple[str, ...]
    people: tuple[Here, ...]
    barred: str = ""

    @property
    def inside(self) -> tuple[Here, ...]:
        return tuple(each for each in self.people if each.side is not None)

    @property
    def outside(self) -> tuple[Here, ...]:
        return tuple(each for each in self.people if each.side is None)


@final
@dataclass(frozen=True)
class PreparedShown:
    """A prepared encounter in words, and why it cannot begin now."""

    id: str
    title: str
    what: str
    sides: tuple[tuple[str, ...], ...]
    hidden: bool
    missing: tuple[str, ...]
    has_forecast: bool = False


# --- what may be started ----------------------------------------------------------------------------------------------


def startable(view: TableView) -> tuple[Startable, ...]:
    """The encounters that could be started; of most kinds only one stands at a time."""
    here = {each["kind"] for each in view.data["scene"].values()}
    return tuple(
        _startable(view, kind, places)
        for kind, places in _kinds(view).items()
        if kind not in here or getattr(view.system.kind(kind), "several", False)
    )


def _kinds(view: TableView) -> dict[str, Places]:
    """The kinds of encounters, as far as the campaign's options have them."""
    drawn = view.look.encounters
    known = kinds_of(view.system)
    return {kind: places for kind, places in known.items() if kind in drawn or kind not in view.system.look.encounters}


def _startable(view: TableView, kind: str, places: Places) -> Startable:
    title, begins = title_of(view.system, kind), places.begins
    if begins is not None and (why := _unavailable(view, begins)):
        return Startable(kind, title, barred=why)
    if not (begins or places.sides):
        return Startable(kind, title, blanks=_needed(view, kind, places))
    able = [name for name in view.people if not view.is_out(name)]
    is_party = begins is not None and len(begins.sides) == 1
    if len(able) < (1 if is_party else 2):
        return Startable(kind, title, barred=WORDS.say("starting.one" if is_party else "starting.two"))
    people = _party(view) if is_party else _partakers(view, alone=_is_single(view, begins))
    sides = _side_names(view, kind, places)
    fields_ = _fields(view, begins, people) if begins else ()
    found = Startable(
        kind,
        title,
        people,
        sides,
        _leaders(view, begins),
        () if begins else _needed(view, kind, places),
        fields_,
        bool(places.zones) and begins is None,
    )
    return replace(found, hint=_hint(view, found))


def _unavailable(view: TableView, begins: Begins) -> str:
    """Why the action that begins it cannot be taken by anybody."""
    action = view.system.action(begins.action)
    if (absent := action.absence(view.scene)) is not None:
        return WORDS.say("starting.option", option=rule_title(absent.rule))
    try:
        why = action.may(view.scene, None) if action.master else None
    except (NotKnown, RefereeError):
        return ""
    return why.because if why else ""


def _is_single(view: TableView, begins: Begins | None) -> bool:
    """Whether a side is one person."""
    if begins is None or begins.members:
        return False
    parameters = view.system.action(begins.action).rule.parameters
    return field_type(parameters[begins.sides[0]].annotation).kind != "list"


def _party(view: TableView) -> tuple[Partaker, ...]:
    """One's own, where there is no other side; if nobody is, everyone."""
    found = _partakers(view, alone=False)
    mine = any(each.side and view.is_own(each.name) for each in found)
    return tuple(replace(each, side=int(bool(each.side) and (view.is_own(each.name) or not mine))) for each in found)


def _partakers(view: TableView, *, alone: bool) -> tuple[Partaker, ...]:
    """One's own against the others; those who are out or hidden are left out at first."""
    found: list[Partaker] = []
    hidden = set(view.data["scene"].get("veil", {}).get("names", ()))
    for name in view.people:
        side = 1 if view.is_own(name) else 2
        if view.is_out(name) or name in hidden or (alone and any(each.side == side for each in found)):
            side = 0
        found.append(Partaker(face_of(view, name), side, name in hidden))
    return tuple(_evened(found))


def _evened(people: list[Partaker]) -> list[Partaker]:
    """Where everyone would be on one side, those of whom there are several are on the other, or else the last."""
    sides = {each.side for each in people} - {0}
    if len(sides) != 1:
        return people
    kinds = Counter(base_name(each.name) for each in people if each.side)
    several = [bool(each.side) and kinds[base_name(each.name)] > 1 for each in people]
    if any(several) and not all(copy or not each.side for each, copy in zip(people, several, strict=True)):
        return [replace(each, side=1 + copy if each.side else 0) for each, copy in zip(people, several, strict=True)]
    other = 3 - next(iter(sides))
    last = max(at for at, each in enumerate(people) if each.side)
    unpicked = next((at for at, each in enumerate(people) if not each.side and not each.hidden), None)
    at = last if sum(bool(each.side) for each in people) > 1 else unpicked
    return people if at is None else [*people[:at], replace(people[at], side=other), *people[at + 1 :]]


def _side_names(view: TableView, kind: str, places: Places) -> tuple[str, ...]:
    count = len(places.begins.sides) if places.begins else len(_named(places)) or MOST_SIDES - 1
    return _called(_named(places), count)


def _named(places: Places) -> tuple[str, ...]:
    """The names that a race gives its sides, or a chase."""
    chase = (WORDS.say("chase.quarry"), WORDS.say("chase.pursuers")) if places.chase else ()
    return places.race.names if places.race else chase


def _called(named: tuple[str, ...], count: int) -> tuple[str, ...]:
    """Sides by the names that a race gives them, or by their numbers."""
    return tuple(
        capital(named[at]) if at < len(named) else WORDS.say("starting.side", number=at + 1) for at in range(count)
    )


def _leaders(view: TableView, begins: Begins | None) -> tuple[str, ...]:
    if begins is None:
        return ()
    if begins.leaders:
        return tuple(heading(name) for name in begins.leaders)
    return (
        tuple(WORDS.say("starting.leader", number=at + 1) for at in range(len(begins.sides))) if begins.leader else ()
    )


def _fields(view: TableView, begins: Begins, people: tuple[Partaker, ...]) -> tuple[Field, ...]:
    """What else may be said to the action: not its sides and leaders, nor what depends on who is on a side."""
    action = view.system.action(begins.action)
    first = [Who(each.name, view.system.sheet) for each in people][:2]
    firsts: tuple[Who[Any] | None, ...] = (None,) if action.master else tuple(first)
    try:
        every = [fields_of(view, action, actor) for actor in firsts]
    except (NotKnown, RefereeError):
        return ()
    same = [each for each in every[0] if all(each in others for others in every)]
    picked = {*begins.sides, *begins.leaders}
    depends = {name for name in action.picks if picked.intersection(action.depends_on(name))}
    return tuple(each for each in same if each.name not in picked | depends and _is_choice(each))


def _is_choice(field: Field) -> bool:
    """Whether there is something to say."""
    return field.required or field.kind not in ("pick", "many") or len(field.options) > (field.kind == "pick")


def _hint(view: TableView, found: Startable) -> str:
    """Why it cannot begin as it is filled in, found out by trying."""
    sent = {f"{SIDE}{each.name}": [str(each.side or "")] for each in found.people}
    for each in found.fields:
        sent[each.field] = each.value.split("\n") if each.value else []
    sent |= {each.field: [each.value] for each in found.blanks}
    try:
        return _why_not(view, start_in(view, Form({**sent, "kind": [found.kind]})))
    except NotKnown:
        return ""
    except RefereeError as why:
        return str(getattr(why, "because", "") or why)


def _why_not(view: TableView, start: EncounterStart) -> str:
    """What the rules say about a start."""
    places = kinds_of(view.system)[start.kind]
    if places.begins is None:
        name = view.system.place_of(start.kind, class_words(start.kind))
        plain = {"kind": start.kind, places.sides: [list(each) for each in start.sides if each], **start.given}
        value = view.system.value(plain, name, view.state)
        if isinstance(value, Encounter):
            check_starts(Scene(view.state.but(name, value)), name)
        return ""
    action = view.system.action(places.begins.action)
    given = start.arguments(view.system)
    call = action.rule(*action.arguments(view.scene, given))
    values = dict(zip(action.rule.parameters, call.args, strict=True))
    actor = None if action.master else values.pop(next(iter(action.rule.parameters)))
    why = action.may(view.scene, actor, **values)
    return why.because if why else ""


def _needed(view: TableView, name: str, places: Places) -> tuple[Blank, ...]:
    """The form fields of what has no default, but for the sides; and inside which other encounter it stands."""
    kind = view.system.kind(name)
    needed = {each.name for each in fields(kind) if each.default is MISSING and each.default_factory is MISSING}
    found = [each for each in blanks(kind, {}, words_by(view), names_by(view)) if _field(each) in needed]
    types = field_type(kind).fields
    asked = [
        replace(each, kind="pick", options=view.people) if types[_field(each)].kind == "person" else each
        for each in found
        if _field(each) != places.sides
    ]
    here = tuple(each.name for each in encounters(view.scene) if each != PASSING and stands(view.scene, each.name))
    if "within" in types and here:
        played = playing(view.scene)
        words = WORDS.say("master.scenes.within")
        asked.append(Blank(f"{FIELD}within", words, "pick", played.name if played else "", ("", *here)))
    return tuple(asked)


def _field(blank: Blank) -> str:
    return blank.field.removeprefix(FIELD)


# --- what a form says -------------------------------------------------------------------------------------------------


def start_in(view: TableView, form: Form) -> EncounterStart:
    """What a form for starting an encounter says."""
    kind, kinds = form.one("kind"), kinds_of(view.system)
    if kind not in kinds:
        raise BadInput("kind", unknown(kind, kinds))
    places = kinds[kind]
    sides = _sides(form, places) if places.begins or places.sides else ()
    leaders = tuple(form.one(f"{LEADER}{at}") for at in range(1, len(sides) + 1))
    if places.begins is not None:
        given = arguments_of(form.fields, view.system.action(places.begins.action))
        picked = (*places.begins.sides, *places.begins.leaders)
        others = {name: value for name, value in given.items() if name not in picked}
        return EncounterStart(kind, sides, leaders, others, hidden=form.one("hidden") == "yes")
    given = {**filled_in(view.system.kind(kind), form), **_zones(form, places, sides)}
    given.pop(places.sides, None)
    return EncounterStart(kind, sides, (), given, hidden=form.one("hidden") == "yes")


def _sides(form: Form, places: Places) -> tuple[tuple[str, ...], ...]:
    found: dict[str, list[str]] = {}
    for field, values in form.fields.items():
        if field.startswith(SIDE) and values[-1] in map(str, range(1, MOST_SIDES + 1)):
            found.setdefault(values[-1], []).append(field.removeprefix(SIDE))
    if len(found) < 2 and (places.begins is None or len(places.begins.sides) > 1):
        raise BadInput("sides", WORDS.say("starting.two-needed"))
    if not found:
        raise BadInput("sides", WORDS.say("starting.one-needed"))
    if places.begins is None:
        return tuple(tuple(found[number]) for number in sorted(found))
    return tuple(tuple(found.get(str(at), ())) for at in range(1, len(places.begins.sides) + 1))


def _zones(form: Form, places: Places, sides: tuple[tuple[str, ...], ...]) -> dict[str, Plain]:
    """A small map: zones in a row, the first side in the first of them, the last in the last."""
    named = {str(at): form.one(f"{ZONE}{at}") for at in range(1, MOST_ZONES + 1)}
    names = [name for name in named.values() if name]
    if not places.zones or not names:
        return {}
    last = len(names) - 1
    stands: dict[str, str] = {}
    for at, side in enumerate(sides):
        for who in side:
            chosen = named.get(form.one(f"{STANDS}{who}"), "")
            stands[who] = chosen or names[round(at * last / max(1, len(sides) - 1))]
    borders = [[one, other] for one, other in pairwise(names)]
    return {places.zones: {"zones": names, "borders": borders, "places": stands}}


# --- while it lasts ---------------------------------------------------------------------------------------------------


def running(view: TableView) -> tuple[Running, ...]:
    """The encounters in the scene with who takes part and who could."""
    kinds = kinds_of(view.system)
    found: list[Running] = []
    for name, plain in view.data["scene"].items():
        places = kinds.get(str(plain["kind"]))
        value: Any = view.state.get(name)
        if places is None or not places.sides or _is_over(view, name, value):
            continue
        title = title_of(view.system, str(plain["kind"]), name)
        if not isinstance(value, OpenSides):
            found.append(Running(name, title, (), (), WORDS.say("taking-part.closed")))
            continue
        found.append(_running(view, name, title, places, value))
    return tuple(found)


def _is_over(view: TableView, name: str, value: Any) -> bool:
    """Whether an encounter is over, as far as this seat knows: who does not know sees it go on."""
    try:
        return isinstance(value, Encounter) and not stands(view.scene, name)
    except NotKnown:
        return False


def _running(view: TableView, name: str, title: str, places: Places, value: OpenSides) -> Running:
    who = view.scene.who(name)
    sides = value.parties()
    people = tuple(
        Here(face_of(view, each), side_of(sides, each) if is_taking_part(view.scene, who, each) else None)
        for each in view.people
    )
    words = _called(_named(places), len(sides))
    return Running(name, title, words, people)


def kept(view: TableView, preparations: tuple[Preparation, ...]) -> tuple[PreparedShown, ...]:
    """The prepared encounters in words."""
    return tuple(
        PreparedShown(
            each.id,
            each.title,
            title_of(view.system, each.start.kind),
            tuple(side for side in each.start.sides if side),
            each.start.hidden,
            tuple(name for name in each.start.people if name not in view.data["scene"]),
            _has_forecast(view, each.start),
        )
        for each in preparations
    )


def scenes_of(view: TableView) -> tuple[tuple[str, str], ...]:
    """The samples of the game that have somebody in them, by key and title."""
    return tuple((key, title) for key, (title, _) in samples(view.system.name).items() if not key.startswith("preset-"))


def likely(view: TableView, name: str) -> tuple[SheetLine, ...]:
    """The lines of a sheet most likely to be rolled: what somebody has learned best, then the others."""
    found = sheet(view, name)
    return (*sorted(found.learned, key=_level, reverse=True), *found.others)[:MOST_LIKELY]


def _level(line: SheetLine) -> int:
    return line.level if isinstance(line.level, int) else 0


def _has_forecast(view: TableView, start: EncounterStart) -> bool:
    kind = view.system.kind(start.kind)
    return issubclass(kind, Encounter) and not kind.by_hand and view.system.fight is not None
