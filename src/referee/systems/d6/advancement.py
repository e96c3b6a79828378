"""Advancement: what Character Points buy, how long one trains for it, and what teachers are good for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import ceil
from typing import Annotated, Final, TypeAlias

from referee.core import (
    CLOCK,
    Active,
    Bands,
    Pick,
    Prompt,
    Refused,
    Scene,
    action,
    alter,
    figure,
    figures,
    formula,
    frozen,
    option,
    refuse,
    rows,
    rule,
    suggest,
    tell,
)
from referee.core.clock import Due, due
from referee.core.effects import Adds, Sets
from referee.core.modifiers import Itemised
from referee.kits.dice_codes import Code, Stat, Stats
from referee.systems.d6.codes import UNLISTED, Ability, ability_name, code_mods, own_code
from referee.systems.d6.creation.points import PER_MERIT
from referee.systems.d6.damage import Anybody
from referee.systems.d6.fields import with_field
from referee.systems.d6.resolution import check_able, check_skill
from referee.systems.d6.rolls import Spend, check_alive, roll_code, roll_for, throw
from referee.systems.d6.sheet import GrowthLeave, Hero, InTraining, Person, others
from referee.systems.d6.skill_names import ADVANCED, FIELD
from referee.systems.d6.species import PIPS_PER_DIE, SPECIES, pips
from referee.systems.d6.time import rounds_of
from referee.systems.d6.traits import CharacterTrait, label, split, trait_row, trait_value

GROWING: Final = "advancement"
"""The tag of effects that change what improving costs."""
SKILL: Final = "skill"
SPECIALIZATION: Final = "specialization"
ADVANCED_SKILL: Final = "advanced skill"
ATTRIBUTE: Final = "attribute"
MOVE: Final = "Move"
MERIT: Final = "merit"
FLAW: Final = "flaw"
LOOKS: Final = "looks"
UNTAUGHT: Final = frozenset({ATTRIBUTE, MOVE, MERIT, FLAW, LOOKS})
"""What teachers play no part in."""

AWARDS: Final = "d6.advancement.awards"
COST_MODIFIERS: Final = "d6.advancement.cost-modifiers"
TRAINING: Final = "d6.advancement.training-required"
TEACHER: Final = "d6.advancement.teacher"
LIMIT_ROLL: Final = "d6.advancement.attribute-limit-roll"
LEAVE: Final = "d6.advancement.merits-flaws"

PER_DIE: Final = figure("d6.advancement.basic-skill-cost", "per_die", int)
FIELD_DIVISOR: Final = figure("d6.advancement.specialization-cost", "divisor", int)
USUAL_FIELDS: Final = figure("d6.advancement.specialization-cost", "usual_fields", int)
TRAIT_MULTIPLIER: Final = figure(LEAVE, "multiplier", int)
PER_DAY: Final = figure("d6.advancement.teaching-roll", "margin_per_day", int)
TEACHING: Final = figure("d6.advancement.teaching-roll", "skill", str)
LOST_PER_PIP: Final = figure(LIMIT_ROLL, "lost_per_pip_above", int)
LONGER: Final = option("d6.advancement.advanced-skill-training")
LONGER_DAYS: Final = figure("d6.advancement.advanced-skill-training", "days_per_point", int)
PURE: Final = option("d6.advancement.pure-training")
PURE_TIMES: Final = figure("d6.advancement.pure-training", "times", int)
PURE_PIPS: Final = figure("d6.advancement.pure-training", "pips", int)
PARTLY: Final = option("d6.advancement.pure-training-downtime")
PARTS: Final = figure("d6.advancement.pure-training-downtime", "parts", int)


@figures(COST_MODIFIERS)
class CostModifiers:
    """What a pip costs at least, how many times the usual price, and by how many dice a code may count as lower."""

    least: int
    times: int
    most_dice_lower: int


@figures("d6.advancement.pip-without-training")
class WithoutTraining:
    """How many pips a skill that was used lately may rise without training, and what is lately."""

    max_pips: int
    adventures: int


@figures("d6.advancement.training-time")
class TrainingTime:
    """How many days of training a Character Point takes, and what hurrying does."""

    days_per_point: int
    days_off_per_point: int
    minimum_days: int


@figures(TEACHER)
class Teachers:
    """How many times as long it takes without a teacher, and how far above the student one is."""

    times_without: int
    above_student: Code


@figures("d6.advancement.advanced-skill-acquire")
class NewAdvancedSkill:
    """What an advanced skill costs at first, and with which code it begins."""

    cost: int
    starting_code: Stat


@figures("d6.advancement.attribute-cost")
class AttributePrice:
    """What a pip of an attribute costs for each die, and the days of training for each point."""

    per_die: int
    days_per_point: int


@figures("d6.advancement.move")
class MovePrice:
    """What a point of Move costs for each that there is, and the days of training for each point spent."""

    per_point: int
    days_per_point: int


# --- what it costs ----------------------------------------------------------------------------------------------------


@formula("d6.advancement.pip-steps")
def dice_of(scene: Scene, code: int) -> int:
    """A pip is priced by the dice of the code before it; pips do not count."""
    return code // scene[PIPS_PER_DIE]


@formula("d6.advancement.basic-skill-cost")
def skill_pip(scene: Scene, dice: int) -> int:
    """A pip of a basic skill costs as much as it has dice."""
    return max(scene[CostModifiers].least, dice * scene[PER_DIE])


@formula("d6.advancement.specialization-cost")
def specialization_pip(scene: Scene, dice: int) -> int:
    """A pip of a specialization costs half its dice, rounded up."""
    return max(scene[CostModifiers].least, ceil(dice / scene[FIELD_DIVISOR]))


@formula("d6.advancement.advanced-skill-cost")
def advanced_pip(scene: Scene, dice: int, code: int, attribute: int) -> int:
    """Below its attribute an advanced skill is as cheap as a specialization, from there on as dear as a basic skill."""
    return specialization_pip(scene, dice) if code < attribute else skill_pip(scene, dice)


@formula("d6.advancement.advanced-skill-acquire")
def new_skill_cost(scene: Scene) -> int:
    """An advanced skill is acquired with its first die."""
    return scene[NewAdvancedSkill].cost


@formula("d6.advancement.attribute-cost")
def attribute_pip(scene: Scene, dice: int) -> int:
    """A pip of an attribute costs ten times its dice."""
    return max(scene[CostModifiers].least, dice * scene[AttributePrice].per_die)


@formula("d6.advancement.move")
def move_point(scene: Scene, move: int) -> int:
    """A point of Move costs as much as Move is."""
    return max(scene[CostModifiers].least, move * scene[MovePrice].per_point)


@formula(LEAVE)
def trait_price(scene: Scene, value: int) -> int:
    """A merit, or what is taken off a flaw, costs four times what it is worth in Creation Points."""
    return abs(value * scene[PER_MERIT]) * scene[TRAIT_MULTIPLIER]


@formula(COST_MODIFIERS)
def modified_pip(scene: Scene, effects: tuple[Active, ...], name: str) -> tuple[int, int]:
    """By how many dice a code counts as lower for the price of a pip, and how many times that price is paid."""
    figures, wanted = scene[CostModifiers], {GROWING, *growth_tags(scene, name)}
    mine = [each.effect.does for each in effects if GROWING in each.effect.when and each.effect.when <= wanted]
    lower = sum(-does.amount for does in mine if isinstance(does, Adds))
    times = next((int(does.to) for does in mine if isinstance(does, Sets)), figures.times)
    return min(lower, figures.most_dice_lower), times


def growth_tags(scene: Scene, name: str) -> tuple[str, ...]:
    """What effects on prices may name: an ability, and what kind of language it is."""
    named = ability_name(scene, name)
    field = named.field.casefold()
    kind = "sign language" if "sign" in field else "" if "native" in field else "foreign language"
    return (*named.tags, kind) if named.skill == "Languages" and field else named.tags


# --- how long it takes ------------------------------------------------------------------------------------------------


@formula("d6.advancement.training-time", "d6.advancement.advanced-skill-training")
def days_per_point(scene: Scene, kind: str) -> int:
    """A day of training for each Character Point; two for attributes and Move, and where it is so, advanced skills."""
    if kind == ATTRIBUTE:
        return scene[AttributePrice].days_per_point
    if kind == MOVE:
        return scene[MovePrice].days_per_point
    return scene[LONGER_DAYS] if kind == ADVANCED_SKILL and scene[LONGER] else scene[TrainingTime].days_per_point


@formula(TEACHER)
def training_days(scene: Scene, kind: str, points: int, taught: bool = False, hurry: int = 0) -> int:
    """How many days it takes: twice as many without a teacher, one less for each point paid to hurry, at least one."""
    times = 1 if taught or kind in UNTAUGHT else scene[Teachers].times_without
    days, figures = points * days_per_point(scene, kind) * times, scene[TrainingTime]
    return max(min(days, figures.minimum_days), days - hurry * figures.days_off_per_point)


@formula("d6.advancement.pure-training")
def pure_days(scene: Scene, kind: str, points: int, taught: bool = False) -> int:
    """Without Character Points it takes twice the time that the improvement would need."""
    return training_days(scene, kind, points, taught) * scene[PURE_TIMES]


@formula(TEACHER + "/reach", TEACHER)
def can_teach(scene: Scene, teacher: Code, student: int, wanted: int) -> bool:
    """A teacher is better than the student, and takes him as far as a die below himself."""
    own = pips(scene, teacher)
    return own > student and wanted <= own - pips(scene, scene[Teachers].above_student)


@formula("d6.advancement.teaching-roll/days", "d6.advancement.teaching-roll")
def days_saved(scene: Scene, margin: int) -> int:
    """A day for every five points by which Teaching wins."""
    return max(0, margin) // scene[PER_DAY]


@formula(TRAINING + "/free-days", TRAINING, "d6.advancement.pure-training-downtime")
def free_days(scene: Scene, sheet: Hero) -> int | None:
    """The days there are for training: where the campaign says so, half of the downtime."""
    days: int | None = sheet.free_days
    return days // scene[PARTS] if days is not None and scene[PARTLY] else days


# --- what grows -------------------------------------------------------------------------------------------------------


def code_of(scene: Scene, sheet: Hero, name: str) -> int:
    """An attribute or a skill of a sheet in pips; an advanced skill that was not learned is none."""
    named = ability_name(scene, name)
    attribute = sheet.attributes.get(named.attribute, scene[UNLISTED])
    if named.advanced:
        known = sheet.advanced_skills.get(named.key) or sheet.advanced_skills.get(named.key.removesuffix(ADVANCED))
        return 0 if known is None else pips(scene, known)
    if named.field and named.key in sheet.specializations:
        return pips(scene, sheet.specializations[named.key])
    return pips(scene, sheet.skills.get(named.skill, attribute))


def improved(scene: Scene, sheet: Hero, what: InTraining) -> Hero:
    """A sheet with what was trained."""
    match what.kind:
        case "skill":
            return skill_raised(scene, sheet, what.name, what.gain)
        case "attribute":
            return attribute_raised(scene, sheet, what.name, what.gain)
        case "Move":
            return replace(sheet, move=sheet.move + what.gain)
        case "merit" | "flaw":
            return trait_changed(sheet, what.name, what.gain if what.kind == MERIT else -what.gain)
        case "looks":
            return replace(sheet, appearance=what.name)
        case _:
            code = Stat.of(Code(0, code_of(scene, sheet, what.name) + what.gain), scene[PIPS_PER_DIE])
            if what.kind == SPECIALIZATION:
                return replace(sheet, specializations=Stats({**sheet.specializations, what.name: code}))
            return replace(sheet, advanced_skills=Stats({**sheet.advanced_skills, what.name: code}))


@formula("d6.advancement.basic-skill-and-specializations")
def skill_raised(scene: Scene, sheet: Hero, name: str, gain: int) -> Hero:
    """A basic skill has risen: its specializations stay as they are, and one that it has reached is dropped."""
    code = code_of(scene, sheet, name) + gain
    kept = {
        field: each
        for field, each in sheet.specializations.items()
        if field.partition(FIELD)[0] != name or pips(scene, each) > code
    }
    skills = {**sheet.skills, name: Stat.of(Code(0, code), scene[PIPS_PER_DIE])}
    return replace(sheet, skills=Stats(skills), specializations=Stats(kept))


@formula("d6.advancement.attribute-effect")
def attribute_raised(scene: Scene, sheet: Hero, name: str, gain: int) -> Hero:
    """An attribute has risen, and with it every basic skill and specialization under it; advanced skills have not."""

    def raised(stats: Stats) -> Stats:
        more, per_die = Code(0, gain), scene[PIPS_PER_DIE]
        return Stats(
            {
                each: code.raised(more, per_die) if ability_name(scene, each).attribute == name else code
                for each, code in stats.items()
            }
        )

    attribute = Stat.of(Code(0, code_of(scene, sheet, name) + gain), scene[PIPS_PER_DIE])
    return replace(
        sheet,
        attributes=Stats({**sheet.attributes, name: attribute}),
        skills=raised(sheet.skills),
        specializations=raised(sheet.specializations),
        improved=(*sheet.improved, name),
    )


def trait_changed(sheet: Hero, name: str, levels: int) -> Hero:
    """A merit or flaw of so many levels more, or fewer; one of no level is gone."""
    known = {label(each): each for each in (sheet.merits if levels > 0 else sheet.flaws)}
    if name not in known:
        bare, about = split(name)
        known[name] = CharacterTrait(bare, levels, about=about)
    elif known[name].level + levels <= 0:
        del known[name]
    else:
        known[name] = replace(known[name], level=known[name].level + levels, value=None)
    traits = tuple(known.values())
    return replace(sheet, merits=traits) if levels > 0 else replace(sheet, flaws=traits)


@formula(LEAVE + "/worth", LEAVE)
def trait_worth(scene: Scene, trait: CharacterTrait, level: int) -> int:
    """What a merit or flaw is worth at a level; nothing at none."""
    return trait_value(scene, replace(trait, level=level, value=None)) if level > 0 else 0


# --- training on the clock --------------------------------------------------------------------------------------------


def queued(scene: Scene, sheet: Hero, new: tuple[InTraining, ...]) -> Hero:
    """One thing is trained after the other; the first begins at once."""
    queue = (*sheet.training, *new)
    if queue and queue[0].since is None:
        queue = (replace(queue[0], since=scene[CLOCK].now if CLOCK.name in scene.state else 0), *queue[1:])
    return replace(sheet, training=queue)


@frozen
class Improvement:
    """What training has come to."""

    improved: bool
    back: int = 0
    """Character Points that are given back."""


IMPROVED: Final[Bands[Improvement]] = Bands(
    of=lambda found: "success" if found.improved else "failure", keys=("success", "failure")
)
LIMIT: Final = Prompt("limit")


@rule("d6.advancement.training-required/done", TRAINING, "d6.advancement.training-time", bands=IMPROVED)
async def trained(scene: Scene, who: Person, about: str) -> Improvement:
    """The training is over, and what was trained is better; an attribute only if its limit allows it."""
    what = scene[who].training[0]
    found = await reach_limit(who, what) if what.kind == ATTRIBUTE else Improvement(True)
    sheet = improved(scene, scene[who], what) if found.improved else scene[who].spending(-found.back)
    await alter(who, Hero.trains, *what_is_left(scene, sheet))
    await alter(who, take_over, sheet)
    await tell("trained" if found.improved else "not-improved", who=who, what=what.name)
    return found


def what_is_left(scene: Scene, sheet: Hero) -> tuple[InTraining, ...]:
    """The rest of the training, the next of which begins now."""
    return queued(scene, replace(sheet, training=()), sheet.training[1:]).training


def take_over(sheet: Hero, grown: Hero) -> Hero:
    """What has grown, with the training that is left."""
    return replace(grown, training=sheet.training)


@due(Hero, trained)
def training_ends(scene: Scene, who: Person) -> Iterator[Due]:
    """What is trained is done after its days."""
    if scene[who].training and (first := scene[who].training[0]).since is not None:
        yield Due(trained, at=first.since + rounds_of(scene, first.days, "day"), about=first.name)


@rule(LIMIT_ROLL, bands=IMPROVED)
async def reach_limit(scene: Scene, who: Person, what: InTraining) -> Improvement:
    """The most that the species has is rolled against the code one wants; only if it is not beaten, one improves."""
    most = scene[SPECIES].look(scene[who].species).attributes[what.name][1]
    wanted = Stat.of(Code(0, code_of(scene, scene[who], what.name) + what.gain), scene[PIPS_PER_DIE])
    limit = await throw(None, most.code, 0, shown(most.code, scene[who].species), prompt=LIMIT)
    reached = await roll_code(who, wanted.code, what.name, spend=Spend.NOTHING)
    if limit.total >= reached.total:
        return Improvement(True)
    lost = max(0, pips(scene, wanted) - pips(scene, most)) * scene[LOST_PER_PIP]
    return Improvement(False, max(0, what.points - lost))


def shown(code: Code, label: str) -> Itemised:
    """A code that nobody's sheet has, as a throw shows it."""
    return Itemised(code_mods(code, label, "d6.core.dice-code"))


