"""Closing an evening: what happened, what is still due, what the game awards; and opening the next one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import ClassVar, Final, NamedTuple, final

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, Response

from referee.core.errors import BadInput
from referee.core.look import Award
from referee.core.plain import Plain
from referee.core.rulebook import BOOK
from referee.table import evening_desk
from referee.table.desk import DeskCommand
from referee.web.pages.forms import Form, Sent, go
from referee.web.pages.history.recap import rolled_this_evening, this_evening
from referee.web.pages.master.frame import Master
from referee.web.pages.page import WORDS, show
from referee.web.pages.parts.board import clock, encounters
from referee.web.pages.parts.questions import asks
from referee.web.pages.table_view import TableView, table_view
from referee.web.state import server_state
from referee.wire.limits import LONGEST_NOTE

router = APIRouter(prefix="/table/{campaign}/history", include_in_schema=False)
AWARD: Final = "award-"
USED: Final = "used-"


class AwardReason(NamedTuple):
    """What something is awarded for: how much at least and at most, and whether taking part is enough."""

    name: str
    least: int
    most: int
    took_part: bool


@final
@dataclass(frozen=True)
class EveningScreen:
    """The end of an evening, before it is closed; afterwards the way to the next one."""

    template: ClassVar[str] = "history/evening.html"
    view: TableView
    title: str
    text: str
    due: tuple[str, ...]
    """Deadlines, encounters under way and open questions, in words."""
    is_closed: bool
    rolled: Mapping[str, tuple[str, ...]]
    """What each of them has rolled with in this evening."""

    def guide(self, award: Award) -> tuple[AwardReason, ...]:
        """What something is awarded for, by the table of the rulebook; None where there is no such table."""
        if not award.guide:
            return ()
        rule, _, path = award.guide.partition("/")
        rows = self.view.scene[BOOK].printed_book.entry(rule).values[path]
        return tuple(AwardReason(each["name"], each["min"], each["max"], bool(each.get("took_part"))) for each in rows)

    @property
    def here(self) -> str:
        return self.view.here

    @property
    def awards(self) -> tuple[Award, ...]:
        return self.view.look.awards if self.awarded else ()

    @property
    def awarded(self) -> tuple[str, ...]:
        """The players' characters."""
        return tuple(name for name in self.view.people if self.view.is_own(name))


@router.get("/evening")
def evening(request: Request, visitor: Master) -> HTMLResponse:
    view = table_view(visitor, server_state(request).about(visitor.campaign))
    closed = visitor.read(evening_desk.last_closed) if visitor.read(evening_desk.is_closed) else None
    date = datetime.now(UTC).strftime("%-d %B %Y")
    title = closed.title if closed else WORDS.say("history.evening", date=date)
    text = closed.text if closed else this_evening(visitor, view)[:LONGEST_NOTE]
    rolled = rolled_this_evening(visitor, view)
    return show(EveningScreen(view, title, text, tuple(_due(view)), closed is not None, rolled))


def _due(view: TableView) -> Iterator[str]:
    yield from clock(view).deadlines
    for each in encounters(view, None):
        if not each.over:
            yield WORDS.say("evening.going", what=each.title)
    for ask in asks(view):
        yield WORDS.say("evening.asked", who=ask.who or WORDS.say("the-game-master"), what=ask.title)


@router.post("/evening")
def close(request: Request, visitor: Master, form: Sent) -> Response:
    visitor.act(DeskCommand(evening_desk.close, form.one("title"), form.one("text"), dict(_awards(form))))
    return go(request, f"/table/{visitor.campaign}/history/evening")


def _awards(form: Form) -> Mapping[str, dict[str, Plain]]:
    """What each character is given, from fields such as `award-xp-Ana`, and `used-used-Ana` for what was used.

    What is given for several reasons is added up.
    """
    found: dict[str, dict[str, Plain]] = {}
    for name in form.fields:
        field, _, who = name.removeprefix(AWARD).removeprefix(USED).partition("-")
        if name.startswith(AWARD):
            amounts = [each for each in form.all(name) if each]
            if any(not each.isdecimal() or len(each) > 6 for each in amounts):
                raise BadInput("award", f"must be 0 to {evening_desk.MOST_AWARDED}")
            if amounts:
                found.setdefault(who, {})[field] = sum(map(int, amounts))
        elif name.startswith(USED):
            found.setdefault(who, {})[field] = form.all(name)
    return found


@router.post("/evening/next")
def open_next(request: Request, visitor: Master) -> Response:
    visitor.act(DeskCommand(evening_desk.open_next))
    return go(request, f"/table/{visitor.campaign}")
