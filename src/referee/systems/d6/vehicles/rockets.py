"""What propels itself: rockets that take rounds to arrive, guided missiles that chase, and how to be rid of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Annotated, Any, Final, TypeAlias

from referee.core import (
    CLOCK,
    DICE,
    PIPS,
    Bands,
    Call,
    Effect,
    Mod,
    Mods,
    Open,
    Pick,
    Prompt,
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
    refuse,
    rule,
    suggest,
    tell,
)
from referee.core.clock import Due, due
from referee.core.composed import KernelCalls, WeightedEnds, after_all, joined
from referee.core.effects import Adds, Extra
from referee.core.modifiers import Itemised
from referee.core.rules import Decide, Ends, kernel
from referee.kits.dice_codes import Code, differences, grouped
from referee.systems.d6.codes import code_mods, own_code
from referee.systems.d6.combat.ammunition import check_fire, fire
from referee.systems.d6.combat.dodges import dodge_ways
from referee.systems.d6.combat.ranged import (
    Aim,
    AnythingThere,
    Shot,
    attack_with,
    shooting_skill,
    shot_harm,
    shot_of,
)
from referee.systems.d6.combat.reactions import ReactionWay, defend
from referee.systems.d6.combat.round import FIGHT, AttackKind, IndividualCombat, fight_action, take_action
from referee.systems.d6.combat.surroundings import scale_mods, terrain_difficulty
from referee.systems.d6.combat.targets import AnyTarget, can_be_attacked, target_kind
from referee.systems.d6.damage import UNHURT
from referee.systems.d6.opposed import OPPOSED, OpposedResult
from referee.systems.d6.rolls import ACTION, ANY_ROLL, ROUND_END, modified_code, roll_for, throw
from referee.systems.d6.sheet import FailedTry, Hero, Person
from referee.systems.d6.vehicles.damage import DESTROYED, body_difference
from referee.systems.d6.vehicles.gunnery import ALL_OUT, check_arc, flight_rounds, served_weapon, served_weapons
from referee.systems.d6.vehicles.maneuvers import MANEUVERS, RAMMING
from referee.systems.d6.vehicles.movement import (
    CONTROLLED,
    MISHAPS,
    ControlResult,
    Drive,
    DriveCourse,
    Terrain,
    control,
    maneuverability_mods,
)
from referee.systems.d6.vehicles.movers import mover_of, pilot_of, piloting_skill, signature_of
from referee.systems.d6.vehicles.speeds import SPEEDS
from referee.systems.d6.vehicles.systems import PILOTING
from referee.systems.d6.vehicles.targets import ways_to_evade
from referee.systems.d6.vehicles.vehicle import Vehicle, VehicleWeapon

ROCKETS: Final = "d6.vehicle-combat.rockets"
LOCK: Final = "d6.vehicle-combat.missile-lock"
CHASE: Final = "d6.vehicle-combat.missile-chase"
DEFENCE: Final = "d6.vehicle-combat.missile-defence"
DESIGNATORS: Final = "d6.vehicle-combat.target-designators"
SIGNATURE: Final = "d6.vehicle.signature"
GUIDANCE: Final = Prompt("missile-guidance")
AGAINST: Final = Prompt("target-signature")
FIRST: Final = Prompt("missile-initiative")
MOVES: Final = Prompt("missile-movement")
RAMS: Final = Prompt("missile-ram")
SIGNED: Final = "signature"
TRIES: Final = "lock"
ATTEMPTS: Final = "attempts to lock"


@figures(LOCK)
class LockFigures:
    """What skills add to a lock and to what it is against, how often it is tried, and what a further try adds."""

    gunner_pips_per_die: int
    attempts_per_round: int
    per_further_attempt: int


EVASION: Final = figure(ROCKETS, "evasion_difficulty", int)
PER_FAILURE: Final = figure(DESIGNATORS, "per_failed_attempt", int)
MISSILE_BODY: Final = figure(DEFENCE, "body", Code)
RAM_ROLL: Final = figure("d6.maneuver.ramming", "ram_roll_difficulty", int)


@frozen
class Missile:
    """Something that flies at a target by itself: a rocket that will hit, or a missile that chases it."""

    fired_by: Open[str]
    target: Open[str]
    weapon: Open[str] = ""
    damage: Open[Code] = Code()  # a frozen value
    scale: Open[int] = 1
    speed: Open[float] = 0
    """Metres in a round."""
    rounds: Open[int] = 0
    """Rounds until it arrives."""
    aimed_at: Open[str] = ""
    """The system of a vehicle that a rocket was aimed at."""
    homing: Open[Code | None] = None
    """Of a guided missile; a rocket that is on its way will hit."""
    locked: Open[bool] = False
    lock_tries: Open[int] = 0
    """How often it has failed to lock to a mark."""
    lasts: Open[int | None] = None
    """Rounds after which it destroys itself."""
    terrain: Open[str] = "Clear"
    watched: Open[bool] = False
    """Whether a pilot watches it come."""
    fired_at: Open[int] = 0
    """The round in which it was fired."""

    def closer(self) -> Missile:
        """A round has passed."""
        left = None if self.lasts is None else self.lasts - 1
        return replace(self, rounds=max(0, self.rounds - 1), lasts=left)

    def failing(self) -> Missile:
        return replace(self, lock_tries=self.lock_tries + 1)

    def locking(self) -> Missile:
        return replace(self, locked=True)

    def seen(self) -> Missile:
        return replace(self, watched=True)


Flying: TypeAlias = Who[Missile]


# --- codes against each other -----------------------------------------------------------------------------------------


@rule(f"{LOCK}/contest", LOCK, "d6.core.opposed-roll")
async def codes_against(scene: Scene, mine: Mods, theirs: Mods) -> int:
    """Guidance less signature: things roll, and nobody betters it."""
    dealt = await total_of(mine, GUIDANCE)
    return dealt - await total_of(theirs, AGAINST)


@rule(f"{LOCK}/roll", LOCK)
async def total_of(scene: Scene, mods: Mods, prompt: Prompt) -> int:
    """The total of the code of a thing."""
    code, plus = modified_code(scene, Code(), mods)
    return (await throw(None, code, plus, Itemised(mods), prompt=prompt)).total


@kernel(codes_against)
def codes_differences(scene: Scene, decide: Decide, mine: Mods, theirs: Mods) -> Ends[int]:
    found, calls = WeightedEnds[int](), KernelCalls.of(decide)
    rolls = (throw(None, *modified_code(scene, Code(), each), Itemised()) for each in (mine, theirs))
    one, other = rolls
    for changes, whole, dealt in calls.groups(one, scene):
        for more, of, against in calls.groups(other, after_all(scene, changes)):
            ours, others = (grouped(each, lambda rolled: ("", rolled.total)) for each in (dealt, against))
            found.add_all(differences(ours, others, lambda *read: read[2]), joined(changes, more), 1, whole * of)
    return found.ends()


# --- signature --------------------------------------------------------------------------------------------------------


@formula(f"{LOCK}/signature", LOCK, SIGNATURE, "d6.scale.effects")
def signature_mods(scene: Scene, target: AnyTarget, scale: int, aware: bool = True) -> Mods:
    """What opposes scanners and locks: the signature, better with a pilot who knows of it; scale, and marks."""
    theirs = target_kind(scene, target).scale(scene, target)
    own = Code() if isinstance(scene[target], Missile) else signature_of(scene, target, aware)
    sizes = scale_mods(scene, "signature against missiles", theirs, scale)
    return (*code_mods(own, "signature", SIGNATURE), *sizes, *applying(scene, target, SIGNED).mods)


@formula(f"{LOCK}/guidance", LOCK)
def guidance_mods(scene: Scene, who: Person, weapon: VehicleWeapon, tries: int) -> Mods:
    """Guidance, a pip for every full die of the gunner's skill, and a die for each attempt before."""
    of, dice = scene[LockFigures], own_code(scene, who, shooting_skill(scene, who, weapon.name)).dice
    skill = Mod(dice * of.gunner_pips_per_die, "gunner", LOCK, unit=PIPS)
    again = (Mod(tries * of.per_further_attempt, "tried before", LOCK, unit=DICE),) if tries else ()
    return (*code_mods(weapon.guidance or Code(), "guidance", LOCK), skill, *again)


