"""The start page: what this is, open a table, join by a code, and return to a seat."""

from __future__ import annotations

from dataclasses import dataclass
from io import BytesIO
from typing import Annotated, ClassVar, final

from fastapi import APIRouter, Path, Request
from starlette.responses import HTMLResponse, Response

from referee import registry
from referee.core.errors import BadInput, Refused
from referee.core.rulebook import Book
from referee.core.system import System
from referee.table import master_desk
from referee.table.desk import DeskCommand
from referee.table.members import Role
from referee.web.demo import sample_scene, samples
from referee.web.errors import not_found
from referee.web.limits import address_of
from referee.web.pages.forms import Sent, at, go
from referee.web.pages.page import WORDS, show
from referee.web.pages.parts.options import OptionShown, options_by_chapter, settings_in
from referee.web.pages.table_view import see
from referee.web.sign_in import LONGEST_SECRET, check_origin, remember_seat, seated_sessions, secrets_of
from referee.web.state import ServerState, server_state

router = APIRouter(include_in_schema=False)


@final
@dataclass(frozen=True)
class Game:
    """A system that can be played here."""

    name: str
    title: str
    about: str
    samples: tuple[tuple[str, str], ...]
    """The names and titles of its samples, those to try first at the front."""
    options: tuple[tuple[str, tuple[OptionShown, ...]], ...]
    """Its options, by chapter."""


@final
@dataclass(frozen=True)
class SeatCard:
    """A table at which this browser has a seat."""

    campaign: str
    name: str
    system: str
    title: str
    role: str


@final
@dataclass(frozen=True)
class DoorScreen:
    template: ClassVar[str] = "door.html"
    games: tuple[Game, ...]
    seats: tuple[SeatCard, ...]
    may_create: bool


@final
@dataclass(frozen=True)
class JoinScreen:
    template: ClassVar[str] = "join.html"
    code: str
    name: str = ""
    problem: str = ""


@final
@dataclass(frozen=True)
class SitScreen:
    template: ClassVar[str] = "sit.html"
    secret: str


@router.get("/")
def door(request: Request) -> HTMLResponse:
    state = server_state(request)
    games = tuple(_game(registry.load(name)) for name in registry.names())
    return show(DoorScreen(games, _seats(request, state), state.settings.create))


def _game(system: System) -> Game:
    options = options_by_chapter(Book(system.printed_book))
    about = (system.words.say("about") if "about" in system.words else "").strip()
    titles = {key: title for key, (title, _) in samples(system.name).items()}
    first = dict.fromkeys((*system.look.samples, *titles))
    return Game(system.name, system.title, about, tuple((key, titles[key]) for key in first), options)


def _seats(request: Request, state: ServerState) -> tuple[SeatCard, ...]:
    secrets, by_cookie = secrets_of(request)
    known = seated_sessions(state.hub, secrets) if by_cookie else []
    found = []
    for each in reversed(known):
        about = state.about(each.campaign)
        role = state.hub.read(each.campaign, each.seat, lambda desk: desk.member.role.value)
        system = str(about["system"])
        found.append(SeatCard(each.campaign, str(about["name"]), system, registry.load(system).title, role))
    return tuple(found)


@router.post("/tables")
def open_table(request: Request, form: Sent) -> Response:
    """Open a new table."""
    state = _newcomer(request)
    state.check_may_create()
    system = _known(form.one("system"))
    scene = sample_scene(system, form.one("sample")) if form.one("sample") else {}
    name = form.one("name") or system.title
    options = settings_in(form, system.name)
    Book(system.printed_book, options=options)  # refused before there is a table
    made = state.hub.create(name, system.name, scene, form.one("master") or "Game master")
    if options:
        state.hub.act(made.campaign, made.seat, DeskCommand(master_desk.house_rules, {"options": options}))
    return _seated(request, made.campaign, made.token)


@router.post("/imports")
def import_table(request: Request, form: Sent) -> Response:
    """Import an exported campaign as a new table; whoever does it is its game master."""
    state = _newcomer(request)
    state.check_may_create()
    _, data = form.files.get("campaign", ("", b""))
    if not data:
        raise BadInput("campaign", WORDS.say("door.import-file"))
    with state.importing():
        header = state.hub.import_file(BytesIO(data))
    made = state.hub.add_seat(header.id, form.one("master") or WORDS.say("door.you"), Role.MASTER)
    return _seated(request, made.campaign, made.token)


@router.post("/demo/{system}")
def demo(request: Request, system: Annotated[str, Path(max_length=64)], form: Sent) -> Response:
    """A demo that one person plays alone: a whole sample, seen as the game master."""
    state = _newcomer(request)
    state.check_may_create()
    found = _known(system)
    known = samples(found.name)
    sample = form.one("sample") or next(iter(known), "")
    scene = sample_scene(found, sample)
    made = state.hub.create(known[sample][0], found.name, scene, WORDS.say("door.you"))
    people = state.hub.read(made.campaign, made.seat, lambda desk: see(desk, state.about(made.campaign))).people
    return _seated(request, made.campaign, made.token, next(iter(people), None))


@router.get("/join/{code}")
def join_page(code: Annotated[str, Path(max_length=64)]) -> HTMLResponse:
    return show(JoinScreen(code))


@router.get("/join")
def join_by_code(code: str = "") -> HTMLResponse:
    return show(JoinScreen(code[:64]))


@router.post("/join")
def join(request: Request, form: Sent) -> Response:
    """Join by a code, with a name."""
    state = _newcomer(request)
    code, name = form.one("code"), form.one("name")
    try:
        made = state.hub.join(code, name)
    except (Refused, BadInput) as why:
        because = why.because if isinstance(why, Refused) else str(why)
        return show(JoinScreen(code, name, because), 422)
    return _seated(request, made.campaign, made.token)


@router.get("/sit/{secret}")
def sit_page(secret: Annotated[str, Path(max_length=LONGEST_SECRET)]) -> HTMLResponse:
    return show(SitScreen(secret))


@router.post("/sit")
def sit(request: Request, form: Sent) -> Response:
    """Return to one's own seat, by a link from the game master."""
    state = _newcomer(request)
    made = state.hub.rejoin(form.one("secret"))
    return _seated(request, made.campaign, made.token)


def _newcomer(request: Request) -> ServerState:
    state = server_state(request)
    check_origin(request, by_cookie=False)
    state.newcomers.take(address_of(request.scope))
    return state


def _known(system: str) -> System:
    if system not in registry.names():
        raise not_found("there is no such system", where="system", legal=registry.names())
    return registry.load(system)


def _seated(request: Request, campaign: str, token: str, acting: str | None = None) -> Response:
    response = go(request, at(f"/table/{campaign}", **{"as": acting}))
    remember_seat(request, response, campaign, token)
    return response
