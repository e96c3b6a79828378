"""An evening of many tables with accidents: `make soak`, `make soak MINUTES=60`. It ends by itself.

Scripted groups in all systems play over real HTTP on this computer. At random the server and its processes for odds are
killed; phones read slowly, and streams break off and come again. What was acknowledged is counted by those who did
it, and looked for in the database afterwards: each note and each throw exactly once, each note once on each stream. A
table shows what the server holds: warm, after the last kill, and at the end. A fault makes it fail.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from statistics import quantiles
from time import monotonic, perf_counter, sleep
from typing import Any, Final

import httpx

from referee import registry
from referee.client import ApiError, Client, SeatClient
from referee.core.scene import Scene
from referee.store.folders import DATABASE
from referee.store.sqlite import SQLiteStore
from referee.testing.scenarios import samples

TABLES: Final = 30
PLAYERS: Final = 2
SLOW: Final = 6
"""How many phones read a few bytes a second."""
PAUSE: Final = (0.2, 2.0)
"""Seconds between two deeds at a table."""
CALM: Final = 0.6
"""The share of the time after which the server is not killed any more, so that what grows is seen."""
PATIENCE: Final = 240.0
"""How many seconds a busy computer may need to start the server."""
ODDS: Final = "referee.forecast.worker"
SERIAL: Final = count(1)


# --- the server -------------------------------------------------------------------------------------------------------


@dataclass
class Server:
    """A server of its own process on a port of its own, which is killed and started again."""

    folder: Path
    port: int = 0
    starts: int = 0
    process: subprocess.Popen[bytes] | None = None
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def log(self) -> Path:
        return self.folder / "server.log"

    @property
    def pid(self) -> int:
        return self.process.pid if self.process else 0

    def start(self) -> None:
        if not self.port:
            with socket.socket() as found:
                found.bind(("127.0.0.1", 0))
                self.port = found.getsockname()[1]
        clean = {name: value for name, value in os.environ.items() if not name.startswith("REFEREE_")}
        clean.pop("PYTHONDONTWRITEBYTECODE", None)  # each start would compile everything anew
        given = {"DATA": self.folder, "PORT": self.port, "DEMO": "no", "LOG": "json", "RATE": 100_000, "BROWSER": "no"}
        environment = clean | {f"REFEREE_{name}": str(value) for name, value in given.items()}
        command = [sys.executable, "-m", "referee", "serve"]
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=log)  # noqa: S603
        self.starts += 1
        until = monotonic() + PATIENCE
        while monotonic() < until:
            with suppress(httpx.TransportError):
                if httpx.get(f"{self.address}/health").status_code == 200:
                    return
            if self.process.poll() is not None:
                break
            sleep(0.1)
        raise RuntimeError(f"the server does not start: {self.log.read_text('utf-8')[-2000:]}")

    def kill(self) -> None:
        """As the power would."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()

    def stop(self) -> int | None:
        """As whoever runs it would; its exit code, or None if it had to be killed."""
        if self.process is None:
            return 0
        self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.kill()
            return None

    def workers(self) -> list[int]:
        """The processes that compute odds for servers of this folder, whether these still run or not."""
        found: list[int] = []
        for each in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                if ODDS.encode() in (each / "cmdline").read_bytes():
                    mine = f"REFEREE_DATA={self.folder}".encode() in (each / "environ").read_bytes().split(b"\0")
                    found += [int(each.name)] if mine else []
        return found


def megabytes(pid: int) -> float:
    with suppress(OSError):
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20
    return 0.0


def handles(pid: int) -> int:
    with suppress(OSError):
        return len(list(Path(f"/proc/{pid}/fd").iterdir()))
    return 0


# --- those who play ---------------------------------------------------------------------------------------------------


@dataclass
class Noted:
    """What all tables have to tell."""

    took: list[float] = field(default_factory=list)
    """Seconds until what was done at the first try was acknowledged, since the table was last printed."""
    faults: list[str] = field(default_factory=list)
    done: Counter[str] = field(default_factory=Counter)


