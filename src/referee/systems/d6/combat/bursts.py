"""Bursts: short bursts at one target or over a zone, and spray fire that keeps a zone under fire."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Final, TypeAlias

from referee.core import (
    Bands,
    Effect,
    Fields,
    Mod,
    Mods,
    Pick,
    Prompt,
    Refused,
    Scene,
    Who,
    alter,
    applying,
    change,
    figure,
    figures,
    formula,
    frozen,
    hand_over,
    lay,
    react,
    refuse,
    rule,
    tell,
)
from referee.core.branches import LEFT_OUT, Changed, unless_left_out
from referee.core.composed import KernelCalls, WeightedEnds, after_all, joined
from referee.core.effects import Extra
from referee.core.questions import Request
from referee.core.rules import Decide, Ends, outline
from referee.kits.dice_codes import Rolled
from referee.systems.d6.character import move
from referee.systems.d6.codes import own_code
from referee.systems.d6.combat.ammunition import check_fire, fire
from referee.systems.d6.combat.cover import HIDDEN, OBSTACLES, breach
from referee.systems.d6.combat.dodges import DODGE, FULL_DODGE, dodge_ways
from referee.systems.d6.combat.preparation import check_whole_round, spend_round
from referee.systems.d6.combat.ranged import (
    CLEAR_SHOT,
    HARMS,
    SHOT,
    Aim,
    Shot,
    ShotResult,
    Target,
    ZoneRoll,
    difficulty_of,
    dodges_of,
    resolve_shot,
    roll_at_range,
    shot_of,
    zone_attack,
    zone_shot,
)
from referee.systems.d6.combat.ranges import check_ranged, check_reach, ranged_weapons, weapon_in_hand
from referee.systems.d6.combat.reactions import check_full, defend, full_reaction, was_hit
from referee.systems.d6.combat.round import FIGHT, AttackKind, fight_action, with_reaction
from referee.systems.d6.combat.surroundings import TERRAINS, scale_mods, terrain_difficulty
from referee.systems.d6.combat.weapons import item_of, short_burst_ammo, spray_fire_ammo, weapon_damage, wield
from referee.systems.d6.damage import DAMAGE_TABLE, check_zone, damage_difference, inflict
from referee.systems.d6.equipment import Weapon, may_fail
from referee.systems.d6.exertion import check_runs
from referee.systems.d6.resolution import check_able, check_skilled, is_fumble, roll_against
from referee.systems.d6.rolls import ROUND_END
from referee.systems.d6.sheet import PIPS_PER_DIE, Hero, Person, SprayZone

BURST: Final = "d6.combat.short-burst"
SPRAY: Final = "d6.combat.spray-fire"
COVERED: Final = "d6.combat.bursts-and-cover"
UNDER_FIRE: Final = Prompt("under-fire")
MOVE_OUT: Final = "move-out"
BURSTS: Final = "short bursts"


@figures(BURST)
class ShortBursts:
    """What width and recoil cost a short burst, and what limits how many there are in a round."""

    width_penalty_per_m: int
    recoil: int
    limited_by: str


@figures(SPRAY)
class SprayFigures:
    """How wide a zone is at least, and what it takes to get out of it or into it."""

    min_width_m: int
    modifier_per_m: int
    courage: str
    movement: tuple[str, ...]
    single_target_scale: int


BLIND_WIDTH: Final = figure(COVERED, "blind_min_width_m", int)


@frozen
class BurstHit:
    """What a burst did to somebody in its zone."""

    who: str
    hit: bool
    reaction: str = ""
    harm: str = ""
    difference: int | None = None


@frozen
class BurstResult:
    """What a burst over a zone came to: whether it was on target, and whom it hit."""

    success: bool
    margin: int
    """Of success (0 or more) or of failure (1 or more)."""
    targets: tuple[BurstHit, ...] = ()
    obstacle: str = ""
    fumble: bool = False
    malfunction: bool = False

    @property
    def hits(self) -> int:
        return sum(each.hit for each in self.targets)


def burst_result(rolled: ZoneRoll) -> BurstResult:
    """A burst by its roll, before it is known whom it hits."""
    return BurstResult(rolled.success, abs(rolled.margin), fumble=rolled.fumble, malfunction=rolled.malfunction)


def burst_band(result: BurstResult | ShotResult) -> str:
    if isinstance(result, ShotResult):
        return SHOT.of(result)
    return "hit" if result.hits else "on-target" if result.success else "miss"


BURST_BANDS: Final[Bands[BurstResult | ShotResult]] = Bands(
    of=burst_band,
    keys=("miss", "on-target", "hit", *HARMS),
    good=("on-target", "hit", *HARMS[1:]),
    bad={"fumble": lambda result: result.fumble},
)


# --- short bursts -----------------------------------------------------------------------------------------------------


@formula(BURST)
def burst_bonus(scene: Scene, index: int, recoil: bool = True) -> int:
    """The dice of a short burst, to be shared between attack and damage."""
    return max(0, index + (scene[ShortBursts].recoil if recoil else 0))


@formula(BURST + "/mods", BURST)
def burst_mods(scene: Scene, dice: int, width: int = 0) -> Mods:
    """What is left of the bonus for the attack, less a die for each metre of width."""
    wide = (Mod(width * scene[ShortBursts].width_penalty_per_m, f"{width} m wide", BURST),) if width else ()
    return (Mod(dice, "short burst", BURST), *wide) if dice else wide


@formula(BURST + "/check", BURST)
def check_burst(
    scene: Scene,
    who: Person,
    weapon: str,
    targets: tuple[Person, ...],
    width: int = 0,
    damage_dice: int = 0,
    cover: int = 0,
) -> None:
    """A weapon that fires bursts, loaded, not too often; the bonus shared; a zone for several targets."""
    found = weapon_in_hand(scene, who, weapon)
    limit = own_code(scene, who, scene[ShortBursts].limited_by).dice
    if applying(scene, who).extra(BURSTS) >= limit:
        refuse(f"at most {limit} short bursts a round: the dice of {scene[ShortBursts].limited_by}", rule=BURST)
    bonus = bonus_of(scene, found)
    if not 0 <= damage_dice <= bonus:
        refuse(f"the burst adds {bonus} dice in all", what=f"{damage_dice} dice of damage", rule=BURST)
    if width < 0 or (width == 0 and len(targets) != 1):
        refuse("several targets need a zone, 1 m wide or more", rule=BURST)
    check_blind(scene, cover, width)


def burst_weapons(scene: Scene, who: Person) -> tuple[str, ...]:
    """Weapons in hand that fire short bursts."""
    return tuple(name for name in ranged_weapons(scene, who) if weapon_in_hand(scene, who, name).short_burst)


def check_burst_weapon(scene: Scene, who: Person, weapon: str) -> None:
    """One that fires bursts, and is loaded."""
    check_ranged(scene, who, weapon)
    check_fire(scene, who, weapon, short_burst_ammo(scene, weapon_in_hand(scene, who, weapon)))


def spray_weapons(scene: Scene, who: Person) -> tuple[str, ...]:
    """Weapons in hand that can spray fire."""
    return tuple(name for name in ranged_weapons(scene, who) if weapon_in_hand(scene, who, name).spray_fire)


def check_spray_weapon(scene: Scene, who: Person, weapon: str) -> None:
    """One that sprays fire, and is loaded."""
    check_ranged(scene, who, weapon)
    check_fire(scene, who, weapon, spray_fire_ammo(scene, weapon_in_hand(scene, who, weapon)))


def bonus_of(scene: Scene, weapon: Weapon) -> int:
    return burst_bonus(scene, weapon.short_burst.modifier if weapon.short_burst else 0, weapon.recoil)


@formula(COVERED)
def check_blind(scene: Scene, cover: int, width: int) -> None:
    """Somebody fully hidden is fired at blindly: over a zone at least 2 m wide."""
    if scene[HIDDEN].at(cover).through and width < scene[BLIND_WIDTH]:
        refuse(f"blind fire needs a zone {scene[BLIND_WIDTH]} m wide", legal=(f"{scene[BLIND_WIDTH]} m or more",))


def check_obstacle(scene: Scene, who: Person, obstacle: str = "", cover: int = 0) -> None:
    """What there is; somebody who is fully hidden is behind something."""
    if obstacle:
        scene[OBSTACLES].look(obstacle)
    elif scene[HIDDEN].at(cover).through:
        refuse("name the obstacle that is shot through", rule=OBSTACLES.rule, legal=scene[OBSTACLES].names)


def through_cover(aim: Aim, *mods: Mod) -> Aim:
    """Bursts go through what somebody stands behind, and need not see them."""
    through = bool(aim.obstacle)
    return replace(aim, shoot_through=through, sees_through=through, mods=(*aim.mods, *mods))


@fight_action(
    "short-burst",
    BURST + "/fire",
    BURST,
    COVERED,
    bands=BURST_BANDS,
    check=(check_reach, check_burst, check_obstacle, check_zone),
)
async def short_burst(
    scene: Scene,
    who: Person,
    weapon: Annotated[str, Pick(burst_weapons, check_burst_weapon)],
    targets: tuple[Target, ...],
    width: int = 0,
    damage_dice: int = 0,
    at: Annotated[
        Aim, Fields(without="shoot_through sees_through exposed_zones crew situation approach space_units system arc")
    ] = CLEAR_SHOT,
    mounted: bool = False,
) -> BurstResult | ShotResult:
    """Fire a short burst: at one target, or at everybody in a zone so many metres wide."""
    found = weapon_in_hand(scene, who, weapon)
    aim = through_cover(at, *burst_mods(scene, bonus_of(scene, found) - damage_dice, width))
    more = (Mod(damage_dice, "short burst", BURST),) if damage_dice else ()
    make = zone_shot if width else shot_of
    shot = make(scene, who, targets[0], weapon, aim)
    shot = replace(shot, damage_mods=(*shot.damage_mods, *more))
    if not await wield(who, weapon, mounted):
        return BurstResult(False, 0)
    await fire(who, weapon, short_burst_ammo(scene, found))
    await lay(who, Effect(Extra(BURSTS), until=ROUND_END), source=BURSTS)
    if not width:
        return await hand_over(resolve_shot(who, targets[0], shot))
    return await hand_over(burst_zone(who, targets, shot))


@rule(BURST + "/zone", BURST, COVERED)
async def burst_zone(scene: Scene, who: Person, targets: tuple[Person, ...], shot: Shot) -> BurstResult:
    """One roll against the range; then everybody in the zone may dodge it, strictly above it."""
    rolled = await roll_at_range(who, shot)
    result = burst_result(rolled)
    if not result.success:
        return result
    if shot.obstacle:
        hole = await breach(who, shot.damage, shot.obstacle, shot.damage_mods, shot.own)
        result = replace(result, obstacle=hole.obstacle)
        shot = replace(shot, damage_mods=(*shot.damage_mods, *hole.mods), harmless=hole.target_damage is None)
    return await hand_over(burst_hits(who, targets, shot, rolled.total), lambda hits: replace(result, targets=hits))


@rule(BURST + "/targets", BURST)
async def burst_hits(
    scene: Scene, who: Person, targets: tuple[Person, ...], shot: Shot, attack: int
) -> tuple[BurstHit, ...]:
    """Everybody whom a burst reaches, one after the other."""
    *others, last = targets
    hits = [await under_burst(who, each, shot, attack) for each in others]
    return await hand_over(under_burst(who, last, shot, attack), lambda hit: (*hits, hit))


def burst_outline(
    scene: Scene,
    decide: Decide,
    who: Person,
    targets: tuple[Person, ...],
    shot: Shot,
    attack: int,
) -> list[tuple[tuple[BurstHit, ...], Changed, int]]:
    """Who is hit; what the damage does to them is left open."""
    calls, found = KernelCalls.of(decide), WeightedEnds[tuple[BurstHit, ...]]()
    found.add((), (), 1, 1)
    for target in targets:
        before, found = found.ends(), WeightedEnds[tuple[BurstHit, ...]]()
        whole = sum(ways for _, _, ways in before)
        for hits, changes, ways in before:
            now = after_all(scene, changes)
            dodges = defend(target, AttackKind.RANGED, shot.difficulty, dodges_of(now, target, shot))
            for more, of, defenses in calls.groups(dodges, now):
                for each, times in defenses:
                    lost = hits is LEFT_OUT or each is LEFT_OUT
                    hit = not lost and attack >= each.difficulty
                    all_hits = LEFT_OUT if lost else (*hits, BurstHit(target.name, hit, each.reaction))
                    later = joined(joined(changes, more), hit_in_fight(after_all(now, more), target) if hit else ())
                    found.add(all_hits, later, ways * times, whole * of)
    return found.ends()


outline(burst_hits, keeps={BurstHit: ("who", "hit", "reaction")})(burst_outline)


def hit_in_fight(scene: Scene, who: Person) -> Changed:
    """What `was_hit` changes, for outlines."""
    return ((FIGHT, scene[FIGHT].hitting(who.name)),) if FIGHT in scene else ()


@rule(BURST + "/target", BURST)
async def under_burst(scene: Scene, who: Person, target: Person, shot: Shot, attack: int) -> BurstHit:
    """Somebody in the zone of a burst: a dodge strictly above the attack is safe, everybody else takes the damage."""
    defense = await defend(target, AttackKind.RANGED, shot.difficulty, dodges_of(scene, target, shot))
    if attack < defense.difficulty or shot.harmless:
        return BurstHit(target.name, attack >= defense.difficulty, defense.reaction)
    await was_hit(target)
    dealt = damage_difference(target, shot.damage, shot.damage_mods, by=who, own=shot.own, resist_mods=shot.resist_mods)
    return await hand_over(
        dealt,
        read=lambda difference: burst_hit(scene, target, defense.reaction, difference),
        then=lambda struck: inflict(target, struck.harm, shot.stun),
    )


@outline(under_burst, keeps={BurstHit: ("who", "hit", "reaction")})
def under_burst_outline(
    scene: Scene, decide: Decide, who: Person, target: Person, shot: Shot, attack: int
) -> Ends[BurstHit]:
    """Whether somebody is hit; what the damage does is left open."""
    ends = burst_outline(scene, decide, who, (target,), shot, attack)
    return [(unless_left_out(hits, lambda all_hits: all_hits[0]), changes, ways) for hits, changes, ways in ends]


def burst_hit(scene: Scene, target: Person, reaction: str, difference: int) -> BurstHit:
    """Somebody is hit by so much more than they resist."""
    return BurstHit(target.name, True, reaction, scene[DAMAGE_TABLE].at(difference).name, difference)


# --- spray fire -------------------------------------------------------------------------------------------------------


@formula(SPRAY + "/movement", SPRAY)
def movement_difficulty(scene: Scene, terrain: str, modifier: int, width: int) -> int:
    """What it takes to get out of a zone under fire: the terrain, and the weapon's modifier, less where it is wide."""
    return terrain_difficulty(scene, terrain) + modifier + width * scene[SprayFigures].modifier_per_m