# --- locking ----------------------------------------------------------------------------------------------------------


@frozen
class LockResult:
    """Whether a missile is locked, and by how much."""

    locked: bool
    margin: int


LOCKED: Final[Bands[LockResult]] = Bands(
    of=lambda found: "locked" if found.locked else "not-locked", keys=("locked", "not-locked")
)


def guided_weapons(scene: Scene, who: Person) -> tuple[str, ...]:
    """Guided missiles that somebody serves."""
    return tuple(each.name for each in served_weapons(scene, who) if each.guidance is not None)


def guided(scene: Scene, who: Person, weapon: str) -> VehicleWeapon:
    found = served_weapon(scene, who, weapon)
    if found is None or found.guidance is None:
        refuse("it is no guided missile", what=weapon, rule=LOCK, legal=guided_weapons(scene, who))
    return found


def check_guided(scene: Scene, who: Person, weapon: str) -> None:
    """A guided missile that is loaded and may be fired."""
    guided(scene, who, weapon)
    check_fire(scene, who, weapon)


def tried(scene: Scene, who: Person, weapon: str, target: AnyTarget) -> int:
    found = scene[who].tried(TRIES, f"{weapon} at {target}")
    return 0 if found is None else found.times


@formula(f"{LOCK}/check", LOCK)
def check_lock(scene: Scene, who: Person, weapon: str, arc: str = "") -> None:
    """At most twice in a round, while the target is in the arc of fire."""
    most = scene[LockFigures].attempts_per_round
    if applying(scene, who).extra(ATTEMPTS) >= most:
        refuse(f"a lock is tried {most} times in a round", what=weapon, legal=("next round",))
    check_arc(scene, who, weapon, arc)


