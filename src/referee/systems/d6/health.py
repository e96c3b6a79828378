"""Health: the ladder of wounds, stuns and knock-outs, bleeding to death, fatigue, and natural healing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from referee.core import (
    CLOCK,
    YES,
    Bands,
    Pool,
    Prompt,
    Scene,
    Total,
    action,
    advance_clock,
    alter,
    applying,
    cancel_deadline,
    figure,
    figures,
    formula,
    frozen,
    number_die,
    offer,
    option,
    refuse,
    roll,
    rows,
    rule,
    tell,
    total,
)
from referee.core.clock import Due, due
from referee.core.effects import EFFECTS, Effects, moment
from referee.core.encounter import encounters
from referee.core.rules import rule_named
from referee.kits.dice_codes import Code
from referee.kits.rounds import Rounds
from referee.kits.wounds import TimeSpan, WoundLadder
from referee.systems.d6.codes import SIDES, ability_name, own_code
from referee.systems.d6.rolls import (
    ANY_ROLL,
    FATE_SCOPE,
    IGNORES_STUNS,
    ROUND_END,
    FateScope,
    felt,
    modified_code,
    roll_for,
)
from referee.systems.d6.sheet import FATE_POINTS, GRAPPLING, Bleeding, Hero, Person, Unconscious
from referee.systems.d6.time import rounds_of
from referee.systems.d6.wounds import (
    DEAD,
    HEALTHY,
    MORTAL,
    NEUTRALIZED,
    TORSO,
    WOUND_LEVELS,
    WOUND_PENALTY,
    WOUNDED,
    ZONE_STATES,
    wound_effects,
)

DURATION: Final = Prompt("duration")
DEATH: Final = Prompt("death")
DEFY_DEATH: Final = Prompt("defy-death")
INVOKE_WILLPOWER: Final = Prompt("invoke-willpower")
STAY_AWAKE: Final = Prompt("stay-awake")

KNOCK_OUT: Final = "knock-out"
KNOCKED_OUT: Final = "knocked out"
BY_NEUTRALIZED: Final = "neutralized"
BY_STUNS: Final = "stunned"
FROM_A_MORTAL_WOUND: Final = "mortally wounded"
EXHAUSTED: Final = "exhausted"
ASLEEP: Final = "asleep"
SLEPT_OUT: Final = "d6.health.lack-of-sleep/slept"
COMA: Final = "coma"
WITHOUT_A_TIME: Final = (FROM_A_MORTAL_WOUND, EXHAUSTED, COMA)
"""Why somebody is unconscious until something else ends it; any other cause has a time that is rolled."""
UNCONSCIOUS_AT_ANY_STUN: Final = "fall unconscious at any stun"
STABLE: Final = "stable"
DEATH_CHECK: Final = "death check"
"""The situation of a roll for one's life."""
WHILE_WOUNDED: Final = "wounded"
WOUND_A_MINUTE: Final = "wound a minute"
IGNORES_FIRST_STUN: Final = "ignore the first stun of physical damage"


@figures("d6.health.knock-out")
class KnockOut:
    """How long a knock-out lasts, by Stamina and by Willpower, and what Willpower is worth."""

    stamina: TimeSpan
    willpower: TimeSpan
    willpower_dice_less: int


@figures("d6.health.cumulate-wounds")
class Unmoved:
    """The one wound that adds nothing to what is there."""

    unmoved_at: str
    unmoved_by: str


NEUTRALIZED_FOR: Final = figure("d6.health.neutralized", "unconscious", TimeSpan)
DEATH_DICE: Final = figure("d6.health.mortally-wounded", "death_dice", int)
WEARS_OFF: Final = figure("d6.health.stun-stacking", "wear_off", int)
DESPERATE_DICE_LESS: Final = figure("d6.health.desperation-recovery", "strength_dice_less", int)
HEROIC_DEATH: Final = option("d6.health.dead")
DESPERATION: Final = option("d6.health.desperation-recovery")


# --- wounds -----------------------------------------------------------------------------------------------------------


@formula("d6.health.cumulate-wounds")
def cumulated(scene: Scene, who: Person, wound: str, zone: str = TORSO) -> str:
    """A worse wound replaces the level; any other is a step more, but Wounded adds nothing to a mortal wound."""
    now, ladder = scene[who].wound_at(zone), scene[who].ladder(scene)
    if (now, wound) == (scene[Unmoved].unmoved_at, scene[Unmoved].unmoved_by):
        return now
    return ladder.after(on_ladder(scene, ladder, now), on_ladder(scene, ladder, wound))


