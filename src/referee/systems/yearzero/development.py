"""Development: what XP buy, what else it takes, and how long one trains."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Final, TypeAlias

from referee.core import (
    CLOCK,
    Bands,
    Pick,
    Prompt,
    Refused,
    Scene,
    action,
    alter,
    change,
    figure,
    figures,
    formula,
    refuse,
    rows,
    rule,
    rule_on,
    set_deadline,
)
from referee.core.rulebook import RowsOf
from referee.systems.yearzero.activities import check_free, check_time, occupy, quarter_days
from referee.systems.yearzero.harm import check_able
from referee.systems.yearzero.medical_aid import MEDICAL_AID, check_requirement
from referee.systems.yearzero.rolls import Attempt, RolledPool, roll_once
from referee.systems.yearzero.sheet import (
    SKILLS,
    SPECIALTIES,
    WITS,
    Attribute,
    Person,
    Skill,
    Survivor,
    attribute_of,
)
from referee.systems.yearzero.skills import AwakeOther
from referee.systems.yearzero.talents import TALENTS, check_talents
from referee.systems.yearzero.time import rounds_in

SKILL_COST: Final = "yearzero.development.skill-cost"
SPECIALIZATION_COST: Final = "yearzero.development.specialization-cost"
SKILL_COSTS: Final = rows(SKILL_COST, "cost_per_level", int)
SPECIALIZATION_COSTS: Final = rows(SPECIALIZATION_COST, "cost_per_level", int)
TEACHER_LEVEL: Final = figure("yearzero.development.new-skill-requirement", "teacher_min_level", int)
TALENT_XP: Final = figure("yearzero.development.talent-gain", "xp", int)
REST: Final = "yearzero.development.spending-xp"
ADVANCED: Final = "yearzero.development.advanced-skill"


@figures("yearzero.development.attribute-cost")
class AttributeCost:
    """What raising an attribute costs: for each of its skills, and for the new score."""

    per_skill_level: int
    per_attribute_level: int


@figures("yearzero.development.attribute-training")
class AttributeTraining:
    """How many Quarter Days of training it takes, and within how many days."""

    quarter_days: int
    within_days: int


@figures(ADVANCED)
class Advanced:
    """What must be known before rank 1: skills or specialties with their levels."""

    requires: dict[str, dict[str, int]]


# --- what it takes ----------------------------------------------------------------------------------------------------


@formula("yearzero.journeys.xp-while-resting")
def is_quiet(scene: Scene, who: Person) -> bool:
    """Whether this is a Quarter Day of rest or sleep, or its end."""
    began = scene[who].resting
    return began is not None and 0 <= scene[CLOCK].now - began <= rounds_in(scene, "quarter day")


@formula(REST)
def check_resting(scene: Scene, who: Person) -> None:
    """XP are spent in a Quarter Day of rest or sleep."""
    if not is_quiet(scene, who):
        refuse(f"{who} does not rest or sleep", rule=REST, legal=("rest",))


def check_xp(scene: Scene, who: Person, cost: int, rule: str, *, skills: bool = False) -> None:
    """Enough XP; those made of Willpower pay for skills and specialties only."""
    there = scene[who].xp + (scene[who].skill_xp if skills else 0)
    if there < cost:
        raise Refused("xp", because=f"it costs {cost} XP, and there are {there}", rule=rule)


def paying(sheet: Survivor, cost: int, *, skills: bool = False) -> Survivor:
    """After paying, first with XP that are good for nothing else."""
    first = min(sheet.skill_xp, cost) if skills else 0
    return replace(sheet, skill_xp=sheet.skill_xp - first, xp=sheet.xp - (cost - first))


# --- skills -----------------------------------------------------------------------------------------------------------


@formula("yearzero.development.skill-cost/check")
def skill_cost(scene: Scene, level: int) -> int:
    """Five times the new level."""
    return _cost(scene, SKILL_COSTS, level)


@formula("yearzero.development.specialization-cost/check")
def specialization_cost(scene: Scene, level: int) -> int:
    """By the table of the new level."""
    return _cost(scene, SPECIALIZATION_COSTS, level)


def _cost(scene: Scene, table: RowsOf[int], level: int) -> int:
    found = scene[table]
    if str(level) not in found:
        raise Refused("level", because=f"the table ends at {found.names[-1]}", rule=found.rule)
    return found[str(level)]


def check_raise_skill(scene: Scene, who: Person, skill: Skill) -> None:
    """The XP, and for a new skill a use of it or a teacher, and its prerequisite."""
    level = scene[who].skills.get(skill, 0) + 1
    check_resting(scene, who)
    if level == 1:
        check_new_skill(scene, who, skill)
        check_advanced(scene, who, skill)
    check_xp(scene, who, skill_cost(scene, level), SKILL_COST, skills=True)


@formula("yearzero.development.new-skill-requirement")
def check_new_skill(scene: Scene, who: Person, skill: str) -> None:
    """A new skill was used untrained with success in this session, or taught for a Quarter Day."""
    if skill not in scene[who].succeeded | scene[who].taught:
        raise Refused(
            skill,
            because="it was neither used with success in this session nor taught",
            rule="yearzero.development.new-skill-requirement",
        )


@formula(ADVANCED)
def check_advanced(scene: Scene, who: Person, skill: str) -> None:
    """An advanced skill needs others first."""
    if skill == MEDICAL_AID:
        check_requirement(scene, who)
    for name, least in scene[Advanced].requires.get(skill, {}).items():
        parent, _, specialty = name.partition(": ")
        if scene[who].level(parent, specialty) < least:
            raise Refused(skill, because=f"it takes {name} {least}", rule=ADVANCED)


@action(
    "raise-skill", SKILL_COST, REST, "yearzero.development.new-skill-requirement", ADVANCED, check=check_raise_skill
)
async def raise_skill(scene: Scene, who: Person, skill: Skill) -> int:
    """A skill rises by one step, for five XP times its new level."""
    level = scene[who].skills.get(skill, 0) + 1
    paid = paying(scene[who], skill_cost(scene, level), skills=True)
    taught = paid.taught - {skill}
    await change(who, replace(paid, skills=paid.skills.but(**{skill: level}), taught=taught))
    return level


def specialties_for(scene: Scene, who: Person, skill: str) -> tuple[str, ...]:
    return scene[SPECIALTIES[skill]].names


SomeSpecialty: TypeAlias = Annotated[str, Pick(specialties_for)]


@formula("yearzero.development.specialization-detach")
def next_level(scene: Scene, who: Person, skill: str, specialty: str) -> int:
    """Of a specialty: one above its own level, or above that of its skill as long as it has none."""
    own = scene[who].specialties.get(f"{skill}: {specialty}")
    return (scene[who].skills.get(skill, 0) if own is None else own) + 1


@formula("yearzero.development.specialization-requirement")
def check_raise_specialty(scene: Scene, who: Person, skill: Skill, specialty: str) -> None:
    """The XP, and for every step a success in this session or a better teacher."""
    check_resting(scene, who)
    if f"{skill}: {specialty}" not in scene[who].succeeded | scene[who].taught:
        raise Refused(
            specialty,
            because="it was neither used with success in this session nor taught",
            rule="yearzero.development.specialization-requirement",
        )
    cost = specialization_cost(scene, next_level(scene, who, skill, specialty))
    check_xp(scene, who, cost, SPECIALIZATION_COST, skills=True)


@action(
    "raise-specialty", SPECIALIZATION_COST, "yearzero.development.specialization-detach", check=check_raise_specialty
)
async def raise_specialty(scene: Scene, who: Person, skill: Skill, specialty: SomeSpecialty) -> int:
    """A specialty rises by one step, and from then on has a level of its own."""
    level, name = next_level(scene, who, skill, specialty), f"{skill}: {specialty}"
    paid = paying(scene[who], specialization_cost(scene, level), skills=True)
    await change(who, replace(paid, specialties=paid.specialties.but(**{name: level}), taught=paid.taught - {name}))
    return level


def check_teach(scene: Scene, who: Person, pupil: Person, skill: Skill, specialty: str = "") -> None:
    """Both have the time. A teacher of a skill knows it; one of a specialty is better at it than the pupil."""
    check_free(scene, pupil)
    level = scene[who].level(skill, specialty)
    if not specialty and level < scene[TEACHER_LEVEL]:
        raise Refused(skill, because=f"{who} must know it at {scene[TEACHER_LEVEL]} or more", rule=TEACHER_LEVEL.rule)
    if specialty and level <= scene[pupil].level(skill, specialty):
        raise Refused(
            specialty,
            because=f"{who} must be better at it than {pupil}",
            rule="yearzero.development.specialization-requirement",
        )


def taught_specialties(scene: Scene, who: Person, skill: str) -> tuple[str, ...]:
    return ("", *scene[SPECIALTIES[skill]].names)


@action("teach", "yearzero.development.new-skill-requirement/teach", check=(check_time, check_teach), turn=check_able)
async def teach(
    scene: Scene,
    who: Person,
    pupil: AwakeOther,
    skill: Skill,
    specialty: Annotated[str, Pick(taught_specialties)] = "",
) -> None:
    """A Quarter Day of teaching a skill, or a specialty of it, takes the time of both."""
    name = f"{skill}: {specialty}" if specialty else skill
    await occupy(who, f"teaching {pupil}", quarter_days(scene))
    await occupy(pupil, f"learning {name}", quarter_days(scene))
    await set_deadline(quarter_days(scene), pupil, taught, about=name)


@rule("yearzero.development.new-skill-requirement/taught", "yearzero.development.specialization-requirement")
async def taught(scene: Scene, who: Person, about: str) -> None:
    """The Quarter Day with a teacher is over."""
    await alter(who, having_learned, about)


def having_learned(sheet: Survivor, name: str) -> Survivor:
    return replace(sheet, taught=sheet.taught | {name})


# --- attributes -------------------------------------------------------------------------------------------------------


@formula("yearzero.development.attribute-cost/check")
def attribute_cost(scene: Scene, who: Person, attribute: str) -> int:
    """What raising each of its skills would cost, and three times the new score."""
    cost = scene[AttributeCost]
    skills = [row.name for row in scene[SKILLS] if attribute_of(scene, row.name) == attribute]
    levels = sum(cost.per_skill_level * (scene[who].skills.get(name, 0) + 1) for name in skills)
    return levels + cost.per_attribute_level * (scene[who].full(attribute) + 1)


@formula("yearzero.development.attribute-training/check")
def trained(scene: Scene, who: Person, attribute: str) -> int:
    """The Quarter Days of training that still count: those of the last week."""
    since = scene[CLOCK].now - rounds_in(scene, "day", scene[AttributeTraining].within_days)
    return sum(1 for name, when in scene[who].training if name == attribute and when >= since)


@action("train-attribute", "yearzero.development.attribute-training", check=check_time, turn=check_able)
async def train(scene: Scene, who: Person, attribute: Attribute) -> int:
    """A Quarter Day of training an attribute."""
    await occupy(who, f"training {attribute}", quarter_days(scene))
    await change(who, replace(scene[who], training=(*scene[who].training, (attribute, scene[CLOCK].now))))
    return trained(scene, who, attribute)


def check_raise_attribute(scene: Scene, who: Person, attribute: Attribute) -> None:
    """Rest, training and the XP."""
    check_resting(scene, who)
    needed, there = scene[AttributeTraining].quarter_days, trained(scene, who, attribute)
    if there < needed:
        why = f"it takes {needed} Quarter Days of training within a week, and there were {there}"
        raise Refused(attribute, because=why, rule="yearzero.development.attribute-training")
    check_xp(scene, who, attribute_cost(scene, who, attribute), "yearzero.development.attribute-cost")


@action("raise-attribute", "yearzero.development.attribute-cost", check=check_raise_attribute)
async def raise_attribute(scene: Scene, who: Person, attribute: Attribute) -> int:
    """An attribute rises by one; its training is used up."""
    paid = paying(scene[who], attribute_cost(scene, who, attribute))
    score = paid.full(attribute) + 1
    left = tuple(each for each in paid.training if each[0] != attribute)
    await change(who, replace(paid, attributes=paid.attributes.but(**{attribute: score}), training=left))
    return score


# --- talents ----------------------------------------------------------------------------------------------------------


GAINED: Final[Bands[bool]] = Bands(of=lambda gained: "success" if gained else "failure", keys=("success", "failure"))


def check_practised(scene: Scene, who: Person, talent: str, event: bool = False) -> None:
    """Another try needs another Quarter Day of practice, or another event."""
    if talent in scene[who].missed - scene[who].practised and not event:
        because = f"{who} has tried {talent}; another try needs a new Quarter Day of practice, or an event"
        raise Refused(talent, because=because, rule=TALENT_XP.rule, legal=(f"practise {talent}", "event: yes"))


def check_gain_talent(scene: Scene, who: Person, talent: str, event: bool = False) -> None:
    """Rest, the XP, practice since the last try, and no talent more often than it says."""
    check_resting(scene, who)
    check_practised(scene, who, talent, event)
    check_talents(scene, {talent: 1})
    row = scene[TALENTS].look(talent.partition(":")[0])
    if row.at_most is not None and scene[who].talents.get(talent, 0) >= row.at_most:
        refuse(f"{who} has {talent} already")
    check_xp(scene, who, scene[TALENT_XP], TALENT_XP.rule)


def talents_for(scene: Scene, who: Person) -> tuple[str, ...]:
    return scene[TALENTS].names


def any_talent(scene: Scene, who: Person, talent: str) -> None:
    scene[TALENTS].look(talent.partition(":")[0])


AnyTalent: TypeAlias = Annotated[str, Pick(talents_for, any_talent)]
HAS_PRACTISED: Final = Prompt("has-practised")


@action("practise", "yearzero.development.talent-gain/practise", check=check_time, turn=check_able)
async def practise(scene: Scene, who: Person, talent: AnyTalent) -> None:
    """A Quarter Day of practice for a talent."""
    await occupy(who, f"practising {talent}", quarter_days(scene))
    await set_deadline(quarter_days(scene), who, has_practised, about=talent)


@rule("yearzero.development.talent-gain/practised")
async def has_practised(scene: Scene, who: Person, about: str) -> None:
    """The Quarter Day of practice is over: one try to gain the talent."""
    await change(who, replace(scene[who], practised=scene[who].practised | {about}))


def having_tried_talent(sheet: Survivor, talent: str, success: bool) -> Survivor:
    missed = sheet.missed - {talent} if success else sheet.missed | {talent}
    return replace(sheet, practised=sheet.practised - {talent}, missed=missed)


@action("gain-talent", "yearzero.development.talent-gain", bands=GAINED, check=(check_able, check_gain_talent))
async def gain_talent(scene: Scene, who: Person, talent: AnyTalent, event: bool = False) -> bool:
    """After practice or an event, a Wits roll; with a success the talent is bought, without one nothing is spent."""
    if (
        not event
        and talent not in scene[who].practised
        and not await rule_on(HAS_PRACTISED, True, options=(True, False))
    ):
        refuse("it takes a Quarter Day of practice, or a fitting event", legal=("practise", "event: yes"))
    rolled: RolledPool = await roll_once(who, Attempt(attribute=WITS, surplus=False))
    await alter(who, having_tried_talent, talent, rolled.success)
    if rolled.success:
        paid = paying(scene[who], scene[TALENT_XP])
        await change(who, replace(paid, talents=paid.talents.but(**{talent: paid.talents.get(talent, 0) + 1})))
    return rolled.success
