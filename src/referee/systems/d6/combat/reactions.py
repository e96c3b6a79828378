"""Reactions: how the target of an attack may answer it, and which difficulty the attack then has to reach."""

from __future__ import annotations

from typing import Final

from referee.core import Mod, Mods, Prompt, Scene, alter, applying, figure, formula, frozen, react, refuse, rule
from referee.kits.dice_codes import Luck
from referee.systems.d6.combat.round import (
    FIGHT,
    FULL,
    FUMBLED,
    SURPRISE,
    AttackKind,
    IndividualCombat,
    add_reaction,
)
from referee.systems.d6.resolution import check_able, check_skill
from referee.systems.d6.rolls import ACTION, ANY_ROLL, roll_for
from referee.systems.d6.sheet import Person

REACTION: Final = Prompt("reaction")
PARRY: Final = Prompt("parry")
DODGE: Final = Prompt("dodge")
COMBAT: Final = "d6.combat.combat-reaction"
ADDED: Final = "-added"
UNDECLARED: Final = figure(FULL, "undeclared_penalty", int)


@frozen
class ReactionWay:
    """A way to react to an attack: `combat-dodge`, `full-parry`; the ability that is rolled, and its modifiers."""

    key: str
    using: str
    mods: Mods = ()
    full: bool = False


@frozen
class Defense:
    """What an attack has to reach, and what the target did about it."""

    difficulty: int
    reaction: str = ""
    total: int | None = None
    luck: Luck = Luck.NONE


# --- who may react ----------------------------------------------------------------------------------------------------


@formula("d6.combat.combat-reaction/check", COMBAT, SURPRISE)
def check_reaction(scene: Scene, who: Person, kind: AttackKind, reaction: ReactionWay) -> None:
    """Not the surprised, not those who have reacted fully; dodges and parries may be barred for other reasons."""
    check_able(scene, who)
    applying(scene, who).check_allowed(kind.reaction, rule=COMBAT)
    check_skill(scene, who, reaction.using)
    if FIGHT not in scene:
        return
    fight = scene[FIGHT]
    if who.name in fight.surprised:
        refuse(f"{who} is surprised", rule=SURPRISE)
    if (full := fight.full_reaction(who.name)) is not None:
        refuse(f"{who} does nothing else than a full {full.kind.reaction} this round", rule=FULL)
    if reaction.full:
        check_full(scene, who)
    elif who.name in fight.fumbled:
        refuse(f"{who} fumbled initiative: only a full reaction", rule=FUMBLED)


@formula("d6.combat.full-reaction/check", FULL)
def check_full(scene: Scene, who: Person) -> None:
    """Before one's first initiative rank, and instead of everything else."""
    if FIGHT not in scene:
        return
    if scene[FIGHT].rank_has_come(who.name):
        refuse("only before one's first initiative rank of the round", rule=FULL)
    if scene[FIGHT].reactions.get(who.name, 0):
        refuse(f"{who} has reacted already in this round", rule=FULL)


# --- reacting to an attack --------------------------------------------------------------------------------------------


@rule("d6.combat.combat-reaction/defend", COMBAT, FULL)
async def defend(
    scene: Scene, target: Person, kind: AttackKind, difficulty: int, reactions: tuple[ReactionWay, ...] = ()
) -> Defense:
    """The target of an attack may react: a combat reaction replaces its difficulty, a full one adds to it."""
    if FIGHT in scene and (full := scene[FIGHT].full_reaction(target.name)) is not None:
        covered = full.total if full.kind is kind else 0
        return Defense(difficulty + covered, f"full-{kind.reaction}" if covered else "")
    ways = reaction_ways(scene, target, reactions)
    key = await react(target, REACTION, tuple(ways), check=lambda each: check_reaction(scene, target, kind, ways[each]))
    if key is None:
        return Defense(difficulty)
    way = ways[key]
    if way.full:
        total = await full_reaction(target, kind, way.using, way.mods)
        return Defense(difficulty + total, key, total)
    return await combat_reaction(target, kind, way, key.endswith(ADDED))


def reaction_ways(scene: Scene, target: Person, reactions: tuple[ReactionWay, ...]) -> dict[str, ReactionWay]:
    """Each reaction; where a declared action is left, a combat reaction may use it up or be added to it."""
    left = FIGHT in scene and scene[FIGHT].left.get(target.name, 0) > 0
    ways: dict[str, ReactionWay] = {}
    for each in reactions:
        ways[each.key] = each
        if left and not each.full:
            ways[each.key + ADDED] = each
    return ways


@rule(COMBAT, "d6.combat.adapting-actions")
async def combat_reaction(
    scene: Scene, who: Person, kind: AttackKind, way: ReactionWay, added: bool = False
) -> Defense:
    """A reaction to one attack: for a declared action, or on top of them; its total replaces the difficulty."""
    if FIGHT in scene:
        if added or not scene[FIGHT].left.get(who.name, 0):
            await add_reaction(who)
        else:
            await alter(FIGHT, IndividualCombat.spending, who.name, 1)
        await alter(FIGHT, IndividualCombat.reacting, who.name)
    rolled = await roll_for(
        who, way.using, way.mods, reaction_tags(kind), prompt=DODGE if kind is AttackKind.RANGED else PARRY
    )
    return Defense(rolled.total, way.key, rolled.total, rolled.luck)


@rule(FULL)
async def full_reaction(scene: Scene, who: Person, kind: AttackKind, using: str, mods: Mods = ()) -> int:
    """Nothing but dodging, or parrying, this round: the total is added to the difficulty of every such attack."""
    undeclared = FIGHT not in scene or not scene[FIGHT].declared.get(who.name, 0)
    late = (Mod(scene[UNDECLARED], "not declared", FULL),) if undeclared else ()
    rolled = await roll_for(
        who, using, (*mods, *late), reaction_tags(kind), prompt=DODGE if kind is AttackKind.RANGED else PARRY
    )
    await alter(FIGHT, IndividualCombat.reacting_fully, who.name, kind, rolled.total, if_present=True)
    return rolled.total


def reaction_tags(kind: AttackKind) -> tuple[str, ...]:
    """What kind of roll it is: an action like any other, and a dodge or a parry."""
    return (ACTION, ANY_ROLL, "reaction", kind.reaction)


@rule("d6.combat.full-reaction/hit", FULL)
async def was_hit(scene: Scene, who: Person) -> None:
    """An attack has hit: whoever reacted fully does not come through it."""
    await alter(FIGHT, IndividualCombat.hitting, who.name, if_present=True)
