"""Who is aboard: adding vehicles, taking a post, boarding, strapping oneself in, getting out, riding."""

from __future__ import annotations

from typing import Annotated, Final, TypeAlias

from referee.core import (
    Pick,
    Scene,
    action,
    alter,
    change,
    family,
    figure,
    formula,
    frozen,
    refuse,
    rows,
    suggest,
)
from referee.core.scene import Who
from referee.core.wording import phrase
from referee.systems.d6.combat.round import fight_action
from referee.systems.d6.sheet import Hero, Person
from referee.systems.d6.skill_names import in_words
from referee.systems.d6.vehicles.motion import STOP
from referee.systems.d6.vehicles.movers import TERMS, piloting_skills, set_motion
from referee.systems.d6.vehicles.vehicle import (
    COVERS,
    PASSENGER,
    PILOT,
    STAT_BLOCK,
    VEHICLES,
    Craft,
    CrewPost,
    Vehicle,
    craft_with,
    vehicles,
)

ABOARD: Final = "d6.equipment.vehicle-crew-passengers"
DEFINITION: Final = "d6.equipment.vehicle-definition"
COMFORT: Final = "d6.vehicle.comfort"
SAID_BY_ITSELF: Final = ("type", "size", "skills")


@frozen
class StatEntry:
    """An entry of the stat block, and where it comes from."""

    name: str
    of: str


@frozen
class ComfortLevel:
    """How comfortable passenger space is."""

    name: str
    level: int
    of: str = ""


ENTRIES: Final = rows(STAT_BLOCK, "fields", StatEntry)
COMFORTS: Final = rows(COMFORT, "levels", ComfortLevel, by="level")
MASS: Final = figure(COMFORT, "mass_of_passenger", int)
POSTS: Final = figure(ABOARD, "posts", tuple[str, ...])


# --- the stat block ---------------------------------------------------------------------------------------------------


@formula(DEFINITION)
def is_vehicle(scene: Scene, what: Who[object]) -> bool:
    """Whether something is a vehicle: whatever has a Move of its own and is not alive."""
    value = scene[what]
    return isinstance(value, Vehicle) and any(value.move.values())


@formula(STAT_BLOCK, COMFORT)
def vehicle_stat_block(scene: Scene, craft: Craft) -> dict[str, str]:
    """A vehicle by the entries of its description, without what it has not."""
    of = scene[craft]
    aboard = f"{of.seats} ({scene[COMFORTS].at(min(of.comfort, 5)).name.casefold()})" if of.seats else ""
    found = {
        "type": of.type,
        "size": of.size,
        "scale": str(of.scale),
        "skills": phrase([in_words(each) for each in piloting_skills(scene, craft)]),
        "crew": f"{of.crew} [{of.minimum_crew}]" if of.minimum_crew != of.crew else str(of.crew),
        "passengers": aboard,
        "cargo": f"{of.cargo} kg, {of.cargo_volume} l" if of.cargo or of.cargo_volume else "",
        "autonomy": of.autonomy,
        "body": str(of.body),
        "signature": str(of.signature),
        "maneuverability": str(of.maneuverability),
        "acceleration": "as a character" if of.quick else "",
        "starting": "slow" if of.bulky else "",
        "move": phrase([f"{metres} {unit_of(where)} ({where})" for where, metres in of.move.items()]),
        "others": phrase([each.name for each in (*of.weapons, *of.equipment)], nothing=""),
    }
    return {row.name: found[row.of] for row in scene[ENTRIES] if found[row.of]}


def unit_of(environment: str) -> str:
    return "SU" if environment == "space" else "m"


@formula(f"{STAT_BLOCK}/says", STAT_BLOCK)
def vehicle_says(scene: Scene, craft: Craft) -> str:
    """What kind of vehicle something is, in a line."""
    block = vehicle_stat_block(scene, craft)
    words = {row.name: row.of for row in scene[ENTRIES]}
    return ", ".join(
        text if words[name] in ("type", "skills", "size") else f"{words[name]} {text}" for name, text in block.items()
    )


@formula(f"{ABOARD}/crew", ABOARD)
def crew_aboard(scene: Scene, craft: Craft) -> int:
    """How many serve a vehicle: those at posts, and the hands that nobody names."""
    return len(scene[craft].at_posts) + scene[craft].hands


@formula("d6.equipment.vehicle-autonomy-cargo", COMFORT)
def load_aboard(scene: Scene, craft: Craft) -> int:
    """The mass a vehicle carries besides its passengers; those beyond the number it was built for count with it."""
    of = scene[craft]
    return of.load + max(0, len(of.passengers) - of.seats) * scene[MASS]


@formula("d6.equipment.vehicle-cover")
def cover_aboard(scene: Scene, who: Person) -> int:
    """How much of somebody the vehicle around them hides, in percent."""
    craft = craft_with(scene, who.name)
    return scene[COVERS][scene[craft].cover].percent if craft is not None else 0


# --- adding one -------------------------------------------------------------------------------------------------------


def drivers(scene: Scene, who: object) -> tuple[Person | None, ...]:
    return (None, *(each for each in scene.all(Hero) if craft_with(scene, each.name) is None))


def check_name(scene: Scene, who: object, name: str) -> None:
    if name in scene.state:
        refuse("this name is taken", what=name)


