"""People and things in the scene: add, edit, hide, show and remove them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Final, final

from fastapi import APIRouter, Query, Request
from starlette.responses import HTMLResponse, Response

from referee.core.cards import Pile
from referee.core.clock import CLOCK
from referee.core.encounter import Encounter
from referee.core.errors import BadInput, RefereeError
from referee.core.options import absent_fields
from referee.core.plain import Plain, unknown
from referee.core.rulebook import BOOK
from referee.core.system import HOUSE_NAMES, System
from referee.core.visibility import Exposure
from referee.core.wording import class_words, phrase
from referee.table import master_desk
from referee.table.desk import DeskCommand
from referee.web.demo import samples
from referee.web.pages.forms import Form, Sent
from referee.web.pages.master.encounters import Begun, Startable, begun, startable
from referee.web.pages.master.fields import Blank, blanks, filled_in, names_by, words_by
from referee.web.pages.master.frame import Frame, Master, Said, back_to, frame_of, held_to
from referee.web.pages.page import show
from referee.web.pages.parts.board import clock
from referee.web.pages.parts.people import Person, roster
from referee.web.pages.table_view import table_view
from referee.web.sign_in import Visitor
from referee.web.state import server_state
from referee.wire import requests

router = APIRouter(prefix="/table/{campaign}/master", include_in_schema=False)
LONGEST_NAME: Final = 60
UNTOUCHED: Final = frozenset({"book", "veil", "passing", "playing"})
"""Values that are edited elsewhere, or never."""
CARDS: Final = Pile.__name__
Name = Annotated[str, Query(max_length=200)]


@final
@dataclass(frozen=True)
class ThingRow:
    """Something in the scene that is not a person."""

    name: str
    kind: str
    brief: str
    hidden: bool
    house: bool
    """Whether the scene cannot do without it."""
    editable: bool
    """Whether it can be edited. Cards cannot: which ones they are may be a secret to everyone."""


@final
@dataclass(frozen=True)
class Pattern:
    """Someone to copy, from a sample or from the scene."""

    key: str
    title: str


@final
@dataclass(frozen=True)
class PeopleScreen:
    """Everyone and everything in the scene."""

    template: ClassVar[str] = "master/people.html"
    frame: Frame
    people: tuple[Person, ...]
    things: tuple[ThingRow, ...]
    patterns: tuple[Pattern, ...]
    builds: bool
    """Whether the system says how characters are built."""
    encounters: tuple[Begun, ...]
    startable: tuple[Startable, ...]
    kinds: tuple[tuple[str, str], ...] = ()
    """What else can be added: kinds of things, each with its words."""


@final
@dataclass(frozen=True)
class PersonScreen:
    """A form for a sheet, or for anything else in a scene."""

    template: ClassVar[str] = "master/person.html"
    frame: Frame
    name: str
    """Empty if it is new."""
    kind: str
    suggested: str
    blanks: tuple[Blank, ...]


@router.get("")
def people(request: Request, visitor: Master, said: Said = "") -> HTMLResponse:
    frame = frame_of(request, visitor, "people", said)
    view = frame.view
    going = begun(view)
    shown = {*view.people, *(each.name for each in going), *UNTOUCHED}
    scene: Mapping[str, Mapping[str, Plain]] = view.data["scene"]
    hidden = scene.get("veil", {}).get("names", ())
    things = tuple(
        ThingRow(
            name,
            str(plain["kind"]),
            _brief(plain) if name != CLOCK.name else clock(view).text,
            name in hidden,
            name in HOUSE_NAMES,
            plain["kind"] != CARDS,
        )
        for name, plain in scene.items()
        if name not in shown
    )
    return show(
        PeopleScreen(
            frame,
            roster(view),
            things,
            tuple(_patterns(frame)),
            view.system.creation is not None,
            going,
            startable(view),
            tuple((kind.__name__, class_words(kind.__name__)) for kind in _other_kinds(view.system)),
        )
    )


def _other_kinds(system: System) -> tuple[type[Any], ...]:
    """The kinds of things that are neither characters nor encounters."""
    return tuple(kind for kind in system.kinds if kind is not system.sheet and not issubclass(kind, Encounter))


def _brief(plain: Mapping[str, Plain]) -> str:
    return phrase({name: value for name, value in plain.items() if name != "kind"}, nothing="")


def _patterns(frame: Frame) -> list[Pattern]:
    view = frame.view
    sheets = view.system.sheet.__name__
    present = [Pattern(f"scene/{name}", name) for name in view.people]
    return present + [
        Pattern(f"{key}/{name}", f"{name} ({title})")
        for key, (title, scene) in samples(view.system.name).items()
        for name, plain in scene.items()
        if plain.get("kind") == sheets
    ]


@router.get("/person")
def person(request: Request, visitor: Master, name: Name = "", copy: Name = "", kind: Name = "") -> HTMLResponse:
    """A form for an existing person or thing, or for a new one: empty, copied, or of another kind."""
    frame = frame_of(request, visitor, "people")
    view, system = frame.view, frame.view.system
    suggested = ""
    if name:
        plain = _there(view.data["scene"], name)
    elif copy:
        suggested, plain = _copied(frame, copy)
    else:
        plain = _empty(system, kind or system.sheet.__name__)
    found = system.kind(str(plain["kind"]))
    absent = absent_fields(found, view.scene[BOOK])
    form = blanks(found, plain, words_by(view), names_by(view), absent=absent)
    return show(PersonScreen(frame, name, found.__name__, suggested, form))


def _empty(system: System, kind: str) -> Mapping[str, Plain]:
    """A new value of a kind; what it must be told is left empty."""
    known = (system.sheet.__name__, *(each.__name__ for each in _other_kinds(system)))
    if kind not in known:
        raise BadInput("kind", unknown(kind, known))
    try:
        made: Mapping[str, Plain] = system.plain_value(system.value({"kind": kind}, "new"))
        return made
    except RefereeError:
        return {"kind": kind}


def _there(scene: Mapping[str, Mapping[str, Plain]], name: str) -> Mapping[str, Plain]:
    known = [each for each, plain in scene.items() if each not in UNTOUCHED and plain["kind"] != CARDS]
    if name not in known:
        raise BadInput("name", unknown(name, tuple(known)))
    return scene[name]


def _copied(frame: Frame, key: str) -> tuple[str, Mapping[str, Plain]]:
    """A copy of someone, under a name that is free."""
    source, _, name = key.partition("/")
    known = samples(frame.view.system.name)
    there: Mapping[str, Any] = frame.view.data["scene"]
    scene = there if source == "scene" else known[source][1] if source in known else {}
    if name not in scene:
        raise BadInput("copy", unknown(key, tuple(each.key for each in _patterns(frame))))
    names = (name, *(f"{name} {number}" for number in range(2, 1000)))
    return next(each for each in names if each not in there), scene[name]


@router.post("/person")
def save(request: Request, visitor: Master, form: Sent) -> Response:
    """Add someone new, or save what has changed about someone."""
    name = form.one("name")
    if form.one("new"):
        _add(request, visitor, name, form)
        return back_to(request, visitor, "people", "prepared" if form.one("hidden") else "brought")

    view = table_view(visitor, server_state(request).about(visitor.campaign))
    before = _there(view.data["scene"], name)
    given = filled_in(view.system.kind(str(before["kind"])), form)
    changes = {field: value for field, value in given.items() if value != before.get(field)}
    if changes:
        visitor.act(DeskCommand(master_desk.edit, name, changes))
    return back_to(request, visitor, "people", "edited")


def _add(request: Request, visitor: Visitor, name: str, form: Form) -> None:
    if not name or len(name) > LONGEST_NAME or not name.isprintable():
        raise BadInput("name", f"must be a name of 1 to {LONGEST_NAME} characters")
    system = server_state(request).system(visitor.campaign)
    kind = system.kind(form.one("kind") or system.sheet.__name__)
    plain = {"kind": kind.__name__, **filled_in(kind, form)}
    visitor.act(DeskCommand(master_desk.add, name, plain, hidden=bool(form.one("hidden"))))


@router.post("/hide")
def hide(request: Request, visitor: Master, form: Sent) -> Response:
    visitor.act(DeskCommand(master_desk.hide, form.one("name"), hidden=True))
    return back_to(request, visitor, "people", "hid")


@router.post("/show")
def unhide(request: Request, visitor: Master, form: Sent) -> Response:
    visitor.act(DeskCommand(master_desk.hide, form.one("name"), hidden=False))
    return back_to(request, visitor, "people", "showed")


@router.post("/expose")
def expose(request: Request, visitor: Master, form: Sent) -> Response:
    """Say how much of somebody's sheet others see."""
    shown = held_to(requests.ExposureRequest, name=form.one("name"), shown=form.one("shown"))
    visitor.act(DeskCommand(master_desk.expose, shown.name, Exposure(shown.shown)))
    return back_to(request, visitor, "people", "exposed")


@router.post("/remove")
def remove(request: Request, visitor: Master, form: Sent) -> Response:
    visitor.act(DeskCommand(master_desk.remove, form.one("name")))
    return back_to(request, visitor, "people", "removed")
