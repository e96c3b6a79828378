"""The stream of a page: what changed for its seat, as fragments, and nothing when nothing has."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from contextlib import contextmanager
from queue import Empty, Queue
from threading import Thread
from typing import TYPE_CHECKING, NamedTuple

import httpx
import pytest
from tests.web.conftest import Running, Visitor, until

if TYPE_CHECKING:
    from tests.web.conftest import Party


class Update(NamedTuple):
    """One event of a stream."""

    kind: str
    text: str

    @property
    def parts(self) -> list[tuple[str, str]]:
        """The ids of what it replaces, or adds to."""
        return re.findall(r'id="([a-z-]+)"[^>]*hx-swap-oob="true"|hx-swap-oob="beforeend:#([a-z]+)"', self.text)


class Hearing:
    """A page that listens."""

    def __init__(self, visitor: Visitor, address: str) -> None:
        self.heard: Queue[Update] = Queue()
        self._visitor = visitor
        self._address = address
        self._response: httpx.Response | None = None
        self._thread = Thread(target=self._listen, daemon=True)
        self._thread.start()

    def _listen(self) -> None:
        try:
            with self._visitor.http.stream("GET", self._address, timeout=60) as response:
                self._response = response
                kind, data = "", list[str]()
                for line in response.iter_lines():
                    if line.startswith("event: "):
                        kind = line.removeprefix("event: ")
                    elif line.startswith("data: "):
                        data.append(line.removeprefix("data: "))
                    elif not line and kind:
                        self.heard.put(Update(kind, "\n".join(data)))
                        kind, data = "", []
        except (httpx.HTTPError, RuntimeError):
            return

    @property
    def is_open(self) -> bool:
        return self._response is not None

    def next(self) -> Update:
        return self.heard.get(timeout=10)

    def nothing(self, seconds: float = 0.4) -> bool:
        try:
            found = self.heard.get(timeout=seconds)
        except Empty:
            return True
        raise AssertionError(f"something was heard: {found.text[:300]}")


@contextmanager
def listening(visitor: Visitor) -> Iterator[Hearing]:
    """The page is opened, and its stream with the digest of what it shows."""
    page = visitor.http.get(visitor.table).text
    found = re.search(r'sse-connect="([^"]+)"', page)
    assert found is not None
    hearing = Hearing(visitor, html.unescape(found[1]))
    until(lambda: hearing.is_open)
    yield hearing


@pytest.fixture
def seats(running: Running, party: Party) -> Iterator[dict[str, Visitor]]:
    names = ("mo", "anna", "ben", "zoe")
    made = {
        name: Visitor(running.address, each.campaign, each.seated.token)
        for name, each in zip(names, party, strict=True)
    }
    yield made
    for each in made.values():
        each.http.close()


def test_a_page_that_shows_all_there_is_hears_nothing_at_first(seats: dict[str, Visitor]) -> None:
    with listening(seats["anna"]) as anna:
        assert anna.nothing()


def test_talk_is_one_piece_more_and_nothing_else(seats: dict[str, Visitor]) -> None:
    with listening(seats["anna"]) as anna:
        seats["mo"].post("/say", text="The lights are *out*.")
        heard = anna.next()
        assert heard.kind == "update"
        assert heard.parts == [("", "story")]
        assert "The lights are <em>out</em>." in heard.text
        assert anna.nothing()


def test_what_is_hidden_from_a_seat_causes_no_event(seats: dict[str, Visitor], party: Party) -> None:
    with listening(seats["ben"]) as ben, listening(seats["anna"]) as anna:
        assert "Anna (away)" not in ben.next().text
        party.mo.roll("3d6", hidden=True)
        party.mo.note("Only you.", to=[party.ben.seat])
        party.ben.note("And you.", to=[party.mo.seat])
        assert "Only you." in ben.next().text
        assert anna.nothing(0.8)
        seats["mo"].post("/say", text="Go on.")
        assert "Go on." in anna.next().text


def test_an_undo_tells_the_story_anew(seats: dict[str, Visitor], party: Party) -> None:
    party.anna.act("skill-roll", "Ripa", skill="Observation")
    item = next(each.id for each in party.mo.log().items if each.kind == "began")
    with listening(seats["ben"]) as ben:
        party.mo.undo(item)
        heard = ben.next()
        assert ("story", "") in heard.parts
        assert 'class="piece of-act undone"' in heard.text


def test_a_page_that_is_behind_gets_everything_at_once(seats: dict[str, Visitor]) -> None:
    seats["mo"].post("/say", text="You missed this.")
    late = Hearing(seats["anna"], f"{seats['anna'].table}/live?seen=0000000000000000")
    heard = late.next()
    assert {first for first, _ in heard.parts} == {
        "bar",
        "begin",
        "first",
        "roster",
        "dock",
        "scene",
        "seen",
        "strip",
        "undo",
        "waiting",
        "asks",
        "turn",
        "sheet",
        "acts",
        "things",
        "story",
    }
    assert "You missed this." in heard.text


def test_who_is_sent_away_is_told_so_once(seats: dict[str, Visitor], party: Party) -> None:
    with listening(seats["ben"]) as ben:
        party.mo.remove_seat(party.ben.seat)
        heard = ben.next()
        assert (heard.kind, heard.text[:30]) == ("left", "You have no seat at this table")


def test_who_sits_there_but_is_away_is_said_and_told_when_they_come_back(seats: dict[str, Visitor]) -> None:
    with listening(seats["anna"]) as anna:
        assert "At the table: Mo (GM, away), Anna, Ben (away), Zoe (away)" in seated(seats["anna"].get(""))
        with listening(seats["ben"]):
            assert "Mo (GM, away), Anna, Ben, Zoe (away)" in seated(anna.next().text)
        assert "Anna, Ben, Zoe (away)" in seated(seats["anna"].get(""))  # who loads a page again is not away meanwhile


def test_who_closed_the_page_is_away_after_a_while(seats: dict[str, Visitor], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("referee.web.stream.AWAY_AFTER", 0.1)
    seats["mo"].get("")
    seats["anna"].http.get(seats["anna"].table)
    until(lambda: "Mo (GM, away)" in seated(seats["anna"].get("")))
    seats["mo"].post("/act", action="skill-roll", who="Ripa", arg__skill="Observation")
    assert "Mo (GM, away)" in seated(seats["anna"].get(""))  # what they do does not show that they are here


def seated(page: str) -> str:
    """Who sits at the table, as the page says it."""
    found = re.search(r'<p class="seats[^"]*">(.*?)</p>', html.unescape(page), re.DOTALL)
    assert found is not None
    return " ".join(found[1].split())
