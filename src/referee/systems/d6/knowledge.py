"""Knowledge: what one remembers, thinks out or looks up, what one was taught about it, and languages."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Final, TypeAlias

from referee.core import (
    TOTAL,
    Active,
    Effect,
    Hidden,
    Mod,
    Mods,
    Pick,
    Scene,
    action,
    alter,
    applying,
    figure,
    figures,
    formula,
    frozen,
    hand_over,
    lay,
    refuse,
    rows,
    rule,
    suggest,
)
from referee.core.effects import EFFECTS, NONE, Extra, use
from referee.kits.dice_codes import Code
from referee.kits.wounds import TimeSpan
from referee.systems.d6.codes import ability_name, check_ability, own_code
from referee.systems.d6.combat.round import DeclaredAction
from referee.systems.d6.fields import fields_known, lacks_field, try_without_field, with_field
from referee.systems.d6.resolution import (
    TESTED,
    Difficulty,
    TestResult,
    announce_total,
    check_able,
    check_awake,
    check_skill,
    check_skilled,
    difficulty_level,
    difficulty_with,
    judged,
    possible_difficulties,
    roll_against,
)
from referee.systems.d6.rolls import ANY_ROLL, felt, is_hidden_roll, roll_code, rolled_mods
from referee.systems.d6.sheet import PIPS_PER_DIE, FailedTry, Hero, Person, others
from referee.systems.d6.skill_names import FIELD
from referee.systems.d6.skills import CATALOGUE_OF_SKILLS, entry_of
from referee.systems.d6.time import rounds_of
from referee.systems.d6.work import A_TASK, check_time, check_worker, take_time

KNOWLEDGE: Final = "d6.skills.knowledge-rolls"
LEGWORK: Final = "d6.skills.legwork"
BRIEFING: Final = "d6.skills.teaching-briefing"
CULTURE: Final = figure("d6.skills.culture", "skill", str)
RECALL: Final = "recall"
LEGWORK_SKILL: Final = "Legwork"
BRIEFED: Final = "briefed in "


@figures(LEGWORK)
class Searching:
    """How long a search in libraries and archives takes, and how much harder each further one on the same is."""

    time: TimeSpan
    harder_each_time: int


@figures(BRIEFING)
class Briefing:
    """How long it takes to give a die of what one knows."""

    basic: TimeSpan
    specialization: TimeSpan
    advanced: TimeSpan


@figures("d6.skills.languages")
class NativeTongue:
    """How well somebody speaks their own language: at least so many dice, or so many more than Knowledge."""

    native_dice: int
    native_more: int


@frozen
class KnowledgeLevel:
    """How hard it is to know something, by how many people do."""

    name: str
    means: str


KNOWN_BY: Final = rows(KNOWLEDGE, "difficulties", KnowledgeLevel)


@formula(KNOWLEDGE + "/means", KNOWLEDGE)
def who_knows(scene: Scene, difficulty: int) -> str:
    """Who knows something of such a difficulty."""
    return scene[KNOWN_BY][difficulty_level(scene, difficulty)].means


# --- remembering ------------------------------------------------------------------------------------------------------


def knowledge_skills(scene: Scene, who: Person) -> tuple[str, ...]:
    """Skills of knowledge, and the fields of them that somebody has; any other ability may serve as well."""
    listed = [row.name for row in scene[CATALOGUE_OF_SKILLS] if row.knowledge is not None or row.name == scene[CULTURE]]
    own = (each for each in scene[who].specializations if each.partition(FIELD)[0] in listed)
    lasting = (each.source for each in scene.get(EFFECTS, NONE).lasting if each.on == who.name)
    told = (each.removeprefix(BRIEFED) for each in lasting if each.startswith(BRIEFED))
    return tuple(dict.fromkeys((*listed, *own, *told)))


def check_knows(scene: Scene, who: Person, using: str) -> None:
    """What somebody is able to do; or what they were told about, were it an advanced skill."""
    if not briefings(scene, who, using):
        check_ability(scene, who, using)
    check_skill(scene, who, using)


def check_teaches(scene: Scene, who: Person, using: str) -> None:
    check_ability(scene, who, using)
    check_skill(scene, who, using)


def thinking_time(scene: Scene, using: str) -> int:
    """How many rounds somebody thinks before the second roll."""
    entry = entry_of(scene, using)
    span = None if entry is None else entry.knowledge
    return 0 if span is None else rounds_of(scene, span.plus, span.unit)


def rounds_to_think(scene: Scene, who: Person, using: str, about: str) -> int:
    """The first roll is free; before any other one thinks about it."""
    return 0 if scene[who].tried(RECALL, about) is None else thinking_time(scene, using)


@formula(KNOWLEDGE + "/check", KNOWLEDGE, "d6.skills.culture")
def check_recall(scene: Scene, who: Person, using: str, about: str) -> None:
    """From memory, then after some thought, then only once it was looked up; general culture is there or is not."""
    if not about:
        refuse("say what it is about")
    before = scene[who].tried(RECALL, about)
    if before is None:
        return
    if ability_name(scene, using).skill == scene[CULTURE]:
        refuse(
            "what general culture does not know at once it does not know", rule="d6.skills.culture", legal=(LEGWORK,)
        )
    if before.times > 1 and not before.ready:
        refuse("it has to be looked up first", rule=LEGWORK, legal=("legwork",))
    check_time(scene, who, A_TASK, rounds_to_think(scene, who, using, about))


KnowledgeSkill: TypeAlias = Annotated[str, Pick(knowledge_skills, check_knows)]


@action(
    "recall",
    KNOWLEDGE,
    "d6.skills.culture",
    bands=TESTED,
    turn=check_awake,
    check=check_recall,
    may_be={"hidden_difficulty": possible_difficulties},
    secret=is_hidden_roll,
)
async def recall(
    scene: Scene,
    who: Person,
    using: KnowledgeSkill,
    about: Annotated[str, suggest("something")],
    difficulty: Difficulty = 15,
    hidden_difficulty: Hidden[int] = 0,
    mods: Mods = (),
    hidden: Hidden[bool] = False,
) -> TestResult:
    """Remember something: at once and free, or after some thought, or once it was looked up. It is no action."""
    if lacks_field(scene, who, using) and not briefings(scene, who, using):
        await try_without_field(who, using)
    await take_time(who, rounds_to_think(scene, who, using, about))
    needed = hidden_difficulty or difficulty
    return await hand_over(
        roll_knowledge(who, using, needed, mods, hidden),
        then=lambda found: remembered(who, about, found, bool(hidden_difficulty) and not hidden),
    )


def briefed(using: str) -> str:
    return BRIEFED + using


def briefings(scene: Scene, who: Person, using: str) -> dict[Active, int]:
    """What somebody was told about a subject, with its dice, the best first: one does not add to another."""
    given = ((each, each.effect.does) for each in applying(scene, who, briefed(using)).active)
    told = {each: does.times for each, does in given if isinstance(does, Extra) and does.of == briefed(using)}
    return dict(sorted(told.items(), key=lambda item: item[1], reverse=True))


@rule(KNOWLEDGE + "/roll", KNOWLEDGE, BRIEFING)
async def roll_knowledge(
    scene: Scene, who: Person, using: str, difficulty: int, mods: Mods, hidden: bool
) -> TestResult:
    """With one's own code or, a few times after a briefing, with the dice the teacher gave, if these are more."""
    told, able = briefings(scene, who, using), knows_by_itself(scene, who, using)
    dice = Code(max(told.values(), default=0))
    per_die = scene[PIPS_PER_DIE]
    if able and dice.in_pips(per_die) <= own_code(scene, who, using).in_pips(per_die):
        return await hand_over(roll_against(who, using, difficulty, mods, (ANY_ROLL,), hidden=hidden))
    await use(replace(applying(scene, who, briefed(using)), active=tuple(told)[:1]))
    needed = difficulty_with(scene, who, difficulty, mods, ANY_ROLL)
    applied = rolled_mods((*mods, *felt(scene, who, ANY_ROLL).mods))
    return await hand_over(
        roll_code(who, dice, briefed(using), applied, hidden=hidden), read=lambda rolled: judged(scene, rolled, needed)
    )


