"""Range attacks: the circumstances of a shot, dodge, attack and damage; shots with two weapons."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from typing import Annotated, Any, Final, TypeAlias

from referee.core import (
    Applies,
    Bands,
    Fields,
    Grouped,
    Mod,
    Mods,
    Pick,
    Scene,
    Who,
    applying,
    figure,
    figures,
    formula,
    frozen,
    hand_over,
    option,
    refuse,
    rows,
    rule,
    settled,
    total,
)
from referee.core.branches import LEFT_OUT, unless_left_out
from referee.core.composed import KernelCalls, WeightedEnds, after_all, joined
from referee.core.rules import Call, Decide, Ends, kernel, outline, rule_named
from referee.kits.dice_codes import Code, Rolled
from referee.systems.d6.codes import ability_name, added, mean, own_code
from referee.systems.d6.combat.ammunition import check_single, fire
from referee.systems.d6.combat.cover import HIDDEN, OBSTACLES, avoiding_mods, breach, check_percent
from referee.systems.d6.combat.dodges import Side, dodge_ways, further_reactions
from referee.systems.d6.combat.preparation import prepared_mods
from referee.systems.d6.combat.ranges import (
    DIFFICULTIES,
    DISTANCE,
    GUN_REACH,
    RangedWeapon,
    band_of,
    check_ranged,
    check_reach,
    range_difficulty,
    ranged_weapons,
    weapon_in_hand,
)
from referee.systems.d6.combat.reactions import (
    ATTACK,
    AttackMargin,
    ReactionWay,
    attack_margin,
    coarser,
    unless_surprised,
    was_hit,
)
from referee.systems.d6.combat.round import FIGHT, AttackKind, fight_action
from referee.systems.d6.combat.surroundings import VISIBILITIES, body_scale, scale_mods, speed_mods, visibility_mods
from referee.systems.d6.combat.targets import AnyTarget, attackable, can_be_attacked, target_kind
from referee.systems.d6.combat.weapons import item_of, may_malfunction, weapon_damage, weapon_skill, wield
from referee.systems.d6.damage import DAMAGE_TABLE, UNHURT, check_zone, damage_difference, inflict
from referee.systems.d6.equipment import Weapon
from referee.systems.d6.resolution import difficulty_with, is_fumble
from referee.systems.d6.rolls import ACTION, ANY_ROLL, SPATIAL, roll_for, rolled_mods
from referee.systems.d6.sheet import PIPS_PER_DIE, Hero, Person
from referee.systems.d6.vehicles.gunnery import (
    arcs_of,
    check_arc,
    check_pilot_fires,
    flight_of,
    served_weapon,
    vehicle_fire_mods,
)
from referee.systems.d6.wounds import DEAD, TORSO
from referee.systems.d6.zones import PLACES, arm_mods, called_shot

POSITION: Final = "d6.combat.target-position"
TWO_WEAPONS: Final = "d6.combat.two-weapons-shooting"
IN_MELEE: Final = "d6.combat.shooting-in-melee"
ATTACK_TAGS: Final = (ACTION, ANY_ROLL, "attack", "range attack", SPATIAL)
AGAINST: Final = "attack against"


@frozen
class PositionRow:
    """What the position of a target does to shots at it, by range band."""

    name: str
    close: int
    short: int
    medium: int
    long: int


@figures(TWO_WEAPONS)
class TwoWeapons:
    """What a second weapon on one target gives, and what limits the roll."""

    damage_bonus: int
    limited_by: str


POSITIONS: Final = rows(POSITION, "positions", PositionRow)
SIMPLIFIED: Final = option("d6.scale.simplified")
FAR_APART: Final = figure("d6.scale.simplified", "threshold", int)
DESTROYED: Final = "Destroyed"
APPROACHES: Final = ("head on", "rear", "other")
REACH_MULTIPLIER: Final = figure(IN_MELEE, "reach_penalty_multiplier", int)
MELEE_DAMAGE: Final = figure(IN_MELEE, "damage_bonus", int)
MELEE_SKILL: Final = figure(IN_MELEE, "skill", str)


# --- the target -------------------------------------------------------------------------------------------------------


@formula(POSITION)
def position_mods(scene: Scene, position: str, band: str) -> Mods:
    """What it does to a shot that the target kneels or lies on the ground."""
    if position not in scene[POSITIONS]:
        return ()
    row = scene[POSITIONS][position]
    dice = {"Close": row.close, "Short": row.short, "Medium": row.medium, "Long": row.long}[band]
    return (Mod(dice, f"{position} target", POSITION),) if dice else ()


@formula(TWO_WEAPONS)
def two_weapons_damage(scene: Scene, one: Code, other: Code) -> Code:
    """The mean of both damages, and a die."""
    return added(scene, mean(scene, (one, other)).code, Code(scene[TwoWeapons].damage_bonus))


@formula(TWO_WEAPONS + "/limit", TWO_WEAPONS)
def ambidextrous_code(scene: Scene, who: Person, using: str) -> Code:
    """The lower of a skill and Ambidexterity."""
    both = own_code(scene, who, using), own_code(scene, who, scene[TwoWeapons].limited_by)
    return min(both, key=lambda code: code.in_pips(scene[PIPS_PER_DIE]))


@formula(IN_MELEE)
def melee_reach_mods(scene: Scene, kind: str, opponent_reach: int) -> Mods:
    """A gun in a melee: its reach is a burden twice over against somebody whose reach is shorter."""
    too_long = scene[GUN_REACH][kind].reach - opponent_reach
    dice = -too_long * scene[REACH_MULTIPLIER]
    return (Mod(dice, f"{kind} in a melee", IN_MELEE),) if dice < 0 else ()


# --- the shot ---------------------------------------------------------------------------------------------------------


Place: TypeAlias = Annotated[str, PLACES]
Sight: TypeAlias = Annotated[str, VISIBILITIES]
Obstacle: TypeAlias = Annotated[str, OBSTACLES]


def parts_of(scene: Scene, who: Person, target: AnyTarget) -> tuple[str, ...]:
    """What of a target may be aimed at, besides the zones of a body."""
    parts = target_kind(scene, target).parts(scene, target)
    return ("", *parts) if parts else ()


def approaches(scene: Scene, who: Person, target: AnyTarget) -> tuple[str, ...]:
    """How one may come at what moves by itself."""
    return ("", *APPROACHES) if target_kind(scene, target).parts(scene, target) else ()


def is_of_vehicle(scene: Scene, who: Person, weapon: str) -> bool:
    """Whether a weapon is one of the vehicle that whoever shoots is aboard of."""
    return served_weapon(scene, who, weapon) is not None


@frozen
class Aim:
    """Under which circumstances somebody shoots at somebody."""

    distance: float = DISTANCE
    zone: Place = TORSO
    """Where the shooter aims; the torso is where a shot lands that is aimed at nothing else."""
    cover: int = 0
    """How much of the target is hidden, in percent."""
    obstacle: Obstacle = ""
    shoot_through: bool = False
    sees_through: bool = False
    exposed_zones: tuple[Place, ...] = ()
    """The zones that cover leaves open; all of them, if none is named."""
    visibility: Sight = ""
    visibility_dice: int = 0
    relative_speed: float = 0
    approach: Annotated[str, Pick(approaches), Applies()] = ""
    """From where one comes at a vehicle that moves: head on, from the rear, from the side."""
    space_units: Annotated[int, Applies(is_of_vehicle)] = 0
    """The same in units of space."""
    system: Annotated[str, Pick(parts_of), Applies()] = ""
    """The system of a vehicle that is aimed at."""
    arc: Annotated[str, Pick(arcs_of), Applies()] = ""
    """Where the target is, as seen from the vehicle of whoever shoots."""
    cover_distance: float = 0
    """How far the target is from cover, in metres."""
    sides: tuple[Side, ...] = ()
    """The sides of the target from which it is attacked."""
    surprised: bool = False
    """Whether it takes the target by surprise, so that nobody reacts."""
    crew: int = 1
    target_scale: int = 1
    difficulty: int = 0
    """What the game master sets in place of the number of the range."""
    situation: tuple[str, ...] = ()
    """What merits and flaws care about."""
    mods: Mods = ()
    """What else counts for the attack."""


CLEAR_SHOT: Final = Aim()
"""At somebody who stands in the open, by daylight."""


@frozen
class Shot:
    """A shot, as it is rolled: everything that is known before somebody reacts."""

    weapon: str
    using: str
    range: str
    difficulty: int
    mods: Mods
    moving: int
    """What is added to the difficulty, or to the reaction that takes its place, because the target moves."""
    damage: Code
    own: Code = Code()
    """The part of the damage that is the attacker's Strength."""
    damage_mods: Mods = ()
    resist_mods: Mods = ()
    stun: bool = False
    zone: str = TORSO
    system: str = ""
    """The system of a vehicle that is aimed at."""
    obstacle: str = ""
    """What has to be shot through."""
    tags: tuple[str, ...] = ATTACK_TAGS
    harmless: bool = False
    """Whether nothing of it comes through what is in its way."""
    shield: str = ""
    """Who stands in the way, and is hit by a shot that misses past them."""
    cover_distance: float = 0
    """How far the target is from cover, in metres."""
    sides: tuple[Side, ...] = ()
    """The sides of the target from which it is attacked."""
    surprised: bool = False
    scale: int = 1
    target_scale: int = 1
    flight: int = 0
    """Rounds that it takes to arrive after this one."""


