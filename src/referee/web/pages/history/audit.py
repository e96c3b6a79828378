"""Who did what: every line of the log, and for each undo the dice that could be seen before it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar, Final, final

from fastapi import APIRouter, Query, Request
from starlette.responses import HTMLResponse

from referee.core.plain import Plain
from referee.journal.journal import CLOCK, DICE
from referee.journal.lines import Line
from referee.table.audit import Audited
from referee.table.campaign import TABLE
from referee.web.limits import check_characters
from referee.web.pages.master.frame import Frame, frame_of
from referee.web.pages.page import WORDS, show
from referee.web.pages.parts.people import in_brief
from referee.web.sign_in import Looking

router = APIRouter(prefix="/table/{campaign}/history", include_in_schema=False)
MOST: Final = 100
"""Lines of a page."""
ALL: Final = 10**9
BRIEF: Final = 240
Some = Annotated[str, Query(max_length=200)]


@final
@dataclass(frozen=True)
class Done:
    """A line of the log."""

    number: int
    by: str
    kind: str
    rule: str
    what: str
    undone: str
    undid: int | None
    """How many lines went with it, if it is an undo."""
    dice: tuple[str, ...]


@final
@dataclass(frozen=True)
class AuditScreen:
    template: ClassVar[str] = "history/audit.html"
    frame: Frame
    lines: tuple[Done, ...]
    actors: tuple[tuple[str, str], ...]
    what: str
    by: str
    who: str
    rule: str
    more: int | None


@router.get("/audit")
def audit(
    request: Request,
    here: Looking,
    what: Some = "undos",
    by: Some = "",
    who: Some = "",
    rule: Some = "",
    start: Annotated[int, Query(ge=0, le=ALL)] = 0,
) -> HTMLResponse:
    """For the game master: by an actor, about a character, by a rule; undos alone, or everything."""
    for name, text in (("by", by), ("who", who), ("rule", rule)):
        check_characters(text, name)
    most = ALL if what == "undos" else MOST + 1
    found = here.hub.audit(here.campaign, here.seat, by=by, who=who.strip(), rule=rule.strip(), start=start, most=most)
    if what == "undos":
        found = [each for each in found if each.line.kind == "undone"][: MOST + 1]
    frame = frame_of(request, here, "audit")
    names = {each.id: each.name for each in frame.sight.members.values()}
    actors = (*names.items(), *((each, each) for each in (DICE, TABLE, CLOCK)))
    lines = tuple(_done(each, dict(actors)) for each in found[:MOST])
    more = found[MOST].number if len(found) > MOST else None
    return show(AuditScreen(frame, lines, actors, what, by, who, rule, more))


def _done(each: Audited, names: Mapping[str, str]) -> Done:
    line = each.line

    def name(seat: str) -> str:
        return names.get(seat, WORDS.say("somebody"))

    undone = ""
    if each.undone:
        undone = WORDS.say("history.audit.is-undone", who=name(each.undone.by), number=each.undone.line)
    dice = tuple(_thrown(throw) for throw in each.dice)
    gone = len(each.gone) if line.kind == "undone" else None
    kind = WORDS.say(f"history.audit.kinds.{line.kind}")
    return Done(each.number, name(line.by), kind, each.rule, _what(line), undone, gone, dice)


def _what(line: Line) -> str:
    """The gist of a line; of an edit, what it changed."""
    kept = ("arguments", "asked", "of", "answer", "about", "text", "settings", "seat")
    text = in_brief({name: line.what[name] for name in kept if line.what.get(name)})
    if line.kind == "edited":
        text = "; ".join(_change(each) for each in line.then)
    return text if len(text) <= BRIEF else f"{text[:BRIEF]} …"


def _change(item: Mapping[str, Plain]) -> str:
    if "set" in item:
        moves = (f"{name} {in_brief(item['was'][name])} → {in_brief(now)}" for name, now in item["set"].items())
        return f"{item['who']}: {', '.join(moves)}"
    if "new" in item:
        return f"{item['who']}: {in_brief({name: value for name, value in item['new'].items() if value})}"
    return WORDS.say("history.gone", who=item.get("gone") or item.get("hid"))


def _thrown(throw: Mapping[str, Plain]) -> str:
    """A throw that had fallen: whose, for what, and what it showed."""
    whose = str(throw.get("of") or WORDS.say("game-master"))
    return f"{whose}, {throw.get('asked', '')}: {in_brief(throw.get('answer'))}"
