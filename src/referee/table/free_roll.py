"""Free play: what belongs to no system."""

from __future__ import annotations

import re
from collections import Counter
from typing import Final

from referee.core import Audience, Faces, Pool, Prompt, Scene, number_die, roll, rule
from referee.core.errors import BadInput

MOST_DICE: Final = 100
MOST_SIDES: Final = 1000
DICE: Final = re.compile(r"([0-9]{1,3})d([0-9]{1,4})")
THROW: Final = Prompt("throw")


@rule("referee.table.roll")
async def free_roll(scene: Scene, dice: tuple[str, ...], hidden: bool = False) -> tuple[int, ...]:
    """Plain dice, not for any rule: `3d6`, `1d20`."""
    counts: Counter[int] = Counter()
    for count, sides in map(_read, dice):
        counts[sides] += count
    pool = Pool.of(*((number_die(sides), count) for sides, count in counts.items()))
    if not 0 < pool.size <= MOST_DICE:
        raise BadInput("dice", f"must be 1 to {MOST_DICE} dice")
    audience = Audience.MASTER if hidden else Audience.EVERYONE
    return (await roll(THROW, None, pool, Faces, audience=audience)).faces


def _read(text: str) -> tuple[int, int]:
    fits = DICE.fullmatch(text)
    if fits is None or not 1 <= int(fits[2]) <= MOST_SIDES:
        raise BadInput("dice", f"must be dice such as 3d6, not {text[:20]!r}")
    return int(fits[1]), int(fits[2])
