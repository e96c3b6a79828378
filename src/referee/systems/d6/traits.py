"""Merits and flaws: what the lists say of each, what it is worth at each level, and what it does for who has it.

Exotic advantages and drawbacks of species are read in the same way. What a merit or flaw does is data of the rulebook;
no rule names one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import field, replace
from fractions import Fraction
from math import ceil
from typing import Any, ClassVar, Final

from referee.core import Active, Audience, Effect, Levels, Refused, Scene, figure, formula, frozen, rows
from referee.core.effects import Adds, Extra
from referee.core.plain import Plain, is_number, meant, read_fields
from referee.core.rulebook import RowsOf
from referee.kits.dice_codes import Stats
from referee.kits.wounds import TimeSpan

NATURE: Final = "d6.creation.merits-flaws-nature"
NOTATION: Final = "d6.merits.value-notation"
ABOUT: Final = "about"
"""In the tags of an effect: whatever the merit or flaw concerns."""


# --- the lists --------------------------------------------------------------------------------------------------------


@frozen
class TraitRoll:
    """A roll that a merit or flaw asks for: against what, how that grows or falls, and what comes of it."""

    skill: str
    difficulty: int | None = None
    """None: the game master sets it."""
    by_stimulus: bool = False
    """Whether the game master sets it from what one meets, and whatever the flaw adds comes on top."""
    harder: int = 0
    """How much harder the flaw makes every roll."""
    advanced: str = ""
    """The advanced skill that takes the place of the other."""
    secret: bool = False
    """Whether the game master rolls it in secret."""
    action: bool = False
    """Whether it counts as an action of the round."""
    step_each: int = 0
    """How much harder each further roll is."""
    step_after_success: int = 0
    step_after_failure: int = 0
    per_value_above_least: int = 0
    on_success: tuple[Effect, ...] = ()
    on_failure: tuple[Effect, ...] = ()


@frozen
class LevelRow:
    """One level of a merit or flaw."""

    level: int
    name: str = ""
    effects: tuple[Effect, ...] = ()
    npc_only: bool = False
    """Not for player characters, unless the whole campaign is about it."""
    needs: Stats = field(default_factory=Stats)
    roll: TraitRoll | None = None
    lasts: TimeSpan | None = None
    """How long it lasts once a roll against it has failed."""
    worst: str = ""
    """The worst wound that comes of it."""
    says: str = ""


@frozen
class StepRow:
    """One step of a part: what it is worth, and what it does."""

    name: str
    value: float
    difficulty: int = 0
    minutes: int = 0
    effects: tuple[Effect, ...] = ()
    says: str = ""


@frozen
class TraitPartRow:
    """Part of a value that is worked out: of an ally the relationship, the influence and the skill."""

    name: str
    steps: tuple[StepRow, ...] = ()
    usual: int = 1
    """The step that it stands at if nothing is said."""
    like: str = ""
    """The merit whose part it shares."""


@frozen
class SkillOpened:
    """A skill that only those with an advantage may develop."""

    name: str
    attribute: str


@frozen
class BuyOut:
    """What ends a flaw costs, by how good the correction is, and what value is left after one that may fail."""

    unreliable: int
    reliable: int
    remains: int


@frozen
class TraitRow:
    """A merit, a flaw, an exotic advantage or drawback, as it is printed."""

    name: str
    cost: tuple[int, ...] = ()
    """Of a merit, by level."""
    value: tuple[int, ...] = ()
    """Of a flaw, by level."""
    per_level: int = 0
    per_level_is_least: bool = False
    least: int | None = None
    """The value is at least this; the game master sets it."""
    most: int | None = None
    formula: str = ""
    """The value is worked out from its parts."""
    divided_by: int = 1
    """What a value that is worked out is divided by."""
    parts: tuple[TraitPartRow, ...] = ()
    levels: tuple[LevelRow, ...] = ()
    max_level: int | None = None
    pc_max_level: int | None = None
    suggested_max_level: int | None = None
    level_is: str = ""
    """What the book calls its level, if it has another word for it."""
    replaces: bool = False
    """Whether the effects of a level replace those of the lower ones."""
    effects: tuple[Effect, ...] = ()
    effects_per_level: tuple[Effect, ...] = ()
    effects_per_miss: tuple[Effect, ...] = ()
    """For each time that something due was not done."""
    unless_appearance: tuple[str, ...] = ()
    effects_unless: tuple[Effect, ...] = ()
    """What it does to those who do not look so."""
    roll: TraitRoll | None = None
    calm: TraitRoll | None = None
    """The roll that ends it."""
    needs: Stats = field(default_factory=Stats)
    appearance: tuple[str, ...] = ()
    """Only with one of these."""
    excludes: tuple[str, ...] = ()
    same_subject: bool = False
    """Whether it excludes them only where they are about the same."""
    implies: str = ""
    status_gives_ranks: bool = False
    """Where rank follows social status, each point of it is a level for nothing, once one has been bought."""
    opens: SkillOpened | None = None
    buy_out: BuyOut | None = None
    character_points: int = 0
    """What it takes to use it, or to be rid of it for a week."""
    ally_value: int = 0
    fatigue_lasts: TimeSpan | None = None
    """How long its fatigue lasts once it is over; None: as long as it lasted itself."""
    worst: str = ""
    death_check: bool = True
    """Whether a mortal wound that it brings is fought by rolls, as any other."""
    says: str = ""

    @property
    def values(self) -> tuple[int, ...]:
        return self.cost or self.value

    @property
    def most_level(self) -> int | None:
        """The highest level there is; None if there is no highest."""
        if self.values:
            return len(self.values)
        if self.formula:
            return 1
        return self.most - (self.least or 0) + 1 if self.most is not None else self.max_level

    @property
    def notation(self) -> str:
        """Its value as the book writes it: 3/8, 3 a level, 1-5, 2+."""
        if self.formula:
            return "by its parts"
        if self.values:
            return "/".join(map(str, self.values))
        if self.per_level:
            return f"{self.per_level} a level"
        return f"{self.least}-{self.most}" if self.most is not None else f"{self.least}+"

    def level(self, number: int) -> LevelRow | None:
        return next((each for each in self.levels if each.level == number), None)


MERITS: Final = rows(
    "d6.merits.list-a-c", "merits", TraitRow, also=("d6.merits.list-d-l/merits", "d6.merits.list-m-v/merits")
)
FLAWS: Final = rows(
    "d6.flaws.physical-a-c",
    "flaws",
    TraitRow,
    also=tuple(
        f"d6.flaws.{each}/flaws"
        for each in ("dependence", "physical-e-w", "addiction", "mental-b-g", "mental-i-u", "social")
    ),
)
ADVANTAGES: Final = rows("d6.species.exotic-advantages", "advantages", TraitRow)
DRAWBACKS: Final = rows("d6.species.exotic-drawbacks", "drawbacks", TraitRow)
TABLES: Final[tuple[RowsOf[TraitRow], ...]] = (MERITS, FLAWS, ADVANTAGES, DRAWBACKS)
CUMULATIVE_EFFECT: Final = figure(NOTATION, "levels_cumulative_in_effect", bool)
CUMULATIVE_COST: Final = figure(NOTATION, "levels_cumulative_in_cost", bool)
DIVISOR: Final = figure(NOTATION, "divisor", int)


@frozen
class ValueNotation:
    """A way in which the lists write a value."""

    pattern: str
    column: str
    meaning: str
    example: str


NOTATIONS: Final = rows(NOTATION, "notations", ValueNotation)


# --- what a character has ---------------------------------------------------------------------------------------------


@frozen
class CharacterTrait:
    """A merit or a flaw that a character has: at which level, and about what. A secret one is the game master's."""

    known_by: ClassVar = ("name", "about")
    in_play: ClassVar = ("tries", "missed", "since")
    name: str
    level: int = 1
    """Which of its levels, from 1 on."""
    value: int | None = None
    """Its value in Creation Points, where the book leaves it open: a range, at least so many."""
    about: str = ""
    """What it concerns: an area, a community, a drug, a phobia's source."""
    parts: Levels = field(default_factory=Levels)
    """Where the value is worked out from parts: which step of each, from 1 on."""
    tries: int = 0
    """How many rolls against it have been made in a row."""
    missed: int = 0
    """How often something due was not done."""
    since: int | None = None
    """The round in which a rage or a seizure began, while it lasts."""
    until: str = ""
    """The moment at which it is lost; never, if none is named."""
    effects: tuple[Effect, ...] = ()
    """What it does besides what the book says of it: a campaign's own."""
    audience: Audience = field(default=Audience.EVERYONE, compare=False)

    @classmethod
    def from_plain(cls, plain: Plain) -> CharacterTrait:
        """A name alone is enough: it is the first level then."""
        if isinstance(plain, CharacterTrait):
            return plain
        found: CharacterTrait = read_fields(cls, {"name": plain} if isinstance(plain, str) else plain)
        return found

    @property
    def secret(self) -> bool:
        return self.audience is Audience.MASTER


