"""Using a skill: what for, how hard it is, what helps, against whom, how long it takes, and what comes of it.

The rulebook lists the uses of every skill as rows (`uses`); this is how they are played.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Annotated, Any, Final, TypeAlias

from referee.core import (
    DICE,
    DIFFICULTY,
    TOTAL,
    YES,
    YES_NO,
    Applies,
    Bands,
    Call,
    Hidden,
    Levels,
    Mod,
    Mods,
    Pick,
    Prompt,
    Refused,
    Scene,
    Who,
    action,
    alter,
    change,
    family,
    formula,
    frozen,
    hand_over,
    lay,
    offer,
    refuse,
    rows,
    rule,
    rule_on,
    tell,
)
from referee.core import total as sum_of
from referee.core.modifiers import Itemised
from referee.kits.dice_codes import Code, Contest, Luck
from referee.kits.skill_uses import KeptRoll, SkillUse, kept_rolls
from referee.systems.d6.codes import ability_name, check_ability, own_code
from referee.systems.d6.combat.round import DeclaredAction
from referee.systems.d6.combat.surroundings import VISIBILITIES, visibility_mods
from referee.systems.d6.fields import is_abstract, lacks_field, try_without_field
from referee.systems.d6.hazards import SECOND_CHANCE, SecondChance
from referee.systems.d6.opposed import check_other, check_seduced, contest, harder_for
from referee.systems.d6.resolution import (
    LEVELS,
    Actions,
    TestResult,
    announce_total,
    at_once,
    check_skill,
    difficulty_number,
    is_critical,
    is_fumble,
    possible_difficulties,
    roll_against,
)
from referee.systems.d6.restriction import LIMIT, capping, restricting, restrictive_fields
from referee.systems.d6.rolls import ACTION, ANY_ROLL, is_hidden_roll, roll_for, rolled_mods, throw
from referee.systems.d6.sheet import PIPS_PER_DIE, FailedTry, Hero, Person, others
from referee.systems.d6.situations import Situation, check_situations
from referee.systems.d6.skill_names import FIELD
from referee.systems.d6.social import Setting, Speech, reputation_mods, status_mods, talked_for
from referee.systems.d6.tasks import Pace, check_more_time, paced_total, task_time, work
from referee.systems.d6.work import A_TASK, check_time, check_worker, fight_of_rounds, take_time

CHOOSE: Final = "d6.skills.choose-skill"
NEW_TRY: Final = "d6.skills.trying-again"
TIME: Final = "d6.skills.required-time"
USES: Final = rows("d6.skills.attribute-roll", "uses", SkillUse, also="*/uses", cites="rule")
TRY_AGAIN: Final = Prompt("try-again")
OPPOSING: Final = Prompt("opposing")
NOTHING_SAID: Final = Levels()


@frozen
class UseResult:
    """What came of using a skill: how it went, what that brings, and what its margin is worth."""

    success: bool
    margin: int | None
    """Unless it would give away what somebody else has rolled."""
    total: int | None = None
    """Unless it was rolled against somebody: then the margin is all there is."""
    brings: str = ""
    worth: int = 0
    fumble: bool = False
    critical: bool = False
    good_fortune: bool = False
    complication: bool = False
    tie: bool = False


USED: Final[Bands[UseResult]] = Bands(
    of=lambda found: "tie" if found.tie else "success" if found.success else "failure",
    keys=("success", "failure", "tie"),
    extra={"critical": lambda found: found.critical, "good-fortune": lambda found: found.good_fortune},
    bad={"fumble": lambda found: found.fumble, "complication": lambda found: found.complication},
)


# --- what may be picked -----------------------------------------------------------------------------------------------


def group_of(scene: Scene, use: str) -> str:
    """Uses are offered by the attribute of the skill they are usually rolled with."""
    return ability_name(scene, scene[USES].look(use).using[0]).attribute


def index_of(scene: Scene, use: str) -> tuple[str, ...]:
    return scene[USES].look(use).index


def line_of(scene: Scene, who: Person | None, use: str) -> str:
    """With what somebody would do it, how good they are at that, and how hard it is."""
    row = scene[USES].look(use)
    using = " or ".join(spoken_ability(each) for each in row.using[:3])
    if who is not None and fields_of(scene, who, row.using, row.fields):
        best = ability_for(scene, who, row, "")
        using = f"{spoken_ability(best)} {own_code(scene, who, best)}"
    hard = difficulties_of(scene, row)
    return f"{using}: {hard}" if hard else using


def spoken_ability(using: str) -> str:
    """A specialization as people say it: heavy gunnery: guns on rail."""
    return using.replace(FIELD, ": ")


def difficulties_of(scene: Scene, row: SkillUse) -> str:
    """The difficulties of a use in short, or what opposes it."""
    if row.against_code or (row.against and row.opposed == "must"):
        return f"against {row.against_code or ' or '.join(spoken_ability(each) for each in row.against[:3])}"
    levels = [scene[LEVELS].look(each.level) for each in row.tasks if each.level]
    levels += [scene[LEVELS].look(row.level)] if row.level else list(scene[LEVELS]) if row.graded else []
    found = sorted({each.number or each.min for each in levels} | ({row.number} if row.number else set()))
    if not found:
        return f"against {' or '.join(row.faces)}" if row.faces else ""
    return str(found[0]) if len(found) == 1 else f"{found[0]} to {found[-1]}"


def fields_of(scene: Scene, who: Person, names: tuple[str, ...], fields: tuple[str, ...] = ()) -> tuple[str, ...]:
    """Abilities by name, each with the fields that somebody has of it; of an abstract skill only these, if any; no
    advanced skill that was not learned, and no field that only counts elsewhere.
    """
    found = list[str]()
    for name in names:
        own = tuple(each for each in scene[who].specializations if each.startswith(name + FIELD))
        own = tuple(each for each in own if fits_use(scene, each, fields))
        found += own if own and is_abstract(scene, name) else (name, *own)
    return tuple(each for each in found if has_ability(scene, who, each))


def fits_use(scene: Scene, specialization: str, fields: tuple[str, ...]) -> bool:
    """Whether a specialization may be used: not one that only counts for what its skill restricts."""
    skill, _, field = specialization.partition(FIELD)
    return field in fields or field not in restrictive_fields(scene, skill)


def has_ability(scene: Scene, who: Person, using: str) -> bool:
    try:
        check_ability(scene, who, using)
    except Refused:
        return False
    return True


@formula("d6.skills.redundancy")
def best_of(scene: Scene, who: Person, names: tuple[str, ...], fields: tuple[str, ...] = ()) -> str:
    """Of several abilities that fit, the one somebody is best at; of equals the first. A specialization counts by
    itself only where it always fits.
    """
    known = fields_of(scene, who, names, fields)
    found = tuple(each for each in known if each in names or counts_by_itself(scene, each, fields)) or known or names
    return max(found, key=lambda each: own_code(scene, who, each).in_pips(scene[PIPS_PER_DIE]))


def counts_by_itself(scene: Scene, specialization: str, fields: tuple[str, ...]) -> bool:
    skill, _, field = specialization.partition(FIELD)
    return field in fields or is_abstract(scene, skill)


def ability_for(scene: Scene, who: Person, row: SkillUse, using: str) -> str:
    """What a use is rolled with: what is said, or the best of what it may be rolled with."""
    return using or best_of(scene, who, row.using, row.fields)


def abilities_for(scene: Scene, who: Person, use: str) -> tuple[str, ...]:
    row = scene[USES].look(use)
    return ("", *fields_of(scene, who, row.using, row.fields))


def check_using(scene: Scene, who: Person, using: str, use: str) -> None:
    """One of the abilities that a use is rolled with, or a field of it; without one, the best of them."""
    row = scene[USES].look(use)
    check_among(scene, who, ability_for(scene, who, row, using), row.using)
    if not fits_use(scene, using, row.fields):
        refuse("it only counts for what its skill restricts", what=using, legal=row.using)


def check_among(scene: Scene, who: Person, using: str, names: tuple[str, ...]) -> None:
    check_ability(scene, who, using)
    named, listed = ability_name(scene, using), tuple(ability_name(scene, each) for each in names)
    if not any((each.skill, each.attribute) == (named.skill, named.attribute) for each in listed):
        refuse("it is done with another ability", what=using, legal=names)


def has_tasks(scene: Scene, who: Person, use: str) -> bool:
    row = scene[USES].look(use)
    return row.graded or bool(row.tasks)


def tasks(scene: Scene, who: Person, use: str) -> tuple[str, ...]:
    row = scene[USES].look(use)
    return scene[LEVELS].names if row.graded else tuple(each.name for each in row.tasks)


def check_task(scene: Scene, who: Person, task: str, use: str) -> None:
    """One of the tasks of a use; whether it can do without one is seen with the rest."""
    if task and task not in (found := tasks(scene, who, use)):
        refuse("it is not one of the options", what=task, legal=found)


def check_task_said(scene: Scene, use: str, task: str, number: int | None, opposed: bool) -> None:
    """How hard it is has to be said: by a task, or by a number or an opponent, unless a task says how long it takes."""
    row, cited = scene[USES].look(use), scene[USES].rule_of(use)
    instead = (number is not None or (opposed and row.opposed == "may")) and not any(each.time for each in row.tasks)
    if not task and (row.tasks or row.graded) and not instead:
        legal = scene[LEVELS].names if row.graded else tuple(each.name for each in row.tasks)
        refuse("say how hard it is" if row.graded else "say what it is about", what=use, rule=cited, legal=legal)


def circumstances_of(scene: Scene, who: Person, use: str) -> tuple[str, ...]:
    return tuple(each.name for each in scene[USES].look(use).circumstances)


def has_circumstances(scene: Scene, who: Person, use: str) -> bool:
    return bool(scene[USES].look(use).circumstances)


def opponents(scene: Scene, who: Person, use: str) -> tuple[Person | None, ...]:
    row = scene[USES].look(use)
    nobody = () if row.opposed == "must" and not row.against_code else (None,)
    return (*others(scene, who), *nobody)


def answers(scene: Scene, who: Person, use: str, other: Person | None) -> tuple[str, ...]:
    return ("", *(fields_of(scene, other, scene[USES].look(use).against) if other is not None else ()))


def check_answer(scene: Scene, who: Person, answer: str, use: str, other: Person | None) -> None:
    """One of the abilities that may oppose a use; without one, the best that the other has."""
    if answer and other is not None:
        check_among(scene, other, answer, scene[USES].look(use).against)


def faced(scene: Scene, who: Person, use: str) -> tuple[Who[KeptRoll] | None, ...]:
    row = scene[USES].look(use)
    return (*kept_rolls(scene, row.faces), *(() if row.opposed == "must" else (None,)))


def check_faced(scene: Scene, who: Person, facing: Who[KeptRoll] | None, use: str) -> None:
    """Something that was kept for such a use, as far as it is known of."""
    if facing not in faced(scene, who, use):
        kinds = " or ".join(scene[USES].look(use).faces)
        refuse(f"no {kinds} is known of", legal=(each.name for each in faced(scene, who, use) if each is not None))


def measures(scene: Scene, who: Person, use: str) -> tuple[float, ...]:
    """Points of the measure; any other amount is legal too."""
    of = scene[USES].look(use).measure
    return (1.0,) if of is None else tuple(point for point, _ in of.points) or (max(1.0, of.least),)


def any_measure(scene: Scene, who: Person, value: float, use: str) -> None:
    """However much it is; whether that is too much is seen with the rest."""


def sees(scene: Scene, who: Person, use: str) -> bool:
    return scene[USES].look(use).sight or scene[USES].look(use).sight_of_other


def visibilities(scene: Scene, who: Person, use: str) -> tuple[str, ...]:
    return ("", *scene[VISIBILITIES].names)


Use: TypeAlias = Annotated[str, family(USES, group=group_of, index=index_of, line=line_of)]
UsedAbility: TypeAlias = Annotated[str, Pick(abilities_for, check_using)]
Task: TypeAlias = Annotated[str, Pick(tasks, check_task), Applies(has_tasks)]
Circumstances: TypeAlias = Annotated[tuple[Annotated[str, Pick(circumstances_of)], ...], Applies(has_circumstances)]
Amounts: TypeAlias = Annotated[Levels, Applies(has_circumstances)]
Amount: TypeAlias = Annotated[float, Pick(measures, any_measure), Applies("measure")]
Opponent: TypeAlias = Annotated[Person | None, Pick(opponents), Applies("against")]
Answer: TypeAlias = Annotated[str, Pick(answers, check_answer), Applies("against")]
OtherCode: TypeAlias = Annotated[Code | None, Applies("against_code")]
Facing: TypeAlias = Annotated[Who[KeptRoll] | None, Pick(faced, check_faced), Applies("faces")]
KeptName: TypeAlias = Annotated[str, Applies("keeps")]
Visibility: TypeAlias = Annotated[str, Pick(visibilities), Applies(sees)]
SocialSpeech: TypeAlias = Annotated[Speech, Applies("social")]
SocialSetting: TypeAlias = Annotated[Setting, Applies("social")]
VisibilityDice: TypeAlias = Annotated[int, Applies(sees)]


# --- how hard it is, and how long it takes ----------------------------------------------------------------------------


@frozen
class UsePlan:
    """What a use comes to before it is rolled: its difficulty, what is added to whose roll, and its time in rounds."""

    difficulty: int
    total: int = 0
    dice: int = 0
    other: int = 0
    rounds: int = 0


@formula(CHOOSE + "/plan", CHOOSE)
def use_plan(
    scene: Scene,
    use: str,
    task: str = "",
    circumstances: tuple[str, ...] = (),
    amounts: Levels = NOTHING_SAID,
    measure: float = 1,
    number: int | None = None,
    pace: Pace = "usual",
    opposed: bool = False,
) -> UsePlan:
    """How hard a use is with its circumstances, what they add to the rolls, and how many rounds it takes."""
    row, cited = scene[USES][use], scene[USES].rule_of(use)
    circumstances, amounts = row.said(circumstances, amounts)
    check_task_said(scene, use, task, number, opposed)
    row.check(task, circumstances, amounts, measure, cited)
    mods, theirs = row.mods(circumstances, amounts, cited), row.mods(circumstances, amounts, cited, other=True)
    of = {unit: sum_of(mod for mod in mods if mod.unit == unit) for unit in (DIFFICULTY, TOTAL, DICE)}
    needed = base_difficulty(scene, use, task, row.goes(measure, circumstances), number)
    rounds = use_rounds(scene, use, task, circumstances, measure, pace)
    return UsePlan(needed + of[DIFFICULTY], of[TOTAL], of[DICE], sum_of(theirs), rounds)


@formula("d6.skills.named-difficulty-number")
def base_difficulty(scene: Scene, use: str, task: str, measure: float, number: int | None) -> int:
    """How hard a use is by itself: what the game master says, by its measure, or the number of its level."""
    row, cited = scene[USES].look(use), scene[USES].rule_of(use)
    if number is not None:
        return number
    if row.needs_number:
        refuse(f"state {row.needs_number}", what=use, rule=cited)
    if row.measure is not None and row.measure.points:
        if (found := row.measure.difficulty(measure)) is None:
            refuse("state a number", what=f"{measure:g} {row.measure.of}", rule=cited)
        return found
    of = row.task(task)
    return difficulty_number(scene, of.level) if of.level else row.number + of.plus


@formula(TIME)
def use_rounds(
    scene: Scene, use: str, task: str, circumstances: tuple[str, ...], measure: float, pace: Pace = "usual"
) -> int:
    """How many rounds of work come before the roll; what is a single action takes none besides."""
    span, times = scene[USES].look(use).lasts(task, circumstances, measure)
    return 0 if span is None or span.unit == "action" else task_time(scene, span.plus * times, span.unit, pace)


def check_use(
    scene: Scene,
    who: Person,
    use: str,
    using: str,
    task: str,
    circumstances: tuple[str, ...],
    amounts: Levels,
    measure: float,
    number: int | None,
    hidden_difficulty: int,
    about: str,
    other: Person | None,
    answer: str,
    other_code: Code | None,
    pace: Pace,
) -> None:
    """A difficulty that is known, circumstances within their range, somebody to oppose it, a name for what is kept."""
    row, stated = scene[USES].look(use), hidden_difficulty or number
    ability, opposed = ability_for(scene, who, row, using), other is not None or other_code is not None
    planned = use_plan(scene, use, task, circumstances, amounts, measure, stated, pace, opposed)
    check_skill(scene, who, ability)
    check_situations(scene, who, row.situation)
    check_time(scene, who, A_TASK, planned.rounds)
    check_more_time(scene, who, ability, pace)
    if other is not None:
        reply = answer or best_of(scene, other, row.against)
        check_other(scene, who, other, reply)
        check_seduced(scene, who, other, ability)
        if row.same_skill and ability_name(scene, reply).skill != ability_name(scene, ability).skill:
            refuse("both roll the same skill", what=reply, rule="d6.social.two-way", legal=(ability,))
    elif row.opposed == "must" and (row.against or row.against_code) and other_code is None:
        refuse(f"state the code of {row.against_code}" if row.against_code else "against whom?")
    per_die = scene[PIPS_PER_DIE]
    least = Code() if row.least_code is None else row.least_code
    if other_code is not None and other_code.in_pips(per_die) < least.in_pips(per_die):
        refuse(f"it counts from {least} on", what=str(other_code))
    if row.keeps and not about:
        refuse("say what it is called", what=row.keeps)
    if row.keeps and about in scene.state and not isinstance(scene.state[about], KeptRoll):
        refuse("this name is taken", what=about)


def possible_totals(scene: Scene, who: Who[Any]) -> tuple[int, ...]:
    """What somebody else may have rolled, for odds of those who do not know it."""
    return possible_difficulties(scene)


# --- trying again -----------------------------------------------------------------------------------------------------


def subject_of(about: str, other: Person | None, facing: Who[KeptRoll] | None, task: str) -> str:
    """What a use is about, to tell one failure from another."""
    return about or (other.name if other is not None else facing.name if facing is not None else task)


def helped_by(mods: Mods) -> int:
    """What bonuses come to, in points: enough to tell whether there is a new one."""
    return sum(mod.amount for mod in mods if mod.amount > 0 and mod.unit not in (DIFFICULTY, LIMIT)) - sum(
        mod.amount for mod in mods if mod.unit == DIFFICULTY
    )


@formula(NEW_TRY + "/check", NEW_TRY)
def check_again(
    scene: Scene,
    who: Person,
    use: str,
    using: str,
    task: str,
    circumstances: tuple[str, ...],
    amounts: Levels,
    other: Person | None,
    about: str,
    facing: Who[KeptRoll] | None,
    mods: Mods,
    determined: bool,
) -> None:
    """After a failure that bars another try, conditions must be better: a bonus, a point spent on it, a better code."""
    if determined and not scene[who].points_for_rolls:
        refuse("no Character Point is left", rule="d6.core.character-points")
    row, before = scene[USES].look(use), scene[who].tried(use, subject_of(about, other, facing, task))
    circumstances, amounts = row.said(circumstances, amounts)
    if before is None or not before.barred or determined:
        return
    better = helped_by((*mods, *row.mods(circumstances, amounts, NEW_TRY))) > before.bonus
    ability = ability_for(scene, who, row, using)
    if not better and own_code(scene, who, ability).in_pips(scene[PIPS_PER_DIE]) <= before.pips:
        refuse(
            "it failed before, and nothing has improved", legal=("a new bonus", "a Character Point", "a better code")
        )


# --- the use ----------------------------------------------------------------------------------------------------------


@action(
    "use-skill",
    CHOOSE,
    bands=USED,
    turn=check_worker,
    price=DeclaredAction(),
    check=(check_use, check_again),
    may_be={"hidden_difficulty": possible_difficulties},
    secret=is_hidden_roll,
)
async def use_skill(
    scene: Scene,
    who: Person,
    use: Use,
    using: UsedAbility = "",
    task: Task = "",
    circumstances: Circumstances = (),
    amounts: Amounts = NOTHING_SAID,
    measure: Amount = 1,
    other: Opponent = None,
    answer: Answer = "",
    other_code: OtherCode = None,
    facing: Facing = None,
    about: KeptName = "",
    number: int | None = None,
    hidden_difficulty: Hidden[int] = 0,
    visibility: Visibility = "",
    visibility_dice: VisibilityDice = 0,
    pace: Pace = "usual",
    restricted_by: tuple[str, ...] = (),
    mods: Mods = (),
    other_mods: Mods = (),
    actions: Actions = 1,
    situation: Situation = (),
    setting: SocialSetting = "",
    hidden: Hidden[bool] = False,
    determined: bool = False,
    speech: SocialSpeech = "",
) -> UseResult:
    """Use a skill for something that the book lists; some uses take time, are opposed, or are kept for later."""
    row, tags = scene[USES][use], use_tags(scene, use, situation)
    (circumstances, amounts), ability = row.said(circumstances, amounts), ability_for(scene, who, row, using)
    needed = base_difficulty(scene, use, task, row.goes(measure, circumstances), hidden_difficulty or number)
    known, sight = known_mods(scene, use, circumstances, amounts), (visibility, visibility_dice)
    tried = Tried(subject_of(about, other, facing, task), helped_by((*mods, *known)), about, ability, other)
    after = followed_by(who, use, tried, secret := row.hidden or hidden, bool(hidden_difficulty))
    await prepare(who, ability, use_rounds(scene, use, task, circumstances, measure, pace))
    paid, before = await spend_first(who) if determined else (), failures(scene, who, use, tried)
    mine = (*mods, *known, *paid, *at_once(scene, actions), *seen_by(scene, who, row.sight, *sight))
    mine = (*mine, *own_limits(scene, use, restricted_by), *talked_for(scene, other, speech))
    theirs = (*other_mods, *known_mods(scene, use, circumstances, amounts, other=True))
    if other is not None:
        return await hand_over(
            opposed_roll_of(scene, use, who, ability, other, answer, mine, theirs, sight, setting, tags, pace),
            lambda found: opposed_use(scene, row, found, circumstances, before),
            then=after,
        )
    dice, against = (other_code or Code()).dice, await met(needed, theirs, other_code, facing)
    if row.second_chance:
        return await hand_over(use_with_second_chance(who, use, ability, against, mine, tags, hidden), then=after)
    return await hand_over(
        roll_of_use(who, ability, against, mine, tags, pace, secret),
        lambda test: use_result(row, test, circumstances, before, dice, told=facing is None),
        then=after,
    )


def followed_by(who: Person, use: str, tried: Tried, hidden: bool, announce: bool) -> Callable[[UseResult], Call[None]]:
    """What follows from a use, once its result stands."""
    return lambda found: follow_up(who, use, found, tried, hidden, announce)


@rule(TIME + "/prepare", TIME)
async def prepare(scene: Scene, who: Person, using: str, rounds: int) -> None:
    """A field that was not learned needs leave; then the time passes that it takes."""
    if lacks_field(scene, who, using):
        await try_without_field(who, using)
    await take_time(who, rounds)


@rule(NEW_TRY + "/spend", NEW_TRY, "d6.core.character-points")
async def spend_first(scene: Scene, who: Person) -> Mods:
    """A Character Point spent on another try beforehand: a die more."""
    await alter(who, Hero.spending_on_roll)
    return (Mod(1, "Character Point", NEW_TRY, unit=DICE),)


@rule(CHOOSE + "/second-chance", CHOOSE, "d6.skills.willpower-stamina", "d6.health.willpower-second-chance")
async def use_with_second_chance(
    scene: Scene, who: Person, use: str, using: str, needed: int, mods: Mods, tags: tuple[str, ...], hidden: bool
) -> UseResult:
    """A failure counts as a success if Willpower makes up for it; if it does not, what comes of it counts twice."""
    row, test = scene[USES].look(use), await roll_against(who, using, needed, mods, tags, hidden=hidden)
    if test.success or hidden or not await offer(who, SECOND_CHANCE, YES):
        return use_result(row, test, (), 0, 0)
    harder = needed + scene[SecondChance].harder_by
    second = await roll_against(who, "Willpower", harder, tags=(ANY_ROLL, *row.situation))
    if not second.success:
        return replace(use_result(row, test, (), 0, 0), brings=row.second_chance)
    return use_result(row, replace(test, success=True, margin=0), (), 0, 0)


@rule(CHOOSE + "/met", CHOOSE)
async def met(scene: Scene, needed: int, theirs: Mods, other_code: Code | None, facing: Who[KeptRoll] | None) -> int:
    """What has to be reached: a number, with what was once rolled on top; or what opposes it with a code of its own."""
    if other_code is None:
        return needed + (scene[facing].total if facing is not None else 0)
    rolled = await throw(None, other_code, sum_of(theirs), Itemised(), prompt=OPPOSING)
    return needed + rolled.total


def use_tags(scene: Scene, use: str, situation: tuple[str, ...]) -> tuple[str, ...]:
    """What merits, flaws and effects may care about."""
    row = scene[USES].look(use)
    acts = () if row.no_action else (ACTION,)
    return (*acts, ANY_ROLL, *(("interaction",) if row.social else ()), *row.situation, *situation)


def without_action(tags: tuple[str, ...]) -> tuple[str, ...]:
    """The tags of a roll that is an answer, no action."""
    return tuple(each for each in tags if each != ACTION)


def known_mods(scene: Scene, use: str, circumstances: tuple[str, ...], amounts: Levels, *, other: bool = False) -> Mods:
    return scene[USES].look(use).mods(circumstances, amounts, scene[USES].rule_of(use), other=other)


def own_limits(scene: Scene, use: str, restricted_by: tuple[str, ...]) -> Mods:
    """The skills that a use is limited by, mastered or not."""
    row = scene[USES].look(use)
    return (
        *restricting(scene, (*row.restricted_by, *restricted_by)),
        *capping(row.capped_by, scene[USES].rule_of(use)),
    )


def opposed_roll_of(
    scene: Scene,
    use: str,
    who: Person,
    using: str,
    other: Person,
    answer: str,
    mine: Mods,
    theirs: Mods,
    sight: tuple[str, int],
    setting: Setting,
    tags: tuple[str, ...],
    pace: Pace = "usual",
) -> Call[Contest]:
    """One's own roll against somebody else's, each with what rank, reputation and sight do to it."""
    row = scene[USES].look(use)
    own = (*mine, *social_mods(scene, row, who, other, setting))
    rivals = (
        *theirs,
        *social_mods(scene, row, other, who, setting),
        *seen_by(scene, other, row.sight_of_other, *sight),
    )
    reply = answer or best_of(scene, other, row.against)
    opposing = (who, using, other, reply, own, (*rivals, *harder_for(own)), tags, without_action(tags))
    return contest(*opposing) if pace == "usual" else contest_at(*opposing, pace)


@rule(CHOOSE + "/contest-at", CHOOSE, "d6.tasks.rushing", "d6.tasks.taking-more-time")
async def contest_at(
    scene: Scene,
    who: Person,
    using: str,
    other: Person,
    against: str,
    mods: Mods,
    other_mods: Mods,
    tags: tuple[str, ...],
    other_tags: tuple[str, ...],
    pace: Pace,
) -> Contest:
    """Whoever hurries, or takes longer, rolls as others do; their total then counts half, or twice."""
    theirs = await roll_for(other, against, rolled_mods(other_mods), other_tags)
    mine = await roll_for(who, using, rolled_mods(mods), tags)
    return Contest.of(mine.plus(paced_total(scene, mine.total, pace) - mine.total), theirs)


def roll_of_use(
    who: Person, using: str, needed: int, mods: Mods, tags: tuple[str, ...], pace: Pace, hidden: bool
) -> Call[TestResult]:
    """A roll against a number; at another pace its total counts more or less."""
    if pace == "usual":
        return roll_against(who, using, needed, mods, tags, hidden=hidden)
    about = tuple(each for each in tags if each not in (ACTION, ANY_ROLL))
    return work(who, using, needed, 0, pace, mods, hidden, about)


@frozen
class Tried:
    """What is remembered of a try: what it was about, what helped, what it is called if it is kept."""

    subject: str
    bonus: int
    name: str
    using: str
    other: Person | None = None


def failures(scene: Scene, who: Person, use: str, tried: Tried) -> int:
    before = scene[who].tried(use, tried.subject)
    return 0 if before is None else before.times


def seen_by(scene: Scene, who: Person, matters: bool, visibility: str, dice: int) -> Mods:
    """What bad sight costs whoever has to see."""
    return visibility_mods(scene, who, visibility, dice) if matters else ()


def social_mods(scene: Scene, row: SkillUse, who: Person, other: Person, setting: Setting) -> Mods:
    """What rank and reputation are worth, where people talk to each other."""
    return (*status_mods(scene, who, other, setting), *reputation_mods(scene, who, other)) if row.social else ()


def use_result(
    row: SkillUse, test: TestResult, said: tuple[str, ...], failed: int, dice: int, told: bool = True
) -> UseResult:
    """What a roll against a number brings; what it is rolled against may be a secret."""
    margin = test.margin if test.success else -test.margin
    brings = row.brought(test.total, margin, test.fumble, said, failed, dice)
    luck = (test.fumble, test.critical, test.good_fortune, test.complication)
    worth = row.worth.counts(margin) if row.worth is not None else 0
    return UseResult(test.success, test.margin if told else None, test.total, brings, worth, *luck)


@formula("d6.social.opposed-roll/tie", "d6.social.opposed-roll")
def is_tie(scene: Scene, row: SkillUse, margin: int) -> bool:
    """Where people want something of each other, equal totals settle nothing."""
    return margin == 0 and (row.social or row.two_way)


def opposed_use(scene: Scene, row: SkillUse, found: Contest, said: tuple[str, ...], failed: int) -> UseResult:
    """What a roll against somebody else's brings."""
    tie = is_tie(scene, row, found.margin)
    fumble = is_fumble(scene, found.mine, found.margin)
    brings = "" if tie else row.brought(found.margin, found.margin, fumble, said, failed)
    worth = row.worth.counts(found.margin) if row.worth is not None else 0
    success, critical = found.margin >= 0 and not tie, is_critical(scene, found.margin)
    fortune, complication = found.mine is Luck.FORTUNE, found.mine is Luck.COMPLICATION
    return UseResult(success, abs(found.margin), None, brings, worth, fumble, critical, fortune, complication, tie)


