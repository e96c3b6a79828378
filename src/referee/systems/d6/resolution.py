"""Resolving actions: difficulties, success and margins, opposed and hidden rolls, fumbles, several actions at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Annotated, Any, Final, Protocol, TypeAlias

from referee.core import (
    DIFFICULTY,
    YES,
    Bands,
    Call,
    Hidden,
    Mod,
    Mods,
    Pick,
    Prompt,
    Refused,
    Scene,
    action,
    alter,
    applying,
    choose,
    figure,
    formula,
    from_book,
    frozen,
    hand_over,
    offer,
    refuse,
    rows,
    rule,
    rule_on,
    suggest,
    tell,
    total,
)
from referee.core.branches import LEFT_OUT, Branch, mapped, unless_left_out
from referee.core.composed import KernelCalls, WeightedEnds
from referee.core.effects import Forbids
from referee.core.plain import Plain, read_fields
from referee.core.questions import OptionCost, Request
from referee.core.rules import Decide, Ends, kernel, outline
from referee.kits.dice_codes import Code, Luck, Rolled
from referee.systems.d6.codes import (
    ALL_ONES,
    HIGH_MARGIN,
    Ability,
    Fumbles,
    ability_name,
    check_ability,
    fumbles,
)
from referee.systems.d6.fields import lacks_field, try_without_field
from referee.systems.d6.rolls import (
    ACTION,
    ANY_ROLL,
    FATE_EFFECT,
    FateEffect,
    Spend,
    audience,
    check_alive,
    is_hidden_roll,
    is_secret_roll,
    roll_code,
    roll_for,
    rolled_for,
    rolled_mods,
)
from referee.systems.d6.sheet import ATTRIBUTES, FATE_POINTS, Hero, Person
from referee.systems.d6.situations import Situation, check_situations
from referee.systems.d6.wounds import EXERTION, PUNCTURED

THRESHOLD: Final = figure("d6.core.high-margin", "threshold", int)
PER_FURTHER_ACTION: Final = figure("d6.core.multiple-actions", "dice_per_further_action", int)
MULTIPLE: Final = "d6.core.multiple-actions"
ORDER: Final = Prompt("order")
NEXT_ROLL: Final = Prompt("next-roll")
ROLL_AGAIN: Final = Prompt("fate-re-roll")


@frozen
class DifficultyLevel:
    """A level of difficulty: its range, and the number it means where only the level is named."""

    name: str
    abbreviation: str
    min: int
    max: int | None
    number: int | None


@frozen
class ModifierKind:
    """A kind of modifier, and the units it is counted in."""

    name: str
    units: tuple[str, ...]
    bonus: str
    penalty: str
    applied: str


LEVELS: Final = rows("d6.core.difficulty-levels", "levels", DifficultyLevel, by=("min", "max"))
MODIFIER_KINDS: Final = rows("d6.core.modifier-types", "kinds", ModifierKind)


# --- results ----------------------------------------------------------------------------------------------------------


@frozen
class TestResult:
    """What a test came to: its total, whether it succeeds, by which margin, and what luck it brought."""

    total: int
    success: bool
    margin: int
    """Of success (0 or more) or of failure (1 or more)."""
    fumble: bool = False
    critical: bool = False
    good_fortune: bool = False
    complication: bool = False


class HasTotal(Protocol):
    """The result of a roll that has a total."""

    @property
    def total(self) -> int: ...


@frozen
class QualityResult:
    """A roll whose total is all there is to it."""

    total: int
    fumble: bool = False
    good_fortune: bool = False
    complication: bool = False


@frozen
class CodeResult:
    """What a code came to: its total and, where there was something to reach, whether it did, and by which margin."""

    total: int
    success: bool | None = None
    margin: int | None = None
    fumble: bool = False
    critical: bool = False
    good_fortune: bool = False
    complication: bool = False


TESTED: Final[Bands[TestResult]] = Bands(
    of=lambda result: "success" if result.success else "failure",
    keys=("success", "failure"),
    extra={"critical": lambda result: result.critical, "good-fortune": lambda result: result.good_fortune},
    bad={"fumble": lambda result: result.fumble, "complication": lambda result: result.complication},
)
CODE: Final[Bands[CodeResult]] = Bands(
    of=lambda result: "rolled" if result.success is None else "success" if result.success else "failure",
    keys=("success", "failure", "rolled"),
    extra={"critical": lambda result: result.critical, "good-fortune": lambda result: result.good_fortune},
    bad={"fumble": lambda result: result.fumble, "complication": lambda result: result.complication},
)


@formula("d6.core.success-test")
def judged(scene: Scene, rolled: Rolled, difficulty: int) -> TestResult:
    """A total that reaches the difficulty succeeds; the margin is the difference."""
    margin = rolled.total - difficulty
    return TestResult(
        rolled.total,
        margin >= 0,
        abs(margin),
        fumble=is_fumble(scene, rolled.luck, margin),
        critical=is_critical(scene, margin),
        good_fortune=rolled.luck is Luck.FORTUNE,
        complication=rolled.luck is Luck.COMPLICATION,
    )


@formula("d6.core.fumble-selection")
@from_book
def is_fumble(scene: Scene, luck: Luck, margin: int = 0) -> bool:
    """Whether a roll is what this campaign calls a fumble; without a difficulty there is no margin to fumble by."""
    if scene[ALL_ONES]:
        return nothing_but_ones(scene, luck)
    if scene[HIGH_MARGIN]:
        return is_far(scene, -margin)
    match fumbles(scene):
        case Fumbles.WILD_1:
            return luck is Luck.COMPLICATION
        case Fumbles.ALL_ONES:
            return luck is Luck.ALL_ONES
        case Fumbles.HIGH_MARGIN:
            return -margin > scene[THRESHOLD]
        case Fumbles.NONE:
            return False


@formula("d6.core.fumble-all-ones")
def nothing_but_ones(scene: Scene, luck: Luck) -> bool:
    """Where this is played, a roll that shows nothing but ones is a fumble."""
    return luck is Luck.ALL_ONES


@formula("d6.core.high-margin")
def is_far(scene: Scene, margin: int) -> bool:
    """Where this is played, whether a margin is high enough for a fumble or a critical success."""
    return margin > scene[THRESHOLD]


@from_book
def is_critical(scene: Scene, margin: int) -> bool:
    """Where margins decide about fumbles, a margin of success that is as high is a critical success."""
    return fumbles(scene) is Fumbles.HIGH_MARGIN and margin > scene[THRESHOLD]


# --- difficulties -----------------------------------------------------------------------------------------------------


@formula("d6.core.difficulty-levels")
def difficulty_number(scene: Scene, level: str, number: int | None = None) -> int:
    """The number of a level: the top of its range, or any other in it. Heroic has no top; it must be stated."""
    row = next((row for row in scene[LEVELS] if row.abbreviation == level), None) or scene[LEVELS][level]
    if number is None and row.number is None:
        refuse(f"state a number of {row.min} or more", what=row.name, rule=LEVELS.rule)
    found = row.number if number is None else number
    if found is None or found < row.min or (row.max is not None and found > row.max):
        refuse(
            f"it is {row.min} to {row.max}" if row.max else f"it is {row.min} or more", what=row.name, rule=LEVELS.rule
        )
    return found


@formula("d6.core.difficulty-levels/level")
def difficulty_level(scene: Scene, number: int) -> str:
    """The level that a number belongs to."""
    return scene[LEVELS].at(max(1, number)).name


def usual_difficulties(scene: Scene, who: Person | None) -> tuple[int, ...]:
    """The numbers of the levels; for the heroic one, its lowest."""
    return tuple(row.number or row.min for row in scene[LEVELS])


def any_difficulty(scene: Scene, who: Person | None, value: int) -> None:
    """A difficulty is any number: circumstances may lower it below the lowest level."""


def possible_difficulties(scene: Scene) -> tuple[int, ...]:
    """For odds against a difficulty that is hidden."""
    return usual_difficulties(scene, None)


Difficulty: TypeAlias = Annotated[int, Pick(usual_difficulties, any_difficulty, named=difficulty_number)]


def difficulty_with(scene: Scene, who: Person, difficulty: int, mods: Mods, *tags: str) -> int:
    """A difficulty raised or lowered by circumstances and by what applies to whoever rolls."""
    found = (*mods, *applying(scene, who, *tags).mods)
    return difficulty + total(mod for mod in found if mod.unit == DIFFICULTY)


# --- who can act ------------------------------------------------------------------------------------------------------


def check_able(scene: Scene, who: Person | None) -> None:
    """Nobody acts who is unconscious, dead, or kept from it in another way; with broken ribs, only who has managed to
    exert themselves in this round.
    """
    check_awake(scene, who)
    if who is not None and scene[who].states:
        check_exertion(scene, who)


def is_kept_from(scene: Scene, who: Person, what: str) -> bool:
    """Whether something that somebody suffers from forbids it."""
    return any(each.effect.does == Forbids(what) for each in applying(scene, who).active)


def check_exertion(scene: Scene, who: Person) -> None:
    """With broken ribs a Stamina roll comes before anything harder than cautious movement."""
    for each in applying(scene, who).active:
        if each.effect.does == Forbids(EXERTION):
            lungs = PUNCTURED in each.source
            rule = "d6.health.punctured-lungs" if lungs else "d6.health.broken-ribs"
            because = f"with {each.source} {who} must pass a Stamina roll first in every round"
            raise Refused("act", because=because, rule=rule, legal=("exert-oneself", "cautious movement"))


def check_awake(scene: Scene, who: Person | None) -> None:
    """Nobody does anything who is unconscious, dead, or kept from acting in another way."""
    if who is not None:
        check_conscious(scene, who)
        applying(scene, who).check_allowed("act")


def check_conscious(scene: Scene, who: Person) -> None:
    """Nobody acts who is unconscious."""
    if (out := scene[who].unconscious) is not None:
        raise Refused("act", because=f"{who} is unconscious ({out.cause})", rule="d6.health.wound-levels")


def check_skilled(scene: Scene, who: Person) -> None:
    """Somebody who is Neutralized can use no skill: not to attack, either."""
    applying(scene, who).check_allowed("skills", rule="d6.health.neutralized", legal=("an attribute",))


def check_skill(scene: Scene, who: Person, using: str) -> None:
    """An attribute may be used by whoever can use no skill."""
    if ability_name(scene, using).skill:
        check_skilled(scene, who)


def check_skill_in(scene: Scene, who: Person, using: str, situation: tuple[str, ...]) -> None:
    """In some situations some can use no skill, or do nothing at all."""
    check_skill(scene, who, using)
    applied = applying(scene, who, *situation)
    applied.check_allowed("act")
    if ability_name(scene, using).skill:
        applied.check_allowed("skills", legal=("an attribute",))


# --- tests ------------------------------------------------------------------------------------------------------------


@formula(MULTIPLE)
def multiple_actions(scene: Scene, actions: int) -> Mods:
    """A die less on each of several actions for every one beyond the first."""
    further = actions - 1
    return (Mod(further * scene[PER_FURTHER_ACTION], f"{actions} actions", MULTIPLE),) if further > 0 else ()


def check_actions(scene: Scene, who: Person | None, actions: int) -> None:
    """At least one thing is done at a time; there is no most."""
    if actions < 1:
        refuse("at least one action", rule=MULTIPLE)


@formula("d6.core.multiple-actions-outside-rounds")
def at_once(scene: Scene, actions: int) -> Mods:
    """The same holds outside of rounds for whatever is done at the same time."""
    return multiple_actions(scene, actions)


Actions: TypeAlias = Annotated[int, Pick(lambda scene, who: (1, 2, 3), check_actions)]


@rule("d6.core.success-test/against", "d6.core.success-test")
async def roll_against(
    scene: Scene,
    who: Person,
    using: str,
    difficulty: int,
    mods: Mods = (),
    tags: tuple[str, ...] = (ACTION, ANY_ROLL),
    spend: Spend = Spend.ALL,
    hidden: bool = False,
) -> TestResult:
    """Roll an ability against a number. For any rule that asks for one."""
    needed = difficulty_with(scene, who, difficulty, mods, *ability_name(scene, using).tags, *tags)
    if scene[FATE_EFFECT] is FateEffect.RE_ROLL:
        return await hand_over(roll_till_fate_fails(who, using, needed, rolled_mods(mods), tags, spend, hidden))
    return await hand_over(
        roll_for(who, using, rolled_mods(mods), tags, spend, hidden),
        read=lambda rolled: judged(scene, rolled, needed),
    )


@rule("d6.setting.fate-effects")
async def roll_till_fate_fails(
    scene: Scene, who: Person, using: str, needed: int, mods: Mods, tags: tuple[str, ...], spend: Spend, hidden: bool
) -> TestResult:
    """A failed roll is made again for a Fate Point, as often as points last."""
    found = judged(scene, await roll_for(who, using, mods, tags, spend, hidden), needed)
    if found.success or hidden or spend not in (Spend.ALL, Spend.FATE) or not await offer_again(scene, who, found):
        return found
    await alter(who, Hero.spending, 0, 1)
    return await hand_over(roll_till_fate_fails(who, using, needed, mods, tags, spend, hidden))


def offer_again(scene: Scene, who: Person, found: Any) -> Request[bool | None]:
    """All dice once more, for a Fate Point, if one is left."""

    def check(_: bool) -> None:
        check_alive(scene, who)
        if not scene[who].fate_points:
            refuse("no Fate Point is left", rule=FATE_POINTS)

    return offer(who, ROLL_AGAIN, YES, check=check, about=found, cost=lambda _: OptionCost(1, "fate_points"))


@kernel(roll_against)
def rolled_against(
    scene: Scene,
    decide: Decide,
    who: Person,
    using: str,
    difficulty: int,
    mods: Mods = (),
    tags: tuple[str, ...] = (ACTION, ANY_ROLL),
    spend: Spend = Spend.ALL,
    hidden: bool = False,
) -> Branch[TestResult] | None:
    if scene[FATE_EFFECT] is FateEffect.RE_ROLL:
        return None
    needed = difficulty_with(scene, who, difficulty, mods, *ability_name(scene, using).tags, *tags)
    found = rolled_for(scene, decide, who, using, rolled_mods(mods), tags, spend, hidden)
    return mapped(found, lambda rolled: judged(scene, rolled, needed))


@outline(
    roll_against,
    keeps={TestResult: ("success", "fumble", "critical", "good_fortune", "complication")},
    changes=True,
)
def against_outline(
    scene: Scene,
    decide: Decide,
    who: Person,
    using: str,
    difficulty: int,
    mods: Mods = (),
    tags: tuple[str, ...] = (ACTION, ANY_ROLL),
    spend: Spend = Spend.ALL,
    hidden: bool = False,
) -> Ends[TestResult] | None:
    """Whether it succeeds, and the luck it brings; the roll is the same for all difficulties of a card."""
    if scene[FATE_EFFECT] is FateEffect.RE_ROLL:
        return None
    needed = difficulty_with(scene, who, difficulty, mods, *ability_name(scene, using).tags, *tags)
    calls, found = KernelCalls.of(decide), WeightedEnds[TestResult]()
    roll, far = roll_for(who, using, rolled_mods(mods), tags, spend, hidden), telling_margin(scene)
    for changes, whole, rolls in calls.groups(roll, scene):
        told = Counter[Any]()
        for rolled, ways in rolls:
            left_out = rolled is LEFT_OUT
            told[LEFT_OUT if left_out else (rolled.luck, max(-far, min(far, rolled.total - needed)))] += ways
        for each, ways in told.items():
            found.add(unless_left_out(each, lambda luck: outlined_test(scene, *luck)), changes, ways, whole)
    return found.ends()


@from_book
def telling_margin(scene: Scene) -> int:
    """The lowest margin, of success or failure, that means as much as any higher one."""
    far = scene[HIGH_MARGIN] or fumbles(scene) is Fumbles.HIGH_MARGIN
    return scene[THRESHOLD] + 1 if far else 1


@from_book
def outlined_test(scene: Scene, luck: Luck, margin: int) -> TestResult:
    """The result of a test as far as cards tell it: neither its total nor its margin."""
    return replace(judged(scene, Rolled(margin, luck), 0), total=0, margin=0)


@rule("d6.core.hidden-difficulty/announce", "d6.core.hidden-difficulty")
async def announce_total(scene: Scene, who: Person, total: int) -> None:
    """Whoever does not know the difficulty still knows what they came to."""
    await tell("announces-total", who=who, total=total, audience=audience(scene, who, hidden=False))


def announced(who: Person, hidden_difficulty: int, hidden: bool = False) -> Callable[[HasTotal], Call[None] | None]:
    """What follows from a roll: where its difficulty is hidden, and it is not, its total is announced."""
    return lambda found: announce_total(who, found.total) if hidden_difficulty and not hidden else None


@action(
    "roll",
    "d6.core.core-resolution",
    "d6.core.success-test",
    "d6.core.hidden-difficulty",
    "d6.core.hidden-roll",
    "d6.core.multiple-actions-outside-rounds",
    bands=TESTED,
    turn=check_able,
    check=check_skill_in,
    may_be={"hidden_difficulty": possible_difficulties},
    secret=is_hidden_roll,
)
async def roll_test(
    scene: Scene,
    who: Person,
    using: Ability,
    difficulty: Difficulty = 15,
    mods: Mods = (),
    actions: Actions = 1,
    hidden_difficulty: Hidden[int] = 0,
    hidden: Hidden[bool] = False,
    situation: Situation = (),
) -> TestResult:
    """Roll an attribute or skill against a difficulty, known or hidden; the whole roll may be hidden too."""
    needed, tags = hidden_difficulty or difficulty, (ACTION, ANY_ROLL, *situation)
    if lacks_field(scene, who, using):
        await try_without_field(who, using)
    return await hand_over(
        roll_against(who, using, needed, (*mods, *at_once(scene, actions)), tags, hidden=hidden),
        then=announced(who, hidden_difficulty, hidden),
    )


@action(
    "quality-roll", "d6.core.roll/quality", "d6.core.roll", turn=check_able, check=check_skill_in, secret=is_secret_roll
)
async def quality_roll(
    scene: Scene, who: Person, using: Ability, mods: Mods = (), actions: Actions = 1, situation: Situation = ()
) -> QualityResult:
    """Roll an attribute or skill whose total itself is the outcome."""
    counted = rolled_mods((*mods, *at_once(scene, actions)))
    return await hand_over(
        roll_for(who, using, counted, (ACTION, ANY_ROLL, *situation)), read=lambda rolled: quality(scene, rolled)
    )


def quality(scene: Scene, rolled: Rolled) -> QualityResult:
    """What a roll without a difficulty came to."""
    fortune, complication = rolled.luck is Luck.FORTUNE, rolled.luck is Luck.COMPLICATION
    return QualityResult(rolled.total, is_fumble(scene, rolled.luck), fortune, complication)


@action(
    "roll-code",
    "d6.core.hidden-difficulty/code",
    "d6.core.hidden-difficulty",
    bands=CODE,
    turn=check_alive,
    may_be={"hidden_difficulty": possible_difficulties},
    secret=is_secret_roll,
)
async def roll_named_code(
    scene: Scene,
    who: Person,
    code: Annotated[Code, suggest(Code(2), Code(3), Code(4))],
    hidden_difficulty: Hidden[int] = 0,
) -> CodeResult:
    """Roll a code the game master names, without being told what it stands for or what, if anything, it must reach."""
    return await hand_over(
        roll_code(who, code, "code"),
        read=lambda rolled: code_result(scene, rolled, hidden_difficulty or None),
        then=announced(who, hidden_difficulty),
    )


@formula("d6.core.success-test/code", "d6.core.success-test")
def code_result(scene: Scene, rolled: Rolled, difficulty: int | None) -> CodeResult:
    """Without a difficulty the total is all there is to it: nothing succeeds, and nothing fails."""
    if difficulty is None:
        found = quality(scene, rolled)
        return CodeResult(found.total, None, None, found.fumble, False, found.good_fortune, found.complication)
    test = judged(scene, rolled, difficulty)
    luck = (test.fumble, test.critical, test.good_fortune, test.complication)
    return CodeResult(test.total, test.success, test.margin, *luck)


@frozen
class Grade:
    """Something to be found, and what a total must reach for it."""

    name: str
    difficulty: int

    @classmethod
    def from_plain(cls, plain: Plain) -> Grade:
        """A number alone is what must be reached."""
        found: Grade = read_fields(cls, {"name": str(plain), "difficulty": plain} if type(plain) is int else plain)
        return found


@frozen
class GradedResult:
    """What a graded roll found."""

    total: int
    found: tuple[str, ...] = ()


GRADED: Final[Bands[GradedResult]] = Bands(
    of=lambda result: "success" if result.found else "failure", keys=("success", "failure")
)


def check_grades(scene: Scene, who: Person, grades: tuple[Grade, ...]) -> None:
    """Something there must be to find."""
    if not grades:
        refuse("the game master says what there is to find", rule="d6.core.hidden-difficulty", legal=("quality-roll",))


@action(
    "graded-roll",
    "d6.core.hidden-difficulty/graded",
    "d6.core.hidden-difficulty",
    bands=GRADED,
    turn=check_able,
    check=(check_skill_in, check_grades),
    secret=is_hidden_roll,
)
async def graded_roll(
    scene: Scene,
    who: Person,
    using: Ability,
    grades: Hidden[tuple[Grade, ...]] = (),
    mods: Mods = (),
    hidden: Hidden[bool] = False,
    situation: Situation = (),
) -> GradedResult:
    """Roll against several hidden difficulties at once: the higher the total, the more is found."""
    tags = (ACTION, ANY_ROLL, *situation)
    harder = difficulty_with(scene, who, 0, mods, *ability_name(scene, using).tags, *tags)
    return await hand_over(
        roll_for(who, using, rolled_mods(mods), tags, hidden=hidden),
        read=lambda rolled: graded(rolled.total, grades, harder),
        then=announced(who, 1, hidden),
    )


def graded(total: int, grades: tuple[Grade, ...], harder: int = 0) -> GradedResult:
    """What a total finds; circumstances may make everything harder to find."""
    return GradedResult(total, tuple(each.name for each in grades if total >= each.difficulty + harder))


# --- several actions --------------------------------------------------------------------------------------------------


@frozen
class PlannedAction:
    """One of several things done at once."""

    using: str
    difficulty: int = 15
    situation: tuple[str, ...] = ()


def usual_plans(scene: Scene, who: Person) -> tuple[tuple[PlannedAction, ...], ...]:
    """Two things at once, to begin with: with one's own skills, or with the first two attributes."""
    known = (*scene[who].skills, *scene[ATTRIBUTES].names)[:2]
    return (tuple(PlannedAction(name) for name in known),)


