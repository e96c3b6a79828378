"""How a system wants to look: `look.yaml` in its folder. Without one, a system is shown only by its fields."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Final, Literal, TypeAlias, final

from referee import registry
from referee.core.files import load_yaml_file
from referee.core.plain import read
from referee.core.rulebook import Book

FILE: Final = "look.yaml"


@final
@dataclass(frozen=True)
class Vital:
    """A figure that everyone watches: a field of the sheet, or a formula of the rulebook."""

    words: str
    field: str = ""
    of: str = ""
    """The field with its maximum, if there is one."""
    formula: str = ""
    drawn: Literal["squares", "rounds", "figure"] = "figure"
    tone: Literal["health", "calm", "stress", "plain"] = "plain"
    rule: str = ""
    option: str = ""
    """The option it is shown with, as in a rulebook: `rule.id` or `rule.id=choice`; so it is for other parts."""


@final
@dataclass(frozen=True)
class Tiles:
    """A field of levels, a few of which are always visible."""

    field: str
    names: tuple[str, ...]
    otherwise: int = 0
    option: str = ""


@final
@dataclass(frozen=True)
class Rolls:
    """The action that a line of the sheet rolls, and the argument the line fills."""

    action: str
    argument: str
    learned: str = ""
    """The field with the levels that were learned."""
    option: str = ""


@final
@dataclass(frozen=True)
class Places:
    """How an encounter is drawn, by its fields."""

    round: str = ""
    phase: str = ""
    order: str = ""
    """The field with everyone's score; the highest comes first."""
    left: str = ""
    """The field with everyone's remaining actions."""
    turn: str = ""
    """The method that says whose turn it is, given the scene."""
    sides: str = ""
    bands: str = ""
    """The field with the distance between two people, by their names: `al bo`."""
    furthest: int = 4
    marks: dict[str, str] = field(default_factory=dict)
    """Fields that contain names, and what it means to be named there."""
    option: str = ""


@final
@dataclass(frozen=True)
class Result:
    """How a result is told: words with its figures in them, and what decides whether it is good."""

    says: str
    good: str = ""
    """The field that says so."""
    option: str = ""


@final
@dataclass(frozen=True)
class Look:
    """How a system wants to look."""

    vitals: tuple[Vital, ...] = ()
    chips: tuple[str, ...] = ()
    """Fields with conditions, each a name or a list of names."""
    tiles: Tiles | None = None
    rolls: Rolls | None = None
    items: str = ""
    mine: str = ""
    """The field that distinguishes players' characters from others."""
    encounters: dict[str, Places] = field(default_factory=dict)
    dice: dict[str, Literal["plain", "stress"]] = field(default_factory=dict)
    """How the dice of a name are drawn."""
    marks: dict[str, Literal["good", "bad", "plain"]] = field(default_factory=dict)
    """What the marked faces of dice mean to the roller."""
    results: dict[str, Result] = field(default_factory=dict)

    @property
    def _parts(self) -> tuple[Part, ...]:
        others = (each for each in (self.tiles, self.rolls) if each)
        return (*self.vitals, *others, *self.encounters.values(), *self.results.values())

    @property
    def options(self) -> frozenset[str]:
        """The options that parts of it depend on."""
        return frozenset(part.option for part in self._parts if part.option)

    def without(self, options: AbstractSet[str]) -> Look:
        """The look without the parts that depend on any of these options."""
        return replace(
            self,
            vitals=tuple(part for part in self.vitals if part.option not in options),
            tiles=None if self.tiles and self.tiles.option in options else self.tiles,
            rolls=None if self.rolls and self.rolls.option in options else self.rolls,
            encounters={kind: part for kind, part in self.encounters.items() if part.option not in options},
            results={kind: part for kind, part in self.results.items() if part.option not in options},
        )


Part: TypeAlias = Vital | Tiles | Rolls | Places | Result


@lru_cache(maxsize=64)
def look_of(system: str) -> Look:
    """The look of a system, with everything any campaign may play."""
    found = registry.load(system)
    file: Path = found.folder / FILE
    look: Look = read(Look, load_yaml_file(file), FILE) if file.exists() else Look()
    for each in sorted(look.options):
        found.printed_book.check_option(f"{FILE}: option", each)
    return look


def look_in(system: str, book: Book) -> Look:
    """The look of a system in a campaign: parts that depend on an option that is off are left out."""
    look = look_of(system)
    off = frozenset(each for each in look.options if not book.on(each))
    return look.without(off) if off else look
