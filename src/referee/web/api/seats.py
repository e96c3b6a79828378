"""Seats: who sits at the table, invitations, joining."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Final

from fastapi import APIRouter, Path, Request, Response
from starlette.concurrency import run_in_threadpool

from referee.core.errors import BadInput, Refused
from referee.core.plain import unknown
from referee.table.desk import Desk
from referee.table.members import NotAllowed, Role
from referee.web.errors import RESPONSES, not_found
from referee.web.limits import CheckedRoute, address_of
from referee.web.sign_in import Here, Key, Looking, Table, check_origin, fingerprint, keep_seat
from referee.web.state import served
from referee.wire import replies, requests

router = APIRouter(tags=["seats"], route_class=CheckedRoute, responses=RESPONSES)
SeatId = Annotated[str, Path(max_length=64, description="The id of a seat.")]
ShortId = Annotated[str, Path(max_length=64, description="The id it was listed with.")]
SHORT: Final = 16
"""As much of a digest as tells it from others."""


@router.post("/join", status_code=201, summary="Join a campaign by a code, with a name")
async def join(
    sent: requests.JoinRequest, request: Request, response: Response, idempotency_key: Key = None
) -> replies.NewSeat:
    """The cookie of a browser keeps the seat; a program keeps the token."""
    table = served(request)
    check_origin(request, by_cookie=False)
    table.newcomers.take(address_of(request.scope))
    of = fingerprint(request, await request.body())

    def make() -> replies.NewSeat:
        try:
            return replies.NewSeat(**table.hub.join(sent.code, sent.name)._asdict())
        except Refused as why:
            if why.what == "join":
                raise not_found(why.because, where="code", legal=("ask the game master for a new one",)) from None
            raise

    made = await run_in_threadpool(table.repeats.once, idempotency_key and f"join:{idempotency_key}", of, make)
    await run_in_threadpool(keep_seat, request, response, made.campaign, made.token)
    return made


@router.get("/campaigns/{campaign}/seats", summary="Who sits at the table")
def seats(here: Looking) -> replies.Seats:
    found = here.look(lambda desk: desk.campaign.seats(desk.member.id))
    return replies.Seats.model_validate({"seats": found})


@router.patch("/campaigns/{campaign}/seats/{seat}", summary="Change a seat")
def change(here: Table, seat: SeatId, sent: requests.SeatChange) -> replies.Done:
    """One's own name and dice, or anything by the game master."""
    changes = sent.model_dump(exclude={"expected"}, exclude_none=True)

    def work(desk: Desk) -> None:
        _check_seat(desk, seat)
        _check_names(desk, changes.get("controls", ()))
        desk.seat(seat, **changes)

    return here.do(work, sent.expected)


@router.delete("/campaigns/{campaign}/seats/{seat}", summary="Take a seat away, or leave one's own")
def dismiss(here: Table, seat: SeatId) -> replies.Done:
    """Its tokens are worthless from then on, and its streams end."""

    def work(desk: Desk) -> None:
        _check_seat(desk, seat)
        desk.dismiss(seat)

    done = here.do(work)
    here.hub.store.revoke_seat(here.campaign, seat)
    return done


@router.post("/campaigns/{campaign}/handover", summary="Hand over a character, or the table itself")
def hand_over(here: Table, sent: requests.HandoverRequest) -> replies.Done:
    """By the game master: somebody else plays a character from now on, or is game master in your stead."""

    def work(desk: Desk) -> None:
        if not desk.member.is_master:
            raise NotAllowed("hand over", because="only the game master may do this", rule="referee.table.seats")
        _check_seat(desk, sent.to)
        if sent.character is None and not sent.table:
            raise BadInput("character", "say whom, or that it is the table")
        if sent.character is not None:
            _check_names(desk, [sent.character])
            _give(desk, sent.character, sent.to)
        if sent.table and sent.to != desk.member.id:
            desk.seat(sent.to, role=Role.MASTER.value)
            desk.seat(desk.member.id, role=Role.PLAYER.value)

    return here.do(work, sent.expected)


def _give(desk: Desk, character: str, to: str) -> None:
    members = desk.campaign.members
    for each in list(members.values()):
        if character in each.controls and each.id != to:
            desk.seat(each.id, controls=sorted(each.controls - {character}))
    desk.seat(to, controls=sorted(members[to].controls | {character}))


def _check_seat(desk: Desk, seat: str) -> None:
    if seat not in desk.campaign.members:
        raise not_found("there is no such seat at this table", where="seat", legal=desk.campaign.members)


def _check_names(desk: Desk, names: Iterable[str]) -> None:
    """Who is played must be in the scene. Only the game master is told who is; the others are refused anyway."""
    for name in names if desk.member.is_master else ():
        if name not in desk.journal.state:
            raise BadInput("controls", unknown(name, tuple(desk.journal.state)))


# --- invitations ------------------------------------------------------------------------------------------------------


@router.post("/campaigns/{campaign}/invitations", status_code=201, summary="Invite somebody")
def invite(here: Table, sent: requests.NewInvitation, request: Request) -> replies.InvitationCode:
    """A code by which somebody may join, and a link that holds it. Both are told this once."""

    def make() -> replies.InvitationCode:
        here.look(lambda desk: _check_invitation(desk, sent))
        code = here.hub.invite(here.campaign, here.seat, Role(sent.role), frozenset(sent.controls), sent.uses)
        return replies.InvitationCode(code=code, link=f"{address_of_server(request)}/join/{code}")

    return here.once(served(request).repeats, make)


def address_of_server(request: Request) -> str:
    """Where people reach this server."""
    return served(request).settings.origin or f"{request.url.scheme}://{request.headers.get('host', '')}"


def _check_invitation(desk: Desk, sent: requests.NewInvitation) -> None:
    _check_names(desk, sent.controls)
    if sent.controls and sent.uses > 1:
        raise BadInput("uses", "a character is played by one; such a code is used once")


@router.get("/campaigns/{campaign}/invitations", summary="Invitations that are still open")
def invitations(here: Looking) -> replies.Invitations:
    _check_master(here, "invitations")
    now = here.hub.clock()
    found = [
        {
            "id": each.digest[:SHORT],
            "controls": list(each.controls),
            **{name: getattr(each, name) for name in ("role", "uses", "expires")},
        }
        for each in here.hub.store.invitations(here.campaign)
        if each.uses > 0 and (each.expires is None or each.expires > now)
    ]
    return replies.Invitations.model_validate({"invitations": found})


@router.delete("/campaigns/{campaign}/invitations/{invitation}", status_code=204, summary="Take an invitation back")
def uninvite(here: Table, invitation: ShortId) -> Response:
    _check_master(here, "invitations")
    for each in here.hub.store.invitations(here.campaign):
        if each.digest[:SHORT] == invitation:
            here.hub.store.revoke_invitation(each.digest)
            return Response(status_code=204)
    raise not_found("there is no such invitation", where="invitation")


def _check_master(here: Here, what: str) -> None:
    if not here.look(lambda desk: desk.member.is_master):
        raise NotAllowed(what, because="only the game master may do this", rule="referee.table.seats")
