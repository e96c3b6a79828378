"""Attacks in a skirmish: a unit strikes or shoots as one, and each member may react."""

from __future__ import annotations

from typing import Annotated, Final, TypeAlias

from referee.core import (
    Bands,
    Call,
    Mods,
    Pick,
    Prompt,
    Scene,
    Who,
    action,
    action_of,
    alter,
    choose,
    formula,
    frozen,
    hand_over,
    legal_choices,
    react,
    refuse,
    rule,
    settled,
)
from referee.core.branches import LEFT_OUT
from referee.core.composed import KernelCalls, WeightedEnds
from referee.core.effects import moment
from referee.core.requests import YES
from referee.core.rules import Decide, Ends, kernel
from referee.kits.dice_codes import Code, Rolled
from referee.systems.d6.combat.round import AttackKind
from referee.systems.d6.combat.skirmish import (
    DECLARED,
    DODGE,
    SKIRMISH,
    UNIT,
    WOUNDS,
    SkirmishPhase,
    UnitSkirmish,
    check_leader,
    check_phase,
    check_planned_skill,
)
from referee.systems.d6.combat.units import (
    COMMANDED,
    RESOLVED,
    attack_skill,
    average_damage,
    split_bonus,
    unit_average,
)
from referee.systems.d6.damage import harm_done, inflict
from referee.systems.d6.resolution import check_able, multiple_actions
from referee.systems.d6.rolls import (
    ACTION,
    ANY_ROLL,
    LEGS,
    SPATIAL,
    Spend,
    roll_code,
    roll_for,
)
from referee.systems.d6.sheet import Hero, Person

UNIT_TURN: Final = Prompt("unit-action")
UNIT_DODGE: Final = Prompt("unit-dodge")
UNIT_ATTACK: Final = Prompt("unit-attack")
MEMBER_DODGE: Final = Prompt("dodge")
MEMBER_PARRY: Final = Prompt("parry")

# --- attacks ----------------------------------------------------------------------------------------------------------


@frozen
class UnitHit:
    """What an attack of a unit came to."""

    hit: bool
    reaction: str = ""
    """How the target reacted; without a word, not at all."""
    damage: Code = Code()
    result: str = "none"


UNIT_HIT: Final[Bands[UnitHit]] = Bands(
    of=lambda found: "hit" if found.hit else "miss",
    keys=("hit", "miss"),
    extra={
        "wounded": lambda found: found.result == "Wounded",
        "neutralized": lambda found: found.result == "Neutralized",
        "mortally-wounded": lambda found: found.result == "Mortally wounded",
        "dead": lambda found: found.result == "Dead",
    },
    good=("hit",),
)


def check_unit_turn(scene: Scene, who: Person) -> None:
    """At the leader's rank, with a declared action left that is not kept for reactions."""
    check_leader(scene, who)
    check_phase(scene, SkirmishPhase.RESOLVE, RESOLVED)
    fight = scene[SKIRMISH]
    if not fight.left.get(who.name, 0):
        refuse("the unit has no action left", rule=RESOLVED)
    if not fight.acts(scene, who.name):
        refuse(f"it is the turn of {' and '.join(fight.group(scene))}", rule=RESOLVED, legal=fight.group(scene))
    if not fight.at_work(scene, fight.unit_of(who.name)):
        refuse("nobody of the unit is coordinated", rule=COMMANDED)


@frozen
class UnitAction:
    """The price of what a unit does: one of its declared actions."""

    def check(self, scene: Scene, who: Person) -> None:
        """Turns are checked before."""

    def pay(self, who: Person) -> Call[None]:
        return take_unit_action(who)

    def end(self, who: Person) -> Call[None]:
        return moment("action end", who)


@rule("d6.skirmish.resolve-actions/take", RESOLVED)
async def take_unit_action(scene: Scene, who: Person) -> None:
    """One of the unit's actions is used."""
    await alter(SKIRMISH, UnitSkirmish.acting, who.name)