@formula(SPRAY + "/single", SPRAY)
def is_single(scene: Scene, width: int, targets: tuple[Person, ...]) -> bool:
    """Whether all of it is for one target: one person in the narrowest zone."""
    return len(targets) == 1 and width == scene[SprayFigures].min_width_m


def check_spray(scene: Scene, who: Person, width: int = 1, cover: int = 0) -> None:
    """Over a zone at least 1 m wide."""
    if width < scene[SprayFigures].min_width_m:
        refuse(f"the zone is at least {scene[SprayFigures].min_width_m} m wide", rule=SPRAY)
    check_blind(scene, cover, width)


SprayAim: TypeAlias = Annotated[
    Aim, Fields("distance cover obstacle visibility visibility_dice cover_distance difficulty mods")
]


@fight_action(
    "spray-fire",
    SPRAY + "/fire",
    SPRAY,
    COVERED,
    bands=BURST_BANDS,
    check=(check_whole_round, check_reach, check_spray, check_obstacle),
)
async def spray_fire(
    scene: Scene,
    who: Person,
    weapon: Annotated[str, Pick(spray_weapons, check_spray_weapon)],
    targets: tuple[Target, ...],
    width: int = 1,
    terrain: Annotated[str, TERRAINS] = "Clear",
    at: SprayAim = CLEAR_SHOT,
    mounted: bool = False,
) -> BurstResult:
    """Keep a zone under fire, this round and until one stops; whoever is inside gets out or is hit."""
    scale = scene[SprayFigures].single_target_scale + 1 if is_single(scene, width, targets) else 1
    aim = through_cover(at, *scale_mods(scene, "fire", scale, 1))
    aim = replace(aim, target_scale=weapon_in_hand(scene, who, weapon).scale)
    shot = zone_shot(scene, who, targets[0], weapon, aim)
    modifier = spray_of(scene, who, weapon)
    zone = SprayZone(
        weapon, width, movement_difficulty(scene, terrain, modifier, width), modifier, scale=scale,
        inside=tuple(each.name for each in targets), cover_distance=at.cover_distance, wound=scene[who].wound,
    )  # fmt: skip
    await spend_round(who)
    if not await wield(who, weapon, mounted):
        return BurstResult(False, 0)
    await fire(who, weapon, spray_fire_ammo(scene, weapon_in_hand(scene, who, weapon)))
    return await hand_over(hold_zone(who, zone, shot))


