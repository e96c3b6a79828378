"""What a person in a seat may do: play, answer, talk, undo; and what the game master may do in addition.

Anything they may not do is refused here, with the reason.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from secrets import token_hex
from typing import Any, Concatenate, Final, ParamSpec, final

from referee.core import clock
from referee.core.actions import Action, ActionChoice
from referee.core.agenda import end_encounter, playing
from referee.core.encounter import encounters
from referee.core.errors import BadInput, NotKnown, RefereeError, Refused
from referee.core.knowledge import hidden_arguments, known_question, known_to, refused_to
from referee.core.plain import Plain, read, unknown, write
from referee.core.questions import Question, Ruling, asked_by, key_of
from referee.core.rulebook import BOOK
from referee.core.rules import Call
from referee.core.scene import Scene, Who
from referee.core.system import HOUSE_NAMES, find_unit
from referee.core.visibility import VEIL, Exposure, Veil, hidden_names, limits_in
from referee.forecast.figures import NORMAL, Budget
from referee.forecast.risk import odds_at, odds_of
from referee.forecast.risk_card import RiskCard
from referee.journal.journal import CLOCK, DICE
from referee.journal.lines import (
    AnswerGiven,
    NoteSaid,
    PlayResumed,
    PlayStopped,
    PrivateNotes,
    RecapWritten,
    SeatRemoved,
    SeatTaken,
    SettingsChanged,
    StandingAnswers,
    UndoAsked,
)
from referee.journal.steps import TABLE, Handling, Open
from referee.table.campaign import Campaign
from referee.table.free_roll import free_roll
from referee.table.members import CHANGED_BY_ONESELF, Member, NotAllowed, Role, UnknownSeat, check_table
from referee.table.settings import MayUndo
from referee.views.exposure import limit_of
from referee.views.feed import Feed
from referee.views.questions import knows_rule
from referee.wire.limits import LONGEST_NOTE, LONGEST_TITLE

UNTOLD: Final = "referee.table.secrets"
MOST_NOTES: Final = 100
MOST_STANDING: Final = 100
AUTOMATIC: Final = (DICE, TABLE, CLOCK)
"""The actors behind lines that no one decides."""
ASKED: Final = ("ask the game master",)
"""What whoever may not undo something can do instead."""
LONGEST_RECAP: Final = 20_000


class LongAgo(BadInput):
    """An item older than the lines in memory; the hub opens the campaign from further back."""

    def __init__(self, seat: str, item: int) -> None:
        super().__init__("item", "your log has no such item lately")
        self.seat = seat
        self.item = item


@final
class Desk:
    """A seat at the table, and what is done from it. Each method is one action from outside."""

    def __init__(self, campaign: Campaign, seat: str) -> None:
        self.campaign = campaign
        self.journal = campaign.journal
        self._seat = campaign.member(seat).id

    @property
    def member(self) -> Member:
        """Who sits here now; refused once the seat is removed."""
        return self.campaign.member(self._seat)

    @property
    def feed(self) -> Feed:
        """The items this seat has been told."""
        return self.campaign.feeds[self.member.id]

    @property
    def known(self) -> Scene:
        """The scene as this seat knows it."""
        return Scene(known_to(self.journal.state, self.member.seat))

    @contextmanager
    def _step(self) -> Iterator[None]:
        """Do something and continue from it, even if it is refused midway."""
        before = self.journal.count
        try:
            yield
        except RefereeError as why:
            self.campaign.advance()
            raise self._redacted(why, before) from None
        self.campaign.advance()

    def _redacted(self, why: RefereeError, before: int) -> RefereeError:
        """A refusal as far as this seat may know it."""
        if self.member.is_master:
            return why
        last = self.journal.record.last() if self.journal.count > before else None
        if last is not None and not (isinstance(last, AnswerGiven) and not self._may_know_why(last)):
            return why
        what = why.what if isinstance(why, Refused) else "act"
        return Refused(what, because="something you cannot see prevents it", rule=UNTOLD)

    def _may_know_why(self, line: AnswerGiven) -> bool:
        return self.member.seat.sees(line.because, line.of)

    # Checks.

    def check_playing(self) -> None:
        if self.campaign.stopped:
            because = "play is stopped"
            raise Refused("play", because=because, rule="referee.table.stop", legal=("resume, by the game master",))

    def check_role(self, what: str, *roles: Role) -> None:
        if self.member.role not in roles:
            who = " or ".join(role.value for role in roles)
            raise NotAllowed(what, because=f"only the {who} may do this", rule="referee.table.seats")

    def check_known(self, action: Action[Any], given: Mapping[str, Plain]) -> Call[Any]:
        """Refuse what this seat knows to be illegal, using only what it knows; otherwise return the call to begin."""
        call: Call[Any] = action.rule(**action.arguments(self.known, given))
        if self.member.is_master:
            return call
        for name in hidden_arguments(action.rule, self.member.seat, given):
            if name in given:
                raise NotAllowed(name, because="only the game master may do this", rule="referee.table.seats")
        self._check_there(action, call)
        why = self._refusal(action, call) or refused_to(call, given, self.journal.state, (), self.member.seat)
        if why is not None:
            raise why
        return call

    def _check_there(self, action: Action[Any], call: Call[Any]) -> None:
        """Everyone who is named must be in the scene, as far as this seat knows."""
        there = self.known.state
        for name, value in zip(action.rule.parameters, call.args, strict=True):
            for who in value if isinstance(value, tuple) else (value,):
                if isinstance(who, Who) and who.name not in there:
                    raise BadInput(name, unknown(who.name, tuple(there)))

    def _refusal(self, action: Action[Any], call: Call[Any]) -> RefereeError | None:
        """What an action's own check says, using what this seat knows."""
        who, *others = call.args if not action.master else (None, *call.args)
        try:
            return action.may(self.known, who, **dict(zip(action.parameters, others, strict=True)))
        except NotKnown:
            return None
        except RefereeError as why:
            return why

    # What the input means.

    def action(self, key: str, who: str | None) -> Action[Any]:
        """An action that this seat may take."""
        action = self.campaign.system.action(key)
        if action.master:
            self.check_role(key, Role.MASTER)
        elif who is None:
            raise BadInput("who", "say who acts")
        else:
            self.actor(who)
        return action

    def actor(self, who: str | None) -> Who[Any] | None:
        """A character this seat plays; None stands for the game master."""
        if who is None:
            self.check_role("act", Role.MASTER)
            return None
        if self.member.role is Role.SPECTATOR or not self.member.seat.answers_for(who):
            mine = sorted(self.member.controls)
            raise NotAllowed("act", because=f"you do not play {who}", rule="referee.table.seats", legal=mine)
        return self.known.who(who)

    def given(self, action: Action[Any], who: str | None, arguments: Mapping[str, Plain] | None) -> dict[str, Plain]:
        """The arguments of an action, including who acts."""
        named = {str(name).replace("-", "_"): value for name, value in (arguments or {}).items()}
        if action.master:
            return named
        first = next(iter(action.rule.parameters))
        if first in named:
            raise BadInput(first, "who acts is given as `who`, not as an argument")
        return {first: who, **named}

    def question(self, key: str) -> Open:
        mine = self.campaign.questions(self.member.id)
        if key not in mine:
            raise BadInput("question", unknown(key, mine) if mine else "you have no open question")
        return mine[key]

    def line(self, item: int) -> int:
        """The line of the log behind an item this seat was told."""
        number = self.feed.line_of(item)
        if number is None and 0 <= item < self.feed.before:
            raise LongAgo(self.member.id, item)
        if number is None:
            raise BadInput("item", "your log has no such item")
        return number

    def other(self, seat: str) -> Member:
        """The person in another seat of this table."""
        if seat not in self.campaign.members:
            raise UnknownSeat(seat, self.campaign.members)
        return self.campaign.members[seat]

    # Playing.

    def act(self, action: str, who: str | None = None, arguments: Mapping[str, Plain] | None = None) -> None:
        """Take an action: a character's by the one who plays them, the game master's by the game master."""
        self.check_playing()
        found = self.action(action, who)
        given = self.given(found, who, arguments)
        call = self.check_known(found, given)
        with self._step():
            self.journal.begin(self.member.id, found.rule.id, given, call=call)

    def answer_ahead(self, question: str, answer: Plain, ahead: Mapping[str, Plain]) -> None:
        """Answer a question, and with it what the same person is asked next, by prompt, as far as that is asked."""
        who = self.question(question).question.who
        self.answer(question, answer)
        for prompt, value in ahead.items():
            key = f"{who.name if who else Role.MASTER.value}.{prompt}"
            if key in self.campaign.questions(self.member.id):
                with suppress(RefereeError):  # then it is asked like anything else
                    self.answer(key, value)

    def answer(self, question: str, answer: Plain) -> None:
        """Answer a question this seat is asked. Without an answer, what the table proposes is accepted.

        It proposes a held throw as thrown, and the default of a ruling unless the settings leave it open.
        """
        self.check_playing()
        if question not in self.campaign.questions(self.member.id):
            self._check_not_asked(question, answer)
        waiting = self.question(question)
        if (waiting.step, waiting.part) in self.journal.held and answer is None:
            with self._step():
                self.journal.accept_throw(self.member.id, waiting.step, waiting.part)
            return
        asked = self._asked(waiting)
        if answer is None and isinstance(asked, Ruling):
            if self.campaign.settings.ruling(str(asked.name)) is Handling.LEAVE:
                raise asked.bad("an answer is needed", map(key_of, asked.options))
            answer = asked.write(asked.default)
        given = asked.write(asked.read(answer))  # by what is known to be legal: no error reveals other options
        with self._step():
            self.journal.answer(self.member.id, waiting.step, given, waiting.part)

    def _asked(self, waiting: Open) -> Question[Any]:
        """A question as this seat knows it."""
        seat = self.member.seat
        known = known_question(waiting.question, self.journal.state, seat)
        return known if knows_rule(waiting, self.journal, seat) else asked_by(known, "")

    def _check_not_asked(self, key: str, answer: Plain) -> None:
        """Refuse an answer to a choice of an open step that was not asked, for the reason that bars the answer."""
        seat, hidden = self.member.seat, hidden_names(self.journal.state)
        for each in reversed(self.journal.not_asked):
            who = each.question.who and each.question.who.name
            is_meant = key == f"{who or Role.MASTER.value}.{each.question.name}" and seat.answers_for(who)
            if is_meant and (seat.master or (who not in hidden and knows_rule(each, self.journal, seat))):
                self._asked(each).read(answer)

    def roll(self, *dice: str, hidden: bool = False) -> None:
        """Throw plain dice, for no rule: `3d6`. Only the game master may hide them, and then no one else is told."""
        self.check_playing()
        self.check_role("roll", *((Role.MASTER,) if hidden else (Role.MASTER, Role.PLAYER)))
        given = {"dice": list(dice), "hidden": hidden}
        call: Call[Any] = free_roll(*free_roll.arguments(given))
        self.journal.begin(self.member.id, free_roll.id, given, secret=hidden, call=call)
        self.campaign.advance()

    def standing(self, prompt: str, answer: Plain) -> None:
        """Give an answer in advance for every question of that name; None removes it."""
        if len(self.member.standing) >= MOST_STANDING and answer is not None:
            raise BadInput("prompt", f"at most {MOST_STANDING} standing answers; remove one first")
        self.check_role("standing", Role.MASTER, Role.PLAYER)
        standing = {**self.member.standing, prompt: answer}
        kept = {name: each for name, each in standing.items() if each is not None}
        self.journal.say(StandingAnswers(self.member.id, self.member.id, kept, to=(self.member.id,)))
        self.campaign.advance()

    def write_down(self, about: str, text: str) -> None:
        """Write a private note about a character, which the game master may read. An empty text deletes it."""
        self.check_role("notes", Role.MASTER, Role.PLAYER)
        if about not in self.known.state:
            raise BadInput("who", unknown(about, tuple(self.known.state)))
        if len(text) > LONGEST_NOTE:
            raise BadInput("text", f"must be at most {LONGEST_NOTE} characters")
        said, before = text.strip(), self.member.notes
        if said == before.get(about, ""):
            return
        if said and about not in before and len(before) >= MOST_NOTES:
            raise BadInput("who", f"at most {MOST_NOTES} notes are kept; delete one first")
        self.journal.say(
            PrivateNotes(self.member.id, self.member.id, {about: said}, changed=True, to=(self.member.id,))
        )
        self.campaign.advance()

    def note(self, text: str, *, to: list[str] | None = None, file: str | None = None, title: str = "") -> None:
        """Say something to everyone or to some. With a title or a picture it is a handout, which is kept for them."""
        if len(text) > LONGEST_NOTE or not (text.strip() or file):
            raise BadInput("text", f"must be 1 to {LONGEST_NOTE} characters")
        if len(title) > LONGEST_TITLE:
            raise BadInput("title", f"must be at most {LONGEST_TITLE} characters")
        for seat in to or ():
            if seat not in self.campaign.members:
                raise BadInput("seat", unknown(seat, self.campaign.members))
        told = None if to is None else tuple(to)
        self.journal.say(NoteSaid(self.member.id, text, file or None, " ".join(title.split()), to=told))
        self.campaign.advance()

    def stop(self) -> None:
        """Call a stop. Anyone may; nothing continues until the game master resumes play."""
        if not self.campaign.stopped:
            self.journal.say(PlayStopped(self.member.id))
        self.campaign.advance()

    def resume(self) -> None:
        """Resume play: the game master after a stop; anyone who may undo, after an undo that left dice to throw."""
        self.check_role("resume", *((Role.MASTER,) if self.campaign.stopped else self._may_go_back()))
        if self.campaign.stopped:
            self.journal.say(PlayResumed(self.member.id))
        elif self.campaign.went_back and (self.member.is_master or self.feed.went_back):
            self.journal.say(PlayResumed(TABLE, self.member.id, to=()))  # not everyone may know what was undone
        self.campaign.advance()

    # Asking.

    def view(self) -> dict[str, Plain]:
        return self.campaign.view(self.member.id)

    def actions(self, who: str | None) -> list[dict[str, Plain]]:
        """What a character (or the game master) may do now, and why not the rest, according to what this seat knows."""
        scene = self.known
        actor = self.actor(who)
        return [
            _described(action, scene, actor) for action in self.campaign.system.actions_in(scene, master=actor is None)
        ]

    def choices(self, action: str, who: str | None, arguments: Mapping[str, Plain] | None = None) -> dict[str, Plain]:
        """What may be picked for each argument once some are picked, and why not the rest; as this seat knows it."""
        found, scene = self.action(action, who), self.known
        actor = None if found.master else self.actor(who)
        named = {str(name).replace("-", "_"): value for name, value in (arguments or {}).items()}
        for name in named:
            if name not in found.parameters:
                raise BadInput(name, unknown(name, found.parameters))
        given = {name: read(found.parameters[name].annotation, value, name) for name, value in named.items()}
        barred = {name: found.barred(scene, actor, name, given) for name in found.picks}
        return {
            "choices": _choices(found, scene, actor, given),
            "barred": {
                name: [{"option": write(each), "because": why.because, "rule": why.rule} for each, why in some.items()]
                for name, some in barred.items()
                if some
            },
        }

    def odds(
        self, action: str, who: str | None, arguments: Mapping[str, Plain] | None = None, budget: Budget = NORMAL
    ) -> RiskCard:
        """The odds of an action, according to what this seat knows."""
        offer = self.offer(action, who, arguments)
        return odds_of(offer, self.journal.state, self.member.seat, budget=budget)

    def offer(self, action: str, who: str | None, arguments: Mapping[str, Plain] | None = None) -> ActionChoice:
        """An action as this seat would take it. Its odds can be computed while play continues."""
        found = self.action(action, who)
        given = self.given(found, who, arguments)
        call = self.check_known(found, given)
        named = {name: value for name, value in zip(found.rule.parameters, call.args, strict=True) if name in given}
        actor = None if found.master else named.pop(next(iter(named)))
        return found.by(actor, **named)

    def odds_at(self, question: str, budget: Budget = NORMAL) -> RiskCard:
        """The odds for each answer to an open question."""
        return odds_at(self.journal, self.question(question), self.member.seat, budget=budget)

    # Going back.

    def would_undo(self, item: int) -> list[dict[str, Plain]]:
        """What undoing an item would undo: the item itself and everything after it, as this seat has been told."""
        gone = {number for number, _ in self.journal.would_undo(self.line(item))}
        return [told for told, place in zip(self.feed.items, self.feed.places, strict=True) if place in gone]

    def may_undo(self, item: int) -> RefereeError | None:
        """None if this seat may go back to before an item; otherwise why it may not."""
        try:
            number = self.line(item)
            self.journal.would_undo(number)
            self._check_undo(number)
        except LongAgo:
            raise
        except RefereeError as why:
            return why
        return None

    def undo(self, item: int) -> None:
        """Go back to before an item."""
        number = self.line(item)
        self.journal.would_undo(number)
        self._check_undo(number)
        self.journal.undo(self.member.id, number, None if self.member.is_master else frozenset(self.feed.places))
        self.campaign.advance()

    def last_step(self) -> int | None:
        """The item that *Undo* means: one's own last decision; for the game master the last decision of anyone."""
        by = {number: line.by for number, line in self.journal.story if line.by not in AUTOMATIC}
        mine = (number for number in by if self.member.is_master or by[number] == self.member.id)
        told = (item for number in sorted(mine, reverse=True) if (item := self.feed.item_of(number)) is not None)
        return next(told, None)

    def ask_undo(self, item: int) -> None:
        """Ask the game master to go back to before an item, because one may not do so oneself."""
        self.check_role("ask for an undo", Role.PLAYER)
        number = self.line(item)
        self.journal.would_undo(number)
        self.journal.say(UndoAsked(self.member.id, self.member.id, number, to=()))
        self.campaign.advance()

    def decline_undo(self, seat: str) -> None:
        """Decline a request for an undo; whoever made it may take it back."""
        if seat != self.member.id:
            self.check_role("decline an undo", Role.MASTER)
        if seat in self.campaign.setup.undo_asked:
            self.journal.say(UndoAsked(self.member.id, seat, to=(seat,)))
        self.campaign.advance()

    def undo_requests(self) -> dict[str, int]:
        """Who asks for an undo, and to before which item of this seat; a player knows only their own request."""
        asked = self.campaign.setup.undo_asked
        mine = {seat: line for seat, line in asked.items() if self.member.is_master or seat == self.member.id}
        in_force = {number for number, _ in self.journal.story} if mine else set()
        items = {seat: self.feed.item_of(line) for seat, line in mine.items() if line in in_force}
        return {seat: item for seat, item in items.items() if item is not None}

    def redo(self) -> None:
        """Redo what was last undone. Only the game master may: the others may not know what has happened since."""
        self.check_role("redo", Role.MASTER)
        self.journal.redo(self.member.id)
        self.campaign.advance()

    def _may_go_back(self) -> tuple[Role, ...]:
        is_masters = self.campaign.settings.undo is MayUndo.MASTER
        return (Role.MASTER,) if is_masters else (Role.MASTER, Role.PLAYER)

    def _may_undo_all(self) -> bool:
        return self.member.is_master or self.campaign.settings.undo is MayUndo.ANYONE

    def _check_undo(self, number: int) -> None:
        """The game master may undo anything; the settings let others undo everything, their last decision, or nothing.

        A dice result belongs to the decision before it. What a seat was not told about cannot block it. Dice that were
        seen are kept: once some have fallen, going back to before them is the game master's.
        """
        self.check_role("undo", *self._may_go_back())
        if self._may_undo_all():
            return
        told = set(self.feed.places)
        decided = [(at, line.by) for at, line in self.journal.story if at in told and line.by not in AUTOMATIC]
        later = {by for at, by in decided if at >= number} or {by for _, by in decided[-1:]}
        if later != {self.member.id}:
            raise Refused("undo", because="others have made decisions since", rule="referee.table.undo", legal=ASKED)
        if any(at >= number and at in told and line.thrown for at, line in self.journal.story):
            raise Refused("undo", because="dice have fallen since", rule="referee.table.undo", legal=ASKED)

    # For the game master.

    def edit(self, name: str, changes: Mapping[str, Plain]) -> None:
        """Set fields of anything in the scene; with `kind`, add something new to it."""
        self.check_role("edit", Role.MASTER)
        _check_house_name(name, changes)
        with self._step():
            if "kind" in changes and name not in self.journal.state:
                self.limit_newcomer(name, changes)
            self.journal.edit(self.member.id, name, **changes)

    def add(self, name: str, changes: Mapping[str, Plain], *, hidden: bool = False) -> None:
        """Add something new to the scene. If it is hidden from the start, the others are told nothing about it."""
        self.check_role("edit", Role.MASTER)
        _check_house_name(name, changes)
        if name in self.journal.state:
            raise BadInput("name", f"{name} is in the scene already")
        system = self.campaign.system
        if hidden:
            system.check_sheet(self.journal.state.but(name, system.value(changes, name, self.journal.state)), name)
        with self._step():
            if hidden:
                self.journal.hide(self.member.id, self.journal.scene.get(VEIL, Veil()).names | {name})
            self.limit_newcomer(name, changes)
            self.journal.edit(self.member.id, name, **changes)

    def limit_newcomer(self, name: str, changes: Mapping[str, Plain]) -> None:
        """Limit what is shown of somebody before they enter, so that no one sees more of them for a moment."""
        system, level = self.campaign.system, self.campaign.settings.foes
        if level is Exposure.SHEET:
            return
        value = system.value(changes, name, self.journal.state)
        if self._has_sheet(value) and not (system.look.mine and getattr(value, system.look.mine)):
            self.limit((name,), level)

    def set_entry(self, name: str, field: str, key: str, value: Plain) -> None:
        """Set one entry of a field that holds several entries by name; the others do not change."""
        self.check_role("edit", Role.MASTER)
        if name not in self.journal.state:
            raise BadInput("scene", unknown(name, tuple(self.journal.state)))
        entries = write(getattr(self.journal.state[name], field))
        self.edit(name, {field: {**entries, key: value}})

    def pass_time(self, amount: int, unit: str) -> None:
        """Let time pass, for systems that have no action for it; whatever falls due in that time happens."""
        self.check_role("edit", Role.MASTER)
        scene = self.journal.scene
        units = self.campaign.system.units(scene)
        if (found := find_unit(units, unit)) is None:
            raise BadInput("unit", unknown(unit, tuple(each.name for each in units)))
        clock.check_may_pass(scene)
        until = scene[clock.CLOCK].now + amount * found.size
        self.edit(clock.PASSING.name, {"kind": "Passing", "until": until})

    def play_encounter(self, name: str) -> None:
        """Say which of several encounters the table plays."""
        self.check_role("edit", Role.MASTER)
        with self._step():
            self.journal.play(self.member.id, name)

    def end_encounter(self, name: str) -> None:
        """End an encounter, over or not: it leaves the scene, and the story says so. Its open step is cancelled."""
        self.check_role("remove", Role.MASTER)
        here = tuple(each.name for each in encounters(self.journal.scene) if each != clock.PASSING)
        if name not in here:
            raise BadInput("encounter", unknown(name, here))
        with self._step():
            if playing(self.journal.scene) == Who(name, object):
                for step in {each.step for each in self.journal.asking}:
                    if self.journal.record.began(step).by == TABLE:
                        self.journal.cancel(self.member.id, step)
            self.journal.begin(self.member.id, end_encounter.id, {"encounter": name})

    def remove(self, name: str, *, kinds: tuple[str, ...] = ()) -> None:
        """Remove something from the scene; with `kinds`, only if it is of one of these kinds."""
        self.check_role("remove", Role.MASTER)
        if name in HOUSE_NAMES:
            raise BadInput(name, "every scene needs it")
        of_kind = tuple(each for each, value in self.journal.state.items() if type(value).__name__ in kinds)
        if kinds and name not in of_kind:
            raise BadInput("scene", unknown(name, of_kind))
        with self._step():
            self.journal.remove(self.member.id, name)
            self.limit((name,), Exposure.SHEET)

    def hide(self, name: str, *, hidden: bool = True) -> None:
        """Hide something, or let everyone see it."""
        self.check_role("hide", Role.MASTER)
        veil = self.journal.scene.get(VEIL, Veil())
        known = set(self.journal.state) - set(HOUSE_NAMES) if hidden else veil.names
        if name not in known:
            raise BadInput("scene", unknown(name, tuple(sorted(known))))
        with self._step():
            self.journal.hide(self.member.id, veil.names | {name} if hidden else veil.names - {name})

    def expose(self, name: str, level: Exposure) -> None:
        """Say how much of a character's sheet those see who do not play it."""
        self.check_role("hide", Role.MASTER)
        known = tuple(each for each, value in self.journal.state.items() if self._has_sheet(value))
        if name not in known:
            raise BadInput("scene", unknown(name, known))
        with self._step():
            self.limit((name,), level)

    @property
    def foes(self) -> tuple[str, ...]:
        """The characters whom no one plays and that are no player's."""
        played = {name for each in self.campaign.members.values() for name in each.controls}
        mine = self.campaign.system.look.mine
        return tuple(
            name
            for name, value in self.journal.state.items()
            if self._has_sheet(value) and name not in played and not (mine and getattr(value, mine))
        )

    def _has_sheet(self, value: object) -> bool:
        return isinstance(value, self.campaign.system.sheet)

    def limit(self, names: Collection[str], level: Exposure) -> None:
        """Show as much of these people's sheets to others as a level says."""
        found = (limit_of(self.campaign.system.look, name, level) for name in names)
        self.journal.limit(self.member.id, names, (each for each in found if each is not None))

    def house_rules(self, overlay: Mapping[str, Plain]) -> None:
        """Turn options on or off, change figures, add rows."""
        self.check_role("house rules", Role.MASTER)
        with self._step():
            self.journal.opt(self.member.id, **overlay)

    def remove_rows(self, rule: str, path: str) -> None:
        """Remove the rows that this campaign has added to a table of the rulebook."""
        self.check_role("house rules", Role.MASTER)
        book = self.journal.scene[BOOK]
        added = {each: dict(paths) for each, paths in book.added.items()}
        added.get(rule, {}).pop(path, None)
        self.edit(BOOK.name, {"kind": "Book", "options": book.options, "set": book.set, "add": added})

    def recap(self, text: str) -> None:
        """Tell everyone the story so far; the latest recap counts."""
        self.check_role("recap", Role.MASTER)
        if len(text) > LONGEST_RECAP or not text.strip():
            raise BadInput("text", f"must be 1 to {LONGEST_RECAP} characters")
        self.journal.say(RecapWritten(self.member.id, text))
        self.campaign.advance()

    def cancel(self, question: str) -> None:
        """Cancel the step a question belongs to, and revert everything it has changed."""
        self.check_role("cancel", Role.MASTER)
        with self._step():
            self.journal.cancel(self.member.id, self.question(question).step)

    def settings(self, changes: Mapping[str, Plain]) -> None:
        self.check_role("settings", Role.MASTER)
        changed = self.campaign.settings.but(changes)
        is_other = changed.foes is not self.campaign.settings.foes
        self.journal.say(SettingsChanged(self.member.id, changed.to_plain()))
        self.campaign.advance()
        if is_other:
            with self._step():
                self.limit(self.foes, changed.foes)

    def seat(self, seat: str, /, **changes: Plain) -> None:
        """Change a seat. Players change their own name and dice; only the game master changes roles and characters."""
        before = self.other(seat)
        if seat != self.member.id or not set(changes) <= CHANGED_BY_ONESELF:
            self.check_role("seat", Role.MASTER)
        if self.member.is_master:
            self._check_in_scene(changes.get("controls", ()))
        self._change_seat(before, changes)

    def hand_over(self, to: str, character: str | None = None, *, table: bool = False) -> None:
        """Let someone else play a character from now on, or take over as game master."""
        self.check_role("hand over", Role.MASTER)
        self.other(to)
        if character is None and not table:
            raise BadInput("character", "say whom, or that it is the table")
        if character is not None:
            self._check_in_scene((character,))
            for each in list(self.campaign.members.values()):
                if character in each.controls and each.id != to:
                    self._change_seat(each, {"controls": sorted(each.controls - {character})})
            self._change_seat(self.other(to), {"controls": sorted(self.other(to).controls | {character})})
        if table and to != self.member.id:
            self._change_seat(self.other(to), {"role": Role.MASTER.value})
            self._change_seat(self.member, {"role": Role.PLAYER.value})

    def dismiss(self, seat: str) -> None:
        """Remove a seat from the table."""
        self.other(seat)
        if seat != self.member.id:
            self.check_role("dismiss", Role.MASTER)
        left: dict[str, Member] = {name: each for name, each in self.campaign.members.items() if name != seat}
        check_table(left)
        self.journal.say(SeatRemoved(self.member.id, seat))
        self.campaign.advance()

    def check_invitation(self, controls: Iterable[str], uses: int) -> None:
        """An invitation may only offer characters in the scene, and each character is played by one person."""
        self.check_role("invite", Role.MASTER)
        self._check_in_scene(controls)
        if controls and uses > 1:
            raise BadInput("uses", "a character is played by one; such a code is used once")

    def _check_in_scene(self, names: Iterable[str]) -> None:
        for name in names:
            if name not in self.journal.state:
                raise BadInput("controls", unknown(name, tuple(self.journal.state)))

    def _change_seat(self, before: Member, changes: Mapping[str, Plain]) -> None:
        changed = before.but(changes)
        check_table({**self.campaign.members, before.id: changed})
        self.journal.say(SeatTaken(self.member.id, changed.data, changed=True))
        self.campaign.advance()
        if limited := [name for name in changed.controls - before.controls if name in limits_in(self.journal.state)]:
            with self._step():  # whom somebody plays is no foe any more
                self.limit(limited, Exposure.SHEET)


