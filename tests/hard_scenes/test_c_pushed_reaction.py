"""Year Zero: a reaction declared before the attack is rolled, rolled once it stands, and pushed; pushed banes bite."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from fractions import Fraction
from functools import cache, partial
from itertools import product
from typing import Any, Final, NamedTuple, final

import pytest

from referee.core import (
    YES,
    BadAnswer,
    Levels,
    Mod,
    Mods,
    Open,
    Pool,
    Prompt,
    Refused,
    Scene,
    State,
    SymbolCounts,
    Who,
    alter,
    marked_die,
    offer,
    react,
    roll,
    rule,
    total,
)
from referee.core.plain import Plain
from referee.core.questions import Choice, Choose, Roll
from referee.drivers.exact import Exact
from referee.drivers.policies import always
from referee.drivers.scripted import Played, play
from referee.forecast.tree import StepTree
from referee.testing.conformance import agree

# --- the sheet --------------------------------------------------------------------------------------------------------

STRENGTH: Final = "strength"
AGILITY: Final = "agility"
MELEE: Final = "melee"
MOVE: Final = "move"


@final
@dataclass(frozen=True, slots=True)
class Weapon:
    """What it adds in gear dice, what it does, and whether it is made to parry with."""

    bonus: int
    damage: int = 1
    parrying: bool = True


@final
@dataclass(frozen=True, slots=True)
class Fighter:
    """A throw-away character sheet; attributes as they are now, after damage."""

    attributes: Open[Levels]
    skills: Open[Levels] = field(default_factory=Levels)
    weapon: Open[Weapon] = field(default_factory=lambda: Weapon(0))
    stress: Open[int] = 0
    willpower: Open[int] = 0
    used: Open[int] = 0
    """How many of the round's two actions are used up."""

    def hurt(self, attribute: str, points: int) -> Fighter:
        """At worst the attribute is lowered to nothing; every point that it lost is one of stress."""
        lost = min(points, self.attributes[attribute])
        attributes = self.attributes.but(**{attribute: self.attributes[attribute] - lost})
        return replace(self, attributes=attributes, stress=self.stress + lost)

    def hardened(self, banes: int) -> Fighter:
        return replace(self, willpower=min(10, self.willpower + banes))

    def worn(self, banes: int) -> Fighter:
        return replace(self, weapon=replace(self.weapon, bonus=self.weapon.bonus - banes))

    def acted(self) -> Fighter:
        return replace(self, used=self.used + 1)


# --- a roll and its push ----------------------------------------------------------------------------------------------

PUSH: Final = Prompt("push")
ATTACK: Final = Prompt("attack")
DEFENCE: Final = Prompt("defence")
REACTION: Final = Prompt("reaction")

SIX: Final = "six"
ONE: Final = "one"
BASE: Final = marked_die("base", 6, one=1, six=6)
SKILL: Final = marked_die("skill", 6, six=6)
GEAR: Final = marked_die("gear", 6, one=1, six=6)
NEGATIVE: Final = marked_die("negative", 6, six=6)
KINDS: Final = (BASE, SKILL, GEAR, NEGATIVE)


@final
@dataclass(frozen=True, slots=True)
class Ability:
    """What is rolled: an attribute, a skill, and whether the weapon helps."""

    attribute: str
    skill: str
    armed: bool


FIGHTING: Final = Ability(STRENGTH, MELEE, armed=True)
FOOTWORK: Final = Ability(AGILITY, MOVE, armed=False)


def pool(sheet: Fighter, ability: Ability, mods: Mods) -> Pool:
    """Attribute, skill as modified, gear bonus; skill dice below none are negative ones."""
    level = sheet.skills.get(ability.skill, 0) + total(mods)
    gear = sheet.weapon.bonus if ability.armed else 0
    return Pool.of(
        (BASE, sheet.attributes[ability.attribute]), (SKILL, max(0, level)), (GEAR, gear), (NEGATIVE, max(0, -level))
    )


def successes(thrown: SymbolCounts) -> int:
    """Each six is one; a six on a negative die takes one away."""
    return max(0, thrown.count(SIX) - 2 * thrown.count(SIX, NEGATIVE.name))


