"""History: the whole story in pages, replayed step by step, and what an undo would remove."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Any, ClassVar, Final, final

from fastapi import APIRouter, Path, Query, Request
from markupsafe import Markup
from starlette.responses import HTMLResponse, Response

from referee.core.errors import BadInput
from referee.core.plain import Plain
from referee.core.system import HOUSE_NAMES
from referee.core.value_changes import ToldChange
from referee.table import undo_desk
from referee.web.pages.forms import Sent, go
from referee.web.pages.history.recap import GAP
from referee.web.pages.master.fields import words_by
from referee.web.pages.master.frame import Frame, frame_of, held_to
from referee.web.pages.page import WORDS, part, show
from referee.web.pages.parts.story import Piece, StoryWriter, told_changes, undone_in
from referee.web.pages.table_view import PAGE, TableView
from referee.web.sign_in import ActingVisitor, CurrentVisitor, Visitor, remember_seat
from referee.wire import requests

router = APIRouter(prefix="/table/{campaign}", include_in_schema=False)
AROUND: Final = 12
"""How many items of the story are shown before a step."""
MOST_ITEM: Final = 10**9
Item = Annotated[int, Path(ge=0, le=MOST_ITEM)]


@final
@dataclass(frozen=True)
class Pieces:
    """Part of the story, rendered as on the table."""

    template: ClassVar[str] = "table.html"
    view: TableView
    story: tuple[Piece, ...]

    @property
    def here(self) -> str:
        return self.view.here


@final
@dataclass(frozen=True)
class ToldPiece:
    """A piece of the story, and the session that starts with it, if any."""

    piece: Piece
    drawn: Markup
    evening: str = ""
    is_here: bool = False


@final
@dataclass(frozen=True)
class HistoryScreen:
    """A page of the story."""

    template: ClassVar[str] = "history/history.html"
    frame: Frame
    told: tuple[ToldPiece, ...]
    page: int
    pages: int


@final
@dataclass(frozen=True)
class StepScreen:
    """One step, what led up to it, and what changed."""

    template: ClassVar[str] = "history/step.html"
    frame: Frame
    item: int
    told: tuple[ToldPiece, ...]
    altered: tuple[ToldChange, ...]
    notes: tuple[str, ...]
    first: int
    back: int | None
    next: int | None
    last: int
    can_undo: bool


@final
@dataclass(frozen=True)
class UndoScreen:
    """What an undo of a step would remove."""

    template: ClassVar[str] = "history/undo.html"
    frame: Frame
    item: int
    told: tuple[ToldPiece, ...]
    count: int
    barred: str


def drawn(view: TableView, piece: Piece) -> Markup:
    """A piece of the story as the table renders it."""
    return Markup(part(Pieces(view, (piece,)), "pieces"))  # noqa: S704  # a template has escaped it


def tell(view: TableView, items: list[dict[str, Plain]], gone: set[int]) -> Iterator[Piece]:
    return (piece for piece in StoryWriter.of(view).tell(items, gone))


def date_of(at: int) -> str:
    return datetime.fromtimestamp(at, UTC).strftime("%-d %B %Y")


@router.get("/history")
def history(
    request: Request, visitor: CurrentVisitor, page: Annotated[int, Query(ge=1, le=MOST_ITEM)] = 1
) -> HTMLResponse:
    """The story, newest page first; each page reads from top to bottom."""
    frame = frame_of(request, visitor, "story")
    cursor = frame.view.cursor
    pages = max(1, -(-cursor // PAGE))
    stop = cursor - (min(page, pages) - 1) * PAGE
    start = max(0, stop - PAGE)
    gone = _gone(visitor, start, cursor)
    items = visitor.hub.dated_story(visitor.campaign, visitor.seat, max(0, start - 1), stop)
    before = items.pop(0)["at"] if start else None
    found = tuple(_told(frame.view, items, gone, before))
    return show(HistoryScreen(frame, found, min(page, pages), pages))


def _gone(visitor: Visitor, start: int, cursor: int) -> set[int]:
    """Items from one on that are no longer in force: later items say so."""
    return undone_in(visitor.hub.story(visitor.campaign, visitor.seat, start, cursor))


def _told(view: TableView, items: list[dict[str, Plain]], gone: set[int], before: int | None) -> Iterator[ToldPiece]:
    for piece in tell(view, items, gone):
        begins = piece.at is not None and (before is None or piece.at - before > GAP)
        evening = WORDS.say("history.evening", date=date_of(piece.at)) if begins and piece.at is not None else ""
        yield ToldPiece(piece, drawn(view, piece), evening)
        before = piece.at if piece.at is not None else before


@router.get("/history/{item}")
def step(request: Request, visitor: CurrentVisitor, item: Item) -> HTMLResponse:
    """One step: the story up to it, what it changed, and where to go from it."""
    frame = frame_of(request, visitor, "story")
    view, cursor = frame.view, frame.view.cursor
    if item >= cursor:
        raise BadInput("item", "your log has no such item")
    start = max(0, item - PAGE)
    items = visitor.hub.dated_story(visitor.campaign, visitor.seat, start, item + PAGE)
    gone = _gone(visitor, start, cursor)
    found = list(tell(view, items, gone))
    lead = [each for each in found if each.id <= item][-AROUND:]
    this = next(each for each in items if each["id"] == item)
    after = min((each.id for each in found if each.id > item), default=None)
    stop = item + PAGE if after is None else after
    step_of = [each for each in items if item <= each["id"] < stop]  # items that are not told on their own belong to it
    ends = visitor.hub.story(visitor.campaign, visitor.seat, max(0, cursor - PAGE), cursor)
    return show(
        StepScreen(
            frame,
            item,
            tuple(ToldPiece(each, drawn(view, each), "", each is lead[-1]) for each in lead),
            tuple(each for one in step_of for each in _altered(view, one)),
            tuple(each for one in step_of for each in _notes(one)),
            _first(visitor, view),
            max((each.id for each in found if each.id < item), default=None),
            after,
            max((each.id for each in tell(view, ends, set())), default=cursor - 1),
            this["kind"] not in ("said", "undone", "redone") and item not in gone,
        )
    )


def _first(visitor: Visitor, view: TableView) -> int:
    begin = visitor.hub.story(visitor.campaign, visitor.seat, 0, min(PAGE, view.cursor))
    return min((each.id for each in tell(view, begin, set())), default=0)


def _altered(view: TableView, item: Mapping[str, Plain]) -> Iterator[ToldChange]:
    for each in item.get("then", ()):
        yield from told_changes(view.system, each, words_by(view))


def _notes(item: Mapping[str, Plain]) -> Iterator[str]:
    for each in item.get("then", ()):
        if "new" in each and each["who"] not in HOUSE_NAMES:
            yield WORDS.say("history.came", who=each["who"])
        if "gone" in each and each["gone"] not in HOUSE_NAMES:
            yield WORDS.say("history.gone", who=each["gone"])


@router.get("/history/{item}/undo")
def would_undo(request: Request, visitor: CurrentVisitor, item: Item) -> HTMLResponse:
    """What an undo would remove; nothing is undone."""
    frame = frame_of(request, visitor, "story")
    gone = visitor.read(lambda desk: undo_desk.would_undo(desk, item))
    why = visitor.read(lambda desk: undo_desk.may_undo(desk, item))
    pieces = tuple(ToldPiece(each, drawn(frame.view, each)) for each in tell(frame.view, gone, set()))
    return show(UndoScreen(frame, item, pieces, len(pieces), "" if why is None else str(why)))


@router.post("/history/{item}/fork")
def fork(request: Request, visitor: ActingVisitor, item: Item, form: Sent) -> Response:
    """By the game master: fork a new table from before a step, and go there."""
    name = held_to(requests.ForkRequest, item=item, name=form.one("name")).name
    made: Any = visitor.hub.fork(visitor.campaign, visitor.seat, item, name)
    answer = go(request, f"/table/{made.campaign}")
    remember_seat(request, answer, made.campaign, made.token)
    return answer
