"""Melee: attacks with weapons, the exchange of blow and parry, and what comes of it; clashing weapons."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache, partial
from typing import Annotated, Any, Final, TypeAlias

from referee.core import (
    Call,
    Pick,
    Prompt,
    Refused,
    Scene,
    applying,
    figure,
    formula,
    from_book,
    frozen,
    hand_over,
    refuse,
    rows,
    rule,
    rule_on,
    tell,
)
from referee.core.branches import LEFT_OUT, Changed
from referee.core.composed import EndGroup, KernelCalls, WeightedEnds, after_all, by_changes, joined
from referee.core.errors import TooLarge
from referee.core.rules import Decide, Ends, kernel, outline
from referee.kits.dice_codes import Luck, Rolled, differences, grouped
from referee.systems.d6.bestiary import ANY_SIZE, HARMLESS, SWARM
from referee.systems.d6.combat.blows import (
    CLASHED,
    HIT,
    MELEE_ATTACK,
    MISS,
    PARRIED,
    PLAIN_BLOW,
    STRUCK,
    Blow,
    BlowSituation,
    MeleeBlow,
    MeleeResult,
    attack_mods,
    main_weapon,
    own_reach,
    weapon_blow,
)
from referee.systems.d6.combat.maneuvers import spared_in_chock
from referee.systems.d6.combat.parries import COMBAT, FULL, FULL_PARRY, ParryWay, against_hands, fragile, parry_ways
from referee.systems.d6.combat.reach import (
    check_in_melee,
    check_not_locked,
    check_not_prone,
    check_short_enough,
    disengage,
    engage,
    impose_distance,
)
from referee.systems.d6.combat.reactions import Defense, ReactionWay, defend, judged_margin, was_hit
from referee.systems.d6.combat.round import FIGHT, AttackKind, fight_action
from referee.systems.d6.combat.surroundings import body_scale, scale_mods
from referee.systems.d6.combat.weapons import (
    NATURAL,
    WeaponDamage,
    check_weapon,
    damage_thing,
    item_of,
    may_malfunction,
    weapon_skills,
    weapons_held,
    wield,
)
from referee.systems.d6.damage import DAMAGE_TABLE, harm_done, hit, inflict
from referee.systems.d6.equipment import MELEE, weapon_of
from referee.systems.d6.resolution import difficulty_with, is_critical, is_fumble, telling_margin
from referee.systems.d6.rolls import roll_for, rolled_mods
from referee.systems.d6.sheet import GRAPPLING, Person, others
from referee.systems.d6.wounds import TORSO
from referee.systems.d6.zones import LOCALIZED, has_bad_leg, legs_carry

CHOCK: Final = "d6.combat.chock"
ATTACK_ROLL: Final = Prompt("attack")
WHICH_ARM: Final = Prompt("which-arm")
IN_HOLD: Final = Prompt("attack-in-hold")
CLASHING: Final = figure(CHOCK, "max_margin", int)
ARM_CAP: Final = figure("d6.combat.brawling-chock", "cap_without_localized", str)


@frozen
class BelowTheWaist:
    """A place that no attack from above strikes."""

    name: str


BELOW_THE_WAIST: Final = rows("d6.combat.modifiers-summary", "below_the_waist", BelowTheWaist)


# --- the blow ---------------------------------------------------------------------------------------------------------


@rule(MELEE_ATTACK + "/strike", MELEE_ATTACK)
async def strike(
    scene: Scene,
    who: Person,
    target: Person,
    blow: MeleeBlow,
    at: BlowSituation = PLAIN_BLOW,
) -> MeleeResult:
    """An attack in close combat: engagement, a parry perhaps, the roll, and what comes of it."""
    await come_to_blows(who, target, blow.reach, at.surprised)
    return await hand_over(blow_outcome(who, target, blow, at), then=partial(after_blow, who, target, blow, at))


def after_blow(
    who: Person, target: Person, blow: MeleeBlow, at: BlowSituation, found: MeleeResult
) -> Call[None] | None:
    """What follows from a blow: what its parry does, weapons clash, or it lands."""
    if found.reaction in AFTER_PARRY:
        return after_special_parry(who, target, blow, at, found)
    return after_plain_blow(who, target, blow, at, found)


def after_plain_blow(
    who: Person, target: Person, blow: MeleeBlow, at: BlowSituation, found: MeleeResult
) -> Call[None] | None:
    if found.outcome == CLASHED:
        return clash(who, target, blow, found.parried_with)
    return land(who, target, blow, at, found.harm) if found.hit else None


@rule(COMBAT + "/after", COMBAT)
async def after_special_parry(
    scene: Scene, who: Person, target: Person, blow: MeleeBlow, at: BlowSituation, found: MeleeResult
) -> None:
    """What comes of a parry that another chapter adds, and then of the blow as of any other."""
    await AFTER_PARRY[found.reaction](who, target, blow, found)
    if (follows := after_plain_blow(who, target, blow, at, found)) is not None:
        await follows


@rule("d6.combat.engagement/blows", "d6.combat.engagement")
async def come_to_blows(scene: Scene, who: Person, target: Person, reach: int, surprised: bool = False) -> None:
    """The first attack of two on each other is an engagement."""
    await engage(who, target, reach, own_reach(scene, target), surprised or is_surprised(scene, target))


@rule(MELEE_ATTACK + "/outcome", MELEE_ATTACK, "d6.combat.apply-results")
async def blow_outcome(scene: Scene, who: Person, target: Person, blow: MeleeBlow, at: BlowSituation) -> MeleeResult:
    """What a blow comes to, before anything is done to the target or its weapon."""
    found = await exchange(who, target, blow, at)
    if not found.hit or blow.damage is None:
        return found
    return replace(found, harm=await blow_harm(scene, who, target, blow.damage, at.zone))


def blow_harm(scene: Scene, who: Person, target: Person, dealt: WeaponDamage, zone: str) -> Call[str]:
    """What the damage of a blow does to its target; a huge creature deals more, and resists more."""
    mine, theirs = body_scale(scene, who), body_scale(scene, target)
    mods = (*dealt.mods, *scale_mods(scene, "damage", mine, theirs))
    return harm_done(target, dealt.weapon, mods, zone, who, dealt.own, scale_mods(scene, "body", theirs, mine))


@kernel(blow_outcome)
def blow_outcomes(
    scene: Scene,
    decide: Decide,
    who: Person,
    target: Person,
    blow: MeleeBlow,
    at: BlowSituation,
) -> Ends[MeleeResult]:
    """Every margin; those that hit, with everything that the damage may do."""
    exchanged = KernelCalls.of(decide).groups(exchange(who, target, blow, at), scene)
    return blow_ends(scene, decide, who, target, blow, at, exchanged)


@outline(
    blow_outcome,
    keeps={MeleeResult: ("hit", "outcome", "reaction", "parried_with", "harm", "fumble", "critical")},
    changes=True,
)
def blow_outline(
    scene: Scene,
    decide: Decide,
    who: Person,
    target: Person,
    blow: MeleeBlow,
    at: BlowSituation,
) -> Ends[MeleeResult]:
    """The same, but no margins are told apart."""
    exchanged = exchange_outline(scene, decide, who, target, blow, at)
    return blow_ends(scene, decide, who, target, blow, at, exchanged)


def blow_ends(
    scene: Scene,
    decide: Decide,
    who: Person,
    target: Person,
    blow: MeleeBlow,
    at: BlowSituation,
    exchanged: list[EndGroup[MeleeResult]],
) -> Ends[MeleeResult]:
    calls, found = KernelCalls.of(decide), WeightedEnds[MeleeResult]()
    hurt = lru_cache(maxsize=None)(lambda result, harm: replace(result, harm=harm))
    for changes, whole, blows in exchanged:
        hurts = {each for each, _ in blows if each is not LEFT_OUT and each.hit and blow.damage is not None}
        found.add_all([row for row in blows if row[0] not in hurts], changes, 1, whole)
        harms = [row for row in blows if row[0] in hurts]
        if not harms or blow.damage is None:
            continue
        for more, of, done in calls.groups(
            blow_harm(scene, who, target, blow.damage, at.zone), after_all(scene, changes)
        ):
            both: list[tuple[Any, int]] = [
                (LEFT_OUT if harm is LEFT_OUT else hurt(result, harm), ways * times)
                for result, ways in harms
                for harm, times in done
            ]
            found.add_all(both, joined(changes, more), 1, whole * of)
    return found.ends()


AFTER_PARRY: Final[dict[str, Callable[[Person, Person, MeleeBlow, MeleeResult], Call[None]]]] = {}
"""What comes of parries that other chapters add, by the key of the reaction."""


def is_surprised(scene: Scene, who: Person) -> bool:
    return FIGHT in scene and who.name in scene[FIGHT].surprised


@rule(MELEE_ATTACK + "/exchange", MELEE_ATTACK, COMBAT, FULL, "d6.combat.parry-against-brawling")
async def exchange(scene: Scene, who: Person, target: Person, blow: MeleeBlow, at: BlowSituation) -> MeleeResult:
    """The target may parry; a roll that reaches the difficulty, or the parry in its place, hits.

    What stops working hits nobody.
    """
    plan = blow_plan(scene, who, target, blow, at)
    defense = await defend(target, AttackKind.MELEE, plan.regular, plan.reactions)
    rolled = await plan.roll
    attack, total = plan.attacked(rolled)
    reaction, difficulty = plan.defended(defense)
    if plan.fragile and await may_malfunction(who, plan.fragile, rolled.luck):
        return MeleeResult(False, 0, MISS, reaction)
    return plan.result(scene, attack, reaction, total - difficulty)


JudgedBlow: TypeAlias = Callable[[tuple[Luck, bool], str, int], MeleeResult]
"""A blow by its luck and whether it would have hit, the parry, and the difference of both."""


@frozen
class BlowPlan:
    """What is known of a blow before dice are thrown."""

    roll: Call[Rolled]
    regular: int
    ways: tuple[ParryWay, ...]
    against_full: int
    """What a full parry is better by, against bare hands."""
    clashes: bool
    fragile: str
    """What it is struck with, if that is damaged and may stop working: then it has to be played."""

    @property
    def reactions(self) -> tuple[ReactionWay, ...]:
        return tuple(each.way for each in self.ways)

    def attacked(self, rolled: Rolled) -> tuple[tuple[Luck, bool], int]:
        """What counts of an attack: its luck, whether it would have hit somebody who does not parry, and the total."""
        return (rolled.luck, rolled.total >= self.regular), rolled.total

    def defended(self, defense: Defense) -> tuple[str, int]:
        """What counts of a parry: which it is, and what the attack has to reach."""
        return defense.reaction, defense.difficulty + (self.against_full if defense.reaction == FULL_PARRY else 0)

    def result(self, scene: Scene, attack: tuple[Luck, bool], reaction: str, difference: int) -> MeleeResult:
        (luck, would_hit), margin = attack, judged_margin(difference)
        weapon = next((each.weapon for each in self.ways if each.way.key == reaction), "")
        parried = would_hit and bool(reaction) and reaction != FULL_PARRY
        outcome = blow_result(scene, margin, parried, self.clashes)
        fumble, critical = is_fumble(scene, luck, margin), is_critical(scene, margin)
        return MeleeResult(margin >= 0, abs(margin), outcome, reaction, weapon, "", fumble, critical)

    def outlined(self, scene: Scene) -> JudgedBlow:
        """Results as far as bands read them: those of differences that mean the same are one."""
        far, known = max(telling_margin(scene), scene[CLASHING] + 1), dict[Any, MeleeResult]()

        def result(attack: tuple[Luck, bool], reaction: str, difference: int) -> MeleeResult:
            key = attack, reaction, max(-far, min(far, judged_margin(difference)))
            if key not in known:
                known[key] = replace(self.result(scene, *key), margin=0)
            return known[key]

        return result


def blow_plan(scene: Scene, who: Person, target: Person, blow: MeleeBlow, at: BlowSituation) -> BlowPlan:
    given = (*at.mods, *attack_mods(scene, who, target, blow, at))
    ways = () if at.unparried else parry_ways(scene, who, target, blow, at)
    ways = tuple(replace(each, way=replace(each.way, surprised=True)) for each in ways) if at.surprised else ways
    return BlowPlan(
        roll_for(who, blow.using, rolled_mods(given), blow.tags, prompt=ATTACK_ROLL),
        difficulty_with(scene, who, blow.difficulty, given, *blow.tags),
        ways,
        sum(mod.amount for mod in against_hands(scene, blow, bool(main_weapon(scene, target)))),
        not blow.unarmed,
        fragile(scene, who, blow.weapon),
    )


@kernel(exchange)
def exchanges(
    scene: Scene,
    decide: Decide,
    who: Person,
    target: Person,
    blow: MeleeBlow,
    at: BlowSituation,
) -> Ends[MeleeResult] | None:
    """Every margin of an attack over a parry, counted by what matters of it."""
    plan = blow_plan(scene, who, target, blow, at)
    return None if plan.fragile else exchange_ends(scene, decide, target, plan, partial(plan.result, scene))


def exchange_outline(
    scene: Scene,
    decide: Decide,
    who: Person,
    target: Person,
    blow: MeleeBlow,
    at: BlowSituation,
) -> list[EndGroup[MeleeResult]]:
    """The same for outlines, by what has changed: no margins are told apart."""
    plan = blow_plan(scene, who, target, blow, at)
    if plan.fragile:
        raise TooLarge(f"{plan.fragile} may stop working")
    ends = exchange_ends(scene, decide, target, plan, plan.outlined(scene))
    whole = sum(ways for _, _, ways in ends)
    return [(changes, whole, rows) for changes, rows in by_changes(ends).items()]


def exchange_ends(
    scene: Scene, decide: Decide, target: Person, plan: BlowPlan, result: JudgedBlow
) -> list[tuple[MeleeResult, Changed, int]]:
    calls, found = KernelCalls.of(decide), WeightedEnds[MeleeResult]()
    defense = defend(target, AttackKind.MELEE, plan.regular, plan.reactions)
    for changes, whole, defenses in calls.groups(defense, scene):
        difficulties = grouped(defenses, plan.defended)
        for more, of, rolls in calls.groups(plan.roll, after_all(scene, changes)):
            rows = differences(grouped(rolls, plan.attacked), difficulties, result)
            found.add_all(rows, joined(changes, more), 1, whole * of)
    return found.ends()


@formula(CHOCK + "/outcome", CHOCK, COMBAT)
@from_book
def blow_result(scene: Scene, margin: int, parried: bool, clashes: bool = True) -> str:
    """A hit; or a miss, if it would have missed anyway; or it was parried, closely enough that weapons clash or not."""
    if margin >= 0:
        return HIT
    close = -margin <= scene[CLASHING] and clashes
    return MISS if not parried else CLASHED if close else PARRIED


@rule(MELEE_ATTACK + "/land", MELEE_ATTACK, "d6.combat.reach")
async def land(scene: Scene, who: Person, target: Person, blow: MeleeBlow, at: BlowSituation, harm: str = "") -> None:
    """A hit: the distance is the attacker's, and the damage is done."""
    await was_hit(target)
    await impose_distance(who, target, blow.reach, own_reach(scene, target))
    if blow.damage is not None:
        await inflict(target, harm, blow.damage.stun, at.zone)


