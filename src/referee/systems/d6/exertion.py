"""What tires people: going without sleep, running, carrying, long fights."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Annotated, Final, TypeAlias

from referee.core import (
    CLOCK,
    Scene,
    action,
    advance_clock,
    alter,
    applying,
    figure,
    figures,
    formula,
    frozen,
    option,
    refuse,
    rows,
    rule,
    suggest,
    tell,
)
from referee.core.clock import Due, due
from referee.systems.d6.codes import own_code
from referee.systems.d6.combat.reach import check_not_locked, check_not_prone
from referee.systems.d6.hazards import (
    CARRYING,
    COMBAT,
    RUNNING,
    SLEEP,
    HazardOutcome,
    LongCombat,
    Victim,
    apply_outcome,
    endure,
    face,
    spanned,
    stop,
)
from referee.systems.d6.health import (
    ASLEEP,
    SLEPT_OUT,
    tire,
    unconscious_by,
    wake_up,
    wakes_at,
)
from referee.systems.d6.resolution import check_able, check_skilled
from referee.systems.d6.sheet import PIPS_PER_DIE, Hazard, Hero, Person, Recovery
from referee.systems.d6.time import rounds_of
from referee.systems.d6.work import check_no_fight
from referee.systems.d6.zones import check_legs_carry_fast

Companions: TypeAlias = tuple[Victim, ...]
"""Who rests at the same time."""


def check_hours(scene: Scene, _: object, hours: int) -> None:
    if hours < 1:
        refuse("a sleep takes some time", what=f"{hours} hours", rule="d6.health.lack-of-sleep", legal=("1 or more",))


# --- sleep ------------------------------------------------------------------------------------------------------------


@frozen
class SleepRow:
    """A stretch without sleep: after how many half periods, what must be rolled, and what it brings."""

    name: str
    halves: int
    difficulty: int
    failed: HazardOutcome
    passed: HazardOutcome


@figures("d6.health.lack-of-sleep")
class Sleep:
    """How long a period is at most, what counts as sleep, and what an hour of it is worth."""

    max_period_hours: int
    min_sleep_hours: int
    recovery_per_hour: int


HOUR_NEEDED: Final = "hour of sleep needed"
SLEEPLESS: Final = rows("d6.health.lack-of-sleep", "rows", SleepRow)


def half_period(scene: Scene, hours: int) -> int:
    """Half a period in rounds: the last sleep, but at most eight hours."""
    return rounds_of(scene, min(hours, scene[Sleep].max_period_hours), "hour") // 2


@formula("d6.health.lack-of-sleep/counted", "d6.health.lack-of-sleep", "d6.flaws.physical-e-w")
def hours_counted(scene: Scene, who: Person, slept: int) -> int:
    """The hours that a sleep counts as: fewer for those who need more."""
    return max(0, slept - applying(scene, who).extra(HOUR_NEEDED))


@action("wake-through", "d6.health.lack-of-sleep", master=True)
async def go_without_sleep(scene: Scene, victim: Victim, slept: Annotated[int, suggest(8, 6, 4)] = 8) -> None:
    """Somebody goes without sleep after one of so many hours: the longer, the harder to stay awake."""
    if (counted := hours_counted(scene, victim, slept)) < scene[Sleep].min_sleep_hours:
        least = applying(scene, victim).extra(HOUR_NEEDED) + scene[Sleep].min_sleep_hours
        refuse(f"a sleep is at least {least} hour{'s' if least > 1 else ''} long")
    first = scene[SLEEPLESS].names[0]
    half = half_period(scene, counted)
    hazard = Hazard(SLEEP, SLEEP, scene[SLEEPLESS].look(first).difficulty, period=half)
    await face(victim, hazard, scene[SLEEPLESS].look(first).halves * half)


@rule("d6.health.lack-of-sleep/due", "d6.health.lack-of-sleep")
async def sleep_due(scene: Scene, who: Person, hazard: Hazard) -> None:
    """Each stretch has its own roll; the figures of fatigue are totals. In the end one sleeps, wanting to or not."""
    names = scene[SLEEPLESS].names
    row = scene[SLEEPLESS][names[min(hazard.rolls, len(names) - 1)]]
    endured = await endure(who, row.difficulty, SLEEP)
    outcome = row.passed if endured.passed else row.failed.times(endured.times)
    if outcome.fatigue > scene[who].fatigue.get(SLEEP, 0):
        await tire(who, SLEEP, outcome.fatigue)
    if outcome.sleep:
        now = scene[CLOCK].now
        await alter(who, Hero.free_of, SLEEP)
        await alter(who, unconscious_by, ASLEEP, now, now + outcome.sleep * hazard.period * 2)
        return
    following = scene[SLEEPLESS].look(names[min(hazard.rolls + 1, len(names) - 1)])
    await face(
        who, replace(hazard, rolls=hazard.rolls + 1, difficulty=following.difficulty), following.halves * hazard.period
    )


@rule(SLEPT_OUT, "d6.health.lack-of-sleep")
async def slept_out(scene: Scene, who: Person) -> None:
    """Whoever fell asleep wakes up, rested by as many dice as hours have passed."""
    out = scene[who].unconscious
    if out is not None:
        await rested(who, (scene[CLOCK].now - out.since) // rounds_of(scene, 1, "hour"))
        await wake_up(who)


@due(Hero, slept_out)
def asleep(scene: Scene, who: Person) -> Iterator[Due]:
    """Whoever fell asleep for want of it wakes when they have slept enough."""
    out = scene[who].unconscious
    if out is not None and out.cause == ASLEEP and (until := wakes_at(scene, who)) is not None:
        yield Due(slept_out, at=until)


@rule("d6.health.lack-of-sleep/rested", "d6.health.lack-of-sleep")
async def rested(scene: Scene, who: Person, hours: int) -> None:
    """An hour of sleep takes away a die of fatigue that came from the lack of it."""
    left = scene[who].fatigue.get(SLEEP, 0) - hours_counted(scene, who, hours) * scene[Sleep].recovery_per_hour
    await tire(who, SLEEP, max(0, left))


@action(
    "sleep",
    "d6.health.lack-of-sleep/sleep",
    "d6.health.lack-of-sleep",
    check=(check_no_fight, check_hours),
    master=True,
)
async def sleep(
    scene: Scene, victim: Victim, hours: Annotated[int, suggest(8, 6, 4, 2, 1)], companions: Companions = ()
) -> None:
    """Somebody sleeps so many hours: fatigue goes, and a new period begins if it is an hour at least.

    Others may sleep at the same time.
    """
    for each in (victim, *companions):
        await rested(each, hours)
        if hours_counted(scene, each, hours) >= scene[Sleep].min_sleep_hours:
            await alter(each, Hero.free_of, SLEEP)
    await advance_clock(rounds_of(scene, hours, "hour"))


# --- efforts ----------------------------------------------------------------------------------------------------------


@frozen
class SpeedRow:
    """How often somebody at this speed rolls, and how much harder it gets."""

    name: str
    period: str
    increment: int


@frozen
class CarryRow:
    """How often carrying tires, by the margin of the Lifting roll."""

    name: str
    period: str


SPEEDS: Final = rows("d6.health.running", "speeds", SpeedRow)
START_DIFFICULTY: Final = figure("d6.health.running", "start_difficulty", int)
RUN_FAILED: Final = figure("d6.health.running", "failed", HazardOutcome)
CARRYING_ROWS: Final = rows("d6.health.lifting-fatigue", "rows", CarryRow, by=("min", "max"))


Speed: TypeAlias = Annotated[str, SPEEDS]


def check_legs(scene: Scene, who: Person) -> None:
    """It takes legs to run."""
    applying(scene, who).check_allowed("walk", rule="d6.flaws.physical-e-w")


def check_runs(scene: Scene, who: Person) -> None:
    """Somebody who is Neutralized only drags oneself along; nobody runs in a grapple, prone, or on a bad leg."""
    check_skilled(scene, who)
    check_not_prone(scene, who)
    check_legs_carry_fast(scene, who)
    check_not_locked(scene, who)


def check_speed(scene: Scene, who: Person, speed: str) -> None:
    """At cautious speed somebody walks."""
    if spanned(scene, scene[SPEEDS][speed].period):
        check_runs(scene, who)


@action("run", "d6.health.running", "d6.flaws.physical-e-w", turn=check_able, check=(check_legs, check_speed))
async def run(scene: Scene, who: Person, speed: Speed) -> None:
    """Somebody runs at a speed: after each period at it Stamina is rolled. At cautious speed nobody tires."""
    period = spanned(scene, scene[SPEEDS][speed].period)
    if not period:
        await stop(who, RUNNING)
        return
    before = scene[who].hazard(RUNNING)
    difficulty = before.difficulty if before else scene[START_DIFFICULTY]
    await face(who, Hazard(RUNNING, RUNNING, difficulty, period=period), period)


@rule("d6.health.running/due", "d6.health.running")
async def run_due(scene: Scene, who: Person, hazard: Hazard) -> None:
    """A success makes the next roll harder, a failure costs a die of fatigue."""
    endured = await endure(who, hazard.difficulty, "fatigue")
    if not endured.passed:
        await apply_outcome(who, RUNNING, scene[RUN_FAILED].times(endured.times))
    harder = increment(scene, hazard) if endured.passed else 0
    await face(who, replace(hazard, difficulty=hazard.difficulty + harder, rolls=hazard.rolls + 1), hazard.period)


def increment(scene: Scene, hazard: Hazard) -> int:
    """How much harder running gets at the speed whose period this is; of any other nothing is said."""
    return next((row.increment for row in scene[SPEEDS] if spanned(scene, row.period) == hazard.period), 0)


def check_ran(scene: Scene, who: object, victim: Person, companions: tuple[Person, ...]) -> None:
    for each in (victim, *companions):
        if scene[each].hazard(RUNNING) is None:
            refuse(f"{each} has not been running")


def check_periods(scene: Scene, who: object, periods: int) -> None:
    if periods < 1:
        refuse("a rest takes at least one period", legal=("1 or more",))


@action(
    "rest", "d6.health.running/rest", "d6.health.running", check=(check_no_fight, check_ran, check_periods), master=True
)
async def rest_from_running(
    scene: Scene, victim: Victim, periods: Annotated[int, suggest(1, 2, 3)] = 1, companions: Companions = ()
) -> None:
    """Each rest as long as the time between rolls makes the next one easier; at the lowest, fatigue is gone.

    Others may rest at the same time, each from their own run.
    """
    hazard = scene[victim].hazard(RUNNING)
    if hazard is None:
        return
    rounds = periods * hazard.period
    for each in (victim, *companions):
        await rested_from_run(each, rounds)
    await advance_clock(rounds)


@rule("d6.health.running/rested", "d6.health.running")
async def rested_from_run(scene: Scene, victim: Person, rounds: int) -> None:
    """Somebody has rested from a run for so many rounds."""
    hazard = scene[victim].hazard(RUNNING)
    if hazard is None or not hazard.period:
        return
    periods = rounds // hazard.period
    eased = max(scene[START_DIFFICULTY], hazard.difficulty - periods * increment(scene, hazard))
    if eased == scene[START_DIFFICULTY]:
        await alter(victim, Hero.free_of, RUNNING)
        await tire(victim, RUNNING, 0)
    else:
        await alter(victim, Hero.facing, replace(hazard, difficulty=eased, resting=True))


def check_lifted(scene: Scene, who: Person, margin: int) -> None:
    """What was not lifted is not carried."""
    if margin < 0:
        refuse("what was not lifted is not carried", what=f"a margin of {margin}", legal=("0 or more",))


@action("carry", "d6.health.lifting-fatigue", turn=check_able, check=(check_skilled, check_lifted))
async def carry(scene: Scene, who: Person, margin: Annotated[int, suggest(0, 3, 6, 9, 12, 15)]) -> None:
    """Somebody carries something heavy, lifted by such a margin: it tires the sooner the less the margin was."""
    period = spanned(scene, scene[CARRYING_ROWS].at(margin).period)
    if period:
        await face(who, Hazard(CARRYING, CARRYING, 0, period=period), period)


@rule("d6.health.lifting-fatigue/due", "d6.health.lifting-fatigue")
async def carry_due(scene: Scene, who: Person, hazard: Hazard) -> None:
    """A die of fatigue for each period."""
    await apply_outcome(who, CARRYING, HazardOutcome(fatigue=1))
    if scene[DROPS] and is_too_tired(scene, who):
        await put_load_down(who, hazard)
        return
    await face(who, replace(hazard, rolls=hazard.rolls + 1), hazard.period)


DROPS: Final = option("d6.skills.lifting-fatigue")
REST_FACTOR: Final = figure("d6.skills.lifting-fatigue", "rest_factor_after_drop", int)


@formula("d6.skills.lifting-fatigue")
def is_too_tired(scene: Scene, who: Person) -> bool:
    """Whether fatigue from carrying is more than one's Stamina."""
    stamina, per_die = own_code(scene, who, "Stamina"), scene[PIPS_PER_DIE]
    return scene[who].fatigue.get(CARRYING, 0) * per_die > stamina.in_pips(per_die)


