"""Reach: who fights whom in close combat, at which distance, and whom that distance hinders."""

from __future__ import annotations

from typing import Final

from referee.core import Mod, Mods, Refused, Scene, alter, figure, formula, refuse, rule, tell
from referee.systems.d6.sheet import GRAPPLING, Hero, Person

REACH: Final = "d6.combat.reach"
ENGAGEMENT: Final = "d6.combat.engagement"
SHORTEST: Final = figure(REACH, "min", int)
LONGEST: Final = figure(REACH, "max", int)
DICE_PER_POINT: Final = figure(REACH, "dice_per_point", int)
FAR: Final = "far"
CLOSE: Final = "close"
PRONE: Final = "prone"
HOLD_REACH: Final = figure(GRAPPLING, "reach_in_hold", int)


def check_short_enough(scene: Scene, who: Person, weapon: str, reach: int) -> None:
    """In a grapple only the shortest weapons are of use: to strike with, or to fire."""
    if scene[who].grapple is not None and reach > scene[HOLD_REACH]:
        raise Refused(weapon, because="it is too long in a grapple", rule=GRAPPLING, legal=("brawl", "break-free"))


def check_not_prone(scene: Scene, who: Person) -> None:
    """Nobody moves away, or lies down, who lies on the ground."""
    if scene[who].posture == PRONE:
        refuse(f"{who} is prone", rule="d6.combat.diceless-actions", legal=("stand-up",))


def check_not_locked(scene: Scene, who: Person) -> None:
    """Nobody walks away from a grapple."""
    if (hold := scene[who].grapple) is not None:
        refuse(f"{who} is in a grapple with {hold.foe}", rule=GRAPPLING, legal=ways_out(scene, who))


def ways_out(scene: Scene, who: Person) -> tuple[str, ...]:
    """How somebody gets out of a grapple; nothing, if they are in none."""
    hold = scene[who].grapple
    return () if hold is None else ("break-free" if hold.held else "release",)


def distance_between(scene: Scene, one: Person, other: Person) -> str:
    """The distance two fight at, close in a grapple; nothing if they do not fight each other yet."""
    hold = scene[one].grapple
    if hold is not None and hold.foe == other.name:
        return CLOSE
    return scene[one].distance_to(other.name) or scene[other].distance_to(one.name)


def at_blows_with(scene: Scene, who: Person) -> tuple[Person, ...]:
    """Those whom somebody fights hand to hand."""
    return tuple(each for each in scene.all(Hero) if each != who and distance_between(scene, who, each))


def check_in_melee(scene: Scene, who: Person) -> None:
    """Only somebody in a melee leaves it."""
    if not at_blows_with(scene, who):
        refuse(f"{who} fights nobody hand to hand", rule=ENGAGEMENT, legal=("move",))


@formula(REACH)
def reach_mods(scene: Scene, own: int, other: int, distance: str) -> Mods:
    """A die for each point of difference: the longer reach is hindered when close, the shorter one when far."""
    points = own - other if distance == CLOSE else other - own
    return (Mod(points * scene[DICE_PER_POINT], f"reach {own} against {other}", REACH),) if points > 0 else ()


@formula(ENGAGEMENT)
def first_distance(scene: Scene, own: int, other: int, surprised: bool = False) -> str:
    """A melee begins far, to the disadvantage of the shorter reach; by surprise, at whichever distance suits."""
    return CLOSE if surprised and own < other else FAR


@rule(ENGAGEMENT + "/engage", ENGAGEMENT)
async def engage(scene: Scene, who: Person, target: Person, own: int, other: int, surprised: bool = False) -> None:
    """Two come to blows, if they have not yet."""
    if not distance_between(scene, who, target):
        await keep_distance(who, target, first_distance(scene, own, other, surprised))


@rule(REACH + "/distance", REACH)
async def keep_distance(scene: Scene, who: Person, target: Person, distance: str) -> None:
    """Two fight at a distance from now on."""
    for one, other in ((who, target), (target, who)):
        if scene[one].distance_to(other.name) != distance:
            await alter(one, Hero.engaged_with, other.name, distance)


@rule(REACH + "/impose", REACH)
async def impose_distance(scene: Scene, who: Person, target: Person, own: int, other: int) -> None:
    """Whoever hits in spite of the distance imposes the other one; whoever it suits keeps it."""
    distance = distance_between(scene, who, target) or FAR
    if reach_mods(scene, own, other, distance):
        distance = FAR if distance == CLOSE else CLOSE
        await tell("imposes-distance", who=who, other=target)
    await keep_distance(who, target, distance)


@rule(ENGAGEMENT + "/disengage", ENGAGEMENT)
async def disengage(scene: Scene, who: Person) -> None:
    """Somebody is out of everyone's reach: the next attack is an engagement again."""
    for other in scene.all(Hero):
        if scene[other].distance_to(who.name):
            await alter(other, Hero.disengaged_from, (who.name,))
    if scene[who].melee:
        await alter(who, Hero.disengaged_from, tuple(each.foe for each in scene[who].melee))