def spray_of(scene: Scene, who: Person, weapon: str) -> int:
    """The modifier of a weapon's spray fire."""
    found = weapon_in_hand(scene, who, weapon).spray_fire
    return found.modifier if found else 0


@rule(SPRAY + "/zone", SPRAY, COVERED)
async def hold_zone(scene: Scene, who: Person, zone: SprayZone, shot: Shot) -> BurstResult:
    """A roll against the range; a success holds the zone, and those inside get out or are hit."""
    rolled = await roll_at_range(who, shot)
    result = burst_result(rolled)
    if not result.success:
        return result
    if shot.obstacle:
        hole = await breach(who, shot.damage, shot.obstacle, shot.damage_mods, shot.own)
        result = replace(result, obstacle=hole.obstacle)
        zone = replace(zone, difficulty=rolled.total, lost=hole.target_damage)
    await alter(who, Hero.spraying_at, zone)
    return await hand_over(sweep(who, zone), lambda hits: replace(result, targets=hits))


@outline(hold_zone, keeps={BurstResult: ("success", "targets", "fumble"), BurstHit: ("who", "hit")})
def zone_outline(scene: Scene, decide: Decide, who: Person, zone: SprayZone, shot: Shot) -> Ends[BurstResult] | None:
    """Where nobody gets out, everybody is hit; what the damage does to them is left open."""
    inside = tuple(Who(name, Hero) for name in zone.inside)
    weak = may_fail(scene, item_of(scene, who, shot.weapon))
    if shot.obstacle or weak or any(decide(offer_way_out(scene, each, zone), scene) is not None for each in inside):
        return None
    needed, found = difficulty_of(scene, who, shot), WeightedEnds[BurstResult]()

    def swept(rolled: Rolled) -> BurstResult:
        hits = tuple(BurstHit(each.name, True) for each in inside) if rolled.total >= needed else ()
        return BurstResult(bool(hits), 0, hits, fumble=is_fumble(scene, rolled.luck, rolled.total - needed))

    for rolled, _, ways, whole in KernelCalls.of(decide).ends(zone_attack(who, shot), scene):
        found.add(unless_left_out(rolled, swept), (), ways, whole)
    return found.ends()


