"""Animal Handling: riding, commanding, training and taming animals."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field, replace
from typing import Annotated, Final, TypeAlias

from referee.core import (
    D6,
    Effect,
    Levels,
    Mod,
    Mods,
    Open,
    Pick,
    Pool,
    Prompt,
    Scene,
    Total,
    Who,
    action,
    alter,
    applying,
    figure,
    figure_at,
    figures,
    formula,
    frozen,
    lay,
    refuse,
    roll,
    rows,
    rule,
    tell,
)
from referee.core.clock import Due, due
from referee.core.effects import Adds, Extra, Forbids, Grants
from referee.systems.yearzero.action_types import PrintedPrice, go_of
from referee.systems.yearzero.activities import (
    ActivityResult,
    Route,
    check_free,
    dawn_of,
    day_of,
    has_bane,
    lay_until_turn,
    occupy,
    quarter_days,
    result,
    span,
)
from referee.systems.yearzero.effects import OUTCOME, Outcome, effect_table, effects_of, roll_for_effects
from referee.systems.yearzero.harm import check_able
from referee.systems.yearzero.opposed import oppose_once
from referee.systems.yearzero.rolls import ATTACKING, DEFENDING, Attempt, RolledPool, roll_once
from referee.systems.yearzero.sheet import STRENGTH, Helpers, Person, Survivor
from referee.systems.yearzero.skills import Gear, plain

MODIFIERS: Final = "yearzero.animal-handling.modifiers"
RIDE: Final = "yearzero.animal-handling.ride"
RIDER_EFFECTS: Final = "yearzero.animal-handling.rider-effects"
COMMAND: Final = "yearzero.animal-handling.command"
TRAINING: Final = "yearzero.animal-handling.training"
TYPES: Final = "yearzero.animal-handling.animal-types"
COMPLEXITY: Final = "yearzero.animal-handling.task-complexity"
DISCOURAGE: Final = "yearzero.animal-handling.discourage"
TAME: Final = "yearzero.animal-handling.tame"
SKILL: Final = "Animal Handling"


# --- animals ----------------------------------------------------------------------------------------------------------


@frozen
class Training:
    """An animal that is being taught: by whom, what, how many days it takes, and how many it has had."""

    trainer: str
    task: str
    days: int
    done: int = 0
    last_day: int = -1


@frozen
class Taming:
    """A wild animal that is being tamed: by whom, and how far."""

    tamer: str
    successes: int = 0
    critical_failures: int = 0
    last_day: int = -1
    rolls: int = 0
    """How often on that day."""


@frozen
class Animal(Survivor):
    """An animal: it has attributes and skills as people have, and is wild or tame."""

    animal: Open[str] = "dogs"
    """What kind it is, as the table of animals has it."""
    wild: Open[bool] = False
    captured: Open[bool] = False
    """Whether a wild animal was caught."""
    movement_rate: Open[int] = 2
    """In steps of ten metres."""
    trained: Open[frozenset[str]] = frozenset()
    """The tasks it was trained for."""
    learning: Open[Training | None] = None
    retries: Open[Levels] = field(default_factory=Levels)
    """What failed trainings have changed for a task."""
    taming: Open[Taming | None] = None
    untameable: Open[bool] = False
    """Too traumatised to be tamed."""


Beast: TypeAlias = Who[Animal]


@frozen
class AnimalType:
    """A kind of animal, and how hard it is to teach."""

    name: str
    dm: int


@frozen
class TaskLevel:
    """How complex a task is, by two routes."""

    name: str
    dm: int
    x: int


@frozen
class AnimalTask:
    """What an animal can be told to do."""

    name: str
    level: str
    restores: int = 0
    """Points of the broken attribute that it gives back to its handler."""


@frozen
class AnimalFactor:
    """Something that makes it easier or harder to handle an animal."""

    name: str
    dm: int


FACTORS: Final = rows(MODIFIERS, "factors", AnimalFactor)
ANIMAL_TYPES: Final = rows(TYPES, "types", AnimalType)
LEVELS: Final = rows(COMPLEXITY, "levels", TaskLevel)
TASKS: Final = rows(COMPLEXITY, "tasks", AnimalTask)
HUNGRY: Final = "hungry"


def person(animal: Beast) -> Person:
    """An animal where whoever it is does not matter."""
    return Who(animal.name, Survivor)


def check_moved(scene: Scene, targets: tuple[Person, ...], not_for: tuple[str, ...], rule: str) -> None:
    """Some words do not move animals, or monsters."""
    moved = tuple(each.name for each in targets if not {*nature(scene, each)} & {*not_for})
    for each in targets:
        if each.name not in moved:
            is_a = " and ".join(f"{'an' if kind == 'animal' else 'a'} {kind}" for kind in nature(scene, each))
            refuse(f"{each} is {is_a}", rule=rule, legal=moved)


def nature(scene: Scene, who: Person) -> tuple[str, ...]:
    """Whether somebody is an animal, a monster, both or neither."""
    kinds = {"animal": isinstance(scene[who], Animal), "monster": scene[who].monster}
    return tuple(name for name, holds in kinds.items() if holds)


def tame_animals(scene: Scene, who: Person) -> tuple[Beast, ...]:
    return tuple(each for each in scene.all(Animal) if not scene[each].wild and each.name != who.name)


def check_tame(scene: Scene, who: Person, animal: Beast) -> None:
    if scene[animal].wild:
        legal = tuple(each.name for each in tame_animals(scene, who))
        refuse(f"{animal} is wild", rule="yearzero.animal-handling.use", legal=legal)


def wild_animals(scene: Scene, who: Person) -> tuple[Beast, ...]:
    return tuple(each for each in scene.all(Animal) if scene[each].wild)


def check_wild(scene: Scene, who: Person, animal: Beast) -> None:
    if not scene[animal].wild:
        legal = tuple(each.name for each in wild_animals(scene, who))
        refuse(f"{animal} is tame", rule="yearzero.animal-handling.use", legal=legal)


def check_mount(scene: Scene, who: Person, mount: Beast) -> None:
    """Tame, and able to carry somebody."""
    check_tame(scene, who, mount)
    check_able(scene, person(mount))


def check_wild_opponent(scene: Scene, who: Person, animal: Beast) -> None:
    """Wild, and able to oppose somebody."""
    check_wild(scene, who, animal)
    check_able(scene, person(animal))


Mount: TypeAlias = Annotated[Beast, Pick(tame_animals, check_mount)]
WildOpponent: TypeAlias = Annotated[Beast, Pick(wild_animals, check_wild_opponent)]
Tame: TypeAlias = Annotated[Beast, Pick(tame_animals, check_tame)]
Wild: TypeAlias = Annotated[Beast, Pick(wild_animals, check_wild)]
NamedTask: TypeAlias = Annotated[str, TASKS]
NamedFactors: TypeAlias = tuple[Annotated[str, FACTORS], ...]


@formula(MODIFIERS)
def handling(scene: Scene, animal: Beast, factors: tuple[str, ...]) -> Mods:
    """The factors that were named, and those that the animal shows; each counts once."""
    sheet = scene[animal]
    shown = {
        "the animal is already hurt": any(sheet.damage.values()),
        "the animal is hungry": HUNGRY in sheet.conditions,
    }
    found = dict.fromkeys((*factors, *(name for name, holds in shown.items() if holds)))
    return tuple(Mod(scene[FACTORS][each].dm, each, MODIFIERS) for each in found)


def level_of(scene: Scene, task: str) -> TaskLevel:
    return scene[LEVELS][scene[TASKS][task].level]


@formula(TYPES)
def type_mod(scene: Scene, animal: Beast) -> Mods:
    dm = scene[ANIMAL_TYPES][scene[animal].animal].dm
    return (Mod(dm, scene[animal].animal, TYPES),) if dm else ()


# --- riding -----------------------------------------------------------------------------------------------------------


RIDES: Final = effect_table(RIDER_EFFECTS, SKILL, bonus="bonus_effects", general=True)
RIDER: Final = figure(RIDE, "specialty", str)
RIDDEN: Final = figure(RIDE, "attribute", str)
STEP: Final = figure(RIDER_EFFECTS, "step_m", int)
FASTER: Final = "faster mount"
MOVEMENT: Final = "movement"


@formula(f"{RIDER_EFFECTS}/movement")
def movement_rate(scene: Scene, animal: Beast) -> int:
    """The Movement Rate as it is now."""
    return scene[animal].movement_rate + applying(scene, animal).extra(MOVEMENT)


@formula(f"{RIDER_EFFECTS}/run")
def run_metres(scene: Scene, animal: Beast) -> int:
    """How far the animal runs with one action."""
    return movement_rate(scene, animal) * scene[STEP]


def ride_effects(scene: Scene, who: Person) -> tuple[str, ...]:
    return effects_of(scene, RIDES)


@action("ride", RIDE, RIDER_EFFECTS, bands=OUTCOME, turn=check_able)
async def ride(
    scene: Scene,
    who: Person,
    mount: Mount,
    effect: Annotated[str, Pick(ride_effects)] = "",
    factors: NamedFactors = (),
    gear: Gear = "",
    mods: Mods = (),
) -> Outcome:
    """A hard jump or manoeuvre in the saddle: the mount's Agility is rolled, and a push exhausts the mount."""
    own = (*mods, *handling(scene, mount, factors))
    attempt = Attempt(SKILL, scene[RIDER], gear, own, attribute=scene[RIDDEN], dice_of=person(mount), tags=("ride",))
    found = await roll_for_effects(who, attempt, RIDER_EFFECTS, effect)
    if FASTER in found.effects:
        steps = int(scene[RIDES.rows][FASTER].amount) + found.beyond
        await lay_until_turn(person(mount), Effect(Extra(MOVEMENT, steps)), who, FASTER, RIDER_EFFECTS)
    return found


