"""Campaign settings: what Fate means, technology, people whom nobody has made, gravity; the rest are options."""

from __future__ import annotations

from enum import Enum
from typing import Annotated, Final, Literal, TypeAlias

from referee.core import (
    BOOK,
    YES_NO,
    Die,
    Effect,
    Pick,
    Pool,
    Prompt,
    Scene,
    Who,
    action,
    alter,
    applying,
    change,
    figure,
    figures,
    formula,
    frozen,
    lay,
    option,
    refuse,
    roll,
    rows,
    rule,
    rule_on,
    suggest,
)
from referee.core.dice import Faces
from referee.core.effects import Adds, Caps, remove_effects
from referee.kits.dice_codes import Code, Stat, Stats
from referee.systems.d6.codes import ability_name
from referee.systems.d6.rolls import ACTION, ANY_ROLL
from referee.systems.d6.sheet import ATTRIBUTES, SKILLS, Attribute, Hero, Person

MEANING: Final = "d6.setting.fate-meaning"
DISTRIBUTION: Final = "d6.setting.fate-distribution"
COUNTERPARTS: Final = "d6.setting.fate-counterparts"
EXPERIENCE: Final = "d6.setting.experience"
TECHNOLOGY: Final = "d6.setting.tech-level"
GENERIC: Final = "d6.setting.generic-npcs"
GRAVITY: Final = "d6.setting.gravity"
FALLS: Final = Prompt("falls-to-counterpart")
STRONG: Final = Prompt("strong-attribute")
PHYSICAL: Final = "physical"


# --- what a setting is ------------------------------------------------------------------------------------------------


@frozen
class GenreRow:
    """A genre: when it plays, what belongs to it, works that show it."""

    name: str
    era: str
    traits: str
    works: tuple[str, ...] = ()


@frozen
class SettingPoint:
    """Something that a setting has to decide, and the options that do."""

    name: str
    options: tuple[str, ...]


GENRES: Final = rows("d6.setting.genres", "genres", GenreRow)
LEVEL: Final = figure(TECHNOLOGY, "level", int)
CURRENCY: Final = figure("d6.setting.creation", "currency", str)
POINTS: Final = rows("d6.setting.adaptation-points", "points", SettingPoint)


@formula("d6.setting.genres")
def genre(scene: Scene, name: Annotated[str, GENRES]) -> GenreRow:
    """What belongs to a genre."""
    return scene[GENRES][name]


@formula("d6.setting.adaptation-points", "d6.setting.creation")
def setting_decisions(scene: Scene) -> dict[str, dict[str, str]]:
    """What this campaign has decided, point by point: the choice of every option that belongs to it."""
    found = {
        name: {each: scene[BOOK].choice(each) for each in scene[POINTS][name].options} for name in scene[POINTS].names
    }
    own = {"Currency": scene[CURRENCY], "Technological level": str(scene[LEVEL]) if scene[LEVEL] >= 0 else ""}
    return {**found, **{name: {"": says} for name, says in own.items() if says}}


# --- Fate -------------------------------------------------------------------------------------------------------------


class Meaning(Enum):
    """What Fate is in this setting."""

    FATE = "fate points"
    CHANCE = "chance points"
    HONOR = "honor points"
    ENERGY = "energy points"


class FateDistribution(Enum):
    """How Fate Points are given out."""

    DEEDS = "deeds"
    RECOVERY = "recovery"
    BY_ADVENTURE = "by adventure"
    SAME = "the same for all"


class Counterpart(Enum):
    """What opposes Fate."""

    OFF = "off"
    DISHONOR = "dishonor"
    CORRUPTED = "corrupted energy"
    FORCES = "opposed forces"


@frozen
class MeaningRow:
    """What the points are called."""

    name: str
    called: str


MEANT: Final = option(MEANING, Meaning)
GIVEN_OUT: Final = option(DISTRIBUTION, FateDistribution)
OPPOSED_BY: Final = option(COUNTERPARTS, Counterpart)
MEANINGS: Final = rows(MEANING, "meanings", MeaningRow)


@formula(MEANING)
def fate_name(scene: Scene) -> str:
    """What Fate Points are called in this setting."""
    return scene[MEANINGS][scene[MEANT].value].called


def people(scene: Scene, who: None) -> tuple[Person, ...]:
    return scene.all(Hero)


Somebody: TypeAlias = Annotated[Person, Pick(people)]
Points: TypeAlias = Annotated[int, suggest(1, 2, -1)]


