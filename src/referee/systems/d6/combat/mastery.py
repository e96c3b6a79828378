"""Maneuvers in a fight: attacks that only masters make, with a weapon or without one, and teasing.

Melee mastery and Martial arts share these functions: which skill is rolled, and with what, is in the attempt.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Annotated, Final, TypeAlias

from referee.core import (
    Bands,
    Call,
    Effect,
    Fields,
    Mod,
    Mods,
    Pick,
    Prompt,
    Refused,
    Scene,
    action,
    alter,
    applying,
    change,
    choose,
    formula,
    frozen,
    hand_over,
    lay,
    offer,
    option,
    refuse,
    rule,
    tell,
)
from referee.core.effects import Adds, Extra
from referee.core.things import HELD
from referee.kits.dice_codes import Code
from referee.systems.d6.codes import own_code
from referee.systems.d6.combat.blows import (
    MELEE_ATTACK,
    PLAIN_BLOW,
    BlowSituation,
    MeleeBlow,
    MeleeResult,
    main_weapon,
    own_reach,
    weapon_blow,
    with_hand,
)
from referee.systems.d6.combat.brawling import BRAWL_ROWS, HIT, IMPROVISED, brawl_blow
from referee.systems.d6.combat.maneuvers import (
    COMBAT_END,
    DEFENSIVE,
    GENERAL,
    MARTIAL,
    MARTIAL_ARTS,
    OFFENSIVE,
    SYMBOLS,
    ManeuverRow,
    check_fresh,
    check_lethal,
    combat_skills,
    fresh,
    is_martial,
    known,
    knows,
    maneuver_row,
    note_use,
    type_of,
)
from referee.systems.d6.combat.melee import (
    Target,
    after_blow,
    allowed_in_hold,
    blow_outcome,
    check_above,
    check_melee_weapon,
    come_to_blows,
    melee_weapons,
    strike,
)
from referee.systems.d6.combat.parries import parry_ways
from referee.systems.d6.combat.reach import reach_mods
from referee.systems.d6.combat.reactions import defend
from referee.systems.d6.combat.round import (
    FIGHT,
    SURPRISE,
    AttackKind,
    IndividualCombat,
    RoundPhase,
    fight_action,
    with_reaction,
)
from referee.systems.d6.combat.weapons import WeaponDamage, hands_needed, item_of, put_away, weapon_skills
from referee.systems.d6.opposed import contest
from referee.systems.d6.resolution import check_able, check_skilled, roll_against
from referee.systems.d6.rolls import ACTION, ANY_ROLL, ROUND_END
from referee.systems.d6.sheet import PIPS_PER_DIE, Hero, KnownManeuver, Person

CATCH: Final = Prompt("catch")
UNUSUAL_DAMAGE: Final = Prompt("unusual-damage")
TEASING: Final = "Teasing"
COUNTER_FEINT: Final = "Counter-feint"
PERCEPTION: Final = "Perception"
WILLPOWER: Final = "Willpower"
INTERCHANGEABLE: Final = option(MARTIAL_ARTS)
FEINTED: Final = "feinted"
UNPENALIZED: Final = (ANY_ROLL,)
"""Rolls of mastery that several actions do not make harder."""
CATCHING: Final = ("Agility", "Coordination")


@frozen
class ManeuverResult:
    """What a maneuver came to: the attack, the damage, and where a weapon went."""

    hit: bool
    margin: int
    outcome: str
    """hit, miss, parried or chock; `feinted` if the target wasted a reaction on a feint."""
    reaction: str = ""
    harm: str = ""
    metres: float = 0
    caught: bool = False
    parried_with: str = ""

    @property
    def blow(self) -> MeleeResult:
        """The attack itself."""
        return MeleeResult(self.hit, self.margin, self.outcome, self.reaction, self.parried_with, self.harm)


MANEUVERED: Final[Bands[ManeuverResult]] = Bands(
    of=lambda found: found.outcome,
    keys=("miss", "parried", "chock", FEINTED, "hit"),
    good=("hit", FEINTED),
    extra={"caught": lambda found: found.caught},
)


@frozen
class ManeuverAttempt:
    """A maneuver about to be tried: which of those one knows, with which weapon, and the blow it is."""

    known: KnownManeuver
    weapon: str
    blow: MeleeBlow
    at: BlowSituation
    unusual_use: bool = False

    @property
    def skill(self) -> str:
        return self.known.skill

    def with_mastery(self) -> ManeuverAttempt:
        """Mastery is rolled in place of the weapon skill."""
        return replace(self, blow=replace(self.blow, using=self.skill))

    def harmless(self) -> ManeuverAttempt:
        return replace(self, blow=replace(self.blow, damage=None))


def ended(found: MeleeResult, metres: float = 0, caught: bool = False) -> ManeuverResult:
    return ManeuverResult(
        found.hit, found.margin, found.outcome, found.reaction, found.harm, metres, caught, found.parried_with
    )


ManeuverRule: TypeAlias = Callable[[Person, Person, ManeuverAttempt], Call[ManeuverResult]]
ATTACKS: Final[dict[str, ManeuverRule]] = {}
"""What each maneuver of attack does."""


# --- which skill, which weapon ----------------------------------------------------------------------------------------


def fits(scene: Scene, who: Person, skill: str, weapon: str) -> bool:
    """Whether a skill is that of a weapon: each mastery covers one kind, Martial arts are for bare hands."""
    if is_martial(scene, skill) or not weapon:
        return is_martial(scene, skill) and not weapon
    item, mastered = item_of(scene, who, weapon), type_of(skill)
    kinds = {item.kind, *map(type_of, weapon_skills(scene, item))}
    return not mastered or plain(mastered) in {plain(each) for each in kinds if each}


def plain(name: str) -> str:
    return name.casefold().removesuffix("s")


def weapon_choices(scene: Scene, who: Person) -> tuple[str, ...]:
    """What a maneuver may be tried with: the main weapon first, then others in hand, then bare hands."""
    main = main_weapon(scene, who)
    mine = (main, *melee_weapons(scene, who)) if main else ()
    return tuple(dict.fromkeys((*mine, "")))


def pairing(
    scene: Scene, who: Person, maneuver: str, target: Person, weapon: str = "", variant: str = ""
) -> tuple[KnownManeuver, str]:
    """The maneuver as somebody knows it that still works on the target, and the weapon it is tried with."""
    check_fresh(scene, who, maneuver, target)
    candidates = fresh(scene, who, maneuver, target)
    if variant and not any(each.variant == variant for each in candidates):
        names = tuple(each.variant for each in candidates)
        refuse(f"{who} has no such variant left against {target}", what=variant, rule=SYMBOLS, legal=names)
    for thing in (weapon,) if weapon else weapon_choices(scene, who):
        for each in candidates:
            if variant in ("", each.variant) and fits(scene, who, each.skill, thing):
                return each, thing
    skills = tuple(dict.fromkeys(each.skill for each in candidates))
    because = "it takes a weapon of this mastery in hand"
    raise Refused(maneuver, because=because, rule=OFFENSIVE, legal=skills)


def attempt_of(
    scene: Scene,
    who: Person,
    maneuver: str,
    target: Person,
    weapon: str,
    variant: str,
    at: BlowSituation,
    unusual_use: bool = False,
) -> ManeuverAttempt:
    """A maneuver, as it would be tried now."""
    mine, thing = pairing(scene, who, maneuver, target, weapon, variant)
    blow = weapon_blow(scene, who, thing) if thing else brawl_blow(scene, who, HIT)
    return ManeuverAttempt(mine, thing, blow, at, unusual_use)


# --- the action -------------------------------------------------------------------------------------------------------


OTHERWISE: Final = {
    "Teasing": "tease",
    "Attack sinister": "attack-sinister",
    "Strangulation": "strangle",
    "Throw": "throw",
    "Missiles parry": "parry-missile",
}
"""Maneuvers that are actions of their own."""


def attack_maneuvers(scene: Scene, who: Person) -> tuple[str, ...]:
    return tuple(name for name in ATTACKS if knows(scene, who, name))


def check_attack_maneuver(scene: Scene, who: Person, maneuver: str) -> None:
    """One of the attacks that somebody has learned."""
    if maneuver in OTHERWISE:
        raise Refused(maneuver, because="it is no attack", rule=OFFENSIVE, legal=(OTHERWISE[maneuver],))
    if maneuver not in ATTACKS:
        raise Refused(maneuver, because="it is no attack", rule=OFFENSIVE, legal=attack_maneuvers(scene, who))


def check_maneuver(
    scene: Scene,
    who: Person,
    target: Person,
    maneuver: str,
    weapon: str = "",
    variant: str = "",
    unusual_use: bool = False,
) -> None:
    """Learned, not seen yet by the target, with a weapon that fits; and what the maneuver itself asks for."""
    mine, thing = pairing(scene, who, maneuver, target, weapon, variant)
    if thing:
        check_melee_weapon(scene, who, thing)
    row = maneuver_row(scene, maneuver, mine.skill)
    if row.per_round:
        check_per_round(scene, who, mine)
    if maneuver in ("Disarm", "Pin") and not main_weapon(scene, target):
        refuse(f"{target} has no weapon in hand", what=maneuver, rule=OFFENSIVE)
    if maneuver == "Unusual attack" and not unusual_use:
        check_longer(scene, who, target, thing)


def check_per_round(scene: Scene, who: Person, mine: KnownManeuver) -> None:
    """No more of them in a round than the skill has dice, nor than one knows different ones."""
    dice, different = own_code(scene, who, mine.skill).dice, sum(1 for _ in known(scene, who, mine.name, mine.skill))
    why = f"one for each die of {mine.skill}" if dice <= different else f"one for each {mine.name} that {who} knows"
    if applying(scene, who).extra(this_round(mine)) >= min(dice, different):  # not a query of Django
        refuse(f"at most {min(dice, different)} in a round, {why}", what=mine.name, rule=OFFENSIVE)


def this_round(mine: KnownManeuver) -> str:
    return f"{mine.name} this round"


def check_longer(scene: Scene, who: Person, target: Person, weapon: str) -> None:
    """It is of use to whoever reaches farther."""
    if reach_of(scene, who, weapon) <= own_reach(scene, target):
        refuse("it takes the longer reach, or an unusual use of the weapon", what="Unusual attack", rule=OFFENSIVE)


def reach_of(scene: Scene, who: Person, weapon: str) -> int:
    return (weapon_blow(scene, who, weapon) if weapon else brawl_blow(scene, who, HIT)).reach


def maneuver_weapons(scene: Scene, who: Person, maneuver: str) -> tuple[str, ...]:
    """What is in hand that a maneuver can be tried with; nothing, for bare hands."""
    skills = tuple(each.skill for each in known(scene, who, maneuver))
    return tuple(thing for thing in weapon_choices(scene, who) if any(fits(scene, who, each, thing) for each in skills))


def check_maneuver_weapon(scene: Scene, who: Person, weapon: str) -> None:
    """A weapon in hand; the one that fits need not be named."""
    if weapon:
        check_melee_weapon(scene, who, weapon)


Attack: TypeAlias = Annotated[str, Pick(attack_maneuvers, check_attack_maneuver)]
ManeuverWeapon: TypeAlias = Annotated[str, Pick(maneuver_weapons, check_maneuver_weapon)]


@fight_action(
    "maneuver",
    MELEE_ATTACK + "/maneuver",
    SYMBOLS,
    OFFENSIVE,
    MARTIAL,
    bands=MANEUVERED,
    check=(check_above, check_maneuver, check_lethal),
)
async def try_maneuver(
    scene: Scene,
    who: Person,
    target: Target,
    maneuver: Attack,
    weapon: ManeuverWeapon = "",
    variant: str = "",
    unusual_use: bool = False,
    lethal: bool = False,
    at: Annotated[BlowSituation, Fields(without="situation unparried")] = PLAIN_BLOW,
) -> ManeuverResult:
    """Attack by a maneuver that one has learned. The target may parry as usual."""
    await allowed_in_hold(who)
    attempt = attempt_of(scene, who, maneuver, target, weapon, variant, at, unusual_use)
    if lethal:
        attempt = replace(attempt, blow=attempt.blow.deadly())
    await note_use(who, attempt.known, target)
    return await hand_over(ATTACKS[maneuver](who, target, attempt))


@rule(MELEE_ATTACK + "/maneuver-blow", MELEE_ATTACK)
async def blow_of(scene: Scene, who: Person, target: Person, attempt: ManeuverAttempt) -> MeleeResult:
    """The attack of a maneuver, as any other attack goes."""
    return await hand_over(strike(who, target, attempt.blow, attempt.at))


def row_of(scene: Scene, attempt: ManeuverAttempt) -> ManeuverRow:
    return maneuver_row(scene, attempt.known.name, attempt.skill)


# --- Disarm -----------------------------------------------------------------------------------------------------------


@rule(MELEE_ATTACK + "/disarm", OFFENSIVE, MARTIAL)
async def disarm(scene: Scene, who: Person, target: Person, attempt: ManeuverAttempt) -> ManeuverResult:
    """Mastery attacks the weapon: it flies away, and may be caught in mid air."""
    weapon, row = main_weapon(scene, target), row_of(scene, attempt)
    firm = two_handed(scene, target, weapon, row)
    tried = replace(attempt, at=attempt.at.with_parry_mods(*firm)).with_mastery().harmless()
    await come_to_blows(who, target, tried.blow.reach, tried.at.surprised)
    return await hand_over(
        disarm_outcome(who, target, tried, row),
        then=lambda found: disarmed(who, target, tried, weapon, found),
    )


ATTACKS["Disarm"] = disarm


@rule(MELEE_ATTACK + "/disarm-outcome", OFFENSIVE, MARTIAL)
async def disarm_outcome(
    scene: Scene, who: Person, target: Person, tried: ManeuverAttempt, row: ManeuverRow
) -> ManeuverResult:
    """What an attack on a weapon comes to: how far it flies, and whether the attacker catches it."""
    found = await blow_outcome(who, target, tried.blow, tried.at)
    if not found.hit:
        return ended(found)
    caught = await catch(who, row.catch_difficulty - found.margin)
    return ended(found, flight(scene, who, row, found.margin), caught)


@rule(MELEE_ATTACK + "/disarmed", OFFENSIVE, MARTIAL)
async def disarmed(
    scene: Scene, who: Person, target: Person, tried: ManeuverAttempt, weapon: str, found: ManeuverResult
) -> None:
    """The weapon is out of its owner's hand; one that parried may have suffered."""
    if (follows := after_blow(who, target, tried.blow, tried.at, found.blow)) is not None:
        await follows
    if found.hit:
        await lose_weapon(target, weapon, who if found.caught else None)
        await tell("disarmed", who=target, weapon=weapon, metres=f"{found.metres:g}")


