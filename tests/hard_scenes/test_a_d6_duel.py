"""D6: declared actions, a parry added on the fly, wound ladders as data, points bought against a hidden difficulty."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from fractions import Fraction
from functools import partial
from itertools import product
from random import Random
from typing import Any, Final, final

import pytest

from referee.core import (
    D6,
    YES,
    Audience,
    BadAnswer,
    BadInput,
    Call,
    Die,
    Encounter,
    Mod,
    Mods,
    Open,
    Own,
    Pool,
    Prompt,
    Reading,
    Refused,
    Scene,
    State,
    Total,
    Who,
    alter,
    choose,
    offer,
    react,
    roll,
    rule,
    rule_on,
    tally,
    tell,
    total,
)
from referee.core.dice import Pips
from referee.core.errors import TooLarge
from referee.core.plain import Plain
from referee.core.questions import Choice, Choose, Question, Roll, Ruling
from referee.drivers.chain import ends_of
from referee.drivers.exact import Exact
from referee.drivers.policies import always
from referee.drivers.sampled import Sampled
from referee.drivers.scripted import play, play_out
from referee.testing.conformance import agree

# --- dice codes and the wild die --------------------------------------------------------------------------------------

ATTACK: Final = Prompt("attack")
PARRY: Final = Prompt("parry")
DAMAGE: Final = Prompt("damage")
STRENGTH: Final = Prompt("strength")
TASK: Final = Prompt("task")
AGAIN: Final = Prompt("again")
EXTRA: Final = Prompt("extra")
POINT: Final = Prompt("point")
WILD_ONE: Final = Prompt("wild-one")
WILD_SIX: Final = Prompt("wild-six")
DIFFICULTY: Final = Prompt("difficulty")
ACTIONS: Final = Prompt("actions")
TARGET: Final = Prompt("target")
REACTION: Final = Prompt("reaction")

WILD_DIE: Final = Die("wild", D6.faces)
MOST_POINTS: Final = 3


class WildOne(Enum):
    """What a one on the wild die does."""

    DISCARD = "discard"
    COMPLICATION = "complication"
    IGNORE = "ignore"


class WildSix(Enum):
    """What a six on the wild die does."""

    AGAIN = "again"
    FORTUNE = "fortune"


@final
@dataclass(frozen=True, slots=True)
class House:
    """What the game master picks for wild dice unless he says otherwise."""

    wild_one: Open[WildOne] = WildOne.IGNORE
    wild_six: Open[WildSix] = WildSix.FORTUNE


HOUSE: Final = Who("house", House)


@final
@dataclass(frozen=True, slots=True)
class Code:
    """So many dice and so many pips: 3d+2."""

    dice: int
    pips: int = 0

    def modified(self, mods: Mods) -> Code:
        """A modified code is rolled as it is; its pips are never made into dice."""
        return replace(self, dice=self.dice + total(mods))


@final
@dataclass(frozen=True, slots=True)
class WildSum(Reading):
    """The sum of all dice, the best of the plain ones, and what the wild die shows."""

    total: int
    best: int
    wild: int

    @classmethod
    def of(cls, pool: Pool, pips: Pips) -> WildSum:
        plain, (wild,) = pips
        return cls(sum(plain) + wild, max(plain, default=0), wild)

    def joined(self, kept: WildSum) -> WildSum:
        raise BadInput("", "no die is ever kept")

    @classmethod
    def alone(cls, pool: Pool, plain: Plain) -> WildSum:
        """A total the game master names has nothing wild about it."""
        return cls(Total.alone(pool, plain).total, 0, 0)

    def to_plain(self) -> Plain:
        return {"total": self.total}


@rule("hard.d6.wild-die")
async def throw(scene: Scene, name: Prompt, who: Who[Fighter], code: Code, mods: Mods = ()) -> int:
    """Sum dice and pips. One die is wild: its six may be thrown again, its one may take the best die with it."""
    dice, pips = code.modified(mods).dice, code.pips
    if dice <= 0:
        return max(0, 3 * dice + pips)
    thrown = await roll(name, who, Pool.of((D6, dice - 1), (WILD_DIE, 1)), WildSum, mods=mods)
    score = thrown.total + pips
    if thrown.wild == 6:
        match await rule_on(WILD_SIX, scene[HOUSE].wild_six, options=WildSix):
            case WildSix.AGAIN:
                return score + await while_six(AGAIN, who)
            case WildSix.FORTUNE:
                await tell("good-fortune", who=who)
    elif thrown.wild == 1:
        match await rule_on(WILD_ONE, scene[HOUSE].wild_one, options=WildOne):
            case WildOne.DISCARD:
                return score - 1 - thrown.best
            case WildOne.COMPLICATION:
                await tell("complication", who=who)
            case WildOne.IGNORE:
                pass
    return score


@rule("hard.d6.re-roll-and-add")
async def while_six(scene: Scene, name: Prompt, who: Who[Fighter]) -> int:
    """One die, thrown again and added while it shows a six; a one on it is only a one."""
    score = 0
    while True:
        shown = (await roll(name, who, Pool.of((D6, 1)), Total)).total
        score += shown
        if shown != 6:
            return score


# --- character points -------------------------------------------------------------------------------------------------


@rule("hard.d6.character-points")
async def total_of(scene: Scene, name: Prompt, who: Who[Fighter], code: Code, mods: Mods = ()) -> int:
    """Roll, then buy extra dice one at a time, each seen before the next is decided on."""
    score = await throw(name, who, code, mods)
    bought = 0
    while await offer_point(scene, who, score, bought):
        await alter(who, Fighter.spent)
        score += await while_six(EXTRA, who)
        bought += 1
    return score


def offer_point(scene: Scene, who: Who[Fighter], score: int, bought: int) -> Choose[bool | None]:
    return offer(who, POINT, YES, check=lambda _: check_point(scene[who], bought), about=score)


def check_point(sheet: Fighter, bought: int) -> None:
    """At most three on a roll, and only while there are any."""
    if not sheet.points:
        raise Refused("point", because="none is left", rule="hard.d6.character-points")
    if bought >= MOST_POINTS:
        raise Refused("point", because="at most 3 on a roll", rule="hard.d6.character-points")


@final
@dataclass(frozen=True, slots=True)
class Task:
    """What everyone hears of a task: the total that was announced, and whether it was enough."""

    score: int
    success: bool


@rule("hard.d6.hidden-difficulty")
async def hidden_task(scene: Scene, who: Who[Fighter], code: Code) -> Task:
    """The game master keeps the difficulty; whoever rolls buys without knowing whether it was reached."""
    difficulty = await rule_on(DIFFICULTY, 15, low=1, high=60, audience=Audience.MASTER)
    score = await total_of(TASK, who, code)
    return Task(score, score >= difficulty)


# --- wounds -----------------------------------------------------------------------------------------------------------

HEALTHY: Final = "Healthy"
STUNNED: Final = "Stunned"
WOUNDED: Final = "Wounded"
NEUTRALIZED: Final = "Neutralized"
MORTAL: Final = "Mortally wounded"
DEAD: Final = "Dead"

AVERAGE: Final = (HEALTHY, WOUNDED, "Wounded twice", NEUTRALIZED, MORTAL, DEAD)
TINY: Final = (HEALTHY, NEUTRALIZED, MORTAL, DEAD)
SMALL: Final = (HEALTHY, WOUNDED, NEUTRALIZED, MORTAL, DEAD)
BIG: Final = (HEALTHY, WOUNDED, "Wounded twice", "Wounded thrice", NEUTRALIZED, MORTAL, DEAD)

ON_ONES_FEET: Final = {HEALTHY: 0, WOUNDED: 1, "Wounded twice": 2, "Wounded thrice": 2}
"""The levels that leave somebody standing, and what they cost in dice."""

DAMAGE_TABLE: Final = ((21, DEAD), (16, MORTAL), (11, NEUTRALIZED), (6, WOUNDED), (0, STUNNED))
"""From which difference of damage and strength on one receives what."""


@final
@dataclass(frozen=True, slots=True)
class Fighter:
    """A throw-away character sheet, and how far its round has got."""

    side: Open[str]
    melee: Own[Code]
    strength: Own[Code]
    damage: Own[Code]
    stamina: Own[int] = 3
    difficulty: Open[int] = 10
    points: Own[int] = 0
    ladder: Open[tuple[str, ...]] = AVERAGE
    level: Open[str] = HEALTHY
    stuns: Open[int] = 0
    fresh_stuns: Open[int] = 0
    knocked_out: Open[bool] = False
    actions: Open[int | None] = None
    """So many were declared, or added, this round."""
    left: Open[int] = 0
    taken: Open[int] = 0

    @property
    def health_penalty(self) -> int:
        return ON_ONES_FEET.get(self.level, 0) + self.stuns + self.fresh_stuns

    @property
    def stands(self) -> bool:
        return self.level in ON_ONES_FEET and not self.knocked_out

    @property
    def penalties(self) -> Mods:
        """A die for each action beyond the first, and what health costs."""
        actions = self.actions or 0
        found = (
            Mod(-max(0, actions - 1), f"{actions} actions", "hard.d6.multiple-actions"),
            Mod(-self.health_penalty, "health", "hard.d6.wound-levels"),
        )
        return tuple(mod for mod in found if mod.amount)

    def spent(self) -> Fighter:
        return replace(self, points=self.points - 1)

    def hurt(self, new: str) -> Fighter:
        """Stuns are counted apart from the ladder; as many dice of penalty as stamina has knock out."""
        if new == STUNNED:
            after = replace(self, fresh_stuns=self.fresh_stuns + 1)
        else:
            after = replace(self, level=worsened(self.ladder, self.level, new))
        return replace(after, knocked_out=after.knocked_out or after.health_penalty >= after.stamina)

    def declared(self, number: int) -> Fighter:
        return replace(self, actions=number, left=number, taken=0)

    def acted(self) -> Fighter:
        return replace(self, left=self.left - 1, taken=self.taken + 1)

    def parried(self, how: Parry) -> Fighter:
        """A declared action is used up, or one more is added."""
        if how is Parry.DECLARED:
            return replace(self, left=self.left - 1)
        return replace(self, actions=(self.actions or 0) + 1)

    def rested(self) -> Fighter:
        """One stun of an earlier round wears off; those of this round are earlier ones from now on."""
        stuns = max(0, self.stuns - 1) + self.fresh_stuns
        return replace(self, stuns=stuns, fresh_stuns=0, actions=None, left=0, taken=0)


def received(difference: int) -> str | None:
    """The row of the damage table; below zero nothing happens."""
    return next((level for least, level in DAMAGE_TABLE if difference >= least), None)


def worsened(ladder: tuple[str, ...], level: str, new: str) -> str:
    """A worse wound replaces the level; any other is a step more, but a mere Wounded adds nothing to a mortal one."""
    if new not in ladder:  # the tiny have no Wounded: it means the next level they have
        new = ladder[1]
    at = ladder.index(level)
    if ladder.index(new) > at:
        return new
    return level if (level, new) == (MORTAL, WOUNDED) else ladder[min(at + 1, len(ladder) - 1)]


@rule("hard.d6.damage")
async def wound(scene: Scene, attacker: Who[Fighter], target: Who[Fighter]) -> str | None:
    """Damage against strength, neither lessened by penalties; a tie wounds."""
    dealt = await total_of(DAMAGE, attacker, scene[attacker].damage)
    resisted = await total_of(STRENGTH, target, scene[target].strength)
    new = received(dealt - resisted)
    if new is not None:
        await alter(target, Fighter.hurt, new)
    return new


# --- the fight --------------------------------------------------------------------------------------------------------


@final
@dataclass(frozen=True, slots=True)
class Fight(Encounter):
    """Who is in it, the best initiative first."""

    order: Open[tuple[Who[Fighter], ...]]
    round: Open[int] = tally(1)  # what it makes is a field

    def next_step(self, scene: Scene, me: Who[Any]) -> Call[Any]:
        """Declare, lowest initiative first; then one action each, best first, until none is left; then a new round."""
        standing = [who for who in self.order if scene[who].stands]
        for who in reversed(standing):
            if scene[who].actions is None:
                return declare(who)
        ready = [who for who in standing if scene[who].left]
        return act(min(ready, key=lambda who: scene[who].taken)) if ready else end_round()

    def over(self, scene: Scene, me: Who[Any]) -> str | None:
        sides = {scene[who].side for who in self.order if scene[who].stands}
        return None if len(sides) > 1 else min(sides, default="nobody")

    def next_round(self) -> Fight:
        return replace(self, round=self.round + 1)


FIGHT: Final = Who("fight", Fight)


class Parry(Enum):
    """How the action of a parry is paid for."""

    DECLARED = "declared"
    ADDED = "added"


class Swing(Enum):
    """What a swing came to."""

    HIT = "hit"
    PARRIED = "parried"
    MISSED = "missed"


@rule("hard.d6.declare-actions")
async def declare(scene: Scene, who: Who[Fighter]) -> None:
    """Only the number is declared; what an action is used for is chosen when it is resolved."""
    await alter(who, Fighter.declared, await choose(who, ACTIONS, range(4), default=1))


@rule("hard.d6.resolve-actions")
async def act(scene: Scene, who: Who[Fighter]) -> Swing:
    """One declared action is used for a swing at one of the others' side."""
    await alter(who, Fighter.acted)
    return await swing(who, await choose(who, TARGET, foes(scene, who)))


