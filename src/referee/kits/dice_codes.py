"""Dice codes such as 4D+2: arithmetic, rolls with a wild die, points that buy extra dice, odds.

A sheet holds a `Stat`, which is normal: its pips are fewer than a die is worth. What is rolled is a `Code`, which is
rolled as it is: 4D+4 is not 5D+1. A system builds its `CodeDice` from its own figures and options, and writes its rules
and their kernels with the functions below.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from enum import Enum
from fractions import Fraction
from functools import lru_cache
from typing import Any, Final, Literal, TypeAlias, TypeVar, cast, final

from referee.core import Active, BadInput, Die, Pool, Reading, Refused, Scene, Total, frozen, number_die
from referee.core.branches import LEFT_OUT, Branch, BranchEnd, ByChance, LaterRows, chosen
from referee.core.composed import decides_by_name
from referee.core.dice import Pips, die_falls, die_numbers
from referee.core.effects import ApplicableEffects
from referee.core.plain import Plain, read
from referee.core.questions import Choose, Request

T = TypeVar("T")
A = TypeVar("A")
B = TypeVar("B")

# --- codes ------------------------------------------------------------------------------------------------------------

_FORM: Final = re.compile(r"(?:([+-]?\d+)D)?([+-]\d+)?", re.IGNORECASE)

Rounding: TypeAlias = Literal["up", "down", "nearest"]
"""How a mean in pips becomes a whole number; the nearest of two equally near is the higher."""


@final
@frozen
class Code:
    """Dice and pips as they are rolled; neither is ever turned into the other."""

    dice: int = 0
    pips: int = 0

    def __add__(self, other: Code) -> Code:
        return Code(self.dice + other.dice, self.pips + other.pips)

    def __sub__(self, other: Code) -> Code:
        return Code(self.dice - other.dice, self.pips - other.pips)

    def __mul__(self, times: int) -> Code:
        return Code(self.dice * times, self.pips * times)

    __rmul__ = __mul__

    def __neg__(self) -> Code:
        return Code(-self.dice, -self.pips)

    def __str__(self) -> str:
        return f"{self.dice}D{self.pips:+d}" if self.pips else f"{self.dice}D"

    def in_pips(self, per_die: int) -> int:
        """All of it in pips, if a die is worth so many."""
        return self.dice * per_die + self.pips

    @classmethod
    def from_plain(cls, plain: Plain) -> Code:
        """A text such as `4D+2`, `2D-1`, `-1D` or `+2`, in capitals or not; 0 is none of anything."""
        if isinstance(plain, Code):
            return plain
        if plain in (0, "0") and plain is not False:
            return cls()
        text = plain.replace(" ", "") if isinstance(plain, str) else ""
        found = _FORM.fullmatch(text)
        if not text or found is None:
            raise BadInput("", f"must be a dice code such as 4D+2, not {plain!r}")
        return cls(int(found[1] or 0), int(found[2] or 0))

    def to_plain(self) -> Plain:
        return str(self)


@final
@frozen
class Stat:
    """An ability as a sheet holds it. Made by `of`, it is normal: at least 0 pips, and fewer than a die is worth."""

    dice: int = 0
    pips: int = 0

    @classmethod
    def of(cls, code: Code, per_die: int) -> Stat:
        """A code made normal: with three pips to a die, 2D+3 is 3D, and 2D-1 is 1D+2."""
        return cls(*divmod(code.in_pips(per_die), per_die))

    @property
    def code(self) -> Code:
        """What is rolled with it."""
        return Code(self.dice, self.pips)

    def raised(self, by: Code, per_die: int) -> Stat:
        """More of it (or less), made normal."""
        return Stat.of(self.code + by, per_die)

    def __str__(self) -> str:
        return str(self.code)

    @classmethod
    def from_plain(cls, plain: Plain) -> Stat:
        """As it is written; `check_stat` says whether it is normal."""
        if isinstance(plain, Stat):
            return plain
        code = Code.from_plain(plain)
        return cls(code.dice, code.pips)

    def to_plain(self) -> Plain:
        return str(self)


@final
class Stats(Mapping[str, Stat]):
    """A frozen mapping from names to stats: attributes, skills, specializations."""

    __slots__ = ("_hash", "_stats")

    def __init__(self, stats: Mapping[str, Stat] | None = None) -> None:
        self._stats = dict(sorted((stats or {}).items()))
        self._hash = hash(tuple(self._stats.items()))

    def __getitem__(self, name: str) -> Stat:
        return self._stats[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._stats)

    def __len__(self) -> int:
        return len(self._stats)

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Stats) and self._stats == other._stats

    def __repr__(self) -> str:
        return f"Stats({self.to_plain()})"

    def but(self, changed: Mapping[str, Stat]) -> Stats:
        return Stats({**self._stats, **changed})

    def without(self, name: str) -> Stats:
        return Stats({each: stat for each, stat in self._stats.items() if each != name})

    @classmethod
    def from_plain(cls, plain: Plain) -> Stats:
        """Names with codes: `{Agility: 3D+1}`."""
        if not isinstance(plain, Mapping):
            raise BadInput("", f"must be names with dice codes, not {plain!r}")
        return cls({str(name): read(Stat, stat, str(name)) for name, stat in plain.items()})

    def to_plain(self) -> Plain:
        return {name: str(stat) for name, stat in self._stats.items()}


def check_stat(stat: Stat, per_die: int, *, rule: str) -> None:
    """A stat with too many pips, or with too few, is refused; the legal one is named."""
    normal = Stat.of(stat.code, per_die)
    if stat != normal:
        raise Refused(str(stat), because=f"{per_die} pips are a die", rule=rule, legal=(str(normal),))


def average(codes: Sequence[Code], per_die: int, rounding: Rounding) -> Stat:
    """The mean of codes, in whole pips, as a stat."""
    if not codes:
        raise BadInput("average", "there is no mean of no codes")
    whole, rest = divmod(sum(code.in_pips(per_die) for code in codes), len(codes))
    up = {"up": rest > 0, "down": False, "nearest": 2 * rest >= len(codes) and rest > 0}[rounding]
    return Stat.of(Code(0, whole + up), per_die)


def capped(
    applied: ApplicableEffects, code: Code, names: Iterable[str], of: Callable[[str], Code], per_die: int
) -> tuple[Code, Active | None]:
    """The lower of a code and of those that cap it, by their pips, and the effect by which it is; mastery lifts a cap.

    `names` are those of what is rolled, `of` gives the code of another ability: both doubled, where points double them.
    """
    return applied.lowered(code, names, of, lambda each: each.in_pips(per_die))


# --- rolls ------------------------------------------------------------------------------------------------------------

WILD: Final = "wild"


class WildOne(Enum):
    """What a one on the wild die does."""

    IGNORE = "ignore"
    """It counts as a one."""
    DISCARD = "discard"
    """It goes, and takes the highest of the other dice with it."""
    COMPLICATION = "complication"
    """It counts as a one, and something bad happens."""


class WildSix(Enum):
    """What a six on the wild die does."""

    AGAIN = "again"
    """It counts, and the die is thrown again and added for as long as it shows a six."""
    FORTUNE = "fortune"
    """It counts, and something good happens."""


class Luck(Enum):
    """What a roll brings besides its total."""

    NONE = "none"
    FORTUNE = "fortune"
    COMPLICATION = "complication"
    ALL_ONES = "all ones"
    WILD_ONE = "wild one"
    """A one on the wild die that changes nothing by itself, where somebody wants to know of it."""


@final
@frozen
class WildDie:
    """How a campaign plays the wild die: which faces are wild, and what they do."""

    one: int
    six: int
    on_one: WildOne = WildOne.IGNORE
    on_six: WildSix = WildSix.AGAIN
    tells_one: bool = False
    """Whether a one is told even if it changes nothing, or not more than the total."""

    def die(self, sides: int) -> Die:
        again = {self.six} if self.on_six is WildSix.AGAIN else frozenset[int]()
        return Die(WILD, number_die(sides).faces, again=again)


@final
@frozen
class WildTotal(Reading):
    """The sum of the dice, what the wild die shows first, and the highest of the others; 0 and 0 without a wild die."""

    total: int
    wild: int = 0
    best: int = 0

    @staticmethod
    def alike(die: Die, pips: tuple[int, ...]) -> Hashable:
        return (die.faces[pips[0] - 1], die.number(pips)) if die.name == WILD else die.number(pips)

    @classmethod
    def of(cls, pool: Pool, pips: Pips) -> WildTotal:
        shown = [(die, each) for (die, _), group in zip(pool.groups, pips, strict=True) for each in die.split(group)]
        total = sum(die.number(each) for die, each in shown)
        wild = [int(die.faces[each[0] - 1]) for die, each in shown if die.name == WILD]
        if not wild:
            return cls(total)
        return cls(total, wild[0], max((die.number(each) for die, each in shown if die.name != WILD), default=0))

    @classmethod
    def alone(cls, pool: Pool, plain: Plain) -> WildTotal:
        """`total 15`: nothing is wild about it, unless that is said too."""
        named = plain if isinstance(plain, Mapping) else {}
        wild, best = [int(read(int, named.get(name, 0), name)) for name in ("wild", "best")]
        faces = {int(face) for die, _ in pool.groups for face in die.faces}
        for name, face in (("wild", wild), ("best", best)):
            if face and face not in faces:
                raise BadInput(name, f"shows {min(faces)} to {max(faces)}, not {face}")
        return cls(Total.alone(pool, plain).total, wild, best)

    @classmethod
    def outcomes(cls, pool: Pool) -> tuple[tuple[WildTotal, int], ...]:
        return _wild_totals(pool)

    def to_plain(self) -> Plain:
        return {"total": self.total, "wild": self.wild, "best": self.best}


@lru_cache(maxsize=1024)
def _wild_totals(pool: Pool) -> tuple[tuple[WildTotal, int], ...]:
    """Every reading with its number of ways, die by die: the others by sum and highest, then the wild die."""
    has_wild = any(die.name == WILD and count for die, count in pool.groups)
    found: Counter[tuple[int, int, int]] = Counter({(0, 0, 0): 1})
    for die, count in sorted(pool.groups, key=lambda group: group[0].name == WILD):
        if die.name == WILD and count > 1:
            raise BadInput("pool", f"one die of a roll is wild, not {count}")
        for _ in range(count):
            more: Counter[tuple[int, int, int]] = Counter()
            for first, number, ways in _shown(die):
                for (total, wild, best), before in found.items():
                    higher = max(best, number) if has_wild and not first else best
                    more[total + number, wild or first, higher] += before * ways
            found = more
    return tuple((WildTotal(*key), ways) for key, ways in found.items())


def _shown(die: Die) -> list[tuple[int, int, int]]:
    """What one die shows: first, for a wild die; as a number; in how many ways."""
    if die.name != WILD:
        return [(0, number, ways) for number, ways in die_numbers(die).items()]
    return [(int(die.faces[pips[0] - 1]), die.number(pips), ways) for pips, ways in die_falls(die, WildTotal.alike)]


@final
@frozen
class Rolled:
    """What a roll came to: its total, and what luck it brought."""

    total: int
    luck: Luck = Luck.NONE

    def plus(self, more: int) -> Rolled:
        return Rolled(self.total + more, self.luck)


@final
@frozen
class CodeDice:
    """How a campaign rolls codes, from its figures and options."""

    sides: int
    per_die: int
    """How many pips a die is worth."""
    wild: WildDie | None = None
    """One of the dice of each roll is wild, or none."""
    fumbles_on_ones: bool = False
    """Whether it matters that every die shows the lowest face; it takes the place of the wild one."""

    def pool(self, code: Code) -> Pool:
        """The dice of a code, of which one is wild; none below 0D."""
        dice, plain = max(0, code.dice), number_die(self.sides)
        if self.wild is None or not dice:
            return Pool.of((plain, dice))
        return Pool.of((plain, dice - 1), (self.wild.die(self.sides), 1))

    def flat(self, code: Code) -> Rolled:
        """What a code without dice comes to: its pips, less what the dice below 0 are worth; never less than 0."""
        return Rolled(max(0, code.in_pips(self.per_die)))

    def score(self, code: Code, seen: WildTotal) -> Rolled:
        """What a roll comes to, with pips, and what its wild die does."""
        total, wild = seen.total + code.pips, self.wild
        if self.fumbles_on_ones and seen.total == code.dice:
            return Rolled(total, Luck.ALL_ONES)
        if wild is not None and seen.wild == wild.one:
            if wild.on_one is WildOne.COMPLICATION:
                return Rolled(total, Luck.COMPLICATION)
            lost = wild.one + seen.best if wild.on_one is WildOne.DISCARD else 0
            return Rolled(total - lost, Luck.WILD_ONE if wild.tells_one else Luck.NONE)
        if wild is not None and seen.wild == wild.six and wild.on_six is WildSix.FORTUNE:
            return Rolled(total, Luck.FORTUNE)
        return Rolled(total)

    def scores(self, code: Code) -> ScoreTable:
        """Every score of a code with its number of ways, for kernels."""
        return _scores(self, code)


def open_die(name: str, sides: int, again: int) -> Die:
    """A die that is thrown again and added for as long as it shows a face, such as the extra die of a point."""
    return Die(name, number_die(sides).faces, again={again})


# --- odds -------------------------------------------------------------------------------------------------------------

RAREST: Final = Fraction(1, 10**11)
"""The highest scores that together are less likely than this are left out of branches, at each point that is spent."""


@final
@frozen
class ScoreTable:
    """ScoreTable with their numbers of ways, lowest total first, and the ways that are left out as too unlikely."""

    rows: tuple[tuple[Rolled, int], ...]
    left_out: int = 0

    @property
    def whole(self) -> int:
        return sum(ways for _, ways in self.rows) + self.left_out

    def by_luck(self) -> dict[Luck, dict[int, int]]:
        """Totals with their numbers of ways, for each luck that a roll may bring."""
        found: defaultdict[Luck, dict[int, int]] = defaultdict(dict)
        for rolled, ways in self.rows:
            found[rolled.luck][rolled.total] = ways
        return dict(found)

    def branch(self) -> Branch[Rolled]:
        """As branches, where nothing is decided on the way."""
        return ByChance([(BranchEnd(rolled), ways) for rolled, ways in self.rows], self.left_out)

    def plus(self, more: int) -> ScoreTable:
        """Every score higher by so much."""
        return (
            ScoreTable(tuple((rolled.plus(more), ways) for rolled, ways in self.rows), self.left_out) if more else self
        )

    def ends(self) -> Iterator[tuple[Rolled, tuple[()], int]]:
        """As the kernel of a roll gives them."""
        for rolled, ways in self.rows:
            yield rolled, (), ways
        yield LEFT_OUT, (), self.left_out


@lru_cache(maxsize=256)
def _scores(dice: CodeDice, code: Code) -> ScoreTable:
    if code.dice <= 0:
        return ScoreTable(((dice.flat(code), 1),))
    pool = dice.pool(code)
    ways: Counter[Rolled] = Counter()
    for seen, n in _telling_totals(dice, code):
        ways[dice.score(code, seen)] += n
    return ScoreTable(_in_order(ways), pool.left_out)


def _telling_totals(dice: CodeDice, code: Code) -> Iterator[tuple[WildTotal, int]]:
    """Every reading with its number of ways, as far as scores tell them apart.

    What the wild die shows matters if it is the one or the six, the best of the others only beside the one.
    """
    plain = number_die(dice.sides)
    if dice.wild is None:
        yield from ((WildTotal(total), ways) for (total, _), ways in _sums(plain, code.dice, by_best=False).items())
        return
    numbers: defaultdict[int, Counter[int]] = defaultdict(Counter)
    for first, number, ways in _shown(dice.wild.die(dice.sides)):
        numbers[first if first in (dice.wild.one, dice.wild.six) else 0][number] += ways
    for first, shown in numbers.items():
        found: Counter[tuple[int, int]] = Counter()
        for (total, best), before in _sums(plain, code.dice - 1, by_best=first == dice.wild.one).items():
            for number, ways in shown.items():
                found[total + number, best] += before * ways
        yield from ((WildTotal(total, first, best), ways) for (total, best), ways in found.items())


@lru_cache(maxsize=256)
def _sums(die: Die, count: int, *, by_best: bool) -> Mapping[tuple[int, int], int]:
    """The sums of some dice with their ways, and with the highest of them, or 0 for all."""
    if not count:
        return {(0, 0): 1}
    found: Counter[tuple[int, int]] = Counter()
    for (total, best), before in _sums(die, count - 1, by_best=by_best).items():
        for number, ways in die_numbers(die).items():
            found[total + number, max(best, number) if by_best else 0] += before * ways
    return found


def _in_order(ways: Mapping[Rolled, int]) -> tuple[tuple[Rolled, int], ...]:
    return tuple(sorted(ways.items(), key=lambda row: (row[0].total, row[0].luck.value)))


@final
@frozen
class Contest:
    """One roll against another: by how much one's own is higher, and what luck each of them brought."""

    margin: int
    mine: Luck = Luck.NONE
    theirs: Luck = Luck.NONE

    @classmethod
    def of(cls, mine: Rolled, theirs: Rolled) -> Contest:
        return cls(mine.total - theirs.total, mine.luck, theirs.luck)


