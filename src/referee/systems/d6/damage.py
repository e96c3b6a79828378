"""Damage: what a source deals, what Strength and armor resist, and what comes of the difference."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Final, TypeAlias

from referee.core import (
    Bands,
    Mods,
    Pick,
    Prompt,
    Scene,
    action,
    applying,
    formula,
    frozen,
    hand_over,
    refuse,
    rows,
    rule,
    suggest,
)
from referee.core.branches import LEFT_OUT
from referee.core.composed import KernelCalls, WeightedEnds, after_all, joined
from referee.core.modifiers import Itemised
from referee.core.rules import Decide, Ends, kernel
from referee.kits.dice_codes import Code, Rolled, differences, grouped
from referee.kits.wounds import TimeSpan
from referee.systems.d6.bestiary import DESTROYED_IF_HIT
from referee.systems.d6.codes import code_mods
from referee.systems.d6.health import BY_STUNS, fall_unconscious, stunned, wounded
from referee.systems.d6.rolls import Spend, check_alive, modified_code, roll_code, roll_for, throw
from referee.systems.d6.sheet import Hero, Person
from referee.systems.d6.situations import VictimSituation
from referee.systems.d6.wounds import DEAD, MORTAL, NEUTRALIZED, TORSO, WOUNDED
from referee.systems.d6.zones import LOCALIZED, PLACES, struck

DAMAGE: Final = Prompt("damage")
STRENGTH: Final = Prompt("strength")
RESIST_DAMAGE: Final = "resist damage"
RESIST_HARM: Final = "resist"
"""With the form of harm: what resists that alone."""
DAMAGE_TAKEN: Final = "damage taken"
ARMOR: Final = "d6.health.damage-roll"
STUNNED: Final = "Stunned"
UNHURT: Final = "none"


@frozen
class DamageRow:
    """What a difference of damage and Strength does: a wound, or with stun damage stuns and unconsciousness."""

    name: str
    stuns: int = 0
    unconscious: str = ""
    wound: str = ""


DAMAGE_TABLE: Final = rows("d6.health.damage-table", "rows", DamageRow, by=("min", "max"))


@frozen
class Harm:
    """What damage did: by how much it was more than Strength, what that means, and how somebody is now."""

    difference: int
    result: str
    wound: str
    stuns: int = 0


HARMED: Final[Bands[Harm]] = Bands(
    of=lambda harm: harm.result.casefold().replace(" ", "-"),
    keys=("none", "stunned", "wounded", "neutralized", "mortally-wounded", "dead"),
)


# --- damage -----------------------------------------------------------------------------------------------------------


@rule("d6.health.damage-roll", "d6.health.damage-table")
async def hit(
    scene: Scene,
    victim: Person,
    damage: Code,
    mods: Mods = (),
    stun: bool = False,
    zone: str = TORSO,
    by: Person | None = None,
    own: Code = Code(),  # noqa: B008  # a frozen value
    resist: str = "Strength",
    resist_mods: Mods = (),
    harm: tuple[str, ...] = (),
) -> Harm:
    """Damage against Strength and armor; a tie wounds. `own` is the attacker's Strength, as far as it adds to it.

    `harm` says of which form it is (sonic, fire): some suffer more from it, some resist it better.
    """
    difference = await damage_difference(victim, damage, mods, zone, by, own, resist, resist_mods, harm)
    return await hand_over(suffer(victim, difference, stun, zone))


@rule("d6.health.damage-roll/difference", "d6.health.damage-roll")
async def damage_difference(
    scene: Scene,
    victim: Person,
    damage: Code,
    mods: Mods = (),
    zone: str = TORSO,
    by: Person | None = None,
    own: Code = Code(),  # noqa: B008  # a frozen value
    resist: str = "Strength",
    resist_mods: Mods = (),
    harm: tuple[str, ...] = (),
) -> int:
    """The damage roll less the Strength roll."""
    dealt = await damage_roll(by, damage, (*mods, *taken_mods(scene, victim, harm)), own)
    armor = (*armor_mods(scene, victim, zone), *resist_mods)
    resisted = await roll_for(victim, resist, armor, (RESIST_DAMAGE, RESIST_HARM, *harm), prompt=STRENGTH)
    return dealt.total - resisted.total


@rule("d6.health.damage-roll/damage", "d6.health.damage-roll")
async def damage_roll(
    scene: Scene,
    by: Person | None,
    damage: Code,
    mods: Mods = (),
    own: Code = Code(),  # noqa: B008  # a frozen value
) -> Rolled:
    """The damage of a source. Of an attacker's only their own Strength is doubled by Fate, and points may better it."""
    source = (*code_mods(damage, "damage", "d6.health.damage-roll"), *mods)
    if by is not None:
        return await hand_over(roll_code(by, own, "Strength", source, bettering(own), prompt=DAMAGE))
    code, plus = modified_code(scene, own, source)
    return await hand_over(throw(None, code, plus, Itemised(source), prompt=DAMAGE))


