"""Live updates of the page: its changed fragments in one event, and none if nothing has changed for its seat."""

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
    """Stream what changes on the page."""
    streams = served(request).streams
    reader = Reader(here.campaign, here.seat, here.secret)
    streams.check_room(reader)
    return EventStream(streams.follow(reader, PageEar(request, here, streams, acting, seen)), streams.patience)


@final
class PageEar:
    """What a page shows, so that only changed fragments are sent."""

    def __init__(self, request: Request, here: Here, streams: Streams, acting: str | None, seen: str) -> None:
        self.about = served(request).about
        self.here = here
        self.streams = streams
        self.acting = acting
        self.seen = seen
        self.over = False
        self.behind = False
        self._told: int | None = None
        self._shown: dict[str, str] = {}

    def hear(self) -> list[bytes]:
        """The changed fragments in one event; the first time, all of them or none."""
        try:
            sight = table_view(self.here, self.about(self.here.campaign))
        except NotSeated:
            self.over = True
            return [event_text("left", WORDS.say("left"))]
        if self._told is None:
            return self._begin(sight)
        new = self.here.hub.dated_story(self.here.campaign, self.here.seat, self._told, sight.told)
        moves_back = any(item["kind"] in ("undone", "redone") for item in new)
        items = story_page(self.here, sight.told) if moves_back else new
        screen = table_screen(sight, self.acting, items)
        return self._changed(screen, "story" if moves_back else "more" if new else "")

    def _begin(self, sight: TableView) -> list[bytes]:
        screen = table_screen(sight, self.acting, story_page(self.here, sight.told))
        if screen.seen == self.seen:
            self._told, self._shown = sight.told, screen.fragments
            return []
        return self._changed(screen, "story")

    def _changed(self, screen: TableScreen, story: str) -> list[bytes]:
        now = screen.fragments
        changed = [text for name, text in now.items() if self._shown.get(name) != text]
        if story == "more":
            changed.append(f'<div hx-swap-oob="beforeend:#story">{part(screen, "pieces")}</div>')
        elif story:
            changed.append(part(screen, story))
        self._told, self._shown = screen.sight.told, now
        return [event_text("update", "".join(changed), screen.sight.told)] if changed else []

    def check_secret(self) -> None:
        if self.streams.hub.seat_of(self.here.secret) != (self.here.campaign, self.here.seat):
            self.over = True
