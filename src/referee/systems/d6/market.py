"""The market: finding what is rare, what the law allows, and papers for what it regulates."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Final, TypeAlias

from referee.core import (
    Mods,
    Pick,
    Scene,
    action,
    alter,
    figure,
    formula,
    frozen,
    hand_over,
    refuse,
    rows,
    rule,
    suggest,
)
from referee.core.belongings import rows_in
from referee.core.modifiers import Itemised
from referee.kits.dice_codes import Code
from referee.systems.d6.codes import Ability, ability_name
from referee.systems.d6.equipment import Goods, Item, goods_of, weapon_of
from referee.systems.d6.funds import FoundGoods
from referee.systems.d6.resolution import TESTED, TestResult, check_able, check_skill, roll_against
from referee.systems.d6.rolls import is_secret_roll, throw
from referee.systems.d6.sheet import Hero, Person
from referee.systems.d6.skill_uses import OPPOSING
from referee.systems.d6.tasks import Amount
from referee.systems.d6.time import UnitName, rounds_of
from referee.systems.d6.work import check_no_fight, take_time

AVAILABILITY: Final = "d6.equipment.availability"
AUTHORIZATION: Final = "d6.equipment.authorization"
TECH_LEVEL: Final = "d6.equipment.tech-level"


@frozen
class Method:
    """With which skill something is looked for, and whether the seller asks for no papers."""

    name: str
    skill: str
    illegal: bool = False


@frozen
class AuthorizationCode:
    """What the law says of a thing: illegal, or only with a clearance."""

    name: str
    meaning: str
    illegal: bool
    clearance: bool


METHODS: Final = rows(AVAILABILITY, "methods", Method)
PER_POINT: Final = figure(AVAILABILITY, "difficulty_per_point", int)
CODES: Final = rows(AUTHORIZATION, "codes", AuthorizationCode)
CAMPAIGN_LEVEL: Final = figure(TECH_LEVEL, "campaign", int)
CLEARANCE_SKILLS: Final = figure(AUTHORIZATION, "clearance_skills", tuple[str, ...])


# --- what is to be had ------------------------------------------------------------------------------------------------


def check_on_sale(scene: Scene, who: Person, sold: Goods) -> None:
    """What is rare was found first; what is forbidden, with a seller who does not ask."""
    check_no_unique(scene, sold)
    check_no_artifact(scene, sold)
    found = next((each for each in scene[who].funds.found if each.thing == sold.name), None)
    if sold.availability_index and found is None:
        refuse(f"{who} has not found any", what=sold.name, rule=AVAILABILITY, legal=("find-goods",))
    check_authorized(scene, who, sold, illegally=found is not None and found.illegally)


@formula(f"{AVAILABILITY}/unique", AVAILABILITY)
def check_no_unique(scene: Scene, sold: Goods) -> None:
    """What there is only one of is in no shop."""
    if sold.unique:
        refuse("only an adventure brings it", what=sold.name, legal=("an adventure",))


@formula(f"{TECH_LEVEL}/sold", TECH_LEVEL)
def check_no_artifact(scene: Scene, sold: Goods) -> None:
    """What is ahead of the campaign's technology is an artifact, and never sold."""
    if scene[CAMPAIGN_LEVEL] and (sold.technological_level or 0) > scene[CAMPAIGN_LEVEL]:
        refuse(f"it is an artifact of technological level {sold.technological_level}", what=sold.name)


@formula(f"{AUTHORIZATION}/check", AUTHORIZATION)
def check_authorized(scene: Scene, who: Person, sold: Goods, illegally: bool) -> None:
    """Without a clearance, what is regulated counts as illegal: then only the black market sells it."""
    code = scene[CODES][sold.authorization] if sold.authorization else None
    if code is None or illegally or (code.clearance and sold.name in scene[who].funds.clearances):
        return
    if code.illegal or code.clearance:
        legal = ("get-clearance", "find-goods") if code.clearance else ("find-goods",)
        refuse(f"it is {code.meaning}", what=sold.name, legal=legal)


def rare(scene: Scene, who: Person) -> tuple[str, ...]:
    """What is not simply there: rare things, and those that the law keeps an eye on."""
    sold = ((row.key, goods_of(scene, row.thing)) for row in rows_in(scene))
    return tuple(key for key, each in sold if each.availability_index or each.authorization in ("X", "F"))


def regulated(scene: Scene, who: Person) -> tuple[str, ...]:
    sold = ((row.key, goods_of(scene, row.thing)) for row in rows_in(scene))
    return tuple(key for key, each in sold if each.authorization == "F")


# --- looking for it ---------------------------------------------------------------------------------------------------


def goods_named(scene: Scene, thing: str) -> Goods:
    """A row of the catalogue as it is sold; anything else by its name alone."""
    found = next((row.thing for row in rows_in(scene) if row.key == thing), Item(thing))
    return goods_of(scene, found)


