"""Basics: the skill roll, its modifiers, helping, pushing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from referee.core import (
    DICE,
    Bands,
    Mod,
    Mods,
    Open,
    Pool,
    Prompt,
    Scene,
    SymbolCounts,
    Who,
    action,
    alter,
    applying,
    by_unit,
    figure,
    figures,
    formula,
    frozen,
    hand_over,
    roll,
    rule,
    settled,
)
from referee.core.branches import Branch, BranchEnd, Changed
from referee.core.encounter import Sides
from referee.core.questions import OptionCost, Request
from referee.core.rules import Decide, after, kernel
from referee.kits import year_zero
from referee.kits.year_zero import ONE, SIX, SUCCESSES, Kinds
from referee.systems.alien.gear import gear_dice
from referee.systems.alien.sheet import SKILLS, Colonist, Skill
from referee.systems.alien.stress import change_stress, roll_response, stressed, suffer

SUCCESS_FACE: Final = figure("alien.basics.skill-roll", "success_face", int, among=range(1, 7))
SIXES_NEEDED: Final = figure("alien.basics.skill-roll", "sixes_needed", int)
TRIGGER_FACE: Final = figure("alien.stress.trigger", "trigger_face", int)
LEAST_BASE_DICE: Final = figure("alien.basics.modifiers", "minimum_base_dice", int)
STRESS_GAIN: Final = figure("alien.push.procedure", "stress_gain", int)
STRESS_DICE_ADDED: Final = figure("alien.push.procedure", "stress_dice_added", int)
PUSHES_PER_ROLL: Final = figure("alien.push.restrictions", "pushes_per_roll", int)
HELPING: Final = "alien.basics.helping"


@figures(HELPING)
class Helping:
    """How many may help, and what each adds."""

    max_helpers: int
    dice_per_helper: int


BASE: Final = "base"
STRESS: Final = "stress"
SKILL: Final = Prompt("skill")
PUSH: Final = Prompt("push")

Helpers = tuple[Who[Colonist], ...]


@frozen
class Combat:
    """A fight in progress: who has spent the full action of this round."""

    round: Open[int] = 1
    spent: Open[frozenset[str]] = frozenset()

    def helping(self, helpers: Helpers) -> Combat:
        return replace(self, spent=self.spent.union(helper.name for helper in helpers))

    def after(self, rounds: int) -> Combat:
        return replace(self, round=self.round + rounds, spent=frozenset())


COMBAT: Final = Who("combat", Combat)


def combat_between(scene: Scene, sides: Sides, turn: str) -> Combat:
    """A fight in its first round: it knows neither sides nor turns, and everyone has their full action."""
    return Combat()


@frozen
class SkillRoll:
    """The result of a skill roll."""

    success: bool
    sixes: int
    extra: int
    pushes: int = 0
    response: str | None = None
    messed_up: bool = False


ROLLED: Final[Bands[SkillRoll]] = Bands(
    of=lambda result: "success" if result.success else "failure",
    keys=("success", "failure"),
    extra={"extra-success": lambda result: result.extra > 0},
    bad={"stress-response": lambda result: result.response is not None, "mess-up": lambda result: result.messed_up},
)


def check_mods(scene: Scene, who: Who[Colonist], mods: Mods) -> None:
    """Modifiers are dice."""
    count_dice(mods)


@formula(HELPING)
def check_helpers(scene: Scene, who: Who[Colonist], helpers: Helpers) -> None:
    """At most three helpers, each once, and not the roller; in combat only those with their full action left."""
    spent = scene[COMBAT].spent if COMBAT in scene and helpers else ()
    year_zero.check_helpers(scene, who, helpers, most=scene[Helping].max_helpers, spent=spent, rule=HELPING)


@action(
    "skill-roll",
    "alien.basics.skill-roll",
    "alien.basics.modifiers",
    HELPING,
    "alien.stress.table",
    bands=ROLLED,
    check=(check_mods, check_helpers),
)
async def skill_roll(
    scene: Scene, who: Who[Colonist], skill: Skill, mods: Mods = (), helpers: Helpers = ()
) -> SkillRoll:
    """Attribute and skill in base dice, stress in stress dice, thrown together; one six is enough."""
    await help_out(helpers)
    return await hand_over(roll_dice(who, base_dice(scene, who, skill, mods, helpers)))


@rule(HELPING)
async def help_out(scene: Scene, helpers: Helpers) -> None:
    """In combat helping costs the full action of the round."""
    await alter(COMBAT, Combat.helping, helpers, if_present=True)


@rule("alien.basics.skill-roll/dice", "alien.stress.table")
async def roll_dice(scene: Scene, who: Who[Colonist], dice: Mods) -> SkillRoll:
    """The dice are thrown, perhaps pushed, and judged; a one on a stress die triggers a response."""
    thrown = await throw_and_push(who, dice)
    success, extra = thrown.sixes >= scene[SIXES_NEEDED], extra_successes(scene, thrown.sixes)
    if not thrown.triggers:
        return SkillRoll(success, thrown.sixes, extra, thrown.pushes)
    response = await roll_response(who)
    result = SkillRoll(success, thrown.sixes, extra, thrown.pushes, response.name)
    if response.fails:
        result = replace(result, success=False, extra=0, messed_up=True)
    return await settled(result, then=suffer(who, response))


@formula("alien.basics.bonus-successes")
def extra_successes(scene: Scene, sixes: int) -> int:
    """Each six beyond those needed."""
    return max(0, sixes - scene[SIXES_NEEDED])


# --- dice -------------------------------------------------------------------------------------------------------------


@formula("alien.basics.no-skill")
def own_dice(scene: Scene, who: Who[Colonist], skill: Skill) -> Mods:
    """Attribute and skill level; without the skill the bare attribute."""
    row = scene[SKILLS][skill]
    attribute = Mod(scene[who].attribute(row.attribute), row.attribute, "alien.basics.skill-roll")
    if level := scene[who].skills.get(row.name, 0):
        return attribute, Mod(level, row.name, SKILLS.rule)
    return (replace(attribute, rule="alien.basics.no-skill"),)


@formula("alien.basics.modifiers")
def base_dice(scene: Scene, who: Who[Colonist], skill: Skill, mods: Mods = (), helpers: Helpers = ()) -> Mods:
    """The base dice, item by item: one's own, and what gear, circumstances, helpers and responses add or remove."""
    helped = year_zero.help_from(helpers, scene[Helping].dice_per_helper, rule=HELPING)
    given = tuple(replace(mod, rule=mod.rule or "alien.basics.modifiers") for mod in mods)
    laid = applying(scene, who, scene[SKILLS].look(skill).attribute).mods
    held = gear_dice(scene, scene[who].things, scene[SKILLS].look(skill).name)
    return own_dice(scene, who, skill) + held + given + helped + laid


