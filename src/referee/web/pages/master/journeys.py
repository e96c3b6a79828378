"""The game master's hand on the map of a journey: hexes, where the party is, and where it goes, by form."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

from fastapi import APIRouter, Request
from starlette.responses import Response

from referee.core.audience import Audience
from referee.core.errors import BadInput
from referee.core.plain import Plain, unknown, write
from referee.kits.journeys import Expedition, MapHex
from referee.table import master_desk
from referee.table.desk import DeskCommand
from referee.web.pages.forms import Form, Sent, done
from referee.web.pages.master.frame import Master
from referee.web.pages.parts.journeys import PATHS
from referee.web.pages.table_view import table_view
from referee.web.state import server_state

router = APIRouter(prefix="/table/{campaign}", include_in_schema=False)
FURTHEST: Final = 30
HEX: Final = "hex-"


@router.post("/journey/map")
def draw_map(request: Request, visitor: Master, form: Sent) -> Response:
    """Draw the map anew from the rows of its form, and say where the party is and where it goes."""
    view = table_view(visitor, server_state(request).about(visitor.campaign))
    name = form.one("encounter")
    if not isinstance(view.state.get(name), Expedition):
        raise BadInput("encounter", "nothing of that name is a journey")
    hexes = tuple(_hexes(form))
    names = tuple(each.name for each in hexes)
    here = (form.some("whereabouts") or "").strip() or (names[0] if names else "")
    route = tuple(filter(None, (each.strip() for each in (form.some("route") or "").split(","))))
    for each in (*((here,) if here else ()), *route):
        if each not in names:
            raise BadInput("route", unknown(each, names))

    def drawn(now: Any) -> dict[str, Plain]:
        found = replace(now.map, hexes=hexes)
        found.check()
        if here:
            found.check_route(here, route)
        past = [each for each in now.past if each in names]
        return {"map": write(found), "whereabouts": here, "route": list(route), "past": past}

    visitor.act(DeskCommand(master_desk.edit_from, name, drawn))
    return done(request, view.here)


def _hexes(form: Form) -> Iterator[MapHex]:
    for row in sorted(name.removeprefix(HEX) for name in form.fields if name.startswith(HEX)):
        name = (form.some(f"{HEX}{row}") or "").strip()
        if not name:
            continue
        path = form.some(f"path-{row}") or PATHS[0]
        if path not in PATHS:
            raise BadInput("path", unknown(path, PATHS))
        yield MapHex(
            name,
            (form.some(f"terrain-{row}") or "").strip(),
            _number(form, f"column-{row}"),
            _number(form, f"row-{row}"),
            path,  # type: ignore[arg-type]  # one of the paths, as was checked
            bool(form.some(f"landmark-{row}")),
            (form.some(f"says-{row}") or "").strip(),
            Audience.MASTER if form.some(f"hidden-{row}") else Audience.EVERYONE,
        )


def _number(form: Form, field: str) -> int:
    text = (form.some(field) or "0").strip()
    if not (text.isdecimal() and int(text) <= FURTHEST):
        raise BadInput(field.partition("-")[0], f"must be 0 to {FURTHEST}")
    return int(text)
