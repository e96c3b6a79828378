"""Vehicles: their figures, who is aboard and at which post, how they move, and what is damaged."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field, replace
from typing import Annotated, Any, ClassVar, Final, TypeAlias

from referee.core import Active, Levels, Open, Scene, Who, frozen, rows
from referee.core.plain import Plain, read_fields
from referee.kits.dice_codes import Code, Stats
from referee.systems.d6.equipment import Item
from referee.systems.d6.sheet import Hero, Person
from referee.systems.d6.vehicles.motion import AT_REST, Motion
from referee.systems.d6.vehicles.systems import damage_effects

PILOT: Final = "pilot"
PASSENGER: Final = "passenger"
GROUND: Final = "ground"
STAT_BLOCK: Final = "d6.vehicle.stat-block"


@frozen
class MoverKind:
    """A kind of mover: the skills it is moved with, whether it is alive, ridden, flies, and in which surroundings."""

    name: str
    skills: tuple[str, ...]
    alive: bool = False
    ridden: bool = False
    aerial: bool = False
    where: tuple[str, ...] = ()


@frozen
class CabinCover:
    """How much a vehicle hides of those inside, in percent."""

    name: str
    percent: int
    example: str


@frozen
class PrintedVehicle:
    """A vehicle to pick from, by the figures of its stat block."""

    name: str
    sheet: dict[str, Any] = field(default_factory=dict, hash=False)


CATEGORIES: Final = rows("d6.movement.piloting-skills", "movers", MoverKind)
COVERS: Final = rows("d6.equipment.vehicle-cover", "cover", CabinCover)
VEHICLES: Final = rows(STAT_BLOCK, "vehicles", PrintedVehicle)


@frozen
class VehicleWeapon(Item):
    """A weapon of a vehicle: a thing with its own scale, with where it can fire, and with its crew's average skill."""

    in_play: ClassVar = (*Item.in_play, "fired")
    arcs: tuple[str, ...] = ()
    """Where it can fire: front, rear, left, right; everywhere, if nothing is said."""
    turret: bool = False
    locked_forward: bool = False
    """Whether a turret is locked, so that the pilot can fire it."""
    minimum_crew: int | None = None
    """With how many it can still be served."""
    average: Code | None = None
    """The average skill of those who serve it, where nobody does by name."""
    guidance: Code | None = None
    """Of a guided missile."""
    propelled: bool = False
    """Whether it propels itself: a rocket, a missile, a torpedo."""
    minimum_range: float = 0
    speed: float = 0
    """How far a propelled one flies in a round, in metres; 0 if it lands at once."""
    lasts: int | None = None
    """Rounds after which it destroys itself."""
    indirect: bool = False
    """Whether it fires over obstacles."""
    mark: Code | None = None
    """Of a designator: what its mark takes from the signature of what it marks."""
    fired: int = 0
    """How often it was fired in this round."""

    @property
    def ready(self) -> bool:
        """Whoever serves it has it at hand."""
        return True


@frozen
class CrewPost:
    """Somebody at a post: the pilot, the gunner of a weapon, an officer."""

    known_by: ClassVar = ("post", "who")
    post: str
    who: str
    weapon: str = ""
    remote: bool = False
    """Whether they control it from afar, and are not aboard."""
    officer: bool = False
    """Whether they lead a control position."""


@frozen
class SystemDamage:
    """A system of a vehicle that is damaged, and how badly."""

    known_by: ClassVar = ("system", "weapon")
    system: str
    level: str
    weapon: str = ""
    """Which one, where the system is a weapon."""


