"""Using a skill: alone, against somebody, or for a whole group."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Final, TypeAlias

from referee.core import Mod, Mods, Pick, Scene, action, change, figure, formula, hand_over, refuse, rule
from referee.core.effects import EFFECTS
from referee.kits import year_zero
from referee.systems.yearzero.battle import BATTLE
from referee.systems.yearzero.boosts import attributes_for, matters
from referee.systems.yearzero.effects import GENERAL, OUTCOME, Outcome, effects_of, roll_for_effects
from referee.systems.yearzero.gear import check_usable, things_of
from referee.systems.yearzero.harm import check_able, is_awake, why_out
from referee.systems.yearzero.opposed import oppose_once
from referee.systems.yearzero.rolls import (
    DIFFICULTIES,
    Attempt,
    RolledPool,
    check_attempt,
    roll_once,
)
from referee.systems.yearzero.sheet import ATTRIBUTES, SKILLS, SPECIALTIES, Helpers, Person, Skill, attribute_of, others

WEAKEST_LINK: Final = figure("yearzero.core.group-rolls", "weakest_link_example", tuple[str, ...])
STEALTH: Final = "Stealth"
SNEAKING: Final = "yearzero.stealth.group"
OBSERVERS: Final = figure("yearzero.observation.group", "rollers", int)
OBSERVERS_HELPED: Final = figure("yearzero.observation.group", "helping_allowed", bool)
EXPERT: Final = figure("yearzero.core.group-rolls", "expert_example", tuple[str, ...])


def effects_for(scene: Scene, who: Person, skill: str) -> tuple[str, ...]:
    """What may be aimed for with a skill alone; a situation may bring more."""
    return effects_of(scene, GENERAL[skill]) if skill in GENERAL else ("",)


def any_effect(scene: Scene, who: Person, effect: str, skill: str) -> None:
    """Whatever the skill has; the roll knows the situation, and whether it is enough."""
    if effect and (skill not in GENERAL or effect not in scene[GENERAL[skill].rows]):
        refuse(f"it is no effect of {skill}", what=effect, rule="yearzero.core.dm-two-routes")


def specialties_of(scene: Scene, who: Person, skill: str) -> tuple[str, ...]:
    """What may cover a roll of this skill; an environment one knows helps to survive and to endure there."""
    names = scene[SPECIALTIES[skill]].names
    environments = scene[who].environments if skill in ("Survival", "Endurance") else ()
    return ("", *dict.fromkeys((*names, *environments)))


def gear_for(scene: Scene, who: Person) -> tuple[str, ...]:
    return ("", *things_of(scene, who))


def check_gear(scene: Scene, who: Person, gear: str) -> None:
    if gear:
        check_usable(scene, who, gear)


def situations(scene: Scene, who: Person) -> tuple[str, ...]:
    """What somebody's talents and things ask for besides skills and attributes: a charge, a monster, a vow."""
    laid = scene[EFFECTS].lasting if EFFECTS in scene else ()
    effects = (
        *(each.effect for each in scene[who].effects(scene)),
        *(each.effect for each in laid if each.on == who.name),
    )
    own = (tag for each in effects if matters(each) for tag in each.when)
    known = {*scene[SKILLS].names, *(row.name for row in scene[ATTRIBUTES])}
    return tuple(sorted({tag for tag in own if tag not in known and ": " not in tag}))


def any_situation(scene: Scene, who: Person, situation: str) -> None:
    """Whatever may matter to somebody's effects."""


def rolled_with(scene: Scene, who: Person, skill: str) -> tuple[str, ...]:
    """The attributes a skill may be rolled with; none named is the best."""
    return ("", *attributes_for(scene, who, attribute_of(scene, skill), (skill, *situations(scene, who))))


def grades(scene: Scene, who: Person) -> tuple[str, ...]:
    """The grades of difficulty; none is Average."""
    return ("", *scene[DIFFICULTIES].names)


