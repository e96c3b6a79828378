"""Planes: what flies with wings, on the ground and in the air; what stalls, and what hovers."""

from __future__ import annotations

from math import ceil
from typing import Final

from referee.core import DIFFICULTY, Mod, Mods, Scene, figures, formula, frozen, rows
from referee.systems.d6.vehicles.movers import AIR, GROUND, Mover, motion_of
from referee.systems.d6.vehicles.vehicle import Vehicle

ON_GROUND: Final = "d6.plane.ground"
STALL: Final = "d6.plane.stall"
STOL: Final = "d6.plane.stol"
VTOL: Final = "d6.plane.vtol"


@frozen
class FlightKind:
    """How something takes off: at which speed on the ground, at which speed it is in the air then, and what it may."""

    name: str
    ground_speed: str
    air_speed: str
    brakes_freely: bool = False
    """Whether braking after a landing is no harder than anywhere else."""
    hovers: bool = False


@figures(ON_GROUND)
class PlaneOnGround:
    """How slow a plane is on the ground, and how much harder each maneuver is there above some speed."""

    divided_by: int
    maneuver_difficulty: int
    above: str


FLIGHT_KINDS: Final = rows(STOL, "crafts", FlightKind)


def flight_kind(scene: Scene, mover: Mover) -> FlightKind | None:
    """How it takes off; nothing, if it does not fly by itself."""
    value = scene[mover]
    named = isinstance(value, Vehicle) and value.take_off
    return scene[FLIGHT_KINDS][value.take_off] if named else None


@formula(f"{ON_GROUND}/plane", ON_GROUND, VTOL)
def is_plane(scene: Scene, mover: Mover) -> bool:
    """Whether it needs speed to stay in the air: whatever flies with wings and cannot hover."""
    kind = flight_kind(scene, mover)
    return kind is not None and not kind.hovers


def in_flight(scene: Scene, mover: Mover) -> bool:
    return is_plane(scene, mover) and motion_of(scene, mover).medium != GROUND


def on_runway(scene: Scene, mover: Mover) -> bool:
    return is_plane(scene, mover) and motion_of(scene, mover).medium == GROUND


@formula(ON_GROUND)
def ground_move(scene: Scene, air_move: int) -> int:
    """The Move of a plane on the ground, by that in the air."""
    return ceil(air_move / scene[PlaneOnGround].divided_by)


def plane_move(scene: Scene, vehicle: Vehicle, where: str) -> int | None:
    """The Move of what takes to the air, where its stat block names none on the ground."""
    if where == GROUND and vehicle.take_off and AIR in vehicle.move and GROUND not in vehicle.move:
        return ground_move(scene, vehicle.move[AIR])
    return None


def brakes_freely(scene: Scene, mover: Mover) -> bool:
    kind = flight_kind(scene, mover)
    return kind is not None and kind.brakes_freely


def runway_mods(scene: Scene, names: tuple[str, ...]) -> Mods:
    """What each of these maneuvers costs a plane on the ground."""
    more = scene[PlaneOnGround].maneuver_difficulty
    return tuple(Mod(more, f"{name} on the ground", ON_GROUND, unit=DIFFICULTY) for name in names)
