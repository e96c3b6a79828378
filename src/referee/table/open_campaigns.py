"""The campaigns a server has in memory, each changed by one at a time; what is kept in the store counts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from logging import getLogger
from threading import Lock, RLock
from typing import Final, final

from referee.core.errors import RefereeError
from referee.table.campaign import Campaign

Listener = Callable[[], None]

IDLE: Final = 600.0
"""After so many seconds a campaign that nobody listens to is forgotten: its store remembers it."""
LOG: Final = getLogger(__name__)


@final
@dataclass(eq=False)
class OpenCampaign:
    """A place for a campaign in memory, the one at a time who may change it, and those who wait to hear."""

    id: str
    campaign: Campaign | None = None
    """None where it has to be opened first: nobody did yet, or it may be ahead of what is kept."""
    used: float = 0.0
    forgotten: bool = False
    checkpointed: int = 0
    """How many lines its newest checkpoint covers."""
    lock: RLock = field(default_factory=RLock)
    _listeners: dict[object, Listener] = field(default_factory=dict)
    _listening: Lock = field(default_factory=Lock)

    @property
    def is_heard(self) -> bool:
        return bool(self._listeners)

    def listen(self, listener: Listener) -> Callable[[], None]:
        mark = object()
        with self._listening:
            self._listeners[mark] = listener

        def stop() -> None:
            with self._listening:
                self._listeners.pop(mark, None)

        return stop

    def tell(self) -> None:
        """Everybody who listens hears that something has changed. One who fails keeps nobody else from it."""
        with self._listening:
            listeners = list(self._listeners.values())
        for listener in listeners:
            try:
                listener()
            except Exception:
                LOG.exception("a listener of campaign %s failed", self.id)


@final
class OpenCampaigns:
    """Every campaign that is open. Any thread may ask for any of them."""

    def __init__(self, open_campaign: Callable[[str, int | None], Campaign], clock: Callable[[], float]) -> None:
        self._open_campaign = open_campaign
        self._clock = clock
        self._tables: dict[str, OpenCampaign] = {}
        self._finding = Lock()
        self._closed = False

    def __len__(self) -> int:
        return len(self._tables)

    @contextmanager
    def at(self, campaign: str, reach: int | None = None) -> Iterator[tuple[OpenCampaign, Campaign]]:
        """A campaign, opened if need be and from a line on if one is given; nobody else is at it meanwhile."""
        while True:
            table = self._found(campaign)
            with table.lock:
                if table.forgotten:
                    continue  # while we waited; there may be another one by now
                table.used = self._clock()
                yield table, self._opened(table, reach)
                return

    def forget(self, idle: float = IDLE) -> int:
        """Forget the campaigns that nobody has used for so many seconds and nobody listens to; how many there were."""
        before = self._clock() - idle
        with self._finding:
            found = [each for each in self._tables.values() if each.used <= before and not each.is_heard]
            return sum(self._forget(each) for each in found)

    def close(self) -> None:
        """Wait until nobody is at any table, and let nobody come again."""
        with self._finding:
            self._closed = True
            tables = list(self._tables.values())
        for table in tables:
            with table.lock:
                table.forgotten = True
        self._tables.clear()

    def _found(self, campaign: str) -> OpenCampaign:
        with self._finding:
            if self._closed:
                raise RefereeError("the server is stopping")
            return self._tables.setdefault(campaign, OpenCampaign(campaign, used=self._clock()))

    def _opened(self, table: OpenCampaign, reach: int | None) -> Campaign:
        known = table.campaign
        if known is not None and (reach is None or known.journal.base.lines <= reach):
            return known
        table.campaign = None
        try:
            opened = self._open_campaign(table.id, reach)
        except BaseException:
            if not table.is_heard:  # names that lead nowhere must not fill the memory
                with self._finding:
                    self._forget(table)
            raise
        table.campaign, table.checkpointed = opened, opened.journal.base.lines
        self.forget()
        return opened

    def _forget(self, table: OpenCampaign) -> bool:
        """Whoever is at the table just now keeps it from being forgotten."""
        if not table.lock.acquire(blocking=False):
            return False
        try:
            table.forgotten = True
            self._tables.pop(table.id, None)
        finally:
            table.lock.release()
        return True