def contest_ends(mine: ScoreTable, theirs: ScoreTable) -> Iterator[tuple[Contest, tuple[()], int]]:
    """Every end of an opposed roll, as its kernel gives them."""
    tables = [((rolled, ways) for rolled, _, ways in each.ends()) for each in (mine, theirs)]
    for contest, ways in contests(*tables):
        yield contest, (), ways


def contests(mine: Iterable[tuple[Rolled, int]], theirs: Iterable[tuple[Rolled, int]]) -> Iterator[tuple[Contest, int]]:
    """Every margin of one roll over another, and what luck they brought."""
    one, other = (grouped(each, lambda rolled: (rolled.luck, rolled.total)) for each in (mine, theirs))
    return differences(one, other, lambda lucky, luck, margin: Contest(margin, lucky, luck))


def differences(
    numbers: Mapping[A | None, Mapping[int, int]],
    others: Mapping[B | None, Mapping[int, int]],
    result: Callable[[A, B, int], T],
) -> Iterator[tuple[T, int]]:
    """Results of every difference of two numbers, with their ways, by what tells them apart otherwise."""
    from referee.odds import Distribution  # loaded only when odds are asked for

    for one, mine in numbers.items():
        for other, theirs in others.items():
            if one is None or other is None:
                yield LEFT_OUT, sum(mine.values()) * sum(theirs.values())
            elif len(theirs) <= FEW:
                for number, ways in theirs.items():
                    yield from ((result(one, other, each - number), ways * times) for each, times in mine.items())
            else:
                for difference, ways in (Distribution(mine) - Distribution(theirs)).items():
                    yield result(one, other, difference), ways


