"""Playing: what a character may do now, taking actions, questions and answers, plain rolls, stopping the game."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from referee.table import master_desk
from referee.table.desk import Desk, DeskCommand
from referee.web.errors import RESPONSES
from referee.web.limits import check_characters
from referee.web.routes import CAMPAIGN, CheckedRoute
from referee.web.sign_in import ActingVisitor, CurrentVisitor
from referee.wire import replies, requests

router = APIRouter(prefix=CAMPAIGN, tags=["play"], route_class=CheckedRoute, responses=RESPONSES)
Whom = Annotated[str | None, Query(min_length=1, max_length=200, description="A character; nobody: the game master.")]


@router.get("/actions", summary="What a character may do now, and why not the rest")
def actions(visitor: CurrentVisitor, who: Whom = None) -> replies.Actions:
    """Based on what your seat knows. Without `who`: the game master's own actions."""
    name = None if who is None else check_characters(who, "who")
    found = visitor.read(lambda desk: desk.actions(name))
    return replies.Actions.model_validate({"who": who, "actions": found})


@router.post("/choices", summary="What may be picked for an action once some of it is picked")
def choices(visitor: CurrentVisitor, sent: requests.OddsRequest) -> replies.Choices:
    """Arguments are picked in order; a later one may depend on an earlier one (`depends_on` of the action)."""
    found = visitor.read(lambda desk: desk.choices(sent.action, sent.who, sent.arguments))
    return replies.Choices.model_validate(found)


@router.post("/actions", summary="Take an action")
def act(visitor: ActingVisitor, sent: requests.ActionRequest) -> replies.Done:
    """Act for a character you play, or as the game master. Questions go to the players they concern."""
    return visitor.act(DeskCommand(Desk.act, sent.action, sent.who, sent.arguments), sent.expected)


@router.get("/questions", summary="What is asked of you, and whom the table waits for")
def questions(visitor: CurrentVisitor) -> replies.Questions:
    found = visitor.read(lambda desk: desk.view())
    return replies.Questions.model_validate({name: found[name] for name in ("cursor", "questions", "waiting_for")})


@router.post("/answers", summary="Answer a question")
def answer(visitor: ActingVisitor, sent: requests.AnswerRequest) -> replies.Done:
    """An option by its key, a number, or the pips of real dice by group: `[[3, 5], [6]]`. For a held throw, the game
    master sends null to accept it as thrown, or another result.
    """
    return visitor.act(DeskCommand(Desk.answer, sent.question, sent.answer), sent.expected)


@router.post("/cancel", summary="Cancel the step a question belongs to")
def cancel(visitor: ActingVisitor, sent: requests.CancelRequest) -> replies.Done:
    """For the game master. Everything the step has changed is reverted."""
    return visitor.act(DeskCommand(master_desk.cancel, sent.question), sent.expected)


@router.post("/standing-answers", summary="Leave an answer for whenever something is asked")
def standing(visitor: ActingVisitor, sent: requests.StandingAnswer) -> replies.Done:
    return visitor.act(DeskCommand(Desk.standing, sent.prompt, sent.answer), sent.expected)


@router.post("/rolls", summary="Throw plain dice, for no rule")
def roll(visitor: ActingVisitor, sent: requests.DiceRequest) -> replies.Done:
    return visitor.act(DeskCommand(Desk.roll, *sent.dice, hidden=sent.hidden), sent.expected)


@router.post("/stop", summary="Call a stop")
def stop(visitor: ActingVisitor, sent: requests.EmptyRequest = requests.EMPTY_REQUEST) -> replies.Done:
    """Anyone may. Nothing continues until the game master resumes play."""
    return visitor.act(DeskCommand(Desk.stop), sent.expected)


@router.post("/resume", summary="Go on after a stop")
def resume(visitor: ActingVisitor, sent: requests.EmptyRequest = requests.EMPTY_REQUEST) -> replies.Done:
    """For the game master."""
    return visitor.act(DeskCommand(Desk.resume), sent.expected)