@rule(SPRAY + "/sweep", SPRAY)
async def sweep(scene: Scene, who: Person, zone: SprayZone) -> tuple[BurstHit, ...]:
    """Everybody inside the zone gets out, or is hit."""
    if not zone.inside:
        return ()
    *others, last = zone.inside
    hits = [await in_zone(who, Who(name, Hero), zone) for name in others]
    return await hand_over(in_zone(who, Who(last, Hero), zone), read=lambda hit: (*hits, hit))


RAKED: Final[Bands[BurstHit]] = Bands(of=lambda found: "hit" if found.hit else "safe", keys=("hit", "safe"))


@rule(SPRAY + "/inside", SPRAY, bands=RAKED)
async def in_zone(scene: Scene, who: Person, target: Person, zone: SprayZone) -> BurstHit:
    """Movement, or a full dodge where there is cover near enough, saves for this round."""
    way = await offer_way_out(scene, target, zone)
    saved = False
    if way == MOVE_OUT:
        saved = await move_out(target, zone.difficulty)
    elif way == FULL_DODGE:
        saved = await dive(target, zone.difficulty, zone.cover_distance)
    if saved or zone.lost is None:
        return BurstHit(target.name, not saved, way or "")
    return await hand_over(spray_hits(who, target, zone, way or ""))


