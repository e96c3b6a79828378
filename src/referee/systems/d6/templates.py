"""Templates: the skeleton of a type of character, what each part of it is worth, and what looks do."""

from __future__ import annotations

from dataclasses import field
from enum import Enum
from typing import Final

from referee.core import (
    Active,
    Effect,
    Mod,
    Mods,
    Refused,
    Scene,
    figure,
    figures,
    formula,
    frozen,
    option,
    rows,
    total,
)
from referee.kits.dice_codes import Stat, Stats
from referee.systems.d6.species import SPECIES, limits, pips, species_value
from referee.systems.d6.traits import CharacterTrait, is_merit, trait_value

APPEARANCE: Final = "d6.templates.appearance"
STATUS: Final = "d6.templates.social-status"
WEALTH: Final = "d6.templates.wealth"
EQUIPMENT: Final = "d6.templates.equipment"
ABILITIES: Final = "d6.templates.special-abilities"
ATTRIBUTES: Final = "d6.templates.attributes"
MOVE: Final = "d6.templates.move"
TRAITS: Final = "d6.templates.merits-flaws"
POINTS: Final = "Template Points"


class Gauge(Enum):
    """What the value of a species is for."""

    GAUGE = "gauge"
    CHARGED = "charged"


class AtMaximum(Enum):
    """How many attributes may stand at the maximum of the species."""

    ANY = "any number"
    LIMITED = "limited"


class LowMove(Enum):
    """Whether Move may go below the minimum of the species."""

    WITH_REASON = "with a reason"
    WITHIN = "within"


class RichAs(Enum):
    """How high Wealth may be."""

    OFF = "off"
    SUGGESTED = "suggested"
    UNLIMITED = "unlimited"


SPECIES_VALUE: Final = option("d6.templates.species", Gauge)
AT_MAXIMUM: Final = option(ATTRIBUTES, AtMaximum)
LOW_MOVE: Final = option(MOVE, LowMove)
RICH: Final = option(WEALTH, RichAs)
USES_APPEARANCE: Final = option(APPEARANCE)
USES_STATUS: Final = option(STATUS)
USES_EQUIPMENT: Final = option(EQUIPMENT)
USES_ABILITIES: Final = option(ABILITIES)
USES_TRAITS: Final = option("d6.creation.optional-traits")


@frozen
class AttributeLevel:
    """What an attribute of so many pips is called."""

    level: str


@figures(ATTRIBUTES)
class AttributeFigures:
    """How many dice a template has for nothing, and what more or fewer pips are worth."""

    budget: Stat
    tp_per_pip_above: int
    tp_per_pip_below: int
    max_attributes_at_species_maximum: int


@figures(MOVE)
class TemplateMove:
    """What a faster or slower template is worth."""

    tp_per_point_up: int
    tp_per_point_down: int
    least: int


@frozen
class Looks:
    """A class of appearance."""

    name: str
    tp: int
    effects: tuple[Effect, ...] = ()


@frozen
class SocialRank:
    """A rank of society, in three worlds."""

    status: int
    medieval_europe: str
    modern_france: str
    space_opera: str


@figures(STATUS)
class StatusFigures:
    """What a rank is worth, from that which all player characters share."""

    tp_per_level: int
    party: int
    caution_above: int
    caution_at: int


@figures(WEALTH)
class WealthFigures:
    """What a die of Wealth is worth, from what is average here; and who supports a character."""

    tp_per_die: int
    average: Stat
    minimum: Stat
    suggested_maximum: Stat
    support: Stat


@frozen
class PricedRow:
    """Equipment or an ability of a campaign, with its Template Points, and the merit that it takes."""

    name: str
    tp: int = 0
    needs: str = ""
    effects: tuple[Effect, ...] = ()


@frozen
class DesignStep:
    """A step of designing a template, the field it fills, and the option without which it is left out."""

    step: str
    field: str
    option: str = ""


ATTRIBUTE_LEVELS: Final = rows(ATTRIBUTES, "attribute_levels", AttributeLevel, by=("from", "to"))
CLASSES: Final = rows(APPEARANCE, "classes", Looks)
DEFAULT_LOOKS: Final = figure(APPEARANCE, "default", str)
WITH_OTHERS: Final = figure(APPEARANCE, "not_between_player_characters", tuple[str, ...])
"""The situations in which looks matter."""
LOOKS_CHARGED: Final = figure(APPEARANCE, "charged", bool)
STATUSES: Final = rows(STATUS, "levels", SocialRank, by="status")
EQUIPMENT_LIST: Final = rows(EQUIPMENT, "equipment", PricedRow)
ABILITY_LIST: Final = rows(ABILITIES, "abilities", PricedRow)
PER_MERIT: Final = figure(TRAITS, "tp_per_cp_of_merit", int)
PER_FLAW: Final = figure(TRAITS, "tp_per_cp_of_flaw", int)
STEPS: Final = figure("d6.templates.design-steps", "steps", tuple[DesignStep, ...])
CP_PER_TP: Final = figure("d6.templates.value", "cp_per_tp", int)


