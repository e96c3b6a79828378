"""A journal in a file: one JSON line for the beginning, one for each line of the log, durable before anybody sees it.

A line torn by a crash was never acknowledged; it is cut off when the file is opened. The seed lies in a file of its own
beside it (`.seed`), so that the log can be shown while play goes on.
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
from referee.drivers.fair import Fair
from referee.drivers.journal import Journal
from referee.drivers.log import FORMAT, Line


@final
class LogFile:
    """A journal, and the file that remembers it."""

    def __init__(self, path: Path, journal: Journal, written: int) -> None:
        self.path = path
        self.journal = journal
        self._written = written

    @classmethod
    def create(cls, path: Path, system: System, start: State, source: Fair | None = None) -> LogFile:
        """Begin a log. An existing file is never overwritten."""
        source = source or Fair.fresh()
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
        """Open a log, cutting off a torn last line, and bring its open steps back to where they stood."""
        whole, torn = _whole_lines(path)
        if not whole:
            raise BadInput(path.name, "the log has no beginning")
        header = _parsed(whole[0], path, 1)
        if header.get("referee") != FORMAT:
            raise BadInput(path.name, f"a log of format {header.get('referee')!r}; this Referee reads format {FORMAT}")
        system = registry.load(str(header.get("system")))
        lines = [Line.from_plain(_parsed(text, path, at)) for at, text in enumerate(whole[1:], 2)]
        source = Fair(bytes.fromhex(seed_file(path).read_text(encoding="utf-8")))
        if torn:
            os.truncate(path, sum(len(text.encode()) + 1 for text in whole))
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


def _whole_lines(path: Path) -> tuple[list[str], bool]:
    """The complete lines of a file, and whether a torn one follows them."""
    text = path.read_bytes()
    end = text.rfind(b"\n") + 1
    return text[:end].decode("utf-8").splitlines(), end < len(text)


def _parsed(text: str, path: Path, number: int) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as problem:
        raise BadInput(f"{path.name}, line {number}", f"not JSON: {problem}") from None


def _make_durable(file: Any) -> None:
    file.flush()
    os.fsync(file.fileno())
