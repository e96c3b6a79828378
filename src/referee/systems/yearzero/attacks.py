"""An attack, step by step: the target's reaction, the roll, the defence, effects, location, armor, damage, injury.

Melee and Marksmanship say what kind of attack it is (`DeclaredAttack`) and what is rolled (`Attempt`), and end with
`attack`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Annotated, Final, TypeAlias

from referee.core import (
    CLOCK,
    D6,
    YES,
    Bands,
    Mod,
    Pick,
    Pool,
    Prompt,
    Scene,
    Total,
    afterwards,
    alter,
    applying,
    choose,
    figure,
    formula,
    frozen,
    hand_over,
    offer,
    option,
    roll,
    rows,
    rule,
    settled,
)
from referee.core.clock import Due, due
from referee.core.effects import Effect, Grants, lay, remove_effects, use
from referee.core.rules import rule_named
from referee.kits import year_zero
from referee.systems.yearzero.action_types import FREE, OVERWATCH, WHIRLWIND, has_laid, kind_of_action
from referee.systems.yearzero.battle import BATTLE, SLOW, Battle, comrades
from referee.systems.yearzero.covers import armored
from referee.systems.yearzero.defence import (
    DeclaredAttack,
    Reaction,
    SwungParry,
    blocked,
    defend,
    defended,
    dodged_before,
    dodges_made,
)
from referee.systems.yearzero.dice import NoPush
from referee.systems.yearzero.effects import AT_A_THING, WHOM, Outcome, aiming, attribute_hurt, is_spared, take_effects
from referee.systems.yearzero.effects import TABLES as EFFECT_TABLES
from referee.systems.yearzero.gear import SHIELDS, rating
from referee.systems.yearzero.ground import cramped_mods
from referee.systems.yearzero.harm import DEAD, UNCONSCIOUS, breaks_bones, fallen, lost, over_at, suffer
from referee.systems.yearzero.injuries import hit_location, injure, sizes
from referee.systems.yearzero.injury_tables import LOCATIONS
from referee.systems.yearzero.panic import betrayed, panic_check, suppression_test
from referee.systems.yearzero.rolls import ATTACKING, Attempt, RolledPool, end_later, found, pay_later, roll_dice
from referee.systems.yearzero.sheet import STRENGTH, Person, Survivor, Target, is_somebody, others
from referee.systems.yearzero.shooting import UNSEEN
from referee.systems.yearzero.vehicles.vehicle import is_on_the_move
from referee.systems.yearzero.weapons import features_of, rounds_fired

SACRIFICE: Final = "yearzero.melee.sacrifice-shield"
INDIRECT: Final = "indirect fire"
"""The tag of arcing fire at a target that the shooter does not see."""
SPOTTED: Final = "target spotted"
DEVIATES: Final = "shot deviates"
"""What becomes of such fire by its spotter's success or failure."""
SACRIFICED: Final = Prompt("sacrifice-shield")
LEAST_PARRIED: Final = figure(SACRIFICE, "min_parry_x", int)
STANDING_BONUS: Final = figure("yearzero.combat.prone-melee", "standing_attacker_bonus", int)
CALLED: Final = "yearzero.marksmanship.called-shot"
PART: Final = Prompt("part")


@frozen
class BodyPartRow:
    """A part of the body to aim at: what that costs, and the table of injuries for it."""

    name: str
    modification: int
    location: str = ""


PARTS: Final = rows(CALLED, "parts", BodyPartRow)


def parts(scene: Scene, who: Person) -> tuple[str, ...]:
    return ("", *scene[PARTS].names)


BodyPart: TypeAlias = Annotated[str, Pick(parts)]


@frozen
class StruckBlow:
    """What an attack came to."""

    hit: bool
    successes: int = 0
    damage: int = 0
    """Points that got through."""
    location: str = ""
    broken: bool = False
    effects: tuple[str, ...] = ()
    beyond: int = 0
    pushes: int = 0
    base_banes: int = 0
    gear_banes: int = 0
    ammo_successes: int = 0
    ammo_banes: int = 0
    rounds: int = 0
    struck: str = ""
    """Whom it hit, if that is somebody else than its target."""

    def after(self, rolled: RolledPool, rounds: int) -> StruckBlow:
        """With what the dice cost, what ammo dice showed, and the rounds that were fired."""
        return replace(
            self,
            pushes=rolled.pushes,
            base_banes=rolled.base_banes,
            gear_banes=rolled.gear_banes,
            ammo_successes=rolled.ammo_successes,
            ammo_banes=rolled.ammo_banes,
            rounds=rounds,
        )

    def as_outcome(self) -> Outcome:
        """The same of an attack that is no more than a trick."""
        banes = (self.pushes, self.base_banes, self.gear_banes)
        return Outcome(self.hit, self.successes, self.effects, self.beyond, *banes)


