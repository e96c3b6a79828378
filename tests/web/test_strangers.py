"""What strangers can do to a server: little, and nothing that other tables notice."""

from __future__ import annotations

import asyncio
import json
import socket
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from time import sleep
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from starlette.routing import Match
from tests.web.conftest import until

from referee.client import Client
from referee.core.dice import Die, Pool, SymbolCounts
from referee.core.errors import OutOfTime
from referee.core.questions import Prompt, Roll
from referee.drivers.kernels import outcome_count, outcomes
from referee.drivers.stop import Stop
from referee.web import limits
from referee.web.addresses import OwnHosts
from referee.web.app import make_app
from referee.web.connections import connection_class
from referee.web.errors import Problem
from referee.web.limits import TokenBuckets, address_of, checked_json, limit_of
from referee.web.odds_service import OddsService
from referee.web.settings import ServerSettings
from referee.web.stream import MOST_OF_ONE

if TYPE_CHECKING:
    from tests.web.conftest import Party, Running

    from referee.core.plain import Plain
    from referee.forecast.transport import Query

MEGABYTE = 2**20


@pytest.mark.parametrize(
    ("path", "most"),
    [
        ("/api/v1/imports", 64 * MEGABYTE),
        ("/imports", 64 * MEGABYTE),
        ("/api/v1/campaigns/5f0c/files", 8 * MEGABYTE),
        ("/table/5f0c/notes/handouts", 8 * MEGABYTE),
        ("/table/5f0c/portrait", 8 * MEGABYTE),
        ("/api/v1/campaigns/5f0c/notes/files", 256 * 1024),
        ("/api/v1/campaigns/imports", 256 * 1024),
        ("/table/5f0c/imports", 256 * 1024),
        ("/files", 256 * 1024),
        ("/api/v1/join", 256 * 1024),
    ],
)
def test_only_exact_routes_take_large_bodies(path: str, most: int) -> None:
    assert limit_of(path) == most


def test_every_route_that_takes_large_bodies_exists(running: Running) -> None:
    app = make_app(running.hub, running.served.settings)
    for path in ("/api/v1/campaigns/5f0c/files", "/table/5f0c/notes/handouts", "/table/5f0c/portrait", "/imports"):
        asked: dict[str, Any] = {"type": "http", "method": "POST", "path": path, "root_path": "", "headers": []}
        assert any(each.matches(asked)[0] is Match.FULL for each in app.routes), path
        assert limit_of(path) > limits.BODY_LIMIT


def test_values_are_counted_before_they_are_parsed() -> None:
    assert len(checked_json(b"[" + b",".join([b"1"] * 19_999) + b"]")) == 19_999
    with pytest.raises(Problem, match="at most 20000 values"):
        checked_json(b"[" * 20_001)  # not even JSON: nobody has looked


def test_a_stranger_learns_that_they_are_unknown_before_anything_they_send_is_read(running: Running) -> None:
    """The body is announced and never sent: the answer comes all the same."""
    with socket.create_connection(("127.0.0.1", running.server.port), timeout=10) as line:
        line.sendall(
            b"POST /api/v1/campaigns/5f0c/notes HTTP/1.1\r\nHost: localhost\r\n"
            b"Content-Type: application/json\r\nContent-Length: 200000\r\n\r\n"
        )
        assert line.recv(1000).startswith(b"HTTP/1.1 401 ")


def test_a_body_that_does_not_arrive_is_given_up(
    running: Running, party: Party, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "PATIENCE", 0.2)
    with socket.create_connection(("127.0.0.1", running.server.port), timeout=10) as line:
        line.sendall(
            f"POST /api/v1/campaigns/{party.mo.campaign}/notes HTTP/1.1\r\nHost: localhost\r\n"
            f"Authorization: Bearer {party.mo.token}\r\nContent-Type: application/json\r\n"
            "Content-Length: 200\r\n\r\n{".encode()
        )
        answer = b""
        while part := line.recv(10_000):
            answer += part
            if b"}" in answer:
                break
    assert answer.startswith(b"HTTP/1.1 408 ")
    assert json.loads(answer.partition(b"\r\n\r\n")[2])["error"] == "too-slow"


def test_someone_who_leaves_in_the_middle_is_no_fault(
    running: Running, party: Party, caplog: pytest.LogCaptureFixture
) -> None:
    for _ in range(5):
        with socket.create_connection(("127.0.0.1", running.server.port), timeout=10) as line:
            line.sendall(
                f"POST /api/v1/campaigns/{party.mo.campaign}/notes HTTP/1.1\r\nHost: localhost\r\n"
                f"Authorization: Bearer {party.mo.token}\r\nContent-Type: application/json\r\n"
                "Content-Length: 200\r\n\r\n{".encode()
            )
    sleep(0.3)
    assert not [each for each in caplog.records if each.levelname == "ERROR"]


