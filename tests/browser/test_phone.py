"""A fight on a phone: the decision stands in the window at every moment, and nothing moves under the thumb."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

import pytest
from playwright.sync_api import Locator, Page, expect
from tests.browser.tables import Seated, begun, caught_up, joined, roadblock

if TYPE_CHECKING:
    from tests.browser.conftest import Axe, People

PHONE: Final = (360, 740)
PRESSES: Final = 10
MOST_SHIFT: Final = 0.1
TAKEN: Final = re.compile(r"/(act|answers?)$")
WATCH: Final = """(() => {
    window.shifted = 0;
    const add = (list) => {
        for (const each of list.getEntries()) if (!each.hadRecentInput) window.shifted += each.value;
    };
    new PerformanceObserver(add).observe({ type: "layout-shift", buffered: true });
})()"""


def to_press(page: Page) -> Locator:
    """The button of a turn, or else the last answer, which declines what is offered."""
    mine = ".ask:not(.others, .aftermath, .request)"
    turn = page.locator(f"{mine} .go").locator("visible=true")
    return turn.first if turn.count() else page.locator(f"{mine} :is(.option, .go)").locator("visible=true").last


def press(mo: Seated) -> None:
    """Press what stands in the window; the table takes it, and the page shows what came of it."""
    button = to_press(mo.page)
    expect(button).to_be_in_viewport()
    with mo.page.expect_response(TAKEN) as taken:
        button.click()
    assert taken.value.ok
    caught_up(mo)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("system", "sample"),
    [("yearzero", "roadblock"), ("d6", "loading-dock"), ("distemper", "roadblock"), ("dime", "ambush")],
)
def test_a_fight_on_a_phone_stays_where_it_is(people: People, system: str, sample: str) -> None:
    mo = begun(people("Mo", viewport=PHONE), system, sample)
    mo.page.add_init_script(WATCH)
    page = mo.open()
    for _ in range(PRESSES):
        press(mo)
    assert page.evaluate("document.documentElement.scrollHeight") <= PHONE[1]
    assert page.evaluate("shifted") < MOST_SHIFT


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_one_button_answers_for_everyone_before_the_first_turn(people: People, axe: Axe, scheme: Any) -> None:
    mo = begun(people("Mo", viewport=PHONE, scheme=scheme), "d6", "loading-dock")
    page = mo.open()
    card = page.locator(".ask.together")
    expect(card).to_be_visible()
    axe(page)
    card.get_by_role("button", name="Go on").click()
    expect(page.locator(".ask.turning .go").first).to_be_visible()


def test_a_tap_counts_while_figures_are_still_on_their_way(people: People) -> None:
    mo = begun(people("Mo", viewport=PHONE), "d6", "loading-dock")
    mo.page.route("**/ask?question=*", lambda route: None)
    page = mo.open()
    page.locator(".ask.together").get_by_role("button", name="Go on").click()
    expect(page.locator(".ask.together")).to_have_count(0, timeout=20_000)


def test_the_table_is_never_a_blank_page(people: People, axe: Axe) -> None:
    mo = begun(people("Mo"), "alien", "derelict")
    anna = joined(mo, people("Anna", viewport=PHONE), "Ripa")
    page = anna.open()
    expect(page.locator(".first-lines .p:not(.pending)")).to_have_count(5)
    axe(page)
    page.locator(".first-lines button").first.click()
    expect(page.locator("#story .die").first).to_be_visible()


def test_every_page_of_a_table_has_the_tabs_and_talk(people: People, axe: Axe) -> None:
    mo = begun(people("Mo", viewport=PHONE), "yearzero", "roadblock")
    page = mo.page
    for rest in ("/things", "/notes", "/rules", "/history", "/sheet/Juno"):
        mo.open(rest)
        expect(page.locator(".tabs a")).to_have_count(5)
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE[0]
    axe(page)
    page.locator(".talk-around summary").click()
    page.locator("#talk").fill("I look first.")
    page.locator(".talk button").click()
    page.locator(".tabs").get_by_role("link", name="Story").click()
    mo.sees("I look first.")


def test_the_story_has_a_page_of_its_own_as_wide_as_the_phone(people: People) -> None:
    mo = begun(people("Mo"), "alien", "derelict")
    ripa = joined(mo, people("Anna", viewport=PHONE), "Ripa")
    page = ripa.open()
    page.locator("a[data-tab]", has_text="Story").first.click()
    piece = page.locator("#story .piece").last
    expect(piece).to_be_visible()
    box = piece.bounding_box()
    assert box is not None
    assert box["width"] > PHONE[0] * 0.8


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_turn_on_a_phone_is_a_sentence_whose_words_open(people: People, axe: Axe, scheme: Any) -> None:
    _, anna = roadblock(people, viewport=PHONE, scheme=scheme)
    page = anna.open()
    hand, go = page.locator(".hand"), anna.asked.locator(".go").locator("visible=true")
    expect(hand.locator(".hand-word")).to_have_text(["Attack", "raider", "rifle"])
    expect(hand.locator(".hand-odds .p")).to_contain_text("%")
    expect(page.locator("label.how").locator("visible=true")).to_have_count(0)
    axe(page)

    hand.get_by_role("button", name="raider").click()
    page.locator("label.target", has_text="lookout").locator("visible=true").click()
    expect(hand.locator(".hand-word")).to_have_text(["Attack", "lookout", "rifle"])
    expect(page.locator("label.target").locator("visible=true")).to_have_count(0)
    expect(go).to_contain_text("Attack: lookout, rifle")

    hand.get_by_role("button", name="Attack").click()
    axe(page)
    page.locator("label.how", has_text="Aim").locator("visible=true").click()
    expect(hand.locator(".hand-word").first).to_have_text("Aim")

    hand.locator(".hand-other", has_text="Take Cover").click()
    expect(hand.locator(".hand-word").first).to_have_text("Take Cover")
    hand.get_by_role("button", name="All ").click()
    expect(page.locator("label.how", has_text="Take Cover").locator("visible=true")).to_have_count(1)
    page.locator("label.kind", has_text="Attack").click()
    page.locator("label.how", has_text="Attack").locator("visible=true").first.click()
    go.first.click()
    anna.sees("Ash attacks lookout with the rifle.")
