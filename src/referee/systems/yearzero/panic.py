"""Panic and suppression: the rolls for Calm that harm and fire call for."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Final

from referee.core import (
    YES,
    Bands,
    Mod,
    Pick,
    Pool,
    Prompt,
    Scene,
    Total,
    action,
    alter,
    applying,
    change,
    figure,
    frozen,
    number_die,
    offer,
    roll,
    rows,
    rule,
    tell,
)
from referee.core.rules import rule_named
from referee.systems.yearzero.rolls import NO_ACTION, Attempt, roll_skill, spending
from referee.systems.yearzero.sheet import Person, Survivor, people

CHECK: Final = "yearzero.panic.check"
TRIGGERS: Final = "yearzero.panic.triggers"
SUPPRESSION: Final = "yearzero.stress.suppression"
IGNORE: Final = "yearzero.core.willpower-ignore-suppression"
IGNORE_SUPPRESSION: Final = Prompt("ignore-suppression")


@frozen
class PanicRow:
    """What so much Stress takes from a Panic Check."""

    penalty: int


@frozen
class StressfulEvent:
    """Something that adds Stress."""

    name: str
    stress: int
    per: str = ""
    note: str = ""


STRESSFUL: Final = rows("yearzero.stress.gain", "events", StressfulEvent)
PENALTIES: Final = rows(CHECK, "rows", PanicRow, by=("stress_min", "stress_max"))
EVERY: Final = figure(TRIGGERS, "every_stress", int)
SUPPRESSION_STRESS: Final = figure(SUPPRESSION, "stress", int)
IGNORE_COST: Final = figure(IGNORE, "wp", int)


CALM: Final[Bands[bool]] = Bands(of=lambda calm: "success" if calm else "failure", keys=("success", "failure"))


@rule(TRIGGERS)
async def panic_check(scene: Scene, who: Person, stress_before: int, called: bool = False) -> bool | None:
    """A Panic Check is called for by every fifth point of Stress, or by what happened: no Wits or Empathy left."""
    reached = scene[who].stress // scene[EVERY] > stress_before // scene[EVERY]
    if not (called or reached) or "dead" in scene[who].conditions:
        return None
    return await check_panic(who)


@rule(CHECK)
async def check_panic(scene: Scene, who: Person) -> bool:
    """Insight (Calm), at a penalty by Stress, which is no action; whoever fails panics."""
    penalty = scene[PENALTIES].at(scene[who].stress).penalty
    mods = (Mod(penalty, "Stress", CHECK),) if penalty else ()
    attempt = Attempt("Insight", "Calm", mods=mods, tags=("calm", "panic", NO_ACTION), surplus=False, while_broken=True)
    rolled = await roll_skill(who, attempt)
    if not rolled.success:
        await alter(who, Survivor.with_condition, "panicking")
        await tell("panics", who=who, rule=CHECK)
        if ways := applying(scene, who).at("panic"):
            await panic_talents(who, ways)
    return rolled.success


PANIC: Final = Prompt("panic")
PANIC_DIE: Final = figure("yearzero.panic.roll", "die", int)


@rule("yearzero.panic.roll")
async def panic_talents(scene: Scene, who: Person, ways: tuple[str, ...]) -> int:
    """How bad a panic is, a D8 and the Stress, is rolled for those whose talents ask for it."""
    thrown = await roll(PANIC, who, Pool.of((number_die(scene[PANIC_DIE]), 1)), Total)
    result = thrown.total + scene[who].stress
    for each in ways:
        await rule_named(each)(who, result)
    return result


@rule(SUPPRESSION, IGNORE)
async def suppression_test(scene: Scene, who: Person) -> bool:
    """Insight (Calm) or Suppressed, which a point of Willpower ignores; whether one keeps calm."""
    rolled = await roll_skill(
        who, Attempt("Insight", "Calm", tags=("calm", NO_ACTION), surplus=False, while_broken=True)
    )
    if rolled.success:
        return True
    if scene[who].willpower >= scene[IGNORE_COST] and await offer(who, IGNORE_SUPPRESSION, YES):
        await alter(who, spending, scene[IGNORE_COST], rule=IGNORE)
        return True
    sheet = scene[who]
    await change(who, replace(sheet.with_condition("suppressed"), stress=sheet.stress + scene[SUPPRESSION_STRESS]))
    return False


def events(scene: Scene, _: None) -> tuple[str, ...]:
    return scene[STRESSFUL].names


@action("gain-stress", "yearzero.stress.gain", master=True)
async def gain_stress(scene: Scene, who: Annotated[Person, Pick(people)], event: Annotated[str, Pick(events)]) -> int:
    """Something happens to somebody, or before their eyes, that adds Stress."""
    before = scene[who].stress
    await change(who, replace(scene[who], stress=before + scene[STRESSFUL][event].stress))
    await panic_check(who, before)
    return scene[who].stress


@action("panic-check", "yearzero.panic.check/called", bands=CALM, master=True)
async def call_panic_check(scene: Scene, who: Annotated[Person, Pick(people)]) -> bool:
    """The game master calls for a Panic Check."""
    return await check_panic(who)


@action("suppress", "yearzero.stress.suppression/called", bands=CALM, master=True)
async def suppress(scene: Scene, who: Annotated[Person, Pick(people)]) -> bool:
    """Fire, a blast or a comrade's fear calls for Calm: whoever fails is Suppressed."""
    return await suppression_test(who)


@action("compose", "yearzero.panic.check/end", master=True)
async def compose(scene: Scene, who: Annotated[Person, Pick(people)]) -> None:
    """Panic and suppression of somebody are over."""
    await alter(who, Survivor.without_condition, "panicking", "suppressed")
