"""What a seat was told long ago: the lines of that time are heard again, from the nearest checkpoint on."""

from __future__ import annotations

from typing import Any, Final

from referee import registry
from referee.core.visibility import Seat
from referee.journal.lines import Line, LinesUndone, SeatTaken
from referee.store.base import Store
from referee.table.campaign import Checkpoint
from referee.table.members import Member
from referee.table.setup import TableSetup
from referee.table.storage import read_checkpoint
from referee.views.feed import Feed

NOBODY: Final = Seat("")
"""A seat that plays nobody, and to which nothing is whispered."""


def earlier_feed(store: Store, campaign: str, seat: str, start: int, stop: int) -> Feed:
    """The stream of a seat, from some item before `start` on to one after `stop`, as it was told then."""
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
                at_most = line.to  # it goes back to before where we began, and tells what is gone
                break
            setup = setup.after(line)
            member = setup.members.get(seat, member)
            feed.add(row.number, line, member.seat)
            if feed.cursor >= stop:
                return feed
        else:
            return feed


def _before(store: Store, campaign: str, seat: str, start: int, at_most: int | None) -> Checkpoint | None:
    """The newest checkpoint at which a seat had not been told more than so many items."""
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
    """Who sat down in a seat first: what was told before is told as to them."""
    lines = (Line.from_plain(row.line) for row in store.lines(campaign))
    return next(Member.of(line.seat) for line in lines if isinstance(line, SeatTaken) and line.seat.id == seat)


def public_feed(store: Store, campaign: str) -> list[dict[str, Any]]:
    """What everybody could be told, as somebody hears it who only looks on; each item with when, `at`."""
    feed = Feed(registry.load(store.header(campaign).system))
    times: list[int] = []
    for row in store.lines(campaign):
        feed.add(row.number, Line.from_plain(row.line), NOBODY)
        times += [round(row.at)] * (feed.cursor - len(times))
    return [{**item, "at": at} for item, at in zip(feed.items, times, strict=True)]
