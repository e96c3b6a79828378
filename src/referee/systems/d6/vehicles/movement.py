"""Movement of a round: how hard it is, the roll for control, and what comes of a roll that misses."""

from __future__ import annotations

from typing import Annotated, Final, TypeAlias

from referee.core import (
    DIFFICULTY,
    PIPS,
    Bands,
    Call,
    Effect,
    Grouped,
    Mod,
    Mods,
    Pick,
    Prompt,
    Scene,
    action,
    applying,
    figure,
    figures,
    formula,
    frozen,
    hand_over,
    lay,
    option,
    refuse,
    rows,
    rule,
    rule_on,
    suggest,
    tell,
    total,
)
from referee.core.effects import EFFECTS, Adds, Effects
from referee.kits.dice_codes import Code
from referee.systems.d6.codes import code_mods, own_code
from referee.systems.d6.combat.charges import impact_damage
from referee.systems.d6.combat.surroundings import (
    TERRAINS,
    VISIBILITIES,
    scale_mods,
    terrain_difficulty,
    visibility_mods,
)
from referee.systems.d6.damage import hit, inflict
from referee.systems.d6.resolution import (
    Difficulty,
    TestResult,
    check_able,
    check_skill,
    multiple_actions,
    roll_against,
)
from referee.systems.d6.rolls import ACTION, ANY_ROLL, ROUND_END
from referee.systems.d6.sheet import PIPS_PER_DIE, Person
from referee.systems.d6.time import rounds_of
from referee.systems.d6.vehicles.crews import check_workable, reduced_crew_mods
from referee.systems.d6.vehicles.damage import DESTROYED, damage_vehicle, take_hit
from referee.systems.d6.vehicles.maneuvers import (
    FAR_APART,
    MANEUVERS,
    SIMPLIFIED,
    Maneuvering,
    actual_speed,
    check_maneuver,
    climbs_freely,
    declared_speed,
    goes_all_the_way,
    maneuvers,
    speed_afterwards,
)
from referee.systems.d6.vehicles.motion import STOP
from referee.systems.d6.vehicles.movers import (
    TERMS,
    Mover,
    check_steers,
    motion_of,
    mover_of,
    people_with,
    piloting_skill,
    scale_of_mover,
    set_motion,
)
from referee.systems.d6.vehicles.planes import PlaneOnGround, brakes_freely, in_flight, on_runway, runway_mods
from referee.systems.d6.vehicles.posts import load_aboard
from referee.systems.d6.vehicles.speeds import (
    ALWAYS,
    CHOICE,
    IF_DIFFICULT,
    SPEEDS,
    SUMMARY,
    OffRoad,
    StartUp,
    check_speed,
    distance_at,
    is_boosted,
    is_start_up,
    least_distance,
    rank_of,
    speeds,
    suffers_off_road,
)
from referee.systems.d6.vehicles.systems import MANEUVERABILITY, PILOTING
from referee.systems.d6.vehicles.vehicle import Vehicle
from referee.systems.d6.work import check_no_fight, take_time
from referee.systems.d6.wounds import DEAD

TERRAIN: Final = TERRAINS.rule
OVERLOAD: Final = "d6.vehicle.cargo-overload"
JOURNEYS: Final = "d6.movement.long-journeys"
COMBINING: Final = "d6.movement.combining"
MISHAPS_RULE: Final = "d6.movement.failed-roll"
DELAY: Final = Prompt("delay")
IN_CONTROL: Final = "In control"
HELM: Final = "Helm"


@frozen
class MovementMishap:
    """What a missed roll does, by the margin of failure."""

    name: str
    says: str
    share: int = 100
    """How much of the way is made all the same, in percent."""
    penalty: int = 0
    penalty_next: int = 0
    rounds: int = 0
    """How long it is out of control; for what would hit something, if there is nothing to hit."""
    collides: int | None = None
    """Dice more, or less, than the damage of an impact."""


@frozen
class CombinedWay:
    """How several kinds of movement are combined in one round."""

    name: str
    action_each: bool = False
    worst: bool = False


@figures(OVERLOAD)
class Overload:
    """How much harder piloting is with too much aboard, for each full share of too much."""

    difficulty: int
    per_percent: int


@figures("d6.plane.stall")
class Stall:
    """Below which speed a plane stalls, how hard it is to catch, and how fast it is then."""

    below: str
    difficulty: str
    per_failure: int
    regains: str


