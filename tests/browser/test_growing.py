"""A character grows in the browser: what can be bought, before and after in chances, a plan, and its confirmation."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import Page, expect
from tests.browser.tables import Seated, joined

if TYPE_CHECKING:
    from tests.browser.conftest import Axe, People, User

PICTURES = os.environ.get("PICTURES", "")
SHEET = {
    "attributes": {"Agility": "3D+1", "Perception": "3D+1", "Coordination": "3D"},
    "skills": {"Search": "3D+1", "Firearms": "4D+2", "Dodge": "3D+2", "Stealth": "3D", "Sleight of Hand": "3D+1"},
    "specializations": {"Lock picking::safes": "3D+2"},
    "character_points": 14,
    "veteran_points": 31,
    "practised": {"Search": 2},
    "free_days": 9,
}
OTTO = {"player": False, "skills": {"Firearms": "6D", "Teaching": "4D"}}


def seated(mo: User, anna: User) -> Seated:
    made = mo.post(
        "/api/v1/campaigns",
        name="Thursday nights",
        system="d6",
        scene={"Mara": SHEET, "Otto": OTTO},
        master=mo.name,
    )
    return joined(Seated(mo, made["campaign"]), anna, "Mara")


def look(page: Page, name: str, scheme: str) -> None:
    if PICTURES:
        page.wait_for_timeout(400)
        page.screenshot(path=str(Path(PICTURES) / f"{name}-{scheme}.png"))


@pytest.mark.parametrize(("viewport", "scheme"), [((1280, 800), "light"), ((360, 740), "dark")])
def test_a_plan_is_made_looked_at_and_confirmed(people: People, axe: Axe, viewport: Any, scheme: Any) -> None:
    """Mara plans Search, which she has used, and Firearms, which Otto teaches; nothing is spent before she confirms."""
    table = seated(people("Mo"), people("Anna", viewport=viewport, scheme=scheme))
    page = table.user.open(f"/table/{table.campaign}/drafts")
    page.get_by_role("button", name="Mara").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("What has Mara learned?")
    first = page.locator("#pair-skills-Search b")
    expect(first).to_have_text("26 %")
    look(page, f"grow-empty-{viewport[0]}", scheme)
    page.locator(".grow-rail a", has_text="Training").click()
    page.locator("#buy-teachers-Otto").click()
    expect(page.locator("#buy-teachers-Otto")).to_have_attribute("aria-pressed", "true")
    page.locator(".grow-rail a", has_text="Skills").first.click()
    page.get_by_role("button", name="Search: buy 3D+2 for 3").click()
    page.get_by_role("button", name="Firearms: buy 5D for 4").click()
    expect(page.locator(".plan-lines li")).to_have_count(2)
    expect(page.locator("#confirm")).to_contain_text("Train Search, then Firearms")
    expect(page.locator("#confirm")).to_contain_text("7 Character Points")
    expect(page.locator("#confirm")).to_contain_text("4 days")
    expect(page.locator("#pair-plan-Firearms b")).to_have_text("78 %")
    axe(page)
    look(page, f"grow-planned-{viewport[0]}", scheme)
    page.locator("#against").select_option("20")
    expect(page.locator("#pair-plan-Firearms b")).not_to_have_text("78 %")
    page.locator(".grow-rail a", has_text="Attributes").click()
    expect(page.locator("#row-attributes-Agility .why-not-now")).to_contain_text("takes 60 days, 5 free")
    look(page, f"grow-attributes-{viewport[0]}", scheme)
    page.locator(".grow-rail a", has_text="Training").click()
    look(page, f"grow-training-{viewport[0]}", scheme)
    axe(page)
    page.locator("#confirm").click()
    page.wait_for_url(f"**/table/{table.campaign}")
    sheet = table.user.context.request.get(table.api).json()["scene"]["Mara"]
    assert (sheet["character_points"], sheet["skills"]["Search"], sheet["training"][0]["days"]) == (7, "3D+2", 4)