def offer_way_out(scene: Scene, target: Person, zone: SprayZone) -> Request[str | None]:
    ways = (MOVE_OUT, FULL_DODGE)
    return react(target, UNDER_FIRE, ways, check=lambda each: check_way_out(scene, target, zone, each))


@formula(SPRAY + "/check-way-out", SPRAY)
def check_way_out(scene: Scene, target: Person, zone: SprayZone, way: str) -> None:
    """Whoever can run may move; a full dodge takes cover within cruise speed, before one's first rank."""
    check_able(scene, target)
    if FIGHT in scene and target.name in scene[FIGHT].surprised:
        refuse(f"{target} is surprised", rule="d6.combat.surprise")
    if way == MOVE_OUT:
        check_runs(scene, target)
    if way == FULL_DODGE:
        check_skilled(scene, target)
        applying(scene, target).check_allowed("dodge")
        check_full(scene, target)
        if zone.cover_distance >= move(scene, target):
            refuse("there is no cover within cruise speed", rule=SPRAY)


@rule(SPRAY + "/move", SPRAY)
async def move_out(scene: Scene, target: Person, difficulty: int) -> bool:
    """A Movement roll: on foot Running or Acrobatics, whichever is better."""
    if FIGHT in scene:
        for value, now in with_reaction(scene, target, added=False):
            await change(value, now, rule="d6.combat.adapting-actions")
    return (await roll_against(target, movement_ability(scene, target), difficulty)).success