def foes(scene: Scene, who: Who[Fighter]) -> Iterable[Who[Fighter]]:
    return (other for other in scene[FIGHT].order if scene[other].stands and scene[other].side != scene[who].side)


@rule("hard.d6.melee-attack", "hard.d6.combat-reaction")
async def swing(scene: Scene, attacker: Who[Fighter], target: Who[Fighter]) -> Swing:
    """A parry replaces the difficulty, even when it is lower and opens the guard."""
    regular = scene[attacker].difficulty
    how = await react(target, REACTION, Parry, check=partial(check_parry, scene[target]), about=attacker)
    bar = await parry(target, how) if how else regular
    attack = await total_of(ATTACK, attacker, scene[attacker].melee, scene[attacker].penalties)
    if attack >= bar:
        await wound(attacker, target)
        return Swing.HIT
    return Swing.PARRIED if how and attack >= regular else Swing.MISSED


@rule("hard.d6.combat-parry")
async def parry(scene: Scene, who: Who[Fighter], how: Parry) -> int:
    """It uses up a declared action, or is added: a die less for itself and all that follows, never for what is done."""
    await alter(who, Fighter.parried, how)
    return await total_of(PARRY, who, scene[who].melee, scene[who].penalties)


def check_parry(sheet: Fighter, how: Parry) -> None:
    if how is Parry.DECLARED and not sheet.left:
        raise Refused("parry", because="no declared action is left", rule="hard.d6.adapting-actions")


