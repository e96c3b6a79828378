"""A real server on a free port, and clients that speak with it over real HTTP."""

from __future__ import annotations

import html
from collections.abc import Callable, Iterator
from pathlib import Path
from time import monotonic, sleep
from typing import NamedTuple
from weakref import finalize

import httpx
import pytest

from referee.client import Client, SeatClient
from referee.store.sqlite import SQLiteStore
from referee.table.hub import Hub
from referee.web.pages.table.table import LAST_LOOK
from referee.web.server import Background
from referee.web.settings import ServerSettings
from referee.web.state import ServerState

OFTEN = 100_000
"""A rate that no test reaches."""


class Running:
    """A server that can be stopped and started again on the same database and port."""

    def __init__(self, folder: Path, **settings: object) -> None:
        self.folder = folder
        self.given: dict[str, object] = {"port": 0, "rate": OFTEN, "log": "none", "odds_workers": 0, **settings}
        self.start()

    def start(self) -> None:
        self.hub = Hub(SQLiteStore.open(self.folder / "referee.db"))
        self.server = Background(self.hub, ServerSettings(**self.given))  # type: ignore[arg-type]
        self.given["port"] = self.server.port
        self.address = self.server.address
        self.served: ServerState = self.server.served

    def stop(self) -> None:
        """Stop as a signal would."""
        self.server.stop()
        assert not self.server.is_running
        self.hub.close()


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


class Visitor:
    """Somebody with a browser without scripts at a table: pages are text, forms are sent as they stand."""

    def __init__(self, address: str, campaign: str, secret: str = "") -> None:
        cookies = {"referee": secret} if secret else {}
        self.http = httpx.Client(base_url=address, headers={"Origin": address}, cookies=cookies, timeout=30)
        finalize(self, self.http.close)  # whoever forgets to close it fails no other test
        self.table = f"/table/{campaign}"

    def get(self, path: str, status: int = 200) -> str:
        found = self.http.get(f"{self.table}{path}")
        assert found.status_code == status, found.text
        return html.unescape(found.text)

    def raw(self, path: str) -> str:
        """The page as it is sent."""
        return self.http.get(f"{self.table}{path}").text

    def odds(self, question: str) -> str:
        """The odds of a question, with all the time a page gives them."""
        return self.get(f"/ask?question={question}&again={LAST_LOOK}")

    def post(self, path: str, status: int = 303, /, **fields: object) -> str:
        """Send a form; where it leads to, or what it says."""
        found = self.http.post(
            f"{self.table}{path}", data={name.replace("__", "-"): each for name, each in fields.items()}
        )
        assert found.status_code == status, found.text
        return found.headers.get("location", "") or html.unescape(found.text)


class Market(NamedTuple):
    """A Distemper table, in a browser each: its game master, a player and somebody who looks on."""

    mo: Visitor
    anna: Visitor
    zoe: Visitor
    seats: dict[str, str]


@pytest.fixture
def market(running: Running, client: Client) -> Iterator[Market]:
    mo = client.create("The market", "distemper", sample="market", master="Mo")
    anna = client.join(mo.invite(controls=["Ash"]).code, "Anna")
    zoe = client.join(mo.invite("spectator").code, "Zoe")
    first, second, third = (Visitor(running.address, mo.campaign, each.seated.token) for each in (mo, anna, zoe))
    yield Market(first, second, third, {"Mo": mo.seat, "Anna": anna.seat, "Zoe": zoe.seat})
    for each in (first, second, third):
        each.http.close()
