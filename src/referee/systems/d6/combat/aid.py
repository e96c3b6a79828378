"""First Aid on people, in a fight for a declared action: wounds, waking, mortal wounds, CPR, limbs."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from referee.core import DIFFICULTY, Mod, Mods, Pick, Scene, Who, alter, refuse, total
from referee.core.trace import note
from referee.systems.d6.codes import own_code
from referee.systems.d6.combat.round import fight_action
from referee.systems.d6.health import MEDICINE, STABLE, mortal_bleeding, strength_dice, wake_up
from referee.systems.d6.resolution import TESTED, TestResult, roll_against
from referee.systems.d6.sheet import Bleeding, Hero, Person
from referee.systems.d6.treatment import (
    FIRST_AID,
    REDUCE,
    TEMPORARY,
    USUAL_WAKE,
    WAKE,
    FirstAidSteps,
    Stabilizing,
    WoundedZone,
    bleeding_people,
    cared_for,
    check_aid_time,
    cpr_difficulty,
    helped,
    improve,
    revived,
    rounds_since,
    treated,
    treatment_time,
)
from referee.systems.d6.work import check_time, check_worker, take_time
from referee.systems.d6.wounds import DEAD, HEALTHY, MORTAL, TORSO
from referee.systems.d6.zones import FIXES, all_fixed, fix_for, limbs


def check_attempt(scene: Scene, who: Person, patient: Person) -> None:
    check_time(scene, who, patient.name, treatment_time(scene, "stabilize"))


def anybody_else(scene: Scene, who: Person, patient: Person) -> None:
    """Of anybody who is not listed the rules say why nothing can be done."""


# --- wounds -----------------------------------------------------------------------------------------------------------


def wounded_people(scene: Scene, who: Person) -> tuple[Person, ...]:
    """Those whom First Aid may still help."""
    hurt = (each for each in scene.all(Hero) if scene[each].wound != HEALTHY or scene[each].zones)
    return tuple(each for each in hurt if not scene[each].first_aided and scene[each].wound != DEAD)


Wounded: TypeAlias = Annotated[Person, Pick(wounded_people, anybody_else)]


def check_first_aid(scene: Scene, who: Person, patient: Person) -> None:
    """After a success First Aid is of no use until there is a new wound."""
    if scene[patient].first_aided:
        refuse(f"First Aid has helped {patient} already, until there is a new wound", rule="d6.health.first-aid")


@fight_action(
    "first-aid",
    "d6.health.first-aid",
    "d6.skills.first-aid",
    bands=TESTED,
    turn=check_worker,
    check=(check_first_aid, check_aid_time),
)
async def first_aid(
    scene: Scene, who: Person, patient: Wounded, zone: WoundedZone = TORSO, mods: Mods = ()
) -> TestResult:
    """In a minute a wound is one step less serious after a success, and one worse after a fumble."""
    note("d6.skills.first-aid")
    needed = scene[REDUCE][scene[patient].wound_at(zone)].difficulty
    result = await roll_against(who, FIRST_AID, needed, treated(scene, patient, mods))
    if result.success:
        await improve(patient, scene[FirstAidSteps].steps, zone)
        await alter(patient, helped)
    elif result.fumble:
        await improve(patient, -scene[FirstAidSteps].worse_on_fumble, zone)
    await take_time(who, treatment_time(scene, "first_aid"))
    return result


# --- waking -----------------------------------------------------------------------------------------------------------


def unconscious_people(scene: Scene, who: Person) -> tuple[Person, ...]:
    return tuple(each for each in scene.all(Hero) if scene[each].unconscious is not None)


def check_unconscious(scene: Scene, who: Person, patient: Person) -> None:
    """Only somebody who is merely unconscious can be woken."""
    out = scene[patient].unconscious
    if out is None:
        refuse(f"{patient} is awake", legal=tuple(each.name for each in unconscious_people(scene, who)))
    if scene[patient].wound in (MORTAL, DEAD) or out.cause == "exhausted":
        refuse(f"{patient} cannot be woken ({out.cause})")


@fight_action(
    "wake",
    "d6.health.treating-table/wake",
    "d6.health.treating-table",
    bands=TESTED,
    turn=check_worker,
    check=(check_unconscious, check_aid_time),
)
async def wake(
    scene: Scene, who: Person, patient: Annotated[Person, Pick(unconscious_people, anybody_else)], mods: Mods = ()
) -> TestResult:
    """A minute of First Aid wakes somebody who is unconscious."""
    out = scene[patient].unconscious
    cause = out.cause if out is not None and out.cause in scene[WAKE].names else USUAL_WAKE
    result = await roll_against(who, FIRST_AID, scene[WAKE][cause].difficulty, treated(scene, patient, mods))
    if result.success:
        await wake_up(patient)
    await take_time(who, treatment_time(scene, "first_aid"))
    return result


# --- mortal wounds ----------------------------------------------------------------------------------------------------


def dying_people(scene: Scene, who: Person) -> tuple[Person, ...]:
    return tuple(Who(name, Hero) for name in bleeding_people(scene))


Dying: TypeAlias = Annotated[Person, Pick(dying_people, anybody_else)]


def check_bleeding(scene: Scene, who: Person, patient: Person) -> None:
    """Somebody is bleeding to death, and can be helped."""
    now = mortal_bleeding(scene, patient)
    if now is None or now.care == STABLE:
        refuse(f"{patient} is not bleeding to death", legal=bleeding_people(scene))
    if now.hopeless:
        refuse("neither First Aid nor Medicine helps", rule="d6.health.punctured-lungs")


@fight_action(
    "stabilize",
    "d6.health.stabilize-mortal-wound",
    bands=TESTED,
    turn=check_worker,
    check=(check_bleeding, check_attempt),
)
async def stabilize(scene: Scene, who: Person, patient: Dying, mods: Mods = ()) -> TestResult:
    """A mortal wound stops threatening for good, or for as long as somebody spends an action on it every round."""
    result = await roll_against(who, FIRST_AID, scene[Stabilizing].stabilize, treated(scene, patient, mods))
    harder = total(mod for mod in treated(scene, patient, mods) if mod.unit == DIFFICULTY)
    if result.success:
        await alter(patient, cared_for, STABLE, strength_dice(scene, patient))
    elif result.total >= scene[Stabilizing].temporary + harder:
        await alter(patient, cared_for, TEMPORARY, strength_dice(scene, patient))
    await take_time(who, treatment_time(scene, "stabilize"))
    return result


def check_kept_up(scene: Scene, who: Person, patient: Person) -> None:
    now = scene[patient].bleeding
    if now is None or now.care != TEMPORARY:
        refuse(f"{patient} is not stabilized for the time being", legal=("stabilize",))


@fight_action(
    "maintain",
    "d6.health.stabilize-mortal-wound/maintain",
    "d6.health.stabilize-mortal-wound",
    turn=check_worker,
    check=check_kept_up,
)
async def maintain(scene: Scene, who: Person, patient: Dying) -> None:
    """Keep somebody stabilized for another round; it is one of one's actions."""
    await alter(patient, cared_for, TEMPORARY, strength_dice(scene, patient))