def the_rest(thrown: SymbolCounts) -> Pool:
    """The dice a push throws again: all that show neither six nor bane. A one on a skill die means nothing."""
    return Pool.of(*((kind, thrown.others(ONE, SIX, die=kind.name)) for kind in KINDS))


@rule("hard.yz.roll")
async def skill_roll(
    scene: Scene, name: Prompt, who: Who[Fighter], ability: Ability, mods: Mods = (), useful: int | None = None
) -> int:
    """Base, skill and gear dice at once; pushed at most once, and only if more successes would be of use."""
    thrown = await roll(name, who, pool(scene[who], ability, mods), SymbolCounts, mods=mods)
    if await offer(who, PUSH, YES, check=lambda _: check_push(thrown, useful), about=thrown):
        return await push(who, ability, thrown)
    return successes(thrown)


@rule("hard.yz.push", "hard.yz.banes")
async def push(scene: Scene, who: Who[Fighter], ability: Ability, seen: SymbolCounts) -> int:
    """What shows neither six nor bane is thrown again. Then every bane on the table bites, first throw or second."""
    thrown = await roll(PUSH, who, the_rest(seen), SymbolCounts, kept=seen.showing(ONE, SIX))
    await suffer(who, ability.attribute, thrown.count(ONE, BASE.name))
    await alter(who, Fighter.hardened, thrown.count(ONE, BASE.name))
    await alter(who, Fighter.worn, thrown.count(ONE, GEAR.name))
    return successes(thrown)


def check_push(thrown: SymbolCounts, useful: int | None) -> None:
    """There must be a die to throw again, and something to gain by it."""
    if not the_rest(thrown).size:
        raise Refused("push", because="no die is left to throw again", rule="hard.yz.push")
    if useful is not None and successes(thrown) >= useful:
        raise Refused("push", because="more successes would change nothing", rule="hard.yz.push-after-success")


@rule("hard.yz.damage")
async def suffer(scene: Scene, who: Who[Fighter], attribute: str, points: int) -> None:
    """Damage lowers the attribute, and every point of it is a point of stress."""
    await alter(who, Fighter.hurt, attribute, points)


# --- an attack and the reaction to it ---------------------------------------------------------------------------------


class Attack(Enum):
    """Ways to attack in close combat."""

    SLASH = "slash"
    STAB = "stab"
    PUNCH = "punch"
    GRAPPLE_ATTACK = "grapple attack"


class Reaction(Enum):
    """What the target may do about it."""

    PARRY = "parry"
    DODGE = "dodge"


@final
@dataclass(frozen=True, slots=True)
class Defences:
    """Modifiers to a standing dodge and to parries with a parrying or another weapon; None: not allowed."""

    dodge: int | None
    parrying: int | None
    other: int | None


MATRIX: Final = {
    Attack.SLASH: Defences(dodge=0, parrying=0, other=-2),
    Attack.STAB: Defences(dodge=-2, parrying=-2, other=-4),
    Attack.PUNCH: Defences(dodge=-2, parrying=2, other=0),
    Attack.GRAPPLE_ATTACK: Defences(dodge=None, parrying=None, other=None),
}
ACTIONS: Final = 2


@final
@dataclass(frozen=True, slots=True)
class Exchange:
    """Successes of the attack, those a reaction took away, and the damage done."""

    hits: int
    stopped: int
    damage: int


@rule("hard.yz.attack-procedure", "hard.yz.reactive-actions")
async def attack(scene: Scene, attacker: Who[Fighter], target: Who[Fighter], way: Attack) -> Exchange:
    """The target declares a reaction before any die is rolled, and rolls it only once the attack stands."""
    reaction = await react(target, REACTION, Reaction, check=partial(check_reaction, scene[target], way), about=way)
    await use_action(attacker)
    if reaction:
        await use_action(target)
    hits = await skill_roll(ATTACK, attacker, FIGHTING)
    stopped = await defend(target, reaction, way, hits) if hits and reaction else 0
    damage = damage_of(scene[attacker].weapon, hits - stopped)
    await suffer(target, STRENGTH, damage)
    return Exchange(hits, stopped, damage)


