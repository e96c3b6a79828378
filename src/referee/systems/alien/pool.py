"""ALIEN's dice: on base dice only the six counts, on stress dice the one counts too."""

from __future__ import annotations

from typing import Final

from referee.core import Pool, Scene, figure, marked_die

SUCCESS_FACE: Final = figure("alien.basics.skill-roll", "success_face", int, among=range(1, 7))
TRIGGER_FACE: Final = figure("alien.stress.trigger", "trigger_face", int)

BASE: Final = "base"
STRESS: Final = "stress"
SIX: Final = "six"
ONE: Final = "one"


def pool(scene: Scene, base: int, stress: int) -> Pool:
    """A pool of base dice and stress dice."""
    success, trigger = scene[SUCCESS_FACE], scene[TRIGGER_FACE]
    return Pool.of(
        (marked_die(BASE, 6, six=success), base),
        (marked_die(STRESS, 6, one=trigger, six=success), stress),
    )