def movement_ability(scene: Scene, who: Person) -> str:
    """What somebody on foot moves with: the best of those there are."""
    per_die = scene[PIPS_PER_DIE]
    return max(scene[SprayFigures].movement, key=lambda name: own_code(scene, who, name).in_pips(per_die))


@rule(SPRAY + "/dive", SPRAY)
async def dive(scene: Scene, target: Person, difficulty: int, cover_distance: float) -> bool:
    """A full dodge that equals or beats the difficulty of the movement."""
    mods = dodge_ways(scene, target, cover_distance)[-1].mods
    dodged = await full_reaction(target, AttackKind.RANGED, DODGE, mods)
    return dodged >= difficulty


@rule(SPRAY + "/hit", SPRAY)
async def spray_hits(scene: Scene, who: Person, target: Person, zone: SprayZone, way: str = "") -> BurstHit:
    """The damage of the weapon; for a single target two scales more of it."""
    dealt = weapon_damage(scene, who, zone.weapon)
    lost = (Mod(zone.lost, "through the obstacle", COVERED),) if zone.lost else ()
    mods = (*dealt.mods, *scale_mods(scene, "damage", zone.scale, 1), *lost)
    await was_hit(target)
    return await hand_over(
        damage_difference(target, dealt.weapon, mods, by=who, own=dealt.own),
        read=lambda difference: burst_hit(scene, target, way, difference),
        then=lambda struck: inflict(target, struck.harm, dealt.stun),
    )


