"""Encounters of a system without a look of its own: begun with what they need, chosen, ended, and told."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

import httpx
import pytest

from referee import registry

if TYPE_CHECKING:
    from tests.web.conftest import Running

TREK: Final = Path(__file__).parent.parent.parent / "trek_package"


class Camp:
    """A game master's browser at a table of the trek."""

    def __init__(self, browser: httpx.Client, table: str) -> None:
        self.browser = browser
        self.table = table

    def get(self, path: str = "") -> str:
        answer = self.browser.get(f"{self.table}{path}")
        assert answer.status_code == 200, answer.text
        return html.unescape(re.sub(r"\s+", " ", answer.text))

    def post(self, path: str, status: int = 303, /, **fields: str) -> str:
        answer = self.browser.post(f"{self.table}{path}", data=fields)
        assert answer.status_code == status, answer.text
        return html.unescape(answer.text)


@pytest.fixture
def camp(serve: Callable[..., Running]) -> Iterator[Camp]:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(TREK))
        registry.load.cache_clear()
        server = serve()
        with httpx.Client(base_url=server.address, headers={"Origin": server.address}, timeout=30) as browser:
            opened = browser.post("/demo/trek", data={})
            assert opened.status_code == 303, opened.text
            yield Camp(browser, opened.headers["location"].split("?")[0])
    registry.load.cache_clear()


def test_each_kind_has_a_form_of_what_it_needs(camp: Camp) -> None:
    page = camp.get("/master")
    journey, brawl = (form for form in page.split("<form ") if 'name="kind" value' in form)
    assert "Start: The journey" in journey
    assert 'type="number" name="f-legs"' in journey
    assert "f-brawl_at" not in journey, "it has a default"
    assert 'type="number" name="f-rounds"' in brawl
    assert "f-within" not in brawl, "there is nothing to stand inside"


def test_an_encounter_begins_with_what_was_said_plays_and_ends_with_a_sentence(camp: Camp) -> None:
    assert "legs" in camp.post("/master/encounter", 422, kind="Journey")
    assert "whole number" in camp.post("/master/encounter", 422, kind="Journey", **{"f-legs": "two"})
    camp.post("/master/encounter", kind="Journey", **{"f-legs": "2"})
    story = camp.get()
    assert "The journey begins." in story
    assert "The travellers have arrived." in story
    assert "3 Watches" in story, "the clock shows the units of the game"
    assert "journey 2 at 0, journey 1 at 6" in camp.get("/master")


def test_the_game_master_says_which_of_several_is_played(camp: Camp) -> None:
    camp.post("/master/settings", undo="own", offer_after="60")
    camp.post("/master/encounter", kind="Journey", **{"f-legs": "2"})
    page = camp.get("/master")
    brawl = next(form for form in page.split("<form ") if "f-rounds" in form)
    assert re.search(r'<select name="f-within"><option></option><option selected>journey</option></select>', brawl)
    camp.post("/master/encounter", kind="Brawl", **{"f-rounds": "1", "f-within": ""})
    camp.post("/master/encounter", kind="Brawl", **{"f-rounds": "1", "f-within": "journey"})
    page = camp.get("/master")
    assert "inside: journey" in page
    assert "The brawl (brawl 2)" in page
    assert "played now" not in page
    camp.post("/master/encounter/play", name="brawl 2")
    assert camp.get("/master").count("played now") == 1
    assert "played now" in camp.get()
    assert "Now being played: brawl 2." in camp.get()
    assert "not known" in camp.post("/master/encounter/play", 422, name="ana")
    camp.post("/master/encounter/end", name="brawl 2")
    assert "The brawl is over." in camp.get()
    assert "brawl 2" not in camp.get("/master").split("<h2")[3]


def test_what_comes_due_is_told_in_units_and_about_what(camp: Camp) -> None:
    camp.post("/act", **{"action": "wound", "who": "ana", "arg-where": "leg", "arg-hours": "30"})
    assert "Ana: fester (leg) in 1 Day 1 Watch<" in camp.get()


def test_the_audit_tells_time_in_units(camp: Camp) -> None:
    camp.post("/act", **{"action": "wound", "who": "ana", "arg-where": "leg", "arg-hours": "5"})
    camp.post("/act", **{"action": "rest", "arg-hours": "30"})
    camp.post("/master/person", **{"name": "clock", "f-now": "4"})
    page = camp.get("/history/audit?what=all")
    assert "1 Day 1 Watch 2 Hours" in page
    assert "at 1 Watch 1 Hour, who ana, rule trek.fester, about leg" in page
    assert "clock: now 1 Day 1 Watch 2 Hours → 1 Watch" in page


def test_things_of_any_kind_are_added_and_edited(camp: Camp) -> None:
    page = camp.get("/master")
    assert '<option value="Diary">diary</option>' in page
    assert 'value="Journey">' not in page.partition("Add something else")[2].partition("</form>")[0]
    form = camp.get("/master/person?kind=Diary")
    assert 'name="f-lines"' in form
    assert 'name="kind" value="Diary"' in form
    camp.post("/master/person", new="yes", kind="Diary", name="logbook", **{"f-lines": "Rain.\nMore rain."})
    assert "Rain., More rain." in camp.get("/master")
    assert "More rain." in camp.get("/master/person?name=logbook")
    camp.post("/master/person", name="logbook", **{"f-lines": "Sun."})
    assert "Sun." in camp.get("/master/person?name=logbook")
    answer = camp.browser.get(f"{camp.table}/master/person?kind=Journey")
    assert answer.status_code == 422
