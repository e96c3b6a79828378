"""Rate of fire and ammunition: who may fire, what it uses up, and reloading."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Final

from referee.core import Effect, Pick, Scene, alter, applying, formula, lay, refuse, rule
from referee.core.effects import Extra, Forbids
from referee.core.things import DROPPED
from referee.systems.d6.combat.ranges import ranged_weapons, weapon_in_hand
from referee.systems.d6.combat.round import fight_action
from referee.systems.d6.combat.weapons import item_of, keep
from referee.systems.d6.equipment import THROWN, Item, weapon_of
from referee.systems.d6.rolls import ROUND_END
from referee.systems.d6.sheet import Hero, Person

RATE: Final = "d6.combat.rate-of-fire"
AMMO: Final = "d6.combat.ammo"
SHOTS: Final = "shots with {}"
FIRING: Final = "fire {}"


def rounds_left(scene: Scene, item: Item) -> int | None:
    """The rounds in a weapon; None if nobody counts them."""
    holds = weapon_of(scene, item).ammo
    return holds if holds is None or item.loaded is None else item.loaded


@formula(RATE, AMMO)
def check_fire(scene: Scene, who: Person, weapon: str, rounds: int = 1) -> None:
    """Enough rounds in it, and not more often than its rate of fire."""
    item = item_of(scene, who, weapon)
    left, found = rounds_left(scene, item), weapon_of(scene, item)
    if left is not None and left < rounds:
        refuse(f"{left} rounds are left in it", what=weapon, rule=AMMO, legal=("reload",))
    applied = applying(scene, who)
    if found.rate_of_fire and applied.extra(SHOTS.format(weapon)) >= found.rate_of_fire:
        refuse(f"it fires {found.rate_of_fire} times a round", what=weapon, rule=RATE)
    applied.check_allowed(FIRING.format(weapon), rule=RATE)


def check_single(scene: Scene, who: Person, weapon: str) -> None:
    """A single shot, with a weapon that fires such."""
    if weapon_in_hand(scene, who, weapon).only_bursts:
        refuse("it only fires bursts", what=weapon, rule=RATE, legal=("short-burst", "spray-fire"))
    check_fire(scene, who, weapon)


@rule(RATE + "/fire", RATE, AMMO)
async def fire(scene: Scene, who: Person, weapon: str, rounds: int = 1) -> None:
    """A weapon is fired: rounds are gone, and what was prepared for this shot."""
    await alter(who, Hero.after_shot)
    item = item_of(scene, who, weapon)
    left, found = rounds_left(scene, item), weapon_of(scene, item)
    if found.category == THROWN:
        await keep(scene, who, thrown_away(item))
    elif left is not None:
        await keep(scene, who, replace(item, loaded=left - rounds))
    if found.rate_of_fire:
        await lay(who, Effect(Extra(SHOTS.format(weapon)), until=ROUND_END), source=weapon)
    if wait := found.rounds_between:
        await lay(who, Effect(Forbids(FIRING.format(weapon)), until=ROUND_END, times_until=wait + 1), source=weapon)


def thrown_away(item: Item) -> Item:
    """One less of several; the last one lies on the ground."""
    return replace(item, amount=item.amount - 1) if item.amount > 1 else item.at(DROPPED)


def check_reload(scene: Scene, who: Person, weapon: str) -> None:
    item = item_of(scene, who, weapon)
    holds, left = weapon_of(scene, item).ammo, rounds_left(scene, item)
    if holds is None or left is None:
        refuse("its rounds are not counted", what=weapon, rule=AMMO)
    if left >= holds:
        refuse("it is full", what=weapon, rule=AMMO)


@fight_action("reload", AMMO + "/reload", AMMO, check=check_reload)
async def reload(scene: Scene, who: Person, weapon: Annotated[str, Pick(ranged_weapons)]) -> int:
    """Reload a weapon: all of it, or as much as it says."""
    item = item_of(scene, who, weapon)
    found, left = weapon_of(scene, item), rounds_left(scene, item) or 0
    loaded = min(found.ammo or 0, left + (found.reloads or found.ammo or 0))
    await keep(scene, who, replace(item, loaded=loaded))
    return loaded
