"""Melee: attacks with weapons, parries, clashing weapons, charges."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import lru_cache, partial
from math import ceil
from typing import Annotated, Any, Final, Literal, TypeAlias

from referee.core import (
    Bands,
    Call,
    Mod,
    Mods,
    Pick,
    Prompt,
    Refused,
    Scene,
    applying,
    figure,
    figures,
    formula,
    from_book,
    frozen,
    hand_over,
    refuse,
    rows,
    rule,
    rule_on,
    suggest,
    tell,
)
from referee.core.branches import LEFT_OUT, Changed, unless_left_out
from referee.core.composed import EndGroup, KernelCalls, WeightedEnds, after_all, by_changes, joined
from referee.core.effects import Forbids
from referee.core.rules import Decide, Ends, kernel, outline
from referee.kits.dice_codes import Code, Luck, Rolled, differences, grouped
from referee.systems.d6.codes import ability_name, code_mods, own_code
from referee.systems.d6.combat.blind_combat import melee_sight
from referee.systems.d6.combat.maneuvers import parry_with, prone_relief, spared_in_chock
from referee.systems.d6.combat.reach import (
    FAR,
    SHORTEST,
    disengage,
    distance_between,
    engage,
    impose_distance,
    reach_mods,
)
from referee.systems.d6.combat.reactions import (
    Defense,
    ReactionWay,
    check_full,
    defend,
    full_reaction,
    judged_margin,
    was_hit,
)
from referee.systems.d6.combat.round import FIGHT, AttackKind, fight_action
from referee.systems.d6.combat.surroundings import VISIBILITIES
from referee.systems.d6.combat.weapons import (
    ATTACK,
    BARE_HANDS,
    DEFENSE,
    NATURAL,
    WeaponDamage,
    check_weapon,
    damage_thing,
    held,
    is_in_order,
    item_of,
    weapon_damage,
    weapon_skill,
    weapon_skills,
    weapons_held,
    wield,
)
from referee.systems.d6.damage import DAMAGE_TABLE, Zone, harm_done, hit, inflict
from referee.systems.d6.equipment import MELEE, SHIELD, Weapon, weapon_of
from referee.systems.d6.resolution import (
    difficulty_with,
    is_critical,
    is_fumble,
    others,
    roll_against,
    telling_margin,
)
from referee.systems.d6.rolls import ACTION, ANY_ROLL, LEGS, SPATIAL, roll_for, rolled_mods
from referee.systems.d6.sheet import GRAPPLING, PIPS_PER_DIE, Person
from referee.systems.d6.wounds import TORSO
from referee.systems.d6.zones import LOCALIZED, arm_mods, called_shot, has_arms_for, leg_mods

MELEE_ATTACK: Final = "d6.combat.melee-attack"
COMBAT: Final = "d6.combat.combat-parry"
FULL: Final = "d6.combat.full-parry"
CHOCK: Final = "d6.combat.chock"
BRAWLING: Final = "Brawling"
BARE_PARRY: Final = "Brawling::unarmed defense"
AMBIDEXTERITY: Final = "Ambidexterity::melee combat"
COMBAT_PARRY: Final = "combat-parry"
FULL_PARRY: Final = "full-parry"
PRONE: Final = "prone"
ATTACK_ROLL: Final = Prompt("attack")
WHICH_ARM: Final = Prompt("which-arm")
IN_HOLD: Final = Prompt("attack-in-hold")
MELEE_TAGS: Final = (ACTION, ANY_ROLL, "attack", "melee", LEGS, SPATIAL)

OTHERWISE: Final = figure(MELEE_ATTACK, "otherwise", int)
PER_SIDE: Final = figure(FULL, "dice_per_occupied_side", int)
MOST_SIDES: Final = figure(FULL, "most_dice", int)
SIDES: Final = figure(FULL, "sides", tuple[str, ...])
CLASHING: Final = figure(CHOCK, "max_margin", int)
ARM_CAP: Final = figure("d6.combat.brawling-chock", "cap_without_localized", str)
AGAINST_HANDS: Final = figure("d6.combat.parry-against-brawling", "parry_bonus", int)
HOLD_REACH: Final = figure(GRAPPLING, "reach_in_hold", int)


@figures("d6.combat.modifiers-summary")
class ParryModifiers:
    """What stands only in the table of modifiers: parrying what comes from above, and parrying on the ground."""

    above: int
    above_spared_reach: int
    prone: int


@frozen
class ModifierSummary:
    """A row of the table of all modifiers, for people to look up; the rules of each have its figure."""

    name: str
    about: str
    condition: str
    modifier: str
    note: str = ""


@frozen
class BelowTheWaist:
    """A place that no attack from above strikes."""

    name: str


SUMMARY: Final = rows("d6.combat.modifiers-summary", "rows", ModifierSummary)
BELOW_THE_WAIST: Final = rows("d6.combat.modifiers-summary", "below_the_waist", BelowTheWaist)


@frozen
class DifficultyRow:
    """How hard it is to hit with a weapon."""

    name: str
    number: int


@frozen
class DirectionRow:
    """Where an attack comes from, and what that costs a combat parry."""

    name: str
    dice: int = 0
    tag: str = ""


DIFFICULTIES: Final = rows(MELEE_ATTACK, "difficulty", DifficultyRow)
DIRECTIONS: Final = rows(COMBAT, "directions", DirectionRow)

Direction: TypeAlias = Literal["front", "side", "behind"]
Sight: TypeAlias = Annotated[str, VISIBILITIES]
Side: TypeAlias = Literal["front", "left", "right", "back"]


# --- what is said of an attack ----------------------------------------------------------------------------------------


@frozen
class MeleeBlow:
    """An attack in close combat: what is rolled for it against what, how far it reaches, what it does."""

    using: str
    difficulty: int
    reach: int
    damage: WeaponDamage | None = None
    """None for what does no damage, such as a grapple."""
    weapon: str = ""
    """What it is struck with; nothing for bare hands."""
    unarmed: bool = False
    """Whether a weapon parries it with ease: bare hands, but neither claws nor anything held."""
    tags: tuple[str, ...] = MELEE_TAGS
    row: Weapon | None = None

    def about(self, situation: tuple[str, ...]) -> MeleeBlow:
        """The same in circumstances that merits and flaws care about."""
        return replace(self, tags=(*self.tags, *situation)) if situation else self

    def deadly(self) -> MeleeBlow:
        """The same with lethal damage."""
        return self if self.damage is None else replace(self, damage=replace(self.damage, stun=False))


@frozen
class BlowSituation:
    """Where a blow comes from and goes to, and who stands around its target."""

    direction: str = "front"
    above: bool = False
    sides: tuple[str, ...] = ()
    zone: str = TORSO
    surprised: bool = False
    unparried: bool = False
    """Whether the target has let the chance to parry go by."""
    visibility: str = ""
    """What hinders the sight of both; nothing by daylight."""
    visibility_dice: int = 0


@frozen
class MeleeResult:
    """What an attack in close combat came to."""

    hit: bool
    margin: int
    """Of success (0 or more) or of failure (1 or more)."""
    outcome: str
    """hit, miss, parried or chock."""
    reaction: str = ""
    parried_with: str = ""
    harm: str = ""
    """What the damage does: a row of the damage table."""
    fumble: bool = False
    critical: bool = False


HIT, MISS, PARRIED, CLASHED = "hit", "miss", "parried", "chock"
HARMS: Final = ("none", "stunned", "wounded", "neutralized", "mortally-wounded", "dead")
STRUCK: Final[Bands[MeleeResult]] = Bands(
    of=lambda found: (found.harm or "none").casefold().replace(" ", "-") if found.hit else found.outcome,
    keys=(MISS, PARRIED, CLASHED, *HARMS),
    good=HARMS[1:],
    extra={"critical": lambda found: found.critical},
    bad={"fumble": lambda found: found.fumble},
)
LANDED: Final[Bands[MeleeResult]] = Bands(
    of=lambda found: found.outcome,
    keys=(MISS, PARRIED, CLASHED, HIT),
    good=(HIT,),
    extra={"critical": lambda found: found.critical},
    bad={"fumble": lambda found: found.fumble},
)


# --- weapons as blows -------------------------------------------------------------------------------------------------


@formula("d6.equipment.melee-difficulty", MELEE_ATTACK)
def weapon_difficulty(scene: Scene, weapon: Weapon, kind: str = "") -> int:
    """How hard it is to hit with a weapon: as it says itself, or as the book's of that kind; otherwise as a sword."""
    named = kind or weapon.name
    listed = scene[DIFFICULTIES][named].number if named in scene[DIFFICULTIES] else scene[OTHERWISE]
    return weapon.difficulty or listed


