"""How well somebody still stands: a share from 1 (as well as can be) to 0 (out), and its word.

A system declares it by its own rules (`System.condition`). Where it declares nothing, the first vital sign of its look
that has a maximum says it.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final, final

from referee.core.errors import BadInput, RefereeError
from referee.core.plain import frozen
from referee.core.rules import FORMULAS
from referee.core.scene import Scene, Who

if TYPE_CHECKING:
    from referee.core.look import Look, Vital

HEALTH: Final = "health"
"""The tone of the vital signs that say first how somebody stands."""
UNHURT: Final = "unhurt"
HURT: Final = "hurt"
BADLY_HURT: Final = "badly-hurt"
DOWN: Final = "down"


@final
@frozen
class Condition:
    """How well somebody still stands, from 0 (out) to 1, and the key of its word."""

    share: Fraction
    word: str

    def __post_init__(self) -> None:
        if not 0 <= self.share <= 1:
            raise BadInput("share", f"must be from 0 to 1, not {self.share}")

    @property
    def is_out(self) -> bool:
        """Whether nothing is left: they take part no more."""
        return not self.share


def part_left(now: int, full: int) -> Fraction:
    """How much is left of something, from 0 to 1."""
    return max(Fraction(0), min(Fraction(1), Fraction(now, full))) if full > 0 else Fraction(0)


def by_share(share: Fraction) -> Condition:
    """The usual words: unhurt, hurt, badly hurt from a half down, down."""
    word = UNHURT if share == 1 else HURT if share > Fraction(1, 2) else BADLY_HURT if share else DOWN
    return Condition(share, word)


def by_look(look: Look, scene: Scene, who: Who[Any]) -> Condition | None:
    """The first vital sign that has a maximum, one of health before all others; None if there is none."""
    if look.out and getattr(scene[who], look.out, False):
        return by_share(Fraction(0))
    vitals = sorted(look.vitals, key=lambda each: each.tone != HEALTH)
    shares = (vital_share(scene, who, each) for each in vitals)
    share = next((each for each in shares if each is not None), None)
    return None if share is None else by_share(share)


def vital_share(scene: Scene, who: Who[Any], vital: Vital) -> Fraction | None:
    """How full a vital sign is; what a sheet does not say follows from the rules."""
    now = _number(scene, who, vital.field, vital.formula)
    full = _number(scene, who, vital.of, vital.full)
    return part_left(now, full) if now is not None and full else None


def _number(scene: Scene, who: Who[Any], field: str, formula: str) -> int | None:
    """A figure as the sheet has it, or else as the rules do."""
    found: Any = getattr(scene[who], field, None) if field else None
    if found is None and formula:
        try:
            found = FORMULAS[formula](scene, who)
        except RefereeError:
            return None
    return found if type(found) is int else None