# --- teachers ---------------------------------------------------------------------------------------------------------


def pupils(scene: Scene, who: Person) -> tuple[Person, ...]:
    """Whoever trains something now."""
    return tuple(each for each in others(scene, who) if scene[each].training)


def check_teach(scene: Scene, who: Person, pupil: Person) -> None:
    """A teacher helps once, with what is trained first, and is good enough for it."""
    check_alive(scene, pupil)
    if not scene[pupil].training:
        refuse(f"{pupil} trains nothing", rule=TRAINING)
    what = scene[pupil].training[0]
    if what.kind in UNTAUGHT:
        raise Refused(what.name, because="teachers play no part in it", rule="d6.advancement.attribute-cost")
    if what.taught:
        refuse(f"{what.teacher} has taught {pupil} {what.name} already", what=what.name)
    student = code_of(scene, scene[pupil], what.name)
    if not can_teach(scene, own_code(scene, who, what.name), student, student + what.gain):
        refuse(f"{who} is not far enough above {pupil} in {what.name}", rule=TEACHER)
    check_skill(scene, who, scene[TEACHING])


Pupil: TypeAlias = Annotated[Person, Pick(pupils)]


@action("teach", "d6.advancement.teaching-roll", TEACHER, turn=check_able, check=check_teach)
async def teach(scene: Scene, who: Person, pupil: Pupil) -> int:
    """Teach somebody what they train: Teaching against the code they want to reach saves days, but never the last."""
    what = scene[pupil].training[0]
    wanted = Code(0, code_of(scene, scene[pupil], what.name) + what.gain)
    code = Stat.of(wanted, scene[PIPS_PER_DIE]).code
    against = await throw(None, code, 0, shown(code, what.name), prompt=LIMIT)
    taught = await roll_for(who, with_field(scene, who, scene[TEACHING], what.name))
    usual = what.days if what.teacher else what.days // scene[Teachers].times_without
    days = max(scene[TrainingTime].minimum_days, usual - days_saved(scene, taught.total - against.total))
    now = replace(what, teacher=who.name, taught=True, days=days)
    await alter(pupil, Hero.trains, now, *scene[pupil].training[1:])
    return what.days - days


