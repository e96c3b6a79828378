"""What a decision is about, in the browser: whom it is aimed at, and what another may choose at the same time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pytest
from playwright.sync_api import expect
from tests.browser.tables import Seated, joined

if TYPE_CHECKING:
    from tests.browser.conftest import Axe, People, User

WIDE, PHONE = (1280, 800), (360, 740)
MELEE: Final[dict[str, Any]] = {
    "ana": {"attributes": {"Strength": 2}, "things": [{"name": "Machete", "place": "held"}]},
    "bo": {"attributes": {"Strength": 5}},
    "cy": {"attributes": {"Strength": 4, "Agility": 2}, "willpower": 2},
    "battle": {
        "kind": "Battle",
        "sides": [["ana"], ["bo", "cy"]],
        "initiative": {"ana": 40, "cy": 30, "bo": 20},
        "turn": "ana",
    },
}


DERRINGER: Final = {"name": "derringer", "skill": "guns", "held": True, "damage": {"spades": 3}}
DUEL: Final[dict[str, Any]] = {
    "ana": {"stats": {"Dexterity": 2, "Speed": 8}, "items": [DERRINGER]},
    "bo": {"player": False, "items": [DERRINGER]},
    "duel": {"kind": "Duel", "sides": [["ana"], ["bo"]], "phase": "opening shots"},
}


def seated(user: User, system: str, scene: dict[str, Any]) -> Seated:
    """Somebody runs a scene of their own."""
    made = user.post("/api/v1/campaigns", name="Thursday nights", system=system, scene=scene, master=user.name)
    return Seated(user, made["campaign"])


def no_sideways(table: Seated) -> None:
    width = table.page.viewport_size["width"] if table.page.viewport_size else 0
    assert table.page.evaluate("document.documentElement.scrollWidth") <= width


def test_an_attack_on_a_friend_does_not_say_that_oneself_is_hit(people: People) -> None:
    mo = seated(people("Mo"), "yearzero", MELEE)
    cara = joined(mo, people("Cara", viewport=PHONE), "cy")
    cara.open()
    mo.user.post(f"{mo.api}/actions", action="declare-actions", who="ana", arguments={"slow": 3, "fast": 0})
    slash = {"target": "bo", "weapon": "Machete", "mods": ["+9 luck"]}
    mo.user.post(f"{mo.api}/actions", action="slash", who="ana", arguments=slash)
    expect(cara.asked).to_contain_text("Defend your comrade?")
    expect(cara.asked).to_contain_text("for the other side")
    expect(cara.asked).not_to_contain_text("you are hit")
    no_sideways(cara)


@pytest.mark.parametrize("viewport", [WIDE, PHONE])
def test_an_answer_is_weighed_against_each_of_those_chosen_at_the_same_time(
    people: People, axe: Axe, viewport: tuple[int, int]
) -> None:
    mo = seated(people("Mo"), "dime", DUEL)
    dee = joined(mo, people("Dee", viewport=viewport), "ana")
    page = dee.open()
    expect(dee.asked).to_contain_text("Speed or safety?")
    against_safety = dee.asked.get_by_text("If the other one chooses “Safety: be able to react”:")
    expect(against_safety).to_have_count(2, timeout=20_000)
    axe(page)
    no_sideways(dee)
