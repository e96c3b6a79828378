"""A map of zones as a screen draws it: boxes on a grid, what lies between them, who is where, how far away it is.

A map has no coordinates. Zones are laid out so that as many borders as possible are between boxes side by side; the
others are told in words.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations
from typing import TYPE_CHECKING, Final, TypeAlias, final

from referee.kits.zones import Border, ZoneMap
from referee.web.pages.page import WORDS

if TYPE_CHECKING:
    from referee.web.pages.parts.board import BoardToken

COLUMNS: Final = 3
"""How many zones stand side by side, so that a map fits on a phone."""
MOST_TRIED: Final = 6
"""Up to so many zones, every arrangement is tried."""
DRAWN: Final = frozenset({"dark", "cramped", "open", "rough"})
"""Features that a box is drawn with; every other is told in words."""

Cell: TypeAlias = tuple[int, int]
"""A column and a row."""
Groups: TypeAlias = tuple[tuple["BoardToken", ...], ...]


@final
@dataclass(frozen=True)
class ZoneBox:
    """A zone: what is in it, who is there, and how far away it is."""

    name: str
    column: int
    row: int
    features: tuple[str, ...]
    groups: Groups
    far: str
    """How far away it is, in words."""
    apart: int | None
    """How many zones away it is; None out of sight."""
    is_here: bool
    elsewhere: tuple[str, ...]
    """The borders that cannot be drawn, in words."""

    @property
    def kinds(self) -> str:
        """The features that its box is drawn with."""
        return " ".join(each for each in self.features if each in DRAWN)


@final
@dataclass(frozen=True)
class ZoneWay:
    """What lies between two boxes: open ground, a door, a window, or no way at all."""

    column: int
    row: int
    is_across: bool
    """Whether the boxes stand side by side, and not one above the other."""
    kind: str
    words: str
    extra: int = 0


@final
@dataclass(frozen=True)
class ZoneBoard:
    """A map, ready to be drawn, and as the form below it shows it."""

    boxes: tuple[ZoneBox, ...]
    ways: tuple[ZoneWay, ...]
    columns: int
    field: str
    """The field of the encounter that holds the map."""
    borders: tuple[Border, ...]

    def box_of(self, who: str) -> ZoneBox | None:
        """The zone somebody is in."""
        return next((box for box in self.boxes for group in box.groups for each in group if each.name == who), None)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(box.name for box in self.boxes)


def zone_board(found: ZoneMap, field: str, origin: str, groups: Groups) -> ZoneBoard:
    """A map as somebody sees it; people who are locked together stand in the zone of the first of them."""
    cells = layout(found.names, frozenset((each.one, each.other) for each in found.borders))
    here = found.where(origin)
    boxes = tuple(
        ZoneBox(
            zone.name,
            2 * cells[zone.name][0] + 1,
            2 * cells[zone.name][1] + 1,
            zone.features,
            tuple(group for group in groups if found.where(group[0].name) == zone.name),
            _far(found.zones_between(here, zone.name)),
            found.zones_between(here, zone.name),
            zone.name == here,
            tuple(_elsewhere(found, cells, zone.name)),
        )
        for zone in found.zones
    )
    columns = max((column for column, _ in cells.values()), default=0) + 1
    return ZoneBoard(boxes, tuple(_ways(found, cells)), columns, field, found.borders)


@lru_cache(maxsize=256)
def layout(names: tuple[str, ...], borders: frozenset[tuple[str, str]]) -> Mapping[str, Cell]:
    """Where each zone stands: few zones in the best of all arrangements, many one after the other."""
    meets = borders | {(other, one) for one, other in borders}
    if len(names) <= MOST_TRIED:
        rows = -(-len(names) // COLUMNS)
        width = min(COLUMNS, len(names))
        every = [(column, row) for row in range(rows) for column in range(width)]
        if len(every) < len(names) + 1 < COLUMNS * 2:
            every += [(column, rows) for column in range(width)]
        tried = (dict(zip(names, cells, strict=True)) for cells in permutations(every, len(names)))
        return max(tried, key=lambda cells: _worth(cells, meets))
    found: dict[str, Cell] = {}
    waiting = list(names)
    while waiting:
        name = next((each for each in waiting if any((each, placed) in meets for placed in found)), waiting[0])
        waiting.remove(name)
        free = _free(found)
        found[name] = max(free, key=lambda cell, name=name: _worth({**found, name: cell}, meets))  # type: ignore[misc]
    top = min(row for _, row in found.values())
    return {name: (column, row - top) for name, (column, row) in found.items()}


def _free(found: Mapping[str, Cell]) -> list[Cell]:
    """The cells next to those that are taken."""
    if not found:
        return [(0, 0)]
    beside = [(column + x, row + y) for column, row in found.values() for x, y in ((1, 0), (0, 1), (-1, 0), (0, -1))]
    return [cell for cell in dict.fromkeys(beside) if cell not in found.values() and 0 <= cell[0] < COLUMNS]


def _worth(cells: Mapping[str, Cell], meets: Iterable[tuple[str, str]]) -> tuple[int, int]:
    """How many borders are between neighbours, and how few walls there are between zones that do not meet."""
    known = frozenset(meets)
    beside = [(one, other) for one in cells for other in cells if one != other and _is_beside(cells[one], cells[other])]
    drawn = sum(pair in known for pair in beside)
    size = len({row for _, row in cells.values()}) * len({column for column, _ in cells.values()})
    return 4 * drawn - (len(beside) - drawn) - size, -sum(row for _, row in cells.values())


def _is_beside(one: Cell, other: Cell) -> bool:
    return abs(one[0] - other[0]) + abs(one[1] - other[1]) == 1


def _ways(found: ZoneMap, cells: Mapping[str, Cell]) -> Iterator[ZoneWay]:
    """What lies in every gap between two boxes."""
    at = {cell: name for name, cell in cells.items()}
    for (column, row), name in at.items():
        for is_across, beside in ((True, (column + 1, row)), (False, (column, row + 1))):
            if beside in at:
                border = found.border(name, at[beside])
                place = (2 * column + 2, 2 * row + 1) if is_across else (2 * column + 1, 2 * row + 2)
                extra = border.extra if border else 0
                yield ZoneWay(*place, is_across, way_kind(border), border_words(border), extra)


def way_kind(border: Border | None) -> str:
    """How a border is drawn, by what it lets through."""
    if border is None or not (border.crossable or border.sight):
        return "shut"
    if not border.crossable:
        return "window"
    return "openway" if border.sight else "door"


def border_words(border: Border | None) -> str:
    """What a border is, and what it takes to cross it."""
    if border is None:
        return WORDS.say("zones.shut")
    said = border.says or WORDS.say(f"zones.{way_kind(border)}")
    return WORDS.say("zones.extra", what=said, extra=border.extra) if border.extra else said


def _elsewhere(found: ZoneMap, cells: Mapping[str, Cell], name: str) -> Iterator[str]:
    for there, border in found.borders_of(name):
        if not _is_beside(cells[name], cells[there]):
            yield WORDS.say("zones.leads", zone=there, what=border_words(border))


def _far(apart: int | None) -> str:
    if apart is None:
        return WORDS.say("zones.unseen")
    return WORDS.say("zones.here") if apart == 0 else WORDS.say("zones.away", number=apart)