Guided: TypeAlias = Annotated[str, Pick(guided_weapons, check_guided)]
Distance: TypeAlias = Annotated[float, suggest(500.0, 1000.0, 2000.0)]


@fight_action("lock-missile", LOCK, SIGNATURE, bands=LOCKED, check=check_lock, free=True)
async def lock_missile(
    scene: Scene,
    who: Person,
    target: AnythingThere,
    weapon: Guided,
    distance: Distance = 500.0,
    arc: Annotated[str, Pick(lambda scene, who: ("", "front", "left", "right", "rear"))] = "",
    aware: bool = True,
    start_over: bool = False,
    terrain: Terrain = "Clear",
    mods: Mods = (),
) -> LockResult:
    """Lock a guided missile: its guidance against the signature of the target. It is fired at once when it is locked.

    Whoever fails may try again at a later rank, a die better. If the target has left the arc, one starts over.
    """
    tries = 0 if start_over else tried(scene, who, weapon, target)
    found = guided(scene, who, weapon)
    mine = (*guidance_mods(scene, who, found, tries), *mods)
    theirs = signature_mods(scene, target, found.scale or 1, aware)
    return await hand_over(
        codes_against(mine, theirs),
        read=lambda margin: LockResult(margin >= 0, abs(margin)),
        then=lambda lock: after_lock(who, target, weapon, lock, tries, distance, terrain),
    )


def after_lock(
    who: Person, target: AnyTarget, weapon: str, lock: LockResult, tries: int, distance: float, terrain: str
) -> Call[None]:
    if lock.locked:
        return fire_missile(who, target, weapon, distance, terrain, True)
    return no_lock(who, target, weapon, tries)


@rule(f"{LOCK}/failed", LOCK)
async def no_lock(scene: Scene, who: Person, target: AnyTarget, weapon: str, tries: int) -> None:
    """Another try follows at a later rank; it is no further action."""
    about = f"{weapon} at {target}"
    if scene[who].tried(TRIES, about) is not None:
        await alter(who, Hero.succeeding, TRIES, about)
    await alter(who, Hero.failing, FailedTry(TRIES, about, tries + 1))
    await lay(who, Effect(Extra(ATTEMPTS), until=ROUND_END), source=weapon)
    await alter(FIGHT, IndividualCombat.waiting, who.name, if_present=True)


