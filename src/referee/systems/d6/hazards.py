"""What wears people down: falls, sleeplessness, efforts, hunger, climates, poisons, lack of air, by the clock."""

from __future__ import annotations

from dataclasses import replace
from enum import Enum
from typing import Annotated, Final, TypeAlias

from referee.core import (
    CLOCK,
    TOTAL,
    YES,
    Mod,
    Mods,
    Pick,
    Prompt,
    Scene,
    action,
    alter,
    cancel_deadline,
    figure,
    figures,
    formula,
    frozen,
    offer,
    option,
    refuse,
    rows,
    rule,
    set_deadline,
    suggest,
)
from referee.kits.dice_codes import Code
from referee.kits.wounds import TimeSpan
from referee.systems.d6.codes import own_code
from referee.systems.d6.damage import HARMED, Harm, hit
from referee.systems.d6.health import (
    MEDICINE,
    fall_unconscious,
    set_level,
    spends_fate,
    tire,
    unconscious_by,
    wake_up,
    wounded,
)
from referee.systems.d6.resolution import TESTED, TestResult, check_able, roll_against
from referee.systems.d6.rolls import ANY_ROLL, roll_for
from referee.systems.d6.sheet import Hazard, Hero, Person
from referee.systems.d6.time import round_seconds, rounds_of
from referee.systems.d6.treatment import FIRST_AID, Patient
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


@rule("d6.health.willpower-second-chance")
async def endure(scene: Scene, who: Person, difficulty: int, situation: str = "") -> Endured:
    """A Stamina roll, which health lowers. Willpower may save a failure; if it fails too, effects count twice."""
    result = await roll_against(who, STAMINA, difficulty, tags=(ANY_ROLL, situation))
    if result.success:
        return Endured(True)
    if not await offer(who, SECOND_CHANCE, YES):
        return Endured(False)
    second = await roll_against(who, "Willpower", difficulty + scene[SecondChance].harder_by, tags=(ANY_ROLL,))
    return Endured(True) if second.success else Endured(False, scene[SecondChance].failure_times)


def anybody(scene: Scene, who: object) -> tuple[Person, ...]:
    return scene.all(Hero)


Victim: TypeAlias = Annotated[Person, Pick(anybody)]


@rule("d6.health.fatigue/begin", "d6.health.fatigue")
async def face(scene: Scene, who: Person, hazard: Hazard, after: int) -> None:
    """A hazard begins, or goes on: its next roll is due after so many rounds."""
    await alter(who, Hero.facing, hazard)
    await cancel_deadline(who, hazard_due, about=hazard.name)
    await set_deadline(after, who, hazard_due, about=hazard.name)


@rule("d6.health.fatigue/due", "d6.health.fatigue")
async def hazard_due(scene: Scene, who: Person, about: str) -> None:
    """The next roll against a hazard."""
    hazard = scene[who].hazard(about)
    if hazard is None or scene[who].wound == DEAD:
        return
    await _DUE[hazard.kind](who, hazard)


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
    await cancel_deadline(who, hazard_due, about=name)
    await alter(who, Hero.free_of, name)
    if faced is not None and faced.kind in (COMBAT, BREATH, CARRYING) and scene[who].fatigue.get(faced.kind):
        await set_deadline(recovery_rounds(scene, faced), who, recover, about=f"{faced.kind}: {faced.period}")


def recovery_rounds(scene: Scene, faced: Hazard) -> int:
    """After how many rounds a die of fatigue is gone."""
    match faced.kind:
        case "lack of air":
            return 1
        case "long combat":
            return scene[LongCombat].period_rounds
        case _:
            return max(1, faced.period * faced.rolls)


@rule("d6.health.fatigue/recover", "d6.health.fatigue")
async def recover(scene: Scene, who: Person, about: str) -> None:
    """A die of fatigue is gone; the next follows after as long again."""
    kind, _, every = about.partition(": ")
    left = scene[who].fatigue.get(kind, 0) - 1
    await tire(who, kind, left)
    if left > 0:
        after = 1 if kind == BREATH else scene[LongCombat].period_rounds if kind == COMBAT else int(every)
        await set_deadline(after, who, recover, about=about)


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
def fall_damage(scene: Scene, height: int, ground: str = "ordinary") -> Code:
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


