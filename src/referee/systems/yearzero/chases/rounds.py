"""A round of a chase: maneuvers chosen in secret, an obstacle, all of it revealed, and resolved from the front."""

from __future__ import annotations

from typing import Any, Final

from referee.core import (
    YES,
    Prompt,
    Refused,
    Scene,
    Who,
    advance_clock,
    alter,
    choose,
    figure,
    formula,
    offer,
    rule,
    settled,
    tell,
    together,
)
from referee.core.effects import Effect, lay, moment
from referee.core.questions import Barred, Choose
from referee.core.rules import rule_named
from referee.kits.chases import ADVANCED, CAUGHT, ESCAPED, PURSUER, QUARRY, Advance, check_maneuver
from referee.systems.yearzero.battle import ROUND_END
from referee.systems.yearzero.chases.chase import (
    MANEUVER_ROWS,
    MANEUVERS,
    MOVEMENT,
    RANGES,
    ROUND,
    SEPARATE,
    SHOOTING,
    SPOKEN,
    AChase,
    ChaseManeuverRow,
    RangeChase,
    is_ahead,
    others_of,
    plan_of,
    range_to,
    row_of,
    vehicle_in,
)
from referee.systems.yearzero.chases.maneuvers import FIGHT, gets_past, passengers_fire, shots, turn_to_fight
from referee.systems.yearzero.chases.obstacles import may_go_on, meet_obstacle, strike
from referee.systems.yearzero.sheet import Person, Survivor
from referee.systems.yearzero.vehicles.critical_damage import CHASE_ROUND
from referee.systems.yearzero.vehicles.vehicle import ON_THE_MOVE

MANEUVER: Final = Prompt("maneuver")
CANCEL: Final = Prompt("cancel-maneuver")
ROUNDS: Final = figure(ROUND, "rounds", int)


# --- what may be chosen -----------------------------------------------------------------------------------------------


@formula(MANEUVERS)
def maneuvers(scene: Scene, me: AChase, who: Person) -> tuple[tuple[str, ...], tuple[Barred[str], ...]]:
    """What somebody may choose, and why not the rest: by role, by range, and by what they can shoot with."""
    legal: list[str] = []
    barred: list[Barred[str]] = []
    for row in scene[MANEUVER_ROWS]:
        for way, role, other in ways_of(scene, me, who, row):
            try:
                check_way(scene, me, who, row, role, other)
                legal.append(way)
            except Refused as why:
                barred.append(Barred(way, why))
    return tuple(legal), tuple(barred)


def ways_of(scene: Scene, me: AChase, who: Person, row: ChaseManeuverRow) -> list[tuple[str, str, Any]]:
    """A maneuver by the name it has for somebody, their role, and whom it is against; alone, one for each other."""
    others = others_of(scene, me, who)
    role = PURSUER if any(is_ahead(scene, me, who, each) for each in others) else QUARRY
    other = next(iter(others), None)
    if row.name == MOVEMENT:
        return [(SPOKEN[role], role, other)]
    if scene[me].played_as != SEPARATE or not row.run or row.name == SHOOTING:
        return [(row.name, role, other)]
    found = ((each, PURSUER if is_ahead(scene, me, who, each) else QUARRY) for each in others)
    return [(f"{row.name}: {each.name}", role, each) for each, role in found if role in row.who]


def check_way(scene: Scene, me: AChase, who: Person, row: ChaseManeuverRow, role: str, other: Any) -> None:
    band = range_to(scene, me, who, other) if other is not None else None
    try:
        check_maneuver(row, role, band, tuple(scene[RANGES]))
    except Refused as why:
        raise Refused(row.name, because=why.because, rule=MANEUVERS) from None
    if row.name == SHOOTING and not shots(scene, me, who):
        raise Refused(row.name, because=f"{who} has nothing to shoot with", rule="yearzero.chase.stand-and-shoot")


# --- the round --------------------------------------------------------------------------------------------------------


@rule(ROUND, bands=ADVANCED)
async def play_round(scene: Scene, me: AChase) -> Advance:
    """Everybody chooses in secret, an obstacle comes, all is turned over, and resolved with whoever is ahead first."""
    before, quarry = lead(scene, me), scene[me].sides[0]
    await choose_maneuvers(me)
    if not await ends_at_once(me):
        await meet_obstacle(me)
        for mover in scene[me].in_order(scene):
            if not scene[me].ended and scene[me].runs(scene, scene[me].mover(mover.name)):
                await resolve(me, mover.name)
        await judge(me)
    by = {ESCAPED: FAR, CAUGHT: -FAR, "overtaken": -FAR}.get(scene[me].ended, lead(scene, me) - before)
    return await settled(Advance(by, quarry), then=finish(me))


