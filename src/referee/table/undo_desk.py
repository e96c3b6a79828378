"""Going back from a seat: what an undo would undo, who may, redoing it, and asking the game master for one.

Each function is one action from a desk: `DeskCommand(undo_desk.undo, 12)`.
"""

from __future__ import annotations

from typing import Final

from referee.core.errors import RefereeError, Refused
from referee.core.plain import Plain
from referee.journal.journal import CLOCK, DICE
from referee.journal.lines import UndoAsked
from referee.journal.steps import TABLE
from referee.table.desk import Desk, LongAgo
from referee.table.members import Role
from referee.table.settings import MayUndo

AUTOMATIC: Final = (DICE, TABLE, CLOCK)
"""The actors behind lines that no one decides."""
ASKED: Final = ("ask the game master",)
"""What whoever may not undo something can do instead."""


def would_undo(desk: Desk, item: int) -> list[dict[str, Plain]]:
    """What undoing an item would undo: the item itself and everything after it, as this seat has been told."""
    gone = {number for number, _ in desk.journal.would_undo(desk.line(item))}
    return [told for told, place in zip(desk.feed.items, desk.feed.places, strict=True) if place in gone]


def may_undo(desk: Desk, item: int) -> RefereeError | None:
    """None if this seat may go back to before an item; otherwise why it may not."""
    try:
        _line_to_undo(desk, item)
    except LongAgo:
        raise
    except RefereeError as why:
        return why
    return None


def undo(desk: Desk, item: int) -> None:
    """Go back to before an item."""
    number = _line_to_undo(desk, item)
    desk.journal.undo(desk.member.id, number, None if desk.member.is_master else frozenset(desk.feed.places))
    desk.campaign.advance()


def last_step(desk: Desk) -> int | None:
    """The item that *Undo* means: one's own last decision; for the game master the last decision of anyone."""
    by = {number: line.by for number, line in desk.journal.story if line.by not in AUTOMATIC}
    mine = (number for number in by if desk.member.is_master or by[number] == desk.member.id)
    told = (item for number in sorted(mine, reverse=True) if (item := desk.feed.item_of(number)) is not None)
    return next(told, None)


def may_redo(desk: Desk) -> bool:
    """Whether this seat may redo what was last undone."""
    return desk.member.is_master and desk.journal.record.may_redo


def redo(desk: Desk) -> None:
    """Redo what was last undone. Only the game master may: the others may not know what has happened since."""
    desk.check_role("redo", Role.MASTER)
    desk.journal.redo(desk.member.id)
    desk.campaign.advance()


def ask_undo(desk: Desk, item: int) -> None:
    """Ask the game master to go back to before an item, because one may not do so oneself."""
    desk.check_role("ask for an undo", Role.PLAYER)
    number = desk.line(item)
    desk.journal.would_undo(number)
    desk.journal.say(UndoAsked(desk.member.id, desk.member.id, number, to=()))
    desk.campaign.advance()


def decline_undo(desk: Desk, seat: str) -> None:
    """Decline a request for an undo; whoever made it may take it back."""
    if seat != desk.member.id:
        desk.check_role("decline an undo", Role.MASTER)
    if seat in desk.campaign.setup.undo_asked:
        desk.journal.say(UndoAsked(desk.member.id, seat, to=(seat,)))
    desk.campaign.advance()


def undo_requests(desk: Desk) -> dict[str, int]:
    """Who asks for an undo, and to before which item of this seat; a player knows only their own request."""
    asked = desk.campaign.setup.undo_asked
    mine = {seat: line for seat, line in asked.items() if desk.member.is_master or seat == desk.member.id}
    in_force = {number for number, _ in desk.journal.story} if mine else set()
    items = {seat: desk.feed.item_of(line) for seat, line in mine.items() if line in in_force}
    return {seat: item for seat, item in items.items() if item is not None}


def _line_to_undo(desk: Desk, item: int) -> int:
    """The line behind an item, if this seat may go back to before it.

    The game master may undo anything; the settings let others undo everything, their last decision, or nothing. A dice
    result belongs to the decision before it. What a seat was not told about cannot block it. Dice that were seen are
    kept: once some have fallen, going back to before them is the game master's.
    """
    number, undoes = desk.line(item), desk.campaign.settings.undo
    desk.journal.would_undo(number)
    desk.check_role("undo", *undoes.roles)
    if desk.member.is_master or undoes is MayUndo.ANYONE:
        return number
    told = set(desk.feed.places)
    decided = [(at, line.by) for at, line in desk.journal.story if at in told and line.by not in AUTOMATIC]
    later = {by for at, by in decided if at >= number} or {by for _, by in decided[-1:]}
    if later != {desk.member.id}:
        raise Refused("undo", because="others have made decisions since", rule="referee.table.undo", legal=ASKED)
    if any(at >= number and at in told and line.thrown for at, line in desk.journal.story):
        raise Refused("undo", because="dice have fallen since", rule="referee.table.undo", legal=ASKED)
    return number
