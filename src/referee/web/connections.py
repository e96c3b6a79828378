"""Connections: how many there may be, and how long one may take to say what it wants."""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from typing import Any, Final, final

from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

from referee.web.limits import network_of

PATIENCE: Final = 10.0
"""Seconds in which the head of a request must have arrived."""
MOST_OF_ONE: Final = 256
"""How many connections one address may have open."""
SPARE: Final = 500
"""How many connections there may be besides the live streams."""


def connection_class(
    most: int, patience: float = PATIENCE, most_of_one: int = MOST_OF_ONE, proxies: Collection[str] = ()
) -> type[H11Protocol]:
    """The protocol of a server that has at most so many connections, closing those that say nothing for too long.

    A proxy brings the connections of many people.
    """

    @final
    class Connection(H11Protocol):
        _waiting: asyncio.TimerHandle | None = None

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            here = self._address()
            mine = sum(isinstance(each, Connection) and each._address() == here for each in self.connections)
            if len(self.connections) > most or (mine > most_of_one and here not in proxies):
                transport.close()
                return
            self._wait()

        def _address(self) -> str:
            return network_of(self.client[0]) if self.client else ""

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            cycle: RequestResponseCycle | None = self.cycle
            if cycle is not None and not cycle.response_complete:
                self._stop_waiting()
            elif self._waiting is None:
                self._wait()

        def on_response_complete(self) -> None:
            self._stop_waiting()
            super().on_response_complete()

        def connection_lost(self, exc: Exception | None) -> None:
            self._stop_waiting()
            super().connection_lost(exc)

        def _wait(self) -> None:
            self._waiting = self.loop.call_later(patience, self.transport.close)

        def _stop_waiting(self) -> None:
            if self._waiting is not None:
                self._waiting.cancel()
                self._waiting = None

    return Connection
