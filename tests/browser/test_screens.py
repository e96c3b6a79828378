"""The game master's pages, the book, the odds and the history, as people use them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from playwright.sync_api import expect
from tests.browser.tables import begun, by_hand, change, derelict, enter_dice

if TYPE_CHECKING:
    from tests.browser.conftest import People


def test_somebody_is_invited_and_sits_down(people: People) -> None:
    mo = begun(people("Mo"), "alien", "derelict")
    page = mo.open("/master/seats")
    page.locator("#invitations").get_by_label("Ripa").check()
    page.get_by_role("button", name="Make an invitation").click()
    expect(page.locator(".invited")).to_contain_text("Only this computer can reach this table")
    link = str(page.locator(".invited a").get_attribute("href"))
    guest = people("Noor")
    guest.open("/join/" + link.rpartition("/")[2])
    guest.page.get_by_label("Your name").fill("Noor 🌙")
    guest.page.get_by_role("button", name="Take a seat").click()
    expect(guest.page.locator(".bar .role")).to_contain_text("you play Ripa")
    mo.open()
    expect(mo.page.locator("#roster")).to_contain_text("Noor 🌙")


def test_a_foe_waits_unseen_until_it_is_shown(people: People) -> None:
    mo, anna = derelict(people)
    page = mo.open("/master/person")
    page.get_by_label("Name").first.fill("Nightjar")
    page.get_by_label("Hidden until you show it to everyone").check()
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.get_by_text("Added, and hidden from the players.")).to_be_visible()
    mo.open()
    expect(mo.page.locator("#roster")).to_contain_text("Nightjar")
    assert "Nightjar" not in anna.page.content()
    assert "Nightjar" not in anna.open().content()
    mo.open("/master").get_by_role("button", name="Show Nightjar to everyone").click()
    expect(anna.page.locator("#roster")).to_contain_text("Nightjar")
    anna.sees("Nightjar appears.")


def test_a_throw_is_held_and_overruled(people: People) -> None:
    mo, anna = derelict(people)
    change(mo, "settings", throws={"*": "ask"})
    anna.roll("Observation")
    expect(mo.asked).to_contain_text("let it stand?")
    assert anna.story.locator(".die").count() == 0  # nothing has been told yet
    enter_dice(mo, "6 6 6 6 6 6 6", "2")
    mo.asked.get_by_role("button", name="Change the dice").click()
    expect(anna.story.locator(".die")).to_have_count(8)
    expect(anna.story.locator(".piece.of-dice")).to_contain_text("overruled")


def test_why_leads_to_the_rule_as_it_is_played_here(people: People) -> None:
    mo, anna = derelict(people)
    by_hand(anna)
    anna.roll("Observation")
    enter_dice(anna, "6 2 3 4 5 5 2", "4")
    anna.asked.get_by_role("button", name="Enter these dice").click()
    anna.answer("Let it stand")
    expect(anna.story.locator(".outcome.good")).to_have_count(1)
    anna.story.locator(".piece.of-act .why").first.click()
    expect(anna.page.get_by_role("heading", level=1)).to_contain_text("kill roll")
    expect(anna.page.get_by_text("Used in this campaign")).to_be_visible()
    expect(anna.page.locator("main")).to_contain_text("Ripa tries Observation.")
    assert mo.user.complaints == []


def test_the_book_is_searched_as_one_types(people: People) -> None:
    page = people("Mo").open("/rules")
    page.keyboard.press("/")
    page.keyboard.type("panic")
    expect(page.locator("main")).to_contain_text("rules found")
    expect(page).to_have_url(re.compile(r"q=panic"))
    page.locator("main a", has_text=re.compile("panic", re.IGNORECASE)).first.click()
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    page.go_back()
    expect(page.locator("main")).to_contain_text("rules found")


def test_odds_move_as_one_types_and_are_shared_by_their_address(people: People) -> None:
    mo = people("Mo")
    page = mo.open("/odds/alien?check=5b3s")
    expect(page.locator("main")).to_contain_text("61 %")
    page.get_by_label("A check of ALIEN, in short").fill("8b0s")
    expect(page.locator("main")).to_contain_text("77 %")
    expect(page).to_have_url(re.compile("8b0s"))
    again = people("Anna")
    expect(again.open(page.url.removeprefix(mo.server.address)).locator("main")).to_contain_text("77 %")


def test_an_evening_is_replayed_by_keys_and_forked(people: People) -> None:
    mo, anna = derelict(people)
    for text in ("One.", "Two.", "Three."):
        mo.user.post(f"{mo.api}/notes", text=text)
    page = mo.open("/history/3")
    expect(page.locator("main")).to_contain_text("One.")
    page.keyboard.press("ArrowRight")
    expect(page).to_have_url(re.compile(r"/history/4$"))
    page.keyboard.press("Home")
    expect(page).to_have_url(re.compile(r"/history/\d$"))
    anna.user.post(f"{anna.api}/actions", action="skill-roll", who="Ripa", arguments={"skill": "Stamina"})
    acted = next(
        item["id"] for item in mo.user.context.request.get(f"{mo.api}/log").json()["items"] if item["kind"] == "began"
    )
    page = mo.open(f"/history/{acted}")
    page.get_by_role("button", name="Open the variant").click()
    expect(page.locator("#story")).not_to_contain_text("Ripa tries Stamina.")
    assert mo.campaign not in page.url
