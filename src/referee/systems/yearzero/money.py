"""Money: wages, what a month costs, savings, and which expenses are booked."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Annotated, Final

from referee.core import Mods, Pick, Refused, Scene, action, alter, change, figures, formula, refuse, rule
from referee.systems.yearzero.activities import ActivityResult, lock, locked, now, result, span
from referee.systems.yearzero.effects import OUTCOME
from referee.systems.yearzero.rolls import Attempt, roll_once
from referee.systems.yearzero.sheet import Person, people
from referee.systems.yearzero.starting_gear import WEALTH_LEVELS, WealthRow

SAVINGS: Final = "yearzero.creation.savings"
UPKEEP: Final = "yearzero.creation.upkeep"
TRACKING: Final = "yearzero.creation.money-tracking"


@figures(SAVINGS)
class Savings:
    """What is rolled for savings."""

    skill: str
    specialty: str


@figures(UPKEEP)
class MonthlyCosts:
    """What is rolled for a month's upkeep, and what each success takes off it."""

    skill: str
    specialty: str
    reduction_per_x_points: int
    minimum_pct: int
    every_days: int


@figures(TRACKING)
class Tracking:
    """From which social class on small expenses are not booked, and how small they are."""

    min_level: int
    threshold_pct: int


def class_of(scene: Scene, who: Person) -> WealthRow:
    if not scene[who].wealth:
        refuse(f"{who} has no social class", rule="yearzero.creation.wealth", legal=scene[WEALTH_LEVELS].names)
    return scene[WEALTH_LEVELS].look(scene[who].wealth)


# --- savings and upkeep -----------------------------------------------------------------------------------------------


@formula(f"{SAVINGS}/amount")
def savings(scene: Scene, wealth: str, wages: int, successes: int) -> int:
    """Wages times the multiplier of the class, for each success."""
    return int(wages * Fraction(str(scene[WEALTH_LEVELS].look(wealth).savings)) * successes)


def check_savings(scene: Scene, _: None, target: Person) -> None:
    """Once, for somebody of a social class."""
    class_of(scene, target)
    if scene[target].has_savings:
        refuse(f"{target} has had this roll", rule=SAVINGS)


@action("grant-savings", SAVINGS, master=True, bands=OUTCOME, check=check_savings)
async def grant_savings(scene: Scene, target: Annotated[Person, Pick(people)], mods: Mods = ()) -> ActivityResult:
    """The game master grants savings: one roll says how many months' worth of them there are."""
    await alter(target, lambda sheet: replace(sheet, has_savings=True))
    rolled = await roll_once(target, Attempt(scene[Savings].skill, scene[Savings].specialty, mods=mods))
    won = rolled.successes if rolled.success else 0
    saved = savings(scene, scene[target].wealth, scene[target].wages, won)
    await alter(target, lambda sheet: replace(sheet, credits=sheet.credits + saved))
    return result(rolled, saved)


@formula(f"{UPKEEP}/cost")
def upkeep(scene: Scene, wealth: str, wages: int, successes: int) -> int:
    """The share of the wages that a month costs, ten points less for each success."""
    found = scene[MonthlyCosts]
    percent = scene[WEALTH_LEVELS].look(wealth).expenses_pct - found.reduction_per_x_points * successes
    return wages * max(found.minimum_pct, percent) // 100


def check_month(scene: Scene, who: Person, earned: bool = True) -> None:
    """Once a month."""
    class_of(scene, who)
    if locked(scene, who, "upkeep"):
        refuse("the month has been paid for", rule=UPKEEP)


@action("begin-month", UPKEEP, bands=OUTCOME, check=check_month)
async def begin_month(scene: Scene, who: Person, earned: bool = True, mods: Mods = ()) -> ActivityResult:
    """A month begins: wages come in if there is work, and a roll says what living costs."""
    await lock(who, "upkeep", now(scene) + span(scene, scene[MonthlyCosts].every_days, "day"))
    rolled = await roll_once(who, Attempt(scene[MonthlyCosts].skill, scene[MonthlyCosts].specialty, mods=mods))
    sheet, won = scene[who], rolled.successes if rolled.success else 0
    costs = upkeep(scene, sheet.wealth, sheet.wages, won)
    there = sheet.credits + (sheet.wages if earned else 0)
    await change(who, replace(sheet, credits=max(0, there - costs)))
    return result(rolled, costs)


# --- expenses ---------------------------------------------------------------------------------------------------------


@formula(TRACKING)
def is_booked(scene: Scene, who: Person, price: int) -> bool:
    """Whether an expense is booked: the better off need not count what is a small part of what they earn."""
    row = scene[WEALTH_LEVELS].look(scene[who].wealth) if scene[who].wealth else None
    found = scene[Tracking]
    return row is None or row.level < found.min_level or price * 100 >= found.threshold_pct * scene[who].wages


def check_price(scene: Scene, who: Person, price: int, rule: str) -> None:
    """Money enough, unless nobody counts it."""
    if is_booked(scene, who, price) and price > scene[who].credits:
        raise Refused("credits", because=f"it costs {price}, and there are {scene[who].credits}", rule=rule)


@rule(f"{TRACKING}/spend")
async def spend(scene: Scene, who: Person, price: int) -> None:
    """An expense is paid, if it is booked."""
    if price and is_booked(scene, who, price):
        await change(who, replace(scene[who], credits=scene[who].credits - price))
