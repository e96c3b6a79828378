"""Keep and drop against every way the dice can fall."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import combinations, product

import pytest

from referee.core.errors import BadInput
from referee.odds import Distribution, die
from referee.odds.packed import unpack
from referee.odds.ranks import ranked, without_highest

CROOKED = Distribution({-1: 2, 0: 1, 3: 3})


@pytest.mark.parametrize("odds", [die(4), CROOKED], ids=["d4", "crooked"])
@pytest.mark.parametrize("count", range(5))
def test_any_ranks_are_what_every_fall_says(odds: Distribution, count: int) -> None:
    faces = [outcome for outcome, ways in odds.items() for _ in range(ways)]
    falls = [sorted(fall) for fall in product(faces, repeat=count)]
    for size in range(count + 1):
        for ranks in combinations(range(count), size):
            counted = Counter(sum(fall[rank] for rank in ranks) for fall in falls)
            assert ranked(odds, count, ranks) == Distribution(counted)


def test_keep_and_drop_are_ranks() -> None:
    d6 = die(6)
    assert d6.keep(4, highest=3) == d6.drop(4, lowest=1) == ranked(d6, 4, [1, 2, 3])
    assert d6.keep(3, lowest=1) == d6.minimum(d6).minimum(d6)
    assert d6.keep(3, highest=1) == d6.maximum(d6).maximum(d6)
    assert d6.drop(5, lowest=1, highest=1) == ranked(d6, 5, [1, 2, 3])
    assert d6.keep(4, highest=1, lowest=1) == ranked(d6, 4, [0, 3])
    assert d6.keep(3, highest=2, lowest=2) == d6.drop(3) == d6.times(3)
    assert float(d6.keep(4, highest=3).mean) == pytest.approx(12.2445987654)


def test_chains_are_summed_before_they_are_kept() -> None:
    wild = die(6).explode([6], extra=3)
    assert wild.keep(3, highest=1) == wild.maximum(wild).maximum(wild)


@pytest.mark.parametrize(("count", "sides"), [*product(range(1, 5), (1, 2, 6))])
def test_without_the_highest_is_a_drop(count: int, sides: int) -> None:
    size = (sides - 1) * (count - 1) + 1
    packed = without_highest(count, sides, 8)
    odds = Distribution(dict(enumerate(unpack(packed, 8, size), count - 1)))
    assert odds == die(sides).drop(count, highest=1)


def test_ranks_that_are_not_there_are_refused() -> None:
    refused: list[Callable[[], object]] = [
        lambda: die(6).keep(2, highest=3),
        lambda: ranked(die(6), 2, [2]),
        lambda: ranked(die(6), -1),
    ]
    for senseless in refused:
        with pytest.raises(BadInput, match="must be"):
            senseless()