@formula("d6.skills.ambidexterity")
def with_hand(scene: Scene, who: Person, using: str, off_hand: bool) -> str:
    """The ability that is rolled: with the off hand the lower of the skill and Ambidexterity, however high it is."""
    per_die = scene[PIPS_PER_DIE]
    limited = own_code(scene, who, AMBIDEXTERITY).in_pips(per_die) < own_code(scene, who, using).in_pips(per_die)
    return AMBIDEXTERITY if off_hand and limited else using


def weapon_blow(scene: Scene, who: Person, weapon: str) -> MeleeBlow:
    """An attack with a weapon in hand."""
    item = item_of(scene, who, weapon)
    row, skill = weapon_of(scene, item), weapon_skill(scene, who, weapon, ATTACK)
    return MeleeBlow(
        with_hand(scene, who, skill, item.off_hand),
        weapon_difficulty(scene, row, item.kind),
        row.reach,
        weapon_damage(scene, who, weapon),
        weapon,
        tags=(*MELEE_TAGS, *ability_name(scene, skill).tags),
        row=row,
    )


def own_reach(scene: Scene, who: Person) -> int:
    """How far somebody reaches: with the weapon in the good hand, or with bare hands."""
    weapon = main_weapon(scene, who)
    return weapon_of(scene, item_of(scene, who, weapon)).reach if weapon else scene[SHORTEST]