def knows_by_itself(scene: Scene, who: Person, using: str) -> bool:
    """Whether somebody could try without a briefing: an advanced skill has to be learned."""
    named = ability_name(scene, using)
    return not named.advanced or bool({named.key, named.skill} & {*scene[who].advanced_skills})


@rule(KNOWLEDGE + "/remembered", KNOWLEDGE)
async def remembered(scene: Scene, who: Person, about: str, found: TestResult, announce: bool) -> None:
    """What one could not remember has to be thought about, and then looked up."""
    if announce:
        await announce_total(who, found.total)
    before = scene[who].tried(RECALL, about)
    if not found.success:
        failed = FailedTry(RECALL, about, 1) if before is None else replace(before, times=before.times + 1, ready=False)
        await alter(who, Hero.failing, failed)
    elif before is not None:
        await alter(who, Hero.succeeding, RECALL, about)


# --- looking up -------------------------------------------------------------------------------------------------------


def sought(scene: Scene, who: Person) -> tuple[str, ...]:
    """What somebody could not remember."""
    return tuple(each.about for each in scene[who].failed if each.use == RECALL)


def any_subject(scene: Scene, who: Person, about: str) -> None:
    if not about:
        refuse("say what it is about")


@formula(LEGWORK + "/harder", LEGWORK)
def further_searches(scene: Scene, who: Person, about: str, harder: bool) -> Mods:
    """Each roll on the same information is harder than the one before, if the game master says so."""
    before = scene[who].tried(RECALL, about)
    searches = before.searches if before is not None and harder else 0
    more = searches * scene[Searching].harder_each_time
    return (Mod(more, f"search {searches + 1}", LEGWORK, unit="difficulty"),) if more else ()


def check_search(scene: Scene, who: Person) -> None:
    check_skilled(scene, who)
    check_time(scene, who, A_TASK, searching_time(scene))