Ground: TypeAlias = Annotated[str, GROUNDS]


@action("fall", "d6.health.falling/fall", "d6.health.falling", bands=HARMED, master=True)
async def fall(
    scene: Scene,
    victim: Victim,
    height: Annotated[int, suggest(2, 3, 5, 10, 30)],
    ground: Ground = "ordinary",
    resist: FallSkill = FallSkill.STRENGTH,
    mods: Mods = (),
) -> Harm:
    """Somebody falls so many metres, and resists with Strength, or with Acrobatics as a reaction."""
    damage = fall_damage(scene, height, ground)
    if damage.dice <= 0 and damage.pips <= 0:
        return Harm(-1, "none", scene[victim].wound, scene[victim].stuns)
    return await hit(victim, damage, resist=resist.value, resist_mods=mods)


# --- sleep ------------------------------------------------------------------------------------------------------------


@frozen
class SleepRow:
    """A stretch without sleep: after how many half periods, what must be rolled, and what it brings."""

    name: str
    halves: int
    difficulty: int
    failed: HazardOutcome
    passed: HazardOutcome


@figures("d6.health.lack-of-sleep")
class Sleep:
    """How long a period is at most, what counts as sleep, and what an hour of it is worth."""

    max_period_hours: int
    min_sleep_hours: int
    recovery_per_hour: int


SLEEPLESS: Final = rows("d6.health.lack-of-sleep", "rows", SleepRow)


def half_period(scene: Scene, hours: int) -> int:
    """Half a period in rounds: the last sleep, but at most eight hours."""
    return rounds_of(scene, min(hours, scene[Sleep].max_period_hours), "hour") // 2


@action("wake-through", "d6.health.lack-of-sleep", master=True)
async def go_without_sleep(scene: Scene, victim: Victim, slept: Annotated[int, suggest(8, 6, 4)] = 8) -> None:
    """Somebody goes without sleep after one of so many hours: the longer, the harder to stay awake."""
    if slept < scene[Sleep].min_sleep_hours:
        refuse(f"a sleep is at least {scene[Sleep].min_sleep_hours} hour long")
    first = scene[SLEEPLESS].names[0]
    half = half_period(scene, slept)
    hazard = Hazard(SLEEP, SLEEP, scene[SLEEPLESS].look(first).difficulty, period=half)
    await face(victim, hazard, scene[SLEEPLESS].look(first).halves * half)


@rule("d6.health.lack-of-sleep/due", "d6.health.lack-of-sleep")
async def sleep_due(scene: Scene, who: Person, hazard: Hazard) -> None:
    """Each stretch has its own roll; the figures of fatigue are totals. In the end one sleeps, wanting to or not."""
    names = scene[SLEEPLESS].names
    row = scene[SLEEPLESS][names[min(hazard.rolls, len(names) - 1)]]
    endured = await endure(who, row.difficulty, SLEEP)
    outcome = row.passed if endured.passed else row.failed.times(endured.times)
    if outcome.fatigue > scene[who].fatigue.get(SLEEP, 0):
        await tire(who, SLEEP, outcome.fatigue)
    if outcome.sleep:
        hours = outcome.sleep * hazard.period * 2 // rounds_of(scene, 1, "hour")
        await alter(who, Hero.free_of, SLEEP)
        await alter(who, unconscious_by, "asleep", scene[CLOCK].now)
        await set_deadline(outcome.sleep * hazard.period * 2, who, slept_out, about=str(hours))
        return
    following = scene[SLEEPLESS].look(names[min(hazard.rolls + 1, len(names) - 1)])
    await face(
        who, replace(hazard, rolls=hazard.rolls + 1, difficulty=following.difficulty), following.halves * hazard.period
    )


@rule("d6.health.lack-of-sleep/slept", "d6.health.lack-of-sleep")
async def slept_out(scene: Scene, who: Person, about: str) -> None:
    """Whoever fell asleep wakes up, rested by as many dice as hours have passed."""
    await rested(who, int(about))
    await wake_up(who)


