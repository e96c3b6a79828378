"""Things: what somebody has. Each has a name of its own, a row in a catalogue, and what has become of it.

A game keeps a tuple of things on a sheet, in a field called `things`, and derives its own kind from `Thing` if it needs
more: a jam, a hardened edge. Whatever has such a field can hold things: a person, a horse, a store in the corner. The
kit has no figures: what a thing weighs, its rating and how many rounds it takes are read from the game's catalogue.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Protocol, Self, TypeVar

from referee.core import Open, Refused, Scene, Who, frozen
from referee.core.things import (
    CARRIED,
    DROPPED,
    PLACES,
    THINGS,
    Amount,
    check_names,
    containers_of,
    inside,
    pass_on,
    thing_of,
    whole,
    with_thing,
    without_thing,
)


@frozen
class Thing:
    """A thing, as far as it differs from its row in the catalogue."""

    in_play: ClassVar[tuple[str, ...]] = ("wear",)
    name: str
    """What its owner calls it. No two things of one owner have the same name."""
    row: str = ""
    """Its row in a catalogue; the row of its name, if it does not say."""
    amount: int | float = 1
    place: str = CARRIED
    """In hand, on the body, carried, dropped, or the name of the container it lies in."""
    wear: int = 0
    """Points of its rating that a repair can bring back."""
    for_good: int = 0
    """By how much its full rating has changed: it was made better, or a repair went wrong."""
    loaded: int = 0
    """Rounds in it."""

    @property
    def kind(self) -> str:
        """The name of its row."""
        return self.row or self.name

    @property
    def at_hand(self) -> bool:
        """Whether its owner has it: it does not lie on the ground."""
        return self.place != DROPPED

    def at(self, place: str) -> Self:
        return replace(self, place=place)

    # --- wear: the book's rating less what is lost

    def full(self, rating: int) -> int:
        """The most its rating can be, if the book's is this."""
        return max(0, rating + self.for_good)

    def rating(self, rating: int) -> int:
        """What is left of its rating."""
        return max(0, self.full(rating) - self.wear)

    def worn(self, rating: int, points: int) -> Self:
        """After wear, down to nothing."""
        return replace(self, wear=min(self.full(rating), self.wear + points))

    def repaired(self, points: int) -> Self:
        """After a repair, never above its full rating."""
        return replace(self, wear=max(0, self.wear - points))

    def changed(self, rating: int, points: int) -> Self:
        """With another full rating for good. What is left of it stays, if the full rating still allows it."""
        left = self.rating(rating)
        now = replace(self, for_good=max(-rating, self.for_good + points))
        return replace(now, wear=max(0, now.full(rating) - left))

    def settled(self) -> Self:
        """What is lost now is lost for good."""
        return replace(self, for_good=self.for_good - self.wear, wear=0)

    # --- ammunition

    def firing(self, rounds: int) -> Self:
        if rounds > self.loaded:
            raise Refused(self.name, because=f"{self.loaded} rounds are left in it", rule=THINGS)
        return replace(self, loaded=self.loaded - rounds)


class Holder(Protocol):
    """Whatever holds things: a sheet with a field `things`."""

    @property
    def things(self) -> tuple[Any, ...]: ...


@frozen
class Stash:
    """A place with things that nobody carries: a store, a chest, the back of a truck."""

    things: Open[tuple[Thing, ...]] = ()


T = TypeVar("T", bound=Thing)


# --- some things, and the same with one changed


def of_kind(things: Iterable[T], row: str) -> tuple[T, ...]:
    """The things of one row that their owner has."""
    return tuple(each for each in things if each.kind.casefold() == row.casefold() and each.at_hand)


def amount_of(things: Iterable[Thing], row: str) -> Amount:
    """How much of a row its owner has."""
    return sum(each.amount for each in of_kind(things, row))


def used_up(things: Sequence[T], row: str, amount: Amount, *, rule: str = THINGS) -> tuple[T, ...]:
    """Without so much of a row, from whatever of it there is; refused if that is not enough."""
    if (there := amount_of(things, row)) < amount:
        raise Refused(row, because=f"it takes {amount}, and there is {there}", rule=rule)
    rest, left = tuple(things), amount
    for each in of_kind(things, row):
        taken = min(left, each.amount)
        left = whole(left - taken)
        kept = whole(each.amount - taken)
        rest = with_thing(rest, replace(each, amount=kept)) if kept else without_thing(rest, each.name)
    return rest


def reloaded(things: Sequence[T], name: str, most: int, ammunition: str, *, rule: str = THINGS) -> tuple[T, ...]:
    """With a thing loaded as full as it gets from the ammunition at hand."""
    thing = thing_of(things, name, rule=rule)
    rounds = min(most - thing.loaded, int(amount_of(things, ammunition)))
    if rounds <= 0:
        full = thing.loaded >= most
        raise Refused(name, because="it is full" if full else f"there is no {ammunition}", rule=rule)
    return with_thing(used_up(things, ammunition, rounds), replace(thing, loaded=thing.loaded + rounds))


# --- containers and loads


def load(things: Iterable[T], weigh: Callable[[T], Amount]) -> Amount:
    """What everything weighs together that does not lie on the ground, itself or with its container."""
    listed = tuple(things)
    dropped = tuple(each for each in listed if not each.at_hand)
    left = {each.name for each in dropped} | {deep.name for each in dropped for deep in inside(listed, each.name)}
    return sum(weigh(each) * each.amount for each in listed if each.name not in left)


def nothing(thing: Thing) -> Amount:
    """The room of what is no container; the weight of things in games that weigh none."""
    return 0


def check_things(
    things: Iterable[T], room: Callable[[T], Amount] = nothing, weigh: Callable[[T], Amount] = nothing
) -> None:
    """Names are different; whatever lies in a container finds room there."""
    listed = tuple(things)
    check_names(listed)
    for each in listed:
        if each.place in PLACES:
            continue
        container = next((other for other in listed if other.name.casefold() == each.place.casefold()), None)
        if container is None:
            holds = (other.name for other in listed if room(other))
            raise Refused(each.place, because=f"{each.name} cannot be there", rule=THINGS, legal=(*PLACES, *holds))
        if not room(container) or each.name in containers_of(listed, each):
            raise Refused(each.name, because=f"{container.name} cannot hold it", rule=THINGS)
        if (full := sum(weigh(in_it) * in_it.amount for in_it in inside(listed, container.name))) > room(container):
            raise Refused(container.name, because=f"it has room for {room(container)}, not {full}", rule=THINGS)


# --- from hand to hand


async def give(scene: Scene, giver: Who[Any], taker: Who[Any], name: str, amount: Amount | None = None) -> None:
    """A thing, or some of it, changes hands with all that is in it. What is picked up or received is carried."""
    await pass_on(scene, giver, taker, "things", name, amount)
