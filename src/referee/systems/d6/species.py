"""Species: limits of attributes and Move, bulk, traits of their own, and what each is worth in Template Points."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from math import ceil
from typing import Final

from referee.core import Active, Effect, Refused, Scene, figure, figures, formula, frozen, rows
from referee.core.plain import Plain, read_fields
from referee.kits.dice_codes import Code, Stat
from referee.systems.d6.traits import CharacterTrait, effects_of, is_merit, trait_value

FORMAT: Final = "d6.species.format"
LIMITS: Final = "d6.species.attribute-limits"
PIPS_PER_DIE: Final = figure("d6.core.dice-code", "pips_per_die", int)


@frozen
class SpeciesTrait:
    """A merit, a flaw or an exotic trait that a whole species has."""

    name: str
    level: int = 1
    value: int | None = None
    about: str = ""

    @classmethod
    def from_plain(cls, plain: Plain) -> SpeciesTrait:
        """Its name alone, or its fields."""
        found: SpeciesTrait = read_fields(cls, {"name": plain} if isinstance(plain, str) else plain)
        return found

    def to_plain(self) -> dict[str, object]:
        return {"name": self.name, "level": self.level, "value": self.value, "about": self.about}

    @property
    def trait(self) -> CharacterTrait:
        return CharacterTrait(self.name, self.level, self.value, self.about)


@frozen
class Species:
    """A species: the least and the most of each attribute, Move at the start and at most, bulk, and traits."""

    name: str
    attributes: dict[str, tuple[Stat, Stat]] = field(default_factory=dict, hash=False)
    move: tuple[int, int] = (10, 15)
    bulk: int | None = None
    """None: as a human."""
    special: tuple[SpeciesTrait, ...] = ()
    size: str = ""
    lifespan: str = ""
    description: str = ""


@frozen
class BulkRow:
    """A class of size and mass."""

    bulk: int
    name: str
    size: str
    pc_allowed: bool
    tp: int | None = None
    effects: tuple[Effect, ...] = ()


@figures("d6.species.attribute-limits")
class LimitFigures:
    """What limits other than a human's are worth, a pip at a time."""

    min_below_2d_per_pip: float
    min_above_2d_per_pip: float
    max_below_4d_per_pip: float
    max_above_4d_per_pip: float
    usual_min_range: Stat
    absolute_min_range: Stat


@figures("d6.species.move")
class SpeciesMove:
    """What a Move other than a human's is worth, a point at a time."""

    base_min: int
    base_max: int
    min_above: float
    min_below: float
    max_above: float
    max_below: float


@figures("d6.species.tp-value")
class ValueFigures:
    """Where the game master is warned."""

    human: int
    warn_above: int
    warn_below: int


@frozen
class RecapRow:
    """A line of the summary."""

    item: str
    tp: float | None = None
    """None: as the list or the setting says."""
    per: str = ""


SPECIES: Final = rows("d6.species.human", "species", Species, also=("d6.species.example-elf/species",))
BULK: Final = rows("d6.species.bulk", "bulk", BulkRow, by="bulk")
RECAP: Final = rows("d6.species.recap-table", "rows", RecapRow)
ENTRIES: Final = rows(FORMAT, "entries", str)
DEFAULT_BULK: Final = figure(FORMAT, "default_bulk", int)
BASELINE: Final = figure("d6.templates.species", "baseline", str)


def bulk_of(scene: Scene, species: Species) -> int:
    """The size and mass of a species; where it does not say, the usual."""
    return scene[DEFAULT_BULK] if species.bulk is None else species.bulk


# --- limits -----------------------------------------------------------------------------------------------------------


@formula(FORMAT)
def limits(scene: Scene, species: str, attribute: str) -> tuple[Stat, Stat]:
    """The least and the most that an attribute of this species may be at the start."""
    return scene[SPECIES][species].attributes[attribute]


@formula(FORMAT + "/entries", FORMAT)
def described(scene: Scene, species: Species) -> dict[str, str]:
    """A species by the entries of its sheet."""
    plain = {"bulk": str(bulk_of(scene, species)), "move": f"{species.move[0]}-{species.move[1]}"}
    plain["special"] = ", ".join(each.name for each in species.special)
    codes = {name: f"{low}/{high}" for name, (low, high) in species.attributes.items()}
    entries = [scene[ENTRIES][each] for each in scene[ENTRIES]]
    return {each: plain.get(each) or codes.get(each) or str(getattr(species, each, "")) for each in entries}


@formula("d6.species.attribute-limits/check", "d6.species.attribute-limits")
def check_limits(scene: Scene, species: Species) -> None:
    """Between the least and the most of an attribute lies at least a die; usually two."""
    for name, (low, high) in species.attributes.items():
        if pips(scene, high) - pips(scene, low) < pips(scene, scene[LimitFigures].absolute_min_range):
            least = scene[LimitFigures].absolute_min_range
            raise Refused(name, because=f"the range is {low} to {high}, less than {least}", rule=LIMITS)