BLOW: Final[Bands[StruckBlow]] = Bands(
    of=lambda blow: "broken" if blow.broken else "damage" if blow.damage else "hit" if blow.hit else "miss",
    keys=("broken", "damage", "hit", "miss"),
    good=("broken", "damage", "hit"),
    extra={"effect": lambda blow: bool(blow.effects)},
    bad={"harm": lambda blow: blow.base_banes > 0, "wear": lambda blow: blow.gear_banes > 0},
)


# --- the attack -------------------------------------------------------------------------------------------------------


@rule("yearzero.combat.attack-procedure")
async def attack(
    scene: Scene, who: Person, target: Target, strike: DeclaredAttack, attempt: Attempt, table: str, effect: str = ""
) -> StruckBlow:
    """Reaction declared, attack rolled, reaction rolled, effects, and what comes through to whom."""
    strike = unseen(scene, who, target, strike)
    target, reaction = await rule_named(scene[target].defends_by)(target, strike, who)
    second = await second_enemy(who, target, strike) if effect == STRIKE_TWO else None
    attempt = aimed_at(scene, strike.part, table, effect, situated(scene, who, target, strike, attempt))
    attempt = aiming(scene, EFFECT_TABLES[table], attempt, effect)
    swing, deviates = swing_of(scene, who, strike), found(scene, who, attempt).granted(DEVIATES)
    attempt = pushable(scene, target, strike, attempt, reaction, deviates)
    rolled = await pay_later(who, await roll_dice(who, replace(attempt, owed=True)))
    strike, rounds = fired(scene, who, strike, attempt, rolled)
    await follow_up(who, target, strike, attempt, rolled, target in comrades(scene, who))
    if deviates:
        return StruckBlow(False, struck=target.name).after(rolled, rounds)
    if second is not None:
        await afterwards(strike_also(who, second, strike, attempt, rolled.successes, attempt.needed))
    dodged, answer = await answered(target, reaction, strike, who, rolled.successes, swing)
    strike, answer = await behind_shield(reaction, strike, answer)
    parried, shield = dodged + answer, shield_of(scene, reaction, answer)
    left = year_zero.opposed(rolled.successes, parried)
    negated = min(parried, rolled.successes) if SWEEPING in attempt.tags else 0
    rolled = replace(rolled, success=left >= attempt.needed, successes=left)
    return await hand_over(
        strike_home(who, target, strike, attempt, rolled.bare, table, effect, shield, negated),
        lambda blow: blow.after(rolled, rounds),
    )


@formula("yearzero.combat.ammo-spent/fired")
def fired(
    scene: Scene, who: Person, strike: DeclaredAttack, attempt: Attempt, rolled: RolledPool
) -> tuple[DeclaredAttack, int]:
    """What ammo dice have shown, as far as it matters, and how many rounds are gone."""
    if not strike.firearm:
        return strike, 0
    item = scene[who].thing(attempt.gear)
    rounds = rounds_fired(scene, item, attempt.ammo, rolled.rounds)
    if not attempt.ammo:
        return strike, rounds
    showing = replace(strike, ammo=rolled.ammo_successes, most_hits=item.loaded, luck=luck_of(scene, rounds))
    return showing, rounds


@formula("yearzero.combat.field-of-fire-lucky-hit/dice")
def luck_of(scene: Scene, rounds: int) -> int:
    """How many dice each ammo success gives fire that has hit nobody; none if it was too thin."""
    listed = scene[LUCKY_HITS]
    return listed.at(rounds).dice if rounds >= min(row.rounds for row in listed) else 0


@formula("yearzero.combat.sneak-attack/unseen")
def unseen(scene: Scene, who: Person, target: Target, strike: DeclaredAttack) -> DeclaredAttack:
    """Nobody reacts to somebody they do not see."""
    hidden = applying(scene, who, against=target).granted(UNSEEN)
    return replace(strike, surprise=True) if hidden else strike


