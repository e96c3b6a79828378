"""Encounters: starting one with its sides, ending it, and setting the distances in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Final, final

from fastapi import APIRouter, Request
from starlette.responses import Response

from referee.core.encounter import Encounter
from referee.core.errors import BadInput
from referee.core.plain import Plain, unknown
from referee.core.system import System
from referee.table.desk import Desk, DeskCommand
from referee.web.pages.forms import Sent, done
from referee.web.pages.master.frame import Master, back_to
from referee.web.pages.page import WORDS
from referee.web.pages.parts.look import Places, look_of
from referee.web.pages.table_view import TableView, table_view
from referee.web.state import server_state

router = APIRouter(prefix="/table/{campaign}", include_in_schema=False)
SIDE: Final = "side-"
"""The prefix of the form fields that say which side someone is on."""
MOST_SIDES: Final = 4
FURTHEST: Final = 9


@final
@dataclass(frozen=True)
class Startable:
    """A kind of encounter that can be started."""

    kind: str
    title: str
    sided: bool
    """Whether everyone in it is on a side."""
    people: tuple[tuple[str, int], ...]
    """Everyone, and the side they start on."""
    sides: tuple[int, ...] = tuple(range(1, MOST_SIDES + 1))


@final
@dataclass(frozen=True)
class Distance:
    """The distance between two people."""

    pair: str
    one: str
    other: str
    band: int


@final
@dataclass(frozen=True)
class Begun:
    """An encounter in the scene."""

    name: str
    title: str
    sides: tuple[tuple[str, ...], ...]
    over: str
    distances: tuple[Distance, ...]
    hidden: bool


def title_of(kind: str) -> str:
    return WORDS.say(f"scene.{kind}") if f"scene.{kind}" in WORDS else kind


def kinds_of(system: System) -> dict[str, Places]:
    """The kinds of encounters of a system, and how each is drawn."""
    drawn = look_of(system.name).encounters
    found = [kind for kind in system.kinds if kind.__name__ in drawn or issubclass(kind, Encounter)]
    return {kind.__name__: drawn.get(kind.__name__, Places()) for kind in found}


def begun(view: TableView) -> tuple[Begun, ...]:
    """The encounters in the scene."""
    kinds = kinds_of(view.system)
    scene: Mapping[str, Mapping[str, Plain]] = view.data["scene"]
    hidden = scene.get("veil", {}).get("names", ())
    found: list[Begun] = []
    for name, plain in scene.items():
        places = kinds.get(str(plain["kind"]))
        if places is not None:
            sides = tuple(tuple(map(str, side)) for side in plain.get(places.sides) or ())
            over: Any = getattr(view.state.get(name), "over", None)
            ended = str((over(view.scene) if over else None) or "")
            far = distances(plain, places)
            found.append(Begun(name, title_of(str(plain["kind"])), sides, ended, far, name in hidden))
    return tuple(found)


def distances(plain: Mapping[str, Plain], places: Places) -> tuple[Distance, ...]:
    """Every pair in an encounter, by name."""
    if not places.bands:
        return ()
    apart: Mapping[str, int] = plain.get(places.bands) or {}
    names = sorted(name for side in plain.get(places.sides) or () for name in side)
    pairs = ((f"{one} {other}", one, other) for one, other in combinations(names, 2))
    return tuple(Distance(pair, one, other, apart.get(pair, 0)) for pair, one, other in pairs)


def startable(view: TableView) -> tuple[Startable, ...]:
    """The encounters that could be started; only one of each kind runs at a time."""
    kinds = {each["kind"] for each in view.data["scene"].values()}
    people = tuple((name, 1 if view.is_own(name) else 2) for name in view.people)
    return tuple(
        Startable(kind, title_of(kind), bool(places.sides), people if places.sides else ())
        for kind, places in kinds_of(view.system).items()
        if kind not in kinds
    )


@router.post("/master/encounter")
def start(request: Request, visitor: Master, form: Sent) -> Response:
    """Start an encounter; all its fields except the sides have their defaults."""

    kinds = kinds_of(server_state(request).system(visitor.campaign))
    kind = form.one("kind")
    if kind not in kinds:
        raise BadInput("kind", unknown(kind, kinds))
    field = kinds[kind].sides
    sides = {field: _sides(form.fields)} if field else {}
    visitor.act(DeskCommand(Desk.add, kind.lower(), {"kind": kind, **sides}))
    return back_to(request, visitor, "people", "began")


def _sides(fields: Mapping[str, list[str]]) -> list[list[str]]:
    found: dict[str, list[str]] = {}
    for field, values in fields.items():
        if field.startswith(SIDE) and values[-1] in map(str, range(1, MOST_SIDES + 1)):
            found.setdefault(values[-1], []).append(field.removeprefix(SIDE))
    if len(found) < 2:
        raise BadInput("sides", "must be two sides, each with somebody on it")
    return [found[number] for number in sorted(found)]


@router.post("/master/encounter/end")
def end(request: Request, visitor: Master, form: Sent) -> Response:
    kinds = kinds_of(server_state(request).system(visitor.campaign))
    visitor.act(DeskCommand(Desk.remove, form.one("name"), kinds=tuple(kinds)))
    return back_to(request, visitor, "people", "ended")


@router.post("/distance")
def distance(request: Request, visitor: Master, form: Sent) -> Response:
    """Set the distance between two people; used by the map, its text version and the game master's page."""
    encounter, pair, band = form.one("encounter"), form.one("pair"), form.one("band")
    if len(band) != 1 or not band.isdecimal():
        raise BadInput("band", f"must be 0 to {FURTHEST}")

    view = table_view(visitor, server_state(request).about(visitor.campaign))
    plain = view.data["scene"].get(encounter, {})
    places = kinds_of(view.system).get(str(plain.get("kind")))
    if places is None or not places.bands:
        raise BadInput("encounter", "nothing of that name has distances in it")
    known = tuple(each.pair for each in distances(plain, places))
    if pair not in known:
        raise BadInput("pair", unknown(pair, known))
    visitor.act(DeskCommand(Desk.set_entry, encounter, places.bands, pair, int(band)))
    if form.one("from") == "master":
        return back_to(request, visitor, "people", "moved")
    return done(request, f"/table/{visitor.campaign}")