@rule("hard.d6.end-of-round")
async def end_round(scene: Scene) -> None:
    """Stuns wear off, and a new round is declared."""
    for who in scene[FIGHT].order:
        await alter(who, Fighter.rested)
    await alter(FIGHT, Fight.next_round)


# --- scripted ---------------------------------------------------------------------------------------------------------

AL: Final = Who("al", Fighter)
BO: Final = Who("bo", Fighter)

al: Final = Fighter("reds", melee=Code(4), strength=Code(2), damage=Code(3))
bo: Final = Fighter("blues", melee=Code(3, 2), strength=Code(2, 1), damage=Code(2))


def at_blows(house: House | None = None, **fighters: Fighter) -> State:
    """Fighters in the order of their initiative, best first."""
    fight = Fight(tuple(Who(name, Fighter) for name in fighters))
    return State({"house": house or House(), "fight": fight, **fighters})


DUEL: Final = at_blows(al=al, bo=bo)


@rule("hard.d6.steps")
async def steps(scene: Scene, number: int) -> None:
    """So many steps of a fight, which need not bring it to its end."""
    for _ in range(number):
        await scene[FIGHT].next_step(scene, FIGHT)


def dice(asked: Iterable[Question[Any]]) -> list[tuple[str, int]]:
    """Which throws were made, with how many dice."""
    return [(f"{q.who}.{q.name}", q.pool.size) for q in asked if isinstance(q, Roll)]