def check_points(scene: Scene, who: None, hero: Person, points: int) -> None:
    """Some are given, or taken from what there is."""
    if not points:
        refuse("it is one point or more, or less", rule=DISTRIBUTION)
    if scene[hero].fate_points + points < 0:
        refuse(f"{hero} has only {scene[hero].fate_points}", what=fate_name(scene), rule=DISTRIBUTION)


@action("give-fate-points", DISTRIBUTION, MEANING, check=check_points, master=True)
async def give_fate_points(scene: Scene, hero: Somebody, points: Points = 1) -> None:
    """Fate Points for a deed or at the end of an adventure; or fewer, for poor conduct."""
    await alter(hero, Hero.fated, points)
    if points > 0 and scene[OPPOSED_BY] is Counterpart.DISHONOR and scene[hero].counterpart:
        await alter(hero, Hero.opposed, max(-points, -scene[hero].counterpart), rule=COUNTERPARTS)


def check_recovery(scene: Scene, who: None, hero: Person) -> None:
    """Only where points come back, and only as many as were given."""
    if scene[GIVEN_OUT] not in (FateDistribution.RECOVERY, FateDistribution.BY_ADVENTURE):
        refuse(f"here points are given out by: {scene[GIVEN_OUT].value}", rule=DISTRIBUTION)
    if scene[hero].fate_points >= scene[hero].fate_total:
        refuse(f"{hero} has all of them", what=fate_name(scene), rule=DISTRIBUTION)


@action("recover-fate-points", DISTRIBUTION + "/recover", DISTRIBUTION, check=check_recovery, master=True)
async def recover_fate_points(scene: Scene, hero: Somebody) -> None:
    """Points that were spent come back: after the rest or the rite that the setting asks for, or with an adventure."""
    await alter(hero, Hero.fated_again)


def check_counterpart(scene: Scene, who: None, hero: Person, points: int) -> None:
    """Some come or go, and there are never fewer than none."""
    if not points or scene[hero].counterpart + points < 0:
        refuse(f"{hero} has {scene[hero].counterpart}", what=f"{points:+}", rule=COUNTERPARTS)


@action("give-counterpart", COUNTERPARTS, check=check_counterpart, master=True)
async def give_counterpart(
    scene: Scene, hero: Somebody, points: Points = 1, bonus_dice: Annotated[int, suggest(0, 3, 2, 1)] = 0
) -> bool:
    """What opposes Fate grows: dishonor takes Honor away, corrupted energy betters the next roll."""
    await alter(hero, Hero.opposed, points)
    if points > 0 and scene[OPPOSED_BY] is Counterpart.DISHONOR:
        await alter(hero, Hero.fated, -min(points, scene[hero].fate_points))
    if bonus_dice > 0 and scene[OPPOSED_BY] is Counterpart.CORRUPTED:
        effect = Effect(Adds(bonus_dice), frozenset({ANY_ROLL}), uses=1)
        await lay(hero, effect, source="corrupted energy", by=COUNTERPARTS)
    return await falls(hero)


@rule(COUNTERPARTS + "/fall", COUNTERPARTS)
async def falls(scene: Scene, hero: Person) -> bool:
    """Whoever is ruled by the counterpart is no player's character any more, unless there is an adventure of grace."""
    if not scene[hero].player or scene[hero].counterpart <= scene[hero].fate_points:
        return False
    if not await rule_on(FALLS, True, options=YES_NO):
        return False
    await alter(hero, Hero.fallen)
    return True


# --- experience -------------------------------------------------------------------------------------------------------


class Conduct(Enum):
    """Whether Character Points are taken away."""

    KEPT = "nothing is lost"
    LOST = "lost for conduct"


@figures(EXPERIENCE)
class SettingGrowth:
    """What may be raised, gained and bought off in this setting."""

    raise_attributes: bool
    gain_merits: bool
    buy_off_flaws: bool


CONDUCT: Final = option(EXPERIENCE, Conduct)


@formula(EXPERIENCE)
def may_grow(scene: Scene) -> SettingGrowth:
    """What characters may become better at in this setting."""
    return scene[SettingGrowth]


def check_conduct(scene: Scene, who: None, hero: Person, points: int) -> None:
    """Only where the setting says so, and no more than there are."""
    if scene[CONDUCT] is Conduct.KEPT:
        refuse("in this setting nothing is lost for conduct", rule=EXPERIENCE)
    if not 1 <= points <= scene[hero].character_points:
        refuse(f"{hero} has {scene[hero].character_points}", what=str(points), rule=EXPERIENCE)