@rule(f"{LOCK}/fired", LOCK, "d6.vehicle-combat.propelled-missiles")
async def fire_missile(
    scene: Scene, who: Person, target: AnyTarget, weapon: str, distance: float, terrain: str, locked: bool
) -> None:
    """It is on its way; if that takes less than a round, it strikes at once."""
    found = guided(scene, who, weapon)
    await take_action(who)
    await fire(who, weapon)
    if scene[who].tried(TRIES, f"{weapon} at {target}") is not None:
        await alter(who, Hero.succeeding, TRIES, f"{weapon} at {target}")
    flight = flight_rounds(scene, found, distance)
    missile = Missile(who.name, target.name, found.name, found.damage or Code(), found.scale or 1, found.speed, flight)
    guiding = replace(missile, homing=found.guidance, locked=locked, lasts=found.lasts, terrain=terrain)
    if not flight and locked:
        await strikes_home(guiding)
    else:
        await sent_off(guiding)


@rule("d6.vehicle-combat.propelled-missiles/sent", "d6.vehicle-combat.propelled-missiles")
async def sent_off(scene: Scene, missile: Missile) -> None:
    """Something flies by itself from now on."""
    name = next(each for at in range(1, 1000) if (each := f"{missile.weapon} {at}") not in scene.state)
    await change(Who(name, Missile), replace(missile, fired_at=scene[CLOCK].now if CLOCK in scene else 0))
    await tell("missile-fired", missile=name, target=missile.target, rounds=missile.rounds)


@rule(f"{ROCKETS}/launched", ROCKETS, "d6.vehicle-combat.propelled-missiles")
async def launched(scene: Scene, who: Person, target: AnyTarget, shot: Shot) -> None:
    """A rocket that will hit takes its time."""
    found = served_weapon(scene, who, shot.weapon)
    if found is not None:
        flying = Missile(who.name, target.name, shot.weapon, shot.damage, shot.scale, found.speed, shot.flight)
        await sent_off(replace(flying, aimed_at=shot.system))


# --- striking ---------------------------------------------------------------------------------------------------------


@rule(f"{CHASE}/strikes", CHASE, ROCKETS)
async def strikes_home(scene: Scene, missile: Missile) -> str:
    """It deals its damage to what it hits."""
    target, by = scene.who(missile.target), Who(missile.fired_by, Hero)
    theirs, of = target_kind(scene, target).scale(scene, target), missile
    dealt, resisted = scale_mods(scene, "damage", of.scale, theirs), scale_mods(scene, "body", theirs, of.scale)
    shot = Shot(of.weapon, "", "", 0, (), 0, of.damage, damage_mods=dealt, resist_mods=resisted, system=of.aimed_at)
    shot = replace(shot, scale=of.scale, target_scale=theirs)
    harm = await shot_harm(by if by in scene else target, target, shot)
    await target_kind(scene, target).land(target, harm, shot)
    return harm


@rule(f"{CHASE}/gone", CHASE, ROCKETS, DEFENCE)
async def is_gone(scene: Scene, missile: Flying, why: str) -> None:
    """It flies no more."""
    await tell("missile-gone", missile=missile.name, why=why)
    await change(missile, None)


# --- on its way -------------------------------------------------------------------------------------------------------


@rule(CHASE, ROCKETS, DESIGNATORS, "d6.vehicle-combat.propelled-missiles")
async def flies_on(scene: Scene, missile: Flying) -> str:
    """A round of something that flies: it comes closer, arrives, tries to lock to its mark, or chases its target."""
    await alter(missile, Missile.closer)
    comes = what_comes(scene, missile)
    return "on its way" if comes is None else await hand_over(comes)


def what_comes(scene: Scene, missile: Flying) -> Call[str] | None:
    """What something that flies does in a round; nothing, if it is still on its way."""
    of = scene[missile]
    if of.target not in scene.state:
        return is_lost(missile, "nothing is left for it to hit")
    if of.lasts is not None and of.lasts < 0:
        return is_lost(missile, "it destroys itself")
    if of.homing is not None and not of.locked:
        return seeks_mark(missile)
    if of.rounds:
        return None
    return arrives(missile) if of.homing is None else chases_target(missile)


@rule(f"{DEFENCE}/lost", DEFENCE)
async def is_lost(scene: Scene, missile: Flying, why: str) -> str:
    """It hits nothing any more."""
    await is_gone(missile, why)
    return "gone"


