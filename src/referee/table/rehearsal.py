"""A table without a server, its seats called by name: for checks that play at it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, final

from referee.core.scene import State
from referee.core.system import System
from referee.journal.lines import SeatTaken
from referee.journal.seeded_dice import SeededDice
from referee.journal.steps import Open
from referee.table import master_desk, seat_desk, undo_desk
from referee.table.campaign import Campaign
from referee.table.desk import Desk
from referee.table.members import Member
from referee.testing.two_worlds.walk import GUEST, MASTER, Command

COMMANDS: Final[tuple[Callable[..., Any], ...]] = (
    *(Desk.act, Desk.answer, Desk.standing, Desk.roll, Desk.note, Desk.stop, Desk.resume, Desk.actions, Desk.odds),
    *(master_desk.edit, master_desk.add, master_desk.remove, master_desk.hide, master_desk.expose),
    *(master_desk.cancel, master_desk.settings, master_desk.house_rules),
    *(undo_desk.undo, undo_desk.would_undo, undo_desk.redo, seat_desk.change_seat, seat_desk.dismiss),
)
"""What a script may do and look at."""
BY_NAME: Final = {each.__name__: each for each in COMMANDS}


@final
class Rehearsal:
    """A campaign, its seats called by name."""

    def __init__(self, campaign: Campaign) -> None:
        self.campaign = campaign
        self.journal = campaign.journal

    def desk(self, seat: str) -> Desk:
        return Desk(self.campaign, seat)

    def do(self, command: Command) -> None:
        BY_NAME[command.does](self.desk(command.seat), *command.given, **command.named)

    def questions(self, seat: str) -> dict[str, Open]:
        return self.campaign.questions(seat)


def open_table(system: System, start: State, source: SeededDice, plays: Mapping[str, tuple[str, ...]]) -> Rehearsal:
    """A table with a game master, a spectator, and players with the characters they play."""
    campaign = Campaign(system, start, source, clock=lambda: 0.0)
    roles = {MASTER: "game master", **dict.fromkeys(plays, "player"), GUEST: "spectator"}
    for seat, role in roles.items():
        sits = {"id": seat, "name": seat, "role": role, "controls": list(plays.get(seat, ())), "real_dice": False}
        campaign.journal.say(SeatTaken(seat, Member.from_plain(sits).data))
    campaign.advance()
    return Rehearsal(campaign)
