"""Playing: what the forms of the table do."""

from __future__ import annotations

from typing import Final

from fastapi import APIRouter, Request
from starlette.responses import Response

from referee.core.errors import BadInput
from referee.core.plain import Plain
from referee.table.desk import Desk
from referee.web.pages.forms import Form, Sent, at, done
from referee.web.pages.parts.actions import arguments_of
from referee.web.sign_in import Table

router = APIRouter(prefix="/table/{campaign}", include_in_schema=False)
LONGEST_NUMBER: Final = 9


@router.post("/act")
def act(request: Request, here: Table, form: Sent) -> Response:
    who = form.some("who")

    def work(desk: Desk) -> None:
        action = desk.campaign.system.action(form.one("action"))
        desk.act(action.key, None if action.master else who, arguments_of(form.fields, action))

    here.do(work)
    return done(request, at(f"/table/{here.campaign}", **{"as": who}))


@router.post("/answer")
def answer(request: Request, here: Table, form: Sent) -> Response:
    """An option, a number, the pips of real dice; or that a held throw stands."""

    def work(desk: Desk) -> None:
        desk.answer(form.one("question"), _answer(form))

    here.do(work)
    return done(request, at(f"/table/{here.campaign}", **{"as": form.some("as")}))


def _answer(form: Form) -> Plain:
    if form.some("stands"):
        return None
    if groups := form.all("dice"):
        return [[_pips(each) for each in group.replace(",", " ").split()] for group in groups]
    return form.one("answer")


def _pips(text: str) -> int:
    if not text.isdecimal() or len(text) > LONGEST_NUMBER:
        raise BadInput("dice", "must be the pips of each die, such as 4 2 6")
    return int(text)


@router.post("/cancel")
def cancel(request: Request, here: Table, form: Sent) -> Response:
    here.do(lambda desk: desk.cancel(form.one("question")))
    return done(request, f"/table/{here.campaign}")


@router.post("/say")
def say(request: Request, here: Table, form: Sent) -> Response:
    """Talk, a whisper, or a plain throw: `/roll 2d6`."""
    text, to = form.one("text"), form.all("to")
    dice = text.removeprefix("/roll ").split() if text.startswith("/roll ") else []

    def work(desk: Desk) -> None:
        if dice:
            desk.roll(*dice, hidden=bool(form.some("hidden")))
        else:
            desk.note(text, to=to or None)

    here.do(work)
    return done(request, f"/table/{here.campaign}")


@router.post("/stop")
def stop(request: Request, here: Table) -> Response:
    here.do(lambda desk: desk.stop())
    return done(request, f"/table/{here.campaign}")


@router.post("/resume")
def resume(request: Request, here: Table) -> Response:
    here.do(lambda desk: desk.resume())
    return done(request, f"/table/{here.campaign}")


@router.post("/undo")
def undo(request: Request, here: Table, form: Sent) -> Response:
    number = form.one("item")
    if not number.isdecimal() or len(number) > LONGEST_NUMBER:
        raise BadInput("item", "must be a number of the story")
    here.do(lambda desk: desk.undo(int(number)))
    return done(request, f"/table/{here.campaign}")


@router.post("/redo")
def redo(request: Request, here: Table) -> Response:
    here.do(lambda desk: desk.redo())
    return done(request, f"/table/{here.campaign}")