@rule("d6.health.lack-of-sleep/rested", "d6.health.lack-of-sleep")
async def rested(scene: Scene, who: Person, hours: int) -> None:
    """An hour of sleep takes away a die of fatigue that came from the lack of it."""
    left = scene[who].fatigue.get(SLEEP, 0) - hours * scene[Sleep].recovery_per_hour
    await tire(who, SLEEP, max(0, left))


@action("sleep", "d6.health.lack-of-sleep/sleep", "d6.health.lack-of-sleep", master=True)
async def sleep(scene: Scene, victim: Victim, hours: Annotated[int, suggest(8, 6, 4, 2, 1)]) -> None:
    """Somebody has slept so many hours: fatigue goes, and a new period begins if it was an hour at least."""
    await rested(victim, hours)
    if hours >= scene[Sleep].min_sleep_hours:
        await cancel_deadline(victim, hazard_due, about=SLEEP)
        await alter(victim, Hero.free_of, SLEEP)


# --- efforts ----------------------------------------------------------------------------------------------------------


@frozen
class SpeedRow:
    """How often somebody at this speed rolls, and how much harder it gets."""

    name: str
    period: str
    increment: int


@frozen
class CarryRow:
    """How often carrying tires, by the margin of the Lifting roll."""

    name: str
    period: str


@figures("d6.health.long-combat")
class LongCombat:
    """When long fights tire."""

    period_rounds: int
    ranged_factor: int
    difficulty: int
    increment: int
    fatigue: int


SPEEDS: Final = rows("d6.health.running", "speeds", SpeedRow)
START_DIFFICULTY: Final = figure("d6.health.running", "start_difficulty", int)
RUN_FAILED: Final = figure("d6.health.running", "failed", HazardOutcome)
CARRYING_ROWS: Final = rows("d6.health.lifting-fatigue", "rows", CarryRow, by=("min", "max"))


def spanned(scene: Scene, period: str) -> int:
    """A period in rounds; 0 if there is none."""
    if not period:
        return 0
    span = TimeSpan.from_plain(period)
    return rounds_of(scene, span.plus, span.unit)


Speed: TypeAlias = Annotated[str, SPEEDS]


@action("run", "d6.health.running", turn=check_able)
async def run(scene: Scene, who: Person, speed: Speed) -> None:
    """Somebody runs at a speed: after each period at it Stamina is rolled. At cautious speed nobody tires."""
    period = spanned(scene, scene[SPEEDS][speed].period)
    if not period:
        await stop(who, RUNNING)
        return
    before = scene[who].hazard(RUNNING)
    difficulty = before.difficulty if before else scene[START_DIFFICULTY]
    await face(who, Hazard(RUNNING, RUNNING, difficulty, period=period), period)


@rule("d6.health.running/due", "d6.health.running")
async def run_due(scene: Scene, who: Person, hazard: Hazard) -> None:
    """A success makes the next roll harder, a failure costs a die of fatigue."""
    endured = await endure(who, hazard.difficulty, "fatigue")
    if not endured.passed:
        await apply_outcome(who, RUNNING, scene[RUN_FAILED].times(endured.times))
    harder = increment(scene, hazard) if endured.passed else 0
    await face(who, replace(hazard, difficulty=hazard.difficulty + harder, rolls=hazard.rolls + 1), hazard.period)


def increment(scene: Scene, hazard: Hazard) -> int:
    """How much harder running gets at the speed whose period this is."""
    return next(row.increment for row in scene[SPEEDS] if spanned(scene, row.period) == hazard.period)


def check_ran(scene: Scene, who: object, victim: Person) -> None:
    if scene[victim].hazard(RUNNING) is None:
        refuse(f"{victim} has not been running")


@action("rest", "d6.health.running/rest", "d6.health.running", check=check_ran, master=True)
async def rest_from_running(scene: Scene, victim: Victim, periods: Annotated[int, suggest(1, 2, 3)] = 1) -> None:
    """Each rest as long as the time between rolls makes the next one easier; at the lowest, fatigue is gone."""
    hazard = scene[victim].hazard(RUNNING)
    if hazard is None or periods < 1:
        return
    eased = max(scene[START_DIFFICULTY], hazard.difficulty - periods * increment(scene, hazard))
    await cancel_deadline(victim, hazard_due, about=RUNNING)
    if eased == scene[START_DIFFICULTY]:
        await alter(victim, Hero.free_of, RUNNING)
        await tire(victim, RUNNING, 0)
    else:
        await alter(victim, Hero.facing, replace(hazard, difficulty=eased))


