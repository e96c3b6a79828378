"""Creation Points: what a campaign has chosen, and what everything costs, one formula for each rule.

The limits that the book only recommends are choices of their rules; a game master who waives one says so there.
"""

from __future__ import annotations

from enum import Enum
from fractions import Fraction
from math import ceil, floor
from typing import Any, Final

from referee.core import BOOK, Scene, figure, figures, formula, frozen, option, rows
from referee.kits.dice_codes import Stat, Stats
from referee.systems.d6.species import SPECIES, pips
from referee.systems.d6.templates import (
    ABILITIES as SPECIAL_ABILITIES,
)
from referee.systems.d6.templates import (
    ABILITY_LIST,
    STATUS,
    WEALTH,
    Template,
    in_use,
    move_tp,
    template_move,
    template_value,
)
from referee.systems.d6.traits import MERITS, CharacterTrait, trait_value

CP: Final = "creation points"
STEPS: Final = "d6.creation.steps"
TEMPLATE_COST: Final = "d6.creation.template-cost"
FLESH_OUT: Final = "d6.creation.flesh-out"
SPECIES_RULE: Final = "d6.creation.change-species"
ATTRIBUTE_COST: Final = "d6.creation.attribute-cost"
TRAIT_COST: Final = "d6.creation.optional-trait-cost"
SKILL_COST: Final = "d6.creation.skill-cost"
FIELD_COST: Final = "d6.creation.specialization-cost"
ADVANCED_COST: Final = "d6.creation.advanced-skill-cost"
MERIT_COST: Final = "d6.creation.merits-flaws-cost"
FLAW_LIMIT: Final = "d6.creation.flaw-limit"
SECRET: Final = "d6.merits.secret"  # noqa: S105  # a rule, no password
FATE: Final = "d6.creation.fate-points"
ABILITIES: Final = "d6.creation.special-abilities"
POOLS: Final = "d6.creation.point-pools"


# --- what the campaign has chosen -------------------------------------------------------------------------------------


class PowerLevel(Enum):
    """How powerful the characters of a campaign are."""

    ACTION = "Action Heroes"
    VETERAN = "Veteran Heroes"
    LEGENDARY = "Legendary Heroes"
    SUPERHUMAN = "Superhuman"


class Changes(Enum):
    """Whether something of a template may be changed."""

    ALLOWED = "allowed"
    AS_TEMPLATE = "as the template"


class SkillLimit(Enum):
    """Whether a skill is held to its limit."""

    LIMITED = "limited"
    WAIVED = "waived"


class Specializing(Enum):
    """How far one may specialize."""

    USUAL = "usual"
    MORE_FIELDS = "more fields"
    DEEPER = "deeper"
    FREE = "free"


class Advancing(Enum):
    """What is asked of an advanced skill."""

    USUAL = "usual"
    WITHOUT_PREREQUISITES = "without prerequisites"
    WITHOUT_MAXIMUM = "without a maximum"
    FREE = "free"


class Asking(Enum):
    """Whether merits and flaws are held to what their entries ask."""

    USUAL = "usual"
    WAIVED = "waived"


class FateAtStart(Enum):
    """Which Fate Points a character may start with."""

    FREE = "free"
    BOUGHT = "bought"
    EXCEPTIONAL = "exceptional"
    BAD_FATE = "bad fate"


POWER: Final = option("d6.creation.power-levels", PowerLevel)
ATTRIBUTE_CHANGES: Final = option(ATTRIBUTE_COST, Changes)
TRAIT_CHANGES: Final = option(TRAIT_COST, Changes)
SKILL_LIMIT: Final = option(SKILL_COST, SkillLimit)
SPECIALIZING: Final = option(FIELD_COST, Specializing)
ADVANCING: Final = option(ADVANCED_COST, Advancing)
ASKING: Final = option(MERIT_COST, Asking)
FLAWS_CAPPED: Final = option(FLAW_LIMIT)
SECRETS: Final = option(SECRET)
ROUGHLY: Final = option("d6.creation.roughly-estimated")
READY_MADE: Final = option("d6.creation.pre-rolled")


@frozen
class PowerRow:
    """A power level, and its Creation Points."""

    level: str
    starting_cp: int


@frozen
class ReadyMadeCharacter:
    """A character that the game master hands out: every answer to the steps of creation."""

    name: str
    answers: dict[str, Any]


@figures(SKILL_COST)
class SkillFigures:
    """What a pip of a skill costs, and how high it may be."""

    cp_per_pip: int
    max_over_attribute: Stat


@figures(FIELD_COST)
class FieldFigures:
    """What a specialization gives, and how far one may go."""

    bonus: Stat
    max_dice: int
    max_dice_abstract: int
    max_fields: int


