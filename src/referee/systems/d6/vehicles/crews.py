"""Crews: how many a vehicle takes, what too few of them cost, control from afar, vehicles that move by themselves."""

from __future__ import annotations

from dataclasses import replace
from enum import Enum
from typing import Annotated, Final, TypeAlias

from referee.core import (
    DIFFICULTY,
    TOTAL,
    Effect,
    Mod,
    Mods,
    Pick,
    Scene,
    Who,
    alter,
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
)
from referee.core.effects import Forbids
from referee.kits.dice_codes import Stats
from referee.systems.d6.combat.round import fight_action
from referee.systems.d6.resolution import TESTED, Difficulty, TestResult, roll_against
from referee.systems.d6.rolls import ROUND_END
from referee.systems.d6.sheet import Hero, Person
from referee.systems.d6.vehicles.vehicle import PILOT, Craft, CrewPost, Vehicle, vehicles
from referee.systems.d6.wounds import DEAD, MORTAL

MINIMUM: Final = "d6.crew.minimum"
REDUCED: Final = "d6.crew.reduced"
REMOTE: Final = "d6.crew.remote-control"
ROBOTS: Final = "d6.crew.robots"
POSITIONS: Final = "d6.crew.control-positions"
CONTROLLED: Final = "control from afar"
COMBAT: Final = "combat"
SAME_POSITION: Final = {PILOT: "helm", "gunner": COMBAT, "guns": COMBAT, "engineer": "engineering"}
"""Posts of small vehicles, and the control position each is on big ones."""


class ReducedRolls(Enum):
    """Which rolls a crew that is too small makes harder."""

    ALL = "all"
    POSTS = "posts"


@figures(REDUCED)
class ReducedCrew:
    """By how much a part of the crew that is missing raises difficulties."""

    percent: int
    difficulty: int


@frozen
class RobotAbility:
    """What an attribute lets a robot vehicle do, and which other it needs."""

    name: str
    needs: str = ""
    with_: str = ""
    grants: tuple[str, ...] = ()


@frozen
class ControlPosition:
    """A control position of a big vehicle: what it controls, and what is ordered there."""

    name: str
    controls: str
    order: str


ROBOT_ABILITIES: Final = rows(ROBOTS, "abilities", RobotAbility)
ROBOTS_TOGETHER: Final = rows(ROBOTS, "together", RobotAbility)
POSITION_ROWS: Final = rows(POSITIONS, "positions", ControlPosition)
REDUCED_ROLLS: Final = option(REDUCED, ReducedRolls)
JAM_SKILL: Final = figure(REMOTE, "jam", str)


# --- how many there are -----------------------------------------------------------------------------------------------


def is_up(scene: Scene, name: str) -> bool:
    """Whether somebody can do anything: whoever has no sheet is one of the crew."""
    who = Who(name, Hero)
    return who not in scene or (scene[who].unconscious is None and scene[who].wound not in (MORTAL, DEAD))


@formula(MINIMUM)
def crew_at_work(scene: Scene, craft: Craft) -> int:
    """How many run it: those at posts who are up, and the hands aboard; of a crew of one that one does everything."""
    of = scene[craft]
    return sum(is_up(scene, each) for each in of.at_posts if each in of.aboard) + of.hands


@formula(f"{REDUCED}/workable", REDUCED, MINIMUM)
def is_workable(scene: Scene, craft: Craft) -> bool:
    """Whether it can be run: not with fewer than its minimum, unless it is controlled from afar or is a robot."""
    of = scene[craft]
    if any(each.remote and each.post == PILOT for each in of.posts):
        return of.minimum_crew == 0 and not is_jammed(scene, craft)
    return crew_at_work(scene, craft) >= of.minimum_crew


def check_workable(scene: Scene, craft: Craft) -> None:
    """Refuse what takes more people than there are."""
    if not is_workable(scene, craft):
        least = scene[craft].minimum_crew
        refuse(f"it takes a crew of {least}", what=craft.name, rule=REDUCED, legal=(f"{least} people at posts",))


# --- too few ----------------------------------------------------------------------------------------------------------


@formula(REDUCED)
def reduced_crew(scene: Scene, crew: int, there: int) -> int:
    """By how much difficulties are raised: 1 for every full 5 percent of the crew that is missing."""
    if crew <= 0 or there >= crew:
        return 0
    of = scene[ReducedCrew]
    return (crew - there) * 100 // crew // of.percent * of.difficulty


@formula(f"{REDUCED}/mods", REDUCED, POSITIONS)
def reduced_crew_mods(scene: Scene, craft: Craft, position: str = "") -> Mods:
    """What a crew that is too small costs a roll; if the campaign says so, only at positions that nobody holds."""
    of, there = scene[craft], crew_at_work(scene, craft)
    if scene[REDUCED_ROLLS] is ReducedRolls.POSTS and position and holders(scene, of, position):
        return ()
    more = reduced_crew(scene, of.crew, there) - (of.remote_aid if not there else 0)
    return (Mod(more, f"{there} of a crew of {of.crew}", REDUCED, unit=DIFFICULTY),) if more > 0 else ()