@frozen
class LuckyHitRow:
    """What so many rounds give each ammo success of fire that has hit nobody."""

    name: str
    rounds: int
    dice: int


LUCKY_HITS: Final = rows("yearzero.combat.field-of-fire-lucky-hit", "rows", LuckyHitRow, by=("rounds", "up_to"))


async def follow_up(
    who: Person, target: Target, strike: DeclaredAttack, attempt: Attempt, rolled: RolledPool, ally: bool
) -> None:
    """What an attack costs besides its dice, once its result stands: rounds, and the trust of an ally."""
    if strike.firearm:
        await afterwards(rule_named("yearzero.combat.ammo-spent")(who, attempt.gear, attempt.ammo, rolled, target))
    if ally:
        await afterwards(betrayed(target))


@rule("yearzero.combat.attack-procedure/strike")
async def strike_home(
    scene: Scene,
    who: Person,
    target: Target,
    strike: DeclaredAttack,
    attempt: Attempt,
    rolled: RolledPool,
    table: str,
    effect: str,
    shield: str,
    negated: int = 0,
) -> StruckBlow:
    """What is left of the attack after the defence: Pride, effects, and what comes through to whom."""
    rolled = await end_later(who, rolled, attempt)
    outcome = await take_effects(who, rolled, attempt, table, effect, target)
    if STRIKE_TWO in outcome.effects and not effect:
        cost = rolled.successes - outcome.beyond
        await afterwards(strike_on(who, target, strike, attempt, rolled.successes + negated, cost))
    blow = StruckBlow(
        rolled.success, rolled.successes, effects=outcome.effects, beyond=outcome.beyond, struck=target.name
    )
    if not rolled.success or not strike.harms or is_spared(scene, table, outcome.effects):
        return await hand_over(pass_by(who, target, strike, blow))
    if strike.ammo:
        strike = await rule_named("yearzero.combat.ammo-dice-hit")(who, target, strike)
    hurts = attribute_hurt(scene, table, outcome.effects, strike.attribute)
    strike = replace(strike, attribute=hurts, part=strike.part or await chosen_part(who, table, outcome.effects))
    return await hand_over(land(who, target, strike, blow, "monster" in attempt.tags, shield))


@formula(CALLED, "yearzero.combat.hit-location")
def aimed_at(scene: Scene, part: str, table: str, effect: str, attempt: Attempt) -> Attempt:
    """A blow or shot at a part of the body is harder; an effect that lets one hit it has a penalty of its own."""
    if not part or part in parts_of(scene, table, (effect,)):
        return attempt
    return attempt.adding(Mod(scene[PARTS][part].modification, part, CALLED))


def parts_of(scene: Scene, table: str, effects: tuple[str, ...]) -> tuple[str, ...]:
    """The parts of the body that these effects let one hit."""
    listed = scene[EFFECT_TABLES[table].rows]
    return tuple(part for name in effects if name in listed for part in listed.look(name).parts)


@rule(f"{CALLED}/choose")
async def chosen_part(scene: Scene, who: Person, table: str, effects: tuple[str, ...]) -> str:
    """An effect lets one choose the part of the body that is hit."""
    may_hit = parts_of(scene, table, effects)
    return await choose(who, PART, may_hit) if may_hit else ""


# --- two enemies at once ----------------------------------------------------------------------------------------------


STRIKE_TWO: Final = "Strike two enemies"
SWEEPING: Final = "sweeping"
"""The tag of attacks that can strike two enemies."""


@frozen
class Struck:
    """The second enemy of an attack on two, and how they defend themselves."""

    who: Person
    reaction: Reaction | None


def enemies(scene: Scene, who: Person, target: Person) -> tuple[Person, ...]:
    """Who else may be struck: in a fight nobody of one's own side."""
    return tuple(each for each in others(scene, who) if each != target and each not in comrades(scene, who))


@rule("yearzero.melee.effects/second")
async def second_enemy(scene: Scene, who: Person, target: Person, strike: DeclaredAttack) -> Struck | None:
    """Somebody else whom the same attack is meant for, and who may react on their own."""
    if not (near := enemies(scene, who, target)):
        return None
    return Struck(*await defend(await choose(who, WHOM, near), strike, who))


