"""The sheet: everything about someone that a seat may see, every figure with its reasons, every line ready to roll."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, final
from urllib.parse import quote

from fastapi import APIRouter, Path, Request
from starlette.responses import HTMLResponse, Response

from referee.table.desk import Desk, DeskCommand
from referee.web.errors import not_found
from referee.web.odds import OddsAsker, while_waited_for
from referee.web.pages.forms import Sent, go
from referee.web.pages.page import show
from referee.web.pages.parts.people import Person, Sheet, roster, sheet
from referee.web.pages.parts.things import Belongings, belongings
from referee.web.pages.table.table import with_chances
from referee.web.pages.table_view import TableView, table_view
from referee.web.sign_in import ActingVisitor, CurrentVisitor, Visitor
from referee.web.state import server_state

router = APIRouter(prefix="/table/{campaign}/sheet", include_in_schema=False)
Name = Annotated[str, Path(max_length=200, description="Whose sheet.")]


@final
@dataclass(frozen=True)
class SheetScreen:
    """Someone's sheet, from one seat."""

    template: ClassVar[str] = "sheet.html"
    view: TableView
    sheet: Sheet
    person: Person
    belongings: Belongings
    others: tuple[str, ...]
    may_roll: bool
    notes: str
    """This seat's notes about them."""

    @property
    def here(self) -> str:
        return self.view.here


def sheet_screen(request: Request, visitor: Visitor, who: str) -> SheetScreen:
    view = table_view(visitor, server_state(request).about(visitor.campaign))
    if who not in view.people:
        raise not_found("nobody of that name is here, for all you know", where="who", legal=view.people)
    person = next(each for each in roster(view) if each.name == who)
    may_roll = view.may_play and who in view.may_be()
    return SheetScreen(
        view, sheet(view, who), person, belongings(view, who), view.people, may_roll, view.member.notes.get(who, "")
    )


@router.get("/{who}")
def one(request: Request, visitor: CurrentVisitor, who: Name) -> HTMLResponse:
    return show(sheet_screen(request, visitor, who))


@router.post("/{who}/notes")
def write_down(request: Request, visitor: ActingVisitor, who: Name, form: Sent) -> Response:
    visitor.act(DeskCommand(Desk.write_down, who, form.one("text")))
    return go(request, f"/table/{visitor.campaign}/sheet/{quote(who)}")


@router.get("/{who}/chances")
async def chances(request: Request, visitor: CurrentVisitor, who: Name) -> HTMLResponse:
    """The chance of each line of the sheet."""

    def work(odds: OddsAsker) -> HTMLResponse:
        screen = sheet_screen(request, visitor, who)
        return show(with_chances(screen.view, screen.sheet, odds))

    return await while_waited_for(request, visitor.whose, work)
