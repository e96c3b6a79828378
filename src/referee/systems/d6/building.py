"""Designing, building and modifying: plans of components, and their installation one by one."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Final, TypeAlias

from referee.core import (
    YES_NO,
    Levels,
    Mods,
    Open,
    Pick,
    Prompt,
    Scene,
    Who,
    action,
    alter,
    change,
    figure,
    figures,
    formula,
    frozen,
    hand_over,
    option,
    refuse,
    rows,
    rule,
    rule_on,
    suggest,
)
from referee.systems.d6.codes import Ability, ability_name, own_code
from referee.systems.d6.equipment import Item
from referee.systems.d6.equipment_value import Component, component_value
from referee.systems.d6.market import CAMPAIGN_LEVEL
from referee.systems.d6.repair import team_mods
from referee.systems.d6.resolution import TESTED, TestResult, check_able, check_skill, judged, roll_against
from referee.systems.d6.rolls import is_secret_roll
from referee.systems.d6.sheet import PIPS_PER_DIE, FailedTry, Hero, Person
from referee.systems.d6.skill_uses import helped_by
from referee.systems.d6.tasks import NO_POINTS, Pace, TeamPoints, Workers, task_time, work
from referee.systems.d6.time import rounds_of
from referee.systems.d6.wealth import INCOME, Part, Source, wealth_roll
from referee.systems.d6.work import check_no_fight, take_time

DESIGNING: Final = "d6.equipment.designing"
GAME_TERMS: Final = "d6.equipment.design-game-terms"
DESIGN_ROLL: Final = "d6.equipment.design-roll"
BUILDING: Final = "d6.equipment.building"
MODIFYING: Final = "d6.equipment.modifying"
BODY: Final = "Body"
APPROVED: Final = Prompt("design-approved")


@frozen
class BuildingTime:
    """How many days an installation takes, by its margin."""

    name: str
    min: int | None
    max: int | None
    days: int


@figures(DESIGN_ROLL)
class DesignRoll:
    """The skill of those who design, and how much easier building is for whoever designed it."""

    skill: str
    designer_builds: int


@frozen
class Design:
    """Something that is designed and built: its components, who designed it, and what it still costs."""

    of: Open[str] = ""
    components: Open[tuple[Component, ...]] = ()
    scale: Open[int] = 1
    price: Open[int] = 0
    """The Price index that building it takes, until it is paid."""
    expenses: Open[int] = 0
    """The same of designing it."""
    subsystem: Open[bool] = False
    """Whether it is installed on something bigger, all at once."""
    modifies: Open[str] = ""
    """The thing of its builder that it changes."""

    def part(self, name: str) -> Component:
        return next(each for each in self.components if each.name == name)

    def with_part(self, part: Component) -> Design:
        return replace(self, components=tuple(part if each.name == part.name else each for each in self.components))

    def paid(self) -> Design:
        """The next thing that was due is paid: what designing costs, then what building does."""
        return replace(self, expenses=0) if self.expenses else replace(self, price=0)

    @property
    def due(self) -> int:
        return self.expenses or self.price


BUILDING_TIMES: Final = rows("d6.equipment.building-time", "table", BuildingTime, by=("min", "max"))
BUILDING_SKILL: Final = figure(BUILDING, "skill", str)
MODIFIED: Final = option(MODIFYING)
GENIUS: Final = figure(GAME_TERMS, "merit", str)
MAGICAL: Final = figure(GAME_TERMS, "magical_skill", str)
DAYS_PER_POINT: Final = figure("d6.equipment.design-time", "days_per_point", int)


# --- the idea ---------------------------------------------------------------------------------------------------------


@formula(f"{GAME_TERMS}/check", GAME_TERMS)
def check_idea(
    scene: Scene,
    who: Person,
    name: str,
    components: tuple[Component, ...],
    magical: bool,
    points: Levels,
    modifies: str,
) -> None:
    """It has a name and components; what is ahead of its time takes a genius, what is magical, knowledge of that."""
    if not name or name in scene.state:
        refuse("this name is taken" if name else "give it a name", what=name)
    if not components or len({each.name for each in components}) < len(components):
        refuse("name its components, each by a name of its own", what=name)
    if modifies and not scene[MODIFIED]:
        refuse("nothing is modified in this campaign", what=modifies, rule=MODIFYING)
    if modifies and modifies not in (each.name for each in scene[who].equipment):
        refuse(f"{who} has no such thing", what=modifies, rule=MODIFYING)
    genius = any(each.name == scene[GENIUS] for each in scene[who].merits)
    if any(each.ahead for each in components) and not magical and not genius:
        refuse(f"it is ahead of technological level {scene[CAMPAIGN_LEVEL]}", legal=(scene[GENIUS],))
    if magical and scene[MAGICAL] not in scene[who].skills:
        refuse(f"it takes {scene[MAGICAL]}", what=name, legal=(scene[MAGICAL],))
    for each, amount in points.items():
        payer = next((one for one in scene.all(Hero) if one.name == each), None)
        if payer is None or scene[payer].character_points < amount:
            refuse(
                f"{each} cannot pay so many Character Points", what=name, rule="d6.equipment.design-character-points"
            )


Components: TypeAlias = Annotated[tuple[Component, ...], suggest((Component("body", BODY),))]
PriceIndex: TypeAlias = Annotated[int, suggest(0, 10, 20, 30)]


@action(
    "begin-design",
    DESIGNING,
    GAME_TERMS,
    "d6.equipment.design-character-points",
    turn=check_able,
    check=(check_no_fight, check_idea),
)
async def begin_design(
    scene: Scene,
    who: Person,
    name: Annotated[str, suggest("a gadget")],
    components: Components,
    scale: Annotated[int, suggest(1, 2, 3)] = 1,
    price: PriceIndex = 0,
    expenses: PriceIndex = 0,
    points: TeamPoints = NO_POINTS,
    magical: bool = False,
    subsystem: bool = False,
    modifies: Annotated[str, suggest("")] = "",
) -> bool:
    """Describe something new, part by part. If the game master agrees, it can be designed; it may cost points.

    What designing it and building it cost is up to the game master.
    """
    if not await rule_on(APPROVED, True, options=YES_NO):
        return False
    for payer in (each for each in scene.all(Hero) if points.get(each.name)):
        await alter(payer, Hero.spending, points[payer.name])
    parts = tuple(replace(each, designed=False, installed=False) for each in components)
    await change(Who(name, Design), Design(who.name, parts, scale, price, expenses, subsystem, modifies))
    return True


# --- what it costs ----------------------------------------------------------------------------------------------------


def designs(scene: Scene, who: object) -> tuple[Who[Design], ...]:
    return tuple(scene.all(Design))


def due_for(scene: Scene, design: Who[Design]) -> int:
    """The Price index that has to be paid next."""
    return scene[design].due


def check_due(scene: Scene, who: Person, design: Who[Design]) -> None:
    if not scene[design].due:
        refuse("it is paid for", what=design.name, rule="d6.equipment.building-price")


AnyDesign: TypeAlias = Annotated[Who[Design], Pick(designs)]


@action(
    "pay-for-design",
    "d6.equipment.building-price",
    "d6.equipment.design-wealth",
    bands=TESTED,
    turn=check_able,
    check=(check_no_fight, check_due),
    secret=is_secret_roll,
)
async def pay_for_design(
    scene: Scene, who: Person, design: AnyDesign, out_of: Source = INCOME, dice: Part = None
) -> TestResult:
    """A Wealth roll for what designing costs and, once that is paid, for what building does."""
    needed = due_for(scene, design)
    return await hand_over(
        wealth_roll(who, out_of, dice),
        read=lambda rolled: judged(scene, rolled, needed),
        then=lambda test: funded(design) if test.success else None,
    )


@rule("d6.equipment.building-price/paid", "d6.equipment.building-price")
async def funded(scene: Scene, design: Who[Design]) -> None:
    """It is paid for."""
    await alter(design, Design.paid)


@formula(f"{DESIGN_ROLL}/cost", DESIGN_ROLL)
def cost_value(scene: Scene, design: Design) -> int:
    """What a design counts where it costs money or points: all of its value, times its scale."""
    return sum(component_value(scene, each) for each in design.components) * design.scale


# --- plans ------------------------------------------------------------------------------------------------------------


def parts_of(scene: Scene, who: object, design: Who[Design]) -> tuple[str, ...]:
    return tuple(each.name for each in scene[design].components)


def check_first(scene: Scene, design: Who[Design], part: Component, *, done: tuple[str, ...], rule: str) -> None:
    """Body first; and nothing twice."""
    if part.name in done:
        refuse("that is done", what=part.name, rule=rule)
    bodies = [each.name for each in scene[design].components if each.type == BODY and each.name not in done]
    if bodies and part.type != BODY:
        refuse("the Body comes first", what=part.name, rule=rule, legal=bodies)


def check_proper(scene: Scene, who: Person, using: str, skill: str, rule: str) -> None:
    check_skill(scene, who, using)
    if ability_name(scene, using).skill != skill:
        refuse("it takes another skill", what=using, rule=rule, legal=(skill,))


def check_planning(scene: Scene, who: Person, design: Who[Design], part: str, using: str) -> None:
    known = scene[design]
    done = tuple(each.name for each in known.components if each.designed)
    check_proper(scene, who, using, scene[DesignRoll].skill, DESIGN_ROLL)
    check_first(scene, design, known.part(part), done=done, rule=DESIGN_ROLL)
    if known.expenses:
        because = f"its expenses come to {known.expenses}"
        refuse(because, what=design.name, rule="d6.equipment.design-wealth", legal=("pay-for-design",))


PartName: TypeAlias = Annotated[str, Pick(parts_of)]


@formula("d6.equipment.design-time")
def design_rounds(scene: Scene, value: int, pace: Pace = "usual") -> int:
    """A day for every point of a component's value, rushed or not."""
    return task_time(scene, max(1, value * scene[DAYS_PER_POINT]), "day", pace)


