"""Odds: for an action before it is taken, for each answer to an open question, along anything that can be varied.

They are computed from what the seat knows, a few at a time, and never delay an action.
"""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request

from referee.forecast.figures import Budget
from referee.web.errors import RESPONSES
from referee.web.limits import check_characters
from referee.web.odds import while_waited_for
from referee.web.routes import CAMPAIGN, CheckedRoute
from referee.web.sign_in import CurrentVisitor
from referee.wire import replies, requests

router = APIRouter(prefix=CAMPAIGN, tags=["odds"], route_class=CheckedRoute, responses=RESPONSES)
Seconds = Annotated[float, Query(gt=0, le=5, description="How long exact odds may take; past it they are sampled.")]


@router.post("/odds", summary="What an action would do")
async def odds(
    visitor: CurrentVisitor, sent: requests.OddsRequest, request: Request, seconds: Seconds = 1.0
) -> replies.OddsCard:
    """Nothing is changed. If a figure is secret from you, you get a curve over its possible values."""
    card = await while_waited_for(request, visitor.whose, lambda odds: odds.action(visitor, sent, Budget(seconds)))
    return replies.OddsCard.model_validate(card)


@router.get("/odds", summary="What each answer to an open question would bring")
async def odds_at(
    visitor: CurrentVisitor,
    request: Request,
    question: Annotated[str, Query(min_length=1, max_length=200, description="The key of a question put to you.")],
    seconds: Seconds = 1.0,
) -> replies.OddsCard:
    key = check_characters(question, "question")
    card = await while_waited_for(request, visitor.whose, lambda odds: odds.question(visitor, key, Budget(seconds)))
    return replies.OddsCard.model_validate(card)


@router.post("/curves", summary="How the odds of an action move with an argument or a field")
async def curve(
    visitor: CurrentVisitor, sent: requests.CurveRequest, request: Request, seconds: Seconds = 2.0
) -> replies.CurveReply:
    found = await while_waited_for(request, visitor.whose, lambda odds: odds.curve(visitor, sent, Budget(seconds)))
    return replies.CurveReply.model_validate(found)
