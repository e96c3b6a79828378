"""Defence: how the target of an attack dodges or parries it, and how comrades defend each other."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Final

from referee.core import (
    YES,
    Bands,
    Mod,
    Mods,
    Prompt,
    Refused,
    Scene,
    alter,
    applying,
    figure,
    figures,
    formula,
    frozen,
    offer,
    react,
    rows,
    rule,
    tell,
    together,
)
from referee.core.effects import ApplicableEffects, Effect, Extra, Forbids, lay, use
from referee.systems.yearzero.action_types import but_rising, take_listed, use_reaction
from referee.systems.yearzero.battle import BATTLE, ROUND_END, comrades
from referee.systems.yearzero.boosts import FREE_PARRY, granted_by, pay
from referee.systems.yearzero.effects import TABLES as EFFECT_TABLES
from referee.systems.yearzero.gear import SHIELDS, check_usable, wear
from referee.systems.yearzero.harm import can_act, check_able
from referee.systems.yearzero.injury_tables import Wounding
from referee.systems.yearzero.panic import hurt
from referee.systems.yearzero.rolls import DEFENDING, Attempt, RolledPool, roll_dice
from referee.systems.yearzero.sheet import STRENGTH, Item, Person, Survivor
from referee.systems.yearzero.weapons import (
    check_hands,
    features_of,
    in_hand,
    is_shield,
    is_weapon,
    melee_specialty,
    parry_mod,
)

DEFENCE: Final = "yearzero.combat.defence-matrix"
DODGE_RULE: Final = "yearzero.move.dodge"
PARRY_RULE: Final = "yearzero.melee.parry"
DEFEND_OTHER: Final = "yearzero.move.defend-other"
REACTIVE: Final = "yearzero.combat.reactive-actions"
REACTION: Final = Prompt("reaction")
GUARD: Final = Prompt("defend-other")
BODY_BLOCK: Final = Prompt("body-block")
MORE_BLOCKED: Final = Prompt("more-blocked")
FLIP: Final = Prompt("flip")


@frozen
class DefenceRow:
    """What an attack does to a dodge and to each kind of parry; None if that does not help against it."""

    name: str
    dodge: int | None
    parrying_weapon: int | None
    other_weapon: int | None
    shield: int | None
    note: str = ""
    printed_other_weapon: int | None = None


@frozen
class DodgeRow:
    """A way to dodge."""

    name: str
    modification: int
    covers: str
    ends: str
    note: str = ""


DEFENCES: Final = rows(DEFENCE, "rows", DefenceRow, also=("yearzero.vehicles.ramming/defence",))
DODGES: Final = rows(DODGE_RULE, "modes", DodgeRow)
FLIP_BEYOND: Final = figure(DODGE_RULE, "flip_beyond", int)
STANDING: Final = "Standing Dodge"
ALL_ATTACKS: Final = "all attacks"


@figures("yearzero.melee.parry-ranged")
class ParryRanged:
    """What parrying an arrow or a thrown weapon with a weapon costs."""

    weapon_penalty: int


@frozen
class DeclaredAttack:
    """An attack, as it was declared."""

    kind: str
    """Its row among the defences: Slash, Stab, Shoot …"""
    damage: int = 0
    wounding: Wounding = "blunt"
    harms: bool = True
    """Whether a hit does damage; a shove does not."""
    attribute: str = STRENGTH
    part: str = ""
    """The part of the body it is aimed at; by a die, if at none."""
    ranged: bool = False
    firearm: bool = False
    surprise: bool = False
    """Whether the target is not aware of it, and cannot react."""
    alerts: bool = False
    """Whether the shot itself is what alerts the target."""
    per_x: int = 1
    """The damage of each success beyond the needed."""
    parry: int = 0
    """What its weapon does to parries."""
    armor_multiple: int = 1
    """How many times its rating armor is rolled at."""
    weapon: str = ""
    """The weapon in hand that it is made with, if any."""
    base: int = 0
    """The base damage, which lowers light protection if it pierces armor."""
    pierces: bool = False
    """Whether it pierces armor."""
    flanking: bool = False
    """Whether it comes from the side or from behind, past any cover."""
    close: bool = False
    """Whether it is an explosion so near that no cover helps."""
    blast: bool = False
    """Whether it is an explosion."""
    distance: str = ""
    """The range it is fired at."""
    ammo: int = 0
    """Successes that ammo dice have shown."""
    most_hits: int = 0
    """The rounds there were: no more hits than that."""
    luck: int = 0
    """The dice of each of them, if it hits nobody."""
    falls: bool = False
    """Whether it is a fall, which weak armor is no help against."""
    shielded: tuple[str, ...] = ()
    """The parts of the body that a shield was brought before."""
    shield: str = ""
    friends: tuple[Person, ...] = ()
    """Friends of the shooter in the line of fire."""


@frozen
class Reaction:
    """What somebody has declared against an attack: a way to dodge, or a thing to parry with."""

    who: Person
    way: str
    is_dodge: bool = False
    is_shield: bool = False


# --- dodging and parrying ---------------------------------------------------------------------------------------------


@formula(DEFENCE, PARRY_RULE, "yearzero.melee.parry-ranged", "yearzero.melee.slash", "yearzero.melee.stab")
def defence_mod(scene: Scene, strike: DeclaredAttack, who: Person, way: str) -> int | None:
    """What the kind of attack does to a dodge or a parry; None if it does not help at all."""
    against = scene[DEFENCES][strike.kind]
    if way in scene[DODGES]:
        late = late_dodge(scene) if strike.alerts else 0
        return None if against.dodge is None else against.dodge + scene[DODGES].look(way).modification + late
    item = scene[who].thing(way)
    features = features_of(scene, item)
    if is_shield(scene, item):
        late = late_parry(scene) if strike.alerts else 0
        found = None if against.shield is None else against.shield + shield_mod(scene, item, strike.ranged) + late
    elif strike.ranged:
        found = ranged_parry(scene, "Parrying" in features, strike.firearm)
    else:
        found = against.parrying_weapon if "Parrying" in features else against.other_weapon
    return None if found is None else found + parry_mod(scene, features) + strike.parry


@formula("yearzero.gear.shields/parry")
def shield_mod(scene: Scene, item: Item, ranged: bool) -> int:
    """What a shield that is too small to parry well with takes from it."""
    if item.kind not in scene[SHIELDS]:
        return 0
    row = scene[SHIELDS][item.kind]
    return row.parry_ranged if ranged else row.parry_melee


@formula("yearzero.melee.parry-ranged")
def ranged_parry(scene: Scene, parrying: bool, firearm: bool) -> int | None:
    """A weapon made to parry stops arrows and thrown weapons, at a penalty; none stops a bullet."""
    return scene[ParryRanged].weapon_penalty if parrying and not firearm else None


@figures("yearzero.move.dodge-gunfire")
class AlertedDodge:
    """What dodging rapid fire costs that one did not see coming, and what moving does to a shooter."""

    alerted_by_rapid_fire_dodge: int
    moving_penalty: int


@formula("yearzero.combat.dodging-gunfire")
def late_dodge(scene: Scene) -> int:
    """What it costs to dodge rapid fire that one did not see coming."""
    return scene[AlertedDodge].alerted_by_rapid_fire_dodge


LATE_PARRY: Final = figure("yearzero.combat.shield-versus-projectiles", "alerted_by_rapid_fire", int)


@formula("yearzero.combat.shield-versus-projectiles")
def late_parry(scene: Scene) -> int:
    """What it costs to raise a shield against rapid fire that one did not see coming."""
    return scene[LATE_PARRY]


def ways_to_defend(scene: Scene, who: Person) -> tuple[str, ...]:
    """The ways to dodge, and whatever in hand might parry."""
    return (*scene[DODGES].names, *parries(scene, who))


def parries(scene: Scene, who: Person) -> tuple[str, ...]:
    """Whatever in hand might parry."""
    return tuple(item.name for item in in_hand(scene, who) if is_weapon(scene, item) or is_shield(scene, item))


@formula("yearzero.combat.reactive-actions/check", "yearzero.core.dodge-parry-not-opposed")
def check_reaction(scene: Scene, who: Person, strike: DeclaredAttack, by: Person, way: str) -> None:
    """An aware target that can act, in a way that helps against this attack."""
    check_able(scene, who)
    if strike.surprise:
        late = "yearzero.move.dodge-gunfire" if strike.firearm and way in scene[DODGES] else REACTIVE
        raise Refused(way, because=f"{who} does not see it coming", rule=late)
    applying(scene, by, "attack", against=who).check_allowed("reaction", rule="yearzero.move.dirty-fighting")
    if scene[who].held_by:
        raise Refused(way, because=f"{who} is held", rule="yearzero.melee.grapple")
    if defence_mod(scene, strike, who, way) is None:
        raise Refused(way, because=f"it does not help against {strike.kind}", rule=DEFENCE)
    if way not in scene[DODGES]:
        check_usable(scene, who, way)
        check_hands(scene, who, scene[who].thing(way), PARRY_RULE)


@rule("yearzero.combat.reactive-actions", "yearzero.core.dodge-parry-not-opposed")
async def declare_reaction(scene: Scene, who: Person, strike: DeclaredAttack, by: Person) -> Reaction | None:
    """Before the attack is rolled its target says how it defends itself, if at all; that uses up an action."""
    ways = ways_to_defend(scene, who)
    way = await react(who, REACTION, ways, check=partial(check_reaction, scene, who, strike, by))
    if way is None:
        return None
    free = granted_by(applying(scene, who, FREE_PARRY), FREE_PARRY)
    if way not in scene[DODGES] and free.active:
        await use(free)
    else:
        await use_reaction(who, "Dodge" if way in scene[DODGES] else "Parry")
    shield = way not in scene[DODGES] and is_shield(scene, scene[who].thing(way))
    return Reaction(who, way, way in scene[DODGES], shield)


@rule(DODGE_RULE, DEFENCE)
async def roll_reaction(
    scene: Scene, reaction: Reaction, strike: DeclaredAttack, by: Person, disrupted: int = 0, enough: int | None = None
) -> RolledPool:
    """The defence is rolled once the attack stands; its successes take the attacker's away.

    It may be pushed until so many are enough, or for ever more: what dodges all attacks counts against later ones, too.
    """
    who, way = reaction.who, reaction.way
    mod = Mod(defence_mod(scene, strike, who, way) or 0, f"{way} against {strike.kind}", DEFENCE)
    if reaction.is_dodge:
        attempt = Attempt("Move", "Fast Footwork", mods=(mod,), against=by, tags=("reaction", "dodge", DEFENDING))
        rolled = await roll_dice(who, up_to(attempt, enough))
        await end_dodge(who, way, rolled.successes)
        return rolled
    mods = (mod, Mod(-disrupted, "disrupted", "yearzero.might.mighty-swing")) if disrupted else (mod,)
    return await parry(who, way, mods, by, enough)


def up_to(attempt: Attempt, enough: int | None) -> Attempt:
    """A defence of which so many successes are enough."""
    return attempt if enough is None else replace(attempt, needed=enough, surplus=False)


@rule(PARRY_RULE)
async def parry(scene: Scene, who: Person, thing: str, mods: Mods, by: Person, enough: int | None = None) -> RolledPool:
    """A Melee roll with the Gear Bonus of what one parries with."""
    tags = ("reaction", "parry", DEFENDING)
    specialty = melee_specialty(scene, scene[who].thing(thing))
    attempt = Attempt("Melee", specialty, thing, mods, against=by, tags=tags)
    return await roll_dice(who, up_to(attempt, enough))


@rule("yearzero.move.dodge/end")
async def end_dodge(scene: Scene, who: Person, way: str, successes: int, reacting: bool = True) -> None:
    """A Dropping or Flying Dodge ends on the ground; a Flying one counts against every attack until one's next go."""
    if scene[DODGES][way].ends.startswith("prone"):
        await alter(who, lying)
    if scene[DODGES].look(way).covers == ALL_ATTACKS:
        until = f"turn of {who}"
        if successes:
            await lay(who, Effect(Extra("dodged", successes), until=until), source=way)
        if BATTLE in scene and reacting:
            barred = Forbids(but_rising(scene[BATTLE].round + 1))
            await lay(who, Effect(barred, until=ROUND_END, times_until=2), source=f"down after a {way}")
    elif successes and not reacting:
        waiting = Effect(Extra("dodged", successes), frozenset(("ranged",)), until=f"turn of {who}", uses=1)
        await lay(who, waiting, source=way)