@frozen
class Vehicle:
    """Whatever carries people or things by itself: everything with a Move of its own that is not alive."""

    type: Open[str] = ""
    """What it is called: a saloon, a biplane."""
    category: Annotated[Open[str], CATEGORIES] = "Ground vehicle"
    """The kind of vehicle, which says with which skills it is piloted."""
    size: Open[str] = ""
    scale: Open[int] = 2
    skill: Open[str] = ""
    """The skill it is piloted with, where it is not the one of its category."""
    crew: Open[int] = 1
    minimum_crew: Open[int] = 1
    hands: Open[int] = 0
    """Crew aboard besides those at posts."""
    crew_skills: Open[Stats] = field(default_factory=Stats)
    """What the crew can do on average: piloting, shooting, repairs."""
    remote_aid: Open[int] = 0
    """What the means of controlling it from afar take off what a missing crew costs."""
    own_abilities: Open[Stats] = field(default_factory=Stats)
    """The attributes and skills of a robot vehicle."""
    remote: Open[bool] = False
    """Whether it can be controlled from afar."""
    seats: Open[int] = 0
    """How many passengers it is built for."""
    comfort: Open[int] = 1
    cargo: Open[int] = 0
    """The mass it can carry besides passengers, in kilograms."""
    cargo_volume: Open[int] = 0
    """The volume it can carry, in litres."""
    load: Open[int] = 0
    load_volume: Open[int] = 0
    sealed: Open[bool] = False
    """Whether nothing can be carried outside: planes, submarines, starships."""
    cover: Annotated[Open[str], COVERS] = "Full"
    """How much of those inside it hides."""
    autonomy: Open[str] = ""
    body: Open[Code] = Code(3)  # a frozen value
    signature: Open[Code] = Code(3)  # a frozen value
    maneuverability: Open[Code] = Code()  # a frozen value
    move: Open[Levels] = field(default_factory=Levels)
    """Metres in a round at Cruise speed, by environment; units of space in space."""
    quick: Open[bool] = False
    """Whether it gains and loses speed as a character does."""
    bulky: Open[bool] = False
    """Whether it cannot start directly at Cruise speed."""
    off_road: Open[bool] = False
    """Whether it was built to leave the road."""
    take_off: Open[str] = ""
    """How it takes off, if it flies with wings: normal, STOL, VSTOL; VTOL flies as it likes."""
    landing_gear: Open[Code] = Code()  # a frozen value
    """What reinforced landing gear adds to Body when it touches down."""
    eases: Open[Levels] = field(default_factory=Levels)
    """What it adds to the difficulty of some maneuvers, or takes from it."""
    weapons: Open[tuple[VehicleWeapon, ...]] = ()
    equipment: Open[tuple[Item, ...]] = ()
    """Scanners, communications, a ram; what else is aboard."""
    description: Open[str] = ""

    posts: Open[tuple[CrewPost, ...]] = ()
    passengers: Open[tuple[str, ...]] = ()
    strapped: Open[frozenset[str]] = frozenset()
    """Who aboard is strapped in."""
    motion: Open[Motion] = AT_REST
    damage: Open[str] = ""
    """How badly it is damaged as a whole; nothing if it is sound."""
    damaged_at: Open[int | None] = None
    """The round in which it was damaged so badly that it may go up."""
    systems: Open[tuple[SystemDamage, ...]] = ()
    gear_damage: Open[str] = ""
    """How badly the landing gear is damaged."""
    deviates: Open[int] = 0
    """Hits that only make it deviate, of this round and of the last."""
    new_deviates: Open[int] = 0
    """How many of them are of this round."""
    frozen_controls: Open[bool] = False
    """Whether so many of them have come together that the controls are frozen."""

    @classmethod
    def from_plain(cls, plain: Plain) -> Vehicle:
        """`pilot: ana`, `speed: High` and `move: 30` are short for a post, its motion and its Move on the ground."""
        if not isinstance(plain, Mapping):
            return plain if isinstance(plain, Vehicle) else cls(type=str(plain))
        given = dict(plain)
        if (pilot := given.pop("pilot", None)) is not None:
            given["posts"] = [{"post": PILOT, "who": pilot}, *given.get("posts", ())]
        if (speed := given.pop("speed", None)) is not None:
            given["motion"] = {**(given.get("motion") or {}), "speed": speed}
        if isinstance(given.get("move"), int):
            given["move"] = {GROUND: given["move"]}
        found: Vehicle = read_fields(cls, given)
        return found

    # --- who is aboard ------------------------------------------------------------------------------------------------

    @property
    def pilot(self) -> str:
        """Who drives it; nobody does if it stands empty."""
        return next((each.who for each in self.posts if each.post == PILOT), "")

    @property
    def at_posts(self) -> tuple[str, ...]:
        """Those who serve it, each once."""
        return tuple(dict.fromkeys(each.who for each in self.posts))

    @property
    def aboard(self) -> tuple[str, ...]:
        """Everybody aboard by name: the crew first, then passengers."""
        return tuple(dict.fromkeys((*(each.who for each in self.posts if not each.remote), *self.passengers)))

    def posts_of(self, who: str) -> tuple[str, ...]:
        return tuple(each.post for each in self.posts if each.who == who)

    def with_post(self, post: CrewPost) -> Vehicle:
        """Somebody takes a post: whoever had it leaves it, and who takes it is a passenger no more."""
        same = [each for each in self.posts if (each.post, each.weapon) == (post.post, post.weapon)]
        kept = tuple(each for each in self.posts if each not in same)
        relieved = tuple(each.who for each in same if each.who != post.who)
        still = (name for name in relieved if all(each.who != name for each in kept))
        passengers = (*(name for name in self.passengers if name != post.who), *still)
        return replace(self, posts=(*kept, post), passengers=tuple(passengers))

    def with_passenger(self, who: str) -> Vehicle:
        gone = self.without(who)
        return replace(gone, passengers=(*gone.passengers, who))

    def without(self, who: str) -> Vehicle:
        """Somebody is not aboard any more."""
        return replace(
            self,
            posts=tuple(each for each in self.posts if each.who != who),
            passengers=tuple(name for name in self.passengers if name != who),
            strapped=self.strapped - {who},
        )

    def strapping(self, who: str, strapped: bool) -> Vehicle:
        return replace(self, strapped=self.strapped | {who} if strapped else self.strapped - {who})

    # --- what happens to it -------------------------------------------------------------------------------------------

    def moving(self, motion: Motion) -> Vehicle:
        return replace(self, motion=motion)

    def on_gear(self, level: str) -> Vehicle:
        """With damaged landing gear."""
        return replace(self, gear_damage=level)

    def damaged(self, level: str, at: int | None = None) -> Vehicle:
        return replace(self, damage=level, damaged_at=at)

    def system(self, name: str, weapon: str = "") -> SystemDamage | None:
        return next((each for each in self.systems if (each.system, each.weapon) == (name, weapon)), None)

    def with_system(self, damage: SystemDamage) -> Vehicle:
        others = tuple(each for each in self.systems if (each.system, each.weapon) != (damage.system, damage.weapon))
        return replace(self, systems=(*others, damage))

    def without_system(self, name: str, weapon: str = "") -> Vehicle:
        return replace(
            self, systems=tuple(each for each in self.systems if (each.system, each.weapon) != (name, weapon))
        )

    def with_weapon(self, weapon: VehicleWeapon) -> Vehicle:
        others = tuple(weapon if each.name == weapon.name else each for each in self.weapons)
        return replace(self, weapons=others)

    def deviating(self, hits: int = 1) -> Vehicle:
        return replace(self, deviates=self.deviates + hits, new_deviates=self.new_deviates + hits)

    def freezing(self, frozen_controls: bool) -> Vehicle:
        return replace(self, frozen_controls=frozen_controls)

    def steadier(self) -> Vehicle:
        """A round is over: hits that made it deviate count for one more."""
        return replace(self, deviates=self.new_deviates, new_deviates=0)

    def effects(self, scene: Scene) -> Iterator[Active]:
        """What its damage does to those who steer it and shoot from it."""
        return damage_effects(scene, self)


Craft: TypeAlias = Who[Vehicle]


def vehicles(scene: Scene, who: object) -> tuple[Craft, ...]:
    return scene.all(Vehicle)


def craft_with(scene: Scene, name: str) -> Craft | None:
    """The vehicle that somebody is aboard of."""
    return next((each for each in scene.all(Vehicle) if name in (*scene[each].at_posts, *scene[each].passengers)), None)


def people_aboard(scene: Scene, craft: Craft) -> Iterator[Person]:
    """Those aboard who have a sheet."""
    yield from (who for who in (Who(name, Hero) for name in scene[craft].aboard) if who in scene)


def named(scene: Scene, names: Iterable[str]) -> tuple[Who[Any], ...]:
    """Whatever of these is in the scene, with its own type."""
    return tuple(scene.who(each) for each in names if each in scene.state)
