"""Exact joint distributions: several named whole numbers from one throw."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import gcd, prod

from referee.odds.distribution import Distribution
from referee.odds.errors import bad_input
from referee.odds.packed import check_power, folded, pack, unpack, width_for

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any, TypeAlias

    from referee.odds.bands import NamedOutcomes

    Cell: TypeAlias = tuple[int, ...]


class Joint:
    """The exact chance of each combination of several named numbers. Immutable.

    `Joint(("success", "bane"), {(0, 1): 1, (1, 0): 1, (0, 0): 4})` is a die with a bane on one side and a success on
    another. Conditions and readings get the numbers in the order of the axes.
    """

    __slots__ = ("_axes", "_counts", "_key", "_lows", "_packed", "_sizes", "_whole", "_width")

    _counts: tuple[int, ...] | None
    _key: frozenset[tuple[Cell, int]] | None

    def __init__(self, axes: Sequence[str], counts: Mapping[Cell, int]) -> None:
        self._axes = tuple(axes)
        shown = {cell: count for cell, count in counts.items() if count}
        if not self._axes or len(set(self._axes)) < len(self._axes):
            raise bad_input("joint", f"must be names of axes, each once, not {self._axes}")
        if not shown or any(count < 0 or len(cell) != len(self._axes) for cell, count in shown.items()):
            raise bad_input("joint", f"must be positive counts by {', '.join(self._axes)}")
        columns = list(zip(*shown, strict=True))
        self._lows = tuple(map(min, columns))
        self._sizes = tuple([max(column) - low + 1 for column, low in zip(columns, self._lows, strict=True)])
        self._whole = sum(shown.values())
        self._width = width_for(self._whole, prod(self._sizes))
        self._counts = tuple([shown.get(cell, 0) for cell in self._cells()])
        self._packed = pack(self._counts, self._width)
        self._key = None

    @classmethod
    def of_packed(cls, axes: tuple[str, ...], lows: Cell, sizes: Cell, packed: int, width: int, whole: int) -> Joint:
        """For kernels: counts already packed, the first axis varying fastest, with this total."""
        self = cls.__new__(cls)
        self._axes, self._lows, self._sizes = axes, lows, sizes
        self._packed, self._width, self._whole = packed, width, whole
        self._counts = self._key = None
        return self

    @classmethod
    def independent(cls, **parts: Distribution) -> Joint:
        """Independent numbers, one axis each."""
        sizes = tuple([part.high - part.low + 1 for part in parts.values()])
        whole = prod([part.whole for part in parts.values()])
        spacing = width = width_for(whole, prod(sizes))
        packed = 1
        for part, size in zip(parts.values(), sizes, strict=True):
            packed *= part.packed_in(spacing)
            spacing *= size
        return cls.of_packed(tuple(parts), tuple([part.low for part in parts.values()]), sizes, packed, width, whole)

    # --- contents -----------------------------------------------------------------------------------------------------

    @property
    def axes(self) -> tuple[str, ...]:
        return self._axes

    @property
    def whole(self) -> int:
        """The total of all counts."""
        return self._whole

    @property
    def counts(self) -> tuple[int, ...]:
        """The count of every cell, the first axis varying fastest."""
        if self._counts is None:
            self._counts = unpack(self._packed, self._width, prod(self._sizes))
        return self._counts

    def _cells(self) -> Iterator[Cell]:
        """All combinations within bounds, in the order of the counts."""
        ranges = [range(low, low + size) for low, size in zip(self._lows, self._sizes, strict=True)]
        return (cell[::-1] for cell in product(*reversed(ranges)))

    def items(self) -> Iterator[tuple[Cell, int]]:
        """Every possible combination, with its count."""
        return ((cell, count) for cell, count in zip(self._cells(), self.counts, strict=True) if count)

    def chances(self) -> dict[Cell, Fraction]:
        """Every possible combination, with its chance."""
        return {cell: Fraction(count, self._whole) for cell, count in self.items()}

    def floats(self) -> dict[Cell, float]:
        """Every possible combination, with its chance as a float."""
        return {cell: count / self._whole for cell, count in self.items()}

    def _canonical(self) -> frozenset[tuple[Cell, int]]:
        if self._key is None:
            shared = gcd(*self.counts)
            self._key = frozenset((cell, count // shared) for cell, count in self.items())
        return self._key

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Joint) and self._axes == other._axes and self._canonical() == other._canonical()

    def __hash__(self) -> int:
        return hash((self._axes, self._canonical()))

    def __repr__(self) -> str:
        means = [f"{axis} mean {float(self.axis(axis).mean):.6g}" for axis in self._axes]
        return f"<Joint {', '.join(means)}>"

    # --- questions ----------------------------------------------------------------------------------------------------

    def _place(self, axis: str) -> int:
        if axis not in self._axes:
            raise bad_input("axis", f"must be {', '.join(self._axes)}, not {axis}")
        return self._axes.index(axis)

    def chance(self, condition: Callable[..., object]) -> Fraction:
        """The chance that a condition holds: `joint.chance(lambda success, bane: success and not bane)`."""
        return Fraction(sum([count for cell, count in self.items() if condition(*cell)]), self._whole)

    def exactly(self, **numbers: int) -> Fraction:
        """The chance of these numbers, whatever the values of the other axes."""
        wanted = [(self._place(axis), number) for axis, number in numbers.items()]
        met = [count for cell, count in self.items() if all(cell[place] == number for place, number in wanted)]
        return Fraction(sum(met), self._whole)

    def at_least(self, **bars: int) -> Fraction:
        """The chance that every named axis reaches its bar."""
        wanted = [(self._place(axis), bar) for axis, bar in bars.items()]
        met = [count for cell, count in self.items() if all(cell[place] >= bar for place, bar in wanted)]
        return Fraction(sum(met), self._whole)

    def axis(self, name: str) -> Distribution:
        """One axis alone."""
        place = self._place(name)
        stride, size = prod(self._sizes[:place]), self._sizes[place]
        counts, ends = self.counts, range(0, len(self.counts), stride * size)
        sums = [sum([sum(counts[at + i * stride : at + (i + 1) * stride]) for at in ends]) for i in range(size)]
        return Distribution.of_counts(self._lows[place], sums)

    def only(self, *names: str) -> Joint:
        """Some of the axes, in this order."""
        places = [self._place(name) for name in names]
        return self._gathered(names, lambda cell: tuple([cell[place] for place in places]))

    def limited(self, name: str, most: int) -> Joint:
        """An axis with everything above `most` counted as `most`; with 1 it says whether there was any."""
        place = self._place(name)
        low, size, stride = self._lows[place], self._sizes[place], prod(self._sizes[:place])
        if most >= low + size - 1:
            return self
        kept, slot = max(0, most - low), 8 * self._width * stride
        packed = folded(self._packed, slot, size, kept, prod(self._sizes[place + 1 :]))
        lows = (*self._lows[:place], min(low, most), *self._lows[place + 1 :])
        sizes = (*self._sizes[:place], kept + 1, *self._sizes[place + 1 :])
        return self.of_packed(self._axes, lows, sizes, packed, self._width, self._whole)

    def read(self, function: Callable[..., int]) -> Distribution:
        """The distribution of a function of the numbers."""
        gathered = self._gathered(("read",), lambda cell: (function(*cell),))
        return gathered.axis("read")

    def bands(self, name: Callable[..., str]) -> NamedOutcomes:
        """The chance of each band, by the name a function gives to the numbers."""
        from referee.odds.bands import NamedOutcomes

        counts: dict[str, int] = {}
        for cell, count in self.items():
            band = name(*cell)
            counts[band] = counts.get(band, 0) + count
        return NamedOutcomes(counts)

    def given(self, condition: Callable[..., object]) -> Joint:
        """The distribution when the condition is known to hold."""
        left = {cell: count for cell, count in self.items() if condition(*cell)}
        if not left:
            raise bad_input("given", "nothing that can come up meets the condition")
        return Joint(self._axes, left)

    def covariance(self, first: str, second: str) -> Fraction:
        one, two = self._place(first), self._place(second)
        both = sum([cell[one] * cell[two] * count for cell, count in self.items()])
        return Fraction(both, self._whole) - self.axis(first).mean * self.axis(second).mean

    def _gathered(self, axes: Sequence[str], function: Callable[[Cell], Cell]) -> Joint:
        counts: dict[Cell, int] = {}
        for cell, count in self.items():
            image = function(cell)
            counts[image] = counts.get(image, 0) + count
        return Joint(axes, counts)

    # --- algebra ------------------------------------------------------------------------------------------------------

    def __add__(self, other: Joint) -> Joint:
        """The sum of both, independent, axis by axis."""
        if self._axes != other._axes:
            raise bad_input("joint", f"must be the axes {', '.join(self._axes)}, not {', '.join(other._axes)}")
        sizes = tuple([a + b - 1 for a, b in zip(self._sizes, other._sizes, strict=True)])
        lows = tuple([a + b for a, b in zip(self._lows, other._lows, strict=True)])
        whole = self._whole * other._whole
        width = width_for(whole, prod(sizes))
        packed = self._laid_out(sizes, width) * other._laid_out(sizes, width)
        return Joint.of_packed(self._axes, lows, sizes, packed, width, whole)

    def times(self, count: int) -> Joint:
        """The sum of `count` of these, independent, axis by axis."""
        if count < 0:
            raise bad_input("times", f"must be no fewer than 0, not {count}")
        check_power(self._whole, max(self._sizes), count)
        sizes = tuple([(size - 1) * count + 1 for size in self._sizes])
        lows = tuple([low * count for low in self._lows])
        whole = self._whole**count
        width = width_for(whole, prod(sizes))
        return Joint.of_packed(self._axes, lows, sizes, self._laid_out(sizes, width) ** count, width, whole)

    def _laid_out(self, sizes: Cell, width: int) -> int:
        """Packed with room for larger numbers on every axis."""
        counts = [0] * prod(sizes)
        strides = [prod(sizes[:place]) for place in range(len(sizes))]
        steps = [range(0, size * stride, stride) for size, stride in zip(self._sizes, strides, strict=True)]
        places = product(*reversed(steps))
        for place, count in zip(places, self.counts, strict=True):
            counts[sum(place)] = count
        return pack(counts, width)

    # --- for people and programs --------------------------------------------------------------------------------------

    def to_plain(self) -> dict[str, Any]:
        """As JSON, every chance as exact "num/den"; `plain.joint` reads it back."""
        from referee.odds.plain import of_joint

        return of_joint(self)

    def text(self) -> str:
        """Two axes as a table, any other number as a list."""
        from referee.odds.text import text_table

        return text_table(self)

    def svg(self, title: str = "") -> str:
        """Two axes as a heat map, any other number as one chart per axis."""
        from referee.odds.svg import svg_joint

        return svg_joint(self, title)

    def _repr_svg_(self) -> str:
        return self.svg()

    def _repr_html_(self) -> str:
        from referee.odds.svg import html_figure

        return html_figure(self)
