"""Equipment: what somebody carries, and the catalogue of weapons and armor it is from.

A thing is written by its name in the catalogue (`Sword`), or with figures of its own in place of the row's.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, replace
from typing import ClassVar, Final

from referee.core import Active, Effect, Scene, figure, formula, from_book, frozen, rows
from referee.core.catalogue import Catalogue, PrintedThing
from referee.core.effects import Adds
from referee.core.plain import Plain, read_fields
from referee.core.things import CARRIED, DROPPED, HELD, ON_BODY
from referee.kits.dice_codes import Code
from referee.kits.things import Thing
from referee.systems.d6.skill_names import in_words

MELEE: Final = "melee"
THROWN: Final = "thrown"
FIREARM: Final = "firearm"
HEAVY: Final = "heavy"
SHIELD: Final = "shield"
OTHER: Final = ""
"""No weapon: whatever is struck with it is struck with an improvised weapon."""
WITH_STRENGTH: Final = "str"


@frozen
class WeaponBurst:
    """What a weapon that fires bursts adds, and the ammunition one takes; None for the rule of thumb."""

    modifier: int
    """The index of a short burst, the modifier of spray fire."""
    ammo: int | None = None


@frozen
class Weapon:
    """A weapon, with everything a fight needs to know of it."""

    name: str
    category: str = OTHER
    """melee, thrown, firearm, heavy or shield."""
    body: Code = Code()
    scale: int = 1
    skills: tuple[str, ...] = ()
    """Skills it is used with: whoever has several of them uses the best."""
    damage: Code = Code()
    adds_strength: bool = False
    stun: bool = False
    hands: int = 1
    advanced: bool = False
    """Whether its technology is so advanced that it is never heavy."""
    difficulty: int = 0
    reach: int = 1
    parry: Code = Code()
    """What it adds to a combat parry: a bonus of a shield, a penalty of an axe."""
    defeats_parry: bool = False
    """Whether shields and the like give no bonus against it."""
    in_chock: str = ""
    """What else it does when weapons clash: it catches or traps the other."""
    range: tuple[float, ...] = ()
    """Close, short, medium and long, in metres; one figure is the long range."""
    times_strength: bool = False
    """Whether its ranges count for each die of the thrower's Strength."""
    rate_of_fire: int | None = None
    """Shots in a round; None without a limit."""
    rounds_between: int = 0
    """Rounds that must pass before it fires again: 3 for a rate of 1/3."""
    only_bursts: bool = False
    ammo: int | None = None
    """The rounds it holds; None if they are not counted."""
    reloads: int | None = None
    """How many rounds one action reloads; None for all."""
    short_burst: WeaponBurst | None = None
    spray_fire: WeaponBurst | None = None
    recoil: bool = True
    """Whether its recoil takes a die from short bursts."""
    targeting: Code = Code()
    """What its targeting equipment adds to a shot, once it is adjusted."""
    gun: str = ""
    """handgun, shoulder weapon or heavy weapon, where it can be fired in a melee."""
    blast: int = 0
    """Metres after which the effect is a die less."""
    cone: int = 0
    """Metres that a cone is wide at long range."""
    crew: int = 1
    alone: int = 0
    """What is added to the difficulty if fewer serve it."""


@frozen
class Armor:
    """Armor: what it adds to Strength against damage, where, and how it hinders."""

    name: str
    protection: Code = Code()
    zones: tuple[str, ...] = ()
    agility: Code = Code()
    body: Code = Code()


@frozen
class Goods:
    """What can be bought: its Price index, how hard it is to find, whether it is allowed, and what it can do."""

    name: str
    price: int | None = None
    availability_index: int | None = None
    authorization: str = ""
    technological_level: int | None = None
    unique: bool = False
    """Only an adventure brings it."""
    body: Code = Code()
    value: int | None = None
    capabilities: str = ""
    bonus_and_limitations: str = ""
    description: str = ""


