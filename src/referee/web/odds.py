"""Odds during play: what a seat knows is read from the table in one go, and its odds are computed without its lock.

They are given up as soon as whoever asked has left.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from threading import Event
from typing import TypeVar, final

from anyio.to_thread import run_sync
from fastapi import Request

from referee.core.actions import ActionChoice
from referee.core.errors import Cancelled, RefereeError
from referee.core.plain import Plain
from referee.core.system import System
from referee.drivers.stop import Flag
from referee.forecast.curves import curve_query, varied
from referee.forecast.figures import Budget
from referee.forecast.risk import action_query, offers_query
from referee.forecast.transport import Query
from referee.table.desk import Desk
from referee.web.errors import Problem
from referee.web.odds_door import NotLetIn, OddsCaller
from referee.web.odds_service import OddsService
from referee.web.routes import API
from referee.web.sign_in import Visitor
from referee.web.state import server_state
from referee.wire.requests import CurveRequest, OddsRequest

T = TypeVar("T")


@final
@dataclass(frozen=True)
class Beside:
    """Another way to take an action: its arguments, and what would be decided on the way."""

    arguments: Mapping[str, Plain]
    decided: Mapping[str, Plain] = field(default_factory=dict)


@final
@dataclass(frozen=True)
class OddsAsker:
    """Whoever waits for odds: one request, from a table or from a stranger."""

    service: OddsService
    caller: OddsCaller
    gone: Flag
    is_let_in: bool = True
    """False if too many were before them: then they get a page without figures."""

    def ask(self, query: Query, system: System, budget: Budget) -> Plain:
        if not self.is_let_in:
            return query.without("busy").to_plain()
        who = self.caller
        return self.service.card(who.name, query, system, budget, self.gone, is_stranger=who.is_stranger)

    def action(self, visitor: Visitor, sent: OddsRequest, budget: Budget, *, plan: bool = True) -> Plain:
        """The odds of an action, based on what the seat knows; with the best decisions if there is to be a plan."""

        def read(desk: Desk) -> tuple[Query, System]:
            offer = desk.offer(sent.action, sent.who, sent.arguments)
            return action_query(offer, desk.known, desk.member.seat, plan=plan), desk.campaign.system

        return self.ask(*visitor.read(read), budget)

    def beside(
        self, visitor: Visitor, action: str, who: str | None, others: Mapping[str, Beside], budget: Budget
    ) -> Plain:
        """The odds of an action with other arguments, or other decisions on the way; what is refused is left out."""

        def read(desk: Desk) -> tuple[Query, System]:
            offers: dict[str, ActionChoice] = {}
            for key, each in others.items():
                with suppress(RefereeError):
                    offers[key] = desk.offer(action, who, each.arguments)
            query = offers_query(offers, desk.known, desk.member.seat)
            return replace(query, decided={key: others[key].decided for key in offers}), desk.campaign.system

        return self.ask(*visitor.read(read), budget)

    def curve(self, visitor: Visitor, sent: CurveRequest, budget: Budget) -> Plain:
        """The odds of an action along an argument or a field."""

        def read(desk: Desk) -> tuple[Query, System]:
            offer = desk.offer(sent.action, sent.who, sent.arguments)
            places = varied(offer, desk.known, sent.along, sent.values)
            return curve_query(places, desk.member.seat, along=sent.along), desk.campaign.system

        return self.ask(*visitor.read(read), budget)

    def question(self, visitor: Visitor, question: str, budget: Budget, *, plan: bool = True) -> Plain:
        """The odds of each answer to an open question."""

        def read(desk: Desk) -> tuple[Query, System]:
            return desk.question_query(question, plan=plan), desk.campaign.system

        return self.ask(*visitor.read(read), budget)


async def while_waited_for(
    request: Request, whose: tuple[str, str] | str, work: Callable[[OddsAsker], T], *, is_stranger: bool = False
) -> T:
    """Compute odds off the event loop, table by table in turn, and give them up when the one who asked has left.

    `whose` they are is a table and a seat at it (`Visitor.whose`), or a table or a stranger.

    If too many are before them, a program is told how many; a page says of its figures that odds are busy.
    """
    table, seat = (whose, "") if isinstance(whose, str) else whose
    gone, service, caller = Event(), server_state(request).odds, OddsCaller(table, is_stranger, seat)
    asker = OddsAsker(service, caller, gone)
    watching = asyncio.ensure_future(_watch(request, gone))
    try:
        async with service.door.entered(caller, watching):
            return await run_sync(work, asker, limiter=service.threads)
    except Cancelled:
        raise Problem(503, "stopped", "no one waits for these odds any more") from None
    except NotLetIn:
        if request.url.path.startswith(API):
            raise
        return await run_sync(work, replace(asker, is_let_in=False))
    finally:
        gone.set()
        watching.cancel()


async def _watch(request: Request, gone: Event) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
    gone.set()