@action("carry", "d6.health.lifting-fatigue", turn=check_able)
async def carry(scene: Scene, who: Person, margin: Annotated[int, suggest(0, 3, 6, 9, 12, 15)]) -> None:
    """Somebody carries something heavy, lifted by such a margin: it tires the sooner the less the margin was."""
    period = spanned(scene, scene[CARRYING_ROWS].at(margin).period)
    if period:
        await face(who, Hazard(CARRYING, CARRYING, 0, period=period), period)


@rule("d6.health.lifting-fatigue/due", "d6.health.lifting-fatigue")
async def carry_due(scene: Scene, who: Person, hazard: Hazard) -> None:
    """A die of fatigue for each period."""
    await apply_outcome(who, CARRYING, HazardOutcome(fatigue=1))
    await face(who, replace(hazard, rolls=hazard.rolls + 1), hazard.period)


@action("fight-on", "d6.health.long-combat", master=True)
async def fight_on(scene: Scene, victim: Victim, ranged: bool = False) -> None:
    """A fight begins that exhausts: every so many rounds Stamina is rolled, half as often at a distance."""
    of = scene[LongCombat]
    period = of.period_rounds * (of.ranged_factor if ranged else 1)
    await face(victim, Hazard(COMBAT, COMBAT, of.difficulty, period=period), period)


@rule("d6.health.long-combat/due", "d6.health.long-combat")
async def combat_due(scene: Scene, who: Person, hazard: Hazard) -> None:
    """A success makes the next roll harder, a failure costs a die of fatigue."""
    endured = await endure(who, hazard.difficulty, "fatigue")
    if not endured.passed:
        await apply_outcome(who, COMBAT, HazardOutcome(fatigue=scene[LongCombat].fatigue * endured.times))
    harder = scene[LongCombat].increment if endured.passed else 0
    await face(who, replace(hazard, difficulty=hazard.difficulty + harder, rolls=hazard.rolls + 1), hazard.period)


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


@rule("d6.health.lack-of-food/due", "d6.health.lack-of-food")
async def hunger_due(scene: Scene, who: Person, hazard: Hazard) -> None:
    """Each roll is harder than the one before. Wounds never become mortal: after Neutralized comes coma, then death."""
    row = scene[WANTS][hazard.name.partition(": ")[2]]
    endured = await endure(who, hazard.difficulty, "hunger")
    if not endured.passed and scene[PACE] is Pace.HEROIC and await spends_fate(who, DEFY_HUNGER):
        endured = Endured(True)
    passes = hazard.passes
    if scene[who].wound == scene[Starving].worst_wound:
        passes += 0 if endured.passed else 1
        await starve_on(who, passes if not endured.passed else 0)
    else:
        outcome = row.passed if endured.passed else row.failed.times(endured.times)
        await apply_outcome(who, hazard.kind, starved(scene, who, outcome), hazard.kind)
    if scene[who].wound != DEAD:
        harder = hazard.difficulty + scene[Hunger].increment
        await face(who, replace(hazard, difficulty=harder, rolls=hazard.rolls + 1, passes=passes), hazard.period)


def starved(scene: Scene, who: Person, outcome: HazardOutcome) -> HazardOutcome:
    """Hunger gives no more wounds than lead to Neutralized."""
    ladder = scene[who].ladder(scene)
    most = ladder.rung(scene[Starving].worst_wound) - ladder.rung(scene[who].wound)
    return replace(outcome, wounds=max(0, min(outcome.wounds, most)))


@rule("d6.health.starvation-death")
async def starve_on(scene: Scene, who: Person, failures: int) -> None:
    """Whoever is Neutralized by hunger falls into a coma after the next failure, and dies after the one after that."""
    if not failures:
        return
    stage = scene[Starving].after[min(failures, len(scene[Starving].after)) - 1]
    if stage == "Coma":
        await cancel_deadline(who, wake_up)
        await alter(who, unconscious_by, "coma", scene[CLOCK].now)
    else:
        await set_level(who, DEAD)


