"""Panic and suppression: the rolls for Calm that harm and fire call for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Annotated, Final, Literal

from referee.core import (
    CLOCK,
    YES,
    Bands,
    Mod,
    Pick,
    Pool,
    Prompt,
    Scene,
    Total,
    Who,
    action,
    alter,
    applying,
    figure,
    formula,
    frozen,
    hand_over,
    number_die,
    offer,
    roll,
    rows,
    rule,
    rule_on,
    settled,
    tell,
)
from referee.core.clock import Due, due
from referee.core.effects import Effect, Forbids, lay, moment
from referee.core.rules import rule_named
from referee.systems.yearzero.battle import BATTLE, ROUND_END, Battle, comrades
from referee.systems.yearzero.effects import OUTCOME, Outcome
from referee.systems.yearzero.harm import check_awake, is_awake, lost, over_at, relieve, stressed, suffer
from referee.systems.yearzero.panic_tables import (
    ACTIVITIES,
    COMBAT,
    IDLE,
    PANIC_EFFECTS,
    PANIC_TABLES,
    Doing,
    activity_of,
    panics_of,
)
from referee.systems.yearzero.rolls import NO_ACTION, Attempt, RolledPool, roll_skill
from referee.systems.yearzero.sheet import STRENGTH, Person, Survivor, others, people
from referee.systems.yearzero.skills import plain

CHECK: Final = "yearzero.panic.check"
TRIGGERS: Final = "yearzero.panic.triggers"
SUPPRESSION: Final = "yearzero.stress.suppression"
IGNORE: Final = "yearzero.core.willpower-ignore-suppression"
WITNESSED: Final = Prompt("witnessed")
SUPPRESSED: Final = "suppressed"
IGNORE_SUPPRESSION: Final = Prompt("ignore-suppression")


@frozen
class PanicPenalty:
    """What so much Stress takes from a Panic Check."""

    penalty: int


@frozen
class StressfulEvent:
    """Something that adds Stress."""

    name: str
    stress: int
    per: str = ""
    note: str = ""
    default: bool = True
    """Whether it counts unless the game master says otherwise."""


STRESSFUL: Final = rows("yearzero.stress.gain", "events", StressfulEvent, also=("yearzero.stress.gain/doubtful",))
FULL_AUTO: Final = "firing a firearm on full auto"
SEEN_LETHAL: Final = "seeing a friend suffer a lethal critical injury"
BETRAYED: Final = "an ally attacks you"
SPREAD: Final = figure("yearzero.stress.suppression", "spread_m", int)
PENALTIES: Final = rows(CHECK, "rows", PanicPenalty, by=("stress_min", "stress_max"))
EVERY: Final = figure(TRIGGERS, "every_stress", int)
SUPPRESSION_STRESS: Final = figure(SUPPRESSION, "stress", int)
SUPPRESSED_ROUNDS: Final = figure(SUPPRESSION, "rounds", int)
IGNORE_COST: Final = figure(IGNORE, "wp", int)


CALM: Final[Bands[bool]] = Bands(of=lambda calm: "success" if calm else "failure", keys=("success", "failure"))
COMPOSED: Final[Bands[RolledPool]] = Bands(
    of=lambda rolled: "calm" if rolled.success else "panics", keys=("calm", "panics")
)


# --- what calls for a check -------------------------------------------------------------------------------------------


@frozen
class PanicCause:
    """Something that calls for a Panic Check; without an event the game master says when."""

    name: str
    events: tuple[str, ...] = ()
    of: Literal["self", "ally", "anchor", "friend"] = "self"
    """To whom it happens: oneself, somebody of one's side, an Anchor, or either of them."""
    effects: tuple[str, ...] = ()
    """Only these Panic Effects, where some do not count."""
    count: int = 1
    """How many at the same time, or rounds in a row."""


PANIC_TRIGGERS: Final = rows(TRIGGERS, "triggers", PanicCause)


