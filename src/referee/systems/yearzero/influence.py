"""Influence: manipulation, domination, command, performance, trade."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Final, Literal, TypeAlias

from referee.core import (
    YES,
    Effect,
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
    figures,
    formula,
    frozen,
    hand_over,
    lay,
    offer,
    refuse,
    rows,
    rule,
    rule_on,
    suggest,
    tell,
)
from referee.core.effects import Adds, Extra, Grants
from referee.kits import year_zero
from referee.systems.yearzero.activities import (
    ActivityResult,
    Route,
    in_combat,
    lay_for,
    lay_until_turn,
    lock,
    locked,
    now,
    quarter_days,
    result,
    span,
)
from referee.systems.yearzero.animals import Animal
from referee.systems.yearzero.battle import FAST_ACTION, SLOW_ACTION
from referee.systems.yearzero.dice import D8, D10, D12, ArtifactDie
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
from referee.systems.yearzero.harm import check_able, suffer
from referee.systems.yearzero.insight import EFFECTS as INSIGHT_EFFECTS
from referee.systems.yearzero.insight import MEDITATION_ROWS, MEDITATIONS, MINDFUL
from referee.systems.yearzero.panic import calm, check_panic, panic_check
from referee.systems.yearzero.rolls import (
    NO_ACTION,
    Attempt,
    RolledPool,
    conclude,
    gain_willpower,
    roll_dice,
    roll_skill,
    spending,
    stressed,
)
from referee.systems.yearzero.scholar import Language, foreign, social_tags
from referee.systems.yearzero.sheet import EMPATHY, WITS, Helpers, Person
from referee.systems.yearzero.skills import Gear, Other

MANIPULATION: Final = "yearzero.influence.manipulation"
POSITION: Final = "yearzero.influence.negotiating-position"
GROUP: Final = "yearzero.influence.manipulate-group"
BEING: Final = "yearzero.influence.being-manipulated"
DOMINATION: Final = "yearzero.influence.domination"
COMMAND: Final = "yearzero.influence.command"
PERFORMANCE: Final = "yearzero.influence.performance"
FOLLOWERS: Final = "yearzero.influence.followers"
TRADE: Final = "yearzero.influence.buying-selling"

MANIPULATIONS: Final = effect_table("yearzero.influence.manipulation-effects", "Influence", general=True)
DOMINATIONS: Final = effect_table(DOMINATION, "Influence")
COMMANDS: Final = effect_table(COMMAND, "Influence")
PERFORMANCES: Final = effect_table(PERFORMANCE, "Influence")

Several: TypeAlias = tuple[Other, ...]


# --- against somebody's Insight ---------------------------------------------------------------------------------------


RESIST: Final = Prompt("resist")
OPPOSING: Final = figure(MANIPULATION, "opposing_specialty", str)
RESISTANCE: Final = "resist manipulation"


def is_helpless(scene: Scene, who: Person) -> bool:
    """Whether somebody makes no skill rolls now."""
    try:
        check_able(scene, who)
    except Refused:
        return True
    return False


@rule("yearzero.insight.use/answer", "yearzero.core.opposed")
async def answer_with_insight(scene: Scene, target: Person, who: Person, dm: int = 0) -> int:
    """The successes of somebody's Insight; whoever is Broken makes no skill rolls."""
    if is_helpless(scene, target):
        return 0
    mods = (Mod(dm, RESISTANCE, INSIGHT_EFFECTS.rule),) if dm else ()
    answer = Attempt("Insight", scene[OPPOSING], mods=mods, against=who, tags=("resist", NO_ACTION), pushable=False)
    return (await roll_dice(target, answer)).successes


