"""Obstacles: what a round of a chase brings, what it does to maneuvers, and whom it hurts."""

from __future__ import annotations

from dataclasses import field
from typing import Annotated, Final

from referee.core import (
    D6,
    Bands,
    Hidden,
    Levels,
    Mod,
    Mods,
    Pick,
    Pool,
    Prompt,
    Scene,
    SymbolCounts,
    Total,
    Who,
    action,
    alter,
    choose,
    figure,
    formula,
    frozen,
    number_die,
    option,
    refuse,
    roll,
    rows,
    rule,
    rule_on,
    tell,
)
from referee.kits.chases import CAUGHT, ESCAPED, QUARRY, Mover, RoadAhead, RoadObstacle
from referee.kits.year_zero import SIX
from referee.systems.yearzero.attacks import AfterBlow, come_through
from referee.systems.yearzero.chases.chase import (
    CHASE,
    AChase,
    ChaseManeuverRow,
    PendingHurt,
    RangeChase,
    range_to,
    row_of,
    target_of,
    vehicle_in,
)
from referee.systems.yearzero.defence import DeclaredAttack
from referee.systems.yearzero.rapid_fire import base_die
from referee.systems.yearzero.rolls import NO_ACTION, Attempt, roll_skill
from referee.systems.yearzero.sheet import Person, Survivor, Target
from referee.systems.yearzero.vehicles.damage import COLLISION
from referee.systems.yearzero.vehicles.driving import driving

OBSTACLES: Final = "yearzero.chase.obstacles"
SPECIAL: Final = "yearzero.chase.special-obstacles"
DIE: Final = figure(OBSTACLES, "die", int)
DICE: Final = figure(OBSTACLES, "dice", int)
WITH_SPECIAL: Final = option(SPECIAL)
OBSTACLE: Final = Prompt("chase-obstacle")
NARROW: Final = Prompt("narrow-pass")
DEBRIS: Final = Prompt("chase-damage")
HOSTILES: Final = Prompt("hostiles")
HOSTILE_DICE: Final = Prompt("hostile-dice")
THROUGH, SLOWLY = "through", "slowly"
PASSED: Final[Bands[bool]] = Bands(of=lambda passed: "success" if passed else "failure", keys=("success", "failure"))


@frozen
class ChaseObstacleRow(RoadObstacle):
    """What a round may bring: what it adds to maneuvers, and what comes of those that fail or use it."""

    collateral: tuple[str, ...] = ()
    """The maneuvers that harm bystanders if they fail, which is told."""
    damage: Levels = field(default_factory=Levels)
    """The sides of the die of damage to whoever fails one."""
    narrow: bool = False
    watched: str = ""
    """The skill that whoever follows must pass."""
    breaks: tuple[str, ...] = ()
    """The maneuvers with which whoever flees must make a roll, or be hurt."""
    skill: str = ""
    """What is rolled for that on foot."""
    persuaded: bool = False
    won: Levels = field(default_factory=Levels)
    """What persuading somebody adds to maneuvers."""
    hostile: bool = False
    """Whether they attack whoever follows, or who fails to persuade them."""
    attacked: tuple[str, ...] = ()
    attack_dice: int = 0


ROWS: Final = rows(OBSTACLES, "rows", ChaseObstacleRow, by="roll")
SPECIAL_ROWS: Final = rows(SPECIAL, "rows", ChaseObstacleRow)


# --- which it is ------------------------------------------------------------------------------------------------------


def obstacle_named(scene: Scene, name: str) -> ChaseObstacleRow:
    return scene[SPECIAL_ROWS][name] if name in scene[SPECIAL_ROWS] else scene[ROWS][name]


def obstacle_of(scene: Scene, me: AChase) -> ChaseObstacleRow:
    """The obstacle of this round; nothing, if there is none."""
    named = (each.name for each in scene[me].ahead if not each.past)
    name = next(named, "")
    return obstacle_named(scene, name) if name else ChaseObstacleRow("")


