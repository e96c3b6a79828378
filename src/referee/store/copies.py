"""Copies of an SQLite database that are complete, on disk, and never overwrite another file."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from referee.store.records import Damaged, StoreError

BUSY: Final = 10.0
"""How many seconds to wait for another process to finish writing."""
DATED: Final = "%Y%m%dT%H%M%SZ"


def copy(source: Path, target: Path) -> None:
    """Copy a database as it is at one moment, even while it is being written to, into a new file."""
    if target.exists():
        raise StoreError(f"{target} exists already; a backup never overwrites a file")
    part = unused_path(target.with_name(f"{target.name}.part"))
    with explaining(f"{source} cannot be copied to {target}"):
        target.parent.mkdir(parents=True, exist_ok=True)
        create(part)
        try:
            _copy(source, part)
            sync(part)
            put_new(part, target)
        finally:
            part.unlink(missing_ok=True)
        sync(target.parent)


def _copy(source: Path, target: Path) -> None:
    """Copy by SQLite's online backup; the copy has no write-ahead log, so it is a single file."""
    with closing(connect(source, "ro")) as old, closing(connect(target)) as new:
        old.backup(new)
        new.execute("PRAGMA journal_mode = DELETE")


def connect(path: Path, mode: str = "rw") -> sqlite3.Connection:
    """A connection to a database that must exist: connecting never creates one."""
    uri = f"{path.absolute().as_uri()}?mode={mode}"
    return sqlite3.connect(uri, timeout=BUSY, isolation_level=None, check_same_thread=False, uri=True)


def create(path: Path) -> None:
    """Create an empty file that only its owner can read, because it will hold seeds and tokens."""
    os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))


def put_new(part: Path, target: Path) -> None:
    """Give a finished file its name, unless that name is taken."""
    try:
        target.hardlink_to(part)
    except FileExistsError:
        raise StoreError(f"{target} exists already; a backup never overwrites a file") from None
    except OSError:  # a file system without links
        part.rename(target)


def sync(path: Path) -> None:
    """Wait until a file, or the names in a folder, are on disk."""
    if path.is_dir() and os.name == "nt":
        return  # Windows saves the names of a folder by itself
    handle = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def dated(now: datetime | None = None) -> str:
    """A moment, as part of a file name."""
    return (now or datetime.now(UTC)).strftime(DATED)


def unused_path(path: Path) -> Path:
    """A path that is not taken: this one, or this one with a number."""
    numbered = (path.with_name(f"{path.name}-{number}") for number in range(2, 1000))
    return next((each for each in (path, *numbered) if not each.exists()), path)


@contextmanager
def explaining(what: str) -> Iterator[None]:
    """Turn errors of the file system and of SQLite into sentences."""
    try:
        yield
    except OSError as problem:
        raise StoreError(f"{what}: {problem.strerror or problem}") from problem
    except sqlite3.Error as problem:
        raise sentence(problem, what) from problem


def sentence(problem: BaseException | None, what: str = "") -> StoreError:
    """What SQLite reports, and what can be done about it."""
    name: str = getattr(problem, "sqlite_errorname", None) or ""
    lead = f"{what}: " if what else ""
    if name.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB", "SQLITE_IOERR_SHORT_READ", "SQLITE_IOERR_CORRUPTFS")):
        return Damaged(f"{lead}the database is damaged ({problem}); restore a backup, or export what can still be read")
    for start, told in _SENTENCES.items():
        if name.startswith(start):
            return StoreError(f"{lead}{told} ({problem})")
    return StoreError(f"{lead}the database failed: {problem}")


_SENTENCES: Final = {
    "SQLITE_FULL": "the disk is full; nothing was written",
    "SQLITE_READONLY": "the database cannot be written to; look at the rights of its file and folder",
    "SQLITE_BUSY": "another process is writing to the database; nothing was written",
    "SQLITE_LOCKED": "another process is writing to the database; nothing was written",
    "SQLITE_CANTOPEN": "the database cannot be opened; look at the rights of its file and folder",
    "SQLITE_PERM": "the database cannot be opened; look at the rights of its file and folder",
    "SQLITE_TOOBIG": "that is too large for the database; nothing was written",
    "SQLITE_IOERR": "the disk refused to read or write; look whether it is full or failing",
}