@rule("yearzero.move.dodge/before")
async def dodged_before(scene: Scene, who: Person, ranged: bool) -> int:
    """What a dodge that was made before takes from an attack; one made for the next shot is then over."""
    dodges = dodges_made(scene, who, ranged)
    if dodges.active:
        await use(dodges)
    return dodges.extra("dodged")


def dodges_made(scene: Scene, who: Person, ranged: bool) -> ApplicableEffects:
    """The dodges made before that count against an attack."""
    applied = applying(scene, who, *(("ranged",) if ranged else ()))
    dodges = tuple(each for each in applied.active if getattr(each.effect.does, "of", "") == "dodged")
    return replace(applied, active=dodges)


def lying(sheet: Survivor) -> Survivor:
    return replace(sheet, prone=True)


# --- what a defence takes away ----------------------------------------------------------------------------------------


@frozen
class SwungParry:
    """What a mighty swing does to a parry: dice it takes away, and how many negated successes wear what parries."""

    disrupts: int = 0
    wears_at: int = 0


PLAIN_SWING: Final = SwungParry()


@rule("yearzero.core.dodge-parry-not-opposed")
async def defended(
    scene: Scene,
    reaction: Reaction,
    strike: DeclaredAttack,
    by: Person,
    successes: int,
    swing: SwungParry = PLAIN_SWING,
) -> int:
    """How many of an attack's successes the defence takes away; one that is not needed is not rolled."""
    answer = await successes_of(reaction, strike, by, swing.disrupts, enough_of(scene, reaction, successes))
    if reaction.is_dodge:
        await flips(reaction, answer - successes)
    else:
        await attack_weapon(reaction.who, reaction.way, min(answer, successes), swing.wears_at)
    return answer