@rule(TRIGGERS)
async def panic_check(
    scene: Scene, who: Person, stress_before: int, events: tuple[str, ...] = (), count: int = 1, doing: Doing = IDLE
) -> bool | None:
    """Every fifth point of Stress, or what happened, calls for a Panic Check: a single one for all of it."""
    reached = scene[who].stress // scene[EVERY] > stress_before // scene[EVERY]
    happened = {*events, "stress"} if reached else {*events}
    own = (each for each in scene[PANIC_TRIGGERS] if each.of == "self" and each.count == count)
    calling = [scene[PANIC_TRIGGERS][each.name] for each in own if happened & {*each.events}]
    if not calling or not is_awake(scene[who]):
        return None
    return (await check_panic(who, doing)).success


@rule("yearzero.stress.gain/points", TRIGGERS)
async def add_stress(scene: Scene, who: Person, points: int) -> None:
    """Stress, which may bring panic."""
    await alter(who, stressed, points)
    await panic_check(who, scene[who].stress - points)


@rule(f"{TRIGGERS}/hurt")
async def hurt(scene: Scene, who: Person, points: int, attribute: str = STRENGTH) -> None:
    """Damage that is no attack: whoever loses the last of an attribute by it, or comes to so much Stress, may panic."""
    before, stood = scene[who].stress, attribute not in scene[who].broken
    await suffer(who, points, attribute)
    await panic_check(who, before, lost(scene, who, attribute, stood))


@rule(f"{TRIGGERS}/round")
async def end_round(scene: Scene) -> None:
    """Whoever has been Suppressed for so many rounds in a row may panic."""
    fighters = (Who(name, Survivor) for name in scene[BATTLE].initiative)
    shaken = tuple(who for who in fighters if who in scene and SUPPRESSED in scene[who].conditions)
    if shaken or scene[BATTLE].suppressed:
        await alter(BATTLE, Battle.counting, tuple(who.name for who in shaken))
    for who in shaken:
        await panic_check(who, scene[who].stress, (SUPPRESSED,), scene[BATTLE].suppressed[who.name])


@rule(f"{TRIGGERS}/witness", "yearzero.stress.gain")
async def witnessed(
    scene: Scene,
    who: Person,
    event: str,
    effect: str = "",
    lethal: bool = False,
    near: tuple[Person, ...] = (),
    met: tuple[Person, ...] = (),
) -> None:
    """What happens to somebody may be too much for their side, and for those whose Anchor they are.

    Panic spreads from one to the next, and comes back to nobody (`met`) who has had it of the same event.
    """
    stressed_by = {each: stress_seen(scene, each, who, effect, lethal, each in near) for each in others(scene, who)}
    fresh = tuple(each for each in stressed_by if each not in met)
    shaken = tuple(each for each in fresh if shaken_by(scene, each, who, event, effect, each in near))
    if not (any(stressed_by.values()) or shaken) or not await rule_on(WITNESSED, True, options=(True, False)):
        return
    for each, points in stressed_by.items():
        await alter(each, stressed, points)
        if each in shaken:
            await check_panic(each, met=(*met, who, *shaken))
        elif points:
            await panic_check(each, scene[each].stress - points)


@formula("yearzero.stress.gain/seen")
def stress_seen(scene: Scene, who: Person, other: Person, effect: str, lethal: bool, near: bool) -> int:
    """The Stress of seeing a friend badly hurt, or a comrade near who panics."""
    if not is_awake(scene[who]):
        return 0
    if lethal and bonds(scene, who, other):
        return scene[STRESSFUL][SEEN_LETHAL].stress
    return scene[PANIC_EFFECTS].look(effect).comrades_stress if near and effect in scene[PANIC_EFFECTS] else 0


def bonds(scene: Scene, who: Person, other: Person) -> frozenset[str]:
    """What another is to somebody: an ally in a fight, an Anchor, and as either of them a friend."""
    known = {"ally": other in comrades(scene, who), "anchor": other.name in scene[who].anchors}
    found = {bond for bond, holds in known.items() if holds}
    return frozenset((*found, "friend")) if found else frozenset()


