"""Influence: manipulation, followers and trade; rolls against somebody's Insight."""

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
)
from referee.core.effects import Grants
from referee.kits import year_zero
from referee.systems.yearzero.action_types import SPEAKING
from referee.systems.yearzero.activities import (
    ActivityResult,
    check_time,
    lock,
    locked,
    now,
    result,
    span,
)
from referee.systems.yearzero.dice import ANSWERING
from referee.systems.yearzero.effects import (
    OUTCOME,
    Outcome,
    aiming,
    effect_table,
    effects_of,
    reached,
)
from referee.systems.yearzero.harm import check_able, is_helpless
from referee.systems.yearzero.insight import EFFECTS as INSIGHT_EFFECTS
from referee.systems.yearzero.reputation import GLOBAL, REGIONAL, VILLAGE, known_for, score
from referee.systems.yearzero.rolls import (
    NO_ACTION,
    Attempt,
    RolledPool,
    conclude,
    pay_later,
    roll_dice,
    roll_once,
)
from referee.systems.yearzero.scholar import Language, foreign, social_tags, spoken
from referee.systems.yearzero.sheet import Helpers, Person
from referee.systems.yearzero.skills import AwakeOther, Gear, Situation

MANIPULATION: Final = "yearzero.influence.manipulation"
POSITION: Final = "yearzero.influence.negotiating-position"
GROUP: Final = "yearzero.influence.manipulate-group"
BEING: Final = "yearzero.influence.being-manipulated"
FOLLOWERS: Final = "yearzero.influence.followers"
TRADE: Final = "yearzero.influence.buying-selling"

MANIPULATIONS: Final = effect_table("yearzero.influence.manipulation-effects", "Influence", general=True)

Several: TypeAlias = tuple[AwakeOther, ...]


# --- against somebody's Insight ---------------------------------------------------------------------------------------


RESIST: Final = Prompt("resist")
OPPOSING: Final = figure(MANIPULATION, "opposing_specialty", str)
RESISTANCE: Final = "resist manipulation"


@rule("yearzero.insight.use/answer", "yearzero.core.opposed")
async def answer_with_insight(scene: Scene, target: Person, who: Person, dm: int = 0, skill: str = "Insight") -> int:
    """The successes of somebody's Insight; whoever is Broken makes no skill rolls."""
    if is_helpless(scene, target):
        return 0
    mods = (Mod(dm, RESISTANCE, INSIGHT_EFFECTS.rule),) if dm else ()
    answer = Attempt(skill, scene[OPPOSING], mods=mods, against=who, tags=("resist", NO_ACTION), no_push=ANSWERING)
    return (await roll_dice(target, answer)).successes


@rule("yearzero.insight.use/oppose", "yearzero.insight.general-effects", "yearzero.core.opposed")
async def roll_against_insight(
    scene: Scene, who: Person, attempt: Attempt, target: Person, manipulation: bool = False, skill: str = "Insight"
) -> RolledPool:
    """Influence against Insight. Manipulation of any degree may be resisted, at a penalty or with many successes."""
    mine = await roll_dice(who, replace(attempt, tags=(*attempt.tags, "manipulation")) if manipulation else attempt)
    row = scene[INSIGHT_EFFECTS.rows][RESISTANCE]
    resists = manipulation and not is_helpless(scene, target) and bool(await offer(target, RESIST, YES))
    theirs = await answer_with_insight(target, who, row.dm if resists else 0, skill)
    resisted = manipulation and theirs >= (1 if resists else row.x)
    left = 0 if resisted else year_zero.opposed(mine.successes, theirs)
    return await hand_over(conclude(who, replace(mine, success=left >= attempt.needed, successes=left), attempt))


async def words_against(
    who: Person, attempt: Attempt, target: Person, manipulation: bool = False, skill: str = "Insight"
) -> RolledPool:
    """The same as the one roll of an action."""
    owed = replace(attempt, owed=True)
    return await pay_later(who, await roll_against_insight(who, owed, target, manipulation, skill))