def two_handed(scene: Scene, target: Person, weapon: str, row: ManeuverRow) -> Mods:
    """What is held in two hands is held more firmly."""
    firm = hands_needed(scene, target, item_of(scene, target, weapon)) > 1
    return (Mod(row.two_handed_parry, "held in two hands", OFFENSIVE),) if firm else ()


def flight(scene: Scene, who: Person, row: ManeuverRow, margin: int) -> float:
    """How many metres a weapon flies: half the margin, and no farther than the attacker's Strength sends it."""
    return min(margin / row.divisor, row.metres_per_die * own_code(scene, who, "Strength").dice)


@rule(MELEE_ATTACK + "/catch", OFFENSIVE)
async def catch(scene: Scene, who: Person, difficulty: int) -> bool:
    """The attacker may try to catch it, with Agility or Coordination."""
    using = await offer(who, CATCH, CATCHING)
    return using is not None and (await roll_against(who, using, difficulty)).success


@rule(MELEE_ATTACK + "/lose-weapon", OFFENSIVE)
async def lose_weapon(scene: Scene, who: Person, weapon: str, taker: Person | None) -> None:
    """A weapon is out of its owner's hand: on the ground, or in the hand of whoever caught it."""
    if taker is None:
        await put_away(who, weapon, dropped=True)
        return
    item = item_of(scene, who, weapon)
    await alter(who, Hero.without_item, weapon)
    armed = bool(melee_weapons(scene, taker))
    await alter(taker, Hero.taking_item, replace(item, off_hand=armed).at(HELD))