@rule(OBSTACLES)
async def meet_obstacle(scene: Scene, me: AChase) -> None:
    """A die says what comes, unless the game master has placed something."""
    row = obstacle_named(scene, scene[me].placed) if scene[me].placed else None
    if row is None:
        pips = (await roll(OBSTACLE, None, Pool.of((number_die(scene[DIE]), 1)), Total)).total
        row = scene[ROWS].at(pips)
    await alter(me, RangeChase.placing, "")
    await alter(me, RangeChase.meeting, RoadAhead(row.name, row.says))
    await tell("chase-obstacle", name=row.name, says=row.says, rule=OBSTACLES)


def obstacles(scene: Scene, who: object = None) -> tuple[str, ...]:
    """What the game master may place: any row, and where they are played the special ones; or what the die says."""
    special = scene[SPECIAL_ROWS].names if scene[WITH_SPECIAL] else ()
    return ("", *scene[ROWS].names, *special)


def check_chase(scene: Scene, who: None) -> None:
    if CHASE not in scene:
        refuse("there is no chase", rule=OBSTACLES, legal=("begin-chase",))


@action("place-obstacle", f"{OBSTACLES}/place", turn=check_chase, master=True)
async def place_obstacle(scene: Scene, obstacle: Hidden[Annotated[str, Pick(obstacles)]] = "") -> None:
    """Decide what the next round brings; nobody is told before it comes."""
    await alter(CHASE, RangeChase.placing, obstacle)


# --- what it does to a maneuver ---------------------------------------------------------------------------------------


@formula(OBSTACLES, "yearzero.chase.maneuvers")
def maneuver_mods(scene: Scene, me: AChase, who: Person, row: ChaseManeuverRow, other: Mover | None) -> Mods:
    """What the obstacle and the range add to a maneuver."""
    ahead, band = obstacle_of(scene, me), range_to(scene, me, who, other) if other is not None else None
    found = [Mod(ahead.modifiers.get(row.name, 0), ahead.name, OBSTACLES)]
    if band is not None:
        found.append(Mod(row.modifiers.get(band.name, 0), band.name, "yearzero.chase.maneuvers"))
    return tuple(mod for mod in found if mod.amount)


def trying(scene: Scene, me: AChase, who: Person, skill: str, specialty: str = "", mods: Mods = ()) -> Attempt:
    """A roll in a chase: with a vehicle's Maneuverability, or by a skill of one's own on foot."""
    vehicle = vehicle_in(scene, scene[me].mover(who.name))
    if vehicle is not None:
        return driving(scene, who, vehicle, (), mods)
    return Attempt(skill, specialty, mods=mods, tags=(NO_ACTION,))


@rule(f"{OBSTACLES}/pass", bands=PASSED)
async def passes(scene: Scene, me: AChase, who: Person, skill: str) -> bool:
    """A roll to get past something, which is no maneuver."""
    return (await roll_skill(who, trying(scene, me, who, skill))).success


@rule(f"{OBSTACLES}/before")
async def may_go_on(scene: Scene, me: AChase, who: Person, way: str) -> bool:
    """What the obstacle asks of somebody before their maneuver; whether that goes ahead."""
    ahead, row, flees = obstacle_of(scene, me), row_of(scene, way), scene[me].role(who.name) == QUARRY
    if ahead.narrow and not await gets_through(me, who):
        return False
    if ahead.watched and not flees:
        return await notices(who, ahead.watched)
    if row.name in ahead.breaks and flees and not await passes(me, who, ahead.skill):
        await attacked_by(me, who, scene[DICE])
    if ahead.persuaded and flees:
        return await persuades(me, who)
    if row.name in ahead.attacked:
        await attacked_by(me, who, await rule_on(HOSTILE_DICE, ahead.attack_dice, low=0))
    return True


