"""Insight: reading people, calm, meditation."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Annotated, Final

from referee.core import (
    Audience,
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
    frozen,
    hand_over,
    lay,
    offer,
    refuse,
    rows,
    rule,
    set_deadline,
    tell,
)
from referee.core.effects import Adds
from referee.kits.wounds import TimeSpan
from referee.systems.yearzero.action_types import SPEAKING, ListedPrice
from referee.systems.yearzero.activities import (
    ActivityResult,
    Route,
    check_free,
    dawn_of,
    day_of,
    lay_for,
    lay_until_turn,
    lock,
    locked,
    now,
    occupy,
    result,
)
from referee.systems.yearzero.effects import EFFECT, OUTCOME, WHOM, Outcome, effect_table, effects_of, roll_for_effects
from referee.systems.yearzero.harm import check_able, relieve
from referee.systems.yearzero.rolls import (
    ATTACKING,
    DEFENDING,
    Attempt,
    RolledPool,
    gain_willpower,
    roll_once,
    roll_skill,
    throw_of,
)
from referee.systems.yearzero.scholar import UNLEARNED, Language, foreign, rarity, social_tags, spoken
from referee.systems.yearzero.sheet import WITS, Helpers, Person, Survivor, others
from referee.systems.yearzero.skills import AwakeOther, Gear, plain
from referee.systems.yearzero.time import units
from referee.systems.yearzero.trauma import ease_trauma, traumas

GENERAL: Final = "yearzero.insight.general-effects"
INSPIRE: Final = "yearzero.insight.inspire"
READ_ENEMY: Final = "yearzero.insight.read-enemy"
MEDITATION: Final = "yearzero.insight.meditation"
MEDITATIONS: Final = "yearzero.insight.meditation-effects"

EFFECTS: Final = effect_table(GENERAL, "Insight", bonus="bonus_effects", general=True)


@frozen
class Fact:
    """Something one may learn about somebody."""

    name: str


FACTS: Final = rows(GENERAL, "facts", Fact)
FACTS_LEARNED: Final = figure(GENERAL, "facts_learned", int)
FACT: Final = Prompt("fact")
UNLEARNED_ROW: Final = "unlearned language"


@figures(INSPIRE)
class InspireFigures:
    """The two routes to inspire somebody, and what it gives."""

    dm: int
    x: int
    bonus: int
    bonus_per_extra_success: int


@figures(READ_ENEMY)
class ReadEnemy:
    """The two routes to foresee an opponent's moves, and what it gives."""

    dm: int
    x: int
    bonus: int
    bonus_per_extra_success: int
    targets: int


# --- reading people ---------------------------------------------------------------------------------------------------


@rule(f"{GENERAL}/learn")
async def learn_facts(scene: Scene, who: Person, target: Person | None, beyond: int) -> None:
    """Two facts about somebody: what the sheet says is told at once, the game master tells the rest."""
    other = target if target is not None else await choose(who, WHOM, others(scene, who))
    left = scene[FACTS].names
    for _ in range(scene[FACTS_LEARNED]):
        fact = await choose(who, FACT, left, audience=Audience.OWNER)
        left = tuple(each for each in left if each != fact)
        shown = _shown(scene, other, scene[FACTS][fact].name)
        await tell("fact", who=who, audience=Audience.OWNER, about=other.name, fact=fact, shown=shown)


def _shown(scene: Scene, other: Person, fact: str) -> str:
    """What a sheet says of a fact."""
    sheet = scene[other]
    match fact:
        case "total INSIGHT dice":
            return str(throw_of(scene, other, Attempt("Insight")).dice.that_succeed)
        case "total INFLUENCE dice":
            return str(throw_of(scene, other, Attempt("Influence")).dice.that_succeed)
        case "INSIGHT and INFLUENCE specialties and talents":
            own = {name: n for name, n in sheet.specialties.items() if name.startswith(("Insight", "Influence"))}
            return ", ".join(f"{name} {n}" for name, n in {**own, **sheet.talents}.items()) or "none"
        case _:
            return "the game master says"


