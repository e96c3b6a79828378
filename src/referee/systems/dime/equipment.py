"""Handling things: what is held, worn, stowed or dropped; and searching people for weapons."""

from __future__ import annotations

from typing import Annotated, Final, TypeAlias

from referee.core import (
    YES,
    Bands,
    Encounter,
    Pick,
    Prompt,
    Scene,
    action,
    alter,
    frozen,
    offer,
    refuse,
    rule,
)
from referee.core.catalogue import Catalogue
from referee.core.plain import Plain
from referee.core.things import CARRIED, DROPPED, HELD, PLACES
from referee.systems.dime.flip import check_can_act, opposed_flip, spelled_out
from referee.systems.dime.gear import CONTAINER, DR, PROPERTIES, WORN, Item, check_item
from referee.systems.dime.sheet import SUIT_ORDER, Adventurer, Person, check_awake, others

CONCEAL: Final = "Conceal"
HIDE: Final = Prompt("hide")


def things(scene: Scene, who: Person | None) -> tuple[str, ...]:
    return tuple(each.name for each in scene[who].items) if who else ()


def places(scene: Scene, who: Person | None, item: str) -> tuple[str, ...]:
    """In hand, on the body, loose, on the ground, or in a container."""
    containers = (each.name for each in scene[who].items if each.has(CONTAINER) and each.name != item) if who else ()
    return (*PLACES, *containers)


def check_place(scene: Scene, who: Person, to: str, item: str) -> None:
    """It must fit."""
    if to not in (legal := places(scene, who, item)):
        refuse("it cannot be put there", what=to, legal=legal)
    now = scene[who].item(item).at(to)
    items = tuple(now if each.name == now.name else each for each in scene[who].items)
    check_item(scene, items, now)


def check_hands_free(scene: Scene, who: Person) -> None:
    """In a fight, things are drawn, for AP."""
    check_can_act(scene, who)
    if isinstance(scene.read("fight"), Encounter):
        refuse("there is a fight", rule="dime.interact.draw-reload", legal=("draw-weapon", "reload"))


Thing: TypeAlias = Annotated[str, Pick(things)]
Place: TypeAlias = Annotated[str, Pick(places, check_place)]


@action("put", "dime.gear.general-properties/put", turn=check_hands_free)
async def put(scene: Scene, who: Person, item: Thing, to: Place) -> None:
    """Take a thing in hand, put it on, stow it in a container, or drop it."""
    await alter(who, Adventurer.with_item, scene[who].item(item).at(to))


@frozen
class Search:
    """What a search has found, and what stayed hidden."""

    found: tuple[str, ...]
    hidden: tuple[str, ...] = ()


Searched: TypeAlias = Annotated[Person, Pick(others)]


@action("search", "dime.weapon.properties/search", turn=check_awake)
async def search(scene: Scene, who: Person, whom: Searched) -> Search:
    """A thorough search finds every weapon, except those that can be concealed and whose bearer is the quicker one."""
    weapons = tuple(each.name for each in scene[whom].items if each.damage and not each.dropped)
    hidden: tuple[str, ...] = ()
    for name in weapons:
        if scene[whom].item(name).has(CONCEAL) and await keep_hidden(whom, who):
            hidden += (name,)
    return Search(tuple(name for name in weapons if name not in hidden), hidden)


HIDDEN: Final[Bands[bool]] = Bands(of=lambda hidden: "hidden" if hidden else "found", keys=("hidden", "found"))


@rule("dime.weapon.properties/conceal", bands=HIDDEN)
async def keep_hidden(scene: Scene, who: Person, searcher: Person) -> bool:
    """Dex/thievery against the searcher's Per/awareness, if the bearer wants to."""
    if not await offer(who, HIDE, YES):
        return False
    row = scene[PROPERTIES][CONCEAL]
    mine, theirs = spelled_out(scene, row.flip), spelled_out(scene, row.against)
    flipped = await opposed_flip(who, mine, searcher, theirs)
    return flipped.success


# --- the catalogue ----------------------------------------------------------------------------------------------------


def kind_of_thing(scene: Scene, item: Item) -> str:
    """Weapons by the skill they attack with; armor; and the rest."""
    if item.damage:
        return item.skill
    return "armor" if item.has(DR) else "other"


def thing_says(scene: Scene, item: Item) -> dict[str, Plain]:
    """What it does by suit, and its properties with their ratings."""
    by_suit = ", ".join(f"{suit} {item.damage[suit]}" for suit in scene[SUIT_ORDER][::-1] if suit in item.damage)
    return {
        "damage": f"Strength + {by_suit}" if item.strength and by_suit else by_suit,
        "skill": item.skill if item.damage else "",
        "protects_against": ", ".join(item.dr_suits),
        "properties": ", ".join(rated(scene, name, level) for name, level in item.properties.items()),
        "build": item.build,
        "holds": item.holds,
    }


def rated(scene: Scene, name: str, rating: int) -> str:
    """A property as the book writes it, with its rating if it has one."""
    return f"{name} {rating}" if scene[PROPERTIES][name].rated else name


def places_of(scene: Scene, item: Item) -> tuple[str, ...]:
    """What protects, or can be worn, is worn; anything may be taken in hand, put away and dropped."""
    return PLACES if item.has(DR) or item.has(WORN) else (HELD, CARRIED, DROPPED)


CATALOGUE: Final = Catalogue(
    kind=kind_of_thing, says=thing_says, price=lambda scene, item: item.cost or None, places=places_of
)
