"""Weapons: what is in hand, how far it reaches, its shots, and whom it may be aimed at."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Final, TypeAlias

from referee.core import (
    Levels,
    Mods,
    Pick,
    Prompt,
    Refused,
    Scene,
    adds,
    alter,
    choose,
    figure,
    figures,
    formula,
    refuse,
    rule,
    rule_on,
)
from referee.systems.dime.action_points import category_of
from referee.systems.dime.combat import free_hands, hands_for
from referee.systems.dime.consequences import check_approach
from referee.systems.dime.fight import ATTACK, FIGHT, fighters, is_close, zones_apart
from referee.systems.dime.flip import GEAR
from referee.systems.dime.gear import PROPERTIES, Item
from referee.systems.dime.sheet import Adventurer, Person, stat_level

UNARMED: Final = "unarmed"
IMPROVISED: Final = "improvised"
AT_HAND: Final = {UNARMED: "Unarmed Attack", IMPROVISED: "Improvised Weapons"}
"""What one can always attack with, by its name among the attacks of the book."""
AUTO: Final = "Auto"
AREA: Final = "Area"
THROWN: Final = "Thrown"
MELEE: Final = "melee"
WEAPON: Final = Prompt("weapon")
NOT_IN_GRAPPLES: Final = figure("dime.attack.grapple", "forbidden", tuple[str, ...])
LEAST_STR: Final = figure("dime.attack.pulling-punches", "least_str", int)
PROPERTIES_RULE: Final = "dime.weapon.properties"
IMPROVISED_MODIFIER: Final = figure("dime.attack.improvised-weapons", "attack_modifier", tuple[int, int])
IMPROVISED_DAMAGE: Final = figure("dime.attack.improvised-weapons", "damage", int)


@figures("dime.attack.basic")
class BasicAttack:
    """The stat of attacks, their skills, and the one for throwing."""

    stat: str
    skills: tuple[str, ...]
    thrown_skill: str


@figures("dime.attack.unarmed")
class UnarmedAttack:
    """What bare hands do beside Strength, and their penalty against a melee weapon."""

    penalty_vs_armed: int
    damage: Levels


@figures("dime.attack.automatic-fire")
class AutomaticFire:
    """What each point of the rating adds, and which power of it is shot."""

    bonus_per_rating: int
    shots_power: int


@formula("dime.attack.unarmed")
def weapon_of(scene: Scene, who: Person, weapon: str) -> Item:
    """Something in hand; bare hands; or whatever lies about, which strikes like bare hands."""
    if weapon in (UNARMED, IMPROVISED):
        return Item(weapon, damage=scene[UnarmedAttack].damage, strength=True)
    return scene[who].item(weapon)


@formula("dime.attack.range")
def reach(scene: Scene, item: Item, thrown: bool = False) -> int:
    """How many zones away a weapon can strike: its Range, or when it is thrown 1 if it has none."""
    if thrown and not item.has("Range"):
        return scene[PROPERTIES][THROWN].range
    return item.rating(scene, "Range")


def is_weapon(scene: Scene, item: Item) -> bool:
    return item.held and item.skill in scene[BasicAttack].skills and bool(item.damage)


def is_armed(scene: Scene, who: Person) -> bool:
    """Whether somebody has a melee weapon in hand."""
    return any(is_weapon(scene, each) and each.skill == MELEE for each in scene[who].items)


def shots_left(scene: Scene, item: Item) -> int | None:
    """The shots in a weapon; None for one that needs none."""
    if not item.has("Shots"):
        return None
    return item.rating(scene, "Shots") if item.shots is None else item.shots


@formula("dime.attack.automatic-fire")
def shots_needed(scene: Scene, item: Item, auto: bool = False) -> int:
    """One for an ordinary attack, the square of the Auto rating for automatic fire."""
    if not item.has("Shots"):
        return 0
    if auto:
        return int(item.rating(scene, AUTO) ** scene[AutomaticFire].shots_power)
    return scene[PROPERTIES]["Shots"].per_attack


def check_shots(scene: Scene, item: Item, auto: bool = False) -> None:
    left, needed = shots_left(scene, item), shots_needed(scene, item, auto)
    if left is not None and left < needed:
        because = "it is empty" if left == 0 else f"it takes {needed} shots, {left} left"
        legal = ("reload",)
        refuse(because, what=item.name, rule="dime.attack.automatic-fire" if auto else PROPERTIES_RULE, legal=legal)


def check_wields(scene: Scene, who: Person, weapon: str) -> None:
    """In hand, with hands to use it, and not too long for a grapple."""
    if weapon in (UNARMED, IMPROVISED):
        return
    item = scene[who].item(weapon)
    if not is_weapon(scene, item):
        refuse("it is no weapon in hand", what=item.name, rule="dime.interact.draw-reload", legal=("draw-weapon",))
    if hands_for(scene, item) > free_hands(scene, who):
        refuse(f"it takes {hands_for(scene, item)} hands", what=item.name, rule="dime.attack.called-shots")
    if FIGHT in scene and scene[FIGHT].opponents(scene, who.name) and item.build in scene[NOT_IN_GRAPPLES]:
        refuse(f"a {item.build} is no use in a grapple", what=item.name, rule="dime.attack.grapple")


def check_reach(scene: Scene, who: Person, target: Person, item: Item, thrown: bool = False) -> None:
    """A target is at most as many zones away as the weapon's Range."""
    apart, far = zones_apart(scene, who, target), reach(scene, item, thrown)
    if apart is None:
        refuse(f"{target} is out of sight", rule="dime.attack.range")
    if apart > far:
        refuse(f"{target} is {apart} zones away, it reaches {far}", what=item.name, rule="dime.attack.range")