@rule(CHOCK, "d6.combat.brawling-chock", "d6.equipment.damage-roll")
async def clash(scene: Scene, who: Person, target: Person, blow: MeleeBlow, weapon: str) -> None:
    """Weapons clash: the attacker's damage against the Body of what parries, or against a bare arm."""
    if blow.row is not None and blow.row.in_chock:
        await tell("in-chock", who=who, weapon=blow.weapon, effect=blow.row.in_chock)
    dealt, armed = blow.damage, bool(weapon) and weapon != NATURAL
    skills = tuple(weapon_skills(scene, item_of(scene, target, weapon))) if armed else ()
    if dealt is None or spared_in_chock(scene, target, skills):
        return
    if armed:
        await damage_thing(target, weapon, dealt.weapon, dealt.mods, who, dealt.own, dealt.scale)
    else:
        await strike_arm(who, target, dealt)


@rule("d6.combat.brawling-chock")
async def strike_arm(scene: Scene, who: Person, target: Person, dealt: WeaponDamage) -> str:
    """The arm that parries is hit; where wounds are not localized, it is at worst a wound."""
    if scene[LOCALIZED]:
        arm = await rule_on(WHICH_ARM, "Right arm", options=("Right arm", "Left arm"))
        return (await hit(target, dealt.weapon, dealt.mods, dealt.stun, arm, who, dealt.own)).result
    harm = await harm_done(target, dealt.weapon, dealt.mods, TORSO, who, dealt.own)
    worst = list(scene[DAMAGE_TABLE].names)
    capped = min(harm, scene[ARM_CAP], key=worst.index)
    await inflict(target, capped, dealt.stun)
    return capped


