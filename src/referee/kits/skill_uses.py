"""Uses of skills as rows: what they are rolled with, how hard they are, what helps, what they take and bring.

A game reads the rows from its rulebook, with `rows(…, SkillUse)`. The kit finds difficulties, modifiers, times and
what a margin brings; how a roll is made is the game's.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import ceil, inf
from typing import Final, Literal, TypeAlias

from referee.core import DICE, DIFFICULTY, TOTAL, BadInput, Effect, Hidden, Levels, Mod, Mods, Open, Scene, Who, frozen
from referee.core.errors import refuse
from referee.core.plain import Plain, as_spelled, read, read_fields
from referee.kits.dice_codes import Code
from referee.kits.wounds import TimeSpan

Goes: TypeAlias = Literal["difficulty", "roll", "dice", "other"]
"""Where a circumstance counts: the difficulty, one's own total, one's own dice, the total of whoever opposes it."""
COLUMNS: Final[Mapping[str, Goes]] = {"harder": "difficulty", "roll": "roll", "dice": "dice", "other": "other"}


# --- circumstances ----------------------------------------------------------------------------------------------------


@frozen
class Amount:
    """How much a circumstance counts: `5`, from where to where `[5, 15]`, at least so much `5+`, or `each 1`."""

    usual: int = 0
    most: float = 0
    counted: bool = False

    @classmethod
    def from_plain(cls, plain: Plain) -> Amount:
        if isinstance(plain, Amount):
            return plain
        if isinstance(plain, str) and plain.startswith("each "):
            return cls(int(plain.removeprefix("each ")), inf, counted=True)
        if isinstance(plain, str) and plain.endswith("+"):
            return cls(int(plain[:-1]), inf)
        ends: tuple[int, ...] = read(tuple[int, ...], plain if isinstance(plain, list) else [plain])
        if len(ends) not in (1, 2):
            raise BadInput("", f"must be a number, [5, 15], 5+ or each 1, not {plain!r}")
        return cls(ends[0], ends[-1])

    @property
    def says(self) -> str:
        """The amount for people: `+5 to +15`, `+10 or more`, `+1 each`."""
        if self.counted:
            return f"{self.usual:+} each"
        if self.usual == self.most:
            return f"{self.usual:+}"
        return f"{self.usual:+} or more" if self.most == inf else f"{self.usual:+} to {self.most:+g}"

    def counts(self, said: int | None, name: str, rule: str) -> int:
        """What it comes to; where nobody says, the least of it, or one."""
        if self.counted:
            if said is not None and said < 1:
                refuse("it is counted from 1 on", what=name, rule=rule)
            return self.usual * (1 if said is None else said)
        found = self.usual if said is None else said
        if not min(self.usual, self.most) <= found <= max(self.usual, self.most):
            refuse(f"it is {self.says}", what=name, rule=rule, legal=(self.says,))
        return found


@frozen
class Circumstance:
    """What makes a use harder or easier, or betters a roll."""

    name: str
    adds: Amount = Amount()
    to: Goes = "difficulty"
    time: int = 1
    """How many times as long it then takes."""
    measure: float = 1
    """How many times as far it then goes."""
    secured: bool = False
    """Whether nothing worse comes of a failure than what the use names for it."""
    impossible: str = ""
    """Why there is no roll at all."""

    def mod(self, said: int | None, rule: str) -> Mod:
        unit = {"difficulty": DIFFICULTY, "dice": DICE}.get(self.to, TOTAL)
        return Mod(self.adds.counts(said, self.name, rule), self.name, rule, unit=unit)


@frozen
class Measure:
    """A difficulty that goes by a measure: points of it, and what more of it adds beyond the last."""

    of: str
    points: tuple[tuple[float, int], ...] = ()
    """Without them it only counts how much there is of it, for the time it takes."""
    free_below: float = 0
    """Less than this takes no roll."""
    nothing_below: float = 0
    """Less than this is as easy as can be: a difficulty of 0."""
    least: float = 0
    each: float = 0
    adds: int = 0
    between: Literal["linear", "next"] = "linear"
    """Between two points: on a line, rounded up, or what the next one says."""

    def difficulty(self, amount: float) -> int | None:
        """How hard so much of it is; None beyond the last point, where somebody has to say."""
        if amount < self.nothing_below:
            return 0
        (last, hardest), lower = self.points[-1], self.points[0]
        if amount > last:
            return hardest + self.adds * ceil((amount - last) / self.each) if self.each else None
        for point in self.points:
            if amount <= point[0]:
                share = (amount - lower[0]) / (point[0] - lower[0]) if point[0] > lower[0] else 1
                return ceil(lower[1] + share * (point[1] - lower[1])) if self.between == "linear" else point[1]
            lower = point
        return hardest


# --- what comes of it -------------------------------------------------------------------------------------------------


@frozen
class UseOutcome:
    """What a margin, or a total, brings from a number on: in words, and as effects on whoever acts."""

    start: int
    brings: str
    effects: tuple[Effect, ...] = ()

    @classmethod
    def several(cls, plain: Plain) -> list[Plain]:
        """Outcomes by the number they begin with: `{0: poor, 10: {brings: good}}`."""
        rows = plain.items() if isinstance(plain, Mapping) else ()
        return [{"start": at, **(each if isinstance(each, Mapping) else {"brings": each})} for at, each in rows]


@frozen
class MarginWorth:
    """What each point, or so many points, of a margin is worth: a metre, a percent of the price."""

    each: int
    of: str
    rounded: Literal["down", "up"] = "down"
    least: int = 0
    lost: str = ""
    """What a margin of failure is worth to the other side."""
    taken: bool = False
    """Whether the other side loses what it is worth."""

    def counts(self, margin: int) -> int:
        if margin < 0:
            return -self.counts(-margin) if self.lost else 0
        found = margin // self.each if self.rounded == "down" else ceil(margin / self.each)
        return max(self.least, found)


@frozen
class UseTask:
    """One of the things a use can be about: how hard it is, and how long it takes if that differs."""

    name: str
    level: str = ""
    hardest: str = ""
    """The hardest it can be, where the book names a range."""
    plus: int = 0
    """On top of what it is rolled against: 10 + the builder's roll."""
    time: TimeSpan | None = None
    each: str = ""
    """What the time is for each of: a page."""
    brings: str = ""
    impossible: str = ""