def check_weapon(scene: Scene, who: Person, weapon: str, target: Person) -> None:
    check_wields(scene, who, weapon)
    item = weapon_of(scene, who, weapon)
    check_one_target(item)
    check_shots(scene, item)
    check_reach(scene, who, target, item)


def check_one_target(item: Item) -> None:
    if item.has(AREA):
        refuse("it strikes a whole zone", what=item.name, rule="dime.attack.area", legal=("area-attack",))


def check_auto(scene: Scene, who: Person, weapon: str, target: Person) -> None:
    check_weapon(scene, who, weapon, target)
    item = check_automatic(scene, who, weapon)
    check_shots(scene, item, auto=True)


def check_automatic(scene: Scene, who: Person, weapon: str) -> Item:
    item = weapon_of(scene, who, weapon)
    if not item.has(AUTO):
        refuse("it does not fire automatically", what=item.name, rule=PROPERTIES_RULE)
    return item


def check_thrown(scene: Scene, who: Person, weapon: str, target: Person) -> None:
    check_wields(scene, who, weapon)
    item = scene[who].item(weapon)
    if not item.has(THROWN):
        refuse("it is not made for throwing", what=item.name, rule=PROPERTIES_RULE)
    check_one_target(item)
    check_reach(scene, who, target, item, thrown=True)


def weapons(scene: Scene, who: Person) -> tuple[str, ...]:
    """What is in hand, and bare hands; improvised weapons are at hand anywhere."""
    held = (each.name for each in scene[who].items if is_weapon(scene, each))
    return (*held, *(each for each, name in AT_HAND.items() if category_of(scene, name) == ATTACK))


def ready_weapons(scene: Scene, who: Person, target: Person) -> tuple[str, ...]:
    """What somebody can attack with at once, without drawing or reloading anything."""

    def is_ready(weapon: str) -> bool:
        try:
            check_weapon(scene, who, weapon, target)
        except Refused:
            return False
        return True

    return tuple(filter(is_ready, weapons(scene, who)))


@rule("dime.attack.basic/weapon")
async def pick_weapon(scene: Scene, who: Person, target: Person) -> str:
    """One of the weapons that are ready; whoever says nothing uses what is in hand, and not the bare hand."""
    if not (ready := ready_weapons(scene, who, target)):
        refuse(f"{who} has no weapon ready that reaches {target}", rule="dime.attack.range")
    return await choose(who, WEAPON, ready, default=ready[0])


def held_weapons(scene: Scene, who: Person) -> tuple[str, ...]:
    return tuple(each.name for each in scene[who].items if is_weapon(scene, each))


def check_target(scene: Scene, who: Person, target: Person) -> None:
    """Somebody else who is up; Fear bars what is aimed at its subject."""
    if target == who:
        refuse("it needs somebody else")
    if FIGHT in scene and target not in fighters(scene, who):
        refuse(f"{target} is out of the fight", legal=(each.name for each in fighters(scene, who)))
    check_approach(scene, who, target)


def check_close(scene: Scene, who: Person, target: Person) -> None:
    check_target(scene, who, target)
    if not is_close(scene, who, target):
        refuse(f"{target} is in another zone", rule="dime.combat.zones", legal=("move",))


def check_strength(scene: Scene, who: Person, strength: int | None = None) -> None:
    """Punches are pulled with a lower Strength than one's own."""
    own = stat_level(scene, who, "Strength")
    if strength is not None and not scene[LEAST_STR] <= strength <= own:
        refuse(f"Strength {strength}", rule="dime.attack.pulling-punches", legal=(f"{scene[LEAST_STR]} to {own}",))


Target: TypeAlias = Annotated[Person, Pick(fighters, check_target)]

CloseTarget: TypeAlias = Annotated[Person, Pick(fighters, check_close)]

Weapon: TypeAlias = Annotated[str, Pick(weapons, check_weapon)]

AutoWeapon: TypeAlias = Annotated[str, Pick(held_weapons, check_auto)]

ThrownWeapon: TypeAlias = Annotated[str, Pick(held_weapons, check_thrown)]


@rule("dime.weapon.properties/shots", "dime.attack.automatic-fire")
async def spend_shots(scene: Scene, who: Person, weapon: str, auto: bool = False) -> None:
    """Shots are used up: one, or the square of the rating."""
    item = weapon_of(scene, who, weapon)
    left, needed = shots_left(scene, item), shots_needed(scene, item, auto)
    if left is not None and needed:
        await alter(who, Adventurer.with_item, replace(item, shots=left - needed))


@rule("dime.attack.improvised-weapons")
async def improvised_mods(scene: Scene) -> Mods:
    """What lies about is worse than a weapon by 0 to 2, as the game master says."""
    low, high = scene[IMPROVISED_MODIFIER]
    amount = await rule_on(GEAR, (low + high) // 2, low=low, high=high)
    return (adds(amount, f"{IMPROVISED} gear"),) if amount else ()


def damage_bonus(scene: Scene, item: Item) -> int:
    return scene[IMPROVISED_DAMAGE] if item.name == IMPROVISED else 0
