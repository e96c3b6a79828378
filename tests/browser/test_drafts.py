"""Two players build characters side by side, one on a phone; the server is killed in between; a third sees nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from PIL import Image
from playwright.sync_api import Locator, Page, expect
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
        patch.setenv("PYTHONPATH", SYSTEMS)
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
    page.get_by_role("link", name="Build a character").click()
    press(page, "Start")
    for _ in range(2):
        press(page, "Wits, one more")
    expect(page.get_by_role("img", name="Wits 5 of 5")).to_be_visible()
    expect(page.get_by_role("button", name="Wits, one more")).to_be_disabled()
    page.get_by_role("button", name="Undo the last change: Wits").click()
    expect(page.get_by_role("img", name="Wits 4 of 5")).to_be_visible()
    go_on(page, "What have you learned?")
    press(page, "Observation, one more")
    expect(page.get_by_role("img", name="Observation 1 of 5")).to_be_visible()
    expect(mo.open().locator(".making")).to_contain_text("Anna, 2 of 4 steps done")
    axe(page)
    go_on(page, "How steady are you?")
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
    page.get_by_role("button", name="Finish", exact=True).click()
    expect(page).to_have_url(re.compile(rf"{mo.table}$"))
    page.get_by_role("link", name="Sheet").click()
    expect(page.locator("#sheet")).to_contain_text("Ines")
    expect(mo.page.locator("#roster .picture")).to_have_count(1)
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
