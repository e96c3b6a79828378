"""The first door to odds: requests are let in table by table and at a table seat by seat, in turn, strangers last.

Whoever waits outside holds no thread. A table and each of its seats have only so many inside, however many they ask
for, and only so many outside; the others are told how many are before them. The event loop alone uses a door.
"""

from __future__ import annotations

import asyncio
import math
from collections import Counter, OrderedDict, deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from typing import Final, final

from referee.core.errors import Cancelled
from referee.web.errors import Problem

PLACES: Final = 48
"""How many requests are let in at once; all but a few of them only wait for a process."""
SHARE: Final = 8
"""How many of one table."""
SEAT_SHARE: Final = 4
"""How many of one seat."""
STRANGERS: Final = 4
"""How many of all strangers together, and only while a whole share is left for a table."""
OUTSIDE: Final = 64
"""How many of one table may wait outside, and how many of all strangers together."""
SEAT_OUTSIDE: Final = 40
"""How many of one seat, so that there is room for the others at its table."""
LONGEST: Final = 10.0
"""How many seconds one waits outside."""
SECONDS_EACH: Final = 1.0
"""How long odds take, as those are told who are not let in."""


class NotLetIn(Problem):
    """Too many are before them, or nobody is let in any more."""


@final
@dataclass(frozen=True)
class OddsCaller:
    """Who asks for odds: a seat at a table, a table, or a stranger by their address."""

    name: str
    is_stranger: bool = False
    seat: str = ""

    @property
    def table(self) -> OddsCaller:
        """Whom they share their places with."""
        return replace(self, seat="")


@final
class OddsDoor:
    """Who is inside, and who waits."""

    def __init__(self) -> None:
        self._inside: Counter[OddsCaller] = Counter()
        self._outside: OrderedDict[OddsCaller, deque[asyncio.Future[None]]] = OrderedDict()
        self._is_closed = False

    @asynccontextmanager
    async def entered(self, caller: OddsCaller, gone: asyncio.Future[None]) -> AsyncIterator[None]:
        """Inside, as soon as it is the caller's turn.

        `NotLetIn` if too many are before them; `Cancelled` if they leave while they wait.
        """
        await self._enter(caller, gone)
        try:
            yield
        finally:
            self._leave(caller)

    @property
    def inside(self) -> int:
        """How many are inside."""
        return self._inside.total()

    @property
    def outside(self) -> int:
        """How many wait."""
        return self._waiting(lambda _: True)

    def waiting(self, caller: OddsCaller) -> int:
        """How many are outside before the next of a caller: of their table, or of all strangers."""
        return self._waiting(lambda who: who.table == caller.table or (who.is_stranger and caller.is_stranger))

    def _waiting(self, fits: Callable[[OddsCaller], bool]) -> int:
        return sum(not each.done() for who, turns in self._outside.items() if fits(who) for each in turns)

    def close(self) -> None:
        """Let nobody in any more; those who wait are told. Any thread may close it."""
        self._is_closed = True
        for each in [turn for turns in list(self._outside.values()) for turn in list(turns)]:
            with suppress(RuntimeError):  # the loop has ended, and whoever waited with it
                each.get_loop().call_soon_threadsafe(each.cancel)

    async def _enter(self, caller: OddsCaller, gone: asyncio.Future[None]) -> None:
        if not self._waiting(lambda who: who == caller or (who.is_stranger and caller.is_stranger)) and self._has_room(
            caller
        ):
            self._inside[caller] += 1
            return
        is_greedy = caller.seat and self._waiting(lambda who: who == caller) >= SEAT_OUTSIDE
        if self._is_closed or is_greedy or self.waiting(caller) >= OUTSIDE:
            raise self._full(caller)
        turn = asyncio.get_running_loop().create_future()
        self._outside.setdefault(caller, deque()).append(turn)
        try:
            await asyncio.wait((turn, gone), timeout=LONGEST, return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self._leave(caller)
            turn.cancel()
            raise
        if not turn.cancel() and not turn.cancelled():
            return
        if gone.done():
            raise Cancelled("no one waits for these odds any more")
        raise self._full(caller)

    def _leave(self, caller: OddsCaller) -> None:
        self._inside[caller] -= 1
        if not self._inside[caller]:
            del self._inside[caller]
        while (following := self._next()) is not None:
            turns = self._outside.pop(following)
            turns.popleft().set_result(None)
            self._inside[following] += 1
            if turns:
                self._outside[following] = turns

    def _next(self) -> OddsCaller | None:
        """Whose turn it is: tables before strangers, those who have fewest inside first."""
        for who, turns in list(self._outside.items()):
            here = deque(each for each in turns if not each.done())  # without those who have given up
            if here:
                self._outside[who] = here
            else:
                del self._outside[who]
        found = [each for each in self._outside if self._has_room(each)]
        inside = self._tables()
        return min(found, key=lambda each: (each.is_stranger, inside[each.table], self._inside[each]), default=None)

    def _tables(self) -> Counter[OddsCaller]:
        """How many of each table are inside."""
        found = Counter[OddsCaller]()
        for who, number in self._inside.items():
            found[who.table] += number
        return found

    def _has_room(self, caller: OddsCaller) -> bool:
        if self._is_closed:
            return False
        inside = self._inside.total()
        if not caller.is_stranger:
            mine = not caller.seat or self._inside[caller] < SEAT_SHARE
            return inside < PLACES and mine and self._tables()[caller.table] < SHARE
        strangers = sum(number for each, number in self._inside.items() if each.is_stranger)
        return inside < PLACES - SHARE and strangers < STRANGERS

    def _full(self, caller: OddsCaller) -> NotLetIn:
        before = self.waiting(caller)
        seconds = math.ceil((before + 1) * SECONDS_EACH)
        whose = "of others" if caller.is_stranger else "of your table"
        questions = "1 question {} waits" if before == 1 else f"{before} questions {{}} wait"
        message = f"odds are busy: {questions.format(whose)} before yours"
        legal = (f"ask again in {seconds} seconds", "ask for fewer at once")
        return NotLetIn(429, "busy", message, legal=legal, headers={"Retry-After": str(seconds)})
