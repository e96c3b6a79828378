"""All odds of a server. They are computed by the processes of the pool, table by table in turn.

They are given up as soon as whoever asked has left, or the server stops. Only while no process has started are they
computed in the server: what fits into a moment, and everything if none starts at all.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, replace
from threading import BoundedSemaphore, Event, Lock
from time import sleep
from typing import Final, final

from anyio import CapacityLimiter

from referee.core.errors import TooLarge
from referee.core.plain import Plain
from referee.core.system import System
from referee.drivers.stop import Flag, Stop
from referee.forecast.figures import Budget
from referee.forecast.pool import MEGABYTES, OddsPool, Unanswered
from referee.forecast.transport import CannotTravel, Query, digest
from referee.web.odds_door import PLACES, OddsDoor

KEPT: Final = 512
IN_PLACE: Final = 2
"""How many odds are computed in place at once."""
MOMENT: Final = 0.04
"""How many seconds odds may take in place while the processes start."""
STARTING: Final = 5.0
"""How many seconds one waits for the first process."""
PASSING: Final = frozenset({"busy", "ended", "fault"})
"""Reasons that may be gone the next time."""


@final
class OddsCache:
    """Odds by what the viewer knows: what is hidden from them changes neither the key nor the time it takes."""

    def __init__(self, most: int = KEPT) -> None:
        self.most = most
        self._lock = Lock()
        self._found: OrderedDict[object, Plain] = OrderedDict()

    def get(self, key: object) -> Plain | None:
        with self._lock:
            if key in self._found:
                self._found.move_to_end(key)
            return self._found.get(key)

    def keep(self, key: object, found: Plain) -> None:
        with self._lock:
            self._found[key] = found
            while len(self._found) > self.most:
                self._found.popitem(last=False)


@final
@dataclass(frozen=True)
class _Either:
    """Set as soon as one of two flags is."""

    one: Flag
    other: Flag

    def is_set(self) -> bool:
        return self.one.is_set() or self.other.is_set()


@final
class OddsService:
    """All odds of one server: its cache, and its pool of processes (none: everything is computed in place)."""

    def __init__(self, workers: int = 0, megabytes: int = MEGABYTES) -> None:
        self.pool = OddsPool(workers, megabytes) if workers else None
        self.cache = OddsCache()
        self.door = OddsDoor()
        self.threads = CapacityLimiter(PLACES)
        self.closed = Event()
        self._turns = BoundedSemaphore(IN_PLACE)

    def close(self) -> None:
        """Give up whatever is being computed. Nothing waits for it."""
        self.closed.set()
        self.door.close()
        if self.pool is not None:
            self.pool.close()

    def prepare(self, system: str) -> None:
        """Let the pool get ready for odds in a system: somebody sits down at a table of it."""
        if self.pool is not None:
            self.pool.prepare(system)

    def card(
        self, table: str, query: Query, system: System, budget: Budget, gone: Flag, *, is_stranger: bool = False
    ) -> Plain:
        """The card of a query as plain data; `Cancelled` once the one who asked is gone."""
        key = system.name, system.version, budget, digest(query)
        if (known := self.cache.get(key)) is not None:
            return known
        stop = Stop.after(budget.seconds, _Either(gone, self.closed))
        if self.pool is None:
            found = self._in_place(query, budget, stop)
        else:
            self.pool.start()
            found = None if self.pool.is_ready or is_stranger else self._in_a_moment(query, stop)
            if found is None:
                found = self._elsewhere(self.pool, table, query, system, budget, stop, is_stranger=is_stranger)
        if not _may_pass(found):
            self.cache.keep(key, found)
        return found

    def _in_place(self, query: Query, budget: Budget, stop: Stop) -> Plain:
        with self._turns:
            return query.card(replace(budget, seconds=stop.seconds_left), stop).to_plain()

    def _in_a_moment(self, query: Query, stop: Stop) -> Plain | None:
        """None if it takes longer, or says that it would."""
        try:
            with self._turns:
                return query.card(Budget(MOMENT, whole=True), stop).to_plain()
        except TooLarge:
            return None

    def _elsewhere(
        self, pool: OddsPool, table: str, query: Query, system: System, budget: Budget, stop: Stop, *, is_stranger: bool
    ) -> Plain:
        """By a process; in place if none has started for a while, unless it is a stranger who asks."""
        if not pool.is_ready:
            stop = self._once_ready(pool, budget, stop)
        try:
            if pool.is_ready:
                return pool.ask(table, query, system, stop, budget.plays, is_stranger=is_stranger)
        except Unanswered as why:
            return query.without(why.because).to_plain()
        except CannotTravel:
            pass
        return query.without("busy").to_plain() if is_stranger else self._in_place(query, budget, stop)

    def _once_ready(self, pool: OddsPool, budget: Budget, stop: Stop) -> Stop:
        """Wait for the first process; the time of the odds begins only then."""
        starting = Stop.after(STARTING)
        while not pool.is_ready and starting.seconds_left and not (stop.cancelled and stop.cancelled.is_set()):
            sleep(0.01)
        return Stop.after(budget.seconds, stop.cancelled)


def _may_pass(card: Plain) -> bool:
    """Whether it lacks a figure that it might have the next time."""
    missing = card.get("missing")
    reasons = {missing} if isinstance(missing, str) else {each["because"] for each in missing.values()}
    return bool(reasons & PASSING)
