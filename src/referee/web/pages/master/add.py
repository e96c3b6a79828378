"""Adding people: ready-made ones, copies of those who are here, or somebody at random; each with one tap."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Final, final
from urllib.parse import urlencode

from fastapi import APIRouter, Query, Request
from starlette.responses import HTMLResponse, Response

from referee.core.errors import BadInput
from referee.core.fresh import fresh
from referee.core.options import present_fields
from referee.core.plain import is_number, unknown
from referee.core.rulebook import BOOK
from referee.core.wording import phrase
from referee.table import draft_desk, master_desk
from referee.table.desk import Desk, DeskCommand
from referee.table.newcomers import names_for
from referee.web.api.drafts import new_draft_id
from referee.web.odds import OddsAsker, while_waited_for
from referee.web.pages.forms import Sent, go
from referee.web.pages.master.frame import Frame, Master, frame_of
from referee.web.pages.master.ready_made import ReadyMade, chances, people, printed, ready_made
from referee.web.pages.page import WORDS, show
from referee.web.pages.parts.people import Person, roster
from referee.web.pages.table_view import TableView, table_view
from referee.web.sign_in import Visitor
from referee.web.state import server_state

router = APIRouter(prefix="/table/{campaign}/master/add", include_in_schema=False)
HERE: Final = "scene"
"""The source of a copy of somebody who is in the scene."""
MOST_COPIES: Final = 12
Words = Annotated[str, Query(max_length=200)]


@final
@dataclass(frozen=True)
class AddScreen:
    """Who can be added, and who is here already."""

    template: ClassVar[str] = "master/add.html"
    frame: Frame
    people: tuple[Person, ...]
    ready: tuple[tuple[str, tuple[ReadyMade, ...]], ...]
    """Those to choose from, in groups."""
    find: str
    count: int
    hidden: bool
    added: str
    """Who was just added."""
    builds: bool
    templates: tuple[str, ...]
    chances: Mapping[str, str] | None = None
    """What each of them can expect of their rolls, by their keys; None until that is worked out."""

    @property
    def tells_chances(self) -> bool:
        rolls = self.frame.view.look.rolls
        return rolls is not None and bool(rolls.typical)

    @property
    def counts(self) -> tuple[int, ...]:
        return tuple(range(1, MOST_COPIES + 1))


@router.get("")
def add_page(
    request: Request, visitor: Master, find: Words = "", count: int = 1, hidden: str = "", added: Words = ""
) -> HTMLResponse:
    return show(add_screen(request, visitor, find, count, hidden, added))


@router.get("/whole")
async def whole_page(
    request: Request, visitor: Master, find: Words = "", count: int = 1, hidden: str = ""
) -> HTMLResponse:
    """The page with everybody's chances on it, for browsers without scripts."""
    return await while_waited_for(
        request,
        visitor.whose,
        lambda odds: show(add_screen(request, visitor, find, count, hidden, odds=odds)),
    )


def add_screen(
    request: Request,
    visitor: Visitor,
    find: str,
    count: int,
    hidden: str,
    added: str = "",
    odds: OddsAsker | None = None,
) -> AddScreen:
    frame = frame_of(request, visitor, "people")
    view = frame.view
    found = tuple(ready_made(view, find))
    grouped = ((WORDS.say("master.add.own"), True), (WORDS.say("master.add.others"), False))
    groups = ((title, tuple(each for each in found if each.is_own is own)) for title, own in grouped)
    there = [each for each in added.split("\n") if each in view.data["scene"]]
    creation = view.system.creation
    return AddScreen(
        frame,
        roster(view),
        tuple((title, people) for title, people in groups if people),
        find,
        min(max(count, 1), MOST_COPIES),
        bool(hidden),
        WORDS.say("master.add.added", who=phrase(there)) if there else "",
        creation is not None,
        tuple(creation.templates(view.scene)) if creation else (),
        {each.key: chances(view, each, odds) for each in found} if odds else None,
    )


@final
@dataclass(frozen=True)
class ReadyChances:
    """The chances of those whose sentences stand on the page already."""

    template: ClassVar[str] = "master/ready_chances.html"
    chances: Mapping[str, str]


@router.get("/chances")
async def ready_chances(request: Request, visitor: Master, find: Words = "") -> Response:
    """What everybody on the page can expect of their rolls."""

    def work(odds: OddsAsker) -> Response:
        view = table_view(visitor, server_state(request).about(visitor.campaign))
        return show(ReadyChances({each.key: chances(view, each, odds) for each in ready_made(view, find)}))

    return await while_waited_for(request, visitor.whose, work)


# --- adding -----------------------------------------------------------------------------------------------------------


@router.post("")
def add(request: Request, visitor: Master, form: Sent) -> Response:
    """Add fresh copies of somebody; the page is shown again as it was, with who was added."""
    view = table_view(visitor, server_state(request).about(visitor.campaign))
    name, value = chosen(view, form.one("copy"))
    count = _count(form.one("count"))
    names = names_for(name, count, view.data["scene"])
    plain = {"kind": type(value).__name__, **present_fields(value, view.scene[BOOK])}
    portrait = name if form.one("copy").startswith(f"{HERE}/") else ""
    hidden = bool(form.one("hidden"))
    visitor.act(DeskCommand(master_desk.add_all, names, plain, hidden=hidden, like=portrait))
    return _again(request, visitor.campaign, form.one("find"), count, hidden, names)


@router.post("/random")
def add_at_random(request: Request, visitor: Master, form: Sent) -> Response:
    """Somebody whom chance has built, in the scene at once."""
    before = visitor.read(_names)
    hidden = bool(form.one("hidden"))
    template = form.one("template")
    visitor.act(DeskCommand(draft_desk.add_at_random, new_draft_id(visitor), template=template, hidden=hidden))
    names = [each for each in visitor.read(_names) if each not in before]
    return _again(request, visitor.campaign, form.one("find"), _count(form.one("count")), hidden, names)


def _names(desk: Desk) -> tuple[str, ...]:
    return tuple(desk.known)


def chosen(view: TableView, key: str) -> tuple[str, Any]:
    """Whom to copy, as they were made."""
    source, _, name = key.partition("/")
    if source == HERE and name in view.people:
        value: Any = view.state[name]
        return name, fresh(view.system, value)
    known = {**printed(view), **people(view.system.name)}
    if key not in known:
        raise BadInput("copy", unknown(key, (*(f"{HERE}/{each}" for each in view.people), *known)))
    return known[key][1], known[key][2]


def _count(text: str) -> int:
    if text and not (is_number(text) and len(text) < 3 and 1 <= int(text) <= MOST_COPIES):
        raise BadInput("count", f"must be 1 to {MOST_COPIES}")
    return int(text or 1)


def _again(request: Request, campaign: str, find: str, count: int, hidden: bool, names: Iterable[str]) -> Response:
    kept = {"find": find, "count": "" if count == 1 else str(count), "hidden": "yes" if hidden else ""}
    query = urlencode({**{key: each for key, each in kept.items() if each}, "added": "\n".join(names)})
    return go(request, f"/table/{campaign}/master/add?{query}")
