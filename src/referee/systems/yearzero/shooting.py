"""What makes a shot harder or easier: range, size, light and weather, what the target does, one hand or two."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from referee.core import Mod, Mods, Scene, applying, figure, formula, frozen, refuse, rows
from referee.kits.zones import ZoneMap
from referee.systems.yearzero.battle import BATTLE
from referee.systems.yearzero.equipment import row_named, weapon_kind
from referee.systems.yearzero.ground import ARMS_LENGTH, features_there, has_map, where
from referee.systems.yearzero.harm import is_helpless
from referee.systems.yearzero.items import FIREARM_FEATURES, FirearmFeature
from referee.systems.yearzero.sheet import STRENGTH, Item, Person
from referee.systems.yearzero.vehicles.vehicle import is_carried_along
from referee.systems.yearzero.weapons import features_of, in_hand, magazine_of

CIRCUMSTANCES_OF: Final = "yearzero.combat.terrain-weather-light"
SUM: Final = "yearzero.combat.ranged-modifiers"
DEFENSELESS: Final = "yearzero.combat.defenseless-target"
SHOTGUNS: Final = "yearzero.combat.shotguns"
UNSEEN: Final = "unseen"
"""What somebody is granted whose target does not see the attack coming."""


@frozen
class SizeRow:
    """A size of target."""

    name: str
    modification: int


@frozen
class RangeRow:
    """A range: how far it goes, and what it does to shooting and to sneaking."""

    name: str
    max_m: int
    shooting: int
    sneak: int
    colour: str
    shooting_small_arms: int | None = None


@frozen
class ShotCircumstance:
    """Light, weather, smoke or ground that changes a shot."""

    name: str
    modifier: int
    dark: bool = False
    """Whether it is darkness: only the worst counts, and none for who sees in the dark."""
    barred: bool = False
    beyond_m: int = 0
    """It does not matter to targets so near."""
    says: str = ""


@frozen
class HandsRow:
    """What firing a weapon with one hand costs."""

    name: str
    modifier: int
    barred: bool = False
    max_range: str = ""
    says: str = ""


@frozen
class ShotgunRow:
    """What a range takes from the base damage of a shotgun."""

    name: str
    amount: int


SIZES: Final = rows("yearzero.marksmanship.target-size", "rows", SizeRow)
RANGES: Final = rows("yearzero.combat.ranges", "ranges", RangeRow)
SMALL_ARMS: Final = figure("yearzero.combat.ranges", "small_arms", tuple[str, ...])
CIRCUMSTANCES: Final = rows(
    CIRCUMSTANCES_OF, "rows", ShotCircumstance, also=("yearzero.combat.smoke-and-elevation/rows",)
)
HANDS: Final = rows("yearzero.combat.one-handed-shooting", "rows", HandsRow)
LOST_BY_RANGE: Final = rows(SHOTGUNS, "damage_reduction", ShotgunRow)
LEAST_BASE: Final = figure(SHOTGUNS, "min_base_damage", int)
DEFENSELESS_BONUS: Final = figure(DEFENSELESS, "bonus", int)
DEFENSELESS_M: Final = figure(DEFENSELESS, "max_m", int)
FULL_COVER: Final = figure("yearzero.combat.cover-full", "modifier", int)
PRONE_TARGET: Final = figure("yearzero.combat.prone-target", "modifier", int)
NEAR: Final = figure("yearzero.combat.prone-target", "no_effect_within_m", int)
MOVING: Final = figure("yearzero.combat.moving-target", "moving_target", int)
INDIVIDUAL: Final = figure("yearzero.explosives.targeting", "individual", int)
LARGE: Final = figure("yearzero.explosives.targeting", "large_target_bonus", int)


@formula(SUM, "yearzero.combat.ranges", "yearzero.marksmanship.target-size")
def shooting_mods(
    scene: Scene,
    who: Person,
    target: Person,
    weapon: str,
    distance: str,
    size: str,
    part: str,
    circumstances: tuple[str, ...] = (),
    unaware: bool = False,
) -> Mods:
    """Everything that applies is added: range, size, hands, light and weather, what the target does and is behind."""
    item, row = scene[who].thing(weapon), scene[RANGES][distance]
    hidden = unaware or applying(scene, who, against=target).granted(UNSEEN)
    found = [
        *range_mod(scene, item, target, row, hidden),
        *(() if part else size_mod(scene, item, size)),
        *hands_mod(scene, who, item),
        *strength_mod(scene, who, item),
        *defenseless_target(scene, target, row.max_m, hidden),
        *prone_target(scene, target, row.max_m),
        *moving_target(scene, target),
        *full_cover(scene, target),
        *circumstance_mods(scene, who, target, row.max_m, circumstances),
    ]
    return tuple(mod for mod in found if mod.amount)


@formula("yearzero.combat.firing-at-arms-length", "yearzero.combat.ranges/mod")
def range_mod(scene: Scene, item: Item, target: Person, row: RangeRow, hidden: bool = False) -> Mods:
    """What the range costs; an enemy at Arm's Length who is aware and active is in the way, less so of small arms."""
    if row.name == ARMS_LENGTH:
        if hidden or is_helpless(scene, target):
            return ()
        if is_small_arm(scene, item) and row.shooting_small_arms is not None:
            return (Mod(row.shooting_small_arms, row.name, RANGES.rule),)
    elif is_shotgun(scene, item):
        return ()
    return (Mod(row.shooting, row.name, RANGES.rule),)


