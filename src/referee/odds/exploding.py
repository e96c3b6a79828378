"""Outcomes that are rolled again and added without limit: exact tails, mean and variance."""

from __future__ import annotations

from fractions import Fraction

from referee.odds.distribution import Distribution
from referee.odds.errors import bad_input, too_large
from referee.odds.packed import pack, width_for

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Final

MOST_EXTRA: Final = 1000
"""The most rolls added to the first one."""


class Exploding:
    """A die rolled again and added on some of its faces, as often as they come up, and perhaps other dice with it.

    It has no highest outcome; but a finite number of rolls settles whether it reaches a bar, so every tail is exact.
    """

    __slots__ = ("_beside", "_die", "_on")

    def __init__(self, die: Distribution, on: Iterable[int], beside: Distribution | None = None) -> None:
        self._die = die
        self._on = frozenset(on)
        self._beside = beside or Distribution({0: 1})
        if die.low < 0 or any(face < 1 for face in self._on):
            raise bad_input("explode", f"must be faces of at least 0 that explode on 1 or more, not {sorted(self._on)}")
        if self._on.issuperset(die):
            raise bad_input("explode", "a die that explodes on every face never ends")

    def __add__(self, other: Distribution | int) -> Exploding:
        """This with other dice, or a number, added."""
        return Exploding(self._die, self._on, self._beside + other)

    __radd__ = __add__

    def __sub__(self, other: Distribution | int) -> Exploding:
        return Exploding(self._die, self._on, self._beside - other)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Exploding) and self._parts() == other._parts()

    def __hash__(self) -> int:
        return hash(self._parts())

    def _parts(self) -> tuple[Distribution, frozenset[int], Distribution]:
        return self._die, self._on & frozenset(self._die), self._beside

    def __repr__(self) -> str:
        return f"<Exploding on {sorted(self._on)}, mean {float(self.mean):.6g}>"

    @property
    def low(self) -> int:
        """The lowest outcome."""
        return self._beside.low + min(face for face in self._die if face not in self._on)

    def capped(self, extra: int) -> Distribution:
        """With at most this many extra rolls; the last of them is not rolled again."""
        if not 0 <= extra <= MOST_EXTRA:
            raise too_large(f"{extra} extra rolls; from 0 to {MOST_EXTRA} are worked out")
        die, size = self._die, self._die.high * (extra + 1) + 1
        whole = die.whole ** (extra + 1)
        width = width_for(whole, size)
        faces = [0] * die.low + list(die.counts)
        again = [(count, 8 * width * face) for face, count in die.items() if face in self._on]
        ends = pack([0 if face in self._on else count for face, count in enumerate(faces)], width)
        chain, rest = pack(faces, width), 1
        for _ in range(extra):
            rest *= die.whole
            chain = ends * rest + sum([count * chain << shift for count, shift in again])
        cut = sum([count for count, _ in again]) ** (extra + 1)
        alone = Distribution.of_sums(chain, width, 0, whole, cut)
        return alone + self._beside

    def beyond(self, extra: int) -> Fraction:
        """The chance that this many extra rolls are too few."""
        return self._again ** (extra + 1)

    @property
    def _again(self) -> Fraction:
        return self._die.chance(self._on.__contains__)

    def _enough(self, bar: int) -> int:
        """Enough extra rolls that any outcome cut short has already reached the bar."""
        step = min(self._on & frozenset(self._die), default=1)
        return max(0, -(-(bar - self._beside.low) // step) - 1)

    def _settled(self, bar: int) -> Distribution:
        return self.capped(self._enough(bar))

    def at_least(self, bar: int) -> Fraction:
        """The exact chance, without any cap."""
        return self._settled(bar).at_least(bar)

    def at_most(self, bar: int) -> Fraction:
        return 1 - self.at_least(bar + 1)

    def between(self, first: int, last: int) -> Fraction:
        """The chance of an outcome from `first` to `last`, both included."""
        return self._settled(last + 1).between(first, last)

    def __getitem__(self, outcome: int) -> Fraction:
        """The chance of exactly this outcome."""
        return self.between(outcome, outcome)

    @property
    def mean(self) -> Fraction:
        return self._beside.mean + self._die.mean / (1 - self._again)

    @property
    def variance(self) -> Fraction:
        """From x = d + (x' if d explodes): E[x²] = E[d²] + 2 E[d if it explodes] E[x] + P(explodes) E[x²]."""
        die, alone = self._die, self._die.mean / (1 - self._again)
        carried = sum((face * die[face] for face in self._on), Fraction(0))
        square = (die.variance + die.mean**2 + 2 * carried * alone) / (1 - self._again)
        return self._beside.variance + square - alone**2

    def quantile(self, share: Fraction | float | str) -> int:
        """The lowest outcome that at least this share of all outcomes does not exceed; 0.95 means 19/20."""
        wanted = Fraction(str(share)) if isinstance(share, float) else Fraction(share)
        if not 0 <= wanted < 1:
            raise bad_input("quantile", f"must be a share from 0 to less than 1, not {share}")
        extra, found = -1, 0
        while (needed := self._enough(found + 1)) > extra:  # a cap can only make outcomes lower
            extra = needed
            found = self.capped(extra).quantile(wanted)
        return found