# --- what the game master gives ---------------------------------------------------------------------------------------


def check_award(scene: Scene, who: None, points: int) -> None:
    if points < 0:
        refuse("an award takes nothing away", legal=("0 or more",))


PointsGiven: TypeAlias = Annotated[int, Pick(lambda scene, who: range(11), check_award)]


@action(
    "award",
    AWARDS,
    "d6.advancement.veteran-points",
    "d6.advancement.character-points-use",
    "d6.advancement.pip-without-training",
    master=True,
)
async def award(
    scene: Scene,
    hero: Anybody,
    points: PointsGiven,
    used: tuple[Ability, ...] = (),
    days: Annotated[int | None, suggest(None, 7, 14, 30)] = None,
) -> None:
    """Character Points for a character, who may better skills used lately without training, and has days to train.

    All the points ever awarded are counted as Veteran Points.
    """
    await alter(hero, Hero.rewarded, points, days)
    if used:
        await alter(hero, Hero.having_practised, used, scene[WithoutTraining].adventures)


def check_leave(scene: Scene, who: None, what: str) -> None:
    """A merit, a flaw, looks, or one more specialization."""
    if FIELD in what:
        ability_name(scene, what)
    elif what != LOOKS:
        trait_row(scene, split(what)[0])


@action("agree-to-growth", LEAVE + "/agree", LEAVE, "d6.advancement.training-gm-change", master=True)
async def agree_to_growth(
    scene: Scene,
    hero: Anybody,
    what: Annotated[str, Pick(lambda scene, who: (LOOKS,), check_leave)],
    days: Annotated[int, suggest(0, 7, 30)] = 0,
) -> None:
    """Agree that a character may buy a merit, buy off a flaw, better their looks or learn one more specialization."""
    await alter(hero, Hero.with_leave, GrowthLeave(what, days))


