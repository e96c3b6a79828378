"""Who sits where: taking and leaving a seat, changing it, handing over characters and the table.

Everyone changes their own name and dice, and may leave; the rest is the game master's. Each function that takes a desk
is one action from it: `DeskCommand(seat_desk.hand_over, seat, "Ripa")`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from secrets import token_hex

from referee.core.errors import BadInput
from referee.core.plain import Plain, unknown
from referee.core.visibility import Exposure, limits_in
from referee.journal.lines import SeatRemoved, SeatTaken
from referee.table import master_desk
from referee.table.campaign import Campaign
from referee.table.desk import Desk
from referee.table.members import CHANGED_BY_ONESELF, Member, Role, check_table


def new_seat(campaign: Campaign, by: str, name: str, role: Role, controls: frozenset[str] = frozenset()) -> str:
    """Someone takes a new seat; returns the id of the seat."""
    seat = token_hex(4)
    member = Member(seat, name, role, controls)
    check_table({**campaign.members, seat: member})
    campaign.journal.say(SeatTaken(by or seat, member.data))
    campaign.advance()
    return seat


def change_seat(desk: Desk, seat: str, /, **changes: Plain) -> None:
    """Change a seat. Players change their own name and dice; only the game master changes roles and characters."""
    before = desk.other(seat)
    if seat != desk.member.id or not set(changes) <= CHANGED_BY_ONESELF:
        desk.check_role("seat", Role.MASTER)
    if desk.member.is_master:
        _check_in_scene(desk, changes.get("controls", ()))
    _change(desk, before, changes)


def hand_over(desk: Desk, to: str, character: str | None = None, *, table: bool = False) -> None:
    """Let someone else play a character from now on, or take over as game master."""
    desk.check_role("hand over", Role.MASTER)
    desk.other(to)
    if character is None and not table:
        raise BadInput("character", "say whom, or that it is the table")
    if character is not None:
        _check_in_scene(desk, (character,))
        for each in list(desk.campaign.members.values()):
            if character in each.controls and each.id != to:
                _change(desk, each, {"controls": sorted(each.controls - {character})})
        _change(desk, desk.other(to), {"controls": sorted(desk.other(to).controls | {character})})
    if table and to != desk.member.id:
        _change(desk, desk.other(to), {"role": Role.MASTER.value})
        _change(desk, desk.member, {"role": Role.PLAYER.value})


def dismiss(desk: Desk, seat: str) -> None:
    """Remove a seat from the table."""
    desk.other(seat)
    if seat != desk.member.id:
        desk.check_role("dismiss", Role.MASTER)
    left: dict[str, Member] = {name: each for name, each in desk.campaign.members.items() if name != seat}
    check_table(left)
    desk.journal.say(SeatRemoved(desk.member.id, seat))
    desk.campaign.advance()


def check_invitation(desk: Desk, controls: Iterable[str], uses: int) -> None:
    """An invitation may only offer characters in the scene, and each character is played by one person."""
    desk.check_role("invite", Role.MASTER)
    _check_in_scene(desk, controls)
    if controls and uses > 1:
        raise BadInput("uses", "a character is played by one; such a code is used once")


def _check_in_scene(desk: Desk, names: Iterable[str]) -> None:
    for name in names:
        if name not in desk.journal.state:
            raise BadInput("controls", unknown(name, tuple(desk.journal.state)))


def _change(desk: Desk, before: Member, changes: Mapping[str, Plain]) -> None:
    changed = before.but(changes)
    check_table({**desk.campaign.members, before.id: changed})
    desk.journal.say(SeatTaken(desk.member.id, changed.data, changed=True))
    desk.campaign.advance()
    if limited := [name for name in changed.controls - before.controls if name in limits_in(desk.journal.state)]:
        with desk.step():  # whom somebody plays is no foe any more
            master_desk.limit(desk, limited, Exposure.SHEET)
