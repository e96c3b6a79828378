"""Zones and cards in the browser: a fight with a phone at the table, played by taps; the map drawn by dragging."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import Locator, expect
from tests.browser.tables import Seated, begun, joined, opened

if TYPE_CHECKING:
    from tests.browser.conftest import Axe, People

PHONE = (360, 740)
HANDS = {
    "Ada": ("3 of hearts", "10 of spades", "king of diamonds", "7 of clubs", "2 of diamonds"),
    "Rourke": ("queen of clubs", "8 of clubs", "ace of spades", "5 of diamonds", "9 of hearts"),
    "Silas Crow": ("jack of spades", "9 of spades", "4 of hearts"),
}


def zone(seated: Seated, name: str) -> Locator:
    return seated.page.locator(f".zone[data-zone='{name}']")


def pick(seated: Seated, kind: str, how: str, whom: str = "") -> None:
    """Choose a kind of action, how, and at whom, and confirm it."""
    ask = seated.page.locator(".ask.turning")
    opened(seated, "how")
    ask.locator("label.kind", has_text=kind).click()
    ask.locator("label.how", has_text=how).locator("visible=true").first.click()
    if whom:
        opened(seated, "whom")
        ask.locator("label.target", has_text=whom).locator("visible=true").first.click()
    ask.locator(".go").locator("visible=true").first.click()


def tap(seated: Seated, card: str) -> None:
    """Tap a card of the hand, or the deck, and confirm it."""
    dock = seated.page.locator("#dock .card-ask")
    dock.locator(".held", has=seated.page.get_by_role("img", name=card) if card else dock.locator(".under")).click()
    dock.locator(".go").click()


def settle(seated: Seated, master: Seated) -> None:
    """Let cards stand and stacks count until the turn goes on."""
    for _ in range(12):
        asked = {each["key"]: each for each in _questions(seated)} | {each["key"]: each for each in _questions(master)}
        if not asked or any(key.endswith(("turn-action", "next-turn")) for key in asked):
            return
        key, question = next(iter(asked.items()))
        options = question["options"]
        by = seated if key.startswith("Rourke") else master
        by.user.post(f"{by.api}/answers", question=key, answer="no" if "no" in options else options[-1])


def _questions(seated: Seated) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = seated.user.context.request.get(f"{seated.api}/questions").json()["questions"]
    return found


def no_sideways(seated: Seated) -> None:
    width = seated.page.viewport_size["width"] if seated.page.viewport_size else 0
    assert seated.page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.slow
def test_a_fight_on_zones_is_played_with_one_of_two_on_a_phone(people: People, axe: Axe) -> None:
    mo = begun(people("Mo", scheme="dark"), "dime", "ambush")
    anna = joined(mo, people("Anna", viewport=PHONE), "Rourke")
    mo.open()
    anna.open()

    for seated in (mo, anna):
        expect(zone(seated, "Road")).to_contain_text("Rourke")
        expect(zone(seated, "Ford")).to_contain_text("1 away")
        expect(zone(seated, "Far bank")).to_contain_text("2 away")
        expect(seated.page.locator(".turn[aria-current]")).to_contain_text("Rourke")
        no_sideways(seated)
    page = anna.page.content()
    assert all(each in page for each in HANDS["Rourke"])
    assert not any(each in page for each in HANDS["Ada"] + HANDS["Silas Crow"])

    pick(anna, "Move", "Move", "Ford")
    for seated in (mo, anna):
        expect(zone(seated, "Ford")).to_contain_text("Rourke")
        expect(seated.page.locator(".turn[aria-current] .dots")).to_have_attribute("aria-label", "2 of 3 actions left")
    anna.sees("moves to the zone Ford.")

    pick(anna, "Attack", "Attack", "Thug")
    anna.sees("attacks Thug with the")
    mo.asked.get_by_role("button", name="Take it as it comes").click()
    axe(anna.page)
    tap(anna, "9 of hearts")
    mo.sees("plays the 9 of hearts from hand.")
    expect(anna.page.locator(".flip .stack .pcard").first).to_be_visible()
    settle(anna, mo)
    expect(anna.page.locator(".flip .stack.counts")).to_contain_text("9")
    expect(anna.page.locator("#dock .held")).to_have_count(4)
    expect(mo.page.locator(".turn", has_text="Rourke").locator(".of-hand b")).to_have_text("4")

    zone(mo, "Ford").locator(".man", has_text="Thug").drag_to(zone(mo, "Far bank"))
    expect(zone(anna, "Far bank")).to_contain_text("Thug")
    pick(anna, "Other", "End the turn")
    anna.asked.get_by_role("button", name="Gunner").click()
    mo.sees("hands the turn to Gunner.")
    expect(anna.page.locator(".turn[aria-current]")).to_contain_text("Gunner")
    expect(anna.page.locator(".turn", has_text="Rourke")).to_contain_text("done")
    axe(mo.page)
    no_sideways(anna)


@pytest.mark.slow
def test_the_map_is_drawn_without_a_script(people: People) -> None:
    mo = begun(people("Mo", javascript=False), "dime", "ambush")
    page = mo.open()
    page.locator("summary", has_text="Edit the map").click()
    form = page.locator(".map-form")
    form.locator("[name=zone-99]").fill("Loft")
    form.locator("[name=features-99]").fill("dark, cramped")
    form.get_by_role("button", name="Save the map").click()
    expect(zone(mo, "Loft")).to_contain_text("out of sight")
    page.locator("summary", has_text="Edit the map").click()
    row = page.locator(".map-form .border-row").last
    row.locator("[name=one-99]").select_option("Wagon")
    row.locator("[name=other-99]").select_option("Loft")
    row.locator("[name=says-99]").fill("a ladder")
    page.get_by_role("button", name="Save the map").click()
    expect(zone(mo, "Loft")).to_contain_text("2 away")
    page.locator("summary", has_text="Edit the map").click()
    place = page.locator("form", has=page.locator("input[value='Thug']")).first
    place.locator("select").select_option("Loft")
    place.get_by_role("button", name="Place").click()
    expect(zone(mo, "Loft")).to_contain_text("Thug")
    expect(zone(mo, "Ford")).not_to_contain_text("Thug")
