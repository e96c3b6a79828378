"""How the parts of a store reach the database: short transactions, one writer at a time, errors as sentences."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Final

from sqlalchemy import Connection, Engine, bindparam, select
from sqlalchemy.exc import SQLAlchemyError

from referee.store.records import BadRecord, StoreError, UnknownCampaign
from referee.store.schema import campaigns

_KNOWN: Final = select(campaigns.c.id).where(campaigns.c.id == bindparam("campaign"))


class Database:
    """A database, and the two ways to use it: reading and writing."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._writer = engine.execution_options(begin="IMMEDIATE")
        self._one_writes = Lock()
        self.write_problem = ""
        """Why the last write failed; empty if it did not."""

    @contextmanager
    def _reading(self) -> Iterator[Connection]:
        """A short read transaction: everything from the same moment."""
        with self._errors_told(), self._engine.begin() as connection:
            yield connection

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        """A transaction that is on disk when it ends, or leaves no trace if anything was raised in it."""
        try:
            with self._errors_told(), self._one_writes, self._writer.begin() as connection:
                yield connection
        except StoreError as problem:
            if isinstance(problem.__cause__, SQLAlchemyError):
                self.write_problem = str(problem)
            raise
        self.write_problem = ""

    @contextmanager
    def _errors_told(self) -> Iterator[None]:
        try:
            yield
        except SQLAlchemyError as problem:
            raise self._told(problem) from problem

    def _told(self, problem: SQLAlchemyError) -> StoreError:
        """What went wrong, in a sentence; subclasses that know their database say more."""
        return StoreError(f"the database failed: {getattr(problem, 'orig', None) or problem}")


def counted(connection: Connection, campaign: str) -> int:
    """How many lines a campaign has."""
    found = connection.execute(select(campaigns.c.lines).where(campaigns.c.id == campaign)).one_or_none()
    if found is None:
        raise UnknownCampaign(campaign)
    if not isinstance(found.lines, int) or found.lines < 0:
        raise BadRecord(campaign, None, f"the number of its lines cannot be read: {found.lines!r}")
    return found.lines


def check_known(connection: Connection, campaign: str) -> None:
    """Raise `UnknownCampaign` if there is no such campaign."""
    if connection.execute(_KNOWN, {"campaign": campaign}).one_or_none() is None:
        raise UnknownCampaign(campaign)
