"""The smallest D6 System with hard odds: codes with a wild die, opposed rolls, Character Points one at a time, Fate."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Annotated, Final, TypeAlias

from referee.core import (
    DICE,
    PIPS,
    YES,
    Bands,
    Die,
    Mod,
    Mods,
    Open,
    Pick,
    Pool,
    Prompt,
    Scene,
    State,
    Total,
    Who,
    action,
    action_of,
    alter,
    frozen,
    offer,
    refuse,
    roll,
    rule,
    suggest,
    tell,
)
from referee.core.actions import ActionChoice
from referee.core.branches import Branch, BranchEnd
from referee.core.questions import Request
from referee.core.rules import Decide, Ends, after, formula, kernel
from referee.kits.dice_codes import (
    Code,
    CodeDice,
    Contest,
    Luck,
    Rolled,
    Stat,
    WildDie,
    WildOne,
    WildSix,
    WildTotal,
    contest_ends,
    open_die,
    point_branches,
)

ROLL: Final = Prompt("roll")
EXTRA: Final = Prompt("extra")
POINT: Final = Prompt("point")
FATE: Final = Prompt("fate")

WILD: Final = WildDie(one=1, six=6, on_one=WildOne.DISCARD, on_six=WildSix.AGAIN)
FATE_TIMES: Final = 2


@frozen
class House:
    """What the campaign has chosen."""

    dice: Open[CodeDice] = CodeDice(6, 3, WILD)
    extra: Open[Die] = open_die("extra", 6, again=6)
    """What a Character Point buys."""
    most_points: Open[int] = 3


@frozen
class Hero:
    """An ability, and points to spend on rolls."""

    agility: Open[Stat] = Stat(3)
    points: Open[int] = 0
    fate: Open[int] = 0

    def spending(self, points: int = 0, fate: int = 0) -> Hero:
        return replace(self, points=self.points - points, fate=self.fate - fate)


HOUSE: Final = Who("house", House)
Person: TypeAlias = Who[Hero]


@frozen
class Judged:
    """How a roll ended: the margin of success (0 or more) or of failure (below 0), and the luck it brought."""

    margin: int
    luck: Luck = Luck.NONE

    @property
    def success(self) -> bool:
        return self.margin >= 0


JUDGED: Final[Bands[Judged]] = Bands(
    of=lambda judged: "success" if judged.success else "failure",
    keys=("success", "failure"),
    extra={"fortune": lambda judged: judged.luck is Luck.FORTUNE},
    bad={"complication": lambda judged: judged.luck in (Luck.COMPLICATION, Luck.ALL_ONES)},
)


# --- a roll -----------------------------------------------------------------------------------------------------------


@rule("codes.roll", "codes.wild-die")
async def throw(scene: Scene, who: Person, code: Code, mods: Mods = ()) -> Rolled:
    """The dice and the pips, and what the wild die does; without dice, the pips alone."""
    if code.dice <= 0:
        return scene[HOUSE].dice.flat(code)
    seen = await roll(ROLL, who, scene[HOUSE].dice.pool(code), WildTotal, mods=mods)
    rolled = scene[HOUSE].dice.score(code, seen)
    if rolled.luck is not Luck.NONE:
        await tell(rolled.luck.value, who=who)
    return rolled


@kernel(throw)
def thrown(scene: Scene, decide: Decide, who: Person, code: Code, mods: Mods = ()) -> Ends[Rolled]:
    return scene[HOUSE].dice.scores(code).ends()


def itemised(stat: Stat) -> Mods:
    return Mod(stat.dice, "Agility", "codes.roll", unit=DICE), Mod(stat.pips, "Agility", "codes.roll", unit=PIPS)


# --- opposed ----------------------------------------------------------------------------------------------------------


@rule("codes.opposed/contest")
async def contest(scene: Scene, who: Person, mine: Code, other: Person, theirs: Code) -> Contest:
    """The other's total is the difficulty."""
    difficulty = await throw(other, theirs, itemised(scene[other].agility))
    return Contest.of(await throw(who, mine, itemised(scene[who].agility)), difficulty)


@kernel(contest)
def contested(scene: Scene, decide: Decide, who: Person, mine: Code, other: Person, theirs: Code) -> Ends[Contest]:
    dice = scene[HOUSE].dice
    return contest_ends(dice.scores(mine), dice.scores(theirs))


