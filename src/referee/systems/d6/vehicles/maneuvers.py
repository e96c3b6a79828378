"""Maneuvers: what each adds to the difficulty of a round, and what it does to the speed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from referee.core import Scene, figure, formula, frozen, option, refuse, rows
from referee.systems.d6.sheet import Person
from referee.systems.d6.vehicles.movers import Mover, kind_of_mover, motion_of, mover_of
from referee.systems.d6.vehicles.planes import flight_kind
from referee.systems.d6.vehicles.speeds import medium_of, rank_of, speed_at, speed_limits
from referee.systems.d6.vehicles.systems import goes_straight
from referee.systems.d6.vehicles.vehicle import CATEGORIES, Vehicle

TABLE: Final = "d6.maneuver.table"
RAMMING: Final = "Ramming"
FRONT_ARC: Final = "Fire in the front arc"


@frozen
class DrivingManeuver:
    """A maneuver: how much harder it makes the round, what it does to the speed, and what it takes."""

    name: str
    adds: int
    rule: str
    says: str = ""
    ranks: int = 0
    """How many ranks faster the vehicle ends up, or slower."""
    declared: bool = False
    """Whether that changes the speed that counts for control, too, and not only the actual one."""
    ends_at: str = ""
    at_least: str = ""
    brakes: bool = False
    aerial: bool = False
    attraction: bool = False
    """Whether its change of speed takes a planet's attraction."""
    not_in: tuple[str, ...] = ()
    """Environments in which it has no meaning."""
    target: bool = False
    own_speed: bool = False
    """Whether it concerns only one's own speed, a target or fire: what is far too big can do it all the same."""
    turns_around: bool = False
    """Whether it goes the other way afterwards."""
    invented: bool = False
    """Whether the game master says how hard it is."""
    from_: int | None = None
    to: int | None = None
    """The degrees of a turn, a climb or a dive."""


@frozen
class Maneuvering:
    """What a pilot has declared for a round: a speed, and maneuvers that may change it."""

    speed: str
    maneuvers: tuple[str, ...] = ()
    attraction: bool = True
    """Whether a planet attracts: without one, climbs and dives change no speed."""


MANEUVERS: Final = rows(TABLE, "maneuvers", DrivingManeuver, cites="rule")
TURNS: Final = figure("d6.maneuver.tight-turn", "maneuvers", tuple[str, ...])
CLIMBS: Final = figure("d6.maneuver.climb", "maneuvers", tuple[str, ...])
DIVES: Final = figure("d6.maneuver.dive", "maneuvers", tuple[str, ...])
FREELY_AT: Final = figure("d6.plane.vtol", "freely_at", str)
FULL_AT: Final = figure("d6.maneuver.dive", "full_distance_at", str)
FAR_APART: Final = figure("d6.scale.simplified", "threshold", int)
SIMPLIFIED: Final = option("d6.scale.simplified")


# --- degrees ----------------------------------------------------------------------------------------------------------


def by_degrees(scene: Scene, names: tuple[str, ...], degrees: int) -> str:
    """Which of these maneuvers so many degrees take; none, if they are free."""
    found = (scene[MANEUVERS][name] for name in names)
    return next((row.name for row in found if (row.from_ or 0) <= degrees <= (row.to or degrees)), "")


@formula("d6.maneuver.tight-turn")
def turn_by(scene: Scene, degrees: int) -> str:
    """The maneuver that a turn takes."""
    return by_degrees(scene, scene[TURNS], degrees)


@formula("d6.maneuver.climb")
def climb_at(scene: Scene, degrees: int) -> str:
    """The maneuver that a climb takes."""
    return by_degrees(scene, scene[CLIMBS], degrees)


@formula("d6.maneuver.dive")
def dive_at(scene: Scene, degrees: int) -> str:
    """The maneuver that a descent takes."""
    return by_degrees(scene, scene[DIVES], degrees)


@formula("d6.plane.vtol")
def climbs_freely(scene: Scene, mover: Mover, maneuver: str, speed: str) -> bool:
    """What hovers moves up and down as it likes, slowly."""
    kind = flight_kind(scene, mover)
    slow = rank_of(scene, speed) <= rank_of(scene, scene[FREELY_AT])
    return kind is not None and kind.hovers and slow and maneuver in scene[CLIMBS]


# --- speeds -----------------------------------------------------------------------------------------------------------