# --- Power strike -----------------------------------------------------------------------------------------------------


@rule(MELEE_ATTACK + "/power-strike", OFFENSIVE, MARTIAL)
async def power_strike(scene: Scene, who: Person, target: Person, attempt: ManeuverAttempt) -> ManeuverResult:
    """Dice for the damage, and as many for the parry; a strike that fails makes what comes next as much harder."""
    dice = max(attempt.known.dice, row_of(scene, attempt).least_dice)
    staked = (Mod(dice, "Power strike", OFFENSIVE),)
    blow = replace(attempt.blow, damage=powered(scene, who, attempt, staked))
    return await hand_over(
        blow_of(who, target, replace(attempt, blow=blow, at=attempt.at.with_parry_mods(*staked))),
        ended,
        then=lambda found: None if found.hit else overreach(who, dice),
    )


ATTACKS["Power strike"] = power_strike


@rule(MELEE_ATTACK + "/overreach", OFFENSIVE, MARTIAL)
async def overreach(scene: Scene, who: Person, dice: int) -> None:
    """A Power strike that failed makes what comes next harder."""
    await lay(who, Effect(Adds(-dice), frozenset({ACTION}), uses=1, until=COMBAT_END), source="failed Power strike")


def powered(scene: Scene, who: Person, attempt: ManeuverAttempt, staked: Mods) -> WeaponDamage | None:
    """The damage with the dice staked; mastery in place of Strength, if it is the higher of the two."""
    dealt = attempt.blow.damage
    if dealt is None:
        return None
    mastery, per_die = own_code(scene, who, attempt.skill), scene[PIPS_PER_DIE]
    stronger = dealt.own != Code() and mastery.in_pips(per_die) > dealt.own.in_pips(per_die)
    return replace(dealt, own=mastery if stronger else dealt.own, mods=(*dealt.mods, *staked))


