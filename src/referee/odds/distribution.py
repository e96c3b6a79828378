"""Exact distributions of whole numbers: a count for every outcome, out of one total."""

from __future__ import annotations

from fractions import Fraction
from itertools import accumulate, pairwise
from math import gcd, sqrt
from operator import mul

from referee.odds.errors import bad_input, too_large
from referee.odds.packed import check_power, mirrored, pack, span, summed, unpack, widened, width_for

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from typing import Any, Final

    from referee.odds.bands import NamedOutcomes

MOST_OUTCOMES: Final = 65_536
"""The largest distance from the lowest to the highest outcome."""


class Distribution:
    """The exact chance of each whole number. Immutable; every operation returns a new one.

    `Distribution({1: 1, 2: 1, 3: 4})` is a die with six sides, four of them threes. Operations on two distributions
    treat them as independent.
    """

    __slots__ = ("_counts", "_cut", "_key", "_low", "_packed", "_size", "_whole", "_width")

    _counts: tuple[int, ...] | None
    _key: tuple[int, int, tuple[int, ...]] | None

    def __init__(self, counts: Mapping[int, int]) -> None:
        shown = {outcome: count for outcome, count in counts.items() if count}
        if not shown or any(count < 0 for count in shown.values()):
            raise bad_input("distribution", f"must be positive counts, not {dict(counts)}")
        self._low = min(shown)
        self._size = max(shown) - self._low + 1
        if self._size > MOST_OUTCOMES:
            raise too_large(f"outcomes from {self._low} to {max(shown)}; a span of at most {MOST_OUTCOMES} is held")
        self._whole = sum(shown.values())
        self._width = width_for(self._whole, self._size)
        self._counts = tuple([shown.get(outcome, 0) for outcome in range(self._low, self._low + self._size)])
        self._packed = pack(self._counts, self._width)
        self._cut = 0
        self._key = None

    @classmethod
    def of_packed(cls, packed: int, width: int, low: int, size: int, whole: int, cut: int = 0) -> Distribution:
        """For kernels: counts already packed, the first and the last above zero, with this total."""
        self = cls.__new__(cls)
        self._packed, self._width, self._low, self._size, self._whole, self._cut = packed, width, low, size, whole, cut
        self._counts = self._key = None
        return self

    @classmethod
    def of_sums(cls, packed: int, width: int, low: int, whole: int, cut: int = 0) -> Distribution:
        """For kernels: like `of_packed`, with empty slots at the ends."""
        first, size = span(packed, width)
        return cls.of_packed(packed >> 8 * width * first, width, low + first, size, whole, cut)

    @classmethod
    def of_counts(cls, low: int, counts: Iterable[int], cut: int = 0) -> Distribution:
        """The counts of `low`, `low + 1` and so on; zeros at either end do not matter."""
        made = cls(dict(enumerate(counts, low)))
        made._cut = cut
        return made

    # --- contents -----------------------------------------------------------------------------------------------------

    @property
    def low(self) -> int:
        """The lowest outcome."""
        return self._low

    @property
    def high(self) -> int:
        """The highest outcome."""
        return self._low + self._size - 1

    @property
    def whole(self) -> int:
        """The total of all counts."""
        return self._whole

    @property
    def counts(self) -> tuple[int, ...]:
        """How many of the `whole` ways give each number from `low` to `high`."""
        if self._counts is None:
            self._counts = unpack(self._packed, self._width, self._size)
        return self._counts

    @property
    def capped(self) -> Fraction:
        """The chance that a cap on explosions cut the outcome short; for a conditional distribution, an upper bound."""
        return Fraction(self._cut, self._whole)

    def packed_in(self, width: int) -> int:
        """For kernels: the packed counts, in slots at least as wide as its own."""
        return widened(self._packed, self._width, self._size, width)

    def __iter__(self) -> Iterator[int]:
        return (outcome for outcome, count in enumerate(self.counts, self._low) if count)

    def items(self) -> Iterator[tuple[int, int]]:
        """Every possible outcome, with its count."""
        return ((outcome, count) for outcome, count in enumerate(self.counts, self._low) if count)

    def chances(self) -> dict[int, Fraction]:
        """Every possible outcome, with its chance."""
        return {outcome: Fraction(count, self._whole) for outcome, count in self.items()}

    def floats(self) -> dict[int, float]:
        """Every possible outcome, with its chance as a float."""
        return {outcome: count / self._whole for outcome, count in self.items()}

    def _canonical(self) -> tuple[int, int, tuple[int, ...]]:
        if self._key is None:
            shared = gcd(*self.counts)
            reduced = tuple([count // shared for count in self.counts]) if shared > 1 else self.counts
            self._key = self._low, self._whole // shared, reduced
        return self._key

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Distribution) and self._canonical() == other._canonical()

    def __hash__(self) -> int:
        return hash(self._canonical())

    def __repr__(self) -> str:
        return f"<Distribution {self.low} to {self.high}, mean {float(self.mean):.6g}>"

    # --- questions ----------------------------------------------------------------------------------------------------

    def __getitem__(self, outcome: int) -> Fraction:
        """The chance of exactly this outcome."""
        inside = 0 <= outcome - self._low < self._size
        return Fraction(self.counts[outcome - self._low] if inside else 0, self._whole)

    def _count_from(self, bar: int) -> int:
        if bar <= self._low:
            return self._whole
        return summed(self._packed >> 8 * self._width * (bar - self._low), self._width)

    def at_least(self, bar: int) -> Fraction:
        return Fraction(self._count_from(bar), self._whole)

    def at_most(self, bar: int) -> Fraction:
        return Fraction(self._whole - self._count_from(bar + 1), self._whole)

    def between(self, first: int, last: int) -> Fraction:
        """The chance of an outcome from `first` to `last`, both included."""
        return Fraction(max(0, self._count_from(first) - self._count_from(last + 1)), self._whole)

    def chance(self, condition: Callable[[int], object]) -> Fraction:
        """The chance that a condition holds of the outcome."""
        return Fraction(sum([count for outcome, count in self.items() if condition(outcome)]), self._whole)

    def bands(self, bars: Mapping[str, int | None]) -> NamedOutcomes:
        """The chance of each band, given where it begins, in rising order; the first may begin at None.

        `throw.bands({"failure": None, "success": 9, "great success": 12})`
        """
        from referee.odds.bands import NamedOutcomes

        starts = [self._low if bar is None else bar for bar in bars.values()]
        if not starts or starts[0] > self._low or any(a > b for a, b in pairwise(starts)):
            raise bad_input("bands", f"must be bars that rise and cover {self._low} and up, not {dict(bars)}")
        above = [*map(self._count_from, starts[1:]), 0]
        counts = [count - over for count, over in zip([self._whole, *above], above, strict=False)]
        return NamedOutcomes(dict(zip(bars, counts, strict=True)))

    @property
    def mean(self) -> Fraction:
        return Fraction(sum(map(mul, range(self._size), self.counts)), self._whole) + self._low

    @property
    def variance(self) -> Fraction:
        steps = range(self._size)
        first = sum(map(mul, steps, self.counts))
        second = sum(map(mul, [step * step for step in steps], self.counts))
        return Fraction(second * self._whole - first * first, self._whole * self._whole)

    @property
    def deviation(self) -> float:
        """The standard deviation, which is a root and therefore a float."""
        return sqrt(self.variance)

    def quantile(self, share: Fraction | float | str) -> int:
        """The lowest outcome that at least this share of all outcomes does not exceed; 0.95 means 19/20."""
        wanted = Fraction(str(share)) if isinstance(share, float) else Fraction(share)
        if not 0 <= wanted <= 1:
            raise bad_input("quantile", f"must be a share from 0 to 1, not {share}")
        below = accumulate(self.counts)
        needed = max(wanted * self._whole, Fraction(1))
        return next(outcome for outcome, count in enumerate(below, self._low) if count >= needed)

    @property
    def median(self) -> int:
        return self.quantile(Fraction(1, 2))

    # --- algebra ------------------------------------------------------------------------------------------------------

    def _cut_with(self, other: Distribution) -> int:
        """How many ways of both together were cut short in at least one of them."""
        return self._cut * other._whole + other._cut * self._whole - self._cut * other._cut

    def __add__(self, other: Distribution | int) -> Distribution:
        """The sum of two independent outcomes."""
        if isinstance(other, int):
            return self.of_packed(self._packed, self._width, self._low + other, self._size, self._whole, self._cut)
        whole, size = self._whole * other._whole, self._size + other._size - 1
        width = width_for(whole, size)
        product = self.packed_in(width) * other.packed_in(width)
        return self.of_packed(product, width, self._low + other._low, size, whole, self._cut_with(other))

    __radd__ = __add__

    def __neg__(self) -> Distribution:
        mirror = mirrored(self._packed, self._width, self._size, self._width)
        return self.of_packed(mirror, self._width, -self.high, self._size, self._whole, self._cut)

    def __sub__(self, other: Distribution | int) -> Distribution:
        """The difference of two independent outcomes: by how much one beats the other."""
        if isinstance(other, int):
            return self + -other
        whole, size = self._whole * other._whole, self._size + other._size - 1
        width = width_for(whole, size)
        product = self.packed_in(width) * mirrored(other._packed, other._width, other._size, width)
        return self.of_packed(product, width, self._low - other.high, size, whole, self._cut_with(other))

    def __rsub__(self, other: int) -> Distribution:
        return -self + other

    margin = __sub__

    def times(self, count: int) -> Distribution:
        """The sum of `count` independent outcomes."""
        if count < 0:
            raise bad_input("times", f"must be no fewer than 0, not {count}")
        check_power(self._whole, self._size, count)
        whole, size = self._whole**count, (self._size - 1) * count + 1
        width = width_for(whole, size)
        cut = whole - (self._whole - self._cut) ** count if self._cut else 0
        return self.of_packed(self.packed_in(width) ** count, width, self._low * count, size, whole, cut)

    def maximum(self, other: Distribution | int) -> Distribution:
        """The higher of two independent outcomes."""
        other = Distribution({other: 1}) if isinstance(other, int) else other
        low, high = max(self._low, other._low), max(self.high, other.high)
        width_for(self._whole * other._whole, high - low + 1)
        below = list(map(mul, self._up_to(low, high), other._up_to(low, high)))
        counts = map(int.__sub__, below, [0, *below])
        return self.of_counts(low, counts, self._cut_with(other))

    def minimum(self, other: Distribution | int) -> Distribution:
        """The lower of two independent outcomes."""
        return -(-self).maximum(-other)

    def _up_to(self, low: int, high: int) -> list[int]:
        """How many ways give at most `low`, at most `low + 1`, and so on."""
        skipped = max(0, low - self._low)
        rising = list(accumulate(self.counts))[skipped:]
        return rising + [self._whole] * (high - self.high)

    # --- other distributions ------------------------------------------------------------------------------------------

    def given(self, condition: Callable[[int], object]) -> Distribution:
        """The distribution when the condition is known to hold."""
        left = {outcome: count for outcome, count in self.items() if condition(outcome)}
        if not left:
            raise bad_input("given", f"no outcome from {self.low} to {self.high} meets the condition")
        made = Distribution(left)
        made._cut = min(self._cut, made._whole)
        return made

    def mapped(self, function: Callable[[int], int]) -> Distribution:
        """The distribution of a function of the outcome."""
        counts: dict[int, int] = {}
        for outcome, count in self.items():
            image = function(outcome)
            counts[image] = counts.get(image, 0) + count
        made = Distribution(counts)
        made._cut = self._cut
        return made

    def explode(self, on: Iterable[int], *, extra: int) -> Distribution:
        """Roll again and add on these outcomes, at most `extra` times; `capped` is the chance that this was too few."""
        from referee.odds.exploding import Exploding

        return Exploding(self, on).capped(extra)

    def keep(self, count: int, *, highest: int = 0, lowest: int = 0) -> Distribution:
        """Roll `count` of these and add up the given number of highest or lowest ones (or both)."""
        from referee.odds.ranks import ranked

        return ranked(self, count, range(lowest), range(count - highest, count))

    def drop(self, count: int, *, highest: int = 0, lowest: int = 0) -> Distribution:
        """Roll `count` of these and add them up without the given number of highest or lowest ones."""
        from referee.odds.ranks import ranked

        return ranked(self, count, range(lowest, count - highest))

    # --- for people and programs --------------------------------------------------------------------------------------

    def to_plain(self) -> dict[str, Any]:
        """As JSON, every chance as exact "num/den"; `plain.distribution` reads it back."""
        from referee.odds.plain import of_distribution

        return of_distribution(self)

    def text(self, *, columns: int = 40, title: str = "") -> str:
        """A text chart."""
        from referee.odds.text import text_chart

        return text_chart(self, columns=columns, title=title)

    def svg(self, title: str = "", *, at_least: bool = False) -> str:
        """An SVG chart of the chance of each outcome, or of reaching at least each."""
        from referee.odds.svg import svg_chart

        return svg_chart(self, title, at_least=at_least)

    def _repr_svg_(self) -> str:
        return self.svg()

    def _repr_html_(self) -> str:
        from referee.odds.svg import html_figure

        return html_figure(self)
