"""Critical injuries: when one is rolled, which, how long one has, and how long it lasts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from referee.core import (
    CLOCK,
    D6,
    YES,
    Bands,
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
    settled,
    tell,
)
from referee.core.clock import Due, due
from referee.core.rulebook import RowsOf
from referee.core.rules import rule_named
from referee.kits.wounds import TimeSpan, how_long, new_wound
from referee.systems.yearzero.boosts import healing_days, lower_of_two
from referee.systems.yearzero.harm import DEAD, die, fallen
from referee.systems.yearzero.injury_tables import PERMANENT, TABLES, InjuryRow, Wounding, printed_in
from referee.systems.yearzero.sheet import Injury, Person, Survivor
from referee.systems.yearzero.time import units

REROLL: Final = "yearzero.core.willpower-reroll-critical"

HEAD: Final = "Head"
MILDEST: Final = figure("yearzero.combat.sacrifice-helmet", "result", int)
LOCATION: Final = Prompt("location")
CRITICAL: Final = Prompt("critical")
CRITICAL_AGAIN: Final = Prompt("critical-again")
LIMIT: Final = Prompt("time-limit")
HEALS_IN: Final = Prompt("heals-in")


@frozen
class LocationRow:
    """A part of the body, and the table of injuries for it."""

    name: str
    table: str


HIT_LOCATIONS: Final = rows("yearzero.combat.hit-location", "d6", LocationRow, by=("from", "to"))
REROLL_COST: Final = figure(REROLL, "wp", int)
MOST_REROLLS: Final = figure(REROLL, "max_rerolls_per_injury", int)
BINDING: Final = figure("yearzero.injuries.reroll", "binding", bool)
LETHAL_DM: Final = figure("yearzero.injuries.lethal", "lethal_dm", int)


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
def critical_result(scene: Scene, pips: int, excess: int, halved: bool = False) -> int:
    """The die less two, and two more for each point beyond what was needed to break; after an accident half of it."""
    figures_ = scene[CriticalRoll]
    found = max(figures_.min, min(figures_.max, pips + figures_.modifier + figures_.per_excess_point * excess))
    return (found + 1) // 2 if halved else found


@frozen
class Suffered:
    """A critical injury that somebody has, and whether it may kill them."""

    name: str
    lethal: bool


SUFFERED: Final[Bands[Suffered]] = Bands(
    of=lambda injury: "lethal-injury" if injury.lethal else "injury", keys=("injury", "lethal-injury")
)


@rule("yearzero.injuries.critical-trigger", "yearzero.injuries.critical-roll", bands=SUFFERED)
async def injure(
    scene: Scene,
    who: Person,
    location: str,
    kind: Wounding,
    excess: int = 0,
    by: Person | None = None,
    halved: bool = False,
) -> Suffered:
    """A critical injury by location and kind of damage; the victim may pay for another throw, which then stands."""
    die = Pool.of((number_die(scene[CriticalRoll].sides), 1))
    pips = (await roll(CRITICAL, who, die, Total)).total
    pips = await lower_of_two(who, pips, scene[CriticalRoll].sides, "suffering")
    pips = pips if by is None else await lower_of_two(by, pips, scene[CriticalRoll].sides, "inflicting")
    for _ in range(scene[MOST_REROLLS]):
        if scene[who].willpower < scene[REROLL_COST] or not await offer(who, CRITICAL_AGAIN, YES):
            break
        again = await throw_again(who)
        pips = again if scene[BINDING] else min(pips, again)
    table = TABLES[location, kind]
    row = scene[table].at(critical_result(scene, pips, excess, halved))
    if location == HEAD and await rule_named("yearzero.combat.sacrifice-helmet")(who):
        table = TABLES[HEAD, "blunt"]
        row = scene[table].at(scene[MILDEST])
    return await settled(Suffered(row.name, row.lethal), then=begin_injury(who, row, table.rule))


@rule("yearzero.injuries.critical-trigger/begin")
async def begin_injury(scene: Scene, who: Person, row: InjuryRow, table: str) -> None:
    """What an injury does to somebody, and to those who see it."""
    await tell("injury", who=who, name=row.name, rule=table)
    await receive(who, row, table)
    if DEAD not in scene[who].conditions:
        await rule_named("yearzero.panic.triggers/witness")(who, "injury", "", row.lethal)


@rule(REROLL, "yearzero.injuries.reroll")
async def throw_again(scene: Scene, who: Person) -> int:
    """Willpower pays for another throw, once for each injury; it stands even if it is worse."""
    await alter(who, Survivor.spending, scene[REROLL_COST], rule="yearzero.injuries.reroll")
    return (await roll(CRITICAL_AGAIN, who, Pool.of((number_die(scene[CriticalRoll].sides), 1)), Total)).total


@rule("yearzero.injuries.critical-trigger/receive")
async def receive(scene: Scene, who: Person, row: InjuryRow, table: str) -> None:
    """An injury of a table is taken; one that is lethal without a time limit kills."""
    if row.lethal and not row.limit:
        await die(who, injured=True)
        return
    if row.falls:
        await alter(who, fallen, True, False)
    permanent = row.heal_days == PERMANENT
    harder = scene[LETHAL_DM] if row.lethal_dm else 0
    injury = Injury(row.name, "", table, row.limit, lethal_dm=harder, permanent=permanent)
    if permanent:
        injury = festering(scene, injury, scene[WoundInfection].permanent_counts)
    await take_injury(who, new_wound(scene[who].injuries, injury), "" if permanent else row.heal_days)


@rule("yearzero.injuries.lethal", "yearzero.injuries.healing-time")
async def take_injury(scene: Scene, who: Person, injury: Injury, days: str = "") -> None:
    """When a death save is due, and when the injury heals, is rolled as it is taken."""
    if injury.limit:
        limit = TimeSpan.from_plain(injury.limit)
        rounds = await how_long(scene, who, LIMIT, limit, sizes(scene))
        injury = replace(injury, limit=f"{rounds // limit.size(sizes(scene))} {limit.unit}", since=scene[CLOCK].now)
    if days:
        span = await how_long(scene, who, HEALS_IN, TimeSpan.from_plain(f"{days} days"), sizes(scene))
        day = sizes(scene)["day"]
        injury = festering(scene, injury, span // day)
        injury = replace(injury, heals_at=scene[CLOCK].now + healing_days(scene, who, span // day) * day)
    await alter(who, Survivor.with_injury, injury)


@figures("yearzero.injuries.wound-infection")
class WoundInfection:
    """Which wounds become infected, how badly at worst, and when."""

    wounds: tuple[str, ...]
    worst: int
    permanent_counts: int
    starts_after_days: int


@formula("yearzero.injuries.wound-infection")
def festering(scene: Scene, injury: Injury, days: int) -> Injury:
    """A cut or stab is infected the day after, as badly as it takes days to heal."""
    row = scene[WoundInfection]
    if not injury.table.endswith(row.wounds):
        return injury
    printed = next((scene[each].look(injury.kind) for each in table_of(scene, injury)), None)
    worse = -printed.infection_extra if printed is not None else 0
    at = scene[CLOCK].now + row.starts_after_days * sizes(scene)["day"]
    return replace(injury, virulence=-min(row.worst, days + worse), infects_at=at)


def sizes(scene: Scene) -> dict[str, int]:
    return {each.name: each.size for each in units(scene)}


@rule("yearzero.injuries.healing-time/healed")
async def healed(scene: Scene, who: Person, about: str) -> None:
    """An injury has healed, or stays for good if it needed care that it did not have."""
    neglected = (each for each in scene[who].injuries if each.name == about and not each.treated)
    for injury in neglected:
        if any(scene[each][injury.kind].needs_care for each in table_of(scene, injury)):
            await alter(who, Survivor.with_injury, replace(injury, permanent=True, heals_at=None))
            return
    await alter(who, Survivor.without_injury, about)


def heals_at(scene: Scene, who: Person, injury: Injury) -> int | None:
    """When an injury heals, if that was rolled; in an older log the clock has it."""
    return scene[CLOCK].ahead(who, healed, injury.name) if injury.heals_at is None else injury.heals_at


@due(Survivor, healed)
def healing(scene: Scene, who: Person) -> Iterator[Due]:
    """Injuries heal by themselves at their time, unless they are for ever."""
    for each in scene[who].injuries if DEAD not in scene[who].conditions else ():
        if not each.permanent and (at := heals_at(scene, who, each)) is not None:
            yield Due(healed, at=at, about=each.name)


def table_of(scene: Scene, injury: Injury) -> tuple[RowsOf[InjuryRow], ...]:
    """The table of an injury; none for one that the book does not print."""
    return printed_in(scene, injury.kind, injury.table)[:1]


@rule("yearzero.injuries.further-damage/strain")
async def strain(scene: Scene, who: Person) -> None:
    """An injury that hurts with every such roll does a point of damage."""
    await rule_named("yearzero.panic.triggers/hurt")(who, 1)


@rule("yearzero.injuries.lethal/reopen")
async def reopen(scene: Scene, who: Person) -> None:
    """A strain opens a wound again that was stabilised: it is as lethal as at first."""
    for injury in (each for each in scene[who].injuries if each.treated):
        row = next((scene[each].look(injury.kind) for each in table_of(scene, injury)), None)
        if row is not None and any(getattr(each.does, "run", "") == reopen.id for each in row.effects):
            await take_injury(who, replace(injury, treated=False, limit=row.limit))
