"""The live stream: every item once, in order, across lost connections and restarts; nothing of what is hidden."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
from collections.abc import AsyncGenerator, Callable
from itertools import pairwise
from queue import Queue
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from tests.pictures import png
from tests.web.conftest import until

from referee.client import ApiError, Client, Event, SeatClient, apply_view_patch
from referee.web.stream import EventStream

if TYPE_CHECKING:
    from tests.web.conftest import Party, Running


class StreamReader:
    """Reads a stream in a thread of its own."""

    def __init__(self, seat: SeatClient, since: int | None = None, *, follow: bool = False) -> None:
        self.received: list[Event] = []
        self.ended = threading.Event()
        self._new: Queue[Event] = Queue()
        self._events = seat.follow(since, 5.0) if follow else seat.events(since)
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        try:
            for event in self._events:
                self.received.append(event)
                self._new.put(event)
        except (httpx.TransportError, RuntimeError):  # the test is over, and its client closed
            pass
        finally:
            self.ended.set()

    def next(self, kind: str, seconds: float = 10.0) -> Event:
        """The next event of a kind."""
        while True:
            event = self._new.get(timeout=seconds)
            if event.kind == kind:
                return event

    @property
    def items(self) -> list[Event]:
        return [each for each in self.received if each.kind == "item"]


def text(event: Event) -> str:
    return str(event.data.get("text", ""))


def test_a_stream_begins_with_the_view_and_goes_on_with_what_happens(party: Party) -> None:
    subscriber = StreamReader(party.anna)
    first = subscriber.next("view")
    assert first.data.pop("full")
    assert first.data == json.loads(party.anna.view().model_dump_json(exclude_unset=True))
    party.ben.note("hello")
    item = subscriber.next("item")
    assert (text(item), item.id) == ("hello", first.data["cursor"] + 1)
    assert subscriber.next("view").data == {"cursor": item.id}


def test_the_view_kept_by_events_is_the_view(party: Party) -> None:
    subscriber = StreamReader(party.anna)
    view = apply_view_patch({}, subscriber.next("view").data)
    party.mo.edit("Brekk", stress=5)
    party.mo.remove("Brekk")
    party.mo.edit("Kay", kind="Colonist", stress=1)
    party.mo.settings(undo="anyone")
    party.mo.rename("Friday nights")
    now = json.loads(party.anna.view().model_dump_json(exclude_unset=True))
    while view != now:
        view = apply_view_patch(view, subscriber.next("view").data)


def test_a_change_sends_only_what_changed(party: Party) -> None:
    subscriber = StreamReader(party.anna)
    subscriber.next("view")
    party.mo.edit("Brekk", stress=5)
    patch = subscriber.next("view").data
    assert patch.keys() == {"cursor", "scene"}
    assert patch["scene"].keys() == {"Brekk"}


def test_a_lost_connection_is_taken_up_where_it_ended(party: Party) -> None:
    first = StreamReader(party.anna)
    have = first.next("view").data["cursor"]
    for number in range(5):
        party.ben.note(f"{number}")
    for _ in range(3):
        have = first.next("item").id or 0
    second = StreamReader(party.anna, have)
    assert [text(second.next("item")) for _ in range(2)] == ["3", "4"]
    second.next("view")
    assert [each.id for each in second.items] == [have + 1, have + 2]


def test_everything_from_the_beginning_can_be_heard(party: Party) -> None:
    told = party.anna.view().cursor
    subscriber = StreamReader(party.anna, 0)
    subscriber.next("view")
    assert [each.id for each in subscriber.items] == list(range(1, told + 1))
    assert [each.data["id"] for each in subscriber.items] == list(range(told))


def test_who_has_more_than_was_ever_told_is_reset(party: Party) -> None:
    told = party.anna.view().cursor
    subscriber = StreamReader(party.anna, told + 50)
    assert subscriber.next("reset").data == {"cursor": told}
    subscriber.next("view")


def test_nothing_is_lost_or_told_twice_over_a_restart(serve: Callable[..., Running]) -> None:
    server = serve()
    with Client(server.address) as client:
        mo = client.create("Thursday", "alien", sample="derelict", master="Mo")
        anna = client.join(mo.invite(controls=["Ripa"]).code, "Anna")
        subscriber = StreamReader(anna, 0, follow=True)
        for round_ in range(3):
            for number in range(4):
                mo.note(f"{round_}.{number}")
            server.stop()
            server.start()
        mo.note("end")
        while text(subscriber.next("item")) != "end":
            pass
        items = subscriber.items[:-1]
        assert [each.id for each in items] == list(range(1, anna.view().cursor))
        assert [text(each) for each in items if text(each)] == [f"{r}.{n}" for r in range(3) for n in range(4)]
        assert [each.data for each in items] == [item.model_dump() for item in anna.log(limit=200).items[:-1]]
        mo.remove_seat(anna.seat)
        assert subscriber.ended.wait(5)


def test_what_is_hidden_causes_no_event(party: Party) -> None:
    party.mo.edit("Stowaway", kind="Colonist")
    party.mo.hide("Stowaway")
    subscriber = StreamReader(party.anna)
    subscriber.next("view")
    for stress in (1, 2, 3):
        party.mo.edit("Stowaway", stress=stress)
    party.ben.note("psst", to=[party.zoe.seat])
    party.ben.standing_answer("push", "no")
    party.ben.note("aloud")
    assert text(subscriber.next("item")) == "aloud"
    assert subscriber.next("view").data.keys() == {"cursor"}
    assert [each.kind for each in subscriber.received] == ["view", "item", "view"]


def test_the_stream_of_a_dismissed_seat_ends(party: Party) -> None:
    subscriber = StreamReader(party.ben)
    subscriber.next("view")
    party.mo.remove_seat(party.ben.seat)
    subscriber.next("seat-removed")
    assert subscriber.ended.wait(5)


def test_a_revoked_token_ends_its_stream(serve: Callable[..., Running]) -> None:
    server = serve()
    server.served.streams.heartbeat = 0.1
    with Client(server.address) as client:
        mo = client.create("Thursday", "alien", master="Mo")
        made = mo.new_token("tower")
        subscriber = StreamReader(mo.with_token(made.token))
        subscriber.next("view")
        mo.revoke(made.id)
        assert subscriber.ended.wait(5)


def test_a_server_that_stops_ends_its_streams_at_once(serve: Callable[..., Running]) -> None:
    server = serve()
    with Client(server.address) as client:
        mo = client.create("Thursday", "alien", master="Mo")
        subscribers = [StreamReader(mo) for _ in range(3)]
        for subscriber in subscribers:
            subscriber.next("view")
        server.stop()
        assert all(subscriber.ended.wait(2) for subscriber in subscribers)


def test_a_stream_says_that_it_is_still_there(serve: Callable[..., Running]) -> None:
    server = serve()
    server.served.streams.heartbeat = 0.1
    with Client(server.address) as client:
        mo = client.create("Thursday", "alien", master="Mo")
        headers = {"Authorization": f"Bearer {mo.token}"}
        with client.http.stream("GET", f"/api/v1{mo.path}/events", headers=headers) as response:
            assert response.headers["content-type"].startswith("text/event-stream")
            assert ": still here" in response.iter_lines()


def test_too_many_streams_of_one_seat_are_refused(party: Party, running: Running) -> None:
    subscribers = [StreamReader(party.zoe) for _ in range(12)]
    for subscriber in subscribers:
        subscriber.next("view")
    with pytest.raises(ApiError) as why:
        next(party.zoe.events())
    assert why.value.status == 429


def test_who_does_not_read_is_dropped(serve: Callable[..., Running]) -> None:
    server = serve()
    server.served.streams.patience = 0.2
    with Client(server.address) as client, socket.socket() as deaf:
        mo = client.create("Thursday", "alien", master="Mo")
        deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        deaf.connect(("127.0.0.1", int(server.address.rpartition(":")[2])))
        request = f"GET /api/v1{mo.path}/events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {mo.token}\r\n\r\n"
        deaf.sendall(request.encode())
        until(lambda: len(server.served.streams))
        for _ in range(400):
            mo.note("🎲" * 10_000)
            if not len(server.served.streams):
                break
        assert not len(server.served.streams)


def test_a_reader_that_stands_still_closes_the_stream() -> None:
    closed: list[bool] = []

    async def parts() -> AsyncGenerator[bytes]:
        try:
            while True:
                yield b": x\n\n"
        finally:
            closed.append(True)

    async def never(*_: Any) -> Any:
        await asyncio.Event().wait()

    async def send(message: Any) -> None:
        if message["type"] == "http.response.body":
            await never()

    async def run() -> None:
        await asyncio.wait_for(EventStream(parts(), 0.05)({"type": "http"}, never, send), 5)

    asyncio.run(run())
    assert closed == [True]


def test_events_of_one_seat_come_in_the_order_of_the_log(party: Party) -> None:
    subscriber = StreamReader(party.zoe, 0)
    subscriber.next("view")

    def talk(seat: SeatClient) -> None:
        for number in range(10):
            seat.note(f"{seat.seat} {number}")

    talkers = [threading.Thread(target=talk, args=(each,)) for each in (party.anna, party.ben, party.mo)]
    for each in talkers:
        each.start()
    for each in talkers:
        each.join()
    told = party.zoe.view().cursor
    while not subscriber.items or subscriber.items[-1].id != told:
        subscriber.next("item")
    assert all((after.id or 0) == (before.id or 0) + 1 for before, after in pairwise(subscriber.items))


def test_what_was_told_long_ago_is_still_told(serve: Callable[..., Running], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("referee.table.storage.CHECKPOINT_EVERY", 10)
    server = serve()
    with Client(server.address) as client:
        mo = client.create("Thursday", "alien", sample="derelict", master="Mo")
        anna = client.join(mo.invite(controls=["Ripa"]).code, "Anna")
        picture = mo.upload_picture("map.png", png())
        mo.note("the map", to=[anna.seat], file=picture)
        for number in range(30):
            mo.note(f"{number}")
        before = [item.model_dump() for item in anna.log(limit=200).items]
        server.stop()
        server.start()
        assert server.hub.read(anna.campaign, anna.seat, lambda desk: desk.feed.before) > 0
        subscriber = StreamReader(anna, 0)
        subscriber.next("view")
        assert [each.data for each in subscriber.items] == before
        assert [item.model_dump() for item in anna.log(before=3, limit=2).items] == before[1:3]
        assert anna.picture(picture).startswith(b"\x89PNG")
