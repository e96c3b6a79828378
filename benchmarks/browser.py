"""From a click to every screen, in a real Chromium: `make bench-browser`.

A game master, two players and somebody who looks on, each with a page of their own. Somebody speaks, rolls, answers;
the time runs from the click to the moment the words stand on each page, by the pages' own clocks. Server, browser and
this program share the machine.
"""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path
from statistics import median, quantiles
from typing import Final

from playwright.sync_api import Browser, Page, sync_playwright

from referee.client import Client
from server import served

ROOT: Final = Path(__file__).parent.parent
TIMES: Final = 60
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


def seated(browser: Browser, address: str, campaign: str, token: str) -> Page:
    """A page of somebody who has a seat."""
    context = browser.new_context(base_url=address)
    context.add_cookies([{"name": "referee", "value": token, "url": address}])
    page = context.new_page()
    page.goto(f"/table/{campaign}")
    page.evaluate(WATCH)
    return page


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
            pages = [seated(browser, address, mo.campaign, each.token) for each in seats]
            delays = measure(pages)
            late = quantiles(delays[1:], n=100)[98]
            print(f"{sample:24} {median(delays[1:]):10.0f} {late:8.0f} {delays[0]:9.0f}", flush=True)
        browser.close()


if __name__ == "__main__":
    main()
