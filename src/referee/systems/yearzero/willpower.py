"""Willpower: how it comes back, and what it buys besides dice and successes."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Final

from referee.core import (
    CLOCK,
    Refused,
    Scene,
    action,
    alter,
    change,
    figures,
    formula,
    frozen,
    refuse,
    rows,
    rule,
    set_deadline,
    suggest,
)
from referee.core.effects import Effect, Extra, lay
from referee.systems.yearzero.boosts import ELSEWHERE, WILLPOWER_USE, pay
from referee.systems.yearzero.harm import WHILE_BROKEN, check_awake, relievable
from referee.systems.yearzero.rolls import gain_willpower
from referee.systems.yearzero.sheet import Person, Survivor
from referee.systems.yearzero.time import rounds_in

USES: Final = WILLPOWER_USE
STRONGHOLD: Final = "yearzero.core.willpower-stronghold"


@frozen
class WillpowerUse:
    """What a point or more of Willpower does."""

    name: str
    cost: int
    limit: str = ""
    result: str = ""
    note: str = ""


WILLPOWER_USES: Final = rows(USES, "uses", WillpowerUse)


@formula(f"{USES}/list")
def uses_of_willpower(scene: Scene) -> tuple[str, ...]:
    """Everything that Willpower is good for, as the book lists it."""
    return (*scene[WILLPOWER_USES].names, *scene[ELSEWHERE].names)


@figures(STRONGHOLD)
class Stronghold:
    """How long one was away and stays, and what coming home gives."""

    min_days_away: int
    min_days_home: int
    wp_per_week: int
    max_weeks: int
    shrine_and_theater: int


@figures("yearzero.core.willpower-to-xp")
class IntoXp:
    """What a point of Willpower is worth in XP."""

    wp: int
    xp: int


@figures("yearzero.core.willpower-remove-stress")
class RemovedStress:
    """What it costs to lose a point of Stress."""

    wp_per_stress: int


def check_points(scene: Scene, who: Person, points: int, rule: str) -> None:
    """Enough Willpower."""
    if scene[who].willpower < points:
        raise Refused("willpower", because=f"it costs {points}, and {who} has {scene[who].willpower}", rule=rule)


# --- what it buys -----------------------------------------------------------------------------------------------------


def check_into_xp(scene: Scene, who: Person, points: int = 1) -> None:
    check_points(scene, who, points * scene[IntoXp].wp, "yearzero.core.willpower-to-xp")
    if points < 1:
        refuse("at least one point", rule="yearzero.core.willpower-to-xp")


@action("willpower-to-xp", "yearzero.core.willpower-to-xp", USES, check=check_into_xp)
async def turn_into_xp(scene: Scene, who: Person, points: Annotated[int, suggest(1, 2, 3)] = 1) -> None:
    """Willpower becomes XP, which pay for skills and specialties only."""
    paid = scene[who].spending(points * scene[IntoXp].wp)
    await change(who, replace(paid, skill_xp=paid.skill_xp + points * scene[IntoXp].xp))


def check_remove_stress(scene: Scene, who: Person, points: int = 1) -> None:
    check_points(scene, who, points * scene[RemovedStress].wp_per_stress, "yearzero.core.willpower-remove-stress")
    most = relievable(scene, who)
    if not 1 <= points <= most:
        refuse(
            f"{who} has {scene[who].stress} Stress, of which {most} can go",
            rule="yearzero.core.willpower-remove-stress",
        )


@action(
    "remove-stress",
    "yearzero.core.willpower-remove-stress",
    "yearzero.stress.willpower-and-signature-item",
    check=check_remove_stress,
)
async def remove_stress(scene: Scene, who: Person, points: Annotated[int, suggest(1, 2, 3)] = 1) -> None:
    """Willpower takes Stress away, a point each, before a Panic roll is called."""
    paid = scene[who].spending(points * scene[RemovedStress].wp_per_stress)
    await change(who, replace(paid, stress=paid.stress - points), rule="yearzero.stress.willpower-and-signature-item")


@figures("yearzero.combat.broken-willpower-actions")
class BrokenActions:
    """What an action costs somebody Broken."""

    wp_for_no_roll_or_1_die: int


def check_while_broken(scene: Scene, who: Person, points: int = 1) -> None:
    """Somebody Broken who is awake, with enough Willpower."""
    check_awake(scene, who)
    if not scene[who].broken:
        refuse(f"{who} is not Broken")
    if points < (least := scene[BrokenActions].wp_for_no_roll_or_1_die):
        refuse(f"it takes {least} Willpower at least")
    check_points(scene, who, points, "yearzero.combat.broken-willpower-actions")


@action("act-while-broken", "yearzero.combat.broken-willpower-actions", check=check_while_broken)
async def act_while_broken(scene: Scene, who: Person, points: Annotated[int, suggest(1, 2, 3)] = 1) -> int:
    """Willpower buys somebody Broken one action: without a roll, or with a die for each point."""
    await pay(who, points, WHILE_BROKEN)
    dice = points - scene[BrokenActions].wp_for_no_roll_or_1_die + 1
    await lay(who, Effect(Extra(WHILE_BROKEN, dice), until="action end", uses=1), source=WHILE_BROKEN)
    return dice


# --- how it comes back ------------------------------------------------------------------------------------------------


@action("leave-home", "yearzero.core.willpower-stronghold/leave")
async def leave_home(scene: Scene, who: Person) -> None:
    """Somebody leaves the Stronghold; weeks there no longer count."""
    await alter(who, away_since, scene[CLOCK].now)


def away_since(sheet: Survivor, now: int) -> Survivor:
    return replace(sheet, away=now, weeks_home=0)


def check_come_home(scene: Scene, who: Person) -> None:
    if scene[who].away is None:
        refuse(f"{who} is at home", rule=STRONGHOLD)


@action("come-home", STRONGHOLD, check=check_come_home)
async def come_home(scene: Scene, who: Person) -> None:
    """Home after a week or more: a point of Willpower at the end of each week there, three at most."""
    gone = scene[CLOCK].now - (scene[who].away or 0)
    await change(who, replace(scene[who], away=None, weeks_home=0))
    if gone >= rounds_in(scene, "day", scene[Stronghold].min_days_away):
        await set_deadline(rounds_in(scene, "week"), who, week_at_home)


@formula("yearzero.core.willpower-stronghold/stay")
def stayed(scene: Scene, days: int) -> bool:
    """Whether somebody is at home for long enough."""
    return days >= scene[Stronghold].min_days_home


@rule("yearzero.core.willpower-stronghold/week")
async def week_at_home(scene: Scene, who: Person) -> None:
    """A week at home has passed."""
    weeks = scene[who].weeks_home + 1
    if scene[who].away is not None or not stayed(scene, 7 * weeks):
        return
    await change(who, replace(scene[who], weeks_home=weeks))
    await gain_willpower(who, scene[Stronghold].wp_per_week + scene[Stronghold].shrine_and_theater)
    if weeks < scene[Stronghold].max_weeks:
        await set_deadline(rounds_in(scene, "week"), who, week_at_home)
