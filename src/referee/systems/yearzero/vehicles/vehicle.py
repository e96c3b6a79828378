"""Vehicles: the models of the book, what is left of each, who sits where in it, and what is mounted on it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Annotated, ClassVar, Final, Literal, TypeAlias

from referee.core import Active, Effect, Mods, Open, Refused, Scene, Who, applying, figures, formula, frozen, rows
from referee.core.things import with_thing
from referee.core.value_changes import Unset
from referee.systems.yearzero.sheet import Cover, Item, Person, Survivor

ATTRIBUTES: Final = "yearzero.vehicles.attributes"
MODELS: Final = "yearzero.vehicles.ground"
CRITICALS: Final = "yearzero.vehicles.critical-table"
MOUNTED: Final = "mounted"
"""Where a weapon is that belongs to a vehicle."""
DRIVER: Final = "driver"
GUNNER: Final = "gunner"
PASSENGER: Final = "passenger"
Role: TypeAlias = Literal["driver", "gunner", "passenger"]
DRIVING: Final = "driving"
"""The tag of what changes the control of a vehicle."""


@frozen
class VehicleKindRow:
    """Vehicles on the ground, on water or in the air, and the skill they are driven with."""

    name: str
    skill: str
    flies: bool = False


@frozen
class VehicleRow:
    """A model of vehicle. Where a figure goes from one number to another by model, the lower one is the default."""

    name: str
    passengers: int
    """How many people it carries, driver included."""
    speed: int
    maneuverability: int
    reliability: int
    supply: int
    armor: int = 0
    heavy_armor: bool = False
    passengers_max: int = 0
    maneuverability_max: int = 0
    specialty: str = ""
    cycle: bool = False
    """Whether one sits on it and not in it."""
    engine: bool = True
    restriction: str = ""
    price: int = 0
    price_used: int = 0
    price_new: int = 0
    says: str = ""


@frozen
class VehicleCriticalRow:
    """Critical damage to a vehicle: what happens at once, and what lasts until it is repaired."""

    name: str
    says: str
    ricochets: bool = False
    control: Literal["", "lose the next turn", "crash"] = ""
    """What comes of it if the driver fails to control the vehicle."""
    hits: Literal["", "driver", "passenger"] = ""
    needs: Literal["", "passenger", "weapon"] = ""
    """What must be aboard; without it, the die is rolled again."""
    lasts: bool = False
    maneuverability: int = 0
    least_maneuverability: int = 0
    """The least that it leaves."""
    effects: tuple[Effect, ...] = ()
    crashes: bool = False
    fall_die: int = 0
    fire: str = ""
    """The power of the fire that everyone inside is exposed to in every round."""
    blast: str = ""
    disables_weapon: bool = False
    stops: bool = False
    sinks: int = 0
    """How many zones of altitude it loses in a round."""
    destroyed: bool = False


KINDS: Final = rows("yearzero.vehicles.driving-rolls", "kinds", VehicleKindRow)
VEHICLES: Final = rows(
    MODELS,
    "vehicles",
    VehicleRow,
    also=("yearzero.vehicles.water/vehicles", "yearzero.vehicles.air/vehicles"),
)
CRITICAL_ROWS: Final = rows(CRITICALS, "rows", VehicleCriticalRow, by="roll")


@figures(ATTRIBUTES)
class VehicleFigures:
    """How far a point of Speed goes, and what size a vehicle is to a marksman."""

    metres_per_speed: int
    size: str
    cycle_size: str


@frozen
class VehicleSeat:
    """Somebody aboard, and what they do there."""

    known_by: ClassVar = ("who",)
    who: str
    role: Role = PASSENGER


@frozen
class RatedVehicle:
    """A vehicle: its model, who is aboard, what has become of it. A figure that is not set is its model's."""

    # As a target it stands open, upright and awake, whatever it is (see `sheet.TargetSheet`).
    prone: ClassVar = False
    monster: ClassVar = False
    cover: ClassVar[Cover | None] = None
    held_by: ClassVar = ""
    broken: ClassVar[tuple[str, ...]] = ()
    conditions: ClassVar[frozenset[str]] = frozenset()
    defends_by: ClassVar = "yearzero.vehicles.damage/defend"
    suffers_by: ClassVar = "yearzero.vehicles.damage"
    shaken_by: ClassVar = "yearzero.vehicles.damage/shaken"

    model: Open[Annotated[str, VEHICLES]] = "Economy Car"
    riders: Open[tuple[VehicleSeat, ...]] = ()
    worn: Open[int] = 0
    """Points of Reliability that are lost."""
    faults: Open[tuple[str, ...]] = ()
    """Critical damage that lasts until it is repaired."""
    armor_lost: Open[int] = 0
    running: Open[bool] = False
    altitude: Open[int] = 0
    """In zones above the ground."""
    things: Open[tuple[Item, ...]] = ()
    """Weapons that are mounted on it, and what it carries."""
    passengers: Open[Annotated[int | None, Unset(f"{ATTRIBUTES}/passengers")]] = None
    speed: Open[Annotated[int | None, Unset(f"{ATTRIBUTES}/speed")]] = None
    maneuverability: Open[Annotated[int | None, Unset(f"{ATTRIBUTES}/maneuverability-at-first")]] = None
    reliability: Open[Annotated[int | None, Unset(f"{ATTRIBUTES}/reliability-at-first")]] = None
    armor: Open[Annotated[int | None, Unset(f"{ATTRIBUTES}/armor-at-first")]] = None
    lowered: Open[int] = 0
    """Points of Reliability that botched repairs have cost for good."""

    def effects(self, scene: Scene) -> Iterator[Active]:
        """What critical damage does to it until it is repaired."""
        for name in self.faults:
            row = scene[CRITICAL_ROWS].look(name)
            yield from (Active(effect, row.name, CRITICALS) for effect in row.effects)

    @property
    def crew(self) -> tuple[str, ...]:
        return tuple(seat.who for seat in self.riders)

    def role_of(self, who: str) -> str:
        return next((seat.role for seat in self.riders if seat.who == who), "")

    def in_role(self, role: Role) -> tuple[str, ...]:
        return tuple(seat.who for seat in self.riders if seat.role == role)

    def seating(self, who: str, role: Role) -> RatedVehicle:
        return replace(self, riders=(*self.leaving(who).riders, VehicleSeat(who, role)))

    def leaving(self, who: str) -> RatedVehicle:
        return replace(self, riders=tuple(seat for seat in self.riders if seat.who != who))

    def losing(self, points: int) -> RatedVehicle:
        return replace(self, worn=self.worn + points)

    def starting(self) -> RatedVehicle:
        return replace(self, running=True)

    def at(self, altitude: int) -> RatedVehicle:
        return replace(self, altitude=max(0, altitude))

    def with_fault(self, name: str) -> RatedVehicle:
        return self if name in self.faults else replace(self, faults=(*self.faults, name))

    def without_fault(self, name: str) -> RatedVehicle:
        return replace(self, faults=tuple(each for each in self.faults if each != name))

    def with_thing(self, thing: Item) -> RatedVehicle:
        return replace(self, things=with_thing(self.things, thing))

    def without_armor(self, points: int) -> RatedVehicle:
        return replace(self, armor_lost=self.armor_lost + points)


