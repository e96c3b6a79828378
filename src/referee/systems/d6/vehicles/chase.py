"""Chases: a fight on the move. Speeds and maneuvers are declared, controlled at one's rank, and add up at the end.

A chase stands inside the fight whose rounds it shares: shots, reactions and everything else are those of the fight.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import field, replace
from enum import Enum
from typing import Annotated, Any, ClassVar, Final, TypeAlias

from referee.core import (
    Call,
    Levels,
    Open,
    Pick,
    Prompt,
    Scene,
    Who,
    action,
    action_of,
    alter,
    change,
    choose,
    figure,
    figures,
    formula,
    frozen,
    hand_over,
    legal_choices,
    option,
    refuse,
    rows,
    rule,
    suggest,
    tell,
    together,
)
from referee.kits.chases import (
    CAUGHT,
    ESCAPED,
    PURSUER,
    QUARRY,
    ChaseBand,
    ChasePlan,
    ChaseStage,
    Mover,
    Pursuit,
    band_at,
)
from referee.kits.dice_codes import Code
from referee.kits.rounds import in_this_order
from referee.systems.d6.codes import code_mods, own_code
from referee.systems.d6.combat.fight_setup import begin_fight, end_fight
from referee.systems.d6.combat.round import (
    DECLARATION,
    FIGHT,
    IndividualCombat,
    RoundPhase,
    check_turn,
    fight_action,
    most_actions,
)
from referee.systems.d6.resolution import check_able
from referee.systems.d6.rolls import ANY_ROLL, roll_for, rolled_mods
from referee.systems.d6.sheet import PIPS_PER_DIE, Hero, Person
from referee.systems.d6.tasks import coordinate
from referee.systems.d6.vehicles.maneuvers import MANEUVERS, RAMMING, declared_speed, scale_bars
from referee.systems.d6.vehicles.motion import STOP
from referee.systems.d6.vehicles.movement import (
    CONTROLLED,
    ControlResult,
    Drive,
    DriveCourse,
    Maneuver,
    Speed,
    Terrain,
    as_planned,
    control,
    control_actions,
    missed_by,
    move_on,
    movement_difficulty,
    named_maneuvers,
)
from referee.systems.d6.vehicles.movers import Mover as MoverName
from referee.systems.d6.vehicles.movers import (
    check_steers,
    motion_of,
    mover_of,
    people_with,
    pilot_of,
    piloting_skill,
    scale_of_mover,
    set_motion,
)
from referee.systems.d6.vehicles.ramming import ram_mover
from referee.systems.d6.vehicles.speeds import SPEEDS, distance_at
from referee.systems.d6.vehicles.take_off import recovery
from referee.systems.d6.vehicles.vehicle import Vehicle
from referee.systems.d6.wounds import DEAD, MORTAL

ROUND: Final = "d6.chase.round"
ORDER: Final = "d6.chase.initiative-order"
SKILL: Final = "d6.chase.initiative-skill"
COMMAND: Final = "d6.chase.initiative-command"
STOPPED: Final = "d6.chase.stopped-vehicle"
DECLARE: Final = "d6.chase.declare-speed"
ACTIONS: Final = "d6.chase.declare-actions"
RESOLVE: Final = "d6.chase.resolve-actions"
END: Final = "d6.chase.end-round"
SPEED: Final = Prompt("speed")
INITIATIVE: Final = Prompt("chase-initiative")


class ChaseOrder(Enum):
    """How the order of a chase is found."""

    COMPARED = "by code"
    ROLLED = "rolled"


@figures(SKILL)
class InitiativeSkill:
    """What may take the place of piloting, and the bonus of the smaller of two codes that are close."""

    skill: str
    below: Code
    bonus: Code


BANDS: Final = rows(ROUND, "bands", ChaseBand)
PHASES: Final = figure(ROUND, "phases", tuple[str, ...])
PURSUERS_BONUS: Final = figure(ORDER, "pursuer", Code)
METHOD: Final = option(ORDER, ChaseOrder)
COST_OF_COMMAND: Final = figure(COMMAND, "actions", int)


@frozen
class VehicleChase(Pursuit):
    """A chase on wheels, wings, hooves or feet: where everybody is, what they have declared, what it leads through."""

    within: Open[str] = FIGHT.name
    terrain: Open[str] = "Clear"
    off_road: Open[bool] = False
    obstacle: Open[bool] = True
    """Whether there is something near to run into."""
    attraction: Open[bool] = True
    bonuses: Open[Levels] = field(default_factory=Levels)
    """Pips that the game master gives for the relative speed, by who steers."""
    lent: Open[Levels] = field(default_factory=Levels)
    """Pips of initiative that a leader has lent, by who steers."""
    leading: Open[frozenset[str]] = frozenset()
    """Those who spend an action of this round on that."""
    declared_in: Open[int] = 0
    """The last round in which actions were declared."""
    settled: Open[int] = 0
    """The last round of which the movement is over."""

    phase_names: ClassVar = ("speeds", "actions", "resolving")

    def bands(self, scene: Scene) -> Sequence[ChaseBand]:
        return tuple(scene[BANDS])

    def is_able(self, scene: Scene, who: str) -> bool:
        """Here, awake and alive."""
        person = Who(who, Hero)
        if who in self.gone or person not in scene:
            return False
        return scene[person].wound not in (MORTAL, DEAD) and scene[person].unconscious is None

    def drivers(self, scene: Scene) -> tuple[str, ...]:
        """Those who declare: whoever steers what is in motion and in control."""
        return tuple(each.driver for each in self.running(scene) if declares(scene, each))

    def group(self, scene: Scene) -> tuple[str, ...]:
        """Whoever is to declare, or acts."""
        if FIGHT not in scene or scene[FIGHT].phase is RoundPhase.BEGIN or self.round < scene[FIGHT].round:
            return ()
        return self.declaring_now(scene) if self.stage(scene) is ChaseStage.DECLARE else scene[FIGHT].group(scene)

    @property
    def course(self) -> DriveCourse:
        return DriveCourse(self.terrain, self.off_road, self.obstacle, self.attraction)

    def next_step(self, scene: Scene, me: Who[Any]) -> Call[Any]:
        chase, fight = Who(me.name, VehicleChase), scene[FIGHT]
        if fight.phase is RoundPhase.BEGIN:
            return fight.next_step(scene, FIGHT)
        if self.round < fight.round:
            return begin_chase_round(chase)
        if fight.phase is RoundPhase.DECLARE:
            if self.undeclared(scene):
                return take_declaration(Who(self.declaring_now(scene)[0], Hero))
            return take_actions() if self.declared_in < self.round else fight.next_step(scene, FIGHT)
        if (driver := next_to_drive(scene, self)) is not None:
            return drive_as_planned(driver)
        if fight.group(scene):
            return fight.next_step(scene, FIGHT)
        return end_chase_round(chase) if self.settled < self.round else fight.next_step(scene, FIGHT)

    def over(self, scene: Scene, me: Who[Any]) -> Hashable | None:
        """As a rule has ended it, or as soon as one side can go no further."""
        if self.ended or FIGHT not in scene:
            return self.ended or CAUGHT
        return Pursuit.over(self, scene, me)

    # --- what happens to it -------------------------------------------------------------------------------------------

    def beginning_round(self, round_: int, order: tuple[str, ...], movers: tuple[Mover, ...]) -> VehicleChase:
        """Nobody has declared yet, in this order."""
        fresh = self.next_round()
        return replace(fresh, round=round_, scores=in_this_order(order), movers=movers, leading=frozenset())

    def ordered(self, order: tuple[str, ...]) -> VehicleChase:
        return replace(self, scores=in_this_order(order))

    def actions_asked(self) -> VehicleChase:
        return replace(self, declared_in=self.round)

    def movement_over(self) -> VehicleChase:
        return replace(self, settled=self.round)

    def turned_around(self) -> VehicleChase:
        """The road runs the other way."""
        return replace(self, movers=tuple(replace(each, at=-each.at) for each in self.movers))

    def favoring(self, who: str, pips: int) -> VehicleChase:
        return replace(self, bonuses=self.bonuses.but(**{who: pips}))

    def lending(self, leader: str, pips: int, to: tuple[str, ...]) -> VehicleChase:
        lent = Levels({**self.lent, **dict.fromkeys(to, pips)})
        return replace(self, lent=lent, leading=self.leading | {leader})


CHASE: Final = Who("chase", VehicleChase)


@formula(f"{ROUND}/phases", ROUND)
def chase_phases(scene: Scene) -> tuple[str, ...]:
    """The phases of a round, in their order."""
    return scene[PHASES]


def named(scene: Scene, mover: Mover) -> MoverName:
    """A mover of the chase, as it is in the scene."""
    return scene.who(mover.name)


def is_moving(scene: Scene, mover: Mover) -> bool:
    return motion_of(scene, named(scene, mover)).speed != STOP


def declares(scene: Scene, mover: Mover) -> bool:
    """Whether something is in motion, and does what its pilot wants."""
    now = motion_of(scene, named(scene, mover))
    return is_moving(scene, mover) and not now.spinning and now.stalled is None


# --- initiative -------------------------------------------------------------------------------------------------------


@formula(SKILL)
def initiative_code(scene: Scene, piloting: Code, tactics: Code) -> Code:
    """The best of piloting, of tactics and, where they are close, of the smaller one with a bonus."""
    of, per_die = scene[InitiativeSkill], scene[PIPS_PER_DIE]
    least, most = sorted((piloting, tactics), key=lambda code: code.in_pips(per_die))
    close = most.in_pips(per_die) - least.in_pips(per_die) < of.below.in_pips(per_die)
    return max(most, *((least + of.bonus,) if close else ()), most, key=lambda code: code.in_pips(per_die))


@formula(f"{ORDER}/code", ORDER, SKILL)
def movement_code(scene: Scene, who: Person) -> Code:
    """With what somebody is first or last in a chase: piloting with maneuverability, or tactics; more for pursuers."""
    mover, chase = mover_of(scene, who), scene[CHASE]
    value = scene[mover]
    own = own_code(scene, who, piloting_skill(scene, mover, who))
    piloting = own + value.maneuverability if isinstance(value, Vehicle) else own
    found = initiative_code(scene, piloting, own_code(scene, who, scene[InitiativeSkill].skill))
    if lent := chase.lent.get(who.name, 0):
        found = max(found, Code(0, lent), key=lambda code: code.in_pips(scene[PIPS_PER_DIE]))
    bonus = Code(0, chase.bonuses.get(who.name, 0))
    return found + bonus + (scene[PURSUERS_BONUS] if chase.role(who.name) == PURSUER else Code())


@formula(ORDER)
def chase_order(scene: Scene, totals: Levels) -> tuple[str, ...]:
    """Whoever is to move, the first one first: the smallest scale, then the best total."""
    drivers = (each.driver for each in scene[CHASE].running(scene) if is_moving(scene, each))

    def place(name: str) -> tuple[int, int]:
        return scale_of_mover(scene, mover_of(scene, Who(name, Hero))), -totals.get(name, 0)

    return tuple(sorted(drivers, key=place))


@rule(f"{ORDER}/totals", ORDER)
async def movement_totals(scene: Scene) -> Levels:
    """Codes, or rolls of them, of everybody who steers something in motion."""
    drivers = [Who(each.driver, Hero) for each in scene[CHASE].running(scene) if is_moving(scene, each)]
    if scene[METHOD] is ChaseOrder.COMPARED:
        return Levels({who.name: movement_code(scene, who).in_pips(scene[PIPS_PER_DIE]) for who in drivers})
    found = {}
    for who in drivers:
        using = piloting_skill(scene, mover_of(scene, who), who)
        more = movement_code(scene, who) - own_code(scene, who, using)
        mods = rolled_mods(code_mods(more, "initiative", ORDER)) if more != Code() else ()
        found[who.name] = (await roll_for(who, using, mods, (ANY_ROLL, "initiative"), prompt=INITIATIVE)).total
    return Levels(found)


# --- the round begins -------------------------------------------------------------------------------------------------


@rule(ROUND, ORDER)
async def begin_chase_round(scene: Scene, me: Who[VehicleChase]) -> None:
    """Who moves what is looked at anew; the order of movement is found, and passengers come after their pilot."""
    movers = movers_now(scene, scene[me])
    for each in movers:
        await set_motion(named(scene, each), motion_of(scene, named(scene, each)).declaring(""))
    order = chase_order(scene, await movement_totals())
    await alter(me, VehicleChase.beginning_round, scene[FIGHT].round, order, movers)
    if (ranks := passengers_later(scene)) != scene[FIGHT].scores:
        await alter(FIGHT, IndividualCombat.ranking, ranks)


def movers_now(scene: Scene, chase: VehicleChase) -> tuple[Mover, ...]:
    """Every mover as it is; whoever has got out goes on where they were, whoever has got in is no mover any more."""
    kept = tuple(each for each in chase.all_movers if each.name in scene.state and moves_by_itself(scene, each))
    found = tuple(as_it_is(scene, each) for each in kept)
    riding = {name for each in found for name in each.people}
    afoot = (name for name in chase.fighters if name not in riding and name in scene.state)
    return (*found, *(Mover(name, at=chase.mover(name).at, speed=STOP) for name in afoot))


def moves_by_itself(scene: Scene, mover: Mover) -> bool:
    name = named(scene, mover)
    return isinstance(scene[name], Vehicle) or mover_of(scene, name) == name


def as_it_is(scene: Scene, mover: Mover) -> Mover:
    """A mover with whoever steers it now, and whoever rides along."""
    name = named(scene, mover)
    pilot, people = pilot_of(scene, name), [each.name for each in people_with(scene, name)]
    driver = pilot.name if pilot is not None else ""
    rest = tuple(each for each in people if each not in (driver, mover.name))
    now = motion_of(scene, name)
    state = ("out of control",) if now.spinning else ("stalled",) if now.stalled is not None else ()
    return replace(mover, pilot="" if driver == mover.name else driver, passengers=rest, speed=now.speed, state=state)


@formula(f"{RESOLVE}/order", RESOLVE)
def passengers_later(scene: Scene) -> Levels:
    """The order of the fight, in which no passenger of what moves comes before its pilot."""
    fight, chase = scene[FIGHT], scene[CHASE]
    names = sorted(fight.scores, key=lambda name: -fight.scores[name])
    moving = [each for each in chase.running(scene) if is_moving(scene, each)]
    pilots = {name: each.driver for each in moving for name in each.passengers if each.driver in names}
    waits = {name: pilots[name] for name in names if name in pilots and names.index(name) < names.index(pilots[name])}
    order = [one for name in names if name not in waits for one in (name, *(w for w in names if waits.get(w) == name))]
    return in_this_order(order)


# --- speeds and maneuvers ---------------------------------------------------------------------------------------------


def check_declarer(scene: Scene, who: Person) -> None:
    """Whoever steers something in motion, when their turn to declare has come."""
    check_able(scene, who)
    if CHASE not in scene or scene[FIGHT].phase is not RoundPhase.DECLARE:
        refuse("speeds are declared in a chase, before anybody acts", rule=DECLARE, legal=("drive",))
    check_steers(scene, who)
    if motion_of(scene, mover_of(scene, who)).speed == STOP:
        refuse("it stands still, and starts as an action", rule=STOPPED, legal=("start-moving",))
    scene[CHASE].check_declares(scene, who)


def targets(scene: Scene, who: Person, maneuver: str) -> tuple[MoverName | None, ...]:
    """Whom a ram or a shot in the front arc is for: the others who move, or stand in the way."""
    if not maneuver or not scene[MANEUVERS][maneuver].target:
        return (None,)
    chase = scene[CHASE]
    mine = chase.role(who.name)
    return tuple(named(scene, each) for each in chase.all_movers if chase.role(each.name) != mine)


def check_target(scene: Scene, who: Person, target: MoverName | None, maneuver: str, speed: str) -> None:
    """A ram reaches what is no further away than one goes in this round, and what comes towards one."""
    if target is None or maneuver != RAMMING:
        return
    chase, mover = scene[CHASE], mover_of(scene, who)
    mine = distance_at(scene, mover, speed, chase.off_road)
    comes = motion_of(scene, target).backwards is not motion_of(scene, mover).backwards
    theirs = distance_at(scene, target, motion_of(scene, target).speed) if comes else 0
    if abs(chase.gap(mover.name, target.name)) > mine + theirs:
        refuse("it is too far away", what=target.name, rule="d6.maneuver.ramming", legal=("a shorter way",))


def check_scale(scene: Scene, who: Person, maneuver: str) -> None:
    """With simplified scales, what is far too big goes straight."""
    chase, mover = scene[CHASE], mover_of(scene, who)
    others = tuple(
        scale_of_mover(scene, named(scene, each))
        for each in chase.running(scene)
        if chase.role(each.name) != chase.role(who.name)
    )
    if scale_bars(scene, maneuver, scale_of_mover(scene, mover), others):
        refuse("it is too big to follow", what=maneuver, rule="d6.scale.simplified", legal=("straight on",))


def drive_of(scene: Scene, who: Person, speed: str, maneuver: str, also: tuple[str, ...] = ()) -> Drive:
    return Drive(speed, named_maneuvers(maneuver, also), scene[CHASE].course)


def what_follows(scene: Scene, who: Person, speed: str, maneuver: str, target: Any, also: Any) -> Call[ControlResult]:
    """What a declaration leads to: the roll for control."""
    return control(who, mover_of(scene, who), drive_of(scene, who, speed, maneuver, also))


def others_also(scene: Scene, who: Person) -> tuple[str, ...]:
    return tuple(scene[MANEUVERS].names)


Target: TypeAlias = Annotated[MoverName | None, Pick(targets, check_target)]


@action(
    "declare-speed",
    DECLARE,
    bands=CONTROLLED,
    turn=check_declarer,
    check=check_scale,
    foresees=what_follows,
)
async def declare_speed(
    scene: Scene,
    who: Person,
    speed: Speed,
    maneuver: Maneuver = "",
    target: Target = None,
    also: tuple[Annotated[str, Pick(others_also, seldom=True)], ...] = (),
) -> str:
    """Declare the speed and the maneuver of this round: those with less initiative have declared already."""
    mover, maneuvers = mover_of(scene, who), named_maneuvers(maneuver, also)
    at = target.name if target is not None else ""
    await set_motion(mover, motion_of(scene, mover).declaring(speed, maneuvers, at))
    plan = ChasePlan(who.name, ", ".join(maneuvers), speed, at)
    await alter(CHASE, VehicleChase.declared, plan)
    return speed


@rule(f"{DECLARE}/ask", DECLARE)
async def take_declaration(scene: Scene, who: Person) -> str:
    """Whoever says nothing goes on as before, straight ahead; whoever can declare nothing does not control anything."""
    ways = legal_choices([action_of(declare_speed)], scene, who)
    if not ways:
        await alter(CHASE, VehicleChase.declared, ChasePlan(who.name))
        return ""
    keeps = action_of(declare_speed).by(
        who, speed=motion_of(scene, mover_of(scene, who)).speed, maneuver="", target=None, also=()
    )
    chosen = await choose(who, SPEED, ways, default=keeps)
    await chosen.call
    return chosen.key


# --- actions ----------------------------------------------------------------------------------------------------------


@formula(f"{ACTIONS}/control", ACTIONS)
def actions_for_control(scene: Scene, who: Person) -> int:
    """How many of somebody's actions go into control at the speed they have declared."""
    motion = motion_of(scene, mover_of(scene, who))
    steers = pilot_of(scene, mover_of(scene, who)) == who
    return control_actions(scene, planned_drive(scene, who)) if steers and motion.selected else 0


