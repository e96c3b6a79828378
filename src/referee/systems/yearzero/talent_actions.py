"""What talents let people do: a second wind, a calm word, a hidden stash, a stunt, time with an Anchor."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Final, Literal, TypeAlias

from referee.core import (
    YES,
    Bands,
    CheckFunction,
    Effect,
    Mod,
    Mods,
    Pick,
    Pool,
    Prompt,
    Refused,
    Scene,
    Total,
    action,
    alter,
    applying,
    figure,
    figures,
    formula,
    frozen,
    hand_over,
    lay,
    number_die,
    offer,
    refuse,
    roll,
    rows,
    rule,
    rule_on,
    set_deadline,
    suggest,
    tell,
)
from referee.core.effects import Adds, Extra, Forbids, Grants, renew_uses, use
from referee.core.questions import OptionCost
from referee.core.things import HELD, added
from referee.systems.yearzero.action_types import FAST_ACTION, ListedPrice
from referee.systems.yearzero.activities import beside_other_things, check_free, check_time, occupy, span
from referee.systems.yearzero.attacks import BLOW, BodyPart, StruckBlow, attack
from referee.systems.yearzero.battle import BATTLE, RAMPAGE, ROUND_END, comrades, foes
from referee.systems.yearzero.boosts import BONUS_DIE, FREE_PARRY, OF_TALENTS, check_wp, granted_by, pay
from referee.systems.yearzero.effects import GENERAL, OUTCOME, Outcome, carry_out
from referee.systems.yearzero.harm import DEAD, check_able, check_awake, die, is_awake, relieve, work_off_pain
from referee.systems.yearzero.injury_tables import Wounding
from referee.systems.yearzero.melee import EFFECTS, armed, strike_with
from referee.systems.yearzero.panic import (
    WITNESSED,
    add_stress,
    check_panic,
    give_way,
    hurt,
    panic_effects,
    panic_penalty,
    suppressed,
)
from referee.systems.yearzero.rolls import Attempt, roll_dice, roll_once, roll_skill
from referee.systems.yearzero.sheet import AGILITY, EMPATHY, STRENGTH, WITS, Item, Person, Survivor, others
from referee.systems.yearzero.skills import AwakeOther, Other, awake, plain
from referee.systems.yearzero.talents import FLUENCY, LANGUAGE, TALENTS, FluencyRow, parts
from referee.systems.yearzero.time import UnitName, rounds_in
from referee.systems.yearzero.weapons import features_of, in_hand, is_weapon

COMBAT: Final = "yearzero.talents.combat"
STRESS: Final = "yearzero.talents.stress-healing"
OTHER: Final = "yearzero.talents.other"
SIGNATURE_RULE: Final = "yearzero.stress.willpower-and-signature-item"
ANCHOR: Final = "yearzero.stress.anchor"
FUN: Final = "yearzero.stress.having-fun"

RESILIENT: Final = Prompt("resilient")
SIGNATURE: Final = Prompt("signature-item")
MONSTERS: Final = Prompt("monsters")


PERIODS: Final[dict[str, UnitName]] = {"turn": "turn", "quarter day": "quarter day"}
"""What renews a talent by itself, because time passes."""


# --- a limited use, and when it comes back


def check_granted(scene: Scene, who: Person, what: str, *tags: str) -> None:
    """Somebody with the talent, as long as it was not used up."""
    if not applying(scene, who, what, *tags).granted(what):
        had = next((name for name in scene[who].talents if what in grants_of(scene, name)), None)
        because = f"{had} has been used" if had else f"{who} has no talent for it"
        raise Refused(what, because=because, rule=rule_of(scene, what))


def grants_of(scene: Scene, name: str) -> tuple[str, ...]:
    base, _ = parts(name)
    does = (each.does for each in scene[TALENTS].look(base).effects)
    return tuple(each.action for each in does if isinstance(each, Grants))


def rule_of(scene: Scene, what: str) -> str:
    """The table whose talent grants something."""
    names = (row.name for row in scene[TALENTS] if what in grants_of(scene, row.name))
    return next((scene[TALENTS].rule_of(name) for name in names), TALENTS.rule)


@rule(f"{COMBAT}/use")
async def use_talent(scene: Scene, who: Person, what: str, *tags: str) -> None:
    """A use of a talent is gone until the turn, the Quarter Day or the session is over."""
    applied = granted_by(applying(scene, who, what, *tags), what)
    per = next((each.effect.per for each in applied.active), None)
    await use(applied)
    if per is not None and per in PERIODS:
        await set_deadline(rounds_in(scene, PERIODS[per]), who, renewed, about=per)


@rule(f"{COMBAT}/renewed")
async def renewed(scene: Scene, who: Person, about: str) -> None:
    """The time is over: the talent can be used again."""
    await renew_uses(about, who)


def granting(what: str) -> CheckFunction:
    """The check of an action that a talent grants."""

    def check(scene: Scene, who: Person) -> None:
        check_granted(scene, who, what)

    return check


# --- combat


@figures(COMBAT)
class CombatTalents:
    """Figures of the combat talents."""

    movement_rate_m: int
    resilient_wp: int
    second_wind_per_x: int
    cold_blooded_stress: int


@frozen
class FreeParries:
    """What free parries cost in a round; no number means against every attack."""

    wp: int
    parries: int | None


@frozen
class PanicTalent:
    """From which panic result on, and how far or how long."""

    threshold: int
    range_m: int = 0
    die: int = 6


FREE_PARRIES: Final = rows(COMBAT, "free_parries", FreeParries, by="wp")
OVERKILL: Final = figure(COMBAT, "overkill", PanicTalent)
MONSTER_PANIC: Final = figure(COMBAT, "monster_panic", PanicTalent)


@formula(f"{COMBAT}/movement")
def movement_rate(scene: Scene, who: Person) -> int:
    """Metres in a move: 10, and more for a Sprinter."""
    return scene[CombatTalents].movement_rate_m + sum(mod.amount for mod in applying(scene, who, "movement").mods)


def check_second_wind(scene: Scene, who: Person) -> None:
    """Broken by Strength, and not in this turn yet."""
    check_granted(scene, who, "second-wind")
    if STRENGTH not in scene[who].broken:
        refuse(f"{who} has Strength left", rule=COMBAT)


@action("second-wind", f"{COMBAT}/second-wind", bands=OUTCOME, check=check_second_wind)
async def second_wind(scene: Scene, who: Person) -> Outcome:
    """When Broken, roll Endurance and regain a point of Strength for each success."""
    await use_talent(who, "second-wind")
    rolled = await roll_skill(who, Attempt("Endurance", while_broken=True))
    await alter(who, Survivor.healing, STRENGTH, rolled.successes * scene[CombatTalents].second_wind_per_x)
    return plain(rolled)


SPARED: Final[Bands[int]] = Bands(of=lambda points: "hurt" if points else "unhurt", keys=("unhurt", "hurt"))


@rule(f"{COMBAT}/resilient", bands=SPARED)
async def resist(scene: Scene, who: Person, points: int) -> int:
    """For a point of Willpower roll Strength: each success is a point of damage less."""
    cost = scene[CombatTalents].resilient_wp
    wants = await offer(
        who,
        RESILIENT,
        YES,
        check=lambda _: check_wp(scene, who, cost, COMBAT),
        cost=lambda _: OptionCost(cost, "willpower"),
    )
    if not wants:
        return points
    await pay(who, cost, OF_TALENTS)
    rolled = await roll_dice(who, Attempt(attribute=STRENGTH, tags=("resilient",), while_broken=True))
    return max(0, points - rolled.successes)


@rule(f"{COMBAT}/cold-blooded")
async def cold_blooded(scene: Scene, who: Person) -> None:
    """Breaking an enemy takes a point of Stress away."""
    await relieve(who, scene[CombatTalents].cold_blooded_stress)


def parry_costs(scene: Scene, who: Person) -> tuple[int, ...]:
    return tuple(row.wp for row in scene[FREE_PARRIES])


def check_parry_cost(scene: Scene, who: Person, wp: int) -> None:
    """As much Willpower as there is."""
    if wp not in parry_costs(scene, who):
        refuse("that buys no parries", legal=map(str, parry_costs(scene, who)), rule=COMBAT)
    check_wp(scene, who, wp, COMBAT)


@action("free-parries", f"{COMBAT}/parrying", turn=granting("free-parries"))
async def buy_parries(scene: Scene, who: Person, wp: Annotated[int, Pick(parry_costs, check_parry_cost)]) -> None:
    """For 1 Willpower one parry of this round is free; for 2 any number, once against each attack."""
    await pay(who, wp, OF_TALENTS)
    parries = scene[FREE_PARRIES].at(wp).parries
    effect = Effect(Grants(FREE_PARRY), frozenset((FREE_PARRY,)), "round end", uses=parries)
    await lay(who, effect, source="Parrying", by=COMBAT)


OFF_HAND: Final = "off-hand attack"
OFF_HAND_PRICE: Final = ListedPrice("off-hand attack with Ambidextrous")


def off_hand_weapons(scene: Scene, who: Person) -> tuple[str, ...]:
    """One-handed weapons in hand, if there are two of them; whoever rides or drives needs only one."""
    held = [each for each in in_hand(scene, who) if is_weapon(scene, each) and "2H" not in features_of(scene, each)]
    mounted = "mounted" in scene[who].conditions and "Mounted Combat" in scene[who].talents
    return tuple(each.name for each in held) if len(held) > 1 or mounted else ()


def undrawn(scene: Scene, who: Person) -> tuple[str, ...]:
    """One-handed weapons that are not in hand."""
    near = (each for each in scene[who].things if each.at_hand and each.place != HELD and is_weapon(scene, each))
    return tuple(each.name for each in near if "2H" not in features_of(scene, each))


def undrawn_others(scene: Scene, who: Person, primary: str) -> tuple[str, ...]:
    return tuple(name for name in undrawn(scene, who) if name != primary)


@action("draw-both", f"{COMBAT}/draw-both", turn=granting("draw both weapons"), price=FAST_ACTION)
async def draw_both(
    scene: Scene,
    who: Person,
    primary: Annotated[str, Pick(undrawn)],
    secondary: Annotated[str, Pick(undrawn_others)],
) -> None:
    """Draw a weapon with each hand, with one action."""
    await work_off_pain(who)
    for name in (primary, secondary):
        await alter(who, Survivor.with_thing, scene[who].thing(name).at(HELD))


def check_off_hand(scene: Scene, who: Person) -> None:
    """Whoever is ambidextrous, once in a round."""
    check_granted(scene, who, OFF_HAND)
    applying(scene, who).check_allowed(OFF_HAND, rule=COMBAT)


def weight_of(scene: Scene, who: Person, weapon: str) -> str:
    """Light, normal or heavy."""
    features = features_of(scene, scene[who].thing(weapon))
    return "light" if "Light" in features else "heavy" if "Heavy" in features else "normal"


@action("off-hand-attack", f"{COMBAT}/ambidextrous", bands=BLOW, price=OFF_HAND_PRICE, check=check_off_hand)
async def off_hand_attack(
    scene: Scene,
    who: Person,
    target: Other,
    weapon: Annotated[str, Pick(off_hand_weapons)],
    mods: Mods = (),
    location: BodyPart = "",
) -> StruckBlow:
    """One extra attack in a round with the weapon in the other hand, as a fast action."""
    await lay(who, Effect(Forbids(OFF_HAND), until=ROUND_END), source="other hand used", by=COMBAT)
    features = features_of(scene, scene[who].thing(weapon))
    kind: Literal["Slash", "Stab"] = "Slash" if features & {"Edged", "Blunt"} else "Stab"
    wounding: Wounding = "stab" if kind == "Stab" else "slash" if "Edged" in features else "blunt"
    strike = strike_with(scene, who, kind, weapon, wounding, location)
    attempt = armed(scene, who, weapon, mods, kind.casefold(), "off-hand", weight_of(scene, who, weapon))
    return await hand_over(attack(who, target, strike, attempt, EFFECTS.rule))


@rule(f"{COMBAT}/monsters-everywhere")
async def monsters_everywhere(scene: Scene, who: Person, result: int, immediate: bool = True) -> None:
    """In a panic of 10 or more every enemy is a monster, for some rounds or as long as the panic lasts."""
    if result < scene[MONSTER_PANIC].threshold:
        return
    until, times = "panic end", 1
    if immediate:
        thrown = await roll(MONSTERS, who, Pool.of((number_die(scene[MONSTER_PANIC].die), 1)), Total)
        until, times = "round end", thrown.total
    for each in (Adds(1, BONUS_DIE), Extra("damage")):
        effect = Effect(each, frozenset(("attack",)), until, times)
        await lay(who, effect, source="Monster Hunter", by=COMBAT)


@rule(f"{COMBAT}/overkill")
async def overkill(scene: Scene, who: Person, result: int) -> bool:
    """In a panic of 14 or more, with an enemy in sight, one attacks until all is over, and the others may panic."""
    if result < scene[OVERKILL].threshold or not await sees_enemy(who):
        return False
    await alter(who, Survivor.with_condition, RAMPAGE)
    await tell("overkill", who=who, metres=scene[OVERKILL].range_m)
    await alarm(who)
    return True


ENEMY_IN_SIGHT: Final = Prompt("enemy-in-sight")


@rule(f"{COMBAT}/enemy-in-sight")
async def sees_enemy(scene: Scene, who: Person) -> bool:
    """Whether there is anybody to attack: in a fight it is known, elsewhere the game master says."""
    if BATTLE in scene:
        return bool(foes(scene, who))
    return await rule_on(ENEMY_IN_SIGHT, False, options=(True, False))


@rule(f"{COMBAT}/overkill-seen")
async def alarm(scene: Scene, who: Person) -> None:
    """Comrades who see somebody lose all restraint must keep calm."""
    if not comrades(scene, who) or not await rule_on(WITNESSED, True, options=(True, False)):
        return
    for each in comrades(scene, who):
        if is_awake(scene[each]) and not panic_effects(scene[each]):
            await check_panic(each)


# --- killing somebody helpless


@figures("yearzero.combat.coup-de-grace")
class CoupDeGrace:
    """What it costs to kill somebody helpless."""

    empathy_damage: int
    stress: int


def helpless(scene: Scene, who: Person) -> tuple[Person, ...]:
    living = (each for each in others(scene, who) if DEAD not in scene[each].conditions)
    return tuple(each for each in living if {STRENGTH, AGILITY} & set(scene[each].broken))


@action("coup-de-grace", "yearzero.combat.coup-de-grace", turn=check_able)
async def coup_de_grace(scene: Scene, who: Person, target: Annotated[Person, Pick(helpless)]) -> bool:
    """Kill somebody helpless: that takes failing an Empathy roll, unless one is cold-blooded or they have no Wits."""
    if applying(scene, who).granted("kill in cold blood") or not scene[target].full(WITS):
        return await hand_over(killed(target))
    rolled = await roll_dice(who, Attempt(attribute=EMPATHY, surplus=False))
    await hurt(who, scene[CoupDeGrace].empathy_damage, EMPATHY)
    if rolled.success:
        return False
    await add_stress(who, scene[CoupDeGrace].stress)
    return await hand_over(killed(target))


@rule("yearzero.combat.coup-de-grace/death")
async def killed(scene: Scene, who: Person) -> bool:
    """Somebody is dead."""
    await tell("killed", who=who)
    await die(who)
    return True


# --- stress


@figures(STRESS)
class StressTalents:
    """Figures of the talents for stress and healing."""

    calmed_stress: int
    signature_die: int
    party_anchor: int


COMFORT: Final = ListedPrice("Signature Item, Calming presence (taking over a Calm roll)")


def check_safe(scene: Scene, who: Person) -> None:
    """A fight is no safe place."""
    if BATTLE in scene:
        refuse("it takes a relatively safe place, not a fight", rule=STRESS, legal=("calm-for-ally",))


@action("calm-somebody", f"{STRESS}/calm", turn=granting("calm-somebody"), check=check_safe)
async def calm_somebody(scene: Scene, who: Person, target: AwakeOther) -> None:
    """In a safe place, take a point of Stress from somebody else, once in a turn."""
    await use_talent(who, "calm-somebody")
    await relieve(target, scene[StressTalents].calmed_stress)


@action("calm-for-ally", f"{STRESS}/calm-roll", bands=OUTCOME, turn=granting("calm-for-ally"), price=COMFORT)
async def calm_for_ally(
    scene: Scene,
    who: Person,
    target: AwakeOther,
    against: Literal["panic", "suppression", "something else"] = "something else",
    mods: Mods = (),
) -> Outcome:
    """Take over an ally's Insight roll to stay calm, once in a Quarter Day; what comes of it comes to the ally."""
    await use_talent(who, "calm-for-ally")
    penalty = panic_penalty(scene, target) if against == "panic" else 0
    own = (*mods, Mod(penalty, f"Stress of {target}", STRESS)) if penalty else mods
    rolled = await roll_once(who, Attempt("Insight", "Calm", "", own, surplus=False))
    if not rolled.success and against == "panic":
        await give_way(target)
    if not rolled.success and against == "suppression":
        await suppressed(target)
    return plain(rolled)


