"""Domination: words that break somebody down, and fear after a coup de grace."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Final

from referee.core import (
    YES,
    Mod,
    Mods,
    Pick,
    Prompt,
    Scene,
    action,
    alter,
    applying,
    choose,
    figure,
    figures,
    hand_over,
    offer,
    option,
    refuse,
    rule,
    rule_on,
)
from referee.kits import year_zero
from referee.systems.yearzero.activities import (
    Route,
    in_combat,
    lay_for,
    quarter_days,
)
from referee.systems.yearzero.animals import check_moved
from referee.systems.yearzero.effects import (
    OUTCOME,
    WHOM,
    EffectRow,
    Outcome,
    aiming,
    effect_table,
    effects_of,
    reached,
)
from referee.systems.yearzero.harm import check_able, is_helpless, stressed
from referee.systems.yearzero.influence import Several, answer_with_insight, outcome, words_against
from referee.systems.yearzero.insight import MEDITATION_ROWS, MEDITATIONS, MINDFUL
from referee.systems.yearzero.panic import add_stress, check_panic, hurt
from referee.systems.yearzero.rolls import (
    NO_ACTION,
    Attempt,
    RolledPool,
    conclude,
    pay_later,
    roll_dice,
    roll_skill,
)
from referee.systems.yearzero.scholar import Language, foreign, social_tags, spoken
from referee.systems.yearzero.sheet import EMPATHY, WITS, Helpers, Person
from referee.systems.yearzero.skills import AwakeOther, Gear

DOMINATION: Final = "yearzero.influence.domination"
DOMINATIONS: Final = effect_table(DOMINATION, "Influence")


DOMINATOR: Final = figure(DOMINATION, "specialty", str)
IN_COMBAT: Final = figure(DOMINATION, "in_combat", bool)
OPPOSED_BY: Final = figure(DOMINATION, "opposed_by", str)
COUP_DONE: Final = Prompt("coup-de-grace")
SHIELD: Final = Prompt("shield-the-mind")
FEAR: Final = "fear attack"
ARMOR: Final = "Insight as armor"


def check_words_only(scene: Scene, who: Person) -> None:
    """Domination is for words, not for fights."""
    if in_combat(scene) and not scene[IN_COMBAT]:
        refuse("domination cannot be used in combat", rule=DOMINATION)


def domination_effects(scene: Scene, who: Person) -> tuple[str, ...]:
    return effects_of(scene, DOMINATIONS)


@action("dominate", DOMINATION, bands=OUTCOME, check=check_words_only, turn=check_able)
async def dominate(
    scene: Scene,
    who: Person,
    target: AwakeOther,
    effect: Annotated[str, Pick(domination_effects)] = "",
    language: Language = "learned",
    gear: Gear = "",
    mods: Mods = (),
    helpers: Helpers = (),
) -> Outcome:
    """Break somebody with words: Stress, damage to Empathy, or panic."""
    language = spoken(scene, who, language)
    own = (*mods, *foreign(scene, language))
    tags = ("social", *social_tags(scene, language))
    attempt = Attempt("Influence", scene[DOMINATOR], gear, own, helpers, target, tags)
    aimed = aiming(scene, DOMINATIONS, attempt, effect)
    rolled = await words_against(who, aimed, target, skill=scene[OPPOSED_BY])
    row = await reached(who, rolled, attempt, DOMINATION, effect)
    return await hand_over(dominated(who, target, rolled, row, aimed=bool(effect)))


@rule(f"{DOMINATION}/effect")
async def dominated(
    scene: Scene, who: Person, target: Person, rolled: RolledPool, row: EffectRow | None, aimed: bool
) -> Outcome:
    """What the words do."""
    if scene[FEAR_OPTION] and rolled.success and not aimed:
        await frighten_by_successes(who, target, rolled.successes)
        return outcome(rolled)
    if row is None:
        return outcome(rolled)
    beyond = Route(row.dm, row.x).beyond(rolled, aimed=aimed)
    match row.name:
        case "Stress":
            await add_stress(target, int(row.amount))
        case "Empathy damage":
            await hurt_by_words(target, who, int(row.amount) + beyond)
        case _:
            await alter(target, stressed, int(row.amount))
            await check_panic(target)
    return outcome(rolled, (row.name,), beyond)


FRIGHT: Final = "yearzero.stress.fear-attack-option"
FEAR_OPTION: Final = option(FRIGHT)
CALL_PANIC: Final = Prompt("call-panic")


@figures(FRIGHT)
class FearFigures:
    """What successes beyond the first are worth, by the companion."""

    stress_per_x_beyond_first: int
    panic_check_min_x: int
    panic_check_uses_x: int


@rule(f"{FRIGHT}/spend", FRIGHT, option=FRIGHT)
async def frighten_by_successes(scene: Scene, who: Person, target: Person, successes: int) -> None:
    """Each success beyond the first is Stress; one beyond the second may call for a Panic Check in its place."""
    row, beyond = scene[FearFigures], successes - 1
    shakes = successes >= row.panic_check_min_x and bool(await offer(who, CALL_PANIC, YES))
    points = (beyond - row.panic_check_uses_x * shakes) * row.stress_per_x_beyond_first
    if not shakes:
        await add_stress(target, points)
        return
    await alter(target, stressed, points)
    await check_panic(target)


@rule("yearzero.insight.meditation-effects/armor")
async def hurt_by_words(scene: Scene, target: Person, who: Person, points: int) -> None:
    """Damage to Empathy; a mind that meditation shields rolls Insight as armor, and may begin to only now."""
    if is_helpless(scene, target):
        await hurt(target, points, EMPATHY)
        return
    if not applying(scene, target).granted(ARMOR) and await offer(target, SHIELD, YES):
        row = scene[MEDITATION_ROWS][ARMOR]
        begun = Attempt("Insight", scene[MINDFUL], mods=(Mod(row.dm, row.name, MEDITATIONS),), surplus=False)
        if (await roll_skill(target, begun)).success:
            for effect in row.lays:
                await lay_for(target, effect, quarter_days(scene), row.name, MEDITATIONS)
    if applying(scene, target).granted(ARMOR):
        points -= (await roll_dice(target, Attempt("Insight", against=who, tags=("resist", NO_ACTION)))).successes
    await hurt(target, points, EMPATHY)


def check_afraid(scene: Scene, who: Person, targets: Several) -> None:
    """Animals and monsters are not frightened by words."""
    if not targets:
        refuse("at whom?", rule=DOMINATION)
    check_moved(scene, targets, ("animal", "monster"), DOMINATION)


@action("fear-attack", f"{DOMINATION}/fear", bands=OUTCOME, check=check_afraid, turn=check_able)
async def frighten(
    scene: Scene, who: Person, targets: Several, intended: bool = True, mods: Mods = (), helpers: Helpers = ()
) -> Outcome:
    """After a coup de grace, words that frighten all enemies within 20 m; the damage to Wits is dealt out evenly."""
    if not await rule_on(COUP_DONE, True, options=(True, False)):
        refuse("it takes a successful coup de grace", rule=DOMINATION)
    row = scene[DOMINATIONS.rows][FEAR]
    route = Route(row.dm, row.x)
    attempt = Attempt("Influence", scene[DOMINATOR], "", mods, helpers)
    owed = replace(route.of(attempt, FEAR, DOMINATION, aimed=intended), owed=True)
    mine = await pay_later(who, await roll_dice(who, owed))
    theirs = 0
    for each in targets:
        theirs = max(theirs, await answer_with_insight(each, who, skill=scene[OPPOSED_BY]))
    left = year_zero.opposed(mine.successes, theirs)
    needed = 1 if intended else row.x
    rolled = await conclude(who, replace(mine, success=left >= needed, successes=left), attempt)
    if rolled.success:
        await share_out(who, targets, int(row.amount) + route.beyond(rolled, aimed=intended))
    return outcome(rolled, (FEAR,) if rolled.success else (), route.beyond(rolled, aimed=intended))


@rule(f"{DOMINATION}/share")
async def share_out(scene: Scene, who: Person, targets: Several, points: int) -> None:
    """Evenly; what is left over goes one each to whomever the attacker picks."""
    share, over = divmod(points, len(targets))
    left = targets
    more = set[Person]()
    for _ in range(over):
        picked = await choose(who, WHOM, left)
        more.add(picked)
        left = tuple(each for each in left if each != picked)
    for each in targets:
        await hurt(each, share + (each in more), WITS)