# --- commands ---------------------------------------------------------------------------------------------------------


WHISPERER: Final = figure(TRAINING, "specialty", str)
ORDERS_TASK: Final = figure(COMPLEXITY, "combat_orders/task", str)
ORDERS_BONUS: Final = figure(COMPLEXITY, "combat_orders/bonus_per_extra_success", int)
ORDERS_PRICE: Final = PrintedPrice(figure(COMPLEXITY, "combat_orders/action", str))
UNTRAINED: Final = rows(MODIFIERS, "untrained_for_task", str)


@formula(COMMAND)
def ordering(scene: Scene, animal: Beast, task: str, factors: tuple[str, ...], aimed: bool) -> Attempt:
    """Whoever commands an untrained animal takes its type and the task into account as well."""
    attempt = Attempt(SKILL, scene[WHISPERER], mods=handling(scene, animal, factors))
    if task in scene[animal].trained:
        return attempt
    level = level_of(scene, task)
    if counts_untrained(scene, "animal type"):
        attempt = attempt.adding(*type_mod(scene, animal))
    if not level.dm or not counts_untrained(scene, "task complexity"):
        return attempt
    return Route(level.dm, level.x).of(attempt, level.name, COMPLEXITY, aimed=aimed)


def counts_untrained(scene: Scene, what: str) -> bool:
    """Whether something counts where an animal was not trained for a task."""
    return what in scene[UNTRAINED] and bool(scene[UNTRAINED][what])


