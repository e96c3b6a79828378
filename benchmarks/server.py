"""The live table under load, over real HTTP: `make bench-server`.

For three sizes each: actions acknowledged (which is: durable) in a second, as fast as they go, and the processor time
that one takes; the time from an action until every seat has been told of it, at four a second in every campaign; memory
for a campaign more, once the server has imported everything. Then opening campaigns of growing length. Clients and
server share this machine.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import Empty, Queue
from statistics import median, quantiles
from time import perf_counter, sleep
from typing import Final

from referee.client import Client, SeatClient
from referee.store.sqlite import SQLiteStore
from referee.table.desk import Desk, DeskCommand
from referee.table.hub import Hub

SEATS: Final = 5
CAMPAIGNS: Final = (1, 4, 16)
WARM: Final = 16
"""Campaigns that come first: what everything takes once."""
MORE: Final = 32
"""Campaigns by which memory is measured."""
SECONDS: Final = 6.0
PACE: Final = 0.25
"""Seconds from one thing said at a table to the next."""
LENGTHS: Final = (500, 5_000, 50_000)
CREW: Final = {f"c{n}": {"attributes": {"Agility": 4}} for n in range(SEATS - 1)}


@contextmanager
def served(folder: Path) -> Iterator[tuple[str, int]]:
    """A server of its own process; its address and process id."""
    settings = {"REFEREE_DATA": str(folder), "REFEREE_PORT": "0", "REFEREE_DEMO": "no", "REFEREE_RATE": "100000"}
    settings |= {"REFEREE_LOG": "none", "REFEREE_BROWSER": "no", "PYTHONUNBUFFERED": "1"}
    command = [sys.executable, "-m", "referee", "serve"]
    environment = {**os.environ, **settings}
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as process:  # noqa: S603  # our own
        line = process.stdout.readline() if process.stdout else ""
        address = next(word for word in line.split() if word.startswith("http")).rstrip(".")
        try:
            yield address, process.pid
        finally:
            process.terminate()


def memory(process: int) -> float:
    """Resident memory in MB."""
    pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def processor_time(process: int) -> float:
    """Seconds of processor time that the server has used so far."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def wait_until_ready(process: int) -> None:
    """The server imports the rest soon after it starts; until then its memory grows whatever anybody does."""
    before = 0.0
    while (now := processor_time(process)) > before:
        before = now
        sleep(1.0)


def seats_of(client: Client, name: str) -> list[SeatClient]:
    """A campaign with its game master and players."""
    master = client.create(name, "alien", master="Mo", scene=CREW)
    codes = [master.invite(controls=[who]).code for who in CREW]
    return [master, *(client.join(code, f"P{at}") for at, code in enumerate(codes))]


def listen(seat: SeatClient, heard: Queue[tuple[int, float]], at: int, stop: threading.Event) -> None:
    """Note when each note arrives at a seat."""
    for event in seat.events(patience=60.0):
        if stop.is_set():
            return
        if event.kind == "item" and event.data.get("about") == "note":
            heard.put((at, perf_counter()))


def load(seats: list[SeatClient], until: float, delays: list[float]) -> None:
    """Notes at the pace of a lively table; each is waited for on every seat's stream."""
    heard: Queue[tuple[int, float]] = Queue()
    stop = threading.Event()
    for at, seat in enumerate(seats):
        threading.Thread(target=listen, args=(seat, heard, at, stop), daemon=True).start()
    sleep(0.5)
    while perf_counter() < until:
        began = perf_counter()
        seats[1].note("here")
        last = began
        try:
            for _ in seats:
                last = max(last, heard.get(timeout=5)[1])
        except Empty:
            delays.append(5.0)
            continue
        delays.append(last - began)
        sleep(max(0.0, PACE - (perf_counter() - began)))
    stop.set()


def play(seats: list[SeatClient], until: float, acted: list[int]) -> None:
    """Skill rolls as fast as they are acknowledged."""
    at = 0
    while perf_counter() < until:
        at += 1
        player = at % (len(seats) - 1)
        seats[player + 1].act("skill-roll", f"c{player}", skill="Piloting")
        for question in seats[player + 1].questions().questions:
            seats[player + 1].answer(question.key, "no")
            acted.append(1)
        acted.append(1)


def bench_load() -> None:
    head = f"{'actions/s':>10} {'CPU ms/action':>14} {'median ms':>10} {'p99 ms':>8} {'MB a campaign':>14}"
    print(f"{'campaigns x seats':20} {head}")
    for campaigns in CAMPAIGNS:
        with (
            tempfile.TemporaryDirectory() as folder,
            served(Path(folder)) as (address, process),
            Client(address) as client,
        ):
            warm = seats_of(client, "warm")
            warm[1].act("skill-roll", "c0", skill="Piloting")
            wait_until_ready(process)
            for n in range(WARM):
                seats_of(client, f"warm {n}")
            before = memory(process)
            more = [seats_of(client, f"more {n}") for n in range(MORE)]
            each = (memory(process) - before) / len(more)
            tables = [seats_of(Client(address), f"n{n}") for n in range(campaigns)]
            acted: list[int] = []
            began, until = processor_time(process), perf_counter() + SECONDS
            threads = [threading.Thread(target=play, args=(seats, until, acted)) for seats in tables]
            _run(threads)
            rate, spent = len(acted) / SECONDS, (processor_time(process) - began) / len(acted)
            delays: list[float] = []
            until = perf_counter() + SECONDS
            _run([threading.Thread(target=load, args=(seats, until, delays)) for seats in tables])
            late = quantiles(delays, n=100)[98] if len(delays) > 1 else 0.0
            size = f"{campaigns} x {SEATS}"
            told = f"{rate:10.0f} {spent * 1e3:14.1f} {median(delays) * 1e3:10.1f} {late * 1e3:8.1f} {each:14.2f}"
            print(f"{size:20} {told}", flush=True)


def _run(threads: list[threading.Thread]) -> None:
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def busy(desk: Desk) -> None:
    """Some hundred lines of play."""
    for _ in range(40):
        desk.act("change-stress", None, {"who": "c0", "by": 1})
        desk.roll("1d6")


def bench_opening() -> None:
    """Campaigns of growing length, opened by a server that has just started."""
    print(f"\n{'log entries':20} {'opened in ms':>12} {'first view ms':>14}")
    for length in LENGTHS:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "long.db"
            hub = Hub(SQLiteStore.open(path))
            seat = hub.create("long", "alien", CREW, "Mo")
            while hub.store.count(seat.campaign) < length:
                hub.act(seat.campaign, seat.seat, DeskCommand(busy))
            hub.close()
            store = SQLiteStore.open(path)
            began = perf_counter()
            again = Hub(store)
            again.read(seat.campaign, seat.seat, lambda desk: desk.member)
            opened = perf_counter()
            again.read(seat.campaign, seat.seat, lambda desk: desk.view())
            viewed = perf_counter()
            took = f"{(opened - began) * 1e3:12.0f} {(viewed - opened) * 1e3:14.1f}"
            print(f"{again.store.count(seat.campaign):<20} {took}", flush=True)
            again.close()


if __name__ == "__main__":
    bench_load()
    bench_opening()