@rule("yearzero.insight.use/oppose", "yearzero.insight.general-effects", "yearzero.core.opposed")
async def roll_against_insight(
    scene: Scene, who: Person, attempt: Attempt, target: Person, manipulation: bool = False
) -> RolledPool:
    """Influence against Insight. Manipulation of any degree may be resisted, at a penalty or with many successes."""
    mine = await roll_dice(who, attempt)
    row = scene[INSIGHT_EFFECTS.rows][RESISTANCE]
    resists = manipulation and not is_helpless(scene, target) and bool(await offer(target, RESIST, YES))
    theirs = await answer_with_insight(target, who, row.dm if resists else 0)
    resisted = manipulation and theirs >= (1 if resists else row.x)
    left = 0 if resisted else year_zero.opposed(mine.successes, theirs)
    return await hand_over(conclude(who, replace(mine, success=left >= attempt.needed, successes=left), attempt))


# --- manipulation -----------------------------------------------------------------------------------------------------


@frozen
class Factor:
    """Something that makes a negotiation easier or harder."""

    name: str
    dm: int
    says: str = ""


FACTORS: Final = rows(POSITION, "factors", Factor)
OUTNUMBERED: Final = figure(GROUP, "outnumbered_dm", int)
MANIPULATOR: Final = figure(MANIPULATION, "specialty", str)
ANSWERS: Final = figure(MANIPULATION, "target_options", tuple[str, ...])
REASONABLE: Final = Prompt("reasonable")
ANSWER: Final = Prompt("answer")
DEMAND: Final = Prompt("demand")
ACCEPT: Final = Prompt("accept")
THEIR_NUMBERS: Final = "the opponent's side has more people"


@frozen
class Manipulated:
    """What a manipulation came to."""

    success: bool
    successes: int
    answer: str = ""
    """What the other does: comply, deal or attack; nothing, if it failed."""
    deal: str = ""
    """What the other asks in return."""
    accepted: bool = False
    effects: tuple[str, ...] = ()
    followed: bool = False
    """Whether the rest of a group follows its leader."""
    pushes: int = 0
    base_banes: int = 0
    gear_banes: int = 0


@formula(POSITION)
def position(scene: Scene, who: Person, target: Person, factors: tuple[str, ...]) -> Mods:
    """The factors that were named, and those that the sheets show; each counts once."""
    found = dict.fromkeys((*factors, *_seen(scene, who, target)))
    return tuple(Mod(scene[FACTORS][each].dm, each, POSITION) for each in found)


def _seen(scene: Scene, who: Person, target: Person) -> tuple[str, ...]:
    """What the sheets say: damage and reputation."""
    one, other = scene[who].reputation, scene[target].reputation
    mine, theirs = (max(each.get("Village", 0), each.get("Regional", 0)) for each in (one, other))
    facts = {
        "the opponent has suffered damage": any(scene[target].damage.values()),
        "you have more reputation": mine > theirs,
        "you have at least twice the opponent's reputation": mine > theirs and mine >= 2 * theirs,
        "you have more Global reputation": one.get("Global", 0) > other.get("Global", 0),
        "the opponent has more reputation": theirs > mine,
        "the opponent has at least twice your reputation": theirs > mine and theirs >= 2 * mine,
        "the opponent has more Global reputation": other.get("Global", 0) > one.get("Global", 0),
    }
    return tuple(name for name, holds in facts.items() if holds)


def manipulation_effects(scene: Scene, who: Person) -> tuple[str, ...]:
    return effects_of(scene, MANIPULATIONS)


NamedFactors: TypeAlias = tuple[Annotated[str, FACTORS], ...]
ManipulationEffect: TypeAlias = Annotated[str, Pick(manipulation_effects)]


@action("manipulate", MANIPULATION, POSITION, "yearzero.influence.manipulation-effects", bands=OUTCOME, turn=check_able)
async def manipulate(
    scene: Scene,
    who: Person,
    target: Other,
    effect: ManipulationEffect = "",
    factors: NamedFactors = (),
    language: Language = "learned",
    gear: Gear = "",
    mods: Mods = (),
    helpers: Helpers = (),
    goal: str = "",
) -> Manipulated:
    """Make somebody do something reasonable: they comply, ask for something in return, or attack at once."""
    if not await rule_on(REASONABLE, True, options=(True, False)):
        refuse("nobody acts wholly against their own interests", rule=MANIPULATION)
    own = (*mods, *position(scene, who, target, factors), *foreign(scene, language))
    attempt = Attempt(
        "Influence", scene[MANIPULATOR], gear, own, helpers, target, ("social", *social_tags(language)), goal=goal
    )
    rolled = await roll_against_insight(who, aiming(scene, MANIPULATIONS, attempt, effect), target, True)
    banes = (rolled.pushes, rolled.base_banes, rolled.gear_banes)
    if not rolled.success:
        return Manipulated(False, rolled.successes, "", "", False, (), False, *banes)
    row = await reached(who, rolled, attempt, MANIPULATIONS.rule, effect)
    answer, deal, accepted = await answer_request(target, who, row.name if row else "")
    effects = (row.name,) if row else ()
    return Manipulated(True, rolled.successes, answer, deal, accepted, effects, False, *banes)


