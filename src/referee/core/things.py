"""Things: what somebody has, whatever the game: a record with a name, or a name alone.

It may have an `amount`, the `row` of a catalogue, and a `place` where `at(place)` puts it. Lists of things are tuples.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any, Final, TypeAlias, TypeVar

from referee.core.errors import Refused
from referee.core.requests import alter
from referee.core.scene import Scene, Who

Amount: TypeAlias = int | float
"""How many, or how much: three arrows, half a unit of iron."""

HELD: Final = "held"
ON_BODY: Final = "worn"
CARRIED: Final = "carried"
DROPPED: Final = "dropped"
PLACES: Final = (HELD, ON_BODY, CARRIED, DROPPED)
"""Where a thing is, if it is in no container. What is dropped lies where its owner was, until somebody takes it."""

THINGS: Final = "referee.things.carried"

T = TypeVar("T")


# --- some things, and the same with one changed


def name_of(thing: Any) -> str:
    """A thing's own name; what has none is a name."""
    return str(getattr(thing, "name", thing))


def row_of(thing: Any) -> str:
    """The row of the catalogue that a thing is of: its own name, if it does not say."""
    return str(getattr(thing, "row", "") or name_of(thing))


def place_of(thing: Any) -> str:
    return str(getattr(thing, "place", CARRIED))


def amount_in(thing: Any) -> Amount:
    found: Amount = getattr(thing, "amount", 1)
    return found


def put_at(thing: T, place: str) -> T:
    """A thing in another place; one that does not say where it is stays as it is."""
    move: Callable[[str], T] | None = getattr(thing, "at", None)
    return thing if move is None else move(place)


def thing_of(things: Iterable[T], name: str, *, rule: str = THINGS) -> T:
    """A thing by its name; refused by this rule if there is none."""
    listed = tuple(things)
    found = next((each for each in listed if name_of(each).casefold() == name.casefold()), None)
    if found is None:
        raise Refused(name, because="it is not there", rule=rule, legal=map(name_of, listed))
    return found


def with_thing(things: Sequence[T], changed: T) -> tuple[T, ...]:
    """A thing in its new state, in its old place in the list; a new one at the end."""
    if all(name_of(each) != name_of(changed) for each in things):
        return (*things, changed)
    return tuple(changed if name_of(each) == name_of(changed) else each for each in things)


def without_thing(things: Iterable[T], name: str) -> tuple[T, ...]:
    """Without a thing. What lay in it is carried loose."""
    rest = (each for each in things if name_of(each) != name)
    return tuple(put_at(each, CARRIED) if place_of(each) == name else each for each in rest)


def added(things: Sequence[T], thing: T, *, counted: bool = False) -> tuple[T, ...]:
    """With a thing more. What is counted joins its like; a single thing gets a name of its own: knife 2."""
    for each in things:
        if are_alike(each, thing) and (counted or (amount_in(each), amount_in(thing)) != (1, 1)):
            return with_thing(things, with_amount(each, amount_in(each) + amount_in(thing)))
    return (*things, named(thing, free_name(things, name_of(thing))))


def named(thing: Any, name: str) -> Any:
    """A thing under another name; its row in the catalogue stays."""
    if name == name_of(thing):
        return thing
    if isinstance(thing, str):
        return name
    return replace(thing, name=name, **({"row": row_of(thing)} if hasattr(thing, "row") else {}))


def with_amount(thing: Any, amount: Amount) -> Any:
    return replace(thing, amount=whole(amount))


def are_alike(one: Any, other: Any) -> bool:
    """Whether two things that are counted differ in nothing but name and amount."""
    if not (hasattr(one, "amount") and hasattr(other, "amount")) or row_of(one) != row_of(other):
        return False
    same = {"name": "", "amount": 1, **({"row": ""} if hasattr(one, "row") else {})}
    return bool(replace(one, **same) == replace(other, **same))


def free_name(things: Iterable[Any], name: str) -> str:
    """The name, or the first of name 2, name 3 … that none of them has."""
    taken = {name_of(each).casefold() for each in things}
    number, found = 1, name
    while found.casefold() in taken:
        number += 1
        found = f"{name} {number}"
    return found


def check_names(things: Iterable[Any], *, rule: str = THINGS) -> None:
    """No two things of one owner have one name."""
    names = Counter(name_of(each).casefold() for each in things)
    if twice := next((each for each in names if names[each] > 1), None):
        raise Refused(twice, because="two of one name cannot be told apart", rule=rule)


def whole(amount: Amount) -> Amount:
    """1.0 is written 1."""
    return int(amount) if amount == int(amount) else amount


# --- containers


def inside(things: Iterable[T], container: str) -> tuple[T, ...]:
    """What lies in a container, and in containers within it."""
    listed = tuple(things)
    return tuple(each for each in listed if container in containers_of(listed, each))


def containers_of(things: Iterable[Any], thing: Any) -> tuple[str, ...]:
    """The containers a thing lies in, the innermost first."""
    by_name = {name_of(each): each for each in things}
    found: list[str] = []
    while place_of(thing) in by_name and place_of(thing) not in found:
        found.append(place_of(thing))
        thing = by_name[place_of(thing)]
    return tuple(found)


def received(things: Sequence[T], moved: Sequence[T]) -> tuple[T, ...]:
    """With a thing and what is in it, under names that are free. What is received is carried."""
    names: dict[str, str] = {}
    now = tuple(things)
    for each in moved:
        names[name_of(each)] = free_name(now, name_of(each))
        now = added(now, put_at(each, names.get(place_of(each), CARRIED)))
    return now


# --- from hand to hand


def having(holder: Any, field: str, things: tuple[Any, ...]) -> Any:
    """A holder with other things."""
    return replace(holder, **{field: things})


async def pass_on(
    scene: Scene, giver: Who[Any], taker: Who[Any], field: str, name: str, amount: Amount | None = None
) -> None:
    """A thing, or some of it, changes hands with all that is in it. What is picked up or received is carried."""
    mine: tuple[Any, ...] = getattr(scene[giver], field)
    thing = thing_of(mine, name)
    part = amount_in(thing) if amount is None else amount
    if giver == taker:
        raise Refused(name_of(thing), because=f"{giver} has it already", rule=THINGS)
    check_part(thing, part)
    if part < amount_in(thing):
        await alter(giver, having, field, with_thing(mine, with_amount(thing, amount_in(thing) - part)))
        taken = put_at(with_amount(thing, part), CARRIED)
        await alter(taker, having, field, added(getattr(scene[taker], field), taken))
        return
    moved = (thing, *inside(mine, name_of(thing)))
    gone = {name_of(each) for each in moved}
    await alter(giver, having, field, tuple(each for each in mine if name_of(each) not in gone))
    await alter(taker, having, field, received(getattr(scene[taker], field), moved))


def check_part(thing: Any, part: Amount) -> None:
    """No more of a thing than there is."""
    most = amount_in(thing)
    if not 0 < part <= most:
        raise Refused(name_of(thing), because=f"the amount is {most}", rule=THINGS, legal=(f"up to {most}",))
