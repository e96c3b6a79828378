"""Live streams: every subscriber gets the new items of its seat, and the changes to its view.

A subscriber reads from its seat's desk only, and sends nothing when nothing has changed for that seat: what is hidden
from it does not even cause an event. A client that reads too slowly is dropped; it reconnects with the last id it has
and gets the rest.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Iterable, Iterator, Mapping
from contextlib import aclosing, suppress
from time import monotonic
from typing import Final, NamedTuple, Protocol, final

import anyio
from anyio.to_thread import run_sync
from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from referee.core.plain import Plain
from referee.table.desk import Desk
from referee.table.hub import Hub
from referee.table.members import NotSeated
from referee.web.errors import Problem

LOG: Final = logging.getLogger("referee.web.stream")
HEARTBEAT: Final = 15.0
"""Seconds of silence after which a stream sends a heartbeat."""
PATIENCE: Final = 20.0
"""Seconds a client may go without reading before it is dropped."""
BATCH: Final = 100
MOST_OF_ONE: Final = 12
"""How many streams one seat may have open."""
THREADS: Final = 16
"""Threads in which subscribers read what is new. Requests have their own, however many subscribers there are."""
AWAY_AFTER: Final = 60.0
"""Seconds after which someone is away who has no stream open and loads no page. What they do counts for nothing: if
someone's hidden act showed that they are here, the others would be told of it."""
ANNOUNCED_FOR: Final = 25.0
"""Seconds after which other servers are told again that someone is here."""
SEEN: Final = "seen "
RETRY: Final = b"retry: 2000\n\n"
KEEP_ALIVE: Final = b": still here\n\n"


class Session(NamedTuple):
    """A seat at a campaign, and the secret it was opened with."""

    campaign: str
    seat: str
    secret: str


class Subscriber(Protocol):
    """One end of a stream: it knows what it has sent, and reads what is new."""

    is_closed: bool
    """Whether nothing more will come."""
    has_more: bool
    """Whether there is more to send at once."""

    def new_events(self) -> list[bytes]:
        """Everything to be sent now."""
        ...

    def check_secret(self) -> None:
        """Close it if the secret it was opened with has been revoked."""
        ...