def check_index(scene: Scene, who: Person, thing: str, index: int = 0) -> None:
    """It has an Availability index, of the campaign or of the game master, and is not the only one of its kind."""
    sold = goods_named(scene, thing)
    check_no_unique(scene, sold)
    check_no_artifact(scene, sold)
    if not index and not sold.availability_index and sold.authorization not in scene[CODES].names:
        refuse("it is simply to be had", what=thing, rule=AVAILABILITY, legal=("buy",))


def method_of(scene: Scene, using: str) -> Method | None:
    """How something is looked for with a skill; without any of the usual ones, the game master says."""
    named = ability_name(scene, using)
    return next((row for row in scene[METHODS] if row.skill in (using, named.key, named.skill)), None)


def check_any(scene: Scene, who: Person, thing: str) -> None:
    """Anything may be looked for whose index is said."""


Rare: TypeAlias = Annotated[str, Pick(rare, check_any)]
Index: TypeAlias = Annotated[int, suggest(0, 1, 2, 3, 4, 5)]


@action(
    "find-goods",
    AVAILABILITY,
    bands=TESTED,
    turn=check_able,
    check=(check_no_fight, check_index, check_skill),
    secret=is_secret_roll,
)
async def find_goods(
    scene: Scene, who: Person, thing: Rare, using: Ability = "Legwork", index: Index = 0, mods: Mods = ()
) -> TestResult:
    """Look for something: five times its Availability index. Streetwise finds a seller who asks for no papers.

    A failure, above all a fumble, brings trouble that fits the way it was looked for.
    """
    number = (index or goods_named(scene, thing).availability_index or 0) * scene[PER_POINT]
    method = method_of(scene, using)
    found = FoundGoods(thing, method is not None and method.illegal)
    return await hand_over(
        roll_against(who, using, number, mods),
        then=lambda test: found_on_sale(who, found) if test.success else None,
    )


@rule(f"{AVAILABILITY}/found", AVAILABILITY)
async def found_on_sale(scene: Scene, who: Person, found: FoundGoods) -> None:
    """It is on offer until it is bought."""
    await alter(who, Hero.with_funds, scene[who].funds.finding(found))


# --- papers -----------------------------------------------------------------------------------------------------------


def check_clearance(scene: Scene, who: Person, thing: str, using: str, difficulty: int | None = None) -> None:
    """Papers there are for what is regulated, and for nothing else; somebody has to say how hard they are to get."""
    sold, skill = goods_named(scene, thing), ability_name(scene, using).skill
    check_skill(scene, who, using)
    if sold.authorization and not scene[CODES][sold.authorization].clearance:
        meaning = scene[CODES][sold.authorization].meaning
        refuse(f"there are no papers for it: it is {meaning}", what=thing, rule=AUTHORIZATION)
    if skill not in scene[CLEARANCE_SKILLS]:
        refuse("it takes another skill", what=using, rule=AUTHORIZATION, legal=scene[CLEARANCE_SKILLS])
    if difficulty is None and damage_of(scene, sold) == Code():
        refuse("the game master says how hard it is", what=thing, rule=AUTHORIZATION, legal=("a difficulty",))


def damage_of(scene: Scene, sold: Goods) -> Code:
    """The damage of a weapon, which opposes the roll for its papers."""
    weapon = weapon_of(scene, Item(sold.name))
    return weapon.damage if weapon.category else Code()


@action(
    "get-clearance",
    AUTHORIZATION,
    bands=TESTED,
    turn=check_able,
    check=(check_no_fight, check_clearance),
    secret=is_secret_roll,
)
async def get_clearance(
    scene: Scene,
    who: Person,
    thing: Annotated[str, Pick(regulated, check_any)],
    using: Ability = "Bureaucracy",
    difficulty: Annotated[int | None, suggest(None, 10, 15, 20)] = None,
    base_time: Amount = 1,
    unit: UnitName = "day",
    mods: Mods = (),
) -> TestResult:
    """Get or forge papers for something regulated. A weapon's damage opposes it, unless it is said how hard it is."""
    await take_time(who, rounds_of(scene, base_time, unit))
    damage = damage_of(scene, goods_named(scene, thing))
    shown = Itemised()
    number = difficulty if difficulty is not None else (await throw(None, damage, 0, shown, prompt=OPPOSING)).total
    return await hand_over(
        roll_against(who, using, number, mods),
        then=lambda test: cleared(who, thing) if test.success else None,
    )


@rule(f"{AUTHORIZATION}/cleared", AUTHORIZATION)
async def cleared(scene: Scene, who: Person, thing: str) -> None:
    """The papers are there, or seem to be."""
    funds = scene[who].funds
    await alter(who, Hero.with_funds, replace(funds, clearances=(*funds.clearances, thing)))