FEW: Final = 2
"""So few numbers are subtracted one by one: they may be far apart."""


def grouped(rows: Iterable[tuple[T, int]], key: Callable[[T], tuple[A, int]]) -> dict[A | None, dict[int, int]]:
    """Numbers with their ways, by what tells them apart otherwise; None is for what was left out."""
    found: dict[A | None, dict[int, int]] = {}
    for each, ways in rows:
        kind, number = (None, 0) if each is LEFT_OUT else key(each)
        here = found.setdefault(kind, {})
        here[number] = here.get(number, 0) + ways
    return found


def point_branches(
    first: ScoreTable,
    extra: Die,
    *,
    offer: Callable[[Rolled, int], Request[Any]],
    scene_after: Callable[[int], Scene],
    end: Callable[[Rolled, int], BranchEnd[Any]],
    rarest: Fraction = RAREST,
) -> Branch[Any]:
    """A roll to which an extra die is added for each point, one at a time: after each, whoever rolls may stop.

    `offer` asks about a score after so many points, `scene_after` is the scene by then, and `end` is what is left if
    nothing more is spent. Whether one more may be spent depends on how many were, not on the score. For the kernel of
    the rule that rolls and offers points.
    """
    places = [
        _PointsSpent(luck, totals, first.whole, extra, offer, scene_after, end, rarest)
        for luck, totals in first.by_luck().items()
    ]
    left_out = first.whole - sum(sum(each.levels[0].values()) for each in places)
    rows = LaterRows(lambda: [row for each in places for row in each.first_rows()])
    return ByChance(rows, left_out, lambda decide: _all_ends([each.ends(decide) for each in places], first.whole))


