"""What is typed into the line below the story: talk, and commands that begin with a slash."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Final, final

from referee.core.errors import BadInput
from referee.core.system import MASTER_NAMES
from referee.table.desk import Desk, DeskCommand
from referee.table.members import Member
from referee.web.pages.page import WORDS
from referee.web.pages.table_view import TableView

ROLL: Final = ("roll", "r")
EMOTE: Final = "me"
WHISPER: Final = ("w", "whisper")
HELP: Final = ("help", "?")


@final
@dataclass(frozen=True)
class TalkHelp:
    """The commands that may be typed, for the one who asked."""

    template: ClassVar[str] = "talk_help.html"
    back: str
    is_master: bool

    @property
    def commands(self) -> tuple[tuple[str, str], ...]:
        """What may be typed, and what it does."""
        keys = ("roll", "keep", "me", "whisper", "slash", "help")
        return tuple((WORDS.say(f"talk.help.{key}.type"), WORDS.say(f"talk.help.{key}.says")) for key in keys)


def wants_help(text: str) -> bool:
    return _command(text)[0] in HELP


def spoken(text: str, view: TableView, to: list[str], *, hidden: bool = False) -> DeskCommand:
    """What a line of talk does: it is said, whispered, or throws dice."""
    command, rest = _command(text)
    if not command:
        return DeskCommand(Desk.note, rest, to=to or None)
    if command in ROLL:
        if not rest:
            raise BadInput("text", WORDS.say("talk.which-dice"))
        return DeskCommand(Desk.roll, *rest.split(), hidden=hidden)
    if command == EMOTE:
        if not rest:
            raise BadInput("text", WORDS.say("talk.does-what"))
        return DeskCommand(Desk.note, f"/{EMOTE} {rest}", to=to or None)
    if command in WHISPER:
        seats, words = _addressed(rest, view)
        return DeskCommand(Desk.note, words, to=seats)
    raise BadInput("text", WORDS.say("talk.unknown", typed=command[:20]))


def _command(text: str) -> tuple[str, str]:
    """The command a text begins with, and the rest; two slashes say something that begins with one."""
    if text.startswith("//"):
        return "", text[1:]
    found = re.match(r"/(\S+)\s*", text)
    return (found[1].casefold(), text[found.end() :]) if found else ("", text)


def _addressed(text: str, view: TableView) -> tuple[list[str], str]:
    """Whom a whisper is for, by the beginning of the text, and the rest of it."""
    others = [each for each in view.members.values() if each.id != view.member.id]
    names = [(name, each) for each in others for name in _names(each)]
    for exact in (True, False):
        found = [(name, each) for name, each in names if _begins_with(text, name, exact=exact)]
        longest = max((len(name) for name, _ in found), default=0)
        seats = {each.id for name, each in found if len(name) == longest or not exact}
        if len(seats) > 1:
            raise BadInput("text", WORDS.say("talk.several", who=text.split(maxsplit=1)[0]))
        if seats:
            words = text[longest:] if exact else text.partition(" ")[2]
            if not (words := words.lstrip(" :,").strip()):
                raise BadInput("text", WORDS.say("talk.whisper-what"))
            return list(seats), words
    known = ", ".join(each.name for each in others)
    raise BadInput("text", WORDS.say("talk.to-whom", names=known) if known else WORDS.say("talk.alone"))


def _names(member: Member) -> Iterator[str]:
    """What somebody may be called: by their own name, by whom they play, and the game master as such."""
    yield member.name
    yield from member.controls
    if member.is_master:
        yield from MASTER_NAMES


def _begins_with(text: str, name: str, *, exact: bool) -> bool:
    """Whether a text begins with a name; if not exactly, with the first letters of one."""
    said, called = text.casefold(), name.casefold()
    if exact:
        return said.startswith(called) and not said[len(called) : len(called) + 1].isalnum()
    first = said.split(" ", 1)[0].rstrip(":,")
    return bool(first) and called.startswith(first)
