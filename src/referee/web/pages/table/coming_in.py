"""Coming in: the invitation that stays at the table, and the page after the code, where one picks whom one plays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, Response

from referee.table import seat_desk
from referee.table.desk import Desk, DeskCommand
from referee.table.members import Role
from referee.web.api.seats import reach_of
from referee.web.pages.forms import Sent, go
from referee.web.pages.master.frame import Master
from referee.web.pages.page import show
from referee.web.pages.parts.invitation import ShownInvitation
from referee.web.pages.parts.people import Person, roster
from referee.web.pages.table_view import TableView, see
from referee.web.sign_in import ActingVisitor, CurrentVisitor, Visitor
from referee.web.state import server_state

router = APIRouter(prefix="/table/{campaign}", include_in_schema=False)


@final
@dataclass(frozen=True)
class ComingInScreen:
    """Whom somebody new may play."""

    template: ClassVar[str] = "come_in.html"
    view: TableView
    free: tuple[Person, ...]
    picks: bool
    """Whether players of this table pick for themselves."""

    @property
    def here(self) -> str:
        return self.view.here

    @property
    def builds(self) -> bool:
        return self.view.may_play and self.view.system.creation is not None


def standing_invitation(request: Request, visitor: Visitor) -> ShownInvitation | None:
    """The invitation that stays, for whoever may see it: the game master, and players if the game master lets them."""
    is_shown = visitor.read(
        lambda desk: desk.member.is_master or (desk.campaign.settings.invite_shown and desk.member.role is Role.PLAYER)
    )
    code = visitor.hub.standing_invitation(visitor.campaign) if is_shown else ""
    return ShownInvitation(code, f"/join/{code}", reach_of(request)) if code else None


@router.get("/come-in")
def come_in(request: Request, visitor: CurrentVisitor) -> HTMLResponse:
    """Pick a free character, build one, or watch."""
    about = server_state(request).about(visitor.campaign)

    def read(desk: Desk) -> ComingInScreen:
        view, picks = see(desk, about), desk.campaign.settings.players_pick and desk.member.role is Role.PLAYER
        free = seat_desk.free_characters(desk) if picks else ()
        return ComingInScreen(view, tuple(each for each in roster(view, ()) if each.name in free), picks)

    return show(visitor.read(read))


@router.post("/come-in")
def take(request: Request, visitor: ActingVisitor, form: Sent) -> Response:
    """Take a free character, and go to the table."""
    visitor.act(DeskCommand(seat_desk.take, form.one("character")))
    return go(request, f"/table/{visitor.campaign}")


@router.post("/invite")
def invite(request: Request, visitor: Master, form: Sent) -> Response:
    """Make the invitation that stays; or another, after which nobody joins by the last one."""
    visitor.hub.invite_standing(visitor.campaign, visitor.seat, anew=form.one("anew") == "yes")
    return go(request, f"/table/{visitor.campaign}#invite")


@router.post("/invite/revoke")
def revoke(request: Request, visitor: Master) -> Response:
    visitor.hub.revoke_standing_invitation(visitor.campaign)
    return go(request, f"/table/{visitor.campaign}#invite")
