"""Medical Aid: first aid, death saves, care."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Annotated, Final, Literal, TypeAlias

from referee.core import (
    CLOCK,
    Effect,
    Mod,
    Mods,
    Pick,
    Prompt,
    Refused,
    Scene,
    action,
    alter,
    applying,
    figure,
    figures,
    formula,
    frozen,
    hand_over,
    lay,
    refuse,
    rule,
    rule_on,
    suggest,
)
from referee.core.clock import Due, due
from referee.core.effects import Grants, remove_effects
from referee.kits.wounds import TimeSpan, how_long
from referee.systems.yearzero.action_types import CARRYING, NONE, ListedPrice, kind_of_action
from referee.systems.yearzero.activities import (
    ActivityResult,
    Route,
    check_free,
    check_not_busy,
    day_of,
    occupy,
    quarter_days,
    result,
    span,
)
from referee.systems.yearzero.animals import Animal
from referee.systems.yearzero.dice import NoPush
from referee.systems.yearzero.effects import OUTCOME, Outcome
from referee.systems.yearzero.gear import gear_bonus
from referee.systems.yearzero.harm import DEAD, UNCONSCIOUS, check_able, die
from referee.systems.yearzero.injuries import HEALS_IN, receive, sizes, take_injury
from referee.systems.yearzero.injury_tables import LETHAL, TABLES, printed_in, refuse_unnamed, unit_of_limit
from referee.systems.yearzero.rolls import NO_ACTION, Attempt, roll_once, roll_skill
from referee.systems.yearzero.sheet import Aid, Helpers, Injury, Person, Survivor, people
from referee.systems.yearzero.skills import Gear, plain

REQUIREMENT: Final = "yearzero.medical-aid.requirement"
REVIVE: Final = "yearzero.medical-aid.revive-unconscious"
FIRST_AID: Final = "yearzero.medical-aid.first-aid"
MOVING: Final = "yearzero.medical-aid.moving-injured"
DEATH_SAVE: Final = "yearzero.medical-aid.death-save"
STABILIZE: Final = "yearzero.medical-aid.stabilize"
CARE: Final = "yearzero.medical-aid.long-term-care"
BY_SURVIVAL: Final = "yearzero.survival.first-aid"

MEDICAL_AID: Final = "Medical Aid"
Healing: TypeAlias = Literal["Medical Aid", "Survival"]
"""The skill one heals with."""
Patient: TypeAlias = Annotated[Person, Pick(people)]


@figures(REQUIREMENT)
class Requirement:
    """What must be known before the skill is learned."""

    advanced: bool
    requires: dict[str, str | int]


@figures(BY_SURVIVAL)
class BySurvival:
    """What it costs to heal with Survival."""

    specialty: str
    gear_required: bool
    revive_broken_dm: int
    revive_unconscious_dm: int
    stabilise_fatal_critical_injury_dm: int
    long_term_critical_injury_dm: int
    illness_poison_or_other_damage_dm: int


@formula(REQUIREMENT)
def check_requirement(scene: Scene, who: Person) -> None:
    """Medical Aid is learned by those who know Medicine: the specialty, or Scholar while it has no level of its own."""
    needs = scene[Requirement].requires
    skill, specialty, level = str(needs["skill"]), str(needs["specialty"]), int(needs["level"])
    if scene[Requirement].advanced and scene[who].level(skill, specialty) < level:
        raise Refused(MEDICAL_AID, because=f"it takes {skill} ({specialty}) {level}", rule=REQUIREMENT)


def treating(scene: Scene, patient: Person, skill: Healing, specialty: str, gear: str, dm: int, mods: Mods) -> Attempt:
    """A roll to heal somebody: by a specialty of Medical Aid, a vet's for an animal, or by Survival at a penalty."""
    if skill == "Survival":
        own = (Mod(dm, "Survival", BY_SURVIVAL),) if dm else ()
        return Attempt(skill, scene[BySurvival].specialty, gear, (*mods, *own))
    return Attempt(skill, covering(scene, patient, specialty), gear, mods)


def covering(scene: Scene, patient: Person, specialty: str) -> str:
    """The specialty of Medical Aid that covers somebody's care; animals have a vet's."""
    return "Veterinarian" if isinstance(scene[patient], Animal) else specialty


