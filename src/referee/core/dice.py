"""Dice, pools of dice, and readings: what a rule reads from a throw.

A die's faces are what the rule reads (symbols or numbers); pips are for people and stay on the throw's record. Dice
with the same meaning are merged, so eight dice of three symbols have 45 outcomes, not 1.7 million. A die that is thrown
again on some faces (`Die("wild", D6.faces, again={6})`) shows every face it fell on, and stays one die of one throw.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import field, replace
from fractions import Fraction
from functools import lru_cache
from itertools import combinations_with_replacement, product
from math import comb, factorial, prod
from typing import Any, Final, Self, TypeAlias, TypeVar, final

from referee.core.errors import BadInput, TooLarge
from referee.core.plain import Plain, frozen, is_number, read, unknown

Face: TypeAlias = str | int
Pips: TypeAlias = tuple[tuple[int, ...], ...]
"""The pips of every die of a throw, in the order of the pool's groups; those of a die thrown again one by one."""
Counts: TypeAlias = tuple[tuple[Face, int], ...]
"""How many dice of a kind show each face, as in `SymbolCounts`."""
Table: TypeAlias = "tuple[tuple[Die, tuple[tuple[int, ...], ...]], ...]"
"""The dice on the table after a throw, by kind: the pips of each die, in its place."""

R = TypeVar("R", bound="Reading")
T = TypeVar("T")

MOST_DICE: Final = 200
MOST_OUTCOMES: Final = 1_000_000
MOST_FALLS: Final = 100_000
"""How many ways of being thrown again are followed for one die, with equal ones taken together."""
MOST_THROWS: Final = 100
"""How often one die is thrown at most; the last throw stands, whatever it shows."""
RAREST: Final = Fraction(1, 10**12)
"""What one die shows by being thrown again and again is left out of outcomes when it is less likely than this."""
BLANK: Final = "blank"


@final
@frozen
class Die:
    """One kind of die: its name, the meaning of each number of pips, and the faces on which it is thrown again."""

    name: str
    faces: tuple[Face, ...]
    again: AbstractSet[Face] = frozenset()

    def __post_init__(self) -> None:
        object.__setattr__(self, "again", frozenset(self.again))
        if not self.again <= frozenset(self.faces):
            raise BadInput(self.name, f"has no face {', '.join(map(str, self.again - frozenset(self.faces)))}")
        if self.again and self.again == frozenset(self.faces):
            raise BadInput(self.name, "a die that is thrown again on every face never ends")

    def __hash__(self) -> int:
        return hash(self.name)  # cheap; equality still compares the faces

    @property
    def sides(self) -> int:
        return len(self.faces)

    @property
    def again_pips(self) -> tuple[int, ...]:
        """The pips on which it is thrown again."""
        return () if not self.again else tuple(pip for pip, face in enumerate(self.faces, 1) if face in self.again)

    @property
    def throws(self) -> int:
        """How many throws of this die are looked at for its outcomes: so many that more would be too rare."""
        if not self.again:
            return 1
        chance, throws = Fraction(len(self.again_pips), self.sides), 1
        while chance**throws > RAREST and throws < MOST_THROWS:
            throws += 1
        return throws

    def split(self, shown: Sequence[int]) -> tuple[tuple[int, ...], ...]:
        """The pips of dice of this kind, die by die: one each, or several for a die that was thrown again."""
        if not self.again:
            return tuple((pip,) for pip in shown)
        dice: list[tuple[int, ...]] = []
        begun: tuple[int, ...] = ()
        for pip in shown:
            begun = (*begun, pip)
            if not self.goes_on(begun):
                dice.append(begun)
                begun = ()
        return (*dice, begun) if begun else tuple(dice)

    def goes_on(self, shown: Sequence[int]) -> bool:
        """Whether a die that has shown these pips is thrown again."""
        return shown[-1] in self.again_pips and len(shown) < MOST_THROWS

    def number(self, shown: Sequence[int]) -> int:
        """What one die shows as a number: the sum of all its throws."""
        return sum(int(self.faces[pip - 1]) for pip in shown)


def thrown_pips(sides: int, count: int, again: Collection[int], below: Callable[[int], int]) -> list[int]:
    """Dice at random, from whole numbers drawn evenly from 0 up to a bound; those showing `again` are thrown again."""
    pips: list[int] = []
    for _ in range(count):
        for _ in range(MOST_THROWS):
            pips.append(below(sides) + 1)
            if pips[-1] not in again:
                break
    return pips


