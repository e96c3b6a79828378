"""A system for the tests of the live table: cards in secret, throws at once, a step refused, a die thrown again."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, final

from referee.core import (
    D6,
    PIPS,
    YES_NO,
    Action,
    Audience,
    Die,
    Mod,
    Open,
    Pile,
    Pool,
    Prompt,
    Refused,
    Scene,
    System,
    Total,
    Who,
    alter,
    by_unit,
    choose,
    draw,
    figure,
    move,
    roll,
    rule,
    tell,
    together,
)

DECK: Final = Who("deck", Pile)
DICE: Final = figure("den.dice.duel", "dice", int)
STAKE: Final = figure("den.dice.duel", "stake", int)
FEE: Final = figure("den.debts.borrow", "fee", int)

DEAL: Final = Prompt("deal")
KEEP: Final = Prompt("keep")
DUEL: Final = Prompt("duel")
SUM: Final = Prompt("sum")
INTEREST: Final = Prompt("interest")
GAMBLE: Final = Prompt("gamble")
PRIZE: Final = Prompt("prize")

LUCK: Final = Die("luck", D6.faces, again={6})
NERVE: Final = figure("den.dice.gamble", "nerve", int)
BAR: Final = figure("den.dice.gamble", "bar", int)


@final
@dataclass(frozen=True, slots=True)
class Rogue:
    coins: Open[int] = 5

    def paid(self, coins: int) -> Rogue:
        return replace(self, coins=self.coins - coins)


def hand_of(who: Who[Rogue]) -> Who[Pile]:
    return Who(f"{who}-hand", Pile)


@rule("den.cards.deal")
async def deal(scene: Scene, who: Who[Rogue]) -> str:
    """A card into the hand; once, it may be put back for another."""
    check_deal(scene, who)
    card = await draw(DEAL, DECK, hand_of(who), who=who, audience=Audience.OWNER)
    if not await choose(who, KEEP, YES_NO, audience=Audience.OWNER):
        await move(card, hand_of(who), DECK)
        card = await draw(DEAL, DECK, hand_of(who), who=who, audience=Audience.OWNER)
    await tell("dealt", who=who, card=str(card), audience=Audience.OWNER)
    return "dealt"


def check_deal(scene: Scene, who: Who[Rogue] | None = None) -> None:
    """Nobody draws from an empty deck."""
    if not scene[DECK]:
        raise Refused("deal", because="the deck is empty", rule="den.cards.deal")


@rule("den.dice.duel")
async def duel(scene: Scene, who: Who[Rogue], against: Who[Rogue]) -> bool:
    """Both throw at once; the lower pays the higher."""
    pool = Pool.of((D6, scene[DICE]))
    mine, theirs = await together(roll(DUEL, who, pool, Total), roll(DUEL, against, pool, Total))
    won = mine.total > theirs.total
    winner, loser = (who, against) if won else (against, who)
    await alter(loser, Rogue.paid, scene[STAKE])
    await alter(winner, Rogue.paid, -scene[STAKE])
    return won


@rule("den.debts.borrow")
async def borrow(scene: Scene, who: Who[Rogue]) -> int:
    """A fee, a sum, interest by a throw; refused in the end where it could not be paid back."""
    await alter(who, Rogue.paid, scene[FEE])
    asked = await choose(who, SUM, (1, 2, 3))
    interest = (await roll(INTEREST, who, Pool.of((D6, 1)), Total)).total
    if scene[who].coins < interest:
        raise Refused("borrow", because=f"{who} could not pay {interest}", rule="den.debts.borrow")
    await alter(who, Rogue.paid, interest - asked)
    return asked


@rule("den.dice.gamble")
async def gamble(scene: Scene, who: Who[Rogue]) -> bool:
    """A die, and one that is thrown again on a six; who reaches the bar draws a card."""
    mods = (Mod(scene[NERVE], "nerve", "den.dice.gamble", unit=PIPS),)
    thrown = await roll(GAMBLE, who, Pool.of((D6, 1), (LUCK, 1)), Total, mods=mods)
    won = thrown.total + by_unit(mods)[PIPS] >= scene[BAR]
    if won and scene[DECK]:
        _ = await draw(PRIZE, DECK, hand_of(who), who=who, mods=mods, audience=Audience.OWNER)
    return won


SYSTEM: Final = System(
    name="den",
    title="The den",
    folder=Path(__file__).parent,
    version=1,
    sheet=Rogue,
    actions=(
        Action("deal", deal, check=check_deal),
        Action("duel", duel),
        Action("borrow", borrow),
        Action("gamble", gamble),
    ),
)
