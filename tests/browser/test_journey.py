"""A journey in the browser: a day of four by taps, on a wide screen and on a phone; the map drawn by its form."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect
from tests.browser.tables import Seated, begun, joined

if TYPE_CHECKING:
    from tests.browser.conftest import Axe, People

PHONE = (360, 740)
SHOTS = os.environ.get("PICTURES", "")


def shot(seated: Seated, name: str) -> None:
    """A picture of the page, where somebody asks for pictures."""
    if SHOTS:
        seated.page.wait_for_timeout(1500)
        seated.page.screenshot(path=Path(SHOTS) / f"journey-{name}.png")


def choose(seated: Seated, who: str, what: str) -> None:
    """Tap a tile, and confirm it."""
    ask = seated.page.locator("#journey-ask")
    expect(ask.get_by_role("heading", name=who)).to_be_visible()
    ask.locator("label.jt", has=seated.page.get_by_text(what, exact=True)).click()
    ask.locator("button.go").click()
    expect(ask).to_contain_text(f"You have chosen: {what}.")


@pytest.mark.slow
def test_four_travel_for_a_quarter_of_a_day(people: People, axe: Axe) -> None:
    mo = begun(people("Mo"), "yearzero", "march")
    seats = [
        joined(mo, people("Anna"), "Okonkwo"),
        joined(mo, people("Ben", viewport=PHONE, scheme="dark"), "Juno"),
        joined(mo, people("Cy", viewport=PHONE), "Bako"),
        joined(mo, people("Di", scheme="dark"), "Ilse"),
    ]
    for each in (mo, *seats):
        each.open()
    anna, ben, cy, di = seats
    expect(anna.page.locator(".qd[aria-current=step]")).to_contain_text("Day")
    expect(anna.page.locator(".hexmap")).to_be_visible()
    expect(anna.page.locator(".hexmap")).not_to_contain_text("old mill")
    mo.page.get_by_text("Draw the map").click()
    expect(mo.page.locator("input[value='old mill']")).to_be_visible()
    expect(anna.page.locator("label.jt", has_text="Lead the way").locator(".p")).to_contain_text("%")
    for each, name in (
        (anna, "wide-light"),
        (ben, "narrow-dark"),
        (cy, "narrow-light"),
        (di, "wide-dark"),
        (mo, "master"),
    ):
        shot(each, name)
        axe(each.page)
    for each in (ben, cy):
        assert each.page.evaluate("document.documentElement.scrollWidth") <= PHONE[0]
    choose(anna, "Okonkwo", "Lead the way")
    expect(ben.page.locator("label.jt", has_text="Lead the way").locator(".face")).to_have_count(1)
    choose(ben, "Juno", "Keep watch")
    choose(cy, "Bako", "Forage")
    shot(anna, "chosen")
    di.page.locator("label.jt", has=di.page.get_by_text("Just walk", exact=True)).click()
    di.page.locator("#journey-ask button.go").click()
    for each in seats:
        expect(each.page.locator(".qd[aria-current=step]")).to_contain_text("Evening", timeout=60_000)
    expect(anna.page.locator("#story")).to_contain_text("The party comes to birch wood.")
    shot(anna, "after")


@pytest.mark.slow
def test_the_map_is_drawn_by_its_form(people: People) -> None:
    mo = begun(people("Mo"), "yearzero", "march")
    mo.open()
    form = mo.page.locator(".map-form")
    mo.page.get_by_text("Draw the map").click()
    form.locator("input[name='hex-96']").fill("shrine")
    form.locator("input[name='column-96']").fill("0")
    form.locator("input[name='row-96']").fill("1")
    form.locator("input[name='route']").fill("shrine")
    form.get_by_role("button", name="Save the map").click()
    expect(mo.page.locator(".hexmap")).to_contain_text("shrine")
    expect(mo.page.locator(".leg.next")).to_have_count(1)