@action("signature-item", f"{STRESS}/signature-item", SIGNATURE_RULE, turn=granting("signature-item"), price=COMFORT)
async def signature_item(scene: Scene, who: Person) -> int:
    """Hold on to what is dear: a D6 of Stress is gone, once in a session."""
    await use_talent(who, "signature-item")
    thrown = (await roll(SIGNATURE, who, Pool.of((number_die(scene[StressTalents].signature_die), 1)), Total)).total
    await relieve(who, thrown)
    return thrown


@figures(ANCHOR)
class AnchorTime:
    """How long it takes with an Anchor, and how often."""

    hours: int
    per_session: int


@formula(f"{STRESS}/anchors")
def anchors_of(scene: Scene, who: Person) -> tuple[Person, ...]:
    """Who helps against Stress: one's Anchors, shepherds, and for a wallflower any two of the party."""
    company = awake(scene, who)
    if applying(scene, who).granted("have the party as anchor"):
        return company if len(company) >= scene[StressTalents].party_anchor else ()
    mine = (each for each in company if each.name in scene[who].anchors)
    return tuple(
        dict.fromkeys((*mine, *(each for each in company if applying(scene, each).granted("be anybody's anchor"))))
    )


def check_anchor_time(scene: Scene, who: Person) -> None:
    """Once in a session."""
    check_free(scene, who)
    if scene[who].anchored >= scene[AnchorTime].per_session:
        refuse(f"{who} has had time with an Anchor in this session", rule=ANCHOR)
    if not anchors_of(scene, who):
        refuse(f"{who} has no Anchor here", rule=ANCHOR)