def on_ladder(scene: Scene, ladder: WoundLadder, level: str) -> str:
    """A level of the book on somebody's own ladder: the next worse one, if theirs does not have it."""
    names = scene[WOUND_LEVELS].names
    return next(each for each in names[names.index(level) :] if each in ladder.levels)


@rule("d6.health.cumulate-wounds/wound", "d6.health.cumulate-wounds")
async def wounded(
    scene: Scene, who: Person, wound: str, zone: str = TORSO, untreatable: str = "", bleeds: bool = True
) -> str:
    """Somebody is wounded once more: the level that follows, and what comes of it. First Aid may help again."""
    level = cumulated(scene, who, wound, zone)
    if level == DEAD and scene[HEROIC_DEATH] and await defies_death(who):
        level = MORTAL
    await set_level(who, level, zone, bleeds)
    await alter(who, treatable, untreatable)
    if zone == TORSO:
        await check_knock_out(who)
    return level


def treatable(sheet: Hero, untreatable: str) -> Hero:
    """A new wound: First Aid may be tried again, unless no treatment helps against what it comes from."""
    return replace(sheet, first_aided=False, untreatable=untreatable)


@rule("d6.health.wound-levels", "d6.health.neutralized", "d6.health.mortally-wounded")
async def set_level(scene: Scene, who: Person, level: str, zone: str = TORSO, bleeds: bool = True) -> None:
    """A new level: whoever is Neutralized is unconscious for a while, a mortal wound bleeds, a lesser one does not."""
    before = scene[who].wound_at(zone)
    if before == HEALTHY and not scene[who].zones and applying(scene, who, WHILE_WOUNDED).extra(WOUND_A_MINUTE):
        await alter(who, hurt_at, scene[CLOCK].now)
    await alter(who, Hero.wounded, scene[WOUND_LEVELS][level].name, zone)
    await rest(who, zone)
    if level == HEALTHY and scene[who].states:
        await alter(who, zone_healed, zone, tuple(row.name for row in scene[ZONE_STATES] if row.permanent))
    if zone != TORSO or before == level:
        return
    if level == NEUTRALIZED and before != MORTAL:
        await fall_unconscious(who, scene[NEUTRALIZED_FOR], BY_NEUTRALIZED)
    if level == MORTAL:
        await alter(who, mortally_out, scene[CLOCK].now)
        await go_limp(who)
        await alter(who, bleeding_on, Bleeding(strength_dice(scene, who), care="" if bleeds else STABLE))
    elif before == MORTAL and level != DEAD:
        await alter(who, stopped_bleeding, scene[CLOCK].now)
        if level == NEUTRALIZED:
            await fall_unconscious(who, scene[NEUTRALIZED_FOR], BY_NEUTRALIZED)
    if level == DEAD:
        await go_limp(who)
        await cancel_deadline(who)
        await tell("died", who=who)


def hurt_at(sheet: Hero, now: int) -> Hero:
    return replace(sheet, hurt_since=now)


@rule("d6.flaws.physical-e-w/minute", "d6.flaws.physical-e-w")
async def bleed_on(scene: Scene, who: Person) -> None:
    """A minute has passed: a wound that has not closed is one more."""
    for _ in range(applying(scene, who, WHILE_WOUNDED).extra(WOUND_A_MINUTE)):
        await wounded(who, WOUNDED)


def zone_healed(sheet: Hero, zone: str, permanent: tuple[str, ...]) -> Hero:
    """What a wound left in a zone is over with it, unless it is for ever."""
    kept = tuple(each for each in sheet.states if each.zone != zone or each.state in permanent)
    return replace(sheet, states=kept)


def mortally_out(sheet: Hero, now: int) -> Hero:
    """Unconscious as long as the wound is mortal, and until an earlier cause has had its time."""
    out = sheet.unconscious
    return replace(sheet, unconscious=Unconscious(FROM_A_MORTAL_WOUND, now, None if out is None else out.until))


def stopped_bleeding(sheet: Hero, now: int) -> Hero:
    """The wound is no longer mortal; a punctured lung goes on bleeding, and what else knocked somebody out its time."""
    hopeless, out = sheet.bleeding is not None and sheet.bleeding.hopeless, sheet.unconscious
    still = None if out is None or out.until is None or out.until <= now else replace(out, cause=BY_STUNS)
    return replace(sheet, bleeding=sheet.bleeding if hopeless else None, unconscious=still)


