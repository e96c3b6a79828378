"""Drafts: build a character or let one grow, field by field; what may be chosen, what it costs, what is missing."""

from __future__ import annotations

from hashlib import sha256
from secrets import token_hex
from typing import Annotated

from fastapi import APIRouter, Path, Response

from referee.table import draft_desk
from referee.table.desk import Desk, DeskCommand
from referee.table.drafts import DraftKind
from referee.web.errors import RESPONSES
from referee.web.routes import CAMPAIGN, CheckedRoute
from referee.web.sign_in import ActingVisitor, CurrentVisitor, Visitor
from referee.wire import replies, requests

router = APIRouter(prefix=f"{CAMPAIGN}/drafts", tags=["drafts"], route_class=CheckedRoute, responses=RESPONSES)
DraftId = Annotated[str, Path(description="The id of a draft.", max_length=32, examples=["1f0b3c9d"])]


def new_draft_id(visitor: Visitor) -> str:
    """An id for a draft; the same for the same idempotency key."""
    return sha256(f"{visitor.seat} {visitor.key}".encode()).hexdigest()[:8] if visitor.key else token_hex(4)


@router.get("", summary="Your drafts; for the game master, everyone's")
def drafts(visitor: CurrentVisitor) -> replies.DraftList:
    def read(desk: Desk) -> list[replies.DraftSummary]:
        plain = [draft_desk.described(desk, each.id) for each in draft_desk.drafts_of(desk)]
        return [replies.DraftSummary.model_validate(each) for each in plain]

    return replies.DraftList(drafts=visitor.read(read))


@router.post("", summary="Begin a draft")
def begin(visitor: ActingVisitor, sent: requests.NewDraft) -> replies.BegunDraft:
    """Empty, from a template, with given answers, or answered by chance."""
    draft = new_draft_id(visitor)
    command = DeskCommand(
        draft_desk.begin,
        draft,
        DraftKind(sent.kind),
        character=sent.character,
        seat=sent.seat,
        template=sent.template or "",
        answers=sent.answers,
        fill=sent.fill,
    )
    return replies.BegunDraft(cursor=visitor.act(command, sent.expected).cursor, draft=draft)


@router.get("/{draft}", summary="A draft as it stands")
def one(visitor: CurrentVisitor, draft: DraftId) -> replies.DraftDetail:
    """Every field with its options and prices, what is barred and why, what is spent, left and missing."""
    return replies.DraftDetail.model_validate(visitor.read(lambda desk: draft_desk.described(desk, draft)))


@router.delete("/{draft}", summary="Discard a draft", status_code=204)
def discard(visitor: ActingVisitor, draft: DraftId) -> Response:
    """Dice that were seen are kept for the next one."""
    visitor.act(DeskCommand(draft_desk.discard, draft))
    return Response(status_code=204)


@router.post("/{draft}/answers", summary="Answer a field")
def answer(visitor: ActingVisitor, draft: DraftId, sent: requests.DraftAnswer) -> replies.Done:
    return visitor.act(DeskCommand(draft_desk.answer, draft, sent.field, sent.answer, sent.part), sent.expected)


@router.post("/{draft}/rolls", summary="Throw the dice of a field")
def roll(visitor: ActingVisitor, draft: DraftId, sent: requests.DraftRoll) -> replies.Done:
    """They are the table's dice, and kept once thrown."""
    return visitor.act(DeskCommand(draft_desk.roll, draft, sent.field), sent.expected)


@router.post("/{draft}/fill", summary="Let chance or a template answer")
def fill(visitor: ActingVisitor, draft: DraftId, sent: requests.DraftFill) -> replies.Done:
    if sent.template:
        return visitor.act(DeskCommand(draft_desk.start_from, draft, sent.template), sent.expected)
    return visitor.act(DeskCommand(draft_desk.fill, draft, sent.step or ""), sent.expected)


@router.post("/{draft}/finish", summary="Finish a draft")
def finish(visitor: ActingVisitor, draft: DraftId, sent: requests.DraftFinish) -> replies.Done:
    """The character enters the scene and is yours to play, or has grown."""
    return visitor.act(DeskCommand(draft_desk.finish, draft, hidden=sent.hidden), sent.expected)


@router.post("/{draft}/reopen", summary="Open a finished draft again")
def reopen(
    visitor: ActingVisitor, draft: DraftId, sent: requests.EmptyRequest = requests.EMPTY_REQUEST
) -> replies.Done:
    """If its character is not in the scene any more, because it was undone or removed."""
    return visitor.act(DeskCommand(draft_desk.reopen, draft), sent.expected)
