"""Many fights through a table: by numba where it is installed (the extra `forecast`), else by plain Python.

Both walk the same fights: a fight draws the same numbers and ends in the same way, whoever walks it.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Callable
from functools import lru_cache
from importlib.util import find_spec
from typing import Any, Final, TypeAlias, final

from referee.drivers.table import DRAWS, MOST_STEPS, UNSEEN, Table, WalkedFight, fight_key, mixed

FEW: Final = 1_000
"""So many fights are not worth loading numba for."""
ENDED: Final = -1
AT_WIDE: Final = -2
"""What a fight waits for, if not for a slot: nothing, because it has ended; or chance that no table holds."""

Walker: TypeAlias = "Callable[[Table, Fights, array[int]], array[int]]"


@final
class Fights:
    """Fights with consecutive numbers, each on its way through the table."""

    def __init__(self, table: Table, numbers: range, seed: int = 0) -> None:
        count = len(numbers)
        self.numbers = numbers
        self.keys = keys_of(seed, numbers)
        self.nodes = array("q", [table.start.node]) * count
        self.steps = array("q", [table.start.steps]) * count
        self.rounds = array("q", [table.start.rounds]) * count
        self.draws = array("q", [0]) * count

    def at(self, place: int) -> WalkedFight:
        return WalkedFight(
            self.keys[place], self.nodes[place], self.steps[place], self.rounds[place], self.draws[place]
        )

    def put(self, place: int, fight: WalkedFight) -> None:
        self.nodes[place], self.steps[place] = fight.node, fight.steps
        self.rounds[place], self.draws[place] = fight.rounds, fight.draws


def keys_of(seed: int, numbers: range) -> array[int]:
    """What all numbers that fights draw follow from."""
    if not has_numba() or len(numbers) < FEW:
        return array("Q", (fight_key(seed, number) for number in numbers))
    import numpy as np  # an extra: imported only where it is used

    from referee.drivers._walk_numba import fill_keys

    keys = array("Q", bytes(8 * len(numbers)))
    fill_keys(np.uint64(mixed(seed & (2**64 - 1))), np.uint64(numbers.start), np.frombuffer(keys, dtype=np.uint64))
    return keys


def played(
    table: Table, numbers: range, seed: int = 0, *, walker: Walker | None = None, stop: Callable[[], bool] | None = None
) -> Fights | None:
    """Fights played to their ends; None if they were stopped before."""
    walk = walker or (fastest() if len(numbers) >= FEW else walk_plainly)
    fights = Fights(table, numbers, seed)
    on_their_way = array("q", range(len(numbers)))
    while on_their_way:
        waits = walk(table, fights, on_their_way)
        ahead: set[int] = set()
        further = array("q")
        for place, slot in zip(on_their_way, waits, strict=True):
            if slot == ENDED:
                continue
            if slot == AT_WIDE or slot not in ahead:  # the others who wait for this slot follow
                if stop is not None and stop():
                    return None
                fight = fights.at(place)
                table.explore(fight)
                fights.put(place, fight)
                ahead.add(slot)
            further.append(place)
        on_their_way = further
    return fights


def walk_plainly(table: Table, fights: Fights, which: array[int]) -> array[int]:
    """Walk fights as far as the table goes; for each, what it waits for then."""
    first, slots, upto, to, end = table.first, table.slots, table.upto, table.to, table.end
    more_steps, more_rounds = table.more_steps, table.more_rounds
    waits = array("q")
    for place in which:
        key, node, steps = fights.keys[place], fights.nodes[place], fights.steps[place]
        rounds, draws = fights.rounds[place], fights.draws[place]
        while count := slots[node]:
            begin = first[node]
            bound = upto[begin + count - 1]
            limit, drawn = 2**64 - 2**64 % bound, draws
            while (number := mixed(key ^ mixed(steps * DRAWS + drawn))) >= limit:
                drawn += 1
            slot = bisect_right(upto, number % bound, begin, begin + count)
            if to[slot] == UNSEEN:
                waits.append(slot)
                break
            node, rounds = to[slot], rounds + more_rounds[slot]
            draws = drawn + 1
            if more_steps[slot]:
                steps, draws = steps + more_steps[slot], 0
                if steps > MOST_STEPS:
                    node = table.unfinished
        else:
            waits.append(AT_WIDE if end[node] == UNSEEN else ENDED)
        fights.nodes[place], fights.steps[place] = node, steps
        fights.rounds[place], fights.draws[place] = rounds, draws
    return waits


def has_numba() -> bool:
    """Whether the extra `forecast` is installed."""
    return find_spec("numba") is not None and find_spec("numpy") is not None


def fastest() -> Walker:
    return walk_compiled if has_numba() else walk_plainly


def walk_compiled(table: Table, fights: Fights, which: array[int]) -> array[int]:
    """The same as `walk_plainly`, by numba."""
    import numpy as np  # an extra: imported only where it is used

    waits = array("q", bytes(8 * len(which)))

    def view(values: array[int]) -> Any:
        return np.frombuffer(values, dtype=np.uint64 if values.typecode == "Q" else np.int64)

    if len(table.to):
        tables = (table.first, table.slots, table.end, table.upto, table.to, table.more_steps, table.more_rounds)
        going = (fights.keys, fights.nodes, fights.steps, fights.rounds, fights.draws)
        _compiled()(*map(view, (*tables, *going, which, waits)), table.unfinished)
    else:
        return walk_plainly(table, fights, which)
    return waits


@lru_cache(maxsize=1)
def _compiled() -> Any:
    """The walk, compiled on first use; later processes find it on disk."""
    from referee.drivers._walk_numba import walk

    return walk
