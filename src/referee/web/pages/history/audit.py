"""The audit: every line of the log, and for each undo the dice that could be seen before it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar, Final, final

from fastapi import APIRouter, Query, Request
from starlette.responses import HTMLResponse

from referee.core.plain import Plain
from referee.core.value_changes import in_words
from referee.core.wording import phrase
from referee.journal.changes import told
from referee.journal.journal import CLOCK, DICE
from referee.journal.lines import Line, LinesUndone, SceneEdited, StepBegan
from referee.journal.log_items import FieldsChanged, LogItem, ValueAdded, WentIntoHiding
from referee.journal.steps import TABLE
from referee.table.audit import Audited
from referee.views.clock import arguments_in_words, field_in_words
from referee.web.limits import check_characters
from referee.web.pages.master.frame import Frame, frame_of
from referee.web.pages.page import WORDS, show
from referee.web.pages.table_view import TableView
from referee.web.sign_in import CurrentVisitor

router = APIRouter(prefix="/table/{campaign}/history", include_in_schema=False)
MOST: Final = 100
"""Lines per page."""
ALL: Final = 10**9
BRIEF: Final = 240
Some = Annotated[str, Query(max_length=200)]


@final
@dataclass(frozen=True)
class AuditLine:
    """A line of the log."""

    number: int
    by: str
    kind: str
    rule: str
    what: str
    undone: str
    undid: int | None
    """If it is an undo, how many lines it removed."""
    dice: tuple[str, ...]


@final
@dataclass(frozen=True)
class AuditScreen:
    template: ClassVar[str] = "history/audit.html"
    frame: Frame
    lines: tuple[AuditLine, ...]
    actors: tuple[tuple[str, str], ...]
    what: str
    by: str
    who: str
    rule: str
    more: int | None
    undone: tuple[tuple[str, int], ...]
    """Who has undone how many throws."""


@router.get("/audit")
def audit(
    request: Request,
    visitor: CurrentVisitor,
    what: Some = "undos",
    by: Some = "",
    who: Some = "",
    rule: Some = "",
    start: Annotated[int, Query(ge=0, le=ALL)] = 0,
) -> HTMLResponse:
    """For the game master: by actor, character or rule; only undos, or everything."""
    for name, text in (("by", by), ("who", who), ("rule", rule)):
        check_characters(text, name)
    most = ALL if what == "undos" else MOST + 1
    found, throws = visitor.hub.audit(
        visitor.campaign, visitor.seat, by=by, who=who.strip(), rule=rule.strip(), start=start, most=most
    )
    if what == "undos":
        found = [each for each in found if isinstance(each.line, LinesUndone)][: MOST + 1]
    frame = frame_of(request, visitor, "audit")
    names = {each.id: each.name for each in frame.view.members.values()}
    actors = (*names.items(), *((each, each) for each in (DICE, TABLE, CLOCK)))
    lines = tuple(_done(each, dict(actors), frame.view) for each in found[:MOST])
    more = found[MOST].number if len(found) > MOST else None
    counted = tuple((dict(actors).get(each, WORDS.say("somebody")), count) for each, count in throws.items())
    return show(AuditScreen(frame, lines, actors, what, by, who, rule, more, counted))


def _done(each: Audited, names: Mapping[str, str], view: TableView) -> AuditLine:
    line = each.line

    def name(seat: str) -> str:
        return names.get(seat, WORDS.say("somebody"))

    undone = ""
    if each.undone:
        undone = WORDS.say("history.audit.is-undone", who=name(each.undone.by), number=each.undone.line)
    dice = tuple(_thrown(throw) for throw in each.dice)
    gone = len(each.gone) if isinstance(line, LinesUndone) else None
    kind = WORDS.say(f"history.audit.kinds.{line.kind}")
    return AuditLine(each.number, name(line.by), kind, each.rule, _what(line, view), undone, gone, dice)


def _what(line: Line, view: TableView) -> str:
    """The gist of a line; for an edit, what it changed."""
    kept = ("arguments", "prompt", "of", "answer", "about", "text", "settings", "seat")
    plain = line.to_plain()
    text = phrase({name: plain[name] for name in kept if plain.get(name)}, nothing="")
    if isinstance(line, SceneEdited):
        text = "; ".join(_change(item, view) for item in line.then)
    elif isinstance(line, StepBegan) and line.by == CLOCK:
        text = arguments_in_words(view.system, view.scene, line.rule, line.arguments)
    return text if len(text) <= BRIEF else f"{text[:BRIEF]} …"


def _change(item: LogItem, view: TableView) -> str:
    system = view.system
    if isinstance(item, FieldsChanged):
        is_person = item.kind in system.person_kinds

        def value(field: str, plain: Plain) -> str:
            return field_in_words(system, view.scene, item.who, field, plain)

        changes = (in_words(each, item.who, system.words, person=is_person, value=value) for each in told(system, item))
        return "; ".join(each.text for each in changes)
    if isinstance(item, ValueAdded):
        return f"{item.who}: {phrase(item.new)}"
    return WORDS.say("history.gone", who=item.hid if isinstance(item, WentIntoHiding) else item.about)


def _thrown(throw: Mapping[str, Plain]) -> str:
    """A throw that was made: whose, for what, and its result."""
    whose = str(throw.get("of") or WORDS.say("game-master"))
    return f"{whose}, {throw.get('prompt', '')}: {phrase(throw.get('answer'))}"
