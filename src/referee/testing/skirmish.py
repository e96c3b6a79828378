"""A small fight with dice codes, for tests and benchmarks of forecasts: duels, and skirmishes of any size.

Everyone acts once a round, the quickest first, and strikes at the first foe who stands: attack against dodge, damage
against strength. A hit by little stuns for the round, by more wounds, by much fells; three wounds fell too. A wound
costs a die of everything.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from enum import Enum
from functools import lru_cache
from typing import Any, ClassVar, Final

from referee.core import (
    D6,
    Call,
    Levels,
    Open,
    Pool,
    Prompt,
    Scene,
    State,
    Total,
    Who,
    alter,
    choose,
    frozen,
    roll,
    rule,
)
from referee.core.rules import Decide, Ends, kernel
from referee.kits.rounds import Rounds, in_this_order
from referee.odds.distribution import Distribution

ATTACK: Final = Prompt("attack")
DODGE: Final = Prompt("dodge")
DAMAGE: Final = Prompt("damage")
STRENGTH: Final = Prompt("strength")
TARGET: Final = Prompt("target")

WOUNDS: Final = 3
"""So many fell anyone."""


class Blow(Enum):
    """What a blow does."""

    NOTHING = "nothing"
    STUNS = "stuns"
    WOUNDS = "wounds"
    FELLS = "fells"


@frozen
class Brawler:
    """Dice for striking, for dodging, for damage and against it."""

    attack: Open[int] = 4
    dodge: Open[int] = 3
    damage: Open[int] = 4
    strength: Open[int] = 3
    wounds: Open[int] = 0
    stunned: Open[bool] = False

    @property
    def stands(self) -> bool:
        return self.wounds < WOUNDS

    def hurt(self, blow: Blow) -> Brawler:
        more = {Blow.NOTHING: 0, Blow.STUNS: 0, Blow.WOUNDS: 1, Blow.FELLS: WOUNDS}[blow]
        return replace(self, wounds=min(WOUNDS, self.wounds + more), stunned=blow is not Blow.NOTHING)

    def rested(self) -> Brawler:
        return replace(self, stunned=False)


@frozen
class Skirmish(Rounds):
    """Rounds in a fixed order."""

    by_kernels: ClassVar[bool] = True

    def is_able(self, scene: Scene, who: str) -> bool:
        return scene[Who(who, Brawler)].stands

    def next_step(self, scene: Scene, me: Who[Any]) -> Call[Any]:
        group = self.group(scene)
        return strike(Who(group[0], Brawler)) if group else begin_round()


FIGHT: Final = Who("skirmish", Skirmish)


@rule("skirmish.round")
async def begin_round(scene: Scene) -> None:
    """Everyone who stands has an action, and no one is stunned any more."""
    able = scene[FIGHT].able(scene)
    for name in able:
        if scene[Who(name, Brawler)].stunned:
            await alter(Who(name, Brawler), Brawler.rested)
    await alter(FIGHT, Skirmish.beginning, Levels(dict.fromkeys(able, 1)))


@rule("skirmish.strike")
async def strike(scene: Scene, who: Who[Brawler]) -> None:
    """Attack against dodge, then damage against strength; the stunned only lose their action."""
    await alter(FIGHT, Skirmish.spending, who.name, 1)
    if scene[who].stunned:
        return
    target = await choose(who, TARGET, tuple(foes(scene, who)), default=next(foes(scene, who)))
    if await blow(who, target, ATTACK, DODGE) is not Blow.NOTHING:
        await alter(target, Brawler.hurt, await blow(who, target, DAMAGE, STRENGTH))


@rule("skirmish.blow")
async def blow(scene: Scene, who: Who[Brawler], other: Who[Brawler], name: Prompt, against: Prompt) -> Blow:
    """One sum of dice against another: how hard a blow is, if it is one at all. A wound costs a die."""
    mine = await roll(name, who, Pool.of((D6, dice(scene, who, name))), Total)
    theirs = await roll(against, other, Pool.of((D6, dice(scene, other, against))), Total)
    return blow_of(mine.total - theirs.total)


@kernel(blow)
def blows(
    scene: Scene, decide: Decide, who: Who[Brawler], other: Who[Brawler], name: Prompt, against: Prompt
) -> Ends[Blow]:
    """Every blow at once."""
    return tuple((each, (), ways) for each, ways in _blows(dice(scene, who, name), dice(scene, other, against)))


@lru_cache(maxsize=1024)
def _blows(mine: int, theirs: int) -> tuple[tuple[Blow, int], ...]:
    die = Distribution(dict.fromkeys(range(1, D6.sides + 1), 1))
    found: Counter[Blow] = Counter()
    for by, ways in (die.times(mine) - die.times(theirs)).items():
        found[blow_of(by)] += ways
    return tuple(found.items())


def blow_of(by: int) -> Blow:
    """How hard a blow is, by how much it exceeds what is set against it."""
    return Blow.NOTHING if by < 0 else Blow.STUNS if by <= 3 else Blow.WOUNDS if by <= 8 else Blow.FELLS


def dice(scene: Scene, who: Who[Brawler], name: Prompt) -> int:
    """The dice of someone for something."""
    return max(1, int(getattr(scene[who], name)) - scene[who].wounds)


def foes(scene: Scene, who: Who[Brawler]) -> Iterator[Who[Brawler]]:
    """Those of the other sides who stand, in order."""
    friends = scene[FIGHT].side_of(who.name)
    return (Who(name, Brawler) for name in scene[FIGHT].able(scene) if name not in friends)


def duel(one: Brawler, other: Brawler) -> State:
    """One against one; the first is quicker."""
    return skirmish({"al": one}, {"bo": other})


def skirmish(*sides: dict[str, Brawler]) -> State:
    """Sides against each other; they take turns, the first of each side before the second."""
    names = [tuple(side) for side in sides]
    longest = max(map(len, names))
    order = [side[at] for at in range(longest) for side in names if at < len(side)]
    fight = Skirmish(tuple(names), scores=in_this_order(order))
    return State({FIGHT.name: fight, **{name: each for side in sides for name, each in side.items()}})