def printed_features(scene: Scene, item: Item) -> tuple[FirearmFeature, ...]:
    """What the gear chapter prints of the features a weapon has."""
    return tuple(
        scene[FIREARM_FEATURES][name] for name in sorted(features_of(scene, item)) if name in scene[FIREARM_FEATURES]
    )


@formula("yearzero.combat.ranges/small-arms")
def is_small_arm(scene: Scene, item: Item) -> bool:
    """By its feature, its table, or its name or the end of it: an old pistol is a pistol."""
    small = any(row.arms_length is not None for row in printed_features(scene, item))
    named = ends_with(weapon_kind(scene, item.kind) or item.kind, scene[SMALL_ARMS])
    return small or named or "Smallarm" in features_of(scene, item)


@formula("yearzero.gear.firearm-features/pierces")
def pierces_armor(scene: Scene, item: Item) -> bool:
    """Whether a weapon pierces armor."""
    return any(row.pierces for row in printed_features(scene, item))


STANDS: Final = figure("yearzero.gear.firearm-features", "stands", tuple[str, ...])


@formula("yearzero.gear.firearm-features/stand")
def has_stand(scene: Scene, who: Person) -> bool:
    """Whether somebody has a tripod, or a mount on a vehicle, for a heavy weapon to rest on."""
    return any(each.at_hand and ends_with(each.kind, scene[STANDS]) for each in scene[who].things)


@formula("yearzero.gear.firearm-features/strength")
def strength_mod(scene: Scene, who: Person, item: Item) -> Mods:
    """What a weapon costs whoever is too weak for it, unless it rests on something."""
    if "Bipod" in features_of(scene, item) or has_stand(scene, who):
        return ()
    row = row_named(scene, item.kind)
    missing = (row.strength if row else 0) - scene[who].now(STRENGTH)
    per = sum(each.per_missing_strength for each in printed_features(scene, item))
    return (Mod(per * missing, "too heavy", FIREARM_FEATURES.rule),) if missing > 0 and per else ()


def ends_with(name: str, words: Iterable[str]) -> bool:
    """Whether the last words of a name are these."""
    return f" {name}".casefold().endswith(tuple(f" {each}".casefold() for each in words))


@formula(f"{SHOTGUNS}/which")
def is_shotgun(scene: Scene, item: Item) -> bool:
    """By its feature, by its table, or by its name."""
    kind = weapon_kind(scene, item.kind) or item.kind
    return "Shotgun" in features_of(scene, item) or ends_with(kind, ("shotgun",))


@formula(SHOTGUNS)
def base_damage(scene: Scene, item: Item, damage: int, distance: str) -> int:
    """Range takes from the base damage of a shotgun, down to nothing."""
    if not is_shotgun(scene, item):
        return damage
    return max(scene[LEAST_BASE], damage - scene[LOST_BY_RANGE][distance].amount)


@formula("yearzero.combat.target-size", "yearzero.explosives.targeting")
def size_mod(scene: Scene, item: Item, size: str) -> Mods:
    """The size of the target; a heavy weapon is no better against large ones, and worse against somebody."""
    row = scene[SIZES][size]
    if "Ordnance" not in features_of(scene, item):
        return (Mod(row.modification, row.name, SIZES.rule),)
    amount = scene[LARGE] if row.modification > 0 else row.modification + scene[INDIVIDUAL]
    return (Mod(amount, row.name, INDIVIDUAL.rule),)


def hands_taken(scene: Scene, who: Person, item: Item) -> bool:
    """Whether the other hand holds something else."""
    return any(each.name != item.name for each in in_hand(scene, who))


@formula("yearzero.combat.one-handed-shooting")
def one_handed(scene: Scene, who: Person, item: Item) -> HandsRow | None:
    """What applies to a weapon that is fired with one hand, because the other one is full."""
    if not hands_taken(scene, who, item):
        return None
    named = (name for name in sorted(features_of(scene, item)) if name in scene[HANDS])
    return next((scene[HANDS][name] for name in named), None)


