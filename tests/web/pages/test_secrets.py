"""Two worlds that differ in their secrets alone: who may not know them gets the same pages, to the byte."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

import pytest
from tests.web.conftest import Running, Visitor

from referee.client import Client, SeatClient
from referee.drivers.stop import timed_by
from referee.table import master_desk
from referee.table.desk import DeskCommand

if TYPE_CHECKING:
    from collections.abc import Sequence

STALKERS = {
    "here": ("Nightjar", {"stress": 3, "attributes": {"Agility": 5}}),
    "there": ("Maw", {"stress": 0, "attributes": {"Agility": 2}}),
}


class World(NamedTuple):
    """One of two tables: the game master, Anna who may not know, Ben who may."""

    server: Running
    mo: SeatClient
    anna: SeatClient
    ben: SeatClient
    pages: Visitor
    hidden: str

    def seen(self, path: str) -> str:
        """A page of Anna's, with what belongs to the campaign alone (ids, times, digests) made alike."""
        answer = self.pages.http.get(path.replace("{table}", self.pages.table))
        text = f"{answer.status_code} {answer.text}"
        for at, each in enumerate((self.mo.campaign, self.mo.seat, self.anna.seat, self.ben.seat)):
            text = text.replace(each, f"id-{at}")
        text = re.sub(r"seen=[0-9a-f]{16}", "seen=…", text)
        return re.sub(r'<time datetime="[^"]*">[^<]*</time>', "<time>", text)


@contextmanager
def world(
    server: Running, client: Client, name: str, system: str, sample: str, plays: Sequence[str]
) -> Iterator[World]:
    mo = client.create("Cold Harbour", system, sample=sample, master="Mo")
    anna, ben = (
        client.join(mo.invite(controls=[each]).code, who) for each, who in zip(plays, ("Anna", "Ben"), strict=True)
    )
    pages = Visitor(server.address, mo.campaign, anna.seated.token)
    yield World(server, mo, anna, ben, pages, name)
    pages.http.close()


Script = Callable[[World], None]


def a_foe_in_hiding(it: World) -> None:
    name, fields = STALKERS[it.hidden]
    it.server.hub.act(
        it.mo.campaign, it.mo.seat, DeskCommand(master_desk.add, name, {"kind": "Colonist", **fields}, hidden=True)
    )
    it.mo.edit(name, stress=4)
    it.mo.act("skill-roll", name, skill="Mobility")
    it.mo.answer(f"{name}.skill", {"base": [2] * (5 if it.hidden == "here" else 2), "stress": [2] * 4})
    it.mo.answer(f"{name}.push", "no")


def hidden_dice(it: World) -> None:
    for _ in range(1 if it.hidden == "here" else 3):
        it.mo.roll("3d6", hidden=True)
        it.mo.answer("game master.throw", [[2, 2, 2]])


def a_whisper(it: World) -> None:
    it.mo.note(f"Only you hear this: {it.hidden}", to=[it.ben.seat])


def notes_of_others(it: World) -> None:
    it.ben.note(f"to the game master: {it.hidden}", to=[it.mo.seat])


SECRETS: dict[str, Script] = {
    "a foe in hiding": a_foe_in_hiding,
    "hidden dice": hidden_dice,
    "a whisper": a_whisper,
    "talk with the game master": notes_of_others,
}
PAGES = (
    "{table}",
    "{table}?as=Ripa",
    "{table}?odds=1",
    "{table}/sheet/Ripa",
    "{table}/sheet/Dallow",
    "{table}/sheet/Nightjar",
    "{table}/sheet/Maw",
    "{table}/story?before=9",
    "{table}/chances?as=Ripa",
    "{table}/history",
    "{table}/history/3",
    "{table}/history/recap.md",
    "{table}/history/recap.md?length=short",
    "{table}/history/recap.md?length=page",
    "{table}/rules",
    "{table}/rules?search=stress",
    "{table}/rules/alien.basics.skill-roll",
    "{table}/rules/alien.stress.stress-level",
    "{table}/odds",
    "{table}/odds?who=Ripa&action=skill-roll&arg-skill=Observation",
    "{table}/master",
    "/",
)


def play(it: World) -> None:
    """What everybody sees."""
    it.anna.act("skill-roll", "Ripa", skill="Observation")
    it.anna.answer("Ripa.skill", [[2, 2, 3, 4, 5, 5, 2], [4]])


@pytest.fixture(autouse=True)
def time_for_odds() -> Iterator[None]:
    """Odds never run out of time here: two figures that were counted in plays would differ by chance."""
    with timed_by(lambda: 0.0):
        yield


@pytest.mark.parametrize("secret", SECRETS)
def test_who_may_not_know_gets_the_same_pages(running: Running, client: Client, secret: str) -> None:
    plays = ("Ripa", "Dallow")
    with (
        world(running, client, "here", "alien", "derelict", plays) as here,
        world(running, client, "there", "alien", "derelict", plays) as there,
    ):
        for each in (here, there):
            each.mo.settings(throws={"*": "leave it"})
            SECRETS[secret](each)
            play(each)
            if secret != "a foe in hiding":  # it comes once
                SECRETS[secret](each)
        assert here.mo.view().cursor > 3
        for path in PAGES:
            assert here.seen(path) == there.seen(path), path
        for path in ("{table}", "{table}/history"):
            page = here.seen(path)
            assert "Nightjar" not in page
            assert "Only you hear this" not in page


def test_a_secret_modifier_is_on_no_page_of_a_player(running: Running, client: Client) -> None:
    plays = ("Ash", "Bell")
    with (
        world(running, client, "here", "distemper", "market", plays) as here,
        world(running, client, "there", "distemper", "market", plays) as there,
    ):
        for each, secret in ((here, -3), (there, 2)):
            each.mo.settings(throws={"*": "leave it"})
            each.mo.act("check", "Ash", using="Reason", secret=secret)
            each.anna.answer("Ash.insight-before", "no")
            each.anna.answer("Ash.check", [[3, 4]])
        for path in ("{table}", "{table}?odds=1", "{table}/history", "{table}/history/4", "{table}/sheet/Ash"):
            page = here.seen(path)
            assert page == there.seen(path), path
            assert not re.search("kept secret [+\N{MINUS SIGN}]", page)
        mine = Visitor(running.address, here.mo.campaign, here.mo.seated.token)
        assert "kept secret \N{MINUS SIGN}3" in mine.get("")
        mine.http.close()