@rule(BEING, "yearzero.influence.manipulation-effects")
async def answer_request(scene: Scene, target: Person, who: Person, effect: str) -> tuple[str, str, bool]:
    """Comply, ask for something in return, or attack; some effects leave no choice, or last."""
    match effect:
        case "no favour and no attack":
            return "comply", "", True
        case "believed":
            await lay(target, Effect(Grants(f"believes {who}")), source=effect, by=MANIPULATIONS.rule)
        case "one specific act":
            act = Effect(Grants(f"one act for {who}"), uses=1)
            await lay(target, act, source=effect, by=MANIPULATIONS.rule)
    answer = await choose(target, ANSWER, scene[ANSWERS])
    if answer != "deal":
        return answer, "", answer == "comply"
    demand = await rule_on(DEMAND, "something in return")
    return answer, demand, await choose(who, ACCEPT, (True, False))


@action("manipulate-group", GROUP, bands=OUTCOME, turn=check_able)
async def manipulate_group(
    scene: Scene,
    who: Person,
    leader: Other,
    members: Several = (),
    allies: Several = (),
    effect: ManipulationEffect = "",
    factors: NamedFactors = (),
    mods: Mods = (),
    helpers: Helpers = (),
) -> Manipulated:
    """Sway a group through its leader. One without a leader is dealt with one by one, with `manipulate`."""
    ours, theirs = 1 + len(allies), 1 + len(members)
    own = mods
    if theirs > ours and THEIR_NUMBERS not in factors:
        own = (*mods, Mod(scene[OUTNUMBERED], THEIR_NUMBERS, GROUP))
    found = await manipulate(who, leader, effect, factors, "learned", "", own, helpers)
    follows = found.accepted and bool(members) and await rule_on(FOLLOW, True, options=(True, False))
    return replace(found, followed=follows)


FOLLOW: Final = Prompt("group-follows")


# --- domination -------------------------------------------------------------------------------------------------------


DOMINATOR: Final = figure(DOMINATION, "specialty", str)
IN_COMBAT: Final = figure(DOMINATION, "in_combat", bool)
COUP: Final = "coup de grace"
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
    target: Other,
    effect: Annotated[str, Pick(domination_effects)] = "",
    language: Language = "learned",
    gear: Gear = "",
    mods: Mods = (),
    helpers: Helpers = (),
) -> Outcome:
    """Break somebody with words: Stress, damage to Empathy, or panic."""
    own = (*mods, *foreign(scene, language))
    tags = ("social", *social_tags(language))
    attempt = Attempt("Influence", scene[DOMINATOR], gear, own, helpers, target, tags)
    rolled = await roll_against_insight(who, aiming(scene, DOMINATIONS, attempt, effect), target)
    row = await reached(who, rolled, attempt, DOMINATION, effect)
    return await hand_over(dominated(who, target, rolled, row, aimed=bool(effect)))


@rule(f"{DOMINATION}/effect")
async def dominated(
    scene: Scene, who: Person, target: Person, rolled: RolledPool, row: EffectRow | None, aimed: bool
) -> Outcome:
    """What the words do."""
    if row is None:
        return outcome(rolled)
    beyond = Route(row.dm, row.x).beyond(rolled, aimed=aimed)
    match row.name:
        case "Stress":
            await add_stress(target, int(row.amount), scene[target].stress)
        case "Empathy damage":
            await hurt_by_words(target, who, int(row.amount) + beyond)
        case _:
            await alter(target, stressed, int(row.amount))
            await check_panic(target)
    return outcome(rolled, (row.name,), beyond)


