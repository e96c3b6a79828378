"""Campaigns on this computer, from a terminal: list, export, import, back up, restore, upgrade.

All of it works while a server is running, except a restore and an upgrade: stop the server for those.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path

from referee.cli.show import WORDS
from referee.cli.terminal import DIM, paint, table
from referee.core.errors import BadInput
from referee.core.plain import Plain, unknown
from referee.store.base import Store
from referee.store.copying import copy_campaign
from referee.store.folders import database_file
from referee.store.opening import open_store
from referee.store.records import StoreError
from referee.store.sql import SqlStore
from referee.store.sqlite import SQLiteStore
from referee.web.settings import settings_of


def list_campaigns(*, as_json: bool) -> None:
    """List every campaign, newest first."""
    found = []
    if settings_of(os.environ).database or database_file().exists():
        with local_store() as store:
            found = store.headers()
    if as_json:
        _print_json([asdict(each) for each in found])
        return
    rows = [
        {
            "campaign": each.id,
            "name": each.name,
            "system": each.system,
            "lines": each.lines,
            "last played": _date(each.active),
            "": WORDS.say("archived") if each.archived else each.problem or "",
        }
        for each in found
    ]
    for line in table(rows) if rows else [paint(WORDS.say("no-campaigns"), DIM)]:
        print(line)


def export(campaign: str, file: str, *, as_json: bool) -> None:
    """Write a campaign to one file, with the seeds that were revealed."""
    from referee.store.export import export_campaign

    target = Path(file)
    with local_store() as store:
        found = campaign_named(store, campaign)
        lines = store.count(found)
        with _new_file(target) as part, part.open("wb") as out:
            export_campaign(store, found, out, seeds=True)
    _tell("exported", as_json, campaign=found, file=file, lines=lines)


def import_file(file: str, *, as_json: bool) -> None:
    """Import a campaign from a file, and print an invitation for its game master."""
    from referee.table.hub import Hub

    with Path(file).open("rb") as content, local_store(create_new=True) as store:
        hub = Hub(store)
        try:
            header = hub.import_file(content)
        except BadInput as problem:
            raise BadInput(file, str(problem)) from None
        code = hub.new_invitation(header.id)
    _tell("imported", as_json, campaign=header.id, name=header.name, invitation=code)


def backup(file: str, *, as_json: bool) -> None:
    """Copy everything, as it is now, to one file."""
    with local_store() as store:
        if not isinstance(store, SQLiteStore):
            raise StoreError(WORDS.say("no-backup"))
        store.backup(Path(file))
        count = len(store.headers())
    _tell("backed-up", as_json, file=file, campaigns=count)


def restore(file: str, *, despite: bool, as_json: bool) -> None:
    """Replace the database with a backup; the old one is kept."""
    from referee.store.backup import restore as put_back

    target = database_file()
    target.parent.mkdir(parents=True, exist_ok=True)
    aside = put_back(Path(file), target, despite=despite)
    kept = str(aside) if aside else None
    _tell("restored" if aside is None else "restored-over", as_json, file=file, database=str(target), before=kept)


def upgrade(*, dry_run: bool, as_json: bool) -> None:
    """Upgrade the database to the format of this Referee, after making a copy of it."""
    from referee.store.sqlite import upgrade as climb

    steps = climb(database_file(), dry_run=dry_run)
    if as_json:
        _print_json({"database": str(database_file()), "steps": list(steps), "done": not dry_run})
        return
    for step in steps:
        print(step)
    print(WORDS.say("up-to-date" if not steps else "would-upgrade" if dry_run else "upgraded", steps=len(steps)))


@contextmanager
def local_store(*, create_new: bool = False) -> Iterator[SqlStore]:
    """The store that the server here uses."""
    with closing(open_store(settings_of(os.environ).database, database_file(), create_new=create_new)) as store:
        yield store


def copy_campaigns(source: str, target: str, *, dry_run: bool, as_json: bool) -> None:
    """Copy every campaign from one database to another, with its seats and dice; those there already are left alone."""
    with closing(store_at(source, create_new=False)) as ours:
        known = campaigns_at(target)
        wanted = [each for each in ours.headers() if each.id not in known]
        if not dry_run:
            with closing(store_at(target)) as theirs:
                for each in wanted:
                    copy_campaign(ours, theirs, each.id)
    told = {"campaigns": len(wanted), "lines": sum(each.lines for each in wanted), "left": len(known)}
    _tell("would-copy" if dry_run else "copied", as_json, source=source, target=target, **told)


def campaigns_at(where: str) -> set[str]:
    """The ids of the campaigns in a database; none if it is a file that does not exist."""
    if "://" not in where and not Path(where).exists():
        return set()
    with closing(store_at(where, create_new=False)) as store:
        return {each.id for each in store.headers()}


def store_at(where: str, *, create_new: bool = True) -> SqlStore:
    """The store of a PostgreSQL address, or of a file."""
    is_address = "://" in where
    return open_store(where if is_address else "", Path("" if is_address else where), create_new=create_new)


def campaign_named(store: Store, campaign: str) -> str:
    """Find a campaign by its id, or by its name if only one campaign has that name."""
    known = store.headers()
    if any(each.id == campaign for each in known):
        return campaign
    named = [each.id for each in known if each.name.casefold() == campaign.casefold()]
    if len(named) > 1:
        raise BadInput(campaign, WORDS.say("several-campaigns", ids=", ".join(named)))
    if not named:
        raise BadInput("campaign", unknown(campaign, (*(each.id for each in known), *(each.name for each in known))))
    return named[0]


@contextmanager
def _new_file(target: Path) -> Iterator[Path]:
    """A new file that is written completely or not at all, and never overwrites another."""
    from referee.store.copies import put_new

    if target.exists():
        raise StoreError(WORDS.say("file-exists", file=target))
    part = target.with_name(f"{target.name}.part")
    try:
        yield part
        put_new(part, target)
    finally:
        part.unlink(missing_ok=True)


def _date(at: float) -> str:
    return f"{datetime.fromtimestamp(at, UTC).astimezone():%Y-%m-%d %H:%M}"


def _tell(key: str, as_json: bool, **what: Plain) -> None:
    if as_json:
        _print_json(what)
    else:
        print(WORDS.say(key, **what))


def _print_json(plain: Plain) -> None:
    print(json.dumps(plain, ensure_ascii=False, indent=1))