@formula("d6.species.attribute-limits/narrow", LIMITS)
def narrow_ranges(scene: Scene, species: Species) -> tuple[str, ...]:
    """Attributes whose range is narrower than is usual; the game master may want to know."""
    usual = pips(scene, scene[LimitFigures].usual_min_range)
    return tuple(
        name for name, (low, high) in species.attributes.items() if pips(scene, high) - pips(scene, low) < usual
    )


def pips(scene: Scene, stat: Stat | Code) -> int:
    """All of a code in pips."""
    code = stat.code if isinstance(stat, Stat) else stat
    return code.in_pips(scene[PIPS_PER_DIE])


# --- value ------------------------------------------------------------------------------------------------------------


@formula("d6.species.tp-value")
def species_value(scene: Scene, species: Species) -> int:
    """What a species is worth against humans; half points are kept to the end, and the whole is rounded up."""
    return scene[ValueFigures].human + ceil(sum(worth for _, worth in species_points(scene, species)))


@formula("d6.species.tp-value/warning", "d6.species.tp-value")
def species_warning(scene: Scene, species: Species) -> str:
    """What the game master should do about a species that is worth much more, or much less, than a human."""
    value, marks = species_value(scene, species), scene[ValueFigures]
    if value > marks.warn_above:
        return "limit the character or forbid the species"
    return "find a compensation" if value < marks.warn_below else ""


def species_points(scene: Scene, species: Species) -> Iterator[tuple[str, float]]:
    """Each item of the summary that a species differs in, with what it is worth."""
    check_limits(scene, species)
    item = f"Bulk {bulk_of(scene, species)}"
    yield scene[RECAP][item].item if item in scene[RECAP] else "Bulk", bulk_value(scene, species)
    yield scene[RECAP]["Lifespan"].item, 0.0
    yield from limit_points(scene, species)
    yield from move_points(scene, species)
    yield from special_points(scene, species)


def bulk_value(scene: Scene, species: Species) -> float:
    row = scene[BULK].at(bulk_of(scene, species))
    if row.tp is None:
        raise Refused(species.name, because=f"no value is given for bulk {row.bulk}", rule=BULK.rule)
    return float(row.tp)


@formula(LIMITS)
def limit_points(scene: Scene, species: Species) -> tuple[tuple[str, float], ...]:
    """Limits of attributes other than a human's: low minima and high maxima are worth something."""
    per, human = scene[LimitFigures], scene[SPECIES].look(scene[BASELINE])
    found: list[tuple[str, float]] = []
    for name, (low, high) in species.attributes.items():
        down, up = (
            pips(scene, ours) - pips(scene, theirs)
            for ours, theirs in zip((low, high), human.attributes[name], strict=True)
        )
        least = per.min_above_2d_per_pip * down if down > 0 else per.min_below_2d_per_pip * -down
        most = per.max_above_4d_per_pip * up if up > 0 else per.max_below_4d_per_pip * -up
        found += _differing(scene, "Attribute minimum above 2d", "Attribute minimum below 2d", down, least)
        found += _differing(scene, "Attribute maximum above 4d", "Attribute maximum below 4d", up, most)
    return tuple(found)


@formula("d6.species.move")
def move_points(scene: Scene, species: Species) -> tuple[tuple[str, float], ...]:
    """A Move other than a human's, at the start and at most."""
    per = scene[SpeciesMove]
    start, end = species.move[0] - per.base_min, species.move[1] - per.base_max
    least = per.min_above * start if start > 0 else per.min_below * -start
    most = per.max_above * end if end > 0 else per.max_below * -end
    return (
        *_differing(scene, "Minimum Move above 10", "Minimum Move below 10", start, least),
        *_differing(scene, "Maximum Move above 15", "Maximum Move below 15", end, most),
    )


def _differing(scene: Scene, above: str, below: str, by: int, worth: float) -> Iterator[tuple[str, float]]:
    if by:
        yield scene[RECAP][above if by > 0 else below].item, float(worth)


@formula("d6.species.special-traits")
def special_points(scene: Scene, species: Species) -> tuple[tuple[str, float], ...]:
    """Traits of the whole species: like a merit they add what it costs, like a flaw they subtract it."""
    return tuple(_special(scene, each.trait) for each in species.special)


def _special(scene: Scene, trait: CharacterTrait) -> tuple[str, float]:
    from referee.systems.d6.traits import ADVANTAGES, DRAWBACKS, trait_row

    exotic = trait_row(scene, trait.name)[1] in (ADVANTAGES, DRAWBACKS)
    item = scene[RECAP]["Exotic trait" if exotic else "Special trait"].item
    return item, float(trait_value(scene, trait)) * (1 if is_merit(scene, trait.name) else -1)


# --- what it does -----------------------------------------------------------------------------------------------------


@formula("d6.species.bulk")
def bulk_effects(scene: Scene, bulk: int) -> tuple[Active, ...]:
    """What size and mass do to who has them and to who attacks them."""
    row = scene[BULK].at(bulk)
    return tuple(Active(effect, row.name, BULK.rule) for effect in row.effects)


def species_effects(scene: Scene, species: str) -> Iterator[Active]:
    """What a character has from its species; a species that is not in the book has nothing to say."""
    if species in scene[SPECIES]:
        for each in scene[SPECIES].look(species).special:
            yield from effects_of(scene, each.trait)