@action("feed", "d6.health.starvation-death/feed", "d6.health.starvation-death", bands=TESTED, turn=check_able)
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
    return scene[CLIMATES][names[max(0, names.index(scene[CLIMATES].look(climate).name) - stages)]]


@action("climate", "d6.health.harsh-climate", master=True)
async def expose(scene: Scene, victim: Victim, climate: Climate, stages: Annotated[int, suggest(0, 1, 2)] = 0) -> None:
    """Somebody is exposed to a climate; suitable clothing makes it stages milder."""
    row = climate_felt(scene, climate, stages)
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
    worn = sum(code.in_pips(3) for _, code in scene[victim].armor(zone))
    return worn < vector.protected_from_pips and difference > -vector.reaches_below


@action("detect-toxin", "d6.health.toxin-format/detect", "d6.health.toxin-format", bands=TESTED, turn=check_able)
async def detect_toxin(
    scene: Scene, who: Person, toxin: Toxin, difficulty: Annotated[int, suggest(10, 15, 20)], mods: Mods = ()
) -> TestResult:
    """Notice a toxin by its taste or smell, where that is possible."""
    using = scene[VECTORS][scene[TOXINS].look(toxin).vector].detected_with
    if not using:
        refuse("it can be neither tasted nor smelled")
    return await roll_against(who, using, difficulty, mods)


@action("poison", "d6.health.rattlesnake-poison", "d6.health.toxin-format", master=True)
async def poison(scene: Scene, victim: Victim, toxin: Toxin) -> None:
    """Somebody has taken in a toxin: Stamina is rolled every period."""
    row = scene[TOXINS][toxin]
    period = spanned(scene, row.period)
    await face(victim, Hazard(row.name, TOXIN, row.difficulty, period=period), period)


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
    """Medicine is only for those who have learned it."""
    if medicine:
        own_code(scene, who, MEDICINE)


@action(
    "treat-toxin",
    "d6.health.toxin-format/treat",
    "d6.health.toxin-format",
    bands=TESTED,
    turn=check_able,
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
    result = await roll_against(who, using, needed, (*mods, *bonus))
    hazard = scene[patient].hazard(toxin)
    if result.success and aid is ToxinAid.TREAT:
        await stop(patient, toxin)
    elif result.success and aid is ToxinAid.STABILIZE and hazard is not None:
        await face(patient, hazard, 2 * hazard.period)
    return result


# --- lack of air ------------------------------------------------------------------------------------------------------


@figures("d6.health.suffocation")
class Suffocation:
    """How long a breath lasts, and what happens then."""

    times_surprised: int
    times_ready: int
    fatigue: int
    unconscious: TimeSpan
    wounds: int


@action("suffocate", "d6.health.suffocation", master=True)
async def suffocate(scene: Scene, victim: Victim, surprised: bool = False) -> int:
    """The last breath: a Strength roll says for how many rounds it is enough."""
    of = scene[Suffocation]
    shown = (await roll_for(victim, "Strength", (), ("breath",))).total
    rounds = shown * (of.times_surprised if surprised else of.times_ready) // round_seconds(scene)
    await face(victim, Hazard(BREATH, BREATH, 0, period=1), rounds + 1)
    return rounds


@rule("d6.health.suffocation/due", "d6.health.suffocation")
async def breath_due(scene: Scene, who: Person, hazard: Hazard) -> None:
    """A die of fatigue every round; once that knocks one out, a wound every round, until death."""
    if scene[who].unconscious is None:
        await tire(who, BREATH, scene[who].fatigue.get(BREATH, 0) + scene[Suffocation].fatigue)
        if scene[who].unconscious is not None:
            await fall_unconscious(who, scene[Suffocation].unconscious, "suffocating")
    elif scene[who].wound == MORTAL:
        await set_level(who, DEAD)
        return
    else:
        await apply_outcome(who, BREATH, HazardOutcome(wounds=scene[Suffocation].wounds))
    await face(who, replace(hazard, rolls=hazard.rolls + 1), hazard.period)


_DUE: Final = {
    SLEEP: sleep_due,
    FOOD: hunger_due,
    DRINK: hunger_due,
    CLIMATE: climate_due,
    TOXIN: toxin_due,
    RUNNING: run_due,
    CARRYING: carry_due,
    COMBAT: combat_due,
    BREATH: breath_due,
}