def main_weapon(scene: Scene, who: Person) -> str:
    """What somebody fights with: the first weapon of close combat in hand, of the good hand if there is one."""
    weapons = (each for each in weapons_held(scene, who, MELEE, SHIELD) if can_parry(scene, who, each))
    by_hand = sorted(weapons, key=lambda name: (item_of(scene, who, name).off_hand, name == NATURAL))
    return by_hand[0] if by_hand else ""


# --- modifiers --------------------------------------------------------------------------------------------------------


@formula(MELEE_ATTACK + "/modifiers", MELEE_ATTACK, "d6.combat.reach", "d6.combat.modifiers-summary")
def attack_mods(scene: Scene, who: Person, target: Person, blow: MeleeBlow, at: BlowSituation) -> Mods:
    """Reach, the target's size, and a place that is aimed at."""
    distance = distance_between(scene, who, target) or FAR
    aimed = called_shot(scene, at.zone) if scene[LOCALIZED] and at.zone != TORSO else ()
    size = applying(scene, target, "attack against").mods
    skill = weapon_skill(scene, who, blow.weapon) if blow.weapon else BRAWLING
    sight = melee_sight(scene, who, skill, blow.reach, at.visibility, at.visibility_dice)
    arm = arm_mods(scene, who, item_of(scene, who, blow.weapon)) if blow.weapon else ()
    limbs = (*arm, *leg_mods(scene, who))
    return (*reach_mods(scene, blow.reach, own_reach(scene, target), distance), *sight, *size, *aimed, *limbs)