@dataclass
class Group:
    """A table: its seats, what they do, and what was acknowledged."""

    system: str
    noted: Noted
    stop: threading.Event
    master: SeatClient
    seats: list[tuple[SeatClient, str | None]]
    """Everybody with whom they play; the game master plays nobody."""
    notes: set[str] = field(default_factory=set)
    throws: Counter[str] = field(default_factory=Counter)
    """Throws acknowledged, by seat."""
    unanswered: tuple[str, str] | None = None
    """What nobody has answered in the end, by seat and kind: it may be there or not."""
    heard: Counter[str] = field(default_factory=Counter)

    @classmethod
    def gathered(cls, client: Client, system: str, number: int, noted: Noted, stop: threading.Event) -> Group:
        sample, state = samples(registry.load(system))[0]
        people = [who.name for who in Scene(state).all(registry.load(system).sheet)][:PLAYERS]
        master = client.create(f"Table {number}", system, sample=sample, master="Mo")
        joined = [(client.join(master.invite(controls=[who]).code, f"Player of {who}"), who) for who in people]
        return cls(system, noted, stop, master, [(master, None), *joined])

    def play(self) -> None:
        chooser = random.Random()
        while not self.stop.is_set():
            seat, who = chooser.choice(self.seats)
            try:
                self.deed(seat, who, chooser)
            except httpx.TransportError:
                sleep(0.3)  # what only reads is simply tried again
            except ApiError as why:
                self.note_error(why)
            except Exception as why:  # noqa: BLE001  # whatever it is, it is a finding
                self.noted.faults.append(f"{self.system}: {type(why).__name__}: {why}")
            self.stop.wait(chooser.uniform(*PAUSE))

    def deed(self, seat: SeatClient, who: str | None, chooser: random.Random) -> None:
        match chooser.choice(("say", "throw", "act", "act", "answer", "answer", "odds", "look")):
            case "say":
                text = f"note {next(SERIAL)}"
                if self.do(seat, "said", "/notes", text=text):
                    self.notes.add(text)
            case "throw":
                if self.do(seat, "threw", "/rolls", dice=["2d6"]):
                    self.throws[seat.seat] += 1
            case "act":
                legal = [each for each in seat.actions(who) if getattr(each, "legal", False)] if who else []
                if legal:
                    action = chooser.choice(legal)
                    arguments = self.arguments(action, chooser)
                    self.do(seat, "acted", "/actions", action=action.action, who=who, arguments=arguments)
            case "answer":
                for each in seat.questions().questions:
                    answer = chooser.choice(each.options) if each.options else None
                    self.do(seat, "answered", "/answers", question=each.key, answer=answer)
            case "odds":
                for each in seat.questions().questions[:1]:
                    seat.odds_at(each.key)
            case _:
                seat.view()
        self.noted.done["deeds"] += 1

    def arguments(self, action: Any, chooser: random.Random) -> dict[str, Any]:
        """Something of each choice; what does not fit together is refused, which is play as well."""
        choices: Mapping[str, list[Any]] = getattr(action, "choices", None) or {}
        return {name: chooser.choice(options) for name, options in choices.items() if options}

    def do(self, seat: SeatClient, kind: str, path: str, **plain: Any) -> bool:
        """Do something until it is answered, always with the same key; whether it was acknowledged."""
        key, tries = f"soak-{next(SERIAL)}-{'x' * 12}", 0
        self.unanswered = (seat.seat, kind)
        while True:
            began, tries = perf_counter(), tries + 1
            try:
                seat.do(path, key=key, **plain)
            except httpx.TransportError:
                if self.stop.is_set() and tries > 40:
                    return False
                sleep(0.25)
                continue
            except ApiError as why:
                self.unanswered = None
                self.note_error(why)
                return False
            self.unanswered = None
            self.noted.done[kind] += 1
            if tries == 1:
                self.noted.took.append(perf_counter() - began)
            return True

    def note_error(self, why: ApiError) -> None:
        if why.status >= 500:
            self.noted.faults.append(f"{self.system}: {why}")
        else:
            self.noted.done[f"{why.status} {why.error}"] += 1

    def listen(self) -> None:
        """The game master's screen, which comes again after each kill, and now and then by itself."""
        with suppress(RuntimeError):  # the client is closed in the end
            for event in self.master.follow(0, patience=30.0):
                if event.kind == "item" and event.data.get("about") == "note":
                    self.heard[event.data["text"]] += 1
                if self.stop.is_set():
                    return


