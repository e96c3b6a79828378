"""What wears people down by the clock: how hazards go on, falls, hunger, climates, lack of air."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from enum import Enum
from typing import Annotated, Final, TypeAlias

from referee.core import (
    CLOCK,
    YES,
    Bands,
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
    hand_over,
    offer,
    option,
    refuse,
    rows,
    rule,
    suggest,
)
from referee.core.clock import Due, due
from referee.core.effects import Forbids
from referee.core.rules import rule_named
from referee.core.trace import note
from referee.kits.dice_codes import Code
from referee.kits.wounds import TimeSpan
from referee.systems.d6.combat.maneuvers import check_known
from referee.systems.d6.combat.round import DeclaredAction
from referee.systems.d6.damage import HARMED, RESIST_HARM, Harm, hit
from referee.systems.d6.fields import fields_known
from referee.systems.d6.health import (
    COMA,
    fall_unconscious,
    fatigue_limit,
    set_level,
    spends_fate,
    tire,
    unconscious_by,
    wounded,
)
from referee.systems.d6.resolution import TESTED, TestResult, check_able, check_skilled, roll_against
from referee.systems.d6.rolls import ANY_ROLL, check_alive, roll_for
from referee.systems.d6.sheet import Hazard, Hero, Person, Recovery
from referee.systems.d6.situations import VictimSituation
from referee.systems.d6.skill_names import FIELD
from referee.systems.d6.time import round_seconds, rounds_of
from referee.systems.d6.treatment import FIRST_AID, Patient
from referee.systems.d6.work import check_worker
from referee.systems.d6.wounds import DEAD, MORTAL, TORSO, WOUNDED

SECOND_CHANCE: Final = Prompt("second-chance")
DEFY_HUNGER: Final = Prompt("defy-hunger")

STAMINA: Final = "Stamina"
SLEEP: Final = "lack of sleep"
FOOD: Final = "lack of food"
DRINK: Final = "lack of drink"
CLIMATE: Final = "climate"
TOXIN: Final = "toxin"
RUNNING: Final = "running"
CARRYING: Final = "carrying"
COMBAT: Final = "long combat"
BREATH: Final = "lack of air"
FLAW: Final = "flaw"


@frozen
class HazardOutcome:
    """What a roll against a hazard brings: dice of fatigue, wounds, or so many periods of sleep."""

    fatigue: int = 0
    wounds: int = 0
    sleep: int = 0

    def times(self, number: int) -> HazardOutcome:
        return HazardOutcome(self.fatigue * number, self.wounds * number, self.sleep * number)


@frozen
class NamedDifficulty:
    """A level of difficulty as this chapter means it."""

    name: str
    number: int


NUMBERS: Final = rows("d6.health.difficulty-numbers", "levels", NamedDifficulty)


@formula("d6.health.difficulty-numbers")
def named_difficulty(scene: Scene, level: str) -> int:
    """The number of a level in this chapter: the top of its range, and 35 for Heroic."""
    return scene[NUMBERS][level].number


# --- enduring ---------------------------------------------------------------------------------------------------------


@figures("d6.health.willpower-second-chance")
class SecondChance:
    """What Willpower must reach after a failed Stamina roll, and what a failure costs."""

    harder_by: int
    failure_times: int


@frozen
class Endured:
    """Whether a Stamina roll was passed, and how many times its effects count."""

    passed: bool
    times: int = 1


ENDURED: Final[Bands[Endured]] = Bands(
    of=lambda found: "endured" if found.passed else "suffered" if found.times == 1 else "suffered-more",
    keys=("endured", "suffered", "suffered-more"),
)


def resisting(scene: Scene, who: Person, situation: str) -> str:
    """Stamina, or its specialization in what is resisted: poison, fatigue."""
    known = fields_known(scene, who, STAMINA)
    return next((each for each in known if situation and each.startswith(f"{STAMINA}{FIELD}{situation}")), STAMINA)


@rule("d6.health.willpower-second-chance", "d6.skills.stamina", "d6.skills.willpower-stamina", bands=ENDURED)
async def endure(scene: Scene, who: Person, difficulty: int, situation: str = "") -> Endured:
    """A Stamina roll, which health lowers. Willpower may save a failure; if it fails too, effects count twice."""
    skill, tags = resisting(scene, who, situation), (ANY_ROLL, RESIST_HARM, situation)
    result = await roll_against(who, skill, difficulty, tags=tags)
    if result.success:
        return Endured(True)
    if not await offer(who, SECOND_CHANCE, YES):
        return Endured(False)
    note("d6.skills.willpower-stamina")
    second = await roll_against(who, "Willpower", difficulty + scene[SecondChance].harder_by, tags=(ANY_ROLL,))
    return Endured(True) if second.success else Endured(False, scene[SecondChance].failure_times)


def anybody(scene: Scene, who: object) -> tuple[Person, ...]:
    return scene.all(Hero)


def check_living(scene: Scene, who: object, victim: Person) -> None:
    """Nothing wears down, poisons or rests the dead."""
    check_alive(scene, victim)


Victim: TypeAlias = Annotated[Person, Pick(anybody, check_living)]


def spanned(scene: Scene, period: str) -> int:
    """A period in rounds; 0 if there is none."""
    if not period:
        return 0
    span = TimeSpan.from_plain(period)
    return rounds_of(scene, span.plus, span.unit)


@rule("d6.health.fatigue/begin", "d6.health.fatigue")
async def face(scene: Scene, who: Person, hazard: Hazard, after: int) -> None:
    """A hazard begins, or goes on: its next roll is due after so many rounds."""
    await alter(who, Hero.facing, replace(hazard, next=scene[CLOCK].now + after, resting=False))
    await alter(who, Hero.recovered, hazard.kind)


NEXT_ROLLS: Final[Mapping[str, str]] = {
    SLEEP: "d6.health.lack-of-sleep/due",
    FOOD: "d6.health.lack-of-food/due",
    DRINK: "d6.health.lack-of-food/due",
    CLIMATE: "d6.health.harsh-climate/due",
    TOXIN: "d6.health.rattlesnake-poison/due",
    RUNNING: "d6.health.running/due",
    CARRYING: "d6.health.lifting-fatigue/due",
    COMBAT: "d6.health.long-combat/due",
    BREATH: "d6.health.suffocation/due",
    FLAW: "d6.flaws.physical-a-c/due",
}
"""The rule of each kind of hazard that carries out its next roll."""


@rule("d6.health.fatigue/due", "d6.health.fatigue")
async def hazard_due(scene: Scene, who: Person, about: str) -> None:
    """The next roll against a hazard."""
    hazard = scene[who].hazard(about)
    if hazard is None or scene[who].wound == DEAD:
        return
    await rule_named(NEXT_ROLLS[hazard.kind])(who, hazard)


@due(Hero, hazard_due)
def wearing_down(scene: Scene, who: Person) -> Iterator[Due]:
    """Each hazard of the book has its next roll; one of which nothing more is said comes after every period."""
    for each in scene[who].hazards if scene[who].wound != DEAD else ():
        at = scene[CLOCK].ahead(who, hazard_due, each.name) if each.next is None else each.next
        if each.kind in NEXT_ROLLS and not each.resting and (at is not None or each.period):
            yield Due(hazard_due, every=max(1, each.period), at=at, about=each.name)


def hazards_of(scene: Scene, who: object, victim: Person) -> tuple[str, ...]:
    return tuple(each.name for each in scene[victim].hazards)


@action("end-hazard", "d6.health.fatigue/end", "d6.health.fatigue", master=True)
async def end_hazard(scene: Scene, victim: Victim, hazard: Annotated[str, Pick(hazards_of)]) -> None:
    """Somebody is no longer exposed: fed, warm, cured, breathing, at rest."""
    await stop(victim, hazard)


@rule("d6.health.fatigue/stop", "d6.health.fatigue")
async def stop(scene: Scene, who: Person, name: str) -> None:
    """A hazard is over; fatigue that goes away with time begins to."""
    faced = scene[who].hazard(name)
    await alter(who, Hero.free_of, name)
    if faced is not None and faced.kind in (COMBAT, BREATH, CARRYING) and scene[who].fatigue.get(faced.kind):
        first, then = recovery_rounds(scene, faced), recovery_period(scene, faced.kind) or faced.period
        await alter(who, Hero.recovering, Recovery(faced.kind, then, scene[CLOCK].now + first))


@figures("d6.health.long-combat")
class LongCombat:
    """When long fights tire."""

    period_rounds: int
    ranged_factor: int
    difficulty: int
    increment: int
    fatigue: int


def recovery_period(scene: Scene, kind: str) -> int:
    """After how many rounds each die of fatigue is gone; 0 where the book says no more than the source."""
    return {BREATH: 1, COMBAT: scene[LongCombat].period_rounds}.get(kind, 0)


def recovery_rounds(scene: Scene, faced: Hazard) -> int:
    """After how many rounds the first die of fatigue is gone."""
    return recovery_period(scene, faced.kind) or max(1, faced.period * faced.rolls)


def recovery_of(scene: Scene, who: Person, kind: str) -> Recovery | None:
    """How fatigue of a kind goes away, if it does by itself; in an older log the clock has it."""
    known = {each.kind: each for each in scene[who].recoveries}
    for each in scene[CLOCK].deadlines:
        of, _, every = each.about.rpartition(": ")
        if each.is_for(who, recover) and of == kind and each.at >= scene[CLOCK].now:
            known.setdefault(kind, Recovery(kind, int(every), each.at))
    return known.get(kind)


@rule("d6.health.fatigue/recover", "d6.health.fatigue")
async def recover(scene: Scene, who: Person, about: str) -> None:
    """A die of fatigue is gone; the next follows after as long again."""
    left = scene[who].fatigue.get(about, 0) - 1
    await tire(who, about, left)
    known = recovery_of(scene, who, about)
    if left <= 0:
        await alter(who, Hero.recovered, about)
    elif known is not None:
        await alter(who, Hero.recovering, replace(known, next=scene[CLOCK].now + max(1, known.every)))


@due(Hero, recover)
def recovering(scene: Scene, who: Person) -> Iterator[Due]:
    """Fatigue goes away once its source is over: a die each minute after a fight, each round that one breathes."""
    sheet = scene[who]
    for kind in (COMBAT, BREATH, CARRYING):
        over = sheet.fatigue.get(kind, 0) and not any(each.kind == kind for each in sheet.hazards)
        known = recovery_of(scene, who, kind)
        if over and (known or recovery_period(scene, kind)):
            every = recovery_period(scene, kind) or 1
            yield Due(recover, every=every, at=None if known is None else known.next, about=kind)


@rule("d6.health.fatigue/outcome", "d6.health.fatigue")
async def apply_outcome(scene: Scene, who: Person, kind: str, outcome: HazardOutcome, untreatable: str = "") -> None:
    """Fatigue adds up with what there is from the same source; wounds follow one after the other."""
    for _ in range(outcome.wounds):
        await wounded(who, WOUNDED, TORSO, untreatable, bleeds=kind != CLIMATE)
    if outcome.fatigue:
        await tire(who, kind, scene[who].fatigue.get(kind, 0) + outcome.fatigue)


# --- falls ------------------------------------------------------------------------------------------------------------


@frozen
class HeightRow:
    """What a fall from a height does, in metres."""

    name: str
    over: int
    up_to: int
    damage: Code


@frozen
class GroundRow:
    """What the ground adds to a fall."""

    name: str
    damage: Code


HEIGHTS: Final = rows("d6.health.falling", "heights", HeightRow)
GROUNDS: Final = rows("d6.health.falling", "grounds", GroundRow)
EACH_DOUBLING: Final = figure("d6.health.falling", "each_doubling", Code)


@formula("d6.health.falling")
def fall_damage(scene: Scene, height: float, ground: str = "ordinary") -> Code:
    """The damage of a fall: by its height, a die more for each doubling beyond the table, and by the ground."""
    row = next((row for row in scene[HEIGHTS] if row.over < height <= row.up_to), None)
    if row is not None:
        return scene[HEIGHTS][row.name].damage + scene[GROUNDS][ground].damage
    last, doublings = max(scene[HEIGHTS], key=lambda each: each.up_to), 0
    if height <= 0:
        return Code() + scene[GROUNDS][ground].damage
    while height > last.up_to * 2**doublings:
        doublings += 1
    return last.damage + scene[EACH_DOUBLING] * doublings + scene[GROUNDS][ground].damage


class FallSkill(Enum):
    """With what a fall is resisted."""

    STRENGTH = "Strength"
    ACROBATICS = "Acrobatics"
    JUMPING = "Jumping"
    """Only for those who jump down on purpose."""
    MARTIAL_ARTS = "Martial arts (A)"


Ground: TypeAlias = Annotated[str, GROUNDS]


def check_fall_skill(scene: Scene, _: None, victim: Person, resist: FallSkill = FallSkill.STRENGTH) -> None:
    """Martial arts help those who have learned to break a fall; neither they nor Acrobatics those who are out."""
    if resist is not FallSkill.STRENGTH:
        check_able(scene, victim)
        check_skilled(scene, victim)
    if resist is FallSkill.MARTIAL_ARTS:
        check_known(scene, victim, "Break fall")


def usual_heights(scene: Scene, who: object, victim: Person) -> tuple[float, ...]:
    return (2, 3, 5, 10, 30)


def check_height(scene: Scene, who: object, height: float, victim: Person) -> None:
    """Any height from which one can fall."""
    if height <= 0:
        refuse(
            "a fall is down, from more than 0 m", what=f"{height:g} m", rule="d6.health.falling", legal=("1 m or more",)
        )


@action(
    "fall",
    "d6.health.falling/fall",
    "d6.health.falling",
    "d6.skills.acrobatics",
    "d6.skills.jumping",
    bands=HARMED,
    check=check_fall_skill,
    master=True,
)
async def fall(
    scene: Scene,
    victim: Victim,
    height: Annotated[float, Pick(usual_heights, check_height)],
    ground: Ground = "ordinary",
    resist: FallSkill = FallSkill.STRENGTH,
    mods: Mods = (),
) -> Harm:
    """Somebody falls so many metres, and resists with Strength, with Acrobatics as a reaction, or with Martial arts;
    whoever jumps down resists with Jumping.
    """
    damage = fall_damage(scene, height, ground)
    if damage.dice <= 0 and damage.pips <= 0:
        return Harm(-1, "none", scene[victim].wound, scene[victim].stuns)
    return await hand_over(hit(victim, damage, resist=resist.value, resist_mods=mods))


# --- hunger and thirst ------------------------------------------------------------------------------------------------


class Pace(Enum):
    """How fast hunger works in this campaign."""

    HEROIC = "heroic"
    REALISTIC = "realistic"


@frozen
class WantRow:
    """How much somebody lacks, and what each roll brings."""

    name: str
    passed: HazardOutcome
    failed: HazardOutcome
    says: str = ""


@frozen
class DaysByPace:
    """The days between rolls."""

    heroic: int
    realistic: int


@figures("d6.health.lack-of-food")
class Hunger:
    """What hunger must be resisted with, and how often."""

    first_difficulty: int
    increment: int
    days: DaysByPace
    drink_divided_by: int


@figures("d6.health.starvation-death")
class Starving:
    """How far hunger wounds, what follows, and what feeding somebody unconscious takes."""

    worst_wound: str
    after: tuple[str, ...]
    feed_unconscious_first_aid: int


PACE: Final = option("d6.health.lack-of-food", Pace)
WANTS: Final = rows("d6.health.lack-of-food", "rows", WantRow)
Want: TypeAlias = Annotated[str, WANTS]


@action("starve", "d6.health.lack-of-food", master=True)
async def starve(scene: Scene, victim: Victim, want: Want, drink: bool = False) -> None:
    """Somebody lacks food, or drink, which is worse: Stamina is rolled every few days."""
    of = scene[Hunger]
    days: int = getattr(of.days, scene[PACE].value)
    period = rounds_of(scene, days, "day") // (of.drink_divided_by if drink else 1)
    kind = DRINK if drink else FOOD
    await face(victim, Hazard(f"{kind}: {scene[WANTS][want].name}", kind, of.first_difficulty, period=period), period)


@rule("d6.health.lack-of-food/endure", "d6.health.lack-of-food", bands=ENDURED)
async def go_hungry(scene: Scene, who: Person, difficulty: int) -> Endured:
    """Stamina; in a heroic campaign a Fate Point saves a failure."""
    endured = await endure(who, difficulty, "hunger")
    if not endured.passed and scene[PACE] is Pace.HEROIC and await spends_fate(who, DEFY_HUNGER):
        return Endured(True)
    return endured


@rule("d6.health.lack-of-food/due", "d6.health.lack-of-food")
async def hunger_due(scene: Scene, who: Person, hazard: Hazard) -> None:
    """Each roll is harder than the one before. Wounds never become mortal: after Neutralized comes coma, then death."""
    row = scene[WANTS][hazard.name.partition(": ")[2]]
    endured = await go_hungry(who, hazard.difficulty)
    passes = hazard.passes
    if not endured.passed and is_at_worst(scene, who, row):
        passes += 1
        await starve_on(who, passes)
    else:
        outcome = row.passed if endured.passed else row.failed.times(endured.times)
        await apply_outcome(who, hazard.kind, starved(scene, who, outcome), hazard.kind)
    if scene[who].wound != DEAD:
        harder = hazard.difficulty + scene[Hunger].increment
        await face(who, replace(hazard, difficulty=harder, rolls=hazard.rolls + 1, passes=passes), hazard.period)


def is_at_worst(scene: Scene, who: Person, row: WantRow) -> bool:
    """Neutralized by hunger, or by something else under a want that would wound: what comes next is a coma."""
    by_hunger = scene[who].untreatable in (FOOD, DRINK)
    return scene[who].wound == scene[Starving].worst_wound and (by_hunger or row.failed.wounds > 0)


def starved(scene: Scene, who: Person, outcome: HazardOutcome) -> HazardOutcome:
    """Hunger gives no more wounds than lead to Neutralized."""
    ladder = scene[who].ladder(scene)
    most = ladder.rung(scene[Starving].worst_wound) - ladder.rung(scene[who].wound)
    return replace(outcome, wounds=max(0, min(outcome.wounds, most)))


@rule("d6.health.starvation-death")
async def starve_on(scene: Scene, who: Person, failures: int) -> None:
    """Whoever is Neutralized by hunger falls into a coma after the next failure, and dies after the one after that."""
    stage = scene[Starving].after[min(failures, len(scene[Starving].after)) - 1]
    if stage == "Coma":
        await alter(who, unconscious_by, COMA, scene[CLOCK].now)
    else:
        await set_level(who, DEAD)


def check_starving(scene: Scene, who: Person, patient: Person) -> None:
    """Somebody alive who lacks food or drink."""
    hungry = [each for each in scene.all(Hero) if any(one.kind in (FOOD, DRINK) for one in scene[each].hazards)]
    alive = [each.name for each in hungry if scene[each].wound != DEAD]
    if patient.name not in alive:
        refuse(f"{patient} does not starve", rule="d6.health.starvation-death", legal=tuple(alive))


@action(
    "feed",
    "d6.health.starvation-death/feed",
    "d6.health.starvation-death",
    bands=TESTED,
    turn=check_worker,
    price=DeclaredAction(),
    check=(check_skilled, check_starving),
)
async def feed(scene: Scene, who: Person, patient: Patient, mods: Mods = ()) -> TestResult:
    """Feeding somebody unconscious takes First Aid, and ends hunger and thirst."""
    result = await roll_against(who, FIRST_AID, scene[Starving].feed_unconscious_first_aid, mods)
    for hazard in scene[patient].hazards if result.success else ():
        if hazard.kind in (FOOD, DRINK):
            await stop(patient, hazard.name)
    return result


# --- climates ---------------------------------------------------------------------------------------------------------


@frozen
class ClimateRow:
    """How harsh a climate is."""

    name: str
    period: str
    difficulty: int
    says: str = ""


CLIMATES: Final = rows("d6.health.harsh-climate", "rows", ClimateRow)
CLIMATE_FAILED: Final = figure("d6.health.harsh-climate", "failed", HazardOutcome)
Climate: TypeAlias = Annotated[str, CLIMATES]


@formula("d6.health.harsh-climate/clothing", "d6.health.harsh-climate")
def climate_felt(scene: Scene, climate: str, stages: int = 0) -> ClimateRow:
    """A climate as somebody feels it whose clothing or equipment makes it so many stages milder."""
    names = scene[CLIMATES].names
    felt = names.index(scene[CLIMATES].look(climate).name) - stages
    return scene[CLIMATES][names[min(max(0, felt), len(names) - 1)]]


@formula("d6.health.harsh-climate/ranks", "d6.health.harsh-climate", "d6.species.exotic-advantages")
def climate_ranks(scene: Scene, who: Person, climate: str, situation: tuple[str, ...] = ()) -> int:
    """How many ranks harsher heat or cold is for somebody, below 0 milder; what no human stands nobody tolerates."""
    ranks = applying(scene, who, *situation).extra("climate rank")
    return max(0, ranks) if scene[CLIMATES].look(climate).name == scene[CLIMATES].names[-1] else ranks


def check_stages(scene: Scene, who: object, stages: int) -> None:
    """Clothing makes a climate milder, or does nothing."""
    if stages < 0:
        refuse("clothing makes a climate milder", what=f"{stages} stages", legal=("0 or more",))


@action("climate", "d6.health.harsh-climate", "d6.species.exotic-drawbacks", check=check_stages, master=True)
async def expose(
    scene: Scene,
    victim: Victim,
    climate: Climate,
    stages: Annotated[int, suggest(0, 1, 2)] = 0,
    situation: VictimSituation = (),
) -> None:
    """Somebody is exposed to a climate; clothing makes it stages milder. To some, `heat` or `cold` is more or less."""
    row = climate_felt(scene, climate, stages - climate_ranks(scene, victim, climate, situation))
    await stop(victim, CLIMATE)
    if period := spanned(scene, row.period):
        await face(victim, Hazard(CLIMATE, CLIMATE, row.difficulty, period=period), period)


@rule("d6.health.harsh-climate/due", "d6.health.harsh-climate")
async def climate_due(scene: Scene, who: Person, hazard: Hazard) -> None:
    """Every failure is a wound; a mortal one does not bleed, and the next failure kills."""
    endured = await endure(who, hazard.difficulty, CLIMATE)
    if not endured.passed:
        if scene[who].wound == MORTAL:
            await set_level(who, DEAD)
            return
        await apply_outcome(who, CLIMATE, scene[CLIMATE_FAILED].times(endured.times), CLIMATE)
    await face(who, replace(hazard, rolls=hazard.rolls + 1), hazard.period)


# --- lack of air ------------------------------------------------------------------------------------------------------


@figures("d6.health.suffocation")
class Suffocation:
    """How long a breath lasts, and what happens then."""

    times_surprised: int
    times_ready: int
    fatigue: int
    unconscious: TimeSpan
    wounds: int


class Surroundings(Enum):
    """Where somebody has to hold their breath."""

    AIRLESS = "without air"
    WATER = "water"
    AIR = "air"


@formula("d6.health.suffocation/breathe", "d6.species.exotic-advantages", "d6.species.exotic-drawbacks")
def breathes(scene: Scene, who: Person, surroundings: Surroundings) -> bool:
    """Whether somebody breathes there: those with gills under water too, an aquatic species perhaps only there."""
    applied = applying(scene, who)
    on_land = all(each.effect.does != Forbids("breathe air") for each in applied.active)
    under_water = applied.granted("breathe water") or not on_land
    return {Surroundings.AIRLESS: False, Surroundings.WATER: under_water, Surroundings.AIR: on_land}[surroundings]


def check_breath(
    scene: Scene, _: None, victim: Person, surroundings: Surroundings = Surroundings.AIRLESS, surprised: bool = False
) -> None:
    """Nobody suffocates where they breathe."""
    if breathes(scene, victim, surroundings):
        refuse(f"{victim} breathes {surroundings.value}")


@action("suffocate", "d6.health.suffocation", check=check_breath, master=True)
async def suffocate(
    scene: Scene, victim: Victim, surprised: bool = False, surroundings: Surroundings = Surroundings.AIRLESS
) -> int:
    """The last breath: a Strength roll says for how many rounds it is enough."""
    of = scene[Suffocation]
    shown = (await roll_for(victim, "Strength", (), ("breath",))).total
    rounds = shown * (of.times_surprised if surprised else of.times_ready) // round_seconds(scene)
    await face(victim, Hazard(BREATH, BREATH, 0, period=1), rounds + 1)
    return rounds


def is_out_of_breath(scene: Scene, who: Person) -> bool:
    """Whether somebody lies unconscious, with more fatigue than they can bear."""
    tired = sum(scene[who].fatigue.values()) if scene[who].fatigue.get(BREATH) else 0
    return scene[who].unconscious is not None and tired > fatigue_limit(scene, who)


@rule("d6.health.suffocation/due", "d6.health.suffocation")
async def breath_due(scene: Scene, who: Person, hazard: Hazard) -> None:
    """A die of fatigue every round; once that knocks one out, a wound every round, until death."""
    if not is_out_of_breath(scene, who):
        await tire(who, BREATH, scene[who].fatigue.get(BREATH, 0) + scene[Suffocation].fatigue)
        if is_out_of_breath(scene, who):
            await fall_unconscious(who, scene[Suffocation].unconscious, "suffocating")
    elif scene[who].wound == MORTAL:
        await set_level(who, DEAD)
        return
    else:
        await apply_outcome(who, BREATH, HazardOutcome(wounds=scene[Suffocation].wounds))
    await face(who, replace(hazard, rolls=hazard.rolls + 1), hazard.period)
