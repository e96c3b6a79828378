"""Melee: close combat."""

from __future__ import annotations

from typing import Final

from referee.systems.yearzero.effects import effect_table

EFFECTS: Final = effect_table("yearzero.melee.effects", "Melee", bonus="bonus_effects", general=True)