def test_the_lowest_initiative_declares_first() -> None:
    step = play(steps(2), DUEL, {"actions": ["2", "1"]})
    assert [str(question.who) for question in step.asked] == ["bo", "al"]
    assert (Scene(step.state)[AL].actions, Scene(step.state)[BO].actions) == (1, 2)


def test_two_declared_actions_cost_each_of_them_a_die() -> None:
    answers = {"al.actions": 2, "bo.actions": 0, "reaction": "no no", "al.attack": ["1 2 3", "1 2 2"]}
    assert dice(play(steps(4), DUEL, answers).asked) == [("al.attack", 3), ("al.attack", 3)]


def test_an_added_parry_costs_a_die_from_then_on_and_never_before() -> None:
    # Al, two actions: 4d - 1d. Bo swings; Al adds a parry, his third action: 4d - 2d, as is his second swing.
    answers = {
        "bo.reaction": "no no",
        "al.reaction": "added",
        "al.attack": ["1 2 3", "1 2"],
        "bo.attack": "1 1 2",
        "al.parry": "4 5",
    }
    step = play(steps(3), at_blows(al=al.declared(2), bo=bo.declared(1)), answers)
    assert dice(step.asked) == [("al.attack", 3), ("al.parry", 2), ("bo.attack", 3), ("al.attack", 2)]
    assert Scene(step.state)[AL].actions == 3