def outcome(rolled: RolledPool, effects: tuple[str, ...] = (), beyond: int = 0) -> Outcome:
    banes = (rolled.pushes, rolled.base_banes, rolled.gear_banes, rolled.bought, rolled.pride)
    return Outcome(rolled.success, rolled.successes, effects, beyond, *banes)


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
    mine, theirs = (max(known_for(scene, each, VILLAGE), known_for(scene, each, REGIONAL)) for each in (who, target))
    famous = known_for(scene, who, GLOBAL), known_for(scene, target, GLOBAL)
    facts = {
        "the opponent has suffered damage": any(scene[target].damage.values()),
        "you have more reputation": mine > theirs,
        "you have at least twice the opponent's reputation": mine > theirs and mine >= 2 * theirs,
        "you have more Global reputation": famous[0] > famous[1],
        "the opponent has more reputation": theirs > mine,
        "the opponent has at least twice your reputation": theirs > mine and theirs >= 2 * mine,
        "the opponent has more Global reputation": famous[1] > famous[0],
    }
    return tuple(name for name, holds in facts.items() if holds)


def manipulation_effects(scene: Scene, who: Person) -> tuple[str, ...]:
    return effects_of(scene, MANIPULATIONS)


NamedFactors: TypeAlias = tuple[Annotated[str, FACTORS], ...]
ManipulationEffect: TypeAlias = Annotated[str, Pick(manipulation_effects)]


@action("manipulate", MANIPULATION, POSITION, "yearzero.influence.manipulation-effects", bands=OUTCOME, price=SPEAKING)
async def manipulate(
    scene: Scene,
    who: Person,
    target: AwakeOther,
    effect: ManipulationEffect = "",
    factors: NamedFactors = (),
    language: Language = "learned",
    gear: Gear = "",
    mods: Mods = (),
    helpers: Helpers = (),
    goal: str = "",
    situation: tuple[Situation, ...] = (),
) -> Manipulated:
    """Make somebody do something reasonable: they comply, ask for something in return, or attack at once."""
    words = sway(who, target, effect, factors, language, gear, mods, helpers, goal, situation)
    return await hand_over(words)


@rule(f"{MANIPULATION}/sway", MANIPULATION)
async def sway(
    scene: Scene,
    who: Person,
    target: AwakeOther,
    effect: ManipulationEffect = "",
    factors: NamedFactors = (),
    language: Language = "learned",
    gear: Gear = "",
    mods: Mods = (),
    helpers: Helpers = (),
    goal: str = "",
    situation: tuple[Situation, ...] = (),
) -> Manipulated:
    """What is said, once it is paid for."""
    if not await rule_on(REASONABLE, True, options=(True, False)):
        refuse("nobody acts wholly against their own interests", rule=MANIPULATION)
    language = spoken(scene, who, language)
    own = (*mods, *position(scene, who, target, factors), *foreign(scene, language))
    attempt = Attempt(
        "Influence",
        scene[MANIPULATOR],
        gear,
        own,
        helpers,
        target,
        ("social", *social_tags(scene, language), *situation),
        goal=goal,
    )
    rolled = await words_against(who, aiming(scene, MANIPULATIONS, attempt, effect), target, True)
    banes = (rolled.pushes, rolled.base_banes, rolled.gear_banes)
    if not rolled.success:
        return Manipulated(False, rolled.successes, "", "", False, (), False, *banes)
    row = await reached(who, rolled, attempt, MANIPULATIONS.rule, effect)
    answer, deal, accepted = await answer_request(
        target, who, row.name if row else "", is_menaced(scene, who, situation)
    )
    effects = (row.name,) if row else ()
    return Manipulated(True, rolled.successes, answer, deal, accepted, effects, False, *banes)


@rule(BEING, "yearzero.influence.manipulation-effects")
async def answer_request(
    scene: Scene, target: Person, who: Person, effect: str, menaced: bool = False
) -> tuple[str, str, bool]:
    """Comply, ask for something in return, or attack; some effects leave no choice, or last; a threat no demands."""
    match effect:
        case "no favour and no attack":
            return "comply", "", True
        case "believed":
            await lay(target, Effect(Grants(f"believes {who}")), source=effect, by=MANIPULATIONS.rule)
        case "one specific act":
            act = Effect(Grants(f"one act for {who}"), uses=1)
            await lay(target, act, source=effect, by=MANIPULATIONS.rule)
    answers = tuple(each for each in scene[ANSWERS] if not (menaced and each == "deal"))
    answer = await choose(target, ANSWER, answers)
    if answer != "deal":
        return answer, "", answer == "comply"
    demand = await rule_on(DEMAND, "something in return")
    return answer, demand, await choose(who, ACCEPT, (True, False))