@action("command-animal", COMMAND, MODIFIERS, bands=OUTCOME, turn=check_able)
async def command_animal(
    scene: Scene,
    who: Person,
    animal: Tame,
    task: NamedTask,
    intended: bool = True,
    factors: NamedFactors = (),
    mods: Mods = (),
    helpers: Helpers = (),
) -> Outcome:
    """Make a tame animal obey; one that was not trained for the task is harder to command."""
    attempt = replace(ordering(scene, animal, task, factors, aimed=intended), helpers=helpers, surplus=False)
    rolled = await roll_once(who, attempt.adding(*mods))
    return plain(rolled)


@action("combat-orders", f"{COMPLEXITY}/orders", COMPLEXITY, bands=OUTCOME, price=ORDERS_PRICE, turn=check_able)
async def give_orders(
    scene: Scene,
    who: Person,
    animal: Tame,
    intended: bool = True,
    factors: NamedFactors = (),
    mods: Mods = (),
    helpers: Helpers = (),
) -> Outcome:
    """The animal fights by your orders for a round, and better with every extra success."""
    task = scene[ORDERS_TASK]
    attempt = replace(ordering(scene, animal, task, factors, aimed=intended), helpers=helpers)
    rolled = await roll_once(who, attempt.adding(*mods))
    if rolled.success:
        await lay_until_turn(person(animal), Effect(Grants(go_of(who.name))), who, "combat orders", COMPLEXITY)
        beyond = rolled.successes - attempt.needed
        for tag in (ATTACKING, DEFENDING) if beyond else ():
            bonus = Effect(Adds(beyond * scene[ORDERS_BONUS]), frozenset((tag,)))
            await lay_until_turn(person(animal), bonus, who, "combat orders", COMPLEXITY)
    return plain(rolled)


