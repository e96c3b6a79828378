"""House rules: the options and figures of this table, with a preview of what a change does to the odds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Final, final

from anyio.to_thread import run_sync
from fastapi import APIRouter, Query, Request
from starlette.responses import HTMLResponse, Response

from referee.core.errors import BadInput
from referee.core.plain import Plain, is_number
from referee.core.printed_book import Entry
from referee.core.rulebook import BOOK, Book
from referee.table.commands import DeskCommand
from referee.table.desk import Desk
from referee.web.pages.forms import Form, Sent, is_live
from referee.web.pages.master.figures import (
    ChangedFigure,
    FigureShown,
    changed_figures,
    figures_of,
    played_rules,
    printed,
)
from referee.web.pages.master.frame import Frame, Master, Said, back_to, frame_of
from referee.web.pages.master.odds import ChangedCheck, effects
from referee.web.pages.page import show, show_part
from referee.web.pages.table_view import table_view
from referee.web.sign_in import Visitor
from referee.web.state import server_state

router = APIRouter(prefix="/table/{campaign}/master", include_in_schema=False)
FIGURE: Final = "figure-"
"""The prefix of the form fields for figures."""
Some = Annotated[str, Query(max_length=200)]


@final
@dataclass(frozen=True)
class OptionShown:
    """An optional rule."""

    id: str
    says: str
    on: bool


@final
@dataclass(frozen=True)
class Preview:
    """A preview of a change."""

    changes: tuple[ChangedFigure, ...]
    options: tuple[tuple[str, bool], ...]
    effects: tuple[ChangedCheck, ...]
    rule: str

    @property
    def moves(self) -> bool:
        """Whether any of the odds shown would change."""
        return any(each.moves for each in self.effects)


@final
@dataclass(frozen=True)
class HouseRulesScreen:
    """The rules as they are played here."""

    template: ClassVar[str] = "master/rules.html"
    frame: Frame
    options: tuple[OptionShown, ...]
    changed: tuple[ChangedFigure, ...]
    chapters: tuple[tuple[str, tuple[tuple[str, str], ...]], ...]
    """Every rule with figures in it, by chapter: its id and its first words."""
    chosen: Entry | None
    figures: tuple[FigureShown, ...]
    preview: Preview | None = None


def rules_screen(request: Request, visitor: Visitor, rule: str = "", said: str = "") -> HouseRulesScreen:
    frame = frame_of(request, visitor, "rules", said)
    book = frame.sight.scene[BOOK]
    shelf = frame.sight.system.shelf
    entries = (shelf.entry(each) for each in shelf.ids)
    options = tuple(OptionShown(each.id, each.rule, book.on(each.id)) for each in entries if each.optional)
    chosen = shelf.entry(rule) if rule in shelf.ids else None
    figures = figures_of(book, rule) if chosen else ()
    return HouseRulesScreen(frame, options, changed_figures(book), played_rules(shelf), chosen, figures)


@router.get("/rules")
def rules(request: Request, visitor: Master, rule: Some = "", said: Said = "") -> HTMLResponse:
    return show(rules_screen(request, visitor, rule, said))


@router.post("/rules/preview")
async def preview(request: Request, visitor: Master, form: Sent) -> HTMLResponse:
    """What a change would do to the odds; nothing is changed."""

    def work() -> HTMLResponse:
        screen = rules_screen(request, visitor, form.one("rule"))
        overlay = overlay_of(screen.frame.sight.scene[BOOK], form)
        shown = HouseRulesScreen(
            screen.frame,
            screen.options,
            screen.changed,
            screen.chapters,
            screen.chosen,
            screen.figures,
            _preview(screen, overlay, form.one("rule")),
        )
        if not is_live(request):
            return show(shown)
        answer = show_part(shown, "preview")
        answer.headers["HX-Retarget"] = "#preview"
        answer.headers["HX-Reswap"] = "outerHTML show:top"
        return answer

    return await run_sync(work, limiter=server_state(request).odds_limiter)


def _preview(screen: HouseRulesScreen, overlay: Mapping[str, Any], rule: str) -> Preview:
    sight = screen.frame.sight
    before = sight.scene[BOOK]
    after = before.but(overlay)
    changes = tuple(
        ChangedFigure(id_, path, _at(before, id_, path), value)
        for id_, paths in overlay.get("set", {}).items()
        for path, value in paths.items()
    )
    options = tuple(overlay.get("options", {}).items())
    return Preview(changes, options, effects(sight, before, after), rule)


def _at(book: Book, rule: str, path: str) -> Plain:
    return next((each.value for each in figures_of(book, rule) if each.path == path), None)


@router.post("/rules")
def apply(request: Request, visitor: Master, form: Sent) -> Response:
    """Change options and figures, from now on."""

    sight = table_view(visitor, server_state(request).about(visitor.campaign))
    visitor.act(DeskCommand(Desk.house_rules, overlay_of(sight.scene[BOOK], form)))
    return back_to(request, visitor, "rules", "rules")


@router.post("/rules/as-printed")
def as_printed(request: Request, visitor: Master, form: Sent) -> Response:
    """Reset one figure, one option or one table's added rows to the printed book."""
    rule, path = form.one("rule"), form.one("path")

    if form.one("rows"):
        command = DeskCommand(Desk.remove_rows, rule, path)
    elif path:
        shelf = server_state(request).system(visitor.campaign).shelf
        command = DeskCommand(Desk.house_rules, {"set": {rule: {path: printed(shelf, rule, path)}}})
    else:
        command = DeskCommand(Desk.house_rules, {"options": {rule: False}})
    visitor.act(command)
    return back_to(request, visitor, "rules", "printed")


def overlay_of(book: Book, form: Form) -> dict[str, Any]:
    """What a form changes in a book: an option, or the changed figures of one rule."""
    if option := form.some("option"):
        return {"options": {option: form.one("on") == "yes"}}
    rule = form.one("rule")
    now = {each.path: each.value for each in figures_of(book, rule)} if rule in book.shelf.ids else {}
    said = {
        name.removeprefix(FIGURE): values[-1].strip() for name, values in form.fields.items() if name.startswith(FIGURE)
    }
    found = {path: _like(now[path], text, path) for path, text in said.items() if path in now}
    changed = {path: value for path, value in found.items() if value != now[path]}
    if not changed:
        raise BadInput("rules", "nothing is changed")
    return {"set": {rule: changed}}


def _like(before: Plain, text: str, path: str) -> Plain:
    """A figure in the form of the one it replaces."""
    if isinstance(before, bool):
        return text == "yes"
    if isinstance(before, int):
        text = text.replace("\N{MINUS SIGN}", "-")
        if not is_number(text) or len(text) > 9:
            raise BadInput(path, f"must be a whole number, not {text!r}")
        return int(text)
    return text
