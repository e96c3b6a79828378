"""Teasing: mastery against Willpower, for dice in what comes next."""

from __future__ import annotations

from math import ceil
from typing import Final

from referee.core import Bands, Effect, Mods, Scene, alter, frozen, hand_over, lay, refuse, rule
from referee.core.effects import Adds
from referee.systems.d6.combat.blows import MELEE_ATTACK
from referee.systems.d6.combat.maneuvers import (
    COMBAT_END,
    GENERAL,
    MARTIAL,
    SYMBOLS,
    check_fresh,
    fresh,
    maneuver_row,
    note_use,
)
from referee.systems.d6.combat.mastery import TEASING, UNPENALIZED, WILLPOWER
from referee.systems.d6.combat.melee import Target
from referee.systems.d6.combat.round import FIGHT, IndividualCombat, fight_action
from referee.systems.d6.opposed import check_other, contest
from referee.systems.d6.rolls import ACTION
from referee.systems.d6.sheet import Person


@frozen
class TeasingResult:
    """Who has the better of it, and the dice that brings."""

    success: bool
    margin: int
    dice: int


TEASED: Final[Bands[TeasingResult]] = Bands(
    of=lambda found: "success" if found.success else "failure", keys=("success", "failure")
)


def check_tease(scene: Scene, who: Person, target: Person) -> None:
    """Instead of everything else in the round, and somebody who hears it."""
    check_other(scene, who, target, WILLPOWER)
    check_fresh(scene, who, TEASING, target)
    if FIGHT in scene and scene[FIGHT].taken.get(who.name, 0):
        refuse("teasing leaves no time for anything else in the round", rule=GENERAL)


def teasing_dice(scene: Scene, margin: int, skill: str) -> int:
    """A fifth of the margin, rounded up."""
    return ceil(abs(margin) / maneuver_row(scene, TEASING, skill).divisor)


@fight_action("tease", MELEE_ATTACK + "/tease", GENERAL, MARTIAL, SYMBOLS, bands=TEASED, check=check_tease)
async def tease(scene: Scene, who: Person, target: Target, mods: Mods = ()) -> TeasingResult:
    """Tease an opponent: mastery against Willpower. The winner has bonus dice, one for each action or reaction."""
    mine = fresh(scene, who, TEASING, target)[0]
    await note_use(who, mine, target)
    return await hand_over(
        contest(who, mine.skill, target, WILLPOWER, mods, tags=UNPENALIZED),
        lambda seen: TeasingResult(seen.margin >= 0, abs(seen.margin), teasing_dice(scene, seen.margin, mine.skill)),
        then=lambda found: teased(who, who if found.success else target, found.dice, mine.skill),
    )


@rule(MELEE_ATTACK + "/teased", GENERAL, MARTIAL)
async def teased(scene: Scene, who: Person, winner: Person, dice: int, skill: str) -> None:
    """The winner has the dice, one for each action or reaction; whoever teased does nothing else."""
    if dice:
        bonus = Adds(maneuver_row(scene, TEASING, skill).bonus)
        await lay(winner, Effect(bonus, frozenset({ACTION}), uses=dice, until=COMBAT_END), source=TEASING)
    await alter(FIGHT, IndividualCombat.doing_nothing_else, who.name, if_present=True)
