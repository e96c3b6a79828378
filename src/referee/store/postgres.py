"""The store in a PostgreSQL database that several servers share: turns by row locks, and word of what others wrote.

No server owns a campaign. Whoever changes one takes its turn (`turn`): one transaction that holds the campaign's row
from reading what is there to writing what is new. The number of a line stays unique whatever happens. A notification
only says that there is something to read; whoever misses it reads it at the next look.
"""

from __future__ import annotations

import os
import threading
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from time import time
from typing import Any, Final, final

import psycopg
from psycopg.sql import SQL, Identifier
from sqlalchemy import Connection, Engine, create_engine, inspect, select, text
from sqlalchemy.exc import DBAPIError, IntegrityError, SQLAlchemyError

from referee import __version__
from referee.core.plain import Plain
from referee.journal.lines import FORMAT
from referee.store import schema as store_schema
from referee.store.base import Heard
from referee.store.records import (
    Admission,
    Busy,
    Damaged,
    File,
    Header,
    LogRow,
    Seed,
    StoreError,
    Taken,
    Token,
    TooNew,
    UnknownCampaign,
)
from referee.store.sql import SqlStore

WAIT: Final = "8s"
"""How long somebody waits for their turn."""
MOST_IDLE: Final = "5s"
"""How long a transaction may do nothing: whoever is stopped in the middle of a turn loses it, and the others go on."""
MOST_CONNECTIONS: Final = 48
RECONNECT_AFTER: Final = 0.5
LOOK_EVERY: Final = 0.25
PATIENCE: Final = 5.0
_UPGRADING: Final = 7_215_001
"""The advisory lock of whoever builds or upgrades the tables."""
_SERVING: Final = 7_215_002
"""The class of the advisory locks that servers hold as long as they run, one for each version."""
_VERSION: Final = zlib.crc32(f"{__version__} {store_schema.newest()} {FORMAT}".encode()) & 0x7FFFFFFF
_SAFE: Final = {"fsync": "on", "full_page_writes": "on"}
_OURS: Final = f"{os.getpid()}-{os.urandom(4).hex()}"
_IDENTITY: Final = text(
    "SELECT (SELECT system_identifier FROM pg_control_system())::text || '.' ||"
    " (SELECT timeline_id FROM pg_control_checkpoint())::text || '.' || 'lines'::regclass::oid::text"
)
"""What is another one once a database was restored from a copy: the cluster, its timeline, or the table."""


@final
class PostgresStore(SqlStore):
    """A store in PostgreSQL."""

    is_shared = True

    def __init__(self, url: str, engine: Engine, schema: str = "") -> None:
        super().__init__(engine)
        self.url = url
        self.channel = f"referee_{schema}" if schema else "referee"
        self._held = threading.local()
        self._listener: _Listener | None = None

    @classmethod
    def open(cls, url: str, *, schema: str = "") -> PostgresStore:
        """Open a database; its tables are built or upgraded under a lock, so that only one server does."""
        options = f"-c idle_in_transaction_session_timeout={MOST_IDLE} -c lock_timeout={WAIT}"
        engine = create_engine(
            url.replace("postgresql://", "postgresql+psycopg://", 1),
            pool_size=8,
            max_overflow=MOST_CONNECTIONS - 8,
            hide_parameters=True,  # an error must not contain a seed
            connect_args={"options": f"{options} -c search_path={schema}" if schema else options},
        )
        store = cls(url, engine, schema)
        try:
            with store._errors_told(), engine.begin() as connection:
                connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _UPGRADING})
                if schema:
                    connection.exec_driver_sql(f'CREATE SCHEMA IF NOT EXISTS "{schema}"')
                _check_durable(connection)
                _build_or_climb(connection)
                restored = _is_restored(connection)
            if restored:  # a copy must not throw the same dice again
                store.retire_seeds(time())
        except BaseException:
            store.close()
            raise
        return store

    @contextmanager
    def turn(self, campaign: str) -> Iterator[int]:
        if getattr(self._held, "connection", None) is not None:
            yield self.count(campaign)
            return
        with self._errors_told(), self._engine.begin() as connection:
            wanted = select(store_schema.campaigns.c.lines).where(store_schema.campaigns.c.id == campaign)
            count = connection.execute(wanted.with_for_update()).scalar()
            if count is None:
                raise UnknownCampaign(campaign)
            with self._within(connection):
                yield count

    def append(
        self,
        campaign: str,
        expected: int,
        rows: Sequence[LogRow],
        key: str | None = None,
        outcome: Plain = None,
        admits: Admission | None = None,
    ) -> None:
        with self._writing() as connection:
            with self._within(connection):
                super().append(campaign, expected, rows, key, outcome, admits)
            if rows:
                self._notify(connection, campaign, str(expected + len(rows)))

    def add_campaign(self, header: Header, parts: Iterable[LogRow | File | Seed | Token]) -> None:
        try:
            super().add_campaign(header, parts)
        except StoreError as problem:
            cause = problem.__cause__
            if isinstance(cause, IntegrityError) and "campaigns_pkey" in str(cause.orig):
                raise Taken(header.id) from None  # by somebody at the same moment
            raise

    # What other servers write.

    def announce(self, campaign: str, what: str) -> None:
        with self._writing() as connection:
            self._notify(connection, campaign, what)

    def listen(self, heard: Heard, missed: Callable[[], None]) -> None:
        self._listener = _Listener(self.url, self.channel, heard, missed)
        self._listener.start()

    def close(self) -> None:
        if self._listener is not None:
            self._listener.close()
            self._listener = None
        super().close()

    # Transactions: many at once, since campaigns are locked by their rows. What is done in a turn is part of it.

    @contextmanager
    def _reading(self) -> Iterator[Connection]:
        held: Connection | None = getattr(self._held, "connection", None)
        if held is not None:
            yield held
            return
        with self._errors_told(), self._engine.begin() as connection:
            yield connection

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        held: Connection | None = getattr(self._held, "connection", None)
        begin = self._engine.begin() if held is None else _savepoint(held)
        try:
            with self._errors_told(), begin as connection:
                yield connection
        except StoreError as problem:
            if isinstance(problem.__cause__, SQLAlchemyError):
                self.write_problem = str(problem)
            raise
        self.write_problem = ""

    @contextmanager
    def _within(self, connection: Connection) -> Iterator[None]:
        """What this thread does now is part of this transaction."""
        before = getattr(self._held, "connection", None)
        self._held.connection = connection
        try:
            yield
        finally:
            self._held.connection = before

    def _notify(self, connection: Connection, campaign: str, what: str) -> None:
        """Tell the other servers, once this is written."""
        told = {"channel": self.channel, "told": f"{_OURS} {campaign} {what}"}
        connection.execute(text("SELECT pg_notify(:channel, :told)"), told)

    def _told(self, problem: SQLAlchemyError) -> StoreError:
        state = getattr(getattr(problem, "orig", None), "sqlstate", None) or ""
        if state == "55P03":
            return Busy("somebody else is changing this campaign; try again")
        if state in ("40001", "40P01", "25P03"):
            return Busy("the database has given up this change, and nothing of it is written; try again")
        if state.startswith("53"):
            return StoreError("the database has no room left; nothing was written")
        if state.startswith(("08", "57")) or (isinstance(problem, DBAPIError) and problem.connection_invalidated):
            return StoreError("the database cannot be reached; what was not acknowledged may not be written")
        return super()._told(problem)