def strength_dice(scene: Scene, who: Person) -> int:
    """The dice of Strength, without its pips."""
    return own_code(scene, who, "Strength").dice


LIVES: Final[Bands[bool]] = Bands(of=lambda lives: "lives" if lives else "dies", keys=("lives", "dies"))


@rule("d6.health.dead", bands=LIVES)
async def defies_death(scene: Scene, who: Person) -> bool:
    """In a heroic campaign a Fate Point makes a deadly wound a mortal one."""
    return await spends_fate(who, DEFY_DEATH)


@rule("d6.health.damage-roll/fate", "d6.health.damage-roll")
async def spends_fate(scene: Scene, who: Person, prompt: Prompt) -> bool:
    """A Fate Point spent to live or to stay awake; only where there are any."""
    if scene[FATE_SCOPE] is FateScope.OFF:
        return False
    if not await offer(who, prompt, YES, check=lambda _: check_fate_left(scene, who)):
        return False
    await alter(who, Hero.spending, 0, 1)
    return True


def check_fate_left(scene: Scene, who: Person) -> None:
    if not scene[who].fate_points:
        refuse("no Fate Point is left", rule=FATE_POINTS)


# --- stuns and knock-outs ---------------------------------------------------------------------------------------------


@rule("d6.health.stun-stacking")
async def stunned(scene: Scene, who: Person, stuns: int, zone: str = TORSO) -> None:
    """Stuns count separately and add up; somebody big shrugs off the first, somebody tiny is out at once."""
    taken = stuns - 1 if applying(scene, who).granted(IGNORES_FIRST_STUN) else stuns
    if taken <= 0:
        return
    await alter(who, Hero.stunned, taken)
    await check_knock_out(who)


@formula("d6.health.wound-levels/penalty", "d6.health.wound-levels")
def health_penalty(scene: Scene, who: Person) -> int:
    """The dice that wounds and stuns cost: fatigue is not among them."""
    own = {(each.source, each.rule) for each in wound_effects(scene, scene[who].wound, scene[who].stuns)}
    applied = felt(scene, who, ANY_ROLL).mods
    pain = {each.source for each in applying(scene, who, WOUND_PENALTY).active if WOUND_PENALTY in each.effect.when}
    return -total(mod for mod in applied if (mod.label, mod.rule) in own or mod.label in pain)


@formula("d6.health.knock-out/penalty", "d6.health.knock-out")
def knock_out_penalty(scene: Scene, who: Person) -> int:
    """The dice that wounds and stuns cost, as if no merit made them easier to bear."""
    merits = {each.name for each in scene[who].merits}
    pain = applying(scene, who, WOUND_PENALTY).active
    eased = {each.source for each in pain if WOUND_PENALTY in each.effect.when and each.source in merits}
    return health_penalty(scene, who) + total(mod for mod in felt(scene, who, ANY_ROLL).mods if mod.label in eased)


@formula("d6.health.stamina-raw-dice")
def raw_dice(scene: Scene, who: Person, using: str, situation: str = "") -> int:
    """The dice of a skill as such: health never lowers them, other modifiers may."""
    named = ability_name(scene, using)
    mods = applying(scene, who, *named.tags, situation).mods
    return modified_code(scene, own_code(scene, who, using), tuple(mod for mod in mods if mod.unit != "difficulty"))[
        0
    ].dice


AWAKE: Final[Bands[bool]] = Bands(of=lambda out: "knocked-out" if out else "awake", keys=("awake", "knocked-out"))


@rule("d6.health.knock-out", bands=AWAKE)
async def check_knock_out(scene: Scene, who: Person) -> bool:
    """As many dice of penalty as Stamina has, and one is out; Willpower may hold on longer, and costs more."""
    if scene[who].unconscious is not None or scene[who].wound in (NEUTRALIZED, MORTAL, DEAD):
        return False
    penalty, times = knock_out_penalty(scene, who), scene[KnockOut]
    tiny = scene[who].stuns > 0 and applying(scene, who).granted(UNCONSCIOUS_AT_ANY_STUN) and not is_in_rage(scene, who)
    if not penalty or (not tiny and penalty < raw_dice(scene, who, "Stamina", KNOCK_OUT)):
        return False
    span = times.stamina
    if not tiny and await offer(who, INVOKE_WILLPOWER, YES):
        if penalty < raw_dice(scene, who, "Willpower") - times.willpower_dice_less:
            return False
        span = times.willpower
    if scene[DESPERATION] and await spends_fate(who, STAY_AWAKE):
        await alter(who, Hero.less_stunned, strength_dice(scene, who) - scene[DESPERATE_DICE_LESS])
        return False
    await fall_unconscious(who, span, KNOCKED_OUT)
    return True


