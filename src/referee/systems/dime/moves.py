"""Move actions: to the next zone, over obstacles, up from the ground; and whoever strikes at those who leave."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Final, TypeAlias

from referee.core import (
    Mods,
    Pick,
    Prompt,
    Scene,
    alter,
    applying,
    change,
    figure,
    formula,
    hand_over,
    offer,
    questions,
    refuse,
    rule,
    suggest,
)
from referee.core.effects import Forbids
from referee.systems.dime.action_points import break_aim, check_ap, check_can_react, move_price, pay_ap
from referee.systems.dime.attacks import NO_FLIP, STRUCK_IF_TRIED, AttackResult, strike
from referee.systems.dime.combat import LEG, combat_action
from referee.systems.dime.consequences import COVER, check_approach, reaction_mods, worsen
from referee.systems.dime.fight import FIGHT, ZoneFight, foes, people
from referee.systems.dime.flip import FLIPPED, Flip, Skill, Stat, flip
from referee.systems.dime.interruptions import can_go_on
from referee.systems.dime.reactions import ZONE_OF_CONTROL
from referee.systems.dime.sheet import Adventurer, Person, severity_of, without_ended
from referee.systems.dime.weapons import MELEE, UNARMED, check_wields, is_weapon

MOVE_AP: Final = figure("dime.move.basic", "ap", int)
OBSTACLE_AP: Final = figure("dime.move.obstacle", "ap_per_attempt", int)
POSTURE_AP: Final = figure("dime.move.posture", "ap", int)
FREE_POSTURE: Final = figure("dime.move.posture", "free_with_move", bool)
CONTROL_AP: Final = figure("dime.reaction.zone-of-control", "ap", int)
CONTROL: Final = Prompt("zone-of-control")
POSTURE: Final = "Posture"
PRONE: Final = "Prone"


def check_may_move(scene: Scene, who: Person) -> None:
    """Nobody moves who is in a grapple."""
    if FIGHT in scene and scene[FIGHT].opponents(scene, who.name):
        refuse(f"{who} is in a grapple", rule="dime.attack.grapple", legal=("break-free",))


def check_legs(scene: Scene, who: Person) -> None:
    if any(each.effect.does == Forbids(LEG) for each in applying(scene, who).active):
        refuse(f"{who} cannot use a leg", rule="dime.attack.called-shots")


def zones_to(scene: Scene, who: Person) -> tuple[str, ...]:
    """The zone one is in, and those next to it."""
    if FIGHT not in scene:
        return ()
    zones = scene[FIGHT].zones
    here = zones.where(who.name)
    return (here, *dict.fromkeys(name for name, _ in zones.borders_of(here)))


@formula("dime.move.zone-borders")
def border_ap(scene: Scene, who: Person, to: str) -> int:
    """What a border costs in addition."""
    zones = scene[FIGHT].zones
    border = zones.border(zones.where(who.name), to)
    return border.extra if border is not None else 0


def check_to(scene: Scene, who: Person, to: str) -> None:
    """Next door, over a border that can be crossed and paid for, and not nearer to what one fears."""
    zones = scene[FIGHT].zones
    here = zones.where(who.name)
    if to == here:
        return
    border = zones.border(here, to)
    if border is None:
        refuse(f"{to} is not next to {here}", rule="dime.move.basic", legal=zones.neighbours(here))
    if not border.crossable:
        refuse(f"nobody can cross from {here} to {to}", rule="dime.move.zone-borders", legal=zones.neighbours(here))
    check_legs(scene, who)
    check_ap(scene, who, move_price(scene, who, scene[MOVE_AP]) + border.extra)
    check_not_nearer(scene, who, to)


def check_not_nearer(scene: Scene, who: Person, to: str) -> None:
    """Fear bars what brings one nearer to its subject."""
    zones = scene[FIGHT].zones
    for each in people(name for name in scene[FIGHT].fighters if name != who.name):
        there = zones.where(each.name)
        before, after = zones.zones_between(zones.where(who.name), there), zones.zones_between(to, there)
        if after is not None and (before is None or after < before):
            check_approach(scene, who, each)


To: TypeAlias = Annotated[str, Pick(zones_to, check_to)]


def check_stands(scene: Scene, who: Person, stand_up: bool = False) -> None:
    if stand_up and not scene[FREE_POSTURE]:
        refuse("getting up takes an action of its own", rule="dime.move.posture")


@combat_action("Basic Move", "dime.move.basic", key="move", cost=MOVE_AP, check=(check_may_move, check_stands))
async def move(scene: Scene, who: Person, to: To, stand_up: bool = False) -> None:
    """Move to an adjacent zone, or within one's own; getting up is free with it."""
    if (extra := border_ap(scene, who, to)) > 0:
        await pay_ap(who, extra)
    if stand_up:
        await get_up(who)
    if to == scene[FIGHT].zones.where(who.name):
        return
    await leave_zone(who)
    if can_go_on(scene, who) and not scene[FIGHT].opponents(scene, who.name):
        await alter(FIGHT, ZoneFight.moved, who.name, to)
        await leave_cover(who)


