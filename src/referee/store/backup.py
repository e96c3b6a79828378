"""Backups of the embedded database: a dated copy every day, and a restore that never deletes first."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from referee.core.errors import BadInput
from referee.store.copies import DATED, connect, copy, dated, explaining, sentence, sync, unused_path
from referee.store.known_lines import MARKER, marker_of
from referee.store.records import Damaged, StoreError
from referee.store.sqlite import SQLiteStore, schema_of

DAY: Final = timedelta(days=1)
KEPT: Final = 14
A_WHILE: Final = timedelta(minutes=5)
KEPT_BY_HAND: Final = 5
_MAGIC: Final = b"SQLite format 3\0"
_BESIDE: Final = ("-wal", "-shm", "-journal", MARKER)
"""The files that may stand next to a database; they belong to it."""


# --- every day --------------------------------------------------------------------------------------------------------


def automatic_backups(store: SQLiteStore, folder: Path, keep: int = KEPT, now: datetime | None = None) -> Path | None:
    """Make a dated copy if the last one is a day old, and keep only the newest `keep`. Returns the copy, if made.

    If the copy has problems, nothing is pruned: an older one may be the last good one.
    """
    now = now or datetime.now(UTC)
    made = _dates(folder, store.path.stem, store.path.suffix)
    if made and abs(now - max(made.values())) < DAY:
        return None
    target = folder / f"{store.path.stem}-{dated(now)}{store.path.suffix}"
    store.backup(target)
    if not _problems(target):
        _prune(store, folder, target, keep)
    return target


def _dates(folder: Path, called: str, suffix: str) -> dict[Path, datetime]:
    """The copies with a given name in a folder, and when they were made; other files are ignored."""
    found: dict[Path, datetime] = {}
    for path in folder.glob(f"*{suffix}"):
        name, _, date = path.stem.rpartition("-")
        if name == called:
            try:
                found[path] = datetime.strptime(date, DATED).replace(tzinfo=UTC)
            except ValueError:
                continue
    return found


def _prune(store: SQLiteStore, folder: Path, newest: Path, keep: int) -> None:
    made = _dates(folder, store.path.stem, store.path.suffix)
    made.pop(newest, None)
    with explaining(f"the older backups in {folder} cannot be pruned"):
        old = sorted(made, key=made.__getitem__, reverse=True)[max(keep, 1) - 1 :]
        whole = _lines_in(newest) if old else 0
        for path in old:
            if _lines_in(path) <= whole:  # a copy that holds more may be the last good one
                path.unlink()


def _lines_in(path: Path) -> int:
    """How many lines a copy holds; 0 if it cannot be read."""
    try:
        with closing(SQLiteStore.open(path, create_new=False, in_service=False)) as store:
            return store.all_lines()
    except StoreError:
        return 0


# --- on request ------------------------------------------------------------------------------------------------------


def backup_by_hand(store: SQLiteStore, folder: Path, now: datetime | None = None) -> Path:
    """Make a dated copy because someone asked for it. It never replaces a daily one, and only some of these are kept.

    Anyone might ask, so it is refused shortly after the last one.
    """
    now = now or datetime.now(UTC)
    made = backups(store, folder)
    by_hand = {path: at for path, at in made.items() if path.stem.startswith(_by_hand(store))}
    if by_hand and abs(now - max(by_hand.values())) < A_WHILE:
        raise BadInput(
            "backup", f"one was made a moment ago; another can be made after {A_WHILE.seconds // 60} minutes"
        )
    target = folder / f"{_by_hand(store)}-{dated(now)}{store.path.suffix}"
    store.backup(target)
    with explaining(f"the older backups in {folder} cannot be pruned"):
        for path in sorted(by_hand, key=by_hand.__getitem__, reverse=True)[KEPT_BY_HAND - 1 :]:
            path.unlink()
    return target


def backups(store: SQLiteStore, folder: Path) -> dict[Path, datetime]:
    """The copies of a database in a folder, daily and on request, and when each was made, newest first."""
    found = {**_dates(folder, store.path.stem, store.path.suffix)}
    found |= _dates(folder, _by_hand(store), store.path.suffix)
    return dict(sorted(found.items(), key=lambda each: each[1], reverse=True))


def _by_hand(store: SQLiteStore) -> str:
    return f"{store.path.stem}-by-hand"


# --- restore ----------------------------------------------------------------------------------------------------------


def restore(backup: Path, target: Path, *, despite: bool = False, now: datetime | None = None) -> Path | None:
    """Put a copy of a backup in place of a database; returns the old database's new path, None if there was none.

    The backup is read completely first; one with problems is refused, unless `despite` is set. Whatever fails, the old
    database stays in its place. No one may have it open.
    """
    if not backup.is_file():
        raise StoreError(f"there is no backup at {backup}")
    incoming = unused_path(target.with_name(f"{target.name}.incoming"))
    aside = unused_path(target.with_name(f"{target.name}.before-restore.{dated(now)}"))
    try:
        copy(backup, incoming)
        _check(backup, incoming, despite)
        _retire_seeds(incoming, (now or datetime.now(UTC)).timestamp())
        with explaining(f"{backup} cannot be put in the place of {target}"):
            sync(incoming)
            if not target.exists():
                os.replace(incoming, target)  # noqa: PTH105 - os.replace is the atomic one, by name
                marker_of(target).unlink(missing_ok=True)  # it counts the lines of a database that is gone
                sync(target.parent)
                return None
            _fold(target)
            with _old_kept(target, aside):
                os.replace(incoming, target)  # noqa: PTH105
                sync(target.parent)
            return aside
    finally:
        for path in (incoming, *_beside(incoming)):
            path.unlink(missing_ok=True)


def _check(backup: Path, incoming: Path, despite: bool) -> None:
    if schema_of(incoming) is None:
        raise Damaged(f"{backup} is empty; nothing was restored")
    problems = _problems(incoming)
    if problems and not despite:
        raise Damaged(f"{backup} has problems; nothing was restored: {'; '.join(problems)}")


def _retire_seeds(path: Path, at: float) -> None:
    """No seed goes on from a backup: it would throw the same dice again. A damaged one keeps what it has."""
    try:
        with closing(SQLiteStore.open(path, create_new=False, in_service=False)) as store:
            store.retire_seeds(at)
    except Damaged:
        return


def _problems(path: Path) -> list[str]:
    """What is wrong with a copy, which is upgraded on the way."""
    with closing(SQLiteStore.open(path, create_new=False, in_service=False)) as store:
        return [str(each) for each in store.check()]


def _fold(path: Path) -> None:
    """Merge a database's write-ahead log into it; no one may have it open. A damaged database stays as it is."""
    with path.open("rb") as file:
        if file.read(len(_MAGIC)) != _MAGIC:
            return  # SQLite would discard the log of a database it cannot read
    try:
        with closing(connect(path)) as connection:
            connection.execute("PRAGMA journal_mode = DELETE")
    except sqlite3.Error as problem:
        told = sentence(problem)
        if isinstance(told, Damaged):
            return
        if (problem.sqlite_errorname or "").startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
            raise StoreError(f"{path} is in use; stop the server first") from problem
        raise told from problem


@contextmanager
def _old_kept(target: Path, aside: Path) -> Iterator[None]:
    """Set the old database aside: it gets a second name before it loses its first. If anything fails, all is undone."""
    moved: list[tuple[Path, Path]] = []
    try:
        for old, new in zip(_beside(target), _beside(aside), strict=True):
            if old.exists():
                old.rename(new)
                moved.append((old, new))
        _second_name(target, aside)
        yield
    except BaseException:
        if aside.exists():
            os.replace(aside, target)  # noqa: PTH105
            aside.unlink(missing_ok=True)  # if both are names of one file, the line above leaves both
        for old, new in moved:
            new.rename(old)
        raise


def _second_name(target: Path, aside: Path) -> None:
    try:
        aside.hardlink_to(target)
    except OSError:  # a file system without links: for a moment the old database has only its new name
        target.rename(aside)


def _beside(path: Path) -> list[Path]:
    return [path.with_name(path.name + suffix) for suffix in _BESIDE]
