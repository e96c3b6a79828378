"""The log: what your seat has been told, undo and redo, the audit, and a whole campaign as a file."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from tempfile import SpooledTemporaryFile
from typing import Annotated, BinaryIO, Final, cast

from fastapi import APIRouter, Path, Query, Request, Response
from starlette.concurrency import run_in_threadpool
from starlette.responses import StreamingResponse

from referee.store.export import export_campaign
from referee.table import undo_desk
from referee.table.desk import DeskCommand
from referee.web.errors import RESPONSES
from referee.web.limits import address_of, check_characters
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
from referee.wire.file_names import attachment, file_name

router = APIRouter(prefix=API, tags=["log"], route_class=CheckedRoute, responses=RESPONSES)
SeatId = Annotated[str, Path(max_length=64, description="The id of a seat.")]
NDJSON: Final = "application/x-ndjson"
IN_MEMORY: Final = 8 * 2**20
"""How many bytes of an export are held in memory before it goes to disk."""
Count = Annotated[int, Query(ge=0, le=10**9)]
Some = Annotated[str, Query(max_length=200)]


@router.get("/campaigns/{campaign}/log", summary="What your seat has been told, a page at a time")
def log(
    visitor: CurrentVisitor,
    before: Annotated[int | None, Query(ge=0, le=10**9, description="Only items before this id.")] = None,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
) -> replies.LogPage:
    """Newest page first; `earlier` is the `before` of the page before it. Items are only added, by an undo as well."""
    cursor = visitor.read(lambda desk: desk.feed.cursor)
    stop = cursor if before is None else min(before, cursor)
    start = max(0, stop - limit)
    items = visitor.hub.dated_story(visitor.campaign, visitor.seat, start, stop)
    at = [item.pop("at") for item in items]
    return replies.LogPage.model_validate({"cursor": cursor, "items": items, "at": at, "earlier": start or None})


@router.get("/campaigns/{campaign}/undo", summary="What would go with an item")
def would_undo(visitor: CurrentVisitor, item: Count) -> replies.UndoPreview:
    """The item and everything after it, as far as you have been told. Nothing is changed."""
    return replies.UndoPreview.model_validate({"items": visitor.read(lambda desk: undo_desk.would_undo(desk, item))})


@router.post("/campaigns/{campaign}/undo", summary="Go back to before an item")
def undo(visitor: ActingVisitor, sent: requests.UndoRequest) -> replies.Done:
    """The table's settings say who may undo. Dice already thrown are not reused: new throws are new."""
    return visitor.act(DeskCommand(undo_desk.undo, sent.item), sent.expected)


@router.get("/campaigns/{campaign}/undo/requests", summary="Who asks for an undo")
def undo_requests(visitor: CurrentVisitor) -> replies.UndoRequests:
    """Players know their own request, the game master all of them; each with the item to go back to before."""
    return replies.UndoRequests(requests=visitor.read(undo_desk.undo_requests))


@router.post("/campaigns/{campaign}/undo/requests", summary="Ask the game master for an undo")
def ask_undo(visitor: ActingVisitor, sent: requests.UndoRequest) -> replies.Done:
    """For what you may not undo yourself. The game master grants it with an undo of the item it names."""
    return visitor.act(DeskCommand(undo_desk.ask_undo, sent.item), sent.expected)


@router.delete("/campaigns/{campaign}/undo/requests/{seat}", summary="Decline a request for an undo", status_code=204)
def decline_undo(visitor: ActingVisitor, seat: SeatId) -> Response:
    """The game master declines it; whoever made it may take it back."""
    visitor.act(DeskCommand(undo_desk.decline_undo, seat))
    return Response(status_code=204)


@router.post("/campaigns/{campaign}/redo", summary="Take back the last undo")
def redo(visitor: ActingVisitor, sent: requests.EmptyRequest = requests.EMPTY_REQUEST) -> replies.Done:
    return visitor.act(DeskCommand(undo_desk.redo), sent.expected)