@figures(ADVANCED_COST)
class AdvancedFigures:
    """What an advanced skill costs, and how high it may be."""

    acquire_cp: int
    acquire_code: Stat
    cp_per_pip_below_attribute: float
    cp_per_pip_at_or_above_attribute: float
    suggested_max_over_attribute: Stat
    prerequisite: Stat


@figures(FATE)
class FateFigures:
    """What Fate costs and bad fate gives."""

    free: int
    cp_per_extra: int
    notable_above: int
    cp_gained_per_bad_fate_point: int
    max_bad_fate_points: int


@figures(SECRET)
class SecretFigures:
    """What secrecy is worth."""

    secret_flaw_value: int
    secret_merit_cost: int
    gm_gift_difference: int


POWER_LEVELS: Final = rows("d6.creation.power-levels", "levels", PowerRow)
READY: Final = rows("d6.creation.pre-rolled", "characters", ReadyMadeCharacter)
RELATIONSHIPS: Final = rows("d6.creation.relationships", "types", str)
PER_TP: Final = figure(TEMPLATE_COST, "cp_per_tp", int)
PIP_UP: Final = figure(ATTRIBUTE_COST, "cp_per_pip_up", int)
PIP_DOWN: Final = figure(ATTRIBUTE_COST, "cp_per_pip_down", int)
CP_PER_TRAIT_TP: Final = figure(TRAIT_COST, "cp_per_tp", int)
PIPS_PER_CP: Final = figure(SKILL_COST, "pips_per_cp", int)
FIELDS_PER_CP: Final = figure(FIELD_COST, "fields_per_cp", int)
FIELD_CP: Final = figure(FIELD_COST, "cp", int)
PER_MERIT: Final = figure(MERIT_COST, "cp_per_value_of_merit", int)
PER_FLAW: Final = figure(MERIT_COST, "cp_per_value_of_flaw", int)
CAP_DIVISOR: Final = figure(FLAW_LIMIT, "divisor", int)
FREE_POINTS: Final = figure("d6.creation.character-points", "character_points", int)
STEP_NAMES: Final = figure(STEPS, "steps", tuple[str, ...])
DEFAULT_STATUS: Final = figure("d6.creation.optional-traits", "social_status", int)
DEFAULT_APPEARANCE: Final = figure("d6.creation.optional-traits", "appearance", str)


# --- prices, one formula for each rule --------------------------------------------------------------------------------


@formula("d6.creation.power-levels")
def starting_cp(scene: Scene) -> int:
    """The Creation Points that everyone in this campaign starts with."""
    return scene[POWER_LEVELS].look(scene[POWER].value).starting_cp


@formula(TEMPLATE_COST)
def available_cp(scene: Scene, template: Template | None = None) -> int:
    """The starting points, less what the template is worth."""
    return starting_cp(scene) + (scene[PER_TP] * template_value(scene, template) if template else 0)


@formula(ATTRIBUTE_COST)
def attribute_cost(scene: Scene, was: Stat, now: Stat) -> int:
    """What it costs to raise an attribute of the template, or gives to lower it."""
    raised = pips(scene, now) - pips(scene, was)
    return raised * scene[PIP_UP] if raised > 0 else -raised * scene[PIP_DOWN]


@formula(TRAIT_COST)
def trait_cost(scene: Scene, was: int, now: int) -> int:
    """Looks, Move, rank or Wealth other than the template's: the difference of their Template Points."""
    return (now - was) * scene[CP_PER_TRAIT_TP]


@formula(SKILL_COST)
def skill_cost(scene: Scene, raised: int, pips_per_cp: int | None = None) -> int:
    """What so many pips above the attribute cost; some talents get two pips for a point."""
    return ceil(Fraction(raised * scene[SkillFigures].cp_per_pip, pips_per_cp or scene[PIPS_PER_CP]))


@formula(FIELD_COST)
def specialization_cost(
    scene: Scene, dice: tuple[int, ...], fields_per_cp: int | None = None, cp: int | None = None
) -> int:
    """What dice in fields of one skill cost; a talent gets a die in two different fields for one payment."""
    at_once, each = fields_per_cp or scene[FIELDS_PER_CP], cp or scene[FIELD_CP]
    return each * max(max(dice, default=0), ceil(Fraction(sum(dice), at_once)))