@lru_cache(maxsize=256)
def number_die(sides: int) -> Die:
    """A die that is read as its number."""
    if sides < 1:
        raise BadInput("die", f"a die has at least one side, not {sides}")
    return Die(f"d{sides}", tuple(range(1, sides + 1)))


@lru_cache(maxsize=256)
def marked_die(name: str, sides: int, **marks: int) -> Die:
    """A die on which only some faces matter: `marked_die("stress", 6, one=1, six=6)`."""
    meaning = {pip: mark for mark, pip in marks.items()}
    return Die(name, tuple(meaning.get(pip, BLANK) for pip in range(1, sides + 1)))


D3: Final = number_die(3)
D6: Final = number_die(6)


@final
@frozen
class Pool:
    """Dice to throw together, grouped by kind."""

    groups: tuple[tuple[Die, int], ...]

    def __post_init__(self) -> None:
        if any(count < 0 for _, count in self.groups):
            raise BadInput("pool", f"a pool cannot have a negative number of dice: {self}")
        if len({die.name for die, _ in self.groups}) < len(self.groups):
            raise BadInput("pool", f"dice of one name are one group: {self}")
        if self.size > MOST_DICE:
            raise TooLarge(f"{self.size} dice in one throw; at most {MOST_DICE}")

    @classmethod
    def of(cls, *groups: tuple[Die, int]) -> Pool:
        return cls(groups)

    @property
    def size(self) -> int:
        return sum(count for _, count in self.groups)

    def count(self, die: Die) -> int:
        return sum(count for kind, count in self.groups if kind == die)

    def plus(self, die: Die, count: int) -> Pool:
        """This pool with more dice of one kind."""
        if any(kind == die for kind, _ in self.groups):
            return Pool(tuple((kind, n + count if kind == die else n) for kind, n in self.groups))
        return Pool((*self.groups, (die, count)))

    @property
    def left_out(self) -> int:
        """Of the ways the dice can fall, those that outcomes leave out because a die is thrown again too often."""
        if not any(die.again for die, _ in self.groups):
            return 0
        whole = looked_at = 1
        for die, count in self.groups:
            ways: int = die.sides**die.throws
            cut: int = len(die.again_pips) ** die.throws if die.again else 0
            whole, looked_at = whole * ways**count, looked_at * (ways - cut) ** count
        return whole - looked_at

    def __str__(self) -> str:
        return " + ".join(f"{count} {die.name}" for die, count in self.groups if count) or "no dice"

    def to_plain(self) -> Plain:
        return {die.name: count for die, count in self.groups}


@final
@frozen
class Record:
    """A throw as people saw it: its number in the log, the pips of its dice, and the earlier throw it builds on."""

    throw: int
    pips: Pips | None
    upon: Record | None = None
    alone: Reading | None = None
    """The reading of the dice just thrown, without those kept, where their pips are not known."""
    pool: Pool | None = field(default=None, compare=False, repr=False)
    kept: Reading | None = field(default=None, compare=False, repr=False)

    @property
    def table(self) -> Table | None:
        """All dice that now lie on the table, kept and thrown, each in its place; None where that is not known."""
        if self.pool is None or self.pips is None:
            return None
        thrown = {die: die.split(shown) for (die, _), shown in zip(self.pool.groups, self.pips, strict=True)}
        if self.kept is None:
            return tuple(thrown.items())
        if (table := places(self.pool, self.kept)) is None:
            return None
        fallen = {die: iter(dice) for die, dice in thrown.items()}
        return tuple((die, tuple(shown or next(fallen[die]) for shown in each)) for die, each in table)


def places(pool: Pool, kept: Reading) -> Table | None:
    """The table as a pool is thrown beside dice kept from an earlier throw, each die in its place.

    It has the pips of those that stay, and none for those that are thrown; None if they cannot be told apart.
    """
    before = kept.record.table if kept.record is not None else None
    lying = kept.lying(before) if before is not None else None
    if before is None or lying is None:
        return None
    found = {
        die: tuple(pips if stays else () for pips, stays in zip(dice, stay, strict=True))
        for (die, dice), stay in zip(before, lying, strict=True)
    }
    for die, count in pool.groups:
        dice = found.get(die, ())
        found[die] = (*dice, *[()] * (count - dice.count(())))
    is_whole = all(dice.count(()) == pool.count(die) for die, dice in found.items())
    return tuple(found.items()) if is_whole else None


