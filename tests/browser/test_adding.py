"""From an empty table to two people and three foes, by taps that are counted."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

if TYPE_CHECKING:
    from tests.browser.conftest import Axe, People

TO_ADD = {
    "alien": ("Ripa", "Dallow", "Brekk"),
    "distemper": ("Ash", "Bell", "raider"),
    "d6": ("Vega", "Brandt", "gunner"),
}


@pytest.mark.parametrize("size", [(1280, 800), (360, 740)])
@pytest.mark.parametrize("system", TO_ADD)
def test_two_people_and_three_foes_are_five_taps(people: People, axe: Axe, system: str, size: tuple[int, int]) -> None:
    mo = people("Mo", viewport=size)
    made = mo.post("/api/v1/campaigns", name="Empty", system=system, master="Mo")
    page = mo.open(f"/table/{made['campaign']}/master/add")
    axe(page)
    first, second, foe = TO_ADD[system]
    for taps, name in enumerate((first, second, foe, foe, foe), 1):
        page.get_by_role("button", name=f"Add {name}", exact=True).first.click()
        expect(page.locator(".present li")).to_have_count(taps)
    axe(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
    expect(page.locator(".present")).to_contain_text(f"{foe} 3")
    page.locator(".present a").first.click()
    expect(page.get_by_role("heading", name="In play")).to_be_visible()
    axe(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
