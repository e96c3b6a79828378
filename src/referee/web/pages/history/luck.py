"""How likely a throw was: exactly, from its dice alone, as they lay on the table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from typing import Any, Final

from referee.core.look import Look
from referee.core.plain import Plain

MOST_DICE: Final = 30
"""Throws of more dice are not worked out."""
TAKING: Final = "negative"
"""Dice whose good faces count against the throw."""


def chance_of(answer: Plain, roll: Plain, look: Look, *, good: bool) -> Fraction | None:
    """The chance of a throw as good as this one, or better; if it went badly, as bad as this one, or worse.

    By the sum of plain dice, or by the good faces of marked ones. None if the dice alone do not say: dice thrown
    again without end, dice that take away, or none.
    """
    if not isinstance(roll, Mapping) or not isinstance(answer, list) or roll.get("places") or roll.get("kept"):
        return None
    kinds = [(kind, pips) for kind, pips in zip(roll.get("dice") or (), answer, strict=False) if pips]
    if not kinds or sum(len(pips) for _, pips in kinds) > MOST_DICE:
        return None
    if any(kind.get("again") or kind.get("die") == TAKING for kind, _ in kinds):
        return None
    ways: Counter[int] = Counter({0: 1})
    fell = 0
    for kind, pips in kinds:
        values = _values(kind, look)
        fell += sum(values[each - 1] for each in pips if 0 < each <= len(values))
        for _ in pips:
            ways = _with_one_more(ways, values)
    whole = sum(ways.values())
    return Fraction(sum(count for value, count in ways.items() if (value >= fell if good else value <= fell)), whole)


def _values(kind: Mapping[str, Any], look: Look) -> list[int]:
    """What each face of a die counts: its pips, or one if it is marked as good."""
    if faces := kind.get("faces"):
        return [int(look.marks.get(str(each), "") == "good") for each in faces]
    return list(range(1, int(kind.get("sides", 6)) + 1))


def _with_one_more(ways: Counter[int], values: list[int]) -> Counter[int]:
    more: Counter[int] = Counter()
    for total, count in ways.items():
        for value in values:
            more[total + value] += count
    return more
