"""From a click to every screen, in a real Chromium: `make bench-browser`.

A game master, two players and somebody who looks on, each with a page of their own. Somebody speaks, rolls, answers;
the time runs from the click to the moment the words stand on each page, by the pages' own clocks.

Then turns with their odds: from opening the page, and from the click that ends one turn, until the buttons of the next
stand, until the first figure stands beside them, and until none is missing.

Then fights are played by pressing what is preselected, and clicks, questions and seconds are counted: three against two
with four people at their pages, and eight run by one person, answering everything or once and for all. The seconds are
those that the table takes; people add theirs. Server, browsers and this program share the machine.
"""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from statistics import median, quantiles
from time import monotonic, sleep
from typing import Any, Final, NamedTuple

from playwright.sync_api import Browser, Error, Locator, Page, sync_playwright

from referee.client import Client, SeatClient
from server import served

ROOT: Final = Path(__file__).parent.parent
TIMES: Final = 25
WATCH: Final = """() => {
    window.seen = {};
    new MutationObserver(() => {
        for (const each of document.querySelectorAll('.said')) {
            const text = each.textContent.trim();
            if (!(text in window.seen)) window.seen[text] = Date.now();
        }
    }).observe(document.getElementById('main'), { childList: true, subtree: true });
}"""
SAY: Final = """text => {
    document.getElementById('talk').value = text;
    const began = Date.now();
    document.querySelector('.talk').requestSubmit();
    return began;
}"""

CLOCK: Final = """() => {
    const found = (selector) => document.querySelector(selector);
    const mine = '.ask.turning:not(.others) ';
    window.restart = () => { window.turn = {}; window.began = Date.now(); window.old = found(mine + '.go'); };
    if (!window.began) { window.turn = {}; window.began = performance.timeOrigin; }
    const look = () => {
        const since = Date.now() - window.began, turn = window.turn;
        if (!found(mine + '.go') || found(mine + '.go') === window.old) return;
        turn.buttons ??= since;
        const known = [...document.querySelectorAll(mine + '.p:not(.pending):not(.none)')];
        const figure = known.some((each) => each.textContent.includes('%'));
        if (figure) turn.first ??= since;
        if (!found(mine + '.p.pending')) { turn.all ??= since; turn.first ??= since; }
    };
    setInterval(look, 5);
}"""
TURNS: Final = (("distemper", "roadblock", "Ash"), ("dime", "ambush", "Rourke"), ("d6", "loading-dock", "Mara"))
"""Tables whose turns are questions: the sample, and whom somebody plays in it."""
STANDING: Final = (("initiative-before", "no"), ("initiative-after", "no"), ("character-point", "no"), ("actions", "1"))
TURNS_TIMED: Final = 3
STATE: Final = """() => {
    const titles = [...document.querySelectorAll('.ask h2')].map((each) => each.textContent);
    return [titles, document.querySelectorAll('#story .piece').length, document.querySelectorAll('.aftermath').length];
}"""
PATIENCE: Final = 15.0
"""Seconds for all figures of a turn."""
MOST_CLICKS: Final = 16


class Waited(NamedTuple):
    """Milliseconds until the buttons of a turn stood, the first figure, and all of them."""

    buttons: float
    first: float
    all: float


class Counted(NamedTuple):
    """What it took to play a fight, or the first clicks of it."""

    fight: str
    questions: int
    """Asked before the first turn."""
    actions: int
    clicks: int
    """After the first turn had begun."""
    seconds: float

    def __str__(self) -> str:
        clicks, seconds = self.clicks / self.actions, self.seconds / self.actions
        return f"{self.fight:34} {self.questions:9} {self.actions:8} {clicks:10.2f} {seconds:10.2f}"


def seated(browser: Browser, address: str, campaign: str, token: str) -> Page:
    """A page of somebody who has a seat."""
    context = browser.new_context(base_url=address)
    context.add_cookies([{"name": "referee", "value": token, "url": address}])
    context.set_default_timeout(120_000)  # a busy machine is slow, not broken
    page = context.new_page()
    page.goto(f"/table/{campaign}")
    page.evaluate(WATCH)
    return page


def left(pages: Sequence[Page]) -> None:
    """Everyone goes home: pages that nobody needs any more would go on listening."""
    for each in pages:
        each.context.close()


