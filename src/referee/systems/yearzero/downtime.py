"""Downtime: days that are skipped, and what everybody does with the time that is left of them."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, ClassVar, Final, TypeAlias

from referee.core import (
    Mod,
    Mods,
    Open,
    Pick,
    Refused,
    Rows,
    Scene,
    Who,
    action,
    change,
    figure,
    figures,
    formula,
    frozen,
    refuse,
    rows_of,
    rule,
    suggest,
    tell,
)
from referee.systems.yearzero.activities import span
from referee.systems.yearzero.effects import OUTCOME, Outcome
from referee.systems.yearzero.harm import check_able
from referee.systems.yearzero.rolls import Attempt, roll_once
from referee.systems.yearzero.sheet import Helpers, Person, Skill, people
from referee.systems.yearzero.skills import Gear, Specialty, plain
from referee.systems.yearzero.time import let_pass

POINTS: Final = "yearzero.downtime.points"
ACTIVITIES: Final = "yearzero.downtime.activities"
REST_BONUS: Final = "yearzero.downtime.rest-bonus"
PROCEDURE: Final = "yearzero.downtime.procedure"
OR_ADVENTURE: Final = "yearzero.downtime.or-adventure"


@frozen
class DowntimeActivity:
    """Something to do in a day of downtime, and the points it takes; the game master says how many within a range."""

    name: str
    least: int
    most: int
    rests: bool = False
    """Whether it helps a roll of the next day."""


@frozen
class DowntimeQuestion:
    """What makes an adventure of something."""

    name: str
    asks: str


@figures(ACTIVITIES)
class DowntimeActivities:
    """What there is to do."""

    activities: Rows[DowntimeActivity] = rows_of()


@figures(OR_ADVENTURE)
class DowntimeOrAdventure:
    """What is asked, and what one yes, or three noes, make of it."""

    questions: Rows[DowntimeQuestion] = rows_of()
    any_yes: str
    all_no: str


PER_DAY: Final = figure(POINTS, "points_per_day", int)
BONUS: Final = figure(REST_BONUS, "modification", int)


@frozen
class DowntimeDay:
    """What somebody does on a day of downtime, and for how many points."""

    known_by: ClassVar = ("who", "activity", "day")
    who: str
    activity: str
    day: int
    points: int
    settled: bool = False
    """Whether it was rolled for."""
    helped: bool = False
    """Whether the rest of the day before helped that roll."""


@frozen
class Downtime:
    """Days that are skipped, and how everybody spends them."""

    party: Open[tuple[str, ...]]
    days: Open[int]
    spent: Open[tuple[DowntimeDay, ...]] = ()

    def of(self, who: str) -> tuple[DowntimeDay, ...]:
        return tuple(each for each in self.spent if each.who == who)

    def with_day(self, changed: DowntimeDay) -> Downtime:
        others = (each for each in self.spent if (each.who, each.activity, each.day) != _key(changed))
        return replace(self, spent=(*others, changed))


def _key(day: DowntimeDay) -> tuple[str, str, int]:
    return day.who, day.activity, day.day


DOWNTIME: Final = Who("downtime", Downtime)
AnyBody: TypeAlias = Annotated[Person, Pick(people)]


@formula(POINTS)
def points_for(scene: Scene, days: int) -> int:
    """What is left of the days after sleep and ordinary duties."""
    return days * scene[PER_DAY]


@formula(f"{POINTS}/left", POINTS)
def points_left(scene: Scene, who: Person) -> int:
    """The points somebody has not spent."""
    return points_for(scene, scene[DOWNTIME].days) - sum(each.points for each in scene[DOWNTIME].of(who.name))


# --- downtime or adventure --------------------------------------------------------------------------------------------


def questions(scene: Scene, _: None) -> tuple[str, ...]:
    return scene[DowntimeOrAdventure].questions.names


@action("downtime-or-adventure", OR_ADVENTURE, master=True)
async def how_to_play(scene: Scene, holds: tuple[Annotated[str, Pick(questions)], ...] = ()) -> str:
    """Name the questions with a yes: one is enough to play it out; without any it is downtime."""
    found = scene[DowntimeOrAdventure].any_yes if holds else scene[DowntimeOrAdventure].all_no
    await tell("downtime-or-adventure", way=found, rule=OR_ADVENTURE)
    return found


# --- the days ---------------------------------------------------------------------------------------------------------


def check_begin(scene: Scene, _: None, party: tuple[Person, ...], free_days: int) -> None:
    if DOWNTIME in scene:
        refuse("there is downtime already", rule=PROCEDURE, legal=("end-downtime",))
    if not party or free_days < 1:
        refuse("it takes somebody, and a day at least", rule=PROCEDURE)


@action("begin-downtime", PROCEDURE, POINTS, master=True, check=check_begin)
async def begin_downtime(
    scene: Scene, party: tuple[AnyBody, ...], free_days: Annotated[int, suggest(1, 2, 3, 5, 7)]
) -> int:
    """So many days are skipped; everybody has points for them, to be spent on any of the days."""
    await change(DOWNTIME, Downtime(tuple(each.name for each in party), free_days))
    return points_for(scene, free_days)


def in_downtime(scene: Scene, who: Person) -> None:
    """Whoever has downtime now."""
    if DOWNTIME not in scene or who.name not in scene[DOWNTIME].party:
        refuse(f"{who} has no downtime now", rule=PROCEDURE)


def to_do(scene: Scene, who: Person) -> tuple[str, ...]:
    return scene[DowntimeActivities].activities.names


def cost_of(scene: Scene, activity: str, points: int) -> int:
    """The points that are named, or else the fewest it takes."""
    return points or scene[DowntimeActivities].activities.look(activity).least


def check_spend(scene: Scene, who: Person, activity: str, day: int, points: int = 0) -> None:
    """A day of the downtime, each activity once in it, at its price, and no more points than there are."""
    row, downtime = scene[DowntimeActivities].activities.look(activity), scene[DOWNTIME]
    if not 1 <= day <= downtime.days:
        raise Refused(f"day {day}", because=f"there are {downtime.days}", rule=POINTS)
    if any(_key(each) == (who.name, activity, day) for each in downtime.spent):
        refuse(f"{who} does it on day {day} already", what=activity, rule=ACTIVITIES)
    if points and not row.least <= points <= row.most:
        legal = tuple(str(each) for each in range(row.least, row.most + 1))
        refuse("it does not cost that", what=activity, rule=ACTIVITIES, legal=legal)
    if cost_of(scene, activity, points) > points_left(scene, who):
        refuse(f"{who} has {points_left(scene, who)} points left", what=activity, rule=POINTS)


@action("spend-downtime", ACTIVITIES, PROCEDURE, turn=in_downtime, check=check_spend)
async def spend_downtime(
    scene: Scene,
    who: Person,
    activity: Annotated[str, Pick(to_do)],
    day: Annotated[int, suggest(*range(1, 8))],
    points: Annotated[int, suggest(0, 1, 2)] = 0,
) -> None:
    """Spend points on a day of something; where the price has a range, the game master has named it."""
    _ = scene[DowntimeActivities].activities[activity]
    done = DowntimeDay(who.name, activity, day, cost_of(scene, activity, points))
    await change(DOWNTIME, scene[DOWNTIME].with_day(done))


# --- what comes of it -------------------------------------------------------------------------------------------------


def entry_of(scene: Scene, who: Person, activity: str, day: int) -> DowntimeDay | None:
    return next((each for each in scene[DOWNTIME].spent if _key(each) == (who.name, activity, day)), None)


@formula(REST_BONUS)
def rested(scene: Scene, who: Person, day: int) -> Mods:
    """Rest helps one roll of the next day; what is not used lapses, and it does not add up."""
    table, mine = scene[DowntimeActivities].activities, scene[DOWNTIME].of(who.name)
    rests = next((each for each in mine if each.day == day - 1 and table.look(each.activity).rests), None)
    used = any(each.helped and each.day == day for each in mine)
    return (Mod(scene[BONUS], rests.activity, REST_BONUS),) if rests is not None and not used else ()


def check_settle(scene: Scene, who: Person, activity: str, day: int) -> None:
    found = entry_of(scene, who, activity, day)
    if found is None:
        refuse(f"{who} does not do it on day {day}", what=activity, rule=PROCEDURE)
    if found.settled:
        refuse("it was rolled for already", what=activity, rule=PROCEDURE)


@action("settle-downtime", f"{PROCEDURE}/roll", bands=OUTCOME, turn=in_downtime, check=(check_able, check_settle))
async def settle_downtime(
    scene: Scene,
    who: Person,
    activity: Annotated[str, Pick(to_do)],
    day: Annotated[int, suggest(*range(1, 8))],
    skill: Skill,
    specialty: Specialty = "",
    gear: Gear = "",
    mods: Mods = (),
    helpers: Helpers = (),
) -> Outcome:
    """One roll for what somebody has done on a day; rest on the day before helps."""
    rest = rested(scene, who, day)
    await mark_settled(who, activity, day, bool(rest))
    return plain(await roll_once(who, Attempt(skill, specialty, gear, (*mods, *rest), helpers)))


@rule(f"{PROCEDURE}/settled")
async def mark_settled(scene: Scene, who: Person, activity: str, day: int, helped: bool) -> None:
    """It is rolled for once."""
    found = entry_of(scene, who, activity, day)
    if found is not None:
        await change(DOWNTIME, scene[DOWNTIME].with_day(replace(found, settled=True, helped=helped)))


def check_downtime(scene: Scene, _: None) -> None:
    if DOWNTIME not in scene:
        refuse("there is no downtime", rule=PROCEDURE, legal=("begin-downtime",))


@action("end-downtime", f"{PROCEDURE}/end", PROCEDURE, POINTS, master=True, check=check_downtime)
async def end_downtime(scene: Scene) -> None:
    """The days are over, with all that came due in them; points that were not spent are gone."""
    days = scene[DOWNTIME].days
    await change(DOWNTIME, None)
    await let_pass(span(scene, days, "day"))
