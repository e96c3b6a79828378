"""What every seat does: play, answer, talk, stop, and ask what it may do and with which odds.

Anything it may not do is refused here, with the reason. What a seat does besides has modules of its own, which take a
desk: `master_desk`, `seat_desk`, `undo_desk`, `draft_desk`, `notebook_desk`, `portrait_desk`,
`encounter_desk`, `evening_desk`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Any, Concatenate, Final, ParamSpec, final

from referee.core.actions import Action, ActionChoice
from referee.core.errors import BadInput, NotKnown, RefereeError, Refused, RuleFault
from referee.core.knowledge import KnownState, hidden_arguments, known_question, known_to, refused_to
from referee.core.plain import Plain, read, unknown, write
from referee.core.questions import Question, Ruling, asked_by, key_of
from referee.core.rules import Call
from referee.core.scene import Scene, Who
from referee.core.visibility import hidden_names
from referee.forecast.figures import NORMAL, Budget
from referee.forecast.question_odds import question_query
from referee.forecast.risk import OddsQuery, odds_of
from referee.forecast.risk_card import RiskCard
from referee.journal.lines import (
    AnswerGiven,
    NoteSaid,
    PlayResumed,
    PlayStopped,
    PrivateNotes,
    StandingAnswers,
)
from referee.journal.steps import TABLE, Handling, Open
from referee.table.campaign import Campaign
from referee.table.free_roll import free_roll
from referee.table.members import Member, NotAllowed, Role, UnknownSeat
from referee.views.feed import Feed
from referee.views.questions import knows_rule
from referee.wire.limits import LONGEST_NOTE, LONGEST_TITLE

UNTOLD: Final = "referee.table.secrets"
MOST_NOTES: Final = 100
MOST_STANDING: Final = 100


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
    def known(self) -> KnownState:
        """The scene as this seat knows it: whatever computes for a seat is given this."""
        return known_to(self.journal.state, self.member.seat)

    @property
    def members(self) -> dict[str, Member]:
        """Who sits at the table; nobody is told who plays somebody hidden."""
        hidden = frozenset[str]() if self.member.is_master else hidden_names(self.journal.state)
        return {each.id: replace(each, controls=each.controls - hidden) for each in self.campaign.members.values()}

    @contextmanager
    def step(self) -> Iterator[None]:
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
        call: Call[Any] = action.rule(*action.arguments(Scene(self.known), given))
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
        there = self.known
        for name, value in zip(action.rule.parameters, call.args, strict=True):
            for who in value if isinstance(value, tuple) else (value,):
                if isinstance(who, Who) and who.name not in there:
                    raise BadInput(name, unknown(who.name, tuple(there)))

    def _refusal(self, action: Action[Any], call: Call[Any]) -> RefereeError | None:
        """What an action's own check says, using what this seat knows."""
        who, *others = call.args if not action.master else (None, *call.args)
        try:
            return action.may(Scene(self.known), who, **dict(zip(action.parameters, others, strict=True)))
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
        return Scene(self.known).who(who)

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
        values = dict(zip(found.rule.parameters, call.args, strict=True))
        spelled = {name: write(values[name]) for name in found.picks if name in given}
        with self.step():
            secret = found.is_secret(self.journal.scene, call)
            self.journal.begin(self.member.id, found.rule.id, {**given, **spelled}, secret=secret, call=call)

    def act_ahead(
        self, action: str, who: str | None, arguments: Mapping[str, Plain] | None, ahead: Mapping[str, Plain]
    ) -> None:
        """Take an action, and with it answer what the same person is asked next, by prompt, as far as that is asked."""
        self.act(action, who, arguments)
        self._answer_next(who or Role.MASTER.value, ahead)

    def answer_all(self, answers: Mapping[str, Plain]) -> None:
        """Answer questions that stand open at the same moment; one that somebody has answered meanwhile is left out."""
        for question, answer in answers.items():
            if question in self.campaign.questions(self.member.id):
                self.answer(question, answer)

    def _answer_next(self, who: str, ahead: Mapping[str, Plain]) -> None:
        for prompt, value in ahead.items():
            key = f"{who}.{prompt}"
            if key in self.campaign.questions(self.member.id):
                with suppress(RefereeError):  # then it is asked like anything else
                    self.answer(key, value)

    def answer_ahead(self, question: str, answer: Plain, ahead: Mapping[str, Plain]) -> None:
        """Answer a question, and with it what the same person is asked next, by prompt, as far as that is asked."""
        who = self.question(question).question.who
        self.answer(question, answer)
        self._answer_next(who.name if who else Role.MASTER.value, ahead)

    def answer(self, question: str, answer: Plain) -> None:
        """Answer a question this seat is asked. Without an answer, what the table proposes is accepted.

        It proposes a held throw as thrown, and the default of a ruling unless the settings leave it open.
        """
        self.check_playing()
        if question not in self.campaign.questions(self.member.id):
            self._check_not_asked(question, answer)
        waiting = self.question(question)
        if (waiting.step, waiting.part) in self.journal.held and answer is None:
            with self.step():
                self.journal.accept_throw(self.member.id, waiting.step, waiting.part)
            return
        asked = self._asked(waiting)
        if answer is None and isinstance(asked, Ruling):
            if self.campaign.settings.ruling(str(asked.name)) is Handling.LEAVE:
                raise asked.bad("an answer is needed", map(key_of, asked.options))
            answer = asked.write(asked.default)
        given = asked.write(asked.read(answer))  # by what is known to be legal: no error reveals other options
        with self.step():
            self.journal.answer(self.member.id, waiting.step, given, waiting.part)

    def asked(self) -> dict[str, Open]:
        """The open questions that this seat answers, as it knows them, by the keys by which they are answered."""
        seat, state = self.member.seat, self.journal.state
        found = self.campaign.questions(self.member.id)
        return {key: each._replace(question=known_question(each.question, state, seat)) for key, each in found.items()}

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
        if answer is not None and self.campaign.went_back:
            self._answer_now(prompt, answer)

    def _answer_now(self, prompt: str, answer: Plain) -> None:
        """Answer what is asked already. After an undo nothing is answered by itself, but this has just been decided."""
        for key, each in self.campaign.questions(self.member.id).items():
            who = each.question.who
            if str(each.question.name) == prompt and who and self.campaign.answers_for(self.member, who.name):
                with suppress(RefereeError):  # then it is asked like anything else
                    self.answer(key, answer)
                return

    def write_down(self, about: str, text: str) -> None:
        """Write a private note about a character, which the game master may read. An empty text deletes it."""
        self.check_role("notes", Role.MASTER, Role.PLAYER)
        if about not in self.known:
            raise BadInput("who", unknown(about, tuple(self.known)))
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
        self.check_role("resume", *((Role.MASTER,) if self.campaign.stopped else self.campaign.settings.undo.roles))
        if self.campaign.stopped:
            self.journal.say(PlayResumed(self.member.id))
        elif self.is_kept_waiting:
            self.journal.say(PlayResumed(TABLE, self.member.id, to=()))  # not everyone may know what was undone
        self.campaign.advance()

    @property
    def is_kept_waiting(self) -> bool:
        """Whether play waits after an undo that this seat was told of."""
        return self.campaign.went_back and (self.member.is_master or self.feed.went_back)

    @property
    def lines(self) -> int:
        """How many lines the log has. The game master alone is told: hidden ones count, too."""
        return self.campaign.journal.count if self.member.is_master else 0

    @property
    def may_resume(self) -> bool:
        """Whether play waits after an undo, and this seat may let it go on."""
        return self.is_kept_waiting and self.member.role in self.campaign.settings.undo.roles

    # Asking.

    def view(self) -> dict[str, Plain]:
        return self.campaign.view(self.member.id)

    def actions(self, who: str | None) -> list[dict[str, Plain]]:
        """What a character (or the game master) may do now, and why not the rest, according to what this seat knows."""
        scene = Scene(self.known)
        actor = self.actor(who)
        return [
            _described(action, scene, actor) for action in self.campaign.system.actions_in(scene, master=actor is None)
        ]

    def choices(self, action: str, who: str | None, arguments: Mapping[str, Plain] | None = None) -> dict[str, Plain]:
        """What may be picked for each argument once some are picked, and why not the rest; as this seat knows it."""
        found, scene = self.action(action, who), Scene(self.known)
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
        return odds_of(offer, self.known, self.member.seat, budget=budget)

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
        return self.question_query(question).card(budget)

    def question_query(self, question: str, *, plan: bool = True) -> OddsQuery:
        """The odds for each answer to an open question, to be computed while play continues."""
        return question_query(self.journal, self.question(question), self.member.seat, plan=plan)


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
    except RuleFault as why:
        return {**plain, "legal": False, "because": str(why), "barred_by": why.rule, "alternatives": []}
    return {**plain, "legal": True, "choices": choices}


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
