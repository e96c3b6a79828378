"""A real server on a free port, and clients that speak with it over real HTTP."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from time import monotonic, sleep
from typing import NamedTuple

import pytest

from referee.table.hub import Hub
from referee.table.sqlite import SQLiteStore
from referee.web.background import Background
from referee.web.client import Client, SeatClient
from referee.web.served import Served
from referee.web.settings import Settings

OFTEN = 100_000
"""A rate that no test reaches."""


class Running:
    """A server that can be stopped and started again on the same database and port."""

    def __init__(self, folder: Path, **settings: object) -> None:
        self.folder = folder
        self.given: dict[str, object] = {"port": 0, "rate": OFTEN, "log": "none", **settings}
        self.start()

    def start(self) -> None:
        self.hub = Hub(SQLiteStore.open(self.folder / "referee.db"))
        self.server = Background(self.hub, Settings(**self.given))  # type: ignore[arg-type]
        self.given["port"] = self.server.port
        self.address = self.server.address
        self.served: Served = self.server.served

    def stop(self) -> float:
        """Stop as a signal would; gives how long it took."""
        began = monotonic()
        self.server.stop()
        assert not self.server.is_running
        self.hub.close()
        return monotonic() - began


def until(holds: Callable[[], object], seconds: float = 10.0) -> None:
    """Wait until something holds."""
    deadline = monotonic() + seconds
    while not holds():
        assert monotonic() < deadline, "it did not come to that"
        sleep(0.01)


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    server = Running(tmp_path_factory.mktemp("web"))
    yield server
    server.stop()


@pytest.fixture
def client(running: Running) -> Iterator[Client]:
    with Client(running.address) as client:
        yield client


class Party(NamedTuple):
    """An ALIEN table: its game master, two players and somebody who looks on."""

    mo: SeatClient
    anna: SeatClient
    ben: SeatClient
    zoe: SeatClient


@pytest.fixture
def party(client: Client) -> Party:
    return seated_party(client)


def seated_party(client: Client) -> Party:
    mo = client.create("Thursday nights", "alien", sample="derelict", master="Mo")
    anna = client.join(mo.invite(controls=["Ripa"]).code, "Anna")
    ben = client.join(mo.invite(controls=["Dallow"]).code, "Ben")
    zoe = client.join(mo.invite("spectator").code, "Zoe")
    return Party(mo, anna, ben, zoe)


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[Hub]:
    hub = Hub(SQLiteStore.open(tmp_path / "referee.db"))
    yield hub
    hub.close()


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Callable[..., Running]]:
    """A server of one's own, with settings of one's own."""
    started: list[Running] = []

    def start(**settings: object) -> Running:
        started.append(Running(tmp_path, **settings))
        return started[-1]

    yield start
    for each in started:
        if each.server.is_running:
            each.stop()
