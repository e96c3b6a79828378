"""What the other tests here rely on: browsers complain, servers come back, bytes are counted, axe looks."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Page
    from tests.browser.conftest import Axe, People, Serve, User

LISTEN = """campaign => {
    window.opened = 0
    const stream = new EventSource(`/api/v1/campaigns/${campaign}/events`)
    stream.onopen = () => { window.opened += 1 }
}"""


def bare(user: User) -> Page:
    """An empty page of the server's that forbids its scripts nothing."""
    user.page.route("**/bare", lambda route: route.fulfill(body="<title>bare</title>", content_type="text/html"))
    return user.open("/bare")


def complaint(user: User) -> str:
    """The one thing a browser complained of, which is forgiven."""
    user.until(lambda: user.complaints)
    (found,) = user.unallowed
    user.allow(".")
    return found


def test_an_error_on_the_console_is_noticed(people: People) -> None:
    mo = people("Mo")
    bare(mo).evaluate("console.error('alas')")
    assert complaint(mo).startswith("Mo: on the console: alas")


def test_an_error_of_a_script_is_noticed(people: People) -> None:
    mo = people("Mo")
    bare(mo).evaluate("setTimeout(() => { throw new Error('alas') })")
    assert complaint(mo) == "Mo: error on the page: alas"


def test_a_refusal_is_noticed_unless_it_is_allowed(people: People) -> None:
    mo = people("Mo")
    mo.allow("status of 404")
    bare(mo).evaluate("fetch('/nowhere')")
    mo.until(lambda: mo.complaints)
    assert mo.unallowed == []


def test_what_is_asked_of_somebody_else_is_noticed_and_does_not_arrive(people: People) -> None:
    mo = people("Mo")
    bare(mo).evaluate("fetch('https://elsewhere.example/').catch(() => {})")
    mo.until(lambda: any("ERR_NAME_NOT_RESOLVED" in each for each in mo.complaints))
    assert "Mo: asked of somebody else: https://elsewhere.example/" in mo.unallowed
    mo.allow("elsewhere")


def test_what_is_allowed_covers_nothing_else(people: People) -> None:
    mo = people("Mo")
    mo.allow_outage()
    bare(mo).evaluate("console.error('alas')")
    assert complaint(mo).startswith("Mo: on the console: alas")


def test_axe_finds_what_hinders(people: People, axe: Axe) -> None:
    page = people("Mo").open("/")
    page.evaluate("document.body.append(document.createElement('button'))")
    with pytest.raises(AssertionError, match=r"button-name \(critical\): Buttons must have discernible text"):
        axe(page)


def test_axe_says_so_where_it_cannot_look(people: People, axe: Axe) -> None:
    with pytest.raises(AssertionError, match="javascript=True"):
        axe(people("Mo", javascript=False).open("/"))


def test_bytes_are_counted_as_they_are_sent_and_by_who_wrote_them(people: People) -> None:
    mo = people("Mo")
    seen = mo.first_view("/")
    assert 500 < seen.own["/"] < len(mo.page.request.get("/").body())
    assert seen.bytes == sum(seen.own.values()) > seen.own["/"]
    assert any("htmx" in address for address in seen.vendored)
    assert all(".woff2" in address for address in seen.fonts)
    assert not any("htmx" in address or ".woff2" in address for address in seen.own)


@pytest.mark.slow
@pytest.mark.parametrize("how", ["stop", "kill"])
def test_a_server_comes_back_with_the_same_address_and_what_it_knew(people: People, serve: Serve, how: str) -> None:
    server = serve(DEMO="no")
    mo = people("Mo", at=server)
    mo.allow_outage()
    begun = mo.post("/api/v1/campaigns", name="Thursday", system="alien", sample="derelict", master="Mo")
    page = bare(mo)
    page.evaluate(LISTEN, begun["campaign"])
    page.wait_for_function("opened === 1")
    server.stop() if how == "stop" else server.kill()
    server.start()
    page.wait_for_function("opened === 2")
    assert mo.open(f"/api/v1/campaigns/{begun['campaign']}").get_by_text("Thursday").is_visible()


def test_other_event_loops_run_beside_a_browser(people: People) -> None:
    """In this thread, once a browser test is over."""
    people("Mo").open("/health")
    assert asyncio.get_running_loop().is_running()


@pytest.mark.parametrize("again", [1, 2])
def test_a_loop_of_our_own_runs(again: int) -> None:
    async def one() -> int:
        return again

    assert asyncio.run(one()) == again
