"""Rules: options and figures as this table plays them, and a preview of what a change does to the odds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Any, ClassVar, Final, final

from fastapi import APIRouter, Query, Request
from starlette.responses import HTMLResponse, Response

from referee.core.errors import BadInput
from referee.core.plain import Plain, is_number
from referee.core.printed_book import Entry, PrintedBook, row_name
from referee.core.rulebook import BOOK, Book, declared
from referee.core.wording import capital, phrase, spaced
from referee.table import master_desk
from referee.table.desk import DeskCommand
from referee.web.odds import OddsAsker, while_waited_for
from referee.web.pages.book.search import title_of
from referee.web.pages.forms import Form, Sent, is_live
from referee.web.pages.master.frame import Frame, Master, Said, back_to, frame_of
from referee.web.pages.master.odds import ChangedCheck, effects
from referee.web.pages.page import show, show_part
from referee.web.pages.parts.options import OptionShown, options_by_chapter, setting_words
from referee.web.pages.table_view import table_view
from referee.web.sign_in import Visitor
from referee.web.state import server_state

SHORT: Final = 70
"""How many characters of a rule's text tell it apart from others."""


def figure_words(path: str) -> str:
    """Where a figure of a rule stands, in words: `table/Failure/to` is “Failure, to”."""
    return ", ".join(map(spaced, path.removeprefix("table/").split("/")))


@final
@dataclass(frozen=True)
class FigureShown:
    """A figure: its place, its value here, and its printed value."""

    path: str
    value: Plain
    printed: Plain

    @property
    def words(self) -> str:
        return capital(figure_words(self.path))

    @property
    def kind(self) -> str:
        return "check" if isinstance(self.value, bool) else "number" if isinstance(self.value, int) else "text"


@final
@dataclass(frozen=True)
class ChangedFigure:
    """A difference from the printed book: a changed figure, an option (without a path), or added rows."""

    rule: str
    path: str
    before: Plain
    after: Plain
    rows: bool = False

    @property
    def title(self) -> str:
        """What the rule is called."""
        return title_of(self.rule)

    @property
    def words(self) -> str:
        return figure_words(self.path)

    @property
    def was(self) -> str:
        return phrase(self.before)

    @property
    def now(self) -> str:
        return phrase(self.after)


def played_rules(printed_book: PrintedBook) -> tuple[tuple[str, tuple[tuple[str, str], ...]], ...]:
    """Every rule with figures that code reads, by chapter: its id, its name and its first words."""
    return _played(printed_book, printed_book.version)


@lru_cache(maxsize=64)
def _played(printed_book: PrintedBook, _version: str) -> tuple[tuple[str, tuple[tuple[str, str], ...]], ...]:
    book = Book(printed_book)
    chapters: dict[str, list[tuple[str, str]]] = {}
    for each in printed_book.ids:
        if figures_of(book, each):
            entry = printed_book.entry(each)
            chapters.setdefault(entry.chapter.capitalize(), []).append(
                (each, f"{title_of(each)}: {_begin(entry.rule)}")
            )
    return tuple((chapter, tuple(rules)) for chapter, rules in chapters.items())


def _begin(text: str) -> str:
    first = text.partition(". ")[0]
    return first if len(first) <= SHORT else f"{first[:SHORT].rpartition(' ')[0]} …"


def figures_of(book: Book, rule: str) -> tuple[FigureShown, ...]:
    """The numbers of a rule that code reads, with this table's values and the printed ones."""
    now, was = book.entry(rule).values, book.printed_book.entry(rule).values
    found: dict[str, FigureShown] = {}
    for _, at in declared(book.entry(rule)):
        for path, value in _leaves(_under(now, at), at):
            if isinstance(value, int):
                found[path] = FigureShown(path, value, _under(was, path))
    return tuple(found.values())


def printed(printed_book: PrintedBook, rule: str, path: str) -> Plain:
    return _under(printed_book.entry(rule).values, path)