# --- Unusual attack ---------------------------------------------------------------------------------------------------


@rule(MELEE_ATTACK + "/unusual-attack", OFFENSIVE)
async def unusual_attack(scene: Scene, who: Person, target: Person, attempt: ManeuverAttempt) -> ManeuverResult:
    """A long weapon used up close, for less damage; or a weapon used as it is not meant to be, with mastery."""
    row = row_of(scene, attempt)
    if not attempt.unusual_use:
        closer = (Mod(row.reach, "Unusual attack", OFFENSIVE),) if hinders(scene, who, target, attempt) else ()
        weaker = with_damage(attempt, (Mod(row.damage, "Unusual attack", OFFENSIVE),))
        return await hand_over(blow_of(who, target, replace(weaker, at=attempt.at.with_mods(*closer))), ended)
    difficulty = scene[BRAWL_ROWS][IMPROVISED].difficulty
    own = (Mod(row.damage, "Unusual attack", OFFENSIVE),)
    if await choose(who, UNUSUAL_DAMAGE, ("weapon", "Strength")) == "weapon":
        tried = with_damage(attempt, own)
    else:
        dealt = WeaponDamage(own_code(scene, who, "Strength"), Code(0, row.unusual_pips))
        tried = replace(attempt, blow=replace(attempt.blow, damage=dealt))
    tried = replace(tried, blow=replace(tried.blow, difficulty=difficulty)).with_mastery()
    return await hand_over(blow_of(who, target, tried), ended)