def split(name: str) -> tuple[str, str]:
    """`Phobia (spiders)` is a phobia about spiders."""
    bare, has_subject, subject = name.partition(" (")
    return (bare, subject.removesuffix(")")) if has_subject else (name, "")


def label(trait: CharacterTrait) -> str:
    """What a merit or flaw is called: its name, and what it is about."""
    return f"{trait.name} ({trait.about})" if trait.about else trait.name


def trait_row(scene: Scene, name: str) -> tuple[TraitRow, RowsOf[TraitRow]]:
    """What the book says of a merit or flaw, and in which of its lists."""
    for table in TABLES:
        if name in scene[table]:
            return scene[table].look(name), table
    for table in TABLES:
        if meant(name, scene[table].names) is not None:
            return scene[table].look(name), table
    listed = tuple(each for table in TABLES for each in scene[table].names)
    raise Refused(name, because="the book has none of this name", rule=NATURE, legal=listed[:40])


def is_merit(scene: Scene, name: str) -> bool:
    """Whether it is an advantage, which costs; flaws and drawbacks give."""
    return trait_row(scene, name)[1] in (MERITS, ADVANTAGES)


def check_trait(scene: Scene, trait: CharacterTrait) -> None:
    """A level that there is, steps that there are, and a value within what the book leaves open."""
    row, table = trait_row(scene, trait.name)
    rule, most = scene[table].rule_of(row.name), row.most_level
    if trait.level < 1 or (most is not None and trait.level > most):
        raise Refused(trait.name, because=f"it has no level {trait.level}", rule=rule)
    for name, step in trait.parts.items():
        steps = parts_of(scene, row).get(name, ())
        if not 1 <= step <= len(steps):
            raise _no_step(scene, row, f"{name} {step}")
    if trait.value is not None and row.values and not row.formula:
        raise Refused(trait.name, because="its value is that of its level", rule=NOTATION)
    low = row.per_level * trait.level if row.per_level_is_least else row.least
    if trait.value is not None and (trait.value < (low or 0) or (row.most is not None and trait.value > row.most)):
        upper = f"to {row.most}" if row.most is not None else "or more"
        raise Refused(trait.name, because=f"it is worth {low or 0} {upper}", rule=NOTATION)