@frozen
class ShotResult:
    """What a shot came to."""

    hit: bool
    margin: int = 0
    """Of success (0 or more) or of failure (1 or more)."""
    range: str = ""
    reaction: str = ""
    harm: str = ""
    """What the damage does: a row of the damage table; nothing for a miss."""
    obstacle: str = ""
    """What is left of an obstacle that was shot through."""
    fumble: bool = False
    malfunction: bool = False
    struck: str = ""
    """Who was hit in the target's place."""


HARMS: Final = (
    *("none", "stunned", "wounded", "neutralized", "mortally-wounded", "dead"),
    *("deviates", "lightly-damaged", "seriously-damaged", "severely-damaged", "destroyed", "under-way"),
)
"""What becomes of people, of vehicles and other things; or that what was fired is still on its way."""
UNDER_WAY: Final = "under way"
SHOT: Final[Bands[ShotResult]] = Bands(
    of=lambda shot: shot.harm.casefold().replace(" ", "-") or "none" if shot.hit else "miss",
    keys=("miss", *HARMS),
    good=HARMS[1:],
    bad={"fumble": lambda shot: shot.fumble},
)


@formula(DIFFICULTIES + "/against", DIFFICULTIES)
def against_mods(scene: Scene, target: Person) -> Mods:
    """What the target itself does to an attack: the small are hard to hit, the big easy."""
    return applying(scene, target, AGAINST).mods