@rule("d6.health.knock-out/unconscious", "d6.health.knock-out")
async def fall_unconscious(scene: Scene, who: Person, span: TimeSpan, cause: str) -> None:
    """Somebody is unconscious for a time that is rolled, and then wakes up; of two such times the later counts."""
    rolled = 0
    if span.dice:
        rolled = (await roll(DURATION, who, Pool.of((number_die(scene[SIDES]), span.dice)), Total)).total
    rounds = rounds_of(scene, rolled * span.times + span.plus, span.unit)
    await alter(who, out_until, cause, scene[CLOCK].now, scene[CLOCK].now + rounds)
    await go_limp(who)


@rule(GRAPPLING + "/limp", GRAPPLING)
async def go_limp(scene: Scene, who: Person) -> None:
    """Whoever is out holds nobody any more, and nobody's weapon."""
    hold = scene[who].grapple
    for each in scene.all(Hero):
        if hold is not None and not hold.held and each.name in (who.name, hold.foe):
            await alter(each, Hero.in_grapple, None)
        for pinned in scene[each].pinned:
            if pinned.by == who.name:
                await alter(each, Hero.freed, pinned.weapon)


def unconscious_by(sheet: Hero, cause: str, now: int, until: int | None = None) -> Hero:
    return replace(sheet, unconscious=Unconscious(cause, now, until))


def out_until(sheet: Hero, cause: str, now: int, until: int) -> Hero:
    """Unconscious until a time, or until the later one of two; Neutralized is the harder cause to wake from."""
    out = sheet.unconscious
    if out is None or out.cause == EXHAUSTED:
        return replace(sheet, unconscious=Unconscious(cause, now, until))
    worse = cause if cause == BY_NEUTRALIZED else out.cause
    endless = out.until is None and out.cause != FROM_A_MORTAL_WOUND
    later = None if endless else max(out.until or 0, until)
    return replace(sheet, unconscious=Unconscious(worse, out.since, later))


def wakes_at(scene: Scene, who: Person) -> int | None:
    """When somebody wakes up, if that was rolled; in an older log the clock has it."""
    out = scene[who].unconscious
    if out is None or scene[who].wound in (MORTAL, DEAD):
        return None
    wakes = rule_named(SLEPT_OUT) if out.cause == ASLEEP else wake_up
    return scene[CLOCK].ahead(who, wakes) if out.until is None else out.until


@rule("d6.health.knock-out/wake", "d6.health.knock-out", "d6.health.neutralized")
async def wake_up(scene: Scene, who: Person) -> None:
    """Awake again: as many stuns are gone as rounds have passed."""
    if scene[who].unconscious is None or scene[who].wound in (MORTAL, DEAD):
        return
    await alter(who, woken, scene[CLOCK].now)


def woken(sheet: Hero, now: int) -> Hero:
    """Awake, with a stun less for every round that has passed."""
    since = now if sheet.unconscious is None else sheet.unconscious.since
    return replace(sheet.less_stunned(now - since), unconscious=None)


def check_knocked_out(scene: Scene, who: Person) -> None:
    """Only somebody who was knocked out can be woken by Fate."""
    out = scene[who].unconscious
    if out is None or out.cause != KNOCKED_OUT:
        refuse(f"{who} was not knocked out")
    check_fate_left(scene, who)


@action("rouse-oneself", "d6.health.desperation-recovery", check=check_knocked_out)
async def rouse_oneself(scene: Scene, who: Person) -> None:
    """A Fate Point wakes somebody who was knocked out, and takes some stuns away."""
    await alter(who, Hero.spending, 0, 1)
    await alter(who, Hero.less_stunned, strength_dice(scene, who) - scene[DESPERATE_DICE_LESS])
    await wake_up(who)


# --- the end of a round -----------------------------------------------------------------------------------------------