@rule("hard.yz.defence")
async def defend(scene: Scene, who: Who[Fighter], reaction: Reaction, way: Attack, hits: int) -> int:
    """Each success takes one of the attack's away; more than that are of no use."""
    mods = defence_mods(scene[who], way, reaction)
    ability = FIGHTING if reaction is Reaction.PARRY else FOOTWORK
    return min(hits, await skill_roll(DEFENCE, who, ability, mods, useful=hits))


def damage_of(weapon: Weapon, hits: int) -> int:
    """The weapon's, and one for each success beyond the first."""
    return weapon.damage + hits - 1 if hits else 0


def check_reaction(sheet: Fighter, way: Attack, reaction: Reaction) -> None:
    if modifier(sheet.weapon, way, reaction) is None:
        raise Refused(reaction.value, because=f"nothing is done against a {way.value}", rule="hard.yz.defence-matrix")
    if reaction is Reaction.PARRY and not sheet.weapon.bonus:
        raise Refused("parry", because="the weapon is broken", rule="hard.yz.wear-gear-bonus")


def modifier(weapon: Weapon, way: Attack, reaction: Reaction) -> int | None:
    row = MATRIX[way]
    if reaction is Reaction.DODGE:
        return row.dodge
    return row.parrying if weapon.parrying else row.other


def defence_mods(sheet: Fighter, way: Attack, reaction: Reaction) -> Mods:
    """What the attack makes of the reaction; one less for an action beyond the round's two."""
    found = (
        Mod(modifier(sheet.weapon, way, reaction) or 0, f"against a {way.value}", "hard.yz.defence-matrix"),
        Mod(-1 if sheet.used > ACTIONS else 0, "both actions used", "hard.yz.reactive-actions"),
    )
    return tuple(mod for mod in found if mod.amount)


@rule("hard.yz.action-allowance")
async def use_action(scene: Scene, who: Who[Fighter]) -> None:
    """An attack or a reaction is one of the round's actions, needed in the end or not."""
    await alter(who, Fighter.acted)


# --- scripted ---------------------------------------------------------------------------------------------------------

ANA: Final = Who("ana", Fighter)
BEA: Final = Who("bea", Fighter)
SLASH: Final = attack(ANA, BEA, Attack.SLASH)

ana: Final = Fighter(Levels({STRENGTH: 3, AGILITY: 2}), Levels({MELEE: 2}), Weapon(2, damage=2))
bea: Final = Fighter(Levels({STRENGTH: 3, AGILITY: 2}), Levels({MELEE: 1, MOVE: 1}), Weapon(1))


def at_blows(attacker: Fighter = ana, target: Fighter = bea) -> State:
    return State({"ana": attacker, "bea": target})


def slashed(answers: Mapping[str, Plain], target: Fighter = bea, way: Attack = Attack.SLASH) -> Played[Exchange]:
    return play(attack(ANA, BEA, way), at_blows(target=target), answers)


def asked(step: Played[Any]) -> list[str]:
    return [f"{question.who}.{question.name}" for question in step.asked]


def test_the_reaction_is_declared_before_the_attack_and_rolled_after_it_stands() -> None:
    answers = {"reaction": "parry", "attack": "2 3 4 5 6 2 2", "ana.push": "no", "defence": "6 2 3 4 5"}
    step = slashed(answers)
    assert asked(step) == ["bea.reaction", "ana.attack", "ana.push", "bea.defence"]
    assert step.result == Exchange(hits=1, stopped=1, damage=0)


def test_each_success_of_the_parry_takes_one_of_the_attack() -> None:
    # two sixes remain of three: the weapon's 2, and 1 for the second of them
    step = slashed({"reaction": "parry", "attack": "6 6 6 2 2 2 2", "push": "no no", "defence": "6 1 3 4 5"})
    assert step.result == Exchange(hits=3, stopped=1, damage=3)
    assert Scene(step.state)[BEA] == replace(bea, attributes=Levels({STRENGTH: 0, AGILITY: 2}), stress=3, used=1)


