"""Pins: holding an opponent's weapon fast, wrenching it free, letting it go."""

from __future__ import annotations

from functools import partial
from typing import Annotated

from referee.core import Effect, Mods, Pick, Scene, Who, action, alter, hand_over, lay, refuse, rule, tell
from referee.core.effects import Forbids
from referee.systems.d6.combat.blows import MELEE_ATTACK, main_weapon
from referee.systems.d6.combat.maneuvers import MARTIAL, OFFENSIVE, combat_skills, parry_with
from referee.systems.d6.combat.mastery import ATTACKS, ManeuverAttempt, ManeuverResult, blow_of, ended
from referee.systems.d6.combat.round import fight_action
from referee.systems.d6.opposed import OPPOSED, OpposedResult, contest, opposed_result
from referee.systems.d6.resolution import check_able, check_skilled
from referee.systems.d6.rolls import ROUND_END
from referee.systems.d6.sheet import Hero, Person, PinnedWeapon

# --- Pin --------------------------------------------------------------------------------------------------------------


@rule(MELEE_ATTACK + "/pin", OFFENSIVE, MARTIAL)
async def pin(scene: Scene, who: Person, target: Person, attempt: ManeuverAttempt) -> ManeuverResult:
    """Mastery attacks, and holds the other's weapon fast."""
    weapon = main_weapon(scene, target)
    return await hand_over(
        blow_of(who, target, attempt.with_mastery().harmless()),
        ended,
        then=lambda found: pin_weapon(who, target, weapon, found.margin, attempt.skill) if found.hit else None,
    )


ATTACKS["Pin"] = pin


@rule(MELEE_ATTACK + "/pinned", OFFENSIVE)
async def pin_weapon(scene: Scene, who: Person, target: Person, weapon: str, margin: int, skill: str) -> None:
    """A weapon is pinned: its owner can neither strike nor parry with it."""
    await alter(target, Hero.pinned_by, PinnedWeapon(weapon, who.name, margin, skill))
    await tell("pinned", who=target, weapon=weapon, other=who)


# --- pinned weapons ---------------------------------------------------------------------------------------------------


def pinned_weapons(scene: Scene, who: Person) -> tuple[str, ...]:
    return tuple(each.weapon for each in scene[who].pinned)


def check_pinned(scene: Scene, who: Person, weapon: str) -> None:
    """A weapon that somebody holds fast; the only one need not be named."""
    mine = pinned_weapons(scene, who)
    if not mine or (weapon and weapon not in mine):
        refuse(f"nobody has pinned a weapon of {who}", what=weapon or "free weapon", rule=OFFENSIVE, legal=mine)


def ways_to_free(scene: Scene, who: Person) -> tuple[str, ...]:
    """Strength, or a mastery."""
    return ("Strength", "mastery", *combat_skills(scene, who))


def check_way_to_free(scene: Scene, who: Person, using: str) -> None:
    """Strength, or a mastery that one has."""
    if using != "Strength":
        check_skilled(scene, who)
    if using != "Strength" and not combat_skills(scene, who):
        refuse(f"{who} has no mastery", what=using, rule=OFFENSIVE, legal=("Strength",))
    if using not in ways_to_free(scene, who):
        refuse("Strength, or a mastery", what=using, rule=OFFENSIVE, legal=ways_to_free(scene, who))


@fight_action("free-weapon", MELEE_ATTACK + "/free-weapon", OFFENSIVE, bands=OPPOSED, skilled=False)
async def free_weapon(
    scene: Scene,
    who: Person,
    weapon: Annotated[str, Pick(pinned_weapons, check_pinned)] = "",
    using: Annotated[str, Pick(ways_to_free, check_way_to_free)] = "Strength",
    mods: Mods = (),
) -> OpposedResult:
    """Wrench a pinned weapon free: Strength against Strength, or mastery against mastery."""
    held = next(each for each in scene[who].pinned if weapon in ("", each.weapon))
    holder = Who(held.by, Hero)
    against = "Strength" if using == "Strength" else held.skill
    mine = combat_skills(scene, who)[0] if using == "mastery" else using
    return await hand_over(
        contest(who, mine, holder, against, mods),
        partial(opposed_result, scene),
        then=lambda found: wrench_free(who, held.weapon) if found.success else None,
    )


@rule(MELEE_ATTACK + "/freed", OFFENSIVE)
async def wrench_free(scene: Scene, who: Person, weapon: str) -> None:
    """A weapon is pinned no longer."""
    await alter(who, Hero.freed, weapon)


def pinned_foes(scene: Scene, who: Person) -> tuple[Person, ...]:
    """Those whose weapons somebody has pinned."""
    return tuple(each for each in scene.all(Hero) if any(pin_.by == who.name for pin_ in scene[each].pinned))


@action("release-weapon", MELEE_ATTACK + "/release-weapon", OFFENSIVE, turn=check_able)
async def release_weapon(scene: Scene, who: Person, target: Annotated[Person, Pick(pinned_foes)]) -> None:
    """Let a pinned weapon go. Just freed, it parries nothing for the rest of the round."""
    for each in scene[target].pinned:
        if each.by == who.name:
            await alter(target, Hero.freed, each.weapon)
            await lay(target, Effect(Forbids(parry_with(each.weapon)), until=ROUND_END), source="just freed")