@action("time-with-anchor", ANCHOR, check=check_anchor_time, turn=check_awake)
async def time_with_anchor(scene: Scene, who: Person, anchor: Annotated[Person, Pick(anchors_of)]) -> None:
    """An hour in the company of an Anchor takes all Stress away."""
    await relieve(who, scene[who].stress)
    await alter(who, lambda sheet: replace(sheet, anchored=sheet.anchored + 1))
    await occupy(who, f"time with {anchor}", span(scene, scene[AnchorTime].hours, "hour"))


FUN_HOURS: Final = figure(FUN, "hours", int)
FUN_STRESS: Final = figure(FUN, "per_x", int)


@action("have-fun", FUN, bands=OUTCOME, check=check_time, turn=check_able)
async def have_fun(scene: Scene, who: Person, destroying: bool = False, mods: Mods = ()) -> Outcome:
    """Something fun or meaningful: each success of Insight takes a point of Stress away."""
    tags = ("destroying",) if destroying else ()
    hours = applying(scene, who, *tags).figure(scene, FUN_HOURS)
    attempt = beside_other_things(scene, who, Attempt("Insight", "Calm", "", mods, tags=tags))
    await occupy(who, "having fun", span(scene, hours, "hour"))
    rolled = await roll_skill(who, attempt)
    await relieve(who, rolled.successes * scene[FUN_STRESS])
    return plain(rolled)


