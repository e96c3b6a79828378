"""Long-term trauma: what panic leaves behind, how it heals, and what therapy does for it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from referee.core import (
    CLOCK,
    Bands,
    Effect,
    Mod,
    Mods,
    Pool,
    Prompt,
    Scene,
    Total,
    action,
    alter,
    choose,
    figure,
    figures,
    formula,
    number_die,
    refuse,
    roll,
    rule,
    tell,
)
from referee.core.clock import Due, due
from referee.core.effects import Forbids
from referee.core.modifiers import Itemised
from referee.kits.wounds import TimeSpan, how_long
from referee.systems.yearzero.activities import (
    check_free,
    dawn_of,
    day_of,
    lay_for,
    lock,
    locked,
    occupy,
    quarter_days,
    span,
)
from referee.systems.yearzero.dice import DicePool, PoolThrow
from referee.systems.yearzero.effects import OUTCOME, Outcome
from referee.systems.yearzero.harm import check_able
from referee.systems.yearzero.injury_tables import TRAUMAS
from referee.systems.yearzero.panic import add_stress
from referee.systems.yearzero.panic_tables import PANIC
from referee.systems.yearzero.rolls import NO_ACTION, Attempt, RolledPool, roll_skill, throw_dice
from referee.systems.yearzero.sheet import EMPATHY, WITS, Helpers, Person, Survivor
from referee.systems.yearzero.skills import AwakeOther, Gear, plain
from referee.systems.yearzero.time import units

CHECK: Final = "yearzero.trauma.check"
HEALING: Final = "yearzero.trauma.healing"
TRAUMA: Final = Prompt("trauma")
WEEKS: Final = Prompt("trauma-weeks")
NIGHTMARES: Final = "Nightmares"
ENDING: Final = ("Unconscious", "suppressed", "heart attack", "intoxicated")
"""Conditions that are over by themselves and are no Trauma Effects."""


@figures(CHECK)
class TraumaFigures:
    """The die of a trauma, and what each roll of it adds to the next."""

    die: int
    trauma_points_gained: int


# --- what panic leaves behind -----------------------------------------------------------------------------------------


@rule(f"{CHECK}/attribute", CHECK)
async def bare_attribute(scene: Scene, who: Person, attribute: str) -> RolledPool:
    """A roll of the dice of an attribute, which nothing else changes."""
    dice = scene[who].now(attribute)
    attempt = Attempt(attribute=attribute, tags=(NO_ACTION,), surplus=False, while_broken=True)
    own = Itemised((Mod(dice, attribute, CHECK),))
    return await throw_dice(who, PoolThrow(DicePool(dice), attribute, False, None, 1), attempt, 0, (), own)


HAUNTED: Final[Bands[str]] = Bands(of=lambda found: "trauma" if found else "unharmed", keys=("unharmed", "trauma"))


@rule(CHECK, bands=HAUNTED)
async def check_trauma(scene: Scene, who: Person) -> str:
    """At the next rest after a shattering panic: Wits and Empathy; whoever fails Wits keeps a trauma."""
    await alter(who, unshaken)
    wits = await bare_attribute(who, WITS)
    _ = await bare_attribute(who, EMPATHY)
    return "" if wits.success else await keep_trauma(who)


@rule(f"{CHECK}/trauma", "yearzero.trauma.points", "yearzero.trauma.table")
async def keep_trauma(scene: Scene, who: Person, for_good: bool = False) -> str:
    """A D12 and the Trauma Points; one that somebody has already becomes the next higher."""
    row, table = scene[TraumaFigures], scene[TRAUMAS]
    thrown = (await roll(TRAUMA, who, Pool.of((number_die(row.die), 1)), Total)).total
    result = min(len(table), thrown + scene[who].trauma_points)
    while table.at(result).name in scene[who].conditions and result < len(table):
        result += 1
    name, weeks = table.at(result).name, table.at(result).weeks
    more = scene[who].trauma_points + row.trauma_points_gained
    await alter(who, with_trauma_points, more, rule="yearzero.trauma.points")
    if for_good:
        await alter(who, Survivor.with_condition, name)
    else:
        rounds = await how_long(scene, who, WEEKS, TimeSpan.from_plain(f"{weeks} weeks"), sizes(scene))
        await alter(who, Survivor.with_condition_until, name, scene[CLOCK].now + rounds)
    await tell("trauma", who=who, name=name, rule="yearzero.trauma.table")
    return name


def with_trauma_points(sheet: Survivor, points: int) -> Survivor:
    return replace(sheet, trauma_points=points)


def unshaken(sheet: Survivor) -> Survivor:
    return replace(sheet, shaken=False)


def sizes(scene: Scene) -> dict[str, int]:
    return {each.name: each.size for each in units(scene)}


# --- how it heals -----------------------------------------------------------------------------------------------------


@figures(HEALING)
class TraumaHealing:
    """How a trauma heals by itself, how somebody helps, what a day of that is worth, and what pushing it costs."""

    calm: str
    tries_every_weeks: int
    time_qd: int
    specialty: str
    psychology: str
    weeks_off_per_day: int
    per_pushed_bane: int


@formula("yearzero.trauma.table/heals")
def traumas(scene: Scene, who: Person) -> tuple[str, ...]:
    """Somebody's Trauma Effects that are healing."""
    sheet = scene[who]
    named = (name for name in sheet.condition_ends if name in sheet.conditions and name not in ENDING)
    return tuple(name for name in named if not name.startswith(PANIC))


