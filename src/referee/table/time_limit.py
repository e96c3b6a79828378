"""How long a request may hold a table: code that does not come to an end is stopped in the thread in which it runs.

Steps are bounded by what they do (`core.run`). This is for a rule of another package that computes for ever and asks
the table nothing. What counts is time of the processor, so a busy computer stops nobody.

What stops it may arrive between any two instructions, also where something is put in order again. So only work in
memory is limited, never what is written; and a table that was stopped is opened anew from the store (`OpenCampaigns`).
"""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock, Thread, get_ident
from typing import Final, TypeVar, final

from referee.core.errors import OutOfTime
from referee.core.trace import RUNNING

T = TypeVar("T")

MOST_SECONDS: Final = 20.0
LOOKS: Final = 0.25
"""Seconds from one look at the threads to the next."""
AGAIN: Final = 1.0
"""Seconds that work goes on after it was stopped before it is stopped again."""


class HeldTooLong(OutOfTime):
    """A request has held a table for too long. Nothing of it stays."""

    def __init__(self) -> None:
        super().__init__("it took too long, so it was stopped; nothing was changed")


class _Stop(BaseException):
    """What is raised within the work. Nothing that deals with errors of rules takes it for one of them."""


@final
@dataclass(eq=False)
class _Limited:
    """Work in a thread, and when that is too long by the thread's clock."""

    thread: int
    clock: Callable[[], float]
    until: float
    was_stopped: bool = False
    is_over: bool = False


class _Watch:
    """Work that is limited now, and the thread that looks at it."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.limited: set[_Limited] = set()
        self.thread: Thread | None = None

    def add(self, limited: _Limited) -> None:
        with self.lock:
            self.limited.add(limited)
            if self.thread is None:
                self.thread = Thread(target=self._look, name="time limits", daemon=True)
                self.thread.start()

    def remove(self, limited: _Limited) -> None:
        with self.lock:
            self.limited.discard(limited)
            _raise_in(limited.thread, None)  # what has not arrived yet

    def _look(self) -> None:
        while True:
            time.sleep(LOOKS)
            with self.lock:
                for each in self.limited:
                    if not each.is_over and each.clock() > each.until:
                        each.until, each.was_stopped = each.clock() + AGAIN, True
                        _raise_in(each.thread, _Stop)


_WATCH: Final = _Watch()


def within_time(work: Callable[[], T], seconds: float = MOST_SECONDS) -> T:
    """Do some work; `HeldTooLong` if it computes for longer than this, even if it comes to an end all the same."""
    clock, rule = _clock_of_this_thread(), RUNNING.rule
    limited = _Limited(get_ident(), clock, clock() + seconds)
    found: list[T] = []
    try:
        _WATCH.add(limited)
        found.append(work())
    except _Stop:
        if not limited.was_stopped:  # it is for work of which this is a part
            raise
    finally:
        limited.is_over = True  # at most one more arrives: while this is removed
        try:
            _WATCH.remove(limited)
        except _Stop:
            _WATCH.remove(limited)
        if limited.was_stopped:
            RUNNING.rule = rule
            raise HeldTooLong from None
    return found[0]


def _clock_of_this_thread() -> Callable[[], float]:
    """Seconds of the processor that this thread has used; where the system does not tell, seconds."""
    if not hasattr(time, "pthread_getcpuclockid"):
        return time.monotonic
    clock = time.pthread_getcpuclockid(get_ident())
    return lambda: time.clock_gettime(clock)


def _raise_in(thread: int, problem: type[BaseException] | None) -> None:
    """Raise an error in another thread, as soon as it runs Python again."""
    ctypes.pythonapi.PyThreadState_SetAsyncExc(
        ctypes.c_ulong(thread), None if problem is None else ctypes.py_object(problem)
    )
