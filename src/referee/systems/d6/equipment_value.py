"""Equipment value: what Body, capabilities, features and drawbacks are worth, to build, design or repair something."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Final, TypeAlias

from referee.core import Levels, Pick, Scene, action, alter, figure, figures, formula, frozen, refuse, rows, suggest
from referee.kits.dice_codes import Code
from referee.systems.d6.codes import ability_name
from referee.systems.d6.combat.weapons import armor_value, body_of, item_of, range_value
from referee.systems.d6.damage import Anybody
from referee.systems.d6.equipment import Armor, Item, armor_of, weapon_of
from referee.systems.d6.market import TECH_LEVEL
from referee.systems.d6.sheet import PIPS_PER_DIE, Hero

PURPOSE: Final = "d6.equipment.value-purpose"
TOTAL: Final = "d6.equipment.value-total"
BODY_VALUE: Final = "d6.equipment.body-value"
CAPABILITIES: Final = "d6.equipment.capability-values"
BONUSES: Final = "d6.equipment.value-bonuses"
LIMITATIONS: Final = "d6.equipment.value-limitations"
SKILLS_TO_USE: Final = "d6.equipment.skills-to-use"
FIXED: Final = "fixed dice code"
ATTRIBUTE: Final = "attribute bonus"
NOTHING_SAID: Final = Levels()


@frozen
class ComponentType:
    """What a component is worth: by its code, by a measure such as its Move, or as the game master chooses."""

    name: str
    by: str
    base: int = 0
    times: int = 1
    over: int = 1
    most: int | None = None


@frozen
class ValueBand:
    """What codes of a range are worth, from its low end to its high one, and what is beyond it."""

    name: str
    of: str
    least: Code
    to: Code
    low: int
    high: int
    beyond: int = 0
    per: Code = Code()


@frozen
class Feature:
    """What a feature adds: so many points, for each die of what it enhances."""

    name: str
    per_die: bool = False
    min: int | None = None
    max: int | None = None


@frozen
class Limitation:
    """What a drawback takes away for each of it."""

    name: str
    each: int
    max: int | None = None


@frozen
class Component:
    """A part of something: what kind it is, its code or measure, and what makes it worth more or less."""

    name: str
    type: str
    code: Code = Code()  # a frozen value
    measure: int = 0
    """Move, height or ceiling, in metres."""
    picked: int | None = None
    """The value that the game master has picked."""
    features: Levels = NOTHING_SAID
    limitations: Levels = NOTHING_SAID
    use: int = 0
    """The difficulty of the roll that using it takes."""
    skills: tuple[str, ...] = ()
    """The skills it is used with; one, if none is named."""
    all_needed: bool = False
    """Whether using it takes all of them, and not any."""
    only_price: bool = False
    """Whether it does not matter in game terms, and only raises the price."""
    ahead: bool = False
    """Whether it is ahead of the campaign's technology."""
    designed: bool = False
    installed: bool = False


COMPONENT_TYPES: Final = rows(
    "d6.equipment.capability-types", "component_types", ComponentType, also="*/component_types"
)


@figures(SKILLS_TO_USE)
class SkillsToUse:
    """How many skills a capability usually takes, and what more of them and advanced ones are worth."""

    usual: int
    per_skill: int
    advanced: int


BANDS: Final = rows(CAPABILITIES, "bands", ValueBand)
FEATURES: Final = rows(BONUSES, "features", Feature)
DRAWBACKS: Final = rows(LIMITATIONS, "limitations", Limitation)
FIRST_DIE: Final = figure(BODY_VALUE, "first_die", int)
FURTHER_PIP: Final = figure(BODY_VALUE, "per_further_pip", int)
PER_SCALE: Final = figure(TOTAL, "per_further_scale", int)
USE_DIVISOR: Final = figure("d6.equipment.use-difficulty", "divisor", int)
SIZE_DIVISOR: Final = figure("d6.equipment.miniaturization", "divisor", int)
AHEAD: Final = figure(TECH_LEVEL, "value_per_capability", int)


