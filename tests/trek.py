"""The smallest system with a journey, fights inside it, and wounds that fester one by one."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, Final, final

from referee.core import (
    CLOCK,
    Action,
    Audience,
    Call,
    Encounter,
    Hidden,
    Open,
    Scene,
    System,
    Unit,
    Who,
    advance_clock,
    alter,
    cancel_deadline,
    change,
    rule,
    set_deadline,
)
from referee.core.clock import PASSING


@final
@dataclass(frozen=True, slots=True)
class Hiker:
    festered: Open[tuple[str, ...]] = ()
    doom: Hidden[int] = 0

    def festering(self, where: str) -> Hiker:
        return replace(self, festered=(*self.festered, where))


@final
@dataclass(frozen=True, slots=True)
class Diary:
    """What happened, and at which hour."""

    lines: Open[tuple[str, ...]] = ()


@final
@dataclass(frozen=True, slots=True)
class Journey(Encounter):
    """So many legs; on one of them is a brawl."""

    legs: Open[int]
    brawl_at: Open[int] = 0

    def next_step(self, scene: Scene, me: Who[Any]) -> Call[Any]:
        return walk(me)

    def over(self, scene: Scene, me: Who[Any]) -> Hashable | None:
        return "arrived" if self.legs == 0 else None


@final
@dataclass(frozen=True, slots=True)
class Brawl(Encounter):
    """So many rounds."""

    rounds: Open[int]
    within: Open[str] = ""
    several: ClassVar[bool] = True

    def next_step(self, scene: Scene, me: Who[Any]) -> Call[Any]:
        return exchange(me)

    def over(self, scene: Scene, me: Who[Any]) -> Hashable | None:
        return "won" if self.rounds == 0 else None


DIARY: Final = Who("diary", Diary)
JOURNEY: Final = Who("journey", Journey)
BRAWL: Final = Who("brawl", Brawl)
ANA: Final = Who("ana", Hiker)


@rule("trek.write")
async def write_down(scene: Scene, what: str) -> None:
    """Write a line of the diary."""
    await change(DIARY, Diary((*scene[DIARY].lines, f"{what} at {scene[CLOCK].now}")))


@rule("trek.walk")
async def walk(scene: Scene, journey: Who[Journey]) -> None:
    """One leg takes six hours; a brawl begins at its end."""
    legs = scene[journey].legs
    await change(journey, replace(scene[journey], legs=legs - 1))
    await write_down(f"{journey} {legs}")
    if legs == scene[journey].brawl_at:
        await change(BRAWL, Brawl(2, within=journey.name))
    await advance_clock(6, journey)


@rule("trek.exchange")
async def exchange(scene: Scene, brawl: Who[Brawl]) -> None:
    """One round takes an hour, unless a journey counts the hours."""
    await change(brawl, replace(scene[brawl], rounds=scene[brawl].rounds - 1))
    await write_down(str(brawl))
    await advance_clock(1, brawl)


@rule("trek.fester")
async def fester(scene: Scene, who: Who[Hiker], about: str) -> None:
    """A wound that was left alone festers."""
    await alter(who, Hiker.festering, about)
    await write_down(f"{who}'s {about}")


@rule("trek.doom")
async def doom(scene: Scene, who: Who[Hiker]) -> None:
    """Something comes closer, and no one notices."""
    await change(who, replace(scene[who], doom=scene[who].doom + 1))


@rule("trek.ambush")
async def ambush(scene: Scene, who: Who[Hiker]) -> None:
    """Time stands still until a brawl is over."""
    await write_down("ambush")
    await change(BRAWL, Brawl(2, within=PASSING.name))


@rule("trek.wound")
async def wound(scene: Scene, who: Who[Hiker], where: str = "leg", hours: int = 1) -> None:
    """A wound festers after some hours."""
    await set_deadline(hours, who, fester, about=where)


@rule("trek.treat")
async def treat(scene: Scene, who: Who[Hiker], where: str = "leg") -> None:
    """A wound that is treated does not fester."""
    await cancel_deadline(who, fester, about=where)


@rule("trek.curse")
async def curse(scene: Scene, who: Who[Hiker], hours: int, own: bool = False) -> None:
    """Something that only the game master knows of, or also the one it concerns."""
    await set_deadline(hours, who, doom, audience=Audience.OWNER if own else Audience.MASTER)


@rule("trek.rest")
async def rest(scene: Scene, hours: int = 1) -> None:
    """Time passes."""
    await advance_clock(hours)


def units(scene: Scene) -> tuple[Unit, ...]:
    return (Unit("Hour", 1), Unit("Watch", 4), Unit("Day", 24))


TREK: Final = System(
    "trek",
    "Trek",
    Path(__file__).parent / "trek_package",
    1,
    Hiker,
    (Diary, Journey, Brawl),
    (Action("wound", wound), Action("treat", treat), Action("rest", rest, master=True)),
    units=units,
)
