"""A chase: who flees and who follows, in what, how far apart they are, and how a chase begins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Any, ClassVar, Final, TypeAlias

from referee.core import (
    Call,
    Open,
    Pick,
    Refused,
    Scene,
    Who,
    action,
    applying,
    change,
    figure,
    formula,
    frozen,
    refuse,
    rows,
)
from referee.core.audience import Audience
from referee.core.rules import rule_named
from referee.kits.chases import (
    PURSUER,
    QUARRY,
    ChaseBand,
    ChaseManeuver,
    ChasePlan,
    Declaring,
    Mover,
    Pursuit,
    RoadAhead,
)
from referee.systems.yearzero.battle import BATTLE
from referee.systems.yearzero.harm import can_act
from referee.systems.yearzero.initiative import Fighters
from referee.systems.yearzero.sheet import AGILITY, Person, Survivor
from referee.systems.yearzero.vehicles.critical_damage import LOST_TURN
from referee.systems.yearzero.vehicles.vehicle import (
    AVehicle,
    RatedVehicle,
    check_goes,
    driver_of,
    speed_of,
    vehicle_of,
)

START: Final = "yearzero.chase.start"
ROUND: Final = "yearzero.chase.round"
MANEUVERS: Final = "yearzero.chase.maneuvers"
MULTIPLE: Final = "yearzero.chase.multiple"
TWO_SIDES, SEPARATE = "two sides", "separate"


@frozen
class ChaseManeuverRow(ChaseManeuver):
    """A maneuver: what is rolled for it on foot, and the rule that carries it out."""

    skill: str = ""
    specialty: str = ""
    opposed_by: str = ""
    fast: bool = False
    """Whether a vehicle's Speed is rolled, and not its Maneuverability."""
    run: str = ""
    ends: str = ""
    """How the chase ends with it, before anything is rolled."""


RANGES: Final = rows(START, "ranges", ChaseBand)
MAX_START: Final = figure(START, "max_start", str)
MANEUVER_ROWS: Final = rows(MANEUVERS, "maneuvers", ChaseManeuverRow, also=("yearzero.chase.end/maneuvers",))
WAYS: Final = figure(MULTIPLE, "ways", tuple[str, ...])
MOVEMENT: Final = "Pursue/Flee"
SHOOTING: Final = "Stand and Shoot"
SPOKEN: Final = {QUARRY: "Flee", PURSUER: "Pursue"}
"""What the maneuver that both have is called by who takes it."""


@frozen
class PendingHurt:
    """What hits somebody at the end of a round: a die of damage, or so many base dice of an attack."""

    who: str
    sides: int = 0
    dice: int = 0


