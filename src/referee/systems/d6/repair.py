"""Repair: finding out what is broken, mending it, patching it up for now, and the care that everything takes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Annotated, Final, TypeAlias

from referee.core import (
    DICE,
    DIFFICULTY,
    Mod,
    Mods,
    Pick,
    Prompt,
    Scene,
    action,
    alter,
    choose,
    figure,
    figures,
    formula,
    frozen,
    hand_over,
    option,
    refuse,
    rows,
    rule,
    suggest,
)
from referee.core.clock import Due, due
from referee.core.modifiers import Itemised
from referee.systems.d6.codes import Ability, ability_name, code_mods, own_code
from referee.systems.d6.combat.round import DeclaredAction
from referee.systems.d6.combat.weapons import damaged, item_of
from referee.systems.d6.equipment import Item, goods_of, price_of
from referee.systems.d6.resolution import (
    TESTED,
    TestResult,
    anyone,
    check_able,
    check_skill,
    difficulty_number,
    judged,
    roll_against,
)
from referee.systems.d6.restriction import restricting
from referee.systems.d6.rolls import is_secret_roll, roll_with_points
from referee.systems.d6.sheet import PIPS_PER_DIE, FailedTry, Hero, Person
from referee.systems.d6.skill_uses import helped_by, spend_first
from referee.systems.d6.tasks import NO_POINTS, Pace, Workers, check_people, task_time, team_average, team_bonus, work
from referee.systems.d6.time import rounds_of
from referee.systems.d6.wealth import INCOME, Part, Source, wealth_roll
from referee.systems.d6.work import A_TASK, check_no_fight, check_time, check_worker, take_time
from referee.systems.d6.wounds import DEAD

DIAGNOSTIC: Final = "d6.equipment.diagnostic"
EXAMINATION: Final = "d6.equipment.diagnostic-time"
REPAIR: Final = "d6.equipment.repair"
PARTS: Final = "d6.equipment.repair-parts"
MODIFIERS: Final = "d6.equipment.repair-modifiers"
RIGGING: Final = "d6.equipment.jury-rigging"
TEAM: Final = "d6.equipment.repair-teamwork"
MAINTENANCE: Final = "d6.equipment.maintenance"
MINOR: Final = "Minor damage"
DESTROYED: Final = "Destroyed"
UNMAINTAINED: Final = Prompt("unmaintained")


@frozen
class DiagnosticRow:
    """How hard it is to find out what is broken: by the value of a thing, or by itself."""

    name: str
    modifier: int = 0
    level: str = ""
    automatic: bool = False


@frozen
class RepairRow:
    """How hard a repair is, how long it takes, and what part of its price the parts cost."""

    name: str
    modifier: int
    level: str
    time: int
    unit: str
    percent: int


@frozen
class Miniature:
    """The skill that limits repairs of what is very small, at some technological levels."""

    name: str
    skill: str
    min: int
    max: int | None


@figures(RIGGING)
class JuryRigging:
    """How much easier it is, what part of the repair's price it costs, and what it adds to a later repair."""

    easier: int
    percent: int
    later: int


@figures(MAINTENANCE)
class Maintenance:
    """How often things are cared for, for which part of their price, and what comes of it if they are not."""

    period: str
    share: int
    damage: str


DIAGNOSTICS: Final = rows(DIAGNOSTIC, "table", DiagnosticRow)
DIAGNOSTIC_SKILLS: Final = figure(DIAGNOSTIC, "skills", tuple[str, ...])
EXAMINED: Final = figure(EXAMINATION, "examination", int)
EXAMINED_IN: Final = figure(EXAMINATION, "unit", str)
REPAIRS: Final = rows("d6.equipment.repair-table", "table", RepairRow)
REPAIR_SKILLS: Final = figure(REPAIR, "skills", tuple[str, ...])
LEAST_COMPLEX: Final = figure(MODIFIERS, "complex/min", int)
MOST_COMPLEX: Final = figure(MODIFIERS, "complex/max", int)
MINIATURES: Final = rows(MODIFIERS, "miniaturized", Miniature)
MAINTAINED: Final = option(MAINTENANCE)


# --- what is broken ---------------------------------------------------------------------------------------------------


def trouble(item: Item, quick: bool = False) -> str:
    """What is wrong with a thing: its damage, or only that it malfunctions."""
    return MINOR if item.malfunctions and (quick or not item.condition) else "" if quick else item.condition