def test_a_parry_that_uses_up_a_declared_action_costs_no_die_more() -> None:
    answers = {
        "bo.reaction": "no",
        "al.reaction": "declared",
        "al.attack": "1 2 3",
        "al.parry": "4 5 2",
        "bo.attack": "1 1 2",
    }
    step = play(steps(2), at_blows(al=al.declared(2), bo=bo.declared(1)), answers)
    assert dice(step.asked) == [("al.attack", 3), ("al.parry", 3), ("bo.attack", 3)]
    assert (Scene(step.state)[AL].actions, Scene(step.state)[AL].left) == (2, 0)


def test_the_only_action_of_a_round_may_be_a_parry_without_penalty() -> None:
    answers = {"reaction": "added", "parry": "5 5 5", "attack": "1 2 3 4"}
    step = play(act(AL), at_blows(al=al.declared(1), bo=bo.declared(0)), answers)
    assert dice(step.asked) == [("bo.parry", 3), ("al.attack", 4)]


def test_a_parry_cannot_use_up_what_was_not_declared() -> None:
    with pytest.raises(BadAnswer, match=r"no declared action is left \(hard.d6.adapting-actions\); legal: added, no"):
        play(act(AL), at_blows(al=al.declared(1), bo=bo.declared(0)), {"reaction": "declared"})


def test_one_action_each_then_another_pass() -> None:
    answers = {"reaction": "no no no", "al.attack": ["1 1 2", "1 1 2"], "bo.attack": "1 1 2"}
    step = play(steps(4), at_blows(al=al.declared(2), bo=bo.declared(1)), answers)
    assert [throw for throw, _ in dice(step.asked)] == ["al.attack", "bo.attack", "al.attack"]
    assert Scene(step.state)[AL].actions is None  # the fourth step ended the round
    assert Scene(step.state)[FIGHT].round == 2


def test_only_who_has_several_foes_is_asked_for_a_target() -> None:
    state = at_blows(al=al.declared(1), bo=bo.declared(1), cy=bo.declared(1))
    answers = {"al.target": "cy", "reaction": "no no", "al.attack": "1 1 2 2", "bo.attack": "1 1 2"}
    asked = play(steps(2), state, answers).asked
    assert [(str(q.who), q.legal) for q in asked if isinstance(q, Choose) and q.name == TARGET] == [
        ("al", (BO, Who("cy", Fighter)))
    ]


@pytest.mark.parametrize(
    ("parry_dice", "attack_dice", "came_to"),
    [
        ("1 1 2", "1 2 1 2", Swing.HIT),  # 6 against a parry of 4 + 2: the guard is opened, though 6 < 10
        ("4 4 3", "1 2 3 3", Swing.MISSED),  # 9: below the parry and below the regular 10
        ("4 4 3", "2 3 3 3", Swing.PARRIED),  # 11: below the parry of 13 only
        ("4 4 3", "3 3 3 4", Swing.HIT),  # 13 against 13: a tie hits
    ],
)
def test_a_parry_replaces_the_difficulty_even_downward(parry_dice: str, attack_dice: str, came_to: Swing) -> None:
    answers = {"reaction": "added", "parry": parry_dice, "attack": attack_dice}
    no_wound = {"damage": "1 1 2", "strength": "6 5"} if came_to is Swing.HIT else {}
    assert play(swing(AL, BO), DUEL, {**answers, **no_wound}).result is came_to


@pytest.mark.parametrize(
    ("ladder", "levels"),
    [
        (AVERAGE, [WOUNDED, "Wounded twice", NEUTRALIZED, MORTAL, MORTAL]),
        (BIG, [WOUNDED, "Wounded twice", "Wounded thrice", NEUTRALIZED, MORTAL, MORTAL]),
        (SMALL, [WOUNDED, NEUTRALIZED, MORTAL, MORTAL]),
        (TINY, [NEUTRALIZED, MORTAL, DEAD, DEAD]),
    ],
)
def test_wound_upon_wound_goes_down_the_ladder_of_the_sheet(ladder: tuple[str, ...], levels: list[str]) -> None:
    level = HEALTHY
    assert [level := worsened(ladder, level, WOUNDED) for _ in levels] == levels


