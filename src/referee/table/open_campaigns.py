"""The campaigns a server has in memory, each with its lock and its subscribers. The store is the source of truth."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from logging import getLogger
from threading import Lock, RLock
from typing import Final, TypeAlias, final

from referee.core.errors import RefereeError
from referee.store.records import StoreError
from referee.table.campaign import Campaign
from referee.table.time_limit import HeldTooLong

Callback = Callable[[], None]
Turn: TypeAlias = Callable[[str], AbstractContextManager[int | None]]
"""A transaction in which a campaign is looked at or changed."""

IDLE: Final = 600.0
"""Seconds after which an unused campaign without subscribers is dropped from memory."""
LOG: Final = getLogger(__name__)


@final
@dataclass(eq=False)
class OpenCampaign:
    """One campaign in memory, the lock for reading or changing it, and its subscribers."""

    id: str
    campaign: Campaign | None = None
    """None if it has to be opened first: no one has yet, or it may be ahead of the store."""
    used: float = 0.0
    evicted: bool = False
    checkpointed: int = 0
    """How many lines its newest checkpoint covers."""
    lock: RLock = field(default_factory=RLock)
    _subscribers: dict[object, Callback] = field(default_factory=dict)
    _subscribing: Lock = field(default_factory=Lock)

    @property
    def has_subscribers(self) -> bool:
        return bool(self._subscribers)

    def subscribe(self, callback: Callback) -> Callback:
        """Call back after every change; returns the function that ends the subscription."""
        key = object()
        with self._subscribing:
            self._subscribers[key] = callback

        def unsubscribe() -> None:
            with self._subscribing:
                self._subscribers.pop(key, None)

        return unsubscribe

    def notify(self) -> None:
        """Tell every subscriber that something has changed. If one fails, the others are still told."""
        with self._subscribing:
            callbacks = list(self._subscribers.values())
        for callback in callbacks:
            try:
                callback()
            except Exception:
                LOG.exception("a subscriber of campaign %s failed", self.id)


@final
class OpenCampaigns:
    """Every campaign in memory. Any thread may ask for any of them.

    In a store that is shared others add lines too: `follow` takes them in, or says that it has to be opened anew.
    """

    def __init__(
        self,
        open_campaign: Callable[[str, int | None], Campaign],
        clock: Callable[[], float],
        follow: Callable[[Campaign, str, int], bool],
    ) -> None:
        self._open_campaign = open_campaign
        self._follow = follow
        self._clock = clock
        self._open: dict[str, OpenCampaign] = {}
        self._lock = Lock()
        self._closed = False

    def __len__(self) -> int:
        return len(self._open)

    @contextmanager
    def locked(
        self, campaign: str, turn: Turn, from_line: int | None = None
    ) -> Iterator[tuple[OpenCampaign, Campaign]]:
        """A campaign under its lock, opened if necessary; lines are in memory at least from `from_line` on.

        `turn` gives the number of lines it has, if others may have added some.
        """
        while True:
            entry = self._entry(campaign)
            with entry.lock:
                if entry.evicted:
                    continue  # while we waited; there may be a new entry by now
                entry.used = self._clock()
                try:
                    with turn(campaign) as count:
                        self._catch_up(entry, count)
                        yield entry, self._opened(entry, from_line)
                except BaseException as why:
                    if isinstance(why, (HeldTooLong, StoreError)):
                        entry.campaign = None  # it may have been stopped in the middle of anything, or is not written
                    if entry.campaign is None and not entry.has_subscribers:
                        with self._lock:  # unknown ids must not fill the memory
                            self._evict(entry)
                    raise
                return

    def heard(self, campaign: str, count: int | None = None) -> None:
        """Others have added lines: whoever watches is told; whoever looks later takes them in then."""
        with self._lock:
            entry = self._open.get(campaign)
        known = entry.campaign if entry else None
        if entry is not None and (known is None or count is None or known.count < count):
            entry.notify()

    @property
    def ids(self) -> list[str]:
        """Those in memory."""
        with self._lock:
            return list(self._open)

    def evict_idle(self, idle: float = IDLE) -> int:
        """Drop the campaigns without subscribers that no one has used for `idle` seconds; returns how many."""
        before = self._clock() - idle
        with self._lock:
            found = [each for each in self._open.values() if each.used <= before and not each.has_subscribers]
            return sum(self._evict(each) for each in found)

    def close(self) -> None:
        """Wait until no campaign is in use, and refuse all later requests."""
        with self._lock:
            self._closed = True
            entries = list(self._open.values())
        for entry in entries:
            with entry.lock:
                entry.evicted = True
        self._open.clear()

    def _entry(self, campaign: str) -> OpenCampaign:
        with self._lock:
            if self._closed:
                raise RefereeError("the server is stopping")
            return self._open.setdefault(campaign, OpenCampaign(campaign, used=self._clock()))

    def _opened(self, entry: OpenCampaign, from_line: int | None) -> Campaign:
        known = entry.campaign
        if known is not None and (from_line is None or known.journal.base.lines <= from_line):
            return known
        entry.campaign = None
        opened = self._open_campaign(entry.id, from_line)
        entry.campaign, entry.checkpointed = opened, opened.journal.base.lines
        self.evict_idle()
        return opened

    def _catch_up(self, entry: OpenCampaign, count: int | None) -> None:
        """Take in what others have written."""
        known = entry.campaign
        if known is None or count is None or known.count == count:
            return
        entry.campaign = None
        if known.count < count and self._follow(known, entry.id, count):
            entry.campaign = known

    def _evict(self, entry: OpenCampaign) -> bool:
        """Drop a campaign from memory, unless it is in use right now; returns whether it was dropped."""
        if not entry.lock.acquire(blocking=False):
            return False
        try:
            entry.evicted = True
            self._open.pop(entry.id, None)
        finally:
            entry.lock.release()
        return True