def planned_drive(scene: Scene, who: Person) -> Drive:
    motion = motion_of(scene, mover_of(scene, who))
    return Drive(motion.selected or motion.speed, motion.maneuvers, scene[CHASE].course)


def goes_all_out(scene: Scene, who: Person) -> bool:
    """Whether a pilot has declared a speed at which nothing else is done."""
    motion = motion_of(scene, mover_of(scene, who))
    steers = pilot_of(scene, mover_of(scene, who)) == who
    return steers and bool(motion.selected) and scene[SPEEDS][declared_speed(scene, planned_drive(scene, who).of)].alone


@rule(ACTIONS)
async def take_actions(scene: Scene) -> None:
    """All say at once how many actions they take; without enough of them nobody is in control."""
    fight = scene[FIGHT]
    everybody = tuple(Who(name, Hero) for name in fight.declarers(scene))
    asked = tuple(who for who in everybody if who.name not in fight.planned and not goes_all_out(scene, who))
    said = await together(*(how_many(scene, who) for who in asked)) if asked else ()
    planned = {who.name: actions_for_control(scene, who) for who in everybody if goes_all_out(scene, who)}
    planned |= {who.name: actions for who, actions in zip(asked, said, strict=True)}
    for name in scene[CHASE].leading & set(planned):
        planned[name] += scene[COST_OF_COMMAND]
    await alter(FIGHT, IndividualCombat.planning, Levels({**fight.planned, **planned}))
    await alter(CHASE, VehicleChase.actions_asked)