ATTACKS["Unusual attack"] = unusual_attack


def hinders(scene: Scene, who: Person, target: Person, attempt: ManeuverAttempt) -> bool:
    """Whether the distance hinders the longer reach now."""
    distance = scene[who].distance_to(target.name) or "far"
    return bool(reach_mods(scene, attempt.blow.reach, own_reach(scene, target), distance))


def with_damage(attempt: ManeuverAttempt, mods: Mods) -> ManeuverAttempt:
    """An attempt whose damage is modified."""
    dealt = attempt.blow.damage
    if dealt is None:
        return attempt
    return replace(attempt, blow=replace(attempt.blow, damage=replace(dealt, mods=(*dealt.mods, *mods))))


# --- Feint ------------------------------------------------------------------------------------------------------------


@formula(MARTIAL_ARTS)
def interchangeable(scene: Scene, who: Person, maneuver: str) -> tuple[str, ...]:
    """The skills with which a defender may use a maneuver: mastery or Martial arts, whatever the attacker uses."""
    return tuple(dict.fromkeys(each.skill for each in known(scene, who, maneuver)))


def countering(scene: Scene, who: Person, skill: str) -> str:
    """What opposes a feint: Perception; for those who know Counter-feint, the skill they know it with."""
    if scene[INTERCHANGEABLE]:
        skills = interchangeable(scene, who, COUNTER_FEINT)
    else:
        martial = is_martial(scene, skill)
        skills = tuple(e.skill for e in known(scene, who, COUNTER_FEINT) if is_martial(scene, e.skill) is martial)
    return max(skills, key=lambda each: own_code(scene, who, each).in_pips(scene[PIPS_PER_DIE]), default=PERCEPTION)


