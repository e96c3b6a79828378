"""A forecast in a browser: begun by a button, drawn while it grows, stopped."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect
from tests.browser.tables import begun

if TYPE_CHECKING:
    from tests.browser.conftest import Axe, People


@pytest.mark.slow
def test_a_forecast_grows_on_the_page_until_it_is_stopped(people: People, axe: Axe) -> None:
    mo = begun(people("Mo", viewport=(360, 740)), "distemper", "roadblock")
    page = mo.open("/encounter-forecast")
    axe(page)
    page.get_by_label("How often it is played").fill("100000")
    page.get_by_role("button", name="Play it out").click()
    expect(page.get_by_role("heading", name="As it stands")).to_be_visible(timeout=60_000)
    expect(page.locator("#forecast-found")).to_contain_text("Ash and Bell")
    expect(page.locator("svg.plot")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    page.get_by_role("button", name="Stop").click()
    expect(page.get_by_text("played encounters.")).to_be_visible()
    axe(page)