def trained_things(scene: Scene, who: None, hero: Person) -> tuple[str, ...]:
    return tuple(each.name for each in scene[hero].training)


@action("set-training", "d6.advancement.training-gm-change", master=True)
async def set_training(
    scene: Scene, hero: Anybody, what: Annotated[str, Pick(trained_things)], days: Annotated[int, suggest(1, 3, 7)]
) -> None:
    """Training takes as many days in all as the game master says."""
    changed = (replace(each, days=days) if each.name == what else each for each in scene[hero].training)
    await alter(hero, Hero.trains, *changed)


@frozen
class AwardRow:
    """What Character Points are given for: how many, and whether taking part is enough."""

    name: str
    per: str
    min: int
    max: int
    took_part: bool = False


AWARD_GUIDE: Final = rows("d6.gm.character-point-awards", "awards", AwardRow)


@frozen
class RewardRow:
    """A way to reward a character: the game master's action for it, and of which kind it is."""

    name: str
    action: str
    kind: str


REWARDS: Final = rows("d6.gm.rewards", "rewards", RewardRow)


@formula("d6.gm.rewards")
def ways_to_reward(scene: Scene) -> dict[str, str]:
    """What characters can be given at the end of an adventure, or at any fitting time, each with the action for it."""
    return {row.name: row.action for row in scene[REWARDS]}
