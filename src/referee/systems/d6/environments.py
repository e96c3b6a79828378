"""Unusual surroundings: on a mount, in powered armor, without weight; there other skills count for what one can do."""

from __future__ import annotations

from typing import Annotated, Final, TypeAlias

from referee.core import Effect, Pick, Scene, action, frozen, lay, rows
from referee.core.effects import EFFECTS, NONE, remove_effects
from referee.systems.d6.resolution import check_able
from referee.systems.d6.restriction import RESTRICTIVE
from referee.systems.d6.sheet import Person


@frozen
class SurroundingsRow:
    """What somebody may be in or on, and what that does to whatever they do."""

    name: str
    effects: tuple[Effect, ...]


SURROUNDINGS: Final = rows(RESTRICTIVE, "surroundings", SurroundingsRow)


def places(scene: Scene, who: Person) -> tuple[str, ...]:
    """Where somebody is."""
    lasting = scene.get(EFFECTS, NONE).lasting
    laid = (each.source for each in lasting if each.on == who.name and each.source in scene[SURROUNDINGS])
    return tuple(dict.fromkeys(laid))


def elsewhere(scene: Scene, who: Person) -> tuple[str, ...]:
    return tuple(each for each in scene[SURROUNDINGS].names if each not in places(scene, who))


Elsewhere: TypeAlias = Annotated[str, Pick(elsewhere)]
Here: TypeAlias = Annotated[str, Pick(places)]


@action(
    "enter-surroundings",
    RESTRICTIVE + "/enter",
    RESTRICTIVE,
    "d6.skills.powered-armor",
    "d6.skills.zero-g",
    "d6.skills.riding",
    turn=check_able,
)
async def enter_surroundings(scene: Scene, who: Person, surroundings: Elsewhere) -> None:
    """Mount, put on powered armor, become weightless: from now on that limits what one does, unless it is mastered."""
    for effect in scene[SURROUNDINGS][surroundings].effects:
        await lay(who, effect, source=surroundings, by=RESTRICTIVE)


@action("leave-surroundings", RESTRICTIVE + "/leave", RESTRICTIVE)
async def leave_surroundings(scene: Scene, who: Person, surroundings: Here) -> None:
    """Dismount, take the armor off, have weight again."""
    await remove_effects(who, surroundings)