@formula("yearzero.talents.attribute-swaps/menacing")
def is_menaced(scene: Scene, who: Person, situation: tuple[str, ...]) -> bool:
    """Whether somebody menacing threatens: the loser may attack, but asks for nothing."""
    return "threatening" in {*situation, *scene[who].situation} and applying(scene, who).granted("brook no demands")


@action("manipulate-group", GROUP, bands=OUTCOME, price=SPEAKING)
async def manipulate_group(
    scene: Scene,
    who: Person,
    leader: AwakeOther,
    members: Several = (),
    allies: Several = (),
    effect: ManipulationEffect = "",
    factors: NamedFactors = (),
    language: Language = "learned",
    gear: Gear = "",
    mods: Mods = (),
    helpers: Helpers = (),
    situation: tuple[Situation, ...] = (),
) -> Manipulated:
    """Sway a group through its leader. One without a leader is dealt with one by one, with `manipulate`."""
    ours, theirs = 1 + len(allies), 1 + len(members)
    own = mods
    if theirs > ours and THEIR_NUMBERS not in factors:
        own = (*mods, Mod(scene[OUTNUMBERED], THEIR_NUMBERS, GROUP))
    found = await sway(who, leader, effect, factors, language, gear, own, helpers, "", situation)
    follows = found.accepted and bool(members) and await rule_on(FOLLOW, True, options=(True, False))
    return replace(found, followed=follows)


FOLLOW: Final = Prompt("group-follows")


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
    row = scene[Followers]
    level, kind, _ = score(scene, row.local_reputation)
    return known_for(scene, who, row.reputation) + known_for(scene, who, level, kind) // row.local_divisor


def check_recruiting(scene: Scene, who: Person, cohort: bool = False) -> None:
    row = scene[Followers]
    if locked(scene, who, "followers") >= row.attempts_per_week:
        refuse("followers are recruited once a week", rule=FOLLOWERS)
    if cohort and known_for(scene, who, row.reputation) < row.cohort_min_global_reputation:
        refuse(f"a cohort takes Global Reputation {row.cohort_min_global_reputation}", rule=FOLLOWERS)


@action("recruit-followers", FOLLOWERS, bands=OUTCOME, check=(check_recruiting, check_time), turn=check_able)
async def recruit(scene: Scene, who: Person, cohort: bool = False, mods: Mods = ()) -> ActivityResult:
    """Once a week, followers come by reputation; a famous performer may win a cohort."""
    row = scene[Followers]
    bonus = followers_bonus(scene, who)
    own = (*mods, Mod(bonus, "Reputation", FOLLOWERS)) if bonus else mods
    await lock(who, "followers", now(scene) + span(scene, 1, "week"))
    rolled = await roll_once(who, Attempt("Influence", row.cohort_specialty if cohort else "", "", own))
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


@action("trade", TRADE, bands=OUTCOME, check=check_value, price=SPEAKING)
async def trade(
    scene: Scene,
    who: Person,
    target: AwakeOther,
    market_value: Annotated[int, suggest(10, 20, 50, 100, 200)],
    buying: bool = True,
    specialty: Literal["Trader", "Manipulator"] = "Trader",
    language: Language = "learned",
    gear: Gear = "",
    mods: Mods = (),
    helpers: Helpers = (),
) -> ActivityResult:
    """Haggle: each success left shifts the price by a fifth of the market value in your favour."""
    language = spoken(scene, who, language)
    own = (*mods, *foreign(scene, language))
    tags = ("social", *social_tags(scene, language))
    rolled = await words_against(who, Attempt("Influence", specialty, gear, own, helpers, target, tags), target)
    price = price_of(scene, market_value, rolled.successes if rolled.success else 0, buying=buying)
    return result(rolled, price)
