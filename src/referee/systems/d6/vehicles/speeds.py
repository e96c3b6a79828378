"""Speeds: how fast something may go next, and how far that takes it in a round."""

from __future__ import annotations

from typing import Final

from referee.core import Scene, Who, figure, figures, formula, frozen, refuse, rows
from referee.systems.d6.bestiary import USUAL as USUAL_GROUND
from referee.systems.d6.bestiary import creature_move
from referee.systems.d6.character import metres, swimming_move
from referee.systems.d6.character import move as own_move
from referee.systems.d6.sheet import Hero, Person
from referee.systems.d6.vehicles.motion import STOP
from referee.systems.d6.vehicles.movers import GROUND, SPACE, WATER, Mover, motion_of, mover_of
from referee.systems.d6.vehicles.planes import on_runway, plane_move
from referee.systems.d6.vehicles.systems import fastest_speed, goes_straight, is_out_of_order
from referee.systems.d6.vehicles.vehicle import Craft, Vehicle
from referee.systems.d6.wounds import NEUTRALIZED
from referee.systems.d6.zones import check_legs_carry_fast

SUMMARY: Final = "d6.movement.speed-summary"
CHOICE: Final = "d6.movement.speed-choice"
ACCELERATION: Final = "d6.vehicle.acceleration"
DAMAGE: Final = "d6.vehicle-damage"
CAUTIOUS: Final = "Cautious"
ALWAYS: Final = "always"
IF_DIFFICULT: Final = "if difficult"
BOOSTER: Final = "booster"


@frozen
class SelectedSpeed:
    """A speed: how far it goes, what it adds to the difficulty, what control costs, and when it takes a roll."""

    name: str
    rank: int
    actions: int
    adds: int
    rolls: str
    rule: str
    times: int = 1
    divided_by: int = 1
    alone: bool = False
    """Whether the pilot does nothing else, and does not react."""


@frozen
class SpeedLimits:
    """By how many ranks a speed may change in a round."""

    max_increase: int
    max_decrease: int


@figures("d6.vehicle.start-up")
class StartUp:
    """Straight from a standstill to a higher speed."""

    difficulty: int
    to: str


@figures("d6.movement.off-road")
class OffRoad:
    """What leaving the road does to what was not built for it."""

    divided_by: int
    difficulty: int
    environment: str


@figures("d6.vehicle.space-units")
class SpaceUnits:
    """How distances outside an atmosphere are counted."""

    environment: str
    unit: str


SPEEDS: Final = rows(SUMMARY, "speeds", SelectedSpeed, cites="rule")
USUAL: Final = figure(ACCELERATION, "vehicle", SpeedLimits)
QUICK: Final = figure(ACCELERATION, "quick", SpeedLimits)
BOOSTER_RANKS: Final = figure("d6.plane.take-off", "booster_ranks", int)
LEAST: Final = figure(CHOICE, "least_divided_by", int)


# --- ranks ------------------------------------------------------------------------------------------------------------


def rank_of(scene: Scene, speed: str) -> int:
    return scene[SPEEDS].look(speed).rank


def speed_at(scene: Scene, rank: int) -> str:
    """The speed of a rank; beyond both ends, the slowest and the fastest."""
    ranked = sorted(scene[SPEEDS], key=lambda row: row.rank)
    return ranked[max(0, min(rank, len(ranked) - 1))].name


@formula(ACCELERATION)
def speed_limits(scene: Scene, mover: Mover) -> SpeedLimits:
    """By how many ranks a mover changes its speed: people, creatures and what says so by more than vehicles."""
    value = scene[mover]
    return scene[QUICK] if not isinstance(value, Vehicle) or value.quick else scene[USUAL]