SHAKEN: Final = option("d6.movement.onboard-effects")
BOOSTER_DIFFICULTY: Final = figure("d6.plane.take-off", "booster_difficulty", int)
MISHAPS: Final = rows(MISHAPS_RULE, "rows", MovementMishap, by=("min", "max"))
WAYS: Final = rows(COMBINING, "ways", CombinedWay)

Terrain: TypeAlias = Annotated[str, TERRAINS]


def sights(scene: Scene, who: object) -> tuple[str, ...]:
    return ("", *scene[VISIBILITIES].names)


def combined_ways(scene: Scene, who: object) -> tuple[str, ...]:
    return ("", *scene[WAYS].names)


@frozen
class DriveCourse:
    """What a round of movement leads through, and what else counts."""

    terrain: Terrain = "Clear"
    off_road: bool = False
    obstacle: bool = True
    """Whether there is something near to run into."""
    attraction: bool = True
    """Whether a planet attracts: without one, climbs and dives change no speed."""
    visibility: Annotated[str, Pick(sights, seldom=True)] = ""
    visibility_dice: int = 0
    others: int = 0
    """Further actions that the pilot has declared."""
    combined: tuple[str, ...] = ()
    """Further skills that the movement takes, such as Jumping after Running."""
    combining: Annotated[str, Pick(combined_ways, seldom=True)] = ""
    harder: int = 0
    """What the game master adds, or what an invented maneuver does."""
    mods: Mods = ()


CLEAR: Final = DriveCourse()


@frozen
class Drive:
    """A round of movement: the speed, the maneuvers, and what it leads through."""

    speed: str
    maneuvers: tuple[str, ...] = ()
    course: DriveCourse = CLEAR

    @property
    def of(self) -> Maneuvering:
        return Maneuvering(self.speed, self.maneuvers, self.course.attraction)


# --- how hard it is ---------------------------------------------------------------------------------------------------


