"""What a draft amounts to: template and species, codes in pips, merits and flaws, and what changes its prices."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import cached_property, lru_cache
from math import ceil
from typing import Final, final

from referee.core import BOOK, Draft, Levels, Scene, State
from referee.core.effects import Sets
from referee.core.plain import read
from referee.core.rulebook import Book, Figure, RowsOf
from referee.kits.dice_codes import Code, Stat
from referee.systems.d6 import templates
from referee.systems.d6.codes import attribute_of
from referee.systems.d6.creation.points import ASKING, AdvancedFigures, Asking, FieldFigures
from referee.systems.d6.sheet import ATTRIBUTES, SKILLS, SkillRow
from referee.systems.d6.skill_names import ADVANCED, FIELD
from referee.systems.d6.species import PIPS_PER_DIE, SPECIES, Species, pips
from referee.systems.d6.templates import (
    DEFAULT_LOOKS,
    STATUS,
    TEMPLATES,
    Template,
    in_use,
    template_status,
    template_wealth,
)
from referee.systems.d6.traits import (
    DIVISOR,
    FLAWS,
    MERITS,
    CharacterTrait,
    TraitRow,
    effects_of,
    label,
    split,
    trait_row,
    trait_value,
)

CREATING: Final = "creation"
"""The tag of effects that change what something costs while a character is built."""


def build_of(scene: Scene, draft: Draft) -> Build:
    """A draft read by the rulebook of its campaign; one that was read lately is not read again."""
    return _build(ThisBook(scene[BOOK]), json.dumps(draft.answers, sort_keys=True))


@final
class ThisBook:
    """A rulebook as a key: itself, not its equal, which may have been read at another time."""

    __slots__ = ("book",)

    def __init__(self, book: Book) -> None:
        self.book = book

    def __hash__(self) -> int:
        return id(self.book)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ThisBook) and self.book is other.book

    @property
    def scene(self) -> Scene:
        """A scene with the rulebook, and nothing else."""
        return Scene(State({BOOK.name: self.book}))


@lru_cache(maxsize=64)
def _build(this: ThisBook, answers: str) -> Build:
    return Build(this.scene, Draft(json.loads(answers)))


def stat(scene: Scene, in_pips: int) -> Stat:
    """Pips as a stat is written."""
    return Stat.of(Code(0, in_pips), scene[PIPS_PER_DIE])


def spoken(scene: Scene, name: str, written: str) -> int:
    """The pips of a code: those of an attribute, or, with a plus, those above one."""
    code: Code = read(Code, written.removeprefix("+") if "d" in written.casefold() else written)
    return code.in_pips(scene[PIPS_PER_DIE])


@lru_cache(maxsize=512)
def _written(in_pips: int, per_die: int) -> str:
    return str(Stat.of(Code(0, in_pips), per_die))


@lru_cache(maxsize=16)
def _attributes_of(this: ThisBook) -> Mapping[str, str]:
    scene = this.scene
    return {row.name: attribute_of(scene, row) for row in scene[SKILLS]}


@lru_cache(maxsize=16)
def trait_rules(this: ThisBook) -> Mapping[str, str]:
    """The rule that each merit and flaw is printed under."""
    scene = this.scene
    return {name: scene[table].rule_of(name) for table in (MERITS, FLAWS) for name in scene[table].names}


def family(row: SkillRow) -> str:
    """What skills of one kind have in common: `Melee combat` of `Melee combat <weapon type>`."""
    return row.name.partition(" <")[0]


@final
class Build:
    """A draft as far as it goes."""

    def __init__(self, scene: Scene, draft: Draft) -> None:
        self.scene = scene
        self.draft = draft

    @cached_property
    def per_die(self) -> int:
        return self.scene[PIPS_PER_DIE]

    def written(self, in_pips: int) -> str:
        """Pips as a sheet writes them."""
        return _written(in_pips, self.per_die)

    def above(self, in_pips: int) -> str:
        """What is bought above an attribute, as it is written: +1D+2."""
        return f"+{self.written(in_pips)}" if in_pips else "+0"

    def advanced_code(self, level: int) -> str:
        """An advanced skill at a level, as a sheet writes it; a dash before its first die."""
        return str(self.advanced(level) or "–")

    @cached_property
    def rule_of(self) -> Mapping[str, str]:
        return trait_rules(ThisBook(self.scene[BOOK]))

    @property
    def is_waived(self) -> bool:
        """Whether merits and flaws are not held to what their entries ask."""
        return self.scene[ASKING] is Asking.WAIVED

    @cached_property
    def uses_looks(self) -> bool:
        return in_use(self.scene, templates.APPEARANCE)

    # Template and species.

    @cached_property
    def template(self) -> Template | None:
        """The template that was chosen; None for one of the player's own."""
        name, known = self.draft.one("template"), self.scene[TEMPLATES]
        return known.look(name) if name in known else None

    @cached_property
    def species(self) -> Species:
        known = self.scene[SPECIES]
        return known.look(self.draft.one("species") or (self.template.species if self.template else known.names[0]))

    @cached_property
    def plain_attribute(self) -> int:
        """An attribute of a template that is still blank, in pips: an equal share of the dice that everyone has."""
        return pips(self.scene, self.scene[templates.AttributeFigures].budget) // len(self.scene[ATTRIBUTES])

    @cached_property
    def bounds(self) -> Mapping[str, tuple[int, int]]:
        """The limits of the species, in pips."""
        limits = self.species.attributes
        return {name: (pips(self.scene, low), pips(self.scene, high)) for name, (low, high) in limits.items()}

    @cached_property
    def base(self) -> Mapping[str, int]:
        """What attributes are for nothing, in pips."""
        if self.template is None:
            return dict.fromkeys(self.scene[ATTRIBUTES].names, self.plain_attribute)
        return {name: pips(self.scene, code) for name, code in self.template.attributes.items()}

    @cached_property
    def starts(self) -> Mapping[str, int]:
        """Where attributes begin: as the template has them; blank ones within the limits of the species."""
        if self.template is not None:
            return self.base
        return {name: min(max(self.base[name], low), high) for name, (low, high) in self.bounds.items()}

    @cached_property
    def attributes(self) -> Mapping[str, int]:
        return {name: self.draft.level("attributes", name, self.starts[name]) for name in self.scene[ATTRIBUTES].names}

    @property
    def status(self) -> int:
        start = template_status(self.scene, self.template or Template(""))
        return self.draft.level("social_status", "Social Status", start) if in_use(self.scene, STATUS) else start

    @property
    def base_wealth(self) -> int:
        return template_wealth(self.scene, self.template or Template("")).dice

    @property
    def base_appearance(self) -> str:
        return (self.template.appearance if self.template else "") or self.scene[DEFAULT_LOOKS]

    @property
    def appearance(self) -> str:
        return self.draft.one("appearance") or self.base_appearance

    # Skills.

    @cached_property
    def kinds(self) -> tuple[str, ...]:
        return tuple(name.removesuffix(ADVANCED) for name in self.draft.several("kinds"))

    @cached_property
    def basic_skills(self) -> Mapping[str, SkillRow]:
        """Every basic skill that may be developed: those of the lists, those named by type, those of the species."""
        found: dict[str, SkillRow] = {}
        for row in self.scene[SKILLS]:
            if not row.advanced and not row.abstract and (not row.of_species or row.name in self.opened):
                found |= {row.name: row} if not row.per else dict.fromkeys(self._of_kind(row), row)
        return found

    def _of_kind(self, row: SkillRow) -> Iterator[str]:
        return (name for name in self.kinds if name.startswith(f"{family(row)} <"))

    @cached_property
    def opened(self) -> Mapping[str, str]:
        """Skills that only this species may develop, with their attributes."""
        rows = (trait_row(self.scene, each.name)[0] for each in self.species.special)
        return {row.opens.name: row.opens.attribute for row in rows if row.opens}

    @cached_property
    def advanced_skills(self) -> Mapping[str, SkillRow]:
        found: dict[str, SkillRow] = {}
        for row in self.scene[SKILLS]:
            if row.advanced:
                names = [row.name] if not row.per else list(self._of_kind(row))
                found |= {name + ADVANCED: row for name in names}
        return found

    @cached_property
    def by_field(self) -> Mapping[str, SkillRow]:
        """Every skill that has fields to specialize in."""
        return {**self.basic_skills, **{row.name: row for row in self.scene[SKILLS] if row.abstract}}

    @cached_property
    def attribute_of(self) -> Mapping[str, str]:
        """The attribute that each skill belongs to."""
        rows = {**self.by_field, **self.advanced_skills}
        known = _attributes_of(ThisBook(self.scene[BOOK]))
        return {name: self.opened.get(name) or known[row.name] for name, row in rows.items()}

    def skill(self, name: str) -> int:
        """A basic skill, in pips: its attribute, and what was bought."""
        return self.attributes[self.attribute_of[name]] + self.levels.get(name, 0)

    @cached_property
    def levels(self) -> Mapping[str, int]:
        """What was bought of basic skills, in pips."""
        return self.draft.answers.get("skills") or {}

    def dice(self, name: str) -> int:
        """How many dice were bought for a specialization."""
        return 1 + self.draft.level("specialization_dice", name)

    def specialization(self, name: str) -> int:
        """A specialization, in pips: its basic skill, and a die for each payment."""
        return self.skill(name.partition(FIELD)[0]) + self.dice(name) * pips(self.scene, self.scene[FieldFigures].bonus)

    @cached_property
    def specializations(self) -> tuple[str, ...]:
        return self.draft.several("specializations")

    def advanced(self, level: int) -> Stat | None:
        """An advanced skill at a level: the first is its first die, each further one a pip."""
        start = pips(self.scene, self.scene[AdvancedFigures].acquire_code)
        return stat(self.scene, start + level - 1) if level else None

    # Merits and flaws.

    @cached_property
    def base_traits(self) -> Mapping[str, CharacterTrait]:
        """The merits and flaws of the template, by their names in the draft."""
        found = (*self.template.merits, *self.template.flaws) if self.template else ()
        return {label(each): each for each in found}

    @cached_property
    def merit_rows(self) -> Mapping[str, TraitRow]:
        """Every merit, and those that the player has named a subject for."""
        return self._rows(MERITS)

    @cached_property
    def flaw_rows(self) -> Mapping[str, TraitRow]:
        return self._rows(FLAWS)

    def _rows(self, table: RowsOf[TraitRow]) -> dict[str, TraitRow]:
        known = self.scene[table]
        found = {row.name: row for row in known}
        for name in (*self.draft.several("subjects"), *self.base_traits):
            if split(name)[0] in known:
                found[name] = known.look(split(name)[0])
        return found

    def trait(self, name: str, level: int) -> CharacterTrait:
        """A merit or flaw of the draft at a level, with the steps of its parts."""
        base, (bare, about) = self.base_traits.get(name), split(name)
        row = self.merit_rows.get(name) or self.flaw_rows[name]
        level = level if row.most_level is None else min(level, row.most_level)
        first = base.parts if base else Levels()
        steps = {part.name: self.draft.level(name, part.name, first.get(part.name, part.usual)) for part in row.parts}
        kept = base.value if base is not None and base.level == level else None
        return CharacterTrait(bare, level, kept, about, Levels(steps))

    def level(self, key: str, name: str) -> int:
        base = self.base_traits.get(name)
        return self.draft.level(key, name, base.level if base else 0)

    @cached_property
    def merits(self) -> Mapping[str, CharacterTrait]:
        return {name: self.trait(name, level) for name in self.merit_rows if (level := self.level("merits", name))}

    @cached_property
    def flaws(self) -> Mapping[str, CharacterTrait]:
        return {name: self.trait(name, level) for name in self.flaw_rows if (level := self.level("flaws", name))}

    @cached_property
    def traits(self) -> tuple[CharacterTrait, ...]:
        return (*self.merits.values(), *self.flaws.values())

    @cached_property
    def rows(self) -> tuple[TraitRow, ...]:
        """What the book says of the merits and flaws of this draft."""
        return tuple(trait_row(self.scene, each.name)[0] for each in self.traits)

    @cached_property
    def asking(self) -> tuple[TraitRow, ...]:
        """The merits and flaws whose entries ask for something, unless the game master waives that."""
        return () if self.is_waived else self.rows

    @cached_property
    def sets(self) -> tuple[tuple[frozenset[str], Sets], ...]:
        """Effects that change what things cost while this character is built."""
        traits = (*self.traits, *(each.trait for each in self.species.special))
        active = (each.effect for trait in traits for each in effects_of(self.scene, trait))
        return tuple((each.when, each.does) for each in active if isinstance(each.does, Sets) and CREATING in each.when)

    def figure(self, which: Figure[int], *tags: str) -> int:
        """A figure of creation for this character: some merits, flaws and species change it."""
        if not self.sets:
            return self.scene[which]
        wanted, situation = f"{which.rule}/{which.path}", {CREATING, *tags}
        found = (int(does.to) for when, does in self.sets if does.figure == wanted and when <= situation)
        return next(found, self.scene[which])

    def merit_price(self, name: str, level: int) -> int:
        """What a merit costs this character: some flaws halve it, and ranks may come with social status."""
        trait = self.trait(name, level)
        row, value = self.merit_rows[name], trait_value(self.scene, trait)
        if row.status_gives_ranks:
            value = max(row.per_level, value - row.per_level * max(0, self.status))
        return ceil(Fraction(value, self.figure(DIVISOR, row.name)))

    @cached_property
    def implied(self) -> frozenset[str]:
        """Flaws that come with a merit, and give nothing."""
        return frozenset(self.merit_rows[name].implies for name in self.merits) - {""}

    def flaw_value(self, name: str, level: int) -> int:
        """What a flaw gives this character; nothing, if a merit implies it."""
        return (
            0
            if not level or self.flaw_rows[name].name in self.implied
            else trait_value(self.scene, self.trait(name, level))
        )
