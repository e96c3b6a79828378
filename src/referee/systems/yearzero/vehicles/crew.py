"""Getting aboard and out, starting the engine, the wheel, and the weapons that are mounted."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Final, TypeAlias

from referee.core import (
    Call,
    Pick,
    Prevented,
    Refused,
    Scene,
    Who,
    action,
    alter,
    change,
    figures,
    formula,
    frozen,
    hand_over,
    refuse,
    rule,
    suggest,
)
from referee.core.things import HELD, added
from referee.systems.yearzero.action_types import COSTS, ActionPrice, end_action, take_action
from referee.systems.yearzero.battle import BATTLE, Battle
from referee.systems.yearzero.equipment import EQUIPMENT, table_of
from referee.systems.yearzero.harm import work_off_pain
from referee.systems.yearzero.sheet import Item, Person, Survivor, people
from referee.systems.yearzero.vehicles.vehicle import (
    DRIVER,
    GUNNER,
    MOUNTED,
    PASSENGER,
    VEHICLES,
    AVehicle,
    RatedVehicle,
    Role,
    driver_of,
    is_cycle,
    is_destroyed,
    is_wrecked,
    model_of,
    mounted_weapons,
    room_in,
    vehicle_of,
    vehicles,
)

BOARDING: Final = "yearzero.vehicles.boarding"


@figures(BOARDING)
class BoardingFigures:
    """The kind of action it takes to get on and off, in and out, to start, and to change seats."""

    cycle_on_off: str
    vehicle_in_out: str
    start: str
    change_seats: str


ON_CYCLE, IN_VEHICLE, LEAVE, START, SEATS = "on a cycle", "in a vehicle", "leave", "start", "change seats"


@formula(f"{BOARDING}/kind")
def boarding_kind(scene: Scene, who: Person, what: str) -> str:
    """The kind of action something about a vehicle is; to leave, by what one is in."""
    found, mine = scene[BoardingFigures], vehicle_of(scene, who)
    quick = what == ON_CYCLE or (what == LEAVE and mine is not None and is_cycle(scene, mine))
    named = {START: found.start, SEATS: found.change_seats}
    return named.get(what, found.cycle_on_off if quick else found.vehicle_in_out)


@frozen
class BoardingPrice:
    """What it costs in a fight to get aboard and out, and to start."""

    what: str

    def check(self, scene: Scene, who: Person) -> None:
        ActionPrice(COSTS[boarding_kind(scene, who, self.what)]).check(scene, who)

    def pay(self, who: Person) -> Call[Prevented | None]:
        return take_boarding(who, self.what)

    def end(self, who: Person) -> Call[None]:
        return end_action(who)


@rule(f"{BOARDING}/take")
async def take_boarding(scene: Scene, who: Person, what: str) -> Prevented | None:
    """An action of the round, of the kind that it is."""
    return await hand_over(take_action(who, COSTS[boarding_kind(scene, who, what)]))


# --- getting aboard ---------------------------------------------------------------------------------------------------


def cycles(scene: Scene, who: Person) -> tuple[AVehicle, ...]:
    return tuple(each for each in vehicles(scene) if is_cycle(scene, each))


def cars(scene: Scene, who: Person) -> tuple[AVehicle, ...]:
    """What one gets into: everything that is no cycle."""
    return tuple(each for each in vehicles(scene) if not is_cycle(scene, each))


def roles(scene: Scene, who: Person, vehicle: AVehicle) -> tuple[Role, ...]:
    """The seats that are free; the wheel first."""
    found: list[Role] = [DRIVER] if driver_of(scene, vehicle) is None else []
    found.append(PASSENGER)
    return (*found, GUNNER) if mounted_weapons(scene, vehicle) else tuple(found)


def check_seat(scene: Scene, who: Person, role: str, vehicle: AVehicle) -> None:
    if role not in (legal := roles(scene, who, vehicle)):
        refuse(f"{vehicle} has no free {role}'s seat", what=str(role), rule=BOARDING, legal=legal)


def check_boards(scene: Scene, who: Person, vehicle: AVehicle) -> None:
    """On the ground beside something with a free seat that still is a vehicle."""
    if (mine := vehicle_of(scene, who)) is not None:
        raise Refused("board", because=f"{who} is in {mine}", rule=BOARDING, legal=("leave-vehicle", "change-seat"))
    if is_destroyed(scene, vehicle):
        refuse(f"{vehicle} is destroyed", rule=BOARDING)
    if scene[vehicle].altitude:
        refuse(f"{vehicle} is in the air", rule="yearzero.vehicles.aerial")
    if len(scene[vehicle].riders) >= (most := room_in(scene, vehicle)):
        refuse(f"{vehicle} carries {most}", rule="yearzero.vehicles.attributes")
    if is_elsewhere(scene, who, vehicle):
        refuse(f"{vehicle} is in {zone_of(scene, vehicle)}", rule="yearzero.combat.zones", legal=("run",))


def zone_of(scene: Scene, vehicle: AVehicle) -> str:
    """The zone a vehicle stands in; nothing without a map, or where nobody has placed it yet."""
    placed = (each.zone for each in scene[BATTLE].zones.places if each.who == vehicle.name) if BATTLE in scene else ()
    return next(iter(placed), "")


def is_elsewhere(scene: Scene, who: Person, vehicle: AVehicle) -> bool:
    return bool(zone := zone_of(scene, vehicle)) and scene[BATTLE].zones.where(who.name) != zone


ACycle: TypeAlias = Annotated[AVehicle, Pick(cycles)]
ACar: TypeAlias = Annotated[AVehicle, Pick(cars)]
FreeSeat: TypeAlias = Annotated[Role, Pick(roles, check_seat)]


@action("mount-cycle", BOARDING, price=BoardingPrice(ON_CYCLE), check=check_boards)
async def mount_cycle(scene: Scene, who: Person, vehicle: ACycle, role: FreeSeat = DRIVER) -> None:
    """Get on a two-wheeler or the like."""
    await work_off_pain(who)
    await hand_over(take_seat(who, vehicle, role))


@action("get-in", f"{BOARDING}/board", BOARDING, price=BoardingPrice(IN_VEHICLE), check=check_boards)
async def get_in(scene: Scene, who: Person, vehicle: ACar, role: FreeSeat = DRIVER) -> None:
    """Get into a vehicle: behind the wheel, as a passenger, or to a weapon that is mounted on it."""
    await work_off_pain(who)
    await hand_over(take_seat(who, vehicle, role))


@rule(f"{BOARDING}/seat")
async def take_seat(scene: Scene, who: Person, vehicle: AVehicle, role: Role) -> None:
    """Somebody sits down; whoever is at a weapon has it in hand."""
    if scene[who].cover is not None:
        await alter(who, Survivor.leaving_cover)
    await leave_weapon(who)
    await alter(vehicle, RatedVehicle.seating, who.name, role)
    if role == GUNNER:
        await man_weapon(who, vehicle)
    if BATTLE in scene and scene[BATTLE].has_map and not zone_of(scene, vehicle):
        await alter(BATTLE, Battle.placing, vehicle.name, scene[BATTLE].zones.where(who.name))


@rule("yearzero.vehicles.firing/man")
async def man_weapon(scene: Scene, who: Person, vehicle: AVehicle) -> None:
    """The first weapon that nobody is at comes into the gunner's hands, and stays on its mount."""
    await hand_over(take_weapon(who, vehicle, mounted_weapons(scene, vehicle)[0]))