async def _answers(protocol: type[Any], *sent: bytes, pause: float = 0.0, count: int = 1) -> list[bytes]:
    """What a small server says to connections that send some bytes, until it closes them."""
    from uvicorn.config import Config
    from uvicorn.server import ServerState

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    config = Config(app, log_config=None, timeout_keep_alive=60)
    config.load()
    state = ServerState()
    server = await asyncio.get_running_loop().create_server(
        lambda: protocol(config=config, server_state=state, app_state={}), "127.0.0.1", 0
    )
    port = server.sockets[0].getsockname()[1]

    async def speak() -> bytes:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        try:
            for part in sent:
                writer.write(part)
                await asyncio.sleep(pause)
            return await asyncio.wait_for(reader.read(), 5)
        except ConnectionError:
            return b""
        finally:
            writer.close()

    found = await asyncio.gather(*(speak() for _ in range(count)))
    server.close()
    return found


def test_half_sent_requests_are_closed() -> None:
    slow = connection_class(10, patience=0.1)
    assert asyncio.run(_answers(slow)) == [b""]
    assert asyncio.run(_answers(slow, b"GET / HTTP/1.1\r\nHost: x", b"\r\nA: b", pause=0.07)) == [b""]


def test_a_second_request_has_no_more_patience_than_the_first() -> None:
    slow = connection_class(10, patience=0.15)
    whole = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"
    [answer] = asyncio.run(_answers(slow, whole, b"GET / HT", pause=0.05))
    assert answer.count(b"204 No Content") == 1


