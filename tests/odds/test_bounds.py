"""The largest work that is let in is done in a moment: the bounds are where they should be."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from referee.core.errors import TooLarge
from referee.odds import (
    Distribution,
    Exploding,
    SymbolDie,
    best_pool,
    dice,
    die,
    draw_on,
    draw_total,
    symbol_pool,
    two_dice,
    wild_dice,
    win_table,
)

SYMBOLS = SymbolDie(6, {6: "success", 1: "bane"}, locks=(1, 6))
FACES: dict[int, str | tuple[str, ...]] = {face: str(face) for face in range(1, 7)}

LARGE: dict[str, Callable[[int], object]] = {
    "dice": lambda n: dice(n).at_least(3 * n),
    "dice of many sides": lambda n: dice(3, 10 * n).variance,
    "wild dice": lambda n: wild_dice(n, extra=n, wild_one="takes highest").counts,
    "a long chain": lambda n: Exploding(die(6), [5, 6]).at_least(n),
    "a sum": lambda n: die(10 * n) + die(10 * n),
    "a maximum": lambda n: dice(n).maximum(dice(n)),
    "keep": lambda n: die(20).keep(n // 10, highest=n // 20),
    "a power": lambda n: Distribution({0: 1, 1: 2**100}).times(n),
    "a pool": lambda n: symbol_pool([(SYMBOLS, n // 4)], ("success", "bane"), pushes=2, until=("success",)),
    "a pool of many axes": lambda n: symbol_pool([(SymbolDie(6, FACES), n // 30)], list("123456"), pushes=1),
    "the best of a pool": lambda n: best_pool(
        [(SYMBOLS, n // 20)], ("success", "bane"), pushes=2, worth=lambda success, bane: success - bane
    ),
    "two dice": lambda n: two_dice(n // 10, sides=n // 10, thrown=n // 10, rerolls=n // 100),
    "a hand": lambda n: draw_total({n // 10: n // 10, 1: n // 10}, n // 10),
    "trumps": lambda n: draw_on(dict.fromkeys(range(n // 20), 1), {1: n // 10}),
    "a win table": lambda n: win_table([dice(count) for count in range(1, n // 10)]),
}


@pytest.mark.parametrize("name", LARGE)
def test_anything_larger_is_refused_or_done_soon(name: str) -> None:
    """Soon is judged by what any test may cost."""
    size, refused = 20, False
    while not refused and size < 10**7:
        try:
            LARGE[name](size)
        except TooLarge:
            refused = True
        size *= 3
    assert refused
