"""Might: feats of strength, lifting, swinging a weapon, threatening."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Final, TypeAlias

from referee.core import (
    YES,
    Bands,
    Mod,
    Mods,
    Pick,
    Prompt,
    Refused,
    Scene,
    action,
    applying,
    figure,
    figures,
    formula,
    frozen,
    hand_over,
    offer,
    rows,
    rule,
    settled,
)
from referee.core.effects import Doing, Effect, Extra, Grants, lay
from referee.systems.yearzero.action_types import SLOW_ACTION, SPEAKING, ListedPrice
from referee.systems.yearzero.attacks import SWUNG, swing_with
from referee.systems.yearzero.covers import armored
from referee.systems.yearzero.defence import EASILY_NEGATED
from referee.systems.yearzero.effects import OUTCOME, Outcome, effect_table, effects_of, roll_for_effects, take_effects
from referee.systems.yearzero.gear import check_usable
from referee.systems.yearzero.ground import check_room
from referee.systems.yearzero.harm import work_off_pain
from referee.systems.yearzero.injuries import hit_location
from referee.systems.yearzero.opposed import oppose_once
from referee.systems.yearzero.panic import add_stress, hurt
from referee.systems.yearzero.rolls import Attempt, dice_of, roll_once
from referee.systems.yearzero.sheet import Helpers, Person
from referee.systems.yearzero.skills import AwakeOther
from referee.systems.yearzero.weapons import check_hands, features_of, in_hand

MIGHT: Final = "Might"
LIFTING: Final = "yearzero.might.lifting"
SWING: Final = "yearzero.might.swing-weapon"
EFFECTS: Final = effect_table("yearzero.might.effects", MIGHT, bonus="bonus_effects", general=True)
SWINGS: Final = effect_table("yearzero.might.mighty-swing", MIGHT)
THREATS: Final = effect_table("yearzero.might.intimidating", MIGHT)


@formula("yearzero.might.use")
def feat_of_strength(scene: Scene, who: Person) -> int:
    """The dice to lift, pull, push or hold tight."""
    return dice_of(scene, who, MIGHT)


@rule("yearzero.might.effects/throw")
async def throw_object(scene: Scene, who: Person, target: Person | None, beyond: int) -> None:
    """Something thrown or shoved at somebody does a point of damage, which armor may stop."""
    if target is not None:
        location = await hit_location(target)
        await hurt(target, await armored(target, location, 1))


# --- lifting ----------------------------------------------------------------------------------------------------------


@frozen
class LoadRow:
    """A weight, the penalty to carry it with one success, and the successes that do without."""

    name: str
    lbs: int
    kg: str
    dm: int
    x: int
    example: str = ""


HOLD_ON: Final = Prompt("hold-on")
LOADS: Final = rows(LIFTING, "rows", LoadRow)


@figures(LIFTING)
class Lifting:
    """What is lifted without a roll, how long one carries, and what failing costs whoever does not put it down."""

    least_lbs: int
    carry_rounds: int
    failure_stress: int


@frozen
class Lifted:
    """What became of a load."""

    success: bool
    rounds: int = 0
    free_to_act: bool = False
    """Whether one can do other things besides."""
    successes: int = 0
    base_banes: int = 0
    gear_banes: int = 0


LIFTED: Final[Bands[Lifted]] = Bands(
    of=lambda lifted: "success" if lifted.success else "failure",
    keys=("success", "failure"),
    extra={"free-to-act": lambda lifted: lifted.free_to_act},
    bad={"harm": lambda lifted: lifted.base_banes > 0},
)


@formula("yearzero.might.lifting/check")
def load_of(scene: Scene, lbs: int) -> LoadRow:
    """The first row that is not below a weight; beyond the last nothing can be lifted."""
    if lbs < (least := scene[Lifting].least_lbs):
        raise Refused(
            "lift",
            because=f"under {least} lbs it is lifted without a roll",
            rule=LIFTING,
            legal=(f"{least} lbs or more",),
        )
    for row in scene[LOADS]:
        if lbs <= row.lbs:
            return scene[LOADS][row.name]
    most = max(row.lbs for row in scene[LOADS])
    raise Refused("lift", because="nobody can lift that much", rule=LIFTING, legal=(f"{most} lbs or less",))


def check_load(scene: Scene, who: Person, lbs: int) -> None:
    load_of(scene, lbs)


def weights(scene: Scene, who: Person) -> tuple[int, ...]:
    return tuple(row.lbs for row in scene[LOADS])


@action("lift", LIFTING, bands=LIFTED, price=SLOW_ACTION)
async def lift(
    scene: Scene,
    who: Person,
    lbs: Annotated[int, Pick(weights, check_load)],
    intended: bool = True,
    mods: Mods = (),
    helpers: Helpers = (),
    put_down: bool | None = None,
) -> Lifted:
    """Carry something heavy for up to six rounds; with more successes than it takes, one can act as well."""
    row = load_of(scene, lbs)
    penalty = (Mod(row.dm, row.name, LIFTING),) if intended and row.dm else ()
    needed = 1 if intended else row.x
    attempt = Attempt(MIGHT, "Lifter", mods=(*mods, *penalty), helpers=helpers, needed=needed)
    rolled = await roll_once(who, attempt)
    banes = (rolled.successes, rolled.base_banes, rolled.gear_banes)
    if rolled.success:
        return Lifted(True, scene[Lifting].carry_rounds, rolled.successes > needed, *banes)
    if put_down is None:
        put_down = not await offer(who, HOLD_ON, YES)
    if not put_down:
        return await settled(Lifted(False, 0, False, *banes), then=add_stress(who, scene[Lifting].failure_stress))
    return Lifted(False, 0, False, *banes)


# --- swinging a weapon ------------------------------------------------------------------------------------------------


@figures(SWING)
class Swing:
    """What a swing adds to the next strike, and what both hands add to a Mighty Swing for damage."""

    damage_bonus: int
    both_hands: int


BOTH_HANDS: Final = "both hands"
NEGATED: Final = figure("yearzero.might.mighty-swing", "wears_per/negated", int)
"""Of so many negated successes one wears what parries a swing at weapons."""


def heavy_weapons(scene: Scene, who: Person) -> tuple[str, ...]:
    return tuple(item.name for item in in_hand(scene, who) if "Heavy" in features_of(scene, item))


def check_heavy(scene: Scene, who: Person, weapon: str) -> None:
    if weapon not in heavy_weapons(scene, who):
        legal = heavy_weapons(scene, who)
        raise Refused(weapon, because="it takes a heavy weapon that is held", rule=SWING, legal=legal)
    check_usable(scene, who, weapon)
    check_hands(scene, who, scene[who].thing(weapon), SWING)


def swing_effects(scene: Scene, who: Person) -> tuple[str, ...]:
    return ("none", *effects_of(scene, SWINGS))


Heavy: TypeAlias = Annotated[str, Pick(heavy_weapons, check_heavy)]


@action("swing-weapon", SWING, bands=OUTCOME, price=ListedPrice("Swing Weapon"), check=check_room)
async def swing_weapon(
    scene: Scene,
    who: Person,
    weapon: Heavy,
    effect: Annotated[str, Pick(swing_effects)] = "none",
    both_hands: bool = False,
    mods: Mods = (),
) -> Outcome:
    """Swing a heavy weapon: a strike with it directly afterwards does more damage. A Mighty Swing may do still more."""
    await for_strike(who, Grants(swing_with(weapon)))
    await for_strike(who, Extra("damage", scene[Swing].damage_bonus), "strike", 1)
    if effect == "none":
        await work_off_pain(who)
        return Outcome(True, 0)
    two = both_hands or "2H" in features_of(scene, scene[who].thing(weapon))
    adds = (Mod(scene[Swing].both_hands, "both hands", SWINGS.rule),) if two and effect == "Extra Damage" else ()
    if two:
        await lay(who, Effect(Grants(BOTH_HANDS), until="action end"), source="both hands")
    attempt = Attempt(MIGHT, "Hard Hitter", mods=(*mods, *adds), tags=("swing", *(("two-handed",) if two else ())))
    return await hand_over(roll_for_effects(who, attempt, SWINGS.rule, effect))


@rule("yearzero.might.swing-weapon/lay")
async def for_strike(scene: Scene, who: Person, does: Doing, tag: str = "", uses: int | None = None) -> None:
    """What a swing is for lasts until the action after it is over, and counts for a strike with that weapon."""
    when = frozenset((tag, SWUNG)) if tag else frozenset[str]()
    await lay(who, Effect(does, when, "action end", times_until=2, uses=uses), source="Swing Weapon")


@rule("yearzero.might.mighty-swing/damage")
async def extra_damage(scene: Scene, who: Person, target: Person | None, successes: int) -> None:
    """The successes of the swing take the place of its plain bonus."""
    more = successes - scene[Swing].damage_bonus
    if more > 0:
        await for_strike(who, Extra("damage", more), "strike", 1)


@rule("yearzero.might.mighty-swing/disrupt")
async def disrupt_parry(scene: Scene, who: Person, target: Person | None, beyond: int) -> None:
    """Whoever parries the attack has a penalty for each hand on the weapon."""
    hands = 2 if applying(scene, who).granted(BOTH_HANDS) else 1
    await for_strike(who, Extra("disrupted parry", hands), "attack")


@rule("yearzero.might.mighty-swing/weapon")
async def swing_at_weapon(scene: Scene, who: Person, target: Person | None, beyond: int) -> None:
    """What parries the attack is worn: a point for three successes it negated, for two by a weapon in both hands."""
    per = scene[EASILY_NEGATED] if applying(scene, who).granted(BOTH_HANDS) else scene[NEGATED]
    await for_strike(who, Extra("attacked weapon", per), "attack")


# --- threatening ------------------------------------------------------------------------------------------------------


@action("intimidate", "yearzero.might.intimidating", bands=OUTCOME, price=SPEAKING)
async def intimidate(
    scene: Scene,
    who: Person,
    target: AwakeOther,
    effect: Annotated[str, Pick(lambda scene, who: ("Intimidate", ""))] = "Intimidate",
    mods: Mods = (),
) -> Outcome:
    """Might in place of Influence: the target must comply or attack, and demands nothing; its Insight opposes."""
    attempt = Attempt(MIGHT, "Intimidating", mods=mods, against=target, tags=("threatening",))
    row = scene[THREATS.rows]["Intimidate"]
    aimed = attempt.adding(Mod(row.dm, row.name, THREATS.rule)) if effect else replace(attempt, needed=row.x)
    rolled = await oppose_once(who, aimed, target, Attempt("Insight", against=who))
    return await hand_over(take_effects(who, rolled, attempt, THREATS.rule, effect if rolled.success else "", target))