def check_helpful(scene: Scene, who: Person, animal: Beast) -> None:
    """A Broken handler whose animal was trained to help."""
    if not scene[who].broken:
        refuse(f"{who} is not Broken", rule=COMPLEXITY)
    task = next(each for each in scene[TASKS] if each.restores)
    if task.name not in scene[animal].trained:
        refuse(f"{animal} was not trained for it", rule=COMPLEXITY)


@action("animal-helps", f"{COMPLEXITY}/help", COMPLEXITY, check=check_helpful)
async def animal_helps(scene: Scene, who: Person, animal: Tame) -> None:
    """An animal that was trained for it brings a Broken handler back up."""
    task = scene[TASKS][next(each.name for each in scene[TASKS] if each.restores)]
    await alter(who, Survivor.healing, scene[who].broken[0], task.restores)


# --- training ---------------------------------------------------------------------------------------------------------


@figures(TRAINING)
class TrainingRules:
    """How long training takes, and what a failure changes."""

    days_less_than_penalty: int
    least_days: int
    hours_per_day: int
    retry_dm: int
    retry_dm_per_bane: int


@formula(TRAINING)
def training_mods(scene: Scene, animal: Beast, task: str) -> Mods:
    """The kind of animal, the task, and what failed trainings have changed."""
    level = level_of(scene, task)
    known = scene[animal].retries.get(task, 0)
    own = (Mod(level.dm, level.name, COMPLEXITY),) if level.dm else ()
    again = (Mod(known, "begun again", TRAINING),) if known else ()
    return (*type_mod(scene, animal), *own, *again)


@formula(f"{TRAINING}/days")
def training_days(scene: Scene, animal: Beast, task: str) -> int:
    """Two days less than the modifier says, at least one."""
    row = scene[TrainingRules]
    total = abs(sum(mod.amount for mod in training_mods(scene, animal, task)))
    return max(row.least_days, total - row.days_less_than_penalty)


def check_training(scene: Scene, who: Person, animal: Beast, task: str) -> None:
    check_free(scene, who)
    if task in scene[animal].trained:
        refuse(f"{animal} knows that already", rule=TRAINING)
    under = scene[animal].learning
    if under and under.last_day == day_of(scene) and under.done:
        refuse(f"{animal} has been trained today", rule=TRAINING)
    if under and under.done and (under.trainer, under.task) != (who.name, task):
        refuse(f"{under.trainer} trains {animal}: {under.task}", rule=TRAINING)


def training_today(scene: Scene, who: Person, animal: Beast, task: str) -> Training:
    """The training with today's work; after a missed day it may be another one, by somebody else."""
    under = scene[animal].learning
    if under is None or not under.done:
        under = Training(who.name, task, training_days(scene, animal, task))
    return replace(under, done=under.done + 1, last_day=day_of(scene))