def test_one_address_has_only_so_many_connections() -> None:
    few = connection_class(100, patience=0.3, most_of_one=3)
    answers = asyncio.run(
        _answers(few, b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n", b"\r\n", pause=0.1, count=5)
    )
    assert sum(b"204" in each for each in answers) == 3


def test_a_proxy_brings_the_connections_of_many() -> None:
    few = connection_class(100, patience=0.3, most_of_one=3, proxies={"127.0.0.1"})
    answers = asyncio.run(
        _answers(few, b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n", b"\r\n", pause=0.1, count=5)
    )
    assert sum(b"204" in each for each in answers) == 5


# --- whose key it is --------------------------------------------------------------------------------------------------


def test_the_key_of_a_stranger_is_no_one_elses(running: Running, client: Client) -> None:
    """Two people behind two addresses of one proxy send the same request with the same key."""
    sent = {"name": "Night", "system": "alien", "master": "Mo"}
    key = {"Idempotency-Key": "a-key-of-my-own-1234"}
    with httpx.Client(base_url=running.address, timeout=60) as http:
        made = [
            http.post("/api/v1/campaigns", json=sent, headers={**key, "X-Forwarded-For": address}).json()["campaign"]
            for address in ("192.0.2.1", "192.0.2.1", "192.0.2.2")
        ]
    assert made[0] == made[1] != made[2]


def test_a_key_that_others_might_use_is_refused_to_strangers(running: Running) -> None:
    with httpx.Client(base_url=running.address, timeout=60) as http:
        sent = {"name": "Night", "system": "alien", "master": "Mo"}
        answer = http.post("/api/v1/campaigns", json=sent, headers={"Idempotency-Key": "1"})
    assert answer.status_code == 422
    assert answer.json()["where"] == "Idempotency-Key"


def test_buckets_are_forgotten_when_they_are_full_again_or_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MAX_CALLERS", 3)
    now = 0.0
    buckets = TokenBuckets(1.0, 60.0, lambda: now)
    for caller in "abcde":
        buckets.take(caller, 5.0)
    assert len(buckets) == 3
    now = 100.0
    buckets.take("f")
    assert len(buckets) == 1


# --- addresses --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("host", ["localhost:8765", "127.0.0.1", "[::1]:8765", "192.168.1.5:8765", "t.example.org"])
def test_the_server_answers_to_its_own_names(host: str) -> None:
    assert OwnHosts(_no_app, ServerSettings(base_url="https://t.example.org")).is_own(host)


@pytest.mark.parametrize("host", ["", "evil.example", "localhost.evil.example:8765", "127.0.0.1.nip.io", "[::1", "a:b"])
def test_no_other_name_leads_here(host: str) -> None:
    assert not OwnHosts(_no_app, ServerSettings(base_url="https://t.example.org")).is_own(host)


async def _no_app(scope: Any, receive: Any, send: Any) -> None:
    raise AssertionError


def test_a_foreign_name_is_refused_with_what_to_do(running: Running) -> None:
    answer = httpx.get(f"{running.address}/health", headers={"Host": "rebound.example"})
    assert (answer.status_code, answer.json()["error"]) == (421, "wrong-host")
    assert "set REFEREE_BASE_URL to the address people use" in answer.json()["legal"]


def test_a_forwarded_text_that_is_no_address_is_no_caller_of_its_own() -> None:
    assert address_of({"client": ("192.0.2.1", 1)}) == "192.0.2.1"
    assert address_of({"client": ("somebody", 1)}) == address_of({"client": ("someone else", 1)}) == "unknown"


def test_all_addresses_of_an_ipv6_network_are_one_caller() -> None:
    """Everyone at home has thousands of millions of them: limits by address would limit nothing."""
    assert address_of({"client": ("2001:db8:1:2::1", 1)}) == "2001:db8:1:2::/64"
    assert address_of({"client": ("2001:db8:1:2:ffff::9", 1)}) == "2001:db8:1:2::/64"
    assert address_of({"client": ("2001:db8:1:3::1", 1)}) == "2001:db8:1:3::/64"
    assert address_of({"client": ("::ffff:192.0.2.1", 1)}) == "192.0.2.1"


@pytest.mark.parametrize("came", ["https://x.example//evil.example/", r"https://x.example/\evil.example", "nonsense"])
def test_a_page_about_a_problem_never_leads_away(running: Running, came: str) -> None:
    page = httpx.get(f"{running.address}/no-such-page", headers={"Referer": came}).text
    assert "evil.example" not in page
    assert 'href="/"' in page


# --- streams and imports ----------------------------------------------------------------------------------------------


def test_stream_limits_hold_however_many_ask_at_once(running: Running, party: Party) -> None:
    """Each keeps its stream open until everybody has an answer."""
    asked = MOST_OF_ONE + 8
    address = f"{running.address}/api/v1/campaigns/{party.anna.campaign}/events"

    async def all_at_once() -> list[int]:
        done = asyncio.Event()
        statuses: list[int] = []
        async with httpx.AsyncClient(headers={"Authorization": f"Bearer {party.anna.token}"}, timeout=30) as http:

            async def follow() -> None:
                async with http.stream("GET", address) as answer:
                    statuses.append(answer.status_code)
                    if len(statuses) == asked:
                        done.set()
                    await done.wait()

            async with asyncio.TaskGroup() as group:
                for _ in range(asked):
                    group.create_task(follow())
        return statuses

    statuses = asyncio.run(all_at_once())
    assert statuses.count(200) == MOST_OF_ONE
    assert statuses.count(429) == 8


def test_only_a_few_campaigns_are_imported_at_once(running: Running) -> None:
    with (
        running.served.importing(),
        running.served.importing(),
        httpx.Client(base_url=running.address, timeout=60) as http,
    ):
        refused = http.post("/api/v1/imports?master=Mo", content=b"{}")
        assert (refused.status_code, refused.json()["error"]) == (429, "rate-limited")
    with httpx.Client(base_url=running.address, timeout=60) as http:
        assert http.post("/api/v1/imports?master=Mo", content=b"{}").json()["error"] == "bad-input"


# --- odds without a seat ----------------------------------------------------------------------------------------------


def test_more_dice_than_can_be_counted_in_time_are_not_counted() -> None:
    """A hundred and ninety dice of two kinds can show millions of things: that is known before they are listed."""
    base = Die("base", ("blank",) * 4 + ("one", "six"))
    stress = Die("stress", ("blank",) * 4 + ("one", "six"))
    question = Roll(Prompt("skill"), None, Pool.of((base, 100), (stress, 90)), SymbolCounts)
    assert outcome_count(question) == 5151 * 4186
    few = Roll(Prompt("skill"), None, Pool.of((base, 2), (stress, 1)), SymbolCounts)
    assert outcome_count(few) == 6 * 3 == len(outcomes(few))
    with pytest.raises(OutOfTime):
        Stop.after(1.0).check_time_for(5151 * 4186)
    Stop.after(1.0).check_time_for(18)


def test_a_stranger_pays_for_odds_before_they_are_computed() -> None:
    """What was not used comes back afterwards."""
    clock = iter([0.0, 0.0, 0.0, 0.0, 2.0, 2.0]).__next__
    buckets = TokenBuckets(1.0, 60.0, clock)
    with buckets.paying("a", 40.0):
        with pytest.raises(Problem, match="wait 20 seconds"), buckets.paying("a", 40.0):
            raise AssertionError("nothing is computed")
        buckets.take("a", 20.0)
    buckets.take("a", 40.0)  # 38 came back, and 2 in the meantime


def test_sixty_seconds_of_odds_are_all_that_a_stranger_can_ask_for_at_once(
    running: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    """None is answered before all are asked: those that cannot be paid for are refused before they are computed."""
    asked, answered = [], Event()

    def card(service: OddsService, table: str, query: Query, *_: Any, **__: Any) -> Plain:
        asked.append(table)
        assert answered.wait(20)
        return query.without("time").to_plain()

    monkeypatch.setattr(OddsService, "card", card)
    monkeypatch.setattr(running.served, "strangers_odds", TokenBuckets(0.001, 60.0))
    with ThreadPoolExecutor(20) as many, httpx.Client(base_url=running.address, timeout=30) as http:
        looks = [many.submit(http.get, "/odds/alien", params={"check": f"{at + 1}b"}) for at in range(20)]
        until(lambda: sum(each.done() for each in looks) == 20 - 17)  # 60 seconds, 3.5 for each
        refused = [each.result() for each in looks if each.done()]
        answered.set()
        assert {each.status_code for each in refused} == {429}
        assert all("too many requests; wait" in each.text for each in refused)
        assert [each.result().status_code for each in looks].count(200) == 17
    assert set(asked) == {"127.0.0.1"}