@rule(f"{OBSTACLES}/narrow")
async def gets_through(scene: Scene, me: AChase, who: Person) -> bool:
    """Through a narrow pass at speed, which may end the chase; or slowly, without a maneuver."""
    if await choose(who, NARROW, (THROUGH, SLOWLY), default=SLOWLY) == SLOWLY:
        return False
    if await passes(me, who, "Move"):
        return True
    await alter(me, RangeChase.ending, CAUGHT if scene[me].role(who.name) == QUARRY else ESCAPED)
    return False


@rule(f"{OBSTACLES}/watch", bands=PASSED)
async def notices(scene: Scene, who: Person, skill: str) -> bool:
    """Whoever follows must not lose sight of whom they follow."""
    return (await roll_skill(who, Attempt(skill, tags=(NO_ACTION,), surplus=False))).success


@rule(SPECIAL)
async def persuades(scene: Scene, me: AChase, who: Person) -> bool:
    """Whoever flees talks to those in the way, or fails; those who are hostile attack one or the other."""
    ahead = obstacle_of(scene, me)
    rolled = await roll_skill(who, Attempt("Influence", "Manipulator", tags=(NO_ACTION,), surplus=False))
    if ahead.hostile:
        number = (await roll(HOSTILES, who, Pool.of((D6, 1)), Total)).total
        await tell("hostiles", number=number, rule=SPECIAL)
        other = target_of(scene, me, who, "")
        victim = Who(other.driver, Survivor) if rolled.success and other is not None else who
        await attacked_by(me, victim, await rule_on(HOSTILE_DICE, ahead.attack_dice, low=0))
    return rolled.success


def persuaded_mods(scene: Scene, me: AChase, row: ChaseManeuverRow) -> Mods:
    """What those who were persuaded add: whoever flees has got as far as this only with their help."""
    ahead = obstacle_of(scene, me)
    amount = ahead.won.get(row.name, 0)
    return (Mod(amount, ahead.name, SPECIAL),) if amount else ()


@rule(f"{OBSTACLES}/failed")
async def fail(scene: Scene, me: AChase, who: Person, name: str) -> None:
    """What comes of a maneuver that has failed: damage, or harm to others that the game master tells of."""
    ahead = obstacle_of(scene, me)
    if name in ahead.collateral:
        await tell("collateral", who=who, rule=OBSTACLES)
    if sides := ahead.damage.get(name, 0):
        await alter(me, RangeChase.hurting, PendingHurt(who.name, sides=sides))


@rule(f"{OBSTACLES}/attack")
async def attacked_by(scene: Scene, me: AChase, who: Person, dice: int) -> None:
    """So many base dice against somebody in a chase, at the end of the round."""
    if dice > 0:
        await alter(me, RangeChase.hurting, PendingHurt(who.name, dice=dice))


@rule(f"{OBSTACLES}/strike", OBSTACLES)
async def strike(scene: Scene, me: AChase, hurt: PendingHurt) -> None:
    """A die of damage, or an attack that does a point for each success."""
    who = Who(hurt.who, Survivor)
    if hurt.sides:
        points = (await roll(DEBRIS, who, Pool.of((number_die(hurt.sides), 1)), Total)).total
    else:
        points = (await roll(DEBRIS, who, Pool.of((base_die(scene), hurt.dice)), SymbolCounts)).count(SIX)
    await hurt_mover(me, who, points)


@rule(f"{OBSTACLES}/hurt")
async def hurt_mover(scene: Scene, me: AChase, who: Person, points: int) -> None:
    """Damage to a vehicle, whose armor counts, or to a runner."""
    vehicle = vehicle_in(scene, scene[me].mover(who.name))
    struck: Target = who if vehicle is None else vehicle
    if points:
        blow = DeclaredAttack(COLLISION, points, "blunt", base=points, ranged=vehicle is not None)
        await come_through(struck, blow, points, AfterBlow())
