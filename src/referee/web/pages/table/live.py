"""The live page: what changed of it is sent as fragments, in one event, and nothing if nothing changed for its seat."""

from __future__ import annotations

from typing import final

from fastapi import APIRouter, Request

from referee.table.members import NotSeated
from referee.web.pages.page import WORDS, part
from referee.web.pages.table.table import As, TableScreen, live_view, story_page, table_screen
from referee.web.pages.table_view import TableView
from referee.web.sign_in import CurrentVisitor, Visitor
from referee.web.state import server_state
from referee.web.stream import EventStream, event_text

router = APIRouter(prefix="/table/{campaign}", include_in_schema=False)


@router.get("/live")
async def live(request: Request, visitor: CurrentVisitor, acting: As = None, seen: str = "") -> EventStream:
    """Stream what changes on the page."""
    subscriber = PageSubscriber(request, visitor, acting, seen)
    return server_state(request).streams.stream(visitor.session, subscriber)


@final
class PageSubscriber:
    """A page: what it shows, so that only changed fragments are sent."""

    def __init__(self, request: Request, visitor: Visitor, acting: str | None, seen: str) -> None:
        self.state = server_state(request)
        self.visitor = visitor
        self.acting = acting
        self.seen = seen
        self.is_closed = False
        self.has_more = False
        self._cursor: int | None = None
        self._shown: dict[str, str] = {}

    def new_events(self) -> list[bytes]:
        """The changed fragments in one event; the first time, all of them or none."""
        try:
            view = live_view(self.state, self.visitor)
        except NotSeated:
            self.is_closed = True
            return [event_text("left", WORDS.say("left"))]
        if self._cursor is None:
            return self._begin(view)
        new = self.visitor.hub.dated_story(self.visitor.campaign, self.visitor.seat, self._cursor, view.cursor)
        moves_back = any(item["kind"] in ("undone", "redone") for item in new)
        items = story_page(self.visitor, view.cursor) if moves_back else new
        screen = table_screen(view, self.acting, items)
        return self._changed(screen, "story" if moves_back else "more" if new else "")

    def _begin(self, view: TableView) -> list[bytes]:
        screen = table_screen(view, self.acting, story_page(self.visitor, view.cursor))
        if screen.seen == self.seen:
            self._cursor, self._shown = view.cursor, screen.fragments
            return []
        return self._changed(screen, "story")

    def _changed(self, screen: TableScreen, story: str) -> list[bytes]:
        now = screen.fragments
        changed = [text for name, text in now.items() if self._shown.get(name) != text]
        if story == "more":
            changed.append(f'<div hx-swap-oob="beforeend:#story">{part(screen, "pieces")}</div>')
        elif story:
            changed.append(part(screen, story))
        self._cursor, self._shown = screen.view.cursor, now
        return [event_text("update", "".join(changed), screen.view.cursor)] if changed else []

    def check_secret(self) -> None:
        if self.visitor.hub.seat_of(self.visitor.secret) != (self.visitor.campaign, self.visitor.seat):
            self.is_closed = True
