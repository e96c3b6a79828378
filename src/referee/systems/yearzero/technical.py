"""Technical: modern and high technology: jobs by specialty, building, ammunition, locks, explosives, chemistry."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any, Final, Literal, TypeAlias

from referee.core import (
    Applies,
    Bands,
    Effect,
    Grouped,
    Mod,
    Pick,
    Prompt,
    Refused,
    Scene,
    Who,
    action,
    alter,
    family,
    figure,
    figures,
    formula,
    frozen,
    lay,
    refuse,
    rows,
    rule,
    rule_on,
    settled,
    suggest,
    tell,
)
from referee.core.effects import Grants
from referee.core.things import Amount, whole
from referee.kits.things import amount_of, used_up
from referee.systems.yearzero.activities import beside_other_things, check_free, occupy
from referee.systems.yearzero.boosts import AUTOMATIC
from referee.systems.yearzero.crafting import (
    ALONE,
    CRAFTING,
    OUTCOME_RULE,
    TECHNICAL,
    TIME_NEEDED,
    WORKED,
    Materials,
    WorkAid,
    Worked,
    WorkRow,
    aimed,
    as_tried,
    check_work,
    failed_before,
    finish_work,
    forget_failure,
    gear_of,
    receive,
    remember_failure,
    spoiled,
    with_things,
    work,
    worked,
)
from referee.systems.yearzero.effects import (
    OUTCOME,
    Outcome,
    effect_table,
    effects_of,
    roll_for_effects,
)
from referee.systems.yearzero.items import CraftRow, spare_part
from referee.systems.yearzero.rolls import Attempt, RolledPool, check_attempt, roll_once, roll_skill
from referee.systems.yearzero.sheet import SPECIALTIES, Helpers, Item, Person
from referee.systems.yearzero.time import rounds_in
from referee.systems.yearzero.workplace import At, Workplace, check_building, time_of

BUILDING: Final = "yearzero.technical.crafting"
WEAPONS: Final = "yearzero.technical.build-weapons"
VEHICLES: Final = "yearzero.technical.build-vehicles"
AMMUNITION: Final = "yearzero.technical.build-ammunition"
JURY_RIGGING: Final = "yearzero.technical.jury-rigging"
CHEMISTRY: Final = "yearzero.technical.chemistry-equipment"
LOCKPICKING: Final = "yearzero.technical.lockpicking"

WEEKS_NEEDED: Final = Prompt("weeks-needed")

BONUS: Final = effect_table("yearzero.technical.bonus-effects", TECHNICAL, bonus="bonus_effects", general=True)
LOCK_BONUS: Final = effect_table(LOCKPICKING, TECHNICAL, bonus="bonus_effects")
JOBS: Final = rows(
    "yearzero.technical.effects-by-specialty", "rows", WorkRow, also=("yearzero.gear.gunsmith-difficulties/rows",)
)
LOCKS: Final = rows(LOCKPICKING, "locks", WorkRow)
MAKESHIFT_TOOLS: Final = figure(LOCKPICKING, "makeshift_tools_dm", int)

Job: TypeAlias = Annotated[str, family(JOBS, group="specialty")]
Lock: TypeAlias = Annotated[str, family(LOCKS)]


# --- jobs, with bonus effects beside them


async def roll_for_work(
    scene: Scene, who: Person, attempt: Attempt, row: WorkRow, by: str, table: str, effect: str, intended: bool
) -> Outcome:
    """A job and bonus effects: penalties that are declared add up; without any, one row is bought by luck."""
    if not intended and row.dm and effect:
        refuse("whoever aims for more aims for the job too", what=effect, rule="yearzero.core.dm-two-routes")
    attempt = work(attempt, row, by, intended)
    if effect or not row.dm:
        return await roll_for_effects(who, attempt, table, effect, None)
    rolled = await roll_once(who, replace(attempt, surplus=False))
    banes = (rolled.pushes, rolled.base_banes, rolled.gear_banes, rolled.bought, rolled.pride)
    return Outcome(rolled.success, rolled.successes, (), max(0, rolled.successes - attempt.needed), *banes)


@rule("yearzero.technical.bonus-effects/mastered")
async def mastered(scene: Scene, who: Person, target: Person | None, beyond: int) -> None:
    """What was mastered needs no roll any more."""
    if scene[who].tried:
        await lay(who, Effect(Grants(AUTOMATIC), frozenset(scene[who].tried[-1:])), source=scene[who].tried[-1])


def bonus_for(scene: Scene, who: Person) -> tuple[str, ...]:
    return effects_of(scene, BONUS)


def lock_bonus_for(scene: Scene, who: Person) -> tuple[str, ...]:
    return effects_of(scene, LOCK_BONUS)


HALF_THE_TIME: Final = ("half the time", "less time needed")


@rule("yearzero.technical.bonus-effects/time")
async def take_time(scene: Scene, who: Person, activity: str, minutes: int, done: Outcome, helpers: Helpers) -> None:
    """The minutes that a piece of work takes, or half of them."""
    rounds = rounds_in(scene, "minute", minutes)
    await occupy(who, activity, rounds // 2 if {*HALF_THE_TIME} & {*done.effects} else rounds, helpers=helpers)


CHEMIST: Final = "Chemist"


def is_chemistry(scene: Scene, who: Person, job: str) -> bool:
    return scene[JOBS].look(job).specialty == CHEMIST


def check_job(
    scene: Scene,
    who: Person,
    job: str,
    tools: str = "",
    at: At = None,
    senses: bool = False,
    helpers: Helpers = (),
    minutes: int = 0,
) -> None:
    """Tools nearly always; for chemistry a laboratory, unless the senses are enough; and the time it takes."""
    check_minutes(scene, who, minutes)
    check_attempt(scene, who, Attempt(TECHNICAL, gear=gear_of(scene, who, tools), helpers=helpers))
    if is_chemistry(scene, who, job):
        check_laboratory(scene, at, senses)
    elif not tools:
        check_equipped(scene, at, "yearzero.technical.use")


def check_minutes(scene: Scene, who: Person, minutes: int) -> None:
    """Work that takes time is done by those who have it."""
    if minutes < 0:
        refuse("no work takes less than no time", rule="yearzero.technical.use", legal=("minutes: 0",))
    if minutes:
        check_free(scene, who)


def check_equipped(scene: Scene, at: Who[Workplace] | None, by: str) -> None:
    """A garage or a workshop has the tools for most work."""
    if at is None or not scene[at].buildings & {"workshop", "garage"}:
        refuse("it takes tools, a workshop or a garage", rule=by)


@action(
    "technical-work",
    "yearzero.technical.use",
    "yearzero.technical.effects-by-specialty",
    "yearzero.technical.bonus-effects",
    CHEMISTRY,
    bands=OUTCOME,
    check=check_job,
)
async def technical_work(
    scene: Scene,
    who: Person,
    job: Job,
    aid: Grouped[WorkAid] = ALONE,
    effect: Annotated[str, Pick(bonus_for)] = "",
    intended: bool = True,
    at: At = None,
    senses: Annotated[bool, Applies(is_chemistry)] = False,
    minutes: int = 0,
) -> Outcome:
    """A technical job, by the specialty it belongs to, with bonus effects if one aims for them."""
    row = scene[JOBS][job]
    attempt = aid.attempt(scene, who, TECHNICAL, row.specialty, tags=("work", job))
    if is_chemistry(scene, who, job):
        attempt = replace(attempt, gear_dice=laboratory_bonus(scene, at))
    done = await roll_for_work(scene, who, attempt, row, JOBS.rule, BONUS.rule, effect, intended)
    if "no roll in future" in done.effects:
        await lay(who, Effect(Grants(AUTOMATIC), frozenset((job,))), source=job)
    if at is not None and done.gear_banes and attempt.gear_dice:
        await alter(at, Workplace.worn, done.gear_banes)
    await take_time(who, job, minutes, done, aid.helpers)
    return done


def check_lockpick(scene: Scene, who: Person, tools: str = "", helpers: Helpers = (), minutes: int = 0) -> None:
    """Somebody able, with tools that work and the time it takes."""
    check_minutes(scene, who, minutes)
    check_attempt(scene, who, Attempt(TECHNICAL, gear=gear_of(scene, who, tools), helpers=helpers))


@action("pick-lock", LOCKPICKING, bands=OUTCOME, check=check_lockpick)
async def pick_lock(
    scene: Scene,
    who: Person,
    lock: Lock,
    aid: Grouped[WorkAid] = ALONE,
    makeshift_tools: bool = False,
    effect: Annotated[str, Pick(lock_bonus_for)] = "",
    intended: bool = True,
    minutes: int = 0,
) -> Outcome:
    """Open a lock, a safe or an alarm."""
    attempt = aid.attempt(scene, who, TECHNICAL, "Locksmith", tags=("work", lock))
    if makeshift_tools:
        attempt = attempt.adding(Mod(scene[MAKESHIFT_TOOLS], "makeshift tools", LOCKPICKING))
    row = scene[LOCKS][lock]
    done = await roll_for_work(scene, who, attempt, row, LOCKPICKING, LOCK_BONUS.rule, effect, intended)
    await take_time(who, f"picking {lock}", minutes, done, aid.helpers)
    return done


# --- chemistry


@frozen
class LaboratoryRow:
    """A grade of laboratory, its equipment, and what it may add."""

    grade: str
    bonus_min: int
    bonus_max: int
    equipment: tuple[str, ...]

    @property
    def name(self) -> str:
        return self.grade


LABORATORIES: Final = rows(CHEMISTRY, "laboratories", LaboratoryRow, by=("bonus_min", "bonus_max"))


@formula(CHEMISTRY)
def laboratory_grade(scene: Scene, bonus: int) -> str:
    """Which grade a laboratory with such a bonus is of."""
    if bonus > (best := max(row.bonus_max for row in scene[LABORATORIES])):
        refuse(f"no laboratory is better than {best}", rule=CHEMISTRY)
    return scene[LABORATORIES].at(bonus).grade


def laboratory_bonus(scene: Scene, at: Who[Workplace] | None) -> int:
    return (scene[at].laboratory or 0) if at is not None else 0


def check_laboratory(scene: Scene, at: Who[Workplace] | None, senses: bool) -> None:
    """Chemistry takes at least basic equipment, unless a known chemical is recognised by the senses."""
    if senses:
        return
    if at is None or scene[at].laboratory is None:
        refuse("it takes at least a basic laboratory", rule=CHEMISTRY)
    _ = laboratory_grade(scene, scene[at].laboratory or 0)


# --- explosives


DEMOLITIONS: Final = {
    TECHNICAL: rows("yearzero.technical.demolitions", "effects", WorkRow),
    CRAFTING: rows("yearzero.crafting.demolitions", "effects", WorkRow),
}
WORSE_BY_CRAFTING: Final = figure("yearzero.crafting.demolitions", "vs_technical_dm", int)
WORSE_IN_TABLE: Final = figure("yearzero.crafting.demolitions", "already_included", bool)
Charge: TypeAlias = Annotated[str, Pick(lambda scene, who, skill: scene[DEMOLITIONS[skill]].names)]


@formula("yearzero.crafting.demolitions/worse")
def worse_at_demolitions(scene: Scene, skill: str) -> int:
    """What Crafting takes off besides the penalty of its table, which has it already."""
    return 0 if skill == TECHNICAL or scene[WORSE_IN_TABLE] else scene[WORSE_BY_CRAFTING]


@action(
    "demolitions", "yearzero.technical.demolitions", "yearzero.crafting.demolitions", bands=WORKED, check=check_work
)
async def demolitions(
    scene: Scene,
    who: Person,
    skill: Literal["Technical", "Crafting"],
    effect: Charge,
    aid: Grouped[WorkAid] = ALONE,
    intended: bool = True,
) -> Worked:
    """Lay, clear or make mines and explosives; Crafting is a little worse at it."""
    table = DEMOLITIONS[skill]
    row = scene[table][effect]
    attempt = aid.attempt(scene, who, skill, "Demolitions", surplus=False, tags=("work",))
    attempt = beside_other_things(scene, who, attempt)
    row = replace(row, dm=row.dm + worse_at_demolitions(scene, skill))
    done = worked(await roll_once(who, work(attempt, row, table.rule, intended)), row.name)
    made = row.makes if done.success else ""
    return await settled(
        done, then=finish_work(who, made, "work with explosives", time_of(scene, row.time), aid.helpers)
    )


# --- building


@frozen
class BuildRow:
    """A weapon or vehicle and the spare parts it takes."""

    name: str
    part: str
    general: int
    special: int
    size: Literal["small", "large"]
    electronic: int = 0


@frozen
class Weeks:
    """How long it takes to build something small or large."""

    small: int
    large: int


BUILDS: Final = rows(WEAPONS, "examples", BuildRow, also=(f"{VEHICLES}/examples",))
WEEKS: Final = {"weapon": figure(WEAPONS, "weeks", Weeks), "vehicle": figure(VEHICLES, "weeks", Weeks)}


@figures(BUILDING)
class Building:
    """What building costs in dice, and how far below the original a new thing stays."""

    dm: int
    reliability_below_original: int
    least_reliability: int


ORIGINAL: Final = figure("yearzero.gear.wear-reliability", "default_reliability", int)


@formula(BUILDING)
def built_reliability(scene: Scene, original: int, successes: int) -> int:
    """Two below the original, at least 1, and one more for each success beyond the first, up to the original."""
    made = scene[Building]
    least = max(made.least_reliability, original - made.reliability_below_original)
    return min(original, least + successes - 1)


@formula(WEAPONS, VEHICLES)
def parts_for(scene: Scene, item: str, part: str, weight: Amount, size: str) -> BuildRow:
    """The parts of a listed thing; of any other half of its weight each, the odd one special."""
    if item in scene[BUILDS]:
        return scene[BUILDS][item]
    general = int(weight / 2)
    return BuildRow(item, part, general, max(1, int(weight) - general), "large" if size == "large" else "small")


def spare_parts(scene: Scene, row: BuildRow) -> tuple[tuple[str, int], ...]:
    """Which parts are used, and how many."""
    kinds = (("general", row.general), (row.part, row.special), ("electronic", row.electronic))
    return tuple((spare_part(scene, kind), number) for kind, number in kinds if number)


def check_build(
    scene: Scene,
    who: Person,
    item: str,
    part: str = "weapon",
    weight: int = 1,
    size: str = "small",
    tools: str = "",
    at: At = None,
    helpers: Helpers = (),
) -> None:
    """Somebody free, with tools, a garage or a workshop, and the spare parts."""
    check_free(scene, who)
    check_attempt(scene, who, Attempt(TECHNICAL, gear=gear_of(scene, who, tools), helpers=helpers))
    if not tools:
        check_equipped(scene, at, BUILDING)
    check_parts(scene, who, spare_parts(scene, parts_for(scene, item, part, weight, size)), BUILDING)


def check_parts(scene: Scene, who: Person, wanted: tuple[tuple[str, Amount], ...], by: str) -> None:
    for name, number in wanted:
        if (there := amount_of(scene[who].things, name)) < number:
            raise Refused(name, because=f"it takes {number}, and {who} has {there}", rule=by)


@frozen
class Built:
    """What building came to."""

    success: bool
    successes: int
    made: str = ""
    reliability: int = 0
    inferior: bool = False
    parts: Literal["used", "kept", "destroyed"] = "kept"
    pushes: int = 0
    base_banes: int = 0
    gear_banes: int = 0


def jobs_or_none(scene: Scene, who: Person) -> tuple[str, ...]:
    return ("", *scene[JOBS].names)


@action("build", BUILDING, WEAPONS, VEHICLES, bands=WORKED, check=check_build)
async def build(
    scene: Scene,
    who: Person,
    item: Annotated[str, suggest("Pistol", "Shotgun", "Bicycle", "Dirtbike")],
    part: Literal["weapon", "vehicle"] = "weapon",
    weight: int = 1,
    size: Literal["small", "large"] = "small",
    reliability: int | None = None,
    job: Annotated[str, Pick(jobs_or_none)] = "",
    aid: Grouped[WorkAid] = ALONE,
    at: At = None,
    electronic: int = 0,
) -> Built:
    """Build a weapon or a vehicle of spare parts, over weeks."""
    row = parts_for(scene, item, part, weight, size)
    weeks = getattr(scene[WEEKS[row.part]], row.size)
    weeks = await rule_on(WEEKS_NEEDED, weeks, low=1)
    specialty = scene[JOBS][job].specialty if job else {"weapon": "Gunsmith", "vehicle": "Mechanic"}[row.part]
    attempt = aid.attempt(scene, who, TECHNICAL, specialty, tags=("craft",))
    attempt = aimed(beside_other_things(scene, who, attempt), scene[Building].dm, "building", BUILDING)
    attempt = aimed(attempt, scene[JOBS][job].dm, job, JOBS.rule) if job else attempt
    attempt = attempt.adding(*failed_before(scene, who, item, attempt, False))
    original = scene[ORIGINAL] if reliability is None else reliability
    built = came_out(scene, item, original, await roll_once(who, attempt))
    parts = spare_parts(scene, replace(row, electronic=max(row.electronic, electronic)))
    return await settled(
        built, then=finish_build(who, built, item, row.part, parts, attempt, rounds_in(scene, "week", weeks))
    )


def came_out(scene: Scene, item: str, original: int, rolled: RolledPool) -> Built:
    """How a modern thing came out."""
    banes = rolled.base_banes + rolled.gear_banes
    seen = (rolled.pushes, rolled.base_banes, rolled.gear_banes)
    if not rolled.success:
        lost = spoiled(scene, CraftRow(item, ()), 0, banes) == "destroyed"
        return Built(False, rolled.successes, "", 0, False, "destroyed" if lost else "kept", *seen)
    return Built(
        True, rolled.successes, item, built_reliability(scene, original, rolled.successes), banes > 0, "used", *seen
    )


@rule(f"{BUILDING}/finish", OUTCOME_RULE)
async def finish_build(
    scene: Scene,
    who: Person,
    built: Built,
    item: str,
    part: str,
    parts: tuple[tuple[str, int], ...],
    attempt: Attempt,
    rounds: int,
) -> None:
    """Parts are used, the thing will stand there, and it takes weeks."""
    things = scene[who].things
    for name, number in parts if built.parts != "kept" else ():
        things = used_up(things, name, number, rule=BUILDING)
    await alter(who, with_things, things)
    await forget_failure(who, item)
    if built.success:
        await receive(who, Item(item, reliability=built.reliability, part=part, inferior=built.inferior))
    else:
        await remember_failure(who, as_tried(scene, who, item, attempt), rounds)
    await occupy(who, f"building {item}", rounds, helpers=attempt.helpers)


# --- jury-rigging


CRAFTING_RIG: Final = figure("yearzero.crafting.jury-rigging", "dm_vs_technical", int)
TECHNICAL_RIG: Final = figure(JURY_RIGGING, "dm", int)
RIGGED_AGAIN: Final = {
    TECHNICAL: figure(JURY_RIGGING, "retry_allowed", bool),
    CRAFTING: figure(CRAFTING_RIG.rule, "retry_allowed", bool),
}


def check_rig(scene: Scene, who: Person, item: str, parts: tuple[str, ...], helpers: Helpers = ()) -> None:
    """Somebody free; it is made of spare parts."""
    check_free(scene, who)
    check_attempt(scene, who, Attempt(TECHNICAL, helpers=helpers))
    if not parts:
        refuse("it takes spare parts", rule=JURY_RIGGING)


@action("jury-rig", JURY_RIGGING, "yearzero.crafting.jury-rigging", bands=WORKED, check=check_rig)
async def jury_rig(
    scene: Scene,
    who: Person,
    item: Annotated[str, suggest("crude pistol", "still", "pipe bomb")],
    skill: Literal["Technical", "Crafting"],
    parts: Materials,
    reliability: int | None = None,
    aid: Grouped[WorkAid] = ALONE,
) -> Built:
    """Put together crude modern gear from spare parts. A failed attempt may be repeated."""
    needed = await rule_on(TIME_NEEDED, 1, low=0)
    goal = "" if scene[RIGGED_AGAIN[skill]] else f"jury-rig {item}"
    attempt = aid.attempt(scene, who, skill, "Jury-Rigging", goal=goal, tags=("craft",))
    attempt = beside_other_things(scene, who, attempt)
    dm = scene[TECHNICAL_RIG] + (scene[CRAFTING_RIG] if skill == CRAFTING else 0)
    rule_id = JURY_RIGGING if skill == TECHNICAL else CRAFTING_RIG.rule
    original = scene[ORIGINAL] if reliability is None else reliability
    built = came_out(scene, item, original, await roll_once(who, aimed(attempt, dm, "jury-rigging", rule_id)))
    return await settled(
        built, then=finish_rig(who, built, item, parts, rounds_in(scene, "quarter day", needed), aid.helpers)
    )


@rule(f"{JURY_RIGGING}/finish")
async def finish_rig(
    scene: Scene, who: Person, built: Built, item: str, parts: tuple[str, ...], rounds: int, helpers: Helpers = ()
) -> None:
    """Parts are used, and the work takes its time."""
    things = scene[who].things
    for name in parts if built.parts != "kept" else ():
        things = used_up(things, scene[who].thing(name).kind, 1, rule=JURY_RIGGING)
    await alter(who, with_things, things)
    if built.success:
        await receive(who, Item(item, reliability=built.reliability, inferior=built.inferior))
    await occupy(who, f"jury-rigging {item}", rounds, helpers=helpers)


# --- ammunition


@figures(AMMUNITION)
class Ammunition:
    """What a unit of ammunition takes, how much a success makes in a shift, and what two failures do."""

    parts_per_unit: float
    explosives_per_unit: float
    encumbrance_units_per_success_per_shift: int
    blast_power: str


EXPLOSIVES: Final = "explosives"


@frozen
class Loaded:
    """What a shift at the loading bench came to."""

    success: bool
    successes: int
    units: int = 0
    """Encumbrance units of ammunition."""
    explosion: str = ""
    """The blast power of what went off."""
    pushes: int = 0
    base_banes: int = 0
    gear_banes: int = 0


LOADED: Final[Bands[Any]] = Bands(
    of=lambda result: "success" if result.success else "explosion" if result.explosion else "failure",
    keys=("success", "failure", "explosion"),
    bad={"harm": lambda result: result.base_banes > 0},
)


def check_ammunition(scene: Scene, who: Person, at: At, tools: str = "", helpers: Helpers = ()) -> None:
    """Somebody free, a workshop, general parts and explosives for at least one unit."""
    check_free(scene, who)
    check_attempt(scene, who, Attempt(TECHNICAL, gear=gear_of(scene, who, tools), helpers=helpers))
    check_building(scene, at, "workshop", rule=AMMUNITION)
    makes = scene[Ammunition]
    wanted = ((spare_part(scene, "general"), makes.parts_per_unit), (EXPLOSIVES, makes.explosives_per_unit))
    check_parts(scene, who, wanted, AMMUNITION)


@action("make-ammunition", AMMUNITION, bands=LOADED, check=check_ammunition)
async def make_ammunition(
    scene: Scene,
    who: Person,
    ammunition: Annotated[str, suggest("9mm", "5.56mm", "12 GA")],
    at: At,
    aid: Grouped[WorkAid] = ALONE,
    specialty: Annotated[str, Pick(lambda scene, who: ("", *scene[SPECIALTIES[TECHNICAL]].names))] = "",
    blast_power: str = "",
) -> Loaded:
    """A shift at the bench: each success makes a unit. Two failures in a row set everything off."""
    attempt = aid.attempt(scene, who, TECHNICAL, specialty, tags=("craft",))
    attempt = attempt.adding(Mod(scene[Building].dm, "building", BUILDING))
    attempt = beside_other_things(scene, who, attempt)
    rolled = await roll_skill(who, attempt)
    units = min(rolled.successes * scene[Ammunition].encumbrance_units_per_success_per_shift, units_at_most(scene, who))
    seen = (rolled.pushes, rolled.base_banes, rolled.gear_banes)
    if rolled.success:
        return await settled(
            Loaded(True, rolled.successes, units, "", *seen), then=finish_shift(who, ammunition, units, "", aid.helpers)
        )
    again = await roll_once(who, attempt)
    power = "" if again.success else blast_power or scene[Ammunition].blast_power
    return await settled(
        Loaded(False, rolled.successes, 0, power, *seen), then=finish_shift(who, ammunition, 0, power, aid.helpers)
    )


@formula(AMMUNITION)
def units_at_most(scene: Scene, who: Person) -> int:
    """How many units the parts and explosives are enough for."""
    makes = scene[Ammunition]
    parts = amount_of(scene[who].things, spare_part(scene, "general")) / makes.parts_per_unit
    return int(min(parts, amount_of(scene[who].things, EXPLOSIVES) / makes.explosives_per_unit))


@rule(f"{AMMUNITION}/finish")
async def finish_shift(
    scene: Scene, who: Person, ammunition: str, units: int, explosion: str, helpers: Helpers = ()
) -> None:
    """What was made is there, what went off is gone; it takes a shift."""
    makes = scene[Ammunition]
    lost = units_at_most(scene, who) if explosion else units
    things = scene[who].things
    for name, each in ((spare_part(scene, "general"), makes.parts_per_unit), (EXPLOSIVES, makes.explosives_per_unit)):
        things = used_up(things, name, whole(lost * each), rule=AMMUNITION) if lost else things
    await alter(who, with_things, things)
    if explosion:
        await tell("explosion", who=who, power=explosion, rule=AMMUNITION)
    if units:
        await receive(who, Item(ammunition, amount=units))
    await occupy(who, "making ammunition", rounds_in(scene, "quarter day"), helpers=helpers)