def measure(pages: list[Page]) -> list[float]:
    """Milliseconds from a click to the last page that shows it."""
    delays: list[float] = []
    for number in range(TIMES):
        speaker = pages[number % 2]
        text = f"word {number}"
        began = speaker.evaluate(SAY, text)
        for page in pages:
            page.wait_for_function("text => text in window.seen", arg=text)
        delays.append(max(page.evaluate("text => window.seen[text]", text) for page in pages) - began)
    return delays


def opened(browser: Browser, address: str, seat: SeatClient, script: str) -> Page:
    """A page of somebody, with a script that watches it from its first moment."""
    context = browser.new_context(base_url=address, reduced_motion="reduce")
    context.add_cookies([{"name": "referee", "value": seat.seated.token, "url": address}])
    context.set_default_timeout(120_000)  # a busy machine is slow, not broken
    page = context.new_page()
    page.add_init_script(f"addEventListener('DOMContentLoaded', {script})")
    page.goto(f"/table/{seat.campaign}")
    return page


# --- odds of a turn ---------------------------------------------------------------------------------------------------


def figures(browser: Browser, address: str, system: str, sample: str, who: str) -> list[Waited]:
    """How long the figures of a turn take: after the page was opened, and after each of a few turns."""
    mo = Client(address).create("Thursday", system, master="Mo", sample=sample)
    anna = Client(address).join(mo.invite(controls=[who]).code, "Anna")
    for seat in (mo, anna):
        for prompt, answer in STANDING:
            seat.standing_answer(prompt, answer)
    pages = [opened(browser, address, each, CLOCK) for each in (mo, anna)]
    found: list[Waited] = []
    for _ in range(MOST_CLICKS):
        until(lambda: any(pressable(each).count() for each in pages))
        page = next((each for each in pages if pressable(each).count()), None)
        if page is None or len(found) == TURNS_TIMED:
            break
        if turn_of(page).count():
            until(partial(page.evaluate, "window.turn.all !== undefined"), PATIENCE)
            late = PATIENCE * 1000  # of what did not come
            found.append(Waited(*(page.evaluate(f"window.turn.{each} ?? {late}") for each in Waited._fields)))
        for each in pages:
            each.evaluate("window.restart()")
        press(page, pages)
    left(pages)
    return found


# --- clicks of a fight ------------------------------------------------------------------------------------------------


def turn_of(page: Page) -> Locator:
    return page.locator(".ask.turning:not(.others) .go").locator("visible=true")


def pressable(page: Page) -> Locator:
    """What one would press: the button of a turn, or else the last answer, which declines what is offered."""
    return page.locator(".ask:not(.others):not(.aftermath) :is(.go, .option)").locator("visible=true")


def is_over(pages: Sequence[Page]) -> bool:
    return any(each.locator(".aftermath").count() for each in pages)


def press(page: Page, pages: Sequence[Page], *, for_all: bool = False) -> None:
    """Press it, and wait until somebody is asked something else."""
    told = state(pages)
    always = page.locator(".ask:not(.others) button.link", has_text="do not ask me").locator("visible=true")
    button = turn_of(page).first if turn_of(page).count() else pressable(page).last
    with suppress(Error):  # it was answered meanwhile: by a standing answer, or on another page
        (always.first if for_all and always.count() else button).click(timeout=3_000)
    until(lambda: state(pages) != told)


def state(pages: Sequence[Page]) -> list[Any]:
    """What pages ask and how much they tell."""
    return [each.evaluate(STATE) for each in pages]


def until(holds: Callable[[], object], seconds: float = 10.0) -> None:
    deadline = monotonic() + seconds
    while not holds() and monotonic() < deadline:
        sleep(0.02)


def count(fight: str, pages: Sequence[Page], *, for_all: bool = False) -> Counted:
    """Play what is preselected until the fight is over or enough clicks are made."""
    questions = actions = clicks = 0
    began = monotonic()
    for _ in range(MOST_CLICKS):
        until(lambda: is_over(pages) or any(pressable(each).count() for each in pages))
        page = next((each for each in pages if pressable(each).count()), None)
        if page is None or is_over(pages):
            break
        is_turn = turn_of(page).count() > 0
        if is_turn and not actions:
            began = monotonic()
        actions += is_turn
        clicks += bool(actions)
        questions += not actions
        press(page, pages, for_all=for_all)
    return Counted(fight, questions, actions, clicks, monotonic() - began)


