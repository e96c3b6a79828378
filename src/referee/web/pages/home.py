"""The start page: what this is, open a table, join by a code, and return to a seat."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from io import BytesIO
from typing import Annotated, ClassVar, final

from fastapi import APIRouter, Path, Request
from starlette.responses import HTMLResponse, Response

from referee import registry
from referee.core.errors import BadInput, Refused
from referee.core.plain import Plain
from referee.core.rulebook import BOOK, Book
from referee.core.system import System
from referee.registry import Front
from referee.table.members import Role
from referee.web.demo import empty_scene, sample_scene, samples
from referee.web.errors import not_found
from referee.web.limits import address_of
from referee.web.pages.forms import Form, Sent, at, go
from referee.web.pages.page import WORDS, show
from referee.web.pages.parts.options import OptionShown, options_by_chapter, settings_in
from referee.web.sign_in import LONGEST_SECRET, check_origin, remember_seat, seated_sessions, secrets_of
from referee.web.state import ServerState, server_state

router = APIRouter(include_in_schema=False)


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
    template: ClassVar[str] = "home.html"
    games: tuple[Front, ...]
    seats: tuple[SeatCard, ...]
    may_create: bool


@final
@dataclass(frozen=True)
class OpenScreen:
    """The optional rules of a new table."""

    template: ClassVar[str] = "open.html"
    game: Front
    options: tuple[tuple[str, tuple[OptionShown, ...]], ...]
    """Its options by chapter, as a new table starts with them."""
    name: str
    master: str


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
def home(request: Request) -> HTMLResponse:
    state = server_state(request)
    games = tuple(registry.front(name) for name in registry.names())
    return show(DoorScreen(games, _seats(request, state), state.settings.create))


def _seats(request: Request, state: ServerState) -> tuple[SeatCard, ...]:
    secrets, by_cookie = secrets_of(request)
    known = seated_sessions(state.hub, secrets) if by_cookie else []
    found = []
    for each in reversed(known):
        about = state.about(each.campaign)
        role = state.hub.read(each.campaign, each.seat, lambda desk: desk.member.role.value)
        system = str(about["system"])
        found.append(SeatCard(each.campaign, str(about["name"]), system, registry.front(system).title, role))
    return tuple(found)


@router.post("/tables")
def open_table(request: Request, form: Sent) -> Response:
    """Open a new table."""
    state = _newcomer(request)
    state.check_may_create()
    system = _known(form.one("system"))
    if form.one("choose"):
        chapters = options_by_chapter(Book(system.printed_book, options=system.new_table))
        return show(OpenScreen(registry.front(system.name), chapters, form.one("name"), form.one("master")))
    options = settings_in(form, system.name)
    Book(system.printed_book, options=options)  # refused before there is a table
    scene = _first_scene(system, form, options)
    name = form.one("name") or system.title
    made = state.hub.create(name, system.name, scene, form.one("master") or WORDS.say("game-master").capitalize())
    state.hub.keep_standing_invitation(made.campaign)
    return _seated(request, made.campaign, made.token)


def _first_scene(system: System, form: Form, options: Mapping[str, Plain]) -> dict[str, Plain]:
    """What a new table starts with: a sample or nobody, and the options chosen on the page before."""
    if form.one("sample"):
        scene = sample_scene(system, form.one("sample"))
        book = scene[BOOK.name]
        return {**scene, BOOK.name: {**book, "options": {**book["options"], **options}}}
    return empty_scene(system, options if options or form.one("chosen") else None)


@router.post("/imports")
def import_table(request: Request, form: Sent) -> Response:
    """Import an exported campaign as a new table; whoever does it is its game master."""
    state = _newcomer(request)
    state.check_may_create()
    _, data = form.files.get("campaign", ("", b""))
    if not data:
        raise BadInput("campaign", WORDS.say("home.import-file"))
    with state.importing():
        header = state.hub.import_file(BytesIO(data))
    made = state.hub.add_seat(header.id, form.one("master") or WORDS.say("home.somebody"), Role.MASTER)
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
    made = state.hub.create(known[sample][0], found.name, scene, WORDS.say("home.somebody"))
    from referee.web.pages.table.table import first_look  # the start page does not wait for the table's
    from referee.web.pages.table_view import see

    acting = state.hub.read(made.campaign, made.seat, lambda desk: first_look(see(desk, state.about(made.campaign))))
    return _seated(request, made.campaign, made.token, acting)


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
    is_new = state.hub.read(
        made.campaign, made.seat, lambda desk: desk.member.role is Role.PLAYER and not desk.member.controls
    )
    return _seated(request, made.campaign, made.token, to="/come-in" if is_new else "")


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


def _seated(request: Request, campaign: str, token: str, acting: str | None = None, to: str = "") -> Response:
    response = go(request, at(f"/table/{campaign}{to}", **{"as": acting}))
    remember_seat(request, response, campaign, token)
    return response
