"""The parts of the game master's form of a sheet: what play changes stands open, the rest is folded."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import final

from referee.core.fresh import in_play
from referee.core.look import Look
from referee.core.system import System
from referee.web.pages.master.fields import FIELD, Blank

BRIEF = ("number", "pick", "text", "check")
"""Kinds of form fields that stand side by side."""


@final
@dataclass(frozen=True)
class SheetPart:
    """Form fields under one heading."""

    key: str
    blanks: tuple[Blank, ...]
    is_open: bool = False

    @property
    def brief(self) -> list[Blank]:
        return [each for each in self.blanks if each.kind in BRIEF]

    @property
    def long(self) -> list[Blank]:
        return [each for each in self.blanks if each.kind not in BRIEF and each not in self.empty]

    @property
    def empty(self) -> list[Blank]:
        """Lists with nothing in them: one is added on demand."""
        return [each for each in self.blanks if each.kind == "rows" and not each.rows]


def sheet_parts(system: System, look: Look, blanks: Iterable[Blank]) -> tuple[SheetPart, ...]:
    """The form of a sheet: vitals, points and conditions; things; attributes; skills; what it is; what play counts."""
    keyed = {key: set(names) for key, names in _groups(system, look)}
    found: dict[str, list[Blank]] = {key: [] for key in (*keyed, "more")}
    for each in blanks:
        name = each.field.removeprefix(FIELD)
        found[next((key for key, names in keyed.items() if name in names), "more")].append(each)
    order = ("play", "things", "tiles", "learned", "more", "counted")
    return tuple(SheetPart(key, tuple(found[key]), key in ("play", "things", "tiles")) for key in order if found[key])


def whole(blanks: Iterable[Blank]) -> tuple[SheetPart, ...]:
    """The form of something that is no sheet."""
    return (SheetPart("", tuple(blanks), is_open=True),)


def _groups(system: System, look: Look) -> Iterator[tuple[str, Iterable[str]]]:
    shown = (each for each in look.vitals if each.drawn != "text" or each.tone != "plain")
    play = [name.partition(".")[0] for each in shown for name in (each.field, each.of)]
    tiles = {look.tiles.field} if look.tiles else set[str]()
    yield "tiles", tiles
    yield "learned", {look.rolls.learned} - tiles if look.rolls else ()
    yield "things", {look.items}
    yield "play", {*play, *look.chips, look.out, *(each.field for each in look.clocks), *look.edited}
    yield "counted", in_play(system)
