"""Forecasts of encounters: begin one, see how far it is, end it."""

from __future__ import annotations

from anyio.to_thread import run_sync
from fastapi import APIRouter, Request

from referee.web.errors import RESPONSES
from referee.web.forecasts import told
from referee.web.limits import CheckedRoute
from referee.web.sign_in import CurrentVisitor
from referee.web.state import server_state
from referee.wire import replies, requests

router = APIRouter(prefix="/campaigns/{campaign}", tags=["odds"], route_class=CheckedRoute, responses=RESPONSES)


@router.post("/forecast", summary="How the encounter in the scene would go")
async def begin_forecast(
    visitor: CurrentVisitor, sent: requests.ForecastRequest, request: Request
) -> replies.ForecastReply:
    """It is worked on while play continues, from what you know; ask for it again to see how far it is."""
    forecasts = server_state(request).forecasts
    begun = await run_sync(
        lambda: forecasts.start(visitor, sent.changes, sent.compare, sent.fights, sent.encounter or "")
    )
    return replies.ForecastReply.model_validate(told(begun))


@router.get("/forecast", summary="How far your forecast is, and what is known so far")
async def forecast(visitor: CurrentVisitor, request: Request) -> replies.ForecastReply:
    visitor.check_seated()
    return replies.ForecastReply.model_validate(told(server_state(request).forecasts.of(visitor)))


@router.delete("/forecast", summary="End your forecast; what is known so far stays")
async def end_forecast(visitor: CurrentVisitor, request: Request) -> replies.ForecastReply:
    visitor.check_seated()
    forecasts = server_state(request).forecasts
    await run_sync(forecasts.stop, visitor)
    return replies.ForecastReply.model_validate(told(forecasts.of(visitor)))