def check_healer(
    scene: Scene, who: Person, patient: Person, skill: Healing, gear: str, equipment: bool | None = None
) -> None:
    """The living are healed, with Survival only by those who have gear."""
    if DEAD in scene[patient].conditions:
        refuse(f"{patient} is dead", rule=DEATH_SAVE)
    if skill == "Survival" and scene[BySurvival].gear_required and not gear and not equipment:
        refuse(
            "healing by Survival takes gear, and `gear` names none",
            rule=BY_SURVIVAL,
            legal=(f"gear: {each.name}" for each in scene[who].things),
        )


# --- first aid --------------------------------------------------------------------------------------------------------


@figures(FIRST_AID)
class FirstAidFigures:
    """What first aid heals, and what makes it harder."""

    specialty: str
    points_per_success: int
    attributes: tuple[str, ...]
    no_equipment_dm: int
    self_dm: int
    treatments_per_breaking: int


def treatable(scene: Scene, who: Person, patient: Person) -> tuple[str, ...]:
    return tuple(each for each in scene[FirstAidFigures].attributes if scene[patient].damage.get(each, 0))


def check_treatable(scene: Scene, who: Person, attribute: str, patient: Person) -> None:
    if attribute not in scene[FirstAidFigures].attributes:
        refuse(f"first aid does not heal {attribute}", legal=scene[FirstAidFigures].attributes, rule=FIRST_AID)
    if not scene[patient].damage.get(attribute, 0):
        refuse(f"{patient} has lost no {attribute}", rule=FIRST_AID)


def check_first_aid(
    scene: Scene,
    who: Person,
    patient: Person,
    attribute: str,
    gear: str,
    skill: Healing = "Medical Aid",
    equipment: bool | None = None,
) -> None:
    """Once for each time Broken; whoever has failed needs better gear."""
    check_healer(scene, who, patient, skill, gear, equipment)
    bonus = gear_bonus(scene, who, gear) if gear else 0
    given = [aid for aid in scene[patient].aid if aid.attribute == attribute]
    if sum(aid.success for aid in given) >= scene[FirstAidFigures].treatments_per_breaking:
        refuse(f"{patient} has had first aid for it", rule=FIRST_AID)
    for aid in given:
        if aid.by == who.name and bonus <= aid.bonus:
            refuse(f"{who} has failed already, and needs better gear", rule=FIRST_AID)


AIDING: Final = ListedPrice("First Aid, reviving, stabilising within a round")


@formula("yearzero.combat.recovery-first-aid")
def points_healed(scene: Scene, successes: int) -> int:
    """A point for each success, at once."""
    return successes * scene[FirstAidFigures].points_per_success


@action(
    "first-aid",
    FIRST_AID,
    BY_SURVIVAL,
    "yearzero.survival.use",
    bands=OUTCOME,
    price=AIDING,
    check=check_first_aid,
    turn=check_able,
)
async def first_aid(
    scene: Scene,
    who: Person,
    patient: Patient,
    attribute: Annotated[str, Pick(treatable, check_treatable)],
    skill: Healing = "Medical Aid",
    gear: Gear = "",
    equipment: bool | None = None,
    mods: Mods = (),
    helpers: Helpers = (),
) -> ActivityResult:
    """Get somebody Broken back up, or treat damage: a point of Strength or Agility for each success."""
    row = scene[FirstAidFigures]
    broken = attribute in scene[patient].broken
    other_damage = scene[BySurvival].illness_poison_or_other_damage_dm
    own = list(mods)
    if not broken and equipment is False and not gear:
        own.append(Mod(row.no_equipment_dm, "no equipment", FIRST_AID))
    if patient.name == who.name:
        own.append(Mod(row.self_dm, "oneself", FIRST_AID))
    dm = scene[BySurvival].revive_broken_dm if broken else other_damage
    bonus = gear_bonus(scene, who, gear) if gear else 0
    attempt = treating(scene, patient, skill, row.specialty, gear, dm, tuple(own))
    rolled = await roll_once(who, replace(attempt, helpers=helpers))
    points = points_healed(scene, rolled.successes) if rolled.success else 0
    healed = min(points, scene[patient].damage.get(attribute, 0))
    await alter(patient, _aided, Aid(attribute, who.name, bonus, rolled.success))
    if healed:
        await alter(patient, _up, attribute, healed)
    return result(rolled, healed)


def _aided(sheet: Survivor, aid: Aid) -> Survivor:
    kept = tuple(each for each in sheet.aid if (each.attribute, each.by) != (aid.attribute, aid.by))
    return replace(sheet, aid=(*kept, aid))