@formula(COMBAT + "/direction", COMBAT)
def direction_mods(scene: Scene, who: Person, direction: str) -> Mods:
    """What it costs a combat parry that an attack comes from the side or from behind; some see what is there."""
    row = scene[DIRECTIONS][direction]
    seen = applying(scene, who, row.tag)
    dice = 0 if seen.granted("ignore penalties") else row.dice
    dice = -(-dice // 2) if seen.granted("halve penalties") else dice
    return (Mod(dice, f"from the {direction}" if direction == "side" else direction, COMBAT),) if dice else ()


@formula("d6.combat.modifiers-summary")
def position_mods(scene: Scene, who: Person, reach: int, above: bool) -> Mods:
    """Parrying on the ground, or what comes from above: not both, and a pole arm reaches up."""
    of, prone = scene[ParryModifiers], scene[who].posture == PRONE
    if prone:
        return (Mod(of.prone, PRONE, "d6.combat.modifiers-summary"), *prone_relief(scene, who, of.prone))
    spared = not above or reach >= of.above_spared_reach
    return () if spared else (Mod(of.above, "from above", "d6.combat.modifiers-summary"),)


@formula(FULL + "/sides", FULL)
def sides_mods(scene: Scene, sides: tuple[str, ...]) -> Mods:
    """A die for each side that opponents hold, if they hold more than one."""
    found = tuple(dict.fromkeys(sides))
    for each in found:
        if each not in scene[SIDES]:
            refuse("there is no such side", what=each, legal=scene[SIDES])
    dice = max(scene[MOST_SIDES], len(found) * scene[PER_SIDE])
    return (Mod(dice, "opponents at " + ", ".join(found), FULL),) if len(found) > 1 else ()


@formula(COMBAT + "/weapon", COMBAT)
def weapon_parry_mods(scene: Scene, own: Weapon, attacker: Weapon | None) -> Mods:
    """A shield gives a bonus, unless what it parries defeats it; what is unfit to parry gives a penalty."""
    helps = own.parry.in_pips(scene[PIPS_PER_DIE]) > 0
    if own.parry == Code() or (helps and attacker is not None and attacker.defeats_parry):
        return ()
    return code_mods(own.parry, own.name, COMBAT)


@formula("d6.combat.parry-against-brawling")
def against_hands(scene: Scene, blow: MeleeBlow, armed: bool) -> Mods:
    """A weapon parries bare hands with ease; not claws, and nothing that is held."""
    if not (blow.unarmed and armed):
        return ()
    return (Mod(scene[AGAINST_HANDS], "weapon against bare hands", AGAINST_HANDS.rule, unit="total"),)


# --- parries ----------------------------------------------------------------------------------------------------------


@frozen
class ParryWay:
    """A way to parry: the reaction, and what it is done with; nothing for bare hands."""

    way: ReactionWay
    weapon: str = ""


@formula("d6.combat.brawling-parry", COMBAT)
def parry_skill(scene: Scene, who: Person, weapon: str) -> str:
    """What is rolled to parry: the skill of the weapon; with bare hands or an improvised weapon Brawling."""
    made_for_it = weapon and weapon in weapons_held(scene, who, MELEE, SHIELD) and weapon != NATURAL
    if not made_for_it:
        return BARE_PARRY
    return with_hand(scene, who, weapon_skill(scene, who, weapon, DEFENSE), item_of(scene, who, weapon).off_hand)


def parrying_things(scene: Scene, who: Person) -> tuple[str, ...]:
    """What somebody can parry with, the main weapon first; bare hands, if there is nothing else."""
    main = main_weapon(scene, who)
    listed = (main, *(each for each in held(scene, who) if each != main and can_parry(scene, who, each)))
    return tuple(each for each in listed if each and is_free(scene, who, each)) or ("",)


def can_parry(scene: Scene, who: Person, thing: str) -> bool:
    """A weapon of close combat or whatever else is in one piece, but nothing that shoots."""
    item = item_of(scene, who, thing)
    fit = is_in_order(scene, item) and has_arms_for(scene, who, item)
    return fit and weapon_of(scene, item).category in (MELEE, SHIELD, "")


def is_free(scene: Scene, who: Person, thing: str) -> bool:
    """Whether nobody holds a weapon fast, or has just let it go."""
    barred = Forbids(parry_with(thing))
    freed = any(each.effect.does == barred for each in applying(scene, who).active)
    return not freed and not any(each.weapon == thing for each in scene[who].pinned)


FURTHER_PARRIES: Final[list[Callable[..., Iterable[ParryWay]]]] = []
"""What other chapters add to the ways of parrying: functions of the scene, the attack and its modifiers."""


def parry_ways(
    scene: Scene, who: Person, target: Person, blow: MeleeBlow, at: BlowSituation, mods: Mods = ()
) -> tuple[ParryWay, ...]:
    """How the target may parry: with each thing in hand for this attack, or fully, leaving the melee."""
    things = parrying_things(scene, target)
    combat = tuple(combat_parry(scene, who, target, blow, at, each, mods) for each in things)
    first = replace(combat[0], way=replace(combat[0].way, key=COMBAT_PARRY))
    using, full = parry_skill(scene, target, things[0]), full_parry_mods(scene, target, at)
    leaving = ParryWay(ReactionWay(FULL_PARRY, using, (*full, *mods), full=True), things[0])
    further = (each for found in FURTHER_PARRIES for each in found(scene, who, target, blow, at, mods))
    return (first, *combat[1:], *further, leaving)


@formula(COMBAT + "/parry", COMBAT, "d6.combat.reach", "d6.combat.parry-against-brawling")
def combat_parry(
    scene: Scene, who: Person, target: Person, blow: MeleeBlow, at: BlowSituation, thing: str, mods: Mods = ()
) -> ParryWay:
    """A parry of one attack: reach, direction, position, and what the weapons are good for."""
    row = weapon_of(scene, item_of(scene, target, thing)) if thing else Weapon(BARE_HANDS, reach=scene[SHORTEST])
    found = (
        *reach_mods(scene, row.reach, blow.reach, distance_between(scene, who, target) or FAR),
        *direction_mods(scene, target, at.direction),
        *position_mods(scene, target, row.reach, at.above),
        *weapon_parry_mods(scene, row, blow.row),
        *against_hands(scene, blow, bool(row.category)),
        *melee_sight(scene, target, parry_skill(scene, target, thing), row.reach, at.visibility, at.visibility_dice),
        *(arm_mods(scene, target, item_of(scene, target, thing)) if thing else ()),
        *leg_mods(scene, target),
    )
    key = f"{COMBAT_PARRY}: {thing}" if thing else COMBAT_PARRY
    return ParryWay(ReactionWay(key, parry_skill(scene, target, thing), (*found, *mods)), thing)


@formula(FULL + "/modifiers", FULL)
def full_parry_mods(scene: Scene, who: Person, at: BlowSituation) -> Mods:
    """What a full parry suffers: opponents around, and one's position; neither reach nor what weapons are good for."""
    reach, using = own_reach(scene, who), parry_skill(scene, who, parrying_things(scene, who)[0])
    sight = melee_sight(scene, who, using, reach, at.visibility, at.visibility_dice)
    return (*sides_mods(scene, at.sides), *position_mods(scene, who, reach, at.above), *sight, *leg_mods(scene, who))


@fight_action("full-parry", FULL, check=check_full, full=True)
async def full_parry(scene: Scene, who: Person, sides: tuple[Side, ...] = (), mods: Mods = ()) -> int:
    """Leave the melee: the roll is added to the difficulty of every melee attack of this round."""
    at = BlowSituation(sides=sides)
    using = parry_skill(scene, who, parrying_things(scene, who)[0])
    return await hand_over(full_reaction(who, AttackKind.MELEE, using, (*full_parry_mods(scene, who, at), *mods)))


# --- the blow ---------------------------------------------------------------------------------------------------------


@rule(MELEE_ATTACK + "/strike", MELEE_ATTACK)
async def strike(
    scene: Scene,
    who: Person,
    target: Person,
    blow: MeleeBlow,
    at: BlowSituation = BlowSituation(),  # noqa: B008  # a frozen value
    mods: Mods = (),
    parry_mods: Mods = (),
) -> MeleeResult:
    """An attack in close combat: engagement, a parry perhaps, the roll, and what comes of it."""
    await come_to_blows(who, target, blow.reach, at.surprised)
    return await hand_over(
        blow_outcome(who, target, blow, at, mods, parry_mods), then=partial(after_blow, who, target, blow, at)
    )


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
async def blow_outcome(
    scene: Scene, who: Person, target: Person, blow: MeleeBlow, at: BlowSituation, mods: Mods, parry_mods: Mods
) -> MeleeResult:
    """What a blow comes to, before anything is done to the target or its weapon."""
    found = await exchange(who, target, blow, at, mods, parry_mods)
    if not found.hit or blow.damage is None:
        return found
    return replace(found, harm=await blow_harm(who, target, blow.damage, at.zone))


def blow_harm(who: Person, target: Person, dealt: WeaponDamage, zone: str) -> Call[str]:
    """What the damage of a blow does to its target."""
    return harm_done(target, dealt.weapon, dealt.mods, zone, who, dealt.own)


@kernel(blow_outcome)
def blow_outcomes(
    scene: Scene,
    decide: Decide,
    who: Person,
    target: Person,
    blow: MeleeBlow,
    at: BlowSituation,
    mods: Mods,
    parry_mods: Mods,
) -> Ends[MeleeResult]:
    """Every margin; those that hit, with everything that the damage may do."""
    exchanged = KernelCalls.of(decide).groups(exchange(who, target, blow, at, mods, parry_mods), scene)
    return blow_ends(scene, decide, who, target, blow, at, exchanged)


@outline(blow_outcome)
def blow_outline(
    scene: Scene,
    decide: Decide,
    who: Person,
    target: Person,
    blow: MeleeBlow,
    at: BlowSituation,
    mods: Mods,
    parry_mods: Mods,
) -> Ends[MeleeResult]:
    """The same, but no margins are told apart."""
    exchanged = exchange_outline(scene, decide, who, target, blow, at, mods, parry_mods)
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
        for more, of, done in calls.groups(blow_harm(who, target, blow.damage, at.zone), after_all(scene, changes)):
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
async def exchange(
    scene: Scene, who: Person, target: Person, blow: MeleeBlow, at: BlowSituation, mods: Mods, parry_mods: Mods
) -> MeleeResult:
    """The target may parry; a roll that reaches the difficulty, or the parry in its place, hits."""
    plan = blow_plan(scene, who, target, blow, at, mods, parry_mods)
    defense = await defend(target, AttackKind.MELEE, plan.regular, plan.reactions)
    attack, total = plan.attacked(await plan.roll)
    reaction, difficulty = plan.defended(defense)
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


def blow_plan(
    scene: Scene, who: Person, target: Person, blow: MeleeBlow, at: BlowSituation, mods: Mods, parry_mods: Mods
) -> BlowPlan:
    given = (*mods, *attack_mods(scene, who, target, blow, at))
    ways = () if at.unparried else parry_ways(scene, who, target, blow, at, parry_mods)
    ways = tuple(replace(each, way=replace(each.way, surprised=True)) for each in ways) if at.surprised else ways
    return BlowPlan(
        roll_for(who, blow.using, rolled_mods(given), blow.tags, prompt=ATTACK_ROLL),
        difficulty_with(scene, who, blow.difficulty, given, *blow.tags),
        ways,
        sum(mod.amount for mod in against_hands(scene, blow, bool(main_weapon(scene, target)))),
        not blow.unarmed,
    )


@kernel(exchange)
def exchanges(
    scene: Scene,
    decide: Decide,
    who: Person,
    target: Person,
    blow: MeleeBlow,
    at: BlowSituation,
    mods: Mods,
    parry_mods: Mods,
) -> Ends[MeleeResult]:
    """Every margin of an attack over a parry, counted by what matters of it."""
    plan = blow_plan(scene, who, target, blow, at, mods, parry_mods)
    return exchange_ends(scene, decide, target, plan, partial(plan.result, scene))


def exchange_outline(
    scene: Scene,
    decide: Decide,
    who: Person,
    target: Person,
    blow: MeleeBlow,
    at: BlowSituation,
    mods: Mods,
    parry_mods: Mods,
) -> list[EndGroup[MeleeResult]]:
    """The same for outlines, by what has changed: no margins are told apart."""
    plan = blow_plan(scene, who, target, blow, at, mods, parry_mods)
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


def melee_weapons(scene: Scene, who: Person) -> tuple[str, ...]:
    return tuple(each for each in weapons_held(scene, who, MELEE) if each != NATURAL)


def check_melee_weapon(scene: Scene, who: Person, weapon: str) -> None:
    """A weapon of close combat, in hand and in order."""
    check_weapon(scene, who, weapon)
    if weapon not in melee_weapons(scene, who):
        raise Refused(
            weapon, because="it is no weapon for melee", rule=MELEE_ATTACK, legal=("brawl", "improvised-attack")
        )
    if scene[who].grapple is not None and weapon_of(scene, item_of(scene, who, weapon)).reach > scene[HOLD_REACH]:
        raise Refused(weapon, because="it is too long in a grapple", rule=GRAPPLING)


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
    zone: Zone = TORSO,
    direction: Direction = "front",
    above: bool = False,
    sides: tuple[Side, ...] = (),
    surprised: bool = False,
    visibility: Sight = "",
    visibility_dice: int = 0,
    situation: tuple[str, ...] = (),
    mods: Mods = (),
    parry_mods: Mods = (),
) -> MeleeResult:
    """Attack with a weapon in hand. The target may parry; a tie hits."""
    await allowed_in_hold(who)
    blow = weapon_blow(scene, who, weapon)
    if blow.row is not None and blow.row.scale > 1 and not await wield(who, weapon):
        return MeleeResult(False, 0, "miss")
    at = BlowSituation(direction, above, sides, zone, surprised, False, visibility, visibility_dice)
    return await hand_over(strike(who, target, blow.about(situation), at, mods, parry_mods))


