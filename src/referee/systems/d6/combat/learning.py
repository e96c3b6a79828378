"""Learning maneuvers: from a teacher, from a book, or by research of one's own."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Final, TypeAlias

from referee.core import (
    YES,
    Effect,
    Mods,
    Pick,
    Prompt,
    Scene,
    action,
    advance_clock,
    alter,
    figure,
    formula,
    frozen,
    offer,
    refuse,
    rows,
    rule,
    suggest,
)
from referee.core.questions import OptionCost, Request
from referee.systems.d6.codes import own_code
from referee.systems.d6.combat.maneuvers import (
    MARTIAL_ROWS,
    MASTERY_ROWS,
    ManeuverRow,
    check_known,
    check_played,
    combat_skills,
    maneuver_names,
    maneuver_row,
    skill_of,
    with_mark,
)
from referee.systems.d6.merits_and_flaws import check_points
from referee.systems.d6.resolution import TESTED, TestResult, check_able, check_skilled
from referee.systems.d6.sheet import PIPS_PER_DIE, Hero, KnownManeuver, Person
from referee.systems.d6.tasks import Pace, task_time, work
from referee.systems.d6.time import rounds_of
from referee.systems.d6.work import BASE_TIME, check_no_fight
from referee.systems.d6.zones import PLACES

ACQUIRING: Final = "d6.advanced.acquiring-maneuvers"
INVENTING: Final = "d6.advanced.inventing-maneuvers"
COST: Final = figure(ACQUIRING, "cost_character_points", int)
MONTHS: Final = figure(INVENTING, "base_months", int)
LEARN: Final = Prompt("learn")
RESEARCH: Final = "own research"


@frozen
class ManeuverSource:
    """Where a maneuver is learned, and how many days it takes."""

    name: str
    days: int = 0
    teacher: bool = False
    researched: bool = False


@frozen
class InventionType:
    """What a maneuver of one's own does, and how difficult it is to find."""

    name: str
    difficulty: int


SOURCES: Final = rows(ACQUIRING, "sources", ManeuverSource)
TYPES: Final = rows(INVENTING, "types", InventionType)


# --- acquiring --------------------------------------------------------------------------------------------------------


def all_maneuvers(scene: Scene, who: Person | None) -> tuple[str, ...]:
    """Every maneuver that a skill of somebody has, and those found by research."""
    if who is None:
        return tuple(dict.fromkeys((*scene[MASTERY_ROWS].names, *scene[MARTIAL_ROWS].names)))
    listed = (name for skill in combat_skills(scene, who) for name in maneuver_names(scene, skill))
    return tuple(dict.fromkeys((*listed, *(each.name for each in scene[who].maneuvers if not each.acquired))))


def any_maneuver(scene: Scene, who: Person, maneuver: str) -> None:
    """Whether it can be learned depends on the skill."""


def skills_for(scene: Scene, who: Person, maneuver: str) -> tuple[str, ...]:
    found = found_by_research(scene, who, maneuver)
    own = (skill_of(scene, who, found),) if found else ()
    return tuple(each for each in combat_skills(scene, who) if maneuver in maneuver_names(scene, each) or each in own)


def check_skill_for(scene: Scene, who: Person, skill: str, maneuver: str) -> None:
    """An advanced skill that one has, and that has this maneuver; none needs to be named if only one has it."""
    legal = skills_for(scene, who, maneuver)
    if not legal:
        refuse(f"{who} has no skill with this maneuver", what=maneuver, rule=ACQUIRING, legal=all_maneuvers(scene, who))
    if skill and with_mark(skill) not in legal:
        refuse("it is not a maneuver of this skill", what=maneuver, rule=ACQUIRING, legal=legal)


def found_by_research(scene: Scene, who: Person, maneuver: str) -> KnownManeuver | None:
    return next((each for each in scene[who].maneuvers if each.name == maneuver and not each.acquired), None)


def teachers(scene: Scene, who: Person) -> tuple[Person | None, ...]:
    return (None, *(each for each in scene.all(Hero) if each != who))


def zones_of_body(scene: Scene, who: object) -> tuple[str, ...]:
    return ("", *scene[PLACES].names)


def any_zone(scene: Scene, who: object, zone: str) -> None:
    """A player may propose a vital area that the book does not list."""