@frozen
class Reading(ABC):
    """What a rule gets from a throw. Throws with equal readings are equal to every rule."""

    record: Record | None = field(default=None, compare=False, repr=False, kw_only=True)
    """For people only: no rule reads it, and the plain form leaves it out."""

    @staticmethod
    def alike(die: Die, pips: tuple[int, ...]) -> Hashable:
        """What is read of the pips of one die; where it is the same, throws of a die thrown again are merged."""
        return tuple(die.faces[pip - 1] for pip in pips)

    @classmethod
    @abstractmethod
    def of(cls, pool: Pool, pips: Pips) -> Self:
        """Read the pips of a throw."""

    def joined(self, kept: Any) -> Self:
        """This throw combined with dice kept from an earlier one and read the same way."""
        raise TypeError(f"{type(self).__name__} cannot be read together with dice kept: {kept}")

    @classmethod
    @abstractmethod
    def alone(cls, pool: Pool, plain: Plain) -> Self:
        """A throw known by its reading alone ("total 15"): overruled, or dice in a cup."""

    def lying(self, table: Table) -> tuple[tuple[bool, ...], ...] | None:
        """Which of the dice on a table these are, if they were kept; None if that cannot be told."""
        return None

    @classmethod
    def outcomes(cls, pool: Pool) -> tuple[tuple[Self, int], ...]:
        """Every reading with the number of ways the dice can show it; `pool.left_out` is what is missing."""
        return _enumerated(cls, pool)

    @abstractmethod
    def to_plain(self) -> Plain:
        """The reading as the log stores it when the pips are unknown; `alone` reads it back."""

    def at(self, record: Record) -> Self:
        return replace(self, record=record)


@lru_cache(maxsize=4096)
def _enumerated(kind: type[R], pool: Pool) -> tuple[tuple[R, int], ...]:
    """Brute force over what each group can show; correct for any reading."""
    falls = [(die_falls(die, kind.alike), count) for die, count in pool.groups]
    if (ways := prod(comb(n + len(shown) - 1, n) for shown, n in falls)) > MOST_OUTCOMES:
        raise TooLarge(f"{pool} can show {ways} different things; at most {MOST_OUTCOMES} are counted")
    found: Counter[R] = Counter()
    for shown in product(*(_multisets(each, count) for each, count in falls)):
        weight = 1
        for _, ways in shown:
            weight *= ways
        found[kind.of(pool, tuple(pips for pips, _ in shown))] += weight
    return tuple(found.items())


@lru_cache(maxsize=1024)
def die_falls(die: Die, alike: Callable[[Die, tuple[int, ...]], Hashable]) -> tuple[tuple[tuple[int, ...], int], ...]:
    """What one die can show, by meaning, with the number of ways, out of `die.sides ** die.throws`.

    A die that is thrown again too often is left out; the pips of dice that are alike are those of the first of them.
    """
    pip_of = {face: (pip, die.faces.count(face)) for pip, face in reversed(list(enumerate(die.faces, 1)))}
    falls: dict[Hashable, tuple[tuple[int, ...], int]] = {}
    begun: dict[Hashable, tuple[tuple[int, ...], int]] = {(): ((), 1)}
    looks = 0
    for left in range(die.throws - 1, -1, -1):
        looks += len(begun) * len(pip_of)
        if looks > MOST_FALLS:
            raise TooLarge(f"a {die.name} die can show too many different things; {MOST_FALLS} are counted")
        going_on: dict[Hashable, tuple[tuple[int, ...], int]] = {}
        for before, ways in begun.values():
            for face, (pip, sides) in pip_of.items():
                pips = (*before, pip)
                into, weight = (going_on, 1) if face in die.again else (falls, die.sides**left)
                first, already = into.get(key := alike(die, pips), (pips, 0))
                into[key] = first, already + ways * sides * weight
        begun = going_on
    return tuple(falls.values())


@lru_cache(maxsize=4096)
def _multisets(falls: tuple[tuple[tuple[int, ...], int], ...], count: int) -> tuple[tuple[tuple[int, ...], int], ...]:
    """What `count` dice can show, in no order, with the number of ways."""
    found: list[tuple[tuple[int, ...], int]] = []
    for shown in combinations_with_replacement(falls, count):
        ways = factorial(count)
        for (_, weight), times in Counter(shown).items():
            ways = ways // factorial(times) * weight**times
        found.append((tuple(pip for pips, _ in shown for pip in pips), ways))
    return tuple(found)


