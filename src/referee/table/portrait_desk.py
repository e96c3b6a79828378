"""Whose picture a seat may set: those of the characters it plays, and of its drafts; the game master, anyone's."""

from __future__ import annotations

from referee.core.errors import BadInput
from referee.core.plain import unknown
from referee.journal.lines import PortraitSet
from referee.table.desk import Desk
from referee.table.draft_desk import record
from referee.table.members import NotAllowed, Role
from referee.table.portraits import Portrait


def portraits_of(desk: Desk) -> dict[str, Portrait]:
    """The pictures of the characters that a seat sees."""
    seen = desk.known
    return {name: each for name, each in desk.campaign.setup.portraits.people.items() if name in seen}


def check_portrait(desk: Desk, who: str) -> None:
    """Refuse to set the picture of someone whom this seat does not know, or does not play."""
    desk.check_role("portrait", Role.MASTER, Role.PLAYER)
    if who not in desk.known:
        raise BadInput("who", unknown(who, tuple(desk.known)))
    if not desk.member.seat.answers_for(who):
        mine = sorted(desk.member.controls)
        raise NotAllowed("portrait", because=f"you do not play {who}", rule="referee.table.seats", legal=mine)


def set_portrait(desk: Desk, who: str, portrait: Portrait | None) -> None:
    """Give a character a picture, or none. Whoever sees the character sees it; nobody is told of it separately."""
    check_portrait(desk, who)
    by = desk.member.id
    desk.journal.say(portrait.line(by, who=who) if portrait else PortraitSet(by, who, to=()))
    desk.campaign.advance()


def set_draft_portrait(desk: Desk, draft: str, portrait: Portrait | None) -> None:
    """Give a draft a picture, or none; the finished character has it too."""
    found = record(desk, draft)
    by, to = desk.member.id, (found.seat,)
    desk.journal.say(portrait.line(by, draft=draft, to=to) if portrait else PortraitSet(by, draft=draft, to=to))
    desk.campaign.advance()


def may_see_picture(desk: Desk, file: str) -> bool:
    """Whether a picture belongs to a character that a seat sees, or to a draft of its own."""
    portraits = desk.campaign.setup.portraits
    mine = [portraits.drafts.get(each.id) for each in desk.campaign.setup.drafts.of(desk.member.id)]
    return any(each is not None and each.file == file for each in (*portraits_of(desk).values(), *mine))
