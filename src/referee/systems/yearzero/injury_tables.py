"""The tables of critical injuries, by location and kind of damage, and what injuries do as long as they last."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, Literal, TypeAlias

from referee.core import Active, Effect, Scene, frozen, rows
from referee.core.rulebook import RowsOf
from referee.kits.wounds import Wound

Wounding: TypeAlias = Literal["ballistic", "blunt", "slash", "stab"]
PERMANENT: Final = "permanent"


@frozen
class InjuryRow:
    """A critical injury: whether it kills and how soon, what it does, and how long it lasts."""

    name: str
    lethal: bool
    limit: str = ""
    lethal_dm: int = 0
    heal_days: str = ""
    effects: tuple[Effect, ...] = ()
    says: str = ""
    infection_extra: int = 0


LOCATIONS: Final = ("Head", "Torso", "Arms", "Legs")
KINDS: Final[Sequence[Wounding]] = ("ballistic", "blunt", "slash", "stab")
TABLES: Final[dict[tuple[str, str], RowsOf[InjuryRow]]] = {
    (place, kind): rows(f"yearzero.injuries.table-{place.casefold()}-{kind}", "rows", InjuryRow, by="d12")
    for place in LOCATIONS
    for kind in KINDS
}


def injury_effects(scene: Scene, injuries: Sequence[Wound]) -> Iterator[Active]:
    """What critical injuries do as long as they last."""
    for injury in injuries:
        for table in TABLES.values():
            if table.rule == injury.table and injury.kind in scene[table]:
                for effect in scene[table].look(injury.kind).effects:
                    yield Active(effect, injury.name, table.rule)


@frozen
class TraumaRow:
    """A lasting mental trauma, and what it does to rolls."""

    name: str
    says: str
    weeks: str
    effects: tuple[Effect, ...] = ()


TRAUMAS: Final = rows("yearzero.trauma.table", "rows", TraumaRow, by="result")


def trauma_effects(scene: Scene, conditions: frozenset[str]) -> Iterator[Active]:
    """What Trauma Effects do as long as they last."""
    for name in sorted(conditions):
        if name in scene[TRAUMAS]:
            for effect in scene[TRAUMAS].look(name).effects:
                yield Active(effect, name, TRAUMAS.rule)