@fight_action("withdraw", "d6.combat.engagement/withdraw", "d6.combat.engagement")
async def withdraw(scene: Scene, who: Person) -> None:
    """Move out of the reach of everyone, where nobody keeps one from it."""
    await disengage(who)


# --- charges ----------------------------------------------------------------------------------------------------------


@figures("d6.maneuver.ramming")
class Ramming:
    """What ramming adds to the difficulty of moving, and what the second roll must reach."""

    movement_difficulty: int
    ram_roll_difficulty: int


@frozen
class ApproachRow:
    """Which speeds add up when two meet: one's own, and the other's."""

    name: str
    mine: int
    theirs: int


@frozen
class ImpactRow:
    """The damage of an impact."""

    name: str
    damage: Code


APPROACHES: Final = rows("d6.maneuver.ramming-damage", "approaches", ApproachRow)
IMPACTS: Final = rows("d6.maneuver.ramming-damage", "table", ImpactRow, by=("min", "max"))
MARGIN_PER_DIE: Final = figure("d6.maneuver.ramming-damage", "margin_per_die", int)
Approach: TypeAlias = Literal["head on", "rear", "other"]


@frozen
class ChargeResult:
    """What a charge came to: whether the way was run, and whether it struck home."""

    hit: bool
    moved: bool
    margin: int = 0
    reaction: str = ""
    harm: str = ""
    own_harm: str = ""