# --- other talents


@figures(OTHER)
class OtherTalents:
    """Figures of the other talents."""

    stunt_rank: int


SLEEPLESS: Final = figure(OTHER, "sleepless_quarter_days", int)


@formula(f"{OTHER}/sleep")
def sleepless_limit(scene: Scene, who: Person) -> int:
    """How many Quarter Days somebody goes without sleep before it tells."""
    return applying(scene, who).figure(scene, SLEEPLESS)


@formula(f"{OTHER}/weight")
def extra_weight(scene: Scene, who: Person) -> int:
    """How much more somebody can carry than others."""
    return sum(mod.amount for mod in applying(scene, who, "weight").mods)


@action("hidden-stash", f"{OTHER}/stash", turn=granting("hidden-stash"))
async def hidden_stash(scene: Scene, who: Person, item: Annotated[str, suggest("rope", "Knife", "flashlight")]) -> None:
    """Once in a session something reasonable turns out to be hidden here."""
    await use_talent(who, "hidden-stash")
    await alter(who, lambda sheet: replace(sheet, things=added(sheet.things, Item(item))))


def stunts(scene: Scene, who: Person, skill: str) -> tuple[str, ...]:
    """The bonus effects of driving or piloting."""
    return tuple(row.name for row in GENERAL[skill].bonus_effects(scene)) if skill in GENERAL else ()


