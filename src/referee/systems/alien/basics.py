"""Basics: the skill roll, its modifiers, helping, and rolling without a skill."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final, final

from referee.core import (
    Mod,
    Mods,
    Open,
    Prompt,
    Refused,
    Scene,
    SymbolCounts,
    Who,
    applying,
    change,
    figure,
    formula,
    hand_over,
    roll,
    rule,
    total,
)
from referee.systems.alien.pool import ONE, SIX, STRESS, pool
from referee.systems.alien.push import offer_push, push
from referee.systems.alien.sheet import SKILLS, Colonist, Skill
from referee.systems.alien.stress import stress_response

SIXES_NEEDED: Final = figure("alien.basics.skill-roll", "sixes_needed", int)
LEAST_BASE_DICE: Final = figure("alien.basics.modifiers", "minimum_base_dice", int)
MOST_HELPERS: Final = figure("alien.basics.helping", "max_helpers", int)
DICE_PER_HELPER: Final = figure("alien.basics.helping", "dice_per_helper", int)

SKILL: Final = Prompt("skill")

Helpers = tuple[Who[Colonist], ...]


@final
@dataclass(frozen=True, slots=True)
class Combat:
    """A fight in progress: who has spent the full action of this round."""

    round: Open[int] = 1
    spent: Open[frozenset[str]] = frozenset()


COMBAT: Final = Who("combat", Combat)


@final
@dataclass(frozen=True, slots=True)
class SkillRoll:
    """The result of a skill roll."""

    success: bool
    sixes: int
    extra: int
    pushes: int = 0
    response: str | None = None
    messed_up: bool = False


@rule("alien.basics.skill-roll", "alien.basics.modifiers", "alien.basics.helping", "alien.stress.table")
async def skill_roll(
    scene: Scene, who: Who[Colonist], skill: Skill, mods: Mods = (), helpers: Helpers = ()
) -> SkillRoll:
    """Attribute and skill in base dice, stress in stress dice, thrown together; one six is enough."""
    check_skill_roll(scene, who, skill, mods, helpers)
    await help_out(helpers)
    return await hand_over(roll_dice(who, base_dice(scene, who, skill, mods, helpers)))


@rule("alien.basics.skill-roll/dice", "alien.stress.table")
async def roll_dice(scene: Scene, who: Who[Colonist], dice: Mods) -> SkillRoll:
    """The dice are thrown, perhaps pushed, and judged; a one on a stress die triggers a response."""
    thrown = await throw_and_push(who, dice)
    success, extra = thrown.sixes >= scene[SIXES_NEEDED], extra_successes(scene, thrown.sixes)
    if not thrown.triggers:
        return SkillRoll(success, thrown.sixes, extra, thrown.pushes)
    response = await stress_response(who)
    if response.fails:
        return SkillRoll(False, thrown.sixes, 0, thrown.pushes, response.name, messed_up=True)
    return SkillRoll(success, thrown.sixes, extra, thrown.pushes, response.name)


@final
@dataclass(frozen=True, slots=True)
class Thrown:
    """What counts of the final dice: the sixes, and whether a one triggers a stress response."""

    sixes: int
    triggers: bool
    pushes: int


@rule("alien.basics.skill-roll/throw", "alien.basics.modifiers")
async def throw_and_push(scene: Scene, who: Who[Colonist], dice: Mods) -> Thrown:
    """Base dice and stress dice are thrown together, and pushed as often as that is legal and wanted."""
    stress = Mod(scene[who].stress, STRESS, "alien.stress.stress-level")
    seen = await roll(
        SKILL, who, pool(scene, at_least_one(scene, dice), stress.amount), SymbolCounts, mods=(*dice, stress)
    )
    pushes = 0
    while await offer_push(scene, who, seen, pushes):
        seen = await push(who, seen, pushes)
        pushes += 1
    return Thrown(seen.count(SIX), seen.count(ONE, STRESS) > 0, pushes)


def check_skill_roll(
    scene: Scene, who: Who[Colonist], skill: Skill | None = None, mods: Mods = (), helpers: Helpers = ()
) -> None:
    """The skill must be in the book, and the helpers must be legal."""
    if skill is not None:
        scene[SKILLS].look(skill)
    check_helpers(scene, who, helpers)


@formula("alien.basics.no-skill")
def own_dice(scene: Scene, who: Who[Colonist], skill: Skill) -> Mods:
    """Attribute and skill level; without the skill the bare attribute."""
    row = scene[SKILLS][skill]
    attribute = Mod(scene[who].attribute(row.attribute), row.attribute, "alien.basics.skill-roll")
    level = scene[who].skills.get(row.name, 0)
    return (
        (attribute, Mod(level, row.name, SKILLS.rule)) if level else (replace(attribute, rule="alien.basics.no-skill"),)
    )


@formula("alien.basics.modifiers")
def base_dice(scene: Scene, who: Who[Colonist], skill: Skill, mods: Mods = (), helpers: Helpers = ()) -> Mods:
    """The base dice, item by item: one's own, and what circumstances, helpers and stress responses add or remove."""
    attribute = scene[SKILLS].look(skill).attribute
    helped = tuple(Mod(scene[DICE_PER_HELPER], f"{helper} helps", "alien.basics.helping") for helper in helpers)
    given = tuple(replace(mod, rule=mod.rule or "alien.basics.modifiers") for mod in mods)
    return own_dice(scene, who, skill) + given + helped + applying(scene, who, attribute).mods


def at_least_one(scene: Scene, dice: Mods) -> int:
    """At least one base die is always rolled, whatever the modifiers."""
    return max(scene[LEAST_BASE_DICE], total(dice))


@formula("alien.basics.bonus-successes")
def extra_successes(scene: Scene, sixes: int) -> int:
    """Each six beyond those needed."""
    return max(0, sixes - scene[SIXES_NEEDED])


@formula("alien.basics.helping")
def check_helpers(scene: Scene, who: Who[Colonist], helpers: Helpers) -> None:
    """At most three helpers, each once, and not the roller; in combat only those with their full action left."""
    if len(helpers) > scene[MOST_HELPERS]:
        raise Refused("help", because=f"at most {scene[MOST_HELPERS]} may help", rule="alien.basics.helping")
    if len(set(helpers)) < len(helpers) or who in helpers:
        raise Refused("help", because="everybody else helps once", rule="alien.basics.helping")
    for helper in helpers:
        if helper not in scene:
            raise Refused("help", because=f"{helper} is not here", rule="alien.basics.helping")
        if COMBAT in scene and helper.name in scene[COMBAT].spent:
            raise Refused("help", because=f"{helper} has spent the full action", rule="alien.basics.helping")


@rule("alien.basics.helping")
async def help_out(scene: Scene, helpers: Helpers) -> None:
    """In combat helping costs the full action of the round."""
    if COMBAT in scene and helpers:
        spent = scene[COMBAT].spent | {helper.name for helper in helpers}
        await change(COMBAT, replace(scene[COMBAT], spent=spent))
