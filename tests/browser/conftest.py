"""People with real browsers at a real server: a test fails by whatever their browsers complain of.

`HEADED=1` shows the browsers, slowly. A test that fails leaves a picture of every page in `.pytest_cache/d/browser`.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import sys
from asyncio import _set_running_loop
from collections.abc import Callable, Iterator, Mapping
from importlib.resources import files
from pathlib import Path
from time import monotonic
from typing import Any, Final, Literal, NamedTuple

import httpx
import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Error, Page, Request, expect, sync_playwright

ROOT: Final = Path(__file__).parent.parent.parent
WIDE: Final = (1280, 800)
HEADED: Final = os.environ.get("HEADED", "") not in {"", "0"}
FLAGS: Final = (
    "--no-sandbox",  # in a container root has no sandbox to offer
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",  # nobody else is reached, whatever a page asks for
)
AXE: Final = (files("axe_playwright_python") / "axe.min.js").read_text("utf-8")
GRAVE: Final = frozenset({"serious", "critical"})
VENDORED: Final = "/vendor/"
"""In whose address this stands, somebody else has written."""
GIVEN_UP: Final = "net::ERR_ABORTED"
"""What a page says of what it asked for and was left before it came, such as a live stream."""
ABANDONED: Final = r"htmx:(sendAbort|afterRequest)\b"
"""What is said of odds that were asked for a question that is gone."""
OUTAGE: Final = (
    r"net::ERR_(CONNECTION|CONTENT_LENGTH|EMPTY|INCOMPLETE|NETWORK|SOCKET)",
    r"status of 50[234]",
    r"on the console: (\[object Event\]|htmx:(afterRequest|responseError|sendError))",
)
"""What a browser complains of while its server is away: by itself, for the live stream, and for odds under way."""


PATIENCE: Final = 60.0
"""Seconds that anything may take: a busy machine is no failure. Who waits for something that comes waits no longer."""


# --- the server -------------------------------------------------------------------------------------------------------


class Server:
    """`referee serve` in a process of its own; it starts again with the same address and database."""

    def __init__(self, folder: Path, **settings: str) -> None:
        self.folder = folder
        self.settings = {
            "PORT": "0",
            "RATE": "100000",
            "LOG": "plain",
            "BROWSER": "no",
            "DATA": str(folder),
            **settings,
        }
        self.start()

    def start(self) -> None:
        clean = {name: value for name, value in os.environ.items() if not name.startswith("REFEREE_")}
        environment = clean | {f"REFEREE_{name}": value for name, value in self.settings.items()}
        command = [sys.executable, "-m", "referee", "serve"]
        with self.log.open("a", encoding="utf-8") as log:
            self.process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=log, text=True)
        assert self.process.stdout is not None
        said = next((line for line in self.process.stdout if line.startswith("Referee is at")), "")
        assert said, self.log.read_text("utf-8")
        self.settings["PORT"] = said.strip().rpartition(":")[2]
        self.address = f"http://127.0.0.1:{self.settings['PORT']}"
        try:
            assert httpx.get(f"{self.address}/health", timeout=PATIENCE).is_success
        except Exception:
            self.kill()
            raise

    @property
    def log(self) -> Path:
        return self.folder / "server.log"

    def stop(self) -> None:
        """As Ctrl-C does; what is under way comes to its end."""
        self.process.terminate()
        self._gone()

    def kill(self) -> None:
        self.process.kill()
        self._gone()

    def _gone(self) -> None:
        self.process.communicate(timeout=PATIENCE)


Serve = Callable[..., Server]


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The server that tests share: begin a campaign of your own there."""
    server = Server(tmp_path_factory.mktemp("server"))
    yield server
    server.stop()


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Serve]:
    """A server of one's own, to stop and start: `serve(DEMO="no")`; its people are `people("Mo", at=server)`."""
    started: list[Server] = []

    def start(**settings: str) -> Server:
        folder = tmp_path / f"server-{len(started)}"
        folder.mkdir()
        started.append(Server(folder, **settings))
        return started[-1]

    yield start
    for each in started:
        each.kill()


# --- the browser ------------------------------------------------------------------------------------------------------


class Chromium(NamedTuple):
    """A browser, and the event loop that the calls to it run in."""

    browser: Browser
    loop: asyncio.AbstractEventLoop


