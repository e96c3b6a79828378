"""Where people reach a server, said truly: from phones too, or from this computer only."""

from __future__ import annotations

import io
import json
import logging

import pytest

from referee.web import addresses
from referee.web.access_log import LOGGERS, set_up_logs
from referee.web.addresses import Reach, for_others, is_this_computer, own_addresses, reach
from referee.web.settings import ServerSettings


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST", "127.0.0.1", "127.8.8.8", "::1", "[::1]", "mo.localhost"])
def test_a_loopback_address_leads_to_this_computer_only(host: str) -> None:
    assert is_this_computer(host)


@pytest.mark.parametrize(
    "host", ["192.168.1.5", "table.example.org", "0.0.0.0", "::", "fd00::2", "localhost.example.org"]
)
def test_any_other_may_lead_here_from_elsewhere(host: str) -> None:
    assert not is_this_computer(host)


def test_this_computers_own_addresses_are_none_that_leads_nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    found = ["192.168.1.5", "127.0.0.1", "192.168.1.5", "0.0.0.0", "169.254.3.3", "fe80::1%eth0", "fd00::2"]
    monkeypatch.setattr(addresses, "_candidates", lambda: iter(found))
    assert own_addresses() == ("192.168.1.5", "fd00::2")
    assert for_others("0.0.0.0", 8765) == ("http://192.168.1.5:8765",)
    assert for_others("::", 8765) == ("http://192.168.1.5:8765", "http://[fd00::2]:8765")
    assert for_others("192.168.1.5", 80) == ("http://192.168.1.5",)
    assert for_others("127.0.0.1", 8765) == for_others("localhost", 8765) == ()


LAN = ServerSettings(host="0.0.0.0")


@pytest.mark.parametrize(
    ("asked_at", "settings", "expected"),
    [
        ("localhost:8765", ServerSettings(), Reach(("http://localhost:8765",), only_here=True)),
        ("localhost:8765", LAN, Reach(("http://192.168.1.5:8765",))),
        ("192.168.1.5:8765", LAN, Reach(("http://192.168.1.5:8765",))),
        ("mo.lan:8765", LAN, Reach(("http://mo.lan:8765", "http://192.168.1.5:8765"))),
        ("table.example.org", ServerSettings(), Reach(("http://table.example.org",))),
        ("[::1]:8765", ServerSettings(), Reach(("http://[::1]:8765",), only_here=True)),
        ("localhost:1", ServerSettings(base_url="https://t.example.org/"), Reach(("https://t.example.org",))),
    ],
)
def test_an_invitation_has_an_address_that_leads_here_or_says_so(
    asked_at: str, settings: ServerSettings, expected: Reach, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(addresses, "_candidates", lambda: iter(["192.168.1.5"]))
    assert reach(asked_at, "http", settings, 8765) == expected


def test_on_no_network_only_this_computer_reaches_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(addresses, "_candidates", lambda: iter(()))
    assert reach("localhost:8765", "http", LAN, 8765) == Reach(("http://localhost:8765",), only_here=True)


class Terminal(io.StringIO):
    """A stream somebody looks at."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("kind", "stream", "lines"),
    [
        ("auto", Terminal(), ["plain"]),
        ("auto", io.StringIO(), ["json", "json"]),
        ("json", Terminal(), ["json", "json"]),
        ("plain", io.StringIO(), ["plain", "plain"]),
        ("none", Terminal(), []),
    ],
)
def test_a_terminal_shows_problems_only_unless_asked(kind: str, stream: io.StringIO, lines: list[str]) -> None:
    before = {name: (logging.getLogger(name).handlers, logging.getLogger(name).level) for name in LOGGERS}
    try:
        set_up_logs(kind, stream)
        logging.getLogger("referee.web.requests").info("request", extra={"path": "/"})
        logging.getLogger("referee.web.server").error("upkeep failed: the disk is full")
    finally:
        for name, (handlers, level) in before.items():
            logging.getLogger(name).handlers = handlers
            logging.getLogger(name).setLevel(level)
    written = stream.getvalue().splitlines()
    assert ["json" if line.startswith("{") and json.loads(line) else "plain" for line in written] == lines
    assert not written or "the disk is full" in written[-1]