@action("add-vehicle", f"{STAT_BLOCK}/add", STAT_BLOCK, DEFINITION, master=True, check=check_name)
async def add_vehicle(
    scene: Scene,
    vehicle: Annotated[str, family(VEHICLES)],
    name: Annotated[str, suggest("")] = "",
    driver: Annotated[Person | None, Pick(drivers)] = None,
) -> None:
    """Add a vehicle of the catalogue to the scene, perhaps with somebody at the wheel."""
    made = Vehicle.from_plain(scene[VEHICLES][vehicle].sheet)
    if driver is not None:
        made = made.with_post(CrewPost(PILOT, driver.name))
    await change(Who(name or free_name(scene, vehicle), Vehicle), made)


def free_name(scene: Scene, name: str) -> str:
    """The name of a row, with a number where it is taken."""
    if name not in scene.state:
        return name
    return next(new for at in range(2, 1000) if (new := f"{name} {at}") not in scene.state)


# --- who is aboard ----------------------------------------------------------------------------------------------------


def posts_to_take(scene: Scene, who: Person, craft: Craft) -> tuple[str, ...]:
    """Being a passenger, the posts of the book, and whatever others somebody has here."""
    of = scene[craft]
    return tuple(dict.fromkeys((PASSENGER, *scene[POSTS], *(each.post for each in of.posts))))


def weapons_aboard(scene: Scene, who: Person, craft: Craft, post: str) -> tuple[str, ...]:
    return ("", *(each.name for each in scene[craft].weapons))


def check_boarding(scene: Scene, who: Person, craft: Craft) -> None:
    """Whoever is not aboard gets into what stands still; nobody is aboard of two."""
    inside = craft_with(scene, who.name)
    if inside is not None and inside != craft:
        refuse(f"{who} is aboard {inside}", what=craft.name, legal=("get-out",))
    if inside is None and scene[craft].motion.speed != STOP:
        refuse("it is moving", what=craft.name, legal=("once it has stopped",))


def check_free(scene: Scene, who: Person, craft: Craft, post: str) -> None:
    """The wheel is taken over only from somebody who is not awake."""
    pilot = Who(scene[craft].pilot, Hero)
    if post == PILOT and pilot != who and pilot in scene and scene[pilot].unconscious is None:
        refuse(f"{pilot} is at the wheel", what=post, legal=(PASSENGER,))


CraftName: TypeAlias = Annotated[Craft, Pick(vehicles)]


@fight_action("take-post", ABOARD, DEFINITION, check=(check_boarding, check_free))
async def take_post(
    scene: Scene,
    who: Person,
    craft: CraftName,
    post: Annotated[str, Pick(posts_to_take)] = PASSENGER,
    weapon: Annotated[str, Pick(weapons_aboard)] = "",
    strapped: bool = False,
) -> None:
    """Get into a vehicle, or change one's place in it: at a post, or as a passenger."""
    if post == PASSENGER:
        await alter(craft, Vehicle.with_passenger, who.name)
    else:
        await alter(craft, Vehicle.with_post, CrewPost(post, who.name, weapon))
    if strapped != (who.name in scene[craft].strapped):
        await alter(craft, Vehicle.strapping, who.name, strapped)


def check_getting_out(scene: Scene, who: Person, craft: Craft) -> None:
    """Whoever is aboard of what stands still."""
    if scene[craft].motion.speed != STOP:
        refuse("it is moving", what=craft.name, legal=("once it has stopped",))


def own_craft(scene: Scene, who: Person) -> tuple[Craft, ...]:
    inside = craft_with(scene, who.name)
    return () if inside is None else (inside,)


OwnCraft: TypeAlias = Annotated[Craft, Pick(own_craft)]


@fight_action("get-out", f"{ABOARD}/out", ABOARD, check=check_getting_out)
async def get_out(scene: Scene, who: Person, craft: OwnCraft) -> None:
    """Leave a vehicle that stands still."""
    await alter(craft, Vehicle.without, who.name)


def check_straps(scene: Scene, who: Person, craft: Craft, strapped: bool) -> None:
    if (who.name in scene[craft].strapped) is strapped:
        refuse(f"{who} is strapped in" if strapped else f"{who} is not strapped in", what=craft.name)


@fight_action("strap-in", f"{ABOARD}/strap", ABOARD, check=check_straps)
async def strap_in(scene: Scene, who: Person, craft: OwnCraft, strapped: bool = True) -> None:
    """Strap oneself in, or get rid of the straps."""
    await alter(craft, Vehicle.strapping, who.name, strapped)


# --- riding -----------------------------------------------------------------------------------------------------------


def mounts(scene: Scene, who: Person) -> tuple[Person, ...]:
    return tuple(each for each in scene.all(Hero) if each != who and scene[each].creature is not None)


def check_mount(scene: Scene, who: Person, mount: Person, riding: bool) -> None:
    """Nobody else sits on it, and it stands still."""
    rider, speed = scene[mount].motion.rider, scene[mount].motion.speed
    if riding and rider not in ("", who.name):
        refuse(f"{rider} rides it", what=mount.name)
    if (rider == who.name) is riding:
        refuse(f"{who} rides it" if riding else f"{who} does not ride it", what=mount.name)
    if speed != STOP:
        refuse("it is moving", what=mount.name, legal=("once it has stopped",))


@fight_action("ride", f"{TERMS}/ride", TERMS, check=check_mount)
async def ride(scene: Scene, who: Person, mount: Annotated[Person, Pick(mounts)], riding: bool = True) -> None:
    """Get on a mount, or off it: from then on they move as one."""
    await set_motion(mount, scene[mount].motion.ridden_by(who.name if riding else ""))
