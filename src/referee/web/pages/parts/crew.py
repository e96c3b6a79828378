"""Crews as a screen draws them: ships with stations, people and orders at them, and systems with their damage."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar, final

from referee.core.errors import NotKnown, RefereeError
from referee.core.look import CrewLook, StationLook
from referee.core.plain import Plain
from referee.core.wording import capital
from referee.kits.posts import Phased, PostOrder, ShipSystem

if TYPE_CHECKING:
    from referee.web.pages.parts.board import TokenFace
    from referee.web.pages.table_view import TableView

T = TypeVar("T")


@final
@dataclass(frozen=True)
class Station:
    """A post, who is there, and what has been ordered."""

    words: str
    skill: str
    people: tuple[TokenFace, ...]
    orders: tuple[PostOrder, ...]
    is_now: bool
    """Whether it is this station's turn."""
    is_mine: bool

    @property
    def is_done(self) -> bool:
        return bool(self.orders) and all(each.done for each in self.orders)


@final
@dataclass(frozen=True)
class CrewShip:
    """A ship, ready to be drawn."""

    name: str
    side: str
    stations: tuple[Station, ...]
    systems: tuple[ShipSystem, ...]


@final
@dataclass(frozen=True)
class CrewBoard:
    """Every ship of an encounter: those of one's own first, with their stations open."""

    ships: tuple[CrewShip, ...]
    line: str


def crew_board(
    view: TableView, value: Phased, plain: Mapping[str, Plain], look: CrewLook, face: Callable[[str], TokenFace]
) -> CrewBoard:
    """The ships as a seat knows them."""
    found = tuple(_ship(view, value, name, look, face) for name in value.fighters if name in view.data["scene"])
    ships = sorted(found, key=lambda ship: ship.side != "you")
    known = {key: f"{each:g}" if isinstance(each, (int, float)) else str(each) for key, each in plain.items()}
    return CrewBoard(tuple(ships), look.line.format_map(known) if look.line else "")


def _ship(view: TableView, value: Phased, name: str, look: CrewLook, face: Callable[[str], TokenFace]) -> CrewShip:
    stations = tuple(_station(view, value, name, each, face) for each in look.stations)
    nothing: tuple[ShipSystem, ...] = ()
    systems = _known(lambda: tuple[ShipSystem, ...](getattr(value, look.systems)(view.scene, name)), nothing)
    mine = any(each.side != "foe" for station in stations for each in station.people)
    return CrewShip(capital(name), "you" if mine else "foe", stations, systems)


def _station(view: TableView, value: Phased, ship: str, look: StationLook, face: Callable[[str], TokenFace]) -> Station:
    nobody: tuple[str, ...] = ()
    names = _known(lambda: value.at(view.scene, ship, look.post), nobody)
    people = tuple(face(name) for name in names if name in view.data["scene"])
    orders = tuple(each for each in value.orders if each.mover == ship and each.post == look.post)
    is_now = _known(lambda: value.acts_now(view.scene, ship, look.post), False)
    return Station(look.words, look.skill, people, orders, is_now, any(each.side == "you" for each in people))


def _known(found: Callable[[], T], otherwise: T) -> T:
    """What ships say about themselves, as far as the seat knows."""
    try:
        return found()
    except (NotKnown, RefereeError):
        return otherwise
