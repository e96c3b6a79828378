"""Growth: levels that rise a step at a time, each step with its price, its time, and the one reason against it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import final

from referee.core import Part, Reason
from referee.core.drafts import Price


@final
@dataclass(frozen=True)
class GrowthStep:
    """A step up from a level: what it costs, how much time it takes, and why it cannot be taken."""

    price: Price = 0
    takes: int = 0
    barred: Reason | None = None


def steps(
    name: str,
    start: int,
    now: int,
    step: Callable[[int], GrowthStep],
    *,
    write: Callable[[int], str] = str,
    says: str = "",
    group: str = "",
) -> Part:
    """A level that is bought a step at a time, from where it stands; `step(level)` is the step up from a level.

    Steps are priced one after the other. The first that is barred is the end, and its reason stands beside it.
    """
    end, why = None, None
    for level in range(start, max(now, start) + 1):
        if (why := step(level).barred) is not None:
            end = level
            break

    def price(level: int) -> Price:
        return sum(step(each).price for each in range(start, level))

    def takes(level: int) -> int:
        return sum(step(each).takes for each in range(start, level))

    return Part(name, start, end, why, price, start, says, group, write, takes)
