"""The chase board: bands behind the quarry, what lies ahead, three outcomes beside each other."""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING

from tests.web.conftest import Visitor

from referee import registry
from referee.web.pages.parts.chances import chances

if TYPE_CHECKING:
    from tests.web.conftest import Running

    from referee.client import Client
    from referee.client.client import SeatClient

DIME = registry.load("dime")


def table_page(running: Running, seat: SeatClient) -> str:
    visitor = Visitor(running.address, seat.campaign, seat.seated.token)
    page = visitor.get("")
    visitor.http.close()
    return page


def bands(page: str) -> dict[str, str]:
    """What stands in each band of the road, the furthest first."""
    found = re.findall(r'<li class="chase-band[^>]*>(.*?)</li>', page, re.DOTALL)
    texts = [html.unescape(" ".join(re.sub(r"<[^>]+>", " ", each).split())) for each in found]
    names = [re.search(r"<span>(.*?)</span>", each).group(1) for each in found]  # type: ignore[union-attr]  # each band has a name
    return {name: text.removeprefix(name).strip() for name, text in zip(names, texts, strict=True)}


def test_pursuers_stand_in_the_band_of_their_lead(running: Running, client: Client) -> None:
    mo = client.create("Roofs", "dime", sample="rooftops", master="Mo")
    mo.edit("chase", interval=2, tallies={"quarry": 27, "pursuers": 24})
    page = table_page(running, mo)
    found = bands(page)
    assert list(found) == ["6 or more", "3 to 5", "1 or 2 behind", "level", "ahead of them"]
    assert "Inspector Hruby" in found["3 to 5"]
    assert "Constable" in found["3 to 5"]
    assert {text for name, text in found.items() if name != "3 to 5"} == {"nobody"}
    assert "Quarry: 3 ahead" in page
    assert "24 points" in page


def test_pursuers_who_have_passed_the_quarry_are_ahead_of_it(running: Running, client: Client) -> None:
    mo = client.create("Roofs", "dime", sample="rooftops", master="Mo")
    mo.edit("chase", interval=2, tallies={"quarry": 20, "pursuers": 24}, obstacle="Open Ground")
    page = table_page(running, mo)
    assert "Inspector Hruby" in bands(page)["ahead of them"]
    assert "<b>Open Ground</b>" in page


def forecast(**bands: float) -> dict[str, object]:
    return {"bands": {key: {"float": share, "exact": ""} for key, share in bands.items()}, "extra": {}, "bad": {}}


def test_three_outcomes_stand_beside_each_other_where_the_look_names_all_of_them() -> None:
    found = chances(forecast(gain=0.36, same=0.29, lose=0.35), DIME, ("gain",))
    assert [(row.tone, row.chance) for row in found.three] == [("gain", 0.36), ("same", 0.29), ("lose", 0.35)]
    assert [(tone, round(at, 1), round(long, 1)) for tone, at, long in found.split] == [
        ("gain", 0.0, 35.2),
        ("same", 36.0, 28.2),
        ("lose", 65.0, 34.2),
    ]


def test_what_cannot_come_of_it_is_no_part_of_the_bar() -> None:
    found = chances(
        {**forecast(**{"gone": 0.62, "works": 0.0, "without-effect": 0.0, "still-chased": 0.38})}, DIME, ("gone",)
    )
    assert [(row.name, row.tone) for row in found.three] == [("gone", "gain"), ("still chased", "lose")]
    assert chances(forecast(success=0.5, failure=0.5), DIME, ("success",)).three == ()


# --- a game without rules for chases ----------------------------------------------------------------------------------


def test_a_game_without_rules_for_chases_says_so_and_moves_people_by_hand(running: Running, client: Client) -> None:
    mo = client.create("Vents", "alien", sample="derelict", master="Mo")
    visitor = Visitor(running.address, mo.campaign, mo.seated.token)
    names = [each for each in mo.view().scene if mo.view().scene[each]["kind"] == "Colonist"]
    mo.edit("chase", kind="ChaseTracker", sides=[names[:1], names[1:]])
    page = visitor.get("")
    assert "This game has no rules for chases." in page
    assert names[1] in bands(page)["in sight"]
    visitor.post("/act", action="chase-move", **{"arg-mover": names[1], "arg-band": "close"})
    assert names[1] in bands(visitor.get(""))["close"]
    visitor.post("/act", action="chase-move", **{"arg-mover": names[1], "arg-band": "out of sight"})
    page = visitor.get("")
    assert all(names[1] not in text for text in bands(page).values())
    visitor.http.close()
