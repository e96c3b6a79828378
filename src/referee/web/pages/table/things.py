"""Things: the catalogue of the game, from which the game master gives and players buy; and what is done with things."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Final, final
from urllib.parse import quote

from fastapi import APIRouter, Query, Request
from starlette.responses import HTMLResponse, Response

from referee.core.catalogue import CatalogueRow, catalogue, find_row
from referee.core.errors import BadInput, Refused
from referee.core.plain import is_number
from referee.core.rulebook import BOOK
from referee.core.things import Amount
from referee.table import things_desk
from referee.table.desk import DeskCommand
from referee.web.pages.forms import Form, Sent, at, done, go
from referee.web.pages.page import WORDS, show
from referee.web.pages.parts.things import Belongings, left_by, lying
from referee.web.pages.table_view import TableView, table_view
from referee.web.sign_in import ActingVisitor, CurrentVisitor
from referee.web.state import server_state

router = APIRouter(prefix="/table/{campaign}/things", include_in_schema=False)
MOST_OFFERED: Final = 20
"""So many of one thing can be picked on the page; more take another tap."""
LONGEST_NUMBER: Final = 9
FEW: Final = 6
"""Kinds with no more things than this stand open."""
Words = Annotated[str, Query(max_length=200)]


@final
@dataclass(frozen=True)
class RowShown:
    """A thing of the catalogue, and whether it can be bought."""

    row: CatalogueRow
    price: str = ""
    unsold: str = ""
    """Why nobody can buy it, if the game has a rule for buying."""


@final
@dataclass(frozen=True)
class KindShown:
    """The things of one kind."""

    key: str
    words: str
    rows: tuple[RowShown, ...]
    is_open: bool


@final
@dataclass(frozen=True)
class ThingsScreen:
    """The things of the game, and who could have them."""

    template: ClassVar[str] = "things.html"
    view: TableView
    kinds: tuple[KindShown, ...]
    find: str
    count: int
    who: str
    """Who is given things, or buys them."""
    people: tuple[str, ...]
    done: str
    """What was just done."""
    left: tuple[Belongings, ...]
    is_sold: bool
    """Whether the game has a rule for buying."""
    has_prices: bool

    @property
    def here(self) -> str:
        return self.view.here

    @property
    def counts(self) -> tuple[int, ...]:
        return tuple(range(1, MOST_OFFERED + 1))

    @property
    def gives(self) -> bool:
        """Whether this seat gives things to people: the game master does."""
        return self.view.is_master and bool(self.people)

    @property
    def buys(self) -> bool:
        return self.is_sold and self.view.may_play and bool(self.people)


@router.get("")
def things_page(
    request: Request, visitor: CurrentVisitor, find: Words = "", who: Words = "", count: int = 1, said: Words = ""
) -> HTMLResponse:
    view = table_view(visitor, server_state(request).about(visitor.campaign))
    people = tuple(each for each in view.may_be() if each)
    kinds = tuple(_kinds(view, find)) if view.look.items else ()
    return show(
        ThingsScreen(
            view,
            kinds,
            find,
            min(max(count, 1), MOST_OFFERED),
            who if who in people else people[0] if people else "",
            people,
            _done_words(view, who, said) if who in people else "",
            lying(view),
            "buy" in view.look.handling,
            bool(view.look.items) and has_prices(view),
        )
    )


def _done_words(view: TableView, who: str, said: str) -> str:
    """What the address says was just done; nothing if it names what there is not: anybody can write an address."""
    done, _, thing = said.partition(" ")
    try:
        find_row(view.system, view.scene[BOOK], thing.rpartition(" × ")[2])
    except (BadInput, Refused):
        return ""
    return WORDS.say(f"things.done.{done}", who=who, thing=thing) if done in ("gave", "bought") else ""


def _kinds(view: TableView, find: str) -> list[KindShown]:
    """The catalogue by kind, or what of it fits the words searched for."""
    found: list[KindShown] = []
    for kind in catalogue(view.system, view.scene[BOOK]):
        rows = tuple(_shown(view, row) for row in kind.rows if _matches(kind.words, row, find))
        if rows:
            found.append(KindShown(kind.key or "things", kind.words, rows, bool(find) or len(kind.rows) <= FEW))
    return found


def _shown(view: TableView, row: CatalogueRow) -> RowShown:
    why: Refused | None = things_desk.not_for_sale(view.system, row)
    price = "" if row.price is None else price_words(view, row.price)
    return RowShown(row, price, why.because if why is not None and "buy" in view.look.handling else "")


def has_prices(view: TableView) -> bool:
    """Whether the game says of anything what it costs, whatever is searched for."""
    return any(row.price is not None for kind in catalogue(view.system, view.scene[BOOK]) for row in kind.rows)


def price_words(view: TableView, price: float) -> str:
    """A price, as the game writes it."""
    words, said = view.system.words, f"{price:g}"
    return words.say("things.price", price=said) if "things.price" in words else WORDS.say("things.price", price=said)


def _matches(kind: str, row: CatalogueRow, find: str) -> bool:
    text = f"{kind} {row.key} {row.sentence}".casefold()
    return all(word in text for word in find.casefold().split())


@router.post("/get")
def get(request: Request, visitor: ActingVisitor, form: Sent) -> Response:
    """The game master gives somebody something of the catalogue."""
    key, who, count = form.one("key"), form.one("who"), _count(form.one("count"))
    visitor.act(DeskCommand(things_desk.get, who, key, count))
    return _again(request, visitor.campaign, form, f"gave {_several(key, count)}")


@router.post("/buy")
def buy(request: Request, visitor: ActingVisitor, form: Sent) -> Response:
    """Somebody buys something of the catalogue."""
    key, who, count = form.one("key"), form.one("who"), _count(form.one("count"))
    visitor.act(DeskCommand(things_desk.buy, who, key, count))
    return _again(request, visitor.campaign, form, f"bought {_several(key, count)}")


def _several(key: str, count: int) -> str:
    return key if count == 1 else f"{count} × {key}"


def _count(text: str) -> int:
    if text and not (is_number(text) and len(text) < 3 and 1 <= int(text) <= MOST_OFFERED):
        raise BadInput("count", f"must be 1 to {MOST_OFFERED}")
    return int(text or 1)


def _again(request: Request, campaign: str, form: Form, said: str) -> Response:
    query = {"who": form.one("who"), "find": form.one("find"), "count": form.one("count"), "said": said}
    return go(request, at(f"/table/{campaign}/things", **query))


@router.post("/handle")
def handle(request: Request, visitor: ActingVisitor, form: Sent) -> Response:
    """Put a thing elsewhere, give it to somebody, take it from the fallen or the ground, take it away."""
    who, thing, way = form.one("who"), form.one("thing"), form.one("way")
    if place := form.one("put"):
        visitor.act(DeskCommand(things_desk.put, who, thing, place))
    elif way == "give":
        visitor.act(DeskCommand(things_desk.give, who, thing, form.one("to"), _amount(form)))
    elif way == "lose":
        visitor.act(DeskCommand(things_desk.lose, who, thing, _amount(form)))
    elif way == "take":
        owner = form.one("owner")
        view = table_view(visitor, server_state(request).about(visitor.campaign))
        names = [each.name for each in left_by(view, owner).things] if form.one("all") else [thing]
        visitor.act(DeskCommand(things_desk.take, who, owner, names))
    else:
        raise BadInput("way", "must be give, take or lose")
    return _back(request, visitor.campaign, form)


def _amount(form: Form) -> Amount | None:
    text = form.one("amount")
    whole, point, rest = text.partition(".")
    if text and not (len(text) <= LONGEST_NUMBER and is_number(whole) and (not point or rest.isdecimal())):
        raise BadInput("amount", "must be a number")
    return None if not text else float(text) if point else int(text)


def _back(request: Request, campaign: str, form: Form) -> Response:
    """To the page it came from."""
    here, who = f"/table/{campaign}", form.one("owner") or form.one("who")
    match form.one("from"):
        case "sheet":
            return go(request, f"{here}/sheet/{quote(who)}")
        case "things":
            return go(request, at(f"{here}/things", who=form.one("who")))
        case _:
            return done(request, here)
