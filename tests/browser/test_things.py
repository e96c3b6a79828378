"""Things in a browser: given with two taps, passed on at the table, taken from the fallen."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect
from tests.browser.tables import begun, joined

if TYPE_CHECKING:
    from tests.browser.conftest import Axe, People


@pytest.mark.parametrize("size", [(1280, 800), (360, 740)])
def test_the_game_master_gives_with_two_taps_and_everybody_is_told(
    people: People, axe: Axe, size: tuple[int, int]
) -> None:
    mo = begun(people("Mo", viewport=size), "distemper", "market")
    anna = joined(mo, people("Anna", viewport=size), "Ash")
    anna.open()
    page = mo.open("/things")
    page.get_by_label("For").select_option("Ash")
    page.get_by_role("button", name="Give pistol").click()
    expect(page.get_by_role("status").filter(has_text="Ash gets pistol.")).to_be_visible()
    expect(page.get_by_label("For")).to_have_value("Ash")
    assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
    axe(page)
    expect(anna.page.locator("#story")).to_contain_text("Ash gets the pistol.")


def test_a_player_passes_a_thing_on_without_leaving_the_table(people: People, axe: Axe) -> None:
    mo = begun(people("Mo"), "distemper", "market")
    anna = joined(mo, people("Anna"), "Ash")
    mo.user.post(f"{mo.api}/edits", name="Ash", changes={"items": [{"name": "axe"}, {"name": "rope"}]})
    page = anna.open()
    page.locator("#things-own > summary").press("Enter")
    card = page.locator("#things-own .item").filter(has_text="axe")
    card.locator("summary").press("Enter")
    card.locator("select").select_option("Bell")
    axe(page)
    card.get_by_role("button", name="Give", exact=True).press("Enter")
    expect(page.locator("#story")).to_contain_text("Ash gives Bell the axe.")
    expect(page.locator("#things-own .item")).to_have_count(1)
    expect(page.locator("#things-own")).to_have_attribute("open", "")
    page.locator("#things-own").get_by_role("button", name="Drop rope").click()
    expect(page.locator("#things-own .item .chip")).to_have_text("on the ground")


def test_a_refusal_stands_beside_the_thing(people: People) -> None:
    mo = begun(people("Mo"), "distemper", "roadblock")
    anna = joined(mo, people("Anna"), "Ash")
    anna.user.allow("status of 409")
    page = anna.open("/sheet/Ash")
    page.locator(".carried .item").first.get_by_role("button", name="Drop").click()
    expect(page.locator(".carried .item").first.locator(".problem-here")).to_contain_text("Ash is in the fight")


def test_the_fallen_are_looted_at_the_table(people: People, axe: Axe) -> None:
    mo = begun(people("Mo", viewport=(360, 740)), "distemper", "market")
    anna = joined(mo, people("Anna", viewport=(360, 740)), "Ash")
    things = [{"name": "axe"}, {"name": "rope"}]
    mo.user.post(f"{mo.api}/edits", name="Bell", changes={"dead": True, "items": things})
    page = anna.open()
    page.locator('.tabs a[data-tab="sheet"]').click()
    page.locator("#things-left > summary").click()
    axe(page)
    page.locator("#things-left").get_by_role("button", name="Take everything").click()
    expect(page.locator("#things-left")).to_have_count(0)
    expect(page.locator("#things-own > summary")).to_contain_text("What Ash has")
    mo.open()
    expect(mo.page.locator("#story")).to_contain_text("Ash takes the axe and the rope from Bell.")
