"""Time: rounds, turns, Quarter Days, days and weeks; what comes with a new session."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Final, Literal, TypeAlias

from referee.core import (
    CLOCK,
    Pick,
    Scene,
    Unit,
    action,
    advance_clock,
    change,
    figures,
    formula,
    refuse,
    rule,
    set_deadline,
    suggest,
    unit_named,
)
from referee.core.effects import EFFECTS, moment, renew_uses
from referee.systems.yearzero.battle import BATTLE, ROUND_END
from referee.systems.yearzero.rolls import gain_willpower
from referee.systems.yearzero.sheet import Person, Survivor

TIME: Final = "yearzero.core.ranges-and-time"
PASSIVE: Final = "yearzero.core.willpower-passive"
UnitName: TypeAlias = Literal["round", "minute", "turn", "hour", "quarter day", "day", "week"]


@figures(TIME)
class Spans:
    """How long a round, a turn and a Quarter Day are."""

    round_seconds: int
    turn_minutes: int
    quarter_day_hours: int


@figures(PASSIVE)
class Passive:
    """Below how much it comes back by itself, and how slowly."""

    threshold: int
    days_per_wp: int


@figures("yearzero.combat.round-and-turn")
class RoundLimits:
    """How short and how long a round may be."""

    round_seconds_min: int
    round_seconds_max: int


@formula("yearzero.combat.round-and-turn")
def seconds_of_round(scene: Scene, said: int) -> int:
    """How long a round is: as the table says, within what the chapter on combat allows."""
    return min(max(said, scene[RoundLimits].round_seconds_min), scene[RoundLimits].round_seconds_max)


@formula("yearzero.core.ranges-and-time/check")
def units(scene: Scene) -> tuple[Unit, ...]:
    """The units of time, counted in rounds."""
    spans = scene[Spans]
    minute = 60 // seconds_of_round(scene, spans.round_seconds)
    hour = 60 * minute
    sizes = {"round": 1, "minute": minute, "turn": spans.turn_minutes * minute, "hour": hour}
    sizes |= {"quarter day": spans.quarter_day_hours * hour, "day": 24 * hour, "week": 7 * 24 * hour}
    return tuple(Unit(name, size) for name, size in sizes.items())


def rounds_in(scene: Scene, unit: UnitName, amount: int = 1) -> int:
    """So many of a unit, in rounds, as the clock counts."""
    return amount * next(each.size for each in units(scene) if each.name == unit)


@formula("yearzero.core.willpower-passive/check")
def comes_back(scene: Scene, who: Person) -> bool:
    """Whether time gives Willpower: only below 2."""
    return scene[who].willpower < scene[Passive].threshold


@rule(PASSIVE)
async def wait_for_willpower(scene: Scene, who: Person) -> None:
    """Four days from now a point comes back, unless it is waited for already."""
    waiting = any(each.rule == recover_willpower.id and each.who == who.name for each in scene[CLOCK].deadlines)
    if comes_back(scene, who) and not waiting:
        await set_deadline(rounds_in(scene, "day", scene[Passive].days_per_wp), who, recover_willpower)


@rule("yearzero.core.willpower-passive/recover")
async def recover_willpower(scene: Scene, who: Person) -> None:
    """Whoever still has fewer than two gains one, and waits for the next."""
    if comes_back(scene, who):
        await gain_willpower(who, 1)
        await wait_for_willpower(who)


def unit_names(scene: Scene, _: None) -> tuple[str, ...]:
    return tuple(each.name for each in units(scene))


def check_unit(scene: Scene, _: None, unit: str) -> None:
    unit_named(units(scene), unit)


@action("pass-time", TIME, master=True)
async def pass_time(
    scene: Scene, amount: Annotated[int, suggest(*range(1, 11))], unit: Annotated[str, Pick(unit_names, check_unit)]
) -> None:
    """Time passes; deadlines on the way come due."""
    await let_pass(amount * unit_named(units(scene), unit).size)


@rule(f"{TIME}/pass")
async def let_pass(scene: Scene, rounds: int) -> None:
    """Time passes for everyone, and brings Willpower back; without a fight, whatever lasts for rounds ends with it."""
    for who in scene.all(Survivor):
        await wait_for_willpower(who)
    for _ in range(rounds if BATTLE not in scene else 0):
        if EFFECTS not in scene or all(each.effect.until != ROUND_END for each in scene[EFFECTS].lasting):
            break
        await moment(ROUND_END)
    await advance_clock(rounds)


def check_busy(scene: Scene, who: None = None) -> None:
    if not ends_of_work(scene):
        refuse("nobody is busy", rule=TIME)


def ends_of_work(scene: Scene) -> tuple[int, ...]:
    """When whoever is busy now will be free."""
    now = scene[CLOCK].now
    return tuple(sorted({each.until for who in scene.all(Survivor) for each in scene[who].busy if each.until > now}))


@action("wait-until-free", f"{TIME}/until-free", master=True, check=check_busy)
async def wait_until_free(scene: Scene, first_only: bool = False) -> None:
    """Time passes until everybody has done what they are busy with; or only until somebody has."""
    ends = ends_of_work(scene)
    await let_pass((ends[0] if first_only else ends[-1]) - scene[CLOCK].now)


@action("new-session", "yearzero.pride.use/session", "yearzero.pride.loss", master=True)
async def begin_session(scene: Scene) -> None:
    """A new session: Pride and whatever else counts by sessions is fresh, and what lasted for a scene is over."""
    await moment("scene end")
    for who in scene.all(Survivor):
        await renew_uses("session", who)
        await refresh(who)


@rule("yearzero.pride.loss/session")
async def refresh(scene: Scene, who: Person) -> None:
    """Pride may be used again; a session without Pride is over; what was learned by use counts anew."""
    sheet = scene[who]
    lock = max(0, sheet.pride_lock - 1)
    fresh = replace(sheet, pride_used=False, anchored=0, pride_lock=lock)
    await change(who, replace(fresh, succeeded=frozenset(), questions_had=frozenset()))
