"""Coming in: the invitation that stays on the table page, and the page after the code."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import httpx
import pytest
import segno
from tests.web.conftest import Visitor

from referee.client import ApiError, Client, SeatClient
from referee.store.sqlite import SQLiteStore
from referee.table.hub import Hub
from referee.web.addresses import Reach
from referee.web.demo import demonstrations
from referee.web.pages.parts.invitation import ShownInvitation

if TYPE_CHECKING:
    from tests.web.conftest import Running


OPEN: list[httpx.Client] = []
"""The browsers of a test."""


@pytest.fixture(autouse=True)
def _closed() -> Iterator[None]:
    yield
    while OPEN:
        OPEN.pop().close()


def seen(running: Running, seat: SeatClient) -> Visitor:
    visitor = Visitor(running.address, seat.campaign, seat.seated.token)
    OPEN.append(visitor.http)
    return visitor


def joining(running: Running, code: str, name: str) -> tuple[Visitor, str]:
    """Somebody joins in a browser without scripts; they, and where they are led."""
    http = httpx.Client(base_url=running.address, headers={"Origin": running.address}, timeout=30)
    answer = http.post("/join", data={"code": code, "name": name})
    assert answer.status_code == 303, answer.text
    where = answer.headers["location"]
    visitor = Visitor(running.address, where.split("/")[2])
    visitor.http.close()
    visitor.http = http
    OPEN.append(http)
    return visitor, where


def code_on(page: str) -> str:
    found = re.search(r'<code class="code">([a-z0-9-]+)</code>', page)
    return found[1] if found else ""


@pytest.fixture
def market_of_mo(client: Client) -> SeatClient:
    return client.create("The market", "distemper", sample="market", master="Mo")


# --- the invitation ---------------------------------------------------------------------------------------------------


def test_the_invitation_stays_on_the_table_page_until_it_is_revoked(running: Running, market_of_mo: SeatClient) -> None:
    mo = seen(running, market_of_mo)
    assert code_on(mo.get("")) == ""
    assert mo.post("/invite").endswith("#invite")
    code = code_on(mo.get(""))
    assert code
    for name in ("Anna", "Ben", "Cleo"):
        joining(running, code, name)
    assert code_on(mo.get("")) == code
    mo.post("/invite/revoke")
    assert code_on(mo.get("")) == ""
    refused = httpx.post(f"{running.address}/join", data={"code": code, "name": "Dora"})
    assert refused.status_code == 422


def test_another_code_ends_the_one_before(running: Running, market_of_mo: SeatClient) -> None:
    mo = seen(running, market_of_mo)
    mo.post("/invite")
    first = code_on(mo.get(""))
    mo.post("/invite")
    assert code_on(mo.get("")) == first
    mo.post("/invite", anew="yes")
    assert code_on(mo.get("")) not in {"", first}
    assert httpx.post(f"{running.address}/join", data={"code": first, "name": "Dora"}).status_code == 422


def test_the_invitation_is_the_same_after_a_restart(tmp_path: Path) -> None:
    hub = Hub(SQLiteStore.open(tmp_path / "referee.db"))
    made = hub.create("Ours", "alien", {}, "Mo")
    code = hub.invite_standing(made.campaign, made.seat)
    hub.close()
    again = Hub(SQLiteStore.open(tmp_path / "referee.db"))
    assert again.standing_invitation(made.campaign) == code
    assert again.join(code, "Anna").campaign == made.campaign
    again.close()


def test_a_table_opened_on_the_start_page_has_its_invitation_at_once(running: Running) -> None:
    with httpx.Client(base_url=running.address, headers={"Origin": running.address}, follow_redirects=True) as http:
        page = http.post("/tables", data={"system": "alien", "name": "Ours", "master": "Mo"}).text
    assert code_on(page)


def test_players_see_the_invitation_only_if_the_game_master_lets_them_and_never_change_it(
    running: Running, market_of_mo: SeatClient, client: Client
) -> None:
    mo = seen(running, market_of_mo)
    mo.post("/invite")
    code = code_on(mo.get(""))
    anna = seen(running, client.join(code, "Anna"))
    zoe = seen(running, client.join(market_of_mo.invite("spectator").code, "Zoe"))
    assert code not in anna.get("")
    market_of_mo.settings(invite_shown=True)
    page = anna.get("")
    assert code_on(page) == code
    assert "/invite/revoke" not in page
    assert code not in zoe.get("")
    anna.post("/invite", 403)
    anna.post("/invite/revoke", 403)
    assert code_on(mo.get("")) == code


def test_the_code_stands_in_no_page_of_the_log(running: Running, market_of_mo: SeatClient) -> None:
    code = market_of_mo.invite(stays=True).code
    assert market_of_mo.invite(stays=True).code == code
    for page in ("/history", "/master/seats", "/history/audit"):
        assert code not in seen(running, market_of_mo).get(page)


def test_the_picture_is_the_qr_code_of_the_link() -> None:
    shown = ShownInvitation("a-b", "/join/a-b", Reach(("http://192.168.1.20:8000",)))
    rows = segno.make("http://192.168.1.20:8000/join/a-b", micro=False).matrix
    assert modules(shown.qr) == {(x, y) for y, row in enumerate(rows) for x, dark in enumerate(row) if dark}


def modules(svg: str) -> set[tuple[int, int]]:
    """The dark squares that the lines of a picture draw, without its border of three."""
    path = re.search(r'd="(M3 3\.5h[^"]+)"', svg)
    assert path, svg
    found, x, y = set[tuple[int, int]](), 0.0, 0.0
    for kind, numbers in re.findall(r"([Mmh])([-0-9. ]+)", path[1]):
        given = [float(each) for each in re.findall(r"-?[0-9.]+", numbers)]
        if kind == "h":
            found |= {(int(x) + at - 3, int(y) - 3) for at in range(int(given[0]))}
            x += given[0]
        else:
            x, y = (given[0], given[1]) if kind == "M" else (x + given[0], y + given[1])
    return found


# --- whom one plays ---------------------------------------------------------------------------------------------------


def test_whoever_joins_by_a_code_picks_a_free_character(
    running: Running, market_of_mo: SeatClient, client: Client
) -> None:
    code = market_of_mo.invite(stays=True).code
    anna, where = joining(running, code, "Anna")
    assert where.endswith("/come-in")
    page = anna.get("/come-in")
    assert re.findall(r'name="character" value="([^"]+)"', page) == ["Ash", "Bell"]
    assert anna.post("/come-in", character="Ash") == anna.table
    assert "you play Ash" in anna.get("")
    assert "Anna is now a player and plays Ash." in seen(running, market_of_mo).get("")
    ben, _ = joining(running, code, "Ben")
    assert re.findall(r'name="character" value="([^"]+)"', ben.get("/come-in")) == ["Bell"]


def test_a_code_for_somebody_leads_straight_to_the_table(running: Running, market_of_mo: SeatClient) -> None:
    _, played = joining(running, market_of_mo.invite(controls=["Ash"]).code, "Anna")
    _, watched = joining(running, market_of_mo.invite("spectator").code, "Zoe")
    assert not played.endswith("/come-in")
    assert not watched.endswith("/come-in")


@pytest.mark.parametrize("whom", ["Bell", "trader", "nobody"])
def test_who_is_taken_or_no_players_own_cannot_be_taken(
    running: Running, market_of_mo: SeatClient, client: Client, whom: str
) -> None:
    client.join(market_of_mo.invite(controls=["Bell"]).code, "Ben")
    anna, _ = joining(running, market_of_mo.invite(stays=True).code, "Anna")
    assert "Ash" in anna.post("/come-in", 422, character=whom)
    assert "you play " not in anna.get("").replace("whom you play", "")


def test_the_game_master_may_say_that_players_do_not_pick(running: Running, market_of_mo: SeatClient) -> None:
    assert market_of_mo.view().settings["players_pick"] is True
    market_of_mo.settings(players_pick=False)
    anna, _ = joining(running, market_of_mo.invite(stays=True).code, "Anna")
    page = anna.get("/come-in")
    assert "The game master says whom you play" in page
    assert 'name="character"' not in page
    assert "the game master says who plays whom" in anna.post("/come-in", 403, character="Ash")


def test_the_game_master_changes_who_was_picked(running: Running, market_of_mo: SeatClient) -> None:
    anna, _ = joining(running, market_of_mo.invite(stays=True).code, "Anna")
    anna.post("/come-in", character="Ash")
    seat = next(each.id for each in market_of_mo.seats() if each.name == "Anna")
    market_of_mo.change_seat(seat, controls=["Bell"])
    assert "you play Bell" in anna.get("")


def test_a_spectator_takes_nobody(running: Running, market_of_mo: SeatClient) -> None:
    zoe, _ = joining(running, market_of_mo.invite("spectator").code, "Zoe")
    assert 'name="character"' not in zoe.get("/come-in")
    zoe.post("/come-in", 403, character="Ash")


def test_the_page_after_the_code_tells_nothing_of_hidden_people(running: Running, client: Client) -> None:
    """Two worlds: in one somebody waits in hiding. The page, and what is said to whoever asks for them, are equal."""
    told = []
    for hidden in (False, True):
        mo = client.create("The market", "distemper", sample="market", master="Mo")
        if hidden:
            mo.edit("Quill", kind="Character", player=True)
            mo.hide("Quill")
        code = mo.invite(stays=True).code
        anna, _ = joining(running, code, "Anna")
        page, refused = anna.get("/come-in"), anna.post("/come-in", 422, character="Quill")
        ben = client.join(code, "Ben")
        with pytest.raises(ApiError) as why:
            ben.change_seat(ben.seat, controls=["Quill"])
        told.append([each.replace(mo.campaign, "") for each in (page, refused, str(why.value))])
    assert told[0] == told[1]


# --- demonstrations ---------------------------------------------------------------------------------------------------


def test_the_play_link_of_a_demonstration_gives_whoever_is_asked_first(hub: Hub, tmp_path: Path) -> None:
    played = {}
    for each in demonstrations(hub, tmp_path):
        found = []
        for name in ("Anna", "Ben"):
            made = hub.join(each.player, name)
            found.append(sorted(hub.read(made.campaign, made.seat, lambda desk: desk.member.controls)))
        played[each.system] = found
    assert played == {
        "ALIEN": [["Brekk"], ["Dallow"]],
        "D6 System": [["Ines"], ["Jorge"]],
        "Dime Adventures": [["Rourke"], ["Ada"]],
        "Distemper": [["Ash"], ["Bell"]],
        "Year Zero": [["Juno"], ["Okonkwo"]],
    }


def test_when_nobody_is_free_the_play_link_seats_a_player_who_may_build_somebody(hub: Hub, tmp_path: Path) -> None:
    demo = next(each for each in demonstrations(hub, tmp_path) if each.system == "Distemper")
    seats = [hub.join(demo.player, name) for name in ("Anna", "Ben", "Cleo")]
    assert hub.read(seats[2].campaign, seats[2].seat, lambda desk: desk.member.controls) == frozenset()
