"""A server in a thread: for tests, notebooks and examples.

with Background(hub) as server, Client(server.address) as client:
    ...
"""

from __future__ import annotations

import asyncio
import threading
from time import monotonic, sleep
from types import TracebackType
from typing import Final, Self, final

from referee.core.errors import RefereeError
from referee.table.hub import Hub
from referee.web.serve import listening, make_server
from referee.web.settings import Settings

PATIENCE: Final = 20.0


@final
class Background:
    """A real server on a real port, until it is stopped. It does not close the hub."""

    def __init__(self, hub: Hub, settings: Settings | None = None) -> None:
        self.settings = settings or Settings(port=0)
        self.hub = hub
        self._listener = listening(self.settings)
        self.port: int = self._listener.getsockname()[1]
        self._server, self.served = make_server(hub, self.settings)
        self._thread = threading.Thread(target=self._run)
        self._thread.start()
        deadline = monotonic() + PATIENCE
        while not self._server.started:
            if monotonic() > deadline or not self._thread.is_alive():
                raise RefereeError("the server did not start")
            sleep(0.005)

    @property
    def address(self) -> str:
        host = self.settings.host
        return f"http://{f'[{host}]' if ':' in host else host}:{self.port}"

    @property
    def is_running(self) -> bool:
        return self._thread.is_alive()

    def stop(self) -> None:
        """Stop as a signal would, and wait for it."""
        self._server.should_exit = True
        self._thread.join(PATIENCE)
        self._listener.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.stop()

    def _run(self) -> None:
        asyncio.run(self._server.serve([self._listener]))