@action("train-animal", TRAINING, bands=OUTCOME, check=check_training, turn=check_able)
async def train_animal(
    scene: Scene,
    who: Person,
    animal: Tame,
    task: NamedTask,
    factors: NamedFactors = (),
    mods: Mods = (),
    helpers: Helpers = (),
) -> ActivityResult:
    """A day's work of two hours. On the last day the roll is made; a missed day begins everything anew."""
    row = scene[TrainingRules]
    under = training_today(scene, who, animal, task)
    await occupy(who, "training an animal", span(scene, row.hours_per_day, "hour"), helpers=helpers)
    await alter(animal, _training, under)
    if under.done < under.days:
        return ActivityResult(False, 0, amount=under.days - under.done)
    attempt = Attempt(SKILL, scene[WHISPERER], "", (*mods, *handling(scene, animal, factors)), helpers, surplus=False)
    rolled = await roll_once(who, attempt.adding(*training_mods(scene, animal, task)))
    await end_training(animal, task, rolled)
    return result(rolled)


def _training(animal: Animal, training: Training | None) -> Animal:
    return replace(animal, learning=training)


@rule(f"{TRAINING}/end")
async def end_training(scene: Scene, animal: Beast, task: str, rolled: RolledPool) -> None:
    """It is learned; or it may be begun again, easier by the try and harder by each bane."""
    row = scene[TrainingRules]
    await alter(animal, _training, None)
    if rolled.success:
        await alter(animal, _learned, task)
        return
    changed = row.retry_dm + rolled.base_banes * row.retry_dm_per_bane  # no gear is used
    await alter(animal, _begun_again, task, scene[animal].retries.get(task, 0) + changed)


def _learned(animal: Animal, task: str) -> Animal:
    kept = Levels({name: n for name, n in animal.retries.items() if name != task})
    return replace(animal, trained=animal.trained | {task}, retries=kept)


def _begun_again(animal: Animal, task: str, dm: int) -> Animal:
    return replace(animal, retries=animal.retries.but(**{task: dm}))


@rule(f"{TRAINING}/missed")
async def training_missed(scene: Scene, animal: Beast) -> None:
    """A day without work: the training begins anew."""
    under = scene[animal].learning
    if under is not None:
        await alter(animal, _training, replace(under, done=0))
        await tell("training-missed", who=animal)


# --- wild animals -----------------------------------------------------------------------------------------------------


@figures(TAME)
class WildAnimals:
    """What taming takes, and how much harder monsters are."""

    specialty: str
    time_qd_per_day: int
    rolls_per_day: int
    hardest: int = figure_at("monster_dm/most")
    easiest: int = figure_at("monster_dm/least")


TRAUMA: Final = Prompt("trauma-roll")


MUST_BE_AWARE: Final = figure(DISCOURAGE, "must_be_aware", bool)


def check_aware(scene: Scene, who: Person, aware: bool) -> None:
    if scene[MUST_BE_AWARE] and not aware:
        refuse(f"{who} must know of the animal", rule=DISCOURAGE)


@action("discourage", DISCOURAGE, bands=OUTCOME, check=check_aware, turn=check_able)
async def discourage(
    scene: Scene,
    who: Person,
    animal: WildOpponent,
    gear: Gear = "",
    mods: Mods = (),
    helpers: Helpers = (),
    aware: bool = True,
) -> Outcome:
    """Keep a wild animal from attacking that you know of and that is close: against its Strength."""
    beast = person(animal)
    attempt = Attempt(SKILL, scene[WildAnimals].specialty, gear, mods, helpers, beast, surplus=False)
    rolled = await oppose_once(who, attempt, beast, Attempt(attribute=STRENGTH, against=who))
    if rolled.success:
        calmed = Effect(Forbids("roll"), frozenset(("attack",)), until="scene end")
        await lay(animal, calmed, source="discouraged", by=DISCOURAGE, against=who)
    return plain(rolled)


