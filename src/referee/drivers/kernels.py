"""Throws computed without looking at every die. For whole rules without playing them, see `core.rules.kernel`.

None of this is a second truth: `Reading.outcomes` defines the outcomes of a throw, and `tests/drivers/test_kernels.py`
checks the kernels against it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import product
from math import comb, prod
from typing import Final, TypeAlias, TypeVar, cast

from referee.core.dice import MOST_OUTCOMES, Die, Face, Pool, SymbolCounts, Total, die_falls, die_numbers
from referee.core.errors import TooLarge
from referee.core.questions import Chance, Roll

T = TypeVar("T")

Outcomes: TypeAlias = Sequence[tuple[T, int]]
Counts: TypeAlias = tuple[tuple[Face, int], ...]
"""How many dice of a kind show each face, as in `SymbolCounts`."""

FEW: Final = 8
"""Up to this many dice are summed just as quickly one by one."""


def outcomes(question: Chance[T]) -> Outcomes[T]:
    """The possible outcomes of a throw or a draw with the number of ways, from a kernel if there is one."""
    if isinstance(question, Roll) and question.reading is SymbolCounts:
        return cast(Outcomes[T], _shown(question.pool, question.kept))
    if isinstance(question, Roll) and question.reading is Total and question.pool.size > FEW:
        return cast(Outcomes[T], _totals(question.pool, question.kept) or question.outcomes())
    return question.outcomes()


@lru_cache(maxsize=1024)
def _totals(pool: Pool, kept: Total | None) -> Outcomes[Total] | None:
    """Sums by powers of packed counts; None if they are too far apart to be packed."""
    from referee.odds.distribution import Distribution  # imported only here: loading it takes longer than a few dice do

    found = Distribution({kept.total if kept is not None else 0: 1})
    try:
        for die, count in pool.groups:
            found += Distribution(die_numbers(die)).times(count)
    except TooLarge:
        return None
    return tuple((Total(total), ways) for total, ways in found.items())


@lru_cache(maxsize=1024)
def _shown(pool: Pool, kept: SymbolCounts | None) -> Outcomes[SymbolCounts]:
    """Symbols, kind by kind: dice of one kind do not depend on the others."""
    before = dict(kept.dice) if kept is not None else {}
    fresh = {die.name: _falls(die, count) for die, count in pool.groups}
    kinds = [
        [((name, _joined(before.get(name, ()), counts)), ways) for counts, ways in fresh.get(name, _NOTHING)]
        for name in {**before, **fresh}
    ]
    if (ways := prod(map(len, kinds))) > MOST_OUTCOMES:
        raise TooLarge(f"{pool} can show {ways} different things; at most {MOST_OUTCOMES} are counted")
    return tuple(
        (SymbolCounts(tuple(kind for kind, _ in each)), prod(ways for _, ways in each)) for each in product(*kinds)
    )


_NOTHING: Final[Outcomes[Counts]] = (((), 1),)


@lru_cache(maxsize=1024)
def _falls(die: Die, count: int) -> Outcomes[Counts]:
    """What this many dice of one kind can show."""
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


def _falls_again(die: Die, count: int) -> Outcomes[Counts]:
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


def _joined(kept: Counts, fresh: Counts) -> Counts:
    """Dice of one kind together with those that were kept."""
    if not kept:
        return fresh
    counts: Mapping[Face, int] = Counter(dict(kept)) + Counter(dict(fresh))
    return tuple(sorted(counts.items(), key=lambda face: str(face[0])))