@action(
    "design-part",
    DESIGN_ROLL,
    bands=TESTED,
    turn=check_able,
    check=(check_no_fight, check_planning),
    secret=is_secret_roll,
)
async def design_part(
    scene: Scene,
    who: Person,
    design: AnyDesign,
    part: PartName,
    using: Ability,
    pace: Pace = "usual",
    mods: Mods = (),
) -> TestResult:
    """Draw the plans of a component, against its value; anybody can build by them."""
    value = component_value(scene, scene[design].part(part))
    return await hand_over(
        work(who, using, value, design_rounds(scene, value, pace), pace, mods),
        then=lambda test: plans_drawn(design, part) if test.success else None,
    )


@rule(f"{DESIGN_ROLL}/plans-drawn", DESIGN_ROLL)
async def plans_drawn(scene: Scene, design: Who[Design], part: str) -> None:
    """There are plans of a component."""
    await alter(design, Design.with_part, replace(scene[design].part(part), designed=True))


# --- building ---------------------------------------------------------------------------------------------------------


@formula("d6.equipment.subsystems")
def subsystem_value(scene: Scene, components: tuple[Component, ...]) -> int:
    """What is put on something bigger is as hard as the hardest of its components."""
    return max(component_value(scene, each) for each in components)


@formula(f"{BUILDING}/difficulty", BUILDING)
def building_difficulty(scene: Scene, who: Person, design: Design, part: str) -> int:
    """The value of a component; easier for whoever designed it."""
    value = subsystem_value(scene, design.components) if design.subsystem else component_value(scene, design.part(part))
    return value - (scene[DesignRoll].designer_builds if who.name == design.of else 0)


