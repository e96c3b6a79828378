"""Combat Actions that attack with any weapon: Attack, Subdue, Aim before it, Charge into it."""

from __future__ import annotations

from typing import Final

from referee.core import Mods, Refused, Scene, alter, figure, rule
from referee.core.effects import Effect, add_effect
from referee.systems.distemper.actions import Person, acting, check_act, check_target, end_action
from referee.systems.distemper.attacks import ATTACK, Strike, strike
from referee.systems.distemper.fight import ACTION_END, FIGHT, Fight
from referee.systems.distemper.moving import MOVE, check_free, step_now
from referee.systems.distemper.panic import closest
from referee.systems.distemper.weapons import UNARMED, check_weapon

AIM: Final = figure("distemper.combat-actions.aim", "cmod", int)
CHARGE_MOVES: Final = figure("distemper.combat-actions.charge", "moves", int)
CHARGE_ATTACKS: Final = figure("distemper.combat-actions.charge", "attacks", tuple[str, ...])
SUBDUE_WP: Final = figure("distemper.combat-actions.subdue", "wp_percent", int)
SUBDUE_RP: Final = figure("distemper.combat-actions.subdue", "rp_percent", int)


@rule("distemper.combat-actions.attack")
async def attack(scene: Scene, who: Person, target: Person, weapon: str = UNARMED, cmods: Mods = ()) -> Strike:
    """Make one attack roll."""
    check_act(scene, who, "Attack")
    check_attack(scene, who, target, weapon)
    if FIGHT in scene:
        await alter(FIGHT, Fight.calmed, who.name)
    struck = await strike(who, target, weapon, cmods + acting(scene, who))
    await end_action(who, "Attack")
    return struck


def check_attack(
    scene: Scene, who: Person, target: Person | None = None, weapon: str | None = None, cmods: Mods = ()
) -> None:
    """With a working weapon; someone berserk attacks the closest person."""
    check_target(scene, who, target, "Attack")
    check_weapon(scene, who, weapon)
    if target and FIGHT in scene and who.name in scene[FIGHT].berserk and target not in closest(scene, who):
        near = (each.name for each in closest(scene, who))
        raise Refused("Attack", because=f"{who} is berserk", rule="distemper.panic.table", legal=near)


@rule("distemper.combat-actions.subdue")
async def subdue(scene: Scene, who: Person, target: Person, weapon: str = UNARMED, cmods: Mods = ()) -> Strike:
    """A restrained attack: half the Wound Points, all the Resilience Points."""
    check_act(scene, who, "Subdue")
    check_subdue(scene, who, target, weapon)
    mods = cmods + acting(scene, who)
    struck = await strike(who, target, weapon, mods, scene[SUBDUE_WP], scene[SUBDUE_RP])
    await end_action(who, "Subdue")
    return struck


def check_subdue(
    scene: Scene, who: Person, target: Person | None = None, weapon: str | None = None, cmods: Mods = ()
) -> None:
    """With a working weapon."""
    check_target(scene, who, target, "Subdue")
    check_weapon(scene, who, weapon)


@rule("distemper.combat-actions.aim")
async def aim(scene: Scene, who: Person, target: Person) -> None:
    """+2 on the very next action, if it is an attack on this target."""
    check_act(scene, who, "Aim")
    check_target(scene, who, target, "Aim")
    bonus = Effect.from_plain({"adds": scene[AIM], "when": [ATTACK], "uses": 1, "until": ACTION_END, "times_until": 2})
    await add_effect(who, bonus, "Aim", "distemper.combat-actions.aim", target)
    await end_action(who, "Aim")


@rule("distemper.combat-actions.charge")
async def charge(scene: Scene, who: Person, target: Person, weapon: str = UNARMED, cmods: Mods = ()) -> Strike:
    """Both actions: two moves that end in a melee or unarmed attack."""
    check_act(scene, who, "Charge")
    check_charge(scene, who, target, weapon)
    await step_now(who, target, True, scene[CHARGE_MOVES] * scene[MOVE])
    struck = await strike(who, target, weapon, cmods + acting(scene, who))
    await end_action(who, "Charge")
    return struck


def check_charge(
    scene: Scene, who: Person, target: Person | None = None, weapon: str | None = None, cmods: Mods = ()
) -> None:
    """Free to move, with a weapon for close quarters."""
    check_target(scene, who, target, "Charge")
    check_free(scene, who, "Charge")
    check_weapon(scene, who, weapon, scene[CHARGE_ATTACKS], "distemper.combat-actions.charge")