# --- the use ----------------------------------------------------------------------------------------------------------


@frozen
class SkillUse:
    """A use of a skill."""

    name: str
    using: tuple[str, ...]
    """The abilities it may be rolled with; the first, unless somebody says otherwise."""
    fields: tuple[str, ...] = ()
    """The specializations of them that it is always a case of; any other is for whoever says so."""
    tasks: tuple[UseTask, ...] = ()
    graded: bool = False
    """Whether it has a task for each level of difficulty, since the book names none."""
    level: str = ""
    """How hard it is, where it has no tasks."""
    number: int = 0
    needs_number: str = ""
    """What number somebody has to say: the difficulty of the movement."""
    harder: tuple[Circumstance, ...] = ()
    """What may change the difficulty."""
    roll: tuple[Circumstance, ...] = ()
    """What may change one's own total."""
    dice: tuple[Circumstance, ...] = ()
    other: tuple[Circumstance, ...] = ()
    """What may change the total of whoever opposes it."""
    always: tuple[Circumstance, ...] = ()
    """What changes one's own total whenever it is used."""
    always_harder: tuple[Circumstance, ...] = ()
    always_dice: tuple[Circumstance, ...] = ()
    measure: Measure | None = None
    against: tuple[str, ...] = ()
    """The abilities that somebody else may oppose it with."""
    against_code: str = ""
    """What has a code of its own that it is opposed by: the orneriness of an animal."""
    least_code: Code | None = None
    """The least code that may oppose it."""
    opposed: Literal["must", "may"] = "must"
    two_way: bool = False
    """Whether both want something of the other: then nobody wins a tie."""
    keeps: str = ""
    """What its total is kept as, for others to roll against."""
    unseen: bool = False
    """Whether others do not even know that it is there, until the game master reveals it."""
    faces: tuple[str, ...] = ()
    """The kinds of kept totals that it is rolled against."""
    hidden: bool = False
    """Whether whoever rolls does not see the dice."""
    secret: bool = False
    """Whether the game master keeps the difficulty."""
    sight: bool = False
    """Whether what can be seen matters to whoever rolls."""
    sight_of_other: bool = False
    social: bool = False
    no_action: bool = False
    """Whether it counts for none of several things done at once."""
    second_chance: str = ""
    """What a failure brings that Willpower has not made up for; without it Willpower is of no use."""
    situation: tuple[str, ...] = ()
    """What merits and flaws may care about."""
    same_skill: bool = False
    """Whether the other side must use the same ability."""
    restricted_by: tuple[str, ...] = ()
    """Skills whose code it cannot exceed, unless they are mastered."""
    capped_by: tuple[str, ...] = ()
    """Skills whose code it can never exceed."""
    time: TimeSpan | None = None
    time_for_each: str = ""
    """What the time is for each of: a metre, 10 metres."""
    by_margin: tuple[UseOutcome, ...] = ()
    by_total: tuple[UseOutcome, ...] = ()
    by_dice: tuple[str, ...] = ()
    """What margins bring by the dice of the code against it: success above, at, below them; failure within, beyond."""
    brings: str = ""
    """What a success brings, where nothing more is said."""
    failures: tuple[str, ...] = ()
    """What the first failure brings, and every further one."""
    fumbled: str = ""
    """What a fumble brings."""
    secured: str = ""
    """What a failure or a fumble brings at worst with a circumstance that secures against more."""
    worth: MarginWorth | None = None
    words: tuple[str, ...] = ()
    """Words by which people look for it, besides those of its name."""

    @classmethod
    def from_plain(cls, plain: Plain) -> SkillUse:
        """Tasks by their names, circumstances in columns by what they count for, outcomes by where they begin."""
        if isinstance(plain, SkillUse) or not isinstance(plain, Mapping):
            return read(cls, plain)
        found = dict(plain)
        if isinstance(tasks := found.get("tasks"), Mapping):
            found["tasks"] = [_named(name, each, "level") for name, each in tasks.items()]
        for column, to in (*COLUMNS.items(), *_ALWAYS.items()):
            if isinstance(found.get(column), Mapping):
                found[column] = [_circumstance(name, each, to) for name, each in found[column].items()]
        for column in ("by_margin", "by_total"):
            if isinstance(found.get(column), Mapping):
                found[column] = UseOutcome.several(found[column])
        made: SkillUse = read_fields(cls, found)
        return made

    @property
    def circumstances(self) -> tuple[Circumstance, ...]:
        """All that somebody may say helps or hinders."""
        return (*self.harder, *self.roll, *self.dice, *self.other)

    @property
    def index(self) -> tuple[str, ...]:
        """Words by which people look for it, besides those of its name."""
        return (*self.words, *self.using, *(each.name for each in self.tasks if not each.impossible))

    # --- how hard it is -----------------------------------------------------------------------------------------------

    def task(self, name: str) -> UseTask:
        if self.graded:
            return UseTask(name, name)
        return next((each for each in self.tasks if each.name == name), UseTask("", self.level))

    def said(self, circumstances: Iterable[str], amounts: Levels) -> tuple[tuple[str, ...], Levels]:
        """What is said of the circumstances, as the book writes them; of whose amount is said, that is one of them."""
        names = [each.name for each in self.circumstances]
        counted = Levels({as_spelled(name, names): amount for name, amount in amounts.items()})
        return tuple(dict.fromkeys((*circumstances, *counted))), counted

    def named(self, said: Iterable[str]) -> tuple[Circumstance, ...]:
        wanted = tuple(said)
        always = (*self.always, *self.always_harder, *self.always_dice)
        return (*always, *(each for each in self.circumstances if each.name in wanted))

    def mods(self, said: Iterable[str], amounts: Levels, rule: str, *, other: bool = False) -> Mods:
        """What circumstances do to one's own roll and its difficulty, or to the other's roll."""
        mine = (each for each in self.named(said) if (each.to == "other") is other)
        return tuple(each.mod(amounts.get(each.name), rule) for each in mine)

    def check(self, task: str, said: tuple[str, ...], amounts: Levels, measure: float, rule: str) -> None:
        """Circumstances within their range, nothing that is impossible, no measure that takes no roll."""
        if unknown := set(amounts) - {each.name for each in self.circumstances}:
            names = (each.name for each in self.circumstances)
            refuse("it is not among the circumstances", what=min(unknown), rule=rule, legal=names)
        _ = self.mods(said, amounts, rule), self.mods(said, amounts, rule, other=True)
        for why in (self.task(task).impossible, *(each.impossible for each in self.named(said))):
            if why:
                refuse(why, what=self.name, rule=rule)
        if self.measure is not None and self.goes(measure, said) < self.measure.free_below:
            refuse(f"less than {self.measure.free_below:g} {self.measure.of} takes no roll", rule=rule)
        if self.measure is not None and measure < self.measure.least:
            refuse(f"at least {self.measure.least:g} {self.measure.of}", rule=rule)

    def goes(self, amount: float, said: Iterable[str]) -> float:
        """The measure that counts: with a pole one jumps twice as far."""
        return amount / max((each.measure for each in self.named(said)), default=1)

    # --- how long it takes --------------------------------------------------------------------------------------------

    def lasts(self, task: str, said: Iterable[str], amount: float) -> tuple[TimeSpan | None, int]:
        """How long it takes, and how many times that."""
        longer = max((each.time for each in self.named(said)), default=1)
        per = self.task(task).each or self.time_for_each
        number, _, _ = per.rpartition(" ")
        each = ceil(amount / (int(number) if number.isdecimal() else 1)) if per else 1
        return self.task(task).time or self.time, longer * max(1, each)

    # --- what it brings -----------------------------------------------------------------------------------------------

    def outcome(self, total: int, margin: int, code_dice: int = 0) -> UseOutcome | None:
        """What a roll brings by its total or its margin; the margin of a failure is below 0."""
        if self.by_dice:
            return UseOutcome(margin, self.by_dice[_by_dice(margin, code_dice)])
        for table, number in ((self.by_total, total), (self.by_margin, margin)):
            for each in sorted(table, key=lambda row: row.start, reverse=True):
                if number >= each.start:
                    return each
        return None

    def brought(self, total: int, margin: int, fumble: bool, said: tuple[str, ...], failed: int, dice: int = 0) -> str:
        """What a roll brings, in the book's words."""
        safe = self.secured if any(each.secured for each in self.named(said)) else ""
        if fumble and self.fumbled:
            return safe or self.fumbled
        if (found := self.outcome(total, margin, dice)) is not None:
            return found.brings
        if margin < 0:
            return (safe or self.failures[min(failed, len(self.failures) - 1)]) if self.failures else ""
        return self.brings


