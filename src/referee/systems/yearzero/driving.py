"""Driving and Piloting: vehicles on the ground, on water, in the air and in space."""

from __future__ import annotations

from typing import Final

from referee.core import Scene, formula
from referee.systems.yearzero.effects import effect_table
from referee.systems.yearzero.sheet import Person

DRIVING: Final = effect_table("yearzero.driving.effects", "Driving", bonus="bonus_effects", general=True)
PILOTING: Final = effect_table("yearzero.piloting.effects", "Piloting", bonus="bonus_effects", general=True)


@formula("yearzero.driving.use", "yearzero.piloting.use")
def steers_with(scene: Scene, who: Person, flies: bool = False) -> str:
    """The skill that controls a vehicle: Piloting in the air or in space, otherwise Driving."""
    return "Piloting" if flies else "Driving"
