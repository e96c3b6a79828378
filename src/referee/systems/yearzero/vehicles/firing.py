"""Weapons of vehicles that fire by themselves, whenever whoever drives orders it."""

from __future__ import annotations

from typing import Annotated, Final, TypeAlias

from referee.core import Mods, Pick, Refused, Scene, action, refuse
from referee.systems.yearzero.attacks import BLOW, StruckBlow
from referee.systems.yearzero.harm import check_able
from referee.systems.yearzero.marksmanship import ShotSituation, fire, ranges, targets
from referee.systems.yearzero.sheet import Person, Target
from referee.systems.yearzero.vehicles.crew import leave_weapon, take_weapon
from referee.systems.yearzero.vehicles.driving import at_the_wheel
from referee.systems.yearzero.vehicles.vehicle import MOUNTED, driven_by

FIRING: Final = "yearzero.chase.firing"


def automated(scene: Scene, who: Person) -> tuple[str, ...]:
    """The weapons of what one drives that fire by themselves."""
    mine = driven_by(scene, who)
    things = scene[mine].things if mine is not None else ()
    return tuple(item.name for item in things if item.place == MOUNTED and item.automated)


def check_orders(scene: Scene, who: Person) -> None:
    """Whoever drives what has such a weapon."""
    check_able(scene, who)
    if not automated(scene, who):
        raise Refused("fire", because=f"{who} drives nothing that fires by itself", rule=FIRING)


def check_weapon(scene: Scene, who: Person, weapon: str) -> None:
    if weapon not in (legal := automated(scene, who)):
        refuse(f"{weapon} does not fire by itself", rule=FIRING, legal=legal)


Weapon: TypeAlias = Annotated[str, Pick(automated, check_weapon)]


@action("order-fire", f"{FIRING}/order", FIRING, bands=BLOW, turn=check_orders)
async def order_fire(
    scene: Scene,
    who: Person,
    target: Annotated[Target, Pick(targets)],
    weapon: Weapon,
    distance: Annotated[str, Pick(ranges)] = "",
    mods: Mods = (),
) -> StruckBlow:
    """Let a weapon of what one drives fire, which takes no action and no gunner."""
    await take_weapon(who, at_the_wheel(scene, who), weapon)
    blow = await fire(who, target, weapon, 0, ShotSituation(distance), mods=mods)
    await leave_weapon(who)
    return blow
