"""Guns in a melee: firing while somebody is at one's throat, and firing into a melee of others."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final, TypeAlias, cast

from referee.core import (
    Bands,
    Mod,
    Mods,
    Pool,
    Prompt,
    Scene,
    Total,
    figure,
    formula,
    frozen,
    hand_over,
    number_die,
    offer,
    refuse,
    roll,
    rule,
)
from referee.core.branches import LEFT_OUT
from referee.core.composed import KernelCalls, WeightedEnds, after_all
from referee.core.rules import Decide, Ends, outline
from referee.systems.d6.codes import SIDES
from referee.systems.d6.combat.ammunition import check_fire, check_single, fire
from referee.systems.d6.combat.blows import own_reach
from referee.systems.d6.combat.bursts import BurstHit, burst_hits, burst_outline
from referee.systems.d6.combat.ranged import (
    IN_MELEE,
    MELEE_DAMAGE,
    MELEE_SKILL,
    SHOT,
    Aim,
    Shot,
    ShotResult,
    Sight,
    Target,
    difficulty_of,
    dodges_of,
    melee_reach_mods,
    resolve_shot,
    roll_at_range,
    shot_of,
    zone_attack,
    zone_shot,
)
from referee.systems.d6.combat.ranges import (
    CLOSE,
    DISTANCE,
    GUN_REACH,
    RangedWeapon,
    check_reach,
    range_difficulty,
    weapon_in_hand,
)
from referee.systems.d6.combat.reach import check_short_enough, distance_between, reach_mods
from referee.systems.d6.combat.reactions import defend
from referee.systems.d6.combat.round import AttackKind, fight_action
from referee.systems.d6.combat.weapons import item_of, short_burst_ammo, wield
from referee.systems.d6.equipment import may_fail
from referee.systems.d6.resolution import is_fumble
from referee.systems.d6.sheet import Person

INTO_MELEE: Final = "d6.combat.shooting-into-melee"
STRAY: Final = Prompt("stray")
ADJUST: Final = Prompt("adjust")
PER_DIE: Final = figure(INTO_MELEE, "per_die", int)


# --- shooting in a melee ----------------------------------------------------------------------------------------------


@formula(IN_MELEE + "/check", IN_MELEE)
def check_gun(scene: Scene, who: Person, weapon: str) -> None:
    """A gun: no bow, nothing that is thrown."""
    gun = weapon_in_hand(scene, who, weapon).gun
    if gun not in scene[GUN_REACH]:
        refuse("it cannot be fired in a melee", what=weapon, rule=IN_MELEE)
    check_short_enough(scene, who, weapon, scene[GUN_REACH][gun].reach)
    check_fire(scene, who, weapon)


@fight_action("shoot-in-melee", IN_MELEE + "/shoot", IN_MELEE, bands=SHOT, check=check_gun)
async def shoot_in_melee(
    scene: Scene,
    who: Person,
    target: Target,
    weapon: RangedWeapon,
    opponent_reach: int | None = None,
    visibility: Sight = "",
    visibility_dice: int = 0,
    surprised: bool = False,
    mods: Mods = (),
) -> ShotResult:
    """Fire at somebody one is fighting hand to hand: with Brawling, at the closest range, for more damage.

    The opponent reaches as far as what they hold, unless it is said.
    """
    other = own_reach(scene, target) if opponent_reach is None else opponent_reach
    reach = melee_reach_mods(scene, weapon_in_hand(scene, who, weapon).gun, other)
    aim = Aim(
        0, visibility=visibility, visibility_dice=visibility_dice, difficulty=range_difficulty(scene, CLOSE),
        surprised=surprised, mods=(*mods, *reach),
    )  # fmt: skip
    shot = shot_of(scene, who, target, weapon, aim, scene[MELEE_SKILL])
    near = Mod(scene[MELEE_DAMAGE], "at the closest range", IN_MELEE)
    if not await wield(who, weapon):
        return ShotResult(False, range=shot.range)
    await fire(who, weapon)
    return await hand_over(resolve_shot(who, target, replace(shot, damage_mods=(*shot.damage_mods, near))))


# --- shooting into a melee --------------------------------------------------------------------------------------------


@frozen
class MeleeShot:
    """What a shot into a melee came to: whether it was on target, the dice of the fighters, and whom it hit."""

    success: bool
    margin: int
    dice: tuple[tuple[str, int], ...] = ()
    """What each fighter's die shows, adjusted."""
    targets: tuple[BurstHit, ...] = ()
    fumble: bool = False
    malfunction: bool = False

    @property
    def hits(self) -> int:
        return sum(each.hit for each in self.targets)


INTO: Final[Bands[MeleeShot]] = Bands(
    of=lambda result: "hit" if result.hits else "on-target" if result.success else "miss",
    keys=("miss", "on-target", "hit"),
    good=("hit",),
    bad={"fumble": lambda result: result.fumble},
)