CHARGED: Final[Bands[ChargeResult]] = Bands(
    of=lambda found: (found.harm or "none").casefold().replace(" ", "-") if found.hit else MISS,
    keys=(MISS, *HARMS),
    good=HARMS[1:],
)


@formula("d6.maneuver.ramming-damage")
def impact_damage(scene: Scene, speed: int, other_speed: int = 0, approach: str = "other") -> Code:
    """What an impact deals at the speed at which two meet."""
    row = scene[APPROACHES][approach]
    return scene[IMPACTS].at(abs(row.mine * speed + row.theirs * other_speed)).damage


@formula("d6.maneuver.ramming-damage/own", "d6.maneuver.ramming-damage")
def rammer_mods(scene: Scene, margin: int) -> Mods:
    """What the margin spares whoever rams: a die for every five points of it, begun ones too."""
    dice = -ceil(margin / scene[MARGIN_PER_DIE])
    return (Mod(dice, f"margin {margin}", MARGIN_PER_DIE.rule),) if dice else ()


def check_engagement(scene: Scene, who: Person, target: Person, speed: int) -> None:
    """Only the attack that begins a melee is a charge, and it takes some speed."""
    if speed < 1:
        refuse(
            "a charge takes speed, in metres a round", what=str(speed), rule="d6.combat.charge", legal=("1 or more",)
        )
    if distance_between(scene, who, target):
        refuse(f"{who} and {target} are at blows already", rule="d6.combat.charge", legal=("melee-attack",))