def how_many(scene: Scene, who: Person) -> Any:
    needed = actions_for_control(scene, who)
    most = 1 if who.name in scene[FIGHT].fumbled else max(most_actions(scene, who), needed + 1)
    usual = needed or (0 if pilot_of(scene, mover_of(scene, who)) == who and who.name in scene[CHASE].laid else 1)
    return choose(who, DECLARATION, tuple(range(most + 1)), default=min(usual, most))


# --- control ----------------------------------------------------------------------------------------------------------


def next_to_drive(scene: Scene, chase: VehicleChase) -> Person | None:
    """The pilot whose first rank has come: nobody acts before whoever steers at a higher one."""
    fight = scene[FIGHT]
    waiting = [each.driver for each in chase.running(scene) if is_to_drive(scene, chase, each)]
    if not waiting:
        return None
    first = max(waiting, key=lambda name: fight.scores.get(name, 0))
    acting = next(iter(fight.group(scene)), "")
    if acting and fight.place(acting, fight.taken.get(acting, 0)) < fight.place(first, 0):
        return None
    return Who(first, Hero)


def is_to_drive(scene: Scene, chase: VehicleChase, mover: Mover) -> bool:
    """Whether something in motion has not been driven in this round, and could be."""
    now = motion_of(scene, named(scene, mover))
    if now.driven or not is_moving(scene, mover) or now.spinning or mover.driver in chase.resolved:
        return False
    return bool(now.selected) or now.stalled is not None