HEALED: Final[Bands[bool]] = Bands(of=lambda well: "healed" if well else "lasts", keys=("healed", "lasts"))


@rule("yearzero.trauma.table/heals", HEALING, bands=HEALED)
async def trauma_heals(scene: Scene, who: Person, about: str) -> bool:
    """Once its time has passed, Calm ends a Trauma Effect; whoever fails tries again in a week."""
    calm = Attempt("Insight", scene[TraumaHealing].calm, tags=("calm", NO_ACTION), surplus=False, while_broken=True)
    if (await roll_skill(who, calm)).success:
        await alter(who, Survivor.without_condition, about)
        return True
    again = scene[CLOCK].now + span(scene, scene[TraumaHealing].tries_every_weeks, "week")
    await alter(who, Survivor.with_condition_until, about, again)
    return False


@due(Survivor, trauma_heals)
def traumas_heal(scene: Scene, who: Person) -> Iterator[Due]:
    """A Trauma Effect may heal at its time."""
    for name in traumas(scene, who):
        yield Due(trauma_heals, at=scene[who].end_of(name), about=name)


@rule("yearzero.insight.meditation-effects/trauma")
async def ease_trauma(scene: Scene, who: Person) -> None:
    """A Trauma Effect heals in half its time."""
    healing = traumas(scene, who)
    if not healing:
        refuse(f"{who} has no Trauma Effect that heals")
    which = await choose(who, TRAUMA, healing)
    now, at = scene[CLOCK].now, scene[who].condition_ends[which]
    await alter(who, Survivor.with_condition_until, which, now + -(-(at - now) // 2))


def psychology(scene: Scene, who: Person) -> Mods:
    """What somebody who has learned Psychology adds to talking with one person."""
    name = scene[TraumaHealing].psychology
    level = scene[who].specialties.get(f"Scholar: {name}", 0)
    return (Mod(level, name, HEALING),) if level else ()


def check_haunted(scene: Scene, who: Person, target: Person) -> None:
    """Somebody with a trauma that heals, once a day."""
    check_free(scene, who)
    if not traumas(scene, target):
        refuse(f"{target} has no Trauma Effect that heals", rule=HEALING)
    if locked(scene, target, "therapy"):
        refuse(f"{target} has had therapy today", rule=HEALING)


@action("therapy", f"{HEALING}/therapy", HEALING, bands=OUTCOME, check=check_haunted, turn=check_able)
async def treat_trauma(
    scene: Scene, who: Person, target: AwakeOther, gear: Gear = "", mods: Mods = (), helpers: Helpers = ()
) -> Outcome:
    """A Quarter Day of talking: a day with a success takes a week off the trauma. Pushing it hurts who listens."""
    row = scene[TraumaHealing]
    which = await choose(who, TRAUMA, traumas(scene, target))
    await lock(target, "therapy", dawn_of(scene, day_of(scene) + 1))
    await occupy(who, f"therapy with {target}", quarter_days(scene, row.time_qd), helpers=helpers)
    own = (*mods, *psychology(scene, who))
    rolled = await roll_skill(who, Attempt("Influence", row.specialty, gear, own, helpers, tags=("social",)))
    if rolled.base_banes:
        points = scene[who].trauma_points + rolled.base_banes * row.per_pushed_bane
        await alter(who, with_trauma_points, points, rule="yearzero.trauma.points")
    if rolled.success:
        sooner = scene[target].condition_ends[which] - span(scene, row.weeks_off_per_day, "week")
        await alter(target, Survivor.with_condition_until, which, max(scene[CLOCK].now, sooner))
    return plain(rolled)


# --- nights -----------------------------------------------------------------------------------------------------------


BLOCKED_DAYS: Final = figure("yearzero.stress.relief", "nightmare_blocks_days", int)


@rule("yearzero.trauma.table/nightmare", "yearzero.trauma.table")
async def dream(scene: Scene, who: Person) -> None:
    """Whoever feels too much dreams: a success of Empathy is Stress, and nothing relieves it for a day."""
    _ = scene[TRAUMAS][NIGHTMARES]
    if (await bare_attribute(who, EMPATHY)).success:
        rounds = span(scene, scene[BLOCKED_DAYS], "day")
        await lay_for(who, Effect(Forbids("relief")), rounds, NIGHTMARES, "yearzero.trauma.table")
        await add_stress(who, 1)
