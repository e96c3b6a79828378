"""Activities and locks: what takes somebody's time, what may not be tried again for a while, effects that time ends.

The clock stands still while people act: several do something in the same Quarter Day, each is busy until it is over,
and the game master lets time pass, perhaps until somebody is free. Day 0 begins at dawn, at moment 0 of the clock.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from referee.core import (
    CLOCK,
    Effect,
    Mod,
    Mods,
    Prompt,
    Refused,
    Scene,
    alter,
    figure,
    frozen,
    lay,
    refuse,
    rule,
    rule_on,
)
from referee.core.clock import cancel_deadline, set_deadline
from referee.core.effects import moment
from referee.systems.yearzero.battle import BATTLE
from referee.systems.yearzero.rolls import Attempt, RolledPool, helping
from referee.systems.yearzero.sheet import Helpers, Person, Survivor, TimeLimit
from referee.systems.yearzero.time import TIME, UnitName, rounds_in

SHARED_PENALTY: Final = figure("yearzero.survival.pathfinding", "multitask_dm_both_actions", int)
ANYTHING: Final = "anything"
MISHAP: Final = Prompt("mishap")


@frozen
class ActivityResult:
    """What an activity came to."""

    success: bool
    successes: int
    effects: tuple[str, ...] = ()
    amount: float = 0
    """How much was found, made, paid or healed; hours, for a camp."""
    mishap: str = ""
    """What went wrong: the entry or table that says more, or what the game master made of it."""
    pushes: int = 0
    base_banes: int = 0
    gear_banes: int = 0


def result(
    rolled: RolledPool,
    amount: float = 0,
    effects: tuple[str, ...] = (),
    mishap: str = "",
    *,
    success: bool | None = None,
) -> ActivityResult:
    """What a roll came to, with what was got by it."""
    won = rolled.success if success is None else success
    banes = (rolled.pushes, rolled.base_banes, rolled.gear_banes)
    return ActivityResult(won, rolled.successes, effects, amount, mishap, *banes)


def has_bane(rolled: RolledPool) -> bool:
    """Whether a pushed roll shows a bane; first rolls have none."""
    return bool(rolled.base_banes or rolled.gear_banes)


@rule("yearzero.survival.fishing/mishap", "yearzero.core.ones-banes")
async def mishap_of(scene: Scene, rolled: RolledPool, table: str) -> str:
    """A failure with a bane goes to a table; where we have none, the game master says what happens."""
    return "" if rolled.success or not has_bane(rolled) else await rule_on(MISHAP, table)


# --- what takes time --------------------------------------------------------------------------------------------------


def now(scene: Scene) -> int:
    return scene[CLOCK].now


def day_of(scene: Scene, at: int | None = None) -> int:
    """The number of a day, from dawn to dawn."""
    return (now(scene) if at is None else at) // rounds_in(scene, "day")


def dawn_of(scene: Scene, day: int) -> int:
    return day * rounds_in(scene, "day")


def running(scene: Scene, who: Person) -> tuple[TimeLimit, ...]:
    """What somebody is doing now."""
    return tuple(each for each in scene[who].busy if each.until > now(scene))


def check_free(scene: Scene, who: Person, activity: str = "") -> None:
    """Nobody in a fight begins what takes longer than a round, and nobody does two such things at once."""
    if BATTLE in scene and who.name in scene[BATTLE].initiative:
        refuse(f"{who} is in a fight, and it takes longer", what=activity or "activity", rule=TIME)
    check_not_busy(scene, who, activity)


def check_not_busy(scene: Scene, who: Person, activity: str = "") -> None:
    """One activity at a time, unless the one that is going on leaves room for another."""
    for each in running(scene, who):
        if each.beside not in (ANYTHING, activity) or not each.beside:
            raise Refused(activity or "activity", because=f"{who} is busy: {each.name}", rule=TIME)


def check_time(scene: Scene, who: Person) -> None:
    """Nobody does two things at once."""
    check_free(scene, who)


def beside_other_things(scene: Scene, who: Person, attempt: Attempt) -> Attempt:
    """A roll for an activity, with the penalty of doing two things at once."""
    return attempt.adding(*sharing(scene, who))


def sharing(scene: Scene, who: Person) -> Mods:
    """Whoever does two things at once takes a penalty on both."""
    shared = running(scene, who)
    return (Mod(scene[SHARED_PENALTY], shared[0].name, SHARED_PENALTY.rule),) if shared else ()


@rule(f"{TIME}/busy")
async def occupy(
    scene: Scene, who: Person, activity: str, rounds: int, beside: str = "", helpers: Helpers = ()
) -> None:
    """An activity takes the time of whoever does it and of those who help; another only if it leaves room."""
    if not rounds:
        return
    until = now(scene) + rounds
    await alter(who, _busy, (*running(scene, who), TimeLimit(activity, until, beside)))
    for each in helpers:
        await alter(each, _busy, (*running(scene, each), TimeLimit(helping(who), until)))


def _busy(sheet: Survivor, limits: tuple[TimeLimit, ...]) -> Survivor:
    return replace(sheet, busy=limits)


# --- locks ------------------------------------------------------------------------------------------------------------


def locked(scene: Scene, who: Person, name: str) -> int:
    """How often something was tried for which the lock is still on."""
    return sum(each.name == name and each.until > now(scene) for each in scene[who].locks)


@rule(f"{TIME}/lock")
async def lock(scene: Scene, who: Person, name: str, until: int) -> None:
    """Something may not be tried again until a moment of the clock."""
    kept = tuple(each for each in scene[who].locks if each.until > now(scene))
    await alter(who, _locks, (*kept, TimeLimit(name, until)))


def _locks(sheet: Survivor, limits: tuple[TimeLimit, ...]) -> Survivor:
    return replace(sheet, locks=limits)


# --- effects that time ends -------------------------------------------------------------------------------------------


@rule(f"{TIME}/lasting")
async def lay_for(
    scene: Scene, who: Person, effect: Effect, rounds: int, source: str, by: str, against: Person | None = None
) -> None:
    """An effect that ends when its time has passed."""
    until = f"moment {now(scene) + rounds}"
    await lay(who, replace(effect, until=until), source=source, by=by, against=against)
    await set_deadline(rounds, who, time_is_up, about=until)


@rule(f"{TIME}/time-is-up")
async def time_is_up(scene: Scene, who: Person, about: str) -> None:
    """Effects that last until now are over."""
    await moment(about, who)


@rule(f"{TIME}/until-your-turn")
async def lay_until_turn(
    scene: Scene, on: Person, effect: Effect, whose: Person, source: str, by: str, against: Person | None = None
) -> None:
    """An effect that ends with somebody's next turn: a round later at most, in a fight with their go in the next."""
    until = f"turn of {whose}"
    await lay(on, replace(effect, until=until), source=source, by=by, against=against)
    if scene[CLOCK].when(on, time_is_up, until) is not None:
        await cancel_deadline(on, time_is_up, about=until)
    rounds = IN_THE_NEXT if in_combat(scene) else 1
    await set_deadline(rounds_in(scene, "round", rounds), on, time_is_up, about=until)


IN_THE_NEXT: Final = 2
"""Rounds after which even the last go of the next round is over."""


def in_combat(scene: Scene) -> bool:
    """Whether a fight is going on."""
    return BATTLE in scene


# --- two routes to one thing ------------------------------------------------------------------------------------------


@frozen
class Route:
    """A roll that needs one success at a penalty, or so many without it."""

    dm: int
    x: int

    def of(self, attempt: Attempt, label: str, by: str, *, aimed: bool) -> Attempt:
        return attempt.adding(Mod(self.dm, label, by)) if aimed else replace(attempt, needed=self.x)

    def beyond(self, rolled: RolledPool, *, aimed: bool) -> int:
        """Successes beyond those needed."""
        return max(0, rolled.successes - (1 if aimed else self.x))


def quarter_days(scene: Scene, amount: int = 1) -> int:
    return rounds_in(scene, "quarter day", amount)


def span(scene: Scene, amount: int, unit: UnitName) -> int:
    return rounds_in(scene, unit, amount)
