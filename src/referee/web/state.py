"""What the addresses of one server share: its campaigns, settings and limits."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock
from time import monotonic
from typing import Any, Final, TypeVar, final

from anyio import CapacityLimiter
from fastapi import FastAPI, Request

from referee.core.plain import Plain
from referee.table.hub import Hub
from referee.web.errors import Problem
from referee.web.limits import Buckets
from referee.web.settings import ServerSettings
from referee.web.stream import Streams

T = TypeVar("T")

RECKONERS: Final = 2
REMEMBERED: Final = 2_000
FOR: Final = 600.0
"""How long what was made under a key is remembered, in seconds."""


@final
class Repeats:
    """What was made under a key a short while ago and is no line of a log: a campaign, a seat, a token.

    Secrets are not kept on disk, so this is forgotten when the server stops.
    """

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._lock = Lock()
        self._made: OrderedDict[str, tuple[float, Lock, list[tuple[str, Any]]]] = OrderedDict()

    def once(self, key: str | None, of: str, make: Callable[[], T]) -> T:
        """Make something, unless it was made under this key already."""
        if key is None:
            return make()
        now = self._clock()
        with self._lock:
            while self._made and (len(self._made) > REMEMBERED or next(iter(self._made.values()))[0] < now - FOR):
                self._made.popitem(last=False)
            _, turn, made = self._made.setdefault(key, (now, Lock(), []))
        with turn:
            if not made:
                made.append((of, make()))
            before, found = made[0]
            check_same(before, of)
            return found  # type: ignore[no-any-return]  # what was asked for is the same, so it is what was made


def check_same(before: str, now: str) -> None:
    if before != now:
        message = "this key was used for something else; every request has a key of its own"
        raise Problem(422, "key-reused", message, where="Idempotency-Key", legal=("another key",))


@final
@dataclass
class ServerState:
    """One server: everything its addresses share."""

    hub: Hub
    settings: ServerSettings
    seats: Buckets = field(init=False)
    newcomers: Buckets = field(init=False)
    """For who has no seat yet: codes cannot be guessed in quick succession."""
    reckoning: CapacityLimiter = field(default_factory=lambda: CapacityLimiter(RECKONERS))
    """How many work out odds at once."""
    repeats: Repeats = field(default_factory=Repeats)
    streams: Streams = field(init=False)
    _about: dict[str, dict[str, Plain]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.seats = Buckets(self.settings.rate, self.settings.rate * 10)
        self.newcomers = Buckets(self.settings.rate / 30, self.settings.rate)
        self.streams = Streams(self.hub, self.settings.streams, self.about)

    def check_may_create(self) -> None:
        if not self.settings.create:
            message = "campaigns are begun by whoever runs this server"
            raise Problem(403, "not-allowed", message, legal=("join by a code",))

    def about(self, campaign: str) -> dict[str, Plain]:
        """What a campaign is called, and whose rules it plays; read once."""
        if campaign not in self._about:
            header = self.hub.store.header(campaign)
            self._about[campaign] = {name: getattr(header, name) for name in ("id", "name", "system", "created")}
        return self._about[campaign]

    def rename(self, campaign: str, seat: str, name: str) -> None:
        """Give a campaign another name, and let everybody know."""
        self.hub.rename(campaign, seat, name)
        self._about.pop(campaign, None)
        self.streams.wake(campaign)


def served(request: Request) -> ServerState:
    return served_by(request.app)


def served_by(app: FastAPI) -> ServerState:
    found: ServerState = app.state.served
    return found
