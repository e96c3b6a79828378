"""A server: the embedded database, the application and a clean shutdown; and a server in a thread, for tests."""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import signal
import socket
import threading
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from time import monotonic, sleep
from types import TracebackType
from typing import Final, Self, final

import uvicorn
from uvicorn.server import HANDLED_SIGNALS

from referee import registry
from referee.core.errors import RefereeError
from referee.store.backup import automatic_backups
from referee.store.folders import BACKUPS, DATABASE
from referee.store.opening import open_store
from referee.store.sole_server import sole_server
from referee.store.sqlite import SQLiteStore
from referee.table.hub import Hub
from referee.web.access_log import set_up_logs
from referee.web.addresses import ANYWHERE, for_others, is_this_computer, origin
from referee.web.app import make_app
from referee.web.connections import SPARE, connection_class
from referee.web.late import Application
from referee.web.limits import network_of
from referee.web.pages.page import TEMPLATES
from referee.web.settings import ServerSettings
from referee.web.state import ServerState, app_state
from referee.web.thread_turns import ThreadTurns

LOG: Final = logging.getLogger("referee.web.server")
GRACE: Final = 5
"""Seconds that open requests get to finish when the server stops."""
BACKLOG: Final = 512
COLLECT: Final = (10_000, 1, 2_000)
"""How many new objects start a collection of the young, how many of those one of the middle-aged, how many of those one
of all. Python's own numbers are for small programs: with a long table in memory, every second request would wait for
the last kind. The middle-aged stay few, since every request waits while they are looked through."""
READY_AFTER: Final = 0.5
"""Seconds after which the rest is imported that the first page did without."""
UPKEEP_EVERY: Final = 3600.0
KEYS_KEPT: Final = 7 * 86_400.0

Ready = Callable[[str, tuple[str, ...], Hub], None]
"""Called when the server listens, with its address on this computer and those for everyone else."""


@final
class Server(uvicorn.Server):
    """Ends live streams and odds first, because they would keep it from stopping."""

    def __init__(self, config: uvicorn.Config, application: Application, turns: ThreadTurns) -> None:
        super().__init__(config)
        self.application = application
        self.turns = turns

    @contextmanager
    def capture_signals(self) -> Generator[None]:
        """A signal stops the server but not the process, which still has to close the storage."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {each: signal.signal(each, self.handle_exit) for each in HANDLED_SIGNALS}
        try:
            yield
        finally:
            for each, handler in before.items():
                signal.signal(each, handler)

    async def on_tick(self, counter: int) -> bool:
        """Ten times a second."""
        self.turns.look()
        return await super().on_tick(counter)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        app_state(self.application).stop()
        await super().shutdown(sockets)


def serve(settings: ServerSettings, ready: Ready = lambda address, others, hub: None) -> None:
    """Serve until stopped (Ctrl-C, SIGTERM)."""
    set_up_logs(settings.log)
    folder = settings.folder
    folder.mkdir(parents=True, exist_ok=True)
    with alone_in(settings), closing(listening(settings)) as listener:
        hub = Hub(open_store(settings.database, folder / DATABASE))
        try:
            others = () if settings.origin else for_others(settings.host, listener.getsockname()[1])
            ready(address_of(listener, settings), others, hub)
            server, _ = make_server(hub, settings)
            asyncio.run(_run(server, listener, hub, settings))
        finally:
            hub.close()


def alone_in(settings: ServerSettings) -> AbstractContextManager[None]:
    """An embedded database has one server; one in PostgreSQL any number."""
    return nullcontext() if settings.database else sole_server(settings.folder)


def listening(settings: ServerSettings) -> socket.socket:
    """The socket to listen on; it is opened first, so that a port in use is reported before anything else happens."""
    # The protocol has to be named: only then does asyncio send small answers at once (TCP_NODELAY).
    found = socket.socket(_family(settings.host), socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if os.name == "posix":
            found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        found.bind((settings.host, settings.port))
        found.listen(BACKLOG)
    except OSError as problem:
        found.close()
        where = f"{settings.host}:{settings.port}"
        raise RefereeError(f"cannot listen at {where}: {problem.strerror}; choose another REFEREE_PORT") from None
    return found


def _family(host: str) -> socket.AddressFamily:
    return socket.AF_INET6 if ":" in host else socket.AF_INET


def address_of(listener: socket.socket, settings: ServerSettings) -> str:
    """Where people find the server."""
    host, port = listener.getsockname()[:2]
    shown = "localhost" if host in ANYWHERE or is_this_computer(host) else host
    return settings.origin or origin(shown, port)


def make_server(hub: Hub, settings: ServerSettings) -> tuple[Server, ServerState]:
    """A server that is not running yet, and its state."""
    _collect_seldom()
    app = make_app(hub, settings)
    hub.on_news = app_state(app).heard
    turns = ThreadTurns(app)
    config = uvicorn.Config(
        turns,
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=GRACE,
        forwarded_allow_ips=settings.proxies,
        http=connection_class(
            settings.streams + SPARE, proxies={network_of(each.strip()) for each in settings.proxies.split(",")}
        ),
        h11_max_incomplete_event_size=64 * 1024,
        limit_concurrency=None,
    )
    return Server(config, app, turns), app_state(app)


def _collect_seldom() -> None:
    """Let no request wait for a collection of all that is in memory."""
    gc.freeze()
    gc.set_threshold(*COLLECT)


def _get_ready(app: Application) -> None:
    """Import pages, the API, systems and templates soon after the first page, before anybody waits for them."""
    _ = app.routes
    for name in registry.names():
        try:
            registry.load(name)
        except (RefereeError, ImportError) as problem:
            LOG.error("the system %s cannot be loaded: %s", name, problem)  # noqa: TRY400  # the message is enough
    for name in TEMPLATES.list_templates(["html"]):
        TEMPLATES.get_template(name)


async def _run(server: Server, listener: socket.socket, hub: Hub, settings: ServerSettings) -> None:
    soon = threading.Timer(READY_AFTER, _get_ready, (server.application,))
    soon.daemon = True
    soon.start()
    upkeep = asyncio.create_task(_keep_up(hub, settings))
    try:
        await server.serve([listener])
    finally:
        soon.cancel()
        upkeep.cancel()
        await asyncio.gather(upkeep, return_exceptions=True)


async def _keep_up(hub: Hub, settings: ServerSettings) -> None:
    """Every hour: make the daily backup if it is due, evict idle campaigns, delete old keys."""
    while True:
        try:
            await asyncio.to_thread(_upkeep, hub, settings)
        except (RefereeError, OSError) as problem:
            LOG.error("upkeep failed: %s", problem)  # noqa: TRY400  # the message is enough
        await asyncio.sleep(UPKEEP_EVERY)


def _upkeep(hub: Hub, settings: ServerSettings) -> None:
    if isinstance(hub.store, SQLiteStore):  # PostgreSQL has tools of its own
        made = automatic_backups(hub.store, settings.folder / BACKUPS)
        if made is not None:
            LOG.info("backup made", extra={"file": made.name})
    hub.evict_idle()
    hub.store.forget_keys(hub.clock() - KEYS_KEPT)


PATIENCE: Final = 20.0


@final
class Background:
    """A real server on a real port, until it is stopped. It does not close the hub."""

    def __init__(self, hub: Hub, settings: ServerSettings | None = None) -> None:
        self.settings = settings or ServerSettings(port=0)
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
