"""Weapons and shields: their features, and the specialty that covers them."""

from __future__ import annotations

from typing import Final

from referee.core import (
    Scene,
    formula,
)
from referee.kits.things import HELD
from referee.systems.yearzero.gear import MELEE_WEAPONS, SHIELDS
from referee.systems.yearzero.sheet import SPECIALTIES, Item, Person


def is_shield(scene: Scene, item: Item) -> bool:
    return item.kind in scene[SHIELDS] or "Shield" in item.features


@formula("yearzero.gear.melee-features")
def weight_features(scene: Scene, weight: float) -> tuple[str, ...]:
    """What its weight makes of a weapon: heavy, light, or neither."""
    return ("Heavy",) if weight >= HEAVY_WEIGHT else ("Light",) if weight <= LIGHT_WEIGHT else ()


@formula("yearzero.core.weapon-features")
def features_of(scene: Scene, item: Item) -> frozenset[str]:
    """The features of a weapon; weight makes it heavy or light, whatever is printed."""
    if item.features or item.kind not in scene[MELEE_WEAPONS]:
        return frozenset(item.features)
    row = scene[MELEE_WEAPONS][item.kind]
    return frozenset((*row.features, *weight_features(scene, row.weight)))


HEAVY_WEIGHT: Final = 2
LIGHT_WEIGHT: Final = 0.5


def is_weapon(scene: Scene, item: Item) -> bool:
    return item.kind in scene[MELEE_WEAPONS] or item.damage is not None


def in_hand(scene: Scene, who: Person) -> tuple[Item, ...]:
    return tuple(item for item in scene[who].things if item.place == HELD)


def melee_specialty(scene: Scene, item: Item | None) -> str:
    """The specialty that covers a weapon; none in hand is Brawler."""
    if item is None:
        return "Brawler"
    if is_shield(scene, item):
        return "Shield Fighter"
    return next((row.name for row in scene[SPECIALTIES["Melee"]] if item.kind in row.weapons), "")
