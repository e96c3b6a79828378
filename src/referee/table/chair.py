"""A chair at the table: whose it is, what its seat may do, and how what it does is refused.

A refusal tells no more than the seat may know. What is refused for a reason it knows is refused in the words of the
rule; what is refused for another is refused without them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from referee.core.audience import Audience
from referee.core.errors import BadInput, NotKnown, RefereeError, Refused
from referee.core.plain import Plain, unknown
from referee.core.rules import Call
from referee.core.scene import Scene, Who
from referee.core.system import Action
from referee.drivers.journal import Open
from referee.drivers.knowledge import hidden_arguments, known_to, refused_to
from referee.drivers.telling import Telling
from referee.table.campaign import Campaign
from referee.table.members import Member, NotAllowed, Role

UNTOLD = "referee.table.secrets"


class LongAgo(BadInput):
    """Something a seat was told before the lines that are in memory; the hub looks further back."""

    def __init__(self, seat: str, item: int) -> None:
        super().__init__("item", "you have been told no such thing lately")
        self.seat = seat
        self.item = item


class Chair:
    """A seat at the table."""

    def __init__(self, campaign: Campaign, seat: str) -> None:
        self.campaign = campaign
        self.journal = campaign.journal
        self._seat = campaign.member(seat).id

    @property
    def member(self) -> Member:
        """Who sits here now; refused once the seat is taken away."""
        return self.campaign.member(self._seat)

    @property
    def telling(self) -> Telling:
        """What this seat has been told."""
        return self.campaign.tellings[self.member.id]

    @property
    def known(self) -> Scene:
        """The scene as this seat knows it."""
        return Scene(known_to(self.journal.state, self.member.seat))

    @contextmanager
    def doing(self) -> Iterator[None]:
        """Something is done, and all goes on from it, even if it was refused in its middle."""
        before = self.journal.count
        try:
            yield
        except RefereeError as why:
            self.campaign.go_on()
            raise self._as_told(why, before) from None
        self.campaign.go_on()

    def _as_told(self, why: RefereeError, before: int) -> RefereeError:
        """A refusal as far as this seat may know it; what was refused at once, it did not see coming."""
        if self.member.is_master:
            return why
        last = self.journal.record.last() if self.journal.count > before else None
        if last is not None and self.member.seat.sees(
            Audience(last.what.get("because", "everyone")), last.what.get("of")
        ):
            return why
        what = why.what if isinstance(why, Refused) else "act"
        return Refused(what, because="something you are not told of stands against it", rule=UNTOLD)

    # What may be done.

    def check_playing(self) -> None:
        if self.campaign.stopped:
            because = "somebody has called a stop"
            raise Refused("play", because=because, rule="referee.table.stop", lawful=("resume, by the game master",))

    def check_role(self, what: str, *roles: Role) -> None:
        if self.member.role not in roles:
            who = " or ".join(role.value for role in roles)
            raise NotAllowed(what, because=f"it is for the {who}", rule="referee.table.seats")

    def check_known(self, action: Action[Any], given: Mapping[str, Plain]) -> Call[Any]:
        """Refuse what this seat knows to be unlawful, by what it knows alone; a step that may be begun otherwise."""
        call: Call[Any] = action.rule(*action.rule.arguments(given))
        if self.member.is_master:
            return call
        for name in hidden_arguments(action.rule, self.member.seat, given):
            if name in given:
                raise NotAllowed(name, because="it is for the game master", rule="referee.table.seats")
        self._check_there(action, call)
        why = self._refusal(action, call) or refused_to(call, given, self.journal.state, (), self.member.seat)
        if why is not None:
            raise why
        return call

    def _check_there(self, action: Action[Any], call: Call[Any]) -> None:
        """Everybody who is named must be there, for all this seat knows."""
        there = self.known.state
        for name, value in zip(action.rule.parameters, call.args, strict=True):
            for who in value if isinstance(value, tuple) else (value,):
                if isinstance(who, Who) and who.name not in there:
                    raise BadInput(name, unknown(who.name, tuple(there)))

    def _refusal(self, action: Action[Any], call: Call[Any]) -> RefereeError | None:
        """What the check of an action says of it, by what this seat knows."""
        who, *others = call.args if not action.master else (None, *call.args)
        try:
            return action.may(self.known, who, **dict(zip(action.parameters, others, strict=True)))
        except NotKnown:
            return None
        except RefereeError as why:
            return why

    # What is meant.

    def action(self, key: str, who: str | None) -> Action[Any]:
        """An action that is this seat's to take."""
        action = self.campaign.system.action(key)
        if action.master:
            self.check_role(key, Role.MASTER)
        elif who is None:
            raise BadInput("who", "say who acts")
        else:
            self.actor(who)
        return action

    def actor(self, who: str | None) -> Who[Any] | None:
        """Somebody this seat plays; nobody is the game master."""
        if who is None:
            self.check_role("act", Role.MASTER)
            return None
        if self.member.role is Role.SPECTATOR or not self.member.seat.answers_for(who):
            mine = sorted(self.member.controls)
            raise NotAllowed("act", because=f"you do not play {who}", rule="referee.table.seats", lawful=mine)
        return self.known.who(who)

    def given(self, action: Action[Any], who: str | None, arguments: Mapping[str, Plain] | None) -> dict[str, Plain]:
        """The arguments of an action, who acts among them."""
        named = {str(name).replace("-", "_"): value for name, value in (arguments or {}).items()}
        if action.master:
            return named
        first = next(iter(action.rule.parameters))
        if first in named:
            raise BadInput(first, "who acts is said apart from the arguments")
        return {first: who, **named}

    def question(self, key: str) -> Open:
        mine = self.campaign.questions(self.member.id)
        if key not in mine:
            raise BadInput("question", unknown(key, mine) if mine else "nothing is asked of you now")
        return mine[key]

    def line(self, item: int) -> int:
        """The line of the log behind something this seat was told."""
        number = self.telling.line_of(item)
        if number is None and 0 <= item < self.telling.before:
            raise LongAgo(self.member.id, item)
        if number is None:
            raise BadInput("item", "you have been told no such thing")
        return number

    def known_seat(self, seat: str) -> Member:
        if seat not in self.campaign.members:
            raise BadInput("seat", unknown(seat, self.campaign.members))
        return self.campaign.members[seat]