def _up(sheet: Survivor, attribute: str, points: int) -> Survivor:
    """Healed; whoever was Broken gets up."""
    was = attribute in sheet.broken
    after = sheet.healing(attribute, points)
    return replace(after, prone=after.prone and not was)


REVIVERS: Final = figure(REVIVE, "skills", tuple[str, ...])


def revivers(scene: Scene, who: Person, patient: Person) -> tuple[str, ...]:
    return scene[REVIVERS]


def check_unconscious(scene: Scene, who: Person, patient: Person, skill: str, gear: str) -> None:
    check_healer(scene, who, patient, "Survival" if skill.startswith("Survival") else "Medical Aid", gear)
    if UNCONSCIOUS not in scene[patient].conditions:
        refuse(f"{patient} is not unconscious", rule=REVIVE)


@formula(f"{BY_SURVIVAL}/waking")
def waking(scene: Scene) -> Mods:
    """What it costs to wake somebody with Survival."""
    dm = scene[BySurvival].revive_unconscious_dm
    return (Mod(dm, "Survival", BY_SURVIVAL),) if dm else ()


@action("revive", REVIVE, BY_SURVIVAL, bands=OUTCOME, price=AIDING, check=check_unconscious, turn=check_able)
async def revive(
    scene: Scene,
    who: Person,
    patient: Patient,
    skill: Annotated[str, Pick(revivers)] = "Medical Aid: EMT",
    gear: Gear = "",
    mods: Mods = (),
    helpers: Helpers = (),
) -> Outcome:
    """Wake somebody who was knocked out."""
    name, _, specialty = skill.partition(": ")
    own = (*mods, *waking(scene)) if name == "Survival" else mods
    specialty = specialty if name == "Survival" else covering(scene, patient, specialty)
    rolled = await roll_once(who, Attempt(name, specialty, gear, own, helpers, surplus=False))
    if rolled.success:
        await alter(patient, Survivor.without_condition, UNCONSCIOUS)
    return plain(rolled)


# --- critical injuries ------------------------------------------------------------------------------------------------


LADDER: Final = figure(STABILIZE, "categories", tuple[str, ...])


@formula(f"{LETHAL}/category")
def category_of(scene: Scene, injury: Injury) -> str:
    """Round, turn or Quarter Day."""
    return unit_of_limit(scene, injury).category


def injury_tables(scene: Scene, _: None) -> tuple[str, ...]:
    return ("", *(each.rule for each in TABLES.values()))


def check_printed(scene: Scene, _: None, name: str, injury_table: str = "") -> None:
    """An injury that several tables have is of one of them."""
    if len(found := printed_in(scene, name, injury_table)) > 1:
        refuse_unnamed(name, found)


@action("critical-injury", f"{LETHAL}/given", "yearzero.injuries.healing-time", master=True, check=check_printed)
async def injure(
    scene: Scene,
    patient: Patient,
    name: Annotated[str, suggest("cut artery", "broken arm")],
    limit: Annotated[str, suggest("", "D6 rounds", "1 turn", "1 quarter day")] = "",
    days: Annotated[str, suggest("", "D6", "2D6")] = "",
    lethal_dm: int = 0,
    permanent: bool = False,
    injury_table: Annotated[str, Pick(injury_tables)] = "",
) -> None:
    """Somebody suffers a critical injury, of the book or another: when it kills, and when it heals, is rolled now."""
    printed = printed_in(scene, name, injury_table)
    if printed and not (limit or days or lethal_dm or permanent):
        return await hand_over(receive(patient, scene[printed[0]][name], printed[0].rule))
    injury = Injury(name, "", printed[0].rule if printed else "", limit, lethal_dm=lethal_dm, permanent=permanent)
    return await hand_over(take_injury(patient, injury, "" if permanent else days))


def lethal(scene: Scene, who: Person) -> tuple[str, ...]:
    return tuple(each.name for each in scene[who].injuries if each.limit and not each.treated)


def check_lethal(scene: Scene, who: Person, injury: str) -> None:
    check_living(scene, who)
    if injury not in lethal(scene, who):
        refuse(f"{who} has no such lethal injury", legal=lethal(scene, who), rule=DEATH_SAVE)