def count_dice(mods: Mods) -> int:
    return by_unit(mods, DICE, rule="alien.basics.modifiers")[DICE]


def kinds(scene: Scene) -> Kinds:
    """On base dice only the six counts, on stress dice the one counts too; a push keeps only sixes."""
    six, one = scene[SUCCESS_FACE], scene[TRIGGER_FACE]
    return year_zero.kind(BASE, six=six, keeps=(SIX,)), year_zero.kind(STRESS, six=six, one=one, keeps=(SIX,))


def pool(scene: Scene, who: Who[Colonist], dice: Mods) -> Pool:
    """Base dice, at least one whatever the modifiers, and as many stress dice as there is stress."""
    base = max(scene[LEAST_BASE_DICE], count_dice(dice))
    return year_zero.pool(kinds(scene), {BASE: base, STRESS: scene[who].stress})


@frozen
class Thrown:
    """What counts of the final dice: the sixes, and whether a one triggers a stress response."""

    sixes: int
    triggers: bool
    pushes: int


@rule("alien.basics.skill-roll/throw", "alien.basics.modifiers")
async def throw_and_push(scene: Scene, who: Who[Colonist], dice: Mods) -> Thrown:
    """Base dice and stress dice are thrown together, and pushed as often as that is legal and wanted."""
    stress = Mod(scene[who].stress, STRESS, "alien.stress.stress-level")
    seen = await roll(SKILL, who, pool(scene, who, dice), SymbolCounts, mods=(*dice, stress))
    pushes = 0
    while await offer_push(scene, who, seen, pushes):
        seen = await push(who, seen, pushes)
        pushes += 1
    return Thrown(seen.count(SIX), seen.count(ONE, STRESS) > 0, pushes)


