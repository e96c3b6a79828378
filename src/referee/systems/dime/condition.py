"""How well somebody still stands: by HP, as long as they are up."""

from __future__ import annotations

from typing import Final

from referee.core import Condition, Scene
from referee.core.condition import by_share, part_left
from referee.systems.dime.sheet import Person, hp, hp_score

DEAD: Final = "dead"
DYING: Final = "dying"
UNCONSCIOUS: Final = "unconscious"
BARELY_UP: Final = "barely-up"


def condition(scene: Scene, who: Person) -> Condition:
    """What is left of the HP; whoever has none left and is still up stands by a thread, which is not out."""
    sheet, full = scene[who], max(1, hp_score(scene, who))
    if sheet.dead or sheet.unconscious or sheet.dying is not None:
        return Condition(part_left(0, full), DEAD if sheet.dead else DYING if sheet.dying is not None else UNCONSCIOUS)
    if hp(scene, who) <= 0:
        return Condition(part_left(1, full), BARELY_UP)
    return by_share(part_left(hp(scene, who), full))