@rule(RESOLVE, "d6.movement.high", "d6.movement.all-out", bands=CONTROLLED)
async def drive_as_planned(scene: Scene, who: Person) -> ControlResult:
    """Control at the pilot's first rank, for what it costs; then a ram. Whoever has too few actions does without it."""
    mover = mover_of(scene, who)
    await alter(CHASE, VehicleChase.done, who.name)
    cost, left = actions_for_control(scene, who), scene[FIGHT].left.get(who.name, 0)
    if left < cost:
        return ControlResult("Out of control", 0, motion_of(scene, mover).speed)
    await pay_for_control(who, cost)
    if motion_of(scene, mover).stalled is not None:
        test = await recovery(who, mover)
        return ControlResult("In control" if test.success else "Out of control", test.margin, "")
    drive = planned_drive(scene, who)
    return await hand_over(control(who, mover, drive), then=lambda found: after_driving(who, mover, drive, found))


@rule(f"{RESOLVE}/pay", RESOLVE, "d6.movement.cautious", "d6.movement.cruise")
async def pay_for_control(scene: Scene, who: Person, cost: int) -> None:
    """Slow control is no action; at High speed it is two at one rank, and all out it is everything."""
    if goes_all_out(scene, who):
        await alter(FIGHT, IndividualCombat.doing_nothing_else, who.name)
    elif cost:
        await alter(FIGHT, IndividualCombat.spending, who.name, cost)
        await alter(FIGHT, IndividualCombat.waiting, who.name)


