"""Guns in a melee: firing while somebody is at one's throat, and firing into a melee of others."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import chain, combinations
from typing import Annotated, Any, Final, TypeAlias, cast

from referee.core import (
    Bands,
    Fields,
    Mod,
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
from referee.core.outlines import left_open
from referee.core.rules import Decide, Ends, outline
from referee.systems.d6.codes import SIDES
from referee.systems.d6.combat.ammunition import check_fire, check_single, fire
from referee.systems.d6.combat.blows import own_reach
from referee.systems.d6.combat.bursts import BurstHit, burst_hits, burst_outline
from referee.systems.d6.combat.ranged import (
    CLEAR_SHOT,
    IN_MELEE,
    MELEE_DAMAGE,
    MELEE_SKILL,
    SHOT,
    Aim,
    Shot,
    ShotResult,
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
    GUN_REACH,
    RangedWeapon,
    check_reach,
    range_difficulty,
    weapon_in_hand,
)
from referee.systems.d6.combat.reach import at_blows_with, check_short_enough, distance_between, reach_mods
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


@formula(IN_MELEE + "/check-opponent", IN_MELEE)
def check_hand_to_hand(scene: Scene, who: Person, target: Person) -> None:
    """The target is somebody one fights hand to hand already."""
    if not distance_between(scene, who, target):
        near = tuple(f"shoot-in-melee {each}" for each in at_blows_with(scene, who))
        refuse(f"{who} and {target} do not fight hand to hand", rule=IN_MELEE, legal=("shoot", *near))


@fight_action("shoot-in-melee", IN_MELEE + "/shoot", IN_MELEE, bands=SHOT, check=(check_hand_to_hand, check_gun))
async def shoot_in_melee(
    scene: Scene,
    who: Person,
    target: Target,
    weapon: RangedWeapon,
    opponent_reach: int | None = None,
    at: Annotated[Aim, Fields("visibility visibility_dice surprised mods")] = CLEAR_SHOT,
) -> ShotResult:
    """Fire at somebody one is fighting hand to hand: with Brawling, at the closest range, for more damage.

    The opponent reaches as far as what they hold, unless it is said.
    """
    other = own_reach(scene, target) if opponent_reach is None else opponent_reach
    reach = melee_reach_mods(scene, weapon_in_hand(scene, who, weapon).gun, other)
    aim = replace(at, distance=0, difficulty=range_difficulty(scene, CLOSE), mods=(*at.mods, *reach))
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
    """Two or more who fight hand to hand, the shooter not among them; somebody must be left to hit."""
    if len(fighters) < 2:
        refuse("a melee has two fighters or more", rule=INTO_MELEE, legal=("shoot",))
    for each in fighters:
        if not {*at_blows_with(scene, each)} & {*fighters}:
            refuse(f"{each} fights none of the others hand to hand", rule=INTO_MELEE, legal=("shoot",))
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


MeleeAim: TypeAlias = Annotated[
    Aim, Fields("distance visibility visibility_dice cover_distance surprised difficulty mods")
]


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
    at: MeleeAim = CLEAR_SHOT,
    penalty_dice: int = 0,
    reach_advantage: tuple[Person, ...] = (),
    burst: bool = False,
) -> MeleeShot:
    """Shoot into a melee: chance says who is hit, unless dice are given up to steer it. A burst hits everybody."""
    careful = (Mod(-penalty_dice, "careful aim", INTO_MELEE),) if penalty_dice else ()
    aim = replace(at, mods=(*at.mods, *careful))
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


@outline(stray_shot, keeps={MeleeShot: ("success", "targets", "fumble"), BurstHit: ("who", "hit")})
def stray_shot_outline(
    scene: Scene,
    decide: Decide,
    who: Person,
    fighters: tuple[Person, ...],
    points: int,
    shot: Shot,
) -> Ends[MeleeShot] | None:
    """Whether it is on target, and who is hit. Where dice are steered, or somebody dodges, it is played."""
    calls, found = KernelCalls.of(decide), WeightedEnds[MeleeShot]()
    needed, come_to = difficulty_of(scene, who, shot), may_be_highest(scene[SIDES], fighters)
    if may_fail(scene, item_of(scene, who, shot.weapon)):
        return None
    for changes, whole, rolls in calls.groups(zone_attack(who, shot), scene):
        to_reach = standing_difficulties(after_all(scene, changes), calls, fighters, shot)
        if points or to_reach is None:
            return None
        alike = Counter[Any]()
        for rolled, ways in rolls:
            margin = 0 if rolled is LEFT_OUT else rolled.total - needed
            luck = LEFT_OUT if rolled is LEFT_OUT else (margin >= 0, is_fumble(scene, rolled.luck, margin))
            alike[luck if luck is LEFT_OUT else (luck, tuple(rolled.total >= each for each in to_reach))] += ways
        for told, ways in alike.items():
            if told is LEFT_OUT:
                found.add(cast(Any, told), changes, ways, whole)
                continue
            (success, fumble), reached = told
            hits = {each: BurstHit(each.name, hit) for each, hit in zip(fighters, reached, strict=True)}
            for group, times in come_to if success else [((), scene[SIDES] ** len(fighters))]:
                result = MeleeShot(success, 0, targets=tuple(hits[each] for each in group), fumble=fumble)
                found.add(result, changes, ways * times, whole * scene[SIDES] ** len(fighters))
    return found.ends()


def may_be_highest(sides: int, fighters: tuple[Person, ...]) -> list[tuple[tuple[Person, ...], int]]:
    """Every group whose dice may be the highest of all, each as high, and the ways of that."""
    groups = (group for size in range(len(fighters)) for group in combinations(fighters, size + 1))
    return [(each, sum(lower ** (len(fighters) - len(each)) for lower in range(sides))) for each in groups]


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


@outline(stray_hits, keeps={BurstHit: ("who", "hit", "reaction")})
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
    alone = {each: burst_outline(scene, decide, who, (each,), shot, attack) for each in fighters}
    if points or any(len(ends) > 1 for ends in alone.values()):
        return None
    dice: Any = left_open("the dice of those at risk")
    hits = {each: hit for each, ((hit, _, _),) in alone.items()}
    come_to = may_be_highest(scene[SIDES], fighters)
    return [((dice, tuple(chain.from_iterable(hits[each] for each in group))), (), ways) for group, ways in come_to]


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