@frozen
class Template:
    """The skeleton of a type of character. What it does not say is as the species and the campaign have it."""

    name: str
    species: str = "Human"
    attributes: Stats = field(default_factory=Stats)
    move: int | None = None
    appearance: str = ""
    social_status: int | None = None
    wealth: Stat | None = None
    special_abilities: tuple[str, ...] = ()
    equipment: tuple[str, ...] = ()
    merits: tuple[CharacterTrait, ...] = ()
    flaws: tuple[CharacterTrait, ...] = ()
    skills: tuple[str, ...] = ()
    """Skills it suggests."""
    background: str = ""
    motivation: str = ""


TEMPLATES: Final = rows("d6.templates.paperwork", "templates", Template)


# --- its value --------------------------------------------------------------------------------------------------------


@formula("d6.templates.design-steps")
def template_value(scene: Scene, template: Template) -> int:
    """The Template Points of a template: everything that it has and others have not, step by step."""
    return int(total(template_points(scene, template)))


@formula("d6.templates.paperwork")
def recorded(scene: Scene, template: Template) -> dict[str, int]:
    """A finished template, by its name, with its value."""
    if not template.name:
        raise Refused("template", because="it has no name", rule="d6.templates.paperwork")
    return {template.name: template_value(scene, template)}


@formula("d6.templates.value")
def points_after(scene: Scene, starting_cp: int, template: Template) -> int:
    """The Creation Points left after a template has been chosen: a better one leaves fewer, a worse one gives more."""
    return starting_cp + scene[CP_PER_TP] * template_value(scene, template)


def template_points(scene: Scene, template: Template) -> Mods:
    """The value of a template, item by item."""
    worth = {
        "species": lambda: species_tp(scene, template.species),
        "attributes": lambda: (
            attributes_tp(scene, template) + move_tp(scene, template.species, template_move(scene, template))
        ),
        "appearance": lambda: appearance_tp(scene, template.appearance or scene[DEFAULT_LOOKS]),
        "special_abilities": lambda: sum(scene[ABILITY_LIST][each].tp for each in template.special_abilities),
        "social_status": lambda: status_tp(scene, template_status(scene, template)),
        "wealth": lambda: wealth_tp(scene, template_wealth(scene, template)),
        "equipment": lambda: sum(scene[EQUIPMENT_LIST][each].tp for each in template.equipment),
        "merits": lambda: traits_tp(scene, (*template.merits, *template.flaws)),
    }
    taken = (each for each in scene[STEPS] if not each.option or in_use(scene, each.option))
    return tuple(Mod(worth[each.field](), each.step, "d6.templates.design-steps", unit=POINTS) for each in taken)


def in_use(scene: Scene, rule: str) -> bool:
    """Whether a campaign uses something optional; it may use all optional traits of a character at once."""
    own = {
        APPEARANCE: scene[USES_APPEARANCE],
        STATUS: scene[USES_STATUS],
        WEALTH: scene[RICH] is not RichAs.OFF,
        EQUIPMENT: scene[USES_EQUIPMENT],
        ABILITIES: scene[USES_ABILITIES],
    }
    return own[rule] or (scene[USES_TRAITS] and rule in optional_traits(scene))


@formula("d6.creation.optional-traits")
def optional_traits(scene: Scene) -> tuple[str, ...]:
    """What everyone has in a campaign with optional traits, whatever else it says of them."""
    return (APPEARANCE, STATUS, WEALTH)


@formula("d6.templates.species")
def species_tp(scene: Scene, species: str) -> int:
    """A species costs nothing, unless the game master charges its value."""
    found = scene[SPECIES][species]
    return species_value(scene, found) if scene[SPECIES_VALUE] is Gauge.CHARGED else 0


@formula(ATTRIBUTES)
def attributes_tp(scene: Scene, template: Template) -> int:
    """Nothing for as many dice as everyone has; more and fewer pips count. Each within the limits of the species."""
    check_attributes(scene, template.species, template.attributes)
    return pips_tp(scene, sum(pips(scene, each) for each in template.attributes.values()))


def pips_tp(scene: Scene, spent: int) -> int:
    """What so many pips of attributes are worth in all."""
    figures_, over = scene[AttributeFigures], spent - pips(scene, scene[AttributeFigures].budget)
    return over * figures_.tp_per_pip_above if over > 0 else -over * figures_.tp_per_pip_below


