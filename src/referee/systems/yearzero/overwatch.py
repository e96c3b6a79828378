"""Overwatch: whoever waits for others to act shoots first; and what prevents an action that was paid for."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Final

from referee.core import Pick, Prevented, Prompt, Scene, action, alter, applying, react, refuse, rule
from referee.core.effects import Effect, lay
from referee.core.rules import rule_named
from referee.systems.yearzero.action_types import OTHER_ACTION, OVERWATCH, WAITED_FOR, ListedPrice, penalty
from referee.systems.yearzero.aiming import aim_slowly, check_sight
from referee.systems.yearzero.battle import BATTLE, SLOW, Battle, check_fighting, other_sides
from referee.systems.yearzero.ground import has_map, metres_between, where
from referee.systems.yearzero.harm import can_act, work_off_pain
from referee.systems.yearzero.marksmanship import ShotSituation, check_ranged, check_shot, fire, ranged_weapons
from referee.systems.yearzero.rolls import NO_ACTION, Attempt, roll_dice
from referee.systems.yearzero.sheet import Person

RULE: Final = "yearzero.combat.overwatch"
SHOOT_FIRST: Final = Prompt("overwatch")


def zones_in_sight(scene: Scene, who: Person) -> tuple[str, ...]:
    """The zones that may be watched, one's own among them; without a map there is only one place."""
    if not has_map(scene):
        return ("",)
    zones, here = scene[BATTLE].zones, where(scene, who)
    return tuple(each for each in zones.names if zones.zones_between(here, each) is not None)


def check_armed(scene: Scene, who: Person) -> None:
    check_fighting(scene)
    if not ranged_weapons(scene, who):
        refuse(f"{who} has no ranged weapon in hand", rule=RULE)


@action("overwatch", RULE, price=ListedPrice("Overwatch"), check=check_armed)
async def overwatch(scene: Scene, who: Person, area: Annotated[str, Pick(zones_in_sight)] = "") -> None:
    """Watch over a zone in sight: until one does anything else, one may shoot there before others act."""
    await work_off_pain(who)
    await watch(who, area or where(scene, who))


@action(
    "overwatch-by-sight", f"{RULE}/telescopic", price=ListedPrice("Telescopic aim"), check=(check_armed, check_sight)
)
async def overwatch_by_sight(scene: Scene, who: Person, area: Annotated[str, Pick(zones_in_sight)] = "") -> None:
    """Watch over a zone through a telescopic sight, as a slow action: the shot has the bonus of a slow aim."""
    await work_off_pain(who)
    await aim_slowly(who)
    await watch(who, area or where(scene, who))


@rule(f"{RULE}/watch")
async def watch(scene: Scene, who: Person, zone: str) -> None:
    """Somebody watches over a zone until they do anything else."""
    over = Effect.from_plain({"grants": watching(zone), "when": [OVERWATCH], "until": OTHER_ACTION})
    await lay(who, over, source=OVERWATCH)


def watching(zone: str) -> str:
    return f"overwatch {zone}"


@rule(WAITED_FOR)
async def waited_for(scene: Scene, who: Person) -> Prevented | None:
    """Before somebody acts those who watch over their zone may shoot; in a field of fire it takes a roll to act."""
    for watcher in other_sides(scene, who):
        if not scene[BATTLE].has_map or is_watched_by(scene, who, watcher):
            await shoot_first(watcher, who)
    if not can_act(scene[who]):
        return Prevented("shot before they could act")
    if scene[BATTLE].fields and scene[BATTLE].has_map:
        return await rule_named("yearzero.combat.field-of-fire/cross")(who, where(scene, who))  # type: ignore[no-any-return]
    return None


def is_watched_by(scene: Scene, who: Person, watcher: Person) -> bool:
    return applying(scene, watcher, OVERWATCH).granted(watching(where(scene, who)))


def check_shoots_first(scene: Scene, watcher: Person, who: Person, weapon: str) -> None:
    """Somebody on watch who has saved a slow action, and sees the target."""
    if not can_act(scene[watcher]) or not is_watched_by(scene, who, watcher):
        refuse(f"{watcher} does not watch over it", what=weapon, rule="yearzero.combat.overwatch-loss")
    battle = scene[BATTLE]
    slow, fast = battle.slow.get(watcher.name, 0), battle.fast.get(watcher.name, 0)
    if slow or penalty(scene, 1, fast, battle.reactions.get(watcher.name, 0)):
        refuse(f"{watcher} has saved no slow action", what=weapon, rule=RULE)
    if has_map(scene) and metres_between(scene, watcher, who) is None:
        refuse(f"{who} is out of sight", what=weapon, rule=RULE)
    check_ranged(scene, watcher, weapon)
    check_shot(scene, watcher, who, weapon, 0)


@rule(f"{RULE}/shoot")
async def shoot_first(scene: Scene, watcher: Person, who: Person) -> None:
    """Somebody on watch shoots before another acts; if that one watches them too, the better shot fires first."""
    weapons = ranged_weapons(scene, watcher)
    weapon = await react(watcher, SHOOT_FIRST, weapons, check=partial(check_shoots_first, scene, watcher, who))
    if weapon is None:
        return
    await alter(BATTLE, Battle.taking, watcher.name, SLOW)
    answer = await answers_fire(who, watcher)
    if answer and not await is_faster(watcher, who):
        await fire(who, watcher, answer)
        answer = ""
    if can_act(scene[watcher]):
        await fire(watcher, who, weapon, 0, ShotSituation())
    if answer and can_act(scene[who]):
        await fire(who, watcher, answer)


@rule(f"{RULE}/answer")
async def answers_fire(scene: Scene, who: Person, watcher: Person) -> str:
    """Somebody shot at who watches over the shooter's own zone may fire at the same time."""
    weapons = ranged_weapons(scene, who)
    weapon = await react(who, SHOOT_FIRST, weapons, check=partial(check_shoots_first, scene, who, watcher))
    if weapon is None:
        return ""
    await alter(BATTLE, Battle.taking, who.name, SLOW)
    return weapon


@rule(f"{RULE}/faster")
async def is_faster(scene: Scene, who: Person, other: Person) -> bool:
    """Marksmanship against Marksmanship, which is no action; of equals whoever has the higher initiative."""
    mine = await roll_dice(who, Attempt("Marksmanship", against=other, tags=(NO_ACTION,)))
    theirs = await roll_dice(other, Attempt("Marksmanship", against=who, tags=(NO_ACTION,)))
    order = scene[BATTLE].order()
    if mine.successes == theirs.successes:
        return order.index(who.name) < order.index(other.name)
    return mine.successes > theirs.successes