@pytest.mark.parametrize(
    ("level", "new", "after"),
    [
        (WOUNDED, NEUTRALIZED, NEUTRALIZED),
        ("Wounded thrice", NEUTRALIZED, NEUTRALIZED),  # a direct Neutralized has its normal impact on the big
        (NEUTRALIZED, NEUTRALIZED, MORTAL),
        (NEUTRALIZED, MORTAL, MORTAL),
        (MORTAL, NEUTRALIZED, DEAD),
        (MORTAL, MORTAL, DEAD),
        (WOUNDED, DEAD, DEAD),
    ],
)
def test_a_worse_wound_replaces_the_level(level: str, new: str, after: str) -> None:
    assert worsened(BIG, level, new) == after


@pytest.mark.parametrize(
    ("damage", "strength", "new"),
    [(7, 8, None), (8, 8, STUNNED), (13, 8, STUNNED), (14, 8, WOUNDED), (18, 8, WOUNDED), (18, 7, NEUTRALIZED)],
)
def test_damage_against_strength_gives_the_wound(damage: int, strength: int, new: str | None) -> None:
    answers = {"damage": f"total {damage}", "strength": f"total {strength - 1}"}  # bo's strength is 2d+1
    assert play(wound(AL, BO), DUEL, answers).result == new


def test_three_stuns_cost_dice_for_four_rounds() -> None:
    sheet = replace(bo, stamina=9, fresh_stuns=3)
    rounds = [sheet, *(sheet := sheet.rested() for _ in range(4))]
    assert [each.health_penalty for each in rounds] == [3, 3, 2, 1, 0]


def test_a_new_stun_does_not_wear_off_in_its_own_round() -> None:
    assert replace(bo, stuns=2, fresh_stuns=1).rested().stuns == 2


def test_as_many_dice_of_penalty_as_stamina_knock_out() -> None:
    state = at_blows(al=al, bo=replace(bo, level=WOUNDED, stuns=1))
    scene = Scene(play(wound(AL, BO), state, {"damage": "total 12", "strength": "total 8"}).state)
    assert scene[BO].knocked_out
    assert scene[FIGHT].over(scene, FIGHT) == "reds"


def test_a_fight_is_declared_anew_every_round_until_one_side_stands() -> None:
    # Bo is wounded, parries Al's second blow, and is knocked out by the third: a wound and a stun are his stamina of 2
    answers = {
        "al.actions": "1 1 1",
        "bo.actions": "1 0 0",
        "al.reaction": "no",
        "bo.reaction": "no added no",
        "al.attack": ["3 3 3 3", "1 1 2 2", "3 3 3 3"],  # 12, 6 and 12
        "bo.attack": "1 2",
        "bo.parry": "3 5",
        "damage": ["total 15", "total 10"],
        "strength": ["total 8", "total 9"],
    }
    ended = play_out(FIGHT, at_blows(al=al, bo=replace(bo, stamina=2)), answers)
    assert (ended.result, Scene(ended.state)[FIGHT].round) == ("reds", 3)


@pytest.mark.parametrize(
    ("code", "house", "answers", "score"),
    [
        (Code(3, 2), House(), {"task": "4 5 3"}, 14),
        (Code(3, 2), House(wild_six=WildSix.AGAIN), {"task": "4 3 6", "wild-six": "again", "again": ["6", "1"]}, 22),
        (Code(3, 2), House(), {"task": "4 3 6", "wild-six": "fortune"}, 15),
        (Code(3, 2), House(), {"task": "4 5 1", "wild-one": "ignore"}, 12),
        (Code(3, 2), House(), {"task": "4 5 1", "wild-one": "discard"}, 6),
        (Code(1, 2), House(), {"task": "1", "wild-one": "discard"}, 2),
        (Code(3, 2), House(), {"task": "total 17"}, 17 + 2),
        (Code(0, 2), House(), {}, 2),
        (Code(-1, 2), House(), {}, 0),
    ],
)
def test_the_wild_die(code: Code, house: House, answers: Mapping[str, Plain], score: int) -> None:
    assert play(throw(TASK, AL, code), at_blows(house, al=al), answers).result == score


# --- points against a hidden difficulty -------------------------------------------------------------------------------

LUCKY: Final = at_blows(al=replace(al, points=4))
TRY: Final = hidden_task(AL, Code(2))