@rule(f"{DOMINATION}/stress", "yearzero.panic.triggers")
async def add_stress(scene: Scene, target: Person, points: int, before: int) -> None:
    """Stress, which may bring panic."""
    await alter(target, stressed, points)
    await panic_check(target, scene[target].stress - points)


@rule(f"{DOMINATION}/damage", "yearzero.panic.triggers")
async def wound_mind(scene: Scene, target: Person, points: int, attribute: str) -> None:
    """Damage to Wits or Empathy, which may bring panic."""
    if points > 0:
        stood = attribute not in scene[target].broken
        await after_damage(target, points, attribute, scene[target].stress, stood)


@rule(f"{DOMINATION}/after-damage")
async def after_damage(scene: Scene, target: Person, points: int, attribute: str, before: int, stood: bool) -> None:
    """Whoever loses the last of an attribute, or comes to every fifth point of Stress, may panic."""
    await suffer(target, points, attribute)
    await panic_check(target, before, stood and attribute in scene[target].broken)


def outcome(rolled: RolledPool, effects: tuple[str, ...] = (), beyond: int = 0) -> Outcome:
    banes = (rolled.pushes, rolled.base_banes, rolled.gear_banes, rolled.bought, rolled.pride)
    return Outcome(rolled.success, rolled.successes, effects, beyond, *banes)


@rule("yearzero.insight.meditation-effects/armor")
async def hurt_by_words(scene: Scene, target: Person, who: Person, points: int) -> None:
    """Damage to Empathy; a mind that meditation shields rolls Insight as armor, and may begin to only now."""
    if is_helpless(scene, target):
        await wound_mind(target, points, EMPATHY)
        return
    if not applying(scene, target).granted(ARMOR) and await offer(target, SHIELD, YES):
        row = scene[MEDITATION_ROWS][ARMOR]
        begun = Attempt("Insight", scene[MINDFUL], mods=(Mod(row.dm, row.name, MEDITATIONS),), surplus=False)
        if (await roll_skill(target, begun)).success:
            for effect in row.lays:
                await lay_for(target, effect, quarter_days(scene), row.name, MEDITATIONS)
    if applying(scene, target).granted(ARMOR):
        points -= (await roll_dice(target, Attempt("Insight", against=who, tags=("resist", NO_ACTION)))).successes
    await wound_mind(target, points, EMPATHY)


def check_afraid(scene: Scene, who: Person, targets: Several) -> None:
    """Animals and monsters are not frightened by words."""
    if not targets:
        refuse("at whom?", rule=DOMINATION)
    for each in targets:
        if isinstance(scene[each], Animal):
            refuse(f"{each} is an animal", rule=DOMINATION)


@action("fear-attack", f"{DOMINATION}/fear", bands=OUTCOME, check=check_afraid, turn=check_able)
async def frighten(
    scene: Scene, who: Person, targets: Several, aimed: bool = True, mods: Mods = (), helpers: Helpers = ()
) -> Outcome:
    """After a coup de grace, words that frighten all enemies within 20 m; the damage to Wits is dealt out evenly."""
    if not await rule_on(COUP_DONE, True, options=(True, False)):
        refuse("it takes a successful coup de grace", rule=DOMINATION)
    row = scene[DOMINATIONS.rows][FEAR]
    route = Route(row.dm, row.x)
    attempt = Attempt("Influence", scene[DOMINATOR], "", mods, helpers)
    mine = await roll_dice(who, route.of(attempt, FEAR, DOMINATION, aimed=aimed))
    theirs = 0
    for each in targets:
        theirs = max(theirs, await answer_with_insight(each, who))
    left = year_zero.opposed(mine.successes, theirs)
    needed = 1 if aimed else row.x
    rolled = await conclude(who, replace(mine, success=left >= needed, successes=left), attempt)
    if rolled.success:
        await share_out(who, targets, int(row.amount) + route.beyond(rolled, aimed=aimed))
    return outcome(rolled, (FEAR,) if rolled.success else (), route.beyond(rolled, aimed=aimed))


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
        await wound_mind(each, share + (each in more), WITS)


