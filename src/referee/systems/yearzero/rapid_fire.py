"""Rapid fire: what ammo successes buy, what a miss may still do, and fields of fire."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from referee.core import (
    Bands,
    Mod,
    Pool,
    Prevented,
    Prompt,
    Scene,
    SymbolCounts,
    Total,
    afterwards,
    alter,
    choose,
    figure,
    figures,
    formula,
    frozen,
    number_die,
    offer,
    roll,
    rows,
    rule,
    tell,
)
from referee.core.dice import Die
from referee.core.rules import rule_named
from referee.kits.year_zero import SIX
from referee.systems.yearzero.attacks import AfterBlow, come_through
from referee.systems.yearzero.battle import BATTLE, Battle, other_sides
from referee.systems.yearzero.defence import DeclaredAttack
from referee.systems.yearzero.dice import ARTIFACT, BASE, kinds
from referee.systems.yearzero.ground import friends_near, within
from referee.systems.yearzero.harm import can_act
from referee.systems.yearzero.initiative import swap_initiative
from referee.systems.yearzero.melee import dropping
from referee.systems.yearzero.panic import SPREAD, SUPPRESSED, SUPPRESSION, check_panic, suppression_test
from referee.systems.yearzero.rolls import NO_ACTION, Attempt, roll_once
from referee.systems.yearzero.sheet import Person, is_somebody
from referee.systems.yearzero.weapons import in_hand, is_weapon, magazine_of

AMMO_HIT: Final = "yearzero.combat.ammo-dice-hit"
AMMO_MISS: Final = "yearzero.combat.ammo-dice-miss"
FRIENDLY: Final = "yearzero.combat.friendly-fire"
FIELD: Final = "yearzero.combat.field-of-fire"
AMMO_EFFECT: Final = Prompt("ammo-effect")
SECOND_TARGET: Final = Prompt("second-target")
STRAY: Final = Prompt("stray-shot")
WHO_IS_HIT: Final = Prompt("who-is-hit")
LUCK: Final = Prompt("lucky-hit")
FIELD_HIT: Final = Prompt("field-of-fire")
SECOND_M: Final = figure(AMMO_HIT, "secondary_target_max_m", int)
PER_FURTHER_X: Final = figure(AMMO_HIT, "per_further_x", int)


@frozen
class AmmoEffect:
    """Something that a success on ammo dice buys."""

    name: str
    again: bool = False
    says: str = ""


AMMO_EFFECTS: Final = rows(AMMO_HIT, "effects", AmmoEffect)
MORE, ANOTHER, SECOND, HARDER = "more damage", "another hit", "second target", "harder further hit"


@figures(FRIENDLY)
class FriendlyFire:
    """How a miss may hit a friend."""

    dice: int
    hit_on: int
    second_x_damage: int


@figures(FIELD)
class FieldOfFireFigures:
    """When fire makes a field, and what it does to those who act in it."""

    min_rounds: int
    move_dm: int
    die: int
    more_damage: int


# --- a hit ------------------------------------------------------------------------------------------------------------


@rule(AMMO_HIT)
async def spend_ammo(scene: Scene, who: Person, target: Person, strike: DeclaredAttack) -> DeclaredAttack:
    """Each success on ammo dice buys an effect: more damage, further hits, or what only one of them can do."""
    bought: tuple[str, ...] = ()
    for _ in range(strike.ammo):
        legal = tuple(name for name in scene[AMMO_EFFECTS].names if may_buy(scene, who, target, strike, bought, name))
        picked = await offer(who, AMMO_EFFECT, legal)
        if picked is None:
            break
        bought += (scene[AMMO_EFFECTS][picked].name,)
    if set(bought) - {MORE}:
        await afterwards(carry_out_ammo(who, target, replace(strike, part=""), bought))
    return replace(strike, damage=strike.damage + bought.count(MORE))


@formula(f"{AMMO_HIT}/limits")
def may_buy(
    scene: Scene, who: Person, target: Person, strike: DeclaredAttack, bought: tuple[str, ...], name: str
) -> bool:
    """Never more hits than rounds, most effects once, and a second target only where there is one."""
    if not is_somebody(scene, target) and name not in (ANOTHER, SECOND, HARDER, MORE):
        return False
    if name in (ANOTHER, SECOND):
        room = 1 + bought.count(ANOTHER) + bought.count(SECOND) < strike.most_hits
        return room and (name == ANOTHER or bool(second_targets(scene, who, target)))
    if name == HARDER:
        return ANOTHER in bought or SECOND in bought
    return scene[AMMO_EFFECTS].look(name).again or name not in bought


@formula(f"{AMMO_HIT}/second")
def second_targets(scene: Scene, who: Person, target: Person) -> tuple[Person, ...]:
    """Enemies near the first who are not harder to hit."""
    easy = (each for each in other_sides(scene, who) if each != target and is_no_harder(scene, each, target))
    return within(scene, target, scene[SECOND_M], tuple(easy))


def is_no_harder(scene: Scene, one: Person, than: Person) -> bool:
    """Not lower or further behind something."""
    first, other = scene[one], scene[than]
    hidden = first.cover is not None and (other.cover is None or first.cover.full > other.cover.full)
    return not hidden and first.prone <= other.prone


@rule(f"{AMMO_HIT}/carry-out")
async def carry_out_ammo(
    scene: Scene, who: Person, target: Person, strike: DeclaredAttack, bought: tuple[str, ...]
) -> None:
    """Further hits at random locations, and what else the fire does to whoever it has hit."""
    harder = bought.count(HARDER) * scene[PER_FURTHER_X]
    for name in bought:
        if name in (ANOTHER, SECOND):
            hit = target if name == ANOTHER else await choose(who, SECOND_TARGET, second_targets(scene, who, target))
            await come_through(hit, strike, strike.damage + harder, AfterBlow(who))
            harder = 0
        elif name == "pin the enemy":
            await check_panic(target)
        elif name == "outmaneuver":
            await swap_initiative(who, target)
        elif name == "disarm":
            for item in [each for each in in_hand(scene, target) if is_weapon(scene, each) or magazine_of(scene, each)][
                :1
            ]:
                await alter(target, dropping, item.name)
        elif name == "knock down":
            await rule_named("yearzero.melee.effects/fall")(who, target, 0)


# --- a miss -----------------------------------------------------------------------------------------------------------


@rule(AMMO_MISS)
async def missed(scene: Scene, who: Person, target: Person, strike: DeclaredAttack) -> None:
    """A miss may hit a friend or, fired rapidly enough, somebody by luck; ammo successes call for calm."""
    friends = tuple(each for each in strike.friends if each in scene)
    if friends:
        await stray(who, friends, strike)
    if strike.luck and strike.ammo:
        await hit_by_luck(who, target, strike)
    if strike.firearm and strike.ammo:
        await suppression_test(target)


def base_die(scene: Scene) -> Die:
    return next(each.die for each in kinds(scene) if each.name == BASE)


@rule(FRIENDLY)
async def stray(scene: Scene, who: Person, friends: tuple[Person, ...], strike: DeclaredAttack) -> None:
    """Two dice: a success hits a friend at random, and a second one does more damage."""
    table = scene[FriendlyFire]
    seen = await roll(STRAY, who, Pool.of((base_die(scene), table.dice)), SymbolCounts)
    if seen.count(SIX) < table.hit_on:
        return
    hit = await one_of(friends)
    await tell("stray-shot", who=hit, rule=FRIENDLY)
    more = table.second_x_damage if seen.count(SIX) > table.hit_on else 0
    await come_through(hit, replace(strike, part=""), strike.damage + more, AfterBlow(who))


@rule(f"{FRIENDLY}/which")
async def one_of(scene: Scene, friends: tuple[Person, ...]) -> Person:
    """One of several, at random."""
    if len(friends) == 1:
        return friends[0]
    pips = await roll(WHO_IS_HIT, friends[0], Pool.of((number_die(len(friends)), 1)), Total)
    return friends[pips.total - 1]


@rule("yearzero.combat.field-of-fire-lucky-hit")
async def hit_by_luck(scene: Scene, who: Person, target: Person, strike: DeclaredAttack) -> None:
    """Fire that has hit nobody may still hit the target: some dice for each ammo success, and any success hits."""
    dice = strike.luck * strike.ammo
    seen = await roll(LUCK, who, Pool.of((base_die(scene), dice)), SymbolCounts)
    if seen.count(SIX):
        await come_through(target, replace(strike, part=""), strike.damage, AfterBlow(who))


@rule(f"{SUPPRESSION}/spread")
async def spread_suppression(scene: Scene, who: Person, met: tuple[Person, ...] = ()) -> None:
    """Every comrade near who sees it must keep calm as well, each once for one event."""
    near = friends_near(scene, who, scene[SPREAD])
    others = tuple(each for each in near if each not in met and SUPPRESSED not in scene[each].conditions)
    for each in others:
        await suppression_test(each, (*met, who, *others))


# --- fields of fire ---------------------------------------------------------------------------------------------------


@rule(FIELD)
async def make_field(scene: Scene, who: Person, zone: str, rounds: int) -> None:
    """So many rounds into one zone, hit or miss, make a Field of Fire for the rest of the round."""
    before = next((each.rounds for each in scene[BATTLE].fields if (each.by, each.zone) == (who.name, zone)), 0)
    if rounds >= scene[FieldOfFireFigures].min_rounds or before:
        await alter(BATTLE, Battle.firing_into, who.name, zone, rounds)


@formula(f"{FIELD}/rounds")
def rounds_into(scene: Scene, who: Person, zone: str) -> int:
    """The rounds that lie on a zone in this round, of all who fire into it but oneself."""
    return sum(each.rounds for each in scene[BATTLE].fields if each.zone == zone and each.by != who.name)


CROSSED: Final[Bands[Prevented | None]] = Bands(
    of=lambda stopped: "failure" if stopped else "success", keys=("success", "failure")
)
PER_ROUNDS: Final = figure("yearzero.combat.field-of-fire-overlap-and-end", "negative_dice_per_rounds", int)


@formula("yearzero.combat.field-of-fire-overlap-and-end")
def crossing_penalty(scene: Scene, rounds: int) -> int:
    """What so many rounds of all fields cost who moves there: a die for every full fifteen."""
    return scene[FieldOfFireFigures].move_dm * (rounds // scene[PER_ROUNDS])


@rule(f"{FIELD}/cross", bands=CROSSED)
async def cross(scene: Scene, who: Person, zone: str) -> Prevented | None:
    """Whoever acts in a field or crosses it first makes a Move roll; a failure is a hit, and the action is lost."""
    rounds = rounds_into(scene, who, zone)
    if not rounds or not can_act(scene[who]):
        return None
    penalty = crossing_penalty(scene, rounds)
    mods = (Mod(penalty, "field of fire", FIELD),) if penalty else ()
    rolled = await roll_once(
        who, Attempt("Move", mods=mods, tags=("movement", "field of fire", NO_ACTION), surplus=False)
    )
    if rolled.success:
        return None
    await afterwards(caught(who, zone))
    return Prevented("caught in a field of fire")


@rule(f"{FIELD}/caught")
async def caught(scene: Scene, who: Person, zone: str) -> None:
    """One hit, and a test for suppression."""
    table = scene[FieldOfFireFigures]
    thrown = await roll(FIELD_HIT, who, Pool.of((number_die(table.die), 1)), Total)
    damage = scene[ARTIFACT].at(thrown.total).x + table.more_damage
    fire = DeclaredAttack("Shoot", damage, "ballistic", ranged=True, base=damage)
    await come_through(who, fire, damage, AfterBlow())
    await suppression_test(who)
