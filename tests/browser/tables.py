"""Tables for browser tests: who sits where, and how they act through their pages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from playwright.sync_api import Locator, Page, expect

if TYPE_CHECKING:
    from tests.browser.conftest import People, Server, User


CAUGHT_UP = """([cursor, ids]) => told >= cursor && [...document.querySelectorAll(
    "section.ask[id^=ask-]:not(.together), .together fieldset.one")].every(each => ids.includes(each.id))"""


class Seated(NamedTuple):
    """Somebody at a table, and where it is."""

    user: User
    campaign: str

    @property
    def page(self) -> Page:
        return self.user.page

    @property
    def table(self) -> str:
        return f"/table/{self.campaign}"

    @property
    def api(self) -> str:
        return f"/api/v1/campaigns/{self.campaign}"

    def open(self, rest: str = "") -> Page:
        return self.user.open(f"{self.table}{rest}")

    def roll(self, line: str) -> None:
        """Press a line of the sheet."""
        self.page.locator(".skills button", has_text=line).first.click()

    @property
    def asked(self) -> Locator:
        """What stands out because it asks this one."""
        return self.page.locator(".ask:not(.others):not(.request):not(.aftermath)")

    def answer(self, option: str) -> None:
        self.asked.get_by_role("button", name=option).first.click()

    @property
    def story(self) -> Locator:
        return self.page.locator("#story")

    def sees(self, text: str) -> None:
        expect(self.story).to_contain_text(text)


def opened(seated: Seated, word: str) -> None:
    """On a phone a turn is a sentence: open what may stand in the place of a word, if it is not in sight."""
    found = seated.page.locator(f".hand-word[data-word={word}][aria-expanded=false]").locator("visible=true")
    expect(seated.page.locator(".ask.turning .go").locator("visible=true").first).to_be_visible()
    if found.count():
        found.first.click()


def begun(mo: User, system: str, sample: str) -> Seated:
    """Mo runs a sample."""
    made = mo.post("/api/v1/campaigns", name="Thursday nights", system=system, sample=sample, master=mo.name)
    return Seated(mo, made["campaign"])


def joined(master: Seated, guest: User, *controls: str, role: str = "player") -> Seated:
    """Somebody joins a table, and plays somebody."""
    invited = master.user.post(f"{master.api}/invitations", role=role, controls=list(controls))
    guest.post("/api/v1/join", code=invited["code"], name=guest.name)
    return Seated(guest, master.campaign)


def derelict(people: People, at: Server | None = None) -> tuple[Seated, Seated]:
    """Mo runs the derelict, and Anna plays Ripa; both look at the table."""
    mo = begun(people("Mo", at=at), "alien", "derelict")
    anna = joined(mo, people("Anna", at=at), "Ripa")
    mo.open()
    anna.open()
    return mo, anna


def caught_up(*table: Seated) -> None:
    """Wait until everyone's page shows what their seats have been told, and no question that has been answered."""
    for each in table:
        request = each.user.context.request
        cursor = request.get(each.api).json()["cursor"]
        asked = request.get(f"{each.api}/questions").json()["questions"]
        ids = ["ask-" + "".join(sign if sign.isalnum() else "-" for sign in one["key"]) for one in asked]
        each.page.wait_for_function(CAUGHT_UP, arg=[cursor, ids])


def by_hand(seated: Seated) -> None:
    """Somebody throws real dice from now on."""
    seat = seated.user.context.request.get(seated.api).json()["you"]["id"]
    change(seated, f"seats/{seat}", real_dice=True)


def change(seated: Seated, what: str, **plain: Any) -> None:
    """Change something by the API that a test is not about."""
    origin = {"Origin": seated.user.server.address}
    done = seated.user.context.request.patch(f"{seated.api}/{what}", data=plain, headers=origin)
    assert done.ok, done.text()


def enter_dice(seated: Seated, *groups: str) -> None:
    """Fill in what real dice show, a box for each die: the groups of dice with their numbers, `2 5 1`."""
    for at, pips in enumerate(groups):
        boxes = seated.asked.locator(f"input[name='dice-{at:02}']")
        expect(boxes).to_have_count(len(pips.split()))
        for number, each in enumerate(pips.split()):
            boxes.nth(number).fill(each)


def roadblock(people: People, **anna: Any) -> tuple[Seated, Seated]:
    """Mo runs a fight in its second round: Ash, whom Anna plays, and Bell against two; it is Ash's turn."""
    mo = begun(people("Mo"), "distemper", "market")
    guest = joined(mo, people("Anna", **anna), "Ash")
    points = {"kind": "Character", "wp": 10, "wp_full": 10, "rp": 10, "rp_full": 10}
    rifle = {"name": "rifle", "skill": "Ranged Combat", "wp": 4, "rp": 3}
    sheets: dict[str, dict[str, Any]] = {
        "Ash": {"items": [rifle]},
        "Bell": {},
        "raider": {"player": False},
        "lookout": {"player": False},
    }
    for name, plain in sheets.items():
        mo.user.post(f"{mo.api}/edits", name=name, changes={**points, **plain})
    scores, left = {"Ash": 11, "lookout": 9, "Bell": 8, "raider": 6}, {"Ash": 2, "lookout": 2, "Bell": 2, "raider": 2}
    fight = {"kind": "Fight", "sides": [["Ash", "Bell"], ["raider", "lookout"]], "bands": {"Ash lookout": 2}}
    going = {"phase": "actions", "round": 2, "scores": scores, "left": left}
    mo.user.post(f"{mo.api}/edits", name="fight", changes={**fight, **going})
    return mo, guest