@rule("d6.health.stun-stacking/round-end", "d6.health.stun-stacking", "d6.health.mortally-wounded")
async def end_of_round(scene: Scene, who: Person) -> None:
    """At the end of a round broken ribs may suffer, a stun of an earlier one wears off, a mortal wound bleeds on.

    Stuns of somebody unconscious are counted off when they wake.
    """
    if any(each.exertion for each in scene[who].states):
        await rule_named("d6.health.broken-ribs/strain")(who)
    if scene[who].stuns:
        await alter(who, Hero.round_over, scene[WEARS_OFF] if scene[who].unconscious is None else 0)
    if (now := mortal_bleeding(scene, who)) is not None:
        await alter(who, bleeding_on, now)
        await bleed(who)


@rule("d6.health.mortally-wounded")
async def bleed(scene: Scene, who: Person) -> None:
    """After as many rounds as Strength has dice, 2D every round: less than the rolls made so far is death.

    Merits and flaws may change what is rolled.
    """
    is_due = rolls_made(bled(scene[who])) > rolls_made(scene[who])
    await alter(who, bled)
    if not is_due:
        return
    if not await fight_for_life(who):
        await alter(who, bled_to_death, scene[CLOCK].now - (0 if counts_rounds(scene) else 1))
        await set_level(who, DEAD)


@rule("d6.health.mortally-wounded/roll", "d6.health.mortally-wounded", bands=LIVES)
async def fight_for_life(scene: Scene, who: Person) -> bool:
    """A roll of at least as much as the rolls made so far; or else a Fate Point."""
    mods = applying(scene, who, DEATH_CHECK).mods
    code, plus = modified_code(scene, Code(scene[DEATH_DICE]), mods)
    shown = await roll(DEATH, who, Pool.of((number_die(scene[SIDES]), code.dice)), Total, mods=mods)
    return shown.total + code.pips + plus >= rolls_made(scene[who]) or await spends_fate(who, DEFY_DEATH)


def mortal_bleeding(scene: Scene, who: Person) -> Bleeding | None:
    """How a mortal wound, or a punctured lung, goes on; if a sheet says no more than the level, it has just begun."""
    sheet = scene[who]
    if sheet.bleeding is None:
        return Bleeding(strength_dice(scene, who)) if sheet.wound == MORTAL else None
    return sheet.bleeding if sheet.wound == MORTAL or (sheet.bleeding.hopeless and sheet.wound != DEAD) else None


def rolls_made(sheet: Hero) -> int:
    """How often somebody has fought for their life."""
    return 0 if sheet.bleeding is None else sheet.bleeding.rolls


def bled(sheet: Hero) -> Hero:
    """A round of a mortal wound: it is looked after, or there is time left, or a roll is due."""
    now = sheet.bleeding
    if now is None or now.care == STABLE:
        return sheet
    if now.care == "temporary" and now.kept_up:
        return replace(sheet, bleeding=replace(now, kept_up=False))
    if now.grace > 0:
        return replace(sheet, bleeding=replace(now, care="", grace=now.grace - 1))
    return replace(sheet, bleeding=replace(now, care="", rolls=now.rolls + 1))


def bled_to_death(sheet: Hero, now: int) -> Hero:
    return replace(sheet, bleeding=sheet.bleeding and replace(sheet.bleeding, died=now))


def bleeding_on(sheet: Hero, now: Bleeding) -> Hero:
    return replace(sheet, bleeding=now)


def counts_rounds(scene: Scene) -> bool:
    """Whether a fight or skirmish is in the scene, which ends its rounds by itself."""
    return any(isinstance(scene[each], Rounds) for each in encounters(scene))


@rule("d6.glossary.terms/round-over", "d6.glossary.terms")
async def round_over(scene: Scene, who: Person) -> None:
    """A round is over for somebody outside of a fight: what lasted until its end, stuns, mortal wounds."""
    await moment(ROUND_END, who)
    await end_of_round(who)


def feels_rounds(scene: Scene, who: Person) -> bool:
    """Whether the end of a round changes anything for somebody."""
    sheet, bleeding = scene[who], mortal_bleeding(scene, who)
    laid = scene.get(EFFECTS, Effects()).lasting
    return (
        sheet.stuns > (0 if sheet.unconscious is None else sheet.stuns - sheet.new_stuns)
        or (bleeding is not None and bleeding.care != STABLE)
        or any(each.exertion for each in sheet.states)
        or any(each.on == who.name and each.effect.until == ROUND_END for each in laid)
    )