def bettering(own: Code) -> Spend:
    """What may be spent on damage: a Fate Point only if there is something of one's own to double."""
    return Spend.CHARACTER_POINTS if own == Code() else Spend.ALL


@kernel(damage_difference)
def damage_differences(
    scene: Scene,
    decide: Decide,
    victim: Person,
    damage: Code,
    mods: Mods = (),
    zone: str = TORSO,
    by: Person | None = None,
    own: Code = Code(),  # noqa: B008  # a frozen value
    resist: str = "Strength",
    resist_mods: Mods = (),
    harm: tuple[str, ...] = (),
) -> Ends[int]:
    """Every difference, with whatever both of them spend."""
    source = (*code_mods(damage, "damage", "d6.health.damage-roll"), *mods, *taken_mods(scene, victim, harm))
    code, plus = modified_code(scene, own, source)
    armor = (*armor_mods(scene, victim, zone), *resist_mods)
    dealt = (
        throw(None, code, plus, Itemised(), prompt=DAMAGE)
        if by is None
        else roll_code(by, own, "Strength", source, bettering(own), prompt=DAMAGE)
    )
    resisted = roll_for(victim, resist, armor, (RESIST_DAMAGE, RESIST_HARM, *harm), prompt=STRENGTH)
    found, calls = WeightedEnds[int](), KernelCalls.of(decide)
    for changes, whole, rolls in calls.groups(dealt, scene):
        for more, of, against in calls.groups(resisted, after_all(scene, changes)):
            mine, theirs = (grouped(each, lambda rolled: ("", rolled.total)) for each in (rolls, against))
            found.add_all(differences(mine, theirs, lambda *read: read[2]), joined(changes, more), 1, whole * of)
    return found.ends()


def armor_mods(scene: Scene, who: Person, zone: str = TORSO) -> Mods:
    """What is worn where somebody is hit: what covers the torso covers the heart as well."""
    within = scene[PLACES].look(zone).in_ if zone in scene[PLACES] else ""
    return tuple(mod for name, code in scene[who].armor(scene, within or zone) for mod in code_mods(code, name, ARMOR))


@formula("d6.health.damage-roll/taken", "d6.species.exotic-drawbacks", "d6.merits.list-a-c")
def taken_mods(scene: Scene, victim: Person, harm: tuple[str, ...]) -> Mods:
    """How much more damage somebody takes from one form of harm."""
    applied = applying(scene, victim, DAMAGE_TAKEN, *harm)
    return replace(applied, active=tuple(a for a in applied.active if DAMAGE_TAKEN in a.effect.when)).mods


TIMES: Final = {
    "sonic": "times a sonic effect",
    "intense light": "times an effect of light",
    "stench": "times an effect of stench",
}
"""What acute senses make of effects that do no damage."""


@formula("d6.merits.list-a-c/times", "d6.merits.list-a-c")
def effect_times(scene: Scene, victim: Person, harm: tuple[str, ...]) -> int:
    """How many times an effect without damage counts for acute senses: twice, or twice for each level."""
    applied = applying(scene, victim)
    return max(1, *(applied.extra(TIMES.get(each, "")) for each in (*harm, "")))


@rule("d6.health.damage-table", "d6.health.creatures-too")
async def suffer(scene: Scene, victim: Person, difference: int, stun: bool = False, zone: str = TORSO) -> Harm:
    """What a difference does: a wound on the ladder, or with stun damage stuns or unconsciousness."""
    result = scene[DAMAGE_TABLE].at(difference).name
    wound = await inflict(victim, result, stun, zone)
    return Harm(difference, result, wound, scene[victim].stuns)


def is_destroyed(scene: Scene, victim: Person, result: str) -> bool:
    """Whatever hurts the tiniest creatures at all kills them."""
    return result != UNHURT and applying(scene, victim).granted(DESTROYED_IF_HIT)


@rule("d6.health.damage-table/inflict", "d6.health.damage-table")
async def inflict(scene: Scene, victim: Person, result: str, stun: bool = False, zone: str = TORSO) -> str:
    """What a row of the table does; the level of wounds that somebody has then."""
    if is_destroyed(scene, victim, result):
        result, stun = DEAD, False
    row = scene[DAMAGE_TABLE].look(result)
    if row.name == UNHURT:
        return scene[victim].wound_at(zone)
    if not stun or not row.unconscious:
        return await lands(victim, row.name, row.stuns if stun else 0, zone)
    if row.wound:
        await lands(victim, row.wound, 0, zone)
    await fall_unconscious(victim, TimeSpan.from_plain(row.unconscious), BY_STUNS)
    return scene[victim].wound_at(zone)


