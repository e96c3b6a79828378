"""A system for the tests of options: a switch, choices, exclusions, and what depends on them; and a rule that errs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path
from typing import Annotated, Final, assert_never, final

from referee.core import (
    D6,
    Action,
    OnlyWith,
    Open,
    Pool,
    Prompt,
    Refused,
    Scene,
    System,
    Total,
    Who,
    alter,
    figure,
    formula,
    option,
    roll,
    rule,
)


class One(Enum):
    """What a one means."""

    OFF = "off"
    AGAIN = "again"
    LOST = "lost"


class Order(Enum):
    """Who throws first."""

    YOUNG = "young"
    OLD = "old"


NEEDED: Final = figure("fair.throw.throw", "needed", int)
STEPS: Final = figure("fair.throw.elders", "steps", int)
DEBT: Final = figure("fair.debts.debt", "coins", int)
ONE: Final = option("fair.throw.one", One)
ORDER: Final = option("fair.throw.order", Order)
LUCK: Final = option("fair.luck.luck")
BALL: Final = Prompt("ball")
ONE_PIP: Final = 1


@final
@dataclass(frozen=True, slots=True)
class Guest:
    """Someone at the fair."""

    coins: Open[int] = 5
    luck: Annotated[Open[int], OnlyWith("fair.luck.luck")] = 2

    def paid(self, coins: int) -> Guest:
        return replace(self, coins=self.coins - coins)

    def pushed(self) -> Guest:
        return replace(self, coins=self.coins + 1, luck=self.luck - 1)


@rule("fair.throw.throw", "fair.throw.one")
async def throw(scene: Scene, who: Who[Guest]) -> bool:
    """A four or more wins a coin; what a one means, the table decides."""
    thrown = (await roll(BALL, who, Pool.of((D6, 1)), Total)).total
    if thrown == ONE_PIP:
        match scene[ONE]:
            case One.OFF:
                pass
            case One.AGAIN:
                thrown = (await roll(BALL, who, Pool.of((D6, 1)), Total)).total
            case One.LOST:
                await alter(who, Guest.paid, 1)
            case _ as never:
                assert_never(never)
    won = thrown >= scene[NEEDED]
    await alter(who, Guest.paid, -1 if won else 1)
    return won


@rule("fair.luck.push")
async def push(scene: Scene, who: Who[Guest]) -> None:
    """A point of luck becomes a coin."""
    await alter(who, Guest.pushed)


@formula("fair.throw.elders")
def steps_closer(scene: Scene, who: Who[Guest]) -> int:
    """How much closer the oldest stand."""
    return scene[STEPS]


@rule("fair.throw.throw/first", option="fair.throw.order=young")
async def youngest_first(scene: Scene, who: Who[Guest]) -> str:
    """The youngest is called up."""
    return str(who)


@rule("fair.debts.debt/try")
async def luck_or_debt(scene: Scene, who: Who[Guest]) -> str:
    """Luck, where there is any, else debts."""
    try:
        await push(who)
    except Refused:
        return "debt"
    return "luck"


@rule("fair.debts.debt")
async def call_in(scene: Scene, who: Who[Guest]) -> None:
    """The coins are taken, whether there are any or not; that is the mistake."""
    await alter(who, Guest.paid, scene[DEBT])


def check_guest(scene: Scene, who: Who[Guest]) -> None:
    """Nobody has fewer coins than none."""
    if scene[who].coins < 0:
        raise Refused("coins", because=f"{who} has {scene[who].coins}", rule="fair.debts.none")


SYSTEM: Final = System(
    name="fair",
    title="The fair",
    folder=Path(__file__).parent,
    version=1,
    sheet=Guest,
    actions=(Action("throw", throw), Action("push", push), Action("debt", call_in)),
    check=check_guest,
)
