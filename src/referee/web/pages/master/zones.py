"""The game master's hand on a map of zones: moving people, and drawing zones and borders, by dragging or by form."""

from __future__ import annotations

from typing import Any, Final

from fastapi import APIRouter, Request
from starlette.responses import Response

from referee.core.errors import BadInput
from referee.core.plain import Plain, read, unknown, write
from referee.kits.zones import Border, Zone, ZoneMap
from referee.table import master_desk
from referee.table.desk import DeskCommand
from referee.web.pages.forms import Form, Sent, done
from referee.web.pages.master.frame import Master
from referee.web.pages.parts.board import kinds_of
from referee.web.pages.table_view import TableView, table_view
from referee.web.state import server_state

router = APIRouter(prefix="/table/{campaign}", include_in_schema=False)
MOST_EXTRA: Final = 9


@router.post("/zones/place")
def place(request: Request, visitor: Master, form: Sent) -> Response:
    """Put somebody into a zone."""
    view = table_view(visitor, server_state(request).about(visitor.campaign))
    field, found = _map_of(view, form.one("encounter"))
    who = form.one("who")
    if who not in view.people:
        raise BadInput("who", unknown(who, view.people))
    if form.one("zone") not in found.names:
        raise BadInput("zone", unknown(form.one("zone"), found.names))

    def moved(now: Any) -> dict[str, Plain]:
        return {field: write(getattr(now, field).moved(who, form.one("zone")))}

    visitor.act(DeskCommand(master_desk.edit_from, form.one("encounter"), moved))
    return done(request, view.here)


@router.post("/zones/map")
def draw_map(request: Request, visitor: Master, form: Sent) -> Response:
    """Draw the map anew from the rows of its form; people stay where they are as long as their zone does."""
    view = table_view(visitor, server_state(request).about(visitor.campaign))
    field, _ = _map_of(view, form.one("encounter"))
    zones = tuple(_zones(form))
    names = {each.name for each in zones}
    borders = tuple(_borders(form, names))

    def drawn(now: Any) -> dict[str, Plain]:
        places = tuple(each for each in getattr(now, field).places if each.zone in names)
        found = ZoneMap(zones, borders, places)
        found.check()
        return {field: write(found)}

    visitor.act(DeskCommand(master_desk.edit_from, form.one("encounter"), drawn))
    return done(request, view.here)


def _map_of(view: TableView, encounter: str) -> tuple[str, ZoneMap]:
    """The field with the map of an encounter, and the map."""
    plain = view.data["scene"].get(encounter, {})
    places = kinds_of(view.system).get(str(plain.get("kind")))
    if places is None or not places.zones:
        raise BadInput("encounter", "nothing of that name has zones in it")
    return places.zones, read(ZoneMap, plain[places.zones])


def _rows(form: Form, prefix: str) -> list[str]:
    return sorted(name.removeprefix(prefix) for name in form.fields if name.startswith(prefix))


def _zones(form: Form) -> list[Zone]:
    found = []
    for row in _rows(form, "zone-"):
        name = (form.some(f"zone-{row}") or "").strip()
        features = (each.strip() for each in (form.some(f"features-{row}") or "").split(","))
        if name:
            found.append(Zone(name, tuple(filter(None, features))))
    return found


def _borders(form: Form, names: set[str]) -> list[Border]:
    """The borders whose two ends are there."""
    found = []
    for row in _rows(form, "one-"):
        one, other = form.some(f"one-{row}") or "", form.some(f"other-{row}") or ""
        extra = form.some(f"extra-{row}") or "0"
        if not (len(extra) == 1 and extra.isdecimal()):
            raise BadInput("extra", f"must be 0 to {MOST_EXTRA}")
        if one in names and other in names:
            crossable, sight = bool(form.some(f"crossable-{row}")), bool(form.some(f"sight-{row}"))
            says = (form.some(f"says-{row}") or "").strip()
            found.append(Border(one, other, int(extra), crossable, sight, says))
    return found
