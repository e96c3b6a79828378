"""Area effects: blasts and cones, where they land, and what they do to those inside."""

from __future__ import annotations

from dataclasses import replace
from math import cos, pi, sqrt
from typing import Annotated, Final, TypeAlias

from referee.core import (
    Bands,
    Fields,
    Pick,
    Pool,
    Prompt,
    Scene,
    Total,
    figure,
    formula,
    frozen,
    number_die,
    refuse,
    roll,
    rule,
)
from referee.systems.d6.codes import SIDES
from referee.systems.d6.combat.ammunition import check_fire, fire
from referee.systems.d6.combat.ranged import CLEAR_SHOT, Aim, Shot, Target, dodges_of, roll_at_range, shot_of
from referee.systems.d6.combat.ranges import (
    check_ranged,
    check_reach,
    ranged_weapons,
    ranges_of,
    weapon_in_hand,
)
from referee.systems.d6.combat.reactions import defend, was_hit
from referee.systems.d6.combat.round import AttackKind, fight_action
from referee.systems.d6.combat.weapons import blast_mods, wield
from referee.systems.d6.damage import hit
from referee.systems.d6.equipment import Weapon
from referee.systems.d6.rolls import modified_code
from referee.systems.d6.sheet import Person

AREA: Final = "d6.combat.area-effect"
SCATTER: Final = Prompt("scatter")
SCATTER_DIVISOR: Final = figure(AREA, "scatter_divisor", int)
DIRECTIONS: Final = figure(AREA, "directions", tuple[str, ...])


@frozen
class Bystander:
    """Somebody near the target: how many metres from it, and in which direction (1 is beyond it, then clockwise)."""

    who: Person
    metres: float = 0
    direction: int = 1


@frozen
class AreaHit:
    """What an area effect did to somebody."""

    who: str
    metres: float
    hit: bool
    reaction: str = ""
    harm: str = ""
    difference: int | None = None


@frozen
class AreaResult:
    """Where an area effect landed, and whom it harmed."""

    hit: bool
    margin: int
    """Of success (0 or more) or of failure (1 or more)."""
    scatter: float = 0
    """Metres from the target at which it landed."""
    direction: str = ""
    targets: tuple[AreaHit, ...] = ()
    fumble: bool = False
    malfunction: bool = False

    @property
    def hits(self) -> int:
        return sum(each.hit for each in self.targets)


AREA_BANDS: Final[Bands[AreaResult]] = Bands(
    of=lambda result: "on-target" if result.hit else "hit" if result.hits else "miss",
    keys=("miss", "hit", "on-target"),
    good=("on-target", "hit"),
    bad={"fumble": lambda result: result.fumble},
)


@formula(AREA)
def scatter_metres(scene: Scene, margin: int) -> float:
    """How far from its target a miss by so much lands."""
    return margin / scene[SCATTER_DIVISOR]


@formula(AREA + "/direction", AREA)
def scatter_direction(scene: Scene, pips: int) -> str:
    """The direction that a die shows, as on a clock: 1 is beyond the target, 4 is towards the shooter."""
    return scene[DIRECTIONS][pips - 1]


@formula(AREA + "/distance", AREA)
def from_impact(scene: Scene, scatter: float, towards: int, metres: float, direction: int) -> float:
    """How far somebody is from the impact, if it lies so far from the target one way, and they another way."""
    angle = (direction - towards) * 2 * pi / len(scene[DIRECTIONS])
    return round(sqrt(max(0.0, scatter**2 + metres**2 - 2 * scatter * metres * cos(angle))), 6)


@formula(AREA + "/cone", AREA, "d6.equipment.area-effect")
def cone_half_width(scene: Scene, width: float, distance: float, long: float) -> float:
    """How far to either side a cone reaches at a distance, if it is so wide at long range."""
    return width * min(distance, long) / long / 2