def after_driving(who: Person, mover: MoverName, drive: Drive, found: ControlResult) -> Call[None] | None:
    return turns_and_rams(who, mover, drive) if found.in_control and drive.maneuvers else None


@rule(f"{RESOLVE}/then", RESOLVE, "d6.maneuver.bootlegger", "d6.maneuver.ramming")
async def turns_and_rams(scene: Scene, who: Person, mover: MoverName, drive: Drive) -> None:
    """Some maneuvers turn around; a ram is part of the same action."""
    if any(scene[MANEUVERS][name].turns_around for name in drive.maneuvers):
        await set_motion(mover, motion_of(scene, mover).turned())
    target = motion_of(scene, mover).target
    if RAMMING in drive.maneuvers and target in scene.state:
        await ram_mover(who, mover, scene.who(target))


# --- starting, and who is lent initiative -----------------------------------------------------------------------------


def check_standing(scene: Scene, who: Person) -> None:
    """Whoever steers something that stands still."""
    check_turn(scene, who)
    check_steers(scene, who)
    if CHASE not in scene:
        refuse("there is no chase", rule=STOPPED, legal=("drive",))
    if motion_of(scene, mover_of(scene, who)).speed != STOP:
        refuse("it moves already", rule=STOPPED, legal=("declare-speed",))


