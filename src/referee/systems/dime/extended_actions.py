"""Extended actions: tasks of several intervals, each a flip, up to a Tally."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, TypeAlias

from referee.core import (
    Mods,
    Pick,
    Scene,
    action,
    advance_clock,
    alter,
    hand_over,
    refuse,
    rule,
    suggest,
    tell,
)
from referee.core.rules import Decide, Ends, outline
from referee.systems.dime.flip import (
    FLIPPED,
    Flip,
    GearName,
    Skill,
    Stat,
    check_can_act,
    check_has_time,
    flip,
    gear_mods,
)
from referee.systems.dime.flip_odds import (
    FLIP_KEPT,
    flip_outline,
)
from referee.systems.dime.sheet import (
    Adventurer,
    Person,
    Task,
    others,
)
from referee.systems.dime.time import minutes as in_rounds

if TYPE_CHECKING:
    pass


def tasks_of(scene: Scene, who: Person | None) -> tuple[str, ...]:
    return tuple(each.name for each in scene[who].tasks) if who else ()


def check_new_task(scene: Scene, _: None, name: str, who: Person) -> None:
    if not name or name in tasks_of(scene, who):
        refuse("a task has a name of its own")


TaskName: TypeAlias = Annotated[str, Pick(tasks_of)]
Someone: TypeAlias = Annotated[Person, Pick(others)]
NewTask: TypeAlias = Annotated[str, Pick(lambda scene, who: (), check_new_task)]
Number: TypeAlias = Annotated[int, suggest(8, 10, 12, 14)]
Minutes: TypeAlias = Annotated[int, suggest(10, 60, 480, 1440)]


@action("set-task", "dime.flip.extended/set", master=True)
async def set_task(
    scene: Scene,
    who: Someone,
    name: NewTask,
    stat: Stat,
    tn: Number,
    skill: Skill = "",
    tally: Number = 10,
    minutes: Minutes = 60,
) -> None:
    """The game master sets an extended action: what is flipped, against what, up to which Tally, and how long."""
    await alter(who, Adventurer.with_task, Task(name, stat, skill, tn, tally, minutes))


@action("work", "dime.flip.extended", bands=FLIPPED, turn=check_can_act, check=check_has_time)
async def work(scene: Scene, who: Person, task: TaskName, gear: GearName = "normal", mods: Mods = ()) -> Flip:
    """One interval of an extended action: Mag is added on a success and subtracted on a failure."""
    return await hand_over(work_on(who, task, mods + await gear_mods(gear)))


def task_of(scene: Scene, who: Person, task: str) -> Task:
    return next(each for each in scene[who].tasks if each.name == task)


@rule("dime.flip.extended/interval", "dime.flip.extended")
async def work_on(scene: Scene, who: Person, task: str, mods: Mods) -> Flip:
    """The interval itself."""
    now = task_of(scene, who, task)
    flipped = await flip(who, now.stat, now.skill, now.tn, mods)
    done = replace(now, total=now.total + progress(flipped), intervals=now.intervals + 1)
    if done.total >= now.tally:
        await alter(who, Adventurer.without_task, task)
        await tell("task-complete", who=who, task=task, intervals=done.intervals)
    else:
        await alter(who, Adventurer.with_task, done)
    await advance_clock(in_rounds(scene, now.minutes))
    return flipped


@outline(work_on, keeps=FLIP_KEPT)
def worked_on(scene: Scene, decide: Decide, who: Person, task: str, mods: Mods) -> Ends[Flip] | None:
    """That of the flip."""
    now = task_of(scene, who, task)
    return flip_outline(scene, decide, who, now.stat, now.skill, now.tn, mods)


def progress(flipped: Flip) -> int:
    """What an interval adds to the running total."""
    return flipped.mag if flipped.success else -flipped.mag