def check_attributes(scene: Scene, species: str, attributes: Stats) -> None:
    """Within the limits of the species, and no more of them at its maximum than the game master allows."""
    highest = 0
    for name, low_high in scene[SPECIES].look(species).attributes.items():
        low, high = low_high
        code = attributes.get(name)
        if code is None or not pips(scene, low) <= pips(scene, code) <= pips(scene, high):
            raise Refused(name, because=f"of a {species} it is {low} to {high}, not {code}", rule="d6.species.format")
        highest += code == limits(scene, species, name)[1]
    most = scene[AttributeFigures].max_attributes_at_species_maximum
    if scene[AT_MAXIMUM] is AtMaximum.LIMITED and highest > most:
        raise Refused("attributes", because=f"{highest} at the maximum of the species, at most {most}", rule=ATTRIBUTES)


@formula(ATTRIBUTES + "/level")
def attribute_level(scene: Scene, code: Stat) -> str:
    """What an attribute is called: the level of its number of dice."""
    return scene[ATTRIBUTE_LEVELS].at(pips(scene, code)).level


def template_move(scene: Scene, template: Template) -> int:
    return scene[SPECIES].look(template.species).move[0] if template.move is None else template.move


def template_status(scene: Scene, template: Template) -> int:
    return scene[StatusFigures].party if template.social_status is None else template.social_status


def template_wealth(scene: Scene, template: Template) -> Stat:
    return scene[WealthFigures].average if template.wealth is None else template.wealth


@formula(MOVE)
def move_tp(scene: Scene, species: str, move: int) -> int:
    """Move is the minimum of the species; faster costs, slower gives."""
    low, high = scene[SPECIES].look(species).move
    least = low if scene[LOW_MOVE] is LowMove.WITHIN else scene[TemplateMove].least
    if not least <= move <= high:
        raise Refused("Move", because=f"of a {species} it is {least} to {high}, not {move}", rule=MOVE)
    over = move - low
    return over * scene[TemplateMove].tp_per_point_up if over > 0 else -over * scene[TemplateMove].tp_per_point_down


def appearance_tp(scene: Scene, appearance: str) -> int:
    """What looks are worth; nothing, where the character will never meet his kind."""
    return scene[CLASSES][appearance].tp if scene[LOOKS_CHARGED] else 0


def status_tp(scene: Scene, status: int) -> int:
    """What a rank is worth, from the one that all player characters share."""
    scene[STATUSES].at(status)
    return (status - scene[StatusFigures].party) * scene[StatusFigures].tp_per_level


def status_caution(scene: Scene, status: int) -> bool:
    """Whether a beginner should rather not have this rank."""
    return status > scene[StatusFigures].caution_above or status <= scene[StatusFigures].caution_at


def wealth_tp(scene: Scene, wealth: Stat) -> int:
    """A point for each die of Wealth above what is average here, a point less for each below."""
    found, code = scene[WealthFigures], pips(scene, wealth)
    most = found.suggested_maximum
    if code < pips(scene, found.minimum):
        raise Refused("Wealth", because=f"it is never below {found.minimum}", rule=WEALTH)
    if scene[RICH] is not RichAs.UNLIMITED and code > pips(scene, most):
        raise Refused("Wealth", because=f"at most {most}, unless the game master waives it", rule=WEALTH)
    return (wealth.dice - found.average.dice) * found.tp_per_die


formula(APPEARANCE)(appearance_tp)
formula(STATUS)(status_tp)
formula(STATUS + "/caution")(status_caution)
formula(WEALTH)(wealth_tp)


@formula(TRAITS)
def traits_tp(scene: Scene, traits: tuple[CharacterTrait, ...]) -> int:
    """The merits of a template add what they cost, its flaws take away what they give."""
    per = {True: scene[PER_MERIT], False: scene[PER_FLAW]}
    return sum(trait_value(scene, each) * per[is_merit(scene, each.name)] for each in traits)


@formula(EQUIPMENT)
def equipment_tp(scene: Scene, equipment: tuple[str, ...]) -> int:
    """What the game master has set for equipment that would unbalance characters."""
    return sum(scene[EQUIPMENT_LIST][each].tp for each in equipment)


@formula(ABILITIES)
def abilities_tp(scene: Scene, special_abilities: tuple[str, ...]) -> int:
    """What the campaign has set for special abilities."""
    return sum(scene[ABILITY_LIST][each].tp for each in special_abilities)


# --- what looks do ----------------------------------------------------------------------------------------------------


def appearance_effects(scene: Scene, appearance: str) -> tuple[Active, ...]:
    """What looks do where attraction matters; nothing, where the campaign does without them."""
    if not in_use(scene, APPEARANCE) or appearance not in scene[CLASSES]:
        return ()
    return tuple(Active(each, appearance, APPEARANCE) for each in scene[CLASSES].look(appearance).effects)