@fight_action("start-moving", STOPPED, bands=CONTROLLED, turn=check_standing, skilled=False)
async def start_moving(scene: Scene, who: Person, speed: Speed) -> ControlResult:
    """Get going: an ordinary action, at any of one's ranks."""
    return await hand_over(control(who, mover_of(scene, who), drive_of(scene, who, speed, "")))


def teammates(scene: Scene, who: Person) -> tuple[Person, ...]:
    if CHASE not in scene:
        return ()
    chase = scene[CHASE]
    own = [each.driver for each in chase.running(scene) if chase.role(each.name) == chase.role(who.name)]
    return tuple(Who(name, Hero) for name in own if name != who.name)


def check_leader(scene: Scene, who: Person) -> None:
    """Once a round, before speeds are declared."""
    check_able(scene, who)
    if CHASE not in scene or scene[FIGHT].phase is not RoundPhase.DECLARE or scene[CHASE].laid:
        refuse("initiative is lent before speeds are declared", rule=COMMAND)
    if who.name in scene[CHASE].leading:
        refuse("once a round", rule=COMMAND)


@action("lend-initiative", COMMAND, "d6.tasks.command-table", turn=check_leader)
async def lend_initiative(
    scene: Scene, who: Person, mates: tuple[Annotated[Person, Pick(teammates)], ...]
) -> tuple[str, ...]:
    """A leader gives teammates the own initiative, by Command; it costs an action that is declared."""
    codes = [own_code(scene, each, piloting_skill(scene, mover_of(scene, each), each)) for each in mates]
    pips = sum(code.in_pips(scene[PIPS_PER_DIE]) for code in codes) // max(1, len(codes))
    found = await coordinate(who, len(mates), Code(*divmod(pips, scene[PIPS_PER_DIE])))
    led = tuple(each.name for each in mates[: found.coordinated])
    mine = movement_code(scene, who).in_pips(scene[PIPS_PER_DIE])
    await alter(CHASE, VehicleChase.lending, who.name, mine, led)
    await alter(CHASE, VehicleChase.ordered, chase_order(scene, await movement_totals()))
    return led