@formula(f"{ACCELERATION}/speeds", ACCELERATION, "d6.vehicle.start-up")
def speeds_within_reach(scene: Scene, mover: Mover) -> tuple[str, ...]:
    """The speeds one can select now; what is out of control, or steers no longer, keeps the one it has."""
    now, limits = motion_of(scene, mover), speed_limits(scene, mover)
    rank, value = rank_of(scene, now.speed), scene[mover]
    if now.spinning or now.stalled is not None or (isinstance(value, Vehicle) and goes_straight(scene, mover)):
        return (now.speed,)
    lowest, highest = max(0, rank - limits.max_decrease), rank + most_increase(scene, mover)
    highest = max(lowest, min(highest, fastest_rank(scene, mover)))
    jumps = starts_up(scene, mover) and rank_of(scene, scene[StartUp].to) <= fastest_rank(scene, mover)
    reached = [row.name for row in scene[SPEEDS] if lowest <= row.rank <= highest]
    return tuple(dict.fromkeys((*reached, scene[StartUp].to))) if jumps else tuple(reached)


def most_increase(scene: Scene, mover: Mover) -> int:
    """By how many ranks it may become faster; a booster gives a plane on the ground more."""
    usual, boosted = speed_limits(scene, mover).max_increase, scene[BOOSTER_RANKS] if has_booster(scene, mover) else 0
    return max(usual, boosted)


def has_booster(scene: Scene, mover: Mover) -> bool:
    """Whether a plane on the ground has a booster."""
    value = scene[mover]
    boosters = isinstance(value, Vehicle) and any(each.kind == BOOSTER for each in value.equipment)
    return boosters and on_runway(scene, mover)


@formula("d6.plane.take-off/boosted", "d6.plane.take-off")
def is_boosted(scene: Scene, mover: Mover, speed: str) -> bool:
    """Whether a speed is reached by a booster only."""
    gained = rank_of(scene, speed) - rank_of(scene, motion_of(scene, mover).speed)
    return has_booster(scene, mover) and gained > speed_limits(scene, mover).max_increase


def starts_up(scene: Scene, mover: Mover) -> bool:
    """Whether it may skip a rank from a standstill; what gains speed quickly need not."""
    value, highest = scene[mover], speed_limits(scene, mover).max_increase
    bulky = isinstance(value, Vehicle) and value.bulky
    return motion_of(scene, mover).speed == STOP and not bulky and rank_of(scene, scene[StartUp].to) > highest


def is_start_up(scene: Scene, mover: Mover, speed: str) -> bool:
    """Whether selecting a speed skips a rank."""
    return starts_up(scene, mover) and speed == scene[StartUp].to and not is_boosted(scene, mover, speed)


def fastest_rank(scene: Scene, mover: Mover) -> int:
    """The fastest that damage, wounds and posture leave."""
    value = scene[mover]
    if isinstance(value, Vehicle):
        fastest = STOP if is_out_of_order(scene, mover) else fastest_speed(scene, mover)
    elif value.posture == "prone":
        fastest = STOP
    else:
        fastest = CAUTIOUS if value.wound == NEUTRALIZED else ""
    return rank_of(scene, fastest) if fastest else len(scene[SPEEDS].names)


def speeds(scene: Scene, who: Person) -> tuple[str, ...]:
    return speeds_within_reach(scene, mover_of(scene, who))


def why_out_of_reach(scene: Scene, mover: Mover, speed: str) -> tuple[str, str]:
    """What keeps a mover from a speed, and by which rule: its state, its engines, its bulk, or how fast it changes."""
    value, now = scene[mover], motion_of(scene, mover)
    bulky = isinstance(value, Vehicle) and value.bulky and (now.speed, speed) == (STOP, scene[StartUp].to)
    reasons = (
        (now.stalled is not None, "it falls", "d6.plane.stall"),
        (bool(now.spinning), "it is out of control", "d6.movement.failed-roll"),
        *(craft_keeps(scene, Who(mover.name, Vehicle), speed) if isinstance(value, Vehicle) else ()),
        (bulky, "it is too bulky to skip a rank", "d6.vehicle.start-up"),
        (True, f"it goes at {now.speed} now", ACCELERATION),
    )
    return next((because, by) for holds, because, by in reasons if holds)