def shifts(scene: Scene, of: Maneuvering) -> Iterator[DrivingManeuver]:
    """The maneuvers that change a speed here."""
    chosen = (scene[MANEUVERS][name] for name in of.maneuvers)
    return (row for row in chosen if of.attraction or not row.attraction)


@formula("d6.maneuver.dive/declared", "d6.maneuver.dive", "d6.movement.speed-choice")
def declared_speed(scene: Scene, of: Maneuvering) -> str:
    """The speed that counts for control: the one that was selected, raised by a dive."""
    gained = sum(row.ranks for row in shifts(scene, of) if row.declared)
    return speed_at(scene, rank_of(scene, of.speed) + gained) if gained else of.speed


@formula(
    "d6.movement.speed-choice/actual", "d6.movement.speed-choice", "d6.maneuver.hard-brake", "d6.maneuver.bootlegger"
)
def actual_speed(scene: Scene, of: Maneuvering) -> str:
    """The speed at the end of the round, which says how far it goes: maneuvers change the one that was selected."""
    changed = sum(row.ranks for row in shifts(scene, of) if not row.declared)
    return speed_at(scene, rank_of(scene, declared_speed(scene, of)) + changed)


@formula("d6.maneuver.bootlegger", "d6.maneuver.immelman")
def speed_afterwards(scene: Scene, of: Maneuvering) -> str:
    """The speed from which the next round starts: whoever turns around on the spot has hardly any."""
    ends = (row.ends_at for row in shifts(scene, of) if row.ends_at)
    return next(ends, actual_speed(scene, of))


@formula("d6.maneuver.dive/full", "d6.maneuver.dive")
def goes_all_the_way(scene: Scene, of: Maneuvering) -> bool:
    """Whether a dive has raised the speed so much that the whole distance must be covered."""
    return declared_speed(scene, of) == scene[FULL_AT] != of.speed


# --- what may be done -------------------------------------------------------------------------------------------------


def flies(scene: Scene, mover: Mover) -> bool:
    """Whether it moves in three dimensions."""
    return medium_of(scene, mover) in ("air", "space") or scene[CATEGORIES][kind_of_mover(scene, mover)].aerial


@formula(TABLE)
def maneuvers_of(scene: Scene, mover: Mover) -> tuple[str, ...]:
    """The maneuvers that a mover can do at all, where it is."""
    where, aerial = medium_of(scene, mover), flies(scene, mover) and medium_of(scene, mover) != "ground"
    return tuple(row.name for row in scene[MANEUVERS] if (aerial or not row.aerial) and where not in row.not_in)


def maneuvers(scene: Scene, who: Person) -> tuple[str, ...]:
    return ("", *maneuvers_of(scene, mover_of(scene, who)))


def check_maneuver(scene: Scene, who: Person, maneuver: str, speed: str) -> None:
    """Braking begins with the usual reduction; some maneuvers take speed, some wings, and all of them control."""
    if not maneuver:
        return
    mover, row = mover_of(scene, who), scene[MANEUVERS].look(maneuver)
    if row.name not in (known := maneuvers_of(scene, mover)):
        refuse("it cannot do that here", what=row.name, rule=TABLE, legal=known)
    now, value = motion_of(scene, mover), scene[mover]
    if now.spinning or now.stalled is not None or (isinstance(value, Vehicle) and goes_straight(scene, mover)):
        refuse("it is out of control", what=row.name, rule="d6.movement.failed-roll")
    rank = rank_of(scene, speed)
    if row.at_least and rank < rank_of(scene, row.at_least):
        refuse(f"it takes at least {row.at_least}", what=row.name, rule=row.rule, legal=(row.at_least,))
    slowest = speed_at(scene, rank_of(scene, now.speed) - speed_limits(scene, mover).max_decrease)
    if row.brakes and (speed != slowest or speed == speed_at(scene, 0)):
        refuse("the usual reduction comes first, and leaves some speed", what=row.name, rule=row.rule, legal=(slowest,))
    if rank == 0:
        refuse("it stands still", what=row.name, rule=TABLE)


def scale_bars(scene: Scene, maneuver: str, own: int, others: tuple[int, ...]) -> bool:
    """With simplified scales, whether a mover is too big for a maneuver against somebody so much smaller."""
    big = bool(others) and own - min(others) >= scene[FAR_APART]
    return scene[SIMPLIFIED] and big and bool(maneuver) and not scene[MANEUVERS][maneuver].own_speed