# --- the attack as an action ------------------------------------------------------------------------------------------


def targets(scene: Scene, who: Person) -> tuple[Person, ...]:
    """In a fight those of other sides; otherwise everybody else."""
    if FIGHT not in scene:
        return others(scene, who)
    foes = scene[FIGHT].foes(scene, who.name)
    return tuple(each for each in others(scene, who) if each.name in foes)


def check_target(scene: Scene, who: Person, target: Person) -> None:
    """Anybody else: even friends may be struck."""
    if target == who:
        refuse("nobody attacks oneself", rule=MELEE_ATTACK)
    if (creature := scene[who].creature) is not None:
        swarm = (SWARM,) if creature.swarm else ()
        applying(scene, who, *swarm).check_allowed(HARMLESS, rule=ANY_SIZE, legal=("as one of a swarm",))


def melee_weapons(scene: Scene, who: Person) -> tuple[str, ...]:
    return tuple(each for each in weapons_held(scene, who, MELEE) if each != NATURAL)


def check_melee_weapon(scene: Scene, who: Person, weapon: str) -> None:
    """A weapon of close combat, in hand and in order."""
    check_weapon(scene, who, weapon)
    if weapon not in melee_weapons(scene, who):
        raise Refused(
            weapon, because="it is no weapon for melee", rule=MELEE_ATTACK, legal=("brawl", "improvised-attack")
        )
    check_short_enough(scene, who, weapon, weapon_of(scene, item_of(scene, who, weapon)).reach)


