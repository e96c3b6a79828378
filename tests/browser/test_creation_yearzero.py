"""Somebody builds a Year Zero character from nothing at a table that was empty, wide and on a phone."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest
from playwright.sync_api import Page, expect
from tests.browser.conftest import check_access
from tests.browser.own_table import Walk

if TYPE_CHECKING:
    from tests.browser.conftest import People, Serve

SIZES: Final = {"wide": (1280, 800), "phone": (360, 740)}
PICTURES: Final = os.environ.get("PICTURES", "")
"""A folder for pictures of every step."""


def press(page: Page, name: str | re.Pattern[str], exact: bool = True) -> None:
    page.get_by_role("button", name=name, exact=exact).first.click()


def more(page: Page, name: str, times: int) -> None:
    for _ in range(times):
        press(page, re.compile(f"^{name}, one more"), exact=False)


def go_on(page: Page, heading: str) -> None:
    page.locator(".foot-end .first").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(heading)


@pytest.mark.slow
@pytest.mark.parametrize("size", SIZES)
def test_a_character_from_nothing_to_the_table(people: People, serve: Serve, size: str) -> None:
    user = people("Mo", at=serve(DEMO="no"), viewport=SIZES[size])
    walk = Walk(user, "yearzero")
    walk.open_table()
    page = user.page

    def looked(name: str) -> None:
        if PICTURES:
            user.allow("Applying inline style")  # whoever takes the picture hides the caret with one
            page.screenshot(path=Path(PICTURES) / f"{size}-{name}.png", full_page=True)
        assert page.evaluate("document.documentElement.scrollWidth") <= SIZES[size][0]

    page.goto(f"{page.url.rstrip('/')}/drafts")
    press(page, "Start")
    looked("1-age")
    press(page, re.compile("^Adult"), exact=False)
    go_on(page, "What are you made of?")
    more(page, "Strength", 2)
    expect(page.locator(".purse").first).to_contain_text("0of 2 selections left")
    looked("2-attributes")
    press(page, "Fill")
    go_on(page, "What have you learned?")
    more(page, "Melee", 3)
    looked("3-skills")
    press(page, "Fill")
    go_on(page, "What are you best at?")
    looked("4-specialties")
    press(page, "Fill")
    go_on(page, "What is special about you?")
    looked("5-talents")
    press(page, "Fill")
    go_on(page, "What drives you, and who matters to you?")
    page.get_by_role("textbox", name="Pride").fill("Nobody is left behind")
    page.get_by_role("textbox", name="Dark Secret").fill("I was one of the raiders")
    looked("6-person")
    go_on(page, "Where do you stand in the world?")
    press(page, re.compile("^Lower Class"), exact=False)
    press(page, re.compile("^Roll"), exact=False)
    expect(page.get_by_text("These dice are kept.")).to_be_visible()
    more(page, "Regional Justice", 1)
    looked("7-standing")
    go_on(page, "What do you carry?")
    looked("8-gear")
    press(page, re.compile("^Machete"), exact=False)
    go_on(page, "What do others see?")
    page.get_by_role("textbox", name="Name").fill("Tam")
    looked("9-name")
    press(page, "Finish")
    expect(page).to_have_url(re.compile(r"/tables/[^/]+$|/t/[^/]+$|/[^/]+/[^/]+$"))
    expect(page.locator("body")).to_contain_text("Tam joins the story")
    looked("10-table")
    check_access(page)