ManeuverName: TypeAlias = Annotated[str, Pick(all_maneuvers, any_maneuver)]
ManeuverSkill: TypeAlias = Annotated[str, Pick(skills_for, check_skill_for)]
SourceName: TypeAlias = Annotated[str, Pick(lambda scene, who: tuple(scene[SOURCES].names))]
Teacher: TypeAlias = Annotated[Person | None, Pick(teachers)]
Dice: TypeAlias = Annotated[int, suggest(0, 1, 2, 3)]
BodyZone: TypeAlias = Annotated[str, Pick(zones_of_body, any_zone)]


@formula(ACQUIRING)
def most_maneuvers(scene: Scene, who: Person, skill: str) -> int:
    """As many maneuvers as the advanced skill has pips, all its dice counted: 7 with 2D+1."""
    return own_code(scene, who, skill).in_pips(scene[PIPS_PER_DIE])


def learned_with(scene: Scene, who: Person, skill: str) -> tuple[KnownManeuver, ...]:
    return tuple(each for each in scene[who].maneuvers if each.acquired and skill_of(scene, who, each) == skill)


def chosen_skill(scene: Scene, who: Person, maneuver: str, skill: str) -> str:
    return with_mark(skill) or skills_for(scene, who, maneuver)[0]


def check_acquire(
    scene: Scene,
    who: Person,
    maneuver: str,
    skill: str = "",
    source: str = "teacher",
    teacher: Person | None = None,
    dice: int = 0,
    approved: bool = False,
) -> None:
    """A point to spend, a place for it, what it builds on, and a source that has it."""
    own = chosen_skill(scene, who, maneuver, skill)
    check_points(scene, who, scene[COST], ACQUIRING)
    check_source(scene, who, maneuver, own, source, teacher)
    if not approved and len(learned_with(scene, who, own)) >= most_maneuvers(scene, who, own):
        most = most_maneuvers(scene, who, own)
        refuse(f"{own} has room for {most} maneuvers, unless the game master approves", what=maneuver, rule=ACQUIRING)
    if maneuver in maneuver_names(scene, own):
        check_played(scene, maneuver, own)
        check_row(scene, who, maneuver_row(scene, maneuver, own), own, dice)


def check_source(scene: Scene, who: Person, maneuver: str, skill: str, source: str, teacher: Person | None) -> None:
    """A teacher must know the maneuver; research must have found it."""
    row = scene[SOURCES][source]
    if row.researched and found_by_research(scene, who, maneuver) is None:
        refuse(f"{who} has not found it by research", what=maneuver, rule=INVENTING, legal=("invent-maneuver",))
    if row.teacher and teacher is not None:
        check_known(scene, teacher, maneuver, skill)


def check_row(scene: Scene, who: Person, row: ManeuverRow, skill: str, dice: int) -> None:
    """What the row of a maneuver asks for: simpler maneuvers, and how often it may be learned."""
    mine = [each.name for each in learned_with(scene, who, skill)]
    if missing := [each for each in row.prerequisites if each not in mine]:
        refuse(f"it builds on {' and '.join(missing)}", what=row.name, rule=ACQUIRING, legal=missing)
    if row.merit and not any(each.name == row.merit for each in scene[who].merits):
        refuse(f"it takes the merit {row.merit}", what=row.name, rule=ACQUIRING)
    if row.name in mine and not row.variants:
        refuse(f"{who} knows it already, and it has no variants", what=row.name, rule=ACQUIRING)
    if row.at_most_dice and mine.count(row.name) >= own_code(scene, who, skill).dice:
        refuse(f"at most as often as {skill} has dice", what=row.name, rule=ACQUIRING)
    if row.least_dice and dice < row.least_dice:
        refuse(f"it stakes at least {row.least_dice} die", what=row.name, rule=ACQUIRING, legal=("1", "2", "3"))


def variant_name(scene: Scene, who: Person, maneuver: str, skill: str, variant: str) -> str:
    """A name of its own for each variant: the second is called 2, if nothing better is said."""
    taken = {each.variant for each in learned_with(scene, who, skill) if each.name == maneuver}
    if variant not in taken:
        return variant
    if variant:
        refuse("there is a variant of this name already", what=f"{maneuver} ({variant})", rule=ACQUIRING)
    return next(str(number) for number in range(2, len(taken) + 3) if str(number) not in taken)