@rule("yearzero.melee.effects/two-by-luck")
async def strike_on(
    scene: Scene, who: Person, target: Person, strike: DeclaredAttack, attempt: Attempt, successes: int, cost: int
) -> None:
    """With enough successes an attack strikes somebody else as well."""
    second = await second_enemy(who, target, strike)
    if second is not None:
        await strike_also(who, second, strike, attempt, successes, cost)


@rule("yearzero.melee.effects/two")
async def strike_also(
    scene: Scene, who: Person, second: Struck, strike: DeclaredAttack, attempt: Attempt, successes: int, cost: int
) -> StruckBlow:
    """One roll counts against both enemies; what the second one's defence leaves of it comes through to them."""
    target, reaction = second.who, second.reaction
    dodged, answer = await answered(target, reaction, strike, who, successes, swing_of(scene, who, strike))
    left = year_zero.opposed(successes, dodged + answer)
    blow = StruckBlow(left >= attempt.needed, left, beyond=max(0, left - cost), struck=target.name)
    if not blow.hit:
        return blow
    shield = shield_of(scene, reaction, answer)
    return await hand_over(land(who, target, strike, blow, scene[target].monster, shield))


BY_PARTS: Final = option("yearzero.combat.shield-versus-gunfire-option")
PER_EXTRA: Final = figure("yearzero.combat.shield-versus-gunfire-option", "per_extra_x", int)
SHIELD_PART: Final = Prompt("shield-part")


def shields_parts(scene: Scene, reaction: Reaction, strike: DeclaredAttack) -> bool:
    """Whether a shield is brought before parts of the body, in place of taking successes away."""
    return bool(scene[BY_PARTS]) and reaction.is_shield and strike.firearm


@rule("yearzero.combat.attack-procedure/behind-shield")
async def behind_shield(
    scene: Scene, reaction: Reaction | None, strike: DeclaredAttack, answer: int
) -> tuple[DeclaredAttack, int]:
    """A shield takes successes away; where it is played so, against a firearm it covers parts of the body instead."""
    if not answer or reaction is None or not shields_parts(scene, reaction, strike):
        return strike, answer
    parts = await shielded_parts(reaction, answer)
    return replace(strike, shielded=parts, shield=reaction.way), 0


@rule("yearzero.combat.shield-versus-gunfire-option")
async def shielded_parts(scene: Scene, reaction: Reaction, successes: int) -> tuple[str, ...]:
    """As many parts as the shield is listed with, and one more for each further success."""
    item = scene[reaction.who].thing(reaction.way)
    listed = scene[SHIELDS].look(item.kind).body_areas if item.kind in scene[SHIELDS] else 1
    found: tuple[str, ...] = ()
    for _ in range(min(len(LOCATIONS), listed + (successes - 1) * scene[PER_EXTRA])):
        left = tuple(each for each in LOCATIONS if each not in found)
        found += (await choose(reaction.who, SHIELD_PART, left),)
    return found


async def answered(
    target: Target, reaction: Reaction | None, strike: DeclaredAttack, who: Person, successes: int, swing: SwungParry
) -> tuple[int, int]:
    """What a dodge made before takes from an attack, and what a reaction does; with nothing left, none is rolled."""
    dodged = await dodged_before(target, strike.ranged)
    if reaction is None or successes <= dodged:
        return dodged, 0
    return dodged, await defended(reaction, strike, who, successes - dodged, swing)


@formula("yearzero.core.push-after-success/attack")
def pushable(
    scene: Scene, target: Target, strike: DeclaredAttack, attempt: Attempt, reaction: Reaction | None, deviates: bool
) -> Attempt:
    """Any success may be needed against a dodge or a parry; none helps a shot that deviates."""
    if deviates:
        return replace(attempt, no_push=ASTRAY)
    defends = reaction is not None or dodges_made(scene, target, strike.ranged).active
    return replace(attempt, surplus=True) if defends else attempt


ASTRAY: Final = NoPush("the shot deviates, whatever it shows", "yearzero.observation.forward-observer")


def shield_of(scene: Scene, reaction: Reaction | None, parried: int) -> str:
    """The shield that has parried enough to be given up, if any."""
    return reaction.way if reaction and reaction.is_shield and parried >= scene[LEAST_PARRIED] else ""


