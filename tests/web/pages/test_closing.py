"""Closing an evening, and opening the next with what happened last time."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from tests.web.conftest import Market, Visitor

from referee import registry
from referee.client import Client, SeatClient

if TYPE_CHECKING:
    from tests.web.conftest import Running

AWARDS = {
    "alien": [],
    "d6": ["Character Points", "Days for training", "Used: may rise a pip without training"],
    "dime": [],
    "distemper": [],
    "yearzero": ["XP"],
}
"""What a game gives at the end of an evening, where its sheet has a place for it."""


@pytest.fixture
def dock(running: Running, client: Client) -> Iterator[tuple[Visitor, SeatClient]]:
    mo = client.create("The dock", "d6", sample="loading-dock", master="Mo")
    visitor = Visitor(running.address, mo.campaign, mo.seated.token)
    yield visitor, mo
    visitor.http.close()


@pytest.mark.parametrize("system", AWARDS)
def test_the_page_asks_for_what_the_game_awards_and_for_nothing_where_it_has_none(
    running: Running, client: Client, system: str
) -> None:
    loaded = registry.load(system)
    assert [each.words for each in loaded.look.awards] == AWARDS[system]
    mo = client.create("Ours", system, scene={"Ana": {loaded.look.mine: True} if loaded.look.mine else {}}, master="Mo")
    client.join(mo.invite(controls=["Ana"]).code, "Anna")
    visitor = Visitor(running.address, mo.campaign, mo.seated.token)
    page = visitor.get("/history/evening")
    visitor.http.close()
    assert re.findall(r"<legend>([^<]+) for everyone</legend>", page) == AWARDS[system]


def test_the_page_begins_with_what_everyone_was_told_and_nothing_hidden(market: Market) -> None:
    market.mo.post("/master/hide", name="trader", hidden="yes")
    market.mo.post("/act", action="check", who="trader", arg__using="Perception")
    market.anna.post("/act", action="check", who="Ash", arg__using="Perception")
    page = market.mo.get("/history/evening")
    text = page.partition("<main")[2].partition("<textarea")[2].partition("</textarea>")[0]
    assert "Ash" in text
    assert "rader** tries" not in text


def test_what_is_still_due_is_listed(dock: tuple[Visitor, SeatClient]) -> None:
    page = dock[0].get("/history/evening")
    due = page.partition('id="due"')[2].partition("<form")[0]
    assert "is under way." in due
    assert "is asked:" in due


def test_a_closed_evening_is_a_page_of_the_journal_and_brings_what_was_awarded(
    dock: tuple[Visitor, SeatClient],
) -> None:
    visitor, mo = dock
    before = mo.view().scene["Mara"]
    form = {
        "award-points-Mara": ["1", "2"],
        "award-points-Otto": "0",
        "award-days-Mara": "7",
        "used-used-Mara": "Search",
    }
    sent = {"title": "The first evening", "text": "They held the dock.", **form}
    answer = visitor.http.post(f"{visitor.table}/history/evening", data=sent)
    assert answer.status_code == 303
    after = mo.view().scene["Mara"]
    assert after["character_points"] == before["character_points"] + 3
    assert after["veteran_points"] == before["veteran_points"] + 3
    assert (after["practised"], after["free_days"]) == ({"Search": 2}, 7)
    assert "They held the dock." in visitor.get("/notes")
    assert "Open the next evening" in visitor.get("/history/evening")
    assert "Open the next evening" in visitor.get("")


def test_the_next_evening_opens_with_last_time_for_everyone(market: Market) -> None:
    market.mo.post("/history/evening", title="The first evening", text="They sold the medicine.")
    market.mo.post("/history/evening/next")
    page = market.anna.get("")
    assert "Last time" in page
    assert "They sold the medicine." in page
    assert "Close the evening" in market.mo.get("")


@pytest.mark.parametrize(("system", "sample"), [("dime", "ambush"), ("yearzero", "camp")])
def test_where_a_game_has_sessions_a_new_one_begins(running: Running, client: Client, system: str, sample: str) -> None:
    mo = client.create("Ours", system, sample=sample, master="Mo")
    visitor = Visitor(running.address, mo.campaign, mo.seated.token)
    visitor.post("/history/evening", title="The first evening", text="They went home.")
    visitor.post("/history/evening/next")
    told = visitor.get("")
    visitor.http.close()
    assert "begins a session." in told or "begins the session." in told


def test_an_evening_that_is_not_closed_is_not_opened(market: Market) -> None:
    assert "close the evening first" in market.mo.post("/history/evening/next", 409)


def test_playing_on_makes_the_evening_open_again(market: Market) -> None:
    market.mo.post("/history/evening", title="The first evening", text="They sold the medicine.")
    market.anna.post("/act", action="check", who="Ash", arg__using="Perception")
    assert "close the evening first" in market.mo.post("/history/evening/next", 409)


@pytest.mark.parametrize("award", ["award-wp-Ash", "award-character_points-Nobody"])
def test_only_what_the_game_awards_is_awarded(market: Market, award: str) -> None:
    sent = {"title": "The first evening", "text": "They went home.", award: "3"}
    answer = market.mo.http.post(f"{market.mo.table}/history/evening", data=sent)
    assert answer.status_code == 422
    assert "They went home." not in market.mo.get("/notes")


def test_players_close_no_evening(market: Market) -> None:
    assert "Close the evening" not in market.anna.get("")
    market.anna.get("/history/evening", 403)
    market.anna.post("/history/evening", 403, title="x", text="y")
    market.anna.post("/history/evening/next", 403)


def test_what_was_rolled_this_evening_is_proposed_as_used(running: Running, client: Client) -> None:
    mo = client.create("Ours", "d6", scene={"Mara": {"skills": {"Search": "4D"}}, "Otto": {}}, master="Mo")
    client.join(mo.invite(controls=["Mara", "Otto"]).code, "Anna")
    mo.act("roll", "Mara", using="Search")
    visitor = Visitor(running.address, mo.campaign, mo.seated.token)
    page = visitor.get("/history/evening")
    visitor.http.close()
    assert 'name="used-used-Mara" value="Search" checked' in page
    assert "used-used-Otto" not in page
    proposed = [f'name="award-points-{who}" min="0" max="1000" value="1"' for who in ("Mara", "Otto")]
    assert [page.count(each) for each in proposed] == [1, 0]
