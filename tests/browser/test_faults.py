"""What broke at a table once, in a real browser: lost clicks, boxes for dice, screens wider than a phone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import Page, expect
from tests.browser.tables import Seated, begun, by_hand, derelict, enter_dice, joined

if TYPE_CHECKING:
    from tests.browser.conftest import Axe, People, Serve


def is_in_sight(page: Page, selector: str) -> bool:
    """Whether all of an element is within the window, without scrolling."""
    return bool(
        page.evaluate(
            """(selector) => {
                const box = document.querySelector(selector).getBoundingClientRect();
                return box.height > 0 && box.top >= 0 && box.bottom <= innerHeight && box.right <= innerWidth;
            }""",
            selector,
        )
    )


def asked_to_push(people: People, serve: Serve) -> tuple[Seated, Seated]:
    """Anna is asked whether to push, at a server that can be stopped."""
    mo, anna = derelict(people, serve(DEMO="no"))
    for each in (mo, anna):
        each.user.allow_outage()
    by_hand(anna)
    anna.roll("Observation")
    enter_dice(anna, "2 2 3 4 5 5 2", "4")
    anna.asked.get_by_role("button", name="Enter these dice").click()
    expect(anna.asked).to_contain_text("Push the roll?")
    return mo, anna


@pytest.mark.slow
def test_a_click_while_the_server_is_down_is_kept_said_and_sent_once(people: People, serve: Serve) -> None:
    mo, anna = asked_to_push(people, serve)
    page, server = anna.page, anna.user.server
    for number in range(12):  # the page is long, and its end is looked at
        mo.page.locator("#talk").fill(f"line {number}")
        mo.page.locator("#talk").press("Enter")
        anna.sees(f"line {number}")
    server.stop()
    expect(page.locator(".offline")).to_contain_text("The connection to the table is lost.")
    assert is_in_sight(page, ".offline")
    anna.answer("Let it stand")
    expect(page.locator(".offline")).to_contain_text("“Let it stand” was not sent")
    expect(page.locator(".offline")).to_contain_text("It will be sent once the connection is back.")
    assert is_in_sight(page, ".offline")
    server.start()
    expect(page.locator(".offline")).to_be_hidden()
    expect(anna.story.locator(".outcome")).to_have_count(1)
    assert anna.asked.count() == 0


@pytest.mark.slow
def test_a_kept_click_can_be_dropped(people: People, serve: Serve) -> None:
    _, anna = asked_to_push(people, serve)
    anna.user.server.stop()
    expect(anna.page.locator(".offline")).to_be_visible()
    anna.answer("Let it stand")
    anna.page.get_by_role("button", name="Do not send it").click()
    expect(anna.page.locator(".offline")).to_contain_text("The connection to the table is lost.")
    anna.user.server.start()
    expect(anna.page.locator(".offline")).to_be_hidden()
    expect(anna.asked).to_contain_text("Push the roll?")


def test_a_kept_click_is_no_answer_to_a_later_question(people: People, serve: Serve) -> None:
    mo, anna = asked_to_push(people, serve)
    anna.page.route("**/answer", lambda route: route.abort())  # only this way is cut
    anna.answer("Push")
    expect(anna.page.locator(".offline")).to_contain_text("“Push” was not sent")
    mo.page.locator(".ask summary").click()
    mo.page.locator(".ask").get_by_role("button", name="Let it stand").first.click()
    expect(anna.story.locator(".outcome")).to_have_count(1)
    anna.page.unroute("**/answer")
    anna.user.allow("status of 409", "ERR_FAILED")
    expect(anna.page.locator(".offline")).to_contain_text("because the table has moved on since")


@pytest.mark.parametrize("width", [390, 360])
def test_every_tab_of_a_fight_fits_a_phone(people: People, width: int, axe: Axe) -> None:
    mo = begun(people("Mo"), "distemper", "roadblock")
    anna = joined(mo, people("Anna", viewport=(width, 740)), "Ash")
    page = anna.open()
    for tab in ("Table", "Sheet", "Story"):
        page.locator(".tabs").get_by_text(tab, exact=True).click()
        assert page.evaluate("document.documentElement.scrollWidth") <= width, tab
        assert is_in_sight(page, ".tabs")
        assert page.evaluate("document.querySelector('#bar').getBoundingClientRect().right") <= width
    axe(page)


def test_real_dice_have_a_box_each_on_a_phone(people: People, axe: Axe) -> None:
    mo = begun(people("Mo"), "alien", "derelict")
    anna = joined(mo, people("Anna", viewport=(360, 740)), "Ripa")
    anna.open()
    by_hand(anna)
    mo.user.post(f"{mo.api}/actions", action="skill-roll", who="Ripa", arguments={"skill": "Observation"})
    boxes = anna.asked.locator(".boxes input")
    expect(boxes).to_have_count(8)
    assert {boxes.nth(at).get_attribute("inputmode") for at in range(8)} == {"numeric"}
    axe(anna.page)
    enter_dice(anna, "2 2 3 4 6 5 2", "4")
    anna.asked.get_by_role("button", name="Enter these dice").click()
    expect(anna.story.locator(".die")).to_have_count(8)


def test_dice_do_not_move_and_nothing_sounds_unless_somebody_wants_it(people: People) -> None:
    mo = begun(people("Mo", motion=True), "alien", "derelict")
    page = mo.open("?as=Ripa")
    boxes = page.locator(".liking input")
    expect(boxes).to_have_count(2)
    assert [boxes.nth(at).is_checked() for at in range(2)] == [False, False]
    moving = "getComputedStyle(document.querySelector('#story .die')).animationName"
    mo.roll("Observation")
    expect(page.locator("#story .die").first).to_be_visible()
    assert page.evaluate(moving) == "none"
    page.get_by_label("Animate the dice").check()
    page.reload()
    assert page.get_by_label("Animate the dice").is_checked()
    page.evaluate("document.querySelectorAll('#story .piece').forEach((each) => each.classList.add('fresh'))")
    assert page.evaluate(moving) == "land"


def test_help_stands_by_the_line_and_notes_are_written(people: People, axe: Axe) -> None:
    mo, anna = derelict(people)
    anna.page.locator("#talk").fill("/help")
    anna.page.locator("#talk").press("Enter")
    expect(anna.page.locator(".talk-help")).to_contain_text("/r 4d6kh3")
    axe(anna.page)
    anna.page.locator("#talk").fill("/r 4d6kh3")
    anna.page.locator("#talk").press("Enter")
    mo.sees("4d6kh3 = ")
    expect(anna.page.locator(".talk-help")).to_have_count(0)
    page = anna.open("/notes")
    form = page.locator("form", has=page.get_by_role("button", name="Save"))
    form.get_by_label("Title").fill("The key")
    form.get_by_label("Text").fill("Ripa has it.")
    form.get_by_label("Everyone may read it").check()
    form.get_by_role("button", name="Save").click()
    expect(page.locator(".written").first).to_contain_text("Ripa has it.")
    axe(page)
    mo.sees("Anna wrote “The key” in the journal.")
    expect(mo.open("/notes").locator(".written").first).to_contain_text("Ripa has it.")