@action("acquire-maneuver", ACQUIRING + "/acquire", ACQUIRING, turn=check_able, check=(check_no_fight, check_acquire))
async def acquire_maneuver(
    scene: Scene,
    who: Person,
    maneuver: ManeuverName,
    skill: ManeuverSkill = "",
    source: SourceName = "teacher",
    teacher: Teacher = None,
    variant: str = "",
    dice: Dice = 0,
    zone: BodyZone = "",
    approved: bool = False,
) -> KnownManeuver:
    """Learn a maneuver for a Character Point: some days with a teacher or a book. The game master may approve more."""
    own = chosen_skill(scene, who, maneuver, skill)
    if days := scene[SOURCES][source].days:
        await advance_clock(rounds_of(scene, days, "day"))
    if scene[SOURCES][source].researched:
        return await learn(who, maneuver, own, dice, zone)
    learned = KnownManeuver(maneuver, own, variant_name(scene, who, maneuver, own, variant), dice, zone)
    await alter(who, Hero.spending, scene[COST])
    await alter(who, Hero.learning, learned)
    return learned


@rule(ACQUIRING + "/research", ACQUIRING)
async def learn(scene: Scene, who: Person, maneuver: str, skill: str, dice: int = 0, zone: str = "") -> KnownManeuver:
    """What research has found is learned."""
    found = found_by_research(scene, who, maneuver) or KnownManeuver(maneuver, skill)
    learned = replace(found, skill=skill, dice=dice, zone=zone, acquired=True)
    await alter(who, Hero.spending, scene[COST])
    await alter(who, Hero.learning, learned, found)
    return learned


# --- inventing --------------------------------------------------------------------------------------------------------


def type_names(scene: Scene, who: Person) -> tuple[str, ...]:
    return tuple(scene[TYPES].names)


def own_skills(scene: Scene, who: Person) -> tuple[str, ...]:
    return combat_skills(scene, who)


def check_own_skill(scene: Scene, who: Person, skill: str) -> None:
    """Research is done with a Melee mastery or with Martial arts; the only one one has need not be named."""
    if not own_skills(scene, who) or (skill and with_mark(skill) not in own_skills(scene, who)):
        refuse("research needs a Melee mastery, or Martial arts", rule=INVENTING, legal=own_skills(scene, who))


@formula(INVENTING)
def invention_difficulty(scene: Scene, type: str) -> int:  # noqa: A002  # as the table calls it
    """How difficult a maneuver is to find, by what it does."""
    return scene[TYPES][type].difficulty


@action(
    "invent-maneuver",
    INVENTING + "/research",
    INVENTING,
    BASE_TIME,
    bands=TESTED,
    turn=check_able,
    check=(check_no_fight, check_skilled),
)
async def invent_maneuver(
    scene: Scene,
    who: Person,
    maneuver: Annotated[str, suggest("a feint of my own")],
    type: Annotated[str, Pick(type_names)],  # noqa: A002  # as the table calls it
    skill: Annotated[str, Pick(own_skills, check_own_skill)] = "",
    pace: Pace = "usual",
    mods: Mods = (),
    effects: tuple[Effect, ...] = (),
) -> TestResult:
    """A month of research. If it succeeds, the maneuver can be learned for a Character Point, now or later."""
    own = with_mark(skill) or own_skills(scene, who)[0]
    rounds = task_time(scene, scene[MONTHS], "month", pace)
    result = await work(who, own, invention_difficulty(scene, type), rounds, pace, mods)
    if result.success:
        variant = variant_name(scene, who, maneuver, own, "")
        await alter(who, Hero.with_maneuver, KnownManeuver(maneuver, own, variant, effects=effects, acquired=False))
        if await offer_to_learn(scene, who, maneuver, own):
            await learn(who, maneuver, own)
    return result


def offer_to_learn(scene: Scene, who: Person, maneuver: str, skill: str) -> Request[bool | None]:
    """As soon as it is found, it may be learned."""
    return offer(
        who,
        LEARN,
        YES,
        check=lambda _: check_acquire(scene, who, maneuver, skill, RESEARCH),
        cost=lambda _: OptionCost(scene[COST], "character_points"),
    )