@rule(ROCKETS)
async def arrives(scene: Scene, missile: Flying) -> str:
    """A rocket that nobody has evaded hits."""
    harm = await strikes_home(scene[missile])
    await is_gone(missile, "it strikes home")
    return harm


@rule(DESIGNATORS)
async def seeks_mark(scene: Scene, missile: Flying) -> str:
    """Fired without a lock at a mark it tries to lock by itself each round, better with every attempt that failed."""
    of, target = scene[missile], scene.who(scene[missile].target)
    again = (Mod(of.lock_tries * scene[PER_FAILURE], "tried before", DESIGNATORS, unit=DICE),) if of.lock_tries else ()
    mine = (*code_mods(of.homing or Code(), "guidance", DESIGNATORS), *again)
    margin = await codes_against(mine, signature_mods(scene, target, of.scale))
    await alter(missile, Missile.locking if margin >= 0 else Missile.failing)
    return "locked" if margin >= 0 else "not locked"


@rule(f"{CHASE}/round", CHASE)
async def chases_target(scene: Scene, missile: Flying) -> str:
    """Initiative, movement and the ram, all with guidance; the pilot may swerve as from any ram."""
    target = scene.who(scene[missile].target)
    leads = await comes_first(missile, target)
    result = await missile_moves(missile, missile_difficulty(scene, missile, target, leads))
    if result == DESTROYED:
        await is_gone(missile, "it hits something else")
    if result:
        return "loses its way"
    if not await missile_rams(missile, target):
        return "misses"
    harm = await strikes_home(scene[missile])
    await is_gone(missile, "it strikes home")
    return harm


def guidance_code(scene: Scene, missile: Flying) -> Mods:
    return code_mods(scene[missile].homing or Code(), "guidance", CHASE)


@rule(f"{CHASE}/initiative", CHASE)
async def comes_first(scene: Scene, missile: Flying, target: AnyTarget) -> bool:
    """Whether it has the initiative, and so counters what its target does."""
    mine = await total_of(guidance_code(scene, missile), FIRST)
    pilot = pilot_of(scene, target)
    if pilot is None:
        return True
    tags = (ANY_ROLL, "initiative")
    rolled = await roll_for(
        pilot, piloting_skill(scene, target, pilot), maneuverability_mods(scene, target), tags, prompt=FIRST
    )
    return mine >= rolled.total


@formula(f"{CHASE}/difficulty", CHASE)
def missile_difficulty(scene: Scene, missile: Flying, target: AnyTarget, leads: bool) -> int:
    """Its terrain, All-out, the ram, and, if it comes first, every maneuver of its target."""
    motion = getattr(scene[target], "motion", None)
    countered = motion.maneuvers if motion is not None and leads else ()
    adds = sum(scene[MANEUVERS][each].adds for each in (*countered, RAMMING))
    return terrain_difficulty(scene, scene[missile].terrain) + scene[SPEEDS][ALL_OUT].adds + adds


@rule(f"{CHASE}/movement", CHASE, "d6.movement.failed-roll")
async def missile_moves(scene: Scene, missile: Flying, difficulty: int) -> str:
    """Whether it keeps up: a collision destroys it, any other failure costs it the round. Nothing, if it does."""
    missed = difficulty - await total_of(guidance_code(scene, missile), MOVES)
    if missed <= 0:
        return ""
    row = scene[MISHAPS].at(missed)
    return DESTROYED if row.collides is not None else row.name


@rule(f"{CHASE}/ram", CHASE, "d6.maneuver.ramming")
async def missile_rams(scene: Scene, missile: Flying, target: AnyTarget) -> bool:
    """The second roll: against 5, or what whoever is hunted rolls to get away."""
    stands, needed = target_kind(scene, target), scene[RAM_ROLL]
    shot = Shot(scene[missile].weapon, "", "", needed, (), 0, Code(), scale=scene[missile].scale)
    ways = swerving_ways(scene, missile, target, shot)
    defense = await defend(stands.defender(scene, target), AttackKind.RANGED, needed, ways)
    return await total_of(guidance_code(scene, missile), RAMS) >= defense.difficulty


def swerving_ways(scene: Scene, missile: Flying, target: AnyTarget, shot: Shot) -> tuple[ReactionWay, ...]:
    """How whoever is hunted may get away."""
    if isinstance(scene[target], Vehicle):
        return ways_to_evade(scene, target, shot.scale)
    return tuple(way for way in dodge_ways(scene, target) if not way.full) if isinstance(scene[target], Hero) else ()


