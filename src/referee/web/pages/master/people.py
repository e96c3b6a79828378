"""People and things in the scene: add, edit, hide, show and remove them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, ClassVar, Final, final

from fastapi import APIRouter, Query, Request
from starlette.responses import HTMLResponse, Response

from referee.core.cards import Pile
from referee.core.catalogue import CatalogueKind, catalogue, find_row
from referee.core.clock import CLOCK
from referee.core.describe import field_type
from referee.core.encounter import Encounter
from referee.core.errors import BadInput, RefereeError
from referee.core.options import absent_fields
from referee.core.plain import Plain, unknown, write
from referee.core.rulebook import BOOK
from referee.core.system import HOUSE_NAMES, System
from referee.core.things import PLACES, free_name, name_of, named
from referee.core.visibility import Exposure
from referee.core.wording import class_words, phrase
from referee.table import master_desk
from referee.table.desk import DeskCommand
from referee.table.newcomers import names_for
from referee.web.pages.forms import Form, Sent, is_live
from referee.web.pages.master.add import chosen
from referee.web.pages.master.encounters import Begun, begun
from referee.web.pages.master.fields import (
    FIELD,
    Offered,
    blanks,
    changed,
    filled_in,
    names_by,
    rows_kept,
    said,
    words_by,
)
from referee.web.pages.master.frame import Frame, Master, Said, back_to, frame_of, held_to
from referee.web.pages.master.sheet_parts import SheetPart, sheet_parts, whole
from referee.web.pages.page import show
from referee.web.pages.parts.board import clock
from referee.web.pages.parts.people import Person, roster
from referee.web.pages.parts.starting import PreparedShown, Startable, kept, scenes_of, startable
from referee.web.pages.parts.things import ThingCard, cards_of_plain
from referee.web.pages.table_view import TableView, table_view
from referee.web.sign_in import Visitor
from referee.web.state import server_state
from referee.wire import requests

router = APIRouter(prefix="/table/{campaign}/master", include_in_schema=False)
LONGEST_NAME: Final = 60
LONGEST_COUNT: Final = 10
UNTOUCHED: Final = frozenset({"book", "veil", "passing", "playing"})
"""Values that are edited elsewhere, or never."""
CARDS: Final = Pile.__name__
WHOLE_PAGE: Final = {"HX-Retarget": "#main", "HX-Reselect": "#main", "HX-Reswap": "outerHTML"}
"""Put the answer in place of the page, not beside the button."""
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
class PeopleScreen:
    """Everyone and everything in the scene."""

    template: ClassVar[str] = "master/people.html"
    frame: Frame
    people: tuple[Person, ...]
    things: tuple[ThingRow, ...]
    encounters: tuple[Begun, ...]
    startable: tuple[Startable, ...]
    kept: tuple[PreparedShown, ...]
    sample_scenes: tuple[tuple[str, str], ...]
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
    parts: tuple[SheetPart, ...]
    hidden: bool = False
    seen: int = 0
    """How many lines the log had when the form was first filled."""
    things: str = ""
    """The field with what somebody has: things are picked for it from the catalogue."""
    catalogue: tuple[CatalogueKind, ...] = ()
    kept_open: frozenset[str] = frozenset()
    """The fields of a thing that play changes; its card says the others."""
    cards: Mapping[str, ThingCard] = field(default_factory=dict)
    """What there is to know of the things in the form, by their names."""
    written: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """The names that are offered for texts, by field."""


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
            going,
            startable(view),
            kept(view, view.preparations),
            scenes_of(view),
            tuple((kind.__name__, class_words(kind.__name__)) for kind in _other_kinds(view.system)),
        )
    )


def _other_kinds(system: System) -> tuple[type[Any], ...]:
    """The kinds of things that are neither characters nor encounters."""
    return tuple(kind for kind in system.kinds if kind is not system.sheet and not issubclass(kind, Encounter))


def _brief(plain: Mapping[str, Plain]) -> str:
    return phrase({name: value for name, value in plain.items() if name != "kind"}, nothing="")


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
    return show(_form(frame, name, suggested, plain))


def _form(
    frame: Frame,
    name: str,
    suggested: str,
    plain: Mapping[str, Plain],
    *,
    offered: Offered | None = None,
    hidden: bool = False,
    seen: int | None = None,
) -> PersonScreen:
    """A form filled with a value, with what it offers to pick from."""
    view, found = frame.view, frame.view.system.kind(str(plain["kind"]))
    absent = absent_fields(found, view.scene[BOOK])
    is_sheet = issubclass(found, view.system.sheet)
    offered = offered or Offered(view.scene)
    offered = replace(offered, written=_written(view)) if is_sheet else offered
    form = blanks(found, plain, words_by(view), names_by(view), absent=absent, offered=offered)
    parts = sheet_parts(view.system, view.look, form) if is_sheet else whole(form)
    things = f"{FIELD}{view.look.items}" if is_sheet and view.look.items else ""
    listed = catalogue(view.system, view.scene[BOOK]) if things else ()
    cards = {each.name: each for each in cards_of_plain(view, plain.get(view.look.items))} if things else {}
    at = view.lines if seen is None else seen
    return PersonScreen(
        frame,
        name,
        found.__name__,
        suggested,
        parts,
        hidden,
        at,
        things,
        listed,
        _played(view) if things else frozenset(),
        cards,
        offered.written,
    )


def _played(view: TableView) -> frozenset[str]:
    """The fields of a thing that play changes: how many there are, where it is, and what has become of it."""
    found = field_type(view.system.sheet).fields[view.look.items]
    kind = found.inner.type if found.inner else str
    return frozenset(
        (*getattr(kind, "in_play", ()), "amount", "place", *(each for each in PLACES if hasattr(kind, each)))
    )


def _written(view: TableView) -> dict[str, Sequence[str]]:
    """The names that are offered for texts on a sheet: those of the book, and where a thing can be."""
    places = {f"{view.look.items}.place": PLACES} if view.look.items else {}
    return {**places, **{name: tuple(each) for name, each in view.system.written(view.scene).items()}}


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
    """Somebody as they were made, under a name that is free."""
    name, value = chosen(frame.view, key)
    return names_for(name, 1, frame.view.data["scene"])[0], frame.view.system.plain_value(value)


@router.post("/person")
def save(request: Request, visitor: Master, form: Sent) -> Response:
    """Add someone new, or save what has changed about someone."""
    name = form.one("name")
    if form.one("more"):
        return _with_row(request, visitor, name, form)
    if form.one("new"):
        _add(request, visitor, name, form)
        return back_to(request, visitor, "people", "prepared" if form.one("hidden") else "brought")

    view = table_view(visitor, server_state(request).about(visitor.campaign))
    kind, seen = view.system.kind(str(_there(view.data["scene"], name)["kind"])), _seen(form, view)
    shown = visitor.read(lambda desk: master_desk.plain_seen(desk, name, seen))
    _check_sides(view, changed(kind, form, shown))
    if changes := said(kind, form, shown):
        visitor.act(DeskCommand(master_desk.edit_seen, name, seen, changes))
    return back_to(request, visitor, "people", "edited")


def _seen(form: Form, view: TableView) -> int:
    """How many lines the log had when a form was filled; as many as now, if it does not say."""
    text = form.one("seen")
    return int(text) if text.isdecimal() and len(text) < LONGEST_COUNT else view.lines


def _check_sides(view: TableView, changes: Mapping[str, Plain]) -> None:
    """Sides are made of people who are here."""
    for key, value in changes.items():
        for side in value if isinstance(value, list) else ():
            for name in side if isinstance(side, list) else ():
                if name not in view.people:
                    raise BadInput(key, unknown(str(name), view.people))


def _with_row(request: Request, visitor: Visitor, name: str, form: Form) -> Response:
    """The same form as it was typed, with an empty row more; nothing is saved."""
    frame = frame_of(request, visitor, "people")
    view = frame.view
    is_new = bool(form.one("new"))
    if is_new:
        shown: Mapping[str, Plain] = {"kind": form.one("kind") or view.system.sheet.__name__}
    else:
        _there(view.data["scene"], name)
        shown = visitor.read(lambda desk: master_desk.plain_seen(desk, name, _seen(form, view)))
    kind, more = view.system.kind(str(shown["kind"])), form.one("more")
    plain = {**shown, **changed(kind, form, shown)}
    listed = view.look.items
    if listed and more == f"{FIELD}{listed}" and (picked := form.one(f"{more}+pick")):
        there = plain.get(listed) or ()
        thing = find_row(view.system, view.scene[BOOK], picked).thing
        taken = [each.name for each in cards_of_plain(view, there)]
        plain[listed] = [*there, write(named(thing, free_name(taken, name_of(thing))))]
        more = ""
    offered = Offered(view.scene, more, rows_kept(kind, form, shown))
    hidden = bool(form.one("hidden"))
    screen = _form(frame, "" if is_new else name, name, plain, offered=offered, hidden=hidden, seen=_seen(form, view))
    return show(screen, headers=WHOLE_PAGE if is_live(request) else None)


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
