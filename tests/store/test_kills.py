"""A writer killed at any moment: all that it acknowledged is there, and nothing is there by halves.

Three times in `make test`, 25 in `make test-long`; `REFEREE_KILLS=200` for more.
SIGKILL proves that no step of a write depends on another; that
the disk itself has it before a call returns is `synchronous = FULL`, which another test pins.
"""

from __future__ import annotations

import json
import os
import random
import select
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from referee.store.records import Header, LogRow
from referee.store.sqlite import SQLiteStore

CAMPAIGNS = ("ash", "birch", "cedar")
FRESH_EVERY = 8
"""Every so many kills the database is a new one, so that its making is interrupted too."""


KILLS = int(os.environ.get("REFEREE_KILLS", "25"))


@pytest.mark.parametrize("kills", [3, pytest.param(KILLS, marks=pytest.mark.slow)])
def test_nothing_acknowledged_is_lost_and_nothing_is_half_written(tmp_path: Path, kills: int) -> None:
    command = [sys.executable, __file__, str(tmp_path), str(kills)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout.splitlines()[-1])
    print(told)  # noqa: T201 - `pytest -rP` shows what was tried
    assert told["kills"] == kills
    assert told["acknowledged"] > (kills if kills == KILLS else 0)  # of a few, all but the first may come early


# --- the one that is killed -------------------------------------------------------------------------------------------


def batch(campaign: str, at: int, turn: int) -> list[LogRow]:
    """One to nine lines that know how many they are."""
    size = random.Random(f"{campaign} {turn}").randint(1, 9)
    return [LogRow(at + n, float(turn), {"turn": turn, "of": size, "pad": "x" * 300 * n}) for n in range(size)]


def write_until_killed(path: Path, tell: int) -> None:
    store = SQLiteStore.open(path)
    known = {each.id for each in store.headers()}
    for campaign in CAMPAIGNS:
        if campaign not in known:
            store.create(Header(campaign, campaign, "alien", 1, 1, {}, 0.0))
    for campaign in CAMPAIGNS:
        threading.Thread(target=write, args=(store, campaign, tell)).start()


def write(store: SQLiteStore, campaign: str, tell: int) -> None:
    """Each turn a batch under a key, now and then a file or a checkpoint beside it, and word of it once it is done."""
    at = store.count(campaign)
    turn = next((row.line["turn"] + 1 for row in store.lines(campaign, at - 1)), 0)
    while True:
        if turn % 5 == 0:
            store.keep_file(campaign, f"{turn}", "text/plain", f"{campaign} {turn}".encode() * 500)
        rows = batch(campaign, at, turn)
        store.append(campaign, at, rows, f"turn {turn}", turn)
        os.write(tell, json.dumps([campaign, turn, at + len(rows)]).encode() + b"\n")
        at, turn = at + len(rows), turn + 1
        if turn % 7 == 0:
            store.keep_checkpoint(campaign, at, {"turn": turn})


# --- the one that kills and looks -------------------------------------------------------------------------------------


def kill_once(path: Path, chooser: random.Random, early: float) -> dict[str, tuple[int, int]]:
    """Let a child write for a moment, kill it, and give what it had acknowledged last: campaign -> (turn, lines).

    `early` is the chance that it is killed before it has said anything.
    """
    hear, tell = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(hear)
        write_until_killed(path, tell)
        time.sleep(60)
        os._exit(1)
    os.close(tell)
    if chooser.random() >= early:
        select.select([hear], [], [], 30)  # until it first speaks
        time.sleep(chooser.uniform(0, 0.1))
    else:
        time.sleep(chooser.uniform(0, 0.02))  # perhaps while it opens
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    with os.fdopen(hear, "rb") as heard:
        *whole, _torn = heard.read().split(b"\n")
    return {campaign: (turn, lines) for campaign, turn, lines in map(json.loads, whole)}


def look(path: Path, acknowledged: dict[str, tuple[int, int]]) -> Counter[str]:
    """Everything acknowledged must be there, and every batch whole."""
    seen: Counter[str] = Counter()
    with closing(SQLiteStore.open(path)) as store:
        assert store.check() == []
        known = {each.id for each in store.headers()}
        assert acknowledged.keys() <= known
        for campaign in known:
            rows = list(store.lines(campaign))
            turn, lines = acknowledged.get(campaign, (-1, 0))
            assert len(rows) >= lines
            turns = Counter(row.line["turn"] for row in rows)
            assert set(turns) == set(range(max(turns, default=-1) + 1))
            assert all(turns[row.line["turn"]] == row.line["of"] for row in rows)
            assert turn in turns or turn == -1
            assert all(store.remembered(campaign, f"turn {each}") == each for each in turns)
            assert store.remembered(campaign, f"turn {len(turns)}") is None
            for each in range(0, turn + 1, 5):
                data = f"{campaign} {each}".encode() * 500
                assert store.file(campaign, sha256(data).hexdigest()) is not None
            seen["unacknowledged but whole"] += len(turns) - 1 - max(turn, -1) if campaign in acknowledged else 0
    return seen


def main(folder: Path, kills: int, seed: int) -> None:
    chooser = random.Random(seed)
    told: Counter[str] = Counter()
    last: dict[str, tuple[int, int]] = {}
    for at in range(kills):
        path = folder / f"{at // FRESH_EVERY}.sqlite"
        if at % FRESH_EVERY == 0:
            last = {}
        before = {campaign: turn for campaign, (turn, _) in last.items()}
        heard = kill_once(path, chooser, 0.3 if at else 0.0)
        last |= heard
        if path.exists():
            told += look(path, last)
        told["kills"] += 1
        told["silent"] += not heard
        told["acknowledged"] += sum(turn - before.get(campaign, -1) for campaign, (turn, _) in heard.items())
    summary: dict[str, Any] = {**told, "seed": seed}
    sys.stdout.write(json.dumps(summary) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), random.randrange(2**32))
