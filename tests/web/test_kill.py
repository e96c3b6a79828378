"""A server killed while everybody writes: all that it acknowledged is there, and nothing is there by halves.

5 times in `make test-long`; `REFEREE_KILLS=200` for more.
Seats note, throw, answer, edit and undo over real HTTP, newcomers
join and begin campaigns, game masters listen. Then SIGKILL; the store is looked at while nobody serves it; the server
starts again, and whoever got no answer asks again with the same key.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pytest

from referee.client import ApiError, Client, SeatClient
from referee.store.base import Store
from referee.store.folders import DATABASE
from referee.store.sqlite import SQLiteStore
from referee.wire.replies import NewSeat

REFEREE = str(Path(sys.executable).parent / "referee")
KILLS = int(os.environ.get("REFEREE_KILLS", "5"))
FRESH_EVERY = 5
"""Every so many kills the database is a new one, so that logs stay short."""
CAMPAIGNS = 3
CODES = 3
"""How many invitations to each campaign lie ready before each kill."""
PLAYED = {"Anna": "Ripa", "Ben": "Dallow"}
LONGEST = 1.0
"""Seconds until the kill, at most."""
SERIAL = count(1)


@pytest.mark.slow
def test_nothing_acknowledged_is_lost_and_nothing_is_half_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("referee.client.calls.TRIES", 1)
    seed = random.randrange(2**32)
    chooser = random.Random(seed)
    tried: Counter[str] = Counter()
    for first in range(0, KILLS, FRESH_EVERY):
        evening = Evening(tmp_path / str(first), tried)
        for _ in range(min(FRESH_EVERY, KILLS - first)):
            evening.advance(chooser)
        evening.end()
    print({**tried, "seed": seed})  # noqa: T201 - `pytest -rP` shows what was tried
    assert tried["kills"] == KILLS
    assert tried["acknowledged"] > KILLS


# --- the server -------------------------------------------------------------------------------------------------------


def started(folder: Path, **more: str) -> subprocess.Popen[str]:
    clean = {name: value for name, value in os.environ.items() if not name.startswith("REFEREE_")}
    given = {"DATA": str(folder), "PORT": "0", "DEMO": "no", "LOG": "none", "RATE": "100000", "BROWSER": "no", **more}
    environment = clean | {f"REFEREE_{name}": value for name, value in given.items()}
    return subprocess.Popen([REFEREE, "serve"], env=environment, stdout=subprocess.PIPE, text=True)


@contextmanager
def serving(folder: Path, **more: str) -> Iterator[tuple[Client, subprocess.Popen[str]]]:
    """A server of its own process, killed in the end, and a client of it."""
    with started(folder, **more) as process:
        assert process.stdout is not None
        address = process.stdout.readline().split()[-1].replace("localhost", "127.0.0.1")
        try:
            with Client(address) as client:
                yield client, process
        finally:
            process.kill()


# --- those who write --------------------------------------------------------------------------------------------------


class Deed(NamedTuple):
    """Something done from a seat, as it is sent, and the kind of line it leaves in the log."""

    seated: NewSeat
    path: str
    plain: dict[str, Any]
    leaves: str
    key: str

    @property
    def kept_as(self) -> str:
        """The key as the store has it."""
        return f"{self.seated.seat} {self.key}"

    @property
    def line(self) -> tuple[str, str]:
        return self.seated.seat, self.leaves

    def done(self, client: Client) -> int:
        """Do it; how much the seat has been told by then."""
        return client.at_seat(self.seated).do(self.path, key=self.key, **self.plain)


class Writer(threading.Thread):
    """Somebody at a table who does one thing after another, until nobody answers any more."""

    def __init__(self, client: Client, seated: NewSeat, plays: str | None) -> None:
        super().__init__()
        self.client = client
        self.me = client.at_seat(seated)
        self.plays = plays
        self.acknowledged: list[Deed] = []
        self.cursor = 0
        self.unanswered: Deed | None = None
        self.is_done = False
        """Whether what got no answer was done all the same."""
        self.faults: list[ApiError] = []
        self.is_tired = False
        """Whether they stop by themselves."""

    def run(self) -> None:
        with suppress(httpx.TransportError):
            while not self.is_tired:
                self.write(self.next_deed())

    def write(self, deed: Deed) -> None:
        self.unanswered = deed
        try:
            self.cursor = deed.done(self.client)
            self.acknowledged.append(deed)
        except ApiError as why:
            if why.status >= 500:
                self.faults.append(why)
        self.unanswered = None

    def next_deed(self) -> Deed:
        return self.played() if self.plays else self.mastered()

    def played(self) -> Deed:
        for question in self.me.questions().questions:
            return self.deed("/answers", "answered", question=question.key, answer=random.choice(["yes", "no"]))
        skill = {"skill": "Observation"}
        action = self.deed("/actions", "began", action="skill-roll", who=self.plays, arguments=skill)
        return random.choice([self.said(), action])

    def mastered(self) -> Deed:
        if self.cursor and random.random() < 0.2:
            return self.deed("/undo", "undone", item=self.cursor - 1)
        edit = self.deed("/edits", "edited", name="Brekk", changes={"resolve": next(SERIAL)})
        return random.choice([self.said(), self.deed("/rolls", "began", dice=["3d6"]), edit])

    def said(self) -> Deed:
        return self.deed("/notes", "said", text=f"note {next(SERIAL)}")

    def deed(self, path: str, leaves: str, **plain: Any) -> Deed:
        return Deed(self.me.seated, path, plain, leaves, f"key-{next(SERIAL)}")


class Newcomer(threading.Thread):
    """Somebody who joins by one code after another, and begins a campaign of their own after each."""

    def __init__(self, client: Client, codes: list[str]) -> None:
        super().__init__()
        self.client = client
        self.codes = codes
        self.unused: set[str] = set()
        self.joined: dict[str, NewSeat] = {}
        self.begun: dict[str, NewSeat] = {}

    def run(self) -> None:
        with suppress(httpx.TransportError):
            for code in self.codes:
                self.joined[code] = self.client.join(code, code).seated
                self.begun[code] = self.client.create(code, "alien", master=code).seated


class Listener(threading.Thread):
    """Somebody who hears the stream of a seat until it breaks off."""

    def __init__(self, client: Client, seated: NewSeat) -> None:
        super().__init__()
        self.me = client.at_seat(seated)
        self.heard: dict[int, Any] = {}

    def run(self) -> None:
        with suppress(httpx.TransportError):
            for event in self.me.events():
                if event.id is not None:
                    self.heard[event.id - 1] = event.data


# --- an evening that is killed again and again ------------------------------------------------------------------------


class Party(NamedTuple):
    """Who plays a campaign, and whom."""

    master: NewSeat
    players: dict[str, NewSeat]

    @property
    def seats(self) -> list[tuple[NewSeat, str | None]]:
        return [(self.master, None), *((seated, who) for who, seated in self.players.items())]


def seated_party(client: Client) -> Party:
    mo = client.create("Thursday", "alien", sample="derelict", master="Mo")
    players = {who: client.join(mo.invite(controls=[who]).code, name).seated for name, who in PLAYED.items()}
    return Party(mo.seated, players)


class Present(NamedTuple):
    """Everybody who was there when the server was killed."""

    writers: list[Writer]
    listeners: list[Listener]
    newcomer: Newcomer
    cursors: dict[str, int]
    """How much the game master of each campaign had been told before."""

    @property
    def everybody(self) -> list[threading.Thread]:
        return [*self.listeners, *self.writers, self.newcomer]


@dataclass
class Evening:
    """The campaigns of one database, and what must be found in it."""

    folder: Path
    tried: Counter[str]
    parties: list[Party] = field(default_factory=list)
    lines: Counter[tuple[str, str]] = field(default_factory=Counter)
    """How many lines of each kind each seat has left in the log."""

    present: Present | None = None
    """Who was there when the server was last killed, and what they wrote is not looked at yet."""

    def advance(self, chooser: random.Random) -> None:
        """The server starts, everybody writes, and it is killed."""
        with serving(self.folder) as (client, process):
            self.take_up(client)
            self.present = present = self.gathered(client)
            for each in present.everybody:
                each.start()
            time.sleep(chooser.uniform(0.05, LONGEST))
            process.kill()
            for each in present.everybody:
                each.join()
        self.tried["kills"] += 1
        assert [fault for writer in present.writers for fault in writer.faults] == []
        if chooser.random() < 0.2:
            self.kill_while_it_opens(chooser.uniform(0, 0.8))
        with closing(SQLiteStore.open(self.folder / DATABASE)) as store:
            self.look_at_the_store(store, present)

    def end(self) -> None:
        """The log of each campaign can be as it is written, dice and all."""
        with serving(self.folder) as (client, _):
            self.take_up(client)
            for party in self.parties:
                mo = client.at_seat(party.master)
                mo.reveal()
                exported = self.folder / f"{mo.campaign}.jsonl"
                exported.write_bytes(mo.export())
                done = subprocess.run([REFEREE, "verify", exported], capture_output=True, text=True, check=False)
                assert done.returncode == 0, done.stdout
        with closing(SQLiteStore.open(self.folder / DATABASE)) as store:
            self.lines.update((party.master.seat, "said") for party in self.parties)  # the seed is revealed
            self.look_at_the_lines(store)

    def gathered(self, client: Client) -> Present:
        masters = [client.at_seat(each.master) for each in self.parties]
        return Present(
            writers=[Writer(client, *each) for party in self.parties for each in party.seats],
            listeners=[Listener(client, each.master) for each in self.parties],
            newcomer=Newcomer(client, [mo.invite("spectator").code for _ in range(CODES) for mo in masters]),
            cursors={mo.campaign: mo.view().cursor for mo in masters},
        )

    def kill_while_it_opens(self, after: float) -> None:
        with started(self.folder) as process:
            time.sleep(after)
            process.kill()
        self.tried["killed while it opened"] += 1

    # While nobody serves it.

    def look_at_the_store(self, store: Store, present: Present) -> None:
        assert store.check() == []
        for writer in present.writers:
            self.look_at_the_keys(store, writer)
        self.look_at_the_lines(store)
        self.look_at_the_doors(store, present.newcomer)

    def look_at_the_keys(self, store: Store, writer: Writer) -> None:
        """What was acknowledged is remembered; what was not may be."""
        done = list(writer.acknowledged)
        if writer.unanswered is not None:
            writer.is_done = store.remembered(writer.me.campaign, writer.unanswered.kept_as) is not None
            self.tried["unanswered"] += 1
            self.tried["unanswered but done"] += writer.is_done
            done += [writer.unanswered] if writer.is_done else []
        assert all(store.remembered(writer.me.campaign, deed.kept_as) for deed in done)
        self.tried["acknowledged"] += len(writer.acknowledged)
        self.lines.update(deed.line for deed in done)

    def look_at_the_lines(self, store: Store) -> None:
        """Everything that is remembered has left its line, once, and nothing else has left any."""
        found: Counter[tuple[str, str]] = Counter()
        for party in self.parties:
            seats = {seated.seat for seated, _ in party.seats}
            for row in store.lines(party.master.campaign):
                if row.line["by"] in seats and seat_in(row.line) is None:
                    found[row.line["by"], row.line["kind"]] += 1
        assert found == self.lines

    def look_at_the_doors(self, store: Store, newcomer: Newcomer) -> None:
        """A code is used up, its seat taken and the secret of the seat kept; or nothing of it is."""
        taken: set[str] = set()
        for campaign in store.headers():
            seats = [seat for row in store.lines(campaign.id) if (seat := seat_in(row.line)) is not None]
            assert {seat["id"] for seat in seats} == {token.seat for token in store.tokens(campaign.id)}
            taken |= {seat["name"] for seat in seats if campaign.name != seat["name"]}
        left = [each for party in self.parties for each in store.invitations(party.master.campaign) if each.uses]
        digests = {each.digest for each in left}
        newcomer.unused = {code for code in newcomer.codes if sha256(code.encode()).hexdigest() in digests}
        assert taken.isdisjoint(newcomer.unused)
        assert taken | newcomer.unused >= set(newcomer.codes)
        assert taken >= newcomer.joined.keys()
        self.tried["acknowledged"] += len(newcomer.joined) + len(newcomer.begun)

    # When it serves again.

    def take_up(self, client: Client) -> None:
        """The evening begins, or goes on where the server was killed."""
        if self.present is None:
            self.parties = [seated_party(client) for _ in range(CAMPAIGNS)]
            return
        self.look_at_the_stories(client, self.present)
        for writer in self.present.writers:
            self.ask_again(client, writer)
        self.look_at_the_newcomer(client, self.present.newcomer)

    def look_at_the_stories(self, client: Client, present: Present) -> None:
        """Every seat has been told at least what was acknowledged, and what was heard live is what is told now."""
        for writer in present.writers:
            assert client.at_seat(writer.me.seated).view().cursor >= writer.cursor
        for listener in present.listeners:
            me = client.at_seat(listener.me.seated)
            story = story_of(me, present.cursors[me.campaign])
            assert {at: story[at] for at in listener.heard} == listener.heard
            self.tried["heard live"] += len(listener.heard)
            notes = Counter(item["text"] for item in story.values() if item.get("about") == "note")
            said = [
                deed.plain for each in present.writers for deed in each.acknowledged if each.me.campaign == me.campaign
            ]
            assert all(notes[plain["text"]] == 1 for plain in said if "text" in plain)

    def ask_again(self, client: Client, writer: Writer) -> None:
        """Whoever got no answer gets one now, however often they ask, and it is done once."""
        if (deed := writer.unanswered) is None:
            return
        master = next(each.master for each in self.parties if each.master.campaign == deed.seated.campaign)
        mo = client.at_seat(master)
        before = mo.view().cursor
        first = asked(client, deed)
        once = mo.view().cursor
        assert asked(client, deed) == first
        assert mo.view().cursor == once
        if writer.is_done:
            assert (isinstance(first, int), once) == (True, before)
        elif isinstance(first, int):
            assert once > before
            self.lines[deed.line] += 1

    def look_at_the_newcomer(self, client: Client, newcomer: Newcomer) -> None:
        """Secrets that were given still open their seats; a code that was not used up still does."""
        for code, seated in newcomer.joined.items():
            assert client.at_seat(seated).view().you.name == code
        for code, seated in newcomer.begun.items():
            assert client.at_seat(seated).view().campaign.name == code
        for code in sorted(newcomer.unused)[:1]:
            client.join(code, code)


def seat_in(line: Mapping[str, Any]) -> dict[str, Any] | None:
    """The seat that is taken by a line of the log."""
    return line["seat"] if line.get("about") == "seat" else None


def story_of(seat: SeatClient, since: int) -> dict[int, Any]:
    """What a seat was told after the first so many items."""
    page = seat.log(limit=200)
    items = page.items
    while page.earlier is not None and page.earlier > since:
        page = seat.log(before=page.earlier, limit=200)
        items = [*page.items, *items]
    return {item.id: item.model_dump() for item in items}


def asked(client: Client, deed: Deed) -> int | str:
    """What comes of something: how much the seat has been told, or why it was refused."""
    try:
        return deed.done(client)
    except ApiError as why:
        if why.status >= 500:
            raise
        return str(why)