def swing_of(scene: Scene, who: Person, strike: DeclaredAttack) -> SwungParry:
    applied = applying(scene, who, "attack", *swung(scene, who, strike))
    return SwungParry(applied.extra("disrupted parry"), applied.extra("attacked weapon"))


@formula("yearzero.combat.prone-melee", "yearzero.combat.prone-target")
def situated(scene: Scene, who: Person, target: Target, strike: DeclaredAttack, attempt: Attempt) -> Attempt:
    """With what the situation adds: standing over somebody prone."""
    ridden = ("mounted",) if "mounted" in scene[who].conditions or rides_hard(scene, who, attempt.gear) else ()
    tags = (*attempt.tags, ATTACKING, "attacking", *ridden, *charging(scene, who, strike), *nature(scene, target))
    heavy = bool(strike.weapon) and "Heavy" in features_of(scene, scene[who].thing(strike.weapon))
    tagged = replace(attempt, against=target, tags=tags).adding(*cramped_mods(scene, who, heavy))
    if not strike.ranged and scene[target].prone and not scene[who].prone:
        return tagged.adding(Mod(scene[STANDING_BONUS], f"{target} is prone", STANDING_BONUS.rule))
    return tagged


@formula("yearzero.chase.firing/targeting")
def rides_hard(scene: Scene, who: Person, weapon: str) -> bool:
    """Whether a vehicle on the move makes an attack harder; a targeting system makes up for it."""
    aims = bool(weapon) and scene[who].thing(weapon).targeting
    return is_on_the_move(scene, who) and not aims


SWUNG: Final = "swung"
"""The tag of a slash or stab with a weapon that was swung directly before."""


@formula("yearzero.might.swing-weapon/strike")
def swung(scene: Scene, who: Person, strike: DeclaredAttack) -> tuple[str, ...]:
    """Whether a weapon was swung directly before it strikes."""
    swings = strike.kind in ("Slash", "Stab") and applying(scene, who).granted(swing_with(strike.weapon))
    return (SWUNG,) if swings else ()


def swing_with(weapon: str) -> str:
    """What lasts from a swing until the next action is over."""
    return f"swing {weapon}"


CHARGED: Final = ("Slash", "Stab", "Punch/Kick/Bite", "Shove")


@formula("yearzero.melee.charge/attack")
def charging(scene: Scene, who: Person, strike: DeclaredAttack) -> tuple[str, ...]:
    """Whether an attack follows a charge: a slash, stab, punch or shove."""
    charges = strike.kind in CHARGED and applying(scene, who, ATTACKING).granted("charging")
    return ("charge",) if charges else ()


def nature(scene: Scene, target: Target) -> tuple[str, ...]:
    """What effects may ask about a target."""
    return (*(("monster",) if scene[target].monster else ()), *(() if is_somebody(scene, target) else (AT_A_THING,)))


# --- what comes through -----------------------------------------------------------------------------------------------


@rule("yearzero.combat.attack-procedure/pass")
async def pass_by(scene: Scene, who: Person, target: Target, strike: DeclaredAttack, blow: StruckBlow) -> StruckBlow:
    """An attack that does no damage: fire that hits calls for calm, and a miss may hit somebody else."""
    if strike.firearm and blow.hit:
        return await settled(blow, then=suppression_test(target))
    if strike.ranged and not blow.hit:
        return await settled(blow, then=rule_named("yearzero.combat.ammo-dice-miss")(who, target, strike))
    return blow


@formula("yearzero.melee.use")
def damage_of(scene: Scene, weapon: int, beyond: int) -> int:
    """Weapon damage, and a point for each success beyond the needed."""
    return weapon + beyond