# --- the end of the round ---------------------------------------------------------------------------------------------


@rule(END)
async def end_chase_round(scene: Scene, me: Who[VehicleChase]) -> None:
    """Whoever was not in control pays for it; then everybody is where their way has taken them."""
    for each in scene[me].all_movers:
        if each.name in scene.state and is_moving(scene, each) and not motion_of(scene, named(scene, each)).driven:
            await uncontrolled(named(scene, each))
    for role in (QUARRY, PURSUER):
        for each in (one for one in scene[me].all_movers if scene[me].role(one.name) == role):
            await goes_along(me, each.name)
    if turns_back(scene, scene[me]):
        await alter(me, VehicleChase.turned_around)
        for each in scene[me].all_movers:
            await set_motion(named(scene, each), motion_of(scene, named(scene, each)).turned())
    await lose_and_catch(me)
    for each in scene[me].all_movers:
        await set_motion(named(scene, each), motion_of(scene, named(scene, each)).round_over())
    await alter(me, VehicleChase.movement_over)


@rule(f"{END}/uncontrolled", END, "d6.movement.failed-roll")
async def uncontrolled(scene: Scene, mover: MoverName) -> None:
    """A missed roll by the whole difficulty; what spins goes a quarter of its way, and what falls, none."""
    now = motion_of(scene, mover)
    drive = Drive(now.selected or now.speed, now.maneuvers, scene[CHASE].course)
    if now.spinning or now.stalled is not None:
        share = 4 if now.spinning else 0
        whole = distance_at(scene, mover, now.speed)
        await set_motion(mover, now.moved(now.speed, whole / share if share else 0))
        return
    margin = movement_difficulty(scene, mover, drive)
    await tell("uncontrolled", mover=mover.name)
    await move_on(
        mover, drive, missed_by(scene, mover, drive, margin) if margin > 0 else as_planned(scene, mover, drive, 0)
    )


@rule(f"{END}/moves", END, "d6.movement.speed-choice")
async def goes_along(scene: Scene, me: Who[VehicleChase], name: str) -> None:
    """As far as it goes; a pursuer no further than beside the quarry, and nobody less far than they must."""
    chase, now = scene[me], motion_of(scene, scene.who(name))
    if not now.driven or not now.metres:
        return
    way = now.metres
    if chase.role(name) == PURSUER and not now.backwards:
        way = max(now.least, min(way, max(0, chase.gap_to_quarry(scene, name))))
    await alter(me, VehicleChase.moved, name, int(-way if now.backwards else way))


def turns_back(scene: Scene, chase: VehicleChase) -> bool:
    """Whether everybody who flees goes the other way, so that the road does."""
    fleeing = chase.running(scene, QUARRY)
    return bool(fleeing) and all(motion_of(scene, named(scene, each)).backwards for each in fleeing)


@rule(f"{END}/distance", END, ROUND)
async def lose_and_catch(scene: Scene, me: Who[VehicleChase]) -> None:
    """Whoever is too far behind has lost the quarry, and fights no more; one that stands beside a pursuer is caught."""
    bands = tuple(scene[BANDS])
    for each in scene[me].running(scene, PURSUER):
        if band_at(bands, abs(scene[me].gap_to_quarry(scene, each.name))) is None:
            await alter(me, VehicleChase.losing, each.name)
            await tell("falls-behind", mover=each.name)
    if not scene[me].running(scene, PURSUER):
        await alter(me, VehicleChase.ending, ESCAPED)
        await end_fight()
        return
    for each in scene[me].running(scene, QUARRY):
        near = [abs(scene[me].gap(one.name, each.name)) for one in scene[me].running(scene, PURSUER)]
        if is_moving(scene, each) or min(near) > (bands[0].up_to or 0):
            return
    await alter(me, VehicleChase.ending, CAUGHT)


