"""The store in one SQLite file: write-ahead log, on disk before a call returns, copied before it is upgraded."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final, final

from sqlalchemy import Connection, Engine, create_engine, event, inspect, select
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.pool import QueuePool

from referee.core.plain import Plain
from referee.store import schema as store_schema
from referee.store.copies import connect, copy, create, dated, explaining, sentence, sync, unused_path
from referee.store.known_lines import LineCount, check_lines, marker_of
from referee.store.records import (
    Admission,
    Damaged,
    File,
    Header,
    LogRow,
    Seed,
    StoreError,
    StoreProblem,
    Token,
    TooNew,
)
from referee.store.sql import SqlStore

_SETTINGS: Final = (
    "PRAGMA synchronous = FULL",  # every commit waits for the disk
    "PRAGMA fullfsync = ON",  # and on a Mac also for the disk's own cache
    "PRAGMA checkpoint_fullfsync = ON",
    "PRAGMA foreign_keys = ON",
    "PRAGMA cell_size_check = ON",  # damage is noticed where it is, not later
    "PRAGMA trusted_schema = OFF",
)
_FOREIGN: Final = "SELECT type, name FROM sqlite_master WHERE type != 'index' AND name NOT LIKE 'sqlite~_%' ESCAPE '~'"
_SMALLEST: Final = 512
"""The size in bytes of the smallest possible database."""
_MOST_CONNECTIONS: Final = 48
"""More than a server has threads, so that no thread waits for another's connection."""


@final
class SQLiteStore(SqlStore):
    """A store in one SQLite file."""

    def __init__(self, path: Path, engine: Engine) -> None:
        super().__init__(engine)
        self.path = path
        self._count: LineCount | None = None
        """None for a copy, which is not in service."""

    @classmethod
    def open(cls, path: Path, *, create_new: bool = True, in_service: bool = True) -> SQLiteStore:
        """Open a database, or create it if there is none. An older one is upgraded after a copy of it was made.

        Only the schema is read, so a damaged campaign does not affect the others; `check` reads everything. A database
        that is not in service is itself a copy: it is upgraded without another copy, and stays a single file.
        """
        if in_service and (not path.exists() or not path.stat().st_size):
            check_lines(path, 0)
        with explaining(f"{path} cannot be opened"):
            _prepare(path, create_new)
        store = cls(path, _engine(path))
        try:
            if in_service:
                store._check_lines()
            store._bring_up_to_date(copy_first=in_service)
            if in_service:
                store._log_ahead()
                with explaining(f"{marker_of(path)} cannot be written"):
                    store._count = LineCount(path, store.all_lines())
        except BaseException:
            store.close()
            raise
        return store

    def append(
        self,
        campaign: str,
        expected: int,
        rows: Sequence[LogRow],
        key: str | None = None,
        outcome: Plain = None,
        admits: Admission | None = None,
    ) -> None:
        super().append(campaign, expected, rows, key, outcome, admits)
        if self._count is not None:
            self._count.add(len(rows))

    def add_campaign(self, header: Header, parts: Iterable[LogRow | File | Seed | Token]) -> None:
        super().add_campaign(header, parts)
        if self._count is not None:
            self._count.add(self.count(header.id))

    def all_lines(self) -> int:
        """How many lines all campaigns have together; lines whose number cannot be read count as none."""
        with self._reading() as connection:
            found = connection.execute(select(store_schema.campaigns.c.lines)).scalars()
            return sum(each for each in found if isinstance(each, int))

    def close(self) -> None:
        super().close()
        if self._count is not None:
            self._count.close()
            self._count = None

    def _check_lines(self) -> None:
        """Lines are never deleted, so a database with fewer than it is known to hold has lost some."""
        with self._reading() as connection:
            is_empty = _version(connection, self.path) is None
        check_lines(self.path, 0 if is_empty else self.all_lines())

    def backup(self, target: Path) -> None:
        """Copy everything as it is now into a new file. Play may continue meanwhile."""
        copy(self.path, target)

    def _bring_up_to_date(self, copy_first: bool) -> None:
        with self._reading() as connection:
            version = _version(connection, self.path)
        if version is not None and version < store_schema.newest() and copy_first:
            self.backup(
                unused_path(self.path.with_name(f"{self.path.name}.before-schema-{store_schema.newest()}.{dated()}"))
            )
        if version != store_schema.newest():
            with self._writing() as connection:
                _build_or_climb(connection, _version(connection, self.path))

    def _log_ahead(self) -> None:
        """Write-ahead logging is a property of the file; not every file system supports it."""
        with self._errors_told(), self._engine.connect() as connection:
            raw: Any = connection.connection.driver_connection
            with explaining(f"{self.path} cannot be opened"):
                mode = raw.execute("PRAGMA journal_mode = WAL").fetchone()[0]
        if mode != "wal":
            raise StoreError(f"{self.path} cannot be kept here: the file system does not support a write-ahead log")

    def _told(self, problem: SQLAlchemyError) -> StoreError:
        return sentence(getattr(problem, "orig", None) or problem)

    def _whole(self) -> Iterator[StoreProblem]:
        """SQLite's own check of every page and index, and of lines without a campaign."""
        try:
            with self._reading() as connection:
                told = connection.exec_driver_sql("PRAGMA integrity_check").scalars().all()
                astray = connection.exec_driver_sql("PRAGMA foreign_key_check").all()
        except StoreError as problem:
            yield StoreProblem(None, None, str(problem))
            return
        yield from (StoreProblem(None, None, str(each)) for each in told if each != "ok")
        yield from (StoreProblem(None, None, f"a record of {each[0]} belongs to no campaign") for each in astray)