def test_points_are_bought_one_at_a_time_after_each_die_is_seen() -> None:
    step = play(TRY, LUCKY, {"difficulty": 20, "task": "4 3", "point": "yes yes no", "extra": "6 2 1"})
    assert step.result == Task(7 + 8 + 1, success=False)
    assert [q.about for q in step.asked if isinstance(q, Choose)] == [7, 15, 16]
    assert Scene(step.state)[AL].points == 2


def test_no_fourth_point_is_offered_on_a_roll() -> None:
    step = play(TRY, LUCKY, {"difficulty": 10, "task": "4 3", "point": "yes yes yes", "extra": "1 1 1"})
    assert step.result == Task(10, success=True)
    assert Scene(step.state)[AL].points == 1


def test_who_has_no_point_is_not_asked() -> None:
    assert play(TRY, DUEL, {"difficulty": 7, "task": "4 3"}).result == Task(7, success=True)


def test_the_roller_cannot_tell_a_low_difficulty_from_a_high_one() -> None:
    answers = {"task": "4 3", "point": "yes no", "extra": "2"}
    low, high = (play(TRY, LUCKY, {"difficulty": n, **answers}) for n in (1, 60))
    assert [q for q in low.asked if q.audience is Audience.MASTER] == [Ruling(DIFFICULTY, 15, low=1, high=60)]
    assert low.asked[1:] == high.asked[1:]
    assert [getattr(q, "about", None) for q in low.asked] == [getattr(q, "about", None) for q in high.asked]
    assert (low.events, low.state) == (high.events, high.state)


def test_a_difficulty_out_of_bounds_is_refused() -> None:
    with pytest.raises(BadAnswer, match="0 is out of bounds"):
        play(TRY, LUCKY, {"difficulty": 0})


# --- exact ------------------------------------------------------------------------------------------------------------


def buys_below_ten(question: Choice[Any], scene: Scene) -> Any:
    """Who buys looks at the total alone; the difficulty is the game master's affair."""
    return True if isinstance(question, Choose) and question.name == POINT and question.about < 10 else question.default


def brute_sums(dice: int, wild_one: WildOne = WildOne.IGNORE) -> dict[int, Fraction]:
    """Totals of so many dice, pip by pip; the last is wild, its six counts six."""
    found: Counter[int] = Counter()
    for *plain, wild in product(range(1, 7), repeat=dice):
        lost = 1 + max(plain, default=0) if wild == 1 and wild_one is WildOne.DISCARD else 0
        found[sum(plain) + wild - lost] += 1
    return {score: Fraction(n, 6**dice) for score, n in found.items()}


def reaches(scores: Mapping[int, Fraction], bars: Mapping[int, Fraction]) -> Fraction:
    """The chance that one total is at least another."""
    return sum((p * q for score, p in scores.items() for bar, q in bars.items() if score >= bar), Fraction(0))


def extra_at_least(least: int) -> Fraction:
    """The chance that a die re-rolled on sixes comes to this much: closed form."""
    sixes, rest = divmod(least - 1, 6)
    return Fraction(6 - rest, 6) * Fraction(1, 6**sixes) if least > 1 else Fraction(1)


@pytest.mark.parametrize("one", WildOne)
def test_the_odds_of_the_wild_die_are_those_of_its_pips(one: WildOne) -> None:
    odds = agree(throw(TASK, AL, Code(4, 1)), at_blows(House(wild_one=one), al=al))
    assert odds.by(lambda score: score - 1) == brute_sums(4, one)


def test_one_point_bought_below_ten_against_a_hidden_fifteen() -> None:
    odds = Exact(buys_below_ten, floor=Fraction(1, 6**7)).of(TRY, at_blows(al=replace(al, points=1)))
    truth = sum(p * extra_at_least(15 - score) for score, p in brute_sums(2).items() if score < 10)
    assert odds.lost == Fraction(30, 6**8)  # 30 of 36 throws buy; what goes on after six sixes in a row is lost
    assert odds.chance(lambda task: task.success) + odds.lost == truth  # all of which would have succeeded


def test_a_chain_of_sixes_without_a_floor_is_refused() -> None:
    state = at_blows(House(wild_six=WildSix.AGAIN), al=al)
    with pytest.raises(TooLarge, match="a chain without an end needs a floor"):
        Exact(most_runs=100).of(throw(TASK, AL, Code(1)), state)


