"""Wounds: ladders of levels, wounds with their countdowns, treatment, and healing by the clock.

A game reads its tables from its rulebook; the kit has the arithmetic. How long something takes is a `TimeSpan`, such as
"D6 rounds" or "2D6 days". When a wound comes due is kept in one place, the clock, as a deadline about that wound.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, ClassVar, Final, Self, TypeVar

from referee.core import CLOCK, BadInput, Clock, Pool, Prompt, Refused, Scene, Total, Who, frozen, number_die, roll
from referee.core.clock import AnyRule, Deadline
from referee.core.plain import Plain
from referee.core.questions import Request
from referee.core.requests import Alter

RULE: Final = "referee.wounds.wound"


# --- how long


_UNIT: Final = re.compile(r"round|turn|minute|hour|shift|quarter day|day|week|month", re.IGNORECASE)
"""One of it, if no number is said."""
_SPAN: Final = re.compile(
    r"(?:(?P<dice>[0-9]*)[dD](?P<sides>[0-9]*)(?:\s*[x*]\s*(?P<times>[0-9]+))?(?:\s*\+\s*(?P<plus>[0-9]+))?|(?P<number>[0-9]+))"
    r"(?:\s+(?P<unit>[A-Za-z].*))?"
)


@frozen
class TimeSpan:
    """A stretch of time that may be rolled: `D6 rounds`, `2D6 days`, `1d x 10 minutes`, `1 QD`."""

    dice: int = 0
    plus: int = 0
    unit: str = ""
    sides: int = 6
    times: int = 1

    @classmethod
    def from_plain(cls, plain: Plain) -> TimeSpan:
        if isinstance(plain, TimeSpan):
            return plain
        found = _SPAN.fullmatch(str(plain).strip())
        if found is None and _UNIT.fullmatch(str(plain).strip()):
            return cls(plus=1, unit=str(plain).strip())
        if found is None:
            raise BadInput("", f"must be a time such as 'D6 rounds' or '3 days', not {plain!r}")
        if found["number"]:
            return cls(plus=int(found["number"]), unit=found["unit"] or "")
        return cls(
            int(found["dice"] or 1),
            int(found["plus"] or 0),
            found["unit"] or "",
            int(found["sides"] or 6),
            int(found["times"] or 1),
        )

    def to_plain(self) -> Plain:
        dice = f"{self.dice}D{self.sides}" if self.dice else ""
        times = f" x {self.times}" if self.times != 1 else ""
        plus = (f" + {self.plus}" if dice else str(self.plus)) if self.plus or not dice else ""
        return f"{dice}{times}{plus} {self.unit}".strip()

    def size(self, units: Mapping[str, int]) -> int:
        """How much of the clock's smallest unit one of its units is; a unit may be named in the plural."""
        folded = {name.casefold(): size for name, size in units.items()}
        unit = self.unit.casefold()
        for name in (unit, unit.removesuffix("s")):
            if name in folded:
                return folded[name]
        raise BadInput("unit", f"{self.unit!r} is none of {', '.join(units)}")


async def how_long(scene: Scene, who: Who[Any], name: Prompt, span: TimeSpan, units: Mapping[str, int]) -> int:
    """A time in the clock's smallest unit; rolled if it has dice."""
    rolled = 0
    if span.dice:
        rolled = (await roll(name, who, Pool.of((number_die(span.sides), span.dice)), Total)).total
    return (rolled * span.times + span.plus) * span.size(units)


# --- levels


@frozen
class WoundLadder:
    """Levels of being hurt, from unhurt to the worst."""

    levels: tuple[str, ...]

    def rung(self, level: str) -> int:
        if level not in self.levels:
            raise Refused(level, because="there is no such level", rule=RULE, legal=self.levels)
        return self.levels.index(level)

    def is_worse(self, level: str, than: str) -> bool:
        return self.rung(level) > self.rung(than)

    def moved(self, level: str, steps: int) -> str:
        """Some steps worse, or better if negative; never beyond either end."""
        return self.levels[max(0, min(len(self.levels) - 1, self.rung(level) + steps))]

    def after(self, level: str, wound: str, steps: int = 1) -> str:
        """The level after another wound: a worse one replaces it, any other makes it worse by some steps."""
        return wound if self.is_worse(wound, level) else self.moved(level, steps)

    def with_level(self, level: str, after: str) -> WoundLadder:
        """A longer ladder, for somebody who can take more."""
        at = self.rung(after) + 1
        return WoundLadder((*self.levels[:at], level, *self.levels[at:]))

    def without(self, level: str) -> WoundLadder:
        """A shorter ladder, for somebody who can take less."""
        _ = self.rung(level)
        return WoundLadder(tuple(each for each in self.levels if each != level))


