"""How the server does, in the text format that Prometheus reads: requests, streams, odds, campaigns in memory.

Off unless `REFEREE_METRICS=yes`: the numbers tell nothing of any table, but how much is played here.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from threading import Lock
from time import time
from typing import TYPE_CHECKING, Final, final

from fastapi import Request
from fastapi.responses import PlainTextResponse

from referee.web.errors import not_found

if TYPE_CHECKING:
    from referee.web.state import ServerState

SECONDS: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
FORMAT: Final = "text/plain; version=0.0.4; charset=utf-8"
_PAGE: Final = 4096


@final
class RequestCounts:
    """The requests so far: how many of each kind, and how long they took. Any thread may count."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._answered: Counter[tuple[str, str, int]] = Counter()
        self._within: defaultdict[str, list[int]] = defaultdict(lambda: [0] * (len(SECONDS) + 1))
        self._seconds: defaultdict[str, float] = defaultdict(float)

    def add(self, method: str, path: str, status: int, seconds: float) -> None:
        """One more; the path is a template, without names or ids."""
        with self._lock:
            self._answered[method, path, status] += 1
            self._within[path][bisect_left(SECONDS, seconds)] += 1
            self._seconds[path] += seconds

    def lines(self) -> Iterator[str]:
        with self._lock:
            answered, within, seconds = dict(self._answered), {**self._within}, dict(self._seconds)
        yield "# TYPE referee_requests_total counter"
        for (method, path, status), count in sorted(answered.items()):
            yield f'referee_requests_total{{method="{method}",path="{path}",status="{status}"}} {count}'
        yield "# TYPE referee_request_seconds histogram"
        for path, counts in sorted(within.items()):
            so_far = 0
            for bound, count in zip((*SECONDS, "+Inf"), counts, strict=True):
                so_far += count
                yield f'referee_request_seconds_bucket{{path="{path}",le="{bound}"}} {so_far}'
            yield f'referee_request_seconds_sum{{path="{path}"}} {seconds[path]:.6f}'
            yield f'referee_request_seconds_count{{path="{path}"}} {so_far}'


REQUESTS: Final = RequestCounts()
"""Of this process: it has one server."""
STARTED: Final = time()


def metrics(request: Request) -> PlainTextResponse:
    """Everything that is counted, as Prometheus reads it."""
    state: ServerState = request.app.state.server
    if not state.settings.metrics:
        raise not_found("there is nothing at this address")
    return PlainTextResponse("\n".join((*_gauges(state), *REQUESTS.lines(), "")), media_type=FORMAT)


def _gauges(state: ServerState) -> Iterator[str]:
    now = {
        "streams_open": len(state.streams),
        "campaigns_in_memory": state.hub.in_memory,
        "odds_inside": state.odds.door.inside,
        "odds_waiting": state.odds.door.outside,
        "odds_processes_ready": int(state.odds.pool is not None and state.odds.pool.is_ready),
        "store_write_failed": int(bool(state.hub.store.write_problem)),
        "memory_bytes": _memory(),
        "start_time_seconds": round(STARTED),
    }
    for name, value in now.items():
        yield f"# TYPE referee_{name} gauge"
        yield f"referee_{name} {value}"


def _memory() -> int:
    """The memory of the server itself; 0 where the system does not say."""
    try:
        return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * _PAGE
    except (OSError, ValueError, IndexError):
        return 0