@formula(f"{TRIGGERS}/shaken")
def shaken_by(
    scene: Scene, who: Person, other: Person, event: str, effect: str = "", near: bool = False
) -> tuple[str, ...]:
    """Why somebody who is awake and does not panic yet must keep calm when something happens to another."""
    sheet = scene[who]
    if not is_awake(sheet) or panic_effects(sheet):
        return ()
    if event in SPARING and is_spared(scene, who, other):
        return ()
    if near and effect in scene[PANIC_EFFECTS] and scene[PANIC_EFFECTS].look(effect).checks:
        return (effect,)
    bound, side = bonds(scene, who, other), comrades(scene, who)
    panicking = sum(each == other or bool(panic_effects(scene[each])) for each in side)
    rows_ = scene[PANIC_TRIGGERS]
    found = [each for each in rows_ if event in each.events and each.of in bound and each.count <= max(1, panicking)]
    return tuple(rows_[each.name].name for each in found if not each.effects or effect in each.effects)


SPARING: Final = ("panic", "injury")
PARTY: Final = figure("yearzero.talents.stress-healing", "party_anchor", int)


@formula("yearzero.talents.stress-healing/wallflower")
def is_spared(scene: Scene, who: Person, other: Person) -> bool:
    """Whether a wallflower keeps calm for others' sake: enough of the party are neither panicking nor out."""
    party = (each for each in comrades(scene, who) or others(scene, who) if each != other)
    up = (each for each in party if is_awake(scene[each]) and not scene[each].broken)
    calm = [each for each in up if not panic_effects(scene[each])]
    return applying(scene, who).granted("have the party as anchor") and len(calm) >= scene[PARTY]


# --- the check --------------------------------------------------------------------------------------------------------


@formula("yearzero.panic.check/penalty")
def panic_penalty(scene: Scene, who: Person) -> int:
    """The more Stress, the harder it is to keep calm."""
    return scene[PENALTIES].at(scene[who].stress).penalty


@rule(CHECK, bands=COMPOSED)
async def check_panic(scene: Scene, who: Person, doing: Doing = IDLE, met: tuple[Person, ...] = ()) -> RolledPool:
    """Insight (Calm), at a penalty by Stress, which is no action; whoever fails panics."""
    penalty = panic_penalty(scene, who)
    mods = (Mod(penalty, "Stress", CHECK),) if penalty else ()
    attempt = Attempt(
        "Insight", "Calm", mods=mods, tags=("calm", "resist", "panic", NO_ACTION), surplus=False, while_broken=True
    )
    rolled = await roll_skill(who, attempt)
    return rolled if rolled.success else await settled(rolled, then=give_way(who, doing, met))


@rule(f"{CHECK}/panic")
async def give_way(scene: Scene, who: Person, doing: Doing = IDLE, met: tuple[Person, ...] = ()) -> None:
    """Somebody panics by the table of what they were doing; a talent may put another panic in its place."""
    activity = await panicked_at(who, doing.skill)
    result = await roll_panic(who, activity)
    if any([await rule_named(each)(who, result) for each in applying(scene, who).at("panic")]):
        return
    await rule_named("yearzero.panic.effects")(who, activity, result, doing, met)


PANIC: Final = Prompt("panic")
ACTIVITY: Final = Prompt("activity")
PANIC_DIE: Final = figure("yearzero.panic.roll", "die", int)


@rule("yearzero.panic.context/table", "yearzero.panic.context")
async def panicked_at(scene: Scene, who: Person, skill: str) -> str:
    """What somebody was doing: fighting in a fight, else what was rolled; where neither says, the game master does."""
    if BATTLE in scene and who.name in scene[BATTLE].initiative:
        return COMBAT
    return activity_of(scene, skill) or await rule_on(ACTIVITY, COMBAT, options=scene[ACTIVITIES].names)