# --- beginning and ending ---------------------------------------------------------------------------------------------


def anybody(scene: Scene, who: object) -> tuple[Person, ...]:
    return scene.all(Hero)


def usual_speeds(scene: Scene, who: object) -> tuple[str, ...]:
    return tuple(scene[SPEEDS].names)


People: TypeAlias = tuple[Annotated[Person, Pick(anybody)], ...]


def check_chase(scene: Scene, _: None, quarry: People, pursuers: People) -> None:
    """Two sides, nobody on both, and no other chase; a fight that goes on becomes one."""
    if CHASE in scene:
        refuse("there is a chase already", rule=ROUND, legal=("end-chase",))
    if not quarry or not pursuers:
        refuse("somebody flees, and somebody follows", rule=ROUND)
    sides = [{mover_of(scene, each).name for each in side} for side in (quarry, pursuers)]
    if sides[0] & sides[1]:
        refuse("nobody flees from themselves", rule=ROUND, legal=("two vehicles",))


@action("begin-chase", f"{ROUND}/begin", ROUND, master=True, check=check_chase)
async def begin_chase(
    scene: Scene,
    quarry: People,
    pursuers: People,
    gap: Annotated[int, suggest(20, 50, 100)] = 50,
    speed: Annotated[str, Pick(usual_speeds)] = "Cruise",
    terrain: Terrain = "Clear",
    off_road: bool = False,
    obstacle: bool = True,
    attraction: bool = True,
) -> None:
    """Some flee, others follow, so many metres behind, in whatever they sit or on foot."""
    crews = [everybody_with(scene, side) for side in (quarry, pursuers)]
    if FIGHT not in scene:
        one, other = (tuple(Who(name, Hero) for name in crew) for crew in crews)
        await begin_fight(one, other)
    movers = []
    for at, side in ((gap, quarry), (0, pursuers)):
        for mover in dict.fromkeys(mover_of(scene, each) for each in side):
            usual = motion_of(scene, mover)
            await set_motion(
                mover, replace(usual, speed=speed if usual.speed == STOP else usual.speed, backwards=False)
            )
            movers.append(as_it_is(scene, Mover(mover.name, at=at)))
    begun = VehicleChase(tuple(crews), movers=tuple(movers), terrain=terrain, off_road=off_road)
    await change(CHASE, replace(begun, obstacle=obstacle, attraction=attraction, round=scene[FIGHT].round))


def everybody_with(scene: Scene, side: People) -> tuple[str, ...]:
    """Everybody who moves with these; a mount goes where its rider does."""
    movers = dict.fromkeys(mover_of(scene, each) for each in side)
    ridden = {mover.name for mover in movers if motion_of(scene, mover).rider}
    names = dict.fromkeys(who.name for mover in movers for who in people_with(scene, mover))
    return tuple(name for name in names if name not in ridden)


def check_going_on(scene: Scene, who: object) -> None:
    if CHASE not in scene:
        refuse("there is no chase", rule=ROUND, legal=("begin-chase",))


@action("end-chase", f"{ROUND}/end", ROUND, master=True, check=check_going_on)
async def end_chase(scene: Scene, how: Annotated[str, suggest(ESCAPED, CAUGHT)] = ESCAPED) -> None:
    """The chase is over; the fight that it was part of goes on, if anybody is left to fight."""
    await alter(CHASE, VehicleChase.ending, how)


def drivers(scene: Scene, who: object) -> tuple[Person, ...]:
    return tuple(Who(each.driver, Hero) for each in scene[CHASE].running(scene)) if CHASE in scene else ()


@action("favor-in-chase", f"{ORDER}/favor", ORDER, master=True, check=check_going_on)
async def favor(
    scene: Scene, driver: Annotated[Person, Pick(drivers)], pips: Annotated[int, suggest(3, -3, 6)] = 3
) -> None:
    """Speed helps at long range, and hurts at close range: pips of initiative for somebody, from the next round on."""
    await alter(CHASE, VehicleChase.favoring, driver.name, pips)
