"""Odds as text: bars made of characters, and tables."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Final

    from referee.odds.distribution import Distribution
    from referee.odds.joint import Joint

FULL: Final = "█"
EMPTY: Final = "·"
RARE: Final = 2000
"""Outcomes at either end that together come up less than once in this many rolls are grouped into one."""
MOST_ROWS: Final = 40
MOST_CELLS: Final = 20


def percent(share: float) -> str:
    return f"{100 * share:.1f}%"


def grouped(odds: Distribution, most: int = MOST_ROWS) -> dict[str, float]:
    """Chances to draw, by label: rare outcomes at either end are grouped, and neighbours too if there are many."""
    rare, counts, whole = odds.whole // RARE, odds.counts, odds.whole
    first, last, below, above = 0, len(counts) - 1, 0, 0
    while below + counts[first] <= rare:
        below += counts[first]
        first += 1
    while above + counts[last] <= rare:
        above += counts[last]
        last -= 1
    step = -(-(last + 1 - first) // most)
    rows: dict[str, float] = {}
    if below:
        rows[f"≤ {odds.low + first - 1}"] = below / whole
    for at in range(first, last + 1, step):
        end = min(at + step - 1, last)
        label = f"{odds.low + at}" if end == at else f"{odds.low + at} to {odds.low + end}"
        rows[label] = sum(counts[at : end + 1]) / whole
    if above:
        rows[f"≥ {odds.low + last + 1}"] = above / whole
    return rows


def text_bars(shares: Mapping[str, float], *, columns: int = 20, longest: float = 1) -> str:
    """One line per label, with a bar that is full at `longest`."""
    room = max([len(label) for label in shares])
    lines = []
    for label, share in shares.items():
        full = round(columns * share / longest)
        bar = FULL * full + EMPTY * (columns - full)
        lines.append(f"{label:>{room}}  {bar}  {percent(share):>6}")
    return "\n".join(lines)


def text_chart(odds: Distribution, *, columns: int = 40, title: str = "") -> str:
    """A bar for each outcome; the likeliest has the longest bar."""
    rows = grouped(odds)
    head = f"mean {float(odds.mean):.4g}, deviation {odds.deviation:.4g}"
    bars = text_bars(rows, columns=columns, longest=max(rows.values()))
    return "\n".join([*([title] if title else []), bars, head])


def text_table(odds: Joint) -> str:
    """Two axes as rows and columns; any other number as a list, likeliest first."""
    if len(odds.axes) == 2 and max([odds.axis(axis).high - odds.axis(axis).low for axis in odds.axes]) < MOST_CELLS:
        return _table(odds)
    likely = sorted(odds.floats().items(), key=lambda item: -item[1])[:MOST_ROWS]
    lines = [f"{' '.join(f'{n:>4}' for n in cell)}  {percent(share):>6}" for cell, share in likely]
    return "\n".join([", ".join(odds.axes), *lines])


def _table(odds: Joint) -> str:
    first, second = [odds.axis(axis) for axis in odds.axes]
    shares = odds.floats()
    columns = range(second.low, second.high + 1)
    lines = [f"{odds.axes[0]} down, {odds.axes[1]} across", "     " + "".join([f"{n:>7}" for n in columns])]
    for row in range(first.low, first.high + 1):
        cells = [percent(shares[row, column]) if (row, column) in shares else EMPTY for column in columns]
        lines.append(f"{row:>5}" + "".join([f"{cell:>7}" for cell in cells]))
    return "\n".join(lines)
