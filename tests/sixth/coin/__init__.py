"""A tiny system from outside: three coins, a bluff in secret, a throw only the game master sees."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path
from typing import Annotated, Final, final

from referee.core import (
    BOOK,
    D6,
    Audience,
    Bands,
    Hidden,
    Open,
    Own,
    Pick,
    Pool,
    Prompt,
    Refused,
    Scene,
    SymbolCounts,
    System,
    Total,
    Who,
    action,
    actions_of,
    change,
    choose,
    figure,
    marked_die,
    refuse,
    roll,
    rule_on,
    together,
)

COINS: Final = figure("coin.toss.toss", "coins", int)
HEADS_NEEDED: Final = figure("coin.toss.toss", "heads_needed", int)
FEWER: Final = figure("coin.toss.marked", "fewer", int)
STAKE: Final = figure("coin.bluff.bluff", "stake", int)
FACE: Final = figure("coin.sleight.sleight", "face", int)
SLIPPED: Final = figure("coin.sleight.sleight", "coins", int)

TOSS: Final = Prompt("toss")
SHOW: Final = Prompt("show")
SLEIGHT: Final = Prompt("sleight")
NOTICED: Final = Prompt("noticed")


class Side(Enum):
    HEADS = "heads"
    TAILS = "tails"


@final
@dataclass(frozen=True, slots=True)
class Gambler:
    """Everyone sees the purse, only the owner the marked coin, only the game master the nerve."""

    purse: Open[int] = 3
    mark: Own[str] = ""
    nerve: Hidden[int] = 0


def check_purse(scene: Scene, who: Who[Gambler], bet: int | None = None) -> None:
    """Nobody bets more than they have."""
    if not scene[who].purse or (bet is not None and not 0 < bet <= scene[who].purse):
        refuse(f"{who} has {scene[who].purse}")


Bet = Annotated[int, Pick(lambda scene, who: range(1, scene[who].purse + 1) if who else (), check_purse)]
WON: Final = Bands[bool](of=lambda won: "won" if won else "lost", keys=("won", "lost"))


@action("toss", "coin.toss.toss", "coin.toss.marked", bands=WON, check=check_purse)
async def toss(scene: Scene, who: Who[Gambler], bet: Bet) -> bool:
    """Two heads or more win the bet."""
    coin = marked_die("coin", 2, heads=2)
    thrown = await roll(TOSS, who, Pool.of((coin, scene[COINS])), SymbolCounts)
    won = thrown.count("heads") >= heads_needed(scene, who)
    await change(who, replace(scene[who], purse=scene[who].purse + (bet if won else -bet)))
    return won


def heads_needed(scene: Scene, who: Who[Gambler]) -> int:
    marked = scene[BOOK].on("coin.toss.marked") and scene[who].mark
    return scene[HEADS_NEEDED] - (scene[FEWER] if marked else 0)


@action("bluff", "coin.bluff.bluff", bands=WON)
async def bluff(scene: Scene, who: Who[Gambler], against: Who[Gambler]) -> bool:
    """Both show a side at once; the caller wins a match."""
    mine, theirs = await together(choose(who, SHOW, tuple(Side)), choose(against, SHOW, tuple(Side)))
    winner, loser = (who, against) if mine is theirs else (against, who)
    if scene[loser].purse < scene[STAKE]:
        raise Refused("bluff", because=f"{loser} cannot pay", rule="coin.bluff.bluff")
    await change(winner, replace(scene[winner], purse=scene[winner].purse + scene[STAKE]))
    await change(loser, replace(scene[loser], purse=scene[loser].purse - scene[STAKE]))
    return mine is theirs


@action("sleight", "coin.sleight.sleight")
async def sleight(scene: Scene, who: Who[Gambler]) -> int:
    """A six that nobody sees."""
    thrown = await roll(SLEIGHT, who, Pool.of((D6, 1)), Total, audience=Audience.MASTER)
    noticed = await rule_on(NOTICED, 0, low=0, high=5, audience=Audience.MASTER)
    await change(who, replace(scene[who], nerve=scene[who].nerve + noticed))
    if thrown.total == scene[FACE]:
        await change(who, replace(scene[who], purse=scene[who].purse + scene[SLIPPED]))
    return thrown.total


SYSTEM: Final = System(
    name="coin",
    title="Three coins",
    folder=Path(__file__).parent,
    version=1,
    sheet=Gambler,
    actions=actions_of(__name__),
)
