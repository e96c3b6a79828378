"""A process that computes odds for another one: `python -m referee.forecast.worker MEGABYTES`.

It reads queries from its standard input and writes cards to its standard output, one after the other, and ends when the
input ends: so it never outlives the process that started it. A query can be cancelled while it is computed.
"""

from __future__ import annotations

import json
import os
import struct
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from queue import SimpleQueue
from typing import BinaryIO, Final, final

from referee import registry
from referee.core.errors import Cancelled, RefereeError, Refused
from referee.core.plain import Plain
from referee.drivers.stop import Stop
from referee.forecast.figures import Budget, unfigured
from referee.forecast.transport import CannotTravel, unpack

HEAD: Final = struct.Struct("!IdII")
"""Of a query: its number, its seconds and plays, how many bytes follow (0: that number is cancelled)."""
REPLY: Final = struct.Struct("!II")
"""Of a reply: the number of its query, how many bytes of JSON follow."""
READY: Final = 0
"""The number of the first reply: the process has started. A query of this number only names a system to load."""
WATCH: Final = 0.2
PATIENT: Final = 5
"""How far behind the server's own work odds come, as the system counts it."""


@final
class Worker:
    """One query at a time; what arrives meanwhile is read by a thread of its own."""

    def __init__(self, given: BinaryIO, taken: BinaryIO) -> None:
        self._given = given
        self._taken = taken
        self._waiting: SimpleQueue[tuple[int, Budget, bytes]] = SimpleQueue()
        self._cancelled: dict[int, threading.Event] = {}

    def run(self) -> None:
        threading.Thread(target=self._read, daemon=True).start()
        self._reply(READY, {})
        load_numpy()
        while True:
            number, budget, packed = self._waiting.get()
            if number == READY:
                load_system(packed.decode())
                continue
            reply = self._worked(packed, budget, Stop.after(budget.seconds, self._cancelled[number]))
            del self._cancelled[number]
            self._reply(number, reply)
            if reply.get("because") == "memory":
                os._exit(0)  # what is left of it is of no use; it is replaced

    def _worked(self, packed: bytes, budget: Budget, stop: Stop) -> dict[str, Plain]:
        try:
            return {"card": unpack(packed).card(budget, stop).to_plain()}
        except CannotTravel as why:
            return {"cannot": str(why)}
        except Cancelled:
            return {"because": "ended"}
        except Refused as why:
            return {"refused": {"what": why.what, "because": why.because, "rule": why.rule, "legal": list(why.legal)}}
        except Exception as why:  # noqa: BLE001  # whatever it is, the next query is answered
            return {"because": unfigured(why).because}

    def _reply(self, number: int, reply: Plain) -> None:
        body = json.dumps(reply).encode()
        self._taken.write(REPLY.pack(number, len(body)) + body)
        self._taken.flush()

    def _read(self) -> None:
        while len(head := self._given.read(HEAD.size)) == HEAD.size:
            number, seconds, plays, size = HEAD.unpack(head)
            if not size:
                if number in self._cancelled:
                    self._cancelled[number].set()
                continue
            if number != READY:
                self._cancelled[number] = threading.Event()
            self._waiting.put((number, Budget(seconds, plays=plays), self._given.read(size)))
        os._exit(0)


def load_numpy() -> None:
    """Load what the largest sums are counted with, so that no query waits for it; an extra that may be missing."""
    with suppress(ImportError):
        from referee.odds import stack_rows

        stack_rows.prepare()


def load_system(name: str) -> None:
    """Load a system before somebody asks for odds in it; one that cannot be loaded is refused to those who ask."""
    with suppress(RefereeError, ImportError):
        registry.load(name)


def give_way() -> None:
    """Let whoever plays go first: on a busy computer odds may wait, an answer may not."""
    if hasattr(os, "nice"):
        os.nice(PATIENT)


def limit_memory(megabytes: int) -> None:
    """Let this process have no more memory than this; where the system does not see to it, the process does."""
    try:
        import resource
    except ImportError:  # Windows has no such limits
        return
    most = megabytes * 2**20
    try:
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
    except (ValueError, OSError):
        used = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss  # noqa: E731  # in bytes, on macOS
        threading.Thread(target=_watch, args=(used, most), daemon=True).start()


def _watch(used: Callable[[], int], most: int) -> None:
    """End the process when it has used more than it may."""
    while used() < most:
        threading.Event().wait(WATCH)
    os._exit(1)


def main() -> None:
    taken = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # nothing that a rule prints gets among the replies
    give_way()
    limit_memory(int(sys.argv[1]))
    Worker(sys.stdin.buffer, taken).run()


if __name__ == "__main__":
    main()