def check_planned(scene: Scene, who: Person, planned: tuple[PlannedAction, ...]) -> None:
    """At least two things, each done with an ability one has."""
    if len(planned) < 2:
        refuse("name at least two actions", rule=MULTIPLE)
    for each in planned:
        check_ability(scene, who, each.using)
        check_skill_in(scene, who, each.using, each.situation)
        check_situations(scene, who, each.situation)


Planned: TypeAlias = Annotated[tuple[PlannedAction, ...], Pick(usual_plans, check_planned)]


@action("several-actions", "d6.core.order-of-resolution", MULTIPLE, turn=check_able, secret=is_secret_roll)
async def several_actions(
    scene: Scene, who: Person, planned: Planned, in_this_order: bool = False, mods: Mods = ()
) -> tuple[TestResult, ...]:
    """Several things at once, each at a penalty. The player chooses their order, unless the game master has; after each
    the game master may make the next one easier or harder.
    """
    left, results, next_dice = list(planned), list[TestResult](), 0
    penalty = multiple_actions(scene, len(planned))
    while left:
        names = tuple(dict.fromkeys(each.using for each in left))
        using = names[0] if in_this_order else await choose(who, ORDER, names)
        now = next(each for each in left if each.using == using)
        left.remove(now)
        ruled = (Mod(next_dice, "what came before", "d6.core.order-of-resolution"),) if next_dice else ()
        tags = (ACTION, ANY_ROLL, *now.situation)
        results.append(await roll_against(who, now.using, now.difficulty, (*mods, *penalty, *ruled), tags))
        next_dice = await rule_on(NEXT_ROLL, 0) if left else 0
    return tuple(results)


def anyone(scene: Scene, who: None) -> tuple[Person, ...]:
    return tuple(scene.all(Hero))


# --- the game master --------------------------------------------------------------------------------------------------


@action("overrule", "d6.intro.gm-final-authority", "d6.intro.roll-visibility", master=True)
async def overrule(
    scene: Scene,
    who: Annotated[Person, Pick(anyone)],
    total: Annotated[int, suggest(5, 10, 15, 20, 30)],
    difficulty: int | None = None,
) -> CodeResult:
    """A roll of somebody counts as whatever the game master says."""
    await tell("overruled", who=who, total=total)
    return code_result(scene, Rolled(total), difficulty)
