"""Opposed rolls: of every success the other side may take one away."""

from __future__ import annotations

from dataclasses import replace

from referee.core import Scene, rule
from referee.kits import year_zero
from referee.systems.yearzero.dice import ANSWERING
from referee.systems.yearzero.harm import is_helpless
from referee.systems.yearzero.rolls import NO_ACTION, Attempt, RolledPool, end_later, roll_dice
from referee.systems.yearzero.sheet import Person


async def oppose_once(who: Person, attempt: Attempt, other: Person, answer: Attempt) -> RolledPool:
    """The one roll of an action, against somebody's roll."""
    return await end_later(who, await roll_against(who, replace(attempt, owed=True), other, answer), attempt)


@rule("yearzero.core.opposed/roll")
async def roll_against(scene: Scene, who: Person, attempt: Attempt, other: Person, answer: Attempt) -> RolledPool:
    """Both roll, whoever began first. Each success of the other takes one away; with none left the other side wins.

    Only whoever began may push.
    """
    mine = await roll_dice(who, replace(attempt, surplus=True))
    left = await left_after(mine.successes, other, answer)
    return replace(mine, success=left >= attempt.needed, successes=left)


@rule("yearzero.core.opposed/answer")
async def left_after(scene: Scene, successes: int, other: Person, answer: Attempt) -> int:
    """What the other's roll leaves of somebody's successes: all of them, if the other makes no skill rolls now."""
    if is_helpless(scene, other):
        return successes
    theirs = await roll_dice(other, replace(answer, no_push=ANSWERING, tags=(*answer.tags, NO_ACTION)))
    return year_zero.opposed(successes, theirs.successes)
