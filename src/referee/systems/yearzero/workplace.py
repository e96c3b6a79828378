"""Where work is done and things are kept: buildings, stores, laboratories; and things from hand to hand."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any, TypeAlias

from referee.core import Open, Pick, Refused, Scene, Who, action, alter, frozen
from referee.core.things import PLACES
from referee.kits.things import give
from referee.kits.wounds import TimeSpan
from referee.systems.yearzero.sheet import Item, Person, Survivor, others
from referee.systems.yearzero.time import units


@frozen
class Workplace:
    """A place to work: what is built there, what is in store, and how good its laboratory is."""

    buildings: Open[frozenset[str]] = frozenset()
    """A workshop, a garage, a forge."""
    things: Open[tuple[Item, ...]] = ()
    laboratory: Open[int | None] = None
    """The Gear Bonus of its laboratory, if it has one."""

    def worn(self, banes: int) -> Workplace:
        """With a laboratory that has suffered."""
        return replace(self, laboratory=max(0, (self.laboratory or 0) - banes))

    def with_building(self, name: str) -> Workplace:
        return replace(self, buildings=self.buildings | {name})


def workplaces(scene: Scene, who: Person | None = None) -> tuple[Who[Workplace] | None, ...]:
    return (None, *scene.all(Workplace))


At: TypeAlias = Annotated[Who[Workplace] | None, Pick(workplaces)]


def check_building(scene: Scene, at: Who[Workplace] | None, *buildings: str, rule: str) -> None:
    """Work that needs one of these buildings is done where there is one."""
    if at is None or not scene[at].buildings & set(buildings):
        raise Refused("work", because=f"it takes a {' or a '.join(buildings)}", rule=rule)


def time_of(scene: Scene, span: TimeSpan | None) -> int:
    """How long something takes that is not rolled, in rounds."""
    return span.plus * span.size({each.name: each.size for each in units(scene)}) if span else 0


# --- from hand to hand


def own_things(scene: Scene, who: Person) -> tuple[str, ...]:
    """What somebody has; a weapon on its mount stays there."""
    return tuple(each.name for each in scene[who].things if not each.mount)


def holders(scene: Scene, who: Person) -> tuple[Who[Any], ...]:
    """Whoever and wherever a thing may go."""
    return (*others(scene, who), *scene.all(Workplace))


def sources(scene: Scene, who: Person) -> tuple[Who[Any], ...]:
    """Where something can be taken: a store, or the ground where somebody dropped it."""
    lying = (each for each in others(scene, who) if any(not thing.at_hand for thing in scene[each].things))
    return (*scene.all(Workplace), *lying)


def takeable(scene: Scene, who: Person, source: Who[Any]) -> tuple[str, ...]:
    """What is in store, or lies on the ground."""
    kept = isinstance(scene[source], Workplace)
    return tuple(each.name for each in scene[source].things if kept or not each.at_hand)


def places(scene: Scene, who: Person, thing: str) -> tuple[str, ...]:
    return PLACES


OwnThing: TypeAlias = Annotated[str, Pick(own_things)]
Holder: TypeAlias = Annotated[Who[Any], Pick(holders)]
Source: TypeAlias = Annotated[Who[Any], Pick(sources)]
There: TypeAlias = Annotated[str, Pick(takeable)]
Place: TypeAlias = Annotated[str, Pick(places)]


@action("give-thing", "yearzero.gear.gear-dice/give")
async def give_thing(scene: Scene, who: Person, thing: OwnThing, to: Holder, amount: float | None = None) -> None:
    """Give something to somebody, or put it in store."""
    await give(scene, who, to, thing, amount)


@action("take-thing", "yearzero.gear.gear-dice/take")
async def take_thing(scene: Scene, who: Person, source: Source, thing: There, amount: float | None = None) -> None:
    """Take something from a store, or pick up what lies on the ground."""
    await give(scene, source, who, thing, amount)


@action("put-thing", "yearzero.gear.gear-dice/put")
async def put_thing(scene: Scene, who: Person, thing: OwnThing, place: Place) -> None:
    """Take a thing in hand, put it on, stow it, or drop it."""
    await alter(who, Survivor.with_thing, scene[who].thing(thing).at(place))
