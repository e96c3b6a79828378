"""Driving and Piloting: vehicles on the ground, on water, in the air and in space."""

from __future__ import annotations

from typing import Final

from referee.core import Scene, formula
from referee.systems.yearzero.effects import effect_table
from referee.systems.yearzero.rolls import dice_of
from referee.systems.yearzero.sheet import Person

DRIVING: Final = effect_table("yearzero.driving.effects", "Driving", bonus="bonus_effects", general=True)
PILOTING: Final = effect_table("yearzero.piloting.effects", "Piloting", bonus="bonus_effects", general=True)


@formula("yearzero.driving.use")
def driving_dice(scene: Scene, who: Person) -> int:
    """The dice to control a vehicle on the ground or on water."""
    return dice_of(scene, who, "Driving")


@formula("yearzero.piloting.use")
def piloting_dice(scene: Scene, who: Person) -> int:
    """The dice to control a vehicle in the air or in space; one may try without the skill."""
    return dice_of(scene, who, "Piloting")