@final
@frozen
class SymbolCounts(Reading):
    """How many dice of each kind show each face: the reading of symbol pools."""

    dice: tuple[tuple[str, Counts], ...]

    def count(self, face: Face, die: str | None = None) -> int:
        """How many dice (of a kind) show this face."""
        return sum(n for kind, shown in self.dice if die in (None, kind) for symbol, n in shown if symbol == face)

    def by_kind(self, face: Face) -> dict[str, int]:
        """How many dice of each kind show this face, for the kinds that show it at all."""
        return {kind: n for kind, shown in self.dice for symbol, n in shown if symbol == face}

    def others(self, *faces: Face, die: str) -> int:
        """How many dice of one kind show none of these faces."""
        return sum(n for kind, shown in self.dice if kind == die for symbol, n in shown if symbol not in faces)

    def showing(self, *faces: Face) -> SymbolCounts:
        """Only the dice that show one of these faces; they may be kept for another throw."""
        kept = tuple((die, tuple((face, n) for face, n in shown if face in faces)) for die, shown in self.dice)
        return SymbolCounts(kept, record=self.record)

    def lying(self, table: Table) -> tuple[tuple[bool, ...], ...]:
        left = {die: Counter(dict(shown)) for die, shown in self.dice}
        return tuple(
            tuple(_taken(left.get(die.name, Counter()), (die.faces[pip - 1] for pip in pips)) for pips in places)
            for die, places in table
        )

    @staticmethod
    def alike(die: Die, pips: tuple[int, ...]) -> Hashable:
        return tuple(sorted(str(die.faces[pip - 1]) for pip in pips))

    @classmethod
    def of(cls, pool: Pool, pips: Pips) -> SymbolCounts:
        return cls(
            tuple(
                (die.name, _counted(Counter(die.faces[pip - 1] for pip in shown)))
                for (die, _), shown in zip(pool.groups, pips, strict=True)
            )
        )

    def joined(self, kept: SymbolCounts) -> SymbolCounts:
        before = {die: Counter(dict(shown)) for die, shown in kept.dice}
        fresh = {die: Counter(dict(shown)) for die, shown in self.dice}
        none: Counter[Face] = Counter()
        return SymbolCounts(
            tuple((die, _counted(before.get(die, none) + fresh.get(die, none))) for die in {**before, **fresh})
        )

    @classmethod
    def alone(cls, pool: Pool, plain: Plain) -> SymbolCounts:
        if type(plain) is int:
            raise _miscounted(pool, 1)
        named = {die: dict(faces) for die, faces in cls.from_plain(plain).dice}
        for name in named:
            if name not in pool.to_plain():
                raise BadInput(name, unknown(name, pool.to_plain()))
        return cls(tuple((die.name, _filled(die, count, named.get(die.name, {}))) for die, count in pool.groups))

    @classmethod
    def from_plain(cls, plain: Plain) -> SymbolCounts:
        """By die, then by face: `{base: {six: 1, blank: 3}, stress: {one: 1}}`."""
        if isinstance(plain, SymbolCounts):
            return plain
        counts: dict[str, dict[Any, int]] = {}
        try:
            counts = read(dict[str, dict[Any, int]], plain)
        except BadInput:
            raise BadInput("", f"must be faces by die, such as {{base: {{six: 1}}}}, not {plain!r}") from None
        if any(n < 0 for faces in counts.values() for n in faces.values()):
            raise BadInput("", f"a face cannot show on a negative number of dice: {plain!r}")
        return cls(tuple((die, _counted({_face(f): n for f, n in faces.items()})) for die, faces in counts.items()))

    def to_plain(self) -> Plain:
        return {die: {str(face): n for face, n in shown} for die, shown in self.dice}


@lru_cache(maxsize=1024)
def symbol_falls(die: Die, count: int) -> tuple[tuple[Counts, int], ...]:
    """What this many dice of one kind can show, with the number of ways."""
    if die.again:
        return _falls_again(die, count)
    weights = sorted(Counter(die.faces).items(), key=lambda face: str(face[0]))
    if comb(count + len(weights) - 1, count) > MOST_OUTCOMES:
        raise TooLarge(f"{count} {die.name} dice can show too many different things; {MOST_OUTCOMES} are counted")
    found: list[tuple[Counts, int, int]] = [((), count, 1)]
    for place, (face, weight) in enumerate(weights, 1):
        found = [
            (((*counts, (face, n)) if n else counts), left - n, ways * comb(left, n) * weight**n)
            for counts, left, ways in found
            for n in (range(left + 1) if place < len(weights) else (left,))
        ]
    return tuple((counts, ways) for counts, _, ways in found)


