"""A stage for any system: whatever its declaration says may be secret is made different in the two worlds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields
from itertools import combinations
from random import Random
from typing import Any, Final

from referee.core.audience import Audience, audiences
from referee.core.cards import Facing, Pile
from referee.core.describe import field_type
from referee.core.errors import RefereeError
from referee.core.plain import Plain, hints
from referee.core.scene import Scene, State
from referee.core.system import System
from referee.testing.two_worlds import secrets
from referee.testing.two_worlds.moves import USUAL
from referee.testing.two_worlds.walk import MASTER, Secret, Stage

MOST_PLAYERS: Final = 3
TRIED: Final[Mapping[str, tuple[Plain, ...]]] = {
    "number": (0, 1, 2, 3),
    "text": ("", "one", "two"),
    "check": (False, True),
}
"""Values for hidden fields, by their type; those that the system does not allow are left out."""


def usual_stage(system: System, state: State) -> Stage | None:
    """A sample scene with players and everything that may be secret in it; None if nobody is in it."""
    everybody = [who.name for who in Scene(state).all(system.sheet)]
    if not everybody:
        return None
    plays = {f"{name}'s": (name,) for name in everybody[:MOST_PLAYERS]}
    scene: Mapping[str, Plain] = system.plain(state)

    def some(random: Random) -> tuple[Secret, ...]:
        return secrets.some(list(_kinds(system, state, scene, plays, random)), random)

    return Stage(system, scene, plays, some, USUAL, odds_every=20)


def _kinds(
    system: System, state: State, scene: Mapping[str, Plain], plays: Mapping[str, tuple[str, ...]], random: Random
) -> Iterator[Secret]:
    seats = list(plays)
    owners = {name: seat for seat, names in plays.items() for name in names}
    yield secrets.hidden_rolls()
    yield secrets.held_throws()
    yield secrets.whispers(MASTER, seats[:1])
    yield from (secrets.own_throws(seat) for seat in seats)
    yield from (secrets.sealed(seat) for seat in seats)
    yield from (secrets.whispers(one, (other,)) for one, other in combinations(seats, 2))
    yield from _fields(system, scene, owners)
    yield from _cards(state, scene, owners, random)
    sheets = [scene[name] for name in owners]
    free = [each for each in system.actions if not each.master and not each.parameters]
    acts: list[tuple[str, Callable[[str], Plain]]] = [(each.key, lambda who: {}) for each in free]
    yield secrets.hiding(secrets.Foe("wolf", sheets, acts), secrets.Foe("bear", sheets, acts), random)


def _fields(system: System, scene: Mapping[str, Plain], owners: Mapping[str, str]) -> Iterator[Secret]:
    known = hints(system.sheet)
    told = audiences(system.sheet)
    for who, seat in owners.items():
        for each in fields(system.sheet):
            audience, kind = told[each.name], field_type(known[each.name]).kind
            values = [value for value in TRIED.get(kind, ()) if _is_legal(system, scene, who, each.name, value)]
            if audience is not Audience.EVERYONE and len(values) > 1:
                yield secrets.field(scene, who, each.name, values, seat if audience is Audience.OWNER else "")


def _is_legal(system: System, scene: Mapping[str, Plain], who: str, name: str, value: Plain) -> bool:
    try:
        system.state({**scene, who: {**scene[who], name: value}})
    except RefereeError:
        return False
    return True


def _cards(state: State, scene: Mapping[str, Plain], owners: Mapping[str, str], random: Random) -> Iterator[Secret]:
    """Which cards are in which of two piles that not everyone may look at."""
    piles: dict[str, Any] = {name: pile for name, pile in state.items() if isinstance(pile, Pile)}
    closed = [name for name, pile in piles.items() if pile.facing is not Facing.UP]
    pairs = [pair for pair in combinations(closed, 2) if sum(len(piles[name]) for name in pair) > 1]
    if pairs:  # one at a time: two exchanges of the same pile would exclude each other
        one, other = random.choice(pairs)
        seats = frozenset(owners[piles[name].owner] for name in (one, other) if piles[name].owner in owners)
        yield secrets.cards(scene, one, other, seats, random)