@due(Missile, flies_on)
def flights(scene: Scene, missile: Flying) -> Iterator[Due]:
    """Whatever flies does so every round."""
    yield Due(flies_on, since=scene[missile].fired_at)


# --- getting rid of it ------------------------------------------------------------------------------------------------


def hunting(scene: Scene, who: Person) -> tuple[Flying, ...]:
    """What flies at somebody, or at what they steer."""
    mine = {who.name, mover_of(scene, who).name}
    return tuple(each for each in scene.all(Missile) if scene[each].target in mine)


Hunting: TypeAlias = Annotated[Flying, Pick(hunting)]


def check_unwatched(scene: Scene, who: Person, missile: Flying) -> None:
    if scene[missile].watched:
        refuse("it is watched already", what=missile.name, rule=ROCKETS)


@fight_action("watch-missile", f"{ROCKETS}/watch", ROCKETS, check=check_unwatched, free=True)
async def watch_missile(scene: Scene, who: Person, missile: Hunting) -> None:
    """Keep an eye on what comes: only then can it be evaded at the last moment. It costs nothing."""
    await alter(missile, Missile.seen)


@formula(f"{ROCKETS}/evasion", ROCKETS)
def check_last_moment(scene: Scene, who: Person, missile: Flying) -> None:
    """At the start of the round in which a rocket strikes, by a pilot who has watched it and has not moved yet."""
    of = scene[missile]
    if of.homing is not None:
        refuse("it is guided, and follows", what=missile.name, legal=("lure-missile", "shoot"))
    if not of.watched:
        refuse(f"{who} has not watched it", what=missile.name, legal=("watch-missile",))
    if of.rounds > 1:
        refuse(f"it strikes in {of.rounds} rounds", what=missile.name, legal=("in the round in which it strikes",))
    if scene[mover_of(scene, who)].motion.driven:
        refuse(f"{who} has moved in this round", what=missile.name)


@fight_action("evade-missile", ROCKETS + "/evade", ROCKETS, bands=CONTROLLED, check=check_last_moment)
async def evade_missile(
    scene: Scene, who: Person, missile: Hunting, terrain: Terrain = "Clear", mods: Mods = ()
) -> ControlResult:
    """Throw the vehicle aside at the last moment, whatever that looks like; if it fails, the rocket hits as well."""
    mover = mover_of(scene, who)
    motion = scene[mover].motion
    drive = Drive(motion.selected or motion.speed, (), DriveCourse(terrain=terrain, harder=scene[EVASION], mods=mods))
    return await hand_over(control(who, mover, drive), then=lambda found: after_evasion(missile, found))


def after_evasion(missile: Flying, found: ControlResult) -> Call[Any]:
    return is_gone(missile, "it flies past") if found.in_control else arrives(missile)


def check_guided_flight(scene: Scene, who: Person, missile: Flying) -> None:
    if scene[missile].homing is None:
        refuse("it is not guided", what=missile.name, rule=DEFENCE, legal=("evade-missile", "shoot"))


@fight_action("lure-missile", DEFENCE, bands=OPPOSED, check=check_guided_flight)
async def lure_missile(scene: Scene, who: Person, missile: Hunting, mods: Mods = ()) -> OpposedResult:
    """Lure it into something else: piloting against guidance."""
    mover = mover_of(scene, who)
    theirs = await total_of(guidance_code(scene, missile), GUIDANCE)
    mine, tags = (*maneuverability_mods(scene, mover), *mods), (ACTION, ANY_ROLL, PILOTING)
    return await hand_over(
        roll_for(who, piloting_skill(scene, mover, who), mine, tags),
        read=lambda rolled: OpposedResult(rolled.total >= theirs, abs(rolled.total - theirs)),
        then=lambda found: is_gone(missile, "it hits something else") if found.success else None,
    )


