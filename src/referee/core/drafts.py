"""Drafts: a character in the making, and what its player may choose, pays, still lacks and may not have.

A system declares its creation once: steps of fields, each with its options, prices and reasons. All of these are pure
functions of the draft and the rulebook, so the same declaration serves forms, commands and chance: a random character
is the same steps answered at random. Advancement is declared the same way, upon a sheet that exists.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from random import Random
from typing import Any, Final, NamedTuple, TypeAlias, TypeVar, final

from referee.core.dice import Pool
from referee.core.errors import BadInput
from referee.core.plain import Plain, frozen, read
from referee.core.scene import Scene

T = TypeVar("T")

Price: TypeAlias = int | Fraction
LONGEST_TEXT: Final = 2_000
LONGEST_ENTRY: Final = 60
MOST_ENTRIES: Final = 60
"""How many entries a field may have if its declaration does not say."""
MOST_POINTS: Final = 10_000
HOUSE: Final = "referee.table.drafts"
"""The rule that is named where no rule of the game applies."""


class Reason(NamedTuple):
    """Why something is barred, and by which rule."""

    because: str
    rule: str


@final
@frozen
class Draft:
    """What has been answered so far, by field; for advancement, also the sheet as it was. Every change is a new one."""

    answers: Mapping[str, Plain] = field(default_factory=dict)
    sheet: Any = None
    who: str = ""
    """Who grows, by the name in the scene."""

    def one(self, field: str) -> str:
        """What was picked or written; empty if nothing was."""
        return str(self.answers.get(field) or "")

    def several(self, field: str) -> tuple[str, ...]:
        """Everything that was picked."""
        return tuple(self.answers.get(field) or ())

    def level(self, field: str, name: str, start: int = 0) -> int:
        """The level of one part of a spread; `start` if it was never touched."""
        return int((self.answers.get(field) or {}).get(name, start))

    def dice(self, field: str) -> tuple[int, ...]:
        """The pips of a throw; none if it has not been made."""
        return tuple(pip for group in self.answers.get(field) or () for pip in group)

    def but(self, field: str, answer: Plain) -> Draft:
        """The same draft with one answer changed; None takes it away."""
        left = {key: value for key, value in self.answers.items() if key != field}
        return replace(self, answers=left if answer is None else {**left, field: answer})


Reads: TypeAlias = Callable[[Scene, Draft], T]
"""A function of the draft. Its scene holds the rulebook and nothing else; for advancement, what its player knows."""


def _never(scene: Scene, draft: Draft) -> Reason | None:
    return None


def _no_objection(scene: Scene, draft: Draft, entry: str) -> Reason | None:
    return None


def _level_is_price(level: int) -> Price:
    return level


# --- the declaration --------------------------------------------------------------------------------------------------


@final
@dataclass(frozen=True)
class DraftOption:
    """Something to pick: its price, and why it may not be picked."""

    name: str
    price: Price = 0
    barred: Reason | None = None
    says: str = ""
    group: str = ""
    weight: int = 1
    """How likely it is at random, against the other options."""
    takes: int = 0
    """How much time it takes, in the smallest unit."""


@final
@dataclass(frozen=True)
class Part:
    """One of the levels that points are spread over."""

    name: str
    least: int = 0
    most: int | None = None
    why: Reason | None = None
    """The reason for its bounds: "needs Driving 2"."""
    price: Callable[[int], Price] = _level_is_price
    """What a level costs in all."""
    start: int | None = None
    """The level before anyone has touched it; if None, the least."""
    says: str = ""
    group: str = ""
    write: Callable[[int], str] = str
    """How a level is written, where it is more than a number: 3D for nine pips."""
    takes: Callable[[int], int] | None = None
    """How much time a level takes in all, in the smallest unit; None if that is no question."""

    @property
    def begins(self) -> int:
        return self.least if self.start is None else self.start


@dataclass(frozen=True)
class DraftField(ABC):
    """Something to answer."""

    kind = "field"

    key: str
    rule: str = field(default=HOUSE, kw_only=True)
    """The rule behind it; refusals name it where no narrower reason does."""
    budget: str = field(default="", kw_only=True)
    """The budget its prices come from."""
    when: Reads[Reason | None] = field(default=_never, kw_only=True)
    """Why it cannot be answered now; None if it can."""
    chance: Callable[[Scene, Draft, Random], Plain] | None = field(default=None, kw_only=True)
    """How chance answers it, where an even choice among what is legal would not do."""

    @abstractmethod
    def read(self, plain: Plain, before: Plain) -> Plain:
        """An answer in its stored form; `before` is the answer so far."""


@final
@dataclass(frozen=True)
class PickOne(DraftField):
    """One of several options."""

    kind = "pick-one"

    options: Reads[Iterable[DraftOption]]
    optional: bool = False

    def read(self, plain: Plain, before: Plain) -> Plain:
        return _text(plain, LONGEST_ENTRY * 2)


@final
@dataclass(frozen=True)
class PickSeveral(DraftField):
    """Some of several options, each at most once."""

    kind = "pick-several"

    options: Reads[Iterable[DraftOption]]
    least: int | Reads[int] = 0
    most: int | Reads[int] = MOST_ENTRIES
    own: Price | None = None
    """What an entry in one's own words costs; None if there are none."""
    judge: Callable[[Scene, Draft, str], Reason | None] = _no_objection
    """Why an entry in one's own words cannot be had; None if it can."""

    def read(self, plain: Plain, before: Plain) -> Plain:
        given: tuple[str, ...] = read(tuple[str, ...], plain)
        names = [_text(each, LONGEST_ENTRY * 2) for each in given]
        if len(set(names)) < len(names):
            raise BadInput(self.key, "each only once")
        return names