def broken(scene: Scene, who: Person, owner: Person) -> tuple[str, ...]:
    return tuple(each.name for each in scene[owner].equipment if trouble(each))


def check_broken(scene: Scene, who: Person, thing: str, owner: Person) -> None:
    """Something has to be wrong with it."""
    if not trouble(item_of(scene, owner, thing)):
        refuse("nothing is wrong with it", what=thing, rule="d6.equipment.repair-overview")


def check_quick(scene: Scene, who: Person, owner: Person, thing: str, quick: bool = False) -> None:
    """A quick fix is for what malfunctions."""
    if quick and not item_of(scene, owner, thing).malfunctions:
        refuse("it does not malfunction", what=thing, rule="d6.equipment.malfunction")


def check_trade(scene: Scene, using: str, trades: tuple[str, ...], rule: str) -> None:
    """It takes the proper trade."""
    if ability_name(scene, using).skill not in trades:
        refuse("it takes another skill", what=using, rule=rule, legal=trades)


def value_of(scene: Scene, item: Item, value: int | None) -> int | None:
    return value if value is not None else goods_of(scene, item).value


def difficulty_by(scene: Scene, value: int | None, modifier: int, level: str) -> int:
    """By the Equipment value and the damage; where values are not used, by the damage alone."""
    return difficulty_number(scene, level) if value is None else value + modifier


Owner: TypeAlias = Annotated[Person, Pick(anyone)]
Broken: TypeAlias = Annotated[str, Pick(broken, check_broken)]
Value: TypeAlias = Annotated[int | None, suggest(None, 10, 15, 20, 30)]


# --- finding out ------------------------------------------------------------------------------------------------------


@formula(f"{DIAGNOSTIC}/difficulty", DIAGNOSTIC)
def diagnostic_difficulty(scene: Scene, damage: str, value: int | None = None) -> int:
    """The worse the damage, the easier it is to see; what is destroyed anybody sees."""
    row = scene[DIAGNOSTICS].look(damage)
    return 0 if row.automatic else difficulty_by(scene, value, row.modifier, row.level)


def subject(owner: Person, thing: str) -> str:
    return f"{thing} of {owner}"


@formula(f"{EXAMINATION}/check", EXAMINATION)
def check_diagnostic(
    scene: Scene,
    who: Person,
    thing: str,
    owner: Person,
    using: str,
    witnessed: bool = False,
    mods: Mods = (),
    determined: bool = False,
) -> None:
    """One roll at once for whoever saw it happen, one after an examination; then something has to have improved."""
    check_skill(scene, who, using)
    check_trade(scene, using, scene[DIAGNOSTIC_SKILLS], DIAGNOSTIC)
    if not witnessed:
        check_no_fight(scene, who)
    if determined and not scene[who].points_for_rolls:
        refuse("no Character Point is left", rule="d6.core.character-points")
    before = scene[who].tried("diagnose", subject(owner, thing))
    if before is None or determined:
        return
    if witnessed and not before.barred:
        refuse(f"{who} did not see it at first sight", what=thing, legal=("an examination",))
    better = own_code(scene, who, using).in_pips(scene[PIPS_PER_DIE]) > before.pips
    if before.barred and not better and helped_by(mods) <= before.bonus:
        legal = ("a new bonus", "a Character Point", "a better code")
        refuse("it was not found before, and nothing has improved", what=thing, legal=legal)


@action(
    "diagnose",
    DIAGNOSTIC,
    EXAMINATION,
    "d6.equipment.repair-overview",
    bands=TESTED,
    turn=check_able,
    check=(check_quick, check_diagnostic),
    secret=is_secret_roll,
)
async def diagnose(
    scene: Scene,
    who: Person,
    owner: Owner,
    thing: Broken,
    using: Ability,
    witnessed: bool = False,
    quick: bool = False,
    value: Value = None,
    mods: Mods = (),
    determined: bool = False,
) -> TestResult:
    """Find out what is broken: at once if one saw it happen, else in five minutes. Nothing is mended before that."""
    damage = trouble(item_of(scene, owner, thing), quick)
    if scene[DIAGNOSTICS].look(damage).automatic:
        return TestResult(0, True, 0)
    if not witnessed:
        await take_time(who, rounds_of(scene, scene[EXAMINED], scene[EXAMINED_IN]))
    paid = await spend_first(who) if determined else ()
    number = diagnostic_difficulty(scene, damage, value_of(scene, item_of(scene, owner, thing), value))
    tried = FailedTry("diagnose", subject(owner, thing), 1, not witnessed, 0, helped_by((*mods, *paid)))
    known = replace(tried, pips=own_code(scene, who, using).in_pips(scene[PIPS_PER_DIE]))
    return await hand_over(
        roll_against(who, using, number, (*mods, *paid)),
        then=lambda test: diagnosed(who, owner, thing, damage, None if test.success else known),
    )