def test_excess_successes_of_a_parry_do_nothing() -> None:
    step = slashed({"reaction": "parry", "attack": "6 2 2 2 2 2 2", "ana.push": "no", "defence": "6 6 6 4 5"})
    assert step.result == Exchange(hits=1, stopped=1, damage=0)


def test_banes_do_nothing_on_a_roll_that_is_not_pushed() -> None:
    step = slashed({"reaction": "no", "attack": "1 1 1 1 1 1 1", "push": "no"})
    assert Scene(step.state)[ANA] == replace(ana, used=1)


def test_a_push_keeps_ones_and_sixes_but_of_skill_dice_the_sixes_only() -> None:
    # base 1 6 3, skill 1 6, gear 1 6: again go the three and the skill die's one
    step = slashed({"reaction": "no", "attack": "1 6 3 1 6 1 6", "push": "yes 2 2"})
    again = next(q for q in step.asked if isinstance(q, Roll) and q.name == PUSH)
    assert again.pool == Pool.of((BASE, 1), (SKILL, 1), (GEAR, 0), (NEGATIVE, 0))
    assert step.result.hits == 3


def test_pushed_banes_of_both_throws_bite_the_attribute_used_and_the_gear() -> None:
    # base 1 3 3 then 1 2, skill 1 then 1, gear 1 4 then 1: two points of strength, both of the weapon's bonus
    step = slashed({"reaction": "no", "attack": "1 3 3 1 6 1 4", "push": "yes 1 2 1 1"})
    assert Scene(step.state)[ANA] == Fighter(
        Levels({STRENGTH: 1, AGILITY: 2}), ana.skills, Weapon(0, damage=2), stress=2, willpower=2, used=1
    )
    assert step.result == Exchange(hits=1, stopped=0, damage=2)


def test_a_pushed_dodge_hurts_agility_and_spares_the_weapon() -> None:
    answers = {"reaction": "dodge", "attack": "6 2 2 2 2 2 2", "ana.push": "no", "defence": "1 3 4"}
    step = slashed({**answers, "bea.push": "yes 1 6"})
    assert step.result == Exchange(hits=1, stopped=1, damage=0)
    assert Scene(step.state)[BEA] == replace(
        bea, attributes=Levels({STRENGTH: 3, AGILITY: 0}), stress=2, willpower=2, used=1
    )


def test_both_may_push_in_one_exchange() -> None:
    answers = {
        "reaction": "parry",
        "attack": "2 2 2 2 2 2 2",
        "ana.push": "yes 6 6 1 2 2 2 2",
        "defence": "6 2 2 2 2",
        "bea.push": "yes 6 1 2 2",
    }
    step = slashed(answers)
    assert asked(step) == ["bea.reaction", "ana.attack", "ana.push", "ana.push", "bea.defence", "bea.push", "bea.push"]
    assert step.result == Exchange(hits=2, stopped=2, damage=0)
    assert (Scene(step.state)[ANA].stress, Scene(step.state)[BEA].stress) == (1, 1)


def test_a_parry_that_stopped_everything_cannot_be_pushed() -> None:
    step = slashed({"reaction": "parry", "attack": "6 2 2 2 2 2 2", "ana.push": "no", "defence": "6 2 2 2 2"})
    assert "bea.push" not in asked(step)


def test_a_roll_without_a_die_to_throw_again_cannot_be_pushed() -> None:
    step = slashed({"reaction": "no", "attack": "1 1 1 6 6 1 1"})
    assert asked(step) == ["bea.reaction", "ana.attack"]


def test_a_reaction_to_an_attack_that_misses_is_spent_and_not_rolled() -> None:
    step = slashed({"reaction": "parry", "attack": "2 2 2 2 2 2 2", "ana.push": "no"})
    assert Scene(step.state)[BEA].used == 1


def test_a_reaction_beyond_two_actions_costs_a_die() -> None:
    answers = {"reaction": "parry", "attack": "6 2 2 2 2 2 2", "ana.push": "no", "defence": "6 2 2 2"}
    step = slashed(answers, replace(bea, used=2))
    assert [mod.amount for q in step.asked if isinstance(q, Roll) for mod in q.mods] == [-1]


