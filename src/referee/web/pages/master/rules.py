"""Rules: options and figures as this table plays them, and what a change does to the odds before it is made."""

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
from referee.web.sign_in import Here
from referee.web.state import served

router = APIRouter(prefix="/table/{campaign}/master", include_in_schema=False)
FIGURE: Final = "figure-"
"""What the name of a figure's field begins with."""
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
    """A change before it is made."""

    changes: tuple[ChangedFigure, ...]
    options: tuple[tuple[str, bool], ...]
    effects: tuple[ChangedCheck, ...]
    rule: str

    @property
    def moves(self) -> bool:
        """Whether any of the odds that are shown would change."""
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
    """Every rule with figures in it, by chapter: its id and how it begins."""
    chosen: Entry | None
    figures: tuple[FigureShown, ...]
    preview: Preview | None = None


def rules_screen(request: Request, here: Here, rule: str = "", said: str = "") -> HouseRulesScreen:
    frame = frame_of(request, here, "rules", said)
    book = frame.sight.scene[BOOK]
    shelf = frame.sight.system.shelf
    entries = (shelf.entry(each) for each in shelf.ids)
    options = tuple(OptionShown(each.id, each.rule, book.on(each.id)) for each in entries if each.optional)
    chosen = shelf.entry(rule) if rule in shelf.ids else None
    figures = figures_of(book, rule) if chosen else ()
    return HouseRulesScreen(frame, options, changed_figures(book), played_rules(shelf), chosen, figures)


@router.get("/rules")
def rules(request: Request, here: Master, rule: Some = "", said: Said = "") -> HTMLResponse:
    return show(rules_screen(request, here, rule, said))


@router.post("/rules/preview")
async def preview(request: Request, here: Master, form: Sent) -> HTMLResponse:
    """What a change would do to the odds; nothing is changed."""

    def work() -> HTMLResponse:
        screen = rules_screen(request, here, form.one("rule"))
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

    return await run_sync(work, limiter=served(request).reckoning)


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
def apply(request: Request, here: Master, form: Sent) -> Response:
    """Options and figures are changed, from here on."""

    def work(desk: Desk) -> None:
        desk.house_rules(overlay_of(desk.journal.scene[BOOK], form))

    here.do(work)
    return back_to(request, here, "rules", "rules")


@router.post("/rules/as-printed")
def as_printed(request: Request, here: Master, form: Sent) -> Response:
    """One figure, one option or one table's added rows as the book has them."""
    rule, path = form.one("rule"), form.one("path")

    def work(desk: Desk) -> None:
        book = desk.journal.scene[BOOK]
        if form.one("rows"):
            added = {each: dict(paths) for each, paths in book.added.items()}
            added.get(rule, {}).pop(path, None)
            desk.edit(BOOK.name, {"kind": "Book", "options": book.options, "set": book.set, "add": added})
        elif path:
            desk.house_rules({"set": {rule: {path: printed(book.shelf, rule, path)}}})
        else:
            desk.house_rules({"options": {rule: False}})

    here.do(work)
    return back_to(request, here, "rules", "printed")


def overlay_of(book: Book, form: Form) -> dict[str, Any]:
    """What a form changes of a book: an option, or figures of one rule that are not as they were."""
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