@rule("dime.consequence.cover/left")
async def leave_cover(scene: Scene, who: Person) -> None:
    """Cover stays where it is."""
    if held := scene[who].consequence(COVER):
        await alter(who, Adventurer.with_consequence, replace(held, severity=0))


@rule("dime.reaction.zone-of-control/leave")
async def leave_zone(scene: Scene, who: Person) -> None:
    """Every foe in the zone may strike at somebody who leaves it, before they are gone."""
    for foe in foes(scene, who):
        if scene[FIGHT].zones.same_zone(foe.name, who.name) and can_go_on(scene, who):
            _ = await control_zone(foe, who)


def melee_weapons(scene: Scene, who: Person) -> tuple[str, ...]:
    """What strikes at melee range: a melee weapon in hand, or bare hands."""
    held = (each.name for each in scene[who].items if is_weapon(scene, each) and each.skill == MELEE)
    return (*held, UNARMED)


@rule("dime.reaction.zone-of-control", "dime.consequence.prone", bands=STRUCK_IF_TRIED)
async def control_zone(scene: Scene, who: Person, foe: Person) -> AttackResult | None:
    """1 AP for an immediate melee attack; being Prone hinders it."""

    def check(weapon: str) -> None:
        check_can_react(scene, who, ZONE_OF_CONTROL, scene[CONTROL_AP])
        check_wields(scene, who, weapon)
        check_approach(scene, who, foe)

    price = questions.OptionCost(scene[CONTROL_AP], "ap")
    weapon = await offer(
        who, CONTROL, melee_weapons(scene, who), check=check, about=foe.name, reaction=True, cost=lambda _: price
    )
    if weapon is None:
        return None
    await pay_ap(who, scene[CONTROL_AP])
    await break_aim(who)
    return await hand_over(strike(who, foe, weapon, mods=reaction_mods(scene, who, ZONE_OF_CONTROL)))


Number: TypeAlias = Annotated[int, suggest(8, 10, 12, 14)]


@combat_action(
    "Obstacle",
    "dime.move.obstacle",
    key="obstacle",
    lapsed=NO_FLIP,
    bands=FLIPPED,
    cost=OBSTACLE_AP,
    check=(check_may_move, check_legs),
)
async def obstacle(scene: Scene, who: Person, stat: Stat, skill: Skill = "", tn: int = 10, mods: Mods = ()) -> Flip:
    """One attempt to overcome an obstacle, with what the game master asks for."""
    return await hand_over(flip(who, stat, skill, tn, mods))


def standing_ap(scene: Scene, who: Person) -> int:
    """Getting up does not cost what being Prone adds to other moves."""
    return scene[POSTURE_AP] - move_price(scene, who, scene[POSTURE_AP])


@combat_action("Posture", "dime.move.posture", key="posture", cost=POSTURE_AP, more=standing_ap, check=check_may_move)
async def posture(scene: Scene, who: Person) -> None:
    """Get up, which ends being Prone whatever its severity; or lie down."""
    if severity_of(scene, who, PRONE):
        await get_up(who)
    else:
        await worsen(who, PRONE)


@rule("dime.move.posture/up", "dime.consequence.prone")
async def get_up(scene: Scene, who: Person) -> None:
    """Being Prone ends, all severities at once."""
    if (after := without_ended(scene, scene[who], POSTURE)) != scene[who]:
        await change(who, after)
