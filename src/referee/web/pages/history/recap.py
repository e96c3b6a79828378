"""A recap written from the log, of what everyone was told, as Markdown in three lengths.

Three sentences for the group; a page by scene, of people's deeds and turning points; or the whole, deed by deed.
"""

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
from referee.core.wording import capital, class_words
from referee.table import master_desk
from referee.table.desk import DeskCommand
from referee.web.pages.forms import Sent, at, go
from referee.web.pages.history.deeds import Deed, Deeds
from referee.web.pages.page import HEADERS, WORDS, show
from referee.web.pages.parts.markdown import marked_up
from referee.web.pages.parts.story import undone_in
from referee.web.pages.table_view import ENCOUNTER_OVER, TableView, table_view
from referee.web.sign_in import ActingVisitor, CurrentVisitor, Visitor
from referee.web.state import server_state
from referee.wire.file_names import attachment, file_name

router = APIRouter(prefix="/table/{campaign}/history", include_in_schema=False)
GAP: Final = 3 * 3600
"""After this many seconds of silence a session is over."""
MARKDOWN: Final = "text/markdown; charset=utf-8"
SHORT, PAGE, WHOLE = "short", "page", "whole"
LENGTHS: Final = (SHORT, PAGE, WHOLE)
SENTENCES: Final = 3
PER_SCENE: Final = 9
"""How many deeds a scene is told in."""


@final
@dataclass(frozen=True)
class RecapScreen:
    """What has happened so far."""

    template: ClassVar[str] = "history/recap.html"
    view: TableView
    text: str
    by: str
    """Who wrote it; empty if it was generated."""
    length: str
    """Which of the generated lengths this is; empty for one that was saved."""
    is_kept: bool
    """Whether there is one that was saved."""
    draft: str
    """The text the game master starts editing from."""
    saved: bool

    @property
    def here(self) -> str:
        return self.view.here

    @property
    def lengths(self) -> tuple[str, ...]:
        return LENGTHS

    @property
    def title(self) -> str:
        return self.view.name

    @property
    def body(self) -> Markup:
        return set_out(self.text)


@router.get("/recap")
def recap(
    request: Request, visitor: CurrentVisitor, length: str = "", anew: bool = False, saved: bool = False
) -> HTMLResponse:
    """Read it in a length; the game master may edit it, or start again from the log."""
    view = table_view(visitor, server_state(request).about(visitor.campaign))
    wanted = length if length in LENGTHS else PAGE
    kept, generated = told(visitor, view, wanted)
    is_kept = kept is not None and length not in LENGTHS
    text, by = kept if kept is not None and is_kept else (generated, "")
    draft = generated if anew or kept is None else kept[0]
    names = {each.id: each.name for each in view.members.values()}
    by = by and names.get(by, WORDS.say("somebody"))
    return show(RecapScreen(view, text, by, "" if is_kept else wanted, kept is not None, draft, saved))


@router.post("/recap")
def save(request: Request, visitor: ActingVisitor, form: Sent) -> Response:
    visitor.act(DeskCommand(master_desk.recap, form.one("text")))
    return go(request, at(f"/table/{visitor.campaign}/history/recap", saved="true"))


@router.get("/recap.md")
def download(request: Request, visitor: CurrentVisitor, length: str = "") -> Response:
    text = text_of(request, visitor, length if length in LENGTHS else "")
    name = str(server_state(request).about(visitor.campaign)["name"])
    headers = {**HEADERS, "Content-Disposition": attachment(file_name(name, " recap.md"))}
    return Response(text, media_type=MARKDOWN, headers=headers)


def text_of(request: Request, visitor: Visitor, length: str = "") -> str:
    """The recap of a length; without one, the one that was saved, or else the whole."""
    view = table_view(visitor, server_state(request).about(visitor.campaign))
    kept, generated = told(visitor, view, length or WHOLE)
    return kept[0] if kept and not length else generated


def told(visitor: Visitor, view: TableView, length: str) -> tuple[tuple[str, str] | None, str]:
    """The last saved recap, if there is one, and one from the log. They are written once after each change."""
    story = visitor.hub.public_story(visitor.campaign)
    reader = (visitor.seat, view.about["name"], length)
    return story.made(reader, lambda items: (latest(items), written(view, items, length)))


def this_evening(visitor: Visitor, view: TableView) -> str:
    """What happened since the last long silence, as a page."""

    def tell(items: list[dict[str, Plain]]) -> str:
        last = list(evenings(items))[-1:]
        return _of_evening(view, last[0][1], undone_in(items), PAGE) if last else ""

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


def written(view: TableView, items: list[dict[str, Plain]], length: str) -> str:
    """What everyone was told, evening by evening, in a length."""
    gone = undone_in(items)
    parts = [WORDS.say("history.recap.heading", name=view.about["name"])]
    for began, evening in evenings(items):
        date = datetime.fromtimestamp(began, UTC).strftime("%-d %B %Y")
        parts.append(f"## {WORDS.say('history.evening', date=date)}")
        parts.append(_of_evening(view, evening, gone, length) or WORDS.say("history.recap.was-nothing"))
    return "\n\n".join(parts) + "\n"


def _of_evening(view: TableView, items: list[dict[str, Plain]], gone: set[int], length: str) -> str:
    deeds = list(Deeds(view, items).all(gone))
    if length == SHORT:
        return " ".join(each.short for each in _turning_points(deeds, SENTENCES))
    if length == PAGE:
        return "\n\n".join(_by_scene(view, items, gone, deeds))
    return "\n".join(f"- {each.sentence}" for each in deeds)


def _turning_points(deeds: Sequence[Deed], most: int) -> list[Deed]:
    """The deeds that count most, in their order."""
    told = [each for each in deeds if each.short]
    told = [each for each in told if each.weight] or told  # a turn that was only ended is no deed
    kept = {id(each) for each in sorted(told, key=lambda each: -each.weight)[:most]}
    return [each for each in told if id(each) in kept]


def _by_scene(view: TableView, items: list[dict[str, Plain]], gone: set[int], deeds: Sequence[Deed]) -> Iterator[str]:
    """Scene by scene, each with its heading if there are several."""
    starts = list(_scenes(view, [each for each in items if each["id"] not in gone]))
    several = len(starts) > 1
    ends = [start for _, start in starts[1:]]
    for (title, start), end in zip(starts, (*ends, None), strict=True):
        inside = [each for each in deeds if each.item >= start and (end is None or each.item < end)]
        told = _turning_points(inside, PER_SCENE)
        if told:
            yield (f"### {title}\n\n" if several else "") + " ".join(each.short for each in told)


def _scenes(view: TableView, items: list[dict[str, Plain]]) -> Iterator[tuple[str, int]]:
    """Where each scene of an evening begins, by the item: an encounter is one, and so is what lies around it."""
    if not items:
        return
    yield WORDS.say("history.recap.first-scene"), items[0]["id"]
    for item in items:
        for each in item.get("then", ()):
            kind = str(each["new"].get("kind", "")) if isinstance(each.get("new"), Mapping) else ""
            if kind in view.look.encounters:
                yield capital(view.system.words.say_or(f"encounters.{kind}", class_words(kind))), item["id"]
            elif each.get("story") == ENCOUNTER_OVER:
                yield WORDS.say("history.recap.afterwards"), item["id"] + 1


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