@formula(DIFFICULTIES + "/cover", DIFFICULTIES, "d6.combat.cover-avoid")
def cover_mods(scene: Scene, aim: Aim) -> Mods:
    """What cover costs: nothing, if the obstacle is shot through and something of the target can be seen."""
    if not aim.shoot_through:
        return avoiding_mods(scene, aim.cover)
    if not aim.obstacle:
        refuse("name the obstacle that is shot through", rule=OBSTACLES.rule, legal=scene[OBSTACLES].names)
    if scene[HIDDEN].at(aim.cover).through and not aim.sees_through:
        refuse("nobody sees the target", rule=OBSTACLES.rule, legal=("a way to see it", "short-burst", "spray-fire"))
    return ()


@formula("d6.combat.cover-avoid/zone", "d6.combat.cover-avoid")
def zone_hit(scene: Scene, aim: Aim) -> str:
    """Where a hit lands: where it was aimed, if that is not behind cover; otherwise in an exposed zone."""
    if not aim.exposed_zones or aim.zone in aim.exposed_zones:
        return aim.zone
    if aim.zone != TORSO:
        refuse(f"cover hides it: {aim.zone}", rule="d6.combat.cover-avoid", legal=aim.exposed_zones)
    return aim.exposed_zones[0]


@formula(DIFFICULTIES + "/circumstances", DIFFICULTIES)
def circumstance_mods(scene: Scene, who: Person, target: AnyTarget, aim: Aim, band: str) -> Mods:
    """Sight, and what of the target makes it hard to hit."""
    sight = visibility_mods(scene, who, aim.visibility, aim.visibility_dice)
    return (*sight, *target_kind(scene, target).aiming(scene, target, aim, band))


@formula(DIFFICULTIES + "/number", DIFFICULTIES)
def shot_difficulty(scene: Scene, who: Person, weapon: str, aim: Aim, band: str) -> int:
    """The number of the range, raised where too few serve the weapon."""
    found = weapon_in_hand(scene, who, weapon)
    alone = found.alone if aim.crew < found.crew else 0
    return (aim.difficulty or range_difficulty(scene, band)) + alone