@final
class Streams:
    """The open streams of a server."""

    def __init__(
        self, hub: Hub, most: int, about: Callable[[str], dict[str, Plain]], heartbeat: float = HEARTBEAT
    ) -> None:
        self.hub = hub
        self.most = most
        self.about = about
        self.heartbeat = heartbeat
        self.patience = PATIENCE
        self.stopping = False
        self.threads = anyio.CapacityLimiter(THREADS)
        self._open: dict[object, tuple[Session, Callable[[], None]]] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        self._last_seen: dict[tuple[str, str], float] = {}
        """When each seat last loaded the table or closed a stream, by its campaign and its id."""
        self._announced: dict[tuple[str, str], float] = {}
        """When the other servers were last told so."""

    def __len__(self) -> int:
        return len(self._open)

    def stream(self, session: Session, subscriber: Subscriber) -> EventStream:
        """The stream of a subscriber. Its place is taken at once: however many ask together, the limits hold."""
        mine = Counter((each.campaign, each.seat) for each, _ in self._open.values())[session.campaign, session.seat]
        if self.stopping or len(self._open) >= self.most or mine >= MOST_OF_ONE:
            message = "the server is stopping" if self.stopping else "too many streams are open"
            raise Problem(429, "rate-limited", message, legal=("close another", "wait"), headers={"Retry-After": "5"})
        place = object()
        self._open[place] = (session, _nothing)
        return EventStream(self._follow(place, session, subscriber), self.patience, lambda: self._leave(place))

    def _leave(self, place: object) -> None:
        self._open.pop(place, None)

    def note_seen(self, campaign: str, seat: str) -> None:
        """Someone looks at the table, or did so until now. Pages are told when they come, and when they are away."""
        self.heard_seen(campaign, seat)
        if self._loop is not None:
            with suppress(RuntimeError):  # the server has stopped
                self._loop.call_soon_threadsafe(self._loop.call_later, AWAY_AFTER + 1, self.wake, campaign)

    def announce_seen(self, campaign: str, seat: str) -> None:
        """Tell other servers, if there are any, that someone looks at the table through this one."""
        if self.hub.store.is_shared and self._announced.get((campaign, seat), 0.0) < monotonic() - ANNOUNCED_FOR:
            self._announced[campaign, seat] = monotonic()
            self.hub.store.announce(campaign, SEEN + seat)

    def heard_seen(self, campaign: str, seat: str) -> None:
        """Someone looks at the table, perhaps through another server."""
        is_back = bool(self.away(campaign, (seat,)))
        self._last_seen[campaign, seat] = monotonic()
        if is_back:
            self.wake(campaign)

    def away(self, campaign: str, seats: Iterable[str]) -> frozenset[str]:
        """Those of some seats from which no one looks at the table."""
        lately = monotonic() - AWAY_AFTER
        here = {session.seat for session, _ in list(self._open.values()) if session.campaign == campaign}
        return frozenset(
            each for each in seats if each not in here and self._last_seen.get((campaign, each), 0.0) < lately
        )

    def stop(self) -> None:
        """End all streams, because the server stops."""
        self.stopping = True
        for _, wake in list(self._open.values()):
            wake()

    def wake(self, campaign: str) -> None:
        """Let the subscribers of a campaign read what is new."""
        for session, wake in list(self._open.values()):
            if session.campaign == campaign:
                wake()

    def of(self, session: Session, since: int | None) -> EventStream:
        """The stream of a program, after its first `since` items, or from now on."""
        return self.stream(session, ApiSubscriber(self, session, since))

    async def _follow(self, place: object, session: Session, subscriber: Subscriber) -> AsyncGenerator[bytes]:
        """The events of a subscriber, which is woken after every change to its campaign."""
        changed = asyncio.Event()
        loop = asyncio.get_running_loop()

        def wake() -> None:
            try:
                loop.call_soon_threadsafe(changed.set)
            except RuntimeError:  # the server has stopped; no one is left to notify
                LOG.debug("a stream outlived its server")

        unsubscribe = await run_sync(self.hub.subscribe, session.campaign, wake)
        self._loop = loop
        self.note_seen(session.campaign, session.seat)
        await run_sync(self.announce_seen, session.campaign, session.seat)
        self._open[place] = (session, wake)
        try:
            yield RETRY
            async with aclosing(self._parts(session, subscriber, changed)) as parts:
                async for part in parts:
                    yield part
        finally:
            self._leave(place)
            unsubscribe()
            self.note_seen(session.campaign, session.seat)

    async def _parts(self, session: Session, subscriber: Subscriber, changed: asyncio.Event) -> AsyncGenerator[bytes]:
        loop = asyncio.get_running_loop()
        beat = loop.time() + self.heartbeat
        while not self.stopping:
            changed.clear()
            if new := b"".join(await run_sync(subscriber.new_events, limiter=self.threads)):
                yield new
                beat = loop.time() + self.heartbeat  # a change this seat cannot see must not shift the heartbeat
            if subscriber.is_closed:
                return
            if subscriber.has_more:
                continue
            try:
                async with asyncio.timeout_at(beat):
                    await changed.wait()
            except TimeoutError:
                yield KEEP_ALIVE
                beat = loop.time() + self.heartbeat
                await run_sync(subscriber.check_secret)
                await run_sync(self.announce_seen, session.campaign, session.seat)


def _nothing() -> None:
    """Wakes no one: a stream that has its place, but has not begun."""