@rule("yearzero.combat.attack-procedure/land", "yearzero.combat.armor")
async def land(
    scene: Scene,
    who: Person,
    target: Target,
    strike: DeclaredAttack,
    blow: StruckBlow,
    monster: bool = False,
    shield: str = "",
) -> StruckBlow:
    """Damage by weapon and successes, as far as it comes through; what follows from it comes last."""
    kind = ("monster",) if monster else ()
    bonus = applying(scene, who, "attack", "strike", strike.kind, *swung(scene, who, strike), *kind, against=target)
    damage = damage_of(scene, strike.damage, blow.beyond * strike.per_x) + bonus.extra("damage")
    if bonus.active:
        await use(bonus)
    critical = "Axe Crit" in blow.effects or bonus.granted("critical on damage")
    bleeds = "bleeding" in blow.effects
    poisoned = strike.weapon if strike.weapon and scene[who].thing(strike.weapon).poisoned else ""
    feinted, whirls = bonus.granted("lose actions"), bonus.granted("whirlwind")
    after = AfterBlow(who, feinted, whirls, critical, bleeds, poisoned, blow.successes)
    least = int("Blunt Crit" in blow.effects)
    return await hand_over(
        come_through(target, strike, damage, after, shield, bonus.granted("armor pierce"), least),
        lambda hit: replace(blow, damage=hit.damage, location=hit.location, broken=hit.broken),
    )


@frozen
class ThroughArmor:
    """What came through of a blow, where, and whether it breaks whoever is hit; no place if a shield took it."""

    damage: int = 0
    location: str = ""
    broken: bool = False


THROUGH: Final = "yearzero.combat.attack-procedure/through"


@rule(THROUGH, "yearzero.combat.armor")
async def come_through(
    scene: Scene,
    target: Target,
    strike: DeclaredAttack,
    damage: int,
    after: AfterBlow,
    shield: str = "",
    pierces: bool = False,
    least: int = 0,
) -> ThroughArmor:
    """A shield may be given up, a comrade may take some, armor stops the rest; what gets through hurts."""
    if (by := scene[target].suffers_by) != THROUGH:
        return await hand_over(rule_named(by)(target, strike, damage, after, int(pierces)))
    if damage <= 0 and strike.firearm:
        return await settled(ThroughArmor(), then=suppression_test(target))
    if shield:
        damage -= await sacrifices(target, shield, damage)
    if damage <= 0:
        return ThroughArmor()
    damage -= await blocked(target, strike, damage)
    called = scene[PARTS].look(strike.part).location if strike.part else ""
    location, stands = await hit_location(target, called), scene[target].now(strike.attribute)
    if strike.attribute == STRENGTH:
        damage = await armored(target, location, damage, pierces, strike.armor_multiple, strike)
    damage = damage or least
    hit = ThroughArmor(damage, location, damage >= stands > 0)
    if damage:
        after = replace(after, whirls=after.whirls and hit.broken)
        return await settled(hit, then=wound(target, damage, strike, location, after))
    return await settled(hit, then=suppression_test(target)) if strike.firearm else hit


@rule(SACRIFICE)
async def sacrifices(scene: Scene, who: Person, shield: str, damage: int) -> int:
    """After a parry with a success the shield may be given up: it breaks, and all damage is gone, or what it says."""
    if not await offer(who, SACRIFICED, YES):
        return 0
    item = scene[who].thing(shield)
    await alter(who, with_broken, shield, rating(scene, item))
    removed = scene[SHIELDS].look(item.kind).sacrifice_removes if item.kind in scene[SHIELDS] else None
    return damage if removed is None else min(damage, removed)


def with_broken(sheet: Survivor, thing: str, points: int) -> Survivor:
    return sheet.with_thing(sheet.thing(thing).worn(points, points))


@frozen
class AfterBlow:
    """What follows from a blow that did damage: by a feint, a whirlwind, or an effect that injures."""

    by: Person | None = None
    feinted: bool = False
    whirls: bool = False
    critical: bool = False
    bleeds: bool = False
    poisoned: str = ""
    """The weapon with poison on it that has hit."""
    successes: int = 0
    """What the defence has left of the attack."""


