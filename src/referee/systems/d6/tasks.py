"""Tasks: work that takes a base time, and the Command table, by which somebody coordinates others."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Final, Literal, TypeAlias

from referee.core import (
    DICE,
    DIFFICULTY,
    PIPS,
    TOTAL,
    YES,
    Bands,
    Call,
    Hidden,
    Levels,
    Mod,
    Mods,
    Pick,
    Prompt,
    Scene,
    action,
    alter,
    applying,
    by_unit,
    figure,
    figures,
    formula,
    frozen,
    hand_over,
    offer,
    refuse,
    rows,
    rule,
    rule_on,
    suggest,
    tell,
)
from referee.core import total as sum_of
from referee.kits.dice_codes import Code, Stat
from referee.systems.d6.codes import Ability, ability_name, mean, own_code
from referee.systems.d6.combat.round import DeclaredAction
from referee.systems.d6.fields import lacks_field, try_without_field
from referee.systems.d6.resolution import (
    LEVELS,
    TESTED,
    Difficulty,
    DifficultyLevel,
    TestResult,
    announce_total,
    announced,
    check_able,
    check_skill,
    check_skill_in,
    check_skilled,
    difficulty_number,
    difficulty_with,
    judged,
    multiple_actions,
    possible_difficulties,
)
from referee.systems.d6.rolls import (
    ACTION,
    ANY_ROLL,
    CHARACTER_POINT,
    FateScope,
    Spend,
    check_fate,
    fated_code,
    is_fated,
    is_hidden_roll,
    is_secret_roll,
    points_limit,
    roll_for,
    rolled_mods,
)
from referee.systems.d6.sheet import PIPS_PER_DIE, Hero, Person
from referee.systems.d6.situations import Situation
from referee.systems.d6.time import UnitName, rounds_of
from referee.systems.d6.work import A_TASK, BASE_TIME, check_helpers, check_time, check_worker, helpers_done, take_time
from referee.systems.d6.wounds import health_effects

TABLE_USE: Final = "d6.tasks.command-table-use"
COMMAND_SKILL: Final = figure("d6.skills.command", "skill", str)
THRESHOLD: Final = figure("d6.tasks.team-average", "taskmaster_threshold", Code)
TEAM_FATE: Final = "d6.tasks.team-fate-points"
TEAM_POINTS: Final = "d6.tasks.team-character-points"
DICE_PER_POINT: Final = figure(TEAM_POINTS, "dice_per_point", int)
SHARE: Final = figure("d6.tasks.multiple-actions", "share_of_the_time", int)
"""What part of the base time something else may take."""
COMMAND: Final = Prompt("command")
NO_MODIFIERS: Final[Levels] = Levels()
NO_POINTS: Final[Levels] = Levels()

Pace: TypeAlias = Literal["usual", "rushing", "taking more time"]


@figures("d6.tasks.rushing")
class Rushing:
    """What the time and the total of a rushed task are divided by."""

    time_divisor: int
    roll_divisor: int


@figures("d6.tasks.taking-more-time")
class MoreTime:
    """How many times the time and the total of a task count that is not hurried."""

    time_factor: int
    roll_factor: int
    lore: tuple[str, ...]
    """Skills of what one knows or does not know."""


# --- base time --------------------------------------------------------------------------------------------------------


@formula("d6.tasks.base-time/rounds", BASE_TIME, "d6.tasks.rushing", "d6.tasks.taking-more-time")
def task_time(scene: Scene, base_time: int, unit: str, pace: Pace = "usual") -> int:
    """How many rounds a task takes. Half of less than two rounds is no round at all: it is a single action."""
    rounds = rounds_of(scene, base_time, unit)
    if pace == "rushing":
        return rounds // scene[Rushing].time_divisor
    return rounds * scene[MoreTime].time_factor if pace == "taking more time" else rounds


@formula("d6.tasks.rushing")
def rushed_total(scene: Scene, total: int) -> int:
    """What the total of a rushed task counts: half of it, rounded down."""
    return total // scene[Rushing].roll_divisor


@formula("d6.tasks.taking-more-time")
def longer_total(scene: Scene, total: int) -> int:
    """What the total counts of somebody who has taken twice the time."""
    return total * scene[MoreTime].roll_factor


@formula("d6.tasks.character-and-fate-points")
def paced_total(scene: Scene, total: int, pace: Pace = "usual") -> int:
    """What a total counts with all that points have added to it: they serve the whole task, however long it takes."""
    if pace == "rushing":
        return rushed_total(scene, total)
    return longer_total(scene, total) if pace == "taking more time" else total


def check_base_time(scene: Scene, who: Person, base_time: int) -> None:
    """A task takes some time."""
    if base_time < 1:
        refuse("a task takes some time", rule=BASE_TIME)


Amount: TypeAlias = Annotated[int, Pick(lambda scene, who: range(1, 11), check_base_time)]


def check_task_time(scene: Scene, who: Person, base_time: int, unit: str, pace: Pace) -> None:
    check_time(scene, who, A_TASK, task_time(scene, base_time, unit, pace))


@formula("d6.tasks.taking-more-time/check", "d6.tasks.taking-more-time")
def check_more_time(scene: Scene, who: Person, using: str, pace: Pace, lore: bool | None = None) -> None:
    """Twice the time brings no knowledge that one lacks; skills of knowledge ask for such, unless it is said."""
    named = ability_name(scene, using)
    is_lore = (named.skill or named.attribute) in scene[MoreTime].lore if lore is None else lore
    if pace == "taking more time" and is_lore:
        refuse("more time brings no knowledge that one lacks", what=using, legal=("usual", "rushing"))


def check_distracted(scene: Scene, who: Person, distracted: int, base_time: int) -> None:
    """Something else takes a part of the time, and no more than all of it."""
    if not 0 <= distracted <= base_time:
        refuse(f"it takes 0 to {base_time}", what=str(distracted), rule="d6.tasks.multiple-actions", legal=("0",))


Distracted: TypeAlias = Annotated[int, Pick(lambda scene, who: (0, 1), check_distracted)]


@action(
    "task",
    BASE_TIME,
    "d6.tasks.skill-and-difficulty",
    "d6.tasks.rushing",
    "d6.tasks.taking-more-time",
    "d6.tasks.multiple-actions",
    "d6.tasks.character-and-fate-points",
    bands=TESTED,
    turn=check_worker,
    price=DeclaredAction(),
    check=(check_skill_in, check_task_time, check_more_time),
    may_be={"hidden_difficulty": possible_difficulties},
    secret=is_hidden_roll,
)
async def do_task(
    scene: Scene,
    who: Person,
    using: Ability,
    difficulty: Difficulty = 15,
    base_time: Amount = 1,
    unit: UnitName = "hour",
    pace: Pace = "usual",
    mods: Mods = (),
    hidden: Hidden[bool] = False,
    situation: Situation = (),
    distracted: Distracted = 0,
    hidden_difficulty: Hidden[int] = 0,
    lore: bool | None = None,
) -> TestResult:
    """Work for the base time, then roll; whoever fails may spend it again. Who rushes halves time and total.

    Something else may take some of the base time. The difficulty, or all of the roll, may be hidden. More time is of no
    use where what stands in the way is lore that one may lack.
    """
    rounds, needed = task_time(scene, base_time, unit, pace), hidden_difficulty or difficulty
    besides = (*mods, *interference(scene, base_time, distracted))
    if lacks_field(scene, who, using):
        await try_without_field(who, using)
    return await hand_over(
        work(who, using, needed, rounds, pace, besides, hidden, situation),
        then=lambda found: after_task(who, found, hidden_difficulty, hidden),
    )


@frozen
class TaskFumble:
    """What comes of a fumble; one of those that leave the task done, or one that does not."""

    name: str
    says: str
    succeeds: bool = False
    wears: bool = False
    """Whether it is the material that is ruined."""


TASK_FUMBLES: Final = rows("d6.tasks.fumbles", "outcomes", TaskFumble)
TASK_FUMBLE: Final = Prompt("task-fumble")


def after_task(who: Person, found: TestResult, hidden_difficulty: int, hidden: bool) -> Call[None] | None:
    """What follows from a task: a fumble has its price, and a total is announced where the difficulty is hidden."""
    if found.fumble and not hidden:
        return fumbled_task(who, found, hidden_difficulty)
    return announced(who, hidden_difficulty, hidden)(found)


@rule("d6.tasks.fumbles")
async def fumbled_task(scene: Scene, who: Person, found: TestResult, hidden_difficulty: int) -> None:
    """The game master chooses what a fumble brings; what has succeeded still succeeds."""
    names = tuple(row.name for row in scene[TASK_FUMBLES] if row.succeeds is found.success)
    row = scene[TASK_FUMBLES][await rule_on(TASK_FUMBLE, names[0], options=names)]
    await tell("task-fumble", who=who, what=row.name, says=row.says)
    if hidden_difficulty:
        await announce_total(who, found.total)


@formula("d6.tasks.multiple-actions")
def interference(scene: Scene, base_time: int, distracted: int) -> Mods:
    """A task is one of two actions, if something else takes more than half of its time."""
    return multiple_actions(scene, 2) if distracted * scene[SHARE] > base_time else ()


@rule("d6.tasks.skill-and-difficulty", BASE_TIME, "d6.tasks.character-and-fate-points")
async def work(
    scene: Scene,
    who: Person,
    using: str,
    difficulty: int,
    rounds: int,
    pace: Pace = "usual",
    mods: Mods = (),
    hidden: bool = False,
    situation: tuple[str, ...] = (),
    spend: Spend = Spend.ALL,
) -> TestResult:
    """So many rounds are spent, and then the work is judged. For any rule that asks for a task."""
    await take_time(who, rounds)
    tags = (ACTION, ANY_ROLL, *situation)
    needed = difficulty_with(scene, who, difficulty, mods, *ability_name(scene, using).tags, *tags)
    rolled = await roll_for(who, using, rolled_mods(mods), tags, spend, hidden)
    counted = paced_total(scene, rolled.total, pace)
    return judged(scene, rolled.plus(counted - rolled.total), needed)


# --- the Command table ------------------------------------------------------------------------------------------------


@frozen
class CommandRow:
    """How hard it is to coordinate so many people, by their skill from 1D on, and what their number adds."""

    name: str
    people: int
    levels: tuple[str, ...]
    bonus: int


@frozen
class CommandModifier:
    """What discipline or training adds to a Command roll, from where to where."""

    name: str
    min: int
    max: int


COMMAND_TABLE: Final = rows("d6.tasks.command-table", "rows", CommandRow, by=("from", "people"))
COMMAND_MODIFIERS: Final = rows("d6.tasks.command-modifiers", "rows", CommandModifier)


@frozen
class Coordination:
    """How many of how many people are coordinated, and what that adds in dice."""

    people: int
    coordinated: int
    bonus: int
    total: int
    level: str
    """The level that was needed for all of them."""


COORDINATED: Final[Bands[Coordination]] = Bands(
    of=lambda found: "all" if found.coordinated == found.people else "some" if found.coordinated else "nobody",
    keys=("all", "some", "nobody"),
    good=("all", "some"),
)


def command_row(scene: Scene, people: int) -> CommandRow:
    """The row of a number of people: the next higher one that is listed."""
    most = max(row.people for row in scene[COMMAND_TABLE])
    if people > most:
        refuse(f"the table ends with {most}", what=f"{people} people", rule=TABLE_USE, legal=(f"{most} people",))
    return scene[COMMAND_TABLE].at(people)


def level_for(scene: Scene, row: CommandRow, average: Code) -> DifficultyLevel:
    """The level in the column of an average skill; pips do not count, and the first and last columns go on."""
    level = row.levels[min(max(average.dice, 1), len(row.levels)) - 1]
    return next(each for each in scene[LEVELS] if each.abbreviation == level)


@formula(TABLE_USE, "d6.tasks.command-table")
def command_level(scene: Scene, people: int, average: Code) -> str:
    """How hard it is to coordinate so many people of an average skill."""
    return level_for(scene, command_row(scene, people), average).name


@formula("d6.tasks.command-table-use/coordinated", TABLE_USE)
def coordinated(
    scene: Scene, people: int, average: Code, total: int, heroic: int | None = None, easier: int = 0
) -> Coordination:
    """Everyone, if the total reaches the number of the level; otherwise as many as the next row that it does reach."""
    row = command_row(scene, people)
    level = level_for(scene, row, average)
    number = difficulty_number(scene, level.name, max(level.min, heroic or 0) if level.number is None else None)
    if total >= number + easier:
        return Coordination(people, people, row.bonus, total, level.name)
    reached = scene[LEVELS].at(max(1, total - easier)).min
    for each in reversed(tuple(lower for lower in scene[COMMAND_TABLE] if lower.people < row.people)):
        if level_for(scene, each, average).min <= reached:
            found = command_row(scene, each.people)
            return Coordination(people, found.people, found.bonus, total, level.name)
    return Coordination(people, 0, 0, total, level.name)


@formula("d6.tasks.command-modifiers")
def command_mods(scene: Scene, modifiers: Levels) -> Mods:
    """What discipline and training add to the Command roll; each within its range."""
    for name, amount in modifiers.items():
        row = scene[COMMAND_MODIFIERS][name]
        if not row.min <= amount <= row.max:
            refuse(f"it is {row.min:+} to {row.max:+}", what=row.name, rule=COMMAND_MODIFIERS.rule)
    return tuple(Mod(amount, name, COMMAND_MODIFIERS.rule, unit=TOTAL) for name, amount in modifiers.items())


@rule("d6.tasks.command-table-use/roll", TABLE_USE, "d6.skills.command")
async def coordinate(
    scene: Scene,
    who: Person,
    people: int,
    average: Code,
    mods: Mods = (),
    heroic: int | None = None,
    spend: Spend = Spend.ALL,
) -> Coordination:
    """Roll Command to see how many people are coordinated. For teams, crews and units."""
    easier = sum_of(mod for mod in mods if mod.unit == DIFFICULTY)
    return await hand_over(
        roll_for(who, scene[COMMAND_SKILL], rolled_mods(mods), spend=spend, prompt=COMMAND),
        read=lambda rolled: coordinated(scene, people, average, rolled.total, heroic, easier),
    )


def check_command(scene: Scene, who: Person, modifiers: Levels) -> None:
    """Modifiers of the table, each within its range."""
    command_mods(scene, modifiers)


def usual_command(scene: Scene, who: Person) -> tuple[Levels, ...]:
    return (Levels(), *(Levels({row.name: row.min}) for row in scene[COMMAND_MODIFIERS] if row.min))


def check_people(scene: Scene, who: Person, people: int) -> None:
    if people < 2:
        refuse("one person alone needs no coordination", rule=TABLE_USE, legal=("2 or more",))
    command_row(scene, people)


def check_heroic(scene: Scene, who: Person, heroic: int | None) -> None:
    """The number of a heroic level, if the game master sets one."""
    if heroic is not None:
        difficulty_number(scene, "Heroic", heroic)


CommandModifiers: TypeAlias = Annotated[Levels, Pick(usual_command, check_command)]
People: TypeAlias = Annotated[int, Pick(lambda scene, who: (2, 4, 6, 10, 15, 25, 40), check_people)]
HeroicNumber: TypeAlias = Annotated[int | None, Pick(lambda scene, who: (None, 31, 35, 40), check_heroic)]
AverageSkill: TypeAlias = Annotated[Code, suggest(*(Code(dice) for dice in range(1, 9)))]


@action(
    "command",
    "d6.skills.command",
    TABLE_USE,
    "d6.tasks.command-table",
    "d6.tasks.command-modifiers",
    bands=COORDINATED,
    turn=check_worker,
    price=DeclaredAction(),
    check=check_skilled,
    secret=is_secret_roll,
)
async def command(
    scene: Scene,
    who: Person,
    people: People,
    average: AverageSkill,
    modifiers: CommandModifiers = NO_MODIFIERS,
    mods: Mods = (),
    heroic: HeroicNumber = None,
) -> Coordination:
    """Coordinate so many people of an average skill: how many of them work together, and what that adds."""
    return await hand_over(coordinate(who, people, average, (*mods, *command_mods(scene, modifiers)), heroic))


# --- team work --------------------------------------------------------------------------------------------------------


def working_code(scene: Scene, who: Person, using: str, *tags: str, mods: Mods = (), fated: bool = False) -> Code:
    """The code somebody works with: lowered by wounds and whatever else applies to such a roll."""
    applied = applying(scene, who, *ability_name(scene, using).tags, *tags).mods
    found = by_unit(rolled_mods((*mods, *applied)), DICE, PIPS, TOTAL, rule=TABLE_USE)
    own = own_code(scene, who, using)
    return (fated_code(scene, own) if fated else own) + Code(found[DICE], found[PIPS])


def code_in_health(scene: Scene, who: Person, using: str) -> Code:
    """Somebody's code with what wounds, stuns and fatigue take from it, and nothing else."""
    sheet, applied = scene[who], applying(scene, who, *ability_name(scene, using).tags, ANY_ROLL)
    traits = sheet.traits_at_work(scene)
    hurt = tuple(health_effects(scene, sheet.wound, sheet.stuns, sheet.fatigue, sheet.states, traits))
    mods = replace(applied, active=tuple(each for each in applied.active if each in hurt)).mods
    found = by_unit(mods, DICE, PIPS, TOTAL, rule=TABLE_USE)
    return own_code(scene, who, using) + Code(found[DICE], found[PIPS])


