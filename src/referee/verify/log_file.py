"""A log as it stands in a file: an exported campaign, or an evening of `referee play` with its seed beside it.

Read for checking: what can be read is read, and what does not add up is told beside it.
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
from referee.store.log_file import read_evening, seed_beside, seed_file
from referee.store.log_reader import AFTER_HEADER, LogStart, read_record, read_start
from referee.store.records import LINE_LIMIT, Header, LogRow, Seed


class Mismatch(NamedTuple):
    """Something that cannot be as it is written, and the line of the file."""

    line: int
    problem: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.problem}"


@final
@dataclass
class Written:
    """A log out of a file."""

    name: str
    start: LogStart
    lines: list[Line | None] = field(default_factory=list)
    """None where a line cannot be read; `mismatches` tells why."""
    seeds: list[SeededDice] = field(default_factory=list)
    mismatches: list[Mismatch] = field(default_factory=list)

    def complain(self, line: int, problem: str) -> None:
        self.mismatches.append(Mismatch(line, problem))

    def add(self, plains: Iterable[tuple[int, Plain]]) -> None:
        """Lines of the log, each with its line of the file."""
        for at, plain in plains:
            try:
                self.lines.append(Line.from_plain(plain))
            except BadInput as problem:
                self.lines.append(None)
                self.complain(at, problem.problem)


def line_of_file(number: int) -> int:
    """Where a line of the log stands in its file."""
    return number + AFTER_HEADER


def read_written(path: Path) -> Written:
    """A log out of a file; `BadInput` if it is none."""
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
        found.seeds.append(seed_beside(path))
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
