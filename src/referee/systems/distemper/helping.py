"""Combat Actions that help and hinder others: Coordinate, Distract, Inspire."""

from __future__ import annotations

from typing import Final

from referee.core import Mods, Refused, Scene, Who, alter, figure, rule
from referee.core.effects import Effect, add_effect
from referee.systems.distemper.actions import Person, acting, check_act, check_target, end_action
from referee.systems.distemper.attacks import ATTACK
from referee.systems.distemper.checks import Check, check_listed, dice_check
from referee.systems.distemper.fight import FIGHT, Fight, is_close
from referee.systems.distemper.rounds import take_effect
from referee.systems.distemper.sheet import Ability, Character

COORDINATE: Final = figure("distemper.combat-actions.coordinate", "cmod", int)
COORDINATE_CHECK: Final = figure("distemper.combat-actions.coordinate", "check", str)
DISTRACT_CHECKS: Final = figure("distemper.combat-actions.distract", "checks", tuple[str, ...])
DISTRACT: Final = figure("distemper.combat-actions.distract", "actions_lost", int)
INSPIRE: Final = figure("distemper.combat-actions.inspire", "extra_actions", int)
INSPIRE_CHECK: Final = figure("distemper.combat-actions.inspire", "check", str)


@rule("distemper.combat-actions.coordinate")
async def coordinate(scene: Scene, who: Person, target: Person, cmods: Mods = ()) -> Check:
    """On a successful Tactics check, allies who are close have +2 on their next attack on one target."""
    check_act(scene, who, "Coordinate")
    check_target(scene, who, target, "Coordinate")
    check = await dice_check(who, scene[COORDINATE_CHECK], cmods + acting(scene, who))
    if check.success:
        await take_effect(who, direct(who, target))
    await end_action(who, "Coordinate")
    return check


@rule("distemper.combat-actions.coordinate/direct")
async def direct(scene: Scene, who: Person, target: Person) -> None:
    """Allies who are close have +2 on their next attack on one target; the coordinator does not."""
    bonus = Effect.from_plain({"adds": scene[COORDINATE], "when": [ATTACK], "uses": 1})
    for ally in allies(scene, who):
        if is_close(scene, who, ally) and ally != target:
            await add_effect(ally, bonus, "Coordinate", "distemper.combat-actions.coordinate", target)


def allies(scene: Scene, who: Person) -> tuple[Person, ...]:
    """The others on one's side; outside a fight the others of the same kind, players or NPCs."""
    if FIGHT in scene:
        side = next((side for side in scene[FIGHT].sides if who.name in side), ())
        return tuple(Who(name, Character) for name in side if name != who.name and name in scene[FIGHT].able(scene))
    return tuple(each for each in scene.all(Character) if each != who and scene[each].player == scene[who].player)


@rule("distemper.combat-actions.distract")
async def distract(scene: Scene, who: Person, target: Person, using: Ability, cmods: Mods = ()) -> Check:
    """On a success the target loses its next action."""
    check_act(scene, who, "Distract")
    check_distract(scene, who, target, using)
    check = await dice_check(who, using, cmods + acting(scene, who))
    if check.success:
        await take_effect(who, lose_action(target, scene[DISTRACT]))
    await end_action(who, "Distract")
    return check


def check_distract(
    scene: Scene, who: Person, target: Person | None = None, using: str | None = None, cmods: Mods = ()
) -> None:
    """Someone in the fight, by one of the checks the rule names."""
    check_fighter(scene, who, target, "Distract", "distemper.combat-actions.distract")
    check_listed(using, scene[DISTRACT_CHECKS], "distemper.combat-actions.distract")


def check_fighter(scene: Scene, who: Person, target: Person | None, action: str, by: str) -> None:
    """Someone who is not in the fight has no Combat Actions to gain or lose."""
    check_target(scene, who, target, action)
    if target is not None and FIGHT in scene and target.name not in scene[FIGHT].fighters:
        raise Refused(action, because=f"{target} does not fight", rule=by, legal=scene[FIGHT].fighters)


@rule("distemper.combat-actions.distract/lose")
async def lose_action(scene: Scene, who: Person, actions: int) -> None:
    """The next action is lost: one of this round, or else one of the next."""
    if FIGHT in scene:
        await alter(FIGHT, Fight.losing, who.name, actions)


@rule("distemper.combat-actions.inspire")
async def inspire(scene: Scene, who: Person, target: Person, cmods: Mods = ()) -> Check:
    """On a success, someone close has one more Combat Action in this round."""
    check_act(scene, who, "Inspire")
    check_inspire(scene, who, target)
    check = await dice_check(who, scene[INSPIRE_CHECK], cmods + acting(scene, who))
    if check.success and FIGHT in scene:
        await take_effect(who, gain_action(target, scene[INSPIRE]))
    await end_action(who, "Inspire")
    return check


def check_inspire(scene: Scene, who: Person, target: Person | None = None, cmods: Mods = ()) -> None:
    """Someone close who is in the fight."""
    check_fighter(scene, who, target, "Inspire", "distemper.combat-actions.inspire")
    if target is not None and not is_close(scene, who, target):
        by = "distemper.combat-actions.inspire"
        raise Refused("Inspire", because=f"{target} is not close", rule=by, legal=("move",))


@rule("distemper.combat-actions.inspire/gain")
async def gain_action(scene: Scene, who: Person, actions: int) -> None:
    """One more Combat Action in this round."""
    await alter(FIGHT, Fight.gaining, who.name, actions)