@pytest.fixture(scope="session")
def chromium() -> Iterator[Chromium]:
    """One for all tests of a worker. Its event loop counts as running in browser tests only: others have their own."""
    where = subprocess.run(["sh", ROOT / "scripts/chromium.sh"], capture_output=True, text=True, check=False)
    assert where.returncode == 0, where.stderr
    expect.set_options(timeout=PATIENCE * 1000)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=where.stdout.strip(), args=FLAGS, headless=not HEADED, slow_mo=250 if HEADED else 0
        )
        loop = asyncio.get_running_loop()
        _set_running_loop(None)
        yield Chromium(browser, loop)
        _set_running_loop(loop)
        browser.close()


@pytest.fixture
def browser(chromium: Chromium) -> Iterator[Browser]:
    _set_running_loop(chromium.loop)
    yield chromium.browser
    _set_running_loop(None)


# --- those who sit at it ----------------------------------------------------------------------------------------------


class FirstView(NamedTuple):
    """How many bytes a page brings when it is seen for the first time, as they are sent, by address."""

    own: Mapping[str, int]
    vendored: Mapping[str, int]
    fonts: Mapping[str, int]

    @property
    def bytes(self) -> int:
        """Of our own alone."""
        return sum(self.own.values())


class User:
    """Somebody with a browser of their own: cookies, size, colours."""

    def __init__(self, name: str, context: BrowserContext, server: Server) -> None:
        self.name = name
        self.context = context
        self.server = server
        self.allowed: list[str] = []
        self.complaints: list[str] = []
        self.asked: list[Request] = []
        self.ended: list[Request] = []
        context.on("console", self._hear)
        context.on("weberror", lambda error: self.complain(f"error on the page: {error.error}"))
        context.on("request", self._ask)
        context.on("requestfinished", self._end)
        context.on("requestfailed", self._end)
        self.page: Page = context.new_page()

    def open(self, path: str) -> Page:
        """Go to an address of the server."""
        self.page.goto(path)
        return self.page

    def post(self, path: str, /, **plain: Any) -> Any:
        """Do by the API what a test need not do by hand, such as `post("/api/v1/join", code=…)`: the seat is kept."""
        answer = self.context.request.post(path, data=plain, headers={"Origin": self.server.address})
        assert answer.ok, answer.text()
        return answer.json()

    def until(self, holds: Callable[[], object], seconds: float = PATIENCE) -> None:
        """Wait until something holds, while the browser goes on; for what a page shows, Playwright waits by itself."""
        deadline = monotonic() + seconds
        while not holds():
            assert monotonic() < deadline, "it did not come to that"
            self.page.wait_for_timeout(20)

    def first_view(self, path: str) -> FirstView:
        """Open an address for the first time, in a browser that has seen nothing yet; a live stream is not counted."""
        before = len(self.asked)
        self.open(path)
        self.page.wait_for_timeout(200)  # for what scripts ask for
        counted = [each for each in self.asked[before:] if each.resource_type != "eventsource"]
        self.until(lambda: all(each in self.ended for each in counted))
        found: dict[str, dict[str, int]] = {"own": {}, "vendored": {}, "fonts": {}}
        for each in counted:
            response = each.response()
            if response is not None and not 300 <= response.status < 400:
                kind = "fonts" if each.resource_type == "font" else "vendored" if VENDORED in each.url else "own"
                found[kind][each.url.removeprefix(self.server.address)] = each.sizes()["responseBodySize"]
        return FirstView(**found)

    # --- complaints ---

    def allow(self, *patterns: str) -> None:
        """What this browser may complain of in this test, as regular expressions."""
        self.allowed += patterns

    def allow_outage(self) -> None:
        """The server may go away in this test."""
        self.allow(*OUTAGE)

    def complain(self, message: str) -> None:
        self.complaints.append(message)

    @property
    def unallowed(self) -> list[str]:
        found = [each for each in self.complaints if not any(re.search(pattern, each) for pattern in self.allowed)]
        return [f"{self.name}: {each}" for each in found]

    def _hear(self, message: ConsoleMessage) -> None:
        if message.type == "error" and not re.match(ABANDONED, message.text):
            self.complain(f"on the console: {message.text} ({message.location.get('url', '')})")

    def _ask(self, request: Request) -> None:
        self.asked.append(request)
        if not request.url.startswith((f"{self.server.address}/", "about:", "blob:", "data:")):
            self.complain(f"asked of somebody else: {request.url}")

    def _end(self, request: Request) -> None:
        self.ended.append(request)
        if request.failure not in {None, GIVEN_UP}:
            self.complain(f"failed: {request.method} {request.url} {request.failure}")