def _falls_again(die: Die, count: int) -> tuple[tuple[Counts, int], ...]:
    """What dice that are thrown again can show, die by die; how often each face shows is packed into one number."""
    faces = sorted(set(die.faces), key=str)
    radix = count * die.throws + 1
    place = {face: radix**at for at, face in enumerate(faces)}
    one = [(sum(place[die.faces[pip - 1]] for pip in pips), ways) for pips, ways in die_falls(die, SymbolCounts.alike)]
    found: Counter[int] = Counter({0: 1})
    for _ in range(count):
        more: Counter[int] = Counter()
        for before, ways in found.items():
            for counts, weight in one:
                more[before + counts] += ways * weight
        if len(more) > MOST_OUTCOMES // len(one):
            raise TooLarge(f"{count} {die.name} dice can show too many different things; {MOST_OUTCOMES} are counted")
        found = more
    unpacked = ((tuple((face, packed // place[face] % radix) for face in faces), n) for packed, n in found.items())
    return tuple((tuple((face, n) for face, n in counts if n), ways) for counts, ways in unpacked)


def _face(plain: Plain) -> Face:
    """A face from plain data, in which a number may have been written as text."""
    return int(plain) if is_number(str(plain)) else str(plain)


def _filled(die: Die, count: int, named: Mapping[Face, int]) -> tuple[tuple[Face, int], ...]:
    """What dice of one kind show; those not named show a face that does not count."""
    for face in named:
        if face not in die.faces:
            raise BadInput(die.name, f"shows {', '.join(map(str, dict.fromkeys(die.faces)))}")
    others = count - sum(n for face, n in named.items() if face not in die.again)
    if (named and not count) or others < 0 or (others and BLANK not in frozenset(die.faces) - die.again):
        raise BadInput(die.name, f"{count} are thrown, {count - others} are named")
    return _counted({**named, BLANK: named.get(BLANK, 0) + others})


def _taken(left: Counter[Any], wanted: Iterator[Any]) -> bool:
    """Take what is wanted from what is left, if all of it is there."""
    counts = Counter(wanted)
    if not counts <= left:
        return False
    left.subtract(counts)
    return True


def _counted(faces: Mapping[Any, int]) -> tuple[tuple[Face, int], ...]:
    return tuple(sorted(((face, n) for face, n in faces.items() if n), key=lambda pair: str(pair[0])))


@final
@frozen
class Total(Reading):
    """The sum of the dice."""

    total: int

    @staticmethod
    def alike(die: Die, pips: tuple[int, ...]) -> Hashable:
        return die.number(pips)

    @classmethod
    def of(cls, pool: Pool, pips: Pips) -> Total:
        return cls(sum(_numbers(pool, pips)))

    def joined(self, kept: Total) -> Total:
        return Total(self.total + kept.total)

    @classmethod
    def alone(cls, pool: Pool, plain: Plain) -> Total:
        total = _named_number(plain, "total")
        least, most = (sum(count * pick(die_numbers(die)) for die, count in pool.groups) for pick in (min, max))
        if total < least or (total > most and not any(die.again for die, count in pool.groups if count)):
            raise BadInput("", f"{pool} come to {least} to {most}, not {total}")
        return cls(total)

    @classmethod
    def outcomes(cls, pool: Pool) -> tuple[tuple[Total, int], ...]:
        return tuple((cls(total), ways) for total, ways in _sums(pool))

    def to_plain(self) -> Plain:
        return {"total": self.total}


@lru_cache(maxsize=1024)
def die_numbers(die: Die) -> Mapping[int, int]:
    """What one die comes to as a number, with the number of ways."""
    return {die.number(pips): ways for pips, ways in die_falls(die, Total.alike)}


@lru_cache(maxsize=1024)
def _sums(pool: Pool) -> tuple[tuple[int, int], ...]:
    """Sums with the number of ways to roll them, built die by die, so that a hundred dice are quick."""
    ways: Counter[int] = Counter({0: 1})
    for die, count in pool.groups:
        for _ in range(count):
            more: Counter[int] = Counter()
            for total, n in ways.items():
                for number, times in die_numbers(die).items():
                    more[total + number] += n * times
            ways = more
    return tuple(sorted(ways.items()))


@final
@frozen
class Faces(Reading):
    """The numbers shown, lowest first, for rules that look at doubles or re-roll single dice."""

    faces: tuple[int, ...]

    @property
    def total(self) -> int:
        return sum(self.faces)

    @staticmethod
    def alike(die: Die, pips: tuple[int, ...]) -> Hashable:
        return die.number(pips)

    @classmethod
    def of(cls, pool: Pool, pips: Pips) -> Faces:
        return cls(tuple(sorted(_numbers(pool, pips))))

    def joined(self, kept: Faces) -> Faces:
        return Faces(tuple(sorted(self.faces + kept.faces)))

    def lying(self, table: Table) -> tuple[tuple[bool, ...], ...]:
        left = Counter(self.faces)
        return tuple(tuple(_taken(left, iter((die.number(pips),))) for pips in places) for die, places in table)

    @classmethod
    def alone(cls, pool: Pool, plain: Plain) -> Faces:
        raise BadInput("", f"must be the faces of all {pool.size} dice; this rule reads each of them")

    def to_plain(self) -> Plain:
        return list(self.faces)


def _numbers(pool: Pool, pips: Pips) -> Iterator[int]:
    for (die, _), shown in zip(pool.groups, pips, strict=True):
        for each in die.split(shown):
            yield die.number(each)


def _named_number(plain: Plain, name: str) -> int:
    number = plain.get(name) if isinstance(plain, Mapping) else plain
    if not isinstance(number, int) or isinstance(number, bool):
        raise BadInput("", f"must be the dice, or their {name}, not {plain!r}")
    return number


def pips_of(pool: Pool, plain: Plain) -> Pips | None:
    """Pips from plain data: one list for all dice, one per group, or lists by name. None if it has no pips."""
    if isinstance(plain, Mapping):
        if not all(isinstance(shown, (list, int)) for shown in plain.values()) or not set(plain) <= {
            die.name for die, _ in pool.groups
        }:
            return None
        groups = [plain.get(die.name, []) for die, _ in pool.groups]
        groups = [[shown] if isinstance(shown, int) else shown for shown in groups]
    elif isinstance(plain, (list, tuple)) and plain and all(isinstance(shown, (list, tuple)) for shown in plain):
        groups = list(plain)
        if len(groups) == sum(count > 0 for _, count in pool.groups):  # kinds of which no die is thrown may be left out
            groups = [groups.pop(0) if count else [] for _, count in pool.groups]
    elif isinstance(plain, (list, tuple)):
        groups = _dealt(pool, plain)
    else:
        return None
    return _checked(pool, groups)


def _dealt(pool: Pool, pips: Sequence[Any]) -> list[Any]:
    """One list of pips divided among the groups in order; the check reports too many or too few."""
    groups: list[Any] = []
    left = list(pips)
    for die, count in pool.groups:
        dice = die.split(left)[:count] if die.again else tuple((pip,) for pip in left[:count])
        groups.append([pip for shown in dice for pip in shown])
        del left[: len(groups[-1])]
    return [*groups, left] if left else groups


def _miscounted(pool: Pool, given: int) -> BadInput:
    """Other than as many pips as dice were given."""
    are = "1 pip is" if given == 1 else f"{given} pips are"
    return BadInput("", f"{pool} are thrown ({pool.size} in all), but {are} given")


def _checked(pool: Pool, groups: Sequence[Sequence[Any]]) -> Pips:
    dice = [die.split(shown) for (die, _), shown in zip(pool.groups, groups, strict=False)]
    if len(groups) != len(pool.groups) or any(
        len(shown) != count for (_, count), shown in zip(pool.groups, dice, strict=True)
    ):
        raise _miscounted(pool, sum(map(len, dice)) + sum(map(len, groups[len(dice) :])))
    for (die, _), shown in zip(pool.groups, groups, strict=True):
        for pip in shown:
            if not isinstance(pip, int) or isinstance(pip, bool) or not 1 <= pip <= die.sides:
                raise BadInput("", f"a {die.name} die shows 1 to {die.sides}, not {pip!r}")
        if shown and die.again and die.goes_on(die.split(shown)[-1]):
            raise BadInput(
                "", f"a {die.name} die that shows {shown[-1]} is thrown again; what it shows then is missing"
            )
    return tuple(tuple(shown) for shown in groups)