# --- command ----------------------------------------------------------------------------------------------------------


@frozen
class OrderDie:
    """The die of an order, by the successes beyond those needed."""

    die: str


ORDER_DICE: Final = rows(COMMAND, "order_dice", OrderDie, by="extra_successes")
COMMANDER: Final = figure(COMMAND, "specialty", str)
DICE_BY_NAME: Final[dict[str, ArtifactDie]] = {"D8": D8, "D10": D10, "D12": D12}
MOST_EXTRA: Final = 2
"""More extra successes stay at the largest die."""


def command_effects(scene: Scene, who: Person) -> tuple[str, ...]:
    return effects_of(scene, COMMANDS)


def check_allies(scene: Scene, who: Person, allies: Several) -> None:
    if not allies:
        refuse("whom?", rule=COMMAND)


@action("command", COMMAND, bands=OUTCOME, check=check_allies, price=FAST_ACTION, turn=check_able)
async def command(
    scene: Scene,
    who: Person,
    allies: Several,
    effect: Annotated[str, Pick(command_effects)] = "",
    gear: Gear = "",
    mods: Mods = (),
    helpers: Helpers = (),
) -> Outcome:
    """Steer allies within range: a plan, an order, a free action, or a rally."""
    attempt = Attempt("Influence", scene[COMMANDER], gear, mods, helpers)
    rolled = await roll_skill(who, aiming(scene, COMMANDS, attempt, effect))
    row = await reached(who, rolled, attempt, COMMAND, effect)
    if row is None:
        return outcome(rolled)
    beyond = Route(row.dm, row.x).beyond(rolled, aimed=bool(effect))
    await commanded(who, allies, row, beyond)
    return outcome(rolled, (row.name,), beyond)


@rule(f"{COMMAND}/effect", "yearzero.core.artifact-dice")
async def commanded(scene: Scene, who: Person, allies: Several, row: EffectRow, beyond: int) -> None:
    """One ally acts for free; or all of them calm down, have a plan, or have a die for one roll."""
    if row.affects == "ally":
        ally = await choose(who, WHOM, allies)
        for effect in row.lays:
            await lay_until_turn(ally, effect, who, row.name, COMMAND)
        return
    for each in allies:
        if row.amount:
            await calm(each, int(row.amount))
        elif row.lays:
            for effect in row.lays:
                await lay(each, effect, source=row.name, by=COMMAND)
        else:
            die = scene[ORDER_DICE].at(min(beyond, MOST_EXTRA)).die
            await lay(each, Effect(Extra(DICE_BY_NAME[die]), uses=1), source=f"order of {who}", by=COMMAND)


# --- performance ------------------------------------------------------------------------------------------------------


PERFORMER: Final = figure(PERFORMANCE, "specialty", str)
ATTENTION: Final = figure(PERFORMANCE, "attention_minutes", int)
DOLLARS: Final = figure(PERFORMANCE, "dollars_per_extra_success", int)
TAUNT: Final = Prompt("taunt")
POINTS: Final = Prompt("points")
NO_ANIMALS: Final = ("Taunt Enemies",)
SHARED: Final = ("Paid Audience", "Dishearten Foes")
"""Effects that the best Insight among the targets opposes; otherwise each result counts for itself."""


def performance_effects(scene: Scene, who: Person) -> tuple[str, ...]:
    return effects_of(scene, PERFORMANCES, *performance_tags(scene))


def performance_tags(scene: Scene) -> tuple[str, ...]:
    return () if in_combat(scene) else ("not in combat",)


def check_audience(scene: Scene, who: Person, targets: Several, effect: str) -> None:
    if not targets:
        refuse("for whom?", rule=PERFORMANCE)
    if effect in NO_ANIMALS:
        for each in targets:
            if isinstance(scene[each], Animal):
                refuse(f"{each} is an animal", rule=PERFORMANCE)