@formula("d6.tasks.team-average", TEAM_FATE, TEAM_POINTS)
def team_average(
    scene: Scene,
    who: Person,
    workers: tuple[Person, ...],
    using: str,
    fated: tuple[Person, ...] = (),
    points: Levels = NO_POINTS,
) -> Stat:
    """The mean of the workers' skills; a taskmaster below 4D cannot make them better than himself.

    Whether he is below is told by his skill and his health alone. A Fate Point doubles a worker's skill, and each
    Character Point adds a die to it.
    """
    also = multiple_actions(scene, 2)

    def code(worker: Person) -> Code:
        doubled = worker in fated or is_fated(scene, worker)
        more = Mod(points.get(worker.name, 0) * scene[DICE_PER_POINT], "Character Points", TEAM_POINTS)
        mods = (more, *(also if worker == who else ()))
        return working_code(scene, worker, using, ACTION, ANY_ROLL, mods=mods, fated=doubled)

    found, own, pips = mean(scene, tuple(map(code, workers))), code_in_health(scene, who, using), scene[PIPS_PER_DIE]
    limited = own.in_pips(pips) < scene[THRESHOLD].in_pips(pips)
    return Stat.of(Code(0, min(found.code.in_pips(pips), own.in_pips(pips))), pips) if limited else found


