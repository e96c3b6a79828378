"""Campaigns from files: each is tried in a store of its own first, so that a bad file leaves nothing behind."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from secrets import token_hex
from tempfile import TemporaryDirectory
from typing import BinaryIO

from referee.core.errors import BadInput, RefereeError
from referee.journal.lines import Line
from referee.store.base import Store
from referee.store.export import import_campaign
from referee.store.records import File, Header, LogRow, Seed, Token
from referee.store.sqlite import SQLiteStore
from referee.table import storage
from referee.table.campaign import Campaign
from referee.table.desk import Desk
from referee.table.members import Role
from referee.table.seat_desk import new_seat


def import_into(
    store: Store, file: BinaryIO, clock: Callable[[], float], master: str = "", token_of: storage.TokenOf | None = None
) -> tuple[Header, str]:
    """Import a campaign with a new id and new dice, all of it or nothing; returns its header and its master's seat.

    The seat belongs to a new game master of that name, if there is one, and has a token from the beginning.
    """
    storage.check_system(file)
    with _trial_store() as trial:
        header = import_campaign(trial, file, token_hex(8), check_line=Line.from_plain)
        try:
            current = storage.open_campaign(trial, header.id, clock)
            seat = new_seat(current, "", master, Role.MASTER, frozenset()) if master else ""
            _look_around(current)
        except RefereeError:
            raise
        except Exception as fault:
            raise BadInput("file", f"its campaign cannot be opened: {type(fault).__name__}: {fault}") from fault
        before = trial.count(header.id)
        storage.append(trial, header.id, before, storage.new_lines(current, before), clock())
        if seat and token_of is not None:
            trial.keep_token(token_of(header.id, seat))
        store.add_campaign(trial.header(header.id), _parts(trial, header.id))
        if (found := current.checkpoint()) is not None:
            store.keep_checkpoint(header.id, current.count, found.to_plain())
    return header, seat


@contextmanager
def _trial_store() -> Iterator[Store]:
    with TemporaryDirectory(prefix="referee-import-") as folder:
        store = SQLiteStore.open(Path(folder) / "trial.db", in_service=False)
        with closing(store):
            yield store


def _look_around(current: Campaign) -> None:
    """See the table from every seat, as everyone will: what cannot be shown is no campaign."""
    for seat in current.members:
        desk = Desk(current, seat)
        _ = desk.view(), desk.feed.items


def _parts(store: Store, campaign: str) -> Iterator[LogRow | File | Seed | Token]:
    """Everything of a campaign, for another store."""
    yield from store.seeds(campaign)
    yield from store.lines(campaign)
    for info in store.files(campaign):
        if (found := store.file(campaign, info.id)) is not None:
            yield found
    yield from store.tokens(campaign)