def _choices(
    action: Action[Any], scene: Scene, who: Who[Any] | None, given: Mapping[str, Any] | None = None
) -> dict[str, Plain]:
    found = action.choices(scene, who, given)
    return {name: [write(each) for each in options] for name, options in found.items()}


def _described(action: Action[Any], scene: Scene, who: Who[Any] | None) -> dict[str, Plain]:
    """An action with the choices for its arguments, or why it may not be taken."""
    plain: dict[str, Plain] = dict(action.description())
    try:
        why = action.may(scene, who)
        if why is not None:
            return {
                **plain,
                "legal": False,
                "because": why.because,
                "barred_by": why.rule,
                "alternatives": list(why.legal),
            }
        choices = _choices(action, scene, who)
    except NotKnown as unknown_to:
        return {**plain, "legal": True, "unknown": unknown_to.what}
    return {**plain, "legal": True, "choices": choices}


def _check_house_name(name: str, changes: Mapping[str, Plain]) -> None:
    """The values that every scene has keep their kind: no character may be called `clock`."""
    if name in HOUSE_NAMES and changes.get("kind", HOUSE_NAMES[name].__name__) != HOUSE_NAMES[name].__name__:
        raise BadInput("name", f"{name} is a reserved name; use another")


def new_seat(campaign: Campaign, by: str, name: str, role: Role, controls: frozenset[str] = frozenset()) -> str:
    """Someone takes a new seat; returns the id of the seat."""
    seat = token_hex(4)
    member = Member(seat, name, role, controls)
    check_table({**campaign.members, seat: member})
    campaign.journal.say(SeatTaken(by or seat, member.data))
    campaign.advance()
    return seat


P = ParamSpec("P")


@final
class DeskCommand:
    """A method of the desk and its arguments: `DeskCommand(Desk.act, "attack", "otis", {"target": "raider"})`."""

    def __init__(self, method: Callable[Concatenate[Desk, P], object], *args: P.args, **kwargs: P.kwargs) -> None:
        self._method: Final[Callable[..., object]] = method
        self._args: Final[tuple[Any, ...]] = args
        self._kwargs: Final[dict[str, Any]] = kwargs

    def perform(self, desk: Desk) -> None:
        """Call the method on a desk."""
        self._method(desk, *self._args, **self._kwargs)
