"""How many lines a database is known to hold, in a small file beside it: one that has lost some is not taken as whole.

Lines are only ever added. A database with fewer than were known is an older copy, an empty file, or one that has lost
its write-ahead log. The file is written after each commit without waiting for the disk: after a power cut it may say
too little, never too much.
"""

from __future__ import annotations

import os
from pathlib import Path
from threading import Lock
from typing import Final, final

from referee.store.records import LinesLost

MARKER: Final = ".lines"
WIDTH: Final = 20


def marker_of(path: Path) -> Path:
    """The file beside a database."""
    return path.with_name(path.name + MARKER)


def known_lines(path: Path) -> int:
    """How many lines a database is known to hold; 0 if nothing is known."""
    try:
        text = marker_of(path).read_text(encoding="ascii")
    except (OSError, ValueError):
        return 0
    return int(text) if text.strip().isdigit() else 0


def check_lines(path: Path, found: int) -> None:
    """Refuse a database that holds fewer lines than are known."""
    known = known_lines(path)
    if found < known:
        raise LinesLost(
            f"{path} held {known} lines and now holds {found}. It was replaced by an older or an empty file, or it has "
            f"lost its write-ahead log ({path.name}-wal). Put the missing file back, or restore a backup with `referee "
            f"restore`. If this is the database you want, delete {marker_of(path).name} beside it and start again."
        )


@final
class LineCount:
    """The count of an open database, kept in the file beside it."""

    def __init__(self, path: Path, lines: int) -> None:
        self._lines = lines
        self._lock = Lock()
        self._file = os.open(marker_of(path), os.O_WRONLY | os.O_CREAT, 0o600)
        self.add(0)

    def add(self, lines: int) -> None:
        """Note lines that have been committed."""
        with self._lock:
            self._lines += lines
            os.pwrite(self._file, f"{self._lines:>{WIDTH}}\n".encode(), 0)

    def close(self) -> None:
        os.close(self._file)