def shooting_skill(scene: Scene, who: Person, weapon: str) -> str:
    """The skill of a weapon; with the off hand the lower of it and Ambidexterity."""
    skill = weapon_skill(scene, who, weapon)
    return ambidextrous(scene, who, skill) if item_of(scene, who, weapon).off_hand else skill


@formula(DIFFICULTIES + "/shot", DIFFICULTIES)
def shot_of(scene: Scene, who: Person, target: AnyTarget, weapon: str, aim: Aim, using: str = "") -> Shot:
    """A shot with a weapon, and everything that is known of it beforehand."""
    band, skill = band_of(scene, who, weapon, aim.distance), using or shooting_skill(scene, who, weapon)
    dealt, stands = weapon_damage(scene, who, weapon), target_kind(scene, target)
    scale, theirs = dealt.scale, max(aim.target_scale, stands.scale(scene, target))
    own = (
        *prepared_mods(scene, who, weapon),
        *circumstance_mods(scene, who, target, aim, band),
        *cover_mods(scene, aim),
        *arm_mods(scene, who, item_of(scene, who, weapon)),
        *vehicle_fire_mods(scene, who, weapon, skill),
    )
    speed = aim.relative_speed or stands.speed(scene, who, target, aim)
    return Shot(
        weapon,
        skill,
        band,
        shot_difficulty(scene, who, weapon, aim, band),
        (*aim.mods, *own, *scale_mods(scene, "fire", scale, theirs)),
        total(speed_mods(scene, speed, aim.space_units)),
        dealt.weapon,
        dealt.own,
        (*dealt.mods, *scale_mods(scene, "damage", scale, theirs)),
        scale_mods(scene, "body", theirs, scale),
        dealt.stun,
        stands.zone(scene, aim),
        aim.system,
        aim.obstacle if aim.shoot_through else "",
        (*ATTACK_TAGS, *aim.situation),
        cover_distance=aim.cover_distance,
        sides=aim.sides,
        surprised=aim.surprised,
        scale=scale,
        target_scale=theirs,
        flight=flight_of(scene, who, weapon, aim.distance),
    )


def zone_shot(scene: Scene, who: Person, target: Person, weapon: str, aim: Aim) -> Shot:
    """A shot at a zone: what one target does to it (its position, its size) does not count."""
    shot = shot_of(scene, who, target, weapon, aim)
    at_target = circumstance_mods(scene, who, target, replace(aim, visibility=""), shot.range)
    return replace(shot, mods=tuple(mod for mod in shot.mods if mod not in at_target))


def difficulty_of(scene: Scene, who: Person, shot: Shot) -> int:
    """What a shot has to reach that nobody dodges beforehand."""
    tags = (*ability_name(scene, shot.using).tags, *shot.tags)
    return difficulty_with(scene, who, shot.difficulty, shot.mods, *tags) + shot.moving


@frozen
class ZoneRoll:
    """The attack roll of a shot that nobody dodges before it is rolled."""

    total: int
    margin: int
    """By how much it reaches what the range asks for; below 0, by how much it does not."""
    fumble: bool = False
    malfunction: bool = False

    @property
    def success(self) -> bool:
        return self.margin >= 0 and not self.malfunction


@rule(DIFFICULTIES + "/zone", DIFFICULTIES)
async def roll_at_range(scene: Scene, who: Person, shot: Shot) -> ZoneRoll:
    """The attack roll against what the range asks for; a damaged weapon may stop working."""
    needed = difficulty_of(scene, who, shot)
    rolled = await zone_attack(who, shot)
    margin = rolled.total - needed
    stopped = await may_malfunction(who, shot.weapon, rolled.luck)
    return ZoneRoll(rolled.total, margin, is_fumble(scene, rolled.luck, margin), stopped)


def zone_attack(who: Person, shot: Shot) -> Call[Rolled]:
    return roll_for(who, shot.using, rolled_mods(shot.mods), shot.tags, prompt=ATTACK)


AFTER_REACTION: Final[dict[str, Callable[[Person, Any, Weapon, Shot, AttackMargin], Call[None]]]] = {}
"""What comes of reactions that other chapters add, by their key."""