@final
@dataclass(frozen=True)
class SpreadPoints(DraftField):
    """Levels of several parts, usually paid for from a budget."""

    kind = "spread-points"

    parts: Reads[Iterable[Part]]
    level: Callable[[str, str], int] | None = field(default=None, kw_only=True)
    """The level of a part that is meant, where it may be given as its parts write it."""
    judge: Callable[[Scene, Draft, str], Reason | None] = field(default=_no_objection, kw_only=True)
    """Why a part that is not listed cannot be had; None if there is no such thing."""

    def read(self, plain: Plain, before: Plain) -> Plain:
        written: dict[str, int | str] = read(dict[str, int | str], plain)
        given = {name: self._level(name, level) for name, level in written.items()}
        for name, level in given.items():
            if abs(level) > MOST_POINTS:
                raise BadInput(name, f"{level} is out of range")
        return {**(before or {}), **given}

    def _level(self, name: str, written: int | str) -> int:
        if isinstance(written, str) and self.level is not None:
            try:
                return self.level(name, written)
            except BadInput as problem:
                raise problem.within(name) from None
        return int(read(int, written, name))


@final
@dataclass(frozen=True)
class WriteText(DraftField):
    """Something in the player's own words."""

    kind = "write-text"

    longest: int = 200
    optional: bool = False

    def read(self, plain: Plain, before: Plain) -> Plain:
        return _text(plain, min(self.longest, LONGEST_TEXT), lines=self.longest > LONGEST_ENTRY) or None


@final
@dataclass(frozen=True)
class RollDice(DraftField):
    """A throw of the table's dice, made once and kept."""

    kind = "roll-dice"

    dice: Reads[Pool]
    fixes: tuple[str, ...] = ()
    """Fields that cannot be changed once the dice have been seen, because the throw depends on them."""

    def read(self, plain: Plain, before: Plain) -> Plain:
        raise BadInput(self.key, "is rolled, not set")


def _text(plain: Plain, longest: int, *, lines: bool = False) -> str:
    text: str = str(plain) if type(plain) is int else read(str, plain)
    text = text.strip()
    if len(text) > longest:
        raise BadInput("", f"must be at most {longest} characters")
    if not (text.replace("\n", "") if lines else text).isprintable():
        raise BadInput("", "must be printable characters")
    return text


NAME: Final = WriteText("name", LONGEST_ENTRY)
"""The name of the character. A creation that places it in none of its steps asks for it at the end."""


@final
@dataclass(frozen=True)
class DraftBudget:
    """Points to spend."""

    key: str
    amount: Reads[Price]
    rule: str
    exact: bool = True
    """Whether all of them must be spent."""
    spare: bool = True
    """Whether what is left is named before the end; a rating that one keeps is not."""


@final
@dataclass(frozen=True)
class DraftStep:
    """Fields that are answered together."""

    key: str
    fields: tuple[DraftField, ...] | Reads[tuple[DraftField, ...]]
    when: Reads[Reason | None] = _never
    """Why the step cannot be taken yet; None if it can."""


class Lack(NamedTuple):
    """Something that stands between a draft and its end."""

    step: str
    key: str
    """The field or budget."""
    because: str
    rule: str


class Planned(NamedTuple):
    """Something that a character is going to grow in, in the order in which it is done."""

    name: str
    to: str
    """What it comes to, as it is written."""
    price: Price
    takes: int = 0
    """How much time it takes, in the smallest unit."""
    says: str = ""


@final
@dataclass(frozen=True)
class Creation:
    """How a character is built (or advanced): steps, budgets, and the sheet that comes of it."""

    steps: tuple[DraftStep, ...]
    finish: Reads[Any]
    """The sheet of a draft. Of one that still lacks something it is the sheet as far as it goes."""
    budgets: tuple[DraftBudget, ...] = ()
    templates: Callable[[Scene], Mapping[str, Mapping[str, Plain]]] = lambda scene: {}
    """Ready answers to start from, by name."""
    spelled: Callable[[Scene, dict[str, Plain]], dict[str, Plain]] = lambda scene, answers: answers
    """Answers as people write them, each by the field that it belongs to."""
    check: Reads[Iterable[Lack]] = lambda scene, draft: ()
    """What is wrong with the draft as a whole, beyond its single fields."""
    grown: Reads[Any] | None = None
    """For advancement that takes time: the sheet once that time is over. None: the sheet that is finished."""
    plan: Reads[Iterable[Planned]] | None = None
    """What advancement comes to, one thing after the other. None: what was raised or picked, step by step."""
    time_left: Reads[int | None] = lambda scene, draft: None
    """The time that is left for training after the plan, in the smallest unit; None if nobody counts it."""

    def outlook(self, scene: Scene, draft: Draft) -> Any:
        """The sheet that chances are about: once whatever takes time is over."""
        return (self.grown or self.finish)(scene, draft)