def reading_effects(scene: Scene, who: Person, target: Person, language: Language = "learned") -> tuple[str, ...]:
    return effects_of(scene, EFFECTS, *social_tags(scene, spoken(scene, who, language)))


@action("read-motives", "yearzero.insight.use", GENERAL, bands=OUTCOME, price=SPEAKING)
async def read_motives(
    scene: Scene,
    who: Person,
    target: AwakeOther,
    language: Language = "learned",
    effect: Annotated[str, Pick(reading_effects)] = "",
    gear: Gear = "",
    mods: Mods = (),
    helpers: Helpers = (),
    goal: str = "",
) -> Outcome:
    """Find out what moves somebody. In a language that was not learned it takes a penalty, or more successes."""
    language = spoken(scene, who, language)
    tags = social_tags(scene, language)
    unlearned = scene[EFFECTS.rows][UNLEARNED_ROW]
    hoping = UNLEARNED in tags and not effect
    own = rarity(scene, language) if hoping or effect == unlearned.name else foreign(scene, language)
    needed = unlearned.x if hoping else 1
    attempt = Attempt("Insight", "Reader", gear, (*mods, *own), helpers, target, tags, goal=goal, needed=needed)
    return await hand_over(roll_for_effects(who, attempt, GENERAL, effect, target))


@action("inspire", INSPIRE, bands=OUTCOME, price=SPEAKING)
async def inspire(
    scene: Scene, who: Person, target: AwakeOther, intended: bool = True, gear: Gear = "", mods: Mods = ()
) -> Outcome:
    """Instead of helping, inspire somebody before they roll; whoever fails shares the bad consequences."""
    row = scene[InspireFigures]
    route = Route(row.dm, row.x)
    rolled = await roll_once(who, route.of(Attempt("Insight", "", gear, mods), "inspire", INSPIRE, aimed=intended))
    if rolled.success:
        bonus = row.bonus + route.beyond(rolled, aimed=intended) * row.bonus_per_extra_success
        await lay(target, Effect(Adds(bonus), uses=1), source=f"inspired by {who}", by=INSPIRE)
    else:
        await tell("hinders", who=who, target=target.name)
    return plain(rolled)


def check_opponents(scene: Scene, who: Person, target: Person, other_targets: tuple[Person, ...] = ()) -> None:
    """No more opponents at once than the book allows."""
    if 1 + len({*other_targets} - {target}) > (most := scene[ReadEnemy].targets):
        refuse(f"{most} at a time", rule=READ_ENEMY)


@action(
    "read-enemy", READ_ENEMY, bands=OUTCOME, price=ListedPrice("Read Enemy"), check=check_opponents, turn=check_able
)
async def read_enemy(
    scene: Scene,
    who: Person,
    target: AwakeOther,
    intended: bool = True,
    gear: Gear = "",
    mods: Mods = (),
    other_targets: tuple[AwakeOther, ...] = (),
) -> Outcome:
    """Foresee an opponent's moves: attacks and defences against them are easier until your next turn."""
    row = scene[ReadEnemy]
    route = Route(row.dm, row.x)
    attempt = Attempt("Insight", "Tactician", gear, mods, against=target)
    rolled = await roll_once(who, route.of(attempt, "read enemy", READ_ENEMY, aimed=intended))
    if rolled.success:
        bonus = Adds(row.bonus + route.beyond(rolled, aimed=intended) * row.bonus_per_extra_success)
        for tag, other in product((ATTACKING, DEFENDING), (target, *other_targets)):
            await lay_until_turn(who, Effect(bonus, frozenset((tag,))), who, f"reads {other}", READ_ENEMY, other)
    return plain(rolled)


# --- meditation -------------------------------------------------------------------------------------------------------


@frozen
class MeditationCondition:
    """Where and how one meditates."""

    name: str
    dm: int


