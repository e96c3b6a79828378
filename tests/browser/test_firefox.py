"""A fight in Firefox: what the screen does must not be Chromium's alone."""

from __future__ import annotations

from pathlib import Path
from time import monotonic, sleep
from typing import TYPE_CHECKING

import pytest
from tests.browser.firefox import WHERE, Firefox

from referee.client import Client

if TYPE_CHECKING:
    from tests.browser.conftest import Server

OFFERS = ("initiative-before", "initiative-after", "insight-before", "insight-after")
SHOWN = "(each => each.getClientRects().length > 0)"
CLICK_FIRST = f"""(() => {{
  const ways = [...document.querySelectorAll(".ask:not(.others) .go, .ask:not(.others) .option")].filter({SHOWN});
  if (ways.length) ways[0].click();
  return ways.length;
}})()"""


@pytest.mark.slow
@pytest.mark.skipif(WHERE is None, reason="there is no Firefox here")
@pytest.mark.parametrize("size", [(1280, 800), (360, 740)], ids=["wide", "phone"])
def test_a_fight_is_played_in_firefox(server: Server, tmp_path: Path, size: tuple[int, int]) -> None:
    with Client(server.address) as client, Firefox(tmp_path) as fox:
        mo = client.create("Route 9", "distemper", sample="roadblock", master="Mo")
        anna = client.join(mo.invite(controls=["Ash", "Bell"]).code, "Anna")
        for seat in (mo, anna):
            for prompt in OFFERS:
                seat.standing_answer(prompt, "no")
        for foe in ("raider", "lookout"):
            mo.edit(foe, wp=2, rp=2)
        fox.resize(*size)
        fox.cookie("referee", anna.seated.token, "127.0.0.1")
        fox.open(f"{server.address}/table/{mo.campaign}")
        assert fox.run("document.querySelectorAll('.turn').length") == 4
        clicks, end = 0, monotonic() + 120
        while not fox.run("!!document.querySelector('.aftermath')") and monotonic() < end:
            for question in mo.questions().questions[:1]:
                if question.model_dump().get("who") in ("raider", "lookout", None):
                    options = question.model_dump()["options"]
                    mo.answer(question.key, next((each for each in options if each == "defend"), options[0]))
            clicks += min(1, fox.run(CLICK_FIRST))
            sleep(0.4)
        assert clicks >= 2
        assert "attacks raider with the" in fox.run("document.querySelector('#story').textContent")
        assert "The fight is over" in fox.run("document.querySelector('.aftermath').textContent")
        assert fox.run("document.documentElement.scrollWidth") <= size[0]