def charging_weapons(scene: Scene, who: Person) -> tuple[str, ...]:
    return ("", *melee_weapons(scene, who))


def check_charging(scene: Scene, who: Person, weapon: str) -> None:
    if weapon:
        check_melee_weapon(scene, who, weapon)


@fight_action("charge", "d6.combat.charge", "d6.maneuver.ramming", bands=CHARGED, check=check_engagement)
async def charge(
    scene: Scene,
    who: Person,
    target: Target,
    speed: Annotated[int, suggest(10)],
    weapon: Annotated[str, Pick(charging_weapons, check_charging)] = "",
    using: str = "Running",
    difficulty: int = 5,
    target_speed: int = 0,
    approach: Approach = "other",
    sides: tuple[Side, ...] = (),
    mods: Mods = (),
) -> ChargeResult:
    """Run, or ride, into somebody: a movement roll, then the impact, which may be parried. Both take damage."""
    if not await gets_there(who, using, difficulty + scene[Ramming].movement_difficulty, mods):
        return ChargeResult(False, False)
    impact = impact_damage(scene, speed, target_speed, approach)
    return await hand_over(ram(who, target, using, impact, weapon, BlowSituation(sides=sides), mods))


@rule("d6.maneuver.ramming/movement", "d6.maneuver.ramming")
async def gets_there(scene: Scene, who: Person, using: str, difficulty: int, mods: Mods) -> bool:
    """The movement roll of a charge."""
    return await hand_over(roll_against(who, using, difficulty, mods), read=lambda moved: moved.success)


