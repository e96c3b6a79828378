"""What a seat sees of its table at one moment: everything a screen needs, read at once, and no more than it may see."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import blake2b
from typing import Any, Final, final

from referee.core.knowledge import known_question, known_to
from referee.core.look import Look, look_in
from referee.core.plain import Plain
from referee.core.questions import Question
from referee.core.rulebook import BOOK
from referee.core.scene import Scene, State
from referee.core.system import System
from referee.core.visibility import Seat, hidden_names
from referee.journal.steps import Open
from referee.table.desk import Desk
from referee.table.members import Member, Role
from referee.web.sign_in import Visitor

PAGE: Final = 60
"""How many items of the story a page starts with."""


@final
@dataclass(frozen=True)
class OpenQuestion:
    """A question to this seat, as it knows it."""

    key: str
    question: Question[Any]
    held: Plain = None
    """A throw that has been made and waits for the game master's decision."""
    offered: bool = False
    """Whether it is someone else's, who has not answered for a long time."""
    mine: bool = True
    preselected: bool = False
    """Whether it is a ruling whose default is proposed."""
    mark: str = ""
    """Differs whenever its odds may: asked again, or in a scene that looks different from this seat, it is another."""


@final
@dataclass(frozen=True)
class TableView:
    """A table as one seat sees it."""

    about: Mapping[str, Plain]
    system: System
    member: Member
    members: Mapping[str, Member]
    data: Mapping[str, Plain]
    state: State
    """The scene as this seat knows it; what is hidden from it cannot be read."""
    asked: tuple[OpenQuestion, ...]
    cursor: int
    may_redo: bool

    @property
    def id(self) -> str:
        return str(self.about["id"])

    @property
    def name(self) -> str:
        """The name of the campaign."""
        return str(self.about["name"])

    @property
    def here(self) -> str:
        """The start of the addresses of its pages."""
        return f"/table/{self.id}"

    @cached_property
    def look(self) -> Look:
        return look_in(self.system.look, self.scene[BOOK])

    @property
    def seat(self) -> Seat:
        return self.member.seat

    @property
    def is_master(self) -> bool:
        return self.member.is_master

    @property
    def may_play(self) -> bool:
        return self.member.role is not Role.SPECTATOR

    @property
    def scene(self) -> Scene:
        return Scene(self.state)

    @cached_property
    def people(self) -> tuple[str, ...]:
        """Everyone with a sheet, as far as this seat knows: those it plays first, then other players' characters."""
        sheets = self.system.sheet.__name__
        names = [name for name, plain in self.data["scene"].items() if plain.get("kind") == sheets]
        return tuple(sorted(names, key=lambda name: (name not in self.member.controls, not self.is_own(name), name)))

    def is_own(self, name: str) -> bool:
        """Whether a character belongs to a player."""
        played = any(name in each.controls for each in self.members.values())
        return played or (bool(self.look.mine) and bool(self.data["scene"][name].get(self.look.mine)))

    def players_of(self, name: str) -> str:
        """Who plays a character."""
        return ", ".join(each.name for each in self.members.values() if name in each.controls)

    def may_be(self) -> tuple[str | None, ...]:
        """The characters this seat may act for; None means the game master."""
        if self.is_master:
            return (None, *self.people)
        return tuple(name for name in self.people if name in self.member.controls)

    def acting(self, wanted: str | None) -> str | None:
        """The character this seat acts for now: the wanted one, if allowed, otherwise the first."""
        able = self.may_be()
        if wanted in able:
            return wanted
        return able[0] if able else None


def table_view(visitor: Visitor, about: Mapping[str, Plain]) -> TableView:
    """Read a table from a seat."""
    return visitor.read(lambda desk: see(desk, about))


def _is_mine(question: Question[Any], member: Member, members: Iterable[Member]) -> bool:
    """Whether it is this seat's own question. The game master's are those that concern no one else's character."""
    others = (each for each in members if each.id != member.id)
    return (
        not member.is_master or question.who is None or not any(question.who.name in each.controls for each in others)
    )


def _mark(desk: Desk, waiting: Open, scene: bytes) -> str:
    """A digest of what this seat sees of the scene, and of how much it has been told of the step."""
    told = desk.feed.told_of(waiting.step)
    return blake2b(b"%d %d " % (waiting.part, told) + scene, digest_size=8).hexdigest()


def see(desk: Desk, about: Mapping[str, Plain]) -> TableView:
    campaign, member, state = desk.campaign, desk.member, desk.journal.state
    data = desk.view()
    hidden = frozenset[str]() if member.is_master else hidden_names(state)
    plain = {each["key"]: each for each in data["questions"]}
    seen = json.dumps(data["scene"], sort_keys=True).encode()
    asked = tuple(
        OpenQuestion(
            key,
            known_question(waiting.question, state, member.seat),
            plain[key].get("held"),
            bool(plain[key].get("offered")),
            "held" in plain[key] or _is_mine(waiting.question, member, campaign.members.values()),
            bool(plain[key].get("preselected")),
            _mark(desk, waiting, seen),
        )
        for key, waiting in campaign.questions(member.id).items()
    )
    return TableView(
        about,
        campaign.system,
        member,
        {each.id: replace(each, controls=each.controls - hidden) for each in campaign.members.values()},
        data,
        known_to(state, member.seat),
        asked,
        desk.feed.cursor,
        member.is_master and desk.journal.record.may_redo,
    )