@rule(MELEE_ATTACK + "/feint", OFFENSIVE, DEFENSIVE, MARTIAL)
async def feint(scene: Scene, who: Person, target: Person, attempt: ManeuverAttempt) -> ManeuverResult:
    """Whoever falls for a feint wastes a reaction on it, which costs the attacker nothing, or cannot parry at all."""
    await lay(who, Effect(Extra(this_round(attempt.known)), until=ROUND_END), source="Feint")
    opposing = countering(scene, target, attempt.skill)
    seen = await contest(who, attempt.skill, target, opposing, tags=UNPENALIZED)
    if seen.margin < 0 or reacts_fully(scene, target):
        return await hand_over(blow_of(who, target, attempt), ended)
    return await hand_over(
        fall_for(who, target, attempt),
        lambda found: replace(found, margin=seen.margin) if found.outcome == FEINTED else found,
    )


ATTACKS["Feint"] = feint


@rule(MELEE_ATTACK + "/fall-for", OFFENSIVE, MARTIAL)
async def fall_for(scene: Scene, who: Person, target: Person, attempt: ManeuverAttempt) -> ManeuverResult:
    """The target reacts to nothing, or has no reaction left to the blow."""
    ways = parry_ways(scene, who, target, attempt.blow, attempt.at)
    fallen = await defend(target, AttackKind.MELEE, 0, tuple(each.way for each in ways))
    if fallen.reaction:
        await alter(FIGHT, IndividualCombat.taking_back, who.name, if_present=True)
        return ManeuverResult(False, 0, FEINTED, fallen.reaction)
    return await hand_over(blow_of(who, target, replace(attempt, at=replace(attempt.at, unparried=True))), ended)


def reacts_fully(scene: Scene, who: Person) -> bool:
    return FIGHT in scene and scene[FIGHT].full_reaction(who.name) is not None


# --- Switch hands -----------------------------------------------------------------------------------------------------


@rule(MELEE_ATTACK + "/switch-hands", GENERAL)
async def switch_hands(scene: Scene, who: Person, target: Person, attempt: ManeuverAttempt) -> ManeuverResult:
    """The weapon changes hands, and strikes from where nobody expects it."""
    bonus = await change_hands(who, attempt.weapon, attempt.skill)
    blow = weapon_blow(scene, who, attempt.weapon)
    return await hand_over(blow_of(who, target, replace(attempt, blow=blow, at=attempt.at.with_mods(*bonus))), ended)


ATTACKS["Switch hands"] = switch_hands


@rule(MELEE_ATTACK + "/change-hands", GENERAL, "d6.skills.ambidexterity")
async def change_hands(scene: Scene, who: Person, weapon: str, skill: str) -> Mods:
    """A mastery roll, restricted by Ambidexterity from the off hand to the good one; what the surprise is worth."""
    row = maneuver_row(scene, "Switch hands", skill)
    off_hand = item_of(scene, who, weapon).off_hand
    using = with_hand(scene, who, skill, off_hand)
    if not await hands_change(who, using, row.difficulty):
        return ()
    await alter(who, Hero.with_item, replace(item_of(scene, who, weapon), off_hand=not off_hand))
    return (Mod(row.bonus, "Switch hands", GENERAL),)


