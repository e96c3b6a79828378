"""A long list of things to do: found by typing, opened one by one, each with a form of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from playwright.sync_api import expect
from tests.browser.tables import begun, joined
from tests.browser.test_fight import PHONE, no_sideways

if TYPE_CHECKING:
    from tests.browser.conftest import Axe, People


def test_what_to_craft_is_found_and_its_form_comes_when_it_is_opened(people: People, axe: Axe) -> None:
    anna = joined(begun(people("Mo"), "yearzero", "workshop"), people("Anna", viewport=PHONE), "Inga")
    page = anna.open()
    page.locator("a[data-tab]", has_text="Sheet").first.click()
    kind = page.locator("details.act-kind:has(> .acts > #acts-craft)")
    if kind.count():
        kind.locator("> summary").click()
    page.locator("#acts-craft > summary").click()
    page.locator("#find-craft").fill("barrel")
    rows = page.locator('[data-rows="options-craft"] .level-row:visible')
    expect(rows).to_have_count(1)
    rows.first.locator("summary").click()
    form = page.locator("#form-craft-barrel")
    expect(form.locator('[name="arg-by"]').first).to_be_attached()
    expect(form.locator('[name="arg-make"]')).to_have_count(0)
    axe(page)
    no_sideways(anna)
    form.get_by_role("button", name="Barrel").click()
    anna.sees("works on an item (Builder): barrel.")


def test_whoever_says_what_they_want_finds_it_in_whatever_group_it_stands(people: People, axe: Axe) -> None:
    anna = joined(begun(people("Mo"), "d6", "embassy"), people("Anna", viewport=PHONE), "ambassador")
    page = anna.open()
    page.locator("a[data-tab]", has_text="Sheet").first.click()
    acts = page.locator("[data-acts] details.act:visible")
    page.locator("#find-acts").fill("climb the wall")
    expect(acts).to_have_count(1)
    expect(acts.first).to_contain_text("Climbing 2D+1")
    axe(page)
    no_sideways(anna)
    page.locator("#find-acts").fill("sell the watch")
    expect(acts.first).to_contain_text("Bargain as the seller")
    page.locator("#find-acts").fill("zzzz")
    expect(page.get_by_text("Nothing fits these words.")).to_be_visible()
    page.locator("#find-acts").fill("")
    expect(acts).to_have_count(0)