def attack_with(scene: Scene, who: Person, target: AnyTarget, shot: Shot) -> Call[AttackMargin]:
    """The target may react; then the attack is rolled. A moving target is harder to hit, whatever it does."""
    stands = target_kind(scene, target)
    ways, reacts = stands.reactions(scene, who, target, shot), stands.defender(scene, target)
    return attack_margin(
        who, shot.using, reacts, AttackKind.RANGED, shot.difficulty, ways, shot.mods, shot.tags, shot.moving
    )


def dodges_of(scene: Scene, target: Person, shot: Shot) -> tuple[ReactionWay, ...]:
    """How somebody may dodge a shot, unless it takes them by surprise."""
    return unless_surprised(dodge_ways(scene, target, shot.cover_distance, shot.sides), shot.surprised)


def before_damage(scene: Scene, shot: Shot, attack: AttackMargin) -> ShotResult:
    """What an attack came to, before anything is done to the target."""
    fumble = is_fumble(scene, attack.luck, attack.margin)
    return ShotResult(attack.margin >= 0, abs(attack.margin), shot.range, attack.reaction, fumble=fumble)


@rule("d6.combat.apply-results/outcome", "d6.combat.apply-results")
async def shot_outcome(scene: Scene, who: Person, target: AnyTarget, shot: Shot) -> ShotResult:
    """Dodge, attack, and what the damage will do; a damaged weapon may stop working."""
    attack = await attack_with(scene, who, target, shot)
    if (after := AFTER_REACTION.get(attack.reaction)) is not None:
        await after(who, target, weapon_in_hand(scene, who, shot.weapon), shot, attack)
    if await may_malfunction(who, shot.weapon, attack.luck):
        return ShotResult(False, range=shot.range, reaction=attack.reaction, malfunction=True)
    result = before_damage(scene, shot, attack)
    if not result.hit:
        return result
    obstacle, harm = await strike(who, target, shot)
    return replace(result, obstacle=obstacle, harm=harm)


@kernel(shot_outcome)
def shot_outcomes(scene: Scene, decide: Decide, who: Person, target: AnyTarget, shot: Shot) -> Ends[ShotResult] | None:
    """Every margin; those that hit, with everything that the damage may do. What other chapters add is played."""
    return shot_ends(scene, decide, who, target, shot, list)


@outline(
    shot_outcome,
    keeps={ShotResult: ("hit", "range", "reaction", "harm", "obstacle", "fumble", "malfunction", "struck")},
    changes=True,
)
def shot_outline(scene: Scene, decide: Decide, who: Person, target: AnyTarget, shot: Shot) -> Ends[ShotResult] | None:
    """The same, but margins are told apart only as far as they matter."""
    return shot_ends(scene, decide, who, target, shot, partial(coarser, scene))


def shot_ends(
    scene: Scene,
    decide: Decide,
    who: Person,
    target: AnyTarget,
    shot: Shot,
    told_apart: Callable[[Iterable[tuple[AttackMargin, int]]], list[tuple[AttackMargin, int]]],
) -> Ends[ShotResult] | None:
    if item_of(scene, who, shot.weapon).condition:
        return None
    calls, found = KernelCalls.of(decide), WeightedEnds[ShotResult]()
    attack = attack_with(scene, who, target, shot)
    for changes, whole, attacks in calls.groups(attack, scene):
        if any(each is not LEFT_OUT and each.reaction in AFTER_REACTION for each, _ in attacks):
            return None
        judge = partial(before_damage, scene, shot)
        results = [(unless_left_out(each, judge), ways) for each, ways in told_apart(attacks)]
        hits = [row for row in results if row[0] is not LEFT_OUT and row[0].hit]
        found.add_all([row for row in results if row[0] is LEFT_OUT or not row[0].hit], changes, 1, whole)
        for more, of, struck in calls.groups(strike(who, target, shot), after_all(scene, changes)) if hits else ():
            both: list[tuple[Any, int]] = [
                (LEFT_OUT if done is LEFT_OUT else replace(result, obstacle=done[0], harm=done[1]), ways * times)
                for result, ways in hits
                for done, times in struck
            ]
            found.add_all(both, joined(changes, more), 1, whole * of)
    return found.ends()


