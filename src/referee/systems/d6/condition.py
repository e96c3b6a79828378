"""How well somebody still stands: by the level of their wound, on their own ladder."""

from __future__ import annotations

from typing import Final

from referee.core import Condition, Scene
from referee.core.condition import part_left
from referee.systems.d6.health import on_ladder
from referee.systems.d6.sheet import Person
from referee.systems.d6.wounds import DEAD, HEALTHY, MORTAL, WOUNDED

STUNNED: Final = "stunned"
UNCONSCIOUS: Final = "unconscious"


def condition(scene: Scene, who: Person) -> Condition:
    """The steps that are left before a mortal wound; whoever is unconscious is out, whatever their wound."""
    sheet = scene[who]
    level = WOUNDED if sheet.wound == HEALTHY and sheet.zones else sheet.wound
    if level in (MORTAL, DEAD):
        return Condition(part_left(0, 1), word_of(level))
    if sheet.unconscious is not None:
        return Condition(part_left(0, 1), UNCONSCIOUS)
    ladder = sheet.ladder(scene)
    worst = ladder.rung(MORTAL)
    left = part_left(worst - ladder.rung(on_ladder(scene, ladder, level)), worst)
    return Condition(left, STUNNED if level == HEALTHY and sheet.stuns else word_of(level))


def word_of(level: str) -> str:
    """The key of a wound level's word."""
    return level.casefold().replace(" ", "-")
