"""Skills in general: what they are called, which there are, who may use them, and several of them at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Annotated, Any, Final, Literal, TypeAlias

from referee.core import (
    Bands,
    Mods,
    Scene,
    action,
    figure,
    formula,
    frozen,
    hand_over,
    rows,
    rule,
)
from referee.core.branches import LEFT_OUT, Changed, unless_left_out
from referee.core.composed import KernelCalls, WeightedEnds, after_all, joined
from referee.core.rules import Decide, Ends, outline
from referee.kits.dice_codes import Code, Stat
from referee.kits.wounds import TimeSpan
from referee.systems.d6.codes import ability_name, mean, own_code
from referee.systems.d6.combat.round import DeclaredAction
from referee.systems.d6.creation.skills import fits
from referee.systems.d6.fields import lacks_field, try_without_field
from referee.systems.d6.resolution import (
    Difficulty,
    Planned,
    PlannedAction,
    TestResult,
    difficulty_with,
    judged,
    roll_against,
)
from referee.systems.d6.restriction import capping, restricting
from referee.systems.d6.rolls import (
    ACTION,
    ANY_ROLL,
    FATE_EFFECT,
    FateEffect,
    felt,
    is_secret_roll,
    roll_code,
    roll_for,
    rolled_mods,
)
from referee.systems.d6.sheet import PIPS_PER_DIE, SKILLS, Person, SkillRow
from referee.systems.d6.skill_names import ADVANCED, FIELD
from referee.systems.d6.work import check_worker

SEVERAL: Final = "d6.skills.several-skills"
PREREQUISITES: Final = "d6.skills.advanced-prerequisites"


@frozen
class SkillEntry:
    """A skill as its list describes it: the chapters it belongs to, how long it takes, what it is for."""

    name: str
    categories: tuple[str, ...] = ()
    time: str = ""
    knowledge: TimeSpan | None = None
    """How long one thinks about it before one tries to remember again."""
    use: str = ""
    rule: str = ""
    """The rule that describes it."""


@frozen
class TrainingLevel:
    """What a code is called, and how many people have one of them."""

    name: str
    rarity: int = 0


@frozen
class MinimumRow:
    """How good one usually has to be before one learns an advanced skill."""

    name: str
    least: Stat | None = None
    says: str = ""


@frozen
class NamedSkill:
    """A skill of a list."""

    name: str


@frozen
class SeveralMethod:
    """How several skills make one action."""

    name: str
    rolls: Literal["one", "several"]
    sums: bool = False
    code: Literal["", "average", "lowest", "lowest unless mastered"] = ""
    says: str = ""


_LISTS: Final = ("coordination", "strength", "perception", "charisma", "knowledge", "technical")
CATALOGUE_OF_SKILLS: Final = rows(
    "d6.skills.catalogue-agility",
    "skills",
    SkillEntry,
    also=tuple(f"d6.skills.catalogue-{each}/skills" for each in _LISTS),
    cites="rule",
)
LEVEL_NAMES: Final = rows("d6.skills.level-names", "levels", TrainingLevel, by=("from", "to"))
MINIMA: Final = rows("d6.skills.advanced-prerequisite-minima", "minima", MinimumRow)
REACTIONS: Final = rows("d6.skills.reaction", "skills", NamedSkill)
METHODS: Final = rows(SEVERAL, "methods", SeveralMethod)
SHARED: Final = figure("d6.skills.advanced-shared-or-independent", "shared", tuple[str, ...])
NO_CODE: Final = Code()
PIPS_EVADING: Final = figure("d6.skills.sensors-evasion", "pips_for_each_die", int)
LEAST: Final = figure(PREREQUISITES, "least", Stat)


# --- what skills are --------------------------------------------------------------------------------------------------


def entry_of(scene: Scene, using: str) -> SkillEntry | None:
    """What its list says of a skill."""
    named = ability_name(scene, using)
    family = named.skill.partition(" <")[0]
    found = (name for name in scene[CATALOGUE_OF_SKILLS].names if name in (named.skill, family))
    listed = next(found, None) or next(
        (name for name in scene[CATALOGUE_OF_SKILLS].names if family and name.partition(" <")[0] == family), None
    )
    return None if listed is None else scene[CATALOGUE_OF_SKILLS][listed]


@formula("d6.skills.level-names")
def level_name(scene: Scene, code: Code) -> str:
    """What a code is called, by its whole dice; anything above 8D is unmatched."""
    above = code.pips > 0 and scene[LEVEL_NAMES].at(code.dice + 1).rarity > scene[LEVEL_NAMES].at(code.dice).rarity > 0
    is_last = above and scene[LEVEL_NAMES].at(code.dice + 1).name == scene[LEVEL_NAMES].names[-1]
    return scene[LEVEL_NAMES].at(code.dice + 1 if is_last else code.dice).name


@formula("d6.skills.reaction")
def is_reaction(scene: Scene, using: str) -> bool:
    """Whether a skill may be used in answer to an attack; it is an action more from then on."""
    named = ability_name(scene, using).skill
    found = next((name for name in scene[REACTIONS].names if named.startswith(name.partition(" <")[0])), None)
    return found is not None and bool(scene[REACTIONS][found].name)


@formula("d6.skills.missile-weapons")
def missile_skill(scene: Scene, who: Person, kind: str) -> str:
    """With what somebody shoots a bow or a sling: the skill for its kind, or a field of the one for all of them."""
    names = (f"Missile weapons <{kind}>", f"Missile weapons{FIELD}{kind}")
    return max(names, key=lambda each: own_code(scene, who, each).in_pips(scene[PIPS_PER_DIE]))


# --- advanced skills --------------------------------------------------------------------------------------------------


def row_of(scene: Scene, advanced: str) -> SkillRow:
    """The row of an advanced skill, which may be of one kind."""
    family = ability_name(scene, advanced).skill.partition(" <")[0]
    return next(row for row in scene[SKILLS] if row.advanced and row.name.partition(" <")[0] == family)


@formula(PREREQUISITES)
def prerequisites_met(scene: Scene, who: Person, advanced: str) -> tuple[str, ...]:
    """The skills of somebody that an advanced skill builds on: good enough, and better than their attribute."""
    row, kind = row_of(scene, advanced), advanced.partition("<")[2].partition(">")[0]
    if row.needs_merit:
        return tuple(each.name for each in scene[who].merits if each.name == row.needs_merit)
    sheet, least = scene[who], scene[LEAST].code.in_pips(scene[PIPS_PER_DIE])
    known = {**sheet.skills, **sheet.specializations}
    return tuple(
        name
        for name, code in known.items()
        if code.code.in_pips(scene[PIPS_PER_DIE]) >= least
        and is_developed(scene, who, name)
        and any(fits(name, need, kind) for need in row.needs)
    )


def is_developed(scene: Scene, who: Person, using: str) -> bool:
    """Whether somebody is better at a skill than at its attribute."""
    attribute = own_code(scene, who, ability_name(scene, using).attribute)
    return own_code(scene, who, using).in_pips(scene[PIPS_PER_DIE]) > attribute.in_pips(scene[PIPS_PER_DIE])


@formula("d6.skills.advanced-shared-or-independent")
def serves(scene: Scene, who: Person, advanced: str, using: str) -> bool:
    """Whether an advanced skill counts with another skill: one for all of them that qualify, or one for each kind."""
    own_code(scene, who, advanced)
    if using not in prerequisites_met(scene, who, advanced):
        return False
    return ability_name(scene, advanced).skill in scene[SHARED] or advanced.partition("<")[2].partition(">")[0] in using


@formula("d6.skills.advanced-prerequisite-minima")
def usual_minimum(scene: Scene, kind: str) -> Stat | None:
    """How good one has to be, where a game master designs an advanced skill; none if it is simply possessed."""
    return scene[MINIMA][kind].least


@formula("d6.skills.design")
def designs(scene: Scene, who: Person, category: str) -> bool:
    """Whether somebody can design equipment of a category: with one skill for all that they build well enough."""
    return serves(scene, who, f"Design{ADVANCED}", f"Built and Repair{FIELD}{category}")


# --- specializations --------------------------------------------------------------------------------------------------


@formula("d6.skills.specialization-basic-growth")
def is_outgrown(scene: Scene, who: Person, specialization: str) -> bool:
    """Whether a basic skill has risen to a specialization, which did not rise with it and is dropped."""
    sheet, skill = scene[who], ability_name(scene, specialization).skill
    per_die = scene[PIPS_PER_DIE]
    return own_code(scene, who, skill).in_pips(per_die) >= sheet.specializations[specialization].code.in_pips(per_die)


@formula("d6.skills.specialization-attribute-growth")
def with_attribute(scene: Scene, who: Person, specialization: str, pips: int) -> Stat:
    """A specialization whose attribute has risen by so many pips: it rises as much."""
    per_die = scene[PIPS_PER_DIE]
    return Stat.of(Code(0, own_code(scene, who, specialization).in_pips(per_die) + pips), per_die)


# --- sensors ----------------------------------------------------------------------------------------------------------


@formula("d6.skills.sensors-evasion")
def evading_signature(
    scene: Scene, signature: Code, moving: Code, cloak: Code = NO_CODE, scrambler: Code = NO_CODE
) -> Code:
    """What a vehicle that evades sensors is sensed against: its signature, better for each die of whoever steers it."""
    return signature + Code(0, moving.dice * scene[PIPS_EVADING]) + cloak + scrambler


MORSE_AT: Final = figure("d6.skills.communications", "morse_at", int)


@formula("d6.skills.communications")
def knows_morse(scene: Scene, who: Person) -> bool:
    """Whether somebody is good enough with communications to know Morse, or what takes its place."""
    return own_code(scene, who, "Communications").dice >= scene[MORSE_AT]


# --- several skills ---------------------------------------------------------------------------------------------------


@frozen
class SeveralResult:
    """What an action of several skills came to: of several rolls the margins together, of one its own."""

    success: bool
    margin: int
    tests: tuple[TestResult, ...] = ()

    def with_test(self, test: TestResult, sums: bool) -> SeveralResult:
        """What it is with one more test, as far as cards tell it: of a test whether it was a fumble."""
        together = self.margin + signed(test)
        success = together >= 0 if sums else self.success and test.success
        fumble = TestResult(0, False, 0, fumble=test.fumble)
        return SeveralResult(success, together if sums else 0, (*self.tests, fumble))


SEVERAL_DONE: Final[Bands[SeveralResult]] = Bands(
    of=lambda found: "success" if found.success else "failure",
    keys=("success", "failure"),
    bad={"fumble": lambda found: any(each.fumble for each in found.tests)},
)
Method: TypeAlias = Annotated[str, METHODS]


@action("several-skills", SEVERAL, bands=SEVERAL_DONE, turn=check_worker, price=DeclaredAction(), secret=is_secret_roll)
async def several_skills(
    scene: Scene, who: Person, planned: Planned, method: Method, difficulty: Difficulty = 15, mods: Mods = ()
) -> SeveralResult:
    """One action that takes several skills: several rolls that must all succeed or whose margins add up, or one roll
    with their mean or their lowest code. However it is rolled, it is a single action.
    """
    how = scene[METHODS][method]
    for each in planned:
        if lacks_field(scene, who, each.using):
            await try_without_field(who, each.using)
    if how.rolls == "one":
        test = await roll_of_several(who, tuple(each.using for each in planned), how.code, difficulty, mods)
        return SeveralResult(test.success, signed(test), (test,))
    return await hand_over(several_rolls(who, planned, how.sums, mods))


@rule(SEVERAL + "/rolls", SEVERAL)
async def several_rolls(
    scene: Scene, who: Person, planned: tuple[PlannedAction, ...], sums: bool, mods: Mods
) -> SeveralResult:
    """Each skill against its own difficulty; all have to succeed, or their margins are added up."""
    found: tuple[TestResult, ...] = ()
    for each in planned:
        tags = (ACTION, ANY_ROLL, *each.situation)
        found = (*found, await roll_against(who, each.using, each.difficulty, mods, tags))
    together = sum(map(signed, found))
    return SeveralResult(together >= 0 if sums else all(each.success for each in found), together, found)


@outline(several_rolls, keeps={SeveralResult: ("success", "tests"), TestResult: ("fumble",)})
def several_outline(
    scene: Scene, decide: Decide, who: Person, planned: tuple[PlannedAction, ...], sums: bool, mods: Mods
) -> Ends[SeveralResult] | None:
    """Whether they succeed together, and which of them are fumbles: of all margins so far only the sum matters."""
    if scene[FATE_EFFECT] is FateEffect.RE_ROLL:
        return None
    calls, found = KernelCalls.of(decide), WeightedEnds[SeveralResult]()
    so_far: list[tuple[Changed, int, Counter[Any]]] = [((), 1, Counter({SeveralResult(True, 0): 1}))]
    for each in planned:
        so_far = [step for ends in so_far for step in with_test(calls, scene, who, each, sums, mods, *ends)]
    for changes, whole, tested in so_far:
        found.add_all(tested.items(), changes, 1, whole)
    return found.ends()


def with_test(
    calls: KernelCalls,
    scene: Scene,
    who: Person,
    planned: PlannedAction,
    sums: bool,
    mods: Mods,
    changes: Changed,
    whole: int,
    before: Counter[Any],
) -> Iterator[tuple[Changed, int, Counter[Any]]]:
    """What one more test makes of what the others came to."""
    now, tags = after_all(scene, changes), (ACTION, ANY_ROLL, *planned.situation)
    needed = difficulty_with(now, who, planned.difficulty, mods, *ability_name(now, planned.using).tags, *tags)
    for more, of, rolls in calls.groups(roll_for(who, planned.using, rolled_mods(mods), tags), now):
        told, found = Counter[Any](), Counter[Any]()
        for rolled, ways in rolls:
            told[unless_left_out(rolled, lambda each: judged(now, each, needed))] += ways
        for test, ways in told.items():
            for so_far, times in before.items():
                left_out = LEFT_OUT in (test, so_far)
                found[LEFT_OUT if left_out else so_far.with_test(test, sums)] += ways * times
        yield joined(changes, more), whole * of, found


def signed(test: TestResult) -> int:
    """The margin of a test, below 0 for a failure."""
    return test.margin if test.success else -test.margin


@rule(SEVERAL + "/one-roll", SEVERAL)
async def roll_of_several(
    scene: Scene, who: Person, using: tuple[str, ...], code: str, difficulty: int, mods: Mods
) -> TestResult:
    """One roll for several skills: with the mean of their codes, or with the lowest of them."""
    first, *more = using
    if code != "average":
        limiting = capping(more, SEVERAL) if code == "lowest" else restricting(scene, more)
        return await hand_over(roll_against(who, first, difficulty, (*mods, *limiting)))
    found = mean(scene, tuple(own_code(scene, who, each) for each in using)).code
    applied = (*mods, *felt(scene, who, ACTION, ANY_ROLL).mods)
    needed = difficulty_with(scene, who, difficulty, mods, ACTION, ANY_ROLL)
    return await hand_over(
        roll_code(who, found, "average", rolled_mods(applied)), read=lambda rolled: judged(scene, rolled, needed)
    )