@rule(f"{EXAMINATION}/found", EXAMINATION)
async def diagnosed(
    scene: Scene, who: Person, owner: Person, thing: str, damage: str, failure: FailedTry | None
) -> None:
    """What is broken is known, or was not found."""
    if failure is not None:
        await alter(who, Hero.failing, failure)
        return
    await alter(owner, Hero.with_item, replace(item_of(scene, owner, thing), diagnosed=damage))
    if scene[who].tried("diagnose", subject(owner, thing)) is not None:
        await alter(who, Hero.succeeding, "diagnose", subject(owner, thing))


# --- mending it -------------------------------------------------------------------------------------------------------


@formula("d6.equipment.repair-table/parts", "d6.equipment.repair-table", PARTS)
def parts_for(scene: Scene, price: int | None, damage: str, rigged: bool = False) -> int:
    """What the parts of a repair cost; those of a jury-rig a tenth of that. What has no price takes none."""
    percent = scene[REPAIRS].look(damage).percent
    return (price or 0) * percent * (scene[JuryRigging].percent if rigged else 100) // 10_000


@formula("d6.equipment.repair-table/difficulty", "d6.equipment.repair-table")
def repair_difficulty(scene: Scene, damage: str, value: int | None = None) -> int:
    row = scene[REPAIRS].look(damage)
    return difficulty_by(scene, value, row.modifier, row.level)


@formula(f"{RIGGING}/time", RIGGING)
def repair_rounds(scene: Scene, damage: str, pace: Pace = "usual", longer: int = 1, rigged: bool = False) -> int:
    """How long it takes; a jury-rig as long as the next lower damage."""
    names = scene[REPAIRS].names
    row = scene[REPAIRS][names[names.index(damage) - 1]] if rigged else scene[REPAIRS].look(damage)
    return task_time(scene, row.time * longer, row.unit, pace)


@formula(f"{MODIFIERS}/limits", MODIFIERS)
def miniature_limits(scene: Scene, miniaturized: str) -> Mods:
    """What is very small takes another skill as well."""
    return restricting(scene, (scene[MINIATURES][miniaturized].skill,)) if miniaturized else ()


def check_repair(
    scene: Scene,
    who: Person,
    owner: Person,
    thing: str,
    using: str,
    quick: bool = False,
    pace: Pace = "usual",
    complexity: int = 0,
    miniaturized: str = "",
    longer: int = 1,
    team: tuple[Person, ...] = (),
) -> None:
    """It is known what is broken, it can be mended, and there are parts for it."""
    item = item_of(scene, owner, thing)
    check_job(scene, who, item, using, trouble(item, quick), complexity, miniaturized, longer, team)
    check_time(scene, who, A_TASK, repair_rounds(scene, trouble(item, quick), pace, longer))
    check_parts(scene, who, parts_for(scene, price_of(scene, item), trouble(item, quick)))


@formula(f"{REPAIR}/check", REPAIR, MODIFIERS, TEAM)
def check_job(
    scene: Scene,
    who: Person,
    item: Item,
    using: str,
    damage: str,
    complexity: int,
    miniaturized: str,
    longer: int,
    team: tuple[Person, ...],
) -> None:
    """Whoever mends something has its trade, and knows what is broken."""
    check_skill(scene, who, using)
    check_trade(scene, using, scene[REPAIR_SKILLS], REPAIR)
    if damage not in scene[REPAIRS].names:
        refuse("it is beyond repair", what=item.name, rule="d6.equipment.repair-table", legal=("buy",))
    if item.diagnosed != damage:
        refuse("nobody has found out what is broken", what=item.name, legal=("diagnose",))
    least, most = scene[LEAST_COMPLEX], scene[MOST_COMPLEX]
    if complexity and not least <= complexity <= most:
        refuse(f"it is 0, or {least} to {most}", what=str(complexity), rule=MODIFIERS)
    level, row = goods_of(scene, item).technological_level, scene[MINIATURES][miniaturized] if miniaturized else None
    if row is not None and level is not None and not row.min <= level <= (row.max or level):
        refuse(f"it is of technological level {level}", what=miniaturized, rule=MODIFIERS)
    if longer < 1:
        refuse("it takes its time once at least", what=str(longer))
    if team:
        check_no_fight(scene, who)
        check_people(scene, who, len(team))