@frozen
class RangeChase(Pursuit):
    """A chase in progress. Its steps are ranges: with none between them two are at Arm's Length."""

    declares: ClassVar = Declaring.FACE_DOWN

    played_as: Open[str] = TWO_SIDES
    """Whether the slowest of each side acts for all, or everybody alone."""
    open_ground: Open[bool] = False
    """Whether speed tells here, so that whoever runs from a vehicle has no chance to turn."""
    blocked: Open[frozenset[str]] = frozenset()
    """Who must get past what somebody has thrown in their way."""
    pending: Open[tuple[PendingHurt, ...]] = ()
    """What hits whom once everybody has had their maneuver."""

    def bands(self, scene: Scene) -> Sequence[ChaseBand]:
        return tuple(scene[RANGES])

    def is_able(self, scene: Scene, who: str) -> bool:
        runner = Who(who, Survivor)
        return who not in self.gone and runner in scene and can_act(scene[runner])

    def runs(self, scene: Scene, mover: Mover) -> bool:
        """Whoever steers is able, and what they steer goes."""
        vehicle = Who(mover.name, RatedVehicle)
        return self.is_able(scene, mover.driver) and (vehicle not in scene or goes(scene, vehicle))

    def drivers(self, scene: Scene) -> tuple[str, ...]:
        """Those who choose a maneuver: of two sides the slowest each, but nobody who has lost their turn."""
        movers = self.running(scene)
        if self.played_as == TWO_SIDES:
            movers = tuple(found for role in (QUARRY, PURSUER) for found in slowest(scene, self, role))
        able = (Who(mover.driver, Survivor) for mover in movers)
        return tuple(who.name for who in able if not has_lost_turn(scene, who))

    def next_step(self, scene: Scene, me: Who[Any]) -> Call[Any]:
        return rule_named(ROUND)(me)

    def in_order(self, scene: Scene) -> tuple[Mover, ...]:
        """The movers whose plans are to be resolved: whoever is ahead comes first."""
        waiting = [mover for mover in self.running(scene) if self.plan(mover.name) is not None]
        return tuple(sorted(waiting, key=lambda mover: (self.role(mover.name) != QUARRY, -mover.at)))

    def going(self, name: str, by: int) -> RangeChase:
        """Somebody is further along the road; where sides act as one, with all of their side."""
        mover = self.mover(name)
        moving = (mover,) if self.played_as == SEPARATE else self.of_side(mover)
        changed: RangeChase = self
        for each in moving:
            changed = changed.moved(each.name, by)
        return changed

    def of_side(self, mover: Mover) -> tuple[Mover, ...]:
        role = self.role(mover.name)
        return tuple(each for each in self.all_movers if self.role(each.name) == role)

    def parted(self, behind: str, before: str, gap: int) -> RangeChase:
        """So far apart: the one behind has fallen back or come nearer."""
        return self.going(behind, self.gap(behind, before) - gap)

    def blocking(self, name: str) -> RangeChase:
        return replace(self, blocked=self.blocked | {name})

    def clear(self) -> RangeChase:
        """Nobody is blocked, and nothing more is to come."""
        return replace(self, blocked=frozenset(), pending=())

    def hurting(self, hurt: PendingHurt) -> RangeChase:
        return replace(self, pending=(*self.pending, hurt))

    def placing(self, obstacle: str) -> RangeChase:
        """With an obstacle that only the game master knows to come, or with none."""
        rest = tuple(each for each in self.ahead if each.audience is not Audience.MASTER)
        coming = (RoadAhead(obstacle, audience=Audience.MASTER),) if obstacle else ()
        return replace(self, ahead=(*rest, *coming))

    @property
    def placed(self) -> str:
        """The obstacle that the game master has placed, as far as one may know."""
        return next((each.name for each in self.ahead if each.audience is Audience.MASTER), "")


CHASE: Final = Who("chase", RangeChase)
AChase: TypeAlias = Who[RangeChase]


def goes(scene: Scene, vehicle: AVehicle) -> bool:
    """Whether a vehicle can go on."""
    try:
        check_goes(scene, vehicle)
    except Refused:
        return False
    return True


def has_lost_turn(scene: Scene, who: Person) -> bool:
    try:
        applying(scene, who).check_allowed(LOST_TURN, rule=ROUND)
    except Refused:
        return True
    return False


# --- who is where -----------------------------------------------------------------------------------------------------


@formula(MULTIPLE)
def slowest(scene: Scene, chase: RangeChase, role: str) -> tuple[Mover, ...]:
    """Of a side whoever has the fewest base dice to pursue or flee; the first of equals, as the side is listed."""
    return tuple(sorted(chase.running(scene, role), key=lambda mover: pace_of(scene, mover))[:1])


def pace_of(scene: Scene, mover: Mover) -> int:
    """The base dice of a mover: a vehicle's Speed, or what is left of somebody's Agility."""
    vehicle = Who(mover.name, RatedVehicle)
    return speed_of(scene, vehicle) if vehicle in scene else scene[Who(mover.driver, Survivor)].now(AGILITY)


def vehicle_in(scene: Scene, mover: Mover) -> AVehicle | None:
    """The vehicle that a mover is; None on foot."""
    vehicle = Who(mover.name, RatedVehicle)
    return vehicle if vehicle in scene else None


def others_of(scene: Scene, me: AChase, who: Person) -> tuple[Mover, ...]:
    """Whom somebody flees from or follows: the slowest of the other side, or everybody else."""
    chase = scene[me]
    if chase.played_as == TWO_SIDES:
        return slowest(scene, chase, PURSUER if chase.role(who.name) == QUARRY else QUARRY)
    mine = chase.mover(who.name)
    return tuple(each for each in chase.running(scene) if each.name != mine.name)


def is_ahead(scene: Scene, me: AChase, who: Person, other: Mover) -> bool:
    """Whether somebody follows another: by side, or by who is further along the road."""
    chase = scene[me]
    if chase.played_as == TWO_SIDES:
        return chase.role(who.name) == PURSUER
    mine = chase.mover(who.name)
    return (other.at, chase.role(other.name) == QUARRY) > (mine.at, chase.role(mine.name) == QUARRY)