# --- a zone that is held ----------------------------------------------------------------------------------------------


def held_zone(scene: Scene, who: Person) -> SprayZone | None:
    """The zone that somebody still keeps under fire: a wound ends it."""
    zone = scene[who].spraying
    if zone is None or zone.wound != scene[who].wound or scene[who].unconscious is not None:
        return None
    return zone


@rule(SPRAY + "/goes-on", SPRAY)
async def spray_goes_on(scene: Scene, who: Person) -> tuple[BurstHit, ...]:
    """In the next round the fire goes on before anybody acts, as long as there are rounds."""
    zone = held_zone(scene, who)
    if zone is None or not can_fire(scene, who, zone.weapon, ammo_of(scene, who, zone)):
        await cease_fire(who)
        return ()
    await fire(who, zone.weapon, ammo_of(scene, who, zone))
    return await hand_over(sweep(who, zone))


def ammo_of(scene: Scene, who: Person, zone: SprayZone) -> int:
    """The rounds that a zone takes each round."""
    return spray_fire_ammo(scene, weapon_in_hand(scene, who, zone.weapon))


def can_fire(scene: Scene, who: Person, weapon: str, rounds: int) -> bool:
    """Whether a weapon may fire so many rounds now."""
    try:
        check_fire(scene, who, weapon, rounds)
    except Refused:
        return False
    return True


@rule(SPRAY + "/cease", SPRAY)
async def cease_fire(scene: Scene, who: Person) -> None:
    """The zone is free again."""
    await alter(who, Hero.spraying_at, None)
    await tell("ceases-fire", who=who)


def check_spraying(scene: Scene, who: Person) -> None:
    if held_zone(scene, who) is None:
        refuse(f"{who} keeps no zone under fire", rule=SPRAY, legal=("spray-fire",))


@fight_action("keep-spraying", SPRAY + "/keep", SPRAY, check=check_spraying, free=True)
async def keep_spraying(scene: Scene, who: Person) -> None:
    """Keep the zone under fire for this round too, and do nothing else."""
    await spend_round(who)


@fight_action("stop-spraying", SPRAY + "/stop", SPRAY, check=check_spraying, free=True)
async def stop_spraying(scene: Scene, who: Person) -> None:
    """Cease fire, which costs nothing."""
    await cease_fire(who)


def sprayers(scene: Scene, who: Person) -> tuple[Person, ...]:
    return tuple(each for each in scene.all(Hero) if each != who and held_zone(scene, each))


@frozen
class Crossing:
    """Whether somebody dared to enter a zone under fire, and came through."""

    dared: bool
    safe: bool = False
    harm: str = ""


CROSSED: Final[Bands[Crossing]] = Bands(
    of=lambda found: "safe" if found.safe else "hit" if found.dared else "daunted", keys=("safe", "daunted", "hit")
)


@fight_action("cross-zone", SPRAY + "/cross", SPRAY, bands=CROSSED, check=check_runs)
async def cross_zone(
    scene: Scene, who: Person, shooter: Annotated[Person, Pick(sprayers)], mods: Mods = ()
) -> Crossing:
    """Enter or cross a zone under fire: one has to dare it, and then to get through."""
    zone = held_zone(scene, shooter)
    if zone is None:
        refuse(f"{shooter} keeps no zone under fire", rule=SPRAY)
    if not (await roll_against(who, scene[SprayFigures].courage, zone.courage)).success:
        return Crossing(dared=False)
    if (await roll_against(who, movement_ability(scene, who), zone.difficulty, mods)).success or zone.lost is None:
        return Crossing(dared=True, safe=True)
    struck = await spray_hits(shooter, who, zone)
    return Crossing(dared=True, harm=struck.harm)
