"""What a seat sees of its table at one moment: everything a screen needs, read at once, and no more than it may see."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from typing import Any, Final, final

from referee.core.drafts import NAME
from referee.core.errors import NotKnown, RefereeError
from referee.core.knowledge import KnownState
from referee.core.look import Look, look_in
from referee.core.plain import Plain, read
from referee.core.questions import Question
from referee.core.relation import Relation, relation
from referee.core.rulebook import BOOK
from referee.core.scene import Scene, Who
from referee.core.system import System
from referee.core.visibility import Seat
from referee.journal.steps import TABLE, Open
from referee.kits.posts import Carrier
from referee.table import draft_desk, undo_desk
from referee.table.desk import Desk
from referee.table.members import Member, Role
from referee.table.portraits import Portrait
from referee.table.preparations import Preparation
from referee.views.exposure import tenths
from referee.web.sign_in import Visitor

PAGE: Final = 60
"""How many items of the story a page starts with."""
ENCOUNTER_OVER: Final = "encounter-over"
"""The key of the story line by which an encounter ends."""
LATELY: Final = 400
"""How many items are looked through for what someone did last."""


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
class UndoOffer:
    """What *Undo* would take back: the items that go, and why one has to ask for it instead."""

    item: int
    items: tuple[Mapping[str, Plain], ...]
    barred: str = ""
    is_asked: bool = False
    """Whether the game master has been asked already."""


@final
@dataclass(frozen=True)
class AskedUndo:
    """Somebody asks the game master for an undo."""

    seat: str
    item: int
    items: tuple[Mapping[str, Plain], ...]


@final
@dataclass(frozen=True)
class DraftProgress:
    """How far somebody is with a character."""

    id: str
    name: str
    owner: str
    done: int
    steps: int


@final
@dataclass(frozen=True)
class SeenCondition:
    """How someone stands, as far as a seat is told: the key of a word, or tenths of a bar."""

    word: str = ""
    tenths: int | None = None
    is_out: bool = False


@final
@dataclass(frozen=True)
class TableView:
    """A table as one seat sees it."""

    about: Mapping[str, Plain]
    system: System
    member: Member
    members: Mapping[str, Member]
    data: Mapping[str, Plain]
    state: KnownState
    """The scene as this seat knows it; what is hidden from it cannot be read."""
    asked: tuple[OpenQuestion, ...]
    cursor: int
    may_redo: bool
    lately: Mapping[tuple[str, str], str] = field(default_factory=dict)
    """The latest answer for someone to a prompt, by both."""
    undo: UndoOffer | None = None
    undo_requests: tuple[AskedUndo, ...] = ()
    mark: str = ""
    """Differs whenever the scene looks different from this seat: figures with another mark are out of date."""
    may_resume: bool = False
    """Whether play waits after an undo, and this seat may let it go on."""
    recent: tuple[Mapping[str, Plain], ...] = ()
    """The latest items of the story."""
    ended: Mapping[str, Plain] | None = None
    """The figures of the story line by which the last encounter ended, until somebody begins something."""
    making: tuple[DraftProgress, ...] = ()
    """Characters in the making, as far as this seat may see them."""
    lines: int = 0
    """How many lines the log has, for forms that are filled from it; the game master's alone."""
    preparations: tuple[Preparation, ...] = ()
    """The encounters that are prepared; only the game master knows of them."""
    away: frozenset[str] = frozenset()
    """The ids of the seats from which no one looks at the table now, on pages that show it."""

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
    def portraits(self) -> dict[str, Portrait]:
        """The pictures of those whom this seat sees."""
        found: dict[str, Portrait] = read(dict[str, Portrait], self.data["portraits"], "portraits")
        return found

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
        kinds = self.system.person_kinds
        names = [name for name, plain in self.data["scene"].items() if plain.get("kind") in kinds]
        return tuple(sorted(names, key=lambda name: (name not in self.member.controls, not self.is_own(name), name)))

    def is_own(self, name: str) -> bool:
        """Whether a character belongs to a player, or somebody aboard of a ship does."""
        return self._is_played(name) or any(map(self._is_played, self._aboard(name)))

    def _is_played(self, name: str) -> bool:
        played = any(name in each.controls for each in self.members.values())
        return played or (bool(self.look.mine) and bool(self.data["scene"].get(name, {}).get(self.look.mine)))

    def _aboard(self, name: str) -> tuple[str, ...]:
        """Who is aboard, as far as this seat knows."""
        with suppress(NotKnown):
            carrier = self.state.get(name)
            if isinstance(carrier, Carrier):
                return carrier.aboard
        return ()

    def state_of(self, name: str) -> Mapping[str, Plain]:
        """What is told of someone whose sheet this seat does not see: `state`, or `share` and `bars`; else nothing."""
        found: Mapping[str, Plain] = self.data["states"].get(name, {})
        return found

    def is_out(self, name: str) -> bool:
        """Whether someone takes part no more, as far as this seat knows."""
        return name in self.conditions and self.conditions[name].is_out

    @cached_property
    def conditions(self) -> dict[str, SeenCondition]:
        """How everyone stands, as far as this seat knows."""
        return {name: self._seen_condition(name) for name in self.people}

    def _seen_condition(self, name: str) -> SeenCondition:
        if told := self.state_of(name):
            return SeenCondition(str(told.get("state", "")), told.get("share"), bool(told.get("out")))
        try:
            found = self.system.condition_of(self.scene, Who(name, self.system.sheet))
        except (NotKnown, RefereeError):
            found = None
        return SeenCondition() if found is None else SeenCondition(found.word, tenths(found.share), found.is_out)

    def condition_words(self, name: str) -> str:
        """The word for how someone stands; nothing if this seat is not told."""
        found = self.conditions.get(name, SeenCondition())
        return self.system.condition_words(found.word) if found.word else ""

    def relation(self, who: str, other: str) -> Relation:
        """What somebody is to somebody, as far as this seat knows."""
        return relation(self.state, who, other, is_players=self.is_own)

    def is_away(self, name: str) -> bool:
        """Whether whoever plays a character, or the game master, is away."""
        players = [each.id for each in self._answering(name)]
        return bool(players) and self.away.issuperset(players)

    def _answering(self, name: str) -> list[Member]:
        """Who answers for a character, or as the game master."""
        is_masters = name == Role.MASTER.value
        return [each for each in self.members.values() if name in each.controls or (is_masters and each.is_master)]

    def players_of(self, name: str) -> str:
        """Who plays a character, or is the game master."""
        return ", ".join(each.name for each in self._answering(name))

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
    campaign, member, members = desk.campaign, desk.member, desk.members
    data = desk.view()
    plain = {each["key"]: each for each in data["questions"]}
    seen = json.dumps(data["scene"], sort_keys=True).encode()
    asked = tuple(
        OpenQuestion(
            key,
            waiting.question,
            plain[key].get("held"),
            bool(plain[key].get("offered")),
            "held" in plain[key] or _is_mine(waiting.question, member, members.values()),
            bool(plain[key].get("preselected")),
            _mark(desk, waiting, seen),
        )
        for key, waiting in desk.asked().items()
    )
    return TableView(
        about,
        campaign.system,
        member,
        members,
        data,
        desk.known,
        asked,
        desk.feed.cursor,
        undo_desk.may_redo(desk),
        _lately(desk.feed.items[-LATELY:]),
        _undo_offer(desk),
        tuple(
            AskedUndo(seat, item, tuple(undo_desk.would_undo(desk, item)))
            for seat, item in (undo_desk.undo_requests(desk) if member.is_master else {}).items()
        ),
        blake2b(seen, digest_size=8).hexdigest(),
        desk.may_resume,
        tuple(desk.feed.items[-2 * PAGE :]),
        _ended(desk.feed.items[-LATELY:]),
        tuple(_making(desk)),
        desk.lines,
        campaign.setup.preparations.kept if member.is_master else (),
    )