@formula(f"{PARTS}/check", PARTS)
def check_parts(scene: Scene, who: Person, needed: int) -> None:
    """The parts come from somebody's stock."""
    if needed > scene[who].funds.parts:
        refuse(f"it takes parts for {needed}, and {who} has {scene[who].funds.parts}", legal=("buy-parts",))


def miniatures(scene: Scene, who: Person) -> tuple[str, ...]:
    return ("", *scene[MINIATURES].names)


Complexity: TypeAlias = Annotated[int, suggest(0, 5, 10)]
Miniaturized: TypeAlias = Annotated[str, Pick(miniatures)]
Longer: TypeAlias = Annotated[int, suggest(1, 2, 3)]
Later: TypeAlias = Annotated[int, suggest(5, 10, 15)]


def complex_mods(complexity: int) -> Mods:
    return (Mod(complexity, "complex", MODIFIERS, unit=DIFFICULTY),) if complexity else ()


@rule(TEAM)
async def team_mods(scene: Scene, who: Person, team: tuple[Person, ...], using: str) -> Mods:
    """What several who work on one thing add, by a Command roll."""
    if not team:
        return ()
    average = team_average(scene, who, team, using, (), NO_POINTS)
    _, more = await team_bonus(who, len(team), average.code, ())
    return (Mod(more, "team", TEAM, unit=DICE),) if more else ()


@action(
    "repair",
    REPAIR,
    "d6.equipment.repair-table",
    MODIFIERS,
    TEAM,
    bands=TESTED,
    turn=check_worker,
    price=DeclaredAction(),
    check=(check_quick, check_repair),
    secret=is_secret_roll,
)
async def repair(
    scene: Scene,
    who: Person,
    owner: Owner,
    thing: Broken,
    using: Ability,
    quick: bool = False,
    pace: Pace = "usual",
    value: Value = None,
    complexity: Complexity = 0,
    miniaturized: Miniaturized = "",
    longer: Longer = 1,
    team: Workers = (),
    mods: Mods = (),
) -> TestResult:
    """Mend something, once it is known what is broken. A quick fix makes what malfunctions work, and no more."""
    item = item_of(scene, owner, thing)
    damage = trouble(item, quick)
    number = repair_difficulty(scene, damage, value_of(scene, item, value)) + (0 if quick else item.harder)
    helped = (*mods, *await team_mods(who, team, using), *complex_mods(complexity))
    cost = parts_for(scene, price_of(scene, item), damage)
    mended = replace(item, malfunctions=False) if quick else as_new(item)
    return await hand_over(
        work(
            who,
            using,
            number,
            repair_rounds(scene, damage, pace, longer),
            pace,
            (*helped, *miniature_limits(scene, miniaturized)),
        ),
        then=lambda test: mend(who, owner, mended, cost) if test.success else None,
    )


def as_new(item: Item) -> Item:
    return replace(item, condition="", malfunctions=False, rigged=False, harder=0, diagnosed="")


@rule(f"{REPAIR}/mended", REPAIR, PARTS)
async def mend(scene: Scene, who: Person, owner: Person, mended: Item, cost: int) -> None:
    """It works again; the parts are used up."""
    await alter(owner, Hero.with_item, mended)
    if cost:
        await alter(who, Hero.with_funds, replace(scene[who].funds, parts=scene[who].funds.parts - cost))


def check_rigging(
    scene: Scene,
    who: Person,
    owner: Person,
    thing: str,
    using: str,
    pace: Pace = "usual",
    complexity: int = 0,
    miniaturized: str = "",
    longer: int = 1,
    salvaged: bool = False,
    later: int = 5,
) -> None:
    """What is only out of order, or destroyed, cannot be patched up; without parts, they come from something alike."""
    item = item_of(scene, owner, thing)
    damage = item.condition
    if damage not in scene[REPAIRS].names or item.rigged:
        because = (
            "it is jury-rigged already"
            if item.rigged
            else "minor damage is repaired"
            if not damage
            else "it is destroyed"
        )
        refuse(because, what=thing, rule=RIGGING)
    check_job(scene, who, item, using, damage, complexity, miniaturized, longer, ())
    check_time(scene, who, A_TASK, repair_rounds(scene, damage, pace, longer, rigged=True))
    if not salvaged:
        check_parts(scene, who, parts_for(scene, price_of(scene, item), damage, rigged=True))
    if later < scene[JuryRigging].later:
        refuse(f"it is {scene[JuryRigging].later} or more", what=str(later), rule=RIGGING)


