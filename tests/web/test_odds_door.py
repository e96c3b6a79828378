"""Who is let in to odds: table by table in turn, strangers last; the others are told how many are before them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import TYPE_CHECKING

import httpx
import pytest
from tests.web.conftest import Visitor

from referee.client import ApiError, Client
from referee.core.errors import Cancelled
from referee.web import odds_door
from referee.web.odds_door import (
    OUTSIDE,
    PLACES,
    SEAT_OUTSIDE,
    SEAT_SHARE,
    SHARE,
    STRANGERS,
    NotLetIn,
    OddsCaller,
    OddsDoor,
)

if TYPE_CHECKING:
    from tests.web.conftest import Running

A, B, C = map(OddsCaller, "abc")


class Guests:
    """Those who want to go through a door."""

    def __init__(self) -> None:
        self.door = OddsDoor()
        self.let_in: list[OddsCaller] = []
        self.leaving: list[asyncio.Future[None]] = []
        self.tasks: list[asyncio.Task[None]] = []

    async def come(self, *callers: OddsCaller) -> None:
        """Each asks to be let in, and stays until told to leave."""
        for caller in callers:
            self.leaving.append(asyncio.get_running_loop().create_future())
            self.tasks.append(asyncio.ensure_future(self._stay(self.leaving[-1], caller)))
        await a_moment()

    async def _stay(self, leaving: asyncio.Future[None], caller: OddsCaller) -> None:
        async with self.door.entered(caller, leaving):
            self.let_in.append(caller)
            await leaving

    async def go(self, *numbers: int) -> None:
        for number in numbers:
            self.leaving[number].set_result(None)
        await a_moment()


async def a_moment() -> None:
    """Long enough for whatever can go on to go on."""
    for _ in range(10):
        await asyncio.sleep(0)


@asynccontextmanager
async def door() -> AsyncIterator[Guests]:
    guests = Guests()
    yield guests
    for each in guests.tasks:
        each.cancel()
    await asyncio.gather(*guests.tasks, return_exceptions=True)


def test_a_table_has_its_share_inside_however_much_it_asks() -> None:
    async def come() -> None:
        async with door() as guests:
            await guests.come(*[A] * 60, B)
            assert guests.let_in == [A] * SHARE + [B]
            await guests.go(0)
            assert guests.let_in == [A] * SHARE + [B, A]

    asyncio.run(come())


def test_at_a_table_the_seats_take_turns_however_much_one_of_them_asks() -> None:
    async def come() -> None:
        async with door() as guests:
            mo, ana = OddsCaller("t", seat="mo"), OddsCaller("t", seat="ana")
            await guests.come(*[mo] * 30, ana)
            assert guests.let_in == [mo] * SEAT_SHARE + [ana], "the other half of the table's share is free"
            await guests.come(*[ana] * 30)
            assert guests.let_in == [mo] * SEAT_SHARE + [ana] * SEAT_SHARE
            await guests.go(0)
            assert guests.let_in[SHARE:] == [mo]
            assert guests.door.waiting(mo) == guests.door.waiting(ana) == 61 - SHARE - 1

    asyncio.run(come())


def test_one_seat_leaves_room_for_the_others_outside_too() -> None:
    async def come() -> None:
        async with door() as guests:
            mo, ana = OddsCaller("t", seat="mo"), OddsCaller("t", seat="ana")
            await guests.come(*[mo] * (SEAT_SHARE + SEAT_OUTSIDE + 1))
            assert isinstance(guests.tasks[-1].exception(), NotLetIn)
            await guests.come(*[ana] * (SEAT_SHARE + 1))
            assert guests.let_in == [mo] * SEAT_SHARE + [ana] * SEAT_SHARE
            assert not guests.tasks[-1].done(), "she waits"

    asyncio.run(come())


def test_when_all_places_are_taken_those_with_the_fewest_inside_are_next() -> None:
    async def come() -> None:
        async with door() as guests:
            full = [OddsCaller(f"t{at}") for at in range(PLACES // SHARE)]
            await guests.come(*full * SHARE)
            assert len(guests.let_in) == PLACES
            await guests.come(full[0], OddsCaller("192.0.2.1", is_stranger=True), C)
            await guests.go(0)
            assert guests.let_in[PLACES:] == [C]
            await guests.go(len(full))
            assert guests.let_in[PLACES:] == [C, full[0]]

    asyncio.run(come())


def test_all_strangers_together_have_a_few_places_and_leave_a_share_to_tables() -> None:
    async def come() -> None:
        async with door() as guests:
            strangers = [OddsCaller(f"192.0.2.{at}", is_stranger=True) for at in range(60)]
            await guests.come(*strangers, A)
            assert guests.let_in == [*strangers[:STRANGERS], A]
            await guests.come(*[OddsCaller(f"t{at}") for at in range(PLACES - SHARE - STRANGERS)])
            await guests.go(0)
            assert guests.let_in[-1].name.startswith("t")
            await guests.go(60)
            assert guests.let_in[-1] == strangers[STRANGERS]

    asyncio.run(come())


def test_whoever_finds_too_many_before_them_is_told_how_many_and_what_to_do() -> None:
    async def come() -> None:
        async with door() as guests:
            await guests.come(*[A] * (SHARE + OUTSIDE + 1))
            with pytest.raises(NotLetIn, match=f"{OUTSIDE} questions of your table wait before yours") as why:
                await guests.tasks[-1]
            assert why.value.shape.legal == [f"ask again in {OUTSIDE + 1} seconds", "ask for fewer at once"]
            assert why.value.headers == {"Retry-After": str(OUTSIDE + 1)}

    asyncio.run(come())


def test_whoever_waits_too_long_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    async def come() -> None:
        async with door() as guests:
            await guests.come(*[A] * (SHARE + 1))
            monkeypatch.setattr(odds_door, "LONGEST", 0.0)
            await guests.come(A)
            with pytest.raises(NotLetIn, match="1 question of your table waits before yours"):
                await guests.tasks[-1]

    asyncio.run(come())


def test_whoever_leaves_while_they_wait_takes_nobodys_place() -> None:
    async def come() -> None:
        async with door() as guests:
            await guests.come(*[A] * (SHARE + 2))
            await guests.go(SHARE)  # outside
            with pytest.raises(Cancelled):
                await guests.tasks[SHARE]
            guests.tasks[SHARE + 1].cancel()
            await asyncio.gather(guests.tasks[SHARE + 1], return_exceptions=True)
            assert guests.door.waiting(A) == 0
            await guests.go(0)
            await guests.come(A)
            assert guests.let_in == [A] * (SHARE + 1)

    asyncio.run(come())


def test_a_door_that_closes_tells_those_who_wait() -> None:
    async def come() -> None:
        async with door() as guests:
            await guests.come(*[A] * (SHARE + 1))
            guests.door.close()
            with pytest.raises(NotLetIn):
                await guests.tasks[-1]

    asyncio.run(come())


@contextmanager
def shut(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Nobody is let in for a while."""
    with monkeypatch.context() as shutting:
        shutting.setattr(odds_door, "SHARE", 0)
        shutting.setattr(odds_door, "OUTSIDE", 0)
        yield


def test_a_program_is_told_that_odds_are_busy_and_a_page_stands_without_figures(
    running: Running, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    mo = client.create("The market", "distemper", sample="market", master="Mo")
    browser = Visitor(running.address, mo.campaign, mo.seated.token)
    with shut(monkeypatch):
        with pytest.raises(ApiError, match="odds are busy: 0 questions of your table wait before yours") as why:
            mo.odds("check", "Ash", using="Reason")
        assert why.value.status == 429
        assert "Odds unknown: too many odds are being computed just now." in browser.get("/odds?check=2d6")
    assert "<svg" in httpx.get(f"{running.address}/odds/distemper?check=2d6", timeout=20).text
    browser.http.close()
