"""A campaign: its log, and what follows from it: who sits at the table, its settings, what each seat has been told.

Nothing here does I/O. The owner of a campaign (`table.hub`) stores its new lines before anyone is told about them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from time import time
from typing import Any, Final, NamedTuple, final

from referee.core.agenda import next_of, undecided
from referee.core.audience import Audience
from referee.core.errors import Refused, RuleFault
from referee.core.knowledge import is_no_choice, known_question, known_to
from referee.core.plain import Plain, write
from referee.core.questions import Chance, Choose, Ruling, key_of
from referee.core.scene import Scene, State
from referee.core.system import System
from referee.core.visibility import Seat, hidden_names, visible_scene
from referee.journal.journal import Journal
from referee.journal.lines import Aside, Line, LinesUndone, PlayResumed, SeatRemoved
from referee.journal.record import BEGINNING, Base
from referee.journal.seeded_dice import SeededDice
from referee.journal.steps import TABLE, Handling, Open
from referee.table.members import Member, NotSeated
from referee.table.questions import TableQuestions
from referee.table.settings import TableSettings
from referee.table.setup import TableSetup
from referee.views.clock import clock_in_words
from referee.views.exposure import states_seen
from referee.views.feed import Feed
from referee.views.questions import asked, knows_rule


@final
@dataclass(frozen=True)
class Checkpoint:
    """What follows from the first lines of a campaign, so that even a long one opens quickly."""

    base: Base
    scene: Plain
    setup: TableSetup
    cursors: dict[str, int]

    def to_plain(self) -> Plain:
        return {"base": list(self.base), "scene": self.scene, **self.setup.to_plain(), "cursors": self.cursors}

    @classmethod
    def from_plain(cls, plain: Mapping[str, Any]) -> Checkpoint:
        return cls(Base(*plain["base"]), plain["scene"], TableSetup.from_plain(plain), plain["cursors"])


MOST_AT_ONCE: Final = 400
"""How many lines the table writes by itself before the game master has to let it go on."""
STANDS: Final = "so much has happened by itself that the table waits; let it go on"


class _Seen(NamedTuple):
    """A scene, and how it looks to a seat."""

    state: State
    seat: Seat
    scene: Plain
    time: Plain
    """What its clock shows, in the units of the game."""


@final
class Campaign:
    """A campaign in memory. `earlier` returns the lines before its base, in case someone has to be told about them."""

    def __init__(
        self,
        system: System,
        start: State,
        source: SeededDice | None,
        lines: Iterable[Line] = (),
        *,
        since: Checkpoint | None = None,
        earlier: Callable[[], Iterable[Line]] = tuple,
        clock: Callable[[], float] = time,
    ) -> None:
        self.system = system
        self.clock = clock
        self.setup = TableSetup()
        self.went_back = False
        """After an undo nothing happens automatically until someone resumes play, so that the undo can be reversed."""
        self.feeds: dict[str, Feed] = {}
        self._scenes: dict[str, _Seen] = {}
        """What each seat was last shown of the scene."""
        self._earlier = earlier
        self._fed = 0
        self.asked_since: dict[tuple[int, int], float] = {}
        """When each open question was asked."""
        self.on_turn: tuple[str, ...] = ()
        """Who goes on by an action of their own, where an encounter waits for one."""
        self.stuck = ""
        """Why a step or an encounter cannot continue automatically; the game master has to deal with it."""
        kept = list(lines)
        self._take_up(since)
        for line in kept:  # how throws are handled has to be known before the journal makes them
            self._note(line)
        base = since.base if since else BEGINNING
        self.journal = Journal(system, start, source, kept, self._handling, base, halted=self.is_halted)
        self._asking = TableQuestions(self.journal, self._handling)
        self._take_up(since)
        self.advance()

    # Properties.

    @property
    def members(self) -> Mapping[str, Member]:
        """Who sits at the table, by the id of their seat."""
        return self.setup.members

    @property
    def settings(self) -> TableSettings:
        return self.setup.settings

    @property
    def stopped(self) -> str:
        """Who has called a stop, as long as it lasts."""
        return self.setup.stopped

    @property
    def commitment(self) -> str:
        """The commitment of the seed the dice come from now."""
        return self.setup.commitment

    @property
    def count(self) -> int:
        return self.journal.count

    @property
    def is_halted(self) -> bool:
        """Whether nothing happens automatically, because someone has called a stop or undone something."""
        return bool(self.stopped) or self.went_back

    def member(self, seat: str) -> Member:
        if seat not in self.members:
            raise NotSeated("seat", because="it is not at this table any more", rule="referee.table.seats")
        return self.members[seat]

    def checkpoint(self) -> Checkpoint | None:
        """What is needed to continue the campaign from here; None while a step is open or an undo can be reversed."""
        base = self.journal.as_base()
        if base is None:
            return None
        cursors = {seat: feed.cursor for seat, feed in self.feeds.items()}
        return Checkpoint(base, self.system.plain(self.journal.state), self.setup, cursors)

    # What a seat sees.

    def view(self, seat: str) -> dict[str, Plain]:
        """The table as one seat may see it now; the story is sent separately, a page at a time."""
        member = self.member(seat)
        return {
            "cursor": self.feeds[seat].cursor,
            "you": member.to_plain(),
            "seats": self.seats(seat),
            "scene": (seen := self._seen(member.seat)).scene,
            "time": seen.time,
            "questions": [self._asked(each, key, member) for key, each in self.questions(seat).items()],
            "waiting_for": self._asking.awaited(member) or self._awaited(member),
            "stopped": bool(self.stopped),
            "settings": self.settings.to_plain(),
            "states": states_seen(self.system, self.journal.state, member.seat),
            "portraits": {
                name: write(each) for name, each in self.setup.portraits.people.items() if name in seen.scene
            },
            **({"stuck": self.stuck} if member.is_master and self.stuck else {}),
        }

    def _awaited(self, member: Member) -> list[Plain]:
        """Whose action the table waits for, as far as a seat may know of them."""
        hidden = frozenset[str]() if member.is_master else hidden_names(self.journal.state)
        return [name for name in self.on_turn if name not in hidden]

    def seats(self, seat: str) -> list[dict[str, Plain]]:
        """Who sits at the table, as far as one seat may know; who plays a hidden character is not shown."""
        hidden = frozenset[str]() if self.member(seat).is_master else hidden_names(self.journal.state)
        return [each.public(hidden) for each in self.members.values()]

    def _seen(self, seat: Seat) -> _Seen:
        """The scene as a seat may see it: the same object until something in it, or the seat, changes."""
        state = self.journal.state
        known = self._scenes.get(seat.name)
        if known is None or known.state is not state or known.seat != seat:
            scene = visible_scene(state, seat)
            time = clock_in_words(self.system, Scene(known_to(state, seat)))
            self._scenes[seat.name] = known = _Seen(state, seat, scene, time)
        return known

    def questions(self, seat: str) -> dict[str, Open]:
        """The open questions a seat has to answer, by keys that reveal nothing about other steps."""
        return self._asking.of(self.member(seat))

    def _asked(self, waiting: Open, key: str, member: Member) -> dict[str, Plain]:
        rule = knows_rule(waiting, self.journal, member.seat)
        plain = {"key": key, **asked(waiting, member.seat, self.journal.state, rule=rule)}
        if member.is_master:
            held = self.journal.held.get((waiting.step, waiting.part))
            plain |= {"held": held.answer} if held else {}
            plain["offered"] = self._is_late(waiting) and not self._is_masters(waiting)
            if isinstance(waiting.question, Ruling):
                plain["preselected"] = self.settings.ruling(str(waiting.question.name)) is not Handling.LEAVE
        return plain

    def _is_late(self, waiting: Open) -> bool:
        since = self.asked_since.get((waiting.step, waiting.part))
        return since is not None and self.clock() - since >= self.settings.offer_after

    def _is_masters(self, waiting: Open) -> bool:
        players = (each for each in self.members.values() if not each.is_master)
        return not any(self._asking.is_of(waiting, each) for each in players)

    # How it continues.

    def follow(self, lines: Sequence[Line], source: SeededDice | None) -> bool:
        """Take in lines that another server has written; False if this one would have gone on in another way."""
        self.journal.follow(lines, source)
        count = self.count
        self.advance()
        return self.count == count

    def advance(self) -> None:
        """After anything has happened: tell everyone, throw dice, give standing answers, continue encounters."""
        self._tell()
        self.stuck, self.on_turn = "", ()
        before = self.journal.count
        while self.journal.count < before + MOST_AT_ONCE:
            self.journal.halted = self.is_halted
            if self.is_halted or not self._goes_on():
                return
            self._tell()
        self.journal.stand_still(self.journal.count - before)
        self.stuck = STANDS
        self._tell()

    def _goes_on(self) -> bool:
        """Do the next thing that is automatic; whether there was one."""
        return self._settles() or self._rules_by_default() or self._answers_itself() or self._takes_turns()

    def _settles(self) -> bool:
        """Make the throws that are due, after an undo or a change of settings; whether there were any."""
        before = self.journal.count
        self.journal.settle()
        self.stuck = "; ".join(map(_wrong, self.journal.faults.values()))
        return self.journal.count > before

    def _rules_by_default(self) -> bool:
        """Take the default of a ruling that is automatic by the settings; whether there was one."""
        for each in self.journal.asking:
            if isinstance(each.question, Ruling) and self.settings.ruling(str(each.question.name)) is Handling.DO:
                try:
                    self.journal.take_default(TABLE, each.step, each.part)
                except Refused:
                    if each in self.journal.asking:
                        continue  # the default is not legal here, so the game master is asked
                return True
        return False

    def _answers_itself(self) -> bool:
        """Answer a question that leaves the player no choice or that has a standing answer; whether there was one."""
        for each in self.journal.asking:
            for by, answer in self._left_for(each):
                try:
                    self.journal.answer(by, each.step, answer, each.part)
                except Refused:
                    if each in self.journal.asking:
                        continue  # not legal here, so it is not given
                return True
        return False

    def _left_for(self, waiting: Open) -> Iterator[tuple[str, Plain]]:
        question = waiting.question
        if question.who is None or isinstance(question, Chance):
            return
        for member in self.members.values():
            if member.is_master or not self._asking.is_of(waiting, member):
                continue
            known = known_question(question, self.journal.state, member.seat)
            if isinstance(known, Choose) and is_no_choice(question, self.journal.state):
                yield TABLE, key_of(known.options[0])
        for member in self.members.values():
            if self.answers_for(member, question.who.name) and str(question.name) in member.standing:
                yield member.id, member.standing[str(question.name)]

    def answers_for(self, member: Member, who: str) -> bool:
        """Whether standing answers of a seat count for somebody: one plays them, or, as game master, no one does."""
        return who in member.controls or (
            member.is_master and not any(who in each.controls for each in self.members.values())
        )

    def _takes_turns(self) -> bool:
        """Begin the next step of an encounter if nothing else is open; whether there was one."""
        if self.journal.asking or not self.settings.turns:
            return False
        try:
            following = next_of(self.journal.scene)
            if following is not None and following.waits:
                self.stuck = STANDS
                return False
            if following is not None and following.awaited:
                self.on_turn = following.awaited
                return False
            if following is not None:
                self.stuck = self.journal.record.refused_just_now(TABLE, following.call.plain()) or ""
                if self.stuck:  # it is not tried again before something else has happened
                    return False
                self.journal.begin(TABLE, following.call.rule.id, following.call.plain())
                return True
            if names := ", ".join(each.name for each in undecided(self.journal.scene)):
                self.stuck = f"several encounters stand, say which one is played: {names}"
        except Exception as why:  # noqa: BLE001  # a campaign must open, whatever state its encounters are in
            self.stuck = _wrong(why)
            self._tell()
        return False

    def _tell(self) -> None:
        """Add the new lines to everyone's feed."""
        for line in self.journal.lines[self._fed :]:
            number = self.journal.base.lines + self._fed
            self._fed += 1
            self._note(line)
            self._hear(number, line)
        now = self.clock()
        open_now = {(each.step, each.part) for each in self.journal.asking}
        self.asked_since = {key: self.asked_since.get(key, now) for key in open_now}

    def _hear(self, number: int, line: Line) -> None:
        for seat, member in self.members.items():
            if seat not in self.feeds:
                self.feeds[seat] = feed = Feed(self.system)
                for at, before in enumerate(self._before(number)):
                    feed.add(at, before, member.seat)
            self.feeds[seat].add(number, line, member.seat)

    def _before(self, number: int) -> Iterator[Line]:
        if self.journal.base.lines:
            yield from self._earlier()
        yield from self.journal.lines[: number - self.journal.base.lines]

    # From the log.

    def _take_up(self, since: Checkpoint | None) -> None:
        """Restore everything as it was before the first line in memory."""
        members = since.setup.members.values() if since else ()
        self.feeds = {member.id: Feed(self.system, since.cursors[member.id]) for member in members if since}
        self.setup = since.setup if since else TableSetup()
        self.went_back = False
        self._fed = 0

    def _note(self, line: Line) -> None:
        """Apply what a line changes about the table: its setup, and whether someone undid something."""
        self.setup = self.setup.after(line)
        if isinstance(line, PlayResumed) or not isinstance(line, Aside):
            self.went_back = isinstance(line, LinesUndone)
        elif isinstance(line, SeatRemoved):
            self.feeds.pop(line.seat, None)
            self._scenes.pop(line.seat, None)

    def _handling(self, waiting: Open) -> Handling:
        """How a throw is made: by hand if the player has real dice and may see it, else by the table's settings."""
        question = waiting.question
        who = question.who.name if question.who else None
        for member in self.members.values():
            if who in member.controls and member.real_dice and member.seat.sees(question.audience, who):
                return Handling.LEAVE
        if question.audience is Audience.PRIVATE:  # it cannot be held for the game master
            return Handling.DO
        return self.settings.handling(str(question.name))


def _wrong(why: Exception) -> str:
    return why.details if isinstance(why, RuleFault) else f"{type(why).__name__}: {why}"
