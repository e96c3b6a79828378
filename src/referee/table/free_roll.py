"""Free play: what belongs to no system."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Final

from referee.core import Audience, Faces, Pool, Prompt, Scene, frozen, number_die, roll, rule
from referee.core.errors import BadInput

MOST_DICE: Final = 100
MOST_SIDES: Final = 1000
TERM: Final = re.compile(
    r"\s*(?P<sign>[+-]?)\s*(?:(?P<count>[0-9]{0,3})d(?P<sides>[0-9]{1,4})(?:(?P<keep>kh?|kl)(?P<kept>[0-9]{1,3}))?"
    r"|(?P<added>[0-9]{1,4}))(?![0-9a-z])",
    re.IGNORECASE,
)
THROW: Final = Prompt("throw")
EXPRESSION: Final = Prompt("throw-expression")
"""A throw that is more than plain dice added up: its result says its total."""


@frozen
class DiceTerm:
    """One part of what is thrown: `4d6kh3`, or a number with its sign."""

    sign: int
    count: int = 0
    sides: int = 0
    keep: str = ""
    """Which of the dice count: `kh` the highest, `kl` the lowest, nothing all of them."""
    kept: int = 0
    added: int = 0

    @property
    def is_plain(self) -> bool:
        return self.sign > 0 and self.sides > 0 and not self.keep

    def split(self, faces: tuple[int, ...]) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The dice that count, and those that are dropped; `faces` has the lowest first."""
        if self.keep == "kl":
            return faces[: self.kept], faces[self.kept :]
        out = len(faces) - self.kept if self.keep else 0
        return faces[out:], faces[:out]


@frozen
class FreeThrow:
    """What an expression of dice came to."""

    dice: str
    total: int
    dropped: tuple[int, ...] = ()


@rule("referee.table.roll")
async def free_roll(scene: Scene, dice: tuple[str, ...], hidden: bool = False) -> tuple[int, ...] | FreeThrow:
    """Dice for no rule: `3d6`, `2d6+1`, `4d6kh3` (the highest three count), `2d20kl1` (the lowest one counts)."""
    text = " ".join(dice)
    terms = tuple(_terms(text))
    if not 0 < sum(each.count for each in terms) <= MOST_DICE:
        raise BadInput("dice", f"must be 1 to {MOST_DICE} dice")
    audience = Audience.MASTER if hidden else Audience.EVERYONE
    if all(each.is_plain for each in terms):  # plain dice are just their faces, as in every log written so far
        return (await roll(THROW, None, _pool(terms), Faces, audience=audience)).faces
    total, dropped = 0, list[int]()
    for each in terms:
        thrown = (await roll(EXPRESSION, None, _pool((each,)), Faces, audience=audience)).faces if each.count else ()
        counted, left = each.split(thrown)
        total += each.sign * (sum(counted) + each.added)
        dropped += left
    return FreeThrow("".join(text.split()), total, tuple(dropped))


def _pool(terms: Iterable[DiceTerm]) -> Pool:
    counts: Counter[int] = Counter()
    for each in terms:
        counts[each.sides] += each.count
    return Pool.of(*((number_die(sides), count) for sides, count in counts.items()))


def _terms(text: str) -> Iterator[DiceTerm]:
    """The parts of an expression; parts without a sign are added."""
    at = 0
    while text[at:].strip():
        found = TERM.match(text, at)
        if found is None:
            raise BadInput("dice", f"must be dice such as 3d6, 2d6+1 or 4d6kh3, not {text[at : at + 20].strip()!r}")
        yield _term(found)
        at = found.end()


def _term(found: re.Match[str]) -> DiceTerm:
    sign = -1 if found["sign"] == "-" else 1
    if found["added"]:
        return DiceTerm(sign, added=int(found["added"]))
    count, sides = int(found["count"] or 1), int(found["sides"])
    if not 1 <= sides <= MOST_SIDES:
        raise BadInput("dice", f"must have 1 to {MOST_SIDES} sides, not {sides}")
    keep = {"": "", "k": "kh"}.get((found["keep"] or "").casefold(), (found["keep"] or "").casefold())
    kept = int(found["kept"] or 0)
    if keep and not 0 < kept <= count:
        raise BadInput("dice", f"must keep 1 to {count} of the {count} dice, not {kept}")
    return DiceTerm(sign, count, sides, keep, kept)