@rule("yearzero.vehicles.firing/take")
async def take_weapon(scene: Scene, who: Person, vehicle: AVehicle, name: str) -> None:
    """A mounted weapon comes into somebody's hands."""
    weapon = next(each for each in scene[vehicle].things if each.name == name)
    rest = tuple(each for each in scene[vehicle].things if each.name != name)
    await change(vehicle, replace(scene[vehicle], things=rest))
    manned = replace(weapon, place=HELD, mount=vehicle.name)
    await change(who, replace(scene[who], things=added(scene[who].things, manned)))


@rule("yearzero.vehicles.firing/leave")
async def leave_weapon(scene: Scene, who: Person) -> None:
    """Whoever goes away from a mounted weapon leaves it on its mount."""
    for item in scene[who].things:
        if item.mount:
            rest = tuple(each for each in scene[who].things if each.name != item.name)
            await change(who, replace(scene[who], things=rest))
            await alter(Who(item.mount, RatedVehicle), RatedVehicle.with_thing, replace(item, place=MOUNTED, mount=""))


# --- getting out, the wheel, the engine -------------------------------------------------------------------------------


def check_aboard(scene: Scene, who: Person) -> None:
    if vehicle_of(scene, who) is None:
        refuse(f"{who} is in no vehicle", rule=BOARDING, legal=("get-in", "mount-cycle"))


def check_leaves(scene: Scene, who: Person) -> None:
    """Nobody gets out in the air."""
    check_aboard(scene, who)
    mine = vehicle_of(scene, who)
    if mine is not None and scene[mine].altitude:
        refuse(f"{mine} is in the air", rule="yearzero.vehicles.aerial")


@action("leave-vehicle", f"{BOARDING}/leave", BOARDING, price=BoardingPrice(LEAVE), check=check_leaves)
async def leave_vehicle(scene: Scene, who: Person) -> None:
    """Get out of a vehicle, or off it."""
    await work_off_pain(who)
    await hand_over(get_out(who))


@rule(f"{BOARDING}/out")
async def get_out(scene: Scene, who: Person) -> None:
    """Somebody is no longer aboard."""
    mine = vehicle_of(scene, who)
    await leave_weapon(who)
    if mine is not None:
        await alter(mine, RatedVehicle.leaving, who.name)


