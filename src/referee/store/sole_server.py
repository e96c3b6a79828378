"""One server for one folder: a second one would not notice what the first one writes."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from referee.store.folders import DATABASE
from referee.store.records import StoreError

LOCK: Final = "server.lock"


@contextmanager
def sole_server(folder: Path) -> Iterator[None]:
    """Hold a folder for one server; refused if another has it. The system lets go of it when the process ends.

    What is locked is the folder in which the database lies, by whatever links it was named: nobody can delete that
    while it is served. The file beside it says who serves it.
    """
    home = (folder / DATABASE).resolve().parent
    file = os.open(home / LOCK, os.O_RDWR | os.O_CREAT, 0o600)
    place = None if os.name == "nt" else os.open(home, os.O_RDONLY)
    try:
        if place is not None and not _locked(place):
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
        if place is not None:
            os.close(place)


def _locked(place: int) -> bool:
    import fcntl  # not on Windows, where SQLite's own locks have to do

    try:
        fcntl.flock(place, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