def brute_swing(hit: Fraction, damage: Code, strength: Code) -> dict[str | None, Fraction]:
    """What a swing that hits so often does to its target, pip by pip; None is nothing."""
    found: defaultdict[str | None, Fraction] = defaultdict(Fraction, {None: 1 - hit})
    for dealt, p in brute_sums(damage.dice).items():
        for resisted, q in brute_sums(strength.dice).items():
            found[received(dealt + damage.pips - resisted - strength.pips)] += hit * p * q
    return dict(found)


@pytest.mark.parametrize(
    ("reaction", "bars", "damage"),
    [("no", {4: Fraction(1)}, Code(2, 7)), ("added", brute_sums(1), Code(1, 9))],
)
def test_the_odds_of_a_swing_are_those_of_its_pips(reaction: str, bars: Mapping[int, Fraction], damage: Code) -> None:
    """Al has 2d - 1d against 4, Bo parries with 2d - 1d; strength is 1d+1."""
    attacker = replace(al, melee=Code(2), difficulty=4, damage=damage).declared(2)
    target = replace(bo, melee=Code(2), strength=Code(1, 1), stamina=9).declared(1)
    odds = agree(swing(AL, BO), at_blows(al=attacker, bo=target), always(reaction=reaction))
    after = {target.hurt(new): new for new in (STUNNED, WOUNDED, NEUTRALIZED, MORTAL)}
    found = odds.by_end(lambda _, scene: after.get(replace(scene[BO], actions=1)))
    assert found == brute_swing(reaches(brute_sums(1), bars), damage, target.strength)
    assert {None, STUNNED, WOUNDED, NEUTRALIZED} <= set(found)


GLASS: Final = Fighter("reds", melee=Code(2), strength=Code(1), damage=Code(1, 2), stamina=1, difficulty=6)
"""Whatever hurts knocks out, so that rounds repeat."""
HURTS: Final = Fraction(30, 36)
"""1d+2 is at least 1d."""


def test_a_duel_between_men_of_glass_is_a_geometric_series() -> None:
    ends = ends_of(FIGHT, at_blows(al=GLASS, bo=replace(GLASS, side="blues", melee=Code(3), difficulty=10)))
    # 2d reach 6 in 26 of 36 ways, 3d reach 10 in 135 of 216. A round has two declarations, two swings, and an end.
    al_fells, bo_fells = Fraction(26, 36) * HURTS, Fraction(135, 216) * HURTS
    goes_on = (1 - al_fells) * (1 - bo_fells)
    assert ends.of == {"reds": al_fells / (1 - goes_on), "blues": (1 - al_fells) * bo_fells / (1 - goes_on)}
    assert ends.steps == (3 + (1 - al_fells) + goes_on) / (1 - goes_on)


def test_an_added_parry_weakens_the_blow_that_follows_it() -> None:
    """Bo parries with 3d - 1d and, if still up, strikes back with 3d - 1d; Al does not parry."""
    state = at_blows(al=GLASS, bo=replace(GLASS, side="blues", melee=Code(3)))
    al_fells, bo_fells = reaches(brute_sums(2), brute_sums(2)) * HURTS, Fraction(26, 36) * HURTS
    reds = al_fells / (1 - (1 - al_fells) * (1 - bo_fells))
    assert ends_of(FIGHT, state, Exact(always(**{"bo.reaction": "added"}))).of["reds"] == reds


def test_sampled_duels_go_as_the_exact_chain_says() -> None:
    """Al is quicker; Bo is bigger, and parries."""
    sheet = Fighter("reds", melee=Code(2, 2), strength=Code(2), damage=Code(2), stamina=2, difficulty=5)
    state = at_blows(al=sheet, bo=replace(sheet, side="blues", melee=Code(3), ladder=BIG, stamina=3))
    policy = always(**{"bo.reaction": "added"})
    reds = ends_of(FIGHT, state, Exact(policy)).of["reds"]
    table, duels = Sampled(Random(7), policy), 60
    won = sum(table.play_out(FIGHT, state)[0] == "reds" for _ in range(duels))
    assert abs(won - duels * reds) ** 2 < 4 * duels * reds * (1 - reds)  # within two standard deviations


def test_two_against_a_giant_end_either_way() -> None:
    giant = Fighter("giant", Code(4), Code(4), Code(4), stamina=4, ladder=BIG)
    state = at_blows(al=al, bo=replace(bo, side="reds"), cy=giant)
    table = Sampled(Random(1), always(**{"cy.reaction": "added"}))
    assert {table.play_out(FIGHT, state)[0] for _ in range(8)} == {"reds", "giant"}