@formula(INTO_MELEE)
def highest(scene: Scene, dice: tuple[tuple[str, int], ...]) -> tuple[str, ...]:
    """Those with the highest die: all of them are hit."""
    most = max(shown for _, shown in dice)
    return tuple(name for name, shown in dice if shown == most)


@formula(INTO_MELEE + "/advantage", INTO_MELEE, "d6.combat.reach")
def at_an_advantage(scene: Scene, fighters: tuple[Person, ...]) -> tuple[Person, ...]:
    """Those whom the distance hinders in no way, while it hinders somebody they fight."""

    def hindered(who: Person, by: Person) -> bool:
        distance = distance_between(scene, who, by)
        return bool(distance and reach_mods(scene, own_reach(scene, who), own_reach(scene, by), distance))

    return tuple(
        each
        for each in fighters
        if any(hindered(foe, each) for foe in fighters if foe != each)
        and not any(hindered(each, foe) for foe in fighters if foe != each)
    )


def check_fighters(
    scene: Scene, who: Person, fighters: tuple[Person, ...], reach_advantage: tuple[Person, ...] = ()
) -> None:
    """Two or more, the shooter not among them; somebody must be left to hit."""
    if len(fighters) < 2:
        refuse("a melee has two fighters or more", rule=INTO_MELEE)
    if not set(fighters) - {*reach_advantage, *at_an_advantage(scene, fighters)}:
        refuse("nobody is left who can be hit", rule=INTO_MELEE)


def check_into(scene: Scene, who: Person, weapon: str, burst: bool = False, penalty_dice: int = 0) -> None:
    """A single shot, or a short burst of a weapon that fires such."""
    if penalty_dice < 0:
        refuse("dice are taken off the attack, not added", rule=INTO_MELEE)
    if burst:
        check_fire(scene, who, weapon, short_burst_ammo(scene, weapon_in_hand(scene, who, weapon)))
    else:
        check_single(scene, who, weapon)


@fight_action(
    "shoot-into-melee",
    INTO_MELEE + "/shoot",
    INTO_MELEE,
    bands=INTO,
    check=(check_reach, check_fighters, check_into),
)
async def shoot_into_melee(
    scene: Scene,
    who: Person,
    weapon: RangedWeapon,
    fighters: tuple[Target, ...],
    distance: float = DISTANCE,
    penalty_dice: int = 0,
    reach_advantage: tuple[Person, ...] = (),
    burst: bool = False,
    visibility: Sight = "",
    visibility_dice: int = 0,
    cover_distance: float = 0,
    surprised: bool = False,
    difficulty: int = 0,
    mods: Mods = (),
) -> MeleeShot:
    """Shoot into a melee: chance says who is hit, unless dice are given up to steer it. A burst hits everybody."""
    careful = (Mod(-penalty_dice, "careful aim", INTO_MELEE),) if penalty_dice else ()
    aim = Aim(
        distance, visibility=visibility, visibility_dice=visibility_dice, difficulty=difficulty,
        cover_distance=cover_distance, surprised=surprised, mods=(*mods, *careful),
    )  # fmt: skip
    shot = zone_shot(scene, who, fighters[0], weapon, aim)
    if not await wield(who, weapon):
        return MeleeShot(False, 0)
    await fire(who, weapon, short_burst_ammo(scene, weapon_in_hand(scene, who, weapon)) if burst else 1)
    if burst:
        return await hand_over(burst_into_melee(who, fighters, shot))
    spared = {*reach_advantage, *at_an_advantage(scene, fighters)}
    at_risk = tuple(each for each in fighters if each not in spared)
    return await hand_over(stray_shot(who, at_risk, penalty_dice * scene[PER_DIE], shot))


@rule(INTO_MELEE + "/burst", INTO_MELEE)
async def burst_into_melee(scene: Scene, who: Person, fighters: tuple[Person, ...], shot: Shot) -> MeleeShot:
    """A burst that is on target hits everybody who does not dodge it."""
    rolled = await roll_at_range(who, shot)
    result = MeleeShot(rolled.success, abs(rolled.margin), fumble=rolled.fumble, malfunction=rolled.malfunction)
    if not result.success:
        return result
    struck = burst_hits(who, fighters, shot, rolled.total)
    return await hand_over(struck, lambda hits: replace(result, targets=hits))


@rule(INTO_MELEE + "/single", INTO_MELEE)
async def stray_shot(scene: Scene, who: Person, fighters: tuple[Person, ...], points: int, shot: Shot) -> MeleeShot:
    """A single shot that is on target hits whomever it comes to by chance."""
    rolled = await roll_at_range(who, shot)
    result = MeleeShot(rolled.success, abs(rolled.margin), fumble=rolled.fumble, malfunction=rolled.malfunction)
    if not result.success:
        return result
    return await hand_over(
        stray_hits(who, fighters, points, shot, rolled.total),
        lambda found: replace(result, dice=found[0], targets=found[1]),
    )


