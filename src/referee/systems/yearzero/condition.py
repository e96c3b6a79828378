"""How well somebody still stands: by the attribute that is nearest to being Broken."""

from __future__ import annotations

from typing import Final

from referee.core import Condition, Scene
from referee.core.condition import by_share, part_left
from referee.systems.yearzero.harm import OUT, lashes_out
from referee.systems.yearzero.sheet import AGILITY, EMPATHY, STRENGTH, WITS, Person

BROKEN: Final = "broken"
RAGING: Final = "in-an-outburst"
INJURED: Final = "critically-injured"


def condition(scene: Scene, who: Person) -> Condition:
    """What is left of the attribute that has lost most of itself; an attribute without a point is Broken.

    Whoever is in an outburst is Broken as well, and still takes part.
    """
    sheet = scene[who]
    for each in OUT:
        if each in sheet.conditions:
            return Condition(part_left(0, 1), each.casefold())
    if lashes_out(sheet):
        return Condition(part_left(1, sheet.full(EMPATHY)), RAGING)
    if sheet.broken:
        return Condition(part_left(0, 1), BROKEN)
    found = by_share(min(part_left(sheet.now(each), sheet.full(each)) for each in (STRENGTH, AGILITY, WITS, EMPATHY)))
    return Condition(found.share, INJURED) if sheet.injuries else found