@frozen
class Meditation:
    """What meditation may bring, how long it takes, and what it needs."""

    name: str
    dm: int
    x: int
    says: str = ""
    time: TimeSpan | None = None
    stress: int = 0
    recovers: tuple[str, ...] = ()
    willpower: int = 0
    attempt: int = 0
    """Which attempt of the day it is."""
    wits: int = 0
    ends: str = ""
    """A condition that it ends."""
    halves_trauma: bool = False
    lays: tuple[Effect, ...] = ()
    lasts: TimeSpan | None = None
    lock: TimeSpan | None = None


@frozen
class WillpowerTime:
    """How long a meditation for Willpower takes: the more danger, the shorter."""

    name: str
    time: TimeSpan
    says: str = ""


CONDITIONS: Final = rows(MEDITATION, "conditions", MeditationCondition)
MINDFUL: Final = figure(MEDITATION, "specialty", str)
MEDITATION_ROWS: Final = rows(MEDITATIONS, "rows", Meditation)
WILLPOWER_TIMES: Final = rows(MEDITATIONS, "willpower_times", WillpowerTime)
WITS_REQUIRED: Final = figure(MEDITATIONS, "wits_successes_required", int)
WILLPOWER_ATTEMPTS: Final = figure(MEDITATIONS, "willpower_attempts_per_day", int)
WILLPOWER_LOCK: Final = "Willpower by meditation"
SHORTEST: Final = TimeSpan(plus=5, unit="minutes")


def meditations(scene: Scene, who: Person) -> tuple[str, ...]:
    return ("", *scene[MEDITATION_ROWS].names)


def check_meditation(scene: Scene, who: Person, effect: str) -> None:
    """Willpower twice a day, each attempt with its own penalty; some only once a week."""
    if not effect:
        return
    row = scene[MEDITATION_ROWS].look(effect)
    if row.attempt:
        tried = locked(scene, who, WILLPOWER_LOCK)
        if tried >= scene[WILLPOWER_ATTEMPTS]:
            raise Refused(effect, because=f"{who} has tried twice today", rule=MEDITATIONS)
        if tried != row.attempt - 1:
            raise Refused(effect, because=f"this is attempt {tried + 1} of the day", rule=MEDITATIONS)
    if row.lock and locked(scene, who, row.name):
        raise Refused(effect, because="it was done within a week", rule=MEDITATIONS)
    if row.halves_trauma and not traumas(scene, who):
        raise Refused(effect, because=f"{who} has no Trauma Effect that heals", rule=MEDITATIONS)
    for attribute in row.recovers:
        applying(scene, who, attribute).check_allowed("recover", rule=MEDITATIONS)


def check_lucky(scene: Scene, who: Person, successes: int, effect: str) -> None:
    row = scene[MEDITATION_ROWS].look(effect)
    if successes < row.x:
        raise Refused(effect, because=f"it takes {row.x} successes", rule=MEDITATIONS)
    check_meditation(scene, who, effect)


@action(
    "meditate",
    MEDITATION,
    MEDITATIONS,
    bands=OUTCOME,
    check=lambda scene, who: check_free(scene, who, "meditation"),
    turn=check_able,
)
async def meditate(
    scene: Scene,
    who: Person,
    effect: Annotated[str, Pick(meditations, check_meditation)] = "",
    conditions: tuple[Annotated[str, CONDITIONS], ...] = (),
    situation: Annotated[str, WILLPOWER_TIMES] = "safe place, no danger",
    hours: int = 1,
    mods: Mods = (),
) -> ActivityResult:
    """Meditate, for an effect that is aimed for or hoped for; conditions add up."""
    own = tuple(Mod(scene[CONDITIONS][each].dm, each, MEDITATION) for each in conditions)
    attempt = Attempt("Insight", scene[MINDFUL], mods=(*mods, *own))
    if effect:
        row = scene[MEDITATION_ROWS][effect]
        attempt = attempt.adding(Mod(row.dm, effect, MEDITATIONS))
        await note_attempt(who, effect)
    rolled = await roll_skill(who, attempt)
    reached = effect if effect and rolled.success else await hoped_for(who, rolled) if not effect else ""
    time = await meditated(who, reached or effect, reached, situation, hours)
    await occupy(who, "meditation", time)
    return result(rolled, effects=(reached,) if reached else ())