FAR: Final = 100
"""More steps than any range has."""


def lead(scene: Scene, me: AChase) -> int:
    """How far the nearest of those who follow is behind."""
    chase = scene[me]
    followers = (each for each in chase.all_movers if chase.role(each.name) == PURSUER)
    fleeing = [each.at for each in chase.all_movers if chase.role(each.name) == QUARRY]
    return min((min(fleeing) - each.at for each in followers), default=FAR) if fleeing else -FAR


def asked_for(scene: Scene, me: AChase, who: Person) -> Choose[str]:
    legal, barred = maneuvers(scene, me, who)
    return choose(who, MANEUVER, legal, barred=barred, default=legal[0])


@rule(f"{ROUND}/choose", MANEUVERS)
async def choose_maneuvers(scene: Scene, me: AChase) -> None:
    """Nobody knows what the others have chosen until everybody has."""
    drivers = tuple(Who(name, Survivor) for name in scene[me].drivers(scene))
    if not drivers:
        return
    chosen = await together(*(asked_for(scene, me, who) for who in drivers))
    for who, way in zip(drivers, chosen, strict=True):
        await alter(me, RangeChase.declared, plan_of(who, way))
    await alter(me, RangeChase.revealed)


@rule(f"{ROUND}/end-at-once", "yearzero.chase.end")
async def ends_at_once(scene: Scene, me: AChase) -> bool:
    """Whoever flees may give up, or stand and fight, before anything else happens."""
    for plan in scene[me].plans:
        if how := row_of(scene, plan.way).ends:
            if how == FIGHT:
                await turn_to_fight(me)
            else:
                await alter(me, RangeChase.ending, how)
            return True
    return False


@rule(f"{ROUND}/resolve", ROUND)
async def resolve(scene: Scene, me: AChase, name: str) -> None:
    """One maneuver: it may be called off, or fail before it begins; and whoever rides along may shoot."""
    plan = scene[me].plan(name)
    who = Who(scene[me].mover(name).driver, Survivor)
    way = plan.way if plan is not None else ""
    await on_the_move(me, name, way)
    if await offer(who, CANCEL, YES):
        await tell("maneuver-cancelled", who=who, rule=ROUND)
    elif await gets_past(me, who) and await may_go_on(me, who, way):
        if run := row_of(scene, way).run:
            await rule_named(run)(me, who, way)
    elif not scene[me].ended:
        await tell("maneuver-fails", who=who, rule=ROUND)
    if not scene[me].ended:
        await passengers_fire(me, name)
    await alter(me, RangeChase.done, name)


@rule("yearzero.chase.firing/moving")
async def on_the_move(scene: Scene, me: AChase, name: str, way: str) -> None:
    """Shots from a vehicle are harder, unless whoever drives it stands still to shoot."""
    vehicle = vehicle_in(scene, scene[me].mover(name))
    if vehicle is not None and row_of(scene, way).name != SHOOTING:
        moving = Effect.from_plain({"grants": ON_THE_MOVE, "until": CHASE_ROUND})
        await lay(vehicle, moving, source="the chase", by="yearzero.chase.firing")


@rule(f"{ROUND}/judge", "yearzero.chase.pursue-flee")
async def judge(scene: Scene, me: AChase) -> None:
    """At the end of the round: beyond the last range nobody is followed any longer, and who cannot go on is caught."""
    chase, far = scene[me], len(scene[RANGES]) - 1
    fleeing = chase.running(scene, QUARRY)
    for each in chase.running(scene, PURSUER) if fleeing and not chase.ended else ():
        if all(chase.gap(each.name, other.name) > far for other in fleeing):
            await alter(me, RangeChase.losing, each.name)
    chase = scene[me]
    if not chase.ended and (how := chase.over(scene, me)) is not None:
        await alter(me, RangeChase.ending, str(how))


@rule(f"{ROUND}/finish")
async def finish(scene: Scene, me: AChase) -> None:
    """What has hit somebody is played; then the round is over, and with it what lasted so long."""
    for hurt in scene[me].pending:
        await strike(me, hurt)
    how = scene[me].over(scene, me)
    if how is not None and not scene[me].ended:
        await alter(me, RangeChase.ending, str(how))
    await moment(CHASE_ROUND)
    await moment(ROUND_END)
    await alter(me, RangeChase.clear)
    await alter(me, RangeChase.next_round)
    await advance_clock(scene[ROUNDS], me)
