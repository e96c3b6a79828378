"""Creatures: what a sheet says of one besides a character's, what its size does, and the creatures the book prints."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field
from enum import Enum
from math import ceil, floor
from typing import Any, Final

from referee.core import Active, Effect, Levels, Scene, figure, figures, formula, frozen, option, refuse, rows
from referee.core.effects import Adds, Extra
from referee.core.plain import Plain
from referee.kits.dice_codes import Code, Stat
from referee.systems.d6.species import BulkRow
from referee.systems.d6.wounds import EARLY_WOUND_LEVEL, WOUND_LEVEL

ORNERINESS: Final = "Orneriness"
NATURE: Final = "d6.creature.attributes"
ANY_SIZE: Final = "d6.creature.bulk"
MOVEMENT: Final = "d6.creature.movement"
SWARM: Final = "swarm"
HARMLESS: Final = "hurt anybody"
DESTROYED_IF_HIT: Final = "destroyed if hit"


@frozen
class Creature:
    """What makes a creature of somebody: an animal, a monster, whatever is not sentient."""

    category: str = ""
    """Carnivore, herbivore, herd, sedentary."""
    size: str = ""
    movement: Levels = field(default_factory=Levels)
    """Metres in a round, by environment; where it cannot move is not named."""
    orneriness: Stat | None = None
    captive_born: bool = False
    swarm: bool = False
    """Whether it is many that act as one."""
    orders: tuple[str, ...] = ()
    """What it was trained for: `mount`, `combat`, an order it obeys."""
    trained_by: tuple[str, ...] = ()
    """Its trainer, and the master it was trained for."""


class Missing(Enum):
    """What a creature does that it has no skill for."""

    BY_ATTRIBUTE = "by attribute"
    NONE = "none"


@figures(NATURE)
class CreatureAbilities:
    """What an attribute is that a creature lacks, and the skills that always count as its attribute."""

    missing: Code
    always: tuple[str, ...]


@figures(ANY_SIZE)
class Huge:
    """From which bulk on a creature is of another scale, how many make one, and the skills that its size hinders."""

    huge_from: int
    per_scale: int
    average: int
    stealth: tuple[str, ...]


@frozen
class PrintedCreature:
    """A creature that the book prints, as a sheet."""

    name: str
    sheet: dict[str, Any] = field(default_factory=dict, hash=False)


CREATURE_BULK: Final = rows(ANY_SIZE, "bulk", BulkRow, by="bulk")
MISSING: Final = option(NATURE, Missing)
CREATURES: Final = rows("d6.creature.sample-horse", "creatures", PrintedCreature)
USUAL: Final = figure(MOVEMENT, "usual", str)


# --- size -------------------------------------------------------------------------------------------------------------


@formula(ANY_SIZE + "/scale", ANY_SIZE)
def creature_scale(scene: Scene, bulk: int) -> int:
    """The scale of a creature: whatever is not huge is of the scale of people."""
    return ceil(bulk / scene[Huge].per_scale) if bulk >= scene[Huge].huge_from else 1


@formula(ANY_SIZE)
def creature_size_effects(scene: Scene, bulk: int) -> tuple[Active, ...]:
    """What the size of a creature does; a huge one has further levels of wounds on both sides of Wounded twice."""
    row = scene[CREATURE_BULK].at(min(bulk, scene[Huge].huge_from))
    effects = list(row.effects)
    if bulk >= scene[Huge].huge_from:
        more, hidden = (bulk - scene[Huge].average) / 2, 1 - creature_scale(scene, bulk)
        effects += [Effect(Extra(EARLY_WOUND_LEVEL, floor(more))), Effect(Extra(WOUND_LEVEL, ceil(more)))]
        effects += [Effect(Adds(hidden), frozenset({each})) for each in scene[Huge].stealth]
    return tuple(Active(effect, row.name, ANY_SIZE) for effect in effects)


# --- abilities and movement -------------------------------------------------------------------------------------------


def lacks(scene: Scene, attribute: bool, skill: str, has_skill: bool) -> bool:
    """Whether a creature cannot do something: for want of the attribute, or of a skill that counts as none."""
    if has_skill:
        return False
    if not attribute:
        return True
    fights = skill.partition(" <")[0] in scene[CreatureAbilities].always
    return bool(skill) and scene[MISSING] is Missing.NONE and not fights


@formula(MOVEMENT)
def creature_move(scene: Scene, creature: Creature, own: int, environment: str = "") -> int:
    """The metres a creature moves in a round; where no environment is named, its Move on the ground."""
    where, named = environment or scene[USUAL], creature.movement or Levels({scene[USUAL]: own})
    if where not in named:
        refuse("it cannot move there", what=where, rule=MOVEMENT, legal=tuple(named))
    return named[where]


# --- the creatures of the book ----------------------------------------------------------------------------------------


@formula("d6.creature.sample-horse")
def bestiary(scene: Scene) -> dict[str, dict[str, Any]]:
    """The creatures that this campaign's rulebook prints, as sheets."""
    return {name: scene[CREATURES][name].sheet for name in scene[CREATURES].names}


def printed_people(scene: Scene) -> Iterator[tuple[str, Mapping[str, Plain], str]]:
    """Everybody of the rulebook whom one can add to a scene, each with the rule that prints it."""
    for name in scene[CREATURES].names:
        yield name, scene[CREATURES][name].sheet, scene[CREATURES].rule_of(name)
