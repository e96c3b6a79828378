"""Notes: the pages everyone shares, one's own, and all that was handed out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, final

from fastapi import APIRouter, Path, Request
from markupsafe import Markup
from starlette.responses import HTMLResponse, Response

from referee.core.errors import BadInput
from referee.table import notebook_desk
from referee.table.desk import Desk, DeskCommand
from referee.table.notebook import Handout, NotebookPage
from referee.web.api.notes import keep_picture
from referee.web.errors import not_found
from referee.web.limits import check_characters
from referee.web.pages.forms import Sent, go
from referee.web.pages.page import WORDS, show
from referee.web.pages.parts.markdown import marked_up
from referee.web.pages.table_view import TableView, see
from referee.web.sign_in import ActingVisitor, CurrentVisitor, Visitor
from referee.web.state import server_state

router = APIRouter(prefix="/table/{campaign}/notes", include_in_schema=False)
PageId = Annotated[str, Path(max_length=32)]


@final
@dataclass(frozen=True)
class PageShown:
    """A page, ready to be read and edited."""

    id: str
    title: str
    text: str
    by: str
    shared: bool

    @property
    def body(self) -> Markup:
        return marked_up(self.text)


@final
@dataclass(frozen=True)
class HandoutShown:
    """Something that was handed out."""

    title: str
    body: Markup
    file: str
    by: str
    to: str


@final
@dataclass(frozen=True)
class NotebookScreen:
    """What a seat may read of the table's notes."""

    template: ClassVar[str] = "notebook.html"
    view: TableView
    shared: tuple[PageShown, ...]
    private: tuple[PageShown, ...]
    handouts: tuple[HandoutShown, ...]

    @property
    def here(self) -> str:
        return f"{self.view.here}/notes"


@router.get("")
def notes(request: Request, visitor: CurrentVisitor) -> HTMLResponse:
    view, pages, handouts = _read(request, visitor)
    shown = tuple(_page(view, each) for each in pages)
    return show(
        NotebookScreen(
            view,
            tuple(each for each in shown if each.shared),
            tuple(each for each in shown if not each.shared),
            tuple(_handout(view, each) for each in reversed(handouts)),
        )
    )


def _read(request: Request, visitor: Visitor) -> tuple[TableView, tuple[NotebookPage, ...], tuple[Handout, ...]]:
    """The table, the pages and the handouts, from one seat at one moment."""
    about = server_state(request).about(visitor.campaign)

    def read(desk: Desk) -> tuple[TableView, tuple[NotebookPage, ...], tuple[Handout, ...]]:
        kept = desk.campaign.setup.notebook
        return see(desk, about), kept.pages_for(desk.member), kept.handouts_for(desk.member)

    return visitor.read(read)


def _page(view: TableView, page: NotebookPage) -> PageShown:
    return PageShown(page.id, page.title, page.text, _name(view, page.by), page.shared)


def _handout(view: TableView, handout: Handout) -> HandoutShown:
    to = "" if handout.to is None else ", ".join(_name(view, each) for each in handout.to)
    return HandoutShown(handout.title, marked_up(handout.text), handout.file, _name(view, handout.by), to)


def _name(view: TableView, seat: str) -> str:
    return view.members[seat].name if seat in view.members else WORDS.say("somebody")


@router.post("")
def write(request: Request, visitor: ActingVisitor, form: Sent) -> Response:
    """Write a new page."""
    return _write(request, visitor, form, notebook_desk.new_page_id(), None)


@router.post("/handouts")
def hand_out(request: Request, visitor: ActingVisitor, form: Sent) -> Response:
    """Hand out a text with a title, a picture, or both, to everyone or to some."""
    name, data = form.files.get("picture", ("", b""))
    file = keep_picture(visitor, check_characters(name, "picture")[-200:] or "picture", data).file if data else None
    if file is None and not form.one("title"):
        raise BadInput("title", WORDS.say("notes.handout-needs"))
    text = form.one("text") or (form.one("title") if file is None else "")
    visitor.act(DeskCommand(Desk.note, text, to=form.all("to") or None, file=file, title=form.one("title")))
    return go(request, f"/table/{visitor.campaign}/notes")


@router.post("/{page}")
def rewrite(request: Request, visitor: ActingVisitor, page: PageId, form: Sent) -> Response:
    """Write a page anew, share it, or remove it."""
    _, pages, _ = _read(request, visitor)
    if page not in {each.id for each in pages}:
        raise not_found("there is no such page", where="page")
    return _write(request, visitor, form, page, form.one("before"))


def _write(request: Request, visitor: Visitor, form: Sent, page: str, before: str | None) -> Response:
    is_removed = form.some("remove")
    title, text = ("", "") if is_removed else (form.one("title"), form.one("text"))
    shared = bool(form.some("shared"))
    visitor.act(DeskCommand(notebook_desk.write, page, title, text, shared=shared, before=before))
    return go(request, f"/table/{visitor.campaign}/notes")
