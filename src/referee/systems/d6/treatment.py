"""Treating wounds: First Aid, Medicine, waking and stabilizing somebody, CPR, a physician's care."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Final, TypeAlias

from referee.core import (
    CLOCK,
    DIFFICULTY,
    Mods,
    Pick,
    Prompt,
    Scene,
    action,
    alter,
    applying,
    figure,
    figures,
    formula,
    frozen,
    refuse,
    rows,
    rule,
    rule_on,
)
from referee.core.trace import note
from referee.kits.wounds import TimeSpan
from referee.systems.d6.codes import own_code
from referee.systems.d6.combat.round import DeclaredAction
from referee.systems.d6.health import (
    CARE,
    MEDICINE,
    STABLE,
    mortal_bleeding,
    rest,
    rest_all_zones,
    set_level,
)
from referee.systems.d6.resolution import TESTED, TestResult, check_able, check_skilled, roll_against
from referee.systems.d6.sheet import Bleeding, Hero, Person
from referee.systems.d6.time import rounds_of
from referee.systems.d6.work import check_no_fight, check_time, check_worker, take_time
from referee.systems.d6.wounds import DEAD, MORTAL, TORSO

FIRST_AID: Final = "First aid"
STEPS: Final = Prompt("steps")
TEMPORARY: Final = "temporary"


@frozen
class TreatmentRow:
    """What a treatment has to reach."""

    name: str
    difficulty: int


@frozen
class TreatmentTimes:
    """How long treatments take at least."""

    first_aid: TimeSpan
    stabilize: TimeSpan
    medicine: TimeSpan


@figures("d6.health.stabilize-mortal-wound")
class Stabilizing:
    """What stabilizes a mortal wound for good, and for as long as somebody keeps it up."""

    stabilize: int
    temporary: int


@figures("d6.health.medicine")
class MedicineSteps:
    """How many steps Medicine improves a wound."""

    steps_on_success: int
    high_margin: int
    steps_on_high_margin: int


@figures("d6.health.first-aid")
class FirstAidSteps:
    """How many steps First Aid improves a wound, and how many a fumble worsens it."""

    steps: int
    worse_on_fumble: int


@figures("d6.health.cpr")
class Cpr:
    """What brings somebody back in the round of death, and in the next."""

    same_round: int
    next_round: int


REDUCE: Final = rows("d6.health.treating-table", "reduce", TreatmentRow)
WAKE: Final = rows("d6.health.treating-table", "wake", TreatmentRow)
BASE_TIME: Final = figure("d6.health.treating-table", "base_time", TreatmentTimes)
USUAL_WAKE: Final = "knocked out"


@formula("d6.health.treating-table")
def treatment_time(scene: Scene, treatment: str) -> int:
    """How many rounds a treatment takes: `first_aid`, `stabilize` or `medicine`."""
    span: TimeSpan = getattr(scene[BASE_TIME], treatment)
    return rounds_of(scene, span.plus, span.unit)


def check_aid_time(scene: Scene, who: Person, patient: Person) -> None:
    check_time(scene, who, patient.name, treatment_time(scene, "first_aid"))


def everyone(scene: Scene, who: Person) -> tuple[Person, ...]:
    return scene.all(Hero)


def zones_of(scene: Scene, who: Person, patient: Person) -> tuple[str, ...]:
    """The zones that are wounded."""
    return (TORSO, *(each.zone for each in scene[patient].zones))


def check_wounded(scene: Scene, who: Person, zone: str, patient: Person) -> None:
    """There must be a wound that treatment helps against."""
    if scene[patient].wound_at(zone) not in scene[REDUCE].names:
        hurt = (each.name for each in scene.all(Hero) if scene[each].wound in scene[REDUCE].names)
        refuse(f"{patient} has no wound that can be treated", rule=REDUCE.rule, legal=tuple(hurt))
    if scene[patient].untreatable:
        refuse(
            f"no treatment helps against {scene[patient].untreatable}",
            rule=f"d6.health.{UNTREATABLE[scene[patient].untreatable]}",
        )


UNTREATABLE: Final = {"lack of food": "lack-of-food", "lack of drink": "lack-of-food", "climate": "harsh-climate"}
"""Causes of wounds that no treatment helps against, and the rules that say so."""

TREATMENT: Final = "treatment"
"""The situation of whoever is treated."""


@formula("d6.health.treating-table/patient", "d6.health.treating-table")
def treated(scene: Scene, patient: Person, mods: Mods = ()) -> Mods:
    """The modifiers of a treatment, with how much harder some people are to treat."""
    return (*mods, *(mod for mod in applying(scene, patient, TREATMENT).mods if mod.unit == DIFFICULTY))


Patient: TypeAlias = Annotated[Person, Pick(everyone)]
WoundedZone: TypeAlias = Annotated[str, Pick(zones_of, check_wounded)]


# --- First Aid and Medicine -------------------------------------------------------------------------------------------


def check_physician(scene: Scene, who: Person) -> None:
    """Only somebody with Medicine can attend to wounds."""
    own_code(scene, who, MEDICINE)
    check_skilled(scene, who)


def helped(sheet: Hero) -> Hero:
    return replace(sheet, first_aided=True)


@rule("d6.health.first-aid/improve", "d6.health.first-aid")
async def improve(scene: Scene, patient: Person, steps: int, zone: str = TORSO) -> str:
    """A wound is so many steps better, or worse."""
    level = scene[patient].ladder(scene).moved(scene[patient].wound_at(zone), -steps)
    await set_level(patient, level, zone)
    return level


def check_medicine_time(scene: Scene, who: Person, patient: Person) -> None:
    check_time(scene, who, patient.name, treatment_time(scene, "medicine"))


@action(
    "medicine",
    "d6.health.medicine",
    "d6.skills.medicine",
    "d6.health.treating-table",
    bands=TESTED,
    turn=check_worker,
    price=DeclaredAction(),
    check=(check_physician, check_medicine_time),
)
async def medicine(
    scene: Scene, who: Person, patient: Patient, zone: WoundedZone = TORSO, mods: Mods = ()
) -> TestResult:
    """With a quarter of an hour and equipment a wound is one step less serious; after a high margin perhaps two."""
    note("d6.skills.medicine")
    needed = scene[REDUCE][scene[patient].wound_at(zone)].difficulty
    result = await roll_against(who, MEDICINE, needed, treated(scene, patient, mods))
    if result.success:
        of = scene[MedicineSteps]
        steps = of.steps_on_success
        if result.margin >= of.high_margin:
            steps = await rule_on(
                STEPS, of.steps_on_high_margin, options=(of.steps_on_success, of.steps_on_high_margin)
            )
        await improve(patient, steps, zone)
    await take_time(who, treatment_time(scene, "medicine"))
    return result


def check_attended(scene: Scene, who: Person, patient: Person) -> None:
    """Somebody with wounds that may heal."""
    hurt = [each.name for each in scene.all(Hero) if scene[each].wound in scene[REDUCE].names or scene[each].zones]
    if patient.name not in hurt or scene[patient].wound == DEAD:
        refuse(f"{patient} has no wound that heals", rule="d6.health.natural-healing", legal=tuple(hurt))


def cares(scene: Scene, who: Person) -> tuple[str, ...]:
    return tuple(name for name in scene[CARE].names if scene[CARE].look(name).parts > 1)


@action(
    "attend",
    "d6.health.natural-healing/attend",
    "d6.health.natural-healing",
    turn=check_able,
    check=(check_no_fight, check_physician, check_attended),
)
async def attend(scene: Scene, who: Person, patient: Patient, care: Annotated[str, Pick(cares)] = "physician") -> None:
    """A physician attends to somebody's wounds: the rest is shorter, and Medicine may better how they heal."""
    await alter(patient, attended, who.name, care)
    await rest(patient)
    if scene[patient].zones:
        await rest_all_zones(patient)


