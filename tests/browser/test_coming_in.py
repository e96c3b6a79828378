"""From a code to the first legal action on a phone, counted in taps."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import Locator, expect
from tests.browser.tables import begun

if TYPE_CHECKING:
    from tests.browser.conftest import People

MOST_TAPS = 4


@pytest.mark.parametrize("javascript", [True, False], ids=["script", "plain"])
def test_from_code_to_the_first_action_on_a_phone_takes_at_most_four_taps(people: People, javascript: bool) -> None:
    mo = begun(people("Mo"), "alien", "derelict")
    code = mo.user.post(f"{mo.api}/invitations", stays=True)["code"]
    anna = people("Anna", viewport=(360, 740), javascript=javascript)
    page = anna.open(f"/join/{code}")
    taps = 0

    def tap(where: Locator) -> None:
        nonlocal taps
        where.click()
        taps += 1

    page.get_by_label("Your name").fill("Anna")
    tap(page.get_by_role("button", name="Take a seat"))
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    tap(page.get_by_role("button", name="Play Ripa"))
    expect(page.get_by_role("heading", name="Thursday nights")).to_be_visible()
    if javascript:
        tap(page.get_by_role("link", name="Sheet", exact=True))
    observation = page.locator(".skills button", has_text="Observation").first
    if javascript:
        tap(observation)
    else:
        with page.expect_navigation():
            tap(observation)
    expect(page.locator("#story")).to_contain_text("Observation")
    assert taps <= MOST_TAPS


def test_the_invitation_is_read_on_a_phone_and_changed_without_a_script(people: People) -> None:
    mo = begun(people("Mo", viewport=(360, 740), javascript=False), "distemper", "market")
    page = mo.open()
    page.locator("#invite > summary").click()
    page.get_by_role("button", name="Make a code").click()
    page.locator("#invite > summary").click()
    code = page.locator("#invite .code").inner_text()
    assert len(code.split("-")) == 5
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    page.get_by_role("button", name="Revoke this code").click()
    expect(page.locator("#invite .code")).to_have_count(0)
