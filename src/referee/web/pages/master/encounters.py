"""Encounters: starting one with what it needs, choosing which is played, ending it, and the distances in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Final, final

from fastapi import APIRouter, Request
from starlette.responses import Response

from referee.core.agenda import playing
from referee.core.clock import PASSING
from referee.core.encounter import Encounter, encounters, stands
from referee.core.errors import BadInput
from referee.core.look import Places
from referee.core.plain import Plain, is_number, unknown
from referee.table import encounter_desk, master_desk
from referee.table.desk import DeskCommand
from referee.web.demo import sample_scene
from referee.web.pages.forms import Form, Sent, done
from referee.web.pages.master.frame import Master, back_to
from referee.web.pages.parts.board import kinds_of, title_of
from referee.web.pages.parts.starting import start_in
from referee.web.pages.table_view import TableView, table_view
from referee.web.sign_in import Visitor
from referee.web.state import server_state

router = APIRouter(prefix="/table/{campaign}", include_in_schema=False)
JOIN: Final = "join-"
FURTHEST: Final = 9


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
    within: str
    """The name of the encounter it stands inside."""
    is_played: bool
    """Whether the table plays it now."""
    may_be_played: bool
    """Whether the game master may choose it, because several stand."""


def begun(view: TableView) -> tuple[Begun, ...]:
    """The encounters in the scene."""
    kinds = kinds_of(view.system)
    standing = [each.name for each in encounters(view.scene) if each != PASSING and stands(view.scene, each.name)]
    played = playing(view.scene)
    scene: Mapping[str, Mapping[str, Plain]] = view.data["scene"]
    hidden = scene.get("veil", {}).get("names", ())
    found: list[Begun] = []
    for name, plain in scene.items():
        places = kinds.get(str(plain["kind"]))
        if places is not None:
            sides = tuple(tuple(map(str, side)) for side in plain.get(places.sides) or ())
            value = view.state.get(name)
            over = value.over(view.scene, view.scene.who(name)) if isinstance(value, Encounter) else None
            found.append(
                Begun(
                    name,
                    title_of(view.system, str(plain["kind"]), name),
                    sides,
                    "" if over is None else str(over),
                    distances(plain, places),
                    name in hidden,
                    str(plain.get("within") or ""),
                    played is not None and played.name == name,
                    name in standing and len(standing) > 1,
                )
            )
    return tuple(found)


def distances(plain: Mapping[str, Plain], places: Places) -> tuple[Distance, ...]:
    """Every pair in an encounter, by name."""
    if not places.bands:
        return ()
    apart: Mapping[str, int] = plain.get(places.bands) or {}
    names = sorted(name for side in plain.get(places.sides) or () for name in side)
    pairs = ((f"{one} {other}", one, other) for one, other in combinations(names, 2))
    return tuple(Distance(pair, one, other, apart.get(pair, 0)) for pair, one, other in pairs)


@router.post("/master/encounter")
def start(request: Request, visitor: Master, form: Sent) -> Response:
    """Start an encounter with its sides and what else it needs; the rest has its defaults."""
    view = table_view(visitor, server_state(request).about(visitor.campaign))
    visitor.act(DeskCommand(encounter_desk.begin, start_in(view, form)))
    return _back(request, visitor, form, "began")


@router.post("/master/encounter/prepare")
def prepare(request: Request, visitor: Master, form: Sent) -> Response:
    """Keep an encounter for later."""
    view = table_view(visitor, server_state(request).about(visitor.campaign))
    title = form.one("title") or title_of(view.system, form.one("kind"))
    visitor.act(DeskCommand(encounter_desk.prepare, title, start_in(view, form)))
    return _back(request, visitor, form, "kept")


@router.post("/master/encounter/prepared")
def begin_prepared(request: Request, visitor: Master, form: Sent) -> Response:
    """Start an encounter as it was prepared."""
    visitor.act(DeskCommand(encounter_desk.begin_prepared, form.one("prepared")))
    return _back(request, visitor, form, "began")


@router.post("/master/encounter/drop")
def drop(request: Request, visitor: Master, form: Sent) -> Response:
    """Keep a prepared encounter no longer."""
    visitor.act(DeskCommand(encounter_desk.drop, form.one("prepared")))
    return _back(request, visitor, form, "removed")


@router.post("/master/encounter/sample")
def load_sample(request: Request, visitor: Master, form: Sent) -> Response:
    """Add the people and the encounter of a sample."""
    scene = sample_scene(server_state(request).system(visitor.campaign), form.one("sample"))
    visitor.act(DeskCommand(encounter_desk.load_scene, scene))
    return _back(request, visitor, form, "brought")


@router.post("/master/encounter/part")
def take_part(request: Request, visitor: Master, form: Sent) -> Response:
    """Somebody joins, changes sides, leaves or surrenders."""
    encounter, who, doing = form.one("encounter"), form.one("who"), form.one("do")
    if doing.startswith(JOIN) and is_number(doing.removeprefix(JOIN)):
        visitor.act(DeskCommand(encounter_desk.join, encounter, who, int(doing.removeprefix(JOIN))))
    elif doing == "leave":
        visitor.act(DeskCommand(encounter_desk.leave, encounter, who))
    elif doing == "surrender":
        visitor.act(DeskCommand(encounter_desk.surrender, encounter, who))
    else:
        raise BadInput("do", unknown(doing, (f"{JOIN}0", "leave", "surrender")))
    return done(request, f"/table/{visitor.campaign}")


def _back(request: Request, visitor: Visitor, form: Form, said: str) -> Response:
    """Back to the page that the form stands on; a live table is updated by its stream."""
    if form.one("from") == "table":
        return done(request, f"/table/{visitor.campaign}")
    return back_to(request, visitor, "people", said)


@router.post("/master/encounter/play")
def play(request: Request, visitor: Master, form: Sent) -> Response:
    """Say which of several encounters is played."""
    visitor.act(DeskCommand(master_desk.play_encounter, form.one("name")))
    return back_to(request, visitor, "people", "plays")


@router.post("/master/encounter/end")
def end(request: Request, visitor: Master, form: Sent) -> Response:
    system, name = server_state(request).system(visitor.campaign), form.one("name")
    others = tuple(kind for kind in kinds_of(system) if not issubclass(system.kind(kind), Encounter))
    view = table_view(visitor, server_state(request).about(visitor.campaign))
    if str(view.data["scene"].get(name, {}).get("kind")) in others:
        visitor.act(DeskCommand(master_desk.remove, name, kinds=others))
    else:
        visitor.act(DeskCommand(master_desk.end_encounter, name))
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
    visitor.act(DeskCommand(master_desk.set_entry, encounter, places.bands, pair, int(band)))
    if form.one("from") == "master":
        return back_to(request, visitor, "people", "moved")
    return done(request, f"/table/{visitor.campaign}")
