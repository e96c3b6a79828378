"""Disease: who falls ill, how an illness goes on from day to day, and who fights it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Annotated, Final, Literal, TypeAlias

from referee.core import (
    CLOCK,
    Mod,
    Mods,
    Scene,
    action,
    alter,
    figure,
    figures,
    formula,
    hand_over,
    refuse,
    rule,
    suggest,
)
from referee.core.clock import Due, due
from referee.systems.yearzero.activities import check_free, dawn_of, day_of, lock, locked, span
from referee.systems.yearzero.effects import OUTCOME, Outcome
from referee.systems.yearzero.harm import DEAD, check_able, check_awake, die, waste_away
from referee.systems.yearzero.injury_tables import DISEASE, SICK, SICK_ATTRIBUTES
from referee.systems.yearzero.medical_aid import BY_SURVIVAL, BySurvival, Healing, Patient, check_healer, treating
from referee.systems.yearzero.panic import panic_check
from referee.systems.yearzero.rolls import NO_ACTION, Attempt, roll_once, roll_skill
from referee.systems.yearzero.sheet import STRENGTH, Helpers, Infection, Person, Survivor
from referee.systems.yearzero.skills import Gear, plain

CARE: Final = "yearzero.medical-aid.disease"
COURSE: Final = DISEASE
TODAY: Final = "rolled against illness"
RESISTANT: Final = "Resistant"

Illness: TypeAlias = Literal["bacteria", "virus", "radiation sickness"]
SICK_DAMAGE: Final = figure(COURSE, "damage/amount", int)
MILDEST: Final = figure(COURSE, "virulence/mildest", int)
WORST: Final = figure(COURSE, "virulence/worst", int)


@figures(CARE)
class Disease:
    """How a caregiver fights an illness."""

    specialty: str
    antibiotics_bonus: int
    antibiotics_no_effect: tuple[str, ...]


@figures(COURSE)
class CourseOfDisease:
    """How long an illness takes to break out, how often one rolls against it, and when it kills."""

    onset_days: int
    roll_per_day: int
    death_after_broken_days: int


Virulence: TypeAlias = Annotated[int, suggest(0, -1, -2, -3, -4, -5, -6)]


def check_virulence(scene: Scene, who: Person, virulence: int = 0) -> None:
    if not scene[WORST] <= virulence <= scene[MILDEST]:
        refuse(f"virulence is {scene[MILDEST]} to {scene[WORST]}", rule=COURSE)


# --- falling ill ------------------------------------------------------------------------------------------------------


def check_exposed(scene: Scene, who: Person, virulence: int = 0) -> None:
    """Somebody alive who is not sick yet."""
    check_awake(scene, who)
    check_virulence(scene, who, virulence)
    if SICK in scene[who].conditions:
        refuse(f"{who} is sick already", rule=COURSE, legal=("treat-disease",))


@action("resist-disease", f"{COURSE}/exposure", COURSE, bands=OUTCOME, check=check_exposed)
async def resist_disease(
    scene: Scene,
    who: Person,
    virulence: Virulence = 0,
    illness: Illness = "bacteria",
    gear: Gear = "",
    mods: Mods = (),
) -> Outcome:
    """Exposed to an illness, one rolls Endurance at its virulence; whoever fails falls sick."""
    infection = Infection(virulence, illness)
    rolled = await roll_once(who, replace(against(infection), gear=gear).adding(*mods))
    if not rolled.success:
        await fall_sick(who, infection)
    return plain(rolled)


def against(infection: Infection) -> Attempt:
    """Somebody's own roll against an illness; even those who are Broken make it."""
    mods = (Mod(infection.virulence, "virulence", COURSE),) if infection.virulence else ()
    tags = ("resist", "disease", NO_ACTION)
    return Attempt("Endurance", RESISTANT, mods=mods, tags=tags, surplus=False, while_broken=True)


@rule(f"{COURSE}/sick")
async def fall_sick(scene: Scene, who: Person, infection: Infection) -> None:
    """Strength and Agility do not recover by themselves, and the next day the illness breaks out."""
    await alter(who, Survivor.falling_sick, replace(infection, since=scene[CLOCK].now))


@rule(f"{COURSE}/outbreak")
async def breaks_out(scene: Scene, who: Person) -> None:
    """The illness breaks out; from the next day on there is a roll each day."""
    if SICK in scene[who].conditions:
        broken_out = replace(infection_of(scene[who]), broke_out=scene[CLOCK].now)
        await alter(who, Survivor.falling_sick, broken_out)
        await weaken(who)


@formula(f"{COURSE}/between")
def day_between_rolls(scene: Scene) -> int:
    """How long it is from one roll against an illness to the next."""
    return span(scene, 1, "day") // scene[CourseOfDisease].roll_per_day


@rule(f"{COURSE}/weaken")
async def weaken(scene: Scene, who: Person) -> None:
    """Damage to Strength and Agility; whoever has no Strength left dies after another day, unless well by then."""
    before, points = scene[who].stress, scene[SICK_DAMAGE]
    for attribute in scene[SICK_ATTRIBUTES]:
        await waste_away(who, points, attribute)
    await panic_check(who, before)
    infection = infection_of(scene[who])
    if STRENGTH in scene[who].broken and infection.strengthless is None and DEAD not in scene[who].conditions:
        await alter(who, Survivor.falling_sick, replace(infection, strengthless=scene[CLOCK].now))