# --- what it is worth -------------------------------------------------------------------------------------------------


@formula(NOTATION)
def trait_value(scene: Scene, trait: CharacterTrait) -> int:
    """What a merit costs, or a flaw gives: the value of the level chosen alone, not of the lower ones with it."""
    check_trait(scene, trait)
    row, table = trait_row(scene, trait.name)
    if trait.value is not None:
        return trait.value
    if row.formula:
        return _FORMULAS[row.formula](scene, trait)
    scene[table][row.name]
    if row.values:
        return sum(row.values[: trait.level]) if scene[CUMULATIVE_COST] else row.values[trait.level - 1]
    return row.per_level * trait.level if row.per_level else (row.least or 0) + trait.level - 1


def part_of(scene: Scene, part: TraitPartRow) -> TraitPartRow:
    """A part with its steps; some merits share those of another."""
    if not part.like:
        return part
    return next(each for each in trait_row(scene, part.like)[0].parts if each.name == part.name)


def parts_of(scene: Scene, row: TraitRow) -> dict[str, tuple[StepRow, ...]]:
    """The steps of each part of a merit or flaw."""
    return {part.name: part_of(scene, part).steps for part in row.parts}


def usual_step(row: TraitRow, part: str) -> int:
    return next(each.usual for each in row.parts if each.name == part)