@rule("yearzero.injuries.critical-trigger/attack", "yearzero.injuries.further-damage", "yearzero.panic.triggers")
async def wound(
    scene: Scene, who: Person, damage: int, strike: DeclaredAttack, location: str, after: AfterBlow
) -> None:
    """Damage from outside; Broken by it one has a critical injury, whose excess counts, and must not panic."""
    before, stress, critical = scene[who].now(strike.attribute), scene[who].stress, after.critical
    await disturbed(who)
    await suffer(who, damage, strike.attribute, after.by)
    if strike.wounding == "blunt" and location == HEAD:
        await knock_out(who, damage)
    broken = breaks_bones(scene, strike.attribute) and scene[who].now(strike.attribute) == 0
    if broken or critical:
        _ = await injure(who, location, strike.wounding, damage - before if broken else 0, after.by)
    injury = ("injury",) if broken or critical else ()
    await panic_check(who, stress, (*injury, *lost(scene, who, strike.attribute, before > 0)))
    if after.feinted:
        for kind in ("slow action", "fast action"):
            loss = Effect.from_plain({"forbids": kind, "until": "round end"})
            await lay(who, loss, source="a Hard Feint", by="yearzero.move.dirty-fighting")
    if strike.firearm:
        await suppression_test(who)
    if after.bleeds:
        await bleed_on(who, location)
    if after.whirls and after.by is not None:
        await whirl(after.by)
    if after.poisoned and after.by is not None:
        await rule_named("yearzero.poison.on-weapons/hit")(after.by, who, after.poisoned, damage)


@rule("yearzero.combat.overwatch-loss")
async def disturbed(scene: Scene, who: Person) -> None:
    """Whoever is hurt or Suppressed no longer watches over a place, and holds no field of fire."""
    if BATTLE in scene and scene[BATTLE].fields:
        await alter(BATTLE, Battle.ceasing_fire, who.name)
    if has_laid(scene, who, OVERWATCH):
        await remove_effects(who, OVERWATCH)


HEAD: Final = "Head"
KNOCKOUT: Final = "yearzero.combat.blunt-head-knockout"
KNOCKED_OUT: Final = Prompt("knocked-out")
KNOCKOUT_AT: Final = figure(KNOCKOUT, "threshold", int)


@rule(KNOCKOUT)
async def knock_out(scene: Scene, who: Person, damage: int) -> None:
    """A blow to the head may knock somebody out for minutes, the longer the harder it was."""
    dice = damage - scene[KNOCKOUT_AT] + 1
    if dice < 1 or UNCONSCIOUS in scene[who].conditions:
        return
    minutes = (await roll(KNOCKED_OUT, who, Pool.of((D6, dice)), Total)).total
    await alter(who, fallen, True, True)
    until = scene[CLOCK].now + minutes * sizes(scene)["minute"]
    await alter(who, Survivor.with_condition_until, UNCONSCIOUS, until)


@rule(f"{KNOCKOUT}/over")
async def come_to(scene: Scene, who: Person) -> None:
    """Somebody who was knocked out wakes."""
    await alter(who, Survivor.without_condition, UNCONSCIOUS)


@rule("yearzero.marksmanship.effects/bleed-on")
async def bleed_on(scene: Scene, who: Person, location: str) -> None:
    """Whoever is not Broken bleeds from the next round on; a second wound does not bleed faster."""
    await alter(who, bleeding_from, "" if STRENGTH in scene[who].broken else location)


def bleeding_from(sheet: Survivor, location: str) -> Survivor:
    return replace(sheet, bleeds=location)


@rule("yearzero.marksmanship.effects/bleed")
async def bleed(scene: Scene, who: Person, about: str) -> None:
    """A point of damage in every round, where the harpoon or spear has hit, until one is Broken."""
    if STRENGTH in scene[who].broken:
        await bleed_on(who, about)
    else:
        await wound(who, 1, DeclaredAttack("Shoot", wounding="stab"), about, AfterBlow(bleeds=True))


@due(Survivor, bleed, come_to)
def bleeding_or_knocked_out(scene: Scene, who: Person) -> Iterator[Due]:
    """What bleeds does so in every round; whoever was knocked out wakes at their time. (Older logs: by the clock.)"""
    sheet, before = scene[who], scene[CLOCK].set_before(who, bleed)
    if (sheet.bleeds or before) and DEAD not in sheet.conditions:
        yield Due(bleed, about=sheet.bleeds or (before.about if before else ""))
    if (at := over_at(scene, who, UNCONSCIOUS, come_to)) is not None:
        yield Due(come_to, at=at)


@rule("yearzero.might.mighty-swing/whirl")
async def whirl(scene: Scene, who: Person) -> None:
    """Whoever downs an enemy in a whirlwind runs on and repeats the attack, both for free."""
    if kind_of_action(scene, WHIRLWIND) == FREE:
        await alter(BATTLE, Battle.giving_back, who.name, SLOW, if_present=True)
        await lay(who, Effect(Grants(WHIRLWIND), until="round end", uses=1), source="Whirlwind")