def grade(scene: Scene, difficulty: str) -> Mods:
    """What a grade of difficulty adds or takes away."""
    row = scene[DIFFICULTIES][difficulty] if difficulty else None
    return (Mod(row.modification, row.name, DIFFICULTIES.rule),) if row is not None and row.modification else ()


def other_specialties(scene: Scene, who: Person, answering: str) -> tuple[str, ...]:
    """What may cover the other's roll."""
    return specialties_of(scene, who, answering)


def other_gear(scene: Scene, who: Person, target: Person) -> tuple[str, ...]:
    return gear_for(scene, target)


def check_other_gear(scene: Scene, who: Person, answering_gear: str, target: Person) -> None:
    check_gear(scene, target, answering_gear)


def awake(scene: Scene, who: Person) -> tuple[Person, ...]:
    """The others who are neither unconscious nor dead."""
    return tuple(each for each in others(scene, who) if is_awake(scene[each]))


def check_awake_other(scene: Scene, who: Person, other: Person) -> None:
    """Words, feints and opposed rolls are for somebody else who is awake."""
    if other == who:
        refuse("it takes somebody else", legal=tuple(each.name for each in awake(scene, who)))
    check_member(scene, who, other)


def check_member(scene: Scene, who: Person, member: Person) -> None:
    """Nobody unconscious or dead takes part in what a group does."""
    if why := why_out(scene, member):
        refuse(why.because, rule=why.rule, legal=tuple(each.name for each in awake(scene, who)))


GradeOfDifficulty: TypeAlias = Annotated[str, Pick(grades)]
Situation: TypeAlias = Annotated[str, Pick(situations, any_situation)]
RolledWith: TypeAlias = Annotated[str, Pick(rolled_with)]
IntendedEffect: TypeAlias = Annotated[str, Pick(effects_for, any_effect)]
Specialty: TypeAlias = Annotated[str, Pick(specialties_of)]
Gear: TypeAlias = Annotated[str, Pick(gear_for, check_gear)]
Other: TypeAlias = Annotated[Person, Pick(others)]
AwakeOther: TypeAlias = Annotated[Person, Pick(others, check_awake_other)]
"""Somebody whom words can reach, feints deceive, and who can be rolled against."""
Members: TypeAlias = tuple[Annotated[Person, Pick(others, check_member)], ...]
"""The others of a group; whoever rolls may name themselves as well."""


def check_skill_roll(
    scene: Scene,
    who: Person,
    skill: Skill,
    specialty: str = "",
    gear: str = "",
    mods: Mods = (),
    helpers: Helpers = (),
    goal: str = "",
) -> None:
    check_attempt(scene, who, Attempt(skill, specialty, gear, mods, helpers, goal=goal))


@action(
    "skill-roll",
    "yearzero.core.roll-procedure/use",
    "yearzero.core.dm-two-routes",
    "yearzero.core.common-bonus-effects",
    bands=OUTCOME,
    check=check_skill_roll,
)
async def use_skill(
    scene: Scene,
    who: Person,
    skill: Skill,
    effect: IntendedEffect = "",
    specialty: Specialty = "",
    gear: Gear = "",
    mods: Mods = (),
    helpers: Helpers = (),
    target: Annotated[Person | None, Pick(lambda scene, who: (None, *others(scene, who)))] = None,
    goal: str = "",
    situation: tuple[Situation, ...] = (),
    attribute: RolledWith = "",
    difficulty: GradeOfDifficulty = "",
) -> Outcome:
    """Roll a skill. An effect aimed for takes its penalty; without one, more successes may bring one by luck."""
    tags = (*situation, *(("specialty",) if specialty else ()))
    mods = (*mods, *grade(scene, difficulty))
    attempt = Attempt(skill, specialty, gear, mods, helpers, target, tags, attribute, goal, surplus=skill in GENERAL)
    if skill in GENERAL:
        return await hand_over(roll_for_effects(who, attempt, GENERAL[skill].rule, effect, target))
    return plain(await roll_once(who, attempt))