def three_against_two(address: str) -> list[SeatClient]:
    """A Distemper fight: three players' characters against two, before anybody has rolled initiative."""
    client = Client(address)
    mo = client.create("Thursday", "distemper", master="Mo", sample="market")
    whole = {"kind": "Character", "wp": 10, "wp_full": 10, "rp": 10, "rp_full": 10}
    rifle = {"name": "rifle", "skill": "Ranged Combat", "wp": 4, "rp": 3}
    for name in ("Ash", "Bell", "Cole", "raider", "lookout"):
        is_own = name in {"Ash", "Bell", "Cole"}
        mo.edit(name, **whole, player=is_own, insight=2 if is_own else 0, items=[rifle])
    seats = [mo]
    for player, who in (("Anna", "Ash"), ("Ben", "Bell"), ("Cleo", "Cole")):
        seats.append(client.join(mo.invite(controls=[who]).code, player))
    mo.edit("fight", kind="Fight", sides=[["Ash", "Bell", "Cole"], ["raider", "lookout"]])
    return seats


def counts(browser: Browser, address: str) -> Iterator[Counted]:
    for is_once, says in ((False, "everything answered"), (True, "declined for good")):
        pages = [opened(browser, address, each, CLOCK) for each in three_against_two(address)]
        yield count(f"3 against 2, {says}", pages, for_all=is_once)
        left(pages)
        mo = Client(address).create("Thursday", "d6", master="Mo", sample="loading-dock")
        pages = [opened(browser, address, mo, CLOCK)]
        yield count(f"8 run by one, {says}", pages, for_all=is_once)
        left(pages)


def main() -> None:
    script = ["sh", str(ROOT / "scripts/chromium.sh")]
    where = subprocess.run(script, capture_output=True, text=True, check=True)  # noqa: S603  # our own
    with (
        tempfile.TemporaryDirectory() as folder,
        served(Path(folder)) as (address, _),
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=where.stdout.strip(), args=["--no-sandbox"])
        print(f"{'table':24} {'median ms':>10} {'p99 ms':>8} {'first ms':>9}")
        for system, sample in (("alien", "derelict"), ("distemper", "market"), ("distemper", "roadblock")):
            client = Client(address)
            mo = client.create("Thursday", system, master="Mo", sample=sample)
            seats = [mo, *(client.join(mo.invite().code, name) for name in ("Anna", "Ben"))]
            seats.append(client.join(mo.invite(role="spectator").code, "Zoe"))
            pages = [seated(browser, address, mo.campaign, each.seated.token) for each in seats]
            delays = measure(pages)
            left(pages)
            late = quantiles(delays[1:], n=100)[98]
            print(f"{sample:24} {median(delays[1:]):10.0f} {late:8.0f} {delays[0]:9.0f}", flush=True)
        print(f"\n{'turn of':24} {'buttons ms':>10} {'first figure':>13} {'all figures':>12}", flush=True)
        stood: list[Waited] = []
        for system, sample, who in TURNS:
            waited = figures(browser, address, system, sample, who)
            stood += waited
            middle = Waited(*(median(each) for each in zip(*waited, strict=True)))
            print(f"{sample:24} {middle.buttons:10.0f} {middle.first:13.0f} {middle.all:12.0f}", flush=True)
        print(f"\n{'fight':34} {'questions':>9} {'actions':>8} {'clicks/act':>10} {'s/action':>10}", flush=True)
        fights = []
        for each in counts(browser, address):
            fights.append(each)
            print(each, flush=True)
        browser.close()
    first, last = median(each.first for each in stood), median(each.all for each in stood)
    worst = max(each.all for each in stood)
    fewest = fights[-2]
    print(
        f"browser: first figures of a turn after {first:.0f} ms, all after {last:.0f} ms (worst {worst:.0f} ms); "
        f"3 against 2: {fewest.questions} questions before the first turn, "
        f"{fewest.clicks / fewest.actions:.2f} clicks an action"
    )


if __name__ == "__main__":
    main()
