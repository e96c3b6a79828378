"""What a seat was told long ago: the lines of that time are heard again, from the nearest checkpoint on."""

from __future__ import annotations

from typing import Any, Final

from referee import registry
from referee.core.visibility import Seat
from referee.journal.lines import Line
from referee.store.base import Store
from referee.table.campaign import Checkpoint
from referee.table.members import Member
from referee.table.storage import read_checkpoint
from referee.views.feed import Feed

NOBODY: Final = Seat("")
"""A seat that plays nobody, and to which nothing is whispered."""


def hear_again(store: Store, campaign: str, seat: str, start: int, stop: int) -> Feed:
    """The stream of a seat, from some item before `start` on to one after `stop`, as it was told then."""
    system = registry.load(store.header(campaign).system)
    at_most: int | None = None
    while True:
        since = _before(store, campaign, seat, start, at_most)
        base = since.base.lines if since else 0
        member = _member(store, campaign, seat, since)
        telling = Feed(system, since.cursors[seat] if since else 0)
        for row in store.lines(campaign, base):
            line = Line.from_plain(dict(row.line))
            if line.kind == "undone" and line.what["to"] < base:
                at_most = line.what["to"]  # it goes back to before where we began, and tells what is gone
                break
            member = _changed(member, line)
            telling.hear(row.number, line, member.seat)
            if telling.cursor >= stop:
                return telling
        else:
            return telling


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


def _member(store: Store, campaign: str, seat: str, since: Checkpoint | None) -> Member:
    """Who sat there at a checkpoint; from the beginning on, who sat down there first."""
    members: list[Any] = [each for each in since.members if each["id"] == seat] if since else []
    for row in store.lines(campaign) if not since else ():
        if row.line.get("about") == "seat" and row.line["seat"]["id"] == seat:
            members = [row.line["seat"]]
            break
    return Member.from_plain(members[0])


def _changed(member: Member, line: Line) -> Member:
    if line.is_aside and line.what["about"] == "seat" and line.what["seat"]["id"] == member.id:
        return Member.from_plain(line.what["seat"])
    return member


def heard_by_all(store: Store, campaign: str) -> list[dict[str, Any]]:
    """What everybody could be told, as somebody hears it who only looks on; each item with when, `at`."""
    telling = Feed(registry.load(store.header(campaign).system))
    times: list[int] = []
    for row in store.lines(campaign):
        telling.hear(row.number, Line.from_plain(dict(row.line)), NOBODY)
        times += [round(row.at)] * (telling.cursor - len(times))
    return [{**item, "at": at} for item, at in zip(telling.items, times, strict=True)]