_ALWAYS: Final[Mapping[str, Goes]] = {"always": "roll", "always_harder": "difficulty", "always_dice": "dice"}


def _circumstance(name: str, plain: Plain, to: Goes) -> Plain:
    return {**_named(name, plain, "adds"), "to": to}


def _named(name: str, plain: Plain, short: str) -> dict[str, Plain]:
    """A row under its name; a value that is no mapping is that of its main column."""
    return {"name": name, **(plain if isinstance(plain, Mapping) else {short: plain})}


def _by_dice(margin: int, dice: int) -> int:
    """Which of five: success above, equal to or below so many dice; failure within or beyond them."""
    if margin < 0:
        return 3 if -margin <= dice else 4
    return 0 if margin > dice else 1 if margin == dice else 2


# --- kept totals ------------------------------------------------------------------------------------------------------


@frozen
class KeptRoll:
    """A total that others will roll against: how well something was hidden, forged, set."""

    of: Open[str] = ""
    """Whose it is."""
    what: Open[str] = ""
    total: Hidden[int] = 0


def kept_rolls(scene: Scene, kinds: tuple[str, ...]) -> tuple[Who[KeptRoll], ...]:
    """Those of some kinds."""
    return tuple(each for each in scene.all(KeptRoll) if scene[each].what in kinds)
