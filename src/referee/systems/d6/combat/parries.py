"""Parries: of one attack, or of all by leaving the melee; with a weapon, a shield or bare hands."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Final

from referee.core import Mod, Mods, Scene, applying, figure, figures, formula, frozen, hand_over, refuse, rows
from referee.core.effects import Forbids
from referee.kits.dice_codes import Code
from referee.systems.d6.codes import code_mods
from referee.systems.d6.combat.blind_combat import melee_sight
from referee.systems.d6.combat.blows import BlowSituation, MeleeBlow, Side, can_parry, main_weapon, own_reach, with_hand
from referee.systems.d6.combat.maneuvers import parry_with, prone_relief
from referee.systems.d6.combat.reach import FAR, PRONE, SHORTEST, distance_between, reach_mods, ways_out
from referee.systems.d6.combat.reactions import ReactionWay, check_full, full_reaction
from referee.systems.d6.combat.round import AttackKind, fight_action
from referee.systems.d6.combat.weapons import BARE_HANDS, DEFENSE, NATURAL, held, item_of, weapon_skill, weapons_held
from referee.systems.d6.equipment import MELEE, SHIELD, Weapon, may_fail, weapon_of
from referee.systems.d6.resolution import check_skilled
from referee.systems.d6.sheet import PIPS_PER_DIE, Person
from referee.systems.d6.zones import arm_mods, leg_mods

COMBAT: Final = "d6.combat.combat-parry"
FULL: Final = "d6.combat.full-parry"
BARE_PARRY: Final = "Brawling::unarmed defense"
COMBAT_PARRY: Final = "combat-parry"
FULL_PARRY: Final = "full-parry"
PER_SIDE: Final = figure(FULL, "dice_per_occupied_side", int)
MOST_SIDES: Final = figure(FULL, "most_dice", int)
SIDES: Final = figure(FULL, "sides", tuple[str, ...])
AGAINST_HANDS: Final = figure("d6.combat.parry-against-brawling", "parry_bonus", int)


@figures("d6.combat.modifiers-summary")
class ParryModifiers:
    """What stands only in the table of modifiers: parrying what comes from above, and parrying on the ground."""

    above: int
    above_spared_reach: int
    prone: int


@frozen
class DirectionRow:
    """Where an attack comes from, and what that costs a combat parry."""

    name: str
    dice: int = 0
    tag: str = ""


DIRECTIONS: Final = rows(COMBAT, "directions", DirectionRow)


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


@frozen
class ParryWay:
    """A way to parry: the reaction, and what it is done with; nothing for bare hands."""

    way: ReactionWay
    weapon: str = ""


NOT_FOR_DEFENSE: Final = figure("d6.skills.melee-combat-by-type", "not_for_defense", tuple[str, ...])


@formula("d6.combat.brawling-parry", COMBAT)
def parry_skill(scene: Scene, who: Person, weapon: str, full: bool = False) -> str:
    """What is rolled to parry: the skill of the weapon; with bare hands or an improvised weapon Brawling."""
    made_for_it = weapon and weapon in weapons_held(scene, who, MELEE, SHIELD) and weapon != NATURAL
    if not made_for_it or not (full or is_fit_to_parry(scene, who, weapon)):
        return BARE_PARRY
    return with_hand(scene, who, weapon_skill(scene, who, weapon, DEFENSE), item_of(scene, who, weapon).off_hand)


@formula("d6.skills.melee-combat-by-type")
def is_fit_to_parry(scene: Scene, who: Person, weapon: str) -> bool:
    """Axes and flails parry one attack no better than what is at hand, unless they have a penalty of their own."""
    item = item_of(scene, who, weapon)
    named = {item.kind.casefold().removesuffix("s"), weapon_of(scene, item).name.casefold()}
    return weapon_of(scene, item).parry != Code() or named.isdisjoint(scene[NOT_FOR_DEFENSE])


def parrying_things(scene: Scene, who: Person) -> tuple[str, ...]:
    """What somebody can parry with, the main weapon first; bare hands, if there is nothing else."""
    main = main_weapon(scene, who)
    listed = (main, *(each for each in held(scene, who) if each != main and can_parry(scene, who, each)))
    return tuple(each for each in listed if each and is_free(scene, who, each)) or ("",)


def unfree_things(scene: Scene, who: Person) -> tuple[str, ...]:
    """What is in hand, and would parry if nobody held it fast, or if it had not just been let go."""
    things = held(scene, who)
    return tuple(each for each in things if can_parry(scene, who, each) and not is_free(scene, who, each))


def is_free(scene: Scene, who: Person, thing: str) -> bool:
    """Whether nobody holds a weapon fast, or has just let it go."""
    barred = Forbids(parry_with(thing))
    freed = any(each.effect.does == barred for each in applying(scene, who).active)
    return not freed and not any(each.weapon == thing for each in scene[who].pinned)


FURTHER_PARRIES: Final[list[Callable[..., Iterable[ParryWay]]]] = []
"""What other chapters add to the ways of parrying: functions of the scene, the attack and its modifiers."""


def parry_ways(scene: Scene, who: Person, target: Person, blow: MeleeBlow, at: BlowSituation) -> tuple[ParryWay, ...]:
    """How the target may parry: with each thing in hand for this attack, or fully, leaving the melee."""
    things = parrying_things(scene, target)
    combat = tuple(combat_parry(scene, who, target, blow, at, each) for each in things)
    first = replace(combat[0], way=replace(combat[0].way, key=COMBAT_PARRY))
    stuck = tuple(combat_parry(scene, who, target, blow, at, each) for each in unfree_things(scene, target))
    barred = tuple(replace(each, way=replace(each.way, unfree=each.weapon)) for each in stuck)
    using, full = parry_skill(scene, target, things[0], full=True), full_parry_mods(scene, target, at)
    way = ReactionWay(FULL_PARRY, using, (*full, *at.parry_mods), full=True, fragile=fragile(scene, target, things[0]))
    further = (each for found in FURTHER_PARRIES for each in found(scene, who, target, blow, at))
    return (first, *combat[1:], *further, ParryWay(way, things[0]), *barred)


def fragile(scene: Scene, who: Person, thing: str) -> str:
    """What somebody strikes or parries with, if it may stop working by it."""
    return thing if thing and may_fail(scene, item_of(scene, who, thing)) else ""


@formula(COMBAT + "/parry", COMBAT, "d6.combat.reach", "d6.combat.parry-against-brawling")
def combat_parry(scene: Scene, who: Person, target: Person, blow: MeleeBlow, at: BlowSituation, thing: str) -> ParryWay:
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
    using, weak = parry_skill(scene, target, thing), fragile(scene, target, thing)
    return ParryWay(ReactionWay(key, using, (*found, *at.parry_mods), fragile=weak), thing)


@formula(FULL + "/modifiers", FULL)
def full_parry_mods(scene: Scene, who: Person, at: BlowSituation) -> Mods:
    """What a full parry suffers: opponents around, and one's position; neither reach nor what weapons are good for."""
    reach, using = own_reach(scene, who), parry_skill(scene, who, parrying_things(scene, who)[0], full=True)
    sight = melee_sight(scene, who, using, reach, at.visibility, at.visibility_dice)
    return (*sides_mods(scene, at.sides), *position_mods(scene, who, reach, at.above), *sight, *leg_mods(scene, who))


def check_may_parry(scene: Scene, who: Person) -> None:
    """Not in a grapple, nor dazed or Neutralized."""
    check_skilled(scene, who)
    applying(scene, who).check_allowed("parry", legal=ways_out(scene, who))


@fight_action("full-parry", FULL, check=(check_full, check_may_parry), full=True)
async def full_parry(scene: Scene, who: Person, sides: tuple[Side, ...] = (), mods: Mods = ()) -> int:
    """Leave the melee: the roll is added to the difficulty of every melee attack of this round."""
    at = BlowSituation(sides=sides)
    thing = parrying_things(scene, who)[0]
    given = (*full_parry_mods(scene, who, at), *mods)
    using, weak = parry_skill(scene, who, thing, full=True), fragile(scene, who, thing)
    return await hand_over(full_reaction(who, AttackKind.MELEE, using, given, fragile=weak))
