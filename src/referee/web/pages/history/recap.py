"""A recap written from the log: plain sentences in Markdown, by session, of what everyone was told."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import ClassVar, Final, final

from fastapi import APIRouter, Request
from markupsafe import Markup, escape
from starlette.responses import HTMLResponse, Response

from referee.core.plain import Plain
from referee.core.value_changes import NOTHING, ToldChange
from referee.core.wording import capital
from referee.table import master_desk
from referee.table.desk import DeskCommand
from referee.web.pages.forms import Sent, at, go
from referee.web.pages.page import HEADERS, WORDS, show
from referee.web.pages.parts.markdown import marked_up
from referee.web.pages.parts.story import Piece, StoryWriter, undone_in
from referee.web.pages.table_view import TableView, table_view
from referee.web.sign_in import ActingVisitor, CurrentVisitor, Visitor
from referee.web.state import server_state

router = APIRouter(prefix="/table/{campaign}/history", include_in_schema=False)
GAP: Final = 3 * 3600
"""After this many seconds of silence a session is over."""
MARKDOWN: Final = "text/markdown; charset=utf-8"


@final
@dataclass(frozen=True)
class RecapScreen:
    """What has happened so far."""

    template: ClassVar[str] = "history/recap.html"
    view: TableView
    text: str
    by: str
    """Who wrote it; empty if it was generated."""
    draft: str
    """The text the game master starts editing from."""
    saved: bool

    @property
    def here(self) -> str:
        return self.view.here

    @property
    def title(self) -> str:
        return self.view.name

    @property
    def body(self) -> Markup:
        return set_out(self.text)


@router.get("/recap")
def recap(request: Request, visitor: CurrentVisitor, anew: bool = False, saved: bool = False) -> HTMLResponse:
    """Read it; the game master may edit it, or start again from the log."""
    view = table_view(visitor, server_state(request).about(visitor.campaign))
    kept, generated = told(visitor, view)
    text, by = kept or (generated, "")
    draft = generated if anew else text
    names = {each.id: each.name for each in view.members.values()}
    return show(RecapScreen(view, text, by and names.get(by, WORDS.say("somebody")), draft, saved))


@router.post("/recap")
def save(request: Request, visitor: ActingVisitor, form: Sent) -> Response:
    visitor.act(DeskCommand(master_desk.recap, form.one("text")))
    return go(request, at(f"/table/{visitor.campaign}/history/recap", saved="true"))


@router.get("/recap.md")
def download(request: Request, visitor: CurrentVisitor) -> Response:
    text = text_of(request, visitor)
    headers = {**HEADERS, "Content-Disposition": 'attachment; filename="recap.md"'}
    return Response(text, media_type=MARKDOWN, headers=headers)


def text_of(request: Request, visitor: Visitor) -> str:
    kept, generated = told(visitor, table_view(visitor, server_state(request).about(visitor.campaign)))
    return kept[0] if kept else generated


def told(visitor: Visitor, view: TableView) -> tuple[tuple[str, str] | None, str]:
    """The last saved recap, if there is one, and one from the log. They are written once after each change."""
    story = visitor.hub.public_story(visitor.campaign)
    return story.made((visitor.seat, view.about["name"]), lambda items: (latest(items), written(view, items)))


def this_evening(visitor: Visitor, view: TableView) -> str:
    """What happened since the last long silence, in short."""

    def tell(items: list[dict[str, Plain]]) -> str:
        told = list(evenings(items))
        return (
            "\n".join(f"- {each}" for each in _sentences(view, told[-1][1], _joined(items), undone_in(items)))
            if told
            else ""
        )

    return visitor.hub.public_story(visitor.campaign).made((visitor.seat, "evening"), tell)


def rolled_this_evening(visitor: Visitor, view: TableView) -> dict[str, tuple[str, ...]]:
    """What each character has rolled with since the last long silence."""
    rolls = view.look.rolls

    def tell(items: list[dict[str, Plain]]) -> dict[str, tuple[str, ...]]:
        told, gone = list(evenings(items)), undone_in(items)
        found: dict[str, dict[str, None]] = {}
        for item in told[-1][1] if told else ():
            given = item.get("arguments") or {}
            if item["kind"] == "began" and item["id"] not in gone and given.get("who") and given.get(argument):
                found.setdefault(str(given["who"]), {})[str(given[argument])] = None
        return {who: tuple(names) for who, names in found.items()}

    if rolls is None:
        return {}
    argument = rolls.argument
    return visitor.hub.public_story(visitor.campaign).made((visitor.seat, "rolled"), tell)


def latest(items: Sequence[Mapping[str, Plain]]) -> tuple[str, str] | None:
    """The last saved recap, and its author."""
    said = (item for item in reversed(items) if item["kind"] == "said" and item["about"] == "recap")
    return next(((str(item["text"]), str(item["by"])) for item in said), None)


# --- generated from the log -------------------------------------------------------------------------------------------


def written(view: TableView, items: list[dict[str, Plain]]) -> str:
    """What everyone was told, in short: who acted, with what result, at what cost, and who joined."""
    parts = [WORDS.say("history.recap.heading", name=view.about["name"])]
    joined, gone = _joined(items), undone_in(items)
    for began, evening in evenings(items):
        sentences = list(_sentences(view, evening, joined, gone))
        date = datetime.fromtimestamp(began, UTC).strftime("%-d %B %Y")
        parts.append(f"## {WORDS.say('history.evening', date=date)}")
        parts.append("\n".join(f"- {each}" for each in sentences) or WORDS.say("history.recap.was-nothing"))
    return "\n\n".join(parts) + "\n"


def evenings(items: list[dict[str, Plain]]) -> Iterator[tuple[int, list[dict[str, Plain]]]]:
    """Items by session: a long silence starts a new one."""
    found: list[dict[str, Plain]] = []
    for item in items:
        if found and item["at"] - found[-1]["at"] > GAP:
            yield found[0]["at"], found
            found = []
        found.append(item)
    if found:
        yield found[0]["at"], found


def _joined(items: list[dict[str, Plain]]) -> frozenset[int]:
    """The items by which someone sat down for the first time; later ones only change a seat."""
    first: dict[str, int] = {}
    for item in items:
        if item["kind"] == "said" and item["about"] == "seat":
            first.setdefault(str(item["seat"]["id"]), item["id"])
    return frozenset(first.values())


def _sentences(view: TableView, items: list[dict[str, Plain]], joined: frozenset[int], gone: set[int]) -> Iterator[str]:
    """One sentence for each action, with its results until the next."""
    names = {item["id"]: str(item["seat"]["name"]) for item in items if item["id"] in joined}
    told: list[Piece] = []
    for piece in StoryWriter.of(view).tell(items, gone):
        if piece.undone or piece.kind in ("note", "undo"):
            continue
        if piece.id in names or piece.kind in ("act", "next"):
            yield from _action(view, told)
            told = []
        if piece.id in names:
            yield WORDS.say("history.recap.joined", who=names[piece.id])
        else:
            told.append(piece)
    yield from _action(view, told)


def _action(view: TableView, told: list[Piece]) -> Iterator[str]:
    """What someone did and its result, on one line; nothing if there was neither."""
    acts = [each for each in told[:1] if each.kind == "act"]
    parts = [f"**{capital(each.who)}** {each.text}" if each.who else capital(each.text) for each in acts]
    parts += [capital(each.text) for piece in told for each in piece.outcomes if each.text]
    parts += [tale for piece in told for tale in piece.tales]
    parts += _moves(view, [each for piece in told for each in piece.moved])
    if parts:
        yield " ".join(each if each[-1] in ".!?…" else f"{each}." for each in parts)


def _moves(view: TableView, moved: list[ToldChange]) -> Iterator[str]:
    """What was lost and gained of the figures that everyone watches, and the conditions; each once."""
    vital = {each.field for each in view.look.vitals if each.field}
    befores: dict[tuple[str, tuple[str, ...]], str] = {}
    afters: dict[tuple[str, tuple[str, ...]], ToldChange] = {}
    for each in moved:
        befores.setdefault((each.who, each.path), each.before)
        afters[each.who, each.path] = each
    for (who, path), last in afters.items():
        before = befores[who, path]
        if (before or NOTHING) == last.after:
            continue
        if path[0] in view.look.chips:
            yield last.text
        elif path[0] in vital:
            key = f"history.recap.{'moved' if before else 'has'}"
            yield WORDS.say(key, who=who, what=last.what, before=before, after=last.after)


_HEADING: Final = re.compile(r"(#{1,6})\s+(.+)")


def set_out(text: str) -> Markup:
    """Markdown as it is shown: headings, and the small Markdown of chat. The first heading is left to the page."""
    parts: list[str] = []
    for block in re.split(r"\n\s*\n", text.strip()):
        first, _, rest = block.partition("\n")
        heading = _HEADING.fullmatch(first.strip())
        if heading:
            level = min(len(heading[1]) + 1, 4)
            parts.append(f"<h{level}>{escape(heading[2])}</h{level}>")
        if body := (rest if heading else block).strip():
            parts.append(str(marked_up(body)))
    return Markup("".join(parts))  # noqa: S704  # every piece of it was escaped
