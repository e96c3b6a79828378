"""Weapons and shields: their features, and the specialty that covers them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from referee.core import Scene, applying, figure, formula
from referee.core.things import HELD
from referee.systems.yearzero.equipment import row_named, weapon_kind
from referee.systems.yearzero.gear import MELEE_WEAPONS, SHIELDS
from referee.systems.yearzero.items import MELEE_FEATURES, WeaponFeature
from referee.systems.yearzero.sheet import SPECIALTIES, Item, Person


def is_shield(scene: Scene, item: Item) -> bool:
    return item.kind in scene[SHIELDS] or "Shield" in item.features


@formula("yearzero.gear.melee-features")
def weight_features(scene: Scene, weight: float) -> tuple[str, ...]:
    """What its weight makes of a weapon: heavy, light, or neither."""
    return tuple(row.name for row in scene[MELEE_FEATURES] if is_of_weight(row, weight))


def is_of_weight(row: WeaponFeature, weight: float) -> bool:
    heavy = row.least_weight is not None and weight >= row.least_weight
    return heavy or (row.most_weight is not None and weight <= row.most_weight)


@formula("yearzero.core.weapon-features")
def features_of(scene: Scene, item: Item) -> frozenset[str]:
    """The features of a weapon; weight makes it heavy or light, whatever is printed."""
    other = row_named(scene, item.kind)
    if not item.features and item.kind in scene[SHIELDS]:
        return frozenset(scene[SHIELDS].look(item.kind).features)
    if item.features or item.kind not in scene[MELEE_WEAPONS]:
        heavy = ("STR",) if other and other.strength and other.rof else ()
        return frozenset(item.features or (*(other.features if other else ()), *heavy))
    row = scene[MELEE_WEAPONS][item.kind]
    return frozenset((*row.features, *weight_features(scene, row.weight)))


@formula("yearzero.gear.melee-features/parry")
def parry_mod(scene: Scene, features: frozenset[str]) -> int:
    """What a weapon does to a parry made with it, and to one against it."""
    return sum(scene[MELEE_FEATURES][each].parry for each in sorted(features) if each in scene[MELEE_FEATURES])


@formula("yearzero.gear.melee-features/armor")
def armor_multiple(scene: Scene, features: frozenset[str]) -> int:
    """How many times its rating armor is rolled at against a weapon."""
    rows_ = scene[MELEE_FEATURES]
    return max((rows_[each].armor_multiple for each in sorted(features) if each in rows_), default=1)


SINGLE_SHOT: Final = figure("yearzero.combat.single-shot", "rounds", int)


@formula("yearzero.combat.ammo-spent/rounds", "yearzero.combat.single-shot")
def rounds_fired(scene: Scene, item: Item, ammo: int, shown: int) -> int:
    """One round, or the sum of the ammo dice, but no more than there are."""
    least = scene[SINGLE_SHOT]
    return min(item.loaded, max(least, shown) if ammo else least)


@formula("yearzero.gear.melee-features/hands")
def check_hands(scene: Scene, who: Person, item: Item, rule: str) -> None:
    """An arm that is hurt may keep somebody from weapons for two hands."""
    if "2H" in features_of(scene, item):
        applying(scene, who).check_allowed("two-handed weapon", rule=rule)


def is_weapon(scene: Scene, item: Item) -> bool:
    row = row_named(scene, item.kind)
    damage = item.damage if row is None or item.damage is not None else row.damage
    return item.kind in scene[MELEE_WEAPONS] or damage is not None


def magazine_of(scene: Scene, item: Item) -> int:
    """The rounds that a firearm holds; 0 for what needs none."""
    row = row_named(scene, item.kind)
    return item.magazine or (row.mag if row else 0)


def rate_of_fire_of(scene: Scene, item: Item) -> int:
    """The most ammo dice a firearm rolls."""
    row = row_named(scene, item.kind)
    return item.rate_of_fire or (row.rof if row else 0)


def armor_of(scene: Scene, item: Item) -> int:
    """The Armor Rating at first of something that is worn."""
    row = row_named(scene, item.kind)
    return item.armor or (row.rating if row else 0)


def areas_of(scene: Scene, item: Item) -> tuple[str, ...]:
    """The parts of the body that something protects."""
    row = row_named(scene, item.kind)
    return item.areas or (row.areas if row else ())


def in_hand(scene: Scene, who: Person) -> tuple[Item, ...]:
    return tuple(item for item in scene[who].things if item.place == HELD)


def melee_specialty(scene: Scene, item: Item | None) -> str:
    """The specialty that covers a weapon; none in hand is Brawler."""
    if item is None:
        return "Brawler"
    if is_shield(scene, item):
        return "Shield Fighter"
    return specialty_for(scene, "Melee", item)


def specialty_for(scene: Scene, skill: str, item: Item) -> str:
    """The specialty of a skill that covers a weapon: by its kind or the end of it, or else by what features it has."""
    listed, features = scene[SPECIALTIES[skill]], features_of(scene, item)
    exact = (row.name for row in listed if item.kind in row.weapons)
    sorted_as = weapon_kind(scene, item.kind) or item.kind
    similar = (row.name for row in listed if is_like(sorted_as, row.weapons))
    by_feature = (row.name for row in listed if features & {*row.features})
    return next(exact, "") or next(similar, "") or next(by_feature, "")


def is_like(kind: str, others: Iterable[str]) -> bool:
    """Whether a weapon is of one of these kinds: a longsword is a sword."""
    return kind.casefold().endswith(tuple(each.casefold() for each in others))
