"""Notes: talk, whispers and handouts."""

from __future__ import annotations

from typing import Annotated, Any, Final

from fastapi import APIRouter, Path, Query, Request, Response
from starlette.concurrency import run_in_threadpool

from referee.core.plain import write
from referee.store.records import File
from referee.table import notebook_desk, portrait_desk
from referee.table.desk import Desk, DeskCommand
from referee.table.members import NotAllowed, Role
from referee.table.portraits import Portrait
from referee.web.errors import RESPONSES, Problem, not_found
from referee.web.limits import check_characters
from referee.web.pictures import MEDIA, cleaned, media_of, size_of
from referee.web.routes import CAMPAIGN, CheckedRoute
from referee.web.sign_in import ActingVisitor, CurrentVisitor, Visitor
from referee.wire import replies, requests

router = APIRouter(prefix=CAMPAIGN, tags=["notes"], route_class=CheckedRoute, responses=RESPONSES)
MOST_FILES: Final = 500
MOST_BYTES: Final = 256 * 2**20
"""The limit for all pictures of a campaign together; only its game master meets it."""
MOST_OF_ONE: Final = 50
MOST_BYTES_OF_ONE: Final = 32 * 2**20
"""The limit for a player's own uploads. It counts no one else's: how many there are is not theirs to know."""
FileId = Annotated[str, Path(pattern="^[0-9a-f]{64}$", description="The id it was kept under.")]


@router.post("/notes", summary="Say something, to everybody or to some")
def note(visitor: ActingVisitor, sent: requests.NoteRequest) -> replies.Done:
    """A whisper reaches the seats it names, its sender and the game master. A picture is handed out by its id."""
    if sent.file is not None:
        _kept(visitor, sent.file)
    command = DeskCommand(Desk.note, sent.text, to=sent.to, file=sent.file, title=sent.title)
    return visitor.act(command, sent.expected)


@router.get("/notebook", summary="Pages you may read, and what was handed out to you")
def notebook(visitor: CurrentVisitor) -> replies.NotebookReply:
    """Shared pages, your own, and all handouts that reached you; the game master reads all."""

    def found(desk: Desk) -> dict[str, Any]:
        kept = desk.campaign.setup.notebook
        pages, handouts = kept.pages_for(desk.member), kept.handouts_for(desk.member)
        return {"pages": [write(each) for each in pages], "handouts": [write(each) for each in handouts]}

    return replies.NotebookReply.model_validate(visitor.read(found))


@router.post("/notebook", summary="Write a page, for yourself or for everybody")
def write_page(visitor: ActingVisitor, sent: requests.PageRequest) -> replies.Done:
    """A private page is read by its owner and the game master only. `before` guards against writing over others."""
    page = sent.page or notebook_desk.new_page_id()
    command = DeskCommand(notebook_desk.write, page, sent.title, sent.text, shared=sent.shared, before=sent.before)
    return visitor.act(command, sent.expected)


@router.post(
    "/files",
    status_code=201,
    summary="Keep a picture, to hand it out with a note",
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {media: {"schema": {"type": "string", "format": "binary"}} for media in MEDIA},
        }
    },
)
async def keep(
    visitor: ActingVisitor,
    request: Request,
    name: Annotated[str, Query(min_length=1, max_length=200, description="What it is called.")],
) -> replies.UploadedFile:
    """The body is the picture itself: PNG, JPEG or WebP, recognised by its first bytes and not by its name."""
    check_characters(name, "name")
    return await run_in_threadpool(keep_picture, visitor, name, await request.body())


def keep_picture(visitor: Visitor, name: str, data: bytes) -> replies.UploadedFile:
    """Store what shows a picture, and nothing else of it, for anyone who may speak at the table."""
    role, store = visitor.read(lambda desk: desk.member.role), visitor.hub.store
    if role is Role.SPECTATOR:
        raise NotAllowed("files", because="only the game master or player may do this", rule="referee.state.seats")
    data = cleaned(data)
    is_master = role is Role.MASTER
    kept = store.files(visitor.campaign, None if is_master else visitor.seat)
    most, most_bytes = (MOST_FILES, MOST_BYTES) if is_master else (MOST_OF_ONE, MOST_BYTES_OF_ONE)
    if len(kept) >= most or sum(each.size for each in kept) + len(data) > most_bytes:
        whose = "this campaign keeps" if is_master else "this table keeps of each player"
        raise Problem(422, "too-large", f"{whose} at most {most} pictures of {most_bytes // 2**20} MB", where="body")
    media = media_of(data) or ""
    file = store.keep_file(visitor.campaign, name, media, data, visitor.seat)
    return replies.UploadedFile(file=file, media=media, size=len(data))


@router.get(
    "/files/{file}",
    summary="A picture that was handed out to you, or of someone you see",
    response_class=Response,
    responses={200: {"description": "The picture.", "content": {media: {} for media in MEDIA}}},
)
def picture(visitor: CurrentVisitor, file: FileId) -> Response:
    found = visitor.hub.store.file(visitor.campaign, file) if _may_see(visitor, file) else None
    if found is None:
        raise not_found("no such picture was handed out to you", where="file")
    media = media_of(found.data)  # an imported file may claim to be anything
    shown = cleaned(found.data) if media else found.data  # and one kept by an older Referee may say where it was taken
    headers = {
        "X-Content-Type-Options": "nosniff",
        "Content-Security-Policy": "default-src 'none'; sandbox",
        "Content-Disposition": "inline" if media else "attachment",
        "Cache-Control": "private, max-age=86400, immutable",
    }
    return Response(shown, media_type=media or "application/octet-stream", headers=headers)


def _may_see(visitor: Visitor, file: str) -> bool:
    """Whether a seat was handed a picture, sees whom it shows, or uploaded it; the game master sees all pictures."""

    def seen(desk: Desk) -> bool:
        handouts = desk.campaign.setup.notebook.handouts_for(desk.member)
        handed = desk.member.is_master or any(each.file == file for each in handouts)
        return handed or portrait_desk.may_see_picture(desk, file)

    return visitor.read(seen) or any(
        each.id == file for each in visitor.hub.store.files(visitor.campaign, visitor.seat)
    )


@router.put("/portraits/{who}", summary="Give a character a picture")
def portrait(visitor: ActingVisitor, who: str, sent: requests.PortraitRequest) -> replies.Done:
    """A square of a picture that you have kept (`POST …/files`); without a file the character has none."""
    found = portrait_of(visitor, sent.file, sent.left, sent.top, sent.share) if sent.file else None
    return visitor.act(DeskCommand(portrait_desk.set_portrait, who, found), sent.expected)


def portrait_of(visitor: Visitor, file: str, left: int = 50, top: int = 50, share: int = 100) -> Portrait:
    """A square of a picture that a seat may use."""
    kept = _kept(visitor, file)
    size = size_of(kept.data)
    if size is None:
        raise _no_such_picture()
    return Portrait(file, *size, left, top, share)


def _kept(visitor: Visitor, file: str) -> File:
    """A picture that a seat may use; of those it may not see, nobody is told whether they exist."""
    found = visitor.hub.store.file(visitor.campaign, file) if _may_see(visitor, file) else None
    if found is None:
        raise _no_such_picture()
    return found


def _no_such_picture() -> Problem:
    return not_found("there is no such picture", where="file", legal=("keep it first: POST …/files",))