def schema_of(path: Path) -> int | None:
    """The schema of a database, None if it is empty. It must be Referee's, and not a later version."""
    with explaining(f"{path} cannot be opened"):
        _prepare(path, create_new=False)
    store = SQLiteStore(path, _engine(path))
    try:
        with store._reading() as connection:
            return _version(connection, path)
    finally:
        store.close()


def upgrade(path: Path, *, dry_run: bool = False) -> tuple[str, ...]:
    """Upgrade a database to this Referee's schema, or only list the steps; none if it is up to date."""
    version = schema_of(path)
    steps = () if version is None else store_schema.steps_from(version)
    if steps and not dry_run:
        SQLiteStore.open(path).close()
    return tuple(f"to schema {number}: {step.tells}" for number, step in enumerate(steps, (version or 0) + 1))


def _prepare(path: Path, create_new: bool) -> None:
    if path.exists():
        if 0 < path.stat().st_size < _SMALLEST and not path.with_name(f"{path.name}-journal").exists():
            raise Damaged(f"{path} is too short to be a database")  # SQLite would treat it as an empty one
        return
    if not create_new:
        raise StoreError(f"there is no database at {path}")
    path.parent.mkdir(parents=True, exist_ok=True)
    create(path)
    sync(path.parent)


def _engine(path: Path) -> Engine:
    engine = create_engine(
        "sqlite://",
        creator=lambda: connect(path),
        poolclass=QueuePool,
        pool_size=8,
        max_overflow=_MOST_CONNECTIONS - 8,
        hide_parameters=True,  # an error must not contain a seed
    )
    event.listen(engine, "connect", _settings)
    event.listen(engine, "begin", _begin)
    return engine


def _settings(connection: Any, _record: object) -> None:
    connection.text_factory = _text
    for setting in _SETTINGS:
        connection.execute(setting)


def _text(raw: bytes) -> str:
    """Text that is not UTF-8 is passed on as such, so that it affects one record and not the whole query."""
    return raw.decode("utf-8", "surrogateescape")


def _begin(connection: Connection) -> None:
    """A writer takes the lock at once: one that had read first might not get it later."""
    connection.exec_driver_sql(f"BEGIN {connection.get_execution_options().get('begin', '')}")


def _version(connection: Connection, path: Path) -> int | None:
    """The schema of a database, None if it is empty. It must be Referee's, and not a later version."""
    tables = inspect(connection).get_table_names()
    if not tables:
        return None
    version = store_schema.version_of(connection) if "about" in tables else None
    if not isinstance(version, int) or version < 1:
        raise Damaged(f"{path} is not a database of Referee's")
    if version > store_schema.newest():
        raise TooNew(
            f"{path} was written by a later Referee (schema {version}); this one reads up to {store_schema.newest()}"
        )
    for kind, name in connection.exec_driver_sql(_FOREIGN):
        if kind != "table" or name not in store_schema.META.tables:
            raise Damaged(f"{path} holds a {kind} that is not Referee's: {name}")
    return version


def _build_or_climb(connection: Connection, version: int | None) -> None:
    if version is None:
        store_schema.create_tables(connection)
    else:
        store_schema.migrate(connection, version)
