"""What a sheet may not say: what the chapters on creation, gear and reputation add to the bounds of the core."""

from __future__ import annotations

from typing import Any

from referee.core import Refused, Scene
from referee.kits.things import check_things
from referee.systems.yearzero.creation import AGE, AGES
from referee.systems.yearzero.loads import check_contents, room_of
from referee.systems.yearzero.reputation import check_reputation
from referee.systems.yearzero.sheet import Person, check_sheet
from referee.systems.yearzero.starting_gear import CAPITAL, WEALTH_LEVELS
from referee.systems.yearzero.supply import RESTRICTION, RESTRICTIONS


def one_unit(thing: Any) -> int:
    """In a container everything counts as it is counted."""
    return 1


def check_survivor(scene: Scene, who: Person) -> None:
    """Only what the book knows, each within its bounds, and in containers what fits."""
    check_sheet(scene, who)
    sheet = scene[who]
    check_things(sheet.things, lambda thing: room_of(scene, thing), one_unit)
    check_contents(scene, sheet.things)
    check_reputation(scene, sheet)
    named = ((sheet.age, scene[AGES].names, AGE), (sheet.wealth, scene[WEALTH_LEVELS].names, CAPITAL))
    for name, legal, rule in named:
        if name and name not in legal:
            raise Refused(name, because="the book has none", rule=rule, legal=legal)
    codes = tuple(row.code for row in scene[RESTRICTIONS])
    for permit in sorted(sheet.permits.difference(codes)):
        raise Refused(permit, because="there is no such restriction", rule=RESTRICTION, legal=codes)