AVehicle: TypeAlias = Who[RatedVehicle]


def vehicles(scene: Scene, who: object = None) -> tuple[AVehicle, ...]:
    return scene.all(RatedVehicle)


# --- its figures ------------------------------------------------------------------------------------------------------


def model_of(scene: Scene, vehicle: AVehicle) -> VehicleRow:
    """The row of its model."""
    return scene[VEHICLES][scene[vehicle].model]


def kind_of_vehicle(scene: Scene, vehicle: AVehicle) -> VehicleKindRow:
    """Whether it goes on the ground, on water or in the air: by the catalogue its model stands in."""
    name = scene[VEHICLES].rule_of(scene[vehicle].model).rpartition(".")[2]
    return scene[KINDS][name]


@formula(f"{ATTRIBUTES}/passengers", ATTRIBUTES)
def room_in(scene: Scene, vehicle: AVehicle) -> int:
    """How many people it carries."""
    own = scene[vehicle].passengers
    return model_of(scene, vehicle).passengers if own is None else own


@formula(f"{ATTRIBUTES}/speed", ATTRIBUTES)
def speed_of(scene: Scene, vehicle: AVehicle) -> int:
    """How many stretches of 10 m it moves at once, and its dice to pursue and to flee."""
    own = scene[vehicle].speed
    return model_of(scene, vehicle).speed if own is None else own


