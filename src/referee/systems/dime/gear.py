"""Things: their slots and containers, what weapons and armor can do, and what a hidden weapon is worth."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import field, replace
from typing import ClassVar, Final

from referee.core import Active, Effect, Levels, Scene, figure, formula, frozen, refuse, rows
from referee.core.effects import Adds
from referee.core.things import CARRIED, DROPPED, HELD, ON_BODY, PLACES

DEFAULT_SLOTS: Final = figure("dime.gear.general-properties", "default_slots", int)

BIG: Final = "Big"
CONTAINER: Final = "Container"
NEG: Final = "Neg"
WORN: Final = "Worn"
HELMET: Final = "Helmet"
DR: Final = "DR"
PIERCE: Final = "Pierce"
HEAD: Final = "head"


@frozen
class PropertyRow:
    """A property of things: whether it has a rating, and what it does."""

    name: str
    says: str
    rated: bool = False
    default: int = 0
    """The rating of a thing that does not say."""
    slots: int | None = None
    worn_slots: int | None = None
    per_rating: tuple[Effect, ...] = ()
    effects: tuple[Effect, ...] = ()
    flip: str = ""
    against: str = ""
    per_attack: int = 0
    range: int = 0
    most_worn: int | None = None
    """How many things with it may be worn."""
    suits: tuple[str, ...] = ()
    """The suits of the attacking card against which it works."""


PROPERTIES: Final = rows(
    "dime.gear.general-properties",
    "properties",
    PropertyRow,
    also=("dime.weapon.properties/properties", "dime.armor.properties/properties"),
)


@frozen
class Item:
    """A thing: its properties with their ratings, and what has become of it."""

    in_play: ClassVar = ("dropped", "shots")
    name: str
    properties: Levels = field(default_factory=Levels)
    """By name; a property without a rating is 1."""
    damage: Levels = field(default_factory=Levels)
    """By suit; a suit that is not named does none."""
    strength: bool = False
    """Whether the wielder's Strength is added to the damage."""
    skill: str = "melee"
    """The skill it attacks with: melee, guns, athletics."""
    dr_suits: tuple[str, ...] = ()
    """The suits against which its DR works; all, if none is named."""
    build: str = ""
    """What kind of thing it is where a rule asks: longarm, polearm."""
    cost: int = 0
    holds: str = ""
    """What a container takes, in words."""
    inside: str = ""
    """The container it lies in."""
    worn: bool = False
    held: bool = False
    dropped: bool = False
    """Whether it lies on the ground; it is then not carried."""
    shots: int | None = None
    """The shots left; all of them, if nobody has counted."""

    def has(self, name: str) -> bool:
        return name in self.properties

    def rating(self, scene: Scene, name: str) -> int:
        """The rating of a property; without it, what the book says for such things."""
        row = scene[PROPERTIES][name]
        return self.properties.get(name, row.default)

    def at(self, place: str) -> Item:
        """The thing in another place: one of the four, or a container."""
        inside = "" if place in PLACES else place
        return replace(self, held=place == HELD, worn=place == ON_BODY, dropped=place == DROPPED, inside=inside)

    @property
    def place(self) -> str:
        """Where it is: one of the four, or a container."""
        if self.dropped:
            return DROPPED
        return HELD if self.held else ON_BODY if self.worn else self.inside or CARRIED

    @property
    def in_use(self) -> bool:
        return self.worn or self.held

    def effects(self, scene: Scene) -> Iterator[Active]:
        """What its properties do while it is worn or held."""
        for name, rating in self.properties.items() if self.in_use else ():
            row = scene[PROPERTIES].look(name)
            rule = scene[PROPERTIES].rule_of(name)
            for each in row.per_rating:
                if isinstance(each.does, Adds):
                    does = replace(each.does, amount=each.does.amount * rating)
                    yield Active(replace(each, does=does), row.name, rule)
            yield from (Active(each, row.name, rule) for each in row.effects)


@formula("dime.gear.general-properties")
def slots(scene: Scene, item: Item) -> int:
    """The slots a thing takes: one, unless a property says otherwise."""
    if item.has(NEG) and (none := scene[PROPERTIES][NEG].slots) is not None:
        return none
    if item.has(WORN) and item.worn and (worn := scene[PROPERTIES][WORN].worn_slots) is not None:
        return worn
    return item.rating(scene, BIG) if item.has(BIG) else scene[DEFAULT_SLOTS]


def carried_slots(scene: Scene, items: Iterable[Item]) -> int:
    """The slots that count towards encumbrance: not what lies in containers or on the ground."""
    return sum(slots(scene, each) for each in items if not each.inside and not each.dropped)


def contents(scene: Scene, items: Iterable[Item], container: str) -> int:
    """The slots that are used in a container."""
    return sum(slots(scene, each) for each in items if each.inside == container)


def check_item(scene: Scene, items: tuple[Item, ...], item: Item) -> None:
    """A thing has properties of the book; what lies in a container must fit; one bulky thing is worn at a time."""
    for name, rating in item.properties.items():
        row = scene[PROPERTIES].look(name)
        if rating < 1 or (rating > 1 and not row.rated):
            refuse(f"{rating} is no rating", what=f"{item.name}: {name}", rule=scene[PROPERTIES].rule_of(name))
    if item.inside:
        check_fits(scene, items, item)
    for name in (each for each in item.properties if item.worn):
        most = scene[PROPERTIES].look(name).most_worn
        if most is not None and sum(each.worn and each.has(name) for each in items) > most:
            refuse(f"{most} of them is worn at most", what=name, rule=scene[PROPERTIES].rule_of(name))


def check_fits(scene: Scene, items: tuple[Item, ...], item: Item) -> None:
    """A container holds as many slots as its rating, and is not in itself."""
    container = next((each for each in items if each.name == item.inside), None)
    if container is None or not container.has(CONTAINER) or container.name == item.name:
        refuse(f"{item.inside} is no container", what=item.name, rule=PROPERTIES.rule)
    if item.in_use or item.dropped:
        refuse("what is in use or on the ground lies in no container", what=item.name, rule=PROPERTIES.rule)
    held, room = contents(scene, items, container.name), container.rating(scene, CONTAINER)
    if held > room:
        refuse(f"{held} slots do not fit into {room}", what=container.name, rule=PROPERTIES.rule)


@formula("dime.armor.properties")
def armor_dr(scene: Scene, items: tuple[Item, ...], suit: str | None, where: str = "") -> int:
    """The DR of what is worn against an attacking card of a suit, at a place; several add up."""
    return sum(
        each.rating(scene, DR) for each in items if each.worn and each.has(DR) and protects(scene, each, suit, where)
    )


def protects(scene: Scene, item: Item, suit: str | None, where: str) -> bool:
    """Whether armor works: against its suits, and a helmet only where the head is hit."""
    if item.dr_suits and suit not in item.dr_suits:
        return False
    return not item.has(HELMET) or where == HEAD or suit in scene[PROPERTIES][HELMET].suits
