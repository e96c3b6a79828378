"""Blows in close combat: what is rolled for one, its circumstances, what it comes to, and what hinders it."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Final, Literal, TypeAlias

from referee.core import Bands, Fields, Mod, Mods, Scene, applying, figure, formula, frozen, rows
from referee.systems.d6.codes import ability_name, own_code
from referee.systems.d6.combat.blind_combat import melee_sight
from referee.systems.d6.combat.reach import FAR, SHORTEST, distance_between, reach_mods
from referee.systems.d6.combat.surroundings import VISIBILITIES, body_scale, scale_mods
from referee.systems.d6.combat.weapons import (
    ATTACK,
    NATURAL,
    WeaponDamage,
    item_of,
    weapon_damage,
    weapon_skill,
    weapons_held,
)
from referee.systems.d6.damage import Zone
from referee.systems.d6.equipment import MELEE, SHIELD, Weapon, is_in_order, weapon_of
from referee.systems.d6.rolls import ACTION, ANY_ROLL, LEGS, SPATIAL
from referee.systems.d6.sheet import PIPS_PER_DIE, Person
from referee.systems.d6.wounds import TORSO
from referee.systems.d6.zones import arm_mods, called_shot, has_arms_for, leg_mods

MELEE_ATTACK: Final = "d6.combat.melee-attack"
BRAWLING: Final = "Brawling"
AMBIDEXTERITY: Final = "Ambidexterity::melee combat"
MELEE_TAGS: Final = (ACTION, ANY_ROLL, "attack", "melee", LEGS, SPATIAL)

OTHERWISE: Final = figure(MELEE_ATTACK, "otherwise", int)


@frozen
class ModifierSummary:
    """A row of the table of all modifiers, for people to look up; the rules of each have its figure."""

    name: str
    about: str
    condition: str
    modifier: str
    note: str = ""


SUMMARY: Final = rows("d6.combat.modifiers-summary", "rows", ModifierSummary)


@frozen
class DifficultyRow:
    """How hard it is to hit with a weapon."""

    name: str
    number: int


DIFFICULTIES: Final = rows(MELEE_ATTACK, "difficulty", DifficultyRow)

Direction: TypeAlias = Literal["front", "side", "behind"]
Sight: TypeAlias = Annotated[str, VISIBILITIES]
Side: TypeAlias = Literal["front", "left", "right", "back"]


# --- what is said of an attack ----------------------------------------------------------------------------------------


@frozen
class MeleeBlow:
    """An attack in close combat: what is rolled for it against what, how far it reaches, what it does."""

    using: str
    difficulty: int
    reach: int
    damage: WeaponDamage | None = None
    """None for what does no damage, such as a grapple."""
    weapon: str = ""
    """What it is struck with; nothing for bare hands."""
    unarmed: bool = False
    """Whether a weapon parries it with ease: bare hands, but neither claws nor anything held."""
    tags: tuple[str, ...] = MELEE_TAGS
    row: Weapon | None = None

    def about(self, situation: tuple[str, ...]) -> MeleeBlow:
        """The same in circumstances that merits and flaws care about."""
        return replace(self, tags=(*self.tags, *situation)) if situation else self

    def deadly(self) -> MeleeBlow:
        """The same with lethal damage."""
        return self if self.damage is None else replace(self, damage=replace(self.damage, stun=False))


@frozen
class BlowSituation:
    """The circumstances of a blow: where it comes from and goes to, who stands around its target, what else counts."""

    zone: Zone = TORSO
    direction: Direction = "front"
    above: bool = False
    sides: tuple[Side, ...] = ()
    surprised: bool = False
    visibility: Sight = ""
    """What hinders the sight of both; nothing by daylight."""
    visibility_dice: int = 0
    situation: tuple[str, ...] = ()
    """What merits and flaws care about."""
    mods: Mods = ()
    """What else counts for the attack."""
    parry_mods: Mods = ()
    """What else counts for a parry of it."""
    unparried: bool = False
    """Whether the target has let the chance to parry go by."""

    def with_mods(self, *mods: Mod) -> BlowSituation:
        return replace(self, mods=(*self.mods, *mods))

    def with_parry_mods(self, *mods: Mod) -> BlowSituation:
        return replace(self, parry_mods=(*self.parry_mods, *mods))


PLAIN_BLOW: Final = BlowSituation()
"""From the front, by daylight, at no zone in particular."""
Blow: TypeAlias = Annotated[BlowSituation, Fields(without="unparried")]


@frozen
class MeleeResult:
    """What an attack in close combat came to."""

    hit: bool
    margin: int
    """Of success (0 or more) or of failure (1 or more)."""
    outcome: str
    """hit, miss, parried or chock."""
    reaction: str = ""
    parried_with: str = ""
    harm: str = ""
    """What the damage does: a row of the damage table."""
    fumble: bool = False
    critical: bool = False


HIT, MISS, PARRIED, CLASHED = "hit", "miss", "parried", "chock"
HARMS: Final = ("none", "stunned", "wounded", "neutralized", "mortally-wounded", "dead")
STRUCK: Final[Bands[MeleeResult]] = Bands(
    of=lambda found: (found.harm or "none").casefold().replace(" ", "-") if found.hit else found.outcome,
    keys=(MISS, PARRIED, CLASHED, *HARMS),
    good=HARMS[1:],
    extra={"critical": lambda found: found.critical},
    bad={"fumble": lambda found: found.fumble},
)
LANDED: Final[Bands[MeleeResult]] = Bands(
    of=lambda found: found.outcome,
    keys=(MISS, PARRIED, CLASHED, HIT),
    good=(HIT,),
    extra={"critical": lambda found: found.critical},
    bad={"fumble": lambda found: found.fumble},
)


# --- weapons as blows -------------------------------------------------------------------------------------------------


@formula("d6.equipment.melee-difficulty", MELEE_ATTACK)
def weapon_difficulty(scene: Scene, weapon: Weapon, kind: str = "") -> int:
    """How hard it is to hit with a weapon: as it says itself, or as the book's of that kind; otherwise as a sword."""
    named = kind or weapon.name
    listed = scene[DIFFICULTIES][named].number if named in scene[DIFFICULTIES] else scene[OTHERWISE]
    return weapon.difficulty or listed


