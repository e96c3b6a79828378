"""How a system wants to look: `look.yaml` in its folder. Without one, a system is shown only by its fields."""

from __future__ import annotations

import re
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final, Literal, TypeAlias, final

from referee.core.errors import BadInput
from referee.core.files import load_yaml_file
from referee.core.plain import read
from referee.core.rulebook import Book

if TYPE_CHECKING:
    from pathlib import Path

FILE: Final = "look.yaml"
_COLOUR: Final = re.compile("#[0-9a-f]{6}")


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
    tone: Literal["health", "calm", "warning", "plain"] = "plain"
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
    out: str = ""
    """The field with the names of those who have left it."""
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
class Accent:
    """The colour of a system, each as `#rrggbb` on light and on dark paper."""

    colour: tuple[str, str]
    soft: tuple[str, str]
    """A ground of that colour."""
    ink: tuple[str, str]
    """Text upon the colour."""

    def __post_init__(self) -> None:
        for each in (*self.colour, *self.soft, *self.ink):
            if not _COLOUR.fullmatch(each):
                raise BadInput("", f"must be a colour such as #9a3d12, not {each!r}")


@final
@dataclass(frozen=True)
class Look:
    """How a system wants to look."""

    accent: Accent | None = None
    vitals: tuple[Vital, ...] = ()
    chips: tuple[str, ...] = ()
    """Fields with conditions, each a name or a list of names."""
    tiles: Tiles | None = None
    rolls: Rolls | None = None
    items: str = ""
    mine: str = ""
    """The field that distinguishes players' characters from others."""
    out: str = ""
    """The field that says who takes part no more."""
    time: str = ""
    """The game master's action that lets time pass."""
    encounters: dict[str, Places] = field(default_factory=dict)
    dice: dict[str, Literal["plain", "warning"]] = field(default_factory=dict)
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


def read_look(folder: Path) -> Look:
    """The look in a system's folder, with everything any campaign may play."""
    file = folder / FILE
    return read(Look, load_yaml_file(file)) if file.exists() else Look()


def look_in(look: Look, book: Book) -> Look:
    """The look of a system in a campaign: parts that depend on an option that is off are left out."""
    off = frozenset(each for each in look.options if not book.on(each))
    return look.without(off) if off else look
