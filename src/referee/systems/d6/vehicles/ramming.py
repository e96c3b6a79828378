"""Ramming: the second piloting roll, how the target may answer it, and what the impact does to both."""

from __future__ import annotations

from typing import Final

from referee.core import Bands, Call, Scene, figures, formula, frozen, hand_over, rule, tell
from referee.kits.dice_codes import Code
from referee.systems.d6.codes import own_code
from referee.systems.d6.combat.charges import impact_damage, rammer_mods
from referee.systems.d6.combat.reactions import ReactionWay, attack_margin
from referee.systems.d6.combat.round import AttackKind
from referee.systems.d6.rolls import ACTION, ANY_ROLL
from referee.systems.d6.sheet import PIPS_PER_DIE, Person
from referee.systems.d6.vehicles.motion import STOP
from referee.systems.d6.vehicles.movement import impact, maneuverability_mods
from referee.systems.d6.vehicles.movers import Mover, motion_of, pilot_of, piloting_skill, scale_of_mover
from referee.systems.d6.vehicles.planes import PlaneOnGround, on_runway
from referee.systems.d6.vehicles.speeds import distance_at, rank_of
from referee.systems.d6.vehicles.systems import PILOTING
from referee.systems.d6.vehicles.targets import ways_to_evade
from referee.systems.d6.vehicles.vehicle import Vehicle

RAMMING_RULE: Final = "d6.maneuver.ramming"
DAMAGE: Final = "d6.maneuver.ramming-damage"
HEAD_ON: Final = "head on"
REAR: Final = "rear"
OTHER: Final = "other"


@figures(RAMMING_RULE)
class RamFigures:
    """What the second roll must reach, and how people answer it."""

    ram_roll_difficulty: int
    against_people: tuple[str, ...]
    at_same_scale: tuple[str, ...]


@frozen
class RamResult:
    """Whether a ram struck, by which margin, and how it was answered."""

    hit: bool
    margin: int
    reaction: str = ""


RAMMED: Final[Bands[RamResult]] = Bands(of=lambda found: "hit" if found.hit else "miss", keys=("hit", "miss"))


@formula(f"{DAMAGE}/approach", DAMAGE)
def approach_of(scene: Scene, mover: Mover, target: Mover) -> str:
    """From where one comes at another: head on if they go against each other, from the rear if both go the same way."""
    if motion_of(scene, target).speed == STOP:
        return OTHER
    same = motion_of(scene, mover).backwards is motion_of(scene, target).backwards
    return REAR if same else HEAD_ON


@formula(f"{RAMMING_RULE}/code", RAMMING_RULE)
def ram_code(scene: Scene, mover: Mover) -> Code:
    """What a ram, a lance or spikes add to the damage: the best of what is mounted."""
    value = scene[mover]
    mounted = value.equipment if isinstance(value, Vehicle) else ()
    codes = (each.damage for each in mounted if each.damage is not None and each.category in (None, "melee"))
    return max(codes, key=lambda code: code.in_pips(scene[PIPS_PER_DIE]), default=Code())


@formula("d6.plane.ground/dodge", "d6.plane.ground")
def can_swerve(scene: Scene, mover: Mover) -> bool:
    """A plane that is fast on the ground cannot dodge."""
    fast = rank_of(scene, motion_of(scene, mover).speed) > rank_of(scene, scene[PlaneOnGround].above)
    return not (on_runway(scene, mover) and fast)


@formula(f"{RAMMING_RULE}/reactions", RAMMING_RULE)
def ways_to_avoid(scene: Scene, target: Mover, scale: int) -> tuple[ReactionWay, ...]:
    """A pilot may swerve; whoever is on foot may dodge, and parry what is no bigger than they are."""
    if isinstance(scene[target], Vehicle):
        return ways_to_evade(scene, target, scale) if can_swerve(scene, target) else ()
    of, mine = scene[RamFigures], scale_of_mover(scene, target)
    ways = [ReactionWay("combat-dodge", best_of(scene, target, of.against_people))]
    if mine == scale:
        ways.append(ReactionWay("combat-parry", best_of(scene, target, of.at_same_scale), parries=True))
    return tuple(ways)


def best_of(scene: Scene, who: Person, names: tuple[str, ...]) -> str:
    """Of these skills the one somebody has and is best at."""
    own = [name for skill in names for name in scene[who].skills if name.partition(" <")[0] == skill] or list(
        names[-1:]
    )
    return max(own, key=lambda each: own_code(scene, who, each).in_pips(scene[PIPS_PER_DIE]))


@rule(f"{RAMMING_RULE}/mover", RAMMING_RULE, "d6.vehicle-combat.reaction", bands=RAMMED)
async def ram_mover(scene: Scene, who: Person, mover: Mover, target: Mover, approach: str = "") -> RamResult:
    """The second piloting roll, part of the same action, against 5 or what the target's pilot rolls."""
    against, of = scale_of_mover(scene, target), scene[RamFigures]
    mods, tags = maneuverability_mods(scene, mover, against), (ACTION, ANY_ROLL, PILOTING)
    answers, defender = ways_to_avoid(scene, target, scale_of_mover(scene, mover)), pilot_of(scene, target)
    using, by = piloting_skill(scene, mover, who), approach or approach_of(scene, mover, target)
    return await hand_over(
        attack_margin(
            who,
            using,
            defender or who,
            AttackKind.RANGED,
            of.ram_roll_difficulty,
            answers if defender else (),
            mods,
            tags,
        ),
        read=lambda found: RamResult(found.margin >= 0, found.margin, found.reaction),
        then=lambda found: strike_target(mover, target, found, by),
    )


def strike_target(mover: Mover, target: Mover, found: RamResult, approach: str) -> Call[None]:
    return crash_together(mover, target, found.margin, approach) if found.hit else misses_target(mover, target)


@rule(f"{RAMMING_RULE}/missed", RAMMING_RULE)
async def misses_target(scene: Scene, mover: Mover, target: Mover) -> None:
    """Nothing happens to either."""
    await tell("ram-misses", mover=mover.name, target=target.name)


@rule(f"{DAMAGE}/both", DAMAGE)
async def crash_together(scene: Scene, mover: Mover, target: Mover, margin: int, approach: str) -> None:
    """Both take the damage of the speed at which they meet; the margin spares whoever rams."""
    mine, theirs = (int(speed_in_metres(scene, each)) for each in (mover, target))
    damage = impact_damage(scene, mine, theirs, approach)
    await tell("rams", mover=mover.name, target=target.name, metres=mine, approach=approach)
    scales = scale_of_mover(scene, mover), scale_of_mover(scene, target)
    await impact(target, damage + ram_code(scene, mover), (), scales[0])
    await impact(mover, damage, rammer_mods(scene, margin), scales[1])


def speed_in_metres(scene: Scene, mover: Mover) -> float:
    """How fast it goes now, in metres a round."""
    return distance_at(scene, mover, motion_of(scene, mover).speed)