@rule("d6.combat.apply-results/shot", "d6.combat.apply-results")
async def strike(scene: Scene, who: Person, target: AnyTarget, shot: Shot) -> tuple[str, str]:
    """A hit goes through what is in its way, and does damage: what is left of the obstacle, and a row of the table."""
    if shot.flight:
        return "", UNDER_WAY
    if not shot.obstacle:
        return "", await shot_harm(who, target, shot)
    hole = await breach(who, shot.damage, shot.obstacle, shot.damage_mods, shot.own)
    if hole.target_damage is None:
        return hole.obstacle, ""
    return hole.obstacle, await shot_harm(who, target, shot, hole.mods)


@kernel(strike)
def strikes(scene: Scene, decide: Decide, who: Person, target: AnyTarget, shot: Shot) -> Ends[tuple[str, str]] | None:
    """Every harm; with an obstacle it is played."""
    if shot.flight:
        return [(("", UNDER_WAY), (), 1)]
    if shot.obstacle:
        return None
    found = WeightedEnds[tuple[str, str]]()
    for harm, changes, ways, whole in KernelCalls.of(decide).ends(shot_harm(who, target, shot), scene):
        lost = harm is LEFT_OUT
        found.add(LEFT_OUT if lost else ("", harm), changes, ways, whole)
    return found.ends()


@rule("d6.combat.apply-results/harm", "d6.combat.apply-results")
async def shot_harm(scene: Scene, who: Person, target: AnyTarget, shot: Shot, mods: Mods = ()) -> str:
    """What the damage of a shot does: a row of the damage table of what it hits."""
    stands = target_kind(scene, target)
    if (sure := sure_harm(scene, target, shot)) is not None:
        return sure
    return stands.harm(scene, await stands.withstands(scene, who, target, shot, mods))


@kernel(shot_harm)
def shot_harms(scene: Scene, decide: Decide, who: Person, target: AnyTarget, shot: Shot, mods: Mods = ()) -> Ends[str]:
    found, stands = WeightedEnds[str](), target_kind(scene, target)
    if (sure := sure_harm(scene, target, shot)) is not None:
        return [(sure, (), 1)]
    for difference, changes, ways, whole in KernelCalls.of(decide).ends(
        stands.withstands(scene, who, target, shot, mods), scene
    ):
        lost = difference is LEFT_OUT
        found.add(LEFT_OUT if lost else stands.harm(scene, difference), changes, ways, whole)
    return found.ends()


@formula("d6.scale.simplified")
def simplified_harm(scene: Scene, shot: Shot) -> str | None:
    """Far apart in scale, the bigger destroys whatever it hits, and the smaller does nothing but to a weak spot."""
    apart = shot.scale - shot.target_scale
    if apart >= scene[FAR_APART]:
        return DESTROYED
    return UNHURT if -apart >= scene[FAR_APART] and not shot.system else None


def sure_harm(scene: Scene, target: AnyTarget, shot: Shot) -> str | None:
    """What a hit does without any roll; None where damage is rolled."""
    found = simplified_harm(scene, shot) if scene[SIMPLIFIED] else None
    return DEAD if found == DESTROYED and isinstance(scene[target], Hero) else found


@rule("d6.combat.cover-avoid/stray", "d6.combat.cover-avoid")
async def stray_shot(scene: Scene, who: Person, shield: Person, shot: Shot, result: ShotResult) -> ShotResult:
    """A shot that misses past somebody hits them."""
    harm = await shot_harm(who, shield, replace(shot, zone=TORSO))
    struck = replace(result, struck=shield.name, harm=harm)
    return await settled(struck, then=land(shield, harm, shot.stun, TORSO))


@rule("d6.combat.apply-results/hit", "d6.combat.apply-results")
async def land(scene: Scene, target: Person, harm: str, stun: bool, zone: str) -> None:
    """A shot has hit, and wounds at once."""
    await was_hit(target)
    await inflict(target, harm, stun, zone)


