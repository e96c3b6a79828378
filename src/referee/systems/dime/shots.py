"""An attack outside the turns of a fight: the free attack in a chase, the opening shots of a duel."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from referee.core import Prompt, Scene, alter, applying, choose, figure, formula, react, refuse, rule, total
from referee.systems.dime.consequences import cover_bonus, defense_mods, reaction_mods
from referee.systems.dime.damage import resolve_hit
from referee.systems.dime.flip import Flip, flip, random_number, spelled_out
from referee.systems.dime.gear import PROPERTIES, Item
from referee.systems.dime.sheet import Adventurer, Person, defense, skill_level, stat_level

ATTACK_FLIPS: Final = figure("dime.attack.basic", "flips", tuple[str, ...])
USUAL_AP: Final = figure("dime.combat.ap", "ap", int)
DODGE_AP: Final = figure("dime.reaction.dodge", "ap", int)
PARRY_AP: Final = figure("dime.reaction.parry", "ap", int)
COVER_AP: Final = figure("dime.reaction.take-cover", "ap", int)
COVER_TIMES: Final = figure("dime.reaction.take-cover", "multiplier", int)

WEAPON: Final = Prompt("weapon")
DEFEND: Final = Prompt("defend")

DODGE: Final = "Dodge"
PARRY: Final = "Parry"
TAKE_COVER: Final = "Take Cover"
MELEE: Final = "melee"
SHOTS: Final = "Shots"


def is_ready(scene: Scene, item: Item) -> bool:
    """Whether something is a weapon in hand that can be used: one that takes shots has some left."""
    return item.held and bool(item.damage) and (not item.has(SHOTS) or shots_left(scene, item) > 0)


def shots_left(scene: Scene, item: Item) -> int:
    return item.rating(scene, SHOTS) if item.shots is None else item.shots


def weapons_of(scene: Scene, who: Person) -> tuple[str, ...]:
    """The weapons somebody could use at once."""
    return tuple(item.name for item in scene[who].items if is_ready(scene, item))


def check_armed(scene: Scene, who: Person) -> None:
    if not weapons_of(scene, who):
        refuse(f"{who} has no weapon ready in hand", rule="dime.attack.basic")


@formula("dime.attack.basic/stat")
def attack_stat(scene: Scene, item: Item) -> str:
    """The stat that goes with the skill of a weapon."""
    flips = (spelled_out(scene, text) for text in scene[ATTACK_FLIPS])
    return next(each.stat for each in flips if each.skill == item.skill)


def ways_of_attack(item: Item) -> tuple[str, ...]:
    """How an attack comes, for what it meets: hand to hand or not, and whether with Reach."""
    return () if item.skill != MELEE else (MELEE,) if item.has("Reach") else (MELEE, "no reach")


@rule("dime.attack.basic/weapon")
async def pick_weapon(scene: Scene, who: Person) -> str:
    """One of the weapons that are ready in hand."""
    check_armed(scene, who)
    return await choose(who, WEAPON, weapons_of(scene, who))


@rule("dime.attack.basic/cards", "dime.attack.basic")
async def turn_shot(scene: Scene, who: Person, target: Person, weapon: str, stat: str = "", ap: int = 0) -> Flip:
    """The flip of an attack against Defense; the target may first use reactions, for the AP it has."""
    item = scene[who].item(weapon)
    ways = ways_of_attack(item)
    more = await defend(target, ways, ap) if ap else 0
    tn = defense(scene, target) + total(defense_mods(scene, target, ways)) + more
    return await flip(who, stat or attack_stat(scene, item), item.skill, tn, at=target, suited=True)


@rule("dime.attack.basic/hit")
async def land_shot(scene: Scene, who: Person, target: Person, weapon: str, shot: Flip, times: int = 1) -> int:
    """The shot is spent; on a success its damage is dealt, by the suit of the counted stack. Returns the points."""
    item = scene[who].item(weapon)
    if item.has(SHOTS):
        left = shots_left(scene, item) - scene[PROPERTIES][SHOTS].per_attack
        await alter(who, Adventurer.with_item, replace(item, shots=left))
    if not shot.success:
        return 0
    return await resolve_hit(target, item, shot.suit, stat_level(scene, who, "Strength"), times=times)


def check_may_react(scene: Scene, who: Person) -> None:
    """A stunned character takes no reactions."""
    applying(scene, who).check_allowed("react", rule="dime.consequence.stun")


@rule("dime.reaction.general/shots", "dime.reaction.general")
async def defend(scene: Scene, who: Person, ways: tuple[str, ...], ap: int) -> int:
    """Before the card turns, each reaction once, for its AP; returns what they add to Defense."""
    costs = {DODGE: scene[DODGE_AP], PARRY: scene[PARRY_AP], TAKE_COVER: scene[COVER_AP]}
    open_to = [DODGE, *([PARRY] if MELEE in ways else []), *([TAKE_COVER] if cover_bonus(scene, who) else [])]
    added = 0
    while options := [each for each in open_to if costs[each] <= ap]:
        chosen = await react(who, DEFEND, options, check=lambda _: check_may_react(scene, who))
        if chosen is None:
            break
        open_to.remove(chosen)
        ap -= costs[chosen]
        added += await defense_gained(who, chosen, ways)
    return added


@rule("dime.reaction.general/gain", "dime.reaction.dodge", "dime.reaction.parry", "dime.reaction.take-cover")
async def defense_gained(scene: Scene, who: Person, reaction: str, ways: tuple[str, ...]) -> int:
    """A random number for Dodge, the melee skill for Parry, the bonus of Cover once more for Take Cover."""
    if reaction == TAKE_COVER:
        return cover_bonus(scene, who) * (scene[COVER_TIMES] - 1)
    base = await random_number(who) if reaction == DODGE else skill_level(scene, who, MELEE)
    return max(0, base + total(reaction_mods(scene, who, reaction, ways)))
