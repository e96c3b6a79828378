"""A fight in the browser: on a phone, by keys, without a script; with clicks counted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import pytest
from playwright.sync_api import expect
from tests.browser.tables import Seated, begun, caught_up, joined, opened, roadblock

if TYPE_CHECKING:
    from tests.browser.conftest import Axe, People

PHONE = (360, 740)
COUNT = "() => { window.clicks = 0; document.addEventListener('click', () => { window.clicks += 1; }, true); }"


def go(seated: Seated) -> None:
    """Press the button that confirms what is chosen."""
    seated.asked.locator(".go").locator("visible=true").first.click()


def pick(seated: Seated, kind: str, how: str, whom: str = "") -> None:
    """Choose a kind of action, then how, then at whom."""
    opened(seated, "how")
    seated.asked.locator("label.kind", has_text=kind).click()
    seated.asked.locator("label.how", has_text=how).locator("visible=true").first.click()
    if whom:
        opened(seated, "whom")
        seated.asked.locator("label.target", has_text=whom).locator("visible=true").first.click()


def no_sideways(seated: Seated) -> None:
    width = seated.page.viewport_size["width"] if seated.page.viewport_size else 0
    assert seated.page.evaluate("document.documentElement.scrollWidth") <= width


def test_the_decision_covers_neither_board_nor_turns_nor_story(people: People) -> None:
    _, anna = roadblock(people)
    page = anna.open()
    boxes = [page.locator(each).first.bounding_box() for each in (".turns", ".lanes", ".story-scroll", ".ask.turning")]
    for at, one in enumerate(boxes):
        for other in boxes[at + 1 :]:
            assert one, other
            assert other
            beside = one["x"] + one["width"] <= other["x"] or other["x"] + other["width"] <= one["x"]
            assert beside or one["y"] + one["height"] <= other["y"] or other["y"] + other["height"] <= one["y"]


def test_a_turn_is_one_click_and_the_next_one_too(people: People) -> None:
    """The sensible choice is preselected: clicks per action, with the Insight that is offered after the roll."""
    mo, anna = roadblock(people)
    page = anna.open()
    mo.user.post(f"{mo.api}/edits", name="Ash", changes={"insight": 0})
    page.evaluate(COUNT)
    button = anna.asked.locator(".go").locator("visible=true").first
    expect(button).to_contain_text("Attack: raider, rifle")
    expect(button).to_contain_text("1 action")
    go(anna)
    anna.sees("attacks raider with the rifle.")
    again = anna.asked.locator(".again")
    expect(again).to_contain_text("Attack: raider rifle")
    again.click()
    expect(anna.asked).to_have_count(0)
    assert page.evaluate("window.clicks") == 2
    expect(page.locator(".turn.done", has_text="Ash")).to_have_count(1)


def test_choosing_keeps_what_was_chosen_while_odds_arrive(people: People) -> None:
    _, anna = roadblock(people)
    page = anna.open()
    page.locator(".pick").evaluate("each => { each.dataset.seen = 'yes' }")
    pick(anna, "Attack", "Aim", "lookout")
    expect(anna.asked.locator("label.how", has_text="Attack").locator(".p")).to_contain_text("%")
    button = anna.asked.locator(".go").locator("visible=true").first
    expect(button).to_contain_text("Aim: lookout")
    assert page.locator(".pick .panel:visible .targets input:checked").locator("visible=true").count() == 1
    expect(page.locator(".pick .pending")).to_have_count(0)
    assert page.locator(".pick[data-seen]").count() == 1, "figures arrive without touching what they stand in"
    button.click()
    anna.sees("aims at lookout.")


def test_by_keys_alone(people: People) -> None:
    _, anna = roadblock(people)
    page = anna.open()
    expect(anna.asked).to_be_visible()
    keys = page.keyboard
    keys.press("2")
    button = anna.asked.locator(".go").locator("visible=true").first
    expect(button).to_contain_text("Take Cover")
    keys.press("1")
    keys.press("w")
    expect(anna.asked.locator(".go").locator("visible=true").first).to_contain_text("Attack: lookout")
    keys.press("2")
    keys.press("Tab")
    keys.press("ArrowRight")
    expect(anna.asked.locator(".go").locator("visible=true").first).to_contain_text("Defend")
    page.locator("body").click(position={"x": 4, "y": 4})
    keys.press("Enter")
    anna.sees("Ash defends.")
    keys.press("u")
    expect(page.get_by_role("button", name="Undo this")).to_be_focused()
    keys.press("Enter")
    expect(anna.asked).to_contain_text("Ash, 2 actions left")


def test_undo_is_two_taps(people: People) -> None:
    _, anna = roadblock(people, viewport=PHONE)
    page = anna.open()
    pick(anna, "Attack", "Aim")
    go(anna)
    anna.sees("aims at raider.")
    page.evaluate(COUNT)
    page.locator("#undo-offer summary").click()
    expect(page.locator("#undo-offer")).to_contain_text("aims at raider.")
    page.get_by_role("button", name="Undo this").click()
    expect(anna.asked).to_contain_text("Ash, 2 actions left")
    assert page.evaluate("window.clicks") == 2


def test_an_undo_that_is_asked_for_is_granted_in_one_tap(people: People) -> None:
    mo, anna = roadblock(people)
    mo.user.post(f"{mo.api}/edits", name="Ash", changes={"insight": 0})
    page = anna.open()
    mo.open()
    go(anna)
    anna.sees("attacks raider with the rifle.")
    expect(anna.asked).to_contain_text("Ash, one action left")
    page.locator("#undo-offer summary").click()
    page.get_by_role("button", name="Ask the game master to undo this").click()
    expect(page.locator("#undo")).to_contain_text("The game master has been asked.")
    request = mo.page.locator(".request")
    expect(request).to_contain_text("Anna asks to undo this:")
    request.get_by_role("button", name="Undo it").click()
    expect(anna.asked).to_contain_text("Ash, 2 actions left")
    expect(mo.page.locator(".request")).to_have_count(0)


def test_a_whole_fight_on_a_phone(people: People) -> None:
    """One hand, one player for both sides' sake: the game master on a phone plays everybody until one side stands."""
    mo = begun(people("Mo", viewport=PHONE), "distemper", "market")
    axe = {"name": "axe", "skill": "Melee Combat", "wp": 4, "rp": 0}
    for name in ("Ash", "Bell", "raider"):
        sheet = {"kind": "Character", "player": False, "wp": 3, "wp_full": 9, "items": [axe]}
        mo.user.post(f"{mo.api}/edits", name=name, changes=sheet)
    page = mo.open()
    mo.user.post(f"{mo.api}/edits", name="fight", changes={"kind": "Fight", "sides": [["Ash", "Bell"], ["raider"]]})
    over = page.locator(".aftermath")
    for _ in range(60):
        caught_up(mo)
        expect(page.locator(".go, .aftermath, .ask .option").locator("visible=true").first).to_be_visible()
        if over.count():
            break
        no_sideways(mo)
        strip = page.locator(".turns").bounding_box()
        assert strip, "the turns are in sight"
        assert 0 <= strip["y"] < 120, "the turns are in sight"
        with page.expect_response(lambda response: response.url.endswith("/answer")) as answered:
            mo.asked.locator(".go, .option").locator("visible=true").first.click()
        assert answered.value.ok
    expect(over).to_contain_text("The fight is over: ")
    expect(over.get_by_role("link", name="Write down what happened")).to_be_visible()
    no_sideways(mo)