def _making(desk: Desk) -> Iterator[DraftProgress]:
    """The drafts that are not finished: one's own; for the game master everyone's, with how far they are."""
    for each in draft_desk.drafts_of(desk):
        if each.finished is None and each.seat in desk.members:
            form = draft_desk.form_of(desk, each.id)
            steps = form.laid_out
            name = each.character or form.draft.one(NAME.key)
            owner = "" if each.seat == desk.member.id else desk.members[each.seat].name
            yield DraftProgress(each.id, name, owner, sum(step.is_done for step in steps), len(steps))


def _ended(items: Sequence[Mapping[str, Plain]]) -> Mapping[str, Plain] | None:
    """How the last encounter ended, if nobody has begun anything since."""
    for item in reversed(items):
        if item["kind"] == "undone" or (item["kind"] == "began" and item["by"] != TABLE):
            return None
        for each in item.get("then", ()):
            if each.get("story") == ENCOUNTER_OVER:
                return dict(each["figures"])
    return None


def _lately(items: Iterable[Mapping[str, Plain]]) -> dict[tuple[str, str], str]:
    """The latest answers in words, of anyone; those that were undone since may be repeated like the others."""
    answers = (each for each in items if each["kind"] == "answered" and isinstance(each.get("answer"), str))
    return {(str(each["of"]), str(each["prompt"])): str(each["answer"]) for each in answers}


def _undo_offer(desk: Desk) -> UndoOffer | None:
    item = None if desk.member.role is Role.SPECTATOR else undo_desk.last_step(desk)
    if item is None:
        return None
    try:
        gone = tuple(undo_desk.would_undo(desk, item))
        why = undo_desk.may_undo(desk, item)
    except RefereeError:
        return None
    return UndoOffer(item, gone, "" if why is None else str(why), desk.member.id in undo_desk.undo_requests(desk))
