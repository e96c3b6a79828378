"""Every system as people see it: a fight and a character in the making, on a phone in the dark and on a wide screen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

import pytest
from playwright.sync_api import expect
from tests.browser.tables import begun, joined
from tests.browser.test_fight import PHONE, no_sideways

if TYPE_CHECKING:
    from tests.browser.conftest import Axe, People

    Scheme = Literal["light", "dark"]

SCREENS = [
    pytest.param(PHONE, "dark", id="phone"),
    pytest.param((1280, 800), "light", id="wide", marks=pytest.mark.slow),
]


HEIGHTS = (
    "found => found.map(each => [each.innerText, each.getBoundingClientRect().height]).filter(each => each[1] < 36)"
)
"""What is lower than a fingertip."""


class Played(NamedTuple):
    """A sample, whom Anna plays in it, and what she sees of it first."""

    system: str
    sample: str
    who: tuple[str, ...]
    sees: str


PLAYED = (
    Played("alien", "derelict", ("Ripa",), "Ripa"),
    Played("distemper", "roadblock", ("Ash",), "Spend Insight before everyone rolls initiative?"),
    Played("dime", "ambush", ("Rourke",), "Rourke, 3 AP left"),
    Played("dime", "rooftops", ("Lucie", "Anton"), "Neck and neck"),
    Played("dime", "noon", ("Delia",), "How do you stare them down?"),
    Played("yearzero", "roadblock", ("Juno", "Okonkwo"), "Okonkwo, it is your turn"),
    Played("d6", "loading-dock", ("Mara",), "Spend a Character Point on initiative?"),
    Played("d6", "barricade", ("Ines",), "What does the unit plan?"),
    Played("d6", "ford", ("Oda", "Tibor"), "Attackers"),
)


@pytest.mark.parametrize("played", PLAYED, ids=lambda each: f"{each.system}-{each.sample}")
@pytest.mark.parametrize(("size", "scheme"), SCREENS)
def test_a_table_of_every_system_hinders_nobody(
    people: People, axe: Axe, played: Played, size: tuple[int, int], scheme: Scheme
) -> None:
    mo = begun(people("Mo"), played.system, played.sample)
    anna = joined(mo, people("Anna", viewport=size, scheme=scheme), *played.who)
    page = anna.open()
    expect(page.locator("body")).to_contain_text(played.sees)
    axe(page)
    no_sideways(anna)
    small = page.locator("main button:visible, main summary:visible, main select:visible").evaluate_all(HEIGHTS)
    assert size != PHONE or not small, "too small to tap"


@pytest.mark.parametrize("system", ["alien", "distemper", "dime", "d6"])
@pytest.mark.parametrize(("size", "scheme"), SCREENS)
def test_a_character_of_every_system_is_built_on_a_phone_or_not(
    people: People, axe: Axe, system: str, size: tuple[int, int], scheme: Scheme
) -> None:
    """The first two steps; then the rest by chance, which leaves only the name."""
    sample = {"alien": "derelict", "distemper": "market", "dime": "saloon", "d6": "warehouse"}[system]
    anna = joined(begun(people("Mo"), system, sample), people("Anna", viewport=size, scheme=scheme))
    draft = anna.user.post(f"{anna.api}/drafts", answers={})["draft"]
    page = anna.open(f"/drafts/{draft}")
    for _ in range(2):
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        axe(page)
        no_sideways(anna)
        page.locator(".foot .first").click()
    page.locator("#fill-all").click()
    expect(page.locator(".todo")).to_have_text("Name: write something")
    no_sideways(anna)


def test_a_long_list_is_narrowed_to_what_is_typed(people: People) -> None:
    anna = joined(begun(people("Mo"), "d6", "warehouse"), people("Anna", viewport=PHONE))
    draft = anna.user.post(f"{anna.api}/drafts", answers={})["draft"]
    page = anna.open(f"/drafts/{draft}?step=skills")
    page.locator('[data-find="rows-skills"]').fill("climb")
    rows = page.locator('[data-rows="rows-skills"] .level-row:visible')
    expect(rows).to_have_count(1)
    more = page.get_by_role("button", name="Climbing, one more")
    more.click()
    expect(page.locator(".so-far-rows", has_text="Climbing")).to_contain_text("1")
    expect(more).to_be_visible()


def test_a_year_zero_turn_is_taken_on_a_phone(people: People) -> None:
    anna = joined(begun(people("Mo"), "yearzero", "roadblock"), people("Anna", viewport=PHONE), "Juno", "Okonkwo")
    page = anna.open()
    page.locator(".hand").get_by_role("button", name="All ").click()
    page.keyboard.press("3")
    expect(page.locator("label[for=how-end-go]")).to_be_visible()
    page.keyboard.press("1")
    tabs = page.locator(".tabs").bounding_box()
    tackle = page.locator("label[for=how-tackle]")
    expect(tackle).to_be_hidden()
    page.locator("label[for=more-hows-1]").click()
    tackle.click()
    expect(page.locator("label[for=how-charge]")).to_be_hidden()
    for key, says in (("tackle", "Tackle: Rusk"), ("shoot", "Shoot or throw: Rusk")):
        page.locator(f"label[for=how-{key}]").click()
        go = page.locator(f"#act-{key}").get_by_role("button", name=says)
        box = go.bounding_box()
        assert page.evaluate("scrollY") == 0
        assert box is not None
        assert tabs is not None
        assert box["y"] + box["height"] <= tabs["y"], "the button is in the window"
    page.locator("#act-shoot").get_by_role("button", name="Shoot or throw: Rusk").click()
    anna.sees("shoots at Rusk with the hunting rifle.")
    no_sideways(anna)


def test_a_year_zero_fight_passes_from_one_to_the_next_by_itself(people: People) -> None:
    """Two fast actions are a go: then it is the turn of the next, and nobody had to say so."""
    mo = begun(people("Mo"), "yearzero", "roadblock")
    anna = joined(mo, people("Anna"), "Juno", "Okonkwo")
    page = anna.open()
    mo.open()
    expect(page.locator("#turn")).to_contain_text("Okonkwo, it is your turn")
    for kind, key, told in (
        ("3", "keep-moving", "keeps moving."),
        ("2", "hit-the-dirt", "drops to the ground."),
        ("3", "stand-up", "stands up."),
    ):
        page.keyboard.press(kind)
        page.locator(f"label[for=how-{key}]").click()
        page.locator(f"#form-{key} button.go").click()
        anna.sees(told)
    expect(mo.page.locator("#turn")).to_contain_text("Rusk, it is your turn")
    expect(page.locator("#turn")).not_to_contain_text("it is your turn")


def test_a_general_who_falls_is_followed_in_one_tap(people: People) -> None:
    mo = begun(people("Mo"), "d6", "ford")
    mo.user.post(f"{mo.api}/edits", name="Count Emeric", changes={"unconscious": {"cause": "a blow"}})
    page = mo.open()
    for who in ("Captain Wolf", "Oda", "Tibor"):
        expect(mo.asked).to_contain_text(who)
        mo.answer("Support")
    expect(mo.asked).to_contain_text("Who takes over the command of the defenders?")
    mo.answer("Tibor")
    mo.sees("Tibor commands the defenders now.")
    expect(page.locator(".race")).to_contain_text("general")