@frozen
class Item(Thing):
    """Something carried. It is a weapon or armor of the catalogue by its name, or by figures of its own."""

    in_play: ClassVar = (*Thing.in_play, "loaded", "condition", "malfunctions", "rigged", "harder", "diagnosed")
    loaded: int | None = None  # type: ignore[assignment]  # pyright: ignore[reportIncompatibleVariableOverride]  # not said
    """Rounds in it; all that it holds, if it does not say."""
    category: str | None = None
    skill: str = ""
    """The skill it is used with."""
    damage: Code | None = None
    adds_strength: bool = False
    """Whether Strength is added to its damage; `damage: Str+2D` says so too."""
    stun: bool = False
    """Whether its damage is not lethal."""
    difficulty: int | None = None
    reach: int | None = None
    hands: int | None = None
    parry: Code | None = None
    defeats_parry: bool | None = None
    in_chock: str | None = None
    body: Code | None = None
    scale: int | None = None
    advanced: bool | None = None
    range: tuple[float, ...] | None = None
    times_strength: bool | None = None
    rate_of_fire: int | None = None
    rounds_between: int | None = None
    only_bursts: bool | None = None
    ammo: int | None = None
    reloads: int | None = None
    short_burst: WeaponBurst | None = None
    spray_fire: WeaponBurst | None = None
    recoil: bool | None = None
    targeting: Code | None = None
    gun: str | None = None
    blast: int | None = None
    cone: int | None = None
    crew: int | None = None
    alone: int | None = None
    armor: Code | None = None
    """What it adds to Strength when damage is resisted."""
    zones: tuple[str, ...] = ()
    """The zones it protects; all of them, if none is named."""
    agility: Code | None = None
    """What it takes from Agility while it is worn."""
    off_hand: bool = False
    """Whether it is held in the off hand."""
    condition: str = ""
    """How damaged it is."""
    malfunctions: bool = False
    rigged: bool = False
    """Whether it was patched up, and works until a wild one."""
    harder: int = 0
    """What a jury-rig adds to the difficulty of a full repair."""
    diagnosed: str = ""
    """The damage that somebody has found."""
    coating: str = ""
    """The toxin that a sharp weapon is coated with."""
    capabilities: str = ""
    """What it can do, in words; a weapon or armor need not say."""
    bonus_and_limitations: str = ""
    technological_level: int | None = None
    value: int | None = None
    price: int | None = None
    availability_index: int | None = None
    authorization: str = ""
    description: str = ""

    @property
    def ready(self) -> bool:
        """Whether it is in hand."""
        return self.place == HELD

    @property
    def in_use(self) -> bool:
        """Whether it is worn or held, so that it counts."""
        return self.place in (HELD, ON_BODY)

    @classmethod
    def from_plain(cls, plain: Plain) -> Item:
        """A name alone is enough. `worn: yes` and `held: yes` are short for a place, `Str+2D` for added Strength."""
        if isinstance(plain, Item):
            return plain
        given = {"name": plain} if isinstance(plain, str) else dict(plain) if isinstance(plain, Mapping) else plain
        if isinstance(given, dict):
            for word, place in _PLACED.items():
                if isinstance(given.get(word), bool) and given.pop(word):
                    given["place"] = place
            if "number" in given:
                given["amount"] = given.pop("number")
            damage = given.get("damage")
            if isinstance(damage, str) and damage.casefold().startswith(WITH_STRENGTH):
                given |= {"damage": damage[len(WITH_STRENGTH) :] or "0D", "adds_strength": True}
        found: Item = read_fields(cls, given)
        return found


_PLACED: Final = {"worn": ON_BODY, "held": HELD, "ready": HELD}


@frozen
class ThingLevel:
    """How damaged a thing is, and whether it still works."""

    name: str
    works: bool
    repairable: bool
    says: str = ""


WEAPONS: Final = rows(
    "d6.weapons.melee",
    "weapons",
    Weapon,
    also=(
        *(f"d6.weapons.{each}/weapons" for each in ("thrown", "firearms", "heavy")),
        *(f"d6.equipment.sample-{each}/weapons" for each in ("long-sword", "heavy-repeating-blaster")),
    ),
)
ARMORS: Final = rows("d6.equipment.armor-protection", "armor", Armor)
GOODS: Final = rows("d6.equipment.price", "goods", Goods, also="*/goods")
MALFUNCTIONING: Final = figure("d6.equipment.malfunction", "damage", str)
THING_LEVELS: Final = rows("d6.equipment.damage-levels", "levels", ThingLevel)
DEFAULT_SCALE: Final = figure("d6.equipment.stat-block", "default_scale", int)
DEFAULT_REACH: Final = figure("d6.combat.reach", "default", int)


