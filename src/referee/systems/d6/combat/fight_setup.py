"""How a fight begins and ends: its sides, who is surprised, and who notices what is new."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Final, TypeAlias

from referee.core import (
    Hidden,
    Levels,
    Mods,
    Pick,
    Scene,
    action,
    alter,
    applying,
    change,
    hand_over,
    refuse,
    rule,
    suggest,
)
from referee.core.effects import Grants, moment
from referee.core.encounter import Sides
from referee.kits.rounds import in_this_order, in_turn
from referee.systems.d6.combat.initiative import ABILITY
from referee.systems.d6.combat.maneuvers import COMBAT_END
from referee.systems.d6.combat.reach import disengage
from referee.systems.d6.combat.round import FIGHT, ROUND, SURPRISE, IndividualCombat, RoundPhase, fighters
from referee.systems.d6.merits_and_flaws import resist
from referee.systems.d6.resolution import TESTED, Difficulty, TestResult, check_awake, roll_against
from referee.systems.d6.rolls import ANY_ROLL, ROUND_END, is_secret_roll
from referee.systems.d6.sheet import Hero, Person
from referee.systems.d6.situations import Situation
from referee.systems.d6.wounds import DEAD

PERCEPTION_TAGS: Final = (ANY_ROLL, "perception roll")
"""Health lowers these rolls; several actions do not."""
SENSE_DANGER: Final = Grants("sense danger")


def everybody(scene: Scene, who: object) -> tuple[Person, ...]:
    return tuple(scene.all(Hero))


Danger: TypeAlias = Annotated[Hidden[int], suggest(5, 10, 15, 20, 30)]
"""How hard the danger is to sense for those who may, which only the game master knows."""
Fighters: TypeAlias = tuple[Annotated[Person, Pick(everybody)], ...]


def check_no_fight(scene: Scene, _: None) -> None:
    if FIGHT in scene and scene[FIGHT].over(scene, FIGHT) is None:
        refuse("there is a fight already", rule=ROUND, legal=("end-fight",))


def check_sides(scene: Scene, _: None, one: Fighters, other: Fighters, surprised: Fighters = ()) -> None:
    """Nobody fights on two sides, and only those who fight are surprised."""
    if not one or not other:
        refuse("a fight has two sides", rule=ROUND)
    if set(one) & set(other):
        refuse("nobody fights on two sides", rule=ROUND)
    for side in (one, other):
        if not IndividualCombat((tuple(each.name for each in side),)).standing(scene):
            refuse(f"nobody of {', '.join(each.name for each in side)} can fight", rule=ROUND)
    if strangers := set(surprised) - {*one, *other}:
        refuse(f"{min(each.name for each in strangers)} is not in the fight", rule=SURPRISE)


def fight_between(scene: Scene, sides: Sides, turn: str) -> IndividualCombat:
    """A fight about to begin, or in its first round, for which everyone has declared one action."""
    fight = IndividualCombat(sides)
    if not turn:
        return fight
    names = in_turn(sides, turn)
    one: Levels = Levels(dict.fromkeys(names, 1))
    return replace(fight.ordered(names, in_this_order(names), frozenset()).resolving(), declared=one, left=one)


@action("begin-fight", ROUND, check=(check_no_fight, check_sides), master=True)
async def begin_fight(
    scene: Scene,
    one: Fighters,
    other: Fighters,
    surprised: Fighters = (),
    danger: Danger = 15,
) -> None:
    """A fight begins. The surprised neither act nor react in its first round; some sense danger in time."""
    if FIGHT in scene:
        await moment(ROUND_END)
    await moment(COMBAT_END)
    for each in (*one, *other):
        await disengage(each)
    await change(FIGHT, IndividualCombat(tuple(tuple(each.name for each in side) for side in (one, other))))
    for who in surprised:
        await be_surprised(who, danger)


@rule(SURPRISE, "d6.merits.list-d-l")
async def be_surprised(scene: Scene, who: Person, danger: int = 15) -> bool:
    """Somebody does nothing this round, and does not react, unless they sense the danger."""
    sense = next((each.source for each in applying(scene, who).active if each.effect.does == SENSE_DANGER), "")
    if sense and scene[who].wound != DEAD and (await resist(who, sense, danger)).success:
        return False
    await alter(FIGHT, IndividualCombat.surprising, who.name)
    return True


def check_beginning(scene: Scene, _: None) -> None:
    """Surprise counts for a whole round."""
    if FIGHT not in scene:
        refuse("there is no fight", rule=SURPRISE, legal=("begin-fight",))
    if scene[FIGHT].phase is not RoundPhase.BEGIN:
        refuse("somebody is surprised before a round begins", rule=SURPRISE)


def in_the_fight(scene: Scene, who: object) -> tuple[Person, ...]:
    return fighters(scene) if FIGHT in scene else ()


@action("surprise", "d6.combat.surprise/round", SURPRISE, check=check_beginning, master=True)
async def surprise(
    scene: Scene,
    victim: Annotated[Person, Pick(in_the_fight)],
    danger: Danger = 15,
) -> bool:
    """Somebody is surprised in the round that begins."""
    return await hand_over(be_surprised(victim, danger))


@action("perception-roll", "d6.combat.perception-phase", bands=TESTED, turn=check_awake, secret=is_secret_roll)
async def perception_roll(
    scene: Scene, who: Person, difficulty: Difficulty = 15, mods: Mods = (), situation: Situation = ()
) -> TestResult:
    """Whether somebody notices what is new: with Perception itself, no action, whatever was declared."""
    tags = (*PERCEPTION_TAGS, *situation)
    return await hand_over(roll_against(who, scene[ABILITY], difficulty, mods, tags))


def check_fight(scene: Scene, _: None) -> None:
    if FIGHT not in scene:
        refuse("there is no fight", rule="d6.combat.end-of-round", legal=("begin-fight",))


@action("end-fight", "d6.combat.end-of-round/fight", "d6.combat.end-of-round", check=check_fight, master=True)
async def end_fight(scene: Scene) -> None:
    """The fight is over; what lasts until the end of a round is over too."""
    await moment(ROUND_END)
    await moment(COMBAT_END)
    await change(FIGHT, None)
