"""Forecasts of encounters: begin one, see how far it is, end it."""

from __future__ import annotations

from anyio.to_thread import run_sync
from fastapi import APIRouter, Request

from referee.web.errors import RESPONSES
from referee.web.forecasts import plans_for, told
from referee.web.routes import CAMPAIGN, CheckedRoute
from referee.web.sign_in import CurrentVisitor
from referee.web.state import server_state
from referee.wire import replies, requests

router = APIRouter(prefix=CAMPAIGN, tags=["odds"], route_class=CheckedRoute, responses=RESPONSES)


@router.post("/forecast", summary="How the encounter in the scene would go")
async def begin_forecast(
    visitor: CurrentVisitor, sent: requests.ForecastRequest, request: Request
) -> replies.ForecastReply:
    """It is worked on while play continues, from what you know; ask for it again to see how far it is.

    A table works on one at a time, the server on a few: until its turn it waits, and says at which place.
    """
    forecasts = server_state(request).forecasts

    def begin() -> None:
        plans = visitor.read(lambda desk: plans_for(desk, sent.encounter or "", sent.changes, sent.compare))
        forecasts.start(visitor.whose, plans, sent.fights)

    await run_sync(begin)
    return replies.ForecastReply.model_validate(told(forecasts, visitor.whose))


@router.get("/forecast", summary="How far your forecast is, and what is known so far")
def forecast(visitor: CurrentVisitor, request: Request) -> replies.ForecastReply:
    visitor.check_seated()
    return replies.ForecastReply.model_validate(told(server_state(request).forecasts, visitor.whose))


@router.delete("/forecast", status_code=204, summary="End your forecast; what is known so far stays")
def end_forecast(visitor: CurrentVisitor, request: Request) -> None:
    visitor.check_seated()
    server_state(request).forecasts.stop(visitor.whose)