@action(
    "jury-rig",
    RIGGING,
    bands=TESTED,
    turn=check_worker,
    price=DeclaredAction(),
    check=check_rigging,
    secret=is_secret_roll,
)
async def jury_rig(
    scene: Scene,
    who: Person,
    owner: Owner,
    thing: Broken,
    using: Ability,
    pace: Pace = "usual",
    value: Value = None,
    complexity: Complexity = 0,
    miniaturized: Miniaturized = "",
    longer: Longer = 1,
    salvaged: bool = False,
    later: Later = 5,
    mods: Mods = (),
) -> TestResult:
    """Patch something up: sooner, easier and for less than a repair, which it makes harder. A wild one undoes it."""
    item = item_of(scene, owner, thing)
    easier = 0 if salvaged else scene[JuryRigging].easier
    number = repair_difficulty(scene, item.condition, value_of(scene, item, value)) + item.harder - easier
    cost = 0 if salvaged else parts_for(scene, price_of(scene, item), item.condition, rigged=True)
    patched = replace(item, rigged=True, malfunctions=False, harder=max(item.harder, later))
    rounds = repair_rounds(scene, item.condition, pace, longer, rigged=True)
    helped = (*mods, *complex_mods(complexity), *miniature_limits(scene, miniaturized))
    return await hand_over(
        work(who, using, number, rounds, pace, helped),
        then=lambda test: mend(who, owner, patched, cost) if test.success else None,
    )


# --- parts and care ---------------------------------------------------------------------------------------------------


def check_points(scene: Scene, who: Person, points: int) -> None:
    if points < 1:
        refuse("a point or more", what=str(points), rule=PARTS)


@action("buy-parts", PARTS, bands=TESTED, turn=check_able, check=(check_no_fight, check_points), secret=is_secret_roll)
async def buy_parts(
    scene: Scene, who: Person, points: Annotated[int, suggest(1, 3, 5, 10)], out_of: Source = INCOME, dice: Part = None
) -> TestResult:
    """Stock up on spare parts, worth so many points of the Price index."""
    return await hand_over(
        wealth_roll(who, out_of, dice),
        read=lambda rolled: judged(scene, rolled, points),
        then=lambda test: stocked(who, points) if test.success else None,
    )


@rule(f"{PARTS}/stocked", PARTS)
async def stocked(scene: Scene, who: Person, points: int) -> None:
    """The parts are in stock."""
    await alter(who, Hero.with_funds, replace(scene[who].funds, parts=scene[who].funds.parts + points))


@formula(f"{MAINTENANCE}/cost", MAINTENANCE)
def care_cost(scene: Scene, who: Person) -> int:
    """A tenth of what everything costs that is not destroyed."""
    priced = (price_of(scene, each) or 0 for each in scene[who].equipment if each.condition != DESTROYED)
    return sum(priced) // scene[Maintenance].share


@rule(MAINTENANCE)
async def maintain(scene: Scene, who: Person) -> tuple[str, ...]:
    """A Wealth roll for the care of all one has; what is left out of it, until that makes up for a failure, suffers."""
    wealth = scene[who].wealth.code
    shown = Itemised(code_mods(wealth, "Wealth", MAINTENANCE))
    rolled = await roll_with_points(who, wealth, 0, True, False, shown)
    left = (care_cost(scene, who) - rolled.total) * scene[Maintenance].share
    known = {each.name: price_of(scene, each) or 0 for each in scene[who].equipment if each.condition != DESTROYED}
    open_to = {name: price for name, price in known.items() if price}
    neglected = list[str]()
    while left > 0 and open_to:
        name = await choose(who, UNMAINTAINED, tuple(open_to))
        left -= open_to.pop(name)
        neglected.append(name)
        await damaged(who, name, scene[Maintenance].damage)
    return tuple(neglected)


@due(Hero, maintain)
def care_due(scene: Scene, who: Person) -> Iterator[Due]:
    """Where it is played, once a month for whoever has things of any price."""
    if scene[MAINTAINED] and scene[who].wound != DEAD and care_cost(scene, who):
        yield Due(maintain, every=rounds_of(scene, 1, scene[Maintenance].period))
