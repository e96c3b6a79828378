"""Ramming: a vehicle as a weapon, which it is not good for either."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Final, TypeAlias

from referee.core import (
    Mods,
    Pick,
    Refused,
    Scene,
    action,
    figure,
    figures,
    formula,
    frozen,
    hand_over,
    refuse,
    rows,
    rule,
)
from referee.core.rules import rule_named
from referee.kits import year_zero
from referee.systems.yearzero.action_types import PrintedPrice
from referee.systems.yearzero.attacks import BLOW, AfterBlow, StruckBlow, answered, come_through, land
from referee.systems.yearzero.defence import PLAIN_SWING, DeclaredAttack, Reaction
from referee.systems.yearzero.ground import has_map, where
from referee.systems.yearzero.opposed import left_after
from referee.systems.yearzero.rolls import ATTACKING, end_later, pay_later, roll_dice
from referee.systems.yearzero.sheet import Person, Target, is_somebody, others
from referee.systems.yearzero.vehicles.damage import RAM
from referee.systems.yearzero.vehicles.driving import at_the_wheel, check_drives, driving
from referee.systems.yearzero.vehicles.vehicle import (
    AVehicle,
    check_goes,
    driver_of,
    is_destroyed,
    reliability_of,
    speed_of,
    vehicle_of,
    vehicles,
)

RAMMING: Final = "yearzero.vehicles.ramming"
ACTION: Final = figure(RAMMING, "action", str)
AS_WEAPON: Final = "vehicle as weapon"


@figures(RAMMING)
class RammingFigures:
    """What a ram does by the Reliability of the attacker, and how much less the attacker takes."""

    reliability_divided_by: int
    self_damage_less: int


@frozen
class RamImpactRow:
    """How two meet: the difference of their speeds, or which of their speeds count in full."""

    name: str
    least: int = 0
    most: int = 0
    own_speed: int = 0
    their_speed: int = 0


IMPACTS: Final = rows(RAMMING, "impacts", RamImpactRow)


@formula(f"{RAMMING}/speed")
def speed_difference(scene: Scene, vehicle: AVehicle, target: Target, impact: str, faster: bool) -> int:
    """By how two meet; from the side or from behind it is little, and more for who is clearly faster."""
    row = scene[IMPACTS][impact]
    theirs = 0 if is_somebody(scene, target) else speed_of(scene, target)
    return (row.most if faster else row.least) + row.own_speed * speed_of(scene, vehicle) + row.their_speed * theirs


@formula(RAMMING)
def ram_damage(scene: Scene, vehicle: AVehicle, difference: int) -> int:
    """Half of what is left of the attacker's Reliability, rounded up, and the difference of the speeds."""
    return -(-reliability_of(scene, vehicle) // scene[RammingFigures].reliability_divided_by) + difference


@formula(f"{RAMMING}/self")
def recoil_of(scene: Scene, damage: int) -> int:
    """What a ram does to the vehicle that it was made with."""
    return max(0, damage - scene[RammingFigures].self_damage_less)


def rammed(scene: Scene, who: Person) -> tuple[Target, ...]:
    """Whoever is on foot, and every other vehicle, within reach."""
    mine = vehicle_of(scene, who)
    afoot = (each for each in others(scene, who) if vehicle_of(scene, each) is None)
    cars = (each for each in vehicles(scene) if each != mine and not is_destroyed(scene, each))
    found: tuple[Target, ...] = (*afoot, *cars)
    return tuple(each for each in found if not has_map(scene) or where(scene, each) == where(scene, who))


def check_rammed(scene: Scene, who: Person, target: Target) -> None:
    if target not in (legal := rammed(scene, who)):
        refuse(f"{target} is not within reach", rule=RAMMING, legal=tuple(map(str, legal)))


Rammed: TypeAlias = Annotated[Target, Pick(rammed, check_rammed)]
Impact: TypeAlias = Annotated[str, IMPACTS]


@action("ram", RAMMING, bands=BLOW, turn=check_drives, price=PrintedPrice(ACTION))
async def ram(
    scene: Scene, who: Person, target: Rammed, impact: Impact, faster: bool = False, mods: Mods = ()
) -> StruckBlow:
    """Ram a vehicle, whose driver rolls too, or somebody on foot, who may dodge; one's own vehicle suffers as well."""
    difference = speed_difference(scene, at_the_wheel(scene, who), target, impact, faster)
    return await hand_over(ram_into(who, target, difference, mods))


@rule(f"{RAMMING}/attack", RAMMING)
async def ram_into(
    scene: Scene, who: Person, target: Target, difference: int, mods: Mods = (), opposed: bool = True
) -> StruckBlow:
    """A driving roll against the other's, or a straight one; what is left of it strikes home."""
    mine = at_the_wheel(scene, who)
    damage = ram_damage(scene, mine, difference)
    strike = DeclaredAttack(RAM, damage, "blunt", base=damage)
    reaction = await met_by(who, target, strike) if opposed else None
    attempt = driving(scene, who, mine, (ATTACKING, AS_WEAPON), mods, is_action=True)
    rolled = await pay_later(who, await roll_dice(who, replace(attempt, owed=True, surplus=True, against=target)))
    left = await after_defence(who, target, strike, reaction, rolled.successes, opposed)
    rolled = await end_later(who, replace(rolled, success=left >= attempt.needed, successes=left), attempt)
    blow = StruckBlow(rolled.success, left, beyond=max(0, left - attempt.needed), struck=target.name)
    if not rolled.success:
        return blow.after(rolled, 0)
    return await hand_over(
        land(who, target, strike, blow), lambda hit: hit.after(rolled, 0), then=lambda _: recoil(mine, damage)
    )


@rule(f"{RAMMING}/declare")
async def met_by(scene: Scene, who: Person, target: Target, strike: DeclaredAttack) -> Reaction | None:
    """Somebody on foot says whether they dodge; whoever drives rolls in any case."""
    found: tuple[Target, Reaction | None] = await rule_named(scene[target].defends_by)(target, strike, who)
    return found[1]


@rule(f"{RAMMING}/defence")
async def after_defence(
    scene: Scene,
    who: Person,
    target: Target,
    strike: DeclaredAttack,
    reaction: Reaction | None,
    successes: int,
    opposed: bool,
) -> int:
    """What a dodge or the other's driving leaves of the attack."""
    if is_somebody(scene, target):
        dodged, answer = await answered(target, reaction, strike, who, successes, PLAIN_SWING)
        return year_zero.opposed(successes, dodged + answer)
    driver = driver_of(scene, target)
    if not opposed or driver is None or not can_evade(scene, target):
        return successes
    return await left_after(successes, driver, driving(scene, driver, target))


def can_evade(scene: Scene, vehicle: AVehicle) -> bool:
    """Whether a vehicle goes at all."""
    try:
        check_goes(scene, vehicle)
    except Refused:
        return False
    return True


@rule(f"{RAMMING}/recoil")
async def recoil(scene: Scene, vehicle: AVehicle, damage: int) -> None:
    """The vehicle that rammed suffers, too, less than the other."""
    if own := recoil_of(scene, damage):
        await come_through(vehicle, DeclaredAttack(RAM, own, "blunt", base=own), own, AfterBlow())