# --- weapons ----------------------------------------------------------------------------------------------------------


def is_in_order(scene: Scene, item: Item) -> bool:
    """What is seriously damaged or worse does not work, nor what malfunctions."""
    return not item.malfunctions and (
        not item.condition or item.rigged or scene[THING_LEVELS].look(item.condition).works
    )


def may_fail(scene: Scene, item: Item) -> bool:
    """Whether a thing fails when its use shows a wild one: what is jury-rigged, or lightly damaged and no blade."""
    if item.rigged:
        return True
    return bool(item.condition) and item.condition == scene[MALFUNCTIONING] and not weapon_of(scene, item).adds_strength


@formula("d6.equipment.stat-block")
@from_book
def weapon_of(scene: Scene, item: Item) -> Weapon:
    """A thing as a weapon: its row in the catalogue, with figures of its own in place of the row's."""
    plain = Weapon(item.name, scale=scene[DEFAULT_SCALE], reach=scene[DEFAULT_REACH])
    name = catalogue_name(scene, item.kind)
    row = scene[WEAPONS][name] if name else plain
    own = {each: getattr(item, each) for each in _OWN if getattr(item, each) is not None}
    if item.damage is not None:
        own |= {"adds_strength": item.adds_strength, "stun": item.stun}
    if item.skill:
        own["skills"] = (item.skill,)
    if item.damage is not None and not row.category and "category" not in own:
        own["category"] = FIREARM if own.get("range") else MELEE
    return replace(row, name=item.name, **own)


_OF_ITEMS: Final = {each.name for each in fields(Item)} - {"name", "adds_strength", "stun"}
_OWN: Final = tuple(each.name for each in fields(Weapon) if each.name in _OF_ITEMS)


@from_book
def catalogue_name(scene: Scene, kind: str) -> str:
    """The name of a row of the catalogue, by all of it or by what stands in its brackets: `Uzi`, `Colt .45`; the make
    alone is enough if it is the only one: `Colt`. Empty if none fits.
    """
    wanted, makes = kind.casefold(), list[str]()
    for name in scene[WEAPONS].names:
        whole, _, inner = name.casefold().partition(" (")
        if wanted in (name.casefold(), whole, inner.rstrip(")")):
            return name
        if wanted and inner.startswith(f"{wanted} "):
            makes.append(name)
    return makes[0] if len(makes) == 1 else ""


def is_weapon(scene: Scene, item: Item) -> bool:
    """Whether something was made for fighting."""
    return bool(weapon_of(scene, item).category)


# --- armor ------------------------------------------------------------------------------------------------------------


@from_book
def armor_of(scene: Scene, item: Item) -> Armor | None:
    """A thing as armor; None if it is none."""
    if item.armor is None and item.kind not in scene[ARMORS]:
        return None
    found = scene[ARMORS][item.kind] if item.kind in scene[ARMORS] else Armor(item.name)
    return Armor(
        item.name,
        found.protection if item.armor is None else item.armor,
        item.zones or found.zones,
        found.agility if item.agility is None else item.agility,
        found.body if item.body is None else item.body,
    )


@formula("d6.equipment.armor-protection", "d6.equipment.damage-levels")
def worn_armor(scene: Scene, equipment: tuple[Item, ...], zone: str = "") -> tuple[Armor, ...]:
    """Armor in order that is worn where somebody is hit: it adds to Strength when damage is resisted, only then."""
    worn = (armor_of(scene, each) for each in equipment if each.in_use and is_in_order(scene, each))
    return tuple(each for each in worn if each and (not zone or not each.zones or zone in each.zones))


@formula("d6.equipment.armor-penalty")
def armor_effects(scene: Scene, equipment: tuple[Item, ...]) -> tuple[Active, ...]:
    """What worn armor takes from Agility and all its skills."""
    return tuple(_hindrances(armor_of(scene, each) for each in equipment if each.in_use))


def _hindrances(worn: Iterable[Armor | None]) -> Iterator[Active]:
    for each in (one for one in worn if one is not None):
        for amount, unit in ((each.agility.dice, "dice"), (each.agility.pips, "pips")):
            if amount:
                does = Adds(amount, unit)
                yield Active(Effect(does, frozenset({"Agility"})), each.name, "d6.equipment.armor-penalty")


# --- the catalogue ----------------------------------------------------------------------------------------------------