@rule(CHOOSE + "/follow-up", CHOOSE, NEW_TRY)
async def follow_up(
    scene: Scene, who: Person, use: str, found: UseResult, tried: Tried, hidden: bool, announce: bool
) -> None:
    """What a use leaves behind: a total that others roll against, effects, a comment, a failure that is remembered."""
    row, cited = scene[USES].look(use), scene[USES].rule_of(use)
    if row.keeps and found.total is not None:
        kept, unseen = Who(tried.name, KeptRoll), row.unseen and Who(tried.name, KeptRoll) not in scene
        await change(kept, KeptRoll(who.name, row.keeps, found.total), rule=cited, hidden=unseen)
    if hidden and found.brings:
        await tell("comment", who=who, comment=found.brings, about=tried.name or use)
    elif announce and found.total is not None and not hidden:
        await announce_total(who, found.total)
    if row.worth is not None and row.worth.taken and found.worth > 0 and tried.other is not None:
        lost = min(found.worth, scene[tried.other].character_points)
        await alter(tried.other, Hero.spending, lost, rule=cited)
    margin = found.margin or 0
    outcome = row.outcome(found.total or 0, margin if found.success else -margin)
    for effect in outcome.effects if outcome is not None else ():
        await lay(who, effect, source=use, by=cited)
    if found.success:
        if scene[who].tried(use, tried.subject) is not None:
            await alter(who, Hero.succeeding, use, tried.subject, rule=NEW_TRY)
    elif not found.tie and not row.keeps:
        await failed(who, use, tried)


@rule(NEW_TRY)
async def failed(scene: Scene, who: Person, use: str, tried: Tried) -> None:
    """A failure is remembered. Where time presses anyway one may try again; otherwise the game master may forbid it
    until something improves.
    """
    again = fight_of_rounds(scene) is not None or await rule_on(TRY_AGAIN, True, options=YES_NO)
    pips = own_code(scene, who, tried.using).in_pips(scene[PIPS_PER_DIE])
    times = failures(scene, who, use, tried) + 1
    await alter(who, Hero.failing, FailedTry(use, tried.subject, times, not again, pips, tried.bonus))
