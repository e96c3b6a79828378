"""The crew board: stations as places with people and orders, systems with their damage hatched."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tests.web.pages.test_chase import table_page

if TYPE_CHECKING:
    from tests.web.conftest import Running

    from referee.client import Client


def stations(page: str) -> list[str]:
    """What stands at each station, in their order."""
    found = re.findall(r'<li class="(station[^"]*)"[^>]*>(.*?)</ul></li>', page, re.DOTALL)
    return [f"{kind}: " + " ".join(re.sub(r"<[^>]+>", " ", text).split()) for kind, text in found]


def test_stations_show_who_is_there_and_whose_turn_it_is(running: Running, client: Client) -> None:
    mo = client.create("Patrol", "d6", sample="patrol-ship", master="Mo")
    mo.edit("ship combat", phase="orders", orders_left={"Steadfast": 7, "Gull": 3}, scores={"Steadfast": 2, "Gull": 1})
    mo.edit("Steadfast", systems=[{"system": "Controls", "level": "Light"}])
    page = table_page(running, mo)
    found = stations(page)
    assert len(found) == 10
    assert any("Helm" in each and "Okonjo" in each for each in found)
    assert [each for each in found if each.startswith("station now")] == [
        each for each in found if "choosing now" in each
    ]
    assert "Mother Tallow" in next(each for each in found if "choosing now" in each)
    assert 'class="ship-system harmed"' in page
    assert "1D less maneuverable" in page
    assert "900 m apart" in page


def test_a_ship_is_on_the_side_of_who_is_aboard(running: Running, client: Client) -> None:
    mo = client.create("Patrol", "d6", sample="patrol-ship", master="Mo")
    page = table_page(running, mo)
    (strip,) = re.findall(r'<ol class="[^"]*turns.*?</ol>', page, re.DOTALL)
    assert re.findall(r'class="face (\w+)', strip) == ["ally", "foe"]
