"""How long work takes: time of the clock or, in a fight, actions in so many rounds of whoever does it."""

from __future__ import annotations

from typing import Annotated, Any, Final, NoReturn

from referee.core import Pick, Scene, advance_clock, alter, refuse, rule
from referee.core.encounter import encounters
from referee.kits.rounds import Rounds
from referee.systems.d6.combat.round import FIGHT, check_turn, fight_action
from referee.systems.d6.resolution import check_able
from referee.systems.d6.sheet import Hero, Person, Work
from referee.systems.d6.wounds import HEALTHY

BASE_TIME: Final = "d6.tasks.base-time"
A_TASK: Final = "a task"
"""What somebody works on who treats nobody."""


def fight_of_rounds(scene: Scene) -> Rounds | None:
    """The fight or skirmish that goes on, if there is one."""
    standing: Any = ((scene[each], each) for each in encounters(scene))
    return next((one for one, me in standing if isinstance(one, Rounds) and one.over(scene, me) is None), None)


def check_worker(scene: Scene, who: Person) -> None:
    """At one's rank in a fight; somebody who does not fight may help at any time, once a round. A unit acts as one."""
    fight = fight_of_rounds(scene)
    if fight is not None and who.name in fight.fighters and FIGHT not in scene:
        refuse(f"the unit of {who} acts as one", rule="d6.skirmish.unit", legal=("unit-attack", "unit-waits"))
    if fight is None or who.name in fight.fighters:
        check_turn(scene, who)
        return
    check_able(scene, who)
    if FIGHT in scene and scene[FIGHT].taken.get(who.name):
        refuse(f"{who} has done something in this round", rule=BASE_TIME, legal=("next round",))


def check_time(scene: Scene, who: Person, what: str, rounds: int) -> None:
    """In a fight one has worked for all rounds that it takes but this one, the last; never twice in a round."""
    if rounds < 1 or (fight := fight_of_rounds(scene)) is None:
        return
    check_not_worked(scene, who, fight)
    done = rounds_worked(scene, who, what)
    if done < rounds - 1:
        refuse_short(who, rounds, done)


def check_no_fight(scene: Scene, _: object) -> None:
    """Nobody rests, sleeps or studies while a fight goes on around them."""
    if fight_of_rounds(scene) is not None:
        refuse("a fight goes on", rule=BASE_TIME, legal=("after it",))


def refuse_short(who: Person, rounds: int, done: int) -> NoReturn:
    long = "a round" if rounds == 1 else f"{rounds} rounds"
    because = f"it takes {long} of a fight, and {who} has worked on it for {done}"
    refuse(because, rule=BASE_TIME, legal=("work",))


def check_not_worked(scene: Scene, who: Person, fight: Rounds) -> None:
    work = scene[who].working
    if work is not None and work.round == fight.round:
        refuse(f"{who} has worked in this round", rule=BASE_TIME, legal=("next round",))


def rounds_worked(scene: Scene, who: Person, what: str) -> int:
    """For how many rounds somebody has worked on something, if it was the last thing they worked on."""
    work = scene[who].working
    return work.rounds if work is not None and work.what == what else 0


@rule(BASE_TIME + "/spend", BASE_TIME)
async def take_time(scene: Scene, who: Person, rounds: int) -> None:
    """What somebody does takes so many rounds: outside of a fight the clock moves, in one they are its last round."""
    if rounds < 1:
        return
    if (fight := fight_of_rounds(scene)) is None:
        await advance_clock(rounds)
    else:
        await alter(who, Hero.worked, Work("", 0, fight.round))


def check_helpers(scene: Scene, who: Person, helpers: tuple[Person, ...], rounds: int) -> None:
    """In a fight all others of a team have worked for every round that the task takes."""
    for each in helpers if fight_of_rounds(scene) is not None else ():
        done = rounds_worked(scene, each, A_TASK)
        if each != who and done < max(1, rounds):
            refuse_short(each, max(1, rounds), done)


@rule(BASE_TIME + "/helped", BASE_TIME)
async def helpers_done(scene: Scene, who: Person, helpers: tuple[Person, ...]) -> None:
    """What a team has worked for in a fight is used up."""
    for each in helpers:
        if each != who and scene[each].working is not None:
            await alter(each, Hero.worked, None)


def works(scene: Scene, who: Person) -> tuple[str, ...]:
    """What takes longer than a round of a fight: a task, or treating somebody."""
    ill = (each for each in scene.all(Hero) if is_ill(scene[each]))
    return (A_TASK, *(each.name for each in ill))


def is_ill(sheet: Hero) -> bool:
    """Whether there is anything to treat."""
    return bool(sheet.wound != HEALTHY or sheet.zones or sheet.states or sheet.unconscious or sheet.hazards)


def check_work(scene: Scene, who: Person) -> None:
    """Only in a fight, and once in each of its rounds."""
    if (fight := fight_of_rounds(scene)) is None:
        refuse(
            "outside of a fight work takes its time by itself", rule=BASE_TIME, legal=("task", "first-aid", "medicine")
        )
    check_not_worked(scene, who, fight)


@fight_action("work", BASE_TIME + "/work", BASE_TIME, turn=check_worker, check=check_work)
async def work_on(scene: Scene, who: Person, what: Annotated[str, Pick(works)] = A_TASK) -> int:
    """An action of this round goes into what takes several; whoever turns to something else begins anew."""
    fight = fight_of_rounds(scene)
    if fight is None:
        return 0
    done = rounds_worked(scene, who, what) + 1
    await alter(who, Hero.worked, Work(what, done, fight.round))
    return done
