"""Odds beside play: never stale, never in the way, and given up when no one waits for them or the server stops."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from contextlib import suppress
from html import unescape
from threading import Event, Thread
from time import monotonic
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from tests.web.conftest import Running, Visitor, until

from referee.client import Client
from referee.core.errors import OutOfTime
from referee.core.knowledge import fully_known
from referee.core.plain import Plain
from referee.core.scene import Scene
from referee.core.system import System
from referee.core.visibility import Seat
from referee.drivers.stop import Flag
from referee.forecast.figures import Budget
from referee.forecast.risk import action_query
from referee.forecast.transport import Query
from referee.systems.alien import SKILL_ROLL
from referee.systems.alien import SYSTEM as ALIEN
from referee.web import odds_service
from referee.web.odds_service import OddsCache, OddsService

if TYPE_CHECKING:
    from tests.web.conftest import Market


def by_hand(market: Market) -> None:
    """All dice are thrown by hand from now on."""
    table = market.mo.table.replace("/table/", "/api/v1/campaigns/")
    assert market.mo.http.patch(f"{table}/settings", json={"throws": {"*": "leave it"}}).status_code == 200


def places(text: str) -> list[str]:
    """Where odds stand, or where they are to be put."""
    return re.findall(r'class="odds-here[^"]*" id="([^"]*)"', text)


def to_insight(market: Market, dice: str = "2 3") -> None:
    by_hand(market)
    market.anna.post("/act", action="check", who="Ash", arg__using="Reason")
    market.anna.post("/answer", question="Ash.insight-before", answer="no")
    market.anna.post("/answer", question="Ash.check", dice__00=dice.split())


def test_the_same_question_asked_again_is_another_question(market: Market) -> None:
    """Each use of Insight is asked by itself: what stood on the first question is not on the second."""
    to_insight(market)
    first = market.anna.get("")
    assert "Spend Insight on this roll?" in first
    old = re.search(r"question=Ash\.insight-after&mark=(\w+)", first)
    assert old is not None
    assert set(places(market.anna.get(f"/ask?question=Ash.insight-after&mark={old[1]}"))) <= set(places(first))
    market.anna.post("/answer", question="Ash.insight-after", answer="bonus")
    second = market.anna.get("")
    assert "Spend Insight on this roll?" in second
    assert not set(places(first)) & set(places(second))
    assert market.anna.http.get(f"{market.anna.table}/ask?question=Ash.insight-after&mark={old[1]}").status_code == 204


def edit(market: Market, name: str, **changes: Plain) -> None:
    table = market.mo.table.replace("/table/", "/api/v1/campaigns/")
    found = market.mo.http.post(f"{table}/edits", json={"name": name, "changes": changes})
    assert found.status_code == 200, found.text


def test_a_scene_that_changes_under_a_question_makes_it_another(market: Market) -> None:
    to_insight(market)
    before = places(market.anna.get(""))
    edit(market, "Ash", attributes={"Reason": 2})
    after = places(market.anna.get(""))
    assert len(before) == len(after) >= 4
    assert not set(before) & set(after)


def test_what_a_player_is_not_told_leaves_their_questions_as_they_are(market: Market) -> None:
    to_insight(market)
    edit(market, "lurker", kind="Character", player=False)
    table = market.mo.table.replace("/table/", "/api/v1/campaigns/")
    assert market.mo.http.post(f"{table}/visibility", json={"name": "lurker", "hidden": True}).status_code == 200
    assert "lurker" in market.mo.get("")  # from here on everyone is told that Mo is there
    before = market.anna.get("")
    edit(market, "lurker", wp=1)
    assert market.anna.get("") == before


def test_what_an_option_costs_stands_on_its_button(market: Market) -> None:
    to_insight(market)
    page = market.anna.get("")
    assert page.count("1 of your Insight Dice") >= 4
    declined = re.search(
        r'value="no"><span><span class="option-label">[^<]*</span>[^<]*(<span class="small cost">)?', page
    )
    assert declined is not None
    assert declined[1] is None


def test_of_equal_answers_the_one_that_costs_nothing_is_recommended(market: Market) -> None:
    """A double six is a wild success, whatever is spent on it."""
    to_insight(market, "6 6")
    page = market.anna.get("")
    odds = market.anna.odds("Ash.insight-after")
    (best,) = re.findall(r'class="odds-here best" id="([^"]*)"', odds)
    button = re.search(rf'value="([^"]*)"><span>(?:(?!</button>).)*id="{best}"', page, re.DOTALL)
    assert button is not None
    assert button[1] == "no"


def test_odds_that_fail_leave_the_buttons_and_say_so(market: Market, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> Plain:
        raise ZeroDivisionError

    monkeypatch.setattr(OddsService, "card", fail)
    to_insight(market)
    found = market.anna.odds("Ash.insight-after")
    assert "Odds unknown: they could not be computed." in found
    assert "<button" not in found
    page = market.anna.get("?odds=1")
    assert page.count('name="answer"') >= 4
    assert page.count("Odds unknown: they could not be computed.") >= 4
    market.anna.post("/answer", question="Ash.insight-after", answer="no")


def test_odds_that_did_not_come_in_time_are_asked_for_again(market: Market, monkeypatch: pytest.MonkeyPatch) -> None:
    """What takes long is not there at first; the page asks again by itself, and gives it more time each time."""
    budgets = list[tuple[float | None, bool]]()

    def late(
        service: OddsService, table: str, query: Query, system: System, budget: Budget, *_: Any, **__: Any
    ) -> Plain:
        budgets.append((budget.seconds, budget.plays > 0))
        return query.without("time").to_plain()

    monkeypatch.setattr(OddsService, "card", late)
    to_insight(market)
    page = market.anna.get("")
    found = market.anna.get("/ask?question=Ash.insight-after")
    for _ in range(2):
        assert "too long" not in found
        place, address = re.findall(
            r'<span id="([^"]*)" hx-swap-oob="true" hx-get="[^"]*(/ask[^"]*)" hx-trigger="load,', found
        )[0]
        assert f'id="{place}"' in page
        found = market.anna.get(unescape(address))
    assert "hx-get" not in found
    assert "Odds unknown: they take too long." in found
    assert budgets == [(0.3, False), (1.5, True), (12.0, True)]


def test_odds_that_came_are_not_asked_for_again(market: Market) -> None:
    to_insight(market)
    found = market.anna.odds("Ash.insight-after")
    assert "%" in found
    assert "hx-get" not in found


class Endless:
    """Stands for odds that take for ever, until they are told to stop."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.started, self.stopped, self.given_up = Event(), Event(), Event()
        work = self._work

        def card(
            service: OddsService, table: str, query: Query, system: System, budget: Budget, gone: Flag, **_: Any
        ) -> Plain:
            return work(lambda: gone.is_set() or service.closed.is_set(), query)

        monkeypatch.setattr(OddsService, "card", card)

    def _work(self, is_over: Callable[[], bool], query: Query) -> Plain:
        self.started.set()
        deadline = monotonic() + 20
        while not is_over() and monotonic() < deadline:
            Event().wait(0.005)
        if is_over():
            self.given_up.set()
        self.stopped.set()
        return query.without("ended").to_plain()


