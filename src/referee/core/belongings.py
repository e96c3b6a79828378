"""Belongings: what somebody has, in any system whose look says which field of a sheet holds it (`items`).

The rules here are the plain way to handle things; a system has actions of its own where the book has a rule for it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from referee.core.audience import Audience, audiences
from referee.core.catalogue import CatalogueKind, CatalogueRow, catalogue, find_row
from referee.core.describe import field_type
from referee.core.errors import BadInput, NotKnown, Refused
from referee.core.plain import Plain, read
from referee.core.requests import alter, tell
from referee.core.rulebook import BOOK
from referee.core.rules import rule
from referee.core.scene import Scene, Who
from referee.core.system import SYSTEMS, System
from referee.core.things import (
    CARRIED,
    DROPPED,
    THINGS,
    Amount,
    added,
    amount_in,
    check_part,
    having,
    name_of,
    pass_on,
    place_of,
    put_at,
    thing_of,
    whole,
    with_amount,
    with_thing,
    without_thing,
)
from referee.core.unknown import Unknown
from referee.core.visibility import limits_in
from referee.core.wording import all_of, with_article

# --- who has what


def field_of_things(system: System) -> str:
    """The field of a sheet with what somebody has; refused for games that keep none."""
    if not system.look.items:
        raise Refused("things", because=f"sheets of {system.title} list no things", rule=THINGS)
    return system.look.items


def system_of(scene: Scene) -> System:
    return SYSTEMS[scene[BOOK].printed_book.system]


def catalogue_in(scene: Scene) -> tuple[CatalogueKind, ...]:
    """Every thing of the game by kind, as this campaign has it."""
    return catalogue(system_of(scene), scene[BOOK])


def rows_in(scene: Scene) -> Iterator[CatalogueRow]:
    """The rows of the catalogue, as this campaign has them."""
    return (row for kind in catalogue_in(scene) for row in kind.rows)


def row_in(scene: Scene, key: str) -> CatalogueRow:
    """A row of the catalogue, as this campaign has it."""
    return find_row(system_of(scene), scene[BOOK], key)


def things_in(scene: Scene, holder: Who[Any]) -> tuple[Any, ...]:
    """What a person, or a place where things are kept, has."""
    field = field_of_things(system_of(scene))
    found: Any = getattr(scene[holder], field, None)
    if isinstance(found, Unknown):
        raise NotKnown(found.what)
    if not isinstance(found, tuple):
        legal = (each.name for each in holders(scene))
        raise Refused(holder.name, because="nothing can be kept there", rule=THINGS, legal=legal)
    return found


def holders(scene: Scene) -> tuple[Who[Any], ...]:
    """Whoever and whatever has things, or could have."""
    field, kind = field_of_things(system_of(scene)), object
    return tuple(each for each in scene.all(kind) if isinstance(getattr(scene[each], field, None), tuple))


def check_sheets(scene: Scene, *whose: Who[Any]) -> None:
    """The book allows what these have now."""
    for each in whose:
        try:
            system_of(scene).check_sheet(scene.state, each.name)
        except BadInput as why:
            raise Refused(each.name, because=why.problem, rule=THINGS) from None


# --- the plain way: each is a step, told in a sentence


def told(thing: Any, amount: Amount | None = None) -> str:
    """A thing, or so many of it, as sentences name it: the rifle, 6 × arrow."""
    number = amount_in(thing) if amount is None else amount
    return with_article(name_of(thing)) if number == 1 else f"{whole(number)} × {name_of(thing)}"


def is_shown(scene: Scene, holder: Who[Any]) -> bool:
    """Whether everyone who sees somebody sees what they have."""
    field, limit = field_of_things(system_of(scene)), limits_in(scene.state).get(holder.name)
    audience = audiences(type(scene[holder])).get(field, Audience.EVERYONE)
    return audience is Audience.EVERYONE and (limit is None or field in limit.fields)


def _hearing(scene: Scene, *whose: Who[Any]) -> Audience:
    """Who is told: everyone, unless nobody else sees what any of these have."""
    return Audience.EVERYONE if any(is_shown(scene, each) for each in whose) else Audience.OWNER


@rule("referee.things.give")
async def give(scene: Scene, who: Who[Any], to: Who[Any], thing: str, amount: Amount | None = None) -> None:
    """Somebody gives something, or some of it, to somebody else."""
    found = thing_of(things_in(scene, who), thing)
    _ = things_in(scene, to)
    await pass_on(scene, who, to, field_of_things(system_of(scene)), thing, amount)
    check_sheets(scene, who, to)
    await tell("thing-given", who=who, audience=_hearing(scene, who, to), to=to.name, thing=told(found, amount))


@rule("referee.things.take")
async def take(scene: Scene, who: Who[Any], owner: Who[Any], things: tuple[str, ...]) -> None:
    """Somebody takes things from where they lie, or from whoever can keep them no longer."""
    said = tuple(told(thing_of(things_in(scene, owner), each)) for each in things)
    for each in things:
        if any(name_of(one) == each for one in things_in(scene, owner)):  # it may have come along in a container
            await pass_on(scene, owner, who, field_of_things(system_of(scene)), each)
    check_sheets(scene, who, owner)
    await tell("thing-taken", who=who, audience=_hearing(scene, who, owner), owner=owner.name, thing=all_of(said))


@rule("referee.things.put")
async def put(scene: Scene, who: Who[Any], thing: str, place: str) -> None:
    """Somebody takes a thing in hand, puts it on, puts it away or drops it."""
    found = thing_of(things_in(scene, who), thing)
    places = system_of(scene).catalogue.places(scene, found)
    if place not in places:
        raise Refused(name_of(found), because="it cannot be put there", rule=THINGS, legal=places)
    lay = place_of(found) == DROPPED
    await _have(who, with_thing(things_in(scene, who), put_at(found, place)))
    key = "thing-picked-up" if lay and place == CARRIED else f"thing-{place}"
    await tell(key, who=who, audience=_hearing(scene, who), thing=told(found))


@rule("referee.things.get")
async def get(scene: Scene, who: Who[Any], thing: Any, amount: int = 1) -> None:
    """Somebody is given something of the catalogue, once or several times."""
    new = _read_thing(scene, who, thing)
    now = things_in(scene, who)
    counted = hasattr(new, "amount")
    for each in (with_amount(new, amount_in(new) * amount),) if counted else (new,) * amount:
        now = added(now, each, counted=amount_in(each) != 1)
    await _have(who, now)
    await tell("thing-got", who=who, audience=_hearing(scene, who), thing=told(new, amount_in(new) * amount))


def _read_thing(scene: Scene, who: Who[Any], plain: Plain) -> Any:
    """A thing from plain data, of the kind that somebody's things are."""
    field = field_type(type(scene[who])).fields[field_of_things(system_of(scene))]
    return read(field.inner.type if field.inner else str, plain, "thing")


@rule("referee.things.lose")
async def lose(scene: Scene, who: Who[Any], thing: str, amount: Amount | None = None) -> None:
    """Somebody has a thing, or so much of it, no longer."""
    found = thing_of(things_in(scene, who), thing)
    part = amount_in(found) if amount is None else amount
    check_part(found, part)
    left = amount_in(found) - part
    mine = things_in(scene, who)
    await _have(who, with_thing(mine, with_amount(found, left)) if left else without_thing(mine, name_of(found)))
    await tell("thing-lost", who=who, audience=_hearing(scene, who), thing=told(found, part))


@rule("referee.things.have")
async def _have(scene: Scene, who: Who[Any], things: tuple[Any, ...]) -> None:
    """These are somebody's things from now on, if the book allows them."""
    await alter(who, having, field_of_things(system_of(scene)), things)
    check_sheets(scene, who)


PLAIN_WAY: Final = frozenset(each.id for each in (give, take, put, get, lose))
"""These steps are told by the sentence of what came of them."""
