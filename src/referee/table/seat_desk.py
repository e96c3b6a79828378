"""Who sits where: taking and leaving a seat, changing it, handing over characters and the table.

Everyone changes their own name and dice, and may leave; the rest is the game master's. Each function that takes a desk
is one action from it: `DeskCommand(seat_desk.hand_over, seat, "Ripa")`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from secrets import token_hex

from referee.core.errors import BadInput
from referee.core.plain import Plain, unknown
from referee.core.visibility import Exposure, hidden_names, limits_in, visible_scene
from referee.journal.lines import SeatRemoved, SeatTaken
from referee.table import master_desk
from referee.table.campaign import Campaign
from referee.table.desk import Desk
from referee.table.members import CHANGED_BY_ONESELF, Member, NotAllowed, Role, check_name, check_table


def somebody_free(campaign: Campaign) -> frozenset[str]:
    """A free character for somebody new: one who is asked something, if there is one; nobody if none is free."""
    free = free_characters(Desk(campaign, next(each.id for each in campaign.members.values() if each.is_master)))
    shown = [name for name in free if name not in hidden_names(campaign.journal.state)]
    asked = {waiting.question.who.name for waiting in campaign.journal.asking if waiting.question.who}
    return frozenset(sorted(shown, key=lambda name: name not in asked)[:1])


def new_seat(campaign: Campaign, by: str, name: str, role: Role, controls: frozenset[str] = frozenset()) -> str:
    """Someone takes a new seat; returns the id of the seat."""
    seat = token_hex(4)
    member = Member(seat, name, role, controls)
    check_table({**campaign.members, seat: member})
    check_name(member)
    campaign.journal.say(SeatTaken(by or seat, member.data))
    campaign.advance()
    return seat


def free_characters(desk: Desk) -> tuple[str, ...]:
    """Whom a seat may take: every character that no one plays, as far as it knows.

    Of these, where a system marks the characters of players, only they; elsewhere those whose whole sheet is shown.
    """
    scene = visible_scene(desk.journal.state, desk.member.seat)
    system, limits = desk.campaign.system, limits_in(desk.journal.state)
    played = {name for each in desk.campaign.members.values() for name in each.controls}
    people = (name for name, plain in scene.items() if plain.get("kind") == system.sheet.__name__)
    mine = system.look.mine
    return tuple(
        sorted(
            name for name in people if name not in played and (scene[name].get(mine) if mine else name not in limits)
        )
    )


def take(desk: Desk, character: str) -> None:
    """A player without a character, or with one already, takes a free one."""
    if character not in desk.member.controls:
        change_seat(desk, desk.member.id, controls=sorted({*desk.member.controls, character}))


def _check_may_take(desk: Desk, controls: Iterable[str]) -> None:
    """Refuse what a player may not take; a hidden character is unknown like one who does not exist."""
    desk.check_role("take a character", Role.PLAYER)
    if not desk.campaign.settings.players_pick:
        because = "the game master says who plays whom at this table"
        raise NotAllowed("take a character", because=because, rule="referee.table.seats")
    free = free_characters(desk)
    for name in controls:
        if name not in (*free, *desk.member.controls):
            raise BadInput("controls", unknown(name, free))


def change_seat(desk: Desk, seat: str, /, **changes: Plain) -> None:
    """Change a seat. Players change their own name and dice, and may take a free character, if the table lets them."""
    before = desk.other(seat)
    if seat == desk.member.id and not desk.member.is_master and set(changes) == {"controls"}:
        _check_may_take(desk, changes["controls"])
    elif seat != desk.member.id or not set(changes) <= CHANGED_BY_ONESELF:
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
    if changed.name != before.name:
        check_name(changed)
    desk.journal.say(SeatTaken(desk.member.id, changed.data, changed=True))
    desk.campaign.advance()
    if limited := [name for name in changed.controls - before.controls if name in limits_in(desk.journal.state)]:
        with desk.step():  # whom somebody plays is no foe any more
            master_desk.limit(desk, limited, Exposure.SHEET)
