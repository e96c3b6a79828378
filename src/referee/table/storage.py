"""Campaigns in their store: begin, fork, open from the newest checkpoint, append lines."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import chain
from secrets import token_hex
from typing import BinaryIO, Final

from referee import registry
from referee.core.errors import BadInput, RefereeError
from referee.core.plain import Plain
from referee.core.rulebook import BOOK
from referee.core.scene import State
from referee.core.system import System
from referee.core.visibility import Exposure
from referee.journal.lines import (
    FORMAT,
    Line,
    LinesUndone,
    NoteSaid,
    PortraitSet,
    SeatRemoved,
    SeatTaken,
    SeedCommitted,
    SettingsChanged,
    StepBegan,
)
from referee.journal.seeded_dice import SeededDice
from referee.journal.steps import TABLE
from referee.journal.undo import UndoStack
from referee.store.base import Store
from referee.store.records import LINE_LIMIT, Admission, CheckpointRecord, File, Header, LogRow, Seed, Token
from referee.table.campaign import Campaign, Checkpoint
from referee.table.members import Member, Role
from referee.table.settings import TableSettings
from referee.table.setup import TableSetup
from referee.table.time_limit import HeldTooLong, within_time

TokenOf = Callable[[str, str], Token]
"""Makes the token for a campaign and a seat."""


OF_AN_EMPTY_TABLE: Final = TableSettings(foes=Exposure.STATE)
"""A table of one's own begins with foes of whom players see how they stand; samples show everything."""


def begin(
    store: Store, name: str, system: str, scene: Mapping[str, Plain], master: str, now: float, token_of: TokenOf
) -> tuple[str, str]:
    """Begin a campaign with its game master; returns its id and the id of their seat."""
    loaded = registry.load(system)
    plain = loaded.plain(loaded.new_state(dict(scene)))
    header = Header(token_hex(8), name, system, loaded.version, FORMAT, plain, now)
    member = Member(token_hex(4), master, Role.MASTER)
    source = SeededDice.fresh()
    is_empty = scene.keys() <= {BOOK.name}  # chosen options bring nobody along
    settings = (SettingsChanged(member.id, OF_AN_EMPTY_TABLE.to_plain()),) if is_empty else ()
    lines = seed_line(source), SeatTaken(member.id, member.data), *settings
    rows = [LogRow(at, now, line.to_plain()) for at, line in enumerate(lines)]
    store.add_campaign(header, [Seed(source.commitment, source.seed), *rows, token_of(header.id, member.id)])
    return header.id, member.id


def fork(store: Store, campaign: str, number: int, name: str, master: Member, now: float, token_of: TokenOf) -> str:
    """Copy the lines before a given one into a separate campaign with its own dice; returns its id.

    Lines are copied unchanged, undone ones and asides too: numbers, commitments and story stay the same.
    """
    header = store.header(campaign)
    header = replace(header, id=token_hex(8), name=name, format=FORMAT, created=now, forked_from=campaign)
    store.add_campaign(header, chain(_forked(store, campaign, number, master, now), [token_of(header.id, master.id)]))
    if (kept := store.checkpoint(campaign, number)) is not None:  # valid for the fork too, which then opens quickly
        store.keep_checkpoint(header.id, kept.number, kept.plain)
    return header.id


def check_system(file: BinaryIO) -> None:
    """The system of an exported campaign must be installed here; any other problem is found when the file is read."""
    begin = file.tell()
    first = file.readline(LINE_LIMIT)
    file.seek(begin)
    with suppress(ValueError, TypeError, KeyError, RecursionError):
        registry.load(str(json.loads(first)["system"]))


def _forked(store: Store, campaign: str, number: int, master: Member, now: float) -> Iterator[LogRow | Seed | File]:
    setup = TableSetup()
    files: dict[str, None] = {}
    for row in store.lines(campaign, 0, number):
        yield row
        line = Line.from_plain(row.line)
        setup = setup.after(line)
        if isinstance(line, (NoteSaid, PortraitSet)) and line.file:
            files[line.file] = None
    source = SeededDice.fresh()
    yield Seed(source.commitment, source.seed)
    yield LogRow(number, now, seed_line(source, "fork").to_plain())
    known = setup.members.get(master.id)
    if known is None or not known.is_master:
        known = replace(known or replace(master, controls=frozenset()), role=Role.MASTER)
        yield LogRow(number + 1, now, SeatTaken(known.id, known.data).to_plain())
        number += 1
    others = (seat for seat in setup.members if seat != known.id)
    for at, seat in enumerate(others, number + 1):  # no one else can enter, so no one else is shown or waited for
        yield LogRow(at, now, SeatRemoved(known.id, seat).to_plain())
    for each in files:
        if (found := store.file(campaign, each)) is not None:
            yield found


CHECKPOINT_EVERY: Final = 500
MOST_LINES: Final = 4 * CHECKPOINT_EVERY
"""A campaign with more lines in memory is reopened from its newest checkpoint."""


