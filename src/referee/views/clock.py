"""Time in words: what the clock shows and what will come due, as far as a seat knows, and what the log says of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from referee.core.clock import CLOCK, PASSING, Clock, arrive, coming, run_deadline, run_folded, skip_deadline
from referee.core.plain import Plain
from referee.core.scene import Scene
from referee.core.system import System
from referee.core.wording import phrase

TOLD_UNITS: Final = 2
"""How many units tell when something comes due: weeks and days, not weeks, days, hours, minutes and rounds."""


def clock_in_words(system: System, known: Scene) -> dict[str, Plain]:
    """The time and what will come due in a scene as a seat knows it, in the units of the game."""
    clock = known.get(CLOCK, Clock())
    return {
        "now": system.in_units(known, clock.now),
        "deadlines": [
            {
                "who": each.who,
                "rule": each.rule,
                "about": each.about,
                "in": system.in_units(known, max(0, each.at - clock.now), TOLD_UNITS),
            }
            for each in coming(known, known=True)
        ],
    }


def arguments_in_words(system: System, scene: Scene, rule: str, given: Mapping[str, Plain]) -> str:
    """The arguments of a step; those of the clock's own steps in the units of the game."""
    if rule == arrive.id:
        return system.in_units(scene, given["at"])
    if rule == run_folded.id:
        return system.in_units(scene, given["until"])
    if rule in (run_deadline.id, skip_deadline.id):
        due = given["deadline"]
        timed = {**due, "at": system.in_units(scene, due["at"])}
        return phrase({**given, "deadline": {name: value for name, value in timed.items() if name != "order"}})
    return phrase(given, nothing="")


def field_in_words(system: System, scene: Scene, who: str, field: str, value: Plain) -> str:
    """A field of something in the scene; moments of the clock in the units of the game."""
    is_moment = (who, field) in ((CLOCK.name, "now"), (PASSING.name, "until")) and isinstance(value, int)
    return system.in_units(scene, value) if is_moment else phrase(value)
