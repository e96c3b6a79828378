"""Who is let in: tokens, the cookie of a browser, pages that are not ours, and how often."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import httpx
import pytest

from referee.client import ApiError, Client
from referee.web.errors import Problem
from referee.web.limits import TokenBuckets, checked_json

if TYPE_CHECKING:
    from tests.web.conftest import Running

NEW = {"name": "Thursday", "system": "alien", "sample": "derelict", "master": "Mo"}


@pytest.fixture
def browser(running: Running) -> Iterator[httpx.Client]:
    """What a browser sends with a form of ours, and keeps of cookies."""
    with httpx.Client(base_url=running.address, headers={"Origin": running.address}, timeout=60) as browser:
        yield browser


def begun(browser: httpx.Client) -> str:
    response = browser.post("/api/v1/campaigns", json=NEW)
    assert response.status_code == 201
    return f"/api/v1/campaigns/{response.json()['campaign']}"


def test_a_browser_keeps_its_seat_by_a_cookie_no_script_can_read(browser: httpx.Client) -> None:
    response = browser.post("/api/v1/campaigns", json=NEW)
    cookie = response.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie
    assert "Secure" not in cookie  # this server speaks plain HTTP
    assert browser.get(f"/api/v1/campaigns/{response.json()['campaign']}").status_code == 200


def test_the_cookie_is_secure_where_the_server_is_reached_by_https(serve: Callable[..., Running]) -> None:
    server = serve(base_url="https://table.example.org")
    response = httpx.post(f"{server.address}/api/v1/campaigns", json=NEW)
    assert "Secure" in response.headers["set-cookie"]
    with Client(server.address) as client:
        assert client.create("T", "alien", master="Mo").invite().link.startswith("https://table.example.org/join/")


def test_a_browser_sits_at_several_tables(browser: httpx.Client) -> None:
    first, second = begun(browser), begun(browser)
    assert [browser.get(each).status_code for each in (first, second)] == [200, 200]
    assert len(browser.get("/api/v1/campaigns").json()["campaigns"]) == 2


def test_a_browser_that_forgets_a_seat_keeps_the_others(browser: httpx.Client) -> None:
    first, second = begun(browser), begun(browser)
    (token,) = browser.get(f"{first}/tokens").json()["tokens"]
    assert browser.delete(f"{first}/tokens/{token['id']}").status_code == 204
    assert [browser.get(each).status_code for each in (first, second)] == [404, 200]


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": ""}, 403),
        ({"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Sec-Fetch-Site": "same-site"}, 403),
        ({}, 403),
        ({"Sec-Fetch-Site": "same-origin"}, 200),
    ],
)
def test_a_write_by_cookie_comes_from_a_page_of_ours(
    browser: httpx.Client, headers: dict[str, str], status: int
) -> None:
    table = begun(browser)
    del browser.headers["origin"]
    response = browser.post(f"{table}/notes", json={"text": "hello"}, headers=headers)
    assert response.status_code == status
    if status == 403:
        assert response.json()["error"] == "cross-site"
    assert browser.get(table).json()["cursor"] == (3 if status == 200 else 2)


def test_a_foreign_page_makes_no_campaign_and_joins_none(browser: httpx.Client) -> None:
    evil = {"Origin": "https://evil.example"}
    assert browser.post("/api/v1/campaigns", json=NEW, headers=evil).status_code == 403
    assert browser.post("/api/v1/join", json={"code": "x", "name": "y"}, headers=evil).status_code == 403


def test_a_program_needs_no_page(browser: httpx.Client) -> None:
    made = browser.post("/api/v1/campaigns", json=NEW).json()
    headers = {"Authorization": f"Bearer {made['token']}"}
    with httpx.Client(base_url=browser.base_url, timeout=60) as program:
        path = f"/api/v1/campaigns/{made['campaign']}/notes"
        assert program.post(path, json={"text": "hello"}, headers=headers).status_code == 200


@pytest.mark.parametrize("path", ["/", "/docs", "/join/abc", "/openapi.json", "/api/v1/systems", "/nothing"])
def test_every_answer_carries_the_headers_of_the_house(browser: httpx.Client, path: str) -> None:
    headers = browser.get(path).headers
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["x-frame-options"] == "DENY"
    is_page = not path.startswith(("/openapi.json", "/api/"))
    assert headers["referrer-policy"] == ("same-origin" if is_page else "no-referrer")
    assert "default-src 'none'" in headers["content-security-policy"]
    assert "server" not in headers


def test_codes_cannot_be_guessed_in_quick_succession(serve: Callable[..., Running]) -> None:
    server = serve(rate=30)
    with Client(server.address) as client:
        errors = []
        for number in range(60):
            with pytest.raises(ApiError) as why:
                client.join(f"guess{number}", "Eve")
            errors.append(why.value)
        assert errors[0].status == 404
        assert (errors[-1].status, errors[-1].error) == (429, "rate-limited")


def test_a_seat_that_asks_too_much_has_to_wait(serve: Callable[..., Running]) -> None:
    server = serve(rate=2)
    with Client(server.address) as client:
        mo = client.create("T", "alien", master="Mo")
        with pytest.raises(ApiError) as why:
            [mo.view() for _ in range(60)]
        assert why.value.status == 429
        assert "wait" in why.value.message


def test_where_it_is_forbidden_nobody_begins_a_campaign(serve: Callable[..., Running]) -> None:
    server = serve(create=False)
    with Client(server.address) as client, pytest.raises(ApiError) as why:
        client.create("T", "alien", master="Mo")
    assert (why.value.status, why.value.error) == (403, "not-allowed")


def test_a_bucket_fills_evenly() -> None:
    now = [0.0]
    buckets = TokenBuckets(2, 4, lambda: now[0])
    for _ in range(4):
        buckets.take("a")
    with pytest.raises(Problem) as why:
        buckets.take("a")
    assert (why.value.headers or {})["Retry-After"] == "1"
    buckets.take("b")
    now[0] = 0.5
    buckets.take("a")
    with pytest.raises(Problem):
        buckets.take("a")


@pytest.mark.parametrize("raw", [b'"\\ud83c\\udfb2"', '{"🎲": [1, -2.5, true, null]}'.encode(), b"9007199254740991"])
def test_json_that_everything_can_keep_is_taken(raw: bytes) -> None:
    checked_json(raw)
