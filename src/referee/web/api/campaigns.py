"""Campaigns: start one, list your own, see the table from your seat."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Header, Query, Request, Response, Security
from starlette.concurrency import run_in_threadpool

from referee import registry
from referee.core.errors import BadInput
from referee.table.members import Role
from referee.web.demo import empty_scene, sample_scene
from referee.web.errors import RESPONSES, not_seated
from referee.web.limits import address_of
from referee.web.routes import API, CheckedRoute
from referee.web.sign_in import (
    BEARER,
    COOKIE_SCHEME,
    ActingVisitor,
    CurrentVisitor,
    IdempotencyKey,
    check_origin,
    remember_seat,
    request_digest,
    seated_sessions,
    secrets_of,
    stranger_key,
)
from referee.web.state import server_state
from referee.web.stream import whole_view
from referee.wire import replies, requests

router = APIRouter(prefix=f"{API}/campaigns", tags=["campaigns"], route_class=CheckedRoute, responses=RESPONSES)


@router.post("", status_code=201, summary="Begin a campaign, as its game master")
async def begin(
    sent: requests.NewCampaign, request: Request, response: Response, idempotency_key: IdempotencyKey = None
) -> replies.NewSeat:
    """Starts with a sample of the system, your own scene, or nothing. A browser keeps the seat in its cookie."""
    state = server_state(request)
    check_origin(request, by_cookie=False)
    state.newcomers.take(address_of(request.scope))
    state.check_may_create()
    of = request_digest(request, await request.body())

    def make() -> replies.NewSeat:
        scene = _scene(sent)
        seated = state.hub.create(sent.name, sent.system, scene, sent.master)
        return replies.NewSeat(**seated._asdict())

    made = await run_in_threadpool(state.idempotency.once, stranger_key(request, "begin", idempotency_key), of, make)
    await run_in_threadpool(remember_seat, request, response, made.campaign, made.token)
    return made


def _scene(sent: requests.NewCampaign) -> dict[str, object]:
    system = registry.load(sent.system)
    if sent.sample is not None and sent.scene is not None:
        raise BadInput("scene", "a sample or a scene, not both")
    if sent.sample is not None:
        return sample_scene(system, sent.sample)
    return dict(sent.scene) if sent.scene is not None else empty_scene(system)


@router.get(
    "",
    summary="The campaigns at which you have a seat",
    dependencies=[Security(BEARER), Security(COOKIE_SCHEME)],
)
def mine(request: Request) -> replies.Campaigns:
    state = server_state(request)
    secrets, _ = secrets_of(request)
    known = seated_sessions(state.hub, secrets)
    if not known:
        raise not_seated()
    found = [
        {
            **state.about(each.campaign),
            "seat": each.seat,
            "role": state.hub.read(each.campaign, each.seat, lambda desk: desk.member.role.value),
        }
        for each in known
    ]
    return replies.Campaigns.model_validate({"campaigns": found})


@router.get("/{campaign}", summary="The table as your seat may see it now")
def view(visitor: CurrentVisitor, request: Request, response: Response) -> replies.View:
    found = visitor.read(lambda desk: desk.view())
    response.headers["ETag"] = f'"{found["cursor"]}"'
    return replies.View.model_validate(whole_view(server_state(request).about(visitor.campaign), found))


@router.patch("/{campaign}", summary="Give the campaign another name")
def rename(visitor: ActingVisitor, sent: requests.CampaignChange, request: Request) -> replies.CampaignInfo:
    state = server_state(request)
    state.rename(visitor.campaign, visitor.seat, sent.name)
    return replies.CampaignInfo(**state.about(visitor.campaign), seat=visitor.seat, role=Role.MASTER.value)


@router.get(
    "/{campaign}/events",
    summary="What happens, as it happens",
    response_class=Response,
    responses={
        200: {
            "description": "Server-sent events: `item` (something your seat is told; its id is your count), "
            "`view` (what changed of what you see), `left`, `reset`.",
            "content": {"text/event-stream": {"schema": {"type": "string"}}},
        }
    },
)
async def events(
    visitor: CurrentVisitor,
    request: Request,
    since: Annotated[int | None, Query(ge=0, le=10**9, description="How many items you have.")] = None,
    last_event_id: Annotated[str | None, Header(pattern="^[0-9]{1,9}$", description="The same; it counts.")] = None,
) -> Response:
    """Starts with the whole view. Later `view` events contain only what changed: top-level parts whole, the scene by
    name, null for what is gone. With `Last-Event-ID` (or `since`) every item after it comes first, none twice.
    """
    streams = server_state(request).streams
    have = since if last_event_id is None else int(last_event_id)
    return streams.of(visitor.session, have)