@rule("yearzero.panic.roll")
async def roll_panic(scene: Scene, who: Person, activity: str = COMBAT) -> int:
    """A D8 and the Stress; below a Panic Effect one is under already, a step worse than that."""
    found = await throw_panic(who)
    running = scene[who].panic_result if panic_effects(scene[who]) else 0
    return step_above(scene, activity, running) if found < running else found


@rule("yearzero.panic.roll/die")
async def throw_panic(scene: Scene, who: Person) -> int:
    """A D8 and the Stress."""
    thrown = await roll(PANIC, who, Pool.of((number_die(scene[PANIC_DIE]), 1)), Total)
    return thrown.total + scene[who].stress


@formula("yearzero.panic.roll/step")
def step_above(scene: Scene, activity: str, result: int) -> int:
    """The first result of the next row of a table; there is none above the last."""
    table = scene[PANIC_TABLES[scene[ACTIVITIES].look(activity).table]]
    row = table.at(result)
    return next((each for each in range(result, MOST_PANIC + 1) if table.at(each) != row), result)


MOST_PANIC: Final = 20
"""The result from which on all tables say the same."""


@rule(SUPPRESSION, IGNORE, bands=CALM)
async def suppression_test(scene: Scene, who: Person, met: tuple[Person, ...] = ()) -> bool:
    """Insight (Calm) or Suppressed, which a point of Willpower ignores; whether one keeps calm, as the senseless do."""
    if (by := scene[who].shaken_by) != SUPPRESSION:
        return await hand_over(rule_named(by)(who))
    if not is_awake(scene[who]):
        return True
    rolled = await roll_skill(
        who, Attempt("Insight", "Calm", tags=("calm", "resist", NO_ACTION), surplus=False, while_broken=True)
    )
    if rolled.success:
        return True
    if scene[who].willpower >= scene[IGNORE_COST] and await offer(who, IGNORE_SUPPRESSION, YES):
        await alter(who, Survivor.spending, scene[IGNORE_COST], rule=IGNORE)
        return True
    return await settled(False, then=suppressed(who, met))


@rule(f"{SUPPRESSION}/suppressed")
async def suppressed(scene: Scene, who: Person, met: tuple[Person, ...] = ()) -> None:
    """Suppressed until the next round is over, with the Stress of it, and without the next slow action."""
    await alter(who, Survivor.with_condition_until, SUPPRESSED, scene[CLOCK].now + scene[SUPPRESSED_ROUNDS])
    await lose_slow_action(who, SUPPRESSED, SUPPRESSION)
    await rule_named("yearzero.combat.overwatch-loss")(who)
    await tell("suppressed", who=who, metres=scene[SPREAD], rule=SUPPRESSION)
    await add_stress(who, scene[SUPPRESSION_STRESS])
    if BATTLE in scene and scene[BATTLE].has_map:
        await rule_named(f"{SUPPRESSION}/spread")(who, met)


@rule(f"{SUPPRESSION}/loss")
async def lose_slow_action(scene: Scene, who: Person, source: str, by: str) -> None:
    """The next slow action of a fight is lost: that of this round if it is still to come, or else the next."""
    if BATTLE in scene:
        lost_in = 1 if scene[BATTLE].has_slow_ahead(who.name) else scene[SUPPRESSED_ROUNDS]
        loss = Effect(Forbids("slow action"), until=ROUND_END, times_until=lost_in)
        await lay(who, loss, source=source, by=by)


@rule(f"{SUPPRESSION}/over")
async def raise_head(scene: Scene, who: Person) -> None:
    """Somebody is no longer Suppressed."""
    await alter(who, Survivor.without_condition, SUPPRESSED)


@due(Survivor, raise_head)
def head_is_raised(scene: Scene, who: Person) -> Iterator[Due]:
    """Nobody is Suppressed for longer than the rounds it lasts."""
    if (at := over_at(scene, who, SUPPRESSED, raise_head)) is not None:
        yield Due(raise_head, at=at)