def read_slowly(server: Server, group: Group, stop: threading.Event) -> None:
    """A phone with bad reception: it asks for the stream, and takes a few bytes a second."""
    while not stop.is_set():
        with suppress(OSError), socket.create_connection(("127.0.0.1", server.port), 5) as phone:
            path = f"/api/v1/campaigns/{group.master.campaign}/events"
            head = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n"
            phone.sendall(f"{head}Authorization: Bearer {group.master.token}\r\nConnection: close\r\n\r\n".encode())
            until = monotonic() + random.uniform(5, 40)
            while monotonic() < until and not stop.is_set() and phone.recv(16):
                stop.wait(1.0)
        stop.wait(1.0)


# --- the evening ------------------------------------------------------------------------------------------------------


class Accidents:
    """Kills the server, and processes that compute odds, at random."""

    def __init__(self, server: Server, until: float, often: float, stop: threading.Event, noted: Noted) -> None:
        self.server, self.until, self.often, self.stop, self.noted = server, until, often, stop, noted

    def happen(self) -> None:
        while not self.stop.wait(random.uniform(0.5, 1.5) * self.often):
            workers = self.server.workers()
            if monotonic() < self.until and random.random() < 0.6:
                with self.server.lock:
                    self.server.kill()
                    self.noted.done["kills of the server"] += 1
                    self.stop.wait(random.uniform(0, 1.0))
                    self.server.start()
            elif workers:
                with suppress(ProcessLookupError):
                    os.kill(random.choice(workers), signal.SIGKILL)
                    self.noted.done["kills of workers"] += 1


def row(server: Server, noted: Noted, title: str) -> None:
    """A row of the table; the times are those since the last row."""
    with server.lock:  # not while it is started again
        pass
    took, noted.took[:] = list(noted.took), []
    late = quantiles(took, n=100)[98] * 1e3 if len(took) > 1 else 0.0
    workers = server.workers()
    database = sum(each.stat().st_size for each in server.folder.glob(f"{DATABASE}*")) / 2**20
    figures = f"{megabytes(server.pid):8.0f} {sum(map(megabytes, workers)):11.0f} {handles(server.pid):8} "
    figures += f"{server.log.stat().st_size / 2**20:8.2f} {database:12.2f} {len(took):7} {late:8.0f}"
    print(f"{title:22} {figures}", flush=True)


def lost(store: SQLiteStore, group: Group) -> Iterator[str]:
    """What the database says otherwise than those who played."""
    lines = [each.line for each in store.lines(group.master.campaign)]
    notes = Counter(str(line["text"]) for line in lines if str(line.get("text", "")).startswith("note "))
    for text in sorted(group.notes - set(notes)):
        yield f"{group.system}: {text!r} was acknowledged and is not there"
    yield from (f"{group.system}: {text!r} is there {times} times" for text, times in notes.items() if times > 1)
    throws = Counter(line["by"] for line in lines if line.get("rule") == "referee.table.roll")
    for seat, acknowledged in group.throws.items():
        spare = int(group.unanswered == (seat, "threw"))
        if not acknowledged <= throws[seat] <= acknowledged + spare:
            yield f"{group.system}: {acknowledged} throws were acknowledged, {throws[seat]} are there"


def unheard(group: Group) -> Iterator[str]:
    for text in sorted(group.notes):
        if group.heard[text] != 1:
            yield f"{group.system}: {text!r} was heard {group.heard[text]} times on the stream"


