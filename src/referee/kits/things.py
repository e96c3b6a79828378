"""Things: what somebody has. Each has a name of its own, a row in a catalogue, and what has become of it.

A game keeps a tuple of things on a sheet, in a field called `things`, and derives its own kind from `Thing` if it needs
more: a jam, a hardened edge. Whatever has such a field can hold things: a person, a horse, a store in the corner. The
kit has no figures: what a thing weighs, its rating and how many rounds it takes are read from the game's catalogue.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any, Final, Protocol, Self, TypeAlias, TypeVar

from referee.core import Open, Refused, Scene, Who, alter, frozen

Amount: TypeAlias = int | float
"""How many, or how much: three arrows, half a unit of iron."""

HELD: Final = "held"
ON_BODY: Final = "worn"
CARRIED: Final = "carried"
DROPPED: Final = "dropped"
PLACES: Final = (HELD, ON_BODY, CARRIED, DROPPED)
"""Where a thing is, if it is in no container. What is dropped lies where its owner was, until somebody takes it."""

RULE: Final = "referee.things.carried"


@frozen
class Thing:
    """A thing, as far as it differs from its row in the catalogue."""

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
            raise Refused(self.name, because=f"{self.loaded} rounds are left in it", rule=RULE)
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


def thing_of(things: Iterable[T], name: str, *, rule: str = RULE) -> T:
    """A thing by its name; refused by this rule if there is none."""
    listed = tuple(things)
    found = next((each for each in listed if each.name.casefold() == name.casefold()), None)
    if found is None:
        legal = (each.name for each in listed)
        raise Refused(name, because="it is not there", rule=rule, legal=legal)
    return found


def of_kind(things: Iterable[T], row: str) -> tuple[T, ...]:
    """The things of one row that their owner has."""
    return tuple(each for each in things if each.kind.casefold() == row.casefold() and each.at_hand)


def amount_of(things: Iterable[Thing], row: str) -> Amount:
    """How much of a row its owner has."""
    return sum(each.amount for each in of_kind(things, row))


def with_thing(things: Sequence[T], changed: T) -> tuple[T, ...]:
    """A thing in its new state, in its old place in the list; a new one at the end."""
    if all(each.name != changed.name for each in things):
        return (*things, changed)
    return tuple(changed if each.name == changed.name else each for each in things)


def without_thing(things: Iterable[T], name: str) -> tuple[T, ...]:
    """Without a thing. What lay in it is carried loose."""
    rest = (each for each in things if each.name != name)
    return tuple(each.at(CARRIED) if each.place == name else each for each in rest)


def added(things: Sequence[T], thing: T, *, counted: bool = False) -> tuple[T, ...]:
    """With a thing more. What is counted joins its like; a single thing gets a name of its own: knife 2."""
    for each in things:
        if are_alike(each, thing) and (counted or (each.amount, thing.amount) != (1, 1)):
            return with_thing(things, replace(each, amount=whole(each.amount + thing.amount)))
    name = free_name(things, thing.name)
    return (*things, thing if name == thing.name else replace(thing, name=name, row=thing.kind))


def are_alike(one: Thing, other: Thing) -> bool:
    """Whether two things differ in nothing but name and amount."""
    return one.kind == other.kind and replace(one, name="", row="", amount=1) == replace(
        other, name="", row="", amount=1
    )


def free_name(things: Iterable[Thing], name: str) -> str:
    """The name, or the first of name 2, name 3 … that none of them has."""
    taken = {each.name.casefold() for each in things}
    number, found = 1, name
    while found.casefold() in taken:
        number += 1
        found = f"{name} {number}"
    return found


def used_up(things: Sequence[T], row: str, amount: Amount, *, rule: str = RULE) -> tuple[T, ...]:
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


def whole(amount: Amount) -> Amount:
    """1.0 is written 1."""
    return int(amount) if amount == int(amount) else amount


def reloaded(things: Sequence[T], name: str, most: int, ammunition: str, *, rule: str = RULE) -> tuple[T, ...]:
    """With a thing loaded as full as it gets from the ammunition at hand."""
    thing = thing_of(things, name, rule=rule)
    rounds = min(most - thing.loaded, int(amount_of(things, ammunition)))
    if rounds <= 0:
        full = thing.loaded >= most
        raise Refused(name, because="it is full" if full else f"there is no {ammunition}", rule=rule)
    return with_thing(used_up(things, ammunition, rounds), replace(thing, loaded=thing.loaded + rounds))


# --- containers and loads


def inside(things: Iterable[T], container: str) -> tuple[T, ...]:
    """What lies in a container, and in containers within it."""
    listed = tuple(things)
    return tuple(each for each in listed if container in containers_of(listed, each))


def containers_of(things: Iterable[T], thing: T) -> tuple[str, ...]:
    """The containers a thing lies in, the innermost first."""
    by_name = {each.name: each for each in things}
    found: list[str] = []
    while thing.place in by_name and thing.place not in found:
        found.append(thing.place)
        thing = by_name[thing.place]
    return tuple(found)


def load(things: Iterable[T], weigh: Callable[[T], Amount]) -> Amount:
    """What everything weighs together that does not lie on the ground, itself or with its container."""
    listed = tuple(things)
    dropped = tuple(each for each in listed if not each.at_hand)
    left = {each.name for each in dropped} | {deep.name for each in dropped for deep in inside(listed, each.name)}
    return sum(weigh(each) * each.amount for each in listed if each.name not in left)


def check_things(things: Iterable[T], room: Callable[[T], Amount], weigh: Callable[[T], Amount]) -> None:
    """Names are different; whatever lies in a container finds room there (`room` of what is no container is 0)."""
    listed = tuple(things)
    if len({each.name.casefold() for each in listed}) < len(listed):
        raise Refused("things", because="two have one name", rule=RULE)
    for each in listed:
        if each.place in PLACES:
            continue
        container = next((other for other in listed if other.name.casefold() == each.place.casefold()), None)
        if container is None:
            holds = (other.name for other in listed if room(other))
            raise Refused(each.place, because=f"{each.name} cannot be there", rule=RULE, legal=(*PLACES, *holds))
        if not room(container) or each.name in containers_of(listed, each):
            raise Refused(each.name, because=f"{container.name} cannot hold it", rule=RULE)
        if (full := sum(weigh(in_it) * in_it.amount for in_it in inside(listed, container.name))) > room(container):
            raise Refused(container.name, because=f"it has room for {room(container)}, not {full}", rule=RULE)


# --- from hand to hand


async def give(scene: Scene, giver: Who[Any], taker: Who[Any], name: str, amount: Amount | None = None) -> None:
    """A thing, or some of it, changes hands with all that is in it. What is picked up or received is carried."""
    thing = thing_of(scene[giver].things, name)
    part = thing.amount if amount is None else amount
    if not 0 < part <= thing.amount:
        raise Refused(name, because=f"there is {thing.amount} of it", rule=RULE)
    if part < thing.amount:
        await alter(giver, holding, with_thing(scene[giver].things, replace(thing, amount=whole(thing.amount - part))))
        await alter(taker, holding, added(scene[taker].things, replace(thing, amount=part, place=CARRIED)))
        return
    moved = (thing, *inside(scene[giver].things, name))
    gone = {each.name for each in moved}
    await alter(giver, holding, tuple(each for each in scene[giver].things if each.name not in gone))
    await alter(taker, holding, received(scene[taker].things, moved))


def received(things: Sequence[T], moved: Sequence[T]) -> tuple[T, ...]:
    """With a thing and what is in it, under names that are free."""
    names: dict[str, str] = {}
    now = tuple(things)
    for each in moved:
        names[each.name] = free_name(now, each.name)
        now = added(now, each.at(names.get(each.place, CARRIED)))
    return now


def holding(holder: Any, things: tuple[Any, ...]) -> Any:
    """A holder with other things."""
    return replace(holder, things=things)