# --- wounds with a name


@frozen
class Wound:
    """A wound of somebody's: its row in a table, and what has been done for it. When it comes due, the clock knows."""

    known_by: ClassVar = ("name",)
    name: str
    """Its own name: a second one of a kind is a broken rib 2."""
    row: str = ""
    """Its row, if that is not its name."""
    table: str = ""
    """Which of the game's tables that is in."""
    limit: str = ""
    """How long one lives with it before a save is due, as the game counts it; nothing, once there is no danger."""
    tried: tuple[str, ...] = ()
    """Those who have tried to treat it, and may not again."""
    treated: bool = False
    cared_on: int | None = None
    """The last day on which care made it heal faster."""

    @property
    def kind(self) -> str:
        return self.row or self.name

    def after_try(self, by: Who[Any], *, success: bool) -> Self:
        """Once somebody has treated it: a success settles it, a failure bars only those who have tried."""
        return replace(self, treated=True) if success else replace(self, tried=(*self.tried, by.name))

    def with_new_chance(self) -> Self:
        """Something has changed (a save was made, better tools): whoever has tried may try again."""
        return replace(self, tried=())

    def check_treatment(self, by: Who[Any], *, rule: str) -> None:
        """Refuse, by this rule, a treatment that was had already, or one by somebody who has failed."""
        if self.treated:
            raise Refused(self.name, because="it has been treated", rule=rule)
        if by.name in self.tried:
            raise Refused(self.name, because=f"{by} has tried already", rule=rule)

    def check_care(self, today: int, *, rule: str) -> None:
        """Refuse a second day's care on one day."""
        if self.cared_on == today:
            raise Refused(self.name, because="it has had its care today", rule=rule)


W = TypeVar("W", bound=Wound)


def wound_of(wounds: Iterable[W], name: str, *, rule: str = RULE) -> W:
    """A wound by its name; refused by this rule if there is none."""
    listed = tuple(wounds)
    for each in listed:
        if each.name.casefold() == name.casefold():
            return each
    raise Refused(name, because="there is no such wound", rule=rule, legal=(each.name for each in listed))


def with_wound(wounds: Iterable[W], changed: W) -> tuple[W, ...]:
    """A wound in its new state, or one more."""
    listed = tuple(wounds)
    if all(each.name != changed.name for each in listed):
        return (*listed, changed)
    return tuple(changed if each.name == changed.name else each for each in listed)


def without_wound(wounds: Iterable[W], name: str) -> tuple[W, ...]:
    """Without a wound, which has healed."""
    return tuple(each for each in wounds if each.name != name)


def new_wound(wounds: Iterable[Wound], wound: W) -> W:
    """The wound, under a name that none of the others has."""
    taken = {each.name.casefold() for each in wounds}
    number, name = 1, wound.name
    while name.casefold() in taken:
        number += 1
        name = f"{wound.name} {number}"
    return wound if name == wound.name else replace(wound, name=name, row=wound.kind)


# --- the clock


def time_left(scene: Scene, who: Who[Any], run: AnyRule, about: str) -> int | None:
    """How long until a rule comes due about a wound; None if it does not."""
    at = scene[CLOCK].when(who, run, about)
    return None if at is None else at - scene[CLOCK].now


def hasten(who: Who[Any], run: AnyRule, by: int, *, about: str) -> Request[None]:
    """A rule comes due earlier about a wound (later, if negative), but never before now."""
    return Alter(CLOCK, lambda clock: _rescheduled(clock, who, run, about, lambda at: at - by))


def halve(who: Who[Any], run: AnyRule, *, about: str, parts: int = 2) -> Request[None]:
    """Only a half (or a third) of the time that is left remains, rounded up."""

    def sooner(clock: Clock) -> Clock:
        return _rescheduled(clock, who, run, about, lambda at: clock.now - (clock.now - at) // parts)

    return Alter(CLOCK, sooner)


def _rescheduled(clock: Clock, who: Who[Any], run: AnyRule, about: str, when: Callable[[int], int]) -> Clock:
    def moved(each: Deadline) -> Deadline:
        return replace(each, at=max(clock.now, when(each.at))) if each.is_for(who, run, about) else each

    return replace(clock, deadlines=tuple(moved(each) for each in clock.deadlines))