@formula(OVERLOAD, "d6.equipment.vehicle-autonomy-cargo")
def overload_mods(scene: Scene, mover: Mover) -> Mods:
    """What too much mass and too much volume aboard add, each by itself."""
    value, of = scene[mover], scene[Overload]
    if not isinstance(value, Vehicle):
        return ()
    loads = (
        (load_aboard(scene, mover), value.cargo, "too heavy"),
        (value.load_volume, value.cargo_volume, "too bulky"),
    )
    found = ((100 * (load - most) // most // of.per_percent, why) for load, most, why in loads if load > most > 0)
    return tuple(Mod(steps * of.difficulty, why, OVERLOAD, unit=DIFFICULTY) for steps, why in found if steps)


@formula("d6.maneuver.table/mods", "d6.maneuver.table", "d6.maneuver.other")
def maneuver_mods(scene: Scene, mover: Mover, drive: Drive) -> Mods:
    """What each maneuver adds to the difficulty; a vehicle may ease some of them."""
    value = scene[mover]
    eased = value.eases if isinstance(value, Vehicle) else {}
    named = tuple(name for name in drive.maneuvers if not climbs_freely(scene, mover, name, drive.speed))
    found = ((scene[MANEUVERS][name], eased.get(name, 0)) for name in named)
    return (
        *runway_difficulties(scene, mover, drive),
        *(
            Mod(row.adds + ease, row.name, scene[MANEUVERS].rule_of(row.name), unit=DIFFICULTY)
            for row, ease in found
            if row.adds + ease
        ),
    )


@formula("d6.plane.ground/maneuvers", "d6.plane.ground", "d6.plane.stol")
def runway_difficulties(scene: Scene, mover: Mover, drive: Drive) -> Mods:
    """Above Cautious speed each maneuver of a plane on the ground is harder; what needs little room brakes freely."""
    slow = rank_of(scene, drive.speed) <= rank_of(scene, scene[PlaneOnGround].above)
    if slow or not on_runway(scene, mover):
        return ()
    free = brakes_freely(scene, mover)
    return runway_mods(scene, tuple(name for name in drive.maneuvers if not (free and scene[MANEUVERS][name].brakes)))


@formula(
    f"{TERRAIN}/mods", TERRAIN, SUMMARY, "d6.movement.off-road", "d6.vehicle.start-up", "d6.movement.other-modifiers"
)
def difficulty_mods(scene: Scene, mover: Mover, drive: Drive) -> Mods:
    """What a round adds to the difficulty of its terrain: speed, maneuvers, a hasty start, the road left, the load."""
    row = scene[SPEEDS][declared_speed(scene, drive.of)]
    found = [(row.adds, row.name, row.rule), (drive.course.harder, "circumstances", "d6.maneuver.other")]
    if is_start_up(scene, mover, drive.speed):
        found.append((scene[StartUp].difficulty, "hasty start", "d6.vehicle.start-up"))
    if is_boosted(scene, mover, drive.speed):
        found.append((scene[BOOSTER_DIFFICULTY], "booster", "d6.plane.take-off"))
    if suffers_off_road(scene, mover, drive.course.off_road):
        found.append((scene[OffRoad].difficulty, "off the road", "d6.movement.off-road"))
    own = tuple(Mod(amount, why, because, unit=DIFFICULTY) for amount, why, because in found if amount)
    crew = reduced_crew_mods(scene, mover, HELM) if isinstance(scene[mover], Vehicle) else ()
    given = tuple(mod for mod in drive.course.mods if mod.unit == DIFFICULTY)
    return (*maneuver_mods(scene, mover, drive), *own, *overload_mods(scene, mover), *crew, *given)


@formula(f"{TERRAIN}/movement", TERRAIN, SUMMARY)
def movement_difficulty(scene: Scene, mover: Mover, drive: Drive) -> int:
    """Terrain, maneuvers, speed and all other modifiers; 0 or less takes no roll where the speed says so."""
    return terrain_difficulty(scene, drive.course.terrain) + total(difficulty_mods(scene, mover, drive))


@formula(f"{SUMMARY}/rolls", SUMMARY, "d6.movement.stop", "d6.movement.cautious", "d6.movement.cruise")
def takes_roll(scene: Scene, mover: Mover, drive: Drive) -> bool:
    """Fast movement always takes a roll, slow movement only where it is difficult."""
    when = scene[SPEEDS][declared_speed(scene, drive.of)].rolls
    return when == ALWAYS or (when == IF_DIFFICULT and movement_difficulty(scene, mover, drive) > 0)


# --- with what it is rolled -------------------------------------------------------------------------------------------


@formula("d6.vehicle.maneuverability", TERMS)
def maneuverability_mods(scene: Scene, mover: Mover, against: int | None = None) -> Mods:
    """Maneuverability as it is now, with damage, and with scale against an opponent of another one."""
    value = scene[mover]
    own = value.maneuverability if isinstance(value, Vehicle) else Code()
    shown = code_mods(own, MANEUVERABILITY, "d6.vehicle.maneuverability") if own != Code() else ()
    scale = scale_mods(scene, MANEUVERABILITY, scale_of_mover(scene, mover), against) if against is not None else ()
    damaged = applying(scene, mover, PILOTING, MANEUVERABILITY).mods if isinstance(value, Vehicle) else ()
    return (*shown, *scale, *damaged)


@formula(
    "d6.movement.high/actions", "d6.movement.high", "d6.movement.all-out", "d6.movement.cruise", "d6.movement.cautious"
)
def control_actions(scene: Scene, drive: Drive) -> int:
    """How many actions control counts as; with several kinds of movement, one more for each."""
    more = (
        len(drive.course.combined) if drive.course.combining and scene[WAYS][drive.course.combining].action_each else 0
    )
    return scene[SPEEDS][declared_speed(scene, drive.of)].actions + more


@formula("d6.movement.other-modifiers", "d6.core.multiple-actions")
def control_mods(scene: Scene, who: Person, mover: Mover, drive: Drive) -> Mods:
    """Everything that changes the roll for control, besides health: several actions, sight, damage."""
    sight = visibility_mods(scene, who, drive.course.visibility, drive.course.visibility_dice)
    given = tuple(mod for mod in drive.course.mods if mod.unit != DIFFICULTY)
    several = (
        ()
        if counts_already(scene, who)
        else multiple_actions(scene, control_actions(scene, drive) + drive.course.others)
    )
    return (*maneuverability_mods(scene, mover), *several, *sight, *given)


def counts_already(scene: Scene, who: Person) -> bool:
    """Whether the actions of this round have been declared, and are laid on whoever acts."""
    laid = scene.get(EFFECTS, Effects()).lasting
    return any(each.on == who.name and each.rule == "d6.core.multiple-actions-rounds" for each in laid)


@formula(COMBINING)
def control_skill(scene: Scene, who: Person, mover: Mover, course: DriveCourse) -> str:
    """What control is rolled with; of several kinds of movement, the worst skill, if that is how they are combined."""
    own = piloting_skill(scene, mover, who)
    if not course.combining or not scene[WAYS][course.combining].worst:
        return own
    return min((own, *course.combined), key=lambda each: own_code(scene, who, each).in_pips(scene[PIPS_PER_DIE]))


# --- control ----------------------------------------------------------------------------------------------------------


@frozen
class ControlResult:
    """How a round of movement went: what it came to, by which margin, how fast it is then, and how far it may go."""

    result: str
    margin: int
    speed: str
    metres: float = 0
    least: float = 0
    difficulty: int = 0

    @property
    def in_control(self) -> bool:
        return self.result == IN_CONTROL


MISHAP_KEYS: Final = ("slight-slip", "slip", "spin", "minor-collision", "collision", "major-collision")
CONTROLLED: Final[Bands[ControlResult]] = Bands(
    of=lambda found: found.result.casefold().replace(" ", "-"), keys=("in-control", *MISHAP_KEYS), good=("in-control",)
)


@rule(CHOICE, "d6.movement.high", "d6.movement.all-out", bands=CONTROLLED)
async def control(scene: Scene, who: Person, mover: Mover, drive: Drive) -> ControlResult:
    """One piloting roll for the speed and all maneuvers of a round; none where that is easy enough."""
    if not takes_roll(scene, mover, drive):
        return await hand_over(easy_control(mover, drive), then=lambda found: move_on(mover, drive, found))
    mods = (*control_mods(scene, who, mover, drive), *difficulty_mods(scene, mover, drive))
    needed = terrain_difficulty(scene, drive.course.terrain)
    using, tags = control_skill(scene, who, mover, drive.course), (ACTION, ANY_ROLL, PILOTING)
    return await hand_over(
        roll_against(who, using, needed, mods, tags),
        read=lambda test: controlled(scene, mover, drive, test),
        then=lambda found: move_on(mover, drive, found),
    )


@rule("d6.movement.cautious", "d6.movement.cruise", "d6.movement.stop")
async def easy_control(scene: Scene, mover: Mover, drive: Drive) -> ControlResult:
    """Slow enough for the terrain: nothing is rolled."""
    return as_planned(scene, mover, drive, 0)


@formula(f"{CHOICE}/result", CHOICE, MISHAPS_RULE)
def controlled(scene: Scene, mover: Mover, drive: Drive, test: TestResult) -> ControlResult:
    """In control, or what the margin of failure makes of it."""
    if test.success:
        return as_planned(scene, mover, drive, test.margin)
    return missed_by(scene, mover, drive, test.margin)


def as_planned(scene: Scene, mover: Mover, drive: Drive, margin: int) -> ControlResult:
    whole = distance_at(scene, mover, actual_speed(scene, drive.of), drive.course.off_road)
    least = least_distance(scene, whole, goes_all_the_way(scene, drive.of))
    needed = movement_difficulty(scene, mover, drive)
    return ControlResult(IN_CONTROL, margin, speed_afterwards(scene, drive.of), whole, least, needed)


@formula(f"{MISHAPS_RULE}/margin", MISHAPS_RULE)
def missed_by(scene: Scene, mover: Mover, drive: Drive, margin: int) -> ControlResult:
    """What a margin of failure makes of a movement; what hits something stands still afterwards."""
    row = scene[MISHAPS].at(margin)
    whole = distance_at(scene, mover, actual_speed(scene, drive.of), drive.course.off_road) * row.share / 100
    stands = row.collides is not None and drive.course.obstacle
    speed = STOP if stands else speed_afterwards(scene, drive.of)
    return ControlResult(row.name, -margin, speed, whole, whole, movement_difficulty(scene, mover, drive))


@rule(f"{CHOICE}/moves", CHOICE, MISHAPS_RULE)
async def move_on(scene: Scene, mover: Mover, drive: Drive, found: ControlResult) -> None:
    """It has its new speed and has covered its way; what got out of control hinders or hurts those who move with it."""
    at = actual_speed(scene, drive.of)
    await set_motion(mover, motion_of(scene, mover).moved(found.speed, found.metres, found.least))
    await tell("moves", mover=mover.name, speed=at, metres=found.metres, result=found.result)
    if stalls(scene, mover):
        await stall(mover)
    if not found.in_control:
        await mishap(mover, found.result, distance_at(scene, mover, at, drive.course.off_road), drive.course.obstacle)
    if found.difficulty and scene[SHAKEN]:
        await shaken_aboard(mover, found.difficulty)


@formula("d6.plane.stall/stalls", "d6.plane.stall")
def stalls(scene: Scene, mover: Mover) -> bool:
    """Whether a plane is too slow to stay in the air; what has stalled already does not stall again."""
    now = motion_of(scene, mover)
    slow = rank_of(scene, now.speed) < rank_of(scene, scene[Stall].below)
    return in_flight(scene, mover) and slow and now.stalled is None


@rule("d6.plane.stall")
async def stall(scene: Scene, mover: Mover) -> None:
    """It falls, and its pilot may try to catch it from the next round on."""
    await set_motion(mover, motion_of(scene, mover).stalling(0))
    await tell("stalls", mover=mover.name)


# --- what comes of a missed roll --------------------------------------------------------------------------------------


@rule(MISHAPS_RULE)
async def mishap(scene: Scene, mover: Mover, result: str, speed: float, obstacle: bool) -> None:
    """Everybody who moves with it is hindered in this round and the next; it spins, or hits something."""
    row = scene[MISHAPS].look(result)
    for who in people_with(scene, mover):
        if once := row.penalty - row.penalty_next:
            await hinder(who, once, row.name)
        if row.penalty_next:
            await hinder(who, row.penalty_next, f"{row.name}, and after it", 2)
    if row.collides is not None and obstacle:
        await collide(mover, speed, row.collides)
    elif row.rounds:
        await set_motion(mover, motion_of(scene, mover).out_of_control(row.rounds))
        await tell("spins", mover=mover.name, rounds=row.rounds)


def hinder(who: Person, dice: int, why: str, rounds: int = 1) -> Call[None]:
    """All actions are so many dice harder until the round ends, or the one after it."""
    effect = Effect(Adds(dice), frozenset({ACTION}), until=ROUND_END, times_until=rounds)
    return lay(who, effect, source=why)


@rule(f"{MISHAPS_RULE}/collide", MISHAPS_RULE, "d6.maneuver.ramming-damage", "d6.movement.body-attribute")
async def collide(scene: Scene, mover: Mover, speed: float, dice: int = 0) -> None:
    """It hits something that stands still: damage as for ramming, by its own speed."""
    damage = impact_damage(scene, int(speed))
    await tell("collides", mover=mover.name)
    await impact(mover, damage, (Mod(dice, "collision", MISHAPS_RULE),) if dice else ())


@rule("d6.vehicle.body/impact", "d6.vehicle.body", "d6.movement.body-attribute", "d6.scale.simplified")
async def impact(scene: Scene, mover: Mover, damage: Code, mods: Mods = (), scale: int | None = None) -> str:
    """Damage to a mover: a vehicle resists with Body, and people aboard suffer with it; anybody else with Strength."""
    own, is_vehicle = scale_of_mover(scene, mover), isinstance(scene[mover], Vehicle)
    if scale is not None and scene[SIMPLIFIED] and scale - own >= scene[FAR_APART]:
        await (take_hit(mover, DESTROYED) if is_vehicle else inflict(mover, DEAD))
        return DESTROYED
    if is_vehicle:
        return (await damage_vehicle(mover, damage, mods, scale)).result
    more = scale_mods(scene, "damage", scale, own) if scale is not None else ()
    resist = scale_mods(scene, "body", own, scale) if scale is not None else ()
    return (await hit(mover, damage, (*mods, *more), resist_mods=resist)).result


# --- people aboard ----------------------------------------------------------------------------------------------------


@figures("d6.movement.onboard-effects")
class OnboardEffects:
    """What a hard ride does to people aboard."""

    least: int
    damage: Code
    per_points: int
    per_points_damage: Code
    per_remainder: int
    per_remainder_damage: Code
    strapped_dice: int
    jumpsuit_dice: int
    jumpsuit: str
    penalty: int
    penalty_pips_per_points: int
    piloting: tuple[str, ...]
    front: str


@formula("d6.movement.onboard-effects/damage", "d6.movement.onboard-effects")
def ride_damage(scene: Scene, difficulty: int) -> Code | None:
    """The damage of a hard ride: more for every five points, and a pip for every two of what is left."""
    of, more = scene[OnboardEffects], difficulty - scene[OnboardEffects].least
    if more < 0:
        return None
    steps, rest = divmod(more, of.per_points)
    return of.damage + of.per_points_damage * steps + of.per_remainder_damage * (rest // of.per_remainder)


@formula("d6.movement.onboard-effects/penalty", "d6.movement.onboard-effects")
def ride_penalty(scene: Scene, difficulty: int) -> Code:
    """What a hard ride takes from the actions of everybody who does not take part in piloting."""
    of, more = scene[OnboardEffects], difficulty - scene[OnboardEffects].least
    return Code(-of.penalty, -(more // of.per_points) * of.penalty_pips_per_points) if more >= 0 else Code()


def takes_part(scene: Scene, vehicle: Vehicle, who: Person) -> bool:
    """Whether somebody takes part in piloting: at the helm, or at guns that point to the front and do not turn."""
    of = scene[OnboardEffects]
    guns = {each.name: each for each in vehicle.weapons}
    fixed = {name for name, gun in guns.items() if gun.arcs == (of.front,) and not gun.turret}
    return any(each.post in of.piloting or each.weapon in fixed for each in vehicle.posts if each.who == who.name)


@rule("d6.movement.onboard-effects")
async def shaken_aboard(scene: Scene, mover: Mover, difficulty: int) -> None:
    """A hard ride stuns people aboard, and hinders those who do not take part in piloting."""
    damage, value = ride_damage(scene, difficulty), scene[mover]
    if damage is None or not isinstance(value, Vehicle):
        return
    of, less = scene[OnboardEffects], ride_penalty(scene, difficulty)
    for who in people_with(scene, mover):
        suit = any(each.in_use and each.kind == of.jumpsuit for each in scene[who].equipment)
        helps = ((of.strapped_dice, "strapped in", who.name in value.strapped), (of.jumpsuit_dice, of.jumpsuit, suit))
        mods = tuple(Mod(dice, why, "d6.movement.onboard-effects") for dice, why, has in helps if has)
        await hit(who, damage, stun=True, resist_mods=mods)
        if not takes_part(scene, value, who):
            await hinder(who, less.dice, "hard ride")
            if less.pips:
                effect = Effect(Adds(less.pips, PIPS), frozenset({ACTION}), until=ROUND_END)
                await lay(who, effect, source="hard ride")


# --- a round by itself ------------------------------------------------------------------------------------------------


def check_pilot(scene: Scene, who: Person) -> None:
    """Whoever steers something that can be steered, if only themselves, and can act."""
    check_able(scene, who)
    check_steers(scene, who)
    mover = mover_of(scene, who)
    if isinstance(scene[mover], Vehicle):
        check_workable(scene, mover)
    check_skill(scene, who, piloting_skill(scene, mover, who))


def check_course(
    scene: Scene,
    who: Person,
    speed: str,
    maneuver: str,
    also: tuple[str, ...],
    others: int,
    combined: tuple[str, ...],
    combining: str,
) -> None:
    """Each maneuver by itself; what takes all of a pilot leaves nothing for anything else."""
    for each in also:
        check_maneuver(scene, who, each, speed)
    drive = Drive(speed, named_maneuvers(maneuver, also), DriveCourse(combined=combined, combining=combining))
    if others < 0:
        refuse("it is 0 or more", what="others", rule="d6.core.multiple-actions", legal=("0",))
    if not scene[SPEEDS][declared_speed(scene, drive.of)].alone:
        return
    if others:
        refuse("nothing else is done at this speed", what=speed, rule="d6.movement.all-out", legal=("nothing else",))
    if combining and combined and scene[WAYS][combining].action_each:
        refuse("each movement takes an action", what=speed, rule=COMBINING, legal=("a lower speed",))


def check_outside_chase(scene: Scene, who: Person) -> None:
    """In a fight or a chase movement is declared, and done at one's rank."""
    check_no_fight(scene, who)


def named_maneuvers(maneuver: str, also: tuple[str, ...] = ()) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*((maneuver,) if maneuver else ()), *also)))


def further_maneuvers(scene: Scene, who: Person) -> tuple[str, ...]:
    return maneuvers(scene, who)[1:]


Speed: TypeAlias = Annotated[str, Pick(speeds, check_speed, rule="d6.vehicle.acceleration")]
Maneuver: TypeAlias = Annotated[str, Pick(maneuvers, check_maneuver, rule="d6.maneuver.table")]
Also: TypeAlias = tuple[Annotated[str, Pick(further_maneuvers, seldom=True)], ...]


@action(
    "drive", f"{CHOICE}/drive", CHOICE, bands=CONTROLLED, turn=check_pilot, check=(check_outside_chase, check_course)
)
async def drive(
    scene: Scene,
    who: Person,
    speed: Speed,
    maneuver: Maneuver = "",
    also: Also = (),
    at: Grouped[DriveCourse] = CLEAR,
) -> ControlResult:
    """Drive, fly, ride or run for a round: a speed, and perhaps maneuvers."""
    mover = mover_of(scene, who)
    return await hand_over(control(who, mover, Drive(speed, named_maneuvers(maneuver, also), at)))


# --- long journeys ----------------------------------------------------------------------------------------------------


@figures(JOURNEYS)
class LongJourney:
    """When a journey ends in an accident, what is faster than a machine was built for, and how late one usually is."""

    accident_above: int
    design_speed: str
    usual_delay_percent: int


@frozen
class JourneyResult:
    """How a long journey went: by how much it is late, in percent of its time; what accident it ended in, if any."""

    arrived: bool
    margin: int
    late: int = 0
    accident: str = ""
    wears: bool = False
    """Whether it was faster than the machine was built for, which wears it and costs autonomy."""


TRAVELLED: Final[Bands[JourneyResult]] = Bands(
    of=lambda found: "accident" if found.accident else "delayed" if not found.arrived else "on-time",
    keys=("on-time", "delayed", "accident"),
    good=("on-time",),
)


def travelling_speeds(scene: Scene, who: object) -> tuple[str, ...]:
    return tuple(row.name for row in scene[SPEEDS] if row.rank)


@formula(f"{JOURNEYS}/result", JOURNEYS)
def journey_result(scene: Scene, test: TestResult, speed: str) -> JourneyResult:
    """On time, late, or an accident of the same table as a movement that is missed by so much."""
    of, wears = scene[LongJourney], rank_of(scene, speed) > rank_of(scene, scene[LongJourney].design_speed)
    if test.success:
        return JourneyResult(True, test.margin, wears=wears)
    accident = scene[MISHAPS].at(test.margin).name if test.margin > of.accident_above else ""
    return JourneyResult(False, -test.margin, 0 if accident else test.margin * of.usual_delay_percent, accident, wears)


@action("travel", JOURNEYS, bands=TRAVELLED, turn=check_pilot, check=check_outside_chase)
async def travel(
    scene: Scene,
    who: Person,
    difficulty: Difficulty,
    speed: Annotated[str, Pick(travelling_speeds)] = "Cruise",
    hours: Annotated[int, suggest(1, 3, 6, 12)] = 1,
    mods: Mods = (),
) -> JourneyResult:
    """Travel far: one roll for all of it, or for a part of it that is as hard throughout."""
    mover = mover_of(scene, who)
    own = (*maneuverability_mods(scene, mover), *overload_mods(scene, mover), *mods)
    return await hand_over(
        roll_against(who, piloting_skill(scene, mover, who), difficulty, own, (ACTION, ANY_ROLL, PILOTING)),
        read=lambda test: journey_result(scene, test, speed),
        then=lambda found: arrive(who, mover, found, speed, hours),
    )


@rule(f"{JOURNEYS}/arrive", JOURNEYS)
async def arrive(scene: Scene, who: Person, mover: Mover, found: JourneyResult, speed: str, hours: int) -> None:
    """The time has passed; the game master says how late one is. An accident is that of a missed movement roll."""
    if found.wears:
        await tell("wears", mover=mover.name)
    if found.accident:
        await mishap(mover, found.accident, distance_at(scene, mover, speed), True)
        await take_time(who, rounds_of(scene, hours, "hour") // 2)
        return
    late = await rule_on(DELAY, found.late, options=tuple(range(0, 101, 10))) if found.late else 0
    await take_time(who, rounds_of(scene, hours, "hour") * (100 + late) // 100)
