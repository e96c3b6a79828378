"""Reactions: what stands against an attack, and what its target adds before the card turns."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from referee.core import Prompt, Scene, figure, formula, frozen, offer, questions, refuse, rule, total
from referee.systems.dime.action_points import break_aim, check_can_react, pay_ap
from referee.systems.dime.consequences import cover_bonus, defense_mods, reaction_mods
from referee.systems.dime.fight import FIGHT, is_close
from referee.systems.dime.flip import random_number
from referee.systems.dime.gear import Item
from referee.systems.dime.sheet import Person, defense, skill_level
from referee.systems.dime.weapons import MELEE

DODGE: Final = "Dodge"
PARRY: Final = "Parry"
TAKE_COVER: Final = "Take Cover"
ZONE_OF_CONTROL: Final = "Zone of Control"
REACT: Final = Prompt("react")
DODGE_AP: Final = figure("dime.reaction.dodge", "ap", int)
PARRY_AP: Final = figure("dime.reaction.parry", "ap", int)
COVER_AP: Final = figure("dime.reaction.take-cover", "ap", int)
GRAPPLE_COVER: Final = figure("dime.attack.grapple", "cover_to_others", int)
COVER_TIMES: Final = figure("dime.reaction.take-cover", "multiplier", int)
REACTIONS: Final = {DODGE: DODGE_AP, PARRY: PARRY_AP, TAKE_COVER: COVER_AP}


@frozen
class Guard:
    """What stands against an attack: the Defense in all, and how much of it is Cover."""

    defense: int
    cover: int = 0


def attack_tags(scene: Scene, who: Person, target: Person, item: Item) -> tuple[str, ...]:
    """How an attack comes: from melee range, and by somebody without Reach."""
    close = (MELEE,) if is_close(scene, who, target) else ()
    return close if any(each.has("Reach") for each in (item,)) else (*close, "no reach")


@formula("dime.attack.grapple/cover")
def grapple_cover(scene: Scene, who: Person, target: Person) -> int:
    """Those in a grapple give each other Cover against attacks from outside."""
    if FIGHT not in scene:
        return 0
    others = scene[FIGHT].grappled_with(scene, target.name)
    return scene[GRAPPLE_COVER] if others and who.name not in others else 0


@formula("dime.consequence.cover/guard")
def guard_of(scene: Scene, who: Person, target: Person, item: Item) -> Guard:
    """Defense and what raises it; of Cover from a grapple and from elsewhere, the better counts."""
    tags = attack_tags(scene, who, target, item)
    own = cover_bonus(scene, target)
    cover = max(own, grapple_cover(scene, who, target))
    return Guard(defense(scene, target) + total(defense_mods(scene, target, tags)) - own + cover, cover)


@rule("dime.reaction.general/defend", "dime.reaction.general")
async def defend(scene: Scene, target: Person, who: Person, item: Item, unaware: bool) -> Guard:
    """Before the card turns, the target may react, each reaction once and each paid for."""
    guard, used = guard_of(scene, who, target, item), set[str]()
    tags = attack_tags(scene, who, target, item)
    while True:

        def check(option: str, cover: int = guard.cover) -> None:
            if option in used:
                refuse("each reaction is taken once against an attack", what=option, rule="dime.reaction.general")
            check_reaction(scene, target, who, option, cover, unaware)

        chosen = await offer(target, REACT, REACTIONS, check=check, about=who.name, reaction=True, cost=_ap(scene))
        if chosen is None:
            return guard
        used.add(chosen)
        await pay_reaction(target, chosen)
        guard = await raise_guard(target, chosen, guard, tags)


def _ap(scene: Scene) -> Any:
    return lambda option: questions.OptionCost(scene[REACTIONS[option]], "ap")


def check_reaction(scene: Scene, target: Person, who: Person, reaction: str, cover: int, unaware: bool) -> None:
    check_can_react(scene, target, reaction, scene[REACTIONS[reaction]])
    if reaction == DODGE and unaware:
        refuse(f"{target} is not aware of it", what=reaction, rule="dime.reaction.dodge")
    if reaction == PARRY and not is_close(scene, who, target):
        refuse(f"{who} is in another zone", what=reaction, rule="dime.reaction.parry")
    if reaction == TAKE_COVER and cover <= 0:
        refuse(f"{target} has no Cover", what=reaction, rule="dime.reaction.take-cover")


@rule("dime.reaction.general/pay", "dime.concentrate.aim")
async def pay_reaction(scene: Scene, who: Person, reaction: str) -> None:
    """Reactions are paid with held AP, and break the aim."""
    await pay_ap(who, scene[REACTIONS[reaction]])
    await break_aim(who)


@rule("dime.reaction.general/raise")
async def raise_guard(scene: Scene, who: Person, reaction: str, guard: Guard, tags: tuple[str, ...]) -> Guard:
    """What a reaction adds to the Defense."""
    if reaction == TAKE_COVER:
        more = take_cover(scene, guard.cover)
        return Guard(guard.defense + more, guard.cover + more)
    more = parry(scene, who, tags) if reaction == PARRY else await dodge(who, tags)
    return replace(guard, defense=guard.defense + more)


@rule("dime.reaction.dodge")
async def dodge(scene: Scene, who: Person, tags: tuple[str, ...]) -> int:
    """A random number, with what Reach adds and being Prone takes; never below 0."""
    number = await random_number(who)
    return max(0, number + total(reaction_mods(scene, who, DODGE, tags)))


@formula("dime.reaction.parry")
def parry(scene: Scene, who: Person, tags: tuple[str, ...]) -> int:
    """The melee skill, with what Reach adds and being Prone takes; never below 0."""
    return max(0, skill_level(scene, who, MELEE) + total(reaction_mods(scene, who, PARRY, tags)))


@formula("dime.reaction.take-cover")
def take_cover(scene: Scene, cover: int) -> int:
    """Cover counts double: what is added to it."""
    return cover * (scene[COVER_TIMES] - 1)