def check_stunt(scene: Scene, who: Person, skill: str) -> None:
    """At least a rank in the craft's skill."""
    if scene[who].level(skill) < scene[OtherTalents].stunt_rank:
        refuse(f"it takes {skill} {scene[OtherTalents].stunt_rank}", rule=OTHER)


@action("stunt", f"{OTHER}/stunt", turn=granting("stunt"), check=check_stunt)
async def stunt(
    scene: Scene, who: Person, skill: Literal["Driving", "Piloting"], effect: Annotated[str, Pick(stunts)]
) -> None:
    """One bonus effect of driving or piloting without a roll, once in a session."""
    await use_talent(who, "stunt")
    row = next(each for each in GENERAL[skill].bonus_effects(scene) if each.name == effect)
    await carry_out(who, row, Attempt(skill), GENERAL[skill].rule, None, 0)


# --- languages


def languages(scene: Scene, who: Person) -> tuple[str, ...]:
    """The languages somebody has learned."""
    return tuple(
        dict.fromkeys(parts(name)[1] for name in scene[who].talents if parts(name)[0] in (LANGUAGE, "Linguist"))
    )


Spoken: TypeAlias = Annotated[str, Pick(languages)]
UNDERSTANDING: Final = "yearzero.talents.language"


def fluency(scene: Scene, who: Person, language: str) -> FluencyRow:
    """How well somebody speaks a language."""
    return scene[FLUENCY].at(scene[who].talents.get(f"{LANGUAGE}: {language}", len(scene[FLUENCY])))