def _leaves(value: Plain, path: str) -> Iterator[tuple[str, Plain]]:
    if isinstance(value, Mapping):
        for name, inner in value.items():
            yield from _leaves(inner, f"{path}/{name}")
    elif isinstance(value, list):
        for at, inner in enumerate(value):
            name = row_name(inner, at)
            clear = "/" not in name and [row_name(each, n) for n, each in enumerate(value)].count(name) == 1
            yield from _leaves(inner, f"{path}/{name if clear and isinstance(inner, Mapping) else at}")
    else:
        yield path, value


def _under(values: Any, path: str) -> Plain:
    """The value at a path, or None."""
    for step in path.split("/"):
        if isinstance(values, Mapping):
            values = values.get(step)
        elif isinstance(values, list):
            places = [at for at, row in enumerate(values) if row_name(row, at) == step]
            at = int(step) if step.isdecimal() and int(step) < len(values) else next(iter(places), None)
            values = None if at is None else values[at]
        else:
            return None
    return values


def printed_setting(entry: Entry) -> bool | str:
    """How an option is set where a campaign says nothing."""
    return next(iter(entry.choices)) if entry.choices and not entry.optional else False


def changed_figures(book: Book) -> tuple[ChangedFigure, ...]:
    """Everything that differs from the printed book."""
    options = [
        ChangedFigure(entry.id, "", printed_setting(entry), setting_words(entry, setting))
        for entry in book.printed_book.options
        if (setting := book.options.get(entry.id, printed_setting(entry))) != printed_setting(entry)
    ]
    figures = [
        ChangedFigure(rule, path, before, value)
        for rule, paths in book.set.items()
        for path, value in paths.items()
        if (before := printed(book.printed_book, rule, path)) != value
    ]
    added = [
        ChangedFigure(rule, path, None, rows, rows=True)
        for rule, paths in book.added.items()
        for path, rows in paths.items()
        if rows
    ]
    return (*options, *figures, *added)


router = APIRouter(prefix="/table/{campaign}/master", include_in_schema=False)
FIGURE: Final = "figure-"
"""The prefix of the form fields for figures."""
Some = Annotated[str, Query(max_length=200)]


@final
@dataclass(frozen=True)
class ChangedOption:
    """An option as a preview sets it."""

    id: str
    setting: bool | str
    words: str

    @property
    def title(self) -> str:
        """What the rule is called."""
        return title_of(self.id)

    @property
    def on(self) -> str:
        """A switch, as the form sends it."""
        return "yes" if self.setting is True else "no"

    @property
    def choice(self) -> str:
        return self.setting if isinstance(self.setting, str) else ""


@final
@dataclass(frozen=True)
class Preview:
    """A preview of a change."""

    changes: tuple[ChangedFigure, ...]
    options: tuple[ChangedOption, ...]
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
    options: tuple[tuple[str, tuple[OptionShown, ...]], ...]
    """Every option, by chapter."""
    changed: tuple[ChangedFigure, ...]
    chapters: tuple[tuple[str, tuple[tuple[str, str], ...]], ...]
    """Every rule with figures, by chapter: its id and its first words."""
    chosen: Entry | None
    figures: tuple[FigureShown, ...]
    preview: Preview | None = None

    @property
    def chosen_title(self) -> str:
        return title_of(self.chosen.id) if self.chosen else ""


def rules_screen(request: Request, visitor: Visitor, rule: str = "", said: str = "") -> HouseRulesScreen:
    frame = frame_of(request, visitor, "rules", said)
    book = frame.view.scene[BOOK]
    printed_book = frame.view.system.printed_book
    chosen = printed_book.entry(rule) if rule in printed_book.ids else None
    figures = figures_of(book, rule) if chosen else ()
    changed = changed_figures(book)
    return HouseRulesScreen(frame, options_by_chapter(book), changed, played_rules(printed_book), chosen, figures)


@router.get("/rules")
def rules(request: Request, visitor: Master, rule: Some = "", said: Said = "") -> HTMLResponse:
    return show(rules_screen(request, visitor, rule, said))