@rule(f"{MEDITATIONS}/hoped-for")
async def hoped_for(scene: Scene, who: Person, rolled: RolledPool) -> str:
    """Without an aim, one effect that the successes are enough for."""
    picked = await offer(
        who, EFFECT, scene[MEDITATION_ROWS].names, check=lambda name: check_lucky(scene, who, rolled.successes, name)
    )
    if picked:
        await note_attempt(who, picked)
    return picked or ""


@rule(f"{MEDITATIONS}/attempt")
async def note_attempt(scene: Scene, who: Person, effect: str) -> None:
    """Any attempt at Willpower, successful or not, is one of the two of the day."""
    row = scene[MEDITATION_ROWS][effect]
    if row.attempt:
        await lock(who, WILLPOWER_LOCK, dawn_of(scene, day_of(scene) + 1))


def meditation_time(scene: Scene, effect: str, situation: str, hours: int) -> int:
    """How long it takes, in rounds."""
    sizes = {each.name: each.size for each in units(scene)}
    row = scene[MEDITATION_ROWS][effect] if effect else None
    if row is None:
        span = SHORTEST
    elif row.willpower:
        span = scene[WILLPOWER_TIMES][situation].time
    else:
        span = row.time or TimeSpan(plus=hours, unit="hours")
    return span.plus * span.size(sizes)


@rule(f"{MEDITATIONS}/reached")
async def meditated(scene: Scene, who: Person, wanted: str, reached: str, situation: str, hours: int) -> int:
    """What the meditation brings, and how long it has taken."""
    time = meditation_time(scene, wanted, situation, hours)
    if not reached:
        return time
    row = scene[MEDITATION_ROWS][reached]
    sizes = {each.name: each.size for each in units(scene)}
    if row.stress:
        await relieve(who, row.stress)
    for attribute in row.recovers:
        await alter(who, Survivor.healing, attribute, 1)
    if row.willpower:
        await gain_willpower(who, row.willpower)
    if row.ends:
        await alter(who, Survivor.without_condition, row.ends)
    if row.wits:
        await grow_wiser(who, row.wits)
    if row.halves_trauma:
        await ease_trauma(who)
    if row.lays and row.lasts is None:
        await set_deadline(time, who, meditation_is_over, about=f"{row.name}: {time // 2} rounds")
    elif row.lasts is not None:
        await lay_all(who, row.name, row.lasts.plus * row.lasts.size(sizes))
    if row.lock:
        await lock(who, row.name, now(scene) + row.lock.plus * row.lock.size(sizes))
    return time


@rule(f"{MEDITATIONS}/over")
async def meditation_is_over(scene: Scene, who: Person, about: str) -> None:
    """What is for half the time just meditated begins when the meditation is over."""
    name, _, rounds = about.removesuffix(" rounds").rpartition(": ")
    await lay_all(who, name, int(rounds))


@rule(f"{MEDITATIONS}/effects")
async def lay_all(scene: Scene, who: Person, name: str, rounds: int) -> None:
    """The effects of a meditation, for a time."""
    for effect in scene[MEDITATION_ROWS][name].lays:
        await lay_for(who, effect, rounds, name, MEDITATIONS)


@rule(f"{MEDITATIONS}/wits")
async def grow_wiser(scene: Scene, who: Person, points: int) -> None:
    """Every third success raises Wits for good."""
    sheet = scene[who]
    count = sheet.wits_meditations + 1
    if count < scene[WITS_REQUIRED]:
        await alter(who, _meditated, count)
        return
    await alter(who, _meditated, 0)
    await alter(who, _wiser, points)


def _meditated(sheet: Survivor, count: int) -> Survivor:
    return replace(sheet, wits_meditations=count)


def _wiser(sheet: Survivor, points: int) -> Survivor:
    return replace(sheet, attributes=sheet.attributes.but(**{WITS: sheet.full(WITS) + points}))