def others(scene: Scene, who: Person) -> Iterable[Person]:
    return (each for each in scene.all(Hero) if each != who)


@action("oppose", "codes.opposed", bands=JUDGED)
async def oppose(scene: Scene, who: Person, other: Annotated[Person, Pick(others)]) -> Judged:
    """Both roll; the higher total wins, and on a tie whoever acts."""
    result = await contest(who, scene[who].agility.code, other, scene[other].agility.code)
    return Judged(result.margin, result.mine)


# --- points and fate --------------------------------------------------------------------------------------------------


@rule("codes.character-points")
async def roll_with_points(scene: Scene, who: Person, code: Code, fated: bool, mods: Mods = ()) -> Rolled:
    """After the roll an extra die may be bought, seen, then another; a six on it is thrown again and added."""
    rolled, spent = await throw(who, code, mods), 0
    while await offer_point(scene, who, rolled, spent, fated):
        await alter(who, Hero.spending, 1)
        rolled = rolled.plus((await roll(EXTRA, who, Pool.of((scene[HOUSE].extra, 1)), Total)).total)
        spent += 1
    return rolled


def offer_point(scene: Scene, who: Person, rolled: Rolled, spent: int, fated: bool) -> Request[bool | None]:
    return offer(who, POINT, YES, check=lambda _: check_point(scene, who, spent, fated), about=rolled)


@formula("codes.character-points/check")
def check_point(scene: Scene, who: Person, spent: int, fated: bool) -> None:
    """One must be left, only so many on one roll, and never together with Fate."""
    if fated:
        refuse("a Fate Point doubles this roll")
    if not scene[who].points:
        refuse("no Character Point is left")
    if spent >= scene[HOUSE].most_points:
        refuse(f"at most {scene[HOUSE].most_points} on a roll")


@kernel(roll_with_points)
def rolled_with_points(
    scene: Scene, decide: Decide, who: Person, code: Code, fated: bool, mods: Mods = ()
) -> Branch[Rolled]:
    scenes = [scene]

    def scene_after(spent: int) -> Scene:
        while len(scenes) <= spent:
            scenes.append(after(scenes[-1], who, scenes[-1][who].spending(1)))
        return scenes[spent]

    def end(rolled: Rolled, spent: int) -> BranchEnd[Rolled]:
        return BranchEnd(rolled, ((who, scenes[spent][who]),) if spent else ())

    return point_branches(
        scene[HOUSE].dice.scores(code),
        scene[HOUSE].extra,
        offer=lambda rolled, spent: offer_point(scene_after(spent), who, rolled, spent, fated),
        scene_after=scene_after,
        end=end,
    )


@formula("codes.fate-points/check")
def check_fate(scene: Scene, who: Person) -> None:
    if not scene[who].fate:
        refuse("no Fate Point is left")


@action("attempt", "codes.test", "codes.fate-points", bands=JUDGED)
async def attempt(
    scene: Scene, who: Person, difficulty: Annotated[int, suggest(10, 15, 20)], mods: Mods = ()
) -> Judged:
    """Fate doubles one's own code before the roll; Character Points better it afterwards; the difficulty is enough."""
    fated = bool(await offer(who, FATE, YES, check=lambda _: check_fate(scene, who)))
    if fated:
        await alter(who, Hero.spending, 0, 1)
    own = scene[who].agility.code * (FATE_TIMES if fated else 1)
    penalty = Code(sum(mod.amount for mod in mods))
    rolled = await roll_with_points(who, own + penalty, fated, (*itemised(scene[who].agility), *mods))
    return Judged(rolled.total - difficulty, rolled.luck)


# --- the scenes -------------------------------------------------------------------------------------------------------

ANA: Final = Who("ana", Hero)
BO: Final = Who("bo", Hero)


def table(ana: Hero = Hero(Stat(5, 1)), bo: Hero = Hero(Stat(4, 2)), house: House = House()) -> State:  # noqa: B008
    return State({"ana": ana, "bo": bo, "house": house})


def opposed_scene() -> tuple[ActionChoice, State]:
    """5D+1 against 4D+2, both with a wild die."""
    return action_of(oppose).by(ANA, other=BO), table()


def points_scene(fate: int = 0) -> tuple[ActionChoice, State]:
    """5D+1 against 25, with three Character Points to spend one at a time."""
    return action_of(attempt).by(ANA, difficulty=25), table(Hero(Stat(5, 1), points=3, fate=fate))
