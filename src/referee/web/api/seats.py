"""Seats: who sits at the table, invitations, joining."""

from __future__ import annotations

from typing import Annotated, Final

from fastapi import APIRouter, Path, Request, Response
from starlette.concurrency import run_in_threadpool

from referee.core.errors import Refused
from referee.table import seat_desk
from referee.table.desk import DeskCommand
from referee.table.members import Role
from referee.web.addresses import Reach, reach
from referee.web.errors import RESPONSES, not_found
from referee.web.limits import address_of
from referee.web.routes import API, CheckedRoute
from referee.web.sign_in import (
    ActingVisitor,
    CurrentVisitor,
    IdempotencyKey,
    check_origin,
    remember_seat,
    request_digest,
    stranger_key,
)
from referee.web.state import server_state
from referee.wire import replies, requests

router = APIRouter(prefix=API, tags=["seats"], route_class=CheckedRoute, responses=RESPONSES)
SeatId = Annotated[str, Path(max_length=64, description="The id of a seat.")]
ShortId = Annotated[str, Path(max_length=64, description="The id it was listed with.")]
SHORT: Final = 16
"""How many characters of a digest are enough to tell it from others."""


@router.post("/join", status_code=201, summary="Join a campaign by a code, with a name")
async def join(
    sent: requests.JoinRequest, request: Request, response: Response, idempotency_key: IdempotencyKey = None
) -> replies.NewSeat:
    """A browser keeps the seat in its cookie; a program stores the token."""
    state = server_state(request)
    check_origin(request, by_cookie=False)
    state.newcomers.take(address_of(request.scope))
    of = request_digest(request, await request.body())

    def make() -> replies.NewSeat:
        try:
            return replies.NewSeat(**state.hub.join(sent.code, sent.name)._asdict())
        except Refused as why:
            if why.what == "join":
                raise not_found(why.because, where="code", legal=("ask the game master for a new one",)) from None
            raise

    made = await run_in_threadpool(state.idempotency.once, stranger_key(request, "join", idempotency_key), of, make)
    await run_in_threadpool(remember_seat, request, response, made.campaign, made.token)
    return made


@router.get("/campaigns/{campaign}/seats", summary="Who sits at the table")
def seats(visitor: CurrentVisitor) -> replies.Seats:
    found = visitor.read(lambda desk: desk.campaign.seats(desk.member.id))
    return replies.Seats.model_validate({"seats": found})


@router.patch("/campaigns/{campaign}/seats/{seat}", summary="Change a seat")
def change(visitor: ActingVisitor, seat: SeatId, sent: requests.SeatChange) -> replies.Done:
    """Your own name and dice; the game master may change anything."""
    changes = sent.model_dump(exclude={"expected"}, exclude_none=True)
    return visitor.act(DeskCommand(seat_desk.change_seat, seat, **changes), sent.expected)


@router.delete("/campaigns/{campaign}/seats/{seat}", summary="Take a seat away, or leave one's own")
def dismiss(visitor: ActingVisitor, seat: SeatId) -> replies.Done:
    """Its tokens stop working, and its streams end."""
    done = visitor.act(DeskCommand(seat_desk.dismiss, seat))
    visitor.hub.revoke_seat(visitor.campaign, seat)
    return done


@router.post("/campaigns/{campaign}/handover", summary="Hand over a character, or the table itself")
def hand_over(visitor: ActingVisitor, sent: requests.HandoverRequest) -> replies.Done:
    """For the game master: let someone else play a character from now on, or be game master instead of you."""
    return visitor.act(DeskCommand(seat_desk.hand_over, sent.to, sent.character, table=sent.table), sent.expected)


# --- invitations ------------------------------------------------------------------------------------------------------


@router.post("/campaigns/{campaign}/invitations", status_code=201, summary="Invite somebody")
def invite(visitor: ActingVisitor, sent: requests.NewInvitation, request: Request) -> replies.InvitationCode:
    """A code with which someone can join, and a link with it; shown only this once, but for the code that stays."""

    def make() -> replies.InvitationCode:
        code = (
            visitor.hub.invite_standing(visitor.campaign, visitor.seat)
            if sent.stays
            else visitor.hub.invite(
                visitor.campaign, visitor.seat, Role(sent.role), frozenset(sent.controls), sent.uses
            )
        )
        return replies.InvitationCode(code=code, link=f"{reach_of(request).first}/join/{code}")

    return visitor.once(server_state(request).idempotency, make)


def reach_of(request: Request) -> Reach:
    """Where others reach this server."""
    port = (request.scope.get("server") or ("", 0))[1] or 0
    return reach(request.headers.get("host", ""), request.url.scheme, server_state(request).settings, port)


@router.get("/campaigns/{campaign}/invitations", summary="Invitations that are still open")
def invitations(visitor: CurrentVisitor) -> replies.Invitations:
    visitor.check_master("invitations")
    now = visitor.hub.clock()
    found = [
        {
            "id": each.digest[:SHORT],
            "controls": list(each.controls),
            **{name: getattr(each, name) for name in ("role", "uses", "expires")},
        }
        for each in visitor.hub.store.invitations(visitor.campaign)
        if each.uses > 0 and (each.expires is None or each.expires > now)
    ]
    return replies.Invitations.model_validate({"invitations": found})


@router.delete("/campaigns/{campaign}/invitations/{invitation}", status_code=204, summary="Take an invitation back")
def uninvite(visitor: ActingVisitor, invitation: ShortId) -> Response:
    visitor.check_master("invitations")
    for each in visitor.hub.store.invitations(visitor.campaign):
        if each.digest[:SHORT] == invitation:
            visitor.hub.store.revoke_invitation(each.digest)
            return Response(status_code=204)
    raise not_found("there is no such invitation", where="invitation")
