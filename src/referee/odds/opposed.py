"""One roll against another: who wins, for every pair of many rolls at once."""

from __future__ import annotations

from fractions import Fraction
from itertools import accumulate
from operator import mul

from referee.odds.errors import bad_input, too_large
from referee.odds.packed import pack, unpack, width_for

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, Final

    from referee.odds.distribution import Distribution

MOST_PAIRS: Final = 10_000
MOST_WORK: Final = 500_000_000
"""Outcomes of all rows × bits of the counts of all columns."""


class WinTable:
    """The chances of every roll in `rows` against every roll in `columns`; higher wins."""

    __slots__ = ("_columns", "_rows", "_tied", "_won")

    _tied: list[tuple[int, ...]] | None

    def __init__(self, rows: Sequence[Distribution], columns: Sequence[Distribution]) -> None:
        self._rows = tuple(rows)
        self._columns = tuple(columns)
        self._won = self._counted(lambda ties: [0, *accumulate(ties)])
        self._tied = None

    def _counted(self, seen: Callable[[list[int]], list[int]]) -> list[tuple[int, ...]]:
        """For every row, the number of ways it meets what `seen` makes of all columns at each outcome.

        The columns' counts of one outcome are packed into one int, so that a row meets all columns at once.
        """
        low = min([roll.low for roll in (*self._rows, *self._columns)])
        high = max([roll.high for roll in (*self._rows, *self._columns)])
        whole = max([roll.whole for roll in self._rows]) * max([roll.whole for roll in self._columns])
        width = width_for(whole, len(self._columns))
        lists = [(0,) * (roll.low - low) + roll.counts + (0,) * (high - roll.high) for roll in self._columns]
        met = seen([pack(counts, width) for counts in zip(*lists, strict=True)])
        sums = [sum(map(mul, roll.counts, met[roll.low - low :])) for roll in self._rows]
        return [unpack(packed, width, len(self._columns)) for packed in sums]

    def win(self, row: int, column: int) -> Fraction:
        """The chance that the row's roll is higher."""
        return Fraction(self._won[row][column], self._rows[row].whole * self._columns[column].whole)

    def tie(self, row: int, column: int) -> Fraction:
        if self._tied is None:
            self._tied = self._counted(lambda ties: ties)
        return Fraction(self._tied[row][column], self._rows[row].whole * self._columns[column].whole)

    def lose(self, row: int, column: int) -> Fraction:
        return 1 - self.win(row, column) - self.tie(row, column)

    def wins(self) -> list[list[Fraction]]:
        """The chance of winning, row by row."""
        wholes = [roll.whole for roll in self._columns]
        return [
            [Fraction(won, roll.whole * whole) for won, whole in zip(row, wholes, strict=True)]
            for roll, row in zip(self._rows, self._won, strict=True)
        ]

    def floats(self) -> list[list[float]]:
        """The chance of winning, row by row, as floats."""
        return [[float(chance) for chance in row] for row in self.wins()]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, WinTable) and (self._rows, self._columns) == (other._rows, other._columns)

    def __hash__(self) -> int:
        return hash((self._rows, self._columns))

    def __repr__(self) -> str:
        return f"<WinTable {len(self._rows)} × {len(self._columns)}>"

    def to_plain(self) -> dict[str, Any]:
        """As JSON, every chance as exact "num/den"."""
        return {"wins": [[f"{chance.numerator}/{chance.denominator}" for chance in row] for row in self.wins()]}

    def svg(self, title: str = "", *, rows: Sequence[str] = (), columns: Sequence[str] = ()) -> str:
        """A heat map, with names for rows and columns."""
        from referee.odds.svg import svg_map

        named = [*rows] or [str(n) for n in range(1, len(self._rows) + 1)]
        beside = [*columns] or [str(n) for n in range(1, len(self._columns) + 1)]
        return svg_map(self.floats(), named, beside, title)

    def _repr_svg_(self) -> str:
        return self.svg()


def win_table(rows: Sequence[Distribution], columns: Sequence[Distribution] | None = None) -> WinTable:
    """Every roll of `rows` against every roll of `columns` (or of `rows` again)."""
    against = rows if columns is None else columns
    if not rows or not against:
        raise bad_input("win table", "must be at least one roll on either side")
    if len(rows) * len(against) > MOST_PAIRS:
        raise too_large(f"{len(rows)} rolls against {len(against)}; at most {MOST_PAIRS} pairs are worked out")
    work = sum([roll.high - roll.low + 1 for roll in rows]) * max([roll.whole for roll in against]).bit_length()
    if work * len(against) > MOST_WORK:
        raise too_large(f"a win table of {work * len(against)} steps; at most {MOST_WORK} are worked out")
    return WinTable(rows, against)
