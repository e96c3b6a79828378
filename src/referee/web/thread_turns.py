"""How often the threads of a server take turns: seldom, which costs least, and often while one of them computes.

Python lets a thread go on for five milliseconds before another one has its turn. A request changes threads, and waits
for the database, a few dozen times; so beside a thread that reads a long log it would take a few hundred milliseconds.
Turns of a fifth of a millisecond prevent that, but cost everybody a seventh of the processor: threads wake up, look,
and sleep again. So turns are short only while a single thread takes most of the time.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterable
from time import clock_gettime, monotonic, process_time
from typing import Final, final

from starlette.types import ASGIApp, Receive, Scope, Send

OFTEN: Final = 0.0002
SELDOM: Final = 0.005
SHARE: Final = 0.5
"""A thread that has had more of the time than this computes."""
LEAST: Final = 0.005
"""Less than so many seconds since the last look is nothing to others."""
LOOK: Final = 0.02
"""How often, in seconds, one looks while requests come in."""
CAN_TELL: Final = sys.platform == "linux"
"""Whether the processor time of another thread can be read; elsewhere, turns are always short."""


@final
class ThreadTurns:
    """Looks who has had the time: whenever a request comes in, and now and then, on the event loop."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self._looked = 0.0
        self._whole = process_time()
        self._by_thread: dict[int, float] = {}
        sys.setswitchinterval(OFTEN)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if monotonic() > self._looked + LOOK:
            self.look()
        await self.app(scope, receive, send)

    def look(self) -> None:
        """Choose the length of turns by what has happened since the last look."""
        if not CAN_TELL:
            return
        self._looked, whole, by_thread = monotonic(), process_time(), dict(_spent())
        since = (spent - self._by_thread.get(thread, 0.0) for thread, spent in by_thread.items())
        sys.setswitchinterval(OFTEN if computes(since, whole - self._whole) else SELDOM)
        self._whole, self._by_thread = whole, by_thread


def computes(spent: Iterable[float], whole: float) -> bool:
    """Whether one of some threads has had most of the time that all threads have had together."""
    return max(spent, default=0.0) > max(LEAST, whole * SHARE)


def _spent() -> Iterable[tuple[int, float]]:
    """The processor time of every other thread, by its number."""
    mine = threading.get_native_id()
    for thread in (each.native_id for each in threading.enumerate()):
        if thread is not None and thread != mine:
            try:
                yield thread, clock_gettime(~thread << 3 | 6)  # what Linux calls the clock of a thread
            except OSError:  # it has ended
                continue
