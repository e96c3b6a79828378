"""People and scenes: everybody and everything that is there, brought in, changed, hidden, shown and taken out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from typing import Annotated, Any, ClassVar, Final, final

from fastapi import APIRouter, Query, Request
from starlette.responses import HTMLResponse, Response

from referee.core.cards import Pile
from referee.core.errors import BadInput
from referee.core.plain import Plain, unknown
from referee.core.system import HOUSE_NAMES
from referee.web.demo import samples
from referee.web.pages.forms import Form, Sent
from referee.web.pages.master.encounters import Begun, Startable, begun, startable
from referee.web.pages.master.fields import Blank, blanks, filled_in, names_by, words_by
from referee.web.pages.master.frame import Frame, Master, Said, back_to, frame_of
from referee.web.pages.page import show
from referee.web.pages.parts.people import Person, in_brief, roster
from referee.web.sign_in import Here

router = APIRouter(prefix="/table/{campaign}/master", include_in_schema=False)
LONGEST_NAME: Final = 60
UNTOUCHED: Final = frozenset({"book", "veil", "passing"})
"""What is changed elsewhere, or by nobody."""
CARDS: Final = Pile.__name__
Name = Annotated[str, Query(max_length=200)]


@final
@dataclass(frozen=True)
class Thing:
    """Something in the scene that is nobody."""

    name: str
    kind: str
    brief: str
    hidden: bool
    house: bool
    """Whether every scene needs it."""
    editable: bool
    """Cards are not: which they are may be a secret to everybody."""


@final
@dataclass(frozen=True)
class Pattern:
    """Somebody to copy: of a sample, or of the scene."""

    key: str
    title: str


@final
@dataclass(frozen=True)
class PeopleScreen:
    """Everybody and everything in the scene."""

    template: ClassVar[str] = "master/people.html"
    frame: Frame
    people: tuple[Person, ...]
    things: tuple[Thing, ...]
    patterns: tuple[Pattern, ...]
    by_chance: bool
    encounters: tuple[Begun, ...]
    startable: tuple[Startable, ...]


@final
@dataclass(frozen=True)
class PersonScreen:
    """A sheet, or anything else of a scene, to be filled in."""

    template: ClassVar[str] = "master/person.html"
    frame: Frame
    name: str
    """Empty where it is new."""
    kind: str
    suggested: str
    blanks: tuple[Blank, ...]


@router.get("")
def people(request: Request, here: Master, said: Said = "") -> HTMLResponse:
    frame = frame_of(request, here, "people", said)
    sight = frame.sight
    going = begun(sight)
    shown = {*sight.people, *(each.name for each in going), *UNTOUCHED}
    scene: Mapping[str, Mapping[str, Plain]] = sight.view["scene"]
    hidden = scene.get("veil", {}).get("names", ())
    things = tuple(
        Thing(name, str(plain["kind"]), _brief(plain), name in hidden, name in HOUSE_NAMES, plain["kind"] != CARDS)
        for name, plain in scene.items()
        if name not in shown
    )
    return show(
        PeopleScreen(
            frame,
            roster(sight),
            things,
            tuple(_patterns(frame)),
            sight.system.at_random is not None,
            going,
            startable(sight),
        )
    )


def _brief(plain: Mapping[str, Plain]) -> str:
    return in_brief({name: value for name, value in plain.items() if name != "kind" and value not in ([], {}, "")})


def _patterns(frame: Frame) -> list[Pattern]:
    sight = frame.sight
    sheets = sight.system.sheet.__name__
    here = [Pattern(f"scene/{name}", name) for name in sight.people]
    return here + [
        Pattern(f"{key}/{name}", f"{name} ({title})")
        for key, (title, scene) in samples(sight.system.name).items()
        for name, plain in scene.items()
        if plain.get("kind") == sheets
    ]


@router.get("/person")
def person(request: Request, here: Master, name: Name = "", copy: Name = "", chance: bool = False) -> HTMLResponse:
    """A form: of somebody there is, or of somebody new, empty, copied or made by chance."""
    frame = frame_of(request, here, "people")
    sight, system = frame.sight, frame.sight.system
    suggested = ""
    if name:
        plain = _there(sight.view["scene"], name)
    elif copy:
        suggested, plain = _copied(frame, copy)
    elif chance and system.at_random is not None:
        plain = system.plain_value(system.at_random(sight.scene, Random()))  # a sheet is no secret
    else:
        plain = system.plain_value(system.value({}, "new"))
    kind = system.kind(str(plain["kind"]))
    form = blanks(kind, plain, words_by(sight), names_by(sight))
    return show(PersonScreen(frame, name, kind.__name__, suggested, form))


def _there(scene: Mapping[str, Mapping[str, Plain]], name: str) -> Mapping[str, Plain]:
    known = [each for each, plain in scene.items() if each not in UNTOUCHED and plain["kind"] != CARDS]
    if name not in known:
        raise BadInput("name", unknown(name, tuple(known)))
    return scene[name]


def _copied(frame: Frame, key: str) -> tuple[str, Mapping[str, Plain]]:
    """Somebody like another, under a name that is free."""
    source, _, name = key.partition("/")
    known = samples(frame.sight.system.name)
    there: Mapping[str, Any] = frame.sight.view["scene"]
    scene = there if source == "scene" else known[source][1] if source in known else {}
    if name not in scene:
        raise BadInput("copy", unknown(key, tuple(each.key for each in _patterns(frame))))
    names = (name, *(f"{name} {number}" for number in range(2, 1000)))
    return next(each for each in names if each not in there), scene[name]


@router.post("/person")
def save(request: Request, here: Master, form: Sent) -> Response:
    """Somebody new comes in, or what has changed of somebody is set."""
    name = form.one("name")
    if form.one("new"):
        _bring(here, name, form)
        return back_to(request, here, "people", "prepared" if form.one("hidden") else "brought")

    def work(desk: Any) -> None:
        before = _there(desk.view()["scene"], name)
        given = filled_in(desk.campaign.system.kind(str(before["kind"])), form)
        changes = {field: value for field, value in given.items() if value != before.get(field)}
        if changes:
            desk.edit(name, changes)

    here.do(work)
    return back_to(request, here, "people", "edited")


def _bring(here: Here, name: str, form: Form) -> None:
    if not name or len(name) > LONGEST_NAME or not name.isprintable():
        raise BadInput("name", f"must be a name of 1 to {LONGEST_NAME} characters")

    def work(desk: Any) -> None:
        if name in desk.journal.state:
            raise BadInput("name", f"{name} is in the scene already")
        kind = desk.campaign.system.kind(form.one("kind") or desk.campaign.system.sheet.__name__)
        plain = {"kind": kind.__name__, **filled_in(kind, form)}
        if form.one("hidden"):
            desk.prepare(name, plain)
        else:
            desk.edit(name, plain)

    here.do(work)


@router.post("/hide")
def hide(request: Request, here: Master, form: Sent) -> Response:
    here.do(lambda desk: desk.hide(form.one("name"), hidden=True))
    return back_to(request, here, "people", "hid")


@router.post("/show")
def unhide(request: Request, here: Master, form: Sent) -> Response:
    here.do(lambda desk: desk.hide(form.one("name"), hidden=False))
    return back_to(request, here, "people", "showed")


@router.post("/remove")
def remove(request: Request, here: Master, form: Sent) -> Response:
    here.do(lambda desk: desk.remove(form.one("name")))
    return back_to(request, here, "people", "removed")