def steps_in_words(scene: Scene, row: TraitRow) -> tuple[str, ...]:
    return tuple(f"{part}: {', '.join(one.name for one in steps)}" for part, steps in parts_of(scene, row).items())


def step_named(scene: Scene, row: TraitRow, part: str, written: str) -> int:
    """The step of a part by its name, counted from 1."""
    names = [each.name for each in parts_of(scene, row)[part]]
    if (found := meant(written, names) or meant(f"{written} {part}", names)) is None:
        raise _no_step(scene, row, f"{part} {written}")
    return names.index(found) + 1


def _no_step(scene: Scene, row: TraitRow, given: str) -> Refused:
    rule = scene[trait_row(scene, row.name)[1]].rule_of(row.name)
    return Refused(row.name, because=f"it has no {given}", rule=rule, legal=steps_in_words(scene, row))


def steps_named(scene: Scene, row: TraitRow, given: Mapping[str, Plain]) -> dict[str, Plain]:
    """Parts and their steps by name or number; steps alone, too: `{price: Expensive, illegal: yes}`."""
    parts, found = parts_of(scene, row), dict[str, Plain]()
    part_with = {step.name: part for part, steps in parts.items() for step in steps}
    for name, step in given.items():
        if (part := meant(name, parts)) is not None:
            found[part] = step_named(scene, row, part, step) if isinstance(step, str) and not is_number(step) else step
            continue
        alone = [name] if step in (True, 1) else step if isinstance(step, list) else [step]
        for each in (meant(str(one), part_with) for one in alone):
            if each is None:
                raise _no_step(scene, row, name)
            found[part_with[each]] = step_named(scene, row, part_with[each], each)
    return found


def step_of(scene: Scene, trait: CharacterTrait, part: str) -> StepRow:
    """The step that a part of a trait stands at; the usual one, if it does not say."""
    row, table = trait_row(scene, trait.name)
    scene[table][row.name]
    steps, step = parts_of(scene, row)[part], trait.parts.get(part, usual_step(row, part))
    if not 1 <= step <= len(steps):
        raise _no_step(scene, row, f"{part} {step}")
    return steps[step - 1]


def worth(scene: Scene, trait: CharacterTrait, part: str) -> Fraction:
    return Fraction(step_of(scene, trait, part).value)


@formula("d6.merits.list-a-c/ally")
def ally_value(scene: Scene, trait: CharacterTrait) -> int:
    """An ally is worth the relationship, the influence and the skill together."""
    return int(sum(worth(scene, trait, part) for part in ("relationship", "influence", "skill")))


@formula("d6.merits.list-d-l/favor")
def favor_value(scene: Scene, trait: CharacterTrait) -> int:
    """A favor is worth a third of the same ally, rounded up."""
    row = trait_row(scene, trait.name)[0]
    return max(row.least or 0, ceil(Fraction(ally_value(scene, trait), row.divided_by)))