# --- what a part is worth ---------------------------------------------------------------------------------------------


@formula(BODY_VALUE)
def body_value(scene: Scene, body: Code) -> int:
    """Nothing below 1D, so much for the first die, and a little for every further pip."""
    pips, die = body.in_pips(scene[PIPS_PER_DIE]), scene[PIPS_PER_DIE]
    return scene[FIRST_DIE] + (pips - die) * scene[FURTHER_PIP] if pips >= die else 0


@formula(CAPABILITIES)
def capability_value(scene: Scene, of: str, code: Code) -> int:
    """What a code or a bonus is worth: evenly from the low end of its range to the high one, and a step beyond."""
    per_die = scene[PIPS_PER_DIE]
    pips, bands = code.in_pips(per_die), [each for each in scene[BANDS] if each.of == of]
    band = next((each for each in bands if pips <= each.to.in_pips(per_die)), bands[-1])
    start, end = band.least.in_pips(per_die), band.to.in_pips(per_die)
    if pips > end:
        base = band.low if band.per.dice else band.high
        return max(band.high, base + band.beyond * ((pips - end) // band.per.in_pips(per_die)))
    return band.low + (band.high - band.low) * max(0, pips - start) // max(1, end - start)


@formula(BONUSES)
def features_value(scene: Scene, features: Levels, dice: int) -> int:
    """What features add; some for every die of what they enhance."""
    for name, amount in features.items():
        row = scene[FEATURES].look(name)
        if (row.min is not None and amount < row.min) or (row.max is not None and amount > row.max):
            refuse(f"it is {row.min} to {row.max}", what=name)
    return sum(amount * (dice if scene[FEATURES].look(name).per_die else 1) for name, amount in features.items())


@formula(LIMITATIONS)
def limitations_value(scene: Scene, limitations: Levels) -> int:
    """What drawbacks take away."""
    for name, amount in limitations.items():
        most = scene[DRAWBACKS].look(name).max
        if most is not None and amount > most:
            refuse(f"it counts {most} at most", what=name)
    return -sum(amount * scene[DRAWBACKS].look(name).each for name, amount in limitations.items())


@formula("d6.equipment.use-difficulty")
def use_value(scene: Scene, difficulty: int) -> int:
    """Half of the difficulty of the roll it takes, off."""
    return -(difficulty // scene[USE_DIVISOR])


@formula(SKILLS_TO_USE)
def skills_value(scene: Scene, skills: tuple[str, ...], all_needed: bool = False) -> int:
    """Alternatives make something more versatile; skills that are all needed, and advanced ones, restrict it."""
    of = scene[SkillsToUse]
    more = (len(skills) - of.usual) * of.per_skill if skills else 0
    advanced = sum(ability_name(scene, each).advanced for each in skills)
    return (-more if all_needed else more) + advanced * of.advanced


@formula("d6.equipment.miniaturization")
def size_factor(scene: Scene, levels: int) -> float:
    """Half the size for every technological level since it came up."""
    return float(scene[SIZE_DIVISOR] ** -levels)


@formula("d6.equipment.vehicle-additional")
def matters_in_play(scene: Scene, component: Component) -> bool:
    """Whether a system raises the value of what it is added to; if not, it only raises the price."""
    return not component.only_price


@formula(
    f"{TOTAL}/component",
    TOTAL,
    "d6.equipment.capability-types",
    "d6.equipment.vehicle-move-value",
    "d6.equipment.vehicle-maneuverability-value",
    "d6.equipment.vehicle-signature-value",
    "d6.equipment.targeting-aids",
)
def component_value(scene: Scene, component: Component) -> int:
    """What one part of something is worth: what it can do, its features and drawbacks, and how hard it is to use."""
    if not matters_in_play(scene, component):
        return 0
    row, capability = scene[COMPONENT_TYPES].look(component.type), component.type != "Body"
    found = component.picked if component.picked is not None else plain_value(scene, row, component)
    extra = features_value(scene, component.features, component.code.dice)
    less = limitations_value(scene, component.limitations) + use_value(scene, component.use)
    less += skills_value(scene, component.skills, component.all_needed)
    return found + extra + less + (scene[AHEAD] if component.ahead and capability else 0)


def plain_value(scene: Scene, row: ComponentType, component: Component) -> int:
    """What a component is worth without anything besides."""
    match row.by:
        case "body":
            return body_value(scene, component.code)
        case "measure":
            moved = abs(row.times) * component.measure // row.over
            found = row.base + (-moved if row.times < 0 else moved)
            return found if row.most is None else min(row.most, found)
        case "choice":
            return row.base
        case of:
            return capability_value(scene, of, component.code) * row.times


# --- what a thing is worth --------------------------------------------------------------------------------------------


@formula("d6.equipment.sample-chain-mail")
def armor_parts(scene: Scene, armor: Armor) -> dict[str, int]:
    """What armor is worth by what it protects from, where, and by how it hinders."""
    protection = capability_value(scene, ATTRIBUTE, armor.protection)
    pips = max(0, -armor.agility.in_pips(scene[PIPS_PER_DIE]))
    return {
        "protection": armor_value(scene, protection, armor.zones) if armor.zones else protection,
        "hindrance": limitations_value(scene, Levels({"attribute penalty": pips})),
    }


@formula(
    f"{TOTAL}/parts",
    TOTAL,
    "d6.equipment.sample-long-sword",
    "d6.equipment.sample-heavy-repeating-blaster",
    "d6.equipment.sample-binoculars",
)
def parts_of_value(scene: Scene, item: Item) -> Levels:
    """What a weapon or armor is worth, by what makes it up; of anything else, its Body."""
    weapon, armor, parts = weapon_of(scene, item), armor_of(scene, item), dict[str, int]()
    parts["Body"] = body_value(scene, body_of(scene, item))
    if armor is not None:
        parts |= armor_parts(scene, armor)
    elif weapon.category:
        parts["damage"] = capability_value(scene, ATTRIBUTE if weapon.adds_strength else FIXED, weapon.damage)
        parts["scale"] = (weapon.scale - 1) * scene[PER_SCALE]
        parts["range"] = range_value(scene, weapon)
        burst, spray = weapon.short_burst, weapon.spray_fire
        known = {"short burst": burst.modifier if burst else 0, "spray fire": spray.modifier if spray else 0}
        known |= {"blast": weapon.blast, "cone": weapon.cone}
        parts["features"] = features_value(scene, Levels(known), weapon.damage.dice)
        parts["targeting aid"] = (
            capability_value(scene, "skill bonus", weapon.targeting) if weapon.targeting != Code() else 0
        )
        parts["crew"] = -weapon.alone
        parts["use"] = 0 if weapon.range else use_value(scene, weapon.difficulty)
    return Levels({name: each for name, each in parts.items() if each})


@formula(TOTAL)
def equipment_value(scene: Scene, item: Item, besides: int = 0) -> int:
    """What a thing is worth in all, with what the game master counts besides."""
    return sum(parts_of_value(scene, item).values()) + besides


def things(scene: Scene, who: object, owner: Anybody) -> tuple[str, ...]:
    return tuple(each.name for each in scene[owner].equipment)


def check_worth(scene: Scene, _: None, owner: Anybody, thing: str, extra: int) -> None:
    """Something is worth something."""
    if equipment_value(scene, item_of(scene, owner, thing), extra) < 0:
        refuse("it would be worth less than nothing", what=thing, rule=PURPOSE)


Besides: TypeAlias = Annotated[int, suggest(0, 5, 10, -5, -10)]


@action("estimate-value", PURPOSE, TOTAL, check=check_worth, master=True)
async def estimate_value(scene: Scene, owner: Anybody, thing: Annotated[str, Pick(things)], extra: Besides = 0) -> int:
    """Work out what a thing is worth, with what it can do besides: from now on repairs of it go by that."""
    item = item_of(scene, owner, thing)
    found = equipment_value(scene, item, extra)
    await alter(owner, Hero.with_item, replace(item, value=found))
    return found
