"""A log in a file: an exported campaign, or a session of `referee play` with its seed next to it.

It is read for checking: what can be read is read, and problems are listed along with it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, final

from referee.core.errors import BadInput
from referee.core.plain import Plain
from referee.journal.lines import Line
from referee.journal.seeded_dice import SeededDice
from referee.store.export import read_export
from referee.store.log_file import read_evening, seed_file, seed_of
from referee.store.log_reader import AFTER_HEADER, LogStart, read_record, read_start
from referee.store.records import LINE_LIMIT, Header, LogRow, Seed


class Mismatch(NamedTuple):
    """Something in the file that cannot be right, and its line."""

    line: int
    problem: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.problem}"


@final
@dataclass
class Written:
    """A log read from a file."""

    name: str
    start: LogStart
    lines: list[Line | None] = field(default_factory=list)
    """None where a line cannot be read; `mismatches` says why."""
    seeds: list[SeededDice] = field(default_factory=list)
    mismatches: list[Mismatch] = field(default_factory=list)

    def complain(self, line: int, problem: str) -> None:
        self.mismatches.append(Mismatch(line, problem))

    def add(self, plains: Iterable[tuple[int, Plain]]) -> None:
        """Add lines of the log, each with its line number in the file."""
        for at, plain in plains:
            try:
                self.lines.append(Line.from_plain(plain))
            except BadInput as problem:
                self.lines.append(None)
                self.complain(at, problem.problem)


def line_of_file(number: int) -> int:
    """The line number in the file of a line of the log."""
    return number + AFTER_HEADER


def read_written(path: Path) -> Written:
    """Read a log from a file; `BadInput` if it is not a log."""
    with path.open("rb") as file:
        first = file.readline(LINE_LIMIT)
    if first.endswith(b"\n") and first.strip():
        header = read_record(first, f"{path.name}, line 1")
        if header.get("kind") == "campaign":
            return _campaign(Written(str(header.get("name")), read_start(header, path.name)), path)
    return _evening(path)


def _evening(path: Path) -> Written:
    evening = read_evening(path)
    found = Written(path.name, evening.start)
    found.add(enumerate(evening.lines, AFTER_HEADER))
    if seed_file(path).exists():
        found.seeds.append(seed_of(path))
    if evening.incomplete:
        found.complain(len(evening.lines) + AFTER_HEADER, "is incomplete: it was never acknowledged, or cut off")
    return found


def _campaign(found: Written, path: Path) -> Written:
    with path.open("rb") as file:
        try:
            for at, part in read_export(file, found.complain):
                match part:
                    case LogRow():
                        found.add([(at, part.line)])
                    case Seed():
                        found.seeds.append(SeededDice(part.seed))
                    case Header():
                        found.name = part.name
                    case _:
                        pass
        except BadInput as problem:
            raise BadInput(f"{path.name}, {problem.where}", problem.problem) from None
    return found