@frozen
class TeamResult:
    """What a team came to: how many were coordinated, and the roll that was made for all of them."""

    coordinated: int
    bonus: int
    test: TestResult

    @property
    def success(self) -> bool:
        return self.test.success


TEAM: Final[Bands[TeamResult]] = Bands(
    of=lambda found: "success" if found.success else "failure", keys=("success", "failure")
)


def everybody(scene: Scene, who: Person) -> tuple[Person, ...]:
    return scene.all(Hero)


def check_workers(scene: Scene, who: Person, workers: tuple[Person, ...]) -> None:
    """At least two people who can work."""
    if len({each.name for each in workers}) < 2:
        refuse("a team has at least two workers", rule="d6.tasks.team-work", legal=("task",))
    for each in workers:
        check_able(scene, each)
        check_skilled(scene, each)


@formula(TEAM_POINTS + "/check", TEAM_POINTS, TEAM_FATE)
def check_spending(
    scene: Scene,
    who: Person,
    workers: tuple[Person, ...],
    fated: tuple[Person, ...],
    points: Levels,
    leader_points: Levels,
) -> None:
    """Points for those who work, never with Fate and so many for each; a leader's are at most his dice of Command."""
    for each in fated:
        check_fate(scene, each, (FateScope.ACTION,))
    working = {each.name: each for each in workers}
    for name in (*(each.name for each in fated), *points, *leader_points):
        if points.get(name, 0) < 0 or leader_points.get(name, 0) < 0:
            refuse("points are spent, not taken", what=name, rule=TEAM_POINTS, legal=("0 or more",))
        if name not in working:
            refuse(f"{name} does not work on it", rule=TEAM_POINTS, legal=tuple(working))
        if (points.get(name) or leader_points.get(name)) and any(each.name == name for each in fated):
            refuse(f"a Fate Point doubles the skill of {name}", rule="d6.core.fate-no-character-points")
        if points.get(name, 0) + leader_points.get(name, 0) > points_limit(scene):
            refuse(f"at most {points_limit(scene)} to one worker", what=name, rule=TEAM_POINTS)
    given, most = sum(leader_points.values()), own_code(scene, who, scene[COMMAND_SKILL]).dice
    if given > most:
        refuse(f"a leader gives at most {most}, his dice of {scene[COMMAND_SKILL]}", rule=TEAM_POINTS)
    for each in {*(working[name] for name in points), who}:
        if points.get(each.name, 0) + (given if each == who else 0) > scene[each].points_for_rolls:
            refuse(f"{each} has {scene[each].points_for_rolls} Character Points", rule=TEAM_POINTS)