def enemies(scene: Scene, who: Person) -> tuple[Person, ...]:
    """Those of the other side who are not in cover; if all are, everyone of it."""
    fight = scene[SKIRMISH]
    foes = [unit for unit in fight.units if unit.leader not in fight.side_of(who.name)]
    seen = [name for unit in foes for name in (unit.coordinated or unit.members)]
    return tuple(Who(name, Hero) for name in seen if fight.is_able(scene, name))


def check_enemy(scene: Scene, who: Person, target: Person) -> None:
    fight = scene[SKIRMISH]
    if target.name in fight.side_of(who.name) or target.name not in fight.fighters:
        refuse(f"{target} is no enemy", rule=UNIT)


def bonus_shares(scene: Scene, who: Person) -> tuple[int, ...]:
    return tuple(range(scene[SKIRMISH].unit_of(who.name).bonus, -1, -1))


def check_bonus_share(scene: Scene, who: Person, attack_bonus: int) -> None:
    """No more than the Command bonus; what is left of it goes to the damage."""
    most = scene[SKIRMISH].unit_of(who.name).bonus
    if not 0 <= attack_bonus <= most:
        refuse(f"the Command bonus is {most}D", rule=RESOLVED, legal=map(str, range(most + 1)))


UnitTarget: TypeAlias = Annotated[Person, Pick(enemies, check_enemy)]
BonusShare: TypeAlias = Annotated[int, Pick(bonus_shares, check_bonus_share)]


@action(
    "unit-attack",
    RESOLVED,
    WOUNDS,
    bands=UNIT_HIT,
    turn=check_unit_turn,
    price=UnitAction(),
    check=check_planned_skill,
)
async def unit_attack(
    scene: Scene,
    who: Person,
    target: UnitTarget,
    attack_bonus: BonusShare = 0,
    difficulty: int | None = None,
    kind: AttackKind = AttackKind.RANGED,
    using: str = "",
    damage: Code | None = None,
    mods: Mods = (),
) -> UnitHit:
    """Attack with the average code of the coordinated members; the Command bonus is shared by attack and damage."""
    fight = scene[SKIRMISH]
    unit = fight.unit_of(who.name)
    people = fight.at_work(scene, unit)
    average = unit_average(scene, unit, people, using)
    dealt = average_damage(scene, people) if damage is None else damage
    to_attack, to_damage = split_bonus(scene, unit.bonus, attack_bonus)
    attack = (*mods, *multiple_actions(scene, unit.actions), *to_attack)
    needed = fight.difficulty if difficulty is None else difficulty
    return await hand_over(unit_blow(who, target, average.code, attack, kind, needed, dealt, to_damage))


@rule("d6.skirmish.resolve-actions/blow", RESOLVED)
async def unit_blow(
    scene: Scene,
    who: Person,
    target: Person,
    average: Code,
    attack: Mods,
    kind: AttackKind,
    difficulty: int,
    damage: Code,
    more_damage: Mods,
) -> UnitHit:
    """The target may react; then the unit's roll, and damage to the one who is hit."""
    reaction = await answer(target, kind)
    if not await strike(who, average, attack, target, reaction, difficulty):
        return UnitHit(False, reaction, damage)
    result = await harm_done(target, damage, more_damage)
    return await settled(UnitHit(True, reaction, damage, result), then=wound_member(target, result))


@rule("d6.skirmish.resolve-actions/strike", RESOLVED)
async def strike(
    scene: Scene, who: Person, average: Code, mods: Mods, target: Person, reaction: str, difficulty: int
) -> bool:
    """Whether an attack hits: the difficulty, or what the target rolls in its place, is reached."""
    needed = (await reaction_roll(scene, target, reaction)).total if reaction else difficulty
    return (await attack_roll(who, average, mods)).total >= needed


def attack_roll(who: Person, average: Code, mods: Mods) -> Call[Rolled]:
    """The one roll of a unit; nobody's points better what is everybody's."""
    return roll_code(who, average, "average", mods, Spend.NOTHING, prompt=UNIT_ATTACK)


