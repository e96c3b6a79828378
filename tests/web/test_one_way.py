"""A posted action takes the lock of its campaign once and reads its arguments once; subscribers do not wait for it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread
from typing import TYPE_CHECKING, Any

import pytest
from tests.web.conftest import Running, Visitor

from referee.core.rules import Rule
from referee.core.scene import Scene
from referee.table import seat_desk
from referee.table.desk import DeskCommand
from referee.table.open_campaigns import OpenCampaigns, Turn

if TYPE_CHECKING:
    from tests.web.conftest import Party


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often a lock was taken, and the arguments of a skill roll were read."""
    found: Counter[str] = Counter()
    locked, arguments = OpenCampaigns.locked, Rule.arguments

    @contextmanager
    def count_lock(self: OpenCampaigns, campaign: str, turn: Turn, from_line: int | None = None) -> Iterator[Any]:
        found["lock"] += 1
        with locked(self, campaign, turn, from_line) as entry:
            yield entry

    def count_reading(self: Rule[..., Any], plain: Any, scene: Scene | None = None) -> tuple[Any, ...]:
        found["arguments"] += 1
        return arguments(self, plain, scene)

    monkeypatch.setattr(OpenCampaigns, "locked", count_lock)
    monkeypatch.setattr(Rule, "arguments", count_reading)
    return found


def test_a_form_takes_the_lock_once_and_is_read_once(running: Running, party: Party, counted: Counter[str]) -> None:
    browser = Visitor(running.address, party.anna.campaign, party.anna.seated.token)
    browser.post("/act", action="skill-roll", who="Ripa", **{"arg-skill": "Observation"})
    browser.http.close()
    assert counted == {"lock": 1, "arguments": 1}


def test_a_program_takes_the_lock_once_and_is_read_once(party: Party, counted: Counter[str]) -> None:
    party.anna.act("skill-roll", "Ripa", skill="Observation")
    assert counted == {"lock": 1, "arguments": 1}


def test_subscribers_are_notified_without_the_lock(running: Running, party: Party) -> None:
    hub, heard = running.hub, []

    def read_in_another_thread() -> None:
        thread = Thread(target=lambda: heard.append(hub.is_seated(party.anna.campaign, party.anna.seat)))
        thread.start()
        thread.join(5)

    unsubscribe = hub.subscribe(party.anna.campaign, read_in_another_thread)
    party.anna.note("Anybody there?")
    unsubscribe()
    assert heard == [True]


def test_a_seat_that_was_taken_away_is_refused_even_if_its_token_was_not_revoked(
    running: Running, party: Party
) -> None:
    running.hub.act(party.mo.campaign, party.mo.seat, DeskCommand(seat_desk.dismiss, party.ben.seat))
    browser = Visitor(running.address, party.ben.campaign, party.ben.seated.token)
    for path in ("/act", "/say", "/stop"):
        browser.post(path, 401, action="skill-roll", who="Dallow", text="still here")
    assert browser.http.get(f"/api/v1/campaigns/{party.ben.campaign}/tokens").status_code == 401
    assert browser.http.post(f"/api/v1/campaigns/{party.ben.campaign}/tokens", json={"name": "bot"}).status_code == 401
    browser.http.close()