@formula("d6.equipment.building-time/days", "d6.equipment.building-time")
def building_days(scene: Scene, margin: int) -> int:
    """The better the roll, the sooner it is installed."""
    return scene[BUILDING_TIMES].at(margin).days


@formula(f"{BUILDING}/check", BUILDING)
def check_installing(
    scene: Scene,
    who: Person,
    design: Who[Design],
    part: str,
    using: str,
    team: tuple[Person, ...] = (),
    mods: Mods = (),
) -> None:
    """By plans, paid for, Body first; after a fumble only when something has improved."""
    known = scene[design]
    done = tuple(each.name for each in known.components if each.installed)
    check_proper(scene, who, using, scene[BUILDING_SKILL], BUILDING)
    check_first(scene, design, known.part(part), done=done, rule=BUILDING)
    if known.due:
        refuse(f"it costs {known.due}", what=design.name, rule="d6.equipment.building-price", legal=("pay-for-design",))
    if any(not each.designed for each in known.components):
        refuse("there are no plans of all of it", what=design.name, legal=("design-part",))
    if len(team) == 1:
        refuse("one person alone needs no coordination", rule="d6.equipment.building-teamwork", legal=("2 or more",))
    before, now = scene[who].tried("install", design.name), own_code(scene, who, using).in_pips(scene[PIPS_PER_DIE])
    if before is not None and now <= before.pips and helped_by(mods) <= before.bonus:
        refuse("it was fumbled, and nothing has improved", what=design.name, rule="d6.equipment.building-time")