@action("perform", PERFORMANCE, bands=OUTCOME, check=check_audience, price=SLOW_ACTION, turn=check_able)
async def perform(
    scene: Scene,
    who: Person,
    targets: Several,
    effect: Annotated[str, Pick(performance_effects)] = "",
    gear: Gear = "",
    mods: Mods = (),
    helpers: Helpers = (),
) -> ActivityResult:
    """Songs, tales, taunts and cries, for comrades or at enemies within range."""
    tags = performance_tags(scene)
    attempt = Attempt("Influence", scene[PERFORMER], gear, mods, helpers, tags=tags)
    rolled = await roll_skill(who, aiming(scene, PERFORMANCES, attempt, effect))
    row = await reached(who, rolled, attempt, PERFORMANCE, effect)
    if row is None:
        return result(rolled)
    needed = 1 if effect else max(1, row.x)
    left = await listened(who, targets, rolled.successes, row)
    moved = tuple((each, n - needed) for each, n in left if n >= needed)
    if not moved:
        return result(rolled, success=False)
    paid = await performed(who, moved, row)
    return result(rolled, paid, (row.name,))


@rule(f"{PERFORMANCE}/listen")
async def listened(
    scene: Scene, who: Person, targets: Several, successes: int, row: EffectRow
) -> tuple[tuple[Person, int], ...]:
    """The successes that are left against each of the audience."""
    if not row.opposed:
        return tuple((each, successes) for each in targets)
    answers = [(each, await answer_with_insight(each, who)) for each in targets]
    best = max(n for _, n in answers)
    return tuple((each, year_zero.opposed(successes, best if row.name in SHARED else n)) for each, n in answers)


Moved: TypeAlias = tuple[tuple[Person, int], ...]
"""Those whom a performance moved, each with the successes beyond those needed."""


@rule(f"{PERFORMANCE}/effect", "yearzero.core.willpower-cap")
async def performed(scene: Scene, who: Person, moved: Moved, row: EffectRow) -> int:
    """What a performance does to those it moved; the money, if they pay."""
    people = tuple(each for each, _ in moved)
    match row.name:
        case "Taunt Enemies":
            for each, beyond in moved:
                await taunt(who, each, int(row.amount) - beyond)
        case "Draw Attention" | "Paid Audience" | "Bawdy Tale":
            await distract(moved, row)
        case "Heartening Warcry" | "Distracting Warcry":
            await cry(who, moved, row)
        case "Transfer Willpower":
            await transfer(who, people)
        case "Dishearten Foes":
            for _ in range(int(row.amount) + moved[0][1]):
                await hurt_by_words(await choose(who, WHOM, people), who, 1)
    return moved[0][1] * scene[DOLLARS] if row.name == "Paid Audience" else 0


@rule(f"{PERFORMANCE}/distract")
async def distract(scene: Scene, moved: Moved, row: EffectRow) -> None:
    """For a few minutes an audience misses what goes on around it, or is less hostile."""
    for each, beyond in moved:
        watching = Effect(Adds(int(row.amount) - beyond), frozenset(("Observation",)))
        effect = watching if row.amount else Effect(Grants("distracted"))
        await lay_for(each, effect, span(scene, scene[ATTENTION], "minute"), row.name, PERFORMANCE)


@rule(f"{PERFORMANCE}/cry")
async def cry(scene: Scene, who: Person, moved: Moved, row: EffectRow) -> None:
    """Until your next turn comrades attack better, or enemies worse in close combat."""
    for each, beyond in moved:
        if row.opposed:
            effect = Effect(Adds(int(row.amount) - beyond), frozenset(("attack", "Melee")))
        else:
            effect = Effect(Adds(int(row.amount) + beyond), frozenset(("attack",)))
        await lay_until_turn(each, effect, who, row.name, PERFORMANCE)


