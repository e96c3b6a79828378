"""A journey as a screen draws it: the day in quarters, the map of hexes with its legs, supplies, who does what."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING, Final, final

from referee.core.clock import CLOCK, Clock
from referee.core.errors import NotKnown, RefereeError
from referee.core.look import JourneyLook, JourneySupply
from referee.core.rules import FORMULAS
from referee.core.scene import Who
from referee.core.wording import capital
from referee.kits.journeys import Expedition, MapHex
from referee.web.pages.page import WORDS

if TYPE_CHECKING:
    from referee.web.pages.parts.board import TokenFace
    from referee.web.pages.table_view import TableView

SIZE: Final = 33.0
"""The radius of a hex, as it is drawn."""
WIDE: Final = sqrt(3) * SIZE
PATHS: Final = ("none", "trail", "road")
LOW_DAYS: Final = 2
"""Supplies for fewer days are marked."""


@final
@dataclass(frozen=True)
class DayQuarter:
    """A quarter of the day: from which hour to which, and whether it is past, now or to come."""

    words: str
    hours: str
    state: str


@final
@dataclass(frozen=True)
class DrawnHex:
    """A hex on the map, and what it is to the journey."""

    hex: MapHex
    x: float
    y: float
    drawn: str
    state: str
    """`here`, `past`, `route`, or nothing."""
    is_hidden: bool = False

    @property
    def corners(self) -> str:
        """The points of its outline."""
        half, side = WIDE / 2, SIZE / 2
        around = ((0, SIZE), (half, side), (half, -side), (0, -SIZE), (-half, -side), (-half, side))
        return " ".join(f"{self.x + x:.1f},{self.y + y:.1f}" for x, y in around)


@final
@dataclass(frozen=True)
class Supplies:
    """What the party has of something, and for how long."""

    words: str
    icon: str
    amount: int
    lasts: str = ""
    is_low: bool = False


@final
@dataclass(frozen=True)
class RoleTile:
    """Something to do in this quarter, and who does it."""

    value: str
    icon: str
    says: str
    faces: tuple[TokenFace, ...]
    barred: str = ""
    rolls: bool = True


@final
@dataclass(frozen=True)
class JourneyBoard:
    """A journey, ready to be drawn."""

    day: int
    quarters: tuple[DayQuarter, ...]
    facts: tuple[tuple[str, str], ...]
    hexes: tuple[DrawnHex, ...]
    legs: tuple[tuple[str, str], ...]
    """The lines that are drawn, each with what it is: done, next or rest."""
    width: float
    height: float
    supplies: tuple[Supplies, ...]
    people: tuple[TokenFace, ...]
    tiles: tuple[RoleTile, ...]
    who: str
    """Who chooses among the tiles; nobody, if nobody of this seat does."""
    chosen: int
    mine: str
    """What they have laid down."""
    look: JourneyLook
    terrains: tuple[str, ...]
    km: int
    title: str
    whereabouts: str
    route: tuple[str, ...]

    @property
    def now(self) -> DayQuarter:
        return next(each for each in self.quarters if each.state == "now")

    @property
    def told(self) -> str:
        """The map in a sentence, for those who do not see it."""
        return WORDS.say("journey.told", here=self.whereabouts or "?", route=", ".join(self.route) or "?")

    @property
    def paths(self) -> tuple[str, ...]:
        return PATHS


def journey_board(
    view: TableView, value: object, look: JourneyLook, faces: Mapping[str, TokenFace], who: str
) -> JourneyBoard | None:
    """The journey as somebody sees it."""
    if not isinstance(value, Expedition):
        return None
    quarter = next((each.size for each in view.system.units(view.scene) if each.name == look.unit), 1)
    now = view.scene.get(CLOCK, Clock()).now
    places = {each.name: _place(each) for each in value.map.hexes}
    left, top = (min((each[at] for each in places.values()), default=0) - SIZE * 1.2 for at in (0, 1))
    drawn = tuple(_hexes(value, look, places, left, top))
    at = {each.hex.name: (each.x, each.y) for each in drawn}
    may_choose = who if who in value.party and who in view.may_be() else ""
    return JourneyBoard(
        now // (quarter * len(look.quarters)) + 1,
        tuple(_quarters(look, now // quarter % len(look.quarters))),
        tuple((words, str(getattr(value, field))) for field, words in look.facts.items() if getattr(value, field)),
        drawn,
        tuple(_legs(value, at)),
        max((each.x for each in drawn), default=0) + SIZE * 1.2,
        max((each.y for each in drawn), default=0) + SIZE * 1.2,
        tuple(_supplies(view, each, value.party) for each in look.supplies),
        tuple(faces[name] for name in value.party if name in faces),
        tuple(_tiles(view, value, look, faces, may_choose)),
        may_choose,
        len(value.laid_down),
        next((each.activity for each in value.laid_down if each.who == may_choose), ""),
        look,
        tuple(look.map),
        value.map.km,
        " – ".join(each for each in (*value.past[:1], str(getattr(value, "goal", ""))) if each),
        value.whereabouts,
        value.route,
    )


def _place(hex_: MapHex) -> tuple[float, float]:
    """The middle of a hex; odd rows lie half a hex to the right."""
    return WIDE * (hex_.column + hex_.row % 2 / 2), SIZE * 1.5 * hex_.row


def _hexes(
    value: Expedition, look: JourneyLook, places: Mapping[str, tuple[float, float]], left: float, top: float
) -> Iterator[DrawnHex]:
    for each in value.map.hexes:
        x, y = places[each.name]
        here = each.name == value.whereabouts
        state = "here" if here else "past" if each.name in value.past else "route" if each.name in value.route else ""
        hidden = each.audience is not type(each.audience).EVERYONE
        yield DrawnHex(each, x - left, y - top, look.map.get(each.terrain, "fog"), state, hidden)


def _legs(value: Expedition, at: Mapping[str, tuple[float, float]]) -> Iterator[tuple[str, str]]:
    """What was walked, the next leg, and the rest of the way."""
    done, route = (*value.past, value.whereabouts), (value.whereabouts, *value.route)
    for kind, names in (("done", done), ("next", route[:2]), ("rest", route[1:])):
        points = [at[name] for name in names if name in at]
        if len(points) > 1:
            yield kind, " ".join(f"{x:.1f},{y:.1f}" for x, y in points)


def _quarters(look: JourneyLook, now: int) -> Iterator[DayQuarter]:
    hours = 24 // len(look.quarters)
    for number, words in enumerate(look.quarters):
        begin = (look.dawn + number * hours) % 24
        told = WORDS.say("journey.hours", begin=begin, end=begin + hours)
        yield DayQuarter(words, told, "now" if number == now else "done" if number < now else "later")


def _supplies(view: TableView, supply: JourneySupply, party: tuple[str, ...]) -> Supplies:
    amount, formula = 0, FORMULAS[supply.formula]
    for name in party:
        try:
            amount += int(formula(view.scene, Who(name, view.system.sheet)))
        except (NotKnown, RefereeError):
            continue
    days = amount // (supply.each * len(party)) if supply.each and party else None
    lasts = "" if days is None else WORDS.say("journey.for-a-day" if days == 1 else "journey.for-days", days=days)
    return Supplies(supply.words, supply.icon, amount, lasts, days is not None and days < LOW_DAYS)


def _tiles(
    view: TableView, value: Expedition, look: JourneyLook, faces: Mapping[str, TokenFace], who: str
) -> Iterator[RoleTile]:
    """Everything there is to do, with those who do it; why somebody cannot is said, for some of it takes more."""
    action = view.system.action(look.action)
    for name, role in look.roles.items():
        doing = tuple(faces[each.who] for each in value.laid_down if each.activity == name and each.who in faces)
        barred = ""
        if who:
            try:
                why = action.may(view.scene, Who(who, view.system.sheet), **{look.argument: name})
                barred = capital(str(why.because)) if why is not None else ""
            except (NotKnown, RefereeError):
                barred = ""
        yield RoleTile(name, role.icon, role.says, doing, barred, role.rolls)
