"""Endurance: keeping going, and torture."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Final

from referee.core import (
    CLOCK,
    Bands,
    Mods,
    Open,
    Pick,
    Prompt,
    Scene,
    Who,
    action,
    alter,
    change,
    figures,
    formula,
    frozen,
    refuse,
    rule,
)
from referee.systems.yearzero.activities import occupy
from referee.systems.yearzero.effects import effect_table
from referee.systems.yearzero.harm import UNCONSCIOUS, check_able, fallen
from referee.systems.yearzero.opposed import oppose_once
from referee.systems.yearzero.panic import STRESSFUL, add_stress
from referee.systems.yearzero.rolls import Attempt, dice_of
from referee.systems.yearzero.sheet import STRENGTH, Person, Survivor, others
from referee.systems.yearzero.time import rounds_in
from referee.systems.yearzero.trauma import keep_trauma

EFFECTS: Final = effect_table("yearzero.endurance.effects", "Endurance", bonus="bonus_effects", general=True)
TORTURE: Final = "yearzero.endurance.torture"
TRAUMA: Final = Prompt("trauma")


@formula("yearzero.endurance.use")
def staying_power(scene: Scene, who: Person) -> int:
    """The dice to keep going under strain."""
    return dice_of(scene, who, "Endurance")


@figures("yearzero.endurance.torture")
class TortureFigures:
    """The skills of a torturer, and how much of every hour it takes."""

    torturer_skills: tuple[str, ...]
    minutes_per_hour: int


@frozen
class Interrogation:
    """The torture of somebody: by whom, the rolls won so far, and when the last hour began."""

    victim: Open[str]
    torturer: Open[str]
    won: Open[int] = 0
    last: Open[int] = 0


@formula("yearzero.endurance.torture/check")
def rolls_needed(scene: Scene, victim: Person) -> int:
    """As many as the victim's Endurance, or SERE Training if that is higher; at least one."""
    return max(1, scene[victim].level("Endurance", "SERE Training"))


@formula("yearzero.endurance.torture/time")
def torture_time(scene: Scene) -> int:
    """How much of every hour it takes."""
    return rounds_in(scene, "minute", scene[TortureFigures].minutes_per_hour)


def torture_of(victim: Person) -> Who[Interrogation]:
    return Who(f"interrogation of {victim}", Interrogation)


def torturer_skills(scene: Scene, who: Person) -> tuple[str, ...]:
    return scene[TortureFigures].torturer_skills


def check_victim(scene: Scene, who: Person, target: Person) -> None:
    """Nobody is tortured who is dead, unconscious or Broken."""
    check_able(scene, target)


def check_hour(scene: Scene, who: Person, target: Person) -> None:
    """A roll each hour."""
    here = torture_of(target)
    if here in scene and scene[CLOCK].now - scene[here].last < rounds_in(scene, "hour"):
        refuse("the hour is not over", rule=TORTURE)


ENDINGS: Final[Bands[str]] = Bands(of=lambda end: end, keys=("breaks", "goes-on", "passes-out"), good=("breaks",))


@action("torture", TORTURE, "yearzero.trauma.table", bands=ENDINGS, check=(check_able, check_victim, check_hour))
async def torture(
    scene: Scene,
    who: Person,
    target: Annotated[Person, Pick(others)],
    skill: Annotated[str, Pick(torturer_skills)],
    mods: Mods = (),
) -> str:
    """An hour of torture against the victim's Endurance; an hour that is missed starts it over."""
    await begin_torture(who, target)
    await occupy(who, f"torturing {target}", torture_time(scene))
    attempt = Attempt(skill, mods=mods, against=target, tags=("torture",))
    rolled = await oppose_once(who, attempt, target, Attempt("Endurance", "SERE Training", against=who))
    if not rolled.success:
        await alter(target, passing_out)
        await change(torture_of(target), None)
        return "passes-out"
    here = torture_of(target)
    won = scene[here].won + 1
    if won < rolls_needed(scene, target):
        await change(here, replace(scene[here], won=won, last=scene[CLOCK].now))
        return "goes-on"
    await change(here, None)
    await break_down(target)
    return "breaks"


@rule("yearzero.endurance.torture/begin", "yearzero.stress.gain")
async def begin_torture(scene: Scene, who: Person, target: Person) -> None:
    """Being tortured is stress at its beginning; after an hour that was missed it begins anew."""
    here = torture_of(target)
    missed = here in scene and scene[CLOCK].now - scene[here].last >= 2 * rounds_in(scene, "hour")
    if here not in scene:
        await add_stress(target, scene[STRESSFUL]["being tortured"].stress)
    if here not in scene or missed:
        await change(here, Interrogation(target.name, who.name, 0, scene[CLOCK].now))


def passing_out(sheet: Survivor) -> Survivor:
    """Strength is Broken, without an injury, and the victim is unconscious."""
    return fallen(sheet.losing(STRENGTH, sheet.full(STRENGTH)), True, True).with_condition(UNCONSCIOUS)


@rule("yearzero.endurance.torture/break")
async def break_down(scene: Scene, victim: Person) -> None:
    """The victim panics, begs, tells anything, and keeps a trauma for good."""
    await alter(victim, Survivor.with_condition, "panicking")
    _ = await keep_trauma(victim, for_good=True)
