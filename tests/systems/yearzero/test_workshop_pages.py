"""The workshop in a browser: crafting and repair from the page, made from what the system declares."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from tests.web.conftest import Running


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[httpx.Client, str]]:
    """The workshop, seen by whoever opened it."""
    server = Running(Path(tmp_path_factory.mktemp("workshop")))
    with httpx.Client(base_url=server.address, headers={"Origin": server.address}, timeout=60) as browser:
        opened = browser.post("/demo/yearzero", data={"sample": "workshop"})
        assert opened.status_code == 303
        yield browser, opened.headers["location"].partition("?")[0].rstrip("/")
    server.stop()


@pytest.mark.slow
def test_a_sword_is_forged_from_the_page(table: tuple[httpx.Client, str]) -> None:
    browser, place = table
    page = browser.get(place, params={"as": "Inga"})
    assert page.status_code == 200
    for words in ("Craft something", "Repair a thing", "Do technical work", "Pick a lock"):
        assert words in page.text, words
    done = browser.post(
        f"{place}/act",
        data={
            "action": "craft",
            "who": "Inga",
            "arg-item": "basic melee weapons",
            "arg-by": "Smith",
            "arg-make": "Broadsword",
        },
    )
    assert done.status_code in (204, 303), done.text
    assert "works on an item (Smith): basic melee weapons" in browser.get(place).text


@pytest.mark.slow
@pytest.mark.parametrize("path", ["/master", "/odds", "/history"])
def test_every_page_of_the_workshop_opens(table: tuple[httpx.Client, str], path: str) -> None:
    browser, place = table
    assert browser.get(f"{place}{path}").status_code == 200
