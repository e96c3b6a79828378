"""When long work is given up: at a moment, or as soon as no one wants its result any more."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction
from time import monotonic
from typing import Final, Protocol, final

from referee.core.errors import Cancelled, OutOfTime
from referee.core.plain import frozen

OUTCOMES_A_SECOND: Final = 100_000
"""How many outcomes of a throw are counted in a second, by a slow machine."""


class _Clock:
    def __init__(self) -> None:
        self.now: Callable[[], float] = monotonic


_CLOCK: Final = _Clock()


def now() -> float:
    """This moment by the clock of every budget."""
    return _CLOCK.now()


@contextmanager
def timed_by(clock: Callable[[], float]) -> Iterator[None]:
    """Budgets go by another clock for a while: one that a test moves, or a benchmark's processor time."""
    before, _CLOCK.now = _CLOCK.now, clock
    try:
        yield
    finally:
        _CLOCK.now = before


class Flag(Protocol):
    """An event of threads or of processes."""

    def is_set(self) -> bool: ...


@final
@frozen
class Stop:
    """When to give up: once `until` (by the clock of budgets) is past, or someone has set `cancelled`."""

    until: float | None = None
    cancelled: Flag | None = None

    @classmethod
    def after(cls, seconds: float | None, cancelled: Flag | None = None) -> Stop:
        """Some seconds from now."""
        return cls(None if seconds is None else now() + seconds, cancelled)

    def within(self, seconds: float | None) -> Stop:
        """The same, but not later than some seconds from now."""
        return self.by(None if seconds is None else now() + seconds)

    def by(self, moment: float | None) -> Stop:
        """The same, but not later than a moment of the clock of budgets."""
        if moment is None or (self.until is not None and self.until <= moment):
            return self
        return replace(self, until=moment)

    def share(self, of: Fraction) -> Stop:
        """The same, but only for a share of the time that is left."""
        left = self.seconds_left
        return self if left is None else self.within(left * float(of))

    @property
    def seconds_left(self) -> float | None:
        """None if there is no such moment."""
        return None if self.until is None else max(0.0, self.until - now())

    @property
    def is_past(self) -> bool:
        """Whether the moment is over."""
        return self.until is not None and now() > self.until

    def check(self) -> None:
        """Raise `OutOfTime` or `Cancelled` if it is time to give up. Long work asks this often."""
        if self.cancelled is not None and self.cancelled.is_set():
            raise Cancelled("no one waits for these odds any more")
        if self.is_past:
            raise OutOfTime("these odds take longer than there is time for")

    def check_time_for(self, outcomes: int) -> None:
        """Raise `OutOfTime` if there is no time to count so many outcomes: counting itself is not interrupted."""
        left = self.seconds_left
        if left is not None and outcomes > left * OUTCOMES_A_SECOND:
            raise OutOfTime("these odds take longer than there is time for")


NEVER_STOP: Final = Stop()
