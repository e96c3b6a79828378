"""Forecasts of encounters at a table: by page and by program, from what each seat knows, stopped at any moment."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from threading import Event, Thread
from time import monotonic, sleep
from typing import NamedTuple

import pytest
from tests.web.conftest import Running, Visitor, until

from referee.client import ApiError, Client, SeatClient
from referee.core.knowledge import fully_known
from referee.forecast.encounters import EncounterPlan
from referee.systems.distemper import SYSTEM as DISTEMPER
from referee.testing.scenarios import samples
from referee.web import forecasts as web_forecasts
from referee.web.errors import Problem
from referee.web.forecasts import Forecasts

PAGE = "/encounter-forecast"
PLAN = EncounterPlan("distemper", fully_known(dict(samples(DISTEMPER))["roadblock"]))


class Roadblock(NamedTuple):
    """A Distemper table with a fight: its game master and a player, by program and by browser."""

    mo: SeatClient
    anna: SeatClient
    mos_browser: Visitor
    annas_browser: Visitor


@pytest.fixture
def roadblock(running: Running, client: Client) -> Iterator[Roadblock]:
    mo = client.create("Roadblock", "distemper", sample="roadblock", master="Mo")
    anna = client.join(mo.invite(controls=["Ash"]).code, "Anna")
    one, two = (Visitor(running.address, mo.campaign, each.seated.token) for each in (mo, anna))
    yield Roadblock(mo, anna, one, two)
    for browser in (one, two):
        browser.post(f"{PAGE}/stop")
        browser.http.close()


def waited(browser: Visitor, seconds: float = 60) -> str:
    """The page once its forecast is done."""
    deadline = monotonic() + seconds
    while "<progress" in (page := browser.get(PAGE)):
        assert monotonic() < deadline
        sleep(0.2)
    return page


@pytest.mark.slow
def test_a_game_master_begins_a_forecast_and_reads_it(roadblock: Roadblock) -> None:
    mo = roadblock.mos_browser
    assert "How would it go?" in mo.get("")
    assert "Play it out" in mo.get(PAGE)
    mo.post(PAGE, fights="40", compare="Ash.wp=3")
    assert "of 40 played" in mo.get(PAGE)
    page = waited(mo)
    assert "Counted in 40 played encounters." in page
    names = re.findall(r'<span class="row-name">([^<]+)</span>', page)
    assert names[:2] == ["Ash and Bell", "raider and lookout"]
    assert page.count("<article") == 2
    assert "points, ±" in page
    assert '<svg class="plot"' in page


def test_who_decides_how_is_picked_in_words(roadblock: Roadblock) -> None:
    mo = roadblock.mos_browser
    page = mo.get(PAGE)
    assert re.findall(r'<option value="(?:aggressive|cautious|)">([^<]+)', page)[:2] == ["boldly", "carefully"]
    mo.post(PAGE, fights="5", policy="cautious", who="Ash", how="aggressive")
    assert 'name="changes" value="policy=cautious"' in mo.get(PAGE)
    assert 'name="compare" value="Ash=aggressive"' in mo.get(PAGE)


@pytest.mark.slow
def test_it_stops_at_once_and_keeps_what_it_knows(roadblock: Roadblock) -> None:
    mo = roadblock.mos_browser
    mo.post(PAGE, fights="1000000")
    deadline = monotonic() + 60
    while not re.search(r"[1-9]\d* of 1000000 played", mo.get(PAGE)):
        assert monotonic() < deadline
        sleep(0.2)
    mo.post(f"{PAGE}/stop")
    page = mo.get(PAGE)
    assert "<progress" not in page
    assert re.search(r"Counted in [1-9]\d* played encounters", page)


def test_what_is_not_known_is_refused_on_the_page(roadblock: Roadblock) -> None:
    page = roadblock.mos_browser.post(PAGE, 422, changes="Ash=brave")
    assert "'brave' is not known; one of aggressive, cautious, default" in page
    assert 'value="Ash=brave"' in page


@pytest.mark.slow
def test_someone_hidden_is_not_in_the_fight_that_a_player_knows(roadblock: Roadblock) -> None:
    roadblock.mo.hide("lookout")
    roadblock.annas_browser.post(PAGE, fights="20")
    page = waited(roadblock.annas_browser)
    assert "lookout" not in page
    roadblock.mos_browser.post(PAGE, fights="20")
    assert "lookout" in waited(roadblock.mos_browser)


@pytest.mark.slow
def test_a_program_begins_a_forecast_and_ends_it(roadblock: Roadblock) -> None:
    anna = roadblock.anna
    assert anna.forecast().state == "none"
    assert anna.begin_forecast(["policy=cautious"], fights=100_000).state == "running"
    deadline = monotonic() + 60
    while not (so_far := anna.forecast()).played:
        assert monotonic() < deadline
        sleep(0.2)
    assert so_far.found[0]["sides"][0]["people"] == ["Ash", "Bell"]
    anna.end_forecast()
    assert anna.forecast().state == "done"
    assert roadblock.mo.forecast().state == "none"  # everyone has their own
    with pytest.raises(ApiError, match="'brave' is not known"):
        anna.begin_forecast(["Ash=brave"])


def test_without_an_encounter_there_is_nothing_to_forecast(running: Running, client: Client) -> None:
    mo = client.create("The market", "distemper", sample="market", master="Mo")
    browser = Visitor(running.address, mo.campaign, mo.seated.token)
    assert "There is no encounter in the scene." in browser.get(PAGE)
    assert "there is none here" in browser.post(PAGE, 422)
    browser.http.close()


@pytest.mark.parametrize("change", ["zzz=1", "lookout.wp=9999", "lookout=cautious", "veil.names=none"])
def test_a_change_tells_a_player_nothing_of_somebody_hidden(roadblock: Roadblock, change: str) -> None:
    roadblock.mo.hide("lookout")
    with pytest.raises(ApiError, match=r"one of policy, Ash, Bell, raider \(422 bad-input\)$"):
        roadblock.anna.begin_forecast([change])
    with pytest.raises(ApiError, match=r"one of policy, Ash, Bell, raider \(422 bad-input\)$"):
        roadblock.anna.begin_forecast(compare=[change])
    page = roadblock.annas_browser.post(PAGE, 422, changes=change)
    assert (
        page.count("lookout") == change.count("lookout") * 3
    )  # only what was typed: in the field, and twice in the refusal


def test_a_change_that_names_no_level_is_refused(roadblock: Roadblock) -> None:
    with pytest.raises(ApiError, match="has no levels by name; attributes, skills have"):
        roadblock.anna.begin_forecast(["Ash.items.x=1"])


# --- a queue ----------------------------------------------------------------------------------------------------------


ENDLESS = 1_000_000


def test_a_table_has_one_at_a_time_and_the_others_know_their_place(roadblock: Roadblock) -> None:
    mo, anna = roadblock.mo, roadblock.anna
    assert mo.begin_forecast(fights=ENDLESS).state == "running"
    begun = anna.begin_forecast(fights=ENDLESS)
    assert (begun.state, begun.place, begun.played) == ("waiting", 1, 0)
    page = roadblock.annas_browser.get(PAGE)
    assert "Place 1 in the queue. A table has one forecast at a time; yours begins by itself." in page
    assert "hx-trigger" in page  # it looks again by itself
    mo.end_forecast()
    until(lambda: anna.forecast().state == "running")
    assert anna.forecast().place == 0


def test_one_that_waits_can_be_ended(roadblock: Roadblock) -> None:
    mo, anna = roadblock.mo, roadblock.anna
    mo.begin_forecast(fights=ENDLESS)
    anna.begin_forecast(fights=ENDLESS)
    anna.end_forecast()
    assert anna.forecast().state == "done"
    assert mo.forecast().state == "running"


def test_one_that_has_had_its_time_ends_when_others_wait_and_says_so(
    roadblock: Roadblock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(web_forecasts, "TURN", 0.0)
    mo, anna = roadblock.mo, roadblock.anna
    mo.begin_forecast(fights=ENDLESS)
    assert mo.forecast().state == "running"  # nobody waits
    anna.begin_forecast(fights=ENDLESS)
    until(lambda: mo.forecast().state == "done")
    assert mo.forecast().cut_short
    assert "Time ran out before all were played;" in roadblock.mos_browser.get(PAGE)
    until(lambda: anna.forecast().state == "running")
    assert not anna.forecast().cut_short


@pytest.fixture
def queue() -> Iterator[Forecasts]:
    forecasts = Forecasts()
    yield forecasts
    forecasts.close()


def of(seat: str) -> tuple[str, str]:
    """A seat, such as `a2`, at a table, such as `a`."""
    return seat[0], seat


def places(queue: Forecasts, *seats: str) -> list[int]:
    return [queue.place(of(seat)) for seat in seats]


@pytest.mark.slow
def test_tables_have_their_turns_however_many_of_one_wait(queue: Forecasts) -> None:
    for seat in ("a1", "a2", "a3", "b1", "c1", "c2"):
        queue.start(of(seat), [PLAN], ENDLESS)
    assert places(queue, "a1", "b1", "c1", "a2", "c2", "a3") == [0, 0, 1, 2, 3, 4]
    queue.stop(of("b1"))
    until(lambda: places(queue, "c1", "a2", "c2", "a3") == [0, 1, 2, 3])
    queue.stop(of("c1"))  # while a1 is worked on
    until(lambda: places(queue, "c2", "a2", "a3") == [0, 1, 2])


def test_no_more_wait_than_can_be_told_when(queue: Forecasts, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(web_forecasts, "AT_ONCE", 0)
    monkeypatch.setattr(web_forecasts, "MOST_WAITING", 2)
    for seat in ("a1", "b1", "a1"):  # the last is in place of the first
        queue.start(of(seat), [PLAN], ENDLESS)
    with pytest.raises(Problem, match="2 forecasts wait already") as why:
        queue.start(of("c1"), [PLAN], ENDLESS)
    assert why.value.shape.legal == ["wait 60 seconds"]
    assert places(queue, "b1", "a1") == [1, 2]


def test_how_long_one_may_take_can_be_asked_while_others_are_begun(queue: Forecasts) -> None:
    """A forecast at work asks again and again, in a thread of its own."""
    queue.close()  # so that none of them costs anything
    first = queue.start(of("a1"), [PLAN], ENDLESS)
    problems: list[Exception] = []
    over = Event()

    def ask() -> None:
        while not over.is_set():
            try:
                first.may_take()
            except Exception as why:  # noqa: BLE001  # whatever it is
                problems.append(why)
                return

    often = sys.getswitchinterval()
    sys.setswitchinterval(0.00001)
    asking = [Thread(target=ask) for _ in range(2)]
    try:
        for each in asking:
            each.start()
        for number in range(100):
            queue.start(of(f"b{number % 20}"), [PLAN], ENDLESS)
    finally:
        over.set()
        for each in asking:
            each.join()
        sys.setswitchinterval(often)
    assert not problems