def plain(rolled: RolledPool) -> Outcome:
    """A roll without effects."""
    beyond = max(0, rolled.successes - 1)
    banes = (rolled.pushes, rolled.base_banes, rolled.gear_banes, rolled.bought, rolled.pride)
    return Outcome(rolled.success, rolled.successes, (), beyond, *banes)


@action("opposed-roll", "yearzero.core.opposed/use", bands=OUTCOME, check=check_able)
async def oppose(
    scene: Scene,
    who: Person,
    skill: Skill,
    target: AwakeOther,
    answering: Skill,
    gear: Gear = "",
    mods: Mods = (),
    helpers: Helpers = (),
    goal: str = "",
    specialty: Specialty = "",
    difficulty: GradeOfDifficulty = "",
    situation: tuple[Situation, ...] = (),
    answering_specialty: Annotated[str, Pick(other_specialties)] = "",
    answering_gear: Annotated[str, Pick(other_gear, check_other_gear)] = "",
    answering_mods: Mods = (),
) -> Outcome:
    """Roll a skill against somebody else's; ties go to the other."""
    own = (*mods, *grade(scene, difficulty))
    attempt = Attempt(skill, specialty, gear, own, helpers, target, situation, goal=goal)
    answer = Attempt(answering, answering_specialty, answering_gear, answering_mods, against=who)
    return plain(await oppose_once(who, attempt, target, answer))


def check_group(
    scene: Scene,
    who: Person,
    skill: str,
    members: Helpers,
    helpers: Helpers = (),
    weakest: bool | None = None,
    goal: str = "",
) -> None:
    """Whoever is the weakest, or the most skilled, rolls for everyone. Nobody helps a group that sneaks or observes."""
    if BATTLE in scene:
        refuse("nobody rolls for a group in a fight", rule="yearzero.core.group-rolls", legal=("skill-roll",))
    if skill == "Observation":
        if helpers and not scene[OBSERVERS_HELPED]:
            refuse("nobody may help a group that observes", rule=OBSERVERS_HELPED.rule)
        tried = Attempt(skill, goal=goal).approach
        if goal and sum(tried in scene[each].tried for each in {who, *members}) >= (most := scene[OBSERVERS]):
            refuse(f"{most} of a group observes, and that counts for all", rule=OBSERVERS.rule)
        return
    if skill == STEALTH and helpers:
        refuse("nobody may help a group that sneaks", rule=SNEAKING)
    levels = {each: scene[each].level(skill) for each in (who, *members)}
    wanted = year_zero.rolls_for_group(levels, weakest=is_weakest_link(scene, skill, weakest))
    if who not in wanted:
        refuse(f"{' or '.join(map(str, wanted))} rolls for the group", rule="yearzero.core.group-rolls")


@formula("yearzero.core.group-rolls")
def is_weakest_link(scene: Scene, skill: str, weakest: bool | None) -> bool:
    """Whether the weakest member spoils it; the game master may say otherwise than the book's examples."""
    return skill in scene[WEAKEST_LINK] if weakest is None else weakest


@action("group-roll", "yearzero.core.group-rolls/use", bands=OUTCOME, check=(check_able, check_group))
async def roll_for_group(
    scene: Scene,
    who: Person,
    skill: Skill,
    members: Members,
    helpers: Helpers = (),
    weakest: bool | None = None,
    mods: Mods = (),
    goal: str = "",
    specialty: Specialty = "",
    gear: Gear = "",
    difficulty: GradeOfDifficulty = "",
) -> Outcome:
    """One member rolls for all; if that fails, it has failed for everyone."""
    own = (*mods, *grade(scene, difficulty))
    attempt = Attempt(skill, specialty, gear, own, helpers, goal=goal, surplus=False)
    rolled = await roll_once(who, attempt)
    if goal and not rolled.success:
        await have_tried(who, members, attempt.approach)
    return plain(rolled)


@rule("yearzero.core.group-rolls/tried")
async def have_tried(scene: Scene, who: Person, members: Helpers, approach: str) -> None:
    """What one has tried for a group nobody else of it tries alone."""
    for each in members:
        if each != who:
            await change(each, replace(scene[each], tried=(*scene[each].tried, approach)))
