"""Rest: a Quarter Day in which what was lost comes back; for some people, work that they love is rest."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Annotated, Final

from referee.core import (
    CLOCK,
    Levels,
    Pick,
    Pool,
    Prompt,
    Refused,
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
    refuse,
    roll,
    rows,
    rule,
)
from referee.core.clock import Due, due
from referee.kits.hazards import HazardExposure, exposure_of
from referee.systems.yearzero.activities import check_time, occupy, quarter_days, running
from referee.systems.yearzero.exposure import SLEEPY, begin_exposure, exposed, free_of
from referee.systems.yearzero.harm import DEAD, relievable, relieve, work_off_pain
from referee.systems.yearzero.sheet import Helpers, Person, Survivor, people
from referee.systems.yearzero.trauma import NIGHTMARES, check_trauma, dream

RELIEF: Final = Prompt("relief")
REST_RELIEF: Final = figure("yearzero.stress.relief", "rest", int)
RECOVERY_QD: Final = figure("yearzero.combat.recovery-rest", "time_qd", int)


def check_rest(scene: Scene, who: Person) -> None:
    """Somebody alive who is not busy, or who can sleep in the saddle."""
    if not applying(scene, who).granted("sleep anywhere"):
        check_time(scene, who)
    if DEAD in scene[who].conditions:
        refuse(f"{who} is dead", rule=RECOVERY_QD.rule)


@action("rest", "yearzero.combat.recovery-rest", check=check_rest)
async def rest(scene: Scene, who: Person, sleep: bool = False) -> None:
    """A Quarter Day of rest or sleep begins; in it XP can be spent, and at its end what was lost is recovered."""
    await occupy(who, "resting", quarter_days(scene, scene[RECOVERY_QD]))
    await begin_rest(who, sleep)


@rule("yearzero.combat.recovery-rest/begin")
async def begin_rest(scene: Scene, who: Person, sleep: bool = False) -> None:
    """A Quarter Day that counts as rest begins now; it uses up the pain, as any action does."""
    await work_off_pain(who)
    await change(who, replace(scene[who], resting=scene[CLOCK].now, sleeping=sleep))


@rule("yearzero.combat.recovery-rest/recover", "yearzero.stress.relief")
async def recover(scene: Scene, who: Person) -> None:
    """After a Quarter Day of rest all attributes are whole, except what a condition blocks, and some Stress is gone."""
    if scene[who].sleeping:
        await slept(who)
    blocked = {name for name in scene[who].damage if is_blocked(scene, who, name)}
    kept = {name: lost for name, lost in scene[who].damage.items() if name in blocked}
    await change(who, replace(scene[who], damage=Levels(kept)))
    if scene[who].sleeping and NIGHTMARES in scene[who].conditions:
        await dream(who)
    if relievable(scene, who):
        thrown = await roll(RELIEF, who, Pool.of((number_die(scene[REST_RELIEF]), 1)), Total)
        await relieve(who, thrown.total)
    if scene[who].shaken:
        await check_trauma(who)


@due(Survivor, recover)
def recovering(scene: Scene, who: Person) -> Iterator[Due]:
    """Whoever rests has recovered when the Quarter Day is over."""
    began = scene[who].resting
    at = None if began is None else began + quarter_days(scene, scene[RECOVERY_QD])
    if at is not None and at > scene[CLOCK].now and DEAD not in scene[who].conditions:
        yield Due(recover, at=at)


@rule("yearzero.journeys.sleep")
async def slept(scene: Scene, who: Person) -> None:
    """A Quarter Day of sleep ends sleepiness; how long one has been awake counts anew."""
    counted = exposure_of(scene[who].exposures, SLEEPY) is not None
    await alter(who, free_of, SLEEPY)
    if counted:
        await stay_awake(who)


@rule("yearzero.journeys.sleep/awake", "yearzero.journeys.sleep")
async def stay_awake(scene: Scene, who: Person) -> None:
    """From now on it counts how long somebody has been awake: after a fourth Quarter Day they are sleepy."""
    await begin_exposure(who, HazardExposure(SLEEPY))
    awake = exposure_of(scene[who].exposures, SLEEPY)
    if awake is not None and awake.next is not None:
        await alter(who, exposed, replace(awake, next=awake.next + quarter_days(scene) + 1))


# --- what interrupts it -----------------------------------------------------------------------------------------------


INTERRUPTED: Final = "yearzero.journeys.rest"
CALM_ROLLS: Final = figure(INTERRUPTED, "rolls_of", tuple[str, ...])


def at_rest(scene: Scene, _: object) -> tuple[Person, ...]:
    return tuple(each for each in people(scene) if is_resting(scene, each))


@formula(f"{INTERRUPTED}/resting", "yearzero.journeys.sleep")
def is_resting(scene: Scene, who: Person) -> bool:
    """Whether somebody is in a Quarter Day of rest or sleep."""
    began = scene[who].resting
    return began is not None and scene[CLOCK].now < began + quarter_days(scene, scene[RECOVERY_QD])


@action("interrupt-rest", INTERRUPTED, "yearzero.journeys.sleep", master=True)
async def interrupt(scene: Scene, who: tuple[Annotated[Person, Pick(at_rest)], ...]) -> None:
    """A fight or the like: the Quarter Day counts neither as rest nor as sleep."""
    for each in who:
        await disturb(each)


@rule(f"{INTERRUPTED}/strain", INTERRUPTED)
async def strain(scene: Scene, who: Person, attribute: str) -> None:
    """Whoever does more than roll calmly for Wits or Empathy has not rested."""
    idle = any(each.name == "resting" for each in running(scene, who))
    if idle and is_resting(scene, who) and attribute not in scene[CALM_ROLLS]:
        await disturb(who)


@rule(f"{INTERRUPTED}/disturb", INTERRUPTED)
async def disturb(scene: Scene, who: Person) -> None:
    """Somebody's rest is over, and brings nothing."""
    left = tuple(each for each in scene[who].busy if each.name != "resting")
    await change(who, replace(scene[who], resting=None, sleeping=False, busy=left))


def is_blocked(scene: Scene, who: Person, attribute: str) -> bool:
    """Whether an effect forbids that an attribute recovers."""
    try:
        applying(scene, who, attribute).check_allowed("recover", rule="yearzero.combat.recovery-rest")
    except Refused:
        return True
    return False


# --- work that is rest ------------------------------------------------------------------------------------------------


OTHER: Final = "yearzero.talents.other"


@frozen
class ActivityRow:
    """Something that may be rest for somebody."""

    name: str


ACTIVITIES: Final = rows(OTHER, "activities", ActivityRow)


@formula(f"{OTHER}/rest")
def counts_as_rest(scene: Scene, who: Person, activity: str) -> bool:
    """Whether a Quarter Day of an activity is rest for somebody."""
    return applying(scene, who, scene[ACTIVITIES][activity].name).granted("rest")


@rule(f"{OTHER}/calm")
async def work_a_quarter_day(
    scene: Scene, who: Person, activity: str, rounds: int, beside: str = "", helpers: Helpers = ()
) -> None:
    """An activity of a Quarter Day takes its time; whoever finds calm in it rests meanwhile."""
    await occupy(who, activity, rounds, beside, helpers)
    if counts_as_rest(scene, who, activity):
        await begin_rest(who)