def hands_mod(scene: Scene, who: Person, item: Item) -> Mods:
    row = one_handed(scene, who, item)
    return (Mod(row.modifier, "one hand", HANDS.rule),) if row else ()


def check_hands_free(scene: Scene, who: Person, item: Item, distance: str) -> None:
    """A machine gun takes both hands, and a rifle in one hand strikes near targets only."""
    row = one_handed(scene, who, item)
    if row is None:
        return
    if row.barred and magazine_of(scene, item):
        refuse(f"{item.name} takes both hands", what=item.name, rule=HANDS.rule)
    if row.max_range and scene[RANGES].look(distance).max_m > scene[RANGES].look(row.max_range).max_m:
        refuse("in one hand it does not strike so far", what=item.name, rule=HANDS.rule, legal=(row.max_range,))


@formula(DEFENSELESS)
def defenseless_target(scene: Scene, target: Person, metres: int, hidden: bool) -> Mods:
    """Somebody near who cannot move, or does not know of the shooter, is easy to hit."""
    bound = "bound" in scene[target].conditions or bool(scene[target].held_by)
    easy = metres <= scene[DEFENSELESS_M] and (hidden or bound or is_helpless(scene, target))
    return (Mod(scene[DEFENSELESS_BONUS], f"{target} is defenseless", DEFENSELESS),) if easy else ()


@formula("yearzero.combat.prone-target")
def prone_target(scene: Scene, target: Person, metres: int) -> Mods:
    """Somebody on the ground is harder to hit from further than 10 m."""
    far = scene[target].prone and metres > scene[NEAR]
    return (Mod(scene[PRONE_TARGET], f"{target} is prone", PRONE_TARGET.rule),) if far else ()


@formula("yearzero.combat.moving-target")
def moving_target(scene: Scene, target: Person) -> Mods:
    """Somebody who has moved since is harder to hit."""
    moves = applying(scene, target).granted("moving") or is_carried_along(scene, target)
    return (Mod(scene[MOVING], f"{target} moves", MOVING.rule),) if moves else ()


@formula("yearzero.combat.cover-full")
def full_cover(scene: Scene, target: Person) -> Mods:
    """Nothing of the target shows: whoever knows where it is may still fire through what it is behind."""
    cover = scene[target].cover
    return (Mod(scene[FULL_COVER], f"{target} is out of sight", FULL_COVER.rule),) if cover and cover.full else ()


# --- light, weather and smoke -----------------------------------------------------------------------------------------


def circumstances_of(scene: Scene, who: Person) -> tuple[str, ...]:
    return scene[CIRCUMSTANCES].names


@formula(CIRCUMSTANCES_OF, "yearzero.combat.smoke-and-elevation")
def circumstance_mods(scene: Scene, who: Person, target: Person, metres: int, named: tuple[str, ...]) -> Mods:
    """What was said, and what the zone of the target brings: of darkness only the worst, and none for night vision."""
    of_zone = (row.circumstance for row in features_there(scene, where(scene, target)) if row.circumstance)
    listed = scene[CIRCUMSTANCES]
    names = [name for name in dict.fromkeys((*named, *of_zone)) if metres > listed.look(name).beyond_m]
    every = [listed[name] for name in names]
    sees = applying(scene, who).granted("see in the dark")
    dark = min((row for row in every if row.dark), key=lambda row: row.modifier, default=None)
    counted = [row for row in every if not row.dark or (row is dark and not sees)]
    return tuple(Mod(row.modifier, row.name, listed.rule_of(row.name)) for row in counted)


@formula(f"{CIRCUMSTANCES_OF}/barred")
def check_visible(scene: Scene, who: Person, target: Person, circumstances: tuple[str, ...]) -> None:
    """In total darkness nobody hits anything; nobody shoots through a dark or foggy zone."""
    barred = [scene[CIRCUMSTANCES][name] for name in circumstances if scene[CIRCUMSTANCES].look(name).barred]
    if barred and not applying(scene, who).granted("see in the dark"):
        refuse(f"{barred[0].name}: nothing can be hit", rule=CIRCUMSTANCES.rule)
    if has_map(scene) and not is_clear(scene, where(scene, who), where(scene, target)):
        refuse("a dark or foggy zone lies between", rule="yearzero.combat.zone-features")


@formula("yearzero.combat.zone-features/between")
def is_clear(scene: Scene, here: str, there: str) -> bool:
    """Whether a shot as short as any need not pass through a zone that bars it."""
    whole: ZoneMap = scene[BATTLE].zones
    shut = {each.name for each in whole.zones if any(row.bars_shots for row in features_there(scene, each.name))}
    shut -= {here, there}
    if not shut:
        return True
    open_ground = ZoneMap(whole.zones, tuple(each for each in whole.borders if not {each.one, each.other} & shut))
    return open_ground.zones_between(here, there) == whole.zones_between(here, there)
