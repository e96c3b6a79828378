"""A session in a file: one JSON line for the header, one for each line of the log, on disk before anyone sees it.

A line that a crash left incomplete was never acknowledged; it is cut off when the file is opened. The seed is in a
separate file next to it (`.seed`), so that the log can be shown during play.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

from referee import registry
from referee.core.errors import BadInput
from referee.core.plain import Plain
from referee.core.scene import State
from referee.core.system import System
from referee.journal.journal import Journal
from referee.journal.seeded_dice import SeededDice
from referee.store.log_reader import AFTER_HEADER, LogStart, read_line, read_record, read_start


@final
class LogFile:
    """A journal, and the file that stores it."""

    def __init__(self, path: Path, journal: Journal, written: int) -> None:
        self.path = path
        self.journal = journal
        self._written = written

    @classmethod
    def create(cls, path: Path, system: System, start: State, source: SeededDice | None = None) -> LogFile:
        """Begin a log in a new file. An existing file is never overwritten."""
        source = source or SeededDice.fresh()
        if existing := next((each for each in (path, seed_file(path)) if each.exists()), None):
            raise BadInput(existing.name, "exists already; a log is never overwritten")
        path.parent.mkdir(parents=True, exist_ok=True)
        with seed_file(path).open("x", encoding="utf-8") as seed:
            seed.write(source.seed.hex())
            _make_durable(seed)
        journal = Journal(system, start, source)
        with path.open("x", encoding="utf-8") as file:
            file.write(json.dumps(journal.header(), ensure_ascii=False) + "\n")
            _make_durable(file)
        return cls(path, journal, 0)

    @classmethod
    def open(cls, path: Path) -> LogFile:
        """Open a log, cut off an incomplete last line, and restore its open steps."""
        evening = read_evening(path)
        system = registry.load(evening.start.system)
        lines = [read_line(plain, place_in(path, at)) for at, plain in enumerate(evening.lines, AFTER_HEADER)]
        source = seed_of(path)
        if source.commitment != evening.start.commitment:
            raise BadInput(seed_file(path).name, "is not the seed this log has committed to")
        if evening.incomplete:
            os.truncate(path, evening.size)
        journal = Journal(system, system.state(evening.start.scene), source, lines)
        file = cls(path, journal, len(lines))
        file.save()
        return file

    def save(self) -> None:
        """Append the new lines, and wait until they are on disk."""
        new = self.journal.lines[self._written :]
        if not new:
            return
        with self.path.open("a", encoding="utf-8") as file:
            file.writelines(json.dumps(line.to_plain(), ensure_ascii=False) + "\n" for line in new)
            _make_durable(file)
        self._written += len(new)


def seed_file(path: Path) -> Path:
    return path.with_name(path.name + ".seed")


def seed_of(path: Path) -> SeededDice:
    """The dice of a session, from the seed file next to its log."""
    try:
        return SeededDice(bytes.fromhex(seed_file(path).read_text(encoding="utf-8")))
    except (OSError, ValueError) as problem:
        raise BadInput(seed_file(path).name, f"the seed of the dice cannot be read: {problem}") from None


@final
@dataclass(frozen=True)
class Evening:
    """The file of a session: its lines as plain data, and whether an incomplete one follows the first `size` bytes."""

    start: LogStart
    lines: list[dict[str, Plain]]
    size: int
    incomplete: bool


def read_evening(path: Path) -> Evening:
    """Read the file of a session; `BadInput` names the line that cannot be read."""
    *whole, rest = path.read_bytes().split(b"\n")
    if not whole or not whole[0]:
        raise BadInput(path.name, "the log has no beginning")
    start = read_start(read_record(whole[0], place_in(path, 1)), path.name)
    lines = [read_record(text, place_in(path, at)) for at, text in enumerate(whole[1:], AFTER_HEADER)]
    return Evening(start, lines, sum(len(text) + 1 for text in whole), bool(rest))


def place_in(path: Path, line: int) -> str:
    return f"{path.name}, line {line}"


def _make_durable(file: Any) -> None:
    file.flush()
    os.fsync(file.fileno())
