"""What a seat was told long ago: the lines of that time are read again, starting from the nearest checkpoint."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import Any, Final, TypeVar, cast, final

from referee import registry
from referee.core.visibility import Seat
from referee.journal.lines import Line, LinesUndone, SeatTaken
from referee.store.base import Store
from referee.table.campaign import Checkpoint
from referee.table.members import Member
from referee.table.setup import TableSetup
from referee.table.storage import read_checkpoint
from referee.views.feed import Feed

T = TypeVar("T")

NOBODY: Final = Seat("")
"""A seat that plays no one, and to which nothing is whispered."""


def earlier_feed(store: Store, campaign: str, seat: str, start: int, stop: int) -> Feed:
    """The feed of a seat as it was told then, including the items from `start` to `stop`."""
    system = registry.load(store.header(campaign).system)
    at_most: int | None = None
    while True:
        since = _before(store, campaign, seat, start, at_most)
        base = since.base.lines if since else 0
        setup = since.setup if since else TableSetup()
        member = setup.members.get(seat) or _first_seated(store, campaign, seat)
        feed = Feed(system, since.cursors[seat] if since else 0)
        for row in store.lines(campaign, base):
            line = Line.from_plain(row.line)
            if isinstance(line, LinesUndone) and line.to < base:
                at_most = line.to  # it goes back to before where we began, and has to name what is gone
                break
            setup = setup.after(line)
            member = setup.members.get(seat, member)
            feed.add(row.number, line, member.seat)
            if feed.cursor >= stop:
                return feed
        else:
            return feed


def _before(store: Store, campaign: str, seat: str, start: int, at_most: int | None) -> Checkpoint | None:
    """The newest checkpoint at which a seat had been told at most `start` items."""
    found: Checkpoint | None = None
    low, high = 0, store.count(campaign) if at_most is None else at_most
    while low <= high:
        kept = store.checkpoint(campaign, (low + high) // 2)
        if kept is None:
            low = (low + high) // 2 + 1
            continue
        since = read_checkpoint(kept)
        if since is None or since.cursors.get(seat, start + 1) > start:
            high = kept.number - 1
        else:
            found, low = since, (low + high) // 2 + 1
    return found


def _first_seated(store: Store, campaign: str, seat: str) -> Member:
    """The first person in a seat: earlier lines are told as they would be to them."""
    lines = (Line.from_plain(row.line) for row in store.lines(campaign))
    return next(Member.of(line.seat) for line in lines if isinstance(line, SeatTaken) and line.seat.id == seat)


@final
class PublicStory:
    """What everyone may know of a campaign, as a spectator is told it; each item with its time, `at`.

    It is read on from where it was left, and what is made of it is made once for each reader and each change.
    """

    def __init__(self, store: Store, campaign: str) -> None:
        self.store = store
        self.campaign = campaign
        self._feed = Feed(registry.load(store.header(campaign).system))
        self._items: list[dict[str, Any]] = []
        self._lines = 0
        self._made: dict[object, tuple[int, object]] = {}
        self._lock = Lock()

    def made(self, reader: object, make: Callable[[list[dict[str, Any]]], T]) -> T:
        """What `make` makes of the items for a reader; it is not called again until there is more to tell."""
        with self._lock:
            self._read_on()
            lines, found = self._made.get(reader, (-1, None))
            if lines != self._lines:
                found = make(self._items)
                self._made[reader] = (self._lines, found)
            return cast(T, found)

    def _read_on(self) -> None:
        for row in self.store.lines(self.campaign, self._lines):
            before = self._feed.cursor
            self._feed.add(row.number, Line.from_plain(row.line), NOBODY)
            self._items += ({**item, "at": round(row.at)} for item in self._feed.since(before))
            self._lines = row.number + 1
