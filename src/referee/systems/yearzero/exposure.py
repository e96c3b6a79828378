"""What wears people down: hunger, thirst, sleep, cold, water, poison, addiction, drink, dirt; falls and stuns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Annotated, Final, TypeAlias

from referee.core import (
    CLOCK,
    D6,
    YES,
    Bands,
    Levels,
    Mod,
    Mods,
    Pick,
    Pool,
    Prompt,
    Scene,
    Total,
    action,
    alter,
    applying,
    figure,
    figures,
    formula,
    frozen,
    offer,
    refuse,
    roll,
    rows,
    rule,
    suggest,
)
from referee.core.clock import Due, due
from referee.core.effects import Effect
from referee.core.rules import rule_named
from referee.core.things import ON_BODY
from referee.kits.hazards import (
    HazardExposure,
    HazardRow,
    after_blow,
    beginning,
    check_not_exposed,
    exposure_of,
    exposures_due,
    span_of,
    watched,
    with_exposure,
    without_exposure,
)
from referee.kits.wounds import TimeSpan, how_long
from referee.systems.yearzero.action_types import SLOW_ACTION
from referee.systems.yearzero.activities import lay_for
from referee.systems.yearzero.boosts import pay
from referee.systems.yearzero.disease import resist_disease
from referee.systems.yearzero.effects import OUTCOME, Outcome
from referee.systems.yearzero.harm import (
    DEAD,
    NOTHING_LOST,
    UNCONSCIOUS,
    die,
    fallen,
    lost,
    suffer,
    waste_away,
    work_off_pain,
)
from referee.systems.yearzero.hazard_tables import DRUNK, HAZARDS, POISONS, hazard_row
from referee.systems.yearzero.injuries import sizes
from referee.systems.yearzero.panic import STRESSFUL, add_stress, check_panic, hurt, panic_check
from referee.systems.yearzero.rolls import NO_ACTION, Attempt, roll_once, roll_skill
from referee.systems.yearzero.sheet import AGILITY, EMPATHY, STRENGTH, WITS, Person, Survivor, people
from referee.systems.yearzero.skills import plain
from referee.systems.yearzero.talent_actions import SLEEPLESS
from referee.systems.yearzero.time import rounds_in
from referee.systems.yearzero.weapons import armor_of, features_of

ENDURANCE: Final = "Endurance"
COLD: Final = "yearzero.conditions.cold"
DROWNING: Final = "yearzero.combat.drowning"
POISON: Final = "yearzero.poison.resist"
KINDS: Final = "yearzero.poison.kinds"
DEATH_IN: Final = Prompt("death-in")
SLEEPS_FOR: Final = Prompt("sleeps-for")
STRESS_OF: Final = "becoming Hungry, Sleepy, Thirsty or Cold"
STRESSING: Final = ("hungry", "thirsty", "sleepy", "cold")
SLEEPY: Final = "sleepy"
METAL: Final = figure(DROWNING, "metal_armor", str)
WARM_HOURS: Final = figure(COLD, "warm_up_hours", int)


@frozen
class ColdRow:
    """How often one rolls against the cold of a season."""

    name: str
    every: str


SEASONS: Final = rows(COLD, "settings", ColdRow)


# --- being exposed ----------------------------------------------------------------------------------------------------


def hazards(scene: Scene, _: object) -> tuple[str, ...]:
    return tuple(name for name in scene[HAZARDS].names if name not in ("holding breath", "drowning"))


def seasons(scene: Scene, _: object) -> tuple[str, ...]:
    return ("", *scene[SEASONS].names)


def check_alive(scene: Scene, _: None, who: Person, hazard: str) -> None:
    if DEAD in scene[who].conditions:
        refuse(f"{who} is dead", rule="yearzero.medical-aid.death-save")
    check_not_exposed(scene[who].exposures, hazard, hazard_row(scene, hazard)[1])


AnyBody: TypeAlias = Annotated[Person, Pick(people)]
Level: TypeAlias = Annotated[int, suggest(0, -1, -2, -3, -4, -5, -6)]


@action("expose", "yearzero.conditions.hungry", "yearzero.conditions.thirsty", check=check_alive, master=True)
async def expose(
    scene: Scene,
    who: AnyBody,
    hazard: Annotated[str, Pick(hazards)],
    season: Annotated[str, Pick(seasons)] = "",
) -> None:
    """From now on somebody goes without food, water or sleep, is out in the cold, or in the water."""
    every = scene[SEASONS][season].every if season else ""
    if hazard == "afloat" and wears_metal(scene, who):
        every = scene[METAL]
    if hazard == "cold" and not every:
        every = scene[SEASONS].look(scene[SEASONS].names[0]).every
    await begin_exposure(who, HazardExposure(hazard, every=every))


@formula(f"{DROWNING}/metal")
def wears_metal(scene: Scene, who: Person) -> bool:
    """Armor of metal drags one down."""
    worn = (each for each in scene[who].things if each.place == ON_BODY and armor_of(scene, each))
    return any(each.material in ("", "metal") for each in worn)


@rule("yearzero.conditions.hungry/begin")
async def begin_exposure(scene: Scene, who: Person, exposure: HazardExposure, felt: bool = False) -> None:
    """A hazard begins for somebody; how long it takes to be felt, its row says, if it is not felt already."""
    row, after = hazard_row(scene, exposure.name)[0], 0 if felt else None
    if exposure.name == SLEEPY and not felt:
        after = rounds_in(scene, "quarter day", sleepless(scene, who))
    begun = beginning(row, exposure, scene[CLOCK].now, sizes(scene), after)
    await alter(who, exposed, begun)
    if begun.felt and exposure.name in STRESSING:
        await add_stress(who, scene[STRESSFUL][STRESS_OF].stress)


@rule("yearzero.conditions.sleepy/now", "yearzero.conditions.sleepy")
async def sleepy_now(scene: Scene, who: Person) -> None:
    """Somebody who has found no sleep is sleepy at once, however long they have been awake."""
    there = exposure_of(scene[who].exposures, SLEEPY)
    if there is not None and not there.felt:
        row = hazard_row(scene, SLEEPY)[0]
        await alter(who, exposed, after_blow(row, there, scene[CLOCK].now, sizes(scene), struck=False))
        await add_stress(who, scene[STRESSFUL][STRESS_OF].stress)


@formula("yearzero.conditions.sleepy")
def sleepless(scene: Scene, who: Person) -> int:
    """How many Quarter Days somebody stays awake before they are sleepy."""
    return applying(scene, who).figure(scene, SLEEPLESS)


def exposed(sheet: Survivor, exposure: HazardExposure) -> Survivor:
    """With a hazard as it is now; what is felt of hunger, thirst, sleep and cold is a condition."""
    changed = replace(sheet, exposures=with_exposure(sheet.exposures, exposure))
    return changed.with_condition(exposure.name) if exposure.felt and exposure.name in STRESSING else changed


def free_of(sheet: Survivor, *names: str) -> Survivor:
    return replace(sheet, exposures=without_exposure(sheet.exposures, *names)).without_condition(*names)


def hazards_of(scene: Scene, _: object, who: Person) -> tuple[str, ...]:
    return tuple(each.name for each in scene[who].exposures)


@action("end-exposure", "yearzero.conditions.hungry/end", master=True)
async def end_exposure(scene: Scene, who: AnyBody, hazard: Annotated[str, Pick(hazards_of)]) -> None:
    """Somebody has eaten, drunk, slept, got out of the water, had an antidote, or comes to the fire for an hour."""
    exposure = exposure_of(scene[who].exposures, hazard)
    if exposure is None or hazard != "cold" or not exposure.felt:
        await alter(who, free_of, hazard)
        return
    warm = scene[CLOCK].now + rounds_in(scene, "hour", scene[WARM_HOURS])
    await alter(who, exposed, replace(exposure, every="", next=warm, deadly_at=None))


# --- its blows --------------------------------------------------------------------------------------------------------


@rule("yearzero.conditions.hungry/blow", COLD, DROWNING)
async def blow(scene: Scene, who: Person, about: str) -> None:
    """What is due of a hazard: a roll may spare one, and what it takes is taken; it may then become something else."""
    exposure = exposure_of(scene[who].exposures, about)
    if exposure is None or DEAD in scene[who].conditions:
        return
    row, rule_id = hazard_row(scene, about)
    if about == "cold" and not exposure.every:  # warm again
        await alter(who, free_of, about)
        return
    now, felt = scene[CLOCK].now, exposure.felt
    if row.kills_next and set(row.kills_when) & {*scene[who].broken}:
        await die(who)
        return
    if not felt and not row.lingers:
        await alter(who, exposed, after_blow(row, exposure, now, sizes(scene), struck=False))
    elif row.run:
        await alter(who, exposed, after_blow(row, exposure, now, sizes(scene)))
        await rule_named(row.run)(who)
    elif row.resists and await withstands(who, exposure, rule_id):
        await alter(who, exposed, after_blow(row, exposure, now, sizes(scene), struck=False))
    else:
        await strike(who, exposure, row)
    new = exposure_of(scene[who].exposures, about)
    if new is not None and new.felt and not felt and about in STRESSING:
        await add_stress(who, scene[STRESSFUL][STRESS_OF].stress)


@rule(f"{POISON}/roll")
async def withstands(scene: Scene, who: Person, exposure: HazardExposure, rule_id: str) -> bool:
    """Endurance, at the strength of what one is exposed to; it is no action, and even the Broken make it."""
    return (await roll_skill(who, against(exposure, rule_id))).success


def against(exposure: HazardExposure, rule_id: str, mods: Mods = ()) -> Attempt:
    own: Mods = (Mod(exposure.level, exposure.name, rule_id),) if exposure.level else ()
    tags = ("resist", exposure.name, NO_ACTION)
    return Attempt(ENDURANCE, "Resistant", mods=(*own, *mods), tags=tags, surplus=False, while_broken=True)


@rule("yearzero.conditions.hungry/strike")
async def strike(scene: Scene, who: Person, exposure: HazardExposure, row: HazardRow) -> None:
    """A blow: what it takes, what it becomes, and when it will kill."""
    now = scene[CLOCK].now
    await alter(who, exposed, after_blow(row, exposure, now, sizes(scene)))
    await wear_down(who, row.harms)
    broken = {*row.harms} & {*scene[who].broken}
    if row.becomes:
        await alter(who, free_of, row.name)
        await begin_exposure(who, HazardExposure(row.becomes))
        return
    if broken and row.sleeps:
        await fall_asleep(who, row)
    if broken and row.until_broken:
        await alter(who, free_of, row.name)
        return
    left = exposure_of(scene[who].exposures, row.name)
    if left is not None and row.kills_after:
        wait = await time_to_die(who, row) if left.deadly_at is None and {*row.kills_when} & {*scene[who].broken} else 0
        await alter(who, exposed, watched(left, row, scene[who].broken, now, wait))


@rule("yearzero.conditions.hungry/harm")
async def wear_down(scene: Scene, who: Person, harms: Levels) -> None:
    """Damage that injures nobody; what is lost may be too much to keep calm."""
    before, gone = scene[who].stress, NOTHING_LOST
    for attribute, points in harms.items():
        stood = attribute not in scene[who].broken
        if not stood:  # nothing is left to take
            continue
        await waste_away(who, points, attribute)
        gone += lost(scene, who, attribute, stood)
    await panic_check(who, before, gone)


@rule(f"{DROWNING}/death")
async def time_to_die(scene: Scene, who: Person, row: HazardRow) -> int:
    """How long somebody still has, which may be rolled."""
    return await how_long(scene, who, DEATH_IN, TimeSpan.from_plain(row.kills_after), sizes(scene))


@rule("yearzero.conditions.sleepy/sleep")
async def fall_asleep(scene: Scene, who: Person, row: HazardRow) -> None:
    """Whoever has no Wits left sleeps, for as long as it takes."""
    rounds = await how_long(scene, who, SLEEPS_FOR, TimeSpan.from_plain(row.sleeps), sizes(scene))
    await alter(who, fallen, True, True)
    await alter(who, Survivor.with_condition_until, UNCONSCIOUS, scene[CLOCK].now + rounds)
    await alter(who, free_of, row.name)


@rule("yearzero.conditions.hungry/death")
async def dies_of(scene: Scene, who: Person, about: str) -> None:
    """Whatever a hazard has taken did not come back in time: that is the end."""
    row = hazard_row(scene, about)[0]
    left = exposure_of(scene[who].exposures, about)
    if left is not None and {*row.kills_when} & {*scene[who].broken}:
        await die(who)
    elif left is not None:
        await alter(who, exposed, replace(left, deadly_at=None))


@due(Survivor, blow, dies_of)
def wearing_down(scene: Scene, who: Person) -> Iterator[Due]:
    """Each hazard strikes at its time, and kills at another."""
    if DEAD not in scene[who].conditions:
        yield from exposures_due(scene[who].exposures, blow, dies_of)


# --- addiction, drink, dirt -------------------------------------------------------------------------------------------


@figures("yearzero.conditions.addicted")
class Addicted:
    """What a day without the substance costs, and what it takes to be rid of it."""

    damage: int
    failure_damage: int
    cure_wp: int


RID: Final = Prompt("rid-of-it")


@rule("yearzero.conditions.addicted")
async def withdraws(scene: Scene, who: Person) -> None:
    """A day without it: damage to Empathy, and more after a failed Insight roll; a success may end it for Willpower."""
    row = scene[Addicted]
    await hurt(who, row.damage, EMPATHY)
    rolled = await roll_skill(who, Attempt("Insight", tags=("resist", NO_ACTION), surplus=False, while_broken=True))
    if not rolled.success:
        await hurt(who, row.failure_damage, EMPATHY)
    elif scene[who].willpower >= row.cure_wp and await offer(who, RID, YES):
        await pay(who, row.cure_wp, "talents: bonus dice, Parrying, Resilient")
        await alter(who, free_of, "addicted")


DRUNK_FOR: Final = figure("yearzero.conditions.intoxicated", "duration", str)


@action("drink", "yearzero.conditions.intoxicated", bands=OUTCOME, turn=lambda scene, who: None)
async def drink(scene: Scene, who: Person, mods: Mods = ()) -> Outcome:
    """Alcohol or a drug: whoever fails an Endurance roll is intoxicated for a Quarter Day; twice is too much."""
    rolled = await roll_once(who, against(HazardExposure(DRUNK), "yearzero.conditions.intoxicated", mods))
    if rolled.success:
        return plain(rolled)
    if DRUNK in scene[who].conditions:
        await suffer(who, scene[who].now(AGILITY), AGILITY)
    else:
        until = scene[CLOCK].now + span_of(scene[DRUNK_FOR], sizes(scene))
        await alter(who, Survivor.with_condition_until, DRUNK, until)
    return plain(rolled)


@rule("yearzero.conditions.intoxicated/over")
async def sobers_up(scene: Scene, who: Person) -> None:
    """Somebody is sober again."""
    await alter(who, Survivor.without_condition, DRUNK)


@due(Survivor, sobers_up)
def sober_again(scene: Scene, who: Person) -> Iterator[Due]:
    """Drink wears off after a Quarter Day."""
    if (at := scene[who].end_of(DRUNK)) is not None:
        yield Due(sobers_up, at=at)


FILTH: Final = "yearzero.conditions.filthy"
MOST_CLEAN: Final = figure(FILTH, "points", int)
FILTH_VIRULENCE: Final = figure(FILTH, "virulence", int)


@frozen
class HygieneRow:
    """What costs or gives points of cleanliness."""

    name: str
    points: int


LOSSES: Final = rows(FILTH, "losses", HygieneRow)
GAINS: Final = rows(FILTH, "gains", HygieneRow)


def causes(scene: Scene, _: object) -> tuple[str, ...]:
    return (*scene[LOSSES].names, *scene[GAINS].names)


@action("hygiene", FILTH, master=True, option=FILTH)
async def change_hygiene(scene: Scene, who: AnyBody, cause: Annotated[str, Pick(causes)]) -> int:
    """A morning, a hot day or hard work costs cleanliness; washing brings it back. At 0 somebody is filthy."""
    points = -scene[LOSSES][cause].points if cause in scene[LOSSES] else scene[GAINS][cause].points
    clean = scene[who].hygiene
    after = max(0, min(scene[MOST_CLEAN], (scene[MOST_CLEAN] if clean is None else clean) + points))
    await alter(who, cleaned, after)
    return after


def cleaned(sheet: Survivor, points: int) -> Survivor:
    changed = replace(sheet, hygiene=points)
    return changed.without_condition("filthy") if points else changed.with_condition("filthy")


@action("filthy-wound", f"{FILTH}/wound", bands=OUTCOME, master=True, option=FILTH)
async def filthy_wound(scene: Scene, who: AnyBody) -> Outcome:
    """Whoever is filthy and Broken by Strength is exposed to an illness."""
    if "filthy" not in scene[who].conditions or STRENGTH not in scene[who].broken:
        refuse(f"{who} is not filthy and Broken", rule=FILTH)
    return await resist_disease(who, scene[FILTH_VIRULENCE])


# --- poison -----------------------------------------------------------------------------------------------------------


WORST: Final = figure(POISON, "worst", int)
MILDEST: Final = figure(POISON, "mildest", int)
IRRITATED: Final = Prompt("irritated-for")


def poisons(scene: Scene, _: object) -> tuple[str, ...]:
    return scene[POISONS].names


def check_potency(scene: Scene, _: None, potency: int = 0) -> None:
    if not scene[WORST] <= potency <= scene[MILDEST]:
        refuse(f"potency is {scene[MILDEST]} to {scene[WORST]}", rule=POISON)


Poison: TypeAlias = Annotated[str, Pick(poisons)]
RESISTED: Final[Bands[bool]] = Bands(of=lambda well: "success" if well else "failure", keys=("success", "failure"))


@action("poison", POISON, bands=RESISTED, check=check_potency, master=True)
async def poison(scene: Scene, who: AnyBody, kind: Poison, potency: Level = 0) -> bool:
    """Somebody is poisoned: whoever withstands it is hurt a little, whoever does not goes on being hurt."""
    return await poisoned_by(who, kind, potency)


@rule(KINDS, bands=RESISTED)
async def poisoned_by(scene: Scene, who: Person, kind: str, potency: int) -> bool:
    """Endurance at the potency, and then the limited or the full effect."""
    row, dose = scene[POISONS][kind], HazardExposure(kind, potency)
    withstood = await withstands(who, dose, POISON)
    if row.irritates:
        await irritate(who, potency, withstood)
    elif withstood:
        await wear_down(who, row.limited)
    else:
        await alter(who, free_of, kind)
        await begin_exposure(who, dose)
    return withstood


@rule(f"{KINDS}/irritant")
async def irritate(scene: Scene, who: Person, potency: int, withstood: bool) -> None:
    """Agility, Wits and Empathy are harder for some minutes; without the strength to bear it one may panic."""
    strong = 1 if withstood else max(1, -potency)
    minutes = (await roll(IRRITATED, who, Pool.of((D6, strong)), Total)).total
    for attribute in (AGILITY, WITS, EMPATHY):
        harder = Effect.from_plain({"adds": -strong, "when": [attribute]})
        await lay_for(who, harder, rounds_in(scene, "minute", minutes), "irritant", KINDS)
    if not withstood:
        await check_panic(who)


def stoppable(scene: Scene, who: Person, patient: Person) -> tuple[str, ...]:
    """What an antidote is good against."""
    mine = (each.name for each in scene[patient].exposures if each.name in scene[POISONS])
    return tuple(name for name in mine if scene[POISONS].look(name).antidote)


@action("antidote", f"{KINDS}/antidote", price=SLOW_ACTION)
async def give_antidote(scene: Scene, who: Person, patient: AnyBody, kind: Annotated[str, Pick(stoppable)]) -> None:
    """An antidote halts lethal, paralyzing and sleeping poison."""
    await work_off_pain(who)
    await alter(patient, free_of, kind)


ON_WEAPONS: Final = "yearzero.poison.on-weapons"
LASTS: Final = figure(ON_WEAPONS, "lasts", str)


def sharp(scene: Scene, who: Person) -> tuple[str, ...]:
    found = (item for item in scene[who].things if features_of(scene, item) & {"Edged", "Pointed"})
    return tuple(item.name for item in found)


def check_potency_of(scene: Scene, who: Person, potency: int = 0) -> None:
    check_potency(scene, None, potency)


@action("poison-weapon", ON_WEAPONS, price=SLOW_ACTION, check=check_potency_of)
async def poison_weapon(
    scene: Scene, who: Person, weapon: Annotated[str, Pick(sharp)], kind: Poison, potency: Level = 0
) -> None:
    """Smear poison on a blade or a point: it acts on the next hit that does damage, and is gone after any."""
    await work_off_pain(who)
    await alter(who, smeared, weapon, f"{kind} {potency}")


def smeared(sheet: Survivor, weapon: str, poison: str) -> Survivor:
    return sheet.with_thing(replace(sheet.thing(weapon), poisoned=poison))


@rule(f"{ON_WEAPONS}/hit")
async def poisoned_blow(scene: Scene, who: Person, target: Person, weapon: str, damage: int) -> None:
    """A hit wipes the poison off; it acts if the hit has hurt."""
    kind, _, potency = scene[who].thing(weapon).poisoned.rpartition(" ")
    await alter(who, smeared, weapon, "")
    if damage:
        await poisoned_by(target, kind, int(potency))