@contextmanager
def _savepoint(connection: Connection) -> Iterator[Connection]:
    with connection.begin_nested():
        yield connection


def _check_durable(connection: Connection) -> None:
    """Whatever is acknowledged must be on disk."""
    for name, wanted in _SAFE.items():
        found = connection.exec_driver_sql(f"SHOW {name}").scalar()
        if found != wanted:
            raise StoreError(
                f"PostgreSQL has {name} = {found}, so it may lose what it has acknowledged; set it to {wanted}"
            )
    if connection.exec_driver_sql("SHOW synchronous_commit").scalar() == "off":
        raise StoreError(
            "PostgreSQL has synchronous_commit = off, so it may lose what it has acknowledged; set it to on"
        )


def _build_or_climb(connection: Connection) -> None:
    tables = inspect(connection).get_table_names()
    if not tables:
        store_schema.create_tables(connection)
        return
    version = store_schema.version_of(connection) if "about" in tables else None
    if not isinstance(version, int) or version < 1:
        raise Damaged("this database holds tables that are not Referee's; give Referee a database of its own")
    if version > store_schema.newest():
        newest = store_schema.newest()
        raise TooNew(f"written by a later Referee (schema {version}); this one reads up to {newest}")
    if version < store_schema.newest():
        store_schema.migrate(connection, version)


def _is_restored(connection: Connection) -> bool:
    """Whether the database is not the one it was when it was last opened."""
    identity = zlib.crc32(str(connection.execute(_IDENTITY).scalar()).encode()) & 0x7FFFFFFF
    before = store_schema.remembered_number(connection, "identity")
    if before != identity:
        store_schema.remember_number(connection, "identity", identity)
    return before not in (None, identity)


@final
class _Listener:
    """A connection of its own on which a server hears what others have written, and by which others know it runs."""

    def __init__(self, url: str, channel: str, heard: Heard, missed: Callable[[], None]) -> None:
        self._url, self._channel, self._heard, self._missed = url, channel, heard, missed
        self._closed = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Refused if a server of another version runs: two versions of the rules cannot share a table."""
        connection = self._connected()
        self._thread = threading.Thread(target=self._run, args=(connection,), daemon=True, name="postgres-listener")
        self._thread.start()

    def close(self) -> None:
        self._closed.set()
        if self._thread is not None:
            self._thread.join(PATIENCE)

    def _connected(self) -> Any:
        connection = psycopg.connect(self._url, autocommit=True)
        try:
            connection.execute("SELECT pg_advisory_lock_shared(%s, %s)", (_SERVING, _VERSION))
            others = connection.execute(
                "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND classid = %s AND objid <> %s"
                " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())",
                (_SERVING, _VERSION),
            ).fetchone()
            if others is not None and others[0]:
                raise StoreError(f"a Referee of another version than {__version__} serves this database; stop it first")
            connection.execute(SQL("LISTEN {}").format(Identifier(self._channel)))
        except BaseException:
            connection.close()
            raise
        return connection

    def _run(self, connection: Any) -> None:
        while not self._closed.is_set():
            try:
                with connection:
                    self._missed()  # what was said while nobody listened
                    self._hear(connection)
            except psycopg.Error:
                while not self._closed.wait(RECONNECT_AFTER):
                    with suppress(psycopg.Error, StoreError):
                        connection = self._connected()
                        break

    def _hear(self, connection: Any) -> None:
        while not self._closed.is_set():
            for each in connection.notifies(timeout=LOOK_EVERY):
                by, campaign, what = each.payload.split(" ", 2)
                if by != _OURS:
                    self._heard(campaign, what)
