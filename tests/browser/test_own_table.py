"""A table of one's own in a real browser, from the empty start page to the first action of a fight, in every system."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.browser.own_table import FIGHTS, Walk

if TYPE_CHECKING:
    from tests.browser.conftest import Axe, People

MOST_TAPS = 24
MOST_SCREENS = 2
"""The table, and the page for adding people."""
SIZES = {"wide": (1280, 800), "phone": (360, 740)}
SHORT = {("alien", "phone")}
WAYS = [
    pytest.param(system, size, marks=() if (system, size) in SHORT else pytest.mark.slow)
    for system in FIGHTS
    for size in SIZES
]


@pytest.mark.parametrize(("system", "size"), WAYS)
def test_from_the_start_page_to_the_first_action_of_a_fight(people: People, axe: Axe, system: str, size: str) -> None:
    mo = people("Mo", viewport=SIZES[size])

    def look(name: str) -> None:
        assert mo.page.evaluate("document.documentElement.scrollWidth") <= SIZES[size][0], f"{name} scrolls sideways"
        if name in ("table", "added", "begun"):
            axe(mo.page)
        decided = {"turn": ".ask.turning:not(.others) .go", "acted": ".ask:not(.others) .option"}
        found = mo.page.locator(decided.get(name, "none")).locator("visible=true")
        if found.count() and (name == "turn" or system == "alien"):
            mo.page.evaluate("scrollTo(0, 0)")
            at = found.last.bounding_box()
            tabs = mo.page.locator(".tabs").bounding_box() or {"y": SIZES[size][1]}
            assert at is not None
            assert at["y"] + at["height"] <= tabs["y"], "what decides is out of the window"

    walk = Walk(mo, system, look)
    walk.go()
    assert walk.taps <= MOST_TAPS, walk
    assert len(set(walk.screens)) <= MOST_SCREENS, walk