@due(Hero, round_over, wake_up)
def rounds_and_waking(scene: Scene, who: Person) -> Iterator[Due]:
    """Every round that passes outside of a fight ends for whoever feels it; the unconscious wake when it is time."""
    if not counts_rounds(scene) and feels_rounds(scene, who):
        yield Due(round_over, order=-1)
    out = scene[who].unconscious
    if out is not None and out.cause != ASLEEP and (until := wakes_at(scene, who)) is not None:
        yield Due(wake_up, at=until)


@due(Hero, bleed_on)
def open_wounds(scene: Scene, who: Person) -> Iterator[Due]:
    """Whose wounds do not close has another one every minute, until they are healed or mortal."""
    sheet = scene[who]
    hurt = sheet.wound not in (HEALTHY, MORTAL, DEAD) or (sheet.zones and sheet.wound == HEALTHY)
    if hurt and applying(scene, who, WHILE_WOUNDED).extra(WOUND_A_MINUTE):
        yield Due(bleed_on, every=rounds_of(scene, 1, "minute"), since=sheet.hurt_since)


# --- natural healing --------------------------------------------------------------------------------------------------


@frozen
class HealingRow:
    """How a level heals by itself: after which rest, and what the Strength roll must show."""

    name: str
    rest: TimeSpan
    worsens_to: int
    improves_from: int


@frozen
class CareRow:
    """Who cares for somebody, and into how many parts that divides the rest."""

    name: str
    parts: int


HEALING: Final = rows("d6.health.natural-healing", "rows", HealingRow)
CARE: Final = rows("d6.health.natural-healing", "care", CareRow)
RECOVERY: Final = "recovery"
MEDICINE: Final = "Medicine (A)"


@formula("d6.health.natural-healing/rest", "d6.health.natural-healing")
def rest_rounds(scene: Scene, who: Person, zone: str = TORSO) -> int:
    """How long somebody must rest before the wound may heal, in rounds; a physician shortens it."""
    row = scene[HEALING][scene[who].wound_at(zone)]
    return rounds_of(scene, row.rest.plus, row.rest.unit) // scene[CARE][scene[who].care].parts


@rule("d6.health.natural-healing/begin", "d6.health.natural-healing")
async def rest(scene: Scene, who: Person, zone: str = TORSO) -> None:
    """The rest that a wound needs begins anew; each wounded zone has its own."""
    await alter(who, Hero.resting, zone, scene[CLOCK].now)


@rule("d6.health.localized-recovery")
async def rest_all_zones(scene: Scene, who: Person) -> None:
    """Each wounded zone has a rest of its own."""
    for zone in scene[who].zones:
        await rest(who, zone.zone)


@rule("d6.health.natural-healing")
async def natural_healing(scene: Scene, who: Person, about: str = TORSO) -> str:
    """After the rest a Strength roll says whether a wound improves or worsens; a physician may better the result."""
    if any(each.kind in UNHEALED for each in scene[who].hazards):
        await rest(who, about)
        return scene[who].wound_at(about)
    row = scene[HEALING][scene[who].wound_at(about)]
    shown = (await roll_for(who, "Strength", (), (RECOVERY,))).total
    if shown < row.improves_from and scene[who].physician:
        physician = scene.who(scene[who].physician)
        shown = max(shown, (await roll_for(physician, MEDICINE)).total)
    steps = -1 if shown >= row.improves_from else 1 if shown <= row.worsens_to else 0
    level = scene[who].ladder(scene).moved(row.name, steps)
    await set_level(who, level, about)
    if level == HEALTHY:
        await alter(who, treatable, "")
    return level


@due(Hero, natural_healing)
def rests(scene: Scene, who: Person) -> Iterator[Due]:
    """Each wounded zone heals, or not, after its own rest."""
    for zone in (TORSO, *(each.zone for each in scene[who].zones)):
        if scene[who].wound != DEAD and scene[who].wound_at(zone) in scene[HEALING].names:
            since = scene[who].rests_since.get(zone)
            at = scene[CLOCK].ahead(who, natural_healing, zone) if since is None else None
            yield Due(natural_healing, every=rest_rounds(scene, who, zone), since=since or 0, at=at, about=zone)


UNHEALED: Final = ("lack of food", "lack of drink", "climate")
"""What wears somebody down so that wounds do not heal while it lasts."""


# --- fatigue ----------------------------------------------------------------------------------------------------------