def open_campaign(store: Store, campaign: str, clock: Callable[[], float], reach: int | None = None) -> Campaign:
    """Open a stored campaign; `reach` is the earliest line that must be in memory.

    A step that a crash interrupted continues, with the same dice it would have had, because they depend on the seed.
    """
    header = store.header(campaign)
    if header.format > FORMAT:
        raise BadInput(header.name, f"a log of format {header.format}; this Referee reads up to {FORMAT}")
    system = registry.load(header.system)
    if header.format < FORMAT:  # new lines will have this format
        store.raise_format(campaign, FORMAT)
    since, lines = _newest(store, campaign, reach)
    start = since.base.lines if since else 0

    def earlier() -> list[Line]:
        return read_lines(store, campaign, 0, start)

    def opened() -> Campaign:
        state = scene_of(system, since.scene if since else header.scene)
        return Campaign(system, state, source, lines, since=since, clock=clock, earlier=earlier)

    def add(line: Line) -> None:
        append(store, campaign, start + len(lines), [line], clock())
        lines.append(line)

    last = (since.setup if since else TableSetup()).after_all(lines).commitment
    seed = next((each for each in store.seeds(campaign) if each.commitment == last), None)
    if seed is not None and seed.revealed is None:
        source = SeededDice(seed.seed)
    else:  # a file never contains a seed still in use; a restored backup must not throw the same dice again
        source = new_seed(store, campaign)
        add(seed_line(source, "import" if seed is None else "restored"))
    try:
        found = within_time(opened)
    except HeldTooLong:  # that says nothing about the step that is open
        raise
    except RefereeError:
        first = _first_open(lines, start)
        if first is None:
            raise
        add(LinesUndone(TABLE, first))  # a step begun under older rules, which these cannot continue
        found = within_time(opened)
    append(store, campaign, start + len(lines), new_lines(found, start + len(lines)), clock())
    return found


def scene_of(system: System, plain: Mapping[str, Plain]) -> State:
    """A scene as it was stored. It was legal when it was written; later rules may be stricter."""
    return State({name: system.value(value, name) for name, value in plain.items()})


def append(
    store: Store,
    campaign: str,
    before: int,
    lines: Sequence[Line],
    now: float,
    key: str | None = None,
    outcome: Plain = None,
    admits: Admission | None = None,
) -> None:
    """Store new lines, with the outcome under an idempotency key and the admission that belongs to them."""
    rows = [LogRow(before + at, now, line.to_plain()) for at, line in enumerate(lines)]
    if rows or key is not None:
        store.append(campaign, before, rows, key, outcome, admits)


def read_lines(store: Store, campaign: str, start: int = 0, stop: int | None = None) -> list[Line]:
    """Some lines of a campaign's log."""
    return [Line.from_plain(row.line) for row in store.lines(campaign, start, stop)]


def read_checkpoint(kept: CheckpointRecord) -> Checkpoint | None:
    """A checkpoint, or None if it cannot be read: it is only a cache, so nothing is lost."""
    try:
        found = Checkpoint.from_plain(kept.plain)
    except (TypeError, KeyError, ValueError, RefereeError):
        return None
    return found if found.base.lines == kept.number else None


def new_lines(campaign: Campaign, before: int) -> list[Line]:
    """The lines of a campaign, starting from a number."""
    return campaign.journal.lines[before - campaign.journal.base.lines :]


def new_seed(store: Store, campaign: str) -> SeededDice:
    """A new seed, stored before the line that commits to it is written."""
    source = SeededDice.fresh()
    store.keep_seed(campaign, source.commitment, source.seed)
    return source


def source_of(store: Store, campaign: str, commitment: str) -> SeededDice | None:
    """The dice that belong to a commitment."""
    seed = store.seed(campaign, commitment)
    return None if seed is None else SeededDice(seed)


def seed_line(source: SeededDice, because: str = "") -> SeedCommitted:
    """The line that tells everyone the commitment of the seed the dice come from now."""
    return SeedCommitted(TABLE, source.commitment, because)


def _newest(store: Store, campaign: str, at_most: int | None) -> tuple[Checkpoint | None, list[Line]]:
    """The newest checkpoint that is still valid, and the lines since. An undo may have gone back to before it."""
    while (kept := store.checkpoint(campaign, at_most)) is not None:
        since = read_checkpoint(kept)
        if since is None:
            at_most = kept.number - 1
            continue
        lines = read_lines(store, campaign, kept.number)
        reaches = min((line.to for line in lines if isinstance(line, LinesUndone)), default=kept.number)
        if reaches >= kept.number:
            return since, lines
        at_most = reaches
    return None, read_lines(store, campaign)


def _first_open(lines: Sequence[Line], start: int) -> int | None:
    """The line at which the earliest step still open began."""
    undo = UndoStack()
    for number, line in enumerate(lines, start):
        undo.add(number, line)
    story = [(number, lines[number - start]) for number in undo.numbers]
    ended = {line.step for _, line in story if line.ends}
    return next((number for number, line in story if isinstance(line, StepBegan) and line.step not in ended), None)