class Living:
    """How people and creatures stand up to a shot: they dodge it, resist it with Strength and armor, are wounded."""

    def crew(self, scene: Scene, target: Person) -> tuple[str, ...]:
        return (target.name,)

    def scale(self, scene: Scene, target: Person) -> int:
        return body_scale(scene, target)

    def parts(self, scene: Scene, target: Person) -> tuple[str, ...]:
        return ()

    def aiming(self, scene: Scene, target: Person, aim: Aim, band: str) -> Mods:
        aimed = called_shot(scene, aim.zone) if aim.zone != TORSO else ()
        return (*position_mods(scene, scene[target].posture, band), *against_mods(scene, target), *aimed)

    def speed(self, scene: Scene, who: AnyTarget, target: Person, aim: Aim) -> float:
        return 0

    def defender(self, scene: Scene, target: Person) -> Person:
        return target

    def reactions(self, scene: Scene, who: Person, target: Person, shot: Shot) -> tuple[ReactionWay, ...]:
        further = further_reactions(scene, target, weapon_in_hand(scene, who, shot.weapon))
        return (*dodges_of(scene, target, shot), *unless_surprised(further, shot.surprised))

    def zone(self, scene: Scene, aim: Aim) -> str:
        return zone_hit(scene, aim)

    def withstands(self, scene: Scene, who: AnyTarget, target: Person, shot: Shot, mods: Mods) -> Call[int]:
        dealt = (*shot.damage_mods, *mods)
        return damage_difference(target, shot.damage, dealt, shot.zone, who, shot.own, resist_mods=shot.resist_mods)

    def harm(self, scene: Scene, difference: int) -> str:
        return scene[DAMAGE_TABLE].at(difference).name

    def land(self, target: Person, harm: str, shot: Shot) -> Call[None]:
        return land(target, harm, shot.stun, shot.zone)


can_be_attacked(Hero, Living())


# --- what may be picked -----------------------------------------------------------------------------------------------


def all_targets(scene: Scene, who: Person) -> tuple[AnyTarget, ...]:
    """Those one fights against, then everything else that can be attacked and is not one's own side's."""
    people = targets(scene, who)
    mine = {who.name} if FIGHT not in scene else set(scene[FIGHT].side_of(who.name))
    others = (each for each in attackable(scene) if each.kind is not Hero)
    return (*people, *(each for each in others if mine.isdisjoint(target_kind(scene, each).crew(scene, each))))


def targets(scene: Scene, who: Person) -> tuple[Person, ...]:
    """Those one fights against; without a fight, everybody else."""
    if FIGHT in scene and who.name in scene[FIGHT].fighters:
        foes = scene[FIGHT].foes(scene, who.name)
        return tuple(each for each in scene.all(Hero) if each.name in foes)
    return tuple(each for each in scene.all(Hero) if each != who)


def check_target(scene: Scene, who: Person, target: Person) -> None:
    """Anybody but oneself."""
    if target == who:
        refuse("one does not shoot at oneself", rule=DIFFICULTIES)


def check_attackable(scene: Scene, who: Person, target: AnyTarget) -> None:
    """Anything that can be attacked, but oneself and what one is inside of."""
    check_target(scene, who, target)
    if target not in attackable(scene):
        refuse("it cannot be attacked", what=target.name, rule=DIFFICULTIES, legal=map(str, all_targets(scene, who)))
    if who.name in target_kind(scene, target).crew(scene, target):
        refuse(f"{who} is aboard", what=target.name, rule=DIFFICULTIES)


def check_aim(
    scene: Scene,
    who: Person,
    cover: int = 0,
    visibility: str = "",
    obstacle: str = "",
    relative_speed: float = 0,
    cover_distance: float = 0,
    crew: int = 1,
) -> None:
    """Part of the target that is hidden, sight and an obstacle that there are; ways and speeds are not below 0."""
    known = (("speed", relative_speed, 0), ("the way to cover", cover_distance, 0), ("crew", crew, 1))
    for what, given, least in known:
        if given < least:
            refuse(f"it is {least} or more", what=f"{what} {given:g}", rule=DIFFICULTIES, legal=(str(least),))
    check_percent(scene, who, cover)
    if visibility:
        scene[VISIBILITIES].look(visibility)
    if obstacle:
        scene[OBSTACLES].look(obstacle)


def check_shield(scene: Scene, who: Person, target: Person, cover: int = 0, shield: Person | None = None) -> None:
    """Whoever stands in the way is somebody else, and hides a part of the target."""
    if shield in (who, target):
        refuse("somebody else stands in the way", what=str(shield), rule="d6.combat.cover-avoid")
    if shield is not None and not cover:
        refuse(f"{shield} hides no part of {target}", rule="d6.combat.cover-avoid", legal=("a cover of 25 or more",))