def check_above(scene: Scene, who: Person, zone: str, above: bool) -> None:
    """What comes from above strikes nothing below the waist."""
    if above and zone in scene[BELOW_THE_WAIST]:
        low = scene[BELOW_THE_WAIST][zone].name
        refuse("an attack from above strikes nothing below the waist", what=low, rule="d6.combat.modifiers-summary")


Target: TypeAlias = Annotated[Person, Pick(targets, check_target)]
InHand: TypeAlias = Annotated[str, Pick(melee_weapons, check_melee_weapon)]


@rule(GRAPPLING + "/attack", GRAPPLING)
async def allowed_in_hold(scene: Scene, who: Person) -> None:
    """Whether those in a grapple may strike is for the game master to say."""
    if (
        scene[who].grapple is not None
        and await rule_on(IN_HOLD, "allowed", options=("allowed", "forbidden")) == "forbidden"
    ):
        refuse("the hold does not allow it", rule=GRAPPLING, legal=("break-free", "tighten", "release"))


@fight_action("melee-attack", MELEE_ATTACK, COMBAT, CHOCK, bands=STRUCK, check=check_above)
async def melee_attack(
    scene: Scene,
    who: Person,
    target: Target,
    weapon: InHand,
    at: Blow = PLAIN_BLOW,
) -> MeleeResult:
    """Attack with a weapon in hand. The target may parry; a tie hits."""
    await allowed_in_hold(who)
    blow = weapon_blow(scene, who, weapon)
    if blow.row is not None and blow.row.scale > 1 and not await wield(who, weapon):
        return MeleeResult(False, 0, "miss")
    return await hand_over(strike(who, target, blow.about(at.situation), at))


@fight_action(
    "withdraw",
    "d6.combat.engagement/withdraw",
    "d6.combat.engagement",
    check=(check_not_prone, check_not_locked, check_in_melee),
)
async def withdraw(scene: Scene, who: Person) -> None:
    """Move out of the reach of everyone, where nobody keeps one from it; on a bad leg, if one can bear it."""
    if not has_bad_leg(scene, who) or await legs_carry(who):
        await disengage(who)