@rule(MELEE_ATTACK + "/hands-change", GENERAL)
async def hands_change(scene: Scene, who: Person, using: str, difficulty: int) -> bool:
    """Whether a weapon changes hands without being dropped."""
    return await hand_over(roll_against(who, using, difficulty, (), UNPENALIZED), lambda found: found.success)


# --- Attack sinister --------------------------------------------------------------------------------------------------


def off_hand_weapons(scene: Scene, who: Person) -> tuple[str, ...]:
    return tuple(each for each in melee_weapons(scene, who) if item_of(scene, who, each).off_hand)


def mastered_off_hand(scene: Scene, who: Person, maneuver: str, weapon: str) -> KnownManeuver | None:
    """The maneuver with which somebody may use a second weapon: of the kind they have mastered, or with its own."""
    item_skills = [each for each in combat_skills(scene, who) if fits(scene, who, each, weapon)]
    for each in known(scene, who, maneuver):
        if fits(scene, who, each.skill, weapon) or item_skills:
            return each
    return None


def check_sinister(scene: Scene, who: Person, target: Person, weapon: str = "") -> None:
    """A second weapon in the off hand, mastered; as a reaction, which nobody has who is surprised."""
    check_fresh(scene, who, "Attack sinister", target)
    mine = off_hand_weapons(scene, who)
    if not mine or (weapon and weapon not in mine):
        refuse("it takes a weapon in the off hand", what=weapon or "Attack sinister", rule=OFFENSIVE, legal=mine)
    if mastered_off_hand(scene, who, "Attack sinister", weapon or mine[0]) is None:
        refuse("the second weapon must be mastered too", what=weapon or mine[0], rule=OFFENSIVE)
    check_melee_weapon(scene, who, weapon or mine[0])


def check_may_react(scene: Scene, who: Person) -> None:
    """While actions are resolved, by whoever is able to react."""
    check_able(scene, who)
    check_skilled(scene, who)
    if FIGHT not in scene:
        return
    fight = scene[FIGHT]
    if who.name in fight.surprised:
        refuse(f"{who} is surprised", rule=SURPRISE)
    if fight.phase is not RoundPhase.RESOLVE or who.name not in fight.fighters or who.name in fight.fumbled:
        refuse("only while actions are resolved", rule="d6.combat.adapting-actions")
    if fight.full_reaction(who.name) is not None:
        refuse(f"{who} does nothing else this round", rule="d6.combat.full-reaction")


def off_hand_choices(scene: Scene, who: Person) -> tuple[str, ...]:
    return off_hand_weapons(scene, who)


def any_off_hand(scene: Scene, who: Person, weapon: str) -> None:
    """Which weapon it is need not be named, if there is only one."""


@action(
    "attack-sinister",
    OFFENSIVE + "/attack-sinister",
    OFFENSIVE,
    bands=MANEUVERED,
    turn=check_may_react,
    check=check_sinister,
)
async def attack_sinister(
    scene: Scene,
    who: Person,
    target: Target,
    weapon: Annotated[str, Pick(off_hand_choices, any_off_hand)] = "",
    added: bool = False,
    at: Annotated[BlowSituation, Fields(without="sides surprised situation unparried")] = PLAIN_BLOW,
) -> ManeuverResult:
    """Attack with the off hand as a reaction: for a declared action that is left, or on top of those declared."""
    thing = weapon or off_hand_weapons(scene, who)[0]
    mine = fresh(scene, who, "Attack sinister", target)[0]
    if FIGHT in scene:
        for value, now in with_reaction(scene, who, added):
            await change(value, now, rule="d6.combat.adapting-actions")
    await note_use(who, mine, target)
    attempt = ManeuverAttempt(mine, thing, weapon_blow(scene, who, thing), at)
    return await hand_over(blow_of(who, target, attempt), ended)