@rule("d6.health.damage-table/land", "d6.health.damage-table")
async def lands(scene: Scene, victim: Person, result: str, stuns: int, zone: str = TORSO) -> str:
    """A wound, or stuns, where they land; with localized wounds the torso alone is stunned as usual."""
    if scene[LOCALIZED] and (zone != TORSO or not stuns):
        return await struck(victim, STUNNED if stuns else result, zone)
    if stuns or result == STUNNED:
        await stunned(victim, stuns or 1, zone)
    else:
        await wounded(victim, result, zone)
    return scene[victim].wound_at(zone)


@rule("d6.health.damage-table/harm", "d6.health.damage-table", "d6.health.damage-roll")
async def harm_done(
    scene: Scene,
    victim: Person,
    damage: Code,
    mods: Mods = (),
    zone: str = TORSO,
    by: Person | None = None,
    own: Code = Code(),  # noqa: B008  # a frozen value
    resist_mods: Mods = (),
) -> str:
    """What damage will do, a row of the table, before it is done."""
    difference = await damage_difference(victim, damage, mods, zone, by, own, "Strength", resist_mods)
    return scene[DAMAGE_TABLE].at(difference).name


@kernel(harm_done)
def harms_done(
    scene: Scene,
    decide: Decide,
    victim: Person,
    damage: Code,
    mods: Mods = (),
    zone: str = TORSO,
    by: Person | None = None,
    own: Code = Code(),  # noqa: B008  # a frozen value
    resist_mods: Mods = (),
) -> Ends[str]:
    found, table = WeightedEnds[str](), scene[DAMAGE_TABLE]
    dealt = damage_difference(victim, damage, mods, zone, by, own, "Strength", resist_mods)
    for difference, changes, ways, whole in KernelCalls.of(decide).ends(dealt, scene):
        lost = difference is LEFT_OUT
        found.add(LEFT_OUT if lost else table.at(difference).name, changes, ways, whole)
    return found.ends()


# --- what the game master does ----------------------------------------------------------------------------------------


def anybody(scene: Scene, who: object) -> tuple[Person, ...]:
    return scene.all(Hero)


def zones(scene: Scene, who: object) -> tuple[str, ...]:
    return tuple(scene[PLACES].names) if scene[LOCALIZED] else (TORSO,)


def check_zone(scene: Scene, who: object, zone: str = TORSO) -> None:
    """A place of the body; where wounds are not localized, no other than the torso."""
    if scene[LOCALIZED]:
        scene[PLACES].look(zone)
    elif zone != TORSO:
        refuse("wounds are not localized in this campaign", what=zone, rule=LOCALIZED.rule, legal=(TORSO,))


Anybody: TypeAlias = Annotated[Person, Pick(anybody)]
Zone: TypeAlias = Annotated[str, Pick(zones, check_zone)]
DamageCode: TypeAlias = Annotated[Code, suggest(Code(2), Code(3), Code(4), Code(5))]


@action("damage", "d6.health.damage-roll/deal", "d6.health.damage-roll", bands=HARMED, master=True)
async def deal_damage(
    scene: Scene,
    victim: Anybody,
    damage: DamageCode,
    stun: bool = False,
    zone: Zone = TORSO,
    mods: Mods = (),
    situation: VictimSituation = (),
) -> Harm:
    """Somebody is exposed to damage, and resists it with Strength and armor; the situation says what form it has."""
    return await hand_over(hit(victim, damage, mods, stun, zone, harm=situation))


@action("wound", "d6.health.cumulate-wounds/inflict", "d6.health.cumulate-wounds", master=True)
async def inflict_wound(
    scene: Scene, victim: Anybody, wound: Annotated[str, Pick(lambda scene, who: WOUNDS)] = WOUNDED, zone: Zone = TORSO
) -> str:
    """Somebody is wounded, whatever by."""
    return await hand_over(inflict(victim, wound, zone=zone))


WOUNDS: Final = (WOUNDED, NEUTRALIZED, MORTAL, DEAD)


def check_stuns(scene: Scene, who: object, victim: Person, stuns: int) -> None:
    """One or more, for somebody alive."""
    check_alive(scene, victim)
    if stuns < 1:
        refuse("a stun is one or more", what=str(stuns), rule="d6.health.stun-stacking", legal=("1 or more",))


@action("stun", "d6.health.stun-stacking/inflict", "d6.health.stun-stacking", check=check_stuns, master=True)
async def inflict_stun(
    scene: Scene, victim: Anybody, stuns: Annotated[int, suggest(1, 2, 3)] = 1, situation: VictimSituation = ()
) -> None:
    """Somebody is stunned; by a sound, light or stench, acute senses are so several times."""
    await stunned(victim, stuns * effect_times(scene, victim, situation))