@router.get("/campaigns/{campaign}/audit", summary="Who did what", tags=["game master"])
def audit(
    visitor: CurrentVisitor,
    by: Some = "",
    who: Some = "",
    rule: Some = "",
    start: Count = 0,
    limit: Annotated[int, Query(ge=1, le=200)] = 100,
) -> replies.Audit:
    """Lines by an actor (a seat, `dice`, `table`), about a character, by a rule or a chapter; undone ones included."""
    for name, text in (("by", by), ("who", who), ("rule", rule)):
        check_characters(text, name)
    found = visitor.hub.audit(visitor.campaign, visitor.seat, by=by, who=who, rule=rule, start=start, most=limit)
    lines = [each.to_plain() for each in found.lines]
    return replies.Audit.model_validate({"lines": lines, "undone_throws": found.undone_throws})


@router.post("/campaigns/{campaign}/reveal-seed", summary="Reveal the seed of the dice", tags=["game master"])
def reveal(visitor: ActingVisitor, request: Request) -> replies.RevealedSeed:
    """Everyone can check the dice thrown so far (`referee verify`); the table commits to a new seed."""
    seed = visitor.once(server_state(request).idempotency, lambda: visitor.hub.reveal(visitor.campaign, visitor.seat))
    return replies.RevealedSeed(seed=seed)


@router.post("/campaigns/{campaign}/forks", status_code=201, summary="A campaign of its own, from before an item")
def fork(visitor: ActingVisitor, sent: requests.ForkRequest, request: Request, response: Response) -> replies.NewSeat:
    """For the game master. The fork has its own dice; you have your seat in both campaigns."""

    def make() -> replies.NewSeat:
        return replies.NewSeat(**visitor.hub.fork(visitor.campaign, visitor.seat, sent.item, sent.name)._asdict())

    made = visitor.once(server_state(request).idempotency, make)
    remember_seat(request, response, made.campaign, made.token)
    return made


@router.get(
    "/campaigns/{campaign}/export",
    summary="The whole campaign as one file",
    response_class=Response,
    responses={200: {"description": "JSON lines.", "content": {NDJSON: {"schema": {"type": "string"}}}}},
)
def export(visitor: CurrentVisitor) -> Response:
    """For the game master, because it contains every secret of the story. Only revealed seeds are included."""
    visitor.check_master("export")
    file = SpooledTemporaryFile(IN_MEMORY)  # noqa: SIM115  # closed after it has been sent
    try:
        export_campaign(visitor.hub.store, visitor.campaign, cast(BinaryIO, file), seeds=True)
    except BaseException:
        file.close()
        raise
    file.seek(0)
    name = visitor.hub.store.header(visitor.campaign).name
    headers = {"Content-Disposition": attachment(file_name(name, ".jsonl"))}
    return StreamingResponse(_parts(file), media_type=NDJSON, headers=headers)


def _parts(file: SpooledTemporaryFile[bytes]) -> Iterator[bytes]:
    with file:
        while part := file.read(2**16):
            yield part


@router.post(
    "/imports",
    status_code=201,
    summary="Import an exported campaign",
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {NDJSON: {"schema": {"type": "string", "format": "binary"}}},
        }
    },
)
async def import_exported(
    request: Request,
    response: Response,
    master: Annotated[str, Query(min_length=1, max_length=60, description="What you are called as its game master.")],
    idempotency_key: IdempotencyKey = None,
) -> replies.NewSeat:
    """The body is the file. It becomes a new campaign with its own id and dice, and you are its game master."""
    state = server_state(request)
    check_origin(request, by_cookie=False)
    state.newcomers.take(address_of(request.scope))
    state.check_may_create()
    with state.importing(), SpooledTemporaryFile(IN_MEMORY) as file:
        digest = sha256(request_digest(request, b"").encode())
        async for part in request.stream():
            digest.update(part)
            await run_in_threadpool(file.write, part)
        file.seek(0)

        def make() -> replies.NewSeat:
            return replies.NewSeat(**state.hub.import_as(cast(BinaryIO, file), master)._asdict())

        key = stranger_key(request, "import", idempotency_key)
        made = await run_in_threadpool(state.idempotency.once, key, digest.hexdigest(), make)
    await run_in_threadpool(remember_seat, request, response, made.campaign, made.token)
    return made