def test_without_a_script_a_turn_is_chosen_and_taken_back(people: People) -> None:
    _, anna = roadblock(people, javascript=False, viewport=PHONE)
    page = anna.open()
    no_sideways(anna)
    pick(anna, "Move", "Reposition")
    anna.asked.locator("label.manner", has_text="away").locator("visible=true").first.click()
    go(anna)
    anna.sees("takes up a position farther from Bell.")
    page.locator("#undo-offer summary").click()
    page.get_by_role("button", name="Undo this").click()
    expect(anna.asked).to_contain_text("Ash, 2 actions left")
    pick(anna, "Attack", "Attack", "lookout")
    go(anna)
    anna.sees("attacks lookout with the rifle.")


def test_the_game_master_drags_somebody_or_sets_it_by_form(people: People) -> None:
    mo, _ = roadblock(people)
    page = mo.open("?as=Ash")
    near, far = page.locator('.lane[data-band="0"]'), page.locator('.lane[data-band="3"]')
    near.locator(".man", has_text="raider").drag_to(far)
    expect(far).to_contain_text("raider")
    page.locator(".twin summary").click()
    form = page.locator(".twin form", has_text="raider")
    form.locator("select").select_option(label="1 band away")
    form.get_by_role("button", name="Set").click()
    expect(page.locator('.lane[data-band="1"]')).to_contain_text("raider")


@pytest.mark.parametrize("size", [PHONE, (1280, 800)])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_fight_hinders_nobody(
    people: People, axe: Axe, size: tuple[int, int], scheme: Literal["light", "dark"]
) -> None:
    _, anna = roadblock(people, viewport=size, scheme=scheme)
    page = anna.open()
    expect(anna.asked.locator(".go").locator("visible=true").first).to_be_visible()
    axe(page)
    no_sideways(anna)
    pick(anna, "Attack", "Aim")
    go(anna)
    anna.page.locator("#undo-offer summary").click()
    expect(page.get_by_role("button", name="Undo this")).to_be_visible()
    axe(page)


def test_everyone_is_asked_at_once_before_the_first_turn(people: People) -> None:
    mo = begun(people("Mo"), "distemper", "market")
    table = [joined(mo, people(name), who) for name, who in (("Anna", "Ash"), ("Ben", "Bell"))]
    for each in table:
        each.open()
    mo.user.post(f"{mo.api}/edits", name="fight", changes={"kind": "Fight", "sides": [["Ash", "Bell"], ["trader"]]})
    for each in table:
        expect(each.asked).to_contain_text("Spend Insight before everyone rolls initiative?")
        each.asked.get_by_role("button", name="No, and do not ask me this again").click()
    for each in table:
        expect(each.asked).to_contain_text("Spend Insight on your initiative?")
        each.asked.locator("button.option[value=no]").click()  # its words change when odds arrive
    for each in table:
        expect(each.page.locator(".turn")).to_have_count(3)
        expect(each.page.locator(".turn[aria-current]")).not_to_have_count(0)