def test_odds_that_no_one_waits_for_are_given_up(running: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    endless = Endless(monkeypatch)
    with httpx.Client(base_url=running.address) as browser, pytest.raises(httpx.ReadTimeout):
        browser.get("/odds/alien?check=5b3s", timeout=httpx.Timeout(5, read=0.3))
    assert endless.stopped.wait(30)
    assert endless.given_up.is_set()


def test_a_server_does_not_wait_for_odds_when_it_stops(
    serve: Callable[..., Running], monkeypatch: pytest.MonkeyPatch
) -> None:
    endless = Endless(monkeypatch)
    running = serve()

    def look() -> None:
        with suppress(httpx.HTTPError):
            httpx.get(f"{running.address}/odds/alien?check=5b3s", timeout=30)

    looking = Thread(target=look)
    looking.start()
    assert endless.started.wait(10)
    running.stop()
    assert endless.given_up.wait(10)
    looking.join()


@pytest.mark.slow
def test_once_a_process_has_started_no_odds_are_computed_in_the_server(
    serve: Callable[..., Running], monkeypatch: pytest.MonkeyPatch
) -> None:
    running = serve(odds_workers=1)
    pool = running.served.odds.pool
    assert pool is not None
    assert pool.pids == []
    pool.prepare("distemper")
    until(lambda: pool.is_ready, 30)

    def never(*_: object) -> Plain:
        raise AssertionError("it is computed in the server")

    monkeypatch.setattr(OddsService, "_in_place", never)
    monkeypatch.setattr(OddsService, "_in_a_moment", never)
    with Client(running.address) as client:
        mo = client.create("The market", "distemper", sample="market", master="Mo")
        assert mo.odds("check", "Ash", using="Reason").now
        assert "<svg" in httpx.get(f"{running.address}/odds/alien?check=2b1s", timeout=30).text
    assert len(pool.pids) == 1
    running.stop()
    assert pool.is_closed


def test_the_oldest_odds_are_dropped() -> None:
    cache = OddsCache(2)
    for key in "abc":
        cache.keep(key, {"card": key})
    assert [cache.get(key) for key in "abc"] == [None, {"card": "b"}, {"card": "c"}]


def test_what_may_pass_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Busy now does not mean busy the next time."""
    state = ALIEN.state({"ana": {"stress": 1}})
    query = action_query(
        SKILL_ROLL.by(Scene(state).who("ana"), skill="Piloting"), fully_known(state), Seat("gm", master=True)
    )
    service = OddsService()
    monkeypatch.setattr(service, "_in_place", lambda query, budget, stop: query.without("busy").to_plain())
    assert service.card("t", query, ALIEN, Budget(), Event())["missing"] == {"": {"because": "busy", "what": ""}}
    monkeypatch.undo()
    assert service.card("t", query, ALIEN, Budget(), Event())["now"]


def test_odds_of_strangers_never_run_in_a_server_whose_processes_do_not_start(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of a seat do, after a moment: they would have none otherwise."""
    monkeypatch.setattr(sys, "executable", "/bin/false")
    monkeypatch.setattr(odds_service, "STARTING", 0.05)
    seen: list[float] = []

    class Long:
        def card(self, budget: Budget, stop: object) -> Any:
            seen.append(budget.seconds or 0)
            if budget.whole:
                raise OutOfTime  # it does not fit into a moment
            return self

        def without(self, because: str) -> Any:
            return SimpleNamespace(to_plain=lambda: {"missing": {"": {"because": because}}})

        def to_plain(self) -> Any:
            return {"missing": {}}

    monkeypatch.setattr(odds_service, "digest", lambda query: str(id(query)))
    service = OddsService(1)
    query: Any = Long()
    try:
        card = service.card("192.0.2.1", query, ALIEN, Budget(1.0), Event(), is_stranger=True)
        assert card == {"missing": {"": {"because": "busy"}}}
        assert seen == []
        assert service.card("t", query, ALIEN, Budget(1.0), Event()) == {"missing": {}}
        assert seen[0] == odds_service.MOMENT
    finally:
        service.close()


def test_a_page_says_what_the_odds_of_a_question_are_about(running: Running, client: Client) -> None:
    mo = client.create("The embassy", "d6", sample="embassy", master="Mo")
    page = Visitor(running.address, mo.campaign, mo.seated.token)
    page.post("/act", action="stun", arg__victim="ambassador", arg__stuns=2)
    odds = page.odds("ambassador.invoke-willpower")
    assert "The chances are about: Knocking out." in odds
    assert re.findall("for certain: ([^<]*)<", odds) == ["stays awake", "knocked out"]
    page.http.close()
