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
from typing import Any, Final, TypeAlias, TypeVar, cast

from referee.core.dice import MOST_OUTCOMES, Counts, Die, Face, Pool, SymbolCounts, Total, die_numbers, symbol_falls
from referee.core.errors import TooLarge
from referee.core.questions import Chance, Roll

T = TypeVar("T")

Outcomes: TypeAlias = Sequence[tuple[T, int]]

FEW: Final = 8
"""Up to this many dice are summed just as quickly one by one."""


def outcomes(question: Chance[T]) -> Outcomes[T]:
    """The possible outcomes of a throw or a draw with the number of ways, from a kernel if there is one."""
    if isinstance(question, Roll) and question.reading is SymbolCounts:
        return cast(Outcomes[T], _shown(question.pool, question.kept))
    if isinstance(question, Roll) and question.reading is Total and question.pool.size > FEW:
        return cast(Outcomes[T], _totals(question.pool, question.kept) or question.outcomes())
    return question.outcomes()


def outcome_count(question: Chance[Any]) -> int:
    """How many outcomes a throw of symbols has, without listing them; 0 if that is not known."""
    if not isinstance(question, Roll) or question.reading is not SymbolCounts:
        return 0
    return prod(0 if die.again else _ways_to_show(die, count) for die, count in question.pool.groups)


def _ways_to_show(die: Die, count: int) -> int:
    kinds = len(set(die.faces))
    return comb(count + kinds - 1, kinds - 1)


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
    fresh = {die.name: symbol_falls(die, count) for die, count in pool.groups}
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


def _joined(kept: Counts, fresh: Counts) -> Counts:
    """Dice of one kind together with those that were kept."""
    if not kept:
        return fresh
    counts: Mapping[Face, int] = Counter(dict(kept)) + Counter(dict(fresh))
    return tuple(sorted(counts.items(), key=lambda face: str(face[0])))