def attended(sheet: Hero, physician: str, care: str) -> Hero:
    return replace(sheet, physician=physician, care=care)


# --- mortal wounds ----------------------------------------------------------------------------------------------------


def bleeding_people(scene: Scene) -> tuple[str, ...]:
    """Whom a mortal wound threatens."""
    found = ((each, mortal_bleeding(scene, each)) for each in scene.all(Hero))
    return tuple(each.name for each, now in found if now is not None and now.care != STABLE)


def cared_for(sheet: Hero, care: str, grace: int) -> Hero:
    """Somebody who bleeds, for so many rounds without danger if it has just begun, is stabilized."""
    bleeding = sheet.bleeding or Bleeding(grace)
    return replace(sheet, bleeding=replace(bleeding, care=care, kept_up=care == TEMPORARY))


def rounds_since(scene: Scene, now: Bleeding) -> int:
    """Rounds since the one that followed the fatal roll: nobody can act any earlier."""
    return max(0, scene[CLOCK].now - (now.died or 0) - 1)


def cpr_difficulty(scene: Scene, patient: Person) -> int:
    """It is harder in the round after the one of death."""
    now = scene[patient].bleeding
    late = now is not None and rounds_since(scene, now) > 0
    return scene[Cpr].next_round if late else scene[Cpr].same_round


def revived(sheet: Hero) -> Hero:
    """Alive, mortally wounded and bleeding; the count of rolls goes on."""
    return replace(sheet, wound=MORTAL, bleeding=sheet.bleeding and replace(sheet.bleeding, died=None))
