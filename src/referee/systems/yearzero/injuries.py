"""Critical injuries: when one is rolled, which, how long one has, and how long it lasts."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from referee.core import (
    D6,
    YES,
    Pool,
    Prompt,
    Scene,
    Total,
    alter,
    figure,
    figures,
    formula,
    frozen,
    number_die,
    offer,
    roll,
    rows,
    rule,
    set_deadline,
    tell,
)
from referee.kits.wounds import TimeSpan, how_long, new_wound
from referee.systems.yearzero.boosts import healing_days, lower_of_two
from referee.systems.yearzero.harm import suffer
from referee.systems.yearzero.injury_tables import PERMANENT, TABLES, InjuryRow, Wounding
from referee.systems.yearzero.sheet import Injury, Person, Survivor

REROLL: Final = "yearzero.core.willpower-reroll-critical"

LOCATION: Final = Prompt("location")
CRITICAL: Final = Prompt("critical")
CRITICAL_AGAIN: Final = Prompt("critical-again")
LIMIT: Final = Prompt("time-limit")
HEALING: Final = Prompt("healing-time")
DEAD: Final = "dead"


@frozen
class LocationRow:
    """A part of the body, and the table of injuries for it."""

    name: str
    table: str


HIT_LOCATIONS: Final = rows("yearzero.combat.hit-location", "d6", LocationRow, by=("from", "to"))
REROLL_COST: Final = figure(REROLL, "wp", int)


@figures("yearzero.injuries.critical-roll")
class CriticalRoll:
    """The die, what is taken off it, what each point beyond breaking adds, and its bounds."""

    sides: int
    modifier: int
    per_excess_point: int
    min: int
    max: int


@rule("yearzero.combat.hit-location")
async def hit_location(scene: Scene, who: Person, called: str = "") -> str:
    """Where a blow lands: where it was aimed, or by a die."""
    if called:
        return called
    thrown = await roll(LOCATION, who, Pool.of((D6, 1)), Total)
    return scene[HIT_LOCATIONS].at(thrown.total).table


@formula("yearzero.injuries.critical-roll")
def critical_result(scene: Scene, pips: int, excess: int) -> int:
    """The die less two, and two more for each point beyond what was needed to break."""
    figures_ = scene[CriticalRoll]
    return max(figures_.min, min(figures_.max, pips + figures_.modifier + figures_.per_excess_point * excess))


@rule("yearzero.injuries.critical-trigger", "yearzero.injuries.critical-roll")
async def injure(
    scene: Scene, who: Person, location: str, kind: Wounding, excess: int = 0, by: Person | None = None
) -> str:
    """A critical injury by location and kind of damage; the victim may pay for another throw, which then stands."""
    die = Pool.of((number_die(scene[CriticalRoll].sides), 1))
    pips = (await roll(CRITICAL, who, die, Total)).total
    pips = await lower_of_two(who, pips, scene[CriticalRoll].sides, "suffering")
    pips = pips if by is None else await lower_of_two(by, pips, scene[CriticalRoll].sides, "inflicting")
    if scene[who].willpower >= scene[REROLL_COST] and await offer(who, CRITICAL_AGAIN, YES):
        pips = await throw_again(who)
    table = TABLES[location, kind]
    row = scene[table].at(critical_result(scene, pips, excess))
    await tell("injury", who=who, name=row.name, rule=table.rule)
    await receive(who, row, table.rule)
    return row.name


@rule(REROLL, "yearzero.injuries.reroll")
async def throw_again(scene: Scene, who: Person) -> int:
    """Willpower pays for another throw, once for each injury; it stands even if it is worse."""
    await alter(who, paying_willpower, scene[REROLL_COST], rule="yearzero.injuries.reroll")
    return (await roll(CRITICAL_AGAIN, who, Pool.of((number_die(scene[CriticalRoll].sides), 1)), Total)).total


def paying_willpower(sheet: Survivor, points: int) -> Survivor:
    return replace(sheet, willpower=sheet.willpower - points)


@rule("yearzero.injuries.lethal", "yearzero.injuries.healing-time")
async def receive(scene: Scene, who: Person, row: InjuryRow, table: str) -> None:
    """An injury is taken: its time limit and its days of healing are rolled at once; without a limit it kills."""
    from referee.systems.yearzero.time import units

    if row.lethal and not row.limit:
        await alter(who, Survivor.with_condition, DEAD)
        return
    permanent = row.heal_days == PERMANENT
    injury = new_wound(
        scene[who].injuries, Injury(row.name, "", table, row.limit, lethal_dm=row.lethal_dm, permanent=permanent)
    )
    await alter(who, Survivor.with_injury, injury)
    sizes = {each.name: each.size for each in units(scene)}
    sizes |= {f"{name}s": size for name, size in sizes.items()} | {"QD": sizes["quarter day"]}
    if row.limit:
        after = await how_long(scene, who, LIMIT, TimeSpan.from_plain(row.limit), sizes)
        await set_deadline(after, who, limit_passed, about=injury.name)
    if row.heal_days and not permanent:
        rolled = await how_long(scene, who, HEALING, TimeSpan.from_plain(f"{row.heal_days} days"), sizes)
        days = healing_days(scene, who, rolled // sizes["day"])
        await set_deadline(days * sizes["day"], who, healed, about=injury.name)


@rule("yearzero.injuries.lethal/limit")
async def limit_passed(scene: Scene, who: Person, about: str) -> None:
    """The time limit of a lethal injury has passed: a death save is due, unless it was stabilised."""
    injury = next((each for each in scene[who].injuries if each.name == about), None)
    if injury is not None and injury.limit and not injury.treated:
        await tell("death-save-due", who=who, name=about, rule="yearzero.injuries.lethal")


@rule("yearzero.injuries.healing-time/healed")
async def healed(scene: Scene, who: Person, about: str) -> None:
    """An injury has healed."""
    if any(each.name == about for each in scene[who].injuries):
        await alter(who, Survivor.without_injury, about)


@rule("yearzero.injuries.further-damage/strain")
async def strain(scene: Scene, who: Person) -> None:
    """An injury that hurts with every such roll does a point of damage."""
    await suffer(who, 1)


@rule("yearzero.injuries.lethal/reopen")
async def reopen(scene: Scene, who: Person) -> None:
    """A strain opens a wound again: whatever was stabilised is in danger once more."""
    opened = tuple(replace(each, treated=False) if each.limit else each for each in scene[who].injuries)
    await alter(who, with_injuries, opened)


def with_injuries(sheet: Survivor, injuries: tuple[Injury, ...]) -> Survivor:
    return replace(sheet, injuries=injuries)
