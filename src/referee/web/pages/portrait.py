"""The picture of a character or a draft: upload one, choose the square that is shown, remove it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, final
from urllib.parse import quote

from fastapi import APIRouter, Query, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from referee.core.drafts import NAME
from referee.core.errors import BadInput
from referee.core.plain import is_number
from referee.table import draft_desk, portrait_desk
from referee.table.desk import Desk, DeskCommand
from referee.table.portraits import SMALLEST, Portrait
from referee.web.api.notes import keep_picture, portrait_of
from referee.web.limits import check_characters
from referee.web.pages.forms import Form, Sent, at
from referee.web.pages.page import HEADERS, WORDS, show
from referee.web.pages.table_view import TableView, see
from referee.web.sign_in import ActingVisitor, CurrentVisitor, Visitor
from referee.web.state import server_state

router = APIRouter(prefix="/table/{campaign}/portrait", include_in_schema=False)
Word = Annotated[str, Query(max_length=200)]


@final
@dataclass(frozen=True)
class PortraitScreen:
    """Someone's picture, and how it is cut."""

    template: ClassVar[str] = "portrait.html"
    view: TableView
    who: str
    draft: str
    name: str
    portrait: Portrait | None
    smallest: int = SMALLEST

    @property
    def back(self) -> str:
        """The page from which one comes: the draft, or the sheet."""
        if self.draft:
            return f"{self.view.here}/drafts/{self.draft}"
        return f"{self.view.here}/sheet/{quote(self.who)}"


def _screen(request: Request, visitor: Visitor, who: str, draft: str) -> PortraitScreen:
    about = server_state(request).about(visitor.campaign)

    def read(desk: Desk) -> PortraitScreen:
        view, portraits = see(desk, about), desk.campaign.setup.portraits
        if draft:
            found = draft_desk.record(desk, draft)
            name = draft_desk.form_of(desk, draft).draft.one(NAME.key) or WORDS.say("drafts.nameless")
            return PortraitScreen(view, "", found.id, name, portraits.drafts.get(found.id))
        portrait_desk.check_portrait(desk, who)
        return PortraitScreen(view, who, "", who, portraits.people.get(who))

    return visitor.read(read)


@router.get("")
def one(request: Request, visitor: CurrentVisitor, who: Word = "", draft: Word = "") -> HTMLResponse:
    return show(_screen(request, visitor, who, draft))


@router.post("")
def save(request: Request, visitor: ActingVisitor, form: Sent) -> Response:
    """Upload a picture, cut it, or remove it."""
    screen = _screen(request, visitor, form.one("who"), form.one("draft"))
    name, data = form.files.get("picture", ("", b""))
    new: Portrait | None
    if data:
        kept = keep_picture(visitor, check_characters(name, "picture")[-200:] or "picture", data)
        new = portrait_of(visitor, kept.file)
    elif form.some("remove"):
        new = None
    elif screen.portrait is None:
        raise BadInput("picture", WORDS.say("portrait.needs"))
    else:
        new = portrait_of(visitor, screen.portrait.file, *(_per_cent(form, each) for each in ("left", "top", "share")))
    if screen.draft:
        visitor.act(DeskCommand(portrait_desk.set_draft_portrait, screen.draft, new))
    else:
        visitor.act(DeskCommand(portrait_desk.set_portrait, screen.who, new))
    here = at(f"{screen.view.here}/portrait", who=screen.who, draft=screen.draft)
    return RedirectResponse(here if data else screen.back, 303, HEADERS)


def _per_cent(form: Form, name: str) -> int:
    text = form.one(name)
    if not is_number(text) or len(text) > 3:
        raise BadInput(name, "must be a number of per cent")
    return int(text)
