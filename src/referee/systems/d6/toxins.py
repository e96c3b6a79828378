"""Poisons, diseases and drugs: how they get into the body, what they do there, and what helps."""

from __future__ import annotations

from dataclasses import replace
from enum import Enum
from typing import Annotated, Final, TypeAlias

from referee.core import (
    TOTAL,
    Mod,
    Mods,
    Pick,
    Scene,
    action,
    alter,
    applying,
    formula,
    frozen,
    hand_over,
    refuse,
    rows,
    rule,
    suggest,
)
from referee.core.things import DROPPED
from referee.systems.d6.codes import own_code
from referee.systems.d6.combat.round import DeclaredAction
from referee.systems.d6.damage import Zone
from referee.systems.d6.hazards import (
    TOXIN,
    HazardOutcome,
    Victim,
    apply_outcome,
    endure,
    face,
    spanned,
    stop,
)
from referee.systems.d6.health import MEDICINE, STABLE, strength_dice
from referee.systems.d6.resolution import TESTED, TestResult, check_able, check_skilled, roll_against
from referee.systems.d6.rolls import is_secret_roll
from referee.systems.d6.sheet import PIPS_PER_DIE, Hazard, Person
from referee.systems.d6.treatment import FIRST_AID, TEMPORARY, Patient, cared_for, treated
from referee.systems.d6.work import check_worker
from referee.systems.d6.wounds import MORTAL, TORSO

# --- poisons, diseases, drugs -----------------------------------------------------------------------------------------


@frozen
class VectorRow:
    """How a toxin gets into the body."""

    name: str
    says: str = ""
    detected_with: str = ""
    protected_from_pips: int = 0
    reaches_below: int = 0


@frozen
class TreatmentOfToxin:
    """What Medicine and First Aid must reach."""

    medicine: int
    first_aid: int


@frozen
class ToxinRow:
    """A disease, a poison or a drug."""

    name: str
    vector: str
    period: str
    difficulty: int
    failed: HazardOutcome
    passed: HazardOutcome = HazardOutcome()  # a frozen value
    harder_after_success: int = 0
    passes_to_be_safe: int = 1
    diagnostic: TreatmentOfToxin | None = None
    treatment: TreatmentOfToxin | None = None
    stabilization: TreatmentOfToxin | None = None
    counter_poison: int = 0


VECTORS: Final = rows("d6.health.toxin-format", "vectors", VectorRow)
TOXINS: Final = rows("d6.health.rattlesnake-poison", "toxins", ToxinRow)
Toxin: TypeAlias = Annotated[str, TOXINS]


@formula("d6.health.toxin-format")
def is_delivered(scene: Scene, victim: Person, toxin: str, difference: int, zone: str = TORSO) -> bool:
    """Whether a blow with a coated weapon delivers a dose: a stun at least, or less where nothing protects the skin."""
    vector = scene[VECTORS][scene[TOXINS].look(toxin).vector]
    if difference >= 0:
        return True
    worn = sum(code.in_pips(scene[PIPS_PER_DIE]) for _, code in scene[victim].armor(scene, zone))
    return worn < vector.protected_from_pips and difference > -vector.reaches_below


def toxins(scene: Scene, who: Person) -> tuple[str, ...]:
    return tuple(scene[TOXINS].names)


def check_detectable(scene: Scene, who: Person, toxin: str) -> None:
    """Only what is swallowed or breathed can be tasted or smelled."""
    if not scene[VECTORS][scene[TOXINS].look(toxin).vector].detected_with:
        refuse("it can be neither tasted nor smelled")


@action(
    "detect-toxin",
    "d6.health.toxin-format/detect",
    "d6.health.toxin-format",
    bands=TESTED,
    turn=check_able,
    secret=is_secret_roll,
)
async def detect_toxin(
    scene: Scene,
    who: Person,
    toxin: Annotated[str, Pick(toxins, check_detectable)],
    difficulty: Annotated[int, suggest(10, 15, 20)],
    mods: Mods = (),
) -> TestResult:
    """Notice a toxin by its taste or smell, where that is possible."""
    using = scene[VECTORS][scene[TOXINS].look(toxin).vector].detected_with
    return await hand_over(roll_against(who, using, difficulty, mods))


@action("poison", "d6.health.rattlesnake-poison", "d6.health.toxin-format", master=True)
async def poison(scene: Scene, victim: Victim, toxin: Toxin) -> None:
    """Somebody has taken in a toxin: Stamina is rolled every period."""
    row = scene[TOXINS][toxin]
    period = spanned(scene, row.period)
    await face(victim, Hazard(row.name, TOXIN, row.difficulty, period=period), period)


