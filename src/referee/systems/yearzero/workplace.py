"""Where work is done and things are kept: buildings, stores, laboratories; and things from hand to hand."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any, Final, TypeAlias

from referee.core import Open, Pick, Refused, Scene, Who, action, alter, formula, frozen
from referee.core.things import CARRIED, DROPPED, HELD, ON_BODY, PLACES
from referee.kits.things import give
from referee.kits.wounds import TimeSpan
from referee.systems.yearzero.action_types import ListedPrice, end_action, take_listed
from referee.systems.yearzero.battle import BATTLE
from referee.systems.yearzero.equipment import fits_on, row_named, weapon_kind
from referee.systems.yearzero.gear import damage_at_first
from referee.systems.yearzero.harm import work_off_pain
from referee.systems.yearzero.sheet import Item, Person, Survivor, others
from referee.systems.yearzero.time import units
from referee.systems.yearzero.weapons import features_of, is_shield, is_weapon, magazine_of


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
    """In hand, on the body, stowed, on the ground; a scope also on one's own rifle."""
    mine = scene[who].things
    kind = next((each.kind for each in mine if each.name == thing), "")
    return (*PLACES, *(each.name for each in mine if fits_on(scene, kind, each.kind)))


DRAW: Final = "Draw Weapon"
TAKE_OFF: Final = "Remove Gear"
USE: Final = "Use Item"
HANDGUNS: Final = ("pistol", "revolver")


@formula("yearzero.combat.fast-actions/hands")
def listed_as(scene: Scene, who: Person, thing: str, place: str) -> str:
    """The action of a fight that puts a thing somewhere; none to drop it, or to draw it from a quick-draw holster."""
    item = scene[who].thing(thing)
    if BATTLE not in scene or place in (DROPPED, item.place):
        return ""
    if ON_BODY in (place, item.place):
        return TAKE_OFF
    if place == HELD and is_weapon(scene, item):
        return "" if is_holstered(scene, who, item) else DRAW
    return USE


@formula("yearzero.gear.misc-combat/holster")
def is_holstered(scene: Scene, who: Person, item: Item) -> bool:
    """Whether somebody has a quick-draw holster for a weapon: a handgun that does not hit too hard, a light blade."""
    shot = magazine_of(scene, item) > 0
    handgun = (weapon_kind(scene, item.kind) or item.kind).casefold().endswith(HANDGUNS)
    small = handgun if shot else "Light" in features_of(scene, item)
    holsters = (row_named(scene, each.kind) for each in scene[who].things if each.at_hand)
    fits = [each for each in holsters if each is not None and each.most_damage is not None]
    damage = damage_at_first(scene, item)
    return item.place == CARRIED and small and any(not shot or damage <= (each.most_damage or 0) for each in fits)


def check_put(scene: Scene, who: Person, thing: str, place: str) -> None:
    """In a fight it takes an action to draw a weapon, to stow a thing and to put on gear or take it off."""
    if name := listed_as(scene, who, thing, place):
        ListedPrice(name).check(scene, who)


OwnThing: TypeAlias = Annotated[str, Pick(own_things)]
Holder: TypeAlias = Annotated[Who[Any], Pick(holders)]
Source: TypeAlias = Annotated[Who[Any], Pick(sources)]
There: TypeAlias = Annotated[str, Pick(takeable)]
Place: TypeAlias = Annotated[str, Pick(places)]


@action("give-thing", "yearzero.gear.gear-dice/give", price=ListedPrice(USE))
async def give_thing(scene: Scene, who: Person, thing: OwnThing, to: Holder, amount: float | None = None) -> None:
    """Give something to somebody, or put it in store."""
    await give(scene, who, to, thing, amount)


@action("take-thing", "yearzero.gear.gear-dice/take", price=ListedPrice(USE))
async def take_thing(scene: Scene, who: Person, source: Source, thing: There, amount: float | None = None) -> None:
    """Take something from a store, or pick up what lies on the ground."""
    await give(scene, source, who, thing, amount)


@action("put-thing", "yearzero.gear.gear-dice/put", check=check_put)
async def put_thing(scene: Scene, who: Person, thing: OwnThing, place: Place) -> None:
    """Take a thing in hand, put it on, stow it, or drop it."""
    if name := listed_as(scene, who, thing, place):
        await work_off_pain(who)
        await take_listed(who, name)
    await alter(who, Survivor.with_thing, scene[who].thing(thing).at(place))
    await end_action(who)


def undrawn(scene: Scene, who: Person) -> tuple[str, ...]:
    """Weapons and shields that one carries, or has dropped, and that are not drawn at once."""
    armed = (each for each in scene[who].things if is_weapon(scene, each) or is_shield(scene, each))
    return tuple(each.name for each in armed if each.place != HELD and not is_holstered(scene, who, each))


@action("draw-weapon", "yearzero.combat.fast-actions/draw", price=ListedPrice(DRAW))
async def draw_weapon(scene: Scene, who: Person, weapon: Annotated[str, Pick(undrawn)]) -> None:
    """Draw a weapon, or pick it up from the ground where one stands."""
    await work_off_pain(who)
    await alter(who, Survivor.with_thing, scene[who].thing(weapon).at(HELD))
