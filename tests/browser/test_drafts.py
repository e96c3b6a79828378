"""Two players build characters side by side, one on a phone; the server is killed in between; a third sees nothing."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from time import sleep
from typing import TYPE_CHECKING, Any

import pytest
from PIL import Image
from playwright.sync_api import Locator, Page, Route, expect
from tests.browser.conftest import Server
from tests.browser.tables import Seated, begun, joined

if TYPE_CHECKING:
    from tests.browser.conftest import Axe, People, User

SYSTEMS = str(Path(__file__).parent.parent / "table" / "systems")
PHONE = (360, 740)


def _picture() -> bytes:
    made = BytesIO()
    Image.new("RGB", (30, 40), "#c9d8e6").save(made, "PNG")
    return made.getvalue()


PICTURE = _picture()


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server that knows the guild, to kill and start again."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", SYSTEMS, prepend=os.pathsep)
        server = Server(tmp_path_factory.mktemp("guild"), DEMO="no")
        yield server
        server.kill()


def hall(mo: User, **scene: Any) -> Seated:
    made = mo.post("/api/v1/campaigns", name="The hall", system="guild", scene=scene, master=mo.name)
    return Seated(mo, made["campaign"])


def sent_to(seated: Seated) -> tuple[bytes, bytes]:
    """Everything a seat has been sent: its view and its log, byte by byte."""
    request = seated.user.context.request
    return request.get(seated.api).body(), request.get(f"{seated.api}/log?limit=100").body()


def press(page: Page, name: str | re.Pattern[str]) -> None:
    page.get_by_role("button", name=name).click()


def stop(page: Page, step: str) -> Locator:
    """A step on the rail."""
    return page.locator(".rail a", has_text=step)


def go_on(page: Page, heading: str) -> None:
    """On to the next step."""
    page.locator(".foot-end .first").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(heading)


def begin_on_a_phone(ann: Seated) -> None:
    """Ann, from the table to her traits, by thumb."""
    page = ann.open()
    page.get_by_role("link", name="Build a character").click()
    press(page, "Start")
    press(page, "Young")
    expect(page.get_by_role("button", name="Young")).to_have_attribute("aria-pressed", "true")
    go_on(page, "What are you made of?")
    for level in (2, 3, 4):
        press(page, "Brawn, one more")
        expect(page.get_by_role("img", name=f"Brawn {level} of 4")).to_be_visible()
    expect(page.locator(".purse")).to_contain_text("3of 6 points left")
    expect(page.get_by_role("button", name="Brawn, one more")).to_be_disabled()
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE[0]


def begin_from_a_template(bob: Seated) -> str:
    """Bob, beside her; the dice he rolls."""
    page = bob.open("/drafts")
    page.get_by_label("Start from").select_option("Journeyman")
    press(page, "Start")
    stop(page, "Gear").click()
    press(page, re.compile("^Roll"))
    expect(page.get_by_text("These dice are kept.")).to_be_visible()
    return page.locator(".dice").get_attribute("aria-label") or ""


def finish_on_a_phone(ann: Seated) -> None:
    page = ann.page
    press(page, "Wits, one more")
    expect(page.locator(".purse")).to_contain_text("2of 6 points left")
    page.get_by_role("button", name="Fill", exact=True).click()
    expect(page.locator(".purse")).to_contain_text("0of 6 points left")
    go_on(page, "Trade")
    press(page, "Smith")
    expect(page.get_by_role("button", name="Smith")).to_have_attribute("aria-pressed", "true")
    go_on(page, "Gear")
    press(page, re.compile("^Roll"))
    expect(page.get_by_text("These dice are kept.")).to_be_visible()
    go_on(page, "Person")
    page.get_by_role("textbox", name="Secret").fill("I cannot read.")
    go_on(page, "What is your name?")
    page.get_by_role("textbox", name="Name").fill("Tam")
    page.get_by_role("button", name="Finish", exact=True).click()
    expect(page).to_have_url(re.compile(rf"{ann.table}$"))


def finish_by_keys(bob: Seated) -> None:
    page = bob.page
    stop(page, "Person").click()
    page.get_by_role("textbox", name="Secret").fill("None.")
    go_on(page, "What is your name?")
    page.get_by_role("textbox", name="Name").fill("Una")
    page.get_by_role("textbox", name="Name").press("Enter")
    expect(page).to_have_url(re.compile(rf"{bob.table}$"))


@pytest.mark.slow
def test_two_build_side_by_side_through_a_kill_and_a_third_sees_nothing(people: People, served: Server) -> None:
    mo = hall(people("Mo", at=served), Odo={})
    ann = joined(mo, people("Ann", at=served, viewport=PHONE, scheme="dark"))
    bob, cy = (joined(mo, people(name, at=served)) for name in ("Bob", "Cy"))
    for each in (mo, ann, bob, cy):
        each.user.allow_outage()
    mo.user.post(f"{mo.api}/edits", name="Odo", changes={"coins": 3})
    cy.open()
    before = sent_to(cy)
    begin_on_a_phone(ann)
    dice = begin_from_a_template(bob)
    assert sent_to(cy) == before

    items = mo.user.context.request.get(f"{mo.api}/log").json()["items"]
    mo.user.post(f"{mo.api}/undo", item=next(each["id"] for each in items if each["kind"] == "edited"))
    assert count(cy) == count_of(before) + 1  # Cy is told of the undo, and of nothing else
    expect(mo.open("/drafts").get_by_text("Ann’s draft")).to_be_visible()
    expect(mo.page.get_by_text("Bob’s draft")).to_be_visible()

    served.kill()
    served.start()
    ann.page.reload()
    expect(ann.page.get_by_role("img", name="Brawn 4 of 4")).to_be_visible()
    bob.page.reload()
    expect(bob.page.locator(".dice")).to_have_attribute("aria-label", dice)

    finish_on_a_phone(ann)
    expect(cy.page.locator("#roster")).to_contain_text("Tam")
    finish_by_keys(bob)
    expect(cy.page.locator("#roster")).to_contain_text("Una")
    assert b"cannot read" not in b"".join(sent_to(cy))


def count(seated: Seated) -> int:
    """How many items a seat has been sent."""
    found = seated.user.context.request.get(seated.api).json()["cursor"]
    assert isinstance(found, int)
    return found


def count_of(sent: tuple[bytes, bytes]) -> int:
    return int(re.search(rb'"cursor":(\d+)', sent[0])[1])  # type: ignore[index]  # every view has one


@pytest.mark.slow  # two whole characters, one of them key by key
def test_a_character_is_built_by_keyboard_and_without_a_script(people: People, served: Server) -> None:
    mo = hall(people("Mo", at=served))
    ann = joined(mo, people("Ann", at=served))
    page = ann.open("/drafts")
    page.get_by_role("button", name="Start").focus()
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Old").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Old")).to_have_attribute("aria-pressed", "true")
    expect(page.get_by_role("button", name="Old")).to_be_focused()  # the focus is kept
    bob = joined(mo, people("Bob", at=served, viewport=PHONE, javascript=False))
    bob.user.allow("status of 422")  # what is refused below
    page = bob.open("/drafts")
    press(page, "Random")
    stop(page, "Traits").click()
    less = page.locator(".stepper button:not([disabled])", has_text="−").first
    less.click()
    expect(page.locator(".purse")).to_contain_text(re.compile("^1of"))
    page.goto(f"{page.url.partition('?')[0]}?step=person")
    page.get_by_role("textbox", name="Secret").fill("None.")
    go_on(page, "What is your name?")
    page.get_by_role("textbox", name="Name").fill("Una")
    page.get_by_role("button", name="Finish", exact=True).click()
    expect(page.get_by_role("alert")).to_contain_text("points: 1 left to spend")
    stop(page, "Traits").click()
    page.locator(".stepper button:not([disabled])", has_text="+").first.click()
    page.goto(f"{page.url.partition('?')[0]}?step=name")
    page.get_by_role("button", name="Finish", exact=True).click()
    expect(page).to_have_url(re.compile(rf"{bob.table}$"))


@pytest.mark.parametrize(("viewport", "scheme"), [((1280, 800), "light"), (PHONE, "dark")], ids=["wide", "phone"])
def test_every_step_hinders_nobody_and_fits(
    people: People, served: Server, axe: Axe, viewport: tuple[int, int], scheme: Any
) -> None:
    mo = hall(people("Mo", at=served))
    ann = joined(mo, people("Ann", at=served, viewport=viewport, scheme=scheme))
    made = ann.user.post(f"{ann.api}/drafts", template="Journeyman")
    for step in (
        "/drafts",
        *(f"/drafts/{made['draft']}?step={key}" for key in ("age", "traits", "trade", "gear", "name")),
    ):
        page = ann.open(step)
        expect(page.get_by_role("heading", level=1)).to_have_count(1)
        assert page.evaluate("document.documentElement.scrollWidth") <= viewport[0], step
        axe(page)


def test_a_player_on_a_phone_goes_from_the_invitation_to_the_table_with_a_character(people: People, axe: Axe) -> None:
    """Joins, builds, gives the character a face and a name, and stands at the table; the game master sees it grow."""
    mo = begun(people("Mo"), "alien", "derelict")
    code = mo.user.post(f"{mo.api}/invitations", role="player", controls=[])["code"]
    anna = people("Anna", viewport=PHONE)
    page = anna.open(f"/join/{code}")
    page.get_by_label("Your name").fill("Anna")
    press(page, "Take a seat")
    press(page, "Build somebody")
    for _ in range(2):
        press(page, "Wits, one more")
    expect(page.get_by_role("img", name="Wits 5 of 5")).to_be_visible()
    expect(page.get_by_role("button", name="Wits, one more")).to_be_disabled()
    page.get_by_role("button", name="Undo the last change: Wits").click()
    expect(page.get_by_role("img", name="Wits 4 of 5")).to_be_visible()
    go_on(page, "What have you learned?")
    press(page, "Observation, one more")
    expect(page.get_by_role("img", name="Observation 1 of 5")).to_be_visible()
    expect(mo.open().locator(".making")).to_contain_text("Anna, 2 of 5 steps done")
    axe(page)
    go_on(page, "How steady are you?")
    go_on(page, "What do you carry?")
    press(page, re.compile("^M4A3 Service Pistol"))
    expect(page.locator("#so-far")).to_contain_text("M4A3 Service Pistol")
    go_on(page, "What is your name?")
    page.get_by_role("textbox", name="Name").fill("Ines")
    page.locator(".face-step").get_by_role("link", name="Add a picture").click()
    page.get_by_label("Choose a picture").set_input_files(
        {"name": "me.png", "mimeType": "image/png", "buffer": PICTURE}
    )
    press(page, "Upload")
    page.get_by_label("From top to bottom").fill("0")
    axe(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE[0]
    press(page, "Save")
    page.goto(f"{page.url.partition('?')[0]}?step=name")
    expect(page.get_by_role("textbox", name="Name")).to_have_value("Ines")
    page.get_by_role("button", name="Finish anyway").click()  # Resolve was left as it is
    expect(page).to_have_url(re.compile(rf"{mo.table}$"))
    page.get_by_role("link", name="Sheet").click()
    expect(page.locator("#sheet")).to_contain_text("Ines")
    expect(mo.page.locator("#roster .picture image")).to_have_count(1)
    expect(mo.page.locator("#roster")).to_contain_text("Ines")


def test_two_taps_at_once_are_two_steps(people: People) -> None:
    """The second comes before the first is answered; a third has nothing left to raise."""
    mo = begun(people("Mo"), "alien", "derelict")
    page = mo.open("/drafts")
    press(page, "Start")
    more = page.get_by_role("button", name="Wits, one more")
    expect(more).to_be_enabled()
    more.evaluate("button => { for (let tap = 0; tap < 3; tap += 1) button.click() }")
    expect(page.get_by_role("img", name="Wits 5 of 5")).to_be_visible()
    expect(more).to_be_disabled()


def slowly(page: Page) -> None:
    """What a draft is sent takes its time, as over a mobile network."""

    def wait(route: Route) -> None:
        sleep(0.3)
        route.continue_()

    page.route(re.compile(r"/drafts/[0-9a-f-]+/\w+$"), wait)


def drafting(mo: Seated, step: str, **given: Any) -> Page:
    made = mo.user.post(f"{mo.api}/drafts", **given)
    page = mo.open(f"/drafts/{made['draft']}?step={step}")
    slowly(page)
    return page


def test_one_tap_on_finish_sends_what_was_typed(people: People) -> None:
    mo = begun(people("Mo", viewport=PHONE), "alien", "derelict")
    page = drafting(mo, "name", fill=True)
    page.get_by_role("textbox", name="Name").press_sequentially("Ines")
    page.get_by_role("button", name="Finish", exact=True).click()
    expect(page).to_have_url(re.compile(rf"{mo.table}$"))
    expect(page.locator("#roster")).to_contain_text("Ines")


def test_a_second_tap_on_finish_finds_nothing_amiss(people: People) -> None:
    mo = begun(people("Mo", viewport=PHONE), "alien", "derelict")
    page = drafting(mo, "name", fill=True)
    page.get_by_role("textbox", name="Name").press_sequentially("Ines")
    finish = page.get_by_role("button", name="Finish", exact=True)
    finish.evaluate("button => { button.click(); button.click() }")
    expect(page).to_have_url(re.compile(rf"{mo.table}$"))


def test_a_tap_on_another_step_saves_what_was_typed(people: People) -> None:
    mo = begun(people("Mo", viewport=PHONE), "alien", "derelict")
    page = drafting(mo, "name")
    page.get_by_role("textbox", name="Name").press_sequentially("Ines")
    page.locator(".rail a").first.click()
    expect(page).to_have_url(re.compile("step=attributes"))
    expect(page.locator("#so-far")).to_contain_text("Ines")


def test_taps_under_way_lose_neither_each_other_nor_the_way_on(people: People) -> None:
    """Two taps on “+”, one on another and one on “Next” before the first is answered."""
    mo = begun(people("Mo", viewport=PHONE), "alien", "derelict")
    page = drafting(mo, "attributes")
    for button in ("Wits", "Wits", "Agility"):
        page.get_by_role("button", name=f"{button}, one more").click()
    page.locator(".foot-end .first").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("What have you learned?")
    for name, level in (("Wits", "5"), ("Agility", "4")):
        expect(page.locator(".so-far-rows li", has_text=name).locator("b")).to_have_text(re.compile(f"{level}$"))


def test_a_price_that_rises_does_not_lose_a_tap(people: People) -> None:
    """The name of the button says what the next step costs, and so changes with every tap."""
    mo = begun(people("Mo", viewport=PHONE), "d6", "loading-dock")
    page = drafting(mo, "merits-and-flaws")
    row = page.locator(".level-row", has_text="Acute hearing")
    page.locator("details:has(.level-row)").evaluate_all("all => all.forEach((each) => { each.open = true })")
    row.locator("button", has_text="+").evaluate("button => { button.click(); button.click() }")
    expect(row.locator(".pips, .level-now").first).to_have_attribute("aria-label", re.compile("2"))


def test_a_finger_that_is_down_while_the_answer_comes_has_tapped(people: People) -> None:
    mo = begun(people("Mo", viewport=PHONE), "alien", "derelict")
    page = drafting(mo, "attributes")
    more = page.get_by_role("button", name="Wits, one more")
    more.click()
    page.mouse.down()
    expect(page.get_by_role("img", name="Wits 4 of 5")).to_be_visible()
    page.mouse.up()
    expect(page.get_by_role("img", name="Wits 5 of 5")).to_be_visible()


def test_nothing_moves_under_the_thumb_at_the_highest_level(people: People) -> None:
    """Seven quick taps on one spot: five raise the skill to its maximum, and no other skill takes the rest."""
    mo = begun(people("Mo", viewport=PHONE), "alien", "derelict")
    page = drafting(mo, "skills", answers={"skills": {"Heavy Machinery": 5, "Comtech": 3}})
    more = page.locator("#more-skills-Survival")
    more.scroll_into_view_if_needed()
    box = more.bounding_box()
    assert box is not None
    for _ in range(7):
        page.mouse.click(box["x"] + 20, box["y"] + 20)
    expect(page.get_by_role("img", name="Survival 5 of 5")).to_be_visible()
    assert more.bounding_box() == box
    expect(page.locator(".so-far-rows li", has_text=re.compile("^(Survival|Heavy|Comtech)"))).to_have_count(3)
    expect(page.locator("#so-far")).not_to_contain_text("Observation")


def test_what_is_searched_for_stays_in_sight_when_a_level_is_raised(people: People) -> None:
    mo = begun(people("Mo", viewport=PHONE), "distemper", "roadblock")
    page = drafting(mo, "skills", answers={"attributes": {"Reason": 1, "Acumen": 1, "Physicality": 1}})
    page.locator("[data-find]").press_sequentially("Demo")
    more = page.locator("#more-skills-Demolitions")
    box = more.bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + 20, box["y"] + 20)
    expect(page.locator("#so-far")).to_contain_text("Demolitions")
    expect(page.locator("[data-find]")).to_have_value("Demo")
    assert more.bounding_box() == box


def test_keys_are_shown_and_esc_leaves(people: People, axe: Axe) -> None:
    mo = begun(people("Mo"), "alien", "derelict")
    page = mo.open("/sheet/Ripa")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_contain_text("Esc")
    axe(page)
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.keyboard.press("Escape")
    expect(page).to_have_url(re.compile(rf"{mo.table}$"))


def test_every_page_is_two_taps_away_on_a_phone(people: People) -> None:
    mo = begun(people("Mo", viewport=PHONE), "alien", "derelict")
    page = mo.open()
    page.get_by_role("link", name="More").click()
    names = ("Game master", "Characters", "Notes", "Rulebook", "Odds", "History")
    for name in names:
        expect(page.locator("#pages").get_by_role("link", name=name)).to_be_visible()
    page.locator("#pages").get_by_role("link", name="Notes").click()
    for name in names:
        expect(page.get_by_role("navigation").get_by_role("link", name=name)).to_be_visible()


def test_a_newcomer_on_a_phone_leaves_creation_with_a_weapon_and_attacks_with_it(people: People, axe: Axe) -> None:
    """From an empty draft to the first attack; what is left undone is named before the end."""
    master = people("Mo")
    scene = {"raider": {"player": False}}
    made = master.post("/api/v1/campaigns", name="An empty table", system="distemper", scene=scene, master="Mo")
    mo = Seated(master, made["campaign"])
    anna = joined(mo, people("Anna", viewport=PHONE))
    page = anna.open("/drafts")
    press(page, "Start")
    stop(page, "Equipment").click()
    primary = page.get_by_role("region", name="Primary weapon")
    primary.get_by_role("button", name="axe").click()
    expect(primary.get_by_role("button", name="axe")).to_have_attribute("aria-pressed", "true")
    axe(page)
    go_on(page, "What is your name?")
    note = page.locator(".left-over")
    expect(note).to_contain_text("Nothing is chosen in: Attributes, Skills, Points.")
    axe(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE[0]
    note.get_by_role("link", name="Skills").click()
    page.locator("details.levels-of").first.evaluate("each => { each.open = true }")
    page.locator(".stepper button:not([disabled])", has_text="+").first.click()
    expect(page.locator(".rail a[aria-current]")).to_contain_text("Skills")
    stop(page, "Name").click()
    expect(note).to_contain_text("Nothing is chosen in: Attributes, Points.")
    page.get_by_role("textbox", name="Name").fill("Ines")
    press(page, "Finish anyway")
    expect(page).to_have_url(re.compile(rf"{anna.table}$"))
    turn = {"phase": "actions", "scores": {"Ines": 11, "raider": 6}, "left": {"Ines": 2, "raider": 2}}
    mo.user.post(f"{mo.api}/edits", name="fight", changes={"kind": "Fight", "sides": [["Ines"], ["raider"]], **turn})
    attack = anna.asked.locator(".go").locator("visible=true").first
    expect(attack).to_contain_text("Attack: raider, axe")
    attack.click()
    anna.sees("attacks raider with the axe")