@rule("yearzero.stress.gain/ally")
async def betrayed(scene: Scene, who: Person) -> None:
    """An ally attacks somebody."""
    await add_stress(who, scene[STRESSFUL][BETRAYED].stress)


@rule("yearzero.stress.gain/full-auto")
async def fire_fully(scene: Scene, who: Person) -> None:
    """Fire on full auto adds Stress only where the table plays what the author is unsure of."""
    event = scene[STRESSFUL][FULL_AUTO]
    if event.default:
        await add_stress(who, event.stress)


def events(scene: Scene, _: None) -> tuple[str, ...]:
    return scene[STRESSFUL].names


@action("gain-stress", "yearzero.stress.gain", master=True)
async def gain_stress(scene: Scene, who: Annotated[Person, Pick(people)], event: Annotated[str, Pick(events)]) -> int:
    """Something happens to somebody, or before their eyes, that adds Stress."""
    await add_stress(who, scene[STRESSFUL][event].stress)
    return scene[who].stress


@formula(f"{TRIGGERS}/list")
def panic_triggers(scene: Scene) -> tuple[str, ...]:
    """What calls for a Panic Check, as the book lists it."""
    return scene[PANIC_TRIGGERS].names


def triggers(scene: Scene, who: Person) -> tuple[str, ...]:
    return ("", *panic_triggers(scene))


def any_trigger(scene: Scene, who: Person, trigger: str) -> None:
    """The game master may find others."""


@action("panic-check", "yearzero.panic.check/called", bands=OUTCOME, turn=check_awake)
async def call_panic_check(
    scene: Scene, who: Person, trigger: Annotated[str, Pick(triggers, any_trigger)] = ""
) -> Outcome:
    """Insight (Calm), harder by Stress; whoever fails is under a Panic Effect."""
    if trigger in scene[PANIC_TRIGGERS]:
        _ = scene[PANIC_TRIGGERS][trigger]  # it takes part
    return plain(await check_panic(who))


@action("suppress", "yearzero.stress.suppression/called", bands=CALM, master=True)
async def suppress(scene: Scene, who: Annotated[Person, Pick(people)]) -> bool:
    """Fire, a blast or a comrade's fear calls for Calm: whoever fails is Suppressed."""
    return await suppression_test(who)


@action("compose", "yearzero.panic.check/end", master=True)
async def compose(scene: Scene, who: Annotated[Person, Pick(people)]) -> None:
    """Panic and suppression of somebody are over."""
    await alter(who, Survivor.without_condition, SUPPRESSED)
    await end_panic(who)


def panic_effects(sheet: Survivor) -> tuple[str, ...]:
    """The Panic Effects somebody is under."""
    return panics_of(sheet.conditions)


# --- the end of it ----------------------------------------------------------------------------------------------------


@rule("yearzero.panic.end")
async def end_panic(scene: Scene, who: Person) -> None:
    """A Panic Effect is over: its time has passed, or somebody is Broken, or rallied."""
    await alter(who, unpanicked)
    await moment("panic end", who)


def unpanicked(sheet: Survivor) -> Survivor:
    return replace(sheet.without_condition(*panic_effects(sheet)), panic_result=0)


@rule("yearzero.panic.end/time", "yearzero.panic.end")
async def panic_passes(scene: Scene, who: Person) -> None:
    """A turn of panic is over."""
    await end_panic(who)


@due(Survivor, panic_passes)
def panic_lasts(scene: Scene, who: Person) -> Iterator[Due]:
    """A Panic Effect is over at its time; one put on a sheet without a time lasts until something ends it."""
    for each in panic_effects(scene[who]):
        if (at := scene[who].end_of(each)) is not None:
            yield Due(panic_passes, at=at)


HEART_ATTACK: Final = "heart attack"


@rule("yearzero.panic.check/calmed", "yearzero.panic.end")
async def calm(scene: Scene, who: Person, stress: int) -> None:
    """Panic is over, and some Stress is gone."""
    await end_panic(who)
    await alter(who, Survivor.without_condition, HEART_ATTACK)
    await relieve(who, stress)
