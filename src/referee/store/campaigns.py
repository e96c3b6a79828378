"""Campaigns and their lines in a database."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from sqlalchemy import Connection, bindparam, delete, insert, select, update
from sqlalchemy import Row as Record

from referee.core.plain import Plain
from referee.store.attachments import insert_file
from referee.store.connection import Database, check_known, counted
from referee.store.encoding import check_number, check_text, check_time, header_row, line_rows, mapping, parsed, written
from referee.store.records import (
    OUTCOME_LIMIT,
    Admission,
    BadRecord,
    Conflict,
    Damaged,
    File,
    Header,
    LogRow,
    Repeated,
    Seed,
    Summary,
    Taken,
    Token,
    UnknownCampaign,
)
from referee.store.schema import campaigns, keys, lines
from referee.store.secrets import admit, insert_seed, insert_token

CHUNK: Final = 500
"""How many lines are read or written at once."""

# The queries of every request are built once: building them takes longer than running them.
_OURS: Final = campaigns.c.id == bindparam("campaign")
_OUTCOME: Final = select(keys.c.outcome).where(keys.c.campaign == bindparam("campaign"), keys.c.key == bindparam("key"))
_MOVE_ON: Final = update(campaigns).where(_OURS, campaigns.c.lines == bindparam("expected"))
_ADD_LINES: Final = insert(lines)
_REMEMBER: Final = insert(keys)


class CampaignLogs(Database):
    """The part of a store that holds campaigns and their lines."""

    def add_campaign(self, header: Header, parts: Iterable[LogRow | File | Seed | Token]) -> None:
        kept = header_row(header)
        with self._writing() as connection:
            if connection.execute(select(campaigns.c.id).where(campaigns.c.id == header.id)).one_or_none():
                raise Taken(header.id)
            connection.execute(insert(campaigns).values(kept))
            count, active = 0, header.created
            for rows in _kept_beside(connection, header.id, parts):
                connection.execute(insert(lines), line_rows(header.id, count, rows))
                count, active = count + len(rows), rows[-1].at
            _move_on(connection, header.id, 0, count, active)

    def header(self, campaign: str) -> Header:
        with self._reading() as connection:
            found = connection.execute(select(campaigns).where(campaigns.c.id == campaign)).one_or_none()
        if found is None:
            raise UnknownCampaign(campaign)
        if problem := _problem(found):
            raise BadRecord(campaign, None, problem)
        try:
            scene = parsed(found.scene)
        except ValueError as wrong:
            raise BadRecord(campaign, None, f"the scene it began with is {wrong}") from None
        return Header(
            found.id, found.name, found.system, found.version, found.format, scene, found.created, found.forked_from
        )

    def headers(self) -> list[Summary]:
        columns = [column for column in campaigns.c if column.name != "scene"]
        with self._reading() as connection:
            found = connection.execute(select(*columns)).all()
        return sorted(map(_summary, found), key=lambda each: (-each.created, each.id))

    def rename(self, campaign: str, name: str) -> None:
        self._set(campaign, name=check_text(name, "name"))

    def raise_format(self, campaign: str, number: int) -> None:
        self._set(campaign, format=check_number(number, "format"))

    def archive(self, campaign: str, at: float | None) -> None:
        self._set(campaign, archived=None if at is None else check_time(at, "archived"))

    def _set(self, campaign: str, **values: object) -> None:
        with self._writing() as connection:
            if not connection.execute(update(campaigns).where(campaigns.c.id == campaign).values(values)).rowcount:
                raise UnknownCampaign(campaign)

    # Lines.

    def append(
        self,
        campaign: str,
        expected: int,
        rows: Sequence[LogRow],
        key: str | None = None,
        outcome: Plain = None,
        admits: Admission | None = None,
    ) -> None:
        fresh = line_rows(campaign, expected, rows)
        remembered = None if key is None else _key_row(campaign, key, outcome)
        with self._writing() as connection:
            active = rows[-1].at if rows else None
            moved = _move_on(connection, campaign, expected, expected + len(rows), active)
            if remembered is not None:
                _check_new(connection, campaign, remembered["key"])
            if not moved:
                raise Conflict(campaign, expected, counted(connection, campaign))
            if fresh:
                connection.execute(_ADD_LINES, fresh)
            if remembered is not None:
                connection.execute(_REMEMBER, remembered)
            if admits is not None:
                admit(connection, admits)

    def remembered(self, campaign: str, key: str) -> Plain:
        with self._reading() as connection:
            check_known(connection, campaign)
            found = _remembered(connection, campaign, key)
        return None if found is None else found[0]

    def forget_keys(self, before: float) -> int:
        with self._writing() as connection:
            return connection.execute(delete(keys).where(keys.c.at < before)).rowcount

    def count(self, campaign: str) -> int:
        with self._reading() as connection:
            return counted(connection, campaign)

    def lines(self, campaign: str, start: int = 0, stop: int | None = None) -> Iterator[LogRow]:
        end = self.count(campaign)
        return self._stream(campaign, max(start, 0), end if stop is None else min(stop, end))

    def _stream(self, campaign: str, start: int, stop: int) -> Iterator[LogRow]:
        for first in range(start, stop, CHUNK):
            yield from self._chunk(campaign, first, min(first + CHUNK, stop))

    def _chunk(self, campaign: str, first: int, end: int) -> Iterator[LogRow]:
        """Some lines; if the database is damaged, those before the damage."""
        try:
            found = self._between(campaign, first, end)
        except Damaged as problem:
            if end - first == 1:
                raise BadRecord(campaign, first, f"cannot be read: {problem}") from problem
            for number in range(first, end):
                yield from self._chunk(campaign, number, number + 1)
            return
        for number in range(first, end):
            yield _row(campaign, number, found.get(number))

    def _between(self, campaign: str, first: int, end: int) -> dict[object, tuple[object, object]]:
        mine = (lines.c.campaign == campaign) & (lines.c.number >= first) & (lines.c.number < end)
        with self._reading() as connection:
            found = connection.execute(select(lines.c.number, lines.c.at, lines.c.line).where(mine)).all()
        return {number: (at, line) for number, at, line in found}

    def times(self, campaign: str, numbers: Iterable[int]) -> dict[int, float]:
        wanted, found = sorted(set(numbers)), dict[int, float]()
        with self._reading() as connection:
            check_known(connection, campaign)
            for first in range(0, len(wanted), CHUNK):
                mine = (lines.c.campaign == campaign) & lines.c.number.in_(wanted[first : first + CHUNK])
                for number, at in connection.execute(select(lines.c.number, lines.c.at).where(mine)):
                    found[number] = _time(campaign, number, at)
        for number in wanted:
            if number not in found:
                raise BadRecord(campaign, number, "is missing")
        return found


def _kept_beside(
    connection: Connection, campaign: str, parts: Iterable[LogRow | File | Seed | Token]
) -> Iterator[list[LogRow]]:
    """The lines among the parts of a campaign, in chunks; files, seeds and tokens are stored on the way."""
    rows: list[LogRow] = []
    for part in parts:
        if isinstance(part, LogRow):
            rows.append(part)
        elif isinstance(part, File):
            insert_file(connection, campaign, part)
        elif isinstance(part, Token):
            insert_token(connection, part)
        else:
            insert_seed(connection, campaign, part)
        if len(rows) == CHUNK:
            yield rows
            rows = []
    if rows:
        yield rows


def _move_on(connection: Connection, campaign: str, expected: int, count: int, active: float | None) -> bool:
    """Advance the count of lines if it is as expected. A second writer waits here, and then finds it has moved."""
    values = {"lines": count} if active is None else {"lines": count, "active": active}
    return bool(connection.execute(_MOVE_ON, {"campaign": campaign, "expected": expected, **values}).rowcount)


def _key_row(campaign: str, key: str, outcome: Plain) -> dict[str, Any]:
    text = written({} if outcome is None else outcome, "outcome", OUTCOME_LIMIT)
    return {"campaign": campaign, "key": check_text(key, "key"), "outcome": text, "at": time.time()}


def _remembered(connection: Connection, campaign: str, key: str) -> tuple[Plain] | None:
    found = connection.execute(_OUTCOME, {"campaign": campaign, "key": key}).one_or_none()
    if found is None:
        return None
    try:
        return (parsed(found.outcome),)
    except ValueError as wrong:
        raise BadRecord(campaign, None, f"the outcome remembered under {key!r} is {wrong}") from None


def _check_new(connection: Connection, campaign: str, key: str) -> None:
    found = _remembered(connection, campaign, key)
    if found is not None:
        raise Repeated(campaign, key, found[0])


def _row(campaign: str, number: int, found: tuple[object, object] | None) -> LogRow:
    if found is None:
        raise BadRecord(campaign, number, "is missing")
    at, text = found
    try:
        line = mapping(text)
    except ValueError as wrong:
        raise BadRecord(campaign, number, f"cannot be read: {wrong}") from None
    return LogRow(number, _time(campaign, number, at), line)


def _time(campaign: str, number: int, at: object) -> float:
    if not isinstance(at, float):
        raise BadRecord(campaign, number, f"cannot be read: its time is {at!r}")
    return at


def _problem(found: Record[Any]) -> str | None:
    """What is wrong with the record of a campaign, apart from the scene."""
    for name, kind in _KINDS.items():
        value = getattr(found, name)
        if not isinstance(value, kind) or (isinstance(value, str) and not _is_text(value)):
            return f"its {name} cannot be read: {value!r}"
    return None


_KINDS: Final[dict[str, type | tuple[type, ...]]] = {
    "id": str,
    "name": str,
    "system": str,
    "version": int,
    "format": int,
    "created": float,
    "forked_from": (str, type(None)),
    "lines": int,
    "active": float,
    "archived": (float, type(None)),
}


def _summary(found: Record[Any]) -> Summary:
    problem = _problem(found)
    if problem is None:
        times = found.created, found.forked_from, found.lines, found.active, found.archived
        return Summary(found.id, found.name, found.system, *times)
    return Summary(str(found.id), str(found.name), str(found.system), 0.0, None, 0, 0.0, None, problem)


def _is_text(value: str) -> bool:
    return not any(0xD800 <= ord(sign) <= 0xDFFF for sign in value)