def craft_keeps(scene: Scene, craft: Craft, speed: str) -> tuple[tuple[bool, str, str], ...]:
    """What damage to a vehicle may keep it from: whether it does, how that is said, and the rule."""
    most = fastest_speed(scene, craft)
    return (
        (scene[craft].frozen_controls, "its controls are frozen", f"{DAMAGE}.accumulation"),
        (goes_straight(scene, craft), "its controls are destroyed", f"{DAMAGE}.legend"),
        (is_out_of_order(scene, craft), "it is out of order", f"{DAMAGE}.table"),
        (
            bool(most) and rank_of(scene, speed) > rank_of(scene, most),
            f"its engines leave {most} at most",
            f"{DAMAGE}.legend",
        ),
    )


def check_speed(scene: Scene, who: Person, speed: str) -> None:
    """Within reach; whoever is on foot needs legs that carry them."""
    mover = mover_of(scene, who)
    if speed not in (legal := speeds_within_reach(scene, mover)):
        because, by = why_out_of_reach(scene, mover, speed)
        refuse(because, what=speed, rule=by, legal=legal)
    if mover == who and rank_of(scene, speed) > rank_of(scene, CAUTIOUS):
        check_legs_carry_fast(scene, who)


# --- distances --------------------------------------------------------------------------------------------------------


def medium_of(scene: Scene, mover: Mover) -> str:
    """Where it moves: as it says, or in the first environment of its Move."""
    value, said = scene[mover], motion_of(scene, mover).medium
    if said or not isinstance(value, Vehicle):
        return said or GROUND
    return next(iter(value.move), GROUND)


@formula("d6.vehicle.move")
def move_of(scene: Scene, mover: Mover, medium: str = "") -> float:
    """The metres that a mover covers in a round at Cruise speed; where it has no Move, it cannot be."""
    value, where = scene[mover], medium or medium_of(scene, mover)
    if isinstance(value, Vehicle):
        if (taxiing := plane_move(scene, value, where)) is not None:
            return taxiing
        if where not in value.move:
            refuse("it cannot move there", what=where, rule="d6.vehicle.move", legal=tuple(value.move))
        return value.move[where]
    return _own_move(scene, value, mover, where)


def _own_move(scene: Scene, sheet: Hero, who: Person, where: str) -> float:
    if sheet.creature is not None:
        return creature_move(
            scene, sheet.creature, sheet.move, where if sheet.creature.movement else scene[USUAL_GROUND]
        )
    return swimming_move(scene, who) if where == WATER else own_move(scene, who)


@formula("d6.vehicle.space-units")
def unit_of(scene: Scene, environment: str) -> str:
    """What distances are counted in: metres, or units of space."""
    return scene[SpaceUnits].unit if environment == scene[SpaceUnits].environment else "m"


@formula("d6.movement.off-road")
def suffers_off_road(scene: Scene, mover: Mover, off_road: bool) -> bool:
    """Whether it has left the road, and was not built for that."""
    value = scene[mover]
    on_wheels = isinstance(value, Vehicle) and medium_of(scene, mover) == scene[OffRoad].environment
    return off_road and on_wheels and not value.off_road


@formula(f"{SUMMARY}/distance", SUMMARY)
def distance_at(scene: Scene, mover: Mover, speed: str, off_road: bool = False) -> float:
    """How far it goes in a round at a speed."""
    row = scene[SPEEDS][speed]
    by = row.divided_by * (scene[OffRoad].divided_by if suffers_off_road(scene, mover, off_road) else 1)
    return metres(move_of(scene, mover) * row.times / by)


@formula(CHOICE)
def least_distance(scene: Scene, whole: float, full: bool = False) -> float:
    """How far it must go at least, where its speed takes it so far."""
    return whole if full else metres(whole / scene[LEAST])


def is_space(scene: Scene, mover: Mover) -> bool:
    return medium_of(scene, mover) == SPACE
