"""Martial arts: what only weaponless masters do - deadly blows, strangling, throwing."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Final

from referee.core import (
    Bands,
    Effect,
    Mod,
    Mods,
    Pick,
    Prompt,
    Scene,
    alter,
    applying,
    choose,
    formula,
    frozen,
    hand_over,
    lay,
    refuse,
    rule,
)
from referee.core.effects import Extra
from referee.kits.dice_codes import Code
from referee.systems.d6.codes import own_code
from referee.systems.d6.combat.blows import BlowSituation, MeleeBlow, MeleeResult
from referee.systems.d6.combat.brawling import BRAWL, let_go_of
from referee.systems.d6.combat.maneuvers import (
    MARTIAL,
    MARTIAL_SKILL,
    check_fresh,
    check_known,
    extra_damages,
    fresh,
    known,
    maneuver_row,
    note_use,
)
from referee.systems.d6.combat.mastery import ATTACKS, ManeuverAttempt, ManeuverResult, ended
from referee.systems.d6.combat.melee import after_blow, blow_harm, come_to_blows, exchange
from referee.systems.d6.combat.round import fight_action
from referee.systems.d6.combat.weapons import WeaponDamage
from referee.systems.d6.damage import DAMAGE_TABLE, HARMED, Harm, hit
from referee.systems.d6.hazards import fall_damage
from referee.systems.d6.opposed import contest
from referee.systems.d6.rolls import ROUND_END
from referee.systems.d6.sheet import PIPS_PER_DIE, Hero, Person
from referee.systems.d6.zones import LOCALIZED, PLACES

LOWER: Final = Prompt("lower-wound")
DEATH_STRIKE: Final = "Death strike"
STRANGULATION: Final = "Strangulation"
STRANGLED: Final = "strangled this round"
THROW: Final = "Throw"
BREAK_FALL: Final = "Break fall"
GRAPPLING: Final = "d6.combat.grappling"


# --- Death strike -----------------------------------------------------------------------------------------------------


@rule("d6.combat.brawling-attack/death-strike", MARTIAL)
async def death_strike(scene: Scene, who: Person, target: Person, attempt: ManeuverAttempt) -> ManeuverResult:
    """Brawling at the place that one has learned to strike; the skill is the damage, and the wound may be lowered."""
    dealt = WeaponDamage(own_code(scene, who, attempt.skill), Code(), extra_damages(scene, who))
    blow = replace(attempt.blow, damage=dealt)
    at = aimed_at(scene, attempt.at, attempt.known.zone or attempt.at.zone)
    await come_to_blows(who, target, blow.reach, at.surprised)
    return await hand_over(
        death_strike_outcome(who, target, blow, dealt, at),
        ended,
        then=lambda found: after_blow(who, target, blow, at, found.blow),
    )


ATTACKS[DEATH_STRIKE] = death_strike


def aimed_at(scene: Scene, at: BlowSituation, zone: str) -> BlowSituation:
    """A strike at a place: it costs as many dice to aim there where wounds are not localized."""
    if scene[LOCALIZED]:
        return replace(at, zone=zone)
    place = scene[PLACES].look(zone)
    return at.with_mods(Mod(place.called_shot, f"aims at: {place.name}", MARTIAL))


@rule("d6.combat.brawling-attack/death-strike-outcome", MARTIAL)
async def death_strike_outcome(
    scene: Scene,
    who: Person,
    target: Person,
    blow: MeleeBlow,
    dealt: WeaponDamage,
    at: BlowSituation,
) -> MeleeResult:
    """What the strike comes to: the damage it could do, or less."""
    found = await exchange(who, target, blow, at)
    if not found.hit:
        return found
    return replace(found, harm=await lowered(who, await blow_harm(scene, who, target, dealt, at.zone)))


@rule("d6.combat.brawling-attack/lowered", MARTIAL)
async def lowered(scene: Scene, who: Person, harm: str) -> str:
    """The attacker may always do less than the blow could."""
    names = tuple(scene[DAMAGE_TABLE].names)
    return await choose(who, LOWER, names[: names.index(harm) + 1])


# --- Strangulation ----------------------------------------------------------------------------------------------------


def held_targets(scene: Scene, who: Person) -> tuple[Person, ...]:
    """Whomever one holds: in a grapple, or by a pinned weapon."""
    return tuple(each for each in scene.all(Hero) if each != who and hold_margin(scene, who, each) is not None)


def hold_margin(scene: Scene, who: Person, target: Person) -> int | None:
    """How firmly one holds somebody: the margin of the grapple, or of the pin; None without a hold."""
    hold = scene[who].grapple
    if hold is not None and not hold.held and hold.foe == target.name:
        return hold.margin
    return next((each.margin for each in scene[target].pinned if each.by == who.name), None)


def check_strangle(scene: Scene, who: Person, target: Person) -> None:
    """Learned, and a grapple that is firm enough."""
    check_known(scene, who, STRANGULATION)
    needed = maneuver_row(scene, STRANGULATION, scene[MARTIAL_SKILL]).hold
    hold = scene[who].grapple
    if hold is None or hold.held or hold.foe != target.name or hold.margin < needed:
        refuse(f"it takes a grapple with a margin of {needed}", what=STRANGULATION, rule=MARTIAL, legal=("tighten",))
    if applying(scene, who, against=target).extra(STRANGLED):
        refuse("once a round: it goes on in the next", what=STRANGULATION, rule=MARTIAL, legal=("forgo",))


Held = Annotated[Person, Pick(held_targets)]


@fight_action("strangle", MARTIAL + "/strangle", MARTIAL, bands=HARMED, check=check_strangle)
async def strangle(scene: Scene, who: Person, target: Held, mods: Mods = ()) -> Harm:
    """Strangle whoever one holds firmly: no roll to hit, and damage by the skill, for an action each round."""
    await lay(who, Effect(Extra(STRANGLED), until=ROUND_END), source=STRANGULATION, by=MARTIAL, against=target)
    return await hand_over(hit(target, Code(), mods, by=who, own=own_code(scene, who, scene[MARTIAL_SKILL])))


# --- Throw ------------------------------------------------------------------------------------------------------------


@frozen
class ThrowResult:
    """Whether somebody was thrown, how far, and what the fall did."""

    success: bool
    margin: int
    metres: float = 0
    harm: str = ""


THROWN: Final[Bands[ThrowResult]] = Bands(
    of=lambda found: "success" if found.success else "failure", keys=("success", "failure")
)


def check_throw(scene: Scene, who: Person, target: Person) -> None:
    """Learned, not seen yet by the target, and with a hold."""
    check_fresh(scene, who, THROW, target)
    if hold_margin(scene, who, target) is None:
        refuse(f"{who} does not hold {target}", what=THROW, rule=MARTIAL, legal=("grapple", "maneuver"))


def resisting_throw(scene: Scene, who: Person) -> str:
    """Brawling, or Martial arts if that is better."""
    martial = scene[MARTIAL_SKILL]
    if martial not in scene[who].advanced_skills and martial.removesuffix(" (A)") not in scene[who].advanced_skills:
        return BRAWL
    return max((BRAWL, martial), key=lambda each: own_code(scene, who, each).in_pips(scene[PIPS_PER_DIE]))


@fight_action("throw", MARTIAL + "/throw", MARTIAL, bands=THROWN, check=check_throw)
async def throw_somebody(scene: Scene, who: Person, target: Held, mods: Mods = ()) -> ThrowResult:
    """Throw whoever one holds: they fly, and fall; if they win, the hold is broken."""
    mine, held = fresh(scene, who, THROW, target)[0], hold_margin(scene, who, target) or 0
    row = maneuver_row(scene, THROW, mine.skill)
    await note_use(who, mine, target)
    grip = Mod(held, "hold", MARTIAL, unit="total")
    found = await contest(who, mine.skill, target, resisting_throw(scene, target), (*mods, grip))
    await break_hold(who, target)
    if found.margin < 0:
        return ThrowResult(False, -found.margin)
    metres = found.margin / row.divisor
    return await hand_over(thrown_down(target, metres), lambda harm: ThrowResult(True, found.margin, metres, harm))


@rule(MARTIAL + "/break-hold", GRAPPLING)
async def break_hold(scene: Scene, who: Person, target: Person) -> None:
    """A grapple, or a pin, is over."""
    hold = scene[who].grapple
    if hold is not None and hold.foe == target.name:
        await let_go_of(who)
    for each in scene[target].pinned:
        if each.by == who.name:
            await alter(target, Hero.freed, each.weapon)


@rule(MARTIAL + "/thrown", MARTIAL, "d6.health.falling")
async def thrown_down(scene: Scene, who: Person, metres: float) -> str:
    """As a fall from so many metres."""
    damage = fall_damage(scene, metres)
    if damage == Code():
        return "none"
    return await hand_over(hit(who, damage, resist=resisting_fall(scene, who)), lambda harm: harm.result)


@formula("d6.health.falling/resisted-with", "d6.health.falling", MARTIAL)
def resisting_fall(scene: Scene, who: Person) -> str:
    """What resists a fall or a throw: Strength; for those who know Break fall the skill, if it is better."""
    skills = ("Strength", *(each.skill for each in known(scene, who, BREAK_FALL)))
    return max(skills, key=lambda each: own_code(scene, who, each).in_pips(scene[PIPS_PER_DIE]))