@kernel(throw_and_push)
def thrown_and_pushed(
    scene: Scene, decide: Decide, who: Who[Colonist], dice: Mods
) -> Branch[Thrown] | Iterator[tuple[Thrown, Changed, int]]:
    """Every course of the dice, so that the best pushes need no play; of a very large pool the ends by policy alone."""
    scenes = [scene]
    for _ in range(scene[PUSHES_PER_ROLL]):
        scenes.append(after(scenes[-1], who, stressed(scenes[-1], who, stress_gain(scenes[-1], who))))

    def changed(pushes: int) -> Changed:
        return ((who, scenes[pushes][who]),) if pushes else ()

    branches = year_zero.push_branches(
        kinds(scene),
        pool(scene, who, dice),
        offer=lambda seen, n: offer_push(scenes[n], who, seen, n),
        scene_after=scenes.__getitem__,
        end=lambda seen, n: BranchEnd(Thrown(seen.count(SIX), seen.count(ONE, STRESS) > 0, n), changed(n)),
        adding={STRESS: scene[STRESS_DICE_ADDED]},
    )
    if branches is not None:
        return branches
    triggers = year_zero.shows(STRESS, ONE)
    ends = year_zero.push_ends(
        kinds(scene),
        pool(scene, who, dice),
        (SUCCESSES, triggers),
        most=scene[PUSHES_PER_ROLL],
        wants=lambda seen, n: bool(decide(offer_push(scenes[n], who, seen, n), scenes[n])),
        adding={STRESS: scene[STRESS_DICE_ADDED]},
        at_most={triggers: 1},
    )
    return ((Thrown(sixes, ones > 0, n), changed(n), ways) for (sixes, ones), n, ways in ends)


# --- pushing ----------------------------------------------------------------------------------------------------------


def offer_push(scene: Scene, who: Who[Colonist], seen: SymbolCounts, pushes: int) -> Request[bool | None]:
    """Offer a push, but only if it is legal."""
    cost = OptionCost(stress_gain(scene, who), "stress")
    return year_zero.offer_push(PUSH, who, seen, lambda: check_push(scene, who, seen, pushes), cost)


@rule("alien.push.procedure", "alien.stress.table")
async def push(scene: Scene, who: Who[Colonist], seen: SymbolCounts, pushes: int = 0) -> SymbolCounts:
    """Stress rises, a stress die is added, and every die that is not a six is thrown again."""
    check_push(scene, who, seen, pushes)
    await change_stress(who, stress_gain(scene, who))
    return await year_zero.throw_again(PUSH, who, seen, kinds(scene), {STRESS: scene[STRESS_DICE_ADDED]})


def stress_gain(scene: Scene, who: Who[Colonist]) -> int:
    """How much stress a push costs someone."""
    return applying(scene, who, PUSH).figure(scene, STRESS_GAIN)


@formula("alien.push.restrictions")
def check_push(scene: Scene, who: Who[Colonist], seen: SymbolCounts, pushes: int = 0) -> None:
    """At most once per roll, never with a one on a stress die, never while Deflated."""
    rule_id = "alien.push.restrictions"
    year_zero.check_push(seen, pushes, most=scene[PUSHES_PER_ROLL], no_bane_on=(STRESS,), rule=rule_id)
    applying(scene, who).check_allowed(PUSH, rule=rule_id)
