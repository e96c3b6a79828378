"""A chase with two pursuers from an empty table of one's own, in a browser, wide and on a phone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import Page, expect
from tests.browser.own_table import Walk
from tests.browser.tables import caught_up

if TYPE_CHECKING:
    from tests.browser.conftest import Axe, People

SIZES = {"wide": (1280, 800), "phone": (360, 740)}
KINDS = {"alien": "ChaseTracker", "distemper": "ChaseTracker", "dime": "Chase"}
SHORT = {("alien", "phone")}
WAYS = [
    pytest.param(system, size, marks=() if (system, size) in SHORT else pytest.mark.slow)
    for system in KINDS
    for size in SIZES
]
MOST_TAPS = 60


def begun(walk: Walk, kind: str) -> Page:
    """A table of one's own with a chase that has just begun, two against three."""
    walk.open_table()
    walk.add_people()
    page = walk.user.page
    start = page.locator(f"#begin-{kind}")
    if start.get_attribute("open") is None:
        walk.tap(start.locator("summary").first)
    walk.tap(start.locator("button.go"))
    expect(page.locator(".chase")).to_be_visible()
    return page


def by_hand(walk: Walk, page: Page) -> None:
    """Somebody closes in, somebody falls out of sight, and the quarry is caught."""
    first = page.locator(".by-hand li").first
    walk.tap(first.get_by_role("button", name="closes in"))
    expect(page.locator("#story")).to_contain_text("close")
    last = page.locator(".by-hand li").nth(2)
    for _ in range(2):
        before = last.locator(".by-hand-who").inner_text()
        walk.tap(last.get_by_role("button", name="falls back"))
        expect(last.locator(".by-hand-who")).not_to_have_text(before)
    walk.tap(page.locator(".by-hand").get_by_role("button", name="The quarry is caught"))


def to_the_end(walk: Walk, page: Page) -> None:
    """Take what is offered first, until the chase is over."""
    for _ in range(MOST_TAPS):
        if not page.locator(".chase").locator("visible=true").count():
            return
        caught_up(walk.seated)
        tapped = page.locator(".ask:not(.others) .option, .dock.asks .first, .ask:not(.others) .go")
        if not tapped.locator("visible=true").count():
            return
        walk.tap(tapped.locator("visible=true").last)


@pytest.mark.parametrize(("system", "size"), WAYS)
def test_a_chase_with_several_pursuers_is_played_from_an_empty_table(
    people: People, axe: Axe, system: str, size: str
) -> None:
    mo = people("Mo", viewport=SIZES[size])
    walk = Walk(mo, system)
    page = begun(walk, KINDS[system])
    axe(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= SIZES[size][0], "it scrolls sideways"
    assert page.locator(".chase-bands .man").count() == 3
    (by_hand if KINDS[system] == "ChaseTracker" else to_the_end)(walk, page)
    expect(page.locator("#story")).to_contain_text("The chase is over")