def searching_time(scene: Scene) -> int:
    return rounds_of(scene, scene[Searching].time.plus, scene[Searching].time.unit)


SearchSkill: TypeAlias = Annotated[
    str, Pick(lambda scene, who: fields_known(scene, who, LEGWORK_SKILL), check_ability, seldom=True)
]


@action(
    "legwork",
    LEGWORK,
    bands=TESTED,
    turn=check_worker,
    price=DeclaredAction(),
    check=check_search,
    may_be={"hidden_difficulty": possible_difficulties},
    secret=is_hidden_roll,
)
async def legwork(
    scene: Scene,
    who: Person,
    about: Annotated[str, Pick(sought, any_subject)],
    difficulty: Difficulty = 15,
    hidden_difficulty: Hidden[int] = 0,
    added_up: bool = False,
    harder_each_time: bool = False,
    mods: Mods = (),
    hidden: Hidden[bool] = False,
    using: SearchSkill = LEGWORK_SKILL,
) -> TestResult:
    """Look something up for an hour. The game master may add up the totals of several searches, or make each harder."""
    before = scene[who].tried(RECALL, about)
    known = before.found if before is not None and added_up else 0
    so_far = (Mod(known, "found so far", LEGWORK, unit=TOTAL),) if known else ()
    await take_time(who, searching_time(scene))
    needed, harder = hidden_difficulty or difficulty, further_searches(scene, who, about, harder_each_time)
    return await hand_over(
        roll_against(who, using, needed, (*mods, *so_far, *harder), hidden=hidden),
        then=lambda found: looked_up(who, about, found, bool(hidden_difficulty) and not hidden),
    )


@rule(LEGWORK + "/found", LEGWORK)
async def looked_up(scene: Scene, who: Person, about: str, found: TestResult, announce: bool) -> None:
    """Whoever has found enough may think about it once more."""
    if announce:
        await announce_total(who, found.total)
    before = scene[who].tried(RECALL, about) or FailedTry(RECALL, about, 2)
    searched = replace(before, searches=before.searches + 1, found=found.total, ready=before.ready or found.success)
    await alter(who, Hero.failing, searched)


# --- briefings --------------------------------------------------------------------------------------------------------


def subjects_to_teach(scene: Scene, who: Person) -> tuple[str, ...]:
    sheet = scene[who]
    return (*sheet.skills, *sheet.specializations, *sheet.advanced_skills)


def check_dice_given(scene: Scene, who: Person, dice: int, using: str) -> None:
    """A teacher gives no more than they have."""
    most = own_code(scene, who, using).dice
    if not 1 <= dice <= most:
        refuse(f"{who} has {most} dice of it", what=using, rule=BRIEFING, legal=tuple(map(str, range(1, most + 1))))


@formula(BRIEFING + "/time", BRIEFING)
def briefing_time(scene: Scene, using: str, dice: int) -> int:
    """How many rounds a briefing takes: by the kind of skill, for each die that is given."""
    named, of = ability_name(scene, using), scene[Briefing]
    span = of.advanced if named.advanced else of.specialization if named.field else of.basic
    return rounds_of(scene, span.plus * dice, span.unit)


def check_students(scene: Scene, who: Person, using: str, dice: int, students: tuple[Person, ...]) -> None:
    if not students:
        refuse("somebody has to listen")
    check_time(scene, who, A_TASK, briefing_time(scene, using, dice))


@action("brief", BRIEFING, turn=check_able, check=check_students)
async def brief(
    scene: Scene,
    who: Person,
    using: Annotated[str, Pick(subjects_to_teach, check_teaches)],
    dice: Annotated[
        int, Pick(lambda scene, who, using: range(1, own_code(scene, who, using).dice + 1), check_dice_given)
    ],
    students: tuple[Annotated[Person, Pick(others)], ...],
) -> int:
    """Teach others about one of one's skills: a few times they may roll what they know of it with these dice."""
    times = own_code(scene, who, with_field(scene, who, "Teaching", using)).dice
    await take_time(who, briefing_time(scene, using, dice))
    for each in students:
        learned = Effect(Extra(briefed(using), dice), frozenset({briefed(using)}), uses=times)
        await lay(each, learned, source=briefed(using), by=BRIEFING)
    return times


# --- languages --------------------------------------------------------------------------------------------------------


@formula("d6.skills.languages")
def native_code(scene: Scene, who: Person) -> Code:
    """How well somebody speaks their own language."""
    of, knows = scene[NativeTongue], own_code(scene, who, "Knowledge")
    return max(Code(of.native_dice), knows + Code(of.native_more), key=lambda code: code.in_pips(scene[PIPS_PER_DIE]))


@formula("d6.skills.languages/roll", "d6.skills.languages")
def needs_language_roll(scene: Scene, who: Person, language: str) -> bool:
    """Whether ordinary talk in a foreign language takes a roll: not for those who have mastered it."""
    mastered = Code(scene[NativeTongue].native_dice).in_pips(scene[PIPS_PER_DIE])
    return own_code(scene, who, f"Languages{FIELD}{language}").in_pips(scene[PIPS_PER_DIE]) < mastered
