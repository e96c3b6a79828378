from __future__ import annotations
import pytest
from tests.browser.tables import begun, joined
SIZES = {"wide": (1280, 800), "narrow": (360, 740)}

@pytest.mark.parametrize("size", SIZES)
def test_chase(people, size):
    anna = people("Anna", viewport=SIZES[size], scheme="light")
    mo = begun(people("Mo"), "yearzero", "highway")
    seated = joined(mo, anna, "Juno", "Okonkwo")
    page = seated.open()
    page.wait_for_timeout(4000)
    page.screenshot(path=f"/tmp/team/pictures/w7-chase-{size}-light.png")
    page.wait_for_timeout(20000)
    page.screenshot(path=f"/tmp/team/pictures/w7-chase-odds-{size}-light.png", full_page=size == "narrow")