@action(
    "install-part",
    BUILDING,
    "d6.equipment.building-time",
    "d6.equipment.building-teamwork",
    MODIFYING,
    bands=TESTED,
    turn=check_able,
    check=(check_no_fight, check_installing),
    secret=is_secret_roll,
)
async def install_part(
    scene: Scene, who: Person, design: AnyDesign, part: PartName, using: Ability, team: Workers = (), mods: Mods = ()
) -> TestResult:
    """Install a component of something that is built by plans: how long it takes shows how well it went."""
    number = building_difficulty(scene, who, scene[design], part)
    helped = await team_mods(who, team, using) if team else ()
    tried = FailedTry(
        "install", design.name, 1, True, own_code(scene, who, using).in_pips(scene[PIPS_PER_DIE]), helped_by(mods)
    )
    return await hand_over(
        roll_against(who, using, number, (*mods, *helped)),
        then=lambda test: built(who, design, part, test, tried),
    )


@rule("d6.equipment.building-time/built", "d6.equipment.building-time", BUILDING)
async def built(scene: Scene, who: Person, design: Who[Design], part: str, test: TestResult, tried: FailedTry) -> None:
    """The days go by; a component is in its place, or has to be tried again. What is complete is a thing."""
    days = building_days(scene, test.margin if test.success else -test.margin)
    await take_time(who, rounds_of(scene, days, "day"))
    if not test.success:
        if test.fumble:
            await alter(who, Hero.failing, tried)
        return
    known = scene[design]
    names = [each.name for each in known.components] if known.subsystem else [part]
    for name in names:
        await alter(design, Design.with_part, replace(scene[design].part(name), installed=True))
    if scene[who].tried("install", design.name) is not None:
        await alter(who, Hero.succeeding, "install", design.name)
    if all(each.installed for each in scene[design].components):
        await finished(who, design)


@rule(f"{BUILDING}/finished", BUILDING, MODIFYING)
async def finished(scene: Scene, who: Person, design: Who[Design]) -> None:
    """A new thing, with the Body and the value of its components; or one that has become better."""
    old = next((each for each in scene[who].equipment if each.name == scene[design].modifies), None)
    if old is None:
        await alter(who, Hero.taking_item, made_by(scene, design))
    else:
        await alter(who, Hero.with_item, made_by(scene, design, old))
    await change(design, None)


def made_by(scene: Scene, design: Who[Design], old: Item | None = None) -> Item:
    """What comes of a design: a thing of its own, or an old one with more to it."""
    parts = scene[design].components
    value, what = sum(component_value(scene, each) for each in parts), ", ".join(each.name for each in parts)
    if old is not None:
        can = ", ".join(filter(None, (old.capabilities, what)))
        return replace(old, value=(old.value or 0) + value, capabilities=can)
    body = next((each.code for each in parts if each.type == BODY), None)
    return Item(design.name, body=body, scale=scene[design].scale, value=value, capabilities=what)