class People:
    """Makes those whom a test needs: `mo = people("Mo", viewport=(360, 740), scheme="dark", javascript=False)`."""

    def __init__(self, browser: Browser, shared: Callable[[], Server]) -> None:
        self.browser = browser
        self.shared = shared
        self.users: list[User] = []

    def __call__(
        self,
        name: str,
        *,
        at: Server | None = None,
        viewport: tuple[int, int] = WIDE,
        scheme: Literal["light", "dark"] = "light",
        javascript: bool = True,
        motion: bool = False,
        locale: str = "en-GB",
    ) -> User:
        server = at or self.shared()
        context = self.browser.new_context(
            base_url=server.address,
            viewport={"width": viewport[0], "height": viewport[1]},
            color_scheme=scheme,
            java_script_enabled=javascript,
            reduced_motion="no-preference" if motion else "reduce",
            locale=locale,
            timezone_id="UTC",
        )
        context.set_default_timeout(PATIENCE * 1000)
        self.users.append(User(name, context, server))
        return self.users[-1]

    def check(self) -> None:
        """No browser complained."""
        for user in self.users:
            if user.context.pages:
                user.context.cookies()  # what browsers said is heard with the next answer
        assert not any(user.unallowed for user in self.users), "a browser complained"

    def told(self, folder: Path) -> Iterator[str]:
        """What everybody saw, in files, and what their browsers complained of."""
        for user in self.users:
            for number, page in enumerate(user.context.pages):
                file = folder / f"{user.name}-{number}.png"
                try:
                    page.screenshot(path=file, timeout=3_000)
                    yield f"{user.name} saw {page.url}: {file}"
                except Error as why:
                    yield f"{user.name} was at {page.url}: {why.message.splitlines()[0]}"
            yield from user.unallowed
        yield from {f"the server said: {user.server.log}" for user in self.users}


@pytest.fixture
def people(browser: Browser, request: pytest.FixtureRequest) -> Iterator[People]:
    people = People(browser, lambda: request.getfixturevalue("server"))
    yield people
    for user in people.users:
        user.context.close()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[Any]:
    """A test fails by complaints too; who fails says what was to be seen."""
    people = getattr(item, "funcargs", {}).get("people")
    if not isinstance(people, People):
        return (yield)
    try:
        result = yield
        people.check()
    except (Exception, pytest.fail.Exception) as why:
        folder = item.config.rootpath / ".pytest_cache/d/browser" / re.sub(r"\W+", "-", item.name)
        for each in people.told(folder):
            why.add_note(each)
        raise
    return result


# --- what pages are held to -------------------------------------------------------------------------------------------

Axe = Callable[[Page], None]


@pytest.fixture
def axe() -> Axe:
    """`axe(page)`: nothing on it is a serious or critical hindrance to anybody."""
    return check_access


def check_access(page: Page) -> None:
    assert page.evaluate("matchMedia('(scripting)').matches"), "axe is a script: look with javascript=True"
    page.evaluate(AXE)
    found = page.evaluate("axe.run({resultTypes: ['violations']})")["violations"]
    grave = [each for each in found if each["impact"] in GRAVE]
    assert not grave, "\n".join((f"axe finds at {page.url}:", *map(_violation, grave)))


def _violation(found: Mapping[str, Any]) -> str:
    where = (f"    {json.dumps(each['target'])} {_short(each['html'])}\n{_why(each)}" for each in found["nodes"])
    return "\n".join((f"- {found['id']} ({found['impact']}): {found['help']}, {found['helpUrl']}", *where))


def _why(node: Mapping[str, Any]) -> str:
    return "\n".join(f"      {line}" for line in str(node["failureSummary"]).splitlines()[1:])


def _short(html: str) -> str:
    return html if len(html) <= 120 else f"{html[:119]}…"
