"""Panic: the check that Stress makes harder."""

from __future__ import annotations

from typing import Final

from referee.core import Mod, Prompt, Scene, action, alter, formula, frozen, rows, rule, rule_on
from referee.systems.yearzero.effects import OUTCOME, Outcome
from referee.systems.yearzero.rolls import Attempt, roll_skill, stressed
from referee.systems.yearzero.sheet import Person, Survivor
from referee.systems.yearzero.skills import plain

CHECK: Final = "yearzero.panic.check"
CALM: Final = "Calm"
PANIC_EFFECT: Final = Prompt("panic-effect")
NO_ROLL: Final = "the Panic table"
"""Where the effect comes from; the game master says which it is."""


@frozen
class StressPenalty:
    """What Stress takes from a Panic Check, from so many points to so many."""

    penalty: int


PENALTIES: Final = rows(CHECK, "rows", StressPenalty, by=("stress_min", "stress_max"))


@formula(CHECK)
def panic_penalty(scene: Scene, who: Person) -> int:
    """The more Stress, the harder it is to keep calm."""
    return scene[PENALTIES].at(scene[who].stress).penalty


@action("panic-check", CHECK, "yearzero.insight.use", bands=OUTCOME)
async def check_panic(scene: Scene, who: Person) -> Outcome:
    """Insight (Calm), harder by Stress; whoever fails is under a Panic Effect."""
    mods = (Mod(panic_penalty(scene, who), "Stress", CHECK),) if panic_penalty(scene, who) else ()
    attempt = Attempt("Insight", CALM, mods=mods, tags=("resist", "panic"), surplus=False)
    rolled = await roll_skill(who, attempt)
    if not rolled.success:
        effect = await rule_on(PANIC_EFFECT, NO_ROLL)
        await alter(who, Survivor.with_condition, f"panic: {effect}")
    return plain(rolled)


def panic_effects(sheet: Survivor) -> tuple[str, ...]:
    """The Panic Effects somebody is under."""
    return tuple(sorted(each for each in sheet.conditions if each.startswith("panic: ")))


@rule("yearzero.panic.check/calmed")
async def calm(scene: Scene, who: Person, stress: int) -> None:
    """Panic is over, and some Stress is gone."""
    await alter(who, Survivor.without_condition, *panic_effects(scene[who]))
    await alter(who, stressed, -stress)