@rule(TEAM_POINTS, TEAM_FATE)
async def spend_before(
    scene: Scene,
    who: Person,
    workers: tuple[Person, ...],
    fated: tuple[Person, ...],
    points: Levels,
    leader_points: Levels,
) -> None:
    """In a team points are spent before any roll, and none on the rolls themselves."""
    for each in fated:
        await alter(each, Hero.spending, 0, 1, rule=TEAM_FATE)
    for each in (worker for worker in workers if points.get(worker.name)):
        await alter(each, Hero.spending_on_roll, points[each.name])
    if leader_points:
        await alter(who, Hero.spending_on_roll, sum(leader_points.values()))
    await offer(who, CHARACTER_POINT, YES, check=lambda _: refuse("they are spent before any roll", rule=TEAM_POINTS))


@rule("d6.tasks.team-work/bonus", "d6.tasks.team-work")
async def team_bonus(scene: Scene, who: Person, people: int, average: Code, orders: Mods) -> tuple[int, int]:
    """How many of a team work together, and what that adds: all that matters of the Command roll."""
    return await hand_over(
        coordinate(who, people, average, orders, None, Spend.FATE), lambda found: (found.coordinated, found.bonus)
    )


def check_team_time(
    scene: Scene, who: Person, workers: tuple[Person, ...], using: str, base_time: int, unit: str, pace: Pace
) -> None:
    check_task_time(scene, who, base_time, unit, pace)
    check_more_time(scene, who, using, pace)
    check_helpers(scene, who, workers, task_time(scene, base_time, unit, pace))


