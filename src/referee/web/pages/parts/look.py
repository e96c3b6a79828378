"""How a system wants to look: `look.yaml` in its folder. A system without one is shown by its fields alone."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Final, Literal, final

from referee import registry
from referee.core.files import load_yaml_file
from referee.core.plain import read

FILE: Final = "look.yaml"


@final
@dataclass(frozen=True)
class Vital:
    """A figure that everybody watches: a field of the sheet, or a formula of the rulebook."""

    words: str
    field: str = ""
    of: str = ""
    """The field with its most, if it has one."""
    formula: str = ""
    drawn: Literal["squares", "rounds", "figure"] = "figure"
    tone: Literal["health", "calm", "stress", "plain"] = "plain"
    rule: str = ""


@final
@dataclass(frozen=True)
class Tiles:
    """A field of levels, of which a few stand in the open."""

    field: str
    names: tuple[str, ...]
    otherwise: int = 0


@final
@dataclass(frozen=True)
class Rolls:
    """The action that a line of the sheet rolls, and the argument the line stands for."""

    action: str
    argument: str
    learned: str = ""
    """The field with the levels of those that were learned."""


@final
@dataclass(frozen=True)
class Places:
    """How an encounter is drawn, by its fields."""

    round: str = ""
    phase: str = ""
    order: str = ""
    """The field with the score of each; the highest comes first."""
    left: str = ""
    """The field with how many actions each has left."""
    turn: str = ""
    """What tells whose turn it is, given the scene."""
    sides: str = ""
    bands: str = ""
    """The field with how far apart two are, by their names: `al bo`."""
    furthest: int = 4
    marks: dict[str, str] = field(default_factory=dict)
    """Fields with names in them, and what it is to be named there."""


@final
@dataclass(frozen=True)
class Result:
    """How a result is told: words with its figures in them, and what decides whether it is good."""

    says: str
    good: str = ""
    """The field that says so."""


@final
@dataclass(frozen=True)
class Look:
    """How a system wants to look."""

    vitals: tuple[Vital, ...] = ()
    chips: tuple[str, ...] = ()
    """Fields with conditions in them, each a name or a list of names."""
    tiles: Tiles | None = None
    rolls: Rolls | None = None
    items: str = ""
    mine: str = ""
    """The field that tells a player's character from the others."""
    encounters: dict[str, Places] = field(default_factory=dict)
    dice: dict[str, Literal["plain", "stress"]] = field(default_factory=dict)
    """How the dice of a name are drawn."""
    marks: dict[str, Literal["good", "bad", "plain"]] = field(default_factory=dict)
    """What the marked faces of dice are to the roller."""
    results: dict[str, Result] = field(default_factory=dict)


@lru_cache(maxsize=64)
def look_of(system: str) -> Look:
    """The look of a system."""
    file: Path = registry.load(system).folder / FILE
    return read(Look, load_yaml_file(file), FILE) if file.exists() else Look()