@rule(f"{PERFORMANCE}/taunt")
async def taunt(scene: Scene, who: Person, target: Person, penalty: int) -> None:
    """The enemy attacks you next if it can, or its next roll is harder."""
    if await choose(who, TAUNT, ("draw the attack", "harder roll")) == "harder roll":
        await lay(target, Effect(Adds(penalty), uses=1), source="taunted", by=PERFORMANCE)
    else:
        await lay(target, Effect(Grants(f"must attack {who}"), uses=1), source="taunted", by=PERFORMANCE)


@rule(f"{PERFORMANCE}/transfer")
async def transfer(scene: Scene, who: Person, comrades: tuple[Person, ...]) -> None:
    """As many points of Willpower as one likes, to one comrade; nobody holds more than ten."""
    comrade = await choose(who, WHOM, comrades)
    if not scene[who].willpower:
        await tell("no-willpower", who=who)
        return
    points = await choose(who, POINTS, tuple(range(1, scene[who].willpower + 1)))
    await alter(who, spending, points)
    await gain_willpower(comrade, points)


# --- followers and trade ----------------------------------------------------------------------------------------------


@figures(FOLLOWERS)
class Followers:
    """How followers are recruited."""

    attempts_per_week: int
    reputation: str
    local_reputation: str
    local_divisor: int
    cohort_min_global_reputation: int
    cohort_specialty: str


@formula(FOLLOWERS)
def followers_bonus(scene: Scene, who: Person) -> int:
    """Global Reputation, and half of Local Justice Reputation, rounded down."""
    row, own = scene[Followers], scene[who].reputation
    return own.get(row.reputation, 0) + own.get(row.local_reputation, 0) // row.local_divisor


def check_recruiting(scene: Scene, who: Person, cohort: bool = False) -> None:
    row = scene[Followers]
    if locked(scene, who, "followers") >= row.attempts_per_week:
        refuse("followers are recruited once a week", rule=FOLLOWERS)
    if cohort and scene[who].reputation.get(row.reputation, 0) < row.cohort_min_global_reputation:
        refuse(f"a cohort takes Global Reputation {row.cohort_min_global_reputation}", rule=FOLLOWERS)


@action("recruit-followers", FOLLOWERS, bands=OUTCOME, check=check_recruiting, turn=check_able)
async def recruit(scene: Scene, who: Person, cohort: bool = False, mods: Mods = ()) -> ActivityResult:
    """Once a week, followers come by reputation; a famous performer may win a cohort."""
    row = scene[Followers]
    bonus = followers_bonus(scene, who)
    own = (*mods, Mod(bonus, "Reputation", FOLLOWERS)) if bonus else mods
    await lock(who, "followers", now(scene) + span(scene, 1, "week"))
    rolled = await roll_skill(who, Attempt("Influence", row.cohort_specialty if cohort else "", "", own))
    return result(rolled, rolled.successes if rolled.success else 0)


PERCENT: Final = figure(TRADE, "percent_of_market_value_per_success", int)


@formula(TRADE)
def price_of(scene: Scene, market_value: float, successes: int, buying: bool) -> float:
    """A fifth of the market value for each success left; never below 0."""
    shift = market_value * scene[PERCENT] * successes / 100
    return max(0.0, market_value - shift if buying else market_value + shift)


def check_value(scene: Scene, who: Person, market_value: int) -> None:
    if market_value < 0:
        raise Refused("market value", because="it is never below 0", rule=TRADE)


@action("trade", TRADE, bands=OUTCOME, check=check_value, turn=check_able)
async def trade(
    scene: Scene,
    who: Person,
    target: Other,
    market_value: Annotated[int, suggest(10, 20, 50, 100, 200)],
    buying: bool = True,
    specialty: Literal["Trader", "Manipulator"] = "Trader",
    language: Language = "learned",
    gear: Gear = "",
    mods: Mods = (),
    helpers: Helpers = (),
) -> ActivityResult:
    """Haggle: each success left shifts the price by a fifth of the market value in your favour."""
    own = (*mods, *foreign(scene, language))
    tags = ("social", *social_tags(language))
    rolled = await roll_against_insight(who, Attempt("Influence", specialty, gear, own, helpers, target, tags), target)
    price = price_of(scene, market_value, rolled.successes if rolled.success else 0, buying=buying)
    return result(rolled, price)
