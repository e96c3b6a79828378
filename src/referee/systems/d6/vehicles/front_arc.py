"""The shot that a pilot has lined up: declared with the maneuver, fired without the penalty of several actions."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Final

from referee.core import Pick, Scene, figures, formula, hand_over, refuse, suggest
from referee.systems.d6.codes import code_mods
from referee.systems.d6.combat.ammunition import check_single, fire
from referee.systems.d6.combat.preparation import PREPARING
from referee.systems.d6.combat.ranged import SHOT, Aim, AnythingThere, ShotResult, parts_of, resolve_shot, shot_of
from referee.systems.d6.combat.ranges import check_ranged, check_reach, ranged_weapons, weapon_in_hand
from referee.systems.d6.combat.round import fight_action
from referee.systems.d6.rolls import ACTION
from referee.systems.d6.sheet import Person
from referee.systems.d6.vehicles.gunnery import FRONT, check_pilot_fires, served_weapon
from referee.systems.d6.vehicles.vehicle import craft_with

FRONT_ARC: Final = "d6.vehicle-combat.front-arc-declared"


@figures(FRONT_ARC)
class FrontArc:
    """The maneuver that lines up a shot, and the arc it is for."""

    maneuver: str
    arc: str


def front_weapons(scene: Scene, who: Person) -> tuple[str, ...]:
    """Weapons that fire to the front and do not turn."""
    served = (served_weapon(scene, who, name) for name in ranged_weapons(scene, who))
    return tuple(
        each.name for each in served if each is not None and FRONT in (each.arcs or (FRONT,)) and not each.turret
    )


def check_front_weapon(scene: Scene, who: Person, weapon: str) -> None:
    check_ranged(scene, who, weapon)
    if weapon not in (legal := front_weapons(scene, who)):
        refuse("it does not fire to the front by itself", what=weapon, rule=FRONT_ARC, legal=legal)
    check_single(scene, who, weapon)


@formula(f"{FRONT_ARC}/check", FRONT_ARC)
def check_lined_up(scene: Scene, who: Person) -> None:
    """A pilot who has declared the maneuver, and has come through it in control."""
    craft = craft_with(scene, who.name)
    if craft is None or scene[craft].pilot != who.name:
        refuse(f"{who} steers nothing", legal=("shoot",))
    motion = scene[craft].motion
    if scene[FrontArc].maneuver not in motion.maneuvers:
        refuse("no shot was lined up", what=craft.name, legal=(scene[FrontArc].maneuver, "shoot"))
    if not motion.driven or motion.spinning:
        refuse("the maneuver comes first, and has to succeed", what=craft.name)


def check_front_reach(scene: Scene, who: Person, weapon: str, distance: float) -> None:
    check_reach(scene, who, weapon, distance)


@fight_action("fire-front-arc", FRONT_ARC, bands=SHOT, check=(check_lined_up, check_pilot_fires, check_front_reach))
async def fire_front_arc(
    scene: Scene,
    who: Person,
    target: AnythingThere,
    weapon: Annotated[str, Pick(front_weapons, check_front_weapon)],
    distance: Annotated[float, suggest(50.0, 100.0, 200.0)] = 100.0,
    system: Annotated[str, Pick(parts_of)] = "",
    relative_speed: float = 0,
) -> ShotResult:
    """Fire at what was lined up: several actions cost nothing, and what helps to aim always works."""
    aim = Aim(distance, relative_speed=relative_speed, system=system)
    shot = shot_of(scene, who, target, weapon, aim)
    targeting = weapon_in_hand(scene, who, weapon).targeting
    helps = code_mods(targeting, "targeting equipment", PREPARING) if targeting.dice or targeting.pips else ()
    known = {mod.label for mod in shot.mods}
    mods = (*shot.mods, *(mod for mod in helps if mod.label not in known))
    await fire(who, weapon)
    tags = tuple(tag for tag in shot.tags if tag != ACTION)
    return await hand_over(resolve_shot(who, target, replace(shot, mods=mods, tags=tags)))
