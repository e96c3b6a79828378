"""A forecast at work: processes that play fights, what is known so far, and a way to stop.

The processes get what the viewer knows and nothing else, are handed a number of fights at a time, and can be ended at
any moment. What one was playing when it died is played again by another; fights are numbered: the result is the same.
"""

from __future__ import annotations

import math
import signal
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from threading import Event, Lock, Thread
from time import monotonic
from typing import Any, Final, Self, final

from referee import registry
from referee.core.errors import NotKnown, RefereeError
from referee.forecast.encounters import (
    EncounterForecast,
    EncounterPlan,
    Prepared,
    Sampler,
    Shift,
    Tally,
    difference,
    forecasts,
)
from referee.forecast.pool import MEGABYTES
from referee.forecast.transport import pack, unpack_plan
from referee.forecast.worker import give_way, limit_memory

FIRST: Final = 32
MOST: Final = 200_000
SECONDS: Final = 0.25
"""How long a process should take for the fights it is handed at once; at first, a few."""
MOST_DEATHS: Final = 3
"""So many processes may die before a forecast is given up."""
MANY: Final = 1_000
"""From so many fights on it pays to break them down into turns, where that can be done."""
FIGHTS: Final = 10_000
"""How many fights are played if no one says otherwise."""


@final
class Forecasting:
    """A forecast of an encounter, or of two variants of one, worked on in processes of its own once it begins."""

    def __init__(
        self,
        plans: Sequence[EncounterPlan],
        *,
        fights: int = FIGHTS,
        processes: int = 1,
        seed: int = 0,
        exact: bool = True,
        megabytes: int = MEGABYTES,
        may_take: Callable[[], float] = lambda: math.inf,
        when_done: Callable[[], None] = lambda: None,
    ) -> None:
        """`may_take` is asked all the while how many seconds it may take; `when_done` is called once it is over."""
        self.plans = tuple(plans)
        self.packed = tuple(pack(plan, registry.load(plan.system)) for plan in plans)
        """What its processes are handed."""
        self.prepared: tuple[Prepared, ...] = tuple(plan.prepared() for plan in plans)
        """Refuses at once what cannot be forecast."""
        self.fights = fights
        self.seed = seed
        self.problem: RefereeError | None = None
        """Why it ended early, if not because it was stopped."""
        self.megabytes = megabytes
        self.began = 0.0
        self.seconds = 0.0
        self.is_cut_short = False
        """Whether it ended because its time was over."""
        self.may_take = may_take
        self._when_done = when_done
        self._exact: list[EncounterForecast] | None = None
        self._tries_exact = exact
        self._tally: Tally | None = None
        self._lock = Lock()
        self._stop = Event()
        self._done = Event()
        self._processes = max(1, processes)
        self._workers: list[_Worker] = []
        self._thread = Thread(target=self._run, name="forecast", daemon=True)

    def begin(self) -> Self:
        """Have it worked on; once."""
        self.began = monotonic()
        self._thread.start()
        return self

    @property
    def has_begun(self) -> bool:
        return self.began > 0

    @property
    def is_done(self) -> bool:
        return self._done.is_set()

    @property
    def played(self) -> int:
        """How many fights are counted so far."""
        with self._lock:
            return self._tally.fights if self._tally is not None else 0

    @property
    def processes(self) -> tuple[int, ...]:
        """The ids of its processes."""
        return tuple(worker.pid for worker in tuple(self._workers))

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until it is done; whether it is."""
        return self._done.wait(seconds)

    def stop(self) -> None:
        """End it at once; what is known so far stays. It does not begin any more."""
        self._stop.set()
        if not self.has_begun:
            self._done.set()
            return
        for worker in tuple(self._workers):
            worker.kill()
        self._thread.join()

    def found(self) -> list[EncounterForecast] | None:
        """What is known so far, by plan; None before anything is."""
        with self._lock:
            if self._exact is not None:
                return self._exact
            return None if self._tally is None else forecasts(self.prepared, self._tally)

    def moved(self, ending: str) -> Shift | None:
        """How the second plan differs from the first in the chance of an ending."""
        with self._lock:
            if self._exact is not None:
                one, two = (each.endings.get(ending) for each in self._exact[:2])
                return Shift(float(two.share if two else 0) - float(one.share if one else 0), 0.0)
            return None if self._tally is None else difference(self._tally, ending)

    # --- in a thread of its own ---------------------------------------------------------------------------------------

    def _run(self) -> None:
        todo = deque([range(self.fights)])
        deaths = 0
        try:
            self._workers = [_Worker(self, first=at == 0) for at in range(self._processes)]
            for worker in self._workers:
                worker.hand(todo)
            while not self._stop.is_set() and any(worker.busy for worker in self._workers):
                if monotonic() - self.began > self.may_take():
                    self.is_cut_short = True
                    return
                ready = wait([worker.pipe for worker in self._workers if worker.busy], timeout=0.05)
                for worker in [each for each in self._workers if each.pipe in ready]:
                    try:
                        self._count(worker.reply())
                    except (EOFError, ConnectionResetError):
                        if self._stop.is_set():
                            return
                        deaths += 1
                        if deaths > MOST_DEATHS:
                            raise RefereeError("the processes of this forecast keep dying") from None
                        todo.appendleft(worker.numbers)
                        self._workers.remove(worker)
                        worker.end()
                        worker = _Worker(self)  # noqa: PLW2901  # another takes its place
                        self._workers.append(worker)
                    if self._exact is not None:
                        return
                    worker.hand(todo)
        except RefereeError as problem:
            self.problem = problem
        finally:
            for worker in self._workers:
                worker.end()
            self.seconds = monotonic() - self.began
            self._done.set()
            self._when_done()

    def _count(self, reply: Any) -> None:
        if isinstance(reply, RefereeError):
            raise reply
        with self._lock:
            if isinstance(reply, list):
                self._exact = reply
            elif reply is not None:
                if self._tally is None:
                    self._tally = reply
                else:
                    self._tally.add(reply)


@final
class _Worker:
    """A process that plays fights."""

    def __init__(self, of: Forecasting, *, first: bool = False) -> None:
        self.pipe, theirs = _CONTEXT.Pipe()
        self.numbers = range(0)
        self.busy = False
        self._first = first and of._tries_exact
        self._size = FIRST
        self._handed = 0.0
        self._process: BaseProcess = _CONTEXT.Process(
            target=_work,
            args=(theirs, of.packed, of.seed, of.fights >= MANY, of.megabytes),
            name="referee forecast",
            daemon=True,
        )
        self._process.start()
        theirs.close()

    @property
    def pid(self) -> int:
        return self._process.pid or 0

    def hand(self, todo: deque[range]) -> None:
        """Hand it the next fights; the first process is first asked whether the encounter is small enough."""
        if self._first:
            self._first, self.busy = False, True
            self._send(None)
            return
        self.busy = bool(todo)
        if todo:
            numbers = todo.popleft()
            self.numbers = numbers[: self._size]
            if numbers[self._size :]:
                todo.appendleft(numbers[self._size :])
            self._handed = monotonic()
            self._send(self.numbers)

    def _send(self, what: range | None) -> None:
        with suppress(BrokenPipeError, ConnectionResetError):  # it has died, which its reply will show
            self.pipe.send(what)

    def reply(self) -> Any:
        reply = self.pipe.recv()
        if isinstance(reply, Tally):
            took = max(monotonic() - self._handed, 1e-4)
            self._size = max(FIRST, min(MOST, int(self._size * min(4.0, SECONDS / took))))
        return reply

    def kill(self) -> None:
        """End the process at once. Its pipe stays, for the thread that reads from it."""
        self._process.kill()

    def end(self) -> None:
        """End the process, and forget it."""
        self._process.kill()
        self._process.join()
        self.pipe.close()


def _work(pipe: Connection, packed: Sequence[bytes], seed: int, break_down: bool, megabytes: int) -> None:
    """In a process of its own: play what is handed over until there is nothing more, or no one listens."""
    give_way()
    limit_memory(megabytes)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for whoever started it
    try:
        sampler: Sampler | None = None
        while True:
            numbers = pipe.recv()
            try:
                sampler = sampler or Sampler(
                    [unpack_plan(each).prepared() for each in packed], seed, break_down=break_down
                )
                pipe.send(sampler.exact() if numbers is None else sampler.play(numbers))
            except NotKnown as why:
                pipe.send(NotKnown(why.what))
            except RefereeError as why:
                pipe.send(RefereeError(str(why)))
            except MemoryError:
                sampler = None
                pipe.send(RefereeError(f"it took more than {megabytes} megabytes of memory"))
    except (EOFError, BrokenPipeError, ConnectionResetError):
        return


_CONTEXT: Final = get_context("spawn")
"""A fork would copy the threads of a server, and locks that they hold."""
