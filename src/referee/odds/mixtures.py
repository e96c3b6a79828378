"""One of several distributions, chosen at random."""

from __future__ import annotations

from math import lcm

from referee.odds.distribution import Distribution
from referee.odds.errors import bad_input
from referee.odds.joint import Joint
from referee.odds.packed import width_for

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


def mixture(parts: Iterable[tuple[int, Distribution]]) -> Distribution:
    """One of several distributions, chosen in proportion to whole-number weights."""
    weighed = [(weight, part) for weight, part in parts if weight]
    if not weighed or any(weight < 0 for weight, _ in weighed):
        raise bad_input("mixture", "must be positive weights")
    common = lcm(*(part.whole for _, part in weighed))
    low, high = min(part.low for _, part in weighed), max(part.high for _, part in weighed)
    whole = common * sum(weight for weight, _ in weighed)
    width = width_for(whole, high - low + 1)
    packed = cut = 0
    for weight, part in weighed:
        scale = weight * (common // part.whole)
        packed += part.packed_in(width) * scale << 8 * width * (part.low - low)
        cut += int(part.capped * part.whole) * scale
    return Distribution.of_packed(packed, width, low, high - low + 1, whole, cut)


def joint_mixture(parts: Iterable[tuple[int, Joint]]) -> Joint:
    """One of several joint distributions over the same axes, chosen in proportion to whole-number weights."""
    weighed = [(weight, part) for weight, part in parts if weight]
    if not weighed or any(weight < 0 or part.axes != weighed[0][1].axes for weight, part in weighed):
        raise bad_input("mixture", "must be positive weights and the same axes")
    common = lcm(*(part.whole for _, part in weighed))
    counts: dict[tuple[int, ...], int] = {}
    for weight, part in weighed:
        scale = weight * (common // part.whole)
        for cell, count in part.items():
            counts[cell] = counts.get(cell, 0) + count * scale
    return Joint(weighed[0][1].axes, counts)
