"""Playing: what the forms of the table do."""

from __future__ import annotations

import re
from typing import Final

from fastapi import APIRouter, Request
from starlette.responses import Response

from referee.core.errors import BadInput
from referee.core.plain import Plain
from referee.table import encounter_desk, master_desk, undo_desk
from referee.table.desk import Desk, DeskCommand
from referee.web.pages.forms import Form, Sent, at, done, is_live
from referee.web.pages.page import show, show_part
from referee.web.pages.parts.actions import arguments_of
from referee.web.pages.table.talk import TalkHelp, spoken, wants_help
from referee.web.pages.table_view import table_view
from referee.web.sign_in import ActingVisitor
from referee.web.state import server_state

router = APIRouter(prefix="/table/{campaign}", include_in_schema=False)
LONGEST_NUMBER: Final = 9
DICE_GROUP: Final = "dice-"
"""The start of the names of fields in which dice thrown by hand are entered: one field for each die."""
AHEAD: Final = "ahead-"
"""The prefix of the fields with answers to what is asked next, by prompt."""
ANSWER_TO: Final = "answer-to-"
"""The prefix of the fields of a card with several questions, by question."""


@router.post("/act")
def act(request: Request, visitor: ActingVisitor, form: Sent) -> Response:
    who = form.some("who")
    action = server_state(request).system(visitor.campaign).action(form.one("action"))
    actor = None if action.master else who
    given, ahead = arguments_of(form.fields, action), _ahead(form)
    if ahead:
        visitor.act(DeskCommand(Desk.act_ahead, action.key, actor, given, ahead))
    else:
        visitor.act(DeskCommand(Desk.act, action.key, actor, given))
    return done(request, at(f"/table/{visitor.campaign}", **{"as": who}))


@router.post("/answer")
def answer(request: Request, visitor: ActingVisitor, form: Sent) -> Response:
    """Answer with an option, a number or the pips of real dice, or let a held throw stand."""
    if ahead := _ahead(form):
        visitor.act(DeskCommand(Desk.answer_ahead, form.one("question"), _answer(form), ahead))
    else:
        visitor.act(DeskCommand(Desk.answer, form.one("question"), _answer(form)))
    return done(request, at(f"/table/{visitor.campaign}", **{"as": form.some("as")}))


@router.post("/answers")
def answers(request: Request, visitor: ActingVisitor, form: Sent) -> Response:
    """Answer several questions that stand open at the same moment, on one card."""
    given = {name.removeprefix(ANSWER_TO): form.one(name) for name in form.fields if name.startswith(ANSWER_TO)}
    visitor.act(DeskCommand(Desk.answer_all, given))
    return done(request, at(f"/table/{visitor.campaign}", **{"as": form.some("as")}))


def _ahead(form: Form) -> dict[str, Plain]:
    return {name.removeprefix(AHEAD): form.one(name) for name in form.fields if name.startswith(AHEAD)}


def _answer(form: Form) -> Plain:
    if form.some("stands"):
        return None
    if groups := sorted(name for name in form.fields if name.startswith(DICE_GROUP)):
        return [[pips for die in form.all(group) for pips in _pips(die)] for group in groups]
    return form.one("answer")


def _pips(text: str) -> list[int]:
    """What one die shows; one that was thrown again shows several numbers, with anything between them."""
    numbers = re.findall(r"[0-9]+", text)
    if not numbers or re.search(r"[^0-9\s,.;/-]", text) or any(len(each) > LONGEST_NUMBER for each in numbers):
        raise BadInput("dice", "must be the number each die shows")
    return [int(each) for each in numbers]


@router.post("/standing")
def standing(request: Request, visitor: ActingVisitor, form: Sent) -> Response:
    """Answer a question from now on without being asked; without an answer one is asked again."""
    visitor.act(DeskCommand(Desk.standing, form.one("prompt"), form.some("answer")))
    return done(request, at(f"/table/{visitor.campaign}", **{"as": form.some("as")}))


@router.post("/cancel")
def cancel(request: Request, visitor: ActingVisitor, form: Sent) -> Response:
    visitor.act(DeskCommand(master_desk.cancel, form.one("question")))
    return done(request, f"/table/{visitor.campaign}")


@router.post("/say")
def say(request: Request, visitor: ActingVisitor, form: Sent) -> Response:
    """Chat, a whisper, dice, or a command; asking for help shows it to the one who asks."""
    view = table_view(visitor, server_state(request).about(visitor.campaign))
    if wants_help(form.one("text")):
        helping = TalkHelp(view.here, view.is_master)
        return show_part(helping, "beside") if is_live(request) else show(helping)
    visitor.act(spoken(form.one("text"), view, form.all("to"), hidden=bool(form.some("hidden"))))
    return done(request, f"/table/{visitor.campaign}")


@router.post("/surrender")
def surrender(request: Request, visitor: ActingVisitor, form: Sent) -> Response:
    """Somebody I play gives up."""
    visitor.act(DeskCommand(encounter_desk.surrender, form.one("encounter"), form.one("who")))
    return done(request, f"/table/{visitor.campaign}")


@router.post("/stop")
def stop(request: Request, visitor: ActingVisitor) -> Response:
    visitor.act(DeskCommand(Desk.stop))
    return done(request, f"/table/{visitor.campaign}")


@router.post("/resume")
def resume(request: Request, visitor: ActingVisitor) -> Response:
    visitor.act(DeskCommand(Desk.resume))
    return done(request, f"/table/{visitor.campaign}")


@router.post("/undo")
def undo(request: Request, visitor: ActingVisitor, form: Sent) -> Response:
    visitor.act(DeskCommand(undo_desk.undo, _item(form)))
    return done(request, f"/table/{visitor.campaign}")


@router.post("/undo/ask")
def ask_undo(request: Request, visitor: ActingVisitor, form: Sent) -> Response:
    """Ask the game master to go back to before an item."""
    visitor.act(DeskCommand(undo_desk.ask_undo, _item(form)))
    return done(request, f"/table/{visitor.campaign}")


@router.post("/undo/decline")
def decline_undo(request: Request, visitor: ActingVisitor, form: Sent) -> Response:
    visitor.act(DeskCommand(undo_desk.decline_undo, form.one("seat")))
    return done(request, f"/table/{visitor.campaign}")


def _item(form: Form) -> int:
    number = form.one("item")
    if not number.isdecimal() or len(number) > LONGEST_NUMBER:
        raise BadInput("item", "must be a number of the story")
    return int(number)


@router.post("/redo")
def redo(request: Request, visitor: ActingVisitor) -> Response:
    visitor.act(DeskCommand(undo_desk.redo))
    return done(request, f"/table/{visitor.campaign}")