@rule("d6.maneuver.ramming", "d6.maneuver.ramming-damage")
async def ram(
    scene: Scene, who: Person, target: Person, using: str, impact: Code, weapon: str, at: BlowSituation, mods: Mods
) -> ChargeResult:
    """The second roll of a charge, part of the same action; a lance adds its damage."""
    reach = weapon_of(scene, item_of(scene, who, weapon)).reach if weapon else scene[SHORTEST]
    blow = MeleeBlow(using, scene[Ramming].ram_roll_difficulty, reach, None, weapon)
    await come_to_blows(who, target, reach)
    lance = weapon_damage(scene, who, weapon).weapon if weapon else Code()
    return await hand_over(
        ram_outcome(who, target, blow, impact, lance, at, mods),
        then=lambda found: collide(who, target, reach, found.harm, found.own_harm) if found.hit else None,
    )


@rule("d6.maneuver.ramming/outcome", "d6.maneuver.ramming", "d6.maneuver.ramming-damage")
async def ram_outcome(
    scene: Scene, who: Person, target: Person, blow: MeleeBlow, impact: Code, lance: Code, at: BlowSituation, mods: Mods
) -> ChargeResult:
    """What a charge comes to, before anything is done to either."""
    found = await exchange(who, target, blow, at, mods, ())
    if not found.hit:
        return rammed(found)
    harm = await harm_done(target, impact + lance, zone=at.zone)
    return rammed(found, harm, await harm_done(who, impact, rammer_mods(scene, found.margin)))


def rammed(found: MeleeResult, harm: str = "", own: str = "") -> ChargeResult:
    return ChargeResult(found.hit, True, found.margin, found.reaction, harm, own)


@kernel(ram_outcome)
def ram_outcomes(
    scene: Scene,
    decide: Decide,
    who: Person,
    target: Person,
    blow: MeleeBlow,
    impact: Code,
    lance: Code,
    at: BlowSituation,
    mods: Mods,
) -> Ends[ChargeResult]:
    """Every margin; those that hit, with everything that both suffer."""
    calls, found = KernelCalls.of(decide), WeightedEnds[ChargeResult]()
    harms = harm_done(target, impact + lance, zone=at.zone)
    for changes, whole, blows in calls.groups(exchange(who, target, blow, at, mods, ()), scene):
        for each, ways in blows:
            if each is LEFT_OUT or not each.hit:
                found.add(unless_left_out(each, rammed), changes, ways, whole)
                continue
            own = harm_done(who, impact, rammer_mods(scene, each.margin))
            for more, of, both in calls.pairs(harms, own, after_all(scene, changes)):
                lost = [(LEFT_OUT if LEFT_OUT in pair else rammed(each, *pair), times) for pair, times in both]
                found.add_all(lost, joined(changes, more), ways, whole * of)
    return found.ends()


@outline(ram_outcome)
def ram_outline(
    scene: Scene,
    decide: Decide,
    who: Person,
    target: Person,
    blow: MeleeBlow,
    impact: Code,
    lance: Code,
    at: BlowSituation,
    mods: Mods,
) -> Ends[ChargeResult]:
    """What the target suffers; neither margins nor what it costs whoever charges."""
    calls, found = KernelCalls.of(decide), WeightedEnds[ChargeResult]()
    harms = harm_done(target, impact + lance, zone=at.zone)
    for changes, whole, blows in exchange_outline(scene, decide, who, target, blow, at, mods, ()):
        for each, ways in blows:
            if each is LEFT_OUT or not each.hit:
                found.add(unless_left_out(each, rammed), changes, ways, whole)
                continue
            for more, of, done in calls.groups(harms, after_all(scene, changes)):
                rows = [(unless_left_out(harm, partial(rammed, each)), times) for harm, times in done]
                found.add_all(rows, joined(changes, more), ways, whole * of)
    return found.ends()


@rule("d6.maneuver.ramming-damage/collide", "d6.maneuver.ramming-damage")
async def collide(scene: Scene, who: Person, target: Person, reach: int, harm: str, own: str) -> None:
    """Both suffer from the impact."""
    await was_hit(target)
    await impose_distance(who, target, reach, own_reach(scene, target))
    await inflict(target, harm)
    await inflict(who, own)