def check_area(scene: Scene, who: Person, weapon: str) -> None:
    """A weapon with an area effect, loaded."""
    check_ranged(scene, who, weapon)
    found = weapon_in_hand(scene, who, weapon)
    if not found.blast and not found.cone:
        refuse("it has no area effect", what=weapon, rule=AREA, legal=area_weapons(scene, who) or ("shoot",))
    check_fire(scene, who, weapon)


def area_weapons(scene: Scene, who: Person) -> tuple[str, ...]:
    """Weapons in hand with a blast or a cone."""
    found = ((name, weapon_in_hand(scene, who, name)) for name in ranged_weapons(scene, who))
    return tuple(name for name, weapon in found if weapon.blast or weapon.cone)


AreaAim: TypeAlias = Annotated[
    Aim,
    Fields("distance visibility visibility_dice relative_speed cover_distance crew target_scale difficulty mods"),
]


@fight_action("area-attack", AREA + "/attack", AREA, bands=AREA_BANDS, check=check_reach)
async def area_attack(
    scene: Scene,
    who: Person,
    target: Target,
    weapon: Annotated[str, Pick(area_weapons, check_area)],
    aim: AreaAim = CLEAR_SHOT,
    nearby: tuple[Bystander, ...] = (),
    may_dodge: bool = False,
    mounted: bool = False,
) -> AreaResult:
    """Fire or throw what has a blast or a cone; a miss lands somewhere else, and everybody inside is harmed."""
    found = weapon_in_hand(scene, who, weapon)
    half = cone_half_width(scene, found.cone, aim.distance, ranges_of(scene, who, weapon).long) if found.cone else 0
    shot = shot_of(scene, who, target, weapon, aim)
    if not await wield(who, weapon, mounted):
        return AreaResult(False, 0)
    await fire(who, weapon)
    rolled = await roll_at_range(who, shot)
    result = AreaResult(rolled.success, abs(rolled.margin), fumble=rolled.fumble, malfunction=rolled.malfunction)
    if result.malfunction:
        return result
    result, towards = (result, 1) if result.hit else await scattered(result)
    everyone = (Bystander(target), *nearby)
    away = [(each.who, from_impact(scene, result.scatter, towards, each.metres, each.direction)) for each in everyone]
    attack = rolled.total if may_dodge else None
    struck = [await in_area(who, each, found, shot, metres, half, attack) for each, metres in away]
    return replace(result, targets=tuple(struck))


@rule(AREA + "/scatter", AREA)
async def scattered(scene: Scene, result: AreaResult) -> tuple[AreaResult, int]:
    """A miss lands a fifth of its margin away, in metres, in a direction that a die shows."""
    shown = (await roll(SCATTER, None, Pool.of((number_die(scene[SIDES]), 1)), Total)).total
    metres = scatter_metres(scene, result.margin)
    return replace(result, scatter=metres, direction=scatter_direction(scene, shown)), shown


@rule(AREA + "/inside", AREA)
async def in_area(
    scene: Scene,
    who: Person,
    target: Person,
    weapon: Weapon,
    shot: Shot,
    metres: float,
    half_width: float,
    attack: int | None,
) -> AreaHit:
    """Full damage where it lands or in the cone, less further away; nothing where no die of it is left."""
    lost = blast_mods(scene, weapon, metres)
    code, _ = modified_code(scene, shot.own + shot.damage, (*shot.damage_mods, *lost))
    outside = metres > half_width if weapon.cone else code.dice <= 0
    if outside:
        return AreaHit(target.name, metres, False)
    reaction = ""
    if attack is not None:
        ways = dodges_of(scene, target, shot)
        defense = await defend(target, AttackKind.RANGED, min(attack, shot.difficulty), ways)
        reaction = defense.reaction
        if attack < defense.difficulty:
            return AreaHit(target.name, metres, False, reaction)
    await was_hit(target)
    mods = (*shot.damage_mods, *lost)
    harm = await hit(target, shot.damage, mods, shot.stun, by=who, own=shot.own, resist_mods=shot.resist_mods)
    return AreaHit(target.name, metres, True, reaction, harm.result, harm.difference)
