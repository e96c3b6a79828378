"""Inventions: a concept, a prototype, its flaws, and quality control."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Final, TypeAlias

from referee.core import (
    Mods,
    Pick,
    Scene,
    action,
    advance_clock,
    alter,
    figure,
    figures,
    formula,
    hand_over,
    refuse,
    rule,
    suggest,
    tell,
)
from referee.core.rules import Decide, Ends, outline
from referee.systems.dime.extended_actions import progress
from referee.systems.dime.flip import FLIPPED, Flip, check_can_act, check_has_time, flip
from referee.systems.dime.flip_odds import FLIP_KEPT, flip_outline
from referee.systems.dime.sheet import Adventurer, Invention, Person, check_skill, living
from referee.systems.dime.time import minutes as in_rounds
from referee.systems.dime.wealth import half, most_cost, pay

TALLY: Final = figure("dime.invention.system", "tally", int)
QC_STAT: Final = figure("dime.invention.qc", "stat", str)
CONCEPT_STAT: Final = figure("dime.invention.concept", "stat", str)


@figures("dime.invention.prototype")
class Prototype:
    """The stats a prototype may be flipped with, and the skill."""

    stats: tuple[str, ...]
    skill: str


CONCEPT_SKILL: Final = figure("dime.invention.concept", "skill", str)


def invention_of(scene: Scene, who: Person, name: str) -> Invention:
    return next(each for each in scene[who].inventions if each.name == name)


def unfinished(scene: Scene, who: Person | None) -> tuple[str, ...]:
    return tuple(each.name for each in scene[who].inventions if each.flaws is None) if who else ()


def flawed(scene: Scene, who: Person | None) -> tuple[str, ...]:
    return tuple(each.name for each in scene[who].inventions if each.flaws) if who else ()


@formula("dime.invention.system")
def interval_cost(scene: Scene, invention: Invention) -> int:
    """What an interval costs: half the TN, unless the game master says otherwise."""
    return half(scene, invention.tn) if invention.cost is None else invention.cost


def check_interval(scene: Scene, who: Person, invention: str) -> None:
    """The interval must be paid."""
    cost, most = interval_cost(scene, invention_of(scene, who, invention)), most_cost(scene, scene[who].wealth)
    if cost > most:
        refuse(f"Cost {cost} is too much for Wealth {scene[who].wealth}", rule="dime.wealth.costs")


def check_new(scene: Scene, _: None, name: str, who: Person) -> None:
    if not name or name in (each.name for each in scene[who].inventions):
        refuse("an invention has a name of its own")


def check_concept(scene: Scene, _: None, concept: str) -> None:
    _check_kind(scene, concept, scene[CONCEPT_SKILL], CONCEPT_SKILL.rule)


def check_applied(scene: Scene, _: None, applied: str) -> None:
    _check_kind(scene, applied, scene[Prototype].skill, "dime.invention.prototype")


def _check_kind(scene: Scene, skill: str, kind: str, rule_id: str) -> None:
    check_skill(scene, None, skill)
    if skill.partition(" (")[0] != kind:
        refuse(f"it takes a field of {kind}", what=skill, rule=rule_id, legal=(f"{kind} (…)",))


def concept_skills(scene: Scene, _: None, who: Person) -> tuple[str, ...]:
    return tuple(each for each in scene[who].skills if each.startswith(scene[CONCEPT_SKILL]))


def applied_skills(scene: Scene, _: None, who: Person) -> tuple[str, ...]:
    return tuple(each for each in scene[who].skills if each.startswith(scene[Prototype].skill))


Inventor: TypeAlias = Annotated[Person, Pick(living)]
NewInvention: TypeAlias = Annotated[str, Pick(lambda scene, who: (), check_new)]
TargetNumber: TypeAlias = Annotated[int, suggest(8, 10, 12, 14)]
Concept: TypeAlias = Annotated[str, Pick(concept_skills, check_concept)]
Applied: TypeAlias = Annotated[str, Pick(applied_skills, check_applied)]
AppliedStat: TypeAlias = Annotated[str, Pick(lambda scene, who: scene[Prototype].stats)]
Minutes: TypeAlias = Annotated[int, suggest(480, 1440, 10080)]
Unfinished: TypeAlias = Annotated[str, Pick(unfinished)]
Flawed: TypeAlias = Annotated[str, Pick(flawed)]


@action("begin-invention", "dime.invention.system/begin", master=True)
async def begin_invention(
    scene: Scene,
    who: Inventor,
    name: NewInvention,
    tn: TargetNumber,
    concept: Concept,
    applied: Applied,
    stat: AppliedStat = "Dexterity",
    minutes: Minutes = 1440,
    cost: int | None = None,
) -> None:
    """The game master sets TN, interval and skills of an invention; rushing is a higher TN and a shorter interval."""
    await alter(who, Adventurer.with_invention, Invention(name, tn, concept, applied, stat, minutes, cost))


@action("invent", "dime.invention.system", bands=FLIPPED, turn=check_can_act, check=(check_has_time, check_interval))
async def invent(scene: Scene, who: Person, invention: Unfinished, mods: Mods = ()) -> Flip:
    """The next interval of an invention: first the concept, then the prototype, which shows the flaws."""
    first = invention_of(scene, who, invention).intervals == 0
    return await hand_over(conceive(who, invention, mods) if first else build(who, invention, mods))


@rule("dime.invention.concept")
async def conceive(scene: Scene, who: Person, invention: str, mods: Mods = ()) -> Flip:
    """The first interval: the conceptual skill."""
    now = invention_of(scene, who, invention)
    flipped = await interval(who, now, scene[CONCEPT_STAT], now.concept, mods)
    done = replace(now, total=now.total + progress(flipped), intervals=now.intervals + 1)
    await alter(who, Adventurer.with_invention, done)
    return flipped


@rule("dime.invention.prototype", "dime.invention.bugs")
async def build(scene: Scene, who: Person, invention: str, mods: Mods = ()) -> Flip:
    """The second interval: the applied skill. Each point that the total lacks to the Tally is a point of flaws."""
    now = invention_of(scene, who, invention)
    flipped = await interval(who, now, now.stat, now.applied, mods)
    reached = now.total + progress(flipped)
    done = replace(now, total=reached, intervals=now.intervals + 1, flaws=flaws(scene, reached))
    await alter(who, Adventurer.with_invention, done)
    await tell("invented", who=who, what=invention, flaws=done.flaws)
    return flipped


@outline(conceive, keeps=FLIP_KEPT)
def conceived(scene: Scene, decide: Decide, who: Person, invention: str, mods: Mods = ()) -> Ends[Flip] | None:
    """That of the flip."""
    now = invention_of(scene, who, invention)
    return flip_outline(scene, decide, who, scene[CONCEPT_STAT], now.concept, now.tn, mods)


@outline(build, keeps=FLIP_KEPT)
def built(scene: Scene, decide: Decide, who: Person, invention: str, mods: Mods = ()) -> Ends[Flip] | None:
    """That of the flip."""
    now = invention_of(scene, who, invention)
    return flip_outline(scene, decide, who, now.stat, now.applied, now.tn, mods)


@formula("dime.invention.bugs")
def flaws(scene: Scene, reached: int) -> int:
    """What is missing to the Tally."""
    return max(0, scene[TALLY] - reached)


@rule("dime.invention.system/interval")
async def interval(scene: Scene, who: Person, invention: Invention, stat: str, skill: str, mods: Mods) -> Flip:
    """One interval costs time and money, and is one flip against the TN."""
    _ = await pay(who, interval_cost(scene, invention))
    flipped = await flip(who, stat, skill, invention.tn, mods)
    await advance_clock(in_rounds(scene, invention.minutes))
    return flipped


def qc_skills(scene: Scene, who: Person | None, invention: str) -> tuple[str, ...]:
    if who is None:
        return ()
    now = invention_of(scene, who, invention)
    return now.concept, now.applied


QcSkill: TypeAlias = Annotated[str, Pick(qc_skills)]


@action(
    "quality-control", "dime.invention.qc", bands=FLIPPED, turn=check_can_act, check=(check_has_time, check_interval)
)
async def quality_control(scene: Scene, who: Person, invention: Flawed, skill: QcSkill, mods: Mods = ()) -> Flip:
    """A further interval, by Determination with either skill: a success takes its Mag off the flaws."""
    return await hand_over(remove_flaws(who, invention, skill, mods))


@rule("dime.invention.qc/interval", "dime.invention.qc")
async def remove_flaws(scene: Scene, who: Person, invention: str, skill: str, mods: Mods) -> Flip:
    """The interval itself."""
    now = invention_of(scene, who, invention)
    flipped = await interval(who, now, scene[QC_STAT], skill, mods)
    if flipped.success:
        left = max(0, (now.flaws or 0) - flipped.mag)
        await alter(who, Adventurer.with_invention, replace(now, flaws=left, intervals=now.intervals + 1))
    return flipped


@outline(remove_flaws, keeps=FLIP_KEPT)
def removed_flaws(
    scene: Scene, decide: Decide, who: Person, invention: str, skill: str, mods: Mods
) -> Ends[Flip] | None:
    """That of the flip."""
    return flip_outline(scene, decide, who, scene[QC_STAT], skill, invention_of(scene, who, invention).tn, mods)