Workers: TypeAlias = tuple[Annotated[Person, Pick(everybody)], ...]
TeamPoints: TypeAlias = Annotated[Levels, suggest(NO_POINTS)]
"""Character Points by the worker whose skill they raise."""


@action(
    "team-work",
    "d6.tasks.team-work",
    "d6.tasks.team-average",
    TEAM_FATE,
    TEAM_POINTS,
    TABLE_USE,
    bands=TEAM,
    turn=check_worker,
    price=DeclaredAction(),
    check=(check_workers, check_skill, check_spending, check_team_time),
)
async def team_work(
    scene: Scene,
    who: Person,
    workers: Workers,
    using: Ability,
    difficulty: Difficulty = 15,
    base_time: Amount = 1,
    unit: UnitName = "hour",
    modifiers: CommandModifiers = NO_MODIFIERS,
    mods: Mods = (),
    fated: Workers = (),
    points: TeamPoints = NO_POINTS,
    leader_points: TeamPoints = NO_POINTS,
    pace: Pace = "usual",
) -> TeamResult:
    """Several people work as one: the taskmaster rolls Command, then the skill with what the coordinated add.

    A taskmaster who works too does two things at once. Workers may spend Fate and Character Points before it, and the
    taskmaster Character Points for them.
    """
    both = multiple_actions(scene, 2) if who in workers else ()
    added = Levels({each.name: points.get(each.name, 0) + leader_points.get(each.name, 0) for each in workers})
    average = team_average(scene, who, workers, using, fated, added)
    await spend_before(who, workers, fated, points, leader_points)
    await helpers_done(who, workers)
    orders = (*command_mods(scene, modifiers), *both)
    together, more = await team_bonus(who, len(workers), average.code, orders)
    bonus = (Mod(more, "team", "d6.tasks.team-work"),) if more else ()
    rounds = task_time(scene, base_time, unit, pace)
    return await hand_over(
        work(who, using, difficulty, rounds, pace, (*mods, *both, *bonus), spend=Spend.FATE),
        read=lambda test: TeamResult(together, more, test),
        then=lambda found: after_task(who, found.test, 0, False),
    )
