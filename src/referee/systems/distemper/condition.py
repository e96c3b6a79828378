"""How well somebody still stands: Wound Points are what is left of them, Resilience is how steady they are."""

from __future__ import annotations

from typing import Final

from referee.core import Condition, Scene
from referee.core.condition import UNHURT, by_share, part_left
from referee.systems.distemper.attacks import PanicTrigger
from referee.systems.distemper.sheet import Person

DEAD: Final = "dead"
SHAKEN: Final = "shaken"


def condition(scene: Scene, who: Person) -> Condition:
    """What is left of the Wound Points; whoever is unhurt but at half their Resilience or less is shaken."""
    sheet = scene[who]
    if sheet.dead:
        return Condition(part_left(0, 1), DEAD)
    found = by_share(part_left(sheet.wp, sheet.wp_full))
    if found.word == UNHURT and scene[PanicTrigger].share * sheet.rp <= sheet.rp_full:
        return Condition(found.share, SHAKEN)
    return found
