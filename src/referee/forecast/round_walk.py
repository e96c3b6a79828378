"""Many fights through the rows of a `TurnRows`, by numba where it is installed, else by plain Python."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any, Final, final

from referee.drivers.table import UNFINISHED, EncounterEnd
from referee.drivers.walk import has_numba, keys_of
from referee.forecast import _round_walk
from referee.forecast._round_walk import (
    AT_ONCE,
    BEGIN,
    END,
    FOLLOWING,
    JOINED,
    MISSING,
    OVER,
    QUEUE,
    UNKNOWN,
    FightArrays,
    RowArrays,
)
from referee.forecast.turn_rows import TurnRows

FEW: Final = 1_000
"""So many fights are not worth loading numba for."""


@final
class WalkedFights:
    """Fights with consecutive numbers on their way."""

    def __init__(self, parts: TurnRows, numbers: range, seed: int) -> None:
        count, size = len(numbers), len(parts.names)
        keys = keys_of(seed, numbers)
        self.numbers = numbers
        self.luck = _beginnings(keys)
        self.phases, self.cursors, self.rounds = (array("q", bytes(8 * count)) for _ in range(3))
        self.targets = array("q", [MISSING]) * count
        self.conditions = parts.start * count
        self.scores, self.places = (array("q", bytes(8 * count * size)) for _ in range(2))
        self.preferred = parts.preferred() * count
        self.steps, self.kinds, self.missing, self.taken, self.waiting = (
            array("q", bytes(8 * count)) for _ in range(5)
        )
        self.pending = array("q", [MISSING]) * count
        self.order = array("q", bytes(8 * size))
        self.queue = array("q", bytes(8 * count * size * QUEUE if parts.at_once else 8))
        self.codes = array("q", [MISSING]) * count
        """How it ended; fights with the same code ended alike."""

    def arrays(self) -> FightArrays:
        return FightArrays(**{name: getattr(self, name) for name in FightArrays._fields})

    def conditions_of(self, fight: int, size: int) -> tuple[int, ...]:
        return tuple(self.conditions[fight * size : (fight + 1) * size])

    def order_of(self, fight: int, size: int) -> list[int]:
        """Everyone who acts in this round, in their order; then the others."""
        places = self.places[fight * size : (fight + 1) * size]
        return sorted(range(size), key=lambda at: (places[at] < 0, places[at]))


def walked(
    parts: TurnRows,
    numbers: range,
    seed: int = 0,
    *,
    by_numba: bool | None = None,
    stop: Callable[[], bool] | None = None,
) -> WalkedFights | None:
    """Play fights to their end; rows that are missing are learned on the way. None if they were stopped."""
    fights = WalkedFights(parts, numbers, seed)
    on_their_way = array("q", range(len(numbers)))
    use_numba = has_numba() and len(numbers) > FEW if by_numba is None else by_numba
    while on_their_way:
        (walk_compiled if use_numba else walk_plainly)(parts, fights, on_their_way)
        on_their_way = array("q", (each for each in on_their_way if fights.phases[each] < OVER))
        for fight in on_their_way:
            if stop is not None and stop():
                return None
            _learn(parts, fights, fight)
    return fights


def _learn(parts: TurnRows, fights: WalkedFights, fight: int) -> None:
    """The row that a fight waits for, unless it was learned for another."""
    size, at, target, kind = len(parts.names), fights.cursors[fight], fights.targets[fight], fights.kinds[fight]
    numbers = fights.conditions_of(fight, size)
    if kind == JOINED:
        parts.join_row(fights.missing[fight], numbers[at], numbers[target] if target >= 0 else MISSING)
        return
    if fights.phases[fight] == BEGIN:
        if parts.begin_row[parts.plain[numbers[at]]] == MISSING:
            parts.learn_begin(at, numbers)
        return
    if fights.phases[fight] == END:
        if parts.end_row[parts.plain[numbers[at]]] == MISSING:
            parts.learn_end(at, numbers)
        return
    if kind < FOLLOWING and target != UNKNOWN and parts.found_turn(at, target, numbers, kind) != MISSING:
        return
    order = fights.order_of(fight, size)
    equals = parts.equals(at, numbers, fights.scores[fight * size : (fight + 1) * size]) if kind == AT_ONCE else ()
    if kind >= FOLLOWING:
        parts.learn_follow_up(kind, at, numbers, order)
    elif target == UNKNOWN:
        parts.pick(kind, at, numbers, order, equals)
    else:
        parts.learn_turn(at, target, numbers, order, equals)


def walk_plainly(parts: TurnRows, fights: WalkedFights, which: array[int]) -> None:
    _round_walk.walk(parts.rows(), fights.arrays(), which)


def walk_compiled(parts: TurnRows, fights: WalkedFights, which: array[int]) -> None:
    """The same by numba."""
    import numpy as np  # an extra: imported only where it is used

    def view(values: Any) -> Any:
        if not isinstance(values, array):
            return values
        return np.frombuffer(values, dtype=np.float64 if values.typecode == "d" else np.int64)

    if not len(parts.own):
        walk_plainly(parts, fights, which)
        return
    rows, going = parts.rows(), fights.arrays()
    _compiled()(RowArrays(*map(view, rows)), FightArrays(*map(view, going)), view(which))


@lru_cache(maxsize=1)
def _compiled() -> Any:
    """The walk, compiled on first use; later processes find it on disk."""
    from referee.forecast._round_walk_numba import walk

    return walk


def ends_of(parts: TurnRows, fights: WalkedFights) -> Counter[tuple[EncounterEnd, int]]:
    """How fights ended and who was out by then, after how many rounds, and how many did so."""
    ends = _ends_by_code(parts, fights)
    found: Counter[tuple[EncounterEnd, int]] = Counter()
    for (code, rounds), times in Counter(zip(fights.codes, fights.rounds, strict=True)).items():
        found[ends[code], rounds] += times
    return found


def each_end(parts: TurnRows, fights: WalkedFights) -> Iterator[EncounterEnd]:
    """How each fight ended, in the order of their numbers."""
    ends = _ends_by_code(parts, fights)
    return (ends[code] for code in fights.codes)


def _ends_by_code(parts: TurnRows, fights: WalkedFights) -> dict[int, EncounterEnd]:
    """What the codes of ends mean: the encounter itself says so for the first fight of each."""
    size, ends = len(parts.names), {MISSING: UNFINISHED}
    for code in set(fights.codes) - {MISSING}:
        ends[code] = parts.end(fights.conditions_of(fights.codes.index(code), size))
    return ends


def _beginnings(keys: array[int]) -> array[int]:
    """The number that chance begins with in each fight."""
    if len(keys) <= FEW or not has_numba():
        return array("q", (key >> 1 for key in keys))
    import numpy as np  # an extra: imported only where it is used

    return array("q", (np.frombuffer(keys, dtype=np.uint64) >> np.uint64(1)).astype(np.int64).tobytes())