class InFlight:
    """How something that flies stands up to a shot: it has no Body to speak of, and any shock destroys it."""

    def crew(self, scene: Scene, target: Flying) -> tuple[str, ...]:
        return (scene[target].fired_by,)

    def scale(self, scene: Scene, target: Flying) -> int:
        return scene[target].scale

    def parts(self, scene: Scene, target: Flying) -> tuple[str, ...]:
        return ()

    def aiming(self, scene: Scene, target: Flying, aim: Aim, band: str) -> Mods:
        return ()

    def speed(self, scene: Scene, who: AnyTarget, target: Flying, aim: Aim) -> float:
        return scene[target].speed

    def defender(self, scene: Scene, target: Flying) -> AnyTarget:
        return target

    def reactions(self, scene: Scene, who: AnyTarget, target: Flying, shot: Shot) -> tuple[ReactionWay, ...]:
        return ()

    def zone(self, scene: Scene, aim: Aim) -> str:
        return aim.zone

    def withstands(self, scene: Scene, who: AnyTarget, target: Flying, shot: Shot, mods: Mods) -> Call[int]:
        return body_difference(scene[MISSILE_BODY], shot.damage, (*shot.damage_mods, *mods), (), who, shot.own)

    def harm(self, scene: Scene, difference: int) -> str:
        return DESTROYED if difference > 0 else UNHURT

    def land(self, target: Flying, harm: str, shot: Shot) -> Call[None]:
        return shot_down(target, harm)


can_be_attacked(Missile, InFlight())


@rule(f"{DEFENCE}/hit", DEFENCE)
async def shot_down(scene: Scene, missile: Flying, harm: str) -> None:
    """Any shock destroys it."""
    if harm == DESTROYED:
        await is_gone(missile, "it is shot down")


# --- marks ------------------------------------------------------------------------------------------------------------


@frozen
class MarkResult:
    """Whether a target is marked."""

    marked: bool
    margin: int


MARKED: Final[Bands[MarkResult]] = Bands(of=lambda found: "marked" if found.marked else "miss", keys=("marked", "miss"))


def designators(scene: Scene, who: Person) -> tuple[str, ...]:
    return tuple(each.name for each in served_weapons(scene, who) if each.mark is not None)


def check_designator(scene: Scene, who: Person, weapon: str) -> None:
    found = served_weapon(scene, who, weapon)
    if found is None or found.mark is None:
        refuse("it marks nothing", what=weapon, rule=DESIGNATORS, legal=designators(scene, who))


@fight_action("mark-target", f"{DESIGNATORS}/mark", DESIGNATORS, bands=MARKED)
async def mark_target(
    scene: Scene,
    who: Person,
    target: AnythingThere,
    weapon: Annotated[str, Pick(designators, check_designator)],
    distance: Distance = 500.0,
    mods: Mods = (),
) -> MarkResult:
    """Mark a target: what is locked to the mark is opposed by a lower signature."""
    shot = shot_of(scene, who, target, weapon, Aim(distance, mods=mods))
    found = served_weapon(scene, who, weapon)
    mark = found.mark if found is not None and found.mark is not None else Code()
    return await hand_over(
        attack_with(scene, who, target, shot),
        read=lambda attack: MarkResult(attack.margin >= 0, abs(attack.margin)),
        then=lambda result: marked(target, mark) if result.marked else None,
    )


@rule(f"{DESIGNATORS}/marked", DESIGNATORS)
async def marked(scene: Scene, target: AnyTarget, mark: Code) -> None:
    """Its signature is so much lower until the mark is off."""
    for amount, unit in ((mark.dice, DICE), (mark.pips, PIPS)):
        if amount:
            await lay(target, Effect(Adds(-amount, unit), frozenset({SIGNED})), source="mark")


def check_marked(scene: Scene, who: Person, target: AnyTarget) -> None:
    if not applying(scene, target, SIGNED).mods:
        refuse("it is not marked", what=target.name, rule=DESIGNATORS, legal=("lock-missile", "mark-target"))


@fight_action("fire-at-mark", f"{DESIGNATORS}/fire", DESIGNATORS, check=check_marked, free=True)
async def fire_at_mark(
    scene: Scene,
    who: Person,
    target: AnythingThere,
    weapon: Guided,
    distance: Distance = 500.0,
    terrain: Terrain = "Clear",
) -> None:
    """Fire a guided missile without a lock at what is marked: it looks for the mark by itself."""
    await fire_missile(who, target, weapon, distance, terrain, False)