def check_living(scene: Scene, who: Person) -> None:
    if DEAD in scene[who].conditions:
        refuse(f"{who} is dead", rule=DEATH_SAVE)


OwnLethal: TypeAlias = Annotated[str, Pick(lethal, check_lethal)]


def incapacitated(sheet: Survivor) -> bool:
    return bool(sheet.broken) or UNCONSCIOUS in sheet.conditions


@figures(DEATH_SAVE)
class DeathSave:
    """How a death save is rolled."""

    skill: str
    specialty_after_time_limit: str
    incapacitated_may_push: bool


HELPLESS: Final = NoPush("whoever is incapacitated does not push a death save", DEATH_SAVE)


@action("death-save", DEATH_SAVE, bands=OUTCOME)
async def death_save(scene: Scene, who: Person, injury: OwnLethal, moved: bool = False) -> Outcome:
    """Hang on, or die. Whoever is incapacitated saves too, but cannot push; being Unkillable helps when time is up."""
    row = scene[DeathSave]
    specialty = "" if moved else row.specialty_after_time_limit
    may_push = row.incapacitated_may_push or not incapacitated(scene[who])
    attempt = Attempt(
        row.skill,
        specialty,
        tags=("resist", "death save", NO_ACTION),
        surplus=False,
        no_push=None if may_push else HELPLESS,
        while_broken=True,
    )
    rolled = await roll_skill(who, attempt)
    await saved(who, injury, rolled.success)
    return plain(rolled)


@rule(f"{DEATH_SAVE}/saved")
async def saved(scene: Scene, who: Person, injury: str, success: bool) -> None:
    """Another save is due when the limit has passed again; whoever fails is dead."""
    if not success:
        await die(who)
        return
    found = replace(scene[who].injury(injury), awaiting_save=False, since=scene[CLOCK].now)
    await alter(who, Survivor.with_injury, found)


def limit_of(scene: Scene, injury: Injury) -> int:
    """The time limit of an injury, in rounds."""
    limit = TimeSpan.from_plain(injury.limit)
    return limit.plus * limit.size(sizes(scene))


@rule(f"{DEATH_SAVE}/due")
async def death_save_due(scene: Scene, who: Person, about: str) -> None:
    """The time limit of an injury has passed."""
    await death_save(who, about)


@due(Survivor, death_save_due)
def saves_due(scene: Scene, who: Person) -> Iterator[Due]:
    """Whoever has a lethal injury fights for their life each time that its limit has passed; in an older log the clock
    has the next time.
    """
    clock = scene[CLOCK]
    for each in scene[who].injuries if DEAD not in scene[who].conditions else ():
        if each.limit and not each.treated and (rounds := limit_of(scene, each)):
            before = 0 if each.since else clock.when(who, death_save_due, each.name) or 0
            yield Due(death_save_due, at=before if before > clock.now else each.since + rounds, about=each.name)


def check_moving(scene: Scene, who: Person) -> None:
    check_living(scene, who)
    if not lethal(scene, who):
        refuse(f"{who} has no lethal injury", rule=MOVING)


@action("move-by-own-effort", f"{MOVING}/own", MOVING, check=check_moving)
async def move_oneself(scene: Scene, who: Person) -> None:
    """Whoever moves with a lethal injury makes a death save at once."""
    await death_save(who, lethal(scene, who)[0], True)


def check_moved(scene: Scene, who: Person, patient: Person) -> None:
    check_healer(scene, who, patient, "Medical Aid", "")
    if not lethal(scene, patient):
        refuse(f"{patient} has no lethal injury", rule=MOVING)


MOVING_THEM: Final = "Medical Aid roll to move the critically injured"


@action("move-injured", MOVING, bands=OUTCOME, check=check_moved, price=ListedPrice(MOVING_THEM), turn=check_able)
async def move_injured(
    scene: Scene,
    who: Person,
    patient: Patient,
    specialty: Literal["EMT", "Field Surgeon"] = "EMT",
    gear: Gear = "",
    mods: Mods = (),
    helpers: Helpers = (),
) -> Outcome:
    """Carry somebody with a lethal injury, which is no action; if it fails, a death save is due at once."""
    apart = (NO_ACTION,) if kind_of_action(scene, MOVING_THEM) == NONE else ()
    covers = covering(scene, patient, specialty)
    rolled = await roll_once(who, Attempt(MEDICAL_AID, covers, gear, mods, helpers, tags=apart, surplus=False))
    if not rolled.success:
        await death_save(patient, lethal(scene, patient)[0], True)
    await lay(who, Effect(Grants(CARRYING)), source=f"carries {patient}", by=MOVING)
    return plain(rolled)


