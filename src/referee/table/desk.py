"""What somebody in a seat may do. Everything is refused here, with the reason, that is not theirs to do.

One method is one thing done from outside. What it files in the log is kept before anybody is told (`table.hub`).
"""

from __future__ import annotations

from secrets import token_hex
from typing import final

from referee.table.campaign import Campaign
from referee.table.mastering import Mastering
from referee.table.members import Member, Role, check_table
from referee.table.playing import LONGEST_NOTE, Playing

__all__ = ["LONGEST_NOTE", "Desk", "new_seat"]


@final
class Desk(Playing, Mastering):
    """A seat at the table, and what is done from it."""


def new_seat(campaign: Campaign, by: str, name: str, role: Role, controls: frozenset[str] = frozenset()) -> str:
    """Somebody sits down; gives the id of their seat."""
    seat = token_hex(4)
    member = Member(seat, name, role, controls)
    check_table({**campaign.members, seat: member})
    campaign.journal.say(by or seat, "seat", seat=member.public())
    campaign.go_on()
    return seat