def steps_to(scene: Scene, me: AChase, who: Person, other: Mover) -> int:
    """How many steps are between somebody and another mover."""
    return abs(scene[me].gap(who.name, other.name))


def range_to(scene: Scene, me: AChase, who: Person, other: Mover) -> ChaseBand | None:
    """The range to another mover; None beyond the last."""
    return scene[me].band(scene, who.name, other.name)


# --- how it begins ----------------------------------------------------------------------------------------------------


def starts(scene: Scene, who: object = None) -> tuple[str, ...]:
    """The ranges a chase may begin at."""
    names = scene[RANGES].names
    return names[: names.index(scene[RANGES].look(scene[MAX_START]).name) + 1]


def ways(scene: Scene, who: object = None) -> tuple[str, ...]:
    return scene[WAYS]


def check_starts(scene: Scene, who: None, quarry: tuple[Person, ...], pursuers: tuple[Person, ...]) -> None:
    """Two sides, nobody on both, and a driver in every vehicle."""
    if BATTLE in scene:
        refuse("a fight goes on", rule=START, legal=("end-battle",))
    if CHASE in scene:
        refuse("there is a chase already", rule=START)
    if not quarry or not pursuers:
        refuse("each side has somebody on it", rule=START)
    if both := [each.name for each in quarry if each in pursuers]:
        refuse(f"{both[0]} cannot be on both sides", rule=START)
    for each in (*quarry, *pursuers):
        if (mine := vehicle_of(scene, each)) is not None:
            check_goes(scene, mine)
            if driver_of(scene, mine) is None:
                refuse(f"nobody drives {mine}", rule=START, legal=("change-seat",))


StartRange: TypeAlias = Annotated[str, Pick(starts)]
ChaseWay: TypeAlias = Annotated[str, Pick(ways)]


@action("begin-chase", START, check=check_starts, master=True)
async def begin_chase(
    scene: Scene,
    quarry: Fighters,
    pursuers: Fighters,
    distance: StartRange = "Medium",
    way: ChaseWay = TWO_SIDES,
    open_ground: bool = False,
) -> None:
    """Who flees and who follows, how far apart; whoever is in a vehicle comes with everybody in it."""
    steps = scene[RANGES][distance].up_to or 0
    sides = tuple(with_riders(scene, side) for side in (quarry, pursuers))
    movers = (*movers_of(scene, sides[0], steps), *movers_of(scene, sides[1], 0))
    await change(CHASE, RangeChase(sides, movers=movers, played_as=way, open_ground=open_ground, round=1))


def with_riders(scene: Scene, side: tuple[Person, ...]) -> tuple[str, ...]:
    """The people of a side, and whoever rides with them."""
    found = dict.fromkeys(each.name for each in side)
    for each in side:
        mine = vehicle_of(scene, each)
        found |= dict.fromkeys(scene[mine].crew if mine is not None else ())
    return tuple(found)


def movers_of(scene: Scene, side: tuple[str, ...], at: int) -> tuple[Mover, ...]:
    """Each vehicle with who drives and who rides along; whoever is on foot, by themselves."""
    found: dict[str, Mover] = {}
    for name in side:
        mine = vehicle_of(scene, Who(name, Survivor))
        if mine is None:
            found[name] = Mover(name, at=at)
        elif (driver := driver_of(scene, mine)) is not None:
            riders = tuple(each for each in scene[mine].crew if each != driver.name)
            found[mine.name] = Mover(mine.name, driver.name, riders, at)
    return tuple(found.values())


# --- what may be chosen -----------------------------------------------------------------------------------------------


def row_of(scene: Scene, way: str) -> ChaseManeuverRow:
    """The row of a maneuver, however it is called by who takes it."""
    name = way.partition(": ")[0]
    return scene[MANEUVER_ROWS][MOVEMENT if name in SPOKEN.values() else name]


def target_of(scene: Scene, me: AChase, who: Person, way: str) -> Mover | None:
    """Whom a maneuver is against: whoever it names, or the nearest of the others."""
    named = way.partition(": ")[2]
    others = others_of(scene, me, who)
    if named:
        return next((each for each in others if each.name == named), None)
    ahead = [each for each in others if is_ahead(scene, me, who, each)]
    return min(ahead or others, key=lambda each: steps_to(scene, me, who, each), default=None)


def plan_of(who: Person, way: str) -> ChasePlan:
    return ChasePlan(who.name, way)