@final
class ApiSubscriber:
    """A subscriber for programs: numbered items, and changes to the view."""

    def __init__(self, streams: Streams, session: Session, since: int | None) -> None:
        self.streams = streams
        self.hub = streams.hub
        self.session = session
        self.cursor = since
        self.has_more = False
        self.is_closed = False
        self._sent = SentView()

    def new_events(self) -> list[bytes]:
        """Everything to be sent now."""
        try:
            return list(self._new())
        except NotSeated:
            self.is_closed = True
            return [event("seat-removed", {"message": "this seat is not at the table any more"})]

    def check_secret(self) -> None:
        """A secret may be revoked while its stream is open."""
        if self.hub.seat_of(self.session.secret) != self.session[:2]:
            self.is_closed = True

    def _new(self) -> Iterator[bytes]:
        if self.is_closed:
            return
        cursor, items, view = self.hub.read(*self.session[:2], self._read)
        if self.cursor is not None and self.cursor > cursor:
            yield event("reset", {"cursor": cursor})
            self.cursor = cursor
        if self.cursor is None:
            self.cursor = cursor
        for item in items:
            self.cursor += 1
            yield event("item", item, self.cursor)
        self.has_more = self.cursor < cursor
        if not self.has_more and (patch := self._sent.patch(whole_view(self.about, view))):
            yield event("view", patch)

    def _read(self, desk: Desk) -> tuple[int, list[dict[str, Plain]], dict[str, Plain]]:
        feed = desk.feed
        start = feed.cursor if self.cursor is None else self.cursor
        if start < feed.before:
            return feed.cursor, self.hub.story(*self.session[:2], start, start + BATCH), desk.view()
        return feed.cursor, feed.since(start)[:BATCH], desk.view()

    @property
    def about(self) -> dict[str, Plain]:
        return self.streams.about(self.session.campaign)


@final
class SentView:
    """The view as it was last sent, so that only changes are sent."""

    def __init__(self) -> None:
        self._view: dict[str, Plain] | None = None

    def patch(self, view: dict[str, Plain]) -> dict[str, Plain]:
        """The changed parts; of the scene, the changed names, null for removed ones. The first is the whole view."""
        before, self._view = self._view, view
        if before is None:
            return {**view, "full": True}
        patch = _changed(before, view)
        if "scene" in patch:
            gone = dict.fromkeys(before["scene"].keys() - view["scene"].keys())
            patch["scene"] = _changed(before["scene"], view["scene"]) | gone
        return patch


def _changed(before: Mapping[str, Plain], now: Mapping[str, Plain]) -> dict[str, Plain]:
    """The entries that are new or different."""
    return {name: part for name, part in now.items() if name not in before or before[name] != part}


def whole_view(about: Mapping[str, Plain], view: Mapping[str, Plain]) -> dict[str, Plain]:
    """A view together with the details of its campaign."""
    return {"campaign": {**about, "seat": view["you"]["id"], "role": view["you"]["role"]}, **view}


def event(kind: str, data: Plain, number: int | None = None) -> bytes:
    """One event as it is sent."""
    return event_text(kind, json.dumps(data, ensure_ascii=False, separators=(",", ":")), number)


def event_text(kind: str, text: str, number: int | None = None) -> bytes:
    """An event whose data is a text of any number of lines."""
    head = "" if number is None else f"id: {number}\n"
    data = "".join(f"data: {line}\n" for line in text.replace("\r", " ").split("\n"))
    return f"{head}event: {kind}\n{data}\n".encode()


@final
class EventStream(StreamingResponse):
    """A response of events. It ends when the client disconnects, or does not read for too long."""

    media_type = "text/event-stream"

    def __init__(
        self, parts: AsyncGenerator[bytes], patience: float = PATIENCE, ended: Callable[[], None] = lambda: None
    ) -> None:
        super().__init__(parts, headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"})
        self.parts = parts
        self.patience = patience
        self.ended = ended

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            async with anyio.create_task_group() as group:

                async def until_gone() -> None:
                    await self.listen_for_disconnect(receive)
                    group.cancel_scope.cancel()

                group.start_soon(until_gone)
                await self.stream_response(send)
                group.cancel_scope.cancel()
        finally:
            self.ended()

    async def stream_response(self, send: Send) -> None:
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        async with aclosing(self.parts) as parts:
            async for part in parts:
                try:
                    with anyio.fail_after(self.patience):
                        await send({"type": "http.response.body", "body": part, "more_body": True})
                except TimeoutError:
                    LOG.info("a client read too slowly, and was dropped")
                    return
        await send({"type": "http.response.body", "body": b"", "more_body": False})
