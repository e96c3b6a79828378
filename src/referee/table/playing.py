"""What everybody at the table may do: act, answer, roll, speak, ask what would be, and go back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from referee.core.errors import BadInput, NotKnown, RefereeError, Refused
from referee.core.plain import Plain, unknown, write
from referee.core.scene import Scene, Who
from referee.core.system import Action, Offer
from referee.drivers.journal import CLOCK, DICE
from referee.drivers.knowledge import known_question
from referee.drivers.risk import NORMAL, Budget, odds_at, odds_of
from referee.drivers.riskcard import RiskCard
from referee.table.campaign import TABLE
from referee.table.chair import Chair, LongAgo
from referee.table.free import free_roll
from referee.table.members import Role
from referee.table.settings import MayUndo

LONGEST_NOTE: Final = 10_000
MOST_NOTES: Final = 100
NOBODYS: Final = (DICE, TABLE, CLOCK)
"""Who does what nobody decides."""


class Playing(Chair):
    """The players' side of the table."""

    def act(self, action: str, who: str | None = None, arguments: Mapping[str, Plain] | None = None) -> None:
        """Take an action: a character's by who plays them, the game master's by the game master."""
        self.check_playing()
        found = self.action(action, who)
        given = self.given(found, who, arguments)
        _ = self.check_known(found, given)
        with self.doing():
            self.journal.begin(self.member.id, found.rule.id, given)

    def answer(self, question: str, answer: Plain) -> None:
        """Answer a question that is put to this seat. A throw that is held stands if nothing else is said."""
        self.check_playing()
        waiting = self.question(question)
        if (waiting.step, waiting.part) in self.journal.held and answer is None:
            with self.doing():
                self.journal.let_stand(self.member.id, waiting.step, waiting.part)
            return
        asked = known_question(waiting.question, self.journal.state, self.member.seat)
        given = asked.write(asked.read(answer))  # by what is known to be lawful: no error tells of other options
        with self.doing():
            self.journal.answer(self.member.id, waiting.step, given, waiting.part)

    def roll(self, *dice: str, hidden: bool = False) -> None:
        """Throw plain dice, for no rule: `3d6`. Only the game master may hide them, and then nobody hears of it."""
        self.check_playing()
        self.check_role("roll", *((Role.MASTER,) if hidden else (Role.MASTER, Role.PLAYER)))
        given = {"dice": list(dice), "hidden": hidden}
        free_roll.arguments(given)
        self.journal.begin(self.member.id, free_roll.id, given, secret=hidden)
        self.campaign.go_on()

    def standing(self, prompt: str, answer: Plain) -> None:
        """Leave an answer for whenever a question of that name is asked; None takes it back."""
        self.check_role("standing", Role.MASTER, Role.PLAYER)
        standing = {**self.member.standing, prompt: answer}
        kept = {name: each for name, each in standing.items() if each is not None}
        self.journal.say(self.member.id, "standing", seat=self.member.id, standing=kept, to=[self.member.id])
        self.campaign.go_on()

    def write_down(self, about: str, text: str) -> None:
        """Keep something for oneself about somebody; the game master may read it. An empty text takes it away."""
        self.check_role("notes", Role.MASTER, Role.PLAYER)
        if about not in self.known.state:
            raise BadInput("who", unknown(about, tuple(self.known.state)))
        if len(text) > LONGEST_NOTE:
            raise BadInput("text", f"at most {LONGEST_NOTE} letters expected")
        notes = {name: each for name, each in {**self.member.notes, about: text.strip()}.items() if each}
        if len(notes) > MOST_NOTES:
            raise BadInput("who", f"at most {MOST_NOTES} notes are kept; take one away first")
        self.journal.say(self.member.id, "notes", seat=self.member.id, notes=notes, to=[self.member.id])
        self.campaign.go_on()

    def note(self, text: str, *, to: list[str] | None = None, file: str | None = None) -> None:
        """Say something to everybody, or to some; a picture may be handed out with it."""
        if len(text) > LONGEST_NOTE or not (text.strip() or file):
            raise BadInput("text", f"1 to {LONGEST_NOTE} letters expected")
        for seat in to or ():
            self.known_seat(seat)
        what: dict[str, Plain] = {"text": text}
        what |= {"to": list(to)} if to is not None else {}
        what |= {"file": file} if file else {}
        self.journal.say(self.member.id, "note", **what)
        self.campaign.go_on()

    def stop(self) -> None:
        """Call a stop. Anybody may; nothing goes on until the game master has seen to it."""
        if not self.campaign.stopped:
            self.journal.say(self.member.id, "stopped")
        self.campaign.go_on()

    def resume(self) -> None:
        """Go on: after a stop, by the game master; after an undo that has left dice to fall, by who may go back."""
        self.check_role("resume", *((Role.MASTER,) if self.campaign.stopped else self._may_go_back()))
        if self.campaign.stopped:
            self.journal.say(self.member.id, "resumed")
        elif self.campaign.went_back and (self.member.is_master or self.telling.went_back):
            self.journal.say(TABLE, "resumed", seat=self.member.id, to=[])  # of what was undone, not all may know
        self.campaign.go_on()

    # Asking.

    def view(self) -> dict[str, Plain]:
        return self.campaign.view(self.member.id)

    def actions(self, who: str | None) -> list[dict[str, Plain]]:
        """What a character (or the game master) may do now, and why not the rest, by what this seat knows."""
        scene = self.known
        actor = self.actor(who)
        return [
            _described(action, scene, actor)
            for action in self.campaign.system.actions
            if action.master is (actor is None)
        ]

    def odds(
        self, action: str, who: str | None, arguments: Mapping[str, Plain] | None = None, budget: Budget = NORMAL
    ) -> RiskCard:
        """What an action would do, by what this seat knows."""
        offer = self.offer(action, who, arguments)
        return odds_of(offer, self.journal.state, self.member.seat, budget=budget)

    def offer(self, action: str, who: str | None, arguments: Mapping[str, Plain] | None = None) -> Offer:
        """An action as this seat would take it. The odds of it can be worked out while play goes on."""
        found = self.action(action, who)
        given = self.given(found, who, arguments)
        call = self.check_known(found, given)
        named = {name: value for name, value in zip(found.rule.parameters, call.args, strict=True) if name in given}
        actor = None if found.master else named.pop(next(iter(named)))
        return found.by(actor, **named)

    def odds_at(self, question: str, budget: Budget = NORMAL) -> RiskCard:
        """What each answer to an open question would bring."""
        return odds_at(self.journal, self.question(question), self.member.seat, budget=budget)

    # Going back.

    def would_undo(self, item: int) -> list[dict[str, Plain]]:
        """What would go with an item: itself and everything after it, as this seat has been told."""
        gone = {number for number, _ in self.journal.would_undo(self.line(item))}
        return [told for told, place in zip(self.telling.items, self.telling.places, strict=True) if place in gone]

    def may_undo(self, item: int) -> RefereeError | None:
        """None if this seat may go back to before an item, or why it may not."""
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
        self.journal.undo(self.member.id, number)
        self.campaign.go_on()

    def redo(self) -> None:
        """Take back the last undo. Only the game master may: what has happened since, others may not know of."""
        self.check_role("redo", Role.MASTER)
        self.journal.redo(self.member.id)
        self.campaign.go_on()

    def _may_go_back(self) -> tuple[Role, ...]:
        is_masters = self.campaign.settings.undo is MayUndo.MASTER
        return (Role.MASTER,) if is_masters else (Role.MASTER, Role.PLAYER)

    def _may_undo_all(self) -> bool:
        return self.member.is_master or self.campaign.settings.undo is MayUndo.ANYONE

    def _check_undo(self, number: int) -> None:
        """By the table's setting: the game master anything, others all, or their own last decision, or nothing.

        What the dice showed belongs to the decision before it. What a seat was not told of cannot be in its way.
        """
        self.check_role("undo", *self._may_go_back())
        if self._may_undo_all():
            return
        told = set(self.telling.places)
        decided = [(at, line.by) for at, line in self.journal.story if at in told and line.by not in NOBODYS]
        later = {by for at, by in decided if at >= number} or {by for _, by in decided[-1:]}
        if later != {self.member.id}:
            raise Refused("undo", because="others have decided since", rule="referee.table.undo")


def _described(action: Action[Any], scene: Scene, who: Who[Any] | None) -> dict[str, Plain]:
    """An action with what may be given for it, or why it may not be taken."""
    plain: dict[str, Plain] = dict(action.description())
    try:
        why = action.may(scene, who)
        if why is not None:
            return {**plain, "lawful": False, "because": why.because, "by": why.rule, "instead": list(why.lawful)}
        choices = {name: [write(each) for each in options] for name, options in action.choices(scene, who).items()}
    except NotKnown as unknown_to:
        return {**plain, "lawful": True, "unknown": unknown_to.what}
    return {**plain, "lawful": True, "choices": choices}
