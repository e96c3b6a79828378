"""Combat Actions: what each costs, who may take one and against whom. Outside a fight they cost nothing."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final, TypeAlias, final

from referee.core import Mods, Refused, Scene, Who, alter, applying, rows, rule
from referee.core.effects import Forbids, moment
from referee.systems.distemper.checks import Check, dice_check
from referee.systems.distemper.fight import ACTION_END, FIGHT, Fight
from referee.systems.distemper.sheet import Ability, Character, check_alive

ACTIONS_RULE: Final = "distemper.combat.actions-per-round"
ACTING: Final = "action"

Person: TypeAlias = Who[Character]


@final
@dataclass(frozen=True, slots=True)
class ActionRow:
    """A Combat Action and what it costs."""

    name: str
    cost: int


CATALOGUE: Final = rows("distemper.combat-actions.catalogue", "actions", ActionRow)


def check_act(scene: Scene, who: Person, action: str) -> None:
    """On one's own turn, with enough actions left; someone berserk may only attack."""
    check_turn(scene, who, action)
    check_cost(scene, who, action)


def check_turn(scene: Scene, who: Person, action: str) -> None:
    """Alive, able to act, and it is no one else's turn."""
    check_alive(scene, who, action)
    applying(scene, who).check_allowed("act", rule="distemper.panic.table")
    if FIGHT in scene and not scene[FIGHT].acts(scene, who.name):
        turn = " and ".join(scene[FIGHT].group(scene)) or "nobody"
        by = "distemper.combat.initiative-order"
        raise Refused(action, because=f"it is not {who}'s turn", rule=by, legal=(turn,))


def is_forbidden(scene: Scene, who: Person, what: str) -> bool:
    """Whether an effect forbids someone to act or move."""
    return any(active.effect.does == Forbids(what) for active in applying(scene, who).active)


def check_cost(scene: Scene, who: Person, action: str) -> None:
    """Enough actions left to pay for it; someone berserk may only attack."""
    if FIGHT not in scene:
        return
    cost, left = scene[CATALOGUE].look(action).cost, scene[FIGHT].left[who.name]
    if left < cost:
        raise Refused(action, because=f"it takes {cost} Combat Actions, {left} left", rule=ACTIONS_RULE)
    if who.name in scene[FIGHT].berserk and action != "Attack":
        raise Refused(action, because=f"{who} is berserk", rule="distemper.panic.table", legal=("attack",))


def check_target(scene: Scene, who: Person, target: Person | None, action: str) -> None:
    """Someone else, who is alive and has not left the fight."""
    if target is None:
        return
    check_alive(scene, target, action)
    if target == who:
        raise Refused(action, because="it needs somebody else", rule=CATALOGUE.rule)
    if FIGHT in scene and target.name in scene[FIGHT].gone:
        raise Refused(action, because=f"{target} has left the fight", rule="distemper.panic.table")


def acting(scene: Scene, who: Person) -> Mods:
    """The modifiers on someone's next action, whatever it is."""
    return applying(scene, who, ACTING).mods


@rule("distemper.combat.actions-per-round/end", "distemper.combat.actions-per-round")
async def end_action(scene: Scene, who: Person, action: str) -> None:
    """The action is paid for, and effects that last until it end."""
    cost = scene[CATALOGUE][action].cost
    await moment(ACTION_END, who)
    if FIGHT in scene:
        await alter(FIGHT, Fight.spending, who.name, cost)


@rule("distemper.combat-actions.dice-check")
async def check_action(scene: Scene, who: Person, using: Ability, cmods: Mods = ()) -> Check:
    """Any attribute or skill check, as an action."""
    check_act(scene, who, "Dice Check")
    check = await dice_check(who, using, cmods + acting(scene, who))
    await end_action(who, "Dice Check")
    return check


@rule("distemper.combat-actions.ready-weapon")
async def ready_weapon(scene: Scene, who: Person, weapon: str) -> None:
    """Prepare a weapon, or clear a jam."""
    check_act(scene, who, "Ready Weapon")
    check_ready_weapon(scene, who, weapon)
    item = scene[who].item(weapon)
    readied = replace(item, jammed=False) if item.jammed else replace(item, ready=True)
    await alter(who, Character.with_item, readied)
    await end_action(who, "Ready Weapon")


def check_ready_weapon(scene: Scene, who: Person, weapon: str | None = None) -> None:
    """An item that is carried, and is not ready or is jammed."""
    if weapon is not None and (item := scene[who].item(weapon)).ready and not item.jammed:
        raise Refused("Ready Weapon", because=f"{weapon} is ready", rule="distemper.combat-actions.ready-weapon")