@rule("d6.skills.lifting-fatigue")
async def put_load_down(scene: Scene, who: Person, hazard: Hazard) -> None:
    """Whoever is too tired has to put the load down, and rests twice as long for each die."""
    rest = max(1, hazard.period * (hazard.rolls + 1)) * scene[REST_FACTOR]
    await alter(who, Hero.free_of, hazard.name)
    await alter(who, Hero.recovering, Recovery(CARRYING, rest, scene[CLOCK].now + rest))
    await tell("puts-load-down", who=who)


@action("fight-on", "d6.health.long-combat", master=True)
async def fight_on(scene: Scene, victim: Victim, ranged: bool = False) -> None:
    """A fight begins that exhausts: every so many rounds Stamina is rolled, half as often at a distance."""
    of = scene[LongCombat]
    period = of.period_rounds * (of.ranged_factor if ranged else 1)
    await face(victim, Hazard(COMBAT, COMBAT, of.difficulty, period=period), period)


@rule("d6.health.long-combat/due", "d6.health.long-combat")
async def combat_due(scene: Scene, who: Person, hazard: Hazard) -> None:
    """A success makes the next roll harder, a failure costs a die of fatigue."""
    endured = await endure(who, hazard.difficulty, "fatigue")
    if not endured.passed:
        await apply_outcome(who, COMBAT, HazardOutcome(fatigue=scene[LongCombat].fatigue * endured.times))
    harder = scene[LongCombat].increment if endured.passed else 0
    await face(who, replace(hazard, difficulty=hazard.difficulty + harder, rolls=hazard.rolls + 1), hazard.period)