def _all_ends(parts: Sequence[Sequence[tuple[BranchEnd[Any], int, int]]], least: int) -> ByChance[Any]:
    """Ends whose ways are out of different wholes, of which each divides the larger ones."""
    whole = max([of for part in parts for _, _, of in part], default=least)
    rows = [(each, ways * (whole // of)) for part in parts for each, ways, of in part]
    return ByChance(rows, whole - sum([ways for _, ways in rows]))


@final
class _PointsSpent:
    """The places of a roll at which a point may be spent: a total, after so many. Each is made when it is looked at."""

    def __init__(
        self,
        luck: Luck,
        totals: Mapping[int, int],
        whole: int,
        extra: Die,
        offer: Callable[[Rolled, int], Request[Any]],
        scene_after: Callable[[int], Scene],
        end: Callable[[Rolled, int], BranchEnd[Any]],
        rarest: Fraction,
    ) -> None:
        self._luck, self._offer, self._scene_after, self._end = luck, offer, scene_after, end
        self._first_whole, self._rarest = whole, rarest
        self._numbers = sorted(die_numbers(extra).items())
        self._whole = sum(ways for _, ways in self._numbers) + Pool.of((extra, 1)).left_out
        self.levels = [_likely(totals, whole, rarest)]
        """The totals that are likely enough, with their ways, after so many points."""
        self._asked: list[Choose[Any]] = []
        self._known: dict[tuple[int, int], Branch[Any]] = {}

    def first_rows(self) -> Iterator[tuple[Branch[Any], int]]:
        return ((self._branch(total, 0), ways) for total, ways in self.levels[0].items())

    def ends(self, decide: Callable[[Any, Scene], Any]) -> list[tuple[BranchEnd[Any], int, int]]:
        """Every end if points are spent in one way, with its ways out of a whole: one more die for all who go on."""
        found, here, whole, spent = list[tuple[BranchEnd[Any], int, int]](), self.levels[0], self._first_whole, 0
        while here:
            on = self._those_who_go_on(decide, here, spent)
            found += [
                (self._end(Rolled(total, self._luck), spent), ways, whole)
                for total, ways in here.items()
                if total not in on
            ]
            whole, spent = whole * self._whole, spent + 1
            here = _likely(self._with_one_more(on), whole, self._rarest)
        return found

    def _those_who_go_on(
        self, decide: Callable[[Any, Scene], Any], here: Mapping[int, int], spent: int
    ) -> dict[int, int]:
        if self._question(min(here), spent).is_no_choice:
            return {}
        scene = self._scene_after(spent)
        if decides_by_name(decide):
            return dict(here) if decide(self._question(min(here), spent), scene) else {}
        return {total: ways for total, ways in here.items() if decide(self._question(total, spent), scene)}

    def _question(self, total: int, spent: int) -> Choose[Any]:
        """What is asked after so many points; only what it is about depends on the score."""
        rolled = Rolled(total, self._luck)
        while len(self._asked) <= spent:
            self._asked.append(cast("Choose[Any]", self._offer(rolled, len(self._asked))))
        return replace(self._asked[spent], about=rolled)

    def _with_one_more(self, totals: Mapping[int, int]) -> Mapping[int, int]:
        """Totals with their ways after one more die."""
        from referee.odds import Distribution  # loaded only when odds are asked for

        return dict((Distribution(totals) + Distribution(dict(self._numbers))).items()) if totals else {}

    def _level(self, spent: int) -> Mapping[int, int]:
        """The likely totals after so many points, if everybody has spent them."""
        while len(self.levels) <= spent:
            whole = self._first_whole * self._whole ** len(self.levels)
            self.levels.append(_likely(self._with_one_more(self.levels[-1]), whole, self._rarest))
        return self.levels[spent]

    def _branch(self, total: int, spent: int) -> Branch[Any]:
        found = self._known.get((total, spent))
        if found is None:

            def way(more: bool | None) -> Branch[Any]:
                return self._following(total, spent + 1) if more else self._end(Rolled(total, self._luck), spent)

            found = self._known[total, spent] = chosen(self._question(total, spent), self._scene_after(spent), way)
        return found

    def _following(self, total: int, spent: int) -> Branch[Any]:
        """One more die, thrown on top of a total."""
        likely = self._level(spent)
        there = [(total + number, ways) for number, ways in self._numbers if total + number in likely]
        rows = LaterRows(lambda: [(self._branch(each, spent), ways) for each, ways in there])
        return ByChance(rows, self._whole - sum(ways for _, ways in there))


def _likely(ways: Mapping[int, int], whole: int, rarest: Fraction) -> dict[int, int]:
    """Totals without the highest, which together are too unlikely."""
    rows, left, least = sorted(ways.items()), 0, rarest * whole
    while rows and (left := left + rows[-1][1]) < least:
        rows.pop()
    return dict(rows)
