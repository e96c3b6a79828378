"""Vehicles as targets: they evade with their pilot, resist with Body, and suffer by the table of damage to vehicles."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from referee.core import Call, Mod, Mods, Scene, Who, applying, formula, rule
from referee.kits.dice_codes import Code
from referee.systems.d6.codes import code_mods
from referee.systems.d6.combat.ranged import Aim, Shot
from referee.systems.d6.combat.reactions import ReactionWay, unless_surprised
from referee.systems.d6.combat.surroundings import SPEED, scale_mods
from referee.systems.d6.combat.targets import AnyTarget, can_be_attacked
from referee.systems.d6.sheet import Hero, Person
from referee.systems.d6.vehicles.crews import is_workable, on_the_total, reduced_crew_mods
from referee.systems.d6.vehicles.damage import body_difference, take_hit
from referee.systems.d6.vehicles.gunnery import ALL_OUT
from referee.systems.d6.vehicles.movers import mover_of, piloting_skill
from referee.systems.d6.vehicles.systems import (
    CALLED,
    DAMAGES,
    MANEUVERABILITY,
    PILOTING,
    SYSTEM_ROWS,
    goes_straight,
    is_out_of_order,
    systems_to_aim_at,
)
from referee.systems.d6.vehicles.vehicle import Craft, Vehicle

REACTION: Final = "d6.vehicle-combat.reaction"
EVADE: Final = "evade"
ALSO_REACTS: Final[list[Callable[[Scene, Craft, int], tuple[ReactionWay, ...] | None]]] = []
"""How a vehicle reacts instead, where other chapters say so: functions of the scene, the vehicle and the scale."""


@formula(f"{REACTION}/mods", REACTION, "d6.scale.effects")
def evading_mods(scene: Scene, craft: Craft, against: int | None = None) -> Mods:
    """Maneuverability, with what scale and damage do to it, and what hinders the pilot or a crew that is too small."""
    of = scene[craft]
    own = code_mods(of.maneuverability, MANEUVERABILITY, REACTION) if of.maneuverability != Code() else ()
    scale = scale_mods(scene, MANEUVERABILITY, of.scale, against) if against is not None else ()
    harmed = (*applying(scene, craft, MANEUVERABILITY).mods, *applying(scene, craft, PILOTING).mods)
    return (*own, *scale, *harmed)


@formula(REACTION)
def ways_to_evade(scene: Scene, craft: Craft, scale: int) -> tuple[ReactionWay, ...]:
    """Like a combat dodge; never a full one, and nothing at all out, out of control, or without anybody to steer."""
    of, pilot = scene[craft], Who(scene[craft].pilot, Hero)
    speeds = (of.motion.selected, of.motion.speed)
    if pilot not in scene or ALL_OUT in (speeds if speeds[0] else speeds[1:]) or of.motion.spinning:
        return ()
    if goes_straight(scene, craft) or is_out_of_order(scene, craft) or not is_workable(scene, craft):
        return ()
    mods = (*evading_mods(scene, craft, scale), *on_the_total(reduced_crew_mods(scene, craft, "Helm")))
    return (ReactionWay(EVADE, piloting_skill(scene, craft, pilot), mods, piloted=True),)


class Hull:
    """How a vehicle stands up to a shot."""

    def crew(self, scene: Scene, target: Craft) -> tuple[str, ...]:
        return scene[target].aboard

    def scale(self, scene: Scene, target: Craft) -> int:
        return scene[target].scale

    def parts(self, scene: Scene, target: Craft) -> tuple[str, ...]:
        return systems_to_aim_at(scene, target)

    def aiming(self, scene: Scene, target: Craft, aim: Aim, band: str) -> Mods:
        if not aim.system:
            return ()
        return (Mod(scene[SYSTEM_ROWS][aim.system].called_shot, f"at the {aim.system.casefold()}", CALLED),)

    def speed(self, scene: Scene, who: AnyTarget, target: Craft, aim: Aim) -> float:
        return relative_speed(scene, who, target, aim.approach)

    def defender(self, scene: Scene, target: Craft) -> AnyTarget:
        pilot = Who(scene[target].pilot, Hero)
        return pilot if pilot in scene else target

    def reactions(self, scene: Scene, who: Person, target: Craft, shot: Shot) -> tuple[ReactionWay, ...]:
        others = (found for each in ALSO_REACTS if (found := each(scene, target, shot.scale)) is not None)
        ways = next(others, None)
        found = ways_to_evade(scene, target, shot.scale) if ways is None else ways
        return unless_surprised(found, shot.surprised)

    def zone(self, scene: Scene, aim: Aim) -> str:
        return aim.zone

    def withstands(self, scene: Scene, who: AnyTarget, target: Craft, shot: Shot, mods: Mods) -> Call[int]:
        dealt = (*shot.damage_mods, *mods)
        return body_difference(scene[target].body, shot.damage, dealt, shot.resist_mods, who, shot.own)

    def harm(self, scene: Scene, difference: int) -> str:
        return scene[DAMAGES].at(difference).name

    def land(self, target: Craft, harm: str, shot: Shot) -> Call[None]:
        return hit_by_shot(target, harm, shot.system)


can_be_attacked(Vehicle, Hull())


@rule("d6.combat.apply-results/vehicle", "d6.combat.apply-results", "d6.vehicle-damage.table")
async def hit_by_shot(scene: Scene, craft: Craft, harm: str, system: str) -> None:
    """A shot has hit a vehicle, and damages it at once."""
    await take_hit(craft, harm, system)


@formula(f"{SPEED}/vehicles", SPEED)
def relative_speed(scene: Scene, who: AnyTarget, craft: Craft, approach: str = "") -> float:
    """As for ramming: both speeds together head on, their difference from the rear, otherwise the target's own.

    If nobody says, whoever moves as well follows.
    """
    mine, theirs = scene[mover_of(scene, who)].motion.metres, scene[craft].motion.metres
    if approach == "head on":
        return float(mine + theirs)
    return float(theirs) if approach == "other" or not mine else abs(float(theirs - mine))
