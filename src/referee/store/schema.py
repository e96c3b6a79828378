"""The tables of the store, in SQL for both SQLite and PostgreSQL, and the migrations from older schemas.

Plain data is stored as JSON text that Referee writes and reads itself, so a line that cannot be read affects no other.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, final

from sqlalchemy import (
    Column,
    Connection,
    Double,
    ForeignKey,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    insert,
    select,
    update,
)
from sqlalchemy.dialects.postgresql import insert as postgres_insert
from sqlalchemy.dialects.sqlite import insert as sqlite_insert

from referee.core.plain import frozen


class Bytes(LargeBinary):
    """Bytes as the driver returns them, so that a damaged value reaches the reader instead of failing on the way."""

    cache_ok = True

    def result_processor(self, dialect: Any, coltype: object) -> None:
        return None


def _campaign(**more: Any) -> Column[str]:
    return Column("campaign", Text, ForeignKey("campaigns.id"), nullable=False, **more)


META: Final = MetaData()

about: Final = Table(
    "about", META, Column("name", Text, primary_key=True), Column("value", Integer, nullable=False)
)  # the schema, and in PostgreSQL which database it is

campaigns: Final = Table(
    "campaigns",
    META,
    Column("id", Text, primary_key=True),
    Column("name", Text, nullable=False),
    Column("system", Text, nullable=False),
    Column("version", Integer, nullable=False),
    Column("format", Integer, nullable=False),
    Column("scene", Text, nullable=False),
    Column("created", Double, nullable=False),
    Column("forked_from", Text),
    Column("lines", Integer, nullable=False),  # how many; a writer advances it only from the count it expects
    Column("active", Double, nullable=False),
    Column("archived", Double),
)

lines: Final = Table(
    "lines",
    META,
    _campaign(primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("at", Double, nullable=False),
    Column("line", Text, nullable=False),
)

keys: Final = Table(
    "keys",
    META,
    _campaign(primary_key=True),
    Column("key", Text, primary_key=True),
    Column("outcome", Text, nullable=False),
    Column("at", Double, nullable=False),
)

checkpoints: Final = Table(
    "checkpoints",
    META,
    _campaign(primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("plain", Text, nullable=False),
)

seeds: Final = Table(
    "seeds",
    META,
    _campaign(primary_key=True),
    Column("commitment", Text, primary_key=True),
    Column("seed", Bytes, nullable=False),
    Column("revealed", Double),
)

tokens: Final = Table(
    "tokens",
    META,
    Column("digest", Text, primary_key=True),
    _campaign(index=True),
    Column("seat", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("created", Double, nullable=False),
    Column("expires", Double),
)

invitations: Final = Table(
    "invitations",
    META,
    Column("digest", Text, primary_key=True),
    _campaign(index=True),
    Column("role", Text, nullable=False),
    Column("controls", Text, nullable=False),
    Column("expires", Double),
    Column("uses", Integer, nullable=False),
    Column("code", Text),  # only of an invitation that stays, which is shown again
)

files: Final = Table(
    "files",
    META,
    _campaign(primary_key=True),
    Column("id", Text, primary_key=True),
    Column("name", Text, nullable=False),
    Column("media", Text, nullable=False),
    Column("size", Integer, nullable=False),
    Column("data", Bytes, nullable=False),
)

uploads: Final = Table(
    "uploads",
    META,
    _campaign(primary_key=True),
    Column("seat", Text, primary_key=True),
    Column("file", Text, primary_key=True),
)


@final
@frozen
class Migration:
    """A migration from one schema to the next."""

    tells: str
    carry_out: Callable[[Connection], object]


STEPS: tuple[Migration, ...] = (
    Migration(
        "an invitation that stays keeps its code",
        lambda connection: connection.exec_driver_sql("ALTER TABLE invitations ADD COLUMN code TEXT"),
    ),
    Migration(
        "who uploaded a picture is known",
        lambda connection: uploads.create(connection, checkfirst=True),
    ),
)
"""The migration at index n leads from schema n + 1 to n + 2."""


def newest() -> int:
    """The schema version this Referee writes."""
    return len(STEPS) + 1


def steps_from(version: int) -> tuple[Migration, ...]:
    """The migrations an older database still needs."""
    return STEPS[version - 1 :]


def create_tables(connection: Connection) -> None:
    """Create all tables in an empty database."""
    META.create_all(connection)
    connection.execute(insert(about).values(name="schema", value=newest()))


def version_of(connection: Connection) -> object:
    """The schema version recorded in a database."""
    return connection.execute(select(about.c.value).where(about.c.name == "schema")).scalar()


def remembered_number(connection: Connection, name: str) -> int | None:
    """A number kept about the database itself."""
    found: int | None = connection.execute(select(about.c.value).where(about.c.name == name)).scalar()
    return found


def remember_number(connection: Connection, name: str, value: int) -> None:
    put(connection, about, {"name": name, "value": value})


def put(connection: Connection, table: Table, values: dict[str, Any], *, keep: bool = False) -> bool:
    """Store a record in place of the one with the same primary key, or `keep` that; whether anything was stored."""
    is_sqlite = connection.dialect.name == "sqlite"
    made = sqlite_insert(table).values(values) if is_sqlite else postgres_insert(table).values(values)
    keys = [column.name for column in table.primary_key]
    others = {name: made.excluded[name] for name in values if name not in keys}
    done = made.on_conflict_do_nothing() if keep else made.on_conflict_do_update(index_elements=keys, set_=others)
    return bool(connection.execute(done).rowcount)


def migrate(connection: Connection, version: int) -> None:
    """Run every migration from an older schema to this one; the caller's transaction makes it all or nothing."""
    for step in steps_from(version):
        step.carry_out(connection)
    connection.execute(update(about).where(about.c.name == "schema").values(value=newest()))