HOLD_ON: Final = Prompt("hold-on")
FATIGUE_WILLPOWER_LESS: Final = figure("d6.health.fatigue", "willpower_dice_less", int)


@formula("d6.health.fatigue/limit", "d6.health.fatigue")
def fatigue_limit(scene: Scene, who: Person, using: str = "Stamina", less: int = 0) -> int:
    """The dice of Stamina, rounded up; health never lowers them."""
    named = ability_name(scene, using)
    mods = tuple(mod for mod in applying(scene, who, *named.tags).mods if mod.unit != "difficulty")
    code = modified_code(scene, own_code(scene, who, using), mods)[0]
    return code.dice + (code.pips > 0) - less


@rule("d6.health.fatigue/hold-on", "d6.health.fatigue", bands=AWAKE)
async def drops(scene: Scene, who: Person, tired: int) -> bool:
    """Above the limit one falls down, unless Willpower lasts longer."""
    by_will = fatigue_limit(scene, who, "Willpower", scene[FATIGUE_WILLPOWER_LESS])
    return by_will < tired or not await offer(who, HOLD_ON, YES)


@rule("d6.health.fatigue")
async def tire(scene: Scene, who: Person, source: str, dice: int) -> None:
    """Somebody has so many dice of fatigue from a source. Above the limit they fall down until all of it is gone."""
    await alter(who, Hero.tired, source, dice)
    tired = sum(scene[who].fatigue.values())
    if not tired and lies_exhausted(scene, who):
        await alter(who, woken, scene[CLOCK].now)
    if scene[who].unconscious is not None or tired <= fatigue_limit(scene, who) or is_in_rage(scene, who):
        return
    if await drops(who, tired):
        await alter(who, unconscious_by, EXHAUSTED, scene[CLOCK].now)
        await go_limp(who)


def is_in_rage(scene: Scene, who: Person) -> bool:
    """Whether stuns and fatigue have no effect on somebody for now."""
    return applying(scene, who).granted(IGNORES_STUNS)


def lies_exhausted(scene: Scene, who: Person) -> bool:
    out = scene[who].unconscious
    return out is not None and out.cause == EXHAUSTED


# --- in words ---------------------------------------------------------------------------------------------------------


@formula("d6.health.wound-levels/condition", "d6.health.wound-levels")
def condition(scene: Scene, who: Person) -> str:
    """How somebody is besides wounds and stuns, as a sheet says it."""
    sheet = scene[who]
    said = [] if sheet.unconscious is None else [f"unconscious ({sheet.unconscious.cause})"]
    if sheet.unconscious and sheet.unconscious.cause not in WITHOUT_A_TIME and wakes_at(scene, who) is None:
        said.append("no time set to wake up")
    if sheet.bleeding is not None and sheet.wound == MORTAL:
        said.append("stabilized" if sheet.bleeding.care else "bleeding to death")
    said += [f"{dice}D of fatigue ({source})" for source, dice in sheet.fatigue.items()]
    return ", ".join(said)


@formula("d6.health.localized-zones/zones", "d6.health.localized-zones")
def zones_in_words(scene: Scene, who: Person) -> str:
    """The wounds of zones other than the torso, as a sheet says them."""
    return ", ".join(f"{each.zone}: {each.wound}" for each in scene[who].zones)


@formula("d6.health.localized-zones/states", "d6.health.localized-zones")
def states_in_words(scene: Scene, who: Person) -> str:
    """What wounds have done to zones, as a sheet says it."""
    said = []
    for each in scene[who].states:
        endless = scene[ZONE_STATES].look(each.state).lasts and each.until is None
        said.append(f"{each.zone}: {each.state}{' (fixed)' if each.fixed else ' (no end set)' if endless else ''}")
    return ", ".join(said)


# --- the round as such ------------------------------------------------------------------------------------------------


@formula("d6.health.creatures-too")
def living(scene: Scene) -> tuple[Person, ...]:
    """Everyone whose health counts: characters and creatures alike."""
    return tuple(scene.all(Hero))


@action("end-round", "d6.glossary.terms/end-round", master=True)
async def end_round(scene: Scene) -> None:
    """A round is over: what lasts until its end is over too, stuns wear off, and mortal wounds bleed."""
    if counts_rounds(scene):
        await moment(ROUND_END)
        for who in living(scene):
            await end_of_round(who)
    await advance_clock(1)
