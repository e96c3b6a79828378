"""Odds during play: their inputs are read from the table in one go, and they are computed without holding its lock."""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Callable
from threading import Lock
from typing import Final, final

from referee.core.actions import ActionChoice
from referee.core.plain import Plain
from referee.core.scene import State
from referee.core.visibility import Seat
from referee.forecast.curves import curve, varied
from referee.forecast.figures import Budget
from referee.forecast.risk import odds_later, odds_of
from referee.forecast.risk_card import RiskCard
from referee.table.desk import Desk
from referee.web.sign_in import Visitor
from referee.wire.requests import CurveRequest, OddsRequest

KEPT: Final = 256


@final
class OddsCache:
    """Cached odds by scene: another scene is another key, and the oldest entries are dropped."""

    def __init__(self, most: int = KEPT) -> None:
        self.most = most
        self._lock = Lock()
        self._found: OrderedDict[object, Plain] = OrderedDict()

    def get(self, key: object, work: Callable[[], Plain]) -> Plain:
        with self._lock:
            if key in self._found:
                self._found.move_to_end(key)
                return self._found[key]
        found = work()
        with self._lock:
            self._found[key] = found
            while len(self._found) > self.most:
                self._found.popitem(last=False)
        return found


KNOWN: Final = OddsCache()


def card_of(visitor: Visitor, sent: OddsRequest, budget: Budget) -> Plain:
    """The odds of an action, based on what the seat knows."""
    offer, state, seat = visitor.read(lambda desk: _offered(desk, sent))
    key = ("of", state, seat, budget, _said(sent))
    return KNOWN.get(key, lambda: odds_of(offer, state, seat, budget=budget).to_plain())


def curve_of(visitor: Visitor, sent: CurveRequest, budget: Budget) -> Plain:
    """The odds of an action along an argument or a field."""
    offer, state, seat = visitor.read(lambda desk: _offered(desk, sent))

    def work() -> Plain:
        return curve(varied(offer, state, sent.along, sent.values), seat, along=sent.along, budget=budget).to_plain()

    return KNOWN.get(("curve", state, seat, budget, _said(sent)), work)


def card_at(visitor: Visitor, question: str, budget: Budget) -> Plain:
    """The odds of each answer to an open question."""

    def asked(desk: Desk) -> tuple[object, Callable[[Budget], RiskCard]]:
        waiting = desk.question(question)
        answered = sum(1 for _ in desk.journal.record.of_step(waiting.step))
        key = (
            "at",
            visitor.campaign,
            waiting.step,
            waiting.part,
            answered,
            desk.journal.state,
            desk.member.seat,
            budget,
        )
        return key, odds_later(desk.journal, waiting, desk.member.seat)

    key, later = visitor.read(asked)
    return KNOWN.get(key, lambda: later(budget).to_plain())


def _offered(desk: Desk, sent: OddsRequest) -> tuple[ActionChoice, State, Seat]:
    return desk.offer(sent.action, sent.who, sent.arguments), desk.journal.state, desk.member.seat


def _said(sent: OddsRequest) -> str:
    return json.dumps(sent.model_dump(), sort_keys=True)