@formula("d6.skills.ambidexterity")
def with_hand(scene: Scene, who: Person, using: str, off_hand: bool) -> str:
    """The ability that is rolled: with the off hand the lower of the skill and Ambidexterity, however high it is."""
    per_die = scene[PIPS_PER_DIE]
    limited = own_code(scene, who, AMBIDEXTERITY).in_pips(per_die) < own_code(scene, who, using).in_pips(per_die)
    return AMBIDEXTERITY if off_hand and limited else using


def weapon_blow(scene: Scene, who: Person, weapon: str) -> MeleeBlow:
    """An attack with a weapon in hand."""
    item = item_of(scene, who, weapon)
    row, skill = weapon_of(scene, item), weapon_skill(scene, who, weapon, ATTACK)
    return MeleeBlow(
        with_hand(scene, who, skill, item.off_hand),
        weapon_difficulty(scene, row, item.kind),
        row.reach,
        weapon_damage(scene, who, weapon),
        weapon,
        tags=(*MELEE_TAGS, *ability_name(scene, skill).tags),
        row=row,
    )


def own_reach(scene: Scene, who: Person) -> int:
    """How far somebody reaches: with the weapon in the good hand, or with bare hands."""
    weapon = main_weapon(scene, who)
    return weapon_of(scene, item_of(scene, who, weapon)).reach if weapon else scene[SHORTEST]


def main_weapon(scene: Scene, who: Person) -> str:
    """What somebody fights with: the first weapon of close combat in hand, of the good hand if there is one."""
    weapons = (each for each in weapons_held(scene, who, MELEE, SHIELD) if can_parry(scene, who, each))
    by_hand = sorted(weapons, key=lambda name: (item_of(scene, who, name).off_hand, name == NATURAL))
    return by_hand[0] if by_hand else ""


# --- modifiers --------------------------------------------------------------------------------------------------------


@formula(MELEE_ATTACK + "/modifiers", MELEE_ATTACK, "d6.combat.reach", "d6.combat.modifiers-summary")
def attack_mods(scene: Scene, who: Person, target: Person, blow: MeleeBlow, at: BlowSituation) -> Mods:
    """Reach, the target's size, and a place that is aimed at."""
    distance = distance_between(scene, who, target) or FAR
    aimed = called_shot(scene, at.zone) if at.zone != TORSO else ()
    scale = scale_mods(scene, "fire", body_scale(scene, who), body_scale(scene, target))
    size = (*applying(scene, target, "attack against").mods, *scale)
    skill = weapon_skill(scene, who, blow.weapon) if blow.weapon else BRAWLING
    sight = melee_sight(scene, who, skill, blow.reach, at.visibility, at.visibility_dice)
    arm = arm_mods(scene, who, item_of(scene, who, blow.weapon)) if blow.weapon else ()
    limbs = (*arm, *leg_mods(scene, who))
    return (*reach_mods(scene, blow.reach, own_reach(scene, target), distance), *sight, *size, *aimed, *limbs)


def can_parry(scene: Scene, who: Person, thing: str) -> bool:
    """A weapon of close combat or whatever else is in one piece, but nothing that shoots."""
    item = item_of(scene, who, thing)
    fit = is_in_order(scene, item) and has_arms_for(scene, who, item)
    return fit and weapon_of(scene, item).category in (MELEE, SHIELD, "")
