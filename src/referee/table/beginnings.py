"""How a campaign comes into being: from nothing, or as a fork of another. It is written whole, or not at all."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from itertools import chain
from secrets import token_hex
from typing import BinaryIO

from referee import registry
from referee.core.plain import Plain
from referee.drivers.fair import Fair
from referee.drivers.log import FORMAT, Line
from referee.table.members import Member, Role
from referee.table.opening import seed_line
from referee.table.store import LINE_LIMIT, File, Header, Row, Seed, Store, Token

TokenOf = Callable[[str, str], Token]
"""What whoever sits in a campaign in a seat is known by."""


def begin(
    store: Store, name: str, system: str, scene: Mapping[str, Plain], master: str, now: float, token_of: TokenOf
) -> tuple[str, str]:
    """A campaign with somebody as its game master; its id, and that of their seat."""
    loaded = registry.load(system)
    plain = loaded.plain(loaded.state(dict(scene)))
    header = Header(token_hex(8), name, system, loaded.version, FORMAT, plain, now)
    member = Member(token_hex(4), master, Role.MASTER)
    source = Fair.fresh()
    lines = seed_line(source), _seat_line(member)
    rows = [Row(at, now, line.to_plain()) for at, line in enumerate(lines)]
    store.take_in(header, [Seed(source.commitment, source.seed), *rows, token_of(header.id, member.id)])
    return header.id, member.id


def fork(store: Store, campaign: str, number: int, name: str, master: Member, now: float, token_of: TokenOf) -> str:
    """A campaign of its own that shares every line before one of another's, and has dice of its own; its id.

    Lines are copied as they are, undone ones and asides too: numbers, commitments and story stay what they were.
    """
    header = replace(store.header(campaign), id=token_hex(8), name=name, created=now, forked_from=campaign)
    store.take_in(header, chain(_forked(store, campaign, number, master, now), [token_of(header.id, master.id)]))
    if (kept := store.checkpoint(campaign, number)) is not None:  # it holds for the fork too, so that it opens quickly
        store.keep_checkpoint(header.id, kept.number, kept.plain)
    return header.id


def check_system(file: BinaryIO) -> None:
    """The rules of an exported campaign must be known here; whatever else is wrong with it is found when it is read."""
    begin = file.tell()
    first = file.readline(LINE_LIMIT)
    file.seek(begin)
    with suppress(ValueError, TypeError, KeyError, RecursionError):
        registry.load(str(json.loads(first)["system"]))


def _forked(store: Store, campaign: str, number: int, master: Member, now: float) -> Iterator[Row | Seed | File]:
    seat: Mapping[str, Plain] | None = None
    files: dict[str, None] = {}
    for row in store.lines(campaign, 0, number):
        yield row
        about = row.line.get("about") if row.line["kind"] == "said" else None
        if about == "seat" and row.line["seat"]["id"] == master.id:
            seat = row.line["seat"]
        elif about == "left" and row.line["seat"] == master.id:
            seat = None
        elif row.line.get("file"):
            files[str(row.line["file"])] = None
    source = Fair.fresh()
    yield Seed(source.commitment, source.seed)
    yield Row(number, now, seed_line(source).to_plain())
    known = Member.from_plain(seat) if seat else replace(master, controls=frozenset())
    if seat is None or not known.is_master:
        yield Row(number + 1, now, _seat_line(replace(known, role=Role.MASTER)).to_plain())
    for each in files:
        if (found := store.file(campaign, each)) is not None:
            yield found


def _seat_line(member: Member) -> Line:
    return Line("said", member.id, what={"about": "seat", "seat": member.public()})
