"""Which store there is: the embedded database, or one in PostgreSQL."""

from __future__ import annotations

from pathlib import Path

from referee.store.records import StoreError
from referee.store.sql import SqlStore
from referee.store.sqlite import SQLiteStore


def open_store(database: str, path: Path, *, create_new: bool = True) -> SqlStore:
    """The PostgreSQL database at an address; without one, the file at a path."""
    if not database:
        return SQLiteStore.open(path, create_new=create_new)
    try:
        from referee.store.postgres import PostgresStore  # only here: the driver is an extra
    except ImportError as missing:
        raise StoreError("PostgreSQL needs a driver: install referee[postgres]") from missing
    return PostgresStore.open(database)