def takes_a_roll(row: FluencyRow, topic: str) -> bool:
    return row.basic_topics_roll if topic == "basic" else row.complex_topics_roll


def check_understanding(scene: Scene, who: Person, language: str, topic: str) -> None:
    """Whoever is awake understands what takes no roll."""
    (check_able if takes_a_roll(fluency(scene, who, language), topic) else check_awake)(scene, who)


@action("understand", UNDERSTANDING, bands=OUTCOME, check=check_understanding)
async def understand(
    scene: Scene, who: Person, language: Spoken, topic: Literal["basic", "complex"], mods: Mods = ()
) -> Outcome:
    """Make out what is said or written in a language one has learned; the better one speaks it, the less it takes."""
    row = fluency(scene, who, language)
    if not takes_a_roll(row, topic):
        return Outcome(True, 1)
    dm = row.basic_topics_dm if topic == "basic" else row.complex_topics_dm
    attempt = Attempt("Scholar", "Language", "", mods, surplus=False)
    return plain(await roll_once(who, attempt.adding(Mod(dm, f"{row.fluency} fluency", UNDERSTANDING))))


def check_native(scene: Scene, who: Person, language: str) -> None:
    check_granted(scene, who, "pass-as-native", language)


@action("pass-as-native", f"{OTHER}/native", bands=OUTCOME, check=check_native)
async def pass_as_native(scene: Scene, who: Person, language: Spoken, mods: Mods = ()) -> Outcome:
    """Be taken for a native speaker, if an Influence roll succeeds."""
    return plain(await roll_once(who, Attempt("Influence", "", "", mods, surplus=False, tags=(language,))))