ARMOR: Final = "armor"
SMALL: Final = "small-things"


def printed_things(scene: Scene) -> Iterator[PrintedThing]:
    """The weapons and the armor that the book prints, and whatever else the campaign sells."""
    weapons, armors, goods = scene[WEAPONS], scene[ARMORS], scene[GOODS]
    yield from (PrintedThing(Item(name), weapons.rule_of(name)) for name in weapons.names)
    yield from (PrintedThing(Item(name), armors.rule_of(name)) for name in armors.names)
    others = (name for name in goods.names if name not in weapons and name not in armors)
    yield from (PrintedThing(Item(name), goods.rule_of(name)) for name in others)


@formula("d6.equipment.price")
@from_book
def goods_of(scene: Scene, item: Item) -> Goods:
    """A thing as it is sold: its row, with what is its own in place of that."""
    row = scene[GOODS][item.kind] if item.kind in scene[GOODS] else Goods(item.name)
    own = {each: getattr(item, each) for each in _SOLD if getattr(item, each) not in (None, "")}
    return replace(row, name=item.name, **own)


_SOLD: Final = tuple({each.name for each in fields(Goods)} & {each.name for each in fields(Item)} - {"name"})


def price_of(scene: Scene, item: Item) -> int | None:
    return goods_of(scene, item).price


def kind_of_thing(scene: Scene, item: Item) -> str:
    if armor_of(scene, item) is not None:
        return ARMOR
    return weapon_of(scene, item).category or SMALL


@from_book
def thing_says(scene: Scene, item: Item) -> Mapping[str, Plain]:
    """What a player has to know of a thing, as its row or its own figures say it."""
    weapon, armor, sold = weapon_of(scene, item), armor_of(scene, item), goods_of(scene, item)
    said: dict[str, Plain] = {}
    if weapon.category:
        said |= _weapon_says(weapon)
    if armor is not None:
        said |= {"protection": str(armor.protection), "zones": ", ".join(armor.zones)}
        said |= {"agility": str(armor.agility) if armor.agility != Code() else ""}
    body = armor.body if armor is not None else weapon.body if weapon.category else sold.body
    return {
        **said,
        "body": str(body) if body != Code() else "",
        "scale": weapon.scale if weapon.scale > 1 else "",
        "amount": item.amount if item.amount != 1 else "",
        "condition": item.condition,
        "capabilities": sold.capabilities,
        "bonus_and_limitations": sold.bonus_and_limitations,
        "technological_level": sold.technological_level,
        "price": sold.price,
        "availability_index": sold.availability_index,
        "authorization": sold.authorization,
        "description": sold.description,
    }


def places_of(scene: Scene, item: Item) -> tuple[str, ...]:
    """Armor is worn; anything may be taken in hand, put away and dropped."""
    return (ON_BODY, CARRIED, DROPPED) if armor_of(scene, item) is not None else (HELD, CARRIED, DROPPED)


def _weapon_says(weapon: Weapon) -> dict[str, Plain]:
    damage = f"{WITH_STRENGTH.capitalize()}+{weapon.damage}" if weapon.adds_strength else str(weapon.damage)
    ranges = "/".join(f"{each:g}" for each in weapon.range)
    return {
        "damage": f"{damage}, stuns" if weapon.stun else damage,
        "range": f"{ranges} {'× Strength dice' if weapon.times_strength else 'm'}" if ranges else "",
        "difficulty": "" if weapon.range else weapon.difficulty,
        "reach": "" if weapon.range else weapon.reach,
        "hands": weapon.hands if weapon.hands > 1 else "",
        "rounds": weapon.ammo,
        "shots": f"{weapon.rate_of_fire} a round" if weapon.rate_of_fire else "",
        "short_burst": f"{weapon.short_burst.modifier}" if weapon.short_burst else "",
        "spray_fire": f"{weapon.spray_fire.modifier}" if weapon.spray_fire else "",
        "blast": f"a die less every {weapon.blast} m" if weapon.blast else "",
        "parry": str(weapon.parry) if weapon.parry != Code() else "",
        "crew": weapon.crew if weapon.crew > 1 else "",
        "skill": in_words(weapon.skills[0]) if weapon.skills else "",
    }


CATALOGUE: Final = Catalogue(printed_things, kind_of_thing, thing_says, price_of, places_of)
