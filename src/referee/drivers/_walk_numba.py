"""The walk through a table for numba; `walk.walk_plainly` says what it does."""

from __future__ import annotations

from typing import Any, Final

import numba
import numpy as np

from referee.drivers.table import DRAWS, MOST_STEPS

_GOLDEN: Final = np.uint64(0x9E3779B97F4A7C15)
_ONE: Final = np.uint64(0xBF58476D1CE4E5B9)
_TWO: Final = np.uint64(0x94D049BB133111EB)
_30: Final = np.uint64(30)
_27: Final = np.uint64(27)
_31: Final = np.uint64(31)
_MOST: Final = np.uint64(2**64 - 1)
_DRAWS: Final = np.int64(DRAWS)
_STEPS: Final = np.int64(MOST_STEPS)


@numba.njit(cache=True, inline="always")
def _mixed(number: Any) -> Any:
    number = number + _GOLDEN
    number = (number ^ (number >> _30)) * _ONE
    number = (number ^ (number >> _27)) * _TWO
    return number ^ (number >> _31)


@numba.njit(cache=True, nogil=True)
def fill_keys(seed: Any, start: Any, keys: Any) -> None:
    """The keys of fights with consecutive numbers, as `table.fight_key` has them."""
    for at in range(len(keys)):
        keys[at] = _mixed(seed ^ _mixed(start + np.uint64(at)))


@numba.njit(cache=True, nogil=True)
def walk(
    first: Any,
    slots: Any,
    end: Any,
    upto: Any,
    to: Any,
    more_steps: Any,
    more_rounds: Any,
    keys: Any,
    nodes: Any,
    all_steps: Any,
    all_rounds: Any,
    all_draws: Any,
    which: Any,
    waits: Any,
    unfinished: int,
) -> None:
    for at in range(len(which)):
        place = which[at]
        key, node, steps = keys[place], nodes[place], all_steps[place]
        rounds, draws = all_rounds[place], all_draws[place]
        wait = np.int64(-3)
        while slots[node] > 0:
            begin, after = first[node], first[node] + slots[node]
            bound = upto[after - 1]
            # Numbers from here on would be uneven. As 2**64 does not fit, the last even one is compared.
            last = _MOST - (_MOST % bound + np.uint64(1)) % bound
            drawn = draws
            number = _mixed(key ^ _mixed(np.uint64(steps * _DRAWS + drawn)))
            while number > last:
                drawn += 1
                number = _mixed(key ^ _mixed(np.uint64(steps * _DRAWS + drawn)))
            wanted = number % bound
            low, high = begin, after
            while low < high:
                middle = (low + high) // 2
                if wanted < upto[middle]:
                    high = middle
                else:
                    low = middle + 1
            if to[low] < 0:
                wait = low
                break
            node = to[low]
            rounds += more_rounds[low]
            draws = drawn + 1
            if more_steps[low] > 0:
                steps += more_steps[low]
                draws = np.int64(0)
                if steps > _STEPS:
                    node = unfinished
        if wait == -3:
            wait = np.int64(-2) if end[node] < 0 else np.int64(-1)
        waits[at] = wait
        nodes[place], all_steps[place] = node, steps
        all_rounds[place], all_draws[place] = rounds, draws
