"""The rulebook: search as you type, every rule with its tables, printed or as a campaign plays it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, ClassVar, Final, final

from fastapi import APIRouter, Path, Query, Request
from starlette.responses import HTMLResponse

from referee.core.describe import described
from referee.core.rules import FORMULAS, RULES
from referee.core.system import System
from referee.web.limits import check_characters
from referee.web.pages.book.citations import Use, uses
from referee.web.pages.book.search import LONGEST, Leaf, index_of, kind_words, leaf, search, title_of
from referee.web.pages.book.typesetting import Printed, named_by, names, printed
from referee.web.pages.forms import at
from referee.web.pages.page import WORDS, show, show_part
from referee.web.pages.place import Place, at_none, at_table, is_part
from referee.web.sign_in import CurrentVisitor

router = APIRouter(include_in_schema=False)
MANY: Final = 120
"""A book with more rules than this is opened chapter by chapter."""
MOST_NEAR: Final = 5
PART: Final = " / "
"""The separator between a chapter and a part of it."""
OUR_OWN: Final = "referee."
"""The prefix of the ids of the table's own rules, which are in no book."""

Wanted = Annotated[str, Query(alias="q", max_length=LONGEST)]
Opened = Annotated[str, Query(alias="chapter", max_length=LONGEST)]
SystemName = Annotated[str, Path(max_length=64)]
RuleId = Annotated[str, Path(max_length=200)]


# --- finding a rule ---------------------------------------------------------------------------------------------------


@final
@dataclass(frozen=True)
class Chapter:
    """A chapter: its rules if it is open, otherwise how many there are."""

    name: str
    count: int
    href: str
    leaves: tuple[Leaf, ...] = ()
    within: str = ""
    """The larger chapter it is a part of, if there are several."""

    @property
    def id(self) -> str:
        whole = f"{self.within} {self.name}".strip().lower()
        return "chapter-" + "".join(sign if sign.isalnum() else "-" for sign in whole)


@final
@dataclass(frozen=True)
class Shelved:
    """A book on the shelf, with its chapters."""

    name: str
    title: str
    href: str
    count: int
    chapters: tuple[Chapter, ...]


@final
@dataclass(frozen=True)
class RulesScreen:
    template: ClassVar[str] = "rules.html"
    place: Place
    asked: str
    hits: tuple[Leaf, ...]
    chapters: tuple[Chapter, ...]
    """The chapters of the one book that is open."""
    shelf: tuple[Shelved, ...]
    """Every book, if none is open."""
    chapter: str = ""

    @property
    def here(self) -> str:
        return self.place.rules(self.place.system)

    @property
    def found(self) -> str:
        """How many rules were found, in words; empty if there was no search."""
        if not self.asked:
            return ""
        key = "none" if not self.hits else "one" if len(self.hits) == 1 else "some"
        return WORDS.say(f"rules.found.{key}", count=len(self.hits), asked=self.asked)

    @cached_property
    def books(self) -> tuple[tuple[str, str, str], ...]:
        """The books to choose from: name, title and address; none if there is no choice."""
        every = at_none().systems if self.place.view is None else ()
        return tuple((each.name, each.title, at(self.place.rules(each), q=self.asked)) for each in every)

    @property
    def all_books(self) -> str:
        return at("/rules", q=self.asked)


def rules_screen(place: Place, asked: str, chapter: str) -> RulesScreen:
    asked = " ".join(check_characters(asked, "q").split())
    if asked:
        return RulesScreen(place, asked, search(place, asked), (), ())
    if place.system is None:
        return RulesScreen(place, "", (), (), tuple(_shelved(place, each) for each in place.systems))
    return RulesScreen(place, "", (), _chapters(place, place.system, chapter), (), chapter)


def _chapters(place: Place, system: System, opened: str) -> tuple[Chapter, ...]:
    """The chapters of a book, all open; in a large book only the requested one is."""
    book = place.book(system)
    found: dict[str, list[str]] = {}
    for id_ in book.printed_book.ids:
        found.setdefault(book.printed_book.entry(id_).chapter, []).append(id_)
    is_small = len(book.printed_book.ids) <= MANY
    is_one = len({name.partition(PART)[0] for name in found}) == 1
    chapters = []
    for name, ids in found.items():
        within, _, last = name.rpartition(PART)
        is_open = is_small or name == opened
        leaves = tuple(leaf(place, system, book, book.entry(id_)) for id_ in ids) if is_open else ()
        href = at(place.rules(system), chapter=name)
        chapters.append(Chapter(last, len(ids), href, leaves, "" if is_one else within))
    return tuple(chapters)


def _shelved(place: Place, system: System) -> Shelved:
    """A closed book: its larger chapters, or the parts of its only one."""
    home = place.rules(system)
    is_small = len(system.printed_book.ids) <= MANY
    parts = _chapters(Place(system), system, "")
    found: dict[str, Chapter] = {}
    for each in parts:
        name = each.within or each.name
        before = found.get(name)
        href = before.href if before else f"{home}#{each.id}" if is_small else each.href
        found[name] = Chapter(name, each.count + (before.count if before else 0), href)
    return Shelved(system.name, system.title, home, len(system.printed_book.ids), tuple(found.values()))