def on_the_total(mods: Mods) -> Mods:
    """What raises difficulties lowers the total of a roll that has none, such as a reaction."""
    return tuple(replace(mod, amount=-mod.amount, unit=TOTAL) for mod in mods)


def holders(scene: Scene, vehicle: Vehicle, position: str) -> tuple[str, ...]:
    """Those at a control position who are up: the pilot is at the helm, whoever serves a weapon in combat."""
    found = (each for each in vehicle.posts if position_of(each) == position.casefold())
    return tuple(each.who for each in found if is_up(scene, each.who))


def position_of(post: CrewPost) -> str:
    return COMBAT if post.weapon else SAME_POSITION.get(post.post.casefold(), post.post.casefold())


@formula(POSITIONS)
def officers(scene: Scene, craft: Craft) -> dict[str, tuple[str, ...]]:
    """Those at each control position, whoever leads it first; nobody, where it is left to the crew."""
    found = {row.name: holders(scene, scene[craft], row.name) for row in scene[POSITION_ROWS]}
    leads = {each.who for each in scene[craft].posts if each.officer}
    return {name: tuple(sorted(names, key=lambda who: who not in leads)) for name, names in found.items()}


# --- from afar, or by itself ------------------------------------------------------------------------------------------


def is_jammed(scene: Scene, craft: Craft) -> bool:
    """Whether nothing reaches it by which it is controlled."""
    return any(each.effect.does == Forbids(CONTROLLED) for each in applying(scene, craft).active)


def check_remote(scene: Scene, who: Person, craft: Craft) -> None:
    """Only what is made for it, with nobody at the wheel, and while nobody jams it."""
    of = scene[craft]
    if not of.remote or of.minimum_crew > 0:
        refuse("it cannot be controlled from afar", what=craft.name, rule=REMOTE, legal=("take-post",))
    if of.pilot not in ("", who.name):
        refuse(f"{of.pilot} is at the wheel", what=craft.name, rule=REMOTE)
    if is_jammed(scene, craft):
        refuse("somebody jams it", what=craft.name, rule=REMOTE, legal=("next round",))


def remote_vehicles(scene: Scene, who: Person) -> tuple[Craft, ...]:
    return tuple(each for each in vehicles(scene, who) if scene[each].remote)


Remote: TypeAlias = Annotated[Craft, Pick(remote_vehicles, check_remote)]


@fight_action("control-remotely", REMOTE, skilled=False)
async def control_remotely(scene: Scene, who: Person, craft: Remote) -> None:
    """Take the controls of a vehicle from afar; one needs not see it, if it has sensors."""
    await alter(craft, Vehicle.with_post, CrewPost(PILOT, who.name, remote=True))


@fight_action("jam-control", f"{REMOTE}/jam", REMOTE, "d6.skills.communications", bands=TESTED)
async def jam_control(
    scene: Scene,
    who: Person,
    craft: Annotated[Craft, Pick(remote_vehicles)],
    difficulty: Difficulty = 15,
    mods: Mods = (),
) -> TestResult:
    """Jam what a vehicle is controlled by, until the round ends."""
    return await hand_over(
        roll_against(who, scene[JAM_SKILL], difficulty, mods), then=lambda test: jammed(craft) if test.success else None
    )


@rule(f"{REMOTE}/jammed", REMOTE)
async def jammed(scene: Scene, craft: Craft) -> None:
    """Nobody controls it from afar in this round."""
    await lay(craft, Effect(Forbids(CONTROLLED), until=ROUND_END), source="jammed")


@formula(ROBOTS)
def robot_abilities(scene: Scene, craft: Craft) -> tuple[str, ...]:
    """What a robot vehicle can do by itself: what its attributes grant, and those that they need."""
    own = scene[craft].own_abilities
    if scene[craft].crew:
        return ()
    has = tuple(row for row in scene[ROBOT_ABILITIES] if row.name in own and is_supported(scene, own, row))
    names = {row.name for row in has}
    more = (row for row in scene[ROBOTS_TOGETHER] if {row.name, row.with_} <= names)
    return tuple(grant for row in (*has, *more) for grant in row.grants)


def is_supported(scene: Scene, own: Stats, row: RobotAbility) -> bool:
    """Whether it has what an attribute needs, all the way down."""
    if not row.needs:
        return True
    return row.needs in own and is_supported(scene, own, scene[ROBOT_ABILITIES][row.needs])


@formula(f"{ROBOTS}/check", ROBOTS)
def check_robot(scene: Scene, craft: Craft, doing: str) -> None:
    """A robot vehicle does only what its attributes let it."""
    if doing not in robot_abilities(scene, craft):
        needs = next((row.name for row in scene[ROBOT_ABILITIES] if doing in row.grants), "")
        refuse(f"it has no {needs}" if needs else "it cannot", what=doing, legal=("follow its program",))