@formula(ADVANCED_COST)
def advanced_cost(scene: Scene, code: Stat | None, attribute: Stat) -> float:
    """What an advanced skill costs: its first die, then pips, which are cheaper below the attribute."""
    if code is None:
        return 0
    found, start, top = scene[AdvancedFigures], pips(scene, scene[AdvancedFigures].acquire_code), pips(scene, attribute)
    cheap = max(0, min(pips(scene, code), top) - start)
    dear = pips(scene, code) - start - cheap
    low, high = found.cp_per_pip_below_attribute, found.cp_per_pip_at_or_above_attribute
    return found.acquire_cp + cheap * low + dear * high


@formula(FLAW_LIMIT)
def flaw_cap(scene: Scene) -> int:
    """The most that flaws may give: a third of the starting points."""
    return starting_cp(scene) // scene[CAP_DIVISOR]


@formula(MERIT_COST)
def merit_flaw_change(scene: Scene, trait: CharacterTrait) -> int:
    """How the points that are left change when a merit or flaw is added; removing a template's is the opposite."""
    per = PER_MERIT if trait.name in scene[MERITS] else PER_FLAW
    return scene[per] * trait_value(scene, trait)


@formula(SECRET + "/value", SECRET)
def secret_change(scene: Scene, value: int, is_merit: bool) -> int:
    """A secret flaw gives a point more than it is worth, a secret merit costs one less."""
    found = scene[SecretFigures]
    return -(value + found.secret_merit_cost) if is_merit else value + found.secret_flaw_value


@formula(FATE)
def fate_cost(scene: Scene, fate_points: int, bad_fate_points: int = 0) -> int:
    """One Fate Point is free; more cost, and bad fate gives."""
    found = scene[FateFigures]
    gained = bad_fate_points * found.cp_gained_per_bad_fate_point
    return (fate_points - found.free) * found.cp_per_extra - gained


@formula("d6.creation.character-points")
def starting_character_points(scene: Scene, left: float) -> int:
    """Five, and every point that was not spent; a half is lost."""
    return scene[FREE_POINTS] + floor(left)


def is_free(scene: Scene) -> bool:
    """Whether the game master estimates characters, without counting points."""
    return scene[ROUGHLY]


@formula("d6.creation.steps/order", STEPS)
def creation_steps(scene: Scene) -> tuple[str, ...]:
    """In which order the points are spent."""
    return scene[STEP_NAMES]


def budget_of(scene: Scene) -> str:
    """The budget that everything is paid from; none, where characters are estimated."""
    return estimated_budget(scene) if is_free(scene) else CP


@formula("d6.creation.roughly-estimated")
def estimated_budget(scene: Scene) -> str:
    """None: what an estimated character has is not paid for."""
    return ""


START: Final = option(FATE, FateAtStart)


def fate_choice(scene: Scene) -> FateAtStart | None:
    """Which Fate Points a character may start with; None, if the campaign has none."""
    return scene[START] if scene[BOOK].on(FATE) else None


@formula(FLESH_OUT)
def spendable(scene: Scene) -> tuple[str, ...]:
    """What the points left after the template may buy here; flaws give more."""
    changes = {
        "attributes": scene[ATTRIBUTE_CHANGES] is Changes.ALLOWED,
        "social status": in_use(scene, STATUS) and scene[TRAIT_CHANGES] is Changes.ALLOWED,
        "wealth": in_use(scene, WEALTH) and scene[TRAIT_CHANGES] is Changes.ALLOWED,
        "special abilities": in_use(scene, SPECIAL_ABILITIES),
    }
    return ("skills", "merits", *(name for name, is_allowed in changes.items() if is_allowed))


@frozen
class ChangedSpecies:
    """A template in another species: what had to change to fit, and what that costs."""

    attributes: Stats
    move: int
    cp: int


@formula(SPECIES_RULE)
def change_species(scene: Scene, template: Template, species: str) -> ChangedSpecies:
    """Attributes are raised or lowered into the limits of the new species, Move is its minimum, at the usual rates."""
    limits, cost, fitted = scene[SPECIES][species].attributes, 0, {}
    for name, was in template.attributes.items():
        low, high = limits[name]
        now = low if pips(scene, was) < pips(scene, low) else high if pips(scene, was) > pips(scene, high) else was
        cost += attribute_cost(scene, was, now)
        fitted[name] = now
    start, (least, most) = template_move(scene, template), scene[SPECIES].look(species).move
    move = least if template.move is None else min(max(start, least), most)
    tp = (move_tp(scene, template.species, start), move_tp(scene, species, move))
    return ChangedSpecies(Stats(fitted), move, cost + trait_cost(scene, *tp))


@formula(ABILITIES)
def special_abilities_cost(scene: Scene, special_abilities: tuple[str, ...]) -> int:
    """What special abilities cost, as the campaign has set it."""
    return sum(scene[ABILITY_LIST][each].tp for each in special_abilities)
