"""Parries that only masters make: what each is done with, and what it does to whoever attacked."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from referee.core import Scene, hand_over, rule
from referee.systems.d6.combat.blows import (
    CLASHED,
    PARRIED,
    STRUCK,
    BlowSituation,
    MeleeBlow,
    MeleeResult,
    weapon_blow,
    with_hand,
)
from referee.systems.d6.combat.brawling import HIT, brawl_blow
from referee.systems.d6.combat.maneuvers import (
    DEFENSIVE,
    GENERAL,
    MARTIAL,
    fresh,
    is_martial,
    maneuver_row,
    note_use,
)
from referee.systems.d6.combat.mastery import change_hands, fits, mastered_off_hand, off_hand_weapons
from referee.systems.d6.combat.melee import AFTER_PARRY, strike, strike_arm
from referee.systems.d6.combat.parries import FURTHER_PARRIES, ParryWay, combat_parry, is_free, parrying_things
from referee.systems.d6.combat.pins import pin_weapon
from referee.systems.d6.combat.reactions import ReactionWay
from referee.systems.d6.combat.weapons import NATURAL, WeaponDamage, damage_thing, item_of, weapon_skill
from referee.systems.d6.sheet import KnownManeuver, Person

COMBAT: Final = "d6.combat.combat-parry"
AGGRESSIVE: Final = "Aggressive parry"
RIPOSTE: Final = "Parry-riposte"
PINNING: Final = "Pinning parry"
SINISTER: Final = "Parry sinister"
SWITCH: Final = "Switch hands"
KEYS: Final = {name.casefold().replace(" ", "-"): name for name in (AGGRESSIVE, RIPOSTE, PINNING, SINISTER, SWITCH)}
"""The maneuvers that are parries, by the key of the reaction."""


def maneuver_parries(
    scene: Scene, who: Person, target: Person, blow: MeleeBlow, at: BlowSituation
) -> Iterator[ParryWay]:
    """The parries that the target has learned, and that the attacker has not seen yet."""
    for key, name in KEYS.items():
        for mine, thing in paired(scene, who, target, name):
            plain = combat_parry(scene, who, target, blow, at, thing)
            yield replace(plain, way=replace(masterly(scene, target, mine, thing, plain.way), key=key))
            break


FURTHER_PARRIES.append(maneuver_parries)


def paired(scene: Scene, who: Person, target: Person, name: str) -> Iterator[tuple[KnownManeuver, str]]:
    """A maneuver that still works on the attacker, with each thing it can be done with."""
    for mine in fresh(scene, target, name, who):
        if name == SINISTER:
            weapons = [each for each in off_hand_weapons(scene, target) if mastered_off_hand(scene, target, name, each)]
        elif is_martial(scene, mine.skill):
            weapons = [""]
        else:
            weapons = [
                each for each in parrying_things(scene, target) if each and fits(scene, target, mine.skill, each)
            ]
        yield from ((mine, each) for each in weapons if not each or is_free(scene, target, each))


def masterly(scene: Scene, target: Person, mine: KnownManeuver, thing: str, way: ReactionWay) -> ReactionWay:
    """How such a parry differs from a plain one: what is rolled, what it costs, and what comes first."""
    row = maneuver_row(scene, mine.name, mine.skill)
    if mine.name == SWITCH:
        other_hand = not item_of(scene, target, thing).off_hand
        switched = with_hand(scene, target, weapon_skill(scene, target, thing, "defense"), other_hand)
        return replace(way, before=change_hands(target, thing, mine.skill), then_using=switched)
    return replace(way, using=with_hand(scene, target, mine.skill, row.off_hand), free=row.free)


# --- what comes of it -------------------------------------------------------------------------------------------------


@rule(COMBAT + "/maneuver", DEFENSIVE, GENERAL, MARTIAL)
async def after_parry(scene: Scene, who: Person, target: Person, blow: MeleeBlow, found: MeleeResult) -> None:
    """The attacker has seen the maneuver; if the attack has failed, he feels it."""
    name = KEYS[found.reaction]
    mine, thing = next(paired(scene, who, target, name))
    await note_use(target, mine, who)
    if found.hit:
        return
    if name == AGGRESSIVE:
        await strike_back(who, target, blow, thing)
    elif name == PINNING and blow.weapon:
        await pin_weapon(target, who, blow.weapon, found.margin, mine.skill)
    elif name == RIPOSTE and found.outcome in (PARRIED, CLASHED):
        await riposte(target, who, thing)


for _key in KEYS:
    AFTER_PARRY[_key] = after_parry


@rule(COMBAT + "/aggressive", DEFENSIVE, MARTIAL)
async def strike_back(scene: Scene, who: Person, target: Person, blow: MeleeBlow, thing: str) -> None:
    """The parry strikes the attacker's weapon, or the arm of an unarmed attacker."""
    dealt = own_damage(scene, target, thing)
    if dealt is None:
        return
    if blow.weapon and blow.weapon != NATURAL:
        await damage_thing(who, blow.weapon, dealt.weapon, dealt.mods, target, dealt.own, dealt.scale)
    else:
        await strike_arm(target, who, dealt)


def own_damage(scene: Scene, who: Person, thing: str) -> WeaponDamage | None:
    """What somebody deals with what they have parried with."""
    return (weapon_blow(scene, who, thing) if thing else brawl_blow(scene, who, HIT)).damage


@rule(COMBAT + "/riposte", DEFENSIVE, MARTIAL, bands=STRUCK)
async def riposte(scene: Scene, who: Person, target: Person, thing: str) -> MeleeResult:
    """An immediate attack on whoever was parried, who may react to it; it is part of the same action."""
    blow = weapon_blow(scene, who, thing) if thing else brawl_blow(scene, who, HIT)
    return await hand_over(strike(who, target, blow))
