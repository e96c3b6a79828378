"""A journal in a file: one JSON line for the beginning, one for each line of the log, durable before anybody sees it.

A line left incomplete by a crash was never acknowledged; it is cut off when the file is opened. The seed is in a file
of its own beside it (`.seed`), so that the log can be shown while play goes on.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, final

from referee import registry
from referee.core.errors import BadInput
from referee.core.scene import State
from referee.core.system import System
from referee.journal.journal import Journal
from referee.journal.lines import FORMAT, Line
from referee.journal.seeded_dice import SeededDice


@final
class LogFile:
    """A journal, and the file that remembers it."""

    def __init__(self, path: Path, journal: Journal, written: int) -> None:
        self.path = path
        self.journal = journal
        self._written = written

    @classmethod
    def create(cls, path: Path, system: System, start: State, source: SeededDice | None = None) -> LogFile:
        """Begin a log. An existing file is never overwritten."""
        source = source or SeededDice.fresh()
        if path.exists() or seed_file(path).exists():
            raise BadInput(path.name, "exists already; a log is never overwritten")
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
        """Open a log, cutting off an incomplete last line, and bring its open steps back to where they stood."""
        whole, incomplete = _whole_lines(path)
        if not whole:
            raise BadInput(path.name, "the log has no beginning")
        header = _parsed(whole[0], path, 1)
        if header.get("referee") != FORMAT:
            raise BadInput(path.name, f"a log of format {header.get('referee')!r}; this Referee reads format {FORMAT}")
        if "scene" not in header:
            raise BadInput(f"{path.name}, line 1", "does not say how the session began")
        system = registry.load(str(header.get("system")))
        lines = [_line(_parsed(text, path, at), path, at) for at, text in enumerate(whole[1:], 2)]
        source = _source(path, header.get("commitment"))
        if incomplete:
            os.truncate(path, sum(len(text) + 1 for text in whole))
        journal = Journal(system, system.state(header["scene"]), source, lines)
        file = cls(path, journal, len(lines))
        file.save()
        return file

    def save(self) -> None:
        """Append what is new, and wait until the disk has it."""
        new = self.journal.lines[self._written :]
        if not new:
            return
        with self.path.open("a", encoding="utf-8") as file:
            file.writelines(json.dumps(line.to_plain(), ensure_ascii=False) + "\n" for line in new)
            _make_durable(file)
        self._written += len(new)


def seed_file(path: Path) -> Path:
    return path.with_name(path.name + ".seed")


def _source(path: Path, commitment: object) -> SeededDice:
    """The dice of the evening: the seed beside the log, which must be the one that was committed to."""
    try:
        source = SeededDice(bytes.fromhex(seed_file(path).read_text(encoding="utf-8")))
    except (OSError, ValueError) as problem:
        raise BadInput(seed_file(path).name, f"the seed of the dice cannot be read: {problem}") from None
    if source.commitment != commitment:
        raise BadInput(seed_file(path).name, "is not the seed this log has committed to")
    return source


def _whole_lines(path: Path) -> tuple[list[bytes], bool]:
    """The complete lines of a file, and whether an incomplete one follows them."""
    *whole, rest = path.read_bytes().split(b"\n")
    return whole, bool(rest)


def _parsed(text: bytes, path: Path, number: int) -> dict[str, Any]:
    try:
        plain = json.loads(text)
    except ValueError as problem:
        raise BadInput(f"{path.name}, line {number}", f"not JSON: {problem}") from None
    if not isinstance(plain, dict):
        raise BadInput(f"{path.name}, line {number}", f"not a line of a log: {str(plain)[:80]}")
    return plain


def _line(plain: dict[str, Any], path: Path, number: int) -> Line:
    try:
        return Line.from_plain(plain)
    except BadInput as problem:
        raise BadInput(f"{path.name}, line {number}", problem.problem) from None


def _make_durable(file: Any) -> None:
    file.flush()
    os.fsync(file.fileno())