Target: TypeAlias = Annotated[Person, Pick(targets, check_target)]
AnythingThere: TypeAlias = Annotated[AnyTarget, Pick(all_targets, check_attackable)]


@fight_action(
    "shoot",
    DIFFICULTIES + "/shoot",
    DIFFICULTIES,
    bands=SHOT,
    check=(check_single, check_reach, check_zone, check_aim, check_shield, check_arc, check_pilot_fires),
)
async def shoot(
    scene: Scene,
    who: Person,
    target: AnythingThere,
    weapon: RangedWeapon,
    aim: Grouped[Aim] = CLEAR_SHOT,
    shield: Person | None = None,
    mounted: bool = False,
    using: str = "",
) -> ShotResult:
    """Shoot or throw at somebody: past an obstacle or through it, at a zone of the body, near or far."""
    shot = replace(shot_of(scene, who, target, weapon, aim, using), shield=shield.name if shield else "")
    if not await wield(who, weapon, mounted):
        return ShotResult(False, range=shot.range)
    await fire(who, weapon)
    return await hand_over(resolve_shot(who, target, shot))


@rule(DIFFICULTIES + "/resolve", DIFFICULTIES)
async def resolve_shot(scene: Scene, who: Person, target: AnyTarget, shot: Shot) -> ShotResult:
    """Dodge, attack, and what becomes of it; a damaged weapon may stop working."""
    outcome, stands = shot_outcome(who, target, shot), target_kind(scene, target)

    def then(result: ShotResult) -> Call[None] | None:
        if result.harm == UNDER_WAY:
            return rule_named("d6.vehicle-combat.rockets/launched")(who, target, shot)
        return stands.land(target, result.harm, shot) if result.harm else None

    if not shot.shield:
        return await hand_over(outcome, then=then)
    result = await outcome
    if not result.hit and not result.malfunction:
        return await hand_over(stray_shot(who, Who(shot.shield, Hero), shot, result))
    return await settled(result, then=stands.land(target, result.harm, shot)) if result.harm else result


# --- with two weapons -------------------------------------------------------------------------------------------------


@formula(TWO_WEAPONS + "/check", TWO_WEAPONS)
def check_second(scene: Scene, who: Person, other: str, weapon: str) -> None:
    """Another weapon that fires single shots."""
    check_ranged(scene, who, other)
    if other == weapon:
        refuse("name another weapon", what=other, rule=TWO_WEAPONS)
    check_single(scene, who, other)


def second_weapons(scene: Scene, who: Person, weapon: str) -> tuple[str, ...]:
    return tuple(each for each in ranged_weapons(scene, who) if each != weapon)


def check_second_reach(scene: Scene, who: Person, other: str, distance: float = DISTANCE) -> None:
    """Both of them reach so far."""
    check_reach(scene, who, other, distance)


def ambidextrous(scene: Scene, who: Person, using: str) -> str:
    """The skill that is rolled with a weapon in each hand: Ambidexterity, where it is lower."""
    limited = scene[TwoWeapons].limited_by
    return using if ambidextrous_code(scene, who, using) == own_code(scene, who, using) else limited


TwoWeaponAim: TypeAlias = Annotated[
    Aim,
    Fields(without="obstacle shoot_through sees_through exposed_zones crew situation approach space_units system arc"),
]


@fight_action(
    "shoot-two-weapons",
    TWO_WEAPONS + "/shoot",
    TWO_WEAPONS,
    bands=SHOT,
    check=(check_single, check_reach, check_second_reach, check_zone),
)
async def shoot_two_weapons(
    scene: Scene,
    who: Person,
    target: Target,
    weapon: RangedWeapon,
    other: Annotated[str, Pick(second_weapons, check_second)],
    aim: TwoWeaponAim = CLEAR_SHOT,
) -> ShotResult:
    """Shoot at one target with a weapon in each hand: one action, one roll, more damage."""
    using = ambidextrous(scene, who, weapon_skill(scene, who, weapon))
    shot = shot_of(scene, who, target, weapon, aim, using)
    both = two_weapons_damage(scene, shot.damage, weapon_damage(scene, who, other).weapon)
    await fire(who, weapon)
    await fire(who, other)
    return await hand_over(resolve_shot(who, target, replace(shot, damage=both)))
