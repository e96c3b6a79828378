"""Seats and invitations: who sits where and plays whom, handing over, and a code with a QR picture for joining."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Any, ClassVar, Final, final

from fastapi import APIRouter, Path, Request
from starlette.responses import HTMLResponse, Response

from referee.core.errors import BadInput
from referee.table.members import Member, Role
from referee.web.api import seats as api_seats
from referee.web.pages.forms import Form, Sent, go, is_live
from referee.web.pages.master.frame import Frame, Master, Said, back_to, frame_of, held_to
from referee.web.pages.page import show, show_part
from referee.web.pages.parts.invitation import ShownInvitation
from referee.wire import requests

router = APIRouter(prefix="/table/{campaign}/master", include_in_schema=False)
SeatId = Annotated[str, Path(max_length=64)]
ROLES: Final = tuple(role.value for role in Role)
JOINING: Final = (Role.PLAYER.value, Role.SPECTATOR.value, Role.MASTER.value)
"""The roles someone may be invited to, the most likely first."""


@final
@dataclass(frozen=True)
class OpenInvitation:
    """An invitation that can still be used."""

    id: str
    role: str
    controls: tuple[str, ...]
    uses: int
    until: str


@final
@dataclass(frozen=True)
class SeatsScreen:
    """Who sits at the table, and who may still join."""

    template: ClassVar[str] = "master/seats.html"
    frame: Frame
    invitations: tuple[OpenInvitation, ...]
    invited: ShownInvitation | None = None
    roles: tuple[str, ...] = ROLES
    joining: tuple[str, ...] = JOINING

    @property
    def seats(self) -> tuple[Member, ...]:
        return tuple(self.frame.view.members.values())

    @property
    def characters(self) -> tuple[str, ...]:
        return self.frame.view.people

    @property
    def unplayed(self) -> tuple[str, ...]:
        """The characters no one plays yet, the players' own first."""
        return tuple(name for name in self.characters if not self.frame.view.players_of(name))


def seats_screen(request: Request, visitor: Any, said: str = "", invited: ShownInvitation | None = None) -> SeatsScreen:
    frame = frame_of(request, visitor, "seats", said)
    found = api_seats.invitations(visitor).invitations
    invitations = tuple(
        OpenInvitation(each.id, each.role, tuple(each.controls), each.uses, _date(each.expires)) for each in found
    )
    return SeatsScreen(frame, invitations, invited)


def _date(at: float | None) -> str:
    return "" if at is None else datetime.fromtimestamp(at, UTC).strftime("%-d %B")


@router.get("/seats")
def seats(request: Request, visitor: Master, said: Said = "") -> HTMLResponse:
    return show(seats_screen(request, visitor, said))


@router.post("/seats/{seat}")
def change(request: Request, visitor: Master, seat: SeatId, form: Sent) -> Response:
    """Change someone's name, role, characters, and whether they throw real dice."""
    sent = held_to(
        requests.SeatChange,
        name=form.one("name"),
        role=form.one("role"),
        real_dice=form.one("real_dice") == "yes",
        controls=form.all("controls"),
    )
    api_seats.change(visitor, seat, sent)
    return back_to(request, visitor, "seats", "seat")


@router.post("/seats/{seat}/dismiss")
def dismiss(request: Request, visitor: Master, seat: SeatId) -> Response:
    api_seats.dismiss(visitor, seat)
    return back_to(request, visitor, "seats", "dismissed")


@router.post("/seats/{seat}/link")
def link_back(request: Request, visitor: Master, seat: SeatId) -> Response:
    """For someone whose browser has lost its token: a link to their own seat, shown only in this reply."""
    path = f"/sit/{visitor.hub.rejoin_link(visitor.campaign, visitor.seat, seat)}"
    return _shown_once(request, visitor, ShownInvitation("", path, api_seats.reach_of(request)))


@router.post("/hand-over")
def hand_over(request: Request, visitor: Master, form: Sent) -> Response:
    """Hand over a character, or the table itself; a game master who hands over the table is one no longer."""
    is_table = form.one("what") == "table"
    sent = held_to(requests.HandoverRequest, to=form.one("to"), character=form.some("character"), table=is_table)
    api_seats.hand_over(visitor, sent)
    if is_table and sent.to != visitor.seat:
        return go(request, f"/table/{visitor.campaign}")
    return back_to(request, visitor, "seats", "handed")


@router.post("/invitations")
def invite(request: Request, visitor: Master, form: Sent) -> Response:
    """Invite someone; the new invitation is shown in this reply, and never again."""
    sent = held_to(requests.NewInvitation, role=form.one("role"), controls=form.all("controls"), uses=_uses(form))
    made = api_seats.invite(visitor, sent, request)
    return _shown_once(request, visitor, ShownInvitation(made.code, f"/join/{made.code}", api_seats.reach_of(request)))


def _shown_once(request: Request, visitor: Any, invited: ShownInvitation) -> Response:
    screen = seats_screen(request, visitor, invited=invited)
    if not is_live(request):
        return show(screen)
    answer = show_part(screen, "invitations")
    answer.headers["HX-Retarget"] = "#invitations"
    answer.headers["HX-Reswap"] = "outerHTML show:top"
    return answer


def _uses(form: Form) -> int:
    text = form.one("uses") or "1"
    if not text.isdecimal() or len(text) > 4:
        raise BadInput("uses", "must be a whole number, up to 64")
    return int(text)


@router.post("/invitations/{invitation}/revoke")
def uninvite(request: Request, visitor: Master, invitation: SeatId) -> Response:
    api_seats.uninvite(visitor, invitation)
    return back_to(request, visitor, "seats", "uninvited")