@formula("yearzero.core.dodge-parry-not-opposed/enough")
def enough_of(scene: Scene, reaction: Reaction, successes: int) -> int | None:
    """What negates an attack is enough, but for a dodge that counts against later ones, or may end in a flip."""
    if reaction.is_dodge and scene[DODGES].look(reaction.way).covers == ALL_ATTACKS:
        return None
    return successes + (scene[FLIP_BEYOND] if reaction.way == STANDING else 0)


@rule("yearzero.core.dodge-parry-not-opposed/successes")
async def successes_of(
    scene: Scene, reaction: Reaction, strike: DeclaredAttack, by: Person, disrupted: int, enough: int | None
) -> int:
    """Of a defence only its successes count against the attack."""
    return (await roll_reaction(reaction, strike, by, disrupted, enough)).successes


@rule("yearzero.move.dodge/flip")
async def flips(scene: Scene, reaction: Reaction, beyond: int) -> None:
    """A Standing Dodge that leaves nothing of an attack may end 10 m away, aimed for or with two left over."""
    aimed = reaction.way == "Standing Dodge flip" and beyond >= 0
    lucky = reaction.way == STANDING and beyond >= scene[FLIP_BEYOND]
    if (aimed or lucky) and await offer(reaction.who, FLIP, YES):
        await tell("flip", who=reaction.who, rule=DODGE_RULE)