def _listed(request: Request, place: Place, asked: str, chapter: str) -> HTMLResponse:
    screen = rules_screen(place, asked, chapter)
    return show_part(screen, "results") if is_part(request) else show(screen)


@router.get("/rules")
def all_rules(request: Request, asked: Wanted = "") -> HTMLResponse:
    return _listed(request, at_none(), asked, "")


@router.get("/rules/{system}")
def system_rules(request: Request, system: SystemName, asked: Wanted = "", chapter: Opened = "") -> HTMLResponse:
    return _listed(request, at_none(system), asked, chapter)


@router.get("/table/{campaign}/rules")
def table_rules(request: Request, visitor: CurrentVisitor, asked: Wanted = "", chapter: Opened = "") -> HTMLResponse:
    return _listed(request, at_table(request, visitor), asked, chapter)


# --- a rule -----------------------------------------------------------------------------------------------------------


@final
@dataclass(frozen=True)
class RuleFunction:
    """How the table carries out a rule."""

    says: str
    asks: tuple[str, ...]
    odds: str = ""
    """The address of its odds, if it is the rule of an action."""


@final
@dataclass(frozen=True)
class RuleScreen:
    template: ClassVar[str] = "rule.html"
    place: Place
    system: System
    leaf: Leaf
    printed: Printed
    runs: tuple[RuleFunction, ...]
    names: tuple[Leaf, ...]
    named_by: tuple[Leaf, ...]
    uses: tuple[Use, ...]

    @property
    def title(self) -> str:
        return "".join(each.text for each in self.leaf.title)

    @property
    def kind(self) -> str:
        return kind_words(self.leaf.kind)


@final
@dataclass(frozen=True)
class NoRuleScreen:
    """A rule that is in no book: one of the table's own, or one that does not exist."""

    template: ClassVar[str] = "norule.html"
    place: Place
    rule: str
    title: str
    says: str
    is_ours: bool
    near: tuple[Leaf, ...]


@router.get("/rules/{system}/{rule:path}")
def rule(system: SystemName, rule: RuleId) -> HTMLResponse:
    """A rule as printed."""
    return _rule(at_none(system), rule, ())


@router.get("/table/{campaign}/rules/{rule:path}")
def table_rule(request: Request, visitor: CurrentVisitor, rule: RuleId) -> HTMLResponse:
    """A rule as a campaign plays it."""
    place = at_table(request, visitor)
    known = rule.partition("/")[0] if place.system and rule.partition("/")[0] in place.system.printed_book.ids else rule
    return _rule(place, rule, uses(visitor, place, known))


def _rule(place: Place, rule: str, used: tuple[Use, ...]) -> HTMLResponse:
    system = place.systems[0]
    id_ = check_characters(rule, "rule").partition("/")[0]
    if id_ not in system.printed_book.ids:
        return _no_rule(place, system, rule)
    book = place.book(system)
    entry = book.entry(id_)

    def leaves(ids: tuple[str, ...]) -> tuple[Leaf, ...]:
        return tuple(leaf(place, system, book, book.entry(each)) for each in ids)

    shown = RuleScreen(
        place,
        system,
        leaf(place, system, book, entry),
        printed(entry, system.printed_book),
        tuple(_runs(place, system, id_)),
        leaves(names(entry, system.printed_book)),
        leaves(named_by(id_, system.printed_book)),
        used,
    )
    return show(shown)


def _runs(place: Place, system: System, id_: str) -> Iterator[RuleFunction]:
    for each in described(system.printed_book.entry(id_))["runs"]:
        keys = (f"prompts.{prompt}" for prompt in each["asks"])
        asks = tuple(system.words.say(key) for key in keys if key in system.words)
        action = next((one for one in system.actions if one.rule.id == id_ and one.bands.has_stake), None)
        used = action is not None and place.view is not None and action.absence(place.view.scene) is None
        odds = at(place.odds(system), action=action.key) if action and used else ""
        yield RuleFunction(str(each["says"]), asks, odds)


def _no_rule(place: Place, system: System, rule: str) -> HTMLResponse:
    """A page for a rule that is in no book; only a completely unknown one is a 404."""
    cited = RULES.get(rule) or FORMULAS.get(rule)
    is_ours = rule.startswith(OUR_OWN)
    book = place.book(system)
    near = index_of(system.name).search(rule.removeprefix(f"{system.name}."), MOST_NEAR) if not is_ours else ()
    leaves = tuple(leaf(place, system, book, book.entry(hit.id)) for hit in near)
    shown = NoRuleScreen(place, rule, title_of(rule), cited.says if cited else "", is_ours, leaves)
    return show(shown, 200 if is_ours or cited else 404)
