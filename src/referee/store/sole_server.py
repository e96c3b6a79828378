"""One server for one folder: a second one would not notice what the first one writes."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from referee.store.records import StoreError

LOCK: Final = "server.lock"


@contextmanager
def sole_server(folder: Path) -> Iterator[None]:
    """Hold a folder for one server; refused if another has it. The system lets go of it when the process ends."""
    path = folder / LOCK
    file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        if not _locked(file):
            other = os.read(file, 32).decode("ascii", "replace").strip()
            raise StoreError(
                f"another Referee (process {other or 'unknown'}) serves the folder {folder}; stop it first, or choose "
                "another folder with REFEREE_DATA"
            )
        os.ftruncate(file, 0)
        os.write(file, f"{os.getpid()}\n".encode())
        yield
    finally:
        os.close(file)


def _locked(file: int) -> bool:
    try:
        import fcntl
    except ImportError:  # a system without it, where SQLite's own locks have to do
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
