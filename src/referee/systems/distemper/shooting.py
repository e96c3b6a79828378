"""Combat Actions that need a ranged weapon: Cover Fire, Rapid Fire, Fire from Cover."""

from __future__ import annotations

from typing import Final

from referee.core import Mod, Mods, Refused, Scene, alter, applying, figure, rule
from referee.core.effects import Effect, add_effect
from referee.systems.distemper.actions import ACTING, Person, acting, check_act, check_target, end_action
from referee.systems.distemper.attacks import Strike, attack_roll, strike
from referee.systems.distemper.checks import Check
from referee.systems.distemper.defending import TAKE_COVER, shelter
from referee.systems.distemper.fight import ACTION_END, FIGHT, Fight
from referee.systems.distemper.rounds import take_effect
from referee.systems.distemper.weapons import check_weapon

COVER_FIRE: Final = figure("distemper.combat-actions.cover-fire", "cmod", int)
FIRE_ATTACK: Final = figure("distemper.combat-actions.fire-from-cover", "attack", str)
RAPID_ONCE: Final = figure("distemper.combat-actions.rapid-fire", "one_action", tuple[int, ...])
RAPID_TWICE: Final = figure("distemper.combat-actions.rapid-fire", "both_actions_each", tuple[int, ...])


@rule("distemper.combat-actions.cover-fire")
async def cover_fire(scene: Scene, who: Person, target: Person, weapon: str, cmods: Mods = ()) -> Check:
    """A hit does no damage, but hampers the target's next action."""
    check_act(scene, who, "Cover Fire")
    check_cover_fire(scene, who, target, weapon)
    check = await attack_roll(who, target, scene[FIRE_ATTACK], cmods + acting(scene, who))
    if check.success:
        await take_effect(who, hamper(target))
    await end_action(who, "Cover Fire")
    return check


def check_cover_fire(
    scene: Scene, who: Person, target: Person | None = None, weapon: str | None = None, cmods: Mods = ()
) -> None:
    """With a ranged weapon."""
    check_target(scene, who, target, "Cover Fire")
    check_weapon(scene, who, weapon, (scene[FIRE_ATTACK],), "distemper.combat-actions.cover-fire")


@rule("distemper.combat-actions.cover-fire/hamper")
async def hamper(scene: Scene, who: Person) -> None:
    """-2 on the next action, whatever it is."""
    penalty = Effect.from_plain({"adds": scene[COVER_FIRE], "when": [ACTING], "until": ACTION_END})
    await add_effect(who, penalty, "Cover Fire", "distemper.combat-actions.cover-fire")


@rule("distemper.combat-actions.rapid-fire")
async def rapid_fire(
    scene: Scene, who: Person, target: Person, weapon: str, both: bool = False, cmods: Mods = ()
) -> tuple[Strike, ...]:
    """Two shots, each with its own roll; worse if both actions of the round are spent on it."""
    check_act(scene, who, "Rapid Fire")
    check_rapid_fire(scene, who, target, weapon)
    twice = both or (FIGHT in scene and who.name in scene[FIGHT].rapid)
    shots: list[Strike] = []
    for amount in scene[RAPID_TWICE] if twice else scene[RAPID_ONCE]:
        if shots and not can_shoot_on(scene, who, target, weapon):
            break
        mod = Mod(amount, "Rapid Fire", "distemper.combat-actions.rapid-fire")
        shots.append(await strike(who, target, weapon, (*cmods, *acting(scene, who), mod)))
    if FIGHT in scene:
        await alter(FIGHT, Fight.firing_rapidly, who.name)
    await end_action(who, "Rapid Fire")
    return tuple(shots)


def check_rapid_fire(
    scene: Scene,
    who: Person,
    target: Person | None = None,
    weapon: str | None = None,
    both: bool = False,
    cmods: Mods = (),
) -> None:
    """With a ranged weapon."""
    check_target(scene, who, target, "Rapid Fire")
    check_weapon(scene, who, weapon, (scene[FIRE_ATTACK],), "distemper.combat-actions.rapid-fire")


def can_shoot_on(scene: Scene, who: Person, target: Person, weapon: str) -> bool:
    """Whether another shot can follow: after the first, the target or the shooter may be out."""
    try:
        check_target(scene, target, who, "Rapid Fire")
        check_rapid_fire(scene, who, target, weapon)
        applying(scene, who).check_allowed("act", rule="distemper.panic.table")
    except Refused:
        return False
    return True


@rule("distemper.combat-actions.fire-from-cover")
async def fire_from_cover(scene: Scene, who: Person, target: Person, weapon: str, cmods: Mods = ()) -> Strike:
    """Both actions: leave cover, make one ranged attack, and return to cover."""
    check_act(scene, who, "Fire from Cover")
    check_fire_from_cover(scene, who, target, weapon)
    struck = await strike(who, target, weapon, cmods + acting(scene, who))
    back = shelter(who, scene[TAKE_COVER], "Take Cover", "distemper.combat-actions.fire-from-cover")
    await take_effect(who, back)
    await end_action(who, "Fire from Cover")
    return struck


def check_fire_from_cover(
    scene: Scene, who: Person, target: Person | None = None, weapon: str | None = None, cmods: Mods = ()
) -> None:
    """One must be in cover first."""
    check_target(scene, who, target, "Fire from Cover")
    check_weapon(scene, who, weapon, (scene[FIRE_ATTACK],), "distemper.combat-actions.fire-from-cover")
    if FIGHT in scene and who.name not in scene[FIGHT].cover:
        by = "distemper.combat-actions.fire-from-cover"
        raise Refused("Fire from Cover", because=f"{who} is not in cover", rule=by, legal=("take-cover",))
