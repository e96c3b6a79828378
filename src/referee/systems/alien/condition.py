"""How well somebody still stands: the basics take nobody out, so it is only how calm they are."""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from referee.core import Condition, Scene, Who
from referee.systems.alien.sheet import LEAST_STRESS, Colonist

CALM: Final = "calm"
STRESSED: Final = "stressed"
RATTLED: Final = "rattled"


def condition(scene: Scene, who: Who[Colonist]) -> Condition:
    """Nobody is out; whoever has a stress response that lasts is rattled."""
    sheet = scene[who]
    word = RATTLED if sheet.responses else STRESSED if sheet.stress > scene[LEAST_STRESS] else CALM
    return Condition(Fraction(1), word)