@router.post("/rules/preview")
async def preview(request: Request, visitor: Master, form: Sent) -> HTMLResponse:
    """What a change would do to the odds; nothing is changed."""

    def work(odds: OddsAsker) -> HTMLResponse:
        screen = rules_screen(request, visitor, form.one("rule"))
        overlay = overlay_of(screen.frame.view.scene[BOOK], form)
        shown = HouseRulesScreen(
            screen.frame,
            screen.options,
            screen.changed,
            screen.chapters,
            screen.chosen,
            screen.figures,
            _preview(screen, overlay, form.one("rule"), odds),
        )
        if not is_live(request):
            return show(shown)
        answer = show_part(shown, "preview")
        answer.headers["HX-Retarget"] = "#preview"
        answer.headers["HX-Reswap"] = "outerHTML show:top"
        return answer

    return await while_waited_for(request, visitor.whose, work)


def _preview(screen: HouseRulesScreen, overlay: Mapping[str, Any], rule: str, odds: OddsAsker) -> Preview:
    view = screen.frame.view
    before = view.scene[BOOK]
    after = before.but(overlay)
    changes = tuple(
        ChangedFigure(id_, path, _at(before, id_, path), value)
        for id_, paths in overlay.get("set", {}).items()
        for path, value in paths.items()
    )
    given = overlay.get("options", {})
    entries = (before.printed_book.entry(id_) for id_ in given)
    options = tuple(ChangedOption(each.id, given[each.id], setting_words(each, given[each.id])) for each in entries)
    touched = {*overlay.get("set", {}), *given}
    return Preview(changes, options, effects(view, before, after, touched, odds), rule)


def _at(book: Book, rule: str, path: str) -> Plain:
    return next((each.value for each in figures_of(book, rule) if each.path == path), None)


@router.post("/rules")
def apply(request: Request, visitor: Master, form: Sent) -> Response:
    """Change options and figures, from now on."""

    view = table_view(visitor, server_state(request).about(visitor.campaign))
    visitor.act(DeskCommand(master_desk.house_rules, overlay_of(view.scene[BOOK], form)))
    return back_to(request, visitor, "rules", "rules")


@router.post("/rules/as-printed")
def as_printed(request: Request, visitor: Master, form: Sent) -> Response:
    """Reset one figure, one option or one table's added rows to the printed book."""
    rule, path = form.one("rule"), form.one("path")

    if form.one("rows"):
        command = DeskCommand(master_desk.remove_rows, rule, path)
    elif path:
        printed_book = server_state(request).system(visitor.campaign).printed_book
        command = DeskCommand(master_desk.house_rules, {"set": {rule: {path: printed(printed_book, rule, path)}}})
    else:
        entry = server_state(request).system(visitor.campaign).printed_book.entry(rule)
        command = DeskCommand(master_desk.house_rules, {"options": {rule: printed_setting(entry)}})
    visitor.act(command)
    return back_to(request, visitor, "rules", "printed")


def overlay_of(book: Book, form: Form) -> dict[str, Any]:
    """What a form changes in a book: an option, or the changed figures of one rule."""
    if option := form.some("option"):
        return {"options": {option: form.one("choice") or form.one("on") == "yes"}}
    rule = form.one("rule")
    now = {each.path: each.value for each in figures_of(book, rule)} if rule in book.printed_book.ids else {}
    said = {
        name.removeprefix(FIGURE): values[-1].strip() for name, values in form.fields.items() if name.startswith(FIGURE)
    }
    found = {path: _like(now[path], text, path) for path, text in said.items() if path in now}
    changed = {path: value for path, value in found.items() if value != now[path]}
    if not changed:
        raise BadInput("rules", "nothing is changed")
    return {"set": {rule: changed}}


def _like(before: Plain, text: str, path: str) -> Plain:
    """A figure as typed, converted to the type of the one it replaces."""
    if isinstance(before, bool):
        return text == "yes"
    if isinstance(before, int):
        text = text.replace("\N{MINUS SIGN}", "-")
        if not is_number(text) or len(text) > 9:
            raise BadInput(path, f"must be a whole number, not {text!r}")
        return int(text)
    return text
