"""Forecasts of encounters at a table: by page and by program, from what each seat knows, stopped at any moment."""

from __future__ import annotations

import re
from collections.abc import Iterator
from time import monotonic, sleep
from typing import NamedTuple

import pytest
from tests.web.conftest import Running, Visitor

from referee.client import ApiError, Client, SeatClient

PAGE = "/encounter-forecast"


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
    until = monotonic() + seconds
    while "<progress" in (page := browser.get(PAGE)):
        assert monotonic() < until
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
    until = monotonic() + 60
    while not re.search(r"[1-9]\d* of 1000000 played", mo.get(PAGE)):
        assert monotonic() < until
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
    until = monotonic() + 60
    while not (so_far := anna.forecast()).played:
        assert monotonic() < until
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