def died_people(scene: Scene, who: Person) -> tuple[Person, ...]:
    return tuple(each for each in scene.all(Hero) if died(scene[each]) is not None)


def died(sheet: Hero) -> Bleeding | None:
    """How somebody has bled to death who might be brought back."""
    now = sheet.bleeding
    return now if now is not None and now.died is not None and not now.hopeless else None


def check_can_be_revived(scene: Scene, who: Person, patient: Person) -> None:
    """Only somebody who has just bled to death."""
    if (now := died(scene[patient])) is None:
        refuse(f"{patient} has not bled to death")
    if rounds_since(scene, now) > 1:
        refuse("it is too late: only the round of death and the next count")


@fight_action("cpr", "d6.health.cpr", bands=TESTED, turn=check_worker, check=check_can_be_revived)
async def cpr(
    scene: Scene, who: Person, patient: Annotated[Person, Pick(died_people, anybody_else)], mods: Mods = ()
) -> TestResult:
    """Somebody who has bled to death lives for another round, and bleeds on."""
    result = await roll_against(who, FIRST_AID, cpr_difficulty(scene, patient), treated(scene, patient, mods))
    if result.success:
        await alter(patient, revived)
    return result


# --- limbs ------------------------------------------------------------------------------------------------------------


def with_bad_limbs(scene: Scene, who: Person) -> tuple[Person, ...]:
    return tuple(each for each in scene.all(Hero) if scene[each].states)


def check_fixer(scene: Scene, who: Person, patient: Person, zone: str) -> None:
    """A broken limb takes Medicine."""
    if (row := fix_for(scene, patient, zone)) is not None:
        own_code(scene, who, row.skill)


def fix_time(scene: Scene, patient: Person, zone: str) -> int:
    """How many rounds it takes to fix a limb: as long as the treatment that does it."""
    row = fix_for(scene, patient, zone)
    return treatment_time(scene, "medicine" if row is not None and row.skill == MEDICINE else "first_aid")


def check_fix_time(scene: Scene, who: Person, patient: Person, zone: str) -> None:
    check_time(scene, who, patient.name, fix_time(scene, patient, zone))


@fight_action(
    "fix-limb", "d6.health.localized-treatment", bands=TESTED, turn=check_worker, check=(check_fixer, check_fix_time)
)
async def fix_limb(
    scene: Scene,
    who: Person,
    patient: Annotated[Person, Pick(with_bad_limbs, anybody_else)],
    zone: Annotated[str, Pick(limbs)],
    mods: tuple[Mod, ...] = (),
) -> TestResult:
    """Fix a disabled or broken limb, so that it can be used again, if badly."""
    row = fix_for(scene, patient, zone)
    if row is None:
        refuse("there is nothing to fix", what=zone)
    rounds = fix_time(scene, patient, zone)
    result = await roll_against(who, scene[FIXES][row.name].skill, row.difficulty, treated(scene, patient, mods))
    if result.success:
        await alter(patient, all_fixed, zone)
    await take_time(who, rounds)
    return result