@rule("yearzero.might.mighty-swing/attack-weapon")
async def attack_weapon(scene: Scene, target: Person, thing: str, negated: int, per: int) -> None:
    """A swing aimed at weapons wears whatever parries it, more easily what is weaker than metal."""
    if scene[target].thing(thing).material not in ("", "metal"):
        per = min(per, scene[EASILY_NEGATED])
    if per and negated >= per:
        await wear(target, thing, negated // per)


EASILY_NEGATED: Final = figure("yearzero.might.mighty-swing", "wears_per/negated_easily", int)
"""Of so many negated successes one wears what is weaker than metal, or parries a weapon in both hands."""


@rule("yearzero.combat.reactive-actions/target")
async def defend(scene: Scene, target: Person, strike: DeclaredAttack, by: Person) -> tuple[Person, Reaction | None]:
    """Before the dice fall: a comrade may stand in or parry, and else the target says how it defends itself."""
    target, guard = await guarded(target, strike, by)
    return target, guard or await declare_reaction(target, strike, by)


# --- defending others -------------------------------------------------------------------------------------------------


def ready_guards(scene: Scene, target: Person) -> tuple[Person, ...]:
    """Comrades beside somebody who can act."""
    return tuple(each for each in comrades(scene, target) if can_act(scene[each]) and is_beside(scene, each, target))


@rule(DEFEND_OTHER)
async def guarded(scene: Scene, target: Person, strike: DeclaredAttack, by: Person) -> tuple[Person, Reaction | None]:
    """Before the attack is rolled a comrade may take the target's place, or parry for them.

    All who could are asked at the same moment; the first who is willing tries, and the next if that fails.
    """
    able = () if strike.surprise else ready_guards(scene, target)
    ways = ("Protective Parry", "Bodily Replace")
    said = await together(
        *(react(guard, GUARD, ways, check=partial(check_guard, scene, guard, strike, by)) for guard in able)
    )
    for guard, way in zip(able, said, strict=True):
        if way is None:
            continue
        await use_reaction(guard, "Defend Other")
        if not await bodyguard(guard, way):
            continue
        if way == "Bodily Replace":
            await take_listed(target, "ally moved by Bodily Replace")
            return guard, None
        return target, await parry_for(guard, strike, by)
    return target, None


@formula("yearzero.move.defend-other/near")
def is_beside(scene: Scene, guard: Person, target: Person) -> bool:
    """Whether a comrade is near enough to help: on a map no further than the next zone, in sight."""
    apart = scene[BATTLE].zones.distance(guard.name, target.name) if BATTLE in scene else 0
    return apart is not None and apart <= 1


@rule("yearzero.move.defend-other/parry")
async def parry_for(scene: Scene, who: Person, strike: DeclaredAttack, by: Person) -> Reaction | None:
    """A parry in somebody's place, which the same action pays for."""
    ways = parries(scene, who)
    way = await react(who, REACTION, ways, check=partial(check_reaction, scene, who, strike, by))
    return None if way is None else Reaction(who, way, is_shield=is_shield(scene, scene[who].thing(way)))


def check_guard(scene: Scene, who: Person, strike: DeclaredAttack, by: Person, way: str) -> None:
    """A parry for somebody needs something to parry with."""
    check_able(scene, who)
    useful = (each for each in parries(scene, who) if defence_mod(scene, strike, who, each) is not None)
    if way == "Protective Parry" and not any(useful):
        raise Refused(way, because=f"{who} has nothing to parry with", rule=DEFEND_OTHER)


GUARDED: Final[Bands[bool]] = Bands(of=lambda won: "success" if won else "failure", keys=("success", "failure"))


@rule("yearzero.move.defend-other/roll", bands=GUARDED)
async def bodyguard(scene: Scene, who: Person, way: str) -> bool:
    """A Move roll, as Bodyguard, that aims for the effect."""
    row = scene[EFFECT_TABLES[DEFEND_OTHER].rows][way]
    mods: Mods = (Mod(row.dm, way, DEFEND_OTHER),)
    rolled = await roll_dice(who, Attempt("Move", "Bodyguard", mods=mods, tags=("reaction",), surplus=False))
    return rolled.success


BLOCKED: Final[Bands[int]] = Bands(of=lambda by: "blocked" if by else "not-blocked", keys=("blocked", "not-blocked"))


@rule("yearzero.move.defend-other/block", bands=BLOCKED)
async def blocked(scene: Scene, target: Person, strike: DeclaredAttack, damage: int) -> int:
    """A comrade throws themselves in the way and takes a point of the damage, and more for Willpower.

    All who could are asked at the same moment; the first who is willing tries, and the next if that fails.
    """
    able = () if damage <= 0 else ready_guards(scene, target)
    said = await together(*(react(guard, BODY_BLOCK, YES) for guard in able))
    for guard, wants in zip(able, said, strict=True):
        if not wants:
            continue
        await use_reaction(guard, "Defend Other")
        if not await bodyguard(guard, "Body Block"):
            continue
        most = min(scene[guard].willpower, damage - 1)
        more = await offer(guard, MORE_BLOCKED, range(1, most + 1)) if most > 0 else None
        if more:
            await pay(guard, more, "Body Block")
        await hurt(guard, 1 + (more or 0), strike.attribute)
        return 1 + (more or 0)
    return 0