@formula(f"{ATTRIBUTES}/maneuverability-at-first", ATTRIBUTES)
def maneuverability_at_first(scene: Scene, vehicle: AVehicle) -> int:
    """Its dice for everything but to pursue and to flee, as long as nothing is broken."""
    own = scene[vehicle].maneuverability
    return model_of(scene, vehicle).maneuverability if own is None else own


@formula(f"{ATTRIBUTES}/maneuverability", CRITICALS)
def maneuverability_of(scene: Scene, vehicle: AVehicle) -> int:
    """What critical damage leaves of it; a lower printed value stays."""
    left = maneuverability_at_first(scene, vehicle)
    for name in scene[vehicle].faults:
        row = scene[CRITICAL_ROWS].look(name)
        left = min(left, max(row.least_maneuverability, left + row.maneuverability))
    return left


@formula(f"{ATTRIBUTES}/reliability-at-first", ATTRIBUTES)
def reliability_at_first(scene: Scene, vehicle: AVehicle) -> int:
    """The damage it takes before it is Wrecked."""
    own = scene[vehicle].reliability
    first = model_of(scene, vehicle).reliability if own is None else own
    return max(0, first - scene[vehicle].lowered)


@formula(f"{ATTRIBUTES}/reliability", "yearzero.vehicles.damage")
def reliability_of(scene: Scene, vehicle: AVehicle) -> int:
    """What is left of its Reliability; it stops at 0."""
    return max(0, reliability_at_first(scene, vehicle) - scene[vehicle].worn)


@formula(f"{ATTRIBUTES}/armor-at-first", ATTRIBUTES)
def armor_at_first(scene: Scene, vehicle: AVehicle) -> int:
    """Its Armor Rating when new."""
    own = scene[vehicle].armor
    return model_of(scene, vehicle).armor if own is None else own


@formula(f"{ATTRIBUTES}/armor", "yearzero.vehicles.armor")
def vehicle_armor(scene: Scene, vehicle: AVehicle) -> int:
    """What is left of its Armor Rating."""
    return max(0, armor_at_first(scene, vehicle) - scene[vehicle].armor_lost)


def is_cycle(scene: Scene, vehicle: AVehicle) -> bool:
    return model_of(scene, vehicle).cycle


@formula(f"{ATTRIBUTES}/size")
def size_of_vehicle(scene: Scene, vehicle: AVehicle) -> str:
    """The size of target it is."""
    found = scene[VehicleFigures]
    return found.cycle_size if is_cycle(scene, vehicle) else found.size


# --- what has become of it --------------------------------------------------------------------------------------------


WRECKED_AT: Final = "yearzero.vehicles.wrecked"


@formula("yearzero.vehicles.wrecked/is")
def is_wrecked(scene: Scene, vehicle: AVehicle) -> bool:
    """Nothing is left of its Reliability."""
    return reliability_of(scene, vehicle) == 0


def is_destroyed(scene: Scene, vehicle: AVehicle) -> bool:
    """Beyond repair."""
    return any(scene[CRITICAL_ROWS].look(name).destroyed for name in scene[vehicle].faults)


