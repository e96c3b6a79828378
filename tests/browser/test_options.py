"""Options in a browser: a game master chooses one, and a player's sheet and actions change while they look."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect
from tests.browser.tables import begun, joined

if TYPE_CHECKING:
    from tests.browser.conftest import Axe, People, Serve

SYSTEMS = Path(__file__).parent.parent / "table" / "systems"


def test_an_option_is_chosen_and_what_depends_on_it_appears(
    people: People, serve: Serve, axe: Axe, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(SYSTEMS))
    server = serve()
    mo = begun(people("Mo", at=server, viewport=(360, 740)), "fair", "meadow")
    anna = joined(mo, people("Anna", at=server), "ana")
    sheet = anna.open("/sheet/ana")
    expect(sheet.locator("body")).not_to_contain_text("Luck left")
    anna.open()
    expect(anna.page.locator("body")).not_to_contain_text("Push your luck")

    rules = mo.open("/master/rules")
    axe(rules)
    assert rules.evaluate("document.documentElement.scrollWidth") <= 360
    rules.get_by_role("listitem").filter(has_text="Luck luck").get_by_role("button", name="Turn it on").first.click()
    expect(rules.get_by_text("Turn it off")).to_be_visible()
    expect(anna.page.locator("body")).to_contain_text("Push your luck")

    rules.get_by_label("The oldest.").check()
    order = rules.get_by_role("listitem").filter(has=rules.get_by_label("The oldest."))
    order.get_by_role("button", name="Apply from now on").click()
    expect(rules.locator("#changed + *")).to_contain_text("The oldest.")
    expect(rules.get_by_label("The oldest.")).to_be_checked()

    mo.user.allow("409")
    doom = rules.get_by_role("listitem").filter(has_text="Nobody has any luck at all.")
    doom.get_by_role("button", name="Turn it on").click()
    expect(doom).to_contain_text("fair.luck.doom and fair.luck.luck cannot be used together")
    sheet = anna.open("/sheet/ana")
    expect(sheet.locator("body")).to_contain_text("Luck left")
    expect(sheet.locator("body")).to_contain_text("Steps closer")
