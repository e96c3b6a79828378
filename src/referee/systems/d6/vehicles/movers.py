"""Movers: vehicles, people on foot and creatures alike. Who steers them, with which skill, and what they are like."""

from __future__ import annotations

from typing import Any, Final, TypeAlias

from referee.core import Scene, Who, alter, figure, figures, formula, frozen, refuse, rows
from referee.kits.dice_codes import Code
from referee.systems.d6.codes import own_code
from referee.systems.d6.combat.surroundings import body_scale
from referee.systems.d6.sheet import PIPS_PER_DIE, Hero, Person
from referee.systems.d6.vehicles.motion import Motion
from referee.systems.d6.vehicles.vehicle import CATEGORIES, Vehicle, craft_with

TERMS: Final = "d6.movement.terms"
SKILLS_BY_KIND: Final = CATEGORIES.rule
FLIGHT: Final = "Flight"
GROUND: Final = "ground"
AIR: Final = "air"
WATER: Final = "water"
SPACE: Final = "space"
BODY: Final = "Body"

Mover: TypeAlias = Who[Any]
"""Whatever moves: a vehicle, or somebody on foot, ridden or not."""


@frozen
class ResistRow:
    """What resists damage to a mover."""

    name: str
    attribute: str
    of: str = ""


RESISTS: Final = rows("d6.movement.body-attribute", "movers", ResistRow)


# --- who moves what ---------------------------------------------------------------------------------------------------


def motion_of(scene: Scene, mover: Mover) -> Motion:
    found: Motion = scene[mover].motion
    return found


def set_motion(mover: Mover, motion: Motion) -> Any:
    """Awaited: the mover moves like this from now on."""
    return alter(mover, moving, motion)


def moving(value: Any, motion: Motion) -> Any:
    return value.moving(motion)


@formula(TERMS)
def mover_of(scene: Scene, who: Person) -> Mover:
    """What somebody moves with: the vehicle they are aboard of, the mount they ride, or their own legs."""
    if (craft := craft_with(scene, who.name)) is not None:
        return craft
    mounts = (each for each in scene.all(Hero) if scene[each].motion.rider == who.name)
    return next(mounts, who)


def pilot_of(scene: Scene, mover: Mover) -> Person | None:
    """Who steers it, if anybody does who is in the scene; whoever is on foot steers themselves."""
    value = scene[mover]
    name = value.pilot if isinstance(value, Vehicle) else value.motion.rider or mover.name
    pilot = Who(name, Hero)
    return pilot if name and pilot in scene else None


def people_with(scene: Scene, mover: Mover) -> tuple[Person, ...]:
    """Everybody who moves with it: the pilot first, then crew and passengers; a mount after its rider."""
    value = scene[mover]
    names = value.aboard if isinstance(value, Vehicle) else (value.motion.rider, mover.name)
    return tuple(who for who in (Who(name, Hero) for name in names if name) if who in scene)


def check_steers(scene: Scene, who: Person) -> None:
    """Whoever steers something, if only themselves."""
    if pilot_of(scene, mover_of(scene, who)) != who:
        refuse(f"{who} does not steer", rule=TERMS, legal=("take-post",))


# --- what it is steered with ------------------------------------------------------------------------------------------


def kind_of_mover(scene: Scene, mover: Mover) -> str:
    """The row of the table of movement skills that it belongs to."""
    value = scene[mover]
    if isinstance(value, Vehicle):
        return value.category
    alive = [row for row in scene[CATEGORIES] if row.alive]
    if value.motion.rider:
        return next(row.name for row in alive if row.ridden)
    return next((row.name for row in alive if value.motion.medium in row.where), alive[0].name)


@formula(SKILLS_BY_KIND)
def piloting_skills(scene: Scene, mover: Mover) -> tuple[str, ...]:
    """The skills with which something is moved."""
    value = scene[mover]
    if isinstance(value, Vehicle) and value.skill:
        return (value.skill,)
    skills = scene[CATEGORIES][kind_of_mover(scene, mover)].skills
    if isinstance(value, Hero) and value.motion.medium == AIR and FLIGHT in value.skills:
        return (FLIGHT, *skills)
    return skills


def piloting_skill(scene: Scene, mover: Mover, who: Person) -> str:
    """Of the skills that fit, the one the pilot is best at."""
    return max(piloting_skills(scene, mover), key=lambda each: own_code(scene, who, each).in_pips(scene[PIPS_PER_DIE]))


@formula(RESISTS.rule)
def resists_with(scene: Scene, mover: Mover) -> tuple[str, str]:
    """What resists damage to a mover: whose it is, and which attribute; of a mounted character, the mount's."""
    value = scene[mover]
    if isinstance(value, Vehicle):
        return mover.name, scene[RESISTS]["Vehicle"].attribute
    row = scene[RESISTS]["Mounted character" if value.motion.rider else "Character on foot"]
    return mover.name, row.attribute


# --- what it is like --------------------------------------------------------------------------------------------------


def scale_of_mover(scene: Scene, mover: Mover) -> int:
    value = scene[mover]
    return value.scale if isinstance(value, Vehicle) else body_scale(scene, mover)


@figures("d6.vehicle.signature")
class Signature:
    """What piloting adds to the signature of a vehicle, and the signature of whoever has no vehicle."""

    pips_per_die_of_piloting: int
    of_characters: Code


@formula("d6.vehicle.signature")
def signature_of(scene: Scene, mover: Mover, evading: bool = True) -> Code:
    """What hides a mover from scanners and guided weapons: more of it, where a pilot who knows evades them."""
    value, pilot, of = scene[mover], pilot_of(scene, mover), scene[Signature]
    own = value.signature if isinstance(value, Vehicle) else of.of_characters
    if not evading or pilot is None:
        return own
    dice = own_code(scene, pilot, piloting_skill(scene, mover, pilot)).dice
    return own + Code(0, dice * of.pips_per_die_of_piloting)


# --- what is fired from it --------------------------------------------------------------------------------------------


@frozen
class GunKind:
    """A kind of weapon aboard, and the skills it is fired with."""

    name: str
    skills: tuple[str, ...]
    turret: bool = False
    big: bool = False
    indirect: bool = False


GUNS: Final = rows("d6.movement.attack-skills", "weapons", GunKind)
BIG_FROM: Final = figure("d6.movement.attack-skills", "big_from", int)


@formula("d6.movement.attack-skills")
def attack_skills(scene: Scene, scale: int, turret: bool = False, indirect: bool = False) -> tuple[str, ...]:
    """The skills that a weapon of a vehicle is fired with: by the size of the vehicle, and by how it is mounted."""
    big = turret and not indirect and scale >= scene[BIG_FROM]
    mounted = (turret and not indirect, big, indirect)
    return next(row.skills for row in scene[GUNS] if row.skills and (row.turret, row.big, row.indirect) == mounted)
