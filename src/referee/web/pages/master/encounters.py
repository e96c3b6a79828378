"""Encounters: starting one with what it needs, choosing which is played, ending it, and the distances in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields, replace
from itertools import combinations
from typing import Final, final

from fastapi import APIRouter, Request
from starlette.responses import Response

from referee.core.agenda import playing
from referee.core.clock import PASSING
from referee.core.describe import field_type
from referee.core.encounter import Encounter, encounters, stands
from referee.core.errors import BadInput
from referee.core.look import Places
from referee.core.plain import Plain, unknown
from referee.core.wording import class_words
from referee.table import master_desk
from referee.table.desk import DeskCommand
from referee.web.pages.forms import Sent, done
from referee.web.pages.master.fields import FIELD, Blank, blanks, filled_in, names_by, words_by
from referee.web.pages.master.frame import Master, back_to
from referee.web.pages.page import WORDS
from referee.web.pages.parts.board import kinds_of, title_of
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
    blanks: tuple[Blank, ...] = ()
    """What else has to be said."""
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


def startable(view: TableView) -> tuple[Startable, ...]:
    """The encounters that could be started; of most kinds only one stands at a time."""
    kinds = {each["kind"] for each in view.data["scene"].values()}
    people = tuple((name, 1 if view.is_own(name) else 2) for name in view.people)
    return tuple(
        Startable(
            kind,
            title_of(view.system, kind),
            bool(places.sides),
            people if places.sides else (),
            _needed(view, kind, places),
        )
        for kind, places in kinds_of(view.system).items()
        if kind not in kinds or getattr(view.system.kind(kind), "several", False)
    )


def _needed(view: TableView, name: str, places: Places) -> tuple[Blank, ...]:
    """The form fields of what has no default, but for the sides; and inside which other encounter it stands."""
    kind = view.system.kind(name)
    needed = {each.name for each in fields(kind) if each.default is MISSING and each.default_factory is MISSING}
    found = [each for each in blanks(kind, {}, words_by(view), names_by(view)) if _field(each) in needed]
    types = field_type(kind).fields
    asked = [
        replace(each, kind="pick", options=view.people) if types[_field(each)].kind == "person" else each
        for each in found
        if _field(each) != places.sides
    ]
    here = tuple(each.name for each in encounters(view.scene) if each != PASSING and stands(view.scene, each.name))
    if "within" in types and here:
        played = playing(view.scene)
        words = WORDS.say("master.scenes.within")
        asked.append(Blank(f"{FIELD}within", words, "pick", played.name if played else "", ("", *here)))
    return tuple(asked)


def _field(blank: Blank) -> str:
    return blank.field.removeprefix(FIELD)


@router.post("/master/encounter")
def start(request: Request, visitor: Master, form: Sent) -> Response:
    """Start an encounter with its sides and what else it needs; the rest has its defaults."""
    view = table_view(visitor, server_state(request).about(visitor.campaign))
    kinds = kinds_of(view.system)
    kind = form.one("kind")
    if kind not in kinds:
        raise BadInput("kind", unknown(kind, kinds))
    field = kinds[kind].sides
    given = filled_in(view.system.kind(kind), form) | ({field: _sides(form.fields)} if field else {})
    visitor.act(DeskCommand(master_desk.add, _free_name(view, kind), {"kind": kind, **given}))
    return back_to(request, visitor, "people", "began")


def _free_name(view: TableView, kind: str) -> str:
    """The name of a new encounter: its kind, with a number if several of the kind may stand."""
    name = class_words(kind)
    if not getattr(view.system.kind(kind), "several", False):
        return name
    names = (name, *(f"{name} {number}" for number in range(2, 1000)))
    return next(each for each in names if each not in view.data["scene"])


@router.post("/master/encounter/play")
def play(request: Request, visitor: Master, form: Sent) -> Response:
    """Say which of several encounters is played."""
    visitor.act(DeskCommand(master_desk.play_encounter, form.one("name")))
    return back_to(request, visitor, "people", "plays")


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
