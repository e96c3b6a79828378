"""Grapples: begun, broken, and choking."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Final, TypeAlias

from referee.core import Mods, Pick, Scene, alter, figure, figures, hand_over, refuse, rule, settled
from referee.core.rules import Call
from referee.systems.dime.action_points import break_aim
from referee.systems.dime.attacks import NO_FLIP, attack_mods
from referee.systems.dime.combat import combat_action
from referee.systems.dime.consequences import check_approach, worsen
from referee.systems.dime.fight import FIGHT, ZoneFight, people
from referee.systems.dime.flip import FLIPPED, Flip, flip_then, opposed_flip, spelled_out
from referee.systems.dime.hits import PLAIN
from referee.systems.dime.reactions import defend
from referee.systems.dime.sheet import Person
from referee.systems.dime.weapons import UNARMED, CloseTarget, weapon_of

BREAK: Final = figure("dime.attack.grapple", "break", str)


@figures("dime.attack.grapple")
class GrappleFigures:
    """The flips that begin and break a grapple, those of choking, and how it tires."""

    start: str
    choke: str
    choke_against: str
    fatigue: int


def check_not_grappled(scene: Scene, who: Person, target: Person) -> None:
    if target.name in scene[FIGHT].opponents(scene, who.name):
        refuse(f"{who} and {target} are in a grapple", legal=("choke", "break-free"))


def check_grappled(scene: Scene, who: Person) -> None:
    if FIGHT not in scene or not scene[FIGHT].opponents(scene, who.name):
        refuse(f"{who} is in no grapple", legal=("grapple",))


def opponents(scene: Scene, who: Person) -> tuple[Person, ...]:
    return people(scene[FIGHT].opponents(scene, who.name)) if FIGHT in scene else ()


def check_opponent(scene: Scene, who: Person, target: Person) -> None:
    if target not in opponents(scene, who):
        refuse(f"{target} is not in the grapple", legal=(each.name for each in opponents(scene, who)))
    check_approach(scene, who, target)


Opponent: TypeAlias = Annotated[Person, Pick(opponents, check_opponent)]


@combat_action("Grapple", "dime.attack.grapple", key="grapple", lapsed=NO_FLIP, bands=FLIPPED, check=check_not_grappled)
async def grapple(scene: Scene, who: Person, target: CloseTarget, mods: Mods = ()) -> Flip:
    """Str/melee against Defense establishes a grapple."""
    return await hand_over(wrestle(who, target, scene[GrappleFigures].start, mods, hold(who, target)))


@rule("dime.attack.grapple/wrestle")
async def wrestle(scene: Scene, who: Person, target: Person, notation: str, mods: Mods, success: Call[None]) -> Flip:
    """A flip against Defense, to which the target may react, and what a success brings."""
    asked, hands = spelled_out(scene, notation), weapon_of(scene, who, UNARMED)
    every = mods + attack_mods(scene, who, target, replace(hands, name="grapple"), PLAIN)
    await break_aim(who)
    guard = await defend(target, who, hands, False)
    return await hand_over(flip_then(who, replace(asked, tn=guard.defense), every, target, success, success))


@rule("dime.attack.grapple/hold")
async def hold(scene: Scene, who: Person, target: Person) -> None:
    """Both are in a grapple: no move actions, no longarms or polearms."""
    await alter(FIGHT, ZoneFight.grappling, who.name, target.name)


@combat_action(
    "Grapple", "dime.attack.grapple/break", key="break-free", lapsed=NO_FLIP, bands=FLIPPED, check=check_grappled
)
async def break_free(scene: Scene, who: Person, target: Opponent, mods: Mods = ()) -> Flip:
    """Str/melee against the opponent's Defense ends the grapple with them."""
    return await hand_over(wrestle(who, target, scene[BREAK], mods, let_go(who, target)))


@rule("dime.attack.grapple/let-go")
async def let_go(scene: Scene, who: Person, target: Person) -> None:
    """The two have no hold of each other any more."""
    await alter(FIGHT, ZoneFight.freeing, who.name, target.name)


@combat_action("Grapple", "dime.attack.grapple/choke", key="choke", lapsed=NO_FLIP, bands=FLIPPED, check=check_grappled)
async def choke(scene: Scene, who: Person, target: Opponent, mods: Mods = ()) -> Flip:
    """Str/melee against Endurance; on a success the opponent's Fatigue increases."""
    figures = scene[GrappleFigures]
    mine, theirs = spelled_out(scene, figures.choke), spelled_out(scene, figures.choke_against)
    await break_aim(who)
    flipped = await opposed_flip(who, mine, target, theirs, mods)
    if flipped.success:
        return await settled(flipped, then=tire(target))
    return flipped


@rule("dime.attack.grapple/tire", "dime.consequence.fatigue")
async def tire(scene: Scene, who: Person) -> None:
    """Choking makes tired."""
    await worsen(who, "Fatigue", scene[GrappleFigures].fatigue)
