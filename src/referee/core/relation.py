"""Who is oneself, a friend or a foe: by the sides of an encounter, or else by who plays whom."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import suppress
from enum import Enum

from referee.core.encounter import PLAYING, HasSides, Playing, Sides
from referee.core.errors import NotKnown


class Relation(Enum):
    """What somebody is to somebody."""

    ONESELF = "oneself"
    FRIEND = "friend"
    FOE = "foe"


def by_sides(sides: Sides, who: str, other: str) -> Relation | None:
    """What somebody is to somebody who fights beside or against them; None if one of them takes no part."""
    at = {name: number for number, side in enumerate(sides) for name in side}
    if who not in at or other not in at:
        return None
    if who == other:
        return Relation.ONESELF
    return Relation.FRIEND if at[who] == at[other] else Relation.FOE


def in_encounters(scene: Mapping[str, Hashable], who: str, other: str) -> Relation | None:
    """The same by the innermost encounter in which both take part; None if there is none, or its sides are a secret."""
    for sides in _innermost_first(scene):
        if (found := by_sides(sides, who, other)) is not None:
            return found
    return None


def relation(scene: Mapping[str, Hashable], who: str, other: str, *, is_players: Callable[[str], bool]) -> Relation:
    """By the innermost encounter of both; apart from it players' characters are friends, and so are all the others."""
    if who == other:
        return Relation.ONESELF
    found = in_encounters(scene, who, other)
    if found is not None:
        return found
    return Relation.FRIEND if is_players(who) is is_players(other) else Relation.FOE


def _innermost_first(scene: Mapping[str, Hashable]) -> Iterator[Sides]:
    """The sides of everything that has any, the innermost first; of equals the one that the table plays."""
    playing = scene.get(PLAYING.name)
    chosen = playing.encounter if isinstance(playing, Playing) else ""
    having = {name: value for name, value in scene.items() if isinstance(value, HasSides)}
    for name in sorted(having, key=lambda name: (-_depth(scene, name), name != chosen, name)):
        with suppress(NotKnown):  # who is on whose side may be a secret
            yield having[name].parties()


def _depth(scene: Mapping[str, Hashable], name: str) -> int:
    """How many encounters this one stands inside."""
    outer = [name]
    while (around := getattr(scene.get(outer[-1]), "within", "")) and around not in outer:
        outer.append(str(around))
    return len(outer)