@formula("d6.flaws.physical-a-c/allergy")
def allergy_value(scene: Scene, trait: CharacterTrait) -> int:
    """An allergy gives half for a rare substance, and twice as much for a common one."""
    return int(trait_row(scene, trait.name)[0].value[trait.level - 1] * worth(scene, trait, "substance"))


@formula("d6.flaws.mental-i-u/phobia")
def phobia_value(scene: Scene, trait: CharacterTrait) -> int:
    """A phobia gives what its source is worth, twice if it is serious."""
    return int(worth(scene, trait, "source") * trait_row(scene, trait.name)[0].value[trait.level - 1])


@formula("d6.flaws.dependence")
def dependence_value(scene: Scene, trait: CharacterTrait) -> int:
    """How hard the substance is to get (harder, if that is a crime), times how often it is needed."""
    rarity = worth(scene, trait, "availability") + worth(scene, trait, "legality")
    return int(rarity * worth(scene, trait, "frequency"))


@formula("d6.flaws.addiction")
def addiction_value(scene: Scene, trait: CharacterTrait) -> int:
    """The price of a dose, whether that is a crime, and everything else that the drug does."""
    return int(sum(worth(scene, trait, part.name) for part in trait_row(scene, trait.name)[0].parts))


_FORMULAS: Final[dict[str, Callable[[Scene, CharacterTrait], int]]] = {
    "ally": ally_value,
    "favor": favor_value,
    "allergy": allergy_value,
    "phobia": phobia_value,
    "dependence": dependence_value,
    "addiction": addiction_value,
}


# --- what it does -----------------------------------------------------------------------------------------------------


@formula(NATURE)
def trait_effects(scene: Scene, traits: tuple[CharacterTrait, ...], appearance: str = "") -> tuple[Active, ...]:
    """What merits and flaws do. Secret ones do nothing by themselves: the game master has them in mind."""
    return tuple(each for trait in traits if not trait.secret for each in effects_of(scene, trait, appearance))


def effects_of(scene: Scene, trait: CharacterTrait, appearance: str = "") -> Iterator[Active]:
    """What one merit or flaw does at its level; a higher level does what the lower ones do, unless it replaces them."""
    row, table = trait_row(scene, trait.name)
    rule = scene[table].rule_of(row.name)
    for effect in (*_printed(scene, row, trait, appearance), *trait.effects):
        about = frozenset(trait.about if tag == ABOUT and trait.about else tag for tag in effect.when)
        yield Active(replace(effect, when=about), row.name, rule)


def _printed(scene: Scene, row: TraitRow, trait: CharacterTrait, appearance: str) -> Iterator[Effect]:
    yield from row.effects
    yield from _times(row.effects_per_level, trait.level)
    together = scene[CUMULATIVE_EFFECT] and not row.replaces
    for level in row.levels:
        if level.level == trait.level or (together and level.level < trait.level):
            yield from level.effects
    yield from (effect for part in row.parts for effect in step_of(scene, trait, part.name).effects)
    if trait.missed:
        yield from _times(row.effects_per_miss, trait.missed)
    if appearance not in row.unless_appearance:
        yield from row.effects_unless


def all_effects(row: TraitRow) -> Iterator[Effect]:
    """Whatever a merit or flaw may do, at any of its levels and steps."""
    yield from (*row.effects, *row.effects_per_level, *row.effects_per_miss, *row.effects_unless)
    yield from (effect for level in row.levels for effect in level.effects)
    yield from (effect for part in row.parts for step in part.steps for effect in step.effects)


def _times(effects: Iterable[Effect], number: int) -> Iterator[Effect]:
    """Effects for each level, or for each time."""
    for effect in effects:
        does: Any = effect.does
        if isinstance(does, Adds):
            does = replace(does, amount=does.amount * number)
        elif isinstance(does, Extra):
            does = replace(does, times=does.times * number)
        yield replace(effect, does=does)
