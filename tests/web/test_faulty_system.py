"""A system whose rules fail, behind a real server: people are told, others play on; and a backup opened meanwhile."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import pytest
from tests.web.conftest import Running, Visitor

from referee.client import ApiError, Client, SeatClient

PACKAGE: Final = Path(__file__).parent.parent / "faulty_package"


@pytest.fixture
def client(serve: Callable[..., Running], monkeypatch: pytest.MonkeyPatch) -> Iterator[Client]:
    monkeypatch.syspath_prepend(str(PACKAGE))
    with Client(serve(odds_workers=1).address) as found:
        yield found


@pytest.fixture
def master(client: Client) -> SeatClient:
    return client.create("one", "faulty", master="Mo", scene={"ana": {}, "bo": {}, "clock": {"kind": "Clock"}})


def test_a_program_is_told_which_rule_failed_and_others_play_on(master: SeatClient) -> None:
    with pytest.raises(ApiError) as told:
        master.act("raise", "ana")
    assert (told.value.status, told.value.error, told.value.rule) == (500, "rule-failed", "faulty.raise")
    assert told.value.message.startswith("the code of faulty.raise has failed, and nothing was changed (error ")
    assert "nothing'" not in told.value.message  # what it says itself may name what is hidden
    with pytest.raises(ApiError) as told:
        master.act("loop", "ana")
    assert (told.value.status, told.value.error) == (409, "refused")
    master.act("step", "bo")
    assert master.view().scene["bo"]["steps"] == 1


def test_a_page_shows_what_failed_beside_what_can_be_done(client: Client, master: SeatClient) -> None:
    page = browser(client, master).get("?as=ana")
    assert "the code of faulty.check has failed" in page
    assert "Step" in page


def test_what_a_rule_prints_does_not_get_among_the_odds(client: Client, master: SeatClient) -> None:
    """The second question goes the same way as the first, by the same process."""
    for who in ("ana", "bo"):
        assert master.odds("print", who).now == master.odds("step", who).now


def test_a_backup_is_opened_while_everybody_plays(client: Client) -> None:
    mo = client.create("Thursday", "d6", master="Mo", scene={})
    said: list[str] = []

    def talk() -> None:
        for number in range(40):
            mo.note(f"note {number}")
            said.append(f"note {number}")

    mo.note("before")
    page = browser(client, mo)
    page.post("/master/backup")
    talking = threading.Thread(target=talk)
    talking.start()
    backup = page.get("/master/table").split('name="backup" value="')[1].split('"')[0]
    there = page.post("/master/restore", backup=backup)
    talking.join()
    assert there.startswith("/table/")
    assert not there.endswith(mo.campaign)
    assert [text for each in mo.log(limit=100).items if (text := getattr(each, "text", ""))] == ["before", *said]


def browser(client: Client, seat: SeatClient) -> Visitor:
    """The same seat in a browser."""
    assert seat.token is not None
    return Visitor(str(client.http.base_url).rstrip("/"), seat.campaign, seat.token)
