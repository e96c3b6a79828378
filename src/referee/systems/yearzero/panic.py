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
    formula,
    frozen,
    number_die,
    offer,
    roll,
    rows,
    rule,
    rule_on,
    tell,
)
from referee.core.rules import rule_named
from referee.systems.yearzero.effects import OUTCOME, Outcome
from referee.systems.yearzero.harm import DEAD, check_awake
from referee.systems.yearzero.rolls import NO_ACTION, Attempt, RolledPool, roll_skill, stressed
from referee.systems.yearzero.sheet import Person, Survivor, people
from referee.systems.yearzero.skills import plain

CHECK: Final = "yearzero.panic.check"
TRIGGERS: Final = "yearzero.panic.triggers"
SUPPRESSION: Final = "yearzero.stress.suppression"
IGNORE: Final = "yearzero.core.willpower-ignore-suppression"
PANIC_EFFECT: Final = Prompt("panic-effect")
NO_ROLL: Final = "the Panic table"
"""Where the effect comes from; the game master says which it is."""
IGNORE_SUPPRESSION: Final = Prompt("ignore-suppression")


@frozen
class PanicPenalty:
    """What so much Stress takes from a Panic Check."""

    penalty: int


@frozen
class StressfulEvent:
    """Something that adds Stress."""

    name: str
    stress: int
    per: str = ""
    note: str = ""
    default: bool = True
    """Whether it counts unless the game master says otherwise."""


STRESSFUL: Final = rows("yearzero.stress.gain", "events", StressfulEvent, also=("yearzero.stress.gain/doubtful",))
FULL_AUTO: Final = "firing a firearm on full auto"
SPREAD: Final = figure("yearzero.stress.suppression", "spread_m", int)
PENALTIES: Final = rows(CHECK, "rows", PanicPenalty, by=("stress_min", "stress_max"))
EVERY: Final = figure(TRIGGERS, "every_stress", int)
SUPPRESSION_STRESS: Final = figure(SUPPRESSION, "stress", int)
IGNORE_COST: Final = figure(IGNORE, "wp", int)


CALM: Final[Bands[bool]] = Bands(of=lambda calm: "success" if calm else "failure", keys=("success", "failure"))


@rule(TRIGGERS)
async def panic_check(scene: Scene, who: Person, stress_before: int, called: bool = False) -> bool | None:
    """A Panic Check is called for by every fifth point of Stress, or by what happened: no Wits or Empathy left."""
    reached = scene[who].stress // scene[EVERY] > stress_before // scene[EVERY]
    if not (called or reached) or DEAD in scene[who].conditions:
        return None
    return (await check_panic(who)).success


@formula("yearzero.panic.check/penalty")
def panic_penalty(scene: Scene, who: Person) -> int:
    """The more Stress, the harder it is to keep calm."""
    return scene[PENALTIES].at(scene[who].stress).penalty


@rule(CHECK)
async def check_panic(scene: Scene, who: Person) -> RolledPool:
    """Insight (Calm), at a penalty by Stress, which is no action; whoever fails panics."""
    penalty = panic_penalty(scene, who)
    mods = (Mod(penalty, "Stress", CHECK),) if penalty else ()
    attempt = Attempt(
        "Insight", "Calm", mods=mods, tags=("calm", "resist", "panic", NO_ACTION), surplus=False, while_broken=True
    )
    rolled = await roll_skill(who, attempt)
    if not rolled.success:
        effect = await rule_on(PANIC_EFFECT, NO_ROLL)
        await alter(who, Survivor.with_condition, f"panic: {effect}")
        await tell("panics", who=who, rule=CHECK)
        if ways := applying(scene, who).at("panic"):
            await panic_talents(who, ways)
    return rolled


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
        who, Attempt("Insight", "Calm", tags=("calm", "resist", NO_ACTION), surplus=False, while_broken=True)
    )
    if rolled.success:
        return True
    if scene[who].willpower >= scene[IGNORE_COST] and await offer(who, IGNORE_SUPPRESSION, YES):
        await alter(who, Survivor.spending, scene[IGNORE_COST], rule=IGNORE)
        return True
    sheet = scene[who]
    await change(who, replace(sheet.with_condition("suppressed"), stress=sheet.stress + scene[SUPPRESSION_STRESS]))
    await tell("suppressed", who=who, metres=scene[SPREAD], rule=SUPPRESSION)
    return False


@rule("yearzero.stress.gain/full-auto")
async def fire_fully(scene: Scene, who: Person) -> None:
    """Fire on full auto adds Stress only where the table plays what the author is unsure of."""
    event = scene[STRESSFUL][FULL_AUTO]
    if event.default:
        await alter(who, stressed, event.stress)
        await panic_check(who, scene[who].stress - event.stress)


def events(scene: Scene, _: None) -> tuple[str, ...]:
    return scene[STRESSFUL].names


@action("gain-stress", "yearzero.stress.gain", master=True)
async def gain_stress(scene: Scene, who: Annotated[Person, Pick(people)], event: Annotated[str, Pick(events)]) -> int:
    """Something happens to somebody, or before their eyes, that adds Stress."""
    points = scene[STRESSFUL][event].stress
    await alter(who, stressed, points)
    await panic_check(who, scene[who].stress - points)
    return scene[who].stress


PANIC_TRIGGERS: Final = figure(TRIGGERS, "triggers", tuple[str, ...])


@formula(f"{TRIGGERS}/list")
def panic_triggers(scene: Scene) -> tuple[str, ...]:
    """What calls for a Panic Check, as the book lists it."""
    return scene[PANIC_TRIGGERS]


def triggers(scene: Scene, who: Person) -> tuple[str, ...]:
    return ("", *panic_triggers(scene))


def any_trigger(scene: Scene, who: Person, trigger: str) -> None:
    """The game master may find others."""


@action("panic-check", "yearzero.panic.check/called", bands=OUTCOME, turn=check_awake)
async def call_panic_check(
    scene: Scene, who: Person, trigger: Annotated[str, Pick(triggers, any_trigger)] = ""
) -> Outcome:
    """Insight (Calm), harder by Stress; whoever fails is under a Panic Effect."""
    return plain(await check_panic(who))


@action("suppress", "yearzero.stress.suppression/called", bands=CALM, master=True)
async def suppress(scene: Scene, who: Annotated[Person, Pick(people)]) -> bool:
    """Fire, a blast or a comrade's fear calls for Calm: whoever fails is Suppressed."""
    return await suppression_test(who)


@action("compose", "yearzero.panic.check/end", master=True)
async def compose(scene: Scene, who: Annotated[Person, Pick(people)]) -> None:
    """Panic and suppression of somebody are over."""
    await alter(who, Survivor.without_condition, "suppressed", *panic_effects(scene[who]))


def panic_effects(sheet: Survivor) -> tuple[str, ...]:
    """The Panic Effects somebody is under."""
    return tuple(sorted(each for each in sheet.conditions if each.startswith("panic: ")))


@rule("yearzero.panic.check/calmed")
async def calm(scene: Scene, who: Person, stress: int) -> None:
    """Panic is over, and some Stress is gone."""
    await alter(who, Survivor.without_condition, *panic_effects(scene[who]))
    await alter(who, stressed, -stress)
