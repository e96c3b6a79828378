"""Named outcomes (failure, success, a wild success) with exact chances."""

from __future__ import annotations

from fractions import Fraction
from math import gcd

from referee.odds.errors import bad_input

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any


class NamedOutcomes:
    """The exact chance of each of several named outcomes. Immutable."""

    __slots__ = ("_counts", "_whole")

    def __init__(self, counts: Mapping[str, int]) -> None:
        self._counts = dict(counts)
        self._whole = sum(self._counts.values())
        if self._whole < 1 or min(self._counts.values()) < 0:
            raise bad_input("bands", f"must be counts of at least 0 and not all 0, not {self._counts}")

    @property
    def whole(self) -> int:
        """The total of all counts."""
        return self._whole

    def __iter__(self) -> Iterator[str]:
        return iter(self._counts)

    def __len__(self) -> int:
        return len(self._counts)

    def __getitem__(self, name: str) -> Fraction:
        return self.chance(name)

    def chance(self, *names: str) -> Fraction:
        """The chance that the outcome is one of these."""
        if strange := [name for name in names if name not in self._counts]:
            raise bad_input("bands", f"must be {', '.join(self._counts)}, not {', '.join(strange)}")
        return Fraction(sum([self._counts[name] for name in set(names)]), self._whole)

    def items(self) -> Iterator[tuple[str, int]]:
        """Every band with its count."""
        return iter(self._counts.items())

    def chances(self) -> dict[str, Fraction]:
        return {name: Fraction(count, self._whole) for name, count in self._counts.items()}

    def floats(self) -> dict[str, float]:
        return {name: count / self._whole for name, count in self._counts.items()}

    def _canonical(self) -> frozenset[tuple[str, int]]:
        shared = gcd(*self._counts.values())
        return frozenset([(name, count // shared) for name, count in self._counts.items()])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, NamedOutcomes) and self._canonical() == other._canonical()

    def __hash__(self) -> int:
        return hash(self._canonical())

    def __repr__(self) -> str:
        return f"<Bands {', '.join(f'{name} {share:.4g}' for name, share in self.floats().items())}>"

    def to_plain(self) -> dict[str, Any]:
        """As JSON, every chance as exact "num/den"."""
        from referee.odds.plain import of_bands

        return of_bands(self)

    def text(self, *, columns: int = 20) -> str:
        """A text chart."""
        from referee.odds.text import text_bars

        return text_bars(self.floats(), columns=columns)