def soak(minutes: float, tables: int) -> list[str]:
    """Play; what went wrong."""
    noted, stop = Noted(), threading.Event()
    with tempfile.TemporaryDirectory(prefix="referee-soak-") as folder:
        server = Server(Path(folder))
        try:
            server.start()
            client = Client(server.address)
            systems = [registry.OURS[at % len(registry.OURS)] for at in range(tables)]
            groups = [Group.gathered(client, system, at, noted, stop) for at, system in enumerate(systems)]
            clients = [Client(server.address) for _ in groups]
            for group, own in zip(groups, clients, strict=True):  # each table has connections of its own
                group.seats = [(own.at_seat(seat.seated), who) for seat, who in group.seats]
                group.master = own.at_seat(group.master.seated)
            return _played(server, groups, minutes * 60, noted, stop)
        finally:
            stop.set()
            server.kill()
            for each in server.workers():
                with suppress(ProcessLookupError):
                    os.kill(each, signal.SIGKILL)


def _played(server: Server, groups: list[Group], seconds: float, noted: Noted, stop: threading.Event) -> list[str]:
    began = monotonic()
    accidents = Accidents(server, began + CALM * seconds, max(4.0, seconds / 40), stop, noted)
    listeners = [threading.Thread(target=each.listen, daemon=True) for each in groups]
    phones = [threading.Thread(target=read_slowly, args=(server, each, stop), daemon=True) for each in groups[:SLOW]]
    players = [threading.Thread(target=each.play, daemon=True) for each in groups]
    killer = threading.Thread(target=accidents.happen, daemon=True)
    for each in (*listeners, *phones, *players):
        each.start()
    print(f"{'':22} {'MB':>8} {'MB of odds':>11} {'handles':>8} {'log MB':>8} {'database MB':>12}", end=" ")
    print(f"{'deeds':>7} {'p99 ms':>8}")
    sleep(0.1 * seconds)
    row(server, noted, "warm")
    killer.start()
    sleep(max(0.0, began + CALM * seconds + 5 - monotonic()))
    row(server, noted, "after the last kill")
    sleep(max(0.0, began + 0.8 * seconds - monotonic()))
    row(server, noted, "calm")
    sleep(max(0.0, began + seconds - monotonic()))
    row(server, noted, "end")
    stop.set()
    for each in (killer, *players):
        each.join(60)
    until = monotonic() + 15
    while monotonic() < until and any(True for group in groups for _ in unheard(group)):
        sleep(0.5)
    faults = [*noted.faults, *(each for group in groups for each in unheard(group))]
    code = server.stop()
    faults += [] if code == 0 else [f"the server ended with {code} when it was asked to stop"]
    sleep(2.0)
    faults += [f"{len(left)} processes for odds are left"] if (left := server.workers()) else []
    faults += logged_faults(server)
    with closing(SQLiteStore.open(server.folder / DATABASE)) as store:
        faults += store.check()
        faults += (each for group in groups for each in lost(store, group))
    print(f"\n{dict(sorted(noted.done.items()))}")
    return faults


def logged_faults(server: Server) -> Iterator[str]:
    """What the server's log says went wrong."""
    for line in server.log.read_text("utf-8", "replace").splitlines():
        with suppress(ValueError):
            if json.loads(line).get("level") in ("ERROR", "CRITICAL", "error"):
                yield f"logged: {line[:200]} … {line[-900:]}"


def main() -> int:
    parser = argparse.ArgumentParser(description="Many tables, with accidents.")
    parser.add_argument("--minutes", type=float, default=20.0)
    parser.add_argument("--tables", type=int, default=TABLES)
    given = parser.parse_args()
    faults = soak(given.minutes, given.tables)
    for text, times in Counter(faults).most_common(40):
        print(f"{times} x {text}")
    print("Nothing acknowledged was lost, and nothing failed." if not faults else f"{len(faults)} faults.")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
