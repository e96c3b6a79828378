"""Pushing a roll: more dice, more stress, once."""

from __future__ import annotations

from typing import Final

from referee.core import YES, Prompt, Refused, Scene, SymbolCounts, Who, applying, figure, formula, offer, roll, rule
from referee.core.questions import Request
from referee.systems.alien.pool import BASE, ONE, SIX, STRESS, pool
from referee.systems.alien.sheet import Colonist
from referee.systems.alien.stress import change_stress

STRESS_GAIN: Final = figure("alien.push.procedure", "stress_gain", int)
STRESS_DICE_ADDED: Final = figure("alien.push.procedure", "stress_dice_added", int)
PUSHES_PER_ROLL: Final = figure("alien.push.restrictions", "pushes_per_roll", int)

PUSH: Final = Prompt("push")


def offer_push(scene: Scene, who: Who[Colonist], seen: SymbolCounts, pushes: int) -> Request[bool | None]:
    """Offer a push, but only if it is legal."""
    return offer(who, PUSH, YES, check=lambda _: check_push(scene, who, seen, pushes), about=seen)


@rule("alien.push.procedure", "alien.stress.table")
async def push(scene: Scene, who: Who[Colonist], seen: SymbolCounts, pushes: int = 0) -> SymbolCounts:
    """Stress rises, a stress die is added, and every die that is not a six is thrown again."""
    check_push(scene, who, seen, pushes)
    await change_stress(who, stress_gain(scene, who))
    base = seen.others(SIX, die=BASE)
    stress = seen.others(SIX, die=STRESS) + scene[STRESS_DICE_ADDED]
    return await roll(PUSH, who, pool(scene, base, stress), SymbolCounts, kept=seen.showing(SIX))


def stress_gain(scene: Scene, who: Who[Colonist]) -> int:
    """How much stress a push costs someone."""
    return applying(scene, who, PUSH).figure(scene, STRESS_GAIN)


@formula("alien.push.restrictions")
def check_push(scene: Scene, who: Who[Colonist], seen: SymbolCounts, pushes: int = 0) -> None:
    """At most once per roll, never with a one on a stress die, never while Deflated."""
    if pushes >= scene[PUSHES_PER_ROLL]:
        raise Refused("push", because="the roll has been pushed", rule="alien.push.restrictions")
    if seen.count(ONE, STRESS):
        raise Refused("push", because="a stress die shows 1", rule="alien.push.restrictions")
    applying(scene, who).check_allowed(PUSH, rule="alien.push.restrictions")
