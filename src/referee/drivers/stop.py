"""When long work is given up: at a moment, or as soon as no one wants its result any more."""

from __future__ import annotations

from dataclasses import replace
from time import monotonic
from typing import Final, Protocol, final

from referee.core.errors import Cancelled, OutOfTime
from referee.core.plain import frozen

OUTCOMES_A_SECOND: Final = 100_000
"""How many outcomes of a throw are counted in a second, by a slow machine."""


class Flag(Protocol):
    """An event of threads or of processes."""

    def is_set(self) -> bool: ...


@final
@frozen
class Stop:
    """When to give up: once `until` (by the monotonic clock) is past, or someone has set `cancelled`."""

    until: float | None = None
    cancelled: Flag | None = None

    @classmethod
    def after(cls, seconds: float | None, cancelled: Flag | None = None) -> Stop:
        """Some seconds from now."""
        return cls(None if seconds is None else monotonic() + seconds, cancelled)

    def within(self, seconds: float | None) -> Stop:
        """The same, but not later than some seconds from now."""
        return self.by(None if seconds is None else monotonic() + seconds)

    def by(self, moment: float | None) -> Stop:
        """The same, but not later than a moment of the monotonic clock."""
        if moment is None or (self.until is not None and self.until <= moment):
            return self
        return replace(self, until=moment)

    @property
    def seconds_left(self) -> float | None:
        """None if there is no such moment."""
        return None if self.until is None else max(0.0, self.until - monotonic())

    def check(self) -> None:
        """Raise `OutOfTime` or `Cancelled` if it is time to give up. Long work asks this often."""
        if self.cancelled is not None and self.cancelled.is_set():
            raise Cancelled("no one waits for these odds any more")
        if self.until is not None and monotonic() > self.until:
            raise OutOfTime("these odds take longer than there is time for")

    def check_time_for(self, outcomes: int) -> None:
        """Raise `OutOfTime` if there is no time to count so many outcomes: counting itself is not interrupted."""
        left = self.seconds_left
        if left is not None and outcomes > left * OUTCOMES_A_SECOND:
            raise OutOfTime("these odds take longer than there is time for")


NEVER_STOP: Final = Stop()