def reaction_roll(scene: Scene, target: Person, reaction: str) -> Call[Rolled]:
    """A member reacts alone, without the Command bonus, and suffers for the unit's several actions."""
    several = multiple_actions(scene, scene[SKIRMISH].unit_of(target.name).actions)
    dodges = reaction == AttackKind.RANGED.reaction
    using = DODGE if dodges else attack_skill(scene, target)
    prompt = MEMBER_DODGE if dodges else MEMBER_PARRY
    return roll_for(target, using, several, (ACTION, ANY_ROLL, "reaction", reaction, LEGS, SPATIAL), prompt=prompt)


@kernel(strike)
def struck(
    scene: Scene,
    decide: Decide,
    who: Person,
    average: Code,
    mods: Mods,
    target: Person,
    reaction: str,
    difficulty: int,
) -> Ends[bool]:
    """Whether it hits, by every pair of totals."""
    calls, found, attack = KernelCalls.of(decide), WeightedEnds[bool](), attack_roll(who, average, mods)
    if not reaction:
        for mine, changes, ways, whole in calls.ends(attack, scene):
            lost = mine is LEFT_OUT
            found.add(LEFT_OUT if lost else mine.total >= difficulty, changes, ways, whole)
        return found.ends()
    for changes, whole, both in calls.pairs(reaction_roll(scene, target, reaction), attack, scene):
        for (theirs, mine), ways in both:
            lost = mine is LEFT_OUT or theirs is LEFT_OUT
            found.add(LEFT_OUT if lost else mine.total >= theirs.total, changes, ways, whole)
    return found.ends()


@rule("d6.skirmish.damage/member", WOUNDS)
async def wound_member(scene: Scene, target: Person, result: str) -> None:
    """Damage is a member's own."""
    await inflict(target, result)


# --- reactions --------------------------------------------------------------------------------------------------------


@formula("d6.skirmish.resolve-actions/check", RESOLVED, DECLARED)
def check_answer(scene: Scene, target: Person) -> None:
    """Coordinated, with reactions planned; one action of the unit lets each member react once."""
    unit = scene[SKIRMISH].unit_of(target.name)
    check_able(scene, target)
    if target.name not in unit.coordinated:
        refuse(f"{target} is not coordinated", rule=COMMANDED)
    if unit.reacting and target.name not in unit.reacted:
        return
    if not unit.reactions:
        refuse("no reaction was planned, or none is left", rule=DECLARED)


@rule("d6.skirmish.resolve-actions/answer", RESOLVED, UNIT)
async def answer(scene: Scene, target: Person, kind: AttackKind) -> str:
    """Whether the target reacts: the leader spends an action for it, or has done so before."""
    unit = scene[SKIRMISH].unit_of(target.name)
    leader = Who(unit.leader, Hero)
    if not await react(leader, UNIT_DODGE, YES, check=lambda _: check_answer(scene, target)):
        return ""
    if not unit.reacting or target.name in unit.reacted:
        await alter(SKIRMISH, UnitSkirmish.opening_reactions, unit.leader)
    await alter(SKIRMISH, UnitSkirmish.member_reacting, target.name)
    return kind.reaction


# --- turns and rounds -------------------------------------------------------------------------------------------------


@action("unit-waits", "d6.skirmish.resolve-actions/wait", RESOLVED, turn=check_unit_turn, price=UnitAction())
async def unit_waits(scene: Scene, who: Person) -> None:
    """The unit lets an action go by."""


@rule("d6.skirmish.resolve-actions/turn", RESOLVED)
async def unit_turn(scene: Scene, who: Person) -> None:
    """At the leader's rank the unit takes one of its actions; without anybody left to take it, it is gone."""
    fight = scene[SKIRMISH]
    if not fight.at_work(scene, fight.unit_of(who.name)):
        await take_unit_action(who)
        return
    chosen = await choose(who, UNIT_TURN, legal_choices((action_of(unit_attack), action_of(unit_waits)), scene, who))
    await chosen.call