@action("take-character-points", EXPERIENCE + "/conduct", EXPERIENCE, check=check_conduct, master=True)
async def take_character_points(scene: Scene, hero: Somebody, points: Annotated[int, suggest(1, 2, 3)] = 1) -> None:
    """Character Points are lost for conduct."""
    await alter(hero, Hero.spending, points)


# --- technology -------------------------------------------------------------------------------------------------------


@frozen
class DomainLevel:
    """A domain that is ahead of the rest of a setting, or behind it."""

    name: str
    level: int


@frozen
class TechLevelRow:
    """What there is at a level of technology."""

    tl: int
    period: str
    transport: str = ""
    weapons: str = ""
    energy: str = ""
    medicine: str = ""


GENIUSES: Final = figure(TECHNOLOGY, "geniuses", bool)
DOMAINS: Final = rows(TECHNOLOGY, "domains", DomainLevel)
TECH_LEVELS: Final = rows("d6.setting.tech-level-table", "levels", TechLevelRow, by="tl")


@formula(TECHNOLOGY)
def tech_level(scene: Scene, domain: str = "") -> int:
    """The level of technology of this setting, or of one domain of it; -1 if the setting does not say."""
    return scene[DOMAINS][domain].level if domain in scene[DOMAINS] else scene[LEVEL]


@formula("d6.setting.tech-level-table")
def technology(scene: Scene, level: int) -> TechLevelRow:
    """What there is at a level of technology."""
    return scene[TECH_LEVELS].at(min(level, max(row.tl for row in scene[TECH_LEVELS])))


@formula("d6.setting.health-movement")
def medicine_of(scene: Scene) -> str:
    """What medicine can do in this setting; nothing is said where its technology is not known."""
    level = tech_level(scene, "medicine")
    return technology(scene, level).medicine if level >= 0 else ""


@formula(TECHNOLOGY + "/works", TECHNOLOGY)
def can_work_on(scene: Scene, who: Person, level: int, domain: str = "") -> bool:
    """Whether somebody understands devices of a level: the primitive less; geniuses more, if the setting has them."""
    applied, most = applying(scene, who), tech_level(scene, domain)
    if most < 0 or level <= most - applied.extra("Tech Level missing"):
        return True
    return scene[GENIUSES] and applied.granted("work on devices of a higher Tech Level")


# --- people whom nobody has made --------------------------------------------------------------------------------------


@frozen
class GenericSkill:
    """How good people are at what they do for a living."""

    basic: Stat
    advanced: Stat


@figures(GENERIC)
class GenericFigures:
    """The codes of people whom nobody has made."""

    attributes: Stat
    one: Stat
    two: Stat
    specialist: GenericSkill
    elite: GenericSkill


TradeSkill: TypeAlias = Annotated[str, Pick(lambda scene, who: scene[SKILLS].names, lambda scene, who, value: None)]
Skilled: TypeAlias = Literal["ordinary", "specialist", "elite"]
NAMES_OF_ATTRIBUTES: Final = ("Agility", "Coordination", "Strength", "Knowledge", "Perception", "Charisma", "Technical")
WHICH: Final = Die("attribute", tuple(range(1, 8)))


@formula(GENERIC)
def generic_person(
    scene: Scene, strong: tuple[Attribute, ...] = (), trade: tuple[str, ...] = (), skilled: Skilled = "specialist"
) -> Hero:
    """Somebody of a setting: weak attributes but for one or two, and a trade that they know."""
    of = scene[GenericFigures]
    best = of.one if len(strong) == 1 else of.two
    attributes = {name: best if name in strong else of.attributes for name in scene[ATTRIBUTES].names}
    named = () if skilled == "ordinary" else tuple(ability_name(scene, each) for each in trade)
    codes = of.elite if skilled == "elite" else of.specialist
    return Hero(
        player=False,
        attributes=Stats(attributes),
        skills=Stats({each.key: codes.basic for each in named if not each.advanced}),
        advanced_skills=Stats({each.key: codes.advanced for each in named if each.advanced}),
    )


def check_generic(
    scene: Scene, who: None, name: str, strong: tuple[str, ...], by_chance: int, trade: tuple[str, ...]
) -> None:
    """A name that is free, at most two strong attributes, skills that there are."""
    if not name or name in scene.state:
        refuse("say a name that nobody has", what=name, rule=GENERIC)
    if len(strong) + by_chance > 2:
        refuse("one attribute is strong, or two", rule=GENERIC, legal=("0", "1", "2"))
    for each in trade:
        named = ability_name(scene, each)
        if not named.skill or named.field:
            refuse("it is no skill", what=each, rule=GENERIC)