def check_taming(scene: Scene, who: Person, animal: Beast, monster: int = 0) -> None:
    check_free(scene, who)
    sheet = scene[animal]
    if sheet.untameable:
        refuse(f"{animal} is too traumatised to be tamed", rule=TAME)
    if not sheet.captured:
        refuse(f"{animal} has not been captured", rule=TAME)
    wild = scene[WildAnimals]
    if monster and not wild.hardest <= monster <= wild.easiest:
        refuse(f"a monster takes {wild.easiest} to {wild.hardest}", rule=TAME)
    if sheet.taming and rolls_on(sheet.taming, day_of(scene)) >= wild.rolls_per_day:
        refuse(f"{animal} has had its day", rule=TAME)
    if sheet.taming and sheet.taming.tamer != who.name:
        refuse(f"{sheet.taming.tamer} is taming {animal}", rule=TAME)


def rolls_on(taming: Taming, day: int) -> int:
    """How often the tamer has rolled on a day."""
    return taming.rolls if taming.last_day == day else 0


@frozen
class TamingResult:
    """What a day of taming came to."""

    success: bool
    successes: int
    left: int
    """Successful days that are still missing."""
    tame: bool = False
    untameable: bool = False
    critical_failures: int = 0
    pushes: int = 0
    base_banes: int = 0
    gear_banes: int = 0


@action("tame", TAME, bands=OUTCOME, check=check_taming, turn=check_able)
async def tame(
    scene: Scene,
    who: Person,
    animal: Wild,
    monster: int = 0,
    gear: Gear = "",
    mods: Mods = (),
    helpers: Helpers = (),
) -> TamingResult:
    """A Quarter Day with a captured wild animal, every day, until it has had as many successes as its Strength."""
    own = (*mods, Mod(monster, "monster", TAME)) if monster else mods
    await occupy(who, "taming", quarter_days(scene, scene[WildAnimals].time_qd_per_day), helpers=helpers)
    rolled = await roll_once(who, Attempt(SKILL, scene[WildAnimals].specialty, gear, own, helpers, surplus=False))
    return await tamed_today(animal, who, rolled)


@rule(f"{TAME}/day")
async def tamed_today(scene: Scene, animal: Beast, who: Person, rolled: RolledPool) -> TamingResult:
    """A success brings it nearer; a failure with a bane may frighten it for good; a missed day begins anew."""
    so_far = scene[animal].taming or Taming(who.name)
    critical = not rolled.success and has_bane(rolled)
    so_far = replace(
        so_far,
        successes=so_far.successes + rolled.success,
        critical_failures=so_far.critical_failures + critical,
        last_day=day_of(scene),
        rolls=rolls_on(so_far, day_of(scene)) + 1,
    )
    left = scene[animal].full(STRENGTH) - so_far.successes
    spoilt = critical and await is_traumatised(animal, so_far.critical_failures)
    if spoilt or left <= 0:
        await alter(animal, _tamed, not spoilt)
    else:
        await alter(animal, _taming, so_far)
    banes = (rolled.pushes, rolled.base_banes, rolled.gear_banes)
    return TamingResult(
        rolled.success, rolled.successes, max(0, left), left <= 0, spoilt, so_far.critical_failures, *banes
    )


@rule(f"{TAME}/trauma")
async def is_traumatised(scene: Scene, animal: Beast, failures: int) -> bool:
    """A die at or below the number of critical failures so far: it can never be tamed."""
    return (await roll(TRAUMA, None, Pool.of((D6, 1)), Total)).total <= failures


def _taming(animal: Animal, taming: Taming | None) -> Animal:
    return replace(animal, taming=taming)


def _tamed(animal: Animal, well: bool) -> Animal:
    return replace(animal, taming=None, wild=not well, untameable=not well)


@rule(f"{TAME}/missed")
async def taming_missed(scene: Scene, animal: Beast) -> None:
    """A day was skipped: everything begins anew."""
    await alter(animal, _taming, None)
    await tell("taming-missed", who=animal)


@due(Animal, training_missed, taming_missed)
def neglected(scene: Scene, animal: Beast) -> Iterator[Due]:
    """A day on which nobody works with an animal is noticed at the next dawn."""
    learning, taming = scene[animal].learning, scene[animal].taming
    if learning is not None and learning.done:
        yield Due(training_missed, at=dawn_of(scene, learning.last_day + 2))
    if taming is not None and taming.last_day >= 0:
        yield Due(taming_missed, at=dawn_of(scene, taming.last_day + 2))
