"""The D6 System in a browser: every page of the table is made from what the system declares."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest
from tests.web.conftest import Running


@pytest.mark.slow
def test_a_roll_and_a_wound_are_played_from_the_page(tmp_path: Path) -> None:
    server = Running(tmp_path)
    try:
        with httpx.Client(base_url=server.address, headers={"Origin": server.address}, timeout=60) as browser:
            opened = browser.post("/demo/d6", data={"sample": "warehouse"})
            assert opened.status_code == 303
            place = opened.headers["location"].partition("?")[0].rstrip("/")
            assert browser.get(place).status_code == 200
            sheet = browser.get(f"{place}/sheet/Mara").text
            assert "3D+1" in sheet  # an attribute
            assert "4D+2" in sheet  # a skill
            sent = {"action": "roll", "who": "guard", "arg-using": "Search", "arg-difficulty": "10"}
            done = browser.post(f"{place}/act", data=sent)
            assert done.status_code in (204, 303), done.text
            assert "tries Search" in browser.get(place).text
            done = browser.post(f"{place}/act", data={"action": "stun", "arg-victim": "guard", "arg-stuns": "1"})
            assert done.status_code in (204, 303), done.text
            for path in ("/master", "/odds", "/history", "/sheet/guard"):
                assert browser.get(f"{place}{path}").status_code == 200, path
            sheet = browser.get(f"{place}/sheet/guard").text
            assert "Stuns" in sheet
            assert "new stuns" not in sheet.lower()  # what only rules read
    finally:
        server.stop()