@action("add-generic-person", GENERIC, check=check_generic, master=True)
async def add_generic_person(
    scene: Scene,
    name: Annotated[str, suggest("somebody")],
    strong: tuple[Attribute, ...] = (),
    by_chance: Literal[0, 1, 2] = 0,
    trade: tuple[TradeSkill, ...] = (),
    skilled: Skilled = "specialist",
) -> None:
    """Add somebody by the figures for generic people: ordinary, with one strong attribute or two, and a trade."""
    found = list(strong)
    for _ in range(by_chance):
        thrown = await roll(STRONG, None, Pool.of((WHICH, 1)), Faces)
        left = [each for each in NAMES_OF_ATTRIBUTES if each not in found]
        found.append(left[(int(thrown.faces[0]) - 1) % len(left)])
    await change(Who(name, Hero), generic_person(scene, tuple(found), trade, skilled))


# --- gravity ----------------------------------------------------------------------------------------------------------


@frozen
class GravityStep:
    """What a difference of gravity costs, up to so many G."""

    name: str
    up_to: float
    dice: int


@figures(GRAVITY)
class GravityFigures:
    """What counts where there is too little, and what tolerance makes of a difference."""

    zero_g: str
    mastery: Code
    tolerant_times: int
    intolerant_divided_by: int


STEPS: Final = rows(GRAVITY, "steps", GravityStep)
PRECISION: Final = 6


@formula(GRAVITY + "/felt", GRAVITY)
def felt_difference(scene: Scene, who: Person, gravity: float, used_to: float = 1.0) -> float:
    """How much a difference of gravity counts for somebody: less for the tolerant, more for the intolerant."""
    applied, found = applying(scene, who), abs(gravity - used_to)
    if applied.granted("doubled gravity thresholds"):
        found /= scene[GravityFigures].tolerant_times
    if applied.granted("halved gravity thresholds"):
        found *= scene[GravityFigures].intolerant_divided_by
    return round(found, PRECISION)


@formula(GRAVITY)
def gravity_effects(
    scene: Scene, who: Person, gravity: float, used_to: float = 1.0, dice: int = 0
) -> tuple[Effect, ...]:
    """What a strange gravity does to physical actions; with far too little weight Zero-G skill limits them."""
    difference, last = felt_difference(scene, who, gravity, used_to), scene[STEPS].look(scene[STEPS].names[-1])
    physical = [row.name for row in scene[ATTRIBUTES] if row.group == PHYSICAL]
    if difference >= last.up_to and gravity < used_to:
        of = scene[GravityFigures]
        cap = Caps("*", of.zero_g, str(of.mastery))
        return tuple(Effect(cap, frozenset({ACTION, each})) for each in physical)
    found = next((row.dice for row in scene[STEPS] if difference <= row.up_to and difference < last.up_to), None)
    penalty = min(last.dice, -abs(dice)) if found is None else found
    return tuple(Effect(Adds(penalty), frozenset({ACTION, each})) for each in physical) if penalty else ()


@formula(GRAVITY + "/weight", GRAVITY)
def adapted_weight(scene: Scene, amount: float, gravity: float, used_to: float = 1.0) -> float:
    """What a weight counts as under another gravity; distances thrown and jumped change the other way round."""
    return round(amount * gravity / used_to, PRECISION)


def check_gravity(scene: Scene, who: None, gravity: float, used_to: float) -> None:
    """Weight is never less than none, and everybody is used to some."""
    if gravity < 0 or used_to <= 0:
        refuse("gravity is 0 G or more, and one is used to some", rule=GRAVITY, legal=("0", "1"))


Gees: TypeAlias = Annotated[float, suggest(0.0, 0.4, 1.0, 1.5)]


@action("set-gravity", GRAVITY, check=check_gravity, master=True)
async def set_gravity(
    scene: Scene,
    heroes: tuple[Somebody, ...],
    gravity: Gees,
    used_to: Gees = 1.0,
    dice: Annotated[int, suggest(0, -4, -5)] = 0,
) -> None:
    """From now on these people are under another gravity than they are used to; or under their own again."""
    for each in heroes:
        await remove_effects(each, "gravity", if_present=True)
        for effect in gravity_effects(scene, each, gravity, used_to, dice):
            await lay(each, effect, source="gravity", by=GRAVITY)
