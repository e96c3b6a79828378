"""A system from another package, without a look of its own: every screen shows it all the same."""

from __future__ import annotations

import html
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

import httpx
import pytest

from referee import registry

if TYPE_CHECKING:
    from tests.web.conftest import Running

SIXTH: Final = Path(__file__).parent.parent.parent / "sixth"


@pytest.fixture
def coin(serve: Callable[..., Running]) -> Iterator[tuple[httpx.Client, str]]:
    """A game master's browser at a table of the sixth system."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(SIXTH))
        registry.load.cache_clear()
        server = serve()
        with httpx.Client(base_url=server.address, headers={"Origin": server.address}, timeout=30) as browser:
            opened = browser.post("/demo/coin", data={})
            assert opened.status_code == 303, opened.text
            yield browser, opened.headers["location"].split("?")[0]
    registry.load.cache_clear()


def test_every_screen_shows_a_system_it_has_never_seen(coin: tuple[httpx.Client, str]) -> None:
    browser, table = coin
    assert "coin" in browser.get("/").text.casefold()
    rest = (
        "",
        "/history",
        "/rules",
        "/odds",
        "/master",
        "/master/seats",
        "/master/rules",
        "/master/table",
        "/master/person",
    )
    for path in (*(f"{table}{each}" for each in rest), "/rules/coin", "/odds/coin"):
        assert browser.get(path).status_code == 200, path


def test_its_actions_are_forms_and_are_told(coin: tuple[httpx.Client, str]) -> None:
    browser, table = coin
    system = registry.load("coin")
    page = html.unescape(browser.get(table).text)
    people = [name for name in page.split("/sheet/")[1:] if name]
    who = people[0].split('"')[0]
    mine = html.unescape(browser.get(f"{table}?as={who}").text)
    action = next(each for each in system.actions if not each.master)
    assert f'value="{action.key}"' in mine
    sheet = browser.get(f"{table}/sheet/{who}")
    assert sheet.status_code == 200
    assert "What can be rolled" in sheet.text