def carried(scene: Scene, who: Person) -> tuple[Person, ...]:
    sources = {each.source for each in applying(scene, who).active}
    return tuple(each for each in people(scene) if f"carries {each}" in sources)


Carried: TypeAlias = Annotated[Person, Pick(carried)]


@action("set-down", f"{MOVING}/set-down")
async def set_down(scene: Scene, who: Person, patient: Carried) -> None:
    """Put down somebody who was carried."""
    await remove_effects(who, f"carries {patient}")


# --- stabilising ------------------------------------------------------------------------------------------------------


@figures(STABILIZE)
class Stabilize:
    """How a lethal injury is stabilised."""

    specialty: str
    dm: int
    x: int
    self_dm: int


def lethal_of(scene: Scene, who: Person, patient: Person) -> tuple[str, ...]:
    return lethal(scene, patient)


def check_patient_injury(scene: Scene, who: Person, injury: str, patient: Person) -> None:
    if injury not in lethal(scene, patient):
        refuse(f"{patient} has no such lethal injury", legal=lethal(scene, patient), rule=STABILIZE)


def check_stabilize(
    scene: Scene, who: Person, patient: Person, injury: str, gear: str, skill: Healing = "Medical Aid"
) -> None:
    """After a failure a death save must come first; nobody treats themselves who cannot act."""
    check_not_busy(scene, who)
    check_healer(scene, who, patient, skill, gear)
    if scene[patient].injury(injury).awaiting_save:
        refuse("a try has failed: a death save must be made first", rule=STABILIZE)
    if who.name == patient.name and incapacitated(scene[who]):
        refuse(f"{who} is incapacitated", rule=STABILIZE)
    check_able(scene, who)


AT_STAKE: Final = "lethal"
"""The tag of a roll for somebody's life: surgical instruments help it."""


@action("stabilize", STABILIZE, BY_SURVIVAL, bands=OUTCOME, price=AIDING, check=check_stabilize)
async def stabilize(
    scene: Scene,
    who: Person,
    patient: Patient,
    injury: Annotated[str, Pick(lethal_of, check_patient_injury)],
    intended: bool = True,
    skill: Healing = "Medical Aid",
    gear: Gear = "",
    mods: Mods = (),
    helpers: Helpers = (),
) -> Outcome:
    """Treat a lethal injury for as long as its limit: each success moves the limit up, until the danger is over."""
    row, found = scene[Stabilize], scene[patient].injury(injury)
    own = list(mods)
    if found.lethal_dm:
        own.append(Mod(found.lethal_dm, injury, LETHAL))
    if who.name == patient.name:
        own.append(Mod(row.self_dm, "oneself", STABILIZE))
    by_survival = scene[BySurvival].stabilise_fatal_critical_injury_dm
    attempt = treating(scene, patient, skill, row.specialty, gear, by_survival, tuple(own))
    attempt = replace(attempt, helpers=helpers, surplus=False, tags=(AT_STAKE,))
    category = category_of(scene, found)
    await occupy(who, f"treating {patient}", sizes(scene)[category], helpers=helpers)
    rolled = await roll_once(who, Route(row.dm, row.x).of(attempt, "stabilize", STABILIZE, aimed=intended))
    await stabilized(patient, injury, rolled.success)
    return plain(rolled)


@rule(f"{STABILIZE}/result")
async def stabilized(scene: Scene, who: Person, injury: str, success: bool) -> None:
    """From rounds to turns, from turns to Quarter Days, and then out of danger."""
    found = scene[who].injury(injury)
    if not success:
        await alter(who, Survivor.with_injury, replace(found, awaiting_save=True))
        return
    ladder = scene[LADDER]
    above = ladder.index(category_of(scene, found)) + 1
    if above == len(ladder):
        await alter(who, Survivor.with_injury, replace(found, treated=True))
        return
    later = replace(found, limit=f"1 {ladder[above]}", since=scene[CLOCK].now)
    await alter(who, Survivor.with_injury, later)


# --- care -------------------------------------------------------------------------------------------------------------


@frozen
class Surgery:
    """What it takes to make a permanent injury heal."""

    specialty: str
    dm: int
    x: int
    time_qd: int
    heals_in: TimeSpan
    gm_permission: bool


