"""The state of one server: its campaigns, settings and limits."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import BoundedSemaphore, Lock
from time import monotonic
from typing import Any, Final, TypeVar, final

from fastapi import FastAPI, Request

from referee import registry
from referee.core.plain import Plain
from referee.core.system import System
from referee.table.hub import RENAMED, Hub, KeyReused
from referee.web.errors import Problem
from referee.web.forecasts import Forecasts
from referee.web.limits import TokenBuckets
from referee.web.odds_service import OddsService
from referee.web.settings import ServerSettings
from referee.web.stream import SEEN, Streams

T = TypeVar("T")

MOST_KEYS: Final = 2_000
KEY_LIFETIME: Final = 600.0
"""How many seconds the cache remembers what was made under a key."""
IMPORTS_AT_ONCE: Final = 2
ODDS_A_SECOND: Final = 1.0
"""How many seconds of odds someone without a seat gets back each second: in the long run, one process is theirs."""
MOST_ODDS: Final = 60.0


@final
class IdempotencyCache:
    """What was made under an idempotency key and is not a line of a log: a campaign, a seat, a token.

    Secrets are not stored on disk, so this is lost when the server stops.
    """

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._lock = Lock()
        self._made: OrderedDict[str, tuple[float, Lock, list[tuple[str, Any]]]] = OrderedDict()

    def once(self, key: str | None, request: str, make: Callable[[], T]) -> T:
        """Make something, unless it was made under this key already."""
        if key is None:
            return make()
        now = self._clock()
        with self._lock:
            while self._made and (
                len(self._made) > MOST_KEYS or next(iter(self._made.values()))[0] < now - KEY_LIFETIME
            ):
                self._made.popitem(last=False)
            _, turn, made = self._made.setdefault(key, (now, Lock(), []))
        with turn:
            if not made:
                made.append((request, make()))
            before, found = made[0]
            if before != request:
                raise KeyReused
            return found  # type: ignore[no-any-return]  # the request is the same, so the type is too


@final
@dataclass
class ServerState:
    """What all routes of one server share."""

    hub: Hub
    settings: ServerSettings
    seats: TokenBuckets = field(init=False)
    newcomers: TokenBuckets = field(init=False)
    """For visitors without a seat, so that codes cannot be guessed in quick succession."""
    strangers_odds: TokenBuckets = field(default_factory=lambda: TokenBuckets(ODDS_A_SECOND, MOST_ODDS))
    """The seconds of odds that visitors without a seat have."""
    odds: OddsService = field(init=False)
    idempotency: IdempotencyCache = field(default_factory=IdempotencyCache)
    forecasts: Forecasts = field(init=False)
    streams: Streams = field(init=False)
    _about: dict[str, dict[str, Plain]] = field(default_factory=dict)
    _imports: BoundedSemaphore = field(default_factory=lambda: BoundedSemaphore(IMPORTS_AT_ONCE))

    def __post_init__(self) -> None:
        self.seats = TokenBuckets(self.settings.rate, self.settings.rate * 10)
        self.newcomers = TokenBuckets(self.settings.rate / 30, self.settings.rate)
        self.odds = OddsService(self.settings.odds_workers, self.settings.odds_memory)
        self.forecasts = Forecasts(self.settings.odds_memory)
        self.streams = Streams(self.hub, self.settings.streams, self.about)

    def stop(self) -> None:
        """End what would keep the server from stopping: live streams, and odds."""
        self.streams.stop()
        self.odds.close()

    @contextmanager
    def importing(self) -> Iterator[None]:
        """While a campaign is read from a file. Only a few are at once, because files may be large."""
        if not self._imports.acquire(blocking=False):
            message = "other campaigns are being imported; wait a little"
            raise Problem(429, "rate-limited", message, legal=("wait",), headers={"Retry-After": "5"})
        try:
            yield
        finally:
            self._imports.release()

    def check_may_create(self) -> None:
        if not self.settings.create:
            message = "on this server only its owner starts campaigns"
            raise Problem(403, "not-allowed", message, legal=("join by a code",))

    def about(self, campaign: str) -> dict[str, Plain]:
        """The id, name, system and date of a campaign; read only once."""
        if campaign not in self._about:
            header = self.hub.store.header(campaign)
            self._about[campaign] = {name: getattr(header, name) for name in ("id", "name", "system", "created")}
        return self._about[campaign]

    def system(self, campaign: str) -> System:
        """The rule system of a campaign."""
        return registry.load(str(self.about(campaign)["system"]))

    def heard(self, campaign: str, what: str) -> None:
        """Another server says that a campaign has another name, or that somebody looks at it there."""
        if what == RENAMED:
            self._about.pop(campaign, None)
            self.streams.wake(campaign)
        elif what.startswith(SEEN):
            self.streams.heard_seen(campaign, what.removeprefix(SEEN))

    def rename(self, campaign: str, seat: str, name: str) -> None:
        """Give a campaign another name, on every screen."""
        self.hub.rename(campaign, seat, name)
        self._about.pop(campaign, None)
        self.streams.wake(campaign)


def server_state(request: Request) -> ServerState:
    return app_state(request.app)


def app_state(app: FastAPI) -> ServerState:
    found: ServerState = app.state.server
    return found
