"""Grappling: pinning someone in place, breaking free, letting go."""

from __future__ import annotations

from typing import Final

from referee.core import Mods, Prompt, Refused, Scene, alter, applying, choose, figure, rule
from referee.systems.distemper.actions import Person, acting, check_act, check_target, end_action
from referee.systems.distemper.fight import FIGHT, Fight
from referee.systems.distemper.opposed import Opposed, opposed_check
from referee.systems.distemper.rounds import take_effect

GRAPPLE_WITH: Final = figure("distemper.combat-actions.grappling", "attacker", tuple[str, ...])
RESIST_WITH: Final = figure("distemper.combat-actions.grappling", "target", tuple[str, ...])

RESIST: Final = Prompt("resist")
GRAPPLING: Final = "distemper.combat-actions.grappling"


@rule(GRAPPLING)
async def grapple(scene: Scene, who: Person, target: Person, cmods: Mods = ()) -> Opposed:
    """An opposed check; if the grappler wins, the target is pinned in place."""
    check_act(scene, who, "Grappling")
    check_target(scene, who, target, "Grappling")
    fought = await wrestle(who, target, cmods + acting(scene, who))
    if fought.winner == who.name and FIGHT in scene:
        await take_effect(who, pin(target, who))
    await end_action(who, "Grappling")
    return fought


@rule("distemper.combat-actions.grappling/wrestle")
async def wrestle(scene: Scene, who: Person, target: Person, cmods: Mods = (), other_cmods: Mods = ()) -> Opposed:
    """Unarmed Combat against Unarmed Combat or Athletics, as the target chooses; both are involved."""
    if FIGHT in scene:
        await alter(FIGHT, Fight.involving, who.name, target.name)
    resisting = await choose(target, RESIST, scene[RESIST_WITH])
    return await opposed_check(who, target, scene[GRAPPLE_WITH][0], resisting, cmods, other_cmods)


@rule("distemper.combat-actions.grappling/pin")
async def pin(scene: Scene, who: Person, holder: Person) -> None:
    """Held in place, unless one of the two has left the fight in the meantime."""
    if all(scene[FIGHT].is_able(scene, each.name) for each in (holder, who)):
        await alter(FIGHT, Fight.pinning, holder.name, who.name)


@rule("distemper.combat-actions.grappling/break-free")
async def break_free(scene: Scene, who: Person, holder: Person) -> Opposed:
    """Someone pinned spends an action and must win the same opposed check."""
    check_act(scene, who, "Grappling")
    check_break_free(scene, who, holder)
    fought = await wrestle(holder, who, (), acting(scene, who))
    if fought.winner == who.name:
        await alter(FIGHT, Fight.freeing, holder.name, who.name)
    await end_action(who, "Grappling")
    return fought


def check_break_free(scene: Scene, who: Person, holder: Person | None = None) -> None:
    """Held by someone; the dead and those who fled hold no one."""
    held_by = tuple(grappler for grappler, target in scene[FIGHT].pins if target == who.name) if FIGHT in scene else ()
    if not held_by or (holder and holder.name not in held_by):
        raise Refused("break free", because=f"{who} is not pinned", rule=GRAPPLING, legal=held_by)


@rule("distemper.combat-actions.grappling/let-go")
async def let_go(scene: Scene, who: Person, target: Person) -> None:
    """The grappler lets go; it costs nothing."""
    check_let_go(scene, who, target)
    await alter(FIGHT, Fight.freeing, who.name, target.name)


def check_let_go(scene: Scene, who: Person, target: Person | None = None) -> None:
    """Holding someone, and able to act at all."""
    applying(scene, who).check_allowed("act", rule="distemper.panic.table")
    held = tuple(name for grappler, name in scene[FIGHT].pins if grappler == who.name) if FIGHT in scene else ()
    if not held or (target and target.name not in held):
        raise Refused("let go", because=f"{who} holds nobody", rule=GRAPPLING, legal=held)
