"""The scrap table: what a D100 finds, what each find is, does and weighs, and what parts it can be stripped for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import field
from typing import Final

from referee.core import Active, Effect, Levels, Scene, figure, frozen, rows
from referee.core.rulebook import from_book
from referee.kits.things import Thing

USE: Final = "yearzero.scrap.use"
MAPPING: Final = "yearzero.scrap.mapping"


@frozen
class ScrapRow:
    """A find: what it is in the catalogue, how many of it there are, and what it is good for."""

    name: str
    as_: str = ""
    """What it is called in the catalogue, by the list of the entry that maps names."""
    dice: int = 0
    die: int = 6
    """So many dice of so many sides say how many there are; without dice there is one."""
    weight: float = 0
    together: bool = False
    """Whether the weight is that of all of them."""
    value: int = 0
    varies: bool = False
    """Whether it is one of its class that the game master picks, at the price of that."""
    parts: Levels = field(default_factory=Levels)
    """Spare parts by kind, if it is stripped."""
    food: str = ""
    """The kind of food that it is."""
    effects: tuple[Effect, ...] = ()
    stress: int = 0
    """The Stress that one of it takes away."""
    tires: int = 0
    """What that does to Endurance for a Quarter Day."""
    ends: str = ""
    """What one of it puts an end to."""
    uses: int = 0
    """How often it works, if it is not gone with its first use."""
    broken: bool = False
    """Whether it works only after a repair."""
    carries: int = 0
    """By how much more can be carried with it."""
    gear_bonus: int | None = None
    damage: int | None = None
    max_range: str = ""
    features: tuple[str, ...] = ()
    extra_rolls: int = 0
    """How many further finds it stands for."""
    says: str = ""


SCRAP_DIE: Final = figure(USE, "die", int)
SCRAP: Final = rows(
    "yearzero.scrap.table-01-33",
    "rows",
    ScrapRow,
    by="roll",
    numbers=range(1, 101),
    also=("yearzero.scrap.table-34-66/rows", "yearzero.scrap.table-67-00/rows"),
)
CALLED: Final = figure(MAPPING, "catalogue_names", dict[str, str])


@from_book
def scrap_row(scene: Scene, name: str) -> ScrapRow | None:
    """The row that something was found by."""
    return scene[SCRAP].look(name) if name in scene[SCRAP] else None


def scrap_effects(scene: Scene, things: Iterable[Thing]) -> Iterator[Active]:
    """What finds at hand do; two that do the same help no more than one."""
    found = ((each, scrap_row(scene, getattr(each, "scrap", ""))) for each in things if each.at_hand)
    known = set[Effect]()
    for thing, row in found:
        for effect in row.effects if row is not None else ():
            if effect not in known:
                known.add(effect)
                yield Active(effect, thing.name, scene[SCRAP].rule_of(row.name) if row else USE)