@outline(stray_shot)
def stray_shot_outline(
    scene: Scene,
    decide: Decide,
    who: Person,
    fighters: tuple[Person, ...],
    points: int,
    shot: Shot,
) -> Ends[MeleeShot] | None:
    """Whether it is on target, and whether anybody is hit. Where dice are steered, or somebody dodges, it is played."""
    calls, found = KernelCalls.of(decide), WeightedEnds[MeleeShot]()
    needed, sides = difficulty_of(scene, who, shot), scene[SIDES]
    if may_fail(scene, item_of(scene, who, shot.weapon)):
        return None
    for changes, whole, rolls in calls.groups(zone_attack(who, shot), scene):
        to_reach = standing_difficulties(after_all(scene, changes), calls, fighters, shot)
        if points or to_reach is None:
            return None
        for rolled, ways in rolls:
            if rolled is LEFT_OUT:
                found.add(cast(Any, rolled), changes, ways, whole)
                continue
            margin = rolled.total - needed
            result = MeleeShot(margin >= 0, 0, fumble=is_fumble(scene, rolled.luck, margin))
            reached = sum(rolled.total >= each for each in to_reach) if result.success else 0
            of, missed = sides ** len(fighters), ways_past(sides, reached, len(fighters))
            found.add(result, changes, ways * missed, whole * of)
            found.add(replace(result, targets=SOMEBODY), changes, ways * (of - missed), whole * of)
    return found.ends()


SOMEBODY: Final = (BurstHit("", True),)


def standing_difficulties(
    scene: Scene, calls: KernelCalls, fighters: tuple[Person, ...], shot: Shot
) -> list[int] | None:
    """What a shot has to reach to hit each of these, if none of them does anything about it; None if somebody does."""
    found: list[int] = []
    for each in fighters:
        ways = dodges_of(scene, each, shot)
        ends = calls.ends(defend(each, AttackKind.RANGED, shot.difficulty, ways), scene)
        if len(ends) > 1 or ends[0][1]:
            return None
        found.append(ends[0][0].difficulty)
    return found


StrayHits: TypeAlias = tuple[tuple[tuple[str, int], ...], tuple[BurstHit, ...]]
"""The dice of the fighters, and those who are hit."""


@rule(INTO_MELEE + "/stray", INTO_MELEE)
async def stray_hits(
    scene: Scene, who: Person, fighters: tuple[Person, ...], points: int, shot: Shot, attack: int
) -> StrayHits:
    """Chance says whom a shot comes to; they may still dodge it."""
    dice = await chances(who, fighters, points)
    struck = tuple(each for each in fighters if each.name in highest(scene, dice))
    return await hand_over(burst_hits(who, struck, shot, attack), lambda hits: (dice, hits))


@outline(stray_hits)
def stray_outline(
    scene: Scene,
    decide: Decide,
    who: Person,
    fighters: tuple[Person, ...],
    points: int,
    shot: Shot,
    attack: int,
) -> Ends[StrayHits] | None:
    """Whether anybody is hit. Where dice are steered, or where it is not sure who would be hit, it is played."""
    alone = [burst_outline(scene, decide, who, (each,), shot, attack) for each in fighters]
    if points or any(len(ends) > 1 for ends in alone):
        return None
    would_be_hit = [hits for ((hits, _, _),) in alone if hits[0].hit]
    whole, missed = scene[SIDES] ** len(fighters), ways_past(scene[SIDES], len(would_be_hit), len(fighters))
    hit: tuple[BurstHit, ...] = would_be_hit[0] if would_be_hit else ()
    return [(((), hit), (), whole - missed), (((), ()), (), missed)]


def ways_past(sides: int, avoided: int, dice: int) -> int:
    """The ways of so many dice to have none of some of them among the highest."""
    others = dice - avoided
    return sum((most - 1) ** avoided * (most**others - (most - 1) ** others) for most in range(1, sides + 1))


@rule(INTO_MELEE + "/chance", INTO_MELEE)
async def chances(scene: Scene, who: Person, fighters: tuple[Person, ...], points: int) -> tuple[tuple[str, int], ...]:
    """A die for each fighter; then the shooter adds points to any of them."""
    shown: dict[str, int] = {}
    for each in fighters:
        shown[each.name] = (await roll(STRAY, each, Pool.of((number_die(scene[SIDES]), 1)), Total)).total
    for _ in range(points):
        chosen = await offer(who, ADJUST, tuple(each.name for each in fighters), about=tuple(shown.items()))
        if chosen is None:
            break
        shown[chosen] += 1
    return tuple(shown.items())