def stopped_by(scene: Scene, vehicle: AVehicle) -> str:
    """The critical damage that keeps it from going on."""
    return next((name for name in scene[vehicle].faults if scene[CRITICAL_ROWS].look(name).stops), "")


@formula("yearzero.vehicles.wrecked/check")
def check_goes(scene: Scene, vehicle: AVehicle) -> None:
    """A wreck goes nowhere, nor does what has no engine any more, or one that is not running."""
    if is_wrecked(scene, vehicle):
        raise Refused("drive", because=f"{vehicle} is Wrecked", rule=WRECKED_AT)
    if why := stopped_by(scene, vehicle):
        raise Refused("drive", because=f"{vehicle}: {why}", rule=CRITICALS)
    if model_of(scene, vehicle).engine and not scene[vehicle].running:
        why = f"the engine of {vehicle} is not running"
        raise Refused("drive", because=why, rule="yearzero.vehicles.boarding", legal=("start-engine",))


def control_mods(scene: Scene, vehicle: AVehicle) -> Mods:
    """What its state does to whoever drives it."""
    return applying(scene, vehicle, DRIVING).mods


# --- who is aboard ----------------------------------------------------------------------------------------------------


def vehicle_of(scene: Scene, who: Person) -> AVehicle | None:
    """The vehicle somebody is in."""
    return next((each for each in scene.all(RatedVehicle) if who.name in scene[each].crew), None)


def aboard(scene: Scene, vehicle: AVehicle) -> tuple[Person, ...]:
    """Everybody in it who is in the scene."""
    found = (Who(name, Survivor) for name in scene[vehicle].crew)
    return tuple(each for each in found if each in scene)


def driver_of(scene: Scene, vehicle: AVehicle) -> Person | None:
    """Whoever sits at its wheel."""
    return next((each for each in aboard(scene, vehicle) if scene[vehicle].role_of(each.name) == DRIVER), None)


def driven_by(scene: Scene, who: Person) -> AVehicle | None:
    """The vehicle somebody drives."""
    mine = vehicle_of(scene, who)
    return mine if mine is not None and scene[mine].role_of(who.name) == DRIVER else None


def check_on_foot(scene: Scene, who: Person) -> None:
    """Whoever sits in a vehicle moves with it."""
    if (mine := vehicle_of(scene, who)) is not None:
        why = f"{who} is in {mine}"
        raise Refused("move", because=why, rule="yearzero.vehicles.in-combat", legal=("leave-vehicle",))


@formula("yearzero.vehicles.firing")
def is_on_the_move(scene: Scene, who: Person) -> bool:
    """Whether somebody is in a vehicle that has moved since its driver's last go."""
    mine = vehicle_of(scene, who)
    return mine is not None and (has_moved(scene, mine) or applying(scene, mine).granted(ON_THE_MOVE))


ON_THE_MOVE: Final = "on the move"
"""What a vehicle is granted in a chase; those who chase each other are no harder to hit for that."""


def has_moved(scene: Scene, vehicle: AVehicle) -> bool:
    return applying(scene, vehicle).granted("moving")


def is_carried_along(scene: Scene, who: Person) -> bool:
    """Whether somebody is in a vehicle that has moved."""
    mine = vehicle_of(scene, who)
    return mine is not None and has_moved(scene, mine)


@formula("yearzero.vehicles.occupants")
def shelter(scene: Scene, who: Person) -> tuple[str, int, bool] | None:
    """What the vehicle around somebody stops: its Armor Rating, as cover does; nobody sits in a cycle."""
    mine = vehicle_of(scene, who)
    if mine is None or is_cycle(scene, mine):
        return None
    return mine.name, vehicle_armor(scene, mine), model_of(scene, mine).heavy_armor


# --- what is mounted on it --------------------------------------------------------------------------------------------


def mounted_weapons(scene: Scene, vehicle: AVehicle) -> tuple[str, ...]:
    """The weapons on it that nobody is at."""
    return tuple(item.name for item in scene[vehicle].things if item.place == MOUNTED)
