"""Time in words, as far as a seat knows it: what the clock shows, and what will come due."""

from __future__ import annotations

from collections.abc import Mapping

from referee.core.clock import CLOCK
from referee.core.plain import Plain
from referee.core.scene import Scene
from referee.core.system import System


def clock_in_words(system: System, scene: Scene, seen: Mapping[str, Plain]) -> dict[str, Plain]:
    """The time and the deadlines in a scene that a seat sees, in the units of the game; `scene` only has the units."""
    clock = seen.get(CLOCK.name) or {}
    now = int(clock.get("now") or 0)
    return {
        "now": system.in_units(scene, now),
        "deadlines": [
            {
                "who": each.get("who", ""),
                "rule": each.get("rule", ""),
                "about": each.get("about", ""),
                "in": system.in_units(scene, max(0, int(each["at"]) - now)),
            }
            for each in clock.get("deadlines") or ()
        ],
    }