def test_skill_dice_below_none_are_negative_and_take_successes_away() -> None:
    # a stab parried with no parrying weapon: 1 - 4 = three negative dice, one of which shows a six
    unfit = replace(bea, weapon=Weapon(1, parrying=False))
    answers = {"reaction": "parry", "attack": "6 6 2 2 2 2 2", "push": "no no", "defence": "6 6 2 2 6 1 1"}
    assert slashed(answers, unfit, Attack.STAB).result == Exchange(hits=2, stopped=1, damage=2)


def test_a_push_throws_negative_dice_again_unless_they_show_a_six() -> None:
    unfit = replace(bea, weapon=Weapon(1, parrying=False))
    answers = {"reaction": "parry", "attack": "6 2 2 2 2 2 2", "ana.push": "no", "defence": "6 1 1 1 6 1 1"}
    step = slashed({**answers, "bea.push": "yes 6 2"}, unfit, Attack.STAB)
    again = [q.pool for q in step.asked if isinstance(q, Roll)][-1]
    assert again == Pool.of((BASE, 0), (SKILL, 0), (GEAR, 0), (NEGATIVE, 2))
    assert step.result == Exchange(hits=1, stopped=0, damage=2)


def test_a_broken_weapon_does_not_parry() -> None:
    with pytest.raises(BadAnswer, match=r"the weapon is broken \(hard.yz.wear-gear-bonus\); legal: dodge, no"):
        slashed({"reaction": "parry"}, replace(bea, weapon=Weapon(0)))


def test_who_may_do_nothing_is_not_asked() -> None:
    answers = {"attack": "2 2 2 2 2 2 2", "push": "no"}
    assert asked(slashed(answers, way=Attack.GRAPPLE_ATTACK)) == ["ana.attack", "ana.push"]
    with pytest.raises(BadAnswer, match=r"nothing is done against a grapple attack \(hard.yz.defence-matrix\)"):
        slashed({**answers, "reaction": "parry"}, way=Attack.GRAPPLE_ATTACK)


# --- exact ------------------------------------------------------------------------------------------------------------

WILLING: Final = always(reaction="parry", push="yes")


def eager(question: Choice[Any], scene: Scene) -> Any:
    """The defender parries, and pushes whatever does not stop the attack; the attacker pushes what has no success."""
    if isinstance(question, Choose) and question.name == PUSH and question.who == ANA and successes(question.about):
        return None
    return WILLING(question, scene)


Dice = tuple[int, int, int, int]
"""So many base, skill, gear and negative dice."""


class Rolled(NamedTuple):
    """Successes, and the banes that bite."""

    hits: int
    hurt: int = 0
    worn: int = 0


@cache
def brute_roll(dice: Dice, pushed_below: int) -> dict[Rolled, Fraction]:
    """Every pip of every die, and again after a push where fewer successes than this show."""
    kinds = [kind for kind, count in enumerate(dice) for _ in range(count)]
    found: Counter[Rolled] = Counter()
    for first in product(range(1, 7), repeat=len(kinds)):
        for last, ways in brute_push(kinds, first, pushed_below):
            found[last] += ways
    return {rolled: Fraction(ways, 36 ** len(kinds)) for rolled, ways in found.items()}


def brute_push(kinds: list[int], first: tuple[int, ...], pushed_below: int) -> Iterator[tuple[Rolled, int]]:
    """What comes of a throw, in ways out of as many as a second throw of all its dice has."""
    base, _, gear, negative = range(4)

    def hits(pips: tuple[int, ...]) -> int:
        return max(0, sum(-1 if kind == negative else 1 for kind, pip in zip(kinds, pips, strict=True) if pip == 6))

    def ones(pips: tuple[int, ...], of: int) -> int:
        return sum(pip == 1 and kind == of for kind, pip in zip(kinds, pips, strict=True))

    stays = [pip == 6 or (pip == 1 and kind in (base, gear)) for kind, pip in zip(kinds, first, strict=True)]
    if hits(first) >= pushed_below or all(stays):
        yield Rolled(hits(first)), 6 ** len(kinds)
        return
    for last in product(*((pip,) if stay else range(1, 7) for pip, stay in zip(first, stays, strict=True))):
        yield Rolled(hits(last), ones(last, base), ones(last, gear)), 6 ** sum(stays)


