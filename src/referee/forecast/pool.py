"""A few processes that compute long odds, so that no one's odds hold up the server, and each can be limited and ended.

    pool = OddsPool(workers=2, megabytes=1024)
    card = pool.ask("campaign", query, system, Budget(1.5), stop)

They start when they are first needed, or told to prepare for a system. Whoever waits is served in turn, table by table,
strangers last. A table that has no process while another has several, or a stranger has one, gets one of those at once;
what was being computed there waits its turn again. Too many are told that it is busy. A process that ends, or takes too
much memory or time, is replaced, and who asked it is told; one that ended while it had nothing to do costs nobody
anything. If none starts, they are tried again, less and less often.
"""

from __future__ import annotations

import json
import os
import selectors
import subprocess
import sys
from collections import Counter, OrderedDict, deque
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from logging import getLogger
from threading import Condition, Event, Thread
from time import monotonic
from typing import Final, final

from referee.core.errors import Cancelled, Refused
from referee.core.plain import Plain
from referee.core.system import System
from referee.drivers.stop import Stop, now
from referee.forecast.figures import NORMAL
from referee.forecast.transport import CannotTravel, Query, pack
from referee.forecast.worker import HEAD, READY, REPLY

MEGABYTES: Final = 1024
MOST_WAITING: Final = 64
"""So many queries of one table may wait, and as many of all strangers together."""
GRACE: Final = 2.0
"""How soon, in seconds, a cancelled query must end; it does so at once, unless the process has no time to notice.
Another process would take as long to start."""
LATE: Final = 1.0
"""How many seconds past its budget an answer may arrive: on a busy machine what was finished in time comes late."""
STARTING: Final = 20.0
TICK: Final = 0.02
LOOK: Final = 0.5
"""How often, in seconds, one looks whether a process that has nothing to do has ended."""
FIRST_REST: Final = 0.5
"""How many seconds after a process that did not start the next one is tried; twice as many after each failure."""
LONGEST_REST: Final = 60.0
LOG: Final = getLogger(__name__)


class Unanswered(Exception):
    """A query without an answer; `because` is the word for it, as in `Unfigured`."""

    def __init__(self, because: str) -> None:
        super().__init__(because)
        self.because = because


@final
@dataclass(eq=False)
class Asked:
    """A query that waits for its answer, of a table or of a stranger's address."""

    table: str
    packed: bytes
    plays: int
    stop: Stop
    is_stranger: bool = False
    gives_way: bool = False
    """Whether its process is wanted by a table that has none."""
    done: Event = field(default_factory=Event)
    reply: dict[str, Plain] = field(default_factory=dict)

    @property
    def is_cancelled(self) -> bool:
        return self.stop.cancelled is not None and self.stop.cancelled.is_set()

    def finish(self, reply: dict[str, Plain]) -> None:
        if not self.done.is_set():
            self.reply = reply
            self.done.set()


@final
class FairQueue:
    """What waits, by table. Each table in turn: one that asks a hundred times does not hold up the others."""

    def __init__(self, most: int = MOST_WAITING) -> None:
        self.most = most
        self._tables: OrderedDict[str, deque[Asked]] = OrderedDict()
        self._strangers: OrderedDict[str, deque[Asked]] = OrderedDict()

    def __len__(self) -> int:
        return sum(map(len, (*self._tables.values(), *self._strangers.values())))

    def add(self, asked: Asked) -> bool:
        """Whether there is room for it."""
        waiting = self._among(asked)
        before = sum(map(len, waiting.values())) if asked.is_stranger else len(waiting.get(asked.table, ()))
        if before >= self.most:
            return False
        waiting.setdefault(asked.table, deque()).append(asked)
        return True

    def put_back(self, asked: Asked) -> None:
        """It has lost its process: it is the first of its table again."""
        self._among(asked).setdefault(asked.table, deque()).appendleft(asked)

    def next(self, at_work: Mapping[str, int]) -> Asked | None:
        """The first of the table that has the fewest processes at work; of several, the one whose turn it is."""
        among = self._tables or self._strangers
        if not among:
            return None
        table = min(among, key=lambda each: at_work.get(each, 0))
        waiting = among.pop(table)
        found = waiting.popleft()
        if waiting:
            among[table] = waiting
        return found

    def _among(self, asked: Asked) -> OrderedDict[str, deque[Asked]]:
        return self._strangers if asked.is_stranger else self._tables


