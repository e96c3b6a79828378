"""Opening a table: it starts with what the card of the game promises, and its options stand on a page of their own."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

import httpx
import pytest

from referee import registry
from referee.client import Client
from referee.core.rulebook import Book

if TYPE_CHECKING:
    from tests.web.conftest import Running


@pytest.fixture
def browser(running: Running) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=running.address, headers={"Origin": running.address}, timeout=30) as found:
        yield found


def options_of(running: Running, opened: httpx.Response) -> dict[str, bool | str]:
    campaign = opened.headers["location"].split("/")[2]
    book = running.hub.store.header(campaign).scene["book"]
    return dict(book["options"])


PROMISED = {
    "alien": {},
    "distemper": {},
    "dime": {},
    "yearzero": {},
    "d6": {
        "d6.core.wild-die": True,
        "d6.core.wild-6": "re-roll",
        "d6.core.wild-1": "complication",
        "d6.core.fate-points": "single action",
        "d6.crew.orders": True,
    },
}
"""What cards promise beyond the rules that are always played: that of the D6 System, a wild die, points
to bend fate, and ships under command."""


@pytest.mark.parametrize("system", PROMISED)
def test_a_new_table_plays_what_the_card_of_its_game_promises(
    running: Running, browser: httpx.Client, system: str
) -> None:
    opened = browser.post("/tables", data={"system": system, "name": "Ours", "master": "Mo"})
    assert options_of(running, opened) == PROMISED[system]
    book = Book(registry.load(system).printed_book, options=registry.load(system).new_table)
    assert all(book.on(each) for each in PROMISED[system])


def test_a_program_that_names_no_scene_gets_the_same(running: Running, client: Client) -> None:
    begun = client.create("Ours", "d6", master="Mo")
    assert running.hub.store.header(begun.campaign).scene["book"]["options"] == PROMISED["d6"]
    own = client.create("Ours", "d6", scene={}, master="Mo")
    assert running.hub.store.header(own.campaign).scene["book"]["options"] == {}


def test_a_sample_keeps_its_own_options(running: Running, browser: httpx.Client) -> None:
    opened = browser.post("/tables", data={"system": "d6", "sample": "customs-shed", "master": "Mo"})
    assert options_of(running, opened)["d6.combat.initiative-base"] == "fixed"
    assert "d6.core.fate-points" not in options_of(running, opened)


def test_the_start_page_itself_lists_no_options(browser: httpx.Client) -> None:
    assert 'name="option"' not in browser.get("/").text


def test_the_options_of_the_chosen_game_alone_stand_on_the_next_page_by_chapter(browser: httpx.Client) -> None:
    page = browser.post("/tables", data={"system": "d6", "name": "Ours", "master": "Mo", "choose": "yes"}).text
    assert re.findall(r"<legend[^>]*>([^<]+)", page)[:2] == ["Advanced Skills", "Attributes"]
    assert 'name="option" value="d6.core.wild-die" checked> The wild die' in page
    assert 'name="option" value="d6.health.cpr"> Bringing somebody back' in page
    assert "dime." not in page
    assert 'name="name" value="Ours"' in page


def test_what_is_unticked_there_is_off(running: Running, browser: httpx.Client) -> None:
    sent = {"system": "d6", "name": "Ours", "master": "Mo", "chosen": "yes", "option": "d6.health.cpr"}
    assert options_of(running, browser.post("/tables", data=sent)) == {"d6.health.cpr": True}


@pytest.mark.parametrize("system", registry.OURS)
def test_the_page_of_options_as_it_stands_opens_what_a_new_table_starts_with(
    running: Running, browser: httpx.Client, system: str
) -> None:
    page = browser.post("/tables", data={"system": system, "choose": "yes"}).text
    sent: dict[str, object] = {"system": system, "chosen": "yes"}
    sent["option"] = re.findall(r'name="option" value="([^"]+)" checked', page)
    for name, options in re.findall(r'<select name="(choice-[^"]+)">(.*?)</select>', page, re.DOTALL):
        marked = re.search(r'value="([^"]*)" selected', options)
        sent[name] = marked[1] if marked else re.findall(r'value="([^"]*)"', options)[0]
    loaded = registry.load(system)
    opened = options_of(running, browser.post("/tables", data=sent))
    found, wanted = (Book(loaded.printed_book, options=each) for each in (opened, loaded.new_table))
    known = [each.id for each in loaded.printed_book.options]
    assert [(found.on(each), found.choice(each)) for each in known] == [
        (wanted.on(each), wanted.choice(each)) for each in known
    ]