@figures(CARE)
class Care:
    """What a day's care is worth, and what surgery takes."""

    specialty: str
    care_time_qd: int
    day_counts: int
    permanent_injury: Surgery


ALLOWED: Final = Prompt("surgery-allowed")


def healing_injuries(scene: Scene, who: Person, patient: Person) -> tuple[str, ...]:
    return tuple(each.name for each in scene[patient].injuries if not each.permanent)


def check_care(
    scene: Scene, who: Person, patient: Person, injury: str, gear: str, skill: Healing = "Medical Aid"
) -> None:
    check_free(scene, who)
    check_healer(scene, who, patient, skill, gear)
    scene[patient].injury(injury).check_care(day_of(scene), rule=CARE)


@action("long-term-care", CARE, BY_SURVIVAL, bands=OUTCOME, check=check_care, turn=check_able)
async def care(
    scene: Scene,
    who: Person,
    patient: Patient,
    injury: Annotated[str, Pick(healing_injuries)],
    skill: Healing = "Medical Aid",
    gear: Gear = "",
    mods: Mods = (),
    helpers: Helpers = (),
) -> Outcome:
    """A Quarter Day of care: if it succeeds, this day of healing counts double."""
    row = scene[Care]
    await occupy(who, f"caring for {patient}", quarter_days(scene, row.care_time_qd), helpers=helpers)
    by_survival = scene[BySurvival].long_term_critical_injury_dm
    attempt = treating(scene, patient, skill, row.specialty, gear, by_survival, mods)
    rolled = await roll_once(who, replace(attempt, helpers=helpers, surplus=False))
    cared = replace(scene[patient].injury(injury), cared_on=day_of(scene))
    helped = rolled.success and not cared.limit
    await alter(patient, Survivor.with_injury, replace(cared, treated=cared.treated or helped))
    if rolled.success:
        await alter(patient, without_infection, injury)
        await alter(patient, heals_sooner, injury, span(scene, row.day_counts - 1, "day"), scene[CLOCK].now)
    return plain(rolled)


def without_infection(sheet: Survivor, name: str) -> Survivor:
    """A wound that was cared for in time stays clean."""
    return sheet.with_injury(replace(sheet.injury(name), virulence=0, infects_at=None))


def heals_sooner(sheet: Survivor, name: str, by: int, now: int) -> Survivor:
    """An injury heals so much earlier, but not before now."""
    injury = sheet.injury(name)
    at = None if injury.heals_at is None else max(now, injury.heals_at - by)
    return sheet.with_injury(replace(injury, heals_at=at))


def permanent_injuries(scene: Scene, who: Person, patient: Person) -> tuple[str, ...]:
    return tuple(each.name for each in scene[patient].injuries if each.permanent)


def check_surgery(scene: Scene, who: Person, patient: Person) -> None:
    check_free(scene, who)
    check_healer(scene, who, patient, "Medical Aid", "")


@action("surgery", f"{CARE}/surgery", CARE, bands=OUTCOME, check=check_surgery, turn=check_able)
async def operate(
    scene: Scene,
    who: Person,
    patient: Patient,
    injury: Annotated[str, Pick(permanent_injuries)],
    intended: bool = True,
    gear: Gear = "",
    mods: Mods = (),
    helpers: Helpers = (),
) -> ActivityResult:
    """If the game master allows it, a permanent injury becomes one that heals in some days."""
    surgery = scene[Care].permanent_injury
    if surgery.gm_permission and not await rule_on(ALLOWED, True, options=(True, False)):
        refuse("the game master does not allow it", rule=CARE)
    await occupy(who, f"operating on {patient}", quarter_days(scene, surgery.time_qd), helpers=helpers)
    attempt = Attempt(MEDICAL_AID, covering(scene, patient, surgery.specialty), gear, mods, helpers, surplus=False)
    rolled = await roll_once(who, Route(surgery.dm, surgery.x).of(attempt, "surgery", CARE, aimed=intended))
    if not rolled.success:
        return result(rolled)
    rounds = await how_long(scene, patient, HEALS_IN, surgery.heals_in, sizes(scene))
    mended = replace(scene[patient].injury(injury), permanent=False, heals_at=scene[CLOCK].now + rounds)
    await alter(patient, Survivor.with_injury, mended)
    return result(rolled, rounds // sizes(scene)["day"])