def check_poisonous(scene: Scene, who: Person, toxin: str) -> None:
    """Only those whose attacks carry poison, or who hold, or have thrown, something that is coated with it."""
    used = (each for each in scene[who].equipment if each.coating and (each.ready or each.place == DROPPED))
    coatings = {scene[TOXINS].look(each.coating).name for each in used}
    if scene[TOXINS].look(toxin).name not in coatings and not applying(scene, who).granted("poison with an attack"):
        refuse(f"the attacks of {who} carry no poison", rule="d6.species.exotic-advantages")


@action(
    "poison-with-attack",
    "d6.health.toxin-format/attack",
    "d6.health.toxin-format",
    "d6.species.exotic-advantages",
    check=check_poisonous,
)
async def poison_with_attack(
    scene: Scene,
    who: Person,
    target: Victim,
    toxin: Toxin,
    difference: Annotated[int, suggest(0, -5, -10)] = 0,
    zone: Zone = TORSO,
) -> bool:
    """A poisonous attack has hit; by the difference of damage and Strength, it delivers a dose or not."""
    delivered = is_delivered(scene, target, toxin, difference, zone)
    if delivered:
        await poison(target, toxin)
    return delivered


@rule("d6.health.rattlesnake-poison/due", "d6.health.rattlesnake-poison", "d6.health.toxin-format")
async def toxin_due(scene: Scene, who: Person, hazard: Hazard) -> None:
    """A success makes the next roll harder, until enough are passed; a failure does what the toxin does."""
    row = scene[TOXINS][hazard.name]
    endured = await endure(who, hazard.difficulty, "poison")
    outcome = row.passed if endured.passed else row.failed.times(endured.times)
    await apply_outcome(who, TOXIN, outcome)
    passes = hazard.passes + endured.passed
    if passes >= row.passes_to_be_safe:
        await stop(who, hazard.name)
        return
    harder = row.harder_after_success if endured.passed else 0
    await face(
        who,
        replace(hazard, difficulty=hazard.difficulty + harder, rolls=hazard.rolls + 1, passes=passes),
        hazard.period,
    )


class ToxinAid(Enum):
    """What is tried against a toxin."""

    DIAGNOSE = "diagnose"
    TREAT = "treat"
    STABILIZE = "stabilize"


def toxins_in(scene: Scene, who: object, patient: Person) -> tuple[str, ...]:
    return tuple(each.name for each in scene[patient].hazards if each.kind == TOXIN)


def check_healer(scene: Scene, who: Person, medicine: bool) -> None:
    """Medicine is only for those who have learned it; any treatment is a skill."""
    check_skilled(scene, who)
    if medicine:
        own_code(scene, who, MEDICINE)


@action(
    "treat-toxin",
    "d6.health.toxin-format/treat",
    "d6.health.toxin-format",
    bands=TESTED,
    turn=check_worker,
    price=DeclaredAction(),
    check=check_healer,
)
async def treat_toxin(
    scene: Scene,
    who: Person,
    patient: Patient,
    toxin: Annotated[str, Pick(toxins_in)],
    aid: ToxinAid = ToxinAid.TREAT,
    medicine: bool = False,
    counter_poison: bool = False,
    mods: Mods = (),
) -> TestResult:
    """Diagnose a toxin, treat it (which ends its rolls) or delay it; a counter-poison helps."""
    row = scene[TOXINS][toxin]
    needs = {"diagnose": row.diagnostic, "treat": row.treatment, "stabilize": row.stabilization}[aid.value]
    if needs is None:
        refuse("nothing is known to help")
    bonus = (Mod(row.counter_poison, "counter-poison", TOXINS.rule, unit=TOTAL),) if counter_poison else ()
    using, needed = (MEDICINE, needs.medicine) if medicine else (FIRST_AID, needs.first_aid)
    result = await roll_against(who, using, needed, treated(scene, patient, (*mods, *bonus)))
    hazard = scene[patient].hazard(toxin)
    if result.success and aid is ToxinAid.TREAT:
        await stop(patient, toxin)
    elif result.success and aid is ToxinAid.STABILIZE and hazard is not None:
        await delay(patient, hazard)
    return result


@rule("d6.health.rattlesnake-poison/delay", "d6.health.rattlesnake-poison")
async def delay(scene: Scene, patient: Person, hazard: Hazard) -> None:
    """A toxin rests for a period; a mortal wound is stabilized for the time being."""
    await face(patient, hazard, 2 * hazard.period)
    now = scene[patient].bleeding
    if scene[patient].wound == MORTAL and (now is None or now.care != STABLE):
        await alter(patient, cared_for, TEMPORARY, strength_dice(scene, patient))