@rule(f"{COURSE}/death")
async def dies_of_it(scene: Scene, who: Person) -> None:
    """Still sick and without Strength: that is the end. Whoever has some again has another day when it is gone."""
    if SICK not in scene[who].conditions:
        return
    if STRENGTH in scene[who].broken:
        await die(who)
    else:
        await alter(who, Survivor.falling_sick, replace(infection_of(scene[who]), strengthless=None))


@rule(f"{COURSE}/daily")
async def daily_roll(scene: Scene, who: Person) -> None:
    """The roll of the day, unless somebody has made it who cares for the sick."""
    if SICK not in scene[who].conditions or DEAD in scene[who].conditions:
        return
    if not locked(scene, who, TODAY):
        rolled = await roll_skill(who, against(infection_of(scene[who])))
        await day_of_illness(who, rolled.success)


@rule(COURSE)
async def day_of_illness(scene: Scene, patient: Person, well: bool) -> None:
    """A success ends the sickness; a failure does damage to Strength and Agility."""
    if not well:
        return await hand_over(weaken(patient))
    await alter(patient, Survivor.getting_well)
    return None


def infection_of(sheet: Survivor) -> Infection:
    """What somebody sick has caught; one of which nothing is said is the mildest."""
    return sheet.infection or Infection()


@due(Survivor, breaks_out, daily_roll, dies_of_it)
def illness_goes_on(scene: Scene, who: Person) -> Iterator[Due]:
    """An illness breaks out, is rolled against each day from then on, and kills whoever it leaves without Strength."""
    sheet, infection, course = scene[who], infection_of(scene[who]), scene[CourseOfDisease]
    if SICK not in sheet.conditions or DEAD in sheet.conditions:
        return
    broke_out = infection.broke_out
    if broke_out is None and not infection.since:  # in an older log the clock has its next roll
        broke_out = scene[CLOCK].when(who, daily_roll)
    if broke_out is None:
        onset = infection.since + span(scene, course.onset_days, "day")
        yield Due(breaks_out, at=scene[CLOCK].ahead(who, breaks_out) or onset)
    else:
        yield Due(daily_roll, every=day_between_rolls(scene), since=broke_out)
    if infection.strengthless is not None:
        yield Due(dies_of_it, at=infection.strengthless + span(scene, course.death_after_broken_days, "day"))
    elif (at := scene[CLOCK].ahead(who, dies_of_it)) is not None:
        yield Due(dies_of_it, at=at)


# --- infected wounds --------------------------------------------------------------------------------------------------


@rule("yearzero.injuries.wound-infection/begin", "yearzero.injuries.wound-infection")
async def wound_festers(scene: Scene, who: Person, about: str) -> None:
    """A wound that had no successful care becomes infected: Endurance at its virulence, or one is sick."""
    infection = Infection(scene[who].injury(about).virulence)
    await alter(who, Survivor.with_injury, replace(scene[who].injury(about), virulence=0, infects_at=None))
    if SICK not in scene[who].conditions and not (await roll_skill(who, against(infection))).success:
        await fall_sick(who, infection)


@due(Survivor, wound_festers)
def wounds_fester(scene: Scene, who: Person) -> Iterator[Due]:
    """A cut or stab is infected the day after it was taken, unless it was cared for by then."""
    for each in scene[who].injuries if DEAD not in scene[who].conditions else ():
        if each.infects_at is not None:
            yield Due(wound_festers, at=each.infects_at, about=each.name)


# --- care -------------------------------------------------------------------------------------------------------------


def check_sick(
    scene: Scene, who: Person, patient: Person, gear: str, virulence: int | None = None, skill: Healing = "Medical Aid"
) -> None:
    check_free(scene, who)
    check_healer(scene, who, patient, skill, gear)
    if SICK not in scene[patient].conditions:
        refuse(f"{patient} is not sick", rule=CARE, legal=("resist-disease",))
    check_virulence(scene, who, virulence or 0)
    if locked(scene, patient, TODAY):
        refuse(f"{patient} has had today's roll", rule=CARE)


@action("treat-disease", CARE, BY_SURVIVAL, bands=OUTCOME, check=check_sick, turn=check_able)
async def treat_disease(
    scene: Scene,
    who: Person,
    patient: Patient,
    virulence: int | None = None,
    antibiotics: bool = False,
    illness: Illness | None = None,
    skill: Healing = "Medical Aid",
    gear: Gear = "",
    mods: Mods = (),
    helpers: Helpers = (),
) -> Outcome:
    """Make the day's roll against an illness for somebody in your care; antibiotics help, but not against viruses."""
    row, known = scene[Disease], scene[patient].infection or Infection()
    worse = known.virulence if virulence is None else virulence
    own = [*mods, *((Mod(worse, "virulence", CARE),) if worse else ())]
    if antibiotics and (illness or known.illness) not in row.antibiotics_no_effect:
        own.append(Mod(row.antibiotics_bonus, "antibiotics", CARE))
    by_survival = scene[BySurvival].illness_poison_or_other_damage_dm
    attempt = treating(scene, patient, skill, row.specialty, gear, by_survival, tuple(own))
    await lock(patient, TODAY, dawn_of(scene, day_of(scene) + 1))
    rolled = await roll_once(who, replace(attempt, helpers=helpers, surplus=False))
    await day_of_illness(patient, rolled.success)
    return plain(rolled)
