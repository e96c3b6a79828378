"""No request holds up another table: nothing reads the log on the event loop, and every route is walked to see it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic, sleep
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from tests.web.conftest import Running, seated_party

from referee import registry
from referee.client import Client
from referee.store.sqlite import SQLiteStore
from referee.table.desk import Desk, DeskCommand
from referee.table.open_campaigns import OpenCampaigns

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.web.conftest import Party

FILLED = {"system": "alien", "rule": "alien.push.push", "item": "3", "who": "Ripa", "name": "Ripa", "seat": "nobody"}
MOST = 0.1
"""How many seconds a request may delay another table."""
ENDLESS = ("/live", "/events", "/export")


def get_routes(server: Running, campaign: str) -> list[str]:
    """Every address that can be read, of this campaign."""
    app: Any = server.server._server.application
    routes = [each for router in app.routes for each in _inside(router)]
    paths = {each.path for each in routes if "GET" in (each.methods or ())}
    assert len(paths) > 60
    values = {**FILLED, "campaign": campaign}
    found = []
    for path in sorted(each for each in paths if not each.endswith(ENDLESS)):
        filled = path
        for part in path.replace("}", "{").split("{")[1::2]:
            filled = filled.replace(f"{{{part}}}", values.get(part.partition(":")[0], "none"))
        found.append(filled)
    return found


def _inside(route: Any) -> list[Any]:
    """A route, or the routes of a router that was included."""
    included = getattr(route, "effective_route_contexts", None)
    return list(included()) if included else [route] if hasattr(route, "methods") else []


def reader(server: Running, secret: str) -> httpx.Client:
    return httpx.Client(base_url=server.address, cookies={"referee": secret}, timeout=60)


@pytest.fixture
def loaded() -> None:
    """Every system is loaded already, as it is soon after a server starts."""
    for name in registry.OURS:
        registry.load(name)


@pytest.mark.usefixtures("loaded")
def test_no_route_reads_the_log_or_waits_for_a_table_on_the_loop(
    running: Running, party: Party, monkeypatch: pytest.MonkeyPatch
) -> None:
    on_loop: list[str] = []
    loop = running.server._thread
    lines, locked = SQLiteStore.lines, OpenCampaigns.locked

    def seen_lines(self: SQLiteStore, *given: Any, **more: Any) -> Any:
        if threading.current_thread() is loop:
            on_loop.append("lines")
        return lines(self, *given, **more)

    @contextmanager
    def seen_lock(self: OpenCampaigns, *given: Any, **more: Any) -> Iterator[Any]:
        if threading.current_thread() is loop:
            on_loop.append("locked")
        with locked(self, *given, **more) as entry:
            yield entry

    monkeypatch.setattr(SQLiteStore, "lines", seen_lines)
    monkeypatch.setattr(OpenCampaigns, "locked", seen_lock)
    found: set[str] = set()
    with reader(running, party.mo.seated.token) as http:
        for path in get_routes(running, party.mo.campaign):
            answer = http.get(path)
            assert answer.status_code < 500, path
            found |= {f"{each} by {path}" for each in on_loop}
            on_loop.clear()
        assert not found
        for path, fields in (("say", {"text": "Hello"}), ("undo", {"item": "9999"}), ("pick", {"who": "Ripa"})):
            http.post(f"/table/{party.mo.campaign}/{path}", data=fields, headers={"Origin": running.address})
            assert not on_loop, path


@pytest.mark.slow
def test_a_long_table_delays_no_other(serve: Callable[..., Running]) -> None:
    """Every route of a table of 20,000 lines is read while someone at another table asks for their view."""
    server = serve(odds_workers=2)
    with Client(server.address) as client:
        long, short = seated_party(client), seated_party(client)
        while server.hub.store.count(long.mo.campaign) < 20_000:
            server.hub.act(long.mo.campaign, long.mo.seat, DeskCommand(many_notes))
        waits = []
        with reader(server, short.mo.seated.token) as near, reader(server, long.mo.seated.token) as far:
            view = f"/api/v1/campaigns/{short.mo.campaign}"

            def wait() -> float:
                began = monotonic()
                assert near.get(view).status_code == 200
                return monotonic() - began

            usual = max(wait() for _ in range(300))
            for path in get_routes(server, long.mo.campaign):
                walked = threading.Thread(target=far.get, args=(path,))
                walked.start()
                sleep(0.02)
                while walked.is_alive():
                    waits.append((wait(), path))
                walked.join()
        assert waits, "nothing took long enough to wait for"
        late = {path: max(each for each, by in waits if by == path) for _, path in waits}
        longest = sorted(late, key=lambda path: -late[path])[:5]
        told = ", ".join(f"{late[path]:.3f} s by {path}" for path in longest)
        print(f"usually up to {usual:.3f} s; longest {told}")  # noqa: T201 - `pytest -rP` shows it
        assert not {path: round(worst, 3) for path, worst in late.items() if worst > usual + MOST}


def many_notes(desk: Desk) -> None:
    for number in range(500):
        desk.note(f"Note {number}")