@final
class WorkerProcess:
    """One process, and the pipe to it."""

    def __init__(self, megabytes: int) -> None:
        path = os.pathsep.join(each for each in sys.path if each)
        self._process = subprocess.Popen(  # noqa: S603  # our own module, by our own Python
            [sys.executable, "-m", "referee.forecast.worker", str(megabytes)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": path},
            start_new_session=True,  # a Ctrl-C in the terminal is the server's, which ends it
        )
        if self._process.stdin is None or self._process.stdout is None:
            raise OSError("a process without pipes")
        self._to, self._from = self._process.stdin, self._process.stdout
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._from, selectors.EVENT_READ)
        self._number = READY
        self._read = b""
        self._prepared = 0

    @property
    def pid(self) -> int:
        return self._process.pid

    def send(self, packed: bytes, seconds: float, plays: int) -> int:
        """Send a query; returns its number."""
        self._number += 1
        self._to.write(HEAD.pack(self._number, seconds, plays, len(packed)))
        self._to.write(packed)
        self._to.flush()
        return self._number

    def prepare(self, systems: Sequence[str]) -> None:
        """Have it load what it has not loaded yet of a growing list of systems."""
        for name in systems[self._prepared :]:
            self._to.write(HEAD.pack(READY, 0.0, 0, len(name.encode())) + name.encode())
        self._prepared = len(systems)
        self._to.flush()

    @property
    def has_ended(self) -> bool:
        return self._process.poll() is not None

    def cancel(self) -> None:
        self._to.write(HEAD.pack(self._number, 0.0, 0, 0))
        self._to.flush()

    def reply(self, number: int, seconds: float) -> dict[str, Plain] | None:
        """The answer to a query; None if it has not come by then. An `EOFError` says that the process has ended."""
        if self._selector.select(seconds):
            more = os.read(self._from.fileno(), 2**16)
            if not more:
                raise EOFError
            self._read += more
        while len(self._read) >= REPLY.size:
            which, size = REPLY.unpack_from(self._read)
            if len(self._read) < REPLY.size + size:
                return None
            body, self._read = self._read[REPLY.size : REPLY.size + size], self._read[REPLY.size + size :]
            if which == number:
                found: dict[str, Plain] = json.loads(body)
                return found
        return None

    def kill(self) -> None:
        self._process.kill()

    def end(self) -> None:
        """End it at once."""
        self.kill()
        self._process.wait()
        self._selector.close()
        with suppress(OSError):  # what was not sent yet
            self._to.close()
        self._from.close()


