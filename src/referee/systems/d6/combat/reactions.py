"""Reactions: how the target of an attack may answer it, and by how much the attack then succeeds or fails."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Final

from referee.core import (
    Call,
    Mod,
    Mods,
    Prompt,
    Scene,
    alter,
    applying,
    change,
    figure,
    formula,
    frozen,
    hand_over,
    react,
    refuse,
    rule,
)
from referee.core.branches import LEFT_OUT, Changed, unless_left_out
from referee.core.composed import KernelCalls, WeightedEnds, after_all, joined
from referee.core.questions import Request
from referee.core.rules import Decide, Ends, kernel
from referee.kits.dice_codes import Luck, differences, grouped
from referee.systems.d6.codes import ability_name
from referee.systems.d6.combat.round import (
    FIGHT,
    FULL,
    FUMBLED,
    SURPRISE,
    AttackKind,
    FullReaction,
    IndividualCombat,
    with_reaction,
)
from referee.systems.d6.combat.weapons import PINNED, check_unpinned, may_malfunction
from referee.systems.d6.resolution import check_able, check_skill, difficulty_with, telling_margin
from referee.systems.d6.rolls import ACTION, ANY_ROLL, LEGS, SPATIAL, roll_for, rolled_mods
from referee.systems.d6.sheet import Person
from referee.systems.d6.vehicles.systems import PILOTING

ATTACK: Final = Prompt("attack")
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
    free: bool = False
    """Whether it is no action: neither is one used up, nor is one added."""
    before: Call[Mods] | None = None
    """What comes before the roll, and may better it; it is then made with `then_using`."""
    then_using: str = ""
    needs: int | None = None
    """What it must reach by itself, whatever the attack rolls: a failure is a hit."""
    parries: bool = False
    """Whether it is a parry, even of a missile: then an attack that only equals it has failed."""
    surprised: bool = False
    """Whether the attack takes by surprise, so that nobody reacts."""
    fragile: str = ""
    """What it is done with, if that is damaged and may stop working."""
    piloted: bool = False
    """Whether it is the vehicle that evades, and not the body of its pilot."""
    unfree: str = ""
    """What it would be done with, if somebody holds that fast or has just let it go: then it does not parry."""


def unless_surprised(ways: tuple[ReactionWay, ...], surprised: bool) -> tuple[ReactionWay, ...]:
    """Ways to react to an attack, barred if it takes by surprise."""
    return tuple(replace(each, surprised=True) for each in ways) if surprised else ways


@frozen
class ReactionOffer:
    """What somebody may react to: what the attack has to reach if they do not, and the ways to react."""

    difficulty: int
    ways: tuple[ReactionWay, ...] = ()


@frozen
class Defense:
    """What an attack has to reach, and what the target did about it."""

    difficulty: int
    reaction: str = ""


@frozen
class AttackMargin:
    """By how much an attack has reached its difficulty, or missed it (below 0); how the target reacted."""

    margin: int
    reaction: str = ""
    luck: Luck = Luck.NONE


def coarser(scene: Scene, rows: Iterable[tuple[AttackMargin, int]]) -> list[tuple[AttackMargin, int]]:
    """Margins with their ways, for outlines: those that mean the same are one."""
    far, found = telling_margin(scene), dict[Any, int]()
    for each, ways in rows:
        lost = each is LEFT_OUT
        key = LEFT_OUT if lost else (max(-far, min(far, each.margin)), each.reaction, each.luck)
        found[key] = found.get(key, 0) + ways
    return [(unless_left_out(key, lambda told: AttackMargin(*told)), ways) for key, ways in found.items()]


# --- who may react ----------------------------------------------------------------------------------------------------


@formula("d6.combat.combat-reaction/check", COMBAT, SURPRISE)
def check_reaction(scene: Scene, who: Person, kind: AttackKind, reaction: ReactionWay) -> None:
    """Not the surprised, not those who have reacted fully; dodges and parries may be barred for other reasons."""
    check_able(scene, who)
    if not reaction.piloted:
        applying(scene, who).check_allowed("parry" if reaction.parries else kind.reaction, legal=("none",))
    check_skill(scene, who, reaction.using)
    if reaction.surprised:
        refuse(f"{who} is surprised, and does not react", rule=SURPRISE, legal=("none",))
    if reaction.unfree:
        check_unpinned(scene, who, reaction.unfree)
        refuse("it was just let go", what=reaction.unfree, rule=PINNED, legal=("none",))
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


@rule("d6.combat.combat-reaction/attack", COMBAT, FULL)
async def attack_margin(
    scene: Scene,
    who: Person,
    using: str,
    target: Person,
    kind: AttackKind,
    difficulty: int,
    reactions: tuple[ReactionWay, ...] = (),
    mods: Mods = (),
    tags: tuple[str, ...] = (ACTION, ANY_ROLL),
    anyway: int = 0,
) -> AttackMargin:
    """The target may react, then the attack is rolled. `anyway` adds to the difficulty, whatever the target does."""
    regular = difficulty_with(scene, who, difficulty, mods, *ability_name(scene, using).tags, *tags)
    defense = await defend(target, kind, regular, reactions)
    rolled = await roll_for(who, using, rolled_mods(mods), tags, prompt=ATTACK)
    return AttackMargin(judged_margin(rolled.total - defense.difficulty - anyway), defense.reaction, rolled.luck)


SURE: Final = 100_000
"""A difficulty that nothing reaches; below 0, one that everything does."""


def judged_margin(margin: int) -> int:
    """The margin of an attack; where the reaction alone decides, a bare hit or a bare miss."""
    return margin if abs(margin) < SURE // 2 else 0 if margin > 0 else -1


def defense_of(way: ReactionWay, total: int) -> Defense:
    """What a reaction leaves of the attack: its total to be reached, or a sure hit or miss."""
    if way.needs is None:
        return Defense(total + 1 if way.parries else total, way.key)
    return Defense(SURE if total >= way.needs else -SURE, way.key)


@kernel(attack_margin)
def attack_margins(
    scene: Scene,
    decide: Decide,
    who: Person,
    using: str,
    target: Person,
    kind: AttackKind,
    difficulty: int,
    reactions: tuple[ReactionWay, ...] = (),
    mods: Mods = (),
    tags: tuple[str, ...] = (ACTION, ANY_ROLL),
    anyway: int = 0,
) -> Ends[AttackMargin]:
    """Every margin: the difficulties that reactions leave, and the totals of the attack, each counted once."""
    regular = difficulty_with(scene, who, difficulty, mods, *ability_name(scene, using).tags, *tags)
    calls, found = KernelCalls.of(decide), WeightedEnds[AttackMargin]()
    attack = roll_for(who, using, rolled_mods(mods), tags, prompt=ATTACK)
    for changes, whole, defenses in calls.groups(defend(target, kind, regular, reactions), scene):
        difficulties = grouped(defenses, lambda each: (each.reaction, each.difficulty + anyway))
        for more, of, rolls in calls.groups(attack, after_all(scene, changes)):
            totals = grouped(rolls, lambda each: (each.luck, each.total))
            found.add_all(differences(totals, difficulties, margin_of), joined(changes, more), 1, whole * of)
    return found.ends()


def margin_of(luck: Luck, reaction: str, difference: int) -> AttackMargin:
    return AttackMargin(judged_margin(difference), reaction, luck)


# --- reacting to it ---------------------------------------------------------------------------------------------------


@rule("d6.combat.combat-reaction/defend", COMBAT, FULL)
async def defend(
    scene: Scene, target: Person, kind: AttackKind, difficulty: int, reactions: tuple[ReactionWay, ...] = ()
) -> Defense:
    """The target of an attack may react: a combat reaction replaces its difficulty, a full one adds to it."""
    key = await offer_reaction(scene, target, kind, difficulty, reactions)
    if key is None:
        return covered(scene, target, kind, difficulty) or Defense(difficulty)
    return await hand_over(reaction_to(scene, target, kind, difficulty, reactions, key))


@kernel(defend)
def defended(
    scene: Scene,
    decide: Decide,
    target: Person,
    kind: AttackKind,
    difficulty: int,
    reactions: tuple[ReactionWay, ...] = (),
) -> Ends[Defense]:
    if (standing := covered(scene, target, kind, difficulty)) is not None:
        return [(standing, (), 1)]
    key = decide(offer_reaction(scene, target, kind, difficulty, reactions), scene)
    if key is None:
        return [(Defense(difficulty), (), 1)]
    call = reaction_to(scene, target, kind, difficulty, reactions, key)
    return [(result, changes, ways) for result, changes, ways, _ in KernelCalls.of(decide).ends(call, scene)]


def covered(scene: Scene, target: Person, kind: AttackKind, difficulty: int) -> Defense | None:
    """What an attack has to reach if the target has reacted fully in this round: to such attacks, or to others."""
    full = scene[FIGHT].full_reaction(target.name) if FIGHT in scene else None
    if full is None:
        return None
    return Defense(difficulty + full.total, full.key) if full.kind is kind else Defense(difficulty)


def offer_reaction(
    scene: Scene, target: Person, kind: AttackKind, difficulty: int, reactions: tuple[ReactionWay, ...]
) -> Request[str | None]:
    """The reactions that are legal now. Where a declared action is left, one may use it up or be added to it."""
    left = FIGHT in scene and scene[FIGHT].left.get(target.name, 0) > 0
    ways = {key: each for each in reactions for key in ((each.key, each.key + ADDED) if left else (each.key,))}
    legal = {key: each for key, each in ways.items() if not ((each.full or each.free) and key.endswith(ADDED))}
    return react(
        target,
        REACTION,
        tuple(legal),
        check=lambda key: check_reaction(scene, target, kind, legal[key]),
        about=ReactionOffer(difficulty, reactions),
    )


def reaction_to(
    scene: Scene, target: Person, kind: AttackKind, difficulty: int, reactions: tuple[ReactionWay, ...], key: str
) -> Call[Defense]:
    """The reaction of a key."""
    way = next(each for each in reactions if key in (each.key, each.key + ADDED))
    if way.full:
        return fully_defended(target, kind, difficulty, way)
    return combat_reaction(target, kind, way, key.endswith(ADDED))


@rule(COMBAT, "d6.combat.adapting-actions")
async def combat_reaction(
    scene: Scene, who: Person, kind: AttackKind, way: ReactionWay, added: bool = False
) -> Defense:
    """A reaction to one attack: for a declared action, or on top of them; its total replaces the difficulty."""
    if FIGHT in scene and not way.free:
        for value, now in with_reaction(scene, who, added):
            await change(value, now, rule="d6.combat.adapting-actions")
    bonus = await way.before if way.before is not None else ()
    using = way.then_using if bonus else way.using
    parried = AttackKind.MELEE if way.parries else kind
    rolled = await roll_for(who, using, (*way.mods, *bonus), tags_of(way, parried), prompt=prompt_of(parried))
    if way.fragile:
        await may_malfunction(who, way.fragile, rolled.luck)
    return defense_of(way, rolled.total)


@kernel(combat_reaction)
def combat_reactions(
    scene: Scene, decide: Decide, who: Person, kind: AttackKind, way: ReactionWay, added: bool = False
) -> Ends[Defense] | None:
    if way.before is not None or way.fragile:
        return None
    paid = with_reaction(scene, who, added) if FIGHT in scene and not way.free else ()
    parried = AttackKind.MELEE if way.parries else kind
    roll = roll_for(who, way.using, way.mods, tags_of(way, parried), prompt=prompt_of(parried))
    found = WeightedEnds[Defense]()
    for rolled, changes, ways, whole in KernelCalls.of(decide).ends(roll, after_all(scene, paid)):
        lost = rolled is LEFT_OUT
        found.add(LEFT_OUT if lost else defense_of(way, rolled.total), joined(paid, changes), ways, whole)
    return found.ends()


@rule("d6.combat.full-reaction/attack", FULL)
async def fully_defended(scene: Scene, who: Person, kind: AttackKind, difficulty: int, way: ReactionWay) -> Defense:
    """A full reaction to the first of the attacks that it counts against."""
    return Defense(difficulty + await full_reaction(who, kind, way.using, way.mods, way.key, way.fragile), way.key)


@kernel(fully_defended)
def fully_defendeds(
    scene: Scene, decide: Decide, who: Person, kind: AttackKind, difficulty: int, way: ReactionWay
) -> Ends[Defense] | None:
    if way.fragile:
        return None
    roll = roll_for(who, way.using, (*way.mods, *undeclared(scene, who)), reaction_tags(kind), prompt=prompt_of(kind))
    found = WeightedEnds[Defense]()
    for rolled, changes, ways, whole in KernelCalls.of(decide).ends(roll, scene):
        lost = rolled is LEFT_OUT
        taken = () if lost else with_full_reaction(after_all(scene, changes), who, kind, rolled.total, way.key)
        result = LEFT_OUT if lost else Defense(difficulty + rolled.total, way.key)
        found.add(result, joined(changes, taken), ways, whole)
    return found.ends()


@rule(FULL)
async def full_reaction(
    scene: Scene, who: Person, kind: AttackKind, using: str, mods: Mods = (), key: str = "", fragile: str = ""
) -> int:
    """Nothing but dodging, or parrying, this round: the total is added to the difficulty of every such attack."""
    late = undeclared(scene, who)
    rolled = await roll_for(who, using, (*mods, *late), reaction_tags(kind), prompt=prompt_of(kind))
    if fragile:
        await may_malfunction(who, fragile, rolled.luck)
    for value, now in with_full_reaction(scene, who, kind, rolled.total, key or f"full-{kind.reaction}"):
        await change(value, now)
    return rolled.total


def with_full_reaction(scene: Scene, who: Person, kind: AttackKind, total: int, key: str) -> Changed:
    """Somebody does nothing else this round; a dodger ends up on the ground."""
    calm = scene[who].disturbed(scene[FIGHT].round if FIGHT in scene else -1)
    after = replace(calm, posture="prone") if kind is AttackKind.RANGED else calm
    changed = ((who, after),) if after != scene[who] else ()
    if FIGHT not in scene:
        return changed
    return (FIGHT, scene[FIGHT].reacting_fully(FullReaction(who.name, kind, total, key))), *changed


def undeclared(scene: Scene, who: Person) -> Mods:
    """A full reaction of somebody who has declared no action at all is a die harder."""
    if FIGHT in scene and scene[FIGHT].declared.get(who.name, 0):
        return ()
    return (Mod(scene[UNDECLARED], "not declared", FULL),)


def reaction_tags(kind: AttackKind) -> tuple[str, ...]:
    """What kind of roll it is: an action like any other, of melee or ranged combat, and a dodge or a parry."""
    return (ACTION, ANY_ROLL, "reaction", kind.reaction, kind.value, LEGS, SPATIAL)


def tags_of(way: ReactionWay, kind: AttackKind) -> tuple[str, ...]:
    """Of a vehicle that evades: an action of its pilot like any other, and no dodge."""
    return (ACTION, ANY_ROLL, "reaction", PILOTING, SPATIAL) if way.piloted else reaction_tags(kind)


def prompt_of(kind: AttackKind) -> Prompt:
    return DODGE if kind is AttackKind.RANGED else PARRY


@rule("d6.combat.apply-results", FULL)
async def was_hit(scene: Scene, who: Person) -> None:
    """An attack has hit, and counts at once: whoever reacted fully does not come through it."""
    await alter(FIGHT, IndividualCombat.hitting, who.name, if_present=True)
