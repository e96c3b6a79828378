"""Dime Adventures in a browser: every page of the table is made from what the system declares."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from tests.web.conftest import Running

from referee import registry
from referee.web.pages.parts.action_sentences import decision

DIME = registry.load("dime")


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[httpx.Client, str]]:
    """The saloon, seen by whoever opened it."""
    server = Running(Path(tmp_path_factory.mktemp("dime")))
    with httpx.Client(base_url=server.address, headers={"Origin": server.address}, timeout=60) as browser:
        opened = browser.post("/demo/dime", data={"sample": "saloon"})
        assert opened.status_code == 303
        yield browser, opened.headers["location"].partition("?")[0].rstrip("/")
    server.stop()


@pytest.mark.slow
def test_a_flip_is_played_from_the_page(table: tuple[httpx.Client, str]) -> None:
    browser, place = table
    page = browser.get(place)
    assert page.status_code == 200
    assert "Flip" in page.text
    done = browser.post(
        f"{place}/act", data={"action": "flip", "who": "Thug", "arg-stat": "Strength", "arg-skill": "melee"}
    )
    assert done.status_code in (204, 303), done.text
    story = browser.get(place).text
    assert re.search(r"tries Strength/melee", story)
    for path in ("/master", "/odds", "/history"):
        assert browser.get(f"{place}{path}").status_code == 200, path


@pytest.mark.slow
@pytest.mark.parametrize(("sample", "shown"), [("rooftops", "Inspector Hruby"), ("noon", "Cass Tolliver")])
def test_a_chase_and_a_duel_have_their_pages(table: tuple[httpx.Client, str], sample: str, shown: str) -> None:
    browser, _ = table
    opened = browser.post("/demo/dime", data={"sample": sample})
    place = opened.headers["location"].partition("?")[0].rstrip("/")
    for path in ("", "/master", "/history"):
        page = browser.get(f"{place}{path}")
        assert page.status_code == 200, path
    assert shown in browser.get(place).text


@pytest.mark.slow
def test_a_fight_in_zones_is_played_from_its_page(tmp_path: Path) -> None:
    server = Running(tmp_path)
    try:
        with httpx.Client(base_url=server.address, headers={"Origin": server.address}, timeout=60) as browser:
            opened = browser.post("/demo/dime", data={"sample": "ambush"})
            assert opened.status_code == 303
            place = opened.headers["location"].partition("?")[0].rstrip("/")
            for path in ("", "/master", "/odds", "/history"):
                page = browser.get(f"{place}{path}")
                assert page.status_code == 200, path
            assert "Fight" in browser.get(place).text
    finally:
        server.stop()


def test_whoever_chooses_themselves_is_not_told_as_somebody_else() -> None:
    cast = ("Lucie", "Anton")
    said = [decision(DIME, "runner", name, name, cast, "Lucie") for name in cast]
    assert said == ["flips for their side.", "lets Anton flip for their side."]
    assert decision(DIME, "next-turn", "Lucie", "Lucie", cast, "Lucie") == "keeps the turn."
    assert decision(DIME, "next-turn", "Anton", "Anton", cast, "Lucie") == "hands the turn to Anton."