def fighter(dice: Dice) -> Fighter:
    """Somebody who fights with just these dice; negative ones come of a skill that is worse than none."""
    base, skill, gear, negative = dice
    return Fighter(Levels({STRENGTH: base, AGILITY: 1}), Levels({MELEE: skill - negative}), Weapon(gear))


End = tuple[Exchange, Fighter, Fighter]
"""What an exchange came to, and both sheets after it."""


def brute_exchange(attack_dice: Dice, parry_dice: Dice) -> dict[End, Fraction]:
    """An attack for one point of damage, parried, from the pips of both rolls."""
    found: defaultdict[End, Fraction] = defaultdict(Fraction)
    for a, p in brute_roll(attack_dice, pushed_below=1).items():
        parries = brute_roll(parry_dice, pushed_below=a.hits) if a.hits else {Rolled(0): Fraction(1)}
        for d, q in parries.items():
            damage = max(0, a.hits - d.hits)
            lost = min(damage, parry_dice[0] - d.hurt)
            after_a = worn_down(fighter(attack_dice), a.hurt, a.worn)
            after_d = worn_down(fighter(parry_dice), d.hurt, d.worn, lost)
            found[Exchange(a.hits, min(a.hits, d.hits), damage), after_a, after_d] += p * q
    return dict(found)


def worn_down(sheet: Fighter, hurt: int, worn: int, lost: int = 0) -> Fighter:
    return replace(
        sheet,
        attributes=Levels({STRENGTH: sheet.attributes[STRENGTH] - hurt - lost, AGILITY: 1}),
        weapon=Weapon(sheet.weapon.bonus - worn),
        stress=hurt + lost,
        willpower=hurt,
        used=1,
    )


@pytest.mark.sweep(1)
@pytest.mark.parametrize(
    ("attack_dice", "parry_dice"),
    [((1, 1, 1, 0), (1, 1, 1, 0)), ((2, 0, 0, 0), (1, 0, 1, 1)), ((1, 2, 0, 0), (2, 0, 1, 0))],
)
def test_the_odds_of_an_exchange_are_those_of_its_pips(attack_dice: Dice, parry_dice: Dice) -> None:
    odds = agree(SLASH, at_blows(fighter(attack_dice), fighter(parry_dice)), eager)
    found = odds.by_end(lambda result, scene: (result, scene[ANA], scene[BEA]))
    assert found == brute_exchange(attack_dice, parry_dice)


def test_the_chance_of_a_pushed_attack_has_a_closed_form() -> None:
    """A base or gear die fails with 13 in 18, a skill die with 25 in 36: its ones are thrown again."""
    odds = agree(attack(ANA, BEA, Attack.GRAPPLE_ATTACK), at_blows(fighter((2, 1, 1, 0))), eager)
    assert odds.chance(lambda result: result.hits > 0) == 1 - Fraction(13, 18) ** 3 * Fraction(25, 36)


def test_a_realistic_exchange_is_worked_out_exactly() -> None:
    odds = Exact(eager).of(SLASH, at_blows(fighter((3, 2, 2, 0)), fighter((3, 1, 1, 0))))
    assert sum(odds.of.values()) == 1
    assert odds.chance(lambda result: result.hits == 0) == Fraction(13, 18) ** 5 * Fraction(25, 36) ** 2


def test_a_reaction_is_weighed_by_what_comes_of_it() -> None:
    """Who only fears damage pushes whenever it is legal."""
    state = at_blows(fighter((2, 1, 0, 0)), fighter((2, 1, 1, 0)))
    tree = StepTree(SLASH, state, {"bea"})
    (first, *_) = tree.weighed(1, lambda result, _: (Fraction(-result.damage),)).points()
    for reaction, (worth,) in first.options:
        odds = Exact(always(reaction=reaction, **{"bea.push": "yes"})).of(SLASH, state)
        assert worth == odds.mean(lambda result: -result.damage)
    assert first.best == (Reaction.PARRY,)
