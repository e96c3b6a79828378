"""Performance: tales, songs and taunts that move an audience."""

from __future__ import annotations

from typing import Annotated, Final, TypeAlias

from referee.core import (
    Effect,
    Mods,
    Pick,
    Prompt,
    Scene,
    action,
    choose,
    figure,
    lay,
    refuse,
    rule,
    tell,
)
from referee.core.effects import Adds, Grants
from referee.kits import year_zero
from referee.systems.yearzero.action_types import SLOW_ACTION
from referee.systems.yearzero.activities import (
    ActivityResult,
    in_combat,
    lay_for,
    lay_until_turn,
    result,
    span,
)
from referee.systems.yearzero.animals import check_moved, nature
from referee.systems.yearzero.boosts import pay
from referee.systems.yearzero.domination import hurt_by_words
from referee.systems.yearzero.effects import (
    OUTCOME,
    WHOM,
    EffectRow,
    aiming,
    effect_table,
    effects_of,
    reached,
)
from referee.systems.yearzero.harm import check_able
from referee.systems.yearzero.influence import Several, answer_with_insight
from referee.systems.yearzero.rolls import (
    MUST_ATTACK,
    Attempt,
    gain_willpower,
    roll_skill,
)
from referee.systems.yearzero.sheet import Helpers, Person
from referee.systems.yearzero.skills import Gear

PERFORMANCE: Final = "yearzero.influence.performance"
PERFORMANCES: Final = effect_table(PERFORMANCE, "Influence")


PERFORMER: Final = figure(PERFORMANCE, "specialty", str)
ATTENTION: Final = figure(PERFORMANCE, "attention_minutes", int)
DOLLARS: Final = figure(PERFORMANCE, "dollars_per_extra_success", int)
TAUNT: Final = Prompt("taunt")
POINTS: Final = Prompt("points")
NOT_FOR: Final = {"Taunt Enemies": ("animal", "monster"), "Dishearten Foes": ("monster",)}
"""Whom an effect does not move."""
SHARED: Final = ("Paid Audience", "Dishearten Foes")
"""Effects that the best Insight among the targets opposes; otherwise each result counts for itself."""


def performance_effects(scene: Scene, who: Person) -> tuple[str, ...]:
    return effects_of(scene, PERFORMANCES, *performance_tags(scene))


def performance_tags(scene: Scene) -> tuple[str, ...]:
    return () if in_combat(scene) else ("not in combat",)


def check_audience(scene: Scene, who: Person, targets: Several, effect: str) -> None:
    if not targets:
        refuse("for whom?", rule=PERFORMANCE)
    check_moved(scene, targets, NOT_FOR.get(effect, ()), PERFORMANCE)


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
    immune = {*NOT_FOR.get(row.name, ())}
    moved = tuple((each, n - needed) for each, n in left if n >= needed and not immune & {*nature(scene, each)})
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
        await lay(
            target,
            Effect(Grants(f"{MUST_ATTACK}{who}"), frozenset(("attack",)), uses=1),
            source="taunted",
            by=PERFORMANCE,
        )


@rule(f"{PERFORMANCE}/transfer")
async def transfer(scene: Scene, who: Person, comrades: tuple[Person, ...]) -> None:
    """As many points of Willpower as one likes, to one comrade; nobody holds more than ten."""
    comrade = await choose(who, WHOM, comrades)
    if not scene[who].willpower:
        await tell("no-willpower", who=who)
        return
    points = await choose(who, POINTS, tuple(range(1, scene[who].willpower + 1)))
    await pay(who, points, "Transfer Willpower")
    await gain_willpower(comrade, points)
