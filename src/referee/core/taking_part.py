"""Coming and going while an encounter lasts: joining a side, changing it, leaving, giving up."""

from __future__ import annotations

from typing import Any, Final, Protocol, Self, runtime_checkable

from referee.core.encounter import Sides
from referee.core.errors import Refused
from referee.core.requests import change, tell
from referee.core.rules import Call, rule
from referee.core.scene import Scene, Who

TAKING_PART: Final = "referee.encounter.taking-part"


@runtime_checkable
class OpenSides(Protocol):
    """Something with sides that people may join and leave while it goes on: an encounter, or a fight played by hand.

    It may also have `newcomer(scene, me, who)` and `departing(scene, me, who)`: the rule to play when somebody has
    come, and before somebody goes, or None.
    """

    def parties(self) -> Sides: ...
    def joined_by(self, who: str, side: int) -> Self: ...
    def left_by(self, who: str) -> Self: ...
    def given_up_by(self, who: str) -> Self: ...


def side_of(sides: Sides, who: str) -> int | None:
    """The number of somebody's side, from 0 on."""
    return next((at for at, side in enumerate(sides) if who in side), None)


def with_on(sides: Sides, who: str, side: int) -> Sides:
    """The sides with somebody on this one and on no other."""
    return tuple(
        (*(each for each in people if each != who), *((who,) * (at == side))) for at, people in enumerate(sides)
    )


def without(sides: Sides, who: str) -> Sides:
    """The sides without somebody."""
    return tuple(tuple(each for each in people if each != who) for people in sides)


def is_taking_part(scene: Scene, encounter: Who[Any], who: str) -> bool:
    """Whether somebody is on a side and has not left it."""
    value: Any = scene[encounter]
    return side_of(value.parties(), who) is not None and who not in getattr(value, "gone", ())


def check_open(scene: Scene, encounter: Who[Any]) -> None:
    """Refuse for what people neither join nor leave: a duel is between its two."""
    if not isinstance(scene[encounter], OpenSides):
        because = f"nobody joins or leaves the {encounter} once it has begun"
        raise Refused(encounter.name, because=because, rule=TAKING_PART, legal=("end it",))


def check_joins(scene: Scene, encounter: Who[Any], who: Who[Any], side: int) -> None:
    """Refuse to join a side that is not there, or one's own."""
    check_open(scene, encounter)
    sides: Sides = scene[encounter].parties()
    if who not in scene:
        raise Refused(who.name, because="they are not here", rule=TAKING_PART)
    if not 0 <= side < len(sides):
        raise Refused("side", because="there is no such side", rule=TAKING_PART, legal=map(str, range(len(sides))))
    if side_of(sides, who.name) == side and is_taking_part(scene, encounter, who.name):
        raise Refused(who.name, because="they are on this side already", rule=TAKING_PART, legal=("another side",))


def check_goes(scene: Scene, encounter: Who[Any], who: Who[Any]) -> None:
    """Refuse to leave what one takes no part in."""
    check_open(scene, encounter)
    if not is_taking_part(scene, encounter, who.name):
        value: Any = scene[encounter]
        there = tuple(each for side in value.parties() for each in side if is_taking_part(scene, encounter, each))
        raise Refused(who.name, because=f"they take no part in the {encounter}", rule=TAKING_PART, legal=there)


@rule("referee.encounter.join")
async def join_encounter(scene: Scene, encounter: Who[Any], who: Who[Any], side: int) -> None:
    """Somebody joins a side of an encounter, or changes to it."""
    check_joins(scene, encounter, who, side)
    changes = is_taking_part(scene, encounter, who.name)
    await tell("encounter-changed" if changes else "encounter-joined", who=who, encounter=encounter.name)
    if changes:
        await _depart(encounter, who)
    await change(encounter, scene[encounter].joined_by(who.name, side))
    call: Call[Any] | None = _hook(scene, encounter, who, "newcomer")
    if call is not None:
        await call


@rule("referee.encounter.leave")
async def leave_encounter(scene: Scene, encounter: Who[Any], who: Who[Any]) -> None:
    """Somebody leaves an encounter."""
    check_goes(scene, encounter, who)
    await tell("encounter-left", who=who, encounter=encounter.name)
    await _depart(encounter, who)
    await change(encounter, scene[encounter].left_by(who.name))


@rule("referee.encounter.give-up")
async def give_up(scene: Scene, encounter: Who[Any], who: Who[Any]) -> None:
    """Somebody surrenders: they stay where they are, and have no more turns."""
    check_goes(scene, encounter, who)
    await tell("encounter-given-up", who=who, encounter=encounter.name)
    await _depart(encounter, who)
    await change(encounter, scene[encounter].given_up_by(who.name))


@rule("referee.encounter.depart")
async def _depart(scene: Scene, encounter: Who[Any], who: Who[Any]) -> None:
    """What an encounter does before somebody is out of it."""
    call: Call[Any] | None = _hook(scene, encounter, who, "departing")
    if call is not None:
        await call


def _hook(scene: Scene, encounter: Who[Any], who: Who[Any], name: str) -> Call[Any] | None:
    found = getattr(scene[encounter], name, None)
    call: Call[Any] | None = found(scene, encounter, who) if found is not None else None
    return call