def other_seats(scene: Scene, who: Person) -> tuple[Role, ...]:
    """The other seats that are free in what one is in."""
    mine = vehicle_of(scene, who)
    if mine is None:
        return ()
    return tuple(each for each in roles(scene, who, mine) if each != scene[mine].role_of(who.name))


@action("change-seat", f"{BOARDING}/change", BOARDING, price=BoardingPrice(SEATS), check=check_aboard)
async def change_seat(scene: Scene, who: Person, role: Annotated[Role, Pick(other_seats)]) -> None:
    """Take the wheel, or leave it; go to a mounted weapon, or away from it."""
    mine = vehicle_of(scene, who)
    await work_off_pain(who)
    if mine is not None:
        await take_seat(who, mine, role)


def check_starts(scene: Scene, who: Person) -> None:
    """Whoever drives, where there is an engine that still works."""
    mine = vehicle_of(scene, who)
    if mine is None or scene[mine].role_of(who.name) != DRIVER:
        raise Refused("start", because=f"{who} drives nothing", rule=BOARDING, legal=("change-seat",))
    if not model_of(scene, mine).engine or scene[mine].running:
        refuse(f"{mine} has no engine" if not model_of(scene, mine).engine else f"{mine} is running", rule=BOARDING)
    if is_wrecked(scene, mine):
        refuse(f"{mine} is Wrecked", rule="yearzero.vehicles.wrecked")


@action("start-engine", f"{BOARDING}/start", BOARDING, price=BoardingPrice(START), check=check_starts)
async def start_engine(scene: Scene, who: Person) -> None:
    """Start what one drives."""
    mine = vehicle_of(scene, who)
    await work_off_pain(who)
    if mine is not None:
        await alter(mine, RatedVehicle.starting)


# --- at a table of one's own ------------------------------------------------------------------------------------------


def models(scene: Scene, who: object = None) -> tuple[str, ...]:
    return scene[VEHICLES].names


def heavy_weapons(scene: Scene, who: object = None) -> tuple[str, ...]:
    """What may be mounted on a vehicle: the machine guns and heavy ordnance of the book, or nothing."""
    listed = (row.name for row in scene[EQUIPMENT] if table_of(scene, row.name) in MOUNTABLE)
    return ("", *listed)


MOUNTABLE: Final = ("machine-guns", "heavy-ordnance")
Model: TypeAlias = Annotated[str, Pick(models)]
MountedWeapon: TypeAlias = Annotated[str, Pick(heavy_weapons, seldom=True)]
Rider: TypeAlias = Annotated[Person | None, Pick(lambda scene, who: (None, *people(scene)))]
Riders: TypeAlias = tuple[Annotated[Person, Pick(people)], ...]


def check_riders(
    scene: Scene, who: None, model: str, driver: Person | None, passengers: tuple[Person, ...], name: str = ""
) -> None:
    """A new name, and no more people than it carries, who are in no other."""
    crew = tuple(dict.fromkeys((*((driver,) if driver else ()), *passengers)))
    if len(crew) > (most := scene[VEHICLES].look(model).passengers):
        refuse(f"it carries {most}", what=model, rule=scene[VEHICLES].rule_of(model))
    for each in crew:
        if (mine := vehicle_of(scene, each)) is not None:
            refuse(f"{each} is in {mine}", rule=BOARDING, legal=("leave-vehicle",))
    if name and scene.read(name) is not None:
        refuse(f"there is already {name} in the scene", rule=BOARDING)


@action("add-vehicle", "yearzero.vehicles.attributes", master=True, check=check_riders)
async def add_vehicle(
    scene: Scene,
    model: Model,
    driver: Rider = None,
    passengers: Riders = (),
    name: Annotated[str, suggest()] = "",
    weapon: MountedWeapon = "",
    gunner: Rider = None,
) -> str:
    """A vehicle of the catalogue is here, with whoever is in it; its engine runs if somebody drives it."""
    vehicle = Who(name or free_name(scene, model), RatedVehicle)
    things = (loaded_weapon(scene, weapon),) if weapon else ()
    await change(vehicle, RatedVehicle(model, running=driver is not None, things=things))
    for who in passengers:
        await take_seat(who, vehicle, PASSENGER)
    if gunner is not None:
        await take_seat(gunner, vehicle, GUNNER)
    if driver is not None:
        await take_seat(driver, vehicle, DRIVER)
    return vehicle.name


def loaded_weapon(scene: Scene, weapon: str) -> Item:
    """A weapon on its mount, with a full magazine."""
    row = scene[EQUIPMENT][weapon]
    return Item(weapon, place=MOUNTED, magazine=row.mag, loaded=row.mag, rate_of_fire=row.rof)


def free_name(scene: Scene, model: str) -> str:
    """The name of the model, numbered if there is one of it already."""
    plain = model.partition(":")[2].strip() or model
    names = (plain, *(f"{plain} {number}" for number in range(2, 100)))
    return next(each for each in names if scene.read(each) is None)
