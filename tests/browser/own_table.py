"""From the empty start page to the first action of a fight, as somebody new goes it: every tap and page is counted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple
from urllib.parse import urlsplit

from playwright.sync_api import Locator, expect
from tests.browser.tables import Seated, caught_up

if TYPE_CHECKING:
    from tests.browser.conftest import User

TO_PICK: Final = 2
"""The taps of a list one picks from: open it, pick."""
MOST_QUESTIONS: Final = 20


class Fight(NamedTuple):
    """Whom somebody new adds in a system, and what they begin."""

    own: tuple[str, str]
    foe: str
    begins: str


FIGHTS: Final = {
    "alien": Fight(("Ripa", "Dallow"), "Brekk", "Combat"),
    "distemper": Fight(("Ash", "Bell"), "raider", "Fight"),
    "dime": Fight(("Ada", "Rourke"), "Silas Crow", "ZoneFight"),
    "yearzero": Fight(("Juno", "Okonkwo"), "Rusk", "Battle"),
    "d6": Fight(("Vega", "Brandt"), "gunner", "IndividualCombat"),
}


@dataclass
class Walk:
    """Somebody new at the start page of a server, and what the way costs them."""

    user: User
    system: str
    looked: Callable[[str], None] = lambda name: None
    """Called at every stage of the way, with its name."""
    taps: int = 0
    screens: list[str] = field(default_factory=list)
    """The pages on the way, each time somebody comes to one; the start page is not counted."""

    @property
    def fight(self) -> Fight:
        return FIGHTS[self.system]

    @property
    def seated(self) -> Seated:
        return Seated(self.user, urlsplit(self.user.page.url).path.split("/")[2])

    def tap(self, where: Locator) -> None:
        where.click()
        self.taps += 1

    def pick(self, where: Locator, option: str) -> None:
        where.select_option(option)
        self.taps += TO_PICK

    def come_to(self, screen: str) -> None:
        self.screens.append(screen)
        self.looked(screen)

    def go(self) -> None:
        self.open_table()
        self.add_people()
        self.begin()
        self.act()

    def open_table(self) -> None:
        page = self.user.open("/")
        self.looked("start")
        form = page.locator("form[action='/tables']")
        self.pick(form.locator("select[name='system']"), self.system)
        self.tap(form.locator("button:not([name])"))
        expect(page.locator("#begin")).to_be_visible()
        self.come_to("table")

    def add_people(self) -> None:
        page = self.user.page
        self.tap(page.locator(".add-people a"))
        expect(page.locator(".ready").first).to_be_visible()
        self.come_to("adding")
        first, second = self.fight.own
        for count, name in enumerate((first, second, *[self.fight.foe] * 3), 1):
            self.tap(page.get_by_role("button", name=f"Add {name}", exact=True).first)
            expect(page.locator(".present li")).to_have_count(count)
        self.looked("added")
        self.tap(page.locator(".to-table a"))
        expect(page.locator("#begin")).to_be_visible()
        self.come_to("table")

    def begin(self) -> None:
        page = self.user.page
        start = page.locator(f"#begin-{self.fight.begins}")
        if start.get_attribute("open") is None:
            self.tap(start.locator("summary").first)
        self.looked("starting")
        self.tap(start.locator("button.go"))
        expect(page.locator(".scene")).to_be_visible()
        self.looked("begun")

    def act(self) -> None:
        """Decline what is offered, and take the action that is preselected."""
        page, seated = self.user.page, self.seated
        for _ in range(MOST_QUESTIONS):
            caught_up(seated)
            if seated.asked.locator(".go").locator("visible=true").count():
                self.looked("turn")
                self.tap(seated.asked.locator(".go").locator("visible=true").first)
                break
            if page.locator(".likely-lines button").count():
                self.looked("turn")
                self.tap(page.locator(".likely-lines button").first)
                break
            self.answer()
        expect(page.locator("#story .of-act").first).to_be_visible()
        caught_up(seated)
        self.looked("acted")

    def answer(self) -> None:
        """Decline an offer, take one action a round, or take what stands first."""
        asked = self.seated.asked.first
        for value in ("no", "1"):
            if (button := asked.locator(f"button[name='answer'][value='{value}']")).count():
                self.tap(button.first)
                return
        self.tap(asked.locator(".option").first)
