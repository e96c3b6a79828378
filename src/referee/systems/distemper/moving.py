"""Moving: Combat Actions that change the range (Move, Reposition, Sprint), and what keeps someone in place."""

from __future__ import annotations

from typing import Final

from referee.core import Mods, Refused, Scene, alter, applying, figure, rule
from referee.systems.distemper.actions import Person, acting, check_act, check_target, end_action, is_forbidden
from referee.systems.distemper.checks import Check, dice_check
from referee.systems.distemper.fight import FIGHT, Fight, Step, is_close
from referee.systems.distemper.sheet import TRACKED

MOVE: Final = figure("distemper.combat-actions.move", "range_bands", int)
SPRINT_TIMES: Final = figure("distemper.combat-actions.sprint", "times", int)
SPRINT_CHECK: Final = figure("distemper.combat-actions.sprint", "check", str)
SPRINT_LOST: Final = figure("distemper.combat-actions.sprint", "actions_lost", int)


@rule("distemper.combat-actions.move")
async def move(scene: Scene, who: Person, target: Person, closer: bool = True) -> None:
    """Change the range to someone by one band."""
    check_act(scene, who, "Move")
    check_moving(scene, who, target, closer, "Move")
    await step_now(who, target, closer, scene[MOVE])
    await end_action(who, "Move")


def check_moving(scene: Scene, who: Person, target: Person | None, closer: bool | None, action: str) -> None:
    """Free to move; no one comes closer than close."""
    check_target(scene, who, target, action)
    check_free(scene, who, action)
    if target is not None and closer and FIGHT in scene and is_close(scene, who, target):
        raise Refused(action, because=f"{target} is close already", rule=TRACKED.rule)


def check_free(scene: Scene, who: Person, action: str) -> None:
    """Someone pinned or catatonic stays in place."""
    applying(scene, who).check_allowed("move", rule="distemper.panic.table")
    if FIGHT in scene and scene[FIGHT].pinned(who.name):
        raise Refused(
            action, because=f"{who} is pinned", rule="distemper.combat-actions.grappling", legal=("break-free",)
        )


@rule("distemper.combat-actions.move/step")
async def step_now(scene: Scene, who: Person, target: Person, closer: bool, bands: int) -> None:
    """The range between two people changes; whoever moves leaves cover. The pinned and the catatonic stay in place."""
    if FIGHT in scene and not scene[FIGHT].pinned(who.name) and not is_forbidden(scene, who, "move"):
        await alter(FIGHT, Fight.uncovering, who.name)
        await alter(FIGHT, Fight.moved, who.name, target.name, -bands if closer else bands)


@rule("distemper.combat-actions.reposition")
async def reposition(scene: Scene, who: Person, target: Person, closer: bool = True) -> None:
    """Spend the action now; the move happens in the resolution phase."""
    check_act(scene, who, "Reposition")
    check_moving(scene, who, target, closer, "Reposition")
    if FIGHT in scene:
        await alter(FIGHT, Fight.stepping_later, Step(who.name, target.name, closer))
    await end_action(who, "Reposition")


@rule("distemper.combat-actions.sprint")
async def sprint(scene: Scene, who: Person, target: Person, closer: bool = True, cmods: Mods = ()) -> Check:
    """Three times the distance of a Move; a failed Athletics check costs an action of the next round."""
    check_act(scene, who, "Sprint")
    check_moving(scene, who, target, closer, "Sprint")
    check = await dice_check(who, scene[SPRINT_CHECK], cmods + acting(scene, who))
    await step_now(who, target, closer, scene[SPRINT_TIMES] * scene[MOVE])
    if not check.success and FIGHT in scene:
        await alter(FIGHT, Fight.losing_next, who.name, scene[SPRINT_LOST])
    await end_action(who, "Sprint")
    return check
