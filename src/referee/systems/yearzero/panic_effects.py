"""What Panic Effects do to whoever panics, and how fear spreads to those near."""

from __future__ import annotations

from typing import Final

from referee.core import D6, Pool, Prompt, Scene, Total, alter, number_die, roll, rule, tell
from referee.core.effects import Effect, Forbids, lay
from referee.core.rules import rule_named
from referee.core.things import DROPPED
from referee.kits.hazards import Exposure
from referee.systems.yearzero.battle import BATTLE, ROUND_END, comrades
from referee.systems.yearzero.defence import lying
from referee.systems.yearzero.exposure import begin_exposure
from referee.systems.yearzero.gear import rating
from referee.systems.yearzero.ground import friends_near
from referee.systems.yearzero.harm import is_awake, lost, relieve, stressed, suffer
from referee.systems.yearzero.injuries import hit_location, injure
from referee.systems.yearzero.panic import (
    SPREAD,
    SUPPRESSED,
    SUPPRESSION,
    add_stress,
    by_table,
    panic_check,
    suppression_test,
)
from referee.systems.yearzero.panic_tables import EFFECTS_OF, NEAR_M, PANIC_EFFECTS, PanicEffectRow
from referee.systems.yearzero.sheet import STRENGTH, Person, Survivor
from referee.systems.yearzero.weapons import in_hand

PANIC_STRESS: Final = Prompt("panic-stress")
PANIC_ROLLS: Final = Prompt("panic-rolls")
PANIC_ROUNDS: Final = Prompt("panic-rounds")


@rule(f"{EFFECTS_OF}/strike")
async def strike_panic(scene: Scene, who: Person, name: str, skill: str = "") -> None:
    """What a Panic Effect does at once, to oneself and to comrades."""
    row = scene[PANIC_EFFECTS][name]
    await tell("panic-effect", who=who, name=name, rule=EFFECTS_OF)
    await shake(who, row)
    await hamper(who, row)
    await break_things(who, row, skill)
    if row.hazard:
        await begin_exposure(who, Exposure(row.hazard))
    if row.twice:
        for _ in range(2):
            await rule_named(f"{EFFECTS_OF}/again")(who, skill)


@rule(f"{EFFECTS_OF}/again")
async def panic_again(scene: Scene, who: Person, skill: str) -> str:
    """One of two further results; a third would never end, so the highest row counts as the one below it."""
    number = (await roll(AGAIN, who, Pool.of((number_die(8), 1)), Total)).total + scene[who].stress
    return await by_table(who, skill, min(number, MOST_AGAIN))


AGAIN: Final = Prompt("panic")
MOST_AGAIN: Final = 18


@rule(f"{EFFECTS_OF}/stress")
async def shake(scene: Scene, who: Person, row: PanicEffectRow) -> None:
    """Stress for oneself, or less of it, and Stress for those who see it."""
    points = row.stress
    if row.stress_dice:
        points += (await roll(PANIC_STRESS, who, Pool.of((D6, row.stress_dice)), Total)).total
    if points > 0:
        await alter(who, stressed, points)
    elif points < 0:
        await relieve(who, -points)
    if row.allies_stress:
        near = comrades(scene, who) if row.far else friends_near(scene, who, scene[NEAR_M])
        for each in (each for each in near if is_awake(scene[each])):
            await add_stress(each, row.allies_stress)


@rule(f"{EFFECTS_OF}/hamper")
async def hamper(scene: Scene, who: Person, row: PanicEffectRow) -> None:
    """What one drops and loses, what one must do, and what is harder or easier from now on."""
    if row.falls:
        await alter(who, lying)
    if row.drops and (held := in_hand(scene, who)):
        await alter(who, lambda sheet: sheet.with_thing(sheet.thing(held[0].name).at(DROPPED)))
    if row.loses and BATTLE in scene:
        lost_in = 1 if scene[BATTLE].has_slow_ahead(who.name) else 2
        await lay(who, Effect(Forbids("slow action"), until=ROUND_END, times_until=lost_in), source=row.name)
    if row.must:
        must = {"grants": f"must {row.must}", "until": ROUND_END, "times_until": 2, "uses": 1}
        await lay(who, Effect.from_plain(must), source=row.name)
    if row.rolls_die:
        rolls = (await roll(PANIC_ROLLS, who, Pool.of((number_die(row.rolls_die), 1)), Total)).total
        await lay(who, Effect.from_plain({"adds": row.adds, "uses": rolls}), source=row.name)
    if row.flees_die:
        rounds = (await roll(PANIC_ROUNDS, who, Pool.of((number_die(row.flees_die), 1)), Total)).total
        flees = {"forbids": "roll", "when": ["attack"], "until": ROUND_END, "times_until": rounds}
        await lay(who, Effect.from_plain(flees), source=row.name)
    for skill in (*row.next_by_stress, *row.next_fine):
        harder = {"adds": -scene[who].stress, "when": [skill], "uses": 1}
        await lay(who, Effect.from_plain(harder), source=row.name)


@rule(f"{EFFECTS_OF}/break")
async def break_things(scene: Scene, who: Person, row: PanicEffectRow, skill: str) -> None:
    """What one handles breaks or wears, or one is hurt, in a way no armor helps against."""
    for item in in_hand(scene, who)[:1] if row.breaks else ():
        await alter(who, Survivor.with_thing, item.worn(rating(scene, item), row.breaks))
    if not (row.harm or row.breaks_down):
        return
    before, stress = scene[who].now(STRENGTH), scene[who].stress
    points = before if row.breaks_down else row.harm
    await suffer(who, points, STRENGTH)
    if before and not scene[who].now(STRENGTH):
        await injure(who, await hit_location(who), "blunt", halved=row.halves)
    await panic_check(who, stress, lost(scene, who, STRENGTH, before > 0))


@rule(f"{SUPPRESSION}/spread")
async def spread_suppression(scene: Scene, who: Person, met: tuple[Person, ...] = ()) -> None:
    """Every comrade near who sees it must keep calm as well, each once for one event."""
    near = tuple(
        each
        for each in friends_near(scene, who, scene[SPREAD])
        if each not in met and is_awake(scene[each]) and SUPPRESSED not in scene[each].conditions
    )
    tested = (*met, who, *near)
    for each in near:
        await suppression_test(each, tested)
