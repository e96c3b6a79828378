"""The page hears what changes: fragments of it, in one event, and nothing when nothing has changed for its seat."""

from __future__ import annotations

from typing import final

from fastapi import APIRouter, Request

from referee.table.members import NotSeated
from referee.web.pages.page import WORDS, part
from referee.web.pages.table.table import As, TableScreen, story_page, table_screen
from referee.web.pages.table_view import TableView, table_view
from referee.web.sign_in import Here, Looking
from referee.web.state import served
from referee.web.stream import EventStream, Reader, Streams, event_text

router = APIRouter(prefix="/table/{campaign}", include_in_schema=False)


@router.get("/live")
async def live(request: Request, here: Looking, acting: As = None, seen: str = "") -> EventStream:
    """What changes on the page, as it changes."""
    streams = served(request).streams
    reader = Reader(here.campaign, here.seat, here.secret)
    streams.check_room(reader)
    return EventStream(streams.follow(reader, PageEar(request, here, streams, acting, seen)), streams.patience)


@final
class PageEar:
    """What a page shows, so that only what changed is sent, as fragments of it."""

    def __init__(self, request: Request, here: Here, streams: Streams, acting: str | None, seen: str) -> None:
        self.about = served(request).about
        self.here = here
        self.streams = streams
        self.acting = acting
        self.seen = seen
        self.over = False
        self.behind = False
        self._cursor: int | None = None
        self._shown: dict[str, str] = {}

    def hear(self) -> list[bytes]:
        """The fragments that changed, in one event; the first time, all of them or none."""
        try:
            sight = table_view(self.here, self.about(self.here.campaign))
        except NotSeated:
            self.over = True
            return [event_text("left", WORDS.say("left"))]
        if self._cursor is None:
            return self._begin(sight)
        new = self.here.hub.dated_story(self.here.campaign, self.here.seat, self._cursor, sight.cursor)
        moves_back = any(item["kind"] in ("undone", "redone") for item in new)
        items = story_page(self.here, sight.cursor) if moves_back else new
        screen = table_screen(sight, self.acting, items)
        return self._changed(screen, "story" if moves_back else "more" if new else "")

    def _begin(self, sight: TableView) -> list[bytes]:
        screen = table_screen(sight, self.acting, story_page(self.here, sight.cursor))
        if screen.seen == self.seen:
            self._cursor, self._shown = sight.cursor, screen.fragments
            return []
        return self._changed(screen, "story")

    def _changed(self, screen: TableScreen, story: str) -> list[bytes]:
        now = screen.fragments
        changed = [text for name, text in now.items() if self._shown.get(name) != text]
        if story == "more":
            changed.append(f'<div hx-swap-oob="beforeend:#story">{part(screen, "pieces")}</div>')
        elif story:
            changed.append(part(screen, story))
        self._cursor, self._shown = screen.sight.cursor, now
        return [event_text("update", "".join(changed), screen.sight.cursor)] if changed else []

    def check_secret(self) -> None:
        if self.streams.hub.seat_of(self.here.secret) != (self.here.campaign, self.here.seat):
            self.over = True
