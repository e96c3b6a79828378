"""The character of the D6 System: attributes and skills as dice codes, merits and flaws, points, health, equipment."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field, replace
from typing import Annotated, ClassVar, Final, TypeAlias

from referee.core import Active, Levels, OnlyWith, Open, Own, Scene, Who, figure, frozen, rows
from referee.kits.dice_codes import Code, Stat, Stats
from referee.systems.d6.traits import CharacterTrait, trait_effects

HEALTHY: Final = "Healthy"
AVERAGE_BULK: Final = 2
FATE_POINTS: Final = "d6.core.fate-points"


@frozen
class AttributeDescription:
    """One of the seven attributes."""

    name: str
    group: str
    meaning: str = ""
    used_for: tuple[str, ...] = ()


@frozen
class SkillRow:
    """A skill of a list: basic, advanced (of no use without training) or abstract (only its fields are learned)."""

    name: str
    specializations: tuple[str, ...] = ()
    advanced: bool = False
    abstract: bool = False
    per: str = ""
    """A skill of its own for each of these, such as a weapon type."""
    alias: str = ""
    aspects: tuple[str, ...] = ()
    examples: tuple[str, ...] = ()
    open_list: bool = False


_LISTS: Final = ("coordination", "strength", "perception", "charisma", "knowledge", "technical")

ATTRIBUTES: Final = rows("d6.creation.attributes", "attributes", AttributeDescription)
SKILLS: Final = rows(
    "d6.creation.skill-list-agility",
    "skills",
    SkillRow,
    also=tuple(f"d6.creation.skill-list-{each}/skills" for each in _LISTS),
)
PIPS_PER_DIE: Final = figure("d6.core.dice-code", "pips_per_die", int)

Attribute: TypeAlias = Annotated[str, ATTRIBUTES]


@frozen
class Item:
    """Something carried. A weapon has damage, armour adds to Strength, a tool adds to a skill."""

    name: str
    number: int = 1
    worn: bool = False
    """Worn or held, so that it counts."""
    skill: str = ""
    """The skill it is used with."""
    damage: Code | None = None
    adds_strength: bool = False
    """Whether Strength is added to its damage."""
    stun: bool = False
    """Whether its damage is not lethal."""
    armor: Code | None = None
    """What it adds to Strength when damage is resisted."""
    zones: tuple[str, ...] = ()
    """The zones it protects; all of them, if none is named."""


@frozen
class ZoneWound:
    """With localized wounds: how a zone of the body is."""

    known_by: ClassVar = ("zone",)
    zone: str
    wound: str = HEALTHY


@frozen
class Hero:
    """A player's character, or somebody of the game master's (`player: no`)."""

    player: Open[bool] = True
    species: Open[str] = "Human"
    bulk: Open[int] = AVERAGE_BULK
    attributes: Open[Stats] = field(default_factory=Stats)
    skills: Open[Stats] = field(default_factory=Stats)
    """Basic skills above their attributes; the others are rolled with the attribute."""
    specializations: Open[Stats] = field(default_factory=Stats)
    """Written `Search::surprise`."""
    advanced_skills: Open[Stats] = field(default_factory=Stats)
    """Written `Medicine (A)`."""
    move: Open[int] = 10
    merits: Open[tuple[CharacterTrait, ...]] = ()
    flaws: Open[tuple[CharacterTrait, ...]] = ()
    appearance: Open[str] = "Average"
    social_status: Open[int] = 0
    wealth: Own[Stat] = Stat()
    fate_points: Annotated[Open[int], OnlyWith(FATE_POINTS)] = 0

    character_points: Open[int] = 0
    veteran_points: Open[int] = 0
    wound: Open[str] = HEALTHY
    stuns: Open[int] = 0
    new_stuns: Open[int] = 0
    """How many of the stuns were received in this round."""
    fatigue: Open[Levels] = field(default_factory=Levels)
    """Dice of fatigue by where they come from, such as running."""
    zones: Annotated[Open[tuple[ZoneWound, ...]], OnlyWith("d6.health.localized-zones")] = ()
    equipment: Open[tuple[Item, ...]] = ()
    description: Own[str] = ""
    background: Own[str] = ""
    motivation: Own[str] = ""

    def effects(self, scene: Scene) -> Iterator[Active]:
        """What merits, flaws and the state of one's health do."""
        yield from trait_effects(scene, (*self.merits, *self.flaws))

    def spending(self, character_points: int = 0, fate_points: int = 0) -> Hero:
        return replace(
            self,
            character_points=self.character_points - character_points,
            fate_points=self.fate_points - fate_points,
        )


Person: TypeAlias = Who[Hero]