@final
class OddsPool:
    """The processes, and what waits for them."""

    def __init__(self, workers: int, megabytes: int = MEGABYTES, most_waiting: int = MOST_WAITING) -> None:
        self.workers = workers
        self.megabytes = megabytes
        self._changed = Condition()
        self._queue = FairQueue(most_waiting)
        self._at_work: list[Asked] = []
        """What the processes are at, the latest last."""
        self._threads: list[Thread] = []
        self._ready = 0
        self._processes: set[WorkerProcess] = set()
        self._systems: list[str] = []
        self._closed = False

    @property
    def is_ready(self) -> bool:
        """Whether a process has started."""
        return self._ready > 0

    @property
    def is_closed(self) -> bool:
        return self._closed

    @property
    def pids(self) -> list[int]:
        return [each.pid for each in self._processes]

    def start(self) -> None:
        """Start the processes, if they have not been started; this does not wait for them."""
        with self._changed:
            missing = 0 if self._threads or self._closed else self.workers
            self._threads += [Thread(target=self._serve, daemon=True, name="odds") for _ in range(missing)]
            for thread in self._threads[-missing:] if missing else ():
                thread.start()

    def prepare(self, system: str) -> None:
        """Have the processes load a system in which somebody will ask for odds; this does not wait for them."""
        self.start()
        with self._changed:
            if system not in self._systems:
                self._systems.append(system)
                self._changed.notify_all()

    def ask(
        self,
        table: str,
        query: Query,
        system: System,
        stop: Stop,
        plays: int = NORMAL.plays,
        *,
        is_stranger: bool = False,
    ) -> Plain:
        """The card of a query, as plain data.

        Raises `CannotTravel` if no other process can answer it, `Unanswered` with the reason if none did, `Cancelled`
        if no one waits for it any more.
        """
        asked = Asked(table, pack(query, system), plays, stop, is_stranger)
        self.start()
        with self._changed:
            if self._closed:
                raise CannotTravel("there are no processes for odds")
            if not self._queue.add(asked):
                raise Unanswered("busy")
            self._make_room(asked)
            self._changed.notify_all()
        while not asked.done.wait(TICK) and not asked.is_cancelled:
            if stop.until is not None and now() > stop.until + LATE:
                asked.finish({"because": "time"})
        if asked.is_cancelled and "card" not in asked.reply:
            raise Cancelled("no one waits for these odds any more")
        return _card(asked.reply)

    def close(self) -> None:
        """End everything at once; whoever waits is told."""
        with self._changed:
            self._closed = True
            while (asked := self._queue.next({})) is not None:
                asked.finish({"because": "ended"})
            self._changed.notify_all()
            processes = list(self._processes)
        for each in processes:
            each.kill()

    def _make_room(self, asked: Asked) -> None:
        """If a table that has no process at work finds none free, one gives way: a stranger's, or one of several."""
        tables = Counter(each.table for each in self._at_work)
        if asked.is_stranger or asked.table in tables or len(self._at_work) < self._ready:
            return
        found = [each for each in self._at_work if not each.gives_way and (each.is_stranger or tables[each.table] > 1)]
        if found:
            first = max(found, key=lambda each: (each.is_stranger, tables[each.table], self._at_work.index(each)))
            first.gives_way = True

    def _serve(self) -> None:
        """One process after the other, each until it ends; after one that does not start, the next is tried later."""
        failures = 0
        while not self._closed:
            if self._served():
                failures = 0
                continue
            rest = min(LONGEST_REST, FIRST_REST * 2**failures)
            failures += 1
            LOG.warning("a process for odds did not start (%s in a row)", failures)
            with self._changed:
                self._changed.wait_for(lambda: self._closed, rest)

    def _served(self) -> bool:
        """One process, until it ends; False if it did not start."""
        try:
            process = WorkerProcess(self.megabytes)
        except OSError:
            return False
        with self._changed:
            self._processes.add(process)
        try:
            return self._answer_all(process)
        finally:
            with self._changed:
                self._processes.discard(process)
            process.end()

    def _answer_all(self, process: WorkerProcess) -> bool:
        """Serve queries by one process, until it has to be replaced; False if it did not start."""
        until = monotonic() + STARTING
        try:
            while process.reply(READY, TICK) is None:
                if monotonic() > until or self._closed:
                    return False
        except (EOFError, OSError):
            return False
        self._count_ready(1)
        try:
            while (asked := self._next(process)) is not None:
                if not self._answer(process, asked):
                    break
        except (EOFError, OSError):
            pass
        finally:
            self._count_ready(-1)
        return True

    def _count_ready(self, more: int) -> None:
        with self._changed:
            self._ready += more

    def _next(self, process: WorkerProcess) -> Asked | None:
        with self._changed:
            while not self._closed:
                if process.has_ended:  # nobody's odds are handed to it
                    raise EOFError
                process.prepare(self._systems)
                if (asked := self._queue.next(Counter(each.table for each in self._at_work))) is not None:
                    self._at_work.append(asked)
                    return asked
                self._changed.wait(LOOK)
            return None

    def _answer(self, process: WorkerProcess, asked: Asked) -> bool:
        """Have a query answered, unless it has to give way; False if the process has to be replaced."""
        try:
            return self._answered(process, asked)
        finally:
            with self._changed:
                self._at_work.remove(asked)
                if self._closed:
                    asked.finish({"because": "ended"})
                elif not asked.done.is_set():  # it has given way
                    asked.gives_way = False
                    self._queue.put_back(asked)
                    self._changed.notify_all()

    def _answered(self, process: WorkerProcess, asked: Asked) -> bool:
        left = asked.stop.seconds_left
        if asked.is_cancelled or asked.done.is_set() or left == 0:
            asked.finish({"because": "busy"})
            return True
        try:
            number = process.send(asked.packed, 3600.0 if left is None else left, asked.plays)
            until: float | None = None
            while (reply := process.reply(number, TICK)) is None:
                is_late = asked.stop.until is not None and now() > asked.stop.until + LATE
                if until is not None and monotonic() > until:
                    self._finish(asked, {"because": "ended"})
                    return False
                if until is None and (is_late or asked.gives_way or self._is_over(asked)):
                    process.cancel()
                    until = monotonic() + GRACE
        except (EOFError, OSError):
            asked.finish({"because": "ended"})
            raise
        self._finish(asked, reply)
        return reply.get("because") != "memory"

    def _finish(self, asked: Asked, reply: dict[str, Plain]) -> None:
        """Hand over what a query came to; one that was only ended to give way is not finished."""
        is_put_back = asked.gives_way and reply.get("because") == "ended" and not self._is_over(asked)
        if not is_put_back:
            asked.finish(reply)

    def _is_over(self, asked: Asked) -> bool:
        """Whether no one waits for it any more."""
        return self._closed or asked.is_cancelled


def _card(reply: dict[str, Plain]) -> Plain:
    if "card" in reply:
        return reply["card"]
    if "cannot" in reply:
        raise CannotTravel(str(reply["cannot"]))
    if "refused" in reply:
        why = reply["refused"]
        raise Refused(why["what"], because=why["because"], rule=why["rule"], legal=why["legal"])
    raise Unanswered(str(reply["because"]))
